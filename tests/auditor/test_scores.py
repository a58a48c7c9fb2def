"""Scores of outputs."""

from __future__ import annotations

import math
import uuid
from typing import Any

import numpy as np
import pytest

from dppca import audit
from dppca.audit.auditor import scores
from dppca.audit.auditor.outputs import Outputs, encode_pair
from dppca.audit.auditor.scores import Codes
from tests.studies import benchmark_mechanisms as of

pytestmark = pytest.mark.usefixtures("without_new_processes")


@pytest.mark.parametrize(
    "outputs",
    [
        lambda n, rng: rng.normal(size=(n, 3)),
        lambda n, rng: [(None, 1.0) if u < 0.5 else (u, None) for u in rng.random(n)],
        lambda n, rng: [[0.5] * k for k in rng.integers(0, 4, n)],
        lambda n, rng: [{"a": u, "b": "x" if u < 0.5 else None} for u in rng.random(n)],
        lambda n, rng: np.where(rng.random((n, 2)) < 0.3, np.inf, rng.normal(size=(n, 2))),
        lambda n, rng: np.repeat(rng.normal(size=(n, 1)), 3, axis=1),
        lambda n, rng: np.column_stack([rng.normal(size=n), np.full(n, 1e300), np.full(n, 1e-300)]),
    ],
)
def test_every_output_has_every_score(outputs: Any) -> None:
    rng = np.random.default_rng(3)
    data, neighbour = (outputs(2000, rng) for _ in range(2))
    first, second = encode_pair(data, neighbour, 1000)
    for scored in scores.scores(first[:1000], second[:1000]):
        if not scored.name.startswith("output"):
            assert np.isfinite(scored.score(first)).all(), scored.name
            part = scored.score(first[:7])
            assert part == pytest.approx(scored.score(first)[:7], rel=1e-5, abs=1e-5), scored.name


def test_columns_that_are_alike_are_scored_by_the_steps_of_all() -> None:
    """The loss of ten Laplace noises is a sum of ratios that are constant but near the shift."""
    benchmark, rng = of.histogram(1.0, 10), np.random.default_rng(4)
    known = benchmark.known
    data, neighbour = (known.mechanism.sample(x, 20_000, rng) for x in (known.data, known.neighbour))
    fresh = known.mechanism.sample(known.data, 20_000, rng)
    pair, (of_fresh, _) = encode_pair(data, neighbour), encode_pair(fresh, fresh)
    found = {scored.name: np.corrcoef(scored.score(of_fresh), benchmark.losses(fresh))[0, 1] for scored in scores.scores(*pair)}
    assert found["sum of log-ratios in common steps"] > 0.99
    assert found["sum of log-ratios in steps"] > 0.93


def test_a_direction_that_both_datasets_share_is_seen() -> None:
    """Points of the half of a sphere that faces one of two directions: in the plane of the two it is a matter of corners."""
    rng = np.random.default_rng(4)
    directions = rng.standard_normal((2, 10))

    def draw(x: int, n: int, rng: np.random.Generator) -> np.ndarray:
        z = rng.standard_normal((n, 10))
        z /= np.linalg.norm(z, axis=1)[:, np.newaxis]
        facing = np.where(rng.random(n) < 1.0 / (1.0 + math.exp(-2.0)), 1.0, -1.0) * np.sign(z @ directions[x])
        return np.asarray(z * facing[:, np.newaxis])

    def corners(z: np.ndarray) -> np.ndarray:
        return 1.0 * (z @ directions[0] > 0.0) - (z @ directions[1] > 0.0)

    data, neighbour, fresh = draw(0, 20_000, rng), draw(1, 20_000, rng), draw(0, 20_000, rng)
    pair, (of_fresh, _) = encode_pair(data, neighbour), encode_pair(fresh, fresh)
    learned = next(scored for scored in scores.scores(*pair) if scored.name == "learned score")
    assert np.corrcoef(learned.score(of_fresh), corners(fresh))[0, 1] > 0.9


def test_each_part_that_has_marks_has_codes_where_there_are_two() -> None:
    first, second = encode_pair([("a", "x", 1.0), ("b", "x", 2.0)], [("a", "y", 1.0), ("a", "y", 3.0)])
    assert [(codes.part, codes.codes) for codes in Codes.of_parts(first, second)] == [
        (1, {"a": 0, "b": 1}),
        (2, {"x": 0, "y": 1}),
    ]
    one, other = encode_pair([("a", 1.0)], [("b", 1.0)])
    assert list(Codes.of_parts(one, other)) == []


def columns(*rows: Any) -> tuple[Outputs, Outputs]:
    return encode_pair(list(rows), list(rows))


