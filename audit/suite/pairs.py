"""Exact views of a single release: a Gaussian between two datasets, by enclosure; a stability histogram; a noisy value."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from flint import arb
from numpy.typing import NDArray

from dppca.audit.auditor.results import Claim
from dppca.audit.suite.instance import Exact, Profile
from dppca.reference.primitives.gaussian import profile
from dppca.reference.primitives.sparse_histogram import stability_delta
from dppca.reference.rigour.bisection import bisect
from dppca.reference.rigour.gaussian import ball, decide, gaussian_profile, threshold

_EPSILON_WIDTH = Fraction(1, 10**6)
#: Relative rounding that a comparison in floats may have.
SLACK = 1e-9


def message_distance(x: NDArray[np.float64], y: NDArray[np.float64]) -> Fraction:
    """Return the exact square of the L2 distance between two clients' unnoised messages."""
    a, b = ([[Fraction(u) * Fraction(v) for u in row] for v in row] for row in (x.tolist(), y.tolist()))
    p = len(a)
    return sum(((a[i][j] - b[i][j]) ** 2 for i in range(p) for j in range(i, p)), Fraction(0))


def pair_holds(claim: Claim, std: float, distance_squared: Fraction, epsilon: Fraction | None = None) -> bool:
    """Return whether a message with this noise satisfies the claim (at another epsilon, if given) on such a pair: proved."""
    at = Fraction(claim.epsilon) if epsilon is None else epsilon

    def delta() -> arb:
        return gaussian_profile(ball(at), ball(distance_squared).sqrt() / ball(std))

    return decide(delta, lambda: ball(claim.delta))


def pair_epsilon(claim: Claim, std: float, distance_squared: Fraction) -> float:
    """Return the pair's epsilon at the claim's delta, to 1e-6 from below."""
    if pair_holds(claim, std, distance_squared, Fraction(0)):
        return 0.0
    high = Fraction(1)
    while not pair_holds(claim, std, distance_squared, high):
        high *= 2
    low, _ = threshold(lambda epsilon: not pair_holds(claim, std, distance_squared, epsilon), Fraction(0), high, _EPSILON_WIDTH)
    return float(low)


def gaussian_pair(claim: Claim, std: float, distance_squared: Fraction, pair: tuple[Any, Any] = (None, None)) -> Exact:
    """Return the exact view of a pair whose release moves by this much, with noise of this standard deviation."""

    def decide() -> tuple[bool, float]:
        return pair_holds(claim, std, distance_squared), pair_epsilon(claim, std, distance_squared)

    return Exact(decide, *pair, gaussian_curve(math.sqrt(distance_squared) / std))


def gaussian_curve(mu: float) -> Profile:
    """Return the profile of a Gaussian release that moves by mu of its standard deviations."""
    return partial(profile, mu=mu)


def histogram_parts(scale: float, threshold: float, epsilon: float, delta: float) -> Exact:
    """Return a stability histogram at its two worst pairs: a record between two occupied cells, or alone in its cell.

    The first loses 2 / scale at most; the second shows with a probability that the other dataset cannot have.
    """
    loss, shown = 2.0 / scale, stability_delta(2.0 / scale, threshold)
    if shown > delta * (1.0 + SLACK):
        loss = math.inf
    return Exact(lambda: (loss <= epsilon * (1.0 + SLACK), loss))


def by_profile(claim: Claim, curve: Profile) -> Exact:
    """Return the exact view of a pair with this profile, by bisection; inf where no epsilon up to a thousand is enough."""

    def holds(epsilon: float) -> bool:
        return curve(epsilon) <= claim.delta * (1.0 + SLACK)

    def decide() -> tuple[bool, float]:
        low, high = 0.0, 1000.0
        if holds(low):
            return holds(claim.epsilon), 0.0
        if not holds(high):
            return False, math.inf
        return holds(claim.epsilon), bisect(holds, low, high, lambda a, b: b - a <= 1e-9)[1]

    return Exact(decide, profile=curve)
