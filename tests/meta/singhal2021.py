"""Bugs in singhal2021: the exact estimator, its extensions, and the approximate estimator."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from dppca.audit.engine.results import Claim
from dppca.audit.suite.instance import sampled
from dppca.audit.suite.instances.singhal2021 import label
from dppca.reference.catalog import ALGORITHMS
from dppca.reference.declaration import Choice
from dppca.reference.noise import Algorithm, Noise
from dppca.reference.primitives.symmetric import upper_triangle
from dppca.reference.primitives.truncated_laplace import profile
from dppca.reference.singhal2021 import algorithm_1_exact as algorithm_1
from dppca.reference.singhal2021 import algorithm_2_approximate as algorithm_2
from dppca.reference.singhal2021 import algorithm_2_gap_max
from dppca.reference.singhal2021 import section_2_3_dimension_test as dimension_test
from dppca.reference.singhal2021 import section_2_3_random_subsets as random_subsets
from dppca.reference.singhal2021 import section_2_3_unknown_dimension as unknown_dimension
from dppca.reference.singhal2021 import section_3_3_unknown_dimension as selection
from dppca.reference.singhal2021.gap_threshold import GapThresholdLaw
from tests.meta.audits import Exact, Output, Sensitivity, Transcript
from tests.meta.bug import Bug
from tests.meta.planting import Edit

EXACT = "singhal2021.exact_subspace_estimator"
ALL_DIMENSIONS = "singhal2021.exact_subspace_estimator_all_dimensions"
RANDOM_SUBSETS = "singhal2021.exact_subspace_estimator_random_subsets"
DIMENSION = "singhal2021.dimension_by_exponential_mechanism"
AT_MOST = "singhal2021.dimension_is_at_most"
APPROXIMATE = "singhal2021.approximate_subspace_estimator"
SELECTION = "singhal2021.approximate_subspace_estimator_unknown_dimension"

COMMON, PURE, SUBSETS = Claim(1.0, 0.01), Claim(1.0, 0.0), Claim(4.0, 0.2)
#: A line whose value is just above NULL's, 17.9, with one point more; and a little further above.
CLOSE = [[1, 0]] * 20 + [[0, 1]], [[1, 0]] * 19 + [[0, 1]] * 2
FOUND = [[1, 0]] * 24 + [[0, 1]], [[1, 0]] * 23 + [[0, 1]] * 2
#: Two points, of which none has a value.
TWO_POINTS = [[1, 0], [0, 1]], [[1, 0], [1, 1]]
_PLANE = [[1, 0, 0], [0, 1, 0], [1, 1, 0], [1, 2, 0], [2, 1, 0]]
#: A plane, and one more point off it or on it.
PLANE = [*_PLANE, [0, 0, 1]], [*_PLANE, [1, 3, 0]]
#: Six points, four or five of them in a plane.
MOST = [*_PLANE[:4], [0, 0, 1], [1, 1, 1]], [*_PLANE[:4], [0, 0, 1], [2, 1, 0]]
#: Points of R^3 in general position, of which one moves.
_GENERAL = [[1, t, t * t] for t in range(6)]
GENERAL = _GENERAL, [*_GENERAL[:5], [1, 7, 49]]
#: Three points on a line beside a curve in a space of three dimensions, or two.
_CURVE = [[1, t, t * t, 0] for t in range(1, 10)]
DEPENDENT = [*[[0, 0, 0, 1]] * 3, *_CURVE[:8]], [*[[0, 0, 0, 1]] * 2, *_CURVE]
#: Rows on a line; the first one decides where its block is found.
_LINE = np.outer(np.linspace(0.5, 1.0, 57), [1.0, 0.0])
LINE = np.tile(_LINE, (3, 1))
BLOCKS = np.vstack([[[0.0, 30.0]], _LINE[1:]]), np.vstack([[[20.0, 20.0]], _LINE[1:]])
#: The same, where the row is the first of the second block, next to the first.
BORDER = tuple(np.vstack([_LINE[:3], rows[:1], _LINE[4:]]) for rows in BLOCKS)


def _bind(key: str, claim: Claim, **arguments: Any) -> Algorithm[Any]:
    entry = ALGORITHMS[key]
    return entry.bind(epsilon=claim.epsilon, delta=claim.delta, choices=entry.choices["CORRECTED"], **arguments)


def _exact(claim: Claim = COMMON) -> Algorithm[Any]:
    return _bind(EXACT, claim, ell=0, k=1)


def _found() -> Transcript:
    return Transcript(_exact(), *FOUND, COMMON)


def _close() -> Output:
    return Output(sampled(_exact()), *CLOSE, COMMON, features=label)


def _close_transcript() -> Transcript:
    return Transcript(_exact(), *CLOSE, COMMON)


def _support() -> Exact:
    """The exact delta of one noisy value that changes by the sensitivity."""

    def sides() -> tuple[float, float]:
        of = algorithm_1.calibrate(COMMON.epsilon, COMMON.delta, 0)
        return profile(COMMON.epsilon, algorithm_1.VALUES_SENSITIVITY, of.scale, of.bound), COMMON.delta

    return Exact(sides)


def _two_points() -> Transcript:
    claim = Claim(0.25, 0.01)
    return Transcript(_exact(claim), *TWO_POINTS, claim)


def _planes() -> Sensitivity:
    return Sensitivity(_bind(EXACT, COMMON, ell=0, k=2), *GENERAL)


def _spans() -> Sensitivity:
    return Sensitivity(_bind(EXACT, COMMON, ell=0, k=3), *DEPENDENT)


def _lines_and_planes() -> Sensitivity:
    return Sensitivity(_bind(ALL_DIMENSIONS, COMMON, ell=0, k_max=2), *GENERAL)


def _dimension() -> Transcript:
    claim = Claim(0.5, 0.0)
    return Transcript(ALGORITHMS[DIMENSION].bind(epsilon=claim.epsilon, k_max=3, choices=None), *PLANE, claim)


def _dimension_sensitivity() -> Sensitivity:
    return Sensitivity(ALGORITHMS[DIMENSION].bind(epsilon=1.0, k_max=3, choices=None), *PLANE)


def _at_most() -> Algorithm[Any]:
    return ALGORITHMS[AT_MOST].bind(epsilon=1.0, k_max=2, ell=0, choices=None)


def _answer() -> Output:
    """Scores on the two sides of the threshold, 3."""
    return Output(sampled(_at_most()), *MOST, PURE, features=int)


def _subsets() -> Output:
    n = 12
    pair = [[1, 0]] * (n - 1) + [[0, 1]], [[1, 0]] * (n - 2) + [[0, 1]] * 2
    return Output(sampled(_bind(RANDOM_SUBSETS, SUBSETS, ell=0, n=n, k=1)), *pair, SUBSETS, features=label)


def _subsets_delta() -> Exact:
    return Exact(lambda: (random_subsets.calibrate_random_subsets(4.0, 0.2, 0, n=12, k=1).delta, 0.2))


def _approximate(claim: Claim = COMMON) -> Algorithm[Any]:
    """With C_0 = 4, which makes 19 blocks of 3 rows."""
    choices = replace(algorithm_2.CORRECTED, C_0=Choice(4.0, "singhal2021.algorithm-2-constants"))
    entry = ALGORITHMS[APPROXIMATE]
    return entry.bind(epsilon=claim.epsilon, delta=claim.delta, gamma=1e-3, n=57, d=2, k=1, choices=choices)


def _blocks() -> Sensitivity:
    return Sensitivity(_approximate(), *BLOCKS)


def _border() -> Sensitivity:
    return Sensitivity(_approximate(), *BORDER)


def _blocks_transcript() -> Transcript:
    return Transcript(_approximate(), *BLOCKS, COMMON)


def _projector(Pi: Any) -> Any:
    return None if Pi is None else upper_triangle(Pi)


def _blocks_output() -> Output:
    return Output(sampled(_approximate()), *BLOCKS, COMMON, features=_projector)


def _selected() -> Output:
    """On which side of the line the selected subspace lies; an auxiliary row tells the sides apart."""
    claim = Claim(1.5, 0.05)
    few = replace(algorithm_2.CORRECTED, C_0=Choice(3.0, "singhal2021.algorithm-2-constants"))
    choices = replace(selection.CHOICES, algorithm_2=few)
    calibration = selection.calibrate(claim.epsilon, claim.delta, 1e-3, 0.5, n=len(LINE), d=2, k_max=1, choices=choices)

    def run(auxiliary: Any, noise: Noise) -> Any:
        return selection.approximate_subspace_estimator_unknown_dimension(LINE, auxiliary, calibration, noise)

    pair = ([[math.sqrt(0.75), side]] for side in (0.5, -0.5))
    return Output(sampled(run), *pair, claim, features=lambda Pi: None if Pi is None else str(Pi[0, 1] > 0.0))


def _selection_budget() -> Exact:
    """What all runs cost together, from what one is calibrated for."""

    def sides() -> tuple[float, float]:
        of = selection.calibrate(6.0, 0.05, 1e-4, 0.1, n=1200, d=3, k_max=2)
        run = max(run.epsilon for run in of.runs)
        score = selection.SCORE_SENSITIVITY / of.scale
        return of.repetitions.guarantee(max(run, score), 0.0)[0], 6.0

    return Exact(sides)


_CALIBRATE = algorithm_1.calibrate
_APPROXIMATE = algorithm_2.approximate_subspace_estimator


def _lead_of_cells() -> Sensitivity:
    """Two lines with as many blocks each, where one block moves: the lead is 0 twice, the label changes."""
    entry = ALGORITHMS["singhal2021.approximate_subspace_estimator_gap_max"]
    run = entry.bind(epsilon=1.0, delta=0.01, gamma=1e-5, n=117, d=2, k=1, choices=entry.choices["CORRECTED"])
    line = np.repeat([0.0, 1.0], [20, 19])
    data = np.column_stack([np.cos(np.repeat(line, 3)), np.sin(np.repeat(line, 3))])
    neighbour = data.copy()
    neighbour[0] = 1e9 * data[-1]
    return Sensitivity(run, data, neighbour)


def _lead_output() -> Output:
    """A lead of 2 or 0: what is shown."""
    entry = ALGORITHMS["singhal2021.exact_subspace_estimator_threshold"]
    run = entry.bind(epsilon=1.0, delta=0.01, ell=0, k=1, choices=entry.choices["CORRECTED"])
    points = [[[1, 0]] * (5 - moved) + [[0, 1]] * (2 + moved) for moved in (0, 1)]
    return Output(sampled(run), points[0], points[1], Claim(1.0, 0.01), features=str)


BUGS = [
    Bug(
        "noise for sensitivity 1, the values have 2",
        EXACT,
        "noise",
        (Edit(_CALIBRATE, "scale=divide_up(VALUES_SENSITIVITY, epsilon)", "scale=1.0 / epsilon"),),
        _found,
    ),
    Bug(
        "support of the noise for sensitivity 1",
        EXACT,
        "calibration",
        (Edit(_CALIBRATE, "formula(epsilon, delta, VALUES_SENSITIVITY)", "formula(epsilon, delta, 1)"),),
        _support,
    ),
    Bug(
        "NULL at A, not at 2A",
        EXACT,
        "threshold",
        (Edit(_CALIBRATE, "2.0 * bound", "bound"),),
        _two_points,
    ),
    Bug(
        "NULL's draw used again for every candidate",
        EXACT,
        "noise",
        (Edit(algorithm_1.candidate_scores, "draw_of[s] = index", "draw_of[s] = 0"),),
        _close,
        trials=4000,
    ),
    Bug(
        "NULL's draw used again for every candidate, transcript view",
        EXACT,
        "noise",
        (Edit(algorithm_1.candidate_scores, "draw_of[s] = index", "draw_of[s] = 0"),),
        _close_transcript,
        missed="the likelihood of the declared law takes the draws as independent",
    ),
    Bug(
        "value is the score: the second largest left out",
        EXACT,
        "sensitivity",
        (Edit(algorithm_1.line_11_values, "max(zero, u - second - 1)", "Fraction(u)"),),
        _planes,
    ),
    Bug(
        "value is the score: the second largest left out",
        ALL_DIMENSIONS,
        "sensitivity",
        (Edit(algorithm_1.line_11_values, "max(zero, u - second - 1)", "Fraction(u)"),),
        _lines_and_planes,
    ),
    Bug(
        "spans of dependent points are candidates",
        EXACT,
        "sensitivity",
        (Edit(algorithm_1.candidate_scores, "s.dimension < len(S)", "s.dimension < 1"),),
        _spans,
    ),
    Bug(
        "multiplier epsilon, not epsilon / 2",
        DIMENSION,
        "calibration",
        (
            Edit(
                unknown_dimension.dimension_by_exponential_mechanism,
                "divide_down(check_epsilon(epsilon), 2.0 * SCORE_SENSITIVITY)",
                "divide_down(check_epsilon(epsilon), SCORE_SENSITIVITY)",
            ),
        ),
        _dimension,
        trials=500,
    ),
    Bug(
        "scores weighted by the dimension",
        DIMENSION,
        "sensitivity",
        (Edit(unknown_dimension.dimension_scores, "max(S_i.values(), default=0)", "i * max(S_i.values(), default=0)"),),
        _dimension_sensitivity,
    ),
    Bug(
        "answers from the score without noise",
        AT_MOST,
        "leak",
        (Edit(dimension_test.dimension_is_at_most, "return noisy >", "return largest >"),),
        _answer,
        trials=2000,
    ),
    Bug(
        "a tenth of the subsets",
        RANDOM_SUBSETS,
        "calibration",
        (Edit(random_subsets.calibrate_random_subsets, "math.log1p(-hit))", "math.log1p(-hit) / 10.0)"),),
        _subsets_delta,
    ),
    Bug(
        "the floor left out",
        RANDOM_SUBSETS,
        "threshold",
        (
            Edit(
                random_subsets.exact_subspace_estimator_random_subsets,
                "noise, calibration.floor)",
                "noise)",
            ),
        ),
        _subsets,
        missed="what a line that is not drawn changes is seldom or small: no pair of 12 points that was tried shows it",
    ),
    Bug(
        "off by one: a block ends with the first row of the next",
        APPROXIMATE,
        "batch",
        (Edit(algorithm_2.projected_blocks, "(j + 1) * m]", "(j + 1) * m + 1]"),),
        _border,
    ),
    Bug(
        "cells as wide as the data",
        APPROXIMATE,
        "data-dependent parameter",
        (Edit(algorithm_2.projected_blocks, "Q / sizes.cell", "Q / (sizes.cell * np.std(Q))"),),
        _blocks,
    ),
    Bug(
        "histogram for sensitivity 1: one count changes",
        APPROXIMATE,
        "sensitivity",
        (Edit(algorithm_2.calibrate, "sensitivity=REPLACE_ONE_SENSITIVITY", "sensitivity=1.0"),),
        _blocks,
    ),
    Bug(
        "threshold of 1: every cell with two blocks",
        APPROXIMATE,
        "threshold",
        (Edit(algorithm_2.calibrate, "threshold=threshold", "threshold=1.0"),),
        _blocks_transcript,
    ),
    Bug(
        "returns the projector of the data once a cell is found",
        APPROXIMATE,
        "leak",
        (
            Edit(
                _APPROXIMATE,
                "return subspace_of_cell(omega, offset, calibration, noise, prefix)",
                "subspace_of_cell(omega, offset, calibration, noise, prefix)\n"
                "    return projector(principal_subspace_of_rows(X, calibration.k))",
            ),
        ),
        _blocks_output,
        trials=4000,
    ),
    Bug(
        "every run at the whole budget",
        SELECTION,
        "composition",
        (Edit(selection.calibrate, "algorithm_2.calibrate(epsilon_0, delta_0,", "algorithm_2.calibrate(epsilon, delta,"),),
        _selection_budget,
    ),
    Bug(
        "score at the whole budget",
        SELECTION,
        "composition",
        (Edit(selection.calibrate, "divide_up(SCORE_SENSITIVITY, epsilon_0)", "divide_up(SCORE_SENSITIVITY, epsilon)"),),
        _selection_budget,
    ),
    Bug(
        "selects by the count, before the noise",
        SELECTION,
        "noise",
        (
            Edit(
                selection.approximate_subspace_estimator_unknown_dimension,
                "if score > best_score:\n            best, best_score = Pi_hat, score",
                "if count > best_score:\n            best, best_score = Pi_hat, count",
            ),
        ),
        _selected,
        trials=1000,
    ),
    Bug(
        "leads taken for counts: the second largest left out",
        "singhal2021.approximate_subspace_estimator_gap_max",
        "sensitivity",
        (Edit(algorithm_2_gap_max.leading_cell, "max(0, int(ranking[0]) - second - 1)", "int(ranking[0])"),),
        _lead_of_cells,
    ),
    Bug(
        "shown from half of the noise's bound on",
        "singhal2021.exact_subspace_estimator_threshold",
        "threshold",
        (Edit(GapThresholdLaw.apply, "> self.bound", "> 0.5 * self.bound"),),
        _lead_output,
    ),
]
