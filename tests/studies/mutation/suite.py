"""The tests that changes are put before: collected once, run in forked processes, with what each one calls.

`pytest audit/` looks at changes of the reference, and so do the claims of the ledger; the project's tests look at changes of
the auditor. What a test calls and how long it takes is found once and stored in build/; it is found again when the tests' files
change.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import math
import os
import pkgutil
import signal
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from dppca.audit.suite import instance
from tests.studies.mutation.children import called, in_child
from tests.studies.mutation.mutants import Place, caches, clear_caches

ROOT = Path(__file__).parents[3]
BUILD = ROOT / "build"
#: Imported once, before a process is forked.
LIBRARIES = ("hypothesis", "scipy.stats", "scipy.optimize", "sklearn", "statsmodels.api", "jsonschema", "flint")
OPTIONS = ("-q", "-s", "-p", "no:cacheprovider", "-p", "no:xdist", "-W", "ignore:Module already imported", "-m", "not slow")
#: Seconds after which a file that reports no test is given up.
GRACE = 600.0

Items: TypeAlias = Mapping[str, pytest.Item]


@dataclass(frozen=True)
class Side:
    """Code that is changed, and the tests that look at it.

    Attributes:
        name: of both.
        packages: that are changed, and parts of names of modules that are not.
        tests: folder.
        options: of pytest.
        left_out: files of tests that plant changes themselves, or run commands in processes of their own, where no change is.
    """

    name: str
    packages: tuple[str, ...]
    unchanged: tuple[str, ...]
    tests: str
    options: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()

    def modules(self) -> list[str]:
        """Return the modules that are changed, imported."""
        for name in LIBRARIES:
            importlib.import_module(name)
        found = [
            module.name
            for package in map(importlib.import_module, self.packages)
            for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
        ]
        listed = [name for name in found if not name.endswith("__main__") and not any(part in name for part in self.unchanged)]
        for name in listed:
            importlib.import_module(name)
        return listed


REFERENCE = Side(
    "reference",
    ("dppca.reference",),
    (".conformance", ".catalog", ".extras", ".command", ".cases", ".test_"),
    "audit",
    ("--report", str(BUILD / "mutation_report.json")),
    ("test_known_answers.py", "test_utility.py"),
)
_COMMANDS = ("conformance_suite", "docs", "extracted_programs", "install", "plugin", "readme", "scaffold")
_OTHER = ("adapters", "batched", "mutants", "planted", "score", "notes", "proofs", "implementations")
AUDITOR = Side(
    "auditor",
    ("dppca.audit.auditor", "dppca.audit.execution"),
    (),
    "tests",
    left_out=tuple(f"test_{name}.py" for name in (*_COMMANDS, *_OTHER)),
)
LEDGER = Side("ledger", REFERENCE.packages, REFERENCE.unchanged, "tests/ledger/test_ledger.py", ("-k", "borne_out"))
SIDES = {side.name: side for side in (REFERENCE, LEDGER, AUDITOR)}


@dataclass(frozen=True)
class Test:
    """A test that passes: its processor seconds, and how many functions it calls."""

    id: str
    seconds: float
    calls: int


# --- tests that are collected and not run -------------------------------------------------------------


class _Handed:
    """Passes the collected tests to `work` instead of running them."""

    def __init__(self, work: Callable[[Items], None]) -> None:
        self.work = work

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run nothing here."""
        if session.testsfailed:
            raise session.Failed("tests cannot be imported")
        session.config.pluginmanager.unregister(name="audit progress")  # its lines go to the terminal from every process
        self.work({item.nodeid: item for item in session.items})
        return True


def collected(side: Side, work: Callable[[Items], None], *options: str) -> None:
    """Collect the tests of a side with more options of pytest, and call `work` with them by name.

    Raises:
        RuntimeError: a file cannot be imported, or `work` fails; pytest has said how.
    """
    names = [str(ROOT / side.tests), *(f"--ignore-glob=**/{name}" for name in side.left_out)]
    if status := pytest.main([*names, "--rootdir", str(ROOT), *OPTIONS, *side.options, *options], plugins=[_Handed(work)]):
        raise RuntimeError(f"tests must be collected, got exit status {int(status)}")


