"""What the checks of several sections of liu2022 use."""

from __future__ import annotations

import inspect
import itertools
import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache

import numpy as np
from flint import arb
from scipy.optimize import brentq
from scipy.stats import binom

from dppca.proofs_notes.ledger.rational import ONE, ZERO, unit
from dppca.proofs_notes.liu2022 import distributions
from dppca.reference.liu2022 import algorithm_3_dp_pca as algorithm_3
from dppca.reference.liu2022 import algorithm_5_mean as algorithm_5
from dppca.reference.noise import Algorithm, Lockstep, Sample
from dppca.reference.primitives.composition import optimal_delta
from dppca.reference.primitives.sparse_histogram import stability_delta
from dppca.reference.rigour.gaussian import ball, gaussian_holds

Point = tuple[Fraction, list[Fraction]]


def gaussian_points(halves: list[Fraction]) -> Iterator[Point]:
    """Independent coordinates 0, +-q with probabilities 2/3, 1/6, 1/6: the moments up to 5 of N(0, q^2/3)."""
    for signs in itertools.product((0, 1, -1), repeat=len(halves)):
        weight = ONE
        for s in signs:
            weight *= Fraction(2, 3) if s == 0 else Fraction(1, 6)
        yield weight, [s * q for s, q in zip(signs, halves, strict=True)]


def example_points(d: int, q: Fraction) -> Iterator[Point]:
    """Example 4.1 with v = e_1 and sigma^2 = q^2/3, again with the Gaussian's moments."""
    for weight, noise in gaussian_points([q] * d):
        for sign in (1, -1):
            yield weight / 2, [noise[0] + sign, *noise[1:]]


def covariance_of(points: list[Point], u: list[Fraction]) -> list[list[Fraction]]:
    """lambda_1^2 H_u: the covariance of x (x . u)."""
    d = len(u)
    values = [(p, [a * (x @ u) for a in x]) for p, x in points]
    mean = [sum((p * g[i] for p, g in values), ZERO) for i in range(d)]
    return [[sum((p * g[i] * g[j] for p, g in values), ZERO) - mean[i] * mean[j] for j in range(d)] for i in range(d)]


def second_moment_of_deviation(points: list[Point], d: int) -> list[list[Fraction]]:
    """E (A - Sigma)^2, the sum over an orthonormal basis of the covariances of A u."""
    parts = [covariance_of(points, unit(d, i)) for i in range(d)]
    return [[sum((part[i][j] for part in parts), ZERO) for j in range(d)] for i in range(d)]


BITS = 128


#: Rows in pairs with equal differences of gradients; two batches of 320.
ROWS = np.tile([[1.0, 0.1], [1.0, -0.1]], (320, 1))


GENEROUS = {"n": 640, "d": 2, "B": 320, "K": 1.0, "zeta": 0.5}


def dp_pca(choices: algorithm_3.Choices = algorithm_3.CORRECTED, **changes: float) -> Algorithm[np.ndarray]:
    """Algorithm 3 on 640 rows in two batches."""
    calibration = algorithm_3.calibrate(8.0, 0.1, **{**GENEROUS, **changes}, choices=choices)
    return lambda A, noise: algorithm_3.dp_pca(A, [0.5, 0.3][: calibration.T], calibration, noise)


def with_row_replaced(place: int) -> np.ndarray:
    """Return the rows with the one at this place replaced."""
    rows = ROWS.copy()
    rows[place] = [0.0, 0.3]
    return rows


def changed_releases(run: Lockstep) -> set[str]:
    """Return the names of the releases whose value differs at the transcript of the other dataset."""
    return {release.name for release in run.releases if release.change > 0.0}


