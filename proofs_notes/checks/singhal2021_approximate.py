"""Checks of singhal2021, sections 1.2 and 3 (and what 1.4 and 2.3 say of Algorithm 2).

The arguments behind them are in proofs_notes/singhal2021.md; T1 to T6 are the steps of its Theorem C.
"""

from __future__ import annotations

import inspect
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise, product
from typing import Any

import numpy as np
from flint import arb, ctx
from numpy.typing import NDArray

from dppca.audit.enclosure.gaussian import ball, decide, normal_cdf
from dppca.proofs.checks.noise_primitives import fixed_number_of_runs_ratio, histogram_divergences
from dppca.proofs.checks.scripted import Scripted
from dppca.proofs.checks.singhal2021 import by_readings, code_size
from dppca.proofs.evidence import Evidence, verdict
from dppca.reference.noise import LaplaceLaw, Noise, Sample, condition, lockstep, record, replay
from dppca.reference.primitives.divergence import hockey_stick
from dppca.reference.primitives.sparse_histogram import SparseHistogramLaw, stability_delta
from dppca.reference.singhal2021.algorithm_2_approximate import (
    AS_PRINTED,
    CORRECTED,
    ApproximateCalibration,
    approximate_subspace_estimator,
    calibrate,
    cell_length,
    projected_blocks,
)
from dppca.reference.singhal2021.algorithm_2_gap_max import calibrate as calibrate_lead
from dppca.reference.singhal2021.exact_linear_algebra import exact_rows, rank
from dppca.reference.singhal2021.section_3_3_unknown_dimension import approximate_subspace_estimator_unknown_dimension
from dppca.reference.singhal2021.section_3_3_unknown_dimension import calibrate as calibrate_selection
from dppca.reference.singhal2021.theorem_c import GAMMA_MAX, SIGMA, largest_gamma

Rows = NDArray[np.float64]

_CONSTANTS = (1, 10, 1000)  # stand for the constant that O(.) hides, where a claim is refuted for each of them
_C_0, _C_1, _C_2 = (int(c.value) for c in (CORRECTED.C_0, CORRECTED.C_1, CORRECTED.C_2))
_SUCCESS = Fraction(7, 10)
#: Theorem C: rows per block and k, largest gamma, sigma_k(Pi P) / sqrt(q), largest e^2 / 100.
_ROWS, _GAMMA, _SIGMA, _SMALL = 400, Fraction(str(GAMMA_MAX)), Fraction(str(SIGMA)), Fraction(1, 100)
#: As corrected, but with print's number of blocks.
_FEW_BLOCKS = replace(CORRECTED, blocks=AS_PRINTED.blocks)


# --- Theorem C ------------------------------------------------------------------------------------------


def _block_failure(C_2: int) -> arb:
    """T1 to T3: a block's signal is small, its noise large, or it misses the centre's cell."""
    m = _ROWS  # >= 400 k
    s = Fraction(1, 5)
    concentration = 2 * (-ball(s * s * m) / 2).exp()  # T1, T2 (Davidson, Szarek)
    sigma = 1 - Fraction(1, 20) - s  # of sqrt(m): sqrt(k) <= sqrt(m) / 20
    rho = (Fraction(6, 5) * _GAMMA + Fraction(1, 10**4)) / sigma  # T2: ||B|| / sigma_k, gamma sqrt(d / m) < 1e-4
    cut = 1 / (ball(sigma) * (1 - ball(rho) ** 2) * C_2)  # T3
    return concentration + cut


