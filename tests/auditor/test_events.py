"""The events that discovery chooses."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import norm

from dppca import audit
from dppca.audit.auditor import events
from dppca.audit.auditor.events import Goal, discover, levels
from dppca.audit.auditor.outputs import Outputs, encode_pair
from dppca.audit.auditor.ratio_test import fixed_size_bound
from dppca.audit.auditor.scores import Codes, Scored
from tests.studies import benchmark_mechanisms as of
from tests.studies.known_mechanisms import Vectorised

pytestmark = pytest.mark.usefixtures("without_new_processes")


def test_a_rare_event_that_only_one_dataset_has_is_found() -> None:
    """A category of probability 0.005 on data and none on the neighbour."""

    def draw(x: int, n: int, rng: np.random.Generator) -> list[str]:
        leak = (rng.random(n) < 0.005) & (x == 0)
        return ["leak" if leaked else "quiet" for leaked in leak]

    bound = audit.lower_bound(Vectorised(draw), 0, 1, trials=20_000)
    assert bound.epsilon > 1.5
    assert "leak" in bound.event


def test_a_vector_is_separated_along_the_right_direction() -> None:
    """The shift is spread over all coordinates: no single coordinate shows it."""
    shift = np.full(20, 1.0 / math.sqrt(20.0))
    std = 0.75
    mechanism = Vectorised(lambda x, n, rng: x * shift + std * rng.standard_normal((n, 20)))
    bound = audit.lower_bound(mechanism, 0.0, 1.0, delta=0.05, trials=40_000)
    assert bound.epsilon > 1.0
    assert "discriminant" in bound.event or "sum of" in bound.event


def test_a_change_of_variance_is_seen_by_the_quadratic_discriminant() -> None:
    mechanism = Vectorised(lambda x, n, rng: (1.0 + x) * rng.standard_normal((n, 3)))
    bound = audit.lower_bound(mechanism, 0.0, 1.0, trials=20_000)
    assert bound.epsilon > 1.5


def test_mixed_outputs_are_separated_by_their_refusals() -> None:
    """None with probability 0.5 or 0.1, otherwise the same number."""

    def draw(x: int, n: int, rng: np.random.Generator) -> list[float | None]:
        return [None if u < (0.5, 0.1)[x] else 3.0 for u in rng.random(n)]

    bound = audit.lower_bound(Vectorised(draw), 0, 1, trials=20_000, confidence=0.999)
    assert 1.3 < bound.epsilon < math.log(5.0)
    assert "None" in bound.event


def test_a_refusal_is_not_the_category_of_its_name() -> None:
    """None on one dataset, the string "None" on the other."""
    bound = audit.lower_bound(lambda x, _: None if x == 0 else "None", 0, 1, trials=2000)
    assert bound.epsilon > 3.0


def test_tuples_of_categories_and_numbers() -> None:
    def mechanism(x: int, rng: np.random.Generator) -> tuple[str, float, np.ndarray]:
        return "ab"[int(rng.random() < 0.2 + 0.6 * x)], rng.standard_normal(), rng.standard_normal(2)

    assert 1.1 < audit.lower_bound(mechanism, 0, 1, trials=5000).epsilon < math.log(4.0)


@pytest.mark.parametrize(
    "mechanism",
    [
        lambda x, rng: np.array([float(x), rng.normal()]),
        lambda x, rng: np.full(3, float(x)),
        lambda x, rng: np.array([rng.normal(), x + 0.0]) * 1e6,
        lambda x, rng: (x * 1.0, "a"),
    ],
)
def test_a_coordinate_that_is_constant_on_each_dataset_gives_the_dataset_away(mechanism: Callable[..., Any]) -> None:
    assert audit.lower_bound(mechanism, 0, 1, trials=2000).epsilon > 4.0


def test_a_copied_coordinate_does_not_hide_a_shift() -> None:
    def mechanism(x: int, rng: np.random.Generator) -> np.ndarray:
        a = rng.normal(scale=1e3)
        return np.array([a, a + 1e-3 * (rng.normal() + 4.0 * x)])

    assert audit.lower_bound(mechanism, 0, 1, trials=4000).epsilon > 2.0


def test_a_rare_atom_among_continuous_outputs_is_found() -> None:
    def draw(x: int, n: int, rng: np.random.Generator) -> np.ndarray:
        y = rng.normal(size=n)
        y[rng.random(n) < (0.004 if x == 0 else 0.0)] = 0.125
        return y

    assert audit.lower_bound(Vectorised(draw), 0, 1, trials=20_000).epsilon > 1.0


def test_many_categories_are_no_trouble() -> None:
    def draw(x: int, n: int, rng: np.random.Generator) -> list[str]:
        return [str(u) for u in rng.integers(10**9, size=n)]

    assert audit.lower_bound(Vectorised(draw), 0, 1, trials=20_000).epsilon < 0.5


ALL = of.benchmarks()


@pytest.mark.parametrize(
    ("benchmark", "trials", "goal"),
    [
        (of.bump(width=10), 200_000, 1.5),  # 0.00
        (of.optional_parts(), 20_000, 3.2),  # 0.0
        (of.parity(), 20_000, 1.8),  # 0.49
        (of.scale_change(60, 1.15, 1e-2), 30_000, 3.5),  # 2.65; 3.585 at this seed since trials are interleaved
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
    """Few outputs lie there, so that bounds differ from seed to seed, 0.5 to 3.3 with mean 2.4: the median of nine."""
    known = of.bump().known
    bounds = [
        audit.lower_bound(known.mechanism, known.data, known.neighbour, trials=100_000, seed=seed).epsilon for seed in range(9)
    ]
    assert 1.5 < np.median(bounds) < known.epsilon


@pytest.mark.slow
def test_a_long_sequence_of_answers_is_known_by_its_first_hit() -> None:
    benchmark = next(found for found in ALL if found.name == "sparse vector 1, 30 queries")
    known = benchmark.known
    bound = audit.lower_bound(known.mechanism, known.data, known.neighbour, trials=50_000, seed=2)
    assert bound.epsilon > 0.6 * of.oracle(benchmark, 50_000, 100_000)


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


def test_rarer_ends_are_tested_where_outputs_are_too_few_to_tell() -> None:
    """A Gaussian's best ends for delta = 1e-5 are rarer than 40,000 outputs surely show: 3.27 without the rarer ones."""
    known, rng = of.gaussian(1e-5).known, np.random.default_rng(9)
    fresh, pairs = [known.mechanism.sample(x, 400_000, rng) for x in (known.data, known.neighbour)], 4e5
    promises = []
    for seed in range(9):
        rng = np.random.default_rng(seed)
        data, neighbour = encode_pair(*(known.mechanism.sample(x, 40_000, rng) for x in (known.data, known.neighbour)))
        events = discover(data, neighbour, Goal(known.delta, 0.05, pairs))
        on_fresh = [Outputs.of(outputs, data.kind) for outputs in fresh]
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
        for seed in range(3)
    ]
    assert 3.6 < np.median(bounds) < known.epsilon


