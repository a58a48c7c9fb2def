"""The local Gaussian mechanism: calibration, messages, server."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dppca.reference.noise import Sample, record
from dppca.reference.primitives.clipping import clip_to_unit_ball
from dppca.reference.primitives.subspaces import principal_subspace, projector
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
