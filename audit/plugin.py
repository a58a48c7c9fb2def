"""A pytest plugin: the fixture `audit`, with the run's seed and budget, in any project that has this package installed.

    def test_mine(audit):
        verdict = audit.check(mechanism, data, neighbour, audit.Claim(epsilon=1.0))
        audit.assert_not_refuted(verdict)

Every call in a test draws from a seed of its own, made from --audit-seed, the test's id and the call's number; the
verdict's bound holds that seed. Mechanisms run in processes of their own (`isolate=True`): one which ends its process fails its
test, and does not end the run. `trials` counts at the standard budget and is multiplied by that of --audit-budget.

The fixture's tests have the marker `privacy_audit`, so that `-m` selects them; given by hand, its arguments are options of each
audit of that test, as in `@pytest.mark.privacy_audit(confidence=0.99)`. --audit-confidence shares an error over the tests of
the run: with probability at least that, no audit of the run refutes a claim that is true.

The run ends with a table of all results. --audit-report FILE writes them as JSON, and a page with their plots beside it;
--junit-xml has each headline as a property of its test.
"""

from __future__ import annotations

import hashlib
import inspect
import os
from collections.abc import Generator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import dppca.audit  # what it exports is imported when it is asked for: see there
from dppca.reference.usage import did_you_mean

if TYPE_CHECKING:
    from dppca.audit.auditor.curves import Curve
    from dppca.audit.auditor.results import Claim, LowerBound, Verdict
    from dppca.audit.execution.pair_search import PairBound

TRIALS, TRANSCRIPT_TRIALS = 100_000, 10_000
_FACTORS = {"quick": 0.2, "standard": 1.0, "deep": 10.0}


class Auditor:
    """The functions of `dppca.audit` that run trials, with seed and trials filled in; options as there."""

    def __init__(
        self, seed: int, factor: float, found: list[tuple[str, Any]], options: dict[str, Any], error: float | None
    ) -> None:
        self._seed = seed
        self._factor = factor
        self._calls = 0
        self._found = found
        self._options = options
        self._error = error

    def __getattr__(self, name: str) -> Any:
        """Return what else `dppca.audit` exports: claims, `Store`, `Values`, `assert_not_refuted` and others."""
        if name not in dppca.audit.__all__:
            raise AttributeError(f"the fixture audit has no {name!r}")
        return getattr(dppca.audit, name)

    def check(
        self, mechanism: Any, data: Any, neighbour: Any, claim: Claim | Curve, *, trials: int = TRIALS, **options: Any
    ) -> Verdict:
        """Call `dppca.audit.check`."""
        return self._audited("check", mechanism, data, neighbour, claim=claim, trials=trials, **options)

    def lower_bound(self, mechanism: Any, data: Any, neighbour: Any, *, trials: int = TRIALS, **options: Any) -> LowerBound:
        """Call `dppca.audit.lower_bound`."""
        return self._audited("lower_bound", mechanism, data, neighbour, trials=trials, **options)

    def lower_bound_over_pairs(self, mechanism: Any, pairs: Any, *, trials: int = TRIALS, **options: Any) -> PairBound:
        """Call `dppca.audit.lower_bound_over_pairs`."""
        return self._audited("lower_bound_over_pairs", mechanism, pairs, trials=trials, **options)

    def transcript_check(
        self, algorithm: Any, data: Any, neighbour: Any, claim: Claim, *, trials: int = TRANSCRIPT_TRIALS, **options: Any
    ) -> Verdict:
        """Call `dppca.audit.transcript_check`."""
        return self._audited("transcript_check", algorithm, data, neighbour, claim=claim, trials=trials, **options)

    def transcript_lower_bound(
        self, algorithm: Any, data: Any, neighbour: Any, *, delta: float, trials: int = TRANSCRIPT_TRIALS, **options: Any
    ) -> LowerBound:
        """Call `dppca.audit.transcript_lower_bound`."""
        return self._audited("transcript_lower_bound", algorithm, data, neighbour, delta=delta, trials=trials, **options)

    def transcript_lower_bound_over_pairs(
        self, algorithm: Any, pairs: Any, *, delta: float, trials: int = TRANSCRIPT_TRIALS, **options: Any
    ) -> PairBound:
        """Call `dppca.audit.transcript_lower_bound_over_pairs`."""
        return self._audited("transcript_lower_bound_over_pairs", algorithm, pairs, delta=delta, trials=trials, **options)

    def _audited(self, function: str, mechanism: Any, *datasets: Any, trials: int, **options: Any) -> Any:
        """Return the result of a function of `dppca.audit`, noted for the summary of the run, as is that there is none."""
        name = getattr(mechanism, "__qualname__", type(mechanism).__name__)
        try:
            result = getattr(dppca.audit, function)(mechanism, *datasets, **self._run(trials, options))
        except Exception as error:
            from dppca.audit.report.card import NoVerdict  # noqa: PLC0415 - the plugin must not cost other projects a second

            self._found.append((name, NoVerdict(str(error), options.get("claim"))))
            raise
        self._found.append((name, result))
        return result

    def _run(self, trials: int, options: dict[str, Any]) -> dict[str, Any]:
        self._calls += 1
        digest = hashlib.sha256(f"{self._seed} {self._calls}".encode()).digest()
        own: dict[str, Any] = {"trials": int(trials * self._factor), "seed": int.from_bytes(digest[:8], "big")}
        if self._error is not None:  # 1/2, 1/6, 1/12, ... of it to the test's audits: together no more than all
            own["confidence"] = 1.0 - self._error / (self._calls * (self._calls + 1))
            if "confidence" in {**self._options, **options}:
                raise ValueError("confidence must not be given with --audit-confidence, which shares it over all audits")
        return {"isolate": hasattr(os, "fork"), **self._options, **options, **own}


