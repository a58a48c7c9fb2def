"""The account of a squared hinge: a replaced row's steps, without two tails at once.

delta is the mean of (t - gamma)^+, t the product of the steps' likelihood ratios. A parabola from g < gamma on,
f(t) = ((t - g)^+)^2 / (4 (gamma - g)), lies above. For functions like it, convex with an increasing second derivative, one
law of a step's ratio is at least as bad as every pair of values: above 1 the tail of `remove`, below 1 a single point, with
the second moment that no pair exceeds. So the composed law bounds f, and delta. Where a ball holds the values that is better
than the grid's account, which takes the worse tails of two pairs. Why it is right: proofs_notes/accounting.md, *A squared
hinge*.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar

from dppca.reference.accounting.balls import BITS, ball, flint, normal_cdf, to_integer, upper_float
from dppca.reference.accounting.certificates import (
    SPARE_BITS,
    MechanismCertificate,
    Progress,
    divide_up,
    first_proved,
    position,
)
from dppca.reference.accounting.floating import composition
from dppca.reference.accounting.grid import TAIL_SHARE, Grid, Law, choose_grid, knot_masses, knots
from dppca.reference.accounting.mechanisms import (
    Mechanism,
    Poisson,
    Shape,
    check_level,
    check_mechanism,
    check_ratio,
)
from dppca.reference.accounting.stored import check_integer
from dppca.reference.primitives.validation import check_real

#: What is dropped from the top counts with its second moment, so less of it is dropped than on the grid.
DROPPED_SHARE = TAIL_SHARE / 16.0
#: Searches end when the two sides are this close, relatively; a certificate that fails raises the value by as much.
HINGE_TOLERANCE = 1e-4


@dataclass(frozen=True)
class HingeCertificate(MechanismCertificate):
    """A proved statement: `mechanism` at this std is (epsilon, delta)-DP. `check` proves it again, without a search.

    The parabola begins at e^epsilon (1 - gap). `bits` and `top` are the grid's, `scale` the bits of the masses, `budget` the
    mass in units of 2^-scale that a product may drop from the top, which is charged in full. Any integers, top and scale >= 1,
    bits and budget >= 0, and any gap in (0, 1) give an upper bound; others raise ValueError, as do mechanisms with other
    releases or other neighbours than a replaced row.
    """

    kind = "hinge"
    gap: float
    bits: int
    top: int
    scale: int
    budget: int

    def __post_init__(self) -> None:
        super().__post_init__()
        if not applies(self.mechanism):
            raise ValueError(f"mechanism must replace a row and have no releases beside the steps, got {self.mechanism!r}")
        if not 0.0 < check_real("gap", "in (0, 1)", self.gap) < 1.0:
            raise ValueError(f"gap must be in (0, 1), got {self.gap!r}")
        for name, least in (("bits", 0), ("top", 1), ("scale", 1), ("budget", 0)):
            check_integer(name, getattr(self, name), least)

    def bound(self, progress: Progress | None = None) -> float:
        """Return the delta that the arithmetic gives; 1 where no point below 1 has the second moment that is needed."""
        grid = Grid(self.bits, self.top, 0)
        with flint().ctx.workprec(BITS):
            q, r = ball(self.mechanism.sampling.rate), ball(self.mechanism.sensitivity) / ball(self.std)
            made = one_step(shape_of(self.mechanism), q, r, grid, self.scale)
            if made is None:
                return 1.0
            one, tail = made
            growth = ball(grid.width).exp()
            law = _power(one, self.mechanism.steps, self.scale, self.budget, growth, progress)
            level = ball(self.epsilon).exp()
            delta = _hinge_mean(law, self.scale, growth, grid.width, level * (1 - ball(self.gap))) + law.dropped
            delta = delta / (4 * level * ball(self.gap)) + self.mechanism.steps * tail
            return upper_float(delta) if delta < 1 else 1.0


def applies(mechanism: Mechanism) -> bool:
    """Return whether the account is of this mechanism: rows are replaced, and no other releases stand beside the steps."""
    return not isinstance(mechanism.sampling, Poisson) and mechanism.unsampled == 0.0 and mechanism.fixed_ratio == 0.0


def shape_of(mechanism: Mechanism) -> Shape:
    """Return what is known of the values; ValueError for Poisson sampling."""
    check_mechanism(mechanism)
    if isinstance(mechanism.sampling, Poisson):
        raise ValueError(f"sampling must replace a row, got {mechanism.sampling!r}")  # noqa: TRY004 - every refusal is a ValueError
    return mechanism.sampling.shape


def second_moment(shape: Shape, r: Any) -> Any:
    """Return the largest E (R - 1)^2 of a step's likelihood ratio R over all pairs, divided by the squared rate.

    Args:
        shape: whether a ball of diameter r holds the three means, or they are at mutual distance at most r.
        r: sensitivity / std, a ball.
    """
    square = r * r
    return square.expm1() if shape == "ball" else 2 * (square.exp() - (square / 2).exp())


# --- one step -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class HingeLaw:
    """Masses of the first law in units of 2^-scale, rounded up: masses[j] at a loss of (lowest + j) grid widths.

    `dropped` is a ball above the second moment, under the second law, of the ratios that are left out.
    """

    lowest: int
    masses: Any
    dropped: Any


def one_step(shape: Shape, q: Any, r: Any, grid: Grid, scale: int) -> tuple[HingeLaw, Any] | None:
    """Return the law that is as bad as every pair's, and what a step's ratios above the last knot add to delta.

    Args:
        shape: what is known of the values of a step's function.
        q: probability that a step draws a given row, a ball.
        r: sensitivity / std, a ball.
        grid: the grid; `bottom` is not used.
        scale: bits of the masses.

    Returns:
        The law and a ball; None where no point below 1 has the second moment that is needed.
    """
    points, width = knots(grid.top), ball(grid.width)
    inverse = [(-(width * j)).exp() for j in points]
    base, mixture = [], []  # mass above each knot
    for low in inverse:
        x = position(q, r, 1 / low)  # knots are at losses >= 0, so there is one
        base.append(normal_cdf(-x))
        mixture.append((1 - q) * base[-1] + q * normal_cdf(r - x))
    masses: dict[int, Any] = {}
    squares = (mixture[-1] - base[-1]) ** 2 / base[-1]
    for i, (j, k) in enumerate(itertools.pairwise(points)):
        m, b = mixture[i] - mixture[i + 1], base[i] - base[i + 1]
        up = (m * inverse[i] - b) / (inverse[i] - inverse[i + 1])
        _add(masses, k, up)
        _add(masses, j, m - up)
        squares += (m - b) ** 2 / b  # at most the cell's own
    _add_point(masses, mixture[-1], base[-1], grid)
    surplus, needed = mixture[0] - base[0], q * q * second_moment(shape, r) - squares
    below, room = None, 1 - base[0]
    if needed > 0:
        below = surplus * surplus / needed
    if below is None or not below < room:
        below = room
    if not below > surplus:
        return None
    _add_point(masses, below - surplus, below, grid)
    _add(masses, 0, room - below)
    tail = mixture[-1] - base[-1] / inverse[-1]
    lowest, highest = min(masses), max(masses)
    listed = [0] * (highest - lowest + 1)
    for j, mass in masses.items():
        listed[j - lowest] = max(0, to_integer(mass, scale, up=True))
    return HingeLaw(lowest, flint().fmpz_poly(listed), flint().arb(0)), tail


def _add(masses: dict[int, Any], j: int, mass: Any) -> None:
    masses[j] = masses[j] + mass if j in masses else mass


def _add_point(masses: dict[int, Any], m: Any, b: Any, grid: Grid) -> None:
    """Add a point with mass m under the first law and b under the second, divided between the grid points beside log(m / b).

    Below -`top` it moves up to there, which keeps m alone.
    """
    at = float((m / b).log()) / grid.width
    if at <= -grid.top:
        _add(masses, -grid.top, m)
        return
    for j in (math.floor(at), math.floor(at) - 1, math.floor(at) + 1):  # the float may be on the wrong side of a grid point
        low, high = ((-(ball(grid.width) * k)).exp() for k in (j, j + 1))
        up = (m * low - b) / (low - high)
        if up >= 0 and m - up >= 0:
            _add(masses, j + 1, up)
            _add(masses, j, m - up)
            return
    raise ArithmeticError(f"a loss and a grid point agree to {BITS} bits")


# --- composition --------------------------------------------------------------------------------------


def _power(one: HingeLaw, steps: int, scale: int, budget: int, growth: Any, progress: Progress | None) -> HingeLaw:
    """Return the law of the sum of `steps` losses, rounded up; growth: e^width."""
    share = budget // (4 * steps.bit_length()) if steps > 1 else 0
    total, done = steps.bit_length() + steps.bit_count() - 2, 0
    law, count = one, 1

    def product(a: HingeLaw, b: HingeLaw, after: int) -> HingeLaw:
        nonlocal done
        done += 1
        if progress is not None:
            progress(done, total)
        unit = flint().arb(2) ** (-scale)
        here, there = (of.masses(growth) * growth**of.lowest * unit for of in (a, b))
        dropped = here * b.dropped + a.dropped * there + a.dropped * b.dropped
        joined = HingeLaw(a.lowest + b.lowest, divide_up(a.masses * b.masses, scale), _above(dropped))
        return _cut(joined, share * after // steps, growth, unit)

    for bit in bin(steps)[3:]:
        law, count = product(law, law, 2 * count), 2 * count
        if bit == "1":
            law, count = product(law, one, count + 1), count + 1
    return law


def _cut(law: HingeLaw, budget: int, growth: Any, unit: Any) -> HingeLaw:
    """Drop at most this much mass from the top, charge its second moment, and move as much at the bottom up."""
    masses, length = law.masses, law.masses.length()
    moved, high = 0, length
    while high > 1 and moved + int(masses[high - 1]) <= budget:
        high -= 1
        moved += int(masses[high])
    raised, low = 0, 0
    while low < high - 1 and raised + int(masses[low]) <= budget:
        raised += int(masses[low])
        low += 1
    lost = masses.right_shift(high)(growth) * growth ** (law.lowest + high) * unit if high < length else flint().arb(0)
    return HingeLaw(law.lowest + low, masses.truncate(high).right_shift(low) + raised, _above(law.dropped + lost))


def _above(x: Any) -> Any:
    return flint().arb(x.upper())


def _hinge_mean(law: HingeLaw, scale: int, growth: Any, width: float, start: Any) -> Any:
    """Return a ball whose upper end bounds the mean of ((t - start)^+)^2 under the second law; t^-1 of the masses is its mass.

    A point at or just below the start that is counted adds t^-1 (t - start)^2 >= 0.
    """
    first = max(0, int((start.log() / ball(width)).lower().floor().unique_fmpz()) - law.lowest)
    above, at = law.masses.right_shift(first), law.lowest + first
    total = above(growth) * growth**at - 2 * start * above(1) + start * start * above(1 / growth) * growth ** (-at)
    return total * flint().arb(2) ** (-scale)


# --- searches -----------------------------------------------------------------------------------------


def estimate_hinge(mechanism: Mechanism, std: float, epsilon: float, delta: float) -> tuple[float, float]:
    """Return the account's delta in floats, and the gap that makes it least; inf where it has none.

    Args:
        mechanism: what is composed, with a replaced row.
        std: standard deviation of a step's noise, per coordinate.
        epsilon: >= 0.
        delta: the size of delta that the grid is made for, in (0, 1).
    """
    check_level(epsilon)
    shape = shape_of(mechanism)
    grid = choose_grid(mechanism, std, delta)
    one = _float_law(shape, float(mechanism.sampling.rate), check_ratio(mechanism, std), grid)
    if one is None:
        return math.inf, 0.5
    highest = mechanism.steps * (one.lowest + len(one.masses) - 1) * grid.width
    sums, log_masses, tilted = composition(one, grid, mechanism.steps, min(epsilon, 0.9 * highest), 0.0)

    def log_value(log_gap: float) -> float:
        start = epsilon + math.log1p(-math.exp(log_gap))
        first = int(np.searchsorted(sums, start, side="right"))
        rest = sums[first:]
        log_payoff = 2.0 * np.log(np.expm1(rest - start)) + (2.0 * start - epsilon - math.log(4.0) - log_gap) - rest
        value = float(tilted[first:] @ np.exp(log_masses[first:] + log_payoff))
        return math.log(max(value, 1e-300))

    best = minimize_scalar(log_value, bounds=(math.log(1e-5), math.log(0.95)), method="bounded", options={"xatol": 1e-2})
    return math.exp(min(float(best.fun), 0.0)), math.exp(float(best.x))


def _float_law(shape: Shape, q: float, r: float, grid: Grid) -> Law | None:
    """Return `one_step` in floats."""
    points = np.array(knots(grid.top))
    base, surplus, up = knot_masses(q, r, points * grid.width)
    mixture = base + surplus  # the last cell is open
    masses: dict[int, float] = {}
    on_grid = np.zeros(2 * grid.top + 3)
    np.add.at(on_grid, points[1:] + grid.top, up)
    np.add.at(on_grid, points[:-1] + grid.top, mixture[:-1] - up)

    def add_point(m: float, b: float) -> None:
        at = max(math.log(m / b) / grid.width, float(-grid.top))
        j = math.floor(at)
        low, high = math.exp(-j * grid.width), math.exp(-(j + 1) * grid.width)
        part = min(max((m * low - b) / (low - high), 0.0), m)
        masses[j + 1], masses[j] = masses.get(j + 1, 0.0) + part, masses.get(j, 0.0) + m - part

    total, room = float(surplus.sum()), 1.0 - float(base.sum())
    with np.errstate(over="ignore"):
        largest = math.expm1(r * r) if shape == "ball" else 2.0 * (math.exp(r * r) - math.exp(0.5 * r * r))
    needed = q * q * largest - float(np.sum(surplus**2 / base))
    below = min(room, total * total / needed) if needed > 0.0 else room
    if below <= total:
        return None
    add_point(float(mixture[-1]), float(base[-1]))
    add_point(below - total, below)
    masses[0] = masses.get(0, 0.0) + room - below
    lowest, highest = min(-grid.top, *masses), max(grid.top + 2, *masses)
    listed = np.zeros(highest - lowest + 1)
    listed[-grid.top - lowest : -grid.top - lowest + len(on_grid)] = on_grid
    for j, mass in masses.items():
        listed[j - lowest] += mass
    return Law(lowest, listed, 0.0)


def certify_hinge(
    mechanism: Mechanism, std: float, epsilon: float, delta: float, *, progress: Progress | None = None
) -> HingeCertificate:
    """Return a certificate of the delta that the arithmetic gives on a grid made for the delta that is named.

    Args:
        mechanism: what is composed, with a replaced row and no other releases.
        std: standard deviation of a step's noise, per coordinate.
        epsilon: >= 0.
        delta: the size of delta that the grid, the bits and the tail are made for, in (0, 1).
        progress: called with the number of products done and of all.

    Raises:
        ValueError: an argument outside its range.
    """
    _, gap = estimate_hinge(mechanism, std, epsilon, delta)
    grid = choose_grid(mechanism, std, delta)
    room = 8.0 * (grid.top + grid.bottom + 2) * math.exp(2.0 * grid.top * grid.width) / gap
    scale = math.ceil(math.log2(mechanism.steps * room / delta)) + SPARE_BITS
    budget = max(0, math.floor(math.ldexp(DROPPED_SHARE * delta * gap, scale)))
    stated = HingeCertificate(mechanism, float(std), float(epsilon), 1.0, gap, grid.bits, grid.top, scale, budget)
    return replace(stated, delta=stated.bound(progress))


def smallest_hinge_std(
    mechanism: Mechanism, epsilon: float, delta: float, high: float, progress: Progress | None = None
) -> HingeCertificate | None:
    """Return a certificate with nearly the smallest std < high for this (epsilon, delta); None without one."""
    return first_proved(
        lambda std: estimate_hinge(mechanism, std, epsilon, delta)[0] <= delta,
        lambda std: certify_hinge(mechanism, std, epsilon, delta, progress=progress),
        max(0.5 * high, 1.001 * mechanism.sensitivity / 10.0),
        high,
        delta,
        HINGE_TOLERANCE,
    )


def least_hinge_epsilon(
    mechanism: Mechanism, std: float, high: float, delta: float, progress: Progress | None = None
) -> HingeCertificate | None:
    """Return a certificate with nearly the smallest epsilon < high at this std and delta; None without one."""
    return first_proved(
        lambda epsilon: estimate_hinge(mechanism, std, epsilon, delta)[0] <= delta,
        lambda epsilon: certify_hinge(mechanism, std, epsilon, delta, progress=progress),
        0.3 * high,
        high,
        delta,
        HINGE_TOLERANCE,
    )
