"""Wishart mechanism (Jiang, Xie, Zhang, AAAI 2016; arXiv 1511.05680, Algorithm 1).

Guarantee claimed: (epsilon, 0)-DP of the noisy matrix; original relation: replace-one, n public, as here.
REFUTED: no scale makes it (epsilon, 0)-DP. Claims: jiang2016.theorem-pure, jiang2016.exact-profile.

Why. The noise is positive definite, so the release exceeds A, and it need not exceed another dataset's A'.
With W ~ W_d(d + 1, c I), density constant times exp(-tr(W) / (2 c)), and kappa = 1 / (2 c n): replace x by y.
Where both datasets can give the release, its loss is the constant L = kappa (|x|^2 - |y|^2). Only the first can
when W + (x x^T - y y^T) / n is not positive definite, which has probability p <= 1 - exp(-kappa |y|^2), with
equality for x = 0: for a unit u, 1 / (u^T W^-1 u) is c times a chi-square variable with 2 degrees of freedom.
So delta(epsilon) = p + (1 - p) max(0, 1 - exp(epsilon - L)) <= 1 - exp(-kappa) for every pair and epsilon >= 0,
with equality at x = 0, |y| = 1: the exact profile is 1 - exp(-1 / (2 c n)) for every epsilon >= 0 and every d.
With the printed scale c = 3 / (2 n epsilon) it is 1 - exp(-epsilon / 3), for every n.

Lines, numbered here:
  1  W ~ W_d(d + 1, C), all eigenvalues of C equal to 3 / (2 n epsilon)
  2  A_hat = X^T X / n + W
  3  the k leading eigenvectors of A_hat
Departures from print:
  D1 line 1, the scale: chosen so that delta(epsilon) = delta up to rounding upwards, the only guarantee that there is.

Symbols: X (n, d) rows in the unit ball; W, A_hat (d, d); c the scale; V_k (d, k).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import multigammaln

from dppca.reference.choices import Choice
from dppca.reference.noise import Array, Noise, ReleaseLaw
from dppca.reference.primitives import row_changes
from dppca.reference.primitives.inputs import check_count, check_unit_rows
from dppca.reference.primitives.subspaces import principal_subspace
from dppca.reference.primitives.validation import check_delta, check_epsilon, check_positive, check_subspace_dimension

#: The corrected scale overshoots the smallest sufficient one by this relative amount, more than its four roundings.
SCALE_MARGIN = 1e-14
#: A release may be asymmetric by rounding only, relative to its largest entry.
SYMMETRY_SLACK = 1e-9


@dataclass(frozen=True)
class WishartLaw(ReleaseLaw):
    """A symmetric value A (d, d) plus W ~ W_d(d + 1, scale I); sensitivity in the nuclear norm.

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


@dataclass(frozen=True)
class Choices:
    """The scale of the noise."""

    scale: Choice[Literal["pure", "support"]]


AS_PRINTED = Choices(scale=Choice("pure", "eigenvalues 3 / (2 n epsilon), claimed with delta = 0", "jiang2016.theorem-pure"))
CORRECTED = Choices(
    scale=Choice("support", "delta(epsilon) = 1 - exp(-1 / (2 c n)) for every epsilon >= 0", "jiang2016.exact-profile")
)


@dataclass(frozen=True)
class WishartCalibration:
    """The scale, the guarantee that is claimed for it, and the n that it is for."""

    epsilon: float
    delta: float
    n: int
    scale: float
    assumptions: tuple[str, ...]


def exact_delta(n: int, scale: float) -> float:
    """The smallest delta of the noisy matrix's (epsilon, delta)-DP, replace-one; the same for every epsilon >= 0."""
    return -math.expm1(-1.0 / (2.0 * check_positive("scale", scale) * check_count("n", n)))


def calibrate(epsilon: float, delta: float, n: int, choices: Choices = CORRECTED) -> WishartCalibration:
    """The scale of line 1.

    Args:
        epsilon: target epsilon > 0; the corrected scale does not depend on it.
        delta: target delta: 0 as printed, in (0, 1) as corrected.
        n: number of rows, >= 1.
        choices: AS_PRINTED or CORRECTED.

    Raises:
        ValueError: an argument outside its range.
    """
    check_epsilon(epsilon)
    check_count("n", n)
    if choices.scale.value == "pure":
        if delta != 0.0:
            raise ValueError(f"delta must be 0 as printed, got {delta!r}")
        scale = 3.0 / (2.0 * n * epsilon)  # line 1
    else:
        scale = -1.0 / (2.0 * n * math.log1p(-check_delta(delta))) * (1.0 + SCALE_MARGIN)  # line 1 (D1)
    assumptions = ("every row lies in the unit ball", "neighbours: replace-one", f"n = {n} is public")
    return WishartCalibration(epsilon, delta, n, scale, assumptions)


def wishart_mechanism(X: ArrayLike, k: int, calibration: WishartCalibration, noise: Noise) -> NDArray[np.float64]:
    """Wishart noise on X^T X / n, then its leading eigenvectors.

    Args:
        X: rows in the unit ball, shape (n, d).
        k: dimension of the subspace, 1 <= k <= d.
        calibration: what `calibrate` returned for this n.
        noise: the seam. Draws: the release "A_hat", X^T X / n, shape (d, d).

    Returns:
        Orthonormal basis of the estimated principal k-subspace, shape (d, k).

    Raises:
        ValueError: X is not finite or not (n, d), a row lies outside the unit ball, k not in 1..d.
    """
    rows = check_unit_rows("X", X)
    n, d = rows.shape
    check_subspace_dimension(k, d)
    A = rows.T @ rows / n
    A_hat = noise.release("A_hat", A, WishartLaw(calibration.scale), sensitivity=row_changes.nuclear(d) / n)  # line 1
    # line 2
    return principal_subspace(A_hat, k)  # line 3
