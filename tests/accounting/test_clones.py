"""The account of shuffled releases: clones against enumeration, the closed form, and randomised responses that are shuffled."""

from __future__ import annotations

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.stats import binom

from dppca.reference.accounting.clones import clones_delta, closed_form_epsilon, shuffled_gaussian_delta, shuffled_multiplier
from dppca.reference.primitives.gaussian import analytic_std, profile


def clones_by_hand(epsilon: float, epsilon_0: float, n: int, swap: bool) -> float:
    """Return the pair of counts of the reduction, over every number of clones and every count."""
    q = math.exp(epsilon_0) / (1.0 + math.exp(epsilon_0))
    total = 0.0
    for c in range(n):
        P, Q = Counter(), Counter()
        for a in range(c + 1):
            for law, share in ((P, q), (Q, 1.0 - q)):
                law[a + 1] += binom.pmf(a, c, 0.5) * share
                law[a] += binom.pmf(a, c, 0.5) * (1.0 - share)
        P, Q = (Q, P) if swap else (P, Q)
        excess = sum(max(0.0, P[x] - math.exp(epsilon) * Q[x]) for x in range(c + 2))
        total += binom.pmf(c, n - 1, math.exp(-epsilon_0)) * excess
    return total


@pytest.mark.parametrize("n", [1, 2, 3, 7, 40])
@pytest.mark.parametrize("epsilon_0", [0.1, 1.0, 3.0])
def test_clones_by_enumeration(n: int, epsilon_0: float) -> None:
    for epsilon, swap in itertools.product((0.0, 0.05, 0.5, 0.99 * epsilon_0, epsilon_0 + 1e-6), (False, True)):
        expected = clones_by_hand(epsilon, epsilon_0, n, swap)
        found = clones_delta(epsilon, epsilon_0, n)
        assert expected <= found + 1e-15
        assert found <= expected + 1e-10


def test_what_rounding_may_do_to_clones_is_added_to_delta() -> None:
    """One part in 10^12 of the largest sum, A P(>= 0) + B P(>= 1) where no record is a clone: A + B at most."""
    epsilon, epsilon_0 = 0.5, 1.0
    q, growth = 1.0 / (1.0 + math.exp(-epsilon_0)), math.exp(epsilon)
    allowed = 1e-12 * (1.0 + growth) * (2.0 * q - 1.0)
    found = clones_delta(epsilon, epsilon_0, 2) - clones_by_hand(epsilon, epsilon_0, 2, False)
    assert found == pytest.approx(allowed, rel=1e-2, abs=1e-14)


def test_a_shuffled_gaussian_release_costs_its_clones_and_what_is_not_pure() -> None:
    """40 records at ratio 1/4, at the best pure part epsilon_0; the clones term by term."""
    n, epsilon = 40, 0.2
    c, x = np.arange(n)[:, np.newaxis], np.arange(n + 1)
    same, joined = binom.pmf(x, c, 0.5), binom.pmf(x - 1, c, 0.5)

    def delta(epsilon_0: float) -> float:
        q, keep = 1.0 / (1.0 + math.exp(-epsilon_0)), math.exp(-epsilon_0)
        excess = q * joined + (1.0 - q) * same - math.exp(epsilon) * ((1.0 - q) * joined + q * same)
        clones = float(binom.pmf(np.arange(n), n - 1, keep) @ np.maximum(excess, 0.0).sum(axis=1))
        return clones + (1.0 + math.exp(epsilon)) * (1.0 + 2.0 * 39.0 * keep) * profile(epsilon_0, 0.25)

    expected = float(minimize_scalar(delta, bounds=(0.5, 1.5), method="bounded").fun)
    assert expected < 0.6 * profile(epsilon, 0.25)
    assert shuffled_gaussian_delta(epsilon, 4.0, n) == pytest.approx(expected, rel=1e-5)


def test_the_closed_form_by_hand() -> None:
    """At epsilon_0 = 1/2 and delta = 4 e^-9 the logarithm is 9."""
    expected = math.log(1.0 + math.tanh(0.25) * (8.0 * math.sqrt(math.exp(0.5) * 9.0 / 10_000) + 8.0 * math.exp(0.5) / 10_000))
    assert closed_form_epsilon(0.5, 4.0 * math.exp(-9.0), 10_000) == pytest.approx(expected, rel=1e-12)


