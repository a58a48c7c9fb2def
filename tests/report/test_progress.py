"""The terminal during and after `pytest audit/`: lines of progress, and a closing table that fits."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any

import pytest

from dppca.audit.report import closing
from dppca.audit.report.progress import Progress, RunState, short, span
from tests.interpreter import python

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """A wide one, whatever the tests are run in."""
    monkeypatch.setenv("COLUMNS", "300")


def _state() -> RunState:
    """Four tests of known length, 10, 30, 20 and 40 s: the first took 20 s, and since then the second runs."""
    state = RunState({"a": 10.0, "b": 30.0, "c": 20.0, "d": 40.0}, now=100.0)
    state.planned = ["a", "b", "c", "d"]
    state.seconds = {"a": 20.0}
    state.running = {"b": 120.0}
    return state


def test_the_time_left_follows_the_recorded_times() -> None:
    """After 40 s: a, and 20 s of the 30 s of b, are done, so 30 of 100; the other 70 take 70/30 * 40 s."""
    state = _state()
    assert state.left(140.0) == pytest.approx(70.0 / 30.0 * 40.0)
    assert state.left(1000.0) == pytest.approx(60.0 / 40.0 * 900.0)  # b takes longer than it did: it counts 30 s
    state.seconds = {}
    assert state.left(140.0) is None


def test_the_time_left_is_no_less_than_what_the_running_test_needs() -> None:
    state = RunState({"a": 1.0, "b": 100.0}, now=0.0)
    state.planned, state.seconds, state.running = ["a", "b"], {"a": 0.01}, {"b": 0.01}
    assert state.left(0.02) == pytest.approx(100.0, rel=1e-3)
    assert state.left(150.0) == 0.0
    assert state.line(150.0) == "1/2 done, 2 min so far, longer than estimated; running: b (2 min)"


def test_a_test_that_is_over_its_time_by_more_than_what_is_left_takes_longer_than_estimated() -> None:
    """a took 1 s as it did before; b runs for longer than its 10 s, and c of 1 s waits."""
    state = RunState({"a": 1.0, "b": 10.0, "c": 1.0}, now=0.0)
    state.planned, state.seconds, state.running = ["a", "b", "c"], {"a": 1.0}, {"b": 1.0}
    assert state.line(10.5) == "1/3 done, about 2 s left; running: b (10 s)"
    assert state.line(12.5) == "1/3 done, 12 s so far, longer than estimated; running: b (12 s)"
    assert state.line(101.0) == "1/3 done, 2 min so far, longer than estimated; running: b (2 min)"


def test_no_line_says_that_nothing_is_left() -> None:
    state = RunState({"a": 1.0, "b": 10.0, "c": 0.0}, now=0.0)
    state.planned, state.seconds, state.running = ["a", "b", "c"], {"a": 1.0}, {"b": 1.0}
    lines = [state.line(1.0 + 0.25 * quarter) for quarter in range(400)]
    assert not [line for line in lines if "0 s left" in line and "10 s left" not in line]
    assert {re.sub(r"\d+ s", "", line.split(", ")[-1].partition(";")[0]) for line in lines[60:]} == {"longer than estimated"}


def test_without_recorded_times_every_test_counts_the_same_and_what_is_left_goes_down() -> None:
    state = RunState({}, now=0.0)
    state.planned, state.seconds, state.last = ["a", "b", "c"], {"a": 8.0}, 10.0
    assert [state.left(now) for now in (10.0, 15.0, 29.0, 30.0, 120.0)] == [20.0, 15.0, 1.0, 0.0, 0.0]
    assert state.line(29.8) == "1/3 done, about 1 s left"
    assert state.line(120.0) == "1/3 done, 2 min so far, longer than estimated"


def test_a_line_says_what_is_done_what_runs_and_how_long() -> None:
    state = _state()
    state.failed = 1
    assert state.line(140.0) == "1/4 done, 1 failed, about 2 min left; running: b (20 s)"
    state.running = {f"f.py::test_verdict[{'x' * 90}{i}]": 100.0 for i in range(3)}
    line = state.line(140.0)
    assert len(line) <= 120
    assert line.count("(40 s)") == 3  # all three are seen, cropped
    state.running = {f"f.py::test_verdict[{'x' * 90}{i}]": 100.0 for i in range(16)}
    assert len(state.line(140.0)) == 120


def test_names_and_times_are_short() -> None:
    assert short("audit/suite/test_privacy.py::test_verdict[a.b-C-exact-e1/e2-(1,0)]") == "a.b-C-exact-e1/e2-(1,0)"
    assert short("audit/suite/test_utility.py::test_it[3]") == "test_it[3]"
    assert [span(seconds) for seconds in (0.2, 89.0, 91.0, 5000.0, 7200.0)] == ["0 s", "89 s", "2 min", "83 min", "2.0 h"]


def test_the_plugin_follows_pytest_and_keeps_the_times(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept: dict[str, Any] = {}

    class Cache:
        get = staticmethod(kept.get)
        set = staticmethod(kept.__setitem__)

    class Config:
        cache = Cache()

    monkeypatch.setattr("dppca.audit.report.progress.EVERY", 0.01)
    stream = io.StringIO()
    plugin = Progress(Config(), stream)  # type: ignore[arg-type]
    plugin.pytest_xdist_node_collection_finished(["f.py::a", "f.py::b"])
    plugin.pytest_runtest_logstart("f.py::a")
    plugin.pytest_runtest_logfinish("f.py::a")
    found = [("audit", _row(id="it"))]
    told = pytest.TestReport("f.py::a", ("f.py", 1, "a"), {}, "passed", None, "call", user_properties=found)
    plugin.pytest_runtest_logreport(told)
    assert stream.getvalue() == "\nNOT REFUTED  epsilon >= 0.250, claimed (1, 0.01); it"
    assert plugin.pytest_report_teststatus(told) == ("passed", "", "PASSED")  # counted, and no dot
    told.user_properties.clear()
    plugin.pytest_runtest_logreport(told)
    assert plugin.pytest_report_teststatus(told) is None
    assert stream.getvalue().count("\n") == 1
    plugin.pytest_runtest_logstart("f.py::b")
    for _ in range(500):
        if "running: b" in stream.getvalue():
            break
        plugin.over.wait(0.01)
    plugin.pytest_sessionfinish()
    assert re.search(
        r"^1/2 done, (about \d+ s left|0 s so far, longer than estimated); running: b \(0 s\)$", stream.getvalue(), re.MULTILINE
    )
    assert set(kept["dppca/seconds"]) == {"f.py::a"}


@pytest.mark.slow
@pytest.mark.parametrize("options", [("0",), ("0", "-p", "no:cacheprovider"), ("2",)], ids=" ".join)
def test_lines_appear_where_output_is_a_file(tmp_path: Path, options: tuple[str, ...]) -> None:
    """In a pytest of their own, with and without pytest-xdist, and though pytest captures."""
    (tmp_path / "conftest.py").write_text(
        "import dppca.audit.report.progress as progress\n"
        "progress.EVERY = 0.2\n"
        "def pytest_configure(config):\n"
        "    if not hasattr(config, 'workerinput'):\n"
        "        config.pluginmanager.register(progress.Progress(config))\n"
    )
    (tmp_path / "test_it.py").write_text(
        "import time\ndef test_a(): pass\ndef test_b():\n    print('x')\n    time.sleep(1.5)\n"
    )
    done = python("-m", "pytest", "-q", "test_it.py", "--numprocesses", *options, cwd=tmp_path)
    assert done.returncode == 0, done.stdout
    line = r"^1/2 done, (?:about \d+ s left|\d+ s so far, longer than estimated); running: test_b \(\d s\)"
    assert re.search(line, done.stderr, re.MULTILINE), done.stderr


# --- the end --------------------------------------------------------------------------------------------


def _row(**changes: Any) -> dict[str, Any]:
    row = {
        "id": "paper.algorithm-CORRECTED-output-pair-(1,0.01)",
        "algorithm": "paper.algorithm",
        "choice": "CORRECTED",
        "view": "output",
        "instance": "pair",
        "epsilon": 1.0,
        "delta": 0.01,
        "lower_bound": 0.25,
        "exact_epsilon": None,
        "verdict": "NOT REFUTED",
        "expected": "NOT REFUTED",
        "because": "",
        "seconds": 12.34,
    }
    return row | changes


def test_the_closing_table_fits_and_groups_and_says_what_was_expected() -> None:
    rows = [
        _row(choice="AS_PRINTED", verdict="REFUTED", expected="REFUTED", lower_bound="inf", exact_epsilon=2.0),
        _row(),
        _row(instance="a pair with a very long name, " * 10, delta=1.2345678e-300),
    ]
    lines = closing.verdicts(rows)
    assert max(map(len, lines)) <= 120
    assert [line for line in lines if line.startswith("paper")] == ["paper.algorithm, AS_PRINTED", "paper.algorithm, CORRECTED"]
    assert lines[3].split() == ["pair", "output", "(1,", "0.01)", "inf", "2.000", "REFUTED", "yes", "12.3"]
    assert lines[5].split() == ["pair", "output", "(1,", "0.01)", "0.250", "NOT", "REFUTED", "yes", "12.3"]
    assert "..." in lines[6]
    assert not any("UNEXPECTED" in line for line in lines)


def test_a_narrow_terminal_gets_fewer_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    lines = closing.verdicts([_row(), _row(instance="a pair with a very long name, " * 10, verdict="REFUTED")])
    assert max(map(len, lines)) == 80
    assert lines[3].split() == ["pair", "claim", "bound", "verdict", "expected"]
    assert lines[6].split() == ["pair", "(1,", "0.01)", "0.250", "NOT", "REFUTED", "yes"]
    assert lines[7].endswith("...  (1, 0.01)  0.250  REFUTED      NO")


def test_a_verdict_is_a_line_when_it_arrives() -> None:
    assert closing.arrived(_row(id="a")) == "NOT REFUTED  epsilon >= 0.250, claimed (1, 0.01); a"
    wrong = _row(id="a", view="exact", verdict="REFUTED", lower_bound="inf")
    assert closing.arrived(wrong) == "UNEXPECTED: REFUTED      epsilon is inf, claimed (1, 0.01); a"
    assert len(closing.arrived(_row(id="a" * 200))) == 120


def test_what_is_unexpected_comes_first() -> None:
    wrong = _row(verdict="REFUTED", because="paper.theorem-1", id="the-one")
    lines = closing.verdicts([_row(), wrong])
    assert lines[:3] == ["UNEXPECTED: REFUTED, it must be NOT REFUTED (claim paper.theorem-1)", "    the-one", ""]
    assert lines[-1].split()[-2:] == ["NO", "12.3"]


def test_an_experiment_is_one_line() -> None:
    experiments = [
        {"title": "Error", "rows": [1, 2], "notes": []},
        {"title": "Rate", "rows": [], "notes": ["it is 1.", "another"]},
        {"title": "Long", "rows": [], "notes": ["x" * 200]},
    ]
    lines = list(closing.utility(experiments))
    assert lines[:2] == ["Error: 2 rows", "Rate: it is 1."]
    assert len(lines[2]) == 120
