"""MOD-SULQ: the noise as published."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dppca.reference.baselines import mod_sulq
from dppca.reference.primitives.gaussian import profile
from dppca.reference.primitives.row_changes import frobenius


@pytest.mark.parametrize("d", [1, 2, 5, 100])
def test_printed_beta_of_mod_sulq_suffices_for_replace_one(d: int) -> None:
    """On a grid: evidence, not proof. The profile of the exact sensitivity stays below delta."""
    for epsilon in np.geomspace(1e-3, 1e3, 25):
        for delta in (1e-12, 1e-6, 1e-2, 0.3, 0.9):
            if d == 1 and delta > 1.0 / math.sqrt(2.0 * math.pi):
                with pytest.raises(ValueError, match="delta must be <= 1 / sqrt"):
                    mod_sulq.printed_beta(epsilon, delta, 7, d)
                continue
            mu = frobenius(d) / 7 / mod_sulq.printed_beta(epsilon, delta, 7, d)
            assert profile(epsilon, mu) <= delta
