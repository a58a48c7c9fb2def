"""Another implementation in place of the catalogue's algorithms: `pytest audit/ --implementation pkg.module:object`.

The object is a mapping, or has an attribute `algorithms` that is one. It maps

    "<key>"           to what replaces the catalogue's algorithm of that key: a callable (data, rng, **arguments) -> output,
                      or an object with sample(data, trials, rng, **arguments) -> outputs (first axis: trials);
    "<key>:messages"  for a local protocol to what its clients send: a callable (rows, rng, **arguments) -> messages,
                      one a row.

`arguments` are those of `Declaration.bind`, without choices: the target (epsilon, delta) and the sizes. Outputs have the form
of the catalogue's. `rng` is a numpy Generator and should be the only source of randomness: then a seed repeats the run.

An implementation answers for the claims that hold of the algorithm as CORRECTED, so every audit of it expects NOT REFUTED.
Each is audited on at least three pairs of datasets: those of the suite, or the catalogue's example; the same after a rotation,
so that the change has no coordinates of its own; and one that a search finds. What the mapping names must work: a
NotImplementedError is a failure, and so is a run in which a named algorithm was not audited.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dppca.audit.engine.arguments import MIN_TRIALS
from dppca.audit.engine.outputs import Features
from dppca.audit.engine.results import Claim
from dppca.audit.features import Subspace
from dppca.audit.suite.instance import Audits, Built, Instance, OneRun, Output, SearchedPair
from dppca.reference.catalog import ALGORITHMS
from dppca.reference.noise import Sample

#: Seconds that one call may take where no limit is given: what hangs is not known to end.
CALL_TIMEOUT = 60.0
#: Trials on the catalogue's examples, and on a pair that is searched for.
EXAMPLE_TRIALS = 2000
#: Longest run of a search, in trials.
SEARCH_TRIALS = 40_000
#: Shortest one: fewer do not suffice for the 16 candidates that it compares.
SEARCH_LEAST = 12_800
#: Angle by which pairs are turned in the plane of the first two axes: an eighth turn takes axes to diagonals.
TURN = np.pi / 4.0
_MESSAGES = ":messages"


class ImplementationError(ValueError):
    """The error where what --implementation names cannot be audited."""


@dataclass(frozen=True)
class Bound:
    """A foreign callable with its arguments, as a mechanism; its outputs must have the shape of the catalogue's."""

    function: Callable[..., Any]
    arguments: Mapping[str, Any]
    shape: tuple[int, ...] | None

    def __call__(self, data: Any, rng: np.random.Generator) -> Any:
        """Return one output."""
        return _checked(self.function(data, rng, **self.arguments), self.shape)


@dataclass(frozen=True)
class BoundSampler:
    """A foreign object with a method `sample` and its arguments, as a mechanism that runs a batch at a call."""

    sampler: Any
    arguments: Mapping[str, Any]
    shape: tuple[int, ...] | None

    def sample(self, data: Any, trials: int, rng: np.random.Generator) -> list[Any]:
        """Return a batch of outputs."""
        return [_checked(output, self.shape) for output in self.sampler.sample(data, trials, rng, **self.arguments)]


@dataclass(frozen=True)
class BoundMessages:
    """A foreign local protocol as a mechanism of its messages, by rows or of one row."""

    function: Callable[..., Any]
    arguments: Mapping[str, Any]

    def __call__(self, row: Any, rng: np.random.Generator) -> Any:
        """Return one client's message."""
        (message,) = self.all(row[np.newaxis], rng)
        return message

    def all(self, rows: Any, rng: np.random.Generator) -> Sequence[Any]:
        """Return every client's message."""
        messages: Sequence[Any] = self.function(rows, rng, **self.arguments)
        if len(messages) != len(rows):
            raise ValueError(f"messages must be one a row, got {len(messages)} for {len(rows)} rows")
        return messages


def load(name: str) -> Mapping[str, Any]:
    """Return the algorithms of an implementation by key; ImplementationError says what is wrong with it."""
    module_name, colon, path = name.partition(":")
    if not (module_name and colon and path):
        raise ImplementationError(f"must be pkg.module:object, got {name!r}")
    try:
        found: Any = importlib.import_module(module_name)
    except Exception as error:  # anything may happen in somebody else's module
        raise ImplementationError(f"cannot import {module_name}: {type(error).__name__}: {error}") from error
    for part in path.split("."):
        if not hasattr(found, part):
            raise ImplementationError(f"{module_name} has no {path!r}")
        found = getattr(found, part)
    algorithms = found if isinstance(found, Mapping) else getattr(found, "algorithms", None)
    if not isinstance(algorithms, Mapping):
        raise ImplementationError(
            f"{name} must be a mapping from keys of the catalogue to callables, or have one as `algorithms`; "
            f"got a {type(found).__name__}"
        )
    _check(name, algorithms)
    return algorithms


