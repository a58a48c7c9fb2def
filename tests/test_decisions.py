"""What the auditor's engine decides on the way, on cases small enough to be worked out by hand.

A bound is valid whatever discovery chooses, and refusals stand in other tests: here are the choices themselves, which a
bound would show only in its size.
"""

from __future__ import annotations

import math
import random
import sqlite3
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import norm, poisson

from dppca import audit
from dppca.audit.engine import (
    arguments,
    betting,
    canaries,
    events,
    ratio_test,
    runner,
    scores,
    state,
    store,
    transcript_view,
    transcripts,
    trials,
    versions,
)
from dppca.audit.engine.batches import BatchError, Clock
from dppca.audit.engine.events import Goal
from dppca.audit.engine.outputs import Outputs, encode_pair
from dppca.audit.engine.rounding import Grid
from dppca.audit.engine.scores import Codes, Scored
from dppca.reference.noise import Noise, Sample
from tests.mechanisms import Vectorised


def both(data: Any, neighbour: Any) -> tuple[Outputs, Outputs]:
    return encode_pair(data, neighbour)


# --- orders of outputs --------------------------------------------------------------------------------


def test_an_order_of_cells_is_judged_on_other_data_than_made_it() -> None:
    """By labels, by parts, and by whole vectors that repeat: their ratios are all fitted."""
    words = both(["a", "b"] * 10, ["a", "c"] * 10)
    assert [fitted for _, fitted in events._orders(*words)] == [True]
    vectors = both([(0.0, 1.0), (1.0, 0.0)] * 50, [(0.0, 1.0), (0.0, 0.0)] * 50)
    *_, (order, fitted) = events._orders(*vectors)
    assert order.describe(1, 0) == "for data: output = (1, 0)"
    assert fitted


def test_vectors_are_told_apart_as_wholes() -> None:
    """Each of the 36 has an atom of its own, those that differ by a sign, a missing number or the order of entries included."""
    entries = (0.0, 1.0, -1.0, 2.0, 1e-300, math.nan)
    rows = np.array([(a, b) for a in entries for b in entries])
    found = events._whole(rows, rows[::-1])
    assert found is not None
    score, atoms, show = found
    values = score(Outputs.of(np.where(np.isnan(rows), 0.0, rows)))
    assert len(atoms) == 36
    assert {show(value) for value in atoms} == {f"({a:g}, {b:g})" for a, b in rows}
    assert len(set(values.tolist())) == 25  # without those that have no number
    assert events._whole(np.arange(602.0).reshape(301, 2), rows) is None  # more than 300 vectors


def test_bins_are_even_in_the_middle_and_finer_at_both_ends() -> None:
    levels = events._bin_levels(800)
    assert len(levels) == 49
    assert levels[5:-5] == pytest.approx(np.arange(1, 40) / 40)
    assert levels[0] == pytest.approx(0.01)  # at least 20 of 2000, or a hundredth
    assert levels[:5] == pytest.approx(0.01 * 2.5 ** np.linspace(0.0, 0.8, 5))
    assert levels == pytest.approx(1.0 - levels[::-1])
    assert events._bin_levels(10**6)[0] == pytest.approx(2e-5)


def test_cells_are_ranked_by_their_ratio_less_its_error() -> None:
    """Counts 9, 1, 10 and 0 against 1, 9, 10 and 0 of the two atoms, of what is between, and of what has no number."""
    data, neighbour = both([1.0] * 9 + [2.0] * 1 + [5.0] * 10, [1.0] * 1 + [2.0] * 9 + [5.0] * 10)
    number = Scored("output", lambda outputs: outputs.numbers[:, 0])
    order = events._by_ratio(data, neighbour, Codes(all_one=True), number, np.array([1.0, 2.0]), np.array([3.0, 7.0]))
    assert order.cells == 2 * (2 + 3 + 1)  # one label and all others, two atoms, three bins, no number
    ranks = order.rank(both([1.0, 5.0, 2.0], [1.0])[0]).tolist()
    assert ranks[0] == 0
    assert ranks[0] < ranks[1] < ranks[2] == order.cells - 1
    assert order.describe(1, 1) == "for data: output = 1; for neighbour: output = 2"
    everything = order.describe(order.cells, 0)
    assert everything == "for data: output = 1 or output in (3, 7] or output = 2"


# --- ends of an order ---------------------------------------------------------------------------------


def test_what_is_promised_is_the_root_of_its_equation() -> None:
    """r with p - c - r q = z sqrt((p + r^2 q) / pairs), found by bisection."""
    for p, q, c, z, pairs in [(0.5, 0.1, 0.0, 1.6, 1000.0), (0.02, 0.001, 1e-3, 3.0, 5e4), (0.9, 0.3, 0.01, 0.5, 30.0)]:

        def gap(r: float, p: float = p, q: float = q, c: float = c, z: float = z, pairs: float = pairs) -> float:
            return p - c - r * q - z * math.sqrt((p + r * r * q) / pairs)

        expected = brentq(gap, 0.0, 1e6, xtol=1e-13, rtol=1e-14)
        assert events.promised(np.array(p), np.array(q), np.array(c), z, pairs) == pytest.approx(expected, rel=1e-9)
    assert events.promised(np.array(0.1), np.array(0.1), np.array(0.2), 1.0, 10.0) == 0.0


