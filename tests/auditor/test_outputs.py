"""Outputs as the auditor sees them: nothing is rounded, wrapped or collapsed, and any value can be one."""

from __future__ import annotations

import collections
import dataclasses
import datetime
import enum
import ipaddress
import math
import pathlib
import time
import types
import uuid
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy.sparse

from dppca import audit
from dppca.audit.auditor import exact_numbers, leaves
from dppca.audit.auditor import outputs as outputs_module
from dppca.audit.auditor.leaves import Leaves, Mark, OutputTypeError, Step
from dppca.audit.auditor.outputs import Kind, Outputs, concatenate, encode_pair
from dppca.audit.auditor.values import as_tree, from_tree, owned
from dppca.audit.execution.packing import pack, unpack
from tests.interpreter import python

pytestmark = pytest.mark.usefixtures("without_new_processes")

Pair = collections.namedtuple("Pair", "a b")
BUFFER = np.zeros(2)


class Answer(enum.Enum):
    YES = 1
    NO = 2


@dataclasses.dataclass(frozen=True)
class Point:
    x: float


@dataclasses.dataclass
class Report:
    count: float
    word: str


class Keyed:
    def __init__(self, value: float) -> None:
        self.value = value

    def audit_key(self) -> float:
        return self.value


def _named_with_a_reused_buffer(x: int, rng: np.random.Generator) -> Pair:
    BUFFER[:] = 5 * x + rng.laplace(size=2)
    return Pair(BUFFER, 1.0)


#: Mechanisms that give the dataset away, each through something that is no plain float64.
TELLING: dict[str, Callable[[int, np.random.Generator], Any]] = {
    "int64 array": lambda x, rng: np.array([2**60 + int(x)]),
    "int64": lambda x, rng: np.int64(2**60 + int(x)),
    "uint64": lambda x, rng: np.uint64(2**63 + int(x)),
    "large int": lambda x, rng: 10**400 + x,
    "very large int": lambda x, rng: 2**15_000 + x,
    "very large int in a tuple": lambda x, rng: (rng.random(), 2**15_000 + x),
    "very large key of a dict": lambda x, rng: {2**15_000 + x: 1, 2**15_000 + 2: rng.random()},
    "very large members of a set": lambda x, rng: {2**15_000 + x, 2**15_000 + 2},
    "very large Fraction": lambda x, rng: Fraction(2**15_000 + x, 3),
    "very large Decimal": lambda x, rng: Decimal(f"{x + 1}E+5000"),
    "very small Decimal": lambda x, rng: Decimal(f"{x + 1}E-5000"),
    "long double": lambda x, rng: np.longdouble(1.0) + x * np.finfo(np.longdouble).eps,
    "long complex": lambda x, rng: np.clongdouble(1.0 + x * np.finfo(np.longdouble).eps),
    "complex": lambda x, rng: complex(0.0, x),
    "complex array": lambda x, rng: np.array([1.0 + 1.0j * x, 0.0]),
    "negative zero": lambda x, rng: -0.0 if x else 0.0,
    "infinite": lambda x, rng: math.inf if x else -math.inf,
    "NaN": lambda x, rng: np.array([0.0, math.nan if x else 0.0]),
    "named tuple": _named_with_a_reused_buffer,
    "list": lambda x, rng: [1.0] * (2 + x),
    "nested": lambda x, rng: ([rng.random(), ("a", [x])], None),
    "ragged array": lambda x, rng: np.zeros(1 + x),
    "array of words": lambda x, rng: np.array(["a", "b" if x else "c"]),
    "shape of an array of words": lambda x, rng: np.array(["a", "b"]).reshape(1 + x, 2 - x),
    "word of an array without axes": lambda x, rng: np.where(x > 0, "above", "below"),
    "object of an array without axes": lambda x, rng: np.array(x, dtype=object),
    "array without axes in a dict in a tuple": lambda x, rng: ({"u": np.where(x > 0, "above", "below")}, rng.random()),
    "dict": lambda x, rng: {"u": rng.random(), "v": x},
    "key of a dict": lambda x, rng: {"u": rng.random(), x: 0},
    "set": lambda x, rng: {1, 2 + x},
    "bytes": lambda x, rng: b"a" if x else b"b",
    "word or bytes": lambda x, rng: b"a" if x else "a",
    "mixed": lambda x, rng: rng.normal() if x else "word",
    "refusal": lambda x, rng: None if x else "",
    "Decimal": lambda x, rng: Decimal("0.1") + x * Decimal("1e-25"),
    "Fraction": lambda x, rng: Fraction(1, 3) + x * Fraction(1, 10**40),
    "Enum": lambda x, rng: Answer.YES if x else Answer.NO,
    "dataclass": lambda x, rng: Report(rng.normal(), "yes" if x else "no"),
    "declared key": lambda x, rng: Keyed(float(x)),
}


@pytest.mark.parametrize("name", TELLING)
def test_an_output_that_gives_the_dataset_away_is_seen(name: str) -> None:
    assert audit.lower_bound(TELLING[name], 0, 1, trials=500).epsilon > 3.0


@pytest.mark.parametrize("name", TELLING)
def test_an_output_that_says_nothing_says_nothing(name: str) -> None:
    """The same mechanism on one dataset twice, at confidence 1 - 1e-4."""
    assert audit.lower_bound(TELLING[name], 1, 1, trials=500, confidence=1.0 - 1e-4).epsilon == 0.0


@pytest.mark.parametrize("name", TELLING)
def test_outputs_survive_packing(name: str) -> None:
    raw = [TELLING[name](x, np.random.default_rng(x)) for x in (0, 1, 0)]
    if name == "named tuple":
        raw = raw[:1]
    before, after = Outputs.of(raw), Outputs.of(unpack(pack(raw)))
    assert after.labels.tolist() == before.labels.tolist()
    assert after.numbers.tobytes() == before.numbers.tobytes()


