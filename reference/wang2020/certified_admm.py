"""Problem (5) of wang2020 to a certified optimum: the ADMM of Algorithm 2 with a stopping rule and a choice of rho.

Not in the paper. The loop ends when a duality gap (`fantope.DualityCertificate`) bounds the distance to the optimum, where
residuals do not; rho is adapted to balance the two residuals, as no constant suits every scale; the projection computes leading
eigenpairs only. The gap is valid however the pair was found, so none of this has to be believed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dppca.reference.primitives.subspaces import principal_subspace
from dppca.reference.rigour.validation import check_count, check_positive, check_subspace_dimension
from dppca.reference.wang2020.fantope import (
    certify,
    check_penalty,
    check_symmetric,
    fantope_factor,
    project_fantope,
    soft_threshold,
)

#: Where rho is None it starts at this multiple of the root mean square entry of S_tilde (measured).
RHO_START = 32.0
#: The gap is computed, and rho adapted, once in so many passes.
CHECK_EVERY = 10
#: rho is changed by this factor when the relative residuals differ by more than it.
BALANCE = 2.0
#: Eigenpairs tried first beyond the rank of the last projection.
LEADING_MARGIN = 5


@dataclass(frozen=True)
class Stopping:
    """The rule for when the loop ends: the gap is at most this part of |bound|, or the iterations are used up."""

    gap: float = 1e-6
    max_iterations: int = 10_000

    def __post_init__(self) -> None:
        check_positive("gap", self.gap)
        check_count("max_iterations", self.max_iterations)


@dataclass(frozen=True)
class SparseSubspace:
    """A solution of problem (5) with its certificate.

    basis: the principal k-subspace of X, orthonormal, shape (p, k).
    X: a point of the Fantope, shape (p, p): the last X or the projection of Y, whichever has the larger objective.
    Y: the last Y, sparse.
    W: rho U of the last pass, shape (p, p), in [-lambda, lambda]; it proves the bound.
    iterations: passes of the loop.
    primal_residual, dual_residual: ||X - Y||_F and rho ||Y - Y_previous||_F of the last pass.
    rho: its last value.
    objective, bound: those of X in problem (5), and an upper bound for every feasible point.
    converged: whether the gap is as small as asked for.
    """

    basis: NDArray[np.float64]
    X: NDArray[np.float64]
    Y: NDArray[np.float64]
    W: NDArray[np.float64]
    iterations: int
    primal_residual: float
    dual_residual: float
    rho: float
    objective: float
    bound: float
    converged: bool

    @property
    def gap(self) -> float:
        """Return bound - objective: X is at most this far from optimal, up to rounding."""
        return self.bound - self.objective

    @property
    def support(self) -> NDArray[np.intp]:
        """Return supp(diag(Y)), sorted: Y holds exact zeros, X only small numbers."""
        return np.flatnonzero(np.diag(self.Y))


def default_rho(S_tilde: NDArray[np.float64], multiple: float = RHO_START) -> float:
    """Return a multiple of the root mean square entry of S_tilde, 1 if that is 0."""
    return multiple * float(np.linalg.norm(S_tilde)) / len(S_tilde) or 1.0


def sparse_subspace(
    S_tilde: NDArray[np.float64],
    k: int,
    lambda_: float,
    *,
    rho: float | None = None,
    start: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None,
    stopping: Stopping | None = None,
) -> SparseSubspace:
    """Solve problem (5) and return the principal k-subspace of its solution, with a certificate.

    Args:
        S_tilde: symmetric, shape (p, p).
        k: dimension of the subspace, 1 <= k <= p.
        lambda_: the penalty, >= 0; `dppca.audit.suite.wang2020.penalty` has the values of Theorems 4 and 5.
        rho: where the ADMM's constant starts, > 0; None for `default_rho`.
        start: symmetric Y and U of line 6, each (p, p); None for zeros, as published.
        stopping: None for Stopping().

    Returns:
        SparseSubspace; `converged` is False if the iterations ran out.

    Raises:
        ValueError: S_tilde or start not finite, (p, p) or symmetric, k not in 1..p, lambda_ < 0, rho <= 0.
    """
    S = check_symmetric("S_tilde", S_tilde)
    p = len(S)
    check_subspace_dimension(k, p)
    check_penalty(lambda_)
    rho = default_rho(S) if rho is None else check_positive("rho", rho)
    stopping = stopping or Stopping()
    Y, U = (np.zeros((p, p)), np.zeros((p, p))) if start is None else start
    check_symmetric("start[0]", Y, p)
    check_symmetric("start[1]", U, p)
    rank, iterations, converged = p, 0, False
    while not converged and iterations < stopping.max_iterations:
        iterations += 1
        factor = fantope_factor(Y - U + S / rho, k, rank + LEADING_MARGIN)
        X, rank = factor @ factor.T, factor.shape[1]
        Y_next = soft_threshold(X + U, lambda_ / rho)
        U = U + X - Y_next
        primal, dual = float(np.linalg.norm(X - Y_next)), rho * float(np.linalg.norm(Y_next - Y))
        scales = max(float(np.linalg.norm(X)), float(np.linalg.norm(Y_next))), rho * float(np.linalg.norm(U))
        Y = Y_next
        if iterations % CHECK_EVERY == 0 or iterations == stopping.max_iterations:
            # U = U + X - Y leaves rho U in [-lambda, lambda] up to rounding.
            certificate = certify(S, k, lambda_, (X, project_fantope(Y, k)), rho * U)
            converged = certificate.gap <= stopping.gap * abs(certificate.bound)
            change = _balance(primal * scales[1], dual * scales[0])
            if not converged and iterations < stopping.max_iterations:
                rho, U = rho * change, U / change  # rho U, the dual point, stays
    return SparseSubspace(
        basis=principal_subspace(certificate.X, k),
        X=certificate.X,
        Y=Y,
        W=certificate.W,
        iterations=iterations,
        primal_residual=primal,
        dual_residual=dual,
        rho=rho,
        objective=certificate.objective,
        bound=certificate.bound,
        converged=converged,
    )


def _balance(primal: float, dual: float) -> float:
    """Return the factor for rho: larger against a large primal residual, smaller against a large dual one."""
    if primal > BALANCE * dual:
        return BALANCE
    return 1.0 / BALANCE if dual > BALANCE * primal else 1.0
