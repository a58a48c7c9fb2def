"""Privacy claims that are whole curves: for every epsilon >= 0 they claim (epsilon, delta(epsilon))-DP in both directions.

A curve is claimed as its points on a grid, so a refuted point refutes the claim. Each delta(epsilon) here is at least the one
that the claim implies; no true claim has a point that is false.

GDP: the profile of the Gaussian mechanism (Dong, Roth, Su 2022, Corollary 2.13), rounded up. Exact.

A trade-off function f claims P(E) <= g(Q(E)), g(q) = 1 - f(q), so delta(epsilon) = max over q of g(q) - e^epsilon q. As g is
concave and does not fall, it lies below the polygon whose edges lengthen the chords on either side of each cell of a grid;
the maximum over that polygon is at one of its corners, and at least that of g.

RDP and zCDP: an event is post-processing, so the laws Ber(p) and Ber(q) of its indicator have at most the divergences that
are claimed, of each order and in both directions. The set of such (p, q) is convex, because e^((alpha - 1) D_alpha) is jointly
convex, and g(q) is the largest p in it. No smaller g would do: the indicator by itself is a mechanism for which the claim is
true. For RDP this is the exact curve; for zCDP it is an outer bound, as finitely many orders are used.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_expit, log_ndtr, logit

from dppca.reference.rigour.validation import check_positive, check_real, error_text, plain_numbers, shown

Float = NDArray[np.float64]

#: Epsilons at which a curve is claimed: close together where deltas can be seen.
GRID = np.concatenate([np.linspace(0.0, 4.0, 401), np.linspace(4.05, 12.0, 160), np.geomspace(12.5, 700.0, 60)])
#: Delta at the last epsilon of a claim that says nothing before it: no trials refute it.
_NO_CLAIM = math.nextafter(1.0, 0.0)
#: Added to a delta that was computed in floats; its errors are below 1e-13.
_ROUNDED_UP = 1e-12
#: Probabilities at which a trade-off function is evaluated.
_SHARES = np.concatenate([np.geomspace(1e-14, 0.4, 400), np.linspace(0.41, 0.999, 60)])
#: Orders of Renyi divergence by which zCDP is represented.
_ORDERS = 1.0 + np.geomspace(1e-2, 1e4, 150)
#: By so much may a function of the user be out of shape, for rounding.
_SLACK = 1e-9


class Curve(ABC):
    """A claim of (epsilon, delta(epsilon))-DP for every epsilon >= 0."""

    @property
    @abstractmethod
    def deltas(self) -> Float:
        """Return delta at each epsilon of GRID."""

    @property
    def points(self) -> tuple[Float, Float]:
        """Return epsilons and deltas below 1, from the least epsilon at which something is claimed on."""
        deltas = np.minimum.accumulate(self.deltas)  # (epsilon, delta)-DP implies it at any larger epsilon
        deltas[-1] = min(deltas[-1], _NO_CLAIM)
        first = int(np.sum(deltas >= 1.0))
        return GRID[first:], deltas[first:]

    def epsilon_at(self, delta: float) -> float:
        """Return the least epsilon that the points claim at this delta in [0, 1]; inf if there is none."""
        if not 0.0 <= check_real("delta", "in [0, 1]", delta) <= 1.0:
            raise ValueError(f"delta must be in [0, 1], got {shown(delta)}")
        epsilons, deltas = self.points
        return float(min(epsilons[deltas <= delta], default=math.inf))


@dataclass(frozen=True, repr=False)
class GDP(Curve):
    """Claim Gaussian differential privacy: the datasets are no easier to distinguish than N(0, 1) from N(mu, 1).

    Example:
        >>> import dppca.audit as audit
        >>> round(audit.GDP(mu=1.0).epsilon_at(delta=1e-5), 1)
        4.4
    """

    mu: float

    def __post_init__(self) -> None:
        plain_numbers(self)
        check_positive("mu", self.mu)

    def __repr__(self) -> str:
        return f"GDP({self.mu:g})"

    @cached_property
    def deltas(self) -> Float:
        """Return delta at each epsilon of GRID."""
        with np.errstate(over="ignore", invalid="ignore"):
            above, below = (log_ndtr(-GRID / self.mu + sign * self.mu / 2.0) for sign in (1.0, -1.0))
            less = np.where(np.isneginf(above), -np.inf, GRID + below - above)
        return np.asarray(-np.exp(above) * np.expm1(np.minimum(less, 0.0)) + _ROUNDED_UP)


@dataclass(frozen=True, repr=False)
class RDP(Curve):
    """Claim Renyi differential privacy of one order: D_alpha(P || Q) <= epsilon, in both directions.

    Example:
        >>> import dppca.audit as audit
        >>> round(audit.RDP(alpha=8.0, epsilon=2.0).epsilon_at(delta=1e-5), 1)
        3.2
    """

    alpha: float
    epsilon: float

    def __post_init__(self) -> None:
        plain_numbers(self)
        if not 1.0 < check_real("alpha", "finite and > 1", self.alpha) < math.inf:
            raise ValueError(f"alpha must be finite and > 1, got {shown(self.alpha)}")
        check_positive("epsilon", self.epsilon)

    def __repr__(self) -> str:
        return f"RDP({self.alpha:g}, {self.epsilon:g})"

    @cached_property
    def deltas(self) -> Float:
        """Return delta at each epsilon of GRID."""
        return _of_divergences(np.array([self.alpha]), np.array([self.epsilon]))


@dataclass(frozen=True, repr=False)
class ZCDP(Curve):
    """Claim zero-concentrated differential privacy: D_alpha(P || Q) <= rho alpha for all alpha > 1, in both directions.

    Example:
        >>> import dppca.audit as audit
        >>> round(audit.ZCDP(rho=0.5).epsilon_at(delta=1e-5), 1)
        4.8
    """

    rho: float

    def __post_init__(self) -> None:
        plain_numbers(self)
        check_positive("rho", self.rho)

    def __repr__(self) -> str:
        return f"zCDP({self.rho:g})"

    @cached_property
    def deltas(self) -> Float:
        """Return delta at each epsilon of GRID."""
        return _of_divergences(_ORDERS, self.rho * _ORDERS)


@dataclass(frozen=True, repr=False)
class PrivacyCurve(Curve):
    """Claim (epsilon, function(epsilon))-DP for all epsilon >= 0; where the function is 1, nothing is claimed.

    Example:
        >>> import dppca.audit as audit
        >>> round(audit.PrivacyCurve(lambda epsilon: max(0.0, 0.3 - 0.1 * epsilon)).epsilon_at(delta=0.1), 1)
        2.0
    """

    function: Callable[[float], float]

    def __post_init__(self) -> None:
        deltas = self.deltas
        if (np.diff(deltas) > _SLACK).any():
            raise ValueError("function must not rise with epsilon: (epsilon, delta)-DP implies it at any larger epsilon")

    def __repr__(self) -> str:
        return "PrivacyCurve"

    @cached_property
    def deltas(self) -> Float:
        """Return delta at each epsilon of GRID."""
        return _evaluated(self.function, GRID)


@dataclass(frozen=True, repr=False)
class TradeOff(Curve):
    """Claim that a test of level a errs on the other dataset with probability at least function(a), for all a in [0, 1].

    Example:
        The trade-off function of pure differential privacy with epsilon = 1.

        >>> import math
        >>> import dppca.audit as audit
        >>> claim = audit.TradeOff(lambda level: max(1.0 - math.e * level, (1.0 - level) / math.e))
        >>> round(claim.epsilon_at(delta=1e-6), 1)
        1.0
    """

    function: Callable[[float], float]

    def __post_init__(self) -> None:
        errors = _evaluated(self.function, _SHARES)
        slopes = np.diff(errors) / np.diff(_SHARES)
        if (errors > 1.0 - _SHARES + _SLACK).any():
            raise ValueError("function must be at most 1 - a at a level a: nobody errs more than a coin")
        if (slopes > _SLACK).any() or (np.diff(slopes) * _SHARES[1:-1] < -_SLACK).any():
            raise ValueError("function must be convex and must not rise, as every trade-off function is")

    def __repr__(self) -> str:
        return "TradeOff"

    @cached_property
    def deltas(self) -> Float:
        """Return delta at each epsilon of GRID."""
        return _above_concave(1.0 - _evaluated(self.function, _SHARES))


def _evaluated(function: Any, places: Float) -> Float:
    """Return a user's function at these places; ValueError where it is no function into [0, 1]."""
    if not callable(function):
        raise ValueError(f"function must be a callable (number) -> number in [0, 1], got {shown(function)}")  # noqa: TRY004
    found = []
    for place in places.tolist():
        try:
            value = function(place)
        except Exception as error:
            raise ValueError(f"function must give a number in [0, 1] at {place:g}, got {error_text(error)}") from error
        value = value.item() if isinstance(value, (np.ndarray, np.generic)) and value.size == 1 else value
        number = check_real("function", f"a number in [0, 1] at {place:g}", value)
        if not -_SLACK <= number <= 1.0 + _SLACK:
            raise ValueError(f"function must give a number in [0, 1] at {place:g}, got {shown(value)}")
        found.append(min(max(number, 0.0), 1.0))
    return np.array(found)