@pytest.mark.parametrize(
    "values",
    [
        [
            0,
            -0.0,
            2**53 + 1,
            2**53,
            1e300,
            10**400,
            10**400 + 1,
            Fraction(1, 3),
            1 / 3,
            math.inf,
            math.nan,
            "",
            "nan",
            b"",
            None,
        ],
        [(1, 2), (1, 2, 0), (), (1,)],
        [(1, 2), [1, 2], (1, 2, 0), (), [], {}, (None, None), (None,), {"a": None}, {"a": "a"}, {"b": "a"}, set(), {"a"}],
        [
            np.zeros(2),
            np.zeros(3),
            np.zeros((2, 1)),
            np.zeros(1, complex),
            np.array([0.0, math.inf]),
            np.array([0.0, math.nan]),
        ],
    ],
)
def test_outputs_that_differ_are_encoded_differently(values: list[Any]) -> None:
    """In the kind of all of them, and each the same when it comes alone."""
    together = Outputs.of(values)
    rows = list(zip(together.labels.tolist(), map(bytes, together.numbers), strict=True))
    assert len(set(rows)) == len(values)
    for value, row in zip(values, rows, strict=True):
        alone = Outputs.of([value], together.kind)
        assert (alone.labels[0], bytes(alone.numbers[0])) == row


def test_values_that_are_equal_are_one_output() -> None:
    outputs = Outputs.of([1, 1.0, True, np.float32(1.0), np.int64(1), Fraction(1), Decimal("1.00"), np.array(1.0)])
    assert set(outputs.labels) == {""}
    assert set(outputs.numbers[:, 0]) == {1.0}


def test_an_array_without_axes_is_its_element() -> None:
    values = ["a", b"b", None, 2.0, (1.0, "c"), {"u": 3}]
    arrays = [np.array("a"), np.array(b"b"), *(np.empty((), dtype=object) for _ in values[2:])]
    for array, value in zip(arrays[2:], values[2:], strict=True):
        array[()] = value
    for raw in ([*values, *arrays], [(x,) for x in [*values, *arrays]]):
        outputs = Outputs.of(raw)
        once, again = outputs[: len(values)], outputs[len(values) :]
        assert once.labels.tolist() == again.labels.tolist()
        np.testing.assert_array_equal(once.numbers, again.numbers)


def test_words_in_arrays_without_axes_are_told_apart_where_outputs_are_given() -> None:
    above, below = ([np.array(word) for _ in range(1000)] for word in ("above", "below"))
    assert audit.lower_bound_from_outputs(above, below).epsilon > 4.0
    assert audit.lower_bound_from_outputs(above, above).epsilon == 0.0


def test_an_array_that_holds_itself_is_refused() -> None:
    array = np.empty((), dtype=object)
    array[()] = array
    with pytest.raises(OutputTypeError, match="nested more than"):
        Outputs.of([array])


def test_a_whole_number_of_two_floats_is_two_numbers_and_no_word() -> None:
    """2^60 + 1 is 2^60 and 1; 2^120 + 2^60 + 1 needs a third float, and has a word: its bytes, the last one first."""
    outputs = Outputs.of([2**60 + 1, -(2**60) - 1, 3])
    assert set(outputs.marks) == {None}
    assert outputs.numbers.tolist() == [[2.0**60, 1.0], [-(2.0**60), -1.0], [3.0, 0.0]]
    longer = Outputs.of([2**120 + 2**60 + 1, 2**120 + 2**60])
    word = b"\1" + bytes(6) + b"\x10" + bytes(7) + b"\1"
    assert longer.labels.tolist() == [(((Step("lacking"),), word),), ""]
    assert longer.numbers.tolist() == [[2.0**120, 2.0**60]] * 2


def test_a_list_may_be_longer_than_the_others() -> None:
    outputs = Outputs.of([[1.0], [2.0, 3.0], [4.0, 5.0, 6.0]])
    expected = [[1.0, math.nan, math.nan], [2.0, 3.0, math.nan], [4.0, 5.0, 6.0]]
    np.testing.assert_array_equal(outputs.numbers, expected)


def test_a_set_is_its_size_and_whether_each_member_is_in_it() -> None:
    """The size, then 1, 2 and 3: so of those that a kind was made of, and of all later ones."""
    sets = [{1, 2}, {2}, {2, 3}, {3, 2}]
    expected = [[2.0, 1.0, 1.0, 0.0], [1.0, 0.0, 1.0, 0.0], [2.0, 0.0, 1.0, 1.0], [2.0, 0.0, 1.0, 1.0]]
    assert Outputs.of(sets).numbers.tolist() == expected
    assert Outputs.of(sets).kind.names == ("output", "(1 in output)", "(2 in output)", "(3 in output)")
    first, second = encode_pair(sets, [{1, 3, 4}], 4)
    assert first.numbers[:, :4].tolist() == expected
    assert second.numbers[:, :4].tolist() == [[3.0, 1.0, 0.0, 1.0]]


def test_members_and_keys_that_are_measured_stand_in_their_order() -> None:
    found = Outputs.of([{2.5, -1.0, "a"}, {7.0, "a"}])
    assert found.kind.names == ("output", "('a' in output)", "sorted(output)[0]", "sorted(output)[1]")
    np.testing.assert_array_equal(found.numbers, [[3.0, 1.0, -1.0, 2.5], [2.0, 1.0, 7.0, math.nan]])
    found = Outputs.of([{0.5: 4.0, -0.5: 3.0, "b": 1.0}, {1.5: 2.0, math.nan: 6.0}])
    pairs = [f"sorted(output.items())[{i}][{j}]" for i in (0, 1) for j in (0, 1)]
    assert found.kind.names == (*pairs, "output['b']")
    np.testing.assert_array_equal(
        found.numbers, [[-0.5, 3.0, 0.5, 4.0, 1.0], [1.5, 2.0, math.nan, 6.0, math.nan]], err_msg="NaN is last"
    )
    found = Outputs.of([{("x", 0.5), ("w", 2.0)}])  # of what is no number by its text
    assert found.numbers.tolist() == [[2.0, 2.0, 0.5]]
    assert Outputs.of([{5000, 3}]).numbers.tolist() == [[2.0, 1.0, 1.0, 5000.0]], "a wide integer may be a name, or measured"


