"""Another implementation in place of the catalogue's algorithms: `pytest audit/ --implementation pkg.module:object`.

The object is a mapping, or has an attribute `algorithms` that is one. It maps

    "<key>"           to what replaces the catalogue's algorithm of that key: a callable (data, rng, **arguments) -> output,
                      or an object with sample(data, trials, rng, **arguments) -> outputs (first axis: trials);
    "<key>:messages"  for a local protocol to what its clients send: a callable (rows, rng, **arguments) -> messages,
                      one a row.

`arguments` are those of the catalogue's `bind`, without choices: the target (epsilon, delta) and the sizes. Outputs have
the form of the catalogue's. `rng` is a numpy Generator and should be the only source of randomness: then a seed repeats
the run. An implementation answers for the claims that hold of the algorithm as CORRECTED, so every audit of it expects
NOT REFUTED. A combination of arguments that it does not have it refuses with NotImplementedError.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dppca.audit.engine.results import Claim
from dppca.audit.features import Subspace
from dppca.audit.suite.instance import Instance, OneRun, Output
from dppca.reference.catalog import ALGORITHMS
from dppca.reference.noise import Sample

#: Seconds that one call may take where no limit is given: what hangs is not known to end.
CALL_TIMEOUT = 60.0
#: Trials on the catalogue's examples.
EXAMPLE_TRIALS = 2000
_MESSAGES = ":messages"
#: How an audit of a mechanism that refuses its arguments ends.
REFUSED = "raised NotImplementedError"


class ImplementationError(ValueError):
    """What --implementation names cannot be audited."""


@dataclass(frozen=True)
class Bound:
    """A foreign callable with its arguments, as a mechanism; its outputs must have the shape of the catalogue's."""

    function: Callable[..., Any]
    arguments: Mapping[str, Any]
    shape: tuple[int, ...] | None

    def __call__(self, data: Any, rng: np.random.Generator) -> Any:
        """One output."""
        return _checked(self.function(data, rng, **self.arguments), self.shape)


@dataclass(frozen=True)
class BoundSampler:
    """The same of an object with a method `sample`."""

    sampler: Any
    arguments: Mapping[str, Any]
    shape: tuple[int, ...] | None

    def sample(self, data: Any, trials: int, rng: np.random.Generator) -> list[Any]:
        """A batch of outputs."""
        return [_checked(output, self.shape) for output in self.sampler.sample(data, trials, rng, **self.arguments)]


@dataclass(frozen=True)
class BoundMessages:
    """The messages of a foreign local protocol, by rows or of one row."""

    function: Callable[..., Any]
    arguments: Mapping[str, Any]

    def __call__(self, row: Any, rng: np.random.Generator) -> Any:
        """One client's message."""
        (message,) = self.all(row[np.newaxis], rng)
        return message

    def all(self, rows: Any, rng: np.random.Generator) -> Sequence[Any]:
        """Every client's message."""
        messages: Sequence[Any] = self.function(rows, rng, **self.arguments)
        if len(messages) != len(rows):
            raise ValueError(f"messages must be one a row, got {len(messages)} for {len(rows)} rows")
        return messages


def load(name: str) -> Mapping[str, Any]:
    """The algorithms of an implementation by key; ImplementationError says what is wrong with it."""
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


def audits(algorithms: Mapping[str, Any], instances: Sequence[Instance]) -> tuple[list[Instance], list[tuple[Instance, str]]]:
    """The audits that an implementation can take part in, and the others with the reason why not.

    An algorithm of which the suite has no output audit is audited on the catalogue's example.
    """
    taken, skipped = [], []
    for instance in instances:
        if instance.choice != "CORRECTED":
            continue  # another reading: the same outputs, or a claim that nobody can keep
        reason = _reason(algorithms, instance)
        if reason is None:
            most = max(_trials(other) for other in instances if _same_question(other, instance))
            taken.append(_replaced(algorithms, instance, most))
        else:
            skipped.append((instance, reason))
    audited = {instance.algorithm for instance in taken}
    others = [key for key in algorithms if key in ALGORITHMS and key not in audited]
    private = [key for key in others if "epsilon" in ALGORITHMS[key].example.arguments]
    return taken + [_replaced(algorithms, _on_the_example(key), EXAMPLE_TRIALS) for key in private], skipped


def _on_the_example(key: str) -> Instance:
    """The output audit of an algorithm on its catalogue entry's example."""
    entry = ALGORITHMS[key]
    example, arguments = entry.example, entry.example.arguments
    run = entry.bind(**arguments, choices=entry.choices["CORRECTED"])
    claim = Claim(arguments["epsilon"], arguments.get("delta", 0.0))

    def mechanism(data: Any, rng: np.random.Generator) -> Any:
        return run(data, Sample(rng))

    how = Output(mechanism, example.data, example.neighbour, EXAMPLE_TRIALS, Subspace(), arguments)
    return Instance(key, "CORRECTED", "the catalogue's example", claim, how, True, None)


def _same_question(one: Instance, other: Instance) -> bool:
    """Whether two instances differ in the choice alone; the one that must refute has the trials for it."""
    return (one.algorithm, one.view, one.name, one.claim) == (other.algorithm, other.view, other.name, other.claim)


def _trials(instance: Instance) -> int:
    return instance.how.trials if isinstance(instance.how, Output | OneRun) else 0


def _reason(algorithms: Mapping[str, Any], instance: Instance) -> str | None:
    """Why an implementation cannot take the place of the catalogue's algorithm; None if it can."""
    if not any(key.removesuffix(_MESSAGES) == instance.algorithm for key in algorithms):
        return f"the implementation has no {instance.algorithm}"
    if not isinstance(instance.how, Output | OneRun):
        return f"the {instance.view} view looks inside the reference"
    if instance.how.arguments is None:
        return "the audit fixes draws that the catalogue's arguments do not"
    key = _key(instance)
    return None if key in algorithms else f"the implementation has no {key}"


def _key(instance: Instance) -> str:
    messages = isinstance(instance.how, OneRun) or (isinstance(instance.how, Output) and instance.how.message)
    return instance.algorithm + _MESSAGES * messages


def _replaced(algorithms: Mapping[str, Any], instance: Instance, trials: int) -> Instance:
    function, how = algorithms[_key(instance)], instance.how
    if isinstance(how, OneRun) and how.arguments is not None:
        return _asking(instance, replace(how, messages=BoundMessages(function, how.arguments).all, trials=trials))
    if not isinstance(how, Output) or how.arguments is None:
        raise TypeError(f"instance must be an output audit with arguments, got {instance.id}")
    shape = getattr(how.mechanism(how.data, np.random.default_rng(0)), "shape", None)
    mechanism: Any = BoundMessages(function, how.arguments)
    if not how.message:
        mechanism = (BoundSampler if hasattr(function, "sample") else Bound)(function, how.arguments, shape)
    return _asking(instance, replace(how, mechanism=mechanism, trials=trials))


def _asking(instance: Instance, how: Output | OneRun) -> Instance:
    """The instance for an implementation of which only the claim is known."""
    return replace(instance, choice="foreign", how=how, holds=True, exact_epsilon=None)


def _checked(output: Any, shape: tuple[int, ...] | None) -> Any:
    if shape is not None and output is not None and np.shape(output) != shape:
        raise ValueError(f"output must have shape {shape}, as the catalogue's has, got {np.shape(output)}")
    return output
