"""What a run leaves in the modules of the reference: nothing, as a program could read it and no noise protects it."""

from __future__ import annotations

import inspect
import pickle
import sys
from typing import Any

import numpy as np

from dppca.audit.suite.same_output import written
from dppca.reference.catalog import ALGORITHMS
from dppca.reference.noise import record


def left_behind(key: str) -> list[str]:
    """Return what in the modules has another value after runs of an algorithm, by name; for a process that made none before."""
    entry, before = ALGORITHMS[key], _kept()
    for choices in entry.choices.values():
        for seed, data in enumerate((entry.example.data, entry.example.neighbour)):
            record(entry.bind(**entry.example.arguments, choices=choices), data, np.random.default_rng(seed))
    return [name for name, value in _kept().items() if before.get(name) != value]


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
