"""Samplers, exact moments, packings and lower bounds of liu2022's Appendix C, and what the paper gets wrong there."""

from __future__ import annotations

import math
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.integrate import dblquad
from scipy.stats import kstest, norm

from dppca.audit.suite.wang2020.distributions import random_orthonormal
from dppca.proofs_notes.liu2022.distributions import (
    AtomMixture,
    SignalAndNoise,
    SpikedGaussian,
    atom_tv,
    dp_fano,
    dp_fano_as_printed,
    equation_23,
    equation_30,
    fano,
    lemma_c_4,
    local_packing,
    projective_packing,
    sine,
    spiked_kl,
    spiked_tv,
    theorem_5_3_rate,
    theorem_5_4_distribution,
    theorem_5_4_rate,
    theorem_c_1_distribution,
    theorem_c_1_rate,
    two_point_risk,
)

Matrix = NDArray[np.float64]

V3 = np.array([2.0, -1.0, 2.0]) / 3.0
ALL = [
    SpikedGaussian(V3, 2.0, 0.5),
    SignalAndNoise(V3, 0.2),
    theorem_5_4_distribution(V3, 0.3),
    theorem_c_1_distribution(V3, 2.0, 0.5),
]


# samplers


@pytest.mark.parametrize("law", ALL, ids=lambda law: type(law).__name__)
def test_rows_have_the_stated_covariance_and_spectrum(law: Any) -> None:
    """A z-test of each entry of E x and E x x^T with the sample's own standard error, at 6 sigma."""
    X = law.rows(200_000, np.random.default_rng(5))
    products = (X[:, :, None] * X[:, None, :]).reshape(len(X), -1)
    for sample, mean in ((X, np.zeros(3)), (products, law.covariance.ravel())):
        z = (np.mean(sample, axis=0) - mean) * math.sqrt(len(X)) / np.std(sample, axis=0)
        assert np.max(np.abs(z)) < 6.0
    values, vectors = np.linalg.eigh(law.covariance)
    assert values == pytest.approx([law.lambda_2, law.lambda_2, law.lambda_1])
    assert abs(vectors[:, -1] @ V3) == pytest.approx(1.0)


def test_gaussian_parts_are_gaussian() -> None:
    """Kolmogorov-Smirnov along v and across it, where the laws are known; false alarms with probability 1e-6 each."""
    rng, across = np.random.default_rng(6), np.array([1.0, 0.0, -1.0]) / math.sqrt(2)
    spiked = SpikedGaussian(V3, 2.0, 0.5).rows(20_000, rng)
    assert kstest(spiked @ V3 / math.sqrt(2), norm.cdf).pvalue > 1e-6
    assert kstest(spiked @ across / math.sqrt(0.5), norm.cdf).pvalue > 1e-6
    example = SignalAndNoise(V3, 0.2).rows(20_000, rng)
    noise = math.sqrt(0.2)

    def cdf(x: Matrix) -> Matrix:
        return (norm.cdf((x - 1) / noise) + norm.cdf((x + 1) / noise)) / 2

    assert kstest(example @ V3, cdf).pvalue > 1e-6
    assert kstest(example @ across / noise, norm.cdf).pvalue > 1e-6


@pytest.mark.parametrize("law", [ALL[2], ALL[3]])
def test_atoms_have_their_weight_and_are_exact(law: AtomMixture) -> None:
    """A 6-sigma test of the number of atoms, of their signs, and of the variance of the rest."""
    n = 40_000
    X = law.rows(n, np.random.default_rng(7))
    sign = (np.all(law.radius * V3 == X, axis=1)).astype(int) - np.all(-law.radius * V3 == X, axis=1)
    atoms = int(np.count_nonzero(sign))
    assert abs(atoms - n * law.weight) < 6 * math.sqrt(n * law.weight * (1 - law.weight))
    assert abs(int(np.sum(sign))) < 6 * math.sqrt(n * law.weight)
    rest = X[sign == 0].ravel()
    assert abs(float(rest @ rest) / law.variance - rest.size) < 6 * math.sqrt(2 * rest.size)


@given(st.floats(1e-6, 1.0), st.integers(2, 8))
def test_equation_25_eigenvalues(alpha: float, d: int) -> None:
    law = theorem_5_4_distribution(np.eye(d)[0], alpha)
    assert law.lambda_1 == pytest.approx(1 - alpha + math.sqrt(alpha))
    assert law.lambda_2 == pytest.approx(1 - alpha)
    assert law.kappa * math.sqrt(alpha) == pytest.approx(law.lambda_1)
    assert law.lambda_1 <= 1.25 + 1e-12


