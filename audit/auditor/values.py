"""The values that an output may be made of: what an object says, copies that nothing else holds, and text that gives them back.

An output is made of numbers, words (str, bytes, None), arrays, tuples, lists, dicts and sets. An object with one clear meaning
is taken as a value of these kinds: what it declares (a method `audit_key`, an Enum's name, a dataclass's fields), a date or a
time, a structured row, anything that is an array, a column or a table, and what an object is made of that says which others it
is equal to, such as an address or a path. For any other the error says what to return instead.
"""

from __future__ import annotations

import dataclasses
import datetime
import enum
import inspect
import uuid
from collections import deque
from collections.abc import Callable, Mapping, Sequence, ValuesView
from collections.abc import Set as AbstractSet
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

#: Values are nested at most this deep.
MAX_DEPTH = 20
#: Types of numbers that are no arrays.
NUMBERS = (bool, int, float, np.bool_, np.integer, np.floating, Decimal, Fraction)
_ALLOWED = (
    "an output is a number, str, bytes, None, a date, an array of numbers, a table, a tuple, list, dict or set of these, or an "
    "object that declares its key (a dataclass, an Enum, a method audit_key) or says what it is equal to (__eq__)"
)
_DAY = datetime.timedelta(days=1)
_MICROSECOND = datetime.timedelta(microseconds=1)


@dataclasses.dataclass(frozen=True)
class Tagged:
    """What an object says: the name of its class, and a value."""

    name: str
    value: Any

    def __hash__(self) -> int:
        return hash((self.name, in_words(self.value)))  # a set may hold dates, whose parts are a dict


@dataclasses.dataclass(frozen=True)
class Raised:
    """An exception that counts as an output: the name of its type."""

    name: str

    def __repr__(self) -> str:
        return f"raised {self.name}"


# --- objects ------------------------------------------------------------------------------------------


def plain(value: Any) -> Any:  # noqa: C901, PLR0911, PLR0912 - one case a kind
    """Return what an object says in plain values; TypeError, with what to return instead, where that is unclear."""
    if isinstance(value, Tagged):
        return value
    kind = type(value)
    if callable(key := getattr(value, "audit_key", None)) and not isinstance(value, type):
        return Tagged(kind.__qualname__, key())
    if isinstance(value, enum.Enum):
        return Tagged(kind.__qualname__, value.name)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return Tagged(kind.__qualname__, {field.name: getattr(value, field.name) for field in dataclasses.fields(value)})
    if isinstance(value, uuid.UUID):
        return Tagged(kind.__qualname__, value.bytes)
    if isinstance(value, (datetime.date, datetime.time, datetime.timedelta)):
        return Tagged(kind.__qualname__, _moment(value))
    if isinstance(value, (np.ndarray, np.generic)):
        return _array(value)
    if hasattr(value, "columns") and hasattr(value, "to_numpy"):
        names = list(value.columns)
        columns = [value.iloc[:, j] if hasattr(value, "iloc") else value[name] for j, name in enumerate(names)]
        values = tuple(column.to_list() for column in columns)
        return Tagged(kind.__qualname__, {"columns": names, "index": _index(value), "values": values})
    if hasattr(value, "to_list") and hasattr(value, "to_numpy"):
        return Tagged(kind.__qualname__, {"name": value.name, "index": _index(value), "values": value.to_list()})
    if kind.__qualname__ == "NAType":
        return Tagged("NA", None)
    if hasattr(value, "toarray"):
        return np.asarray(value.toarray())
    if hasattr(value, "__array__"):
        return _as_array(value)
    if isinstance(value, (Sequence, deque, ValuesView)):
        return Tagged(kind.__qualname__, list(value))
    if (parts := _made_of(value)) is not None:
        return Tagged(kind.__qualname__, parts)
    raise TypeError(f"returned {_named(kind)}; {_instead(value)}")


def _made_of(value: Any) -> Any:
    """Return what an object is made of that is equal to others of its kind, as an address or a path; None for any other."""
    if isinstance(value, type) or not any("__eq__" in vars(kind) for kind in type(value).__mro__[:-1]):
        return None
    try:
        reduced = value.__reduce_ex__(2)
    except TypeError:
        return None
    if isinstance(reduced, str):  # a name of something that there is once
        return None
    _, made, *state = reduced
    return [part for part in (*made, *state[:1]) if part is not None and not isinstance(part, type)]


