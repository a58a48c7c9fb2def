"""Fantope: projection, dual bound, certificate."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from dppca.audit.suite.wang2020.distributions import random_orthonormal
from dppca.reference.wang2020.certified_admm import Stopping, sparse_subspace
from dppca.reference.wang2020.fantope import (
    certify,
    check_symmetric,
    dual_bound,
    fantope_factor,
    fantope_weights,
    leading_eigenpairs,
    objective,
    project_fantope,
    soft_threshold,
)

Matrix = NDArray[np.float64]

#: Repeated levels and spacings of exactly 1 put breakpoints on top of each other and make flat segments.
levels = st.lists(st.one_of(st.sampled_from([-2.0, -1.0, 0.0, 0.25, 1.0, 3.0]), st.floats(-3.0, 3.0)), min_size=1, max_size=9)
scales = st.sampled_from([1e-6, 0.1, 1.0, 1.0, 7.0, 1e12])
seeds = st.integers(0, 2**32)


def rotated(eigenvalues: list[float], rng: np.random.Generator) -> Matrix:
    V = random_orthonormal(len(eigenvalues), len(eigenvalues), rng)
    A: Matrix = (V * np.array(eigenvalues)) @ V.T
    return 0.5 * (A + A.T)


def feasible_point(p: int, k: int, rng: np.random.Generator) -> Matrix:
    """Return a random point of the Fantope, made without the code under test: a mixture of rank-k projectors."""
    bases = [random_orthonormal(p, k, rng) for _ in range(3)]
    shares = rng.dirichlet(np.ones(3))
    return sum((share * V @ V.T for share, V in zip(shares, bases, strict=True)), np.zeros((p, p)))


def assert_feasible(X: Matrix, k: int) -> None:
    eigenvalues = np.linalg.eigvalsh(X)
    assert np.array_equal(X, X.T)
    assert eigenvalues[0] > -1e-12
    assert eigenvalues[-1] < 1.0 + 1e-12
    assert abs(np.trace(X) - k) < 1e-12 * len(X)


@given(levels, scales, seeds, st.data())
def test_projection_is_feasible_and_satisfies_the_variational_inequality(
    values: list[float], scale: float, seed: int, data: st.DataObject
) -> None:
    """X = P(A) iff <A - X, F - X> <= 0 for every feasible F; the extreme F is the top k of A - X."""
    k = data.draw(st.integers(1, len(values)))
    rng = np.random.default_rng(seed)
    A = scale * rotated(values, rng)
    X = project_fantope(A, k)
    assert_feasible(X, k)
    slack = 1e-11 * (1.0 + np.linalg.norm(A))
    top = np.sum(np.linalg.eigvalsh(A - X)[-k:])
    assert top - np.sum((A - X) * X) <= slack
    F = feasible_point(len(values), k, rng)
    assert np.sum((A - X) * (F - X)) <= slack


@given(levels, seeds, st.data())
def test_projection_leaves_feasible_points_alone(values: list[float], seed: int, data: st.DataObject) -> None:
    k = data.draw(st.integers(1, len(values)))
    F = feasible_point(len(values), k, np.random.default_rng(seed))
    assert np.allclose(project_fantope(F, k), F, rtol=0.0, atol=1e-12)


@given(levels, scales, st.data())
def test_weights_sum_to_k_and_keep_the_order(values: list[float], scale: float, data: st.DataObject) -> None:
    k = data.draw(st.integers(1, len(values)))
    eigenvalues = scale * np.array(values)
    weights = fantope_weights(eigenvalues, k)
    assert abs(np.sum(weights) - k) < 1e-13 * len(values)
    order = np.argsort(eigenvalues)
    assert np.all(np.diff(weights[order]) >= 0.0)
    shifts = (eigenvalues - weights)[(weights > 0.0) & (weights < 1.0)]
    assert np.allclose(shifts, np.mean(shifts) if shifts.size else 0.0, rtol=1e-12, atol=1e-12)  # all equal theta


@pytest.mark.parametrize(
    ("eigenvalues", "k", "weights"),
    [
        ([5.0, 2.0, 1.0, 0.0], 2, [1.0, 1.0, 0.0, 0.0]),  # flat segment: any theta in [1, 1]
        ([1.0, 1.0, 1.0, 0.0], 2, [2 / 3, 2 / 3, 2 / 3, 0.0]),  # tie across k
        ([0.75, 0.5, 0.5], 1, [0.5, 0.25, 0.25]),  # theta = 0.25
        ([0.0, 0.0], 1, [0.5, 0.5]),
        ([1e17, 1e17, -1e17], 1, [0.5, 0.5, 0.0]),  # where x - 1 == x
        ([9.0, -9.0, 0.3], 3, [1.0, 1.0, 1.0]),  # k = p
        ([0.2, 0.1], 1, [0.55, 0.45]),
    ],
)
def test_weights_in_known_cases(eigenvalues: list[float], k: int, weights: list[float]) -> None:
    assert np.allclose(fantope_weights(np.array(eigenvalues), k), weights, rtol=0.0, atol=1e-15)


@pytest.mark.parametrize("spread", [0.0, 3.0])
def test_leading_eigenpairs_give_the_same_projection(spread: float) -> None:
    """With spread 0 the projection has full rank, so the leading pairs do not suffice and all must be used."""
    rng = np.random.default_rng(7)
    A = rotated([*(spread * np.ones(4)), *(0.01 * rng.random(60))], rng)
    rank = fantope_factor(A, 3).shape[1]
    assert rank == (4 if spread else 64)
    assert np.allclose(project_fantope(A, 3, leading=7), project_fantope(A, 3), rtol=0.0, atol=1e-13)


@given(levels, seeds, st.floats(0.0, 2.0), st.data())
def test_every_dual_point_bounds_every_feasible_point(
    values: list[float], seed: int, lambda_: float, data: st.DataObject
) -> None:
    p = len(values)
    k = data.draw(st.integers(1, p))
    rng = np.random.default_rng(seed)
    S = rotated(values, rng)
    W = rng.uniform(-3.0, 3.0, (p, p))
    W = W + W.T
    X = feasible_point(p, k, rng)
    certificate = certify(S, k, lambda_, [X, project_fantope(S, k)], W)
    assert certificate.gap >= -1e-12
    assert certificate.bound == dual_bound(S, certificate.W, lambda_, k)
    assert np.max(np.abs(certificate.W)) <= lambda_
    assert certificate.objective >= objective(S, X, lambda_)


@pytest.mark.parametrize("seed", [0, 5, 11, 19])
def test_many_equal_eigenvalues_are_no_reason_to_give_up(seed: int) -> None:
    """Of these matrices, -0.224 I less one of rank 3, LAPACK's driver for some of the eigenvalues says "Internal Error"."""
    p, basis = 35, np.linalg.qr(np.random.default_rng(seed).standard_normal((35, 3)))[0]
    matrix = -0.224 * np.eye(p) - basis @ np.diag([0.03, 0.01, 0.007]) @ basis.T
    matrix = (matrix + matrix.T) / 2
    assert dual_bound(matrix, np.zeros((p, p)), 0.0, 2) == pytest.approx(-0.448, rel=1e-12)
    assert np.trace(project_fantope(matrix, 1, leading=1)) == pytest.approx(1.0, rel=1e-12)
    assert leading_eigenpairs(matrix, 1)[1].shape == (p, 1)


