"""Scores of how an output's numbers stand to each other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dppca.audit.auditor.arrangements import arrangements

Rows = np.ndarray[Any, Any]
SIZE = 6000


def _median_at_an_even_place(rng: np.random.Generator) -> tuple[Rows, Rows]:
    y = rng.normal(size=(2, SIZE, 7))
    even = np.argsort(y[0], axis=1)[:, 3] % 2 == 0
    y[0, ~even] = np.roll(y[0, ~even], 1, axis=1)
    return y[0], y[1]


def _two_near_each_other(rng: np.random.Generator) -> tuple[Rows, Rows]:
    x, y = rng.random((2, SIZE, 7))
    x[:, 3] = np.where(rng.random(SIZE) < 0.5, x[:, 5] + 1e-3, x[:, 3])
    return rng.permuted(x, axis=1), y


def _signs_that_stay(rng: np.random.Generator) -> tuple[Rows, Rows]:
    turns = [np.where(rng.random((SIZE, 12)) < stays, 1.0, -1.0) for stays in (0.65, 0.5)]
    first, second = (
        np.cumprod(of, axis=1) * rng.choice([-1.0, 1.0], (SIZE, 1)) * rng.exponential(size=of.shape) for of in turns
    )
    return first, second


def _rows_at_an_angle(rng: np.random.Generator) -> tuple[Rows, Rows]:
    found = []
    for share in (0.2, 0.0):
        x = rng.normal(size=(SIZE, 2, 5))
        x[:, 1] += share * x[:, 0]
        found.append(x.reshape(SIZE, 10))
    return found[0], found[1]


def _two_rows_near_each_other(rng: np.random.Generator) -> tuple[Rows, Rows]:
    x, y = rng.random((2, SIZE, 4, 2))
    some, pair = np.flatnonzero(rng.random(SIZE) < 0.5), np.argsort(rng.random((SIZE, 4)), axis=1)[:, :2]
    x[some, pair[some, 0]] = x[some, pair[some, 1]] + [0.01, -0.01]
    return x.reshape(SIZE, 8), y.reshape(SIZE, 8)


@pytest.mark.parametrize(
    ("name", "draw"),
    [
        ("ranks", _median_at_an_even_place),
        ("gaps", _two_near_each_other),
        ("pairs of signs", _signs_that_stay),
        ("products of rows", _rows_at_an_angle),
        ("distances of rows", _two_rows_near_each_other),
    ],
)
def test_what_an_arrangement_tells_is_a_score_that_is_large_on_the_data(name: str, draw: Any) -> None:
    """On outputs of other seeds; and of two samples of the neighbour nothing is found."""
    rng = np.random.default_rng(1)
    (x, y), (a, b) = draw(rng), draw(rng)
    width = x.shape[1]
    groups, lengths = {"": np.arange(width)}, {10: 5, 8: 2}
    rows = np.arange(width).reshape(-1, lengths[width]) if width in lengths else None
    found = {of: score for of, score, fitted in arrangements(x, y, lambda z: z, groups, rows) if fitted}
    score = found[f"sum of log-ratios of {name}"]
    errors = (score(a).mean() - score(b).mean()) / np.sqrt((score(a).var() + score(b).var()) / SIZE)
    assert errors > 8.0
    assert list(arrangements(y[: SIZE // 2], y[SIZE // 2 :], lambda z: z, groups, rows)) == []


def test_the_numbers_of_a_part_have_arrangements_of_their_own() -> None:
    rng = np.random.default_rng(2)
    x, y = (np.column_stack([1e3 * rng.normal(size=(SIZE, 4)), of]) for of in _median_at_an_even_place(rng))
    groups = {"": np.arange(11), " of output[1]": np.arange(4, 11)}
    names = [name for name, _, _ in arrangements(x, y, lambda z: z, groups, None)]
    assert "sum of log-ratios of ranks of output[1]" in names
