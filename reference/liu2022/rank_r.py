"""DP-PCA for r components: deflation, and block Oja with QR.

As published (liu2022, section 7 of the proceedings, in words): find the components one by one, each orthogonal to those before;
or keep r orthonormal columns and replace the normalisation of Oja's algorithm by a QR decomposition. Budgets and details are
left open, and nothing is claimed.

Read here. Deflation: component j is found by Algorithm 3 on the j-th of r disjoint parts of the records, after a projection
onto the complement of the components found before. A record lies in one part, so all r runs together are (epsilon,
delta)-DP when each is (replace-one). Block Oja: Algorithm 3 with W_t (d, r) in place of w_t. A gradient A_i W is a vector
of d r numbers to Algorithms 4 and 5, so their guarantees hold with d r for d; QR is post-processing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dppca.reference.api import Matrix, Noise, Relation, Returns, checked, declare
from dppca.reference.liu2022 import algorithm_3_dp_pca as algorithm_3
from dppca.reference.liu2022 import algorithm_4_top_eigenvalue as algorithm_4
from dppca.reference.liu2022 import algorithm_5_mean as algorithm_5
from dppca.reference.liu2022.data import RECORDS, batches_example, gradients, largest_entry
from dppca.reference.primitives.orthonormal import qr_factor
from dppca.reference.rigour.validation import check_step_sizes


@dataclass(frozen=True)
class RankRCalibration:
    """The sizes of r components of n records, and Algorithm 3's calibration for one part or for d r numbers."""

    n: int
    d: int
    r: int
    dp_pca: algorithm_3.DPPCACalibration


@checked
def calibrate_deflation(
    epsilon: float,
    delta: float,
    *,
    n: int,
    d: int,
    r: int,
    B: int,
    K: float,
    a: float = 1.0,
    zeta: float = 0.01,
    choices: algorithm_3.Choices = algorithm_3.CORRECTED,
) -> RankRCalibration:
    """Return Algorithm 3's calibration at (epsilon, delta) for a part of n // r records; arguments as there."""
    part = n // r
    if part < 1:
        raise ValueError(f"n must be at least r = {r}, got {n}")
    one = algorithm_3.calibrate(epsilon, delta, n=part, d=d, B=B, K=K, a=a, zeta=zeta, choices=choices)
    return RankRCalibration(n, d, r, one)


@declare(
    number="Section 7",
    title="rank r by deflation",
    data=RECORDS,
    relation=Relation.REPLACE_ONE,
    returns=Returns.BASIS,
    calibrate=calibrate_deflation,
    claims=("liu2022.rank-r-deflation",),
    example=batches_example(epsilon=8.0, delta=0.1, n=640, d=2, r=2, B=320, K=1.0, zeta=0.5, step_sizes=(0.5,)),
)
def deflation(A: Matrix, step_sizes: ArrayLike, calibration: RankRCalibration, noise: Noise) -> Matrix:
    """Find r components one after the other, each on its own part of the records; those beyond r (n // r) are not used."""
    d, part = calibration.d, calibration.dp_pca.n
    components: Matrix = np.empty((d, 0))
    for j in range(calibration.r):
        complement = np.eye(d) - components @ components.T
        records = A[j * part : (j + 1) * part]
        deflated = records @ complement if A.ndim == 2 else complement @ records @ complement
        # A projection may lengthen an entry; to refuse such data here would reveal something about a record.
        deflated = np.clip(deflated, -largest_entry(A), largest_entry(A))
        w = algorithm_3.dp_pca(deflated, step_sizes, calibration.dp_pca, noise, f"component {j + 1} ")
        components = qr_factor(np.column_stack([components, w]))
    return components


@checked
def calibrate_block(
    epsilon: float,
    delta: float,
    *,
    n: int,
    d: int,
    r: int,
    B: int,
    K: float,
    a: float = 1.0,
    zeta: float = 0.01,
    choices: algorithm_3.Choices = algorithm_3.CORRECTED,
) -> RankRCalibration:
    """Return Algorithm 3's calibration at (epsilon, delta) for gradients of d r numbers; arguments as there."""
    entries = d * r
    block = algorithm_3.calibrate(epsilon, delta, n=n, d=entries, B=B, K=K, a=a, zeta=zeta, choices=choices)
    return RankRCalibration(n, d, r, block)


@declare(
    number="Section 7",
    title="rank r by block Oja with QR",
    data=RECORDS,
    relation=Relation.REPLACE_ONE,
    returns=Returns.BASIS,
    calibrate=calibrate_block,
    claims=("liu2022.rank-r-block",),
    example=batches_example(epsilon=8.0, delta=0.1, n=640, d=2, r=2, B=320, K=1.0, zeta=0.5, step_sizes=(0.5, 0.3)),
)
def block_dp_pca(A: Matrix, step_sizes: ArrayLike, calibration: RankRCalibration, noise: Noise) -> Matrix:
    """Take one step of r columns at once on each batch."""
    d, r, one = calibration.d, calibration.r, calibration.dp_pca
    eta = check_step_sizes(step_sizes, one.T)
    half = one.B // 2
    W = qr_factor(noise.public_normal("w[0]", (d, r)))
    for t in range(1, one.T + 1):
        batch = A[one.B * (t - 1) : one.B * (t - 1) + 2 * half]
        g = gradients(batch, W).reshape(2 * half, d * r)
        Lambda = algorithm_4.private_top_eigenvalue(g[:half], one.eigenvalue, noise, f"eigenvalue[{t}]")
        if not Lambda:
            continue
        g_hat = algorithm_5.private_mean(g[half:], one.handed_on * Lambda, one.mean, noise, f"t={t} ")
        if g_hat is None:
            continue
        W = qr_factor(W + eta[t - 1] * g_hat.reshape(d, r))
    return W