def test_a_design_standardises_what_varies_and_says_what_is_there() -> None:
    """Column 0: 1 and 3, missing once in each; column 1 is constant; the words "x" and "y"."""
    data = [(1.0, 5.0, "x"), (3.0, 5.0, "y"), (None, 5.0, "x")]
    of, _ = encode_pair(data, data)
    design = scores.Design.fitted(of, of)
    assert design is not None
    assert design.varying.tolist() == [0]
    assert design.centre == pytest.approx([2.0])
    assert design.spread == pytest.approx([1.0])
    assert design.lacking.tolist() == [0]
    words = [[mark == "x", mark == "y"] for _, _, mark in data]
    expected = [[-1.0, 1.0], [1.0, 1.0], [0.0, 0.0]]
    found = design(of)[:, :2]
    assert found.tolist() == expected
    assert len(design) == design(of).shape[1]
    marks = [(part, mark) for part, mark in design.words if mark in ("x", "y")]
    assert sorted(mark for _, mark in marks) == ["x", "y"]
    there = [2 + design.words.index(word) for word in sorted(marks, key=lambda of: of[1])]
    assert design(of)[:, there].tolist() == words
    alone, _ = columns((1.0,), (1.0,))
    assert len(scores.Design.fitted(alone, alone)) == 0
    assert scores.Design.fitted(alone[:1], alone) is None


def test_sums_extremes_and_their_places_are_those_of_the_outputs_themselves() -> None:
    first, second = columns((3.0, -1.0, 10.0), (0.0, 8.0, 2.0))
    design = scores.Design.fitted(first, second)
    assert design is not None
    found = {name: rows(design(first)).tolist() for name, rows, _ in scores.summary_scores(design, design.groups(first.kind))}
    assert found == {
        "sum": pytest.approx([12.0, 10.0]),
        "maximum": pytest.approx([10.0, 8.0]),
        "minimum": pytest.approx([-1.0, 0.0]),
        "place of the maximum": [2.0, 1.0],
        "place of the minimum": [1.0, 0.0],
        "smallest gap": pytest.approx([4.0, 2.0]),
    }
    two, _ = columns((3.0, -1.0), (0.0, 8.0))
    design = scores.Design.fitted(two, two)
    assert design is not None
    assert len(list(scores.summary_scores(design, design.groups(two.kind)))) == 6
    one, _ = columns((3.0, 1.0), (0.0, 1.0))
    design = scores.Design.fitted(one, one)
    assert design is not None
    assert list(scores.summary_scores(design, design.groups(one.kind))) == []


def test_quadratic_scores_are_those_of_two_gaussian_laws() -> None:
    """Means 0 and (1, -1), variances (1, 4) and (9, 1), without correlation: four points of each."""
    x = np.array([[1.0, 2.0], [1.0, -2.0], [-1.0, 2.0], [-1.0, -2.0]])
    y = np.array([[4.0, 0.0], [4.0, -2.0], [-2.0, 0.0], [-2.0, -2.0]])
    z = np.array([[0.0, 0.0], [1.0, 2.0], [-3.0, 0.5]])
    found = {name: (rows(z), fitted) for name, rows, fitted in scores.quadratic_scores(np.tile(x, (3, 1)), np.tile(y, (3, 1)))}
    assert list(found) == ["squared distance from the middle", "sum of squares", "quadratic discriminant"]
    length, fitted = found["squared distance from the middle"]
    assert (length.tolist(), fitted) == ([-0.5, -6.5, -13.25], False)  # y is longer, from the middle (0.5, -0.5)
    expected = 0.5 * ((z - [1.0, -1.0]) ** 2 / [9.0, 1.0] - z**2 / [1.0, 4.0]).sum(axis=1)
    for name, relative in (("sum of squares", 1.0), ("quadratic discriminant", 11.0 / 12.0)):  # np.cov divides by 12 - 1
        off = found[name][0] - relative * expected
        assert off == pytest.approx(np.full(3, off[0]), abs=1e-6), name  # up to a constant
    assert found["quadratic discriminant"][1]
    few = [name for name, _, _ in scores.quadratic_scores(np.tile(x, (2, 1)), np.tile(y, (2, 1)))]
    assert few == ["squared distance from the middle", "sum of squares"]  # 8 outputs are not more than 4 for each of 2 columns
    wide = np.tile(np.eye(20), (5, 1))  # 100 are more than 4 * 20, and not more than 20^2 / 2
    assert len(list(scores.quadratic_scores(wide, wide))) == 2


