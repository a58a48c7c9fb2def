"""Analyze Gauss: Gaussian noise on the unscaled second-moment matrix.

Print (Dwork, Talwar, Thakurta, Zhang, STOC 2014, Algorithm 1; lines numbered here). Rows in the unit ball.
  1  E symmetric, its upper triangle (diagonal included) i.i.d. N(0, sigma^2), sigma = sqrt(2 ln(1.25/delta)) / epsilon
  2  C_hat = X^T X + E
  3  the k leading eigenvectors of C_hat
Claimed there: C_hat is (epsilon, delta)-DP when a row is added or removed. Here a row is replaced.

Symbols: X (n, d); C_hat (d, d); V (d, k) the result; Delta_2 the L2 sensitivity, 1 in print.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dppca.reference.declaration import Choice, Returns, declare
from dppca.reference.example_rows import ROWS, rows_example
from dppca.reference.noise import Noise
from dppca.reference.primitives import row_changes
from dppca.reference.primitives.gaussian import GaussianCalibration, analytic_std, classical_std
from dppca.reference.primitives.subspaces import principal_subspace
from dppca.reference.primitives.symmetric import symmetric_matrix, upper_triangle
from dppca.reference.relation import Relation


@dataclass(frozen=True)
class Choices:
    """The relation behind the sensitivity, which is print's 1 under add/remove, and the formula of sigma."""

    relation: Choice[Relation]
    formula: Choice[Literal["classical", "analytic"]]


AS_PRINTED = Choices(
    relation=Choice(Relation.ADD_REMOVE, "dwork2014.algorithm-1-relation"),
    formula=Choice("classical", "dwork2014.algorithm-1-privacy"),
)
CORRECTED = Choices(
    relation=Choice(Relation.REPLACE_ONE, "dwork2014.algorithm-1-relation"),
    formula=Choice("analytic", "dwork2014.algorithm-1-privacy"),
)


def calibrate(epsilon: float, delta: float, d: int, choices: Choices = CORRECTED) -> GaussianCalibration:
    """Return sigma of line 1 and the L2 sensitivity of the upper triangle of X^T X, for rows of dimension d.

    Raises:
        ValueError: epsilon not > 0, delta not in (0, 1), or d not an integer >= 1.
    """
    delta_2 = row_changes.frobenius(d, choices.relation.value)  # line 1
    formula = {"classical": classical_std, "analytic": analytic_std}[choices.formula.value]
    sigma = formula(epsilon, delta, delta_2)  # line 1
    return GaussianCalibration(
        epsilon=epsilon,
        delta=delta,
        std=sigma,
        sensitivity=delta_2,
        formula=choices.formula.value,
        assumptions=("every row lies in the unit ball", f"neighbours: {choices.relation.value.value}"),
        sizes={"d": d},
    )


@declare(
    key="baselines.analyze_gauss",
    paper="dwork2014",
    number="Algorithm 1",
    title="Analyze Gauss",
    data=ROWS,
    relation=Relation.REPLACE_ONE,
    returns=Returns.EIGENVECTORS,
    lines=3,
    symbols={"delta_2": "Delta_2", "upper": "C_hat, upper triangle", "return": "V"},
    calibrate=calibrate,
    choices={"AS_PRINTED": AS_PRINTED, "CORRECTED": CORRECTED},
    claims=("dwork2014.algorithm-1-privacy", "dwork2014.algorithm-1-relation"),
    example=rows_example(epsilon=1.0, delta=0.01, d=3, k=2),
)
def analyze_gauss(X: NDArray[np.float64], k: int, calibration: GaussianCalibration, noise: Noise) -> NDArray[np.float64]:
    """Add noise to X^T X and return its k leading eigenvectors.

    Args:
        X: rows in the unit ball, shape (n, d), d as calibrated.
        k: dimension of the subspace, 1 <= k <= d.
        calibration: what `calibrate` returned.
        noise: the seam. Draws: the release "C_hat", upper triangle of X^T X, shape (d (d + 1) / 2,).

    Returns:
        Orthonormal basis of the estimated principal subspace, shape (d, k).

    Raises:
        ValueError: X or k outside its domain.
    """
    value = upper_triangle(X.T @ X)
    upper = noise.gaussian("C_hat", value, std=calibration.std, sensitivity=calibration.sensitivity)  # line 1
    C_hat = symmetric_matrix(upper, X.shape[1])  # line 2
    return principal_subspace(C_hat, k)  # line 3
