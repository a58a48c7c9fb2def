"""Batches of outputs as bytes, without pickle: a file or a worker can hand over data, never code.

What an auditor sees of outputs survives bit for bit: their labels and numbers. A scalar comes back as a float, which
is what the auditor makes of it.
"""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from itertools import compress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dppca.audit.engine.columns import Columns, in_columns
from dppca.audit.engine.values import EXACT_INTEGER_MAX, as_tree, from_tree

_FORMS = {"tuple": tuple, "list": list, "dict": dict}
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
    """Return the packed outputs: an array where an array was packed, Columns of rows that are alike, otherwise a list."""
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
    outputs = in_columns(outputs if isinstance(outputs, (list, Columns)) else list(outputs))
    if isinstance(outputs, Columns):
        parts = [_plain(part, arrays) for part in outputs.parts.values()]
        return None if None in parts else ["columns", outputs.form.__name__, len(outputs), list(outputs.parts), parts]
    kinds = set(map(type, outputs))
    if type(None) in kinds:
        there = [output is not None for output in outputs]
        arrays.append(np.array(there))
        inner = _plain(list(compress(outputs, there)), arrays)
        return None if inner is None else ["refusals", inner]
    if not kinds or kinds == {str}:
        return ["strings", outputs]
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


def _read(layout: Any, file: io.BytesIO) -> Any:
    kind, *parts = layout
    if kind == "strings":
        return parts[0]
    if kind == "trees":
        return [from_tree(tree) for tree in parts[0]]
    if kind == "columns":
        form, size, keys, laid_out = parts
        return Columns(_FORMS[form], {key: _read(part, file) for key, part in zip(keys, laid_out, strict=True)}, size)
    array = np.lib.format.read_array(file, allow_pickle=False)
    if kind == "refusals":
        present = iter(_read(parts[0], file))
        return [next(present) if there else None for there in array]
    if kind == "arrays":
        return [array[i, ...] for i in range(len(array))]
    return array.tolist() if kind == "numbers" else array
