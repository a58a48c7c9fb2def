"""The Gaussian mechanism: floats against enclosures, mpmath, quadrature and another library."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import pytest
from flint import arb, ctx
from hypothesis import given
from hypothesis import strategies as st

from dppca.reference.primitives.gaussian import (
    analytic_std,
    classical_std,
    composed_mu,
    epsilon_at,
    log_profile,
    profile,
)
from dppca.reference.rigour.gaussian import (
    UndecidedError,
    ball,
    decide,
    gaussian_holds,
    gaussian_profile,
    threshold,
)
from dppca.reference.rigour.gaussian import (
    classical_std as classical_enclosure,
)
from dppca.reference.rigour.gaussian import (
    composed_mu as composed_enclosure,
)

EPSILONS = st.floats(1e-3, 30.0)
MUS = st.floats(1e-2, 20.0)
DELTAS = st.floats(1e-14, 0.9)


def mpmath_profile(epsilon: float, mu: float, digits: int = 60) -> mpmath.mpf:
    """Return the profile by the same formula in 60 digits, by an arithmetic that is not Arb's."""
    with mpmath.workdps(digits):
        e, m = mpmath.mpf(epsilon), mpmath.mpf(mu)
        return mpmath.ncdf(m / 2 - e / m) - mpmath.exp(e) * mpmath.ncdf(-m / 2 - e / m)


@given(EPSILONS, MUS)
def test_enclosure_contains_mpmath(epsilon: float, mu: float) -> None:
    with ctx.workprec(256):
        enclosure = gaussian_profile(ball(epsilon), ball(mu))
        with mpmath.workdps(60):
            value = arb(mpmath.nstr(mpmath_profile(epsilon, mu), 55), 0) if mpmath_profile(epsilon, mu) else arb(0)
        assert abs(enclosure - value) <= abs(value) * arb("1e-40") + arb("1e-50")


@given(EPSILONS, MUS)
def test_float_profile_agrees_with_the_enclosure(epsilon: float, mu: float) -> None:
    with ctx.workprec(512):
        exact = gaussian_profile(ball(epsilon), ball(mu)).log()
    # the log of the profile is about -(epsilon/mu)^2 / 2, whose rounding is relative
    assert log_profile(epsilon, mu) == pytest.approx(float(exact), rel=1e-9, abs=1e-9)
    assert profile(epsilon, mu) == pytest.approx(math.exp(float(exact)), rel=1e-6)


@given(st.floats(1e-9, 1e-3), st.floats(1e-14, 0.5))
def test_analytic_std_is_proved_enough_for_tiny_epsilon(epsilon: float, delta: float) -> None:
    assert gaussian_holds(epsilon, delta, analytic_std(epsilon, delta, 1.0), lambda: arb(1))


@given(st.floats(-60.0, -9.0), st.floats(-300.0, -0.1))
def test_analytic_std_is_enough_and_nearly_necessary_at_the_least_numbers(log_epsilon: float, log_delta: float) -> None:
    """There the profile is a difference of numbers that are equal in float64."""
    epsilon, delta = 10.0**log_epsilon, 10.0**log_delta
    mu = 1.0 / analytic_std(epsilon, delta, 1.0)
    assert mpmath_profile(epsilon, mu, 200) <= delta <= mpmath_profile(epsilon, mu * (1.0 + 1e-6), 200)
    if (level := epsilon_at(delta, mu)) > 0.0:
        assert mpmath_profile(level, mu, 200) == pytest.approx(delta, rel=1e-7)


@given(st.floats(1e-6, 50.0), st.floats(0.5, 1.0 - 1e-12))
def test_analytic_std_is_proved_enough_for_delta_next_to_one(epsilon: float, delta: float) -> None:
    """There the profile is flat, and its rounding moved the root by more than the margin."""
    std = analytic_std(epsilon, delta, 1.0)
    assert gaussian_holds(epsilon, delta, std, lambda: arb(1))
    assert not gaussian_holds(epsilon, delta, std * (1.0 - 1e-8), lambda: arb(1))


@given(EPSILONS, DELTAS)
def test_analytic_std_is_proved_enough_and_nearly_necessary(epsilon: float, delta: float) -> None:
    std = analytic_std(epsilon, delta, 1.0)
    assert gaussian_holds(epsilon, delta, std, lambda: arb(1))
    assert not gaussian_holds(epsilon, delta, std * (1.0 - 1e-8), lambda: arb(1))


