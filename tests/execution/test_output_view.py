"""Audits in the output view, from mechanism to bound."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
import pytest
from scipy.signal import lfilter
from scipy.stats import binom

from dppca import audit
from tests.studies.known_mechanisms import (
    SIMPLE_MECHANISMS,
    Known,
    Vectorised,
    gaussian,
    laplace,
    randomised_response,
    refusing,
)

pytestmark = pytest.mark.usefixtures("without_new_processes")


@pytest.mark.slow
@pytest.mark.parametrize("known", SIMPLE_MECHANISMS, ids=lambda known: known.name)
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


@pytest.mark.parametrize(
    ("known", "goal"), [(laplace(), 0.95), (gaussian(), 0.85), (randomised_response(), 0.95), (refusing(), 0.93)]
)
def test_bounds_are_near_the_truth(known: Known, goal: float) -> None:
    bound = audit.lower_bound(known.mechanism, known.data, known.neighbour, delta=known.delta, trials=100_000, seed=1)
    assert goal < bound.epsilon < 1.02 * known.epsilon


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


def test_outputs_in_an_order_that_tells_are_refused() -> None:
    """An autoregression with the same law on both sides: bounds were up to 0.97, where 0 is exact."""

    def chain(seed: int) -> Any:
        return lfilter([math.sqrt(1 - 0.99**2)], [1, -0.99], np.random.default_rng(seed).normal(size=20_000))

    for seed in range(3):
        with pytest.raises(audit.MechanismError, match="in the order in which they were drawn"):
            audit.lower_bound_from_outputs(chain(2 * seed), chain(2 * seed + 1))


def drawn(dataset: int, sizes: list[int]) -> list[float]:
    """Return the numbers that the trials of batches of these sizes draw at seed 0, one a trial."""
    seeds = np.random.SeedSequence(0).spawn(3)[1 + dataset].spawn(len(sizes))
    return [u for seed, size in zip(seeds, sizes, strict=True) for u in np.random.default_rng(seed).random(size).tolist()]


def test_only_refusals_give_nothing() -> None:
    assert audit.lower_bound(lambda _, __: None, 0.0, 1.0, trials=1000).epsilon == 0.0


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


@pytest.mark.parametrize("always", [None, math.nan, 3])
def test_outputs_that_are_all_alike_are_named_and_others_are_not(always: float | None) -> None:
    advice = "all outputs lie in the event: see that the mechanism returns what it releases"
    assert advice in audit.check(lambda x, rng: always, 0.0, 1.0, audit.Claim(1.0), trials=1000).explain()
    assert advice not in audit.check(lambda x, rng: rng.normal(), 0.0, 1.0, audit.Claim(1.0), trials=1000).explain()
