"""Checks of claims of liu2022: appendices A and B, preliminaries. Arguments: proofs_notes/liu2022/note.md."""

from __future__ import annotations

import itertools
import math
import random
from fractions import Fraction

import numpy as np
from flint import arb, ctx
from scipy.special import ive

from dppca.audit.suite.liu2022.models import gaussian_model
from dppca.proofs_notes.ledger.evidence import BITS, Evidence, verdict
from dppca.proofs_notes.ledger.rational import ZERO, identity, random_unit, vec
from dppca.proofs_notes.liu2022 import distributions, step_sizes
from dppca.proofs_notes.liu2022.point_laws import Point, covariance_of, example_points
from dppca.proofs_notes.liu2022.runs import ROWS, changed_releases, dp_pca, near, with_row_replaced
from dppca.reference.baselines import exponential
from dppca.reference.liu2022 import algorithm_3_dp_pca as algorithm_3
from dppca.reference.liu2022.private_update import TAIL_AS_PRINTED, TAIL_CORRECTED
from dppca.reference.noise import lockstep
from dppca.reference.primitives.composition import Guarantee, advanced_component, optimal_component, optimal_delta, serial
from dppca.reference.primitives.sparse_histogram import REPLACE_ONE_SENSITIVITY, stability_threshold
from dppca.reference.rigour.gaussian import ball, classical_std, gaussian_profile


def lemma_b_1() -> Evidence:
    """Bin by bin: Laplace(2/epsilon) on every count fails with e^(-n beta epsilon/2), at the least n of either branch."""
    worst = 0.0
    for alpha in (0.999, 0.5, 1e-6):
        for delta in (0.5, 1e-2, 1e-12):
            for bins in (1, 1000, math.inf):
                for epsilon in (1e-3, 1.0, 50.0, 1e4):
                    least = min(8.0 / epsilon * math.log(2.0 * bins / alpha), 8.0 / epsilon * math.log(4.0 / (alpha * delta)))
                    worst = max(worst, math.exp(-least * epsilon / 2.0) / alpha)
    moved = {0: 3, 1: 2}, {0: 2, 1: 3}  # counts of two neighbours, replace-one
    change = sum(abs(moved[0][k] - moved[1][k]) for k in (0, 1))
    return Evidence(
        verdict(printed=worst <= 1.0 and change == REPLACE_ONE_SENSITIVITY),
        f"noise on every bin, infinitely many too; the L1 change is {change}. A bin is off with at most {worst:.3f} alpha, for "
        "every epsilon > 0; epsilon = 0 asks for n = infinity.",
    )


def lemma_b_1_simultaneous() -> Evidence:
    """All bins at once, infinitely many: no mechanism for large epsilon; the sparse histogram for epsilon <= 12."""
    # n - 1 records in bin 0 and one in bin j; E_j = "of bins 1, 2, ... exactly j is above 1/(2n)" are disjoint events
    impossible, shown = True, []
    for n, alpha, delta, share, epsilon in ((10, 0.1, 0.01, 1 / 3, 204.0), (1, 0.499, 0.499, 0.4999, 44.5)):
        allowed = epsilon * share >= 8.0 * math.log(4 / (alpha * delta)) and delta < 1 / n and share < 0.5  # beta = share/n
        each = math.exp(-epsilon) * (1 - alpha - delta)
        impossible &= allowed and each > 0.0
        shown.append(f"n = {n}, beta = {share:.4f}/n, epsilon = {epsilon:.1f}: each of probability >= {each:.1e}")
    return Evidence(
        verdict(printed=not impossible, corrected=_histogram_accuracy()),
        f"infinitely many disjoint events: {'; '.join(shown)}. The sparse histogram is accurate in all bins at once for "
        "0 < epsilon <= 12 (second branch), Laplace noise on all K bins in the first; undecided from there to 44.4.",
    )


def lemma_b_4_loose() -> Evidence:
    """The largest component that optimal composition allows at (0.9, 1e-6), k = 100, against Lemma B.4's."""
    printed = advanced_component(0.9, 1e-6, 100)
    best = optimal_component(0.9, 1e-6, 100)
    formula = 0.9 / (2.0 * math.sqrt(200.0 * math.log(2e6)))
    share, exact = printed.delta, Fraction(1e-6) / 200
    rounded_down = share == best.delta and Fraction(share) <= exact < Fraction(math.nextafter(share, 1.0))
    good = math.isclose(printed.epsilon, formula, rel_tol=1e-9) and rounded_down
    return Evidence(
        verdict(printed=good and best.epsilon > 2.5 * formula and optimal_delta(0.9, best, 100) <= 1e-6),
        f"{best.epsilon:.5f} against {printed.epsilon:.5f}, a factor {best.epsilon / printed.epsilon:.2f}.",
    )