def _check(name: str, algorithms: Mapping[str, Any]) -> None:
    if not algorithms:
        raise ImplementationError(f"{name} has no algorithms")
    for key, function in algorithms.items():
        if not isinstance(key, str) or key.removesuffix(_MESSAGES) not in ALGORITHMS:
            raise ImplementationError(f"{name} has the unknown key {key!r}; the catalogue has {', '.join(ALGORITHMS)}")
        if not callable(function) and (key.endswith(_MESSAGES) or not callable(getattr(function, "sample", None))):
            raise ImplementationError(
                f"{name}[{key!r}] must be a callable (data, rng, **arguments) or have a method sample, "
                f"got a {type(function).__name__}"
            )


def audits(algorithms: Mapping[str, Any], suite: Sequence[Audits], target: Claim | None = None) -> list[Instance]:
    """Return the audits of an implementation, at the target if one is given, else at the suite's claims.

    Raises:
        ImplementationError: a named algorithm claims no privacy, so there is nothing to audit.
    """
    taken: list[Instance] = []
    for key, function in algorithms.items():
        name = key.removesuffix(_MESSAGES)
        if not ALGORITHMS[name].private:
            raise ImplementationError(f"{key} claims no privacy: nothing to audit")
        found = [of for each in suite if each.algorithm == name for of in _of_the_suite(each, key, target)]
        if not found and key == name:
            found = [(_on_the_example(name, target), EXAMPLE_TRIALS)]
        if not found:
            raise ImplementationError(f"{key}: {name} has no messages, name it as {name!r}")
        builds = [(made, trials) for of, trials in found for made, trials in _variants(function, key, of, trials)]
        by_name = {made.name: made for made, _ in builds}
        if len(by_name) < len(builds):
            builds = [(replace(made, name=f"{made.name} ({i})"), trials) for i, (made, trials) in enumerate(builds)]
        own = Audits(name, partial(_chosen, [made for made, _ in builds]))
        for made, trials in builds:
            least = SEARCH_LEAST if isinstance(made.how, SearchedPair) else MIN_TRIALS
            own.of("foreign", "output", made.name, made.claim, trials=trials, least=least)
        taken += own.instances
    return taken


def _chosen(made: list[Built], _choice: str) -> list[Built]:
    return made


def _of_the_suite(audits_of: Audits, key: str, target: Claim | None) -> Iterator[tuple[Built, int]]:
    """Yield the suite's output audits that an implementation can take part in, with the trials that show print's failure."""
    for instance in audits_of.instances:
        if instance.choice != "CORRECTED" or instance.view != "output" or instance.relation is not None:
            continue
        built = instance.built()
        how = built.how
        if not isinstance(how, Output | OneRun) or how.arguments is None or (isinstance(how, Output) and how.start is not None):
            continue  # the audit fixes draws that the catalogue's arguments do not
        if key.endswith(_MESSAGES) != (isinstance(how, OneRun) or how.message):
            continue
        same = [other for other in audits_of.instances if (other.view, other.name) == (instance.view, instance.name)]
        yield _aimed(built, target), max(other.trials for other in same)


def _on_the_example(key: str, target: Claim | None) -> Built:
    """Return the output audit of an algorithm on its catalogue entry's example."""
    entry = ALGORITHMS[key]
    example, arguments = entry.example, entry.example.arguments
    run = entry.bind(**arguments, choices=entry.choices["CORRECTED"])

    def mechanism(data: Any, rng: np.random.Generator) -> Any:
        return run(data, Sample(rng))

    how = Output(mechanism, example.data, example.neighbour, Subspace(), arguments)
    return _aimed(Built("output", "the example", Claim(arguments["epsilon"], arguments.get("delta", 0.0)), how), target)


def _aimed(built: Built, target: Claim | None) -> Built:
    """Return the audit at another target: the same pair, other arguments."""
    how = built.how
    if target is None or not isinstance(how, Output | OneRun) or how.arguments is None:
        return built
    aimed = {"epsilon": target.epsilon, "delta": target.delta}
    arguments = {**how.arguments, **{name: value for name, value in aimed.items() if name in how.arguments}}
    if "delta" not in how.arguments:
        target = Claim(target.epsilon)
    return replace(built, claim=target, how=replace(how, arguments=arguments))


