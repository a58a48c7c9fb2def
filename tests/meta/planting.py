"""Planting a bug: an edit of one function's source, made as somebody would make it, and undone afterwards.

The edited source is compiled and its code object put into the function itself, so that everybody who imported the
function runs the bug; nothing is written to disk.
"""

from __future__ import annotations

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
        source = textwrap.dedent(inspect.getsource(self.function))
        if source.count(self.old) != 1:
            raise ValueError(f"old must occur once in {self.place}, got {source.count(self.old)} times: {self.old!r}")
        compiled = compile(source.replace(self.old, self.new), f"<{self.place}, edited>", "exec")
        namespace = dict(self.function.__globals__)
        exec(compiled, namespace)  # noqa: S102 - our own source with our own edit
        code: CodeType = namespace[self.function.__name__].__code__
        return code


@contextmanager
def planted(edits: Iterable[Edit]) -> Iterator[None]:
    """Within the context the edits are in force."""
    listed = list(edits)
    if len({edit.function for edit in listed}) < len(listed):
        raise ValueError("edits must be of different functions")
    before = [edit.function.__code__ for edit in listed]
    edited = [edit.code() for edit in listed]
    try:
        for edit, code in zip(listed, edited, strict=True):
            edit.function.__code__ = code
        yield
    finally:
        for edit, code in zip(listed, before, strict=True):
            edit.function.__code__ = code
