"""One name for one thing: no two public classes of the packages share a name."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[1]
#: Names that several classes may have, each with the reason.
SHARED = {
    "Choices": "each algorithm's file has the decisions of its readings under this name",
    "Grid": "an account's grid is of losses, the engine's one of outputs; neither package knows the other's",
}


def public_classes() -> dict[str, list[str]]:
    """Return the modules that define each public class at their top level, by its name."""
    found = defaultdict(list)
    for folder in ("reference", "audit", "proofs_notes"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            for node in ast.parse(path.read_text(encoding="utf-8")).body:
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    found[node.name].append(path.relative_to(ROOT).as_posix())
    return found


def test_no_two_public_classes_share_a_name() -> None:
    shared = {name: modules for name, modules in public_classes().items() if len(modules) > 1}
    assert {name: modules for name, modules in shared.items() if name not in SHARED} == {}
    assert SHARED.keys() <= shared.keys()
