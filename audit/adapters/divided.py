"""The law of a Bingham sampler that divides where it must multiply, as diffprivlib 0.6.6 and OpenDP 0.16.0 do.

Both draw proposals v from the angular central Gaussian with density proportional to q(v)^(-d/2), q(v) = v^T Omega v,
Omega = I + 2 A / b, and want the density exp(-v^T A v), A positive semidefinite with eigenvalue 0 (Kent, Ganeiban,
Mardia 2018). With M the supremum of exp(-v^T A v) q^(d/2) a proposal must be accepted with probability
exp(-v^T A v) q^(d/2) / M. They accept it with exp(-v^T A v) / (M q^(d/2)), which is a probability too, since M, q >= 1.
So what they draw has the density exp(-v^T A v) q(v)^(-d): the law is too narrow, by a factor that grows with d.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from dppca.reference.primitives.bingham import envelope


def tie_epsilon(d: int, rows: int, multiplier: float) -> float:
    """Return the pure epsilon of the divided law on a pair that decides between two leading directions, d >= 3.

    X^T X = diag(rows + 1, rows, 0, ...) on one dataset and diag(rows, rows + 1, 0, ...) on the other. They have the same
    b and normaliser, so the loss at v is z - y + d log((b + 2 z) / (b + 2 y)) for the quadratic forms y, z of the two.
    z - y = multiplier (v_1^2 - v_2^2), so it is largest at v = e_1, where y = 0 and z = multiplier.
    """
    gaps = multiplier * np.array([0.0, 1.0, *[rows + 1.0] * (d - 2)])
    b, _ = envelope(gaps)
    return multiplier + d * math.log1p(2.0 * multiplier / b)


def off_axis_cdf(gap: float, d: int, *, divided: bool) -> Callable[[NDArray[np.float64]], NDArray[np.float64]]:
    """Return P(1 - v_1^2 <= x) where A = gap (I - e_1 e_1^T), d >= 2; Bingham, or divided. By quadrature.

    1 - v_1^2 = sin^2 t, and uniform directions have the density sin^(d - 2) t.
    """
    t = np.linspace(0.0, 0.5 * math.pi, 200_001)
    form = gap * np.sin(t) ** 2
    b, _ = envelope(gap * np.array([0.0] + [1.0] * (d - 1)))
    density = np.exp(-form) * np.sin(t) ** (d - 2) * ((1.0 + 2.0 * form / b) ** -d if divided else 1.0)
    mass = np.concatenate([[0.0], np.cumsum(0.5 * (density[1:] + density[:-1]))])
    return lambda w: np.interp(np.arcsin(np.sqrt(w)), t, mass / mass[-1])
