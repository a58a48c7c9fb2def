"""Mechanisms whose epsilon is known exactly, for the rate of false refutations: more than tests/mechanisms.py has."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from dppca.audit.enclosure.finite import epsilon_of_laws
from dppca.reference.noise import Algorithm, Noise
from dppca.reference.primitives.gaussian import epsilon_at
from dppca.reference.primitives.sparse_histogram import SparseHistogramLaw, stability_delta
from dppca.reference.primitives.truncated_laplace import TruncatedLaplaceLaw, profile
from tests.field_mechanisms import noisy_max, noisy_max_value, prefix_sums, rappor, sparse_vector, sparse_vector_3
from tests.mechanisms import VALIDITY, Known, Vectorised


@dataclass(frozen=True)
class KnownAlgorithm:
    """An algorithm, a pair of datasets, a delta, and the exact epsilon of the pair's transcripts at it."""

    name: str
    algorithm: Algorithm[Any]
    data: Any
    neighbour: Any
    delta: float
    epsilon: float


# --- outputs ------------------------------------------------------------------------------------------


def nothing() -> Known:
    """The same law on both datasets."""
    return Known("standard normal, whatever the data", Vectorised(lambda _, n, rng: rng.standard_normal(n)), 0, 1, 0.0, 0.0)


def words(epsilon: float = 1.0) -> Known:
    """Randomised response among four words."""
    names = np.array(["north", "east", "south", "west"])
    truth = math.exp(epsilon) / (math.exp(epsilon) + 3.0)

    def draw(x: int, n: int, rng: np.random.Generator) -> list[str]:
        lie = (x + rng.integers(1, 4, size=n)) % 4
        return [str(word) for word in names[np.where(rng.random(n) < truth, x, lie)]]

    return Known("randomised response, four words", Vectorised(draw), 0, 2, 0.0, epsilon)


def vector_gaussian(delta: float = 0.01) -> Known:
    """A vector of three, moved by (0.6, 0.8, 0)."""
    shift = np.array([0.6, 0.8, 0.0])
    mechanism = Vectorised(lambda x, n, rng: x * shift + rng.standard_normal((n, 3)))
    return Known("Gaussian vector", mechanism, 0.0, 1.0, delta, epsilon_at(delta, 1.0))


def vector_laplace(epsilon: float = 1.0) -> Known:
    """A vector of two, moved by 1/2 in each coordinate."""
    mechanism = Vectorised(lambda x, n, rng: 0.5 * x + rng.laplace(scale=1.0 / epsilon, size=(n, 2)))
    return Known("Laplace vector", mechanism, 0.0, 1.0, 0.0, epsilon)


def mixed(epsilon: float = 1.0) -> Known:
    """A pair of a flipped bit and a noisy number, each at half of epsilon."""
    flip = 1.0 / (1.0 + math.exp(0.5 * epsilon))

    def draw(x: int, n: int, rng: np.random.Generator) -> list[tuple[str, float]]:
        bits = np.where(rng.random(n) < flip, 1 - x, x)
        numbers = x + rng.laplace(scale=2.0 / epsilon, size=n)
        return [(str(bit), number) for bit, number in zip(bits, numbers.tolist(), strict=True)]

    return Known("word and number", Vectorised(draw), 0, 1, 0.0, epsilon)


def truncated_laplace(epsilon: float = 1.0) -> Known:
    """Noise of bounded support, at the delta that it has at epsilon."""
    law = TruncatedLaplaceLaw(1.0 / epsilon, 3.0)
    delta = profile(epsilon, 1.0, law.scale, law.bound)
    mechanism = Vectorised(lambda x, n, rng: x + law.noise(rng.random(n)))
    return Known("truncated Laplace", mechanism, 0.0, 1.0, delta, epsilon)


