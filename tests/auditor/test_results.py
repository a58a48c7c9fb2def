"""Claims and results."""

from __future__ import annotations

import math

import pytest

from dppca import audit


@pytest.mark.parametrize(("epsilon", "delta"), [(-1.0, 0.0), (math.nan, 0.0), (math.inf, 0.0), (1.0, 1.0), (1.0, -0.1)])
def test_bad_claims_are_refused(epsilon: float, delta: float) -> None:
    with pytest.raises(ValueError, match=r"(epsilon|delta) must be"):
        audit.Claim(epsilon, delta)


def test_a_claim_may_be_of_epsilon_zero() -> None:
    assert audit.Claim(0.0, 0.1) == audit.Claim(epsilon=0, delta=0.1)
    for epsilon in (-1e-9, math.inf, math.nan):
        with pytest.raises(ValueError, match="epsilon must be finite and >= 0, got"):
            audit.Claim(epsilon)