def two_cells() -> tuple[events._Order, Outputs, Outputs]:
    """Return an order of three cells and outputs: 300 of 400 on the data, 40 of 400 on the neighbour are in the first."""
    data, neighbour = both([0.0] * 300 + [1.0] * 100, [0.0] * 40 + [1.0] * 360)
    order = events._Order(lambda outputs: outputs.numbers[:, 0].astype(np.int64), 3, lambda first, last: f"{first} {last}")
    return order, data, neighbour


def worth(hits: float, counters: float, ends: int, errors: float, size: int, epsilon: float | None) -> tuple[float, float]:
    """Return the strength against the claim and the promise, for shares of so many outputs, as the docstrings say."""
    c, paid = 1e-3 * ends, errors * math.sqrt(1000.0 / size)
    q = counters + (0.5 * ends + min(errors, 1.0) * math.sqrt(size * counters + ends)) / size
    faced = np.array(q + 1.2 / 1000.0)
    promise = float(events.promised(np.array(hits), faced, np.array(c), float(norm.isf(0.05)) + paid, 1000.0))
    ratio = math.exp(0.5)
    strength = (hits - c - ratio * q) / math.sqrt((hits + ratio**2 * q) / 1000.0) - paid
    return (0.0 if epsilon is None else max(0.0, strength), promise)


@pytest.mark.parametrize("epsilon", [None, 0.5])
def test_the_ends_that_are_chosen_promise_most(epsilon: float | None) -> None:
    """Every pair of ends by itself: shares, what is added for rare counters, and the errors that are paid for."""
    order, data, neighbour = two_cells()
    goal = Goal(1e-3, 0.05, 1000.0, epsilon)
    shares = [(0.75, 0.1), (0.25, 0.9), (0.0, 0.0)]
    ranks = order.rank(data), order.rank(neighbour)

    def best(errors: float, size: int) -> tuple[tuple[float, float], int, int, float, float]:
        ranked = []
        for first in range(3):
            for last in range(3 - first + 1):
                if max(first, last) > 2 or first + last == 0:
                    continue
                p = sum(cell[0] for cell in shares[:first]) + sum(cell[1] for cell in shares[3 - last :])
                q = sum(cell[1] for cell in shares[:first]) + sum(cell[0] for cell in shares[3 - last :])
                ranked.append((worth(p, q, (first > 0) + (last > 0), errors, size, epsilon), first, last, p, q))
        return max(ranked)

    any_ends = np.array([[0, 0], [1, 1], [2, 2]])
    for errors in (0.5, 1.5, 3.0):
        pair = events._Judged(order, events._EndShares.of(order, *ranks), errors, (0.0, 0.0), any_ends).pair(goal, 1.0)
        _, first, last, _, _ = best(errors, 400)
        assert (pair.first, 3 - pair.last) == (first, last)
    for errors, judged in zip((3.0, 1.0), events._judged(order, *ranks, goal), strict=True):
        halves = [best(caution, 200) for caution in (0.5, 1.5, 3.0)]  # the halves are alike
        kept = [worth(p, q, (first > 0) + (last > 0), errors, 400, epsilon) for _, first, last, p, q in halves]
        assert judged.worth == pytest.approx(max(kept), rel=1e-9)
        assert judged.caution in {caution for caution, of in zip((0.5, 1.5, 3.0), kept, strict=True) if of == max(kept)}


def test_an_order_is_worth_what_its_ends_keep_on_outputs_that_have_not_chosen_them() -> None:
    """Every second output of the data falls into the first cell, and of the neighbour, in turn, into the last: luck."""
    order, *_ = two_cells()
    data, neighbour = np.ones(400, dtype=np.int64), np.ones(400, dtype=np.int64)
    data[:80:2], neighbour[1:80:2] = 0, 2
    goal = Goal(0.0, 0.05, 1000.0)
    chosen = []
    for half in range(2):
        seen = events._EndShares.of(order, data[half::2], neighbour[half::2])
        chosen.append(events._best_of(seen, *seen.grids(), goal, 3.0))
    assert chosen == [(1, 0), (0, 1)]
    for errors, judged in zip((3.0, 1.0), events._judged(order, data, neighbour, goal), strict=True):
        assert judged.worth[1] < 1.0 < worth(0.2, 0.0, 1, errors, 400, None)[1]


def test_final_ends_lie_between_those_whose_worth_was_counted() -> None:
    """The first cell alone is best; with the second it is what both halves have chosen."""
    order, data, neighbour = two_cells()
    shares = events._EndShares.of(order, order.rank(data), order.rank(neighbour))
    goal = Goal(1e-3, 0.05, 1000.0)
    found = {}
    for ends in ([[1, 0], [2, 0]], [[2, 0], [2, 0]], [[0, 1], [0, 2]], [[2, 0], [0, 0]]):
        pair = events._Judged(order, shares, 1.5, (0.0, 0.0), np.array(ends)).pair(goal, 1.0)
        found[str(ends)] = (pair.first, 3 - pair.last)
    assert list(found.values()) == [(1, 0), (2, 0), (0, 2), (2, 0)]
    sizes = np.array([0, 2, 5, 9])
    assert events._from_least_to_largest(sizes, np.array([4, 9])).tolist() == [4, 5, 9]
    assert events._from_least_to_largest(sizes, np.array([0, 2])).tolist() == [0, 2]
    assert events._from_least_to_largest(sizes, np.array([3, 4])).tolist() == [3, 4]  # none of the sizes
    assert events._from_least_to_largest(sizes, np.array([0, 0])).tolist() == [0]
    # all outputs in the middle cell: only ends of two cells are on the grid, and both together are too many
    middle = events._EndShares.of(order, np.ones(10, dtype=np.int64), np.ones(10, dtype=np.int64))
    pair = events._Judged(order, middle, 1.5, (0.0, 0.0), np.array([[2, 1], [1, 2]])).pair(goal, 1.0)
    assert pair.first + 3 - pair.last <= 3