def test_an_order_of_cells_is_judged_on_other_data_than_made_it() -> None:
    """By labels, by parts, and by whole vectors that repeat: their ratios are all fitted."""
    words = encode_pair(["a", "b"] * 10, ["a", "c"] * 10)
    assert [fitted for _, fitted in events.candidate_orders(*words)] == [True]
    vectors = encode_pair([(0.0, 1.0), (1.0, 0.0)] * 50, [(0.0, 1.0), (0.0, 0.0)] * 50)
    *_, (order, fitted) = events.candidate_orders(*vectors)
    assert order.describe(1, 0) == "for data: output = (1, 0)"
    assert fitted


def test_vectors_are_told_apart_as_wholes() -> None:
    """Each of the 36 has an atom of its own, those that differ by a sign, a missing number or the order of entries included."""
    entries = (0.0, 1.0, -1.0, 2.0, 1e-300, math.nan)
    rows = np.array([(a, b) for a in entries for b in entries])
    found = events.whole_vectors(rows, rows[::-1])
    assert found is not None
    score, atoms, show = found
    values = score(Outputs.of(np.where(np.isnan(rows), 0.0, rows)))
    assert len(atoms) == 36
    assert {show(value) for value in atoms} == {f"({a:g}, {b:g})" for a, b in rows}
    assert len(set(values.tolist())) == 25  # without those that have no number
    assert events.whole_vectors(np.arange(602.0).reshape(301, 2), rows) is None  # more than 300 vectors


