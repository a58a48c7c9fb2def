"""Limits that hold against what a mechanism does, and processes that are gone when the audit is, however it ended."""

from __future__ import annotations

import contextlib
import mmap
import multiprocessing
import os
import random
import resource
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dppca import audit
from dppca.audit.execution import isolation as apart
from dppca.audit.execution import runner
from dppca.audit.execution.batches import Clock, Failure
from dppca.audit.execution.trials import OutputBatch
from tests.execution.processes import LINUX, left_after, marked
from tests.interpreter import python

ROOT = Path(__file__).parents[2]
#: How often the main process is killed; `KILLS=100 pytest tests/execution/test_isolation.py -k kill` for more.
KILLS = int(os.environ.get("KILLS", "6"))
#: Seconds after the death of the main process in which everything that it started is dead too.
GONE = 5.0

CLAIM = audit.Claim(1.0, 1e-3)

pytestmark = pytest.mark.skipif(not LINUX, reason="asks Linux which processes there are")


#: Shared with the processes that a call starts: whether any of them was left to hang to the end; looked at when none is left.
WAITED = mmap.mmap(-1, 1)


def _hang() -> None:
    time.sleep(60)
    WAITED[0] = 1


def _ignores_alarms() -> None:
    signal.signal(signal.SIGALRM, signal.SIG_IGN)
    _hang()


def _cancels_the_timer() -> None:
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.alarm(0)
    _hang()


def _blocks_every_signal() -> None:
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_IGN)
    _hang()


def _stops_itself() -> None:
    os.kill(os.getpid(), signal.SIGSTOP)


def _stops_its_parent() -> None:
    os.kill(os.getppid(), signal.SIGSTOP)
    _hang()


def _prints_without_end() -> None:
    while True:
        os.write(2, b"\n" * 10)
        time.sleep(1e-3)


def _hangs_in_a_thread() -> None:
    thread = threading.Thread(target=_hang)
    thread.start()
    thread.join()


def _waits_for_a_helper() -> None:
    if helper := os.fork():
        os.waitpid(helper, 0)
    else:
        _hang()


def _leaves_its_group() -> None:
    os.setsid() if os.getpgrp() != os.getpid() else None
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            _hang()
        os._exit(0)
    _hang()


def _writes_into_sockets() -> None:
    for name in os.listdir("/proc/self/fd"):
        with contextlib.suppress(OSError):
            if os.readlink(f"/proc/self/fd/{name}").startswith("socket:"):
                os.write(int(name), bytes(8))


def _opens_another() -> None:
    """Close all files, as what becomes a daemon does, and write into one that gets the number of another."""
    os.closerange(3, 256)
    for _ in range(64):
        os.write(os.open(OTHERS, os.O_CREAT | os.O_RDWR | os.O_APPEND), b"mine")


#: A file of a mechanism; what is said of the loss of the auditor's own.
OTHERS, CLOSED = Path(tempfile.gettempdir()) / f"others-{os.getpid()}", "closed, wrote into or limited the files"


def acting(action: Callable[[], None]) -> Callable[[float, np.random.Generator], float]:
    """Return a mechanism that does something once in about 40 calls."""

    def mechanism(x: float, rng: np.random.Generator) -> float:
        u = rng.random()
        if u < 0.025:
            action()
        return x + u

    return mechanism


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize(
    "action",
    [
        _hang,
        _ignores_alarms,
        _cancels_the_timer,
        _blocks_every_signal,
        _stops_itself,
        _stops_its_parent,
        _prints_without_end,
        _hangs_in_a_thread,
        _waits_for_a_helper,
        _leaves_its_group,
    ],
)
def test_a_call_ends_at_its_limit_whatever_it_does(
    action: Callable[[], None], workers: int, capfd: pytest.CaptureFixture[str]
) -> None:
    before = set(marked("PATH", os.environ["PATH"]))
    WAITED[0] = 0
    problem = "stopped or killed the process that watches it" if action is _stops_its_parent else r"took longer than 0\.3 s"
    with pytest.raises(audit.MechanismError, match=problem + r" on (data|neighbour), trial \d+ "):
        audit.check(acting(action), 0.0, 1.0, audit.Claim(1.0), trials=1000, workers=workers, call_timeout=0.3)
    assert _own(before) == set()
    assert WAITED[0] == 0
    capfd.readouterr()


