"""Local Gaussian mechanism for row-sparse PCA (wang2020, Algorithm 2; utility in Theorems 4 and 5).

Guarantee claimed: every client's message is (epsilon, delta)-DP in the local model, for 0 < epsilon, delta < 1.
Neighbours: any two points of the unit ball, for one client. The client and its noise are those of Algorithm 1;
everything after the messages is post-processing.
Claims: wang2020.theorem-4-privacy, wang2020.theorem-4-utility, wang2020.theorem-5-support,
wang2020.algorithm-2-line-5, wang2020.algorithm-2-line-7, wang2020.algorithm-2-line-8,
wang2020.algorithm-2-line-11, wang2020.algorithm-2-line-13.

Departures from print:
  D1 line 2, the noise: as D1 and D2 of Algorithm 1.
  D2 line 5, print offers the optimum of (5) or an ADMM without a stopping rule: the loop ends when a duality gap
     certifies the optimum, or when the residuals are small.
  D3 line 7, print counts t from 1, but line 6 sets the iterates of t = 0.
  D4 line 8, print holds rho constant: it may be adapted to balance the two residuals.
  D5 line 11, print returns inside the loop, so in its first pass, the start value: the loop runs to its end.
  D6 line 13, print takes the optimum X or the iterate Y: X, because only a feasible point has a certificate.

Symbols: S_tilde (p, p); X, Y, U (p, p) the iterates, U the scaled dual; lambda_ the penalty; rho the ADMM's constant;
V_k (p, k). Print calls the noise's variance sigma^2, which in the class P(s, sigma^2, k) of the same line of input is
the bound on the effective noise variance; here `calibration.std` is the noise.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dppca.reference.choices import Choice
from dppca.reference.noise import Noise
from dppca.reference.primitives.gaussian import GaussianCalibration
from dppca.reference.primitives.inputs import check_unit_rows
from dppca.reference.primitives.subspaces import principal_subspace
from dppca.reference.primitives.symmetric import symmetric_matrix
from dppca.reference.primitives.validation import (
    check_positive,
    check_subspace_dimension,
)
from dppca.reference.wang2020 import algorithm_1_local_gaussian as algorithm_1
from dppca.reference.wang2020.fantope import (
    Certificate,
    certify,
    check_symmetric,
    fantope_factor,
    project_fantope,
    soft_threshold,
)

#: Where rho is None it starts at this multiple of the root mean square entry of S_tilde (measured: D4).
RHO_START = 32.0
#: The gap is computed, and a balanced rho adapted, once in so many passes.
CHECK_EVERY = 10
#: A balanced rho is changed by this factor when the relative residuals differ by more than it.
BALANCE = 2.0
#: Eigenpairs tried first beyond the rank of the last projection.
LEADING_MARGIN = 5


@dataclass(frozen=True)
class Choices:
    """The points of Algorithm 2 on which print is silent, ambiguous or wrong; the first two are Algorithm 1's."""

    sensitivity: Choice[Literal["one", "supremum"]]
    formula: Choice[Literal["classical", "analytic"]]
    line_5: Choice[Literal["residuals", "gap"]]
    line_7: Choice[int]
    line_8: Choice[Literal["fixed", "balanced"]]
    line_11: Choice[Literal["inside the loop", "after the loop"]]
    line_13: Choice[Literal["X", "Y"]]


AS_PRINTED = Choices(
    sensitivity=algorithm_1.AS_PRINTED.sensitivity,
    formula=algorithm_1.AS_PRINTED.formula,
    line_5=Choice("residuals", "print names the ADMM, whose usual end are its residuals", "wang2020.algorithm-2-line-5"),
    line_7=Choice(1, "t = 1, 2, ...", "wang2020.algorithm-2-line-7"),
    line_8=Choice("fixed", "rho is a constant", "wang2020.algorithm-2-line-8"),
    line_11=Choice("inside the loop", "line 11 stands before the loop's end", "wang2020.algorithm-2-line-11"),
    line_13=Choice("Y", "print names Y for the ADMM", "wang2020.algorithm-2-line-13"),
)
CORRECTED = Choices(
    sensitivity=algorithm_1.CORRECTED.sensitivity,
    formula=algorithm_1.CORRECTED.formula,
    line_5=Choice(
        "gap",
        "Theorems 4 and 5 are about the optimum of (5); a duality gap bounds the distance to it, residuals do not",
        "wang2020.algorithm-2-line-5",
    ),
    line_7=Choice(0, "the first pass reads the iterates that line 6 sets", "wang2020.algorithm-2-line-7"),
    line_8=Choice(
        "balanced",
        "a constant that suits the scale of S_tilde is not known beforehand; the certificate does not depend on rho",
        "wang2020.algorithm-2-line-8",
    ),
    line_11=Choice(
        "after the loop",
        "a return in the first pass gives the start value, which no data have touched",
        "wang2020.algorithm-2-line-11",
    ),
    line_13=Choice(
        "X",
        "X is feasible in (5), so the gap and the proof of Theorem 4 apply to it; Y is sparse but need not be feasible",
        "wang2020.algorithm-2-line-13",
    ),
)


