"""What a mechanism could carry from one trial to the next: the process's generators, its own, its state, its dataset.

The generators that belong to the process (of numpy, of Python, of torch) are seeded for every batch. Of all else that
could make trials depend on one another this module says whether it has changed; trials.py and transcript_view.py refuse it.
"""

from __future__ import annotations

import functools
import hashlib
import io
import pickle
import random
import sys
import threading
import time
from collections import ChainMap, deque
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from types import BuiltinFunctionType, CodeType, FunctionType, GeneratorType, MethodType, ModuleType
from typing import Any

import cloudpickle
import numpy as np

from dppca.audit.engine.versions import defining_modules, is_distributed, is_installed

#: Added to a batch's spawn key for the generators of the process: no stream has so many batches.
_PROCESS_KEY = 2**32 - 1
_GENERATORS = (np.random.Generator, np.random.RandomState, np.random.BitGenerator, random.Random)
#: What the functions of numpy.random and random draw from.
_numpys: Any = np.random.mtrand._rand
_pythons: Any = random._inst
#: What cannot be pickled is read part by part, so many things at most: long chains of objects would take minutes.
_MOST_FAILURES = 100
_LOCKS: dict[type, Any] = {type(make()): make for make in (threading.Lock, threading.RLock)}
#: Makers of classes in cloudpickle, and the place of the id of the class among their arguments.
_TRACKED = {cloudpickle.cloudpickle._make_skeleton_class: 4, cloudpickle.cloudpickle._make_skeleton_enum: 5}
_NAMED = (FunctionType, BuiltinFunctionType, ModuleType, type, functools._lru_cache_wrapper)


# --- generators of the process ------------------------------------------------------------------------


def seedable() -> tuple[str, ...]:
    """Return the libraries loaded so far whose generators `seeded` seeds."""
    return ("random", "numpy", *(name for name in ("torch",) if hasattr(sys.modules.get(name), "manual_seed")))


@contextmanager
def seeded(seed: np.random.SeedSequence) -> Iterator[None]:
    """Seed the generators of the process from a batch's seed; afterwards put them back."""
    own = np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, _PROCESS_KEY))
    word = int(own.generate_state(1, np.uint64)[0])
    numpys, pythons, torch = _numpys.get_state(legacy=False), random.getstate(), sys.modules.get("torch")
    torchs = torch.get_rng_state() if torch is not None and "torch" in seedable() else None
    _numpys.set_state({**type(_numpys._bit_generator)(own).state, "has_gauss": 0, "gauss": 0.0})
    random.seed(word)
    if torch is not None and torchs is not None:
        torch.manual_seed(word % 2**63)
    try:
        yield
    finally:
        _numpys.set_state(numpys)
        random.setstate(pythons)
        if torch is not None and torchs is not None:
            torch.set_rng_state(torchs)


def process_draws() -> bytes:
    """Return the state of the generators of the process: it changes when they are drawn from."""
    torch = sys.modules.get("torch")
    torchs = torch.get_rng_state() if torch is not None and "torch" in seedable() else None
    return pickle.dumps((_numpys.get_state(legacy=False), random.getstate(), torchs))


# --- datasets -----------------------------------------------------------------------------------------


def fingerprint(value: Any) -> bytes:
    """Return a digest of a value and all that it holds; where nothing can pickle it, of the parts that can be pickled."""
    for dumps in (pickle.dumps, cloudpickle.dumps):
        content = hashlib.blake2b(digest_size=16)

        def absorb(buffer: pickle.PickleBuffer, content: Any = content) -> None:
            content.update(buffer.raw())

        with suppress(Exception):
            content.update(dumps(value, protocol=5, buffer_callback=absorb))
            return content.digest()
    return _Reader(value).digest()


def is_plain(value: Any) -> bool:
    """Return whether a value is made of Python's and numpy's own types, in which nothing is cached."""
    if isinstance(value, dict):
        return all(map(is_plain, value.keys())) and all(map(is_plain, value.values()))
    if isinstance(value, (list, tuple, set, frozenset)):
        return all(map(is_plain, value))
    return type(value).__module__ in ("builtins", "numpy", "collections")


# --- what a mechanism holds ---------------------------------------------------------------------------


class State:
    """The state of a mechanism at one moment: attributes, what closures and globals name, generators.

    Attributes:
        digest: of all that could be read, without the states of the generators.
        has_caches: whether there are functions among it that keep their results.
    """

    def __init__(self, mechanism: Any) -> None:
        self._mechanism, self._loaded = mechanism, frozenset(sys.modules)
        reader = _Reader(mechanism, self._loaded)
        self.digest = reader.digest()
        self.has_caches = bool(reader.caches)
        self._generators = [(generator, _generator_state(generator)) for generator in reader.generators]

    def has_changed(self) -> bool:
        """Return whether what could be read is other now, apart from modules that were loaded since."""
        return _Reader(self._mechanism, self._loaded).digest() != self.digest

    def moved(self) -> str | None:
        """Return the type of a generator among those held then that has been drawn from since; None if there is none."""
        for generator, state in self._generators:
            if _generator_state(generator) != state:
                return f"{type(generator).__module__.partition('.')[0]} {type(generator).__name__}"
        return None


