"""Rounding outwards: what a calibration returns is rounded towards more noise, whatever its formula gives in floats."""

from __future__ import annotations

import math
from fractions import Fraction

#: A closed form of a few operations, each within a few units in the last place, is exceeded after multiplication by this:
#: noise, supports and thresholds are rounded up. Divided by it, what a part may spend is rounded down.
OUTWARDS = 1.0 + 2.0**-46


def divide_up(numerator: float | Fraction, denominator: float | Fraction) -> float:
    """Return the least float that is at least the exact quotient, denominator > 0: for scales."""
    exact = Fraction(numerator) / Fraction(denominator)
    nearest = float(exact)
    return nearest if nearest >= exact else math.nextafter(nearest, math.inf)


def divide_down(numerator: float | Fraction, denominator: float | Fraction) -> float:
    """Return the largest float that is at most the exact quotient, denominator > 0: for multipliers and shares."""
    return -divide_up(-Fraction(numerator), denominator)
