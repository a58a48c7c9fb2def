"""Batches of outputs as bytes, without pickle: a file or a worker can hand over data, never code.

What an auditor sees of outputs survives bit for bit: their labels and numbers. A scalar comes back as a float, which
is what the auditor makes of it.
"""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dppca.audit.engine.values import are_plain, as_tree, from_tree


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


def _lay_out(outputs: Sequence[Any], arrays: list[NDArray[Any]]) -> Any:  # noqa: PLR0911 - one case a kind
    """Return a JSON description of outputs, the numbers in which are appended to `arrays`."""
    if not are_plain(outputs):
        return ["trees", [as_tree(output) for output in outputs]]
    if isinstance(outputs, np.ndarray):
        arrays.append(outputs)
        return ["array"]
    present = [output for output in outputs if output is not None]
    if len(present) < len(outputs):
        arrays.append(np.array([output is not None for output in outputs]))
        return ["refusals", _lay_out(present, arrays)]
    if all(isinstance(output, str) for output in present):
        return ["strings", present]
    if isinstance(present[0], (tuple, list)):
        columns = zip(*present, strict=True)
        kind = "lists" if isinstance(present[0], list) else "tuples"
        return [kind, len(present), *(_lay_out(column, arrays) for column in columns)]
    if isinstance(present[0], dict):
        columns = zip(*(output.values() for output in present), strict=True)
        return ["dicts", len(present), list(present[0]), *(_lay_out(column, arrays) for column in columns)]
    if isinstance(present[0], np.ndarray):
        arrays.append(np.stack(present))
        return ["arrays"]
    arrays.append(np.array(present, dtype=np.float64))
    return ["numbers"]


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
        return [dict(zip(parts[1], row, strict=True)) for row in _rows(parts[0], parts[2:], file)]
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
