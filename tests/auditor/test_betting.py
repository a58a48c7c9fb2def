"""Betting against a claim."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binom

from dppca.audit.auditor import betting, ratio_test
from dppca.audit.auditor.betting import anytime_bound, log_wealth, mean_exceeds, mean_lower_bound
from dppca.audit.auditor.ratio_test import Counts, fixed_size_bound


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


def test_wealth_is_that_of_gamblers_with_fixed_shares() -> None:
    """Three hits, two counters and fifteen trials that are neither; who could lose everything has nothing."""
    c, epsilon = 0.1, 0.3
    loss = math.exp(epsilon) + c / 2.0
    shares = [1e-5 * (0.999e5) ** (i / 47.0) for i in range(48)]
    each = [(1 + x * (1 - c / 2)) ** 3 * (1 - x * loss) ** 2 * (1 - x * c / 2) ** 15 if x * loss < 1.0 else 0.0 for x in shares]
    found = betting.log_wealth(ratio_test.Counts(3, 2, 10.0), c, epsilon)
    assert found == pytest.approx(math.log(math.fsum(each) / 48.0), rel=1e-9)


@pytest.mark.parametrize(
    ("counts", "bounds"),
    [
        (Counts(40, 30, 500.0), (0.0, 0.0)),  # no evidence
        (Counts(30, 45, 500.0), (0.0, 0.0)),
        (Counts(300, 180, 2000.0), (0.1, 0.5)),
        (Counts(8000, 2400, 40_000.0), (1.0, math.log(8.0 / 2.4))),
        (Counts(9000, 90, 40_000.0), (4.0, math.log(100.0))),
        (Counts(10**9, 0, 10**9), (11.0, math.log(1e5))),  # the smallest share of a mixture could lose everything above
    ],
)
@pytest.mark.parametrize("c", [0.0, 1e-6])
def test_an_anytime_bound_is_the_last_epsilon_whose_wealth_is_enough(
    counts: Counts, bounds: tuple[float, float], c: float
) -> None:
    found = anytime_bound(counts, c, 0.05)
    assert bounds[0] <= found <= bounds[1]
    if found:
        assert log_wealth(counts, c, found) >= math.log(20.0)
    assert log_wealth(counts, c, found + 1.01e-4) < math.log(20.0)


def test_no_share_that_could_lose_everything_is_bet() -> None:
    for epsilon in (12.0, 800.0):
        assert log_wealth(Counts(1000, 0, 1000.0), 0.0, epsilon) == -math.inf


def test_few_payoffs_are_bet_on_with_no_more_than_nine_tenths() -> None:
    """Three payoffs, of which one is 0: shares of 0.141, 0.565 and 0.9, not 2.26."""
    payoffs, best = np.array([3.0, 5.0, 0.0]), math.sqrt(2.0 * math.log(20.0) / 3.0)
    shares = np.array([0.1 * best, 0.4 * best, 0.9])
    found = mean_lower_bound(payoffs, 0.05, 3)
    assert mean_exceeds(payoffs, found, shares, 0.05)
    assert not mean_exceeds(payoffs, found * 1.01, shares, 0.05)


def test_a_payoff_that_no_share_makes_enough_of_bounds_nothing() -> None:
    """At one payoff of 1000 planned the wealth is below (1 + 0.27 e^7) / 3 = 100, and 10^6 would be needed."""
    assert mean_lower_bound(np.array([1.0]), 1e-6, 1000) == 0.0
