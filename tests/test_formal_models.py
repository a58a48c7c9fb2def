"""The formal models of singhal2021 agree with the reference: what Rocq proves is about programs, and these are extracted.

Needs coqc and ocamlopt, and skips without them.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

import pytest

from dppca.conformance.command import Command
from dppca.reference.singhal2021.algorithm_1_exact import (
    CORRECTED,
    calibrate,
    candidate_scores,
    line_11_values,
    score,
)
from dppca.reference.singhal2021.exact_linear_algebra import exact_rows, span
from dppca.reference.singhal2021.section_2_3_unknown_dimension import dimension_scores
from dppca.reference.vectors import by_id
from dppca.reference.vectors.compare import differences
from dppca.reference.vectors.generate import ask
from tests.formal_models.extracted import Models, Point, Unavailable
from tests.formal_models.implementation import FormalModels, reduced_rows

#: Vectors with the draws of a run: what the models can answer.
CASES = {
    key: (algorithm, case)
    for key, (algorithm, case) in by_id().items()
    if case["draws"] and FormalModels().supports(algorithm, case["choice"])
}
PLANE = [(0, 0), (1, 0), (0, 1), (1, 1), (1, -1)]
SPACE = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0), (1, 1, 1)]


@pytest.fixture(scope="module")
def models() -> Iterator[Models]:
    try:
        started = Models()
    except Unavailable as reason:
        pytest.skip(str(reason))
    yield started
    started.close()


def reference_candidates(points: Sequence[Point], subsets: Sequence[tuple[int, ...]]) -> dict[Any, tuple[int, int]]:
    """Score and number of the draw of every candidate, by its rows."""
    scores, draw_of = candidate_scores(exact_rows("X", points), subsets, CORRECTED)
    return {s.rows: (scores[s], draw_of[s]) for s in scores}


def test_there_are_cases_of_every_model() -> None:
    assert len(CASES) == 70
    assert len({algorithm for algorithm, _ in CASES.values()}) == 11


@pytest.mark.parametrize(("algorithm", "case"), CASES.values(), ids=list(CASES))
def test_answers_the_vectors(models: Models, algorithm: str, case: Any) -> None:
    assert differences(case, ask(FormalModels(), algorithm, case)) == []


def test_speaks_the_line_protocol(models: Models) -> None:
    command = Command(f"{sys.executable} -m tests.formal_models.implementation")
    algorithm, case = CASES["singhal2021.exact_subspace_estimator/planted/CORRECTED"]
    try:
        assert differences(case, ask(command, algorithm, case)) == []
    finally:
        command.close()


@pytest.mark.parametrize(
    ("domain", "n", "k"),
    [(PLANE, 1, 1), (PLANE, 4, 1), (PLANE, 4, 2), (SPACE, 4, 1), (SPACE, 4, 2), (SPACE, 3, 3)],
)
def test_candidates_scores_draws_and_values_on_all_small_datasets(models: Models, domain: Any, n: int, k: int) -> None:
    subsets = list(itertools.combinations(range(n), k))
    null = Fraction(calibrate(1.0, 0.1, 0).null)
    for points in itertools.product(domain, repeat=n):
        expected = reference_candidates(points, subsets)
        found = models.candidates_of_sizes(points, [k])
        assert {reduced_rows(c.points): (c.score, c.draw) for c in found} == expected
        assert len(found) == len(expected)
        values = models.values([c.score for c in found])
        scores, _ = candidate_scores(exact_rows("X", points), subsets, CORRECTED)
        assert {reduced_rows(c.points): v for c, v in zip(found, values, strict=True)} == {
            s.rows: v for s, v in line_11_values(scores, null, CORRECTED)[1].items()
        }


def test_candidates_of_several_sizes_on_all_small_datasets(models: Models) -> None:
    subsets = [S for size in (1, 2) for S in itertools.combinations(range(4), size)]
    for points in itertools.product(PLANE, repeat=4):
        found = models.candidates_of_sizes(points, [1, 2])
        assert {reduced_rows(c.points): (c.score, c.draw) for c in found} == reference_candidates(points, subsets)


def test_candidates_of_given_subsets_may_repeat_indices(models: Models) -> None:
    subsets = [(0, 0), (1, 0), (2, 3), (1, 3), (3, 2)]
    for points in itertools.product(PLANE, repeat=4):
        found = models.candidates(points, subsets)
        assert {reduced_rows(c.points): (c.score, c.draw) for c in found} == reference_candidates(points, subsets)


def test_score_of_every_candidate_is_the_references_score(models: Models) -> None:
    points = exact_rows("X", [(1, 2, 0), (2, 4, 0), (0, 0, 1), (1, 2, 1), (3, -1, 5), (0, 0, 0), (7, 1, 11)])
    found = models.candidates_of_sizes(points, [1, 2, 3])
    assert len(found) == 5 + 8 + 1  # lines, planes, the space
    for candidate in found:
        assert candidate.score == score(points, span(candidate.points, 3))


def test_scores_of_all_subspaces_also_of_those_that_the_points_do_not_span(models: Models) -> None:
    for domain, n in ((PLANE, 3), (SPACE, 1), (SPACE, 3)):
        d = len(domain[0])
        spans = {span(S, d): S for size in range(d + 1) for S in itertools.combinations(domain, size)}
        for points in itertools.product(domain, repeat=n):
            rows = exact_rows("X", points)
            for s, spanning in spans.items():
                assert models.score(points, spanning) == score(rows, s)


def test_dimension_scores_on_all_small_datasets(models: Models) -> None:
    for domain, n in ((PLANE, 4), (SPACE, 3)):
        d = len(domain[0])
        for points in itertools.product(domain, repeat=n):
            assert models.dimension_scores(points, d) == dimension_scores(exact_rows("X", points), d)


def test_values_with_a_floor(models: Models) -> None:
    null = Fraction(0)
    lines = [span([(1, i)], 2) for i in range(3)]
    for scores in itertools.product(range(6), repeat=3):
        for floor in (0, 2, 3):
            expected = line_11_values(dict(zip(lines, scores, strict=True)), null, CORRECTED, floor)[1]
            assert models.values(scores, floor) == [expected[s] for s in lines]


def test_winner_is_the_first_largest(models: Models) -> None:
    assert models.winner(3, [3, 2]) is None
    assert models.winner(2**80, [2**80 + 1, -5, 2**80 + 1]) == 0
    for null, *noisy in itertools.product(range(-1, 3), repeat=4):
        expected = None if null >= max(noisy) else noisy.index(max(noisy))
        assert models.winner(null, noisy) == expected
