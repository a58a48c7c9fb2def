"""Another implementation in place of the catalogue's algorithms: `pytest audit/ --implementation pkg.module:object`.

The object is a mapping, or has an attribute `algorithms` that is one. It maps

    "<key>"           to what replaces the catalogue's algorithm of that key: a callable (data, rng, **arguments) -> output,
                      or an object with sample(data, trials, rng, **arguments) -> outputs (first axis: trials);
    "<key>:messages"  for a local protocol to what its clients send: a callable (rows, rng, **arguments) -> messages,
                      one a row.

`arguments` are those of `Declaration.bind`, without choices: the target (epsilon, delta) and the sizes. Outputs have the form
of the catalogue's. `rng` is a numpy Generator and should be the only source of randomness: then a seed repeats the run.

Two things are asked. *Is it private?* An implementation answers for the claims that hold of the algorithm as CORRECTED, so
every audit of a pair expects NOT REFUTED: of pairs of the suite, of that at which the releases move most, of pairs that follow
from the declaration (several steps, more records, a long one among short ones, one off a line, one and its opposite), and
of one of them after a rotation, so that the change has no coordinates of its own. *Is it this algorithm?* On the same datasets
its outputs are compared with the reference's. Two laws are the same where (0, 0)-differential privacy holds between them, so
the same test decides, with the same error: DIFFERS says that the laws are not the same, and nothing of privacy.

What the same seconds find is asked of the reference with less noise at every release. What the mapping names must work: a
NotImplementedError is a failure, and so is a run in which a named algorithm was not audited.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dppca.audit.auditor.outputs import Features
from dppca.audit.auditor.results import Claim
from dppca.audit.execution.arguments import is_sampler
from dppca.audit.features import Subspace
from dppca.audit.suite.audits import maximisers
from dppca.audit.suite.instance import DIFFERENCE, PRIVACY, How, Instance, OneRun, Output, Setup, sampled
from dppca.audit.suite.planted import NOISE, released_by, scaled
from dppca.reference.catalog import ALGORITHMS
from dppca.reference.declaration import Declaration, RealRows, UnitRows
from dppca.reference.liu2022.data import RealRecords
from dppca.reference.relation import Relation
from dppca.reference.rigour.validation import error_text

#: Seconds that one call may take where no limit is given: what hangs is not known to end.
CALL_TIMEOUT = 60.0
#: Processor seconds of an algorithm at the standard budget, and of the reference with a share of the noise, for each of these
#: shares: of the audits of privacy together, and of the comparisons with the reference. At the quick budget that is a fifth.
SECONDS, SECONDS_A_SHARE = (80.0, 50.0), (18.0, 12.0)
NOISE_SHARES = (0.5, 0.7, 0.9)
#: Trials at the standard budget at most, whatever time is left.
TRIALS = 100_000
#: Claims of pairs that follow from the declaration; a few thousand outputs show a failure.
LARGE, PURE = Claim(4.0, 0.2), Claim(4.0, 0.0)
#: Two mechanisms between which this holds have one law.
SAME_LAW = Claim(0.0, 0.0)
#: Targets at which laws are compared too: with so little noise, outputs show what is added to what, and how often.
PLAIN = (600.0, 60.0, 10.0)
#: Arguments that number the steps, and how many there are.
STEPS, MANY_STEPS = ("L", "T"), 16
#: Records on a line, at least, and their lengths in turn, as what is estimated may be a spread. Steps are so long there that
#: the last one leaves nothing of the start.
RECORDS, LENGTHS, LONG_STEPS = 100, (0.6, 0.3), 1e6
#: Angle by which pairs are rotated in the plane of the first two axes: 45 degrees take axes to diagonals.
ANGLE = np.pi / 4.0
#: The choice that the report names for what is audited.
OWN = "implementation"
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
        """Return every client's message; ValueError where there is not one a row."""
        messages: Sequence[Any] = self.function(rows, rng, **self.arguments)
        if len(messages) != len(rows):
            raise ValueError(f"messages must be one a row, got {len(messages)} for {len(rows)} rows")
        return messages


@dataclass(frozen=True)
class Crowd:
    """A local protocol as a mechanism that runs a batch at a call: all clients hold one row."""

    messages: Callable[[Any, np.random.Generator], Sequence[Any]]

    def sample(self, row: Any, trials: int, rng: np.random.Generator) -> Sequence[Any]:
        """Return the messages of so many clients."""
        return self.messages(np.repeat(row[np.newaxis], trials, axis=0), rng)


