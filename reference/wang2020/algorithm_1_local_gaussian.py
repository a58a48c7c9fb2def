"""Local Gaussian mechanism for a principal k-subspace.

As published (wang2020, Algorithm 1; every row in the unit ball).
  1  for every client i
  2    X~_i = x_i x_i^T + Z_i, Z_i symmetric, its upper triangle with the diagonal i.i.d. N(0, sigma_1^2),
       sigma_1^2 = 2 ln(1.25 / delta) / epsilon^2
  3  end
  4  S~ = the mean of the X~_i
  5  output the principal k-subspace of S~
Claimed there (Theorem 2): every message is (epsilon, delta)-DP in the local model, non-interactively, for any epsilon,
delta > 0; the squared error is of order lambda_1^2 k p log(1 / delta) / ((lambda_k - lambda_{k+1})^2 n epsilon^2).
Read here: rows outside the ball are not in the domain and raise an error, where the paper has rows inside with high probability
only. A client that lets its error be seen is not private; one that clips is (wang2020.algorithm-1-input-norm).

Symbols: X (n, p) rows x_i; Z_i the client's noise; S_tilde (p, p); sigma_1 the noise's standard deviation; Delta_2 the
L2 sensitivity of a message, 1 in the paper; V_k (p, k) the result.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from dppca.reference.api import Matrix, Noise, Readings, Relation, Returns, checked, declare, point
from dppca.reference.primitives.gaussian import GaussianCalibration, Std, analytic_std, classical_std, formula_name
from dppca.reference.primitives.subspaces import principal_subspace
from dppca.reference.primitives.symmetric import symmetric_matrix, upper_triangle
from dppca.reference.rigour.validation import check_unit_ball, check_vector
from dppca.reference.wang2020.examples import CLIENTS, clients_example


class Choices(Readings):
    """The decisions of a reading: the sensitivity behind the noise of line 2, and its formula."""

    sensitivity: Literal["one", "supremum"] = point(
        "wang2020.algorithm-1-line-2-sensitivity", AS_PRINTED="one", CORRECTED="supremum"
    )
    formula: Std = point("wang2020.algorithm-1-line-2-formula", AS_PRINTED=classical_std, CORRECTED=analytic_std)


AS_PRINTED, CORRECTED = Choices.read("AS_PRINTED"), Choices.read("CORRECTED")


@checked
def sensitivity(p: int) -> float:
    """Return sup ||upper(x x^T) - upper(y y^T)||_2 over the unit ball of R^p: sqrt(2) for p >= 2, 1 for p = 1.

    With D = x x^T - y y^T the square is (||D||_F^2 + sum_i D_ii^2) / 2 <= ||D||_F^2 = |x|^4 + |y|^4 - 2 (x.y)^2 <= 2,
    reached by x = e_1, y = e_2; for p = 1 it is |x^2 - y^2| <= 1.
    """
    return math.sqrt(2.0) if p > 1 else 1.0


def calibrate(epsilon: float, delta: float, p: int, choices: Choices = CORRECTED) -> GaussianCalibration:
    """Return sigma_1 of line 2 and the sensitivity of one message, for rows of dimension p."""
    supremum = sensitivity(p)
    delta_2 = supremum if choices.sensitivity == "supremum" else 1.0  # line 2: Delta_2
    sigma_1 = choices.formula(epsilon, delta, delta_2)  # line 2
    return GaussianCalibration(epsilon, delta, sigma_1, delta_2, formula_name(choices.formula), {"p": p})


def client(x: ArrayLike, calibration: GaussianCalibration, noise: Noise, name: str) -> Matrix:
    """Return what a client with this row sends: the upper triangle of x x^T + Z, as the release of this name.

    A client sees its own row only; ValueError unless that is a finite vector in the unit ball.
    """
    row = check_unit_ball("x", check_vector("x", x))
    product = upper_triangle(np.outer(row, row))
    message: Matrix = noise.gaussian(  # line 2: X~_i, upper triangle
        name, product, std=calibration.std, sensitivity=calibration.sensitivity
    )
    return message


def mean_message(messages: Sequence[Matrix], p: int) -> Matrix:
    """Return the symmetric mean of n messages, shape (p, p)."""
    if not messages:
        raise ValueError("messages must hold at least one message, got none")
    return symmetric_matrix(np.sum(messages, axis=0) / len(messages), p)


def server(messages: Sequence[Matrix], p: int, k: int) -> Matrix:
    """Return V_k, orthonormal, shape (p, k), from n messages; the server sees nothing else."""
    S_tilde = mean_message(messages, p)  # line 4: S~
    return principal_subspace(S_tilde, k)  # line 5: V_k


@declare(
    number="Algorithm 1",
    title="Local Gaussian Mechanism",
    data=CLIENTS,
    relation=Relation.LOCAL,
    returns=Returns.EIGENVECTORS,
    unstated=(3,),
    calibrate=calibrate,
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
    example=clients_example([[1.0, 0.0], [0.6, 0.8], [0.0, 0.5]], epsilon=1.0, delta=1e-5, p=2, k=1),
)
def local_gaussian_mechanism(X: Matrix, k: int, calibration: GaussianCalibration, noise: Noise) -> Matrix:
    """Run all clients, then the server."""
    n, p = X.shape
    messages = []
    for i in range(n):  # line 1
        messages.append(client(X[i], calibration, noise, name=f"message[{i}]"))
    return server(messages, p, k)
