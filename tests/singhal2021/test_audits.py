"""The epsilons of the audits of singhal2021, by another route: values by hand, laws by adaptive quadrature.

On every pair audited, one candidate at most has a positive value v, and one of value 0 never reaches NULL, which has 2A. So
the output is the candidate with the probability that v + xi > 2A + xi', and NULL otherwise.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise

import pytest
from scipy.integrate import quad
from scipy.optimize import brentq

from dppca.audit.auditor.results import Claim
from dppca.audit.suite.singhal2021.audits import AUDITS, COMMON, EXACT, LARGE, ONE_RUN, RANDOM_SUBSETS, SELECTION


def bound(epsilon: float, delta: float) -> float:
    """Return the smallest bound of noise for a sensitivity of 2."""
    return 2.0 / epsilon * math.log(1.0 + math.expm1(epsilon) / (2.0 * delta))


def density(x: float, epsilon: float, A: float) -> float:
    """Truncated Laplace noise of scale 2 / epsilon."""
    return math.exp(-0.5 * epsilon * abs(x)) * 0.25 * epsilon / -math.expm1(-0.5 * epsilon * A) if abs(x) <= A else 0.0


def integral(function: Callable[[float], float], low: float, high: float, points: list[float]) -> float:
    """Piece by piece between kinks."""
    edges = [low, *sorted(x for x in points if low < x < high), high]
    return math.fsum(quad(function, a, b, epsabs=1e-13)[0] for a, b in pairwise(edges))


def found(v: float, epsilon: float, delta: float) -> float:
    """Return the probability that v + xi > 2A + xi'."""
    A = bound(epsilon, delta)

    def above(x: float) -> float:
        low = 2.0 * A + x - v
        return integral(lambda y: density(y, epsilon, A), max(low, -A), A, [0.0]) if low < A else 0.0

    return integral(lambda x: density(x, epsilon, A) * above(x), -A, A, [0.0, v - 3.0 * A, v - 2.0 * A, v - A])


def epsilon_between(p: float, q: float, delta: float) -> float:
    """Return the smallest epsilon for two laws on two outcomes."""

    def excess(epsilon: float) -> float:
        ratio = math.exp(epsilon)
        sides = ((p, q), (q, p))
        return max(max(a - ratio * b, 0.0) + max(1.0 - a - ratio * (1.0 - b), 0.0) for a, b in sides) - delta

    return 0.0 if excess(0.0) <= 0.0 else float(brentq(excess, 0.0, 50.0, xtol=1e-12))


def literal(key: str, choice: str, view: str, name: str, claim: Claim | None = None) -> float:
    """Return the epsilon that the suite says."""
    (epsilon,) = (
        instance.epsilon
        for instance in AUDITS
        if (instance.algorithm, instance.choice, instance.view, instance.name) == (key, choice, view, name)
        and claim in (None, instance.claim)
    )
    assert epsilon is not None
    return epsilon


@pytest.mark.parametrize(
    ("key", "name", "claim", "values"),
    [
        (EXACT, "near tie with NULL", COMMON, (20 - 0 - 1, 19 - 1 - 1)),
        (EXACT, "a line found or not", COMMON, (28 - 1 - 1, 27 - 2 - 1)),
        (EXACT, "a line of few points", LARGE, (7 - 1 - 1, 6 - 2 - 1)),
        (EXACT, "a plane of few points", LARGE, (8 - 1 - 1, 7 - 1 - 1)),
        (f"{EXACT}_all_dimensions", "lines and planes", COMMON, (14 - 1 - 1, 13 - 2 - 1)),
        (f"{EXACT}_all_dimensions", "a plane of few points", LARGE, (8 - 1 - 1, 7 - 2 - 1)),
    ],
)
def test_a_subspace_found_or_not(key: str, name: str, claim: Claim, values: tuple[int, int]) -> None:
    target = (claim.epsilon, claim.delta)
    expected = epsilon_between(*(found(v, *target) for v in values), target[1])
    assert literal(key, "CORRECTED", "exact", name) == pytest.approx(expected, rel=1e-5)


def test_two_points_have_no_value() -> None:
    assert found(0.0, 0.25, 0.01) == 0.0
    assert literal(EXACT, "CORRECTED", "exact", "two points") == 0.0


def test_random_subsets() -> None:
    """Noise for delta / 2; eight points are drawn; the second line counts from the floor on.

    With n = 12 the floor is 3, and neither 1 nor 2 points reach it. With n = 16 it is 4, and 5 do, if one of them is drawn.
    """

    def hit(v: float, missed: float) -> float:
        return found(v, 4.0, 0.1) * (1.0 - missed**8)

    few = hit(11 - 3 - 1, 1 / 12), hit(10 - 3 - 1, 2 / 12)
    alone = (11 / 16) ** 8
    second = found(11 - 4 - 1, 4.0, 0.1) * alone + found(11 - 5 - 1, 4.0, 0.1) * (1.0 - alone - (5 / 16) ** 8)
    many = hit(12 - 4 - 1, 4 / 16), second
    for name, laws in (("a line of 11 points", few), ("a line of 12 points", many)):
        expected = pytest.approx(epsilon_between(*laws, 0.2), rel=1e-5)
        assert literal(RANDOM_SUBSETS, "CORRECTED", "exact", name) == expected
        assert literal(RANDOM_SUBSETS, "CORRECTED", "output", name) == expected


def test_a_value_that_moves_by_2_with_the_printed_bound() -> None:
    """At (1, 0.01) the bound is 2 ln 100: the smallest epsilon at which the integral of (p - e^epsilon q)_+ is 0.01."""
    A = 2.0 * math.log(100.0)

    def excess(epsilon: float) -> float:
        def gain(x: float) -> float:
            return max(0.0, density(x, 1.0, A) - math.exp(epsilon) * density(x - 2.0, 1.0, A))

        return integral(gain, -A, A, [2.0 - A, 0.0, 1.0 - epsilon, 1.0, 2.0]) - 0.01

    printed = literal(EXACT, "AS_PRINTED", "exact", "a value that moves by 2", COMMON)
    assert printed == pytest.approx(brentq(excess, 0.5, 1.0), rel=1e-5)


def test_a_score_that_is_shown_with_its_subspace() -> None:
    """Counts of 18 and 19 with noise of scale 1 above 18.5, then a score that moves by 1 with noise of scale 1 / 2."""
    hidden = (1.0 - 0.5 * math.exp(-0.5)) * 0.5 * math.exp(-0.5)
    expected = 2.0 + 2.0 * math.log1p(-ONE_RUN.delta / (1.0 - hidden))
    assert literal(SELECTION, "CORRECTED", "transcript", "one run, a row of the score") == pytest.approx(expected, rel=1e-5)
