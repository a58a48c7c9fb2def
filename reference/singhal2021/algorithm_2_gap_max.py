"""Algorithm 2 with the cell of most blocks selected by its lead, not by a histogram of all cells.

Not in the paper: a better line 15 (singhal2021, Algorithm 2). Lines 1-14 and 19 to 24 are those of `algorithm_2_approximate`.
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
from typing import Literal

import numpy as np

from dppca.reference.api import Matrix, Noise, Readings, RealRows, Relation, Returns, checked, declare, point
from dppca.reference.primitives.truncated_laplace import support_bound
from dppca.reference.rigour.outwards import divide_up
from dppca.reference.singhal2021 import theorem_c
from dppca.reference.singhal2021.algorithm_2_approximate import projected_blocks, subspace_of_cell
from dppca.reference.singhal2021.examples import line_example
from dppca.reference.singhal2021.gap_threshold import LEAD_SENSITIVITY, GapThresholdLaw, labelled
from dppca.reference.singhal2021.theorem_c import Blocks, rows_per_block


class Choices(Readings):
    """The one decision of this reading: the rule that takes the place of line 15."""

    selection: Literal["lead"] = point("singhal2021.algorithm-2-gap-max-selection", CORRECTED="lead")


CORRECTED = Choices.read("CORRECTED")


@dataclass(frozen=True)
class GapMaxSelectionCalibration(Blocks):
    """The sizes that line 1 sets, and the noise: scale and bound A."""

    scale: float
    bound: float
    sensitivity: float


@checked
def calibrate(
    epsilon: float, delta: float, gamma: float, *, n: int, d: int, k: int, choices: Choices = CORRECTED
) -> GapMaxSelectionCalibration:
    """Return the blocks, the cell length and the noise for n rows of dimension d and subspaces of dimension k.

    `gamma` and n are as in `algorithm_2_approximate`; delta is at most 1/2. One row lies in one block, so two counts change by
    1.
    """
    del choices
    bound = support_bound(epsilon, delta, LEAD_SENSITIVITY)
    t = math.ceil(3.0 + 4.0 * bound)
    m = rows_per_block(n, t, k)
    q = math.ceil(theorem_c.C_1 * k)
    cell = theorem_c.union_bound_length(gamma, d=d, k=k, m=m, q=q, c_2=theorem_c.C_2)
    scale = divide_up(LEAD_SENSITIVITY, epsilon)
    return GapMaxSelectionCalibration(epsilon, delta, n, d, k, t, m, q, cell, scale, bound, LEAD_SENSITIVITY)


def leading_cell(cells: Matrix) -> tuple[int, Matrix]:
    """Return the lead max(0, c_1 - c_2 - 1) and the cell of c_1 blocks, for the cells of the blocks, shape (t, any)."""
    found, counts = np.unique(cells, axis=0, return_counts=True)
    ranking = np.sort(counts)[::-1]
    second = int(ranking[1]) if len(ranking) > 1 else 0
    return max(0, int(ranking[0]) - second - 1), found[np.argmax(counts)]


@declare(
    number="Algorithm 2",
    title="DP approximate subspace estimator, the cell selected by its lead",
    data=RealRows("n", "d"),
    relation=Relation.REPLACE_ONE,
    returns=Returns.PROJECTOR,
    calibrate=calibrate,
    example=line_example(1, epsilon=4.0, delta=0.01, gamma=1e-4, n=120, d=3, k=1),
)
def approximate_subspace_estimator_gap_max(X: Matrix, calibration: GapMaxSelectionCalibration, noise: Noise) -> Matrix | None:
    """Find the cell that most blocks' projections share, and the subspace of a random point in it.

    Rows beyond t m are not used. The result is the projector Pi_hat, shape (d, d), of rank k; None for bottom.
    """
    cells, offset = projected_blocks(X, calibration, noise)
    lead, cell = leading_cell(cells)
    law = GapThresholdLaw(calibration.scale, calibration.bound)
    omega = noise.release("cell", labelled(lead, cell, cells.shape[1]), law, sensitivity=calibration.sensitivity)
    return None if omega is None else subspace_of_cell(omega, offset, calibration, noise)
