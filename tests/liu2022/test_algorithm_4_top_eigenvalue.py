"""The private top eigenvalue (Algorithm 4) by hand, its bins and subsets, and its refusals."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest

from dppca.reference.liu2022 import algorithm_4_top_eigenvalue as algorithm_4
from dppca.reference.noise import Sample, record
from dppca.reference.primitives.sparse_histogram import stability_threshold
from tests.liu2022.by_hand import (
    by_hand_4,
    draws,
    rng,
)


@pytest.mark.parametrize("choices", [algorithm_4.AS_PRINTED, algorithm_4.CORRECTED])
@pytest.mark.parametrize("B", [24, 25, 31])
def test_top_eigenvalue_by_hand(choices: algorithm_4.Choices, B: int) -> None:
    """Odd B and differences that fill no subset included; a third of the runs gives bottom, some the eigenvalue 0."""
    calibration = algorithm_4.calibrate(2.5, 0.3, B=B, zeta=0.3, choices=choices)
    assert (calibration.k, calibration.b) == (4, B // 8)
    found: Counter[str] = Counter()
    for seed in range(60):
        own = rng(seed)
        g = own.choice([0.0, 1.0, -1.5], size=(B, 2)) * (seed % 3 > 0) + own.standard_normal((B, 2)) * (seed % 3 > 1)
        output, tape = record(lambda x, noise: algorithm_4.private_top_eigenvalue(x, calibration, noise), g, own)
        assert output == by_hand_4(g, calibration, draws(tape)["eigenvalue"])
        found["bottom" if output is None else "zero" if output == 0.0 else "positive"] += 1
    assert min(found[word] for word in ("bottom", "zero", "positive")) > 0


def test_eigenvalue_bins_hold_what_they_say() -> None:
    """2^(i/4) <= eigenvalue < 2^((i+1)/4), but for rounding at the edges."""
    for eigenvalue in [5e-324, 1e-300, 0.3, 1.0, 2.0**0.25, 1.99, 2.0, 1e242]:
        i, is_zero = algorithm_4.bin_of(eigenvalue)
        assert not is_zero
        assert math.log2(eigenvalue) == pytest.approx(i / 4.0 + 0.125, abs=0.125 + 1e-12)
    assert algorithm_4.bin_of(0.0) == (0.0, 1.0)


def test_top_eigenvalue_subsets() -> None:
    found = algorithm_4.calibrate(0.5, 1e-3, B=1000, zeta=0.1)
    assert found.k == math.ceil(4.0 * math.log(1e4) / 0.5)
    assert found.b == 1000 // (2 * found.k)
    assert (found.scale, found.threshold) == (4.0, stability_threshold(0.5, 1e-3))


def test_another_number_of_records_is_refused() -> None:
    with pytest.raises(ValueError, match="g must have the B = 6 of its calibration, got 5"):
        algorithm_4.private_top_eigenvalue(np.ones((5, 2)), algorithm_4.calibrate(9.0, 0.3, B=6, zeta=0.3), Sample(rng()))
