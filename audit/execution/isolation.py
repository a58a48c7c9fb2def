"""Batches in a process of their own, which nothing that they do outlives.

Four processes: the caller; a guard, which runs no code but this module's; the child, which runs the batches of a run one after
another; and between these two the child's parent, which does nothing else, so that a mechanism that stops or kills its parent
hits no process that is needed. The child counts in shared memory the pieces of the user's code that it begins, and reads no
clock. The guard counts the ticks of a timer of the kernel since that number last changed, which no fake clock moves: a piece
that nobody announced counts towards the one before it. The guard keeps the time limit, ends all that the child has left behind,
and only then gives its verdict; where the caller dies it does the same. The caller looks after the guard alone.
"""

from __future__ import annotations

import ctypes
import errno
import gc
import io
import json
import mmap
import os
import pickle
import select
import signal
import socket
import sys
import tempfile
import threading
import time
import traceback
import warnings
import zlib
from collections.abc import Iterator, Sequence, Set
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from typing import Any, Never

from dppca.audit.execution.announce import announce_threads
from dppca.audit.execution.batches import Batch, Clock, Failure, compute, libraries, one_thread, portable
from dppca.audit.execution.packing import pack, unpack

CAN_FORK = hasattr(os, "fork")
#: Seconds for what runs none of the user's code: to begin, and to pack the outputs, which are plain values by then.
_GRACE = 60.0
#: Seconds between two ticks of the guard at most; in a limit there are five. Seconds without a tick after which it is stopped.
PERIOD, STOPPED = 0.25, 3.0
#: Seconds after which a call is one that may wait for a thread which is not there.
_LONG_CALL = 20.0
#: Seconds in which killed processes are gone, and between two looks at whether they are.
_ENDED, _LOOK = 5.0, 1e-3
#: Places in shared memory. The child writes the first three, that it has answered or why it cannot, and the answer's checksum;
#: the guard the next two, the child's parent the others.
COUNT, TRIAL, RUNS, TICKS, SINCE, CHILD, STATUS, ANSWERED, CHECKSUM = range(9)
_YES, _NO_MEMORY, _NO_FILE = 1, 2, 3
#: What the child runs: the user's code, this package's, or nothing as it waits for a batch.
_USERS, _OURS, _NOTHING = range(3)
#: Verdicts that are no exit code: it was to be ended; its parent was stopped or killed; what it should answer is not there.
TIMEOUT, NO_PARENT, FOREIGN = 1000, 1001, 1002
#: Linux's prctl: the signal that a process gets when its parent dies; to be given what its descendants leave behind.
_PDEATHSIG, _SUBREAPER = 1, 36
_LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None
_TOLD = frozenset({signal.SIGCHLD, signal.SIGTERM, signal.SIGALRM}) if CAN_FORK else frozenset()


@dataclass(frozen=True)
class Limits:
    """The limits of calls: seconds, each; bytes of address space, together, beyond what is in use when the process begins.

    No file that a call writes, shared memory included, may be larger than those bytes either.
    """

    call_timeout: float | None = None
    call_memory: int | None = None

    @property
    def period(self) -> float:
        """Return the seconds between two ticks of a guard."""
        return PERIOD if self.call_timeout is None else max(min(PERIOD, 0.2 * self.call_timeout), _LOOK)


