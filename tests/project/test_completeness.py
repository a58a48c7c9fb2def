"""No algorithm lacks a claim, a note, a known answer, an audit, a maximiser or a planted bug; all at once."""

from __future__ import annotations

from tests.project.completeness import missing


def test_nothing_is_missing() -> None:
    found = missing()
    assert not found, "\n" + "\n".join(found)
