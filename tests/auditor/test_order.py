"""The order test: its level on exchangeable trials, what it finds, and Chernoff's bound against enumeration."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

from dppca.audit.auditor import order
from dppca.audit.auditor.order import Places, normal_ranks, one_group_each, order_test, running
from dppca.audit.auditor.outputs import Outputs, encode_pair

N = 4000


def places(n: int, rng: np.random.Generator, longest: int = 64) -> list[Places]:
    """Return where two datasets' trials stand in random blocks."""
    ends = [np.unique(np.append(np.cumsum(rng.integers(1, longest + 1, size=n)), n)) for _ in range(2)]
    block = [np.searchsorted(e[e <= n], np.arange(n), side="right") for e in ends]
    call = np.argsort(np.argsort(np.concatenate([2.0 * b + 0.001 * np.arange(n) / n + i for i, b in enumerate(block)])))
    first = [np.searchsorted(b, b) for b in block]
    return [Places(call[i * n : (i + 1) * n], {"place": np.arange(n) - first[i], "block": 2 * block[i] + i}) for i in range(2)]


@pytest.mark.parametrize("draw", [lambda rng, n: rng.normal(size=n), lambda rng, n: (rng.random(n) < 0.05) * 1.0])
@pytest.mark.parametrize("n", [70, 500])
def test_exchangeable_trials_are_called_dependent_no_more_often_than_the_level(
    draw: Callable[[np.random.Generator, int], Any], n: int
) -> None:
    """Of 200 runs at the levels 0.1 and 0.01; false alarm below 1e-4 each."""
    rng, found = np.random.default_rng(n), []
    for _ in range(200):
        scores = [draw(rng, n) for _ in range(2)]
        events = [[of > np.quantile(of, 0.9)] for of in scores]
        found.append(order_test(scores, places(n, rng), events, rng).p)
    for level in (0.1, 0.01):
        assert np.sum(np.array(found) <= level) <= binom.ppf(1 - 1e-4, 200, level)


def _repeated(rng: np.random.Generator) -> Any:
    return np.repeat(rng.normal(size=N), 2)[:N]


