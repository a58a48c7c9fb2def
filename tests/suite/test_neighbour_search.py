"""The neighbour search finds planted errors, also where only some start vectors or transcripts show them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from dppca.audit.suite import marginal
from dppca.audit.suite.neighbour_search import largest_change, largest_delta, mixture_delta, search
from dppca.audit.suite.shang2021 import brackets
from dppca.reference.baselines import analyze_gauss
from dppca.reference.catalog import ALGORITHMS
from dppca.reference.noise import GaussianLaw, LaplaceLaw, Noise, ReleaseTerm, condition, lockstep_on
from dppca.reference.primitives.gaussian import profile
from dppca.reference.shang2021 import algorithm_1_dp_spca as algorithm_1
from dppca.reference.shang2021 import algorithm_2_dp_vrpca as algorithm_2

Matrix = NDArray[np.float64]

ONE_STEP = {k: algorithm_1.calibrate(1.0, 0.01, 2, 3, 1, k) for k in (1, 2)}
TWO_STEPS = {k: algorithm_2.calibrate(1.0, 0.01, 2, 3, 2, 1, k) for k in (1, 2)}


def spca(X: Matrix, noise: Noise, sensitivity: float, k: int) -> Matrix:
    return algorithm_1.dp_spca(X, (1.0,), replace(ONE_STEP[k], sensitivity=sensitivity), noise)


def vrpca(X: Matrix, noise: Noise, sensitivity: float, k: int) -> Matrix:
    """Two steps: at the first V = V~, so a sensitivity of c / n would pass there."""
    return algorithm_2.dp_vrpca(X, 1.0, replace(TWO_STEPS[k], sensitivity=sensitivity), noise)


def power_step(X: Matrix, noise: Noise, sensitivity: float, k: int) -> Matrix:
    """Return a release whose change depends on the start vector: its full size only along the first axis."""
    start = noise.public_normal("start", (3, k))
    start = start / np.linalg.norm(start)
    return noise.gaussian("y", X.T @ X @ np.diag([1.0, 0.1, 0.1]) @ start, std=1.0, sensitivity=sensitivity)


@pytest.mark.parametrize(
    ("algorithm", "supremum", "k"),
    [
        (spca, 2.0, 1),
        (spca, 2.0 * 2.0**0.5, 2),
        (vrpca, 1.5, 1),
        (vrpca, 1.5 * 2.0**0.5, 2),
        (power_step, 1.0, 1),
    ],
)
@pytest.mark.parametrize("seed", [0, 1])
def test_a_sensitivity_three_percent_too_small_is_found(
    algorithm: Callable[[Matrix, Noise, float, int], Matrix], supremum: float, k: int, seed: int
) -> None:
    def planted(X: Matrix, noise: Noise) -> Matrix:
        return algorithm(X, noise, 0.97 * supremum, k)

    found = largest_change(planted, 2, 3, seed=seed)
    assert found.value == pytest.approx(1.0 / 0.97, rel=1e-4)
    again = lockstep_on(found.tape, planted, found.data, found.neighbour)
    assert again.violations
    assert np.array_equal(found.data[1:], found.neighbour[1:])
    assert max(np.linalg.norm([*found.data, *found.neighbour], axis=1)) <= 1.0 + 1e-12


def test_the_vector_sensitivity_used_for_blocks_is_found() -> None:
    found = largest_change(lambda X, noise: spca(X, noise, ONE_STEP[1].sensitivity, 2), 2, 3, seed=0)
    assert found.value == pytest.approx(2.0**0.5, rel=1e-5)


@pytest.mark.parametrize("shortfall", [1.0, 0.9])
def test_noise_ten_percent_too_small_is_found(shortfall: float) -> None:
    """At n = 1, where the account is exact, the noise it gives just meets delta."""
    calibration = algorithm_1.calibrate(1.0, 0.01, 1, 2, 1)
    planted = replace(calibration, std=shortfall * calibration.std)
    found = largest_delta(lambda X, noise: marginal.dp_spca(X, (1.0,), planted, noise), 1, 2, 1.0, seed=0)
    assert found.value == pytest.approx(profile(1.0, calibration.sensitivity / planted.std), rel=1e-3)
    assert (found.value > 0.0101) == (shortfall < 1.0)


@pytest.mark.parametrize("copies", [1, 5])
def test_quadrature_of_a_pair_of_mixtures_is_its_account(copies: int) -> None:
    """The pair `remove` for n = 4, the other means moved by 1e-6 so that all span one, two or three dimensions."""
    for dimension in (1, 2, 3):
        own = np.zeros((4, 3))
        for j in range(1, dimension):
            own[j, j] = 1e-6
        other = own.copy()
        own[0, 0] = 2.0
        law = marginal.GaussianMixtureLaw(1.5)
        delta = mixture_delta(*(ReleaseTerm("g", of, law, 1.0, 0.0) for of in (own, other)), 0.4, copies)
        assert delta == pytest.approx(brackets.dp_spca(0.4, 4, copies, 1.5, 2.0).lower, rel=0.01)


def test_other_laws_and_too_many_dimensions_are_refused() -> None:
    with pytest.raises(TypeError, match="law must be a Gaussian or a mixture of Gaussians, got laplace"):
        mixture_delta(*(ReleaseTerm("g", np.zeros(1), LaplaceLaw(1.0), 1.0, 0.0),) * 2, 1.0)
    parts = np.eye(5)
    with pytest.raises(ValueError, match="means must span at most 3 dimensions, got 4"):
        mixture_delta(*(ReleaseTerm("g", parts, marginal.GaussianMixtureLaw(1.0), 1.0, 0.0),) * 2, 1.0)


def test_an_objective_of_ones_own() -> None:
    """The largest eigenvalue of the change of X^T X, for Analyze Gauss: 1."""
    algorithm = ALGORITHMS["baselines.analyze_gauss"].bind(epsilon=1.0, delta=0.1, d=2, k=1, choices=analyze_gauss.CORRECTED)

    def objective(tape: object, data: Matrix, neighbour: Matrix) -> float:
        return float(np.linalg.eigvalsh(data.T @ data - neighbour.T @ neighbour)[-1])

    found = search(algorithm, objective, 2, 2, seed=0, restarts=3)
    assert found.value == pytest.approx(1.0, rel=1e-6)
    assert isinstance(condition(algorithm, found.data, found.tape).terms[0].law, GaussianLaw)
