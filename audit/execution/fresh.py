"""Trials in new interpreters, which import the mechanism anew: what one process draws once is another draw there.

Nothing can be seen of such a draw in one process, where it is the same in every trial. One interpreter, started when the first
audit needs it, imports what is installed and nothing of the user's, and forks a process for each batch: so that importing
costs what it costs once.
"""

from __future__ import annotations

import atexit
import functools
import inspect
import io
import os
import pickle
import random
import select
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, fields, replace
from importlib import import_module
from typing import IO, Any, ClassVar, cast

import cloudpickle
import numpy as np

from dppca.audit.execution.batches import Batch, BatchError, Clock, Failure
from dppca.audit.execution.isolation import CAN_FORK, Apart, Limits, awaited, die_with_the_parent, other_threads, wait
from dppca.audit.execution.runner import Runner
from dppca.audit.execution.seeding import reseed
from dppca.audit.execution.versions import is_distributed, is_installed
from dppca.reference.rigour.validation import error_text

#: New processes: so many at least and at most, one for so many trials; how many run whatever time they take.
_LEAST, _MOST, _TRIALS_EACH, _ANYWAY = 8, 24, 250, 8
#: Seconds of the processor, and seconds, that new processes have at least, though the run is at its end and waits for them.
_WORK, _SECONDS = 5.0, 15.0
#: Trials on each dataset in a new process, at least and at most, of those that run whatever time they take and of others; one
#: in so many of the run's trials, together.
_FEW, _MANY, _SHARE = (8, 40), (8, 400), 10
#: Bytes of pickled mechanisms that are remembered, at most, for each that exists.
_REMEMBERED = 1 << 26
#: Seconds that a call may take in a new process where the user has set no limit.
_LONGEST_CALL = 60.0
#: The same in a fork of a process with other threads, which a fork has not: a call may wait for one.
_WAITS_FOR_A_THREAD = 5.0
#: Generators of numpy before version 1.17, and Python's.
_LEGACY = (np.random.RandomState, random.Random)
#: The type of functions with a cache.
_CACHED = type(functools.cache(len))


@dataclass(frozen=True)
class Handed:
    """A pickled mechanism, or the object whose method it is."""

    packed: bytes
    method: str

    def __call__(self) -> Any:
        """Return the mechanism, made anew."""
        owner = pickle.loads(self.packed)  # noqa: S301 - from the process that this one works for
        return getattr(owner, self.method) if self.method else owner


class _Packing(Batch):
    """A batch whose `run` returns what is to be sent, as bytes."""

    def pack(self, outputs: Any) -> bytes:
        """Return what `run` has packed."""
        return bytes(outputs)


@dataclass(frozen=True, eq=False)
class FreshBatch(_Packing):
    """A batch that is unpickled where it runs: its modules are imported there, after the generators have been seeded.

    Attributes:
        packed: a pickled batch.
        changes: the fields in which this one differs from it; what is `Handed` is made anew.
    """

    packed: bytes
    changes: Mapping[str, Any]

    def parts(self) -> tuple[Any, ...]:
        """Return nothing: all is pickled."""
        return ()

    def run(self, clock: Clock) -> bytes:
        """Return the packed outputs of the batch."""
        reseed(self.seed)
        try:
            batch = pickle.loads(self.packed)  # noqa: S301 - from the process that this one works for
            made = {name: of() if isinstance(of, Handed) else of for name, of in self.changes.items()}
            batch = replace(batch, **made)
        except (Exception, SystemExit) as error:
            raise BatchError(f"cannot be imported there: {error_text(error)}", 0, []) from error
        return bytes(batch.pack(batch.run(clock)))


@dataclass(frozen=True, eq=False)
class ForkedBatch(_Packing):
    """A batch that runs in a fork of this process, after the generators have been seeded there."""

    batch: Batch

    def parts(self) -> tuple[Any, ...]:
        """Return what the batch holds of the user's."""
        return self.batch.parts()

    def run(self, clock: Clock) -> bytes:
        """Return the packed outputs of the batch."""
        reseed(self.seed)
        return self.batch.pack(self.batch.run(clock))


@dataclass(frozen=True, eq=False)
class _Pickled(_Packing):
    """The pickling of a batch, or of a mechanism, which runs the code of what is in it."""

    what: Any
    of: tuple[Any, ...]

    def parts(self) -> tuple[Any, ...]:
        """Return the user's objects that are pickled."""
        return self.of

    def run(self, clock: Clock) -> bytes:
        """Return all of it as bytes."""
        clock.start(0)
        try:
            file = io.BytesIO()
            _Pickler(file).dump(self.what)
            return file.getvalue()
        except Exception as error:
            raise BatchError(f"cannot be pickled: {error_text(error)}", 0, []) from error


