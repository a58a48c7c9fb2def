"""The errata as PDFs: each is typeset, and says its version."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("pypandoc", reason="needs the extra `docs`")

from dppca.proofs_notes.site.errata_pdf import ERRATA, write


@pytest.mark.parametrize("source", ERRATA, ids=lambda file: file.parent.name)
def test_errata_are_typeset(source: Path, tmp_path: Path) -> None:
    page = write(source, tmp_path)
    assert page.name == f"{source.parent.name}.pdf"
    assert page.read_bytes().startswith(b"%PDF")
    assert page.stat().st_size > 20_000


def test_a_formula_that_cannot_be_typeset_is_an_error(tmp_path: Path) -> None:
    room = tmp_path / "room"
    room.mkdir()
    (room / "ERRATA.md").write_text("# Errata\n\n```latex\n\\begin{align\n```\n")
    with pytest.raises(RuntimeError):
        write(room / "ERRATA.md", tmp_path)
