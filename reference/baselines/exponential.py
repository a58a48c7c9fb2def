"""Exponential mechanism for a principal subspace, direction by direction.

k = 1: PPCA (Chaudhuri, Sarwate, Sinha, JMLR 14, 2013, Algorithm 2). k > 1: deflation (Kapralov, Talwar, SODA 2013;
Amin et al., NeurIPS 2019, Algorithm 1): draw a direction, project the data on its complement, repeat.

Guarantee claimed: (epsilon, 0)-DP, replace-one, n public. Claims: chaudhuri2013.ppca-privacy,
amin2019.eigenvector-sensitivity.

Why. A replaced row moves the score v^T X^T X v by v^T D v, D = x x^T - y y^T, whose eigenvalues lie in [-1, 1]
(primitives/row_changes.py): the score's sensitivity is 1, and with density proportional to exp(m v^T X^T X v) the
log-density moves by m (v^T D v - (log-normaliser's change)), in absolute value at most m (lambda_max(D) -
lambda_min(D)) <= 2 m. Tight for d >= 2: v = e_1, D = e_1 e_1^T - e_2 e_2^T and the other rows at e_2, as n grows.
So m = epsilon / 2 per direction. Under add-remove the range is 1, and m = epsilon would do.
Given the directions drawn before, projecting the rows keeps them in the unit ball, so the same holds for each.

Lines, numbered here:
  1  for i = 1..k
  2    C_i = Q_i^T X^T X Q_i, Q_i an orthonormal basis of the complement of v_1, ..., v_{i-1}
  3    u_i on the unit sphere with density proportional to exp(m u^T C_i u)
  4    v_i = Q_i u_i
Departures from print:
  D1 line 3, m: Amin et al. take the sensitivity 2, so m = epsilon / 4 per direction; 1 is the supremum.

Symbols: X (n, d) rows in the unit ball; C_i (d - i + 1, d - i + 1); m the multiplier.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dppca.reference.choices import Choice
from dppca.reference.noise import Noise
from dppca.reference.primitives import row_changes
from dppca.reference.primitives.bingham import BinghamLaw
from dppca.reference.primitives.inputs import check_count, check_unit_rows
from dppca.reference.primitives.orthonormal import complement
from dppca.reference.primitives.validation import check_epsilon, check_subspace_dimension


@dataclass(frozen=True)
class Choices:
    """The sensitivity of the score behind the multiplier."""

    score_sensitivity: Choice[Literal["one", "two"]]


PPCA = Choices(Choice("one", "PPCA prints exp(n epsilon / 2 v^T A v) with A = X^T X / n", "chaudhuri2013.ppca-privacy"))
AS_PRINTED = Choices(Choice("two", "Amin et al. print exp(epsilon_i / 4 u^T C_i u)", "amin2019.eigenvector-sensitivity"))
CORRECTED = Choices(
    Choice("one", "|v^T (x x^T - y y^T) v| <= 1, reached at x = v, y orthogonal to v", "amin2019.eigenvector-sensitivity")
)


@dataclass(frozen=True)
class ExponentialCalibration:
    """epsilon / k for each of k directions, and the multiplier of the score that spends it."""

    epsilon: float
    k: int
    multiplier: float
    sensitivity: float
    assumptions: tuple[str, ...]


def calibrate(epsilon: float, k: int = 1, choices: Choices = CORRECTED) -> ExponentialCalibration:
    """The multiplier of line 3, rounded down, epsilon / k being spent on each direction.

    Args:
        epsilon: target epsilon > 0 for all directions together.
        k: number of directions, >= 1.
        choices: PPCA (k = 1), AS_PRINTED or CORRECTED.

    Raises:
        ValueError: an argument outside its range.
    """
    sensitivity = 2.0 if choices.score_sensitivity.value == "two" else row_changes.spectral()
    cost = 2.0 * sensitivity * check_count("k", k)
    multiplier = check_epsilon(epsilon) / cost  # line 3 (D1)
    if Fraction(multiplier) * Fraction(cost) > Fraction(epsilon):
        multiplier = math.nextafter(multiplier, 0.0)
    assumptions = ("every row lies in the unit ball", "neighbours: replace-one")
    return ExponentialCalibration(epsilon, k, multiplier, sensitivity, assumptions)


def exponential_mechanism(X: ArrayLike, calibration: ExponentialCalibration, noise: Noise) -> NDArray[np.float64]:
    """Draw k directions, each by the exponential mechanism on the sphere of the complement of those before.

    Args:
        X: rows in the unit ball, shape (n, d).
        calibration: what `calibrate` returned; it holds k.
        noise: the seam. Draws, in order: releases "u[1]", ..., "u[k]", unit vectors (d,), ..., (d - k + 1,).

    Returns:
        The directions as orthonormal columns, shape (d, k). The sign of a column is random.

    Raises:
        ValueError: X is not finite or not (n, d), a row lies outside the unit ball, calibration.k > d.
    """
    rows = check_unit_rows("X", X)
    d = rows.shape[1]
    k = check_subspace_dimension(calibration.k, d)
    second_moment = rows.T @ rows
    Q = np.eye(d)
    directions = []
    for i in range(1, k + 1):  # line 1
        C = Q.T @ second_moment @ Q  # line 2
        u = noise.release(  # line 3
            f"u[{i}]", C, BinghamLaw(calibration.multiplier), sensitivity=calibration.sensitivity
        )
        directions.append(Q @ u)  # line 4
        Q = Q @ complement(u)
    return np.column_stack(directions)
