"""The event that shows a Gaussian shift at a hidden place: its two probabilities, and what it shows."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from flint import arb
from scipy.stats import multivariate_normal

from dppca.audit.suite.liu2022.hidden_place import best_event, event_excess
from dppca.reference.accounting.clones import shuffled_gaussian_delta
from dppca.reference.rigour.gaussian import ball, decide


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
    """The best event's epsilon: its excess is delta there, in ball arithmetic."""
    a, shown = best_event(delta, mu, n)
    for epsilon, holds in ((shown - 1e-6, False), (shown + 1e-6, True)):
        excess = partial(lambda e: event_excess(ball(e), ball(mu), n, ball(a)), epsilon)
        assert decide(excess, lambda: ball(delta)) is holds


@pytest.mark.parametrize(("mu", "n"), [(0.3, 64), (1.0, 100), (3.0, 1000)])
def test_the_account_is_above_every_event(mu: float, n: int) -> None:
    """What an event shows is below the delta of the account, which is proved (liu2022/hidden_order_account.v)."""
    for epsilon in (0.01, 0.1, 0.5, 1.0, 2.0):
        account = shuffled_gaussian_delta(epsilon, 1.0 / mu, n)
        assert all(bool(event_excess(ball(epsilon), ball(mu), n, arb(tenth) / 10) <= account) for tenth in range(-20, 80))
