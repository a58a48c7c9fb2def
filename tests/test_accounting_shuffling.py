"""The account of shuffling: against sums over the clones, and what is stored."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from flint import arb, ctx
from scipy.stats import binom

from dppca.audit.suite.accounts import gaussian_delta
from dppca.reference.accounting import shuffling
from dppca.reference.accounting.shuffling import ShuffleCertificate, certified_multiplier, certify_shuffle


@pytest.mark.parametrize(("n", "epsilon", "delta"), [(1, 1.0, 1e-3), (40, 0.5, 1e-4), (1000, 0.3, 1e-6)])
def test_shuffling_is_enclosed(n: int, epsilon: float, delta: float) -> None:
    """Clones of every number by sums of binomial probabilities, no blocks; and the float account beside it."""
    found = certified_multiplier(epsilon, delta, n)
    assert 0.95 * delta <= found.delta <= delta
    assert ShuffleCertificate.from_json(found.to_json()).check()
    if found.epsilon_0 == 0.0:
        assert found.delta == pytest.approx(gaussian_delta(epsilon, 1 / found.multiplier), rel=1e-6)
        return
    q, keep, growth = 1 / (1 + math.exp(-found.epsilon_0)), math.exp(-found.epsilon_0), math.exp(epsilon)
    total = 0.0
    for c in range(n):
        p = np.append(0.0, binom.pmf(np.arange(c + 1), c, 0.5))
        here = np.append(binom.pmf(np.arange(c + 1), c, 0.5), 0.0)
        one, other = q * p + (1 - q) * here, (1 - q) * p + q * here
        total += binom.pmf(c, n - 1, keep) * float(np.sum(np.maximum(one - growth * other, 0.0)))
    local = (1 + growth) * (1 + 2 * (n - 1) * keep) * gaussian_delta(found.epsilon_0, 1 / found.multiplier)
    assert total + local <= found.delta * (1 + 1e-9)
    assert found.delta <= 1.1 * (total + local)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("n", -5),
        ("multiplier", -1.0),
        ("epsilon", -1.0),
        ("epsilon_0", -1.0),
        ("epsilon_0", math.nan),
        ("least", -1),
        ("most", 40),
        ("blocks", 0),
    ],
)
def test_a_stored_account_of_shuffling_is_of_something(name: str, value: float) -> None:
    """With a negative multiplier the profile is negative, and the arithmetic would prove delta = 0."""
    found = certify_shuffle(40, 5.9, 0.5)
    stored = json.loads(found.to_json()) | {name: value.hex() if isinstance(value, float) else value}
    with pytest.raises(ValueError, match=f"{name} must be"):
        ShuffleCertificate.from_json(json.dumps(stored))


@pytest.mark.parametrize("fields", [{"blocks": 1}, {"least": 5, "blocks": 3}, {"least": 30, "most": 30}, {"epsilon_0": 3.0}])
def test_however_clones_are_divided_it_is_a_bound(fields: dict[str, Any]) -> None:
    """Fewer blocks, clones charged in full, another epsilon_0: never below the division that the search takes."""
    found = certify_shuffle(40, 5.9, 0.5)
    assert replace(found, **fields).bound() > found.delta


def shuffled(n: int, epsilon: float, epsilon_0: float) -> ShuffleCertificate:
    return ShuffleCertificate(n, 5.9, epsilon, 1.0, epsilon_0, 0, n - 1, 7)


@pytest.mark.parametrize("epsilon", [1e-300, 1e-50, 1e-9])
@pytest.mark.parametrize("epsilon_0", [0.0, 1e-300, 1e-50, 1e-9, 1e-5])
def test_a_threshold_that_the_arithmetic_cannot_tell_is_charged(epsilon: float, epsilon_0: float) -> None:
    """Near epsilon = epsilon_0 = 0 its ball holds many integers: a bound all the same, not below the one of no clones."""
    unamplified = gaussian_delta(0.0, 1 / 5.9)
    for n in (2, 40):
        assert unamplified / n <= shuffled(n, epsilon, epsilon_0).bound() <= 1.0


@pytest.mark.parametrize("radius", [0.0, 1e-40, 0.01, 0.3, math.inf])
def test_clones_at_a_threshold_that_is_an_integer_are_enclosed(radius: float) -> None:
    """A = B = 1/4, three clones: at 2 and at 3 heads of Bin(3, 1/2) A (P(>= x) + P(x - 1)) - B P(>= x) is 3/32."""
    with ctx.workprec(160):
        found = shuffling._clone_divergence(3, arb(0.25, radius), arb(0.25))
        assert found.upper() >= arb(3) / 32
        assert radius > 1e-9 or found.upper() < arb(3) / 32 + arb("1e-30")


def test_up_to_so_many_records_a_multiplier_is_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shuffling, "CERTIFY_RECORDS", 5)
    monkeypatch.setattr(shuffling, "shuffled_multiplier", lambda epsilon, delta, n: 7.0)
    monkeypatch.setattr(shuffling, "certified_multiplier", lambda epsilon, delta, n: shuffled(n, epsilon, 0.0))
    proof = shuffled(5, 0.5, 0.0)
    assert [shuffling.account_multiplier(0.5, 1e-3, n) for n in (5, 6)] == [(5.9, proof), (7.0, None)]
