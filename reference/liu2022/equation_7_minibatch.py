"""The minibatch variant of private Oja.

As published (liu2022, Equation (7), section 4; the same in the proceedings and on arXiv). B = floor(n / T), z_t ~ N(0, I_d).
  w' = w_{t-1} + (eta_t / B) sum_{i = 1 + B (t-1)}^{B t - 1} clip_beta(A_i w_{t-1}) + (w eta_t beta alpha / B) z_t
  w_t = w' / |w'|
Claimed there: (epsilon, delta)-DP when a record is added or removed, for every epsilon = O(1), by serial composition.
Read here: n and T are public, neighbours replace one record; the letter w before eta_t is 2, as in Algorithm 2; alpha as
published is that of Algorithm 2, line 2, where the letter is defined; Section 3 has log(n/delta)/epsilon without shuffling.

Symbols: as Algorithm 2.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from dppca.reference.api import Matrix, Noise, Relation, Returns, declare, point
from dppca.reference.liu2022.data import RECORDS, clip, gradients, normalise, rows_example
from dppca.reference.liu2022.private_update import (
    ClippedNoise,
    Multiplier,
    UpdateChoices,
    clipping_threshold,
    printed_multiplier,
)
from dppca.reference.primitives.gaussian import analytic_std
from dppca.reference.rigour.validation import check_step_sizes


class Choices(UpdateChoices):
    """The decisions of a reading: those of Algorithm 2, how alpha is found, and whether a batch's last record counts.

    `multiplier` takes alpha from the formula of Algorithm 2, line 2 ("printed"), or as the least that one Gaussian release
    needs ("account"), as a record takes part in one.
    """

    multiplier: Multiplier = point("liu2022.equation-7-alpha", AS_PRINTED="printed", CORRECTED="account")
    last_record: Literal["left out", "used"] = point("liu2022.equation-7-sum", AS_PRINTED="left out", CORRECTED="used")


AS_PRINTED, CORRECTED = Choices.read("AS_PRINTED"), Choices.read("CORRECTED")


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
    """Return alpha and beta; arguments as in Algorithm 2. Corrected: a record takes part in one release, that of its place."""
    if choices.multiplier == "printed":
        alpha = printed_multiplier(epsilon, delta, n, choices.C_prime)
    else:
        alpha = analytic_std(epsilon, delta, 1.0)
    beta = clipping_threshold(lambda_1, K=K, gamma=gamma, a=a, n=n, d=d, zeta=zeta, tail=choices.tail, C=choices.C)
    return ClippedNoise(epsilon, delta, n, d, alpha, beta, choices.multiplier)


@declare(
    number="Equation (7)",
    title="Minibatch Private Oja",
    data=RECORDS,
    relation=Relation.REPLACE_ONE,
    returns=Returns.VECTOR,
    calibrate=calibrate,
    claims=("liu2022.equation-7", "liu2022.definition-2.3"),
    example=rows_example(epsilon=1.0, delta=0.01, n=6, d=2, lambda_1=1.0, K=4.0, gamma=1.0, step_sizes=(0.1, 0.1)),
)
def minibatch_private_oja(
    A: Matrix, step_sizes: ArrayLike, calibration: ClippedNoise, noise: Noise, choices: Choices = CORRECTED
) -> Matrix:
    """Take T = len(step_sizes) <= n noisy steps, each on the mean of the clipped gradients of a batch of floor(n / T) records.

    Records beyond B T are not used. `choices` is here for `last_record` alone. The result is a unit vector.
    """
    n, d = A.shape[:2]
    alpha, beta = calibration.alpha, calibration.beta
    eta = check_step_sizes(step_sizes)
    T = len(eta)
    B = n // T
    if B == 0:
        raise ValueError(f"step_sizes must be at most n = {n}, got {T}")
    used = B if choices.last_record == "used" else B - 1
    w = normalise(noise.public_normal("w[0]", (d,)))
    for t in range(1, T + 1):
        batch = A[B * (t - 1) : B * (t - 1) + used]
        mean = np.sum(clip(gradients(batch, w), beta), axis=0) / B
        noisy_mean = noise.gaussian(f"g[{t}]", mean, std=2.0 * beta * alpha / B, sensitivity=2.0 * beta / B)
        w = normalise(w + eta[t - 1] * noisy_mean)
    return w