@cache
def one_batch_or_none() -> tuple[float, float, float]:
    """P(w in a cone around e_1) for n = B and for n = B - 1 rows, d = 2, B the same; and epsilon.

    Rows (1, s), (1, -s), s = 1e-9, step size 1e12. With n = B - 1 there is no step and w is uniform. With n = B every
    difference of a pair has norm 2 s, so Algorithm 4 finds one full bin, and Lambda_hat <= 4 s^2; each coordinate of a
    gradient stays within 2 s, less than a bin's width, so one of at most two bins holds half of them; and the mean is
    (cos, s^2 sin) of the start's angle plus noise of order s. Each failure is bounded, the cone is |w_2| < 1e-4 |w_1|.
    """
    epsilon, delta, B, s = 0.89, 1e-2, 40_000, 1e-9
    calibration = algorithm_3.calibrate(epsilon, delta, n=B, d=2, B=B, K=1.0, zeta=0.5, choices=algorithm_3.AS_PRINTED)
    four, five = calibration.eigenvalue, calibration.mean
    no_eigenvalue = 0.5 * math.exp(-(four.k - four.threshold) / four.scale)
    no_bin = 2 * 0.5 * math.exp(-(five.B / 2 - five.threshold) / five.scale)
    width = five.tau * math.sqrt(2.0 * 4.0 * s * s * 2.0**-0.25)  # of a bin, at the least Lambda_hat
    if not (four.k > four.threshold and five.threshold < five.B / 2 and 4.0 * s < width):
        raise ArithmeticError("the example has to release every histogram")
    std = five.std * math.sqrt(2.0 * 4.0 * s * s)  # at the largest Lambda_hat
    # both noises stay within 8 std but for 4 Phi(-8); the start has |cos| >= 0.01 but for (2/pi) asin(0.01)
    sure = (8.0 * std + s * s + 1e-12) < 1e-4 * (0.01 - 8.0 * std - 1e-12)
    noise_out, start_out = 4.0 * 6.3e-16, 2.0 / math.pi * math.asin(0.01)
    with_step = 1.0 - no_eigenvalue - no_bin - noise_out - start_out if sure else 0.0
    without = 2.0 / math.pi * math.atan(1e-4)
    return with_step, without, epsilon


def hidden_among(n: int, epsilon: float, mu: float) -> float:
    """Return a lower bound on delta of n shuffled releases N(+-1/2, 1/mu^2): count those above a threshold.

    All other records are -1/2, the one that differs is -1/2 or 1/2; the number of releases above t is binomial, plus
    one Bernoulli variable. The hockey-stick divergence of the counts, summed from its smallest terms.
    """
    best = 0.0
    for t in np.linspace(0.0, 6.0, 25):
        low, high = (0.5 * math.erfc((t + s * mu / 2.0) / math.sqrt(2.0)) for s in (1.0, -1.0))
        others = binom.pmf(np.arange(n), n - 1, low)
        with_high = high * np.append(0.0, others) + (1.0 - high) * np.append(others, 0.0)
        with_low = low * np.append(0.0, others) + (1.0 - low) * np.append(others, 0.0)
        best = max(best, float(np.sum(np.maximum(with_high - math.exp(epsilon) * with_low, 0.0))))
    return best


def sampler(seed: int) -> Sample:
    """Return a source of draws with this seed."""
    return Sample(np.random.default_rng(seed))


@cache
def mean_estimation_private() -> bool:
    """Optimal composition of d histograms within (eps/2, delta/2), and the Gaussian release within the rest, enclosed."""
    for epsilon in (0.01, 0.3, 0.9):
        for delta in (1e-2, 1e-6):
            for d in (1, 2, 30, 1000):
                run = algorithm_5.calibrate(epsilon, delta, B=100, d=d, K=1.0, zeta=0.1)
                if optimal_delta(epsilon / 2, run.histogram, d) > delta / 2:
                    return False
                shown = stability_delta(run.histogram.epsilon, run.threshold)
                if shown > run.histogram.delta or not math.isclose(run.scale, 2.0 / run.histogram.epsilon):
                    return False
                if not gaussian_holds(epsilon / 2, delta / 2, run.std, lambda run=run: ball(run.sensitivity)):
                    return False
    return True