def test_dual_bound_is_attained() -> None:
    """At lambda = 0 the optimum is the top k; at lambda >= max |S_ij| it is the k largest diagonal entries."""
    rng = np.random.default_rng(3)
    S = rotated([4.0, 2.5, 1.0, 0.5, -1.0], rng)
    V = np.linalg.eigh(S)[1][:, -2:]
    assert dual_bound(S, np.zeros((5, 5)), 0.0, 2) == pytest.approx(objective(S, V @ V.T, 0.0), abs=1e-12)
    lambda_ = float(np.max(np.abs(S)))
    W = S - np.diag(np.diag(S)) + lambda_ * np.eye(5)
    X = np.diag((np.diag(S) >= np.sort(np.diag(S))[-2]).astype(float))
    assert dual_bound(S, W, lambda_, 2) == pytest.approx(objective(S, X, lambda_), abs=1e-12)


@given(st.floats(-5.0, 5.0), st.floats(0.0, 5.0))
def test_soft_threshold_is_the_printed_formula(x: float, threshold: float) -> None:
    printed = np.sign(x) * max(abs(x) - threshold, 0.0)
    result = soft_threshold(np.array([x]), threshold)[0]
    assert result == pytest.approx(printed, abs=1e-15)
    assert (result == 0.0) == (abs(x) <= threshold)


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        (np.ones((2, 3)), r"S must have shape \(2, 2\), got \(2, 3\)"),
        (np.array([[1.0, 2.0], [0.0, 1.0]]), r"S must be symmetric, got max .* = 2.0"),
        (np.array([[np.nan]]), r"S must be finite, got .*nan.* at index \(0, 0\)"),
    ],
)
def test_check_symmetric_names_what_is_wrong(matrix: Matrix, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        check_symmetric("S", matrix)


def test_a_dual_point_outside_its_box_is_refused() -> None:
    with pytest.raises(ValueError, match=r"W must have entries of at most lambda_ = 0.5, got 1.0"):
        dual_bound(np.eye(2), np.eye(2), 0.5, 1)


def test_k_outside_its_range_is_refused() -> None:
    with pytest.raises(ValueError, match=r"k must be in 1..2, got 3"):
        project_fantope(np.eye(2), 3)


def test_weights_in_the_fantope() -> None:
    """3 - 2.25 and 2.5 - 2.25 add to 1; at k = 2 the largest is cut at 1, and 1 - 0.6 with 0.6 is left of the others."""
    assert fantope_weights(np.array([0.0, 3.0, 2.5]), 1) == pytest.approx([0.0, 0.75, 0.25])
    assert fantope_weights(np.array([9.0, 1.0, 0.8]), 2) == pytest.approx([1.0, 0.6, 0.4])
    assert fantope_weights(np.array([2.0, -1.0]), 2) == pytest.approx([1.0, 1.0])


def test_rho_is_that_of_the_last_pass() -> None:
    """With one pass no other rho than the first was ever used, though the residuals would have it changed."""
    S = np.diag([3.0, 1.0, 0.5])
    for rho in (1e-3, 1e3):
        found = sparse_subspace(S, 1, 0.1, rho=rho, stopping=Stopping(gap=1e-12, max_iterations=1))
        assert (found.iterations, found.converged, found.rho) == (1, False, rho)
