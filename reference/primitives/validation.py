"""Input checks. Every error names the argument, the requirement and the value."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

#: A row's norm may exceed 1 by rounding only.
NORM_SLACK = 1e-12
#: A closed form of a few operations, each within a few units in the last place, is exceeded after multiplication by this:
#: noise, supports and thresholds are rounded up.
OUTWARDS = 1.0 + 2.0**-46


def check_epsilon(epsilon: float) -> float:
    """A finite epsilon > 0; ValueError otherwise."""
    if not 0.0 < epsilon < math.inf:
        raise ValueError(f"epsilon must be finite and > 0, got {epsilon!r}")
    return float(epsilon)


def check_delta(delta: float, *, allow_zero: bool = False) -> float:
    """A delta in (0, 1), or in [0, 1) if zero is allowed; ValueError otherwise."""
    if allow_zero and delta == 0.0:
        return 0.0
    if not 0.0 < delta < 1.0:
        raise ValueError(f"delta must be in {'[0' if allow_zero else '(0'}, 1), got {delta!r}")
    return float(delta)


def check_failure_probability(zeta: float) -> float:
    """A zeta in (0, 1); ValueError otherwise."""
    if not 0.0 < zeta < 1.0:
        raise ValueError(f"zeta must be in (0, 1), got {zeta!r}")
    return float(zeta)


def check_positive(name: str, value: float) -> float:
    """A finite number > 0; ValueError otherwise."""
    if not 0.0 < value < math.inf:
        raise ValueError(f"{name} must be finite and > 0, got {value!r}")
    return float(value)


def check_vector(name: str, x: ArrayLike) -> NDArray[np.float64]:
    """A finite vector of at least one entry as float64, shape (p,); ValueError otherwise."""
    array = np.asarray(x, dtype=np.float64)
    if array.ndim != 1 or array.size == 0:
        raise ValueError(f"{name} must be a vector of at least one entry, got shape {array.shape}")
    return _finite(name, array)


def check_rows(name: str, X: ArrayLike) -> NDArray[np.float64]:
    """A finite matrix of at least one row and one column as float64, shape (n, p); ValueError otherwise."""
    array = np.asarray(X, dtype=np.float64)
    if array.ndim != 2 or 0 in array.shape:
        raise ValueError(f"{name} must be a matrix with at least one row and one column, got shape {array.shape}")
    return _finite(name, array)


def check_unit_ball(name: str, x: NDArray[np.float64]) -> NDArray[np.float64]:
    """A vector of Euclidean norm <= 1; ValueError otherwise."""
    norm = float(np.linalg.norm(x))
    if norm > 1.0 + NORM_SLACK:
        raise ValueError(f"{name} must lie in the unit ball, got norm {norm!r}; clip it with clip_to_unit_ball")
    return x


def check_subspace_dimension(k: Any, p: int) -> int:
    """An integer k in 1..p; ValueError otherwise."""
    try:
        value = operator.index(k)
    except TypeError:
        raise ValueError(f"k must be an integer in 1..{p}, got {k!r}") from None
    if not 1 <= value <= p:
        raise ValueError(f"k must be in 1..{p}, got {k!r}")
    return value


def _finite(name: str, array: NDArray[np.float64]) -> NDArray[np.float64]:
    if not np.isfinite(array).all():
        index = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise ValueError(f"{name} must be finite, got {array[index]!r} at index {index}")
    return array
