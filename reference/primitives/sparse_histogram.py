"""A stability-based histogram over infinitely many cells, keyed sparsely by integer tuples.

Every occupied cell gets its count plus Laplace noise; cells whose noisy count is at most the threshold are
suppressed, and so are all empty cells. Replace-one moves one item, so two counts change by 1 each.

Guarantee. With noise of scale 2 / epsilon and p = P(1 + noise > threshold) the whole release is (epsilon, p)-DP,
replace-one (Vadhan 2017, section 3; Bun, Nissim, Stemmer 2016; here with the exact p). Let one item move from
cell a to cell b. If a is emptied, its release has probability p and is impossible afterwards; given that it is
suppressed, what is left is the release of b, with ratio at most e^(epsilon / 2) if b was occupied, 1 if it was
empty. If a is not emptied, a contributes a ratio e^(epsilon / 2), and b one of at most e^(epsilon / 2) or, if b
was empty, 1 / (1 - p); the excess over e^epsilon is then at most 1 - (1 - p) = p. And p is reached.
For a threshold >= 1, p = exp(-epsilon (threshold - 1) / 2) / 2.
Claims: primitives.sparse-histogram.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

import numpy as np

from dppca.reference.noise import Array, ReleaseLaw, ThresholdedLaplaceLaw
from dppca.reference.rigour.outwards import OUTWARDS, divide_up
from dppca.reference.rigour.validation import check_delta, check_epsilon

Cell: TypeAlias = tuple[float, ...]

#: L1 sensitivity of the counts, replace-one.
REPLACE_ONE_SENSITIVITY = 2.0


def stability_threshold(epsilon: float, delta: float) -> float:
    """Return the least (epsilon, delta)-DP threshold >= 1, 1 + (2 / epsilon) max(0, ln(1 / (2 delta))), rounded up."""
    # log1p: near delta = 1/2 the logarithm of a quotient that is rounded would be off by more than OUTWARDS.
    delta = check_delta(delta)
    surplus = 2.0 / check_epsilon(epsilon) * math.log1p((0.5 - delta) / delta)
    return 1.0 if surplus <= 0.0 else (1.0 + surplus) * OUTWARDS


def stability_delta(epsilon: float, threshold: float) -> float:
    """Return p, for any threshold: the exact delta at this epsilon with noise of scale 2 / epsilon, rounded up."""
    law = ThresholdedLaplaceLaw(divide_up(REPLACE_ONE_SENSITIVITY, check_epsilon(epsilon)), threshold)
    return -math.expm1(law.log_likelihood(np.asarray(1.0), None))


@dataclass(frozen=True)
class SparseHistogramLaw(ReleaseLaw):
    """The law of noisy counts above a threshold; sensitivity of the counts in L1.

    A value has one row per item, its cell's integer coordinates. The standard draw is one standard Laplace
    variable per item; a cell uses that of its first item. Releases an array with one row per surviving cell,
    [noisy count, coordinates], sorted by coordinates; it has no rows if no cell survives.
    """

    scale: float
    threshold: float
    kind: ClassVar[str] = "sparse_histogram"
    norm: ClassVar[str] = "l1"

    def draw(self, value: Array, rng: np.random.Generator) -> Array:
        return np.asarray(rng.laplace(size=value.shape[0]))

    def draw_shape(self, value: Array) -> tuple[int, ...]:
        return value.shape[:1]

    def apply(self, value: Array, draw: Array) -> Any:
        cells, counts, first = _cells(value)
        noisy = counts + self.scale * draw[first]
        shown = noisy > self.threshold
        return np.column_stack([noisy[shown], cells[shown]])

    def log_likelihood(self, value: Array, released: Any) -> float:
        cell_law = ThresholdedLaplaceLaw(self.scale, self.threshold)
        noisy_counts = {tuple(row[1:]): row[0] for row in released.tolist()}
        counts = _counts(value)
        if not noisy_counts.keys() <= counts.keys():
            return -math.inf
        return math.fsum(cell_law.log_likelihood(np.asarray(count), noisy_counts.get(cell)) for cell, count in counts.items())

    def change(self, value: Array, other: Array) -> float:
        mine, theirs = _counts(value), _counts(other)
        return sum(abs(mine.get(cell, 0.0) - theirs.get(cell, 0.0)) for cell in mine.keys() | theirs.keys())


def _cells(value: Array) -> tuple[Array, Array, Array]:
    """Return occupied cells in the order of their coordinates, one a row; how many items each has, and its first item."""
    order = np.lexsort(value.T[::-1])
    ordered = value[order]
    is_first = np.empty(len(value), dtype=np.bool_)
    is_first[:1] = True
    np.any(ordered[1:] != ordered[:-1], axis=1, out=is_first[1:])
    ends = np.append(np.flatnonzero(is_first), len(value))
    starts = ends[:-1]
    return ordered[starts], ends[1:] - starts, order[starts]


def _counts(value: Array) -> dict[Cell, float]:
    cells, counts, _ = _cells(value)
    return {tuple(cell): float(count) for cell, count in zip(cells.tolist(), counts, strict=True)}
