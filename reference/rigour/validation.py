"""Input checks. Every error is a ValueError that names the argument, the requirement and the value."""

from __future__ import annotations

import math
import operator
import warnings
from contextlib import suppress
from dataclasses import fields
from fractions import Fraction
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

#: A row's norm may exceed 1 by rounding only.
NORM_SLACK = 1e-12
#: Bound on the entries of real rows: squares, and sums of them, stay within float64.
LARGEST_ENTRY = 1e140
#: Ranges of public numbers, those that are probabilities and others; zero is left to the check of the argument.
LEAST_PROBABILITY, LEAST_NUMBER, MOST_NUMBER = 1e-300, 1e-60, 1e60
PROBABILITIES = ("delta", "zeta")
#: Largest public integers: numbers of records, and others.
MOST_RECORDS, MOST_COUNT = 10**9, 10**6
RECORDS = ("n", "B")
#: Letters of a value, and of an error of others, that a message quotes.
_SHOWN, _QUOTED = 200, 1000


def check_argument(name: str, kind: str, value: Any) -> Any:
    """Return a public argument converted to its annotation, "float", "int" or "str"; others are returned as they are.

    ValueError for anything else, and beyond the range in which the arithmetic of every algorithm holds. Zero, infinities and
    NaN are left to the algorithm, which names the range of its argument.
    """
    if kind == "str" and not isinstance(value, str):
        raise ValueError(f"{name} must be a string, got {shown(value)}")
    if kind == "int":
        integer, most = _integer(value), MOST_RECORDS if name in RECORDS else MOST_COUNT
        if integer is None or integer > most:
            raise ValueError(f"{name} must be an integer, at most {most}, got {shown(value)}")
        return integer
    if kind == "float":
        number = check_real(name, "a real number", value)
        least = LEAST_PROBABILITY if name in PROBABILITIES else LEAST_NUMBER
        if math.isfinite(number) and number != 0.0 and not least <= abs(number) <= MOST_NUMBER:
            raise ValueError(f"{name} must be between {least:g} and {MOST_NUMBER:g} in absolute value, got {shown(value)}")
        return number
    return value


def shown(value: Any) -> str:
    """Return a value as an error shows it: without its middle where it is long, and whatever its own `repr` does."""
    try:
        text = repr(value)
    except Exception as error:  # noqa: BLE001 - of integers of many digits, or of objects of others
        return printable(f"{type(value).__name__} ({type(error).__name__} in its repr)", _SHOWN)
    return printable(text, _SHOWN)


def printable(text: str, most: int = _QUOTED) -> str:
    """Return a text of others as one line of printable characters, others escaped, without its middle where it is long."""
    if len(text) > most:
        text = f"{text[: most // 2]} ... {text[-most // 2 :]}"
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in " ".join(text.split()))


def error_text(error: BaseException) -> str:
    """Return the type and the message of an exception that the code of others raised, as one printable line."""
    try:
        message = str(error)
    except Exception as other:  # noqa: BLE001 - whatever the objects of others raise
        message = f"({type(other).__name__} in its str)"
    return f"{printable(type(error).__name__)}: {printable(message)}".removesuffix(": ")