def parameters_used(calibrate: Callable[..., object]) -> set[str]:
    """Return what a calibration takes, but for the size of the data and the reading."""
    return set(inspect.signature(calibrate).parameters) - {"n", "d", "choices"}


#: Relative rounding of a value that the code computes in floats, against the same in fractions.
ROUNDING = 1e-12


def near(value: float, exact: Fraction | float) -> bool:
    """Return whether a float is an exact value up to rounding."""
    return math.isclose(value, float(exact), rel_tol=ROUNDING, abs_tol=ROUNDING)


def code_size(d: int) -> int:
    """A number of signs of length d - 1 that differ in a quarter of the places, pairwise: even weight, or Gilbert's bound."""
    distance = -(-(d - 1) // 4)
    if distance == 2:
        return 2 ** (d - 2)
    return -(-(2 ** (d - 1)) // sum(math.comb(d - 1, i) for i in range(distance)))


def eigenvalue_ratio(g: float, p: float) -> float:
    """lambda_1 / (lambda_1 - lambda_2) of that law, in closed form."""
    gap = math.hypot((1.0 - p) * g, math.sqrt(p))
    return (1.0 - p + ((1.0 - p) * g + math.sqrt(p) + gap) / 2.0) / gap


def directions(m: int, source: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Two unit vectors of R^m at distance 1/2 or more."""
    if m == 1:
        return np.array([1.0]), np.array([-1.0])
    first, second = np.linalg.qr(source.standard_normal((m, 2)))[0].T
    angle = source.uniform(2.0 * math.asin(0.25), math.pi)
    return first, math.cos(angle) * first + math.sin(angle) * second


def lower_bound(d: int, n: int, epsilon: float, delta: float, kappa: float) -> float:
    """Return what Lemma C.4 gives with these laws, over min(kappa sqrt((d ^ log((1 - e^-epsilon)/delta))/(epsilon n)), 1)."""
    p = min(distributions.equation_30(d, n, epsilon, delta), 0.25)
    p = min(p, kappa**-2)
    g = float(brentq(lambda x: eigenvalue_ratio(x, p) - kappa, 1e-12, 2.0))
    half = eigenvalue_ratio(g, p) * math.sqrt(p) / 46.0
    missed = distributions.lemma_c_4(2 ** (d - 1), n, p, epsilon, delta)
    level = min(d, math.log(-math.expm1(-epsilon) / delta))
    return half * missed / min(kappa * math.sqrt(level / (epsilon * n)), 1.0)


def same_rate() -> bool:
    """kappa sqrt(lambda_2/lambda_1) = sqrt(lambda_1 lambda_2)/(lambda_1 - lambda_2), squared and exact."""
    return all(
        (high / (high - low)) ** 2 * low / high == high * low / (high - low) ** 2
        for high, low in ((Fraction(3), Fraction(1)), (Fraction(7, 5), Fraction(1, 9)))
    )


def balls(count: int) -> list[arb]:
    """Balls that cover [-1, 1]."""
    return [arb(2 * i + 1 - count) / count + arb(0, 1.001 / count) for i in range(count)]


def growth_power(value: Callable[[int], float]) -> float:
    """Return the power with which a function of d grows from d = 1e6 to 1e8, logarithms included."""
    return math.log(value(10**8) / value(10**6)) / math.log(100.0)


READINGS = {"as published": algorithm_3.AS_PRINTED, "corrected": algorithm_3.CORRECTED, "lean": algorithm_3.LEAN}


def dp_pca_noise(d: int, gamma: float, n: int, epsilon: float, steps: int, reading: str) -> float:
    """Return the noise of DP-PCA's mean at the eigenvalue gamma^2 lambda_1^2, doubled where Algorithm 4 doubles it."""
    choices = READINGS[reading]
    run = algorithm_3.calibrate(epsilon, 1e-6, n=n, d=d, B=n // steps, K=4.0, choices=choices)
    return run.mean.std * math.sqrt(run.handed_on * 2.0 / choices.eigenvalue.divisor) * gamma
