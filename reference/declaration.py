"""What an algorithm's file declares about it, once; binding, validation, catalogue, vectors and audits follow from it.

    @declare(number="Algorithm 1", title=..., data=UnitRows("n", "d"), relation=Relation.REPLACE_ONE, calibrate=calibrate, ...)
    def example(X, k, calibration, noise): ...

The decorated function checks its data against the declared domain and against the sizes that the calibration was made
for, and its arguments as `reference.arguments` has them; then it runs the transcription. Its docstring, and that of its
calibration, get what follows from the declaration: the arguments, the result and what is refused. `reference.catalog` collects
the declarations.
"""

from __future__ import annotations

import functools
import inspect
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from types import MappingProxyType
from typing import Any, ClassVar, Literal, TypeVar, cast

import numpy as np

from dppca.reference.arguments import ARGUMENTS, check_arguments
from dppca.reference.noise import Algorithm, record
from dppca.reference.readings import Readings
from dppca.reference.relation import Relation
from dppca.reference.rigour.validation import (
    LARGEST_ENTRY,
    NORM_SLACK,
    check_argument,
    check_rows,
    check_step_sizes,
    check_subspace_dimension,
    check_unit_rows,
)

#: Bound on the numbers of a calibration: with it, and data and arguments in their ranges, nothing overflows.
LARGEST_NUMBER = 1e100
Function = TypeVar("Function", bound=Callable[..., Any])
#: Where the subroutines of a listing are: in the folders of the reference, but for the one that checks arguments.
_SUBROUTINE = re.compile(r"dppca\.reference\.(?!rigour)\w+\.")
#: A numbered line of a listing.
_LISTED = re.compile(r"^ +(\d+) {2,}\S", re.MULTILINE)


@dataclass(frozen=True)
class TheoremCondition:
    """One condition of a theorem for given parameters: its statement, where it stands, and whether it holds."""

    statement: str
    place: Literal["printed", "proof"]
    holds: bool


class Returns(Enum):
    """The kinds of results of an algorithm; `rule` says how two of them are compared."""

    BASIS = ("an orthonormal basis, one vector a column, whose signs and rotation follow from the listing", "entries")
    EIGENVECTORS = ("an orthonormal basis, one vector a column, with any signs and rotation", "projector")
    VECTOR = ("a vector", "entries")
    PROJECTOR = ("the projector onto a subspace, a square matrix", "entries")
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

    def of(self, function: Callable[..., Any]) -> str:
        """Return in words what a function of this kind returns, and whether its annotation says that it may be bottom."""
        bottom = "None" in str(inspect.signature(function).return_annotation)
        return f"{self.meaning}; or None, which is bottom" if bottom else self.meaning


