"""Oja's algorithm, without privacy.

As published (liu2022, Algorithm 1; the same in the proceedings and on arXiv).
  1  w_0 uniform on the unit sphere
  2  for t = 1, ..., T: w' = w_{t-1} + eta_t A_t w_{t-1}, w_t = w' / |w'|
  3  output w_T
Claimed there: the error bound of Theorem 2.2. Nothing is private.

Symbols: A (n, d, d), or rows (n, d); w (d,), a unit vector; eta_t > 0. T steps, one record each.
"""

from __future__ import annotations

from numpy.typing import ArrayLike

from dppca.reference.api import Matrix, Noise, Relation, Returns, declare
from dppca.reference.liu2022.data import RECORDS, gradients, normalise, rows_example
from dppca.reference.rigour.validation import check_step_sizes


@declare(
    number="Algorithm 1",
    title="(Non-private) Oja's Algorithm",
    data=RECORDS,
    relation=Relation.REPLACE_ONE,
    private=False,
    returns=Returns.VECTOR,
    choices={"AS_PRINTED": None},
    claims=("liu2022.theorem-2.2",),
    example=rows_example(step_sizes=(0.5, 0.4, 0.3)),
)
def oja(A: Matrix, step_sizes: ArrayLike, noise: Noise) -> Matrix:
    """Take T <= n gradient steps, one record each, and normalise after each of them; an iterate that became 0 is refused."""
    n, d = A.shape[:2]
    eta = check_step_sizes(step_sizes)
    if len(eta) > n:
        raise ValueError(f"step_sizes must be at most {n}, one for each record, got {len(eta)}")
    w = normalise(noise.public_normal("w[0]", (d,)))  # line 1
    for t in range(1, len(eta) + 1):
        w_prime = w + eta[t - 1] * gradients(A[t - 1 : t], w)[0]  # line 2: w'
        w = normalise(w_prime)  # line 2
    return w  # line 3: w_T
