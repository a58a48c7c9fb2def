"""Says at one point of its domain whether a claim of liu2022 holds, or may hold; the generator of corners calls these."""

from __future__ import annotations

from fractions import Fraction

from flint import arb, ctx

from dppca.reference.rigour.gaussian import ball

#: Bits at which closed forms are enclosed; enough for e^1000.
BITS = 4096


def example_4_1_gamma(sigma: Fraction) -> bool:
    """Return whether (4 sigma^2 + 2 sigma^4)/(1 + sigma^2)^2 is between sigma^2 and 4 sigma^2 for sigma <= 1."""
    square = sigma**2
    return sigma > 1 or square <= (4 * square + 2 * square**2) / (1 + square) ** 2 <= 4 * square


def subsets(epsilon: Fraction, delta: Fraction, zeta: Fraction) -> bool:
    """Return whether 4 log(1/(delta zeta))/epsilon reaches 2 + (4/epsilon) log(1/(4 delta zeta)) for epsilon <= 2 log 4."""
    with ctx.workprec(BITS):
        log = -(ball(delta) * ball(zeta)).log()
        needed = 2 + 4 / ball(epsilon) * (log - arb(4).log())
        return bool(ball(epsilon) > 2 * arb(4).log()) or bool(needed <= 4 * log / ball(epsilon) + arb("1e-30"))


def alpha_0(n: int, d: int, epsilon: Fraction, delta: Fraction) -> bool:
    """Return whether both entries of (30) are positive: at least d/4 and log 2, over n epsilon."""
    with ctx.workprec(BITS):
        eps = ball(epsilon)
        entries = [arb(d) / 2 - eps, (-(-eps).expm1() / (4 * ball(delta) * eps.exp())).log()]
        least = [arb(d) / 4, arb(2).log()]
        return n >= 1 and all(bool(entry >= floor * (1 - arb("1e-6"))) for entry, floor in zip(entries, least, strict=True))


def lemma_f_4(r: Fraction) -> bool:
    """Return whether 1 - <x, y>^2 = r - r^2/4 is between r/2 and r, r = |x - y|^2."""
    return r / 2 <= r - r**2 / 4 <= r


def equation_20(alpha: Fraction) -> bool:
    """Return whether the squared sines r - r^2/4 are within [7/16, 2] alpha^2, for r from alpha^2/2 to 2 alpha^2."""
    ends = (alpha**2 / 2, 2 * alpha**2)
    sines = [r - r**2 / 4 for r in ends]
    return all(Fraction(7, 16) * alpha**2 <= sine for sine in sines) and ends[1] - ends[0] ** 2 / 4 <= 2 * alpha**2


def equation_42(epsilon_0: Fraction) -> bool:
    """Return whether (1 + epsilon_0) - (1 - epsilon_0/2) is 3 epsilon_0/2."""
    return (1 + epsilon_0) - (1 - epsilon_0 / 2) == 3 * epsilon_0 / 2