def _above_concave(g: Float) -> Float:
    """Return the maximum of g(q) - e^epsilon q over q, from above, for each epsilon of GRID; g concave, given at _SHARES."""
    q = _SHARES
    slope = np.diff(g) / np.diff(q)
    left, right = slope[:-2], slope[2:]  # of the chords on either side of the cells but the first and the last
    start, end, width = g[1:-2], g[2:-1], q[2:-1] - q[1:-2]
    apart = left - right
    place = np.where(apart > 0.0, (end - right * width - start) / np.where(apart > 0.0, apart, 1.0), 0.0)
    place = np.clip(place, 0.0, width)
    # where the first and the last cells end, and beyond them, g is at most its next value
    corners = np.concatenate([[0.0, q[0], q[-2], q[-1]], q, q[1:-2] + place])
    heights = np.concatenate([[g[0], g[1], g[-1], 1.0], g, np.minimum(start + left * place, end)])
    found = [float(np.max(heights - math.exp(epsilon) * corners)) for epsilon in GRID.tolist()]
    return np.clip(np.array(found) + _ROUNDED_UP, 0.0, 1.0)


@np.errstate(under="ignore", over="ignore")
def _of_divergences(orders: Float, most: Float) -> Float:
    """Return delta at each epsilon of GRID where the Renyi divergences of these orders are at most so much."""
    alpha, most, x = orders[:, np.newaxis], most[:, np.newaxis], logit(_SHARES)[np.newaxis, :]
    one, none = log_expit(x), log_expit(-x)

    def within(y: Float) -> NDArray[np.bool_]:
        p, not_p = log_expit(y), log_expit(-y)
        forth = np.logaddexp(alpha * p + (1.0 - alpha) * one, alpha * not_p + (1.0 - alpha) * none)
        back = np.logaddexp(alpha * one + (1.0 - alpha) * p, alpha * none + (1.0 - alpha) * not_p)
        return np.asarray((np.maximum(forth, back) <= (alpha - 1.0) * most + _SLACK * alpha).all(axis=0))

    low, high = x[0], np.full(len(_SHARES), 60.0)
    for _ in range(50):  # divergences rise with p > q
        middle = 0.5 * (low + high)
        there = within(middle[np.newaxis, :])
        low, high = np.where(there, middle, low), np.where(there, high, middle)
    return _above_concave(np.exp(log_expit(high)))
