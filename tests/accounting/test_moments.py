"""The accounts by moments: against quadrature, transforms of the worst pair, and what a search must find."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from dppca.audit.suite.accounting.composition import mixture_pair, pair_delta, reduced_pair, steps_delta
from dppca.reference.accounting import (
    SmallSteps,
    VarianceReduced,
    checker,
    smallest_std,
)
from dppca.reference.accounting.checker import RenyiProof
from dppca.reference.accounting.moments import MANY_SMALL_STEPS, RENYI_MOMENTS


@pytest.mark.parametrize(
    ("n", "steps", "std", "epsilon"), [(100, 10_000, 4.5, 1.0), (1000, 10**6, 4.0, 1.0), (30, 900, 6.0, 0.6)]
)
def test_small_steps_cover_the_pair_of_one_row(n: int, steps: int, std: float, epsilon: float) -> None:
    """The composed pair `remove`, by a plain FFT; and the bound is no more than a few times that."""
    exact = pair_delta(mixture_pair(1 / n, 1 / std, 11.0, 40_000), steps, epsilon, points=2**20)
    found = MANY_SMALL_STEPS.prove(SmallSteps(n, 1, steps, 1.0, 1.0, 0.0, "ball"), std, epsilon, exact)
    assert exact <= found.delta <= 8.0 * exact
    assert found.check()
    assert not replace(found, std=0.99 * std).check()


def test_without_a_bound_delta_is_1() -> None:
    assert MANY_SMALL_STEPS.prove(SmallSteps(10, 1, 1000, 1.0, 1.0, 0.0, "ball"), 0.05, 1.0, 1e-5).delta == 1.0


FEW = VarianceReduced(20, 150, 1.0, "ball")


@pytest.mark.parametrize(
    ("n", "steps", "std", "epsilon"), [(10, 50, 4.3, 0.5), (20, 150, 6.8, 0.2), (100, 10_000, 4.5, 1.0), (5, 1, 4.0, 0.1)]
)
def test_the_worst_pair_composed_is_covered(n: int, steps: int, std: float, epsilon: float) -> None:
    exact = pair_delta(reduced_pair(n, 1 / std), steps, epsilon)
    found = RENYI_MOMENTS.prove(VarianceReduced(n, steps, 1.0, "ball"), std, epsilon, exact)
    assert exact <= found.delta <= (1.0 if steps == 1 else 60.0 * exact)


@pytest.mark.parametrize(("n", "steps", "epsilon", "delta"), [(10, 50, 0.5, 1e-3), (50, 300, 0.3, 1e-4), (30, 1000, 1.0, 1e-5)])
def test_few_steps_need_at_most_three_tenths_more_than_their_worst_pair(
    n: int, steps: int, epsilon: float, delta: float
) -> None:
    found = smallest_std(VarianceReduced(n, steps, 1.0, "ball"), epsilon, delta)
    assert found.certificate is not None
    assert found.certificate.kind == "renyi"
    assert found.std >= 4.0
    assert steps_delta([(*reduced_pair(n, 1.3 / found.std), steps)], epsilon) > delta


@pytest.mark.parametrize("shape", ["ball", "diameter"])
@pytest.mark.parametrize(("std", "count", "epsilon"), [(2.0, 10, 0.2), (8.0, 4000, 1.0), (100.0, 10**6, 1.0)])
def test_the_estimate_is_the_certificates_delta(shape: Any, std: float, count: int, epsilon: float) -> None:
    steps = replace(FEW, shape=shape, steps=count)
    order = RENYI_MOMENTS.propose(steps, std, epsilon, 1e-3).order
    proved = checker.bound(steps, std, epsilon, RenyiProof(order))
    assert proved == pytest.approx(RENYI_MOMENTS.delta(steps, std, epsilon), rel=1e-6)
    for other in (order - 1, order + 1):
        if 2 <= other <= 96:
            assert checker.bound(steps, std, epsilon, RenyiProof(other)) >= proved


def test_little_noise_gives_no_bound() -> None:
    for account in (RENYI_MOMENTS, MANY_SMALL_STEPS):
        assert account.delta(FEW, 0.3, 0.2) == 1.0
        assert account.prove(FEW, 0.3, 0.2, 1e-3).delta == 1.0


@pytest.mark.parametrize("std", [0.52, 0.6, 0.75, 0.76])
def test_far_apart_values_have_an_estimate_too(std: float) -> None:
    """Where high moments are beyond floats the orders that count are not."""
    steps = VarianceReduced(10**6, 3, 1.0, "ball")
    order = RENYI_MOMENTS.propose(steps, std, 5.0, 1e-3).order
    proved = {p: checker.bound(steps, std, 5.0, RenyiProof(p)) for p in range(2, 8)}
    assert order == min(proved, key=lambda p: proved[p])
    assert RENYI_MOMENTS.delta(steps, std, 5.0) == pytest.approx(proved[order], rel=1e-6)


@pytest.mark.parametrize("shape", ["ball", "diameter"])
@pytest.mark.parametrize(
    ("n", "steps", "std", "epsilon"), [(100, 10_000, 4.5, 1.0), (1000, 10**6, 4.0, 0.5), (50, 300, 3.0, 0.3)]
)
def test_the_estimate_of_many_small_steps_is_the_proofs_delta(
    shape: Any, n: int, steps: int, std: float, epsilon: float
) -> None:
    of = SmallSteps(n, 1, steps, 1.0, 1.0, 0.5, shape)
    estimate = MANY_SMALL_STEPS.delta(of, std, epsilon, 1e-4)
    assert 0.0 < estimate < 0.5
    assert MANY_SMALL_STEPS.prove(of, std, epsilon, 1e-4).delta == pytest.approx(estimate, rel=1e-6)
    # The parameters that are tried are a few percent apart, and other ones where no size of delta is given.
    assert MANY_SMALL_STEPS.delta(of, std, epsilon) <= 1.05 * estimate


def test_the_best_choice_of_the_parameters_is_proposed() -> None:
    """None of those around it, three times as large or as small, gives a smaller delta."""
    of, std, epsilon = SmallSteps(100, 1, 10_000, 1.0, 1.0, 0.0, "ball"), 4.5, 1.0
    found = MANY_SMALL_STEPS.prove(of, std, epsilon, 1e-3)
    for name in ("start", "range"):
        for factor in (1 / 3, 3.0):
            other = replace(found.proof, **{name: factor * getattr(found.proof, name)})
            assert checker.bound(of, std, epsilon, other) > 0.999 * found.delta
