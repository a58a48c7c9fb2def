"""Subspaces given by orthonormal bases of shape (p, k), and the distances between them."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import subspace_angles


def principal_subspace(matrix: NDArray[np.float64], k: int) -> NDArray[np.float64]:
    """Orthonormal eigenvectors of the k largest eigenvalues of a symmetric (p, p) matrix, shape (p, k)."""
    _, vectors = np.linalg.eigh(matrix)
    return vectors[:, ::-1][:, :k]


def projector(basis: NDArray[np.float64]) -> NDArray[np.float64]:
    """The orthogonal projector V V^T of the column space of an orthonormal V, shape (p, p)."""
    return basis @ basis.T


def sin_theta_distance(basis: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    """||sin Theta||_F, from the principal angles; equals ||V V^T - W W^T||_F / sqrt(2). Range [0, sqrt(k)]."""
    return float(np.linalg.norm(np.sin(subspace_angles(basis, other))))


def random_sin_theta_distance(p: int, k: int) -> float:
    """Root mean square of the sin-theta distance from a fixed k-subspace to a uniformly random one.

    E tr(P Q) = k^2 / p for a uniformly random projector Q of rank k, and ||sin Theta||_F^2 = k - tr(P Q).
    """
    return math.sqrt(k - k * k / p)
