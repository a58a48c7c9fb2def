"""What the printed lines of an algorithm produce, seen from outside while it runs.

A statement with a comment `# line N` produces what it assigns or returns; `# line N: symbol` says what the paper calls it,
and `# line N: one; two` what it calls each of two. `Trace` reads the tags of one module and records those values each time
such a statement has run; the module does not know.
"""

from __future__ import annotations

import ast
import copy
import inspect
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import CodeType, FrameType, ModuleType, TracebackType
from typing import Any

TAG = re.compile(r"# lines? (\d[^:(\n]*)(?:: (.+))?")
RETURN = "return"

#: Statements of whole numbers of source rows: first and last row, and (line, name, symbol) of everything tagged.
Statement = tuple[int, int, tuple[tuple[str, str, str], ...]]


@dataclass(frozen=True)
class Intermediate:
    """A copy of a value that a printed line produced; `name` is the paper's symbol, or the name in the source."""

    line: str
    name: str
    value: Any


def tagged_statements(source: str) -> list[Statement]:
    """Return the simple statements of a module that carry a tag and produce something.

    Raises:
        ValueError: a tag with another number of symbols than its statement produces.
    """
    found = ((row, TAG.search(text)) for row, text in enumerate(source.splitlines(), start=1))
    tags = {row: (re.sub("lines? ", "", tag[1]).strip(), tag[2].split("; ") if tag[2] else []) for row, tag in found if tag}
    statements = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Return, ast.Expr)):
            first, last = node.lineno, node.end_lineno or node.lineno
            produced: list[tuple[str, str, str]] = []
            for row in sorted(tags.keys() & range(first, last + 1)):
                (line, symbols), names = tags[row], list(_names(node, row))
                if symbols and len(symbols) != len(names):
                    raise ValueError(f"the tag of line {line} must have {len(names)} symbols, got {'; '.join(symbols)!r}")
                produced += ((line, name, symbol) for name, symbol in zip(names, symbols or names, strict=True))
            if produced:
                statements.append((first, last, tuple(produced)))
    return statements


def symbols(module: ModuleType) -> dict[str, str]:
    """Return the paper's symbols of a module's tags, by the names in its source, where they differ."""
    made = (each for statement in tagged_statements(inspect.getsource(module)) for each in statement[2])
    return {name: symbol for _, name, symbol in made if name != symbol}


def _names(node: ast.stmt, row: int) -> Iterator[str]:
    """Yield the names of what a statement produces: targets, the item appended, or what it returns (a tagged field)."""
    if isinstance(node, ast.Return):
        fields = [k.arg for k in ast.walk(node) if isinstance(k, ast.keyword) and k.lineno <= row <= (k.end_lineno or row)]
        yield f"{RETURN}.{fields[0]}" if fields else RETURN
    elif isinstance(node, ast.Expr):
        call = node.value
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "append":
            yield f"{ast.unparse(call.func.value)}[-1]"
    elif isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
        target = node.targets[0] if isinstance(node, ast.Assign) else node.target
        yield from map(ast.unparse, target.elts if isinstance(target, ast.Tuple) else [target])


class Trace:
    """A context manager that keeps `intermediates` of a module's tagged statements, and the `calibration` returned last."""

    def __init__(self, module: ModuleType, calibrate: Callable[..., Any] | None = None) -> None:
        source = inspect.getsource(module)
        self._statement_at = {row: s for s in tagged_statements(source) for row in range(s[0], s[1] + 1)}
        self._file = module.__file__
        self._calibrate: CodeType | None = inspect.unwrap(calibrate).__code__ if calibrate else None
        self.intermediates: list[Intermediate] = []
        self.calibration: Any = None

    def __enter__(self) -> Trace:
        self._previous = sys.gettrace()
        sys.settrace(self.called)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        sys.settrace(self._previous)

    def called(self, frame: FrameType, *_: Any) -> Callable[..., Any] | None:
        """Return what follows the lines of a call, where they are traced: the trace function of the interpreter."""
        inside = frame.f_code.co_filename == self._file and not frame.f_code.co_name.startswith("<")
        if not inside and frame.f_code is not self._calibrate:
            return None
        pending: Statement | None = None

        def local(frame: FrameType, event: str, argument: Any) -> Callable[..., Any]:
            nonlocal pending
            here = self._statement_at.get(frame.f_lineno) if inside else None
            if event == "exception":
                pending = None
            elif event == "return" or here is not pending:
                if pending:
                    self._record(pending, frame, argument)
                pending = here
                if event == "return" and argument is not None and frame.f_code is self._calibrate:
                    self.calibration = argument
            return local

        return local

    def _record(self, statement: Statement, frame: FrameType, returned: Any) -> None:
        for line, name, symbol in statement[2]:
            if name.startswith(RETURN):
                value = getattr(returned, name.partition(".")[2]) if "." in name else returned
            else:
                value = eval(name, frame.f_globals, frame.f_locals)  # noqa: S307 -- a target of the module itself
            self.intermediates.append(Intermediate(line, symbol, copy.deepcopy(value)))
