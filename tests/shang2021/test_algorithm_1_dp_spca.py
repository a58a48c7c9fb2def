"""DP-SPCA (Algorithm 1): its printed update and noise, its sensitivity, and the law of its output for small steps."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from dppca.audit.suite.shang2021 import brackets
from dppca.reference.noise import condition, lockstep, record
from dppca.reference.shang2021 import algorithm_1_dp_spca as spca
from tests.shang2021.runs import NEIGHBOUR, KnownStart, Matrix, T, X, one, seen


def test_printed_noise_by_hand() -> None:
    """alpha = 2 / 0.25 + 1 = 9, variance 20 T alpha G^2 / (n^2 epsilon mu) = 7200 / 225."""
    std, conditions = spca.theorem_1_noise(0.5, math.exp(-2.0), 30, 10, 0.5, 2.0)
    assert std == pytest.approx(math.sqrt(32.0), rel=1e-12)
    assert conditions[1].holds  # 5 T alpha / (n^2 epsilon mu) = 2 >= 1.5
    with pytest.raises(ValueError, match="G must be"):
        spca.theorem_1_noise(0.5, 0.1, 30, 10, 0.5, 0.0)


def test_dp_spca_for_one_vector_is_the_printed_update() -> None:
    """Written with vectors and from the releases alone: v' = v - eta g, v = v' / ||v'||."""
    output, tape = record(one(1), X, np.random.default_rng(2))
    shown = seen(tape)
    v = shown["v[0]"][:, 0] / np.linalg.norm(shown["v[0]"])
    log_likelihood = 0.0
    std = spca.calibrate(1.0, 1e-3, 4, 3, T, choices=spca.AS_PRINTED).std
    for t, eta in ((1, 0.1), (2, 0.2), (3, 0.3)):
        x = NEIGHBOUR[int(shown[f"i[{t}]"])]
        log_likelihood += float(np.sum(stats.norm.logpdf(shown[f"g[{t}]"][:, 0], -2.0 * x * (x @ v), std)))
        v = v - eta * shown[f"g[{t}]"][:, 0]
        v /= np.linalg.norm(v)
    np.testing.assert_allclose(output[:, 0], v, atol=1e-14)
    assert condition(one(1), NEIGHBOUR, tape).log_likelihood == pytest.approx(log_likelihood, rel=1e-12)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 3))
def test_declared_sensitivities_hold(seed: int, k: int) -> None:
    rng = np.random.default_rng(seed)
    data = rng.standard_normal((4, 3))
    data /= np.maximum(1.0, np.linalg.norm(data, axis=1, keepdims=True))
    neighbour = data.copy()
    neighbour[0] = np.eye(3)[rng.integers(3)]
    assert lockstep(one(k), data, neighbour, rng).violations == ()


def test_theorem_1_noise_and_conditions() -> None:
    calibration = spca.calibrate(0.5, 1e-3, 10, 3, 200, mu=0.25, choices=spca.AS_PRINTED)
    alpha = math.log(1000.0) / (0.75 * 0.5) + 1.0
    assert calibration.std**2 == pytest.approx(20 * 200 * alpha * 2.0**2 / (10**2 * 0.5 * 0.25))
    assert [c.holds for c in calibration.conditions] == [True, True, False]
    assert not calibration.conditions_hold
    assert not spca.calibrate(3.0, 1e-3, 10, 3, 200, choices=spca.AS_PRINTED).conditions[0].holds
    few = spca.calibrate(0.5, 1e-3, 100_000, 3, 200, choices=spca.AS_PRINTED)
    assert not few.conditions[1].holds
    large = spca.calibrate(9.0, 1e-3, 1000, 3, 10_000_000, choices=spca.AS_PRINTED)
    assert large.conditions_hold


@pytest.mark.parametrize(("n", "steps", "epsilon", "delta"), [(2, 5, 1.0, 1e-9), (10, 100, 1.0, 1e-3), (100, 10001, 1.0, 1e-6)])
def test_theorem_1_noise_is_enough_by_the_account(n: int, steps: int, epsilon: float, delta: float) -> None:
    """Evidence at these parameters, where the unstated condition fails but the printed ones hold."""
    calibration = spca.calibrate(epsilon, delta, n, 3, steps, choices=spca.AS_PRINTED)
    assert [c.holds for c in calibration.conditions] == [True, True, False]
    assert brackets.dp_spca_upper(epsilon, n, steps, calibration.std, calibration.sensitivity) <= delta


def test_output_of_dp_spca_with_small_steps_is_the_binomial_mixture() -> None:
    """`dp_spca_output_lower` rests on it: K hits, K ~ Binomial(T, 1/n), move the output's e_2 coordinate by K s."""
    n, steps, eta, rng = 4, 12, 1e-7, np.random.default_rng(7)
    calibration = spca.calibrate(1.0, 0.5, n, 2, steps, choices=spca.AS_PRINTED)
    calibration = replace(calibration, std=1.0)
    root = math.sqrt(0.5)
    rows = np.array([[root, root]] + [[root, -root]] * (n - 1))
    outputs = [spca.dp_spca(rows, np.full(steps, eta), calibration, KnownStart(rng))[1, 0] for _ in range(500)]
    # Every other row gives -1 per step (c = 2, half of it across), the moved row +1: s = 2.
    statistic = (np.array(outputs) / eta + steps) / math.sqrt(steps)
    k = np.arange(steps + 1)
    weights = stats.binom.pmf(k, steps, 1 / n)

    def cdf(y: Matrix) -> Matrix:
        return np.asarray(stats.norm.cdf(np.asarray(y)[:, np.newaxis] - 2.0 * k / math.sqrt(steps)) @ weights)

    assert stats.kstest(statistic, cdf).pvalue > 1e-6


@pytest.mark.slow
def test_corrected_noise_is_the_smallest_that_the_account_allows() -> None:
    first = spca.calibrate(1.0, 1e-5, 50, 3, 500)
    assert brackets.dp_spca_upper(1.0, 50, 500, first.std, first.sensitivity, "ball") <= 1.001e-5
    assert brackets.dp_spca_upper(1.0, 50, 500, first.std / 1.003, first.sensitivity, "ball") > 1e-5


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: spca.calibrate(1.0, 0.1, 4, 3, 5, mu=1.0, choices=spca.AS_PRINTED), r"mu must be in \(0, 1\), got 1.0"),
        (lambda: record(one(step_sizes=[0.1]), X, np.random.default_rng(0)), "step_sizes must be 3 numbers > 0"),
        (lambda: record(one(step_sizes=[0.1, 0.0, 0.1]), X, np.random.default_rng(0)), "step_sizes must be 3 numbers > 0"),
    ],
)
def test_bad_parameters_are_refused(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.slow
def test_calibration_where_less_noise_than_one_sensitivity_is_enough() -> None:
    """At n = T = 20,190 subsampling does most of the work; the search must stay in the account's range."""
    calibration = spca.calibrate(1.0, 1e-3, 20_190, 10, 20_190, 3)
    assert calibration.std < calibration.sensitivity
