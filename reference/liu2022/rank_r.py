"""DP-PCA for r components (liu2022, discussion in the conference text): deflation, and block Oja with QR.

The discussion names both and leaves budgets and details open; there is nothing to correct.
Claims: liu2022.rank-r-deflation, liu2022.rank-r-block.

Deflation: component j is found by Algorithm 3 on the j-th of r disjoint parts of the records, after a projection onto
the complement of the components found before. A record lies in one part, so all r runs together are (epsilon,
delta)-DP when each is (replace-one).

Block Oja: Algorithm 3 with W_t (d, r) in place of w_t. A gradient A_i W is a vector of d r numbers to Algorithms 4 and
5, so their guarantees hold with d r for d; QR is post-processing.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dppca.reference.liu2022 import algorithm_3_dp_pca as algorithm_3
from dppca.reference.liu2022 import algorithm_4_top_eigenvalue as algorithm_4
from dppca.reference.liu2022 import algorithm_5_mean as algorithm_5
from dppca.reference.liu2022.data import check_data, gradients, largest_entry
from dppca.reference.liu2022.private_update import check_step_sizes
from dppca.reference.noise import Noise
from dppca.reference.primitives.inputs import check_count
from dppca.reference.primitives.validation import check_subspace_dimension


def calibrate_deflation(epsilon: float, delta: float, *, n: int, r: int, **parameters: Any) -> algorithm_3.DPPCACalibration:
    """Algorithm 3's calibration for one part of n // r records, at (epsilon, delta); `parameters` as there."""
    return algorithm_3.calibrate(epsilon, delta, n=check_count("n // r", n // check_count("r", r)), **parameters)


def deflation(
    A: ArrayLike, r: int, step_sizes: ArrayLike, calibration: algorithm_3.DPPCACalibration, noise: Noise
) -> NDArray[np.float64]:
    """r components, one after the other.

    Args:
        A: matrices (n, d, d), or rows (n, d) that stand for x_i x_i^T; n // r as calibrated. Records beyond
            r (n // r) are not used.
        r: number of components, 1 <= r <= d.
        step_sizes: eta_1, ..., eta_T of every run.
        calibration: what `calibrate_deflation` returned.
        noise: the seam. Draws, for j = 1..r: those of Algorithm 3, each name after "component <j> ".

    Returns:
        Orthonormal columns in the order found, shape (d, r).

    Raises:
        ValueError: malformed data or step sizes, or another n // r or d than calibrated.
    """
    data = check_data("A", A)
    d = data.shape[1]
    part = len(data) // check_subspace_dimension(r, d)
    components: NDArray[np.float64] = np.empty((d, 0))
    for j in range(r):
        complement = np.eye(d) - components @ components.T
        records = data[j * part : (j + 1) * part]
        deflated = records @ complement if data.ndim == 2 else complement @ records @ complement
        # A projection may lengthen an entry; to refuse such data here would tell about a record.
        deflated = np.clip(deflated, -largest_entry(data), largest_entry(data))
        w = algorithm_3.dp_pca(deflated, step_sizes, calibration, noise, f"component {j + 1} ")
        components = _orthonormal(np.column_stack([components, w]))
    return components


def calibrate_block(epsilon: float, delta: float, *, d: int, r: int, **parameters: Any) -> algorithm_3.DPPCACalibration:
    """Algorithm 3's calibration for gradients of d r numbers; `parameters` as there."""
    return algorithm_3.calibrate(epsilon, delta, d=d * check_subspace_dimension(r, d), **parameters)


def block_dp_pca(
    A: ArrayLike, r: int, step_sizes: ArrayLike, calibration: algorithm_3.DPPCACalibration, noise: Noise
) -> NDArray[np.float64]:
    """r components at once.

    Args:
        A: matrices (n, d, d), or rows (n, d) that stand for x_i x_i^T, n as calibrated.
        r: number of components, 1 <= r <= d; d r as calibrated.
        step_sizes: eta_1, ..., eta_T, each > 0.
        calibration: what `calibrate_block` returned.
        noise: the seam. Draws as in Algorithm 3, with public normal "w[0]" (d, r).

    Returns:
        W_T, orthonormal, shape (d, r).

    Raises:
        ValueError: malformed data or step sizes, or another n or d r than calibrated.
    """
    data = check_data("A", A)
    n, B, T = calibration.n, calibration.B, calibration.T
    d = data.shape[1]
    if len(data) != n or d * check_subspace_dimension(r, d) != calibration.d:
        raise ValueError(f"A must have the calibrated n = {n} and d r = {calibration.d}, got {data.shape} and r = {r}")
    eta = check_step_sizes(step_sizes, T)
    half = B // 2
    W = _orthonormal(noise.public_normal("w[0]", (d, r)))
    for t in range(1, T + 1):
        g = gradients(data[B * (t - 1) : B * (t - 1) + 2 * half], W).reshape(2 * half, d * r)
        Lambda = algorithm_4.private_top_eigenvalue(g[:half], calibration.eigenvalue, noise, f"eigenvalue[{t}]")
        if not Lambda:
            continue
        g_hat = algorithm_5.private_mean(g[half:], calibration.handed_on * Lambda, calibration.mean, noise, f"t={t} ")
        if g_hat is None:
            continue
        W = _orthonormal(W + eta[t - 1] * g_hat.reshape(d, r))
    return W


def _orthonormal(W: NDArray[np.float64]) -> NDArray[np.float64]:
    """The Q of a QR decomposition with a non-negative diagonal of R, so that it is a function of W alone."""
    Q, R = np.linalg.qr(W)
    return np.asarray(Q * np.where(np.diag(R) < 0.0, -1.0, 1.0))
