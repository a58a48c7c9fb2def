"""The exact view: where the law is known, the hockey-stick divergence is computed, not sampled."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping
from fractions import Fraction
from typing import TypeVar

from reference.primitives.divergence import hockey_stick

Outcome = TypeVar("Outcome", bound=Hashable)
Dataset = TypeVar("Dataset")


def worst_pair(
    law: Callable[[Dataset], Mapping[Outcome, Fraction]],
    pairs: Iterable[tuple[Dataset, Dataset]],
    ratio: Fraction,
) -> tuple[Fraction, tuple[Dataset, Dataset]]:
    """The largest divergence over ordered pairs of neighbours (each pair is tried both ways), and its pair."""
    worst: tuple[Fraction, tuple[Dataset, Dataset]] | None = None
    for pair in pairs:
        laws = [law(dataset) for dataset in pair]
        for (p, q), ordered in (((laws[0], laws[1]), pair), ((laws[1], laws[0]), (pair[1], pair[0]))):
            divergence = hockey_stick(p, q, ratio)
            if worst is None or divergence > worst[0]:
                worst = (divergence, ordered)
    if worst is None:
        raise ValueError("pairs must hold at least one pair, got none")
    return worst


def epsilon_of_laws(p: Mapping[Outcome, float], q: Mapping[Outcome, float], delta: float) -> float:
    """The smallest epsilon >= 0 at which two finite laws are (epsilon, delta)-close both ways; inf if there is none.

    The masses are floats (fractions are converted), so the result is accurate to rounding, not rigorous.
    """
    outcomes = list(p.keys() | q.keys())
    masses = [[float(law.get(outcome, 0.0)) for outcome in outcomes] for law in (p, q)]
    return max(_one_way(masses[0], masses[1], delta), _one_way(masses[1], masses[0], delta))


def _one_way(p: list[float], q: list[float], delta: float) -> float:
    pairs = list(zip(p, q, strict=True))
    if math.fsum(a for a, b in pairs if b == 0.0) > delta:
        return math.inf

    def divergence(epsilon: float) -> float:
        ratio = math.exp(epsilon)
        return math.fsum(max(0.0, a - ratio * b) for a, b in pairs)

    if divergence(0.0) <= delta:
        return 0.0
    low, high = 0.0, max(math.log(a / b) for a, b in pairs if a > 0.0 and b > 0.0)
    while high - low > 1e-12:
        middle = 0.5 * (low + high)
        low, high = (middle, high) if divergence(middle) > delta else (low, middle)
    return high
