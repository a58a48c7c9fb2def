"""The auditor: bounds that hold, bounds that are tight, errors that name what is wrong."""

from __future__ import annotations

import dataclasses
import functools
import json
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom, poisson

from dppca import audit
from dppca.audit.engine import output_view
from dppca.audit.engine.betting import anytime_bound, log_wealth, mean_exceeds
from dppca.audit.engine.ratio_test import Counts, fixed_size_bound, poisson_pairs, rejected
from dppca.audit.engine.runner import Runner
from dppca.audit.engine.trials import take_both
from tests.benchmarks import KEPT
from tests.mechanisms import VALIDITY, Known, Vectorised, gaussian, laplace, randomised_response, refusing

# --- validity -----------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("known", VALIDITY, ids=lambda known: known.name)
def test_bounds_are_above_the_truth_no_more_often_than_stated(known: Known) -> None:
    """At confidence 0.8, where an error rate is easiest to see; false alarm below 1e-6."""
    repetitions, confidence = 150, 0.8
    wrong = sum(
        audit.lower_bound(
            known.mechanism, known.data, known.neighbour, delta=known.delta, trials=1000, confidence=confidence, seed=seed
        ).epsilon
        > known.epsilon
        for seed in range(repetitions)
    )
    assert binom.sf(wrong - 1, repetitions, 1.0 - confidence) > 1e-6


@pytest.mark.slow
@pytest.mark.parametrize("known", [laplace(), gaussian(), refusing()], ids=lambda known: known.name)
def test_a_true_claim_is_refuted_no_more_often_than_stated(known: Known) -> None:
    repetitions, confidence = 150, 0.8
    claim = audit.Claim(known.epsilon, known.delta)
    refuted = sum(
        audit.check(known.mechanism, known.data, known.neighbour, claim, trials=1000, confidence=confidence, seed=s).refuted
        for s in range(repetitions)
    )
    assert binom.sf(refuted - 1, repetitions, 1.0 - confidence) > 1e-6


def _rejects(counts: Counts, c: float, alpha: float, epsilon: float) -> bool:
    """Return whether epsilon is below the bound; for c > 0 by the one decision that the bound's bisection would make."""
    return rejected(counts, c, alpha, epsilon) if c else fixed_size_bound(counts, c, alpha) > epsilon


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mean_hits", "mean_counters", "c"), [(40.0, 12.0, 0.001), (90.0, 20.0, 0.02), (12.0, 2.0, 0.0), (45.0, 4.0, 0.01)]
)
def test_the_fixed_size_test_has_its_level_on_the_boundary(mean_hits: float, mean_counters: float, c: float) -> None:
    """Exactly, by summing over all counts: the probability of rejecting a true boundary hypothesis."""
    pairs, alpha = 1000.0, 0.1
    truth = math.log((mean_hits - pairs * c) / mean_counters)
    level = 0.0
    for hits in range(int(poisson.isf(1e-4, mean_hits)) + 1):
        for counters in range(int(poisson.isf(1e-4, mean_counters)) + 1):
            mass = poisson.pmf(hits, mean_hits) * poisson.pmf(counters, mean_counters)
            if mass > 1e-6:
                level += mass * _rejects(Counts(hits, counters, pairs), c, alpha, truth)
    assert 0.2 * alpha < level <= alpha


def test_hits_and_few_counters_that_refute_are_not_lost() -> None:
    """Counts for which a linear statistic, its slope chosen beforehand and large, rejected nothing at all."""
    assert 3.8 < fixed_size_bound(Counts(2965, 21, 148_000.0), 0.01, 0.05) < math.log((2965 - 1480) / 21)
    without_delta = fixed_size_bound(Counts(520, 8, 148_000.0), 0.0, 0.05)
    assert fixed_size_bound(Counts(520, 8, 148_000.0), 1e-5, 0.05) == pytest.approx(without_delta, rel=0.02)


@pytest.mark.slow
@pytest.mark.parametrize("c", [2e-5, 0.005])
def test_a_bound_never_falls_when_the_evidence_grows(c: float) -> None:
    bounds = np.array([[fixed_size_bound(Counts(h, k, 1000.0), c, 0.05) for k in range(0, 12, 2)] for h in range(0, 60, 5)])
    assert np.all(np.diff(bounds, axis=0) >= 0.0)
    assert np.all(np.diff(bounds, axis=1) <= 0.0)
    assert np.all(bounds[-1] > 0.5)
    larger = np.array(
        [[fixed_size_bound(Counts(h, k, 1000.0), 2.0 * c, 0.05) for k in range(0, 12, 2)] for h in range(0, 60, 5)]
    )
    assert np.all(larger <= bounds)


