"""Checks of the arguments that audits have: every error is one line with the argument, the requirement and the value."""

from __future__ import annotations

import inspect
import json
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sized
from contextlib import suppress
from numbers import Integral
from typing import Any, Protocol, TypeAlias

import numpy as np

from dppca.audit.auditor.curves import Curve
from dppca.audit.auditor.results import Claim, described
from dppca.audit.execution.store import Store
from dppca.reference.noise import Noise
from dppca.reference.rigour.validation import check_delta, check_probability, shown

MIN_TRIALS = 100


class Sampler(Protocol):
    """A mechanism that runs a batch of trials at a call."""

    def sample(self, data: Any, trials: int, rng: np.random.Generator, /) -> Any:
        """Return so many outputs, along the first axis."""


Mechanism: TypeAlias = Callable[[Any, np.random.Generator], Any] | Sampler


def check_arguments(delta: Any, trials: Any, confidence: Any, seed: Any) -> tuple[float, int, float, int]:
    """Return the arguments that every audit has as Python's numbers, which cannot overflow; ValueError outside their range."""
    delta = check_delta(delta, allow_zero=True)
    if not _is_integer(trials) or trials < MIN_TRIALS:
        raise ValueError(f"trials must be an integer >= {MIN_TRIALS}, got {shown(trials)}")
    confidence = check_probability("confidence", confidence)
    if not _is_integer(seed):
        raise ValueError(f"seed must be an integer >= 0, got {shown(seed)}")
    if seed < 0:
        raise ValueError(f"seed must be >= 0, got {shown(seed)}")
    return delta, int(trials), confidence, int(seed)


def check_claim(claim: Any) -> Claim | Curve:
    """Return a claim; ValueError for anything else."""
    if not isinstance(claim, Claim | Curve):
        raise ValueError(f"claim must be a Claim, as in audit.Claim(epsilon=1.0, delta=1e-6), got {described(claim)}")  # noqa: TRY004
    return claim


def check_mechanism(mechanism: Any) -> None:
    """Raise ValueError for what is no mechanism."""
    wanted = "mechanism must be callable or have a method sample"
    if isinstance(mechanism, type) and _sample(mechanism) is not None:
        raise ValueError(f"{wanted}, got the class {mechanism.__name__}: make an object of it")
    if _sample(mechanism) is None and not callable(mechanism):
        raise ValueError(f"{wanted}, got {described(mechanism)}")
    if is_sampler(mechanism):
        return
    name = getattr(mechanism, "__name__", "mechanism")
    if _is(mechanism, inspect.iscoroutinefunction):
        problem = f"is a coroutine function: write lambda data, rng: asyncio.run({name}(data, rng))"
        raise ValueError(f"mechanism must be a callable (data, rng) -> output, but {name} {problem}")
    if _takes(mechanism, 2):
        return
    hint = f"; if it draws from a generator of its own, write lambda data, rng: {name}(data)" * _takes(mechanism, 1)
    raise ValueError(f"mechanism must be a callable (data, rng) -> output, got {name}{inspect.signature(mechanism)}{hint}")


def _is(function: Any, *kinds: Callable[[Any], bool]) -> bool:
    """Return whether a function, or the method that makes an object callable, is of one of these kinds."""
    return any(kind(of) for kind in kinds for of in (function, getattr(function, "__call__", None)))  # noqa: B004


def _takes(function: Any, count: int) -> bool:
    """Return whether what is callable takes so many positional arguments, as far as is known."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # nothing is known of it, as of much that is written in C
        return True
    with suppress(TypeError):
        signature.bind(*(None,) * count)
        return True
    return False


def check_pairs(pairs: Any) -> None:
    """Raise ValueError for what is no generator of pairs."""
    if not callable(pairs) or not _takes(pairs, 1):
        raise ValueError(f"pairs must be a callable (rng) -> (data, neighbour), got {described(pairs)}")


def is_sampler(mechanism: Any) -> bool:
    """Return whether a mechanism runs a block of trials at a call of sample(data, trials, rng).

    What can itself be called for a trial is, unless the second parameter of its `sample` has that name: another method of
    the name `sample` is a helper.
    """
    sample = _sample(mechanism)
    if sample is None or not callable(mechanism):
        return sample is not None
    with suppress(TypeError, ValueError):
        of_class = inspect.isfunction(sample) and inspect.getattr_static(type(mechanism), "sample", None) is sample
        return list(inspect.signature(sample).parameters)[1 + of_class : 2 + of_class] == ["trials"]
    return False


def _sample(mechanism: Any) -> Any:
    """Return the method `sample` as its class or the object has it, or None; what only running its code would show is none."""
    return inspect.getattr_static(mechanism, "sample", None)


def check_algorithm(algorithm: Any) -> None:
    """Raise ValueError for what is no algorithm."""
    if not callable(algorithm):
        sampler = "; what has a method sample is audited by its outputs, with audit.check" * hasattr(algorithm, "sample")
        wanted = "algorithm must be a callable (data, noise) -> output"
        raise ValueError(f"{wanted}, got {described(algorithm)}{sampler}")  # noqa: TRY004 - every refusal is a ValueError
    if _is(algorithm, inspect.isgeneratorfunction, inspect.iscoroutinefunction, inspect.isasyncgenfunction):
        name = getattr(algorithm, "__name__", "algorithm")
        raise ValueError(f"algorithm must release what it draws when it is called, but {name} is a generator or a coroutine")


def check_datasets(pair: tuple[Any, Any]) -> None:
    """Raise ValueError for a dataset that the first trial uses up; warn of two that are equal."""
    for name, dataset in zip(("data", "neighbour"), pair, strict=True):
        if isinstance(dataset, Iterator):
            raise ValueError(f"{name} must be there for every trial, got {described(dataset)}, which one uses up: pass a list")  # noqa: TRY004
    if _equal(*pair):
        warnings.warn("data and neighbour are equal, so nothing can be found: change a copy of one", stacklevel=5)


def _equal(data: Any, neighbour: Any) -> bool:
    """Return whether two collections are one, or arrays, or collections of JSON's types, that hold the same."""
    if type(data) is not type(neighbour) or type(data) not in (list, tuple, dict, set, np.ndarray):
        return False
    if isinstance(data, np.ndarray):
        return data is neighbour or (not data.dtype.hasobject and np.array_equal(data, neighbour))
    try:  # nobody else's code is called, which may do anything
        return data is neighbour or json.dumps(data) == json.dumps(neighbour)
    except (TypeError, ValueError, RecursionError):
        return False


