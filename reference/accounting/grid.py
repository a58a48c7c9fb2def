"""The grid of the privacy loss: its width and the knots at which a step's law is cut, chosen in floats.

None of this can make a bound wrong. A step's law is cut at knots, multiples of the width; each piece's mass goes to its two
ends so that both probabilities stay what they are, which can only raise a divergence. What a grid costs is that the variance of
the loss grows, by at most the width times the mean absolute loss near 0 and by a fixed share of the square elsewhere.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr, ndtr, ndtri_exp

from dppca.reference.accounting.checker import BITS_MAX, POINTS_MAX, Grid, pair_knots
from dppca.reference.accounting.mechanisms import Mechanism, Pair, check_ratio, check_target
from dppca.reference.rigour.validation import shown

#: Relative growth of the standard deviation that the grid may cause, about: the first, or the second where the first would need
#: more than LONG points for the losses of one step.
GRID_TOLERANCES = (1e-4, 5e-4)
LONG = 2**15
#: From this loss on 1 - e^-loss has too few digits of e^-loss: cells are divided between knots by their masses themselves.
FAR_LOSS = 8.0
#: The part of delta that may be spent on mass which is moved to infinity.
TAIL_SHARE = 1e-4


def choose_grid(mechanism: Mechanism, std: float, delta: float) -> Grid:
    """Return a grid that costs about GRID_TOLERANCES of the standard deviation, at this target delta.

    Raises:
        ValueError: an argument outside its range, or a composed law would need more than POINTS_MAX points.
    """
    delta = check_target(delta)
    r, q = check_ratio(mechanism, std), float(mechanism.sampling.rate)
    log_tail = math.log(TAIL_SHARE * delta / mechanism.steps)
    # Beyond it the mixture has a mass of at most 2 TAIL_SHARE delta / steps.
    reach = max(-float(ndtri_exp(min(log_tail, -0.7))), r - float(ndtri_exp(min(log_tail - math.log(q), -0.7))))
    x = np.linspace(-12.0, max(reach, r + 3.0), 8001)
    step = x[1] - x[0]
    loss = np.abs(log_ratio(q, r, x))
    mass = ((1.0 - q) * np.exp(-0.5 * x * x) + q * np.exp(-0.5 * (x - r) ** 2)) * step / math.sqrt(2.0 * math.pi)
    variance = float(mass @ loss**2) + mechanism.gaussian_ratio(std) ** 2 / mechanism.steps
    bits = 0
    for tolerance in GRID_TOLERANCES[::-1]:
        finer = bits
        while True:
            width = math.ldexp(1.0, -finer)
            added = float(mass @ np.minimum(loss * width, 0.25 * width * width))
            if added <= 2.0 * (1.0 + r * r) * tolerance * variance:
                break
            finer += 1
        if bits == 0 or float(loss[-1]) / width <= LONG:
            bits = finer
    width = math.ldexp(1.0, -bits)
    top = max(2, math.ceil(float(loss[-1]) / width))
    lowest = float(log_ratio(q, r, np.array(ndtri_exp(min(log_tail, -0.7)))))
    bottom = max(1, math.ceil(-max(lowest, math.log1p(-q) if q < 1.0 else -math.inf) / width))
    spread = 2.0 * (max(top, bottom) * width + 8.0 * math.sqrt(mechanism.steps * variance))
    if spread / width > POINTS_MAX:
        raise ValueError(
            f"steps = {mechanism.steps} at std = {std!r} need about {spread / width:.2g} grid points, more than {POINTS_MAX}; "
            "take a larger delta, a larger std or fewer steps"
        )
    if bits + 2 > BITS_MAX:  # a lower bound's grid is finer
        raise ValueError(
            f"a row must be drawn at a larger rate than {q:.2g}, or std must be < {std!r}: no grid resolves such a step"
        )
    return Grid(bits, top, bottom)


def log_ratio(q: float, r: float, x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the logarithm of the density of (1 - q) N(0, 1) + q N(r, 1) over that of N(0, 1) at x."""
    y = r * x - 0.5 * r * r
    with np.errstate(divide="ignore"):  # log(1 - q) for q = 1
        far = np.logaddexp(np.log1p(-q), math.log(q) + y)
    return np.asarray(np.where(np.abs(y) < 1.0, np.log1p(q * np.expm1(np.clip(y, -1.0, 1.0))), far))


def check_grid(grid: Any) -> Grid:
    """Return what is a `Grid`; ValueError otherwise."""
    if not isinstance(grid, Grid):
        raise ValueError(f"grid must be a Grid or None, got {shown(grid)}")  # noqa: TRY004 - every refusal is a ValueError
    return grid


