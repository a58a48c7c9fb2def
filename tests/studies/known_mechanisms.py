"""The mechanisms whose privacy is known exactly: one list for tests, studies and benchmarks of the auditor.

The mechanisms on which auditors are usually compared are written from their definitions. Sparse vector is numbered as in Lyu,
Su, Li 2017, Figure 1 (cutoff c = 1 where it has one, threshold 0); its variants 3 to 6 are broken. Exact values are suprema of
log-likelihood ratios, in closed form or by quadrature over the one variable, the noise of the threshold, that the outputs
share. Rows of the benchmark, which have the losses of whole outputs too, are in benchmark_mechanisms.py.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import quad

from dppca.reference.noise import Algorithm, Noise
from dppca.reference.primitives.gaussian import analytic_std, epsilon_at
from dppca.reference.primitives.sparse_histogram import SparseHistogramLaw, stability_delta
from dppca.reference.rigour.finite import epsilon_of_laws


@dataclass(frozen=True)
class Vectorised:
    """A mechanism given by its batch sampler (data, trials, rng) -> outputs."""

    draw: Callable[[Any, int, np.random.Generator], Any]

    def sample(self, data: Any, trials: int, rng: np.random.Generator) -> Any:
        """Return the outputs of so many trials."""
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


@dataclass(frozen=True)
class KnownAlgorithm:
    """An algorithm, a pair of datasets, a delta, and the exact epsilon of the pair's transcripts at it."""

    name: str
    algorithm: Algorithm[Any]
    data: Any
    neighbour: Any
    delta: float
    epsilon: float


# --- one number ---------------------------------------------------------------------------------------


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


def refusing(epsilon: float = 1.0) -> Known:
    """Return a noisy number that is None when it falls below 0: an atom beside a density, and a refusal as output."""

    def draw(x: float, n: int, rng: np.random.Generator) -> list[float | None]:
        return [y if y >= 0.0 else None for y in (x + rng.laplace(scale=1.0 / epsilon, size=n)).tolist()]

    return Known("Laplace with refusals", Vectorised(draw), 1.0, 2.0, 0.0, epsilon)


# --- counts -------------------------------------------------------------------------------------------


def noisy_histogram(epsilon: float, bins: int = 5) -> Known:
    """Counts with Laplace(1 / epsilon) noise; one record more in the first bin."""
    counts = [2.0] + [1.0] * (bins - 1)
    return Known("noisy histogram", _noisy(1.0 / epsilon), counts, [1.0, *counts[1:]], 0.0, epsilon)


def noisy_histogram_with_scale_epsilon(epsilon: float, bins: int = 5) -> Known:
    """Return a noisy histogram with noise of scale epsilon in place of 1 / epsilon."""
    counts = [2.0] + [1.0] * (bins - 1)
    return Known("noisy histogram, scale epsilon", _noisy(epsilon), counts, [1.0, *counts[1:]], 0.0, 1.0 / epsilon)


def prefix_sums(epsilon: float, length: int = 10) -> Known:
    """Return the sums of the first 1, 2, ... records, of records with Laplace(1 / epsilon) noise each."""
    noisy = _noisy(1.0 / epsilon).draw

    def draw(x: Sequence[float], n: int, rng: np.random.Generator) -> NDArray[np.float64]:
        return np.cumsum(noisy(x, n, rng), axis=1)

    data = [1.0] * length
    return Known("prefix sums", Vectorised(draw), data, [0.0, *data[1:]], 0.0, epsilon)


def truncated_geometric(epsilon: float, largest: int = 5) -> Known:
    """A count with two-sided geometric noise, clipped to 0..largest."""

    def draw(x: int, n: int, rng: np.random.Generator) -> NDArray[np.int64]:
        share = -math.expm1(-epsilon)
        return np.clip(x + rng.geometric(share, n) - rng.geometric(share, n), 0, largest)

    return Known("truncated geometric", Vectorised(draw), 1, 2, 0.0, epsilon)


def rappor(epsilon: float, length: int = 20, hashes: int = 2) -> Known:
    """Permanent randomised response of a Bloom filter: f with 2 h log((1 - f/2) / (f/2)) = epsilon, all bits moved."""
    keep = 1.0 / (1.0 + math.exp(-epsilon / (2.0 * hashes)))

    def draw(bits: Sequence[float], n: int, rng: np.random.Generator) -> NDArray[np.float64]:
        return np.where(rng.random((n, len(bits))) < keep, bits, 1.0 - np.asarray(bits))

    data, neighbour = np.zeros(length), np.zeros(length)
    data[:hashes] = neighbour[-hashes:] = 1.0
    return Known("RAPPOR", Vectorised(draw), data.tolist(), neighbour.tolist(), 0.0, epsilon)


