"""The machine-checked statements of each claim, as `make proofs` wrote them into rocq/statements.json."""

from __future__ import annotations

import functools
from dataclasses import dataclass

from dppca.proofs_notes import formal


@dataclass(frozen=True)
class ShownTheorem:
    """A theorem with its statement, where it stands, and in what it proves less than the claim."""

    name: str
    file: str
    line: int
    statement: str
    weaker: str


@functools.cache
def theorems() -> dict[str, list[ShownTheorem]]:
    """Map ids of claims to their theorems, but for those that `make proofs` has not seen."""
    stated = formal.statements()
    found: dict[str, list[ShownTheorem]] = {}
    for theorem in formal.load():
        if theorem.proof in stated:
            text = (formal.NOTES / theorem.file).read_text("utf-8")
            line, statement = formal.declared(text, theorem.name), stated[theorem.proof].statement
            shown = ShownTheorem(theorem.name, theorem.file, line, statement, theorem.weaker)
            found.setdefault(theorem.claim, []).append(shown)
    return found
