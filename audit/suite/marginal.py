"""Algorithms whose secret draws are summed out, so that transcript audits of them have no secrets.

DP-SPCA and DP-VRPCA draw an index i uniformly in each step and use it once, in the mean h_i of a Gaussian release.
Given everything before the step, i is independent of it, so the release has the density
    (1/n) sum_i N(g; h_i, std^2 I),
whatever the index was before and will be after. The functions below release g from that mixture instead; everything
else is computed from the releases and public draws as in the algorithm. By induction over the steps, public draws,
releases and output have the same joint law, for every dataset (tests/suite/test_marginal.py: the likelihood of a tape is
the mean of the algorithm's own over all sequences of indices). So every bound for one is a bound for the other.

DP-SGD draws each row with a probability of its own. On a dataset whose rows are zero but for the first, only whether that one
is drawn counts, and each step's release is a mixture of two Gaussians, whose weights are that probability and the rest.

Private Oja draws an order of its records. On a dataset whose records are all alike but for the first, only the place s of
that one counts, and p(g_1, ..., g_t | s) is prod_u p(g_u; others) times p(g_s; first) / p(g_s; others) if s <= t. So given
g_1, ..., g_(t-1) the place is t with probability 1 / (n - t + 1 + the sum of those ratios over the earlier steps), and g_t
comes from a mixture of two Gaussians with these weights.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from dppca.reference.baselines.dp_sgd import DPSGDCalibration
from dppca.reference.liu2022.data import clip, gradients, normalise
from dppca.reference.liu2022.private_update import ClippedNoise
from dppca.reference.noise import Algorithm, Array, GaussianLaw, Noise, ReleaseLaw, Role
from dppca.reference.primitives.orthonormal import polar_factor
from dppca.reference.shang2021.algorithm_2_dp_vrpca import VarianceReducedCalibration
from dppca.reference.shang2021.calibration import NoiseCalibration

Matrix = NDArray[np.float64]


@dataclass(frozen=True)
class GaussianMixtureLaw(ReleaseLaw):
    """The law of one of the means in a value (n, ...), drawn uniformly, plus N(0, std^2 I); L2 sensitivity, per mean."""

    std: float
    kind: ClassVar[str] = "gaussian_mixture"
    norm: ClassVar[str] = "largest l2"

    def draw_shape(self, value: Array) -> tuple[int, ...]:
        return (1 + math.prod(value.shape[1:]),)

    def draw(self, value: Array, rng: np.random.Generator) -> Array:
        return np.concatenate([rng.random(1), rng.standard_normal(math.prod(value.shape[1:]))])

    def apply(self, value: Array, draw: Array) -> Any:
        return value[int(draw[0] * len(value))] + self.std * draw[1:].reshape(value.shape[1:])

    def can_release(self, value: Array, released: Any) -> bool:
        return bool(released is not None and np.shape(released) == value.shape[1:])

    def log_likelihood(self, value: Array, released: Any) -> float:
        parts = self.log_parts(value, released)
        top = float(parts.max())
        return top + math.log(float(np.mean(np.exp(parts - top))))

    def log_parts(self, value: Array, released: Any) -> Array:
        """Return the log-density of the release given each of the means, shape (n,)."""
        z = (np.asarray(released, dtype=float) - value).reshape(len(value), -1) / self.std
        log_constant = z.shape[1] * (0.5 * math.log(2.0 * math.pi) + math.log(self.std))
        return np.asarray(-0.5 * np.sum(z * z, axis=1) - log_constant)

    def change(self, value: Array, other: Array) -> float:
        return float(np.max(np.linalg.norm((value - other).reshape(len(value), -1), axis=1)))


@dataclass(frozen=True)
class TwoMeansLaw(GaussianMixtureLaw):
    """The law of the first of two means in a value (2, ...) with probability `share`, else the second, plus N(0, std^2 I)."""

    share: float
    kind: ClassVar[str] = "two_means"

    def apply(self, value: Array, draw: Array) -> Any:
        return value[0 if draw[0] < self.share else 1] + self.std * draw[1:].reshape(value.shape[1:])

    def log_likelihood(self, value: Array, released: Any) -> float:
        first, second = self.log_parts(value, released).tolist()
        rest = second + math.log1p(-self.share) if self.share < 1.0 else -math.inf
        return float(np.logaddexp(first + math.log(self.share), rest))


def dp_spca(X: Matrix, step_sizes: Sequence[float], calibration: NoiseCalibration, noise: Noise) -> Matrix:
    """Run `dppca.reference.shang2021.algorithm_1_dp_spca.dp_spca` with its indices summed out; arguments as there."""
    V = polar_factor(noise.public_normal("v[0]", (X.shape[1], calibration.k)))
    for t, eta in enumerate(step_sizes, start=1):
        means = -calibration.gradient_factor * _row_products(X, V)
        V = polar_factor(V - eta * _noisy(f"g[{t}]", means, calibration, noise))
    return V


def dp_vrpca(X: Matrix, eta: float, calibration: VarianceReducedCalibration, noise: Noise) -> Matrix:
    """Run `dppca.reference.shang2021.algorithm_2_dp_vrpca.dp_vrpca` with its indices summed out; arguments as there."""
    c = calibration.gradient_factor
    V_tilde = polar_factor(noise.public_normal("v[0]", (X.shape[1], calibration.k)))
    for s in range(1, calibration.m + 1):
        full_gradient = calibration.full_gradient_sign * c * (X.T @ (X @ V_tilde)) / len(X)
        V = V_tilde
        for t in range(1, calibration.T + 1):
            means = -c * _row_products(X, V - V_tilde) + full_gradient
            V = polar_factor(V - eta * _noisy(f"g[{s},{t}]", means, calibration, noise))
        V_tilde = V
    return V_tilde


def dp_sgd(X: Matrix, lot: float, step_sizes: Sequence[float], calibration: DPSGDCalibration, noise: Noise) -> Matrix:
    """Run `dppca.reference.baselines.dp_sgd.dp_sgd` with its samples summed out; arguments as there.

    Raises:
        ValueError: a row after the first that is not zero.
    """
    if np.any(X[1:] != 0.0):
        raise ValueError("X must be zero but for its first row")
    V = polar_factor(noise.public_normal("theta[0]", (X.shape[1], calibration.k)))
    law = TwoMeansLaw(calibration.std, calibration.rate)
    for t, eta in enumerate(step_sizes, start=1):
        gradient = -np.outer(X[0], X[0] @ V)
        clipped = gradient / max(1.0, float(np.linalg.norm(gradient)) / calibration.C)
        means = np.stack([clipped, np.zeros_like(clipped)])
        V = polar_factor(V - eta * noise.release(f"g[{t}]", means, law, sensitivity=calibration.C) / lot)
    return V


def private_oja(A: Matrix, step_sizes: Sequence[float], calibration: ClippedNoise, noise: Noise) -> Matrix:
    """Run `dppca.reference.liu2022.algorithm_2_private_oja.private_oja` with its order summed out; arguments as there.

    Raises:
        ValueError: fewer than two records, or two of those after the first that differ.
    """
    n = len(A)
    if n < 2 or np.any(A[1:] != A[1]):
        raise ValueError("A must have two records or more, all alike but for the first")
    w = normalise(noise.public_normal("w[0]", (A.shape[1],)))
    earlier = 0.0  # sum of the ratios p(g_s; first) / p(g_s; others) over the steps s before t
    for t, eta in enumerate(step_sizes, start=1):
        means = clip(gradients(A[:2], w), calibration.beta)
        law = TwoMeansLaw(2.0 * calibration.beta * calibration.alpha, 1.0 / (n - t + 1 + earlier))
        g = noise.release(f"g[{t}]", means, law, sensitivity=2.0 * calibration.beta)
        first, other = law.log_parts(means, g).tolist()
        earlier += math.exp(first - other)
        w = normalise(w + eta * g)
    return w


def _row_products(X: Matrix, V: Matrix) -> Matrix:
    """Return x_i x_i^T V for every row, shape (n, d, k)."""
    return X[:, :, np.newaxis] * (X @ V)[:, np.newaxis, :]


def _noisy(name: str, means: Matrix, calibration: NoiseCalibration, noise: Noise) -> Matrix:
    """Return the release; a mixture of one part is a Gaussian, for which the auditor can draw rare transcripts."""
    law: ReleaseLaw = GaussianMixtureLaw(calibration.std)
    if len(means) == 1:
        law, means = GaussianLaw(calibration.std), means[0]
    released: Matrix = noise.release(name, means, law, sensitivity=calibration.sensitivity)
    return released


class _Given(Noise):
    """A seam that is another one with some draws, on which no data bear, given: (name, law, shape) -> value or None."""

    def __init__(self, inner: Noise, value: Callable[[str, str, tuple[int, ...]], Array | None]) -> None:
        super().__init__()
        self._inner = inner
        self._value = value

    def _independent(self, role: Role, name: str, law: str, shape: tuple[int, ...]) -> Array:
        value = self._value(name, law, shape)
        return self._inner._independent(role, name, law, shape) if value is None else value

    def _release(self, name: str, value: Array, law: ReleaseLaw, sensitivity: float) -> Any:
        return self._inner._release(name, value, law, sensitivity)


def with_start(algorithm: Algorithm[Any], start: Matrix) -> Algorithm[Any]:
    """Return the algorithm from a given start: the value of its one public normal draw, shape (d, k)."""

    def value(name: str, law: str, shape: tuple[int, ...]) -> Array | None:  # noqa: ARG001
        if law != "normal":
            return None
        if shape != start.shape:
            raise ValueError(f"start must have shape {shape}, got {start.shape}")
        return start.copy()

    return lambda data, noise: algorithm(data, _Given(noise, value))


def given(algorithm: Algorithm[Any], draws: Mapping[str, Callable[[tuple[int, ...]], Array]]) -> Algorithm[Any]:
    """Return the algorithm given some of its public or secret draws, by name: shape -> value."""

    def value(name: str, law: str, shape: tuple[int, ...]) -> Array | None:  # noqa: ARG001
        return np.asarray(draws[name](shape)) if name in draws else None

    return lambda data, noise: algorithm(data, _Given(noise, value))
