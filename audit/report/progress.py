"""Progress of a run: each verdict as it arrives, and every few seconds what is done, what runs and how long the rest may take.

It looks at pytest's own reports, so it works where processes of pytest-xdist run the tests, and its lines go to the terminal,
or to the log of a build, whatever pytest captures.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterable, Mapping
from typing import Any, TextIO

import pytest

from dppca.audit.report.closing import arrived, crop, width

#: Seconds between two lines.
EVERY = 10.0
SLOWEST = 5
_CACHE = "dppca/seconds"


def short(test: str) -> str:
    """Return a test's name: its instance if it has one, otherwise the function."""
    name = test.rpartition("::")[2]
    return name[name.index("[") + 1 : -1] if name.startswith("test_verdict[") else name


def span(seconds: float) -> str:
    """Return a time in words."""
    if seconds < 90.0:
        return f"{seconds:.0f} s"
    return f"{seconds / 60.0:.0f} min" if seconds < 5400.0 else f"{seconds / 3600.0:.1f} h"


def _verdict(report: pytest.TestReport | pytest.CollectReport) -> dict[str, Any] | None:
    """Return the row of the verdict table that a test has handed over, if it was an audit."""
    return dict(getattr(report, "user_properties", ())).get("audit") if report.when == "call" else None


class RunState:
    """The state of a run: what is planned, running and done, and the line that says so."""

    def __init__(self, recorded: Mapping[str, float], now: float) -> None:
        self.recorded = recorded
        self.started = now
        self.planned: list[str] = []
        self.running: dict[str, float] = {}
        self.seconds: dict[str, float] = {}
        self.failed = 0
        self.last = now

    def weight(self, test: str) -> float:
        """Return a test's time in the last run; the mean of all times for a test that was not in it, 1 where none is known."""
        if test in self.recorded:
            return max(self.recorded[test], 0.01)
        return sum(self.recorded.values()) / len(self.recorded) if self.recorded else 1.0

    def left(self, now: float) -> float | None:
        """Return the seconds that the rest may take, if it goes on as it went; None where that is not known.

        Without times of an earlier run, tests are taken to last alike, and what is left goes down between two of them. 0 says
        that the run takes longer than estimated: nothing is left by the estimate, or a test is over its time by more than that.
        """
        if self.seconds and not any(test in self.recorded for test in self.planned):
            each = (self.last - self.started) / len(self.seconds)
            return max((len(self.planned) - len(self.seconds)) * each - (now - self.last), 0.0)
        planned = sum(map(self.weight, self.planned))
        done = sum(map(self.weight, self.seconds))
        known = {test: now - since for test, since in self.running.items() if test in self.recorded}
        done += sum(min(self.weight(test), spent) for test, spent in known.items())
        if not self.seconds or done <= 0.0:
            return None
        rest = [self.weight(test) - spent for test, spent in known.items()]
        left = max((planned - done) * (now - self.started) / done, *rest, 0.0)
        return left if left + min(rest, default=0.0) >= 0.0 else 0.0

    def line(self, now: float) -> str:
        """Return, for instance, `12/133 done, about 4 min left; running: a (31 s), b (2 s)`."""
        left = self.left(now)
        parts = [f"{len(self.seconds)}/{len(self.planned)} done"]
        parts += [f"{self.failed} failed"] if self.failed else []
        spent = span(now - self.started)
        if left:
            parts.append(f"about {span(max(left, 1.0))} left")
        else:
            parts.append(f"{spent} so far, {'time left unknown' if left is None else 'longer than estimated'}")
        text = ", ".join(parts)
        oldest = sorted(self.running.items(), key=lambda item: item[1])
        if oldest:
            each = max(12, (width() - len(text) - len("; running: ")) // len(oldest) - len(" (99 min), "))
            text += "; running: " + ", ".join(f"{crop(short(test), each)} ({span(now - since)})" for test, since in oldest)
        return crop(text, width())

    def slowest(self) -> list[str]:
        """Return the tests that took longest."""
        longest = sorted(self.seconds.items(), key=lambda item: -item[1])[:SLOWEST]
        return [crop(f"{seconds:7.1f} s  {short(test)}", width()) for test, seconds in longest]


class Progress:
    """A pytest plugin that prints the lines; for the process that reports, not for those of pytest-xdist."""

    def __init__(self, config: pytest.Config, stream: TextIO | None = None) -> None:
        self._cache: pytest.Cache | None = getattr(config, "cache", None)  # none with `-p no:cacheprovider`
        recorded = self._cache.get(_CACHE, {}) if self._cache is not None else {}
        self.state = RunState(recorded, time.monotonic())
        # Capturing has not begun, or is suspended, while plugins are configured; later, it would take what is written.
        self._stream = stream or os.fdopen(os.dup(2), "w", buffering=1)
        self._lock = threading.Lock()
        self.over = threading.Event()
        self._thread = threading.Thread(target=self._tell, name="progress", daemon=True)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Note which tests there are to be, and begin to tell."""
        self._plan((item.nodeid for item in session.items), tell=not session.config.option.collectonly)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: Iterable[str]) -> None:
        """Note which tests there are to be where processes of pytest-xdist collect."""
        self._plan(ids, tell=True)

    def _plan(self, ids: Iterable[str], *, tell: bool) -> None:
        with self._lock:
            self.state.planned = list(ids) or self.state.planned
            self.state.started = time.monotonic()
        if tell and self.state.planned and not self._thread.is_alive() and not self.over.is_set():
            self._thread.start()

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Note that a test begins."""
        with self._lock:
            self.state.running[nodeid] = time.monotonic()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note a report of a test."""
        row = _verdict(report)
        with self._lock:
            self.state.failed += report.failed
            if row is not None:
                self._stream.write(f"\n{arrived(row)}")

    def pytest_report_teststatus(self, report: pytest.TestReport) -> tuple[str, str, str] | None:
        """Print no dot for a test whose verdict has its own line."""
        return None if _verdict(report) is None else (report.outcome, "", report.outcome.upper())

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        """Note that a test is over."""
        with self._lock:
            now = time.monotonic()
            self.state.seconds[nodeid], self.state.last = now - self.state.running.pop(nodeid, now), now

    def _tell(self) -> None:
        while not self.over.wait(EVERY):
            with self._lock:
                line = self.state.line(time.monotonic()) if self.state.running else ""
            if line:
                self._stream.write(f"\n{line}")

    def pytest_sessionfinish(self) -> None:
        """Print no more lines, and keep the times for the next run's estimate."""
        self.over.set()
        if self._cache is not None and self.state.seconds:
            self._cache.set(_CACHE, {**self.state.recorded, **self.state.seconds})

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the slowest tests."""
        if len(self.state.seconds) > SLOWEST:
            terminalreporter.section("slowest")
            for line in self.state.slowest():
                terminalreporter.write_line(line)
