"""DP-SPCA and DP-VRPCA: tapes, likelihoods, the printed lines, the theorems' noise, and the witness against Theorem 3."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from dppca.audit.suite.shang2021 import accounts as accounting
from dppca.reference.noise import Algorithm, Sample, Tape, condition, lockstep, record
from dppca.reference.primitives.gaussian import profile
from dppca.reference.shang2021 import algorithm_1_dp_spca as spca
from dppca.reference.shang2021 import algorithm_2_dp_vrpca as vrpca

Matrix = NDArray[np.float64]

X = np.array([[1.0, 0.0, 0.0], [0.6, 0.8, 0.0], [0.0, 0.6, -0.6], [0.2, -0.3, 0.5]])
NEIGHBOUR = np.array([[0.0, 0.0, 1.0], [0.6, 0.8, 0.0], [0.0, 0.6, -0.6], [0.2, -0.3, 0.5]])
T, M = 3, 2


def one(
    k: int = 2, choices: spca.Choices = spca.AS_PRINTED, step_sizes: Sequence[float] = (0.1, 0.2, 0.3)
) -> Algorithm[Matrix]:
    calibration = spca.calibrate(1.0, 1e-3, 4, 3, T, k, choices=choices)
    return lambda data, noise: spca.dp_spca(data, step_sizes, calibration, noise)


def two(k: int = 2, choices: vrpca.Choices = vrpca.AS_PRINTED, eta: float = 0.3) -> Algorithm[Matrix]:
    calibration = vrpca.calibrate(1.0, 1e-3, 4, 3, T, M, k, choices)
    return lambda data, noise: vrpca.dp_vrpca(data, eta, calibration, noise)


def test_printed_noise_by_hand() -> None:
    """Theorem 1: alpha = 2 / 0.25 + 1 = 9, variance 20 T alpha G^2 / (n^2 epsilon mu) = 7200 / 225. Theorem 3: 144 / 50^2."""
    std, conditions = spca.theorem_1_noise(0.5, math.exp(-2.0), 30, 10, 0.5, 2.0)
    assert std == pytest.approx(math.sqrt(32.0), rel=1e-12)
    assert conditions[1].holds  # 5 T alpha / (n^2 epsilon mu) = 2 >= 1.5
    assert vrpca.theorem_3_noise(0.5, math.exp(-4.0), 100, 9, 2.0)[0] == pytest.approx(0.24, rel=1e-12)
    with pytest.raises(ValueError, match="G must be"):
        spca.theorem_1_noise(0.5, 0.1, 30, 10, 0.5, 0.0)


def by_hand(tape: Tape) -> dict[str, Any]:
    return {entry.name: entry.released if entry.role == "release" else entry.draw for entry in tape.entries}


def test_dp_spca_for_one_vector_is_the_printed_update() -> None:
    """Written with vectors and from the releases alone: v' = v - eta g, v = v' / ||v'||."""
    output, tape = record(one(1), X, np.random.default_rng(2))
    seen = by_hand(tape)
    v = seen["v[0]"][:, 0] / np.linalg.norm(seen["v[0]"])
    log_likelihood = 0.0
    std = spca.calibrate(1.0, 1e-3, 4, 3, T, choices=spca.AS_PRINTED).std
    for t, eta in ((1, 0.1), (2, 0.2), (3, 0.3)):
        x = NEIGHBOUR[int(seen[f"i[{t}]"])]
        log_likelihood += float(np.sum(stats.norm.logpdf(seen[f"g[{t}]"][:, 0], -2.0 * x * (x @ v), std)))
        v = v - eta * seen[f"g[{t}]"][:, 0]
        v /= np.linalg.norm(v)
    np.testing.assert_allclose(output[:, 0], v, atol=1e-14)
    assert condition(one(1), NEIGHBOUR, tape).log_likelihood == pytest.approx(log_likelihood, rel=1e-12)


