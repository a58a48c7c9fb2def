"""DP approximate subspace estimator.

As published (singhal2021, Algorithm 2; proceedings text).
  1  t = C_0 ln(1 / delta) / epsilon, m = floor(n / t), q = C_1 k,
     l = C_2 gamma sqrt(d k) (sqrt(k) + sqrt(ln(k t))) / sqrt(m)
  2  p_1, ..., p_q ~ N(0, I)
  3  for j = 1, ..., t
  4    X^j = rows (j - 1) m + 1, ..., j m of X
  5    Pi_j = projector onto the top-k eigenvectors of X^j (X^j)^T
  6    for i = 1, ..., q
  7      p_i^j = Pi_j p_i
  8    end
  9  end
 10  lambda uniform on [0, 1)
 11  cells [lambda l + i l, lambda l + (i + 1) l) in every coordinate of R^(q d), i an integer
 12  every cell is a bucket
 13  Q_i = the columns p_i^1, ..., p_i^t
 14  Q = Q_1, ..., Q_q one above the other
 15  omega = a cell with at least t / 2 columns of Q, by an (epsilon, delta)-DP histogram
 16  if there is none
 17    output bottom
 18  end
 19  p^ = a random point of omega
 20  for i = 1, ..., q
 21    p^_i = entries (i - 1) d + 1, ..., i d of p^
 22  end
 23  Pi^ = projector onto the top-k subspace of p^_1, ..., p^_q
 24  output Pi^
Claimed there: (epsilon, delta)-DP when a row is replaced, n public (Lemma 3.4); ||Pi^ - Pi|| <= alpha with probability >= 0.7
for Gaussian rows with lambda_{k+1} <= gamma^2 lambda_k (Theorem 3.3).
Read here: t and q are rounded up, m down; line 7 is published with Pi_i p_i; a noisy count has to exceed the threshold, and of
several cells the one with the largest is taken. The constants, and what is corrected of line 1, are `theorem_c`'s.

Symbols: X (n, d); t blocks of m rows; p_i reference points, q of them; Pi_j (d, d); l (ell) cell length; lambda grid
offset in cells; omega cell, an integer tuple of length q d.
"""

from __future__ import annotations

import math
from typing import Literal

import numpy as np

from dppca.reference.api import Matrix, Noise, Readings, RealRows, Relation, Returns, checked, declare, point
from dppca.reference.primitives.sparse_histogram import REPLACE_ONE_SENSITIVITY, SparseHistogramLaw, stability_threshold
from dppca.reference.primitives.subspaces import principal_subspace_of_rows, projector
from dppca.reference.rigour.outwards import divide_up
from dppca.reference.singhal2021 import theorem_c
from dppca.reference.singhal2021.examples import line_example
from dppca.reference.singhal2021.theorem_c import ApproximateCalibration, Blocks, cell_length, rows_per_block


class Choices(Readings):
    """The decisions of a reading: the constants that the paper hides, the cell length and t of line 1, the rule of line 15."""

    C_0: float = point("singhal2021.algorithm-2-constants", every=theorem_c.C_0)
    C_1: float = point("singhal2021.algorithm-2-constants", every=theorem_c.C_1)
    C_2: float = point("singhal2021.algorithm-2-constants", every=theorem_c.C_2)
    cell_length: Literal["printed", "union bound"] = point(
        "singhal2021.algorithm-2-cell-length", AS_PRINTED="printed", CORRECTED="union bound"
    )
    threshold: Literal["half", "half and stable"] = point(
        "singhal2021.algorithm-2-threshold", AS_PRINTED="half", CORRECTED="half and stable"
    )
    blocks: Literal["printed", "at least the fewest"] = point(
        "singhal2021.algorithm-2-block-count", AS_PRINTED="printed", CORRECTED="at least the fewest"
    )


AS_PRINTED, CORRECTED = Choices.read("AS_PRINTED"), Choices.read("CORRECTED")


