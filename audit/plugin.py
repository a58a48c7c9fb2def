"""A pytest plugin: the fixture `audit`, with the run's seed and budget, in any project that has this package installed.

    def test_mine(audit):
        verdict = audit.check(mechanism, data, neighbour, audit.Claim(epsilon=1.0))
        assert not verdict.refuted, verdict

Every call in a test draws from a seed of its own, made from --audit-seed, the test's id and the call's number; the
verdict's bound holds that seed. `trials` counts at the standard budget and is multiplied by that of --audit-budget.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from dppca.audit.engine.results import Claim, LowerBound, Verdict

TRIALS, TRANSCRIPT_TRIALS = 100_000, 10_000
_FACTORS = {"quick": 0.2, "standard": 1.0, "deep": 10.0}


class Auditor:
    """`audit.check`, `audit.lower_bound` and `audit.transcript_lower_bound` with seed and trials filled in."""

    def __init__(self, seed: int, factor: float) -> None:
        self._seed = seed
        self._factor = factor
        self._calls = 0

    @property
    def Claim(self) -> type[Claim]:
        """`audit.Claim`."""
        from dppca.audit.engine.results import Claim  # noqa: PLC0415 - see audit/__init__.py

        return Claim

    def check(
        self, mechanism: Any, data: Any, neighbour: Any, claim: Claim, *, trials: int = TRIALS, **options: Any
    ) -> Verdict:
        """`audit.check`; options as there."""
        from dppca.audit.engine.output_view import check  # noqa: PLC0415

        return check(mechanism, data, neighbour, claim, **self._run(trials), **options)

    def lower_bound(self, mechanism: Any, data: Any, neighbour: Any, *, trials: int = TRIALS, **options: Any) -> LowerBound:
        """`audit.lower_bound`; options as there."""
        from dppca.audit.engine.output_view import lower_bound  # noqa: PLC0415

        return lower_bound(mechanism, data, neighbour, **self._run(trials), **options)

    def transcript_lower_bound(
        self, algorithm: Any, data: Any, neighbour: Any, *, delta: float, trials: int = TRANSCRIPT_TRIALS, **options: Any
    ) -> LowerBound:
        """`audit.transcript_lower_bound`; options as there."""
        from dppca.audit.engine.transcript_view import transcript_lower_bound  # noqa: PLC0415

        return transcript_lower_bound(algorithm, data, neighbour, delta=delta, **self._run(trials), **options)

    def _run(self, trials: int) -> dict[str, int]:
        self._calls += 1
        digest = hashlib.sha256(f"{self._seed} {self._calls}".encode()).digest()
        return {"trials": int(trials * self._factor), "seed": int.from_bytes(digest[:8], "big")}


def pytest_addoption(parser: pytest.Parser) -> None:
    """The run's seed and budget."""
    group = parser.getgroup("audit fixture")
    group.addoption("--audit-seed", type=int, default=0, help="seed of all that the fixture `audit` runs (default: 0)")
    group.addoption(
        "--audit-budget", choices=sorted(_FACTORS), default="standard", help="how many trials it runs (default: standard)"
    )


@pytest.fixture
def audit(request: pytest.FixtureRequest) -> Auditor:
    """Audits mechanisms with the run's seed and budget: `audit.check`, `.lower_bound`, `.transcript_lower_bound`."""
    seed = hashlib.sha256(f"{request.config.getoption('--audit-seed')} {request.node.nodeid}".encode()).digest()
    return Auditor(int.from_bytes(seed[:8], "big"), _FACTORS[request.config.getoption("--audit-budget")])
