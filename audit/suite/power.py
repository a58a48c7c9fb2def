"""Whether so many trials suffice to show that a claim is false, from the exact profile of the pair.

The event that says most against (epsilon, delta) is {p > e^epsilon q}. With D(epsilon) the pair's profile its probabilities are
Q = -D'(epsilon) e^-epsilon and P = D(epsilon) + e^epsilon Q, so that P - e^epsilon Q = D(epsilon), which the claim says is at
most delta. Half of the trials test; a discovery that finds an event as good as a half of these would have with the best one is
asked for, no better.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from scipy.special import ndtr, ndtri

from dppca.audit.auditor.results import Claim

#: A verdict must come out at a budget that shows it with at least this probability.
ENOUGH = 0.999
#: Share of the trials, of the best event, that a test is taken to be worth.
SHARE = 0.25
#: Step of the numerical derivative.
_STEP = 1e-4


def power(profile: Callable[[float], float], claim: Claim, trials: int, confidence: float) -> float:
    """Return the probability that so many trials a dataset refute the claim on a pair with this profile."""
    delta, beyond = profile(claim.epsilon), profile(claim.epsilon + _STEP)
    weighted = min(max((delta - beyond) / _STEP, 0.0), 1.0)  # e^epsilon Q
    one, other = min(delta + weighted, 1.0), weighted * math.exp(-claim.epsilon)
    spread = math.sqrt((one * (1.0 - one) + math.exp(2.0 * claim.epsilon) * other * (1.0 - other)) / (SHARE * trials))
    excess = delta - claim.delta
    if spread == 0.0:
        return float(excess > 0.0)
    # an event that is never seen bounds nothing: of trials that all miss it the bound is about -ln(1 - confidence) / trials
    unseen = -math.log1p(-confidence) / (SHARE * trials) * math.exp(claim.epsilon)
    return float(ndtr((excess - unseen) / spread - ndtri(confidence)))
