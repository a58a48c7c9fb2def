"""A batch in a process of its own, which nothing that the batch does outlives.

Three processes: the caller; a guard, which runs no code but this module's; the child, which runs the batch. The child
says in shared memory which call it is in and since when. The guard keeps the time limit, waits for the child and not for
a pipe, ends all that the child has left behind, and only then gives its verdict; where the caller dies it does the same.
A limit that the guard cannot keep, since the batch has stopped or killed it, the caller keeps.
"""

from __future__ import annotations

import ctypes
import gc
import json
import mmap
import os
import select
import signal
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Never

from dppca.audit.execution.announce import announce_threads
from dppca.audit.execution.batches import Batch, Clock, Failure, compute, libraries, one_thread, portable
from dppca.audit.execution.packing import pack, unpack

CAN_FORK = hasattr(os, "fork")
#: Seconds for what is no call: to begin, and to pack and send the outputs.
_GRACE = 60.0
#: Seconds between looks at whether the caller lives, and after which the caller acts in place of a guard.
_PERIOD, _BACKSTOP = 0.25, 2.0
#: Seconds after which a call is one that may wait for a thread which is not there.
_LONG_CALL = 20.0
#: Seconds in which killed processes are gone.
_ENDED = 5.0
_TRIAL, _SINCE, _CHILD, _NO_CALL = range(4)
_TIMEOUT = 1000
#: Linux's prctl: the signal that a process gets when its parent dies; to be given what its descendants leave behind.
PDEATHSIG, _SUBREAPER = 1, 36
LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None
_SIZE_OF_PIPE, _PIPE = 1031, 1 << 20


@dataclass(frozen=True)
class Limits:
    """The limits of calls: seconds, each; bytes of address space, together, beyond what is in use when the batch begins."""

    call_timeout: float | None = None
    call_memory: int | None = None


class Apart:
    """A batch that is computed in a process of its own, as long as it is under way.

    Args:
        batch: what is run.
        limits: what its calls may take.
    """

    def __init__(self, batch: Batch, limits: Limits) -> None:
        libraries(len(sys.modules))  # found once here, which every child would do for itself
        self._call_timeout = limits.call_timeout
        self._memory = mmap.mmap(-1, 64)
        self._shared = memoryview(self._memory).cast("q")
        self._shared[_SINCE], self._shared[_NO_CALL] = time.monotonic_ns(), 1
        self._received, self._answered = bytearray(), False
        self._late = False
        #: Threads of the caller that the child does not have, until they are told of.
        self._threads = threading.active_count() - 1
        self._answer, answer = os.pipe()
        self._verdict, verdict = os.pipe()
        with suppress(OSError, AttributeError, ImportError):
            import fcntl  # noqa: PLC0415 - not everywhere

            fcntl.fcntl(answer, _SIZE_OF_PIPE, _PIPE)
        caller = os.getpid()
        with suppress(Exception):
            sys.stdout.flush()  # or a child could print it again
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # or Python could lose it in what it runs at a fork
        with warnings.catch_warnings():  # the children run one thread, and nothing of what others hold locks for
            warnings.simplefilter("ignore", DeprecationWarning)
            self._guard = os.fork()
        if self._guard == 0:
            os.close(self._answer)
            os.close(self._verdict)
            _be_the_guard(batch, limits, self._shared, answer, verdict, caller)
        os.close(answer)
        os.close(verdict)
        os.set_blocking(self._answer, False)
        try:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        except BaseException:
            self.close()
            raise

    def files(self) -> list[int]:
        """Return the files that become readable when there is something to do; at its end a file always is."""
        return [self._verdict] if self._answered else [self._answer, self._verdict]

    def result(self) -> bytes | Failure | None:
        """Return what the batch gave, once it and all that it started have ended; None before."""
        self._read()
        if not select.select([self._verdict], [], [], 0.0)[0]:
            self._look_after_the_guard()
            self._tell_of_threads()
            return None
        verdict = os.read(self._verdict, 8)
        if not verdict:  # the guard is dead
            self._kill_child()
        self._read()
        self.close()
        if verdict:
            return self._judge(int.from_bytes(verdict, sys.byteorder, signed=True))
        if self._late:
            return self._judge(_TIMEOUT)
        return Failure("killed the process that watches it", self._trial, [])

    def close(self) -> None:
        """End it, if it has not ended, with all that it started."""
        if self._guard == 0:
            return
        with suppress(ProcessLookupError):
            os.kill(self._guard, signal.SIGTERM)
        until = time.monotonic() + _ENDED
        while not _reaped(self._guard):
            if time.monotonic() > until:
                self._kill_child()
                with suppress(ProcessLookupError):
                    os.kill(self._guard, signal.SIGKILL)
            time.sleep(1e-4)
        self._guard = 0
        os.close(self._answer)
        os.close(self._verdict)

    @property
    def _trial(self) -> int:
        return int(self._shared[_TRIAL])

    def _read(self) -> None:
        with suppress(BlockingIOError):
            while part := os.read(self._answer, _PIPE):
                self._received += part
            self._answered = True

    def _look_after_the_guard(self) -> None:
        if self._late or not _is_late(self._shared, self._call_timeout, _BACKSTOP):
            return
        self._late = True
        self._kill_child()
        with suppress(ProcessLookupError):
            os.kill(self._guard, signal.SIGKILL)

    def _tell_of_threads(self) -> None:
        seconds = 1e-9 * (time.monotonic_ns() - self._shared[_SINCE])
        if self._threads and not self._shared[_NO_CALL] and seconds > _LONG_CALL:
            announce_threads(seconds, self._threads)
            self._threads = 0

    def _kill_child(self) -> None:
        if child := int(self._shared[_CHILD]):
            _kill(child)

    def _judge(self, code: int) -> bytes | Failure:
        size, answer = int.from_bytes(self._received[:8], sys.byteorder), bytes(self._received[8:])
        if code == _TIMEOUT:
            if self._shared[_NO_CALL]:
                return Failure(f"was not done {_GRACE:g} s after its last call, or did not begin", self._trial, [])
            return Failure(f"took longer than {self._call_timeout:g} s", self._trial, [])
        if code == 0 and len(self._received) >= 8 and len(answer) == size:
            return _from_answer(answer)
        if code < 0:
            return Failure(f"was killed by {signal.Signals(-code).name}", self._trial, [])
        early = " before its batch was done" if code == 0 else ""
        return Failure(f"ended its process with exit code {code}{early}", self._trial, [])


