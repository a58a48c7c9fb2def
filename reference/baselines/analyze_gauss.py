"""Analyze Gauss: Gaussian noise on the unscaled second-moment matrix.

As published (Dwork, Talwar, Thakurta, Zhang, STOC 2014, Algorithm 1; lines numbered here). Rows in the unit ball.
  1  E symmetric, its upper triangle (diagonal included) i.i.d. N(0, sigma^2), sigma = sqrt(2 ln(1.25/delta)) / epsilon
  2  C_hat = X^T X + E
  3  the k leading eigenvectors of C_hat
Claimed there: C_hat is (epsilon, delta)-DP when a row is added or removed. Here a row is replaced.

Symbols: X (n, d); C_hat (d, d); V (d, k) the result; Delta_2 the L2 sensitivity, 1 in the paper.
"""

from __future__ import annotations

from dppca.reference.api import ROWS, Matrix, Noise, Readings, Relation, Returns, checked, declare, point, rows_example
from dppca.reference.primitives import row_changes
from dppca.reference.primitives.gaussian import GaussianCalibration, Std, analytic_std, classical_std, formula_name
from dppca.reference.primitives.subspaces import principal_subspace
from dppca.reference.primitives.symmetric import symmetric_matrix, upper_triangle


class Choices(Readings):
    """The relation behind the sensitivity, which is the paper's 1 under add/remove, and the formula of sigma."""

    relation: Relation = point("dwork2014.algorithm-1-relation", AS_PRINTED=Relation.ADD_REMOVE, CORRECTED=Relation.REPLACE_ONE)
    formula: Std = point("dwork2014.algorithm-1-privacy", AS_PRINTED=classical_std, CORRECTED=analytic_std)


AS_PRINTED, CORRECTED = Choices.read("AS_PRINTED"), Choices.read("CORRECTED")


@checked
def calibrate(epsilon: float, delta: float, d: int, choices: Choices = CORRECTED) -> GaussianCalibration:
    """Return sigma of line 1 and the L2 sensitivity of the upper triangle of X^T X, for rows of dimension d."""
    delta_2 = row_changes.frobenius(d, choices.relation)  # line 1: Delta_2
    sigma = choices.formula(epsilon, delta, delta_2)  # line 1
    return GaussianCalibration(epsilon, delta, sigma, delta_2, formula_name(choices.formula), {"d": d})


@declare(
    number="Algorithm 1",
    title="Analyze Gauss",
    paper="dwork2014",
    data=ROWS,
    relation=Relation.REPLACE_ONE,
    returns=Returns.EIGENVECTORS,
    calibrate=calibrate,
    example=rows_example(epsilon=1.0, delta=0.01, d=3, k=2),
)
def analyze_gauss(X: Matrix, k: int, calibration: GaussianCalibration, noise: Noise) -> Matrix:
    """Add noise to X^T X and return its k leading eigenvectors."""
    value = upper_triangle(X.T @ X)
    upper = noise.gaussian(  # line 1: C_hat, upper triangle
        "C_hat", value, std=calibration.std, sensitivity=calibration.sensitivity
    )
    C_hat = symmetric_matrix(upper, X.shape[1])  # line 2
    return principal_subspace(C_hat, k)  # line 3: V
