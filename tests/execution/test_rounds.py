"""The stages of a check: what is grossly false is refuted by the first, and a limit of time decides how many there are."""

from __future__ import annotations

import itertools
import math
import time
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

from dppca import audit
from dppca.audit.execution.output_view import chosen_on, end_of_stage

pytestmark = pytest.mark.usefixtures("without_new_processes")


class Laplace:
    def sample(self, data: float, trials: int, rng: np.random.Generator) -> Any:
        return data + rng.laplace(size=trials)


def no_noise(data: float, rng: np.random.Generator) -> float:
    time.sleep(0.01)
    return data


@pytest.mark.parametrize("seconds", [None, 600.0])
def test_what_adds_no_noise_is_refuted_by_the_first_stage(seconds: float | None) -> None:
    """It takes 10 s on an idle machine."""
    verdict = audit.check(no_noise, 0.0, 1.0, audit.Claim(1.0), seconds=seconds)
    assert verdict.refuted
    assert verdict.bound.trials == 400
    assert verdict.bound.confidence == 0.95
    assert verdict.bound.method == "betting"


def test_seconds_are_those_of_the_clock() -> None:
    """Of a clock that stands all trials are run, of one that runs ahead few."""
    ahead = itertools.count(0.0, 10.0)
    still, fast = (
        audit.check(Laplace(), 0.0, 1.0, audit.Claim(1.1), trials=20_000, seconds=30.0, clock=clock)
        for clock in (lambda: 0.0, lambda: next(ahead))
    )
    assert still.bound.trials == 20_000
    assert fast.bound.trials < 2_000


@pytest.mark.parametrize(("trials", "expected"), [(100_000, 100_000), (1000, 1000), (100, 100)])
def test_all_trials_are_used_where_there_is_time_and_the_bound_is_as_large(trials: int, expected: int) -> None:
    timed, plain = (
        audit.check(Laplace(), 0.0, 1.0, audit.Claim(1.1), trials=trials, seed=3, seconds=seconds) for seconds in (3600, None)
    )
    assert not timed.refuted
    assert timed.bound.trials == plain.bound.trials == expected
    assert timed.bound.epsilon >= plain.bound.epsilon - 0.4 / math.sqrt(trials / 100.0)


def stages(trials: int, affordable: float | None) -> list[tuple[int, int]]:
    """Return the trials that choose and until which is tested, where so many more are affordable after each stage's choice."""
    found, until, last = list[tuple[int, int]](), 0, False
    while not last:
        size = chosen_on(until, trials, affordable is not None)
        until, last = end_of_stage(size, trials, math.inf if affordable is None else affordable, affordable is not None)
        found.append((size, until))
    return found


def test_stages_grow_fourfold_and_the_last_has_most_trials() -> None:
    assert stages(100_000, None) == [(100, 400), (400, 1600), (30_000, 100_000)]
    assert stages(1000, None) == [(300, 1000)]
    assert stages(100, None) == [(30, 100)]
    assert stages(100_000, math.inf) == [(100, 400), (400, 1600), (1600, 6400), (6400, 25_600), (25_600, 100_000)]
    assert stages(100_000, 3000.0) == [(100, 400), (400, 3100)]
    assert stages(100_000, 500.0) == [(100, 550)]
    assert stages(100_000, 0.0) == [(100, 200)]  # a little more than the time
    assert stages(100, math.inf) == [(30, 100)]


@pytest.mark.slow
def test_true_claims_are_refuted_no_more_often_within_a_time() -> None:
    """30 audits at 0.5 of a claim that is exactly true; more wrong ones than expected have probability below 1e-6."""
    wrong = [
        audit.check(Laplace(), 0.0, 1.0, audit.Claim(1.0), trials=3000, seed=seed, seconds=60, confidence=0.5).refuted
        for seed in range(30)
    ]
    assert sum(wrong) <= binom.isf(1e-6, 30, 0.5)