def test_an_output_of_numbers_alone_has_no_label() -> None:
    first, _ = both([(1.0, 2.0), (None, 2.0), (3.0, 4.0)], [(1.0, 2.0)])
    assert first.labels.tolist() == ["", ("", None, ""), ""]
    words, _ = both(["a", "b"], ["a"])
    assert words.labels.tolist() == ["a", "b"]


@pytest.mark.parametrize("sign", [1, -1])
def test_whole_numbers_beyond_float64_stay_different(sign: int) -> None:
    """Of a list, and of an array: 2^60 and 2^60 + 1 have the same float."""
    numbers = [sign * 2**60, sign * (2**60 + 1), 0]
    for outputs in (numbers, np.array(numbers)):
        first, _ = both(outputs, outputs)
        rows = {(label, *row) for label, row in zip(map(str, first.labels), first.numbers.tolist(), strict=True)}
        assert len(rows) == 3


def test_an_empty_word_is_neither_nothing_nor_a_number() -> None:
    first, _ = both(["", None, "a", 1.0], ["a"])
    assert len({str(label) for label in first.labels}) == 4


def test_each_part_that_has_marks_has_codes_where_there_are_two() -> None:
    first, second = both([("a", "x", 1.0), ("b", "x", 2.0)], [("a", "y", 1.0), ("a", "y", 3.0)])
    assert [(codes.part, codes.codes) for codes in Codes.of_parts(first, second)] == [
        (1, {"a": 0, "b": 1}),
        (2, {"x": 0, "y": 1}),
    ]
    one, other = both([("a", 1.0)], [("b", 1.0)])
    assert list(Codes.of_parts(one, other)) == []


def test_smoothing_keeps_what_both_laws_share_and_reproduces_a_logistic_ratio() -> None:
    z = np.linspace(-3.0, 3.0, 101)
    pooled = np.diff(norm.cdf(np.linspace(-3.03, 3.03, 102)))
    pooled /= pooled.sum()
    score = norm.ppf(np.cumsum(pooled) - 0.5 * pooled)
    share = 1.0 / (1.0 + np.exp(-0.8 * score))
    p, q = 2.0 * pooled * share, 2.0 * pooled * (1.0 - share)
    noise = 1.0 + 0.3 * np.sin(40.0 * z)
    found = events._smoothed(p * noise, q * noise)
    assert found[0] + found[1] == pytest.approx((p + q) * noise, rel=1e-9)
    exactly = events._smoothed(p, q)
    assert exactly[0] == pytest.approx(p, rel=1e-3, abs=2e-7)  # but for the ridge of 1e-6
    assert exactly[1] == pytest.approx(q, rel=1e-3, abs=2e-7)


def test_ends_are_thinned_where_there_are_more_than_120() -> None:
    assert events._thin(np.arange(1.0, 121.0)).tolist() == list(range(120))
    assert events._thin(np.arange(1.0, 122.0)).tolist() == [*range(30), *range(30, 111, 2), *range(111, 121)]
    assert events._thin(np.array([0.0, 0.0, 0.5, 0.5, 1.0])).tolist() == [0, 2, 4]  # where nothing changes there is no end


# --- scores -------------------------------------------------------------------------------------------


def columns(*rows: Any) -> tuple[Outputs, Outputs]:
    return both(list(rows), list(rows))


def test_a_design_standardises_what_varies_and_says_what_is_there() -> None:
    """Column 0: 1 and 3, missing once in each; column 1 is constant; the words "x" and "y"."""
    data = [(1.0, 5.0, "x"), (3.0, 5.0, "y"), (None, 5.0, "x")]
    of, _ = both(data, data)
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
    found = {name: rows(design(first)).tolist() for name, rows, _ in scores._summaries(design)}
    prefix = found.pop("largest prefix sum")  # of standardised columns: each is 1 and -1, or -1 and 1
    assert prefix == pytest.approx([1.0, 0.0])
    assert found == {
        "sum": pytest.approx([12.0, 10.0]),
        "maximum": pytest.approx([10.0, 8.0]),
        "minimum": pytest.approx([-1.0, 0.0]),
        "place of the maximum": [2.0, 1.0],
        "place of the minimum": [1.0, 0.0],
    }
    two, _ = columns((3.0, -1.0), (0.0, 8.0))
    assert len(list(scores._summaries(scores.Design.fitted(two, two)))) == 6
    one, _ = columns((3.0, 1.0), (0.0, 1.0))
    assert list(scores._summaries(scores.Design.fitted(one, one))) == []