def test_bytes_of_many_values_have_a_column_for_each_bit() -> None:
    many = [i.to_bytes(2, "big") for i in range(1500)]
    outputs = Outputs.of([*many, b"\x81"])
    assert outputs.kind.names == tuple(f"bit {i} of output" for i in range(16))
    np.testing.assert_array_equal(outputs.numbers[-2], [0, 0, 0, 0, 0, 1, 0, 1, 1, 1, 0, 1, 1, 0, 1, 1], err_msg="1499")
    np.testing.assert_array_equal(outputs.numbers[-1], [1, 0, 0, 0, 0, 0, 0, 1] + [0] * 8, err_msg="0 beyond the end")


def test_texts_of_one_length_have_a_column_for_each_character() -> None:
    texts = [f"{i:03x}-ä" for i in range(4096)]
    outputs = Outputs.of(texts)
    places = [outputs.kind.names.index(f"character {i} of output") for i in range(5)]
    assert outputs.numbers[0x0A9, places].tolist() == [48.0, 97.0, 57.0, 45.0, 228.0]
    other = Outputs.of([*texts, "1000-ä"])
    assert not any(name.startswith("character") for name in other.kind.names)
    np.testing.assert_array_equal(Outputs.of(["0"], outputs.kind).numbers[0, places], [48.0, *[math.nan] * 4])


def test_whole_numbers_beyond_what_two_floats_hold_have_a_column_for_each_bit() -> None:
    rng = np.random.default_rng(0)
    wide = [int.from_bytes(rng.bytes(16), "little") | 1 << 127 for _ in range(1500)]
    outputs = Outputs.of(wide)
    bits = outputs.numbers[:, [i for i, name in enumerate(outputs.kind.names) if name.startswith("bit")]].astype(np.uint8)
    assert [np.packbits(row).tobytes() for row in bits] == [number.to_bytes(17, "little") for number in wide]


def _with_a_bit(x: float, rng: np.random.Generator) -> bytes:
    content = int.from_bytes(rng.bytes(16), "big") & ~(1 << 77)
    return (content | (int(rng.random() < 0.5 + 0.3 * x) << 77)).to_bytes(16, "big")


def _with_a_bit_of_a_number(x: float, rng: np.random.Generator) -> int:
    return int.from_bytes(_with_a_bit(x, rng), "big")


def _with_a_bit_of_a_text(x: float, rng: np.random.Generator) -> str:
    return _with_a_bit(x, rng).hex()


def _at_an_hour(x: float, rng: np.random.Generator) -> datetime.datetime:
    hour = rng.integers(12) + 12 * (rng.random() < 0.25 + 0.5 * x)
    return datetime.datetime(2020, 1, 1) + datetime.timedelta(days=int(rng.integers(3000)), hours=float(hour + rng.random()))


def _on_a_weekday(x: float, rng: np.random.Generator) -> datetime.datetime:
    week = datetime.datetime(2020, 1, 6) + datetime.timedelta(days=7 * int(rng.integers(400)), hours=float(24 * rng.random()))
    return week + datetime.timedelta(int(rng.integers(5, 7) if rng.random() < 0.25 + 0.5 * x else rng.integers(5)))


def _of_a_parity(x: float, rng: np.random.Generator) -> Any:
    signs = rng.choice([-1, 1], size=30)
    signs[29] = signs[3] * signs[11] * signs[20] * (1 if rng.random() < 0.25 + 0.5 * x else -1)
    return signs


@pytest.mark.parametrize(
    ("mechanism", "exact"),
    [
        (_with_a_bit, math.log(2.5)),
        (_with_a_bit_of_a_number, math.log(2.5)),
        (_with_a_bit_of_a_text, math.log(2.5)),
        (_at_an_hour, math.log(3.0)),
        (_on_a_weekday, math.log(3.0)),
        (_of_a_parity, math.log(3.0)),
    ],
)
def test_a_bit_an_hour_a_weekday_and_a_parity_of_four_are_seen(mechanism: Any, exact: float) -> None:
    assert 0.8 * exact < audit.lower_bound(mechanism, 0.0, 1.0, trials=10_000, seed=1).epsilon <= exact


@pytest.mark.parametrize(
    "of",
    [
        lambda y, rng: {y},
        lambda y, rng: {y: "count"},
        lambda y, rng: {float(rng.normal()): y}.items(),
        lambda y, rng: frozenset({("name", y), ("other", float(rng.normal()))}),
        lambda y, rng: {round(1e6 * y): 1},
    ],
)
def test_a_noisy_number_in_a_set_or_among_keys_is_seen(of: Callable[[float, np.random.Generator], Any]) -> None:
    bound = audit.lower_bound(lambda x, rng: of(float(x + rng.laplace()), rng), 0.0, 1.0, trials=10_000)
    assert 0.75 < bound.epsilon <= 1.0


def test_an_event_of_what_discovery_has_not_seen_says_so() -> None:
    def rare(x: float, rng: np.random.Generator) -> bytes:
        return rng.bytes(8) if rng.random() < 0.01 + 0.5 * x else b"z"

    assert audit.lower_bound(rare, 0.0, 1.0, trials=1000).event == "for neighbour: what was not seen before"


ALIKE: dict[str, list[Any]] = {
    "dicts": [{"a": 1.0, "b": "x"}, {"a": 2.0, "b": "y"}, {"a": 3.0, "b": "x"}],
    "dicts in another order": [{"b": "x", "a": 1.0}, {"b": "y", "a": 2.0}],
    "tuples": [(1.0, "x"), (2.0, ""), (3.0, "y")],
    "lists": [[1.0, None], [2.0, None]],
}
OTHERS: list[Any] = [
    {"a": 1.0},
    {"a": 1.0, "c": "x"},
    {"b": "x", "a": 4.0},
    (1.0,),
    (1.0, "x", 2.0),
    [1.0],
    [2.0, 3.0],
    "a",
    1.0,
]


