"""What several sections show of Algorithm 2: the steps of Theorems C and D of the note, with their constants."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
from flint import arb, ctx
from numpy.typing import NDArray

from dppca.proofs_notes.singhal2021.exact_case import support
from dppca.reference.noise import Noise, condition, record
from dppca.reference.rigour.gaussian import ball
from dppca.reference.singhal2021.algorithm_2_approximate import AS_PRINTED as AS_PRINTED_2
from dppca.reference.singhal2021.algorithm_2_approximate import CORRECTED as CORRECTED_2
from dppca.reference.singhal2021.algorithm_2_approximate import ApproximateCalibration, approximate_subspace_estimator
from dppca.reference.singhal2021.algorithm_2_gap_max import calibrate as calibrate_lead
from dppca.reference.singhal2021.theorem_c import GAMMA_MAX, SIGMA

Rows = NDArray[np.float64]
OUR_C_0, OUR_C_1, OUR_C_2 = (int(c) for c in (CORRECTED_2.C_0, CORRECTED_2.C_1, CORRECTED_2.C_2))
SUCCESS = Fraction(7, 10)
#: Theorem C: rows per block and k, largest gamma, sigma_k(Pi P) / sqrt(q), largest e^2 / 100.
ROWS, GAMMA, LEAST_SINGULAR, SMALL = 400, Fraction(str(GAMMA_MAX)), Fraction(str(SIGMA)), Fraction(1, 100)
#: As corrected, but with the paper's number of blocks.
FEW_BLOCKS = replace(CORRECTED_2, blocks=AS_PRINTED_2.blocks)


def block_failure(C_2: int) -> arb:
    """T1 to T3: a block's signal is small, its noise large, or it misses the centre's cell."""
    m = ROWS  # >= 400 k
    s = Fraction(1, 5)
    concentration = 2 * (-ball(s * s * m) / 2).exp()  # T1, T2 (Davidson, Szarek)
    sigma = 1 - Fraction(1, 20) - s  # of sqrt(m): sqrt(k) <= sqrt(m) / 20
    rho = (Fraction(6, 5) * GAMMA + Fraction(1, 10**4)) / sigma  # T2: ||B|| / sigma_k, gamma sqrt(d / m) < 1e-4
    cut = 1 / (ball(sigma) * (1 - ball(rho) ** 2) * C_2)  # T3
    return concentration + cut


def reference_failure(C_1: int) -> arb:
    """T4: sigma_k(Pi P) < 0.045 sqrt(q), for k = 1 by the chi-square law of C_1 degrees, above by Davidson, Szarek at k = 2."""
    half = C_1 * ball(LEAST_SINGULAR) ** 2 / 2
    chi_square = 1 - (-half).exp() * sum((half**i / math.factorial(i) for i in range(C_1 // 2)), arb(0))
    margin = arb(C_1).sqrt() * (1 - ball(LEAST_SINGULAR)) - 1
    above = (-(margin**2)).exp() if margin > 0 and C_1 % 2 == 0 else arb(1)
    return above if above > chi_square else chi_square


def histogram_failure(C_0: int, corrupted: Fraction) -> arb:
    """T5: the centre's cell, with a share 3/4 - c of the blocks, is not the one taken; the others have 1/4 + c in total."""
    centre, others = Fraction(3, 4) - corrupted, _quarter(corrupted)
    cut = centre - Fraction(1, 8) + corrupted / 2
    small = ball(SMALL)  # both terms rise with it
    first = small ** ball(C_0 * (centre - cut) / 2) / 2
    exponent = C_0 * (cut - others) / 2 - Fraction(1, 2)  # sqrt(e^2 / 100) = e / 10 pays for the 1 / e in t
    second = ball(others) / 20 * C_0 * -small.log() * small ** ball(exponent)
    return first + second


def _quarter(corrupted: Fraction) -> Fraction:
    return Fraction(1, 4) + corrupted


def failure_bound(C_0: int = OUR_C_0, C_1: int = OUR_C_1, C_2: int = OUR_C_2, corrupted: Fraction = Fraction(0)) -> arb:
    """Bound on the probability that Algorithm 2, as corrected, is further than alpha from Pi, under Theorem C."""
    return 4 * block_failure(C_2) + reference_failure(C_1) + histogram_failure(C_0, corrupted)


def corners(q: int, d: int) -> Rows:
    """Reference points that are all different, without zeros."""
    return np.array([[(-1.0) ** (i + j) * (1.0 + 0.375 * i + 0.25 * j) for j in range(d)] for i in range(q)])


#: Theorem D: radius over gamma q d sqrt(k / m), Markov's factor for the ball's centre, bound on gamma^2 d^2 k / (alpha^2 m).
_RADIUS, _FACTOR, _RATE = 40, 24, Fraction(33, 10**12)


