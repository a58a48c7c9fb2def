"""Planted bugs: what one is, how it is put in, and those that any algorithm can have.

A bug is a subject, an edit of the code, and the audit of `pytest audit/` that must fail with it. The bugs of a paper stand in
its folder's planted.py. An edit is made as somebody would make it, in the source of one function; it is compiled and its code
object put into the function itself, so that everybody who imported the function runs the bug. Nothing is written to disk.
"""

from __future__ import annotations

import builtins
import dataclasses
import dis
import inspect
import math
import textwrap
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from importlib import import_module
from types import CodeType, FunctionType
from typing import Any, ClassVar, TypeAlias
from unittest import mock

import numpy as np

from dppca.reference.catalog import ALGORITHMS
from dppca.reference.declaration import Declaration
from dppca.reference.noise import Array, GaussianLaw, Noise, ReleaseLaw, Sample
from dppca.reference.relation import Relation

#: Modules below this package that hold bugs.
MODULES = (
    *(f"{paper}.planted" for paper in ("wang2020", "singhal2021", "shang2021", "liu2022", "baselines")),
    "planted_primitives",
)


@dataclass(frozen=True)
class Edit:
    """In the source of `function`, `old` (which occurs once) becomes `new`."""

    function: Callable[..., Any]
    old: str
    new: str

    @property
    def place(self) -> str:
        """Module below `reference`, and the function in it."""
        return f"{self.function.__module__.removeprefix('dppca.reference.')}.{self.function.__qualname__}"

    def code(self) -> CodeType:
        """The edited function's code."""
        function: Any = inspect.unwrap(self.function)
        source = textwrap.dedent(inspect.getsource(function))
        source = source[source.index("def ") :]  # without decorators
        if source.count(self.old) != 1:
            raise ValueError(f"old must occur once in {self.place}, got {source.count(self.old)} times: {self.old!r}")
        compiled = compile(source.replace(self.old, self.new), f"<{self.place}, edited>", "exec")
        namespace = dict(function.__globals__)
        exec(compiled, namespace)  # noqa: S102 - our own source with our own edit
        code: CodeType = namespace[function.__name__].__code__
        if missing := _global_names(code) - namespace.keys() - vars(builtins).keys():
            raise ValueError(f"the module of {self.place} has no {', '.join(sorted(missing))}")
        return code


def _global_names(code: CodeType) -> set[str]:
    """Return the names that a function's code looks up in its module, or that functions in it do."""
    found = {line.argval for line in dis.get_instructions(code) if line.opname == "LOAD_GLOBAL"}
    return found.union(*(_global_names(inner) for inner in code.co_consts if isinstance(inner, CodeType)))


@contextmanager
def planted(edits: Iterable[Edit]) -> Iterator[None]:
    """Within the context the edits are in force."""
    listed = list(edits)
    if len({edit.function for edit in listed}) < len(listed):
        raise ValueError("edits must be of different functions")
    functions: list[Any] = [inspect.unwrap(edit.function) for edit in listed]
    before = [function.__code__ for function in functions]
    edited = [edit.code() for edit in listed]
    try:
        for function, code in zip(functions, edited, strict=True):
            function.__code__ = code
        yield
    finally:
        for function, code in zip(functions, before, strict=True):
            function.__code__ = code


@dataclass(frozen=True)
class Bug:
    """A planted bug.

    Attributes:
        name: in words, unique among the subject's.
        subject: key of the algorithm in the catalogue, or "primitives." and a module.
        edits: how it is planted.
        caught_by: the audit that must fail: the id of an instance, a test of audit/suite with its parameters, or the last word
            of these.
        missed: why no audit fails; empty if one does.
    """

    name: str
    subject: str
    edits: tuple[Edit, ...]
    caught_by: str
    missed: str = ""

    @property
    def id(self) -> str:
        """Subject and name."""
        return f"{self.subject}: {self.name}"

    def planted(self) -> AbstractContextManager[None]:
        """Return a context in which the bug is there."""
        return planted(self.edits)