@pytest.mark.parametrize("name", ALIKE)
def test_outputs_of_one_form_are_encoded_as_they_are_among_others(name: str) -> None:
    """Where all of a batch have the same parts, columns are taken from it as wholes."""
    alike = ALIKE[name]
    kind = Outputs.of([*alike, *OTHERS]).kind
    apart, among = (Outputs.of(values, kind) for values in (alike, [*OTHERS, *alike]))
    assert apart.labels.tolist() == among.labels.tolist()[len(OTHERS) :]
    assert apart.numbers.tobytes() == among.numbers[len(OTHERS) :].tobytes()
    assert Kind.of(Leaves.of([*alike, *OTHERS])) == kind


@pytest.mark.parametrize("nested", [False, True])
def test_the_member_that_tells_most_has_a_column_on_whichever_side_it_is(nested: bool) -> None:
    words = [f"w{i:03d}" for i in range(150)]

    def sets(data: bool, rng: np.random.Generator) -> Any:
        found = {word for word in words if rng.random() < 0.9} | ({"zz"} if data and rng.random() < 0.5 else set())
        return ({"u": found}, 1) if nested else found

    for pair in ((True, False), (False, True)):
        assert audit.lower_bound(sets, *pair, trials=1000).epsilon > 3.0


def test_up_to_a_hundred_members_all_have_columns() -> None:
    kind = encode_pair([set(range(90))] * 3 + [{5, 89}], [set(range(85, 100)), {99}])[0].kind
    assert {path[0].of for path in kind.numbers if path} == set(range(100))
    assert len(kind.numbers) == 101


def test_more_than_a_hundred_members_are_chosen_by_their_shares_then_by_how_often_they_are() -> None:
    """The shares of c, of b, and of a000 and a001 differ; of the other 118, which do not differ, the first 96."""
    common = [{f"a{i:03d}" for i in range(120)}] * 8
    data, neighbour = [*common, {"a000"}, {"b"}], [*common, {"a001", "c"}, {"c"}]
    for first, second in ((data, neighbour), (neighbour, data)):
        kind = encode_pair(first, second)[0].kind
        members = {path[0].of for path in kind.numbers if path}
        assert members == {"b", "c", *(f"a{i:03d}" for i in range(98))}
    assert Outputs.of(first, kind).numbers.shape == (10, 101)


def test_every_part_of_long_lists_and_dicts_tells_as_much_as_in_an_array() -> None:
    rng = np.random.default_rng(1)
    data, neighbour = 0.05 * rng.laplace(size=(2, 300, 2100))
    data[:, 2050] += 1.0
    epsilon = audit.lower_bound_from_outputs(data, neighbour).epsilon
    assert epsilon > 3.0
    for make in (list, lambda row: dict(enumerate(row))):
        raw = [[make(row) for row in rows.tolist()] for rows in (data, neighbour)]
        assert audit.lower_bound_from_outputs(*raw).epsilon == epsilon


def test_parts_that_few_have_beyond_the_limit_are_one_label(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outputs_module, "MAX_PATHS", 3)
    rests = ["a", b"a", None, 1, 2**70, {1, 2}, [3], (3,), {"u": (1, "b")}, np.arange(2), np.array("c"), Answer.YES, math.nan]
    for make in (lambda *rest: [0, 1, 2, *rest], lambda *rest: {f"{i:02d}": x for i, x in enumerate((0, 1, 2, *rest))}):
        common = [make()] * 300
        raw = [*common, *(make(rest) for rest in rests), make(*rests)]
        outputs = Outputs.of(raw)
        assert outputs.numbers.shape == (len(raw), 3)
        assert len(set(outputs.labels.tolist())) == 1 + len(raw) - 300
        assert Outputs.of(raw[-3:], outputs.kind).labels.tolist() == outputs.labels.tolist()[-3:]
        equal = Outputs.of([*common, make(1), make(1.0), make(Fraction(1))]).labels.tolist()
        assert len(set(equal[-3:])) == 1
        with pytest.raises(OutputTypeError, match=r"returned an object") as refused:
            Leaves.of([*common, make(object())])
        assert refused.value.position == 300


def test_parts_that_many_have_beyond_the_limit_have_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outputs_module, "MAX_PATHS", 3)
    for raw in ([[0.0] * 5] * 20 + [[0.0] * 3] * 80, [dict.fromkeys("abcde", 0.0)] * 20 + [dict.fromkeys("abc", 0.0)] * 80):
        assert Outputs.of(raw).numbers.shape == (100, 5)
        assert Outputs.of(raw[18:]).numbers.shape == (82, 3)


def test_what_discovery_has_not_seen_is_one_label() -> None:
    """Of two outputs with parts at paths that have no columns, each has its own label, and equal ones have one."""
    kind = Outputs.of([(1.0, "a")] * 3).kind
    found = Outputs.of([(1.0, "a"), (1.0, "a", 2.0), (1.0, "a", 3.0), (1.0, "a", Fraction(2)), {"u": "b"}], kind)
    labels = found.labels.tolist()
    assert len(set(labels)) == 4
    assert labels[1] == labels[3]


def test_a_label_is_all_labels_of_a_trial_with_their_paths() -> None:
    values = [("x", 1.0), (None, 2.0), ("", 3.0), (4.0, 5.0), "word"]
    outputs = Outputs.of(values, Outputs.of([(3.0, 4.0)] * 3).kind)
    empty = Mark("''")
    labels = outputs.labels.tolist()
    assert labels[:4] == [(((0,), "x"),), (((0,), None),), (((0,), empty),), ""]
    assert labels[4] == "word"
    distinct, places = outputs[2:].distinct()
    assert [distinct[place] for place in places] == labels[2:]


ROWS: dict[str, list[Any]] = {
    "tuples": [(1.0, "x"), (2.0, ""), (3.0, "y")],
    "lists": [[1.0, None], [2.0, "x"], [3.0, None]],
    "dicts": [{"b": 1.0, "a": "x"}, {"b": 2.0, "a": "y"}, {"b": 3.0, "a": ""}],
    "nested": [{"a": (1.0, [])}, {"a": (2.0, [])}, {"a": (3.0, [])}],
    "tuples of nothing": [(), (), ()],
    "lists of nothing": [[], [], []],
    "dicts of nothing": [{}, {}, {}],
}