def rare(epsilon: float = 1.0, share: float = 0.002) -> Known:
    """An answer with probability `share`, or e^epsilon times as often; nothing else differs by as much."""
    shares = (share, share * math.exp(epsilon))
    mechanism = Vectorised(lambda x, n, rng: (rng.random(n) < shares[x]).astype(int))
    return Known("rare answer", mechanism, 0, 1, 0.0, epsilon)


def catastrophe(delta: float = 0.005) -> Known:
    """Shows the data with probability delta, otherwise nothing."""

    def draw(x: int, n: int, rng: np.random.Generator) -> list[str | None]:
        return [str(x) if shows else None for shows in rng.random(n) < delta]

    return Known("data shown with probability delta", Vectorised(draw), 0, 1, delta, 0.0)


def seldom_there(epsilon: float = 1.0) -> Known:
    """A pair of a number that is seldom there, whatever the data, and a noisy number."""

    def draw(x: float, n: int, rng: np.random.Generator) -> list[tuple[float | None, float]]:
        first = [y if there else None for y, there in zip(rng.standard_normal(n).tolist(), rng.random(n) < 0.01, strict=True)]
        return list(zip(first, (x + rng.laplace(scale=1.0 / epsilon, size=n)).tolist(), strict=True))

    return Known("number seldom there, and Laplace", Vectorised(draw), 0.0, 1.0, 0.0, epsilon)


# --- transcripts --------------------------------------------------------------------------------------


def adaptive_gaussians(delta: float) -> KnownAlgorithm:
    """Three Gaussian releases, each of which sees the one before."""

    def run(x: float, noise: Noise) -> None:
        y = 0.0
        for t in range(3):
            y = noise.gaussian(f"y[{t}]", x + math.sin(y), std=3.0, sensitivity=1.0)

    return KnownAlgorithm(f"three Gaussian releases, delta {delta:g}", run, 0.0, 1.0, delta, epsilon_at(delta, 3.0**-0.5))


def laplace_release(delta: float) -> KnownAlgorithm:
    """One Laplace release: delta(e) = 1 - exp((e - 1) / 2)."""

    def run(x: float, noise: Noise) -> None:
        noise.laplace("y", x, scale=1.0, sensitivity=1.0)

    return KnownAlgorithm(f"Laplace release, delta {delta:g}", run, 0.0, 1.0, delta, 1.0 + 2.0 * math.log1p(-delta))


def selection(delta: float = 0.05) -> KnownAlgorithm:
    """A draw of an exponential mechanism among three."""
    scores = np.array([[0.0, 1.0, 2.0], [1.0, 0.5, 2.0]])
    laws = [dict(enumerate((np.exp(row) / np.sum(np.exp(row))).tolist())) for row in scores]

    def run(x: int, noise: Noise) -> None:
        noise.exponential("choice", scores[x], multiplier=1.0, sensitivity=1.0)

    return KnownAlgorithm("exponential mechanism", run, 0, 1, delta, epsilon_of_laws(*laws, delta))


def lonely_cell() -> KnownAlgorithm:
    """An item alone in its cell moves to an empty one: delta(e) is the probability that a cell shows, for every e >= 0."""
    law = SparseHistogramLaw(2.0, 3.0)

    def run(x: float, noise: Noise) -> None:
        noise.release("histogram", [[x]], law, sensitivity=2.0)

    return KnownAlgorithm("histogram, one item", run, 0.0, 1.0, stability_delta(1.0, law.threshold), 0.0)


OUTPUTS = (
    *VALIDITY,
    nothing(),
    words(),
    vector_gaussian(),
    vector_laplace(),
    mixed(),
    truncated_laplace(),
    rare(),
    catastrophe(),
    seldom_there(),
    prefix_sums(1.0),
    rappor(1.0),
    noisy_max(1.0),
    noisy_max_value(1.0),
    sparse_vector(1, 1.0),
    sparse_vector_3(1.0),
)
TRANSCRIPTS = (
    adaptive_gaussians(0.01),
    adaptive_gaussians(1e-6),
    laplace_release(0.1),
    laplace_release(0.0),
    selection(),
    lonely_cell(),
)
