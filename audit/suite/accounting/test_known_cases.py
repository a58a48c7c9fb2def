"""The accounts that calibrations rest on are at or above what no account can be below."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from dppca.audit.suite.accounting.known_cases import EXAMINATIONS


@pytest.mark.algorithms("shang2021.dp_spca", "shang2021.dp_vrpca", "baselines.dp_sgd")
@pytest.mark.parametrize("examination", EXAMINATIONS, ids=lambda of: of.__name__)
def test_an_account_is_no_less_than_what_it_bounds(examination: Callable[[], bool]) -> None:
    assert examination(), (
        f"an account is below what it must cover, so noise calibrated by it is too small: {examination.__doc__}"
    )
