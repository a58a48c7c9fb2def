"""Lower bounds on delta in integers and balls: the transcript's law for one pair of datasets.

With all rows but one without effect, T steps are T copies of `remove`, ((1 - q) N(0) + q N(r), N(0)), or of `add`,
exchanged: so no account can go below. Outcomes are merged, which is post-processing, until each merged loss is a point of
the grid or a little worse for the adversary; masses are rounded down, and what is left over is dropped.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from flint import arb, ctx, fmpz, fmpz_poly
from scipy.optimize import brentq
from scipy.special import ndtr

from dppca.reference.accounting.checker import Grid, knots, position
from dppca.reference.accounting.grid import TAIL_SHARE, check_grid, choose_grid, log_ratio
from dppca.reference.accounting.mechanisms import Mechanism, Poisson, check_level, check_mechanism, check_ratio, check_target
from dppca.reference.rigour.balls import BITS, ball, lower_float, normal_cdf, to_integer, whole
from dppca.reference.rigour.validation import shown

#: `triangle`: the points m, a, b of the note at mutual distance s.
LowerPair: TypeAlias = Literal["remove", "add", "triangle"]
#: Knots around a loss of 0: merging costs more than cutting, so they are denser than an upper bound's.
_FINE, _PER_E = 128, 100.0
#: Bits of the fractions in which outcomes are divided.
_FRACTION = 64
#: Standard normal deviations kept below.
_TAIL = 12.0
#: Smallest delta that a grid is made for here.
LOWER_DELTA_MIN = 1e-60
#: How far the lowest loss is moved to the safe side.
_NUDGE = 1e-15


def lower_delta(mechanism: Mechanism, std: float, epsilon: float, delta: float = 1e-3, *, grid: Grid | None = None) -> float:
    """Return a proved lower bound on delta at this epsilon, over all neighbours and all functions of this sensitivity.

    Args:
        mechanism: what is composed; releases that see every row are left out, which can only lower the bound.
        std: standard deviation of a step's noise, per coordinate.
        epsilon: >= 0.
        delta: the size of delta that the grid is made for, in [LOWER_DELTA_MIN, 1).
        grid: the grid; chosen where it is absent.
    """
    return max(pair_lower_delta(mechanism, std, epsilon, pair, delta, grid=grid) for pair in lower_pairs(mechanism))


def lower_pairs(mechanism: Mechanism) -> tuple[LowerPair, ...]:
    """Return the pairs of datasets that the mechanism has."""
    check_mechanism(mechanism)
    if isinstance(mechanism.sampling, Poisson) or mechanism.sampling.shape == "ball":
        return ("remove", "add")
    return ("remove", "add", "triangle")


def pair_lower_delta(
    mechanism: Mechanism,
    std: float,
    epsilon: float,
    pair: LowerPair,
    delta: float = 1e-3,
    *,
    grid: Grid | None = None,
) -> float:
    """Return the lower bound of one pair of datasets."""
    check_level(epsilon)
    if check_target(delta) < LOWER_DELTA_MIN:
        raise ValueError(f"delta must be >= {LOWER_DELTA_MIN:g}, below which a lower bound takes minutes, got {shown(delta)}")
    r = check_ratio(mechanism, std)
    if pair not in lower_pairs(mechanism):
        raise ValueError(f"pair must be one of {lower_pairs(mechanism)}, got {shown(pair)}")
    grid = finer(choose_grid(mechanism, std, delta)) if grid is None else check_grid(grid)
    steps, scale = mechanism.steps, math.ceil(math.log2(mechanism.steps * 16.0 * (grid.top + grid.bottom + 2) / delta)) + 24
    with ctx.workprec(BITS):
        exact_q, exact_r = ball(mechanism.sampling.rate), ball(mechanism.sensitivity) / ball(std)
        floats = float(mechanism.sampling.rate), r
        if pair == "triangle":
            one = _triangle(exact_q, exact_r, floats, grid, scale)
        else:
            one = _one_dimensional(pair, exact_q, exact_r, floats, grid, scale)
        budget = math.floor(math.ldexp(TAIL_SHARE * delta, scale))
        law = power(one, steps, scale, budget)
        return max(0.0, lower_float(_delta(law, grid, scale, steps * ball(one.origin), ball(epsilon))))


def finer(grid: Grid) -> Grid:
    """Return a grid of a quarter of the width: merging cells costs more than cutting them."""
    return Grid(grid.bits + 2, 4 * grid.top, 4 * grid.bottom)


@dataclass(frozen=True)
class LowerLaw:
    """Masses in units of 2^-scale, rounded down: masses[j] at a loss of at least (copies) origin + (lowest + j) widths."""

    origin: float
    lowest: int
    masses: Any


def _knots(origin: float, grid: Grid) -> list[int]:
    """Return the grid points, counted from the origin, at which cells are merged: dense around a loss of 0."""
    centre = max(0, round(-origin / grid.width))
    below, above = (knots(last, _FINE, _PER_E) for last in (centre, max(2, grid.top)))
    return [centre - k for k in below[:0:-1]] + [centre + k for k in above]


def edges_between(losses: list[Any]) -> list[Any]:
    """Return the losses that part the cells: each cell reaches from 1/4 of the way below its point to 3/4 of the way above."""
    return [losses[0] + (losses[1] - losses[0]) * 3 / 4] + [a + (b - a) * 3 / 4 for a, b in itertools.pairwise(losses[1:])]


def _one_dimensional(
    pair: Literal["remove", "add"], q: Any, r: Any, floats: tuple[float, float], grid: Grid, scale: int
) -> LowerLaw:
    """Return the merged law of `remove` or `add`, which are monotone in one variable."""
    sign = 1 if pair == "remove" else -1
    first, origin = _lowest_cell(*floats, grid.width)
    origin -= sign * _NUDGE * max(1.0, abs(origin))
    points = _knots(origin, grid)
    losses = [ball(origin) + ball(grid.width) * j for j in points]
    edges = [arb(first), *(position(q, r, edge.exp()) for edge in edges_between(losses)[1:])]
    base_above = [normal_cdf(-x) for x in edges]
    mixture_above = [(1 - q) * b + q * normal_cdf(r - x) for b, x in zip(base_above, edges, strict=True)]
    B = [1 - base_above[0], *(a - b for a, b in itertools.pairwise(base_above)), base_above[-1]]
    M = [1 - mixture_above[0], *(a - b for a, b in itertools.pairwise(mixture_above)), mixture_above[-1]]
    return _merged(M, B, origin, points, losses, sign, scale)


def _triangle(q: Any, r: Any, floats: tuple[float, float], grid: Grid, scale: int) -> LowerLaw:
    """Return the merged law of the pair (1 - q) N(m) + q N(a) against (1 - q) N(m) + q N(b), m, a, b an equilateral triangle.

    The plane is cut into rectangles, which are put into cells by the loss at their centres: any cut is post-processing.
    """
    rate, ratio = floats
    height, half = ratio * math.sqrt(0.75), 0.5 * ratio
    x, y = np.linspace(-7.5, height + 8.5, 420), np.linspace(-half - 8.0, half + 8.0, 420)
    u, v = 0.5 * (x[1:] + x[:-1]), 0.5 * (y[1:] + y[:-1])
    drawn = height * u - 0.5 * ratio * ratio
    a, b = np.exp(drawn[:, None] + half * v), np.exp(drawn[:, None] - half * v)
    loss = np.log1p(rate * (a - 1.0)) - np.log1p(rate * (b - 1.0))
    origin = -grid.width * grid.top
    points = _knots(origin, grid)
    losses = [ball(origin) + ball(grid.width) * j for j in points]
    inner = np.array([float(edge) for edge in edges_between(losses)])
    cell = np.searchsorted(inner, loss)

    def masses(edges: Any, centre: Any) -> list[Any]:
        above = [normal_cdf(centre - arb(float(edge))) for edge in edges]
        return [p - s for p, s in itertools.pairwise(above)]

    exact_height = r * (arb(3) / 4).sqrt()
    across = {0: masses(x, arb(0)), 1: masses(x, exact_height)}
    along = {0: masses(y, arb(0)), 1: masses(y, r / 2), -1: masses(y, -r / 2)}
    M, B = [arb(0)] * len(points), [arb(0)] * len(points)
    for i, row in enumerate(cell):
        ends = np.flatnonzero(np.diff(row, prepend=-1, append=-1))
        for start, stop in itertools.pairwise(ends):
            common, one, other = (sum(along[c][start:stop], arb(0)) for c in (0, 1, -1))
            j = int(row[start])
            M[j] += (1 - q) * across[0][i] * common + q * across[1][i] * one
            B[j] += (1 - q) * across[0][i] * common + q * across[1][i] * other
    return _merged(M, B, origin, points, losses, 1, scale)


def _merged(M: list[Any], B: list[Any], origin: float, points: list[int], losses: list[Any], sign: int, scale: int) -> LowerLaw:
    """Return the law of cells with masses M, B: from the top down, part of each next lower cell joins a cell.

    That makes its loss log(M / B) the grid point's. sign = -1 exchanges M and B: the law is B's, of minus these losses.
    """
    growth = [loss.exp() for loss in losses]
    masses = [0] * (points[-1] + 1)
    kept = arb(1)
    for i in range(len(points) - 1, -1, -1):
        m, b, taken = kept * M[i], kept * B[i], arb(0)
        if i > 0:
            excess, room = m - growth[i] * b, growth[i] * B[i - 1] - M[i - 1]
            if excess > 0 and room > 0:
                taken = _fraction(excess / room, up=sign < 0)
                if taken >= 1:
                    taken = arb(0)
            m, b = m + taken * M[i - 1], b + taken * B[i - 1]
        for at in (i, i - 1):  # where the grid point is not reached, the next lower one may be
            if at >= 0 and sign * (m - growth[at] * b) >= 0 and (sign > 0 or at == i):
                masses[points[at]] += max(0, to_integer(m if sign > 0 else b, scale, up=False))
                break
        kept = 1 - taken
    return LowerLaw(origin, 0, fmpz_poly(masses)) if sign > 0 else LowerLaw(-origin, -points[-1], fmpz_poly(masses[::-1]))


def _fraction(x: Any, *, up: bool) -> Any:
    return arb(to_integer(x, _FRACTION, up=up)) * arb(2) ** (-_FRACTION)


def _lowest_cell(q: float, r: float, width: float) -> tuple[float, float]:
    """Return the upper edge of the lowest cell and the grid's origin, 3/4 width below the edge's loss: the cell's own loss.

    Where the cell below -_TAIL is already wider than that, its mass is dropped.
    """

    def origin(x: float) -> float:
        return float(log_ratio(q, r, np.array(x))) - 0.75 * width

    def excess(x: float) -> float:
        base, shifted = float(ndtr(x)), float(ndtr(x - r))
        change = q * (shifted / base - 1.0)
        return origin(x) - math.log1p(change) if change > -1.0 else math.inf

    if excess(-_TAIL) >= 0.0:
        return -_TAIL, origin(-_TAIL)
    edge = float(brentq(excess, -_TAIL, r + _TAIL, xtol=1e-14))
    return edge, math.log1p(q * (float(ndtr(edge - r)) / float(ndtr(edge)) - 1.0))


def power(one: LowerLaw, steps: int, scale: int, budget: int) -> LowerLaw:
    """Return the law of the sum of `steps` losses, rounded down; `budget` is the mass that may be dropped, about."""
    unit, share = fmpz(1 << scale), budget // (4 * steps.bit_length())

    def product(a: tuple[int, Any], b: tuple[int, Any], count: int) -> tuple[int, Any]:
        lowest, masses, least = a[0] + b[0], (a[1] * b[1]) // unit, share * count // steps
        high, dropped = masses.length(), 0
        while high > 1 and dropped + int(masses[high - 1]) <= least:
            high -= 1
            dropped += int(masses[high])
        low, dropped = 0, 0
        while low < high - 1 and dropped + int(masses[low]) <= least:
            dropped += int(masses[low])
            low += 1
        return lowest + low, masses.truncate(high).right_shift(low)

    base = (one.lowest, one.masses)
    law, count = base, 1
    for bit in bin(steps)[3:]:
        law, count = product(law, law, 2 * count), 2 * count
        if bit == "1":
            law, count = product(law, base, count + 1), count + 1
    return LowerLaw(one.origin, *law)


def _delta(law: LowerLaw, grid: Grid, scale: int, shift: Any, epsilon: Any) -> Any:
    width = ball(grid.width)
    first = max(0, whole(((epsilon - shift) / width).upper().floor()) - law.lowest + 1)
    above = law.masses.right_shift(first)
    start = (epsilon - shift - width * (law.lowest + first)).exp()
    return (above(1) - start * above((-width).exp())) * arb(2) ** (-scale)
