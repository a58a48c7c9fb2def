"""The noisy power method: the noise as published is too small where rows are replaced."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from dppca.reference.baselines import noisy_power_method
from dppca.reference.noise import GaussianLaw, Noise, condition, record
from dppca.reference.primitives.gaussian import profile
from tests.baselines.runs import NEIGHBOUR, Matrix, X, power


def test_printed_power_method_is_not_private_for_replaced_rows() -> None:
    """Rows along (1, ..., 1) / 4 keep every iterate flat, and so the printed noise small, while a row moves A X by 1."""
    data = np.full((400, 16), 0.25)
    neighbour = data.copy()
    neighbour[0] = 0.0
    ratios = {}
    for choices in (noisy_power_method.AS_PRINTED, noisy_power_method.CORRECTED):
        calibration = noisy_power_method.calibrate(1.0, 1e-6, 16, 1, 5, choices)

        def run(D: Matrix, noise: Noise, c: noisy_power_method.PowerCalibration = calibration) -> Matrix:
            return noisy_power_method.noisy_power_method(D, c, noise)

        _, tape = record(run, data, np.random.default_rng(0))
        pairs = zip(condition(run, data, tape).terms, condition(run, neighbour, tape).terms, strict=True)
        losses = [a.law.change(a.value, b.value) / a.law.std for a, b in pairs if isinstance(a.law, GaussianLaw)]
        ratios[choices] = math.hypot(*losses)
    assert profile(1.0, ratios[noisy_power_method.AS_PRINTED]) > 1e-4
    assert profile(1.0, ratios[noisy_power_method.CORRECTED]) <= 1e-6


def test_condition_of_the_power_method_follows_the_released_iterates() -> None:
    run, calibration = power(), noisy_power_method.calibrate(1.0, 1e-3, 3, 2, 3)
    _, tape = record(run, X, np.random.default_rng(4))
    basis, expected = tape.entries[0].draw, 0.0
    for entry in tape.entries[1:]:
        q, r = np.linalg.qr(basis)
        q *= np.sign(np.diag(r))
        expected += float(np.sum(stats.norm.logpdf(entry.released, NEIGHBOUR.T @ NEIGHBOUR @ q, calibration.multiplier)))
        basis = entry.released
    assert condition(run, NEIGHBOUR, tape).log_likelihood == pytest.approx(expected, rel=1e-12)
