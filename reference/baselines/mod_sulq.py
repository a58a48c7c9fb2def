"""MOD-SULQ: Gaussian noise on the second-moment matrix.

Print (Chaudhuri, Sarwate, Sinha, JMLR 14, 2013, Algorithm 1; lines numbered here). Rows in the unit ball.
  1  A = X^T X / n
  2  beta = (d + 1) / (n epsilon) sqrt(2 ln((d^2 + d) / (2 sqrt(2 pi) delta))) + 1 / (n sqrt(epsilon))
  3  N symmetric, its upper triangle (diagonal included) i.i.d. N(0, beta^2)
  4  the k leading eigenvectors of A + N
Claimed there: (epsilon, delta)-DP for every epsilon and delta when a row is replaced, n public.

Symbols: X (n, d); A, N (d, d); V (d, k) the result.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dppca.reference.declaration import Choice, Returns, declare
from dppca.reference.example_rows import ROWS, rows_example
from dppca.reference.noise import Noise
from dppca.reference.primitives import row_changes
from dppca.reference.primitives.gaussian import GaussianCalibration, analytic_std
from dppca.reference.primitives.subspaces import principal_subspace
from dppca.reference.primitives.symmetric import symmetric_matrix, upper_triangle
from dppca.reference.primitives.validation import check_count, check_delta, check_epsilon
from dppca.reference.relation import Relation


@dataclass(frozen=True)
class Choices:
    """The one decision of a reading: the formula of beta."""

    formula: Choice[Literal["mod-sulq", "analytic"]]


AS_PRINTED = Choices(formula=Choice("mod-sulq", "chaudhuri2013.theorem-1"))
CORRECTED = Choices(formula=Choice("analytic", "chaudhuri2013.theorem-1"))


def printed_beta(epsilon: float, delta: float, n: int, d: int) -> float:
    """Return beta of line 2. ValueError where its logarithm is negative: d = 1 and delta > 1 / sqrt(2 pi)."""
    argument = (d * d + d) / (2.0 * math.sqrt(2.0 * math.pi) * check_delta(delta))
    if argument < 1.0:
        raise ValueError(f"delta must be <= 1 / sqrt(2 pi) for d = 1, got {delta!r}")
    return (d + 1) / (n * check_epsilon(epsilon)) * math.sqrt(2.0 * math.log(argument)) + 1.0 / (n * math.sqrt(epsilon))


def calibrate(epsilon: float, delta: float, n: int, d: int, choices: Choices = CORRECTED) -> GaussianCalibration:
    """Return beta of line 2 and the L2 sensitivity of the upper triangle of X^T X / n, for n rows of dimension d.

    Raises:
        ValueError: epsilon not > 0, delta not in (0, 1), n or d not an integer >= 1; printed_beta's.
    """
    sensitivity = row_changes.frobenius(d) / check_count("n", n)
    printed = choices.formula.value == "mod-sulq"
    beta = printed_beta(epsilon, delta, n, d) if printed else analytic_std(epsilon, delta, sensitivity)  # line 2
    return GaussianCalibration(
        epsilon=epsilon,
        delta=delta,
        std=beta,
        sensitivity=sensitivity,
        formula=choices.formula.value,
        assumptions=("every row lies in the unit ball", "neighbours: replace-one", f"n = {n} is public"),
        sizes={"n": n, "d": d},
    )


@declare(
    key="baselines.mod_sulq",
    paper="chaudhuri2013",
    number="Algorithm 1",
    title="MOD-SULQ",
    data=ROWS,
    relation=Relation.REPLACE_ONE,
    returns=Returns.EIGENVECTORS,
    lines=4,
    symbols={"upper": "A + N, upper triangle", "return": "V"},
    calibrate=calibrate,
    choices={"AS_PRINTED": AS_PRINTED, "CORRECTED": CORRECTED},
    claims=("chaudhuri2013.theorem-1",),
    example=rows_example(epsilon=1.0, delta=0.01, n=3, d=3, k=2),
)
def mod_sulq(X: NDArray[np.float64], k: int, calibration: GaussianCalibration, noise: Noise) -> NDArray[np.float64]:
    """Add noise to X^T X / n and return its k leading eigenvectors.

    Args:
        X: rows in the unit ball, shape (n, d), n and d as calibrated.
        k: dimension of the subspace, 1 <= k <= d.
        calibration: what `calibrate` returned.
        noise: the seam. Draws: the release "A_hat", upper triangle of X^T X / n, shape (d (d + 1) / 2,).

    Returns:
        Orthonormal basis of the estimated principal subspace, shape (d, k).

    Raises:
        ValueError: X or k outside its domain.
    """
    n, d = X.shape
    A = X.T @ X / n  # line 1
    upper = noise.gaussian("A_hat", upper_triangle(A), std=calibration.std, sensitivity=calibration.sensitivity)  # line 3
    return principal_subspace(symmetric_matrix(upper, d), k)  # line 4