def rewritten_update(X_: Matrix, tape: Tape, std: float) -> Matrix:
    """Equation (14): v' = (I + eta A) v + eta (x x^T - A) (v - v~) - eta z, normalised; z the tape's noise."""
    draws = {entry.name: entry.draw for entry in tape.entries}
    A = X_.T @ X_ / len(X_)
    v = draws["v[0]"][:, 0] / np.linalg.norm(draws["v[0]"])
    for s in range(1, M + 1):
        start = v
        for t in range(1, T + 1):
            x = X_[int(draws[f"i[{s},{t}]"])]
            v = v + 0.3 * (A @ v + (np.outer(x, x) - A) @ (v - start) - std * draws[f"g[{s},{t}]"][:, 0])
            v = v / np.linalg.norm(v)
    return np.asarray(v)


@pytest.mark.parametrize("choices", [vrpca.CORRECTED, vrpca.AS_PRINTED])
def test_only_the_corrected_sign_gives_equation_14(choices: vrpca.Choices) -> None:
    output, tape = record(two(1, choices), X, np.random.default_rng(3))
    std = vrpca.calibrate(1.0, 1e-3, 4, 3, T, M, 1, choices).std
    same = np.allclose(output[:, 0], rewritten_update(X, tape, std), atol=1e-12)
    assert same == (choices is vrpca.CORRECTED)


def test_the_printed_sign_leads_away_from_the_top_direction() -> None:
    """Noise negligible, small steps: the corrected sign finds the top eigenvector, the printed one the smallest."""
    data = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 0.5]])
    found = {}
    for choices in (vrpca.CORRECTED, vrpca.AS_PRINTED):
        calibration = vrpca.calibrate(1e12, 0.5, 3, 2, 5, 200, 1, vrpca.Choices(
            choices.gradient_factor, choices.full_gradient_sign, vrpca.AS_PRINTED.formula
        ))  # fmt: skip
        output = vrpca.dp_vrpca(data, 0.02, calibration, Sample(np.random.default_rng(4)))
        found[choices] = abs(float(output[0, 0]))
    assert found[vrpca.CORRECTED] > 0.999
    assert found[vrpca.AS_PRINTED] < 0.001


def test_block_form_of_dp_vrpca_has_the_printed_likelihood() -> None:
    run, calibration = two(2), vrpca.calibrate(1.0, 1e-3, 4, 3, T, M, 2, vrpca.AS_PRINTED)
    _, tape = record(run, X, np.random.default_rng(5))
    seen = by_hand(tape)
    A, log_likelihood = NEIGHBOUR.T @ NEIGHBOUR / 4, 0.0

    def polar(V: Matrix) -> Matrix:
        values, vectors = np.linalg.eigh(V.T @ V)
        return np.asarray(V @ vectors @ np.diag(values**-0.5) @ vectors.T)

    V = polar(seen["v[0]"])
    for s in range(1, M + 1):
        V_tilde = V
        for t in range(1, T + 1):
            x = NEIGHBOUR[int(seen[f"i[{s},{t}]"])]
            mean = -np.outer(x, x) @ (V - V_tilde) + A @ V_tilde
            log_likelihood += float(np.sum(stats.norm.logpdf(seen[f"g[{s},{t}]"], mean, calibration.std)))
            V = polar(V - 0.3 * seen[f"g[{s},{t}]"])
    assert condition(run, NEIGHBOUR, tape).log_likelihood == pytest.approx(log_likelihood, rel=1e-10)


# --- sensitivities -------------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 3), st.booleans())
def test_declared_sensitivities_hold(seed: int, k: int, printed: bool) -> None:
    rng = np.random.default_rng(seed)
    data = rng.standard_normal((4, 3))
    data /= np.maximum(1.0, np.linalg.norm(data, axis=1, keepdims=True))
    neighbour = data.copy()
    neighbour[0] = np.eye(3)[rng.integers(3)]
    sign = vrpca.AS_PRINTED if printed else vrpca.Choices(
        vrpca.CORRECTED.gradient_factor, vrpca.CORRECTED.full_gradient_sign, vrpca.AS_PRINTED.formula
    )  # fmt: skip
    for run in (one(k), two(k, sign)):
        assert lockstep(run, data, neighbour, rng).violations == ()


