"""Outputs of a mechanism as arrays: what may come out, and what it is turned into.

An output is a number, a category (str, bytes or None), an array of numbers, a tuple, list, dict or set of outputs, or an
object that declares its key (values.py). Kinds may change from trial to trial, and so may lengths: an algorithm's refusal is
something that an adversary sees. Internally a batch of outputs is a matrix of numbers, one row per trial, and for everything
else about them marks, which can be equal or not; a row's numbers are NaN where the trial has none. Outputs whose values are
equal are the same output, whatever types hold them. Nothing is rounded: where a number is no float64 a second column holds
what the first lacks, and a mark what both lack.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from itertools import chain
from operator import itemgetter
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dppca.audit.engine.columns import Columns, in_columns
from dppca.audit.engine.values import EXACT_INTEGER_MAX, MAX_DEPTH, Raised, declared, in_words

Features: TypeAlias = Callable[[Any], Any]
Float: TypeAlias = NDArray[np.float64]
#: What an output is but for its contents: a family and a shape, length, name or keys.
Form: TypeAlias = tuple[str, Any]
Marks: TypeAlias = NDArray[Any] | None
#: A number of sets, and how many of them have each element.
Tally: TypeAlias = tuple[int, dict[Any, int]]

_NUMBERS = (bool, int, float, np.bool_, np.integer, np.floating, Decimal, Fraction)
_FLOATS = {float, bool, np.float64, np.float32, np.float16, np.bool_}
#: Elements of sets that have columns, at most.
_MAX_MEMBERS = 100
#: So many parts of tuples, lists or dicts have columns, and beyond these the parts that such a share of them has.
_MAX_PARTS, _COMMON = 2000, 0.1
_ALLOWED = (
    "an output is a number, str, bytes, None, an array of numbers, a tuple, list, dict or set of these, or an object that "
    "declares its key (a dataclass, an Enum, a method audit_key)"
)


class OutputTypeError(TypeError):
    """The error for an output that is none of the allowed kinds."""

    def __init__(self, message: str, position: int) -> None:
        super().__init__(message)
        self.position = position


@dataclass(frozen=True)
class Mark:
    """A part of an output that is no number: words, and a value where they are not enough."""

    text: str
    value: Any = None

    def __repr__(self) -> str:
        if self.value is None:
            return self.text
        try:
            return f"{self.text} {str(self.value)[:60]}"
        except ValueError:  # an integer in it has more digits than Python writes
            return f"{self.text} a number of very many digits"


@dataclass(frozen=True)
class Kind:
    """The kind of outputs seen so far, or of one part of them: their columns follow from it.

    Attributes:
        main: the form that needs no mark.
        size: numbers of an array, or 1 for a number, at most.
        low: those of them with a second column, for what float64 lacks.
        items: kinds of the parts of tuples and lists.
        fields: keys of dicts, and the kinds of their parts.
        keyed: names of objects, and the kinds of their keys.
        rest: whether there are parts of tuples, lists or dicts without columns; all such parts are one mark.
        members: elements of sets that have a column each; None: no sets.
        tally: while kinds are being seen, the number of sets and how many of them have each element; then empty.
    """

    main: Form | None = None
    size: int = 0
    low: tuple[int, ...] = ()
    items: tuple[Kind, ...] = ()
    fields: tuple[tuple[Any, Kind], ...] = ()
    keyed: tuple[tuple[str, Kind], ...] = ()
    rest: bool = False
    members: tuple[Any, ...] | None = None
    tally: Tally = field(default=(0, {}), compare=False, repr=False)

    @property
    def own(self) -> int:
        """Return the number of columns of numbers, those of parts aside."""
        return self.size + len(self.low) + (0 if self.members is None else 1 + len(self.members))

    @property
    def width(self) -> int:
        """Return the number of columns of numbers."""
        return self.own + sum(kind.width for kind in self.parts())

    @property
    def leaves(self) -> int:
        """Return the number of marks of a trial."""
        return 1 + sum(kind.leaves for kind in self.parts())

    def parts(self) -> Iterator[Kind]:
        """Yield the kinds of all parts."""
        yield from self.items
        yield from (kind for _, kind in (*self.fields, *self.keyed))


@dataclass(frozen=True, eq=False)
class Outputs:
    """A batch of outputs.

    Attributes:
        raw: the outputs as they came, a list or an array whose first axis is trials.
        kind: their kind; None if all that was seen are words and the like, which have no columns.
        marks: for each part one mark per trial; None where every one is the empty string, which says nothing.
        numbers: shape (trials, kind.width), float64; NaN where the trial has none.
        cache: what others have computed from marks and numbers.
    """

    raw: Any
    kind: Kind | None
    marks: tuple[Marks, ...]
    numbers: Float
    cache: dict[Any, Any] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, raw: Any, expected: Kind | None = None, *, fixed: bool = False) -> Outputs:
        """Encode a batch; OutputTypeError, with the position in the batch, where something is no output.

        With `fixed`, an output's marks and numbers are a function of that output and the expected kind alone,
        whatever else is in the batch. Tests rest on that.
        """
        kind = expected or Kind()
        if not fixed:
            kind = _with_members(_seen(kind, raw, 0), kind)
        marks, numbers = _encode(kind, raw, 0)
        return cls(raw, kind if kind != Kind() else None, tuple(marks), numbers)

    @cached_property
    def labels(self) -> NDArray[Any]:
        """Return one hashable label per trial, of all its marks; the empty string where they say nothing."""
        if all(marks is None for marks in self.marks):
            return _full(len(self), "")
        if len(self.marks) == 1:
            return np.asarray(self.marks[0])
        distinct, places = self.distinct()
        found = _full(len(distinct), "")
        found[:] = distinct
        return np.asarray(found[places])

    def distinct(self, part: int | None = None) -> tuple[list[Any], NDArray[np.int64]]:
        """Return the labels that there are, or the marks of one part, by their first trials, and each trial's place in them."""
        if (found := self.cache.get(("distinct", part))) is None:
            self.cache["distinct", part] = found = self._distinct(part)
        distinct, places = found
        return distinct, places

    def _distinct(self, part: int | None) -> tuple[list[Any], NDArray[np.int64]]:
        several = part is None and len(self.marks) > 1
        if several and (marked := [j for j, marks in enumerate(self.marks) if marks is not None]):
            columns = [self.distinct(j) for j in marked]
            rows, places = _crossed([places for _, places in columns])
            labels = []
            for row in rows.tolist():
                label = [""] * len(self.marks)
                for j, (distinct, _), place in zip(marked, columns, row, strict=True):
                    label[j] = distinct[place]
                labels.append(tuple(label) if any(mark != "" for mark in label) else "")
            return labels, places
        if (marks := self.marks[part or 0]) is None:
            return [""], np.zeros(len(self), dtype=np.int64)
        column = marks.tolist()
        numbers = {mark: i for i, mark in enumerate(dict.fromkeys(column))}
        return list(numbers), np.fromiter(map(numbers.__getitem__, column), np.int64, len(column))

    def __len__(self) -> int:
        return len(self.raw)

    def __getitem__(self, index: slice) -> Outputs:
        marks = tuple(None if column is None else column[index] for column in self.marks)
        return Outputs(self.raw[index], self.kind, marks, self.numbers[index])


