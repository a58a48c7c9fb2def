"""One name for one thing: no two public classes share a name, and no module is hidden by a name of its package."""

from __future__ import annotations

import ast
import importlib
import pkgutil
from collections import defaultdict
from pathlib import Path
from types import ModuleType

import pytest

import dppca

ROOT = Path(__file__).parents[2]
#: Names that several classes may have, each with the reason.
SHARED = {
    "Choices": "each algorithm's file has the decisions of its readings under this name",
    "Grid": "an account's grid is of losses, the auditor's one of outputs; neither package knows the other's",
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


def packages(package: ModuleType = dppca) -> list[str]:
    """Return the names of a package and of all packages below it."""
    below = [f"{package.__name__}.{found.name}" for found in pkgutil.iter_modules(package.__path__) if found.ispkg]
    return [package.__name__, *(name for each in below for name in packages(importlib.import_module(each)))]


@pytest.mark.parametrize("name", packages())
def test_no_module_is_hidden_by_a_name_of_its_package(name: str) -> None:
    package = importlib.import_module(name)
    modules = {found.name for found in pkgutil.iter_modules(package.__path__)}
    hidden = {each for each in modules & vars(package).keys() if not isinstance(vars(package)[each], ModuleType)}
    assert not hidden, f"{name} has names that are also modules: {sorted(hidden)}"
