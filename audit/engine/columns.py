"""Tuples, lists and dicts that are alike, column by column: what is asked of all of them is asked of a few long lists."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, repeat
from operator import itemgetter
from typing import Any


@dataclass(frozen=True, eq=False)
class Columns(Sequence[Any]):
    """Rows of one form by their parts; as a sequence it is the rows, each made when it is asked for.

    Attributes:
        form: tuple, list or dict, what each row is.
        parts: the parts of all rows, by their place in a tuple or list, by their key in a dict.
        size: the number of rows.
    """

    form: type
    parts: Mapping[Any, Sequence[Any]]
    size: int

    def __len__(self) -> int:
        return self.size

    def __iter__(self) -> Iterator[Any]:
        rows = zip(*self.parts.values(), strict=True) if self.parts else repeat((), self.size)
        if self.form is dict:
            return (dict(zip(self.parts, row, strict=True)) for row in rows)
        return map(self.form, rows)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            parts = {key: part[index] for key, part in self.parts.items()}
            return Columns(self.form, parts, len(range(self.size)[index]))
        return next(iter(self[index : index + 1 or None]))


def in_columns(values: Any) -> Any:
    """Return a list of tuples or lists of one length, or of dicts with the same words as keys in one order, as Columns.

    Anything else is returned as it is.
    """
    if not isinstance(values, list) or not values or not isinstance(values[0], (tuple, list, dict)):
        return values
    first, kinds = values[0], set(map(type, values))
    if kinds == {dict}:
        # no dict has a key twice: if all together have the first one's so many times, each has all of them
        alike = set(map(type, first)) <= {str} and list(chain.from_iterable(values)) == list(first) * len(values)
    else:
        alike = kinds == {list} or all(issubclass(kind, tuple) for kind in kinds)
        alike = alike and len(set(map(len, values))) == 1
    if not alike:
        return values
    form = next(form for form in (tuple, list, dict) if isinstance(first, form))
    parts = {key: list(map(itemgetter(key), values)) for key in (first if form is dict else range(len(first)))}
    return Columns(form, parts, len(values))
