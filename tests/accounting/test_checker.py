"""The checker's arithmetic against quadrature, closed forms, brute force and exact sums; what it refuses."""

from __future__ import annotations

import functools
import itertools
import math
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
import pytest
from flint import arb, ctx, fmpz_poly
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.polynomial.hermite_e import hermeval
from numpy.typing import NDArray
from scipy.special import ndtr
from scipy.stats import binom, norm

from dppca.audit.suite.accounting.composition import gaussian_delta, mixture_pair, steps_delta
from dppca.audit.suite.accounting.known_cases import hinge_of_a_step, one_step_delta
from dppca.audit.suite.accounting.lower_bounds import lower_delta
from dppca.reference.accounting import (
    FixedBatch,
    Grid,
    Mechanism,
    Poisson,
    Shuffled,
    SmallSteps,
    UniformIndex,
    certify,
    checker,
    choose_grid,
)
from dppca.reference.accounting.checker import HingeProof, Law, ShuffleProof
from dppca.reference.accounting.hinges import SQUARED_HINGE
from dppca.reference.accounting.mechanisms import Sampling
from dppca.reference.accounting.shuffling import SHUFFLED_RELEASES
from dppca.reference.rigour import balls
from dppca.reference.rigour.balls import BITS, ball


@settings(max_examples=30, deadline=None)
@given(
    q=st.fractions(Fraction(1, 40), Fraction(1), max_denominator=40),
    r=st.floats(0.05, 4.0),
    log_gamma=st.floats(-1.5, 1.5),
    pair=st.sampled_from(["remove", "add", "replace"]),
)
@example(q=Fraction(3, 10), r=4.0, log_gamma=0.0, pair="remove")
def test_a_steps_integer_law_dominates_its_exact_profile(q: Fraction, r: float, log_gamma: float, pair: Any) -> None:
    mechanism = Mechanism(FixedBatch(q.denominator, q.numerator), 10, r)
    grid, scale = choose_grid(mechanism, 1.0, 1e-3), 60
    with ctx.workprec(256):
        law = checker.one_step(pair, balls.ball(q), arb(r), grid, scale)
        total = sum(int(c) for c in law.masses.coeffs()) + law.lost * arb(2) ** scale
    t = (law.lowest + np.arange(law.masses.length())) * grid.width
    masses = np.array([int(c) / 2.0**scale for c in law.masses.coeffs()])
    above = float(masses @ np.maximum(-np.expm1(np.minimum(log_gamma - t, 0.0)), 0.0)) + float(law.lost)
    assert total.upper() >= 2**scale
    assert total <= 2**scale + 4 * len(masses)
    if log_gamma >= 0.0:
        remove, add = one_step_delta(float(q), r, log_gamma)
    else:  # H_gamma(P, Q) = 1 - gamma + gamma H_(1/gamma)(Q, P)
        gamma = math.exp(log_gamma)
        swapped = one_step_delta(float(q), r, -log_gamma)
        remove, add = (1 - gamma + gamma * h for h in (swapped[1], swapped[0]))
    exact = {"remove": remove, "add": add, "replace": max(remove, add)}[pair]
    assert exact - 1e-12 <= above <= exact + 2.0 * grid.width + 0.02 * float(q)


def test_powers_are_rounded_up_exact_powers() -> None:
    scale, masses = 20, [3, 0, 2**18, 2**19, 7, 2**17]
    one, total = Law(-2, fmpz_poly(masses), arb(5) / 2**scale), sum(masses)
    for steps in (1, 2, 5, 13):
        law = checker.power(one, steps, scale, 0, arb(1))
        exact: dict[int, Fraction] = {0: Fraction(1)}
        for _ in range(steps):
            grown: dict[int, Fraction] = {}
            for (i, a), (j, b) in itertools.product(exact.items(), enumerate(masses)):
                grown[i + j - 2] = grown.get(i + j - 2, Fraction(0)) + a * Fraction(b, 2**scale)
            exact = grown
        found = {law.lowest + j: Fraction(int(c), 2**scale) for j, c in enumerate(law.masses.coeffs())}
        assert all(exact[j] <= found.get(j, Fraction(0)) for j in exact)
        assert sum(found.values()) - sum(exact.values()) <= Fraction(400 * steps, 2**scale)
        infinite = Fraction((total + 5) ** steps - total**steps, 2 ** (scale * steps))  # a step at least is infinite
        assert float(infinite) * (1 - 1e-12) <= float(law.lost.upper()) <= float(infinite) * (1 + 1e-3)


def test_what_is_cut_goes_to_infinity_or_up() -> None:
    law = law_of(1, 2, 50, 60, 3, 2)
    assert checker.cut(law, 5, arb(1), 0) == law_of(53, 60, lowest=2, infinite=5)


