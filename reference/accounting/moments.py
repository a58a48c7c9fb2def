"""The accounts by moments of a step's likelihood ratio, in floats: many small steps, and Renyi moments of integer order.

Both rest on the reference variable of `checker`, here with sums over a line in the place of closed forms. Many small steps: a
step's second to fourth moments add up to the variance of one Gaussian release, and no noise is split. Renyi moments: the p-th
moment of all steps is at most the product of the steps' ones, and delta at epsilon at most that times the largest
(t - e^epsilon)^+ / t^p; nothing is expanded, so that it serves where there are few steps that also move a mean. Why they are
right: proofs_notes/accounting/note.md, *Many small steps* and *Renyi moments*.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from flint import ctx
from numpy.polynomial.polynomial import polyval
from numpy.typing import NDArray
from scipy.special import erfcx, gammaln, log_ndtr, logsumexp, ndtr

from dppca.reference.accounting.checker import FAR_MOMENTS, ORDER_MAX, STAGE, ReferenceVariable, RenyiProof, SmallStepsProof
from dppca.reference.accounting.mechanisms import Mechanism, Shuffled, SmallSteps, Statement, VarianceReduced, check_level
from dppca.reference.accounting.methods import Method
from dppca.reference.rigour.balls import BITS

Floats = NDArray[np.float64]

#: Values further apart than this many standard deviations are beyond both accounts.
MOST_WIDTH = 4.0
#: From here on, in logarithms, the tilted part of the reference variable is all of it, in floats.
FAR = 300.0
#: The account of small steps is tried from this many steps on, and for sampled steps up to this sensitivity / std.
SMALL_STEPS_MIN, SMALL_RATIO_MAX = 200, 1.0
#: Its parameters: the variance granted beforehand as a share of all, the reach above sqrt(2 log(1 / delta)), and the range in
#: units of a standard deviation over the reach.
SHARES = (0.003, 0.01, 0.03, 0.08, 0.2, 0.4)
REACHES = (0.6, 1.0, 1.5)
SWELLS = (0.3, 0.8, 1.6, 3.0, 5.0)


def in_small_steps(of: Statement) -> SmallSteps:
    """Return the bounds on a step; ValueError where there are none."""
    steps = None if isinstance(of, Shuffled) else of.small_steps()
    if steps is None:
        raise ValueError(f"mechanism must replace a row, draw fewer than all and have no releases beside the steps, got {of!r}")
    return steps


@lru_cache(maxsize=64)
def log_excess(steps: SmallSteps, std: float) -> Floats | None:
    """Return logarithms of the bounds on |E (R - 1)^m|, m = 0, ..., ORDER_MAX + 2; None where values are too far apart."""
    with ctx.workprec(BITS):
        of = ReferenceVariable(steps, std)
        q, width, level = float(of.rate), float(of.width), float(of.level)
        coefficients = [float(c) for c in of.polynomial]
    if width > MOST_WIDTH:
        return None
    x, gap = np.linspace(-14.0, 14.0 + (ORDER_MAX + 2) * width, 4001, retstep=True)
    log_tilted = width * x - 0.5 * width * width
    with np.errstate(divide="ignore"):
        near_size = np.log(np.abs(polyval(x, coefficients) + level * np.exp(np.minimum(log_tilted, FAR))))
    log_size = np.where(log_tilted < FAR, near_size, math.log(level) + log_tilted) + math.log(q)
    log_weight = math.log(gap / math.sqrt(2.0 * math.pi)) - 0.5 * x * x
    even = np.arange(2, ORDER_MAX + 3, 2)
    found = np.full(ORDER_MAX + 3, -math.inf)
    found[even] = logsumexp(even[:, None] * log_size + log_weight, axis=1) - (even - 1) * math.log1p(-q)
    found[3:-1:2] = 0.5 * (found[2:-2:2] + found[4::2])
    near = x < 14.0 + 4.0 * width
    line, tilt, weight = x[near], np.expm1(log_tilted[near]), np.exp(log_weight[near])
    variable = q * (polyval(line, coefficients) + level * (tilt + 1.0))
    spread = float(weight @ variable**4) * float(weight @ (variable * tilt) ** 2)
    third = float(weight @ variable**3) + 2.0 * q / (1.0 - q) ** 2 * math.sqrt(spread)
    found[3] = math.log(max(third, 1e-300))
    return found


# --- many small steps ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Costs:
    """What a choice of the parameters gives: the variance of the Gaussian loss (inf where none), and what goes into delta."""

    variance: Floats
    spent: Floats


def costs(log_moments: Floats, steps: int, start: Floats, reach: Floats, span: Floats) -> Costs:
    """Return `checker.variance_of_steps` in floats, for many choices of the parameters at once."""
    second, third, fourth, sixth = (math.exp(log_moments[m]) for m in (2, 3, 4, 6))
    low = -np.expm1(-span)
    first_beyond, third_beyond = (
        np.exp(np.min([log_moments[m] - (m - power) * np.log(low) for m in FAR_MOMENTS], axis=0)) for power in (1, 3)
    )
    stage = float(STAGE) - 1.0
    w, spent, left = start.copy(), np.zeros_like(start), np.full_like(start, float(steps))
    with np.errstate(all="ignore"):  # what overflows is no bound
        while (left > 0.0).any():
            root = np.sqrt(w)
            slope, inner = reach / root + 1.0, reach - span / root
            bent, pull = slope + span / w, slope / (1.0 - low)
            swell = pull * low
            grown = fourth + np.expm1(swell) / swell * pull * math.sqrt(fourth * sixth) / 5.0
            cost = second + slope / 3.0 * (third + third_beyond) + np.exp(2.0 * span) * (bent * bent + bent) / 12.0 * grown
            rise = cost * np.exp(1.5 * cost * (0.125 + 0.5 / w))
            fits = (inner > 0.0) & (rise * np.exp(-rise / 8.0) / np.sqrt(1.0 + rise / w) >= cost)
            far = 0.5 * second * np.exp(-0.5 * inner * inner + span) / (math.sqrt(2.0 * math.pi) * root) + first_beyond
            count = np.where(left > 0.0, np.minimum(left, np.maximum(1.0, np.floor(w * stage / rise))), 0.0)
            w = np.where(left > 0.0, np.where(fits, w + count * rise, math.inf), w)
            spent, left = spent + np.where(fits, count * far, 0.0), np.where(fits, left - count, 0.0)
    return Costs(w, spent)


def _profile(epsilon: float, mu: Floats) -> Floats:
    """Return the Gaussian profile, accurate where it is small; 1 for an infinite mu."""
    a = 0.5 * mu - epsilon / mu
    with np.errstate(all="ignore"):
        near = ndtr(a) - np.exp(epsilon + log_ndtr(a - mu))
        far = 0.5 * np.exp(-0.5 * a * a) * (erfcx(-a / math.sqrt(2.0)) - erfcx((mu - a) / math.sqrt(2.0)))
    return np.asarray(np.where(np.isfinite(mu), np.where(a > 0.0, near, far), 1.0))


class ManySmallSteps(Method):
    """The account of many small steps."""

    def applies(self, of: Statement, std: float) -> bool:
        """Return whether there are bounds on a step, many steps, and for sampled ones much noise."""
        if isinstance(of, Shuffled) or of.small_steps() is None or of.steps < SMALL_STEPS_MIN:
            return False
        return not isinstance(of, Mechanism) or of.sensitivity <= SMALL_RATIO_MAX * std

    def delta(self, of: Statement, std: float, epsilon: float, like: float | None = None) -> float:
        """Return the least delta over the parameters that are tried."""
        if like is None:
            return self.delta(of, std, epsilon, min(max(self.delta(of, std, epsilon, 1e-6), 1e-200), 0.5))
        return self._best(of, std, epsilon, like)[0]

    def propose(self, of: Statement, std: float, epsilon: float, like: float) -> SmallStepsProof:
        """Return the parameters with the least delta."""
        return self._best(of, std, epsilon, like)[1]

    @staticmethod
    def _best(of: Statement, std: float, epsilon: float, like: float) -> tuple[float, SmallStepsProof]:
        check_level(epsilon)
        steps = in_small_steps(of)
        found = log_excess(steps, std)
        if found is None:
            return 1.0, SmallStepsProof(1.0, 1.0, 1.0)
        share, above, swell = (of.ravel() for of in np.meshgrid(SHARES, REACHES, SWELLS))
        start = share * steps.steps * math.exp(found[2])
        reach = math.sqrt(2.0 * math.log(1.0 / like)) + above
        span = swell * np.sqrt(start) / reach
        cost = costs(found, steps.steps, start, reach, span)
        delta = _profile(epsilon, np.sqrt(cost.variance)) + cost.spent
        best = int(np.argmin(delta))
        return min(1.0, float(delta[best])), SmallStepsProof(float(start[best]), float(reach[best]), float(span[best]))


MANY_SMALL_STEPS = ManySmallSteps()


# --- Renyi moments ------------------------------------------------------------------------------------


class RenyiMoments(Method):
    """The account of Renyi moments."""

    def applies(self, of: Statement, std: float) -> bool:  # noqa: ARG002 - at every std
        """Return whether the steps also move a mean: of others the grid's account is the better one."""
        return isinstance(of, VarianceReduced | SmallSteps) and of.small_steps() is not None

    def delta(self, of: Statement, std: float, epsilon: float, like: float | None = None) -> float:  # noqa: ARG002 - of any size
        """Return the least delta over the orders."""
        return self._best(of, std, epsilon)[0]

    def propose(self, of: Statement, std: float, epsilon: float, like: float) -> RenyiProof:  # noqa: ARG002 - of any size
        """Return the order with the least delta."""
        return RenyiProof(self._best(of, std, epsilon)[1])

    @staticmethod
    def _best(of: Statement, std: float, epsilon: float) -> tuple[float, int]:
        check_level(epsilon)
        steps = in_small_steps(of)
        found = log_excess(steps, std)
        if found is None:
            return 1.0, 2
        p, m = np.arange(2, ORDER_MAX + 1), np.arange(2, ORDER_MAX + 1)[:, None]
        log_choices = gammaln(p + 1) - gammaln(m + 1) - gammaln(np.maximum(p - m, 0) + 1)
        log_moment = np.logaddexp(0.0, logsumexp(np.where(m <= p, log_choices + found[m], -math.inf), axis=0))
        log_delta = steps.steps * log_moment - (p - 1) * epsilon + (p - 1) * np.log(p - 1.0) - p * np.log(p)
        best = int(np.argmin(log_delta))
        return math.exp(min(float(log_delta[best]), 0.0)), int(p[best])


RENYI_MOMENTS = RenyiMoments()