@given(st.floats(1e-3, 1.0), DELTAS, st.floats(0.1, 10.0))
def test_classical_std_is_enough_up_to_epsilon_one(epsilon: float, delta: float, sensitivity: float) -> None:
    std = classical_std(epsilon, delta, sensitivity)
    assert gaussian_holds(epsilon, delta, std * (1.0 + 1e-15), lambda: ball(sensitivity))
    assert analytic_std(epsilon, delta, sensitivity) < std


def test_classical_std_is_not_enough_for_every_epsilon() -> None:
    assert not gaussian_holds(10.0, 1e-5, classical_std(10.0, 1e-5, 1.0), lambda: arb(1))


@given(DELTAS, MUS)
def test_epsilon_at_inverts_the_profile(delta: float, mu: float) -> None:
    epsilon = epsilon_at(delta, mu)
    if epsilon == 0.0:
        assert profile(0.0, mu) <= delta
    else:
        assert profile(epsilon, mu) == pytest.approx(delta, rel=1e-6)


def test_composition_is_a_root_of_squares() -> None:
    assert composed_mu([3.0, 4.0]) == 5.0
    assert composed_enclosure([arb(3), arb(4)]).contains(5)
    assert composed_mu([]) == 0.0


@pytest.mark.parametrize(("epsilon", "delta"), [(0.1, 1e-6), (1.0, 1e-5), (4.0, 1e-2)])
def test_dp_accounting_agrees(epsilon: float, delta: float) -> None:
    dp_accounting = pytest.importorskip("dp_accounting", reason="needs the extra 'peers'")
    std = analytic_std(epsilon, delta, 1.0)
    event = dp_accounting.GaussianDpEvent(std)
    accountant = dp_accounting.pld.PLDAccountant()
    accountant.compose(event)
    assert accountant.get_delta(epsilon) == pytest.approx(delta, rel=1e-3)
    smallest = (
        dp_accounting.get_smallest_gaussian_noise(dp_accounting.DpParams(epsilon, delta), num_queries=1, sensitivity=1.0)
        if hasattr(dp_accounting, "get_smallest_gaussian_noise")
        else std
    )
    assert smallest == pytest.approx(std, rel=1e-3)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: analytic_std(0.0, 1e-5, 1.0), "epsilon must be finite and > 0, got 0.0"),
        (lambda: analytic_std(math.nan, 1e-5, 1.0), "epsilon must be finite and > 0, got nan"),
        (lambda: analytic_std(1.0, 0.0, 1.0), r"delta must be in \(0, 1\), got 0.0"),
        (lambda: classical_std(1.0, 1.25, 1.0), r"delta must be in \(0, 1\), got 1.25"),
        (lambda: classical_std(1.0, 1e-5, -1.0), "sensitivity must be finite and > 0, got -1.0"),
        (lambda: profile(-1.0, 1.0), "epsilon must be finite and >= 0, got -1.0"),
        (lambda: profile(1.0, 0.0), "mu must be finite and > 0, got 0.0"),
        (lambda: ball(math.inf), "x must be finite, got inf"),
    ],
)
def test_bad_arguments_are_named(call: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()  # type: ignore[operator]


def test_decide_raises_the_precision_until_it_can_tell() -> None:
    third = Fraction(1, 3)
    close = third + Fraction(1, 10**200)
    assert decide(lambda: ball(third), lambda: ball(close))
    assert not decide(lambda: ball(close), lambda: ball(third))


def test_decide_says_when_it_cannot_tell() -> None:
    with pytest.raises(UndecidedError, match="agree to 8192 bits"):
        decide(lambda: arb(2).sqrt() * arb(2).sqrt(), lambda: arb(2))


def test_threshold_encloses() -> None:
    low, high = threshold(lambda x: x * x <= 2, Fraction(0), Fraction(2), Fraction(1, 10**9))
    assert low * low <= 2 < high * high
    with pytest.raises(ValueError, match="holds must be true at low = 2"):
        threshold(lambda x: x * x <= 2, Fraction(2), Fraction(3), Fraction(1, 10))


def test_classical_enclosure_contains_the_float() -> None:
    with ctx.workprec(64):
        difference = classical_enclosure(ball(0.5), ball(1e-4), arb(1)) - ball(classical_std(0.5, 1e-4, 1.0))
        assert abs(difference) < arb("2e-13")
