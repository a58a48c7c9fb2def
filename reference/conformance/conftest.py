"""Options of the conformance suite: which implementation, and which cases it is known to fail."""

from __future__ import annotations

import importlib
import sys
from collections import Counter
from collections.abc import Iterator
from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest

from dppca.reference.conformance import by_id
from dppca.reference.conformance.command import Command
from dppca.reference.conformance.implementation import reference
from dppca.reference.rigour.validation import error_text

TESTED: pytest.StashKey[Any] = pytest.StashKey()
#: Cases of each algorithm and reading that this run has checked, and that the implementation does not support.
SUPPORTED: Counter[tuple[str, str]] = Counter()
UNSUPPORTED: Counter[tuple[str, str]] = Counter()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("conformance")
    group.addoption("--command", metavar="COMMAND", help="a program that speaks the line protocol")
    group.addoption(
        "--expected-failures", metavar="FILE", help="ids that are known to fail, one a line; one that passes fails the run"
    )
    shared = parser.getgroup("implementation")
    if not shared.options:  # audit/conftest.py adds it too
        shared.addoption(
            "--implementation", metavar="PKG.MODULE:OBJECT", help="a Python object (default: the reference itself)"
        )


def pytest_configure(config: pytest.Config) -> None:
    # `pytest tests/` reads this file too late for its options; they are then not given.
    name, command = (config.getoption(option, None) for option in ("--implementation", "--command"))
    if name is not None and command is not None:
        raise pytest.UsageError("--implementation and --command exclude each other")
    config.stash[TESTED] = _start(command) if command is not None else _load(config, name) if name is not None else reference
    if (listed := config.getoption("--expected-failures", None)) is not None and not Path(listed).is_file():
        raise pytest.UsageError(f"--expected-failures must be a file of ids of cases, one a line, got {listed!r}")


def _start(command: str) -> Command:
    try:
        return Command(command)
    except ValueError as error:
        raise pytest.UsageError(f"--command {error}") from error


def _load(config: pytest.Config, name: str) -> Any:
    """Return the object that --implementation names."""
    module, _, path = name.partition(":")
    if not (module and path):
        raise pytest.UsageError(f"--implementation must be pkg.module:object, got {name!r}")
    sys.path.insert(0, str(config.invocation_params.dir))  # as `python -m` would find it
    try:
        found = attrgetter(path)(importlib.import_module(module))
    except (Exception, SystemExit) as error:  # anything may happen in somebody else's module
        raise pytest.UsageError(f"--implementation: cannot load {name}: {error_text(error)}") from error
    if not callable(getattr(found, "run", None)):
        raise pytest.UsageError(
            f"--implementation: {name} must have a method run, got a {type(found).__name__}; "
            "`dppca guide implementation` shows one, and `dppca audit` is what tests algorithms that draw for themselves"
        )
    return found


@pytest.fixture(scope="session")
def implementation(request: pytest.FixtureRequest) -> Iterator[Any]:
    """Return the implementation that is tested."""
    tested = request.config.stash[TESTED]
    yield tested
    if isinstance(tested, Command):
        tested.close()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the expected failures."""
    path = config.getoption("--expected-failures", None)
    if path is None:
        return
    lines = (line.partition("#")[0].strip() for line in Path(path).read_text(encoding="utf-8").splitlines())
    expected = {line for line in lines if line}
    unknown = sorted(expected - by_id().keys())
    if unknown:
        raise pytest.UsageError(f"{path} must hold ids of cases, got {', '.join(unknown)}")
    for item in items:
        if hasattr(item, "callspec") and item.callspec.id in expected:
            item.add_marker(pytest.mark.xfail(reason=f"listed in {path}", strict=True))


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Count the cases of each algorithm that were checked, and those that were not."""
    if "test_conformance.py::test_answer[" not in report.nodeid or not (report.when == "call" or report.skipped):
        return
    algorithm, *_, reading = report.nodeid.partition("[")[2].removesuffix("]").split("/")
    expected_to_fail = hasattr(report, "wasxfail")  # pytest calls that skipped
    (SUPPORTED if expected_to_fail or not report.skipped else UNSUPPORTED)[algorithm, reading] += 1


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A run in which an implementation was named and nothing of it was checked fails."""
    if UNSUPPORTED and not SUPPORTED and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Say how much was checked, and of which algorithms something was not."""
    supported = {algorithm for algorithm, _ in SUPPORTED}
    asked = supported | {algorithm for algorithm, _ in UNSUPPORTED}
    if not asked:
        return
    line = f"checked: {SUPPORTED.total()} cases of {len(supported)} of {len(asked)} algorithms"
    partly = [f"{algorithm} {reading}" for algorithm, reading in sorted(UNSUPPORTED) if algorithm in supported]
    if UNSUPPORTED:
        line += f"; not supported: {UNSUPPORTED.total()} cases"
    if partly:
        line += f", among them some of {', '.join(partly)}"
    terminalreporter.write_line(line)
