"""The minibatch variant of private Oja (liu2022, Equation (7); section 4).

Guarantee claimed: (epsilon, delta)-DP for every epsilon = O(1), by serial composition (section 4).
Claims: liu2022.equation-7, liu2022.equation-7-privacy, liu2022.equation-7-sum, liu2022.definition-2.3.

Departures from print:
  D1 The factor of the noise is printed as the letter w; 2 is meant, as in Algorithm 2, line 6.
  D2 alpha: the only one that the paper defines is that of Algorithm 2, line 2, which a hidden order has to amplify;
     here the order is fixed. Corrected: the noise of one Gaussian release. A record changes one of the T releases,
     so the T batches compose in parallel and nothing has to be paid for T.
  D3 The sum ends at B t - 1 in print, so every batch leaves its last record out; the mean divides by B. Corrected: B t.

Neighbours replace one record; n and T are public.

Symbols: as Algorithm 2; B = floor(n / T).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dppca.reference.choices import Choice
from dppca.reference.liu2022.data import check_data, clip, gradients, normalise
from dppca.reference.liu2022.private_update import (
    CLIPPING_CONSTANT,
    NOISE_CONSTANT,
    TAIL_AS_PRINTED,
    TAIL_CORRECTED,
    ClippedNoise,
    Multiplier,
    check_step_sizes,
    clipping_threshold,
    printed_multiplier,
)
from dppca.reference.noise import Noise
from dppca.reference.primitives.gaussian import analytic_std


@dataclass(frozen=True)
class Choices:
    """The constants that print hides, how alpha is found, and whether a batch's last record counts."""

    multiplier: Choice[Multiplier]
    C_prime: Choice[float]
    C: Choice[float]
    tail: Choice[float]
    last_record: Choice[Literal["left out", "used"]]


AS_PRINTED = Choices(
    multiplier=Choice("printed", "Algorithm 2, line 2: the paper defines no other alpha", "liu2022.equation-7-privacy"),
    C_prime=NOISE_CONSTANT,
    C=CLIPPING_CONSTANT,
    tail=TAIL_AS_PRINTED,
    last_record=Choice("left out", "the sum ends at B t - 1", "liu2022.equation-7-sum"),
)
CORRECTED = Choices(
    multiplier=Choice("account", "one Gaussian release per record", "liu2022.equation-7-privacy"),
    C_prime=NOISE_CONSTANT,
    C=CLIPPING_CONSTANT,
    tail=TAIL_CORRECTED,
    last_record=Choice("used", "the mean of a batch is over its B records", "liu2022.equation-7-sum"),
)


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
    """alpha and beta; arguments, result and errors as in Algorithm 2."""
    if choices.multiplier.value == "printed":
        alpha = printed_multiplier(epsilon, delta, n, choices.C_prime.value)
    else:
        alpha = analytic_std(epsilon, delta, 1.0)  # (D2)
    beta = clipping_threshold(lambda_1, K=K, gamma=gamma, a=a, n=n, d=d, zeta=zeta, tail=choices.tail.value, C=choices.C.value)
    return ClippedNoise(
        epsilon=epsilon,
        delta=delta,
        n=n,
        d=d,
        alpha=alpha,
        beta=beta,
        formula=choices.multiplier.value,
        conditions=(),
        assumptions=("neighbours: replace-one", f"n = {n} is public", "a record's batch is set by its place"),
    )


def minibatch_private_oja(
    A: ArrayLike, step_sizes: ArrayLike, calibration: ClippedNoise, noise: Noise, choices: Choices = CORRECTED
) -> NDArray[np.float64]:
    """Equation (7), T = len(step_sizes) steps on batches of B = floor(n / T) records.

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
        ValueError: malformed data or step sizes, more steps than data, or another n or d than calibrated.
    """
    data = check_data("A", A)
    n, d, alpha, beta = calibration.n, calibration.d, calibration.alpha, calibration.beta
    if data.shape[:2] != (n, d):
        raise ValueError(f"A must have the calibrated n = {n} and d = {d}, got {data.shape}")
    eta = check_step_sizes(step_sizes)
    T = len(eta)
    B = n // T
    if B == 0:
        raise ValueError(f"step_sizes must be at most n = {n}, got {T}")
    used = B if choices.last_record.value == "used" else B - 1
    w = normalise(noise.public_normal("w[0]", (d,)))
    for t in range(1, T + 1):
        batch = data[B * (t - 1) : B * (t - 1) + used]  # (D3)
        mean = np.sum(clip(gradients(batch, w), beta), axis=0) / B
        noisy_mean = noise.gaussian(f"g[{t}]", mean, std=2.0 * beta * alpha / B, sensitivity=2.0 * beta / B)  # (D1, D2)
        w = normalise(w + eta[t - 1] * noisy_mean)
    return w
