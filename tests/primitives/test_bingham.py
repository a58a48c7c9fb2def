"""The Bingham law: normaliser against closed forms, sampler against quadrature, exact acceptance probability.

Every statistical test here is at level LEVEL = 1e-6, so that a correct sampler fails one of them in fewer than
1 of 100,000 runs; seeds are fixed.
"""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats
from scipy.integrate import quad
from scipy.special import gammaln, ive, logsumexp

from dppca.reference.primitives import bingham

LEVEL = 1e-6


def rotation(d: int, seed: int) -> NDArray[np.float64]:
    return np.linalg.qr(np.random.default_rng(seed).standard_normal((d, d)))[0]


def series_log_normaliser(eigenvalues: NDArray[np.float64]) -> float:
    """Logarithm of 1F1(1/2; d/2; diag) from its series in zonal polynomials, all terms positive for eigenvalues >= 0.

    prod_i (1 - l_i t)^(-1/2) = sum_k c_k t^k has k c_k = (1/2) sum_j p_j c_{k-j}, p_j the power sums; the k-th term
    of the normaliser is c_k / (d/2)_k.
    """
    d, top = len(eigenvalues), float(np.max(eigenvalues))
    terms = int(4.0 * top + 400.0)
    power_sums = np.array([np.sum((eigenvalues / top) ** j) for j in range(1, terms + 1)])
    c = np.ones(terms + 1)
    for k in range(1, terms + 1):
        c[k] = 0.5 * (power_sums[:k] @ c[k - 1 :: -1]) / k
    k = np.arange(terms + 1)
    return float(logsumexp(np.log(c) + k * math.log(top) - gammaln(0.5 * d + k) + gammaln(0.5 * d)))


@pytest.mark.parametrize("d", [2, 3, 8, 64, 128])
@pytest.mark.parametrize("scale", [1e-3, 1.0, 30.0, 75.0, 1e3, 1e7])
def test_normaliser_of_two_eigenvalues_is_kummers_function(d: int, scale: float) -> None:
    for multiplicity in {1, d // 2, d - 1}:
        eigenvalues = np.repeat([scale, 0.0], [multiplicity, d - multiplicity])
        expected = scale + float(mpmath.log(mpmath.hyp1f1((d - multiplicity) / 2, d / 2, -scale)))
        basis = rotation(d, d)
        found = bingham.log_normaliser(basis @ np.diag(eigenvalues) @ basis.T)
        assert found == pytest.approx(expected, abs=1e-12 + 4e-15 * d * scale)


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 40), st.floats(0.01, 300.0), st.integers(1, 5), st.integers(0, 2**32 - 1))
def test_normaliser_of_any_spectrum_is_its_series(d: int, scale: float, power: int, seed: int) -> None:
    eigenvalues = np.random.default_rng(seed).random(d) ** power * scale
    found = bingham.log_normaliser(np.diag(eigenvalues))
    assert found == pytest.approx(series_log_normaliser(eigenvalues), abs=1e-11)


def test_normaliser_on_the_circle_is_a_bessel_function() -> None:
    expected = 2.0 + math.log(ive(0, 1.0)) + 1.0
    assert bingham.log_normaliser(np.diag([3.0, 1.0])) == pytest.approx(expected, abs=1e-14)


def draws(matrix: NDArray[np.float64], count: int, seed: int) -> NDArray[np.float64]:
    law, rng = bingham.BinghamLaw(1.0), np.random.default_rng(seed)
    return np.array([law.apply(matrix, law.draw(matrix, rng)) for _ in range(count)])


@pytest.mark.parametrize("gap", [0.0, 1.5, 40.0])
def test_circle_angles_follow_quadrature(gap: float) -> None:
    basis = rotation(2, 1)
    v = draws(basis @ np.diag([gap, 0.0]) @ basis.T, 6000, 11) @ basis
    angles = np.arctan2(v[:, 1], v[:, 0])
    edges = np.linspace(-np.pi, np.pi, 25)
    mass = np.array([quad(lambda a: math.exp(gap * (math.cos(a) ** 2 - 1.0)), *edges[i : i + 2])[0] for i in range(24)])
    expected = 6000 * mass / mass.sum()
    keep = expected >= 5.0
    observed = np.histogram(angles, edges)[0]
    pooled = [np.append(a[keep], a[~keep].sum()) if (~keep).any() else a for a in (observed, expected)]
    statistic = float(np.sum((pooled[0] - pooled[1]) ** 2 / pooled[1]))
    assert stats.chi2.sf(statistic, len(pooled[0]) - 1) > LEVEL


def sphere_cdf(eigenvalues: NDArray[np.float64], i: int) -> NDArray[np.float64]:
    """Distribution function of v_i on the sphere of R^3, on 2001 points of [-1, 1], by the trapezoidal rule.

    Given v_i = t the rest is sqrt(1 - t^2) times a point of the circle, whose mean of exp(.) is a Bessel function.
    """
    t = np.linspace(-1.0, 1.0, 2001)
    a, b = np.delete(eigenvalues, i)
    half = 0.5 * (1.0 - t**2) * abs(a - b)
    log_density = eigenvalues[i] * t**2 + 0.5 * (1.0 - t**2) * (a + b) + half + np.log(ive(0, half))
    density = np.exp(log_density - log_density.max())
    cumulated = np.concatenate([[0.0], np.cumsum(density[1:] + density[:-1])])
    return np.asarray(cumulated / cumulated[-1])


