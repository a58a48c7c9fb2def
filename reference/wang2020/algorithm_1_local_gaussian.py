"""Local Gaussian mechanism for k-dimensional PCA (wang2020, Algorithm 1; utility in Theorem 2).

Guarantee claimed: every client's message is (epsilon, delta)-DP in the local model, for any epsilon,
delta > 0. Neighbours: any two points of the unit ball, for one client.
Claims: wang2020.theorem-2-privacy, wang2020.algorithm-1-line-2-sensitivity, wang2020.algorithm-1-input-norm.

Departures from print:
  D1 line 2, the sensitivity behind the noise: print has 1; over the unit ball it is sqrt(2) (1 if p = 1).
  D2 line 2, the formula of the noise: print has the classical one for every epsilon; it is not a theorem
     for every epsilon > 1, the analytic one is.

Symbols: X (n, p) rows x_i; Z_i the client's noise; S_tilde (p, p); V_k (p, k); sigma_1 the noise's std.
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
from dppca.reference.primitives.gaussian import GaussianCalibration, analytic_std, classical_std
from dppca.reference.primitives.inputs import check_unit_rows
from dppca.reference.primitives.subspaces import principal_subspace
from dppca.reference.primitives.symmetric import symmetric_matrix, upper_triangle
from dppca.reference.primitives.validation import (
    check_subspace_dimension,
    check_unit_ball,
    check_vector,
)


@dataclass(frozen=True)
class Choices:
    """The two points of line 2 on which print and theorem part."""

    sensitivity: Choice[Literal["one", "supremum"]]
    formula: Choice[Literal["classical", "analytic"]]


AS_PRINTED = Choices(
    sensitivity=Choice("one", "the printed variance has no sensitivity factor", "wang2020.algorithm-1-line-2-sensitivity"),
    formula=Choice("classical", "the printed variance is 2 ln(1.25/delta) / epsilon^2", "wang2020.algorithm-1-line-2-formula"),
)
CORRECTED = Choices(
    sensitivity=Choice(
        "supremum",
        "a client's neighbours are any two points of the unit ball: x = e_1, y = e_2 reach sqrt(2)",
        "wang2020.algorithm-1-line-2-sensitivity",
    ),
    formula=Choice(
        "analytic",
        "the theorem is stated for every epsilon > 0, the classical formula is a theorem for epsilon <= 1",
        "wang2020.algorithm-1-line-2-formula",
    ),
)


def sensitivity(p: int) -> float:
    """sup ||upper(x x^T) - upper(y y^T)||_2 over the unit ball of R^p: sqrt(2) for p >= 2, 1 for p = 1.

    With D = x x^T - y y^T the square is (||D||_F^2 + sum_i D_ii^2) / 2 <= ||D||_F^2 = |x|^4 + |y|^4 - 2 (x.y)^2 <= 2,
    reached by x = e_1, y = e_2; for p = 1 it is |x^2 - y^2| <= 1.
    """
    if p < 1:
        raise ValueError(f"p must be >= 1, got {p!r}")
    return math.sqrt(2.0) if p > 1 else 1.0


def calibrate(epsilon: float, delta: float, p: int, choices: Choices = CORRECTED) -> GaussianCalibration:
    """The noise of line 2.

    Args:
        epsilon: target epsilon > 0.
        delta: target delta in (0, 1).
        p: dimension of a row, >= 1.
        choices: AS_PRINTED or CORRECTED.

    Returns:
        GaussianCalibration with std = sigma_1 and the sensitivity that it assumes.

    Raises:
        ValueError: epsilon, delta or p outside its range.
    """
    supremum = sensitivity(p)
    delta_2 = supremum if choices.sensitivity.value == "supremum" else 1.0  # line 2 (D1)
    formula = choices.formula.value
    sigma_1 = {"classical": classical_std, "analytic": analytic_std}[formula](epsilon, delta, delta_2)  # line 2 (D2)
    return GaussianCalibration(
        epsilon=epsilon,
        delta=delta,
        std=sigma_1,
        sensitivity=delta_2,
        formula=formula,
        assumptions=("every row lies in the unit ball of R^p", f"L2 sensitivity of a message is {delta_2!r}"),
    )


def client(x: ArrayLike, calibration: GaussianCalibration, noise: Noise, name: str) -> NDArray[np.float64]:
    """What one client sends: it sees its own row only.

    Args:
        x: the client's row, shape (p,), in the unit ball.
        calibration: what `calibrate` returned; public.
        noise: the seam.
        name: name of the release; the only draw.

    Returns:
        Upper triangle of x x^T + Z, shape (p (p + 1) / 2,).

    Raises:
        ValueError: x is no finite vector or lies outside the unit ball.
    """
    row = check_unit_ball("x", check_vector("x", x))
    product = upper_triangle(np.outer(row, row))
    message: NDArray[np.float64] = noise.gaussian(  # line 2
        name, product, std=calibration.std, sensitivity=calibration.sensitivity
    )
    return message


def server(messages: Sequence[NDArray[np.float64]], p: int, k: int) -> NDArray[np.float64]:
    """What the server does with n messages; it sees nothing else. Returns V_k, orthonormal, shape (p, k)."""
    if not messages:
        raise ValueError("messages must hold at least one message, got none")
    S_tilde = symmetric_matrix(np.sum(messages, axis=0) / len(messages), p)  # line 4
    return principal_subspace(S_tilde, k)  # line 5


def local_gaussian_mechanism(X: ArrayLike, k: int, calibration: GaussianCalibration, noise: Noise) -> NDArray[np.float64]:
    """All clients, then the server.

    Args:
        X: one row per client, shape (n, p), each in the unit ball.
        k: dimension of the subspace, 1 <= k <= p.
        calibration: what `calibrate` returned.
        noise: the seam. Draws, in order: the releases message[0], ..., message[n-1].

    Returns:
        Orthonormal basis of the estimated principal k-subspace, shape (p, k).

    Raises:
        ValueError: X is not finite or not (n, p), a row lies outside the unit ball, k not in 1..p.
    """
    rows = check_unit_rows("X", X)
    n, p = rows.shape
    check_subspace_dimension(k, p)
    messages = []
    for i in range(n):  # line 1
        messages.append(client(rows[i], calibration, noise, name=f"message[{i}]"))
    # line 3
    return server(messages, p, k)
