"""Another implementation in place of the catalogue's algorithms: `pytest audit/ --implementation pkg.module:object`.

The object is a mapping, or has an attribute `algorithms` that is one. It maps

    "<key>"           to what replaces the catalogue's algorithm of that key: a callable (data, rng, **arguments) -> output,
                      or an object with sample(data, trials, rng, **arguments) -> outputs (first axis: trials);
    "<key>:messages"  for a local protocol to what its clients send: a callable (rows, rng, **arguments) -> messages,
                      one a row.

`arguments` are those of `Declaration.bind`, without choices: the target (epsilon, delta) and the sizes. Outputs have the form
of the catalogue's. `rng` is a numpy Generator and should be the only source of randomness: then a seed repeats the run.

An implementation answers for the claims that hold of the algorithm as CORRECTED, so every audit of it expects NOT REFUTED.
Each is audited on pairs of the suite, on pairs that follow from its declaration (several steps, more records, a long one
among short ones, one and its opposite), on one of them after a rotation, so that the change has no coordinates of its own, and
on one that a search finds from there. The first refutation of an algorithm ends its audits. What the same trials would have
found is asked of the reference with less noise. What the mapping names must work: a NotImplementedError is a failure, and so is
a run in which a named algorithm was not audited.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dppca.audit.auditor.outputs import Features
from dppca.audit.auditor.results import Claim
from dppca.audit.execution.arguments import MIN_TRIALS
from dppca.audit.features import Subspace
from dppca.audit.suite.instance import How, Instance, OneRun, Output, SearchedPair, Setup, Word, sampled
from dppca.audit.suite.planted import NOISE, recalibrated, scaled
from dppca.reference.catalog import ALGORITHMS
from dppca.reference.declaration import UnitRows
from dppca.reference.rigour.validation import error_text

#: Seconds that one call may take where no limit is given: what hangs is not known to end.
CALL_TIMEOUT = 60.0
#: Trials at the standard budget, if there is the time for them; a search of two candidates needs SEARCH_LEAST.
TRIALS, SEARCH_LEAST = 100_000, 400
#: Processor seconds of an algorithm at the standard budget: of its audits together, and of those of the reference with a share
#: of the noise, for each of these shares. At the quick budget that is a fifth: 36 s and 24 s.
SECONDS, SECONDS_A_SHARE = 180.0, 40.0
NOISE_SHARES = (0.5, 0.7, 0.9)
#: Claims of pairs that follow from the declaration; a few thousand outputs show a failure.
LARGE, PURE = Claim(4.0, 0.2), Claim(4.0, 0.0)
#: Arguments that number the steps, and how many there are.
STEPS, MANY_STEPS = ("L", "T"), 16
#: Share of a search's first candidates that are the given pair.
START = 0.5
#: Angle by which pairs are rotated in the plane of the first two axes: 45 degrees take axes to diagonals.
ANGLE = np.pi / 4.0
_MESSAGES = ":messages"


class ImplementationError(ValueError):
    """The error where what --implementation names cannot be audited."""


@dataclass(frozen=True)
class Bound:
    """A callable of the implementation, bound to arguments, as a mechanism; outputs must have the shape of the catalogue's."""

    function: Callable[..., Any]
    arguments: Mapping[str, Any]
    shape: tuple[int, ...] | None

    def __call__(self, data: Any, rng: np.random.Generator) -> Any:
        """Return one output."""
        return _checked(self.function(data, rng, **self.arguments), self.shape)


@dataclass(frozen=True)
class BoundSampler:
    """An object of the implementation with a method `sample` and its arguments, as a mechanism that runs a batch at a call."""

    sampler: Any
    arguments: Mapping[str, Any]
    shape: tuple[int, ...] | None

    def sample(self, data: Any, trials: int, rng: np.random.Generator) -> list[Any]:
        """Return a batch of outputs."""
        return [_checked(output, self.shape) for output in self.sampler.sample(data, trials, rng, **self.arguments)]


@dataclass(frozen=True)
class BoundMessages:
    """A local protocol of the implementation as a mechanism of its messages, by rows or of one row."""

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
    except (Exception, SystemExit) as error:  # anything may happen in somebody else's module
        raise ImplementationError(f"cannot import {module_name}: {error_text(error)}") from error
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


