"""Wishart noise on a symmetric matrix, and its exact privacy profile.

Why there is no pure guarantee. The noise is positive definite, so the release exceeds A, and it need not exceed another
dataset's A'. With W ~ W_d(d + 1, c I), density constant times exp(-tr(W) / (2 c)), and kappa = 1 / (2 c n): replace x by y.
Where both datasets can give the release, its loss is the constant L = kappa (|x|^2 - |y|^2). Only the first can
when W + (x x^T - y y^T) / n is not positive definite, which has probability p <= 1 - exp(-kappa |y|^2), with
equality for x = 0: for a unit u, 1 / (u^T W^-1 u) is c times a chi-square variable with 2 degrees of freedom.
So delta(epsilon) = p + (1 - p) max(0, 1 - exp(epsilon - L)) <= 1 - exp(-kappa) for every pair and epsilon >= 0,
with equality at x = 0, |y| = 1: the exact profile is 1 - exp(-1 / (2 c n)) for every epsilon >= 0 and every d.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.special import multigammaln

from dppca.reference.noise import Array, ReleaseLaw
from dppca.reference.rigour.validation import check_count, check_positive

#: A release may be asymmetric by rounding only, relative to its largest entry.
SYMMETRY_SLACK = 1e-9


@dataclass(frozen=True)
class WishartLaw(ReleaseLaw):
    """The law of a symmetric value A (d, d) plus W ~ W_d(d + 1, scale I); sensitivity in the nuclear norm.

    The density is with respect to Lebesgue measure on the upper triangle. The standard draw is a (d + 1, d)
    matrix G of standard normals, W = scale G^T G.
    """

    scale: float
    kind: ClassVar[str] = "wishart"
    norm: ClassVar[str] = "nuclear"

    def __post_init__(self) -> None:
        if not 0.0 < self.scale < math.inf:
            raise ValueError(f"scale must be finite and > 0, got {self.scale!r}")

    def draw_shape(self, value: Array) -> tuple[int, ...]:
        if value.ndim != 2 or value.shape[0] != value.shape[1]:
            raise ValueError(f"value must be a square matrix, got shape {value.shape}")
        return (value.shape[0] + 1, value.shape[0])

    def draw(self, value: Array, rng: np.random.Generator) -> Array:
        return np.asarray(rng.standard_normal(self.draw_shape(value)))

    def apply(self, value: Array, draw: Array) -> Any:
        return value + self.scale * (draw.T @ draw)

    def can_release(self, value: Array, released: Any) -> bool:
        if np.shape(released) != value.shape:
            return False
        largest = float(np.max(np.abs(released)))
        return bool(np.max(np.abs(released - released.T)) <= SYMMETRY_SLACK * largest < math.inf)

    def log_likelihood(self, value: Array, released: Any) -> float:
        W = np.asarray(released, dtype=float) - value
        if np.linalg.eigvalsh(W)[0] <= 0.0:
            return -math.inf
        d = len(W)
        log_constant = 0.5 * d * (d + 1) * math.log(2.0 * self.scale) + float(multigammaln(0.5 * (d + 1), d))
        return -0.5 * float(np.trace(W)) / self.scale - log_constant

    def change(self, value: Array, other: Array) -> float:
        return float(np.linalg.norm(value - other, "nuc"))


def exact_delta(n: int, scale: float) -> float:
    """Return the smallest delta of the noisy matrix's (epsilon, delta)-DP, replace-one; the same for every epsilon >= 0."""
    return -math.expm1(-1.0 / (2.0 * check_positive("scale", scale) * check_count("n", n)))
