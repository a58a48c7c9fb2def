"""Versions of what is audited."""

from __future__ import annotations

import sys
from functools import partial, wraps
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from dppca.audit.execution import versions


def test_only_files_of_source_are_read_for_imports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "one.py").write_text("import colorsys\nfrom wave import open\nfrom . import two\n")
    (tmp_path / f"two{EXTENSION_SUFFIXES[0]}").write_text("import chunk\n")
    module = ModuleType("of_source_and_binary")
    module.__path__ = [str(tmp_path)]
    monkeypatch.setitem(sys.modules, "of_source_and_binary", module)
    assert versions.imported_names("of_source_and_binary") == {"colorsys", "wave"}


def _of(module: str, **held: Any) -> Any:
    """Return a function that a module seems to define, with attributes."""

    def function(*_: Any) -> None:
        """Do nothing."""

    function.__module__ = module
    function.__dict__.update(held)
    return function


def _enclosing(held: Any) -> Any:
    function = lambda: held  # noqa: E731 - its module is set
    function.__module__ = "outer"
    return function


class _Sampler:
    __module__ = "inner"

    def sample(self) -> None:
        """Do nothing."""


@pytest.mark.parametrize(
    ("holds", "names"),
    [
        (lambda: partial(_of("inner")), {"functools", "inner"}),
        (lambda: wraps(_of("inner"))(_of("outer")), {"inner"}),
        (lambda: _enclosing(_of("inner")), {"outer", "inner"}),
        (lambda: _enclosing(_Sampler()), {"outer", "inner"}),
        (lambda: _enclosing(3), {"outer"}),
        (lambda: _of("outer", held=_of("inner", again=_of("deep"))), {"outer", "inner", "deep"}),
        (lambda: _of("outer", held=sys), {"outer"}),
    ],
)
def test_what_a_callable_holds_has_its_module_named(holds: Any, names: set[str]) -> None:
    assert versions.defining_modules([holds()]) == names


def test_a_callable_that_holds_itself_is_looked_at_once() -> None:
    function = _of("outer")
    function.own = function
    assert versions.defining_modules([function]) == {"outer"}
