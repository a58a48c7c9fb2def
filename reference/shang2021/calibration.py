"""What the calibrations of both algorithms return, and their accounts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from dppca.reference.accounting import Account, Mechanism, UniformIndex, smallest_std
from dppca.reference.accounting.certificates import Progress
from dppca.reference.accounting.search import AnyCertificate
from dppca.reference.accounting.variance_reduced import (
    VarianceReduced,
    VarianceReducedAccount,
    VarianceReducedCertificate,
    variance_reduced_std,
)
from dppca.reference.declaration import TheoremCondition


@dataclass(frozen=True)
class NoiseCalibration:
    """The noise of one noisy gradient.

    `std` is lambda, per coordinate; `steps` the number of noisy gradients in all (T, or T m); `gradient_factor`
    the c in grad f_i(v) = -c x_i x_i^T v; `sensitivity` the largest L2 change of a gradient, index and iterates
    held fixed, when the row that it uses is replaced; `conditions` what the theorem asks for (empty where the noise
    comes from the account); `certificate` proves that this std is enough: None where it is the printed one, or a float
    estimate, which `assumptions` then say. `certificate.to_json()` is read by `accounting.read_certificate`.
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
    certificate: AnyCertificate | VarianceReducedCertificate | None = field(repr=False)

    @property
    def certified(self) -> bool:
        """Whether it has been proved that the noise is enough."""
        return self.certificate is not None

    @property
    def conditions_hold(self) -> bool:
        """Return whether every condition of the theorem holds."""
        return all(condition.holds for condition in self.conditions)


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
) -> VarianceReducedAccount:
    """Return the account of Algorithm 2 with the smallest noise that it allows; `certify` is that of `smallest_std`.

    `sensitivity` is the largest L2 change of x x^T V c for orthonormal V when x is replaced, `sign` that of the full gradient.
    """
    shape: Literal["ball", "diameter"] = "ball" if k == 1 else "diameter"
    return variance_reduced_std(VarianceReduced(n, steps, sensitivity, shape, sign=sign), epsilon, delta, certify=certify)