@checked
def calibrate(
    epsilon: float, delta: float, gamma: float, *, n: int, d: int, k: int, choices: Choices = CORRECTED
) -> ApproximateCalibration:
    """Return what line 1 sets for n rows of dimension d and subspaces of dimension k, and the private histogram.

    `gamma` bounds sqrt(lambda_{k+1} / lambda_k). n is large enough for t blocks of at least k + 2 rows. One row lies in one
    block, so two counts change by 1.
    """
    t = math.ceil(choices.C_0 * math.log(1.0 / delta) / epsilon)  # line 1
    if choices.blocks == "at least the fewest":
        t = max(t, theorem_c.fewest_blocks(epsilon, choices.C_0))  # line 1
    m = rows_per_block(n, t, k)  # line 1
    q = math.ceil(choices.C_1 * k)  # line 1
    threshold = 0.5 * t  # line 15
    if choices.threshold == "half and stable":
        threshold = max(threshold, stability_threshold(epsilon, delta))  # line 15
    cell = cell_length(gamma, d=d, k=k, t=t, m=m, q=q, choices=choices)  # line 1: l
    scale = divide_up(REPLACE_ONE_SENSITIVITY, epsilon)
    return ApproximateCalibration(epsilon, delta, n, d, k, t, m, q, cell, scale, threshold, sensitivity=REPLACE_ONE_SENSITIVITY)


def projected_blocks(X: Matrix, sizes: Blocks, noise: Noise, prefix: str = "") -> tuple[Matrix, float]:
    """Return the cells of the t blocks, shape (t, q d), and the grid's offset: lines 2 to 14."""
    t, m, q, d, k = sizes.t, sizes.m, sizes.q, sizes.d, sizes.k
    p = noise.public_normal(prefix + "reference points", (q, d))  # line 2
    projections = np.empty((t, q, d))
    for j in range(t):  # line 3
        X_j = X[j * m : (j + 1) * m]  # line 4: X^j
        Pi_j = projector(principal_subspace_of_rows(X_j, k))  # line 5
        for i in range(q):  # line 6
            projections[j, i] = Pi_j @ p[i]  # line 7: p_i^j
    offset = float(noise.public_uniform(prefix + "offset", ()))  # line 10: lambda
    # One row per column of the paper's Q.
    Q = projections.reshape(t, q * d)  # line 14
    return np.floor(Q / sizes.cell - offset), offset


def subspace_of_cell(omega: Matrix, offset: float, sizes: Blocks, noise: Noise, prefix: str = "") -> Matrix:
    """Return the projector of a random point of a cell, shape (d, d): lines 19 to 24."""
    q, d, k = sizes.q, sizes.d, sizes.k
    u = noise.public_uniform(prefix + "point in cell", (q * d,))
    p_hat = (offset + omega + u) * sizes.cell  # line 19: p^
    P_hat = p_hat.reshape(q, d)  # line 21: p^_1, ..., p^_q
    return projector(principal_subspace_of_rows(P_hat, k))  # line 24: Pi^


@declare(
    number="Algorithm 2",
    title="DP approximate subspace estimator",
    data=RealRows("n", "d"),
    relation=Relation.REPLACE_ONE,
    returns=Returns.PROJECTOR,
    unstated=(8, 9, 11, 12, 13, 18, 20, 22, 23),
    calibrate=calibrate,
    claims=("singhal2021.lemma-3.4", "singhal2021.theorem-3.3"),
    example=line_example(1, epsilon=4.0, delta=0.01, gamma=1e-4, n=120, d=3, k=1),
)
def approximate_subspace_estimator(
    X: Matrix, calibration: ApproximateCalibration, noise: Noise, prefix: str = ""
) -> Matrix | None:
    """Find the cell of most blocks' projections by a private histogram, and the subspace of a random point in it.

    Rows beyond t m are not used. The result is the projector Pi_hat, shape (d, d), of rank k; None for bottom.
    """
    cells, offset = projected_blocks(X, calibration, noise, prefix)
    law = SparseHistogramLaw(calibration.scale, calibration.threshold)
    survivors = noise.release(prefix + "histogram", cells, law, sensitivity=calibration.sensitivity)  # line 15: histogram
    if len(survivors) == 0:  # line 16
        return None  # line 17: bottom
    omega = survivors[np.argmax(survivors[:, 0]), 1:]
    return subspace_of_cell(omega, offset, calibration, noise, prefix)
