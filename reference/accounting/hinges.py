"""The account of a squared hinge: a replaced row's steps, without two tails at once.

delta is the mean of (t - gamma)^+, t the product of the steps' likelihood ratios. A parabola from g < gamma on,
f(t) = ((t - g)^+)^2 / (4 (gamma - g)), lies above. For functions like it, convex with an increasing second derivative, one
law of a step's ratio is at least as bad as every pair of values: above 1 the tail of `remove`, below 1 a single point, with
the second moment that no pair exceeds. So the composed law bounds f, and delta. Where a ball holds the values that is better
than the grid's account, which takes the worse tails of two pairs. Why it is right: proofs_notes/accounting/note.md, *A squared
hinge*.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.optimize import minimize_scalar

from dppca.reference.accounting.checker import Grid, HingeProof, knots
from dppca.reference.accounting.floating import SPARE_BITS, composition, settled
from dppca.reference.accounting.grid import TAIL_SHARE, FloatLaw, choose_grid, knot_masses
from dppca.reference.accounting.mechanisms import (
    RATIO_MAX,
    Mechanism,
    Poisson,
    Shape,
    Statement,
    check_level,
    check_mechanism,
    check_ratio,
)
from dppca.reference.accounting.methods import Method

#: What is dropped from the top counts with its second moment, so less of it is dropped than on the grid.
DROPPED_SHARE = TAIL_SHARE / 16.0


def shape_of(mechanism: Mechanism) -> Shape:
    """Return what is known of the values; ValueError where no row is replaced or something is released beside the steps."""
    check_mechanism(mechanism)
    if isinstance(mechanism.sampling, Poisson) or not mechanism.replaces_a_row:
        raise ValueError(f"mechanism must replace a row and have no releases beside the steps, got {mechanism!r}")
    return mechanism.sampling.shape


class SquaredHinge(Method):
    """The account of a squared hinge, which is slower than the others and often the best one."""

    on_demand = True

    def applies(self, of: Statement, std: float) -> bool:  # noqa: ARG002 - at every std
        """Return whether rows are replaced, not all are drawn, and no other releases stand beside the steps."""
        return isinstance(of, Mechanism) and of.replaces_a_row and not of.sees_every_row

    def delta(self, of: Statement, std: float, epsilon: float, like: float | None = None) -> float:
        """Return the account's delta; 1 where it has none."""
        of = check_mechanism(of)
        if of.sensitivity > RATIO_MAX * std:
            return 1.0
        if like is None:
            return settled(lambda size: min(1.0, estimate_hinge(of, std, epsilon, size)[0]))
        return min(1.0, estimate_hinge(of, std, epsilon, like)[0])

    def propose(self, of: Statement, std: float, epsilon: float, like: float) -> HingeProof:
        """Return the numbers of a proof, with the gap that makes delta least."""
        of = check_mechanism(of)
        _, gap = estimate_hinge(of, std, epsilon, like)
        grid = choose_grid(of, std, like)
        room = 8.0 * (grid.top + grid.bottom + 2) * math.exp(2.0 * grid.top * grid.width) / gap
        scale = math.ceil(math.log2(of.steps * room / like)) + SPARE_BITS
        budget = max(0, math.floor(math.ldexp(DROPPED_SHARE * like * gap, scale)))
        return HingeProof(gap, grid.bits, grid.top, scale, budget)


SQUARED_HINGE = SquaredHinge()


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
    one = float_law(shape, float(mechanism.sampling.rate), check_ratio(mechanism, std), grid)
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
        return math.log(value) if value > 0.0 else 1.0  # below 0 rounding is all of it: no bound

    best = minimize_scalar(log_value, bounds=(math.log(1e-5), math.log(0.95)), method="bounded", options={"xatol": 1e-2})
    return math.exp(min(float(best.fun), 0.0)), math.exp(float(best.x))


def float_law(shape: Shape, q: float, r: float, grid: Grid) -> FloatLaw | None:
    """Return `checker.hinge_step` in floats."""
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
    return FloatLaw(lowest, listed, 0.0)