def test_a_rare_shift_is_found() -> None:
    """Two in a hundred outputs of the data are moved by 6 along (0.6, 0.8), of another law than the mean differs by."""
    rng = np.random.default_rng(11)
    x, y = rng.standard_normal((4000, 2)), rng.standard_normal((4000, 2))
    x[:80] += 6.0 * np.array([0.6, 0.8])
    for a, b, sign in ((x, y, 1.0), (y, x, -1.0)):
        direction = scores.rare_direction(a, b, scores.mean_covariance(a, b))
        cosine = float(direction @ [0.6, 0.8]) / float(np.linalg.norm(direction))
        assert sign * cosine > 0.99


def test_where_no_shift_is_seen_the_means_give_the_direction() -> None:
    """Constant outputs have no variance, so nothing is whitened."""
    x, y = np.zeros((5, 2)), np.ones((5, 2))
    assert scores.rare_direction(x, y, scores.mean_covariance(x, y)).tolist() == [-1.0, -1.0]


def test_what_is_learned_needs_a_thousand_outputs_of_each_dataset() -> None:
    rng = np.random.default_rng(15)
    x, y = rng.standard_normal((1000, 2)), rng.standard_normal((1000, 2)) + 3.0

    def names(data: Any, neighbour: Any) -> set[str]:
        return {scored.name for scored in scores.scores(*encode_pair(data, neighbour))}

    wanted = {"learned score", "discriminant of a rare shift"}
    assert wanted <= names(x, y)
    assert not wanted & (names(x[1:], y) | names(x, y[1:]))


def test_what_is_learned_is_large_on_the_data() -> None:
    rng = np.random.default_rng(16)
    x, y = rng.standard_normal((1000, 2)), rng.standard_normal((1000, 2)) + 3.0
    learned = scores.boosted_log_odds(x, y)
    assert np.median(learned(x)) > 2.0
    assert np.median(learned(y)) < -2.0


def test_distances_need_more_than_ten_outputs_a_column_and_few_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    z = np.random.default_rng(17).standard_normal((21, 2))
    names = ["difference of distances", "log-ratio of distances"]
    assert [name for name, _, _ in scores.distance_scores(z, z + 1.0)] == names
    assert list(scores.distance_scores(z[1:], z)) == list(scores.distance_scores(z, z[1:])) == []
    monkeypatch.setattr(scores, "_MAX_WHITENED", 1)
    assert list(scores.distance_scores(z, z + 1.0)) == []


def test_columns_are_added_as_they_are_and_whitened() -> None:
    """Wide outputs are not whitened, nor are few."""
    rng = np.random.default_rng(14)

    def names(rows: int, width: int) -> list[str]:
        shift = np.arange(width) * (0.5 if width == 4 else 0.0)
        data, neighbour = encode_pair(rng.standard_normal((rows, width)) + shift, rng.standard_normal((rows, width)))
        design = scores.Design.fitted(data, neighbour)
        assert design is not None
        x, y = design(data), design(neighbour)
        return [name for name, _, _ in scores.additive(x, y, scores.column_views(x, y))]

    assert names(1000, 4) == [
        f"sum of log-ratios{kind}{view}"
        for view in ("", " of whitened coordinates")
        for kind in ("", " in steps", " in common steps")
    ]
    assert not any("whitened" in name for name in (*names(40, 4), *names(2100, 201)))


@pytest.mark.filterwarnings("error")
def test_parts_of_a_text_that_are_far_from_all_that_were_fitted_overflow_in_silence() -> None:
    draws = np.random.default_rng(0)

    def mechanism(x: float, rng: np.random.Generator) -> dict[str, Any]:
        return {"id": str(uuid.UUID(bytes=draws.bytes(16), version=4)), "y": x + float(rng.laplace())}

    assert 0.7 < audit.lower_bound(mechanism, 0.0, 1.0, trials=20_000).epsilon <= 1.0


def test_outputs_near_a_hidden_plane_are_seen_by_their_distance_along_its_axis() -> None:
    """Unit vectors with random signs, nearer to the plane on the data; the axis is found to 0.1."""
    rng = np.random.default_rng(3)
    axis, found = np.array([0.6, 0.0, 0.8, 0.0]), []
    for width in (0.3, 1.0):
        z = rng.normal(size=(4000, 4))
        found.append(z - (z @ axis)[:, None] * axis * (1.0 - width))
    pair = encode_pair(*found)
    score = next(of.score for of in scores.scores(*pair) if of.name == "distance along one axis")
    for outputs, z in zip(pair, found, strict=True):
        assert np.corrcoef(score(outputs), -np.abs(z @ axis))[0, 1] > 0.98