def audits(algorithms: Mapping[str, Any], suite: Sequence[Instance], target: Claim | None = None) -> list[Instance]:
    """Return the audits of an implementation, at the target if one is given, else at the suite's claims.

    Raises:
        ImplementationError: a named algorithm claims no privacy, so there is nothing to audit.
    """
    taken: list[Instance] = []
    for key, function in algorithms.items():
        name = key.removesuffix(_MESSAGES)
        if not ALGORITHMS[name].private:
            raise ImplementationError(f"{key} claims no privacy: nothing to audit")
        found = list(_of_the_suite([instance for instance in suite if instance.algorithm == name], key, target))
        if key == name:
            found += [_aimed(audit, target) for audit in _declared(name)]
            found = found or [_aimed(_on_the_example(name), target)]
        if not found:
            raise ImplementationError(f"{key}: {name} has no messages, name it as {name!r}")
        of = function if hasattr(function, "__qualname__") else type(function)
        label = f"{of.__module__}:{of.__qualname__}"
        taken += _instances(name, "implementation", list(_variants(function, key, found, label)), SECONDS)
        for share in NOISE_SHARES:
            weaker = [each for audit in found for each in _with_less_noise(name, audit, share)]
            taken += _instances(name, f"reference, noise x {share:g}", weaker, SECONDS_A_SHARE, asks=True)
    return taken


def _instances(key: str, choice: str, made: Sequence[_Audit], seconds: float, *, asks: bool = False) -> list[Instance]:
    """Return the instances of what is run, with names of their own, within so many seconds together."""
    names, taken = [each.name for each in made], []
    for i, each in enumerate(made):
        label = each.name if names.count(each.name) == 1 else f"{each.name} ({i})"
        setup = Setup("output", label, partial(_made, how=each.how))
        least = SEARCH_LEAST if isinstance(each.how, SearchedPair) else MIN_TRIALS
        expected: Word = "REFUTED" if asks else "NOT REFUTED"
        share = seconds / len(made)
        taken.append(Instance(key, choice, setup, each.claim, expected, trials=TRIALS, least=least, seconds=share, asks=asks))
    return taken


def _made(_: Instance, how: How) -> How:
    return how


@dataclass(frozen=True)
class _Audit:
    """What is run on a pair, at a claim."""

    name: str
    claim: Claim
    how: How


def _of_the_suite(of_key: Sequence[Instance], key: str, target: Claim | None) -> Iterator[_Audit]:
    """Yield the suite's output audits that an implementation can take part in."""
    for instance in of_key:
        if instance.choice != "CORRECTED" or instance.view != "output" or instance.relation is not None:
            continue
        how = instance.built()
        if not isinstance(how, Output | OneRun) or how.arguments is None or (isinstance(how, Output) and how.start is not None):
            continue  # the audit fixes draws that the catalogue's arguments do not
        if key.endswith(_MESSAGES) != (isinstance(how, OneRun) or how.message):
            continue
        yield _aimed(_Audit(instance.name, instance.claim, replace(how, profile=None)), target)


def _of_the_reference(key: str, arguments: Mapping[str, Any]) -> Callable[[Any, np.random.Generator], Any]:
    return sampled(ALGORITHMS[key].bind(**arguments, choices=ALGORITHMS[key].choices["CORRECTED"]))


def _on_the_example(key: str) -> _Audit:
    """Return the output audit of an algorithm on its catalogue entry's example."""
    example, arguments = ALGORITHMS[key].example, ALGORITHMS[key].example.arguments
    how = Output(_of_the_reference(key, arguments), example.data, example.neighbour, Subspace(), arguments)
    return _Audit("the example", Claim(arguments["epsilon"], arguments.get("delta", 0.0)), how)


