"""The data of liu2022: matrices A_1, ..., A_n, and the gradients A_i w that the algorithms look at.

A dataset is an array of shape (n, d, d), or of shape (n, d): rows x_i, which stand for A_i = x_i x_i^T.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

#: Bound on the entries of a row; on those of a matrix, its square. Keeps every square below overflow.
LARGEST_ENTRY = 1e60


def check_data(name: str, A: ArrayLike) -> NDArray[np.float64]:
    """A dataset of n >= 1 rows or square matrices as float64.

    Raises:
        ValueError: another shape, an entry that is not finite or too large to be squared safely.
    """
    data = np.asarray(A, dtype=float)
    if data.ndim not in (2, 3) or 0 in data.shape or (data.ndim == 3 and data.shape[1] != data.shape[2]):
        raise ValueError(f"{name} must have shape (n, d) or (n, d, d), all >= 1, got {data.shape}")
    largest = largest_entry(data)
    if not np.max(np.abs(data)) <= largest:
        raise ValueError(f"{name} must be finite with entries of at most {largest:g} in absolute value")
    return data


def largest_entry(data: NDArray[np.float64]) -> float:
    """The bound on the entries of a dataset of rows or of matrices."""
    return LARGEST_ENTRY if data.ndim == 2 else LARGEST_ENTRY**2


def gradients(A: NDArray[np.float64], W: NDArray[np.float64]) -> NDArray[np.float64]:
    """A_i W for every i, shape (n, *W.shape), for W of shape (d,) or (d, r)."""
    if A.ndim == 3:
        return np.asarray(A @ W)
    products = A @ W
    return np.asarray(A[:, :, np.newaxis] * products[:, np.newaxis, :] if W.ndim == 2 else A * products[:, np.newaxis])


def clip(g: NDArray[np.float64], beta: float) -> NDArray[np.float64]:
    """clip_beta of every row: g min(1, beta / ||g||), 0 where g = 0; shape (n, d)."""
    norms = np.linalg.norm(g, axis=1, keepdims=True)
    return np.asarray(np.where(norms > beta, g * (beta / np.maximum(norms, beta)), g))


def normalise(w: NDArray[np.float64]) -> NDArray[np.float64]:
    """w / ||w||; ValueError for a w that is 0 or not finite."""
    largest = float(np.max(np.abs(w)))
    if not 0.0 < largest < math.inf:
        raise ValueError(f"the iterate must be finite and not 0, got {w!r}")
    scaled = np.ldexp(w, -math.frexp(largest)[1])  # exact, and keeps the squares in range
    return np.asarray(scaled / np.linalg.norm(scaled))
