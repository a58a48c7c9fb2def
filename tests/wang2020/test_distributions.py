"""Samplers, packings and conditions of wang2020."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import chi2

from dppca.audit.suite.wang2020.distributions import (
    PSI_2_INFIMUM,
    class_conditions,
    correlation,
    gaussian_psi_2,
    grassmann_packing,
    hypercube_packing,
    hypercube_size,
    local_grassmann_packing,
    local_stiefel_embedding,
    norm_exponent,
    pad_rows,
    random_orthonormal,
    row_sparse_orthonormal,
    spectrum,
    spiked_covariance,
    spiked_rows,
    support_recovery,
)
from dppca.reference.primitives.subspaces import projector, sin_theta_distance
from dppca.reference.wang2020.certified_admm import Stopping, sparse_subspace

seeds = st.integers(0, 2**32)


# samplers


@given(seeds, st.integers(1, 6), st.integers(0, 4), st.integers(0, 5))
def test_sparse_basis_is_orthonormal_with_s_rows(seed: int, k: int, extra: int, zeros: int) -> None:
    s, p = k + extra, k + extra + zeros
    V = row_sparse_orthonormal(p, k, s, np.random.default_rng(seed))
    assert np.allclose(V.T @ V, np.eye(k), atol=1e-12)
    assert np.count_nonzero(np.linalg.norm(V, axis=1)) == s


def test_orthonormal_matrices_are_uniform() -> None:
    """E V_ij = 0 and E V_ij^2 = 1 / p under Haar measure; without the sign fix V_11 is one-sided. 6-sigma tests."""
    rng = np.random.default_rng(0)
    draws = np.array([random_orthonormal(3, 2, rng) for _ in range(4000)])
    assert np.max(np.abs(np.mean(draws, axis=0))) < 6.0 * math.sqrt(1 / 3 / 4000)
    assert np.max(np.abs(np.mean(draws**2, axis=0) - 1 / 3)) < 6.0 * math.sqrt(4 / 45 / 4000)


def test_equation_7_spectrum_and_sampler() -> None:
    """The whitened sample has a chi-square norm; a 6-sigma test of the sampler along and across V."""
    rng = np.random.default_rng(1)
    V = random_orthonormal(8, 3, rng)
    values = np.linalg.eigvalsh(spiked_covariance(V, 4.0))
    assert np.allclose(values, [1 / 200] * 5 + [1 / 40] * 3, rtol=1e-12)
    X = spiked_rows(V, 4.0, 20_000, rng)
    along, all_ = np.sum((X @ V) ** 2) * 40, np.sum(X**2) * 200
    assert abs(along - 60_000) < 6.0 * math.sqrt(2 * 60_000)
    assert abs(all_ - 5.0 * along - 100_000) < 6.0 * math.sqrt(2 * 100_000)


# packings


@given(seeds, st.integers(1, 3), st.integers(0, 2), st.integers(0, 4), st.floats(0.0, 1.0))
def test_lemma_8(seed: int, d: int, extra: int, rows: int, alpha: float) -> None:
    """Both inequalities, and the identity behind them.

    ||sin Theta||^2 = alpha^2 (1 - alpha^2) ||J_1 - J_2||^2 + alpha^4 (d - ||J_1^T J_2||^2).
    """
    rng = np.random.default_rng(seed)
    k = d + extra
    J1, J2 = (random_orthonormal(d + rows, d, rng) for _ in range(2))
    A1, A2 = (local_stiefel_embedding(J, alpha, k) for J in (J1, J2))
    assert A1.shape == (k + d + rows, k)
    assert np.allclose(A1.T @ A1, np.eye(k), atol=1e-12)
    squared = sin_theta_distance(A1, A2) ** 2
    distance = float(np.sum((J1 - J2) ** 2))
    assert alpha**2 * (1 - alpha**2) * distance - 1e-9 <= squared <= alpha**2 * distance + 1e-9
    rest = alpha**4 * (d - float(np.sum((J1.T @ J2) ** 2)))
    assert squared == pytest.approx(alpha**2 * (1 - alpha**2) * distance + rest, abs=1e-9)


@pytest.mark.parametrize(("m", "s"), [(3, 1), (3, 3), (8, 2), (9, 9), (12, 5)])
def test_lemma_10(m: int, s: int) -> None:
    size = hypercube_size(m, s)
    packing = hypercube_packing(m, s, limit=size + 5)
    assert math.log(size) >= max(s * (1 + math.log(m / s)) / 30, math.log(m)) > math.log(size - 1)
    assert size <= len(packing) <= size + 5 or s == 1
    for J in packing:
        assert np.linalg.norm(J) == pytest.approx(1.0)
        assert np.count_nonzero(J) <= s
    assert min(float(np.sum((a - b) ** 2)) for a, b in combinations(packing, 2)) >= 0.25 - 1e-12


def test_hypercube_packing_refuses_pairs_that_are_too_close() -> None:
    """Supports of sizes 4 and 5, nested, have squared distance 2 - 4 / sqrt(5) = 0.21."""
    sizes = [int(np.count_nonzero(J)) for J in hypercube_packing(6, 6, limit=1000)]
    assert sizes.count(4) == 15
    assert sizes.count(5) == 0


def test_lemma_11_packing_and_the_count_that_the_paper_asks_for() -> None:
    """Lines in the plane (k = 1, s = 2): sin >= sqrt(delta) leaves at most pi / arcsin(sqrt(delta)) of them.

    That is of order delta^(-1/2); the paper asks for at least c_2 / delta, whatever the constant c_2.
    """
    rng = np.random.default_rng(4)
    packing = grassmann_packing(2, 1, 0.3, 2000, rng)
    assert min(sin_theta_distance(a, b) for a, b in combinations(packing, 2)) >= 0.3
    most = math.floor(math.pi / math.asin(0.3))
    assert most / 2 <= len(packing) <= most


def test_local_packing_of_lemma_2() -> None:
    packing = local_grassmann_packing(4, 1, alpha=0.5, epsilon=0.4, draws=100, rng=np.random.default_rng(2))
    distances = [float(np.linalg.norm(projector(a) - projector(b))) for a, b in combinations(packing, 2)]
    assert 10 < len(packing) < 100
    assert 0.2 <= min(distances) <= max(distances) <= 0.8
    with pytest.raises(ValueError, match=r"epsilon must be in \[0, sqrt\(2k\)\] = \[0, 2.0\], got 3.0"):
        local_grassmann_packing(8, 2, 0.5, 3.0, 1, np.random.default_rng(2))
    assert len(local_grassmann_packing(8, 2, 0.5, 1.9, 1, np.random.default_rng(2))) == 1


def test_padding_lemma_10_with_s_rows_leaves_the_class() -> None:
    """Section 7.3: A_alpha(J) has up to k rows more than J, so J must have s - k non-zero rows for M_0(s), not s."""
    J = hypercube_packing(9, 4, limit=200)[-1]
    A = local_stiefel_embedding(J[:, None], 0.5, k=3)
    assert np.count_nonzero(J) == 4
    assert np.count_nonzero(np.linalg.norm(A, axis=1)) == 4 + 3
    assert pad_rows(A, 20).shape == (20, 3)


# the classes


@pytest.mark.parametrize("std", [0.1, 1.0, 3.0])
def test_gaussian_psi_2_norm_solves_its_equation(std: float) -> None:
    C = gaussian_psi_2(std)

    def integrand(z: float) -> float:
        return math.exp((z * std / C) ** 2 - z * z / 2) / math.sqrt(2 * math.pi)

    assert quad(integrand, -40.0, 40.0)[0] == pytest.approx(2.0, rel=1e-9)


@given(st.lists(st.floats(0.01, 10.0), min_size=1, max_size=8), st.lists(st.integers(1, 9), min_size=8, max_size=8))
def test_unit_variance_forces_a_psi_2_norm_above_one(values: list[float], weights: list[int]) -> None:
    """Symmetric discrete variables scaled to variance 1: at C = PSI_2_INFIMUM the expectation is at least 2."""
    w = np.array(weights[: len(values)]) / sum(weights[: len(values)])
    squares = np.array(values) ** 2 / np.sum(w * np.array(values) ** 2)
    assert np.sum(w * np.exp(squares / PSI_2_INFIMUM**2)) >= 2.0 * (1.0 - 1e-12)
    assert PSI_2_INFIMUM > 1.2


@pytest.mark.parametrize("p", [1, 5, 40])
def test_norm_exponent_is_a_valid_and_reasonable_bound(p: int) -> None:
    """For v I_p, with v p < 1, Chernoff's bound is (1/v - p + p log(v p)) / 2, below the exact chi^2_p tail."""
    for v in (0.1 / p, 0.5 / p, 0.9 / p):
        exact = -float(chi2.logsf(1.0 / v, p))
        exponent = norm_exponent(v * np.eye(p))
        assert exponent <= exact
        assert exponent == pytest.approx((1.0 / v - p + p * math.log(v * p)) / 2.0, rel=1e-6)
    assert norm_exponent(2.0 * np.eye(p) / p) < 1e-4
    assert norm_exponent(np.zeros((p, p))) == math.inf


