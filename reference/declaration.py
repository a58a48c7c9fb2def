"""What an algorithm's file declares about it, once; binding, validation, catalogue, vectors and audits follow from it.

    @declare(key="dwork2014.example", number="Algorithm 1", ..., data=UnitRows("n", "d"), relation=Relation.REPLACE_ONE)
    def example(X, k, calibration, noise): ...

The decorated function checks its data against the declared domain and against the sizes that the calibration was made
for, then runs the transcription. `reference.catalog` collects the declarations.
"""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from enum import Enum
from types import MappingProxyType
from typing import Any, ClassVar, Generic, Literal, TypeVar, cast

import numpy as np

from dppca.reference.noise import Algorithm
from dppca.reference.primitives.validation import (
    LARGEST_ENTRY,
    NORM_SLACK,
    check_argument,
    check_rows,
    check_subspace_dimension,
    check_unit_rows,
)
from dppca.reference.relation import Relation

#: Bound on the numbers of a calibration: with it, and data and arguments in their ranges, nothing overflows.
LARGEST_NUMBER = 1e100
T = TypeVar("T")
Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True)
class Choice(Generic[T]):
    """A reading's value at a point where a paper is silent, ambiguous or wrong, and the ledger's claim about that point."""

    value: T
    claim: str


@dataclass(frozen=True)
class TheoremCondition:
    """One condition of a theorem for given parameters: its statement, where it stands, and whether it holds."""

    statement: str
    place: Literal["printed", "proof"]
    holds: bool


class Returns(Enum):
    """The kinds of results of an algorithm; `rule` says how two of them are compared."""

    BASIS = ("an orthonormal basis, shape (d, k), of which every entry is determined", "entries")
    EIGENVECTORS = ("an orthonormal basis, shape (d, k), whose signs and rotation are the eigenvalue solver's", "projector")
    VECTOR = ("a vector", "entries")
    SUBSPACE = ("a subspace in exact arithmetic, in its normal form", "entries")
    NUMBER = ("a number", "entries")
    CATEGORY = ("a truth value or an index", "entries")
    RECORD = ("a candidate with its fields", "entries")

    def __init__(self, meaning: str, rule: Literal["entries", "projector"]) -> None:
        self.meaning = meaning
        self.rule = rule

    @property
    def is_basis(self) -> bool:
        """Return whether the result is an orthonormal basis of a subspace."""
        return self in {Returns.BASIS, Returns.EIGENVECTORS}


class Domain:
    """The datasets that an algorithm accepts: all those of which every record, looked at alone, is one of a stated set.

    Whether a record is in that set is for its owner to settle before the data are given to an algorithm: a refusal depends
    on the record, and no guarantee covers it. Two neighbours are two datasets of the domain, and on a dataset of the domain
    nothing but a public argument is ever refused.

    Attributes:
        refuses: the records that are outside, in words. With the sizes this is all that a refusal may depend on.
        dimension: the argument, or "calibration." and its attribute, that holds the k on which `check_for` depends; or "".
    """

    refuses: ClassVar[str]
    dimension: str = ""

    @property
    def sizes(self) -> tuple[str, ...]:
        """Return the names of the public sizes, such as ("n", "d"); those of a record come last."""
        raise NotImplementedError

    def check(self, name: str, data: Any) -> tuple[Any, tuple[int, ...]]:
        """Return the data as the transcription takes them and their sizes; ValueError that starts with `name`."""
        raise NotImplementedError

    def check_for(self, name: str, data: Any, k: int) -> None:
        """Raise ValueError that starts with `name` unless checked data are in the domain for subspaces of dimension k."""


@dataclass(frozen=True)
class RealRows(Domain):
    """The domain of real matrices with entries of at most LARGEST_ENTRY in absolute value, one row a record; as float64."""

    rows: str = "n"
    columns: str = "d"
    refuses: ClassVar[str] = f"a row with an entry that is not finite, or beyond {LARGEST_ENTRY:g} in absolute value"

    @property
    def sizes(self) -> tuple[str, ...]:
        """Return the names of the number of rows and of columns."""
        return (self.rows, self.columns)

    def check(self, name: str, data: Any) -> tuple[Any, tuple[int, ...]]:
        """Return the matrix and its shape."""
        rows = check_rows(name, data)
        return rows, rows.shape


