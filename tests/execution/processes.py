"""Which processes a test has started, also through others that have ended or have left its group and session."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

LINUX = sys.platform == "linux"


def marked(name: str, value: str) -> dict[int, str]:
    """Return the processes that began with this variable in their environment, and the forks of such ones: id to state."""
    wanted, found = f"{name}={value}".encode(), {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        try:
            environment = (entry / "environ").read_bytes().split(b"\0")
            state = (entry / "stat").read_text().rpartition(")")[2].split()[0]
        except OSError:  # it has ended meanwhile, or is somebody else's
            continue
        if wanted in environment and state != "Z":
            found[int(entry.name)] = state
    return found


def left_after(seconds: float, name: str, value: str) -> dict[int, str]:
    """Return the marked processes that are still there after so many seconds; returns as soon as there are none."""
    until = time.monotonic() + seconds
    while (found := marked(name, value)) and time.monotonic() < until:
        time.sleep(0.02)
    return found
