"""The account on a grid: against closed forms, brute force, and dp-accounting."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from dp_accounting.pld import privacy_loss_distribution as pld

from dppca.audit.suite.accounting.composition import gaussian_delta, mixture_pair
from dppca.audit.suite.accounting.known_cases import one_step_delta, two_steps
from dppca.audit.suite.accounting.lower_bounds import lower_delta, pair_lower_delta
from dppca.reference.accounting import (
    FixedBatch,
    Grid,
    Mechanism,
    Poisson,
    UniformIndex,
    certify,
    estimate_delta,
)
from dppca.reference.accounting.floating import composed_delta, settled
from dppca.reference.accounting.grid import FloatLaw


@pytest.mark.parametrize(("q", "r", "epsilon"), [(0.5, 1.0, 0.3), (0.01, 2.0, 0.05), (0.9, 0.4, 0.2), (1 / 3, 3.0, 1.0)])
def test_one_step_is_the_closed_form(q: float, r: float, epsilon: float) -> None:
    exact = max(one_step_delta(q, r, epsilon))
    found = certify(Mechanism(Poisson(q), 1, r), 1.0, epsilon, exact)
    assert exact <= found.delta <= 1.003 * exact
    assert estimate_delta(Mechanism(Poisson(q), 1, r), 1.0, epsilon, like=exact) == pytest.approx(found.delta, rel=1e-3)


@pytest.mark.parametrize(("q", "r", "epsilon"), [(0.3, 1.0, 0.2), (0.05, 2.0, 0.1), (0.7, 0.5, 0.4)])
def test_two_steps_are_those_of_brute_force(q: float, r: float, epsilon: float) -> None:
    mixture, base = mixture_pair(q, r, 9.0, 2400)
    exact = max(two_steps(mixture, base, epsilon), two_steps(base, mixture, epsilon))
    mechanism = Mechanism(Poisson(q), 2, r)
    found = certify(mechanism, 1.0, epsilon, exact).delta
    assert exact * (1 - 1e-4) <= found <= 1.003 * exact
    assert 0.99 * exact <= lower_delta(mechanism, 1.0, epsilon, exact) <= exact * (1 + 1e-3)
    replaced = certify(Mechanism(UniformIndex(round(1 / q)), 2, r), 1.0, epsilon, exact).delta
    assert replaced >= exact * (1 - 1e-4) or abs(round(1 / q) * q - 1) > 1e-9


@pytest.mark.parametrize("sampling", [UniformIndex(1), FixedBatch(7, 7), Poisson(1.0)])
def test_no_sampling_is_one_gaussian_release(sampling: Any) -> None:
    for steps, std, epsilon in ((1, 1.0, 1.0), (50, 9.0, 0.5), (1000, 120.0, 1.0)):
        exact = gaussian_delta(epsilon, math.sqrt(steps) / std)
        found = certify(Mechanism(sampling, steps, 1.0), std, epsilon, exact)
        assert exact <= found.delta <= 1.004 * exact


def test_unsampled_releases_add_their_squares() -> None:
    """n = 1: a step is Gaussian too, so everything is one release."""
    mechanism = Mechanism(UniformIndex(1), 16, 1.0, unsampled=2.0, fixed_ratio=0.3)
    exact = gaussian_delta(0.7, math.sqrt(16 / 64 + 4 / 64 + 0.09))
    assert exact <= certify(mechanism, 8.0, 0.7, exact).delta <= 1.004 * exact


@pytest.mark.parametrize(
    ("rate", "steps", "std", "epsilon"),
    [(0.1, 100, 2.0, 1.0), (0.01, 1000, 1.0, 0.5), (0.02, 2000, 3.0, 0.2), (0.5, 5, 0.5, 1.0)],
)
def test_poisson_is_dp_accountings(rate: float, steps: int, std: float, epsilon: float) -> None:
    high = (
        pld.from_gaussian_mechanism(std, 1.0, True, 1e-4, sampling_prob=rate).self_compose(steps).get_delta_for_epsilon(epsilon)
    )
    mechanism = Mechanism(Poisson(rate), steps, 1.0)
    found = certify(mechanism, std, epsilon, high).delta
    assert lower_delta(mechanism, std, epsilon, high) <= high
    assert found == pytest.approx(high, rel=3e-3)


@pytest.mark.parametrize(("n", "steps", "std", "epsilon"), [(10, 100, 2.0, 1.0), (100, 1000, 20.0, 0.05), (3, 7, 1.0, 0.5)])
def test_replacing_costs_at_least_each_pair(n: int, steps: int, std: float, epsilon: float) -> None:
    """No account of a replaced row can be below `remove`, `add` or the triangle."""
    mechanism = Mechanism(UniformIndex(n), steps, 1.0)
    upper = certify(mechanism, std, epsilon, 1e-4).delta
    assert all(0.0 < pair_lower_delta(mechanism, std, epsilon, pair, 1e-4) < upper for pair in ("remove", "add", "triangle"))


def test_a_batch_is_an_index_of_its_rate() -> None:
    one, other = Mechanism(UniformIndex(10), 30, 1.0), Mechanism(FixedBatch(1000, 100), 30, 1.0)
    assert certify(one, 1.5, 0.5, 1e-2).delta == certify(other, 1.5, 0.5, 1e-2).delta


@pytest.mark.parametrize("ratio", [4.0, 6.0, 8.0, 10.0])
@pytest.mark.parametrize("sampling", [UniformIndex(1), UniformIndex(7), Poisson(1.0), Poisson(0.2)])
def test_an_estimate_of_large_losses_is_not_too_small(ratio: float, sampling: Any) -> None:
    """From losses of 37 on e^-loss is below the rounding error of 1, so that nothing is left of it in 1 - e^-loss.

    Drawn with probability q, a row has q times the delta of the release at log(1 + (e^epsilon - 1) / q).
    """
    q, mechanism = float(sampling.rate), Mechanism(sampling, 1, ratio)
    for epsilon in (0.5 * ratio * ratio, 0.5 * ratio * ratio + ratio, 0.5 * ratio * ratio + 3.0 * ratio):
        exact = q * gaussian_delta(math.log1p(math.expm1(epsilon) / q), ratio)
        found = estimate_delta(mechanism, 1.0, epsilon, like=exact)
        assert (1.0 - 1e-8) * exact <= found <= 1.3 * exact


def test_the_largest_loss_counts_as_long_as_it_exceeds_epsilon() -> None:
    """Losses 0, 1 and 2 with masses 1/2, 1/4 and 1/4: at 3/2 delta is (1 - e^-0.5) / 4, from 2 on what is infinite."""
    one, grid = FloatLaw(0, np.array([0.5, 0.25, 0.25]), 0.0), Grid(0, 2, 1)
    assert composed_delta(one, grid, 1, 1.5, 0.0) == pytest.approx(0.25 * (1.0 - math.exp(-0.5)), rel=1e-9)
    assert composed_delta(one, grid, 1, 2.0, 0.0) == 0.0
    assert composed_delta(replace(one, infinite=0.1), grid, 3, 6.0, 0.0) == pytest.approx(1.0 - 0.9**3, rel=1e-12)


@pytest.mark.parametrize(
    ("delta", "asked"),
    [(1.5e-4, [1e-3, 1.5e-4]), (1e-5, [1e-3, 1e-5, 1e-5]), (1e-7, [1e-3, 1e-5, 1e-9, 1e-7]), (0.7, [1e-3, 0.5])],
)
def test_the_grid_is_made_for_a_delta_of_the_size_that_is_found(delta: float, asked: list[float]) -> None:
    """A delta above a tenth of what the grid was made for settles it."""
    seen: list[float] = []

    def estimate(like: float) -> float:
        seen.append(like)
        return delta

    assert settled(estimate) == delta
    assert seen == pytest.approx(asked, rel=1e-12)
