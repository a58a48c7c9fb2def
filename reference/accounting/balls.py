"""Ball arithmetic through python-flint, which only certificates need."""

from __future__ import annotations

import math
from fractions import Fraction
from importlib import import_module
from typing import Any

#: Working precision of one-step masses and of final sums, in bits.
BITS = 256


def flint() -> Any:
    """Return the module `flint`; ImportError with what to do where it is absent."""
    try:
        return import_module("flint")
    except ImportError as error:  # pragma: no cover - depends on the installation
        raise ImportError("a certificate needs ball arithmetic: install python-flint; float accounts do without") from error


def ball(x: float | Fraction) -> Any:
    """Return a ball around the number; a float is exact."""
    module = flint()
    if isinstance(x, Fraction):
        return module.arb(module.fmpq(x.numerator, x.denominator))
    return module.arb(x)


def normal_cdf(x: Any) -> Any:
    """Return a ball around Phi(x)."""
    return (-x / flint().arb(2).sqrt()).erfc() / 2


def gaussian_profile(epsilon: Any, mu: Any) -> Any:
    """Return a ball around Phi(mu/2 - epsilon/mu) - e^epsilon Phi(-mu/2 - epsilon/mu), any real epsilon, mu > 0."""
    return normal_cdf(mu / 2 - epsilon / mu) - epsilon.exp() * normal_cdf(-mu / 2 - epsilon / mu)


def upper_float(x: Any) -> float:
    """Return the least float above the whole ball, or one next to it."""
    return _outward(x.upper(), 1)


def lower_float(x: Any) -> float:
    """Return the largest float below the whole ball, or one next to it."""
    return _outward(x.lower(), -1)


def _outward(end: Any, sign: int) -> float:
    value = float(end)
    towards = math.inf if sign > 0 else -math.inf
    while not (sign * (flint().arb(value) - end) >= 0):
        value = math.nextafter(value, towards)
    return value


def to_integer(x: Any, scale: int, *, up: bool) -> int:
    """Return an integer above (below) all of the ball times 2^scale."""
    scaled = x * flint().arb(2) ** scale
    return int((scaled.upper().ceil() if up else scaled.lower().floor()).unique_fmpz())
