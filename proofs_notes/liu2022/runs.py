"""Runs of DP-PCA on rows whose gradients are known, and its noise, for the checks of liu2022."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from fractions import Fraction
from functools import cache

import numpy as np

from dppca.reference.liu2022 import algorithm_3_dp_pca as algorithm_3
from dppca.reference.liu2022 import algorithm_5_mean as algorithm_5
from dppca.reference.noise import Algorithm, Lockstep, Sample
from dppca.reference.primitives.composition import optimal_delta
from dppca.reference.primitives.sparse_histogram import stability_delta
from dppca.reference.rigour.gaussian import ball, gaussian_holds

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


READINGS = {"as published": algorithm_3.AS_PRINTED, "corrected": algorithm_3.CORRECTED, "lean": algorithm_3.LEAN}


def dp_pca_noise(d: int, gamma: float, n: int, epsilon: float, steps: int, reading: str) -> float:
    """Return the noise of DP-PCA's mean at the eigenvalue gamma^2 lambda_1^2, doubled where Algorithm 4 doubles it."""
    choices = READINGS[reading]
    run = algorithm_3.calibrate(epsilon, 1e-6, n=n, d=d, B=n // steps, K=4.0, choices=choices)
    return run.mean.std * math.sqrt(run.handed_on * 2.0 / choices.eigenvalue.divisor) * gamma
