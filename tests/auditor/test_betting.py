"""Betting against a claim."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binom

from dppca.audit.auditor import betting, ratio_test
from dppca.audit.auditor.betting import anytime_bound, log_wealth, mean_exceeds
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
