"""Laws on finitely many rational points with the moments of normal ones, and exact moments of gradients under them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from fractions import Fraction

from dppca.proofs_notes.ledger.rational import ONE, ZERO, unit

Point = tuple[Fraction, list[Fraction]]


def gaussian_points(halves: list[Fraction]) -> Iterator[Point]:
    """Independent coordinates 0, +-q with probabilities 2/3, 1/6, 1/6: the moments up to 5 of N(0, q^2/3)."""
    for signs in itertools.product((0, 1, -1), repeat=len(halves)):
        weight = ONE
        for s in signs:
            weight *= Fraction(2, 3) if s == 0 else Fraction(1, 6)
        yield weight, [s * q for s, q in zip(signs, halves, strict=True)]


def example_points(d: int, q: Fraction) -> Iterator[Point]:
    """Example 4.1 with v = e_1 and sigma^2 = q^2/3, again with the Gaussian's moments."""
    for weight, noise in gaussian_points([q] * d):
        for sign in (1, -1):
            yield weight / 2, [noise[0] + sign, *noise[1:]]


def covariance_of(points: list[Point], u: list[Fraction]) -> list[list[Fraction]]:
    """lambda_1^2 H_u: the covariance of x (x . u)."""
    d = len(u)
    values = [(p, [a * (x @ u) for a in x]) for p, x in points]
    mean = [sum((p * g[i] for p, g in values), ZERO) for i in range(d)]
    return [[sum((p * g[i] * g[j] for p, g in values), ZERO) - mean[i] * mean[j] for j in range(d)] for i in range(d)]


def second_moment_of_deviation(points: list[Point], d: int) -> list[list[Fraction]]:
    """E (A - Sigma)^2, the sum over an orthonormal basis of the covariances of A u."""
    parts = [covariance_of(points, unit(d, i)) for i in range(d)]
    return [[sum((part[i][j] for part in parts), ZERO) for j in range(d)] for i in range(d)]
