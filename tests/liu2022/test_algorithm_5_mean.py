"""The private mean (Algorithm 5) by hand, its printed noise, its sensitivity at any size of the gradients, and its refusals."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dppca.reference.liu2022 import algorithm_5_mean as algorithm_5
from dppca.reference.noise import Sample, lockstep, record
from dppca.reference.primitives.sparse_histogram import stability_threshold
from tests.liu2022.by_hand import (
    WEAK,
    by_hand_5,
    draws,
    rng,
)


@pytest.mark.parametrize(
    ("choices", "epsilon"), [(algorithm_5.AS_PRINTED, 24.0), (algorithm_5.CORRECTED, 24.0), (algorithm_5.LEAN, 4.0)]
)
def test_mean_by_hand(choices: algorithm_5.Choices, epsilon: float) -> None:
    """Ties between bins, values on bin edges, gradients beyond the box; bottom now and then."""
    calibration = algorithm_5.calibrate(epsilon, 0.3, B=15, d=2, **WEAK, choices=choices)
    bottoms = 0
    for seed in range(60):
        own = rng(seed)
        g = own.choice([0.0, calibration.tau, -calibration.tau, 1.0, 30.0], size=(15, 2), p=[0.5, 0.2, 0.1, 0.1, 0.1])
        eigenvalue = float(own.choice([0.01, 1.0, 4.0]))
        output, tape = record(lambda x, noise, e=eigenvalue: algorithm_5.private_mean(x, e, calibration, noise), g, own)
        names = [entry.name for entry in tape.entries]
        of = draws(tape)
        if output is None:
            assert names == ["bin[1]", "bin[2]"]
            assert by_hand_5(g, eigenvalue, {**of, "mean": np.zeros(2)}, calibration) is None
            bottoms += 1
            continue
        assert names == ["bin[1]", "bin[2]", "mean"]
        np.testing.assert_allclose(output, by_hand_5(g, eigenvalue, of, calibration), rtol=1e-10, atol=1e-12)
    assert 0 < bottoms < 60


@pytest.mark.parametrize("offset", [0.0, 1e10, 1e15, 1e16, 1e18, 1e30])
def test_mean_keeps_its_sensitivity_far_from_zero(offset: float) -> None:
    """Gradients whose spread is near, or below, the spacing of floats at their size: no allowance for rounding is needed."""
    calibration = algorithm_5.calibrate(60.0, 0.3, B=50, d=1, K=1.0, zeta=0.1, choices=algorithm_5.LEAN)
    own = rng(1)
    for _ in range(50):
        g = offset + 20.0 * own.standard_normal((50, 1))
        h = g.copy()
        h[own.integers(50)] = offset + 40.0 * own.standard_normal()
        found = lockstep(lambda x, noise: algorithm_5.private_mean(x, 1.0, calibration, noise), g, h, own)
        for release in found.releases:
            assert release.change <= release.sensitivity * (1.0 + 1e-12)


def test_huge_and_tiny_gradients_have_bins_and_means() -> None:
    calibration = algorithm_5.calibrate(80.0, 0.3, B=10, d=1, **WEAK)
    for eigenvalue, value in ((5e-324, 1e121), (1e242, 5e-324), (1e-300, -1e121), (1.0, 0.0)):
        g = np.full((10, 1), value)
        found = [algorithm_5.private_mean(g, eigenvalue, calibration, Sample(rng(seed))) for seed in range(20)]
        means = [float(x[0]) for x in found if x is not None]
        assert means
        reach = (calibration.tau + 10.0 * calibration.std) * math.sqrt(eigenvalue)
        assert all(abs(mean - value) <= reach + 1e-14 * abs(value) for mean in means)


def test_printed_mean_noise() -> None:
    """12 K sqrt(Lambda) log^a(B d / zeta) sqrt(2 d log(2.5 / delta)) / (epsilon B), and the shares of the histograms."""
    found = algorithm_5.calibrate(0.8, 1e-3, B=500, d=4, K=2.0, a=1.5, zeta=0.02, choices=algorithm_5.AS_PRINTED)
    outer_log = math.log(500 * 4 / 0.02) ** 1.5
    assert found.std == pytest.approx(12 * 2.0 * outer_log * math.sqrt(2 * 4 * math.log(2.5 / 1e-3)) / (0.8 * 500))
    assert found.tau == pytest.approx(2**0.25 * 2.0 * math.log(25) ** 1.5)
    assert found.histogram == pytest.approx((0.8 / (4 * math.sqrt(2 * 4 * math.log(4 / 1e-3))), 1e-3 / (4 * 4)))
    assert found.threshold == stability_threshold(*found.histogram)


def test_another_dimension_is_refused() -> None:
    with pytest.raises(ValueError, match="g must have the d = 2 of its calibration, got 3"):
        algorithm_5.private_mean(np.ones((5, 3)), 1.0, algorithm_5.calibrate(9.0, 0.3, B=5, d=2, **WEAK), Sample(rng()))