@dataclass(frozen=True)
class FloatLaw:
    """A step's loss in floats: masses[j] at (lowest + j) grid widths, the rest at infinity."""

    lowest: int
    masses: NDArray[np.float64]
    infinite: float


def law(q: float, r: float, grid: Grid, pair: Pair) -> FloatLaw:
    """Return the pessimistic law of a step's loss on the grid."""
    points = np.array(pair_knots(grid, pair))
    t = points * grid.width
    floor = math.log1p(-q) if q < 1.0 else -math.inf
    x = np.full(len(t), -np.inf)
    inside = t > floor
    x[inside] = (_excess(q, t[inside]) + 0.5 * r * r) / r
    base, shifted = _cells(x), _cells(x - r)
    mixture = (1.0 - q) * base + q * shifted
    surplus = q * (shifted - base)
    up = _moved_up(base, mixture, surplus, t)
    low_end = np.clip(up * np.exp(-t[1:]), 0.0, base)
    base_above, mixture_above = float(ndtr(-x[-1])), float((1.0 - q) * ndtr(-x[-1]) + q * ndtr(r - x[-1]))
    base_below, mixture_below = float(ndtr(x[0])), float((1.0 - q) * ndtr(x[0]) + q * ndtr(x[0] - r))
    least = {"remove": -grid.bottom, "add": -grid.top, "replace": -grid.top}[pair]
    masses = np.zeros({"remove": grid.top, "add": grid.bottom, "replace": grid.top}[pair] - least + 1)
    if pair != "add":
        np.add.at(masses, points[1:] - least, up)
        np.add.at(masses, points[:-1] - least, mixture - up)
    if pair == "remove":
        masses[0] += mixture_below
        return FloatLaw(least, masses, mixture_above)
    np.add.at(masses, -points[1:] - least, low_end)
    np.add.at(masses, -points[:-1] - least, base - low_end)
    masses[0] += base_above
    if pair == "add":
        return FloatLaw(least, masses, base_below)
    masses[-least] += (1.0 - q) * (1.0 - 2.0 * float(ndtr(-0.5 * r)))
    return FloatLaw(least, masses, mixture_above)


def knot_masses(
    q: float, r: float, t: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return, for losses t >= 0 of `remove` that increase, the cells' masses under the second law, and what the first adds.

    The last cell is open. The third array has, for each other cell, the part of its mass that moves to its upper knot.
    """
    x = (_excess(q, t) + 0.5 * r * r) / r
    base = np.append(_cells(x), ndtr(-x[-1]))
    surplus = q * (np.append(_cells(x - r), ndtr(r - x[-1])) - base)
    up = _moved_up(base[:-1], (base + surplus)[:-1], surplus[:-1], t)
    return base, surplus, up


def _moved_up(
    base: NDArray[np.float64], mixture: NDArray[np.float64], surplus: NDArray[np.float64], t: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the part of each cell's mass that moves to its upper knot, so that both laws keep theirs.

    `surplus` is mixture - base. The gain is e^-t mixture - base: near 0 the surplus has its digits, far above e^-t itself.
    """
    low = t[:-1]
    gain = np.where(low < FAR_LOSS, surplus + mixture * np.expm1(-low), mixture * np.exp(-low) - base)
    return np.asarray(np.clip(gain / (-np.exp(-low) * np.expm1(low - t[1:])), 0.0, mixture))


def _excess(q: float, t: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return log((e^t - 1 + q) / q)."""
    near = np.abs(t) < 1.0
    close = np.log1p(np.expm1(np.where(near, t, 0.0)) / q)
    return np.where(near, close, t - math.log(q) + np.log1p((q - 1.0) * np.exp(np.where(near, 0.0, -t))))


def _cells(edges: NDArray[np.float64]) -> NDArray[np.float64]:
    low, high = edges[:-1], edges[1:]
    right = low > 0.0
    return np.asarray(ndtr(np.where(right, -low, high)) - ndtr(np.where(right, -high, low)))


def log_gaussian_tail(x: NDArray[np.float64], mu: float) -> NDArray[np.float64]:
    """Return log E (1 - exp(x - G))_+ for the loss G of a Gaussian release of ratio mu; G = 0 for mu = 0."""
    if mu == 0.0:
        return np.log(-np.expm1(np.minimum(x, 0.0)), where=x < 0.0, out=np.full(len(x), -np.inf))
    kept, tail = log_ndtr(0.5 * mu - x / mu), log_ndtr(-0.5 * mu - x / mu)
    gap = np.minimum(x + tail - kept, 0.0)
    return np.asarray(kept + np.log(-np.expm1(gap), where=gap < 0.0, out=np.full(len(x), -np.inf)))
