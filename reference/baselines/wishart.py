"""Wishart mechanism.

As published (Jiang, Xie, Zhang, AAAI 2016, Algorithm 1; arXiv 1511.05680; lines numbered here). Rows in the unit ball.
  1  W ~ W_d(d + 1, C), all eigenvalues of C equal to 3 / (2 n epsilon)
  2  A_hat = X^T X / n + W
  3  the k leading eigenvectors of A_hat
Claimed there: A_hat is (epsilon, 0)-DP when a row is replaced, n public. No scale makes it so (primitives/wishart.py): the
exact profile is 1 - exp(-1 / (2 c n)) at every epsilon, 1 - exp(-epsilon / 3) with the published scale c.

Symbols: X (n, d); W, A_hat (d, d); c the scale; V (d, k) the result.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from dppca.reference.api import ROWS, Matrix, Noise, Readings, Relation, Returns, declare, point, rows_example
from dppca.reference.primitives import row_changes
from dppca.reference.primitives.subspaces import principal_subspace
from dppca.reference.primitives.wishart import WishartLaw
from dppca.reference.rigour.validation import check_count, check_delta, check_epsilon

#: The corrected scale overshoots the smallest sufficient one by this relative amount, more than its four roundings.
SCALE_MARGIN = 1e-14


class Choices(Readings):
    """The one decision of a reading, the scale: the paper's, claimed with delta = 0, or the one of exact profile delta."""

    scale: Literal["pure", "support"] = point(
        "jiang2016.theorem-pure", "jiang2016.exact-profile", AS_PRINTED="pure", CORRECTED="support"
    )


AS_PRINTED, CORRECTED = Choices.read("AS_PRINTED"), Choices.read("CORRECTED")


@dataclass(frozen=True)
class WishartCalibration:
    """The scale, the guarantee that is claimed for it, and the n that it is for."""

    epsilon: float
    delta: float
    n: int
    scale: float


def calibrate(epsilon: float, delta: float, n: int, choices: Choices = CORRECTED) -> WishartCalibration:
    """Return the scale of line 1 for n rows. As published it is for any delta, 0 included; as corrected, for any epsilon."""
    check_epsilon(epsilon)
    check_count("n", n)
    if choices.scale == "pure":
        check_delta(delta, allow_zero=True)
        delta = 0.0
        scale = 3.0 / (2.0 * n * epsilon)  # line 1: c
    else:
        scale = -1.0 / (2.0 * n * math.log1p(-check_delta(delta))) * (1.0 + SCALE_MARGIN)  # line 1: c
    return WishartCalibration(epsilon, delta, n, scale)


@declare(
    number="Algorithm 1",
    title="Wishart mechanism",
    paper="jiang2016",
    data=ROWS,
    relation=Relation.REPLACE_ONE,
    returns=Returns.EIGENVECTORS,
    unstated=(2,),
    calibrate=calibrate,
    example=rows_example(epsilon=1.0, delta=0.01, n=3, k=2),
)
def wishart_mechanism(X: Matrix, k: int, calibration: WishartCalibration, noise: Noise) -> Matrix:
    """Add Wishart noise to X^T X / n and return its k leading eigenvectors."""
    n, d = X.shape
    law = WishartLaw(calibration.scale)
    A_hat = noise.release("A_hat", X.T @ X / n, law, sensitivity=row_changes.nuclear(d) / n)  # line 1
    return principal_subspace(A_hat, k)  # line 3: V
