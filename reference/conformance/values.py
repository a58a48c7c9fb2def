"""Values as JSON: what is exact stays exact, computed floats are rounded to `DIGITS` significant digits.

Rounding is what makes the files the same on machines whose linear algebra differs in the last bits. An array is rounded
as a whole, at the size of its largest entry, and nothing below 10^-`DECIMALS` is kept.
"""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

DIGITS = 10
DECIMALS = 13
#: Fields of calibrations that are text, readings, proofs or parameters of the case, not values.
NO_VALUES = frozenset({"choices", "assumptions", "conditions", "sizes", "certificate"})


def encode(value: Any) -> Any:
    """Return a value as a JSON tree of None, bool, int, rounded float, str, list and dict.

    A dataclass becomes an object of its fields, a mapping with other keys than strings a sorted
    list of pairs, a Fraction that is no integer a float. TypeError for anything else, and for numbers that are not finite.
    """
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, Fraction):
        return int(value) if value.denominator == 1 else encode(float(value))
    if isinstance(value, (tuple, list)):
        return [encode(entry) for entry in value]
    if isinstance(value, Mapping) or dataclasses.is_dataclass(value):
        return _object(value)
    return _array(np.asarray(value))


def _object(value: Any) -> Any:
    if isinstance(value, Mapping):
        if all(isinstance(key, str) for key in value):
            return {key: encode(entry) for key, entry in value.items()}
        return sorted(([encode(key), encode(entry)] for key, entry in value.items()), key=json.dumps)
    fields = [field.name for field in dataclasses.fields(value) if field.name not in NO_VALUES]
    return {name: encode(getattr(value, name)) for name in fields}


def _array(array: NDArray[Any]) -> Any:
    if array.dtype.kind in "biu":
        return array.tolist()
    if array.dtype.kind != "f" or not np.isfinite(array).all():
        raise TypeError(f"value must be made of finite numbers, got {array!r}")
    largest = float(np.max(np.abs(array), initial=0.0))
    decimals = DECIMALS if largest == 0.0 else min(DECIMALS, DIGITS - 1 - math.floor(math.log10(largest)))
    return (np.round(array, decimals) + 0.0).tolist()  # -0.0 becomes 0.0