def test_bins_are_even_in_the_middle_and_finer_at_both_ends() -> None:
    levels = events.bin_levels(800)
    assert len(levels) == 49
    assert levels[5:-5] == pytest.approx(np.arange(1, 40) / 40)
    assert levels[0] == pytest.approx(0.01)  # at least 20 of 2000, or a hundredth
    assert levels[:5] == pytest.approx(0.01 * 2.5 ** np.linspace(0.0, 0.8, 5))
    assert levels == pytest.approx(1.0 - levels[::-1])
    assert events.bin_levels(10**6)[0] == pytest.approx(2e-5)


def test_cells_are_ranked_by_their_ratio_less_its_error() -> None:
    """Counts 9, 1, 10 and 0 against 1, 9, 10 and 0 of the two atoms, of what is between, and of what has no number."""
    data, neighbour = encode_pair([1.0] * 9 + [2.0] * 1 + [5.0] * 10, [1.0] * 1 + [2.0] * 9 + [5.0] * 10)
    number = Scored("output", lambda outputs: outputs.numbers[:, 0])
    order = events.order_by_ratio(data, neighbour, Codes(all_one=True), number, np.array([1.0, 2.0]), np.array([3.0, 7.0]))
    assert order.cells == 2 * (2 + 3 + 1)  # one label and all others, two atoms, three bins, no number
    ranks = order.rank(encode_pair([1.0, 5.0, 2.0], [1.0])[0]).tolist()
    assert ranks[0] == 0
    assert ranks[0] < ranks[1] < ranks[2] == order.cells - 1
    assert order.describe(1, 1) == "for data: output = 1; for neighbour: output = 2"
    everything = order.describe(order.cells, 0)
    assert everything == "for data: output = 1 or output in (3, 7] or output = 2"


def test_what_is_promised_is_the_root_of_its_equation() -> None:
    """r with p - c - r q = z sqrt((p + r^2 q) / pairs), found by bisection."""
    for p, q, c, z, pairs in [(0.5, 0.1, 0.0, 1.6, 1000.0), (0.02, 0.001, 1e-3, 3.0, 5e4), (0.9, 0.3, 0.01, 0.5, 30.0)]:

        def gap(r: float, p: float = p, q: float = q, c: float = c, z: float = z, pairs: float = pairs) -> float:
            return p - c - r * q - z * math.sqrt((p + r * r * q) / pairs)

        expected = brentq(gap, 0.0, 1e6, xtol=1e-13, rtol=1e-14)
        assert events.promised(np.array(p), np.array(q), np.array(c), z, pairs) == pytest.approx(expected, rel=1e-9)
    assert events.promised(np.array(0.1), np.array(0.1), np.array(0.2), 1.0, 10.0) == 0.0


def two_cells() -> tuple[events.Order, Outputs, Outputs]:
    """Return an order of three cells and outputs: 300 of 400 on the data, 40 of 400 on the neighbour are in the first."""
    data, neighbour = encode_pair([0.0] * 300 + [1.0] * 100, [0.0] * 40 + [1.0] * 360)
    order = events.Order(lambda outputs: outputs.numbers[:, 0].astype(np.int64), 3, lambda first, last: f"{first} {last}")
    return order, data, neighbour


