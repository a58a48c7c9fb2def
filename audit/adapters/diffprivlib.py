"""diffprivlib (IBM, extra `diffprivlib`) as an implementation of the exponential mechanism for a principal subspace.

`pytest audit/ --implementation dppca.audit.adapters.diffprivlib:MECHANISM` (or `:PCA`) audits it alone.
"""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

import diffprivlib
import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]
VERSION = version(__name__.rpartition(".")[2])


def eigenvector(second_moment: Matrix, rng: np.random.Generator, *, epsilon: float) -> Matrix:
    """Return a direction drawn by `mechanisms.Bingham`, shape (d,); it spends epsilon."""
    mechanism = diffprivlib.mechanisms.Bingham(epsilon=epsilon, random_state=_legacy(rng))
    direction: Matrix = mechanism.randomise(second_moment)
    return direction


def mechanism(data: Matrix, rng: np.random.Generator, *, epsilon: float, k: int) -> Matrix:
    """Return k = 1 direction drawn by `mechanisms.Bingham` on X^T X, shape (d, 1)."""
    if k != 1:
        raise NotImplementedError(f"mechanisms.Bingham draws one direction, not {k}")
    return eigenvector(data.T @ data, rng, epsilon=epsilon)[:, np.newaxis]


def pca(data: Matrix, rng: np.random.Generator, *, epsilon: float, k: int) -> Matrix:
    """Return the components of `models.PCA` on centred rows in the unit ball; its eigenvalues' share of epsilon is lost."""
    model = diffprivlib.models.PCA(k, epsilon=epsilon, data_norm=1.0, centered=True, random_state=_legacy(rng))
    components: Matrix = model.fit(data).components_
    return components.T


def _legacy(rng: np.random.Generator) -> Any:
    """Return the same stream as the kind of generator that diffprivlib takes."""
    return np.random.RandomState(rng.bit_generator)


MECHANISM = {"baselines.exponential_mechanism": mechanism}
PCA = {"baselines.exponential_mechanism": pca}
