"""Assumption 1 for Gaussian rows and Example 4.1: exact parameters against quadrature, bounds against exact tails."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.polynomial.hermite_e import hermegauss
from numpy.typing import NDArray
from scipy.integrate import quad
from scipy.stats import chi2, norm

from dppca.audit.suite.liu2022.models import (
    TAIL_K,
    chaos_bound,
    chi_square_tail,
    gaussian_model,
    signal_and_noise_model,
)

Matrix = NDArray[np.float64]

spectra = st.lists(st.floats(0.01, 1.0), min_size=1, max_size=2).map(lambda rest: np.diag([1.5, *rest]))


def gaussian_grid(d: int, nodes: int = 8) -> tuple[Matrix, Matrix]:
    """Return the points (m, d) and weights (m,) that integrate polynomials of degree < 2 nodes against N(0, I) exactly."""
    points, weights = hermegauss(nodes)
    weights = weights / np.sum(weights)
    grid = np.stack([g.ravel() for g in np.meshgrid(*[points] * d, indexing="ij")], axis=1)
    mass = np.prod(np.stack([w.ravel() for w in np.meshgrid(*[weights] * d, indexing="ij")]), axis=0)
    return grid, mass


def squared_norm(X: Matrix, mass: Matrix) -> float:
    """Return ||E (x x^T - Sigma)^2||_2."""
    A = X[:, :, None] * X[:, None, :]
    C = A - np.einsum("m,mij->ij", mass, A)
    return float(np.linalg.norm(np.einsum("m,mij,mjk->ik", mass, C, C), 2))


def covariance_norm(X: Matrix, mass: Matrix, u: Matrix) -> float:
    """Return ||Cov(x x^T u)||_2."""
    g = X * (X @ u)[:, None]
    g -= mass @ g
    return float(np.linalg.norm(np.einsum("m,mi,mj->ij", mass, g, g), 2))


def directions(d: int, seed: int) -> list[Matrix]:
    Z = np.random.default_rng(seed).standard_normal((10, d))
    return list(Z / np.linalg.norm(Z, axis=1, keepdims=True))


@given(spectra, st.integers(0, 100))
def test_gaussian_v_and_gamma_are_exact(Sigma: Matrix, seed: int) -> None:
    d = len(Sigma)
    model = gaussian_model(Sigma, 10, 0.1)
    grid, mass = gaussian_grid(d)
    X = grid @ np.sqrt(Sigma)
    assert squared_norm(X, mass) == pytest.approx(model.lambda_1**2 * model.V, rel=1e-9)
    assert covariance_norm(X, mass, np.eye(d)[0]) == pytest.approx(model.lambda_1**2 * model.gamma2, rel=1e-9)
    assert max(covariance_norm(X, mass, u) for u in directions(d, seed)) <= model.lambda_1**2 * model.gamma2 * (1 + 1e-9)


@pytest.mark.parametrize("sigma_squared", [1e-4, 0.3, 1.0, 3.0])
@pytest.mark.parametrize("d", [2, 3])
def test_example_4_1_v_and_gamma_are_exact(d: int, sigma_squared: float) -> None:
    """x = v + noise has the same A; quadrature sees no sign."""
    model = signal_and_noise_model(d, sigma_squared, 10, 0.1)
    grid, mass = gaussian_grid(d)
    X = np.eye(d)[0] + math.sqrt(sigma_squared) * grid
    eigenvalues = np.linalg.eigvalsh(np.einsum("m,mi,mj->ij", mass, X, X))
    assert eigenvalues[[-1, -2]] == pytest.approx([model.lambda_1, model.lambda_2], rel=1e-9)
    assert squared_norm(X, mass) == pytest.approx(model.lambda_1**2 * model.V, rel=1e-8)
    assert covariance_norm(X, mass, np.eye(d)[0]) == pytest.approx(model.lambda_1**2 * model.gamma2, rel=1e-8)
    assert max(covariance_norm(X, mass, u) for u in directions(d, 0)) <= model.lambda_1**2 * model.gamma2 * (1 + 1e-9)


def test_printed_gamma_of_example_4_1_is_too_small_by_a_factor_that_tends_to_4() -> None:
    ratios = [signal_and_noise_model(5, q, 10, 0.1).gamma2 / q for q in (1.0, 0.1, 1e-3, 1e-6)]
    assert ratios[0] == pytest.approx(1.5)
    assert ratios == sorted(ratios)
    assert ratios[-1] == pytest.approx(4.0, rel=1e-5)
    assert signal_and_noise_model(5, 3.0**0.5, 10, 0.1).gamma2 == pytest.approx(3.0**0.5)


# M


def test_gaussian_m_for_a_small_gap_is_the_chi_square_quantile() -> None:
    model = gaussian_model(np.diag([1.001, 1.0, 1.0]), 1000, 0.01)
    assert (model.samples, model.failure, model.almost_surely) == (1000, 0.01, False)
    assert chi2.cdf(model.M, 3) ** 1000 == pytest.approx(0.99, rel=1e-9)


def test_gaussian_m_for_a_large_gap_is_smaller_and_holds() -> None:
    """P(||x||^2 > M) = P(g^2 + chi^2_59 / 1000 > M) by quadrature, times n."""
    n, zeta = 1000, 0.01
    M = gaussian_model(np.diag([1.0] + [1e-3] * 59), n, zeta).M
    assert 0.5 * chi2.isf(zeta / n, 60) > M

    def tail(y: float) -> float:
        return float(chi2.pdf(y, 59) * chi2.sf(M - 1e-3 * y, 1))

    assert zeta / 1000 < n * quad(tail, 0, 300, limit=200)[0] < zeta


@given(st.integers(0, 1000), st.floats(1e-6, 10.0))
def test_m_bounds_every_matrix_whose_noise_is_inside_its_quantile(seed: int, q: float) -> None:
    """The deterministic half of both bounds: inside the ball of radius r the norm is at most lambda_1 M."""
    n, zeta, d = 50, 0.05, 3
    radius = math.sqrt(chi2.isf(-math.expm1(math.log1p(-zeta) / n), d))
    for m in directions(d, seed):
        x = np.eye(d)[0] + math.sqrt(q) * radius * m
        model = signal_and_noise_model(d, q, n, zeta)
        distance = np.linalg.norm(np.outer(x, x) - np.diag([1 + q, q, q]), 2)
        assert distance <= model.lambda_1 * model.M * (1 + 1e-12)


def test_m_of_example_4_1_vanishes_with_the_noise() -> None:
    assert signal_and_noise_model(5, 1e-12, 1000, 0.01).M < 2e-5
    assert gaussian_model(np.diag([1.0, 1e-12]), 1000, 0.01).M > 10


# A.4


def test_tail_constant_suffices_and_cannot_be_much_smaller() -> None:
    """1.7952 is the smallest K the proof gives, 1.7093 the smallest for Gaussian rows; the paper's 4 is more than enough."""
    assert chaos_bound(TAIL_K) < 2.0
    assert chaos_bound(1.795) > 2.0
    assert chi_square_tail(1.7093) < 2.0 < chi_square_tail(1.7092)
    assert chaos_bound(4.0) < 1.3
    assert chaos_bound(math.sqrt(2.0)) == chi_square_tail(1.4) == math.inf


