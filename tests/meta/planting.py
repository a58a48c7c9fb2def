"""Planting a bug: an edit of one function's source, made as somebody would make it, and undone afterwards.

The edited source is compiled and its code object put into the function itself, so that everybody who imported the
function runs the bug; nothing is written to disk.
"""

from __future__ import annotations

import builtins
import dis
import inspect
import textwrap
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import CodeType
from typing import Any


@dataclass(frozen=True)
class Edit:
    """In the source of `function`, `old` (which occurs once) becomes `new`."""

    function: Callable[..., Any]
    old: str
    new: str

    @property
    def place(self) -> str:
        """Module below `reference`, and the function in it."""
        return f"{self.function.__module__.removeprefix('dppca.reference.')}.{self.function.__qualname__}"

    def code(self) -> CodeType:
        """The edited function's code."""
        function: Any = inspect.unwrap(self.function)
        source = textwrap.dedent(inspect.getsource(function))
        source = source[source.index("def ") :]  # without decorators
        if source.count(self.old) != 1:
            raise ValueError(f"old must occur once in {self.place}, got {source.count(self.old)} times: {self.old!r}")
        compiled = compile(source.replace(self.old, self.new), f"<{self.place}, edited>", "exec")
        namespace = dict(function.__globals__)
        exec(compiled, namespace)  # noqa: S102 - our own source with our own edit
        code: CodeType = namespace[function.__name__].__code__
        if missing := _global_names(code) - namespace.keys() - vars(builtins).keys():
            raise ValueError(f"the module of {self.place} has no {', '.join(sorted(missing))}")
        return code


def _global_names(code: CodeType) -> set[str]:
    """Return the names that a function's code looks up in its module, or that functions in it do."""
    found = {line.argval for line in dis.get_instructions(code) if line.opname == "LOAD_GLOBAL"}
    return found.union(*(_global_names(inner) for inner in code.co_consts if isinstance(inner, CodeType)))


@contextmanager
def planted(edits: Iterable[Edit]) -> Iterator[None]:
    """Within the context the edits are in force."""
    listed = list(edits)
    if len({edit.function for edit in listed}) < len(listed):
        raise ValueError("edits must be of different functions")
    functions: list[Any] = [inspect.unwrap(edit.function) for edit in listed]
    before = [function.__code__ for function in functions]
    edited = [edit.code() for edit in listed]
    try:
        for function, code in zip(functions, edited, strict=True):
            function.__code__ = code
        yield
    finally:
        for function, code in zip(functions, before, strict=True):
            function.__code__ = code
