"""What the calibrations of both algorithms return, and their accounts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from dppca.reference.accounting import NOT_CERTIFIED, Mechanism, UniformIndex, smallest_std
from dppca.reference.accounting.variance_reduced import VarianceReduced, variance_reduced_std
from dppca.reference.declaration import TheoremCondition


@dataclass(frozen=True)
class NoiseCalibration:
    """The noise of one noisy gradient.

    `std` is lambda, per coordinate; `steps` the number of noisy gradients in all (T, or T m); `gradient_factor`
    the c in grad f_i(v) = -c x_i x_i^T v; `sensitivity` the largest L2 change of a gradient, index and iterates
    held fixed, when the row that it uses is replaced; `conditions` what the theorem asks for (empty where the noise
    comes from the account).
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
    conditions: tuple[TheoremCondition, ...]
    assumptions: tuple[str, ...]
    sizes: Mapping[str, int]

    @property
    def conditions_hold(self) -> bool:
        """Return whether every condition of the theorem holds."""
        return all(condition.holds for condition in self.conditions)


def spca_std(epsilon: float, delta: float, n: int, T: int, sensitivity: float, k: int) -> tuple[float, tuple[str, ...]]:
    """Return the smallest noise of T steps of Algorithm 1 that the account allows, and what that rests on.

    For k = 1 the gradients c x (x . v) over the unit ball lie in a ball of diameter c, the sensitivity: the one around c v / 2.
    """
    found = smallest_std(Mechanism(UniformIndex(n, "ball" if k == 1 else "diameter"), T, sensitivity), epsilon, delta)
    return found.std, () if found.certified else (NOT_CERTIFIED,)


def vrpca_std(
    epsilon: float, delta: float, n: int, steps: int, sensitivity: float, k: int, sign: Literal[-1, 1]
) -> tuple[float, tuple[str, ...]]:
    """Return the smallest noise of Algorithm 2 that the account allows, and what that rests on.

    `sensitivity` is the largest L2 change of x x^T V c for orthonormal V when x is replaced, `sign` that of the full gradient.
    """
    shape: Literal["ball", "diameter"] = "ball" if k == 1 else "diameter"
    found = variance_reduced_std(VarianceReduced(n, steps, sensitivity, shape, sign=sign), epsilon, delta)
    return found.std, () if found.certified else (NOT_CERTIFIED,)
