"""What the last run of the suite found, where `make audit` has left its report: pages quote it and lead to its cards."""

from __future__ import annotations

import functools
import math
from pathlib import Path
from typing import Any

from dppca.audit.report import document, page
from dppca.proofs_notes.ledger.claims import ROOT

REPORT = ROOT / "build" / "audit.json"
#: Name of the report's page in the site.
PAGE = "audit.html"


@functools.cache
def _document(file: Path) -> dict[str, Any]:
    """Return a report, one without audits where there is none."""
    return document.read(file) if file.exists() else {"audits": []}


def report() -> str | None:
    """Return the report's page, or None where no audit has run."""
    found = _document(REPORT)
    return page.render(found) if found["audits"] else None


def findings() -> dict[str, tuple[str, str]]:
    """Map the id of each audit that was run to a sentence with what it found, and to the address of its card in the site."""
    return _findings(REPORT)


@functools.cache
def _findings(file: Path) -> dict[str, tuple[str, str]]:
    found = _document(file)
    return {row["id"]: (_sentence(row, found["run"]), f"{PAGE}#{page.anchor(i)}") for i, row in enumerate(found["audits"], 1)}


def _sentence(row: dict[str, Any], run: dict[str, Any]) -> str:
    bound = document.number(row["lower_bound"])
    found = "no epsilon is enough" if bound == math.inf else f"epsilon is at least {bound:.3f}"
    how = "computed exactly" if row["confidence"] is None else f"from {row['trials']:,} trials on each dataset"
    return f"{row['verdict']} on {run['date'][:10]}, seed {run['seed']}: {found}, {how}."
