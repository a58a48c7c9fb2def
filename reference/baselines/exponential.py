"""Exponential mechanism for a principal subspace, direction by direction.

As published (k = 1: Chaudhuri, Sarwate, Sinha, JMLR 14, 2013, Algorithm 2, PPCA; k > 1: deflation, Kapralov, Talwar, SODA 2013,
as Amin et al., NeurIPS 2019, Algorithm 1, state it; lines numbered here). Rows in the unit ball.
  1  for i = 1..k
  2    C_i = Q_i^T X^T X Q_i, Q_i an orthonormal basis of the complement of v_1, ..., v_{i-1}
  3    u_i on the unit sphere with density proportional to exp(m u^T C_i u)
  4    v_i = Q_i u_i
m = epsilon / (2 s k) for the sensitivity s of the score u^T C_i u: PPCA has s = 1, Amin et al. s = 2; the supremum is 1.
Claimed there: (epsilon, 0)-DP when a row is replaced, n public. Why it holds: baselines note, "Exponential mechanism".

Symbols: X (n, d); C_i (d - i + 1, d - i + 1); m the multiplier.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dppca.reference.api import ROWS, Matrix, Noise, Readings, Relation, Returns, checked, declare, point, rows_example
from dppca.reference.primitives.bingham import BinghamLaw
from dppca.reference.primitives.orthonormal import complement
from dppca.reference.rigour.outwards import divide_down
from dppca.reference.rigour.validation import check_subspace_dimension


class Choices(Readings):
    """The one decision of a reading: the sensitivity of the score behind the multiplier."""

    score_sensitivity: float = point(
        "chaudhuri2013.ppca-privacy", "amin2019.eigenvector-sensitivity", PPCA=1.0, AS_PRINTED=2.0, CORRECTED=1.0
    )


AS_PRINTED, CORRECTED = Choices.read("AS_PRINTED"), Choices.read("CORRECTED")


@dataclass(frozen=True)
class ExponentialCalibration:
    """The multiplier of the score with which each of k directions spends epsilon / k."""

    epsilon: float
    k: int
    multiplier: float
    sensitivity: float


@checked
def calibrate(epsilon: float, k: int = 1, choices: Choices = CORRECTED) -> ExponentialCalibration:
    """Return the multiplier m, rounded down, for k directions that spend epsilon together."""
    sensitivity = choices.score_sensitivity
    cost = 2.0 * sensitivity * k
    multiplier = divide_down(epsilon, cost)  # line 3: m
    return ExponentialCalibration(epsilon, k, multiplier, sensitivity)


@declare(
    number="Algorithm 1",
    title="Exponential mechanism on the sphere, iterated",
    paper="amin2019",
    data=ROWS,
    relation=Relation.REPLACE_ONE,
    returns=Returns.BASIS,
    calibrate=calibrate,
    example=rows_example(epsilon=1.0, k=2),
)
def exponential_mechanism(X: Matrix, calibration: ExponentialCalibration, noise: Noise) -> Matrix:
    """Draw k directions, each by the exponential mechanism on the sphere of the complement of those before.

    The directions are orthonormal columns. The sign of a column is random.
    """
    d = X.shape[1]
    Q = np.eye(d)
    directions = []
    for i in range(1, check_subspace_dimension(calibration.k, d) + 1):  # line 1
        C = Q.T @ (X.T @ X) @ Q  # line 2: C_i
        law = BinghamLaw(calibration.multiplier)
        u = noise.release(f"u[{i}]", C, law, sensitivity=calibration.sensitivity)  # line 3: u_i
        directions.append(Q @ u)  # line 4: v_i
        Q = Q @ complement(u)
    return np.column_stack(directions)
