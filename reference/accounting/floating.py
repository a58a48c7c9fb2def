"""The account on a grid: in floats it is fast, close to the proved one, and not proved.

The composed law is one FFT of the exponentially tilted law of a step, so that small deltas keep their relative accuracy. Its
errors are not bounded here: `checker` does what this cannot.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.fft import irfft, next_fast_len, rfft
from scipy.optimize import brentq
from scipy.special import logsumexp

from dppca.reference.accounting.certificates import Certificate
from dppca.reference.accounting.checker import Grid, GridProof, Progress
from dppca.reference.accounting.grid import TAIL_SHARE, FloatLaw, check_grid, choose_grid, law, log_gaussian_tail
from dppca.reference.accounting.mechanisms import (
    RATIO_MAX,
    RATIO_MIN,
    Mechanism,
    Statement,
    check_level,
    check_mechanism,
    check_progress,
    check_ratio,
    check_std,
    check_target,
)
from dppca.reference.accounting.methods import FirstMethod
from dppca.reference.rigour.validation import shown

#: e to this is a float.
LOWEST_LOSS = 700.0
#: Logarithm of the tilted mass that may lie outside the FFT's window, on each side.
LOG_OUTSIDE = -34.0
#: A delta below this one is not resolved.
SETTLED_MIN = 1e-100
#: Bits of the masses beyond what the target delta and the number of additions need.
SPARE_BITS = 24


def estimate_delta(mechanism: Mechanism, std: float, epsilon: float, *, like: float = 1e-6, grid: Grid | None = None) -> float:
    """Return delta at this epsilon, in floats.

    Args:
        mechanism: what is composed.
        std: standard deviation of a step's noise, per coordinate.
        epsilon: >= 0.
        like: the size of delta that the grid is made for.
        grid: the grid; chosen where it is absent.
    """
    epsilon, std = check_level(epsilon), check_std(std)
    r = check_ratio(mechanism, std)
    if grid is not None and check_grid(grid).bottom * grid.width > LOWEST_LOSS:
        raise ValueError(f"grid must have a bottom of at most {LOWEST_LOSS:g} / width in floats, got {shown(grid)}")
    grid = choose_grid(mechanism, std, check_target(like, "like")) if grid is None else grid
    q, mu = float(mechanism.sampling.rate), mechanism.gaussian_ratio(std)
    return max(composed_delta(law(q, r, grid, pair), grid, mechanism.steps, epsilon, mu) for pair in mechanism.sampling.pairs)


def composed_delta(one: FloatLaw, grid: Grid, steps: int, epsilon: float, mu: float) -> float:
    """Return the delta of `steps` losses of this law, beside a Gaussian release of ratio mu."""
    infinite = -math.expm1(steps * math.log1p(-min(one.infinite, 0.5)))
    if steps * (one.lowest + int(np.flatnonzero(one.masses > 0.0)[-1])) * grid.width <= epsilon and mu == 0.0:
        return min(1.0, infinite)
    sums, log_masses, tilted = composition(one, grid, steps, epsilon, mu)
    log_weights = log_masses + log_gaussian_tail(epsilon - sums, mu)
    return min(1.0, max(0.0, float(tilted @ np.exp(log_weights))) + infinite)


def composition(
    one: FloatLaw, grid: Grid, steps: int, epsilon: float, mu: float
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return the values of the sum of `steps` losses near epsilon, and a logarithm and a factor whose product is the mass.

    Args:
        one: a step's law.
        grid: the grid of its losses.
        steps: how many are added.
        epsilon: where the tilt puts the mean; below the largest sum, unless mu > 0.
        mu: ratio of a Gaussian release beside the steps, which shares the tilt and is not in the law.

    Returns:
        The values, increasing; the logarithms of what each is multiplied by; the tilted masses, with the errors of the FFT.
    """
    support = np.flatnonzero(one.masses > 0.0)
    values = (one.lowest + support) * grid.width
    log_mass = np.log(one.masses[support])

    def cumulant(t: float) -> float:
        return float(logsumexp(log_mass + t * values))

    def mean_excess(t: float) -> float:
        return steps * float(np.exp(log_mass + t * values - cumulant(t)) @ values) + mu * mu * (t + 0.5) - epsilon

    t = _nonnegative_root(mean_excess)
    centre = cumulant(t)
    tilted = np.exp(log_mass + t * values - centre)
    mean = float(tilted @ values)
    deviation = math.sqrt(steps * max(float(tilted @ (values - mean) ** 2), grid.width**2))

    def reach(sign: float) -> float:
        """A Chernoff bound on how far the sum strays from its mean on this side."""
        slopes: list[float] = (np.geomspace(0.5, 64.0, 22) / deviation).tolist()
        return min((steps * (cumulant(t + sign * s) - centre - sign * s * mean) - LOG_OUTSIDE) / s for s in slopes)

    low = math.floor((steps * mean - reach(-1.0)) / grid.width) - 1
    high = math.ceil((steps * mean + reach(1.0)) / grid.width) + 1
    length = next_fast_len(max(high - low, 16), real=True)
    ring = np.bincount((one.lowest + support) % length, weights=tilted, minlength=length)
    composed = np.roll(irfft(rfft(ring) ** steps, length), -low)  # entry j: index low + j
    sums = (np.arange(length, dtype=np.float64) + low) * grid.width
    return sums, steps * centre - t * sums, composed


