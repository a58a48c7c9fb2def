"""singhal2021: how often the subspace is found, against n, d, ell and the reading of the paper."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from statsmodels.stats.proportion import proportion_confint

from audit.report.experiments import Axis, Experiment, Plot, Series
from reference.noise import Sample
from reference.primitives.subspaces import projector
from reference.singhal2021 import algorithm_1_exact as exact
from reference.singhal2021 import algorithm_2_approximate as approximate
from reference.singhal2021.exact_linear_algebra import span

REPETITIONS = {"quick": 8, "standard": 20, "deep": 200}
EPSILON, DELTA = 1.0, 1e-2


def _share(x: float, found: int, of: int) -> tuple[float, float, float, float]:
    """(x, share found, 95 % interval)."""
    low, high = proportion_confint(found, of, method="beta")
    return x, found / of, float(low), float(high)


def _interval(found: int, of: int) -> str:
    _, _, low, high = _share(0.0, found, of)
    return f"{found}/{of}, [{low:.2f}, {high:.2f}]"


def _repetitions(request: pytest.FixtureRequest) -> int:
    return REPETITIONS[request.config.getoption("--budget")]


def _generator(request: pytest.FixtureRequest, label: int) -> np.random.Generator:
    return np.random.default_rng([request.config.getoption("--seed"), label])


def _rows_in_a_line(n: int, ell: int, d: int, rng: np.random.Generator) -> list[list[int]]:
    """n - ell multiples of one vector and ell points elsewhere, all in general position."""
    inside = [[int(c), 2 * int(c), *[0] * (d - 2)] for c in rng.integers(1, 9, n - ell)]
    outside = [[1, 3 + i, *[0] * (d - 2)] for i in range(ell)]
    return inside + outside


def test_exact_estimator_finds_the_line_from_the_stated_n_on(
    request: pytest.FixtureRequest, utility: Callable[[Experiment], None]
) -> None:
    rng, repetitions = _generator(request, 1), _repetitions(request)
    rows, series = [], []
    for ell, d in ((0, 2), (3, 2), (3, 6)):
        calibration = exact.calibrate(EPSILON, DELTA, ell)
        enough = calibration.sufficient_n
        target = span([(1, 2, *[0] * (d - 2))], d)
        points = []
        for n in (enough // 2, enough - 6, enough):
            outputs = [
                exact.exact_subspace_estimator(_rows_in_a_line(n, ell, d, rng), 1, calibration, Sample(rng))
                for _ in range(repetitions)
            ]
            found = sum(output == target for output in outputs)
            rows.append((str(ell), str(d), str(n), str(enough), _interval(found, repetitions)))
            points.append(_share(n / enough, found, repetitions))
            if n == enough:
                assert found == repetitions  # "with probability 1"
            if n == enough // 2:
                assert found < repetitions
        series.append(Series(f"ell = {ell}, d = {d}", points))
    title = "How often the line is found, with 95 % intervals"
    utility(
        Experiment(
            f"singhal2021 Algorithm 1, CORRECTED, k = 1, epsilon = {EPSILON:g}, delta = {DELTA:g}",
            ("ell", "d", "n", "stated n", "found, 95 % interval"),
            rows,
            plots=[Plot(title, Axis("n / stated n"), Axis("share found"), series)],
        )
    )


def _gaussian_rows(
    n: int, d: int, k: int, gamma: float, rng: np.random.Generator
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Rows with standard deviation 1 inside a randomly rotated k-subspace and gamma outside, and its projector."""
    V = np.linalg.qr(rng.standard_normal((d, d)))[0]
    scale = np.where(np.arange(d) < k, 1.0, gamma)
    return (rng.standard_normal((n, d)) * scale) @ V.T, projector(V[:, :k])


def test_approximate_estimator_with_the_printed_and_the_corrected_cell(
    request: pytest.FixtureRequest, utility: Callable[[Experiment], None]
) -> None:
    """On rotated subspaces the printed cell loses the blocks as d grows, the corrected one does not."""
    n, k, gamma, rng, repetitions = 2500, 3, 1e-6, _generator(request, 2), _repetitions(request) // 2
    rows, series = [], []
    rates = {}
    for name, choices in (("as printed", approximate.AS_PRINTED), ("corrected", approximate.CORRECTED)):
        points = []
        for d in (4, 16, 64, 128):
            calibration = approximate.calibrate(1.0, 1e-6, gamma, n=n, d=d, k=k, choices=choices)
            errors = []
            for _ in range(repetitions):
                X, Pi = _gaussian_rows(n, d, k, gamma, rng)
                output = approximate.approximate_subspace_estimator(X, calibration, Sample(rng))
                if output is not None:
                    errors.append(float(np.linalg.norm(output - Pi, 2)))
            rates[name, d] = len(errors) / repetitions
            worst = f"{max(errors):.3g}" if errors else ""
            rows.append((name, str(d), _interval(len(errors), repetitions), worst))
            points.append(_share(d, len(errors), repetitions))
            if name == "corrected":
                assert len(errors) >= 0.7 * repetitions
                assert max(errors) < 0.5
        series.append(Series(f"cell {name}", points))
    title = "How often the subspace is found, with 95 % intervals"
    utility(
        Experiment(
            f"singhal2021 Algorithm 2 on rotated subspaces, n = {n}, k = {k}, gamma = {gamma:g}",
            ("cell", "d", "found, 95 % interval", "largest error of those found"),
            rows,
            plots=[Plot(title, Axis("d", log=True), Axis("share found"), series)],
        )
    )
    assert rates["as printed", 128] < 0.5
    assert math.isclose(rates["corrected", 4], rates["corrected", 128], abs_tol=0.3)
