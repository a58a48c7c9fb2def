"""Exponential mechanism for a principal subspace, all directions at once: the matrix Bingham law.

Print (Chaudhuri, Sarwate, Sinha, JMLR 14, 2013, Algorithm 2, PPCA, for k > 1; it samples by Gibbs steps, here exactly; lines
numbered here). Rows in the unit ball.
  1  V on the orthonormal (d, k) matrices with density proportional to exp(m tr V^T X^T X V), m = epsilon / 2
Here k = d - 1, for which there is an exact sampler; k = 1 is `exponential`.
Claimed here: (epsilon, 0)-DP when a row is replaced, n public. A row moves the score by |V^T x|^2 - |V^T y|^2, which lies in
[-1, 1], whatever k: deflation, which draws one direction after the other, has to spend epsilon / k on each.

Symbols: X (n, d); V (d, k); m the multiplier.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dppca.reference.declaration import Choice, Returns, declare
from dppca.reference.example_rows import ROWS, rows_example
from dppca.reference.noise import Noise
from dppca.reference.primitives.matrix_bingham import MatrixBinghamLaw
from dppca.reference.primitives.outwards import divide_down
from dppca.reference.primitives.validation import check_epsilon
from dppca.reference.relation import Relation


@dataclass(frozen=True)
class Choices:
    """The one decision of a reading: the sensitivity of the score behind the multiplier."""

    score_sensitivity: Choice[float]


CORRECTED = Choices(Choice(1.0, "chaudhuri2013.matrix-sensitivity"))


@dataclass(frozen=True)
class MatrixExponentialCalibration:
    """The multiplier of the score with which the draw spends epsilon."""

    epsilon: float
    multiplier: float
    sensitivity: float
    assumptions: tuple[str, ...]


def calibrate(epsilon: float, choices: Choices = CORRECTED) -> MatrixExponentialCalibration:
    """Return the multiplier m, rounded down.

    Raises:
        ValueError: epsilon not > 0.
    """
    sensitivity = choices.score_sensitivity.value
    multiplier = divide_down(check_epsilon(epsilon), 2.0 * sensitivity)  # line 1
    return MatrixExponentialCalibration(
        epsilon, multiplier, sensitivity, ("every row lies in the unit ball", "neighbours: replace-one")
    )


@declare(
    key="baselines.matrix_exponential_mechanism",
    paper="chaudhuri2013",
    number="Algorithm 2",
    title="PPCA for all but one direction at once",
    data=ROWS,
    relation=Relation.REPLACE_ONE,
    returns=Returns.BASIS,
    lines=1,
    symbols={"multiplier": "m"},
    calibrate=calibrate,
    choices={"CORRECTED": CORRECTED},
    claims=("chaudhuri2013.matrix-sensitivity",),
    example=rows_example(epsilon=2.0),
)
def matrix_exponential_mechanism(
    X: NDArray[np.float64], calibration: MatrixExponentialCalibration, noise: Noise
) -> NDArray[np.float64]:
    """Draw a subspace of dimension d - 1 by the exponential mechanism on all of them.

    Args:
        X: rows in the unit ball, shape (n, d), d >= 2.
        calibration: what `calibrate` returned.
        noise: the seam. Draws: the release "V", orthonormal, shape (d, d - 1).

    Returns:
        V, shape (d, d - 1).

    Raises:
        ValueError: X outside its domain, or of one column.
    """
    if X.shape[1] < 2:
        raise ValueError(f"X must have at least two columns, got shape {X.shape}")
    law = MatrixBinghamLaw(calibration.multiplier)
    V: NDArray[np.float64] = noise.release("V", X.T @ X, law, sensitivity=calibration.sensitivity)  # line 1
    return V
