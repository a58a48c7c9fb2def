"""Orthonormal bases from full-rank matrices, by rules that fix every sign."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

#: Vectors below this length have squares that float64 does not hold to its full precision.
_LEAST_LENGTH = 1e-140


def polar_factor(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return V (V^T V)^(-1/2), the closest orthonormal matrix to V (d, k), k <= d; for k = 1 it is V / ||V||."""
    if matrix.shape[1] == 1:
        length = math.sqrt(np.vdot(matrix, matrix))
        if _LEAST_LENGTH < length < math.inf:
            return matrix / length
    left, _, right = np.linalg.svd(matrix, full_matrices=False)
    return np.asarray(left @ right)


def qr_factor(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return Q (d, k) of the QR decomposition whose R has a diagonal >= 0: Gram-Schmidt of the columns."""
    q, r = np.linalg.qr(matrix)
    return np.asarray(q * np.where(np.diag(r) < 0.0, -1.0, 1.0))


def complement(unit: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return an orthonormal basis (d, d - 1) of the complement of a unit vector u (d,).

    The last d - 1 columns of the Householder reflection along u + sign(u_1) e_1, with sign(0) = 1.
    """
    w = unit.copy()
    w[0] += 1.0 if unit[0] >= 0.0 else -1.0
    reflection = np.eye(len(unit)) - 2.0 * np.outer(w, w) / (w @ w)
    return reflection[:, 1:]
