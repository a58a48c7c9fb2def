"""Oja's algorithm, without privacy.

Print (liu2022, Algorithm 1; the same in the proceedings and on arXiv).
  1  w_0 uniform on the unit sphere
  2  for t = 1, ..., T: w' = w_{t-1} + eta_t A_t w_{t-1}, w_t = w' / |w'|
  3  output w_T
Claimed there: the error bound of Theorem 2.2. Nothing is private.

Symbols: A (n, d, d), or rows (n, d); w (d,), a unit vector; eta_t > 0. T steps, one record each.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dppca.reference.declaration import Returns, declare
from dppca.reference.liu2022.data import RECORDS, gradients, normalise, rows_example
from dppca.reference.noise import Noise
from dppca.reference.primitives.validation import check_step_sizes
from dppca.reference.relation import Relation


@declare(
    key="liu2022.oja",
    number="Algorithm 1",
    title="(Non-private) Oja's Algorithm",
    data=RECORDS,
    relation=Relation.REPLACE_ONE,
    private=False,
    returns=Returns.VECTOR,
    lines=3,
    symbols={"w_prime": "w'", "return": "w_T"},
    choices={"AS_PRINTED": None},
    claims=("liu2022.theorem-2.2",),
    example=rows_example(step_sizes=(0.5, 0.4, 0.3)),
)
def oja(A: NDArray[np.float64], step_sizes: ArrayLike, noise: Noise) -> NDArray[np.float64]:
    """Take T gradient steps, one record each, and normalise after each of them.

    Args:
        A: matrices (n, d, d), or rows (n, d) that stand for x_i x_i^T.
        step_sizes: eta_1, ..., eta_T, each > 0, T <= n.
        noise: the seam. Draws: public normal "w[0]" (d,).

    Returns:
        w_T, a unit vector, shape (d,).

    Raises:
        ValueError: A or step_sizes outside its domain, more steps than records, or an iterate that became 0.
    """
    n, d = A.shape[:2]
    eta = check_step_sizes(step_sizes)
    if len(eta) > n:
        raise ValueError(f"step_sizes must be at most {n}, one for each record, got {len(eta)}")
    w = normalise(noise.public_normal("w[0]", (d,)))  # line 1
    for t in range(1, len(eta) + 1):
        w_prime = w + eta[t - 1] * gradients(A[t - 1 : t], w)[0]  # line 2
        w = normalise(w_prime)  # line 2
    return w  # line 3
