"""Which test calls which function of the project: one run of the tests, file by file, kept in build/test_calls.json.

The tests are collected once, by the process from which each file's child and each mutant's is forked (`collected`).
"""

from __future__ import annotations

import hashlib
import importlib
import json
import pkgutil
import signal
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, TypeAlias

import pytest

import dppca.audit.engine
import dppca.reference
from tests.meta.children import called, in_child
from tests.meta.mutants import Place, caches

TESTS = Path(__file__).parent.parent
KEPT = TESTS.parent / "build" / "test_calls.json"
#: Not asked: they run commands in processes of their own, where no mutant is, are about other code, or plant bugs themselves.
_COMMANDS = ("check", "cite", "conformance_suite", "docs", "formal_models", "install", "plugin", "readme", "scaffold")
_OTHER = ("adapters", "batched", "meta_audit", "mutants", "mutation_score", "notes", "proofs")
LEFT_OUT = frozenset(f"test_{name}.py" for name in (*_COMMANDS, *_OTHER))
#: Processor time that a test may take to be listed, and all of a file after which its other tests are not;
#: seconds after which a file that reports no test is given up.
TEST_SECONDS, FILE_SECONDS, GRACE = 2.0, 20.0, 300.0
#: Imported once, before a process is forked for a mutant.
LIBRARIES = ("hypothesis", "scipy.stats", "scipy.optimize", "sklearn", "statsmodels.api", "jsonschema", "flint")
OPTIONS = ("-q", "-s", "-p", "no:cacheprovider", "-p", "no:xdist", "-W", "ignore:Module already imported", "-m", "not slow")


@dataclass(frozen=True)
class Test:
    """A test that passes: its seconds, and how many functions it calls."""

    id: str
    seconds: float
    calls: int


def modules() -> list[str]:
    """The modules of the reference and of the auditor's engine, imported."""
    packages: list[ModuleType] = [dppca.reference, dppca.audit.engine]
    found = [m.name for of in packages for m in pkgutil.walk_packages(of.__path__, f"{of.__name__}.")]
    listed = [name for name in found if not name.endswith("__main__")]
    for name in (*LIBRARIES, *listed):
        importlib.import_module(name)
    return listed


# --- tests that are collected and not run -------------------------------------------------------------

Items: TypeAlias = Mapping[str, pytest.Item]


class _Handed:
    """Hands the tests over instead of running them."""

    def __init__(self, work: Callable[[Items], None]) -> None:
        self.work = work

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Nothing is run here."""
        if session.testsfailed:
            raise session.Failed("tests cannot be imported")
        self.work({item.nodeid: item for item in session.items})
        return True


def files() -> list[Path]:
    """The files whose tests are asked."""
    return [file for file in sorted(TESTS.glob("test_*.py")) if file.name not in LEFT_OUT]


def collected(of: Sequence[Path], work: Callable[[Items], None]) -> None:
    """Collect the tests of files, and call `work` with them by their names.

    Raises:
        RuntimeError: a file cannot be imported, or `work` fails; pytest has said how.
    """
    names = [str(file) for file in of]
    if status := pytest.main([*names, "--rootdir", str(TESTS.parent), *OPTIONS], plugins=[_Handed(work)]):
        raise RuntimeError(f"tests must be collected, got exit status {int(status)}")


def run(item: pytest.Item, following: pytest.Item | None) -> None:
    """Run a collected test; fixtures that the following one shares stay."""
    item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)


# --- what each calls ----------------------------------------------------------------------------------


class _Recorder:
    """Sends each test that passes, with its processor time and what it called."""

    def __init__(self, send: Callable[[Any], None]) -> None:
        self.send = send
        self.passed, self.spent = False, 0.0
        self.caches = caches()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """The test, its fixtures included."""
        for cached in self.caches:
            cached.cache_clear()
        self.passed = True
        started = time.process_time()
        signal.setitimer(signal.ITIMER_PROF, TEST_SECONDS)
        try:
            with called() as calls:
                done = yield
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0.0)
        own = sorted(place for place in calls if place[0].startswith("dppca."))
        seconds = time.process_time() - started
        self.send((item.nodeid, seconds, own if self.passed else []))
        self.spent += seconds
        return done

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Whether it passed."""
        self.passed = self.passed and report.outcome == "passed"


def _late(*_: object) -> None:
    raise TimeoutError("no answer in time")


def recorded(items: Sequence[pytest.Item]) -> list[Any]:
    """Those of a file's tests that pass and call something: name, seconds and places."""

    def work(send: Callable[[Any], None]) -> None:
        signal.signal(signal.SIGPROF, _late)
        recorder = _Recorder(send)
        items[0].config.pluginmanager.register(recorder)
        for item, following in zip(items, [*items[1:], None], strict=True):
            if recorder.spent <= FILE_SECONDS:
                run(item, following)

    sent, end = in_child(work, GRACE)
    kept = [test for test in sent if test[2]]
    name = items[0].nodeid.partition("::")[0]
    sys.stdout.write(f"{name}: {len(kept)} of {len(items)} tests, {sum(test[1] for test in sent):.1f} s, {end}\n")
    sys.stdout.flush()
    return kept


def callers(items: Items) -> dict[Place, list[Test]]:
    """The tests that call each function; files of tests that have changed since the last time are run again."""
    kept: dict[str, Any] = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    of: dict[str, list[pytest.Item]] = defaultdict(list)
    for name, item in items.items():
        of[name.partition("::")[0]].append(item)
    found = defaultdict(list)
    for file, tests in of.items():
        digest = hashlib.sha256((TESTS.parent / file).read_bytes()).hexdigest()
        if kept.get(file, {}).get("digest") != digest:
            kept[file] = {"digest": digest, "tests": recorded(tests)}
            KEPT.parent.mkdir(exist_ok=True)
            KEPT.write_text(json.dumps(kept))
        for name, seconds, places in kept[file]["tests"]:
            for module, function in places:
                found[module, function].append(Test(name, seconds, len(places)))
    return found


if __name__ == "__main__":
    modules()
    collected(files(), callers)
