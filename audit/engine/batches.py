"""A batch of trials: a function of its fields, with the same bits in this process, a worker's or a cluster's.

Outside this process, and whenever calls have a time limit, a batch runs in a forked child of its own: what crashes or
hangs there takes nothing else with it, and the number of the trial survives in shared memory.
"""

from __future__ import annotations

import mmap
import os
import pickle
import signal
import sys
import traceback
import warnings
from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Never

import numpy as np
from threadpoolctl import threadpool_limits

from dppca.audit.engine.packing import pack

#: Trials of a stored batch that are run again before the batch is believed.
HEAD = 20
CAN_FORK = hasattr(os, "fork")


class Clock:
    """Told when a call begins and when the last one has ended; this one does not care."""

    def start(self, trial: int) -> None:
        """The call that runs a trial (in a `sample`: the trials from this one on) begins."""

    def stop(self) -> None:
        """No call is under way."""


@dataclass(frozen=True, eq=False)
class Batch(ABC):
    """Trials that share a seed."""

    seed: np.random.SeedSequence
    size: int
    dataset: str

    @abstractmethod
    def run(self, clock: Clock) -> Sequence[Any]:
        """The outputs; BatchError where a trial fails."""

    @abstractmethod
    def head(self) -> Batch | None:
        """A batch whose outputs are the first of this one's, to see whether those kept are still right; None if none can be."""

    def describe(self) -> dict[str, Any]:
        """What tells it from other batches of one audit."""
        spawn_key = [int(i) for i in self.seed.spawn_key]
        return {
            "batch": type(self).__name__,
            "dataset": self.dataset,
            "entropy": self.seed.entropy,
            "spawn key": spawn_key,
            "size": self.size,
        }


class BatchError(Exception):
    """A trial failed: what happened, its place in the batch, the outputs before it."""

    def __init__(self, problem: str, offset: int, outputs: list[Any]) -> None:
        super().__init__(problem)
        self.offset = offset
        self.outputs = outputs


@dataclass(frozen=True)
class Failure:
    """A BatchError as a value; its cause where it happened here, otherwise that cause's traceback."""

    problem: str
    offset: int
    outputs: list[Any]
    cause: BaseException | None = None
    trace: str = ""


def compute(batch: Batch, clock: Clock | None = None) -> bytes | Failure:
    """A batch's packed outputs. One thread for linear algebra: more would round differently from place to place."""
    clock = clock or Clock()
    try:
        with threadpool_limits(limits=1):
            outputs = batch.run(clock)
    except BatchError as error:
        return Failure(str(error), error.offset, error.outputs, cause=error.__cause__)
    finally:
        clock.stop()
    return pack(outputs)


def portable(result: bytes | Failure) -> bytes | Failure:
    """A result that any process can unpickle: exceptions need not be."""
    if isinstance(result, bytes) or result.cause is None:
        return result
    return replace(result, cause=None, trace="".join(traceback.format_exception(result.cause)))


def compute_apart(batch: Batch, call_timeout: float | None) -> bytes | Failure:
    """`compute` in a child process, which the kernel kills where a call takes longer than `call_timeout` seconds."""
    trial = mmap.mmap(-1, 8)
    reader, writer = os.pipe()
    with warnings.catch_warnings():  # the child runs one thread, and nothing of what others hold locks for
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        _be_the_child(batch, _Alarm(trial, call_timeout), writer)
    os.close(writer)
    try:
        with open(reader, "rb") as pipe:
            answer = pipe.read()
    except BaseException:
        os.kill(child, signal.SIGKILL)
        raise
    finally:
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(child, signal.SIGKILL)  # what the mechanism itself has started
    if code == 0:
        result: bytes | Failure = pickle.loads(answer)  # noqa: S301 - our own child wrote it
        return result
    if code == -signal.SIGALRM and call_timeout is not None:
        problem = f"took longer than {call_timeout:g} s"
    else:
        problem = f"was killed by {signal.Signals(-code).name}" if code < 0 else f"ended its process with exit code {code}"
    return Failure(problem, int.from_bytes(trial[:], sys.byteorder), [])


def _be_the_child(batch: Batch, clock: Clock, writer: int) -> Never:
    try:
        os.setpgid(0, 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        answer = pickle.dumps(portable(compute(batch, clock)))
        with open(writer, "wb") as pipe:
            pipe.write(answer)
        os._exit(0)
    except BaseException:  # noqa: BLE001 - nothing may return into the parent's code
        traceback.print_exc()
    finally:
        os._exit(1)


class _Alarm(Clock):
    """Writes the trial where the parent reads it and asks the kernel for the time limit, which no code can delay."""

    def __init__(self, trial: mmap.mmap, seconds: float | None) -> None:
        self._trial = trial
        self._seconds = seconds

    def start(self, trial: int) -> None:
        self._trial[:] = trial.to_bytes(8, sys.byteorder)
        if self._seconds is not None:
            signal.setitimer(signal.ITIMER_REAL, self._seconds)

    def stop(self) -> None:
        if self._seconds is not None:
            signal.setitimer(signal.ITIMER_REAL, 0.0)
