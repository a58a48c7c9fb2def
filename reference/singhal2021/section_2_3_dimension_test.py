"""Whether k <= k_max.

As published (singhal2021, section 2.3, in words): add Laplace or Gaussian noise to max SCORE(i) over i <= k_max; a large value
speaks for k <= k_max, a small one against it.
Claimed there: that this costs little; noise and threshold are left open.
Read here: epsilon-DP by Laplace noise of scale 1 / epsilon, as the maximum has sensitivity 1; threshold (n - ell) / 2. Under
Problem 2.1 the maximum is at least n - 2 ell if k <= k_max and at most ell otherwise (Lemma 2.4), so this midpoint errs with
probability at most exp(-epsilon (n - 3 ell) / 2) / 2.
"""

from __future__ import annotations

from dppca.reference.api import Noise, Relation, Returns, declare
from dppca.reference.rigour.outwards import divide_up
from dppca.reference.singhal2021.exact_linear_algebra import ExactRows, Vector
from dppca.reference.singhal2021.examples import points_example
from dppca.reference.singhal2021.section_2_3_unknown_dimension import SCORE_SENSITIVITY, dimension_scores


@declare(
    number="Section 2.3",
    title="Whether the dimension is at most k_max",
    data=ExactRows(),
    relation=Relation.REPLACE_ONE,
    returns=Returns.CATEGORY,
    choices={"CORRECTED": None},
    claims=("singhal2021.section-2.3-score-sensitivity", "singhal2021.section-2.3-dimension-test"),
    example=points_example(epsilon=1.0, k_max=2, ell=1),
)
def dimension_is_at_most(X: tuple[Vector, ...], k_max: int, ell: int, epsilon: float, noise: Noise) -> bool:
    """Compare the noisy largest score of a dimension up to k_max with (n - ell) / 2; True for "k <= k_max"."""
    largest = max(dimension_scores(X, k_max))
    scale = divide_up(SCORE_SENSITIVITY, epsilon)
    noisy: float = noise.laplace("largest score", largest, scale=scale, sensitivity=SCORE_SENSITIVITY)
    return noisy > 0.5 * (len(X) - ell)