class Apart:
    """A process of its own, which runs a batch and, if asked to, further ones of the same mechanism on the same data.

    Args:
        batch: what it runs first.
        limits: what calls may take.
        renewed: whether each batch runs in a new child, forked from a process that has run no batch.
    """

    def __init__(self, batch: Batch, limits: Limits, *, renewed: bool = False) -> None:
        self._limits = limits
        self._parts = batch.parts()
        self._shared = memoryview(mmap.mmap(-1, 72)).cast("q")
        self._shared[RUNS] = _OURS
        self._runs, self._ticks, self._silent = True, 0, 0.0
        #: Threads of the caller that the child does not have, until they are told of.
        self._threads = other_threads()
        self._paper = _new_file()
        self._papers = os.fstat(self._paper)
        #: Both ends stay open here: that the child has ended is said by the guard.
        self._line, self._childs_line = socket.socketpair()
        self._verdict, verdict = os.pipe()
        caller = os.getpid()
        with suppress(Exception):
            sys.stdout.flush()  # or a child could print it again
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # or Python could lose it in what it runs at a fork
        with warnings.catch_warnings():  # the children run one thread, and nothing of what others hold locks for
            warnings.simplefilter("ignore", DeprecationWarning)
            self._guard = os.fork()
        if self._guard == 0:
            os.close(self._verdict)
            clock = _Count(self._shared)
            child = _Child(batch, self._parts, clock, self._paper, self._childs_line, limits.call_memory, renewed)
            _be_the_guard(child, limits, self._shared, verdict, caller)
        os.close(verdict)
        try:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        except BaseException:
            self.close()
            raise

    @property
    def files(self) -> tuple[int, int]:
        """Return the files of which one becomes readable when there is a result."""
        return self._line.fileno(), self._verdict

    @property
    def waits(self) -> bool:
        """Return whether it waits for a batch."""
        return self._guard != 0 and not self._runs

    @property
    def begun(self) -> int:
        """Return how many calls of the batch that it runs have begun."""
        return int(self._shared[TRIAL])

    def holds(self, batch: Batch) -> bool:
        """Return whether it can run a batch: whether all that the batch has of the user's was there when it began."""
        return all(any(part is own for own in self._parts) for part in batch.parts())

    def begin(self, batch: Batch) -> None:
        """Let it run another batch, which it `holds`, after the result of the one before."""
        _write(self._paper, _as_request(batch, self._parts), self._papers)
        self._runs, self._shared[TRIAL], self._shared[RUNS] = True, 0, _OURS
        self._line.send(b"\0")

    def result(self) -> bytes | Failure | None:
        """Return what the batch gave; a Failure where the process has ended, with all that it started; None before."""
        ready = select.select(self.files, [], [], 0.0)[0]
        if not ready:
            return None
        code = 0
        if self._line.fileno() in ready:
            self._line.recv(1)
            answer = _read(self._paper)
            if answer and zlib.crc32(answer) == self._shared[CHECKSUM]:
                self._runs = False
                return _from_answer(answer)
            code = FOREIGN
        elif verdict := os.read(self._verdict, 8):
            code = int.from_bytes(verdict, sys.byteorder, signed=True)
        else:  # the guard is dead
            self._kill_all()
            code = NO_PARENT
        self.close()
        return self._judge(code)

    def look(self, seconds: float) -> None:
        """Look after the guard, nothing having happened for so many seconds; say where a call waits for threads."""
        ticks = int(self._shared[TICKS])
        self._silent = self._silent + seconds if ticks == self._ticks else 0.0
        self._ticks = ticks
        if self._silent > STOPPED:
            self._kill_all()
        taken = (ticks - self._shared[SINCE]) * self._limits.period
        if self._threads and self._shared[RUNS] == _USERS and taken > _LONG_CALL:
            announce_threads(taken, self._threads)
            self._threads = 0

    def close(self) -> None:
        """End it, if it has not ended, with all that it started."""
        if self._guard == 0:
            return
        with suppress(ProcessLookupError):
            os.kill(self._guard, signal.SIGTERM)
        looks = 0
        while not _reaped(self._guard):
            looks += 1
            if looks > _ENDED / _LOOK:
                self._kill_all()
            select.select([], [], [], _LOOK)
        self._guard = 0
        self._line.close()
        self._childs_line.close()
        os.close(self._paper)
        os.close(self._verdict)

    def _kill_all(self) -> None:
        """Kill the child and the guard, which does not do it."""
        if child := int(self._shared[CHILD]):
            _kill(child)
        with suppress(ProcessLookupError):
            os.kill(self._guard, signal.SIGKILL)

    def _judge(self, code: int) -> Failure:
        """Return the failure that the end of the child, with this verdict of the guard, is."""
        trial = int(self._shared[TRIAL])
        if code == NO_PARENT:
            problem = "stopped or killed the process that watches it"
        elif code == TIMEOUT and self._shared[RUNS] == _USERS:
            problem = f"took longer than {self._limits.call_timeout:g} s"
        elif code == TIMEOUT:
            problem = f"was not done {_GRACE:g} s after its last call, or did not begin"
        elif self._shared[ANSWERED] == _NO_MEMORY:
            problem = f"took more than call_memory = {self._limits.call_memory} bytes, its outputs included"
        elif code == FOREIGN or self._shared[ANSWERED] == _NO_FILE:
            problem = "closed, wrote into or limited the files through which its outputs go"
        elif code < 0:
            problem = f"was killed by {signal.Signals(-code).name}"
        else:
            problem = f"ended its process with exit code {code}" + " before its batch was done" * (code == 0)
        return Failure(problem, trial, [])


