"""The account behind each calibration is of the mechanism that runs."""

from __future__ import annotations

import pytest

from dppca.audit.suite.accounting.spent_budget import CASES
from dppca.audit.suite.accounting.stated_accounts import accounted, statement_faults


@pytest.mark.parametrize("key", [f"{key}-" for key in accounted()])
def test_an_account_is_of_the_mechanism_that_runs(key: str, request: pytest.FixtureRequest) -> None:
    option = request.config.getoption
    faults = statement_faults(key[:-1], CASES[option("--budget")], option("--seed"))
    assert not faults, "\n".join(faults[:4])
