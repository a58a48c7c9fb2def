"""Step sizes of liu2022, the constants behind them, and what its sample sizes leave out."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dppca.audit.suite.liu2022.models import gaussian_model, signal_and_noise_model
from dppca.proofs_notes.liu2022.step_sizes import (
    C_2,
    C_3,
    StepSizes,
    algorithm_2_noise,
    algorithm_3_noise,
    equation_52,
    equation_56,
    equation_60,
    equation_64,
    last_term_of_equation_63,
    least_steps,
    printed_noise,
    theorem_2_2,
    theorem_3_3_rate,
    theorem_3_3_sample_size,
    theorem_5_1_rate,
    theorem_5_1_sample_size,
)

GAUSSIAN = gaussian_model(np.diag([2.0, 0.5, 0.5]), 10_000, 0.01)
SURE = replace(GAUSSIAN, failure=0.0)


def failing(steps: StepSizes) -> list[str]:
    return [condition.statement.split(" ")[0] for condition in steps.conditions if not condition.holds]


def test_theorem_2_2_by_hand() -> None:
    """kappa = 4/3, V = 2.5; the variance term of xi is 20 kappa^2 (V + 1) alpha^2 / log(1 + zeta / 100)."""
    steps = theorem_2_2(replace(SURE, M=1.0), T=50_000, alpha=1.0, zeta=0.5)
    xi = 20 * (16 / 9) * 3.5 / math.log(1.005)
    assert steps.xi == pytest.approx(xi, rel=1e-12)
    assert steps.eta.shape == (50_000,)
    assert steps.eta[[0, -1]] == pytest.approx([1 / (1.5 * (xi + 1)), 1 / (1.5 * (xi + 50_000))], rel=1e-12)
    expected = math.log(2) / 0.25 * (16 / 9 * 2.5 / 50_000 + 3 * (xi / 50_000) ** 2)
    assert steps.bound == pytest.approx(expected, rel=1e-12)
    assert steps.conditions_hold
    assert {condition.place for condition in steps.conditions} == {"printed"}


def test_theorem_2_2_uses_m_where_it_dominates() -> None:
    assert theorem_2_2(replace(SURE, M=1e6), 10, 1.0, 0.5).xi == pytest.approx(20 * 4 / 3 * 1e6)


def test_conditions_fail_one_at_a_time() -> None:
    small = replace(SURE, M=1.0)
    assert failing(theorem_2_2(small, 50_000, 0.5, 0.5)) == ["h"]
    assert theorem_2_2(small, 50_000, 0.5, 0.5).bound == math.inf
    assert failing(theorem_2_2(small, 20_000, 1.0, 0.5)) == ["T"]
    assert failing(theorem_2_2(replace(small, failure=0.01), 50_000, 1.0, 0.5)) == ["||A_i"]
    assert failing(equation_52(small, 100_000, 0.01, 1.0, 0.5)) == ["the"]
    assert failing(equation_60(small, 100_000, 10, 0.01, 1.0, 0.5)) == ["the"]
    assert failing(equation_60(small, 1, 10, 0.01, 1.0, 0.9)) == ["T", "the", "min(2,"]
    for zeta, holds in ((0.3, True), (0.5, True), (0.51, False)):  # d = 3 and T = 1: 2 >= 4 zeta
        assert equation_60(small, 1, 10, 0.01, 1.0, zeta).conditions[-1].holds == holds


@given(st.floats(0.01, 10.0), st.integers(1, 1000), st.integers(1, 50), st.floats(0.01, 0.5))
def test_equations_52_and_60(std: float, rows: int, T: int, zeta: float) -> None:
    one = equation_52(SURE, T, std, 1.5, zeta)
    log_T = math.log(T / zeta)
    assert one.V_tilde == pytest.approx(4 * SURE.V + 3 * std**2)
    assert one.M_tilde == pytest.approx(2 * SURE.M + 2 * std * (math.sqrt(3) + math.sqrt(log_T)))
    many = equation_60(SURE, T, rows, std, 1.5, zeta)
    log_dT = math.log(3 * T / zeta)
    assert many.V_tilde == pytest.approx(4 * SURE.V / rows + 3 * std**2)
    spread = 2 * SURE.M * log_dT / rows + math.sqrt(4 * SURE.V * log_dT / rows)
    assert many.M_tilde == pytest.approx(2 * (spread + std * (math.sqrt(3) + math.sqrt(log_T))))
    for steps in (one, many):
        terms = (steps.M_tilde * 1.5 / 1.5, (steps.V_tilde + 4) * 1.5**2 / (1.5**2 * math.log1p(zeta / 100)))
        assert steps.xi == pytest.approx(20 * max(terms))


# C_2 and C_3


def test_c_2_is_exact() -> None:
    """E (G G^T)_ij = sum_k E G_ik G_jk; for d = 1 that is 1, a smaller constant fails. A 6-sigma test for d = 3."""
    G = np.random.default_rng(3).standard_normal((40_000, 3, 3))
    mean = np.mean(G @ G.transpose(0, 2, 1), axis=0)
    assert np.max(np.abs(mean - C_2 * 3 * np.eye(3))) < 6 * math.sqrt(6 / 40_000)


@given(st.integers(1, 10**4), st.integers(1, 10**6), st.floats(1e-9, 0.999))
def test_c_3_covers_what_the_two_concentration_bounds_need(d: int, T: int, zeta: float) -> None:
    """zeta / (2T) for each of the two bounds and each step; and zeta / n for the single rows of Equation (52)."""
    if min(2, d) * T < 4 * zeta:
        return
    noise = 2 * math.sqrt(d) + math.sqrt(2 * math.log(2 * T / zeta))
    assert noise <= C_3 * (math.sqrt(d) + math.sqrt(math.log(T / zeta))) * (1 + 1e-12)
    assert 2 * math.sqrt(d) + math.sqrt(2 * math.log(T / zeta)) <= C_3 * (math.sqrt(d) + math.sqrt(math.log(T / zeta)))
    needed, used = math.log(4 * d * T / zeta), math.log(d * T / zeta)
    assert math.sqrt(2 * needed) <= C_3 * math.sqrt(used) * (1 + 1e-12)
    assert 2 * needed / 3 <= C_3 * used * (1 + 1e-12)


# noise


def test_noise_of_algorithm_2() -> None:
    beta = (1.8 * math.sqrt(2) * math.log(100 * 3 / 0.01) + 1) * 2 * math.sqrt(3)
    assert algorithm_2_noise(GAUSSIAN, 100, 0.7, 0.01) == pytest.approx(2 * 0.7 * beta)


@given(st.integers(2, 10**6), st.integers(1, 100), st.floats(0.01, 0.9), st.floats(1e-9, 0.1))
def test_algorithm_3_adds_at_least_five_times_the_noise_of_its_proof(B: int, T: int, epsilon: float, delta: float) -> None:
    printed = printed_noise(GAUSSIAN, B, epsilon, delta, 0.01)
    expected = 16 * 1.8 * math.sqrt(2) * 2 * math.log(B * 3 / 0.01) * math.sqrt(6 * math.log(2.5 / delta)) / (epsilon * B)
    assert printed == pytest.approx(expected)
    assert algorithm_3_noise(GAUSSIAN, B, T, epsilon, delta, 0.01) > 5.0 * printed


def test_noise_of_algorithm_3() -> None:
    """From gradients of m = 50 rows at epsilon' = 1/4 and delta' = 0.005, z = 0.01 / 40, and 2 sqrt 2 lambda_1^2 gamma^2."""
    eigenvalue = 2 * math.sqrt(2) * 4 * 2
    scale = math.sqrt(6 * math.log(2.5 / 0.005))
    expected = 12 * 1.8 * math.sqrt(eigenvalue) * math.log(50 * 3 * 40 / 0.01) * scale / (0.25 * 50)
    for B in (100, 101):
        assert algorithm_3_noise(GAUSSIAN, B, 20, 0.5, 0.01, 0.01) == pytest.approx(expected)


# how many steps


@pytest.mark.parametrize("n", [10**2, 10**6, 10**12, 10**100])
def test_last_term_of_equation_63_does_not_depend_on_n(n: int) -> None:
    """alpha = c log n and T = c' log^2 n: it is (kappa^2 c^2 / (c' log(1 + zeta / 100)))^2, for log n >= kappa^2 too."""
    kappa, c, c_prime, zeta = 1.2, 1.0, 3.0, 0.01
    log_n = math.log(n)
    value = last_term_of_equation_63(kappa, c_prime * log_n**2, c * log_n, zeta)
    assert value == pytest.approx((kappa**2 * c**2 / (c_prime * math.log1p(zeta / 100))) ** 2)
    assert value > 2e7
    assert log_n >= kappa**2
    enough = 1.01 * kappa**2 * c**2 / math.log1p(zeta / 100)
    assert last_term_of_equation_63(kappa, enough * log_n**2, c * log_n, zeta) < 1.0


def test_no_minibatch_is_large_enough_for_log_squared_steps() -> None:
    """With data that hardly vary and hardly any noise, T = log^2 n still fails T > xi, and 2.1e5 kappa^2 log^2 n does not."""
    easy = replace(signal_and_noise_model(2, 1e-9, 10, 0.01), failure=0.0)
    log_n = math.log(10**6)
    T = math.ceil(log_n**2)
    few = equation_60(easy, T, 10**9, 1e-9, log_n, 0.01)
    assert "T" in failing(few)
    assert few.xi >= least_steps(easy.kappa, log_n, 0.01) == pytest.approx(2.0001e5 * log_n**2, rel=1e-4)
    many = equation_60(easy, math.ceil(2.1e5 * log_n**2 / 100), 10**9, 1e-9, log_n / 10, 0.01)
    assert failing(many) == ["the"]


@given(st.floats(0.51, 20.0), st.floats(1e-3, 0.5), st.integers(1, 100))
def test_xi_is_at_least_the_least_number_of_steps(h: float, zeta: float, T: int) -> None:
    least = least_steps(SURE.kappa, h, zeta) * (1 - 1e-12)
    for steps in (theorem_2_2(SURE, T, h, zeta), equation_52(SURE, T, 1e-3, h, zeta), equation_60(SURE, T, 5, 1e-3, h, zeta)):
        assert steps.xi >= least


# sample sizes and rates


def test_sample_sizes_and_rates_with_constants_and_logarithms_one() -> None:
    """delta = 1/e makes log(1/delta) one; kappa = 4/3, V = 2.5, gamma = sqrt 2, d = 3."""
    model, delta, root = replace(GAUSSIAN, M=6.0), math.exp(-1), math.sqrt(2)
    assert theorem_3_3_sample_size(model, 0.5, delta) == pytest.approx(16 / 9 * 3.5 + 8 + 2 * 4 * (root + 1))
    assert theorem_3_3_sample_size(model, 0.5, math.exp(-5)) == pytest.approx(16 / 9 * 3.5 + 8 + 2 * 4 * (root + 1) * 5)
    expected = math.exp(16 / 9) + 8 + 16 / 9 * 2.5 + 2 * (math.sqrt(3) + 4 * root + 3)
    assert theorem_5_1_sample_size(model, 0.5, delta) == pytest.approx(expected)
    assert theorem_3_3_rate(model, 100, 0.5, delta) == pytest.approx(16 / 9 * (0.025 + ((root + 1) * 3 / 50) ** 2))
    assert theorem_5_1_rate(model, 100, 0.5, delta) == pytest.approx(4 / 3 * (math.sqrt(0.025) + root * 3 / 50))
    assert theorem_5_1_sample_size(replace(model, lambda_2=1.95), 0.5, delta) == math.inf


def test_equations_56_and_64_by_hand() -> None:
    model, n, epsilon, delta, zeta = replace(GAUSSIAN, M=6.0, K=1.0), 1000, 0.5, 0.1, 0.2
    log_n, log_delta, tail = math.log(1000), math.log(10_000), math.log(15_000)
    s = (math.sqrt(2) * tail + 1) * 8
    expected = 8 * log_n + s ** (2 / 3) * log_delta * log_n ** (2 / 3) + 16 / 9 * 3.5 * log_n**2 + s * log_delta * log_n
    assert equation_56(model, n, epsilon, delta, zeta) == pytest.approx(expected)
    s = math.sqrt(2) * math.log(3000 / log_n) * math.sqrt(math.log(10)) * 8
    expected = 8 * log_n * math.log(3 * log_n) + 4 / 3 * math.sqrt(2.5 * math.log(60))
    expected += s * math.sqrt(math.log(log_n)) * log_n + 16 / 9 * 2.5 * log_n**2 + s * log_n**2
    assert equation_64(model, n, 20, epsilon, delta) == pytest.approx(expected)


def test_errors() -> None:
    with pytest.raises(ValueError, match="T must be >= 1, got 0"):
        theorem_2_2(SURE, 0, 1.0, 0.1)
    with pytest.raises(ValueError, match=r"zeta must be in \(0, 1\), got 1.5"):
        theorem_2_2(SURE, 5, 1.0, 1.5)
    with pytest.raises(ValueError, match="h must be finite and > 0"):
        theorem_2_2(SURE, 5, -1.0, 0.5)
    with pytest.raises(ValueError, match="std must be finite and > 0"):
        equation_52(SURE, 5, 0.0, 1.0, 0.5)
    with pytest.raises(ValueError, match="rows must be >= 1, got 0"):
        equation_60(SURE, 5, 0, 1.0, 1.0, 0.5)
    with pytest.raises(ValueError, match="B // 2 must be >= 1, got 0"):
        algorithm_3_noise(SURE, 1, 5, 0.5, 0.1, 0.1)
    with pytest.raises(ValueError, match="n must be >= 3"):
        equation_64(SURE, 2, 5, 0.5, 0.1)
    assert equation_64(SURE, 3, 5, 0.5, 0.1) > 0.0