def test_delta_of_a_law_is_the_sum_or_a_little_more() -> None:
    rng = np.random.default_rng(3)
    masses = [int(m) for m in rng.integers(0, 2**30, 5000)]
    total = sum(masses)
    law = Law(-2500, fmpz_poly(masses), arb(7))
    with ctx.workprec(200):
        for mu in (0.0, 0.4):
            found = checker.delta_of(law, 10, 0, arb(0.3), arb(mu) ** 2)
            values = (np.arange(5000) - 2500) / 1024
            terms = [gaussian_delta(0.3 - v, mu) for v in values] if mu else [max(0.0, -math.expm1(0.3 - v)) for v in values]
            exact = math.fsum(m * t for m, t in zip(masses, terms, strict=True)) + 7
            assert exact * (1 - 1e-12) <= float(found.upper()) <= exact + 1e-4 * total


def law_of(*masses: int, lowest: int = 0, infinite: int = 0) -> Law:
    return Law(lowest, fmpz_poly(list(masses)), arb(infinite))


def test_a_square_spends_its_share_of_the_budget_at_the_top_and_at_the_bottom() -> None:
    """(1, 1, 1) squared is (1, 2, 3, 2, 1). Two has two binary digits, so a cut may spend 8 / (4 * 2) = 1 at each end."""
    assert checker.power(law_of(1, 1, 1), 2, 0, 8, arb(1)) == law_of(3, 3, 2, lowest=1, infinite=1)
    assert checker.power(law_of(1, 1, 1), 2, 0, 7, arb(1)) == law_of(1, 2, 3, 2, 1)  # too little for a share of 1
    assert checker.power(law_of(1, 1, 1, infinite=5), 2, 0, 0, arb(1)) == law_of(1, 2, 3, 2, 1, infinite=2 * 3 * 5 + 25)


def test_a_product_spends_in_proportion_to_its_steps() -> None:
    """Three steps and a budget of 24 make a share of 24 / (4 * 2) = 3, of which each of the two products may spend 3 * 2 / 3.

    The square is (3, 3, 2) from 1 on when 1 has gone at each end, where 1 + 2 would be too much. Times (1, 1, 1) it is
    (3, 6, 8, 5, 2), and the 2 at its top goes; what was left out before counts with all three of the other.
    """
    assert checker.power(law_of(1, 1, 1), 3, 0, 24, arb(1)) == law_of(3, 6, 8, 5, lowest=1, infinite=1 * 3 + 2)


# --- a squared hinge ----------------------------------------------------------------------------------


Masses = NDArray[np.float64]


def plane(at: NDArray[np.float64], cells: int = 120) -> Masses:
    edges = np.linspace(-10.0, 10.0, cells + 1)
    x, y = (np.diff(ndtr(edges - c)) for c in at)
    return np.outer(x, y).ravel()


@pytest.mark.slow
@settings(max_examples=15, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(2, 200),
    ratio=st.floats(0.2, 1.6),
    edge=st.booleans(),
    shape=st.sampled_from(["ball", "diameter"]),
)
def test_the_law_of_a_step_is_as_bad_as_every_pair(seed: int, n: int, ratio: float, edge: bool, shape: Any) -> None:
    """Random m, a, b in a disc of diameter `ratio`, or at mutual distances up to it: squared hinges at 30 points."""
    rng = np.random.default_rng(seed)
    points = rng.standard_normal((3, 2))
    points *= (0.5 * ratio * (1.0 if edge else np.sqrt(rng.random((3, 1))))) / np.linalg.norm(points, axis=1, keepdims=True)
    if shape == "diameter":
        points *= ratio / max(float(np.linalg.norm(points[i] - points[i - 1])) for i in range(3)) * (1 - 1e-12)
    common, one, other = (plane(p) for p in points)
    q = 1.0 / n
    P, Q = (1 - q) * common + q * one, (1 - q) * common + q * other
    bits = 10 + math.ceil(math.log2(n))
    with ctx.workprec(BITS):
        top = math.ceil(math.log1p(q * math.exp(13.0 * ratio)) * 2**bits)
        made = checker.hinge_step(shape, arb(1) / n, ball(ratio), Grid(bits, top, 0), 80)
    if made is None:
        assert shape == "diameter"  # no point below 1 has the second moment of the triangle
        return
    law = made[0]
    t = np.exp((law.lowest + np.arange(law.masses.length())) * 2.0**-bits)
    masses = np.array([int(c) / 2.0**80 for c in law.masses.coeffs()])
    for x in 1.0 + q * np.linspace(-2.0, 4.0, 30):
        assert hinge_of_a_step(P, Q, x) <= float(masses @ (np.maximum(t - x, 0.0) ** 2 / t)) * (1 + 1e-9) + 1e-13 * q * q


