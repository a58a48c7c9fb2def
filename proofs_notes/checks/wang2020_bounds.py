"""Checks of wang2020's Theorems 2 and 3, with the lemmas of their proofs. Arguments: proofs_notes/wang2020.md."""

from __future__ import annotations

import itertools
import math
import random
from fractions import Fraction

import numpy as np
from flint import arb, fmpq, fmpq_mat

from dppca.audit.enclosure.gaussian import ball, classical_std, decide, normal_cdf
from dppca.proofs.checks.wang2020_claims import (
    class_psi_2,
    class_scaling,
    graph_packing,
    identity,
    norm_condition,
    orthonormal,
    projection,
    random_matrix,
    sin_squared,
    square,
)
from dppca.proofs.evidence import Evidence, verdict
from dppca.reference.primitives.subspaces import sin_theta_distance
from dppca.reference.wang2020.distributions import hypercube_packing, hypercube_size, spectrum

#: Constants (C, C_1, C_2) tried against statements of the kind "<= C rate with probability 1 - e^(-C_1 p) - p^(-C_2)".
CONSTANTS = ((1, 1.0, 1.0), (10**3, 0.1, 0.5), (10**6, 0.01, 0.25))


# --- Theorem 2 ----------------------------------------------------------------------------------------


def average_projector(p: int, E: fmpq_mat) -> fmpq_mat:
    """Mean of Q E Q^T over the signed permutations Q of R^p, by enumeration."""
    total, count = fmpq_mat(p, p), 0
    for order in itertools.permutations(range(p)):
        for signs in itertools.product((1, -1), repeat=p):
            total += fmpq_mat(p, p, [signs[i] * signs[j] * E[order[i], order[j]] for i in range(p) for j in range(p)])
            count += 1
    return total * fmpq(1, count)


def blind_average() -> bool:
    """That mean is (k / p) I: an output that does not depend on the data has mean sin^2 = k - k^2 / p over the orbit."""
    E = projection(orthonormal(3, 1, random.Random(11)))
    F = projection(orthonormal(4, 2, random.Random(12)))
    return average_projector(3, E) == identity(3) * fmpq(1, 3) and average_projector(4, F) == identity(4) * fmpq(1, 2)


def blindness(n: int, scale_squared: Fraction, epsilon: Fraction, delta: Fraction) -> arb:
    """TV between the messages' mean for rows of norm^2 <= scale_squared and for rows 0.

    It is at most 2 Phi(r / 2) - 1, r = c^2 sqrt(n) / sigma_1.
    """
    r = ball(scale_squared) * arb(n).sqrt() / classical_std(ball(epsilon), ball(delta), arb(1))
    return 2 * normal_cdf(r / 2) - 1


def refuted_by_scaling(factor: float, epsilon: Fraction, delta: Fraction) -> bool:
    """Whether every triple of CONSTANTS is refuted for a bound C * factor(p) / n that X -> c X leaves alone (k = 1).

    The bound and its probability allow a mean of at most C factor / n + failure; scaled rows force 1 - 1/p - TV.
    """
    for C, C1, C2 in CONSTANTS:
        p = 2
        while math.exp(-C1 * p) + p ** (-C2) > 0.25:
            p *= 2
        n = math.ceil(100 * C * factor * p)
        tv = blindness(n, Fraction(1, n), epsilon, delta)
        allowed = ball(Fraction(1, 100)) + (-ball(C1) * p).exp() + arb(p) ** (-ball(C2))
        if not allowed < 1 - ball(Fraction(1, p)) - tv:
            return False
    return blind_average()


def noise_norm() -> Evidence:
    """Net of 9^p points: Var(v^T Z v) = sigma^2 (2 - sum v^4), so ||Z|| <= 4 sigma sqrt(p ln 9 + p + 1) but for e^(-p)."""
    source = random.Random(13)
    for _ in range(20):
        v = orthonormal(4, 1, source)
        variance = sum(v[i, 0] ** 4 for i in range(4)) + 4 * sum(
            v[i, 0] ** 2 * v[j, 0] ** 2 for i in range(4) for j in range(i)
        )
        if variance != 2 - sum(v[i, 0] ** 4 for i in range(4)):
            return Evidence("refuted", "exact", "the variance identity fails.")
    # P(||Z|| > t) <= 2 9^p P(N(0, 2) > t / 2) and 2 P(N > x) <= e^(-x^2 / 2): exponent t^2 / 16 against p ln 9 + p
    small = all(
        decide(lambda p=p: arb(p) * arb(9).log() - (arb(p) * arb(9).log() + p + 1), lambda p=p: -arb(p)) for p in (1, 10, 400)
    )
    return Evidence(
        verdict(printed=small), "interval", "||Z||_2 <= 4 sigma sqrt(p ln 9 + p + 1) with probability at least 1 - e^(-p)."
    )


