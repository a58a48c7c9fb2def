"""OpenDP (extra `opendp`) as an implementation of the exponential mechanism for a principal subspace.

`pytest audit/ --implementation dppca.audit.adapters.opendp:MECHANISM` (or `:PCA`) audits it alone.

Its eigenvectors come from one cryptographic generator per process, which here is the auditor's instead: a seed then
repeats the run, and processes that fork do not share its buffer. Epsilon is for one changed record (`d_in` = 2).
"""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

import numpy as np
import opendp._lib
import opendp.prelude as dp
from numpy.typing import NDArray
from opendp.extras.numpy import _sscp_domain
from opendp.extras.sklearn._make_eigenvector import make_private_eigenvector, make_private_eigenvectors
from opendp.extras.sklearn.decomposition import make_private_pca

Matrix = NDArray[np.float64]
VERSION = version(__name__.rpartition(".")[2])

dp.enable_features("contrib", "idealized-numerics")


def eigenvector(second_moment: Matrix, rng: np.random.Generator, *, epsilon: float) -> Matrix:
    """Return a direction drawn by `make_private_eigenvector`, shape (d,); it spends epsilon."""
    opendp._lib._np_csprng = rng
    space = _sscp_domain(num_features=len(second_moment), norm=1.0, p=2, T=float), dp.symmetric_distance()
    return np.array(make_private_eigenvector(*space, unit_epsilon=epsilon)(second_moment))


def mechanism(data: Matrix, rng: np.random.Generator, *, epsilon: float, k: int) -> Matrix:
    """Return k directions drawn by `make_private_eigenvectors` on X^T X, epsilon / k for each."""
    opendp._lib._np_csprng = rng
    d = data.shape[1]
    if k > d - 1:
        raise NotImplementedError(f"make_private_eigenvectors draws at most {d - 1} directions in dimension {d}")
    space = _sscp_domain(num_features=d, norm=1.0, p=2, T=float), dp.symmetric_distance()
    directions: Matrix = make_private_eigenvectors(*space, unit_epsilons=[epsilon / k] * k)(data.T @ data)
    return directions[:, :k]


def pca(data: Matrix, rng: np.random.Generator, *, epsilon: float, k: int) -> Matrix:
    """Return the components of `make_private_pca` on centred rows in the unit ball; half of epsilon goes to eigenvalues."""
    opendp._lib._np_csprng = rng
    n, d = data.shape
    domain: Any = dp.numpy.array2_domain(norm=1.0, p=2, origin=0.0, size=n, num_columns=d, T=float)
    found = make_private_pca(domain, dp.symmetric_distance(), unit_epsilon=float(epsilon), num_components=k)(data)
    components: Matrix = found.Vt[:k]
    return components.T


MECHANISM = {"baselines.exponential_mechanism": mechanism}
PCA = {"baselines.exponential_mechanism": pca}
