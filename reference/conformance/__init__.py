"""Known-answer vectors: what every algorithm of the catalogue answers on given draws, with all that it computes.

`load()` reads them; `make vectors` regenerates them; `compare.differences(case, answer)` compares.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

#: The files stand beside the algorithms: <paper>/<algorithm>.json below this folder.
DIRECTORY = Path(__file__).resolve().parents[1]
#: JSON Schema of the files, and of what goes over the line protocol of reference/conformance.
SCHEMA = Path(__file__).parent / "schema.json"


def files(directory: Path = DIRECTORY) -> list[Path]:
    """Return the files of known answers below a folder, <paper>/<algorithm>.json, in order."""
    return sorted(path for path in directory.glob("*/*.json") if path.name != SCHEMA.name)


def load() -> dict[str, tuple[Mapping[str, Any], ...]]:
    """Return the cases by algorithm."""
    contents = [json.loads(path.read_text(encoding="utf-8")) for path in files()]
    return {content["algorithm"]: tuple(content["cases"]) for content in contents}


def cases_of(algorithm: str) -> tuple[Mapping[str, Any], ...]:
    """Return the cases of an algorithm; LookupError that says how to write them where there are none."""
    stored = load()
    if algorithm not in stored:
        raise LookupError(f"{algorithm} has no known answers: run `make vectors KEY={algorithm}`")
    return stored[algorithm]


def by_id() -> dict[str, tuple[str, Mapping[str, Any]]]:
    """Return (algorithm, case) by the id "algorithm/case/choice"."""
    return {f"{algorithm}/{case['id']}": (algorithm, case) for algorithm, cases in load().items() for case in cases}
