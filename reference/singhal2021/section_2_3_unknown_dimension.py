"""The dimension k by the exponential mechanism (singhal2021, section 2.3, "Determining the True Dimension k").

Guarantee claimed: "private by the guarantees of the exponential mechanism", that is epsilon-DP, replace-one.
Claims: singhal2021.section-2.3-score-sensitivity, singhal2021.section-2.3-unknown-dimension.

SCORE(i) = max u(X, s) over subspaces s of dimension i spanned by i points of X. Every other subspace of dimension
i has u = 0, so SCORE(i) is the maximum over all of them, with 0 where no i points are independent; a maximum of
scores of sensitivity 1 has sensitivity 1.

Made explicit: the multiplier is epsilon / 2. Print's sample size, O~(log d) / epsilon, leaves out ell: under
Problem 2.1 SCORE(k) >= n - 2 ell and every other SCORE <= ell, so the answer is k with probability at least
1 - beta once n >= 3 ell + (2 / epsilon) ln((k_max - 1) / beta).
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from typing import Any

from dppca.reference.noise import Noise
from dppca.reference.primitives.validation import check_epsilon, check_subspace_dimension
from dppca.reference.singhal2021.algorithm_1_exact import CORRECTED, candidate_scores
from dppca.reference.singhal2021.exact_linear_algebra import Vector, exact_rows

#: Sensitivity of SCORE(i) for every i, replace-one.
SCORE_SENSITIVITY = 1.0


def dimension_scores(points: tuple[Vector, ...], k_max: int) -> list[int]:
    """SCORE(1), ..., SCORE(k_max) of primitive integer rows."""
    scores = []
    for i in range(1, k_max + 1):
        S_i, _ = candidate_scores(points, combinations(range(len(points)), i), CORRECTED)
        scores.append(max(S_i.values(), default=0))
    return scores


def dimension_by_exponential_mechanism(X: Iterable[Iterable[Any]], k_max: int, epsilon: float, noise: Noise) -> int:
    """A dimension i in 1..k_max, with probability proportional to exp(epsilon SCORE(i) / 2).

    Args:
        X: n rows of d integers or Fractions.
        k_max: largest dimension considered, 1 <= k_max <= d; print's first version has k_max = d.
        epsilon: target epsilon > 0.
        noise: the seam. Draws: the release "dimension".

    Returns:
        The selected dimension.

    Raises:
        ValueError: X is no list of exact rows of one length, k_max not in 1..d, epsilon not > 0.
    """
    points = exact_rows("X", X)
    check_subspace_dimension(k_max, len(points[0]))
    scores = dimension_scores(points, k_max)
    multiplier = check_epsilon(epsilon) / (2.0 * SCORE_SENSITIVITY)
    return 1 + noise.exponential("dimension", scores, multiplier=multiplier, sensitivity=SCORE_SENSITIVITY)