@dataclass(frozen=True)
class Stopping:
    """When the loop ends: the iterations are used up, or the criterion chosen for line 5 is met.

    gap: the gap is at most this part of |bound|.
    absolute, relative: ||X - Y||_F <= p absolute + relative max(||X||_F, ||Y||_F), and
    rho ||Y - Y_previous||_F <= p absolute + relative rho ||U||_F (Boyd et al. 2011, 3.3.1).
    """

    gap: float = 1e-6
    absolute: float = 1e-9
    relative: float = 1e-6
    max_iterations: int = 10_000

    def __post_init__(self) -> None:
        check_positive("gap", self.gap)
        check_positive("absolute", self.absolute)
        check_positive("relative", self.relative)
        if self.max_iterations < 1:
            raise ValueError(f"max_iterations must be >= 1, got {self.max_iterations!r}")


@dataclass(frozen=True)
class SparseSubspace:
    """What the server computed.

    basis: orthonormal, shape (p, k); the output of line 13.
    X: a point of the Fantope, shape (p, p): the last X or the projection of Y, whichever has the larger objective.
    Y: the last Y, sparse, or the one that line 11 returned.
    W: rho U of the last pass, shape (p, p), in [-lambda, lambda]; it proves the bound.
    iterations: passes of the loop.
    primal_residual, dual_residual: ||X - Y||_F and rho ||Y - Y_previous||_F of the last pass.
    rho: its last value.
    objective, bound: those of X in problem (5), and an upper bound for every feasible point.
    converged: whether the criterion chosen for line 5 was met.
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
        """bound - objective: X is at most this far from optimal, up to rounding."""
        return self.bound - self.objective

    @property
    def support(self) -> NDArray[np.intp]:
        """supp(diag(Y)), sorted: Y holds exact zeros, X only small numbers."""
        return np.flatnonzero(np.diag(self.Y))


def calibrate(epsilon: float, delta: float, p: int, choices: Choices = CORRECTED) -> GaussianCalibration:
    """The noise of line 2: that of Algorithm 1, with its arguments and errors."""
    return algorithm_1.calibrate(epsilon, delta, p, algorithm_1.Choices(choices.sensitivity, choices.formula))  # line 2 (D1)


#: What one client sends (line 2): the message of Algorithm 1.
client = algorithm_1.client


def server(
    messages: Sequence[NDArray[np.float64]],
    p: int,
    k: int,
    lambda_: float,
    *,
    rho: float | None = None,
    stopping: Stopping | None = None,
    choices: Choices = CORRECTED,
) -> SparseSubspace:
    """What the server does with n messages; it sees nothing else. Arguments and errors as in `sparse_subspace`."""
    if not messages:
        raise ValueError("messages must hold at least one message, got none")
    S_tilde = symmetric_matrix(np.sum(messages, axis=0) / len(messages), p)  # line 4
    return sparse_subspace(S_tilde, k, lambda_, rho=rho, stopping=stopping, choices=choices)


def sparse_subspace(
    S_tilde: NDArray[np.float64],
    k: int,
    lambda_: float,
    *,
    rho: float | None = None,
    start: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None,
    stopping: Stopping | None = None,
    choices: Choices = CORRECTED,
) -> SparseSubspace:
    """Lines 5 to 13: problem (5) by ADMM, then the principal k-subspace of its solution.

    Args:
        S_tilde: symmetric, shape (p, p).
        k: dimension of the subspace, 1 <= k <= p.
        lambda_: the penalty, >= 0; `dppca.reference.wang2020.penalty` has the values of Theorems 4 and 5.
        rho: the ADMM's constant (start value if balanced), > 0; None for RHO_START times the root mean square
            entry of S_tilde.
        start: symmetric Y and U of line 6, each (p, p); None for zeros, as printed.
        stopping: None for Stopping().
        choices: AS_PRINTED or CORRECTED.

    Returns:
        SparseSubspace, with a certificate whatever the choices; `converged` is False if the iterations ran out.

    Raises:
        ValueError: S_tilde or start not finite, (p, p) or symmetric, k not in 1..p, lambda_ < 0, rho <= 0.
    """
    S = check_symmetric("S_tilde", S_tilde)
    p = S.shape[0]
    check_subspace_dimension(k, p)
    if not 0.0 <= lambda_ < math.inf:
        raise ValueError(f"lambda_ must be finite and >= 0, got {lambda_!r}")
    if rho is None:
        rho = RHO_START * float(np.linalg.norm(S)) / p or 1.0
    check_positive("rho", rho)
    stopping = stopping or Stopping()  # line 5 (D2)

    Y, U = (np.zeros((p, p)), np.zeros((p, p))) if start is None else start  # line 6
    check_symmetric("start[0]", Y, p)
    check_symmetric("start[1]", U, p)
    rank = p
    first = choices.line_7.value
    for t in range(first, first + stopping.max_iterations):  # line 7 (D3)
        factor = fantope_factor(Y - U + S / rho, k, rank + LEADING_MARGIN)
        X, rank = factor @ factor.T, factor.shape[1]  # line 8
        Y_next = soft_threshold(X + U, lambda_ / rho)  # line 9
        U = U + X - Y_next  # line 10
        residuals = _residuals(X, Y, Y_next, U, rho)
        if choices.line_11.value == "inside the loop":
            break  # line 11 (D5): Y is still that of t
        Y = Y_next
        if (t - first + 1) % CHECK_EVERY == 0:
            if _converged(residuals, _certificate(S, k, lambda_, X, Y, rho * U), p, stopping, choices):
                break  # line 11+ (D2)
            if choices.line_8.value == "balanced":
                change = _balance(residuals)
                rho, U = rho * change, U / change  # line 11+ (D4): rho U, the dual point, stays
    # line 12
    certificate = _certificate(S, k, lambda_, X, Y, rho * U)
    solution = certificate.X if choices.line_13.value == "X" else Y
    return SparseSubspace(
        basis=principal_subspace(solution, k),  # line 13 (D6)
        X=certificate.X,
        Y=Y,
        W=certificate.W,
        iterations=t - first + 1,
        primal_residual=residuals.primal,
        dual_residual=residuals.dual,
        rho=rho,
        objective=certificate.objective,
        bound=certificate.bound,
        converged=_converged(residuals, certificate, p, stopping, choices),
    )


@dataclass(frozen=True)
class _Residuals:
    """Norms of the residuals of one pass, and the norms that they are compared with."""

    primal: float
    dual: float
    primal_scale: float
    dual_scale: float


def _residuals(
    X: NDArray[np.float64], Y: NDArray[np.float64], Y_next: NDArray[np.float64], U: NDArray[np.float64], rho: float
) -> _Residuals:
    return _Residuals(
        primal=float(np.linalg.norm(X - Y_next)),
        dual=rho * float(np.linalg.norm(Y_next - Y)),
        primal_scale=max(float(np.linalg.norm(X)), float(np.linalg.norm(Y_next))),
        dual_scale=rho * float(np.linalg.norm(U)),
    )


def _certificate(
    S: NDArray[np.float64],
    k: int,
    lambda_: float,
    X: NDArray[np.float64],
    Y: NDArray[np.float64],
    W: NDArray[np.float64],
) -> Certificate:
    """X and the projection of Y as points; W = rho U, which line 10 leaves in [-lambda, lambda] up to rounding."""
    return certify(S, k, lambda_, (X, project_fantope(Y, k)), W)


def _converged(residuals: _Residuals, certificate: Certificate, p: int, stopping: Stopping, choices: Choices) -> bool:
    if choices.line_5.value == "gap":
        return certificate.gap <= stopping.gap * abs(certificate.bound)
    slack = p * stopping.absolute
    return (
        residuals.primal <= slack + stopping.relative * residuals.primal_scale
        and residuals.dual <= slack + stopping.relative * residuals.dual_scale
    )


def _balance(residuals: _Residuals) -> float:
    """The factor for rho: larger against a large primal residual, smaller against a large dual one."""
    primal = residuals.primal * residuals.dual_scale
    dual = residuals.dual * residuals.primal_scale
    if primal > BALANCE * dual:
        return BALANCE
    return 1.0 / BALANCE if dual > BALANCE * primal else 1.0


def local_gaussian_mechanism_high_dimension(
    X: ArrayLike,
    k: int,
    lambda_: float,
    calibration: GaussianCalibration,
    noise: Noise,
    *,
    rho: float | None = None,
    stopping: Stopping | None = None,
    choices: Choices = CORRECTED,
) -> SparseSubspace:
    """All clients, then the server.

    Args:
        X: one row per client, shape (n, p), each in the unit ball.
        k: dimension of the subspace, 1 <= k <= p.
        lambda_: the penalty, >= 0.
        calibration: what `calibrate` returned.
        noise: the seam. Draws, in order: the releases message[0], ..., message[n-1].
        rho: as in `sparse_subspace`.
        stopping: as in `sparse_subspace`.
        choices: AS_PRINTED or CORRECTED; line 2's are in the calibration already.

    Returns:
        What `sparse_subspace` returns; its `basis` is the output of line 13.

    Raises:
        ValueError: X is not finite or not (n, p), a row lies outside the unit ball, or as `sparse_subspace`.
    """
    rows = check_unit_rows("X", X)
    n, p = rows.shape
    check_subspace_dimension(k, p)
    messages = []
    for i in range(n):  # line 1
        messages.append(client(rows[i], calibration, noise, name=f"message[{i}]"))  # line 2
    # line 3
    return server(messages, p, k, lambda_, rho=rho, stopping=stopping, choices=choices)