def worth(hits: float, counters: float, ends: int, errors: float, size: int, epsilon: float | None) -> tuple[float, float]:
    """Return the strength against the claim and the promise, for shares of so many outputs, as the docstrings say."""
    c, paid = 1e-3 * ends, errors * math.sqrt(1000.0 / size)
    q = counters + (0.5 * ends + min(errors, 1.0) * math.sqrt(size * counters + ends)) / size
    faced = np.array(q + 1.2 / 1000.0)
    promise = float(events.promised(np.array(hits), faced, np.array(c), float(norm.isf(0.05)) + paid, 1000.0))
    ratio = math.exp(0.5)
    strength = (hits - c - ratio * q) / math.sqrt((hits + ratio**2 * q) / 1000.0) - paid
    return (0.0 if epsilon is None else max(0.0, strength), promise)


@pytest.mark.parametrize("epsilon", [None, 0.5])
def test_the_ends_that_are_chosen_promise_most(epsilon: float | None) -> None:
    """Every pair of ends by itself: shares, what is added for rare counters, and the errors that are paid for."""
    order, data, neighbour = two_cells()
    goal = Goal(1e-3, 0.05, 1000.0, epsilon)
    shares = [(0.75, 0.1), (0.25, 0.9), (0.0, 0.0)]
    ranks = order.rank(data), order.rank(neighbour)

    def best(errors: float, size: int) -> tuple[tuple[float, float], int, int, float, float]:
        ranked = []
        for first in range(3):
            for last in range(3 - first + 1):
                if max(first, last) > 2 or first + last == 0:
                    continue
                p = sum(cell[0] for cell in shares[:first]) + sum(cell[1] for cell in shares[3 - last :])
                q = sum(cell[1] for cell in shares[:first]) + sum(cell[0] for cell in shares[3 - last :])
                ranked.append((worth(p, q, (first > 0) + (last > 0), errors, size, epsilon), first, last, p, q))
        return max(ranked)

    any_ends = np.array([[0, 0], [1, 1], [2, 2]])
    for errors in (0.5, 1.5, 3.0):
        pair = events.Judged(order, events.EndShares.of(order, *ranks), errors, (0.0, 0.0), any_ends).pair(goal, 1.0)
        _, first, last, _, _ = best(errors, 400)
        assert (pair.first, 3 - pair.last) == (first, last)
    for errors, judged in zip((3.0, 1.0), events.judge(order, *ranks, goal), strict=True):
        halves = [best(caution, 200) for caution in (0.5, 1.5, 3.0)]  # the halves are alike
        kept = [worth(p, q, (first > 0) + (last > 0), errors, 400, epsilon) for _, first, last, p, q in halves]
        assert judged.worth == pytest.approx(max(kept), rel=1e-9)
        assert judged.caution in {caution for caution, of in zip((0.5, 1.5, 3.0), kept, strict=True) if of == max(kept)}


def test_an_order_is_worth_what_its_ends_keep_on_outputs_that_have_not_chosen_them() -> None:
    """Every second output of the data falls into the first cell, and of the neighbour, in turn, into the last: luck."""
    order, *_ = two_cells()
    data, neighbour = np.ones(400, dtype=np.int64), np.ones(400, dtype=np.int64)
    data[:80:2], neighbour[1:80:2] = 0, 2
    goal = Goal(0.0, 0.05, 1000.0)
    chosen = []
    for half in range(2):
        seen = events.EndShares.of(order, data[half::2], neighbour[half::2])
        chosen.append(events.best_ends(seen, *seen.grids(), goal, 3.0))
    assert chosen == [(1, 0), (0, 1)]
    for errors, judged in zip((3.0, 1.0), events.judge(order, data, neighbour, goal), strict=True):
        assert judged.worth[1] < 1.0 < worth(0.2, 0.0, 1, errors, 400, None)[1]


