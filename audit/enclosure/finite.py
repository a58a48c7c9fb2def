"""The exact view: where the law is known, the hockey-stick divergence is computed, not sampled."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping
from fractions import Fraction
from itertools import combinations_with_replacement, permutations, product
from typing import TypeAlias, TypeVar

from dppca.reference.primitives.bisection import bisect
from dppca.reference.primitives.divergence import hockey_stick

Outcome = TypeVar("Outcome", bound=Hashable)
Counts: TypeAlias = tuple[int, ...]


def epsilon_of_laws(p: Mapping[Outcome, float], q: Mapping[Outcome, float], delta: float) -> float:
    """Return the smallest epsilon >= 0 at which two finite laws are (epsilon, delta)-close both ways; inf if there is none.

    The masses are floats (fractions are converted), so the result is accurate to rounding, not rigorous.
    """
    outcomes = list(p.keys() | q.keys())
    masses = [[float(law.get(outcome, 0.0)) for outcome in outcomes] for law in (p, q)]
    return max(_one_way(masses[0], masses[1], delta), _one_way(masses[1], masses[0], delta))


def delta_of_laws(p: Mapping[Outcome, float], q: Mapping[Outcome, float], epsilon: float) -> float:
    """Return the smallest delta at which two finite laws are (epsilon, delta)-close both ways."""
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
    return bisect(lambda epsilon: _divergence(pairs, epsilon) <= delta, low, high, lambda a, b: b - a <= 1e-12)[1]


def sparse_histogram_law(counts: Counts, ratio: Fraction, threshold: int, top: int) -> dict[tuple[int | None, ...], Fraction]:
    """Return the law of a sparse histogram (dppca.reference.primitives.sparse_histogram) over a few cells, in exact masses.

    Each count > 0 gets Laplace noise of scale 1 / ln(ratio) and shows above the integer threshold. Noisy counts are kept
    up to the integer above them: None (suppressed, or empty), threshold + 1, ..., top, and top + 1 for all beyond,
    top >= the counts. That loses nothing of the divergence at e^epsilon = ratio^2 between neighbours as long as
    P(1 + noise > threshold) <= 1 - 1 / ratio: only between two counts does a cell's likelihood ratio vary within an
    interval; there it is at most `ratio`, and that of the other cell that changed is at most `ratio` too, or infinite.
    """
    cells = [_cell_law(count, ratio, threshold, top) for count in counts]
    law: dict[tuple[int | None, ...], Fraction] = {}
    for outcomes in product(*cells):
        law[outcomes] = math.prod((cell[z] for cell, z in zip(cells, outcomes, strict=True)), start=Fraction(1))
    return law


def _cell_law(count: int, ratio: Fraction, threshold: int, top: int) -> dict[int | None, Fraction]:
    if count == 0:
        return {None: Fraction(1)}

    def below(z: int) -> Fraction:
        tail = ratio ** -abs(z - count) / 2
        return tail if z <= count else 1 - tail

    edges = range(threshold, top + 1)
    law: dict[int | None, Fraction] = {z + 1: below(z + 1) - below(z) for z in edges[:-1]}
    return {None: below(threshold), **law, top + 1: 1 - below(top)}


def histogram_neighbours(items: int, cells: int) -> Iterator[tuple[Counts, Counts]]:
    """Yield every pair of counts of so many items in so many cells between which one item moves."""
    for chosen in combinations_with_replacement(range(cells), items):
        counts = [chosen.count(cell) for cell in range(cells)]
        for a, b in permutations(range(cells), 2):
            if counts[a]:
                moved = counts.copy()
                moved[a] -= 1
                moved[b] += 1
                yield tuple(counts), tuple(moved)


def worst_histogram_delta(items: int, cells: int, ratio: Fraction, threshold: int) -> tuple[Fraction, tuple[Counts, Counts]]:
    """Return the largest delta at e^epsilon = ratio^2 over all neighbours, and a pair that has it.

    Raises:
        ValueError: a threshold so low that intervals would lose something; see `sparse_histogram_law`.
    """
    if ratio ** -abs(threshold - 1) / 2 > 1 - 1 / ratio or threshold < 1:
        raise ValueError(f"threshold must be >= 1 with P(1 + noise > threshold) <= 1 - 1 / ratio, got {threshold}")
    top = max(items, threshold) + 1
    laws: dict[Counts, dict[tuple[int | None, ...], Fraction]] = {}
    worst: tuple[Fraction, tuple[Counts, Counts]] = (Fraction(-1), ((), ()))
    for pair in histogram_neighbours(items, cells):
        for counts in pair:
            laws.setdefault(counts, sparse_histogram_law(counts, ratio, threshold, top))
        delta = hockey_stick(laws[pair[0]], laws[pair[1]], ratio**2)
        worst = max(worst, (delta, pair))
    return worst
