"""Outputs as collections of members, whatever their places: how often an output has each value, and how many of it are equal.

Members are the numbers of an output, its labels, or its rows. So the keys of a dict, the words of a list, the edges of a graph
and what is missing are counted, which no single column shows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from dppca.audit.auditor.outputs import Outputs

Float: TypeAlias = NDArray[np.float64]
Codes: TypeAlias = Callable[[Outputs], NDArray[np.int64]]

#: Values that are counted one by one, at most, members of an output, and the largest groups of equal ones whose sizes are told.
_MAX_VALUES, _MAX_MEMBERS, _SIZES = 64, 200, 4


@dataclass(frozen=True)
class Members:
    """The members of outputs, and what is counted of them.

    Attributes:
        name: what they are.
        codes: a number for the value of each member, shape (outputs, members); -1 where there is none.
        values: the numbers of the values that are counted one by one, in increasing order.
    """

    name: str
    codes: Codes
    values: NDArray[np.int64]

    def __call__(self, outputs: Outputs) -> Float:
        """Return how many members there are, how many values they have, the sizes of the largest groups, and of each value."""
        codes = self.codes(outputs)
        ordered = np.sort(codes, axis=1)
        first = np.column_stack([np.ones(len(ordered), dtype=bool), np.diff(ordered, axis=1) != 0]) & (ordered >= 0)
        group = np.cumsum(first, axis=1) - 1
        members = codes.shape[1]
        sizes = _counted(np.where(ordered >= 0, group, -1), members)
        largest = -np.sort(-sizes, axis=1)[:, :_SIZES]
        parts = [sizes.sum(axis=1)[:, np.newaxis], first.sum(axis=1)[:, np.newaxis], largest]
        if len(self.values):
            place = np.minimum(np.searchsorted(self.values, codes), len(self.values) - 1)
            parts.append(_counted(np.where(self.values[place] == codes, place, -1), len(self.values)))
        return np.column_stack(parts).astype(np.float64)


def _counted(codes: NDArray[np.int64], kinds: int) -> NDArray[np.int64]:
    """Return how often each row has each of the numbers below `kinds`; negative ones are not counted."""
    there = codes >= 0
    cells = (np.arange(len(codes))[:, np.newaxis] * kinds + codes)[there]
    return np.bincount(cells, minlength=len(codes) * kinds).reshape(len(codes), kinds)


def members(data: Outputs, neighbour: Outputs) -> Iterator[Members]:
    """Yield what outputs are collections of: numbers, labels, rows; those of which some are equal."""
    found: dict[str, Codes] = {}
    if data.numbers.shape[1] > 2:
        found["numbers"] = _of_numbers
    if len(data.marks) > 3:
        found["labels"] = _of_labels(data, neighbour)
    if (rows := data.kind.rows) is not None and rows.shape[1] > 1:
        found["rows"] = _of_rows(rows)
    for name, codes in found.items():
        both = np.concatenate([codes(outputs) for outputs in (data, neighbour)])
        if both.shape[1] > _MAX_MEMBERS:
            continue
        ordered = np.sort(both, axis=1)
        if np.any((np.diff(ordered, axis=1) == 0) & (ordered[:, 1:] >= 0)) or both.min(initial=0) < 0:
            values = np.unique(both[both >= 0])
            yield Members(name, codes, values if len(values) <= _MAX_VALUES else values[:0])


def _of_numbers(outputs: Outputs) -> NDArray[np.int64]:
    return _words(outputs.numbers + 0.0)  # -0.0 is 0.0


def _of_labels(data: Outputs, neighbour: Outputs) -> Codes:
    parts = range(len(data.marks) - 1)
    labels = (label for outputs in (data, neighbour) for part in parts for label in outputs.distinct(part)[0])
    known = {"": -1} | {label: place for place, label in enumerate(dict.fromkeys(label for label in labels if label != ""))}

    def codes(outputs: Outputs) -> NDArray[np.int64]:
        numbers, columns = dict(known), []  # labels that are not known have further numbers, equal for equal ones
        for part in parts:
            distinct, of = outputs.distinct(part)
            columns.append(np.array([numbers.setdefault(label, len(numbers)) for label in distinct])[of])
        return np.column_stack(columns)

    return codes


def _of_rows(rows: NDArray[np.int64]) -> Codes:
    factors = np.random.default_rng(0).integers(1, 2**62, rows.shape[1]) | 1

    def codes(outputs: Outputs) -> NDArray[np.int64]:
        parts = outputs.numbers[:, rows.reshape(-1)].reshape(-1, *rows.shape) + 0.0
        mixed = _words(parts)
        found = ((mixed ^ (mixed >> 29)) * factors).sum(axis=2)
        return np.where(np.isnan(parts).all(axis=2), -1, (found ^ (found >> 31)) & np.iinfo(np.int64).max)

    return codes


def _words(numbers: Float) -> NDArray[np.int64]:
    """Return a whole number for each number, which all have that differ in their last bit at most; -1 for a missing one."""
    bits = np.ascontiguousarray(numbers).view(np.uint64) >> np.uint64(1)
    return np.where(np.isnan(numbers), -1, bits.astype(np.int64))
