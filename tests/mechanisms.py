"""Mechanisms whose privacy is known exactly, for tests and benchmarks of the auditor."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from dppca.reference.primitives.gaussian import analytic_std, epsilon_at


@dataclass(frozen=True)
class Vectorised:
    """A mechanism given by its batch sampler (data, trials, rng) -> outputs."""

    draw: Callable[[Any, int, np.random.Generator], Any]

    def sample(self, data: Any, trials: int, rng: np.random.Generator) -> Any:
        return self.draw(data, trials, rng)


@dataclass(frozen=True)
class Known:
    """A mechanism, a pair of datasets, a delta, and the pair's exact epsilon at it."""

    name: str
    mechanism: Vectorised
    data: Any
    neighbour: Any
    delta: float
    epsilon: float


def laplace(epsilon: float = 1.0) -> Known:
    """Laplace noise, sensitivity 1."""
    mechanism = Vectorised(lambda x, n, rng: x + rng.laplace(scale=1.0 / epsilon, size=n))
    return Known("Laplace", mechanism, 0.0, 1.0, 0.0, epsilon)


def gaussian(epsilon: float = 1.0, delta: float = 0.01, shrink: float = 1.0) -> Known:
    """Gaussian noise calibrated for (epsilon, delta) and then divided by `shrink`, sensitivity 1."""
    std = analytic_std(epsilon, delta, 1.0) / shrink
    mechanism = Vectorised(lambda x, n, rng: x + std * rng.standard_normal(n))
    name = "Gaussian" if shrink == 1.0 else f"Gaussian, noise / {shrink:.4g}"
    return Known(name, mechanism, 0.0, 1.0, delta, epsilon_at(delta, 1.0 / std))


def randomised_response(epsilon: float = 1.0) -> Known:
    """One bit, flipped with probability 1 / (1 + e^epsilon)."""
    flip = 1.0 / (1.0 + math.exp(epsilon))
    mechanism = Vectorised(lambda bit, n, rng: np.where(rng.random(n) < flip, 1 - bit, bit))
    return Known("randomised response", mechanism, 0, 1, 0.0, epsilon)


def geometric(epsilon: float = 1.0, low: int = -2, high: int = 3) -> Known:
    """Two-sided geometric noise on an integer, truncated to a range: atoms, two of them heavy."""

    def draw(x: int, n: int, rng: np.random.Generator) -> Any:
        share = 1.0 - math.exp(-epsilon)
        noise = rng.geometric(share, n) - rng.geometric(share, n)
        return np.clip(x + noise, low, high)

    return Known("truncated geometric", Vectorised(draw), 0, 1, 0.0, epsilon)


def refusing(epsilon: float = 1.0) -> Known:
    """Return a noisy number that is None when it falls below 0: an atom beside a density, and a refusal as output."""

    def draw(x: float, n: int, rng: np.random.Generator) -> list[float | None]:
        return [y if y >= 0.0 else None for y in (x + rng.laplace(scale=1.0 / epsilon, size=n)).tolist()]

    return Known("Laplace with refusals", Vectorised(draw), 1.0, 2.0, 0.0, epsilon)


VALIDITY = (laplace(), gaussian(), randomised_response(), geometric(), refusing())