def theorem_2_utility() -> Evidence:
    """The printed bound is invariant under X -> c X, the output is not; the sum of the two error terms is not either."""
    invariant = class_scaling().status == "holds"
    eps, delta = Fraction(1, 2), Fraction(1, 10**4)
    factor = 4 * math.log(1e4) / 0.25  # (lambda_1 / gap)^2 = 4 on (7) at lambda = 1
    refuted = invariant and refuted_by_scaling(factor, eps, delta)
    return Evidence(
        verdict(printed=not refuted, corrected=noise_norm().status == "holds" and davis_kahan().status == "holds"),
        "cited",
        f"scaled rows: mean sin^2 >= 1 - 1/p - 0.1 where {len(CONSTANTS)} triples of constants allow at most 0.27 (k = 1).",
    )


def theorem_2_utility_range() -> Evidence:
    """The right side of (2) at delta = 1 and beyond, where the theorem is claimed too."""
    at_two = (1 / arb(2)).log()
    below = arb("1.25").log() / arb("1.0001").log()
    return Evidence(
        verdict(printed=not at_two < 0, corrected=bool(below > 1)),
        "interval",
        f"log(1/delta) is {float(at_two):.3f} < 0 at delta = 2 and 0 at 1, where the noise still has variance 2 ln 1.25 "
        "/ epsilon^2.",
    )


def theorem_2_large_epsilon() -> Evidence:
    """As epsilon grows the bound tends to 0; the sampling error is almost surely positive, whatever epsilon.

    With V_1 = e_1 it vanishes only where all S_1j do, j > 1: polynomials in the rows, and one point where they are
    not 0 shows that their common zeros have probability 0 under a density.
    """
    source = random.Random(16)
    positive = []
    for p in (2, 5, 20):
        X = random_matrix(p, p, source)
        S = X.transpose() * X
        positive.append(any(S[0, j] != 0 for j in range(1, p)))
    cone = (2 / arb.pi() * (1 / arb(2).sqrt()).atan()) ** 2  # both rows of n = p = 2 with |x_2| > |x_1|, Sigma = diag(1, 1/2)
    return Evidence(
        verdict(printed=not all(positive)),
        "exact",
        "without noise the error is positive almost surely; for n = p = 2 it exceeds 1/2 with probability at least "
        f"{float(cone):.3f}.",
    )


def theorem_2_full_dimension() -> Evidence:
    """At k = p lambda_{k+1} does not exist and the error is 0."""
    try:
        spectrum(np.eye(3), 3)
    except ValueError:
        defined = False
    else:
        defined = True
    error = sin_theta_distance(np.eye(3), np.eye(3)[:, ::-1])
    return Evidence(
        verdict(printed=defined, corrected=error < 1e-7), "exact", f"k = p = 3: no eigengap; the error is {error:.0f}."
    )


def theorem_2_probability() -> Evidence:
    """The proof's second event fails with a constant probability e^(-C_1), print's statement has e^(-C_1 p)."""
    statement, proof = (-arb(50)).exp(), (-arb(1)).exp()
    return Evidence(
        verdict(printed=bool(proof <= statement), corrected=noise_norm().status == "holds"),
        "interval",
        f"at C_1 = 1, p = 50: {float(proof):.3f} in the proof, {float(statement):.1e} in the statement.",
    )


def lemma_6() -> Evidence:
    """p = n = 2, Sigma = I: P(||S - I|| < s) <= P(|S_11 - 1| < s)^2 = (2 sinh(s) / e)^2, below 1 - e^(-s/c) for small s."""
    fails = fixed = True
    for c in (1, 10, 10**3, 10**6):
        s = ball(Fraction(1, 10 * c))
        near = (2 * s.sinh() / arb(1).exp()) ** 2
        fails &= bool(near < 1 - (-s / c).exp())
        fixed &= bool(2 * (-s / c).exp() >= 1)
    return Evidence(
        verdict(printed=not fails, corrected=fixed),
        "interval",
        "c_1 = 1, 10, 10^3, 10^6 all fail at s = 1 / (10 c_1); a factor 2 in front repairs it.",
    )


