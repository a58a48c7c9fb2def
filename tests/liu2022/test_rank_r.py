"""Several components: deflation and the block form of DP-PCA."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from dppca.reference.liu2022 import algorithm_3_dp_pca as algorithm_3
from dppca.reference.liu2022 import rank_r
from dppca.reference.liu2022.data import LARGEST_ENTRY
from dppca.reference.noise import Sample, Tape, record, replay
from tests.liu2022.by_hand import (
    ETA,
    THREE,
    WEAK,
    outer,
    rng,
)


def test_deflation_finds_orthonormal_components_each_from_its_part() -> None:
    target = {"n": 66, "d": 3, "B": 22, **WEAK}
    calibration = rank_r.calibrate_deflation(80.0, 0.3, r=3, **target)
    run = lambda A, noise: rank_r.deflation(A, ETA[:1], calibration, noise)  # noqa: E731
    data = rng(1).choice([0.0, 1.0, 1.2], size=(66, 3))
    output, tape = record(run, data, rng(2))
    np.testing.assert_allclose(output.T @ output, np.eye(3), atol=1e-12)
    changed = data.copy()
    changed[22] = 50.0
    np.testing.assert_allclose(replay(run, outer(data), tape), output, atol=1e-9)
    # the second component sees the records with the first one projected away
    w = output[:, 0]
    deflated = data[22:44] - np.outer(data[22:44] @ w, w)
    second = Tape(tuple(replace(e, name=e.name[12:]) for e in tape.entries if e.name.startswith("component 2 ")))
    alone = replay(lambda A, noise: algorithm_3.dp_pca(A, ETA[:1], calibration.dp_pca, noise), deflated, second)
    np.testing.assert_allclose(abs(alone @ output[:, 1]) / np.linalg.norm(alone - w * (w @ alone)), 1.0, rtol=1e-9)


def test_deflation_of_the_largest_entries_stays_in_range() -> None:
    calibration = rank_r.calibrate_deflation(80.0, 0.3, n=40, r=2, d=2, B=20, **WEAK)
    for data in (np.full((40, 2), LARGEST_ENTRY), np.full((40, 2, 2), LARGEST_ENTRY**2)):
        for seed in range(5):
            output = rank_r.deflation(data, (1.0,), calibration, Sample(rng(seed)))
            np.testing.assert_allclose(output.T @ output, np.eye(2), atol=1e-12)


def test_block_of_one_is_dp_pca() -> None:
    target = {"n": 65, "d": 2, "B": 21, **WEAK}
    one, block = algorithm_3.calibrate(80.0, 0.3, **target), rank_r.calibrate_block(80.0, 0.3, r=1, **target)
    assert one == block.dp_pca
    data = rng(4).choice([0.0, 1.0, 1.1], size=(65, 2))
    output, tape = record(lambda A, noise: algorithm_3.dp_pca(A, ETA[:3], one, noise), data, rng(5))
    start, *rest = tape.entries
    column = Tape((replace(start, draw=start.draw[:, np.newaxis]), *rest))
    as_block = replay(lambda A, noise: rank_r.block_dp_pca(A, ETA[:3], block, noise), data, column)
    np.testing.assert_allclose(as_block[:, 0], output, rtol=1e-9)


def test_block_is_orthonormal_for_rows_and_matrices() -> None:
    calibration = rank_r.calibrate_block(80.0, 0.3, n=42, d=3, r=2, B=21, **WEAK)
    run = lambda A, noise: rank_r.block_dp_pca(A, ETA[:2], calibration, noise)  # noqa: E731
    data = rng(4).choice([0.0, 1.0, 1.1], size=(42, 3))
    output, tape = record(run, data, rng(5))
    np.testing.assert_allclose(output.T @ output, np.eye(2), atol=1e-12)
    np.testing.assert_allclose(replay(run, outer(data), tape), output, atol=1e-9)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: rank_r.calibrate_deflation(80.0, 0.3, r=2, **{**THREE, "n": 1}), "n must be at least r = 2, got 1"),
        (
            lambda: rank_r.block_dp_pca(
                np.ones((65, 3)), (1.0,) * 3, rank_r.calibrate_block(80.0, 0.3, r=1, **THREE), Sample(rng())
            ),
            "A must have the d = 2 of its calibration, got 3",
        ),
    ],
)
def test_refusals(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()