MARKER = "privacy_audit"
#: What a test's audits gave, in the item's stash; as plain data in the attribute of a report, which processes exchange.
FOUND: pytest.StashKey[list[tuple[str, Any]]] = pytest.StashKey()
_RESULTS = "dppca_results"


class Summary:
    """A plugin that collects the results of all tests, prints their table, and writes the report."""

    def __init__(self, report: str | None) -> None:
        self._report = report
        self._results: list[dict[str, Any]] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep what a test's audits gave, from whatever process."""
        self._results += getattr(report, _RESULTS, ())

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the table; write the report, and say where."""
        if not self._results:
            return
        from dppca.audit.report import card  # noqa: PLC0415 - the plugin must not cost other projects a second

        terminalreporter.section("privacy audits")
        for line in card.table(self._results):
            terminalreporter.write_line(line)
        terminalreporter.write_line("An audit can refute a claim of privacy; it never proves one.")
        if self._report is not None:
            try:
                page = card.write(self._results, Path(self._report))
                terminalreporter.write_line(f"Written: {self._report} and {page}")
            except (OSError, ValueError) as error:
                terminalreporter.write_line(f"NOT WRITTEN: {error}")


def pytest_configure(config: pytest.Config) -> None:
    """Check the options before anything runs."""
    config.addinivalue_line("markers", f"{MARKER}(**options): audits by the fixture `audit`; options of each of them")
    report = config.getoption("--audit-report")
    confidence = config.getoption("--audit-confidence")
    if confidence is not None and not 0.0 < confidence < 1.0:
        raise pytest.UsageError(f"--audit-confidence must be in (0, 1), got {confidence}")
    if (seed := config.getoption("--audit-seed")) < 0:
        raise pytest.UsageError(f"--audit-seed must be >= 0, got {seed}")
    if report is not None:
        from dppca.audit.report.document import RESULTS  # noqa: PLC0415 - as above
        from dppca.audit.report.place import check_report  # noqa: PLC0415

        try:
            check_report(Path(report), RESULTS)
        except ValueError as error:
            raise pytest.UsageError(str(error).replace("--report", "--audit-report")) from error
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Summary(report), "dppca audit summary")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that have the fixture, before `-m` selects; UsageError where a marker has what no audit takes."""
    for item in items:
        for mark in item.iter_markers(MARKER):
            _check_options(item.nodeid, mark.kwargs)
        if "audit" in getattr(item, "fixturenames", ()) and item.get_closest_marker(MARKER) is None:
            item.add_marker(MARKER)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, Any, Any]:
    """Add what a test's audits gave to the report about its call: all of it, and its headlines as properties.

    The error of a mechanism is shown without the frames of this package, unless --full-trace is given.
    """
    found = item.stash.get(FOUND, []) if call.when == "call" else []
    if found:
        if call.excinfo is not None and not item.config.getoption("fulltrace"):
            _leave_out_own_frames(call.excinfo)
        from dppca.audit.report import card  # noqa: PLC0415 - as above

        results = [card.document(result, mechanism=name) for name, result in found]
        item.user_properties += [("privacy audit", f"{of['mechanism']}: {of['headline']}") for of in results]
    report = yield
    if found:
        setattr(report, _RESULTS, results)
    return report