def bugs() -> list[Bug]:
    """Return the bugs of every paper and of the primitives."""
    return [bug for name in MODULES for bug in import_module(f"dppca.audit.suite.{name}").BUGS]


# --- bugs that any algorithm can have -----------------------------------------------------------------

Change: TypeAlias = Callable[[Any], Any]

#: Fields of calibrations and laws that grow with the noise.
NOISE = frozenset({"std", "scale", "alpha", "score_std"})
#: Fields that hold a threshold, or the support of the noise.
THRESHOLDS = frozenset({"threshold", "bound"})


@dataclass(frozen=True)
class GenericBug:
    """A bug: `plant(declaration)` is a context in which it is there; `applies` says whether the algorithm can have it.

    Any audit of the algorithm may be the one that fails.
    """

    name: str
    applies: Callable[[Declaration], bool]
    plant: Callable[[Declaration], Any]


def scaled(value: Any, fields: frozenset[str], factor: float) -> Any:
    """A calibration or law with these fields multiplied, those of its parts included; multipliers of scores are divided."""
    if isinstance(value, tuple):
        parts = [scaled(part, fields, factor) for part in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    if not dataclasses.is_dataclass(value) or isinstance(value, type):
        return value
    changed = {}
    for name, of in ((f.name, getattr(value, f.name)) for f in dataclasses.fields(value) if f.init and f.name != "choices"):
        if name in fields and isinstance(of, float | Fraction | tuple):
            changed[name] = tuple(factor * x for x in of) if isinstance(of, tuple) else factor * of
        elif name == "multiplier" and fields & NOISE:
            grows = any(f.name == "scaling" for f in dataclasses.fields(value))  # of a power iteration: a multiple of the noise
            changed[name] = of * factor if grows else of / factor
        elif dataclasses.is_dataclass(of) or isinstance(of, tuple):
            part = scaled(of, fields, factor)
            if part != of:
                changed[name] = part
    return replace(value, **changed) if changed else value


# --- at the calibration -------------------------------------------------------------------------------

_PLANTED: list[tuple[Any, Change]] = []


def called(*args: Any, **kwargs: Any) -> Any:
    """Call the calibration that is planted, and change what it returns."""
    sound, change = _PLANTED[-1]
    return change(sound(*args, **kwargs))


def _trampoline(*args: Any, **kwargs: Any) -> Any:
    from dppca.audit.suite.planted import called as function  # noqa: PLC0415 - it runs with the globals of another module

    return function(*args, **kwargs)


@contextmanager
def recalibrated(declaration: Declaration, change: Change) -> Iterator[None]:
    """Within the context the calibration is changed, for everybody who has imported its function."""
    function: Any = inspect.unwrap(declaration.calibrate)
    code, signature = function.__code__, inspect.signature(function)
    sound = FunctionType(code, function.__globals__, function.__name__, function.__defaults__, function.__closure__)
    sound.__kwdefaults__ = function.__kwdefaults__
    function.__signature__, function.__code__ = signature, _trampoline.__code__
    _PLANTED.append((sound, change))
    try:
        yield
    finally:
        function.__code__ = code
        del function.__signature__
        _PLANTED.pop()


def _at_calibration(change: Change) -> tuple[Callable[[Declaration], bool], Callable[[Declaration], Any]]:
    def applies(declaration: Declaration) -> bool:
        if declaration.calibrate is None:
            return False
        seen: list[tuple[Any, Any]] = []

        def note(calibration: Any) -> Any:
            seen.append((calibration, change(calibration)))
            return calibration

        with recalibrated(declaration, note):
            declaration.bind(**declaration.example.arguments, choices=declaration.choices["CORRECTED"])
        return any(before != after for before, after in seen)

    return applies, lambda declaration: recalibrated(declaration, change)


# --- at the draw --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class OneClean(ReleaseLaw):
    """A Gaussian law that leaves the last coordinate without noise."""

    law: GaussianLaw
    kind: ClassVar[str] = "gaussian"
    norm: ClassVar[str] = "l2"

    def draw(self, value: Array, rng: np.random.Generator) -> Array:
        """Return the draws of the Gaussian law."""
        return self.law.draw(value, rng)

    def apply(self, value: Array, draw: Array) -> Any:
        """Return the release, its last coordinate the value's."""
        released = np.array(self.law.apply(value, draw))
        released.flat[-1] = value.flat[-1]
        return released

    def can_release(self, value: Array, released: Any) -> bool:
        """Return what the Gaussian law says."""
        return self.law.can_release(value, released)

    def log_likelihood(self, value: Array, released: Any) -> float:
        """Return that of the other coordinates, or -inf where the last one is not the value's."""
        if np.ravel(released)[-1] != value.flat[-1]:
            return -math.inf
        return self.law.log_likelihood(np.ravel(value)[:-1], np.ravel(released)[:-1])

    def change(self, value: Array, other: Array) -> float:
        """Return what the Gaussian law says."""
        return self.law.change(value, other)


def _clean_coordinate(noise: Noise, value: Array, law: ReleaseLaw) -> ReleaseLaw:  # noqa: ARG001
    return OneClean(law) if isinstance(law, GaussianLaw) and value.size > 1 else law


def _clean_client(noise: Noise, value: Array, law: ReleaseLaw) -> ReleaseLaw:  # noqa: ARG001
    first = not getattr(noise, "released_before", False)
    noise.released_before = True  # type: ignore[attr-defined]
    return GaussianLaw(0.0) if first and isinstance(law, GaussianLaw) else law


def _halved(noise: Noise, value: Array, law: ReleaseLaw) -> ReleaseLaw:  # noqa: ARG001
    return law if isinstance(law, GaussianLaw) and law.std == 0.0 else scaled(law, NOISE, 0.5)


@contextmanager
def released_by(change: Callable[[Noise, Array, ReleaseLaw], ReleaseLaw]) -> Iterator[None]:
    """Within the context every release goes through a changed law."""
    sound = Noise.release

    def release(self: Noise, name: str, value: Any, law: ReleaseLaw, *, sensitivity: float) -> Any:
        return sound(self, name, value, change(self, np.asarray(value, dtype=float), law), sensitivity=sensitivity)

    with mock.patch.object(Noise, "release", release):
        yield


def _private(declaration: Declaration) -> bool:
    return declaration.private


def _laws(declaration: Declaration) -> set[type]:
    """The laws that the example's run releases through."""
    seen: set[type] = set()

    def note(noise: Noise, value: Array, law: ReleaseLaw) -> ReleaseLaw:  # noqa: ARG001
        if value.size > 1:
            seen.add(type(law))
        return law

    algorithm = declaration.bind(**declaration.example.arguments, choices=declaration.choices["CORRECTED"])
    with released_by(note):
        algorithm(declaration.example.data, Sample(np.random.default_rng(0)))
    return seen


GENERIC = (
    GenericBug("noise halved at the calibration", *_at_calibration(lambda c: scaled(c, NOISE, 0.5))),
    GenericBug(
        "sensitivity divided by sqrt 2",
        *_at_calibration(lambda c: scaled(c, NOISE | {"sensitivity"}, math.sqrt(0.5))),
    ),
    GenericBug("threshold or support 10 % too small", *_at_calibration(lambda c: scaled(c, THRESHOLDS, 0.9))),
    GenericBug("noise halved at the draw, multiplier doubled", _private, lambda _: released_by(_halved)),
    GenericBug(
        "one coordinate without noise",
        lambda declaration: declaration.private and GaussianLaw in _laws(declaration),
        lambda _: released_by(_clean_coordinate),
    ),
    GenericBug(
        "one client without noise",
        lambda declaration: declaration.relation is Relation.LOCAL,
        lambda _: released_by(_clean_client),
    ),
)


def generic_bugs() -> Iterator[tuple[str, GenericBug]]:
    """Yield every algorithm's key with each generic bug that it can have."""
    for key, declaration in ALGORITHMS.items():
        yield from ((key, bug) for bug in GENERIC if declaration.private and bug.applies(declaration))
