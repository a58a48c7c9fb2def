"""What is missing before a release is named, and nothing in its place is invented."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.project.release import FIELDS, PAGES, ROOT, missing


def test_only_what_the_owner_knows_is_missing() -> None:
    assert missing() == [
        *(f"CITATION.cff has no {name}" for name in FIELDS),
        "SECURITY.md: the owner fills in the address for reports",
    ]


def test_what_is_filled_in_is_not_named_and_a_version_without_changes_is(tmp_path: Path) -> None:
    for name in (*PAGES, "CITATION.cff", "CHANGELOG.md", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path / name)
    page = tmp_path / "SECURITY.md"
    page.write_text(page.read_text().replace("OWNER: address for reports", "security@example.org"))
    cited = tmp_path / "CITATION.cff"
    cited.write_text(cited.read_text() + "repository-code: https://example.org\ndoi: 10.0/0\n")
    assert missing(tmp_path) == []
    changes = tmp_path / "CHANGELOG.md"
    changes.write_text(changes.read_text().replace("\n## 0.1.0", "\n## 0.0.9"))
    assert missing(tmp_path) == ["CHANGELOG.md has no section for version 0.1.0"]
