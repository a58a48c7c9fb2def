"""Private Oja's algorithm.

Print (liu2022, Algorithm 2; arXiv, whose C' is written C in the proceedings).
  1  permute the records at random; w_0 uniform on the unit sphere
  2  alpha = C' log(n / delta) / (epsilon sqrt(n))
  3  beta = C lambda_1 sqrt(d) (K gamma log^a(n d / zeta) + 1)
  4  for t = 1, ..., n
  5    z_t ~ N(0, I_d)
  6    w' = w_{t-1} + eta_t clip_beta(A_t w_{t-1}) + 2 eta_t beta alpha z_t, clip_beta(x) = x min(1, beta / |x|)
  7    w_t = w' / |w'|
  8  output w_n
Claimed there: (epsilon, delta)-DP when a record is added or removed, for epsilon = O(sqrt(log(n / delta) / n)) (Lemma 3.1);
the error of Theorem 3.3. Read here: n is public and neighbours replace one record, as n sets the noise and the number of
steps; C = C' = 1, which print leaves open; z_t is the noise of the release in line 6.

Symbols: A (n, d, d), or rows (n, d); w (d,), a unit vector; eta_t > 0; alpha noise multiplier; beta clipping threshold.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dppca.reference.accounting.search import unproved
from dppca.reference.accounting.shuffling import ShuffleCertificate, account_multiplier
from dppca.reference.declaration import Choice, Returns, TheoremCondition, declare
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
from dppca.reference.primitives.outwards import OUTWARDS
from dppca.reference.primitives.validation import check_step_sizes
from dppca.reference.relation import Relation


@dataclass(frozen=True)
class Choices:
    """The decisions of a reading: how alpha is found; C' and C of lines 2 and 3; the factor in line 3's logarithm."""

    multiplier: Choice[Multiplier]
    C_prime: Choice[float]
    C: Choice[float]
    tail: Choice[float]


_LEMMA = "liu2022.lemma-3.1"
AS_PRINTED = Choices(Choice("printed", _LEMMA), NOISE_CONSTANT, CLIPPING_CONSTANT, TAIL_AS_PRINTED)
CORRECTED = Choices(Choice("account", _LEMMA), NOISE_CONSTANT, CLIPPING_CONSTANT, TAIL_CORRECTED)


def lemma_3_1_conditions(epsilon: float, delta: float, n: int, alpha: float) -> tuple[TheoremCondition, ...]:
    """Return Lemma 3.1's condition with the constant 1, and the one that its proof needs of the unshuffled noise."""
    local = math.sqrt(2.0 * math.log(1.25 * n / delta)) / alpha
    return (
        TheoremCondition("epsilon <= sqrt(log(n / delta) / n)", "printed", epsilon <= math.sqrt(math.log(n / delta) / n)),
        TheoremCondition("epsilon_0 = sqrt(2 log(1.25 n / delta)) / alpha <= 1/2", "proof", local <= 0.5),
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
    """Return alpha and beta of lines 2 and 3 for n records of dimension d.

    lambda_1, K, gamma and a are those of Assumption 1, zeta is the probability with which some gradient may be clipped;
    accuracy alone rests on these five. As printed, `conditions` says which conditions of Lemma 3.1 hold; the noise is
    returned whether or not they do.

    Raises:
        ValueError: n or d not an integer >= 1, delta or zeta not in (0, 1), or another argument not > 0.
    """
    conditions: tuple[TheoremCondition, ...] = ()
    proof: tuple[str, ...] = ()
    certificate: ShuffleCertificate | None = None
    if choices.multiplier.value == "printed":
        alpha = printed_multiplier(epsilon, delta, n, choices.C_prime.value)  # line 2
        conditions = lemma_3_1_conditions(epsilon, delta, n, alpha)
    else:
        # Rounded up, as a run multiplies it by 2 beta.
        multiplier, certificate = account_multiplier(epsilon, delta, n)
        alpha = multiplier * OUTWARDS  # line 2
        proof = unproved(certificate is not None)
    beta = clipping_threshold(  # line 3
        lambda_1, K=K, gamma=gamma, a=a, n=n, d=d, zeta=zeta, tail=choices.tail.value, C=choices.C.value
    )
    order = "the order of the records is uniform and hidden"
    assumptions = ("neighbours: replace-one", f"n = {n} is public", order, *proof)
    return ClippedNoise(epsilon, delta, n, d, alpha, beta, choices.multiplier.value, conditions, assumptions, certificate)


@declare(
    key="liu2022.private_oja",
    number="Algorithm 2",
    title="Private Oja's Algorithm",
    data=RECORDS,
    relation=Relation.REPLACE_ONE,
    returns=Returns.VECTOR,
    lines=8,
    unstated=(5,),
    symbols={"order": "order of the records", "w_prime": "w'", "return": "w_n"},
    calibrate=calibrate,
    choices={"AS_PRINTED": AS_PRINTED, "CORRECTED": CORRECTED},
    claims=("liu2022.lemma-3.1", "liu2022.lemma-3.2", "liu2022.theorem-3.3", "liu2022.definition-2.3"),
    example=rows_example(epsilon=1.0, delta=0.01, n=6, d=2, lambda_1=1.0, K=4.0, gamma=1.0, step_sizes=(0.1,) * 6),
)
def private_oja(A: NDArray[np.float64], step_sizes: ArrayLike, calibration: ClippedNoise, noise: Noise) -> NDArray[np.float64]:
    """Take n noisy steps on clipped gradients, one record each, in a hidden order.

    Args:
        A: matrices (n, d, d), or rows (n, d) that stand for x_i x_i^T, n and d as calibrated.
        step_sizes: eta_1, ..., eta_n, each > 0.
        calibration: what `calibrate` returned.
        noise: the seam. Draws, in order: the secret permutation "order" of n; public normal "w[0]" (d,); for
            t = 1..n the release "g[t]" (d,), a noisy clipped gradient.

    Returns:
        w_n, a unit vector, shape (d,).

    Raises:
        ValueError: A or step_sizes outside its domain.
    """
    n, d = A.shape[:2]
    alpha, beta = calibration.alpha, calibration.beta
    eta = check_step_sizes(step_sizes, n)
    order = noise.secret_permutation("order", n)  # line 1
    w = normalise(noise.public_normal("w[0]", (d,)))  # line 1
    for t in range(1, n + 1):  # line 4
        g = clip(gradients(A[order[t - 1] : order[t - 1] + 1], w), beta)[0]
        noisy_gradient = noise.gaussian(f"g[{t}]", g, std=2.0 * beta * alpha, sensitivity=2.0 * beta)
        w_prime = w + eta[t - 1] * noisy_gradient  # line 6
        w = normalise(w_prime)  # line 7
    return w  # line 8
