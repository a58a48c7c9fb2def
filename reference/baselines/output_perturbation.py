"""Output perturbation: Gaussian noise on the projector of the principal subspace of the second-moment matrix.

As published (Dwork, McSherry, Nissim, Smith, TCC 2006: noise that is calibrated to how far a result can move; it has no listing
for PCA, so the lines are this project's). Rows in the unit ball.
  1  P = V V^T, V the k leading eigenvectors of X^T X
  2  P_hat = P + E, E symmetric, its upper triangle (diagonal included) i.i.d. N(0, sigma^2)
  3  the k leading eigenvectors of P_hat
Claimed here: P_hat is (epsilon, delta)-DP when a row is replaced. No gap between eigenvalues is assumed, so sigma is for the
worst case: two projectors of rank k differ by at most sqrt(2 min(k, d - k)) in Frobenius norm. One row reaches that for k = 1
and k = d - 1; for k between them only ties of eigenvalues do. The noise does not fall with n, so that the result is near a
random subspace in most cases: every other baseline is there to do better.

Symbols: X (n, d); P, P_hat (d, d); Delta_2 the L2 sensitivity; V_hat (d, k) the result.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from dppca.reference.api import ROWS, Matrix, Noise, Readings, Relation, Returns, checked, declare, point, rows_example
from dppca.reference.primitives.gaussian import GaussianCalibration, analytic_std
from dppca.reference.primitives.subspaces import principal_subspace, principal_subspace_of_rows, projector
from dppca.reference.primitives.symmetric import symmetric_matrix, upper_triangle


@checked
def projector_distance(d: int, k: int) -> float:
    """Return sup ||upper(P - Q)||_2 over projectors P, Q of rank k: sqrt(2 min(k, d - k)); for k = d, where it is 0, sqrt(2).

    The upper triangle is at most as long as P - Q, and ||P - Q||_F^2 = 2k - 2 tr(P Q), where tr(P Q) >= max(0, 2k - d).
    Coordinate projectors reach it.
    """
    return math.sqrt(2.0 * max(1, min(k, d - k)))


class Choices(Readings):
    """The one decision of this reading: the distance to which the noise is scaled."""

    distance: Callable[[int, int], float] = point("dwork2006.projector-distance", CORRECTED=projector_distance)


CORRECTED = Choices.read("CORRECTED")


def calibrate(epsilon: float, delta: float, d: int, k: int, choices: Choices = CORRECTED) -> GaussianCalibration:
    """Return sigma of line 2 and the L2 sensitivity of the upper triangle of P, for rows of dimension d and rank k."""
    delta_2 = choices.distance(d, k)  # line 2: Delta_2
    sigma = analytic_std(epsilon, delta, delta_2)  # line 2
    return GaussianCalibration(epsilon, delta, sigma, delta_2, "analytic", {"d": d, "k": k})


@declare(
    number="Section 3",
    title="Output perturbation of the principal subspace",
    paper="dwork2006",
    data=ROWS,
    relation=Relation.REPLACE_ONE,
    returns=Returns.EIGENVECTORS,
    calibrate=calibrate,
    claims=("dwork2006.output-perturbation",),
    example=rows_example(epsilon=1.0, delta=0.01, d=3, k=2),
)
def output_perturbation(X: Matrix, calibration: GaussianCalibration, noise: Noise) -> Matrix:
    """Add noise to the projector of the k leading eigenvectors of X^T X, k as calibrated, and return those of the sum."""
    k = calibration.sizes["k"]
    P = projector(principal_subspace_of_rows(X, k))  # line 1
    upper = noise.gaussian(  # line 2: P_hat, upper triangle
        "P_hat", upper_triangle(P), std=calibration.std, sensitivity=calibration.sensitivity
    )
    return principal_subspace(symmetric_matrix(upper, X.shape[1]), k)  # line 3: V_hat