def _histogram_accuracy() -> bool:
    """n bins' chances of noise above n beta, and of a count above n beta suppressed, at the least n; both branches."""
    for epsilon in (0.01, 0.5, 1.0, 5.0, 12.0):
        for delta in (1e-2, 1e-6):
            for alpha in (0.5, 0.01):
                error = 8.0 / epsilon * math.log(4.0 / (alpha * delta))  # n beta
                n = min(1.0 / delta, 1e12)
                loud = math.exp(-error * epsilon / 2.0)
                lost = 0.5 * math.exp(-(error - stability_threshold(epsilon, delta)) * epsilon / 2.0)
                if error <= stability_threshold(epsilon, delta) or n * (loud + lost) > alpha:
                    return False
                for bins in (1, 1000):
                    if bins * math.exp(-4.0 * math.log(2.0 * bins / alpha)) > alpha:
                        return False
    return True


def lemma_b_2() -> Evidence:
    """Batches by position: a record less changes every batch's sum. Replaced, one batch's."""
    records = [0, 5, 1, 5] * 8 + [0]  # batches of two: the first records are 0, 1, 0, 1, ...

    def sums(rows: list[int]) -> list[int]:
        return [sum(rows[i : i + 2]) for i in range(0, 32, 2)]

    removed = [abs(a - b) for a, b in zip(sums(records), sums(records[1:]), strict=True)]
    other = [1, *records[1:]]
    replaced = [abs(a - b) for a, b in zip(sums(records), sums(other), strict=True)]
    e, d = 0.5, 1e-6
    with ctx.workprec(BITS):
        mu = 1 / classical_std(ball(e), ball(d), arb(1))
        together = gaussian_profile(ball(e), arb(sum(x * x for x in removed)).sqrt() * mu)
        refuted = bool(together > ball(d))
    everywhere = all(len(_changed_batches(place)) == 1 for place in (0, 200, 321, 639))
    return Evidence(
        verdict(printed=not refuted, corrected=sum(map(bool, replaced)) == 1 and everywhere),
        f"{sum(map(bool, removed))} of 16 sums change by 1 when the first record goes; their Gaussian releases, each "
        f"({e:g}, {d:g})-DP, together have delta = {float(together):.2e}. Replace-one touches one.",
    )


def _changed_batches(place: int) -> set[int]:
    """Return the numbers of the batches of Algorithm 3 whose releases change, the transcript held."""
    names = changed_releases(lockstep(dp_pca(), ROWS, with_row_replaced(place), np.random.default_rng(place)))
    return {1 if name.startswith(("eigenvalue[1]", "t=1 ")) else 2 for name in names}


def lemma_b_3() -> Evidence:
    """The worst pair of mechanisms: randomised responses that fail outright with probability delta_i; exact fractions."""
    worst = True
    for g1, g2 in ((2, 3), (Fraction(3, 2), 10)):
        for d1, d2 in ((Fraction(1, 10), Fraction(1, 7)), (Fraction(1, 100), Fraction(1, 3))):
            laws = []
            for g, d in ((Fraction(g1), d1), (Fraction(g2), d2)):
                keep = 1 - d
                laws.append(
                    [(d, Fraction(0)), (keep * g / (1 + g), keep / (1 + g)), (keep / (1 + g), keep * g / (1 + g)), (0, d)]
                )
            total = sum(
                (max(Fraction(0), p * r - Fraction(g1) * g2 * q * s) for p, q in laws[0] for r, s in laws[1]), Fraction(0)
            )
            worst &= total <= d1 + d2 and total == d1 + d2 - d1 * d2
    worst &= serial([Guarantee(0.5, 0.25), Guarantee(1.25, 0.125)]) == (1.75, 0.375)
    return Evidence(
        verdict(printed=worst),
        "at epsilon_1 + epsilon_2 the worst pair has delta_1 + delta_2 - delta_1 delta_2 (4 cases).",
    )