def check_features(features: Any) -> None:
    """Raise ValueError for what is neither None nor callable, and for a class whose objects are what is callable."""
    is_class = isinstance(features, type) and any("__call__" in vars(base) for base in features.__mro__)
    if features is None or (callable(features) and not is_class):
        return
    of = f"the class {features.__name__}: make an object of it" if is_class else described(features)
    raise ValueError(f"features must be a callable (output) -> output or None, got {of}")


def check_exceptions(exceptions: Any) -> None:
    """Raise ValueError for what is not a tuple of subclasses of Exception."""
    if not isinstance(exceptions, tuple) or not all(isinstance(e, type) and issubclass(e, Exception) for e in exceptions):
        raise ValueError(f"exceptions must be a tuple of subclasses of Exception, as in (ValueError,), got {shown(exceptions)}")


def check_store(store: Any) -> None:
    """Raise ValueError for what is neither None nor a Store."""
    if store is not None and not isinstance(store, Store):
        wanted = 'a Store, as in audit.Store("runs.sqlite", key="my mechanism, version 1"), or None'
        raise ValueError(f"store must be {wanted}, got {described(store)}")


def check_callback(name: str, value: Any) -> None:
    """Raise ValueError for what is neither None nor callable."""
    if value is not None and not callable(value):
        raise ValueError(f"{name} must be callable or None, got {described(value)}")


def check_outputs(name: str, outputs: Any) -> None:
    """Raise ValueError for what is no sequence of outputs."""
    if isinstance(outputs, (str, bytes)) or not (isinstance(outputs, Iterable) and isinstance(outputs, Sized)):
        raise ValueError(f"{name} must be a sequence of outputs, got {described(outputs)}")  # noqa: TRY004
    kind = type(outputs).__name__
    if hasattr(outputs, "to_numpy") and hasattr(outputs, "columns"):
        raise ValueError(f"{name} must be a sequence of outputs, got a {kind}: give {name}.to_numpy(), whose rows are outputs")
    if getattr(outputs, "ndim", 1) == 0:
        raise ValueError(f"{name} must be a sequence of outputs, got a {kind} without axes")
    if isinstance(outputs, Mapping) or not _is_indexed(outputs):
        raise ValueError(f"{name} must be a sequence of outputs in the order drawn, such as a list or an array, got a {kind}")
    if len(outputs) < MIN_TRIALS:
        raise ValueError(f"{name} must be at least {MIN_TRIALS} outputs, got {len(outputs)}")


def other_kind(error: BaseException) -> str:
    """Return what to do where a mechanism was taken for an algorithm or the other way round; "" where neither was."""
    of, name = getattr(error, "obj", None), getattr(error, "name", None)
    if not isinstance(error, AttributeError) or not isinstance(name, str):
        return ""
    if isinstance(of, Noise) and hasattr(np.random.Generator, name):
        return (
            "It draws from a numpy Generator, so it is a mechanism (data, rng): audit it with audit.check or "
            "audit.lower_bound, or let it draw through noise"
        )
    if isinstance(of, np.random.Generator) and name in _RELEASES:
        return (
            "It draws through noise, so it is an algorithm (data, noise): audit it with audit.transcript_check or "
            "audit.transcript_lower_bound"
        )
    return ""


_RELEASES = frozenset(name for name, _ in inspect.getmembers(Noise, callable) if not name.startswith("_"))


def _is_indexed(outputs: Any) -> bool:
    """Return whether parts of something can be had by their places."""
    try:
        outputs[:1]
    except (TypeError, KeyError, ValueError, IndexError):
        return False
    return True


def _is_integer(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, (bool, np.bool_))