def test_final_ends_lie_between_those_whose_worth_was_counted() -> None:
    """The first cell alone is best; with the second it is what both halves have chosen."""
    order, data, neighbour = two_cells()
    shares = events.EndShares.of(order, order.rank(data), order.rank(neighbour))
    goal = Goal(1e-3, 0.05, 1000.0)
    found = {}
    for ends in ([[1, 0], [2, 0]], [[2, 0], [2, 0]], [[0, 1], [0, 2]], [[2, 0], [0, 0]]):
        pair = events.Judged(order, shares, 1.5, (0.0, 0.0), np.array(ends)).pair(goal, 1.0)
        found[str(ends)] = (pair.first, 3 - pair.last)
    assert list(found.values()) == [(1, 0), (2, 0), (0, 2), (2, 0)]
    sizes = np.array([0, 2, 5, 9])
    assert events.from_least_to_largest(sizes, np.array([4, 9])).tolist() == [4, 5, 9]
    assert events.from_least_to_largest(sizes, np.array([0, 2])).tolist() == [0, 2]
    assert events.from_least_to_largest(sizes, np.array([3, 4])).tolist() == [3, 4]  # none of the sizes
    assert events.from_least_to_largest(sizes, np.array([0, 0])).tolist() == [0]
    # all outputs in the middle cell: only ends of two cells are on the grid, and both together are too many
    middle = events.EndShares.of(order, np.ones(10, dtype=np.int64), np.ones(10, dtype=np.int64))
    pair = events.Judged(order, middle, 1.5, (0.0, 0.0), np.array([[2, 1], [1, 2]])).pair(goal, 1.0)
    assert pair.first + 3 - pair.last <= 3


def test_smoothing_keeps_what_both_laws_share_and_reproduces_a_logistic_ratio() -> None:
    z = np.linspace(-3.0, 3.0, 101)
    pooled = np.diff(norm.cdf(np.linspace(-3.03, 3.03, 102)))
    pooled /= pooled.sum()
    score = norm.ppf(np.cumsum(pooled) - 0.5 * pooled)
    share = 1.0 / (1.0 + np.exp(-0.8 * score))
    p, q = 2.0 * pooled * share, 2.0 * pooled * (1.0 - share)
    noise = 1.0 + 0.3 * np.sin(40.0 * z)
    found = events.smoothed_shares(p * noise, q * noise)
    assert found[0] + found[1] == pytest.approx((p + q) * noise, rel=1e-9)
    exactly = events.smoothed_shares(p, q)
    assert exactly[0] == pytest.approx(p, rel=1e-3, abs=2e-7)  # but for the ridge of 1e-6
    assert exactly[1] == pytest.approx(q, rel=1e-3, abs=2e-7)


def test_ends_are_thinned_where_there_are_more_than_120() -> None:
    assert events.thinned(np.arange(1.0, 121.0)).tolist() == list(range(120))
    assert events.thinned(np.arange(1.0, 122.0)).tolist() == [*range(30), *range(30, 111, 2), *range(111, 121)]
    assert events.thinned(np.array([0.0, 0.0, 0.5, 0.5, 1.0])).tolist() == [0, 2, 4]  # where nothing changes there is no end


def test_where_outputs_are_few_the_order_that_is_chosen_is_fitted_to_all_of_them_too() -> None:
    """A shift of 25 numbers, whose direction 800 outputs tell better than 400 of them do: by outputs that did not choose it."""
    rng = np.random.default_rng(4)
    shift = np.full(25, 0.3)
    pair = encode_pair(shift + rng.normal(size=(800, 25)), rng.normal(size=(800, 25)))
    other = [Outputs.of(x * shift + rng.normal(size=(20_000, 25)), pair[0].kind) for x in (1.0, 0.0)]

    def seen(event: events.EventPair) -> tuple[float, float]:
        counts = event.count(*(event.rank(of) for of in other), 20_000.0)
        return (counts.hits + counts.counters) / 20_000.0, math.log(counts.hits / counts.counters)

    sure, *_, again = events.discover(*pair, Goal(0.0, 0.05, 2000.0))
    (share_of_half, ratio_of_half), (share, ratio) = seen(sure), seen(again)
    assert ratio > ratio_of_half + 0.1
    assert share == pytest.approx(share_of_half, rel=0.2)
