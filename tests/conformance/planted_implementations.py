"""Implementations for the tests of the suite: with a planted bug, and one that can be audited too."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

from dppca.reference.conformance.bugs import BUGS
from dppca.reference.conformance.implementation import Reference
from tests.conformance.foreign_implementations import RIGHT


class Planted:
    """The reference with a bug, for liu2022's Algorithm 2 as corrected alone."""

    def __init__(self, bug: str) -> None:
        self._bug = BUGS[bug]

    def supports(self, algorithm: str, choice: str) -> bool:
        return (algorithm, choice) == ("liu2022.private_oja", "CORRECTED")

    def run(self, **case: Any) -> Mapping[str, Any]:
        with self._bug():
            return Reference(trace=False).run(**case)


no_clipping = Planted("no-clipping")
supports_nothing = SimpleNamespace(run=Reference(trace=False).run, supports=lambda *_: False)
audited_too = SimpleNamespace(run=Reference(trace=False).run, algorithms=RIGHT)


def _crash(**arguments: Any) -> Any:
    return arguments["seed"]


crashes = SimpleNamespace(run=_crash)
