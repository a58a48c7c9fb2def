"""Algorithm 1 over every dimension 1..k_max (singhal2021, section 2.3, first paragraph).

Guarantee claimed: (epsilon, delta)-DP, replace-one, as for Algorithm 1; s_* may have any dimension up to k_max.
Claims: singhal2021.section-2.3-all-dimensions.

Made explicit: the candidates are the spans of every independent set of at most k_max points, which are all
subspaces of dimension 1..k_max with a positive score, so that the scores have sensitivity 1 also as candidates.
Symbols: as in `algorithm_1_exact`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from itertools import chain, combinations
from typing import Any

from dppca.reference.noise import Noise
from dppca.reference.primitives.validation import check_subspace_dimension
from dppca.reference.singhal2021.algorithm_1_exact import GapMaxCalibration, candidate_scores, line_11_values
from dppca.reference.singhal2021.exact_linear_algebra import Subspace, exact_rows
from dppca.reference.singhal2021.gap_max import GapMaxLaw, check_representable, decode, encode


def exact_subspace_estimator_all_dimensions(
    X: Iterable[Iterable[Any]], k_max: int, calibration: GapMaxCalibration, noise: Noise
) -> Subspace | None:
    """Algorithm 1 with candidates of every dimension 1..k_max.

    Args:
        X: n rows of d integers or Fractions.
        k_max: largest dimension considered, 1 <= k_max <= d.
        calibration: what `algorithm_1_exact.calibrate` returned with choices CORRECTED.
        noise: the seam. Draws: the release "subspace".

    Returns:
        The subspace, or None for NULL.

    Raises:
        ValueError: X or k_max as for Algorithm 1, or a calibration with other candidates than independent sets.
    """
    points = exact_rows("X", X)
    n, d = len(points), len(points[0])
    check_subspace_dimension(k_max, d)
    check_representable("X", points, k_max)
    if calibration.choices.candidates.value != "dimension k":
        raise ValueError(
            f"calibration must have choices with candidates 'dimension k', got {calibration.choices.candidates.value!r}"
        )
    subsets = chain.from_iterable(combinations(range(n), size) for size in range(1, k_max + 1))
    scores, draw_of = candidate_scores(points, subsets, calibration.choices)
    null_value, values = line_11_values(scores, Fraction(calibration.null), calibration.choices)
    draws = sum(math.comb(n, size) for size in range(k_max + 1))
    s_hat = noise.release(
        "subspace",
        encode(null_value, values, draw_of, k_max, d),
        GapMaxLaw(calibration.scale, calibration.bound, draws),
        sensitivity=calibration.sensitivity,
    )
    return decode(s_hat, d)
