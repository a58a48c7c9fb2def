"""The exact view of finite laws: epsilon and delta of laws whose answers are known."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dppca.reference.rigour.finite import delta_of_laws, epsilon_of_laws


@pytest.mark.parametrize("delta", [0.3, 0.1 + 0.2])
def test_a_sum_of_floats_does_not_exceed_a_delta_that_it_is_meant_to_equal(delta: float) -> None:
    """0.1 + 0.2 is above 0.3 in floats; what the second law lacks is spent by delta, and the rest has a ratio of 1e10."""
    p = {"a": 0.1, "b": 0.2, "c": 0.35, "d": 0.35}
    q = {"c": 0.35e-10, "d": 1.0 - 0.35e-10}
    assert epsilon_of_laws(p, q, delta) == pytest.approx(math.log(1e10), rel=1e-4)
    assert epsilon_of_laws(q, p, delta) == pytest.approx(math.log(1e10), rel=1e-4)
    assert epsilon_of_laws(p, q, 0.2999) == math.inf


def test_a_mass_that_is_no_float_is_not_lost() -> None:
    """1e-400 is 0 as a float: with it the ratio is 1e400 / 2."""
    tiny = Fraction(1, 10**400)
    p, q = {0: Fraction(1, 2), 1: Fraction(1, 2)}, {0: tiny, 1: 1 - tiny}
    assert epsilon_of_laws(p, q, 0.0) == pytest.approx(400 * math.log(10.0) - math.log(2.0), rel=1e-12)


def test_an_event_of_any_mass_that_the_other_law_lacks_has_no_epsilon_at_delta_0() -> None:
    assert epsilon_of_laws({0: 1.0 - 1e-12, 1: 1e-12}, {0: 1.0}, 0.0) == math.inf
    assert epsilon_of_laws({0: 1.0 - 1e-12, 1: 1e-12}, {0: 1.0}, 1e-12) == 0.0


@pytest.mark.parametrize(("epsilon", "delta"), [(0.7, 0.0), (1.3, 0.05), (3.0, 0.4), (1e-9, 0.0)])
def test_randomised_response_has_its_epsilon(epsilon: float, delta: float) -> None:
    """Truth with probability t: the divergence is t - e^epsilon (1 - t), so t = (delta + e^epsilon) / (1 + e^epsilon)."""
    t = (delta + math.exp(epsilon)) / (1.0 + math.exp(epsilon))
    p, q = {0: t, 1: 1.0 - t}, {0: 1.0 - t, 1: t}
    assert epsilon_of_laws(p, q, delta) == pytest.approx(epsilon, rel=1e-6, abs=1e-14)
    assert delta_of_laws(p, q, epsilon) == pytest.approx(delta, abs=1e-12)


@given(
    weights=st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=5),
    delta=st.fractions(0, 1, max_denominator=50),
)
def test_at_the_epsilon_delta_is_reached_and_below_it_exceeded(weights: list[tuple[int, int]], delta: Fraction) -> None:
    """By sums over all events, in fractions."""
    totals = [sum(pair[side] for pair in weights) for side in (0, 1)]
    if 0 in totals:
        return
    p, q = ({i: Fraction(pair[side], totals[side]) for i, pair in enumerate(weights)} for side in (0, 1))
    epsilon = epsilon_of_laws(p, q, delta)

    def divergence(level: float) -> float:
        sums = [0.0]
        for one, other in ((p, q), (q, p)):
            for event in range(1, 1 << len(weights)):
                inside = [i for i in range(len(weights)) if event >> i & 1]
                sums.append(float(sum(one[i] for i in inside)) - math.exp(level) * float(sum(other[i] for i in inside)))
        return max(sums)

    if math.isinf(epsilon):
        assert divergence(700.0) > delta
        return
    assert divergence(epsilon) <= delta + 1e-12
    if epsilon > 0.0:
        assert divergence(epsilon - 1e-9) > delta - 1e-12
