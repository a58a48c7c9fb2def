"""At the pairs that the notes name, releases change by exactly the stated share of what they declare; no release by more."""

from __future__ import annotations

import pytest

from dppca.audit.suite.audits import maximisers
from dppca.reference.catalog import ALGORITHMS

MAXIMISERS = {f"{key}-": each for key, each in maximisers().items()}


@pytest.mark.parametrize("key", MAXIMISERS)
def test_the_named_maximisers_reach_the_sensitivity(key: str) -> None:
    assert not (faults := MAXIMISERS[key].faults(ALGORITHMS[key[:-1]])), f"{key[:-1]}: " + "; ".join(faults)
