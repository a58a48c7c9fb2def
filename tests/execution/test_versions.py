"""Versions of what is audited."""

from __future__ import annotations

import sys
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from types import ModuleType

import pytest

from dppca.audit.execution import versions


def test_only_files_of_source_are_read_for_imports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "one.py").write_text("import colorsys\nfrom wave import open\nfrom . import two\n")
    (tmp_path / f"two{EXTENSION_SUFFIXES[0]}").write_text("import chunk\n")
    module = ModuleType("of_source_and_binary")
    module.__path__ = [str(tmp_path)]
    monkeypatch.setitem(sys.modules, "of_source_and_binary", module)
    assert versions._imports("of_source_and_binary") == {"colorsys", "wave"}
