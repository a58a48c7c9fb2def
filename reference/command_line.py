"""Parsers of the command line: one line and status 2 for wrong usage, and nothing that exists is overwritten."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any, NoReturn

#: Exit statuses of every command.
DONE, FOUND_WRONG, WRONG_USAGE = 0, 1, 2


class UsageError(ValueError):
    """A command was given something that it cannot use; its text is one line."""


class Parser(argparse.ArgumentParser):
    """A parser that says in one line what is wrong and takes options by their full names alone."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"allow_abbrev": False, "formatter_class": argparse.RawDescriptionHelpFormatter, **options})

    def error(self, message: str) -> NoReturn:
        """Write one line and end with status 2."""
        sys.stderr.write(f"{self.prog}: {one_line(message)}\n")
        raise SystemExit(WRONG_USAGE)


def one_line(message: object) -> str:
    """Return a message without its line breaks."""
    return " ".join(str(message).split())


def new_file(option: str, path: Path) -> Path:
    """Return a path at which nothing exists and whose folder does.

    Raises:
        UsageError: something is there, or the folder is missing.
    """
    if path.exists():
        raise UsageError(f"{option} must be a file that does not exist yet, as nothing is overwritten, got {str(path)!r}")
    if not path.parent.is_dir():
        raise UsageError(f"{option} must lie in a folder that exists, got {str(path)!r}")
    return path
