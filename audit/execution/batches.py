"""A batch of trials: a function of its fields, with the same bits in this process, a worker's or a cluster's.

Outside this process, and whenever calls have a time limit, a batch runs in a process of its own (isolation.py): what crashes
or hangs there takes nothing else with it, and the number of the trial survives in shared memory.
"""

from __future__ import annotations

import functools
import sys
import traceback
from abc import ABC, abstractmethod
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Any, ClassVar

import numpy as np
from threadpoolctl import ThreadpoolController

from dppca.audit.execution.packing import pack, unpack
from dppca.reference.rigour.validation import printable

#: Trials of a stored batch, at least, that are run again before the batch is believed.
HEAD = 20
_AUDITOR = Path(__file__).parents[1]
#: Lines of a traceback that go to another process.
_LINES = 100


class Clock:
    """An object that is told when a piece of the user's code begins and when the last one has ended; this one does not care."""

    def start(self, trial: int) -> None:
        """Note that a piece of the user's code begins for a trial (in a `sample`: for the trials from this one on)."""

    def stop(self) -> None:
        """Note that none of the user's code runs from here on."""

    def is_failure(self, error: BaseException) -> bool:
        """Return whether an exception is the failure of a trial: where Ctrl-C reaches this process, that is none."""
        return not isinstance(error, KeyboardInterrupt)


@dataclass(frozen=True, eq=False)
class Batch(ABC):
    """Trials that share a seed: what is run, kept and sent to a worker as one."""

    seed: np.random.SeedSequence
    size: int
    dataset: str

    @abstractmethod
    def parts(self) -> tuple[Any, ...]:
        """Return what it holds of the user's: objects that a process which runs it has, rather than copies of them."""

    @abstractmethod
    def run(self, clock: Clock) -> Any:
        """Return the outputs; BatchError where a trial fails."""

    def pack(self, outputs: Any) -> bytes:
        """Return what `run` returned as bytes."""
        return pack(outputs)

    def unpack(self, packed: bytes) -> Any:
        """Return what `run` returned."""
        return unpack(packed)

    def first_of(self, packed: bytes) -> bytes:
        """Return the packed outputs of this batch, which is the `head` of the batch that gave those packed here."""
        return pack(unpack(packed)[: self.size])

    #: Whether a store keeps its outputs.
    kept: ClassVar[bool] = True

    def head(self) -> Batch | None:
        """Return a batch of some of this one's outputs, to see whether those stored are right; None if none can be."""
        return None

    def locate(self, offset: int) -> tuple[str, int, np.random.SeedSequence, int]:
        """Return the dataset of a call of the batch, its number there, the seed of its generator and its place under that."""
        return self.dataset, offset, self.seed, offset

    def describe(self) -> dict[str, Any]:
        """Return what tells this batch from other batches of one audit."""
        spawn_key = [int(i) for i in self.seed.spawn_key]
        return {
            "batch": type(self).__name__,
            "dataset": self.dataset,
            "entropy": self.seed.entropy,
            "spawn key": spawn_key,
            "size": self.size,
        }


class BatchError(Exception):
    """The error of a failed trial: what happened, its place in the batch, the outputs before it, what to do about it."""

    def __init__(self, problem: str, offset: int, outputs: list[Any], advice: str = "") -> None:
        super().__init__(problem)
        self.offset = offset
        self.outputs = outputs
        self.advice = advice


@dataclass(frozen=True)
class Failure:
    """A BatchError as a value: its cause where it happened here, otherwise that cause's traceback."""

    problem: str
    offset: int
    outputs: list[Any]
    cause: BaseException | None = None
    trace: str = ""
    advice: str = ""


def compute(batch: Batch, clock: Clock | None = None) -> bytes | Failure:
    """Return a batch's packed outputs. It uses one thread for linear algebra: more would round differently."""
    clock = clock or Clock()
    try:
        with one_thread():
            outputs = batch.run(clock)
    except BatchError as error:
        cause = error.__cause__
        if cause is not None:
            cause = cause.with_traceback(_beyond_the_auditor(cause.__traceback__))
        return Failure(str(error), error.offset, error.outputs, cause=cause, advice=error.advice)
    finally:
        clock.stop()
    return batch.pack(outputs)


def one_thread() -> AbstractContextManager[Any]:
    """Return a context in which the libraries for linear algebra use one thread; at once, as far as they do not.

    Those that do are not told: OpenBLAS, told anything in a process that was forked, starts threads that spin for a while.
    """
    found = libraries(len(sys.modules))
    threaded = any(library.num_threads != 1 for library in found.lib_controllers)
    return found.limit(limits=1) if threaded else nullcontext()


@functools.lru_cache(maxsize=1)
def libraries(loaded: int) -> ThreadpoolController:  # noqa: ARG001 - looks again when there are more modules
    """Return the libraries for linear algebra that are loaded."""
    return ThreadpoolController()


def _beyond_the_auditor(trace: TracebackType | None) -> TracebackType | None:
    """Return a traceback from where it first leaves this package's auditor: the user's code, and what that calls."""
    while trace is not None and _AUDITOR in Path(trace.tb_frame.f_code.co_filename).parents:
        trace = trace.tb_next
    return trace


def portable(result: bytes | Failure) -> bytes | Failure:
    """Return a result that any process can unpickle: exceptions need not be."""
    if isinstance(result, bytes) or result.cause is None:
        return result
    if result.cause.__traceback__ is None:  # the auditor itself refused what was returned, and the problem says all
        return replace(result, cause=None)
    lines = "".join(traceback.format_exception(result.cause)).splitlines()[-_LINES:]
    trace = "\n".join("  " * line.startswith(" ") + printable(line) for line in lines)
    return replace(result, cause=None, trace=trace)
