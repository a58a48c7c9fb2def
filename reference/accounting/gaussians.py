"""The account of steps that see every row: all releases together are one Gaussian release, whose profile is a closed form.

With rate 1 a step is N(a) against N(b), |a - b| <= sensitivity, whatever the sampling is called. Adaptive Gaussian releases
compose to one with mu^2 = steps (sensitivity / std)^2 + (unsampled / std)^2 + fixed_ratio^2 (Dong, Roth, Su 2022), so no grid
is needed, and no std is too small.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from dppca.reference.accounting.balls import BITS, ball, flint, gaussian_profile, upper_float
from dppca.reference.accounting.certificates import MechanismCertificate, Progress
from dppca.reference.accounting.mechanisms import EPSILON_MAX, Mechanism
from dppca.reference.primitives.bisection import least_positive
from dppca.reference.primitives.gaussian import epsilon_at, log_profile

#: Searches in floats end when the two sides are this close, relatively; a certificate that fails raises the value by as much.
GAUSSIAN_TOLERANCE = 1e-11


@dataclass(frozen=True)
class GaussianCertificate(MechanismCertificate):
    """A proved statement: `mechanism`, whose steps see every row, is (epsilon, delta)-DP at this std; else ValueError."""

    kind = "gaussian"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not sees_every_row(self.mechanism):
            raise ValueError(f"mechanism must draw every row in each step, got {self.mechanism!r}")

    def bound(self, progress: Progress | None = None) -> float:  # noqa: ARG002 - one interface
        """Return the delta that the arithmetic gives; at once, so that `progress` is not called."""
        of = self.mechanism
        with flint().ctx.workprec(2 * BITS):
            squares = int(of.steps) * ball(of.sensitivity) ** 2 + ball(of.unsampled) ** 2
            mu = (squares / ball(self.std) ** 2 + ball(of.fixed_ratio) ** 2).sqrt()
            return min(1.0, upper_float(gaussian_profile(ball(self.epsilon), mu)))


def sees_every_row(mechanism: Mechanism) -> bool:
    """Return whether each step draws every row."""
    return mechanism.sampling.rate == 1


def whole_ratio(mechanism: Mechanism, std: float) -> float:
    """Return mu of all releases, in floats."""
    return math.hypot(math.sqrt(mechanism.steps) * mechanism.sensitivity / std, mechanism.gaussian_ratio(std))


def gaussian_delta(mechanism: Mechanism, std: float, epsilon: float) -> GaussianCertificate:
    """Return a certificate of the smallest delta, rounded up."""
    stated = GaussianCertificate(mechanism, float(std), epsilon, 1.0)
    return replace(stated, delta=stated.bound())


def smallest_gaussian_std(mechanism: Mechanism, epsilon: float, delta: float) -> float:
    """Return the smallest std, in floats; the releases of fixed_ratio alone must leave something of delta."""
    target, per_std = math.log(delta), math.hypot(math.sqrt(mechanism.steps) * mechanism.sensitivity, mechanism.unsampled)

    def enough(mu: float) -> bool:
        return log_profile(epsilon, mu) <= target

    inverse = least_positive(lambda x: enough(1.0 / x), 1.0, GAUSSIAN_TOLERANCE, most=1e300)
    if inverse is None:
        raise ValueError(f"no std is enough; epsilon = {epsilon!r} or delta = {delta!r} must be larger")
    mu = 1.0 / inverse
    left = math.sqrt(max(0.0, (mu - mechanism.fixed_ratio) * (mu + mechanism.fixed_ratio)))
    if left <= 1e-9 * mu:
        raise ValueError(f"the releases of fixed_ratio = {mechanism.fixed_ratio!r} leave no std that floats can tell")
    return per_std / left


def least_gaussian_epsilon(mechanism: Mechanism, std: float, delta: float) -> float:
    """Return the smallest epsilon, in floats; ValueError above EPSILON_MAX."""
    found = epsilon_at(delta, whole_ratio(mechanism, std))
    if found > EPSILON_MAX:
        raise ValueError(f"delta = {delta!r} is not reached for any epsilon <= {EPSILON_MAX:g}; std = {std!r} must be larger")
    return found