@given(st.floats(0.1, 5.0), st.floats(0.01, 0.99), st.integers(1, 8))
def test_equation_34_eigenvalues(lambda_1: float, ratio: float, d: int) -> None:
    law = theorem_c_1_distribution(np.eye(d)[0], lambda_1, ratio * lambda_1)
    assert law.lambda_1 == pytest.approx(lambda_1)
    assert law.lambda_2 == pytest.approx(ratio * lambda_1)
    assert law.kappa == pytest.approx(1 / (1 - ratio))
    assert d + 6 >= law.V


def fourth_moments(law: AtomMixture) -> Matrix:
    """E x_i x_j x_k x_l by Isserlis for the Gaussian part and directly for the atoms."""
    eye = np.eye(len(law.v))
    pairs = np.einsum("ij,kl->ijkl", eye, eye)
    pairs = pairs + pairs.transpose(0, 2, 1, 3) + pairs.transpose(0, 2, 3, 1)
    atoms = law.radius**4 * np.einsum("i,j,k,l->ijkl", law.v, law.v, law.v, law.v)
    return (1 - law.weight) * law.variance**2 * pairs + law.weight * atoms


@pytest.mark.parametrize("law", [ALL[2], ALL[3], theorem_5_4_distribution(V3, 0.999), theorem_c_1_distribution(V3, 1.0, 0.99)])
def test_v_and_h_of_the_mixtures(law: AtomMixture) -> None:
    M4, Sigma = fourth_moments(law), law.covariance
    second = np.einsum("ikjk->ij", M4) - Sigma @ Sigma
    assert law.lambda_1**2 * law.V == pytest.approx(np.linalg.norm(second, 2), rel=1e-12)
    for u in (V3, np.eye(3)[1], np.array([0.6, 0.0, -0.8])):
        expected = np.einsum("ijkl,j,k->il", M4, u, u) - np.outer(Sigma @ u, Sigma @ u)
        np.testing.assert_allclose(law.lambda_1**2 * law.H(u), expected, atol=1e-12)


@given(st.floats(1e-8, 1.0), st.integers(2, 20))
def test_theorem_5_4_has_v_of_order_d_and_gamma_of_order_one(alpha: float, d: int) -> None:
    law = theorem_5_4_distribution(np.eye(d)[0], alpha)
    assert d + 3 >= law.V
    for u in (np.eye(d)[0], np.eye(d)[1], (np.eye(d)[0] + np.eye(d)[1]) / math.sqrt(2)):
        assert np.linalg.norm(law.H(u), 2) <= 4.0


def test_theorem_c_1_has_gamma_of_order_root_d() -> None:
    """Why A.4's private rate does not apply to it: at u = v, ||H_u|| grows like d (1 - lambda_2 / lambda_1)."""
    law = theorem_c_1_distribution(np.eye(50)[0], 1.0, 0.5)
    assert np.linalg.norm(law.H(np.eye(50)[0]), 2) > 50 * 0.5 - 1


# (20), (21), (22)


@given(st.integers(0, 2**32), st.integers(2, 6))
def test_sine_is_r_minus_r_squared_over_four(seed: int, d: int) -> None:
    v, w = (random_orthonormal(d, 1, np.random.default_rng([seed, i]))[:, 0] for i in range(2))
    r = float(np.sum((v - w) ** 2))
    assert sine(v, w) ** 2 == pytest.approx(r - r * r / 4, abs=1e-12)
    assert sine(v, w) ** 2 == pytest.approx(1 - float(v @ w) ** 2, abs=1e-12)


@pytest.mark.parametrize("alpha", [0.05, 0.5, 0.9, 1.0])
def test_both_sides_of_equation_20_fail_inside_lemma_c_3(alpha: float) -> None:
    def pair(distance: float) -> tuple[Matrix, Matrix]:
        half = math.asin(distance / 2)
        return np.array([math.cos(half), math.sin(half)]), np.array([math.cos(half), -math.sin(half)])

    assert sine(*pair(alpha / math.sqrt(2))) < alpha / math.sqrt(2) * (1 - 1e-9 * alpha)
    if alpha < 1.0:
        assert sine(*pair(alpha * math.sqrt(2))) > alpha * (1 + 1e-9)
    for distance in np.linspace(alpha / math.sqrt(2), alpha * math.sqrt(2), 9):
        assert alpha / 2 <= sine(*pair(distance)) <= math.sqrt(2) * alpha