def _separation() -> arb:
    """Bound on the probability that a good block is separated from the centre, for q d >= 8 (T3')."""
    growth, sigma = Fraction(9, 8), Fraction(3, 4)  # (N + 1) / N; sigma_k over sqrt(m), T1
    rho = (Fraction(6, 5) * GAMMA + Fraction(1, 10**4)) / sigma  # T2
    return 2 * (ball(growth) / arb.pi()).sqrt() / (ball(sigma) * (1 - ball(rho) ** 2) * _RADIUS)


def _theorem_d_failure() -> arb:
    """Bound on the probability that the algorithm of Theorem D errs by more than alpha."""
    return 4 * (2 * (-arb(8)).exp() + _separation()) + reference_failure(OUR_C_1) + arb(1) / _FACTOR


def theorem_d_error() -> arb:
    """x / alpha of T6' at the largest gamma: ||Delta|| / sigma_k(Pi P) over alpha, to be at most 1/2."""
    norm = ball(Fraction(9, 8)).sqrt() * (1 + 1 / arb(8).sqrt()) * _FACTOR  # of Delta, times sqrt(k) / r
    radius = _RADIUS * OUR_C_1 * ball(_RATE).sqrt()  # r / (alpha k)
    return norm * radius / (ball(LEAST_SINGULAR) * arb(OUR_C_1).sqrt())


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


def print_follows() -> tuple[bool, int]:
    """Return whether the paper's condition, c = _RATE / 40, is within Theorem D's where it says anything, and how often."""
    follows, cases = True, 0
    for epsilon, delta, k in product((1e-3, 0.1, 1.0, 4.0, 20.0, 150.0, 3e3), (0.5, 0.1, 1e-6, 1e-30), (1, 2, 10, 1000)):
        L = -ball(delta).log()
        log = (k * L / ball(epsilon)).log()
        if not log > 0:
            continue
        t = math.ceil(float(3 + 4 * support(ball(epsilon), ball(delta))))
        for n in (math.ceil(401 * k * (12 + 8 * float(L) / epsilon)), 10**9 * k):
            largest = log if log > k else arb(k)
            printed = ball(_RATE) / 40 * ball(epsilon) * n / (k * L * largest)  # times alpha^2 / d^2
            follows = follows and n // t >= ROWS * k and bool(printed <= ball(_RATE) * (n // t) / k)
            cases += 1
    return follows, cases


def theorem_d_holds() -> tuple[bool, str]:
    """Budget, error and separation of Theorem D, and the blocks of the code that selects by the lead."""
    failure, blocks = _theorem_d_failure(), True
    for epsilon, delta in product((1e-2, 0.5, 3.0, 50.0), (0.5, 1e-3, 1e-9)):
        c = calibrate_lead(epsilon, delta, 1e-4, n=10**6, d=3, k=1)
        A = support(ball(epsilon), ball(delta))
        lead = 2 * math.ceil(0.75 * c.t) - c.t - 1
        blocks = blocks and bool(lead > 2 * A) and bool(c.t < 4 + 4 * A + arb("1e-9")) and c.m == 10**6 // c.t
        blocks = blocks and c.t <= 12.0 + 8.0 * math.log(1.0 / delta) / epsilon
    good = blocks and bool(failure <= arb("0.27")) and bool(theorem_d_error() <= arb("0.5")) and _balls_separate()
    return good, f"Theorem D: failure probability <= {float(failure.upper()):.4f}"


def large_n(c: Fraction) -> tuple[int, arb]:
    """n with c epsilon alpha^2 n / (d^2 k L) min{1/k, 1/ln(k L / epsilon)} >= 1, at a plain choice of the rest."""
    epsilon, delta, k, d, alpha = Fraction(1), Fraction(1, 100), 1, 2, _quarter(Fraction(0))
    L = -ball(delta).log()
    log = (k * L / ball(epsilon)).log()
    largest = log if log > k else arb(k)
    n = math.ceil(float(d * d * k * L * largest / (ball(c * epsilon * alpha * alpha)))) + 1
    return n, ball(c * epsilon * alpha * alpha) * n / (d * d * k * L * largest)


def block_cells(algorithm: Any, rows: Rows, seed: int = 1) -> Rows:
    """Return the cells of one run's blocks."""
    _, tape = record(algorithm, rows, np.random.default_rng(seed))
    return condition(algorithm, rows, tape).terms[0].value


def bound_estimator(calibration: ApproximateCalibration) -> Any:
    """Return Algorithm 2 with this calibration as a function of the rows and the noise."""

    def run(X: Rows, noise: Noise) -> Rows | None:
        return approximate_subspace_estimator(X, calibration, noise)

    return run
