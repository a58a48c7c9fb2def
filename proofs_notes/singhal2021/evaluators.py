"""Says at one point of its domain whether a claim of singhal2021 holds, or may hold; the generator of corners calls these."""

from __future__ import annotations

from fractions import Fraction

from flint import arb, ctx

from dppca.reference.rigour.gaussian import ball

#: Bits at which closed forms are enclosed; enough for e^1000.
BITS = 4096


def _support(epsilon: Fraction, delta: Fraction) -> arb:
    """Return an enclosure of A = (2 / epsilon) ln(1 + (e^epsilon - 1) / (2 delta))."""
    return 2 / ball(epsilon) * (1 + ball(epsilon).expm1() / (2 * ball(delta))).log()


def enough_points(n: int, k: int, ell: int, epsilon: Fraction, delta: Fraction) -> bool:
    """Return whether n reaches the 3 ell + 4 A + 1 of Lemma 2.5 as corrected, with delta at most 1/2; k stands in ell alone."""
    with ctx.workprec(BITS):
        needed = 3 * ell + 4 * _support(epsilon, min(delta, Fraction(1, 2))) + 1
        return ell >= k - 1 and bool(n >= needed - arb("1e-9"))


def printed_support(epsilon: Fraction, delta: Fraction) -> bool:
    """Return whether A <= 2 ln(1/delta) / epsilon exactly when e^epsilon <= 3 - 2 delta."""
    with ctx.workprec(BITS):
        return bool(_support(epsilon, delta) <= -2 * ball(delta).log() / ball(epsilon)) == bool(
            ball(epsilon).exp() <= 3 - 2 * ball(delta)
        )


def within_printed_points(epsilon: Fraction, delta: Fraction) -> bool:
    """Return whether 4 A + 1 is within the paper's 8 ln(1/delta) / epsilon + 2 while e^epsilon <= 3 - 2 delta."""
    with ctx.workprec(BITS):
        if ball(epsilon).exp() > 3 - 2 * ball(delta):
            return True
        return bool(4 * _support(epsilon, delta) + 1 <= -8 * ball(delta).log() / ball(epsilon) + 2)


def enough_blocks(epsilon: Fraction, delta: Fraction) -> bool:
    """Return whether ceil(3 + 4 A) is within 12 + 8 ln(1/delta) / epsilon, by 3 + 4 A <= 11 + 8 ln(1/delta) / epsilon."""
    with ctx.workprec(BITS):
        return bool(3 + 4 * _support(epsilon, delta) <= 11 - 8 * ball(delta).log() / ball(epsilon))
