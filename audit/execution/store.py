"""The embedded store: finished batches in one SQLite file, each committed as soon as it is finished.

A stale batch would give a wrong bound, so a batch is found again only under everything that it depends on: the seed and
size of the batch, the datasets, the user's key, the sources of the packages that define what is audited. A file belongs
to one state of this program and of numpy, scipy and Python; with any other it is an error to open it.
"""

from __future__ import annotations

import hashlib
import json
import os
import pickle
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import joblib

from dppca.audit.execution.versions import differences, environment, processor, sources
from dppca.reference.rigour.validation import printable, shown

#: Marks an SQLite file as a store ("DPPC"), and the version of its tables and of what is in them.
_APPLICATION, _FORMAT = 0x44505043, 2
#: Seconds to wait for another process that writes.
WAIT = 30.0
_HINTS = {
    "SQLITE_FULL": "the disk is full. Every batch finished before is safe in it: make room and run again to go on from there",
    "SQLITE_NOTADB": "it is no store, or damaged. It was left as it is: move it away or name another file",
    "SQLITE_CORRUPT": "it is damaged. It was left as it is: move it away or name another file",
    "SQLITE_BUSY": "another process holds it. Wait for that process, or name another file",
    "SQLITE_CANTOPEN": "it cannot be opened or made. Name a file in a directory that exists and can be written",
    "SQLITE_IOERR": "the disk, or a limit, did not let it be read or written. Every batch finished before is safe in it: make "
    "that right and run again to go on from there",
    "SQLITE_ERROR": "it is damaged. It was left as it is: move it away or name another file",
    "SQLITE_READONLY": "it cannot be written. Make it writable or name another file",
}


class StoreError(RuntimeError):
    """Says that a store cannot be used or written: which file, why, and what to do."""


@dataclass(frozen=True)
class Store:
    """Names where an audit stores its finished batches: it may be killed at any moment, and continues when run again.

    Attributes:
        path: an SQLite file, made if there is none. One file serves many audits.
        key: what is audited, in which version. All that outputs depend on must be in it, except for the data, the
            arguments of the audit and the Python source of the packages that define the callables: those are
            found out. Some trials of every stored batch are run again, picked at random, and must give the stored bits.
    """

    path: str | os.PathLike[str]
    key: str

    def __post_init__(self) -> None:
        path = os.fspath(self.path) if isinstance(self.path, (str, os.PathLike)) else None
        if not isinstance(path, str) or "\0" in path or not path.strip() or path.startswith(":memory:"):
            raise ValueError(f"path must be that of a file, as a string or a path, got {shown(self.path)}")
        if not isinstance(self.key, str) or not self.key:
            raise ValueError(f"key must be a string that is not empty, got {shown(self.key)}")


