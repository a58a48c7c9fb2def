"""The mechanisms on which auditors are usually compared, from their definitions, with the exact epsilon of a pair.

Sparse vector is numbered as in Lyu, Su, Li 2017, Figure 1 (cutoff c = 1 where it has one, threshold 0); its variants 3
to 6 are broken. Exact values are suprema of log-likelihood ratios, in closed form or by quadrature over the one
variable, the noise of the threshold, that the outputs share.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, product

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import quad

from tests.mechanisms import Known, Vectorised

Draw = Callable[[Sequence[float], int, np.random.Generator], NDArray[np.float64]]


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

    def probability(x: Sequence[float], j: int) -> float:
        others = [value for i, value in enumerate(x) if i != j]
        return _integral(
            lambda y: _density(y - x[j], scale) * math.prod(_below(y - value, scale) for value in others), scale, x
        )

    exact = max(abs(math.log(probability(data, j) / probability(neighbour, j))) for j in range(2))
    return Known("noisy max", Vectorised(draw), data, neighbour, 0.0, exact)


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

        def integrand(rho: float) -> float:
            below = (_below(rho - value, self.query) for value in x)
            return _density(rho, self.threshold) * math.prod(
                1.0 - share if above else share for share, above in zip(below, answers, strict=False)
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
    """Those that show answers alone, by number."""
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
    """Laplace(scale) at x."""
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
