"""The tables that take long to make show what was kept, and are about the mechanisms there are; no error is too frequent."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from scipy.stats import binom

from tests.studies import benchmarks_oracle, cost, peers, validity
from tests.studies.benchmark_mechanisms import benchmarks
from tests.studies.stored_tables import Rows, version


def kept(module: Any) -> dict[str, Any]:
    """Return what a table shows."""
    found: dict[str, Any] = json.loads(module.KEPT.read_text())
    return found


def test_a_run_goes_on_where_one_ended_unless_the_settings_are_others(tmp_path: Path) -> None:
    Rows(tmp_path / "rows.json", {"trials": (100, 200)}).put("Laplace", {"of": 3})
    assert Rows(tmp_path / "rows.json", {"trials": (100, 200)}).row("Laplace") == {"of": 3}
    assert Rows(tmp_path / "rows.json", {"trials": (100, 300)}).row("Laplace") == {}


def test_the_pages_of_costs_and_accounts_have_the_words_of_their_programs() -> None:
    assert cost.PAGE.read_text() == cost.TEXT.format_map(cost.stored())
    pytest.importorskip("dp_accounting", reason="needs the extra 'peers'")
    from tests.studies import benchmarks_accounting as accounting  # noqa: PLC0415 - it imports dp-accounting

    assert accounting.PAGE.read_text() == accounting.page(kept(accounting))


def test_a_version_is_of_what_modules_do(tmp_path: Path) -> None:
    def told(text: str) -> str:
        (tmp_path / "module.py").write_text(text)
        return version(tmp_path)

    first = told('"""Says something."""\n\ndef f():\n    """Return one."""\n    return 1\n')
    assert told("def f():\n    return 1  # one\n") == first
    assert told("def f():\n    return 2\n") != first
    (tmp_path / "module.py").rename(tmp_path / "other.py")
    assert told("def f():\n    return 1\n") != first


@pytest.mark.slow
def test_a_study_of_validity_can_be_broken_off_runs_in_two_processes_and_begins_anew_with_another_engine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What was audited with seeds 0 and 1 is gone on with at 2; the counts are those of one run in one process."""
    only, paths = "noisy max", (tmp_path / "rows.json", tmp_path / "page.md")
    whole = validity.run(3, only=only)
    assert len(whole.rows) == 4
    validity.run(2, kept=paths[0], table=paths[1], only=only)
    seeds, run = [], validity.audited
    monkeypatch.setattr(validity, "audited", lambda task: (seeds.append(task[1]), run(task))[1])
    gone_on = validity.run(3, kept=paths[0], table=paths[1], only=only)
    assert seeds == [range(2, 3)] * 4
    monkeypatch.undo()
    beside = validity.run(3, only=only, processes=2)
    for rows in (gone_on, beside):
        assert {name: row["wrong"] for name, row in rows.rows.items()} == {
            name: row["wrong"] for name, row in whole.rows.items()
        }
    assert paths[1].read_text() == validity.text(gone_on.rows, gone_on.settings, len(list(validity.cases())))
    monkeypatch.setattr(validity, "version", lambda folder: "another")
    assert {row["of"] for row in validity.run(1, kept=paths[0], only=only).rows.values()} == {1}
    assert "starting anew" in capsys.readouterr().out


def test_pages_show_what_was_kept() -> None:
    benchmark, rates, beside = (kept(module) for module in (benchmarks_oracle, validity, peers))
    assert benchmarks_oracle.TABLE.read_text() == benchmarks_oracle.text(
        benchmark["rows"], benchmark["settings"], len(benchmarks())
    )
    assert validity.TABLE.read_text() == validity.text(rates["rows"], rates["settings"], len(list(validity.cases())))
    assert peers.TABLE.read_text() == peers.text(beside["rows"])


def test_the_benchmark_is_about_the_mechanisms_that_there_are_and_their_exact_epsilons() -> None:
    rows = kept(benchmarks_oracle)["rows"]
    exact = {of.name: of.known.epsilon for of in benchmarks()}
    assert rows.keys() <= exact.keys()  # the page says how many are missing
    for name, row in rows.items():
        assert (math.inf if row["exact"] is None else row["exact"]) == pytest.approx(exact[name], rel=1e-9), name
        assert 0.0 < row["oracle"] <= exact[name]


def test_kept_bounds_of_the_benchmark_are_above_no_more_often_than_stated() -> None:
    """At 0.95, all rows together: those of one seed are of different mechanisms, so nearly independent."""
    rows = kept(benchmarks_oracle)["rows"].values()
    bounds = [(bound, row["exact"]) for row in rows if row["exact"] is not None for bound in row["bounds"].values()]
    assert binom.sf(sum(bound > exact for bound, exact in bounds) - 1, len(bounds), 0.05) > 1e-4


def test_kept_rates_are_within_nominal() -> None:
    """Row by row, at a false alarm of 1e-4 over all rows."""
    found = kept(validity)
    assert tuple(found["settings"]["confidences"]) == validity.CONFIDENCES
    assert found["rows"].keys() <= {f"{case.name}, {case.kind}" for case in validity.cases()}
    for name, row in found["rows"].items():
        for wrong, confidence in zip(row["wrong"], validity.CONFIDENCES, strict=True):
            assert binom.sf(wrong - 1, row["of"], 1.0 - confidence) > 1e-4 / (2 * len(found["rows"])), name


def test_the_auditor_is_above_no_more_often_than_stated_where_it_stands_beside_others() -> None:
    rows = kept(peers)["rows"]
    assert rows.keys() == {known.name for known in peers.known()}
    for row in rows.values():
        bounds = row["tools"]["this auditor"]["bounds"]
        assert binom.sf(sum(bound > row["exact"] for bound in bounds) - 1, len(bounds), 0.05) > 1e-4 / len(rows)
