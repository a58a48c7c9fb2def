"""Whether two outputs of an algorithm are the same: all that a program can read from them, not their numbers alone."""

from __future__ import annotations

import io
import pickle
from typing import Any

import numpy as np


class _Pickler(pickle.Pickler):
    """A pickler that also writes how an array lies in memory."""

    def reducer_override(self, part: Any) -> Any:
        """Return all that is written of an array: how it lies in memory, and the array that it is a view of, included."""
        if not isinstance(part, np.ndarray):
            return NotImplemented
        how = type(part), getattr(part, "__dict__", None), part.dtype.str, part.shape, part.strides, str(part.flags)
        base = part.base if isinstance(part.base, np.ndarray) else None
        return tuple, ((*how, part.tobytes(), base),)


def same_output(one: Any, other: Any) -> bool:
    """Return whether two outputs have the same types, fields and attributes, and their arrays the same bits and layout."""
    return written(one) == written(other)


def written(output: Any) -> bytes:
    """Return all that a program can read from an output, as one text."""
    text = io.BytesIO()
    pickler = _Pickler(text)
    pickler.fast = True  # whether equal parts are one object does not count
    pickler.dump(output)
    return text.getvalue()
