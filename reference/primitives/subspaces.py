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


def principal_subspace_of_rows(rows: NDArray[np.float64], k: int) -> NDArray[np.float64]:
    """`principal_subspace` of X^T X for any finite rows X (n, p): computed for X over a power of two, so no square is lost."""
    largest = float(np.max(np.abs(rows), initial=0.0))
    scaled = np.ldexp(rows, -math.frexp(largest)[1])
    return principal_subspace(scaled.T @ scaled, k)


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
