"""What the last run of the suite found, where `make audit` has left its report: pages quote it and lead to its cards."""

from __future__ import annotations

import functools
import math
from typing import Any

from dppca.audit.report import document, page
from dppca.proofs_notes.ledger.claims import ROOT

REPORT = ROOT / "build" / "audit.json"
#: Name of the report's page in the site.
PAGE = "audit.html"


def _document() -> dict[str, Any] | None:
    """Return the report of a run with audits, or None."""
    found = document.read(REPORT) if REPORT.exists() else {"audits": []}
    return found if found["audits"] else None


def report() -> str | None:
    """Return the report's page, or None where no audit has run."""
    found = _document()
    return None if found is None else page.render(found)


@functools.cache
def findings() -> dict[str, tuple[str, str]]:
    """Map the id of each audit that was run to a sentence with what it found, and to the address of its card in the site."""
    found = _document() or {"audits": []}
    return {row["id"]: (_sentence(row, found["run"]), f"{PAGE}#{page.anchor(i)}") for i, row in enumerate(found["audits"], 1)}


def _sentence(row: dict[str, Any], run: dict[str, Any]) -> str:
    bound = document.number(row["lower_bound"])
    found = "no epsilon is enough" if bound == math.inf else f"epsilon is at least {bound:.3f}"
    how = "computed exactly" if row["confidence"] is None else f"from {row['trials']:,} trials on each dataset"
    return f"{row['verdict']} on {run['date'][:10]}, seed {run['seed']}: {found}, {how}."
