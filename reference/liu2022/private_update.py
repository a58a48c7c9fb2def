"""The noise multiplier and the clipping threshold of Algorithm 2 and Equation (7) of liu2022."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from dppca.reference.arguments import checked
from dppca.reference.calibration import Grounds
from dppca.reference.readings import Readings, point

#: The factor of 1/zeta in the logarithm of a tail bound: Lemma 2.1 of the arXiv text, and of the proceedings.
TAIL = "liu2022.assumption-a.4", "liu2022.lemma-2.1"
TAIL_AS_PRINTED, TAIL_CORRECTED = 1.0, 2.0

Multiplier = Literal["printed", "account"]


@dataclass(frozen=True)
class ClippedNoise(Grounds):
    """The noise N(0, (2 beta alpha)^2 I) that one clipped gradient gets.

    `alpha` is the noise multiplier, `formula` the name of its formula: a clipped gradient changes by at most 2 beta. Where the
    formula is the account of shuffled releases, `certificate` proves a multiplier just below alpha to be enough.
    """

    epsilon: float
    delta: float
    n: int
    d: int
    alpha: float
    beta: float
    formula: str


class UpdateChoices(Readings):
    """The decisions about a clipped noisy step: C' and C of Algorithm 2's lines 2 and 3, the factor in line 3's logarithm."""

    C_prime: float = point("liu2022.lemma-3.1", every=1.0)
    C: float = point("liu2022.lemma-3.2", every=1.0)
    tail: float = point(*TAIL, AS_PRINTED=TAIL_AS_PRINTED, CORRECTED=TAIL_CORRECTED)


@checked
def printed_multiplier(epsilon: float, delta: float, n: int, C_prime: float) -> float:
    """Return alpha = C' log(n / delta) / (epsilon sqrt(n)), Algorithm 2, line 2."""
    return C_prime * math.log(n / delta) / (epsilon * math.sqrt(n))


@checked
def clipping_threshold(
    lambda_1: float, *, K: float, gamma: float, a: float, n: int, d: int, zeta: float, tail: float, C: float
) -> float:
    """Return beta = C lambda_1 sqrt(d) (K gamma log^a(tail n d / zeta) + 1), Algorithm 2, line 3; tail is 1 in the paper."""
    log = math.log(tail * n * d / zeta)
    return C * lambda_1 * math.sqrt(d) * (K * gamma * math.pow(log, a) + 1.0)
