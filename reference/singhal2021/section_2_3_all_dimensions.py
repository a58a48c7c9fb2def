"""Algorithm 1 over every dimension 1..k_max.

As published (singhal2021, section 2.3, first paragraph, in words): run Algorithm 1 over all subspaces of dimension <= k_max.
Claimed there: as for Algorithm 1; s_* may have any dimension up to k_max.
Read here: the candidates are the spans of every independent set of at most k_max points, which are all subspaces of
dimension 1..k_max with a positive score, so that the scores have sensitivity 1 also as candidates.

Symbols: as in `algorithm_1_exact`.
"""

from __future__ import annotations

from itertools import combinations

from dppca.reference.api import Noise, Relation, Returns, declare
from dppca.reference.singhal2021.algorithm_1_exact import CORRECTED, calibrate, gap_max
from dppca.reference.singhal2021.exact_linear_algebra import RationalSubspace, Vector
from dppca.reference.singhal2021.examples import points_example
from dppca.reference.singhal2021.gap_max import RepresentableRows
from dppca.reference.singhal2021.scores import GapMaxCalibration


@declare(
    number="Section 2.3",
    title="Algorithm 1 over every dimension up to k_max",
    data=RepresentableRows("k_max"),
    relation=Relation.REPLACE_ONE,
    returns=Returns.SUBSPACE,
    calibrate=calibrate,
    choices={"CORRECTED": CORRECTED},
    claims=("singhal2021.section-2.3-all-dimensions",),
    example=points_example(epsilon=4.0, delta=0.1, ell=1, k_max=3),
)
def exact_subspace_estimator_all_dimensions(
    X: tuple[Vector, ...], k_max: int, calibration: GapMaxCalibration, noise: Noise
) -> RationalSubspace | None:
    """Select among the spans of independent points of every dimension 1..k_max, or NULL, which is None.

    The calibration is one whose candidates are independent sets, such as CORRECTED.
    """
    candidates = calibration.choices.candidates
    if candidates != "dimension k":
        raise ValueError(f"calibration must have choices with candidates 'dimension k', got {candidates!r}")
    subsets = [S for size in range(1, k_max + 1) for S in combinations(range(len(X)), size)]
    return gap_max(X, subsets, k_max, calibration, noise)
