"""The leaves of outputs: numbers and labels, each at a path.

A container has a label for its form (its kind, and its length or its keys), and its parts one path deeper. A number is the
nearest float64; what that lacks is a second number one path deeper, and a label with what both lack. A set is a label, its
size, and a one for each member; members and keys that are floats, or hold one, stand in their order instead. A word (str,
bytes or None) is a label. An object is what it says (values.py), one path deeper. So two outputs are equal where all their
leaves are, whatever types hold them, and nothing is rounded.

A batch is flattened as a whole: its outputs are grouped by what they are, and each group's parts by their path.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dppca.audit.auditor.exact_numbers import Float, split
from dppca.audit.auditor.values import MAX_DEPTH, NUMBERS, Raised, Tagged, as_batch, in_words, plain

Rows: TypeAlias = NDArray[np.int64]
#: The way from an output to a leaf: an integer for a part of a sequence or an entry of an array, a Step for any other part.
Path: TypeAlias = tuple[Any, ...]

_FAMILIES: tuple[tuple[str, Any], ...] = (
    ("objects", np.timedelta64),  # which numpy counts among its integers
    ("words", (type(None), str, bytes, bytearray, Raised)),
    ("numbers", NUMBERS),
    ("arrays", (np.ndarray, complex, np.complexfloating)),
    ("sequences", (tuple, list)),
    ("dicts", Mapping),
    ("sets", AbstractSet),
    ("objects", object),
)


#: Integers from here on, as members or keys, are ordered too.
_WIDE = 1024
#: Members of a set that have columns, and places in the order, at most.
MAX_MEMBERS = 100


class Step(NamedTuple):
    """A step of a path: to the value of a key, to what an object says, to a member of a set, or to what is made of a leaf."""

    kind: str
    of: Any = None


#: The label of what has no columns.
OTHERS = "other parts"
REST, LACKING, NOT_FINITE = Step("rest"), Step("lacking"), Step("not finite")
#: The members of a set of whole numbers, which may be names, in their order.
NAMES_IN_ORDER = Step("ordered")


class OutputTypeError(TypeError):
    """The error for a value that is no output; `position` is its place in the batch."""

    def __init__(self, message: str, position: int) -> None:
        super().__init__(message)
        self.position = position


@dataclass(frozen=True)
class Mark:
    """A label that is no word: what it is about, and a value where that is not enough."""

    text: str
    value: Any = None

    def __repr__(self) -> str:
        if self.value is None:
            return self.text
        try:
            if self.text == OTHERS:
                return " and ".join(f"{name_of(path)} = {of!r}" for path, of in sorted(self.value, key=str))[:120]
            return f"{self.text} {str(self.value)[:60]}"
        except ValueError:  # an integer in it has more digits than Python writes
            return f"{self.text} a number of very many digits"


@dataclass
class Leaves:
    """The leaves of a batch of outputs.

    Attributes:
        size: outputs.
        at: by path, rows of the batch and what these have there: an array of numbers (NaN where one is not finite, which a
            label says), a list of labels, or a Mark, which is the form that all of them have.
        matrix: the numbers of all outputs where each is a number or an array of one shape, and finite; otherwise None.
        refused: rows that are no outputs, with the problem.
    """

    size: int
    at: dict[Path, list[tuple[Rows, Any]]] = field(default_factory=lambda: defaultdict(list))
    matrix: Float | None = None
    refused: list[tuple[int, str]] = field(default_factory=list)

    @classmethod
    def of(cls, raw: Any) -> Leaves:
        """Return the leaves of a batch; OutputTypeError, with the place of the first one, where something is no output."""
        found = cls(len(raw := as_batch(raw)))
        found._add(raw, np.arange(len(raw)), (), 0)
        if found.refused:
            row, message = min(found.refused)
            raise OutputTypeError(message, row)
        return found

    def head(self, size: int | None) -> Leaves:
        """Return the leaves of the first outputs, of all if `size` is None."""
        if size is None:
            return self
        found = Leaves(min(size, self.size))
        for path, parts in self.at.items():
            for rows, values in parts:
                if there := len(rows) if rows[-1] < size else int(np.searchsorted(rows, size)):
                    found.at[path].append((rows[:there], values if isinstance(values, Mark) else values[:there]))
        return found

    def _refuse(self, row: Any, path: Path, problem: str) -> None:
        where = [f"part {step}" if isinstance(step, int) else f"the {step.kind} {_step_name(step)}" for step in path]
        self.refused.append((int(row), "".join(f"in {place}: " for place in where if "nested" not in problem) + problem))

    def _add(self, values: Any, rows: Rows, path: Path, depth: int) -> None:
        """Add the leaves of what the outputs in these rows have at a path."""
        if not len(rows):
            return
        if depth > MAX_DEPTH:
            self._refuse(rows[0], path, f"returned something nested more than {MAX_DEPTH} deep")
        elif isinstance(values, np.ndarray) and values.dtype.kind in "fiub" and not np.ma.isMaskedArray(values):
            self._add_matrix(values, rows, path)
        else:
            values = list(values)
            families = {kind: _family(kind) for kind in set(map(type, values))}
            for family, there in _groups(map(families.__getitem__, map(type, values))).items():
                getattr(self, f"_add_{family}")(_take(values, there), rows[there], path, depth)

    def _add_words(self, words: list[Any], rows: Rows, path: Path, _: int) -> None:
        if "" in words or any(isinstance(word, bytearray) for word in words):
            words = [Mark("''") if word == "" else bytes(word) if isinstance(word, bytearray) else word for word in words]
        self.at[path].append((rows, words))

    def _add_sequences(self, values: list[Any], rows: Rows, path: Path, depth: int) -> None:
        lengths = list(map(len, values))
        for (kind, length), there in _groups(zip(map(type, values), lengths, strict=True)).items():
            self.at[path].append((rows[there], Mark("tuple" if issubclass(kind, tuple) else "list", length)))
        self._add_parts(values, np.array(lengths), rows, path, depth)

    def _add_parts(self, values: list[Any], lengths: NDArray[np.int64], rows: Rows, path: Path, depth: int) -> None:
        for j in range(int(lengths.max())):
            there = np.flatnonzero(lengths > j)
            self._add(list(map(itemgetter(j), _take(values, there))), rows[there], (*path, j), depth + 1)

    def _add_dicts(self, values: list[Any], rows: Rows, path: Path, depth: int) -> None:
        having: dict[Any, list[Rows]] = defaultdict(list)
        for keys, there in _groups(map(tuple, values)).items():
            self.at[path].append((rows[there], Mark("dict", tuple(sorted(keys, key=order)))))
            for key in keys:
                if not _is_measured(key):
                    having[key].append(there)
        items = [sorted([item for item in value.items() if _has_order(item[0])], key=_rank) for value in values]
        self._add_sorted(items, rows, (*path, Step("sorted", "items")), depth)
        self._add_of_keys(values, having, rows, path, depth)

    def _add_of_keys(self, values: list[Any], having: dict[Any, list[Rows]], rows: Rows, path: Path, depth: int) -> None:
        """Add what dicts have at each key; numbers of all keys are split at once, as each dict may have its own keys."""
        rows_of = {key: parts[0] if len(parts) == 1 else np.sort(np.concatenate(parts)) for key, parts in having.items()}
        found = {key: [values[i][key] for i in there.tolist()] for key, there in rows_of.items()}
        numbers = [key for key, of in found.items() if depth < MAX_DEPTH and set(map(type, of)) <= {float, int}]
        high, low, _ = split(list(itertools.chain.from_iterable(map(found.__getitem__, numbers))))
        whole = np.isfinite(high[:, 0]) & (True if low is None else low[:, 0] == 0.0)
        last = 0
        for key in numbers:
            first, last = last, last + len(found[key])
            if whole[first:last].all():
                at, of = self.at[*path, Step("value of", key)], rows[rows_of[key]]
                at += [(of, Mark("number")), (of, high[first:last, 0])]
                del found[key]
        for key, of_key in found.items():
            self._add(of_key, rows[rows_of[key]], (*path, Step("value of", key)), depth + 1)

    def _add_sets(self, values: list[Any], rows: Rows, path: Path, depth: int) -> None:
        self.at[path].append((rows, [Mark("set", frozenset(value)) for value in values]))
        self.at[path].append((rows, np.array(list(map(len, values)), dtype=np.float64)))
        having: dict[Any, list[int]] = defaultdict(list)
        for row, value in zip(rows.tolist(), values, strict=True):
            for member in value:
                if not _is_measured(member):
                    having[member].append(row)
        members = [sorted(filter(_has_order, value), key=_rank)[:MAX_MEMBERS] for value in values]
        self._add_sorted(members, rows, (*path, Step("sorted")), depth)
        self._add_names_in_order(values, rows, path)
        for member, there in having.items():
            self.at[*path, Step("member", member)].append((np.array(there), np.ones(len(there))))

    def _add_names_in_order(self, values: list[Any], rows: Rows, path: Path) -> None:
        """Add the members of sets of whole numbers that have no order otherwise."""
        there = [i for i, of in enumerate(values) if set(map(type, of)) == {int} and -_WIDE < min(of) <= max(of) < _WIDE]
        lengths = np.array([len(values[i]) for i in there], dtype=np.int64)
        members = np.fromiter(itertools.chain.from_iterable(values[i] for i in there), np.float64, int(lengths.sum()))
        members = members[np.lexsort((members, np.repeat(np.arange(len(there)), lengths)))]
        first = np.cumsum(lengths) - lengths
        for j in range(min(int(lengths.max(initial=0)), MAX_MEMBERS)):
            some = lengths > j
            self.at[*path, NAMES_IN_ORDER, j].append((rows[np.array(there)[some]], members[first[some] + j]))

    def _add_sorted(self, values: list[list[Any]], rows: Rows, path: Path, depth: int) -> None:
        """Add the parts of lists, of which some may be empty and say nothing."""
        if there := [i for i, of in enumerate(values) if of]:
            some = [values[i] for i in there]
            self._add_parts(some, np.array(list(map(len, some))), rows[there], path, depth)

    def _add_objects(self, values: list[Any], rows: Rows, path: Path, depth: int) -> None:
        said, places = [], []
        for place, value in enumerate(values):
            try:
                said.append(plain(value))
                places.append(place)
            except TypeError as error:
                self._refuse(rows[place], path, str(error))
        rows = rows[places]
        for name, there in _groups(value.name if isinstance(value, Tagged) else None for value in said).items():
            some = _take(said, there)
            if name is None:
                self._add(some, rows[there], path, depth + 1)
            else:
                self.at[path].append((rows[there], Mark("object", name)))
                self._add([value.value for value in some], rows[there], (*path, Step("key of a", name)), depth + 1)

    def _add_arrays(self, values: list[Any], rows: Rows, path: Path, depth: int) -> None:
        """Add arrays and complex numbers: those of one shape and type together, those of words or objects by their parts."""
        arrays = [value if isinstance(value, np.ndarray) else np.asarray(value) for value in values]
        alike = _groups((type(array) is np.ma.MaskedArray, array.dtype, array.shape) for array in arrays)
        for (masked, dtype, shape), there in alike.items():
            some, at = _take(arrays, there), rows[there]
            if masked or dtype.kind not in "fiubcOUS":
                self._add_objects(some, at, path, depth)
            elif dtype.kind in "fiubc":
                self._add_matrix(np.stack(some), at, path)
            elif shape:
                self.at[path].append((at, Mark("array", shape)))
                size = np.full(len(some), math.prod(shape))
                self._add_parts([array.ravel().tolist() for array in some], size, at, path, depth)
            else:  # such as numpy.where makes of one condition
                self._add([array.item() for array in some], at, path, depth + 1)

    def _add_matrix(self, values: NDArray[Any], rows: Rows, path: Path) -> None:
        """Add arrays of numbers, along the first axis; a complex number is two."""
        shape, matrix = values.shape[1:], values.reshape(len(values), -1)
        if values.dtype.kind == "c":
            matrix = np.stack([matrix.real, matrix.imag], axis=2).reshape(len(values), -1)
        form = "complex" if values.dtype.kind == "c" else "array" if shape else "number"
        paths = [path] if form == "number" else [(*path, j) for j in range(matrix.shape[1])]
        self._add_split(matrix, rows, path, paths, Mark(form, None if form == "number" else shape))

    def _add_numbers(self, values: list[Any], rows: Rows, path: Path, _: int) -> None:
        self._add_split(values, rows, path, [path], Mark("number"))

    def _add_split(self, values: Any, rows: Rows, path: Path, paths: Sequence[Path], form: Mark) -> None:
        """Add numbers at these paths; what two float64 do not say of them is a label at the path of the whole."""
        high, low, lacking = split(values)
        self.at[path].append((rows, form))
        bad = ~np.isfinite(high)
        if len(there := np.flatnonzero(bad.any(axis=1))):
            which = [[(j, str(high[i, j])) for j in np.flatnonzero(bad[i]).tolist()] for i in there]
            labels = [Mark(*found[0][1:]) if form.text == "number" else Mark("not finite", tuple(found)) for found in which]
            self.at[*path, NOT_FINITE].append((rows[there], labels))
            high = np.where(bad, np.nan, high)
        if lacking:
            exact = [_all_digits(values[i]) or Mark("exactly", value) for i, value in lacking.items()]
            self.at[*path, LACKING].append((rows[list(lacking)], exact))
        for j, at in enumerate(paths):
            self.at[at].append((rows, high[:, j]))
            if low is not None and len(some := np.flatnonzero(low[:, j])):
                self.at[*at, REST].append((rows[some], low[some, j]))
        if not path and len(rows) == self.size and low is None and not len(there):
            self.matrix = high


def _all_digits(value: Any) -> bytes:
    """Return a whole number as bytes, the last one first, whose bits may have columns; nothing for other numbers."""
    return value.to_bytes(value.bit_length() // 8 + 1, "little", signed=True) if isinstance(value, int) else b""


@functools.cache
def _family(kind: type) -> str:
    return next(family for family, of in _FAMILIES if issubclass(kind, of))


def _groups(keys: Iterable[Any]) -> dict[Any, Rows]:
    """Return the places of each of these keys, in the order of their first ones."""
    keys = list(keys)
    numbers = {key: i for i, key in enumerate(dict.fromkeys(keys))}
    if len(numbers) <= 1:
        return {key: np.arange(len(keys)) for key in numbers}
    of = np.fromiter(map(numbers.__getitem__, keys), np.int64, len(keys))
    ends = np.cumsum(np.bincount(of, minlength=len(numbers)))
    return dict(zip(numbers, np.split(np.argsort(of, kind="stable"), ends[:-1]), strict=True))


def _take(values: list[Any], places: Rows) -> list[Any]:
    return values if len(places) == len(values) else [values[i] for i in places]


def _is_measured(value: Any) -> bool:
    """Return whether a member or a key is, or holds, a number that is hardly ever the same in two outputs."""
    return isinstance(value, (float, np.floating)) or (isinstance(value, tuple) and any(map(_is_measured, value)))


def _has_order(value: Any) -> bool:
    """Return whether a member or a key is measured, or may be: a wide integer is a number on a scale or a name."""
    if isinstance(value, tuple):
        return any(map(_has_order, value))
    return _is_measured(value) or (isinstance(value, (int, np.integer)) and abs(int(value)) >= _WIDE)


def _rank(value: Any) -> tuple[Any, ...]:
    """Return what measured values are sorted by."""
    if isinstance(value, tuple):
        return 2, *map(_rank, value)
    if isinstance(value, (int, float, np.integer, np.floating)) and value == value:  # noqa: PLR0124 - not a NaN
        return 0, value
    return 1, order(value)


def order(key: Any) -> tuple[str, str]:
    """Return what keys and members are ordered by, whatever their own order is in this process."""
    text = ", ".join(map(str, sorted(map(order, key)))) if isinstance(key, AbstractSet) else in_words(key)
    return type(key).__name__, text.zfill(20) if isinstance(key, int) else text


def _step_name(step: Step) -> str:
    return str(step.of) if step.kind == "key of a" else in_words(step.of)[:60]


def part_of(path: Path) -> Path:
    """Return the part of an output, as a program would name it, that a path leads to or into."""
    return tuple(itertools.takewhile(lambda step: isinstance(step, int) or step.kind in ("value of", "key of a"), path))


def name_of(path: Path) -> str:
    """Return what stands at a path, as in output[1]['age']."""
    found = "output"
    for step in path:
        if isinstance(step, int):
            found += f"[{step}]"
        elif step.kind == "value of":
            found += f"[{_step_name(step)}]"
        elif step == NAMES_IN_ORDER:
            found = f"sorted({found})"
        elif step.kind == "sorted":
            found = f"sorted({found}.items())" if step.of else f"sorted({found})"
        elif step.kind == "member":
            found = f"({_step_name(step)} in {found})"
        elif step.kind != "key of a":
            found = f"{step.kind} of {found}" if step.of is None else f"{step.kind} {_step_name(step)} of {found}"
    return found