def _reference_failure(C_1: int) -> arb:
    """T4: sigma_k(Pi P) < 0.045 sqrt(q), for k = 1 by the chi-square law of C_1 degrees, above by Davidson, Szarek at k = 2."""
    half = C_1 * ball(_SIGMA) ** 2 / 2
    chi_square = 1 - (-half).exp() * sum((half**i / math.factorial(i) for i in range(C_1 // 2)), arb(0))
    margin = arb(C_1).sqrt() * (1 - ball(_SIGMA)) - 1
    above = (-(margin**2)).exp() if margin > 0 and C_1 % 2 == 0 else arb(1)
    return above if above > chi_square else chi_square


def _histogram_failure(C_0: int, corrupted: Fraction) -> arb:
    """T5: the centre's cell, with a share 3/4 - c of the blocks, is not the one taken; the others have 1/4 + c in total."""
    centre, others = Fraction(3, 4) - corrupted, _quarter(corrupted)
    cut = centre - Fraction(1, 8) + corrupted / 2
    small = ball(_SMALL)  # both terms rise with it
    first = small ** ball(C_0 * (centre - cut) / 2) / 2
    exponent = C_0 * (cut - others) / 2 - Fraction(1, 2)  # sqrt(e^2 / 100) = e / 10 pays for the 1 / e in t
    second = ball(others) / 20 * C_0 * -small.log() * small ** ball(exponent)
    return first + second


def _quarter(corrupted: Fraction) -> Fraction:
    return Fraction(1, 4) + corrupted


def _failure(C_0: int = _C_0, C_1: int = _C_1, C_2: int = _C_2, corrupted: Fraction = Fraction(0)) -> arb:
    """Bound on the probability that Algorithm 2, as corrected, is further than alpha from Pi, under Theorem C."""
    return 4 * _block_failure(C_2) + _reference_failure(C_1) + _histogram_failure(C_0, corrupted)


def _blocks(epsilon: float, delta: float) -> int:
    """t of Theorem C."""
    e = min(epsilon, 1.0)
    return math.ceil(_C_0 * max(math.log(1.0 / delta) / epsilon, math.log(100.0 / (e * e)) / e))


def _theorem_c_holds() -> tuple[bool, str]:
    """Budget, cell, error and privacy of Theorem C, with the numbers that `calibrate` gives."""
    failure = _failure()
    fits = bool(failure <= 1 - ball(_SUCCESS))
    budgets = ((1.0, 1e-6), (0.1, 0.5), (0.1, 0.999), (9.0, 0.01), (1000.0, 0.9))
    for (epsilon, delta), d, k, alpha in product(budgets, (8, 100), (1, 3), (0.5, 0.01)):
        t = _blocks(epsilon, delta)
        m = _ROWS * k
        gamma = largest_gamma(alpha, d=d, k=k, m=m)
        stated = 2.4e-9 * alpha * alpha * (m - k - 1) / (d * k) ** 3
        fits = fits and gamma <= float(_GAMMA) and gamma**2 >= min(float(_GAMMA) ** 2, stated)
        c = calibrate(epsilon, delta, gamma, n=m * t, d=d, k=k)
        fits = fits and c.t == t and c.m == m and c.threshold == 0.5 * t
        fits = fits and math.isclose(c.cell, _C_2 * gamma * c.q * d * math.sqrt(2.0 * k / (m - k - 1)), rel_tol=1e-12)
        x = math.sqrt(d) * c.cell / float(_SIGMA)  # T6: ||E|| / sigma_k(Pi P)
        fits = fits and x / (1.0 - x) <= alpha and stability_delta(epsilon, c.threshold) <= delta
    return fits and _fullest_cell_is_taken(), f"Theorem C: failure probability <= {float(failure.upper()):.4f}"


def _corners(q: int, d: int) -> Rows:
    """Reference points that are all different, without zeros."""
    return np.array([[(-1.0) ** (i + j) * (1.0 + 0.375 * i + 0.25 * j) for j in range(d)] for i in range(q)])


def _fullest_cell_is_taken() -> bool:
    """Two cells pass the threshold on chosen noises; the output is near the line of the one with the larger noisy count."""
    c = calibrate(4.0, 0.01, 1e-6, n=120, d=2, k=1)
    first = np.arange(c.t) < c.t // 2  # these blocks are on the first axis, the others on the second
    rows = np.repeat(np.where(first[:, np.newaxis], [3.0, 0.0], [0.0, 4.0]), c.m, axis=0)
    rows = np.vstack([rows, np.zeros((c.n - len(rows), 2))])
    right = True
    for taken in (0, 1):
        noise = np.where(first == (taken == 0), 90.0, 40.0)
        draws = {"histogram": noise / c.scale, "reference points": _corners(c.q, 2), "offset": 0.125}
        output = approximate_subspace_estimator(rows, c, Scripted(draws))
        right = right and output is not None and output[taken, taken] > 0.99
    return right


#: Theorem D: radius over gamma q d sqrt(k / m), Markov's factor for the ball's centre, bound on gamma^2 d^2 k / (alpha^2 m).
_RADIUS, _FACTOR, _RATE = 40, 24, Fraction(33, 10**12)


def _separation() -> arb:
    """Bound on the probability that a good block is separated from the centre, for q d >= 8 (T3')."""
    growth, sigma = Fraction(9, 8), Fraction(3, 4)  # (N + 1) / N; sigma_k over sqrt(m), T1
    rho = (Fraction(6, 5) * _GAMMA + Fraction(1, 10**4)) / sigma  # T2
    return 2 * (ball(growth) / arb.pi()).sqrt() / (ball(sigma) * (1 - ball(rho) ** 2) * _RADIUS)


def _theorem_d_failure() -> arb:
    """Bound on the probability that the algorithm of Theorem D errs by more than alpha."""
    return 4 * (2 * (-arb(8)).exp() + _separation()) + _reference_failure(_C_1) + arb(1) / _FACTOR


def _theorem_d_error() -> arb:
    """x / alpha of T6' at the largest gamma: ||Delta|| / sigma_k(Pi P) over alpha, to be at most 1/2."""
    norm = ball(Fraction(9, 8)).sqrt() * (1 + 1 / arb(8).sqrt()) * _FACTOR  # of Delta, times sqrt(k) / r
    radius = _RADIUS * _C_1 * ball(_RATE).sqrt()  # r / (alpha k)
    return norm * radius / (ball(_SIGMA) * arb(_C_1).sqrt())


def _slab(N: int) -> arb:
    """V_(N-1) / V_N times sqrt(2 pi / (N + 1)), volumes of unit balls; at most 1 by the note."""
    with ctx.workprec(128):
        half = arb(N) / 2
        ratio = ((half + 1).lgamma() - (half + arb(1) / 2).lgamma()).exp() / arb.pi().sqrt()
        return ratio * (2 * arb.pi() / (N + 1)).sqrt()


def _lens(distance: arb) -> arb:
    """Shared fraction of the area of two unit discs."""
    half = distance / 2
    return (2 * half.acos() - distance * (1 - half * half).sqrt()) / arb.pi()


def _balls_separate() -> bool:
    """sqrt(2 (N + 1) / pi) |v| / r bounds (2 - 2 I) / (2 - I): intervals and discs directly, else by the share of a slab."""
    good = all(bool(_slab(N) <= 1) for N in (*range(1, 200), 10**4, 10**8))
    for j in range(1, 40):
        v = Fraction(j, 20)
        shared = 1 - v / 2  # of intervals of length 2
        good = good and 2 * v / (2 + v) == (2 - 2 * shared) / (2 - shared)  # cut lengths over the length of the union
        for N, share in ((1, ball(shared)), (2, _lens(ball(v)))):
            good = good and bool((2 - 2 * share) / (2 - share) <= (2 * arb(N + 1) / arb.pi()).sqrt() * ball(v))
    return good


def _support(epsilon: float, delta: float) -> arb:
    """A = (2 / epsilon) ln(1 + (e^epsilon - 1) / (2 delta))."""
    e = ball(epsilon)
    return 2 / e * (1 + e.expm1() / (2 * ball(delta))).log()


def _print_follows() -> tuple[bool, int]:
    """Whether print's condition with c = _RATE / 40 is within Theorem D's wherever it says anything: (all, cases)."""
    follows, cases = True, 0
    for epsilon, delta, k in product((1e-3, 0.1, 1.0, 4.0, 20.0, 150.0, 3e3), (0.5, 0.1, 1e-6, 1e-30), (1, 2, 10, 1000)):
        L = -ball(delta).log()
        log = (k * L / ball(epsilon)).log()
        if not log > 0:
            continue
        t = math.ceil(float(3 + 4 * _support(epsilon, delta)))
        for n in (math.ceil(401 * k * (12 + 8 * float(L) / epsilon)), 10**9 * k):
            largest = log if log > k else arb(k)
            printed = ball(_RATE) / 40 * ball(epsilon) * n / (k * L * largest)  # times alpha^2 / d^2
            follows = follows and n // t >= _ROWS * k and bool(printed <= ball(_RATE) * (n // t) / k)
            cases += 1
    return follows, cases


def _theorem_d_holds() -> tuple[bool, str]:
    """Budget, error and separation of Theorem D, and the blocks of the code that selects by the lead."""
    failure, blocks = _theorem_d_failure(), True
    for epsilon, delta in product((1e-2, 0.5, 3.0, 50.0), (0.5, 1e-3, 1e-9)):
        c = calibrate_lead(epsilon, delta, 1e-4, n=10**6, d=3, k=1)
        A = _support(epsilon, delta)
        lead = 2 * math.ceil(0.75 * c.t) - c.t - 1
        blocks = blocks and bool(lead > 2 * A) and bool(c.t < 4 + 4 * A + arb("1e-9")) and c.m == 10**6 // c.t
        blocks = blocks and c.t <= 12.0 + 8.0 * math.log(1.0 / delta) / epsilon
    good = blocks and bool(failure <= arb("0.27")) and bool(_theorem_d_error() <= arb("0.5")) and _balls_separate()
    return good, f"Theorem D: failure probability <= {float(failure.upper()):.4f}"


# --- Theorems 1.2 and 3.3 -------------------------------------------------------------------------------


def _large_n(c: Fraction) -> tuple[int, arb]:
    """n with c epsilon alpha^2 n / (d^2 k L) min{1/k, 1/ln(k L / epsilon)} >= 1, at a plain choice of the rest."""
    epsilon, delta, k, d, alpha = Fraction(1), Fraction(1, 100), 1, 2, _quarter(Fraction(0))
    L = -ball(delta).log()
    log = (k * L / ball(epsilon)).log()
    largest = log if log > k else arb(k)
    n = math.ceil(float(d * d * k * L * largest / (ball(c * epsilon * alpha * alpha)))) + 1
    return n, ball(c * epsilon * alpha * alpha) * n / (d * d * k * L * largest)


def theorem_1_2() -> Evidence:
    """gamma = 1 is admitted once n is large: both axes are right answers for Sigma = I_2, and for Sigma = 0 at every gamma."""
    admitted = all(_large_n(Fraction(1, C))[1] >= 1 for C in _CONSTANTS)
    distance, alpha = 1, Fraction(1, 4)  # ||diag(1, 0) - diag(0, 1)||
    disjoint = distance > 2 * alpha
    fits, figures = _theorem_d_holds()
    follows, _ = _print_follows()
    # Sigma = 0 meets lambda_2 <= gamma^2 lambda_1 at every gamma, its rows are 0, and every line is a top eigenspace: the
    # output on such rows, whatever it is, is within alpha of one axis at most
    output, _ = record(_bound(calibrate(4.0, 0.01, 1e-4, n=120, d=2, k=1)), np.zeros((120, 2)), np.random.default_rng(2))
    near = [output is not None and np.linalg.norm(output - np.outer(axis, axis), 2) <= float(alpha) for axis in np.eye(2)]
    no_rank = sum(near) <= 1
    return Evidence(
        verdict(printed=not (admitted and disjoint and 2 * _SUCCESS > 1), corrected=fits and follows and no_rank),
        "interval",
        "d = 2, k = 1, Sigma = I, alpha = 1/4: admitted for every hidden constant, and two disjoint events of probability "
        f"0.7; so with Sigma = 0 for every gamma. {figures}.",
    )


def theorem_3_3() -> Evidence:
    """gamma < 1 but close to 1: two covariances that n rows cannot tell apart."""
    admitted, indistinguishable = True, True
    for C in _CONSTANTS:
        n, right_side = _large_n(Fraction(1, C))
        gamma = 1 - Fraction(1, 100 * n)
        divergence = n * (1 / gamma - gamma) ** 2 / 2  # KL of N(0, diag(1, g^2))^n from N(0, diag(g^2, 1))^n
        admitted = admitted and bool(right_side >= ball(gamma**2)) and gamma < 1
        # TV >= 0.7 - (1 - 0.7) is needed, TV^2 <= KL / 2 is there
        indistinguishable = indistinguishable and divergence / 2 < (2 * _SUCCESS - 1) ** 2
    fits, figures = _theorem_c_holds()
    rate, more = _theorem_d_holds()
    figures = f"{figures}. {more}"
    return Evidence(
        verdict(printed=not (admitted and indistinguishable), corrected=fits and rate),
        "interval",
        "d = 2, k = 1, alpha = 1/4, gamma = 1 - 1/(100 n): total variation < 0.4 between two covariances with disjoint "
        f"answers. {figures}.",
    )


def theorem_3_3_rate() -> Evidence:
    """Theorem D with its constants, and that print's condition is within its own."""
    fits, figures = _theorem_d_holds()
    follows, cases = _print_follows()
    return Evidence(
        verdict(printed=fits and follows),
        "interval",
        f"{figures}, at x <= {float(_theorem_d_error()):.4f} alpha; its bound on gamma^2 is at least print's at {cases} "
        "(epsilon, delta, k, n).",
    )


def theorem_3_3_consistency() -> Evidence:
    """The condition on gamma and sqrt(d) l <= O(alpha), l as printed: the ratio of the two bounds on gamma^2."""
    lowest, highest, printed = arb(10), arb(0), True
    for k, y in product((1, 2, 5, 30, 1000), (1, 2, 5, 20, 200)):  # y = ln(k L / epsilon)
        x = y + arb(_C_0).log()  # ln(k t)
        ratio = max(k, y) / (arb(k).sqrt() + x.sqrt()) ** 2
        lowest, highest = (ratio if ratio < lowest else lowest), (ratio if ratio > highest else highest)
    for k, d, t, m, gamma in ((1, 5, 20, 30, 0.1), (3, 40, 7, 900, 1e-3)):
        length = _C_2 * ball(gamma) * arb(d * k).sqrt() * (arb(k).sqrt() + arb(k * t).log().sqrt()) / arb(m).sqrt()
        code = cell_length(gamma, d=d, k=k, t=t, m=m, q=8 * k, choices=AS_PRINTED)
        printed = printed and bool(abs(ball(code) / length - 1) < arb("1e-12"))
    # max <= (sqrt k + sqrt x)^2 <= 4 max(k, x) and x <= (1 + ln C_0) y
    bounded = lowest >= 1 / (4 * (1 + arb(_C_0).log())) and highest <= 1
    return Evidence(
        verdict(printed=bool(bounded) and printed),
        "interval",
        f"for k L / epsilon >= e the two bounds differ by a factor in [{float(lowest):.3f}, {float(highest):.3f}] (and "
        "constants), which stays within [1 / (4 (1 + ln C_0)), 1].",
    )


def sample_complexity() -> Evidence:
    """The theorem's second summand over its first, ln(L / epsilon) / k; and the rows that Theorem C asks for."""
    unbounded = all(bool(arb(10**C).log() > C) for C in _CONSTANTS)  # k = 1, L / epsilon = 10^C
    fits, figures = _theorem_d_holds()
    return Evidence(
        verdict(printed=not unbounded, corrected=fits),
        "interval",
        f"at k = 1 and ln(1/delta) / epsilon = 1e4 the theorem's second term is {math.log(1e4):.1f} times its first. "
        f"401 k (12 + 8 L / epsilon) rows are enough. {figures}.",
    )


def gap_necessary() -> Evidence:
    """Fano's inequality over a code of directions: at a fixed gamma no n serves all d."""
    n, gamma_square = 20, Fraction(1, 10)
    information = n * (1 / gamma_square + gamma_square - 2) / 2  # KL between any two of the n-row laws is at most this
    impossible = []
    for d in (200, 1200, 2400):
        entropy = arb(code_size(d)).log()
        impossible.append((d, bool(ball(_SUCCESS) * entropy - arb(2).log() > ball(information))))
    separated = decide(lambda: arb(4) / 5, lambda: arb(3).sqrt() / 2)
    per_dimension = arb(code_size(2400)).log() / 2400
    return Evidence(
        verdict(printed=impossible[-1][1] and impossible[-2][1] and separated and bool(per_dimension > arb("0.12"))),
        "interval",
        f"gamma^2 = 0.1, n = 20, alpha = 0.4: impossible from d = 1200 on (code of e^({float(per_dimension):.3f} d) "
        "directions), so gamma^2 = O(n / d) is needed; the theorems ask for 1 / d^2 and less.",
    )


# --- section 1.2: corruption, concentration; section 1.4 ------------------------------------------------


def _cells(algorithm: Any, rows: Rows, seed: int = 1) -> Rows:
    """The cells of one run's blocks."""
    _, tape = record(algorithm, rows, np.random.default_rng(seed))
    return condition(algorithm, rows, tape).terms[0].value


def _bound(calibration: ApproximateCalibration) -> Any:
    def run(X: Rows, noise: Noise) -> Rows | None:
        return approximate_subspace_estimator(X, calibration, noise)

    return run


def corruption() -> Evidence:
    """More than half of the blocks, one row each: a number that does not grow with n."""
    shares = []
    captured, bad = True, 0
    for n in (400, 4000, 40000):
        c = calibrate(4.0, 0.01, 1e-3, n=n, d=2, k=1)
        rows = np.tile([1.0, 0.0], (n, 1))
        bad = c.t // 2 + 1
        rows[[j * c.m for j in range(bad)]] = [0.0, 4.0 * n]  # 16 n^2 > m - 1: the block's top eigenvector is e_2
        counts = Counter(map(tuple, _cells(_bound(c), rows).tolist()))
        captured = captured and max(counts.values()) == bad
        shares.append(Fraction(bad, n))  # of n / k
    vanishing = all(b * 9 < a for a, b in pairwise(shares))
    tolerated = _failure(corrupted=Fraction(1, 32))
    return Evidence(
        verdict(printed=not (captured and vanishing), corrected=bool(tolerated <= 1 - ball(_SUCCESS))),
        "interval",
        f"at (4, 0.01), k = 1, {bad} rows of n = 400, 4000 or 40000 move the largest cell to e_2; t / 32 arbitrary rows raise "
        f"the failure bound of Theorem C to {float(tolerated.upper()):.4f}.",
    )


def concentration() -> Evidence:
    """With m = c k rows the empirical covariance is off by a constant, E ||.||^2 >= (k + 1) / m; the subspace is not."""
    stays, identity = True, True
    for c, k in product((2, 8, 100), (1, 5, 50)):
        m = c * k
        fourth, second = 3, 1  # moments of a standard normal variable
        square = (Fraction(k * (k - 1)) * second**2 + Fraction(k) * (fourth - 1)) / m  # E ||S S^T / m - I||_F^2
        identity = identity and square == Fraction(k * (k + 1), m)
        stays = stays and square / k >= Fraction(1, c)  # the operator norm's square is at least this
    block = exact_rows("block", [(2, 0, 0), (0, 1, 0), (2, 1, 0)])  # covariance (8, 4; 2, ..): far from a multiple of I
    same_span = rank([*block, (1, 0, 0), (0, 1, 0)], 3) == rank(block, 3) == 2
    return Evidence(
        verdict(printed=not stays, corrected=identity and same_span and _orthogonal_bound()[0]),
        "exact",
        "for m = c k rows E ||S S^T / m - I||^2 >= 1 / c for all k; a block without noise spans the subspace exactly, "
        "however far its covariance is.",
    )


def block_size() -> Evidence:
    """t does not depend on n, so blocks grow with n."""
    sizes = {n: calibrate(1.0, 1e-2, 1e-3, n=n, d=3, k=1) for n in (10**3, 10**5, 10**7)}
    fixed_rows = len({c.m for c in sizes.values()}) == 1
    fixed_blocks = len({c.t for c in sizes.values()}) == 1
    shown = ", ".join(f"n = {n}: t = {c.t}, m = {c.m}" for n, c in sizes.items())
    return Evidence(verdict(printed=fixed_rows, corrected=fixed_blocks), "interval", f"at (1, 0.01), k = 1: {shown}.")


def projected_references() -> Evidence:
    """Pi_j - Pi has rank 2k: q chi-square tails at 2 k x, for x = 12.5, so ||(Pi_j - Pi) p_i|| <= 5 sqrt(k) ||Pi_j - Pi||."""
    x = Fraction(25, 2)
    worst_k = arb(0)
    for k in range(1, 60):
        half = ball(k * x)
        tail = (-half).exp() * sum((half**i / math.factorial(i) for i in range(k)), arb(0))  # P(chi^2_(2k) > 2 k x)
        worst_k = max(worst_k, _C_1 * k * tail, key=lambda b: float(b.mid()))
    # for all k by Chernoff: C_1 k (x e^(1 - x))^k, which falls with k
    base = ball(x) * (1 - ball(x)).exp()
    chernoff = _C_1 * base
    falls = bool(2 * base < 1)
    return Evidence(
        verdict(printed=bool(worst_k < arb("0.01")) and bool(4 * chernoff < arb("0.01")) and falls),
        "interval",
        f"a block fails for some of q = {_C_1} k references with probability <= {float(chernoff):.1e}, a quarter of the "
        f"blocks with <= {float(4 * chernoff):.1e}, for every k. References that depend on the data allow only sqrt(d).",
    )


def histogram_size() -> Evidence:
    """One block is admitted at large epsilon, and no private histogram shows its cell; what is enough."""
    admitted, hidden = True, True
    delta, N = Fraction(1, 10), 10**6
    for C in _CONSTANTS:
        admitted = admitted and bool(-C * ball(delta).log() / (3 * C) < 1)  # epsilon = 3 C
        ratio = Fraction(3) ** (3 * C)  # above e^epsilon
        # N places for one item: some place has probability <= 1/N when the item is elsewhere
        hidden = hidden and (delta + ratio / (N * ratio)) < _SUCCESS
    few = calibrate(20.0, 0.1, 1e-3, n=100, d=2, k=1, choices=_FEW_BLOCKS)
    shown = stability_delta(20.0, few.threshold)
    enough, _ = _theorem_d_holds()
    return Evidence(
        verdict(printed=not (admitted and hidden), corrected=enough),
        "interval",
        "t = 1 is admitted for every hidden constant at epsilon = 3C, delta = 0.1, and then the cell is shown with at most "
        f"delta (e.g. {shown:.3f} at epsilon = 20); with ceil(3 + 4A) <= 12 + 8 L / epsilon blocks the lead of a cell of "
        "3t/4 blocks exceeds 2A at 12 (epsilon, delta).",
    )


def concentrated_dp_histogram() -> Evidence:
    """rho t^2 >= I >= 0.7 ln M - ln 2 for one of M cells that t items share: the least t grows with M."""
    least = []
    for cells in (10**3, 10**30, 10**300):
        information = ball(_SUCCESS) * arb(cells).log() - arb(2).log()
        least.append(information.sqrt())  # times 1 / sqrt(rho)
    grows = all(bool(b > 3 * a) for a, b in pairwise(least))
    return Evidence(
        verdict(printed=grows),
        "interval",
        f"t >= c / sqrt(rho) with c = {', '.join(f'{float(c):.2f}' for c in least)} for 1e3, 1e30, 1e300 cells.",
    )


def _orthogonal_bound() -> tuple[bool, int, int]:
    """d = 2, k = 1, rows (a_s, b_s): sin^2 of the top direction <= |b|^2 / |a|^2 in integers: (all, cases, strict witness)."""
    holds, cases, violations_general = True, 0, 0
    for a, b in product(product(range(-2, 3), repeat=3), repeat=2):
        p, r, s = (sum(x * y for x, y in zip(u, v, strict=True)) for u, v in ((a, a), (a, b), (b, b)))
        if s >= p:
            continue
        # sin^2 = (1 - (p - s) / D) / 2 with D^2 = (p - s)^2 + 4 r^2
        left = 1 - Fraction(2 * s, p)
        holds = holds and (left <= 0 or left**2 * ((p - s) ** 2 + 4 * r * r) <= (p - s) ** 2)
        cases += 1
    h = Fraction(1, 100)  # diag(1, 0) + B = diag(1/2 - h, 1/2 + h): the top direction is e_2, sin = 1
    norm = max(abs(Fraction(1, 2) - h - 1), Fraction(1, 2) + h)
    violations_general += norm < 1  # sigma_k = 1
    violations_general += norm / (1 - norm) < 1
    return holds, cases, violations_general


def davis_kahan() -> Evidence:
    """||B|| / sigma_k(A) bounds the angle if A and B have orthogonal ranges; in general it does not."""
    orthogonal, cases, violations = _orthogonal_bound()
    return Evidence(
        by_readings({"||B|| / sigma_k, ranges orthogonal": orthogonal, "||B|| / sigma_k, any B": violations == 0}),
        "exact",
        f"orthogonal ranges: true in {cases} integer cases and proved in the note; any B: diag(1, 0) + B = diag(0.49, 0.51) "
        "turns by 90 degrees at ||B|| / sigma_k = 0.51, where ||B|| / (sigma_k - ||B||) = 1.04 is no contradiction.",
    )


# --- section 2.3: running Algorithm 2 instead -----------------------------------------------------------


def approximate_instead() -> Evidence:
    """Exact data: gamma = 0 has no cell; gamma > 0 gives another subspace; one outlier a block is too much."""
    zero_cell = cell_length(0.0, d=3, k=1, t=10, m=6, q=8, choices=AS_PRINTED)
    try:
        calibrate(4.0, 0.01, 0.0, n=120, d=2, k=1)
        refused = False
    except ValueError:
        refused = True
    c = calibrate(4.0, 0.01, 1e-4, n=120, d=2, k=1)
    output = approximate_subspace_estimator(np.tile([3.0, 4.0], (120, 1)), c, Sample(np.random.default_rng(5)))
    error = math.nan if output is None else float(np.linalg.norm(output - np.outer([0.6, 0.8], [0.6, 0.8]), 2))
    outliers, n = c.t // 2 + 1, c.n  # Algorithm 1 admits ell < n / 3
    return Evidence(
        verdict(printed=zero_cell > 0 and error == 0.0 and outliers >= n / 3, corrected=refused and 0 < error < 0.1),
        "interval",
        f"gamma = 0 gives cells of length {zero_cell:g}; with gamma = 1e-4 a line is found up to {error:.1e}; {outliers} "
        f"outliers in n = {n} rows, one a block, are a majority of blocks, while ell < n / 3 = {n // 3} is open to Algorithm "
        "1.",
    )


# --- section 3: statement and constants -----------------------------------------------------------------


def approximate_efficient() -> Evidence:
    """What one run of the code draws: t noises for the histogram, one for each occupied cell at least, and 2 q d + 1 more."""
    within, counts = True, []
    for d, gamma in ((2, 0.5), (2, 1e-6), (30, 1e-6)):
        c = calibrate(4.0, 0.01, gamma, n=120, d=d, k=1)
        rows = np.random.default_rng(7).standard_normal((c.n, d))
        occupied = len({tuple(cell) for cell in _cells(_bound(c), rows).tolist()})
        _, tape = record(_bound(c), rows, np.random.default_rng(1))
        noises = {entry.name: entry.draw.size for entry in tape.entries}
        counts.append(occupied)
        within = within and noises.pop("histogram") == c.t >= occupied
        within = within and noises.pop("point in cell", c.q * d) == c.q * d
        within = within and noises == {"reference points": c.q * d, "offset": 1}
    return Evidence(
        verdict(printed=within and max(counts) > 1),
        "interval",
        f"in three runs of {c.t} blocks, with {counts} occupied cells, the histogram draws {c.t} noises, and the run at most "
        "2 q d + 1 numbers besides.",
    )


def remark_3_2_scaling() -> Evidence:
    """The same tape on X and on multiples of X: the same projector, bit for bit."""
    rng = np.random.default_rng(2)
    rows = np.outer(rng.standard_normal(120), [0.6, 0.8]) + 1e-5 * rng.standard_normal((120, 2))
    algorithm = _bound(calibrate(4.0, 0.01, 1e-4, n=120, d=2, k=1))
    output, tape = record(algorithm, rows, rng)
    same = [
        output is not None and np.array_equal(replay(algorithm, scale * rows, tape), output) for scale in (2.0**9, 2.0**-540)
    ]
    return Evidence(
        verdict(printed=all(same)),
        "interval",
        "X, 2^9 X and 2^-540 X give the same output, bit for bit; projectors and l do not see a scale.",
    )


def remark_3_2_parameters() -> Evidence:
    """What Algorithm 2 needs to know: k and an upper bound on gamma, which l is proportional to."""
    needed = {name for name in inspect.signature(calibrate).parameters if name in {"gamma", "k"}}
    lengths = [cell_length(g, d=4, k=2, t=10, m=20, q=16, choices=CORRECTED) for g in (0.01, 0.02)]
    proportional = math.isclose(lengths[1], 2.0 * lengths[0], rel_tol=1e-15)
    return Evidence(
        verdict(printed="k" not in needed, corrected=needed == {"gamma", "k"} and proportional),
        "interval",
        "print lists gamma twice and k not at all; k fixes Pi_j, and an upper bound in place of gamma scales l, and so the "
        "error.",
    )


def prose() -> Evidence:
    """What section 3 says of Algorithm 2 in words, against its lines 5, 11-15 and 23."""
    block = exact_rows("block", [(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 1)])
    spans_more = rank(block, 3) > 1  # a block of 4 rows for k = 1
    p, q = Fraction(1, 100), 8  # q histograms, each with a lone item's cell moved, shown with p each
    together = 1 - (1 - p) ** q
    points = exact_rows("points", [(10, 1, 2), (20, 3, 1), (30, -1, 1), (40, 2, 2)])
    more_than_k = rank(points, 3) > 1
    c = calibrate(4.0, 0.01, 1e-4, n=120, d=3, k=1)
    output, tape = record(_bound(c), np.tile([3.0, 4.0, 0.0], (120, 1)), np.random.default_rng(5))
    releases = [entry.name for entry in tape.entries if entry.role == "release"]
    as_lines = releases == ["histogram"] and output is not None and round(float(np.trace(output))) == 1
    return Evidence(
        verdict(printed=not (spans_more and together > p and more_than_k), corrected=as_lines),
        "interval",
        f"a block of 4 rows spans 3 dimensions, not k = 1; {q} histograms that move together have delta {float(together):.3f} "
        f"for {float(p)} each; the points of a cell span more than k dimensions.",
    )


def all_blocks() -> Evidence:
    """The blocks that share the centre's cells: half of them with probability <= 0.3 by print's length, 3/4 as corrected."""
    fails = _pair_bound(1, 1, 111, 10**12, Fraction(1, 50)) <= 1 - ball(_SUCCESS)  # one reference: C_1 = k = 1
    lost = 4 * _block_failure(_C_2)  # Markov: more than t / 4 blocks bad or separated
    lengths = True
    for d, k in product((3, 40), (1, 3)):
        c = calibrate(1.0, 1e-4, 1e-4, n=10**6, d=d, k=k)
        lengths = lengths and math.isclose(c.cell, _C_2 * 1e-4 * c.q * d * math.sqrt(2.0 * k / (c.m - k - 1)), rel_tol=1e-12)
        lengths = lengths and c.t >= 37
    return Evidence(
        verdict(printed=not fails, corrected=bool(lost <= arb("0.14")) and lengths),
        "interval",
        "one reference, d = 1e12, gamma -> 0: a cell of print's length holds half of 111 projections with probability <= 0.3; "
        f"at the corrected length more than a quarter of the blocks is lost with probability <= {float(lost.upper()):.4f}.",
    )


def constants() -> Evidence:
    """Small and large values of C_0, C_1, C_2: privacy of the t/2 rule at (1, 1e-6), and the budget of Theorem C."""
    readings, shown = {}, []
    for C_0, C_1, C_2 in ((1, 2, 1), (_C_0, _C_1, _C_2)):
        t = math.ceil(C_0 * math.log(1e6))
        delta = stability_delta(1.0, 0.5 * t)
        failure = _failure(C_0, C_1, C_2)
        readings[f"{C_0}, {C_1}, {C_2}"] = delta <= 1e-6 and bool(failure <= 1 - ball(_SUCCESS))
        shown.append(f"({C_0}, {C_1}, {C_2}): delta {delta:.1e}, failure bound {min(1.0, float(failure.upper())):.3f}")
    return Evidence(
        by_readings(readings),
        "interval",
        f"print calls C_0, C_1, C_2 universal and gives no values; {'; '.join(shown)}.",
    )


def block_count() -> Evidence:
    """t = C_0 L / epsilon below 1, and rounded up to 1; and with at least the fewest blocks."""
    fraction = -_C_0 * ball(Fraction(1, 100)).log() / 100
    one = calibrate(100.0, 0.01, 1e-3, n=100, d=2, k=1, choices=_FEW_BLOCKS)
    found = stability_delta(100.0, one.threshold)
    grid = product((0.01, 0.5, 1.0, 30.0, 1000.0), (0.999, 0.1, 1e-9))
    counts = [calibrate(epsilon, delta, 1e-3, n=10**6, d=2, k=1).t for epsilon, delta in grid]
    enough = _histogram_failure(_C_0, Fraction(0))
    return Evidence(
        verdict(
            printed=not (fraction < 1 and one.t == 1 and found < 0.7),
            corrected=min(counts) == 37 and bool(enough < arb("0.06")),
        ),
        "interval",
        f"at (100, 0.01) t = {float(fraction):.2f} with C_0 = {_C_0}; rounded up, t = 1 and even unanimous blocks are found "
        f"with probability {found:.3f}. As corrected t >= {min(counts)}, and a cell of 3t/4 blocks is missed with probability "
        f"<= {float(enough.upper()):.4f} at every epsilon and delta.",
    )


def block_rows() -> Evidence:
    """m = floor(n / t) may be 0 or below k; then the top-k eigenvectors are not determined."""
    t, k = 10, 2
    sizes = {n: n // t for n in (5, 15, 40)}
    determined = {
        n: rank(exact_rows("block", [(1, 1, 0), (0, 1, 1), (1, 0, 2), (2, 1, 1)][:m]), 3) >= k if m else False
        for n, m in sizes.items()
    }
    try:
        calibrate(4.0, 0.01, 1e-3, n=25, d=3, k=2)
        refused = False
    except ValueError:
        refused = True
    return Evidence(
        by_readings({"any n": all(determined.values()), "n >= (k + 2) t": determined[40] and refused}),
        "interval",
        f"for t = 10, k = 2 blocks have {sizes} rows by n; fewer than k rows leave the eigenvectors to a rule that print does "
        "not give. Rows beyond t m are not used.",
    )


# --- Algorithm 2, lines 7 to 24 -------------------------------------------------------------------------


def _columns_by_row(n: int) -> tuple[set[tuple[int, int]], ApproximateCalibration]:
    """(row, block) where replacing the row moves the block's column of Q in the code, and the calibration for n rows."""
    c = calibrate(4.0, 0.01, 1e-3, n=n, d=3, k=1)
    rows = np.tile([1.0, 0.0, 0.0], (n, 1))
    draws = {"reference points": _corners(c.q, c.d), "offset": 0.125}
    before, _ = projected_blocks(rows, c, Scripted(draws))
    moved = set()
    for i in range(n):
        other = rows.copy()
        other[i] = [0.0, 100.0, 0.0]
        after, _ = projected_blocks(other, c, Scripted(draws))
        moved |= {(i, int(j)) for j in np.flatnonzero(np.any(before != after, axis=1))}
    return moved, c


def line_7() -> Evidence:
    """Pi_i p_i, as printed, does not depend on j: one row moves every column. With Pi_j, as the code has it, its own."""
    p, axes = [(3, 5), (7, -2)], [(1, 0)] * 4  # one row a block; the projector of a unit vector along an axis

    def columns(X: Sequence[tuple[int, int]]) -> list[list[tuple[int, ...]]]:
        return [[tuple(v * e for v, e in zip(point, X[i], strict=True)) for i, point in enumerate(p)] for _ in X]

    changed = sum(a != b for a, b in zip(columns(axes), columns([(0, 1), *axes[1:]]), strict=True))
    moved, c = _columns_by_row(112)
    own = moved == {(i, i // c.m) for i in range(c.t * c.m)}
    return Evidence(
        verdict(printed=changed <= 1, corrected=own),
        "interval",
        f"a row of the first of four blocks changes {changed} columns of Q with Pi_i; in the code each of {c.t * c.m} rows "
        "changes the column of its own block.",
    )


def _pair_bound(C_1: int, C_2: int, t: int, d: int, low: Fraction) -> arb:
    """Bound, k = 1 and gamma -> 0, on the probability that a cell of print's length holds t/2 blocks (see the note)."""
    q, n, log = C_1, arb(d), (arb(t).log()).sqrt()
    mean, seven = (2 / arb.pi()).sqrt(), ball(Fraction(7, 10))  # of |g|, g standard normal
    events = (
        (ball(low) * mean) ** q  # sum |a_i| < low
        + (1 - 2 / arb.pi()) / (mean - seven) ** 2 / n  # ||g||_1 < 0.7 d (Chebyshev)
        + 2 / ball(Fraction(21, 100)) ** 2 / n  # ||g||^2 > 1.21 d (Chebyshev)
        + 2 * normal_cdf(arb(-5))  # |g.u| > 5
        + 2 * (-arb(25) / 2).exp()  # |sum u_r sgn g_r| > 5 (Hoeffding)
        + 2 * q * normal_cdf(arb(-10))  # sum |b_i| > 10 q ||y||
        + (20 * (-arb(19)).exp()).sqrt()  # ||x||^2 > 20 m (Chernoff, m >= 1)
    )
    length = (ball(low) * (seven * n - 25) - 55 * q * n.sqrt()) / (arb(20).sqrt() * C_2 * n.sqrt() * (1 + log))
    pairs = Fraction(math.comb(t, 2), math.comb(-(-t // 2), 2))
    return ball(pairs) * (events + (-length).exp())


def _fullest_share(u: Rows) -> Fraction:
    """The fullest of print's cells, C_2 = 10, in a run of the code on rows x u + 1e-6 g: its share of 12 blocks of 40 rows."""
    rng, t, m, gamma = np.random.default_rng(11), 12, 40, 1e-6
    d, q, choices = len(u), _C_1, replace(AS_PRINTED, C_2=replace(AS_PRINTED.C_2, value=10.0))
    length = cell_length(gamma, d=d, k=1, t=t, m=m, q=q, choices=choices)
    sizes = replace(calibrate(4.0, 0.01, gamma, n=t * m, d=d, k=1, choices=choices), t=t, m=m, q=q, cell=length)
    rows = np.outer(rng.standard_normal(t * m), u) + gamma * rng.standard_normal((t * m, d))
    draws = {"reference points": rng.standard_normal((q, d)), "offset": float(rng.random())}
    cells, _ = projected_blocks(rows, sizes, Scripted(draws))
    return Fraction(max(Counter(map(tuple, cells.tolist())).values()), t)


def cell_length_as_printed() -> Evidence:
    """Print's cell: for each set of constants a dimension at which it fails; the corrected cell: step T3 of Theorem C.

    A run of the code shows that the failure is not for every Sigma: with the eigenvector on an axis print's cell does.
    """
    shown, fails = [], True
    for (C_1, C_2), low in (((1, 1), Fraction(1, 50)), ((_C_1, _C_2), Fraction(1, 2)), ((64, 1000), Fraction(1, 2))):
        exponent = next((e for e in range(4, 40) if _pair_bound(C_1, C_2, 111, 10**e, low) <= 1 - ball(_SUCCESS)), None)
        fails = fails and exponent is not None
        shown.append(f"C_1 = {C_1}, C_2 = {C_2}: d = 1e{exponent}")
    fits, figures = _theorem_c_holds()
    axis, spread = (_fullest_share(u) for u in (np.eye(400)[0], np.sin(np.arange(1.0, 401.0)) / math.sqrt(200.0)))
    return Evidence(
        verdict(printed=not fails, corrected=fits and 2 * axis >= 1 > 2 * spread),
        "interval",
        f"k = 1, gamma -> 0, t = 111: a cell holds half of the blocks with probability <= 0.3 from {'; '.join(shown)}. In "
        f"a run at d = 400, C_2 = 10 the fullest cell has a share {axis} of blocks if u is an axis, {spread} if spread out. "
        f"{figures}.",
    )


def _cut_measure(centre: Sequence[Fraction], moved: Sequence[Fraction]) -> Fraction:
    """Measure of the offsets in [0, 1) at which the two points fall into different cells, coordinates in cells."""
    pieces = []
    for x, y in zip(centre, moved, strict=True):
        low, high = min(x, y), max(x, y)
        if high - low >= 1:
            return Fraction(1)
        start = low - math.floor(low)
        end = start + (high - low)
        pieces += [(start, min(end, Fraction(1)))] + ([(Fraction(0), end - 1)] if end > 1 else [])
    total, reach = Fraction(0), Fraction(0)
    for start, end in sorted(pieces):
        total += max(Fraction(0), end - max(start, reach))
        reach = max(reach, end)
    return total


def shared_offset() -> Evidence:
    """One offset for all coordinates: offsets that cut have measure at most ||v||_1 / l, and equality in one coordinate."""
    grid = [Fraction(i, 7) for i in range(-5, 6)]
    below, exact_one, agrees, cases = True, True, True, 0
    for v in product(grid, repeat=3):
        centre = [Fraction(1, 3), Fraction(-5, 4), Fraction(12, 5)]
        moved = [c + w for c, w in zip(centre, v, strict=True)]
        measure = _cut_measure(centre, moved)
        below = below and measure <= min(Fraction(1), sum(map(abs, v)))
        exact_one = exact_one and _cut_measure(centre[:1], moved[:1]) == abs(v[0])
        cases += 1
    fine = 420  # midpoints between all boundaries of the cases
    one_block = replace(calibrate(4.0, 0.01, 1e-3, n=120, d=1, k=1), t=1, m=1, q=2, cell=1.0)

    def cell(point: Sequence[Fraction], offset: Fraction) -> list[float]:
        draws = {"reference points": np.array([[float(x)] for x in point]), "offset": float(offset)}
        cells: list[float] = projected_blocks(np.ones((1, 1)), one_block, Scripted(draws))[0][0].tolist()
        return cells

    for v in product(grid[::5], repeat=2):
        centre, moved = [Fraction(1, 3), Fraction(-5, 4)], [Fraction(1, 3) + v[0], Fraction(-5, 4) + v[1]]
        offsets = [Fraction(2 * i + 1, 2 * fine) for i in range(fine)]
        cut = sum(cell(centre, o) != cell(moved, o) for o in offsets)
        agrees = agrees and Fraction(cut, fine) == _cut_measure(centre, moved)
    return Evidence(
        verdict(printed=below and exact_one and agrees),
        "interval",
        f"cut with measure |v| / l in one coordinate and at most ||v||_1 / l in three, in {cases} cases, as the code's "
        "cells are; the bound needs no independence of coordinates.",
    )


def cells_partition() -> Evidence:
    """Each point of a dyadic grid lies in exactly one cell [(offset + c) l, (offset + c + 1) l), l > 0: the code's."""
    once = True
    grid = [Fraction(i, 8) for i in range(-30, 31)]
    sizes = replace(calibrate(4.0, 0.01, 1e-3, n=120, d=1, k=1), q=len(grid))
    for ell, offset in product((Fraction(1, 4), Fraction(4)), (Fraction(0), Fraction(3, 16), Fraction(63, 64))):
        holding = [[c for c in range(-40, 41) if (offset + c) * ell <= x < (offset + c + 1) * ell] for x in grid]
        once = once and all(len(cells) == 1 for cells in holding)
        draws = {"reference points": np.array([[float(x)] for x in grid]), "offset": float(offset)}
        # d = 1: every projector is the identity
        cells, _ = projected_blocks(np.ones((120, 1)), replace(sizes, cell=float(ell)), Scripted(draws))
        once = once and np.array_equal(cells, np.tile([float(found[0]) for found in holding], (sizes.t, 1)))
    return Evidence(
        verdict(printed=once),
        "interval",
        "one cell for each of 61 points at six (l, offset), and the code names it; coordinates are independent of each other.",
    )


def alpha_unused() -> Evidence:
    """No line of Algorithm 2 uses alpha: neither the calibration nor the run takes it."""
    names = {*inspect.signature(calibrate).parameters, *ApproximateCalibration.__dataclass_fields__}
    x = [largest_gamma(alpha, d=10, k=2, m=800) ** 2 for alpha in (0.1, 0.2)]
    return Evidence(
        verdict(printed="alpha" in names, corrected="gamma" in names and math.isclose(x[1], 4.0 * x[0])),
        "interval",
        "24 lines are transcribed without alpha; it enters through the admissible gamma only, gamma^2 of order alpha^2.",
    )


def lemma_3_4() -> Evidence:
    """Any one row, also far off: one column of Q, two counts by 1; the histogram's delta is exact; the rest post-processes."""
    rng = np.random.default_rng(3)
    c = calibrate(4.0, 0.01, 1e-3, n=120, d=3, k=1)
    rows = np.outer(rng.standard_normal(120), [1.0, 0.0, 0.0])
    changes, columns = [], []
    for index, scale in product((0, 7, 61, 110), (0.0, 1.0, 1e139)):
        other = rows.copy()
        other[index] = scale * rng.standard_normal(3)
        run = lockstep(_bound(c), rows, other, np.random.default_rng(index))
        changes.append(run.releases[0].change)
        cells = [_cells(_bound(c), X, seed=9) for X in (rows, other)]
        columns.append(int(np.sum(np.any(cells[0] != cells[1], axis=1))))
    exact = all(
        max(histogram_divergences(ratio, threshold)) == 1 / ratio ** (threshold - 1) / (1 + ratio)
        for ratio, threshold in ((Fraction(3, 2), 3), (Fraction(3), 5))
    )
    scripted = Scripted({"reference points": _corners(c.q, c.d)})
    approximate_subspace_estimator(rows, c, scripted)
    release = scripted.releases["histogram"]
    private, delta = False, math.nan
    if isinstance(release.law, SparseHistogramLaw):
        scale = ball(release.law.scale)
        # counts move by 2 in L1, so Laplace noise of this scale has the loss 2 / scale; a lone item is shown with delta
        shown = (-(ball(release.law.threshold) - 1) / scale).exp() / 2
        private = bool(2 / scale <= ball(c.epsilon) * (1 + arb("1e-15"))) and bool(shown <= ball(c.delta))
        private, delta = private and release.sensitivity == 2.0, float(shown)
    return Evidence(
        verdict(printed=set(changes) == {0.0, 2.0} and max(columns) == 1 and exact and private),
        "interval",
        f"{len(changes)} replacements change at most {max(columns)} column and the counts by {sorted(set(changes))} in L1; "
        f"the histogram that the code hands over has L1 sensitivity 2 and delta {delta:.2e} <= {c.delta}. Nothing is "
        "assumed of the rows but entries of at most 1e140: some are of size 1e139.",
    )


def lemma_3_4_blocks() -> Evidence:
    """Replacing a row changes one block of the code, or none; removing the first shifts the others."""
    moved, c = _columns_by_row(115)
    own = moved == {(i, i // c.m) for i in range(c.t * c.m)}  # rows beyond t m are in no block
    blocks = [[X[j * c.m : (j + 1) * c.m] for j in range(c.t)] for X in (range(c.n), range(1, c.n))]
    shifted = sum(a != b for a, b in zip(*blocks, strict=True))
    return Evidence(
        verdict(printed=own and c.n > c.t * c.m),
        "interval",
        f"{c.t * c.m} of {c.n} rows, replaced, change their own of {c.t} blocks in the code, and the others none; removing the "
        f"first changes {shifted}, so the lemma is about replacement only.",
    )


def threshold_rule() -> Evidence:
    """'At least t / 2 points': true counts; noisy counts at C_0 = 2 and 8; noisy counts above the stability threshold too."""
    t = 4
    winners = [{cell for cell, count in counts.items() if 2 * count >= t} for counts in ({"a": 2, "b": 1}, {"a": 1, "b": 2})]
    reveals = hockey_stick({str(winners[0]): Fraction(1)}, {str(winners[1]): Fraction(1)}, Fraction(1))
    readings, shown = {"true counts": reveals <= Fraction(1, 10**6)}, []
    for C_0 in (2.0, 8.0):
        choices = replace(AS_PRINTED, C_0=replace(AS_PRINTED.C_0, value=C_0))
        half = calibrate(1.0, 1e-6, 1e-3, n=2500, d=5, k=1, choices=choices)
        both = calibrate(1.0, 1e-6, 1e-3, n=2500, d=5, k=1, choices=replace(choices, threshold=CORRECTED.threshold))
        for name, c in (("noisy counts above t/2", half), ("and stable", both)):
            released = (-(ball(c.threshold) - 1) / 2).exp() / 2
            readings[f"{name}, C_0 = {C_0:g}"] = bool(released <= ball(1e-6) * (1 + arb("1e-9")))
            shown.append(f"{name}, C_0 = {C_0:g}: {float(released):.1e}")
    return Evidence(
        by_readings(readings),
        "interval",
        f"delta at (1, 1e-6): true counts {float(reveals):g}; {'; '.join(shown)}.",
    )


def post_processing() -> Evidence:
    """Three datasets on one transcript of the histogram: the same output, bit for bit."""
    rng = np.random.default_rng(4)
    algorithm = _bound(calibrate(4.0, 0.01, 1e-3, n=120, d=2, k=1))
    rows = np.outer(rng.standard_normal(120), [0.6, 0.8])
    output, tape = record(algorithm, rows, rng)
    outputs: list[Rows | None] = []
    for X in (rows, rng.standard_normal((120, 2)), np.zeros((120, 2))):
        condition(lambda data, noise: outputs.append(algorithm(data, noise)), X, tape)
    same = output is not None and all(other is not None and np.array_equal(other, output) for other in outputs)
    roles = [(entry.role, entry.name) for entry in tape.entries]
    public = [name for role, name in roles if role == "public"]
    # the function itself: the top direction of the point that offset, cell and uniform draw name
    c, line = calibrate(4.0, 0.01, 0.5, n=120, d=2, k=1), np.tile([3.0, 4.0], (120, 1))
    draws = {"reference points": _corners(c.q, 2), "offset": 0.375, "point in cell": np.linspace(0.0, 0.9, 2 * c.q)}
    cells, _ = projected_blocks(line, c, Scripted(draws))
    point = ((0.375 + cells[0] + draws["point in cell"]) * c.cell).reshape(c.q, 2)
    top = np.linalg.svd(point)[2][0]
    found = approximate_subspace_estimator(line, c, Scripted(draws))
    same = same and found is not None and bool(np.allclose(found, np.outer(top, top), atol=1e-9))
    return Evidence(
        verdict(printed=same and public == ["reference points", "offset", "point in cell"]),
        "interval",
        "references, offset and the point in the cell are public draws; the output is bit-identical for three datasets on one "
        "transcript, and the direction of the point that they name.",
    )


def codomain() -> Evidence:
    """Blocks in different cells and no noise: no cell passes, the output is bottom; otherwise a projector of rank k."""
    c = calibrate(4.0, 0.01, 1e-3, n=160, d=3, k=2)
    cells = np.arange(c.t * c.q * 3, dtype=float).reshape(c.t, c.q * 3)
    survivors = SparseHistogramLaw(c.scale, c.threshold).apply(cells, np.zeros(c.t))
    rng = np.random.default_rng(6)
    rows = rng.standard_normal((160, 2)) @ np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    output = approximate_subspace_estimator(rows, calibrate(4.0, 0.01, 1e-6, n=160, d=3, k=2), Sample(rng))
    found = output is not None and round(float(np.trace(output))) == 2 and np.allclose(output @ output, output, atol=1e-12)
    return Evidence(
        verdict(printed=len(survivors) > 0, corrected=len(survivors) == 0 and found),
        "interval",
        f"{c.t} blocks in different cells leave {len(survivors)} cells, so line 17 returns bottom; otherwise rank k.",
    )


def outline() -> Evidence:
    """The four steps of section 3.2, by the checks of the claims that they rest on."""
    steps = {
        "1 (covariance)": concentration(),
        "2 (perturbation)": davis_kahan(),
        "3 (aggregation)": cell_length_as_printed(),
        "4 (subspace of the aggregates)": constants(),
    }
    fits, figures = _theorem_c_holds()
    shown = ", ".join(f"{name}: {found.status}" for name, found in steps.items())
    return Evidence(
        verdict(printed=all(found.status == "holds" for found in steps.values()), corrected=fits),
        "interval",
        f"steps {shown}. {figures}.",
    )


def heavier_tails() -> Evidence:
    """The steps T1 to T4 under moments: their constants, and the cell length of the code that selects by the lead."""
    rows, small = 400, Fraction(3, 10**4)  # m >= 400 K k^2, gamma^2 d <= 3e-4
    signal = Fraction(4, rows)  # T1: Markov for ||S S^T / m - I||_F^2 > 1/4, whose mean is at most K k^2 / m
    noise = Fraction(1, 100)  # T2: Markov for ||B||_F^2 > 100 m gamma^2 d
    rho_square = 100 * small / Fraction(1, 2)  # ||B||^2 / sigma_k^2 for sigma_k^2 >= m / 2
    cut = 1 / (arb(1) / 2).sqrt() / (1 - ball(rho_square)) / _C_2  # T3
    failure = 4 * (ball(signal + noise) + cut) + _reference_failure(_C_1)
    lengths = True
    for d, k in product((3, 40), (1, 3)):
        c = calibrate_lead(1.0, 0.01, 1e-4, n=10**6, d=d, k=k)
        expected = _C_2 * 1e-4 * c.q * d * math.sqrt(2.0 * k / (c.m - k - 1))
        lengths = lengths and c.q == _C_1 * k and math.isclose(c.cell, expected, rel_tol=1e-12)
    leads, _ = _theorem_d_holds()
    return Evidence(
        verdict(printed=bool(failure <= arb("0.3")) and rho_square <= Fraction(1, 16) and lengths and leads),
        "interval",
        f"failure probability <= {float(failure.upper()):.4f}, rho^2 <= {float(rho_square):.3f}; the code's cells have the "
        "length of the proof.",
    )


# --- section 3.3 ----------------------------------------------------------------------------------------


def unknown_dimension_overhead() -> Evidence:
    """A fixed number of runs, and a random one, with the best kept: what it costs in epsilon and delta."""
    base = Fraction(3, 2)
    fixed = fixed_number_of_runs_ratio(base, 10)
    selection = calibrate_selection(3.0, 1e-6, 1e-7, 0.2, n=3000, d=12, k_max=3)
    epsilon, delta = selection.repetitions.guarantee(selection.runs[0].epsilon, selection.runs[0].delta)
    random_number = math.isclose(epsilon, 3.0) and math.isclose(delta, 1e-6)
    random_number = random_number and math.isclose(selection.repetitions.mean, 30.0)
    return Evidence(
        by_readings({"10 runs": fixed <= base**3, "a geometric number of runs": random_number}),
        "interval",
        f"10 runs: a ratio of {float(fixed):.1f} = e^(10 epsilon) for e^epsilon = 3/2; geometric with mean 10 k_max: 3 "
        "epsilon and 10 k_max delta. Print gives neither the law nor a constant, and says k where k_max is needed.",
    )


def unknown_dimension_selection() -> Evidence:
    """The code on chosen noises: the run of the highest noisy score is the output; and the budgets of one run."""
    s = calibrate_selection(6.0, 0.05, 1e-4, 0.1, n=1200, d=3, k_max=1)
    rows = np.outer(np.linspace(-1.0, 2.0, 1200), [0.6, 0.8, 0.0])
    auxiliary = np.array([[3.0, 4.0, 0.0], [6.0, 8.0, 0.0], [-3.0, -4.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])
    gamma = Fraction(1, 10)  # K is geometric with mean 10 k_max
    two = math.floor((gamma + gamma * (1 - gamma) / 2) * 2**53)  # between P(K = 1) and P(K <= 2)
    run = s.runs[0]
    public = {"reference points": _corners(run.q, 3), "offset": 0.25}
    points = [np.full(run.q * 3, u) for u in (0.1, 0.8)]
    own = [approximate_subspace_estimator(rows, run, Scripted({**public, "point in cell": point})) for point in points]
    selected, scores = [], True
    for noises in ((-5.0, 3.0), (3.0, -5.0)):
        draws: dict[str, Any] = {"K": two}
        for i, noise in enumerate(noises):
            draws |= {f"run[{i}].{name}": draw for name, draw in public.items()}
            draws |= {f"run[{i}].k": 0, f"run[{i}].score": noise, f"run[{i}].point in cell": points[i]}
        scripted = Scripted(draws)
        output = approximate_subspace_estimator_unknown_dimension(rows, auxiliary, s, scripted)
        selected.append([i for i in (0, 1) if output is not None and np.array_equal(output, own[i])])
        for i in (0, 1):
            release = scripted.releases[f"run[{i}].score"]
            scores = scores and release.value == 3.0 and release.sensitivity == 1.0 and release.law == LaplaceLaw(s.scale)
        scores = scores and "run[2].histogram" not in scripted.releases
    budgets = math.isclose(1.0 / s.scale, 2.0, rel_tol=1e-12) and s.repetitions.eta == 1.0
    budgets = budgets and math.isclose(run.epsilon, 2.0, rel_tol=1e-12) and math.isclose(run.delta, 0.005, rel_tol=1e-12)
    return Evidence(
        verdict(printed=selected == [[1], [0]] and bool(scores) and budgets),
        "interval",
        "two runs with the count 3 of 5: the one with the larger noise is the output, either way; for (6, 0.05) one run "
        "has (2, 0.005), its score Laplace noise of scale 1/2.",
    )


def unknown_dimension_score() -> Evidence:
    """The count of auxiliary points near the subspace, in exact arithmetic, for k' above and below k."""
    auxiliary = [(10, 0), (7, 0), (-3, 0), (5, 5)]  # k = 1, the line of e_1, and one point off it
    gamma_hat_square = Fraction(1, 25)

    def near(axes: tuple[int, ...], points: Sequence[tuple[int, int]]) -> int:
        return sum(sum(x[i] ** 2 for i in (0, 1) if i not in axes) <= gamma_hat_square * sum(v * v for v in x) for x in points)

    right, whole = near((0,), auxiliary), near((0, 1), auxiliary)
    stretched = [(10, 1), (20, -3), (-15, 2), (8, 1)]  # k = 2, eigenvalues far apart
    smaller, full = near((0,), stretched), near((0, 1), stretched)
    rng = np.random.default_rng(7)
    everything = approximate_subspace_estimator(
        rng.standard_normal((200, 2)), calibrate(4.0, 0.01, 1e-3, n=200, d=2, k=2), Sample(rng)
    )
    whole_space = everything is not None and np.allclose(everything, np.eye(2), atol=1e-12)
    return Evidence(
        verdict(printed=(right > whole or not whole_space) and smaller < full),
        "interval",
        f"k = 1: the line scores {right} of 4, the whole plane {whole}; k = 2 with one long axis: its line scores {smaller} "
        f"of 4, the plane {full}. The count never falls as the subspace grows, and at k' = d the whole space is found "
        "in any data.",
    )


def unknown_dimension_score_privacy() -> Evidence:
    """The count as it is, and with Laplace noise of scale 1 / epsilon."""
    counts = [sum(x[1] == 0 for x in auxiliary) for auxiliary in ([(1, 0), (2, 0)], [(1, 0), (0, 2)])]
    bare = hockey_stick({counts[0]: Fraction(1)}, {counts[1]: Fraction(1)}, Fraction(1))
    selection = calibrate_selection(3.0, 1e-6, 1e-7, 0.2, n=3000, d=12, k_max=3)
    # Laplace(s) on a count that changes by c: the log-density ratio is at most c / s
    ratio = abs(counts[0] - counts[1]) / selection.scale
    return Evidence(
        by_readings(
            {"the count": bare <= Fraction(1, 10**6), "the count with noise": ratio <= selection.runs[0].epsilon * (1 + 1e-12)}
        ),
        "interval",
        f"auxiliary sets that differ in one point have counts {counts[0]} and {counts[1]}: shown as it is, delta = {bare}; "
        f"with Laplace noise of scale 1 / epsilon_0 the loss is {ratio:.3f} = epsilon_0. Zero rows always count.",
    )