@given(st.integers(0, 2**32), st.integers(2, 5), st.floats(0.1, 5.0), st.floats(0.05, 0.95))
def test_divergence_is_half_of_print_and_below_its_bound(seed: int, d: int, lambda_1: float, ratio: float) -> None:
    v, w = (random_orthonormal(d, 1, np.random.default_rng([seed, i]))[:, 0] for i in range(2))
    P, Q = (SpikedGaussian(u, lambda_1, ratio * lambda_1).covariance for u in (v, w))
    exact = (np.trace(np.linalg.solve(Q, P)) - d) / 2
    assert spiked_kl(lambda_1, ratio * lambda_1, sine(v, w)) == pytest.approx(exact, abs=1e-9)
    alpha = float(np.linalg.norm(v - w)) / math.sqrt(2)
    if alpha <= 1.0:  # the largest distance that Lemma C.3 allows
        assert exact <= (1 - ratio) ** 2 * alpha**2 / ratio + 1e-9


@pytest.mark.slow
@pytest.mark.parametrize(("lambda_1", "lambda_2", "sin"), [(2.0, 1.0, 1.0), (3.0, 0.5, 0.6), (1.2, 1.0, 0.3)])
def test_total_variation_by_quadrature_over_the_plane(lambda_1: float, lambda_2: float, sin: float) -> None:
    """Half the integral of |p - q|, the plane being the span of v and v'; and Pinsker's bound."""
    angle = math.asin(sin)
    covariances = []
    for theta in (0.0, angle):
        v = np.array([math.cos(theta), math.sin(theta)])
        covariances.append(SpikedGaussian(v, lambda_1, lambda_2).covariance)
    inverses = [np.linalg.inv(covariance) for covariance in covariances]
    scale = 1 / (2 * math.pi * math.sqrt(lambda_1 * lambda_2))

    def difference(y: float, x: float) -> float:
        point = np.array([x, y])
        p, q = (scale * math.exp(-point @ inverse @ point / 2) for inverse in inverses)
        return abs(p - q) / 2

    reach = 8 * math.sqrt(lambda_1)
    total = dblquad(difference, -reach, reach, -reach, reach, epsabs=1e-5)[0]
    assert spiked_tv(lambda_1, lambda_2, sin) == pytest.approx(total, abs=1e-4)
    assert spiked_tv(lambda_1, lambda_2, sin) <= math.sqrt(spiked_kl(lambda_1, lambda_2, sin) / 2)


def test_total_variation_of_mixtures_is_their_weight_and_zero_for_antipodes() -> None:
    first = theorem_c_1_distribution(np.eye(3)[0], 2.0, 0.5)
    assert atom_tv(first, theorem_c_1_distribution(V3, 2.0, 0.5)) == pytest.approx(0.75 / 3)
    assert atom_tv(first, theorem_c_1_distribution(-np.eye(3)[0], 2.0, 0.5)) == 0.0
    with pytest.raises(ValueError, match="differ in v alone"):
        atom_tv(first, theorem_c_1_distribution(V3, 2.0, 0.6))


# packings


@pytest.mark.parametrize("alpha", [0.1, 1.0])
def test_local_packing_of_lemma_c_3(alpha: float) -> None:
    packing = local_packing(6, alpha, 300, np.random.default_rng(8))
    distances = [float(np.linalg.norm(v - w)) for v, w in combinations(packing, 2)]
    assert len(packing) > 10
    assert alpha / math.sqrt(2) - 1e-12 <= min(distances) <= max(distances) <= math.sqrt(2) * alpha + 1e-12
    assert max(abs(float(np.linalg.norm(v)) - 1) for v in packing) < 1e-12


def test_packing_of_c_2_has_to_be_projective() -> None:
    """v and -v are 2 apart, as C.2 asks, and have one distribution: Lemma C.4 needs different parameters."""
    v = np.eye(3)[0]
    assert np.linalg.norm(v - (-v)) >= 0.5
    assert sine(v, -v) == 0.0
    np.testing.assert_array_equal(theorem_5_4_distribution(v, 0.2).covariance, theorem_5_4_distribution(-v, 0.2).covariance)
    packing = projective_packing(3, 0.5, 500, np.random.default_rng(9))
    assert len(packing) >= 2**3
    assert min(sine(a, b) for a, b in combinations(packing, 2)) >= math.sqrt(0.25 - 0.25**2 / 4) - 1e-12


# Theorem C.2


@pytest.mark.parametrize(("n", "epsilon"), [(100, 1.0), (1000, 0.5), (2000, 0.1)])
def test_printed_theorem_c_2_is_false(n: int, epsilon: float) -> None:
    """An exactly computed risk below the printed bound, and not below the one with a proof."""
    q = 0.9
    risk, phi = two_point_risk(n, q, epsilon), 2 * q - 1
    assert dp_fano_as_printed(1.0, phi, 2, n, epsilon) > 2 * risk
    beta = (2 * q - 1) * math.log(q / (1 - q))
    assert risk >= max(fano(1.0, beta, 2, n), dp_fano(1.0, phi, 2, n, epsilon))


