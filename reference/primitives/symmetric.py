"""Symmetric matrices as vectors of their upper triangle (diagonal included), row by row."""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray


def upper_triangle(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the entries on and above the diagonal of a (p, p) matrix, shape (p (p + 1) / 2,)."""
    return matrix[_places(matrix.shape[0])]


def symmetric_matrix(upper: NDArray[np.float64], p: int) -> NDArray[np.float64]:
    """Return the symmetric (p, p) matrix with this upper triangle."""
    if upper.shape != (p * (p + 1) // 2,):
        raise ValueError(f"upper must have shape ({p * (p + 1) // 2},) for p = {p}, got {upper.shape}")
    matrix = np.zeros((p, p))
    matrix[_places(p)] = upper
    matrix.T[_places(p)] = upper
    return matrix


@functools.lru_cache(maxsize=16)
def _places(p: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the rows and columns of the entries on and above the diagonal of a (p, p) matrix."""
    rows, columns = np.triu_indices(p)
    rows.flags.writeable = columns.flags.writeable = False
    return rows, columns
