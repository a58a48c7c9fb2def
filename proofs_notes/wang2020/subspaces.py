"""Subspaces with rational bases, and the distance between them, for the checks of wang2020."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np

from dppca.proofs_notes.ledger.rational import Matrix, identity, inverse, matrix

#: Room for the rounding of float64 code on matrices of a few rows with entries of order 1.
ROUNDING = 1e-9


def orthonormal(p: int, k: int, source: random.Random) -> Matrix:
    """k columns of a rational orthogonal matrix, the Cayley transform of a random skew matrix."""
    A = matrix([[Fraction(source.randint(-9, 9), source.randint(1, 9)) for _ in range(p)] for _ in range(p)])
    skew = A - A.T
    return ((identity(p) - skew) @ inverse(identity(p) + skew))[:, :k]


def projection(V: Matrix) -> Matrix:
    """Return V V^T."""
    return V @ V.T


def sin_squared(V: Matrix, W: Matrix) -> Fraction:
    """||sin Theta||_F^2 = k - tr(E F)."""
    return V.shape[1] - Fraction(np.trace(projection(V) @ projection(W)))


def pairs(count: int, p: int, k: int, seed: int) -> list[tuple[Matrix, Matrix]]:
    """Random pairs of rational orthonormal (p, k) matrices."""
    source = random.Random(seed)
    return [(orthonormal(p, k, source), orthonormal(p, k, source)) for _ in range(count)]
