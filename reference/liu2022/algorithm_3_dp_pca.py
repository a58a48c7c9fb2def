"""DP-PCA.

As published (liu2022, Algorithm 3; lines as the proceedings number them, arXiv counts one more from line 4 on).
  1  w_0 uniform on the unit sphere
  2  for t = 1, ..., T = floor(n / B)
  3    Lambda_hat: Algorithm 4 at (epsilon / 2, delta / 2), zeta / (2 T), on A_i w_{t-1}, i in the batch's first half
  4    g_hat: Algorithm 5 at (epsilon / 2, delta / 2), zeta / (2 T), with eigenvalue 2 Lambda_hat, on its second half
  5    w' = w_{t-1} + eta_t g_hat, w_t = w' / |w'|
  6  output w_T
Batch t is B (t-1) + 1, ..., B t; a half has floor(B / 2) records.
Claimed there: (epsilon, delta)-DP when a record is added or removed, for epsilon < 0.9 and all data, B, zeta and delta; the
error of Theorem 5.1. Read here: n is public and neighbours replace one record; a step at which Algorithm 4 or 5 gives bottom,
or Lambda_hat = 0 (no bins), leaves w as it is (liu2022.algorithm-3-bottom).

Symbols: A (n, d, d), or rows (n, d); w (d,), a unit vector; eta_t > 0; T batches of B.
"""

from __future__ import annotations

from dataclasses import dataclass

from numpy.typing import ArrayLike

from dppca.reference.api import Matrix, Noise, Readings, Relation, Returns, TheoremCondition, checked, declare, point
from dppca.reference.liu2022 import algorithm_4_top_eigenvalue as algorithm_4
from dppca.reference.liu2022 import algorithm_5_mean as algorithm_5
from dppca.reference.liu2022.data import RECORDS, batches_example, gradients, normalise
from dppca.reference.primitives.composition import Guarantee
from dppca.reference.rigour.validation import check_step_sizes


class Choices(Readings):
    """The decisions of a reading: the sub-routines', the multiple of Lambda_hat that line 4 passes on, a half's share.

    In LEAN each sub-routine spends all of (epsilon, delta), as the two halves of a batch are disjoint.
    """

    eigenvalue: algorithm_4.Choices = point(
        AS_PRINTED=algorithm_4.AS_PRINTED, CORRECTED=algorithm_4.CORRECTED, LEAN=algorithm_4.CORRECTED
    )
    mean: algorithm_5.Choices = point(AS_PRINTED=algorithm_5.AS_PRINTED, CORRECTED=algorithm_5.CORRECTED, LEAN=algorithm_5.LEAN)
    handed_on: float = point("liu2022.algorithm-3-eigenvalue", AS_PRINTED=2.0, CORRECTED=1.0, LEAN=1.0)
    share: float = point("liu2022.algorithm-3-halves", AS_PRINTED=0.5, CORRECTED=0.5, LEAN=1.0)


AS_PRINTED, CORRECTED, LEAN = (Choices.read(name) for name in ("AS_PRINTED", "CORRECTED", "LEAN"))


@dataclass(frozen=True)
class DPPCACalibration:
    """The sizes of T steps on batches of B records, and both sub-routines' calibrations for B // 2 gradients each."""

    epsilon: float
    delta: float
    n: int
    d: int
    B: int
    T: int
    handed_on: float
    eigenvalue: algorithm_4.TopEigenvalueCalibration
    mean: algorithm_5.MeanCalibration

    @property
    def conditions(self) -> tuple[TheoremCondition, ...]:
        """Return the conditions of the guarantees of the sub-routines."""
        return self.mean.conditions


@checked
def calibrate(
    epsilon: float,
    delta: float,
    *,
    n: int,
    d: int,
    B: int,
    K: float,
    a: float = 1.0,
    zeta: float = 0.01,
    choices: Choices = CORRECTED,
) -> DPPCACalibration:
    """Return the calibrations of lines 3 and 4 for n records of dimension d in batches of B.

    K and a are those of Assumption 1. B is at most n, and a batch large enough for Algorithm 4's subsets. A record's batch and
    half are set by its place.
    """
    T = n // B
    if T < 1:
        raise ValueError(f"B must be at most n = {n}, got {B}")
    share = choices.share
    each = Guarantee(epsilon * share, delta * share)
    failure = zeta / (2 * T)
    handed_on = choices.handed_on  # line 4: multiple of Lambda_hat
    half = B // 2
    eigenvalue = algorithm_4.calibrate(  # line 3: calibration of Algorithm 4
        *each, B=half, zeta=failure, choices=choices.eigenvalue
    )
    mean = algorithm_5.calibrate(  # line 4: calibration of Algorithm 5
        *each, B=half, d=d, K=K, a=a, zeta=failure, choices=choices.mean
    )
    return DPPCACalibration(epsilon, delta, n, d, B, T, handed_on, eigenvalue, mean)


@declare(
    number="Algorithm 3",
    title="Differentially Private Principal Component Analysis (DP-PCA)",
    data=RECORDS,
    relation=Relation.REPLACE_ONE,
    returns=Returns.VECTOR,
    calibrate=calibrate,
    claims=("liu2022.theorem-5.1-privacy", "liu2022.theorem-5.1", "liu2022.definition-2.3", "liu2022.algorithm-3-bottom"),
    example=batches_example(epsilon=8.0, delta=0.1, n=640, d=2, B=320, K=1.0, zeta=0.5, step_sizes=(0.5, 0.3)),
)
def dp_pca(A: Matrix, step_sizes: ArrayLike, calibration: DPPCACalibration, noise: Noise, prefix: str = "") -> Matrix:
    """Take one step on each batch, along a private mean of its gradients; the result is a unit vector.

    Records beyond B T, and the last record of each batch if B is odd, are not used.
    """
    d, B, T = calibration.d, calibration.B, calibration.T
    eta = check_step_sizes(step_sizes, T)
    half = B // 2
    w = normalise(noise.public_normal(prefix + "w[0]", (d,)))  # line 1
    for t in range(1, T + 1):  # line 2
        batch = A[B * (t - 1) : B * t]
        Lambda = algorithm_4.private_top_eigenvalue(  # line 3: Lambda_hat
            gradients(batch[:half], w), calibration.eigenvalue, noise, f"{prefix}eigenvalue[{t}]"
        )
        if not Lambda:
            continue
        eigenvalue = calibration.handed_on * Lambda
        g_hat = algorithm_5.private_mean(  # line 4
            gradients(batch[half : 2 * half], w), eigenvalue, calibration.mean, noise, f"{prefix}t={t} "
        )
        if g_hat is None:
            continue
        w_prime = w + eta[t - 1] * g_hat  # line 5: w'
        w = normalise(w_prime)  # line 5
    return w  # line 6: w_T
