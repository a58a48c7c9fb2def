"""Exact subspaces of Q^d: every rank and membership decision is integer arithmetic.

A subspace has one representation: the reduced row echelon form of any basis, each row scaled to the integer
vector with greatest common divisor 1 and positive pivot. Two subspaces are equal exactly when these rows are.
Floats are refused: whether a rounded point lies in a subspace is for the caller to say, e.g. with Fraction(x).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable
from dataclasses import dataclass
from numbers import Rational
from typing import Any, ClassVar, TypeAlias

from dppca.reference.declaration import Domain
from dppca.reference.rigour.validation import shown

Vector: TypeAlias = tuple[int, ...]


@dataclass(frozen=True, order=True)
class RationalSubspace:
    """A subspace of Q^ambient by its canonical rows; `x in s` is exact membership."""

    ambient: int
    rows: tuple[Vector, ...]

    @property
    def dimension(self) -> int:
        """Return the number of canonical rows."""
        return len(self.rows)

    def __contains__(self, x: Vector) -> bool:
        for row in self.rows:
            column = next(i for i, entry in enumerate(row) if entry)
            if x[column]:  # a handful of rows: the entries stay short without a common divisor taken out
                x = _combined(x, row, column)
        return not any(x)


def span(vectors: Iterable[Vector], ambient: int) -> RationalSubspace:
    """Return the subspace that integer vectors of length `ambient` span; {0} if there are none."""
    return _span(tuple(vectors), ambient)


@functools.lru_cache(maxsize=4096)
def _span(vectors: tuple[Vector, ...], ambient: int) -> RationalSubspace:
    """Return `span`, which runs on the same rows ask for again and again."""
    pending = [vector for vector in vectors if any(vector)]
    basis: list[Vector] = []
    for column in range(ambient):
        pivot = next((vector for vector in pending if vector[column]), None)
        if pivot is None:
            continue
        basis = [_eliminated(row, pivot, column) for row in basis] + [pivot]
        reduced = [_eliminated(vector, pivot, column) for vector in pending]
        pending = [vector for vector in reduced if any(vector)]
    return RationalSubspace(ambient, tuple(primitive(row) for row in basis))


def rank(vectors: Iterable[Vector], ambient: int) -> int:
    """Return the dimension of the span."""
    return span(vectors, ambient).dimension


def primitive(vector: Vector) -> Vector:
    """Return the integer vector on the same line with greatest common divisor 1 and positive first entry; 0 stays 0."""
    divisor = math.gcd(*vector)
    if divisor == 0:
        return vector
    first = next(entry for entry in vector if entry)
    return tuple(entry // (divisor if first > 0 else -divisor) for entry in vector)


def exact_rows(name: str, X: Iterable[Iterable[Any]]) -> tuple[Vector, ...]:
    """Return rows of integers or fractions as primitive integer vectors: the lines they span are the same.

    Raises:
        ValueError: no rows, rows of unequal or zero length, or an entry that is not an integer or fraction.
    """
    rows = []
    for i, row in enumerate(_listed(name, X, "rows")):
        entries = _listed(f"{name}[{i}]", row, "integers or Fractions")
        refused = next(((j, entry) for j, entry in enumerate(entries) if not isinstance(entry, Rational)), None)
        if refused is not None:
            j, entry = refused
            raise ValueError(
                f"{name}[{i}][{j}] must be an integer or a Fraction, got {type(entry).__name__} {shown(entry)}; "
                "convert it explicitly, e.g. with Fraction"
            )
        denominator = math.lcm(*(int(entry.denominator) for entry in entries))
        rows.append(primitive(tuple(int(entry.numerator) * (denominator // int(entry.denominator)) for entry in entries)))
    lengths = {len(row) for row in rows}
    if len(lengths) != 1 or 0 in lengths:
        raise ValueError(f"{name} must have at least one row, all of one length >= 1, got lengths {sorted(lengths)}")
    return tuple(rows)


def _listed(name: str, values: Any, of: str) -> list[Any]:
    """Return what an iterable holds; ValueError for anything else, text included."""
    if not isinstance(values, Iterable) or isinstance(values, (str, bytes)):
        raise ValueError(f"{name} must be a list of {of}, got {shown(values)}")  # noqa: TRY004 - every refusal is a ValueError
    try:
        return list(values)
    except TypeError:  # of an array without dimensions
        raise ValueError(f"{name} must be a list of {of}, got {shown(values)}") from None


@dataclass(frozen=True)
class ExactRows(Domain):
    """The domain of n rows of d integers or fractions, taken as primitive integer vectors."""

    accepts: ClassVar[str] = "rows of integers or Fractions; floats are refused"
    refuses: ClassVar[str] = "a row with an entry that is no integer and no Fraction"

    @property
    def sizes(self) -> tuple[str, ...]:
        """Return the names of the number of rows and of columns."""
        return ("n", "d")

    def check(self, name: str, data: Any) -> tuple[tuple[Vector, ...], tuple[int, ...]]:
        """Return the rows and (n, d); ValueError as `exact_rows`."""
        rows = exact_rows(name, data)
        return rows, (len(rows), len(rows[0]))


def _eliminated(row: Vector, pivot: Vector, column: int) -> Vector:
    """Return a multiple of `row` plus a multiple of `pivot` that is zero in `column`; its entries have no common divisor."""
    return primitive(_combined(row, pivot, column)) if row[column] else row


def _combined(row: Vector, pivot: Vector, column: int) -> Vector:
    scale, factor = pivot[column], row[column]
    return tuple(scale * a - factor * b for a, b in zip(row, pivot, strict=True))