def test_quadratic_scores_are_those_of_two_gaussian_laws() -> None:
    """Means 0 and (1, -1), variances (1, 4) and (9, 1), without correlation: four points of each."""
    x = np.array([[1.0, 2.0], [1.0, -2.0], [-1.0, 2.0], [-1.0, -2.0]])
    y = np.array([[4.0, 0.0], [4.0, -2.0], [-2.0, 0.0], [-2.0, -2.0]])
    z = np.array([[0.0, 0.0], [1.0, 2.0], [-3.0, 0.5]])
    found = {name: (rows(z), fitted) for name, rows, fitted in scores._quadratics(np.tile(x, (3, 1)), np.tile(y, (3, 1)))}
    assert list(found) == ["length", "sum of squares", "quadratic discriminant"]
    length, fitted = found["length"]
    assert (length.tolist(), fitted) == ([-0.5, -6.5, -13.25], False)  # y is longer, from the middle (0.5, -0.5)
    expected = 0.5 * ((z - [1.0, -1.0]) ** 2 / [9.0, 1.0] - z**2 / [1.0, 4.0]).sum(axis=1)
    for name, relative in (("sum of squares", 1.0), ("quadratic discriminant", 11.0 / 12.0)):  # np.cov divides by 12 - 1
        off = found[name][0] - relative * expected
        assert off == pytest.approx(np.full(3, off[0]), abs=1e-6), name  # up to a constant
    assert found["quadratic discriminant"][1]
    few = [name for name, _, _ in scores._quadratics(np.tile(x, (2, 1)), np.tile(y, (2, 1)))]
    assert few == ["length", "sum of squares"]  # 8 outputs are not more than 4 for each of 2 columns
    wide = np.tile(np.eye(20), (5, 1))  # 100 are more than 4 * 20, and not more than 20^2 / 2
    assert len(list(scores._quadratics(wide, wide))) == 2


def test_a_rare_shift_is_found() -> None:
    """Two in a hundred outputs of the data are moved by 6 along (0.6, 0.8), of another law than the mean differs by."""
    rng = np.random.default_rng(11)
    x, y = rng.standard_normal((4000, 2)), rng.standard_normal((4000, 2))
    x[:80] += 6.0 * np.array([0.6, 0.8])
    for a, b, sign in ((x, y, 1.0), (y, x, -1.0)):
        direction = scores._rare_direction(a, b, scores._covariance(a, b))
        cosine = float(direction @ [0.6, 0.8]) / float(np.linalg.norm(direction))
        assert sign * cosine > 0.99


def test_where_no_shift_is_seen_the_means_give_the_direction() -> None:
    """Constant outputs have no variance, so nothing is whitened."""
    x, y = np.zeros((5, 2)), np.ones((5, 2))
    assert scores._rare_direction(x, y, scores._covariance(x, y)).tolist() == [-1.0, -1.0]


def test_what_is_learned_needs_a_thousand_outputs_of_each_dataset() -> None:
    rng = np.random.default_rng(15)
    x, y = rng.standard_normal((1000, 2)), rng.standard_normal((1000, 2)) + 3.0

    def names(data: Any, neighbour: Any) -> set[str]:
        return {scored.name for scored in scores.scores(*both(data, neighbour))}

    wanted = {"learned score", "discriminant of a rare shift"}
    assert wanted <= names(x, y)
    assert not wanted & (names(x[1:], y) | names(x, y[1:]))


def test_what_is_learned_is_large_on_the_data() -> None:
    rng = np.random.default_rng(16)
    x, y = rng.standard_normal((1000, 2)), rng.standard_normal((1000, 2)) + 3.0
    learned = scores._learned(x, y, np.array([1.0, 2.0]), None)
    assert np.median(learned(x)) > 2.0
    assert np.median(learned(y)) < -2.0


def test_distances_need_more_than_ten_outputs_a_column_and_few_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    z = np.random.default_rng(17).standard_normal((21, 2))
    names = ["difference of distances", "log-ratio of distances"]
    assert [name for name, _, _ in scores._distances(z, z + 1.0)] == names
    assert list(scores._distances(z[1:], z)) == list(scores._distances(z, z[1:])) == []
    monkeypatch.setattr(scores, "_MAX_WHITENED", 1)
    assert list(scores._distances(z, z + 1.0)) == []


def test_log_ratios_in_steps_are_those_of_the_counts_and_a_half() -> None:
    """80 and 20 of 100 against 20 and 80, with the step between 0 and 1."""
    x, y = (np.repeat([[0.0], [1.0]], counts, axis=0) for counts in ([80, 20], [20, 80]))
    ((column, edges, ratio),) = scores._stepped(x, y)
    assert (column, edges.tolist()) == (0, [0.0])
    assert ratio == pytest.approx([math.log(80.5 / 20.5), math.log(20.5 / 80.5)])


