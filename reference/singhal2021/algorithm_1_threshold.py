"""Algorithm 1 with one noise: the best subspace is shown where its value plus noise exceeds the noise's bound.

Not in the paper: the shorter correction of line 11 (singhal2021, Algorithm 1). Lines 3 to 10 are those of `algorithm_1_exact`;
instead of a noise for every candidate and for NULL there is one, and NULL is what is shown where the sum stays small.
Claimed (note, "The shorter correction"): (epsilon, delta)-DP for delta <= 1/2 when a point is replaced, n public; s_* under
Problem 2.1 for n > 3 ell + 2A + 1, where Algorithm 1 as corrected needs 3 ell + 4A + 1.

Symbols: as in `algorithm_1_exact`; A the noise's bound.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Literal

from dppca.reference.api import Noise, Readings, Relation, Returns, checked, declare, point
from dppca.reference.primitives.truncated_laplace import support_bound
from dppca.reference.rigour.outwards import divide_up
from dppca.reference.singhal2021.algorithm_1_exact import CORRECTED as CANDIDATES
from dppca.reference.singhal2021.algorithm_1_exact import candidate_scores, line_11_values
from dppca.reference.singhal2021.exact_linear_algebra import RationalSubspace, Vector
from dppca.reference.singhal2021.examples import points_example
from dppca.reference.singhal2021.gap_max import RepresentableRows, decode
from dppca.reference.singhal2021.gap_threshold import LEAD_SENSITIVITY, GapThresholdLaw, labelled


class Choices(Readings):
    """The one decision of this reading: the rule that takes the place of line 11."""

    rule: Literal["one noise against its bound"] = point(
        "singhal2021.algorithm-1-null-threshold", CORRECTED="one noise against its bound"
    )


CORRECTED = Choices.read("CORRECTED")


@dataclass(frozen=True)
class ThresholdCalibration:
    """The scale and the bound A of the one noise."""

    epsilon: float
    delta: float
    ell: int
    scale: float
    bound: float
    sensitivity: float

    @property
    def sufficient_n(self) -> int:
        """Return the n from which Problem 2.1 is answered with s_* almost surely: the least above 3 ell + 2A + 1."""
        return math.floor(3 * self.ell + 2.0 * self.bound + 1.0) + 1


@checked
def calibrate(epsilon: float, delta: float, ell: int, choices: Choices = CORRECTED) -> ThresholdCalibration:
    """Return the noise TLap(2, epsilon, delta), which depends neither on n, d or k nor on the reading; there is one.

    delta is at most 1/2. What the rule looks at has sensitivity 2, as scores have sensitivity 1.
    """
    del choices
    bound = support_bound(epsilon, delta, LEAD_SENSITIVITY)
    return ThresholdCalibration(epsilon, delta, ell, divide_up(LEAD_SENSITIVITY, epsilon), bound, LEAD_SENSITIVITY)


@declare(
    number="Algorithm 1",
    title="DP exact subspace estimator with one noise",
    data=RepresentableRows(),
    relation=Relation.REPLACE_ONE,
    returns=Returns.SUBSPACE,
    calibrate=calibrate,
    claims=("singhal2021.score-sensitivity",),
    example=points_example(epsilon=4.0, delta=0.1, ell=1, k=2),
)
def exact_subspace_estimator_threshold(
    X: tuple[Vector, ...], k: int, calibration: ThresholdCalibration, noise: Noise
) -> RationalSubspace | None:
    """Show the span of k points that leads by most, or NULL, which is None: always if n < k, where no subset exists."""
    d = len(X[0])
    scores, _ = candidate_scores(X, combinations(range(len(X)), k), CANDIDATES)
    _, leads = line_11_values(scores, Fraction(0), CANDIDATES)
    s_1 = max(sorted(leads), key=leads.__getitem__, default=None)
    value = labelled(0.0, (), k * d) if s_1 is None else labelled(float(leads[s_1]), s_1.rows, k * d)
    law = GapThresholdLaw(calibration.scale, calibration.bound)
    return decode(noise.release("subspace", value, law, sensitivity=calibration.sensitivity), d)