def _crossed(columns: Sequence[NDArray[np.int64]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the rows that columns of small numbers have, by their first places, and for each row of the columns which it is.

    The numbers of each column are 0, 1, ... by their first places.
    """
    places = columns[0]
    rows = np.arange(places.max(initial=-1) + 1)[:, np.newaxis]
    for column in columns[1:]:
        base = column.max(initial=0) + 1
        pairs, first, places = np.unique(places * base + column, return_index=True, return_inverse=True)
        order = np.argsort(first)
        before, here = np.divmod(pairs[order], base)
        rows, places = np.column_stack([rows[before], here]), np.argsort(order)[places]
    return rows, places


def concatenate(batches: Sequence[Any]) -> Any:
    """Return raw batches of one mechanism, one after another: an array or Columns where all are, and alike; else a list."""
    alike = set(map(_layout, batches))
    if len(alike) > 1 or None in alike:
        return list(chain.from_iterable(batches))
    if isinstance(first := batches[0], np.ndarray):
        return np.concatenate(batches)
    parts = {key: concatenate([batch.parts[key] for batch in batches]) for key in first.parts}
    return Columns(first.form, parts, sum(map(len, batches)))


def _layout(batch: Any) -> Any:
    """Return what arrays or Columns must have in common to be one; None for a list."""
    if isinstance(batch, np.ndarray):
        return batch.shape[1:], batch.dtype
    return (batch.form, *batch.parts) if isinstance(batch, Columns) else None


def kind_of(raw: Any, before: Kind | None = None) -> Kind | None:
    """Return the kind of outputs, and of those seen before; OutputTypeError as from `Outputs.of`, which encodes them too."""
    before = before or Kind()
    kind = _with_members(_seen(before, raw, 0), before)
    return kind if kind != Kind() else None


def encode_pair(data: Any, neighbour: Any, discovery: int | None = None) -> tuple[Outputs, Outputs]:
    """Encode both datasets' outputs in the kind of the first `discovery` of each, of all where it is None."""
    of_data = _seen(Kind(), data[:discovery], 0)
    kind = _with_members(_seen(of_data, neighbour[:discovery], 0), of_data)
    return Outputs.of(data, kind, fixed=True), Outputs.of(neighbour, kind, fixed=True)


def in_like_containers(data: Any, neighbour: Any) -> tuple[Any, Any]:
    """Return two datasets' outputs with arrays, tuples and lists within them as lists, unless they have the same of these."""
    if _containers(data) == _containers(neighbour):
        return data, neighbour
    return [_in_lists(output) for output in data], [_in_lists(output) for output in neighbour]


def _containers(outputs: Any) -> set[tuple[int, str]]:
    """Return which arrays (of numbers, or others), tuples and lists outputs hold, and how deep, those in arrays aside."""
    if isinstance(outputs, np.ndarray) and outputs.dtype.kind != "O":
        return {(0, f"array {_is_matrix(outputs)}")} if outputs.ndim > 1 else set()
    found: set[tuple[int, str]] = set()
    for depth in range(MAX_DEPTH + 1):
        kinds = {kind for kind in set(map(type, outputs)) if issubclass(kind, (np.ndarray, tuple, list, Mapping))}
        inner: list[Any] = []
        for value in outputs if kinds else ():
            if type(value) not in kinds:
                continue
            if isinstance(value, np.ndarray):
                found |= {(depth, f"array {_is_matrix(value)}")} if value.ndim else set()
            elif isinstance(value, Mapping):
                inner += value.values()
            else:
                found.add((depth, "tuple" if isinstance(value, tuple) else "list"))
                inner += value
        outputs = inner
    return found


def _in_lists(value: Any, depth: int = 0) -> Any:
    """Return an output with lists in place of arrays and tuples; what is no output stays as it is, to be refused."""
    if depth > MAX_DEPTH or np.ma.isMaskedArray(value):
        return value
    if isinstance(value, np.ndarray):
        if value.dtype.kind not in "fiubcOUS":
            return value
        return _in_lists(value.tolist(), depth + 1) if value.dtype.kind == "O" else value.tolist()
    if isinstance(value, (tuple, list)):
        return [_in_lists(part, depth + 1) for part in value]
    if isinstance(value, Mapping):
        return {key: _in_lists(part, depth + 1) for key, part in value.items()}
    return value


# --- families -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Group:
    """Values of one family, and their places in the batch."""

    family: str
    places: NDArray[np.int64]
    values: Sequence[Any]

    @cached_property
    def lengths(self) -> NDArray[np.int64]:
        """Return the number of parts of each value."""
        if isinstance(self.values, Columns):
            return np.full(len(self.values), len(self.values.parts))
        return np.fromiter(map(len, self.values), np.int64, len(self.values))

    @cached_property
    def layouts(self) -> Counter[tuple[Any, ...]]:
        """Return how many of the values, which are dicts, have which keys; two orders of the same keys may count as two."""
        if isinstance(self.values, Columns):
            return Counter({tuple(self.values.parts): len(self.values)})
        return Counter(map(tuple, self.values))

    @cached_property
    def key_sets(self) -> list[frozenset[Any]]:
        """Return the sets of keys that the values, which are dicts, have."""
        return list(map(frozenset, self.layouts))

    @cached_property
    def forms(self) -> Counter[Form]:
        """Return how many of the values have which form; words and the like are their own marks, and have none."""
        if self.family == "number":
            return Counter({("number", None): len(self.values)})
        if self.family == "parts" and isinstance(self.values, Columns):
            return Counter({_sequence_form(self.values.form, len(self.values.parts)): len(self.values)})
        if self.family == "dict":
            found: Counter[Form] = Counter()
            for keys, count in self.layouts.items():
                found[_dict_form(keys)] += count
            return found
        return Counter(_forms(self))

    def part(self, key: Any, there: Sequence[int] | None) -> Sequence[Any]:
        """Return the part at a place, or with a key, of these values; of all where `there` is None."""
        if there is None and isinstance(self.values, Columns):
            return self.values.parts[key]
        return list(map(itemgetter(key), self.values if there is None else map(self.values.__getitem__, there)))

    def having(self, key: Any) -> list[int] | None:
        """Return which of the values, which are dicts, have a key; None if all have."""
        found = [key in keys for keys in self.key_sets]
        if all(found):
            return None
        return [i for i, value in enumerate(self.values) if key in value] if any(found) else []

    def longer(self, length: int) -> list[int] | None:
        """Return which of the values have more parts than this; None if all have."""
        there = np.flatnonzero(self.lengths > length)
        return None if len(there) == len(self.values) else there.tolist()

    def at(self, there: Sequence[int] | None) -> NDArray[np.int64]:
        """Return the places of these values; of all where `there` is None."""
        return self.places if there is None else self.places[there]


_FAMILIES: tuple[tuple[str, Any], ...] = (
    ("none", type(None)),
    ("text", str),
    ("number", _NUMBERS),
    ("array", (np.ndarray, complex, np.complexfloating)),
    ("bytes", (bytes, bytearray)),
    ("parts", (tuple, list)),
    ("dict", Mapping),
    ("set", AbstractSet),
    ("raised", Raised),
)


def _family(kind: type) -> str:
    return next((family for family, of in _FAMILIES if issubclass(kind, of)), "object")


def _types(values: Any) -> set[type]:
    """Return the types of values; of those in an array none, unless they are objects."""
    if isinstance(values, Columns):
        return {values.form}
    return set() if isinstance(values, np.ndarray) and values.dtype.kind != "O" else set(map(type, values))


def _groups(values: Sequence[Any], types: set[type], depth: int) -> list[_Group]:
    """Return values, which have these types, by family, in the order of their first places."""
    if depth > MAX_DEPTH:
        raise OutputTypeError(f"returned something nested more than {MAX_DEPTH} deep", 0)
    if any(issubclass(kind, np.ndarray) for kind in types):
        values = list(map(_single, values))
        types = set(map(type, values))
    families = {kind: _family(kind) for kind in types or set(map(type, values))}
    if len(set(families.values())) == 1:
        some = values if isinstance(values, (list, Columns)) else list(values)
        return [_group(next(iter(families.values())), np.arange(len(values)), some)]
    of = np.array([families[type(value)] for value in values])
    names, first = np.unique(of, return_index=True)
    return [
        _group(str(name), places := np.flatnonzero(of == name), [values[i] for i in places.tolist()])
        for name in names[np.argsort(first)]
    ]


def _group(family: str, places: NDArray[np.int64], values: Sequence[Any]) -> _Group:
    if family == "object":
        keys = [declared(value) for value in values]
        if None in keys:
            i = keys.index(None)
            raise OutputTypeError(f"returned a {type(values[i]).__name__}; {_ALLOWED}", int(places[i]))
        return _Group(family, places, keys)
    if family == "array":
        for i, value in enumerate(values):
            if isinstance(value, np.ma.MaskedArray):
                raise OutputTypeError("returned a masked array; fill it, or return its data and its mask", int(places[i]))
            if isinstance(value, np.ndarray) and value.dtype.kind not in "fiubcOUS":
                raise OutputTypeError(f"returned an array of dtype {value.dtype}, numbers are needed", int(places[i]))
        values = [np.asarray(value) for value in values]
    return _Group(family, places, in_columns(values))


def _single(value: Any) -> Any:
    """Return the element of a 0-d array of words or objects, such as numpy.where makes of one condition; else the value."""
    for _ in range(MAX_DEPTH):
        if not isinstance(value, np.ndarray) or value.ndim or value.dtype.kind not in "OUS" or np.ma.isMaskedArray(value):
            break
        value = value.item()
    return value


@contextmanager
def _placed(places: Sequence[Any] | NDArray[np.int64], text: str) -> Iterator[None]:
    """Tell errors in a part as errors of the whole."""
    try:
        yield
    except OutputTypeError as error:
        message = str(error)
        raise OutputTypeError(
            message if "nested" in message else f"in {text}: {message}", int(places[error.position])
        ) from error


def _is_matrix(values: Any) -> bool:
    return isinstance(values, np.ndarray) and not isinstance(values, np.ma.MaskedArray) and values.dtype.kind in "fiubc"


def _rows(values: NDArray[Any]) -> NDArray[Any]:
    """Return a batch of numbers or arrays as a matrix, a complex number as two columns."""
    matrix = values.reshape(len(values), -1)
    if matrix.dtype.kind == "c":
        matrix = np.stack([matrix.real, matrix.imag], axis=2).reshape(len(values), -1)
    return matrix


def _array_form(shape: tuple[int, ...], dtype: np.dtype[Any]) -> Form:
    if dtype.kind == "c":
        return "complex", shape
    return ("array", shape) if shape else ("number", None)


def _stacked(values: Any, types: set[type]) -> Any:
    """Return arrays of one shape and dtype as one array, anything else as it is; `types` are the values' own."""
    if isinstance(values, list) and types == {np.ndarray}:
        first = values[0]
        if first.dtype.kind in "fiub" and len({(value.shape, value.dtype) for value in values}) == 1:
            return np.array(values)
    return values


# --- kinds --------------------------------------------------------------------------------------------


def _seen(kind: Kind, values: Any, depth: int) -> Kind:
    """Return the kind of outputs seen before, and of these."""
    if not len(values):
        return kind
    values = _stacked(values, types := _types(values))
    if _is_matrix(values) and (values.ndim > 1 or values.dtype.kind != "c"):
        form = _array_form(values.shape[1:], values.dtype)
        return _with_numbers(replace(kind, main=kind.main or form), _rows(values))
    if isinstance(values, np.ma.MaskedArray):
        raise OutputTypeError("returned a masked array; fill it, or return its data and its mask", 0)
    for group in sorted(_groups(values, types, depth), key=lambda of: -len(of.values)):
        kind = _seen_group(kind, group, depth)
    return kind


def _seen_group(kind: Kind, group: _Group, depth: int) -> Kind:  # noqa: C901 - one case a family
    if group.forms and kind.main is None:
        kind = replace(kind, main=group.forms.most_common(1)[0][0])
    values, places = group.values, group.places
    match group.family:
        case "number":
            return _with_numbers(kind, values)
        case "array":
            for some, _ in _by_form(group):
                kind = _with_numbers(kind, some) if isinstance(some, np.ndarray) else _seen(kind, some, depth + 1)
        case "parts":
            items = list(kind.items)
            shared = np.sort(group.lengths)[math.floor((1.0 - _COMMON) * len(values))]  # parts that enough of them have
            longest = int(group.lengths.max())
            for j in range(longest if longest <= _MAX_PARTS else max(_MAX_PARTS, int(shared), len(items))):
                there = group.longer(j)
                items += [Kind()] * (j + 1 - len(items))
                with _placed(group.at(there), f"part {j}"):
                    items[j] = _seen(items[j], group.part(j, there), depth + 1)
            kind = replace(kind, items=tuple(items))
            kind = replace(kind, rest=bool(list(_rest(kind, group, depth))) or kind.rest)
        case "dict":
            kind = replace(kind, fields=_seen_fields(kind, group, depth))
            kind = replace(kind, rest=bool(list(_rest(kind, group, depth))) or kind.rest)
        case "object":
            keyed = dict(kind.keyed)
            for name in sorted({value.name for value in values}):
                there = [i for i, value in enumerate(values) if value.name == name]
                with _placed(places[there], f"the key of a {name}"):
                    keyed[name] = _seen(keyed.get(name, Kind()), [values[i].value for i in there], depth + 1)
            kind = replace(kind, keyed=tuple(keyed.items()))
        case "set":
            counts = Counter(chain.from_iterable(values))
            often = sorted(counts, key=lambda member: (-counts[member], _order(member)))  # never by a set's own order
            size, tally = kind.tally[0] + len(values), dict(kind.tally[1])
            for member in often:
                tally[member] = tally.get(member, 0) + counts[member]
            kind = replace(kind, members=kind.members or (), tally=(size, tally))
    return kind


def _with_members(kind: Kind, data: Kind) -> Kind:
    """Return the kind of two datasets' outputs with the elements of sets that have columns; `data` is the kind of the first.

    Where there are too many, these are the elements whose shares of the sets differ most, in standard errors.
    """
    if kind.members is not None:
        kept, new = kind.members, [member for member in kind.tally[1] if member not in kind.members]
        if len(kept) + len(new) > _MAX_MEMBERS:
            new.sort(key=lambda member: (-_difference(kind.tally, data.tally, member), -kind.tally[1][member], _order(member)))
        kind = replace(kind, members=(*kept, *new)[:_MAX_MEMBERS], tally=(0, {}))
    fields, keyed = dict(data.fields), dict(data.keyed)
    return replace(
        kind,
        items=tuple(_with_members(part, data.items[j] if j < len(data.items) else Kind()) for j, part in enumerate(kind.items)),
        fields=tuple((key, _with_members(part, fields.get(key, Kind()))) for key, part in kind.fields),
        keyed=tuple((name, _with_members(part, keyed.get(name, Kind()))) for name, part in kind.keyed),
    )


def _difference(both: Tally, data: Tally, member: Any) -> float:
    """Return by how many standard errors the shares of sets that have an element differ between two datasets."""
    here, there = data[0], both[0] - data[0]
    share, has = both[1][member] / both[0], data[1].get(member, 0)
    if not here or not there or share == 1.0:
        return 0.0
    error = math.sqrt(share * (1.0 - share) * (1.0 / here + 1.0 / there))
    return abs(has / here - (both[1][member] - has) / there) / error


def _seen_fields(kind: Kind, group: _Group, depth: int) -> tuple[tuple[Any, Kind], ...]:
    fields = dict(kind.fields)
    counts: Counter[Any] = Counter()
    for keys, count in group.layouts.items():
        counts.update(dict.fromkeys(keys, count))
    for place, key in enumerate(sorted(counts, key=_order)):
        if place < _MAX_PARTS or key in fields or counts[key] >= _COMMON * len(group.values):
            there = group.having(key)
            with _placed(group.at(there), f"the value of {in_words(key)}"):
                fields[key] = _seen(fields.get(key, Kind()), group.part(key, there), depth + 1)
    return tuple(fields.items())


def _rest(kind: Kind, group: _Group, depth: int) -> Iterator[tuple[int, Any]]:
    """Yield the place of each tuple, list or dict that has parts without columns, and these as one hashable value."""
    fields = {key for key, _ in kind.fields}
    if group.family == "dict":
        there = [] if all(map(fields.issuperset, group.key_sets)) else range(len(group.values))
    else:
        there = np.flatnonzero(group.lengths > len(kind.items)).tolist()
    for i in there:
        value, place = group.values[i], int(group.places[i])
        if group.family == "dict":
            rest: Any = {key: part for key, part in value.items() if key not in fields}
        else:
            rest = value[len(kind.items) :]
        if rest:
            with _placed([place], f"parts beyond number {_MAX_PARTS}"):
                yield place, _whole(rest, depth)


def _whole(value: Any, depth: int) -> Any:
    """Return an output as one hashable value, the same for equal outputs."""
    ((group),) = _groups([value], {type(value)}, depth)
    value = group.values[0]
    match group.family:
        case "number":
            high, low, lacking = _split_number(value)
            return "number", high if math.isfinite(high) else str(high), low, lacking
        case "array":
            return "array", value.shape, tuple(_whole(part, depth + 1) for part in value.ravel().tolist())
        case "parts":
            return *_sequence_form(type(value), len(value)), tuple(_whole(part, depth + 1) for part in value)
        case "dict":
            return "dict", frozenset((key, _whole(part, depth + 1)) for key, part in value.items())
        case "object":
            return "object", value.name, _whole(value.value, depth + 1)
        case family:
            return family, frozenset(value) if family == "set" else bytes(value) if family == "bytes" else value


def _with_numbers(kind: Kind, numbers: Any) -> Kind:
    high, low, _ = _split(numbers)
    lacking = () if low is None else tuple(np.flatnonzero((low != 0.0).any(axis=0)).tolist())
    return replace(kind, size=max(kind.size, high.shape[1]), low=tuple(sorted({*kind.low, *lacking})))


def _forms(group: _Group) -> list[Form]:
    """Return the form of each value that has one; words and the like are their own marks."""
    match group.family:
        case "number":
            return [("number", None)] * len(group.values)
        case "array":
            return [_array_form(value.shape, value.dtype) for value in group.values]
        case "parts":
            return [_sequence_form(type(value), len(value)) for value in group.values]
        case "dict":
            orders = {keys: _dict_form(keys) for keys in group.layouts}
            return [orders[tuple(value)] for value in group.values]
        case "object":
            return [("object", value.name) for value in group.values]
    return []


def _sequence_form(kind: type, length: int) -> Form:
    return ("tuple" if issubclass(kind, tuple) else "list", length)


def _dict_form(keys: tuple[Any, ...]) -> Form:
    return "dict", tuple(sorted(keys, key=_order))


def _order(key: Any) -> tuple[str, str]:
    """Return what keys and members are ordered by, whatever their own order is in this process."""
    text = ", ".join(map(str, sorted(map(_order, key)))) if isinstance(key, AbstractSet) else in_words(key)
    return type(key).__name__, text


def _by_form(group: _Group) -> Iterator[tuple[Any, NDArray[np.int64]]]:
    """Yield arrays of one shape and dtype as a matrix, with their places; arrays of objects or words as nested lists."""
    found: dict[Any, list[int]] = {}
    for i, value in enumerate(group.values):
        found.setdefault((value.shape, value.dtype), []).append(i)
    for (_, dtype), there in found.items():
        some = [group.values[i] for i in there]
        yield (_rows(np.stack(some)) if dtype.kind in "fiubc" else [x.tolist() for x in some]), group.places[there]


# --- exact numbers ------------------------------------------------------------------------------------


def _split(numbers: Any) -> tuple[Float, Float | None, dict[int, Any]]:
    """Return numbers (a matrix or scalars) as float64 and what that lacks: a second float64, and by row what both lack.

    A negative zero lacks -1.
    """
    if not isinstance(numbers, np.ndarray):
        kinds = set(map(type, numbers))
        if kinds <= _FLOATS:
            numbers = np.array(numbers, dtype=np.float64)[:, np.newaxis]
        elif all(issubclass(kind, (*_FLOATS, int, np.integer)) for kind in kinds) and all(
            -EXACT_INTEGER_MAX <= value <= EXACT_INTEGER_MAX or not isinstance(value, (int, np.integer)) for value in numbers
        ):
            numbers = np.array([float(value) for value in numbers])[:, np.newaxis]
        else:
            return _split_exactly([[value] for value in numbers])
    wide = numbers.dtype.itemsize > np.dtype(np.float64).itemsize
    large = numbers.dtype.kind in "iu" and numbers.dtype.itemsize > 4 and numbers.size
    if wide or (large and (numbers.max() > EXACT_INTEGER_MAX or numbers.min() < -EXACT_INTEGER_MAX)):
        return _split_exactly(list(map(list, numbers)) if wide else numbers.tolist())
    high = numbers.astype(np.float64)
    if numbers.dtype.kind != "f" or not (negative := np.signbit(high) & (high == 0.0)).any():
        return high, None, {}
    return high + 0.0, -negative.astype(np.float64), {}


def _split_exactly(rows: Sequence[Sequence[Any]]) -> tuple[Float, Float, dict[int, Any]]:
    high = np.zeros((len(rows), len(rows[0]) if rows else 0))
    low = np.zeros_like(high)
    rest: dict[int, Any] = {}
    for i, row in enumerate(rows):
        for j, value in enumerate(row):
            high[i, j], low[i, j], lacking = _split_number(value)
            if lacking is not None:
                rest[i] = (*rest.get(i, ()), (j, lacking))
    return high, low, rest


def _split_number(value: Any) -> tuple[float, float, Any]:
    finite = value.is_finite() if isinstance(value, Decimal) else isinstance(value, (int, Fraction)) or np.isfinite(value)
    if not finite:
        return (float("nan") if isinstance(value, Decimal) and value.is_snan() else float(value)), 0.0, None
    if value == 0 and isinstance(value, (float, np.floating, Decimal)) and np.signbit(float(value)):
        return 0.0, -1.0, None
    exact = Fraction(int(value)) if isinstance(value, (int, np.integer, np.bool_)) else Fraction(*value.as_integer_ratio())
    try:
        high = float(exact)
    except OverflowError:
        return float("nan"), 0.0, exact
    low = float(exact - Fraction(high))
    lacking = exact - Fraction(high) - Fraction(low)
    return high, low, lacking or None


# --- encoding -----------------------------------------------------------------------------------------


def _encode(kind: Kind, values: Any, depth: int) -> tuple[list[Marks], Float]:
    """Return marks and numbers of a batch, each row a function of the kind and of that row alone."""
    size = len(values)
    values = _stacked(values, types := _types(values))
    if _is_matrix(values) and values.dtype.kind != "c" and kind.width == kind.size and kind.leaves == 1:
        high, low, _ = _split(values.reshape(size, -1))
        plain = kind.main == _array_form(values.shape[1:], values.dtype) and high.shape[1] == kind.size and low is None
        if plain and np.isfinite(high).all():
            return [None], high
    own = _full(size, "")
    numbers = np.full((size, kind.width), np.nan)
    if _is_matrix(values) and (values.ndim > 1 or values.dtype.kind != "c"):
        form = _array_form(values.shape[1:], values.dtype)
        told = _put_numbers(kind, _rows(values), form, np.arange(size), own, numbers)
        return [own if told else None, *[None] * (kind.leaves - 1)], numbers
    if isinstance(values, np.ma.MaskedArray):
        raise OutputTypeError("returned a masked array; fill it, or return its data and its mask", 0)
    inner: list[list[Marks]] = [[None] * part.leaves for part in kind.parts()]
    told = False
    for group in _groups(values, types, depth) if size else ():
        told |= _put_group(kind, group, depth, own, numbers, inner)
    return [own if told else None, *chain.from_iterable(inner)], numbers


def _put_group(  # noqa: C901, PLR0912 - one case a family
    kind: Kind, group: _Group, depth: int, own: NDArray[Any], numbers: Float, inner: list[list[Marks]]
) -> bool:
    """Write the marks and numbers of one family's values; whether any mark of the whole was written."""
    values, places = group.values, group.places
    match group.family:
        case "number":
            return _put_numbers(kind, values, ("number", None), places, own, numbers)
        case "none" | "text" | "bytes" | "raised":
            if group.family == "bytes":
                values = list(map(bytes, values))
            own[places] = values if "" not in values else [x or Mark("''") for x in values]
            return True
        case "set":
            columns = {member: kind.size + len(kind.low) + 1 + j for j, member in enumerate(kind.members or ())}
            for place, value in zip(places, values, strict=True):
                own[place] = Mark("set", frozenset(value))
            if kind.members is not None:
                numbers[places, kind.size + len(kind.low)] = [len(value) for value in values]
                for member, column in columns.items():
                    numbers[places, column] = [member in value for value in values]
            return True
        case "array":
            told = False
            for some, there in _by_form(group):
                if isinstance(some, np.ndarray):
                    first = group.values[int(np.searchsorted(places, there[0]))]
                    told |= _put_numbers(kind, some, _array_form(first.shape, first.dtype), there, own, numbers)
                else:
                    nested = _group("parts", there, [x if isinstance(x, list) else [x] for x in some])
                    told |= _put_group(kind, nested, depth + 1, own, numbers, inner)
            return told
    told = set(group.forms) != {kind.main}
    if told:
        forms = _forms(group) if len(group.forms) > 1 else list(group.forms) * len(values)
        own[places] = [Mark(*form) if form != kind.main else "" for form in forms]
    if kind.rest and group.family in {"parts", "dict"}:
        for place, rest in _rest(kind, group, depth):
            own[place], told = Mark("more parts", rest if own[place] == "" else (own[place], rest)), True
    last = kind.own
    for j, (part, text, there, some) in enumerate(_parts(kind, group)):
        first, last = last, last + part.width
        if not len(some):
            continue
        with _placed(there, text):
            marks, found = _encode(part, some, depth + 1)
        numbers[there, first : first + part.width] = found
        for leaf, found_marks in enumerate(marks):
            if found_marks is not None:
                whole = inner[j][leaf]
                if whole is None:
                    inner[j][leaf] = whole = _full(len(own), "")
                whole[there] = found_marks
    return told


def _parts(kind: Kind, group: _Group) -> Iterator[tuple[Kind, str, NDArray[np.int64], Sequence[Any]]]:
    """Yield the parts of all values of a group, in the order of `kind.parts()`: kind, name, places and the parts themselves."""
    is_parts, is_dict, is_object = (group.family == family for family in ("parts", "dict", "object"))
    for j, part in enumerate(kind.items):
        there = group.longer(j) if is_parts else []
        yield part, f"part {j}", group.at(there), group.part(j, there)
    for key, part in kind.fields:
        there = group.having(key) if is_dict else []
        yield part, f"the value of {in_words(key)}", group.at(there), group.part(key, there)
    for name, part in kind.keyed:
        found = [i for i, value in enumerate(group.values) if value.name == name] if is_object else []
        yield part, f"the key of a {name}", group.places[found], [group.values[i].value for i in found]


def _put_numbers(kind: Kind, values: Any, form: Form, places: NDArray[np.int64], own: NDArray[Any], numbers: Float) -> bool:
    """Write numbers, or arrays of one form; whether any mark was written."""
    high, low, rest = _split(values)
    base = "" if form == kind.main else Mark(*form)
    bad = ~np.isfinite(high)
    if told := base != "":
        own[places] = _full(len(places), base)
    for i in np.flatnonzero(bad.any(axis=1)).tolist() if bad.any() else ():
        found = tuple((int(j), str(high[i, j])) for j in np.flatnonzero(bad[i]))
        own[places[i]] = Mark(found[0][1]) if base == "" and high.shape[1] == 1 else Mark(f"{base or 'not finite'}", found)
        told = True
    for i, lacking in rest.items():
        own[places[i]] = Mark(f"{own[places[i]] or 'exactly'}", lacking)
        told = True
    used = min(high.shape[1], kind.size)
    numbers[places, :used] = np.where(bad, np.nan, high)[:, :used]
    for place, column in enumerate(kind.low):
        if column < used:
            numbers[places, kind.size + place] = 0.0 if low is None else low[:, column]
    return told


def _full(size: int, value: Any) -> NDArray[Any]:
    full = np.empty(size, dtype=object)
    full.fill(value)
    return full
