"""The baselines together: tapes, sensitivities, and likelihoods of Gaussian noise."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from dppca.reference.baselines import analyze_gauss, mod_sulq, noisy_power_method
from dppca.reference.noise import Tape, TapeError, condition, lockstep, record
from dppca.reference.primitives.symmetric import upper_triangle
from tests.baselines.runs import ALL, NEIGHBOUR, X, gauss, sulq


@pytest.mark.parametrize(
    ("name", "released"),
    [
        ("wishart", np.zeros(3)),
        ("wishart", None),
        ("wishart", np.full((3, 3), np.nan)),
        ("wishart", np.arange(9.0).reshape(3, 3)),
        ("sphere", np.array([1.0, 0.1, 0.0])),
        ("sphere", np.eye(2)[0]),
        ("sphere", np.full(3, np.nan)),
        ("sphere", None),
    ],
)
def test_a_tape_with_something_else_than_a_release_is_refused(name: str, released: object) -> None:
    _, tape = record(ALL[name](), X, np.random.default_rng(1))
    forged = Tape((replace(tape.entries[0], released=released), *tape.entries[1:]))
    with pytest.raises(TapeError, match="is not a release of a"):
        condition(ALL[name](), X, forged)


@pytest.mark.parametrize("name", ALL)
def test_corrected_sensitivities_hold_on_random_neighbours(name: str) -> None:
    run, rng = ALL[name](), np.random.default_rng(2)
    for _ in range(20):
        data = rng.standard_normal((4, 3))
        data /= np.maximum(1.0, np.linalg.norm(data, axis=1, keepdims=True))
        neighbour = data.copy()
        neighbour[0] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]][rng.integers(2)]
        assert lockstep(run, data, neighbour, rng).violations == ()


@pytest.mark.parametrize(("name", "choices"), [("gauss", analyze_gauss.AS_PRINTED), ("power", noisy_power_method.AS_PRINTED)])
def test_a_printed_sensitivity_of_another_relation_fails_for_replace_one(name: str, choices: object) -> None:
    X_ = np.array([[1.0, 0.0, 0.0]] * 4)
    neighbour = np.array([[0.0, 1.0, 0.0], *X_[1:]])
    runs = (lockstep(ALL[name](choices), X_, neighbour, np.random.default_rng(seed)) for seed in range(20))
    assert any(run.violations for run in runs)


def test_condition_of_the_gaussian_mechanisms_is_the_normal_density() -> None:
    for run, scale, std in (
        (gauss(), 1.0, analyze_gauss.calibrate(1.0, 1e-3, 3).std),
        (sulq(), 0.25, mod_sulq.calibrate(1.0, 1e-3, 4, 3).std),
    ):
        _, tape = record(run, X, np.random.default_rng(3))
        mean = upper_triangle(scale * NEIGHBOUR.T @ NEIGHBOUR)
        expected = float(np.sum(stats.norm.logpdf(tape.entries[-1].released, mean, std)))
        assert condition(run, NEIGHBOUR, tape).log_likelihood == pytest.approx(expected, rel=1e-12)
