"""Algorithm 1 over random subsets.

As published (singhal2021, section 2.3, "Computational Efficiency", in words): draw random subsets at line 3 instead of going
through all; the probability of failing adds to delta.
Claimed there: (epsilon, delta)-DP once that is done, as a sketch.
What makes it true here:
  R1 Candidates are the independent ones among m subsets of k row indices, drawn with replacement and independent
     of the data. With r = u(X, s) each index in turn leaves the span of the previous ones, inside s, with
     probability at least r / n, so one subset spans s with probability at least (r / n)^k.
  R2 A subspace of small score is missed often, so scores must not matter up to a floor tau: the value of s_1 is
     max(0, u(X, s_1) - max(u(X, s_2), tau) - 1), which has L1 sensitivity 2 as before. With scores on all
     subspaces this is (epsilon, delta_noise)-DP, and sampling changes its value only if s_1 or s_2 is missed
     while its score is above tau: with probability at most beta = 2 (1 - ((tau + 1) / n)^k)^m.
  R3 The subsets are independent of the noise, so the output laws on neighbours are (1 - b) P + b R and
     (1 - b') Q + b' R' with b, b' <= beta, where P and Q are those without sampling. That is
     (epsilon, delta_noise + (1 - delta_noise) beta)-DP. The subsets stay hidden; shown, they would cost 2 beta.
Cost: m subsets instead of C(n, k). One score still takes a maximum over (k - 1)-subsets of the points in s, so
the running time stays O(m n^k) by `score`; random subsets alone do not make Algorithm 1 polynomial in k.

Symbols: as in `algorithm_1_exact`; R the index subsets, m of them; tau the floor.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from dppca.reference.api import Noise, Readings, Relation, Returns, checked, declare, point
from dppca.reference.rigour.outwards import OUTWARDS
from dppca.reference.rigour.validation import check_subspace_dimension
from dppca.reference.singhal2021.algorithm_1_exact import CORRECTED, calibrate, gap_max
from dppca.reference.singhal2021.exact_linear_algebra import RationalSubspace, Vector
from dppca.reference.singhal2021.examples import points_example
from dppca.reference.singhal2021.gap_max import RepresentableRows
from dppca.reference.singhal2021.scores import GapMaxCalibration


class SamplingChoices(Readings):
    """The decisions of this reading: the floor as a share of n, and the noise's share of delta.

    A larger floor needs fewer subsets, ((tau + 1) / n)^-k ln(2 / beta), but n - 2 ell - tau - 1 has to reach 4A for accuracy.
    """

    floor_share: float = point("singhal2021.section-2.3-random-subsets", CORRECTED=0.25)
    delta_share: float = point("singhal2021.section-2.3-random-subsets", CORRECTED=0.5)


CHOICES = SamplingChoices.read("CORRECTED")


@dataclass(frozen=True)
class SamplingCalibration:
    """The number of subsets, the floor, the n and k that these were made for, and the noise at its share of delta."""

    gap_max: GapMaxCalibration
    n: int
    k: int
    floor: int
    subsets: int

    @property
    def miss_probability(self) -> float:
        """Return beta, a bound on the probability that sampling changes the values of line 11."""
        hit = ((self.floor + 1) / self.n) ** self.k
        return 2.0 * (1.0 - hit) ** self.subsets

    @property
    def delta(self) -> float:
        """Return delta_noise + (1 - delta_noise) beta."""
        return self.gap_max.delta + (1.0 - self.gap_max.delta) * self.miss_probability


@checked
def calibrate_random_subsets(
    epsilon: float, delta: float, ell: int, *, n: int, k: int, choices: SamplingChoices = CHOICES
) -> SamplingCalibration:
    """Return noise, floor and number of subsets for (epsilon, delta)-DP in total, for n points and dimension k."""
    delta_noise = choices.delta_share * delta
    floor = math.floor(choices.floor_share * n)
    beta = (delta - delta_noise) / (1.0 - delta_noise)
    hit = ((floor + 1) / n) ** k
    subsets = math.ceil(OUTWARDS * math.log(0.5 * beta) / math.log1p(-hit)) if hit < 1.0 else 1
    return SamplingCalibration(calibrate(epsilon, delta_noise, ell, CORRECTED), n, k, floor, subsets)


@declare(
    number="Section 2.3",
    title="Algorithm 1 over random subsets",
    data=RepresentableRows("calibration.k"),
    relation=Relation.REPLACE_ONE,
    returns=Returns.SUBSPACE,
    calibrate=calibrate_random_subsets,
    example=points_example(epsilon=4.0, delta=0.2, ell=1, n=6, k=2),
)
def exact_subspace_estimator_random_subsets(
    X: tuple[Vector, ...], calibration: SamplingCalibration, noise: Noise
) -> RationalSubspace | None:
    """Select among the spans of m random subsets of k points, or NULL, which is None."""
    m, k = calibration.subsets, check_subspace_dimension(calibration.k, len(X[0]))
    R = noise.secret_integers("subsets", len(X), (m, k))
    subsets = [tuple(int(i) for i in S) for S in R]
    return gap_max(X, subsets, k, calibration.gap_max, noise, calibration.floor)
