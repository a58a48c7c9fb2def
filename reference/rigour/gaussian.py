"""Decisions that rest on balls: whether Gaussian noise is enough, and the number from which on it is not.

An inequality between balls (`dppca.reference.rigour.balls`) is either proved, refuted, or undecided at the current precision;
`decide` raises the precision until it is one of the first two.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import TypeAlias

from flint import arb, ctx

from dppca.reference.rigour.balls import ExactNumber, ball, gaussian_profile, normal_cdf
from dppca.reference.rigour.bisection import bisect

__all__ = [
    "MAX_BITS",
    "MIN_BITS",
    "Enclosure",
    "ExactNumber",
    "UndecidedError",
    "ball",
    "classical_std",
    "composed_mu",
    "decide",
    "gaussian_holds",
    "gaussian_profile",
    "normal_cdf",
    "threshold",
]

Enclosure: TypeAlias = Callable[[], arb]

#: Bits at which `decide` starts and stops.
MIN_BITS, MAX_BITS = 64, 8192


class UndecidedError(ArithmeticError):
    """The error where two numbers could not be distinguished at MAX_BITS bits; they may be equal."""


def composed_mu(mus: Iterable[arb]) -> arb:
    """Return an enclosure of the mu of a composition of Gaussian releases."""
    return sum((mu * mu for mu in mus), arb(0)).sqrt()


def classical_std(epsilon: arb, delta: arb, sensitivity: arb) -> arb:
    """Return an enclosure of sensitivity * sqrt(2 ln(1.25 / delta)) / epsilon."""
    return sensitivity * (2 * (arb(5) / 4 / delta).log()).sqrt() / epsilon


def decide(left: Enclosure, right: Enclosure) -> bool:
    """Return whether left() <= right(), proved; the functions are called anew at each precision.

    Raises:
        UndecidedError: the two still overlap at MAX_BITS bits.
    """
    bits = MIN_BITS
    while bits <= MAX_BITS:
        with ctx.workprec(bits):
            difference = left() - right()
            if difference <= 0:
                return True
            if difference > 0:
                return False
        bits *= 2
    raise UndecidedError(f"the two sides agree to {MAX_BITS} bits")


def gaussian_holds(epsilon: ExactNumber, delta: ExactNumber, std: ExactNumber, sensitivity: Enclosure) -> bool:
    """Return whether Gaussian noise of this std on this L2 sensitivity is (epsilon, delta)-DP: proved either way.

    Necessary and sufficient when two neighbours at that distance exist (Balle, Wang 2018, Theorem 8).
    """
    return decide(lambda: gaussian_profile(ball(epsilon), sensitivity() / ball(std)), lambda: ball(delta))


def threshold(holds: Callable[[Fraction], bool], low: Fraction, high: Fraction, width: Fraction) -> tuple[Fraction, Fraction]:
    """Return [a, b] of at most this width with holds(a) and not holds(b), by bisection with dyadic points.

    It encloses the point up to which a decreasing statement holds.
    """
    if not holds(low) or holds(high):
        raise ValueError(f"holds must be true at low = {low} and false at high = {high}")
    return bisect(lambda x: not holds(x), low, high, lambda a, b: b - a <= width)
