"""Local Gaussian mechanism for a principal k-subspace.

Print (wang2020, Algorithm 1; every row in the unit ball).
  1  for every client i
  2    X~_i = x_i x_i^T + Z_i, Z_i symmetric, its upper triangle with the diagonal i.i.d. N(0, sigma_1^2),
       sigma_1^2 = 2 ln(1.25 / delta) / epsilon^2
  3  end
  4  S~ = the mean of the X~_i
  5  output the principal k-subspace of S~
Claimed there (Theorem 2): every message is (epsilon, delta)-DP in the local model, non-interactively, for any epsilon,
delta > 0; the squared error is of order lambda_1^2 k p log(1 / delta) / ((lambda_k - lambda_{k+1})^2 n epsilon^2).
Read here: rows outside the ball are outside the domain and raise an error, where print has rows inside with high probability
only. A client that lets its error be seen is not private; one that clips is (wang2020.algorithm-1-input-norm).

Symbols: X (n, p) rows x_i; Z_i the client's noise; S_tilde (p, p); sigma_1 the noise's standard deviation; Delta_2 the
L2 sensitivity of a message, 1 in print; V_k (p, k) the result.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dppca.reference.declaration import Choice, Example, Returns, UnitRows, declare
from dppca.reference.noise import Noise
from dppca.reference.primitives.gaussian import GaussianCalibration, analytic_std, classical_std
from dppca.reference.primitives.subspaces import principal_subspace
from dppca.reference.primitives.symmetric import symmetric_matrix, upper_triangle
from dppca.reference.primitives.validation import check_count, check_unit_ball, check_vector
from dppca.reference.relation import Relation


@dataclass(frozen=True)
class Choices:
    """The decisions of a reading: the sensitivity behind the noise of line 2, and its formula."""

    sensitivity: Choice[Literal["one", "supremum"]]
    formula: Choice[Literal["classical", "analytic"]]


AS_PRINTED = Choices(
    sensitivity=Choice("one", "wang2020.algorithm-1-line-2-sensitivity"),
    formula=Choice("classical", "wang2020.algorithm-1-line-2-formula"),
)
CORRECTED = Choices(
    sensitivity=Choice("supremum", "wang2020.algorithm-1-line-2-sensitivity"),
    formula=Choice("analytic", "wang2020.algorithm-1-line-2-formula"),
)


def sensitivity(p: int) -> float:
    """Return sup ||upper(x x^T) - upper(y y^T)||_2 over the unit ball of R^p: sqrt(2) for p >= 2, 1 for p = 1.

    With D = x x^T - y y^T the square is (||D||_F^2 + sum_i D_ii^2) / 2 <= ||D||_F^2 = |x|^4 + |y|^4 - 2 (x.y)^2 <= 2,
    reached by x = e_1, y = e_2; for p = 1 it is |x^2 - y^2| <= 1.
    """
    return math.sqrt(2.0) if check_count("p", p) > 1 else 1.0


def calibrate(epsilon: float, delta: float, p: int, choices: Choices = CORRECTED) -> GaussianCalibration:
    """Return sigma_1 of line 2 and the sensitivity of one message, for rows of dimension p.

    Raises:
        ValueError: epsilon not > 0, delta not in (0, 1), or p not an integer >= 1.
    """
    supremum = sensitivity(p)
    delta_2 = supremum if choices.sensitivity.value == "supremum" else 1.0  # line 2
    formula = choices.formula.value
    sigma_1 = {"classical": classical_std, "analytic": analytic_std}[formula](epsilon, delta, delta_2)  # line 2
    assumptions = ("every row lies in the unit ball of R^p", f"L2 sensitivity of a message is {delta_2!r}")
    return GaussianCalibration(epsilon, delta, sigma_1, delta_2, formula, assumptions, {"p": p})


def client(x: ArrayLike, calibration: GaussianCalibration, noise: Noise, name: str) -> NDArray[np.float64]:
    """Return what one client sends, who sees its own row only.

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


def mean_message(messages: Sequence[NDArray[np.float64]], p: int) -> NDArray[np.float64]:
    """Return the symmetric mean of n messages, shape (p, p)."""
    if not messages:
        raise ValueError("messages must hold at least one message, got none")
    return symmetric_matrix(np.sum(messages, axis=0) / len(messages), p)


def server(messages: Sequence[NDArray[np.float64]], p: int, k: int) -> NDArray[np.float64]:
    """Return V_k, orthonormal, shape (p, k), from n messages; the server sees nothing else."""
    S_tilde = mean_message(messages, p)  # line 4
    return principal_subspace(S_tilde, k)  # line 5


@declare(
    key="wang2020.local_gaussian_mechanism",
    number="Algorithm 1",
    title="Local Gaussian Mechanism",
    data=UnitRows("n", "p"),
    relation=Relation.LOCAL,
    returns=Returns.EIGENVECTORS,
    lines=5,
    unstated=(3,),
    symbols={"delta_2": "Delta_2", "message": "X~_i, upper triangle", "S_tilde": "S~", "return": "V_k"},
    calibrate=calibrate,
    choices={"AS_PRINTED": AS_PRINTED, "CORRECTED": CORRECTED},
    claims=(
        "wang2020.theorem-2-privacy",
        "wang2020.algorithm-1-line-2-classical-repair",
        "wang2020.algorithm-1-line-2-diagonal-repair",
        "wang2020.algorithm-1-line-2-delta-domain",
        "wang2020.algorithm-1-line-2-symmetry",
        "wang2020.algorithm-1-input-norm",
        "wang2020.algorithm-1-line-4-noise",
        "wang2020.algorithm-1-lines-4-5-post-processing",
        "wang2020.algorithm-1-non-interactive",
        "wang2020.theorem-2-pure-epsilon",
        "wang2020.section-6-1-privacy-setting",
    ),
    example=Example(
        data=np.array([[1.0, 0.0], [0.6, 0.8], [0.0, 0.5]]),
        neighbour=np.array([[0.0, 1.0], [0.6, 0.8], [0.0, 0.5]]),
        arguments=MappingProxyType({"epsilon": 1.0, "delta": 1e-5, "p": 2, "k": 1}),
    ),
)
def local_gaussian_mechanism(
    X: NDArray[np.float64], k: int, calibration: GaussianCalibration, noise: Noise
) -> NDArray[np.float64]:
    """Run all clients, then the server.

    Args:
        X: one row per client, in the unit ball, shape (n, p), p as calibrated.
        k: dimension of the subspace, 1 <= k <= p.
        calibration: what `calibrate` returned.
        noise: the seam. Draws, in order: the releases "message[0]", ..., "message[n-1]".

    Returns:
        Orthonormal basis of the estimated principal k-subspace, shape (p, k).

    Raises:
        ValueError: X or k outside its domain.
    """
    n, p = X.shape
    messages = []
    for i in range(n):  # line 1
        messages.append(client(X[i], calibration, noise, name=f"message[{i}]"))
    return server(messages, p, k)
