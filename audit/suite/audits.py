"""The instances that `pytest audit/` runs, one module per paper, and for the baselines."""

from __future__ import annotations

from importlib import import_module

from dppca.audit.suite.instance import Instance, Maximiser
from dppca.reference.catalog import ALGORITHMS

#: Modules below this package that hold audits, in the order in which they are run and reported.
MODULES = (
    "wang2020.audits",
    "singhal2021.audits",
    "singhal2021.audits_gap_threshold",
    "shang2021.audits",
    "liu2022.audits",
    "baselines.audits",
    "baselines.audits_dp_sgd",
)

#: (algorithm, reading, "output", "exact or transcript" or "any") to the reason why there is no such audit.
WITHOUT: dict[tuple[str, str, str], str] = {}


def maximisers() -> dict[str, Maximiser]:
    """Return the pair at which an algorithm's releases reach their declared sensitivities, by algorithm.

    It is that of the declared example, unless a module of audits names another one in MAXIMISERS.
    """
    examples = {key: entry.example for key, entry in ALGORITHMS.items() if entry.private}
    found = {key: Maximiser({}, (example.data, example.neighbour)) for key, example in examples.items()}
    for name in MODULES:
        found |= import_module(f"dppca.audit.suite.{name}").MAXIMISERS
    return found


def instances() -> list[Instance]:
    """Return every instance, in the order of the modules."""
    return [each for name in MODULES for each in import_module(f"dppca.audit.suite.{name}").AUDITS]
