"""What decides and what runs can be lifted out of the project: their imports point one way."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
#: A package, and what of this project its modules may import.
ALLOWED = {
    "audit/auditor": ("dppca.audit.auditor", "dppca.reference.noise", "dppca.reference.rigour"),
    "audit/execution": ("dppca.audit.auditor", "dppca.audit.execution", "dppca.reference.noise", "dppca.reference.rigour"),
}


def imported(text: str) -> list[str]:
    """Return what a module's text imports of this project, wherever it does."""
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            found += [f"{module}.{alias.name}" if module == "dppca" else module for alias in node.names]
    return [name for name in found if name.partition(".")[0] in ("dppca", "")]


@pytest.mark.parametrize("package", ALLOWED)
def test_the_auditor_and_what_runs_it_import_the_interface_of_noise_and_rigour_alone(package: str) -> None:
    files = sorted((ROOT / package).glob("*.py"))
    assert len(files) > 10
    for file in files:
        for name in imported(file.read_text(encoding="utf-8")):
            assert any(name == of or name.startswith(f"{of}.") for of in ALLOWED[package]), f"{file.name} imports {name}"


def test_every_form_of_import_is_seen() -> None:
    inside = "def f():\n    from . import one\n    from dppca.reference.noise import Noise\n"
    text = f"import dppca.audit.report\nfrom dppca import audit\n{inside}"
    assert imported(text) == ["dppca.audit.report", "dppca.audit", ".", "dppca.reference.noise"]
