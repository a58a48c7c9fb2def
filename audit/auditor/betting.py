"""Lower bounds by betting: valid at any stopping time, for any payoff bounded from below.

A gambler who bets the share lambda on payoffs Z with E[Z] <= 0 has wealth prod(1 + lambda Z_i), a
non-negative supermartingale; by Ville's inequality it ever reaches 1/alpha with probability at most alpha.
A fixed mixture over lambda keeps that property. Where two independent payoffs X, Y only satisfy
E[X] + E[Y] <= 0 the product (1 + lambda X)(1 + lambda Y) has mean at most (1 + lambda (E X + E Y) / 2)^2 <= 1,
so wealth may be read whenever both datasets have had equally many trials.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import logsumexp

from dppca.audit.auditor.ratio_test import Counts
from dppca.reference.rigour.bisection import bisect

#: The mixture over lambda for counts: 48 shares, evenly spaced in logarithm.
_LAMBDAS = np.geomspace(1e-5, 0.999, 48)
_EPSILON_TOLERANCE = 1e-4
#: `mean_lower_bound`: shares as multiples, how far below the average it looks and how closely (logarithms).
_SHARE_MULTIPLES = np.array([0.1, 0.4, 1.6])
_DEEPEST, _MEAN_TOLERANCE = 7.0, 1e-3
#: Below the overflow of float64.
_LARGEST_RATIO = 1e300


@np.errstate(under="ignore", over="ignore")
def log_wealth(counts: Counts, c: float, epsilon: float) -> float:
    """Return the log-wealth against p <= e^epsilon q + c after `counts` (see ratio_test); it falls as epsilon grows.

    Per trial a hit pays 1 - c/2, a counter -e^epsilon - c/2, anything else -c/2. Shares lambda that could
    lose everything at this epsilon are worth nothing in the mixture.
    """
    half = 0.5 * c
    loss = np.exp(epsilon) + half
    usable = _LAMBDAS[_LAMBDAS * loss < 1.0]
    neutral = 2.0 * counts.pairs - counts.hits - counts.counters
    logs = (
        counts.hits * np.log1p(usable * (1.0 - half))
        + counts.counters * np.log1p(-usable * loss)
        + neutral * np.log1p(-usable * half)
    )
    return float(np.logaddexp.reduce(logs)) - math.log(len(_LAMBDAS))


def anytime_bound(counts: Counts, c: float, alpha: float) -> float:
    """Return the largest epsilon >= 0 at which wealth is at least 1/alpha; 0.0 if there is none."""
    goal = -math.log(alpha)
    low, high = 0.0, 1.0  # where 0 is too much already, 0 is what bisection ends at
    while log_wealth(counts, c, high) >= goal:
        low, high = high, 2.0 * high
    return bisect(lambda epsilon: log_wealth(counts, c, epsilon) < goal, low, high, lambda a, b: b - a <= _EPSILON_TOLERANCE)[0]


def mean_exceeds(payoffs: NDArray[np.float64], mean: float, shares: NDArray[np.float64], alpha: float) -> bool:
    """Return whether the mean of non-negative payoffs is above `mean`, at level alpha, by betting.

    Args:
        payoffs: shape (n,), independent, >= 0; need not be bounded above.
        mean: > 0.
        shares: shape (m,), lambda * mean in (0, 1), chosen without looking at these payoffs.
        alpha: level.
    """
    return _log_wealth_of_mean(payoffs, mean, shares) >= -math.log(alpha)


def mean_lower_bound(payoffs: NDArray[np.float64], alpha: float, planned: int) -> float:
    """Return the largest mean that betting rejects at level alpha (see `mean_exceeds`), found from below; 0.0 if there is none.

    The shares are fixed: multiples of the one that is best for `planned` payoffs whose deviation equals their mean. There
    may be fewer payoffs, where a run was stopped for what they showed.
    """
    average, goal = float(payoffs.mean()), -math.log(alpha)
    if not 0.0 < average < math.inf:  # a weight that overflowed shows nothing
        return 0.0
    shares = np.minimum(math.sqrt(2.0 * goal / planned) * _SHARE_MULTIPLES, 0.9)

    def spare(log_mean: float) -> float:  # falls as the mean grows; negative at the average, by Jensen's inequality
        return _log_wealth_of_mean(payoffs, math.exp(log_mean), shares) - goal

    high = math.log(average)
    if spare(high - _DEEPEST) <= 0.0:
        return 0.0
    return math.exp(float(brentq(spare, high - _DEEPEST, high, xtol=_MEAN_TOLERANCE)) - 2.0 * _MEAN_TOLERANCE)


@np.errstate(under="ignore", over="ignore")
def _log_wealth_of_mean(payoffs: NDArray[np.float64], mean: float, shares: NDArray[np.float64]) -> float:
    ratios = np.minimum(payoffs / mean, _LARGEST_RATIO)  # a smaller payoff shows less
    logs = np.log1p(np.outer(shares, ratios - 1.0)).sum(axis=1)
    return float(logsumexp(logs)) - math.log(len(shares))