def compute_apart(batch: Batch, limits: Limits) -> bytes | Failure:
    """Run `compute` in a process of its own, which is killed where a call takes too long."""
    apart = Apart(batch, limits)
    try:
        while (result := apart.result()) is None:
            wait([apart])
    finally:
        apart.close()
    return result


def wait(running: Iterable[Apart]) -> None:
    """Wait until one of them may have a result."""
    select.select([file for apart in running for file in apart.files()], [], [], _PERIOD)


# --- the guard ----------------------------------------------------------------------------------------


def _be_the_guard(batch: Batch, limits: Limits, shared: memoryview[int], answer: int, verdict: int, caller: int) -> Never:
    try:
        gc.freeze()  # collecting what is the caller's would copy its memory
        os.setpgid(0, 0)  # Ctrl-C is the caller's
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, {signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGHUP})
        if LIBC is not None:
            LIBC.prctl(_SUBREAPER, 1, 0, 0, 0)
        one_thread()  # for the child: the fork ends the threads that OpenBLAS starts here, and the child need not ask again
        child = os.fork()
        if child == 0:
            os.close(verdict)
            _be_the_child(batch, _Marks(shared), answer, limits.call_memory)
        os.close(answer)
        with suppress(OSError):
            os.setpgid(child, child)
        shared[_CHILD] = child
        code = _watch(child, shared, limits.call_timeout, caller)
        _end_all(child)
        with suppress(BrokenPipeError):  # the caller is dead
            os.write(verdict, code.to_bytes(8, sys.byteorder, signed=True))
        os._exit(0)
    except BaseException:  # noqa: BLE001 - nothing may return into the caller's code
        traceback.print_exc()
    finally:
        os._exit(1)


def _watch(child: int, shared: memoryview[int], call_timeout: float | None, caller: int) -> int:
    """Return the child's exit code, or _TIMEOUT where it was to be ended."""
    while True:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            return os.waitstatus_to_exitcode(status)
        if os.getppid() != caller or _is_late(shared, call_timeout, 0.0):
            return _TIMEOUT
        period = _PERIOD if call_timeout is None else min(_PERIOD, 0.2 * call_timeout)
        if hasattr(signal, "sigtimedwait"):
            found = signal.sigtimedwait({signal.SIGCHLD, signal.SIGTERM}, period)
            if found is not None and found.si_signo == signal.SIGTERM:
                return _TIMEOUT
        else:
            time.sleep(min(0.01, period))
            if signal.SIGTERM in signal.sigpending():
                return _TIMEOUT


