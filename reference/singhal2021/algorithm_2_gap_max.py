"""Algorithm 2 with the cell of most blocks selected by its lead, not by a histogram of all cells.

Not in print: a better line 15 (singhal2021, Algorithm 2). Lines 1 to 14 and 19 to 24 are those of `algorithm_2_approximate`.
Let c_1 >= c_2 be the largest counts of blocks in a cell; the lead is v = max(0, c_1 - c_2 - 1). The leading cell is shown where
v + TLap(2, epsilon, delta) > A, the noise's bound, and bottom otherwise.
Claimed (note, "Selection by the lead"): (epsilon, delta)-DP for delta <= 1/2 when a row is replaced, n public. If three
quarters of the blocks share a cell, it is shown with certainty from t = 3 + 4A blocks on, at most 12 + 8 ln(1/delta) / epsilon;
the histogram needs a term ln(1/epsilon) / epsilon besides.

Symbols: as in `algorithm_2_approximate`; A the noise's bound.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dppca.reference.declaration import Choice, RealRows, Returns, declare
from dppca.reference.noise import Noise
from dppca.reference.primitives.outwards import divide_up
from dppca.reference.primitives.truncated_laplace import support_bound
from dppca.reference.primitives.validation import check_count, check_positive, check_subspace_dimension
from dppca.reference.relation import Relation
from dppca.reference.singhal2021 import theorem_c
from dppca.reference.singhal2021.algorithm_2_approximate import projected_blocks, rows_per_block, subspace_of_cell
from dppca.reference.singhal2021.examples import line_example
from dppca.reference.singhal2021.gap_threshold import LEAD_SENSITIVITY, GapThresholdLaw, labelled


@dataclass(frozen=True)
class Choices:
    """The one decision of this reading: the rule that takes the place of line 15."""

    selection: Choice[str]


CORRECTED = Choices(selection=Choice("lead against the noise's bound", "singhal2021.algorithm-2-gap-max-selection"))


@dataclass(frozen=True)
class GapMaxSelectionCalibration:
    """The sizes that line 1 sets, and the noise: scale and bound A; `cell` is l, in units of a point's entries."""

    epsilon: float
    delta: float
    n: int
    d: int
    k: int
    t: int
    m: int
    q: int
    cell: float
    scale: float
    bound: float
    sensitivity: float
    assumptions: tuple[str, ...]


def calibrate(
    epsilon: float, delta: float, gamma: float, *, n: int, d: int, k: int, choices: Choices = CORRECTED
) -> GapMaxSelectionCalibration:
    """Return the blocks, the cell length and the noise for n rows of dimension d and subspaces of dimension k.

    `gamma` bounds sqrt(lambda_{k+1} / lambda_k); accuracy alone rests on it.

    Raises:
        ValueError: epsilon or gamma not > 0, delta not in (0, 1/2], n or d not an integer >= 1, k not an integer in 1..d, or n
            too small for t blocks of at least k + 2 rows.
    """
    check_subspace_dimension(k, check_count("d", d))
    check_positive("gamma", gamma)
    check_count("n", n)
    bound = support_bound(epsilon, delta, LEAD_SENSITIVITY)
    t = math.ceil(3.0 + 4.0 * bound)
    m = rows_per_block(n, t, k)
    q = math.ceil(theorem_c.C_1 * k)
    return GapMaxSelectionCalibration(
        epsilon=epsilon,
        delta=delta,
        n=n,
        d=d,
        k=k,
        t=t,
        m=m,
        q=q,
        cell=theorem_c.union_bound_length(gamma, d=d, k=k, m=m, q=q, c_2=theorem_c.C_2),
        scale=divide_up(LEAD_SENSITIVITY, epsilon),
        bound=bound,
        sensitivity=LEAD_SENSITIVITY,
        assumptions=("one row lies in one block, so two counts change by 1", f"line 15: {choices.selection.value}"),
    )


def leading_cell(cells: NDArray[np.float64]) -> tuple[int, NDArray[np.float64]]:
    """Return the lead max(0, c_1 - c_2 - 1) and the cell of c_1 blocks, for the cells of the blocks, shape (t, any)."""
    found, counts = np.unique(cells, axis=0, return_counts=True)
    ranking = np.sort(counts)[::-1]
    second = int(ranking[1]) if len(ranking) > 1 else 0
    return max(0, int(ranking[0]) - second - 1), found[np.argmax(counts)]


@declare(
    key="singhal2021.approximate_subspace_estimator_gap_max",
    number="Algorithm 2",
    title="DP approximate subspace estimator, the cell selected by its lead",
    data=RealRows("n", "d"),
    relation=Relation.REPLACE_ONE,
    returns=Returns.VECTOR,
    calibrate=calibrate,
    choices={"CORRECTED": CORRECTED},
    claims=("singhal2021.algorithm-2-gap-max-selection",),
    example=line_example(1, epsilon=4.0, delta=0.01, gamma=1e-4, n=120, d=3, k=1),
)
def approximate_subspace_estimator_gap_max(
    X: NDArray[np.float64], calibration: GapMaxSelectionCalibration, noise: Noise
) -> NDArray[np.float64] | None:
    """Find the cell that most blocks' projections share, and the subspace of a random point in it.

    Args:
        X: rows, shape (n, d), n and d as calibrated. Rows beyond t m are not used.
        calibration: what `calibrate` returned.
        noise: the seam. Draws: public "reference points" (q, d) normal; public "offset" () uniform, in cells; the release
            "cell"; unless that is None, public "point in cell" (q d,) uniform.

    Returns:
        The projector Pi_hat, shape (d, d), of rank k; None for bottom.

    Raises:
        ValueError: X is not finite or not (n, d).
    """
    cells, offset = projected_blocks(X, calibration, noise)
    lead, cell = leading_cell(cells)
    law = GapThresholdLaw(calibration.scale, calibration.bound)
    omega = noise.release("cell", labelled(lead, cell, cells.shape[1]), law, sensitivity=calibration.sensitivity)
    return None if omega is None else subspace_of_cell(omega, offset, calibration, noise)
