"""Private estimation of the top eigenvalue of the gradients' covariance.

As published (liu2022, Algorithm 4; arXiv, appendix E.2: the proceedings' appendix is not at hand).
  1  g~_i = g_{2i} - g_{2i-1}, i = 1, ..., floor(B / 2)
  2  k = C_1 log(1 / (delta zeta)) / epsilon subsets G_j (d, b) of b = floor(B / 2k) of them
  3  (empty)
  4  lambda_1^(j): the top eigenvalue of G_j G_j^T / b
  5  bins [2^(i/4), 2^((i+1)/4)) for all integers i, and {0}
  6  the (epsilon, delta)-DP histogram of Lemma B.1 of the k eigenvalues
  7  bottom if all bins are empty
  8  [l, r] a bin with the largest noisy count
  9  Lambda_hat = l
Claimed there: (epsilon, delta)-DP when a gradient is added or removed; Lambda_hat within sqrt(2) of the top eigenvalue of the
gradients' covariance with probability 1 - zeta (Theorem 6.1).
Read here: neighbours replace one gradient, so one of the k eigenvalues moves and two counts change by 1; k is rounded up; the
histogram that Lemma B.1 says exists is `primitives.sparse_histogram`, with the smallest threshold that is (epsilon, delta)-DP.

Symbols: g (B, d); k subsets of b differences.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from dppca.reference.api import Matrix, Noise, Readings, RealRows, Relation, Returns, checked, declare, point
from dppca.reference.liu2022.data import batches_example
from dppca.reference.primitives.sparse_histogram import REPLACE_ONE_SENSITIVITY, SparseHistogramLaw, stability_threshold
from dppca.reference.rigour.outwards import divide_up


class Choices(Readings):
    """The decisions of a reading: C_1 of line 2, for which the paper has no value, and the divisor of line 4, in units of b."""

    C_1: float = point("liu2022.algorithm-4-subsets", every=4.0)
    divisor: float = point("liu2022.theorem-6.1", AS_PRINTED=1.0, CORRECTED=2.0)


AS_PRINTED, CORRECTED = Choices.read("AS_PRINTED"), Choices.read("CORRECTED")


@dataclass(frozen=True)
class TopEigenvalueCalibration:
    """The sizes of k subsets of b differences each, and the histogram of line 6: Laplace `scale`, `threshold`."""

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


@checked
def calibrate(epsilon: float, delta: float, *, B: int, zeta: float, choices: Choices = CORRECTED) -> TopEigenvalueCalibration:
    """Return k and b of line 2 and the histogram of line 6, for B >= 2k gradients and a failure probability zeta."""
    log = math.log(1.0 / (delta * zeta))
    k = math.ceil(choices.C_1 * log / epsilon)  # line 2
    b = B // (2 * k)  # line 2
    if b < 1:
        raise ValueError(f"B must be >= {2 * k}, two gradients for each of the k = {k} subsets, got {B}")
    scale, threshold = divide_up(REPLACE_ONE_SENSITIVITY, epsilon), stability_threshold(epsilon, delta)
    divisor = choices.divisor * b
    return TopEigenvalueCalibration(epsilon, delta, zeta, B, k, b, divisor, scale, threshold, REPLACE_ONE_SENSITIVITY)


@declare(
    number="Algorithm 4",
    title="Private Top Eigenvalue Estimation",
    data=RealRows("B", "d"),
    relation=Relation.REPLACE_ONE,
    returns=Returns.NUMBER,
    unstated=(3,),
    calibrate=calibrate,
    claims=("liu2022.theorem-6.1-privacy", "liu2022.lemma-b.1"),
    example=batches_example(epsilon=4.0, delta=0.1, B=640, zeta=0.5),
)
def private_top_eigenvalue(
    g: Matrix, calibration: TopEigenvalueCalibration, noise: Noise, name: str = "eigenvalue"
) -> float | None:
    """Return the left end of the bin that holds the most of the subsets' top eigenvalues, noise added; None for bottom.

    `name` is that of the histogram's release, for callers that run this more than once. A bin is the pair (i, 0) for
    [2^(i/4), 2^((i+1)/4)), (0, 1) for {0}. The result is in squared units of g.
    """
    B, k, b = calibration.B, calibration.k, calibration.b
    differences = g[1::2] - g[: B - 1 : 2]  # line 1: g~
    # The rows of subsets[j] are the columns of G_j.
    subsets = differences[: k * b].reshape(k, b, -1)  # line 2: G
    eigenvalues = np.linalg.norm(subsets, ord=2, axis=(1, 2)) ** 2 / calibration.divisor  # line 4: lambda_1^(j)
    bins = np.array([bin_of(eigenvalue) for eigenvalue in eigenvalues])  # line 5
    survivors = noise.release(  # line 6: histogram
        name, bins, SparseHistogramLaw(calibration.scale, calibration.threshold), sensitivity=calibration.sensitivity
    )
    if len(survivors) == 0:  # line 7
        return None
    i, is_zero = survivors[np.argmax(survivors[:, 0]), 1:]  # line 8: i; whether the bin is {0}
    return 0.0 if is_zero else float(2.0 ** (i / 4.0))  # line 9: Lambda_hat


def bin_of(eigenvalue: float) -> tuple[float, float]:
    """Return the bin of an eigenvalue: (i, 0), or (0, 1) for {0}."""
    return (0.0, 1.0) if eigenvalue == 0.0 else (math.floor(4.0 * math.log2(eigenvalue)), 0.0)
