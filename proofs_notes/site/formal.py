"""The machine-checked statements of each claim, from THEOREMS.md as `make proofs` wrote it."""

from __future__ import annotations

import functools
import re
import tomllib
from dataclasses import dataclass

from dppca.proofs.ledger import CLAIMS

_FOLDER = CLAIMS.parent / "rocq"
_SECTION = re.compile(
    r"^## (\S+:\S+)\n.*?\(([^()\s]+)#L(\d+)\).*?^```coq\n(.*?)^```\n+(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL
)


@dataclass(frozen=True)
class ShownTheorem:
    """A theorem with its statement, where it stands, and what it takes for granted or proves less than the claim."""

    name: str
    file: str
    line: int
    statement: str
    axioms: str
    hypotheses: tuple[str, ...]
    weaker: str


@functools.cache
def theorems() -> dict[str, list[ShownTheorem]]:
    """Ids of claims to their theorems."""
    text = (_FOLDER / "THEOREMS.md").read_text()
    stated = {match[1]: match for match in _SECTION.finditer(text)}
    found: dict[str, list[ShownTheorem]] = {}
    for entry in tomllib.loads((_FOLDER / "theorems.toml").read_text())["theorem"]:
        match = stated.get(entry["proof"])
        if match is not None:
            name = entry["proof"].partition(":")[2]
            hypotheses = tuple(entry.get("hypotheses", ()))
            theorem = ShownTheorem(
                name, match[2], int(match[3]), match[4], match[5].strip(), hypotheses, entry.get("weaker", "")
            )
            found.setdefault(entry["claim"], []).append(theorem)
    return found
