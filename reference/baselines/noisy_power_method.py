"""Private power method (Hardt, Price, NeurIPS 2014, figure 3; for k = 1 the iteration of Hardt, Roth, STOC 2013).

Guarantee claimed: (epsilon, delta)-DP; original relation: one entry of the symmetric matrix A changes by at most 1.
Here: A = X^T X of rows in the unit ball, replace-one with n public.
Claims: hardt2014.ppm-privacy, hardt2014.ppm-relation.

Lines, numbered here:
  1  X_0 a random orthonormal basis, sigma = sqrt(4 k L ln(1/delta)) / epsilon
  2  for l = 1..L
  3    Y_l = A X_{l-1} + G_l, entries of G_l i.i.d. N(0, (max |X_{l-1}| sigma)^2)
  4    Y_l = X_l R_l, the QR decomposition
Departures from print:
  D1 line 1 and 3, the noise: print scales it with the largest entry of X_{l-1}, which bounds what one entry of A
     can do (sqrt(k) max |X_{l-1}|) but not what one row can: that is min(sqrt(k), sqrt(2)) whatever the entries.
     The corrected noise has this sensitivity, analytically calibrated for L adaptive releases.

Symbols: A (d, d); X_l, Y_l, G_l (d, k); the data are called `rows` here, X_l is the paper's basis.
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
from dppca.reference.primitives.gaussian import analytic_std
from dppca.reference.primitives.inputs import check_count, check_unit_rows
from dppca.reference.primitives.orthonormal import qr_factor
from dppca.reference.primitives.validation import check_delta, check_epsilon, check_subspace_dimension


@dataclass(frozen=True)
class Choices:
    """What the noise of a step is scaled with."""

    scaling: Choice[Literal["largest-entry", "row-supremum"]]


AS_PRINTED = Choices(
    scaling=Choice("largest-entry", "the paper's neighbours: one entry of A moves by <= 1", "hardt2014.ppm-relation")
)
CORRECTED = Choices(
    scaling=Choice(
        "row-supremum",
        "a replaced row moves A X by min(sqrt(k), sqrt(2)) even where every entry of X is 1/sqrt(d)",
        "hardt2014.ppm-relation",
    )
)


@dataclass(frozen=True)
class PowerCalibration:
    """Noise of L steps: std = `multiplier` times `step_scale(X)`, which is also what the sensitivity scales with."""

    epsilon: float
    delta: float
    k: int
    L: int
    multiplier: float
    scaling: Literal["largest-entry", "row-supremum"]
    assumptions: tuple[str, ...]

    def step_scale(self, basis: NDArray[np.float64]) -> float:
        """The largest |entry| of X_{l-1} as printed, 1 as corrected."""
        return float(np.max(np.abs(basis))) if self.scaling == "largest-entry" else 1.0

    def sensitivity(self, basis: NDArray[np.float64]) -> float:
        """Claimed L2 change of A X_{l-1} between neighbours."""
        if self.scaling == "largest-entry":
            return math.sqrt(self.k) * self.step_scale(basis)
        return row_changes.on_basis(basis.shape[0], self.k)


def calibrate(epsilon: float, delta: float, d: int, k: int, L: int, choices: Choices = CORRECTED) -> PowerCalibration:
    """The noise of line 3 for L steps.

    Args:
        epsilon: target epsilon > 0.
        delta: target delta in (0, 1).
        d: dimension of a row, >= 1.
        k: dimension of the subspace, 1 <= k <= d.
        L: number of steps, >= 1.
        choices: AS_PRINTED or CORRECTED.

    Raises:
        ValueError: an argument outside its range.
    """
    check_subspace_dimension(k, d)
    check_count("L", L)
    scaling = choices.scaling.value
    if scaling == "largest-entry":
        multiplier = math.sqrt(4.0 * k * L * math.log(1.0 / check_delta(delta))) / check_epsilon(epsilon)  # line 1
        relation = "one entry of A changes by at most 1"
    else:
        multiplier = analytic_std(epsilon, delta, row_changes.on_basis(d, k) * math.sqrt(L))  # line 1 (D1)
        relation = "replace-one, rows in the unit ball"
    return PowerCalibration(epsilon, delta, k, L, multiplier, scaling, (f"neighbours: {relation}",))


def noisy_power_method(X: ArrayLike, calibration: PowerCalibration, noise: Noise) -> NDArray[np.float64]:
    """L noisy steps of subspace iteration on A = X^T X.

    Args:
        X: the data, rows in the unit ball, shape (n, d).
        calibration: what `calibrate` returned for this d; it holds k and L.
        noise: the seam. Draws, in order: public normal "X[0]" (d, k); releases "Y[1]", ..., "Y[L]" (d, k).

    Returns:
        X_L, orthonormal, shape (d, k).

    Raises:
        ValueError: X is not finite or not (n, d), a row lies outside the unit ball, calibration.k > d.
    """
    rows = check_unit_rows("X", X)
    d = rows.shape[1]
    k = check_subspace_dimension(calibration.k, d)
    A = rows.T @ rows
    basis = qr_factor(noise.public_normal("X[0]", (d, k)))  # line 1
    for step in range(1, calibration.L + 1):  # line 2
        Y = noise.gaussian(  # line 3
            f"Y[{step}]",
            A @ basis,
            std=calibration.multiplier * calibration.step_scale(basis),
            sensitivity=calibration.sensitivity(basis),
        )
        basis = qr_factor(Y)  # line 4
    return basis