def _own(before: set[int]) -> set[int]:
    """Processes that this one has and did not have before; those that were killed just now are given a minute."""
    until = time.monotonic() + 60.0
    while True:
        found = {process for process in set(marked("PATH", os.environ["PATH"])) - before if _is_ours(process)}
        if not found or time.monotonic() > until:
            return found
        time.sleep(0.02)


def _is_ours(process: int) -> bool:
    """Return whether a process runs this test's program: another that runs beside it does not count."""
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes() == Path("/proc/self/cmdline").read_bytes()
    except OSError:
        return False


def _helper(double: bool) -> None:
    """Leaves a helper behind, as a pool does, and ends well."""
    if os.fork() == 0:
        if double:
            os.setsid()
            if os.fork():
                os._exit(0)
        _hang()
        os._exit(0)


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("double", [False, True])
def test_what_a_call_leaves_behind_is_ended_and_not_waited_for(workers: int, double: bool) -> None:
    before, WAITED[0] = set(marked("PATH", os.environ["PATH"])), 0
    mechanism = acting(lambda: _helper(double))
    how = {"workers": workers, "call_timeout": 30.0 if workers == 1 else None}
    assert audit.check(mechanism, 0.0, 1.0, audit.Claim(1.0), trials=200, **how).bound.trials == 200
    assert _own(before) == set()
    assert WAITED[0] == 0


