"""The data of liu2022: the example rows, clipping, normalising, and what is refused."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from dppca.reference.liu2022.data import check_data, clip, normalise, rows_example


def test_clip_at_the_boundary() -> None:
    g = np.array([[3.0, 4.0], [3.0, 4.0000001], [0.0, 0.0], [0.3, 0.4], [1e120, -1e120]])
    found = clip(g, 5.0)
    assert np.array_equal(found[0], g[0])  # exactly at beta: as it is
    assert np.array_equal(found[2:4], g[2:4])
    np.testing.assert_allclose(np.linalg.norm(found[[1, 4]], axis=1), 5.0, rtol=1e-15)


@pytest.mark.parametrize("scale", [1e-300, 1e-160, 1.0, 1e160, 1e300])
def test_normalise_at_any_length(scale: float) -> None:
    np.testing.assert_allclose(normalise(scale * np.array([3.0, -4.0])), [0.6, -0.8], rtol=1e-15)


@pytest.mark.parametrize("w", [[0.0, 0.0], [math.inf, 1.0], [math.nan, 1.0]])
def test_normalise_refuses_what_has_no_direction(w: list[float]) -> None:
    with pytest.raises(ValueError, match="must be finite and not 0"):
        normalise(np.array(w))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: check_data("A", np.ones(3)), r"shape \(n, d\) or \(n, d, d\)"),
        (lambda: check_data("A", np.ones((2, 3, 2))), r"got \(2, 3, 2\)"),
        (lambda: check_data("A", np.ones((0, 3))), r"all >= 1"),
        (lambda: check_data("A", [[1.0, math.nan]]), "must be finite"),
        (lambda: check_data("A", [[1.01e60]]), "at most 1e\\+60"),
        (lambda: check_data("A", [[[1.01e120]]]), "at most 1e\\+120"),
    ],
)
def test_refusals(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def test_six_rows_and_a_neighbour_that_differs_in_the_first() -> None:
    found = rows_example(n=6, epsilon=0.5)
    assert found.data.shape == found.neighbour.shape == (6, 2)
    assert (found.data[0].tolist(), found.neighbour[0].tolist()) == ([1.0, 0.0], [0.0, 9.0])
    assert found.data[1:].tolist() == found.neighbour[1:].tolist()
    assert dict(found.arguments) == {"n": 6, "epsilon": 0.5}
