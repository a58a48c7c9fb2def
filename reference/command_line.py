"""Parsers of the command line: one line and status 2 for wrong usage, and nothing that exists is overwritten."""

from __future__ import annotations

import argparse
import ast
import difflib
import importlib
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Collection, Sequence
from operator import attrgetter
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

#: The variable that tells a suite by which command of `dppca` it was started, for its report.
GIVEN = "DPPCA_COMMAND"
#: Exit statuses of every command.
DONE, FOUND_WRONG, WRONG_USAGE = 0, 1, 2


class UsageError(ValueError):
    """The error of a command that was given something that it cannot use; its text is one line."""


class Parser(argparse.ArgumentParser):
    """A parser that says in one line what is wrong and takes options by their full names alone."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"allow_abbrev": False, "formatter_class": argparse.RawDescriptionHelpFormatter, **options})

    def error(self, message: str) -> NoReturn:
        """Write one line and end with status 2."""
        sys.stderr.write(f"{self.prog}: {one_line(message)}\n")
        raise SystemExit(WRONG_USAGE)


def check_keys(parser: Parser, keys: Sequence[str], known: Collection[str]) -> None:
    """End with status 2 where a key is not of the catalogue; the line names the known keys that are close."""
    for key in keys:
        if key not in known:
            close = difflib.get_close_matches(key, known, n=3, cutoff=0.4)
            parser.error(f"KEY must be of the catalogue, got {key!r}" + (f"; close: {', '.join(close)}" if close else ""))


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


def run_pytest(folder: Path, arguments: Sequence[str]) -> int:
    """Run the tests of a folder of this package with settings of their own, and return this project's exit status.

    In a process of its own: pytest must see the package before it is imported.
    """
    importlib.import_module("pytest")  # its absence is told by the caller
    settings = [str(folder), "-c", str(folder / "settings.ini"), "--rootdir", str(folder.parent)]
    settings += ["--confcutdir", str(folder.parent)]
    environment = {**os.environ, GIVEN: shlex.join(["dppca", *sys.argv[1:]])}
    command = [sys.executable, "-m", "pytest", *settings, *arguments]
    code = subprocess.run(command, check=False, env=environment).returncode  # noqa: S603
    return {0: DONE, 4: WRONG_USAGE}.get(code, FOUND_WRONG)


def load_object(option: str, name: str) -> Any:
    """Return what pkg.module:object names, looked for from the present folder as `python -m` would.

    Raises:
        UsageError: the name has another form, or leads to nothing.
    """
    module, colon, path = name.partition(":")
    if not (module and colon and path):
        raise UsageError(f"{option} must be pkg.module:object, got {name!r}")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        return attrgetter(path)(importlib.import_module(module))
    except Exception as error:  # anything may happen in somebody else's module
        raise UsageError(f"{option}: cannot load {name}: {type(error).__name__}: {one_line(error)}") from error


def dataset(option: str, text: str) -> Any:
    """Return the dataset that a text names: a file (.npy, .json, .csv), pkg.module:object, or a Python literal.

    Raises:
        UsageError: it is none of these, or the file cannot be read.
    """
    path = Path(text)
    if path.suffix in _READERS:
        try:
            return _READERS[path.suffix](path)
        except (OSError, ValueError) as error:
            reason = "there is no such file" if isinstance(error, FileNotFoundError) else one_line(error)
            raise UsageError(f"{option}: cannot read {text}: {reason}") from error
    try:
        return ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        pass
    if re.fullmatch(r"[\w.]+:[\w.]+", text):
        return load_object(option, text)
    raise UsageError(
        f"{option} must be a file (.npy, .json or .csv), pkg.module:object, or a Python literal such as [1, 0, 1], got {text!r}"
    )


#: What reads a file, by its suffix: arrays that hold no objects, JSON, and numbers with commas between them.
_READERS: dict[str, Callable[[Path], Any]] = {
    ".npy": lambda path: np.load(path, allow_pickle=False),
    ".json": lambda path: json.loads(path.read_text(encoding="utf-8")),
    ".csv": lambda path: np.loadtxt(path, delimiter=",", ndmin=2),
}
