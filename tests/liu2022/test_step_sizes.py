"""Step sizes and sample sizes of liu2022 by hand: what the ledger's checks of them do not see."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from dppca.audit.suite.liu2022.models import gaussian_model
from dppca.proofs_notes.liu2022.step_sizes import (
    StepSizes,
    algorithm_2_noise,
    algorithm_3_noise,
    equation_52,
    equation_56,
    equation_60,
    equation_64,
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


def test_noise_of_algorithm_2() -> None:
    beta = (1.8 * math.sqrt(2) * math.log(100 * 3 / 0.01) + 1) * 2 * math.sqrt(3)
    assert algorithm_2_noise(GAUSSIAN, 100, 0.7, 0.01) == pytest.approx(2 * 0.7 * beta)


def test_noise_of_algorithm_3() -> None:
    """From gradients of m = 50 rows at epsilon' = 1/4 and delta' = 0.005, z = 0.01 / 40, and 2 sqrt 2 lambda_1^2 gamma^2."""
    eigenvalue = 2 * math.sqrt(2) * 4 * 2
    scale = math.sqrt(6 * math.log(2.5 / 0.005))
    expected = 12 * 1.8 * math.sqrt(eigenvalue) * math.log(50 * 3 * 40 / 0.01) * scale / (0.25 * 50)
    for B in (100, 101):
        assert algorithm_3_noise(GAUSSIAN, B, 20, 0.5, 0.01, 0.01) == pytest.approx(expected)


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