def test_conditions_of_the_class_for_equation_7() -> None:
    V = row_sparse_orthonormal(40, 10, 15, np.random.default_rng(0))
    psi_2, norm, eigengap, variance, sparsity = class_conditions(spiked_covariance(V, 1.0), 10, 2.0, s=15)
    assert psi_2.value == pytest.approx(math.sqrt(8 / 3))
    assert not psi_2.holds
    assert norm.holds
    assert norm.value > 0.25  # the constant that the proof of Theorem 1 uses
    assert eigengap.value == pytest.approx(1 / 400)
    assert variance.value == pytest.approx(2.0)  # (lambda + 1) / lambda^2 at lambda = 1
    assert sparsity.value == 15
    assert sparsity.holds
    assert not class_conditions(spiked_covariance(V, 1.0), 10, 1.9, s=14)[3].holds
    assert not class_conditions(spiked_covariance(V, 1.0), 10, 1.9, s=14)[4].holds
    assert len(class_conditions(spiked_covariance(V, 1.0), 10, 2.0)) == 4


def test_no_eigengap_is_reported_and_not_divided_by() -> None:
    _, _, eigengap, variance = class_conditions(np.eye(4) / 10, 2, 1.0)
    assert not eigengap.holds
    assert variance.value == math.inf


# support recovery


