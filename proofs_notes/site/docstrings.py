r"""Docstrings are plain text with `code`, *stress* and lists; what reStructuredText would read into the rest is escaped.

Formulas between dollars become formulas. In modules' docstrings numbered remarks ("  D1 line 4 ...") become lists, and
what is indented otherwise stands by itself. Examples stay as they are. Below an algorithm's docstring are a program that runs
its example, and what that draws.
"""

from __future__ import annotations

import inspect
import re
import textwrap
from typing import Any

from sphinx.application import Sphinx

from dppca.proofs_notes.catalogue_commands import example
from dppca.reference.declaration import Declaration

_MARKED = re.compile(r"(^ *>>> (?:.+\n?)+|`[^`]+`|\$[^$]+\$|(?<![\w*])\*\w+\*(?![\w*])|^ *\* )", re.MULTILINE)
_INDENT = re.compile(r"^ +(?:\d+ +)?")
_REMARK = re.compile(r" +([A-Z]\d+) ")


def escape(text: str) -> str:
    """Return the text with nothing left to interpret but what is marked."""
    parts = _MARKED.split(text)
    for position, part in enumerate(parts):
        if position % 2 == 0:
            parts[position] = re.sub(r"([\\*|`]|_(?!\w))", r"\\\1", part)
        elif part.startswith("$"):
            parts[position] = f":math:`{part[1:-1]}`"
    return "".join(parts)


def separate(lines: list[str]) -> list[str]:
    """Return lines with remarks as items of lists and other indented lines as line blocks, between blank lines.

    In a line block the spaces that indent a line, before its number and after it, are those that HTML keeps.
    """
    result: list[str] = []
    inside = False  # of a remark
    previous = ""
    for line in lines:
        remark = _REMARK.match(line)
        indented = line.startswith(" ")
        if remark or (previous and indented != previous.startswith(" ")):
            result.append("")
        inside = bool(remark) or (inside and indented)
        if remark:
            result.append(f"* **{remark[1]}** {line[remark.end() :]}")
        else:
            result.append(f"  {line.lstrip()}" if inside else f"| {_INDENT.sub(_unbroken, line)}" if indented else line)
        previous = line
    return result


def _unbroken(spaces: re.Match[str]) -> str:
    return spaces[0].replace(" ", "\N{NO-BREAK SPACE}")


def _process(_app: Sphinx, what: str, _name: str, documented: Any, _options: Any, lines: list[str]) -> None:
    declaration = getattr(documented, "declaration", None)
    after: list[str] = []
    if isinstance(declaration, Declaration):
        program = textwrap.indent(example(declaration), "    ").splitlines()
        after = ["", "A run on its example::", "", *program, "", escape(f"It draws: {'; '.join(declaration.draws())}."), ""]
    text = [*escape("\n".join(lines)).split("\n"), *after]
    lists = any(line.startswith(("* ", "===")) for line in text)
    lines[:] = separate(text) if what == "module" and not lists else text


def _keep(_app: Sphinx, what: str, name: str, documented: Any, options: Any, lines: list[str]) -> None:
    """Undo what napoleon makes of a property: it takes the words before a colon for a type."""
    if what == "property":
        lines[:] = (inspect.getdoc(documented) or "").split("\n")
        _process(_app, what, name, documented, options, lines)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the processing, ahead of napoleon's, and what is to be undone of that."""
    app.connect("autodoc-process-docstring", _process, priority=100)
    app.connect("autodoc-process-docstring", _keep, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
