"""Algorithms that take noisy steps from a random start, for many trials at once.

shang2021 Algorithms 1 and 2 (DP-SPCA, DP-VRPCA), the private power method of hardt2014, and liu2022 Algorithm 2 (private
Oja): the same quantities as the reference's, line by line, with the trials as the first axis.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Self

import numpy as np
from array_api_compat import array_namespace
from numpy.typing import ArrayLike, NDArray

from dppca.audit.batched.base import Array, Batched
from dppca.reference.baselines.noisy_power_method import PowerCalibration
from dppca.reference.liu2022.data import check_data
from dppca.reference.liu2022.private_update import ClippedNoise
from dppca.reference.noise import Tape
from dppca.reference.rigour.validation import check_positive, check_step_sizes, check_unit_rows
from dppca.reference.shang2021.algorithm_2_dp_vrpca import VarianceReducedCalibration
from dppca.reference.shang2021.calibration import NoiseCalibration


class Draws(NamedTuple):
    """The draws of trials; all arrays belong to one array library.

    Attributes:
        start: standard normal, (trials, d, k).
        records: which record a step uses, integers in 0..n-1, (trials, steps); no columns where a step uses all.
        noise: standard normal, (trials, steps, d, k).
    """

    start: Array
    records: Array
    noise: Array


@dataclass(frozen=True, kw_only=True)
class NoisySteps(Batched):
    """A base for steps with noisy releases, from a random start; with `start`, (d, k), from that one in all trials."""

    start: NDArray[np.float64] | None = field(default=None, compare=False)

    @property
    @abstractmethod
    def sizes(self) -> tuple[int, int]:
        """Return the number of steps, and k."""

    @abstractmethod
    def records(self, n: int, trials: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return which of n records each step uses, (trials, steps), drawn afresh; no columns where a step uses all."""

    def numbers(self, data: Any) -> int:
        """Return how many numbers the noise of a trial has."""
        return self.sizes[0] * self.sizes[1] * int(np.shape(data)[1])

    def draw(self, data: Any, trials: int, rng: np.random.Generator) -> Draws:
        """Return the draws that the trials will use."""
        (steps, k), (n, d) = self.sizes, np.shape(data)[:2]
        if self.start is not None and self.start.shape != (d, k):
            raise ValueError(f"start must have shape {(d, k)}, got {self.start.shape}")
        start = rng.standard_normal((trials, d, k)) if self.start is None else np.tile(self.start, (trials, 1, 1))
        return Draws(start, self.records(n, trials, rng), rng.standard_normal((trials, steps, d, k)))

    def draws_of(self, data: Any, tapes: Sequence[Tape]) -> Draws:
        """Return the draws of the reference's tapes."""
        (steps, k), d = self.sizes, np.shape(data)[1]
        of = {
            role: [[entry.draw for entry in tape.entries if entry.role == role] for tape in tapes]
            for role in ("public", "secret", "release")
        }
        secrets = [np.concatenate([np.ravel(draw) for draw in draws]) if draws else np.zeros(0) for draws in of["secret"]]
        return Draws(
            np.array(of["public"]).reshape(len(tapes), d, k),
            np.array(secrets, dtype=np.int64),
            np.array(of["release"]).reshape(len(tapes), steps, d, k),
        )


