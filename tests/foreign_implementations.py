"""What tests/test_foreign.py points `pytest audit/ --implementation` at: right, broken and malformed."""

from __future__ import annotations

import os
import time
from types import SimpleNamespace
from typing import Any, Never

import numpy as np
from numpy.typing import NDArray

from dppca.reference.baselines.analyze_gauss import calibrate

Matrix = NDArray[np.float64]
KEY = "baselines.analyze_gauss"
LOCAL = "wang2020.local_gaussian_mechanism"


class Lines:
    """Analyze Gauss for lines in the plane, all trials at once, with a share of the noise that it needs."""

    def __init__(self, share: float) -> None:
        self._share = share

    def sample(
        self, data: Matrix, trials: int, rng: np.random.Generator, *, epsilon: float, delta: float, d: int, k: int
    ) -> Matrix:
        """Shape (trials, 2, 1)."""
        if (d, k) != (2, 1):
            raise NotImplementedError("lines in the plane only")
        noise = self._share * calibrate(epsilon, delta, d).std * rng.standard_normal((trials, 3))
        a, b, c = ((data.T @ data)[[0, 0, 1], [0, 1, 1]] + noise).T
        angle = 0.5 * np.arctan2(2.0 * b, a - c)
        return np.stack([np.cos(angle), np.sin(angle)], axis=1)[:, :, np.newaxis]


def _flat(data: Matrix, rng: np.random.Generator, **target: Any) -> Matrix:
    return Lines(1.0).sample(data, 1, rng, **target)[0, :, 0]


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


RIGHT = {KEY: Lines(1.0)}
RIGHT_AS_ATTRIBUTE = SimpleNamespace(algorithms=RIGHT)
BROKEN = {KEY: Lines(0.5)}
FLAT, REFUSES, RAISES, CRASHES, HANGS = ({KEY: f} for f in (_flat, _refuses, _raises, _crashes, _hangs))
MISCOUNTS = {f"{LOCAL}:messages": _one_message}

NUMBER = 7
EMPTY: dict[str, Any] = {}
UNKNOWN_KEY = {"baselines.analyse_gauss": Lines(1.0)}
NOT_CALLABLE = {KEY: 7}
SAMPLED_MESSAGES = {f"{LOCAL}:messages": Lines(1.0)}
FITS_NOTHING = {f"{KEY}:messages": _flat}
