"""The data of liu2022: matrices A_1, ..., A_n, and the gradients A_i w that the algorithms look at."""

from __future__ import annotations

import math
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dppca.reference.declaration import Domain, Example
from dppca.reference.rigour.validation import as_floats

#: Bound on the entries of a row; on those of a matrix, its square. Keeps every square below overflow.
LARGEST_ENTRY = 1e60


def check_data(name: str, A: ArrayLike) -> NDArray[np.float64]:
    """Return a dataset of n >= 1 rows or square matrices as float64.

    Raises:
        ValueError: another shape, an entry that is not finite or too large to be squared safely.
    """
    data = as_floats(name, A)
    if data.ndim not in (2, 3) or 0 in data.shape or (data.ndim == 3 and data.shape[1] != data.shape[2]):
        raise ValueError(f"{name} must have shape (n, d) or (n, d, d), all >= 1, got {data.shape}")
    largest = largest_entry(data)
    if not np.max(np.abs(data)) <= largest:
        raise ValueError(f"{name} must be finite with entries of at most {largest:g} in absolute value")
    return data


def largest_entry(data: NDArray[np.float64]) -> float:
    """Return the bound on the entries of a dataset of rows or of matrices."""
    return LARGEST_ENTRY if data.ndim == 2 else LARGEST_ENTRY**2


@dataclass(frozen=True)
class RealRecords(Domain):
    """The domain of matrices A_1, ..., A_n, shape (n, d, d), or rows x_i that stand for x_i x_i^T, shape (n, d); as float64."""

    accepts: ClassVar[str] = "matrices A_i, or rows x_i that stand for x_i x_i^T"
    refuses: ClassVar[str] = (
        f"a record with an entry that is not finite, or beyond {LARGEST_ENTRY:g} in absolute value "
        f"({LARGEST_ENTRY**2:g} in a matrix)"
    )

    @property
    def sizes(self) -> tuple[str, ...]:
        """Return the names of the number of records and of columns."""
        return ("n", "d")

    def check(self, name: str, data: Any) -> tuple[Any, tuple[int, ...]]:
        """Return the dataset, and n and d."""
        records = check_data(name, data)
        return records, records.shape[:2]


RECORDS = RealRecords()
_ROWS = np.array([[1.0, 0.0], [0.6, 0.8], [0.0, 0.5], [2.0, 1.0], [-1.0, 0.3], [0.0, 0.0]])
#: Two batches of 320 records; every pair has the same difference, as Algorithm 4 hopes for.
_BATCHES = np.tile([[1.0, 0.1], [1.0, -0.1]], (320, 1))


def rows_example(**arguments: Any) -> Example:
    """Return six rows, a neighbour in which the first is another one, and the arguments."""
    return Example(_ROWS, np.vstack([[[0.0, 9.0]], _ROWS[1:]]), MappingProxyType(arguments))


def batches_example(**arguments: Any) -> Example:
    """Return two batches of rows, a neighbour in which the first is another one, and the arguments."""
    return Example(_BATCHES, np.vstack([[[0.0, 9.0]], _BATCHES[1:]]), MappingProxyType(arguments))


def gradients(A: NDArray[np.float64], W: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return A_i W for every i, shape (n, *W.shape), for W of shape (d,) or (d, r)."""
    if A.ndim == 3:
        return np.asarray(A @ W)
    products = A @ W
    return np.asarray(A[:, :, np.newaxis] * products[:, np.newaxis, :] if W.ndim == 2 else A * products[:, np.newaxis])


def clip(g: NDArray[np.float64], beta: float) -> NDArray[np.float64]:
    """Return clip_beta of every row: g min(1, beta / ||g||), 0 where g = 0; shape (n, d)."""
    norms = np.linalg.norm(g, axis=1, keepdims=True)
    return np.asarray(np.where(norms > beta, g * (beta / np.maximum(norms, beta)), g))


def normalise(w: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return w / ||w||; ValueError for a w that is 0 or not finite."""
    largest = float(np.max(np.abs(w)))
    if not 0.0 < largest < math.inf:
        raise ValueError(f"the iterate must be finite and not 0, got {w!r}")
    scaled = np.ldexp(w, -math.frexp(largest)[1])  # exact, and keeps the squares in range
    return np.asarray(scaled / np.linalg.norm(scaled))