@pytest.mark.parametrize(
    ("p", "q", "c"), [(0.0196, 1.4e-4, 0.01), (0.014, 5e-4, 0.01), (3.5e-3, 5e-5, 1e-5), (5e-4, 1e-6, 1e-5)]
)
def test_no_draw_of_an_event_s_counts_gives_less_than_half_of_what_it_usually_gives(p: float, q: float, c: float) -> None:
    rng, pairs = np.random.default_rng(0), 148_000
    draws = zip(rng.poisson(p * pairs, 30), rng.poisson(q * pairs, 30), strict=True)
    bounds = [fixed_size_bound(Counts(int(hits), int(counters), pairs), c, 0.05) for hits, counters in draws]
    assert min(bounds) > 0.5 * np.median(bounds)
    assert 0.5 * math.log((p - c) / q) < np.median(bounds) < math.log((p - c) / q)


def test_betting_wealth_is_a_supermartingale_on_the_boundary() -> None:
    """One step from any state multiplies wealth by at most 1 on average: checked exactly on a small tree."""
    epsilon, c = 0.7, 0.04
    q_s, p_s = 0.05, 0.05 * math.exp(0.7) + 0.02
    p_t, q_t = 0.03, 0.03 * math.exp(0.7) + 0.02  # (0.7, 0.02)-DP exactly, both ways
    steps = [(p_s, p_t), (q_t, q_s)]  # hit and counter probability of a trial on data, on the neighbour
    for hits, counters, pairs in ((0, 0, 0), (5, 1, 30), (40, 3, 200)):
        before = log_wealth(Counts(hits, counters, pairs), c, epsilon)
        mean = 0.0
        outcomes = [[(h, 1, 0), (k, 0, 1), (1 - h - k, 0, 0)] for h, k in steps]
        for mass_x, hit_x, counter_x in outcomes[0]:
            for mass_y, hit_y, counter_y in outcomes[1]:
                after = Counts(hits + hit_x + hit_y, counters + counter_x + counter_y, pairs + 1)
                mean += mass_x * mass_y * math.exp(log_wealth(after, c, epsilon) - before)
        assert mean <= 1.0 + 1e-12


def test_anytime_bound_falls_short_of_the_fixed_size_bound_but_not_by_much() -> None:
    counts = Counts(8000, 2400, 40_000)
    fixed = fixed_size_bound(counts, 0.0, 0.05)
    anytime = anytime_bound(counts, 0.0, 0.05)
    assert 0.9 * fixed < anytime < fixed < math.log(8000 / 2400)


def test_mean_exceeds_has_its_level_and_its_power() -> None:
    rng = np.random.default_rng(0)
    shares = np.array([0.02, 0.04, 0.08])
    null = sum(mean_exceeds(rng.exponential(0.1, 400), 0.1, shares, 0.1) for _ in range(400))
    assert binom.sf(null - 1, 400, 0.1) > 1e-6  # false alarm: 1e-6
    assert mean_exceeds(rng.exponential(0.15, 1000), 0.1, shares, 0.001)


def test_poisson_pairs_rarely_exceed_the_trials() -> None:
    for trials in (70, 1000, 70_000):
        assert poisson.sf(trials, poisson_pairs(trials, 1e-4)) == pytest.approx(1e-4, rel=1e-6)


# --- tightness ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("known", "goal"), [(laplace(), 0.95), (gaussian(), 0.85), (randomised_response(), 0.95), (refusing(), 0.93)]
)
def test_bounds_are_near_the_truth(known: Known, goal: float) -> None:
    bound = audit.lower_bound(known.mechanism, known.data, known.neighbour, delta=known.delta, trials=100_000, seed=1)
    assert goal < bound.epsilon < 1.02 * known.epsilon


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


def test_equal_datasets_give_nothing() -> None:
    known = laplace()
    assert audit.lower_bound(known.mechanism, 0.0, 0.0, trials=20_000).epsilon < 0.02


def test_disjoint_supports_give_a_bound_that_grows_with_the_trials() -> None:
    mechanism = Vectorised(lambda x, n, rng: x + rng.random(n))
    small, large = (audit.lower_bound(mechanism, 0.0, 2.0, trials=t).epsilon for t in (1000, 100_000))
    assert large > small + 4.0 > 8.0


def test_a_false_claim_is_refuted_early() -> None:
    known = gaussian(shrink=2.0)
    verdict = audit.check(known.mechanism, known.data, known.neighbour, audit.Claim(1.0, 0.01), trials=1_000_000)
    assert verdict.refuted
    assert str(verdict) == "REFUTED"
    assert verdict.bound.trials < 400_000
    assert 1.0 < verdict.bound.epsilon < known.epsilon