def _noisy(scale: float) -> Vectorised:
    return Vectorised(lambda x, n, rng: x + rng.laplace(scale=scale, size=(n, len(x))))


# --- report noisy max ---------------------------------------------------------------------------------


def noisy_max(epsilon: float, queries: int = 5) -> Known:
    """Return the index of the largest of queries with Laplace(2 / epsilon) noise."""
    scale = 2.0 / epsilon

    def draw(x: Sequence[float], n: int, rng: np.random.Generator) -> NDArray[np.int64]:
        return np.argmax(x + rng.laplace(scale=scale, size=(n, len(x))), axis=1)

    data, neighbour = [1.0] * queries, [2.0] + [0.0] * (queries - 1)
    exact = max(abs(math.log(probability_of_max(data, j, scale) / probability_of_max(neighbour, j, scale))) for j in range(2))
    return Known("noisy max", Vectorised(draw), data, neighbour, 0.0, exact)


def probability_of_max(x: Sequence[float], j: int, scale: float) -> float:
    """P(the j-th of queries with Laplace(scale) noise is the largest)."""
    others = [value for i, value in enumerate(x) if i != j]
    return _integral(lambda y: _density(y - x[j], scale) * math.prod(_below(y - value, scale) for value in others), scale, x)


def noisy_max_value(epsilon: float, queries: int = 5) -> Known:
    """Broken: the noisy value of the maximum, not its index. Below 0 all queries' noise counts."""
    scale = 2.0 / epsilon

    def draw(x: Sequence[float], n: int, rng: np.random.Generator) -> NDArray[np.float64]:
        return np.max(x + rng.laplace(scale=scale, size=(n, len(x))), axis=1)

    return Known("noisy max, value", Vectorised(draw), [0.0] * queries, [1.0] * queries, 0.0, queries / scale)


# --- sparse vector ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SparseVector:
    """Scales of the threshold's and the queries' noise (0: none), and whether it stops at the first answer above."""

    threshold: float
    query: float
    stops: bool

    def draw(self, x: Sequence[float], n: int, rng: np.random.Generator) -> NDArray[np.float64]:
        """One row of answers a trial: 1 above, 0 below, -1 after the end."""
        noisy = np.asarray(x) + rng.laplace(size=(n, len(x))) * self.query
        above = noisy >= self.threshold * rng.laplace(size=(n, 1))
        if not self.stops:
            return above.astype(float)
        before = np.cumsum(above, axis=1) - above
        return np.where(before > 0, -1.0, above)

    def outputs(self, queries: int) -> Iterator[tuple[int, ...]]:
        """Yield every sequence of answers, up to the end."""
        if not self.stops:
            yield from product((0, 1), repeat=queries)
            return
        yield from ((*[0] * k, 1) for k in range(queries))
        yield (0,) * queries

    def probability(self, x: Sequence[float], answers: tuple[int, ...]) -> float:
        """P(answers), by quadrature over the threshold's noise."""
        alike = Counter(zip(x, answers, strict=False))  # queries of one value with one answer

        def integrand(rho: float) -> float:
            shares = ((_below(rho - value, self.query), above, count) for (value, above), count in alike.items())
            return _density(rho, self.threshold) * math.prod(
                (1.0 - share if above else share) ** count for share, above, count in shares
            )

        return _integral(integrand, self.threshold, x)

    def epsilon(self, x: Sequence[float], y: Sequence[float]) -> float:
        """Return the largest log-ratio of an output's probabilities, inf where one of them is 0."""
        worst = 0.0
        for answers in self.outputs(len(x)):
            p, q = self.probability(x, answers), self.probability(y, answers)
            if p > 0.0 or q > 0.0:
                worst = max(worst, math.inf if 0.0 in (p, q) else abs(math.log(p / q)))
        return worst


def sparse_vector_variants(epsilon: float) -> dict[int, SparseVector]:
    """Return the variants that show answers alone, by number."""
    return {
        1: SparseVector(2.0 / epsilon, 4.0 / epsilon, stops=True),
        2: SparseVector(2.0 / epsilon, 4.0 / epsilon, stops=True),
        4: SparseVector(4.0 / epsilon, 4.0 / (3.0 * epsilon), stops=True),
        5: SparseVector(2.0 / epsilon, 0.0, stops=False),
        6: SparseVector(2.0 / epsilon, 2.0 / epsilon, stops=False),
    }


