"""Datasets of a declared domain, and their neighbours, on which whatever is computed before a release shows.

A sensitivity is claimed for all datasets. A search that climbs from long rows finds no dataset whose rows are lengthened,
centred, ranked or counted before the release: there, all rows have to change at once. So rows are drawn of unequal lengths (1,
1/2, 1/10, 1/1000, 0 of what the domain allows), on axes and off them, repeated, tied and sorted, and the row that is replaced
is in turn each one, the only long row among short ones included. Where a record may be a matrix, every other dataset has such.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dppca.reference.declaration import Declaration, UnitRows
from dppca.reference.liu2022.data import RealRecords
from dppca.reference.relation import Relation

Rows: TypeAlias = NDArray[np.float64]

LENGTHS = (1.0, 0.5, 0.1, 0.001, 0.0)
#: Length of the longest rows where the domain is not the unit ball: gradients are clipped there, and cells left. Half of the
#: rows are longer by up to 10,000 times, so that every coordinate of one is clipped.
LONG = 30.0
#: How much longer one record is than those that it outweighs.
OUTWEIGHS = 100.0
INTEGERS = (0, 1, -1, 2, 3)
#: More records than this are mostly alike: that is where a histogram shows a cell.
FEW = 20


def is_exact(entry: Declaration) -> bool:
    """Return whether the data are rows of integers."""
    return isinstance(entry.example.data, list)


def _drawn(entry: Declaration, n: int, d: int, rng: np.random.Generator, length: float | None = None) -> Rows:
    """Return n records, each on an axis, dense, or random; of lengths from `LENGTHS` unless one is given."""
    axes = np.eye(d)[rng.integers(d, size=n)]
    if is_exact(entry):
        return np.where(rng.random((n, 1)) < 0.7, rng.choice(np.array(INTEGERS, dtype=float), size=(n, d)), axes)
    kind = rng.integers(3, size=(n, 1))
    directions = np.where(kind == 0, axes, np.where(kind == 1, 1.0, rng.standard_normal((n, d))))
    sizes = rng.choice(LENGTHS, n) if length is None else np.full(n, length)
    if not isinstance(entry.data, UnitRows):
        sizes *= LONG * np.where(rng.random(n) < 0.5, 1.0, 10.0 ** rng.uniform(0.0, 4.0, n))
    signed = rng.choice([-1.0, 1.0], n) * sizes / np.linalg.norm(directions, axis=1)
    return np.asarray(signed[:, np.newaxis] * directions)


def dataset(entry: Declaration, n: int, d: int, rng: np.random.Generator) -> Rows:
    """Return n records of dimension d: of unequal lengths, alike, or short but for one; rows (n, d) or matrices (n, d, d)."""
    rows = _rows(entry, n, d, rng)
    return _matrices(rows, rng) if isinstance(entry.data, RealRecords) and rng.random() < 0.5 else rows


def _matrices(rows: Rows, rng: np.random.Generator) -> Rows:
    """Return matrices of rank one that are not symmetric: rows beside numbers of either sign."""
    return np.asarray(rows[..., np.newaxis] * rng.choice([-1.0, 0.5, 1.0], size=rows.shape[-1]))


def _rows(entry: Declaration, n: int, d: int, rng: np.random.Generator) -> Rows:
    """Return n rows."""
    kind = 0 if n > FEW else rng.integers(4)
    rows = _drawn(entry, n, d, rng)
    if n > FEW and rng.random() < 0.5:  # two kinds of records, about as many of each: counts are nearly tied
        at = np.arange(n)[:, None]
        first = at < n * rng.uniform(0.4, 0.5) if rng.random() < 0.5 else at % 2 == 0  # in turn: pairs have a spread
        return np.asarray(np.where(first, _drawn(entry, 1, d, rng, 0.5), _drawn(entry, 1, d, rng, 1.0)))
    if kind == 0:  # most of them alike or all, so that counts are large and cells are shared
        return np.asarray(np.where(rng.random((n, 1)) < rng.choice([0.9, 1.0]), _drawn(entry, 1, d, rng, 0.5), rows))
    if kind == 1 and not is_exact(entry):  # one long row among short ones
        rows = _drawn(entry, n, d, rng, 0.1)
        rows[rng.integers(n)] = _drawn(entry, 1, d, rng, 1.0)
    if kind == 2:  # ties, in order
        rows = rows[rng.integers(max(1, n // 2), size=n)]
        rows = rows[np.lexsort(rows.T)]
    return rows


def longest(entry: Declaration, rows: Rows, count: int, rng: np.random.Generator) -> Rows:
    """Return so many records of the largest length that the domain has, or else far longer than all of these.

    What is estimated of many records, such as their spread, moves where one of them outweighs the others.
    """
    like = _drawn(entry, count, rows.shape[1], rng, 1.0)
    if not is_exact(entry) and not isinstance(entry.data, UnitRows):
        like *= OUTWEIGHS * max(1.0, float(np.max(np.abs(rows))) / LONG)
    return like if rows.ndim == 2 else _matrices(like, rng)


def replaced(entry: Declaration, rows: Rows, place: int, rng: np.random.Generator) -> Iterator[Rows]:
    """Yield datasets in which one record is another one: 0, the opposite, a copy of another record, a long one, any one.

    Where neighbours are datasets with a record more or less, what counts is a record that is there and one that is 0; a record
    that is gone is the last one.
    """
    d = rows.shape[1]
    others = [0.0 * rows[place]]
    if entry.relation is not Relation.ADD_REMOVE:
        others += [-rows[place], rows[rng.integers(len(rows))]]
        drawn = _drawn(entry, 1, d, rng)
        others += [longest(entry, rows, 1, rng)[0], (drawn if rows.ndim == 2 else _matrices(drawn, rng))[0]]
    for other in others:
        neighbour = rows.copy()
        neighbour[place] = other
        yield neighbour
    if entry.relation is Relation.ADD_REMOVE and place == len(rows) - 1 and place > 0:
        yield rows[:-1]


def as_data(entry: Declaration, rows: Rows) -> Any:
    """Return records as the algorithm takes them."""
    return rows.astype(int).tolist() if is_exact(entry) else rows