def distinct_fields(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of a JSON text; ValueError where two of its fields have one name."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError(f"text must name each field once, got {shown([name for name, _ in pairs])}")
    return found


def plain_numbers(of: Any, *, fractions: bool = False) -> None:
    """Let a frozen dataclass hold the numbers among its fields as ints and floats, with which its arithmetic is what it says.

    numpy's would bring their own types and ranges. What is no number, or none of float64, is left to the checks.

    Args:
        of: the dataclass.
        fractions: whether its arithmetic is exact, so that Fractions remain.
    """
    for name in (field.name for field in fields(of)):
        value = getattr(of, name)
        is_number = isinstance(value, Real) and not isinstance(value, (bool, np.bool_, np.timedelta64))
        if is_number and not (fractions and isinstance(value, Fraction)):
            with suppress(OverflowError):
                object.__setattr__(of, name, int(value) if isinstance(value, Integral) else float(value))


def check_real(name: str, requirement: str, value: Any) -> float:
    """Return a real number as a float; a truth value, text, None, an array, a complex number or a time is refused."""
    if isinstance(value, (bool, np.bool_, np.timedelta64)) or not isinstance(value, Real):
        raise ValueError(f"{name} must be {requirement}, got {shown(value)}")  # noqa: TRY004 - every refusal is a ValueError
    try:
        return float(value)
    except OverflowError:
        raise ValueError(f"{name} must be {requirement}, got a number beyond the range of float64") from None


def check_epsilon(epsilon: Any) -> float:
    """Return a finite epsilon > 0; ValueError otherwise."""
    return check_positive("epsilon", epsilon)


def check_delta(delta: Any, *, allow_zero: bool = False) -> float:
    """Return a delta in (0, 1), or in [0, 1) if zero is allowed; ValueError otherwise."""
    if not allow_zero:
        return check_probability("delta", delta)
    number = check_real("delta", "in [0, 1)", delta)
    if not 0.0 <= number < 1.0:
        raise ValueError(f"delta must be in [0, 1), got {shown(delta)}")
    return abs(number)  # 0 for -0


def check_delta_to_half(delta: Any) -> float:
    """Return a delta in (0, 1/2]; ValueError otherwise."""
    number = check_real("delta", "in (0, 1/2]", delta)
    if not 0.0 < number <= 0.5:
        raise ValueError(f"delta must be in (0, 1/2], got {shown(delta)}")
    return number


def check_probability(name: str, value: Any) -> float:
    """Return a number in (0, 1); ValueError otherwise."""
    number = check_real(name, "in (0, 1)", value)
    if not 0.0 < number < 1.0:
        raise ValueError(f"{name} must be in (0, 1), got {shown(value)}")
    return number


def check_finite(name: str, value: Any) -> float:
    """Return a finite number; ValueError otherwise."""
    number = check_real(name, "finite", value)
    if not math.isfinite(number):
        raise ValueError(f"{name} must be finite, got {shown(value)}")
    return number


def check_positive(name: str, value: Any) -> float:
    """Return a finite number > 0; ValueError otherwise."""
    number = check_real(name, "finite and > 0", value)
    if not 0.0 < number < math.inf:
        raise ValueError(f"{name} must be finite and > 0, got {shown(value)}")
    return number


def check_nonnegative(name: str, value: Any) -> float:
    """Return a finite number >= 0; ValueError otherwise."""
    number = check_real(name, "finite and >= 0", value)
    if not 0.0 <= number < math.inf:
        raise ValueError(f"{name} must be finite and >= 0, got {shown(value)}")
    return number


def check_count(name: str, value: Any, *, least: int = 1) -> int:
    """Return an integer >= least; ValueError otherwise, for a truth value too."""
    count = _integer(value)
    if count is None:
        raise ValueError(f"{name} must be an integer >= {least}, got {shown(value)}")
    if count < least:
        raise ValueError(f"{name} must be >= {least}, got {shown(value)}")
    return count


def check_subspace_dimension(k: Any, p: Any, name: str = "k") -> int:
    """Return an integer k in 1..p; ValueError otherwise. p is a dimension, an integer >= 1; `name` is the argument's, for k."""
    value, most = _integer(k), check_count("dimension", p)
    if value is None:
        raise ValueError(f"{name} must be an integer in 1..{most}, got {shown(k)}")
    if not 1 <= value <= most:
        raise ValueError(f"{name} must be in 1..{most}, got {shown(k)}")
    return value


def check_vector(name: str, x: ArrayLike) -> NDArray[np.float64]:
    """Return a finite vector of at least one entry as float64, shape (p,); ValueError otherwise."""
    array = as_floats(name, x)
    if array.ndim != 1 or array.size == 0:
        raise ValueError(f"{name} must be a vector of at least one entry, got shape {array.shape}")
    return finite(name, array)


def check_rows(name: str, X: ArrayLike) -> NDArray[np.float64]:
    """Return a matrix of at least one row and one column as float64, shape (n, p); ValueError otherwise.

    Its entries are finite, and at most LARGEST_ENTRY in absolute value.
    """
    array = as_floats(name, X)
    if array.ndim != 2 or 0 in array.shape:
        raise ValueError(f"{name} must be a matrix with at least one row and one column, got shape {array.shape}")
    return bounded(name, array, LARGEST_ENTRY)


def check_unit_rows(name: str, X: ArrayLike) -> NDArray[np.float64]:
    """Return a finite (n, d) matrix whose rows lie in the unit ball, as float64; ValueError that names the row otherwise."""
    rows = check_rows(name, X)
    for i in np.flatnonzero(~(np.linalg.norm(rows, axis=1) <= 1.0 + NORM_SLACK)):
        check_unit_ball(f"{name}[{i}]", rows[i])
    return rows


def check_unit_ball(name: str, x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a vector of Euclidean norm <= 1; ValueError otherwise."""
    norm = float(np.linalg.norm(x))
    if norm > 1.0 + NORM_SLACK:
        raise ValueError(f"{name} must lie in the unit ball, got norm {norm!r}; clip it with clip_to_unit_ball")
    return x


def check_step_sizes(step_sizes: ArrayLike, count: int | None = None) -> NDArray[np.float64]:
    """Return step sizes > 0, shape (T,), T = count if that is given; ValueError otherwise."""
    eta = check_vector("step_sizes", step_sizes)
    if np.min(eta) <= 0.0 or (count is not None and len(eta) != count):
        many = "" if count is None else f"{count} "
        raise ValueError(f"step_sizes must be {many}numbers > 0, got {shown(step_sizes)}")
    return bounded("step_sizes", eta, MOST_NUMBER)


def as_floats(name: str, values: Any) -> NDArray[np.float64]:
    """Return an array of real numbers as float64; masked and complex arrays, text and objects are refused."""
    if np.ma.isMaskedArray(values):
        raise ValueError(f"{name} must have no mask, got a masked array")
    try:
        array = values if type(values) is np.ndarray else _as_array(values)
    except Exception as error:  # noqa: BLE001 - whatever the objects of others raise when they are made an array
        problem = "rows of unequal lengths" if "inhomogeneous" in str(error) else f"{type(values).__name__} ({error})"
        raise ValueError(f"{name} must be an array of real numbers, got {problem}") from None
    if array.dtype.kind not in "biuf":
        raise ValueError(f"{name} must be an array of real numbers, got entries of type {array.dtype}")
    with np.errstate(over="ignore"):  # of a wider type: infinite, and not finite
        return array.astype(np.float64)


def _as_array(values: Any) -> NDArray[Any]:
    """Return an array of what is none yet; what makes it warn is an error, as a masked entry in a list."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return np.asarray(values)


def finite(name: str, array: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the array if every entry is finite; ValueError that names the first that is not."""
    return bounded(name, array, float(np.finfo(np.float64).max))


def bounded(name: str, array: NDArray[np.float64], most: float) -> NDArray[np.float64]:
    """Return the array if every entry is finite and at most so large; ValueError that names the first that is not."""
    outside = ~(np.abs(array) <= most)
    if outside.any():
        index = tuple(int(i) for i in np.argwhere(outside)[0])
        requirement = f"at most {most:g} in absolute value" if np.isfinite(array[index]) else "finite"
        raise ValueError(f"{name} must be {requirement}, got {array[index]!r} at index {index}")
    return array


def _integer(value: Any) -> int | None:
    """Return an integer as int, None for anything else."""
    if isinstance(value, (bool, np.bool_)):
        return None
    try:
        return operator.index(value)
    except Exception:  # noqa: BLE001 - of another's object, which may raise anything
        return None
