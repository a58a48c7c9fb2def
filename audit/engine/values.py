"""The values that an output may be made of, as copies that nothing else holds, and as text from which they come back exact.

Beside numbers, words, None, arrays, tuples, lists, dicts and sets an output may be (or hold) an object that declares what an
adversary sees of it: a dataclass (its fields), a member of an Enum (its name), or an object with a method `audit_key`, which
returns another output.
"""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

#: Values are nested at most so deep.
MAX_DEPTH = 20
#: Larger integers are not exact as float64.
EXACT_INTEGER_MAX = 2**53


@dataclasses.dataclass(frozen=True)
class Tagged:
    """An object that declares its key: the name of its class, and the key."""

    name: str
    value: Any


@dataclasses.dataclass(frozen=True)
class Raised:
    """An exception that counts as an output: the name of its type."""

    name: str

    def __repr__(self) -> str:
        return f"raised {self.name}"


def owned(value: Any, depth: int = 0) -> Any:  # noqa: C901, PLR0911 - one case a kind
    """Return a value that shares nothing which could be changed later; objects give way to what they declare.

    What lies deeper than MAX_DEPTH stays as it is: encoding refuses it.
    """
    kind = type(value)
    if value is None or kind in (float, int, str, bool, bytes):
        return value
    if isinstance(value, np.ndarray) and (value.dtype.kind != "O" or isinstance(value, np.ma.MaskedArray)):
        return value.copy()
    if depth > MAX_DEPTH:
        return value
    if isinstance(value, np.ndarray):
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
    if (key := declared(value)) is not None:
        return Tagged(key.name, owned(key.value, depth + 1))
    return value


def declared(value: Any) -> Tagged | None:
    """Return the key that an object declares, None where it declares none."""
    if isinstance(value, Tagged):
        return value
    name = type(value).__qualname__
    if callable(key := getattr(value, "audit_key", None)) and not isinstance(value, type):
        return Tagged(name, key())
    if isinstance(value, enum.Enum):
        return Tagged(name, value.name)
    if dataclasses.is_dataclass(value) and not isinstance(value, (type, Raised)):
        return Tagged(name, {field.name: getattr(value, field.name) for field in dataclasses.fields(value)})
    return None


def in_words(value: Any) -> str:
    """Return a value's repr; where an integer in it has more digits than Python writes, that of its tree."""
    try:
        return repr(value)
    except ValueError:
        return repr(as_tree(value))


def as_tree(value: Any) -> Any:
    """Return a value as what JSON can say, from which `from_tree` makes an equal one of the same kind."""
    return _tree(owned(value))


def _tree(value: Any) -> Any:  # noqa: C901, PLR0911, PLR0912 - one case a kind
    if type(value) is float:
        return {"float": value.hex()}
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, (bool, np.bool_)):
        return {"bool": bool(value)}
    if isinstance(value, (int, np.integer)):
        return {"int": hex(int(value))}
    if isinstance(value, (float, np.float64, np.float32, np.float16)):
        return {"float": float(value).hex()}
    if isinstance(value, np.longdouble):
        return {"longdouble": np.format_float_scientific(value, unique=True)}
    if isinstance(value, np.clongdouble):
        return _tree(np.asarray(value))  # its parts are no float64
    if isinstance(value, (complex, np.complexfloating)):
        return {"complex": [float(value.real).hex(), float(value.imag).hex()]}
    if isinstance(value, Fraction):
        return {"fraction": [hex(value.numerator), hex(value.denominator)]}
    if isinstance(value, Decimal):
        return {"decimal": str(value)}
    if isinstance(value, bytes):
        return {"bytes": value.hex()}
    if isinstance(value, np.ndarray) and value.dtype.kind == "O":
        return {"objects": [list(value.shape), [_tree(part) for part in value.ravel()]]}
    if isinstance(value, np.ndarray):
        return {"array": [value.dtype.str, list(value.shape), np.ascontiguousarray(value).tobytes().hex()]}
    if isinstance(value, (tuple, list)):
        return {"tuple" if isinstance(value, tuple) else "list": [_tree(part) for part in value]}
    if isinstance(value, dict):
        return {"dict": [[_tree(key), _tree(part)] for key, part in value.items()]}
    if isinstance(value, frozenset):
        return {"set": sorted((_tree(part) for part in value), key=repr)}
    if isinstance(value, Raised):
        return {"raised": value.name}
    if isinstance(value, Tagged):
        return {"tagged": [value.name, _tree(value.value)]}
    raise TypeError(f"a {type(value).__name__} is no value of an output")


def from_tree(tree: Any) -> Any:  # noqa: C901, PLR0911, PLR0912 - one case a kind
    """Return the value that `as_tree` described."""
    if tree is None or isinstance(tree, str):
        return tree
    ((kind, told),) = tree.items()
    match kind:
        case "fraction":
            return Fraction(*(int(part, 16) for part in told))
        case "bool" | "longdouble" | "decimal" | "raised":
            make = {"bool": bool, "longdouble": np.longdouble, "decimal": Decimal, "raised": Raised}
            return make[kind](told)
        case "int":
            return int(told, 16)
        case "float":
            return float.fromhex(told)
        case "complex":
            return complex(*map(float.fromhex, told))
        case "bytes":
            return bytes.fromhex(told)
        case "array":
            dtype, shape, data = told
            return np.frombuffer(bytes.fromhex(data), dtype=np.dtype(dtype)).reshape(shape).copy()
        case "objects":
            array = np.empty(len(told[1]), dtype=object)
            array[:] = [from_tree(part) for part in told[1]]
            return array.reshape(told[0])
        case "tuple":
            return tuple(map(from_tree, told))
        case "list":
            return list(map(from_tree, told))
        case "dict":
            return {from_tree(key): from_tree(part) for key, part in told}
        case "set":
            return frozenset(map(from_tree, told))
        case _:
            return Tagged(told[0], from_tree(told[1]))
