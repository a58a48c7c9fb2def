"""`python -m tests.project.release`: name what the owner has to fill in before a release; 1 where something is missing."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
#: Fields of CITATION.cff that only the owner can give.
FIELDS = ("repository-code", "doi")
PAGES = ("README.md", "SECURITY.md", "CONTRIBUTING.md")


def missing(root: Path = ROOT) -> list[str]:
    """Return a sentence for each thing that is missing."""
    cited = (root / "CITATION.cff").read_text(encoding="utf-8")
    found = [f"CITATION.cff has no {name}" for name in FIELDS if not re.search(rf"^{name}: \S", cited, re.MULTILINE)]
    for page in PAGES:
        text = (root / page).read_text(encoding="utf-8")
        found += [f"{page}: the owner fills in the {what}" for what in re.findall(r"OWNER: ([^.]+)\.", text)]
    version = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    changes = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    if f"\n## {version}" not in changes:
        found.append(f"CHANGELOG.md has no section for version {version}")
    if f"\nversion: {version}\n" not in cited:
        found.append(f"CITATION.cff must have version {version}")
    return found


def main() -> int:
    """Print what is missing."""
    found = missing()
    sys.stdout.write("".join(f"{line}\n" for line in found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
