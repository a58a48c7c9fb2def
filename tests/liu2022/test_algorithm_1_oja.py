"""Oja's algorithm (Algorithm 1) against a computation by hand."""

from __future__ import annotations

import numpy as np
import pytest

from dppca.reference.catalog import ALGORITHMS
from dppca.reference.liu2022 import algorithm_1_oja as algorithm_1
from dppca.reference.noise import Sample, record, replay
from tests.liu2022.by_hand import (
    ETA,
    MATRICES,
    ROWS,
    Array,
    draws,
    matrices,
    outer,
    rng,
    unit,
)


@pytest.mark.parametrize("data", [ROWS, MATRICES])
def test_oja_by_hand(data: Array) -> None:
    output, tape = record(lambda A, noise: algorithm_1.oja(A, ETA[:5], noise), data, rng())
    w = unit(draws(tape)["w[0]"])
    for A, eta in zip(matrices(data), ETA[:5], strict=False):
        w = unit(w + eta * (A @ w))
    np.testing.assert_allclose(output, w, rtol=1e-12)


@pytest.mark.parametrize("key", ["liu2022.oja", "liu2022.private_oja", "liu2022.minibatch_private_oja", "liu2022.dp_pca"])
def test_rows_stand_for_their_outer_products(key: str) -> None:
    entry = ALGORITHMS[key]
    for choices in entry.choices.values():
        run = entry.bind(**entry.example.arguments, choices=choices)
        output, tape = record(run, entry.example.data, rng(3))
        np.testing.assert_allclose(replay(run, outer(entry.example.data), tape), output, rtol=1e-9, atol=1e-12)


def test_more_step_sizes_than_records_are_refused() -> None:
    with pytest.raises(ValueError, match="at most 7, one for each record, got 8"):
        algorithm_1.oja(ROWS, (0.1,) * 8, Sample(rng()))