class Copies:
    """Copies of a mechanism as it is now, with a state of their own.

    Functions that keep their results have kept none in a copy.
    """

    def __init__(self, mechanism: Any) -> None:
        self._loaded = frozenset(sys.modules)
        self._packed: bytes | None = None
        first = None
        with suppress(Exception):  # whatever the objects of others raise
            packed = _packed(mechanism)
            first, self._packed = pickle.loads(packed), packed  # noqa: S301 - our own
        self._digest = self._read(first)

    def made(self) -> Any:
        """Return a new copy; None where there is none, or where it has not the state of the first."""
        copy = None if self._packed is None else pickle.loads(self._packed)  # noqa: S301 - our own
        return copy if copy is None or self._read(copy) == self._digest else None

    def _read(self, copy: Any) -> bytes:
        return _Reader(copy, self._loaded).digest()


def _packed(mechanism: Any) -> bytes:
    """Return a mechanism with all of its state, as bytes that `pickle.loads` makes a new one of."""
    reader, packed = _Reader(mechanism), io.BytesIO()
    names = sorted(name for name in reader.modules if name in sys.modules)
    by_value = [sys.modules[name] for name in names if name not in cloudpickle.list_registry_pickle_by_value()]
    try:
        for module in by_value:
            cloudpickle.register_pickle_by_value(module)
        _Copier(packed, set(map(id, reader.caches))).dump(mechanism)
    finally:
        for module in by_value:
            cloudpickle.unregister_pickle_by_value(module)
    return packed.getvalue()


class _Copier(cloudpickle.Pickler):  # type: ignore[misc]  # it has no types
    """A pickler of a mechanism by value, functions that keep their results among it."""

    def __init__(self, file: io.BytesIO, caches: set[int]) -> None:
        super().__init__(file)
        self._caches = caches

    def reducer_override(self, obj: Any) -> Any:
        """Return how to make anew a cache, empty; a lock, open; and a class that is another one."""
        if id(obj) in self._caches:
            return _cached, (obj.cache_parameters(), obj.__wrapped__)
        if type(obj) in _LOCKS:
            return _LOCKS[type(obj)], ()
        reduced = super().reducer_override(obj)
        if isinstance(obj, type) and isinstance(reduced, tuple) and (place := _TRACKED.get(reduced[0])) is not None:
            # without the id by which a copy of a class would be taken for the class itself, and change it
            made = tuple(None if i == place else argument for i, argument in enumerate(reduced[1]))
            reduced = (reduced[0], made, *reduced[2:])
        return reduced


def _cached(parameters: dict[str, Any], function: Any) -> Any:
    return functools.lru_cache(**parameters)(function)


@contextmanager
def later() -> Iterator[None]:
    """Let `time.time` say that it is an hour, a minute and a second later: who takes seeds from it takes others."""
    true: list[Any] = [getattr(clock, "true", clock) for clock in (time.time, time.time_ns)]  # another thread may do the same
    time.time, time.time_ns = _Shifted(true[0], 3661), _Shifted(true[1], 3661 * 10**9)
    try:
        yield
    finally:
        time.time, time.time_ns = true


class _Shifted:
    """A clock that is ahead of the true one."""

    def __init__(self, true: Any, ahead: int) -> None:
        self.true = true
        self._ahead = ahead

    def __call__(self) -> Any:
        return self.true() + self._ahead


