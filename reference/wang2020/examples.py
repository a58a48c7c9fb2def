"""The data domain of wang2020, and a worked instance of it: clients of which one has another row."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dppca.reference.declaration import Example, UnitRows

CLIENTS = UnitRows("n", "p")


def clients_example(rows: ArrayLike, **arguments: Any) -> Example:
    """Return clients' rows, a neighbour in which the first is e_2, and the arguments."""
    data = np.array(rows)
    return Example(data, np.vstack([np.eye(data.shape[1])[1], data[1:]]), MappingProxyType(arguments))