@pytest.mark.parametrize("rows", ROWS.values(), ids=ROWS)
def test_rows_that_are_alike_come_back_from_packing_as_they_were(rows: list[Any]) -> None:
    assert repr(unpack(pack(rows))) == repr(rows)
    assert repr(concatenate([unpack(pack(rows)), unpack(pack(rows[:1]))])) == repr([*rows, rows[0]])


@pytest.mark.parametrize(
    "values",
    [
        [],
        [(1.0,), (1.0, 2.0)],
        [(1.0,), [1.0]],
        [{"a": 1.0, "b": 2.0}, {"a": 1.0}, {"b": 2.0, "a": 1.0}, {"b": 2.0}],
        [{"a": 1.0}, {"a": 1.0, "b": 2.0}],
        [{"a": 1.0}, {}],
        [{1: 1.0}, {True: 1.0}],
        [{"a": 1.0}, collections.OrderedDict(a=1.0)],
    ],
)
def test_rows_that_are_not_alike_come_back_too(values: list[Any]) -> None:
    assert unpack(pack(values)) == values


def test_batches_are_put_together_as_arrays_or_as_rows() -> None:
    batches = [unpack(pack(rows)) for rows in ([(1.0, "x")], [(1.0, "x", 2.0)], [{"a": 1.0}], [None, (2.0,)])]
    assert concatenate(batches) == [(1.0, "x"), (1.0, "x", 2.0), {"a": 1.0}, None, (2.0,)]
    assert concatenate([np.zeros(2), np.ones(1)]).tolist() == [0.0, 0.0, 1.0]
    assert isinstance(concatenate([np.zeros(2), np.ones((1, 2))]), list)


def test_dicts_come_back_with_their_keys_in_order() -> None:
    for values in (
        [{"a": 1.0, "b": "x"}, {"a": 2.0, "b": "y"}],
        [{"a": 1.0, "b": 2.0}, {"b": 2.0, "a": 1.0}, {"b": 2.0, "c": 0.0}],
    ):
        back = unpack(pack(values))
        assert [list(output.items()) for output in back] == [list(output.items()) for output in values]


def test_a_large_integer_within_dicts_survives_packing() -> None:
    assert unpack(pack([{"a": 2**53 + 1}, {"a": 1}])) == [{"a": 2**53 + 1}, {"a": 1}]


@pytest.mark.parametrize(
    ("values", "message", "position"),
    [
        ([{"a": 1.0}, {"a": object()}], "in the value of 'a': returned an object", 1),
        ([(1.0, "x"), (1.0, "x"), (1.0, object())], "in part 1: returned an object", 2),
        ([(1.0,), (1.0, [object()])], "in part 1: in part 0: returned an object", 1),
    ],
)
def test_a_part_that_is_no_output_is_named_by_the_kind_alone(values: list[Any], message: str, position: int) -> None:
    """Batches are looked at by `Leaves.of`, and encoded much later."""
    with pytest.raises(OutputTypeError, match=message) as error:
        Leaves.of(values)
    assert error.value.position == position


def test_truth_values_are_told_from_whole_numbers() -> None:
    assert [as_tree(value) for value in (True, np.bool_(False), 1)] == [{"bool": True}, {"bool": False}, {"int": "0x1"}]
    assert from_tree({"bool": True}) is True
    assert as_tree((True, None)) == {"tuple": [{"bool": True}, None]}


def test_the_kind_is_that_of_discovery_alone() -> None:
    """What only test outputs have gives no column."""
    data = [(None, 1.0)] * 10
    first, second = encode_pair(data, [*data[:5], *[(2.0, 1.0)] * 5], 5)
    assert first.numbers.shape[1] == second.numbers.shape[1] == 1


def test_an_exception_can_be_an_output() -> None:
    def mechanism(x: int, rng: np.random.Generator) -> float:
        if rng.random() < (0.5 if x else 0.05):
            raise ZeroDivisionError("too few records")
        return float(rng.normal())

    with pytest.raises(audit.MechanismError, match="raised ZeroDivisionError: too few records"):
        audit.lower_bound(mechanism, 0, 1, trials=1000)
    bound = audit.lower_bound(mechanism, 0, 1, trials=4000, exceptions=(ArithmeticError,))
    assert 1.7 < bound.epsilon < math.log(10.0)
    assert "raised ZeroDivisionError" in bound.event
    assert audit.check(mechanism, 0, 1, audit.Claim(1.0), trials=4000, exceptions=(ZeroDivisionError,)).refuted
    with pytest.raises(audit.MechanismError, match="raised ZeroDivisionError"):
        audit.lower_bound(mechanism, 0, 1, trials=1000, exceptions=(ValueError,))


def test_exceptions_of_a_sampler_are_no_outputs() -> None:
    class Sampler:
        def sample(self, x: int, n: int, rng: np.random.Generator) -> Any:
            return rng.random(n)

    with pytest.raises(ValueError, match=r"exceptions must be \(\) for a mechanism with a method sample"):
        audit.lower_bound(Sampler(), 0, 1, exceptions=(ValueError,))


class _Frame:
    """What looks like a frame of columns: to go through it gives the columns' names."""

    columns = ("u",)

    def __len__(self) -> int:
        return 200

    def __iter__(self) -> Any:
        return iter(self.columns)

    def __getitem__(self, index: Any) -> Any:
        return self

    def to_numpy(self) -> Any:
        return np.zeros((200, 1))


@pytest.mark.parametrize(
    "wrong",
    [
        _Frame(),
        np.array(1.0),
        set(range(200)),
        dict.fromkeys(range(200)),
        collections.defaultdict(int, dict.fromkeys(range(200))),
        dict.fromkeys(range(200)).values(),
        collections.deque(range(200)),
    ],
)
def test_what_is_no_sequence_of_outputs_is_refused_in_one_line(wrong: Any) -> None:
    right = [0.0] * 200
    for given in ((wrong, right), (right, wrong)):
        with pytest.raises(ValueError, match="must be a sequence of outputs") as refused:
            audit.lower_bound_from_outputs(*given)
        assert "\n" not in str(refused.value)
        assert (".to_numpy()" in str(refused.value)) == isinstance(wrong, _Frame)