def _leave_out_own_frames(raised: pytest.ExceptionInfo[BaseException]) -> None:
    """Shorten a traceback to what is not of this package, where the error says what is wrong with somebody else's code."""
    if not raised.errisinstance((dppca.audit.MechanismError, dppca.audit.StoreError, dppca.audit.VersionError)):
        return
    kept = raised.tb  # the first frame is pytest's
    while (following := kept.tb_next) is not None:
        if Path(dppca.audit.__file__).parent in Path(following.tb_frame.f_code.co_filename).parents:
            kept.tb_next = following.tb_next
        else:
            kept = following


def _check_options(test: str, options: Mapping[str, Any]) -> None:
    """Raise UsageError where a marker of a test has an option that no audit takes, or one that is the run's."""
    if wrong := options.keys() & {"trials", "seed"}:
        raise pytest.UsageError(f"{MARKER} takes no {min(wrong)}, at {test}: --audit-budget and --audit-seed are the run's")
    checks = (dppca.audit.check, dppca.audit.transcript_check) if options else ()
    known = {name for check in checks for name, of in inspect.signature(check).parameters.items() if of.kind == of.KEYWORD_ONLY}
    for name in options.keys() - known:
        raise pytest.UsageError(f"{MARKER} takes no {name}, at {test}{did_you_mean(name, known)}; it takes what check takes")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options for the run's seed and budget."""
    group = parser.getgroup("audit fixture")
    group.addoption("--audit-seed", type=int, default=0, help="seed of all that the fixture `audit` runs (default: 0)")
    group.addoption(
        "--audit-budget", choices=sorted(_FACTORS), default="standard", help="how many trials it runs (default: standard)"
    )
    group.addoption("--audit-confidence", type=float, help="confidence that no audit refutes a true claim (default: 0.95 each)")
    group.addoption("--audit-report", metavar="FILE", help="write the results there as JSON, and a page with plots beside it")


@pytest.fixture
def audit(request: pytest.FixtureRequest) -> Auditor:
    """Return what audits mechanisms with the run's seed and budget: it has every function and class of `dppca.audit`."""
    seed = hashlib.sha256(f"{request.config.getoption('--audit-seed')} {request.node.nodeid}".encode()).digest()
    found = request.node.stash.setdefault(FOUND, [])
    options: dict[str, Any] = {}
    for mark in request.node.iter_markers(MARKER):  # the closest first
        options = {**mark.kwargs, **options}
    confidence, error = request.config.getoption("--audit-confidence"), None
    if confidence is not None:
        audited = sum(item.get_closest_marker(MARKER) is not None for item in request.session.items)
        error = (1.0 - confidence) / max(audited, 1)
    budget = _FACTORS[request.config.getoption("--audit-budget")]
    return Auditor(int.from_bytes(seed[:8], "big"), budget, found, options, error)
