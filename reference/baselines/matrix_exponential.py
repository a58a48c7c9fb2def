"""Exponential mechanism for a principal subspace, all directions at once: the matrix Bingham law.

As published (Chaudhuri, Sarwate, Sinha, JMLR 14, 2013, Algorithm 2, PPCA, for k > 1; it samples by Gibbs steps, here exactly;
lines numbered here). Rows in the unit ball.
  1  V on the orthonormal (d, k) matrices with density proportional to exp(m tr V^T X^T X V), m = epsilon / 2
Here k = d - 1, for which there is an exact sampler; k = 1 is `exponential`.
Claimed here: (epsilon, 0)-DP when a row is replaced, n public. A row moves the score by |V^T x|^2 - |V^T y|^2, which lies in
[-1, 1], whatever k: deflation, which draws one direction after the other, has to spend epsilon / k on each.

Symbols: X (n, d); V (d, k); m the multiplier.
"""

from __future__ import annotations

from dataclasses import dataclass

from dppca.reference.api import ROWS, Matrix, Noise, Readings, Relation, Returns, checked, declare, point, rows_example
from dppca.reference.primitives.matrix_bingham import MatrixBinghamLaw
from dppca.reference.rigour.outwards import divide_down


class Choices(Readings):
    """The one decision of a reading: the sensitivity of the score behind the multiplier."""

    score_sensitivity: float = point("chaudhuri2013.matrix-sensitivity", CORRECTED=1.0)


CORRECTED = Choices.read("CORRECTED")


@dataclass(frozen=True)
class MatrixExponentialCalibration:
    """The multiplier of the score with which the draw spends epsilon."""

    epsilon: float
    multiplier: float
    sensitivity: float


@checked
def calibrate(epsilon: float, choices: Choices = CORRECTED) -> MatrixExponentialCalibration:
    """Return the multiplier m, rounded down."""
    sensitivity = choices.score_sensitivity
    multiplier = divide_down(epsilon, 2.0 * sensitivity)  # line 1: m
    return MatrixExponentialCalibration(epsilon, multiplier, sensitivity)


@declare(
    number="Algorithm 2",
    title="PPCA for all but one direction at once",
    paper="chaudhuri2013",
    data=ROWS,
    relation=Relation.REPLACE_ONE,
    returns=Returns.BASIS,
    calibrate=calibrate,
    example=rows_example(epsilon=2.0),
)
def matrix_exponential_mechanism(X: Matrix, calibration: MatrixExponentialCalibration, noise: Noise) -> Matrix:
    """Draw a subspace of dimension d - 1, d >= 2, by the exponential mechanism on all of them."""
    if X.shape[1] < 2:
        raise ValueError(f"X must have at least two columns, got shape {X.shape}")
    law = MatrixBinghamLaw(calibration.multiplier)
    V: Matrix = noise.release("V", X.T @ X, law, sensitivity=calibration.sensitivity)  # line 1
    return V