def lemma_b_4() -> Evidence:
    """The second-order term of the classical bound for epsilon <= 0.9, and the exact worst case on a grid and beyond."""
    with ctx.workprec(BITS):
        least_log = arb(2).log()  # delta < 1
        component = arb("0.9") / (2 * (2 * least_log).sqrt())
        proved = bool(arb("0.9") * component.exp() <= 4 * least_log)
    grid = [(e, d, k) for e in (0.01, 0.5, 0.9) for d in (0.5, 1e-2, 1e-8) for k in (1, 2, 10, 1000)]
    on_grid = all(optimal_delta(e, advanced_component(e, d, k), k) <= d for e, d, k in grid)
    ends = {d: _advanced_range(d) for d in (0.5, 0.1, 1e-6)}
    shown = ", ".join(f"{e:.1f} (delta = {d:g})" for d, e in ends.items())
    return Evidence(
        verdict(printed=proved and on_grid),
        f"k e_0 (e^e_0 - 1) <= epsilon / 2 for every delta < 1; exact worst case below delta at {len(grid)} points; the first "
        f"epsilon on a grid of factors 1.1 at which some k in 1..1000 fails: {shown}.",
    )


def _advanced_range(delta: float) -> float:
    epsilon = 0.9
    while epsilon < 100.0:
        epsilon *= 1.1
        if any(optimal_delta(epsilon, advanced_component(epsilon, delta, k), k) > delta for k in (2, 5, 20, 100, 1000)):
            return epsilon
    return epsilon


def appendix_a_exponential() -> Evidence:
    """d = 2, m rows at e_2 and one at e_1 or e_2: the densities of exp(epsilon sum (v.x)^2) at e_1, in closed form.

    The integral of exp(epsilon (p cos^2 + q sin^2)) over the circle is 2 pi e^(epsilon (p + q)/2) I_0(epsilon (q - p)/2).
    """
    good = exponential.calibrate(1.0).multiplier == 0.5
    losses = {}
    angles = np.linspace(0.0, 2.0 * math.pi, 4096, endpoint=False)
    for epsilon in (0.5, 1.0, 3.0):
        alone, few, many = losses[epsilon] = [_loss_at_e_1(epsilon, m) for m in (0, 10, 10**6)]
        good &= math.isclose(alone, epsilon) and epsilon < few < many <= 2.0 * epsilon
        good &= math.isclose(many, 2.0 * epsilon, rel_tol=1e-3)
        good &= 0.999 * epsilon < _loss_at_e_1(epsilon / 2.0, 10**6) <= epsilon
        # nine rows at e_2, with or without one at e_1: both factors of the quotient point the same way
        without = 9.0 * np.sin(angles) ** 2
        norm = math.log(np.mean(np.exp(epsilon * (without + np.cos(angles) ** 2))) / np.mean(np.exp(epsilon * without)))
        good &= all(abs(epsilon * share - norm) <= epsilon for share in (0.0, 0.5, 1.0))
    return Evidence(
        verdict(printed=good),
        f"a replaced record at epsilon = 1: loss {losses[1.0][0]:.3f}, {losses[1.0][1]:.3f}, {losses[1.0][2]:.5f} with 0, 10 "
        "and 10^6 other rows at e_2; with half of the exponent it stays below 1. A record more or less: at most epsilon.",
    )


def _loss_at_e_1(epsilon: float, m: int) -> float:
    """log of the density's quotient at e_1, the record at e_1 over the record at e_2."""
    log_i0 = [epsilon * abs(x) / 2.0 + math.log(float(ive(0, epsilon * x / 2.0))) for x in (m - 1, m + 1)]
    return epsilon + log_i0[1] - log_i0[0]


def equation_35() -> Evidence:
    """tau log|V|/(n phi epsilon) with tau = sqrt(lambda_2/lambda_1)/2, phi = 1/(kappa d), log|V| of order d.

    The code's (19).
    """
    high, low, d, n = Fraction(4), Fraction(1), 10, 10**6
    kappa = high / (high - low)
    phi = (1 - low / high) / d
    exact = kappa * d * d / n * Fraction(1, 2)  # epsilon = 1, sqrt(lambda_2/lambda_1) = 1/2
    return Evidence(
        verdict(
            printed=same_rate() and 1 / phi == kappa * d and near(distributions.theorem_c_1_rate(4.0, 1.0, d, n, 1.0), exact)
        ),
        "phi = 1/(kappa d), so the (false) second term of Theorem C.2 gives kappa d^2/(epsilon n) sqrt(lambda_2/lambda_1), "
        "and (35) is (19).",
    )


