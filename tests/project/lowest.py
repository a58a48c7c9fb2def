"""`python -m tests.project.lowest`: the lowest versions that pyproject.toml allows for the package and its suite, for pip."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path


def lowest() -> list[str]:
    """Return "name==version" for every dependency of the package and of the extras audit and suite."""
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    named = [line for line in (*project["dependencies"], *extras["audit"], *extras["suite"]) if not line.startswith("dppca")]
    return [re.sub(r">=([\d.]+)$", r"==\1", line) for line in named]


if __name__ == "__main__":
    sys.stdout.write("\n".join([*lowest(), ""]))
