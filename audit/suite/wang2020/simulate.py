"""Algorithms 1 and 2 of wang2020 with the clients' noise drawn in one piece: for experiments, not for release.

The server uses the messages only through their mean. The mean of n messages is S plus the mean of n independent
N(0, std^2 I) upper triangles, whose law is N(0, std^2 / n I); `aggregate` draws that once. The server's output has
the law of the protocol's, in time and memory that do not grow with n times p^2.

It is a simulation shortcut: no client sends anything, so nothing here is locally private. Its one release is that
of a trusted curator, sensitivity / n against std / sqrt(n), and is declared to the seam as such.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dppca.reference.noise import Noise
from dppca.reference.primitives.gaussian import GaussianCalibration
from dppca.reference.primitives.symmetric import symmetric_matrix, upper_triangle
from dppca.reference.rigour.validation import check_subspace_dimension, check_unit_rows
from dppca.reference.wang2020.certified_admm import SparseSubspace, Stopping, sparse_subspace
from dppca.reference.wang2020.fantope import leading_eigenpairs


def aggregate(X: ArrayLike, calibration: GaussianCalibration, noise: Noise) -> NDArray[np.float64]:
    """Return S_tilde, the mean of all clients' messages (line 4), by the shortcut above.

    Args:
        X: one row per client, shape (n, p), each in the unit ball.
        calibration: of one client's message, from `calibrate` of either algorithm.
        noise: the seam. Draws the release "aggregate noise is a simulation shortcut".

    Returns:
        Symmetric, shape (p, p).

    Raises:
        ValueError: X is not finite or not (n, p), or a row lies outside the unit ball.
    """
    rows = check_unit_rows("X", X)
    n, p = rows.shape
    mean = noise.gaussian(
        "aggregate noise is a simulation shortcut",
        upper_triangle(rows.T @ rows / n),
        std=calibration.std / math.sqrt(n),
        sensitivity=calibration.sensitivity / n,
    )
    return symmetric_matrix(mean, p)


def leading_subspace(matrix: NDArray[np.float64], k: int) -> NDArray[np.float64]:
    """Return the k leading eigenvectors, shape (p, k), as `principal_subspace` does."""
    return leading_eigenpairs(matrix, k)[1][:, ::-1]


def simulate_algorithm_1(X: ArrayLike, k: int, calibration: GaussianCalibration, noise: Noise) -> NDArray[np.float64]:
    """Return a basis with the law of Algorithm 1's output; arguments and errors as there."""
    S_tilde = aggregate(X, calibration, noise)
    check_subspace_dimension(k, len(S_tilde))
    return leading_subspace(S_tilde, k)


def simulate_algorithm_2(
    X: ArrayLike, k: int, lambda_: float, calibration: GaussianCalibration, noise: Noise, stopping: Stopping | None = None
) -> SparseSubspace:
    """Return a result whose `basis` has the law of Algorithm 2's output, CORRECTED; arguments and errors as there."""
    return sparse_subspace(aggregate(X, calibration, noise), k, lambda_, stopping=stopping)
