"""At the pairs that the notes name, releases change by exactly as much as they declare; no release by more."""

from __future__ import annotations

import pytest

from dppca.audit.suite.instances import maximisers
from dppca.reference.catalog import ALGORITHMS

MAXIMISERS = {f"{key}-": each for key, each in maximisers().items()}


@pytest.mark.parametrize("key", MAXIMISERS)
def test_the_named_maximisers_reach_the_sensitivity(key: str) -> None:
    found = MAXIMISERS[key].lockstep(ALGORITHMS[key[:-1]])
    assert not found.violations
    assert MAXIMISERS[key].reached(found) == pytest.approx(dict.fromkeys(MAXIMISERS[key].releases, 1.0), rel=1e-9)