@dataclass(frozen=True)
class Against:
    """Two mechanisms as one, whose dataset says which of them runs and on what."""

    mechanisms: Mapping[str, Any]

    def __call__(self, data: tuple[str, Any], rng: np.random.Generator) -> Any:
        """Return one output."""
        whose, rows = data
        return self.mechanisms[whose](rows, rng)


class AgainstSampler(Against):
    """The same where one of them runs a batch at a call."""

    def sample(self, data: tuple[str, Any], trials: int, rng: np.random.Generator) -> list[Any]:
        """Return a batch of outputs."""
        whose, rows = data
        mechanism = self.mechanisms[whose]
        return list(
            mechanism.sample(rows, trials, rng) if is_sampler(mechanism) else (mechanism(rows, rng) for _ in range(trials))
        )


@dataclass(frozen=True)
class LessNoise:
    """A mechanism of the reference with a share of the noise at every release."""

    mechanism: Any
    share: float

    def _law(self, _noise: Any, _value: Any, law: Any) -> Any:
        return scaled(law, NOISE, self.share)

    def __call__(self, data: Any, rng: np.random.Generator) -> Any:
        """Return one output."""
        with released_by(self._law):
            return self.mechanism(data, rng)


class LessNoiseSampler(LessNoise):
    """The same of a mechanism that runs a batch at a call."""

    def sample(self, data: Any, trials: int, rng: np.random.Generator) -> Any:
        """Return a batch of outputs."""
        with released_by(self._law):
            return self.mechanism.sample(data, trials, rng)


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
            found += [_aimed(audit, name, target) for audit in _declared(name)]
        if not found:
            raise ImplementationError(f"{key}: {name} has no messages, name it as {name!r}")
        compared = [*_compared(key, found)]
        of = function if hasattr(function, "__qualname__") else type(function)
        own = partial(_in_place, function, f"{of.__module__}:{of.__qualname__}")
        taken += _instances(name, OWN, [own(audit) for audit in (*found, _turned(found[0], key))], SECONDS[0])
        taken += _instances(name, f"{OWN}, law", [_against(audit, own(audit)) for audit in compared], SECONDS[1])
        before = None
        for share in NOISE_SHARES:
            less = partial(_with_less_noise, share)
            both = [less(audit) for audit in found], [_against(audit, less(audit)) for audit in compared]
            for kind, made, seconds in zip(("", ", law"), both, SECONDS_A_SHARE, strict=True):
                after = "" if before is None else with_noise(before) + kind
                taken += _instances(name, with_noise(share) + kind, made, seconds, asks=True, after=after)
            before = share
    return taken


def with_noise(share: float) -> str:
    """Return in words how much noise the reference has."""
    return f"reference, noise x {share:g}"


def _instances(
    key: str, choice: str, made: Sequence[_Audit], seconds: float, *, asks: bool = False, after: str = ""
) -> list[Instance]:
    """Return the instances of what is run, with names of their own, within so many seconds together."""
    names, taken = [each.name for each in made], []
    for i, each in enumerate(made):
        label = each.name if names.count(each.name) == 1 else f"{each.name} ({i})"
        setup = Setup("output", label, partial(_made, how=each.how))
        words = DIFFERENCE if each.claim is SAME_LAW else PRIVACY
        limits: dict[str, Any] = {"trials": TRIALS, "seconds": seconds / len(made)}
        taken.append(Instance(key, choice, setup, each.claim, words[asks], words=words, asks=asks, after=after, **limits))
    return taken


def _made(_: Instance, how: How) -> How:
    return how


@dataclass(frozen=True)
class _Audit:
    """The reference on a pair, at a claim, with the arguments with which another implementation can take its place."""

    name: str
    claim: Claim
    how: Output


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
        if key.endswith(_MESSAGES) and target is not None:
            yield from _of_the_suite([replace(instance, claim=target)], key, None)
            continue
        if isinstance(how, OneRun):
            how = Output(Crowd(how.messages), how.data, how.neighbour, arguments=how.arguments, message=True)
        yield _aimed(_Audit(instance.name, instance.claim, replace(how, profile=None)), key, target)


def _of_the_reference(key: str, arguments: Mapping[str, Any]) -> Callable[[Any, np.random.Generator], Any]:
    return sampled(ALGORITHMS[key].bind(**arguments, choices=ALGORITHMS[key].choices["CORRECTED"]))


