"""The arguments of algorithms and calibrations by name: what each one is, and which values of it are refused.

    @checked
    def calibrate(epsilon: float, delta: float, d: int, choices: Choices = CORRECTED) -> GaussianCalibration: ...

The decorated function gets every argument that has a check in `ARGUMENTS` checked and converted, so that its body computes as
the paper does. `declare` checks the arguments of an algorithm in the same way, and documents them from the same table.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple, ParamSpec, TypeVar

from dppca.reference.rigour.validation import (
    check_count,
    check_finite,
    check_positive,
    check_probability,
    check_subspace_dimension,
)

P = ParamSpec("P")
Result = TypeVar("Result")


class Argument(NamedTuple):
    """What an argument is, where the name alone says it, and the function of its name and value that checks it.

    `meaning` may refer to the {columns} of the data, to the {readings}, and to the function that {calibrate}s.
    """

    meaning: str
    check: Callable[[str, Any], Any] | None = None


_AT_LEAST_0 = functools.partial(check_count, least=0)
#: An argument that has no entry, or no check, is checked where it is used.
ARGUMENTS: Mapping[str, Argument] = MappingProxyType(
    {
        "epsilon": Argument("the privacy target, > 0", check_positive),
        "delta": Argument("the privacy target, in (0, 1)", check_probability),
        "n": Argument("number of records, public", check_count),
        "d": Argument("length of a record, public", check_count),
        "p": Argument("length of a record, public", check_count),
        "k": Argument("dimension of the subspace, an integer in 1..{columns}", check_count),
        "k_max": Argument("the largest dimension that is tried, an integer in 1..{columns}", check_count),
        "r": Argument("number of components, an integer in 1..{columns}", check_count),
        "B": Argument("number of records of a batch", check_count),
        "T": Argument("number of steps", check_count),
        "L": Argument("number of steps", check_count),
        "m": Argument("number of epochs", check_count),
        "steps": Argument("number of steps in all", check_count),
        "rounds": Argument("the largest number of rounds", check_count),
        "ell": Argument("how many points may lie outside the subspace, an integer >= 0", _AT_LEAST_0),
        "step_sizes": Argument("eta_1, ..., eta_T, each > 0"),
        "eta": Argument("the step size, > 0", check_positive),
        "zeta": Argument("probability of a failure, in (0, 1); accuracy alone rests on it", check_probability),
        "mu": Argument("a free parameter, in (0, 1)", check_probability),
        "C": Argument("the length at which gradients are clipped, > 0", check_positive),
        "G": Argument("the largest norm of a gradient, > 0", check_positive),
        "lot": Argument("what a sum is divided by, > 0", check_positive),
        "eigenvalue": Argument("the estimate of the largest variance, > 0", check_positive),
        "ceiling": Argument("the bound of the scores, > 0", check_positive),
        "target": Argument("the score that is enough, finite", check_finite),
        "lambda_": Argument("the penalty, >= 0"),
        "rate": Argument("probability with which a record is drawn, in (0, 1]"),
        "certify": Argument("whether the noise is proved enough whatever that takes; None where that takes seconds"),
        "progress": Argument("is called with the number of products of the proof that are done, and of all"),
        "choices": Argument("a reading, one of {readings}"),
        "calibration": Argument("what `{calibrate}` returned"),
        "noise": Argument("the noise interface, through which everything is drawn and released"),
        "prefix": Argument("start of the name of every draw, for callers that run this more than once"),
        **{
            name: Argument("a number > 0, on which accuracy alone rests", check_positive)
            for name in ("K", "a", "gamma", "gamma_hat", "lambda_1")
        },
    }
)
#: Arguments that are a dimension of subspaces of R^d, or R^p.
DIMENSIONS = ("k", "k_max", "r")


def check_arguments(given: Mapping[str, Any], columns: int | None = None) -> dict[str, Any]:
    """Return arguments as their checks convert them; ValueError that names the first that is refused.

    A dimension is at most the number of columns: d or p if they are given, else `columns` if that is known.
    """
    most = next((check_count(name, given[name]) for name in ("d", "p") if name in given), columns)
    converted = dict(given)
    for name, value in given.items():
        check = ARGUMENTS[name].check if name in ARGUMENTS else None
        if name in DIMENSIONS and most is not None:
            converted[name] = check_subspace_dimension(value, most, name)
        elif check is not None:
            converted[name] = check(name, value)
    return converted


def checked(function: Callable[P, Result]) -> Callable[P, Result]:
    """Return the function with its arguments checked; ValueError that names the first that is refused."""
    signature = inspect.signature(function)

    @functools.wraps(function)
    def with_checks(*args: P.args, **kwargs: P.kwargs) -> Result:
        given = signature.bind(*args, **kwargs)
        given.arguments = check_arguments(given.arguments)
        return function(*given.args, **given.kwargs)

    return with_checks
