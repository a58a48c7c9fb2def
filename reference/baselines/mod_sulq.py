"""MOD-SULQ: Gaussian noise on the second-moment matrix.

As published (Chaudhuri, Sarwate, Sinha, JMLR 14, 2013, Algorithm 1; lines numbered here). Rows in the unit ball.
  1  A = X^T X / n
  2  beta = (d + 1) / (n epsilon) sqrt(2 ln((d^2 + d) / (2 sqrt(2 pi) delta))) + 1 / (n sqrt(epsilon))
  3  N symmetric, its upper triangle (diagonal included) i.i.d. N(0, beta^2)
  4  the k leading eigenvectors of A + N
Claimed there: (epsilon, delta)-DP for every epsilon and delta when a row is replaced, n public.

Symbols: X (n, d); A, N (d, d); V (d, k) the result.
"""

from __future__ import annotations

import math
from typing import Literal

from dppca.reference.api import ROWS, Matrix, Noise, Readings, Relation, Returns, checked, declare, point, rows_example
from dppca.reference.primitives import row_changes
from dppca.reference.primitives.gaussian import GaussianCalibration, analytic_std
from dppca.reference.primitives.subspaces import principal_subspace
from dppca.reference.primitives.symmetric import symmetric_matrix, upper_triangle


class Choices(Readings):
    """The one decision of a reading: the formula of beta."""

    formula: Literal["mod-sulq", "analytic"] = point("chaudhuri2013.theorem-1", AS_PRINTED="mod-sulq", CORRECTED="analytic")


AS_PRINTED, CORRECTED = Choices.read("AS_PRINTED"), Choices.read("CORRECTED")


@checked
def printed_beta(epsilon: float, delta: float, n: int, d: int) -> float:
    """Return beta of line 2. ValueError where its logarithm is negative: d = 1 and delta > 1 / sqrt(2 pi)."""
    argument = (d * d + d) / (2.0 * math.sqrt(2.0 * math.pi) * delta)
    if argument < 1.0:
        raise ValueError(f"delta must be <= 1 / sqrt(2 pi) for d = 1, got {delta!r}")
    return (d + 1) / (n * epsilon) * math.sqrt(2.0 * math.log(argument)) + 1.0 / (n * math.sqrt(epsilon))


@checked
def calibrate(epsilon: float, delta: float, n: int, d: int, choices: Choices = CORRECTED) -> GaussianCalibration:
    """Return beta of line 2 and the L2 sensitivity of the upper triangle of X^T X / n, for n rows of dimension d."""
    sensitivity = row_changes.frobenius(d) / n
    printed = choices.formula == "mod-sulq"
    beta = printed_beta(epsilon, delta, n, d) if printed else analytic_std(epsilon, delta, sensitivity)  # line 2
    return GaussianCalibration(epsilon, delta, beta, sensitivity, choices.formula, {"n": n, "d": d})


@declare(
    number="Algorithm 1",
    title="MOD-SULQ",
    paper="chaudhuri2013",
    data=ROWS,
    relation=Relation.REPLACE_ONE,
    returns=Returns.EIGENVECTORS,
    calibrate=calibrate,
    example=rows_example(epsilon=1.0, delta=0.01, n=3, d=3, k=2),
)
def mod_sulq(X: Matrix, k: int, calibration: GaussianCalibration, noise: Noise) -> Matrix:
    """Add noise to X^T X / n and return its k leading eigenvectors."""
    n, d = X.shape
    A = X.T @ X / n  # line 1
    upper = noise.gaussian(  # line 3: A + N, upper triangle
        "A_hat", upper_triangle(A), std=calibration.std, sensitivity=calibration.sensitivity
    )
    return principal_subspace(symmetric_matrix(upper, d), k)  # line 4: V
