"""Whether k <= k_max (singhal2021, section 2.3, "Alternatively, if our goal is simply to determine whether").

Guarantee: epsilon-DP, replace-one; print claims "minimal cost" and leaves noise and threshold open.
Claims: singhal2021.section-2.3-score-sensitivity, singhal2021.section-2.3-dimension-test.

Made explicit: Laplace noise of scale 1 / epsilon on max SCORE(i), i <= k_max, which has sensitivity 1; and the
threshold (n - ell) / 2. Under Problem 2.1 the maximum is at least n - 2 ell if k <= k_max and at most ell
otherwise (Lemma 2.4), so this midpoint errs with probability at most exp(-epsilon (n - 3 ell) / 2) / 2.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from dppca.reference.noise import Noise
from dppca.reference.primitives.validation import check_epsilon, check_subspace_dimension
from dppca.reference.singhal2021.exact_linear_algebra import exact_rows
from dppca.reference.singhal2021.section_2_3_unknown_dimension import SCORE_SENSITIVITY, dimension_scores


def dimension_is_at_most(X: Iterable[Iterable[Any]], k_max: int, ell: int, epsilon: float, noise: Noise) -> bool:
    """Whether the noisy largest score of a dimension up to k_max exceeds (n - ell) / 2.

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
    points = exact_rows("X", X)
    check_subspace_dimension(k_max, len(points[0]))
    if ell < 0:
        raise ValueError(f"ell must be >= 0, got {ell!r}")
    largest = max(dimension_scores(points, k_max))
    scale = SCORE_SENSITIVITY / check_epsilon(epsilon)
    noisy: float = noise.laplace("largest score", largest, scale=scale, sensitivity=SCORE_SENSITIVITY)
    return noisy > 0.5 * (len(points) - ell)
