"""The instances that `pytest audit/` runs, one module per paper, and for the baselines."""

from __future__ import annotations

from importlib import import_module

from dppca.audit.suite.instance import Audits, Instance, Maximiser

MODULES = ("wang2020", "singhal2021", "singhal2021_gap_threshold", "shang2021", "liu2022", "baselines", "dp_sgd")

#: (algorithm, reading, "output", "exact or transcript" or "any") to the reason why there is no such audit.
WITHOUT: dict[tuple[str, str, str], str] = {}


def audits() -> list[Audits]:
    """Return the audits of every algorithm."""
    return [each for name in MODULES for each in import_module(f"{__name__}.{name}").AUDITS]


def maximisers() -> dict[str, Maximiser]:
    """Return the pair at which an algorithm's releases reach their declared sensitivities, by algorithm."""
    return {key: each for name in MODULES for key, each in import_module(f"{__name__}.{name}").MAXIMISERS.items()}


def instances() -> list[Instance]:
    """Return every instance, in the order of the modules."""
    return [instance for each in audits() for instance in each.instances]