@dataclass(frozen=True)
class UnitRows(RealRows):
    """The domain of real matrices, one row a record, every row in the unit ball; as float64."""

    refuses: ClassVar[str] = f"a row with an entry that is not finite, or of norm above 1 + {NORM_SLACK:g}"

    def check(self, name: str, data: Any) -> tuple[Any, tuple[int, ...]]:
        """Return the matrix and its shape."""
        rows = check_unit_rows(name, data)
        return rows, rows.shape


@dataclass(frozen=True)
class Example:
    """A small worked instance: a dataset, a neighbour of it, and the arguments of `Declaration.bind`."""

    data: Any
    neighbour: Any
    arguments: Mapping[str, Any]


@dataclass(frozen=True)
class Declaration:
    """All that the project knows about one algorithm, declared in the algorithm's file.

    Attributes:
        key: its name in the catalogue, "<paper or group>.<name>".
        paper: key of the paper, as in `dppca.reference.cite`.
        number: its number there, e.g. "Algorithm 1", or the section that describes it.
        title: its name there.
        function: the transcription, with its data checked; last argument `noise`, first argument the data.
        calibrate: (privacy target, public sizes, choices) -> noise scales and what they assume; None if the function itself
            takes the target.
        data: the data domain and its public sizes; `data.refuses` is all about a record that a refusal may depend on.
        relation: which datasets are neighbours.
        private: whether the algorithm claims privacy.
        returns: what it returns, and how two results are compared.
        choices: names of the readings of the paper to instances of the algorithm's choices.
        claims: ids of the ledger's claims about it, those of its readings included.
        example: a small worked instance.
        lines: how many lines the algorithm has as printed; 0 if print gives no numbered lines.
        unstated: printed lines that have no statement of their own, such as the end of a loop.
        symbols: names in the transcription to the paper's symbols, where they differ; known answers are named with these.
            A name is source text, such as "g_bar[j]", or "return"; one after a line, "11 return", is meant there alone.
        derived: arguments of `calibrate` that follow from others: name to a function of all arguments.
    """

    key: str
    paper: str
    number: str
    title: str
    function: Callable[..., Any]
    calibrate: Callable[..., Any] | None
    data: Domain
    relation: Relation
    private: bool
    returns: Returns
    choices: Mapping[str, Any]
    claims: tuple[str, ...]
    example: Example
    lines: int
    unstated: tuple[int, ...] = ()
    symbols: Mapping[str, str] = field(default_factory=dict)
    derived: Mapping[str, Callable[[Mapping[str, Any]], Any]] = field(default_factory=dict)

    def bind(self, *, choices: Any, **arguments: Any) -> Algorithm[Any]:
        """Calibrate for a privacy target and return the algorithm as a callable (data, noise) -> output.

        Args:
            choices: a reading, one of `self.choices`.
            **arguments: those of `calibrate` and of `function`, without data, calibration and noise.

        Raises:
            ValueError: an argument outside its range.
            TypeError: an argument is missing, or there is none of that name.
        """
        if type(choices) not in {type(reading) for reading in self.choices.values()}:
            raise ValueError(
                f"choices must be one of {self.key}'s readings, such as {', '.join(self.choices)}, got {choices!r}"
            )
        run = inspect.signature(self.function).parameters
        calibrating = inspect.signature(self.calibrate).parameters if self.calibrate else {}
        unknown = arguments.keys() - run.keys() - calibrating.keys()
        if unknown:
            raise TypeError(f"{self.key} has no argument {', '.join(sorted(unknown))}")
        try:
            given = {**arguments, **{name: make(arguments) for name, make in self.derived.items()}, "choices": choices}
        except KeyError as error:
            raise TypeError(f"{self.key} needs the argument {error.args[0]}") from None
        kinds = {name: str(of.annotation) for name, of in {**run, **calibrating}.items()}
        given = {name: check_argument(name, kinds.get(name, ""), value) for name, value in given.items()}
        fixed = {name: value for name, value in given.items() if name in run}
        if self.calibrate:
            fixed["calibration"] = _calibrated(
                self.calibrate, {name: value for name, value in given.items() if name in calibrating}
            )
        missing = [name for name, of in run.items() if name not in fixed and of.default is of.empty][1:-1]
        if missing:
            raise TypeError(f"{self.key} needs the argument {', '.join(missing)}")
        function = self.function

        def algorithm(data: Any, noise: Any) -> Any:
            return function(data, noise=noise, **fixed)

        return algorithm

    @property
    def data_name(self) -> str:
        """Name of the function's argument that holds the data."""
        return next(iter(inspect.signature(self.function).parameters))