def test_products_are_searched_as_long_as_the_work_allows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pairs of 4 columns of 8000 outputs are 4^2 * 8000 multiplications, four times the work; triples are more."""
    rng = np.random.default_rng(13)
    y, two, three = rng.standard_normal((3, 4000, 4))
    two[:, 2] = np.copysign(two[:, 2], two[:, 0])
    three[:, 3] = np.copysign(three[:, 3], three[:, 0] * three[:, 1])
    for work, pairs in ((32_000.0, 1), (31_999.0, 0)):
        monkeypatch.setattr(scores, "_PRODUCT_WORK", work)
        assert len(list(scores._products(two, y))) == pairs
        assert list(scores._products(three, y)) == []


def test_log_ratios_of_columns_are_shrunk_and_added() -> None:
    """Column 0 is 0 or 1, 80 and 20 of 100 against 20 and 80; column 1 tells nothing."""
    x = np.column_stack([np.repeat([0.0, 1.0], [80, 20]), np.tile([0.0, 1.0], 50)])
    y = np.column_stack([np.repeat([0.0, 1.0], [20, 80]), np.tile([0.0, 1.0], 50)])
    rows = scores._sum_of_ratios(x, y)
    assert rows is not None
    ratio, spread = math.log(80.5 / 20.5), math.sqrt(1 / 80.5 + 1 / 20.5)
    shrunk = ratio * (1.0 - (spread / ratio) ** 2)
    assert rows(np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])) == pytest.approx([shrunk, -shrunk, shrunk])
    assert scores._sum_of_ratios(x[:, 1:], y[:, 1:]) is None


def test_log_ratios_of_a_column_of_many_values_follow_its_density() -> None:
    """N(1, 1) against N(0, 1): x - 1/2, between the outer bins at least; and constant beyond them."""
    rng = np.random.default_rng(12)
    x, y = rng.normal(1.0, 1.0, (20_000, 1)), rng.normal(0.0, 1.0, (20_000, 1))
    rows = scores._sum_of_ratios(x, y)
    assert rows is not None
    at = np.linspace(-1.0, 2.0, 13)
    assert rows(at[:, np.newaxis]) == pytest.approx(at - 0.5, abs=0.15)
    far = rows(np.array([[-9.0], [-5.0], [5.0], [9.0]]))
    assert far[0] == far[1] < -1.7
    assert far[2] == far[3] > 1.7
    levels = scores._additive_levels()
    assert levels == pytest.approx([0.005, 0.02, *(np.arange(1, 12) / 12), 0.98, 0.995])


def test_columns_are_added_as_they_are_whitened_and_as_differences() -> None:
    """Each with its two columns whose means differ most; wide outputs are not whitened, nor are few."""
    rng = np.random.default_rng(14)

    def names(rows: int, width: int) -> list[str]:
        shift = np.arange(width) * (0.5 if width == 4 else 0.0)
        data, neighbour = both(rng.standard_normal((rows, width)) + shift, rng.standard_normal((rows, width)))
        design = scores.Design.fitted(data, neighbour)
        assert design is not None
        return [name for name, _, _ in scores._additive(design(data), design(neighbour), design)]

    found = names(1000, 4)
    assert [name for name in found if name.startswith("sum")] == [
        f"sum of log-ratios{kind}{view}"
        for view in ("", " of whitened coordinates", " of differences")
        for kind in ("", " in steps", " in common steps")
    ]
    assert [name for name in found if name.startswith("whitened")] == ["whitened coordinates [3]", "whitened coordinates [2]"]
    assert len([name for name in found if name.startswith("differences")]) == 2
    assert not any("whitened" in name for name in (*names(40, 4), *names(2100, 201)))


def test_products_of_signs_that_tell_are_found() -> None:
    """The product of columns 0 and 2, and of 0, 1 and 3: on the data always 1; on the neighbour everything is even."""
    rng = np.random.default_rng(13)
    y, two, three = rng.standard_normal((3, 4000, 4))
    two[:, 2] = np.copysign(two[:, 2], two[:, 0])
    three[:, 3] = np.copysign(three[:, 3], three[:, 0] * three[:, 1])
    found = dict(scores._products(two, y))
    assert list(found) == ["product of the signs of (0, 2)"]
    assert found["product of the signs of (0, 2)"](np.array([[2.0, 0.0, 3.0, 0.0], [2.0, 0.0, -3.0, 0.0]])).tolist() == [
        1.0,
        -1.0,
    ]
    assert list(dict(scores._products(three, y))) == ["product of the signs of (0, 1, 3)"]
    assert list(dict(scores._products(two[:, [1, 0, 3, 2]], y))) == ["product of the signs of (1, 3)"]
    assert list(scores._products(y[:2000], y[2000:])) == []


def test_products_of_plus_and_minus_one_are_found_where_most_are_plus_one() -> None:
    """Three signs, each +1 with probability 0.6: on the data their product is +1 nine times of ten."""
    rng = np.random.default_rng(14)
    x, y = (np.where(rng.random((4000, 3)) < 0.6, 1.0, -1.0) for _ in range(2))
    wanted = np.where(rng.random(4000) < 0.9, 1.0, -1.0)
    x[:, 2] *= np.where(x.prod(axis=1) == wanted, 1.0, -1.0)
    name, rows = next(scores._products(x, y))
    assert name == "product of the signs of (0, 1, 2)"
    assert rows(np.array([[1.0, 1.0, 1.0], [1.0, -1.0, 1.0]])).tolist() == [1.0, -1.0]


# --- tests --------------------------------------------------------------------------------------------


def test_hits_without_counters_give_the_limit_of_clopper_and_pearson() -> None:
    """Ten hits of ten: the lower limit of the share is the tenth root of alpha."""
    share = 0.05**0.1
    found = ratio_test.fixed_size_bound(ratio_test.Counts(10, 0, 100.0), 0.0, 0.05)
    assert found == pytest.approx(math.log(share / (1.0 - share)), rel=1e-9)
    assert ratio_test.fixed_size_bound(ratio_test.Counts(0, 10, 100.0), 0.0, 0.05) == 0.0


@pytest.mark.parametrize(("hits", "counters", "ratio", "offset"), [(30, 10, 2.0, 5.0), (12, 4, 7.5, 1.0), (3, 9, 1.0, 0.5)])
def test_a_deviance_is_what_the_best_mean_loses(hits: int, counters: int, ratio: float, offset: float) -> None:
    m = np.linspace(1e-3, 60.0, 60_001)
    lost = poisson.logpmf(hits, hits) + poisson.logpmf(counters, counters)
    lost -= (poisson.logpmf(hits, ratio * m + offset) + poisson.logpmf(counters, m)).max()
    assert float(ratio_test._deviance(hits, counters, ratio, offset)) == pytest.approx(2.0 * lost, abs=1e-5)


def test_the_tail_of_a_region_is_summed_over_its_edge() -> None:
    needed = np.array([5 + 2 * k for k in range(200)])
    region = ratio_test._Region(needed, 0.0, (1.0, 9.0), 0.0, 0.05)
    exact = sum(poisson.pmf(k, 4.0) * poisson.sf(needed[k] - 1, 11.0) for k in range(200))
    assert region._tail(11.0, 4.0) == pytest.approx(exact, rel=1e-9)


@pytest.mark.parametrize("counts", [(300, 40, 1000.0), (30, 2, 1000.0), (2000, 1500, 10_000.0)])
def test_a_bound_is_the_last_epsilon_that_is_rejected(counts: tuple[int, int, float]) -> None:
    seen, step = ratio_test.Counts(*counts), ratio_test._EPSILON_STEP
    found = ratio_test.fixed_size_bound(seen, 1e-3, 0.05)
    assert found > 0.0
    assert ratio_test.rejected(seen, 1e-3, 0.05, found)
    assert not ratio_test.rejected(seen, 1e-3, 0.05, found + step)


def test_wealth_is_that_of_gamblers_with_fixed_shares() -> None:
    """Three hits, two counters and fifteen trials that are neither; who could lose everything has nothing."""
    c, epsilon = 0.1, 0.3
    loss = math.exp(epsilon) + c / 2.0
    shares = [1e-5 * (0.999e5) ** (i / 47.0) for i in range(48)]
    each = [(1 + x * (1 - c / 2)) ** 3 * (1 - x * loss) ** 2 * (1 - x * c / 2) ** 15 if x * loss < 1.0 else 0.0 for x in shares]
    found = betting.log_wealth(ratio_test.Counts(3, 2, 10.0), c, epsilon)
    assert found == pytest.approx(math.log(math.fsum(each) / 48.0), rel=1e-9)


def test_the_probability_of_right_guesses_with_delta() -> None:
    """Three of four guesses about ten canaries are right at epsilon = 0 and delta = 0.01: 5/16 + 2 * 10 * 0.01 * 6/16."""
    assert canaries.p_value(10, 4, 3, 0.0, 0.01) == pytest.approx(0.3875)
    assert canaries.p_value(10, 4, 3, 0.0, 0.0) == pytest.approx(0.3125)
    assert canaries.p_value(10, 4, 0, 0.0, 0.01) == 1.0


@pytest.mark.parametrize("error", [0.05, 0.01])
def test_an_epsilon_that_explains_the_guesses_is_not_excluded(error: float) -> None:
    """Ten right guesses of ten have probability s^10, s = 1 / (1 + e^-epsilon): s may be the tenth root of the error."""
    share = error**0.1
    exact = math.log(share / (1.0 - share))
    found = canaries.excluded_up_to(10, 10, 10, 0.0, error)
    assert exact - 1e-3 <= found <= exact


def test_as_many_guesses_are_made_at_each_end() -> None:
    joined = np.array([False] * 4 + [True] * 4)
    for guesses in (4, 5, 8):
        bound = audit.one_run_lower_bound(np.arange(8.0), joined, guesses=guesses)
        assert bound.event in (f"{guesses} of {guesses} guesses about 8 canaries are right", "nothing shown by 8 canaries")
    joined[3] = True  # the fourth from below is wrong, and only eight guesses ask for it
    found = audit.one_run_lower_bound(np.arange(8.0), joined, guesses=8)
    assert found.event == "7 of 8 guesses about 8 canaries are right"


# --- transcripts --------------------------------------------------------------------------------------


def test_a_pilot_promises_what_betting_will_show() -> None:
    """All losses 5: 1 - e^(epsilon - 5) is delta. Half of them 5: that is 2 delta / (1 - need), need = sqrt(2 log 20 / trials).

    What is sure is less: half a standard error of 100 transcripts more is needed. The share is need over the deviation.
    """
    always = transcript_view._plan(np.full(100, 5.0), np.zeros(100), 1000, 0.5, 0.05, 0.25)
    assert always is not None
    assert always.promise == pytest.approx(5.0 + math.log(0.5), abs=1e-3)
    assert (always.tilt, always.shares.tolist()) == (0.25, pytest.approx([0.225, 0.45, 0.9]))
    half = transcript_view._plan(np.repeat([5.0, -5.0], 50), np.zeros(100), 1000, 0.1, 0.05, 0.0)
    assert half is not None
    need = math.sqrt(2.0 * math.log(20.0) / 1000.0)
    assert half.promise == pytest.approx(5.0 + math.log(1.0 - 0.2 / (1.0 - need)), abs=1e-3)
    assert half.rated == pytest.approx(5.0 + math.log(1.0 - 0.2 / (1.0 - need - 0.05)), abs=1e-3)
    share = need * (1.0 - need)  # the deviation is 1 / (1 - need)
    assert half.shares == pytest.approx(np.array([0.5, 1.0, 2.0]) * share, rel=1e-2)
    assert transcript_view._plan(np.full(100, -1.0), np.zeros(100), 1000, 0.1, 0.05, 0.0) is None


def test_the_largest_epsilon_is_found_from_below_and_given_up_beyond_a_million() -> None:
    for edge in (1e-3, 0.7, 1.0, 33.3, 4e5):
        for high in (1.0, 50.0):
            found = transcript_view._largest(lambda epsilon, edge=edge: epsilon <= edge, high)
            assert edge - 2e-3 * max(1.0, edge) <= found <= edge
    assert transcript_view._largest(lambda epsilon: True, 1.0) == 2.0**19  # 2^20 is more than a million
    assert transcript_view._top(np.array([0.2, math.inf, -math.inf])) == 1.0
    assert transcript_view._top(np.array([0.2, 3.5, math.inf])) == 3.5
    assert transcript_view._top(np.array([math.inf])) == 1.0


def test_a_pilot_is_taken_from_the_trials_that_were_asked_for() -> None:
    """Three rounds of 30 transcripts."""
    advanced: list[int] = []

    def one(data: float, noise: Noise) -> float:
        return float(noise.gaussian("g", data, std=1.0, sensitivity=1.0))

    verdict = audit.transcript_check(one, 0.0, 1.0, audit.Claim(9.0), trials=400, seed=1, progress=advanced.append)
    assert (advanced, verdict.bound.trials) == ([90, 310], 400)


def test_runs_of_different_length_are_told_apart_whichever_ends_first() -> None:
    def counted(data: int, noise: Noise) -> int:
        for i in range(data):
            noise.gaussian(f"g[{i}]", np.zeros(1), std=1.0, sensitivity=1.0)
        return data

    for data, neighbour in ((2, 1), (1, 2)):
        assert transcripts.draw_transcript(counted, data, neighbour, np.random.default_rng(1)).loss == math.inf
    alike = transcripts.draw_transcript(counted, 2, 2, np.random.default_rng(1))
    assert (alike.loss, alike.outputs) == (0.0, (2, 2))


def test_the_share_without_tilt_is_drawn_without_tilt() -> None:
    """With a share of nearly 1 the release is the one that no tilt gives, and weighs 1; with none it is moved."""

    def one(data: float, noise: Noise) -> float:
        return float(noise.gaussian("g", data, std=1.0, sensitivity=1.0))

    def released(tilt: float, share: float, before: int) -> tuple[list[Any], float]:
        rng, found = np.random.default_rng(5), list[Any]()
        rng.random(before)
        weight = transcripts.draw_transcript(one, 0.0, 1.0, rng, tilt, share=share, released=found).log_weight
        return found, weight

    plain, weight = released(0.0, 0.0, 1)
    assert weight == 0.0
    mixed, weight = released(2.0, 1.0 - 1e-12, 0)  # one number is drawn to choose the law
    assert mixed == plain
    assert weight == pytest.approx(0.0, abs=1e-9)
    moved, weight = released(2.0, 0.0, 1)
    assert abs(float(moved[0]) - float(plain[0])) > 0.5
    assert weight != 0.0


# --- arguments ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("call_timeout", [0.0, -1.0, math.inf, math.nan, "1", None])
def test_a_time_limit_is_a_positive_number(call_timeout: Any) -> None:
    if call_timeout is None:
        runner._check(1, call_timeout, None)
        return
    with pytest.raises(ValueError, match="call_timeout must be finite and > 0, got"):
        runner._check(1, call_timeout, None)


def test_what_is_no_store_is_refused_before_anything_is_run() -> None:
    def never(data: Any, rng: np.random.Generator) -> float:
        raise AssertionError("must not be called")

    for call in (
        lambda: audit.check(never, 0.0, 1.0, audit.Claim(1.0), store="runs.sqlite"),
        lambda: audit.lower_bound(never, 0.0, 1.0, store="runs.sqlite"),
    ):
        with pytest.raises(ValueError, match="store must be a Store"):
            call()


def test_classes_and_sequences_are_told_apart_from_what_was_meant() -> None:
    arguments.check_features(float)  # a class that is called to make its objects, which are numbers
    arguments.check_features(None)
    with pytest.raises(ValueError, match=r"features must be a callable .*make an object of it"):
        arguments.check_features(type("Scale", (), {"__call__": lambda self, output: output}))
    for wrong in ("a word", b"bytes", iter([1.0]), 3.0):
        with pytest.raises(ValueError, match="outputs must be a sequence of outputs, got"):
            arguments.check_outputs("outputs", wrong)


def test_a_claim_may_be_of_epsilon_zero() -> None:
    assert audit.Claim(0.0, 0.1) == audit.Claim(epsilon=0, delta=0.1)
    for epsilon in (-1e-9, math.inf, math.nan):
        with pytest.raises(ValueError, match="epsilon must be finite and >= 0, got"):
            audit.Claim(epsilon)


def test_advice_is_given_where_a_mechanism_was_taken_for_an_algorithm() -> None:
    rng, noise = np.random.default_rng(1), Sample(np.random.default_rng(1))
    assert "audit.check" in arguments.other_kind(AttributeError("no", name="normal", obj=noise))
    assert "audit.transcript_check" in arguments.other_kind(AttributeError("no", name="gaussian", obj=rng))
    for error in (
        AttributeError("no", obj=noise),
        AttributeError("no"),
        AttributeError("no", name="gaussian", obj=3.0),
        AttributeError("no", name="unknown", obj=rng),
        AttributeError("no", name="unknown", obj=noise),
        NameError("no", name="normal"),
    ):
        assert arguments.other_kind(error) == ""


# --- trials -------------------------------------------------------------------------------------------


def laplace(x: float, n: int, rng: np.random.Generator) -> Any:
    return x + rng.laplace(size=n)


def test_the_generators_of_the_process_are_left_as_they_were() -> None:
    def states() -> Any:
        return np.random.get_state(legacy=False)["state"]["key"].tolist(), random.getstate()  # noqa: NPY002

    before = states()
    with state.seeded(np.random.SeedSequence(3)):
        assert states() != before
        np.random.random()  # noqa: NPY002
        random.random()  # noqa: S311
    assert states() == before


def test_a_fingerprint_has_128_bits() -> None:
    one, other = state.fingerprint({"a": np.arange(3.0)}), state.fingerprint({"a": np.arange(4.0)})
    assert one is not None
    assert (len(one), one == other) == (16, False)


class Counts:
    """Its outputs are 1, 2, 3, ..."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, x: float, rng: np.random.Generator) -> float:
        self.calls += 1
        return float(self.calls)


