"""Private top eigenvalue estimation (liu2022, Algorithm 4; section 6 and appendix E.2).

Guarantee claimed: (epsilon, delta)-DP, and Lambda_hat in [1 / sqrt(2), sqrt(2)] times the top eigenvalue
lambda_1^2 ||H_u|| of the gradients' covariance with probability 1 - zeta (Theorem 6.1).
Claims: liu2022.theorem-6.1, liu2022.theorem-6.1-privacy, liu2022.algorithm-4-subsets, liu2022.lemma-b.1.

Departures from print:
  D1 line 2: C_1 has no value in print; k is rounded up. C_1 = 4 finds a bin that holds half of the k eigenvalues.
  D2 line 4: a difference of two gradients has twice their covariance, so print's estimate lies around twice the
     eigenvalue that Theorem 6.1 speaks of. Corrected: (1 / 2b) G_j G_j^T.
  D3 line 5: the printed bins of [0, infinity) are [2^(i/4), 2^((i+1)/4)) and {0}.
  D4 line 6: Lemma B.1 says that a histogram learner exists. Used: Laplace noise of scale 2 / epsilon on the counts of
     the occupied bins and the smallest threshold that is (epsilon, delta)-DP, replace-one.

A record lies in one difference, that in one subset, so one of the k eigenvalues moves: two counts change by 1.

Symbols: g (B, d) gradients; k subsets of b differences, G_j (d, b); Lambda_hat the estimate.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dppca.reference.choices import Choice
from dppca.reference.noise import Noise
from dppca.reference.primitives.inputs import check_count
from dppca.reference.primitives.sparse_histogram import REPLACE_ONE_SENSITIVITY, SparseHistogramLaw, stability_threshold
from dppca.reference.primitives.validation import check_delta, check_epsilon, check_failure_probability


@dataclass(frozen=True)
class Choices:
    """The hidden constant of line 2, and what line 4 divides by, in units of b."""

    C_1: Choice[float]
    divisor: Choice[float]


_C_1 = Choice(
    4.0,
    "two neighbouring bins hold all k eigenvalues, so one holds k / 2; with k >= 2 + (4 / epsilon) log(1 / (4 delta zeta)), "
    "so with C_1 = 4 for epsilon <= 2 log 4, its noisy count stays above the threshold but with probability zeta",
    "liu2022.algorithm-4-subsets",
)
AS_PRINTED = Choices(C_1=_C_1, divisor=Choice(1.0, "line 4: (1 / b) G_j G_j^T", "liu2022.theorem-6.1"))
CORRECTED = Choices(C_1=_C_1, divisor=Choice(2.0, "differences of pairs have twice the covariance", "liu2022.theorem-6.1"))


@dataclass(frozen=True)
class TopEigenvalueCalibration:
    """k subsets of b differences each, and the histogram of line 6: Laplace `scale`, `threshold`."""

    epsilon: float
    delta: float
    zeta: float
    B: int
    k: int
    b: int
    divisor: float
    scale: float
    threshold: float
    sensitivity: float


def calibrate(epsilon: float, delta: float, *, B: int, zeta: float, choices: Choices = CORRECTED) -> TopEigenvalueCalibration:
    """Line 2 and the histogram of line 6.

    Args:
        epsilon: target epsilon > 0.
        delta: target delta in (0, 1).
        B: number of gradients, public.
        zeta: failure probability in (0, 1).
        choices: AS_PRINTED or CORRECTED.

    Raises:
        ValueError: an argument outside its range, or B < 2 k, too few for k subsets.
    """
    log = math.log(1.0 / (check_delta(delta) * check_failure_probability(zeta)))
    k = math.ceil(choices.C_1.value * log / check_epsilon(epsilon))  # line 2 (D1)
    b = check_count("B", B) // (2 * k)  # line 2
    if b < 1:
        raise ValueError(f"B must be >= {2 * k}, two gradients for each of the k = {k} subsets, got {B}")
    return TopEigenvalueCalibration(
        epsilon=epsilon,
        delta=delta,
        zeta=zeta,
        B=B,
        k=k,
        b=b,
        divisor=choices.divisor.value * b,
        scale=REPLACE_ONE_SENSITIVITY / epsilon,
        threshold=stability_threshold(epsilon, delta),
        sensitivity=REPLACE_ONE_SENSITIVITY,
    )


def private_top_eigenvalue(
    g: NDArray[np.float64], calibration: TopEigenvalueCalibration, noise: Noise, name: str = "eigenvalue"
) -> float | None:
    """Algorithm 4.

    Args:
        g: gradients, shape (B, d), B as calibrated.
        calibration: what `calibrate` returned.
        noise: the seam. Draws: the release `name`, the histogram; a bin is the pair (i, 0) for [2^(i/4), 2^((i+1)/4)),
            (0, 1) for {0}.
        name: name of that release, for callers that run this more than once.

    Returns:
        Lambda_hat >= 0, in squared units of g; None for bottom.

    Raises:
        ValueError: another number of gradients than calibrated.
    """
    B, k, b = calibration.B, calibration.k, calibration.b
    if len(g) != B:
        raise ValueError(f"g must have the {B} gradients of the calibration, got {len(g)}")
    differences = g[1::2] - g[: B - 1 : 2]  # line 1
    subsets = differences[: k * b].reshape(k, b, -1)  # line 2: the rows of subsets[j] are the columns of G_j
    # line 3
    eigenvalues = np.linalg.norm(subsets, ord=2, axis=(1, 2)) ** 2 / calibration.divisor  # line 4 (D2)
    bins = np.array([_bin(eigenvalue) for eigenvalue in eigenvalues])  # line 5 (D3)
    survivors = noise.release(  # line 6 (D4)
        name, bins, SparseHistogramLaw(calibration.scale, calibration.threshold), sensitivity=calibration.sensitivity
    )
    if len(survivors) == 0:  # line 7
        return None
    i, is_zero = survivors[np.argmax(survivors[:, 0]), 1:]  # line 8
    return 0.0 if is_zero else float(2.0 ** (i / 4.0))  # line 9


def _bin(eigenvalue: float) -> tuple[float, float]:
    return (0.0, 1.0) if eigenvalue == 0.0 else (math.floor(4.0 * math.log2(eigenvalue)), 0.0)
