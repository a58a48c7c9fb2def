"""Whether k <= k_max.

Print (singhal2021, section 2.3, in words): add Laplace or Gaussian noise to max SCORE(i) over i <= k_max; a large value
speaks for k <= k_max, a small one against it.
Claimed there: that this costs little; noise and threshold are left open.
Read here: epsilon-DP by Laplace noise of scale 1 / epsilon, as the maximum has sensitivity 1; threshold (n - ell) / 2. Under
Problem 2.1 the maximum is at least n - 2 ell if k <= k_max and at most ell otherwise (Lemma 2.4), so this midpoint errs with
probability at most exp(-epsilon (n - 3 ell) / 2) / 2.
"""

from __future__ import annotations

from dppca.reference.declaration import Returns, declare
from dppca.reference.noise import Noise
from dppca.reference.primitives.outwards import divide_up
from dppca.reference.primitives.validation import check_count, check_epsilon
from dppca.reference.relation import Relation
from dppca.reference.singhal2021.exact_linear_algebra import ExactRows, Vector
from dppca.reference.singhal2021.examples import points_example
from dppca.reference.singhal2021.section_2_3_unknown_dimension import SCORE_SENSITIVITY, dimension_scores


@declare(
    key="singhal2021.dimension_is_at_most",
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
    """Compare the noisy largest score of a dimension up to k_max with (n - ell) / 2.

    Args:
        X: n rows of d integers or Fractions.
        k_max: the dimension asked about, 1 <= k_max <= d.
        ell: robustness parameter of Problem 2.1, >= 0.
        epsilon: target epsilon > 0.
        noise: the seam. Draws: the release "largest score".

    Returns:
        True for "k <= k_max".

    Raises:
        ValueError: X is no list of exact rows of one length, k_max not in 1..d, ell < 0, epsilon not > 0.
    """
    check_count("ell", ell, least=0)
    largest = max(dimension_scores(X, k_max))
    scale = divide_up(SCORE_SENSITIVITY, check_epsilon(epsilon))
    noisy: float = noise.laplace("largest score", largest, scale=scale, sensitivity=SCORE_SENSITIVITY)
    return noisy > 0.5 * (len(X) - ell)