def _declared(key: str) -> Iterator[_Audit]:
    """Yield the pairs that follow from a declaration; of real records, the last one is on a line.

    First that at which the releases move by as much as they declare. Of unit rows, pairs in the plane. A row and its opposite
    have one second moment, and a basis may have any signs; those of the output must not tell of the row. A hundred rows of
    length 1/10 along e_2 and one at e_1, or at 0: what scales the rows by the longest one makes the short ones long when it
    goes. Steps: A has +-1/2 beside its diagonal. With diag(15.5, 11.5) an iterate leans from e_1 by 3/4 of what it leaned
    before and by what the step adds, so that the last one shows all of many steps, but hardly the start. With diag(150.5, 0.5)
    the first of two steps finds e_1, and the last one shows its own noise alone. Of real records, those on a line: whatever the
    start was, a long step finds the line, and the output shows what is added to it. Where neighbours have a record more or
    less, the one that changes goes.
    """
    entry, most = ALGORITHMS[key], maximisers()[key]
    example = {**entry.example.arguments}
    at = Claim(example["epsilon"], example.get("delta", 0.0))
    pairs: list[_Pair] = [("the largest move", *most.pair, {**example, **most.arguments}, Subspace())]
    pairs += _in_the_plane(example) if type(entry.data) is UnitRows and example.keys() & {"d", "k"} else ()
    if _is_real(entry):
        pairs.append(_off_the_line(np.shape(entry.example.data), example))
    for name, data, turned, arguments, features in pairs:
        replaced = len(data) == len(turned)
        removed = entry.relation is Relation.ADD_REMOVE and replaced
        neighbour = data[(data == turned).all(axis=1)] if removed else turned
        for claim in (LARGE if "delta" in example else PURE, at):
            try:  # a calibration may refuse so much epsilon; the example's target it takes
                audit = _Audit(name, claim, Output(None, data, neighbour, features, arguments))
                yield _aimed(audit, key, claim)
                break
            except ValueError:
                continue


_Pair: TypeAlias = tuple[str, Any, Any, dict[str, Any], Features | None]


def _in_the_plane(example: Mapping[str, Any]) -> Iterator[_Pair]:
    """Yield the pairs in the plane, with the arguments of each."""
    wide = {**example, **{name: value for name, value in (("d", 2), ("p", 2), ("k", 1)) if name in example}}
    short = np.tile([[0.0, 0.1]], (100, 1))
    first, others = np.array([[0.6, 0.8]]), np.array([[0.5, 0.0], [0.0, 0.5]])

    def sized(data: Any) -> dict[str, Any]:
        return {**wide, **({"n": len(data)} if "n" in example else {})}

    data = np.vstack([first, others])
    yield "a row and its opposite", data, np.vstack([-first, others]), sized(data), None
    data = np.vstack([[[1.0, 0.0]], short])
    yield "a long row among short ones", data, np.vstack([[[0.0, 0.0]], short]), sized(data), Subspace()
    for number, copies in ((2, [150, 0]), (MANY_STEPS, [15, 11])):
        steps: dict[str, Any] = {name: number for name in STEPS if name in example}
        if "step_sizes" in example:
            steps["step_sizes"] = np.full(number, example["step_sizes"][0])
        if steps:
            rows = np.repeat(np.eye(2), copies, axis=0)
            data, neighbour = (np.vstack([np.sqrt([[0.5, 0.5]]) * [[1.0, sign]], rows]) for sign in (1.0, -1.0))
            yield f"{number} steps", data, neighbour, {**sized(data), **steps}, Subspace()


def _off_the_line(shape: tuple[int, ...], example: Mapping[str, Any]) -> _Pair:
    """Return the pair of records on a line, of which one leaves it, with its arguments; as many as the example has."""
    number, first = max(shape[0], RECORDS), np.eye(shape[1])[0]
    arguments = {**example, **({"n": number} if "n" in example else {})}
    if "step_sizes" in example:
        given = example["step_sizes"]
        arguments["step_sizes"] = LONG_STEPS * np.resize(given, number if len(given) == example.get("n") else len(given))
    data = np.resize(LENGTHS, number)[:, np.newaxis] * first
    other = LENGTHS[0] * np.sqrt(0.5) * (first + np.eye(shape[1])[-1])
    return "a record off the line", data, np.vstack([data[:-1], other]), arguments, Subspace()