def davis_kahan() -> Evidence:
    """Instances of Lemma 7 on random symmetric pairs, with every block r..s of eigenvectors."""
    rng = np.random.default_rng(14)
    worst = 0.0
    for _ in range(60):
        A = rng.standard_normal((6, 6))
        A = A + A.T
        N = 0.3 * rng.standard_normal((6, 6))
        B = A + N + N.T
        (a, U), (_, W) = np.linalg.eigh(A), np.linalg.eigh(B)
        for r, s in ((0, 1), (0, 3), (2, 4)):
            below = a[r] - a[r - 1] if r else math.inf
            gap = min(below, a[s] - a[s - 1])
            bound = 2 * min(math.sqrt(s - r) * np.linalg.norm(A - B, 2), np.linalg.norm(A - B)) / gap
            worst = max(worst, sin_theta_distance(W[:, r:s], U[:, r:s]) / bound)
    return Evidence(
        verdict(printed=worst <= 1.0),
        "cited",
        f"Yu, Wang, Samworth 2015, Theorem 2; largest ratio to the bound on 180 instances {worst:.3f}.",
    )


def gap_condition() -> Evidence:
    """The bound 4 k ||.||^2 / gap^2 falls below the trivial k only where gap > 2 ||.||."""
    at_two = [4 * Fraction(k) * 1 / 4 == k for k in (1, 3, 10)]
    above = 4 * Fraction(3) / Fraction(5, 2) ** 2 < 3
    return Evidence(
        verdict(printed=not all(at_two), corrected=above),
        "exact",
        "at gap = 2 ||S_tilde - Sigma|| the bound equals the trivial one, k.",
    )


def privacy_factor() -> Evidence:
    """Noise over sampling term, p 2 ln(1.25/delta) / (eps^2 lambda_1 tr Sigma), on (7) at lambda = 1.

    It exceeds 1/eps^2 by order p^2.
    """
    ratios = {}
    for p in (10, 100, 1000):
        first, total = Fraction(1, 5 * p), Fraction(3, 20)  # k = p / 2: tr = (1 + 1/2) / 10
        ratios[p] = p * 2 * (arb("1.25e4")).log() / ball(first * total)
    return Evidence(
        verdict(printed=not ratios[1000] > 1000 * ratios[10]),
        "interval",
        f"factor over 1/eps^2 at p = 10, 100, 1000: {', '.join(f'{float(r):.2g}' for r in ratios.values())}.",
    )


def eigenvalue_gap() -> Evidence:
    """The printed bounds differ by (lambda_1 / lambda_{k+1}) log(1/delta), and log(1/delta) is unbounded."""
    logs = [(1 / ball(Fraction(1, 10**d))).log() for d in (2, 20, 2000)]
    return Evidence(
        verdict(printed=not logs[2] > 100 * logs[0]),
        "interval",
        f"beside lambda_1/lambda_(k+1) stands log(1/delta) = {', '.join(f'{float(v):.0f}' for v in logs)} at delta = "
        "1e-2, 1e-20, 1e-2000.",
    )


def enough_rows() -> Evidence:
    """n >= p gives Lemma 6's n >= r, as r = tr Sigma / lambda_1 <= p."""
    spectra = ([1, 1, 1], [5, 1, 0], [3, 2, 1])
    return Evidence(
        verdict(printed=all(Fraction(sum(v), max(v)) <= len(v) for v in spectra)), "exact", "tr Sigma / lambda_1 <= p."
    )


def dwork_form() -> Evidence:
    """A squared distance falls with the square of the gap.

    The matrix diag(g, 0) with off-diagonal noise t has sin^2 = (1 - g / sqrt(g^2 + 4 t^2)) / 2.
    """

    def sine(g: arb) -> arb:
        t = arb("1e-4")
        return (1 - g / (g * g + 4 * t * t).sqrt()) / 2

    ratio = sine(arb("0.5")) / sine(arb(1))
    return Evidence(
        verdict(printed=bool(ratio < arb("2.1")), corrected=bool(ratio > arb("3.99")) and bool(ratio < 4)),
        "interval",
        f"halving the gap multiplies the squared distance by {float(ratio):.4f}; print's first power gives 2.",
    )