def declare(
    *,
    key: str,
    number: str,
    title: str,
    data: Domain,
    relation: Relation,
    returns: Returns,
    choices: Mapping[str, Any],
    example: Example,
    paper: str = "",
    calibrate: Callable[..., Any] | None = None,
    private: bool = True,
    claims: tuple[str, ...] = (),
    lines: int = 0,
    unstated: tuple[int, ...] = (),
    symbols: Mapping[str, str] = MappingProxyType({}),
    derived: Mapping[str, Callable[[Mapping[str, Any]], Any]] = MappingProxyType({}),
) -> Callable[[Function], Function]:
    """Declare the decorated function as an algorithm; see `Declaration` for the arguments.

    `paper` is the part of the key before the point unless given. The function keeps its name and signature; called, it first
    checks its data: the domain, the public sizes against those of the calibration, and 1 <= k <= number of columns.
    """

    def decorate(function: Function) -> Function:
        signature = inspect.signature(function)
        name = next(iter(signature.parameters))

        @functools.wraps(function)
        def checked(*args: Any, **kwargs: Any) -> Any:
            given = signature.bind(*args, **kwargs).arguments
            calibration = given.get("calibration")
            given[name], sizes = data.check(name, given[name])
            for size, value in zip(data.sizes, sizes, strict=True):
                wanted = getattr(calibration, "sizes", {}).get(size, getattr(calibration, size, value))
                if wanted != value:
                    raise ValueError(f"{name} must have the {size} = {wanted} of its calibration, got {value}")
            if "k" in given:
                given["k"] = check_subspace_dimension(given["k"], sizes[-1])
            if data.dimension:
                held, _, argument = data.dimension.rpartition(".")
                k = getattr(calibration, argument) if held else given[argument]
                data.check_for(name, given[name], check_subspace_dimension(k, sizes[-1], argument))
            return function(**given)

        ids = (choice.claim for reading in choices.values() for choice in _points(reading))
        declaration = Declaration(
            key=key,
            paper=paper or key.partition(".")[0],
            number=number,
            title=title,
            function=checked,
            calibrate=calibrate,
            data=data,
            relation=relation,
            private=private,
            returns=returns,
            choices=MappingProxyType(dict(choices)),
            claims=tuple(dict.fromkeys((*claims, *ids))),
            example=example,
            lines=lines,
            unstated=unstated,
            symbols=symbols,
            derived=derived,
        )
        checked.declaration = declaration  # type: ignore[attr-defined]
        return cast(Function, checked)

    return decorate


def _calibrated(calibrate: Callable[..., Any], arguments: Mapping[str, Any]) -> Any:
    """Return a calibration for public arguments; ValueError that names them where float64 does not hold what it needs."""
    problem = f"a number beyond {LARGEST_NUMBER:g}"
    try:
        with np.errstate(over="raise", divide="raise", invalid="raise"):
            calibration = calibrate(**arguments)
        if all(abs(number) <= LARGEST_NUMBER for number in _numbers(calibration)):
            return calibration
    except ArithmeticError as error:
        problem = str(error)
    except ValueError as error:
        if next(iter(re.findall(r"\w+", str(error))), "") in arguments:
            raise
        problem = str(error)
    given = ", ".join(f"{name} = {value!r}" for name, value in arguments.items() if isinstance(value, (int, float)))
    raise ValueError(f"{given.partition(' ')[0]} must be one for which the noise can be calculated, got {given}: {problem}")


def _numbers(part: Any) -> Iterator[float]:
    """Yield the numbers that a calibration holds, those of its parts included."""
    if isinstance(part, float):
        yield part
    elif isinstance(part, (tuple, list)):
        for each in part:
            yield from _numbers(each)
    elif is_dataclass(part) and not isinstance(part, type):
        for each in fields(part):
            yield from _numbers(getattr(part, each.name))


def _points(reading: Any) -> list[Choice[Any]]:
    """Return the points of a reading, those of the readings of its sub-routines included."""
    if isinstance(reading, Choice):
        return [reading]
    return [point for part in vars(reading).values() for point in _points(part)] if hasattr(reading, "__dict__") else []
