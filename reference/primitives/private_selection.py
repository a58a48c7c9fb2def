"""Private selection among private candidates: repeat a private mechanism K times, release the best run.

The base mechanism returns (score, candidate), both private; K is random, independent of the data and hidden.

Statement used. Let K >= 1 have the truncated negative binomial law with shape eta > -1 and gamma in (0, 1)
(Papernot, Steinke 2022): P(K = j) proportional to (1 - gamma)^j prod_{i=1}^{j-1} (i + eta) / j!. If the base
mechanism is (epsilon, delta)-DP, the selected run is ((2 + eta) epsilon, E[K] delta)-DP.
eta = 1 is the geometric law of Liu, Talwar 2019, with 3 epsilon; eta = 0 the logarithmic one.

Proof. f(x) = E[x^K]. delta = 0: with F the probability that one run is at most y in a fixed total order,
P(best = y) is an integral of f' over an interval of length P(y) ending at F, f'(x) is proportional to
(1 - (1 - gamma) x)^-(1 + eta), and 1 - (1 - gamma) F = gamma F + (1 - F) changes by a factor e^epsilon at most; with
P(y) that makes e^((2 + eta) epsilon). delta > 0: two (epsilon, delta)-close laws are mixtures (1 - delta) P_0 +
delta P_1 and (1 - delta) Q_0 + delta Q_1 with P_0, Q_0 epsilon-close (Kairouz, Oh, Viswanath 2015). On "no run
is from P_1" K has weights P(K = j) (1 - delta)^j, again a truncated negative binomial law of shape eta up to a
factor, so the first case applies; the rest has probability 1 - f(1 - delta) <= E[K] delta.
Claims: primitives.private-selection.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from dppca.reference.noise import Noise
from dppca.reference.rigour.outwards import OUTWARDS, divide_down

#: K is drawn from a uniform integer below this: its law is off by less than 2^-52 in total variation.
UNIFORM_STEPS = 2**53


@dataclass(frozen=True)
class Repetitions:
    """The law of K, the number of runs: shape eta > -1 and gamma in (0, 1)."""

    eta: float
    gamma: float

    def __post_init__(self) -> None:
        if not -1.0 < self.eta < math.inf:
            raise ValueError(f"eta must be finite and > -1, got {self.eta!r}")
        if not 0.0 < self.gamma < 1.0:
            raise ValueError(f"gamma must be in (0, 1), got {self.gamma!r}")

    @property
    def first_mass(self) -> float:
        """Return P(K = 1); P(K = j + 1) / P(K = j) = (1 - gamma) (j + eta) / (j + 1)."""
        if self.eta == 0.0:
            return (1.0 - self.gamma) / math.log(1.0 / self.gamma)
        return self.eta * (1.0 - self.gamma) / math.expm1(-self.eta * math.log(self.gamma))

    @property
    def mean(self) -> float:
        """Return E[K] = first_mass / gamma^(1 + eta)."""
        return self.first_mass * math.pow(self.gamma, -(1.0 + self.eta))

    def guarantee(self, epsilon: float, delta: float) -> tuple[float, float]:
        """Return (epsilon, delta) of the selected run, for a base mechanism that is (epsilon, delta)-DP."""
        return (2.0 + self.eta) * epsilon, self.mean * delta

    def base_budget(self, epsilon: float, delta: float) -> tuple[float, float]:
        """Return what one run may spend, rounded down: the inverse of `guarantee`."""
        return divide_down(epsilon, 2 + Fraction(self.eta)), delta / self.mean / OUTWARDS

    def draw(self, name: str, noise: Noise) -> int:
        """Return K, drawn by the secret integer `name`."""
        uniform = (int(noise.secret_integers(name, UNIFORM_STEPS, ())) + 0.5) / UNIFORM_STEPS
        K, mass = 1, self.first_mass
        cumulative = mass
        while cumulative < uniform and mass > 0.0:
            mass *= (1.0 - self.gamma) * (K + self.eta) / (K + 1)
            cumulative += mass
            K += 1
        return K
