"""What Algorithm 2 and Equation (7) of liu2022 share: the noise multiplier and the clipping threshold."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dppca.reference.choices import Choice
from dppca.reference.conditions import Condition
from dppca.reference.primitives.inputs import check_count
from dppca.reference.primitives.validation import (
    check_delta,
    check_epsilon,
    check_failure_probability,
    check_positive,
    check_vector,
)

#: What the logarithm of a tail bound holds besides 1/zeta; see `TAIL_AS_PRINTED` and `TAIL_CORRECTED`.
TAIL_AS_PRINTED = Choice(
    1.0,
    "Lemma 2.1 of the arXiv text, whose A.4 (with 1 on the right) holds for constants alone",
    "liu2022.assumption-a.4",
)
TAIL_CORRECTED = Choice(
    2.0, "Lemma 2.1 of the conference text, from A.4 with 2 on the right (Markov's inequality)", "liu2022.lemma-2.1"
)
#: The C of the clipping threshold.
CLIPPING_CONSTANT = Choice(1.0, "print has no value; 1 is what the proof of Lemma 3.2 gives", "liu2022.lemma-3.2")
#: The C' of the noise multiplier.
NOISE_CONSTANT = Choice(1.0, "print has no value; the bare formula", "liu2022.lemma-3.1")


@dataclass(frozen=True)
class ClippedNoise:
    """Noise of clipped gradients: N(0, (2 beta alpha)^2 I) for one of them.

    `alpha` is the noise multiplier: a clipped gradient changes by at most 2 beta. `formula` says where it
    comes from.
    """

    epsilon: float
    delta: float
    n: int
    d: int
    alpha: float
    beta: float
    formula: str
    conditions: tuple[Condition, ...]
    assumptions: tuple[str, ...]

    @property
    def conditions_hold(self) -> bool:
        """Whether every condition of the paper's guarantee holds."""
        return all(condition.holds for condition in self.conditions)


def printed_multiplier(epsilon: float, delta: float, n: int, C_prime: float) -> float:
    """alpha = C' log(n / delta) / (epsilon sqrt(n)), Algorithm 2, line 2."""
    return C_prime * math.log(check_count("n", n) / check_delta(delta)) / (check_epsilon(epsilon) * math.sqrt(n))


def clipping_threshold(
    lambda_1: float, *, K: float, gamma: float, a: float, n: int, d: int, zeta: float, tail: float, C: float
) -> float:
    """beta = C lambda_1 sqrt(d) (K gamma log^a(tail n d / zeta) + 1), Algorithm 2, line 3; tail is 1 in print."""
    for name, value in (("lambda_1", lambda_1), ("K", K), ("gamma", gamma), ("a", a)):
        check_positive(name, value)
    check_failure_probability(zeta)
    log = math.log(tail * check_count("n", n) * check_count("d", d) / zeta)
    return C * lambda_1 * math.sqrt(d) * (K * gamma * math.pow(log, a) + 1.0)


def check_step_sizes(step_sizes: ArrayLike, count: int | None = None) -> NDArray[np.float64]:
    """Step sizes > 0, shape (T,), T = count if that is given; ValueError otherwise."""
    eta = check_vector("step_sizes", step_sizes)
    if np.min(eta) <= 0.0 or (count is not None and len(eta) != count):
        many = "" if count is None else f"{count} "
        raise ValueError(f"step_sizes must be {many}numbers > 0, got {step_sizes!r}")
    return eta


Multiplier = Literal["printed", "account"]
