"""Each function of the reference that returns a guarantee returns one that holds, by itself and at random arguments."""

from __future__ import annotations

import pytest

from dppca.audit.suite.accounting.random_cases import DRAWS, FAST, SLOW, SLOW_SHARE, faults, unchecked
from dppca.reference.catalog import ALGORITHMS


@pytest.mark.algorithms(*(key for key, entry in ALGORITHMS.items() if entry.private))
@pytest.mark.parametrize("name", [*FAST, *SLOW])
def test_a_guarantee_holds(name: str, request: pytest.FixtureRequest) -> None:
    option = request.config.getoption
    draws = DRAWS[option("--budget")] // (1 if name in FAST else SLOW_SHARE)
    found = faults({**FAST, **SLOW}[name], draws, option("--seed"))
    assert not found, f"{name} promises more privacy than there is, at {len(found)} of {draws} arguments, such as: {found[0]}"


def test_every_function_that_returns_a_guarantee_is_checked() -> None:
    assert not (missing := unchecked()), f"no check in audit/suite/accounting/random_cases.py is of {', '.join(missing)}"