def test_a_law_of_a_step_has_mean_1_and_hardly_more_than_the_largest_second_moment() -> None:
    with ctx.workprec(BITS):
        made = checker.hinge_step("ball", arb(1) / 1000, arb(1), Grid(16, 60_000, 0), 120)
    assert made is not None
    law = made[0]
    t = np.exp((law.lowest + np.arange(law.masses.length())) * 2.0**-16)
    masses = np.array([int(c) / 2.0**120 for c in law.masses.coeffs()])
    assert float(masses.sum()) == pytest.approx(1.0, abs=1e-12)
    assert float(masses @ (1 / t)) == pytest.approx(1.0, abs=1e-12)
    second = float(masses @ ((t - 1) ** 2 / t)) * 1e6
    assert math.e - 1 <= second <= 1.001 * (math.e - 1)


def test_the_second_moments_of_a_ball_and_of_a_triangle() -> None:
    assert float(checker.second_moment("ball", arb(1))) == pytest.approx(math.e - 1.0)
    assert float(checker.second_moment("diameter", arb(1))) == pytest.approx(2.0 * (math.e - math.sqrt(math.e)))


def test_a_hinges_cut_charges_the_top_and_raises_the_bottom() -> None:
    """1 + 2 of (1, 2, 5, 2, 1) may go at each end. At a growth of 2 the top is worth 2 * 2^3 + 1 * 2^4."""
    law = Law(0, fmpz_poly([1, 2, 5, 2, 1]), arb(0.5))
    assert checker.cut(law, 3, arb(2), 0) == Law(2, fmpz_poly([8]), arb(32.5))
    assert checker.cut(law, 2, arb(2), 0) == Law(1, fmpz_poly([3, 5, 2]), arb(16.5))


@pytest.mark.parametrize("side", [-1, 1])
def test_a_point_next_to_a_grid_point_is_divided_on_its_side(side: int) -> None:
    """A loss of 5/4 + side * 1e-40 is 5/4 as a float: the first grid point of width 1/4 that is tried may be the wrong one."""
    masses: dict[int, Any] = {}
    with ctx.workprec(256):
        m, b = (arb(5) / 4).exp() * (1 + side * arb("1e-40")), arb(1)
        checker.add_point(masses, m, b, Grid(2, 40, 0))
        assert set(masses) == {5, 5 + side}
        tiny = 1e-40 * math.exp(1.25) / abs(1.0 - math.exp(-0.25 * side))
        assert float(masses[5 + side]) == pytest.approx(tiny, rel=1e-9, abs=0.0)
        assert all(mass > 0 for mass in masses.values())
        assert abs(float(sum(masses.values()) - m)) < 1e-60
        assert abs(float(sum(mass * (-arb(j) / 4).exp() for j, mass in masses.items()) - b)) < 1e-60


# --- moments ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", ["ball", "diameter"])
@pytest.mark.parametrize("shift", [0.0, 2.5])
def test_moments_are_those_of_the_reference_variable(shape: Any, shift: float) -> None:
    """kappa x + (1 + nu) sum over k >= 2 of s_k D^k h_k(x) / k!, term by term, and its moments by quadrature."""
    n, batch, std, mean, spread = 10, 3, 2.0, 1.5, 1.2
    q, offset = 0.3, 0.3 * shift / std
    D = spread / std + offset
    nu = offset**2 / (q * D**2)
    x, step = np.linspace(-14.0, 24.0, 100_001, retstep=True)
    shares = [1.0 if shape == "ball" else math.sqrt(2.0 - 2.0 ** (1 - k)) if k < 6 else math.sqrt(2.0) for k in range(90)]
    terms = [0.0, 0.0, *(shares[k] * D**k / math.factorial(k) for k in range(2, 90))]
    variable = mean / std * x + (1.0 + nu) * hermeval(x, terms)
    weights = norm.pdf(x) * step
    growth = np.exp(D * x - 0.5 * D * D) - 1.0

    def power(m: int, tilt: int = 0) -> float:
        return float(weights @ (variable**m * growth**tilt)) * q**m

    with ctx.workprec(checker.MOMENT_BITS):
        found = checker.moments(SmallSteps(n, batch, 10, mean, spread, shift, shape), std)
    for moment, m in ((found.second, 2), (found.fourth, 4), (found.sixth, 6), (found.far[8], 8)):
        assert float(moment) == pytest.approx(power(m) / 0.7 ** (m - 1), rel=1e-7)
    third = power(3) + 0.6 / 0.49 * math.sqrt(power(4) * power(2, 2))
    assert float(found.third) == pytest.approx(third, rel=1e-7)