def _declared(key: str) -> Iterator[_Audit]:
    """Yield the pairs in the plane that follow from unit rows: a long row among short ones, a row and its opposite, steps.

    A row and its opposite have one second moment, and a basis may have any signs; those of the output must not tell of the row.
    A hundred rows of length 1/10 along e_2 and one at e_1, or at 0: what scales the rows by the longest one makes the short
    ones long when it goes. Steps: A has +-1/2 beside its diagonal. With diag(15.5, 11.5) an iterate leans from e_1 by 3/4 of
    what it leaned before and by what the step adds, so that the last one shows all of many steps, but hardly the start. With
    diag(150.5, 0.5) the first of two steps finds e_1, and the last one shows its own noise alone.
    """
    entry = ALGORITHMS[key]
    example = dict(entry.example.arguments)
    if type(entry.data) is not UnitRows or not example.keys() & {"d", "k"}:
        return
    wide = {name: value for name, value in (("d", 2), ("p", 2), ("k", 1)) if name in example}
    claim = LARGE if "delta" in example else PURE
    aim = {"epsilon": claim.epsilon, **({"delta": claim.delta} if "delta" in example else {})}
    short = np.tile([[0.0, 0.1]], (100, 1))
    first, others = np.array([[0.6, 0.8]]), np.array([[0.5, 0.0], [0.0, 0.5]])
    pairs: list[tuple[str, Any, Any, dict[str, Any], Features | None]] = [
        ("a long row among short ones", np.vstack([[[1.0, 0.0]], short]), np.vstack([[[0.0, 0.0]], short]), {}, Subspace()),
        ("a row and its opposite", np.vstack([first, others]), np.vstack([-first, others]), {}, None),
    ]
    for number, copies in ((2, [150, 0]), (MANY_STEPS, [15, 11])):
        steps: dict[str, Any] = {name: number for name in STEPS if name in example}
        if "step_sizes" in example:
            steps["step_sizes"] = np.full(number, example["step_sizes"][0])
        if steps:
            rows = np.repeat(np.eye(2), copies, axis=0)
            data, neighbour = (np.vstack([np.sqrt([[0.5, 0.5]]) * [[1.0, sign]], rows]) for sign in (1.0, -1.0))
            pairs.append((f"{number} steps", data, neighbour, steps, Subspace()))
    for name, data, neighbour, more, features in pairs:
        sizes = {"n": len(data)} if "n" in example else {}
        arguments = {**example, **wide, **sizes, **more}
        try:
            at, arguments = claim, {**arguments, **aim}
            mechanism = _of_the_reference(key, arguments)
        except ValueError:  # its calibration refuses so much epsilon; the example's target it takes
            at = Claim(example["epsilon"], example.get("delta", 0.0))
            arguments = {**arguments, "epsilon": at.epsilon, **({"delta": at.delta} if "delta" in example else {})}
            mechanism = _of_the_reference(key, arguments)
        yield _Audit(name, at, Output(mechanism, data, neighbour, features, arguments))


def _aimed(audit: _Audit, target: Claim | None) -> _Audit:
    """Return the audit at another target: the same pair, other arguments."""
    how = audit.how
    if target is None or not isinstance(how, Output | OneRun) or how.arguments is None:
        return audit
    aimed = {"epsilon": target.epsilon, "delta": target.delta}
    arguments = {**how.arguments, **{name: value for name, value in aimed.items() if name in how.arguments}}
    if "delta" not in how.arguments:
        target = Claim(target.epsilon)
    return replace(audit, claim=target, how=replace(how, arguments=arguments))


def _with_less_noise(key: str, audit: _Audit, share: float) -> Iterator[_Audit]:
    """Yield the audit of the reference with a share of the noise, if its calibration says how much there is."""
    entry, how = ALGORITHMS[key], audit.how
    if entry.calibrate is None or not isinstance(how, Output) or how.arguments is None or how.message:
        return

    def mechanism(data: Any, rng: np.random.Generator) -> Any:
        return weaker()(data, rng)

    @cache
    def weaker() -> Callable[[Any, np.random.Generator], Any]:
        with recalibrated(entry, lambda calibration: scaled(calibration, NOISE, share)):
            return _of_the_reference(key, how.arguments or {})

    yield replace(audit, how=replace(how, mechanism=mechanism, arguments=None, implementation=f"reference, noise x {share:g}"))