def assumption_a_4() -> Evidence:
    """E exp(Y) >= 1 + E Y for Y >= 0: at most 1 only for Y = 0. A = 0 or 2 with probability 1/2 (d = 1) has Y = K^(-1/a)."""
    with ctx.workprec(BITS):
        above_one = all(bool((arb(K) ** (-1 / arb(a))).exp() > 1) for K in (1, 4, 10**6) for a in ("0.5", "1", "2"))
        two = all(bool((arb(K) ** (-1 / arb(a))).exp() <= 2) for K, a in ((2, "1"), (2, "0.5"), (3, "2")))
    return Evidence(
        verdict(printed=not above_one, corrected=two and (TAIL_AS_PRINTED, TAIL_CORRECTED) == (1.0, 2.0)),
        "by e^y >= 1 + y only A_i = Sigma almost surely satisfies the arXiv text, and then H_u = 0 and the quotient is 0/0; "
        "A = 0 or "
        "2, mean 1, has e^(K^(-1/a)) > 1 for every K. With 2 on the right K = 2 will do for it at a = 1, K = 3 at a = 2.",
    )


def assumption_a_4_indices() -> Evidence:
    """u^T (A^T - Sigma) v = v^T (A - Sigma) u, whose variance is lambda_1^2 v^T H_u v."""
    source, good = random.Random(4), True
    points = list(example_points(2, Fraction(2)))
    for _ in range(5):
        u, v = random_unit(2, source), random_unit(2, source)
        values = [(p, v @ x * (x @ u)) for p, x in points]
        mean = sum((p * y for p, y in values), ZERO)
        good &= sum((p * (y - mean) ** 2 for p, y in values), ZERO) == v @ (covariance_of(points, u) @ v)
    return Evidence(verdict(printed=good), "5 pairs of rational unit vectors, Example 4.1 in two dimensions.")


def assumption_a_4_singular() -> Evidence:
    """Laws on two points in the plane at six unit vectors u: where H_u = 0, (A - Sigma) u = 0 at both points."""
    undefined, harmless, regular = 0, True, 0
    units = (("1", "0"), ("0", "1"), ("3/5", "4/5"), ("4/5", "-3/5"), ("5/13", "12/13"), ("8/17", "15/17"))
    directions = [vec(*u) for u in units]
    for first, second in ((vec(1, 0), vec(2, 0)), (vec(1, 1), vec(1, -1)), (vec(3, 4), vec(6, 8))):
        points: list[Point] = [(Fraction(1, 2), first), (Fraction(1, 2), second)]
        sigma = [[sum((p * x[i] * x[j] for p, x in points), ZERO) for j in range(2)] for i in range(2)]
        for u in directions:
            singular = all(entry == 0 for row in covariance_of(points, u) for entry in row)
            # some coordinate of (A - Sigma) u is not 0
            moves = any(x[i] * (x @ u) != sigma[i] @ u for _, x in points for i in range(2))
            undefined += singular
            regular += not singular
            harmless &= singular is not moves
    return Evidence(
        verdict(printed=undefined == 0, corrected=harmless and undefined > 0 and regular > 0),
        f"x = e_1 or 2 e_1: H_(e_2) = 0 and the quotient of A.4 is 0/0. Of 18 pairs of a law and a direction {undefined} have "
        "H_u = 0, and exactly these have (A - Sigma) u = 0 at both points.",
    )


def equation_17() -> Evidence:
    """1 - w^T Sigma w / lambda_1 >= sin^2(w, v_1) / kappa."""
    source, good = random.Random(6), True
    for _ in range(100):
        w = random_unit(3, source)
        lam = sorted((Fraction(source.randint(1, 99)) for _ in range(3)), reverse=True)
        if lam[0] == lam[1]:
            continue
        excess = 1 - sum((a * b * b for a, b in zip(lam, w, strict=True)), ZERO) / lam[0]
        good &= excess >= (1 - w[0] ** 2) * (lam[0] - lam[1]) / lam[0]
    return Evidence(
        verdict(printed=good),
        "100 rational spectra and directions; so (17) and (18) follow from the captured variance of the cited theorems.",
    )