def test_a_step_costs_what_the_note_says() -> None:
    """One step, with moments 1e-3, 1e-4, 1e-5 and 1e-6, none far out, from a variance of 1/4 at reach 4 and range 1/2."""
    second, third, fourth, sixth, w, z, X = 1e-3, 1e-4, 1e-5, 1e-6, 0.25, 4.0, 0.5
    low, slope = 1.0 - math.exp(-X), z / math.sqrt(w) + 1.0
    g = slope / (1.0 - low)  # the third derivative grows by e^(g y) at most
    grown = fourth + g * (math.exp(g * low) - 1.0) / (g * low) * math.sqrt(fourth * sixth) / 5.0
    bent = slope + X / w
    cost = second + slope / 3.0 * third + math.exp(2.0 * X) * (bent**2 + bent) / 12.0 * grown
    rise = cost * math.exp(1.5 * cost * (0.125 + 0.5 / w))
    inner = z - X / math.sqrt(w)
    far = 0.5 * second * norm.pdf(inner) * math.exp(X) / math.sqrt(w)
    with ctx.workprec(128):
        found = checker.Moments(arb(second), arb(third), arb(fourth), arb(sixth), {8: arb(0)})
        variance, spent = checker.variance_of_steps(found, 1, arb(w), arb(z), arb(X))
        assert (float(variance), float(spent)) == (pytest.approx(w + rise, rel=1e-12), pytest.approx(far, rel=1e-12))
        heavy = checker.Moments(arb(4), arb(0), arb(0), arb(0), {8: arb(0)})  # no rise of the variance pays for it
        assert checker.variance_of_steps(heavy, 1, arb(10), arb(5), arb(0.01))[0] is None


def hermite_norms(a: NDArray[np.float64], b: NDArray[np.float64], k: int) -> float:
    return float((a @ a) ** k + (b @ b) ** k - 2 * (a @ b) ** k)


@settings(max_examples=200, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), k=st.integers(1, 9), edge=st.booleans())
def test_tensor_powers_of_points_in_a_ball_through_zero(seed: int, k: int, edge: bool) -> None:
    """|a^k - b^k|^2 <= D^(2k) for 0, a, b in a ball of diameter D = 1, and <= (2 - 2^(1-k)) for mutual distances <= 1."""
    rng = np.random.default_rng(seed)
    centre, a, b = rng.standard_normal((3, 2))
    centre *= 0.5 / np.linalg.norm(centre) * (1.0 if edge else rng.random())
    a, b = (centre + 0.5 * x / np.linalg.norm(x) * (1.0 if edge else math.sqrt(rng.random())) for x in (a, b))
    assert hermite_norms(a, b, k) <= 1.0 + 1e-12
    a, b = rng.standard_normal((2, 2))
    widest = max(float(np.linalg.norm(x)) for x in (a, b, a - b))
    assert hermite_norms(a / widest, b / widest, k) <= 2.0 - 2.0 ** (1 - k) + 1e-12


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1), n=st.integers(2, 30), shape=st.sampled_from(["ball", "diameter"]), width=st.floats(0.2, 1.5)
)
def test_moments_bound_those_of_every_pair(seed: int, n: int, shape: Any, width: float) -> None:
    """Random c, a, b in the plane within the bounds: moments of the likelihood ratio minus 1 by quadrature on a grid."""
    rng = np.random.default_rng(seed)
    a, b, shift = rng.standard_normal((3, 2))
    if shape == "ball":
        centre = rng.standard_normal(2)
        centre *= 0.5 / np.linalg.norm(centre)
        a, b = (centre + 0.5 * x / np.linalg.norm(x) for x in (a, b))
    else:
        a, b = np.array([1.0, 0.0]), np.array([0.5, math.sqrt(0.75)])
    a, b = width * a, width * b
    shift *= 0.3 / np.linalg.norm(shift) / n
    q = 1.0 / n
    mean = float(np.linalg.norm(shift + q * (b - a))) / q
    with ctx.workprec(checker.MOMENT_BITS):
        found = checker.moments(SmallSteps(n, 1, 10, mean * (1 + 1e-9), width * (1 + 1e-9), 0.3 * (1 + 1e-9), shape), 1.0)
        bounds = [float(x) for x in (found.second, found.third, found.fourth, found.sixth)]
    line = np.arange(-9, 11, 0.1)  # sums of what is smooth and vanishes at both ends: exact but for rounding

    def density(m: NDArray[np.float64]) -> NDArray[np.float64]:
        x, y = (np.exp(-0.5 * (line - at) ** 2) / math.sqrt(2 * math.pi) * 0.1 for at in m)
        return np.outer(x, y)

    zero = np.zeros(2)
    one = (1 - q) * density(zero) + q * density(a)
    other = (1 - q) * density(shift) + q * density(b + shift)
    excess = one / other - 1
    square = excess * excess
    exact = [float(np.sum(other * power)) for power in (square, square * excess, square * square, square * square * square)]
    assert all(abs(e) <= bound * (1 + 1e-6) for e, bound in zip(exact, bounds, strict=True))


