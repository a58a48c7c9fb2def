"""Audits of other people's DP-PCA: the adapters in the place of the catalogue's exponential mechanism.

What is known to be wrong is expected to be REFUTED (audit/findings/); of what is not, only the claim is known.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from types import ModuleType

from dppca.audit.adapters.divided import tie_epsilon
from dppca.audit.suite import foreign
from dppca.audit.suite.instance import Instance, Output
from dppca.audit.suite.instances import baselines

#: Versions whose sampler divides where it must multiply: audit/findings/bingham-acceptance-ratio.md.
DIVIDES = {"diffprivlib": ("0.6.6",), "opendp": ("0.16.0",)}
#: Trials where nothing is known to be found (a call takes up to 0.05 s), and where something is: in a simulation of the
#: divided law 7000 refuted with all of 30 seeds, 4000 with 27.
_TRIALS, _TRIALS_TO_REFUTE = 200, 7000
_TIE = "e1/e2 on a tie, d=6, output"


def instances(adapter: ModuleType) -> Iterator[Instance]:
    """The audits of one adapter, whose module is named after the package."""
    package = adapter.__name__.rpartition(".")[2]
    for name, algorithms in (("mechanism", adapter.MECHANISM), ("PCA", adapter.PCA)):
        taken, _ = foreign.audits(algorithms, list(baselines.exponential_instances()))
        for instance in taken:
            if name == "mechanism" and package == "diffprivlib" and "k=2" in instance.name:
                continue  # it draws one direction
            wrong = name == "mechanism" and instance.name == _TIE and adapter.VERSION in DIVIDES[package]
            how = instance.how
            if not isinstance(how, Output):
                raise TypeError(f"instance must be an output audit, got {instance.id}")
            trials = _TRIALS_TO_REFUTE if wrong else _TRIALS
            epsilon = tie_epsilon(6, 100, instance.claim.epsilon / 4.0) if wrong else None
            yield replace(
                instance,
                algorithm=f"{package}.{name}",
                choice=adapter.VERSION,
                how=replace(how, trials=trials, least=trials),
                holds=epsilon is None or epsilon <= instance.claim.epsilon,
                exact_epsilon=epsilon,
            )


def load(package: str) -> ModuleType:
    """The adapter of a package; ImportError where its extra is not installed."""
    return import_module(f"dppca.audit.adapters.{package}")
