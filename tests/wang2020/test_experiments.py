"""What the experiments of wang2020 rest on: the reduction of problem (5), the predicted mean, the loaders."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from scipy.io import savemat

from dppca.audit.suite.wang2020.distributions import random_orthonormal, row_sparse_orthonormal, spiked_covariance
from dppca.audit.suite.wang2020.experiments import (
    Point,
    Spiked,
    distance,
    drawn_rows,
    first_order_mean,
    fit_rates,
    load_rows,
    random_level,
    relevant_rows,
    screened_subspace,
    second_moments,
    sparse_reference,
    theorem_2_distance,
    theorem_4_distance,
)
from dppca.audit.suite.wang2020.test_utility import plot_along
from dppca.proofs_notes.wang2020.section_6 import error_floor, hypergeometric, information, spread
from dppca.reference.primitives.subspaces import projector
from dppca.reference.primitives.symmetric import symmetric_matrix, upper_triangle
from dppca.reference.wang2020.certified_admm import Stopping, sparse_subspace


@pytest.mark.parametrize("share", [0.3, 0.6, 0.8, 1.1])
@pytest.mark.parametrize("seed", range(3))
def test_the_relevant_rows_hold_the_optimum(share: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    V = row_sparse_orthonormal(20, 2, 6, rng)
    S = projector(V) + symmetric_matrix(0.1 * rng.standard_normal(210), 20)
    S = symmetric_matrix(upper_triangle(S), 20)
    lambda_ = share * float(np.max(np.abs(S - np.diag(np.diag(S)))))
    kept = relevant_rows(S, 2, lambda_)
    assert (len(kept) == 2) == (share > 1.0)
    assert len(kept) < 20 or share < 0.5
    stopping = Stopping(gap=1e-7)
    full, reduced = (sparse_subspace(matrix, 2, lambda_, stopping=stopping) for matrix in (S, S[np.ix_(kept, kept)]))
    assert full.converged
    assert reduced.converged
    assert reduced.objective == pytest.approx(full.objective, rel=2e-7)
    basis = screened_subspace(S, 2, lambda_, stopping)
    assert basis[kept] == pytest.approx(reduced.basis)
    assert np.count_nonzero(np.delete(basis, kept, axis=0)) == 0


def test_rows_and_second_moments_have_the_covariance_of_equation_7() -> None:
    rng = np.random.default_rng(0)
    V = random_orthonormal(40, 10, rng)
    of, Sigma = Spiked.equation_7(V, 3.0), spiked_covariance(V, 3.0)
    assert of.covariance == pytest.approx(Sigma)
    X = drawn_rows(of, 100_000, rng)
    assert np.linalg.norm(X.T @ X / len(X) - Sigma) < 0.03 * np.linalg.norm(Sigma)
    assert np.linalg.norm(second_moments(of, 1e9, rng) - Sigma) < 3e-4 * np.linalg.norm(Sigma)


def test_rows_are_clipped_and_moments_refused_where_that_matters() -> None:
    rng = np.random.default_rng(0)
    of = Spiked(np.eye(3, 1), gap=4.0, low=1.0)
    assert np.max(np.linalg.norm(drawn_rows(of, 100, rng), axis=1)) <= 1.0 + 1e-12
    with pytest.raises(ValueError, match=r"rows must lie in the unit ball but for probability 1e-06, got a bound of 100"):
        second_moments(of, 100, rng)


def test_first_order_mean_of_coordinate_axes() -> None:
    of = Spiked(np.eye(10, 3), gap=2.0, low=1.0)
    assert first_order_mean(of, 1.0, 0.0) == pytest.approx(21 * 3.0 * 1.0 / 4.0)  # k (p - k) sigma_k^2
    assert first_order_mean(of, 1.0, 1.0) == pytest.approx(21 * (3.0 + 1.0) / 4.0)  # no entry has weight on the diagonal


def test_fit_rates_finds_exponents() -> None:
    rng = np.random.default_rng(0)
    n, p = (np.exp(rng.uniform(0.0, 2.0, 200)) for _ in range(2))
    errors = 3.0 / n * p**2 * np.exp(0.1 * rng.standard_normal(200))
    rates = fit_rates({"n": n.tolist(), "p": p.tolist()}, errors.tolist(), {"n": -1.0, "p": 1.0})
    assert rates[0].agrees
    assert not rates[1].agrees
    assert rates[1].exponent == pytest.approx(2.0, abs=0.1)


def test_distance_and_random_level() -> None:
    assert distance(np.eye(4, 2), np.eye(4)[:, 2:]) == pytest.approx(2.0)
    rng = np.random.default_rng(0)
    squares = [distance(np.eye(9, 2), random_orthonormal(9, 2, rng)) ** 2 for _ in range(2000)]
    assert math.sqrt(np.mean(squares)) == pytest.approx(random_level(9, 2), rel=0.01)


def test_point_works_only_when_its_interval_is_below() -> None:
    assert Point(("a",), [1.0, 1.1, 0.9], 2.0).works
    assert not Point(("a",), [1.0, 3.0], 2.0).works
    assert Point(("a",), [1.0, 1.0], 2.0).row == ("a", "1.000", "[1.000, 1.000]", "2.000")


def test_load_rows(tmp_path: Path) -> None:
    savemat(tmp_path / "a.mat", {"X": np.array([[3, 4], [0, 2]], dtype=np.int16), "Y": np.zeros(2)})
    assert load_rows(tmp_path / "a.mat") == pytest.approx(np.array([[0.6, 0.8], [0.0, 1.0]]))
    (tmp_path / "b.svmlight").write_text("-1 1:3 2:4 \n+1 3:2\n")
    assert load_rows(tmp_path / "b.svmlight") == pytest.approx(np.array([[0.6, 0.8, 0.0], [0.0, 0.0, 1.0]]))


def test_sparse_reference_finds_a_planted_subspace() -> None:
    rng = np.random.default_rng(0)
    V = row_sparse_orthonormal(50, 2, 6, rng)
    X = rng.standard_normal((400, 2)) @ V.T + 0.05 * rng.standard_normal((400, 50))
    found = sparse_reference(X, 2, 6, starts=10, rng=rng)
    assert distance(found, V) < 0.05
    assert np.count_nonzero(np.linalg.norm(found, axis=1) > 1e-12) == 6


@pytest.mark.parametrize("blocks", [1, 2])
def test_the_spread_is_the_distance_from_the_mean_over_relabellings(blocks: int) -> None:
    X = np.random.default_rng(3).standard_normal((7, 4))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    S = X.T @ X / 7
    first = np.argsort(np.linalg.eigh(S)[1][:, -1])
    kept = [set(first.tolist())] if blocks == 1 else [set(first[:2].tolist()), set(first[2:].tolist())]
    group = [g for g in itertools.permutations(range(4)) if all({g[i] for i in block} == block for block in kept)]
    M = sum(S[np.ix_(g, g)] for g in group) / len(group)
    smallest, found = spread(X, blocks)
    assert smallest == 4 // blocks
    assert found == pytest.approx(float(np.sum(upper_triangle(S - M) ** 2)))


def test_no_estimate_of_few_messages_is_below_the_floor() -> None:
    """An estimate that knows T of the ten axes: with I nats of a message it pays for a law tilted towards small errors."""
    law = hypergeometric(2000, 20)
    assert sum(law) == 1
    assert law[1] == Fraction(20 * math.comb(1980, 9), math.comb(2000, 10))
    errors = np.sqrt(20.0 - 2.0 * np.arange(11))
    for tilt in (0.5, 2.0, 10.0):
        weights = np.array([float(q) for q in law]) * np.exp(-tilt * errors)
        weights /= weights.sum()
        nats = float(np.sum(weights * np.log(weights / np.array([float(q) for q in law]))))
        least = float(error_floor(information(1, Fraction(1), Fraction(1, 2)) * 0 + nats, law))
        assert least == pytest.approx(float(weights @ errors), abs=0.01)


def test_the_stated_rates_stand_beside_ours() -> None:
    """By hand: lambda_1 / gap = 2, so 4 k p log(1e4) / (n epsilon^2) = 0.589462, and 4 s^2 log p / (n epsilon^2) = 4.793172."""
    assert theorem_2_distance(10, 40, 1e5, 0.5) == pytest.approx(math.sqrt(2 * 0.589462), rel=1e-6)
    assert theorem_4_distance(20, 400, 2000, 1.0) == pytest.approx(math.sqrt(2 * 4.793172), rel=1e-6)
    points = [Point((k, n), [1.0, 1.5], 2.0) for k, n in itertools.product("58", ("1e5", "2e5", "4e5"))]
    plot = plot_along(("k", "n"), points, "n", ("Theorem 2", lambda point: 8e5 / float(point.setting[1])))
    *ours, stated, random = plot.series
    assert [series.name for series in ours] == ["k = 5", "k = 8"]
    assert (stated.name, stated.marks) == ("stated rate, k = 5", "dots")
    assert [(x, y) for x, y, _, _ in stated.points] == [(2e5, 2.0), (4e5, 1.0)]  # at 1e5 it says nothing
    assert random.name == "random subspace"
