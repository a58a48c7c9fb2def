"""Rows of tables that take long: each is kept in a JSON file as soon as it is there, so that a run goes on where one ended."""

from __future__ import annotations

import ast
import hashlib
import json
import sys
from pathlib import Path
from typing import Any


class Rows:
    """The rows of a table by name, in the order in which they were first put; all made with the same settings.

    A file with other settings counts as empty (`others`). Without a path nothing is kept.
    """

    def __init__(self, path: Path | None, settings: dict[str, Any]) -> None:
        self.path, self.settings = path, json.loads(json.dumps(settings))  # as they are read again
        kept = json.loads(path.read_text()) if path is not None and path.exists() else {}
        self.others = bool(kept) and kept["settings"] != self.settings
        self.rows: dict[str, dict[str, Any]] = kept["rows"] if kept and not self.others else {}

    def row(self, name: str) -> dict[str, Any]:
        """Return the row of a name; an empty one if it is new."""
        return self.rows.get(name, {})

    def put(self, name: str, row: dict[str, Any]) -> None:
        """Set a row, and write the file anew."""
        self.rows[name] = row
        if self.path is not None:
            lines = ",\n".join(f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in self.rows.items())
            text = f'{{\n "settings": {json.dumps(self.settings)},\n "rows": {{\n{lines}\n }}\n}}\n'
            partial = self.path.with_suffix(".partial")
            partial.write_text(text)
            partial.replace(self.path)


def version(folder: Path) -> str:
    """Return a digest of what the modules of a folder do: comments and docstrings are not in it."""
    found = hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        tree = ast.parse(path.read_text())
        for node in ast.walk(tree):
            if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)) and ast.get_docstring(node):
                node.body = node.body[1:]
        found.update(f"{path.relative_to(folder).as_posix()}\0{ast.dump(tree)}\0".encode())
    return found.hexdigest()[:12]


def say(line: str) -> None:
    """Print at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()
