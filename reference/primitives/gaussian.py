"""The Gaussian mechanism: its privacy profile and its two calibrations.

Releasing v + N(0, std^2 I) for a v whose L2 sensitivity is Delta is (epsilon, delta)-DP exactly when
delta >= profile(epsilon, mu) with mu = Delta / std (Balle, Wang 2018, Theorem 8). Several Gaussian releases,
adaptively chosen, compose to one with mu = sqrt(mu_1^2 + ... + mu_m^2) (Dong, Roth, Su 2022, Corollary 3.3).

Everything here is float64. `dppca.reference.rigour.gaussian` holds the same profile as a rigorous enclosure.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from scipy.optimize import brentq
from scipy.special import erfcx, log_ndtr, ndtr

from dppca.reference.rigour.outwards import OUTWARDS
from dppca.reference.rigour.validation import check_delta, check_epsilon, check_positive

#: The classical formula is a theorem for epsilon up to this bound, for every delta in (0, 1)
#: (claim primitives.classical-gaussian).
CLASSICAL_EPSILON_MAX = 1.0
#: `analytic_std` overshoots the smallest sufficient standard deviation by the relative amount
#: ANALYTIC_MARGIN + ANALYTIC_ROUNDING / mu, more than rounding of the profile can move the root: for a small mu the
#: profile is a difference of nearly equal numbers. Below SMALL_MU it is a derivative instead.
ANALYTIC_MARGIN = 1e-10
ANALYTIC_ROUNDING = 1e-14
SMALL_MU = 1e-7
#: Absolute tolerance of an epsilon, so small that the relative one decides.
LEAST_STEP = 1e-300

#: A standard deviation of (epsilon, delta, sensitivity).
Std: TypeAlias = Callable[[float, float, float], float]


@dataclass(frozen=True)
class GaussianCalibration:
    """A standard deviation and what it rests on: `sensitivity` in L2, the `formula` and the public `sizes` it was made for."""

    epsilon: float
    delta: float
    std: float
    sensitivity: float
    formula: str
    sizes: Mapping[str, int] = field(default_factory=dict)

    @property
    def mu(self) -> float:
        """Return sensitivity / std."""
        return self.sensitivity / self.std


def formula_name(formula: Std) -> str:
    """Return what a formula is called in a calibration: "classical" for `classical_std`."""
    return formula.__name__.removesuffix("_std")


def classical_std(epsilon: float, delta: float, sensitivity: float) -> float:
    """Return Delta sqrt(2 ln(1.25 / delta)) / epsilon, rounded up, for any epsilon > 0 and delta in (0, 1).

    (epsilon, delta)-DP for epsilon <= CLASSICAL_EPSILON_MAX (Dwork, Roth 2014, Theorem A.1); above that it
    depends on delta, see claim primitives.classical-gaussian-range.
    """
    check_positive("sensitivity", sensitivity)
    return sensitivity * math.sqrt(2.0 * math.log(1.25 / check_delta(delta))) / check_epsilon(epsilon) * OUTWARDS


def analytic_std(epsilon: float, delta: float, sensitivity: float) -> float:
    """Return the smallest std that is (epsilon, delta)-DP, up to rounding upwards (Balle, Wang 2018)."""
    check_positive("sensitivity", sensitivity)
    target = math.log(check_delta(delta))
    check_epsilon(epsilon)

    def excess(log_mu: float) -> float:
        if delta > 0.5:  # there the profile is flat near 1, and its distance from 1 is what can be resolved
            return math.log(1.0 - delta) - _log_complement(epsilon, math.exp(log_mu))
        return log_profile(epsilon, math.exp(log_mu)) - target

    low = high = 0.0
    while excess(low) > 0.0:
        low -= 1.0
    while excess(high) < 0.0:
        high += 1.0
    mu = math.exp(brentq(excess, low, high, xtol=1e-15, rtol=4.0 * 2.0**-52))
    return sensitivity / mu * (1.0 + ANALYTIC_MARGIN + ANALYTIC_ROUNDING / max(mu, SMALL_MU))


def profile(epsilon: float, mu: float) -> float:
    """Return the smallest delta at this epsilon (>= 0) for mu = sensitivity / std: Phi(a) - e^epsilon Phi(a - mu).

    Here a = mu / 2 - epsilon / mu.
    """
    return math.exp(log_profile(epsilon, mu))


def log_profile(epsilon: float, mu: float) -> float:
    """Return log(profile(epsilon, mu)), accurate also where the profile underflows."""
    if not 0.0 <= epsilon < math.inf:
        raise ValueError(f"epsilon must be finite and >= 0, got {epsilon!r}")
    if not 0.0 < mu < math.inf:
        raise ValueError(f"mu must be finite and > 0, got {mu!r}")
    a = 0.5 * mu - epsilon / mu
    if mu < SMALL_MU:
        # The difference of Mills ratios below, to second order: its relative error is below mu^2, and it does not cancel.
        x, step = -a / math.sqrt(2.0), mu / math.sqrt(2.0)
        slope = 2.0 * x * float(erfcx(x)) - 2.0 / math.sqrt(math.pi)
        difference = -step * (slope + step * (float(erfcx(x)) + x * slope))
        return -0.5 * a * a - math.log(2.0) + math.log(difference) if difference > 0.0 else -math.inf
    if a > 0.0:
        # The subtrahend e^epsilon Phi(a - mu) is at most Phi(a), so its exponent cannot overflow.
        difference = float(ndtr(a)) - math.exp(epsilon + float(log_ndtr(a - mu)))
        return math.log(difference) if difference > 0.0 else -math.inf
    # e^epsilon phi(a - mu) = phi(a), so the difference is phi(a) times one of Mills ratios.
    difference = float(erfcx(-a / math.sqrt(2.0))) - float(erfcx((mu - a) / math.sqrt(2.0)))
    return -0.5 * a * a - math.log(2.0) + math.log(difference) if difference > 0.0 else -math.inf


def _log_complement(epsilon: float, mu: float) -> float:
    """Return log(1 - profile(epsilon, mu)), a sum without cancellation: Phi(-a) + e^epsilon Phi(a - mu)."""
    a = 0.5 * mu - epsilon / mu
    return float(np.logaddexp(log_ndtr(-a), epsilon + log_ndtr(a - mu)))


def epsilon_at(delta: float, mu: float) -> float:
    """Return the smallest epsilon >= 0 at which profile(epsilon, mu) <= delta, delta in (0, 1)."""
    target = math.log(check_delta(delta))
    if log_profile(0.0, mu) <= target:
        return 0.0
    high = 1.0
    while log_profile(high, mu) > target:
        high *= 2.0
    low = 0.5 * high
    while log_profile(low, mu) <= target:  # which ends, at 0 at the latest
        low, high = 0.5 * low, low
    return float(brentq(lambda epsilon: log_profile(epsilon, mu) - target, low, high, xtol=LEAST_STEP))


def composed_mu(mus: Iterable[float]) -> float:
    """Return the mu of the (adaptive) composition of Gaussian releases with these mu."""
    return math.sqrt(math.fsum(mu * mu for mu in mus))
