"""Runs of the baselines on four rows, with other rows beside them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from dppca.reference.baselines import analyze_gauss, exponential, mod_sulq, noisy_power_method, wishart
from dppca.reference.noise import Algorithm

Matrix = NDArray[np.float64]
Run = Algorithm[Matrix]

X = np.array([[1.0, 0.0, 0.0], [0.6, 0.8, 0.0], [0.0, 0.6, -0.6], [0.2, -0.3, 0.5]])
NEIGHBOUR = np.array([[0.0, 0.0, 1.0], [0.6, 0.8, 0.0], [0.0, 0.6, -0.6], [0.2, -0.3, 0.5]])


def gauss(choices: analyze_gauss.Choices = analyze_gauss.CORRECTED, k: int = 2) -> Run:
    """Return Analyze Gauss at (1, 1e-3), for the four rows."""
    calibration = analyze_gauss.calibrate(1.0, 1e-3, 3, choices)
    return lambda data, noise: analyze_gauss.analyze_gauss(data, k, calibration, noise)


def sulq(choices: mod_sulq.Choices = mod_sulq.CORRECTED, k: int = 2) -> Run:
    """Return MOD-SULQ at (1, 1e-3), for the four rows."""
    calibration = mod_sulq.calibrate(1.0, 1e-3, 4, 3, choices)
    return lambda data, noise: mod_sulq.mod_sulq(data, k, calibration, noise)


def power(choices: noisy_power_method.Choices = noisy_power_method.CORRECTED, k: int = 2) -> Run:
    """Return the noisy power method with three steps at (1, 1e-3), for the four rows."""
    calibration = noisy_power_method.calibrate(1.0, 1e-3, 3, k, 3, choices)
    return lambda data, noise: noisy_power_method.noisy_power_method(data, calibration, noise)


def wish(choices: wishart.Choices = wishart.CORRECTED, k: int = 2) -> Run:
    """Return the Wishart mechanism at epsilon = 1, with delta = 0.1 where it is not as published, for the four rows."""
    delta = 0.0 if choices is wishart.AS_PRINTED else 0.1
    calibration = wishart.calibrate(1.0, delta, 4, choices)
    return lambda data, noise: wishart.wishart_mechanism(data, k, calibration, noise)


def sphere(choices: exponential.Choices = exponential.CORRECTED, k: int = 2) -> Run:
    """Return the exponential mechanism at epsilon = 1, for the four rows."""
    calibration = exponential.calibrate(1.0, k, choices)
    return lambda data, noise: exponential.exponential_mechanism(data, calibration, noise)


ALL: dict[str, Callable[..., Run]] = {"gauss": gauss, "sulq": sulq, "power": power, "wishart": wish, "sphere": sphere}
