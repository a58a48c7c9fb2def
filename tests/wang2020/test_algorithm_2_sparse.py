"""wang2020 Algorithm 2: the ADMM against an independent solver, its certificate, its choices."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from dppca.audit.suite.wang2020.distributions import row_sparse_orthonormal, spiked_covariance, spiked_rows
from dppca.reference.noise import Noise, Sample, lockstep, record, replay
from dppca.reference.primitives.subspaces import projector, sin_theta_distance
from dppca.reference.primitives.symmetric import symmetric_matrix
from dppca.reference.wang2020 import algorithm_1_local_gaussian as algorithm_1
from dppca.reference.wang2020.algorithm_2_sparse import (
    AS_PRINTED,
    CORRECTED,
    LITERAL,
    admm,
    calibrate,
    client,
    local_gaussian_mechanism_high_dimension,
    server,
)
from dppca.reference.wang2020.certified_admm import Stopping, sparse_subspace
from dppca.reference.wang2020.fantope import dual_bound, objective, project_fantope

Matrix = NDArray[np.float64]


def noisy_spiked(p: int, k: int, noise: float, seed: int) -> Matrix:
    rng = np.random.default_rng(seed)
    V = row_sparse_orthonormal(p, k, min(k + 2, p), rng)
    Z = noise * rng.standard_normal((p, p))
    return projector(V) + (Z + Z.T) / 2.0


@pytest.mark.parametrize(("p", "k", "lambda_"), [(12, 1, 0.1), (12, 3, 0.3), (16, 2, 0.0), (20, 4, 0.25), (12, 12, 0.2)])
def test_optimum_agrees_with_an_independent_solver(p: int, k: int, lambda_: float) -> None:
    """The certified solution does, and the printed loop's end."""
    cp = pytest.importorskip("cvxpy")
    S = noisy_spiked(p, k, 0.15, seed=p + k)
    X = cp.Variable((p, p), PSD=True)
    problem = cp.Problem(cp.Maximize(cp.trace(S @ X) - lambda_ * cp.sum(cp.abs(X))), [np.eye(p) - X >> 0, cp.trace(X) == k])
    optimum = problem.solve(solver="CLARABEL")
    ours = sparse_subspace(S, k, lambda_, rho=1.0, stopping=Stopping(gap=1e-8, max_iterations=20_000))
    assert ours.converged
    assert ours.objective == pytest.approx(optimum, rel=1e-6, abs=1e-7)
    assert np.allclose(ours.X, X.value, rtol=0.0, atol=1e-3)
    Y = admm(S, k, lambda_, AS_PRINTED, rho=1.0)
    assert objective(S, project_fantope(Y, k), lambda_) == pytest.approx(optimum, rel=1e-5, abs=1e-6)
    assert np.allclose(Y, X.value, rtol=0.0, atol=1e-3)


def test_certificate_is_recomputable_and_brackets_the_optimum() -> None:
    """A long run's optimum lies between objective and bound of a run that was stopped early."""
    S = noisy_spiked(15, 3, 0.2, seed=5)
    early = sparse_subspace(S, 3, 0.2, stopping=Stopping(max_iterations=15))
    optimum = sparse_subspace(S, 3, 0.2, stopping=Stopping(gap=1e-10))
    assert not early.converged
    assert early.iterations == 15
    assert optimum.converged
    assert 0.0 <= optimum.gap <= 1e-10 * optimum.bound
    assert early.objective < optimum.objective <= optimum.bound < early.bound
    assert early.objective == objective(S, early.X, 0.2)
    assert early.bound == dual_bound(S, early.W, 0.2, 3)
    assert early.gap > 100.0 * optimum.gap
    for share, converged in ((1.01, True), (0.99, False)):
        target = Stopping(gap=share * early.gap / early.bound, max_iterations=15)
        assert sparse_subspace(S, 3, 0.2, stopping=target).converged == converged


def test_fixed_point_satisfies_the_optimality_conditions() -> None:
    """W is a subgradient of lambda ||.||_{1,1} at X, and X maximises <S - W, .> over the Fantope."""
    S, lambda_ = noisy_spiked(14, 2, 0.2, seed=2), 0.25
    result = sparse_subspace(S, 2, lambda_, stopping=Stopping(gap=1e-11))
    kept = np.abs(result.X) > 1e-4
    assert kept.any()
    assert not kept.all()
    assert np.allclose(result.W[kept], lambda_ * np.sign(result.X[kept]), atol=1e-6)
    assert np.max(np.abs(result.W)) <= lambda_
    assert np.sum((S - result.W) * result.X) == pytest.approx(result.bound, abs=1e-9)


