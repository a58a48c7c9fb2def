"""Additive scores: log-ratios by hand, their shrinkage, and categories that decide which columns tell something."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dppca.audit.auditor import additive


def test_log_ratios_in_steps_are_those_of_the_counts_and_a_half() -> None:
    """80 and 20 of 100 against 20 and 80, with the step between 0 and 1."""
    x, y = (np.repeat([[0.0], [1.0]], counts, axis=0) for counts in ([80, 20], [20, 80]))
    ((column, edges, ratio),) = additive.stepped_columns(x, y)
    assert (column, edges.tolist()) == (0, [0.0])
    assert ratio == pytest.approx([math.log(80.5 / 20.5), math.log(20.5 / 80.5)])


def test_log_ratios_of_columns_are_shrunk_and_added() -> None:
    """Column 0 is 0 or 1, 80 and 20 of 100 against 20 and 80; column 1 tells nothing."""
    x = np.column_stack([np.repeat([0.0, 1.0], [80, 20]), np.tile([0.0, 1.0], 50)])
    y = np.column_stack([np.repeat([0.0, 1.0], [20, 80]), np.tile([0.0, 1.0], 50)])
    rows = additive.sum_of_ratios(x, y)
    assert rows is not None
    ratio, spread = math.log(80.5 / 20.5), math.sqrt(1 / 80.5 + 1 / 20.5)
    shrunk = ratio * (1.0 - (spread / ratio) ** 2)
    assert rows(np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])) == pytest.approx([shrunk, -shrunk, shrunk])
    assert additive.sum_of_ratios(x[:, 1:], y[:, 1:]) is None


def test_log_ratios_of_a_column_of_many_values_follow_its_density() -> None:
    """N(1, 1) against N(0, 1): x - 1/2, between the outer bins at least; and constant beyond them."""
    rng = np.random.default_rng(12)
    x, y = rng.normal(1.0, 1.0, (20_000, 1)), rng.normal(0.0, 1.0, (20_000, 1))
    rows = additive.sum_of_ratios(x, y)
    assert rows is not None
    at = np.linspace(-1.0, 2.0, 13)
    assert rows(at[:, np.newaxis]) == pytest.approx(at - 0.5, abs=0.15)
    far = rows(np.array([[-9.0], [-5.0], [5.0], [9.0]]))
    assert far[0] == far[1] < -1.7
    assert far[2] == far[3] > 1.7
    levels = additive.bin_levels()
    assert levels == pytest.approx([0.005, 0.02, *(np.arange(1, 12) / 12), 0.98, 0.995])


def test_in_each_category_another_column_tells() -> None:
    """Of 80 and 20 against 20 and 80: column 1 + c in category c; the other column has the same shares in both."""
    one, even = np.repeat([1.0, 0.0], [80, 20]), np.tile([0.0, 1.0], 50)
    x = np.concatenate([np.column_stack([one, even]), np.column_stack([even, one])])
    y = np.concatenate([np.column_stack([1.0 - one, even]), np.column_stack([even, 1.0 - one])])
    codes = np.repeat([0, 1], 100)
    rows = additive.within_categories((codes, codes), x, y)
    assert rows is not None
    ratio, spread = math.log(80.5 / 20.5), math.sqrt(1 / 80.5 + 1 / 20.5)
    shrunk = ratio * (1.0 - (spread / ratio) ** 2)
    z = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    assert rows(np.array([0, 1, 1, 2]), z) == pytest.approx([shrunk, -shrunk, shrunk, 0.0])
    assert additive.within_categories((codes, codes), x[:, :1], x[:, :1]) is None


def test_a_column_of_many_values_has_quartiles() -> None:
    column = np.random.default_rng(3).random(2000)
    assert additive.few_edges(column) == pytest.approx([0.25, 0.5, 0.75], abs=0.05)
    assert additive.few_edges(np.array([3.0, 1.0, 2.0, 1.0])).tolist() == [1.5, 2.5]
