"""Batches of outputs as bytes, without pickle: a file or a worker can hand over data, never code.

What an auditor sees of outputs survives bit for bit: their labels and numbers. A scalar comes back as a float, which
is what the auditor makes of it.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Sequence
from itertools import compress
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dppca.audit.engine.values import EXACT_INTEGER_MAX, as_tree, from_tree

_PLAIN_NUMBERS = (bool, int, float, np.bool_, np.integer, np.float64, np.float32, np.float16)


def pack(outputs: Sequence[Any]) -> bytes:
    """Return outputs of one kind (see outputs.py) as bytes; equal outputs give equal bytes."""
    arrays: list[NDArray[Any]] = []
    layout = _lay_out(outputs, arrays)
    file = io.BytesIO()
    file.write(json.dumps(layout).encode() + b"\n")
    for array in arrays:
        np.lib.format.write_array(file, array, allow_pickle=False)
    return file.getvalue()


def unpack(packed: bytes) -> Any:
    """Return the packed outputs: an array where an array was packed, otherwise a list."""
    file = io.BytesIO(packed)
    layout = json.loads(file.readline())
    return _read(layout, file)


def _lay_out(outputs: Sequence[Any], arrays: list[NDArray[Any]]) -> Any:
    """Return a JSON description of outputs, the numbers in which are appended to `arrays`."""
    plain: list[NDArray[Any]] = []
    if (layout := _plain(outputs, plain)) is None:
        return ["trees", [as_tree(output) for output in outputs]]
    arrays += plain
    return layout


def _plain(outputs: Sequence[Any], arrays: list[NDArray[Any]]) -> Any:  # noqa: PLR0911 - one case a kind
    """Return `_lay_out` column by column for outputs of one simple shape, None for any others.

    These are numbers that are exact as float64, words, arrays, or None; tuples of these, lists of one length, dicts with
    the same words as keys.
    """
    if isinstance(outputs, np.ndarray):
        arrays.append(outputs)
        return ["array"] if outputs.dtype.kind in "fiub" else None
    outputs = outputs if isinstance(outputs, list) else list(outputs)
    kinds = set(map(type, outputs))
    if type(None) in kinds:
        there = [output is not None for output in outputs]
        arrays.append(np.array(there))
        inner = _plain(list(compress(outputs, there)), arrays)
        return None if inner is None else ["refusals", inner]
    if not kinds or kinds == {str}:
        return ["strings", outputs]
    if kinds == {list} or all(issubclass(kind, tuple) for kind in kinds):
        lengths = set(map(len, outputs))
        columns = (map(itemgetter(j), outputs) for j in range(max(lengths))) if len(lengths) == 1 else None
        return _columns(["lists" if kinds == {list} else "tuples", len(outputs)], columns, arrays)
    if kinds == {dict}:
        keys = list(outputs[0])
        same = len(set(map(tuple, outputs))) == 1 and set(map(type, keys)) <= {str}
        columns = (map(itemgetter(key), outputs) for key in keys) if same else None
        return _columns(["dicts", len(outputs), keys], columns, arrays)
    if kinds == {np.ndarray}:
        if len({(array.shape, array.dtype) for array in outputs}) > 1 or outputs[0].dtype.kind not in "fiub":
            return None
        arrays.append(np.stack(outputs))
        return ["arrays"]
    if not all(issubclass(kind, _PLAIN_NUMBERS) for kind in kinds):
        return None
    if kinds != {float} and any(abs(int(x)) > EXACT_INTEGER_MAX for x in outputs if isinstance(x, (int, np.integer))):
        return None
    arrays.append(np.array(outputs, dtype=np.float64))
    return ["numbers"]


def _columns(layout: list[Any], columns: Iterable[Iterable[Any]] | None, arrays: list[NDArray[Any]]) -> Any:
    """Return a layout with those of its columns; None where there are none, or one is not plain."""
    for column in () if columns is None else columns:
        if (inner := _plain(list(column), arrays)) is None:
            return None
        layout.append(inner)
    return None if columns is None else layout


def _read(layout: Any, file: io.BytesIO) -> Any:  # noqa: PLR0911 - one case a kind
    kind, *parts = layout
    if kind == "strings":
        return parts[0]
    if kind == "trees":
        return [from_tree(tree) for tree in parts[0]]
    if kind in ("tuples", "lists"):
        rows = _rows(parts[0], parts[1:], file)
        return rows if kind == "tuples" else [list(row) for row in rows]
    if kind == "dicts":
        return _dicts(parts[0], parts[1], [_read(column, file) for column in parts[2:]])
    array = np.lib.format.read_array(file, allow_pickle=False)
    if kind == "refusals":
        present = iter(_read(parts[0], file))
        return [next(present) if there else None for there in array]
    if kind == "arrays":
        return [array[i, ...] for i in range(len(array))]
    return array.tolist() if kind == "numbers" else array


def _rows(size: int, columns: Sequence[Any], file: io.BytesIO) -> list[tuple[Any, ...]]:
    read = [_read(column, file) for column in columns]
    return list(zip(*read, strict=True)) if read else [()] * size


def _dicts(size: int, keys: Sequence[str], columns: Sequence[Sequence[Any]]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = [{} for _ in range(size)]
    for key, column in zip(keys, columns, strict=True):
        for output, value in zip(found, column, strict=True):
            output[key] = value
    return found
