"""The extracted programs agree with the reference: what Rocq proves is about programs, and OCaml runs them.

Needs coqc and ocamlopt, and skips without them.
"""

from __future__ import annotations

import itertools
import math
import sys
from collections.abc import Sequence
from dataclasses import asdict, replace
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from dppca.reference.catalog import ALGORITHMS
from dppca.reference.conformance import by_id
from dppca.reference.conformance.command import Command
from dppca.reference.conformance.compare import differences
from dppca.reference.conformance.generate import ask
from dppca.reference.liu2022 import algorithm_3_dp_pca as algorithm_3
from dppca.reference.liu2022 import algorithm_4_top_eigenvalue as algorithm_4
from dppca.reference.liu2022 import algorithm_5_mean as algorithm_5
from dppca.reference.liu2022.data import clip
from dppca.reference.liu2022.private_update import ClippedNoise
from dppca.reference.primitives.sparse_histogram import SparseHistogramLaw
from dppca.reference.primitives.truncated_laplace import TruncatedLaplaceLaw
from dppca.reference.singhal2021 import algorithm_2_approximate as algorithm_2
from dppca.reference.singhal2021.algorithm_1_exact import (
    CORRECTED,
    calibrate,
    candidate_scores,
    line_11_values,
    score,
)
from dppca.reference.singhal2021.algorithm_2_gap_max import leading_cell
from dppca.reference.singhal2021.exact_linear_algebra import exact_rows, span
from dppca.reference.singhal2021.gap_threshold import GapThresholdLaw, labelled
from dppca.reference.singhal2021.section_2_3_unknown_dimension import dimension_scores
from tests.liu2022.extracted_algorithms import as_integers, private_mean, private_top_eigenvalue
from tests.rocq.extracted_programs import Models, Point, Unavailable
from tests.rocq.implementation import FormalModels, reduced_rows, shared_models

#: Vectors with the draws of a run: what the models can answer.
CASES = {
    key: (algorithm, case)
    for key, (algorithm, case) in by_id().items()
    if case["draws"] and FormalModels().supports(algorithm, case["choice"])
}
PLANE = [(0, 0), (1, 0), (0, 1), (1, 1), (1, -1)]
SPACE = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0), (1, 1, 1)]


@pytest.fixture(scope="module")
def models() -> Models:
    try:
        return shared_models()
    except Unavailable as reason:
        pytest.skip(str(reason))


def reference_candidates(points: Sequence[Point], subsets: Sequence[tuple[int, ...]]) -> dict[Any, tuple[int, int]]:
    """Score and number of the draw of every candidate, by its rows."""
    scores, draw_of = candidate_scores(exact_rows("X", points), subsets, CORRECTED)
    return {s.rows: (scores[s], draw_of[s]) for s in scores}


def test_there_are_cases_of_every_model() -> None:
    assert len(CASES) == 103
    assert len({algorithm for algorithm, _ in CASES.values()}) == 15


@pytest.mark.parametrize(("algorithm", "case"), CASES.values(), ids=list(CASES))
def test_answers_the_vectors(models: Models, algorithm: str, case: Any) -> None:
    assert differences(case, ask(FormalModels(), algorithm, case)) == []


def test_speaks_the_line_protocol(models: Models) -> None:
    command = Command(f"{sys.executable} -m tests.rocq.implementation")
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


# --- counts, pairs, batches, truncation, the lead: against the reference on all small inputs


class Quiet:
    """A noise of zeros (all ones where it is public); what is released as Gaussian is kept."""

    def __init__(self) -> None:
        self.values: list[Any] = []

    def public_normal(self, _: str, shape: tuple[int, ...]) -> Any:
        return np.ones(shape)

    def public_uniform(self, _: str, shape: tuple[int, ...]) -> Any:
        return np.zeros(shape)

    def release(self, _: str, value: Any, law: Any, **__: Any) -> Any:
        return law.apply(np.asarray(value), np.zeros(law.draw_shape(np.asarray(value))))

    def gaussian(self, _: str, value: Any, **__: Any) -> Any:
        self.values.append(value)
        return value


CELLS = [(0, 1), (0, -2), (1, 0)]


