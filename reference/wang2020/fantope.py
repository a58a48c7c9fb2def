"""Problem (5) of wang2020 over the Fantope F^k = {X symmetric: 0 <= X <= I, tr X = k}: projection, dual, certificate.

Problem (5) maximises <S, X> - lambda ||X||_{1,1} over F^k. Because -lambda ||X||_{1,1} is the least value of
-<W, X> over |W_ij| <= lambda, and <S - W, X> is at most the sum of the k largest eigenvalues of S - W (Ky Fan),

    every symmetric W with |W_ij| <= lambda gives an upper bound on (5), every X of F^k a lower one,

and the two meet at the optimum. A `DualityCertificate` holds such a pair; it is valid however the pair was found. All
of it is float64: a gap below about p 2^-52 times the largest eigenvalue means nothing.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from dppca.reference.rigour.validation import check_real, check_rows, check_subspace_dimension

#: `fantope_factor` tries some leading eigenpairs first if they are fewer than this share of p; LAPACK's subset
#: driver is slower than all pairs above it.
LEADING_SHARE = 1 / 8


def check_symmetric(name: str, matrix: NDArray[np.float64], p: int | None = None) -> NDArray[np.float64]:
    """Return a finite, exactly symmetric (p, p) matrix; ValueError otherwise."""
    array = check_rows(name, matrix)
    rows = p or array.shape[0]
    if array.shape != (rows, rows):
        raise ValueError(f"{name} must have shape ({rows}, {rows}), got {array.shape}")
    if not np.array_equal(array, array.T):
        asymmetry = float(np.max(np.abs(array - array.T)))
        raise ValueError(f"{name} must be symmetric, got max |A - A^T| = {asymmetry!r}; take (A + A^T) / 2")
    return array


def check_penalty(lambda_: Any) -> float:
    """Return a penalty, finite and >= 0; ValueError otherwise."""
    number = check_real("lambda_", "finite and >= 0", lambda_)
    if not 0.0 <= number < math.inf:
        raise ValueError(f"lambda_ must be finite and >= 0, got {lambda_!r}")
    return number


def fantope_weights(eigenvalues: NDArray[np.float64], k: int) -> NDArray[np.float64]:
    """Return min(max(eigenvalue_i - theta, 0), 1), with the theta that makes their sum k, in closed form.

    That sum falls from p to 0 and is linear between the breakpoints eigenvalue_i - 1 and eigenvalue_i, so the segment
    that crosses k is found by binary search over the 2p sorted breakpoints, and theta by one division. Taking the
    k-th largest eigenvalue as origin puts theta into [-1, 0], so the sum is exact to rounding at any scale.

    Args:
        eigenvalues: shape (p,), in any order.
        k: 1 <= k <= p.
    """
    upper = eigenvalues - np.sort(eigenvalues)[-k]
    lower = upper - 1.0
    breakpoints: list[float] = np.sort(np.concatenate([lower, upper])).tolist()

    def mass(theta: float) -> float:
        return float(np.sum(np.clip(upper - theta, 0.0, 1.0)))

    # Rounding may leave the first breakpoint's mass just below k = p, or give a flat segment an end just below k.
    last = max(bisect_right(breakpoints, -float(k), key=lambda theta: -mass(theta)) - 1, 0)
    start = breakpoints[last]
    slope = max(int(np.count_nonzero((upper > start) & (lower <= start))), 1)
    theta = start + (mass(start) - k) / slope
    weights: NDArray[np.float64] = np.clip(upper - theta, 0.0, 1.0)
    return weights


def leading_eigenpairs(matrix: NDArray[np.float64], count: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the largest eigenvalues of a symmetric (p, p) matrix, shape (count,), rising, and eigenvectors, shape (p, count).

    Where many eigenvalues are equal, LAPACK's driver for some of them may give up, with an error or with none of them; then
    all are computed.
    """
    p = matrix.shape[0]
    try:
        values, vectors = eigh(matrix, subset_by_index=(p - count, p - 1), check_finite=False)
    except np.linalg.LinAlgError:
        values = np.empty(0)
    if len(values) < count:
        values, vectors = np.linalg.eigh(matrix)
    return values[-count:], vectors[:, -count:]


def fantope_factor(matrix: NDArray[np.float64], k: int, leading: int | None = None) -> NDArray[np.float64]:
    """Return B of shape (p, rank) such that B B^T is the Euclidean projection of a symmetric matrix onto F^k.

    Args:
        matrix: symmetric, shape (p, p); only its lower triangle is read.
        k: 1 <= k <= p.
        leading: how many leading eigenpairs to try first, for speed only: where the last of them has weight 0, so
            have those not computed, and the result is the projection; otherwise all are computed.

    Raises:
        ValueError: k not in 1..p.
    """
    p = matrix.shape[0]
    check_subspace_dimension(k, p)
    if leading is not None and k <= leading < LEADING_SHARE * p:
        values, vectors = leading_eigenpairs(matrix, leading)
        weights = fantope_weights(values, k)
        if weights[0] > 0.0:
            return fantope_factor(matrix, k)
    else:
        values, vectors = np.linalg.eigh(matrix)
        weights = fantope_weights(values, k)
    positive = weights > 0.0
    factor: NDArray[np.float64] = vectors[:, positive] * np.sqrt(weights[positive])
    return factor


def project_fantope(matrix: NDArray[np.float64], k: int, leading: int | None = None) -> NDArray[np.float64]:
    """Return the Euclidean projection of a symmetric (p, p) matrix onto F^k; arguments as in `fantope_factor`."""
    factor = fantope_factor(matrix, k, leading)
    return factor @ factor.T


def soft_threshold(x: NDArray[np.float64], threshold: float) -> NDArray[np.float64]:
    """Return sign(x) max(|x| - threshold, 0), entry by entry; threshold >= 0."""
    return x - np.clip(x, -threshold, threshold)


def objective(S: NDArray[np.float64], X: NDArray[np.float64], lambda_: float) -> float:
    """Return <S, X> - lambda ||X||_{1,1}, the objective of problem (5)."""
    return float(np.sum(S * X) - lambda_ * np.sum(np.abs(X)))


def dual_bound(S: NDArray[np.float64], W: NDArray[np.float64], lambda_: float, k: int) -> float:
    """Return an upper bound on problem (5): the sum of the k largest eigenvalues of S - W, for a symmetric |W_ij| <= lambda."""
    excess = float(np.max(np.abs(W))) - lambda_
    if excess > 0.0:
        raise ValueError(f"W must have entries of at most lambda_ = {lambda_!r}, got {lambda_ + excess!r}")
    return float(np.sum(np.linalg.eigvalsh(S - W)[-k:]))  # of all: LAPACK's driver for some of them may give up


@dataclass(frozen=True)
class DualityCertificate:
    """A proof of near optimality: a feasible X and its objective, a dual feasible W and its bound on every objective."""

    X: NDArray[np.float64]
    W: NDArray[np.float64]
    objective: float
    bound: float

    @property
    def gap(self) -> float:
        """Return bound - objective: X is at most this far from optimal."""
        return self.bound - self.objective


def certify(
    S: NDArray[np.float64], k: int, lambda_: float, points: Sequence[NDArray[np.float64]], W: NDArray[np.float64]
) -> DualityCertificate:
    """Return the best of some points of F^k, against a symmetric W, clipped to [-lambda, lambda]."""
    best = max(points, key=lambda X: objective(S, X, lambda_))
    clipped = np.clip(W, -lambda_, lambda_)
    return DualityCertificate(best, clipped, objective(S, best, lambda_), dual_bound(S, clipped, lambda_, k))