def recoverable(correlated: float) -> np.ndarray:
    """Sigma on R^6 with V_2 supported on {0, 1, 2, 3}; `correlated` puts one entry into Sigma_{J^c J}."""
    V = np.zeros((6, 2))
    V[:2, 0] = V[2:4, 1] = math.sqrt(0.5)
    Sigma = projector(V) + 0.5 * np.eye(6)
    Sigma[4, 0] += correlated  # V stays leading only if correlated columns are orthogonal to it
    Sigma[4, 1] -= correlated
    Sigma[0, 4], Sigma[1, 4] = Sigma[4, 0], Sigma[4, 1]
    return Sigma


def test_correlation_is_definition_4() -> None:
    assert correlation(recoverable(0.0), 2, 4) == 0.0
    Sigma = recoverable(0.01)
    of = spectrum(Sigma, 2)
    assert list(of.J) == [0, 1, 2, 3]
    assert correlation(Sigma, 2, 4) == pytest.approx(8 * 4 * 0.01 * math.sqrt(2.0) / of.eigengap)


def test_lemma_17_conditions_and_their_conclusion() -> None:
    Sigma = recoverable(0.0)
    rng = np.random.default_rng(3)
    E = 0.002 * rng.uniform(-1.0, 1.0, (6, 6))
    S = Sigma + np.triu(E) + np.triu(E, 1).T
    deviation = float(np.max(np.abs(S - Sigma)))
    conditions = support_recovery(Sigma, 2, deviation, 4, deviation)
    assert conditions.penalty.value == pytest.approx(1.0)
    assert conditions.curvature.value == pytest.approx(1.0 - 16 * deviation * (1 + 8 * 1.5))
    assert conditions.leverage.bound == pytest.approx(16 * deviation)
    assert conditions.exact
    result = sparse_subspace(S, 2, deviation, stopping=Stopping(gap=1e-12))
    assert list(result.support) == [0, 1, 2, 3]
    too_small = support_recovery(Sigma, 2, 0.9 * deviation, 4, deviation)
    assert not too_small.penalty.holds
    assert not too_small.exact
    assert not support_recovery(Sigma, 2, 0.01, 4, 0.0).no_false_positives  # curvature fails: 16 * 0.01 * 13 > 1


def test_support_recovery_refuses_an_s_below_the_support() -> None:
    with pytest.raises(ValueError, match=r"s must be >= \|supp\(V_k\)\| = 4, got 3"):
        support_recovery(recoverable(0.0), 2, 0.1, 3, 0.0)