def test_histograms_of_all_small_lists(models: Models) -> None:
    """Cells in order, counts, what is shown with which noise, at the threshold too; the first of the largest."""
    noises = list(itertools.product((-1.0, 0.0, 0.75), repeat=4))
    for number, items in enumerate(itertools.product(CELLS, repeat=4)):
        value = np.array(items, dtype=float)
        everything = SparseHistogramLaw(1.0, 0.0).apply(value, np.zeros(4)).tolist()
        assert models.counts(items) == [(tuple(cell), count) for count, *cell in everything]
        for noise, threshold in itertools.product(noises[number % 3 :: 5], (0.75, 1.0, 2.5)):
            expected = SparseHistogramLaw(0.5, threshold).apply(value, np.array(noise))
            unit, ((least,), scaled) = as_integers([threshold], [0.5 * u for u in noise])
            shown, largest = models.histogram(unit, least, scaled, items)
            assert [[count / unit, *cell] for cell, count in shown.items()] == expected.tolist()
            assert largest == (tuple(expected[np.argmax(expected[:, 0]), 1:]) if len(expected) else None)


def test_leads_of_all_small_lists(models: Models) -> None:
    for size in range(1, 7):
        for items in itertools.product(CELLS, repeat=size):
            lead, cell = leading_cell(np.array(items, dtype=float))
            assert models.lead(items) == (lead, tuple(cell))


def test_one_noise_against_its_bound(models: Models) -> None:
    """What is shown is what the law shows, of all values that three scores can have and at the bound itself."""
    law = GapThresholdLaw(0.5, 2.0)
    for scores in itertools.product(range(6), repeat=3):
        values = models.values(scores)
        best = max(values)
        for u in (0.0, 0.125, 0.5, 0.75, 0.9375, 1.0 - 2**-53):
            noise = float(TruncatedLaplaceLaw(0.5, 2.0).noise(np.asarray(u)))
            unit, ((bound, shift),) = as_integers([2.0, noise])
            expected = law.apply(labelled(best, [values.index(best) + 1.0], 1), np.asarray(u))
            place = models.threshold(unit, bound, shift, values)
            assert place == (None if expected is None else int(expected[0]) - 1)
    assert models.threshold(2, 5, 1, [0, 2]) is None  # 2 + 1/2 is not above 5/2
    assert models.threshold(2, 5, 2, [0, 2]) == 1


@pytest.mark.parametrize(("k", "b"), [(1, 1), (2, 1), (1, 2)])
def test_top_eigenvalues_of_all_small_lists(models: Models, k: int, b: int) -> None:
    """Pairs, subsets and the histogram; the last gradients may belong to no subset."""
    for threshold in (0.5, 1.0):
        calibration = algorithm_4.TopEigenvalueCalibration(1.0, 0.1, 0.5, 5, k, b, 2.0 * b, 1.0, threshold, 2.0)
        for entries in itertools.product((0.0, 1.0, 3.0), repeat=5):
            g = np.array(entries)[:, np.newaxis]
            expected = ALGORITHMS["liu2022.private_top_eigenvalue"].function(g, calibration, Quiet())
            assert private_top_eigenvalue(models, g, asdict(calibration), [0.0] * k) == expected


def test_subsets_of_the_vectors(models: Models) -> None:
    """The differences that the reference's run has on line 2, with their sign."""
    found = [(case, entry) for _, case in CASES.values() for entry in case["expected"]["intermediates"] if entry["name"] == "G"]
    assert len(found) == 12
    for case, entry in found:
        unit, rows = as_integers(*case["inputs"]["g"])
        subsets = models.subsets(case["calibration"]["k"], case["calibration"]["b"], [tuple(row) for row in rows])
        differences = [[[number / unit for number in row] for row in subset] for subset in subsets]
        assert differences == pytest.approx(np.array(entry["value"]), rel=1e-9)


def test_truncated_means_of_all_small_lists(models: Models) -> None:
    """Bins, their histogram and the truncated sum, at the edges of bins and of the box too."""
    calibration = algorithm_5.calibrate(1.0, 0.1, B=4, d=1, K=1.0, zeta=0.5)
    calibration = replace(calibration, tau=0.5, radius=1.25, threshold=1.5)
    for entries in itertools.product((-1.5, -0.5, 0.0, 0.25, 0.5, 2.0), repeat=4):
        g = np.array(entries)[:, np.newaxis]
        expected = ALGORITHMS["liu2022.private_mean"].function(g, 1.0, calibration, Quiet())
        found = private_mean(models, g, 1.0, asdict(calibration), {"bin[1]": [0.0] * 4, "mean": [0.0]})
        assert (found is None) == (expected is None)
        assert found is None or found.tolist() == expected.tolist()


