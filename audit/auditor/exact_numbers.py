"""Numbers of any kind as float64, without rounding: the nearest float64, the float64 nearest to what it lacks, and the rest."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Float: TypeAlias = NDArray[np.float64]

#: Larger integers are not exact as float64.
EXACT_INTEGER_MAX = 2**53
#: A decimal number is beyond all float64, or nearer to 0 than all, where it has more digits before or after its point.
FAR_DECIMAL = 400
_FLOATS = {float, bool, np.float64, np.float32, np.float16, np.bool_}


def split(numbers: Any) -> tuple[Float, Float | None, dict[int, Any]]:
    """Return numbers (a matrix or scalars) as float64 and what that lacks: a second float64, and by row what both lack.

    A negative zero lacks -1.
    """
    if not isinstance(numbers, np.ndarray):
        kinds = set(map(type, numbers))
        if not kinds <= _FLOATS and not (
            all(issubclass(kind, (*_FLOATS, int, np.integer)) for kind in kinds)
            and all(abs(int(x)) <= EXACT_INTEGER_MAX for x in numbers if isinstance(x, (int, np.integer)))
        ):
            return _split_exactly([[value] for value in numbers], 1)
        numbers = np.array(list(map(float, numbers)))[:, np.newaxis]
    wide = numbers.dtype.itemsize > np.dtype(np.float64).itemsize
    ends = (int(numbers.max(initial=0)), int(numbers.min(initial=0))) if numbers.dtype.kind in "iu" else ()
    if wide or any(abs(end) > EXACT_INTEGER_MAX for end in ends):
        return _split_exactly(list(map(list, numbers)) if wide else numbers.tolist(), numbers.shape[1])
    high = np.asarray(numbers, dtype=np.float64)
    if numbers.dtype.kind != "f" or not (negative := np.signbit(high) & (high == 0.0)).any():
        return high, None, {}
    return high + 0.0, -negative.astype(np.float64), {}


def _split_exactly(rows: Sequence[Sequence[Any]], columns: int) -> tuple[Float, Float, dict[int, Any]]:
    high = np.zeros((len(rows), columns))
    low = np.zeros_like(high)
    rest: dict[int, Any] = {}
    for i, row in enumerate(rows):
        for j, value in enumerate(row):
            high[i, j], low[i, j], lacking = _split_number(value)
            if lacking is not None:
                rest[i] = (*rest.get(i, ()), (j, lacking))
    return high, low, rest


def _split_number(value: Any) -> tuple[float, float, Any]:
    finite = value.is_finite() if isinstance(value, Decimal) else isinstance(value, (int, Fraction)) or np.isfinite(value)
    if not finite:
        return (float("nan") if isinstance(value, Decimal) and value.is_snan() else float(value)), 0.0, None
    if value == 0 and isinstance(value, (float, np.floating, Decimal)) and np.signbit(float(value)):
        return 0.0, -1.0, None
    if isinstance(value, Decimal) and value and abs(value.adjusted()) > FAR_DECIMAL:  # its ratio may have a million digits
        return (0.0 if value.adjusted() < 0 else float("nan")), 0.0, value
    exact = Fraction(int(value)) if isinstance(value, (int, np.integer, np.bool_)) else Fraction(*value.as_integer_ratio())
    try:
        high = float(exact)
    except OverflowError:
        return float("nan"), 0.0, exact
    low = float(exact - Fraction(high))
    lacking = exact - Fraction(high) - Fraction(low)
    return high, low, lacking or None
