"""DP-VRPCA (Algorithm 2): its two signs, its likelihood and sensitivity, and the witness against Theorem 3."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from dppca.audit.suite.shang2021 import brackets
from dppca.reference.noise import Sample, Tape, condition, lockstep, record
from dppca.reference.primitives.gaussian import profile
from dppca.reference.shang2021 import algorithm_2_dp_vrpca as vrpca
from tests.shang2021.runs import NEIGHBOUR, KnownStart, M, Matrix, T, X, seen, two


def test_printed_noise_by_hand() -> None:
    """Theorem 3: variance 144 / 50^2."""
    assert vrpca.theorem_3_noise(0.5, math.exp(-4.0), 100, 9, 2.0)[0] == pytest.approx(0.24, rel=1e-12)


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
    shown = seen(tape)
    A, log_likelihood = NEIGHBOUR.T @ NEIGHBOUR / 4, 0.0

    def polar(V: Matrix) -> Matrix:
        values, vectors = np.linalg.eigh(V.T @ V)
        return np.asarray(V @ vectors @ np.diag(values**-0.5) @ vectors.T)

    V = polar(shown["v[0]"])
    for s in range(1, M + 1):
        V_tilde = V
        for t in range(1, T + 1):
            x = NEIGHBOUR[int(shown[f"i[{s},{t}]"])]
            mean = -np.outer(x, x) @ (V - V_tilde) + A @ V_tilde
            log_likelihood += float(np.sum(stats.norm.logpdf(shown[f"g[{s},{t}]"], mean, calibration.std)))
            V = polar(V - 0.3 * shown[f"g[{s},{t}]"])
    assert condition(run, NEIGHBOUR, tape).log_likelihood == pytest.approx(log_likelihood, rel=1e-10)


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
    assert lockstep(two(k, sign), data, neighbour, rng).violations == ()


@pytest.mark.parametrize(("k", "sign"), [(1, -1), (1, 1), (2, -1), (2, 1)])
def test_declared_sensitivity_of_dp_vrpca_is_attained(k: int, sign: int) -> None:
    """V = -V~ with the row used, e_1 against e_2 (k = 1: against 0), n = 4; from the formula of line 6."""
    choices = vrpca.CORRECTED if sign == -1 else vrpca.AS_PRINTED
    calibration = vrpca.calibrate(1.0, 1e-3, 4, 3, T, M, k, choices)
    V_tilde = np.eye(3)[:, :k]
    E = np.diag([1.0, -1.0 if k == 2 else 0.0, 0.0])
    change = -E @ (-V_tilde - V_tilde) + sign * E @ V_tilde / 4
    assert float(np.linalg.norm(change)) == pytest.approx(calibration.sensitivity, rel=1e-12)


def test_theorem_3_fails_on_the_transcript() -> None:
    calibration = vrpca.calibrate(1.0, 1e-6, 100, 2, 100, 100, choices=vrpca.AS_PRINTED)
    assert calibration.conditions_hold
    assert calibration.std**2 == pytest.approx(100 * 100 * math.log(1e6) / 100**2)
    assert brackets.dp_vrpca(1.0, 100, 10_000, calibration.std, 1.0).lower > 10e-6


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
        printed_sign = -1.0  # line 2 as printed; the corrected sign mirrors both laws
        assert stats.kstest(statistic, stats.norm(printed_sign * sign * 0.5 * mu, 1.0).cdf).pvalue > 1e-6


@pytest.mark.slow
def test_corrected_noise_is_the_smallest_that_the_account_allows() -> None:
    second = vrpca.calibrate(1.0, 1e-5, 50, 3, 100, 5)
    assert brackets.dp_vrpca(1.0, 50, 500, second.std, 1.0, shape="ball").upper <= 1.001e-5
    assert brackets.dp_vrpca(1.0, 50, 500, second.std / 1.003, 1.0, shape="ball").upper > 1e-5
