"""Utility on real rows: sin-theta distance to the non-private subspace beside that of a random subspace."""

from __future__ import annotations

import numpy as np
import pytest
from statsmodels.stats.weightstats import DescrStatsW

from audit.datasets import rand_health
from audit.suite import align
from reference.noise import Sample
from reference.primitives.subspaces import principal_subspace, random_sin_theta_distance, sin_theta_distance
from reference.wang2020.algorithm_1_local_gaussian import calibrate, local_gaussian_mechanism

REPETITIONS = {"quick": 3, "standard": 6, "deep": 50}
EPSILONS = (0.5, 1.0, 2.0, 4.0)
DELTA = 1e-5
K = 1


def test_local_gaussian_mechanism_on_rand(request: pytest.FixtureRequest, utility_lines: list[str]) -> None:
    X = rand_health()
    p = X.shape[1]
    target = principal_subspace(X.T @ X / len(X), K)
    repetitions = REPETITIONS[request.config.getoption("--budget")]
    seeds = iter(np.random.SeedSequence(request.config.getoption("--seed")).spawn(len(EPSILONS) * repetitions))
    rows = [("epsilon", "sin-theta", "95 % interval", "random")]
    means = []
    for epsilon in EPSILONS:
        calibration = calibrate(epsilon, DELTA, p)
        distances = [
            sin_theta_distance(target, local_gaussian_mechanism(X, K, calibration, Sample(np.random.default_rng(next(seeds)))))
            for _ in range(repetitions)
        ]
        low, high = DescrStatsW(distances).tconfint_mean()
        means.append(float(np.mean(distances)))
        rows.append((f"{epsilon:g}", f"{means[-1]:.3f}", f"[{low:.3f}, {high:.3f}]", f"{random_sin_theta_distance(p, K):.3f}"))
    utility_lines += [f"wang2020 Algorithm 1, CORRECTED, on RAND ({len(X):,} x {p}), k = {K}, delta = {DELTA:g}:", *align(rows)]
    # The noise falls as 1/epsilon and the gap does not: the error must fall, and must leave the random level.
    assert means == sorted(means, reverse=True)
    assert means[-1] < 0.25 * random_sin_theta_distance(p, K)