def test_a_true_claim_is_not_refuted() -> None:
    known = gaussian()
    verdict = audit.check(known.mechanism, known.data, known.neighbour, audit.Claim(1.0, 0.01), trials=50_000)
    assert not verdict.refuted
    assert str(verdict) == "NOT REFUTED"
    assert verdict.bound.trials == 50_000


def test_a_bound_is_not_held_against_a_claim_with_another_delta() -> None:
    known = laplace()
    bound = audit.lower_bound(known.mechanism, 0.0, 1.0, trials=1000)
    with pytest.raises(ValueError, match=r"claim\.delta must equal the bound's delta 0.0, got 1e-05"):
        bound.refutes(audit.Claim(0.1, 1e-5))


# --- reproducibility ----------------------------------------------------------------------------------


def test_the_same_seed_gives_the_same_bound() -> None:
    known = gaussian()

    def bound(seed: int) -> audit.LowerBound:
        found = audit.lower_bound(known.mechanism, 0.0, 1.0, delta=0.01, trials=5000, seed=seed)
        return dataclasses.replace(found, seconds=0.0)

    assert bound(3) == bound(3)
    assert bound(3) != bound(4)


def test_outputs_that_exist_already_give_a_bound() -> None:
    rng = np.random.default_rng(0)
    first, second = rng.laplace(size=50_000), 1.0 + rng.laplace(size=50_000)
    assert 0.93 < audit.lower_bound_from_outputs(first, second).epsilon < 1.02
    assert 0.93 < audit.lower_bound_from_outputs(list(first), list(second)).epsilon < 1.02


def test_no_two_streams_are_equal() -> None:
    streams, _ = output_view._streams(lambda _, rng: rng.random(), 0.0, 1.0, 0, None, ())
    first, second = take_both(streams, 12_000, Runner(1, None, None, callables=(), data=()))
    assert len({*first, *second}) == len(first) + len(second) == 24_000


# --- errors -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"delta": 1.0}, r"delta must be in \[0, 1\), got 1.0"),
        ({"delta": math.nan}, r"delta must be in \[0, 1\), got nan"),
        ({"trials": 99}, "trials must be an integer >= 100, got 99"),
        ({"trials": 1e5}, "trials must be an integer >= 100, got 100000.0"),
        ({"confidence": 1.0}, r"confidence must be in \(0, 1\), got 1.0"),
        ({"seed": -1}, "seed must be >= 0, got -1"),
    ],
)
def test_bad_arguments_are_named_before_any_trial(changes: dict[str, Any], message: str) -> None:
    def mechanism(_: float, __: np.random.Generator) -> float:
        raise AssertionError("ran on bad arguments")

    with pytest.raises(ValueError, match=message):
        audit.lower_bound(mechanism, 0.0, 1.0, **changes)


@pytest.mark.parametrize(("epsilon", "delta"), [(-1.0, 0.0), (math.nan, 0.0), (math.inf, 0.0), (1.0, 1.0), (1.0, -0.1)])
def test_bad_claims_are_refused(epsilon: float, delta: float) -> None:
    with pytest.raises(ValueError, match=r"(epsilon|delta) must be"):
        audit.Claim(epsilon, delta)


def test_something_that_is_no_mechanism_is_refused() -> None:
    with pytest.raises(ValueError, match="mechanism must be callable or have a method sample, got 3"):
        audit.lower_bound(3, 0.0, 1.0)


def drawn(dataset: int, sizes: list[int]) -> list[float]:
    """Return the numbers that the trials of batches of these sizes draw at seed 0, one a trial."""
    seeds = np.random.SeedSequence(0).spawn(3)[1 + dataset].spawn(len(sizes))
    return [u for seed, size in zip(seeds, sizes, strict=True) for u in np.random.default_rng(seed).random(size).tolist()]


def failing(at: int, sizes: list[int], action: Callable[[], Any]) -> Callable[[float, np.random.Generator], Any]:
    """Return a mechanism whose trial number `at` on the first dataset does something else: the one that draws its number."""
    number = drawn(0, sizes)[at]

    def mechanism(x: float, rng: np.random.Generator) -> Any:
        value = rng.random()
        return action() if value == number else value

    return mechanism


def _raise() -> float:
    raise RuntimeError("no luck")


