"""At the pairs that the notes name, releases change by exactly as much as they declare; no release by more."""

from __future__ import annotations

import re

import numpy as np
import pytest

from dppca.audit.suite.instances import maximisers
from dppca.reference.catalog import ALGORITHMS
from dppca.reference.noise import lockstep

MAXIMISERS = {f"{key}-": each for key, each in maximisers().items()}


@pytest.mark.parametrize("key", MAXIMISERS)
def test_the_named_maximisers_reach_the_sensitivity(key: str) -> None:
    entry, maximiser = ALGORITHMS[key[:-1]], MAXIMISERS[key]
    arguments = {**entry.example.arguments, **maximiser.arguments}
    found = lockstep(entry.bind(**arguments, choices=entry.choices["CORRECTED"]), *maximiser.pair, np.random.default_rng(1))
    assert not found.violations
    for name in maximiser.releases:
        shares = [r.change / r.sensitivity for r in found.releases if re.fullmatch(name, r.name)]
        assert max(shares) == pytest.approx(1.0, rel=1e-9), (name, [(r.name, r.change) for r in found.releases])
