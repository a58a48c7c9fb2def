"""Parsers of the command line: one line and status 2 for wrong usage, and nothing that exists is overwritten."""

from __future__ import annotations

import argparse
import ast
import ctypes
import importlib
import importlib.util
import json
import math
import mmap
import os
import re
import select
import shlex
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from operator import attrgetter
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from dppca.reference.extras import EXTRAS
from dppca.reference.rigour.validation import error_text, printable
from dppca.reference.usage import UsageError, did_you_mean

#: The variable that tells a suite by which command of `dppca` it was started, for its report.
GIVEN = "DPPCA_COMMAND"
#: Exit statuses of every command.
DONE, FOUND_WRONG, WRONG_USAGE, NO_VERDICT = 0, 1, 2, 3
#: pytest, which writes a word and this project's exit status into the file of that number: of its own, 1 is of tests that fail,
#: 4 and 5 of arguments that name nothing.
_PYTEST = f"""
import os, sys, pytest
status = int(pytest.main(sys.argv[3:]))
sys.stdout.flush()
known = {{0: {DONE}, 1: {FOUND_WRONG}, 4: {WRONG_USAGE}, 5: {WRONG_USAGE}}}
os.write(int(sys.argv[1]), bytes([*bytes.fromhex(sys.argv[2]), known.get(status, {NO_VERDICT})]))
sys.exit(status)
"""
#: Linux's prctl: the signal that a process gets when its parent dies. Tenths of a second to end in after Ctrl-C.
_PDEATHSIG, _INTERRUPTED = 1, 50
#: Bytes that a pipe may hold, of which the last are the status.
_RECORD = 1 << 20
#: Seconds between two lines about what is under way.
EVERY = 10.0


class Parser(argparse.ArgumentParser):
    """A parser that says in one line what is wrong and takes options by their full names alone."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"allow_abbrev": False, "formatter_class": argparse.RawDescriptionHelpFormatter, **options})

    def error(self, message: str) -> NoReturn:
        """Write one line and end with status 2; an option that is unknown is told with one that is like it."""
        unknown = re.fullmatch(r"unrecognized arguments: (--[\w-]+)\S*(?: .*)?", message)
        meant = did_you_mean(unknown[1], self._option_string_actions) if unknown else ""
        sys.stderr.write(f"{self.prog}: {one_line(message)}{meant}\n")
        raise SystemExit(WRONG_USAGE)


def check_keys(parser: Parser, keys: Sequence[str], known: Collection[str]) -> None:
    """End with status 2 where a key is not of the catalogue; the line names the known keys that are close."""
    for key in keys:
        if key not in known:
            parser.error(f"KEY must be a key that `dppca list` prints, got {key!r}{did_you_mean(key, known, 3)}")


def one_line(message: object) -> str:
    """Return a message as one printable line."""
    return printable(str(message), most=10_000)


def new_file(option: str, path: Path) -> Path:
    """Return a path at which nothing exists and whose folder does.

    Raises:
        UsageError: something is there, or the folder is missing.
    """
    if path.exists():
        raise UsageError(f"{option} must be a file that does not exist yet, as nothing is overwritten, got {str(path)!r}")
    if not path.parent.is_dir():
        raise UsageError(f"{option} must lie in a folder that exists, got {str(path)!r}")
    if not takes_files(path.parent):
        raise UsageError(f"{option} must lie in a folder that can be written to, got {str(path)!r}")
    return path


def takes_files(folder: Path) -> bool:
    """Return whether a file can be made in a folder, which is tried."""
    try:
        tempfile.TemporaryFile(dir=folder).close()
    except OSError:
        return False
    return True


def say(text: str) -> None:
    """Write to the standard output; where its reader, such as `head`, has gone, that and all that follows goes nowhere."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        drop_output()


def say_written(*paths: Path | str) -> None:
    """Name the files or the folder that a command has written."""
    say(f"Written: {' and '.join(map(str, paths))}\n")