def compute_apart(batch: Batch, limits: Limits) -> bytes | Failure:
    """Run `compute` in a process of its own, which is killed where a call takes too long."""
    with closing(Apart(batch, limits)) as apart:
        return awaited(apart)


def awaited(apart: Apart) -> bytes | Failure:
    """Wait for the result of the batch that a process runs."""
    while (result := apart.result()) is None:
        wait([apart])
    return result


def wait(running: Sequence[Apart]) -> None:
    """Wait until one of them may have a result; look after them where that takes long."""
    if not select.select([file for apart in running for file in apart.files], [], [], PERIOD)[0]:
        for apart in running:
            apart.look(PERIOD)


def other_threads() -> int:
    """Return how many threads this process has beside this one and those of linear algebra, where the system says so."""
    algebra = libraries(len(sys.modules))  # found once here, which every child would do for itself
    try:
        all_threads = len(os.listdir("/proc/self/task"))
    except OSError:
        all_threads = threading.active_count()
    return int(max(0, all_threads - 1 - sum(library.num_threads - 1 for library in algebra.lib_controllers)))


def _new_file() -> int:
    """Return a file that has no name: in memory, where that can be."""
    if hasattr(os, "memfd_create"):
        return os.memfd_create("answer")
    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())


# --- the guard ----------------------------------------------------------------------------------------


def _be_the_guard(child: _Child, limits: Limits, shared: memoryview[int], verdict: int, caller: int) -> Never:
    try:
        gc.freeze()  # collecting what is the caller's would copy its memory
        os.setpgid(0, 0)  # Ctrl-C is the caller's
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, {*_TOLD, signal.SIGINT, signal.SIGHUP})
        _adopt(True)
        one_thread()  # for the child: the fork ends the threads that OpenBLAS starts here, and the child need not ask again
        parent = os.fork()
        if parent == 0:
            os.close(verdict)
            _be_the_parent(child, shared)
        signal.setitimer(signal.ITIMER_REAL, limits.period, limits.period)
        code = watch(parent, shared, limits, caller)
        if shared[CHILD]:
            _kill(shared[CHILD])
        end_all()
        with suppress(BrokenPipeError):  # the caller is dead
            os.write(verdict, code.to_bytes(8, sys.byteorder, signed=True))
        os._exit(0)
    except BaseException:  # noqa: BLE001 - nothing may return into the caller's code
        traceback.print_exc()
    finally:
        os._exit(1)


def _be_the_parent(child: _Child, shared: memoryview[int]) -> Never:
    try:
        os.setpgid(0, 0)
        die_with_the_parent()
        while True:
            process = os.fork()
            if process == 0:
                child.run()
            with suppress(OSError):
                os.setpgid(process, process)
            shared[CHILD] = process
            shared[STATUS] = os.waitpid(process, 0)[1]
            if not child.renewed or shared[ANSWERED] != _YES or shared[STATUS] != 0:
                os._exit(0)
            _kill(process)  # what is left of its group
            shared[CHILD] = shared[ANSWERED] = 0
            child = child.next()
    finally:
        os._exit(1)


def watch(parent: int, shared: memoryview[int], limits: Limits, caller: int) -> int:
    """Return the child's exit code, or why there is none."""
    seen = -1
    while True:
        told = signal.sigwait(_TOLD)
        pid, status = os.waitpid(parent, os.WNOHANG | os.WUNTRACED)
        if pid:
            return os.waitstatus_to_exitcode(shared[STATUS]) if status == 0 else NO_PARENT
        if told == signal.SIGTERM or os.getppid() != caller:
            return TIMEOUT
        if told != signal.SIGALRM:
            continue
        shared[TICKS] += 1
        if shared[COUNT] != seen or shared[RUNS] == _NOTHING:
            seen, shared[SINCE] = shared[COUNT], shared[TICKS]
        limit = (limits.call_timeout or 0.0) + (_GRACE if shared[RUNS] == _OURS else 0.0)
        if limits.call_timeout is not None and (shared[TICKS] - shared[SINCE]) * limits.period > limit:
            return TIMEOUT