@pytest.mark.parametrize(
    ("action", "message"),
    [
        (lambda: os._exit(0), "ended its process with exit code 0 before its batch was done on "),
        (lambda: (os.closerange(3, 256), os._exit(0)), "ended its process with exit code 0 before its batch was done on "),
        (lambda: os.closerange(3, 256), CLOSED),
        (lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)), CLOSED),
        (_writes_into_sockets, CLOSED),
        (_opens_another, CLOSED),
        (lambda: os.kill(os.getppid(), signal.SIGKILL), "stopped or killed the process that watches it on "),
        (lambda: os.kill(os.getpid(), signal.SIGTERM), "was killed by SIGTERM on "),
        (lambda: signal.default_int_handler(signal.SIGINT, None), "raised KeyboardInterrupt on "),
    ],
)
@pytest.mark.parametrize("workers", [1, 2])
def test_an_end_without_an_answer_is_the_failure_of_a_trial(
    action: Callable[[], None], message: str, workers: int, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(audit.MechanismError, match=message):
        audit.check(acting(action), 0.0, 1.0, audit.Claim(1.0), trials=1000, workers=workers, call_timeout=30.0)
    assert "Traceback" not in capfd.readouterr().err
    if OTHERS.exists():
        content = OTHERS.read_bytes()
        OTHERS.unlink()
        assert content == len(content) // 4 * b"mine"


# --- the parts by themselves --------------------------------------------------------------------------


def batch_of(mechanism: Callable[[Any, np.random.Generator], float], size: int = 5) -> OutputBatch:
    """Return trials on data alone."""
    return OutputBatch(np.random.SeedSequence(1), size, "the pair", mechanism, (2.0, 2.0), None, (), 3, only=0)


def test_a_batch_in_a_process_of_its_own_gives_what_it_gives_here() -> None:
    batch = batch_of(lambda x, rng: x + float(rng.laplace()))
    found = apart.compute_apart(batch, apart.Limits())
    assert isinstance(found, bytes)
    assert batch.unpack(found) == batch.run(Clock())


THREADS = """
import os
import sys

import numpy as np
import scipy.linalg
from threadpoolctl import threadpool_info

from dppca.audit.execution import isolation as apart
from dppca.audit.execution.trials import OutputBatch


def seen(x, rng):
    np.linalg.svd(rng.normal(size=(300, 300)))
    return float(len(os.listdir("/proc/self/task")))


batch = OutputBatch(np.random.SeedSequence(1), 3, "the pair", seen, (0.0, 0.0), None, (), 3, only=0)
threads = max(library["num_threads"] for library in threadpool_info())
sys.stdout.write(f"{threads} {list(batch.unpack(apart.compute_apart(batch, apart.Limits()))[0])}")
"""


def test_a_child_starts_no_threads_for_linear_algebra() -> None:
    """Idle ones would spin for a tenth of a second a batch, on the processor of another worker."""
    found = python("-c", THREADS, check=True, OMP_NUM_THREADS="2", OPENBLAS_NUM_THREADS="2").stdout
    if found.startswith("1 "):
        pytest.skip("needs linear algebra of more than one thread")
    assert found == "2 [1.0, 1.0, 1.0]"


def test_a_call_that_waits_for_a_thread_of_the_caller_is_told_of(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The pool has its thread before the process forks, and takes work in the child that no thread will do."""
    monkeypatch.setattr(apart, "_LONG_CALL", 0.5)
    with ThreadPoolExecutor(1) as pool:
        pool.submit(int).result()
        found = apart.compute_apart(batch_of(lambda x, rng: pool.submit(float, x).result()), apart.Limits(call_timeout=4.0))
    assert isinstance(found, Failure)
    (told,) = caplog.records
    assert "let it make its pool in the call, and call jax there first, or use isolate=False" in told.getMessage()


def test_a_call_that_takes_long_without_threads_is_not(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(apart, "_LONG_CALL", 0.1)
    monkeypatch.setattr(apart, "other_threads", lambda: 0)
    assert isinstance(apart.compute_apart(batch_of(lambda x, rng: time.sleep(0.4) or x, size=1), apart.Limits()), bytes)
    assert not caplog.records


def test_the_verdict_on_a_child_that_has_ended_is_not_waited_for_in_a_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    """What ends all that the child has left behind takes long here."""
    waits: list[float] = []
    monkeypatch.setattr(apart, "wait", lambda running, wait=apart.wait: (waits.append(time.monotonic()), wait(running)))
    monkeypatch.setattr(apart, "end_all", lambda end=apart.end_all: (time.sleep(0.1), end()))
    assert isinstance(apart.compute_apart(batch_of(lambda x, rng: os._exit(0)), apart.Limits()), Failure)
    assert len(waits) <= 1 + (waits[-1] - waits[0]) / apart.PERIOD


def test_the_guard_is_asked_to_end_a_batch_before_it_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[int] = []
    send = os.kill

    def kill(process: int, number: int) -> None:
        sent.append(number)
        send(process, number)

    running = apart.Apart(batch_of(lambda x, rng: time.sleep(60.0) or x), apart.Limits())
    monkeypatch.setattr("dppca.audit.execution.isolation.os.kill", kill)
    running.close()
    running.close()  # which ends nothing more
    assert sent == [signal.SIGTERM]


def test_an_answer_that_was_cut_off_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 2^32 + 3 bytes that are announced three come."""

    def cut(paper: int, content: bytes, was: os.stat_result) -> None:
        os.write(paper, (2**32 + 3).to_bytes(8, sys.byteorder) + b"abc")

    monkeypatch.setattr(apart, "_write", cut)
    found = apart.compute_apart(batch_of(lambda x, rng: x), apart.Limits())
    assert isinstance(found, Failure)
    assert found.problem.startswith(CLOSED)


class Counted:
    """A mechanism that keeps a state from call to call: it counts them."""

    calls = 0

    def __call__(self, x: float, rng: np.random.Generator) -> float:
        self.calls += 1
        return float(self.calls)


@pytest.mark.parametrize(("workers", "expected"), [(1, [1, 2, 3, 4, 5, 6]), (2, [1, 2, 1, 2, 3, 4])])
def test_a_process_runs_one_batch_after_another(workers: int, expected: list[float]) -> None:
    mechanism = Counted()
    with runner.Runner(workers, None, None, isolate=True, callables=(mechanism,), data=()) as of:
        with contextlib.closing(of.run([batch_of(mechanism, 2)] * workers)) as results:
            found = [value for outputs, _ in results for value in outputs]
        with contextlib.closing(of.run([batch_of(mechanism, 2)] * (3 - workers))) as results:
            found += [value for outputs, _ in results for value in outputs]
    assert found == expected
    assert mechanism.calls == 0


@pytest.mark.parametrize(("renewed", "expected"), [(False, [1, 2, 3, 4]), (True, [1, 2, 1, 2])])
def test_each_batch_runs_in_a_new_process_where_it_is_to(renewed: bool, expected: list[float]) -> None:
    batch = batch_of(Counted(), 2)
    with contextlib.closing(apart.Apart(batch, apart.Limits(), renewed=renewed)) as running:
        first = apart.awaited(running)
        running.begin(batch)
        second = apart.awaited(running)
        assert running.waits
    assert isinstance(first, bytes) and isinstance(second, bytes)  # noqa: PT018 - for mypy
    assert [*batch.unpack(first)[0], *batch.unpack(second)[0]] == expected


def test_a_new_process_that_leaves_is_a_failure_and_the_last() -> None:
    batch = batch_of(acting(lambda: os._exit(0)), 200)
    with contextlib.closing(apart.Apart(batch, apart.Limits(), renewed=True)) as running:
        found = apart.awaited(running)
        assert isinstance(found, Failure)
        assert found.problem == "ended its process with exit code 0 before its batch was done"
        assert not running.waits


def test_what_a_call_leaves_in_a_new_process_is_ended() -> None:
    before, WAITED[0] = set(marked("PATH", os.environ["PATH"])), 0
    batch = batch_of(acting(lambda: _helper(double=True)), 200)
    with contextlib.closing(apart.Apart(batch, apart.Limits(), renewed=True)) as running:
        for _ in range(2):
            assert isinstance(apart.awaited(running), bytes)
            running.begin(batch)
    assert _own(before) == set()
    assert WAITED[0] == 0


def test_a_process_runs_no_batch_of_what_it_does_not_have() -> None:
    """Pickling a mechanism that came later would run its code here."""
    with contextlib.closing(apart.Apart(batch_of(Counted()), apart.Limits())) as running:
        assert not running.holds(batch_of(Counted()))


def test_a_generator_that_a_mechanism_holds_goes_on_through_all_batches() -> None:
    def holding() -> Callable[[float, np.random.Generator], float]:
        own = np.random.default_rng(3)
        return lambda x, rng: x + own.laplace()

    here, isolated = (audit.lower_bound(holding(), 0.0, 1.0, trials=6_000, isolate=how) for how in (False, True))
    assert isolated.epsilon == here.epsilon > 0.5


@pytest.mark.parametrize(("call_timeout", "period"), [(None, 0.25), (10.0, 0.25), (0.5, 0.1), (1e-9, 1e-3)])
def test_a_guard_ticks_five_times_within_a_limit(call_timeout: float | None, period: float) -> None:
    """Or four times a second."""
    assert apart.Limits(call_timeout).period == period


def test_ticks_count_from_the_piece_that_began_last(monkeypatch: pytest.MonkeyPatch) -> None:
    """Eleven ticks of 0.1 s within a piece are more than a second; other signals are no ticks."""
    ticks, shared = [0], memoryview(bytearray(64)).cast("q")

    def told(numbers: object) -> int:
        ticks[0] += 1
        shared[apart.COUNT] = min(ticks[0], 60) // 2
        return signal.SIGCHLD if ticks[0] % 2 else signal.SIGALRM

    monkeypatch.setattr("dppca.audit.execution.isolation.os.waitpid", lambda process, options: (0, 0))
    monkeypatch.setattr("dppca.audit.execution.isolation.signal.sigwait", told)
    limits = apart.Limits(1.0)
    assert apart.watch(7, shared, limits, os.getppid()) == apart.TIMEOUT
    assert (ticks[0], shared[apart.TICKS]) == (60 + 2 * 6, 36)  # of 0.2 s each, the last piece from tick 30 on


# --- clocks -------------------------------------------------------------------------------------------


def _frozen(x: float, rng: np.random.Generator) -> float:
    """Replace every clock that Python code reads."""
    for name in ("monotonic", "monotonic_ns", "time", "time_ns", "perf_counter", "perf_counter_ns", "process_time"):
        setattr(time, name, lambda name=name: 2**62 if name.endswith("_ns") else 2.0**32)
    if rng.random() < 0.025:
        _hang()
    return x


@pytest.mark.parametrize("where", ["in the call", "before the run"])
def test_no_clock_of_the_user_moves_a_limit(where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    started, clock = time.monotonic(), time.monotonic
    if where == "before the run":  # as tools do that freeze the time in a test
        for name in ("monotonic", "monotonic_ns", "time", "perf_counter", "perf_counter_ns"):
            monkeypatch.setattr(time, name, lambda: 5)
        monkeypatch.setattr(time, "sleep", lambda seconds: None)
    with pytest.raises(audit.MechanismError, match=r"took longer than 0\.5 s"):
        audit.check(
            _frozen if where == "in the call" else acting(select_forever), 0.0, 1.0, CLAIM, trials=400, call_timeout=0.5
        )
    assert clock() - started < 10.0


def test_a_clock_that_jumps_ends_nothing() -> None:
    def jumps(x: float, rng: np.random.Generator) -> float:
        time.monotonic_ns = lambda: 2**62
        return x + float(rng.laplace())

    assert audit.check(jumps, 0.0, 1.0, CLAIM, trials=200, call_timeout=30.0).bound.trials == 200


def select_forever() -> None:
    """Wait by a call that no test replaces."""
    select.select([], [], [], 60.0)


def _late_algorithm(data: float, noise: Any) -> None:
    noise.gaussian("g", data, std=4.0, sensitivity=1.0)
    select_forever()


class _LateKey:
    def audit_key(self) -> float:
        """Wait."""
        select_forever()
        return 0.0


class _Keys:
    """A mechanism for blocks whose outputs take long to say what they are."""

    def sample(self, x: float, trials: int, rng: np.random.Generator) -> list[_LateKey]:
        """Return outputs."""
        return [_LateKey() for _ in range(trials)]


class _Reduced:
    """Data that takes long to pickle."""

    def __reduce__(self) -> Any:
        select_forever()
        return float, (0.0,)


def _holding(value: Any) -> Any:
    array = np.empty(1, dtype=object)
    array[0] = value
    return array


PIECES: dict[str, Callable[[], Any]] = {
    "a call": lambda: audit.check(acting(select_forever), 0.0, 1.0, CLAIM, trials=400, call_timeout=0.5),
    "a transcript": lambda: audit.transcript_check(_late_algorithm, 0.0, 1.0, CLAIM, trials=400, call_timeout=0.5),
    "a key": lambda: audit.check(lambda x, rng: _LateKey(), 0.0, 1.0, CLAIM, trials=400, call_timeout=0.5),
    "a key of a block": lambda: audit.check(_Keys(), 0.0, 1.0, CLAIM, trials=400, call_timeout=0.5),
    "features": lambda: audit.check(
        lambda x, rng: x, 0.0, 1.0, CLAIM, features=lambda x: select_forever(), trials=400, call_timeout=0.5
    ),
    "an array": lambda: audit.check(lambda x, rng: _holding(_LateKey()), 0.0, 1.0, CLAIM, trials=400, call_timeout=0.5),
}


@pytest.mark.parametrize("piece", PIECES)
def test_every_piece_of_the_users_code_has_the_limit(piece: str) -> None:
    started = time.monotonic()
    with pytest.raises(audit.MechanismError, match=r"took longer than 0\.5 s"):
        PIECES[piece]()
    assert time.monotonic() - started < 20.0


def test_data_that_hang_when_they_are_pickled_are_not() -> None:
    data, neighbour = _holding(_Reduced()), _holding(_Reduced())
    assert audit.check(lambda x, rng: rng.random(), data, neighbour, CLAIM, trials=200, call_timeout=1.0).bound.trials == 200


def test_a_runner_waits_for_the_batches_that_are_under_way(monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[int] = []

    def wait(running: Sequence[apart.Apart]) -> None:
        waited.append(len(running))
        apart.wait(running)

    def slow(x: float, rng: np.random.Generator) -> float:
        time.sleep(0.05)
        return x

    monkeypatch.setattr(runner, "wait", wait)
    with runner.Runner(2, None, None, callables=(slow,), data=()) as of:
        assert list(of.run([batch_of(slow, 1)] * 3)) == [([2.0], [])] * 3
    assert set(waited) <= {1, 2}


# --- memory -------------------------------------------------------------------------------------------


def _grows() -> None:
    kept = []
    while True:
        kept.append(bytearray(1 << 24))


def _grows_past_its_limit() -> None:
    with contextlib.suppress(ValueError):
        resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    _grows()


@pytest.mark.usefixtures("without_new_processes")
@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("action", [_grows, _grows_past_its_limit])
def test_a_call_that_takes_too_much_memory_is_named_and_what_was_done_is_kept(action: Callable[[], None], workers: int) -> None:
    """Half a gigabyte; a mechanism that asks for less is let be."""
    how: dict[str, Any] = {"trials": 1000, "workers": workers, "call_memory": 1 << 29}
    with pytest.raises(audit.MechanismError, match=r"raised MemoryError\b.* on (data|neighbour), trial \d+ ") as failed:
        audit.check(acting(action), 0.0, 1.0, audit.Claim(1.0), **how)
    assert failed.value.trial == len(failed.value.completed[failed.value.dataset])
    limited = audit.lower_bound(acting(lambda: bytearray(1 << 24)), 0.0, 1.0, **how)
    assert limited.epsilon == audit.lower_bound(acting(lambda: None), 0.0, 1.0, trials=1000).epsilon


@pytest.mark.parametrize("call_memory", [1, 100, 1 << 12])
def test_too_little_memory_for_the_outputs_is_named(call_memory: int) -> None:
    with pytest.raises(audit.MechanismError, match=f"took more than call_memory = {call_memory} bytes, its outputs included"):
        audit.check(acting(lambda: None), 0.0, 1.0, audit.Claim(1.0), trials=400, call_memory=call_memory)


@pytest.mark.parametrize("call_memory", [0, -1, 1.5, True, "1"])
def test_a_bad_limit_of_memory_is_named(call_memory: Any) -> None:
    with pytest.raises(ValueError, match="call_memory must be an integer >= 1, got "):
        audit.check(acting(lambda: None), 0.0, 1.0, audit.Claim(1.0), trials=200, call_memory=call_memory)


# --- copies -------------------------------------------------------------------------------------------


def _fork() -> None:
    os.fork()


def test_a_copy_of_a_call_ends_with_the_call() -> None:
    """Of 10 calls each of which forks there are 11 processes, not 2^10."""
    counted = multiprocessing.get_context("fork").Semaphore(0)

    def mechanism(x: float, rng: np.random.Generator) -> float:
        os.fork()
        counted.release()
        return x

    assert isinstance(apart.compute_apart(batch_of(mechanism, 10), apart.Limits()), bytes)
    assert counted.get_value() <= 20


def test_a_copy_of_a_call_gives_no_answer() -> None:
    """A mechanism that forks and lets both go on."""
    mechanism = acting(_fork)
    plain = audit.lower_bound(acting(lambda: None), 0.0, 1.0, trials=200, call_timeout=30.0)
    assert audit.lower_bound(mechanism, 0.0, 1.0, trials=200, call_timeout=30.0).epsilon == plain.epsilon


# --- the death of the main process --------------------------------------------------------------------

LONG = """
import os, signal, sys, time
import numpy as np
from dppca import audit

signal.signal(signal.SIGINT, signal.default_int_handler)  # which the background jobs of a shell ignore
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # which nohup lets all ignore

class Large:
    def sample(self, x, n, rng):
        if rng.random() < 0.2:
            if os.fork() == 0:  # a helper that outlives its call
                os.setsid()
                time.sleep(600)
                os._exit(0)
        time.sleep(30.0 if n > 1000 and rng.random() < 0.1 else 0.05)
        return x + rng.laplace(size=(n, 20))  # 800 kB a batch, more than a pipe holds

audit.lower_bound(lambda x, rng: x + rng.laplace(), 0.0, 1.0, trials=200)  # loads what there is to load
print("begun", flush=True)
audit.lower_bound(Large(), 0.0, 1.0, trials=2_000_000, workers=int(sys.argv[1]), call_timeout=60.0)
"""


def _long(workers: int, mark: str) -> subprocess.Popen[str]:
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path]),
        "OMP_NUM_THREADS": "1",
        "DPPCA_TEST": mark,
    }
    command = [sys.executable, "-c", LONG, str(workers)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen(command, cwd=ROOT, env=environment, start_new_session=True, **pipes)  # type: ignore[call-overload, no-any-return]  # noqa: S603 - our own


@pytest.mark.slow
@pytest.mark.parametrize("number", range(KILLS))
def test_nobody_outlives_a_killed_main_process(number: int) -> None:
    """By a kill of the main process alone, at a random moment, with 1, 2 and 3 workers."""
    when = random.Random(number)  # noqa: S311 - moments, not secrets
    mark = f"{os.getpid()}-{number}"
    with _long(1 + number % 3, mark) as main:
        assert main.stdout is not None
        assert main.stdout.readline() == "begun\n"
        time.sleep(when.uniform(0.0, 1.5))
        assert main.poll() is None
        try:
            main.send_signal(when.choice([signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGABRT]))
            main.communicate(timeout=20.0)  # nobody holds its pipes
        finally:
            main.kill()
    assert left_after(GONE, "DPPCA_TEST", mark) == {}


MINE = """
import os
import subprocess
import time


def slow(x, rng):
    if rng.random() < 0.2:
        subprocess.Popen(["sleep", "600"], start_new_session=True)
    time.sleep(0.01)
    return x + rng.laplace()


def kills_its_guard(x, rng):
    subprocess.Popen(["sleep", "600"], start_new_session=True)
    os.kill(os.getppid(), 9)


class Implementation:
    def run(self, *a, **k):
        time.sleep(600)


implementation = Implementation()
"""
OWN = ["--data", "0.0", "--neighbour", "1.0", "--epsilon", "0.1"]
TYPED = {
    "a mechanism": ["audit", "mine:slow", *OWN],
    "in workers": ["audit", "mine:slow", *OWN, "--workers", "2"],
    "the suite": ["audit", "--budget", "quick", "--report", "report.json"],
    "the suite in processes": ["audit", "--processes", "2", "--budget", "quick", "--report", "report.json"],
    "vectors": ["check-vectors", "--implementation", "mine:implementation"],
}


@pytest.mark.slow
@pytest.mark.parametrize("signal_number", [signal.SIGTERM, signal.SIGKILL, signal.SIGINT])
@pytest.mark.parametrize("typed", TYPED)
def test_nobody_outlives_a_killed_command(typed: str, signal_number: int, tmp_path: Path) -> None:
    """By a signal to the process that the user has started alone; pytest-xdist takes some seconds to see it."""
    (tmp_path / "mine.py").write_text(MINE)
    mark = f"{os.getpid()}-{typed}-{signal_number}"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path]), "DPPCA_TEST": mark}
    code = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "import dppca.__main__ as m; sys.exit(m.main())"
    )
    command = [sys.executable, "-c", code, *TYPED[typed]]
    with subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as main:  # noqa: S603 - our own
        time.sleep(random.Random(mark).uniform(4.0, 9.0))  # noqa: S311 - moments, not secrets
        assert len(marked("DPPCA_TEST", mark)) > 1
        main.send_signal(signal_number)
        assert main.wait(20.0) != 0
    assert left_after(15.0, "DPPCA_TEST", mark) == {}


