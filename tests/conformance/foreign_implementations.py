"""What tests/suite/test_implementations.py points `pytest audit/ --implementation` at: right, broken and malformed."""

from __future__ import annotations

import os
import time
from functools import cache
from types import SimpleNamespace
from typing import Any, Never

import numpy as np
from numpy.typing import NDArray

from dppca.reference.baselines import noisy_power_method
from dppca.reference.baselines.analyze_gauss import calibrate
from dppca.reference.catalog import ALGORITHMS
from dppca.reference.noise import Algorithm, GaussianLaw, ReleaseLaw, Sample

Matrix = NDArray[np.float64]
KEY = "baselines.analyze_gauss"
LOCAL = "wang2020.local_gaussian_mechanism"


@cache
def _std(epsilon: float, delta: float, d: int) -> float:
    """Return the noise of an upper triangle, which is the same in both algorithms."""
    return calibrate(epsilon, delta, d).std


class Lines:
    """Analyze Gauss, all trials at once; in the plane `shares` of the noise that entries 11, 12 and 22 need."""

    def __init__(self, *shares: float, target: tuple[float, float] | None = None) -> None:
        self._shares = np.array(shares)
        self._target = target

    def sample(
        self, data: Matrix, trials: int, rng: np.random.Generator, *, epsilon: float, delta: float, d: int, k: int
    ) -> Matrix:
        """Return directions, shape (trials, 2, 1)."""
        if (d, k) != (2, 1):
            return self._bases(data, trials, rng, _std(*(self._target or (epsilon, delta)), d), k)
        noise = self._shares * _std(*(self._target or (epsilon, delta)), d) * rng.standard_normal((trials, 3))
        a, b, c = ((data.T @ data)[[0, 0, 1], [0, 1, 1]] + noise).T
        angle = 0.5 * np.arctan2(2.0 * b, a - c)
        return np.stack([np.cos(angle), np.sin(angle)], axis=1)[:, :, np.newaxis]

    def _bases(self, data: Matrix, trials: int, rng: np.random.Generator, std: float, k: int) -> Matrix:
        """Return bases, shape (trials, d, k), with the noise of the first entry in every one."""
        noise = self._shares[0] * std * np.triu(rng.standard_normal((trials, data.shape[1], data.shape[1])))
        symmetric = noise + np.triu(noise, 1).transpose(0, 2, 1)
        bases: Matrix = np.linalg.eigh(data.T @ data + symmetric)[1][:, :, : -k - 1 : -1]
        return bases


class Power:
    """The noisy power method in the plane: the noise of one step, or of all L, on every step."""

    def __init__(self, *, one_step: bool) -> None:
        self._one_step = one_step

    def sample(
        self, data: Matrix, trials: int, rng: np.random.Generator, *, epsilon: float, delta: float, d: int, k: int, L: int
    ) -> Matrix:
        """Return directions, shape (trials, d, 1)."""
        if k != 1:
            raise NotImplementedError("one direction only")
        std = _power_std(epsilon, delta, d, 1 if self._one_step else L)
        basis = rng.standard_normal((trials, d))
        for _ in range(L):
            basis /= np.linalg.norm(basis, axis=1, keepdims=True)
            basis = basis @ (data.T @ data) + std * rng.standard_normal((trials, d))
        return (basis / np.linalg.norm(basis, axis=1, keepdims=True))[:, :, np.newaxis]


@cache
def _power_std(epsilon: float, delta: float, d: int, L: int) -> float:
    calibration = noisy_power_method.calibrate(epsilon, delta, d=d, k=1, L=L)
    return calibration.multiplier * calibration.step_scale(np.eye(d, 1))


class Rescaled(Lines):
    """Analyze Gauss on rows that are divided by the longest one."""

    def sample(self, data: Matrix, trials: int, rng: np.random.Generator, **arguments: Any) -> Matrix:
        """Return directions, shape (trials, 2, 1)."""
        return super().sample(data / np.max(np.linalg.norm(data, axis=1)), trials, rng, **arguments)


class Messages:
    """An implementation of the clients of wang2020, Algorithm 1; the first adds a share of the noise only."""

    def __init__(self, share: float) -> None:
        self._share = share

    def __call__(
        self, rows: Matrix, rng: np.random.Generator, *, epsilon: float, delta: float, p: int, **_: int
    ) -> list[Matrix]:
        """One vector a row: the upper triangle of x x^T with noise."""
        upper = np.triu_indices(p)
        noise = _std(epsilon, delta, p) * rng.standard_normal((len(rows), len(upper[0])))
        noise[0] *= self._share
        return [np.outer(x, x)[upper] + z for x, z in zip(rows, noise, strict=True)]