def _containers(rows: np.ndarray[Any, Any]) -> dict[str, Any]:
    return {
        "array": rows,
        "lists": rows.tolist(),
        "tuples": list(map(tuple, rows.tolist())),
        "arrays in a list": list(rows),
        "array of objects": rows.astype(object),
    }


@pytest.mark.parametrize("other", ["lists", "tuples", "arrays in a list", "array of objects"])
def test_the_container_of_outputs_that_are_given_tells_nothing(other: str) -> None:
    """Equal laws, at confidence 1 - 1e-4; then as far apart as in arrays, with every bit of the numbers."""
    rng = np.random.default_rng(1)
    same = rng.normal(size=(2, 2000, 2))
    apart = np.array([[[2**60 + i, 0], [2**60 + i, 0]] * 500 for i in (0, 1)])
    for one, two in (("array", other), (other, "array"), (other, "lists")):
        data, neighbour = _containers(same[0])[one], _containers(same[1])[two]
        assert audit.lower_bound_from_outputs(data, neighbour, confidence=1.0 - 1e-4).epsilon == 0.0
        nested = [{"u": row} for row in data], [{"u": row} for row in neighbour]
        assert audit.lower_bound_from_outputs(*nested, confidence=1.0 - 1e-4).epsilon == 0.0
        assert audit.lower_bound_from_outputs(_containers(apart[0])[one], _containers(apart[1])[two]).epsilon > 4.0


def test_what_is_no_output_is_refused_in_another_container_too() -> None:
    rows = np.zeros((200, 2))
    for wrong in (np.ma.masked_less(rows, 1.0), np.zeros((200, 2), "V4"), [[object()]] * 200):
        with pytest.raises(OutputTypeError):
            audit.lower_bound_from_outputs(wrong, rows.tolist())
        with pytest.raises(OutputTypeError):
            audit.lower_bound_from_outputs(list(map(tuple, rows.tolist())), wrong)


def test_underflow_is_the_own_affair_of_the_engine() -> None:
    """Also where a user's script lets numpy raise at it; what the mechanism computes stays the user's."""
    included = np.random.default_rng(0).random(400) < 0.5
    with np.errstate(all="raise"):
        same = audit.lower_bound(
            lambda x, rng: x * 1e-320 + 1e-310 * rng.laplace(), 1.0, 0.0, trials=2000, confidence=1.0 - 1e-4
        )
        assert same.epsilon == 0.0
        sets = audit.lower_bound(lambda x, rng: {int(i) for i in rng.integers(0, 5 + int(x), 3)}, 9.0, 0.0, trials=2000)
        assert sets.epsilon > 1.0
        assert audit.one_run_lower_bound(included + 0.1, included).epsilon > 1.0
        release = audit.transcript_lower_bound(
            lambda x, noise: noise.gaussian("a", x, std=2.0, sensitivity=1.0), 1.0, 0.0, delta=1e-6, trials=2000
        )
        assert release.epsilon > 1.0
        with pytest.raises(audit.MechanismError, match="underflow"):
            audit.lower_bound(lambda x, rng: float(np.exp(np.float64(-800.0)) + rng.laplace()), 1.0, 0.0, trials=200)


@pytest.mark.parametrize("shape", [(), (2,), (2, 1)])
def test_what_arrays_of_objects_hold_is_copied_too(shape: tuple[int, ...]) -> None:
    inner = [1, np.zeros(2)]
    given = np.frompyfunc(lambda _: inner, 1, 1)(np.zeros(math.prod(shape))).reshape(shape)
    kept = owned(given)
    inner[0] = 2
    inner[1][0] = 2.0
    assert kept.shape == shape
    first = kept.ravel()[0]
    assert first[0] == 1
    assert first[1].tolist() == [0.0, 0.0]


def test_the_order_of_members_is_that_of_no_process() -> None:
    """Sets of words, whose own order differs from process to process."""
    code = """
import sys
import time
from dppca.audit.auditor.leaves import Leaves
from dppca.audit.auditor.outputs import Kind

words = [frozenset({f"w{i}", f"v{i % 7}", f"u{i % 5}"}) for i in range(40)]
sys.stdout.write(repr([sorted(path[0].of) for path in Kind.of(Leaves.of([set(words)] * 2)).numbers if path]))
"""
    told = [python("-c", code, check=True, PYTHONHASHSEED=seed).stdout for seed in ("1", "2")]
    assert told[0] == told[1]
    assert told[0].count("w") == 40


# --- values with one clear meaning ------------------------------------------------------------------------


class _Tensor:
    """What can be an array, and has to be detached from a computation first."""

    def __init__(self, values: Any, detached: bool = False) -> None:
        self.values, self.detached = values, detached

    def detach(self) -> _Tensor:
        return _Tensor(self.values, True)

    def cpu(self) -> _Tensor:
        return self

    def __len__(self) -> int:
        return len(self.values)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        if not self.detached:
            raise RuntimeError("call detach first")
        return np.array(self.values, dtype=dtype)


class _Column:
    """A column as pandas has them."""

    def __init__(self, name: str, values: list[Any], index: Any = None) -> None:
        self.name, self.values, self.index = name, values, index

    def to_list(self) -> list[Any]:
        return self.values

    def to_numpy(self) -> Any:
        return np.array(self.values)


class _Table:
    """A table as polars has them."""

    def __init__(self, **columns: list[Any]) -> None:
        self.found = columns

    @property
    def columns(self) -> list[str]:
        return list(self.found)

    def __getitem__(self, name: str) -> _Column:
        return _Column(name, self.found[name])

    def to_numpy(self) -> Any:
        return np.array(list(self.found.values())).T


