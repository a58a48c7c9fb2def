"""No algorithm lacks a claim, a note, a known answer, an audit, a maximiser or a planted bug; all at once."""

from __future__ import annotations

from pathlib import Path

from tests.project.completeness import OWNED, missing, owner


def test_nothing_is_missing() -> None:
    """All but the pairs for other implementations, which tests/suite/test_implementations.py makes and counts."""
    found = missing(pairs=False)
    assert not found, "\n" + "\n".join(found)


def test_what_the_owner_has_to_fill_in_is_named_until_it_is_filled_in(tmp_path: Path) -> None:
    for name in OWNED:
        (tmp_path / name).write_text("Text.\n")
    assert owner(tmp_path) == []
    (tmp_path / "README.md").write_text("Text.\n\n<!-- FILL: the DOI -->\n")
    (tmp_path / "CITATION.cff").write_text("# FILL: the address, as `url: ...`\n")
    assert owner(tmp_path) == [
        "README.md, line 3: fill in the DOI",
        "CITATION.cff, line 1: fill in the address, as `url: ...`",
    ]