class _Pickler(cloudpickle.Pickler):  # type: ignore[misc]
    """Pickles locks and generators as new ones, and functions with a cache without what is cached.

    Whatever seed a generator has, the law of what it draws is the same; what a mechanism keeps of it is not.
    """

    _made_anew: ClassVar[dict[type, Callable[[], Any]]] = {
        type(threading.Lock()): threading.Lock,
        type(threading.RLock()): threading.RLock,
        threading.local: threading.local,
    }

    def reducer_override(self, value: Any) -> Any:
        """Return how a value is made again."""
        if (make := self._made_anew.get(type(value))) is not None:
            return make, ()
        if isinstance(value, np.random.Generator):
            return _generator, (type(value.bit_generator),)
        if type(value) in _LEGACY:
            return _legacy_generator, (type(value),)
        if isinstance(value, _CACHED) and (
            value.__module__ == "__main__" or "<locals>" in value.__qualname__  # else it is imported
        ):
            return _with_a_cache, (value.__wrapped__, value.cache_parameters())
        return super().reducer_override(value)


def _generator(kind: Callable[[Any], np.random.BitGenerator]) -> np.random.Generator:
    """Return a generator that is seeded by the one of the process."""
    return np.random.Generator(kind(np.random.randint(1 << 32, size=8, dtype=np.uint32)))  # noqa: NPY002 - the process's own


def _legacy_generator(kind: Callable[[int], Any]) -> Any:
    return kind(int(np.random.randint(1 << 32, dtype=np.uint32)))  # noqa: NPY002 - the process's own


def _with_a_cache(function: Callable[..., Any], how: dict[str, Any]) -> Any:
    return functools.lru_cache(**how)(function)


class Origin:
    """A mechanism as it was before this process audited it first: its calls in earlier audits may have left draws in it.

    What somebody else has changed since the last audit is taken as it is now.

    Attributes:
        handed: what it was then; None where it is as it was, or nothing is remembered.
    """

    _known: ClassVar[dict[int, tuple[weakref.ref[Any], bytes, bytes]]] = {}

    def __init__(self, mechanism: Any, runner: Runner) -> None:
        self.handed, self._runner, self._first = None, runner, b""
        self._owner = mechanism.__self__ if inspect.ismethod(mechanism) else mechanism
        known = self._known.get(id(self._owner))
        if runner.isolates and known is None:  # it has not run in this process, and will not now
            return
        self._first = now = self._now()
        if known is not None and known[0]() is self._owner and known[2] == now != known[1]:
            self._first = known[1]
            self.handed = Handed(self._first, "" if self._owner is mechanism else mechanism.__name__)

    def instead(self, name: str) -> dict[str, Handed]:
        """Return the mechanism as it was, as the field of this name of a batch; nothing where it is as it was."""
        return {} if self.handed is None else {name: self.handed}

    def leave(self) -> None:
        """Remember in what state an audit has left the mechanism."""
        if self._runner.isolates:
            return
        left, number = self._now(), id(self._owner)
        if not 0 < len(self._first) + len(left) < _REMEMBERED:
            return
        with suppress(TypeError):  # nothing can refer to it weakly
            self._known[number] = (weakref.ref(self._owner, lambda _: self._known.pop(number, None)), self._first, left)

    def _now(self) -> bytes:
        """Return the pickled mechanism, or the object whose method it is; nothing where it cannot be pickled."""
        found = self._runner.run_nearby(_Pickled(np.random.SeedSequence(0), 1, "the pair", self._owner, (self._owner,)))
        return b"" if isinstance(found, Failure) else found


