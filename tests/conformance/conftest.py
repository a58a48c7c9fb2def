"""Options of the conformance suite: which implementation, and which cases it is known to fail."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from reference.vectors import by_id
from reference.vectors.implementation import reference
from tests.conformance.command import Command


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("conformance")
    group.addoption("--implementation", metavar="PKG.MODULE:OBJECT", help="a Python object (default: the reference itself)")
    group.addoption("--command", metavar="COMMAND", help="a program that speaks the line protocol")
    group.addoption(
        "--expected-failures", metavar="FILE", help="ids that are known to fail, one a line; one that passes fails the run"
    )


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--implementation", None) and config.getoption("--command", None):
        raise pytest.UsageError("--implementation and --command exclude each other")


@pytest.fixture(scope="session")
def implementation(request: pytest.FixtureRequest) -> Iterator[Any]:
    """What is tested."""
    # `pytest tests/` reads this file too late for its options; they are then not given.
    name = request.config.getoption("--implementation", None)
    command = request.config.getoption("--command", None)
    if command:
        program = Command(command)
        yield program
        program.close()
    elif name:
        module, _, attribute = name.partition(":")
        if not attribute:
            raise pytest.UsageError(f"--implementation must be pkg.module:object, got {name!r}")
        yield getattr(importlib.import_module(module), attribute)
    else:
        yield reference


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