DAY, UTC = datetime.datetime(2024, 2, 29, 12, 30, 0, 5), datetime.UTC
ROW = np.dtype([("a", "i8"), ("b", "U1")])
#: For each kind of object some that differ.
MEANT: dict[str, list[Any]] = {
    "dates": [DAY.date(), DAY.date() + datetime.timedelta(1), DAY],
    "times": [DAY, DAY + datetime.timedelta(microseconds=1), DAY.replace(tzinfo=UTC), DAY.time(), datetime.timedelta(5)],
    "time zones": [DAY.replace(tzinfo=datetime.timezone(datetime.timedelta(hours=h))) for h in (0, 1)],
    "times of numpy": [np.datetime64("2024-02-29"), np.datetime64("2024-03-01"), np.datetime64("NaT"), np.timedelta64(3, "s")],
    "arrays of times": [np.zeros(2, "M8[s]"), np.ones(2, "M8[s]"), np.zeros(2, "M8[ms]")],
    "identifiers": [uuid.UUID(int=2**100), uuid.UUID(int=2**100 + 1)],
    "rows": [np.array((1, "x"), ROW), np.array((2, "x"), ROW), np.array((1, "y"), ROW)],
    "scalar rows": [np.array([(1, "x")], ROW)[0], np.array([(2, "x")], ROW)[0]],
    "structured arrays": [np.array([(1, "x")] * 2, ROW), np.array([(1, "x"), (1, "y")], ROW)],
    "tensors": [_Tensor([1.0, 2.0]), _Tensor([1.0, 3.0]), _Tensor(1.0)],
    "columns": [_Column("u", [1, None]), _Column("u", [1, 2]), _Column("v", [1, 2])],
    "tables": [_Table(u=[1, 2], v=["a", "b"]), _Table(u=[1, 2], v=["a", "c"]), _Table(u=[1, 2], w=["a", "b"])],
    "sparse matrices": [scipy.sparse.eye_array(2), 2 * scipy.sparse.eye_array(2)],
    "sequences": [range(2), range(3), collections.deque([0, 1]), collections.deque([0, 2])],
}


@pytest.mark.parametrize("name", MEANT)
def test_objects_of_one_clear_meaning_are_outputs(name: str) -> None:
    """Different ones are different, as they are or in a list, and a copy is the same."""
    values = MEANT[name]
    for raw in (values, [[value] for value in values]):
        outputs = Outputs.of([*raw, *map(owned, raw)])
        rows = list(zip(outputs.labels.tolist(), map(bytes, outputs.numbers), strict=True))
        assert len(set(rows[: len(values)])) == len(values)
        assert rows[: len(values)] == rows[len(values) :]
        packed = Outputs.of(unpack(pack(raw)), outputs.kind)
        assert packed.labels.tolist() == outputs.labels.tolist()[: len(values)]


def test_a_tensor_is_the_array_of_its_numbers_and_a_batch_may_be_one() -> None:
    outputs = Outputs.of([_Tensor([1.0, 2.0]), np.array([1.0, 2.0])])
    assert outputs.numbers.tolist() == [[1.0, 2.0]] * 2
    assert set(outputs.labels) == {""}
    assert Outputs.of(_Tensor([[1.0, 2.0]] * 3)).numbers.tolist() == [[1.0, 2.0]] * 3


class _Estimator:
    def __init__(self) -> None:
        self.scale, self.centre_ = 1.0, 2.0

    def fit(self) -> None: ...

    def get_params(self) -> None: ...


async def _later() -> float:
    return 1.0


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (_Estimator, r"returned a _Estimator; return what is released of the estimator, as in return est\.centre_$"),
        (_later, r"returned a coroutine; run it to its end, as in asyncio\.run\(\.\.\.\)"),
        (lambda: iter([1.0]), r"returned a list_iterator; return list\(\.\.\.\) of it"),
        (lambda: np.zeros, "returned a .*; return what it gives when it is called; an output is"),
        (lambda: np.ma.masked_less(np.zeros(2), 1.0), "returned a masked array; fill it"),
        (object, "returned an object; an output is a number"),
    ],
)
def test_an_object_of_no_clear_meaning_is_refused_with_what_to_return(wrong: Callable[[], Any], message: str) -> None:
    value = wrong()
    for raw in ([value], [(0.0, [value])]):
        with pytest.raises(OutputTypeError, match=message) as refused:
            Outputs.of(raw)
        assert "\n" not in str(refused.value)
    if hasattr(value, "close"):
        value.close()


def test_objects_that_say_what_they_are_equal_to_are_what_they_are_made_of() -> None:
    for first, second in (
        (ipaddress.ip_address(5), ipaddress.ip_address(6)),
        (pathlib.PurePath("/a/b"), pathlib.PurePath("/a/c")),
        (types.SimpleNamespace(y=1.5), types.SimpleNamespace(y=2.5)),
        (slice(1, 2), slice(1, 3)),
    ):
        data, neighbour = encode_pair([first, first], [second, first])
        seen = [(str(of.labels[i]), of.numbers[i].tolist()) for of in (data, neighbour) for i in (0, 1)]
        assert seen[0] == seen[1] == seen[3] != seen[2]


def test_a_set_may_hold_dates_and_dataclasses() -> None:
    day = datetime.date(2020, 1, 1)
    outputs = Outputs.of([owned({day, day + datetime.timedelta(1)}), owned({day}), owned({Point(1.0)})])
    assert outputs.numbers[:, 0].tolist() == [2.0, 1.0, 1.0]
    assert len(set(outputs.labels.tolist())) == 3


def test_the_order_of_whole_numbers_in_sets_is_seen_where_there_are_more_than_columns() -> None:
    """Two numbers of 3 that follow each other: of 150, and of 90, each of which has a column of its own."""
    for size, shown in ((150, True), (90, False)):
        sets = [{i, i + 1, (i + 40) % size} for i in range(size - 1)]
        found = Outputs.of(sets)
        ordered = [j for j, name in enumerate(found.kind.names) if name.startswith("sorted(output)")]
        assert bool(ordered) is shown
        assert not ordered or found.numbers[3, ordered].tolist() == [3.0, 4.0, 43.0]
        assert shown or all(label.text == "set" for label in found.labels.tolist())


