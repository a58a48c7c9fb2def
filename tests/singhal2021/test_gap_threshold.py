"""The numbers of Algorithm 1 with a threshold, and of Theorem C, worked out by hand."""

from __future__ import annotations

import numpy as np

from dppca.reference.singhal2021.algorithm_1_threshold import ThresholdCalibration
from dppca.reference.singhal2021.gap_threshold import GapThresholdLaw
from dppca.reference.singhal2021.theorem_c import fewest_blocks


def test_so_many_blocks_are_needed_at_least() -> None:
    """16 ln 400 is 95.9; from epsilon = 1 on it is 8 ln 100 = 36.8."""
    assert [fewest_blocks(epsilon, 8.0) for epsilon in (0.5, 1.0, 3.0)] == [96, 37, 37]


def test_a_label_is_shown_where_its_lead_and_the_noise_exceed_the_bound() -> None:
    law, no_noise = GapThresholdLaw(2.0, 3.0), np.array(0.5)
    assert law.apply(np.array([3.0, 7.0]), no_noise) is None
    assert law.apply(np.array([3.5, 7.0]), no_noise).tolist() == [7.0]


def test_the_number_of_points_from_which_a_threshold_is_passed() -> None:
    """The least above 3 * 2 + 2 * 4.5 + 1 = 16."""
    assert ThresholdCalibration(1.0, 0.1, 2, 1.0, 4.5, 1.0).sufficient_n == 17
