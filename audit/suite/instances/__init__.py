"""The instances that `pytest audit/` runs, one module per paper and one for the baselines."""

from __future__ import annotations

from importlib import import_module

from dppca.audit.suite.instance import Audits, Instance

MODULES = ("wang2020", "singhal2021", "shang2021", "liu2022", "baselines")


def audits() -> list[Audits]:
    """Return the audits of every algorithm."""
    return [each for name in MODULES for each in import_module(f"{__name__}.{name}").AUDITS]


def instances() -> list[Instance]:
    """Return every instance, in the order of the modules."""
    return [instance for each in audits() for instance in each.instances]
