"""The release of line 11 of singhal2021 Algorithm 1: the arg max of noisy values over NULL and subspaces.

What is released is a subspace or NULL; the noisy values stay hidden. A value of this law is an array with one
row per candidate, NULL first and then the subspaces in canonical order:
    [value before noise, index of the candidate's standard draw, canonical rows padded with zeros (k * d)].

Privacy as corrected: on neighbours X, X' every subspace but s_1 and s_1' has value 0 twice and loses to NULL almost
surely, so either output is the arg max over {NULL, s_1, s_1'} alone, a function of at most three values that change
by 2 in L1 (`scores.VALUES_SENSITIVITY`) and carry independent TLap(2, epsilon, delta) noise (`primitives.truncated_laplace`).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from dppca.reference.noise import Array, ReleaseLaw, is_uniform
from dppca.reference.primitives.truncated_laplace import TruncatedLaplaceLaw, cdf
from dppca.reference.rigour.validation import shown
from dppca.reference.singhal2021.exact_linear_algebra import ExactRows, RationalSubspace, Vector

#: float64 holds every integer up to this size.
EXACT_INTEGER_MAX = 2**53
#: Nodes per smooth piece of the quadrature in `win_probability`.
QUADRATURE_NODES = 200


@dataclass(frozen=True)
class GapMaxLaw(ReleaseLaw):
    """The law of the candidate with the largest value + truncated Laplace noise; sensitivity of the values in L1.

    `draws` is the number of standard draws, uniform on [0, 1); it does not depend on the data. Releases the
    candidate's label (see `encode`) or None for NULL. Equal noisy values go to the first candidate.
    """

    scale: float
    bound: float
    draws: int
    kind: ClassVar[str] = "gap_max"
    norm: ClassVar[str] = "l1"

    def draw(self, value: Array, rng: np.random.Generator) -> Array:
        return np.asarray(rng.random(self.draws))

    def draw_shape(self, value: Array) -> tuple[int, ...]:
        return (self.draws,)

    def can_draw(self, draw: Array) -> bool:
        return is_uniform(draw)

    def apply(self, value: Array, draw: Array) -> Any:
        noise = TruncatedLaplaceLaw(self.scale, self.bound).noise(draw)
        winner = int(np.argmax(value[:, 0] + noise[value[:, 1].astype(int)]))
        return None if winner == 0 else value[winner, 2:].copy()

    def log_likelihood(self, value: Array, released: Any) -> float:
        if released is None:
            winner = 0
        else:
            matches = np.flatnonzero((value[1:, 2:] == np.asarray(released)).all(axis=1))
            if matches.size == 0:
                return -math.inf
            winner = 1 + int(matches[0])
        probability = win_probability(winner, value[:, 0], self.scale, self.bound)
        return math.log(probability) if probability > 0.0 else -math.inf

    def change(self, value: Array, other: Array) -> float:
        mine, theirs = _by_label(value), _by_label(other)
        return math.fsum(abs(mine.get(label, 0.0) - theirs.get(label, 0.0)) for label in mine.keys() | theirs.keys())


def win_probability(winner: int, values: NDArray[np.float64], scale: float, bound: float) -> float:
    """Return P(values[winner] + noise is the largest) for independent truncated Laplace noise.

    The integral of density(y) * prod_i P(noise <= y + values[winner] - values[i]); Gauss-Legendre on each piece
    between the integrand's kinks, where it is a polynomial in e^(y / scale) and e^(-y / scale).
    """
    leads = Counter((values[winner] - np.delete(values, winner)).tolist())
    kinks = {0.0, *(edge - lead for lead in leads for edge in (-bound, 0.0, bound))}
    edges = [-bound, *sorted(kink for kink in kinks if -bound < kink < bound), bound]
    nodes, weights = _quadrature()
    low, high = np.array(edges[:-1])[:, np.newaxis], np.array(edges[1:])[:, np.newaxis]
    y = 0.5 * (high - low) * nodes + 0.5 * (high + low)
    integrand = np.exp(-np.abs(y) / scale) / (-2.0 * scale * math.expm1(-bound / scale))
    for lead, count in leads.items():
        integrand = integrand * cdf(y + lead, scale, bound) ** count
    return min(1.0, math.fsum(0.5 * (high - low)[:, 0] * (integrand @ weights)))


@cache
def _quadrature() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    nodes, weights = np.polynomial.legendre.leggauss(QUADRATURE_NODES)
    return nodes, weights


def encode(
    null_value: Fraction, values: Mapping[RationalSubspace, Fraction], draw_of: Mapping[RationalSubspace, int], k: int, d: int
) -> NDArray[np.float64]:
    """Return the array that `GapMaxLaw` takes, shape (candidates + 1, 2 + k d). NULL owns standard draw 0."""
    rows: list[list[float]] = [[float(null_value), 0.0, *[0.0] * (k * d)]]
    for s in sorted(values):
        entries = [entry for row in s.rows for entry in row]
        padding = [0.0] * (k * d - len(entries))
        rows.append([float(values[s]), float(draw_of[s]), *map(float, entries), *padding])
    return np.array(rows)


def decode(label: Array | None, d: int) -> RationalSubspace | None:
    """Return the subspace that a released label stands for; None is NULL."""
    if label is None:
        return None
    rows = np.asarray(label).reshape(-1, d)
    return RationalSubspace(d, tuple(tuple(int(entry) for entry in row) for row in rows if row.any()))


@dataclass(frozen=True)
class RepresentableRows(ExactRows):
    """The domain of exact rows whose spans have canonical rows that are exact in float64, for subspaces of dimension k.

    Such entries divide k x k minors, so by Hadamard (|x|_2)^k <= 2^53 for every primitive row x is enough.
    """

    dimension: str = "k"
    refuses: ClassVar[str] = f"{ExactRows.refuses}, or of norm above 2^(53 / k) as a primitive integer vector"

    def check_for(self, name: str, data: tuple[Vector, ...], k: int) -> None:
        """Raise ValueError that names the first row that is too long."""
        for i, row in enumerate(data):
            square = sum(entry * entry for entry in row)
            if k * math.log2(max(square, 1)) > 108 or square**k > EXACT_INTEGER_MAX**2:
                raise ValueError(
                    f"{name}[{i}], as a primitive integer vector, must have Euclidean norm <= 2^(53 / k), "
                    f"got norm^2 = {shown(square)} for k = {k}"
                )


def _by_label(value: Array) -> dict[tuple[float, ...] | None, float]:
    labelled: dict[tuple[float, ...] | None, float] = {tuple(row[2:].tolist()): float(row[0]) for row in value[1:]}
    return {None: float(value[0, 0]), **labelled}
