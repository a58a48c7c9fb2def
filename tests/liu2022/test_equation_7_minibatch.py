"""Minibatch private Oja (Equation 7) by hand on the draws of a tape, and its refusals."""

from __future__ import annotations

import numpy as np
import pytest

from dppca.reference.liu2022 import equation_7_minibatch as equation_7
from dppca.reference.noise import Sample, record, replay
from tests.liu2022.by_hand import (
    ETA,
    MATRICES,
    ROWS,
    SEVEN,
    Array,
    clipped,
    draws,
    matrices,
    rng,
    unit,
)


@pytest.mark.parametrize("data", [ROWS, MATRICES])
@pytest.mark.parametrize("choices", [equation_7.AS_PRINTED, equation_7.CORRECTED])
def test_minibatch_by_hand(data: Array, choices: equation_7.Choices) -> None:
    """7 records, T = 3, B = 2: the seventh is not used; as printed the last of each batch is not either."""
    calibration = equation_7.calibrate(1.0, 0.1, **SEVEN, choices=choices)
    run = lambda A, noise: equation_7.minibatch_private_oja(A, ETA[:3], calibration, noise, choices)  # noqa: E731
    output, tape = record(run, data, rng())
    records = matrices(data)
    of = draws(tape)
    w = unit(of["w[0]"])
    for t, eta in enumerate(ETA[:3], start=1):
        batch = records[2 * t - 2 : 2 * t - 1] if choices is equation_7.AS_PRINTED else records[2 * t - 2 : 2 * t]
        total = sum(clipped(A @ w, calibration.beta) for A in batch)
        w = unit(w + eta / 2.0 * total + 2.0 * eta * calibration.beta * calibration.alpha / 2.0 * of[f"g[{t}]"])
    np.testing.assert_allclose(output, w, rtol=1e-12)
    unused = data.copy()
    unused[6] = 9.0
    assert np.array_equal(replay(run, unused, tape), output)


def test_more_step_sizes_than_records_are_refused() -> None:
    with pytest.raises(ValueError, match="at most n = 7, got 8"):
        equation_7.minibatch_private_oja(ROWS, (0.1,) * 8, equation_7.calibrate(1.0, 0.1, **SEVEN), Sample(rng()))