def test_moments_are_reached_by_the_worst_pair() -> None:
    """n large: one row against none, everything along one line; (rho x + e^(2 rho x - 2 rho^2) - 1 - 2 rho x) by quadrature."""
    rho, n = 0.25, 10**7
    x = np.linspace(-12, 16, 400001)
    weight = norm.pdf(x) * (x[1] - x[0])
    y = rho * x + np.exp(2 * rho * x - 2 * rho * rho) - 1 - 2 * rho * x
    with ctx.workprec(checker.MOMENT_BITS):
        found = checker.moments(SmallSteps(n, 1, 10, 1.0, 2.0, 1.0, "ball"), 1.0 / rho)
        scaled = [
            float(m) * float(n) ** k for m, k in ((found.second, 2), (found.third, 3), (found.fourth, 4), (found.sixth, 6))
        ]
    assert scaled == pytest.approx([float(weight @ y**k) for k in (2, 3, 4, 6)], rel=1e-4)


def test_moments_cover_a_row_that_is_drawn_on_the_side_away_from_the_shift() -> None:
    """n = 2, a = 1, b = 0, c = -1/2: a is 3/2 from c. With y ~ N(0, 1), R = e^(y/2 - 1/8) / 2 + e^(3y/2 - 9/8) / 2."""

    def exact(m: int) -> float:
        terms = ((i, j, m - i - j) for i in range(m + 1) for j in range(m - i + 1))
        return math.fsum(
            math.factorial(m) // (math.factorial(i) * math.factorial(j) * math.factorial(k)) * (-1) ** k * 0.5 ** (i + j)
            * math.exp((0.5 * i + 1.5 * j) ** 2 / 2.0 - 0.125 * i - 1.125 * j)
            for i, j, k in terms
        )  # fmt: skip

    with ctx.workprec(checker.MOMENT_BITS):
        found = checker.moments(SmallSteps(2, 1, 10, 2.0, 1.0, 1.0, "ball"), 1.0)
        bounds = [float(x) for x in (found.second, found.third, found.fourth, found.sixth)]
    assert all(exact(m) <= bound for m, bound in zip((2, 3, 4, 6), bounds, strict=True))


@pytest.mark.parametrize("shape", ["ball", "diameter"])
def test_a_moment_is_the_sum_of_the_reference_variables(shape: Any) -> None:
    """1 + sum of C(p, m) E Ybar^m / (1 - q)^(m - 1), the third and odd ones as the note says, by quadrature."""
    q, rho, mean, spread, shift = 0.1, 0.25, 1.0, 2.0, 1.0
    D = spread * rho + q * shift * rho
    nu = (q * shift * rho) ** 2 / (q * D * D)
    x, step = np.linspace(-14.0, 20.0, 200_001, retstep=True)
    weight, growth = norm.pdf(x) * step, np.exp(D * x - D * D / 2)
    hermite, levels = [np.ones_like(x), x], [0.0, 0.0]
    for k in range(2, 40):
        hermite.append(x * hermite[-1] - (k - 1) * hermite[-2])
        levels.append(1.0 if shape == "ball" else math.sqrt(2.0 - 2.0 ** (1 - k)) if k < 6 else math.sqrt(2.0))
    terms = sum(levels[k] * D**k * hermite[k] / math.factorial(k) for k in range(2, 40))
    variable = q * (mean * rho * x + (1.0 + nu) * terms)
    excess = {m: float(weight @ variable**m) / (1.0 - q) ** (m - 1) for m in (2, 4, 6, 8)}
    spreads = float(weight @ variable**4) * float(weight @ (variable * (growth - 1.0)) ** 2)
    excess[3] = float(weight @ variable**3) + 2.0 * q / (1.0 - q) ** 2 * math.sqrt(spreads)
    excess |= {m: math.sqrt(excess[m - 1] * excess[m + 1]) for m in (5, 7)}
    with ctx.workprec(512):
        found = checker.step_moments(SmallSteps(10, 1, 1, mean, spread, shift, shape), 1.0 / rho, 7)
    assert sorted(found) == list(range(2, 8))
    for p, moment in found.items():
        assert float(moment) - 1.0 == pytest.approx(sum(math.comb(p, m) * excess[m] for m in range(2, p + 1)), rel=1e-6)


