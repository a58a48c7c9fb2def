"""Audits of other people's DP-PCA: the adapters in the place of the catalogue's exponential mechanism.

What is known to be wrong is expected to be REFUTED (audit/findings/); of what is not, only the claim is known.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from types import ModuleType

from dppca.audit.suite.instance import Instance, Output

#: Versions whose sampler divides where it must multiply: audit/findings/bingham-acceptance-ratio.md.
DIVIDES = {"diffprivlib": ("0.6.6",), "opendp": ("0.16.0",)}
#: Epsilon of such a sampler on the tie in six dimensions at the claim epsilon = 2 (tests/suite/test_expected.py derives it).
DIVIDED_EPSILON = 3.28235
#: Trials where nothing is known to be found (a call takes up to 0.05 s), and where something is: in a simulation of the
#: divided law 7000 refuted with all of 30 seeds, 4000 with 27.
_TRIALS, _TRIALS_TO_REFUTE = 200, 7000
_TIE = "e1/e2 on a tie, d=6, output"


def instances(adapter: ModuleType) -> Iterator[Instance]:
    """Yield the audits of one adapter, whose module is named after the package."""
    from dppca.audit.suite import implementations  # noqa: PLC0415 - the whole catalogue, where the extra is installed
    from dppca.audit.suite.baselines import audits as baselines  # noqa: PLC0415 - the same

    own = [instance for instance in baselines.AUDITS if instance.algorithm == baselines.EXPONENTIAL]
    package = adapter.__name__.rpartition(".")[2]
    for name, algorithms in (("mechanism", adapter.MECHANISM), ("PCA", adapter.PCA)):
        for instance in implementations.audits(algorithms, own):
            if instance.choice != implementations.OWN:
                continue  # another sampler draws from the law but for what is known to be wrong with it
            how = instance.built()
            if name == "mechanism" and package == "diffprivlib" and isinstance(how, Output) and (how.arguments or {})["k"] != 1:
                continue  # it draws one direction
            wrong = name == "mechanism" and instance.name == _TIE and adapter.VERSION in DIVIDES[package]
            trials = _TRIALS_TO_REFUTE if wrong else _TRIALS
            yield replace(
                instance,
                algorithm=f"{package}.{name}",
                choice=adapter.VERSION,
                trials=trials,
                least=trials,
                seconds=None,
                expected="REFUTED" if wrong else "NOT REFUTED",
                epsilon=DIVIDED_EPSILON if wrong else None,
                because="amin2019.eigenvector-sensitivity" if wrong else "",
            )


def load(package: str) -> ModuleType:
    """Return the adapter of a package; ImportError where its extra is not installed."""
    return import_module(f"dppca.audit.adapters.{package}")