def _nonnegative_root(function: Callable[[float], float]) -> float:
    """Return the root of an increasing function on [0, inf), 0 where it is positive from the start."""
    if function(0.0) >= 0.0:
        return 0.0
    high = 1.0
    while function(high) < 0.0:
        high *= 2.0
    return float(brentq(function, 0.0, high, xtol=1e-9))


def grid_proof(mechanism: Mechanism, grid: Grid, delta: float, share: float | None = None) -> GridProof:
    """Return the numbers of a proof on this grid; rounding up adds at most 2^-scale for each step and each point."""
    points = 8.0 * (grid.top + grid.bottom + 2)
    scale = math.ceil(math.log2(mechanism.steps * points / delta)) + SPARE_BITS
    budget = max(0, math.floor(math.ldexp(TAIL_SHARE * delta, scale)))
    return GridProof(grid.bits, grid.top, grid.bottom, scale, budget, share)


def settled(estimate: Callable[[float], float]) -> float:
    """Return delta on a grid made for a delta of its own size; a number below SETTLED_MIN says no more than that."""
    like, factor = 1e-3, 1e-2
    while (found := estimate(like)) <= 0.1 * like and like > SETTLED_MIN:
        like, factor = max(like * factor, SETTLED_MIN), factor * factor
    return estimate(min(max(found, SETTLED_MIN), 0.5))


class SampledSteps(FirstMethod):
    """The composed law of sampled steps, on a grid."""

    def applies(self, of: Statement, std: float) -> bool:  # noqa: ARG002 - what is outside its range is an error
        """Return whether the statement is of sampled steps."""
        return isinstance(of, Mechanism)

    def stds(self, of: Statement, epsilon: float, delta: float) -> tuple[float, float, float]:  # noqa: ARG002 - for all
        """Return the range of the grid's standard deviations."""
        of = check_mechanism(of)
        least, most = of.sensitivity / RATIO_MAX, of.sensitivity / RATIO_MIN
        return least, min(max(of.sensitivity, of.unsampled, least), most), most

    def delta(self, of: Statement, std: float, epsilon: float, like: float | None = None) -> float:
        """Return `estimate_delta`."""
        of = check_mechanism(of)
        if like is None:
            return settled(lambda size: estimate_delta(of, std, epsilon, like=size))
        return estimate_delta(of, std, epsilon, like=like)

    def propose(self, of: Statement, std: float, epsilon: float, like: float) -> GridProof:  # noqa: ARG002 - at all epsilons
        """Return the numbers of a proof on the grid for this delta."""
        of = check_mechanism(of)
        return grid_proof(of, choose_grid(of, std, like), check_target(like))


SAMPLED_STEPS = SampledSteps()


def certify(
    mechanism: Mechanism,
    std: float,
    epsilon: float,
    delta: float,
    *,
    grid: Grid | None = None,
    progress: Progress | None = None,
) -> Certificate:
    """Return a certificate of the smallest delta that the arithmetic gives on a grid made for the delta that is named.

    Args:
        mechanism: what is composed.
        std: standard deviation of a step's noise, per coordinate.
        epsilon: >= 0.
        delta: the size of delta that the grid, the bits and the tail are made for, in (0, 1).
        grid: the grid; chosen where it is absent.
        progress: called with the number of products done and of all.

    Returns:
        A certificate whose delta may be above or below the one named: it is what was proved.
    """
    epsilon, std, delta = check_level(epsilon), check_std(std), check_target(delta)
    check_ratio(mechanism, std)
    check_progress(progress)
    grid = choose_grid(mechanism, std, delta) if grid is None else check_grid(grid)
    return SAMPLED_STEPS.certified(mechanism, std, epsilon, grid_proof(mechanism, grid, delta), progress)
