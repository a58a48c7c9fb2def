"""Additive scores: sums over columns of the log-ratio of the two datasets' laws, of all outputs or of each category apart."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy
from scipy.stats import chi2

Float: TypeAlias = NDArray[np.float64]
Rows: TypeAlias = Callable[[Float], Float]
#: The score of outputs with these categories and columns.
RowsOfCategories: TypeAlias = Callable[[NDArray[np.int64], Float], Float]

#: Quantile bins of a column, and of a column in one category.
_BINS, _BINS_OF_CATEGORY = 16, 4
#: Quantile bins of which steps are made, and the gain in log-likelihood for which there is one step more.
_STEP_BINS, _STEP_GAIN = 100, 8.0
#: Entries of which one ratio for all columns is made.
_COMMON_ENTRIES = 2_000_000
#: Entries of the columns of a batch that are kept with it.
MAX_KEPT = 10_000_000
#: Cells of all categories and columns.
_MAX_CELLS = 20_000_000


def additive(x: Float, y: Float, views: dict[str, Rows]) -> Iterator[tuple[str, Rows, bool]]:
    """Yield sums of the columns' log-ratios, of each view of the columns; all are fitted."""
    for name, of in views.items():
        view = _remembered(of)
        a, b = view(x), view(y)
        stepped = stepped_columns(a, b)
        for kind, rows in (
            ("", sum_of_ratios(a, b)),
            (" in steps", _sum_of_steps(stepped)),
            (" in common steps", _sum_of_common_steps(a, b, [j for j, _, _ in stepped])),
        ):
            if rows is not None:
                yield f"sum of log-ratios{kind}{name}", composed(rows, view), True


def _remembered(view: Rows) -> Rows:
    """Return a view that is not computed anew for the last few batches, as several scores in turn look at it."""
    last: list[tuple[Float, Float]] = []

    def seen(z: Float) -> Float:
        for known, found in last:
            if known is z:
                return found
        found = view(z)
        if z.size <= MAX_KEPT:
            last[:] = [*last[-3:], (z, found)]
        return found

    return seen


def composed(rows: Rows, view: Rows) -> Rows:
    """Return a function of what a view shows as one of the columns."""
    return lambda z: rows(view(z))


def sum_of_ratios(x: Float, y: Float) -> Rows | None:
    """Return the sum over columns of log-ratios in bins, of those columns that tell something; None where none does."""
    tables: list[tuple[int, Float, Float, bool]] = []
    for j in range(x.shape[1]):
        pooled = np.concatenate([x[:, j], y[:, j]])
        values = np.unique(pooled[: 20 * _BINS])
        few = len(values) <= _BINS and len(values := np.unique(pooled)) <= 2 * _BINS
        edges = 0.5 * (values[1:] + values[:-1]) if few else np.unique(np.quantile(pooled, bin_levels()))
        cells = len(edges) + 1
        counts = [np.bincount(np.searchsorted(edges, z[:, j]), minlength=cells) + 0.5 for z in (x, y)]
        ratio = np.log(counts[0] / counts[0].sum()) - np.log(counts[1] / counts[1].sum())
        spread = np.sqrt(1.0 / counts[0] + 1.0 / counts[1])
        if np.sum((ratio / spread) ** 2) < cells - 1 + 3.0 * np.sqrt(2.0 * cells):
            continue
        tables.append((j, edges, shrunk(ratio, spread), few))
    if not tables:
        return None

    def rows(z: Float) -> Float:
        total = np.zeros(len(z))
        for j, edges, ratio, few in tables:
            if few or len(edges) < 3:
                total += ratio[np.searchsorted(edges, z[:, j])]
            else:
                centres = np.concatenate([edges[:1], 0.5 * (edges[1:] + edges[:-1]), edges[-1:]])
                total += np.interp(z[:, j], centres, ratio)
        return total

    return rows


def shrunk(ratio: Float, spread: Float) -> Float:
    """Return log-ratios less what their standard errors alone would make of them; 0 where that is all."""
    return np.asarray(ratio * np.maximum(1.0 - (spread / np.maximum(np.abs(ratio), 1e-12)) ** 2, 0.0))


#: The steps of one column's log-ratio: the column, where it steps, and its values between.
Stepped: TypeAlias = tuple[int, Float, Float]


def stepped_columns(x: Float, y: Float) -> list[Stepped]:
    """Return the columns whose log-ratio, taken as constant but for a few steps, has any.

    Noise whose density falls exponentially has such ratios on both sides of two bounds, and bins blur them.
    """
    found = []
    for j in range(x.shape[1]):
        edges = np.unique(np.quantile(np.concatenate([x[:, j], y[:, j]]), np.linspace(0.0, 1.0, _STEP_BINS + 1)[1:-1]))
        counts = [np.bincount(np.searchsorted(edges, z[:, j]), minlength=len(edges) + 1) for z in (x, y)]
        sums = [np.append(0.0, np.cumsum(count)) for count in counts]
        steps = np.array(_steps(sums[0], sums[1], 0, len(edges) + 1), dtype=np.int64)
        if len(steps):
            parts = [np.diff(total[[0, *steps, -1]]) + 0.5 for total in sums]
            found.append((j, edges[steps - 1], np.log(parts[0] / len(x)) - np.log(parts[1] / len(y))))
    return found


