"""Outputs as collections of members."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dppca.audit.auditor.members import Members, members
from dppca.audit.auditor.outputs import encode_pair
from dppca.audit.auditor.scores import scores

NAN = float("nan")


def found(data: Any, neighbour: Any) -> dict[str, tuple[Members, Any]]:
    pair = encode_pair(data, neighbour)
    return {of.name: (of, pair[0]) for of in members(*pair)}


def test_of_numbers_there_are_how_many_distinct_largest_groups_and_each_value() -> None:
    of, outputs = found([[2.0, 1.0, 2.0, 2.0], [0.0, 0.0, 1.0, 1.0], [1.0, NAN, 4.0, 2.0]], [[1.0, 1.0, 1.0, 1.0]])["numbers"]
    counted = of(outputs).tolist()
    # members, values; four largest groups; how many are 0, 1, 2, 4
    assert counted[0] == [4, 2, 3, 1, 0, 0, 0, 1, 3, 0]
    assert counted[1] == [4, 2, 2, 2, 0, 0, 2, 2, 0, 0]
    assert counted[2] == [3, 3, 1, 1, 1, 0, 0, 1, 1, 1]


def test_labels_are_members_wherever_they_stand_and_unknown_ones_are_equal_to_themselves() -> None:
    of, outputs = found([["a", "b", "a"], ["b", "b", "b"]], [["a", "a", "b"]])["labels"]
    assert of(outputs)[:, [0, 1, 2, 3, -2, -1]].tolist() == [[3, 2, 2, 1, 2, 1], [3, 1, 3, 0, 0, 3]]
    (new, _) = encode_pair([["c", "d", "c"], ["c", "d", "e"]], [["a", "b", "a"]])
    assert [row[:4] for row in of(new).tolist()] == [[3, 2, 2, 1], [3, 3, 1, 1]]


def test_rows_are_members_in_any_order() -> None:
    of, outputs = found(np.array([[[1, 2], [3, 4], [1, 2]], [[3, 4], [1, 2], [2, 1]]]), np.array([[[3, 4]] * 3]))["rows"]
    counted = of(outputs)
    assert counted[:, :5].tolist() == [[3, 2, 2, 1, 0], [3, 3, 1, 1, 1]]
    assert sorted(counted[0, 5:].tolist()) == [0.0, 1.0, 2.0]


def test_where_no_members_are_ever_equal_or_missing_nothing_is_counted() -> None:
    rng = np.random.default_rng(0)
    assert found(rng.normal(size=(20, 5)), rng.normal(size=(20, 5))) == {}


@pytest.mark.parametrize("labels", [False, True])
def test_the_size_of_the_largest_group_is_a_score(labels: bool) -> None:
    """Ten members of 40 values, of which three are equal on the data."""
    rng = np.random.default_rng(1)
    both = np.argsort(rng.random((2, 600, 40)), axis=2)[:, :, :10]
    both[0, :, 1] = both[0, :, 2] = both[0, :, 0]
    both = rng.permuted(both, axis=2)
    raw = [[[f"w{i}" for i in row] for row in of] for of in both.tolist()] if labels else both.astype(float)
    pair = encode_pair(*raw)
    name = f"sum of log-ratios of counted {'labels' if labels else 'numbers'}"
    score = next(of.score for of in scores(*pair) if of.name == name)
    assert score(pair[0]).min() > score(pair[1]).max()
