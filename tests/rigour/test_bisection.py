"""The one bisection: results are known beforehand, and nothing is tried that need not be."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from dppca.reference.rigour.bisection import bisect, geometric_middle, least_positive, middle, whole_middle


def test_between_whole_numbers() -> None:
    tried: list[int] = []

    def holds(n: int) -> bool:
        tried.append(n)
        return n >= 11

    assert bisect(holds, 0, 16, lambda a, b: b - a <= 1, whole_middle) == (10, 11)
    assert tried == [8, 12, 10, 11]


def test_between_fractions() -> None:
    low, high = bisect(lambda x: x * x >= 2, Fraction(1), Fraction(2), lambda a, b: b - a <= Fraction(1, 16), middle)
    assert (low, high) == (Fraction(22, 16), Fraction(23, 16))


@pytest.mark.parametrize(("root", "start"), [(3.7, 1.0), (3.7, 3.8), (3.7, 1e6), (1e-9, 1.0)])
def test_least_positive_is_a_little_above_the_least(root: float, start: float) -> None:
    found = least_positive(lambda x: x >= root, start, 1e-6)
    assert found is not None
    assert root <= found <= root * (1.0 + 1e-6)


def test_least_positive_stays_within_its_bounds() -> None:
    tried: list[float] = []

    def holds(x: float) -> bool:
        tried.append(x)
        return x >= 3.0

    assert least_positive(holds, 4.0, 1e-3, least=3.5, most=8.0) == 3.5
    assert least_positive(holds, 2.0, 1e-3, least=1.0, most=2.5) is None
    assert tried == [4.0, 3.5, 2.0, 2.5]
    assert math.isclose(geometric_middle(2.0, 8.0), 4.0)