@pytest.mark.parametrize("signal_number", [signal.SIGKILL, signal.SIGSTOP, signal.SIGTERM])
def test_what_a_mechanism_leaves_that_kills_its_parent_ends_with_it(signal_number: int) -> None:
    before, WAITED[0] = set(marked("PATH", os.environ["PATH"])), 0

    def kills() -> None:
        _helper(double=True)
        os.kill(os.getppid(), signal_number)

    with contextlib.suppress(audit.MechanismError):
        audit.check(acting(kills), 0.0, 1.0, CLAIM, trials=200, isolate=True)
    assert _own(before) == set()
    assert WAITED[0] == 0


@pytest.mark.slow
def test_what_a_mechanism_leaves_that_kills_its_guard_ends_with_the_command(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(MINE)
    words = ["-m", "dppca", "audit", "mine:kills_its_guard", *OWN]
    done = python(*words, cwd=tmp_path, DPPCA_TEST=f"guard-{os.getpid()}")
    assert done.returncode == 3
    assert "stopped or killed the process that watches it" in done.stderr
    assert left_after(GONE, "DPPCA_TEST", f"guard-{os.getpid()}") == {}


def _fills_shared_memory() -> None:
    with tempfile.NamedTemporaryFile(dir="/dev/shm") as file:
        for _ in range(1 << 8):
            file.write(bytes(1 << 20))


def test_a_file_in_shared_memory_counts_as_memory() -> None:
    with pytest.raises(audit.MechanismError, match=r"raised OSError: .*File too large"):
        audit.check(acting(_fills_shared_memory), 0.0, 1.0, CLAIM, trials=400, call_memory=1 << 27)


def test_processor_seconds_are_those_of_living_processes_too() -> None:
    """A process that works for 0.3 s and then waits."""
    work = "import time\nwhile time.process_time() < 0.3: pass\nprint(flush=True)\ninput()"
    begun = apart.processor_seconds()
    with subprocess.Popen([sys.executable, "-c", work], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:  # noqa: S603
        assert process.stdout is not None
        process.stdout.readline()
        alive = apart.processor_seconds()
        process.communicate(b"\n")
    assert alive - begun >= 0.27
    assert apart.processor_seconds() >= alive