class _UniformRecords(NoisySteps):
    """A base for steps that each use one record, which is uniform."""

    calibration: NoiseCalibration | VarianceReducedCalibration

    @property
    def sizes(self) -> tuple[int, int]:
        """Return the number of steps, and k."""
        return self.calibration.steps, self.calibration.k

    def records(self, n: int, trials: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return the record that each step uses, drawn uniformly from n and independently, (trials, steps)."""
        return rng.integers(0, n, (trials, self.calibration.steps))


def _checked(name: str, data: Any, sizes: tuple[int | None, int]) -> NDArray[np.float64]:
    """Return the rows; ValueError unless they lie in the unit ball and are as many and as long as calibrated."""
    rows = check_unit_rows(name, data)
    n, d = sizes
    if d != rows.shape[1] or n not in (None, len(rows)):
        raise ValueError(f"{name} must have the calibrated {'' if n is None else f'n = {n} and '}d = {d}, got {rows.shape}")
    return rows


def _polar_factors(matrices: Array) -> Array:
    """Return V (V^T V)^(-1/2) of each V, shape (trials, d, k)."""
    if matrices.shape[2] == 1:
        return normalised(matrices[:, :, 0])[:, :, None]
    xp = array_namespace(matrices)
    left, _, right = xp.linalg.svd(matrices, full_matrices=False)
    return xp.matmul(left, right)


def normalised(w: Array) -> Array:
    """Return w / ||w||, squares in range; ValueError for a w that is 0 or not finite."""
    xp = array_namespace(w)
    largest = xp.max(xp.abs(w), axis=1)
    if not bool(xp.all((largest > 0.0) & (largest < math.inf))):
        raise ValueError("an iterate must be finite and not 0")
    scaled = w * xp.exp2(-xp.floor(xp.log2(largest)))[:, None] if hasattr(xp, "exp2") else w / largest[:, None]
    return scaled / xp.sqrt(xp.sum(scaled * scaled, axis=1))[:, None]


def qr_factors(matrices: Array) -> Array:
    """Return each V's columns made orthonormal, (trials, d, k): Gram-Schmidt, each against those before it, twice."""
    xp = array_namespace(matrices)
    basis: list[Array] = []
    for j in range(matrices.shape[2]):
        column = matrices[:, :, j]
        for other in basis * 2:
            column = column - other * xp.sum(other * column, axis=1)[:, None]
        basis.append(normalised(column))
    return xp.stack(basis, axis=2)


def _on_rows(x: Array, V: Array) -> Array:
    """Return x x^T V for each trial's row, (trials, d), and basis, (trials, d, k)."""
    xp = array_namespace(x)
    return x[:, :, None] * xp.matmul(x[:, None, :], V)


@dataclass(frozen=True)
class DPSPCA(_UniformRecords):
    """A batched implementation of shang2021, Algorithm 1."""

    calibration: NoiseCalibration
    step_sizes: tuple[float, ...]

    @classmethod
    def bind(cls, *, step_sizes: ArrayLike, calibrate: Callable[..., NoiseCalibration], choices: Any, **target: Any) -> Self:
        """Return the implementation, calibrated with the catalogue's arguments."""
        eta = tuple(check_step_sizes(step_sizes).tolist())
        return cls(calibrate(**target, T=len(eta), choices=choices), eta)

    def prepared(self, data: Any) -> NDArray[np.float64]:
        """Return the rows."""
        return _checked("X", data, (self.calibration.sizes["n"], self.calibration.sizes["d"]))

    def outputs(self, prepared: NDArray[np.float64], draws: Draws) -> Array:
        """Return V_T of every trial, shape (trials, d, k)."""
        of = self.calibration
        xp = array_namespace(draws.start)
        X = xp.asarray(prepared)
        V = _polar_factors(draws.start)
        for t, eta in enumerate(self.step_sizes):  # line 1
            x = xp.take(X, draws.records[:, t], axis=0)  # line 2
            noisy_gradient = -of.gradient_factor * _on_rows(x, V) + of.std * draws.noise[:, t, :, :]  # line 3
            V = _polar_factors(V - eta * noisy_gradient)  # lines 3 and 4
        return V


@dataclass(frozen=True)
class DPVRPCA(_UniformRecords):
    """A batched implementation of shang2021, Algorithm 2."""

    calibration: VarianceReducedCalibration
    eta: float

    @classmethod
    def bind(cls, *, eta: float, calibrate: Callable[..., VarianceReducedCalibration], choices: Any, **target: Any) -> Self:
        """Return the implementation, calibrated with the catalogue's arguments."""
        return cls(calibrate(**target, choices=choices), check_positive("eta", eta))

    def prepared(self, data: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the rows and their second moments."""
        rows = _checked("X", data, (self.calibration.sizes["n"], self.calibration.sizes["d"]))
        return rows, rows.T @ rows / len(rows)

    def outputs(self, prepared: tuple[NDArray[np.float64], NDArray[np.float64]], draws: Draws) -> Array:
        """Return V_T of the last epoch of every trial, shape (trials, d, k)."""
        of = self.calibration
        c = of.gradient_factor
        xp = array_namespace(draws.start)
        X, A = map(xp.asarray, prepared)
        V_tilde = _polar_factors(draws.start)
        for s in range(of.m):  # line 1
            mu_tilde = of.full_gradient_sign * c * xp.matmul(A, V_tilde)  # line 2
            V = V_tilde  # line 3
            for t in range(s * of.T, (s + 1) * of.T):  # line 4
                x = xp.take(X, draws.records[:, t], axis=0)  # line 5
                gradient = -c * _on_rows(x, V) + c * _on_rows(x, V_tilde) + mu_tilde
                g = gradient + of.std * draws.noise[:, t, :, :]  # line 6
                V = _polar_factors(V - self.eta * g)  # lines 7 and 8
            V_tilde = V  # line 10
        return V_tilde


@dataclass(frozen=True)
class NoisyPowerMethod(NoisySteps):
    """A batched implementation of hardt2014, Figure 3."""

    calibration: PowerCalibration

    @classmethod
    def bind(cls, *, calibrate: Callable[..., PowerCalibration], choices: Any, **target: Any) -> Self:
        """Return the implementation, calibrated with the catalogue's arguments."""
        return cls(calibrate(**target, choices=choices))

    @property
    def sizes(self) -> tuple[int, int]:
        """Return L and k."""
        return self.calibration.L, self.calibration.k

    def records(self, n: int, trials: int, rng: np.random.Generator) -> NDArray[np.int64]:  # noqa: ARG002 - one interface
        """Return an array of no columns, (trials, 0): every step uses all records."""
        return np.zeros((trials, 0), dtype=np.int64)

    def prepared(self, data: Any) -> NDArray[np.float64]:
        """Return X^T X."""
        rows = _checked("X", data, (None, self.calibration.sizes["d"]))
        return np.asarray(rows.T @ rows)

    def outputs(self, prepared: NDArray[np.float64], draws: Draws) -> Array:
        """Return X_L of every trial, shape (trials, d, k)."""
        of = self.calibration
        xp = array_namespace(draws.start)
        A = xp.asarray(prepared)
        basis = qr_factors(draws.start)  # line 1
        for step in range(of.L):  # line 2
            scale = xp.max(xp.abs(basis), axis=(1, 2)) if of.scaling == "largest-entry" else xp.ones(basis.shape[0])
            Y = xp.matmul(A, basis) + of.multiplier * scale[:, None, None] * draws.noise[:, step, :, :]  # line 3
            basis = qr_factors(Y)  # line 4
        return basis


@dataclass(frozen=True)
class PrivateOja(NoisySteps):
    """A batched implementation of liu2022, Algorithm 2."""

    calibration: ClippedNoise
    step_sizes: tuple[float, ...]

    @classmethod
    def bind(cls, *, step_sizes: ArrayLike, calibrate: Callable[..., ClippedNoise], choices: Any, **target: Any) -> Self:
        """Return the implementation, calibrated with the catalogue's arguments."""
        calibration = calibrate(**target, choices=choices)
        return cls(calibration, tuple(check_step_sizes(step_sizes, calibration.n).tolist()))

    @property
    def sizes(self) -> tuple[int, int]:
        """Return n and 1: a step for each record, one direction."""
        return self.calibration.n, 1

    def records(self, n: int, trials: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return all records of each trial in an order that is uniform, (trials, n)."""
        return rng.permuted(np.tile(np.arange(n), (trials, 1)), axis=1)

    def prepared(self, data: Any) -> NDArray[np.float64]:
        """Return the records."""
        of, A = self.calibration, check_data("A", data)
        if A.shape[:2] != (of.n, of.d):
            raise ValueError(f"A must have the calibrated n = {of.n} and d = {of.d}, got {A.shape}")
        return A

    def outputs(self, prepared: NDArray[np.float64], draws: Draws) -> Array:
        """Return w_n of every trial, shape (trials, d)."""
        of, A = self.calibration, prepared
        xp = array_namespace(draws.start)
        records = xp.asarray(A)
        w = normalised(draws.start[:, :, 0])  # line 1
        for t, eta in enumerate(self.step_sizes):  # line 4
            record = xp.take(records, draws.records[:, t], axis=0)
            g = _on_rows(record, w[:, :, None])[:, :, 0] if A.ndim == 2 else xp.matmul(record, w[:, :, None])[:, :, 0]
            length = xp.sqrt(xp.sum(g * g, axis=1))[:, None]
            g = xp.where(length > of.beta, g * (of.beta / xp.where(length > of.beta, length, math.inf)), g)
            w = normalised(w + eta * (g + 2.0 * of.beta * of.alpha * draws.noise[:, t, :, 0]))  # lines 6 and 7
        return w  # line 8
