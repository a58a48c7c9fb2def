"""Small linear algebra in exact fractions, for the checks."""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction

Vector = Sequence[Fraction]
Matrix = Sequence[Sequence[Fraction]]

ONE, ZERO = Fraction(1), Fraction(0)


def vec(*entries: int | str | Fraction) -> list[Fraction]:
    """Return a vector of fractions."""
    return [Fraction(entry) for entry in entries]


def unit(d: int, i: int) -> list[Fraction]:
    """e_i of R^d, i counted from 0."""
    return [ONE if j == i else ZERO for j in range(d)]


def dot(x: Vector, y: Vector) -> Fraction:
    """Return x . y, a fraction."""
    return sum((a * b for a, b in zip(x, y, strict=True)), ZERO)


def combine(a: Fraction | int, x: Vector, b: Fraction | int, y: Vector) -> list[Fraction]:
    """Return a x + b y."""
    return [a * p + b * q for p, q in zip(x, y, strict=True)]


def transpose(M: Matrix) -> list[list[Fraction]]:
    """Return M^T."""
    return [list(column) for column in zip(*M, strict=True)]


def times(A: Matrix, B: Matrix) -> list[list[Fraction]]:
    """Return the product A B."""
    columns = transpose(B)
    return [[dot(row, column) for column in columns] for row in A]


def apply(A: Matrix, x: Vector) -> list[Fraction]:
    """Return the product A x."""
    return [dot(row, x) for row in A]


def minus(A: Matrix, B: Matrix) -> list[list[Fraction]]:
    """Return A - B."""
    return [combine(1, a, -1, b) for a, b in zip(A, B, strict=True)]


def scale(c: Fraction | int, A: Matrix) -> list[list[Fraction]]:
    """Return c A."""
    return [[c * entry for entry in row] for row in A]


def squares(A: Matrix) -> Fraction:
    """Return the squared Frobenius norm."""
    return sum((dot(row, row) for row in A), ZERO)


def outer(x: Vector, y: Vector) -> list[list[Fraction]]:
    """Return x y^T."""
    return [[a * b for b in y] for a in x]


def diagonal(*entries: int | str | Fraction) -> list[list[Fraction]]:
    """Return a diagonal matrix."""
    values = vec(*entries)
    return [[value if i == j else ZERO for j in range(len(values))] for i, value in enumerate(values)]


def identity(d: int) -> list[list[Fraction]]:
    """Return the identity of R^d."""
    return diagonal(*[1] * d)


def second_moment(rows: Matrix) -> list[list[Fraction]]:
    """Return X^T X / n."""
    return scale(Fraction(1, len(rows)), times(transpose(rows), rows))


def random_vector(d: int, source: random.Random) -> list[Fraction]:
    """Return a vector of random fractions."""
    return [Fraction(source.randint(-50, 50), source.randint(1, 50)) for _ in range(d)]


def random_orthogonal(d: int, source: random.Random) -> list[list[Fraction]]:
    """Return a product of d reflections I - 2 w w^T / |w|^2, exactly orthogonal."""
    Q = identity(d)
    for _ in range(d):
        w = random_vector(d, source)
        norm = dot(w, w)
        if norm:
            Q = times(Q, minus(identity(d), scale(2 / norm, outer(w, w))))
    return Q


def random_unit(d: int, source: random.Random) -> list[Fraction]:
    """Return a vector of exact norm 1."""
    return apply(random_orthogonal(d, source), unit(d, 0))
