"""Analyze Gauss: Gaussian noise on the unscaled second-moment matrix (Dwork, Talwar, Thakurta, Zhang, STOC 2014).

Guarantee claimed: the noisy matrix is (epsilon, delta)-DP; original relation: a row is added or removed.
Here: replace-one with n public. Claims: dwork2014.algorithm-1-privacy, dwork2014.algorithm-1-relation.

Lines, numbered here:
  1  E symmetric, its upper triangle (diagonal included) i.i.d. N(0, sigma^2), sigma = sqrt(2 ln(1.25/delta)) / epsilon
  2  C_hat = X^T X + E
  3  the k leading eigenvectors of C_hat
Departures from print:
  D1 line 1, the sensitivity behind sigma: print has 1, which is the supremum of add-remove; replace-one has sqrt(2).
  D2 line 1, the formula of sigma: the classical one is not a theorem for every epsilon > 1, the analytic one is.

Symbols: X (n, d) rows in the unit ball; C_hat (d, d); V_k (d, k).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dppca.reference.choices import Choice
from dppca.reference.noise import Noise
from dppca.reference.primitives import row_changes
from dppca.reference.primitives.gaussian import GaussianCalibration, analytic_std, classical_std
from dppca.reference.primitives.inputs import check_unit_rows
from dppca.reference.primitives.subspaces import principal_subspace
from dppca.reference.primitives.symmetric import symmetric_matrix, upper_triangle
from dppca.reference.primitives.validation import check_subspace_dimension


@dataclass(frozen=True)
class Choices:
    """The relation that the sensitivity belongs to, and the formula of the noise."""

    relation: Choice[row_changes.Relation]
    formula: Choice[Literal["classical", "analytic"]]


AS_PRINTED = Choices(
    relation=Choice("add-remove", "the paper's neighbours: one row more or less", "dwork2014.algorithm-1-relation"),
    formula=Choice("classical", "the printed variance is 2 ln(1.25/delta) / epsilon^2", "dwork2014.algorithm-1-privacy"),
)
CORRECTED = Choices(
    relation=Choice(
        "replace-one",
        "this project's relation: e_1 replaced by e_2 moves X^T X by sqrt(2)",
        "dwork2014.algorithm-1-relation",
    ),
    formula=Choice("analytic", "holds for every epsilon > 0", "dwork2014.algorithm-1-privacy"),
)


def calibrate(epsilon: float, delta: float, d: int, choices: Choices = CORRECTED) -> GaussianCalibration:
    """The noise of line 1, for X^T X without the factor 1/n.

    Args:
        epsilon: target epsilon > 0.
        delta: target delta in (0, 1).
        d: dimension of a row, >= 1.
        choices: AS_PRINTED or CORRECTED.

    Returns:
        GaussianCalibration with std = sigma and the L2 sensitivity of the upper triangle that it assumes.

    Raises:
        ValueError: epsilon, delta or d outside its range.
    """
    relation = choices.relation.value
    delta_2 = row_changes.frobenius(d, relation)  # line 1 (D1)
    formula = choices.formula.value
    sigma = {"classical": classical_std, "analytic": analytic_std}[formula](epsilon, delta, delta_2)  # line 1 (D2)
    return GaussianCalibration(
        epsilon=epsilon,
        delta=delta,
        std=sigma,
        sensitivity=delta_2,
        formula=formula,
        assumptions=("every row lies in the unit ball", f"neighbours: {relation}"),
    )


def analyze_gauss(X: ArrayLike, k: int, calibration: GaussianCalibration, noise: Noise) -> NDArray[np.float64]:
    """Noise on X^T X, then its leading eigenvectors.

    Args:
        X: rows in the unit ball, shape (n, d).
        k: dimension of the subspace, 1 <= k <= d.
        calibration: what `calibrate` returned.
        noise: the seam. Draws: the release "C_hat", upper triangle of X^T X, shape (d (d + 1) / 2,).

    Returns:
        Orthonormal basis of the estimated principal k-subspace, shape (d, k).

    Raises:
        ValueError: X is not finite or not (n, d), a row lies outside the unit ball, k not in 1..d.
    """
    rows = check_unit_rows("X", X)
    d = rows.shape[1]
    check_subspace_dimension(k, d)
    upper = noise.gaussian(  # line 1
        "C_hat", upper_triangle(rows.T @ rows), std=calibration.std, sensitivity=calibration.sensitivity
    )
    C_hat = symmetric_matrix(upper, d)  # line 2
    return principal_subspace(C_hat, k)  # line 3