def test_a_gaussian_release_has_its_renyi_moments() -> None:
    """n large, no spread: R - 1 is nearly normal with variance (mean q)^2, and E R^p = 1 + C(p, 2) (mean q)^2 + ..."""
    with ctx.workprec(512):
        found = checker.step_moments(SmallSteps(10**6, 1, 1, 1.0, 1e-3, 0.0, "ball"), 1.0, 10)
        assert float(found[10] - 1) == pytest.approx(45e-12, rel=1e-4)


# --- shuffled releases --------------------------------------------------------------------------------


def shuffled(n: int, epsilon: float, epsilon_0: float) -> float:
    return checker.bound(Shuffled(n), 5.9, epsilon, ShuffleProof(epsilon_0, 0, n - 1, 7))


@pytest.mark.parametrize("epsilon", [1e-300, 1e-50, 1e-9])
@pytest.mark.parametrize("epsilon_0", [0.0, 1e-300, 1e-50, 1e-9, 1e-5])
def test_a_threshold_that_the_arithmetic_cannot_tell_is_charged(epsilon: float, epsilon_0: float) -> None:
    """Near epsilon = epsilon_0 = 0 its ball holds many integers: a bound all the same, not below the one of no clones."""
    unamplified = gaussian_delta(0.0, 1 / 5.9)
    for n in (2, 40):
        assert unamplified / n <= shuffled(n, epsilon, epsilon_0) <= 1.0


@pytest.mark.parametrize("radius", [0.0, 1e-40, 0.01, 0.3, math.inf])
def test_clones_at_a_threshold_that_is_an_integer_are_enclosed(radius: float) -> None:
    """A = B = 1/4, three clones: at 2 and at 3 heads of Bin(3, 1/2) A (P(>= x) + P(x - 1)) - B P(>= x) is 3/32."""
    with ctx.workprec(160):
        found = checker.clone_divergence(3, arb(0.25, radius), arb(0.25))
        assert found.upper() >= arb(3) / 32
        assert radius > 1e-9 or found.upper() < arb(3) / 32 + arb("1e-30")


@pytest.mark.parametrize(("n", "epsilon", "epsilon_0"), [(1, 0.2, 1.0), (2, 0.3, 0.8), (6, 0.5, 2.0), (9, 0.05, 0.4)])
def test_clones_that_are_not_taken_in_blocks_are_summed_up_term_by_term(n: int, epsilon: float, epsilon_0: float) -> None:
    """The clones number Bin(n - 1, e^-epsilon_0), half of them on each side; the record joins the first with q or 1 - q."""
    q, total = math.exp(epsilon_0) / (1.0 + math.exp(epsilon_0)), 0.0
    for c in range(n):
        half = np.append(binom.pmf(np.arange(c + 1), c, 0.5), 0.0)
        joined = np.roll(half, 1)
        one, other = q * joined + (1.0 - q) * half, (1.0 - q) * joined + q * half
        total += binom.pmf(c, n - 1, math.exp(-epsilon_0)) * np.maximum(one - math.exp(epsilon) * other, 0.0).sum()
    quiet = 1000.0  # so little of one release is beyond epsilon_0 that nothing is added
    proof = ShuffleProof(epsilon_0, 0, n - 1, n)
    found = checker.bound(Shuffled(n), quiet, epsilon, proof)
    assert found == pytest.approx(total, rel=1e-12)
    assert checker.bound(Shuffled(n), quiet, epsilon_0 + 0.1, proof) < 1e-100


@pytest.mark.parametrize("fields", [{"blocks": 1}, {"least": 5, "blocks": 3}, {"least": 30, "most": 30}, {"epsilon_0": 3.0}])
def test_however_clones_are_divided_it_is_a_bound(fields: dict[str, Any]) -> None:
    """Fewer blocks, clones charged in full, another epsilon_0: never below the division that the search takes."""
    found = SHUFFLED_RELEASES.prove(Shuffled(40), 5.9, 0.5, 1e-3)
    assert replace(found, proof=replace(found.proof, **fields)).bound() > found.delta


# --- whatever the numbers of a proof ------------------------------------------------------------------