@contextmanager
def adopted() -> Iterator[None]:
    """Kill afterwards what was started meanwhile, where the kernel gives what children leave behind to this process."""
    before = _children()
    _adopt(True)
    try:
        yield
    finally:
        end_all(before)
        _adopt(False)


def die_with_the_parent() -> None:
    """Let this process be killed when its parent dies, where the kernel does that."""
    if _LIBC is not None:
        _LIBC.prctl(_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def _adopt(whether: bool) -> None:
    if _LIBC is not None:
        _LIBC.prctl(_SUBREAPER, int(whether), 0, 0, 0)


def end_all(spared: Set[int] = frozenset()) -> None:
    """Kill the children of this process, and those that become its children then."""
    for _ in range(int(_ENDED / _LOOK)):
        if not (found := _children() - spared):
            return
        for process in found:
            _kill(process)
            with suppress(ChildProcessError):
                os.waitpid(process, os.WNOHANG)
        select.select([], [], [], _LOOK)


def _kill(process: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.kill(process, signal.SIGKILL)
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process, signal.SIGKILL)


def _children() -> set[int]:
    """Return the processes whose parent is this one; where there is no /proc, none."""
    if _LIBC is None:
        return set()
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:  # it has none, which is quicker to see than to look for them
        return set()
    return {process for process, (parent, _) in _processes().items() if parent == os.getpid()}


def _processes() -> dict[int, tuple[int, int]]:
    """Return each process with its parent, and the ticks that it and those that it has waited for have taken."""
    found = {}
    for name in os.listdir("/proc"):
        with suppress(OSError, ValueError, IndexError):
            with open(f"/proc/{int(name)}/stat", "rb") as stat:
                fields = stat.read().rpartition(b")")[2].split()
            found[int(name)] = int(fields[1]), sum(map(int, fields[11:15]))
    return found


def processor_seconds() -> float:
    """Return the processor seconds of this process and of all that it has started, to a tick; wall time where no /proc is."""
    if _LIBC is None:
        return time.perf_counter()
    processes = _processes()
    below, ticks = [os.getpid()], 0
    while below:
        ticks += sum(processes[process][1] for process in below if process in processes)
        below = [process for process, (parent, _) in processes.items() if parent in below]
    return ticks / os.sysconf("SC_CLK_TCK")


def _reaped(process: int) -> bool:
    try:
        return os.waitpid(process, os.WNOHANG)[0] == process
    except ChildProcessError:
        return True


# --- the child ----------------------------------------------------------------------------------------


class _Count(Clock):
    """A count, in shared memory, of the pieces of the user's code that have begun."""

    def __init__(self, shared: memoryview[int]) -> None:
        self.own, self._number, self._shared = 0, os.getpid, shared

    def start(self, trial: int) -> None:
        self._end_if_copy()
        self._shared[TRIAL] = trial
        self._shared[RUNS] = _USERS
        self._shared[COUNT] += 1

    def stop(self) -> None:
        self._end_if_copy()
        self._shared[RUNS] = _OURS
        self._shared[COUNT] += 1

    def is_failure(self, error: BaseException) -> bool:  # noqa: ARG002 - Ctrl-C ends a child, if at all, without a word
        """Return True: what is raised here is raised by the user's code."""
        return True

    def _end_if_copy(self) -> None:
        """End this process where it is a copy of the child: a mechanism that forks may return twice."""
        if self._number() != self.own:
            os._exit(0)

    def wait(self, answer: bytes) -> None:
        """Note that there is an answer, and that nothing runs."""
        self._shared[CHECKSUM] = zlib.crc32(answer)
        self._shared[ANSWERED] = _YES
        self._shared[RUNS] = _NOTHING

    def give_up(self, reason: int) -> None:
        """Note that there is no answer: for want of memory, or of a file."""
        self._shared[ANSWERED] = reason


@dataclass(frozen=True)
class _Child:
    """What the child has: its first batch, and what it shares with the caller."""

    batch: Batch
    parts: Sequence[Any]
    clock: _Count
    paper: int
    line: socket.socket
    call_memory: int | None
    renewed: bool

    def next(self) -> _Child:
        """Wait for a request; return what has its batch as the first; OSError where it is none, as others wrote there."""
        self.line.recv(1)
        try:
            return replace(self, batch=_from_request(_read(self.paper), self.parts))
        except Exception as error:
            raise OSError(errno.EBADF, "not a request") from error

    def run(self) -> Never:
        """Run batches until the process is ended; one, where the next is for a new process."""
        child, self.clock.own, paper = self, os.getpid(), os.fstat(self.paper)
        try:
            os.setpgid(0, 0)
            die_with_the_parent()
            for signal_number in (*_TOLD, signal.SIGINT, signal.SIGHUP):
                signal.signal(signal_number, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_SETMASK, ())
            if self.call_memory is not None:
                _limit_memory(self.call_memory)
            while True:
                content = _as_answer(portable(compute(child.batch, self.clock)))
                _write(self.paper, content, paper)
                self.clock.wait(content)
                self.line.send(b"\0")
                if self.renewed:
                    os._exit(0)
                child = child.next()
        except BaseException as error:  # noqa: BLE001 - nothing may return into the caller's code
            scarce = isinstance(error, MemoryError) or getattr(error, "errno", 0) in (errno.ENOMEM, errno.EFBIG)
            if self.call_memory is not None and scarce:
                self.clock.give_up(_NO_MEMORY)
            elif isinstance(error, OSError):
                self.clock.give_up(_NO_FILE)
            else:
                traceback.print_exc()
        finally:
            os._exit(1)


def _limit_memory(size: int) -> None:
    """Let this process have so many bytes more than it has, whatever it asks for later; its children, each, as many in all.

    What it writes in files, of which those in shared memory are memory, has the same limit, each.
    """
    import resource  # noqa: PLC0415 - not everywhere

    with open("/proc/self/statm", "rb") as statm:
        most = int(statm.read().split()[0]) * resource.getpagesize() + size
    for kind, wanted in ((resource.RLIMIT_AS, most), (resource.RLIMIT_FSIZE, size)):
        before = resource.getrlimit(kind)[1]
        value = wanted if before == resource.RLIM_INFINITY else min(wanted, before)
        resource.setrlimit(kind, (value, value))


def _write(paper: int, content: bytes, was: os.stat_result) -> None:
    """Write what the other process is to read next; OSError where another file has this number now, as of a mechanism."""
    if not os.path.samestat(was, os.fstat(paper)):
        raise OSError(errno.EBADF, "closed by others")
    os.ftruncate(paper, 0)
    with open(paper, "wb", closefd=False) as file:
        file.seek(0)
        file.write(len(content).to_bytes(8, sys.byteorder) + content)


def _read(paper: int) -> bytes:
    """Return what the other process has written; nothing where it did not come to the end."""
    with open(paper, "rb", closefd=False) as file:
        file.seek(0)
        size, content = int.from_bytes(file.read(8), sys.byteorder), file.read()
    return content if len(content) == size else b""


class _Pickler(pickle.Pickler):
    """A pickler of a batch, in which the user's objects are numbers: the other process has them."""

    def __init__(self, file: io.BytesIO, parts: Sequence[Any]) -> None:
        super().__init__(file)
        self._places = {id(part): place for place, part in enumerate(parts)}

    def persistent_id(self, value: Any) -> int | None:
        return self._places.get(id(value))


class _Unpickler(pickle.Unpickler):
    """An unpickler of what `_Pickler` has pickled, in a process that has the user's objects."""

    def __init__(self, file: io.BytesIO, parts: Sequence[Any]) -> None:
        super().__init__(file)
        self._parts = parts

    def persistent_load(self, place: int) -> Any:
        return self._parts[place]


def _as_request(batch: Batch, parts: Sequence[Any]) -> bytes:
    file = io.BytesIO()
    _Pickler(file, parts).dump(batch)
    return file.getvalue()


def _from_request(content: bytes, parts: Sequence[Any]) -> Batch:
    found: Batch = _Unpickler(io.BytesIO(content), parts).load()
    return found


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