class _Outcome:
    """Notes the first failure: which test, and what it said."""

    def __init__(self) -> None:
        self.failed, self.said = "", ""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note it."""
        if report.failed and not self.failed:
            self.failed, self.said = report.nodeid, str(report.longrepr).strip().rpartition("\n")[2]


def first_failure(
    change: Callable[[], object], asked: Sequence[tuple[pytest.Item, float]], hangs: float = 300.0, total: float = math.inf
) -> tuple[str, str]:
    """Make a change in a forked process and run tests there until one fails; return which one, and what it said.

    A test that takes longer than its processor seconds, or a process that ends or hangs, counts as a failure. Two empty
    texts: none fails of those that are begun within `total` processor seconds.

    Raises:
        RuntimeError: the change cannot be made.
    """

    def work(send: Callable[[Any], None]) -> None:
        context = change()
        clear_caches()
        outcome = _Outcome()
        asked[0][0].config.pluginmanager.register(outcome)
        items = [item for item, _ in asked]
        send("")
        started = time.process_time()
        for (item, seconds), following in zip(asked, [*items[1:], None], strict=True):
            if time.process_time() - started > total:
                break
            send(item.nodeid)
            signal.setitimer(signal.ITIMER_PROF, seconds)
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if outcome.failed:
                break
        send((outcome.failed, outcome.said))
        del context  # its end would undo the change

    sent, end = in_child(work, hangs)
    if not sent:
        raise RuntimeError("the change cannot be made")
    if end != "done":
        return sent[-1], f"the run {end}"
    failed, said = sent[-1]
    return failed, said


# --- what each test calls -----------------------------------------------------------------------------


def _recorded(items: Sequence[pytest.Item]) -> list[Any]:
    """Return the tests of a file that pass: name, processor seconds, and the functions of the project that they call.

    They run with as few trials as there must be, which call the same functions.
    """

    def work(send: Callable[[Any], None]) -> None:
        outcome = _Outcome()
        items[0].config.pluginmanager.register(outcome)
        listed = caches()
        instance.BUDGETS["quick"] = 0.0
        for item, following in zip(items, [*items[1:], None], strict=True):
            outcome.failed = ""
            for cached in listed:
                cached.cache_clear()
            started = time.process_time()
            with called() as calls:
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            own = sorted(place for place in calls if place[0].startswith("dppca."))
            send((item.nodeid, round(time.process_time() - started, 2), own, outcome.said if outcome.failed else ""))

    sent, end = in_child(work, GRACE)
    passed = [(name, seconds, places) for name, seconds, places, said in sent if not said]
    file = items[0].nodeid.partition("::")[0]
    lines = [f"{file}: {len(passed)} of {len(items)} tests, {sum(test[1] for test in sent):.1f} s, {end}\n"]
    lines += [f"  fails on the code as it is, and is not asked: {test[0]}: {test[3]}\n" for test in sent if test[3]]
    sys.stdout.write("".join(lines))
    sys.stdout.flush()
    return passed


def callers(side: Side, items: Items) -> dict[Place, list[Test]]:
    """Return the tests that call each function; a file whose tests are not those of the last time is run again."""
    file = BUILD / f"{side.name}_calls.json"
    known: dict[str, Any] = json.loads(file.read_text()) if file.exists() else {}
    of: dict[str, list[pytest.Item]] = defaultdict(list)
    for name, item in items.items():
        of[name.partition("::")[0]].append(item)
    found = defaultdict(list)
    for name, tests in of.items():
        digest = hashlib.sha256("\n".join([(ROOT / name).read_text(), *(test.nodeid for test in tests)]).encode()).hexdigest()
        if known.get(name, {}).get("digest") != digest:
            known[name] = {"digest": digest, "tests": _recorded(tests)}
            BUILD.mkdir(exist_ok=True)
            temporary = file.with_suffix(".tmp")
            temporary.write_text(json.dumps(known))
            os.replace(temporary, file)
        for test, seconds, places in known[name]["tests"]:
            for module, function in places:
                found[module, function].append(Test(test, seconds, len(places)))
    return found


def named(items: Items, name: str) -> list[pytest.Item]:
    """Return the tests that a planted bug names: one by its name and parameters, those of a law, or all of an algorithm."""
    ends = (f"::{name}", f"::test_verdict[{name}]", *([f"[{name}]"] if "-" not in name else []))
    return [item for node, item in items.items() if node.endswith(ends) or f"[{name}-" in node]