@pytest.mark.parametrize("eigenvalues", [[0.0, 0.0, 0.0], [4.0, 1.0, 0.0], [60.0, 55.0, 0.0], [200.0, 0.0, 0.0]])
def test_sphere_coordinates_follow_quadrature(eigenvalues: list[float]) -> None:
    spectrum, basis = np.array(eigenvalues), rotation(3, 2)
    v = draws(basis @ np.diag(spectrum) @ basis.T, 4000, 12) @ basis
    grid = np.linspace(-1.0, 1.0, 2001)
    for i in range(3):
        cdf = sphere_cdf(spectrum, i)
        assert stats.kstest(v[:, i], lambda x, cdf=cdf: np.interp(x, grid, cdf)).pvalue > LEVEL


@pytest.mark.parametrize(("d", "scale"), [(2, 40.0), (16, 300.0)])
def test_mean_score_is_the_derivative_of_the_log_normaliser(d: int, scale: float) -> None:
    """The score v^T M v is the sufficient statistic: its mean and variance are derivatives of log c(t M) at t = 1."""
    matrix = scale * np.diag(np.linspace(0.0, 1.0, d))
    low, middle, high = (bingham.log_normaliser(t * matrix) for t in (0.999, 1.0, 1.001))
    mean, variance = (high - low) / 2e-3, (high - 2.0 * middle + low) / 1e-6
    v = draws(matrix, 3000, 13)
    z = (float(np.mean(np.sum(v @ matrix * v, axis=1))) - mean) / math.sqrt(variance / 3000)
    assert 2.0 * stats.norm.sf(abs(z)) > LEVEL


@pytest.mark.parametrize(("d", "scale"), [(2, 3.0), (5, 20.0), (32, 500.0)])
def test_acceptance_probability_is_exact(d: int, scale: float) -> None:
    """The share of accepted proposals is binomial with the probability that the normaliser gives."""
    gaps = scale * np.linspace(0.0, 1.0, d)
    b, log_bound = bingham.envelope(gaps)
    proposals = np.random.default_rng(3).standard_normal((20000, d)) / np.sqrt(1.0 + 2.0 * gaps / b)
    exponent = (proposals**2 @ gaps) / np.sum(proposals**2, axis=1)
    log_ratio = -exponent + 0.5 * d * np.log1p(2.0 * exponent / b) - log_bound
    assert np.max(log_ratio) <= 1e-12  # the envelope is one
    uniform = np.random.default_rng(4).random(20000)
    accepted = int(np.sum(uniform < np.exp(log_ratio)))
    assert stats.binomtest(accepted, 20000, math.exp(bingham.log_acceptance(-np.diag(gaps)))).pvalue > LEVEL


@settings(max_examples=100, deadline=None)
@given(st.integers(2, 64), st.floats(-3.0, 7.0), st.integers(0, 2**32 - 1), st.booleans())
def test_acceptance_is_never_below_the_concentrated_limit(d: int, exponent: float, seed: int, equal: bool) -> None:
    gaps = 10.0**exponent * (np.ones(d) if equal else np.random.default_rng(seed).random(d))
    gaps[0] = 0.0
    assert bingham.log_acceptance(-np.diag(gaps)) >= 0.5 * math.log(2.0 / (math.e * d)) - 1e-9


def test_draws_do_not_depend_on_the_signs_of_the_eigenvectors() -> None:
    """A tape must replay with any eigensolver: the draw is the same function of the proposals in every basis."""
    law, rng = bingham.BinghamLaw(2.0), np.random.default_rng(5)
    A = np.diag([3.0, 2.0, 1.0])
    table = law.draw(A, rng)
    turn = rotation(3, 6)
    turned = table.copy()
    turned[:, :3] = table[:, :3] @ turn.T
    np.testing.assert_allclose(law.apply(turn @ A @ turn.T, turned), turn @ law.apply(A, table), atol=1e-12)


def test_impossible_and_malformed_values() -> None:
    law = bingham.BinghamLaw(1.0)
    assert law.log_likelihood(np.eye(2), np.array([1.0, 0.1])) == -math.inf
    assert law.log_likelihood(np.eye(1), np.array([-1.0])) == pytest.approx(0.0, abs=1e-12)
    with pytest.raises(ValueError, match="value must be a square matrix"):
        law.draw(np.ones((2, 3)), np.random.default_rng(0))
    with pytest.raises(ValueError, match="multiplier must be finite and > 0"):
        bingham.BinghamLaw(0.0)
    assert law.log_likelihood(np.eye(2), np.array([1.0, 0.0, 0.0])) == -math.inf
    nothing_accepted = np.column_stack([np.ones((128, 2)), np.ones(128)])
    with pytest.raises(RuntimeError, match="none of 128 proposals"):
        law.apply(np.diag([500.0, 0.0]), nothing_accepted)
