"""Composition: optimal against all outcomes of the worst mechanisms, and the lemmas of liu2022 within it."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import pytest

from dppca.reference.primitives.composition import (
    Guarantee,
    advanced_component,
    optimal_component_epsilon,
    optimal_delta,
    parallel,
    serial,
)


def worst_mechanisms(component: Guarantee, k: int, epsilon: float) -> float:
    """Delta at epsilon of k of the mechanisms of Kairouz, Oh, Viswanath 2015, over all 4^k outcomes, in fractions."""
    d0, growth = Fraction(component.delta), Fraction(math.exp(component.epsilon))
    p = [d0, (1 - d0) * growth / (1 + growth), (1 - d0) / (1 + growth), Fraction(0)]
    total = Fraction(0)
    for outcome in itertools.product(range(4), repeat=k):
        on_p, on_q = (math.prod(law[o] for o in outcome) for law in (p, p[::-1]))
        total += max(Fraction(0), on_p - Fraction(math.exp(epsilon)) * on_q)
    return float(total)


@pytest.mark.parametrize("k", [1, 2, 3, 5])
@pytest.mark.parametrize("component", [Guarantee(0.3, 0.01), Guarantee(2.0, 1e-6), Guarantee(0.01, 0.2), Guarantee(9.0, 1e-9)])
def test_optimal_composition_is_that_of_the_worst_mechanisms(component: Guarantee, k: int) -> None:
    for epsilon in (0.0, 0.1, component.epsilon, k * component.epsilon, k * component.epsilon + 1.0):
        expected = worst_mechanisms(component, k, epsilon)
        assert optimal_delta(epsilon, component, k) == pytest.approx(expected, rel=1e-9, abs=1e-15)


def test_serial_composition_is_never_below_the_optimal_one() -> None:
    for component, k in itertools.product((Guarantee(0.3, 0.01), Guarantee(2.0, 1e-6)), (1, 2, 6)):
        total = serial([component] * k)
        assert optimal_delta(total.epsilon, component, k) <= total.delta * (1.0 + 1e-9)
    assert parallel([Guarantee(0.1, 0.2), Guarantee(0.3, 0.05)]) == (0.3, 0.2)
    assert serial([Guarantee(0.1, 0.2), Guarantee(0.3, 0.05)]) == pytest.approx((0.4, 0.25))


@pytest.mark.parametrize("k", [1, 2, 10, 1000])
@pytest.mark.parametrize("epsilon", [0.01, 0.45, 0.9])
@pytest.mark.parametrize("delta", [0.5, 1e-3, 1e-9])
def test_advanced_composition_is_within_the_optimal_one(k: int, epsilon: float, delta: float) -> None:
    assert optimal_delta(epsilon, advanced_component(epsilon, delta, k), k) <= delta


@pytest.mark.parametrize("k", [1, 3, 50])
@pytest.mark.parametrize(("epsilon", "delta"), [(0.4, 1e-3), (4.0, 1e-6), (200.0, 0.25)])
def test_optimal_component_is_the_largest(k: int, epsilon: float, delta: float) -> None:
    each = delta / (2.0 * k)
    e0 = optimal_component_epsilon(epsilon, delta, each, k)
    assert optimal_delta(epsilon, Guarantee(e0, each), k) <= delta
    assert optimal_delta(epsilon, Guarantee(e0 * (1.0 + 1e-6), each), k) > delta
    assert e0 >= epsilon / k * (1.0 - 1e-8)
    with pytest.raises(ValueError, match="leave nothing of delta"):
        optimal_component_epsilon(epsilon, delta, min(0.99, 1.1 * delta), k)