def _variants(function: Any, key: str, built: Built, trials: int) -> Iterator[tuple[Built, int]]:
    """Yield the audit of a foreign function on the pair, on the turned pair, and on a pair that a search finds."""
    how = built.how
    if isinstance(how, OneRun) and how.arguments is not None:
        messages = BoundMessages(function, how.arguments).all
        for name, turn in (("", _same), (", turned", _turned)):
            pair = {"data": turn(how.data), "neighbour": turn(how.neighbour)}
            yield replace(built, name=built.name + name, how=replace(how, messages=messages, **pair)), trials
        return
    if not isinstance(how, Output) or how.arguments is None:
        raise TypeError(f"built must be an output audit with arguments, got {built.name}")
    mechanism: Any = BoundMessages(function, how.arguments)
    if not how.message:
        shape = getattr(how.mechanism(how.data, np.random.default_rng(0)), "shape", None)
        mechanism = (BoundSampler if hasattr(function, "sample") else Bound)(function, how.arguments, shape)
    yield replace(built, how=replace(how, mechanism=mechanism)), trials
    turned = replace(how, mechanism=mechanism, data=_turned(how.data), neighbour=_turned(how.neighbour))
    features = how.features if ALGORITHMS[key.removesuffix(_MESSAGES)].returns.is_basis else None
    if features is not None:
        turned = replace(turned, features=_Unturned(features))
    yield replace(built, name=f"{built.name}, turned", how=turned), trials
    search = SearchedPair(mechanism, ReplacedRecord(how.data, how.neighbour), Subspace())
    yield replace(built, name=f"{built.name}, searched", how=search), max(SEARCH_LEAST, min(trials, SEARCH_TRIALS))


def _same(data: Any) -> Any:
    return data


def _rotation(d: int) -> NDArray[np.float64]:
    """Return the rotation by TURN in the plane of the first two of d axes."""
    R = np.eye(d)
    if d >= 2:
        R[:2, :2] = [[np.cos(TURN), -np.sin(TURN)], [np.sin(TURN), np.cos(TURN)]]
    return R


def _turned(data: Any) -> Any:
    """Return the data turned: rows, matrices (conjugated), one row, or integer points (sheared, as integers must stay so)."""
    if isinstance(data, list):
        return [[row[0] + row[1], *row[1:]] for row in data]
    R = _rotation(data.shape[-1])
    return R @ data @ R.T if data.ndim == 3 else data @ R.T


@dataclass(frozen=True)
class _Unturned:
    """The features of an orthonormal basis in the coordinates before the turn."""

    features: Features

    def __call__(self, basis: Any) -> Any:
        """Return the features of one output."""
        return self.features(_rotation(len(basis)).T @ basis) if isinstance(basis, np.ndarray) else self.features(basis)


@dataclass(frozen=True)
class ReplacedRecord:
    """A generator of pairs for a search: the records of a given pair, one of them replaced by another.

    The two records are among those of the pair, their opposites, zero, and directions at random as long as one of these.
    """

    data: Any
    neighbour: Any

    def __call__(self, rng: np.random.Generator) -> tuple[Any, Any]:
        """Return a pair that differs in one record."""
        rows = np.asarray(self.data, dtype=float)
        single = rows.ndim == 1
        if single:
            rows = rows[np.newaxis]
        pool = np.concatenate([rows, np.atleast_2d(np.asarray(self.neighbour, dtype=float)) if rows.ndim == 2 else rows])
        index = int(rng.integers(len(rows)))
        data, neighbour = rows.copy(), rows.copy()
        data[index], neighbour[index] = (self._record(pool, rng) for _ in range(2))
        if isinstance(self.data, list):
            return np.rint(data).astype(int).tolist(), np.rint(neighbour).astype(int).tolist()
        return (data[0], neighbour[0]) if single else (data, neighbour)

    def _record(self, pool: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
        record = pool[rng.integers(len(pool))]
        kind = rng.integers(4)
        if kind == 0 or pool.ndim == 3:
            return record
        if kind == 1:
            return -record
        if kind == 2:
            return 0.0 * record
        direction = rng.standard_normal(record.shape)
        longest = pool[np.argmax(np.linalg.norm(pool, axis=1))]
        return np.asarray(direction * (np.linalg.norm(longest) / np.linalg.norm(direction)))


def _checked(output: Any, shape: tuple[int, ...] | None) -> Any:
    if shape is not None and output is not None and np.shape(output) != shape:
        raise ValueError(f"output must have shape {shape}, as the catalogue's has, got {np.shape(output)}")
    return output
