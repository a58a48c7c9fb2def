"""wang2020 Algorithm 1 and the primitives it stands on."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from dppca.reference.noise import Sample, record
from dppca.reference.primitives.clipping import clip_to_unit_ball
from dppca.reference.primitives.subspaces import principal_subspace, projector, random_sin_theta_distance, sin_theta_distance
from dppca.reference.primitives.symmetric import symmetric_matrix, upper_triangle
from dppca.reference.wang2020.algorithm_1_local_gaussian import (
    AS_PRINTED,
    CORRECTED,
    calibrate,
    client,
    local_gaussian_mechanism,
    sensitivity,
    server,
)


def test_printed_calibration_is_the_printed_formula() -> None:
    assert calibrate(0.5, 1e-4, 40, AS_PRINTED).std == pytest.approx(math.sqrt(2 * math.log(1.25e4)) / 0.5)


def test_corrected_calibration_scales_with_the_sensitivity() -> None:
    assert calibrate(1.0, 1e-5, 2).std == pytest.approx(math.sqrt(2.0) * calibrate(1.0, 1e-5, 1).std)
    assert calibrate(1.0, 1e-5, 2).sensitivity == sensitivity(2) == math.sqrt(2.0)
    assert calibrate(1.0, 1e-5, 2, CORRECTED) == calibrate(1.0, 1e-5, 2)


def test_messages_are_products_plus_noise_and_the_server_averages_them() -> None:
    rng = np.random.default_rng(1)
    X = np.array([clip_to_unit_ball(row) for row in rng.standard_normal((5, 3))])
    calibration = calibrate(1.0, 1e-3, 3)
    basis, tape = record(lambda data, noise: local_gaussian_mechanism(data, 2, calibration, noise), X, rng)
    S_tilde = np.zeros((3, 3))
    for x, entry in zip(X, tape.entries, strict=True):
        Z = symmetric_matrix(calibration.std * entry.draw, 3)
        assert np.array_equal(Z, Z.T)
        assert entry.released == pytest.approx(upper_triangle(np.outer(x, x) + Z))
        S_tilde += (np.outer(x, x) + Z) / 5
    assert projector(basis) == pytest.approx(projector(principal_subspace(S_tilde, 2)))
    assert [entry.name for entry in tape.entries] == [f"message[{i}]" for i in range(5)]


def test_without_noise_the_answer_is_the_principal_subspace() -> None:
    X = np.diag([1.0, 0.8, 0.1])
    messages = [upper_triangle(np.outer(x, x)) for x in X]
    assert projector(server(messages, 3, 2)) == pytest.approx(np.diag([1.0, 1.0, 0.0]))


def test_a_client_refuses_a_row_outside_the_ball() -> None:
    with pytest.raises(ValueError, match=r"x must lie in the unit ball, got norm 2\.0"):
        client([2.0, 0.0], calibrate(1.0, 1e-5, 2), Sample(np.random.default_rng(0)), "message")


def test_the_server_needs_messages() -> None:
    with pytest.raises(ValueError, match="at least one message"):
        server([], 2, 1)
    with pytest.raises(ValueError, match=r"upper must have shape \(6,\) for p = 3, got \(3,\)"):
        server([np.zeros(3)], 3, 1)


# --- primitives ---------------------------------------------------------------------------------------

VECTORS = arrays(np.float64, st.integers(1, 6), elements=st.floats(-1e200, 1e200))


@given(VECTORS)
def test_clipping_lands_in_the_ball_and_keeps_the_direction(x: NDArray[np.float64]) -> None:
    clipped = clip_to_unit_ball(x)
    assert np.linalg.norm(clipped) <= 1.0 + 1e-12
    scale = np.max(np.abs(x))
    if scale > 0.0:
        direction = x / scale
        assert clipped @ direction == pytest.approx(np.linalg.norm(clipped) * np.linalg.norm(direction), rel=1e-9)
    if np.linalg.norm(x / max(scale, 1.0)) * max(scale, 1.0) <= 1.0:
        assert np.array_equal(clipped, x)


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