def test_clones_are_monotone() -> None:
    for epsilon_0, n in itertools.product((0.2, 1.5, 4.0), (3, 100, 10_000)):
        values = [clones_delta(epsilon, epsilon_0, n) for epsilon in np.linspace(0.0, epsilon_0, 12)]
        assert all(a >= b - 1e-11 for a, b in itertools.pairwise(values))
    for epsilon, n in itertools.product((0.05, 0.5), (3, 100, 10_000)):
        values = [clones_delta(epsilon, epsilon_0, n) for epsilon_0 in np.linspace(0.01, 5.0, 12)]
        assert all(a <= b + 1e-11 for a, b in itertools.pairwise(values))
    for epsilon, epsilon_0 in itertools.product((0.05, 0.5), (0.7, 3.0)):
        values = [clones_delta(epsilon, epsilon_0, n) for n in (1, 2, 5, 20, 100, 1000, 10_000)]
        # blocks of clone numbers are charged at their first value, which is not monotone to the last digit
        assert all(b <= a * 1.02 + 1e-11 for a, b in itertools.pairwise(values))


@pytest.mark.parametrize("n", [1000, 10**5])
@pytest.mark.parametrize("delta", [1e-2, 1e-6])
@pytest.mark.parametrize("share", [0.1, 0.5, 1.0])
def test_the_closed_form_dominates_the_clones(n: int, delta: float, share: float) -> None:
    epsilon_0 = share * math.log(n / (16.0 * math.log(4.0 / delta)))
    epsilon = closed_form_epsilon(epsilon_0, delta, n)
    assert clones_delta(epsilon, epsilon_0, n) <= delta
    with pytest.raises(ValueError, match="epsilon_0 must be <="):
        closed_form_epsilon(1.01 * math.log(n / (16.0 * math.log(4.0 / delta))), delta, n)


@pytest.mark.parametrize("n", [2, 5, 12])
@pytest.mark.parametrize("epsilon_0", [0.5, 2.0])
def test_shuffled_randomised_response_is_within_the_clones(n: int, epsilon_0: float) -> None:
    """Exactly: how many of n answers are 1, with 0 to n - 1 other records at 1 and the last at 1 or 0."""
    q = 1.0 / (1.0 + math.exp(-epsilon_0))
    for ones, epsilon in itertools.product(range(n), (0.0, 0.1, 0.4)):
        laws = []
        for last in (1, 0):
            heads = ones + last
            laws.append(np.convolve(binom.pmf(range(heads + 1), heads, q), binom.pmf(range(n - heads + 1), n - heads, 1.0 - q)))
        for p, r in (laws, laws[::-1]):
            assert np.sum(np.maximum(0.0, p - math.exp(epsilon) * r)) <= clones_delta(epsilon, epsilon_0, n) + 1e-12


@pytest.mark.parametrize(("epsilon", "delta", "n"), [(0.1, 1e-3, 1000), (1.0, 1e-5, 1), (1.0, 1e-2, 5), (0.02, 1e-6, 10**5)])
def test_shuffled_multiplier_is_proved_and_no_worse_than_no_shuffle(epsilon: float, delta: float, n: int) -> None:
    found = shuffled_multiplier(epsilon, delta, n)
    alone = analytic_std(epsilon, delta, 1.0)
    assert shuffled_gaussian_delta(epsilon, found, n) <= delta
    assert found <= alone
    if n == 1:
        assert found == alone
        assert shuffled_gaussian_delta(epsilon, found, n) == pytest.approx(profile(epsilon, 1.0 / found))
    else:
        assert shuffled_gaussian_delta(epsilon, 0.99 * found, n) > delta


def test_the_account_grows_with_the_ratio_and_falls_with_epsilon() -> None:
    at = [shuffled_gaussian_delta(0.2, alpha, 500) for alpha in (8.0, 4.0, 2.0, 1.0)]
    assert at == sorted(at)
    at = [shuffled_gaussian_delta(epsilon, 4.0, 500) for epsilon in (0.05, 0.1, 0.5, 1.0)]
    assert at == sorted(at, reverse=True)
