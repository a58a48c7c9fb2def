"""Discovery: what an earlier version was blind to, and the benchmark's own figures."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from dppca import audit
from dppca.audit.engine.events import Goal, discover, levels
from dppca.audit.engine.outputs import Outputs, encode_pair
from dppca.audit.engine.ratio_test import fixed_size_bound
from dppca.audit.engine.scores import scores
from tests import benchmark_mechanisms as of
from tests.mechanisms import Vectorised

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


@pytest.mark.parametrize(
    ("benchmark", "trials", "goal"),
    [
        (of.bump(width=10), 200_000, 1.5),  # 0.00
        (of.optional_parts(), 20_000, 3.2),  # 0.0
        (of.parity(), 20_000, 1.8),  # 0.49
        (of.scale_change(60, 1.15, 1e-2), 30_000, 3.6),  # 2.65
        (of.prefix_sums(2.0, 20, 20), 100_000, 0.85),
        (of.gradient_step(50, 1e-2), 30_000, 3.0),
        (of.max_with_gap(), 30_000, 0.3),
    ],
    ids=lambda value: value.name if isinstance(value, of.Benchmark) else "",
)
def test_what_discovery_was_blind_to_is_found(benchmark: of.Benchmark, trials: int, goal: float) -> None:
    known = benchmark.known
    bound = audit.lower_bound(known.mechanism, known.data, known.neighbour, delta=known.delta, trials=trials, seed=1)
    assert goal < bound.epsilon < 1.05 * known.epsilon


def test_a_rare_bump_is_found() -> None:
    """Few outputs lie there, so that bounds differ from seed to seed: the median of nine; 0.02 before."""
    known = of.bump().known
    bounds = [
        audit.lower_bound(known.mechanism, known.data, known.neighbour, trials=100_000, seed=seed).epsilon for seed in range(9)
    ]
    assert 2.4 < np.median(bounds) < known.epsilon


@pytest.mark.slow
def test_a_long_sequence_of_answers_is_known_by_its_first_hit() -> None:
    benchmark = next(found for found in ALL if found.name == "sparse vector 1, 30 queries")
    known = benchmark.known
    bound = audit.lower_bound(known.mechanism, known.data, known.neighbour, trials=50_000, seed=2)
    assert bound.epsilon > 0.6 * of.oracle(benchmark, 50_000, 100_000)


@pytest.mark.parametrize(
    "outputs",
    [
        lambda n, rng: rng.normal(size=(n, 3)),
        lambda n, rng: [(None, 1.0) if u < 0.5 else (u, None) for u in rng.random(n)],
        lambda n, rng: [[0.5] * k for k in rng.integers(0, 4, n)],
        lambda n, rng: [{"a": u, "b": "x" if u < 0.5 else None} for u in rng.random(n)],
        lambda n, rng: np.where(rng.random((n, 2)) < 0.3, np.inf, rng.normal(size=(n, 2))),
        lambda n, rng: np.repeat(rng.normal(size=(n, 1)), 3, axis=1),
        lambda n, rng: np.column_stack([rng.normal(size=n), np.full(n, 1e300), np.full(n, 1e-300)]),
    ],
)
def test_every_output_has_every_score(outputs: Any) -> None:
    rng = np.random.default_rng(3)
    data, neighbour = (outputs(2000, rng) for _ in range(2))
    first, second = encode_pair(data, neighbour, 1000)
    for scored in scores(first[:1000], second[:1000]):
        if not scored.name.startswith("output"):
            assert np.isfinite(scored.score(first)).all(), scored.name
            part = scored.score(first[:7])
            assert part == pytest.approx(scored.score(first)[:7], rel=1e-5, abs=1e-5), scored.name


def test_rounding_aside_the_order_of_columns_does_not_matter() -> None:
    """Ten counts, one of which tells: wherever it stands."""

    def bounds(place: int) -> float:
        def draw(x: int, n: int, rng: np.random.Generator) -> np.ndarray:
            y = rng.laplace(size=(n, 10))
            y[:, place] += x
            return y

        return audit.lower_bound(Vectorised(draw), 0, 1, trials=30_000, seed=4).epsilon

    found: Sequence[float] = [bounds(place) for place in (0, 4, 9)]
    assert min(found) > 0.85


def test_a_smoothed_order_promises_no_more_than_its_counts_allow() -> None:
    """A likelihood ratio of e or 1 / e, with a step: a curve through it goes on rising where no event keeps it."""

    def draw(x: float, n: int, rng: np.random.Generator) -> np.ndarray:
        return np.asarray(x + rng.laplace(scale=0.5, size=n))

    worst = []
    for seed in range(5):
        rng = np.random.default_rng(seed)
        data, neighbour = encode_pair(draw(0.0, 50_000, rng), draw(0.5, 50_000, rng))
        events = discover(data, neighbour, Goal(0.0, 0.05, 2e5))
        worst.append(max(math.log(event.worth[1]) for event in events))
    assert np.median(worst) < 1.15  # exact: 1


@pytest.mark.parametrize("benchmark", [of.truncated_laplace(0.03)], ids=lambda benchmark: benchmark.name)
def test_an_end_is_cut_where_the_likelihood_ratio_jumps(benchmark: of.Benchmark) -> None:
    """The other dataset has nothing beyond a point, and what lies beyond is little more than delta: all of it counts."""
    known = benchmark.known
    bounds = [
        audit.lower_bound(known.mechanism, known.data, known.neighbour, delta=known.delta, trials=200_000, seed=seed).epsilon
        for seed in range(5)
    ]
    assert np.median(bounds) > 6.7


def test_the_length_of_heavy_tailed_noise_is_known() -> None:
    """Student noise of 3 degrees of freedom in 5 dimensions, whose loss is no sum over coordinates: at most 4.39."""

    def draw(x: float, n: int, rng: np.random.Generator) -> np.ndarray:
        noise = rng.standard_normal((n, 5)) / np.sqrt(rng.chisquare(3, n) / 3.0)[:, np.newaxis]
        return np.asarray(noise + 2.0 * x / math.sqrt(5.0))

    assert 3.2 < audit.lower_bound(Vectorised(draw), 0.0, 1.0, trials=100_000, seed=1).epsilon < 4.39


def test_columns_that_are_alike_are_scored_by_the_steps_of_all() -> None:
    """The loss of ten Laplace noises is a sum of ratios that are constant but near the shift."""
    benchmark, rng = of.histogram(1.0, 10), np.random.default_rng(4)
    known = benchmark.known
    data, neighbour = (known.mechanism.sample(x, 20_000, rng) for x in (known.data, known.neighbour))
    fresh = known.mechanism.sample(known.data, 20_000, rng)
    pair, (of_fresh, _) = encode_pair(data, neighbour), encode_pair(fresh, fresh)
    found = {scored.name: np.corrcoef(scored.score(of_fresh), benchmark.losses(fresh))[0, 1] for scored in scores(*pair)}
    assert found["sum of log-ratios in common steps"] > 0.99
    assert found["sum of log-ratios in steps"] > 0.93


def test_a_direction_that_both_datasets_share_is_seen() -> None:
    """Points of the half of a sphere that faces one of two directions: in the plane of the two it is a matter of corners."""
    rng = np.random.default_rng(4)
    directions = rng.standard_normal((2, 10))

    def draw(x: int, n: int, rng: np.random.Generator) -> np.ndarray:
        z = rng.standard_normal((n, 10))
        z /= np.linalg.norm(z, axis=1)[:, np.newaxis]
        facing = np.where(rng.random(n) < 1.0 / (1.0 + math.exp(-2.0)), 1.0, -1.0) * np.sign(z @ directions[x])
        return np.asarray(z * facing[:, np.newaxis])

    def corners(z: np.ndarray) -> np.ndarray:
        return 1.0 * (z @ directions[0] > 0.0) - (z @ directions[1] > 0.0)

    data, neighbour, fresh = draw(0, 20_000, rng), draw(1, 20_000, rng), draw(0, 20_000, rng)
    pair, (of_fresh, _) = encode_pair(data, neighbour), encode_pair(fresh, fresh)
    learned = next(scored for scored in scores(*pair) if scored.name == "learned score")
    assert np.corrcoef(learned.score(of_fresh), corners(fresh))[0, 1] > 0.9


def test_rarer_ends_are_tested_where_outputs_are_too_few_to_tell() -> None:
    """A Gaussian's best ends for delta = 1e-5 are rarer than 40,000 outputs surely show: 3.27 without the rarer ones."""
    known, rng = of.gaussian(1e-5).known, np.random.default_rng(9)
    fresh, pairs = [known.mechanism.sample(x, 400_000, rng) for x in (known.data, known.neighbour)], 4e5
    promises = []
    for seed in range(9):
        rng = np.random.default_rng(seed)
        data, neighbour = encode_pair(*(known.mechanism.sample(x, 40_000, rng) for x in (known.data, known.neighbour)))
        events = discover(data, neighbour, Goal(known.delta, 0.05, pairs))
        on_fresh = [Outputs.of(outputs, data.kind, fixed=True) for outputs in fresh]
        best = 0.0
        for event, level in zip(events, levels(events, 0.05), strict=True):
            counts = event.count(event.rank(on_fresh[0]), event.rank(on_fresh[1]), pairs)
            best = max(best, fixed_size_bound(counts, event.ends * known.delta, level))
        promises.append(best)
    assert np.median(promises) > 3.3


def test_a_rare_shift_among_many_coordinates_is_found() -> None:
    """The inverse of a covariance of 200 columns, estimated from 3,000 outputs, is mostly noise: 2.2 with that alone."""
    known = of.gradient_step(200, 1e-2).known
    bound = audit.lower_bound(known.mechanism, known.data, known.neighbour, delta=known.delta, trials=20_000)
    assert 2.7 < bound.epsilon < known.epsilon


def test_a_smoothed_order_follows_a_loss_that_rises_in_the_tail_only() -> None:
    """The loss of a subsampled Gaussian is flat but for rare outputs: 3.38 where a line goes on from the middle."""
    known = of.subsampled_gaussian(1e-5, replace=False).known
    bounds = [
        audit.lower_bound(known.mechanism, known.data, known.neighbour, delta=known.delta, trials=500_000, seed=seed).epsilon
        for seed in range(9)
    ]
    assert 3.6 < np.median(bounds) < known.epsilon
