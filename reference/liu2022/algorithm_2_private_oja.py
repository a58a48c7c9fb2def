"""Private Oja's algorithm (liu2022, Algorithm 2; section 3).

Guarantee claimed: (epsilon, delta)-DP if epsilon = O(sqrt(log(n/delta) / n)) (Lemma 3.1); the error of Theorem 3.3.
Claims: liu2022.lemma-3.1, liu2022.lemma-3.2, liu2022.theorem-3.3, liu2022.definition-2.3, liu2022.no-shuffle-noise.

Departures from print:
  D1 line 2: C' has no value in print; AS_PRINTED takes 1. Corrected: the noise that the account of
     `shuffling` proves for n, epsilon and delta, with amplification or, where that is better, without.
  D2 line 3: C has no value in print; 1 is enough. The logarithm holds n d / zeta; 2 n d / zeta is what the tail
     assumption of the conference text gives.

Neighbours replace one record: n sets the noise and the number of steps, so it is public. Under the paper's own
relation (one record more or less) the number of releases already differs.

Symbols: A (n, d, d) or rows (n, d); w_t (d,), a unit vector; eta_t > 0; alpha noise multiplier; beta clipping threshold.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dppca.reference.choices import Choice
from dppca.reference.conditions import Condition
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
from dppca.reference.liu2022.shuffling import shuffled_multiplier
from dppca.reference.noise import Noise


@dataclass(frozen=True)
class Choices:
    """The constants that print hides, and how alpha is found."""

    multiplier: Choice[Multiplier]
    C_prime: Choice[float]
    C: Choice[float]
    tail: Choice[float]


AS_PRINTED = Choices(
    multiplier=Choice("printed", "line 2", "liu2022.lemma-3.1"),
    C_prime=NOISE_CONSTANT,
    C=CLIPPING_CONSTANT,
    tail=TAIL_AS_PRINTED,
)
CORRECTED = Choices(
    multiplier=Choice("account", "holds for every n, epsilon and delta", "liu2022.lemma-3.1"),
    C_prime=NOISE_CONSTANT,
    C=CLIPPING_CONSTANT,
    tail=TAIL_CORRECTED,
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
    """Lines 2 and 3.

    Args:
        epsilon: target epsilon > 0.
        delta: target delta in (0, 1).
        n: number of data, public.
        d: their dimension.
        lambda_1: of Assumption 1, > 0; accuracy alone rests on it and on the next three.
        K: of Assumption 1, > 0.
        gamma: of Assumption 1, > 0.
        a: of Assumption 1, > 0.
        zeta: probability with which some gradient may be clipped.
        choices: AS_PRINTED or CORRECTED.

    Returns:
        ClippedNoise. As printed, `conditions` holds Lemma 3.1's condition and that of its proof; the noise is returned
        whether or not they hold.

    Raises:
        ValueError: an argument outside its range.
    """
    conditions: tuple[Condition, ...] = ()
    if choices.multiplier.value == "printed":
        alpha = printed_multiplier(epsilon, delta, n, choices.C_prime.value)  # line 2
        local = math.sqrt(2.0 * math.log(1.25 * n / delta)) / alpha
        conditions = (
            Condition("epsilon <= sqrt(log(n / delta) / n)", "printed", epsilon <= math.sqrt(math.log(n / delta) / n)),
            Condition("epsilon_0 = sqrt(2 log(1.25 n / delta)) / alpha <= 1/2", "proof", local <= 0.5),
        )
    else:
        alpha = shuffled_multiplier(epsilon, delta, n)  # line 2 (D1)
    beta = clipping_threshold(  # line 3 (D2)
        lambda_1, K=K, gamma=gamma, a=a, n=n, d=d, zeta=zeta, tail=choices.tail.value, C=choices.C.value
    )
    return ClippedNoise(
        epsilon=epsilon,
        delta=delta,
        n=n,
        d=d,
        alpha=alpha,
        beta=beta,
        formula=choices.multiplier.value,
        conditions=conditions,
        assumptions=("neighbours: replace-one", f"n = {n} is public", "the order of the records is uniform and hidden"),
    )


def private_oja(A: ArrayLike, step_sizes: ArrayLike, calibration: ClippedNoise, noise: Noise) -> NDArray[np.float64]:
    """Algorithm 2.

    Args:
        A: matrices (n, d, d), or rows (n, d) that stand for x_i x_i^T, n and d as calibrated.
        step_sizes: eta_1, ..., eta_n, each > 0.
        calibration: what `calibrate` returned.
        noise: the seam. Draws, in order: the secret permutation "order" of n; public normal "w[0]" (d,); for
            t = 1..n the release "g[t]" (d,), a noisy clipped gradient.

    Returns:
        w_n, a unit vector, shape (d,).

    Raises:
        ValueError: malformed data or step sizes, or another n or d than calibrated.
    """
    data = check_data("A", A)
    n, d, alpha, beta = calibration.n, calibration.d, calibration.alpha, calibration.beta
    if data.shape[:2] != (n, d):
        raise ValueError(f"A must have the calibrated n = {n} and d = {d}, got {data.shape}")
    eta = check_step_sizes(step_sizes, n)
    order = noise.secret_permutation("order", n)  # line 1
    w = normalise(noise.public_normal("w[0]", (d,)))  # line 1
    # lines 2 and 3: `calibrate`
    for t in range(1, n + 1):  # line 4
        g = clip(gradients(data[order[t - 1] : order[t - 1] + 1], w), beta)[0]
        # line 5: z_t is the noise of the release, clip_beta(A_t w_{t-1}) + 2 beta alpha z_t
        noisy_gradient = noise.gaussian(f"g[{t}]", g, std=2.0 * beta * alpha, sensitivity=2.0 * beta)
        w_prime = w + eta[t - 1] * noisy_gradient  # line 6
        w = normalise(w_prime)  # line 7
    return w  # line 8
