"""Ball arithmetic (Arb, through python-flint): numbers with an error bound, the normal law, and the way back to floats.

Every result is an interval that contains the true value; `dppca.reference.rigour.gaussian` decides inequalities with them.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TypeAlias

from flint import arb, fmpq

ExactNumber: TypeAlias = int | float | Fraction

#: Working precision of one-step masses and of final sums, in bits.
BITS = 256


def ball(x: ExactNumber) -> arb:
    """Return the exact number as a ball (a fraction is rounded to the working precision, with its error)."""
    if isinstance(x, Fraction):
        return arb(fmpq(x.numerator, x.denominator))
    if isinstance(x, float) and not math.isfinite(x):
        raise ValueError(f"x must be finite, got {x!r}")
    return arb(x)


def normal_cdf(x: arb) -> arb:
    """Return an enclosure of Phi(x)."""
    return (-x / arb(2).sqrt()).erfc() / 2


def gaussian_profile(epsilon: arb, mu: arb) -> arb:
    """Return an enclosure of Phi(mu/2 - epsilon/mu) - e^epsilon Phi(-mu/2 - epsilon/mu), for any real epsilon and mu > 0."""
    return normal_cdf(mu / 2 - epsilon / mu) - epsilon.exp() * normal_cdf(-mu / 2 - epsilon / mu)


def upper_float(x: arb) -> float:
    """Return the least float above the whole ball, or one next to it."""
    return _outward(x.upper(), 1)


def lower_float(x: arb) -> float:
    """Return the largest float below the whole ball, or one next to it."""
    return _outward(x.lower(), -1)


def _outward(end: arb, sign: int) -> float:
    value = float(end)
    towards = math.inf if sign > 0 else -math.inf
    while not (sign * (arb(value) - end) >= 0):
        value = math.nextafter(value, towards)
    return value


def to_integer(x: arb, scale: int, *, up: bool) -> int:
    """Return an integer above (below) all of the ball times 2^scale."""
    scaled = x * arb(2) ** scale
    return whole(scaled.upper().ceil() if up else scaled.lower().floor())


def whole(x: arb) -> int:
    """Return the one integer in a ball; ArithmeticError where there is none, or there are several."""
    found = x.unique_fmpz()
    if found is None:
        raise ArithmeticError(f"a ball must hold one integer, got {x}")
    return int(found)
