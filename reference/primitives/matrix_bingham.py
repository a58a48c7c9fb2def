"""The matrix Bingham law on subspaces: density proportional to exp(tr V^T M V) for an orthonormal basis V (d, k), k = d - 1.

tr V^T M V is a function of the span alone: with its unit normal n it is tr M - n^T M n, so n has the Bingham law of -M
(primitives/bingham.py), with that law's exact sampler and its normaliser. For 1 < k < d - 1 no exact sampler is known here
whose probability of acceptance is bounded below, and no accurate normaliser.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from dppca.reference.noise import Array, ReleaseLaw
from dppca.reference.primitives.bingham import BinghamLaw, log_normaliser
from dppca.reference.primitives.orthonormal import complement
from dppca.reference.rigour.validation import check_positive

#: A release must be orthonormal up to this error of its Gram matrix.
ORTHONORMAL_SLACK = 1e-9


@dataclass(frozen=True)
class MatrixBinghamLaw(ReleaseLaw):
    """The law of a basis V (d, d - 1) with density exp(multiplier * tr V^T A V) / c, for a symmetric value A (d, d).

    The density is with respect to the uniform law on the subspaces. Sensitivity: the largest change of the score tr V^T A V
    over all V. The standard draw is that of the Bingham law of the normal.
    """

    multiplier: float
    kind: ClassVar[str] = "matrix_bingham"
    norm: ClassVar[str] = "score"

    def __post_init__(self) -> None:
        check_positive("multiplier", self.multiplier)

    def draw_shape(self, value: Array) -> tuple[int, ...]:
        return BinghamLaw(self.multiplier).draw_shape(value)

    def draw(self, value: Array, rng: np.random.Generator) -> Array:
        return BinghamLaw(self.multiplier).draw(value, rng)

    def can_draw(self, draw: Array) -> bool:
        return BinghamLaw(self.multiplier).can_draw(draw)

    def apply(self, value: Array, draw: Array) -> Any:
        return complement(BinghamLaw(self.multiplier).apply(-value, draw))

    def can_release(self, value: Array, released: Any) -> bool:
        d = len(value)
        if np.shape(released) != (d, d - 1):
            return False
        return bool(np.abs(released.T @ released - np.eye(d - 1)).max() <= ORTHONORMAL_SLACK)

    def log_likelihood(self, value: Array, released: Any) -> float:
        if not self.can_release(value, released):
            return -math.inf
        outside = float(np.trace(value) - np.trace(released.T @ value @ released))  # n^T A n
        return -self.multiplier * outside - log_normaliser(-self.multiplier * value)

    def change(self, value: Array, other: Array) -> float:
        eigenvalues = np.linalg.eigvalsh(value - other)
        return float(max(eigenvalues[1:].sum(), -eigenvalues[:-1].sum()))
