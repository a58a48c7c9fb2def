"""Truncated Laplace noise: its law, its support bound, its exact privacy profile, and an integer variant.

The density is proportional to exp(-|x| / scale) on [-bound, bound] (Geng, Ding, Guo, Kumar 2020).

Guarantee. Let A = bound and a = exp(-A / scale). Shift the law by D, 0 < D <= A. Where both densities are
positive their ratio is at most e^(D / scale); the mass that only one of them has is

    F(D - A) = (e^(D / scale) - 1) / (2 (1/a - 1)).                                                    (1)

With scale = Delta / epsilon this is <= delta at D = Delta exactly when
A >= (Delta / epsilon) ln(1 + (e^epsilon - 1) / (2 delta)); then A >= Delta as long as delta <= 1/2.
Independent noise on several entries whose shifts sum to Delta in L1 has the same guarantee: the ratio is at most
e^epsilon, and (1) is superadditive in D, so the union bound over the entries stays below (1) at D = Delta.
Claims: primitives.truncated-laplace, singhal2021.truncated-laplace-bound.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from dppca.reference.noise import Array, ReleaseLaw, is_uniform
from dppca.reference.rigour.divergence import hockey_stick
from dppca.reference.rigour.outwards import OUTWARDS
from dppca.reference.rigour.validation import check_delta_to_half, check_epsilon, check_positive


def support_bound(epsilon: float, delta: float, sensitivity: float) -> float:
    """Return the smallest bound that gives (epsilon, delta)-DP at scale sensitivity / epsilon; delta in (0, 1/2].

    (Delta / epsilon) ln(1 + (e^epsilon - 1) / (2 delta)), in a form that cannot overflow, rounded up.
    """
    check_epsilon(epsilon)
    check_positive("sensitivity", sensitivity)
    check_delta_to_half(delta)
    return sensitivity * (1.0 + math.log1p(-math.expm1(-epsilon) * (0.5 / delta - 1.0)) / epsilon) * OUTWARDS


def logarithmic_bound(epsilon: float, delta: float, sensitivity: float) -> float:
    """Return Delta ln(1/delta) / epsilon: at least `support_bound` exactly when e^epsilon <= 3 - 2 delta."""
    check_epsilon(epsilon)
    check_positive("sensitivity", sensitivity)
    check_delta_to_half(delta)
    return sensitivity * math.log(1.0 / delta) / epsilon * OUTWARDS


def cdf(x: NDArray[np.float64], scale: float, bound: float) -> NDArray[np.float64]:
    """Return P(noise <= x), of the shape of x."""
    y = np.clip(x, -bound, bound)
    tail = np.exp(-bound / scale) * np.expm1((bound - np.abs(y)) / scale) / (-2.0 * math.expm1(-bound / scale))
    return np.asarray(np.where(y <= 0.0, tail, 1.0 - tail))


def profile(epsilon: float, shift: float, scale: float, bound: float) -> float:
    """Return the smallest delta at this epsilon (>= 0) between the law and its shift by `shift` (> 0).

    sup_E P(E) - e^epsilon Q(E) is attained on {noise <= x}: everything below shift - bound is P's alone, and
    the ratio e^((|y - shift| - |y|) / scale) falls below e^epsilon at y = (shift - epsilon scale) / 2.
    """
    check_positive("shift", shift)
    x = shift - bound
    if epsilon < shift / scale:
        x = max(x, 0.5 * (shift - epsilon * scale))
    p, q = cdf(np.array([x, x - shift]), scale, bound)
    return float(p - math.exp(epsilon) * q) if q > 0.0 else float(p)


@dataclass(frozen=True)
class TruncatedLaplaceLaw(ReleaseLaw):
    """The law of value + truncated Laplace noise in every entry; sensitivity in the L1 norm.

    The standard draw is uniform on [0, 1), and is mapped by the inverse distribution function.
    """

    scale: float
    bound: float
    kind: ClassVar[str] = "truncated_laplace"
    norm: ClassVar[str] = "l1"

    def __post_init__(self) -> None:
        check_positive("scale", self.scale)
        check_positive("bound", self.bound)

    def draw(self, value: Array, rng: np.random.Generator) -> Array:
        return np.asarray(rng.random(value.shape))

    def can_draw(self, draw: Array) -> bool:
        return is_uniform(draw)

    def apply(self, value: Array, draw: Array) -> Any:
        return (value + self.noise(draw))[()]

    def noise(self, draw: Array) -> NDArray[np.float64]:
        """Return the noise that a uniform draw stands for, within [-bound, bound] also after rounding."""
        signed = 2.0 * draw - 1.0
        size = -self.scale * np.log1p(np.abs(signed) * math.expm1(-self.bound / self.scale))
        return np.asarray(np.copysign(np.minimum(size, self.bound), signed))

    def log_likelihood(self, value: Array, released: Any) -> float:
        z = np.abs(np.asarray(released, dtype=float) - value)
        if np.any(z > self.bound):
            return -math.inf
        log_mass = math.log(2.0 * self.scale) + math.log(-math.expm1(-self.bound / self.scale))
        return float(-np.sum(z) / self.scale - z.size * log_mass)

    def change(self, value: Array, other: Array) -> float:
        return float(np.sum(np.abs(value - other)))


@dataclass(frozen=True)
class DiscreteTruncatedLaplace:
    """The law of integer noise on -bound..bound with mass proportional to ratio^(-|x|), in exact fractions.

    `ratio` (> 1) stands for e^(1 / scale): with scale = Delta / epsilon, e^epsilon = ratio^Delta.
    """

    ratio: Fraction
    bound: int

    def __post_init__(self) -> None:
        if not (isinstance(self.ratio, Fraction) and self.ratio > 1):
            raise ValueError(f"ratio must be a Fraction > 1, got {self.ratio!r}")
        if not (isinstance(self.bound, int) and self.bound >= 1):
            raise ValueError(f"bound must be an integer >= 1, got {self.bound!r}")

    @cached_property
    def mass(self) -> Mapping[int, Fraction]:
        """Return P(noise = x) for every x of the support, in increasing order."""
        weights = {x: self.ratio ** -abs(x) for x in range(-self.bound, self.bound + 1)}
        total = sum(weights.values())
        return {x: weight / total for x, weight in weights.items()}

    @cached_property
    def _cumulative(self) -> Mapping[int, Fraction]:
        total = Fraction(0)
        return {x: (total := total + mass) for x, mass in self.mass.items()}

    def cdf(self, x: Fraction | int) -> Fraction:
        """Return P(noise <= x)."""
        if x < -self.bound:
            return Fraction(0)
        return self._cumulative[min(math.floor(x), self.bound)]

    def profile(self, e_epsilon: Fraction, shift: int) -> Fraction:
        """Return the smallest delta at epsilon = ln(e_epsilon) between the law and its shift, an exact fraction."""
        shifted = {x + shift: mass for x, mass in self.mass.items()}
        return hockey_stick(self.mass, shifted, e_epsilon)