def _is_late(shared: memoryview[int], call_timeout: float | None, spare: float) -> bool:
    if call_timeout is None:
        return False
    limit = call_timeout + spare + (_GRACE if shared[_NO_CALL] else 0.0)
    return time.monotonic_ns() - shared[_SINCE] > 1e9 * limit


def _end_all(child: int) -> None:
    """Kill the child with its group and, where the kernel gives them to the guard, all of its descendants."""
    _kill(child)
    until = time.monotonic() + _ENDED
    while time.monotonic() < until:
        try:
            if os.waitpid(-1, os.WNOHANG)[0]:
                continue
        except ChildProcessError:
            return
        for other in _children():
            _kill(other)
        time.sleep(1e-3)


def _kill(process: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.kill(process, signal.SIGKILL)
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process, signal.SIGKILL)


def _children() -> list[int]:
    """Return the processes whose parent is this one; where there is no /proc, none."""
    found = []
    for name in os.listdir("/proc") if os.path.isdir("/proc") else ():
        with suppress(OSError, ValueError, IndexError):
            with open(f"/proc/{int(name)}/stat", "rb") as stat:
                fields = stat.read().rpartition(b")")[2].split()
            if int(fields[1]) == os.getpid():
                found.append(int(name))
    return found


def _reaped(process: int) -> bool:
    try:
        return os.waitpid(process, os.WNOHANG)[0] == process
    except ChildProcessError:
        return True


# --- the child ----------------------------------------------------------------------------------------


class _Marks(Clock):
    """A clock that writes the call under way where the guard reads it."""

    def __init__(self, shared: memoryview[int]) -> None:
        self._shared = shared

    def start(self, trial: int) -> None:
        self._shared[_SINCE] = time.monotonic_ns()
        self._shared[_TRIAL] = trial
        self._shared[_NO_CALL] = 0

    def stop(self) -> None:
        self._shared[_SINCE] = time.monotonic_ns()
        self._shared[_NO_CALL] = 1


def _be_the_child(batch: Batch, clock: Clock, answer: int, call_memory: int | None) -> Never:
    own = os.getpid()
    try:
        os.setpgid(0, 0)
        if LIBC is not None:
            LIBC.prctl(PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        for signal_number in (signal.SIGINT, signal.SIGTERM, signal.SIGALRM, signal.SIGCHLD, signal.SIGHUP):
            signal.signal(signal_number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        if call_memory is not None:
            _limit_memory(call_memory)
        content = _as_answer(portable(compute(batch, clock)))
        if os.getpid() == own:  # a mechanism that forks may return twice
            with open(answer, "wb") as pipe:
                pipe.write(len(content).to_bytes(8, sys.byteorder) + content)
            os._exit(0)
    except BaseException:  # noqa: BLE001 - nothing may return into the caller's code
        traceback.print_exc()
    finally:
        os._exit(1)


def _limit_memory(size: int) -> None:
    """Let this process have so many bytes more than it has, whatever it asks for later; its children, each, as many in all."""
    import resource  # noqa: PLC0415 - not everywhere

    with open("/proc/self/statm", "rb") as statm:
        most = int(statm.read().split()[0]) * resource.getpagesize() + size
    before = resource.getrlimit(resource.RLIMIT_AS)[1]
    most = most if before == resource.RLIM_INFINITY else min(most, before)
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def _as_answer(result: bytes | Failure) -> bytes:
    """Return a result as data, never code: the child has run what others wrote."""
    if isinstance(result, bytes):
        return b"\n" + result
    described: dict[str, Any] = {
        "problem": result.problem,
        "offset": result.offset,
        "trace": result.trace,
        "advice": result.advice,
    }
    try:
        outputs = pack(result.outputs)
    except Exception:  # noqa: BLE001 - what cannot be kept is not
        outputs = pack([])
    return json.dumps(described).encode() + b"\n" + outputs


def _from_answer(answer: bytes) -> bytes | Failure:
    described, _, packed = answer.partition(b"\n")
    if not described:
        return packed
    return Failure(outputs=list(unpack(packed)), **json.loads(described))
