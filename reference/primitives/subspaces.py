"""Subspaces given by orthonormal bases of shape (p, k), and the distances between them."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import subspace_angles


def principal_subspace(matrix: NDArray[np.float64], k: int) -> NDArray[np.float64]:
    """Return an orthonormal eigenvectors of the k largest eigenvalues of a symmetric (p, p) matrix, shape (p, k)."""
    _, vectors = np.linalg.eigh(matrix)
    return vectors[:, ::-1][:, :k]


def principal_subspace_of_rows(rows: NDArray[np.float64], k: int) -> NDArray[np.float64]:
    """Return `principal_subspace` of X^T X for finite rows X (n, p), computed without losing a square."""
    largest = float(np.max(np.abs(rows), initial=0.0))
    scaled = np.ldexp(rows, -math.frexp(largest)[1])
    return principal_subspace(scaled.T @ scaled, k)


def projector(basis: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the orthogonal projector V V^T of the column space of an orthonormal V, shape (p, p)."""
    return basis @ basis.T


def sin_theta_distance(basis: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    """Return ||sin Theta||_F, in [0, sqrt(k)], from the principal angles; it is ||V V^T - W W^T||_F / sqrt(2)."""
    return float(np.linalg.norm(np.sin(subspace_angles(basis, other))))


def random_sin_theta_distance(p: int, k: int) -> float:
    """Return the root mean square sin-theta distance from a fixed k-subspace to a uniformly random one.

    E tr(P Q) = k^2 / p for a uniformly random projector Q of rank k, and ||sin Theta||_F^2 = k - tr(P Q).
    """
    return math.sqrt(k - k * k / p)
