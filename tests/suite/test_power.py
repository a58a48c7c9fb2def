"""The power of a budget: against a simulation, and that a verdict which a budget cannot show is inconclusive."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import ndtr

from dppca.audit.auditor.results import Claim
from dppca.audit.suite.instance import Instance, Output, Setup, run, unexpected
from dppca.audit.suite.power import ENOUGH, power


def profile(epsilon: float) -> float:
    """Return that of N(1, 1) and N(0, 1), by hand."""
    return float(ndtr(0.5 - epsilon) - math.exp(epsilon) * ndtr(-0.5 - epsilon))


def shifted(x: float, rng: np.random.Generator) -> float:
    return x + rng.standard_normal()


CLAIM = Claim(1.0, 0.1)


def instance(trials: int, claim: Claim = CLAIM) -> Instance:
    setup = Setup("output", "1 or 0", lambda _: Output(shifted, 1.0, 0.0, profile=profile))
    return Instance("shift", "", setup, claim, "REFUTED", trials=trials)


@pytest.mark.parametrize("trials", [1_000, 4_000, 40_000])
def test_power_is_the_share_of_experiments_in_which_the_best_event_refutes(trials: int) -> None:
    """A quarter of the trials see {x > 3/2}, the event of the largest D(1), 0.127; a z-test at 0.99 against delta = 0.1."""
    rng = np.random.default_rng(0)
    n, claim = trials // 4, Claim(1.0, 0.1)
    p, q = rng.binomial(n, ndtr(-0.5), 4_000) / n, rng.binomial(n, ndtr(-1.5), 4_000) / n
    spread = np.sqrt((p * (1 - p) + math.e**2 * q * (1 - q)) / n)
    share = float(np.mean(p - math.e * q - 2.3263 * spread > claim.delta))
    assert power(profile, claim, trials, 0.99) <= share + 0.02  # the bound for events that are not seen is left out here
    assert power(profile, claim, 4 * trials, 0.99) >= share - 0.02


def test_a_refutation_that_the_budget_cannot_show_is_inconclusive_and_one_that_it_can_is_not() -> None:
    few = run(instance(2_000), budget="quick", seed=0, confidence=0.9999, progress=lambda _: None)
    assert few.verdict == "NOT REFUTED"
    assert few.inconclusive.startswith("400 trials show it with probability ")
    assert unexpected(few) == []
    all_of_them = run(instance(2_000), budget="standard", seed=0, confidence=0.9999, progress=lambda _: None)
    assert all_of_them.verdict == "NOT REFUTED"
    assert unexpected(all_of_them) == ["the verdict is NOT REFUTED, it must be REFUTED"]
    assert power(profile, Claim(0.0, 0.1), 40_000, 0.9999) > ENOUGH
    sure = instance(200_000, Claim(0.0, 0.1))
    silent = replace(sure, setup=Setup("output", "", lambda _: Output(lambda _, rng: rng.random(), 1.0, 0.0, profile=profile)))
    row = run(silent, budget="quick", seed=0, confidence=0.9999, progress=lambda _: None)
    assert row.verdict == "NOT REFUTED"
    assert unexpected(row) != []  # 40,000 trials show it: the mechanism is not the one that was declared