def central_comparison() -> Evidence:
    """kp / (n eps^2) against kp / (n^2 eps^2): the ratio is n."""
    ratios = [Fraction(1, n) / Fraction(1, n * n) for n in (10, 10**4)]
    return Evidence(
        verdict(printed=max(ratios) < 100), "exact", f"the local bound is larger by the factor n = {ratios[-1]} at n = 10^4."
    )


# --- Theorem 3 ----------------------------------------------------------------------------------------


def theorem_3_conditions() -> Evidence:
    """2k <= s - k, s <= p and k >= p/4 force s >= 3p/4: no sparse instance, and none at all for p = 1, 2, 5."""
    sizes = {
        p: [(k, s) for k in range(1, p + 1) for s in range(1, p + 1) if 3 * k <= s and p <= 4 * k <= 3 * p]
        for p in range(1, 61)
    }
    least = min(Fraction(s, p) for p, found in sizes.items() for _, s in found)
    empty = [p for p, found in sizes.items() if not found]
    return Evidence(
        verdict(printed=least < Fraction(1, 2), corrected=norm_condition().status == "corrected"),
        "exact",
        f"least s/p is {least} for p <= 60; no admissible k for p = {empty}.",
    )


def theorem_3_rate() -> Evidence:
    """Under the printed conditions s (k + log p) <= 4 k (s - k).

    The corrected Theorem 1 on a support of size s then gives the rate.
    """
    worst = max(
        s * (k + math.log(p)) / (k * (s - k))
        for p in range(1, 121)
        for k in range(1, p + 1)
        for s in range(3 * k, p + 1)
        if p <= 4 * k <= 3 * p
    )
    return Evidence(
        verdict(printed=class_psi_2().status == "holds", corrected=worst < 4 and graph_packing().status == "corrected"),
        "cited",
        f"s (k + log p) / (k (s - k)) is at most {worst:.3f} for p <= 120; by algebra at most 3/2 (1 + 4/e) = 3.71.",
    )


def stiefel_embedding() -> Evidence:
    """Lemma 8: sin^2 = a^2 (2 - a^2) d - 2 a^2 (1 - a^2) tr G - a^4 ||G||^2, G = J_1^T J_2.

    The slacks are a^4 (d - ||G||^2) and a^4 ||I - G||^2.
    """
    source = random.Random(15)
    good = True
    for _ in range(10):
        J1, J2 = orthonormal(4, 2, source), orthonormal(4, 2, source)
        c, a = fmpq(3, 5), fmpq(4, 5)  # c^2 + a^2 = 1, so the embedding is rational

        def embed(J: fmpq_mat, c: fmpq = c, a: fmpq = a) -> fmpq_mat:
            rows = [[c, 0, 0], [0, c, 0], [0, 0, 1], *([a * J[i, 0], a * J[i, 1], 0] for i in range(4))]
            return fmpq_mat(7, 3, [fmpq(x) for row in rows for x in row])

        sine, chord, G = sin_squared(embed(J1), embed(J2)), square(J1 - J2), J1.transpose() * J2
        good &= sine - a**2 * (1 - a**2) * chord == a**4 * (2 - square(G)) and square(G) <= 2
        good &= a**2 * chord - sine == a**4 * square(identity(2) - G)
    return Evidence(verdict(printed=good), "exact", "both slack identities hold on 10 rational pairs with alpha = 4/5.")


def lemma_9() -> Evidence:
    """Lemmas 1 and 8 give half the separation, squared (1/4), times Lemma 1's 1/2; the information term has slack 4."""
    derived, information = Fraction(1, 4) * Fraction(1, 2), Fraction(1, 4) * 4
    return Evidence(
        verdict(printed=derived >= Fraction(1, 2), corrected=derived == Fraction(1, 8) and information <= 4),
        "exact",
        f"prefactor {derived} (1/4 by Fano's own constant) against 1/2 printed; information {information} against 4 printed.",
    )


