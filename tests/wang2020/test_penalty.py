"""Explicit constants for the penalty of Theorems 4 and 5."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, norm

from dppca.audit.suite.wang2020.distributions import row_sparse_orthonormal, spiked_covariance, spiked_rows
from dppca.audit.suite.wang2020.penalty import (
    lemma_15_bound,
    noise_maximum,
    noise_maximum_union,
    sampling_maximum_bounded,
    sampling_maximum_gaussian,
    theorem_4_lambda,
    theorem_5_lambda,
)
from dppca.reference.primitives.subspaces import projector, sin_theta_distance
from dppca.reference.wang2020.certified_admm import Stopping, sparse_subspace

#: Each sampled test fails a correct implementation with probability at most this.
FALSE_ALARM = 1e-9


@given(st.integers(1, 2000), st.floats(1e-12, 0.99), st.integers(1, 10**6), st.floats(1e-3, 1e3))
def test_noise_quantile_is_exact_and_below_the_union_bound(p: int, beta: float, n: int, std: float) -> None:
    t = noise_maximum(std, n, p, beta)
    m = p * (p + 1) // 2
    exceeds = -math.expm1(m * math.log1p(-2.0 * norm.sf(t * math.sqrt(n) / std)))
    assert exceeds == pytest.approx(beta, rel=1e-8)
    assert t <= noise_maximum_union(std, n, p, beta) * (1.0 + 1e-12)


def test_printed_noise_tail_is_too_small() -> None:
    """The paper: P(max |Z_ij| > t) <= 2 p^2 exp(-t^2 / variance). At p = 40 and t = 4 std the truth is 140 times that."""
    p, t = 40, 4.0
    truth = -math.expm1(p * (p + 1) // 2 * math.log1p(-2.0 * norm.sf(t)))
    assert truth > 100.0 * 2.0 * p * p * math.exp(-t * t)


def deviations(bounded: bool, trials: int) -> tuple[np.ndarray, float]:
    """Samples of ||S - Sigma||_{inf,inf} at p = 3, n = 40, and the largest variance."""
    rng = np.random.default_rng(5)
    if bounded:  # x is 0 or e_1, at even odds: no entry of x x^T can be spread wider than that
        hits = rng.random((trials, 40)) < 0.5
        return np.abs(np.mean(hits, axis=1) - 0.5), 0.5
    scale = np.array([1.0, 0.5, 0.25])
    X = scale * rng.standard_normal((trials, 40, 3))
    S = np.einsum("tni,tnj->tij", X, X) / 40
    return np.max(np.abs(S - np.diag(scale**2)), axis=(1, 2)), 1.0


@pytest.mark.parametrize("beta", [0.3, 0.05])
def test_sampling_bounds_hold_at_their_confidence(beta: float) -> None:
    for bounded in (True, False):
        sample, variance = deviations(bounded, 20_000)
        bound = sampling_maximum_bounded(40, 3, beta) if bounded else sampling_maximum_gaussian(variance, 40, 3, beta)
        exceeded = int(np.sum(sample > bound))
        assert binomtest(exceeded, sample.size, beta, alternative="greater").pvalue > FALSE_ALARM
        assert np.max(sample) > bound / 4.0  # not vacuous: within a factor of what happens


def test_lambda_covers_the_deviation_and_splits_beta() -> None:
    p, n, beta, std = 12, 50, 0.2, 3.0
    V = row_sparse_orthonormal(p, 2, 4, np.random.default_rng(1))
    Sigma = spiked_covariance(V, 2.0)
    lambda_ = theorem_4_lambda(std, n, p, beta, float(np.max(np.diag(Sigma))))
    assert lambda_ > noise_maximum(std, n, p, beta / 2.0)
    assert theorem_4_lambda(std, n, p, beta) > lambda_  # the distribution-free sampling part is larger here
    rng = np.random.default_rng(2)
    exceeded = 0
    for _ in range(400):
        X = spiked_rows(V, 2.0, n, rng)
        Z = np.triu(rng.standard_normal((p, p))) * std / math.sqrt(n)
        exceeded += bool(np.max(np.abs(X.T @ X / n + Z + np.triu(Z, 1).T - Sigma)) > lambda_)
    assert binomtest(exceeded, 400, beta, alternative="greater").pvalue > FALSE_ALARM
    assert binomtest(exceeded, 400, beta / 100, alternative="less").pvalue > FALSE_ALARM


def test_theorem_5_lambda_meets_the_first_condition_of_lemma_17() -> None:
    assert theorem_5_lambda(0.25, 1.0, 100, 5, 0.1) == pytest.approx(4.0 * theorem_4_lambda(1.0, 100, 5, 0.1))
    with pytest.raises(ValueError, match=r"alpha must be in \(0, 1\], got 0.0"):
        theorem_5_lambda(0.0, 1.0, 100, 5, 0.1)


@pytest.mark.parametrize("max_iterations", [10, 2000])
@pytest.mark.parametrize("size", [0.02, 0.1])
def test_lemma_15_holds_with_the_gap_of_the_certificate(size: float, max_iterations: int) -> None:
    rng = np.random.default_rng(3)
    V = row_sparse_orthonormal(15, 2, 4, rng)
    E = size * rng.uniform(-1.0, 1.0, (15, 15))
    S = projector(V) + np.triu(E) + np.triu(E, 1).T
    lambda_ = float(np.max(np.abs(S - projector(V))))
    result = sparse_subspace(S, 2, lambda_, stopping=Stopping(max_iterations=max_iterations))
    bound = lemma_15_bound(lambda_, s=4, eigengap=1.0, gap=result.gap)
    assert float(np.linalg.norm(result.X - projector(V))) <= bound
    assert sin_theta_distance(result.basis, V) <= math.sqrt(2.0) * bound


def test_lemma_15_bound_is_the_positive_root() -> None:
    x = lemma_15_bound(0.1, s=4, eigengap=0.5, gap=0.3)
    assert 0.5 / 2.0 * x * x == pytest.approx(2.0 * 0.1 * 4 * x + 0.3)
    assert lemma_15_bound(0.1, s=4, eigengap=0.5) == pytest.approx(4.0 * 0.1 * 4 / 0.5)  # as published


def test_the_union_bound_on_the_noise() -> None:
    """m = 6 entries and beta = 6 / e^4: std sqrt(2 * 4 / 8) is std."""
    assert noise_maximum_union(3.0, 8, 3, 6.0 * math.exp(-4.0)) == pytest.approx(3.0, rel=1e-12)