def drop_output() -> None:
    """Let all that follows on the standard output go nowhere, as its reader has gone."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class Counter:
    """Counts what is done in a process that this one has forked, and says so in a line."""

    def __init__(self, planned: int, seconds: float = math.inf) -> None:
        self._planned, self._seconds, self._started = planned, seconds, time.monotonic()
        self._shared = mmap.mmap(-1, 8)  # of this process and of those that it forks

    def add(self, done: int) -> None:
        """Count what has just been done."""
        self._shared[:8] = (self._done() + done).to_bytes(8, "little")

    def line(self) -> str:
        """Return how much is done, and how long the rest takes at most if it goes on like this."""
        spent, done = time.monotonic() - self._started, min(self._done(), self._planned)
        if not done:
            return f"{spent:.0f} s; the first of {self._planned:,} runs on each dataset are under way"
        if done >= self._planned - 1:
            return f"{spent:.0f} s; the last of {self._planned:,} runs on each dataset, and what compares all, are under way"
        left = min(spent * (self._planned - done) / done, max(self._seconds - spent, 0.0))
        return f"{spent:.0f} s; {done:,} of {self._planned:,} runs on each dataset; at most about {left:.0f} s left"

    def _done(self) -> int:
        return int.from_bytes(self._shared[:8], "little")


def supervised(name: str, run: Callable[[int, bytes], int], tell: Callable[[], str] | None = None) -> int:
    """Return the exit status that a function gives in a process of its own; NO_VERDICT, with one line, where it gives none.

    The function is given a file and a word, and writes word and status there itself if it replaces the process by a program.
    What ends the process, from whatever code, leaves nothing in that file; what others write there does not begin with the
    word. The process is killed when this one dies.

    Args:
        name: of the command, for the line.
        run: a function of the file and the word, which returns the status.
        tell: gives the line that is written as long as it runs: a counter on a terminal, elsewhere every EVERY seconds.
    """
    if not hasattr(os, "fork"):
        return run(os.open(os.devnull, os.O_WRONLY), b"")
    sys.stdout.flush()
    # Who started this one may have it ignored, and a child that ends is forgotten.
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    parent, (record, write), word = os.getpid(), os.pipe(), os.urandom(16)
    child = os.fork()
    if child == 0:
        os.close(record)
        _be_supervised(run, write, word, parent)
    os.close(write)
    ended, interrupted = _waited_for(child, name, tell)
    os.set_blocking(record, False)
    with suppress(BlockingIOError):  # something that it has started still has the file
        if status := os.read(record, _RECORD).partition(word)[2]:
            return status[0]
    how = "it was interrupted" if interrupted else f"the process ended with {_ending(ended)} before there was a result"
    sys.stderr.write(f"{name}: no verdict: {how}\n")
    return NO_VERDICT


def _ending(code: int) -> str:
    return f"exit code {code}" if code >= 0 else signal.Signals(-code).name


def _be_supervised(run: Callable[[int, bytes], int], write: int, word: bytes, parent: int) -> NoReturn:
    try:
        if sys.platform == "linux":
            ctypes.CDLL(None).prctl(_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
            if os.getppid() != parent:
                os._exit(1)
        try:
            status = run(write, word)
        except SystemExit as error:  # of a parser; any other is no result
            if error.code != WRONG_USAGE:
                raise
            status = WRONG_USAGE
        sys.stdout.flush()
        sys.stderr.flush()
        os.write(write, word + bytes([status]))
        os._exit(status)
    except KeyboardInterrupt:
        pass  # the parent says so
    except BaseException:  # noqa: BLE001 - nothing may return into the parent's code
        traceback.print_exc()
        sys.stderr.flush()
    finally:
        os._exit(NO_VERDICT)


def _tell_until_the_end(child: int, name: str, tell: Callable[[], str]) -> None:
    """Write lines about a child until it has ended; none where the system has no file that says so."""
    if not hasattr(os, "pidfd_open"):
        return
    watched, terminal = os.pidfd_open(child), sys.stderr.isatty()
    try:
        while not select.select([watched], [], [], 1.0 if terminal else EVERY)[0]:
            sys.stderr.write(f"\r\x1b[K{name}: {tell()}" if terminal else f"{name}: {tell()}\n")
            sys.stderr.flush()
    finally:
        os.close(watched)
        sys.stderr.write("\r\x1b[K" if terminal else "")


def _waited_for(child: int, name: str, tell: Callable[[], str] | None) -> tuple[int, bool]:
    """Return the exit code of a child, and whether there was a Ctrl-C: it is the child's as well, which has seconds to end."""
    try:
        if tell is not None:
            _tell_until_the_end(child, name, tell)
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), False
    except KeyboardInterrupt:
        for _ in range(_INTERRUPTED):
            pid, ended = os.waitpid(child, os.WNOHANG)
            if pid:
                return os.waitstatus_to_exitcode(ended), True
            time.sleep(0.1)
        os.kill(child, signal.SIGKILL)
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), True


def run_pytest(folder: Path, arguments: Sequence[str]) -> int:
    """Run the tests of a folder of this package with settings of their own, and return this project's exit status.

    In a process of its own: pytest must see the package before it is imported.
    """
    for package, extra in EXTRAS.items():
        if extra == "suite" and importlib.util.find_spec(package) is None:
            raise ModuleNotFoundError(f"No module named {package!r}", name=package)  # the caller says what to install
    settings = [str(folder), "-c", str(folder / "settings.ini"), "--rootdir", str(folder.parent)]
    settings += ["--confcutdir", str(folder.parent)]
    typed = shlex.join(["dppca", *sys.argv[1:]])

    def replaced(record: int, word: bytes) -> int:
        os.set_inheritable(record, True)
        command = [sys.executable, "-c", _PYTEST, str(record), word.hex(), *settings, *arguments]
        os.execve(sys.executable, command, {**os.environ, GIVEN: typed})  # noqa: S606 - our own

    return supervised(shlex.join(["dppca", *sys.argv[1:2]]), replaced)


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
    except (Exception, SystemExit) as error:  # anything may happen in somebody else's module
        raise UsageError(f"{option}: cannot load {name}: {error_text(error)}") from error


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
