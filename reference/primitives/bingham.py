"""The Bingham law on the unit sphere: density proportional to exp(v^T M v), its normaliser, an exact sampler.

Normaliser. With respect to the uniform probability on the sphere of R^d the integral of exp(v^T M v) is
1F1(1/2; d/2; M). Integrating exp(v^T M v - z |v|^2) over R^d in polar coordinates makes it an inverse Laplace
transform: with eigenvalues l_i of M and a contour that crosses the real axis to the right of all of them,
    1F1(1/2; d/2; M) = Gamma(d/2) / (2 pi i) * integral of e^z prod_i (z - l_i)^(-1/2) dz.
The contour is a parabola through the saddle point, opened until the integrand decreases along it, so nothing
cancels; the trapezoidal rule then converges geometrically. The logarithm is accurate to 1e-12 (or to 1e-15 of
the largest eigenvalue) for d <= 128 and eigenvalue ranges up to 1e7 (tests/primitives/test_bingham.py).

Sampler. Rejection from the angular central Gaussian (Kent, Ganeiban, Mardia 2018, A new unified approach for
the simulation of a wide class of directional distributions, section 3), which is exact.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import gammaln

from dppca.reference.noise import Array, ReleaseLaw, is_uniform

#: Trapezoidal step in units of the saddle's width, and where the integrand (over its peak) counts as zero.
_STEP = 0.05
_NEGLIGIBLE_LOG = -40.0
#: A release must be a unit vector up to this error of its norm.
UNIT_SLACK = 1e-9
#: Proposals on a tape, per sqrt(d). The acceptance probability is smallest where the law is concentrated,
#: sqrt(2 / (e d)) = 0.857 / sqrt(d), so all are refused with probability below exp(-109).
PROPOSALS_PER_ROOT = 128


def log_normaliser(matrix: NDArray[np.float64]) -> float:
    """Return the logarithm of the mean of exp(v^T M v) over the unit sphere of R^d, for a symmetric M (d, d)."""
    eigenvalues = np.linalg.eigvalsh(matrix)
    top = float(eigenvalues[-1])
    gaps = np.asarray(top - eigenvalues, dtype=np.float64)  # >= 0; shifting M by -top I divides the integral by e^top
    d = len(gaps)
    c = _root(lambda z: 0.5 * float(np.sum(1.0 / (z + gaps))) - 1.0, 0.5, 0.5 * d)
    curvature = 0.5 * float(np.sum((c + gaps) ** -2.0))
    width = curvature**-0.5
    bend = float(np.sum((c + gaps) ** -3.0)) / (6.0 * curvature) * width**2  # steepest descent, to third order
    peak = c - 0.5 * float(np.sum(np.log(c + gaps)))
    while True:
        t = np.arange(0.0, _reach(c + gaps, width, bend), _STEP)
        z = c + 1j * width * t - bend * t * t
        exponent = z - 0.5 * np.sum(np.log(z[:, np.newaxis] + gaps), axis=1) - peak
        if np.all(np.diff(exponent.real) <= 0.0):
            break
        bend *= 0.5
    values = np.exp(exponent) * (width + 2j * bend * t)  # dz / (i dt); the lower half is its conjugate
    integral = _STEP * (2.0 * float(np.sum(values.real)) - float(values[0].real))
    return top + float(gammaln(0.5 * d)) + peak + math.log(integral / (2.0 * math.pi))


def _reach(distances: NDArray[np.float64], width: float, bend: float) -> float:
    """Return a t from which on the integrand is negligible: |z + gap| >= width t bounds it by a decreasing function."""
    t = 1.0
    while -bend * t * t + 0.5 * float(np.sum(np.log(np.maximum(1.0, distances / (width * t))))) > _NEGLIGIBLE_LOG:
        t *= 1.25
    return t


def envelope(gaps: NDArray[np.float64]) -> tuple[float, float]:
    """Return (b, log bound) of the angular central Gaussian envelope of exp(-sum_i gaps_i v_i^2), gaps >= 0, one of them 0.

    b solves sum_i 1 / (b + 2 gaps_i) = 1. With Omega = I + 2 diag(gaps) / b the bound is the supremum of
    exp(-v^T diag(gaps) v) (v^T Omega v)^(d/2) over the sphere: exp(-(d - b) / 2) (d / b)^(d / 2).
    """
    d, twice = len(gaps), 2.0 * gaps
    b = _root(lambda z: float(np.sum(1.0 / (z + twice))) - 1.0, 1.0, float(d))
    return b, -0.5 * (d - b) + 0.5 * d * math.log(d / b)


def log_acceptance(matrix: NDArray[np.float64]) -> float:
    """Return the logarithm of the probability that the sampler accepts a proposal, exactly."""
    eigenvalues = np.linalg.eigvalsh(matrix)
    gaps = eigenvalues[-1] - eigenvalues
    b, log_bound = envelope(gaps)
    return log_normaliser(-np.diag(gaps)) + 0.5 * float(np.sum(np.log1p(2.0 * gaps / b))) - log_bound


@dataclass(frozen=True)
class BinghamLaw(ReleaseLaw):
    """The law of a unit vector v with density exp(multiplier * v^T A v) / c, for a symmetric value A (d, d).

    The density is with respect to the uniform probability on the sphere. Sensitivity: the largest change of the
    score v^T A v over unit v, which is the spectral norm of the change of A. The standard draw is a table of
    proposals, shape (N, d + 1) with N = PROPOSALS_PER_ROOT ceil(sqrt(d)): d standard normals and one uniform.
    """

    multiplier: float
    kind: ClassVar[str] = "bingham"
    norm: ClassVar[str] = "spectral"

    def __post_init__(self) -> None:
        if not 0.0 < self.multiplier < math.inf:
            raise ValueError(f"multiplier must be finite and > 0, got {self.multiplier!r}")

    def draw_shape(self, value: Array) -> tuple[int, ...]:
        if value.ndim != 2 or value.shape[0] != value.shape[1] or value.shape[0] == 0:
            raise ValueError(f"value must be a square matrix, got shape {value.shape}")
        d = value.shape[0]
        return (PROPOSALS_PER_ROOT * (math.isqrt(d - 1) + 1), d + 1)

    def draw(self, value: Array, rng: np.random.Generator) -> Array:
        rows, columns = self.draw_shape(value)
        return np.column_stack([rng.standard_normal((rows, columns - 1)), rng.random(rows)])

    def can_draw(self, draw: Array) -> bool:
        return super().can_draw(draw) and is_uniform(draw[:, -1])

    def apply(self, value: Array, draw: Array) -> Any:
        eigenvalues, basis = np.linalg.eigh(self.multiplier * value)
        gaps = eigenvalues[-1] - eigenvalues
        b, log_bound = envelope(gaps)
        d = len(gaps)
        # In eigencoordinates. The symmetric root of Omega^-1 makes the proposals independent of the basis's signs.
        proposals = (draw[:, :d] @ basis) / np.sqrt(1.0 + 2.0 * gaps / b)
        squares = proposals**2 / np.sum(proposals**2, axis=1, keepdims=True)
        exponent = squares @ gaps
        log_ratio = -exponent + 0.5 * d * np.log1p(2.0 * exponent / b) - log_bound
        accepted = np.flatnonzero(draw[:, d] < np.exp(log_ratio))
        if accepted.size == 0:
            raise RuntimeError(f"none of {len(draw)} proposals was accepted, an event of probability below exp(-109)")
        first = proposals[accepted[0]]
        return basis @ (first / np.linalg.norm(first))

    def can_release(self, value: Array, released: Any) -> bool:
        return np.shape(released) == value.shape[:1] and abs(float(np.linalg.norm(released)) - 1.0) <= UNIT_SLACK

    def log_likelihood(self, value: Array, released: Any) -> float:
        if not self.can_release(value, released):
            return -math.inf
        v = np.asarray(released, dtype=float)
        return self.multiplier * float(v @ value @ v) - log_normaliser(self.multiplier * value)

    def change(self, value: Array, other: Array) -> float:
        return float(np.linalg.norm(value - other, 2))


def _root(function: Callable[[float], float], low: float, high: float) -> float:
    """Return the root of a decreasing function in [low, high]; an end where rounding hides the change of sign."""
    if function(low) <= 0.0:
        return low
    if function(high) >= 0.0:
        return high
    return float(brentq(function, low, high, xtol=1e-15, rtol=4.0 * 2.0**-52))
