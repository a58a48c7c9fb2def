"""What a run leaves beside its output, in the modules of the reference or in writing: nothing, as no noise protects it."""

from __future__ import annotations

import inspect
import io
import logging
import pickle
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from typing import Any

import numpy as np

from dppca.audit.suite.same_output import written
from dppca.reference.catalog import ALGORITHMS
from dppca.reference.noise import record


def left_behind(key: str) -> list[str]:
    """Return what runs of an algorithm write, and what they change in modules; to be called where none has run before."""
    entry, before = ALGORITHMS[key], _kept()
    with _listening() as written_lines:
        for choices in entry.choices.values():
            for seed, data in enumerate((entry.example.data, entry.example.neighbour)):
                record(entry.bind(**entry.example.arguments, choices=choices), data, np.random.default_rng(seed))
    return [*written_lines, *(name for name, value in _kept().items() if before.get(name) != value)]


class _Listener(logging.Handler):
    """A handler that stores every message of every level."""

    def __init__(self, messages: list[str]) -> None:
        super().__init__(logging.NOTSET)
        self._messages = messages

    def emit(self, record: logging.LogRecord) -> None:
        self._messages.append(f"the message {record.getMessage()!r}")


@contextmanager
def _listening() -> Iterator[list[str]]:
    """Yield a list that has, at the end, what was logged, warned of or printed meanwhile."""
    found: list[str] = []
    root, text, listener = logging.getLogger(), io.StringIO(), _Listener(found)
    level = root.level
    root.addHandler(listener)
    root.setLevel(1)
    try:
        with redirect_stdout(text), redirect_stderr(text), warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            yield found
    finally:
        root.removeHandler(listener)
        root.setLevel(level)
    found += [f"the warning {str(each.message)!r}" for each in warned]
    found += [f"the line {line!r}" for line in text.getvalue().splitlines()]


def _kept() -> dict[str, Any]:
    """Return the values of all modules, and the attributes of their functions and classes."""
    found: dict[str, Any] = {}
    for module in [of for name, of in sys.modules.items() if name.startswith("dppca.reference.")]:
        for name, value in vars(module).items():
            holds = inspect.isfunction(value) or inspect.isclass(value)
            for attribute, part in vars(value).items() if holds else [("", value)]:
                if not (attribute or name).startswith("__"):
                    found[f"{module.__name__}.{name} {attribute}".strip()] = _shown(part)
    return found


def _shown(part: Any) -> Any:
    try:
        return written(part)
    except (pickle.PicklingError, TypeError, AttributeError):  # of functions without a name, and what holds them
        return repr(part)
