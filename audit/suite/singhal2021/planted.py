"""Bugs planted in singhal2021."""

from __future__ import annotations

from dppca.audit.suite.planted import Bug, Edit
from dppca.reference.singhal2021 import algorithm_1_exact as algorithm_1
from dppca.reference.singhal2021 import algorithm_2_approximate as algorithm_2
from dppca.reference.singhal2021 import algorithm_2_gap_max
from dppca.reference.singhal2021 import section_2_3_dimension_test as dimension_test
from dppca.reference.singhal2021 import section_2_3_random_subsets as random_subsets
from dppca.reference.singhal2021 import section_2_3_unknown_dimension as unknown_dimension
from dppca.reference.singhal2021 import section_3_3_unknown_dimension as selection
from dppca.reference.singhal2021.gap_threshold import GapThresholdLaw

EXACT = "singhal2021.exact_subspace_estimator"
ALL_DIMENSIONS = "singhal2021.exact_subspace_estimator_all_dimensions"
RANDOM_SUBSETS = "singhal2021.exact_subspace_estimator_random_subsets"
DIMENSION = "singhal2021.dimension_by_exponential_mechanism"
AT_MOST = "singhal2021.dimension_is_at_most"
APPROXIMATE = "singhal2021.approximate_subspace_estimator"
SELECTION = "singhal2021.approximate_subspace_estimator_unknown_dimension"
_CALIBRATE = algorithm_1.calibrate
_APPROXIMATE = algorithm_2.approximate_subspace_estimator