def lemma_10() -> Evidence:
    """Greedy packings reach the size that the lemma promises, in exact arithmetic, for small m and s."""
    reached = []
    for m, s in ((3, 1), (4, 2), (6, 3), (10, 2), (12, 4)):
        size = hypercube_size(m, s)
        reached.append(len(hypercube_packing(m, s, size)) >= size)
    return Evidence(
        verdict(printed=all(reached)),
        "cited",
        f"Massart 2007, by way of Vu and Lei 2013; reached greedily for {len(reached)} (m, s).",
    )


def variable_selection() -> Evidence:
    """A_alpha(J) has k + ||J||_{2,0} non-zero rows: the packing may use s - k of them, and log((p-k)/(s-k)) is not log p."""
    rows = 3 + 2  # k = 3 and a 2-sparse J
    ratios = []
    for p in (10**3, 10**6, 10**9):
        s, k = p // 2, 1
        ratios.append(s * math.log(p) / ((s - k) * (1 + math.log((p - k) / (s - k)))))
    return Evidence(
        verdict(printed=ratios[-1] < 2 * ratios[0], corrected=rows - 3 == 2),
        "exact",
        f"s log p over (s-k)(1 + log((p-k)/(s-k))) at s = p/2: {', '.join(f'{r:.1f}' for r in ratios)}, unbounded.",
    )


def lemma_11() -> Evidence:
    """||sin Theta||_F <= sqrt(k), but k sqrt(delta) > sqrt(k) once k delta > 1, where log N > 0 needs delta < c_2 only."""
    impossible = all(k * Fraction(1, 3) > 1 for k in (4, 10, 100))
    possible = all(k * Fraction(1, 3) ** 2 <= k for k in (1, 4, 100))  # (sqrt(k) delta)^2 <= k
    return Evidence(
        verdict(printed=not impossible, corrected=possible),
        "cited",
        "at delta = 1/3 and k >= 4 the printed separation exceeds the diameter sqrt(k); sqrt(k) delta does not (Pajor 1998).",
    )


def packing_exponent() -> Evidence:
    """J of shape (s - k, k) has entropy k (s - 2k), which is at least sk/3 if s >= 3k; print writes sk."""
    enough = all(3 * (s - 2 * k) >= s for k in range(1, 30) for s in range(3 * k, 120))
    return Evidence(verdict(printed=enough), "exact", "s - 2k >= s/3 for s >= 3k, so the rate sk is reached up to a factor 3.")


def maximum_and_sum() -> Evidence:
    """max(a, b) >= (a + b) / 2."""
    grid = [Fraction(i, 7) for i in range(30)]
    return Evidence(
        verdict(printed=all(2 * max(a, b) >= a + b for a in grid for b in grid)), "exact", "max >= half of the sum."
    )


def abstract_sparse_lower() -> Evidence:
    """ks log p over what Theorem 3 states, s (k + log p): at least min(k, log p) / 2."""
    ratios = [k * L / (k + L) for k, L in ((2, 5), (20, 20), (200, 200))]
    return Evidence(
        "open" if ratios[-1] > 20 * ratios[0] / 2 else "holds",
        "exact",
        f"ks log p exceeds s (k + log p) by the factor {', '.join(f'{r:.1f}' for r in ratios)} at (k, log p) = (2, 5), "
        "(20, 20), (200, 200).",
    )


def sequential_interaction() -> Evidence:
    """Two users, the second's randomised response chosen by the first's answer: the divergence obeys the sum of the bounds."""
    good = True
    for e in (arb("0.2"), arb("0.6")):
        flip = 1 / (1 + e.exp())
        for q, r in ((arb("0.2"), arb("0.7")), (arb("0.45"), arb("0.5"))):
            a, b = (x * (1 - flip) + (1 - x) * flip for x in (q, r))
            first = (a - b) * ((a / (1 - a)).log() - (b / (1 - b)).log())
            # the second user responds after answer 1 only: the chain rule, in both directions
            total = first + a * (a * (a / b).log() + (1 - a) * ((1 - a) / (1 - b)).log())
            total += b * (b * (b / a).log() + (1 - b) * ((1 - b) / (1 - a)).log())
            good &= bool(total <= 2 * 4 * (e.exp() - 1) ** 2 * (q - r) ** 2)
    return Evidence(
        verdict(printed=not good, corrected=good),
        "cited",
        "the contraction is stated for sequentially interactive channels by Duchi, Jordan, Wainwright 2018; 4 adaptive "
        "cases enclosed.",
    )
