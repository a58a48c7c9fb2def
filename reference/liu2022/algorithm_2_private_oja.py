"""Private Oja's algorithm.

As published (liu2022, Algorithm 2; arXiv, whose C' is written C in the proceedings).
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
steps; C = C' = 1, which the paper leaves open; z_t is the noise of the release in line 6.

Symbols: A (n, d, d), or rows (n, d); w (d,), a unit vector; eta_t > 0; alpha noise multiplier; beta clipping threshold.
"""

from __future__ import annotations

import math
from typing import Any

from numpy.typing import ArrayLike

from dppca.reference.accounting import Shuffled, smallest_std
from dppca.reference.api import Matrix, Noise, Relation, Returns, TheoremCondition, declare, point
from dppca.reference.liu2022.data import RECORDS, clip, gradients, normalise, rows_example
from dppca.reference.liu2022.private_update import (
    ClippedNoise,
    Multiplier,
    UpdateChoices,
    clipping_threshold,
    printed_multiplier,
)
from dppca.reference.rigour.outwards import OUTWARDS
from dppca.reference.rigour.validation import check_step_sizes


class Choices(UpdateChoices):
    """The decisions of a reading: C' and C of lines 2 and 3, the factor in line 3's logarithm, and how alpha is found.

    `multiplier` takes alpha from the formula of line 2 ("printed"), or as the least that an account of n shuffled releases
    proves to be enough ("account").
    """

    multiplier: Multiplier = point("liu2022.lemma-3.1", AS_PRINTED="printed", CORRECTED="account")


AS_PRINTED, CORRECTED = Choices.read("AS_PRINTED"), Choices.read("CORRECTED")


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
    """Return alpha and beta of lines 2 and 3 for n records of dimension d, whose order is uniform and hidden.

    lambda_1, K, gamma and a are those of Assumption 1, zeta is the probability with which some gradient may be clipped. As
    published, `conditions` states which conditions of Lemma 3.1 hold; the noise is returned whether or not they do.
    """
    grounds: dict[str, Any]
    if choices.multiplier == "printed":
        alpha = printed_multiplier(epsilon, delta, n, choices.C_prime)  # line 2
        grounds = {"conditions": lemma_3_1_conditions(epsilon, delta, n, alpha)}
    else:
        # Rounded up, as a run multiplies it by 2 beta.
        account = smallest_std(Shuffled(n), epsilon, delta)
        alpha = account.std * OUTWARDS  # line 2
        grounds = {"assumptions": account.assumptions, "certificate": account.certificate}
    tail, C = choices.tail, choices.C
    beta = clipping_threshold(lambda_1, K=K, gamma=gamma, a=a, n=n, d=d, zeta=zeta, tail=tail, C=C)  # line 3
    return ClippedNoise(epsilon, delta, n, d, alpha, beta, choices.multiplier, **grounds)


@declare(
    number="Algorithm 2",
    title="Private Oja's Algorithm",
    data=RECORDS,
    relation=Relation.REPLACE_ONE,
    returns=Returns.VECTOR,
    unstated=(5,),
    calibrate=calibrate,
    claims=("liu2022.theorem-3.3", "liu2022.definition-2.3"),
    example=rows_example(epsilon=1.0, delta=0.01, n=6, d=2, lambda_1=1.0, K=4.0, gamma=1.0, step_sizes=(0.1,) * 6),
)
def private_oja(A: Matrix, step_sizes: ArrayLike, calibration: ClippedNoise, noise: Noise) -> Matrix:
    """Take n noisy steps on clipped gradients, one record each, in a hidden order; the result is a unit vector."""
    n, d = A.shape[:2]
    alpha, beta = calibration.alpha, calibration.beta
    eta = check_step_sizes(step_sizes, n)
    order = noise.secret_permutation("order", n)  # line 1: order of the records
    w = normalise(noise.public_normal("w[0]", (d,)))  # line 1
    for t in range(1, n + 1):  # line 4
        g = clip(gradients(A[order[t - 1] : order[t - 1] + 1], w), beta)[0]
        noisy_gradient = noise.gaussian(f"g[{t}]", g, std=2.0 * beta * alpha, sensitivity=2.0 * beta)
        w_prime = w + eta[t - 1] * noisy_gradient  # line 6: w'
        w = normalise(w_prime)  # line 7
    return w  # line 8: w_n