def test_a_state_is_looked_for_in_every_batch() -> None:
    """Of the first one thousand calls are run again, of others a hundred."""
    for key, calls in (((), 3000), ((0,), 3000), ((3, 0), 3000), ((1,), 2100)):
        counts = Counts()
        batch = trials.OutputBatch(np.random.SeedSequence(1, spawn_key=key), 2000, "data", counts, 0.0, None)
        with pytest.raises(BatchError, match="keeps a state"):
            batch.run(Clock())
        assert counts.calls == calls


def test_a_clock_is_told_of_every_call() -> None:
    class Told(Clock):
        calls: list[int] = []  # noqa: RUF012

        def start(self, trial: int) -> None:
            self.calls.append(trial)

    batch = trials.OutputBatch(np.random.SeedSequence(1), 5, "data", lambda x, rng: x, 0.0, None)
    assert batch.outputs(Told()) == [0.0] * 5
    assert Told.calls == [0, 1, 2, 3, 4]
    trials.OutputBatch(np.random.SeedSequence(1), 5, "data", Vectorised(laplace), 0.0, None).outputs(Told())
    assert Told.calls == [0, 1, 2, 3, 4, 0]


def test_outputs_are_compared_with_those_of_ten_seeds() -> None:
    seen: dict[int, set[float]] = {0: set(), 1: set()}

    def same(x: int, n: int, rng: np.random.Generator) -> Any:
        seen[x].add(float(rng.random()))
        return np.arange(float(n))

    with pytest.raises(audit.MechanismError, match="gives the same outputs with 10 seeds"):
        audit.lower_bound(Vectorised(same), 0, 1, trials=2000)
    assert (len(seen[0]), len(seen[1])) == (10, 1)


