"""Whether two outputs of an algorithm are the same."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np


def same_output(one: Any, other: Any) -> bool:
    """Return whether two outputs are the same, those with fields field by field; nan equals nan, a list equals no array."""
    if type(one) is not type(other):
        return False
    if dataclasses.is_dataclass(one):
        return all(same_output(getattr(one, f.name), getattr(other, f.name)) for f in dataclasses.fields(one))
    if isinstance(one, np.ndarray):
        return bool(np.array_equal(one, other, equal_nan=True))
    return bool(one == other)