def sparse_vector_pair(queries: int) -> tuple[list[float], list[float]]:
    """Return a pair of query answers: the first half falls by 1, the other half rises."""
    half = queries // 2
    return [1.0] * half + [0.0] * half, [0.0] * half + [1.0] * half


def sparse_vector(number: int, epsilon: float, queries: int = 6) -> Known:
    """Variant 1, 2, 4, 5 or 6, on `sparse_vector_pair`.

    With c = 1, variants 1 and 2 are the same mechanism.
    """
    of, (data, neighbour) = sparse_vector_variants(epsilon)[number], sparse_vector_pair(queries)
    return Known(f"sparse vector {number}", Vectorised(of.draw), data, neighbour, 0.0, of.epsilon(data, neighbour))


def sparse_vector_3_pair(queries: int) -> tuple[list[float], list[float]]:
    """Return a pair of query answers: all rise by 1 but for the last, which falls."""
    return [0.0] * (queries - 1) + [1.0], [1.0] * (queries - 1) + [0.0]


def sparse_vector_3(epsilon: float, queries: int = 6) -> Known:
    """Variant 3 shows the noisy answer that is above: noise 2 / epsilon on threshold and queries."""
    scale = 2.0 / epsilon

    def draw(x: Sequence[float], n: int, rng: np.random.Generator) -> NDArray[np.float64]:
        noisy = np.asarray(x) + rng.laplace(scale=scale, size=(n, len(x)))
        above = noisy >= rng.laplace(scale=scale, size=(n, 1))
        first = np.argmax(above, axis=1)
        value = np.where(above.any(axis=1), noisy[np.arange(n), first], 0.0)
        return np.column_stack([np.where(above.any(axis=1), first, len(x)), value])

    data, neighbour = sparse_vector_3_pair(queries)

    def density(x: Sequence[float], v: float) -> float:
        def integrand(rho: float) -> float:
            return _density(rho, scale) * math.prod(_below(rho - q, scale) for q in x[:-1])

        edges = [-60.0 * scale, *(kink for kink in (0.0, 1.0) if kink < v), v]
        return _density(v - x[-1], scale) * math.fsum(float(quad(integrand, a, b)[0]) for a, b in pairwise(edges))

    # Up to 0 the log-ratio of the last place's values is (queries - 2) / scale. From 0 to 1 that of the noise on the value
    # rises by 2 / scale, and what the threshold tells falls by less; after 1 only the latter goes on. At any other
    # place, and without an answer, no ratio exceeds (queries - 1) / scale. So the largest is at 1.
    exact = math.log(density(data, 1.0) / density(neighbour, 1.0))
    return Known("sparse vector 3", Vectorised(draw), data, neighbour, 0.0, exact)


def _density(x: float, scale: float) -> float:
    """Return the density of Laplace(scale) at x."""
    return math.exp(-abs(x) / scale) / (2.0 * scale)


def _below(x: float, scale: float) -> float:
    """P(Laplace(scale) < x); without noise (scale 0), whether 0 < x."""
    if scale == 0.0:
        return float(x > 0.0)
    return 0.5 * math.exp(x / scale) if x < 0.0 else 1.0 - 0.5 * math.exp(-x / scale)


def _integral(f: Callable[[float], float], scale: float, kinks: Sequence[float]) -> float:
    """Over the line, to about 10 digits."""
    points = sorted({0.0, *kinks})
    edges = [-60.0 * scale, *points, 60.0 * scale]
    return math.fsum(float(quad(f, a, b, epsabs=0.0, epsrel=1e-11)[0]) for a, b in pairwise(edges))


def field(epsilon: float = 0.1) -> list[Known]:
    """Return all field mechanisms."""
    return [
        noisy_histogram(epsilon),
        noisy_histogram_with_scale_epsilon(epsilon),
        prefix_sums(epsilon),
        truncated_geometric(epsilon),
        rappor(epsilon),
        noisy_max(epsilon),
        noisy_max_value(epsilon),
        *(sparse_vector(number, epsilon) for number in (1, 2, 4, 5, 6)),
        sparse_vector_3(epsilon),
    ]


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


SIMPLE_MECHANISMS = (laplace(), gaussian(), randomised_response(), truncated_geometric(1.0), refusing())
TRANSCRIPTS = (
    adaptive_gaussians(0.01),
    adaptive_gaussians(1e-6),
    laplace_release(0.1),
    laplace_release(0.0),
    selection(),
    lonely_cell(),
)
