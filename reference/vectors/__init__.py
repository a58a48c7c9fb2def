"""Known-answer vectors: what every algorithm of the catalogue answers on given draws, with all that it computes.

`load()` reads them; `python -m dppca.reference.vectors` regenerates them; `compare.differences(case, answer)` compares.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

DIRECTORY = Path(__file__).parent / "data"
#: JSON Schema of the files, and of what goes over the line protocol of tests/conformance.
SCHEMA = Path(__file__).parent / "schema.json"


def load() -> dict[str, tuple[Mapping[str, Any], ...]]:
    """Return the cases by algorithm."""
    files = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(DIRECTORY.glob("*.json"))]
    return {content["algorithm"]: tuple(content["cases"]) for content in files}


def by_id() -> dict[str, tuple[str, Mapping[str, Any]]]:
    """Return (algorithm, case) by the id "algorithm/case/choice"."""
    return {f"{algorithm}/{case['id']}": (algorithm, case) for algorithm, cases in load().items() for case in cases}
