"""The exact view: where the law is known, the hockey-stick divergence is computed, not sampled."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping
from fractions import Fraction
from itertools import combinations_with_replacement, permutations, product
from typing import TypeAlias, TypeVar

from dppca.reference.rigour.divergence import hockey_stick

Outcome = TypeVar("Outcome", bound=Hashable)
Counts: TypeAlias = tuple[int, ...]

#: By how much a delta may be exceeded, relatively, by a sum of floats that was meant to be equal to it.
ROUNDING = Fraction(1, 2**48)


def epsilon_of_laws(p: Mapping[Outcome, float], q: Mapping[Outcome, float], delta: float) -> float:
    """Return the smallest epsilon >= 0 at which two finite laws are (epsilon, delta)-close both ways; inf if there is none.

    The masses are floats (fractions are converted, unless that makes them 0), so the result is accurate to rounding, not
    rigorous: delta is taken to be up to ROUNDING larger, relatively, so that 0.1 + 0.2 does not exceed a delta of 0.3.
    """
    outcomes = list(p.keys() | q.keys())
    masses = [[_as_fraction(law.get(outcome, 0.0)) for outcome in outcomes] for law in (p, q)]
    allowed = Fraction(delta) * (1 + ROUNDING)
    return max(_one_way(masses[0], masses[1], allowed), _one_way(masses[1], masses[0], allowed))


def delta_of_laws(p: Mapping[Outcome, float], q: Mapping[Outcome, float], epsilon: float) -> float:
    """Return the smallest delta at which two finite laws are (epsilon, delta)-close both ways."""
    pairs = [(float(p.get(outcome, 0.0)), float(q.get(outcome, 0.0))) for outcome in p.keys() | q.keys()]
    return max(_divergence(pairs, epsilon), _divergence([(b, a) for a, b in pairs], epsilon))


def _divergence(pairs: list[tuple[float, float]], epsilon: float) -> float:
    ratio = math.exp(epsilon)
    return math.fsum(max(0.0, a - ratio * b) for a, b in pairs)


def _as_fraction(mass: float) -> Fraction:
    return Fraction(float(mass)) or Fraction(mass)


def _one_way(p: list[Fraction], q: list[Fraction], allowed: Fraction) -> float:
    """Return the least epsilon of one direction: the events that count are those of the largest ratios p / q.

    The divergence at s = e^epsilon is the largest p(E) - s q(E) over these events E.
    """
    excess = sum((a for a, b in zip(p, q, strict=True) if not b), Fraction(0)) - allowed
    if excess > 0:
        return math.inf
    least, mass = Fraction(1), Fraction(0)
    for a, b in sorted(((a, b) for a, b in zip(p, q, strict=True) if b), key=lambda pair: pair[0] / pair[1], reverse=True):
        excess, mass = excess + a, mass + b
        least = max(least, excess / mass)
    if least < 2:
        return math.log1p(float(least - 1))
    return math.log(least.numerator) - math.log(least.denominator)


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
