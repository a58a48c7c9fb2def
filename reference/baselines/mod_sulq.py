"""MOD-SULQ: Gaussian noise on the second-moment matrix (Chaudhuri, Sarwate, Sinha, JMLR 14, 2013, Algorithm 1).

Guarantee claimed: (epsilon, delta)-DP for every epsilon, delta; original relation: replace-one, n public, as here.
Claims: chaudhuri2013.theorem-1.

Lines, numbered here:
  1  A = X^T X / n
  2  beta = (d + 1) / (n epsilon) sqrt(2 ln((d^2 + d) / (2 sqrt(2 pi) delta))) + 1 / (n sqrt(epsilon))
  3  N symmetric, its upper triangle (diagonal included) i.i.d. N(0, beta^2)
  4  the k leading eigenvectors of A + N
Departures from print:
  D1 line 2, beta: print takes the logarithm of a number < 1 for d = 1 and delta > 1 / sqrt(2 pi), where it has no
     value; elsewhere it holds with room to spare (tests). The analytic standard deviation is the smallest.

Symbols: X (n, d) rows in the unit ball; A, N (d, d); beta the noise's std; V_k (d, k).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dppca.reference.choices import Choice
from dppca.reference.noise import Noise
from dppca.reference.primitives import row_changes
from dppca.reference.primitives.gaussian import GaussianCalibration, analytic_std
from dppca.reference.primitives.inputs import check_count, check_unit_rows
from dppca.reference.primitives.subspaces import principal_subspace
from dppca.reference.primitives.symmetric import symmetric_matrix, upper_triangle
from dppca.reference.primitives.validation import check_delta, check_epsilon, check_subspace_dimension


@dataclass(frozen=True)
class Choices:
    """The formula of beta."""

    formula: Choice[Literal["mod-sulq", "analytic"]]


AS_PRINTED = Choices(formula=Choice("mod-sulq", "the printed beta", "chaudhuri2013.theorem-1"))
CORRECTED = Choices(formula=Choice("analytic", "defined for every epsilon > 0 and delta in (0, 1)", "chaudhuri2013.theorem-1"))


def printed_beta(epsilon: float, delta: float, n: int, d: int) -> float:
    """The printed beta. ValueError where its logarithm is negative: d = 1 and delta > 1 / sqrt(2 pi)."""
    argument = (d * d + d) / (2.0 * math.sqrt(2.0 * math.pi) * check_delta(delta))
    if argument < 1.0:
        raise ValueError(f"delta must be <= 1 / sqrt(2 pi) for d = 1, got {delta!r}")
    root = math.sqrt(2.0 * math.log(argument))
    return (d + 1) / (n * check_epsilon(epsilon)) * root + 1.0 / (n * math.sqrt(epsilon))


def calibrate(epsilon: float, delta: float, n: int, d: int, choices: Choices = CORRECTED) -> GaussianCalibration:
    """The noise of lines 2 and 3, for X^T X / n.

    Args:
        epsilon: target epsilon > 0.
        delta: target delta in (0, 1); at most 1 / sqrt(2 pi) as printed with d = 1.
        n: number of rows, >= 1.
        d: dimension of a row, >= 1.
        choices: AS_PRINTED or CORRECTED.

    Returns:
        GaussianCalibration with std = beta and the L2 sensitivity of the upper triangle, frobenius(d) / n.

    Raises:
        ValueError: an argument outside its range.
    """
    delta_2 = row_changes.frobenius(d) / check_count("n", n)
    formula = choices.formula.value
    printed = formula == "mod-sulq"
    beta = printed_beta(epsilon, delta, n, d) if printed else analytic_std(epsilon, delta, delta_2)  # line 2 (D1)
    return GaussianCalibration(
        epsilon=epsilon,
        delta=delta,
        std=beta,
        sensitivity=delta_2,
        formula=formula,
        assumptions=("every row lies in the unit ball", "neighbours: replace-one", f"n = {n} is public"),
    )


def mod_sulq(X: ArrayLike, k: int, calibration: GaussianCalibration, noise: Noise) -> NDArray[np.float64]:
    """Noise on X^T X / n, then its leading eigenvectors.

    Args:
        X: rows in the unit ball, shape (n, d).
        k: dimension of the subspace, 1 <= k <= d.
        calibration: what `calibrate` returned for this n and d.
        noise: the seam. Draws: the release "A_hat", upper triangle of X^T X / n, shape (d (d + 1) / 2,).

    Returns:
        Orthonormal basis of the estimated principal k-subspace, shape (d, k).

    Raises:
        ValueError: X is not finite or not (n, d), a row lies outside the unit ball, k not in 1..d.
    """
    rows = check_unit_rows("X", X)
    n, d = rows.shape
    check_subspace_dimension(k, d)
    A = rows.T @ rows / n  # line 1
    upper = noise.gaussian(  # line 3
        "A_hat", upper_triangle(A), std=calibration.std, sensitivity=calibration.sensitivity
    )
    return principal_subspace(symmetric_matrix(upper, d), k)  # line 4
