"""The exact view: where the law is known, the hockey-stick divergence is computed, not sampled."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from typing import TypeVar

Outcome = TypeVar("Outcome", bound=Hashable)


def epsilon_of_laws(p: Mapping[Outcome, float], q: Mapping[Outcome, float], delta: float) -> float:
    """The smallest epsilon >= 0 at which two finite laws are (epsilon, delta)-close both ways; inf if there is none.

    The masses are floats (fractions are converted), so the result is accurate to rounding, not rigorous.
    """
    outcomes = list(p.keys() | q.keys())
    masses = [[float(law.get(outcome, 0.0)) for outcome in outcomes] for law in (p, q)]
    return max(_one_way(masses[0], masses[1], delta), _one_way(masses[1], masses[0], delta))


def delta_of_laws(p: Mapping[Outcome, float], q: Mapping[Outcome, float], epsilon: float) -> float:
    """The smallest delta at which two finite laws are (epsilon, delta)-close both ways."""
    pairs = [(float(p.get(outcome, 0.0)), float(q.get(outcome, 0.0))) for outcome in p.keys() | q.keys()]
    return max(_divergence(pairs, epsilon), _divergence([(b, a) for a, b in pairs], epsilon))


def _divergence(pairs: list[tuple[float, float]], epsilon: float) -> float:
    ratio = math.exp(epsilon)
    return math.fsum(max(0.0, a - ratio * b) for a, b in pairs)


def _one_way(p: list[float], q: list[float], delta: float) -> float:
    pairs = list(zip(p, q, strict=True))
    if math.fsum(a for a, b in pairs if b == 0.0) > delta:
        return math.inf

    if _divergence(pairs, 0.0) <= delta:
        return 0.0
    low, high = 0.0, max(math.log(a / b) for a, b in pairs if a > 0.0 and b > 0.0)
    while high - low > 1e-12:
        middle = 0.5 * (low + high)
        low, high = (middle, high) if _divergence(pairs, middle) > delta else (low, middle)
    return high