def test_what_is_left_is_told_after_the_first_batch_of_a_sampler(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 30 trials on each dataset 10 are done."""
    told: list[tuple[int, int]] = []

    def announce(seconds: float, done: int, left: int) -> bool:
        told.append((done, left))
        return True

    monkeypatch.setattr(trials, "announce_time", announce)
    monkeypatch.setattr(trials, "BATCH", 10)
    mechanism = Vectorised(laplace)
    seeds = np.random.SeedSequence(1).spawn(2)
    first = trials.Stream(mechanism, 0.0, "data", seeds[0], None)
    second = trials.Stream(mechanism, 1.0, "neighbour", seeds[1], None)
    with runner.Runner(1, None, None, callables=(mechanism,), data=(0.0, 1.0)) as running:
        assert [len(outputs) for outputs, _ in trials.looks((first, second), 30, running)] == [10, 10, 10]
    assert told == [(20, 40)]


def test_a_store_that_is_closed_is_used_no_more(tmp_path: Path) -> None:
    file = store.StoreFile(tmp_path / "runs.sqlite")
    file.put(b"key", b"value")
    assert file.get(b"key") == b"value"
    file.close()
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        file._connection.execute("SELECT 1")


# --- what a mechanism is ------------------------------------------------------------------------------


class Locked:
    """Can be pickled, and not made again."""

    def __reduce__(self) -> Any:
        return _refuse, ()


def _refuse() -> None:
    raise RuntimeError("no second one")


def test_what_cannot_be_made_again_has_no_copy() -> None:
    assert state.Copies(Locked()).made() is None
    assert state.Copies(two_cells).made()()[0].cells == 3


def test_only_files_of_source_are_read_for_imports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "one.py").write_text("import colorsys\nfrom wave import open\nfrom . import two\n")
    (tmp_path / f"two{EXTENSION_SUFFIXES[0]}").write_text("import chunk\n")
    module = ModuleType("of_source_and_binary")
    module.__path__ = [str(tmp_path)]
    monkeypatch.setitem(sys.modules, "of_source_and_binary", module)
    assert versions._imports("of_source_and_binary") == {"colorsys", "wave"}


def test_a_grid_has_the_usual_size_of_the_numbers() -> None:
    """The median size 90.5 is below 128; a column of whole numbers is none of the grid's."""
    first, second = both([(90.5, 3.0), (2.5, 1.0), (100.25, 2.0)], [(90.5, 3.0), (2.5, 1.0), (100.25, 2.0)])
    grid = Grid.of(first, second)
    assert (grid.columns.tolist(), grid.sizes.tolist()) == ([0], [128.0])
