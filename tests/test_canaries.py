"""One-run audits: the p-value by brute force, validity on a mechanism with a known epsilon, power, bad input."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binom

from dppca.audit.engine.canaries import excluded_up_to, one_run_lower_bound, p_value
from dppca.audit.engine.results import Claim


def _exact_p(m: int, r: int, right: int, truth: Fraction, delta: Fraction) -> Fraction:
    """Return the theorem's bound in rationals, a right guess having this probability."""
    law = [Fraction(math.comb(r, w)) * truth**w * (1 - truth) ** (r - w) for w in range(r + 1)]
    windows = (sum(law[right - i : right], Fraction(0)) / i for i in range(1, right + 1))
    return sum(law[right:], Fraction(0)) + 2 * m * delta * max(windows)


@pytest.mark.parametrize(("m", "r", "right", "delta"), [(10, 6, 5, 0), (20, 12, 9, 1e-3), (40, 40, 31, 0.01), (7, 5, 1, 0.1)])
def test_p_value_in_rational_arithmetic(m: int, r: int, right: int, delta: float) -> None:
    for odds in (1, 2, 5):
        expected = min(1.0, float(_exact_p(m, r, right, Fraction(odds, odds + 1), Fraction(delta))))
        assert p_value(m, r, right, math.log(odds), delta) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("delta", [0.0, 1e-6, 1e-3, 0.02])
def test_p_value_grows_with_epsilon(delta: float) -> None:
    """The search by bisection rests on it."""
    for m, r, right in itertools.product((100, 2000), (20, 100), (3, 12, 19)):
        values = [p_value(m, r, right, epsilon, delta) for epsilon in np.linspace(0.0, 8.0, 41)]
        ends = next((i for i, value in enumerate(values) if value >= 1.0), len(values))
        assert all(a <= b * (1.0 + 1e-12) for a, b in itertools.pairwise(values[:ends]))


@pytest.mark.slow
def test_randomised_response_reaches_its_epsilon_and_is_rarely_above() -> None:
    """Each canary's coin is shown truly with probability 3/4, epsilon = ln 3: guesses about 800 of 1,000 lose nothing."""
    rng, above, bounds = np.random.default_rng(5), 0, []
    for _ in range(400):
        coins = rng.random(1000) < 0.5
        shown = np.where(rng.random(1000) < 0.75, coins, ~coins)
        bound = one_run_lower_bound(shown.astype(float), coins, guesses=800)
        bounds.append(bound.epsilon)
        above += bound.epsilon > math.log(3.0)
    assert above <= binom.ppf(0.9999, 400, 0.05)  # false alarm 1e-4
    assert above >= 5  # the bound is not vacuous: nominal 20, fewer than 5 with probability 1e-5
    assert np.median(bounds) > 0.93


def test_a_sum_of_canaries_in_one_run() -> None:
    """Each canary is a direction of its own in a noisy sum: a Gaussian release of mu = 1 for each; (4.377, 1e-5) and less."""
    rng = np.random.default_rng(1)
    coins = rng.random(20_000) < 0.5
    scores = coins + rng.normal(size=20_000)
    bound = one_run_lower_bound(scores, coins, delta=1e-5)
    assert 1.0 < bound.epsilon < 4.377
    assert bound.refutes(Claim(0.9, 1e-5))
    assert one_run_lower_bound(scores, rng.permutation(coins), delta=1e-5).epsilon < 0.2


def test_delta_counts_once_for_each_canary() -> None:
    """A mechanism that shows all coins with probability delta is (0, delta)-DP: 2 m delta >= 1 excludes nothing."""
    assert one_run_lower_bound([1.0] * 50 + [0.0] * 50, [True] * 50 + [False] * 50, delta=0.05).epsilon == 0.0
    assert one_run_lower_bound([1.0] * 50 + [0.0] * 50, [True] * 50 + [False] * 50, delta=0.0).epsilon > 2.5
    assert excluded_up_to(10**6, 1000, 1000, 0.0, 0.05) == pytest.approx(-math.log(0.05 ** (-1 / 1000) - 1.0), abs=1.1e-3)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0.0], [True]), r"scores must be two numbers or more"),
        (([0.0, math.nan], [True, False]), r"scores must be .* none of them nan"),
        (([0.0, 1.0], [1, 0]), r"included must be truth values of shape \(2,\), got shape \(2,\) with entries int64"),
        (([0.0, 1.0], [True]), r"included must be truth values of shape \(2,\), got shape \(1,\)"),
    ],
)
def test_canaries_that_are_none_are_refused(arguments: tuple[list[float], list[bool]], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        one_run_lower_bound(*arguments)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"guesses": 3}, r"guesses must be integers in 1\.\.2, got 3"),
        ({"guesses": 0}, r"guesses must be integers in 1\.\.2, got 0"),
        ({"guesses": [True]}, r"guesses must be integers in 1\.\.2, got \[True\]"),
        ({"guesses": []}, r"guesses must be integers in 1\.\.2, got \[\]"),
        ({"delta": 1.0}, r"delta must be"),
        ({"confidence": 1.0}, r"confidence must be in \(0, 1\), got 1\.0"),
    ],
)
def test_options_outside_their_range_are_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        one_run_lower_bound([0.0, 1.0], [True, False], **options)  # type: ignore[arg-type]
