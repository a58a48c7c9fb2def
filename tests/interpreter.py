"""Runs Python in a process of its own, which can import the project and its tests wherever it runs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def python(
    *words: str | Path, cwd: Path = ROOT, check: bool = False, timeout: float | None = None, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Return what this interpreter has printed for these words, with these variables beside those of this process.

    `check` and `timeout` are those of subprocess.run: they raise where it fails, or takes more seconds.
    """
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *filter(None, sys.path)]), **variables}
    command = [sys.executable, *words]
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=check, timeout=timeout)  # noqa: S603 - our own
