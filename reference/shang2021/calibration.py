"""What the calibrations of both algorithms return: the noise of Theorems 1 and 3, and that of the accounts."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from dppca.reference.accounting import Account, Mechanism, UniformIndex, VarianceReduced, smallest_std
from dppca.reference.accounting.checker import Progress
from dppca.reference.arguments import checked
from dppca.reference.calibration import Grounds
from dppca.reference.declaration import TheoremCondition


@dataclass(frozen=True)
class NoiseCalibration(Grounds):
    """The noise of one noisy gradient.

    `std` is lambda, per coordinate; `steps` the number of noisy gradients in all (T, or T m); `gradient_factor`
    the c in grad f_i(v) = -c x_i x_i^T v; `sensitivity` the largest L2 change of a gradient, index and iterates
    fixed, when the row that it uses is replaced.
    """

    epsilon: float
    delta: float
    n: int
    k: int
    steps: int
    gradient_factor: float
    std: float
    sensitivity: float
    formula: str


@checked
def theorem_1_noise(
    epsilon: float, delta: float, n: int, T: int, mu: float, G: float
) -> tuple[float, tuple[TheoremCondition, ...]]:
    """Return lambda_1 of Theorem 1, and its conditions at these parameters.

    The last condition is the second one of the subsampling lemma behind the theorem (its first one is published as
    5 T alpha / (n^2 epsilon mu) >= 1.5); the paper does not state it.
    """
    alpha = math.log(1.0 / delta) / ((1.0 - mu) * epsilon) + 1.0
    variance = 20.0 * T * alpha * G**2 / (n**2 * epsilon * mu)
    ratio = variance / (4.0 * G**2)
    conditions = (
        TheoremCondition("epsilon <= T / n^2 (Lemma 1)", "printed", epsilon <= T / n**2),
        TheoremCondition("5 T alpha / (n^2 epsilon mu) >= 1.5", "printed", ratio >= 1.5),
        TheoremCondition("alpha <= log(n / (1 + 5 T alpha / (n^2 epsilon mu)))", "proof", alpha <= math.log(n / (1.0 + ratio))),
    )
    return math.sqrt(variance), conditions


@checked
def theorem_3_noise(epsilon: float, delta: float, n: int, steps: int, G: float) -> tuple[float, tuple[TheoremCondition, ...]]:
    """Return lambda_2 of Theorem 3 for `steps` = T m, and its condition at these parameters."""
    variance = G**2 * steps * math.log(1.0 / delta) / (n * epsilon) ** 2
    return math.sqrt(variance), (TheoremCondition("epsilon <= T m / n^2", "printed", epsilon <= steps / n**2),)


def spca_account(
    epsilon: float,
    delta: float,
    n: int,
    T: int,
    sensitivity: float,
    k: int,
    certify: bool | None = None,
    progress: Progress | None = None,
) -> Account:
    """Return the account of T steps of Algorithm 1 with the smallest noise that it allows.

    `certify` and `progress` are those of `smallest_std`.

    For k = 1 the gradients c x (x . v) over the unit ball lie in a ball of diameter c, the sensitivity: the one around c v / 2.
    """
    mechanism = Mechanism(UniformIndex(n, "ball" if k == 1 else "diameter"), T, sensitivity)
    return smallest_std(mechanism, epsilon, delta, certify=certify, progress=progress)


def vrpca_account(
    epsilon: float,
    delta: float,
    n: int,
    steps: int,
    sensitivity: float,
    k: int,
    sign: Literal[-1, 1],
    certify: bool | None = None,
) -> Account:
    """Return the account of Algorithm 2 with the smallest noise that it allows; `certify` is that of `smallest_std`.

    `sensitivity` is the largest L2 change of x x^T V c for orthonormal V when x is replaced, `sign` that of the full gradient.
    """
    shape: Literal["ball", "diameter"] = "ball" if k == 1 else "diameter"
    return smallest_std(VarianceReduced(n, steps, sensitivity, shape, sign=sign), epsilon, delta, certify=certify)