@pytest.mark.parametrize("scale", [1e-4, 1.0, 1e4])
def test_scaling_input_and_penalty_together_changes_nothing(scale: float) -> None:
    S = noisy_spiked(12, 2, 0.15, seed=1)
    one = sparse_subspace(S, 2, 0.2)
    other = sparse_subspace(scale * S, 2, scale * 0.2)
    assert np.allclose(admm(scale * S, 2, scale * 0.2, AS_PRINTED), admm(S, 2, 0.2, AS_PRINTED), rtol=0.0, atol=1e-8)
    assert other.iterations == one.iterations
    assert np.allclose(other.X, one.X, rtol=0.0, atol=1e-8)
    assert other.rho == pytest.approx(scale * one.rho)


def test_without_penalty_it_is_algorithm_1() -> None:
    rng = np.random.default_rng(11)
    p, k = 6, 2
    messages = [rng.standard_normal(p * (p + 1) // 2) for _ in range(4)]
    for choices in (CORRECTED, AS_PRINTED):
        assert sin_theta_distance(server(messages, p, k, 0.0, choices), algorithm_1.server(messages, p, k)) < 1e-5


def test_server_solves_problem_5_for_the_mean_of_the_messages() -> None:
    messages = [np.random.default_rng(i).standard_normal(21) for i in range(4)]
    S_tilde = symmetric_matrix(sum(messages, np.zeros(21)) / 4, 6)
    ours = sparse_subspace(S_tilde, 2, 0.3)
    assert ours.objective == objective(S_tilde, ours.X, 0.3)
    assert ours.bound == dual_bound(S_tilde, ours.W, 0.3, 2)
    assert np.array_equal(server(messages, 6, 2, 0.3), ours.basis)
    printed = server(messages, 6, 2, 0.3, AS_PRINTED)
    assert sin_theta_distance(printed, np.linalg.eigh(admm(S_tilde, 2, 0.3, AS_PRINTED))[1][:, -2:]) < 1e-9
    assert sin_theta_distance(printed, ours.basis) < 1e-3


def test_penalty_above_every_entry_gives_the_largest_diagonal_entries() -> None:
    S = noisy_spiked(10, 3, 0.5, seed=9)
    result = sparse_subspace(S, 3, 2.0 * float(np.max(np.abs(S))))
    top = np.argsort(np.diag(S))[-3:]
    assert sorted(result.support) == sorted(top)
    assert np.allclose(projector(result.basis), np.diag(np.isin(np.arange(10), top).astype(float)), atol=1e-9)


def test_a_start_at_the_solution_ends_at_the_first_check() -> None:
    S = noisy_spiked(12, 2, 0.2, seed=4)
    cold = sparse_subspace(S, 2, 0.2)
    warm = sparse_subspace(S, 2, 0.2, rho=cold.rho, start=(cold.Y, cold.W / cold.rho))
    assert warm.converged
    assert warm.iterations == 10 < cold.iterations


def test_line_11_taken_literally_returns_the_start_whatever_the_data() -> None:
    for seed in (0, 1):
        assert not admm(noisy_spiked(8, 2, 0.3, seed), 2, 0.1, LITERAL).any()


def test_the_solution_is_the_principal_subspace_of_the_feasible_point() -> None:
    """Where the last X is the better point; the projection of Y has the same leading eigenvectors as Y."""
    result = sparse_subspace(noisy_spiked(12, 3, 0.3, seed=6), 3, 0.05, stopping=Stopping(max_iterations=20))
    for solution, same in ((result.X, True), (result.Y, False)):
        assert (sin_theta_distance(result.basis, np.linalg.eigh(solution)[1][:, -3:]) < 1e-6) == same


@pytest.mark.parametrize("tolerance", [1e-3, 1e-5])
def test_the_printed_loop_ends_at_the_first_pass_with_small_residuals(tolerance: float) -> None:
    """Its iterates, written out: the pass before the end has a residual above the tolerance, relative to sqrt(k)."""
    S, rho, lambda_ = noisy_spiked(12, 2, 0.2, seed=8), 2.0, 0.2
    choices = replace(AS_PRINTED, line_5=tolerance)
    Y, U, residual = np.zeros((12, 12)), np.zeros((12, 12)), np.inf
    while residual > tolerance * np.sqrt(2.0):
        X = project_fantope(Y - U + S / rho, 2)
        moved = X + U
        after = np.sign(moved) * np.maximum(np.abs(moved) - lambda_ / rho, 0.0)
        residual = max(np.linalg.norm(X - after), np.linalg.norm(after - Y))
        Y, U = after, moved - after
    assert np.allclose(admm(S, 2, lambda_, choices, rho=rho), Y, rtol=0.0, atol=1e-12)


def run(X: Matrix, noise: Noise) -> Matrix:
    calibration = calibrate(1.0, 1e-4, X.shape[1])
    return local_gaussian_mechanism_high_dimension(X, 2, 0.5, calibration, noise)


def test_clients_are_those_of_algorithm_1_and_the_tape_replays() -> None:
    rng = np.random.default_rng(0)
    X = 0.5 * spiked_rows(row_sparse_orthonormal(6, 2, 3, rng), 1.0, 5, rng)
    assert client is algorithm_1.client
    assert calibrate(1.0, 1e-4, 6) == algorithm_1.calibrate(1.0, 1e-4, 6)
    assert calibrate(1.0, 1e-4, 6, AS_PRINTED) == algorithm_1.calibrate(1.0, 1e-4, 6, algorithm_1.AS_PRINTED)
    output, tape = record(run, X, rng)
    assert [entry.name for entry in tape.entries] == [f"message[{i}]" for i in range(5)]
    assert np.array_equal(replay(run, X, tape), output)
    messages = [entry.released for entry in tape.entries]
    assert np.array_equal(server(messages, 6, 2, 0.5), output)
    assert output.shape == (6, 2)


def test_a_replaced_row_changes_one_message_by_at_most_its_sensitivity() -> None:
    X = np.vstack([np.eye(3), 0.5 * np.ones(3)])
    neighbour = X.copy()
    neighbour[0] = [0.0, 1.0, 0.0]
    result = lockstep(run, X, neighbour, np.random.default_rng(1))
    assert result.violations == ()
    assert [release.change > 0.0 for release in result.releases] == [True, False, False, False]
    assert result.releases[0].change == pytest.approx(np.sqrt(2.0))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"k": 0}, r"k must be in 1..3, got 0"),
        ({"lambda_": -0.5}, r"lambda_ must be finite and >= 0, got -0.5"),
        ({"rho": 0.0}, r"rho must be finite and > 0, got 0.0"),
        ({"S_tilde": np.triu(np.ones((3, 3)))}, r"S_tilde must be symmetric"),
        ({"start": (np.zeros((2, 2)), np.zeros((3, 3)))}, r"start\[0\] must have shape \(3, 3\), got \(2, 2\)"),
    ],
)
def test_errors_name_argument_requirement_and_value(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        sparse_subspace(**{"S_tilde": np.eye(3), "k": 1, "lambda_": 0.1, **arguments})


def test_errors_of_server_client_and_stopping() -> None:
    with pytest.raises(ValueError, match="messages must hold at least one message"):
        server([], 3, 1, 0.1)
    with pytest.raises(ValueError, match=r"max_iterations must be >= 1, got 0"):
        Stopping(max_iterations=0)
    with pytest.raises(ValueError, match=r"X\[1\] must lie in the unit ball"):
        run(np.array([[0.0, 0.1, 0.0], [1.0, 1.0, 0.0]]), Sample(np.random.default_rng(0)))


@pytest.mark.slow
@pytest.mark.parametrize(("p", "lambda_in_noise_std"), [(100, 1.0), (100, 3.0), (400, 5.5)])
def test_certificate_at_the_size_of_section_6(p: int, lambda_in_noise_std: float) -> None:
    """k = 10, n = 2000, epsilon = 1, delta = 1e-4, s = 20, p = 400 or, where that takes minutes, 100: a gap of 1e-6."""
    rng = np.random.default_rng(0)
    n = 2000
    std = calibrate(1.0, 1e-4, p).std / np.sqrt(n)
    V = row_sparse_orthonormal(p, 10, 20, rng)
    Z = np.triu(std * rng.standard_normal((p, p)))
    rows = spiked_rows(V, 1.0, n, rng)
    S = rows.T @ rows / n + Z + np.triu(Z, 1).T
    result = sparse_subspace(S, 10, lambda_in_noise_std * std)
    assert result.converged
    assert result.gap <= 1e-6 * abs(result.bound)
    eigenvalues = np.linalg.eigvalsh(result.X)
    assert eigenvalues[0] > -1e-12
    assert eigenvalues[-1] < 1.0 + 1e-12
    assert np.trace(result.X) == pytest.approx(10.0, abs=1e-9)


def test_the_signal_of_section_6_is_below_the_noise() -> None:
    V = row_sparse_orthonormal(400, 10, 20, np.random.default_rng(0))
    std = calibrate(1.0, 1e-4, 400).std / np.sqrt(2000)
    assert np.max(np.abs(spiked_covariance(V, 1.0))) < 0.01 * std
