"""The account of a squared hinge against plain transforms, adaptive choices and closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from flint import arb, ctx

from dppca.audit.suite.accounting.composition import gaussian_delta, mixture_pair, pair_delta, steps_delta
from dppca.reference.accounting import (
    FixedBatch,
    Grid,
    Mechanism,
    Poisson,
    UniformIndex,
    checker,
)
from dppca.reference.accounting.hinges import SQUARED_HINGE, estimate_hinge, float_law


@pytest.mark.parametrize(
    ("n", "steps", "std", "epsilon"), [(20, 300, 1.25, 0.4), (100, 1000, 1.0, 1.0), (10, 60, 2.0, 1.0), (50, 2000, 4.0, 1.0)]
)
def test_many_steps_of_each_pair_are_covered_and_delta_is_not_twice_theirs(
    n: int, steps: int, std: float, epsilon: float
) -> None:
    exact = pair_delta(mixture_pair(1 / n, 1 / std, 11.0, 40_000), steps, epsilon)
    found = SQUARED_HINGE.prove(Mechanism(UniformIndex(n, "ball"), steps, 1.0), std, epsilon, exact)
    assert exact * (1 - 1e-3) <= found.delta <= 2.0 * exact
    assert estimate_hinge(found.mechanism, std, epsilon, exact)[0] == pytest.approx(found.delta, rel=1e-3)


def adaptive_delta(n: int, ratio: float, steps: int, epsilon: float) -> float:
    """The best choice of `remove` or `add` at each step, given the product so far: by dynamic programming on a grid of log t.

    Each step's loss is divided among three points of the grid, which keeps its mean and its square.
    """
    width, reach = 0.004, 4.0
    at = np.arange(-reach, reach, width)
    value, far = np.maximum(np.exp(at) - math.exp(epsilon), 0.0), np.abs(at) > 0.75 * reach
    fixed = value[far]
    mixture, base = mixture_pair(1 / n, ratio)
    kernels = []
    for one, other in ((mixture, base), (base, mixture)):
        keep = (one > 1e-300) & (other > 1e-300)
        loss, mass = np.log(one[keep] / other[keep]), other[keep]
        index = np.rint(loss / width)
        part, ring = loss / width - index, np.zeros(len(at))
        for move, share in ((-1, part * (part - 1) / 2), (0, 1 - part * part), (1, part * (part + 1) / 2)):
            np.add.at(ring, (index.astype(int) + move) % len(at), mass * share)
        kernels.append(np.conj(np.fft.rfft(ring)))
    for _ in range(steps):
        value = np.maximum(*(np.fft.irfft(np.fft.rfft(value) * kernel, len(at)) for kernel in kernels))
        value[far] = fixed
    return float(value[len(at) // 2])


def test_no_choice_of_a_pair_after_each_release_exceeds_the_account() -> None:
    """It exceeds `remove` by a few percent."""
    n, steps, epsilon = 20, 60, 0.8
    chosen = adaptive_delta(n, 1.0, steps, epsilon)
    mixture, base = mixture_pair(1 / n, 1.0)
    remove = steps_delta([(mixture, base, steps)], epsilon)
    assert 1.005 * remove <= chosen
    assert (
        chosen
        <= SQUARED_HINGE.prove(Mechanism(UniformIndex(n, "ball"), steps, 1.0), 1.0, epsilon, chosen).delta
        <= 2.0 * chosen
    )


def test_with_one_row_a_delta_is_the_gaussian_one_or_half_as_much_again() -> None:
    for steps, ratio, epsilon in ((1, 0.4, 1.5), (40, 0.06, 1.2), (1000, 0.01, 1.0)):
        exact = gaussian_delta(epsilon, ratio * math.sqrt(steps))
        found = SQUARED_HINGE.prove(Mechanism(FixedBatch(7, 7, "ball"), steps, ratio), 1.0, epsilon, exact)
        assert exact <= found.delta <= 1.6 * exact


@pytest.mark.parametrize("mechanism", [Mechanism(Poisson(0.1), 9, 1.0), Mechanism(UniformIndex(9), 9, 1.0, unsampled=0.1)])
def test_other_neighbours_and_other_releases_are_refused(mechanism: Mechanism) -> None:
    with pytest.raises(ValueError, match=r"(mechanism|sampling) must replace a row"):
        SQUARED_HINGE.prove(mechanism, 2.0, 0.5, 1e-2)


def test_a_law_in_floats_is_the_law_in_integers() -> None:
    """Down to what is above the last knot."""
    grid = Grid(4, 20, 0)
    with ctx.workprec(256):
        made = checker.hinge_step("ball", arb(1) / 2, arb(1), grid, 100)
    found = float_law("ball", 0.5, 1.0, grid)
    assert made is not None
    assert found is not None
    exact = {made[0].lowest + j: int(mass) / 2.0**100 for j, mass in enumerate(made[0].masses.coeffs())}
    floats = {found.lowest + j: float(mass) for j, mass in enumerate(found.masses)}
    assert {j: mass for j, mass in floats.items() if mass > 1e-12} == pytest.approx(
        {j: mass for j, mass in exact.items() if mass > 1e-12}, rel=1e-9
    )
