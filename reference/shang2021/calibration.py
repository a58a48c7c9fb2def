"""What the calibrations of both algorithms return."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from dppca.reference.conditions import Condition

#: `smallest_std` overshoots the smallest sufficient standard deviation by at most this relative amount.
STD_TOLERANCE = 1e-3


@dataclass(frozen=True)
class NoiseCalibration:
    """The noise of one noisy gradient.

    `std` is lambda, per coordinate; `steps` the number of noisy gradients in all (T, or T m); `gradient_factor`
    the c in grad f_i(v) = -c x_i x_i^T v; `sensitivity` the largest L2 change of a gradient, index and iterates
    held fixed, when the row that it uses is replaced; `conditions` what the theorem asks for (empty where the noise
    comes from the account).
    """

    epsilon: float
    delta: float
    n: int
    k: int
    steps: int
    gradient_factor: float
    std: float
    sensitivity: float
    formula: str
    conditions: tuple[Condition, ...]
    assumptions: tuple[str, ...]

    @property
    def conditions_hold(self) -> bool:
        """Whether every condition of the theorem holds."""
        return all(condition.holds for condition in self.conditions)


def smallest_std(delta_at: Callable[[float], float], delta: float, start: float, least: float) -> float:
    """A standard deviation at which `delta_at` (decreasing) is <= delta, at most 1e-3 relative above the smallest.

    Args:
        delta_at: an upper bound on delta at the target epsilon, for a standard deviation.
        delta: the target.
        start: where the search begins, >= least.
        least: > 0; no smaller one is tried, and this one is returned if it is enough.
    """
    high = start
    while delta_at(high) > delta:
        high *= 2.0
    low = max(high / 2.0, least)
    while delta_at(low) <= delta:
        if low == least:
            return least
        high, low = low, max(low / 2.0, least)
    while high > low * (1.0 + STD_TOLERANCE):
        middle = math.sqrt(low * high)
        if delta_at(middle) <= delta:
            high = middle
        else:
            low = middle
    return high
