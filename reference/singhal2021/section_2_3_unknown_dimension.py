"""The dimension k by the exponential mechanism.

As published (singhal2021, section 2.3, "Determining the True Dimension k", in words): with S_i the subspaces of dimension i
that i points of X span and SCORE(i) = max over S_i of u(X, s), run the exponential mechanism over i = 1..k_max.
Claimed there: private as the exponential mechanism is, that is epsilon-DP when a point is replaced, n public; the
answer is k for n >= O~(log d) / epsilon.
Read here: the multiplier is epsilon / 2; SCORE(i) is 0 where no i points are independent. Every subspace of dimension i that
is not in S_i has u = 0, so SCORE(i) is the maximum over all, and a maximum of scores of sensitivity 1 has sensitivity 1.
The paper's sample size leaves out ell: under Problem 2.1 SCORE(k) >= n - 2 ell and every other SCORE <= ell, so the answer
is k with probability at least 1 - beta once n >= 3 ell + (2 / epsilon) ln((k_max - 1) / beta).
"""

from __future__ import annotations

from itertools import combinations

from dppca.reference.api import Noise, Relation, Returns, declare
from dppca.reference.rigour.outwards import divide_down
from dppca.reference.rigour.validation import check_subspace_dimension
from dppca.reference.singhal2021.algorithm_1_exact import CORRECTED, candidate_scores
from dppca.reference.singhal2021.exact_linear_algebra import ExactRows, Vector
from dppca.reference.singhal2021.examples import points_example

#: Sensitivity of SCORE(i) for every i, replace-one.
SCORE_SENSITIVITY = 1.0


def dimension_scores(points: tuple[Vector, ...], k_max: int) -> list[int]:
    """Return SCORE(1), ..., SCORE(k_max) of primitive integer rows."""
    scores = []
    for i in range(1, check_subspace_dimension(k_max, len(points[0]), "k_max") + 1):
        S_i, _ = candidate_scores(points, combinations(range(len(points)), i), CORRECTED)
        scores.append(max(S_i.values(), default=0))
    return scores


@declare(
    number="Section 2.3",
    title="The dimension by the exponential mechanism",
    data=ExactRows(),
    relation=Relation.REPLACE_ONE,
    returns=Returns.CATEGORY,
    choices={"CORRECTED": None},
    claims=("singhal2021.section-2.3-score-sensitivity", "singhal2021.section-2.3-unknown-dimension"),
    example=points_example(epsilon=1.0, k_max=3),
)
def dimension_by_exponential_mechanism(X: tuple[Vector, ...], k_max: int, epsilon: float, noise: Noise) -> int:
    """Draw a dimension i in 1..k_max with probability proportional to exp(epsilon SCORE(i) / 2)."""
    scores = dimension_scores(X, k_max)
    multiplier = divide_down(epsilon, 2.0 * SCORE_SENSITIVITY)
    return 1 + noise.exponential("dimension", scores, multiplier=multiplier, sensitivity=SCORE_SENSITIVITY)