@pytest.mark.parametrize(("k", "sign"), [(1, -1), (1, 1), (2, -1), (2, 1)])
def test_declared_sensitivity_of_dp_vrpca_is_attained(k: int, sign: int) -> None:
    """V = -V~ with the row used, e_1 against e_2 (k = 1: against 0), n = 4; from the formula of line 6."""
    choices = vrpca.CORRECTED if sign == -1 else vrpca.AS_PRINTED
    calibration = vrpca.calibrate(1.0, 1e-3, 4, 3, T, M, k, choices)
    V_tilde = np.eye(3)[:, :k]
    E = np.diag([1.0, -1.0 if k == 2 else 0.0, 0.0])
    change = -E @ (-V_tilde - V_tilde) + sign * E @ V_tilde / 4
    assert float(np.linalg.norm(change)) == pytest.approx(calibration.sensitivity, rel=1e-12)


# --- theorems ------------------------------------------------------------------------------------------


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
    assert accounting.dp_spca_upper(epsilon, n, steps, calibration.std, calibration.sensitivity) <= delta


def test_theorem_3_fails_on_the_transcript() -> None:
    calibration = vrpca.calibrate(1.0, 1e-6, 100, 2, 100, 100, choices=vrpca.AS_PRINTED)
    assert calibration.conditions_hold
    assert calibration.std**2 == pytest.approx(100 * 100 * math.log(1e6) / 100**2)
    assert accounting.dp_vrpca(1.0, 100, 10_000, calibration.std, 1.0).lower > 10e-6


class KnownStart(Sample):
    """Start vector e_1 of R^2: the adversary knows it, and the guarantee must hold for every one."""

    def public_normal(self, name: str, shape: Sequence[int]) -> Matrix:
        super().public_normal(name, shape)
        return np.array([[1.0], [0.0]])


def test_theorem_3_fails_on_the_output_alone() -> None:
    """Epsilon = 5, delta = 0.001, n = 2, T = 20, m = 1, step size 1e-6: the output's e_2 coordinate is Gaussian.

    Its law under the two datasets is N(+-mu / 2, 1) after scaling (Kolmogorov-Smirnov, 500 runs each, level 1e-6
    per test), so the smallest delta is that of a Gaussian release of ratio mu, 0.0212, for an error of 1e-6 in the
    coordinate.
    """
    calibration = vrpca.calibrate(5.0, 1e-3, 2, 2, 20, 1, choices=vrpca.AS_PRINTED)
    assert calibration.conditions_hold
    mu = math.sqrt(20) / 2 / calibration.std
    assert profile(5.0, mu) > 20e-3
    root, eta, rng = math.sqrt(0.5), 1e-6, np.random.default_rng(6)
    for sign in (1.0, -1.0):
        rows = np.array([[root, sign * root], [0.0, 0.0]])
        outputs = [vrpca.dp_vrpca(rows, eta, calibration, KnownStart(rng))[1, 0] for _ in range(500)]
        statistic = np.array(outputs) / eta / (calibration.std * math.sqrt(20))
        printed_sign = -1.0  # line 2 as published; the corrected sign mirrors both laws
        assert stats.kstest(statistic, stats.norm(printed_sign * sign * 0.5 * mu, 1.0).cdf).pvalue > 1e-6


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
    assert accounting.dp_spca_upper(1.0, 50, 500, first.std, first.sensitivity, "ball") <= 1.001e-5
    assert accounting.dp_spca_upper(1.0, 50, 500, first.std / 1.003, first.sensitivity, "ball") > 1e-5
    second = vrpca.calibrate(1.0, 1e-5, 50, 3, 100, 5)
    assert accounting.dp_vrpca(1.0, 50, 500, second.std, 1.0, shape="ball").upper <= 1.001e-5
    assert accounting.dp_vrpca(1.0, 50, 500, second.std / 1.003, 1.0, shape="ball").upper > 1e-5


# --- errors --------------------------------------------------------------------------------------------


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


def test_the_sparsity_of_a9a_in_table_2_is_its_density() -> None:
    path = Path(os.environ.get("DPPCA_DATA", ""), "a9a.svmlight")
    if not path.is_file():
        pytest.skip("needs the directory with a9a.svmlight in DPPCA_DATA")
    with path.open() as lines:
        entries = [sum(1 for _ in line.split()[1:]) for line, _ in zip(lines, range(32561), strict=False)]
    assert len(entries) == 32561
    assert round(100 * sum(entries) / (32561 * 123), 4) == 11.2757
