"""Search for the worst pair of neighbouring integer datasets, where all pairs are too many to go through.

Hill climbing: one point of the pair at a time is replaced, and a change is kept unless the rank falls. A rank is a
tuple that compares in order: first what is looked for (an exact delta, a change of values), then how near the pair
is to where it can rise. What is found is a pair with its exact value: a lower bound on the worst, and a witness.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from dppca.audit.suite.singhal2021.exact_law import (
    Dataset,
    DiscreteMechanism,
    Values,
    divergence,
    largest_change,
    output_law,
    scores_of,
    values_of,
)
from dppca.reference.singhal2021.exact_linear_algebra import Vector, primitive

Rank: TypeAlias = tuple[Fraction, ...]
Ranking: TypeAlias = Callable[[Dataset, Dataset], Rank]

#: Entries of new points, and coefficients of combinations, are at most this in size.
ENTRY_MAX = 3


@dataclass(frozen=True)
class FoundPair:
    """The pair of highest rank, and the number of pairs that were ranked."""

    rank: Rank
    data: Dataset
    neighbour: Dataset
    pairs: int

    @property
    def value(self) -> Fraction:
        """Return what was looked for, on this pair."""
        return self.rank[0]


def search(
    rank_of: Ranking, allowed: Fraction, *, n: int, d: int, k: int, climbs: int, steps: int, rng: np.random.Generator
) -> FoundPair:
    """Return the best pair of several climbs; no further climb once one has exceeded what is allowed.

    Args:
        rank_of: ranks (data, neighbour).
        allowed: the value that a claim allows.
        n: points of a dataset, >= 2.
        d: length of a point.
        k: a climb starts from points of a random subspace of at most this dimension.
        climbs: largest number of random starts, >= 1.
        steps: replacements tried in a climb.
        rng: the only randomness.

    Returns:
        FoundPair, the first of the best climbs.

    Raises:
        ValueError: climbs < 1.
    """
    if climbs < 1:
        raise ValueError(f"climbs must be >= 1, got {climbs!r}")
    best = _climb(rank_of, n, d, k, steps, rng)
    for _ in range(1, climbs):
        if best.value > allowed:
            break
        found = _climb(rank_of, n, d, k, steps, rng)
        pairs = best.pairs + found.pairs
        best = replace(found if found.rank > best.rank else best, pairs=pairs)
    return best


def _climb(rank_of: Ranking, n: int, d: int, k: int, steps: int, rng: np.random.Generator) -> FoundPair:
    basis = rng.integers(-ENTRY_MAX, ENTRY_MAX + 1, (k, d))
    # n - 1 shared points, then the one point of either dataset that the other has not
    points = [_combination(basis, rng) for _ in range(n + 1)]
    rank = rank_of(*_pair(points))
    for _ in range(steps):
        index = int(rng.integers(n + 1))
        moved = [*points[:index], _proposal(points, k, rng), *points[index + 1 :]]
        moved_rank = rank_of(*_pair(moved))
        if moved_rank >= rank:
            points, rank = moved, moved_rank
    return FoundPair(rank, *_pair(points), 1 + steps)


def _pair(points: list[Vector]) -> tuple[Dataset, Dataset]:
    *shared, x, y = points
    return tuple(sorted((*shared, x))), tuple(sorted((*shared, y)))


def _proposal(points: list[Vector], k: int, rng: np.random.Generator) -> Vector:
    """Return a copy of a point, a combination of k points, or a new point: ties, points of a span, general position."""
    kind = rng.integers(3)
    if kind == 0:
        return points[int(rng.integers(len(points)))]
    if kind == 1:
        return _combination(np.array(points)[rng.integers(len(points), size=k)], rng)
    return _combination(np.eye(len(points[0]), dtype=np.int64), rng)


def _combination(vectors: NDArray[np.int64], rng: np.random.Generator) -> Vector:
    coefficients = rng.integers(-ENTRY_MAX, ENTRY_MAX + 1, len(vectors))
    return primitive(tuple(int(entry) for entry in coefficients @ vectors))


# --- what to look for, in Algorithm 1 of singhal2021 --------------------------------------------------


def by_delta(mechanism: DiscreteMechanism) -> Ranking:
    """Return (exact delta at the mechanism's epsilon, minus the lead of the largest value): near-ties of values come next."""
    law = cache(lambda points: output_law(points, mechanism))
    lead = cache(lambda points: _lead(values_of(points, mechanism)))
    return lambda x, y: (divergence(law(x), law(y), mechanism.e_epsilon), -min(lead(x), lead(y)))


def by_score(mechanism: DiscreteMechanism) -> Ranking:
    """Return (largest change of a candidate's score, minus the lead of the largest value)."""
    scores = cache(lambda points: scores_of(points, mechanism.k, mechanism.choices))
    lead = cache(lambda points: _lead(values_of(points, mechanism)))
    return lambda x, y: (Fraction(largest_change(scores(x), scores(y))), -min(lead(x), lead(y)))


def _lead(values: Values) -> Fraction:
    first, second, *_ = sorted([*values.values(), Fraction(0)], reverse=True)
    return first - second