def appendix_a_comparison() -> Evidence:
    """Powers in sin^2: (18) has kappa (d/n)^(1/2) and kappa d/(epsilon n), (11) their squares."""
    eighteen, eleven = (1, Fraction(1, 2), 1), (2, 1, 2)  # of kappa, d/n, d/(epsilon n)
    return Evidence(
        verdict(printed=eighteen[0] < eleven[0] and eighteen[1] < eleven[1] and eighteen[2] < eleven[2]),
        "fewer powers of kappa > 1, fewer of d/n and d/(epsilon n) < 1: (11) is the smaller one exactly where it is "
        "informative, kappa sqrt(d/n) < 1.",
    )


def appendix_a_17() -> Evidence:
    """(17) is kappa d^2/(epsilon n): it does not change with d/n at a fixed d^2/(epsilon n), (11) by the code does."""
    model = gaussian_model(np.diag([1.0, 0.5, 0.5]), 100, 0.01)
    rates = [step_sizes.theorem_5_1_rate(model, n, 10**8 / n, 1e-6) for n in (10**3, 10**5)]
    seventeen = [Fraction(3**2, (10**8 // n) * n) for n in (10**3, 10**5)]
    return Evidence(
        verdict(printed=seventeen[0] > seventeen[1], corrected=seventeen[0] == seventeen[1] and rates[0] > 9.0 * rates[1]),
        "at a fixed epsilon n (17) is the same for every d/n, while (11) falls with it; what is worse is d^2/(epsilon n) for "
        "the square of d/(epsilon n).",
    )


def equation_49() -> Evidence:
    """The covariance of G w is |w|^2 I for independent entries of variance 1."""
    source, good = random.Random(7), True
    w = random_unit(2, source)
    covariance = 0 * identity(2)
    for entries in itertools.product((1, -1), repeat=4):
        Gw = np.reshape(entries, (2, 2)) @ w
        covariance += np.outer(Gw, Gw) / 16
    good &= np.array_equal(covariance, identity(2))
    return Evidence(
        verdict(printed=good),
        "a linear map of Gaussians with covariance |w|^2 I; fresh G_t make the steps conditionally so.",
    )


def equation_15_beta() -> Evidence:
    """The published beta_t is compared with what Algorithm 5 adds when Algorithm 3 calls it; per sqrt(2 Lambda_hat)."""
    epsilon, delta, d, B, T, K, zeta = 0.5, 1e-6, 10, 10**6, 100, 4.0, 0.01
    run = algorithm_3.calibrate(epsilon, delta, n=B * T, d=d, B=B, K=K, zeta=zeta, choices=algorithm_3.AS_PRINTED)
    tail = math.sqrt(2.0 * d * math.log(2.5 / delta)) / (epsilon * B)
    printed = 8.0 * K * math.log(B * d / zeta) * tail
    meant = 48.0 * K * math.log(B * d * T / zeta) * math.sqrt(2.0 * d * math.log(5.0 / delta)) / (epsilon * B)
    return Evidence(
        verdict(
            printed=math.isclose(run.mean.std, printed, rel_tol=0.01), corrected=math.isclose(run.mean.std, meant, rel_tol=1e-9)
        ),
        "epsilon/2, delta/2 and B/2 make 12 K log^a(.) into 48, log(2.5/delta) into log(5/delta), and zeta/(2T) the "
        f"logarithm's zeta: {run.mean.std / printed:.2f} times the published value at d = {d}, B = 1e6, T = {T}.",
    )


def equation_57_average() -> Evidence:
    """The mean is over the second half of a batch."""
    run = algorithm_3.calibrate(0.5, 1e-3, n=20_000, d=2, B=20_000, K=1.0)
    return Evidence(
        verdict(printed=run.mean.B == run.B, corrected=run.mean.B == run.B // 2),
        f"of B = {run.B} records {run.mean.B} enter the mean, so V/B in (59) is 2V/B.",
    )


def same_rate() -> bool:
    """kappa sqrt(lambda_2/lambda_1) = sqrt(lambda_1 lambda_2)/(lambda_1 - lambda_2), squared and exact."""
    return all(
        (high / (high - low)) ** 2 * low / high == high * low / (high - low) ** 2
        for high, low in ((Fraction(3), Fraction(1)), (Fraction(7, 5), Fraction(1, 9)))
    )