@pytest.mark.parametrize("K", [1.6, 1.8, 4.0])
def test_chi_square_tail_and_bound_against_quadrature(K: float) -> None:
    def integrand(z: float, sign: float) -> float:
        y = sign * abs(z * z - 1) / (math.sqrt(2) * K)
        return 2 * math.exp(y - z * z / 2) / math.sqrt(2 * math.pi)

    tail = quad(integrand, 0, 1, args=(1,))[0] + quad(integrand, 1, 60, args=(1,), limit=200)[0]
    assert chi_square_tail(K) == pytest.approx(tail, rel=1e-8)
    minus = quad(integrand, 0, 1, args=(-1,))[0] + quad(integrand, 1, 60, args=(-1,), limit=200)[0]
    assert chaos_bound(K) == pytest.approx(tail + minus - math.exp(-1 / K), rel=1e-8)


def product_tail(K: float, rho: float) -> float:
    """E exp(|Z_1 Z_2 - rho| / (K sqrt(1 + rho^2))); inside, Z_2 given Z_1 = z is N(rho z, 1 - rho^2), in closed form."""
    t = 1 / (K * math.sqrt(1 + rho**2))

    def inner(z: float) -> float:
        mean, sd = rho * z * z - rho, abs(z) * math.sqrt(1 - rho**2)
        # Y = N(mean, sd^2): E exp(t |Y|), with the weight exp(-z^2 / 2) taken into the exponent.
        up = math.exp(t * mean + t * t * sd * sd / 2 - z * z / 2) * norm.cdf((mean + t * sd * sd) / sd)
        down = math.exp(-t * mean + t * t * sd * sd / 2 - z * z / 2) * norm.cdf((-mean + t * sd * sd) / sd)
        return (up + down) / math.sqrt(2 * math.pi)

    return 2 * quad(inner, 1e-12, 1, limit=200)[0] + 2 * quad(inner, 1, 60, limit=400)[0]


