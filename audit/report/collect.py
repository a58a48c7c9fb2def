"""A pytest plugin that collects what tests report, and writes the document and the page when they have run.

Tests hand over plain data as user properties: "audit" (a row of the verdict table) and "utility" (an experiment).
They travel with pytest's own reports, so it does not matter in which process a test ran.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from dppca.audit.report import closing, document, page
from dppca.audit.suite.instance import FAMILY_ERROR


class Collector:
    """A pytest plugin that collects all that the report will hold."""

    def __init__(self, config: pytest.Config, sampled: int) -> None:
        self._config = config
        self._sampled = sampled
        self._started = time.perf_counter()
        self._planned: dict[str, int] = {}
        self._outcomes: Counter[str] = Counter()
        self._tests: list[dict[str, Any]] = []
        self._found: dict[str, list[dict[str, Any]]] = {"audit": [], "utility": []}

    @property
    def audits(self) -> list[dict[str, Any]]:
        """Return the rows of the audits that came to their end."""
        return self._found["audit"]

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Note which tests there are to be, in order."""
        self._plan(item.nodeid for item in session.items)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: Iterable[str]) -> None:
        """Note which tests there are to be where processes of pytest-xdist collect."""
        self._plan(ids)

    def _plan(self, ids: Iterable[str]) -> None:
        self._planned = {test: place for place, test in enumerate(ids)}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep the outcome, with its reason unless it passed, and what the test handed over."""
        if report.when == "call":
            for kind, data in report.user_properties:
                if kind in self._found and isinstance(data, dict):
                    self._found[kind].append({"test": report.nodeid, **data})
        elif report.passed:
            return
        outcome = report.outcome if report.when == "call" or report.skipped else "error"
        self._outcomes[outcome] += 1
        if not report.passed:
            reason = document.portable(_reason(report), self._config.rootpath)
            self._tests.append({"test": report.nodeid, "outcome": outcome, "reason": reason})

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Write both files, and print a line for each utility experiment, where the files are, and the verdicts."""
        for found in self._found.values():  # processes finish in any order
            found.sort(key=lambda of: self._planned.get(of["test"], 0))
        if self._found["utility"]:
            terminalreporter.section("utility")
            for line in closing.utility(self._found["utility"]):
                terminalreporter.write_line(line)
        if not self._outcomes:
            return
        terminalreporter.section("report")
        for line in self.write():
            terminalreporter.write_line(line)
        if self._found["audit"]:
            terminalreporter.section("privacy audit")
            for line in closing.verdicts(self._found["audit"]):
                terminalreporter.write_line(line)
            if any(row["view"] != "exact" for row in self._found["audit"]):
                terminalreporter.write_line(
                    f"All {self._sampled} sampled bounds hold together with probability {1 - FAMILY_ERROR:g}."
                )
            terminalreporter.write_line("NOT REFUTED says that this run found nothing, never that the claim is true.")

    def write(self) -> Iterator[str]:
        """Write both files; a line for each, which says so where it cannot be written."""
        path = Path(self._config.getoption("--report"))
        html = path.with_suffix(".html")
        try:
            document.write(self.document(), path)
            yield f"JSON: {path}"
            document.replace(html, page.render(document.read(path)))
            yield f"HTML: {html}"
        except (OSError, ValueError) as error:
            yield f"NOT WRITTEN: {error}"

    def document(self) -> dict[str, Any]:
        """Return the document as plain data."""
        option, seconds = self._config.getoption, time.perf_counter() - self._started
        arguments = self._config.invocation_params.args
        run = {
            "command": document.command(arguments, option("--seed"), option("--budget"), self._config.rootpath),
            "seed": option("--seed"),
            "budget": option("--budget"),
            "implementation": option("--implementation"),
            "family_error": FAMILY_ERROR,
            "sampled_audits": self._sampled,
            "seconds": seconds,
            "tests_planned": len(self._planned),
            "outcomes": dict(sorted(self._outcomes.items())),
            **document.about_the_run(),
        }
        found = {"audits": self._found["audit"], "utility": self._found["utility"], "tests": self._tests}
        head = {"format": document.FORMAT, "version": document.VERSION, "run": run}
        plain: dict[str, Any] = document.plain(head | found)
        return plain


def _reason(report: pytest.TestReport) -> str:
    """Return the last line of a skip, the first of a failure's message."""
    if isinstance(report.longrepr, tuple):
        return str(report.longrepr[2]).removeprefix("Skipped: ")
    crash = getattr(report.longrepr, "reprcrash", None)
    return str(crash.message if crash else report.longrepr).strip().split("\n")[0]
