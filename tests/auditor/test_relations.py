"""Relations among numbers."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from dppca.audit.auditor import relations
from dppca.audit.auditor.outputs import encode_pair

Rows = np.ndarray[Any, Any]


def found(data: Any, neighbour: Any) -> dict[str, relations.Score]:
    pair = encode_pair(data, neighbour)
    columns = np.arange(pair[0].numbers.shape[1])
    return {of.name: of.score for of in relations.relations(*pair, columns)}


def values(score: relations.Score, outputs: Any) -> list[float]:
    return score(encode_pair(outputs, outputs)[0]).tolist()


@pytest.mark.parametrize(("unit", "name"), [(1, "output"), (10**4, "10000 output"), (2**20, "1048576 output")])
def test_a_number_has_the_residues_that_differ_most(unit: int, name: str) -> None:
    """Multiples of 6 and a remainder, which is 1 or 4 on the data, 0 or 5 on the neighbour: one modulo 3, and no other."""
    rng = np.random.default_rng(1)
    wide = 6 * rng.integers(-(10**6), 10**6, (2, 3000))
    scores = found(*((wide + rng.choice([[1, 4], [0, 5]][i], 3000)) / unit for i, wide in enumerate(wide)))
    assert list(scores) in ([f"{name} modulo 3"], [f"{name} modulo 6"])
    (score,) = scores.values()
    modulus = int(next(iter(scores)).split()[-1])
    assert values(score, [7 / unit, -2 / unit, 12 / unit]) == [7 % modulus, -2 % modulus, 0]


def halves(rng: np.random.Generator, size: int = 5000) -> Rows:
    """Return numbers between 0 and 1, below one half 4 times in 5 in the first row, else even; above it in the second."""
    return (np.array([[0.0], [0.5]]) + 0.5 * (rng.random((2, size)) < 0.2) + 0.5 * rng.random((2, size))) % 1.0


@pytest.mark.parametrize(
    ("period", "times", "printed"),
    [
        (1.0, 10**4, 1.0),
        (np.pi, 10**3, np.pi),
        (0.0271828, 100, 0.0271828),
        (1e-5, 10**6, 1e-5),
        (1e-6, 10**10, 1e-6),
        (2.0**-20, 10**8, 2.0**-20),
        (0.317, 160_000, 0.317),
    ],
)
def test_the_period_of_real_numbers_is_found_whatever_it_is(period: float, times: int, printed: float) -> None:
    rng = np.random.default_rng(9)
    turns = halves(rng)
    scores = found(*((rng.integers(-times, times, turns.shape) + turns) * period))
    (name,) = scores
    of = float(name.removeprefix("output modulo "))
    assert abs(of / printed - 1.0) < 0.05 / times + 1e-9
    x = values(scores[name], [0.25 * period, 0.75 * period, -0.25 * period])
    assert np.allclose(x, [0.25 * period, 0.75 * period, 0.75 * period], rtol=1e-3)


@pytest.mark.parametrize(("period", "times"), [(12_347, 10**4), (10**5, 10**5), (10**9, 10**4), (997, 2**40), (2999, 2**30)])
def test_the_period_of_whole_numbers_is_found_whatever_it_is(period: int, times: int) -> None:
    rng = np.random.default_rng(10)
    wide = rng.integers(-times, times, (2, 5000)) * period + (period * halves(rng)).astype(np.int64)
    scores = found(*wide)
    (name,) = (name for name in scores if "bits" not in name)
    assert name == f"output modulo {period}"
    wanted = [2, period - 1, 0]
    assert values(scores[name], [period + 2, -1, 2 * period]) == wanted


def test_a_few_residues_among_many_are_found() -> None:
    """A remainder of 0 or 1 modulo 97 by the dataset, 3 times in 5, is all that tells."""
    rng = np.random.default_rng(11)
    rest = np.where(rng.random((2, 5000)) < 0.6, [[0], [1]], rng.integers(0, 97, (2, 5000)))
    for times in (2**50, 10**4):
        scores = found(*(97 * rng.integers(0, times, (2, 5000)) + rest))
        assert [name for name in scores if "bits" not in name] == ["output modulo 97"]
    assert values(scores["output modulo 97"], [97 * 2**40 + 3, 98, -1]) == [3.0, 1.0, 96.0]


def test_a_period_is_found_where_most_of_it_looks_like_a_shorter_one() -> None:
    """Of two of three thirds of the period, the first half or the second is likelier; of the last one neither is."""
    rng = np.random.default_rng(12)
    third = rng.integers(0, 3, (2, 5000))
    later = rng.random((2, 5000)) < np.where(third == 2, 0.5, [[0.2], [0.8]])
    turns = (third + 0.5 * later + 0.5 * rng.random((2, 5000))) / 3
    (name,) = found(*(1.7 * (rng.integers(0, 1000, (2, 5000)) + turns)))
    assert abs(float(name.removeprefix("output modulo ")) - 1.7) < 1e-4


@pytest.mark.parametrize("law", ["laplace", "exponential", "random", "normal"])
def test_what_differs_otherwise_has_no_period(law: str) -> None:
    rng = np.random.default_rng(13)
    noise = getattr(rng, law)(size=(2, 5000))
    shifted = np.add(noise, [[0.0], [0.3]])
    assert found(*shifted) == {}
    assert found(*np.clip(shifted, -0.5, 0.7)) == {}
    assert found(*np.where(rng.random((2, 5000)) < [[0.1], [0.5]], 0.0, noise)) == {}
    wide = np.where(rng.random((2, 5000)) < 0.1, 100.0 * rng.normal(size=(2, 5000)), noise)
    assert found(*np.add(wide, [[0.0], [1.0]])) == {}
    for scale in (1e-320, 1e-300, 1e300, 1e307):
        assert found(*(scale * shifted)) == {}


def test_numbers_far_from_all_that_were_seen_are_in_no_part_of_a_period() -> None:
    rng = np.random.default_rng(14)
    (score,) = found(*(halves(rng) + rng.integers(0, 10**4, (2, 5000)))).values()
    assert np.isfinite(values(score, [1e308, 0.25]))[1]


def test_what_all_numbers_are_multiples_of_is_their_unit() -> None:
    rng = np.random.default_rng(3)
    wide = 5 * rng.integers(-(10**6), 10**6, (2, 3000))
    scores = found(*(10**6 * np.add(wide, [[0], [1]])))
    assert list(scores) == ["1e-06 output modulo 5"]
    assert values(scores["1e-06 output modulo 5"], [7e6, -2e6, 12e6]) == [2, 3, 2]


def test_the_last_bits_of_floats_are_rounding_and_no_residues() -> None:
    rng = np.random.default_rng(2)
    y = rng.normal(size=(2, 3000))
    bits = y.copy().view(np.int64)
    bits[0], bits[1] = bits[0] | 1, bits[1] & ~np.int64(1)
    assert found(*bits.view(np.float64)) == {}


def test_the_parity_of_bits_of_a_wide_number_is_found() -> None:
    """The bits 4, 20 and 50 of a number of 62 have an even sum on the data, 9 times in 10; else all is even."""
    rng = np.random.default_rng(5)
    x, y = rng.integers(0, 2**62, (2, 4000))
    odd = (x >> 4 ^ x >> 20 ^ x >> 50) & 1
    x ^= (odd & (rng.random(4000) < 0.9)) << 20
    scores = found(x, y)
    assert list(scores) == ["parity of the bits (4, 20, 50) of output"]
    of = scores["parity of the bits (4, 20, 50) of output"]
    assert values(of, [2**61, 2**61 + 2**50, 2**61 + 2**50 + 2**4, 2**61 + 2**50 + 2**20 + 2**4]) == [1.0, -1.0, 1.0, -1.0]
    assert found(y[:2000], y[2000:]) == {}


def test_how_floats_are_rounded_to_multiples_is_found() -> None:
    """A product with 0.1 is above the float nearest to the tenth for 3, 6, 7 and others; a quotient by 10 never is."""
    k = np.random.default_rng(6).integers(0, 1000, (2, 3000))
    scores = found(k[0] * 0.1, k[1] / 10)
    assert list(scores) == ["rounding of 10 output"]
    assert values(scores["rounding of 10 output"], [3 * 0.1, 6 * 0.1, 0.3, 0.6, 0.7]) == [1.0, 1.0, 0.0, 0.0, 0.0]
    assert found(k[0] / 10, k[1] / 10) == {}


def test_sums_of_whole_numbers_modulo_another_are_found() -> None:
    """a + 2 b + 3 c modulo 7 is 0, 1 or 2 on the data, 9 times in 10, and nothing else tells."""
    rng = np.random.default_rng(7)
    x, y = rng.integers(-(10**6), 10**6, (2, 4000, 3))
    rest = (x @ [1, 2, 3]) % 7
    x[:, 0] -= np.where(rng.random(4000) < 0.9, rest - rng.integers(0, 3, 4000), 0)
    scores = found(x, y)
    (name,) = (name for name in scores if name.endswith("modulo 7"))
    odds = [values(scores[name], row)[0] for row in ([[7, 0, 0]], [[0, 7, -7]], [[-2, 1, 0]], [[4, 0, 1]], [[1, 3, 0]])]
    assert odds == [0.0] * 5
    assert values(scores[name], [[1, 0, 0]]) != [0.0]
    assert found(y[:2000], y[2000:]) == {}


def test_sums_of_words_by_their_places_are_found_among_others() -> None:
    """The first, second and last of four parts, each one of four words, add up to 0 or 1 modulo 4 on the data: 9 in 10."""
    rng = np.random.default_rng(8)
    both = rng.integers(0, 4, (2, 4000, 4))
    wanted = np.where(rng.random(4000) < 0.9, 0, 2) + rng.integers(0, 2, 4000)
    both[0, :, 3] = (wanted - both[0, :, 0] - both[0, :, 1]) % 4
    x, y = ([["abcd"[i], ["da", "db", "dc", "dd"][j], int(k), "wxyz"[m]] for i, j, k, m in of] for of in both)
    scores = found(x, y)
    (name,) = (name for name in scores if name.endswith("modulo 4"))
    places = itertools.product(range(4), repeat=2)
    odds = {values(scores[name], [["abcd"[i], f"d{'abcd'[j]}", 2, "wxyz"[(-i - j) % 4]]])[0] for i, j in places}
    assert odds == {0.0}
    assert found(y[:2000], y[2000:]) == {}


def product(width: int, of: tuple[int, ...]) -> tuple[Rows, Rows]:
    """Return numbers of which the signs of some have the product 1 on the data, 9 times in 10; else all is even."""
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(2, 4000, width))
    wanted = np.where(rng.random(4000) < 0.9, 1.0, -1.0)
    x[:, of[-1]] = np.abs(x[:, of[-1]]) * wanted * np.sign(x[:, of[:-1]]).prod(axis=1)
    return x, y


@pytest.mark.parametrize(
    ("width", "of"), [(4, (0, 2)), (10, (1, 3, 4, 5, 8)), (30, (0, 29)), (30, (4, 15, 28)), (30, (4, 15, 20, 28))]
)
def test_the_product_of_signs_is_found_of_any_columns_of_few_and_of_four_of_many(width: int, of: tuple[int, ...]) -> None:
    x, y = product(width, of)
    scores = found(x, y)
    name = f"product of the signs of ({', '.join(map(str, of))})"
    assert name in scores
    score = np.array(values(scores[name], x)) == values(scores[name], x)[0]
    signs = np.sign(x[:, of]).prod(axis=1)
    assert abs(np.corrcoef(score, signs)[0, 1]) > 0.8  # the middle is the median of so many, not 0
    assert found(x[:2000, :1], y[:2000, :1]) == {}
    assert found(y[:2000], y[2000:]) == {}


def test_sums_modulo_a_period_are_found_with_their_signs() -> None:
    """The first less the third number, modulo one, is below one half nine times in ten on the data; each alone is even."""
    rng = np.random.default_rng(4)
    x, y = 3.0 * rng.random((2, 4000, 4))
    wanted = 0.5 * rng.random(4000) + 0.5 * (rng.random(4000) < 0.1)
    x[:, 0] = np.floor(x[:, 0]) + (x[:, 2] + wanted) % 1.0
    score = found(x, y)["sum of (0, 2) modulo the one"]
    turned = np.array(values(score, x))
    assert np.minimum(np.abs(turned - wanted), np.abs(1.0 - turned - wanted)).max() < 1e-9


def test_the_order_of_numbers_is_even_or_odd() -> None:
    orders = np.array(list(itertools.permutations(range(4))))
    even = [round(np.linalg.det(np.eye(4)[order])) == 1 for order in orders]
    x, y = np.repeat(orders[even], 20, axis=0), np.repeat(orders[~np.array(even)], 20, axis=0)
    score = found(x, y)["parity of the order"]
    assert values(score, orders) == [0.0 if of else 1.0 for of in even]
    assert "parity of the order" not in found(np.tile(orders, (20, 1)), np.tile(orders, (20, 1)))


def test_the_extremes_of_what_single_rows_tell_are_added_whatever_their_order() -> None:
    rows = np.arange(24.0).reshape(2, 4, 3)
    pair = encode_pair(rows, rows)
    assert pair[0].kind.rows.tolist() == np.arange(12).reshape(4, 3).tolist()
    score = relations.extremes_of_rows(*pair, pair[0].kind.rows, lambda x, y: lambda z: z[:, 0] * (len(x) == len(y) == 8))
    assert score(pair[0]).tolist() == [0.0 + 9.0, 12.0 + 21.0]
    records = [[{"a": 1.0, "b": 2.0}, {"a": 3.0, "b": 4.0}]] * 2
    named = encode_pair(records, records)[0].kind
    assert [[named.names[j] for j in row] for row in named.rows] == [
        ["output[0]['a']", "output[0]['b']"],
        ["output[1]['a']", "output[1]['b']"],
    ]
    assert encode_pair([1.0, 2.0], [1.0])[0].kind.rows is None
