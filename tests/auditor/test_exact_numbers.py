"""Numbers of any kind as float64, without rounding."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dppca.audit.auditor.exact_numbers import split

NUMBERS = (
    st.integers(-(2**54), 2**54)
    | st.integers(-(2**200), 2**200)
    | st.fractions()
    | st.decimals(allow_nan=False, allow_infinity=False)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1).map(np.int64)
    | st.integers(0, 2**64 - 1).map(np.uint64)
    | st.floats(width=32, allow_nan=False, allow_infinity=False).map(np.float32)
    | st.tuples(st.floats(-1.0, 1.0), st.floats(-1.0, 1.0)).map(lambda x: np.longdouble(x[0]) + np.longdouble(x[1]) * 2.0**-60)
)


def exact(value: Any) -> Fraction:
    """Return the number that a value is."""
    return Fraction(int(value)) if isinstance(value, np.integer) else Fraction(*value.as_integer_ratio())


def added(numbers: Any) -> list[list[Fraction]]:
    """Return what the parts of numbers add up to; where the first is nan, the rest is all of it."""
    high, low, rest = split(numbers)
    second = np.zeros_like(high) if low is None else low
    for part in (high, second):
        assert part.dtype == np.float64
    assert set(rest) <= set(range(len(high)))
    found = []
    for i in range(len(high)):
        lacking = dict(rest.get(i, ()))
        parts = [[Fraction(x) for x in (high[i, j], second[i, j]) if not math.isnan(x)] for j in range(high.shape[1])]
        found.append([sum(of, Fraction(lacking.get(j, 0))) for j, of in enumerate(parts)])
    return found


@given(st.lists(NUMBERS, min_size=1, max_size=4))
def test_the_parts_of_a_number_add_up_to_it(values: list[Any]) -> None:
    negative = [isinstance(x, (float, np.floating, Decimal)) and x == 0 and math.copysign(1.0, float(x)) < 0.0 for x in values]
    assert added(values) == [[Fraction(-1) if zero else exact(x)] for x, zero in zip(values, negative, strict=True)]


@given(st.lists(NUMBERS, min_size=1, max_size=4))
def test_each_part_is_the_nearest_float_to_what_those_before_lack(values: list[Any]) -> None:
    high, low, rest = split(values)
    for i, value in enumerate(values):
        if value == 0 or math.isnan(high[i, 0]):
            continue
        of = exact(value)
        assert high[i, 0] == of.numerator / of.denominator
        lacking = of - Fraction(high[i, 0])
        assert (0.0 if low is None else low[i, 0]) == lacking.numerator / lacking.denominator
        assert all(more != 0 for _, more in rest.get(i, ()))


@pytest.mark.parametrize("dtype", [np.int8, np.uint32, np.int64, np.uint64, np.float32, np.longdouble, np.bool_])
@pytest.mark.parametrize("shape", [(0, 2), (2, 0), (2, 3)])
def test_a_matrix_of_any_kind_adds_up(dtype: Any, shape: tuple[int, int]) -> None:
    kind = np.dtype(dtype).kind
    ends = (int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)) if kind in "iu" else (0, 1)
    numbers = np.array([[ends[0], ends[1], 1], [1, 0, ends[1]]], dtype=dtype)
    if dtype is np.longdouble:
        numbers = numbers / np.longdouble(3)
    numbers = numbers[: shape[0], : shape[1]]
    assert split(numbers)[0].shape == shape
    assert added(numbers) == [[exact(x) if kind != "b" else Fraction(int(x)) for x in row] for row in numbers]


@pytest.mark.parametrize("far", [2**53 + 1, -(2**53) - 1])
def test_an_integer_that_no_float_is_keeps_its_last_digit_in_a_matrix_too(far: int) -> None:
    for numbers in (np.array([[1], [far]]), [1, far], [1, np.int64(far)], [0.5, far]):
        assert added(numbers)[1] == [far]
        assert split(numbers)[2] == {}


@pytest.mark.parametrize(
    "numbers", [[0.0, -0.0, 2.0, -3.0], [np.float32(0.0), np.float32(-0.0), 2, -3], [0, Decimal("-0"), 2, -3]]
)
def test_a_negative_zero_is_another_number_than_zero(numbers: list[Any]) -> None:
    high, low, rest = split(numbers)
    assert low is not None
    assert (high[:, 0].tolist(), low[:, 0].tolist(), rest) == ([0.0, 0.0, 2.0, -3.0], [0.0, -1.0, 0.0, 0.0], {})
    assert not np.signbit(high[:2]).any()
    assert split(np.array([[0.0, -1.0]]))[1] is None
    both = split(np.array([[0.0, -0.0, -2.0]]))
    assert both[1] is not None
    assert both[1].tolist() == [[0.0, -1.0, 0.0]]


def test_what_is_beyond_all_floats_or_none_is_kept_as_it_is() -> None:
    million, tiny = Decimal("1e100000"), Decimal("-1e-100000")
    values = [10**400, Fraction(1, 10**400), million, -million, tiny, Decimal("sNaN"), Decimal("inf"), -math.inf, 2**1024 - 1]
    high, low, rest = split(values)
    assert low is not None
    beyond = [math.nan, 0.0, math.nan, math.nan, 0.0, math.nan, math.inf, -math.inf, math.nan]
    assert np.array_equal(high[:, 0], beyond, equal_nan=True)
    assert low[:, 0].tolist() == [0.0] * 9
    kept = [10**400, Fraction(1, 10**400), million, -million, tiny, None, None, None, 2**1024 - 1]
    found = [dict(rest.get(i, ())).get(0) for i in range(9)]
    assert found == kept
    assert found[2] is million  # its digits are not written out


def test_a_row_keeps_the_rest_of_each_of_its_numbers() -> None:
    third = np.array([[1, 2, 3], [1, 0, 1]], dtype=np.longdouble) / np.longdouble(3)
    assert added(third) == [[exact(x) for x in row] for row in third]
    wide = 3**100
    assert split([wide, 1, wide])[2].keys() == {0, 2}
