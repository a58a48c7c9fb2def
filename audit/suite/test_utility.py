"""Utility on real rows: sin-theta distance to the non-private subspace beside that of a random subspace."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from dppca.audit.report.experiments import Axis, Experiment, Plot, Series, level
from dppca.audit.suite.datasets import rand_health
from dppca.reference.noise import Sample
from dppca.reference.primitives.subspaces import principal_subspace, random_sin_theta_distance, sin_theta_distance
from dppca.reference.wang2020.algorithm_1_local_gaussian import calibrate, local_gaussian_mechanism

REPETITIONS = {"quick": 3, "standard": 3, "deep": 50}
EPSILONS = (0.5, 1.0, 2.0, 4.0)
DELTA = 1e-5
K = 1


def test_local_gaussian_mechanism_on_rand(request: pytest.FixtureRequest, utility: Callable[[Experiment], None]) -> None:
    X = rand_health()
    p = X.shape[1]
    from statsmodels.stats.weightstats import DescrStatsW  # noqa: PLC0415 - collection must stay cheap

    target = principal_subspace(X.T @ X / len(X), K)
    repetitions = REPETITIONS[request.config.getoption("--budget")]
    seeds = iter(np.random.SeedSequence(request.config.getoption("--seed")).spawn(len(EPSILONS) * repetitions))
    random = random_sin_theta_distance(p, K)
    rows, points = [], []
    for epsilon in EPSILONS:
        calibration = calibrate(epsilon, DELTA, p)
        distances = [
            sin_theta_distance(target, local_gaussian_mechanism(X, K, calibration, Sample(np.random.default_rng(next(seeds)))))
            for _ in range(repetitions)
        ]
        low, high = DescrStatsW(distances).tconfint_mean()
        points.append((epsilon, float(np.mean(distances)), float(low), float(high)))
        rows.append((f"{epsilon:g}", f"{points[-1][1]:.3f}", f"[{low:.3f}, {high:.3f}]", f"{random:.3f}"))
    utility(
        Experiment(
            f"wang2020 Algorithm 1, CORRECTED, on RAND ({len(X):,} x {p}), k = {K}, delta = {DELTA:g}",
            ("epsilon", "sin-theta", "95 % interval", "random"),
            rows,
            plots=[
                Plot(
                    "Mean error with its 95 % interval",
                    Axis("epsilon", log=True),
                    Axis("sin-theta"),
                    [Series("Algorithm 1", points), level("random subspace", random, EPSILONS)],
                )
            ],
        )
    )
    means = [mean for _, mean, _, _ in points]
    # The noise falls as 1/epsilon and the gap does not: the error must fall, and must leave the random level.
    assert means == sorted(means, reverse=True)
    assert means[-1] < 0.25 * random
