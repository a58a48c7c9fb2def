"""Variance-reduced steps: against their worst pair, composed by a plain transform, and the best of all accounts."""

from __future__ import annotations

import math

import pytest

from dppca.audit.suite.accounting.composition import reduced_pair, steps_delta
from dppca.audit.suite.accounting.known_cases import VRPCA_CASES, variance_reduced_covers
from dppca.reference.accounting import (
    VarianceReduced,
    checker,
    delta_at,
    smallest_std,
)
from dppca.reference.accounting.moments import MANY_SMALL_STEPS, RENYI_MOMENTS
from dppca.reference.accounting.variance_reduced import SPLIT_NOISE


@pytest.mark.parametrize(
    ("n", "steps", "std", "epsilon", "better"),
    [
        (2, 1, 9.0, 0.3, "grid"),
        (50, 400, 3.6, 0.5, "renyi"),
        pytest.param(1000, 10**6, 4.4, 1.0, "small-steps", marks=pytest.mark.slow),
    ],
)
def test_a_delta_of_variance_reduced_steps_is_the_best_of_all_accounts(
    n: int, steps: int, std: float, epsilon: float, better: str
) -> None:
    """Whichever is the best one."""
    of = VarianceReduced(n, steps, 1.0, "ball")
    accounts = {"renyi": RENYI_MOMENTS, "small-steps": MANY_SMALL_STEPS, "grid": SPLIT_NOISE}
    best = delta_at(of, std, epsilon)
    found = {name: account.prove(of, std, epsilon, best.delta).delta for name, account in accounts.items()}
    assert min(found, key=lambda name: found[name]) == better
    assert best.certificate is not None
    assert best.certificate.kind == better
    assert best.delta == pytest.approx(found[better], rel=1e-4)


def test_a_certified_std_of_variance_reduced_steps_has_at_most_its_delta() -> None:
    account = VarianceReduced(1000, 5000, 1.0, "ball", drift=0.1)
    found = smallest_std(account, 0.5, 1e-2)
    assert found.certified
    again = delta_at(account, found.std, 0.5)
    assert again.certified
    assert again.delta <= 1e-2


def test_a_certified_delta_of_variance_reduced_steps_is_preferred_to_an_estimate(monkeypatch: pytest.MonkeyPatch) -> None:
    """Here the split, once it is certified, is the best account; where that would take too long it does not count."""
    account, std, epsilon = VarianceReduced(2, 1, 1.0, "ball"), 9.0, 0.3
    every = delta_at(account, std, epsilon)
    monkeypatch.setattr(checker, "seconds", lambda _, __, proof: math.inf if isinstance(proof, checker.GridProof) else 0.0)
    found = delta_at(account, std, epsilon)
    assert every.certified
    assert found.certified
    assert every.delta < 0.8 * found.delta < 0.8
    assert found.delta == RENYI_MOMENTS.prove(account, std, epsilon, 0.1).delta
    no_bound = delta_at(account, 1.0, epsilon)  # the others say nothing here
    assert not no_bound.certified
    assert no_bound.delta < 1.0


@pytest.mark.parametrize(("n", "steps", "std", "epsilon"), VRPCA_CASES)
def test_variance_reduced_steps_covers_its_worst_pair(n: int, steps: int, std: float, epsilon: float) -> None:
    assert variance_reduced_covers(n, steps, std, epsilon)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "steps", "epsilon", "delta"), [(1000, 10**6, 1.0, 1e-5), (100, 10_000, 0.1, 1e-5), (100, 10_000, 1.0, 1e-5)]
)
def test_variance_reduced_steps_is_within_a_third_of_its_worst_pair(n: int, steps: int, epsilon: float, delta: float) -> None:
    """The std that the pair itself needs, by bisection over a plain FFT."""
    found = smallest_std(VarianceReduced(n, steps, 1.0, "ball"), epsilon, delta)
    assert found.certified
    assert found.std >= 4.0
    assert steps_delta([(*reduced_pair(n, 1.3 / found.std), steps)], epsilon, points=2**20) > delta


def test_the_sign_of_print_costs_more() -> None:
    one, other = (smallest_std(VarianceReduced(100, 10**4, 1.0, "ball", sign=sign), 1.0, 1e-5).std for sign in (-1, 1))
    assert other > 2.0 * one
