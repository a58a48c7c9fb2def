"""The account of Renyi moments of integer order, for few steps that also move a mean.

The p-th moment of the likelihood ratio of all steps is at most the product of the steps' ones, and delta at epsilon is at most
that times the largest (t - e^epsilon)^+ / t^p. A step's moment is a sum of moments of R - 1, for which `moments` has bounds:
none of the noise is split, and nothing is expanded, so that it serves where there are too few steps for `moments`. Why it is
right: proofs_notes/accounting.md, *Renyi moments*.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.polynomial.polynomial import polyval
from scipy.special import gammaln, logsumexp

from dppca.reference.accounting.balls import BITS, ball, flint, upper_float
from dppca.reference.accounting.certificates import first_proved
from dppca.reference.accounting.mechanisms import check_level
from dppca.reference.accounting.moments import ReferenceVariable, SmallSteps, StepsCertificate
from dppca.reference.accounting.stored import check_integer
from dppca.reference.primitives.validation import check_positive

#: Largest order that is tried.
MOST_ORDER = 96
#: Working precision at most; moments of small steps cancel.
MOST_BITS = 8192
#: Values further apart than this many standard deviations are beyond it.
MOST_WIDTH = 4.0
#: From here on, in logarithms, the tilted part of the reference variable is all of it, in floats.
FAR = 300.0
#: Searches end when the two sides are this close, relatively; a certificate that fails raises the value by as much.
RENYI_TOLERANCE = 1e-5
#: A search looks for no std below this share of the one that is known to be enough.
LEAST_SHARE = 0.1


@dataclass(frozen=True)
class RenyiCertificate(StepsCertificate):
    """A proved statement: `steps` with this std are (epsilon, delta)-DP. `check` proves it again.

    Any integer `order` from 2 to MOST_ORDER gives a bound; anything else raises ValueError.
    """

    kind = "renyi"
    order: int

    def __post_init__(self) -> None:
        super().__post_init__()
        check_integer("order", self.order, 2)
        if self.order > MOST_ORDER:
            raise ValueError(f"order must be at most {MOST_ORDER}, got {self.order!r}")

    def bound(self) -> float:
        """Return the delta that the arithmetic gives, at most 1."""
        with flint().ctx.workprec(_precision(self.steps, self.std, self.order)):
            moment = step_moments(self.steps, self.std, self.order)[self.order]
            delta = renyi_payoff(moment**self.steps.steps, self.order, ball(self.epsilon))
            return upper_float(delta) if delta < 1 else 1.0


def step_moments(steps: SmallSteps, std: float, last: int) -> dict[int, Any]:
    """Return bounds on the moments E R^p of a step's likelihood ratio under its second law, p = 2, ..., last; balls."""
    of = ReferenceVariable(steps, std)
    excess = {m: of.even(m) for m in range(2, last + 2, 2)}  # bounds on |E (R - 1)^m|
    for m in range(3, last + 1, 2):
        excess[m] = of.third() if m == 3 else (excess[m - 1] * excess[m + 1]).sqrt()
    return {p: 1 + sum((math.comb(p, m) * excess[m] for m in range(2, p + 1)), flint().arb(0)) for p in range(2, last + 1)}


def renyi_payoff(moment: Any, order: int, epsilon: Any) -> Any:
    """Return the moment of this order times the largest (t - e^epsilon) / t^order."""
    p = flint().arb(order)
    return moment * (p - 1) ** (order - 1) / p**order * (-(p - 1) * epsilon).exp()


def _precision(steps: SmallSteps, std: float, order: int) -> int:
    """Return bits in which moments of this order keep BITS / 2 after they have cancelled, or MOST_BITS."""
    width = max((steps.spread + steps.shift * steps.batch / steps.n) / std, 1e-300)
    return min(MOST_BITS, BITS + math.ceil(2.0 * order * max(1.0, 2.0 - math.log2(width))))


def estimate_renyi(steps: SmallSteps, std: float, epsilon: float) -> tuple[float, int]:
    """Return the least delta over the orders, in floats, and its order; sums over a line take the place of closed forms.

    Args:
        steps: what is accounted.
        std: standard deviation of a step's noise, per coordinate.
        epsilon: >= 0.
    """
    with flint().ctx.workprec(BITS):
        of = ReferenceVariable(steps, std)
        q, width, level = float(of.rate), float(of.width), float(of.level)
        coefficients = [float(c) for c in of.polynomial]
    if width > MOST_WIDTH:
        return 1.0, 2
    x, gap = np.linspace(-14.0, 14.0 + (MOST_ORDER + 2) * width, 4001, retstep=True)
    log_tilted = width * x - 0.5 * width * width
    with np.errstate(divide="ignore"):
        near_size = np.log(np.abs(polyval(x, coefficients) + level * np.exp(np.minimum(log_tilted, FAR))))
    log_size = np.where(log_tilted < FAR, near_size, math.log(level) + log_tilted) + math.log(q)
    log_weight = math.log(gap / math.sqrt(2.0 * math.pi)) - 0.5 * x * x
    even = np.arange(2, MOST_ORDER + 3, 2)
    log_excess = np.full(MOST_ORDER + 3, -math.inf)  # of E |R - 1|^m
    log_excess[even] = logsumexp(even[:, None] * log_size + log_weight, axis=1) - (even - 1) * math.log1p(-q)
    log_excess[3:-1:2] = 0.5 * (log_excess[2:-2:2] + log_excess[4::2])
    near = x < 14.0 + 4.0 * width
    line, tilt, weight = x[near], np.expm1(log_tilted[near]), np.exp(log_weight[near])
    variable = q * (polyval(line, coefficients) + level * (tilt + 1.0))
    spread = float(weight @ variable**4) * float(weight @ (variable * tilt) ** 2)
    third = float(weight @ variable**3) + 2.0 * q / (1.0 - q) ** 2 * math.sqrt(spread)
    log_excess[3] = math.log(max(third, 1e-300))
    p, m = np.arange(2, MOST_ORDER + 1), np.arange(2, MOST_ORDER + 1)[:, None]
    log_choices = gammaln(p + 1) - gammaln(m + 1) - gammaln(np.maximum(p - m, 0) + 1)
    log_moment = np.logaddexp(0.0, logsumexp(np.where(m <= p, log_choices + log_excess[m], -math.inf), axis=0))
    log_delta = steps.steps * log_moment - (p - 1) * epsilon + (p - 1) * np.log(p - 1.0) - p * np.log(p)
    best = int(np.argmin(log_delta))
    return math.exp(min(float(log_delta[best]), 0.0)), int(p[best])


def renyi_delta(steps: SmallSteps, std: float, epsilon: float) -> RenyiCertificate:
    """Return the certificate of the order for which delta is least.

    Args:
        steps: what is accounted.
        std: standard deviation of a step's noise, per coordinate.
        epsilon: >= 0.

    Raises:
        ValueError: an argument outside its range.
    """
    check_level(epsilon)
    check_positive("std", std)
    _, order = estimate_renyi(steps, std, epsilon)
    stated = RenyiCertificate(steps, float(std), float(epsilon), 1.0, order)
    return replace(stated, delta=stated.bound())


def smallest_renyi_std(steps: SmallSteps, epsilon: float, delta: float, high: float) -> RenyiCertificate | None:
    """Return a certificate with nearly the smallest std < high for this (epsilon, delta); None without one."""
    return first_proved(
        lambda std: estimate_renyi(steps, std, epsilon)[0] <= delta,
        lambda std: renyi_delta(steps, std, epsilon),
        LEAST_SHARE * high,
        high,
        delta,
        RENYI_TOLERANCE,
    )