@pytest.mark.parametrize(
    "changes", [{"gap": 0.02}, {"gap": 0.9}, {"budget": 0}, {"scale": 40}, {"top": 700}, {"bits": 9, "top": 300}]
)
def test_whatever_a_certificate_is_made_with_it_is_a_bound(changes: dict[str, Any]) -> None:
    """Another beginning of the parabola, nothing dropped, few bits, a grid cut short, a coarse one."""
    mechanism, std, epsilon = Mechanism(UniformIndex(20, "ball"), 30, 1.0), 1.0, 0.6
    mixture, base = mixture_pair(1 / 20, 1.0)
    exact = steps_delta([(mixture, base, 30)], epsilon)
    found = SQUARED_HINGE.prove(mechanism, std, epsilon, exact)
    assert replace(found, proof=replace(found.proof, **changes)).bound() >= exact * (1 - 1e-3)


def test_what_is_dropped_from_the_top_is_charged() -> None:
    """A budget of a hundredth of all mass: what leaves the law counts with its second moment, so delta grows."""
    mechanism = Mechanism(UniformIndex(20, "ball"), 30, 1.0)
    found = SQUARED_HINGE.prove(mechanism, 1.0, 0.6, 1e-2)
    proof = found.proof
    assert isinstance(proof, HingeProof)
    assert replace(found, proof=replace(proof, budget=2**proof.scale // 10)).bound() > 1.02 * found.delta


# --- every pair of neighbours over small domains ------------------------------------------------------


Values: TypeAlias = tuple[float, ...]


#: Values of a row, at most 1 apart, and functions of them that an adversary may ask for in the second step.
DOMAIN = (-0.5, 0.0, 0.5)


QUESTIONS: tuple[Callable[[float], float], ...] = (lambda x: x, lambda x: -x, lambda x: 0.5 - abs(x))


def draws(sampling: Sampling, rows: int) -> Iterator[tuple[float, tuple[int, ...]]]:
    """Yield each set of rows that a step may draw, with its probability."""
    if isinstance(sampling, Poisson):
        for kept in itertools.product((False, True), repeat=rows):
            p = math.prod(sampling.probability if keep else 1.0 - sampling.probability for keep in kept)
            yield p, tuple(i for i, keep in enumerate(kept) if keep)
        return
    size = sampling.batch if isinstance(sampling, FixedBatch) else 1
    for chosen in itertools.combinations(range(rows), size):
        yield 1.0 / math.comb(rows, size), chosen


@functools.lru_cache(maxsize=4096)
def step(sampling: Sampling, data: Values, question: Callable[[float], float], std: float, cells: int) -> Masses:
    """Return the masses of cells under the law of one release of the summed answers of the rows drawn."""
    edges = np.linspace(-3.0 - 8.0 * std, 3.0 + 8.0 * std, cells + 1)
    weights: dict[float, float] = defaultdict(float)
    for p, chosen in draws(sampling, len(data)):
        weights[sum(question(data[i]) for i in chosen)] += p
    masses = np.asarray(sum(p * np.diff(ndtr((edges - at) / std)) for at, p in weights.items()))
    masses.flags.writeable = False
    return masses


def divergence(p: Masses, q: Masses, epsilon: float) -> float:
    return float(np.sum(np.maximum(p - math.exp(epsilon) * q, 0.0)))


def replaced(n: int) -> Iterator[tuple[Values, Values]]:
    """Yield every pair of data sets of n rows that differ in the first; which row it is does not matter."""
    for rest in itertools.combinations_with_replacement(DOMAIN, n - 1):
        for x, y in itertools.permutations(DOMAIN, 2):
            yield (x, *rest), (y, *rest)


def joined(n: int) -> Iterator[tuple[Values, Values]]:
    """Yield every pair of which one has n - 1 rows and the other one more, both ways round; rows of at most 1."""
    values = tuple(2.0 * x for x in DOMAIN)
    for rest in itertools.combinations_with_replacement(values, n - 1):
        for x in values:
            yield (x, *rest), rest
            yield rest, (x, *rest)


#: sampling, std, epsilon
CASES: list[tuple[Sampling, float, float]] = [
    (UniformIndex(3), 0.8, 0.3),
    (UniformIndex(4, "ball"), 1.5, 0.1),
    (FixedBatch(4, 2), 0.7, 0.5),
    (FixedBatch(4, 3), 1.0, 0.0),
    (FixedBatch(5, 2, "ball"), 1.2, 0.2),
    (Poisson(0.3), 0.9, 0.4),
    (Poisson(0.6), 1.3, 0.0),
]


def pairs(sampling: Sampling) -> Iterator[tuple[Values, Values]]:
    return joined(3) if isinstance(sampling, Poisson) else replaced(sampling.n)


@pytest.mark.parametrize(("sampling", "std", "epsilon"), CASES, ids=str)
def test_no_pair_over_a_small_domain_exceeds_the_account_of_one_step_and_one_reaches_it(
    sampling: Sampling, std: float, epsilon: float
) -> None:
    found = max(
        divergence(*(step(sampling, data, QUESTIONS[0], std, 4000) for data in both), epsilon) for both in pairs(sampling)
    )
    account = certify(Mechanism(sampling, 1, 1.0), std, epsilon, found).delta
    assert found * (1 - 1e-9) <= account <= found * 1.003


@pytest.mark.parametrize(("sampling", "std", "epsilon"), CASES, ids=str)
def test_no_pair_and_no_second_question_exceeds_the_account_of_two_steps(
    sampling: Sampling, std: float, epsilon: float
) -> None:
    """The second question may depend on the sign of the first release. Poisson's account is reached."""
    largest, cells = 0.0, 200
    for data, other in pairs(sampling):
        first, first_other = (step(sampling, x, QUESTIONS[0], std, cells) for x in (data, other))
        second = [tuple(step(sampling, x, of, std, cells) for x in (data, other)) for of in QUESTIONS]
        sides = [slice(0, cells // 2), slice(cells // 2, cells)]
        total = 0.0
        for side in sides:  # the two signs are independent choices, so each takes its best question
            total += max(divergence(np.outer(first[side], p), np.outer(first_other[side], q), epsilon) for p, q in second)
        largest = max(largest, total)
    mechanism = Mechanism(sampling, 2, 1.0)
    account = certify(mechanism, std, epsilon, largest).delta
    assert largest * (1 - 1e-9) <= account
    assert lower_delta(mechanism, std, epsilon, largest) <= account
    if isinstance(sampling, Poisson):
        assert account <= 1.01 * largest
    else:
        assert largest * (1 - 1e-9) <= SQUARED_HINGE.prove(mechanism, std, epsilon, largest).delta


# --- what hardly counts in the laws above -------------------------------------------------------------


def test_what_is_infinite_counts_beside_gaussian_releases_too() -> None:
    """A mass of 1 at a loss of 0 and 3 at infinity, epsilon = 1, mu = 1: 3 and the profile 0.126936737..."""
    with ctx.workprec(128):
        for mu_squared, finite in ((arb(1), 0.126936737506644), (arb(0), 0.0)):
            found = checker.delta_of(law_of(1, infinite=3), 10, 0, arb(1), mu_squared)
            assert float(found.upper()) == pytest.approx(3.0 + finite, rel=1e-9)


@pytest.mark.parametrize("pair", ["remove", "add", "replace"])
def test_a_step_that_sees_every_row_keeps_what_lies_below_the_lowest_knot(pair: Any) -> None:
    """The grid is cut short on both sides: all of the mass is on it or infinite."""
    with ctx.workprec(256):
        law = checker.one_step(pair, arb(1), arb(1), Grid(3, 4, 4), 60)
        assert int(law.masses(1)) / 2.0**60 + float(law.lost) == pytest.approx(1.0, abs=1e-12)


def test_ratios_above_the_last_knot_are_charged_once_a_step() -> None:
    """The tail of a step is the profile of `remove` there, in closed form; the bound holds as many as there are steps."""
    q, r, grid, steps = 0.05, 1.0, Grid(6, 20, 0), 3
    exact = one_step_delta(q, r, grid.top * grid.width)[0]
    with ctx.workprec(256):
        made = checker.hinge_step("ball", arb(1) / 20, arb(1), grid, 80)
    assert made is not None
    assert float(made[1]) == pytest.approx(exact, rel=1e-9)
    of, proof = Mechanism(UniformIndex(20, "ball"), steps, 1.0), HingeProof(0.9, grid.bits, grid.top, 80, 0)
    assert checker.bound(of, 1.0, 3.0, proof) >= steps * exact


def test_what_leaves_the_range_of_the_expansion_is_charged() -> None:
    """An eighth moment M: M / (1 - e^-X)^7 goes into delta for each step, M / (1 - e^-X)^5 into the third moment."""
    w, z, X, far = 0.25, 4.0, 0.5, 1e-6
    low = 1.0 - math.exp(-X)
    spent, variance = [], []
    with ctx.workprec(128):
        for third, eighth in ((1e-4, 0.0), (1e-4, far), (1e-4 + far / low**5, 0.0)):
            found = checker.Moments(arb(1e-3), arb(third), arb(1e-5), arb(1e-6), {8: arb(eighth)})
            grown, lost = checker.variance_of_steps(found, 7, arb(w), arb(z), arb(X))
            assert grown is not None
            variance.append(float(grown))
            spent.append(float(lost))
    assert spent[1] - spent[2] == pytest.approx(7 * far / low**7, rel=1e-9)
    assert variance[1] == pytest.approx(variance[2], rel=1e-12)