BUGS = [
    Bug(
        "noise for sensitivity 1, the values have 2",
        EXACT,
        (Edit(_CALIBRATE, "divide_up(VALUES_SENSITIVITY, epsilon)", "1.0 / epsilon"),),
        "singhal2021.exact_subspace_estimator-AS_PRINTED-exact-a_value_that_moves_by_2-(1,0.01)",
    ),
    Bug(
        "support of the noise for sensitivity 1",
        EXACT,
        (Edit(_CALIBRATE, "choices.bound(epsilon, delta, VALUES_SENSITIVITY)", "choices.bound(epsilon, delta, 1)"),),
        "singhal2021.exact_subspace_estimator-AS_PRINTED-exact-a_value_that_moves_by_2-(1,0.01)",
    ),
    Bug(
        "NULL at A, not at 2A",
        EXACT,
        (Edit(_CALIBRATE, "2.0 * bound", "bound"),),
        "singhal2021.exact_subspace_estimator-CORRECTED-exact-two_points-(0.25,0.01)",
    ),
    Bug(
        "NULL's draw used again for every candidate",
        EXACT,
        (Edit(algorithm_1.candidate_scores, "draw_of[s] = index", "draw_of[s] = 0"),),
        "singhal2021.exact_subspace_estimator-AS_PRINTED-exact-near_tie_with_NULL-(1,0.01)",
    ),
    Bug(
        "value is the score: the second largest left out",
        EXACT,
        (Edit(algorithm_1.line_11_values, "max(zero, u - second - 1)", "Fraction(u)"),),
        "singhal2021.exact_subspace_estimator-AS_PRINTED-exact-all_of_3_lines,_n=10-(0.81093,0.197531)",
    ),
    Bug(
        "value is the score: the second largest left out",
        ALL_DIMENSIONS,
        (Edit(algorithm_1.line_11_values, "max(zero, u - second - 1)", "Fraction(u)"),),
        "test_declared_sensitivity_and_output[singhal2021.exact_subspace_estimator_all_dimensions-CORRECTED-transcript-lines_and_planes-(1,0.01)]",
    ),
    Bug(
        "spans of dependent points are candidates",
        EXACT,
        (Edit(algorithm_1.candidate_scores, "s.dimension < len(S)", "s.dimension < 1"),),
        "singhal2021.exact_subspace_estimator-CORRECTED-exact-three_dependent_points,_k=3-(2.19722,0.235294)",
    ),
    Bug(
        "multiplier epsilon, not epsilon / 2",
        DIMENSION,
        (
            Edit(
                unknown_dimension.dimension_by_exponential_mechanism,
                "divide_down(epsilon, 2.0 * SCORE_SENSITIVITY)",
                "divide_down(epsilon, SCORE_SENSITIVITY)",
            ),
        ),
        "singhal2021.dimension_by_exponential_mechanism-CORRECTED-transcript-plane_and_one_more-(1,0)",
    ),
    Bug(
        "scores weighted by the dimension",
        DIMENSION,
        (Edit(unknown_dimension.dimension_scores, "max(S_i.values(), default=0)", "i * max(S_i.values(), default=0)"),),
        "test_declared_sensitivity_and_output[singhal2021.dimension_by_exponential_mechanism-CORRECTED-transcript-plane_and_one_more-(1,0)]",
    ),
    Bug(
        "answers from the score without noise",
        AT_MOST,
        (Edit(dimension_test.dimension_is_at_most, "return noisy >", "return largest >"),),
        "singhal2021.dimension_is_at_most-CORRECTED-output-at_the_threshold-(1,0)",
    ),
    Bug(
        "a tenth of the subsets",
        RANDOM_SUBSETS,
        (Edit(random_subsets.calibrate_random_subsets, "math.log1p(-hit))", "math.log1p(-hit) / 10.0)"),),
        "test_the_named_maximisers_reach_the_sensitivity[singhal2021.exact_subspace_estimator_random_subsets-]",
    ),
    Bug(
        "the floor left out",
        RANDOM_SUBSETS,
        (
            Edit(
                random_subsets.exact_subspace_estimator_random_subsets,
                "noise, calibration.floor)",
                "noise)",
            ),
        ),
        "singhal2021.exact_subspace_estimator_random_subsets-CORRECTED-exact-a_line_of_11_points-(4,0.2)",
    ),
    Bug(
        "off by one: a block ends with the first row of the next",
        APPROXIMATE,
        (Edit(algorithm_2.projected_blocks, "(j + 1) * m]", "(j + 1) * m + 1]"),),
        "test_declared_sensitivity_and_output[singhal2021.approximate_subspace_estimator-CORRECTED-transcript-half_of_the_blocks,_first_row_of_the_second-(1,0.01)]",
    ),
    Bug(
        "cells as wide as the data",
        APPROXIMATE,
        (Edit(algorithm_2.projected_blocks, "Q / sizes.cell", "Q / (sizes.cell * np.std(Q))"),),
        "test_declared_sensitivity_and_output[singhal2021.approximate_subspace_estimator-CORRECTED-transcript-all_blocks_apart-(1,0.01)]",
    ),
    Bug(
        "histogram for sensitivity 1: one count changes",
        APPROXIMATE,
        (Edit(algorithm_2.calibrate, "sensitivity=REPLACE_ONE_SENSITIVITY", "sensitivity=1.0"),),
        "test_declared_sensitivity_and_output[singhal2021.approximate_subspace_estimator-CORRECTED-transcript-all_blocks_apart-(1,0.01)]",
    ),
    Bug(
        "threshold of 1: every cell with two blocks",
        APPROXIMATE,
        (Edit(algorithm_2.calibrate, "scale, threshold,", "scale, 1.0,"),),
        "singhal2021.approximate_subspace_estimator-AS_PRINTED-exact-two_occupied_cells,_and_one_alone-(1,0.01)",
    ),
    Bug(
        "returns the projector of the data once a cell is found",
        APPROXIMATE,
        (
            Edit(
                _APPROXIMATE,
                "return subspace_of_cell(omega, offset, calibration, noise, prefix)",
                "subspace_of_cell(omega, offset, calibration, noise, prefix)\n"
                "    return projector(principal_subspace_of_rows(X, calibration.k))",
            ),
        ),
        "test_declared_sensitivity_and_output[singhal2021.approximate_subspace_estimator-CORRECTED-transcript-half_of_the_blocks-(1,0.01)]",
    ),
    Bug(
        "every run at the whole budget",
        SELECTION,
        (Edit(selection.calibrate, "algorithm_2.calibrate(epsilon_0, delta_0,", "algorithm_2.calibrate(epsilon, delta,"),),
        "singhal2021.approximate_subspace_estimator_unknown_dimension-CORRECTED-exact-the_runs_and_their_scores-(6,0.05)",
    ),
    Bug(
        "score at the whole budget",
        SELECTION,
        (Edit(selection.calibrate, "divide_up(SCORE_SENSITIVITY, epsilon_0)", "divide_up(SCORE_SENSITIVITY, epsilon)"),),
        "singhal2021.approximate_subspace_estimator_unknown_dimension-CORRECTED-exact-the_runs_and_their_scores-(6,0.05)",
    ),
    Bug(
        "selects by the count, before the noise",
        SELECTION,
        (
            Edit(
                selection.approximate_subspace_estimator_unknown_dimension,
                "if score > best_score:\n            best, best_score = Pi_hat, score",
                "if count > best_score:\n            best, best_score = Pi_hat, count",
            ),
        ),
        SELECTION,
    ),
    Bug(
        "leads taken for counts: the second largest left out",
        "singhal2021.approximate_subspace_estimator_gap_max",
        (Edit(algorithm_2_gap_max.leading_cell, "max(0, int(ranking[0]) - second - 1)", "int(ranking[0])"),),
        "test_the_named_maximisers_reach_the_sensitivity[singhal2021.approximate_subspace_estimator_gap_max-]",
    ),
    Bug(
        "shown from half of the noise's bound on",
        "singhal2021.exact_subspace_estimator_threshold",
        (Edit(GapThresholdLaw.apply, "> self.bound", "> 0.5 * self.bound"),),
        "GapThresholdLaw",
    ),
]
