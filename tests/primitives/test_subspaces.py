"""Distances of subspaces, and symmetric matrices by their upper triangle."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dppca.reference.primitives.subspaces import projector, random_sin_theta_distance, sin_theta_distance
from dppca.reference.primitives.symmetric import symmetric_matrix, upper_triangle


@given(st.integers(1, 5), st.integers(0, 2**32))
def test_upper_triangle_round_trip(p: int, seed: int) -> None:
    matrix = np.random.default_rng(seed).standard_normal((p, p))
    symmetric = matrix + matrix.T
    assert np.array_equal(symmetric_matrix(upper_triangle(symmetric), p), symmetric)


@given(st.integers(2, 8), st.integers(0, 2**32), st.data())
def test_sin_theta_is_the_projectors_distance(p: int, seed: int, data: st.DataObject) -> None:
    k = data.draw(st.integers(1, p))
    rng = np.random.default_rng(seed)
    V, W = (np.linalg.qr(rng.standard_normal((p, k)))[0] for _ in range(2))
    expected = np.linalg.norm(projector(V) - projector(W)) / math.sqrt(2.0)
    assert sin_theta_distance(V, W) == pytest.approx(expected, abs=1e-7)
    assert sin_theta_distance(V, V @ np.linalg.qr(rng.standard_normal((k, k)))[0]) == pytest.approx(0.0, abs=1e-7)


def test_random_distance_is_what_random_subspaces_have() -> None:
    p, k, repetitions = 7, 3, 4000
    rng = np.random.default_rng(2)
    fixed = np.eye(p)[:, :k]
    squares = [sin_theta_distance(fixed, np.linalg.qr(rng.standard_normal((p, k)))[0]) ** 2 for _ in range(repetitions)]
    error = np.std(squares) / math.sqrt(repetitions)
    assert abs(np.mean(squares) - random_sin_theta_distance(p, k) ** 2) < 5 * error  # false alarm below 1e-6
