"""Datasets of a few small vectors, with the subspaces that they span and the scores of these."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, combinations, combinations_with_replacement, product
from typing import TypeAlias

from dppca.audit.suite.singhal2021.exact_law import (
    Dataset,
)
from dppca.reference.singhal2021.exact_linear_algebra import RationalSubspace, Vector, exact_rows, span

Points: TypeAlias = Sequence[Vector]
Counts: TypeAlias = tuple[int, ...]
LINES = ((1, 0), (0, 1), (1, 1))
PLANE = ((0, 0), *LINES)
SPACE = ((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0))


@dataclass(frozen=True)
class SmallDomain:
    """A list of vectors; a dataset is the number of times each of them occurs."""

    vectors: tuple[Vector, ...]

    @cached_property
    def points(self) -> tuple[Vector, ...]:
        """Return the vectors in rational numbers."""
        return exact_rows("vectors", self.vectors)

    @cached_property
    def spans(self) -> tuple[RationalSubspace, ...]:
        """Return the subspaces that some of the points span, by dimension."""
        d = len(self.points[0])
        subsets = chain.from_iterable(combinations(self.points, size) for size in range(d + 1))
        return tuple(sorted({span(S, d) for S in subsets}, key=lambda s: (s.dimension, s.rows)))

    @cached_property
    def members(self) -> dict[RationalSubspace, tuple[int, ...]]:
        """Return the numbers of the points in each span."""
        return {s: tuple(i for i, x in enumerate(self.points) if x in s) for s in self.spans}

    @cached_property
    def below(self) -> dict[RationalSubspace, tuple[RationalSubspace, ...]]:
        """Return the spans strictly inside each span: the supremum of a score's definition is attained at one of them."""
        return {s: tuple(t for t in self.spans if t != s and all(row in s for row in t.rows)) for s in self.spans}

    def datasets(self, n: int) -> Iterator[Counts]:
        """Yield every dataset of n rows."""
        size = len(self.vectors)
        for S in combinations_with_replacement(range(size), n):
            tally = Counter(S)
            yield tuple(tally[i] for i in range(size))

    def rows(self, counts: Counts) -> Dataset:
        """Return the rows of a dataset."""
        return tuple(x for x, count in zip(self.points, counts, strict=True) for _ in range(count))

    def held(self, counts: Counts) -> dict[RationalSubspace, int]:
        """Return |x cap s| for every span."""
        return {s: sum(counts[i] for i in self.members[s]) for s in self.spans}

    def scores(self, counts: Counts) -> dict[RationalSubspace, int]:
        """u(x, s) by its definition; the supremum over no subspaces, for s = {0}, is 0."""
        held = self.held(counts)
        return {s: held[s] - max((held[t] for t in self.below[s]), default=0) for s in self.spans}

    def neighbours(self, n: int) -> Iterator[tuple[Counts, Counts]]:
        """Yield every pair of datasets of n rows of which one is replaced."""
        size = len(self.vectors)
        for counts in self.datasets(n):
            for i, j in product(range(size), repeat=2):
                if i != j and counts[i]:
                    moved = list(counts)
                    moved[i] -= 1
                    moved[j] += 1
                    yield counts, tuple(moved)

    def problems(self, n: int) -> Iterator[tuple[Counts, int, int, list[RationalSubspace]]]:
        """(dataset, k, ell, every s_* that satisfies Problem 2.1), for every ell from the least one on."""
        d = len(self.points[0])
        for counts in self.datasets(n):
            held = self.held(counts)
            for k in range(1, d + 1):
                least = max(held[s] for s in self.spans if s.dimension < k)
                for ell in range(least, n + 1):
                    found = [s for s in self.spans if s.dimension == k and held[s] >= n - ell]
                    if found:
                        yield counts, k, ell, found


PLANE_DOMAIN = SmallDomain(((0, 0), (1, 0), (0, 1), (1, 1), (1, -1)))
SPACE_DOMAIN = SmallDomain(((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0), (1, 1, 1)))
DOMAINS = ((PLANE_DOMAIN, 6), (SPACE_DOMAIN, 5))


def moment_curve(count: int, k: int, d: int) -> tuple[Vector, ...]:
    """Return the points (1, t, ..., t^(k-1), 0, ..., 0): any k of them are independent."""
    return tuple(tuple(t**i for i in range(k)) + (0,) * (d - k) for t in range(1, count + 1))


def points_in(points: Points, s: RationalSubspace) -> int:
    """Return how many of the points lie in a subspace."""
    return sum(x in s for x in points)


def all_spans(points: Points, largest: int) -> set[RationalSubspace]:
    """Return the subspaces that at most so many of the points span."""
    d = len(points[0])
    return {span(S, d) for size in range(largest + 1) for S in combinations(set(points), size)}


def least_ell(points: Points, k: int) -> int:
    """Return the least ell for which the points satisfy Problem 2.1, over spans of the points as s_*."""
    spans = all_spans(points, k)
    lower = max(points_in(points, s) for s in spans if s.dimension < k)
    best = max((points_in(points, s) for s in spans if s.dimension == k), default=0)
    return max(lower, len(points) - best)
