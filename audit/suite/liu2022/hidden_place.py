"""The event that shows a Gaussian shift at one of n places, the place uniform and hidden.

On one dataset z ~ N(mu e_t, I_n) for a uniform t, law P; on the other z ~ N(0, I_n), law Q. It is what n shuffled Gaussian
releases show when one record differs from all others, which are alike. The event is that some z_t is above a; what it shows
is a lower bound on epsilon.
"""

from __future__ import annotations

import math

from flint import arb
from scipy.optimize import minimize_scalar
from scipy.special import log_ndtr

from dppca.reference.rigour.balls import normal_cdf


def event_excess(epsilon: arb, mu: arb, n: int, a: arb) -> arb:
    """Return an enclosure of P(E) - e^epsilon Q(E) for the event E that some z_t is above a."""
    below = normal_cdf(a)
    return 1 - below ** (n - 1) * normal_cdf(a - mu) - epsilon.exp() * (1 - below**n)


def best_event(delta: float, mu: float, n: int) -> tuple[float, float]:
    """Return the a at which E shows the largest epsilon at this delta, and that epsilon (float64); it is a lower bound."""

    def shown(a: float) -> float:
        log_below = float(log_ndtr(a))
        p = -math.expm1((n - 1) * log_below + float(log_ndtr(a - mu)))
        return math.log(max(p - delta, 1e-300)) - math.log(-math.expm1(n * log_below))

    best = minimize_scalar(lambda a: -shown(a), bounds=(0.0, mu + 8.0), method="bounded")
    return float(best.x), max(0.0, shown(float(best.x)))
