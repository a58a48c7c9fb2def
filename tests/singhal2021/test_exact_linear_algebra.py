"""Exact subspaces: canonical form, membership, refusal of floats."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dppca.reference.singhal2021.exact_linear_algebra import RationalSubspace, exact_rows, rank, span

vectors = st.lists(st.tuples(*[st.integers(-4, 4)] * 4), min_size=1, max_size=5)


@given(vectors, st.lists(st.integers(-3, 3), min_size=5, max_size=5))
def test_canonical_form_depends_on_the_span_alone(rows: list[tuple[int, ...]], weights: list[int]) -> None:
    s = span(rows, 4)
    mixture = tuple(sum(w * row[i] for w, row in zip(weights, rows, strict=False)) for i in range(4))
    shuffled = [tuple(-7 * entry for entry in row) for row in reversed(rows)]
    assert span([*shuffled, mixture], 4) == s
    assert mixture in s
    assert s.dimension == rank(rows, 4) == np.linalg.matrix_rank(np.array(rows))
    assert all(row in s for row in rows)


def test_membership_is_exact_where_float64_is_not() -> None:
    s = span([(1, 10**17)], 2)
    assert (2, 2 * 10**17) in s
    assert (2, 2 * 10**17 + 1) not in s
    assert float(2 * 10**17 + 1) == float(2 * 10**17)


def test_canonical_rows() -> None:
    assert span([(2, 4, 6), (1, 0, 1)], 3) == RationalSubspace(3, ((1, 0, 1), (0, 1, 1)))
    assert span([(0, 0, 0)], 3) == RationalSubspace(3, ())
    assert (0, 0, 0) in span([], 3)


def test_rows_become_primitive_and_floats_are_refused() -> None:
    X: list[Any] = [[Fraction(1, 2), Fraction(-1, 3)], np.array([-4, 6])]
    assert exact_rows("X", X) == ((3, -2), (2, -3))
    with pytest.raises(ValueError, match=r"X\[0\]\[1\] must be an integer or a Fraction, got float 0.5; convert"):
        exact_rows("X", [[1, 0.5]])
    with pytest.raises(ValueError, match="X must have at least one row"):
        exact_rows("X", [[1, 2], [1]])
