"""A Gaussian shift at a hidden place: the event that shows it, and enclosures of its profile, below which no account may be."""

from __future__ import annotations

import itertools
import math
from functools import partial

import numpy as np
import pytest
from flint import arb
from scipy.special import logsumexp
from scipy.stats import multivariate_normal

from dppca.audit.suite.liu2022.hidden_place import best_event, event_excess
from dppca.reference.accounting.clones import shuffled_gaussian_delta
from dppca.reference.primitives.gaussian import epsilon_at, profile
from dppca.reference.rigour.gaussian import ball, decide
from tests.liu2022.hidden_shift import HiddenShift


@pytest.mark.parametrize(("mu", "n", "a"), [(0.3, 1, 0.5), (1.0, 2, 0.2), (3.0, 2, 2.5), (2.0, 3, 1.5)])
def test_the_probabilities_by_the_joint_law(mu: float, n: int, a: float) -> None:
    """No coordinate is above a: by the distribution function of n normal variables, the mean over the places of the shift."""
    shifted, plain = (
        [float(multivariate_normal(mean).cdf([a] * n)) for mean in means] for means in (mu * np.eye(n), np.zeros((1, n)))
    )
    for epsilon in (0.0, 0.7):
        expected = (1.0 - sum(shifted) / n) - np.exp(epsilon) * (1.0 - plain[0])
        assert float(event_excess(ball(epsilon), ball(mu), n, ball(a))) == pytest.approx(expected, abs=1e-7)


@pytest.mark.parametrize(("mu", "n", "delta"), [(2.0, 64, 1e-3), (3.0, 64, 1e-2), (7.0, 1000, 1e-3)])
def test_the_event_shows_what_it_says(mu: float, n: int, delta: float) -> None:
    """The best event's epsilon: its excess is delta there, in ball arithmetic, and it is below the pair's own epsilon."""
    a, shown = best_event(delta, mu, n)
    for epsilon, holds in ((shown - 1e-6, False), (shown + 1e-6, True)):
        excess = partial(lambda e: event_excess(ball(e), ball(mu), n, ball(a)), epsilon)
        assert decide(excess, lambda: ball(delta)) is holds
    assert shown <= HiddenShift(mu, n, 5.0).epsilon_bounds(delta)[1]


@pytest.mark.parametrize(("mu", "n"), [(0.3, 64), (1.0, 100), (3.0, 1000)])
def test_the_account_is_above_every_event(mu: float, n: int) -> None:
    """What an event shows is below the delta of the account, which is proved (liu2022/hidden_order_account.v)."""
    for epsilon in (0.01, 0.1, 0.5, 1.0, 2.0):
        account = shuffled_gaussian_delta(epsilon, 1.0 / mu, n)
        assert all(bool(event_excess(ball(epsilon), ball(mu), n, arb(tenth) / 10) <= account) for tenth in range(-20, 80))


@pytest.mark.parametrize("mu", [0.3, 1.0, 3.0])
def test_one_place_is_the_gaussian_profile(mu: float) -> None:
    pair = HiddenShift(mu, 1, 2.0, cells=2**14)
    for epsilon in (0.0, 0.1, 1.0, 2.0):
        low, high = pair.delta_bounds(epsilon)
        assert low <= profile(epsilon, mu) <= high
        assert high - low < 1e-3
    low, high = pair.epsilon_bounds(0.3)
    assert low <= min(epsilon_at(0.3, mu), 2.0)
    assert high >= epsilon_at(0.3, mu)


@pytest.mark.parametrize(("mu", "epsilon"), [(1.0, 0.2), (2.0, 0.7)])
def test_two_places_by_quadrature(mu: float, epsilon: float) -> None:
    """The midpoint rule on a grid, whose error on these integrands is below 1e-4."""
    z = np.linspace(-9.0, 9.0 + mu, 3001)
    z = 0.5 * (z[1:] + z[:-1])
    x = np.exp(mu * z - 0.5 * mu * mu)
    q = np.exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi) * (z[1] - z[0])
    M = 0.5 * (x[:, np.newaxis] + x)
    ways = (np.maximum(M - math.exp(epsilon), 0.0), np.maximum(1.0 - math.exp(epsilon) * M, 0.0))
    expected = max(float(q @ way @ q) for way in ways)
    low, high = HiddenShift(mu, 2, 1.0, cells=2**14).delta_bounds(epsilon)
    assert low - 1e-4 <= expected <= high + 1e-4
    assert high - low < 5e-3


def test_many_places_by_sampling() -> None:
    """50 places, 200,000 draws: the mean payoff within 5 standard errors of the bounds (false alarm 6e-7)."""
    mu, n, epsilon = 2.5, 50, 1.0
    z = np.random.default_rng(2).standard_normal((200_000, n))
    z[:, 0] += mu
    loss = logsumexp(mu * z - 0.5 * mu * mu, axis=1) - math.log(n)
    payoff = np.maximum(0.0, -np.expm1(epsilon - loss))
    low, high = HiddenShift(mu, n, 1.5).delta_bounds(epsilon)
    error = 5.0 * float(payoff.std()) / math.sqrt(len(payoff))
    assert low - error <= payoff.mean() <= high + error


@pytest.mark.parametrize(("mu", "n"), [(0.3, 64), (1.0, 100), (3.0, 1000)])
def test_bounds_are_ordered_and_the_account_is_above(mu: float, n: int) -> None:
    pair = HiddenShift(mu, n, 2.0)
    found = [pair.delta_bounds(epsilon) for epsilon in (0.01, 0.1, 0.5, 1.0, 2.0)]
    assert all(low <= high for low, high in found)
    for side in (0, 1):
        assert all(a[side] >= b[side] - 1e-5 for a, b in itertools.pairwise(found))  # the allowance for rounding grows
    for epsilon, (low, _) in zip((0.01, 0.1, 0.5, 1.0, 2.0), found, strict=True):
        assert low <= shuffled_gaussian_delta(epsilon, 1.0 / mu, n)


def test_epsilon_beyond_the_lattice_is_refused() -> None:
    with pytest.raises(ValueError, match=r"epsilon must be in \[0, 1.0\]"):
        HiddenShift(1.0, 3, 1.0, cells=2**10).delta_bounds(1.5)