def _named(kind: type) -> str:
    return f"{'an' if kind.__name__[0] in 'aeiouAEIOU' else 'a'} {kind.__name__}"


def _moment(value: Any) -> Any:
    """Return a date, a time or a length of time in whole numbers, by what they are."""
    if value != value:  # noqa: PLR0124 - no time at all is not equal to itself
        return None
    if isinstance(value, datetime.timedelta):
        return {"microseconds": value // _MICROSECOND, "nanoseconds": getattr(value, "nanoseconds", 0)}
    days = value.toordinal() - datetime.date(1970, 1, 1).toordinal() if isinstance(value, datetime.date) else 0
    if not isinstance(value, (datetime.datetime, datetime.time)):
        return {"days": days}
    of_day = datetime.timedelta(0, value.second, value.microsecond, 0, value.minute, value.hour)
    said = {"days": days, "time of day": of_day // _MICROSECOND, "microseconds": (days * _DAY + of_day) // _MICROSECOND}
    said["nanoseconds"] = getattr(value, "nanosecond", 0)
    return said if (offset := value.utcoffset()) is None else {**said, "from UTC": offset // _MICROSECOND}


def _array(value: Any) -> Any:
    """Return what an array or scalar of numpy says that is neither numbers nor words nor objects."""
    if isinstance(value, np.ma.MaskedArray):
        raise TypeError("returned a masked array; fill it, or return its data and its mask")
    if value.dtype.names:
        return {name: value[name] for name in value.dtype.names}
    if value.dtype.kind in "mM":
        numbers = np.asarray(value).astype(np.int64)
        return Tagged(str(value.dtype), numbers if isinstance(value, np.ndarray) else int(numbers))
    if value.dtype.kind == "T":
        return value.astype(object)
    raise TypeError(f"returned an array of dtype {value.dtype}, numbers are needed")


def _as_array(value: Any) -> Any:
    """Return an object that can be an array as one, also where it is on another device or part of a gradient's computation."""
    try:
        return np.asarray(value.detach().cpu() if hasattr(value, "detach") else value)
    except Exception as error:
        raise TypeError(f"returned {_named(type(value))} that is no array of numpy: {error}") from error


def as_batch(outputs: Any) -> Any:
    """Return a batch of outputs that is a tensor, a table or the like as an array of its rows; any other as it is."""
    if isinstance(outputs, (np.ndarray, list)) or not hasattr(outputs, "__array__"):
        return outputs
    return _as_array(outputs)


def _index(value: Any) -> Any:
    return value.index.to_list() if hasattr(value, "index") and hasattr(value.index, "to_list") else None


def _instead(value: Any) -> str:
    """Return what to return instead of an object whose meaning is unclear."""
    if inspect.isawaitable(value):
        return "run it to its end, as in asyncio.run(...), and return what it gives"
    if hasattr(value, "__next__"):
        return "return list(...) of it"
    if hasattr(value, "fit") and hasattr(value, "get_params"):
        fitted = [name for name in vars(value) if name.endswith("_") and not name.startswith("_")]
        name = "coef_" if "coef_" in fitted or not fitted else fitted[0]
        return f"return what is released of the estimator, as in return est.{name}"
    return f"return what it gives when it is called; {_ALLOWED}" if inspect.isroutine(value) else _ALLOWED


# --- copies -------------------------------------------------------------------------------------------


def owned(value: Any, depth: int = 0) -> Any:  # noqa: C901, PLR0911, PLR0912 - one case a kind
    """Return a value that shares nothing which could be changed later; objects give way to what they say, generators to a list.

    What is no output, or lies deeper than MAX_DEPTH, stays as it is: encoding refuses it.
    """
    if value is None or type(value) in (float, int, str, bool, bytes):
        return value
    if isinstance(value, np.ndarray) and (value.dtype.kind in "fiubcUS" or isinstance(value, np.ma.MaskedArray)):
        return value.copy()
    if depth > MAX_DEPTH:
        return value
    if isinstance(value, np.ndarray) and value.dtype.kind == "O":
        parts = np.empty(value.size, dtype=object)
        for place, part in enumerate(value.ravel()):
            parts[place] = owned(part, depth + 1)
        return parts.reshape(value.shape)
    if isinstance(value, tuple):
        return tuple(owned(part, depth + 1) for part in value)
    if isinstance(value, list):
        return [owned(part, depth + 1) for part in value]
    if isinstance(value, bytearray):
        return bytes(value)
    if isinstance(value, Mapping):
        return {owned(key, depth + 1): owned(part, depth + 1) for key, part in value.items()}
    if isinstance(value, AbstractSet):
        return frozenset(owned(part, depth + 1) for part in value)
    if isinstance(value, (*NUMBERS, str, bytes, complex, np.complexfloating, Raised)) and not isinstance(value, np.timedelta64):
        return value
    if inspect.isgenerator(value):
        return [owned(part, depth + 1) for part in value]
    try:
        said = plain(value)
    except TypeError:
        return value
    return Tagged(said.name, owned(said.value, depth + 1)) if isinstance(said, Tagged) else owned(said, depth + 1)


# --- text ---------------------------------------------------------------------------------------------


def in_words(value: Any) -> str:
    """Return a value's repr; where an integer in it has more digits than Python writes, that of its tree."""
    try:
        return repr(value)
    except ValueError:
        return repr(as_tree(value))


def as_tree(value: Any) -> Any:
    """Return a value as what JSON can say, from which `from_tree` makes an equal one of the same kind."""
    return _tree(owned(value))


def _tree(value: Any) -> Any:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, (complex, np.complexfloating, np.longdouble)):
        value = np.asarray(value)[()]  # a scalar, which a set can hold
    elif isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, np.ndarray) and value.dtype.kind == "O":
        return {"objects": [list(value.shape), _trees(value.ravel())]}
    for tag, (kind, write, _) in _KINDS.items():
        if isinstance(value, kind):
            return {tag: write(value)}
    raise TypeError(f"a {type(value).__name__} is no value of an output")


def from_tree(tree: Any) -> Any:
    """Return the value that `as_tree` described."""
    if tree is None or isinstance(tree, str):
        return tree
    ((tag, written),) = tree.items()
    return _KINDS[tag][2](written)


def _trees(values: Any) -> list[Any]:
    return list(map(_tree, values))


def _from_trees(trees: Any) -> list[Any]:
    return list(map(from_tree, trees))


def _read_objects(written: Any) -> Any:
    array = np.empty(len(written[1]), dtype=object)
    array[:] = _from_trees(written[1])
    return array.reshape(written[0])


def _read_array(written: Any) -> Any:
    dtype, shape, data = written
    return np.frombuffer(bytes.fromhex(data), dtype=np.dtype(dtype)).reshape(shape).copy()


def _written_array(value: Any) -> list[Any]:
    return [value.dtype.str, list(value.shape), np.ascontiguousarray(value).tobytes().hex()]


#: For each kind of value its tag, how it is written, and how it is read again; the first that fits counts.
_KINDS: dict[str, tuple[type, Callable[[Any], Any], Callable[[Any], Any]]] = {
    "bool": (bool, bool, bool),
    "int": (int, hex, lambda written: int(written, 16)),
    "float": (float, float.hex, float.fromhex),
    "fraction": (Fraction, lambda x: [hex(x.numerator), hex(x.denominator)], lambda x: Fraction(int(x[0], 16), int(x[1], 16))),
    "decimal": (Decimal, str, Decimal),
    "bytes": (bytes, bytes.hex, bytes.fromhex),
    "scalar": (np.generic, _written_array, lambda written: _read_array(written)[()]),
    "array": (np.ndarray, _written_array, _read_array),
    "objects": (np.ndarray, _trees, _read_objects),
    "tuple": (tuple, _trees, lambda written: tuple(_from_trees(written))),
    "list": (list, _trees, _from_trees),
    "dict": (dict, lambda x: list(map(_trees, x.items())), lambda written: dict(map(_from_trees, written))),
    "set": (frozenset, lambda x: sorted(_trees(x), key=repr), lambda written: frozenset(_from_trees(written))),
    "raised": (Raised, lambda x: x.name, Raised),
    "tagged": (Tagged, lambda x: [x.name, _tree(x.value)], lambda written: Tagged(written[0], from_tree(written[1]))),
}
