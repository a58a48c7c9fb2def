"""DP-PCA (Algorithm 3) by hand on the draws of a tape, its budget, and its refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dppca.reference.liu2022 import algorithm_3_dp_pca as algorithm_3
from dppca.reference.noise import Sample, record, replay
from tests.liu2022.by_hand import (
    ETA,
    THREE,
    WEAK,
    by_hand_4,
    by_hand_5,
    draws,
    outer,
    rng,
    unit,
)


@pytest.mark.parametrize("choices", [algorithm_3.AS_PRINTED, algorithm_3.CORRECTED, algorithm_3.LEAN])
@pytest.mark.parametrize("rows", [True, False])
def test_dp_pca_by_hand(choices: algorithm_3.Choices, rows: bool) -> None:
    """n = 65, B = 21: T = 3 steps on halves of 10; two records are beyond the batches and one in each is left over."""
    target = {"n": 65, "d": 2, "B": 21, **WEAK}
    calibration = algorithm_3.calibrate(80.0, 0.3, **target, choices=choices)
    assert (calibration.T, calibration.mean.B) == (3, 10)
    run = lambda A, noise: algorithm_3.dp_pca(A, ETA[:3], calibration, noise)  # noqa: E731
    skipped = 0
    for seed in range(30):
        own = rng(seed)
        data = own.choice([0.0, 1.0, 1.1], size=(65, 2))
        if seed % 5 == 0:
            data[:21] = 1.0  # all differences of the first batch are 0
        output, tape = record(run, data if rows else outer(data), own)
        of = draws(tape)
        w = unit(of["w[0]"])
        for t, eta in enumerate(ETA[:3], start=1):
            g = np.array([A @ w for A in outer(data[21 * (t - 1) : 21 * t])])
            Lambda = by_hand_4(g[:10], calibration.eigenvalue, of[f"eigenvalue[{t}]"])
            if not Lambda:
                assert f"t={t} bin[1]" not in of
                skipped += 1
                continue
            multiple = 2.0 if choices is algorithm_3.AS_PRINTED else 1.0
            g_hat = by_hand_5(g[10:20], multiple * Lambda, {f"t={t} mean": np.zeros(2), **of}, calibration.mean, f"t={t} ")
            if g_hat is not None:
                w = unit(w + eta * g_hat)
        np.testing.assert_allclose(output, w, rtol=1e-9)
        unused = data.copy()
        unused[[20, 41, 62, 63, 64]] = -7.0
        assert np.array_equal(replay(run, unused if rows else outer(unused), tape), output)
    assert skipped > 0


def test_dp_pca_gives_the_mean_its_half_of_the_budget_or_lean_all_of_it() -> None:
    target = {"n": 4000, "d": 2, "B": 4000, "K": 1.0}
    for choices, share in ((algorithm_3.AS_PRINTED, 2.0), (algorithm_3.CORRECTED, 2.0), (algorithm_3.LEAN, 1.0)):
        found = algorithm_3.calibrate(0.8, 0.1, **target, choices=choices)
        for of in (found.eigenvalue, found.mean):
            assert (of.epsilon, of.delta, of.zeta, of.B) == (0.8 / share, 0.1 / share, 0.01 / 2, 2000)
        assert all(condition.holds for condition in found.conditions)
    assert not algorithm_3.calibrate(2.0, 0.1, **target, choices=algorithm_3.AS_PRINTED).conditions[0].holds


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: algorithm_3.calibrate(80.0, 0.3, **{**THREE, "B": 66}), "B must be at most n = 65"),
        (lambda: algorithm_3.calibrate(0.5, 0.3, **THREE), "two gradients for each of the k"),
        (lambda: algorithm_3.calibrate(80.0, 0.3, **{**THREE, "B": 1}), "B must be >= 1"),
        (
            lambda: algorithm_3.dp_pca(np.ones((65, 2)), (1.0,) * 2, algorithm_3.calibrate(80.0, 0.3, **THREE), Sample(rng())),
            "must be 3 numbers > 0",
        ),
    ],
)
def test_refusals(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()
