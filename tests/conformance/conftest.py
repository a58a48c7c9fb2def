"""Options of the conformance suite: which implementation, and which cases it is known to fail."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest

from dppca.reference.vectors import by_id
from dppca.reference.vectors.implementation import reference
from tests.conformance.command import Command

TESTED: pytest.StashKey[Any] = pytest.StashKey()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("conformance")
    group.addoption("--command", metavar="COMMAND", help="a program that speaks the line protocol")
    group.addoption(
        "--expected-failures", metavar="FILE", help="ids that are known to fail, one a line; one that passes fails the run"
    )
    shared = parser.getgroup("implementation")
    if not shared.options:  # audit/tests/conftest.py adds it too
        shared.addoption(
            "--implementation", metavar="PKG.MODULE:OBJECT", help="a Python object (default: the reference itself)"
        )


def pytest_configure(config: pytest.Config) -> None:
    # `pytest tests/` reads this file too late for its options; they are then not given.
    name, command = (config.getoption(option, None) for option in ("--implementation", "--command"))
    if name is not None and command is not None:
        raise pytest.UsageError("--implementation and --command exclude each other")
    try:
        config.stash[TESTED] = Command(command) if command is not None else reference if name is None else _load(config, name)
    except ValueError as error:
        raise pytest.UsageError(f"--command {error}") from error


def _load(config: pytest.Config, name: str) -> Any:
    """The object that --implementation names."""
    module, _, path = name.partition(":")
    if not (module and path):
        raise pytest.UsageError(f"--implementation must be pkg.module:object, got {name!r}")
    sys.path.insert(0, str(config.invocation_params.dir))  # as `python -m` would find it
    try:
        found = attrgetter(path)(importlib.import_module(module))
    except Exception as error:  # anything may happen in somebody else's module
        raise pytest.UsageError(f"--implementation: cannot load {name}: {type(error).__name__}: {error}") from error
    if not callable(getattr(found, "run", None)):
        raise pytest.UsageError(f"--implementation: {name} must have a method run, got a {type(found).__name__}")
    return found


@pytest.fixture(scope="session")
def implementation(request: pytest.FixtureRequest) -> Iterator[Any]:
    """What is tested."""
    tested = request.config.stash[TESTED]
    yield tested
    if isinstance(tested, Command):
        tested.close()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the expected failures."""
    path = config.getoption("--expected-failures", None)
    if not path:
        return
    lines = (line.partition("#")[0].strip() for line in Path(path).read_text(encoding="utf-8").splitlines())
    expected = {line for line in lines if line}
    unknown = sorted(expected - by_id().keys())
    if unknown:
        raise pytest.UsageError(f"{path} must hold ids of cases, got {', '.join(unknown)}")
    for item in items:
        if hasattr(item, "callspec") and item.callspec.id in expected:
            item.add_marker(pytest.mark.xfail(reason=f"listed in {path}", strict=True))


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """List every case that was not run."""
    skipped = [report.nodeid for report in terminalreporter.stats.get("skipped", ()) if "/conformance/" in report.nodeid]
    if skipped:
        terminalreporter.section("conformance: not supported, so not checked")
        for nodeid in skipped:
            terminalreporter.write_line(nodeid.partition("[")[2].removesuffix("]"))