def test_sequences_of_characters_are_counted_by_how_often_they_are_on_either_dataset() -> None:
    """Texts of one law, but for a word of four letters, or for how many of 16 letters are an a."""
    rng = np.random.default_rng(3)
    texts = ["".join(row) for row in rng.choice(list("bcde"), (4000, 30))]
    with_word = [text[:10] + "bdec" + text[14:] if i % 3 else text for i, text in enumerate(texts[:2000])]
    names = encode_pair(with_word, texts[2000:])[0].kind.names
    assert "count of 'bdec' of output" in names
    more = ["a" * (9 + i % 2) + text for i, text in enumerate(texts[:2000])]
    names = encode_pair(more, ["a" * (8 + i % 3) + text for i, text in enumerate(texts[2000:])])[0].kind.names
    assert "count of 'a' of output" in names


def test_many_texts_are_taken_apart() -> None:
    """Each text that there is comes once: what they have in common is their lengths and the numbers in them."""
    texts = [f"job {i:04d} took {i / 8:.3f} ms" for i in range(1001)]
    outputs = Outputs.of(texts)
    assert outputs.kind.names == ("length of output", "number 0 of output", "number 1 of output")
    assert outputs.numbers[8].tolist() == [22.0, 8.0, 1.0]
    assert Outputs.of(texts[:1000]).numbers.shape == (1000, 0)
    later = Outputs.of(["job 1 took 2 ms or 3", "none", None], outputs.kind)
    np.testing.assert_array_equal(later.numbers, [[20.0, 1.0, 2.0], [4.0, math.nan, math.nan], [math.nan] * 3])


def test_a_number_in_a_text_is_an_event() -> None:
    """Laplace noise in a text that no run gives twice: exact 1."""

    class Log:
        def sample(self, x: float, n: int, rng: np.random.Generator) -> list[str]:
            noisy = zip(rng.integers(10**6, size=n), x + rng.laplace(size=n), strict=True)
            return [f"job {i:06d} took {20 + y:.3f} ms" for i, y in noisy]

    assert 0.85 < audit.lower_bound(Log(), 0.0, 1.0, trials=10_000).epsilon < 1.0


def test_an_output_of_numbers_alone_has_no_label() -> None:
    first, _ = encode_pair([(1.0, 2.0), (None, 2.0), (3.0, 4.0)], [(1.0, 2.0)])
    assert first.labels.tolist() == ["", (((0,), None),), ""]
    words, _ = encode_pair(["a", "b"], ["a"])
    assert words.labels.tolist() == ["a", "b"]


@pytest.mark.parametrize("sign", [1, -1])
def test_whole_numbers_beyond_float64_stay_different(sign: int) -> None:
    """Of a list, and of an array: 2^60 and 2^60 + 1 have the same float."""
    numbers = [sign * 2**60, sign * (2**60 + 1), 0]
    for outputs in (numbers, np.array(numbers)):
        first, _ = encode_pair(outputs, outputs)
        rows = {(label, *row) for label, row in zip(map(str, first.labels), first.numbers.tolist(), strict=True)}
        assert len(rows) == 3


def test_an_empty_word_is_neither_nothing_nor_a_number() -> None:
    first, _ = encode_pair(["", None, "a", 1.0], ["a"])
    assert len({str(label) for label in first.labels}) == 4


@pytest.mark.parametrize("far", ["1E-999999", "-1E+999999"])
def test_decimals_beyond_float64_are_exact_and_quick(far: str) -> None:
    one, other = Decimal(far), Decimal(far) * 2
    started = time.process_time()
    assert audit.lower_bound_from_outputs([one] * 200, [Decimal(far)] * 200).epsilon == 0.0
    assert audit.lower_bound_from_outputs([one] * 200, [other] * 200).epsilon > 4.0
    assert time.process_time() - started < 30.0


def test_nothing_is_seen_at_paths_that_are_left_out() -> None:
    raw = [{"at": f"run {i}", "y": float(i % 3), "who": "abc"[i % 3]} for i in range(1200)]
    whole = encode_pair(raw, raw)[0]
    at = next(path for path in whole.kind.labels if "at" in str(path))
    outputs = encode_pair(raw, raw, kind=whole.kind.without([at]))[0]
    assert outputs.kind.names == ("output['y']",)
    assert outputs.numbers[:3, 0].tolist() == [0.0, 1.0, 2.0]
    assert len(set(outputs.labels.tolist())) == 3
    second = next(path for path in whole.kind.numbers if "number" in str(path[-1]))
    without_it = encode_pair(raw, raw, kind=whole.kind.without([second]))[0]
    assert set(whole.kind.names) - set(without_it.kind.names) == {whole.kind.names[whole.kind.places[second]]}
    assert without_it.numbers[:, without_it.kind.places[*at, Step("length")]].tolist() == [len(of["at"]) for of in raw]


def test_a_generator_is_the_list_of_what_it_gives() -> None:
    assert owned({"y": (i * i for i in range(3))}) == {"y": [0, 1, 4]}


def test_numbers_at_keys_that_one_output_alone_has_are_split_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is what it is alone: also a negative zero, a wide integer, what is not finite, a word, and what has parts."""
    special = [1, -0.0, 2**60 + 1, 2**53 + 1, float("inf"), float("nan"), True, "word", [1.0, -0.0], 0.1, 10**400]
    batch = [{f"a{i}": 0.5 * i, f"b{i}": i, "c": of, f"d{i}": of} for i, of in enumerate(special * 3)]
    calls = []
    monkeypatch.setattr(leaves, "split", lambda numbers: calls.append(len(numbers)) or exact_numbers.split(numbers))
    kind = Outputs.of(batch).kind
    assert len(calls) < len(batch)
    for known in (kind, Outputs.of(batch[:2]).kind, Outputs.of(batch[-1:]).kind):
        together = Outputs.of(batch, known)
        for i, output in enumerate(batch):
            alone = Outputs.of([output], known)
            assert np.array_equal(alone.numbers[0], together.numbers[i], equal_nan=True)
            assert alone.labels[0] == together.labels[i]
