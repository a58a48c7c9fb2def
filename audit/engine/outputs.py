"""Outputs of a mechanism as arrays: what may come out, and what it is turned into.

An output is a number, a category (str or None), an array of numbers of fixed shape, or a tuple of these.
None is always allowed beside any of them: an algorithm's refusal is something that an adversary sees.
Internally a batch of outputs is a vector of labels (what is categorical about each) and a matrix of numbers,
one row per trial; the numbers of a refusal are NaN.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Features: TypeAlias = Callable[[Any], Any]

_NUMBER = (bool, int, float, np.integer, np.floating, np.bool_)
#: Larger integers are not exact as float64.
_EXACT_INTEGER_MAX = 2**53
#: Label of a refusal; no string, so that the category "None" is another.
_REFUSAL = None
#: Label of an output, or a part of one, that is of no kind seen when the kind was fixed.
_UNFORESEEN = ("unforeseen",)


class OutputTypeError(TypeError):
    """An output is none of the allowed kinds, or of another kind than earlier ones."""

    def __init__(self, message: str, position: int) -> None:
        super().__init__(message)
        self.position = position


@dataclass(frozen=True)
class Kind:
    """What sort of output a mechanism returns: a description, how many numbers it has, a tuple's parts.

    The part of a tuple that was None in every trial so far has the kind None.
    """

    text: str
    width: int
    parts: tuple[Kind | None, ...] = ()


@dataclass(frozen=True)
class Outputs:
    """A batch of outputs.

    Attributes:
        raw: the outputs as they came, a list or an array whose first axis is trials.
        kind: their kind; None if every one is a refusal.
        labels: one hashable label per trial.
        numbers: shape (trials, kind.width), float64; NaN where the trial has none.
    """

    raw: Any
    kind: Kind | None
    labels: NDArray[Any]
    numbers: NDArray[np.float64]

    @classmethod
    def of(cls, raw: Any, expected: Kind | None = None, *, fixed: bool = False) -> Outputs:
        """Encode a batch; OutputTypeError, with the position in the batch, where it is not of the expected kind.

        With `fixed`, an output's labels and numbers are a function of that output and the expected kind alone,
        whatever else is in the batch. Tests rest on that.
        """
        kind, labels, numbers = _encode(raw, expected, fixed)
        return cls(raw, kind, labels, numbers)

    def __len__(self) -> int:
        return len(self.raw)

    def __getitem__(self, index: slice) -> Outputs:
        return Outputs(self.raw[index], self.kind, self.labels[index], self.numbers[index])


def concatenate(batches: Sequence[Any]) -> Any:
    """Raw batches of one mechanism, one after another: an array if all of them are, otherwise a list."""
    if all(isinstance(batch, np.ndarray) for batch in batches):
        return np.concatenate(batches)
    return [output for batch in batches for output in batch]


def encode_pair(data: Any, neighbour: Any) -> tuple[Outputs, Outputs]:
    """Both datasets' outputs in the kind that all of them have together."""
    kind = Outputs.of(neighbour, Outputs.of(data).kind).kind
    return Outputs.of(data, kind, fixed=True), Outputs.of(neighbour, kind, fixed=True)


def _encode(raw: Any, expected: Kind | None, fixed: bool) -> tuple[Kind | None, NDArray[Any], NDArray[np.float64]]:
    size = len(raw)
    if fixed and expected is None:
        labels = _labels(size, _REFUSAL)
        for i, output in enumerate(raw):
            if output is not None:
                labels[i] = _UNFORESEEN
        return None, labels, np.empty((size, 0))
    if isinstance(raw, np.ndarray) and raw.dtype.kind in "fiub":
        numbers = raw.reshape(size, -1).astype(np.float64)
        kind = Kind("a number" if raw.ndim == 1 else f"an array of shape {raw.shape[1:]}", numbers.shape[1])
        _check_kind(kind, expected, 0)
        return kind, _labels(size, ""), _finite(numbers, range(size))
    outputs = list(raw)
    present = [i for i, output in enumerate(outputs) if output is not None]
    if not present:
        return expected, _labels(size, _REFUSAL), np.full((size, expected.width if expected else 0), np.nan)
    some = outputs if len(present) == size else [outputs[i] for i in present]
    some_kind, some_labels, some_numbers = _encode_present(some, present, expected, fixed)
    if len(present) == size:
        return some_kind, some_labels, some_numbers
    labels = _labels(size, _REFUSAL)
    labels[present] = some_labels
    numbers = np.full((size, some_numbers.shape[1]), np.nan)
    numbers[present] = some_numbers
    return some_kind, labels, numbers


