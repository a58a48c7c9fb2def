"""liu2022: errors side by side, the rates of the private term, and the sizes from which DP-PCA moves or overtakes.

Statistical assertions read 99.9 % intervals of fitted rates, and medians that differ by a factor.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest

from dppca.audit.report.experiments import Axis, Estimate, Experiment, Intervals, Plot, Series
from dppca.audit.suite.liu2022.experiments import (
    DELTA,
    METHODS,
    READINGS,
    STEPS,
    Model,
    analyze_gauss_noise,
    error,
    example_4_1,
    gaussian,
    last_step_noise,
    overtaking_dimension,
    overtaking_sigma,
    random_level,
    release_sample_size,
)
from dppca.reference.liu2022.data import gradients

Utility = Callable[[Experiment], None]

REPETITIONS = {"quick": 3, "standard": 3, "deep": 20}
EPSILON = 0.8
MODELS = (gaussian(4), example_4_1(4, 0.1), example_4_1(4, 0.001))
#: One record a step: slow, so they run at the first size only.
STREAMING = {"Oja (Algorithm 1)", "Private Oja (Algorithm 2)"}


def _errors(model: Model, n: int, repetitions: int, rng: np.random.Generator) -> dict[str, list[float]]:
    """Return the errors of every method on the same datasets, one run each."""
    found: dict[str, list[float]] = {}
    for own in rng.spawn(repetitions):
        X = model.rows(n, own)
        for name, build in METHODS.items():
            if n <= 20_000 or name not in STREAMING:
                found.setdefault(name, []).append(error(build(model, n, EPSILON)(X, own)))
    return found


def test_side_by_side(repetitions: int, rng: np.random.Generator, utility: Utility) -> None:
    from statsmodels.stats.weightstats import DescrStatsW  # noqa: PLC0415 - collection must stay cheap

    rows = []
    estimates: dict[str, list[Estimate]] = {model.name: [] for model in MODELS}
    medians: dict[tuple[str, int, str], float] = {}
    sizes = (20_000, 400_000)
    for model, n in product(MODELS, sizes):
        for name, errors in _errors(model, n, repetitions, rng).items():
            low, high = DescrStatsW(errors).tconfint_mean()
            if n == sizes[1]:
                estimates[model.name].append(Estimate(name, float(np.mean(errors)), max(low, 0.0), min(high, 1.0)))
            rows.append((model.name, f"{n:,}", name, f"{np.mean(errors):.2e} [{max(low, 0.0):.2e}, {min(high, 1.0):.2e}]"))
            medians[model.name, n, name] = float(np.median(errors))
    utility(
        Experiment(
            f"liu2022, epsilon = {EPSILON:g}, delta = {DELTA:g}, {STEPS} batches; a random direction has {random_level(4):.3f}",
            ("model", "n", "method", "sin, mean and 95 % interval"),
            rows,
            plots=[Intervals(f"{name}, n = {sizes[1]:,}", Axis("sin"), found) for name, found in estimates.items()],
        )
    )
    for model in MODELS:
        at = {name: median for (of, n, name), median in medians.items() if (of, n) == (model.name, sizes[1])}
        assert 2.0 * at["Analyze Gauss"] < at["minibatch (Equation 7)"]
        assert 2.0 * at["Analyze Gauss"] < at["DP-PCA, lean"] < at["DP-PCA, as published"]
        # Where every gradient is nearly the same, adapting to their spread is worth it; at sigma = 0.1 it is not.
        if model.name == MODELS[1].name:
            assert 2.0 * at["minibatch (Equation 7)"] < at["DP-PCA, lean"]
        # With 20,000 records no reading of DP-PCA leaves its start vector.
        assert medians[model.name, sizes[0], "DP-PCA, as published"] > 0.5 * random_level(4)


def _rates(points: list[tuple[int, int, float, float]], name: str, repetitions: int, rng: np.random.Generator) -> Any:
    """Return a fit of log error against log n, log d, log epsilon and log sigma on Example 4.1, by statsmodels."""
    import statsmodels.api as sm  # noqa: PLC0415 - collection must stay cheap

    logs, factors = [], []
    for n, d, epsilon, sigma in points:
        model = example_4_1(d, sigma)
        for own in rng.spawn(repetitions):
            logs.append(math.log(error(METHODS[name](model, n, epsilon)(model.rows(n, own), own))))
            factors.append([math.log(n), math.log(d), math.log(epsilon), math.log(sigma)])
    return sm.OLS(logs, sm.add_constant(np.array(factors))).fit(cov_type="HC3")


#: Sizes at which the private term dominates and every bin is released; half of the 2^4 combinations, balanced.
POINTS = [
    (n, d, epsilon, sigma)
    for (i, n), (j, d), (k, epsilon), (m, sigma) in product(
        enumerate((300_000, 900_000)), enumerate((4, 8)), enumerate((0.6, 2.4)), enumerate((0.0003, 0.003))
    )
    if (i + j + k + m) % 2 == 0
]


@pytest.mark.parametrize(
    ("name", "theory"),
    [
        # Theorem 5.1: gamma d / (epsilon n), gamma proportional to sigma.
        ("DP-PCA, lean", (-1.0, 1.0, -1.0, 1.0)),
        # Theorem 3.3: (gamma + 1) d / (epsilon n), which at these sigma is nearly free of sigma.
        ("minibatch (Equation 7)", (-1.0, 1.0, -1.0, 0.0)),
    ],
)
def test_rates_of_the_private_term(
    name: str, theory: tuple[float, ...], repetitions: int, rng: np.random.Generator, utility: Utility
) -> None:
    fit = _rates(POINTS, name, repetitions, rng)
    intervals, wide = fit.conf_int(0.05)[1:], fit.conf_int(0.001)[1:]
    rows, estimates = [], []
    for factor, slope, (low, high), expected in zip(
        ("n", "d", "epsilon", "sigma"), fit.params[1:], intervals, theory, strict=True
    ):
        estimates.append(Estimate(factor, float(slope), float(low), float(high), expected))
        rows.append((factor, f"{slope:.2f}", f"[{low:.2f}, {high:.2f}]", f"{expected:g}"))
    utility(
        Experiment(
            f"liu2022, {name} on Example 4.1, log-log slopes of sin",
            ("in", "measured", "95 % interval", "theorem"),
            rows,
            plots=[Intervals("Slopes with 95 % intervals", Axis("slope"), estimates, "the theorem's exponent")],
        )
    )
    # The bounds hide powers of logarithms, which these ranges turn into exponents of up to 0.35.
    for (low, high), expected in zip(wide, theory, strict=True):
        assert low - 0.35 < expected < high + 0.35


def test_where_dp_pca_leaves_its_start(repetitions: int, rng: np.random.Generator, utility: Utility) -> None:
    rows = []
    measured = {}
    for model in MODELS[:2]:
        for reading in READINGS:
            needed = release_sample_size(model.of.d, EPSILON, reading)
            n = 2 ** math.ceil(math.log2(needed))
            while np.median(_dp_pca(model, n, reading, repetitions, rng)) > 0.5 * random_level(model.of.d):
                n *= 2
            measured[model.name, reading] = n
            rows.append((model.name, reading, f"{needed:,}", f"{n:,}"))
            assert n >= needed
    head = ("model", "reading", "n that the bins need", "n at which the median error is below half of random")
    utility(Experiment(f"liu2022, DP-PCA at epsilon = {EPSILON:g}; the last column on a grid of doublings", head, rows))
    for model in MODELS[:2]:
        assert measured[model.name, "lean"] < measured[model.name, "as published"]


def _dp_pca(model: Model, n: int, reading: str, repetitions: int, rng: np.random.Generator) -> list[float]:
    method = METHODS[f"DP-PCA, {reading}"](model, n, EPSILON)
    return [error(method(model.rows(n, own), own)) for own in rng.spawn(repetitions)]


def test_where_dp_pca_would_overtake(utility: Utility) -> None:
    """Computed, no data: the noise of the last step, against Equation (7)'s and Analyze Gauss's."""
    n = 10**6
    rows = [
        ("Equation (7)", f"{last_step_noise(MODELS[0], n, EPSILON, 'minibatch'):.1e}", "", ""),
        ("Analyze Gauss", f"{analyze_gauss_noise(MODELS[0], n, EPSILON):.1e}", "", ""),
    ]
    for reading in READINGS:
        sigma = overtaking_sigma(4, n, EPSILON, reading)
        # Optimal composition of d histograms needs arrays of length d, so not for the lean reading.
        dimension = f"{overtaking_dimension(10**15, EPSILON, reading):.1e}" if reading != "lean" else "not computed"
        rows.append((reading, f"{last_step_noise(MODELS[0], n, EPSILON, reading):.1e}", f"{sigma:.1e}", dimension))
        # Both noises fall as 1 / n: more data hardly moves the sigma at which they meet.
        assert 0.5 < overtaking_sigma(4, 1000 * n, EPSILON, reading) / sigma < 1.0
    utility(
        Experiment(
            f"liu2022, noise per coordinate of the last step over lambda_1, n = {n:,}, epsilon = {EPSILON:g} (computed)",
            ("reading", "noise, Gaussian d = 4", "below Equation (7)'s for sigma <", "below Analyze Gauss's from d ="),
            rows,
        )
    )


def test_figure_1(rng: np.random.Generator, utility: Utility) -> None:
    """A minibatch of 400 gradients at w = e_1: their mean, and how far they spread, in units of lambda_1."""
    rows, plots, ratios = [], [], {}
    for model in (gaussian(2), example_4_1(2, 0.1), example_4_1(2, 0.01)):
        g = gradients(model.rows(400, rng), np.array([1.0, 0.0])) / model.of.lambda_1
        mean, spread = g.mean(axis=0), float(np.max(np.ptp(g, axis=0)))
        ratios[model.name] = spread / float(np.linalg.norm(mean))
        rows.append((model.name, f"{np.linalg.norm(mean):.3f}", f"{spread:.3f}", f"{ratios[model.name]:.2f}"))
        points = [(float(x), float(y), None, None) for x, y in g]
        plots.append(
            Plot(
                model.name,
                Axis("along e_1"),
                Axis("across"),
                [
                    Series("gradients", points, "points"),
                    Series("their mean", [(0.0, 0.0, None, None), (float(mean[0]), float(mean[1]), None, None)], "line"),
                ],
            )
        )
    head = ("model", "norm of the mean", "largest range of a coordinate", "range over norm")
    utility(Experiment("liu2022 Figure 1: 400 gradients at w = e_1, d = 2, over lambda_1", head, rows, plots=plots))
    # Gaussian gradients spread wider than their mean is long; those of Example 4.1 spread as sigma does.
    wide, tenth, hundredth = ratios.values()
    assert wide > 1.0 > hundredth
    assert tenth > 5.0 * hundredth