def _aimed(audit: _Audit, key: str, target: Claim | None) -> _Audit:
    """Return the audit at another target: the same pair, other arguments; ValueError where its calibration refuses it."""
    if target is None or audit.how.arguments is None:
        return audit
    aimed = {"epsilon": target.epsilon, "delta": target.delta}
    arguments = {**audit.how.arguments, **{name: aimed[name] for name in aimed if name in audit.how.arguments}}
    claim = target if "delta" in arguments else Claim(target.epsilon)
    return replace(audit, claim=claim, how=replace(audit.how, mechanism=_of_the_reference(key, arguments), arguments=arguments))


def _turned(audit: _Audit, key: str) -> _Audit:
    """Return the audit on the rotated pair."""
    how = replace(audit.how, data=_rotated(audit.how.data), neighbour=_rotated(audit.how.neighbour))
    if key in ALGORITHMS and ALGORITHMS[key].returns.is_basis and how.features is not None:
        how = replace(how, features=_RotatedBack(how.features))
    return replace(audit, name=f"{audit.name}, rotated", how=how)


@dataclass(frozen=True)
class EntriesAndSpan:
    """The features of an output of which every entry counts; of a basis also its span's, which no sign hides."""

    def __call__(self, output: Any) -> Any:
        """Return the features of one output."""
        of_span = Subspace()(output)
        return output if of_span is output else np.concatenate([np.ravel(output), of_span])


def _compared(key: str, found: Sequence[_Audit]) -> Iterator[_Audit]:
    """Yield the audits on whose second dataset laws are compared: of records on a line first with little noise.

    They are compared as known answers are.
    """
    entry = ALGORITHMS[key.removesuffix(_MESSAGES)]
    of_span = entry.returns.rule == "projector" and not key.endswith(_MESSAGES)
    for audit in (*(_plain(found[-1], key) if _is_real(entry) and key in ALGORITHMS else ()), *found):
        yield replace(audit, how=replace(audit.how, features=Subspace() if of_span else EntriesAndSpan()))


def _is_real(entry: Declaration) -> bool:
    return isinstance(entry.data, RealRows | RealRecords)


def _plain(audit: _Audit, key: str) -> Iterator[_Audit]:
    """Yield the audit at the targets of little noise that its calibration takes."""
    for epsilon in PLAIN:
        try:
            yield _aimed(replace(audit, name=f"{audit.name}, epsilon = {epsilon:g}"), key, Claim(epsilon, audit.claim.delta))
        except ValueError:
            continue


def _in_place(function: Any, label: str, audit: _Audit) -> _Audit:
    """Return the audit with the function in the reference's place."""
    how, arguments = audit.how, audit.how.arguments or {}
    messages = BoundMessages(function, arguments)
    mechanism: Any = Crowd(messages.all) if is_sampler(how.mechanism) else messages
    if not how.message:
        shape = getattr(how.mechanism(how.data, np.random.default_rng(0)), "shape", None)
        mechanism = (BoundSampler if hasattr(function, "sample") else Bound)(function, arguments, shape)
    return replace(audit, how=replace(how, mechanism=mechanism, implementation=label))


def _with_less_noise(share: float, audit: _Audit) -> _Audit:
    """Return the audit with a share of the reference's noise."""
    less = LessNoiseSampler if is_sampler(audit.how.mechanism) else LessNoise
    return replace(
        audit,
        how=replace(audit.how, mechanism=less(audit.how.mechanism, share), arguments=None, implementation=with_noise(share)),
    )


def _against(reference: _Audit, other: _Audit) -> _Audit:
    """Return the comparison of what runs in the reference's place with the reference, on the second dataset."""
    both = {other.how.implementation: other.how.mechanism, "the reference": reference.how.mechanism}
    kind = AgainstSampler if any(map(is_sampler, both.values())) else Against
    data, neighbour = ((whose, other.how.neighbour) for whose in both)
    return replace(other, claim=SAME_LAW, how=replace(other.how, mechanism=kind(both), data=data, neighbour=neighbour))


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


def _checked(output: Any, shape: tuple[int, ...] | None) -> Any:
    if shape is not None and output is not None and np.shape(output) != shape:
        raise ValueError(f"output must have shape {shape}, as the catalogue's has, got {np.shape(output)}")
    return output