def _opposed(rng: np.random.Generator) -> Any:
    half = rng.normal(size=N // 2)
    return np.concatenate([half, -half])


def _autoregressive(rng: np.random.Generator) -> Any:
    z = rng.normal(size=N)
    return z[1:] + 0.2 * z[:-1]


def _bursts(rng: np.random.Generator) -> Any:
    return np.repeat(rng.random(N // 20) < 0.02, 20) * 1.0


@pytest.mark.parametrize(
    ("draw", "what"),
    [
        (_repeated, "trials 1 calls from each other"),
        (_opposed, f"trials {N // 2:,} calls from each other"),
        (_autoregressive, "trials 1 calls from each other"),
        (_bursts, "neighbours in the run"),
        (lambda rng: np.sort(rng.normal(size=N)), "neighbours in the run"),
        (lambda rng: rng.normal(size=N) + np.repeat(0.5 * rng.normal(size=N // 40), 40), "neighbours in the run"),
        (lambda rng: rng.normal(size=N) * np.repeat(rng.exponential(size=N // 40), 40), "neighbours in the run"),
        (lambda rng: rng.normal(size=N) + np.linspace(0, 1, N), "neighbours in the run"),
    ],
)
def test_dependence_is_found_and_named(draw: Callable[[np.random.Generator], Any], what: str) -> None:
    rng = np.random.default_rng(1)
    scores = draw(rng)
    found = order_test([scores], [Places.in_order(len(scores))], [[]], rng)
    assert found.p < 1e-9
    assert what in found.what
    assert order_test([rng.permutation(scores)], [Places.in_order(len(scores))], [[]], rng).p > 1e-6


def test_what_trials_have_in_common_is_named() -> None:
    rng = np.random.default_rng(2)
    where = places(N, rng)
    for name in ("place", "block"):
        common = rng.normal(size=4 * N)
        scores = [common[of.groups[name]] + rng.normal(size=N) for of in where]
        found = order_test(scores, where, [[], []], rng)
        assert (found.p < 1e-9, found.what) == (True, name)


def test_trials_of_one_dataset_are_held_against_those_of_the_other() -> None:
    """Each draw serves one trial on either dataset: alone each dataset's are independent."""
    rng = np.random.default_rng(3)
    draws = rng.normal(size=N)
    where = [Places(2 * np.arange(N) + i, {}) for i in range(2)]
    assert order_test([draws, draws], where, [[], []], rng).what == "trials 1 calls from each other"
    assert order_test([draws, draws], where, [[], []], rng).p < 1e-9
    assert order_test([draws, rng.normal(size=N)], where, [[], []], rng).p > 1e-6


def test_rare_events_that_meet_in_groups_are_found() -> None:
    """Forty trials of 20,000 in groups of four, which ranks hardly show."""
    rng = np.random.default_rng(4)
    inside = np.zeros(20_000, dtype=bool)
    for start in rng.choice(5000, size=10, replace=False):
        inside[4 * start : 4 * start + 4] = True
    group = {"block": np.arange(20_000) // 8}
    scores = rng.normal(size=20_000)
    assert order_test([scores], [Places(np.arange(20_000), group)], [[inside]], rng).p < 1e-9
    assert order_test([scores], [Places(np.arange(20_000), group)], [[rng.permutation(inside)]], rng).p > 1e-6


@pytest.mark.parametrize(("sizes", "held"), [((4, 4, 4), 5), ((6, 3, 2, 1), 4), ((2, 2, 2, 2, 2), 6)])
def test_the_bound_on_clusters_is_above_their_probability(sizes: tuple[int, ...], held: int) -> None:
    """By enumeration of all choices, for every statistic that may be seen."""
    n = sum(sizes)
    group = np.repeat(np.arange(len(sizes)), sizes)
    mean = np.array(sizes) * held / n

    def statistic(chosen: tuple[int, ...]) -> float:
        counts = np.bincount(group[list(chosen)], minlength=len(sizes))
        return math.fsum(max(c - m, 0.0) ** 2 / max(m, 1.0) for c, m in zip(counts, mean, strict=True))

    seen = {chosen: statistic(chosen) for chosen in itertools.combinations(range(n), held)}
    values = np.array(list(seen.values()))
    for chosen, value in seen.items():
        counts = np.bincount(group[list(chosen)], minlength=len(sizes)).astype(float)
        assert order.clustering_tail(counts, np.array(sizes, float)) >= np.mean(values >= value - 1e-12) - 1e-12


def test_ties_are_in_random_order() -> None:
    """Under 1,000 orders the first of four ties has each rank about 250 times; a deviation of 5 standard ones is 70."""
    rng = np.random.default_rng(5)
    first = [normal_ranks(np.zeros(4), rng)[0] for _ in range(1000)]
    _, counts = np.unique(first, return_counts=True)
    assert len(counts) == 4
    assert np.all(np.abs(counts - 250) < 70)


def test_new_processes_are_compared_with_one_another_and_with_the_run() -> None:
    rng = np.random.default_rng(6)
    group = np.concatenate([np.zeros(2000, np.int64), np.repeat(np.arange(1, 21), 20)])
    honest = rng.normal(size=len(group))
    once = honest + np.concatenate([np.zeros(2000), np.repeat(rng.normal(size=20), 20)])
    other = honest + 1.0 * (group > 0)
    assert one_group_each([honest], [group], [[honest > 1.0]], rng).p > 1e-6
    assert one_group_each([once], [group], [[]], rng).what == "in each new process"
    assert one_group_each([once], [group], [[]], rng).p < 1e-9
    assert one_group_each([other], [group], [[]], rng).what == "in new processes than in the run"
    assert one_group_each([other], [group], [[]], rng).p < 1e-9


def test_an_event_is_counted_in_new_processes_too() -> None:
    """All of 140 trials of the run are in it, and 7 of 14 others; by Fisher's exact test: 1e-8, twice."""
    inside, group = np.append(np.ones(140, dtype=bool), np.arange(14) % 2 == 0), np.repeat([0, 1], [140, 14])
    expected = math.comb(14, 7) / math.comb(154, 7)
    assert order.fisher_p_value(inside, group > 0) == pytest.approx(2 * expected, rel=1e-9)
    assert one_group_each([np.zeros(154)], [group], [[inside]], np.random.default_rng(0)).p < 1e-6
    assert order.fisher_p_value(np.arange(154) % 2 == 0, group > 0) == 1.0


def test_processes_with_one_stream_are_seen_by_the_calls() -> None:
    """Each of 24 processes gives its draws to one dataset or the other, in an order of its own."""
    rng = np.random.default_rng(7)
    draws, on_data = rng.normal(size=40), rng.random((24, 40)) < 0.5
    calls = [np.flatnonzero(which) for both in (on_data, ~on_data) for which in both]
    assert order.same_stream([draws[of] + i for i, of in enumerate(calls)], calls, rng) < 1e-9
    assert order.same_stream([rng.normal(size=len(of)) + i for i, of in enumerate(calls)], calls, rng) > 1e-6


@pytest.mark.parametrize("cached", [False, True])
def test_what_a_process_draws_once_is_equal_in_that_process_alone(cached: bool) -> None:
    """One output in 40 is a value of the process, or one of 200 values; the others are 0."""
    rng = np.random.default_rng(1)
    processes, calls, found = 30, 80, []
    for _ in range(20):
        kept = rng.random((processes, 1)) if cached else rng.integers(1, 200, (processes, calls))
        values = np.where(rng.random((processes, calls)) < 1 / 40, kept, 0.0)
        run, new = Outputs.of([0.0] * 300), [Outputs.of(row) for row in values.tolist()]
        found.append(order.seen_before(run, new, [np.arange(calls)] * processes, rng))
    assert all((each.p < 1e-9) == cached for each in found)
    assert not cached or {each.what for each in found} == {"in each new process, the same again and again"}


@pytest.mark.parametrize(
    ("clock", "runs"),
    [
        (lambda i: i, True),
        (lambda i: 1.0 - 0.5 * i, True),
        (lambda i: f"{i // 7:06}", True),
        (lambda i: 1 + i // 20, True),
        (lambda i: (7 * i) % 11, False),
        (lambda i: i % 20, False),
        (lambda _: 3.0, False),
    ],
)
def test_what_never_falls_or_never_rises_within_a_batch_tells_the_order(clock: Callable[[int], Any], runs: bool) -> None:
    """Two batches of 20 calls on each dataset; beside a number that varies, and alone."""
    calls = [np.arange(i, 80, 2) for i in (0, 1)]
    where = [Places(call, {"batch": call // 40}) for call in calls]
    rng = np.random.default_rng(0)
    pair = encode_pair(*([{"at": clock(i % 40), "y": rng.normal()} for i in call.tolist()] for call in calls))
    found = running(pair, where, "batch")
    assert (len(found) == 1) == runs
    assert all("at" in str(path) for path in found)
    alone = encode_pair(*([{"at": clock(i % 40), "y": 1.0} for i in call.tolist()] for call in calls))
    assert running(alone, where, "batch") == frozenset()