def _encode_present(
    outputs: list[Any], positions: Sequence[int], expected: Kind | None, fixed: bool
) -> tuple[Kind, NDArray[Any], NDArray[np.float64]]:
    """Encode outputs none of which is None; `positions` are their places in the batch, for errors."""
    size = len(outputs)
    first = outputs[0]
    family = next((f for f in (_NUMBER, str, np.ndarray, tuple) if isinstance(first, f)), None)
    if family is None:
        raise OutputTypeError(
            f"returned a {type(first).__name__}; an output is a number, str, None, an array of numbers or a tuple of these",
            positions[0],
        )
    if not all(issubclass(t, family) for t in set(map(type, outputs))):
        i = next(i for i, output in enumerate(outputs) if not isinstance(output, family))
        raise OutputTypeError(f"returned a {type(outputs[i]).__name__}, earlier trials a {type(first).__name__}", positions[i])
    if family is str:
        kind = Kind("a string", 0)
        _check_kind(kind, expected, positions[0])
        labels = _labels(size, "")
        labels[:] = outputs
        return kind, labels, np.empty((size, 0))
    if family is tuple:
        return _encode_tuples(outputs, positions, expected, fixed)
    for i, output in enumerate(outputs):
        problem = _array_problem(output, first) if family is np.ndarray else _number_problem(output)
        if problem:
            raise OutputTypeError(problem, positions[i])
    text = f"an array of shape {first.shape}" if family is np.ndarray else "a number"
    numbers = np.array(outputs, dtype=np.float64).reshape(size, -1)
    kind = Kind(text, numbers.shape[1])
    _check_kind(kind, expected, positions[0])
    return kind, _labels(size, ""), _finite(numbers, positions)


def _array_problem(output: NDArray[Any], first: NDArray[Any]) -> str | None:
    if output.dtype.kind not in "fiub":
        return f"returned an array of dtype {output.dtype}, numbers are needed"
    if output.shape != first.shape:
        return f"returned shape {output.shape}, earlier trials shape {first.shape}"
    return None


def _number_problem(output: Any) -> str | None:
    if isinstance(output, int) and abs(output) > _EXACT_INTEGER_MAX:
        return "returned an integer beyond 2^53, which is no float64; return it as a str"
    return None


def _encode_tuples(
    outputs: list[tuple[Any, ...]], positions: Sequence[int], expected: Kind | None, fixed: bool
) -> tuple[Kind, NDArray[Any], NDArray[np.float64]]:
    length = len(outputs[0])
    for i, output in enumerate(outputs):
        if len(output) != length:
            raise OutputTypeError(f"returned a tuple of length {len(output)}, earlier trials length {length}", positions[i])
    text = f"a tuple of length {length}"
    _check_kind(Kind(text, 0), expected, positions[0])
    parts = []
    for j in range(length):
        try:
            parts.append(_encode([output[j] for output in outputs], expected.parts[j] if expected else None, fixed))
        except OutputTypeError as error:
            raise OutputTypeError(f"in part {j} of the tuple: {error}", positions[error.position]) from error
    labels = _labels(len(outputs), "")
    labels[:] = list(zip(*(part[1] for part in parts), strict=True)) if parts else [""] * len(outputs)
    numbers = np.concatenate([np.empty((len(outputs), 0)), *(part[2] for part in parts)], axis=1)
    return Kind(text, numbers.shape[1], tuple(part[0] for part in parts)), labels, numbers


def _check_kind(kind: Kind, expected: Kind | None, position: int) -> None:
    if expected is not None and kind.text != expected.text:
        raise OutputTypeError(f"returned {kind.text}, earlier trials returned {expected.text}", position)


def _labels(size: int, value: str | None) -> NDArray[Any]:
    return np.full(size, value, dtype=object)


def _finite(numbers: NDArray[np.float64], positions: Sequence[int]) -> NDArray[np.float64]:
    if not np.isfinite(numbers).all():
        row = int(np.flatnonzero(~np.isfinite(numbers).all(axis=1))[0])
        bad = numbers[row][~np.isfinite(numbers[row])][0]
        raise OutputTypeError(f"returned {bad!r}, outputs must be finite", positions[row])
    return numbers