class _Reader(pickle.Pickler):
    """A pickler that reads what a mechanism holds part by part: code is named, not read, and its references are followed."""

    def __init__(self, mechanism: Any, loaded: frozenset[str] = frozenset()) -> None:
        self._loaded = loaded
        self._sink = io.BytesIO()
        self._content = hashlib.blake2b(digest_size=16)
        super().__init__(self._sink, protocol=5, buffer_callback=lambda buffer: self._content.update(buffer.raw()))
        #: Names of the modules that define what was read.
        self.modules = {name for name in defining_modules([mechanism]) if not is_installed(name)}
        self._own = {name.partition(".")[0] for name in self.modules}
        self._seen: dict[int, Any] = {}
        self._waiting: list[Any] = []
        self.generators: list[Any] = []
        self.caches: list[Any] = []
        self._unread: deque[Any] = deque()
        self._failed = 0
        self._read_all([mechanism])
        while self._waiting:
            self._read_all(self._held(self._waiting.pop(0)))
        for cache in self.caches:
            self._content.update(repr(cache.cache_info()[1:]).encode())  # all but the hits

    def digest(self) -> bytes:
        return self._content.copy().digest()

    def persistent_id(self, obj: Any) -> Any:
        """Return a name for what is not to be read where it stands."""
        if isinstance(obj, _GENERATORS):
            if id(obj) not in self._seen and obj is not _numpys and obj is not _pythons:
                self._seen[id(obj)] = obj
                self.generators.append(obj)
            return "generator"
        if isinstance(obj, _NAMED):
            if id(obj) not in self._seen:
                self._seen[id(obj)] = obj
                self._waiting.append(obj)
            return f"{getattr(obj, '__module__', '')}.{getattr(obj, '__qualname__', getattr(obj, '__name__', ''))}"
        return None

    def _read_all(self, values: Iterable[Any]) -> None:
        """Read values; those that cannot be pickled part by part, as far as that does not take too long."""
        self._unread.extend(values)
        while self._unread:
            self._read(self._unread.popleft())

    def _read(self, value: Any) -> None:
        self._sink.seek(0)
        self._sink.truncate()
        self.clear_memo()
        try:
            self.dump(value)
        except Exception:  # noqa: BLE001 - whatever the objects of others raise
            self._failed += 1
            if id(value) not in self._seen and self._failed <= _MOST_FAILURES:
                self._seen[id(value)] = value
                self._unread.extend(_inside(value))
            return
        self._content.update(self._sink.getvalue())

    def _is_own(self, module: str) -> bool:
        """Return whether a module defines the mechanism, or is one of the user's files: its state is asked for."""
        top = module.partition(".")[0]
        if top not in self._own and (is_installed(top) or is_distributed(top)):
            return False
        self._own.add(top)
        self.modules.add(module)
        return True

    def _held(self, function: Any) -> Iterator[Any]:
        """Yield what a function or class refers to, other than code of others."""
        home = str(getattr(function, "__module__", None) or "")
        is_own = bool(home) and self._is_own(home)
        if isinstance(function, BuiltinFunctionType) and not isinstance(function.__self__, (ModuleType, type)):
            yield function.__self__  # a generator, say, whose method it is
        if isinstance(function, type) and is_own:
            for name, value in list(vars(function).items()):
                if not (name.startswith("__") and name.endswith("__")) or name == "__call__":
                    yield _unwrapped(value)
        if isinstance(function, functools._lru_cache_wrapper) and is_own:
            self.caches.append(function)
        is_wrapper = hasattr(function, "__wrapped__")
        yield from (function.__wrapped__,) if is_wrapper else ()
        if isinstance(function, FunctionType) and not (is_wrapper and is_installed(str(function.__globals__.get("__name__")))):
            yield from self._referred(function, is_own)

    def _referred(self, function: FunctionType, is_own: bool) -> Iterator[Any]:
        """Yield what the code of a function refers to; of functions of others, what it encloses."""
        enclosed = {}
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
            with suppress(ValueError):  # not yet filled
                enclosed[name] = cell.cell_contents
        yield from (*enclosed.values(), function.__defaults__, function.__kwdefaults__, function.__dict__)
        if is_own:
            named = ChainMap(enclosed, function.__globals__)
            yield from self._named(named, sorted({*enclosed, *_names(function.__code__)}), set())

    def _named(self, known: Mapping[str, Any], names: list[str], seen: set[str]) -> Iterator[Any]:
        """Yield what these names stand for, and what they stand for in modules that they stand for."""
        for name in names:
            imported = sys.modules.get(name) if name in self._loaded else None  # by the function itself
            value = known.get(name, imported)
            if not isinstance(value, ModuleType):
                yield from (value,) if name in known else ()
            elif value.__name__ not in seen and self._is_own(value.__name__):
                seen.add(value.__name__)
                yield from self._named(vars(value), names, seen)


def _inside(value: Any) -> Iterator[Any]:
    """Yield what an object holds, whatever cannot be pickled of it."""
    if isinstance(value, dict):
        yield from value.keys()
        yield from value.values()
    elif isinstance(value, (list, tuple, set, frozenset, deque)):
        yield from value
    elif isinstance(value, functools.partial):
        yield from (value.func, value.args, value.keywords)
    elif isinstance(value, GeneratorType) and value.gi_frame is not None:
        yield from value.gi_frame.f_locals.values()
    yield from attributes(value).values()


def attributes(value: Any) -> dict[str, Any]:
    """Return the attributes of an object, in slots too."""
    return {**getattr(value, "__dict__", {}), **{name: getattr(value, name) for name in _slots(value) if hasattr(value, name)}}


def _slots(value: Any) -> Iterator[str]:
    """Yield the names of the slots of an object, as its class calls them."""
    for kind in type(value).__mro__:
        names = vars(kind).get("__slots__", ())
        for name in (names,) if isinstance(names, str) else names:
            private = name.startswith("__") and not name.endswith("__")
            yield f"_{kind.__name__.lstrip('_')}{name}" if private else name


def _unwrapped(value: Any) -> Any:
    if isinstance(value, (staticmethod, classmethod)):
        return value.__func__
    if isinstance(value, property):
        return value.fget
    return value if not isinstance(value, MethodType) else value.__func__


def _names(code: CodeType) -> set[str]:
    """Return the names of globals (and attributes) in a piece of code, functions inside it included."""
    return {*code.co_names, *(name for part in code.co_consts if isinstance(part, CodeType) for name in _names(part))}


def _generator_state(generator: Any) -> bytes:
    with suppress(Exception):
        if isinstance(generator, random.Random):
            return pickle.dumps(generator.getstate())
        if isinstance(generator, np.random.RandomState):
            return pickle.dumps(generator.get_state(legacy=False))
        return pickle.dumps(getattr(generator, "bit_generator", generator).state)
    return b""