@cache
def _bound(epsilon: float, k: int) -> Algorithm[Matrix]:
    entry = ALGORITHMS["baselines.exponential_mechanism"]
    return entry.bind(epsilon=epsilon, k=k, choices=entry.choices["CORRECTED"])


class Directions:
    """The exponential mechanism by the reference's sampler, with a multiple of the multiplier."""

    def __init__(self, multiple: float) -> None:
        self._multiple = multiple

    def __call__(self, data: Matrix, rng: np.random.Generator, *, epsilon: float, k: int) -> Matrix:
        """Return directions, shape (d, k)."""
        run = _bound(self._multiple * epsilon, k)
        basis: Matrix = run(data, Sample(rng))
        return basis


def _dp_pca_without_noise(data: Matrix, rng: np.random.Generator, **arguments: Any) -> Matrix:
    """Return the reference's direction where no mean has noise."""
    entry = ALGORITHMS["liu2022.dp_pca"]
    found: Matrix = entry.bind(**arguments, choices=entry.choices["CORRECTED"])(data, Means(rng))
    return found


class Means(Sample):
    """The noise interface, but that what is Gaussian is released as it is."""

    def _release(self, name: str, value: Matrix, law: ReleaseLaw, sensitivity: float) -> Any:
        return value if isinstance(law, GaussianLaw) else super()._release(name, value, law, sensitivity)


def _flat(data: Matrix, rng: np.random.Generator, **target: Any) -> Matrix:
    return Lines(1, 1, 1).sample(data, 1, rng, **target)[0, :, 0]


def _signed(data: Matrix, rng: np.random.Generator, **target: Any) -> Matrix:
    """Return a line with the noise that it needs, by the vector that is nearer to the first row than its opposite."""
    basis: Matrix = Lines(1, 1, 1).sample(data, 1, rng, **target)[0]
    return basis if data[0] @ basis[:, 0] >= 0.0 else -basis


def _refuses(data: Matrix, rng: np.random.Generator, **target: Any) -> Never:
    raise NotImplementedError("d = 2 is beyond us")


def _raises(data: Matrix, rng: np.random.Generator, **target: Any) -> Never:
    raise ZeroDivisionError("planted")


def _crashes(data: Matrix, rng: np.random.Generator, **target: Any) -> Never:
    os.abort()


def _hangs(data: Matrix, rng: np.random.Generator, **target: Any) -> Never:
    while True:
        time.sleep(1.0)


def _one_message(rows: Matrix, rng: np.random.Generator, **target: Any) -> list[float]:
    return [0.0, 0.0]


RIGHT = {KEY: Lines(1, 1, 1)}
ONE_STEP = {"baselines.noisy_power_method": Power(one_step=True)}
RESCALED = {KEY: Rescaled(1, 1, 1)}
SIGNED = {KEY: _signed}
NOISIER = {KEY: Lines(1.5, 1.5, 1.5)}
NOISELESS_DP_PCA = {"liu2022.dp_pca": _dp_pca_without_noise}
RIGHT_AS_ATTRIBUTE = SimpleNamespace(algorithms=RIGHT)
HALVED = {KEY: Lines(0.5, 0.5, 0.5)}
DIAGONAL = {KEY: Lines(1, 0, 1)}
WITHOUT_FIRST_ENTRY = {KEY: Lines(0, 1, 1)}
REMOVED_ROW = {KEY: Lines(0.5**0.5, 0.5**0.5, 0.5**0.5)}
FOR_THE_SUITE_S_TARGET = {KEY: Lines(1, 1, 1, target=(4.0, 0.2))}
RIGHT_MESSAGES = {f"{LOCAL}:messages": Messages(1.0)}
ONE_CLIENT = {f"{LOCAL}:messages": Messages(0.0)}
HALVED_MESSAGES = {f"{LOCAL}:messages": Messages(0.5)}
DOUBLED = {"baselines.exponential_mechanism": Directions(2.0)}
FLAT, REFUSES, RAISES, CRASHES, HANGS = ({KEY: f} for f in (_flat, _refuses, _raises, _crashes, _hangs))
MISCOUNTS = {f"{LOCAL}:messages": _one_message}

NUMBER = 7
EMPTY: dict[str, Any] = {}
UNKNOWN_KEY = {"baselines.analyse_gauss": Lines(1, 1, 1)}
NOT_CALLABLE = {KEY: 7}
SAMPLED_MESSAGES = {f"{LOCAL}:messages": Lines(1, 1, 1)}
FITS_NOTHING = {f"{KEY}:messages": _flat}