class Domain:
    """The datasets that an algorithm accepts: all those of which every record, looked at alone, is one of a stated set.

    Whether a record is in that set is for its owner to settle before the data are given to an algorithm: a refusal depends
    on the record, and no guarantee covers it. Two neighbours are two datasets of the domain, and on a dataset of the domain
    nothing but a public argument is ever refused.

    Attributes:
        accepts: what a dataset is.
        refuses: the records that are outside. With the sizes this is all that a refusal may depend on.
        dimension: the argument, or "calibration." and its attribute, that holds the k on which `check_for` depends; or "".
    """

    accepts: ClassVar[str]
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
    accepts: ClassVar[str] = "real numbers, one row a record"
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

    accepts: ClassVar[str] = "rows in the unit ball, one a record"
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
        key: its name in the catalogue: that of its folder, a point, and that of its function.
        paper: key of the paper, as in `dppca.reference.citations`.
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
        unstated: published lines that have no statement of their own, such as the end of a loop.
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
    unstated: tuple[int, ...] = ()

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
        given = {**self.completed(arguments), "choices": choices}
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

    def completed(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments, with the T of a calibration that counts the step sizes of a run.

        Raises:
            TypeError: the step sizes are missing.
        """
        if self.calibrate is None or "step_sizes" not in inspect.signature(self.function).parameters:
            return dict(arguments)
        if "T" not in inspect.signature(self.calibrate).parameters:
            return dict(arguments)
        if "step_sizes" not in arguments:
            raise TypeError(f"{self.key} needs the argument step_sizes")
        return {**arguments, "T": len(check_step_sizes(arguments["step_sizes"]))}

    @property
    def data_name(self) -> str:
        """Return the name of the function's argument that holds the data."""
        return next(iter(inspect.signature(self.function).parameters))

    def subroutines(self) -> Iterator[Callable[..., Any]]:
        """Yield the functions of the reference that the transcription and its calibration call, in order, each once."""
        found: dict[str, Callable[..., Any]] = {}
        for function in map(inspect.unwrap, filter(None, (self.function, self.calibrate))):
            known = {**function.__globals__}
            for name in function.__code__.co_names:
                of = known.get(name)
                if inspect.ismodule(of):
                    known |= {each: value for each, value in vars(of).items() if each not in function.__globals__}
                elif inspect.isfunction(of) and _SUBROUTINE.match(of.__module__) and not name.startswith("_"):
                    found[of.__qualname__] = of
        yield from found.values()

    @property
    def lines(self) -> int:
        """Return how many lines the listing at the top of the algorithm's file has; 0 if the paper gives no numbered lines."""
        listing = sys.modules[self.function.__module__].__doc__ or ""
        return max((int(number) for number in _LISTED.findall(listing)), default=0)

    def draws(self) -> tuple[str, ...]:
        """Return what a run on the example draws and releases, in order, each with its role, law, name and shape.

        Of those whose names differ in numbers alone, the first.
        """
        choices = list(self.choices.values())[-1]
        _, tape = record(self.bind(**self.example.arguments, choices=choices), self.example.data, np.random.default_rng(0))
        first = {re.sub(r"\d+", "0", entry.name): entry for entry in reversed(tape.entries)}
        return tuple(f'{each.role} {each.law} "{each.name}" {np.shape(each.draw)}' for each in reversed(first.values()))


def declare(
    *,
    number: str,
    title: str,
    data: Domain,
    relation: Relation,
    returns: Returns,
    example: Example,
    paper: str = "",
    calibrate: Callable[..., Any] | None = None,
    choices: Mapping[str, Readings | None] | None = None,
    private: bool = True,
    claims: tuple[str, ...] = (),
    unstated: tuple[int, ...] = (),
) -> Callable[[Function], Function]:
    """Declare the decorated function as an algorithm; see `Declaration` for the arguments.

    `choices` are all readings of the argument of that name of `calibrate`, unless some are given by name; None is the reading
    of a text that leaves nothing to decide. `paper` is the name of the function's folder unless given. The function keeps its
    name and signature; called, it first checks its data: the domain, the public sizes against those of the calibration, and
    1 <= k <= number of columns.
    """
    readings = _readings(calibrate) if choices is None else choices
    points = [claim for reading in readings.values() if reading is not None for claim in reading.claims()]

    def decorate(function: Function) -> Function:
        signature = inspect.signature(function)
        name = next(iter(signature.parameters))

        @functools.wraps(function)
        def checked(*args: Any, **kwargs: Any) -> Any:
            given: dict[str, Any] = dict(signature.bind(*args, **kwargs).arguments)
            calibration = given.get("calibration")
            given[name], sizes = data.check(name, given[name])
            for size, value in zip(data.sizes, sizes, strict=True):
                wanted = getattr(calibration, "sizes", {}).get(size, getattr(calibration, size, value))
                if wanted != value:
                    raise ValueError(f"{name} must have the {size} = {wanted} of its calibration, got {value}")
            given = check_arguments(given, columns=sizes[-1])
            if data.dimension:
                of_calibration, _, argument = data.dimension.rpartition(".")
                k = getattr(calibration, argument) if of_calibration else given[argument]
                data.check_for(name, given[name], check_subspace_dimension(k, sizes[-1], argument))
            return function(**given)

        folder = function.__module__.split(".")[-2]
        declaration = Declaration(
            key=f"{folder}.{function.__name__}",
            paper=paper or folder,
            number=number,
            title=title,
            function=checked,
            calibrate=calibrate,
            data=data,
            relation=relation,
            private=private,
            returns=returns,
            choices=MappingProxyType(readings),
            claims=tuple(dict.fromkeys((*claims, *points))),
            example=example,
            unstated=unstated,
        )
        checked.declaration = declaration  # type: ignore[attr-defined]
        document(checked, declaration)
        if calibrate is not None:
            document(calibrate, declaration)
        return cast(Function, checked)

    return decorate


def _readings(calibrate: Callable[..., Any] | None) -> Mapping[str, Readings | None]:
    """Return every reading of a calibration's argument `choices`; TypeError where it has none of the class Readings."""
    chosen = inspect.signature(calibrate).parameters.get("choices") if calibrate else None
    if chosen is None or not isinstance(chosen.default, Readings):
        raise TypeError("choices must be given, or be an argument of `calibrate` with a default of the class Readings")
    return type(chosen.default).instances()


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


def argument_meaning(name: str, declaration: Declaration, otherwise: str = "") -> str:
    """Return in words what an argument of this name is, or what is given where its name does not say it."""
    if name == declaration.data_name:
        return f"{declaration.data.accepts}: {' by '.join(declaration.data.sizes)}"
    words = {
        "columns": declaration.data.sizes[-1],
        "readings": ", ".join(declaration.choices),
        "calibrate": getattr(declaration.calibrate, "__name__", ""),
    }
    return ARGUMENTS[name].meaning.format(**words) if name in ARGUMENTS else otherwise


def document(function: Callable[..., Any], declaration: Declaration) -> None:
    """Add to a docstring what follows from the declaration: the arguments, the result and what is refused; once."""
    text = inspect.getdoc(function) or ""
    if "\nArgs:" in text:
        return
    lines = [text, "", "Args:"]
    for name, parameter in inspect.signature(function).parameters.items():
        meaning = argument_meaning(name, declaration, str(parameter.annotation))
        default = "" if parameter.default is parameter.empty else "; has a default"
        lines.append(f"    {name}: {meaning}{default}.")
    if "calibration" in inspect.signature(function).parameters or function is not declaration.calibrate:
        returned = declaration.returns.of(declaration.function)
        lines += ["", "Returns:", f"    {returned[0].upper()}{returned[1:]}."]
    lines += ["", "Raises:", "    ValueError: an argument outside its range, which the message names."]
    if function is not declaration.calibrate:
        lines.append(f"        Of the data: {declaration.data.refuses}.")
    function.__doc__ = "\n".join(lines)
