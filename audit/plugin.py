"""A pytest plugin: the fixture `audit`, with the run's seed and budget, in any project that has this package installed.

    def test_mine(audit):
        verdict = audit.check(mechanism, data, neighbour, audit.Claim(epsilon=1.0))
        audit.assert_not_refuted(verdict)

Every call in a test draws from a seed of its own, made from --audit-seed, the test's id and the call's number; the
verdict's bound holds that seed. Mechanisms run in processes of their own (`isolate=True`): one which ends its process fails its
test, and does not end the run. `trials` counts at the standard budget and is multiplied by that of --audit-budget.
"""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING, Any

import pytest

import dppca.audit  # what it exports is imported when it is asked for: see there

if TYPE_CHECKING:
    from dppca.audit.auditor.curves import GDP, RDP, ZCDP, Curve, PrivacyCurve, TradeOff
    from dppca.audit.auditor.results import Claim, LowerBound, Verdict
    from dppca.audit.execution.pair_search import PairBound, Rows
    from dppca.audit.execution.store import Store
    from dppca.audit.features import Subspace

TRIALS, TRANSCRIPT_TRIALS = 100_000, 10_000
_FACTORS = {"quick": 0.2, "standard": 1.0, "deep": 10.0}


class Auditor:
    """The functions of `dppca.audit` that run trials, with seed and trials filled in; options as there."""

    def __init__(self, seed: int, factor: float) -> None:
        self._seed = seed
        self._factor = factor
        self._calls = 0

    @property
    def Claim(self) -> type[Claim]:
        """Return the class `dppca.audit.Claim`."""
        return dppca.audit.Claim

    @property
    def GDP(self) -> type[GDP]:
        """Return the class `dppca.audit.GDP`."""
        return dppca.audit.GDP

    @property
    def RDP(self) -> type[RDP]:
        """Return the class `dppca.audit.RDP`."""
        return dppca.audit.RDP

    @property
    def ZCDP(self) -> type[ZCDP]:
        """Return the class `dppca.audit.ZCDP`."""
        return dppca.audit.ZCDP

    @property
    def PrivacyCurve(self) -> type[PrivacyCurve]:
        """Return the class `dppca.audit.PrivacyCurve`."""
        return dppca.audit.PrivacyCurve

    @property
    def TradeOff(self) -> type[TradeOff]:
        """Return the class `dppca.audit.TradeOff`."""
        return dppca.audit.TradeOff

    @property
    def Subspace(self) -> type[Subspace]:
        """Return the class `dppca.audit.Subspace`."""
        return dppca.audit.Subspace

    @property
    def Rows(self) -> type[Rows]:
        """Return the class `dppca.audit.Rows`."""
        return dppca.audit.Rows

    @property
    def Store(self) -> type[Store]:
        """Return the class `dppca.audit.Store`."""
        return dppca.audit.Store

    def assert_not_refuted(self, verdict: Verdict) -> None:
        """Call `dppca.audit.assert_not_refuted`."""
        __tracebackhide__ = True
        dppca.audit.assert_not_refuted(verdict)

    def check(
        self, mechanism: Any, data: Any, neighbour: Any, claim: Claim | Curve, *, trials: int = TRIALS, **options: Any
    ) -> Verdict:
        """Call `dppca.audit.check`."""
        return dppca.audit.check(mechanism, data, neighbour, claim, **self._run(trials, options))

    def lower_bound(self, mechanism: Any, data: Any, neighbour: Any, *, trials: int = TRIALS, **options: Any) -> LowerBound:
        """Call `dppca.audit.lower_bound`."""
        return dppca.audit.lower_bound(mechanism, data, neighbour, **self._run(trials, options))

    def lower_bound_over_pairs(self, mechanism: Any, pairs: Any, *, trials: int = TRIALS, **options: Any) -> PairBound:
        """Call `dppca.audit.lower_bound_over_pairs`."""
        return dppca.audit.lower_bound_over_pairs(mechanism, pairs, **self._run(trials, options))

    def transcript_check(
        self, algorithm: Any, data: Any, neighbour: Any, claim: Claim, *, trials: int = TRANSCRIPT_TRIALS, **options: Any
    ) -> Verdict:
        """Call `dppca.audit.transcript_check`."""
        return dppca.audit.transcript_check(algorithm, data, neighbour, claim, **self._run(trials, options))

    def transcript_lower_bound(
        self, algorithm: Any, data: Any, neighbour: Any, *, delta: float, trials: int = TRANSCRIPT_TRIALS, **options: Any
    ) -> LowerBound:
        """Call `dppca.audit.transcript_lower_bound`."""
        return dppca.audit.transcript_lower_bound(algorithm, data, neighbour, delta=delta, **self._run(trials, options))

    def transcript_lower_bound_over_pairs(
        self, algorithm: Any, pairs: Any, *, delta: float, trials: int = TRANSCRIPT_TRIALS, **options: Any
    ) -> PairBound:
        """Call `dppca.audit.transcript_lower_bound_over_pairs`."""
        return dppca.audit.transcript_lower_bound_over_pairs(algorithm, pairs, delta=delta, **self._run(trials, options))

    def _run(self, trials: int, options: dict[str, Any]) -> dict[str, Any]:
        self._calls += 1
        digest = hashlib.sha256(f"{self._seed} {self._calls}".encode()).digest()
        own = {"trials": int(trials * self._factor), "seed": int.from_bytes(digest[:8], "big")}
        return {"isolate": hasattr(os, "fork"), **options, **own}


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options for the run's seed and budget."""
    group = parser.getgroup("audit fixture")
    group.addoption("--audit-seed", type=int, default=0, help="seed of all that the fixture `audit` runs (default: 0)")
    group.addoption(
        "--audit-budget", choices=sorted(_FACTORS), default="standard", help="how many trials it runs (default: standard)"
    )


@pytest.fixture
def audit(request: pytest.FixtureRequest) -> Auditor:
    """Audits mechanisms with the run's seed and budget: `audit.check(...)` and what else `Auditor` has."""
    if request.config.getoption("--audit-seed") < 0:
        raise pytest.UsageError(f"--audit-seed must be >= 0, got {request.config.getoption('--audit-seed')}")
    seed = hashlib.sha256(f"{request.config.getoption('--audit-seed')} {request.node.nodeid}".encode()).digest()
    return Auditor(int.from_bytes(seed[:8], "big"), _FACTORS[request.config.getoption("--audit-budget")])
