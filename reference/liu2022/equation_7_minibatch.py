"""The minibatch variant of private Oja.

Print (liu2022, Equation (7), section 4; the same in the proceedings and on arXiv). B = floor(n / T), z_t ~ N(0, I_d).
  w' = w_{t-1} + (eta_t / B) sum_{i = 1 + B (t-1)}^{B t - 1} clip_beta(A_i w_{t-1}) + (w eta_t beta alpha / B) z_t
  w_t = w' / |w'|
Claimed there: (epsilon, delta)-DP when a record is added or removed, for every epsilon = O(1), by serial composition.
Read here: n and T are public, neighbours replace one record; the letter w before eta_t is 2, as in Algorithm 2; alpha as
printed is that of Algorithm 2, line 2, the only one which the paper defines.

Symbols: as Algorithm 2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dppca.reference.declaration import Choice, Returns, declare
from dppca.reference.liu2022.data import RECORDS, clip, gradients, normalise, rows_example
from dppca.reference.liu2022.private_update import (
    CLIPPING_CONSTANT,
    NOISE_CONSTANT,
    TAIL_AS_PRINTED,
    TAIL_CORRECTED,
    ClippedNoise,
    Multiplier,
    clipping_threshold,
    printed_multiplier,
)
from dppca.reference.noise import Noise
from dppca.reference.primitives.gaussian import analytic_std
from dppca.reference.primitives.validation import check_step_sizes
from dppca.reference.relation import Relation


@dataclass(frozen=True)
class Choices:
    """The decisions of a reading: how alpha is found; C', C and beta's logarithm; whether a batch's last record counts."""

    multiplier: Choice[Multiplier]
    C_prime: Choice[float]
    C: Choice[float]
    tail: Choice[float]
    last_record: Choice[Literal["left out", "used"]]


_PRIVACY, _SUM = "liu2022.equation-7-privacy", "liu2022.equation-7-sum"
AS_PRINTED = Choices(Choice("printed", _PRIVACY), NOISE_CONSTANT, CLIPPING_CONSTANT, TAIL_AS_PRINTED, Choice("left out", _SUM))
CORRECTED = Choices(Choice("account", _PRIVACY), NOISE_CONSTANT, CLIPPING_CONSTANT, TAIL_CORRECTED, Choice("used", _SUM))


def calibrate(
    epsilon: float,
    delta: float,
    *,
    n: int,
    d: int,
    lambda_1: float,
    K: float,
    gamma: float,
    a: float = 1.0,
    zeta: float = 0.01,
    choices: Choices = CORRECTED,
) -> ClippedNoise:
    """Return alpha and beta; arguments and errors as in Algorithm 2. Corrected: a record takes part in one release."""
    if choices.multiplier.value == "printed":
        alpha = printed_multiplier(epsilon, delta, n, choices.C_prime.value)
    else:
        alpha = analytic_std(epsilon, delta, 1.0)
    beta = clipping_threshold(lambda_1, K=K, gamma=gamma, a=a, n=n, d=d, zeta=zeta, tail=choices.tail.value, C=choices.C.value)
    assumptions = ("neighbours: replace-one", f"n = {n} is public", "a record's batch is set by its place")
    return ClippedNoise(epsilon, delta, n, d, alpha, beta, choices.multiplier.value, (), assumptions)


@declare(
    key="liu2022.minibatch_private_oja",
    number="Equation (7)",
    title="Minibatch Private Oja",
    data=RECORDS,
    relation=Relation.REPLACE_ONE,
    returns=Returns.VECTOR,
    calibrate=calibrate,
    choices={"AS_PRINTED": AS_PRINTED, "CORRECTED": CORRECTED},
    claims=("liu2022.equation-7", "liu2022.equation-7-privacy", "liu2022.equation-7-sum", "liu2022.definition-2.3"),
    example=rows_example(epsilon=1.0, delta=0.01, n=6, d=2, lambda_1=1.0, K=4.0, gamma=1.0, step_sizes=(0.1, 0.1)),
)
def minibatch_private_oja(
    A: NDArray[np.float64], step_sizes: ArrayLike, calibration: ClippedNoise, noise: Noise, choices: Choices = CORRECTED
) -> NDArray[np.float64]:
    """Take T = len(step_sizes) noisy steps, each on the mean of the clipped gradients of a batch of floor(n / T) records.

    Args:
        A: matrices (n, d, d), or rows (n, d) that stand for x_i x_i^T, n and d as calibrated. Records beyond B T are
            not used.
        step_sizes: eta_1, ..., eta_T, each > 0, T <= n.
        calibration: what `calibrate` returned.
        noise: the seam. Draws: public normal "w[0]" (d,); for t = 1..T the release "g[t]" (d,), a noisy mean.
        choices: AS_PRINTED or CORRECTED; here for `last_record` alone.

    Returns:
        w_T, a unit vector, shape (d,).

    Raises:
        ValueError: A or step_sizes outside its domain, or more steps than records.
    """
    n, d = A.shape[:2]
    alpha, beta = calibration.alpha, calibration.beta
    eta = check_step_sizes(step_sizes)
    T = len(eta)
    B = n // T
    if B == 0:
        raise ValueError(f"step_sizes must be at most n = {n}, got {T}")
    used = B if choices.last_record.value == "used" else B - 1
    w = normalise(noise.public_normal("w[0]", (d,)))
    for t in range(1, T + 1):
        batch = A[B * (t - 1) : B * (t - 1) + used]
        mean = np.sum(clip(gradients(batch, w), beta), axis=0) / B
        noisy_mean = noise.gaussian(f"g[{t}]", mean, std=2.0 * beta * alpha / B, sensitivity=2.0 * beta / B)
        w = normalise(w + eta[t - 1] * noisy_mean)
    return w