def _variants(function: Any, key: str, found: Sequence[_Audit], label: str) -> Iterator[_Audit]:
    """Yield the audits of a function: on all pairs, on the first one rotated, and on one that a search finds from it."""
    for audit in found:
        yield _in_place(function, audit, label)
    how = found[0].how
    if isinstance(how, OneRun):
        rotated = replace(found[0], name=f"{found[0].name}, rotated")
        yield _in_place(
            function, replace(rotated, how=replace(how, data=_rotated(how.data), neighbour=_rotated(how.neighbour))), label
        )
        return
    first = _in_place(function, found[0], label)
    how = first.how
    if not isinstance(how, Output):
        raise TypeError(f"audit must be of outputs, got {first.name}")
    rotated_how = replace(how, data=_rotated(how.data), neighbour=_rotated(how.neighbour))
    if ALGORITHMS[key.removesuffix(_MESSAGES)].returns.is_basis and how.features is not None:
        rotated_how = replace(rotated_how, features=_RotatedBack(how.features))
    yield replace(first, name=f"{first.name}, rotated", how=rotated_how)
    search = SearchedPair(how.mechanism, NearPair(how.data, how.neighbour), Subspace(), implementation=label)
    yield replace(first, name=f"{first.name}, searched", how=search)


def _in_place(function: Any, audit: _Audit, label: str) -> _Audit:
    """Return the audit with the function in the mechanism's place."""
    how = audit.how
    if isinstance(how, OneRun) and how.arguments is not None:
        messages = BoundMessages(function, how.arguments).all
        return replace(audit, how=replace(how, messages=messages, implementation=label))
    if not isinstance(how, Output) or how.arguments is None:
        raise TypeError(f"audit must be of outputs, with arguments, got {audit.name}")
    mechanism: Any = BoundMessages(function, how.arguments)
    if not how.message:
        shape = getattr(how.mechanism(how.data, np.random.default_rng(0)), "shape", None)
        mechanism = (BoundSampler if hasattr(function, "sample") else Bound)(function, how.arguments, shape)
    return replace(audit, how=replace(how, mechanism=mechanism, implementation=label))


def _rotation(d: int) -> NDArray[np.float64]:
    """Return the rotation by ANGLE in the plane of the first two of d axes."""
    R = np.eye(d)
    if d >= 2:
        R[:2, :2] = [[np.cos(ANGLE), -np.sin(ANGLE)], [np.sin(ANGLE), np.cos(ANGLE)]]
    return R


def _rotated(data: Any) -> Any:
    """Return the data rotated: rows, matrices (conjugated), one row, or integer points (sheared, as integers must stay so)."""
    if isinstance(data, list):
        return [[row[0] + row[1], *row[1:]] for row in data]
    R = _rotation(data.shape[-1])
    return R @ data @ R.T if data.ndim == 3 else data @ R.T


@dataclass(frozen=True)
class _RotatedBack:
    """The features of an orthonormal basis in the coordinates before the rotation."""

    features: Features

    def __call__(self, basis: Any) -> Any:
        """Return the features of one output."""
        return self.features(_rotation(len(basis)).T @ basis) if isinstance(basis, np.ndarray) else self.features(basis)


@dataclass(frozen=True)
class NearPair:
    """A generator of pairs for a search: a given pair, and variations of it, in which one record is replaced by others.

    The two records are among those of the pair, their opposites, zero, and directions at random as long as one of these.
    """

    data: Any
    neighbour: Any

    def __call__(self, rng: np.random.Generator) -> tuple[Any, Any]:
        """Return the given pair, or as often a variation of it."""
        return (self.data, self.neighbour) if rng.random() < START else self.near((self.data, self.neighbour), rng)

    def near(self, pair: tuple[Any, Any], rng: np.random.Generator) -> tuple[Any, Any]:
        """Return a pair that differs in one record, the others being those of this pair's first dataset."""
        rows = np.asarray(pair[0], dtype=float)
        single = rows.ndim == 1
        if single:
            rows = rows[np.newaxis]
        pool = np.concatenate([rows, np.atleast_2d(np.asarray(pair[1], dtype=float)) if rows.ndim == 2 else rows])
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
