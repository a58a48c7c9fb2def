"""Scores of how the numbers of an output stand to each other: their order, gaps between them, pairs of signs, rows, angles.

Each takes numbers that no column shows and adds up what they tell, as `additive` does of columns: so a relation that is weak in
each pair of columns is found where all of them together are strong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from dppca.audit.auditor.additive import composed, shrunk, sum_of_ratios

Float: TypeAlias = NDArray[np.float64]
Rows: TypeAlias = Callable[[Float], Float]

#: Numbers that are ranked, columns of which pairs are looked at, and rows and columns of rows whose products are.
_MAX_RANKED, _MAX_PAIRED, _MAX_ROWS = 60, 100, 8


def arrangements(
    x: Float, y: Float, raw: Rows, groups: dict[str, NDArray[np.int64]], rows: NDArray[np.int64] | None
) -> Iterator[tuple[str, Rows, bool]]:
    """Yield sums of log-ratios of ranks, gaps, products of pairs of signs, and rows' products and distances; all are fitted.

    Args:
        x: columns of the data's outputs.
        y: those of the neighbour's.
        raw: gives the numbers among the columns as they were.
        groups: places of the numbers of which sequences are made, by their names.
        rows: each row's columns, where outputs are matrices.
    """
    views: dict[str, Rows] = {}
    for of, places in groups.items():
        if 2 < len(places) <= _MAX_RANKED:
            views[f"ranks{of}"] = on_numbers(_ranks, raw, places)
            views[f"gaps{of}"] = on_numbers(_gaps, raw, places)
    if rows is not None and len(rows) <= _MAX_ROWS and len(groups[""]) == rows.size:
        views["products of rows"] = on_rows(_products, raw, rows)
        views["distances of rows"] = on_rows(_distances, raw, rows)
    for name, view in views.items():
        if (found := sum_of_ratios(view(x), view(y))) is not None:
            yield f"sum of log-ratios of {name}", composed(found, view), True
    if 2 < x.shape[1] <= _MAX_PAIRED and (pairs := _pairs_of_signs(x, y)) is not None:
        yield "sum of log-ratios of pairs of signs", pairs, True


def on_numbers(rows: Rows, raw: Rows, places: NDArray[np.int64]) -> Rows:
    """Return what a function of numbers is as one of columns, of the numbers in these places."""
    return lambda z: rows(raw(z)[:, places])


def on_rows(of_matrices: Rows, raw: Rows, rows: NDArray[np.int64]) -> Rows:
    """Return what a function of matrices is as one of columns, of the numbers in each of these rows."""
    return lambda z: of_matrices(raw(z)[:, rows.reshape(-1)].reshape(-1, *rows.shape))


def _ranks(numbers: Float) -> Float:
    return np.argsort(np.argsort(numbers, axis=1, kind="stable"), axis=1, kind="stable").astype(np.float64)


def _gaps(numbers: Float) -> Float:
    """Return the gaps between the sorted numbers, smallest first, and how far the extremes are from each other."""
    in_order = np.sort(numbers, axis=1)
    return np.column_stack([np.sort(np.diff(in_order, axis=1), axis=1), in_order[:, -1] - in_order[:, 0]])


def _products(matrices: Float) -> Float:
    """Return the scalar products of each two rows of an output, and of each with itself."""
    first, second = np.triu_indices(matrices.shape[1])
    return (matrices @ matrices.transpose(0, 2, 1))[:, first, second]


def _distances(matrices: Float) -> Float:
    """Return the squared distances between each two rows of an output, smallest first."""
    first, second = np.triu_indices(matrices.shape[1], 1)
    return np.sort(np.sum((matrices[:, first] - matrices[:, second]) ** 2, axis=2), axis=1)


def _pairs_of_signs(x: Float, y: Float) -> Rows | None:
    """Return the sum over pairs of columns of the log-ratio of their signs' product; None where no pair tells anything."""
    middle = np.median(np.concatenate([x, y]), axis=0)
    top = np.concatenate([x, y]).max(axis=0)
    middle = np.where(middle == top, np.nextafter(middle, -np.inf), middle)

    def signs(z: Float) -> Float:
        return np.where(z > middle, 1.0, -1.0)

    equal = [0.5 * (len(z) + s.T @ s) + 0.5 for z, s in ((z, signs(z)) for z in (x, y))]
    unlike = [len(z) + 1.0 - of for z, of in zip((x, y), equal, strict=True)]
    ratio = 0.5 * (np.log(equal[0]) - np.log(equal[1]) - np.log(unlike[0]) + np.log(unlike[1]))
    spread = 0.5 * np.sqrt(sum(1.0 / of for of in (*equal, *unlike)))
    pairs = np.triu(np.ones_like(ratio, dtype=bool), 1)
    strength = float(np.sum((ratio / spread)[pairs] ** 2))
    if strength < pairs.sum() + 3.0 * np.sqrt(2.0 * pairs.sum()):
        return None
    weights = np.where(pairs, shrunk(ratio, spread), 0.0)
    return lambda z: np.einsum("ni,ni->n", signs(z) @ weights, signs(z))