def _sum_of_steps(stepped: list[Stepped]) -> Rows | None:
    """Return the sum over columns of log-ratios in steps; None where no column has any."""
    if not stepped:
        return None

    def rows(z: Float) -> Float:
        total = np.zeros(len(z))
        for j, edges, ratio in stepped:
            total += ratio[np.searchsorted(edges, z[:, j])]
        return total

    return rows


def _sum_of_common_steps(x: Float, y: Float, columns: list[int]) -> Rows | None:
    """Return the sum with one ratio for these columns, up to signs: where columns are alike each tells of the others."""
    if not columns:
        return None
    sign = np.where(x[:, columns].mean(axis=0) >= y[:, columns].mean(axis=0), 1.0, -1.0)
    some = max(1, _COMMON_ENTRIES // len(columns))
    of_one = _sum_of_steps(stepped_columns(*((z[:some, columns] * sign).reshape(-1, 1) for z in (x, y))))
    if of_one is None:
        return None
    return lambda z: of_one((z[:, columns] * sign).reshape(-1, 1)).reshape(len(z), -1).sum(axis=1)


def _steps(a: Float, b: Float, low: int, high: int) -> list[int]:
    """Return places between low and high where the ratio of two cumulated counts steps, each the best one of its stretch."""

    def likelihood(first: Any, last: Any) -> Any:
        hits, others = a[last] - a[first], b[last] - b[first]
        return xlogy(hits, hits / np.maximum(hits + others, 1.0)) + xlogy(others, others / np.maximum(hits + others, 1.0))

    if high - low < 2:
        return []
    places = np.arange(low + 1, high)
    gains = likelihood(low, places) + likelihood(places, high) - likelihood(low, high)
    best = int(np.argmax(gains))
    if gains[best] < _STEP_GAIN:
        return []
    place = int(places[best])
    return [*_steps(a, b, low, place), place, *_steps(a, b, place, high)]


def bin_levels() -> Float:
    """Return the levels of the quantiles that separate bins; those at the ends are narrow."""
    return np.concatenate([[0.005, 0.02], np.linspace(0.0, 1.0, _BINS - 3)[1:-1], [0.98, 0.995]])


# --- categories ---------------------------------------------------------------------------------------


def within_categories(categories: tuple[NDArray[np.int64], NDArray[np.int64]], x: Float, y: Float) -> RowsOfCategories | None:
    """Return the sum over columns of log-ratios in bins, with bins of their own for each category of the outputs.

    A hash function that an output names decides which of its bits tell something, so that no column does on its own. None where
    no column tells anything in any category.
    """
    edges = [few_edges(np.concatenate([x[:, j], y[:, j]])) for j in range(x.shape[1])]
    kinds, bins = int(max(c.max() for c in categories)) + 1, max(len(of) for of in edges) + 1
    if kinds * bins * len(edges) > _MAX_CELLS:
        return None
    counts = [np.empty((len(edges), kinds, bins)) for _ in range(2)]
    for count, codes, z in zip(counts, categories, (x, y), strict=True):
        for j, of in enumerate(edges):
            cell = codes * bins + np.searchsorted(of, z[:, j])
            count[j] = np.bincount(cell, minlength=kinds * bins).reshape(kinds, bins)
    a, b = (count + 0.5 for count in counts)
    ratio = np.log(a / a.sum(axis=2, keepdims=True)) - np.log(b / b.sum(axis=2, keepdims=True))
    spread = np.sqrt(1.0 / a + 1.0 / b)
    freedom = np.array([max(len(of), 1) for of in edges])[:, None]
    tells = np.sum((ratio / spread) ** 2, axis=2) > chi2.isf(1.0 / ratio[:, :, 0].size, freedom)
    if not tells.any():
        return None
    ratio = shrunk(ratio, spread) * tells[:, :, None]
    columns = np.flatnonzero(tells.any(axis=1))

    def rows(codes: NDArray[np.int64], z: Float) -> Float:
        total, known = np.zeros(len(z)), codes < kinds
        of = np.where(known, codes, 0)
        for j in columns:
            total += ratio[j][of, np.searchsorted(edges[j], z[:, j])]
        return np.where(known, total, 0.0)

    return rows


def few_edges(column: Float) -> Float:
    """Return what separates the values of a column, or quartiles where there are more values than bins."""
    values = np.unique(column[:1000])
    if len(values) <= _BINS_OF_CATEGORY and len(values := np.unique(column)) <= _BINS_OF_CATEGORY:
        return np.asarray(0.5 * (values[1:] + values[:-1]))
    return np.unique(np.quantile(column, np.linspace(0.0, 1.0, _BINS_OF_CATEGORY + 1)[1:-1]))
