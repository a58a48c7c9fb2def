"""Bisection: the one search for the point at which a statement about a number begins to hold.

The upper end is a number at which the statement was found to hold, whatever rounding does. The root of a smooth function, for
which the caller grants a margin for rounding, is scipy's `brentq`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeVar

Number = TypeVar("Number")


def middle(low: Any, high: Any) -> Any:
    """Return half the sum: of floats, or of fractions."""
    return (low + high) / 2


def whole_middle(low: int, high: int) -> int:
    """Return half the sum, rounded down."""
    return (low + high) // 2


def geometric_middle(low: float, high: float) -> float:
    """Return the root of the product."""
    return math.sqrt(low * high)


def bisect(
    holds: Callable[[Number], bool],
    low: Number,
    high: Number,
    narrow: Callable[[Number, Number], bool],
    at: Callable[[Number, Number], Number] = middle,
) -> tuple[Number, Number]:
    """Return two numbers between which a statement begins to hold: it does at the second, and not at the first.

    Args:
        holds: whether it holds at a number; once it does, it does for all larger ones.
        low: where it does not hold; this is not tried.
        high: where it holds; this is not tried.
        narrow: whether low and high are close enough.
        at: the number between low and high that is tried next.
    """
    while not narrow(low, high):
        between = at(low, high)
        low, high = (low, between) if holds(between) else (between, high)
    return low, high


def least_positive(
    holds: Callable[[float], bool], start: float, tolerance: float, *, least: float = 0.0, most: float = math.inf
) -> float | None:
    """Return nearly the least number in [least, most] at which a statement holds, relatively; None if it does not at `most`.

    Args:
        holds: whether it holds at a number; once it does, it does for all larger ones.
        start: where the search begins, in [least, most], > 0.
        tolerance: how far above the least one the result may be, relatively.
        least: returned where the statement holds there.
        most: the largest number that is tried.
    """
    high = start
    while not holds(high):
        if high >= most:
            return None
        high = min(2.0 * high, most)
    low = max(high / 2.0, least)
    while low > least and holds(low):
        high, low = low, max(low / 2.0, least)
    if low == least and holds(low):
        return least
    return bisect(holds, low, high, lambda a, b: b <= a * (1.0 + tolerance), geometric_middle)[1]
