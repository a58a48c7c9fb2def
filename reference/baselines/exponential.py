"""Exponential mechanism for a principal subspace, direction by direction.

Print (k = 1: Chaudhuri, Sarwate, Sinha, JMLR 14, 2013, Algorithm 2, PPCA; k > 1: deflation, Kapralov, Talwar, SODA 2013, as
Amin et al., NeurIPS 2019, Algorithm 1, state it; lines numbered here). Rows in the unit ball.
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
from numpy.typing import NDArray

from dppca.reference.declaration import Choice, Returns, declare
from dppca.reference.example_rows import ROWS, rows_example
from dppca.reference.noise import Noise
from dppca.reference.primitives.bingham import BinghamLaw
from dppca.reference.primitives.orthonormal import complement
from dppca.reference.primitives.outwards import divide_down
from dppca.reference.primitives.validation import check_count, check_epsilon, check_subspace_dimension
from dppca.reference.relation import Relation


@dataclass(frozen=True)
class Choices:
    """The one decision of a reading: the sensitivity of the score behind the multiplier."""

    score_sensitivity: Choice[float]


PPCA = Choices(Choice(1.0, "chaudhuri2013.ppca-privacy"))
AS_PRINTED = Choices(Choice(2.0, "amin2019.eigenvector-sensitivity"))
CORRECTED = Choices(Choice(1.0, "amin2019.eigenvector-sensitivity"))


@dataclass(frozen=True)
class ExponentialCalibration:
    """The multiplier of the score with which each of k directions spends epsilon / k."""

    epsilon: float
    k: int
    multiplier: float
    sensitivity: float
    assumptions: tuple[str, ...]


def calibrate(epsilon: float, k: int = 1, choices: Choices = CORRECTED) -> ExponentialCalibration:
    """Return the multiplier m, rounded down, for k directions that spend epsilon together.

    Raises:
        ValueError: epsilon not > 0, or k not an integer >= 1.
    """
    sensitivity = choices.score_sensitivity.value
    cost = 2.0 * sensitivity * check_count("k", k)
    multiplier = divide_down(check_epsilon(epsilon), cost)  # line 3
    assumptions = ("every row lies in the unit ball", "neighbours: replace-one")
    return ExponentialCalibration(epsilon, k, multiplier, sensitivity, assumptions)


@declare(
    key="baselines.exponential_mechanism",
    paper="amin2019",
    number="Algorithm 1",
    title="Exponential mechanism on the sphere, iterated",
    data=ROWS,
    relation=Relation.REPLACE_ONE,
    returns=Returns.BASIS,
    lines=4,
    symbols={"multiplier": "m", "C": "C_i", "u": "u_i", "directions[-1]": "v_i"},
    calibrate=calibrate,
    choices={"PPCA": PPCA, "AS_PRINTED": AS_PRINTED, "CORRECTED": CORRECTED},
    claims=("chaudhuri2013.ppca-privacy", "amin2019.eigenvector-sensitivity"),
    example=rows_example(epsilon=1.0, k=2),
)
def exponential_mechanism(X: NDArray[np.float64], calibration: ExponentialCalibration, noise: Noise) -> NDArray[np.float64]:
    """Draw k directions, each by the exponential mechanism on the sphere of the complement of those before.

    Args:
        X: rows in the unit ball, shape (n, d).
        calibration: what `calibrate` returned; it holds k.
        noise: the seam. Draws, in order: releases "u[1]", ..., "u[k]", unit vectors (d,), ..., (d - k + 1,).

    Returns:
        The directions as orthonormal columns, shape (d, k). The sign of a column is random.

    Raises:
        ValueError: X outside its domain, or the calibration's k > d.
    """
    d = X.shape[1]
    Q = np.eye(d)
    directions = []
    for i in range(1, check_subspace_dimension(calibration.k, d) + 1):  # line 1
        C = Q.T @ (X.T @ X) @ Q  # line 2
        law = BinghamLaw(calibration.multiplier)
        u = noise.release(f"u[{i}]", C, law, sensitivity=calibration.sensitivity)  # line 3
        directions.append(Q @ u)  # line 4
        Q = Q @ complement(u)
    return np.column_stack(directions)
