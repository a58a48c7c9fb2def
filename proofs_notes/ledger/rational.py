"""Vectors and matrices of exact fractions for the checks: numpy's arrays of objects, whose every operation is exact.

What needs elimination is python-flint's.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from flint import fmpq, fmpq_mat
from numpy.typing import NDArray

Vector = NDArray[Any]
Matrix = NDArray[Any]

ONE, ZERO, HALF, QUARTER = Fraction(1), Fraction(0), Fraction(1, 2), Fraction(1, 4)


def vec(*entries: int | str | Fraction) -> Vector:
    """Return a vector of fractions."""
    return np.array([Fraction(entry) for entry in entries], dtype=object)


def matrix(rows: Sequence[Sequence[int | Fraction] | Vector]) -> Matrix:
    """Return a matrix of fractions."""
    return np.array([vec(*row) for row in rows], dtype=object)


def unit(d: int, i: int) -> Vector:
    """e_i of R^d, i counted from 0."""
    return identity(d)[i]


def squares(A: Matrix) -> Fraction:
    """Return the squared Frobenius norm."""
    return sum((entry**2 for entry in np.ravel(A)), ZERO)


def diagonal(*entries: int | str | Fraction) -> Matrix:
    """Return a diagonal matrix."""
    return np.where(np.eye(len(entries), dtype=bool), vec(*entries), ZERO)


def identity(d: int) -> Matrix:
    """Return the identity of R^d."""
    return diagonal(*[1] * d)


def second_moment(rows: Sequence[Vector] | Matrix) -> Matrix:
    """Return X^T X / n."""
    X = matrix(rows)
    return X.T @ X / Fraction(len(X))


def inverse(A: Matrix) -> Matrix:
    """Return the inverse of an invertible matrix."""
    return matrix([[Fraction(int(entry.p), int(entry.q)) for entry in row] for row in _flint(A).inv().tolist()])


def determinant(A: Matrix) -> Fraction:
    """Return the determinant."""
    found = _flint(A).det()
    return Fraction(int(found.p), int(found.q))


def rank(A: Matrix) -> int:
    """Return the rank."""
    return int(_flint(A).rank())


def _flint(A: Matrix) -> fmpq_mat:
    """Return the same matrix in python-flint."""
    return fmpq_mat(*A.shape, [fmpq(entry.numerator, entry.denominator) for entry in np.ravel(A)])


def near(found: Any, exact: Any, error: float = 1e-12) -> bool:
    """Return whether each float is this close to its exact entry: float and error as the rational numbers that they are."""
    entries = zip(np.ravel(found), np.ravel(exact), strict=True)
    return np.shape(found) == np.shape(exact) and all(abs(Fraction(float(x)) - y) <= Fraction(error) for x, y in entries)


def random_vector(d: int, source: random.Random) -> Vector:
    """Return a vector of random fractions."""
    return vec(*(Fraction(source.randint(-50, 50), source.randint(1, 50)) for _ in range(d)))


def random_matrix(rows: int, columns: int, source: random.Random) -> Matrix:
    """Return a matrix of random fractions."""
    return matrix([random_vector(columns, source) for _ in range(rows)])


def random_orthogonal(d: int, source: random.Random) -> Matrix:
    """Return a product of d reflections I - 2 w w^T / |w|^2, exactly orthogonal."""
    Q = identity(d)
    for _ in range(d):
        w = random_vector(d, source)
        norm = w @ w
        if norm:
            Q = Q @ (identity(d) - 2 / norm * np.outer(w, w))
    return Q


def random_unit(d: int, source: random.Random) -> Vector:
    """Return a vector of exact norm 1."""
    return random_orthogonal(d, source)[:, 0]
