"""The simulated protocol has the law of the protocol."""

from __future__ import annotations

import numpy as np
import pytest

from dppca.audit.suite.wang2020.distributions import random_orthonormal, spiked_rows
from dppca.audit.suite.wang2020.simulate import aggregate, leading_subspace, simulate_algorithm_1, simulate_algorithm_2
from dppca.reference.noise import Entry, Record, Replay, Sample, Tape
from dppca.reference.primitives.subspaces import principal_subspace, projector
from dppca.reference.primitives.symmetric import symmetric_matrix
from dppca.reference.wang2020 import algorithm_1_local_gaussian as algorithm_1
from dppca.reference.wang2020.certified_admm import sparse_subspace

CALIBRATION = algorithm_1.calibrate(1.0, 1e-4, 4)


def rows(n: int) -> np.ndarray:
    rng = np.random.default_rng(n)
    return spiked_rows(random_orthonormal(4, 2, rng), 1.0, n, rng)


def test_it_is_the_protocol_with_the_clients_draws_added_up() -> None:
    """Summed standard draws over sqrt(n) are standard; on that draw the two give the same S_tilde and subspace."""
    X, n = rows(7), 7
    protocol = Record(np.random.default_rng(1))
    basis = algorithm_1.local_gaussian_mechanism(X, 2, CALIBRATION, protocol)
    entries = protocol.tape.entries
    draw = sum(entry.draw for entry in entries) / np.sqrt(n)
    name = "aggregate noise is a simulation shortcut"
    tape = Tape((Entry("release", name, "gaussian", draw),))
    S_tilde = symmetric_matrix(np.mean([entry.released for entry in entries], axis=0), 4)
    assert np.allclose(aggregate(X, CALIBRATION, Replay(tape)), S_tilde, rtol=0.0, atol=1e-12)
    simulated = simulate_algorithm_1(X, 2, CALIBRATION, Replay(tape))
    assert np.allclose(projector(simulated), projector(basis), atol=1e-9)
    sparse = simulate_algorithm_2(X, 2, 0.3, CALIBRATION, Replay(tape))
    assert np.array_equal(sparse.basis, sparse_subspace(aggregate(X, CALIBRATION, Replay(tape)), 2, 0.3).basis)


def test_the_release_is_declared_as_a_curators() -> None:
    noise = Record(np.random.default_rng(0))
    S_tilde = aggregate(rows(25), CALIBRATION, noise)
    (entry,) = noise.tape.entries
    assert entry.parameters == {"std": CALIBRATION.std / 5.0}
    assert np.array_equal(S_tilde, S_tilde.T)


@pytest.mark.parametrize("k", [1, 3, 30])
def test_leading_subspace_is_the_principal_subspace(k: int) -> None:
    A = np.random.default_rng(k).standard_normal((30, 30))
    A = A + A.T
    basis = leading_subspace(A, k)
    assert basis.shape == (30, k)
    assert np.allclose(projector(basis), projector(principal_subspace(A, k)), atol=1e-10)


def test_errors_name_the_row_and_k() -> None:
    X = rows(5)
    X[3] = 1.0
    with pytest.raises(ValueError, match=r"X\[3\] must lie in the unit ball, got norm 2.0"):
        aggregate(X, CALIBRATION, Sample(np.random.default_rng(0)))
    with pytest.raises(ValueError, match=r"k must be in 1..4, got 5"):
        simulate_algorithm_1(rows(5), 5, CALIBRATION, Sample(np.random.default_rng(0)))
