"""Batches of outputs as bytes, without pickle: a file or a worker can hand over data, never code.

What an auditor sees of outputs survives bit for bit: their labels and numbers. A scalar comes back as a float, which
is what the auditor makes of it.
"""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from itertools import chain, compress
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dppca.audit.auditor.exact_numbers import EXACT_INTEGER_MAX
from dppca.audit.auditor.values import as_tree, from_tree

_FORMS = {"tuple": tuple, "list": list}
_PLAIN_NUMBERS = (bool, int, float, np.bool_, np.integer, np.float64, np.float32, np.float16)


def pack(outputs: Sequence[Any]) -> bytes:
    """Return outputs as bytes; equal outputs give equal bytes."""
    arrays: list[NDArray[Any]] = []
    if (layout := _plain(outputs, arrays)) is None:
        layout, arrays = ["trees", [as_tree(output) for output in outputs]], []
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


def _plain(outputs: Sequence[Any], arrays: list[NDArray[Any]]) -> Any:  # noqa: PLR0911 - one case a kind
    """Return a JSON description of outputs of one simple shape, the numbers in which are appended to `arrays`; None for others.

    These are numbers that are exact as float64, words, arrays, or None; tuples or lists of these of one length, and dicts with
    the same words as keys in one order, each part of all outputs as a batch of its own.
    """
    if isinstance(outputs, np.ndarray):
        arrays.append(outputs)
        return ["array"] if outputs.dtype.kind in "fiub" else None
    kinds = set(map(type, outputs))
    if type(None) in kinds:
        there = [output is not None for output in outputs]
        arrays.append(np.array(there))
        inner = _plain(list(compress(outputs, there)), arrays)
        return None if inner is None else ["refusals", inner]
    if not kinds or kinds == {str}:
        return ["strings", list(outputs)]
    if kinds in ({dict}, {list}) or all(issubclass(kind, tuple) for kind in kinds):
        first = outputs[0]
        form = "tuple" if isinstance(first, tuple) else type(first).__name__
        alike = len(set(map(len, outputs))) == 1
        if form == "dict":  # no dict has a key twice: if all together have the first one's so many times, each has all of them
            alike = set(map(type, first)) <= {str} and list(chain.from_iterable(outputs)) == list(first) * len(outputs)
        keys = list(first) if form == "dict" else list(range(len(first)))
        parts = [_plain(list(map(itemgetter(key), outputs)), arrays) for key in keys] if alike else [None]
        return None if None in parts else ["columns", form, len(outputs), keys, parts]
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
        columns = [_read(part, file) for part in laid_out]
        rows = zip(*columns, strict=True) if columns else [()] * size
        return [dict(zip(keys, row, strict=True)) for row in rows] if form == "dict" else list(map(_FORMS[form], rows))
    array = np.lib.format.read_array(file, allow_pickle=False)
    if kind == "refusals":
        present = iter(_read(parts[0], file))
        return [next(present) if there else None for there in array]
    if kind == "arrays":
        return [array[i, ...] for i in range(len(array))]
    return array.tolist() if kind == "numbers" else array
