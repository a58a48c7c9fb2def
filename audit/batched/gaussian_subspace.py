"""The principal subspace of a second-moment matrix with Gaussian noise, for many trials at once.

wang2020 Algorithm 1 (messages, and the server's subspace), Analyze Gauss and MOD-SULQ: they differ in the matrix and in the
noise. The server of wang2020 sees the clients' messages through their mean alone, whose noise is one Gaussian matrix; so
one is drawn, in the place of n.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from array_api_compat import array_namespace
from numpy.typing import NDArray

from dppca.audit.batched.base import Array, Batched
from dppca.reference.noise import Tape
from dppca.reference.primitives.symmetric import upper_triangle
from dppca.reference.rigour.validation import check_subspace_dimension, check_unit_ball, check_unit_rows, check_vector


def noisy_subspaces(matrix: NDArray[np.float64], noise: Array, k: int) -> Array:
    """Return the leading eigenvectors of a symmetric (p, p) matrix with noise on its upper triangle.

    Args:
        matrix: shape (p, p).
        noise: shape (trials, p (p + 1) / 2), of any namespace.
        k: how many.

    Returns:
        Orthonormal bases, shape (trials, p, k), in the noise's namespace.
    """
    xp = array_namespace(noise)
    p = len(matrix)
    place = np.empty((p, p), dtype=np.int64)
    place[np.triu_indices(p)] = np.arange(p * (p + 1) // 2)
    place = np.triu(place) + np.triu(place, 1).T
    upper = noise + xp.asarray(upper_triangle(matrix))
    full = xp.reshape(xp.take(upper, xp.asarray(place.ravel()), axis=1), (-1, p, p))
    _, vectors = xp.linalg.eigh(full)
    return xp.flip(vectors, axis=-1)[:, :, :k]


@dataclass(frozen=True)
class _GaussianRelease(Batched):
    """A base that draws normal noise of one symmetric matrix a trial, (trials, p (p + 1) / 2), p the data's last axis."""

    std: float

    def numbers(self, data: Any) -> int:
        """Return p (p + 1) / 2."""
        p = int(np.shape(data)[-1])
        return p * (p + 1) // 2

    def draw(self, data: Any, trials: int, rng: np.random.Generator) -> Array:
        """Return the draws of one matrix a trial."""
        return rng.standard_normal((trials, self.numbers(data)))

    def draws_of(self, data: Any, tapes: Sequence[Tape]) -> Array:  # noqa: ARG002 - one interface
        """Return the one draw of each tape."""
        return np.array([tape.entries[0].draw for tape in tapes])


@dataclass(frozen=True)
class LocalGaussian(_GaussianRelease):
    """A batched implementation of wang2020, Algorithm 1; the noise is that of the mean message."""

    k: int

    @classmethod
    def bind(cls, *, epsilon: float, delta: float, p: int, k: int, calibrate: Callable[..., Any], choices: Any) -> Self:
        """Return the implementation, calibrated with the catalogue's arguments."""
        return cls(calibrate(epsilon, delta, p, choices).std, k)

    def draws_of(self, data: Any, tapes: Sequence[Tape]) -> Array:
        """Return the clients' draws, added up to that of their mean."""
        return np.array([np.sum([entry.draw for entry in tape.entries], axis=0) for tape in tapes]) / math.sqrt(len(data))

    def prepared(self, data: Any) -> tuple[NDArray[np.float64], float]:
        """Return the second moments, and the standard deviation of the mean message's noise."""
        rows = check_unit_rows("X", data)
        n, p = rows.shape
        check_subspace_dimension(self.k, p)
        return rows.T @ rows / n, self.std / math.sqrt(n)

    def outputs(self, prepared: tuple[NDArray[np.float64], float], draws: Array) -> Array:
        """Return the bases, shape (trials, p, k)."""
        moments, std = prepared
        return noisy_subspaces(moments, draws * std, self.k)


class LocalGaussianMessage(_GaussianRelease):
    """A batched client of wang2020: its row in, its message out."""

    @classmethod
    def bind(cls, *, epsilon: float, delta: float, p: int, calibrate: Callable[..., Any], choices: Any, **_: Any) -> Self:
        """Return the client, calibrated with the catalogue's arguments; the server's do not matter."""
        return cls(calibrate(epsilon, delta, p, choices).std)

    def prepared(self, data: Any) -> NDArray[np.float64]:
        """Return the triangle of x x^T."""
        row = check_unit_ball("x", check_vector("x", data))
        return upper_triangle(np.outer(row, row))

    def outputs(self, prepared: NDArray[np.float64], draws: Array) -> Array:
        """Return the messages, shape (trials, p (p + 1) / 2)."""
        return array_namespace(draws).asarray(prepared) + self.std * draws


@dataclass(frozen=True)
class AnalyzeGauss(_GaussianRelease):
    """A batched implementation of Analyze Gauss."""

    k: int

    @classmethod
    def bind(cls, *, epsilon: float, delta: float, d: int, k: int, calibrate: Callable[..., Any], choices: Any) -> Self:
        """Return the implementation, calibrated with the catalogue's arguments."""
        return cls(calibrate(epsilon, delta, d, choices).std, k)

    def prepared(self, data: Any) -> NDArray[np.float64]:
        """Return X^T X."""
        rows = check_unit_rows("X", data)
        check_subspace_dimension(self.k, rows.shape[1])
        return np.asarray(rows.T @ rows)

    def outputs(self, prepared: NDArray[np.float64], draws: Array) -> Array:
        """Return the bases, shape (trials, d, k)."""
        return noisy_subspaces(prepared, draws * self.std, self.k)


class ModSulq(AnalyzeGauss):
    """A batched implementation of MOD-SULQ: Analyze Gauss with the second moments divided by n."""

    @classmethod
    def bind(  # type: ignore[override]
        cls, *, epsilon: float, delta: float, n: int, d: int, k: int, calibrate: Callable[..., Any], choices: Any
    ) -> Self:
        """Return the implementation, calibrated with the catalogue's arguments."""
        return cls(calibrate(epsilon, delta, n, d, choices).std, k)

    def prepared(self, data: Any) -> NDArray[np.float64]:
        """Return X^T X / n."""
        return super().prepared(data) / len(data)