class StoreFile:
    """An open store: reads and writes its batches."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        if os.path.exists(self.path) and not os.path.isfile(self.path):  # SQLite would write to a device
            raise self._error(_HINTS["SQLITE_CANTOPEN"])
        with self._clear_errors():
            self.connection = sqlite3.connect(self.path, isolation_level=None, timeout=WAIT)
        try:
            with self._clear_errors():
                self._prepare()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Close the file; nothing is pending."""
        self.connection.close()

    def get(self, key: bytes) -> bytes | None:
        """Return the value of a key, or None."""
        with self._clear_errors():
            row = self.connection.execute("SELECT digest, value FROM batch WHERE key = ?", (key,)).fetchone()
        if row is None:
            return None
        digest, value = row
        if not isinstance(value, bytes) or hashlib.sha256(key + value).digest() != digest:
            raise self._error(_HINTS["SQLITE_CORRUPT"])
        return value

    def put(self, key: bytes, value: bytes) -> None:
        """Keep a value; on the disk when this returns, and wholly or not at all whatever happens before."""
        row = (key, hashlib.sha256(key + value).digest(), value)
        with self._clear_errors():  # another process may have finished the same batch meanwhile, with the same bits
            self.connection.execute("INSERT INTO batch VALUES (?, ?, ?) ON CONFLICT DO NOTHING", row)

    def begin(self, key: bytes) -> None:
        """Note that a batch is begun."""
        with self._clear_errors():
            self.connection.execute("INSERT INTO begun VALUES (?, 1) ON CONFLICT DO UPDATE SET times = times + 1", (key,))

    def times(self, key: bytes) -> int:
        """Return how many times a batch was begun, by this process and others."""
        with self._clear_errors():
            row = self.connection.execute("SELECT times FROM begun WHERE key = ?", (key,)).fetchone()
        if row is not None and not (isinstance(row[0], int) and row[0] > 0):
            raise self._error(_HINTS["SQLITE_CORRUPT"])
        return 0 if row is None else int(row[0])

    def __len__(self) -> int:
        with self._clear_errors():
            return int(self.connection.execute("SELECT count(*) FROM batch").fetchone()[0])

    def _error(self, problem: str) -> StoreError:
        return StoreError(printable(f"store {self.path}: {problem}", most=10_000))  # the file is another's

    def _prepare(self) -> None:
        """Refuse what is no store of this program; make a file that is empty into one, wholly or not at all."""
        run = self.connection.execute
        run("PRAGMA synchronous = EXTRA")
        run("BEGIN IMMEDIATE")
        application, written = (run(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version"))
        tables = run("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if (application, written, tables) == (0, 0, 0):
            run(f"PRAGMA application_id = {_APPLICATION}")
            run(f"PRAGMA user_version = {_FORMAT}")
            run("CREATE TABLE environment (name TEXT PRIMARY KEY, value TEXT NOT NULL)")
            run("CREATE TABLE batch (key BLOB PRIMARY KEY, digest BLOB NOT NULL, value BLOB NOT NULL)")
            run("CREATE TABLE begun (key BLOB PRIMARY KEY, times INTEGER NOT NULL)")
            self.connection.executemany("INSERT INTO environment VALUES (?, ?)", _environment().items())
        elif application != _APPLICATION:
            raise self._error("it is an SQLite file of another program. Name another file")
        elif written != _FORMAT:
            problem = f"its format is version {written}, this program's is {_FORMAT}. Move it away or name another file"
            raise self._error(problem)
        else:
            self._check_environment(dict(run("SELECT name, value FROM environment")))
        run("COMMIT")

    def _check_environment(self, written: dict[str, str]) -> None:
        here = _environment()
        if there := written.pop("processor", None):
            del here["processor"]
        if differ := differences(written, here):
            raise self._error(f"its batches are of another version ({differ}). Go back to that version, or name another file")
        if there and there != processor():
            problem = f"its batches are of another processor ({there} there, {processor()} here), which rounds otherwise"
            raise self._error(f"{problem}. Go back to such a machine, or name another file")

    @contextmanager
    def _clear_errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            name = getattr(error, "sqlite_errorname", "")
            hint = next((text for code, text in _HINTS.items() if name.startswith(code)), None)
            unknown = f"{error} ({name}). Every batch finished before is safe in it, unless the disk itself is damaged"
            raise self._error(hint or unknown) from error
        except UnicodeError as error:  # of text in it, which sqlite3 leaves to Python
            raise self._error(_HINTS["SQLITE_CORRUPT"]) from error


def _environment() -> dict[str, str]:
    return {**environment(), "processor": processor()}


def identity(key: str, callables: Sequence[Any], data: Any) -> str:
    """Return a digest of what is audited: the user's key, the sources of what defines the callables, the datasets."""
    try:
        datasets = joblib.hash(data)
    except (pickle.PicklingError, TypeError, AttributeError) as error:
        raise TypeError(f"data and neighbour must be picklable to be audited with a store: {error}") from error
    return digest([key, list(map(_name, callables)), sources(callables), datasets]).hex()


def _name(function: Any) -> str | None:
    defined = function if hasattr(function, "__qualname__") else type(function)
    return None if function is None else f"{defined.__module__}.{defined.__qualname__}"


def digest(description: Any) -> bytes:
    """Return the SHA-256 of something that JSON can say."""
    return hashlib.sha256(json.dumps(description, sort_keys=True).encode()).digest()