@pytest.mark.parametrize("rho", [0.0, 0.3, 0.6, 0.9, 0.99, -0.5, -0.9])
def test_gaussian_products_stay_below_the_bound_and_below_the_square(rho: float) -> None:
    """The paper's K = 4 holds, K = 1.8 holds, and rho = 1 is the worst: 1.7093 is the smallest K for Gaussian rows."""
    for K in (TAIL_K, 4.0):
        assert product_tail(K, rho) < chi_square_tail(K) < chaos_bound(K) < 2.0
    assert product_tail(1.7093, rho) < 2.0


@pytest.mark.parametrize("b", [0.0, 0.5, 0.9, 1.0])
def test_shifted_chaos_stays_below_the_bound(b: float) -> None:
    """Y = b g + c (g^2 - 1) / sqrt 2 with b^2 + c^2 = 1, which Example 4.1 has at u = v = v_1."""
    c, K = math.sqrt(1 - b * b), TAIL_K

    def integrand(g: float) -> float:
        return math.exp(abs(b * g + c * (g * g - 1) / math.sqrt(2)) / K - g * g / 2) / math.sqrt(2 * math.pi)

    assert 1.0 < quad(integrand, -60, 60, limit=1000)[0] < chaos_bound(K) < 2.0


# errors


def test_errors() -> None:
    model = signal_and_noise_model(3, 0.5, 10, 0.1)
    assert model.kappa == pytest.approx(1.5)
    assert replace(model, failure=0.0).almost_surely
    with pytest.raises(ValueError, match=r"lambda_2 must be in \[0, lambda_1\) = \[0, 1.5\), got 1.5"):
        replace(model, lambda_2=1.5)
    with pytest.raises(ValueError, match=r"V must be finite and > 0, got -1.0"):
        replace(model, V=-1.0)
    with pytest.raises(ValueError, match="d must be >= 2, got 1"):
        signal_and_noise_model(1, 0.5, 10, 0.1)
    with pytest.raises(ValueError, match="covariance must be PSD, not zero"):
        gaussian_model(np.diag([1.0, -0.5]), 10, 0.1)
    with pytest.raises(ValueError, match="covariance must be PSD, not zero"):
        gaussian_model(np.zeros((2, 2)), 10, 0.1)
    with pytest.raises(ValueError, match="lambda_2 must be in"):
        gaussian_model(np.eye(2), 10, 0.1)
    with pytest.raises(ValueError, match=r"zeta must be in \(0, 1\), got 1.0"):
        gaussian_model(np.diag([2.0, 1.0]), 10, 1.0)
    with pytest.raises(ValueError, match="K must be finite and > 0"):
        chaos_bound(0.0)
