"""The data domain of the baselines and of shang2021, and a worked instance of it."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import numpy as np

from dppca.reference.declaration import Example, UnitRows

ROWS = UnitRows("n", "d")
_X = np.array([[1.0, 0.0, 0.0], [0.6, 0.8, 0.0], [0.0, 0.5, 0.5]])


def rows_example(**arguments: Any) -> Example:
    """Return three rows, a neighbour in which the first is another one, and the arguments."""
    return Example(_X, np.vstack([[[0.0, 1.0, 0.0]], _X[1:]]), MappingProxyType(arguments))
