"""Private power method.

As published (Hardt, Price, NeurIPS 2014, figure 3; for k = 1 the iteration of Hardt, Roth, STOC 2013; lines numbered here).
  1  X_0 a random orthonormal basis, sigma = sqrt(4 k L ln(1/delta)) / epsilon
  2  for l = 1..L
  3    Y_l = A X_{l-1} + G_l, entries of G_l i.i.d. N(0, (max |X_{l-1}| sigma)^2)
  4    Y_l = X_l R_l, the QR decomposition
Claimed there: (epsilon, delta)-DP when one entry of the symmetric matrix A changes by at most 1. Here A = X^T X of rows in
the unit ball, and a row is replaced, n public: the largest entry of X_{l-1} does not bound what a row can do, which is
min(sqrt(k), sqrt(2)) whatever the entries.

Symbols: A (d, d); X_l, Y_l, G_l (d, k); the data are called `rows` here, X_l is the paper's basis.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from dppca.reference.api import ROWS, Matrix, Noise, Readings, Relation, Returns, checked, declare, point, rows_example
from dppca.reference.primitives import row_changes
from dppca.reference.primitives.gaussian import analytic_std
from dppca.reference.primitives.orthonormal import qr_factor


class Choices(Readings):
    """The one decision of a reading: whether noise is scaled with the basis' largest entry or with what a row can move."""

    scaling: Literal["largest-entry", "row-supremum"] = point(
        "hardt2014.ppm-relation", AS_PRINTED="largest-entry", CORRECTED="row-supremum"
    )


AS_PRINTED, CORRECTED = Choices.read("AS_PRINTED"), Choices.read("CORRECTED")


@dataclass(frozen=True)
class PowerCalibration:
    """The noise of L steps: std = `multiplier` times `step_scale(X)`, which is also what the sensitivity scales with."""

    epsilon: float
    delta: float
    k: int
    L: int
    multiplier: float
    scaling: Literal["largest-entry", "row-supremum"]
    sizes: dict[str, int]

    def step_scale(self, basis: Matrix) -> float:
        """Return the largest |entry| of X_{l-1} as published, 1 as corrected."""
        return float(np.max(np.abs(basis))) if self.scaling == "largest-entry" else 1.0

    def sensitivity(self, basis: Matrix) -> float:
        """Return the claimed L2 change of A X_{l-1} between neighbours."""
        if self.scaling == "largest-entry":
            return math.sqrt(self.k) * self.step_scale(basis)
        return row_changes.on_basis(basis.shape[0], self.k)


@checked
def calibrate(epsilon: float, delta: float, d: int, k: int, L: int, choices: Choices = CORRECTED) -> PowerCalibration:
    """Return the noise of line 3 for L steps on bases of shape (d, k)."""
    scaling = choices.scaling
    if scaling == "largest-entry":
        multiplier = math.sqrt(4.0 * k * L * math.log(1.0 / delta)) / epsilon  # line 1: sigma
    else:
        multiplier = analytic_std(epsilon, delta, row_changes.on_basis(d, k) * math.sqrt(L))  # line 1: sigma
    return PowerCalibration(epsilon, delta, k, L, multiplier, scaling, {"d": d})


@declare(
    number="Figure 3",
    title="Private power method",
    paper="hardt2014",
    data=ROWS,
    relation=Relation.REPLACE_ONE,
    returns=Returns.BASIS,
    calibrate=calibrate,
    claims=("hardt2014.ppm-privacy",),
    example=rows_example(epsilon=1.0, delta=0.01, d=3, k=2, L=3),
)
def noisy_power_method(X: Matrix, calibration: PowerCalibration, noise: Noise) -> Matrix:
    """Take L noisy steps of subspace iteration on A = X^T X."""
    A = X.T @ X
    basis = qr_factor(noise.public_normal("X[0]", (X.shape[1], calibration.k)))  # line 1: X_l
    for step in range(1, calibration.L + 1):  # line 2
        Y = noise.gaussian(  # line 3: Y_l
            f"Y[{step}]",
            A @ basis,
            std=calibration.multiplier * calibration.step_scale(basis),
            sensitivity=calibration.sensitivity(basis),
        )
        basis = qr_factor(Y)  # line 4: X_l
    return basis
