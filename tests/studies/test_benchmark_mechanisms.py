"""The mechanisms of the benchmark: their losses and exact values."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.studies import benchmark_mechanisms as of

ALL = of.benchmarks()


@pytest.mark.parametrize("benchmark", ALL, ids=[benchmark.name for benchmark in ALL])
def test_losses_and_exact_epsilons_belong_to_the_laws(benchmark: of.Benchmark) -> None:
    """By draws: E_p[e^-loss] and E_q[e^loss] are at most 1, and the hockey-stick divergence at the exact epsilon is delta."""
    known, draws, rng = benchmark.known, 20_000, np.random.default_rng(7)
    worst = 0.0
    for x, sign in ((known.data, 1.0), (known.neighbour, -1.0)):
        loss = sign * np.asarray(benchmark.losses(known.mechanism.sample(x, draws, rng)))
        for terms, most in ((np.exp(-loss), 1.0), (np.maximum(-np.expm1(known.epsilon - loss), 0.0), known.delta)):
            error = 5.0 * terms.std() / math.sqrt(draws) + 5.0 / draws
            assert terms.mean() <= most + error
        worst = max(worst, float(loss.max()))
    if known.delta == 0.0:
        assert worst <= known.epsilon + 1e-6


@pytest.mark.parametrize(
    "name", ["Gaussian, delta 0.01", "subsampled Gaussian, replaced, delta 0.01", "scale change, d = 60, delta 0.01"]
)
def test_an_exact_epsilon_with_delta_is_not_too_large(name: str) -> None:
    """The divergence there is delta, to 5 standard errors of 200,000 draws."""
    benchmark = next(found for found in ALL if found.name == name)
    known, draws, rng = benchmark.known, 200_000, np.random.default_rng(8)
    found = []
    for x, sign in ((known.data, 1.0), (known.neighbour, -1.0)):
        loss = sign * np.asarray(benchmark.losses(known.mechanism.sample(x, draws, rng)))
        terms = np.maximum(-np.expm1(known.epsilon - loss), 0.0)
        found.append((terms.mean(), 5.0 * terms.std() / math.sqrt(draws)))
    assert any(abs(mean - known.delta) <= error for mean, error in found)
