"""The test of an event pair of fixed size."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import gamma, norm, poisson

from dppca.audit.auditor import ratio_test
from dppca.audit.auditor.ratio_test import Counts, fixed_size_bound, poisson_pairs, rejected


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


@pytest.mark.parametrize(("mean_hits", "mean_counters", "c"), [(9.0, 2.0, 0.01), (12.0, 3.0, 0.03)])
def test_a_small_fixed_size_test_has_its_level_and_uses_it(mean_hits: float, mean_counters: float, c: float) -> None:
    """As above, with few enough counts for every one of them and a level that is seen among so few."""
    pairs, alpha = 100.0, 0.3
    truth = math.log((mean_hits - pairs * c) / mean_counters)
    level = math.fsum(
        poisson.pmf(hits, mean_hits) * poisson.pmf(counters, mean_counters)
        for counters in range(int(poisson.isf(1e-3, mean_counters)) + 1)
        for hits in range(int(poisson.isf(1e-3, mean_hits)) + 1)
        if rejected(Counts(hits, counters, pairs), c, alpha, truth)
    )
    assert 0.5 * alpha < level <= alpha


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


def test_poisson_pairs_rarely_exceed_the_trials() -> None:
    for trials in (70, 1000, 70_000):
        assert poisson.sf(trials, poisson_pairs(trials, 1e-4)) == pytest.approx(1e-4, rel=1e-6)


def test_hits_without_counters_give_the_limit_of_clopper_and_pearson() -> None:
    """Ten hits of ten: the lower limit of the share is the tenth root of alpha."""
    share = 0.05**0.1
    found = ratio_test.fixed_size_bound(ratio_test.Counts(10, 0, 100.0), 0.0, 0.05)
    assert found == pytest.approx(math.log(share / (1.0 - share)), rel=1e-9)
    assert ratio_test.fixed_size_bound(ratio_test.Counts(0, 10, 100.0), 0.0, 0.05) == 0.0


@pytest.mark.parametrize(
    ("hits", "counters", "ratio", "offset"),
    [(30, 10, 2.0, 5.0), (12, 4, 7.5, 1.0), (3, 9, 1.0, 0.5), (30, 1, 2.0, 25.0), (9, 2, 1.5, 12.0)],
)
def test_a_deviance_is_what_the_best_mean_loses(hits: int, counters: int, ratio: float, offset: float) -> None:
    m = np.linspace(1e-3, 60.0, 60_001)
    lost = poisson.logpmf(hits, hits) + poisson.logpmf(counters, counters)
    lost -= (poisson.logpmf(hits, ratio * m + offset) + poisson.logpmf(counters, m)).max()
    assert float(ratio_test.deviance(hits, counters, ratio, offset)) == pytest.approx(2.0 * lost, abs=1e-5)


def test_the_tail_of_a_region_is_summed_over_its_edge() -> None:
    needed = np.array([5 + 2 * k for k in range(200)])
    region = ratio_test.Region(needed, 0.0, (1.0, 9.0), 0.0, 0.05)
    exact = sum(poisson.pmf(k, 4.0) * poisson.sf(needed[k] - 1, 11.0) for k in range(200))
    assert region.tail(11.0, 4.0) == pytest.approx(exact, rel=1e-9)


@pytest.mark.parametrize("counts", [(300, 40, 1000.0), (30, 2, 1000.0), (2000, 1500, 10_000.0)])
def test_a_bound_is_the_last_epsilon_that_is_rejected(counts: tuple[int, int, float]) -> None:
    seen, step = ratio_test.Counts(*counts), ratio_test.EPSILON_STEP
    found = ratio_test.fixed_size_bound(seen, 1e-3, 0.05)
    assert found > 0.0
    assert ratio_test.rejected(seen, 1e-3, 0.05, found)
    assert not ratio_test.rejected(seen, 1e-3, 0.05, found + step)


@pytest.mark.parametrize("z", [0.0, 1e-12, 1e-9, 1e-6, 1e-3])
def test_a_level_near_one_half_gives_a_bound(z: float) -> None:
    """The deviance to be reached, z^2, is then below what rounding leaves where it is 0."""
    draws = np.random.default_rng(0).integers(1, 10_000, size=(30, 2))
    bounds = [fixed_size_bound(Counts(int(hits), int(k), 20_000.0), 1e-3, float(norm.sf(z))) for hits, k in draws]
    slopes = [max(0.0, math.log(max(hits - 20.0, 1.0) / k)) for hits, k in draws]
    assert bounds == pytest.approx(slopes, abs=0.5)


@pytest.mark.parametrize(("seen", "c"), [((14, 2), 0.02), ((25, 8), 0.01), ((9, 0), 0.02), ((40, 3), 0.2)])
@pytest.mark.parametrize("alpha", [0.05, 0.2])
def test_a_bound_is_buehlers_limit_for_the_order_by_approximate_limits(seen: tuple[int, int], c: float, alpha: float) -> None:
    """The last epsilon at which counts of a limit not below that of those seen have at most alpha - gamma, at every rate."""
    pairs, share = 100.0, ratio_test.NUISANCE_SHARE * alpha
    (hits, counters), found = seen, fixed_size_bound(Counts(*seen, pairs), c, alpha)

    def limit(h: int, k: int) -> float:
        region = ratio_test.region_of(Counts(h, k, pairs), c, alpha)
        return region.log_ratio if region else -math.inf

    least, needed = 0, []  # more counters need at least as many hits
    for k in range(30):
        least = next(h for h in range(least, 1000) if limit(h, k) >= limit(hits, counters) - 1e-9)
        needed.append(least)
    rates = np.linspace(gamma.ppf(share / 2, counters) if counters else 0.0, gamma.isf(share / 2, counters + 1), 300)

    def tail(epsilon: float) -> float:
        means = math.exp(epsilon) * rates + pairs * c
        return float(max(sum(poisson.pmf(k, rates) * poisson.sf(needed[k] - 1, means) for k in range(30))))

    assert found > 0.0
    assert tail(found) <= alpha - share
    assert tail(found + 0.01) > alpha - share