def test_two_point_risk_by_enumeration_and_its_privacy() -> None:
    n, q, epsilon = 5, 0.8, 0.7

    def says_one(k: int) -> float:
        return 1 / (1 + math.exp(-epsilon * (k - n / 2)))

    bits = np.array(np.meshgrid(*[[0, 1]] * n)).reshape(n, -1).T
    risk = sum(q ** sum(b) * (1 - q) ** (n - sum(b)) * (1 - says_one(sum(b))) for b in bits.tolist())
    assert two_point_risk(n, q, epsilon) == pytest.approx(risk, rel=1e-12)
    for k in range(n):
        for p, p_next in ((says_one(k), says_one(k + 1)), (1 - says_one(k), 1 - says_one(k + 1))):
            assert abs(math.log(p / p_next)) <= epsilon + 1e-12


@given(st.integers(1, 200), st.floats(0.51, 0.99), st.floats(0.001, 2.0))
def test_proved_private_fano_holds_for_the_exponential_mechanism(n: int, q: float, epsilon: float) -> None:
    assert two_point_risk(n, q, epsilon) >= dp_fano(1.0, 2 * q - 1, 2, n, epsilon)


def test_private_fano_by_hand_and_for_many_rows() -> None:
    assert dp_fano(2.0, 0.1, 100, 3, 0.5) == pytest.approx(0.9 - math.exp(1.5) / 100)
    assert dp_fano(1.0, 1.0, 2, 10**6, 1.0) == -math.inf
    assert dp_fano_as_printed(2.0, 0.1, 100, 1000, 0.5) == pytest.approx(0.8 * math.log(100) / 50)
    assert dp_fano_as_printed(2.0, 0.1, 100, 3, 0.5) == pytest.approx(0.8)
    assert fano(2.0, 0.1, 100, 3) == pytest.approx(1 - (0.3 + math.log(2)) / math.log(100))


def test_proof_of_theorem_c_1_ends_at_kappa_d_squared_over_epsilon_rows() -> None:
    """Its total variation is (1 - lambda_2 / lambda_1) / d for every n, so the proved bound is negative for large n."""
    d, epsilon, size = 100, 0.5, 2**100
    phi = 0.5 / d
    few, many = d**2 * 2 / epsilon / 100, d**2 * 2 / epsilon
    assert dp_fano(0.5, phi, size, int(few), epsilon) > 0.2
    assert dp_fano(0.5, phi, size, int(many), epsilon) < 0.0


# (23), (26), (30)


def test_the_smaller_alpha_of_equation_23_gives_the_smaller_rate() -> None:
    """Either term can be far below the other, and with it the paper's alpha far below the sum in (24)."""
    for n, epsilon, larger in ((10**8, 1.0, 0), (10**4, 1e-3, 1)):
        terms = equation_23(2.0, 1.0, 100, n, epsilon, c_1=0.1)
        assert terms[larger] > 10 * terms[1 - larger]
    statistical, private = equation_23(2.0, 1.0, 100, 10**6, 0.5, c_1=0.1)
    assert statistical == pytest.approx(math.sqrt(10 / 2e6 * 2))
    assert private == pytest.approx(10 / 5e5 * 2)
    assert equation_23(2.0, 1.99, 10, 1, 0.1, 1.0) == (1.0, 1.0)


@given(st.integers(20, 500), st.integers(10**3, 10**7), st.floats(0.01, 1.0))
def test_each_term_of_equation_23_serves_its_own_half_of_fano(d: int, n: int, epsilon: float) -> None:
    """With log |V| = c_1 d: n beta <= c_1 d / 2 for the first, n phi epsilon <= c_1 d for the second."""
    c_1, widest = 0.1, math.sqrt(2.0)
    statistical, private = equation_23(2.0, 1.0, d, n, epsilon, c_1)

    def sin_at(alpha: float) -> float:
        r = (widest * alpha) ** 2
        return math.sqrt(r - r * r / 4)

    assert n * spiked_kl(2.0, 1.0, sin_at(statistical)) <= c_1 * d / 2 * (1 + 1e-12)
    assert n * epsilon * spiked_tv(2.0, 1.0, sin_at(private)) <= c_1 * d * (1 + 1e-12)


