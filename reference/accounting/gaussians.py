"""The account of steps that see every row: all releases together are one Gaussian release, whose profile is a closed form.

With rate 1 a step is N(a) against N(b), |a - b| <= sensitivity, whatever the sampling is called. Adaptive Gaussian releases
compose to one with mu^2 = steps (sensitivity / std)^2 + (unsampled / std)^2 + fixed_ratio^2 (Dong, Roth, Su 2022), so no grid
is needed, and no std is too small.
"""

from __future__ import annotations

import math

from dppca.reference.accounting.checker import GaussianProof
from dppca.reference.accounting.mechanisms import Mechanism, Statement, VarianceReduced
from dppca.reference.accounting.methods import FirstMethod
from dppca.reference.primitives.gaussian import log_profile
from dppca.reference.rigour.validation import LEAST_NUMBER, MOST_NUMBER


class EveryRow(FirstMethod):
    """The closed form, which is exact."""

    tolerance = nudge = 1e-11

    def applies(self, of: Statement, std: float) -> bool:  # noqa: ARG002 - at every std
        """Return whether each step draws every row."""
        return (isinstance(of, Mechanism) and of.sees_every_row) or (isinstance(of, VarianceReduced) and of.n == 1)

    def stds(self, of: Statement, epsilon: float, delta: float) -> tuple[float, float, float]:  # noqa: ARG002 - for all
        """Return every standard deviation, and that of a step of ratio 1."""
        whole = _whole(of)
        return LEAST_NUMBER, math.hypot(math.sqrt(whole.steps) * whole.sensitivity, whole.unsampled), MOST_NUMBER

    def delta(self, of: Statement, std: float, epsilon: float, like: float | None = None) -> float:  # noqa: ARG002
        """Return the profile of one Gaussian release."""
        whole = _whole(of)
        mu = math.hypot(math.sqrt(whole.steps) * whole.sensitivity / std, whole.gaussian_ratio(std))
        return math.exp(log_profile(epsilon, mu))

    def propose(self, of: Statement, std: float, epsilon: float, like: float) -> GaussianProof:  # noqa: ARG002
        """Return the proof, which has no numbers."""
        return GaussianProof()


def _whole(of: Statement) -> Mechanism:
    if isinstance(of, VarianceReduced):
        return of.split(1.0)
    if not isinstance(of, Mechanism):
        raise TypeError(of)
    return of


EVERY_ROW = EveryRow()