def plan_fresh(trials: int) -> list[int]:
    """Return how many trials on each dataset each of the new processes is to run beside so many trials."""
    processes = min(max(_LEAST, trials // _TRIALS_EACH), _MOST)
    share = trials // (_SHARE * processes)
    return [min(max(least, share), most) for least, most in [_FEW] * _ANYWAY + [_MANY] * (processes - _ANYWAY)]


class Fresh:
    """Batches that run in new interpreters while this process goes on.

    One interpreter that has imported what is installed, and nothing of the user's, forks a process for each batch. What cannot
    be pickled runs in forks of this process as it is now: draws that are kept from a call on are seen there too, and those at
    an import are not.

    Args:
        batch: a batch with whose mechanism, datasets and features, as they are now, all rounds run.
        runner: for the limits of calls.
        origin: fields of the batch as they were before their audits here.

    Attributes:
        unchecked: why there are no outputs of new interpreters, where there are none.
        ended: whether there will be no more outputs.
    """

    def __init__(self, batch: Any, runner: Runner, origin: Mapping[str, Handed]) -> None:
        self.unchecked, self.ended, self._packed = "", False, b""
        self._batch, self._origin = batch, origin
        self._by: _Server | _Forks | None = None
        self._running: Sequence[Any] = ()
        self._limits = replace(runner.limits, call_timeout=runner.limits.call_timeout or _LONGEST_CALL)
        if not CAN_FORK:
            self.end("processes cannot fork here")
            return
        packed = runner.run_nearby(_Pickled(batch.seed, 1, "the pair", batch, batch.parts()))
        if not isinstance(packed, Failure):
            self._packed = packed
        else:
            self.unchecked = f"it {packed.problem}; forks of this process were asked instead"
            waits = runner.limits.call_timeout is None and other_threads()
            self._by = _Forks(replace(self._limits, call_timeout=_WAITS_FOR_A_THREAD) if waits else self._limits)

    def end(self, unchecked: str) -> None:
        """Run nothing more, for this reason."""
        self.unchecked, self.ended = unchecked, True

    def start(self, batches: Sequence[Any], seeds: Sequence[np.random.SeedSequence] | None = None) -> None:
        """Start a round of batches, with seeds for the generators of their processes; do nothing where they cannot run."""
        if self.ended:
            return
        seeded = list(zip([of.seed for of in batches] if seeds is None else seeds, batches, strict=True))
        if isinstance(self._by, _Forks):
            self._by.send([ForkedBatch(seed, of.size, of.dataset, of) for seed, of in seeded])
        else:
            fresh = [FreshBatch(seed, of.size, of.dataset, self._packed, self._changes(of)) for seed, of in seeded]
            self._by = _Server.idle()
            self._by.send((sys.path, _installed(), self._limits, fresh))
        self._running = batches

    def _changes(self, batch: Any) -> dict[str, Any]:
        """Return the fields of a batch that are not those of the pickled one."""
        listed = {field.name: getattr(batch, field.name) for field in fields(batch)}
        return {name: value for name, value in listed.items() if value is not getattr(self._batch, name)} | dict(self._origin)

    def outputs(self) -> list[tuple[Any, Any]]:
        """Wait for the round; return the batches that have ended with their outputs on both datasets."""
        if self._by is None or not self._running:
            return []
        running, self._running = self._running, ()
        self._by.hurry()
        try:
            answers = self._by.receive()
        except (EOFError, OSError, pickle.UnpicklingError):
            self.close()
            self.end("the interpreter that runs them has ended")
            return []
        if isinstance(self._by, _Server):
            self._by.put_back()
            self._by = None
        ran = zip(running, answers, strict=False)  # the last ones may not have begun
        found = [(batch, batch.unpack(answer)) for batch, answer in ran if not isinstance(answer, str)]
        if not found:
            reason = next((answer for answer in answers if isinstance(answer, str)), "nothing was run")
            self.end(f"{self.unchecked}: {reason}" if self.unchecked else reason)
        return found

    def close(self) -> None:
        """End what is still running."""
        if isinstance(self._by, _Server) and self._running:  # its answer was not asked for
            self._by.stop()
        elif self._by is not None:
            self._by.close()
        self._by = None


class _Forks:
    """Forks of this process as it was when the first round began, which run one batch after the other."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._apart: Apart | None = None
        self._batches: Sequence[ForkedBatch] = ()

    def send(self, batches: Sequence[ForkedBatch]) -> None:
        """Begin the first batch."""
        self._batches = batches
        if self._apart is None:
            self._apart = Apart(batches[0], self._limits, renewed=True)
        elif self._apart.waits:
            self._apart.begin(batches[0])

    def hurry(self) -> None:
        """Do nothing: the others begin when they are waited for."""

    def receive(self) -> list[bytes | str]:
        """Return what each batch gave; the last is a problem's, or as far as there was time."""
        if self._apart is None or self._apart.waits:
            return ["an earlier fork has ended badly"]
        begun, found = time.monotonic(), list[bytes | str]()
        for batch in self._batches:
            if found and (not self._apart.waits or (len(found) >= _ANYWAY and time.monotonic() - begun > _SECONDS)):
                break
            if found:
                self._apart.begin(batch)
            result = awaited(self._apart)
            found.append(result if isinstance(result, bytes) else result.problem)
        return found

    def close(self) -> None:
        """End what is still running."""
        if self._apart is not None:
            self._apart.close()


def _installed() -> list[str]:
    """Return the modules loaded here that are no user's: what a new interpreter may have imported before it forks."""
    names = list(sys.modules)
    top = {name: is_installed(name) or is_distributed(name) for name in {name.partition(".")[0] for name in names}}
    return [
        name for name in names if top[name.partition(".")[0]] and not name.startswith("_") and not name.endswith("__main__")
    ]


class _Server:
    """An interpreter that runs `serve`; those that have nothing to do wait for the next audit of this process."""

    waiting: ClassVar[list[_Server]] = []

    def __init__(self) -> None:
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path or os.getcwd() for path in sys.path)}
        command = [sys.executable, "-c", f"from {__name__} import serve; serve()"]
        self.owner = os.getpid()
        self.process = subprocess.Popen(  # noqa: S603 - our own
            command, env=environment, start_new_session=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self._requests, self._answers = cast("IO[bytes]", self.process.stdin), cast("IO[bytes]", self.process.stdout)

    @classmethod
    def idle(cls) -> _Server:
        """Return one that waits, or a new one."""
        while cls.waiting:
            server = cls.waiting.pop()
            if server.owner == os.getpid() and server.process.poll() is None:  # not another's, nor dead with its thread
                return server
        return cls()

    def send(self, request: Any) -> None:
        """Send a request."""
        with suppress(OSError):  # it has ended: `receive` says so
            _write(self._requests, request)

    def hurry(self) -> None:
        """Say that the answer is waited for."""
        self.send(True)

    def receive(self) -> Any:
        """Return the answer; EOFError where there will be none."""
        return _read(self._answers)

    def put_back(self) -> None:
        """Let it wait for the next audit."""
        self.waiting.append(self)

    def stop(self) -> None:
        """Say that there is to be no answer, and let it wait for the next audit."""
        if self.owner == os.getpid():
            self.send(False)
            self.put_back()

    def close(self) -> None:
        """End it, with what it runs."""
        if self.owner == os.getpid():
            self.process.kill()
            self.process.communicate()


@atexit.register
def _close_all() -> None:
    while _Server.waiting:
        _Server.waiting.pop().close()


def serve() -> None:
    """Run batches for the process that has started this one, until it ends or closes standard input."""
    die_with_the_parent()
    requests, answers = os.fdopen(os.dup(0), "rb", buffering=0), os.fdopen(os.dup(1), "wb")  # `select` sees no buffer
    null = os.open(os.devnull, os.O_RDWR)
    for standard in range(3):  # a mechanism may read or print; what goes wrong here is seen in the run as well
        os.dup2(null, standard)
    with suppress(EOFError, BrokenPipeError):
        while True:
            sys.path[:], modules, limits, batches = _read(requests)
            for name in modules:
                with suppress(BaseException):
                    import_module(name)
            wish = _Wish(requests)
            found = _answered(batches, limits, wish)
            if wish.is_wanted():
                _write(answers, found)


class _Wish:
    """Whether the answer to a request is wanted, which is said later than the request."""

    def __init__(self, requests: IO[bytes]) -> None:
        self._requests = requests
        self._wanted: bool | None = None

    def is_said(self) -> bool:
        """Return whether `is_wanted` has nothing to wait for."""
        return self._wanted is not None or bool(select.select([self._requests], [], [], 0.0)[0])

    def is_wanted(self) -> bool:
        """Return whether the answer is wanted, once that is said."""
        if self._wanted is None:
            self._wanted = bool(_read(self._requests))
        return self._wanted


def _answered(batches: Sequence[FreshBatch], limits: Limits, wish: _Wish) -> list[bytes | str]:
    """Return what each batch gave, or its problem; no more where that is not wanted, or is waited for and takes long."""
    begun, found = _spent(), list[bytes | str]()

    def late() -> bool:
        if not wish.is_said():
            return False
        work, seconds = (now - then for now, then in zip(_spent(), begun, strict=True))
        return not wish.is_wanted() or (len(found) >= _ANYWAY and (work > _WORK or seconds > _SECONDS))

    with ExitStack() as ended:
        apart = None
        for batch in batches:
            if apart is not None and apart.waits:
                apart.begin(batch)
            else:
                apart = ended.enter_context(closing(Apart(batch, limits, renewed=True)))
            while (result := apart.result()) is None and not late():
                wait([apart])
            if result is None:
                break
            found.append(result if isinstance(result, bytes) else result.problem)
    return found


def _spent() -> tuple[float, float]:
    """Return the processor time of the processes that have ended, and the time."""
    times = os.times()
    return times.children_user + times.children_system, time.monotonic()


def _write(file: IO[bytes], value: Any) -> None:
    content = pickle.dumps(value)
    file.write(len(content).to_bytes(8, "little") + content)
    file.flush()


def _read(file: IO[bytes]) -> Any:
    size = int.from_bytes(_exactly(file, 8), "little")
    return pickle.loads(_exactly(file, size))  # noqa: S301 - between this process and its own


def _exactly(file: IO[bytes], size: int) -> bytearray:
    found = bytearray()
    while len(found) < size:
        if not (more := file.read(size - len(found))):
            raise EOFError
        found += more
    return found
