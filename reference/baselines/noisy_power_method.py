"""Private power method.

Print (Hardt, Price, NeurIPS 2014, figure 3; for k = 1 the iteration of Hardt, Roth, STOC 2013; lines numbered here).
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
from numpy.typing import NDArray

from dppca.reference.declaration import Choice, Returns, declare
from dppca.reference.example_rows import ROWS, rows_example
from dppca.reference.noise import Noise
from dppca.reference.primitives import row_changes
from dppca.reference.primitives.gaussian import analytic_std
from dppca.reference.primitives.orthonormal import qr_factor
from dppca.reference.primitives.validation import check_count, check_delta, check_epsilon, check_subspace_dimension
from dppca.reference.relation import Relation


@dataclass(frozen=True)
class Choices:
    """The one decision of a reading: whether noise is scaled with the basis' largest entry or with what a row can move."""

    scaling: Choice[Literal["largest-entry", "row-supremum"]]


AS_PRINTED = Choices(scaling=Choice("largest-entry", "hardt2014.ppm-relation"))
CORRECTED = Choices(scaling=Choice("row-supremum", "hardt2014.ppm-relation"))


@dataclass(frozen=True)
class PowerCalibration:
    """The noise of L steps: std = `multiplier` times `step_scale(X)`, which is also what the sensitivity scales with."""

    epsilon: float
    delta: float
    k: int
    L: int
    multiplier: float
    scaling: Literal["largest-entry", "row-supremum"]
    assumptions: tuple[str, ...]
    sizes: dict[str, int]

    def step_scale(self, basis: NDArray[np.float64]) -> float:
        """Return the largest |entry| of X_{l-1} as printed, 1 as corrected."""
        return float(np.max(np.abs(basis))) if self.scaling == "largest-entry" else 1.0

    def sensitivity(self, basis: NDArray[np.float64]) -> float:
        """Return the claimed L2 change of A X_{l-1} between neighbours."""
        if self.scaling == "largest-entry":
            return math.sqrt(self.k) * self.step_scale(basis)
        return row_changes.on_basis(basis.shape[0], self.k)


def calibrate(epsilon: float, delta: float, d: int, k: int, L: int, choices: Choices = CORRECTED) -> PowerCalibration:
    """Return the noise of line 3 for L steps on bases of shape (d, k).

    Raises:
        ValueError: epsilon not > 0, delta not in (0, 1), d or L not an integer >= 1, or k not an integer in 1..d.
    """
    check_subspace_dimension(k, check_count("d", d))
    check_count("L", L)
    scaling = choices.scaling.value
    if scaling == "largest-entry":
        multiplier = math.sqrt(4.0 * k * L * math.log(1.0 / check_delta(delta))) / check_epsilon(epsilon)  # line 1
        relation = "one entry of A changes by at most 1"
    else:
        multiplier = analytic_std(epsilon, delta, row_changes.on_basis(d, k) * math.sqrt(L))  # line 1
        relation = "replace-one, rows in the unit ball"
    return PowerCalibration(epsilon, delta, k, L, multiplier, scaling, (f"neighbours: {relation}",), {"d": d})


@declare(
    key="baselines.noisy_power_method",
    paper="hardt2014",
    number="Figure 3",
    title="Private power method",
    data=ROWS,
    relation=Relation.REPLACE_ONE,
    returns=Returns.BASIS,
    lines=4,
    symbols={"multiplier": "sigma", "basis": "X_l", "Y": "Y_l"},
    calibrate=calibrate,
    choices={"AS_PRINTED": AS_PRINTED, "CORRECTED": CORRECTED},
    claims=("hardt2014.ppm-privacy", "hardt2014.ppm-relation"),
    example=rows_example(epsilon=1.0, delta=0.01, d=3, k=2, L=3),
)
def noisy_power_method(X: NDArray[np.float64], calibration: PowerCalibration, noise: Noise) -> NDArray[np.float64]:
    """Take L noisy steps of subspace iteration on A = X^T X.

    Args:
        X: the data, rows in the unit ball, shape (n, d), d as calibrated.
        calibration: what `calibrate` returned; it holds k and L.
        noise: the seam. Draws, in order: public normal "X[0]" (d, k); releases "Y[1]", ..., "Y[L]" (d, k).

    Returns:
        X_L, orthonormal, shape (d, k).

    Raises:
        ValueError: X outside its domain.
    """
    A = X.T @ X
    basis = qr_factor(noise.public_normal("X[0]", (X.shape[1], calibration.k)))  # line 1
    for step in range(1, calibration.L + 1):  # line 2
        Y = noise.gaussian(  # line 3
            f"Y[{step}]",
            A @ basis,
            std=calibration.multiplier * calibration.step_scale(basis),
            sensitivity=calibration.sensitivity(basis),
        )
        basis = qr_factor(Y)  # line 4
    return basis
