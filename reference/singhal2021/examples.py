"""Worked instances: points of which most lie in a plane, and rows on a line."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import numpy as np

from dppca.reference.declaration import Example

_POINTS = [[1, 0, 0], [0, 1, 0], [1, 1, 0], [2, 1, 0], [1, 3, 0], [1, -1, 0]]
_LINE = np.outer(np.linspace(-1.0, 1.0, 120), [0.6, 0.8, 0.0])
#: Rows that `approximate_subspace_estimator_unknown_dimension` scores on.
AUXILIARY = _LINE[::12]


def points_example(**arguments: Any) -> Example:
    """Return six points in a plane, a neighbour in which the first is off it, and the arguments."""
    return Example(_POINTS, [[0, 0, 1], *_POINTS[1:]], MappingProxyType(arguments))


def line_example(copies: int, **arguments: Any) -> Example:
    """Return copies of 120 rows on a line, a neighbour in which the first is off it, and the arguments."""
    data = np.vstack([_LINE] * copies)
    return Example(data, np.vstack([[[0.5, -0.5, 0.0]], data[1:]]), MappingProxyType(arguments))
