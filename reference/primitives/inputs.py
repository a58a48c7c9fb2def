"""Input checks on top of `validation` that several algorithms share."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dppca.reference.primitives.validation import check_rows, check_unit_ball


def check_unit_rows(name: str, X: ArrayLike) -> NDArray[np.float64]:
    """A finite (n, d) matrix whose rows lie in the unit ball, as float64; ValueError otherwise."""
    rows = check_rows(name, X)
    for i, row in enumerate(rows):
        check_unit_ball(f"{name}[{i}]", row)
    return rows


def check_count(name: str, value: Any) -> int:
    """An integer >= 1; ValueError otherwise."""
    try:
        count = operator.index(value)
    except TypeError:
        raise ValueError(f"{name} must be an integer >= 1, got {value!r}") from None
    if count < 1:
        raise ValueError(f"{name} must be >= 1, got {value!r}")
    return count
