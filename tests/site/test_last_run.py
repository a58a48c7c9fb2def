"""Pages of claims quote what the last run of the suite found, and lead to its card."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("sphinx", reason="needs the extra docs")

from docutils import nodes

from dppca.audit.report import document
from dppca.audit.suite.audits import instances
from dppca.proofs_notes.site import last_run
from dppca.proofs_notes.site.claims import listed_audit
from tests.report.documents import RUN, audit_row

ID = "wang2020.local_gaussian_mechanism-AS_PRINTED-exact-e1/e2-(1,1e-05)"
ROWS = [
    audit_row(id="another", lower_bound="inf", confidence=0.95, trials=20_000),
    audit_row(id=ID, lower_bound=1.098, confidence=None, trials=0),
]


@pytest.fixture
def report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the place of a report that is not there yet."""
    monkeypatch.setattr(last_run, "REPORT", tmp_path / "audit.json")
    return tmp_path / "audit.json"


def write(report: Path, rows: list[dict[str, Any]]) -> None:
    run = RUN | {"date": "2026-01-02T03:04:05Z", "seed": 7}
    whole = {"format": document.FORMAT, "version": document.VERSION, "run": run, "audits": rows, "utility": [], "tests": []}
    report.write_text(json.dumps(whole))


def listed() -> nodes.list_item:
    (audit,) = (audit for audit in instances() if audit.id == ID)
    return listed_audit(audit)


def test_without_a_report_a_page_says_what_is_expected_alone(report: Path) -> None:
    assert "The last run" not in listed().astext()
    assert last_run.report() is None


def test_a_report_without_audits_is_none(report: Path) -> None:
    write(report, [])
    assert last_run.report() is None
    assert "The last run" not in listed().astext()


def test_what_was_found_is_quoted_with_the_address_of_its_card(report: Path) -> None:
    write(report, ROWS)
    item = listed()
    assert "The last run: REFUTED on 2026-01-02, seed 7: epsilon is at least 1.098, computed exactly." in item.astext()
    assert [link["refuri"] for link in item.findall(nodes.reference)] == ["../../audit.html#audit-2"]
    found, address = last_run.findings()["another"]
    assert (found, address) == (
        "REFUTED on 2026-01-02, seed 7: no epsilon is enough, from 20,000 trials on each dataset.",
        "audit.html#audit-1",
    )