@given(st.integers(3, 1000), st.integers(1, 10**6), st.floats(0.01, 1.0), st.floats(1e-12, 1e-4))
def test_equation_30_gives_equation_31(d: int, n: int, epsilon: float, delta: float) -> None:
    alpha = equation_30(d, n, epsilon, delta)
    assert 0.0 < alpha <= 1.0
    left = 0.5 * math.exp(-epsilon * math.ceil(n * alpha)) - delta / -math.expm1(-epsilon)
    assert left >= 0.25 * math.exp(-epsilon * (n * alpha + 1)) * (1 - 1e-9)
    assert epsilon * (n * alpha + 1) <= d / 2 + 1e-9


def test_lemma_c_4_by_hand() -> None:
    decay = math.exp(-1.5)
    expected = 7 * (0.5 * decay - 0.01 * (1 - decay) / (1 - math.exp(-0.5))) / (1 + 7 * decay)
    assert lemma_c_4(8, 10, 0.25, 0.5, 0.01) == pytest.approx(expected)
    assert lemma_c_4(8, 10, 0.25, 0.5, 0.0) == pytest.approx(3.5 * decay / (1 + 7 * decay))


@given(st.floats(0.01, 1.0), st.integers(1, 10), st.floats(0.01, 2.0))
def test_lemma_c_4_is_at_most_one_half_and_holds_for_a_constant_output(alpha: float, n: int, epsilon: float) -> None:
    """A constant output is private and misses all but one of the parameters."""
    for size in (2, 5):
        assert lemma_c_4(size, n, alpha, epsilon, 0.0) <= min(0.5, (size - 1) / size)


def test_rates() -> None:
    assert theorem_5_3_rate(2.0, 0.5, 10, 1000, 0.5) == pytest.approx(4 / 3 * (0.1 + 0.02) / 2)
    assert theorem_5_3_rate(2.0, 1.9, 10, 10, 0.5) == 1.0
    level = math.log((1 - math.exp(-0.5)) / 1e-3)
    assert theorem_5_4_rate(3.0, 10, 1000, 0.5, 1e-3) == pytest.approx(3 * math.sqrt(level / 500))
    assert theorem_5_4_rate(3.0, 4, 1000, 0.5, 1e-9) == pytest.approx(3 * math.sqrt(4 / 500))
    assert theorem_5_4_rate(3.0, 4, 1, 0.5, 1e-9) == 3.0
    assert theorem_c_1_rate(2.0, 0.5, 10, 1000, 0.5) == pytest.approx(4 / 3 * 0.2 / 2)
    assert theorem_c_1_rate(2.0, 0.5, 10, 10, 0.5) == pytest.approx(0.5)


def test_errors() -> None:
    with pytest.raises(ValueError, match=r"v must be a unit vector, got norm 2.0"):
        SpikedGaussian(2 * np.eye(2)[0], 2.0, 1.0)
    with pytest.raises(ValueError, match=r"lambda_1 > lambda_2 > 0 is needed, got 1.0 and 1.0"):
        theorem_c_1_distribution(V3, 1.0, 1.0)
    with pytest.raises(ValueError, match=r"alpha must be in \(0, 1\], got 0.0"):
        theorem_5_4_distribution(V3, 0.0)
    with pytest.raises(ValueError, match=r"alpha must be in \(0, 1\], got 1.5"):
        local_packing(3, 1.5, 5, np.random.default_rng(0))
    with pytest.raises(ValueError, match=r"weight must be in \(0, 1\], got 1.5"):
        AtomMixture(V3, 1.5, 1.0, 1.0)
    with pytest.raises(ValueError, match="sigma_squared must be finite and > 0"):
        SignalAndNoise(V3, 0.0)
    with pytest.raises(ValueError, match=r"must be > 0, got -0\.5"):
        equation_30(1, 10, 1.0, 1e-6)
    with pytest.raises(ValueError, match="must be > 0"):
        equation_30(10, 10, 1.0, 0.5)
    with pytest.raises(ValueError, match="epsilon must be"):
        equation_30(10, 10, 0.0, 1e-6)
    with pytest.raises(ValueError, match=r"delta must be < 1 - e\^-epsilon"):
        theorem_5_4_rate(2.0, 3, 10, 0.1, 0.5)
    with pytest.raises(ValueError, match=r"q must be in \(1/2, 1\), got 0.5"):
        two_point_risk(3, 0.5, 1.0)
    with pytest.raises(ValueError, match=r"q must be in \(1/2, 1\), got 1.0"):
        two_point_risk(5, 1.0, 0.5)
    with pytest.raises(ValueError, match="size must be >= 2, got 1"):
        fano(1.0, 0.1, 1, 3)
