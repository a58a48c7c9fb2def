"""Search for the worst neighbouring matrices, start vectors and transcripts of one release.

A sensitivity, or the delta of one release given those before it, is claimed for all of them: the (n, d) matrix with
rows in the unit ball, the row that replaces its first one, every public draw and every earlier release. A search moves
all of these together, as one vector, by a quasi-Newton method from random starts, and from the best of its ends once along
each axis. A secret index is the replaced row's. What it reports was attained at the pair and the tape that it returns;
that there is nothing larger it cannot show.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from dppca.audit.suite.accounting.composition import steps_delta
from dppca.audit.suite.marginal import GaussianMixtureLaw
from dppca.reference.noise import Algorithm, Entry, GaussianLaw, ReleaseTerm, Tape, condition, lockstep_on, record
from dppca.reference.primitives.orthonormal import qr_factor

Matrix: TypeAlias = NDArray[np.float64]

#: Cells of the quadrature per standard deviation of the noise, by dimension, and where its grid ends.
CELLS_PER_STD = {1: 20.0, 2: 8.0, 3: 3.0}
REACH = 7.0
#: Points of the grid of losses in a search; with 16 times as many a delta differs by less than a thousandth of itself.
SEARCH_POINTS = 2**13


@dataclass(frozen=True)
class Worst:
    """The largest value that a search attained, and the pair of datasets and the tape at which it did."""

    value: float
    data: Matrix
    neighbour: Matrix
    tape: Tape


Objective: TypeAlias = Callable[[Tape, Matrix, Matrix], float]


def largest_change(algorithm: Algorithm[Any], n: int, d: int, *, seed: int, restarts: int = 6) -> Worst:
    """Return the largest observed change of a release over its declared sensitivity; above 1 it refutes this one.

    Args:
        algorithm: callable (data (n, d), noise) -> output.
        n: number of rows.
        d: dimension of a row.
        seed: of the random starts.
        restarts: number of random starts.
    """

    def ratio(tape: Tape, data: Matrix, neighbour: Matrix) -> float:
        return max(of.change / of.sensitivity for of in lockstep_on(tape, algorithm, data, neighbour).releases)

    return search(algorithm, ratio, n, d, seed=seed, restarts=restarts)


def largest_delta(
    algorithm: Algorithm[Any], n: int, d: int, epsilon: float, *, copies: int = 1, seed: int, restarts: int = 6
) -> Worst:
    """Return the largest delta(epsilon) of the last release given those before, or of independent copies of it.

    The release must be a mixture of Gaussians (audit/suite/marginal.py) whose means, over both datasets, span at most three
    dimensions. delta is computed by quadrature, to about one percent.

    Args:
        algorithm: callable (data (n, d), noise) -> output.
        n: number of rows.
        d: dimension of a row.
        epsilon: where delta is taken.
        copies: number of independent copies: steps of an algorithm whose step sizes tend to 0.
        seed: of the random starts.
        restarts: number of random starts.
    """

    def delta(tape: Tape, data: Matrix, neighbour: Matrix) -> float:
        own, other = (condition(algorithm, of, tape).terms[-1] for of in (data, neighbour))
        return mixture_delta(own, other, epsilon, copies)

    return search(algorithm, delta, n, d, seed=seed, restarts=restarts)


def search(algorithm: Algorithm[Any], objective: Objective, n: int, d: int, *, seed: int, restarts: int) -> Worst:
    """Maximise an objective of (tape, data, neighbour); the other arguments are those of `largest_change`."""
    rng = np.random.default_rng(seed)
    _, template = record(algorithm, _in_ball(rng.standard_normal((n, d))), rng)
    moved = sum(entry.draw.size if entry.role == "public" else np.size(entry.released) for entry in template.entries)

    def place(z: Matrix) -> tuple[Tape, Matrix, Matrix]:
        rows = _in_ball(z[: (n + 1) * d].reshape(n + 1, d))
        return _steered(template, z[(n + 1) * d :]), rows[:n], np.vstack([rows[n:], rows[1:n]])

    def loss(z: Matrix) -> float:
        return -objective(*place(z))

    climbs = (minimize(loss, rng.standard_normal((n + 1) * d + moved), method="L-BFGS-B") for _ in range(restarts))
    highest = min(climbs, key=lambda result: float(result.fun)).x
    best = place(minimize(loss, highest, method="Powell", options={"maxiter": 1}).x)  # at a kink, gradients stop early
    return Worst(objective(*best), best[1], best[2], best[0])


def _in_ball(rows: Matrix) -> Matrix:
    return rows / np.maximum(1.0, np.linalg.norm(rows, axis=1, keepdims=True))


def _steered(template: Tape, z: Matrix) -> Tape:
    """Return the tape with the given numbers as public draws and releases, and the first row as the one drawn in secret."""
    entries: list[Entry] = []
    for entry in template.entries:
        size = entry.draw.size if entry.role == "public" else np.size(entry.released)
        values, z = z[:size], z[size:]
        if entry.role == "public":
            entries.append(replace(entry, draw=values.reshape(entry.draw.shape)))
        elif entry.role == "secret":
            entries.append(replace(entry, draw=np.zeros_like(entry.draw)))
        elif entry.law == "matrix_bingham":
            entries.append(replace(entry, released=qr_factor(values.reshape(np.shape(entry.released)))))
        elif entry.law == "bingham":
            entries.append(replace(entry, released=values / np.linalg.norm(values)))
        elif entry.law == "wishart":  # a release that no other one depends on
            entries.append(entry)
        else:
            entries.append(replace(entry, released=values.reshape(np.shape(entry.released))[()]))
    return Tape(tuple(entries))


def mixture_delta(own: ReleaseTerm, other: ReleaseTerm, epsilon: float, copies: int = 1) -> float:
    """Return delta(epsilon) of independent copies of a release, a uniform mixture of Gaussians, between two datasets."""
    law = own.law
    if not isinstance(law, GaussianMixtureLaw | GaussianLaw):
        raise TypeError(f"law must be a Gaussian or a mixture of Gaussians, got {law.kind}")
    parts = len(own.value) if isinstance(law, GaussianMixtureLaw) else 1
    p, q = _densities(*(of.value.reshape(parts, -1) / law.std for of in (own, other)))
    both = ((p, q), (q, p))
    if copies == 1:
        return max(float(np.sum(np.maximum(a - math.exp(epsilon) * b, 0.0))) for a, b in both)
    return max(steps_delta([(a, b, copies)], epsilon, SEARCH_POINTS) for a, b in both)


def _densities(means: Matrix, others: Matrix) -> tuple[Matrix, Matrix]:
    """Return the masses of two uniform mixtures of N(mean, I) in the cells of one grid on the span of all means."""
    points = np.vstack([means, others])
    points = points - points.mean(axis=0)
    _, lengths, axes = np.linalg.svd(points, full_matrices=False)
    points = points @ axes[: max(1, np.count_nonzero(lengths > 1e-9))].T
    dimension = points.shape[1]
    if dimension not in CELLS_PER_STD:
        raise ValueError(f"means must span at most {max(CELLS_PER_STD)} dimensions, got {dimension}")
    width = 1.0 / CELLS_PER_STD[dimension]
    reach = REACH + np.max(np.abs(points), axis=0)
    factors = []
    for axis in range(dimension):
        grid = np.arange(-reach[axis], reach[axis] + width, width)
        factors.append(width * np.exp(-0.5 * (grid - points[:, axis : axis + 1]) ** 2) / math.sqrt(2.0 * math.pi))
    masses = factors[0]
    for factor in factors[1:]:
        masses = (masses[:, :, np.newaxis] * factor[:, np.newaxis, :]).reshape(len(points), -1)
    return masses[: len(means)].mean(axis=0), masses[len(means) :].mean(axis=0)