@pytest.mark.parametrize(
    ("action", "message"),
    [
        (_raise, "raised RuntimeError: no luck"),
        (object, "returned a object; an output is a number, str, bytes, None"),
        (lambda: (1.0, lambda: 0), "in part 1: returned a function; an output is"),
        (lambda: np.ma.masked_array([1.0, 2.0], [False, True]), "returned a masked array; fill it"),
        (lambda: np.array(["2020-01-01"], dtype="M8"), r"returned an array of dtype datetime64\[D\]"),
        (lambda: functools.reduce(lambda inner, _: (inner,), range(500), 1.0), "returned something nested more than 20 deep"),
    ],
)
def test_a_failing_trial_is_named_and_nothing_is_lost(action: Callable[[], Any], message: str) -> None:
    at = 7312
    with pytest.raises(audit.MechanismError, match=message) as caught:
        audit.lower_bound(failing(at, [5000, 5000], action), 0.0, 1.0, trials=10_000)
    error = caught.value
    assert error.trial == at
    assert "trial 7,312 (seed entropy 0, spawn key" in str(error)
    assert len(error.completed["data"]) == at
    seen = audit.rerun(lambda _, rng: rng.random(), 0.0, error.seed)
    whole = np.random.default_rng(np.random.SeedSequence(error.seed.entropy, spawn_key=error.seed.spawn_key)).random(5000)
    assert seen == whole[at % 5000]


def test_a_sampler_of_the_wrong_length_is_named() -> None:
    with pytest.raises(audit.MechanismError, match=r"returned 3 outputs from sample\(data, 1000, rng\)"):
        audit.lower_bound(Vectorised(lambda x, n, rng: [1.0, 2.0, 3.0]), 0.0, 1.0, trials=1000)


def test_only_refusals_give_nothing() -> None:
    assert audit.lower_bound(lambda _, __: None, 0.0, 1.0, trials=1000).epsilon == 0.0


def test_the_kept_validity_run_is_within_its_nominal_rate() -> None:
    kept = json.loads(KEPT.read_text())
    assert {row["mechanism"] for row in kept["rows"]} == {known.name for known in VALIDITY}
    for row in kept["rows"]:
        assert row["of"] >= 2000
        assert binom.sf(row["wrong"] - 1, row["of"], 1.0 - kept["confidence"]) > 1e-4, row


# --- outputs that once misled the auditor -------------------------------------------------------------


def test_a_part_that_is_seldom_there_is_encoded_alike_on_both_datasets() -> None:
    """The same mechanism twice; a part of the tuple is None so often that some batches hold no number of it."""

    def mechanism(_: int, rng: np.random.Generator) -> tuple[float | None, float]:
        return (float(rng.normal()) if rng.random() < 7e-4 else None, float(rng.normal()))

    claim = audit.Claim(0.0)
    bounds = [audit.lower_bound(mechanism, 0, 0, trials=1000, seed=seed).epsilon for seed in range(25)]
    checks = [audit.check(mechanism, 0, 0, claim, trials=1000, seed=seed).refuted for seed in range(25)]
    assert binom.sf(sum(bound > 0.0 for bound in bounds) - 1, 25, 0.05) > 1e-4
    assert binom.sf(sum(checks) - 1, 25, 0.05) > 1e-4


def test_an_output_unlike_any_in_discovery_is_an_output_like_others() -> None:
    """check fixes the kind on discovery, where every first part was None."""
    late = {u for dataset in (0, 1) for u in drawn(dataset, [300, 700])[400:]}

    def mechanism(_: int, rng: np.random.Generator) -> tuple[float | None, float]:
        u = rng.random()
        return (1.0 if u in late else None, u)

    verdict = audit.check(mechanism, 0, 1, audit.Claim(0.0), trials=1000)
    assert verdict.bound.trials == 1000


def test_a_reused_buffer_is_copied() -> None:
    buffer = np.zeros(1)

    def mechanism(_: int, rng: np.random.Generator) -> np.ndarray:
        buffer[0] = rng.random()
        return buffer

    assert audit.lower_bound(mechanism, 0, 0, trials=2000).epsilon < 0.3


def test_completed_outputs_are_copies() -> None:
    buffer, last = np.zeros(1), drawn(0, [1000])[500]

    def mechanism(_: int, rng: np.random.Generator) -> np.ndarray:
        buffer[0] = rng.random()
        if buffer[0] == last:
            raise RuntimeError("no more")
        return buffer

    with pytest.raises(audit.MechanismError) as caught:
        audit.lower_bound(mechanism, 0, 0, trials=1000)
    assert len({float(output[0]) for output in caught.value.completed["data"]}) == 500


def test_a_mechanism_that_changes_its_dataset_is_named() -> None:
    def mechanism(X: np.ndarray, rng: np.random.Generator) -> float:
        X += rng.normal(size=X.shape)
        return float(X.sum())

    with pytest.raises(audit.MechanismError, match="changed its dataset"):
        audit.lower_bound(mechanism, np.zeros(3), np.zeros(3), trials=1000)


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
