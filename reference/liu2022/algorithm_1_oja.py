"""Oja's algorithm, without privacy (liu2022, Algorithm 1).

Guarantee claimed: the error bound of Theorem 2.2. Nothing is private.
Claims: liu2022.theorem-2.2.

Symbols: A (n, d, d) or rows (n, d); w_t (d,), a unit vector; eta_t > 0. T = n steps, one datum each.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dppca.reference.liu2022.data import check_data, gradients, normalise
from dppca.reference.liu2022.private_update import check_step_sizes
from dppca.reference.noise import Noise


def oja(A: ArrayLike, step_sizes: ArrayLike, noise: Noise) -> NDArray[np.float64]:
    """Algorithm 1.

    Args:
        A: matrices (n, d, d), or rows (n, d) that stand for x_i x_i^T.
        step_sizes: eta_1, ..., eta_T, each > 0, T <= n.
        noise: the seam. Draws: public normal "w[0]" (d,).

    Returns:
        w_T, a unit vector, shape (d,).

    Raises:
        ValueError: malformed data or step sizes, more steps than data, or an iterate that became 0.
    """
    data = check_data("A", A)
    eta = check_step_sizes(step_sizes)
    if len(eta) > len(data):
        raise ValueError(f"step_sizes must be at most {len(data)}, one for each datum, got {len(eta)}")
    w = normalise(noise.public_normal("w[0]", (data.shape[1],)))  # line 1
    for t in range(1, len(eta) + 1):
        w_prime = w + eta[t - 1] * gradients(data[t - 1 : t], w)[0]  # line 2
        w = normalise(w_prime)  # line 2
    return w  # line 3