def test_batches_and_halves_of_dp_pca(models: Models, monkeypatch: pytest.MonkeyPatch) -> None:
    met: list[tuple[str, list[float]]] = []

    def keep(which: str, answer: Any) -> Any:
        def instead(g: Any, *_: Any) -> Any:
            met.append((which, np.abs(g[:, 0]).tolist()))
            return answer

        return instead

    monkeypatch.setattr(algorithm_4, "private_top_eigenvalue", keep("first", 1.0))
    monkeypatch.setattr(algorithm_5, "private_mean", keep("second", None))
    planned = algorithm_3.calibrate(60.0, 0.2, n=8, d=1, B=8, K=1.0, zeta=0.5)
    for n in range(1, 10):
        A = np.arange(float(n)).reshape(n, 1, 1)
        for B in range(1, n + 1):
            met.clear()
            ALGORITHMS["liu2022.dp_pca"].function(A, [1.0] * (n // B), replace(planned, n=n, B=B, T=n // B), Quiet())
            expected = []
            for batch in models.batches(n // B, B, n):
                first, second = models.halves(B)
                expected += [("first", [batch[i] for i in first]), ("second", [batch[i] for i in second])]
            assert met == expected


def test_batches_of_minibatch_oja(models: Models) -> None:
    """The gradients are powers of 2, so a mean tells whose it is."""
    for n in range(1, 10):
        A = (2.0 ** np.arange(n)).reshape(n, 1, 1)
        calibration = ClippedNoise(1.0, 0.1, n, 1, 1.0, 1e9, "account")
        for T in range(1, n + 1):
            quiet, B = Quiet(), n // T
            ALGORITHMS["liu2022.minibatch_private_oja"].function(A, [1.0] * T, calibration, quiet)
            assert [B * float(mean[0]) for mean in quiet.values] == [sum(2.0**i for i in q) for q in models.batches(T, B, n)]


def test_blocks_of_algorithm_2(models: Models, monkeypatch: pytest.MonkeyPatch) -> None:
    met: list[list[float]] = []

    def keep(rows: Any, _: int) -> Any:
        met.append(rows[:, 0].tolist())
        return np.ones((1, 1))

    monkeypatch.setattr(algorithm_2, "principal_subspace_of_rows", keep)
    for n in range(1, 10):
        for t in range(1, n + 1):
            met.clear()
            sizes = SimpleNamespace(t=t, m=n // t, q=1, d=1, k=1, cell=1.0)
            algorithm_2.projected_blocks(np.arange(float(n)).reshape(n, 1), sizes, Quiet())  # type: ignore[arg-type]
            assert met == models.batches(t, n // t, n)


def test_scores_of_the_search_on_all_small_lists(models: Models) -> None:
    for numbers in itertools.product(range(-2, 6), repeat=3):
        mean = float(np.mean(np.clip(np.array(numbers) / 4.0, 0.0, 1.0)))
        assert models.score_sum(4, numbers) / (4 * 3) == pytest.approx(mean, rel=1e-15)


def test_clipped_vectors_of_integer_norm(models: Models) -> None:
    """All vectors of the cube whose norm is an integer, and multiples of them by a unit."""
    for vector in itertools.product(range(-4, 8), repeat=3):
        norm = math.isqrt(sum(entry**2 for entry in vector))
        if norm**2 != sum(entry**2 for entry in vector):
            continue
        for beta in (1, 3, 7):
            numerators, denominator = models.clip(beta, norm, vector)
            for unit in (1.0, 0.1):
                expected = clip(np.array([vector]) * unit, beta * unit)[0]
                assert [unit * entry / denominator for entry in numerators] == pytest.approx(expected, rel=1e-14)


def test_numbers_of_any_size(models: Models) -> None:
    large = 2**1100 + 1
    assert models.truncated_sum(large, -1, [large, -large, 0]) == large - (large - 1) + 1
    assert models.bins(3, [large, -large]) == (-(-large // 3) - 1, -(large // 3) - 1)
    assert models.histogram(1, large, [large, 0], [(large,), (-large,)]) == ({(large,): large + 1}, (large,))
