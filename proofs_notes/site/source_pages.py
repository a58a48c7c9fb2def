"""A page for every module, with an anchor for every line, and where an object stands on it."""

from __future__ import annotations

import ast
import functools
import importlib
import posixpath
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from docutils import nodes
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from sphinx import addnodes
from sphinx.application import Sphinx

from dppca.proofs_notes.ledger.claims import ROOT

PACKAGES = ("reference", "audit", "proofs_notes")
#: Files that have pages, with what colours them.
LEXERS = {".py": "python", ".v": "coq"}


@dataclass(frozen=True)
class Location:
    """A line of a file of the repository."""

    path: str
    line: int

    @property
    def url(self) -> str:
        """Return the address from the site's root."""
        return f"{page_name(self.path)}.html#line-{self.line}"


def page_name(path: str) -> str:
    """Return the page of a module."""
    return f"source/{path.removesuffix('.py').removesuffix('.v')}"


def locate(module: str, name: str) -> Location:
    """Return where `name`, dotted for a member, is defined; LookupError if it is not.

    An imported name is looked up where it was defined, and a check made from a function with arguments at that function.
    """
    path = module.removeprefix("dppca.").replace(".", "/")
    file = f"{path}/__init__.py" if (ROOT / path).is_dir() else f"{path}.py"
    line = _find(_tree(file), name.split("."))
    if line is not None:
        return Location(file, line)
    first = name.partition(".")[0]
    for node in ast.walk(_tree(file)):
        if isinstance(node, ast.ImportFrom) and node.module and any(alias.name == first for alias in node.names):
            return locate(node.module, name)
    made = getattr(importlib.import_module(module), name, None)
    if isinstance(made, functools.partial):
        return locate(made.func.__module__, made.func.__name__)
    raise LookupError(f"{module} neither defines nor imports {name}")


@functools.cache
def _tree(file: str) -> ast.Module:
    return ast.parse((ROOT / file).read_text(encoding="utf-8"))


def _find(scope: ast.Module | ast.ClassDef, names: list[str]) -> int | None:
    for node in scope.body:
        if names[0] in _defines(node):
            if len(names) == 1:
                return node.lineno
            if isinstance(node, ast.ClassDef):
                return _find(node, names[1:]) or node.lineno  # an inherited member
    return None


def _defines(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    if isinstance(node, ast.Assign):
        return [name.id for target in node.targets for name in ast.walk(target) if isinstance(name, ast.Name)]
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return [node.target.id]
    return []


def _pages(_app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
    formatter = HtmlFormatter(linenos="inline", lineanchors="line", anchorlinenos=True)
    for package in PACKAGES:
        for file in sorted(file for file in (ROOT / package).rglob("*") if file.suffix in LEXERS):
            path = file.relative_to(ROOT).as_posix()
            code = highlight(file.read_text(encoding="utf-8"), get_lexer_by_name(LEXERS[file.suffix]), formatter)
            yield page_name(path), {"title": path, "body": f"<h1>{path}</h1>\n{code}", "parents": []}, "page.html"


def _link_modules(_app: Sphinx, document: nodes.document, page: str) -> None:
    """Link a text's modules to their pages, and not to files to download."""
    for node in list(document.findall(addnodes.download_reference)):
        path = posixpath.normpath(posixpath.join(posixpath.dirname(page), node["reftarget"]))
        path, _, line = path.partition("#L")
        if path.endswith(tuple(LEXERS)) and path.startswith(PACKAGES):
            url = f"{'../' * page.count('/')}{page_name(path)}.html" + (f"#line-{line}" if line else "")
            node.replace_self(nodes.reference("", "", *node.children, internal=True, refuri=url))


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the pages."""
    app.connect("html-collect-pages", _pages)
    app.connect("doctree-resolved", _link_modules)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
