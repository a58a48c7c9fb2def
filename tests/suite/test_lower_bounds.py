"""The proved lower bounds on delta: small laws by hand, and the triangle against its integral."""

from __future__ import annotations

import math

import numpy as np
import pytest
from flint import arb, fmpz_poly
from numpy.typing import NDArray
from scipy.signal import fftconvolve
from scipy.special import ndtr

from dppca.audit.suite.accounting import lower_bounds as lower
from dppca.audit.suite.accounting.lower_bounds import pair_lower_delta
from dppca.reference.accounting import Grid, Mechanism, UniformIndex

Masses = NDArray[np.float64]


def test_a_square_of_the_lower_bound_spends_in_proportion_to_its_steps() -> None:
    """Four steps and a budget of 48 make a share of 48 / (4 * 3) = 4: the first square may drop 2 at each end, the second 4.

    (1, 1, 1) squared is (1, 2, 3, 2, 1), of which 1 goes at each end; (2, 3, 2) squared is (4, 12, 17, 12, 4).
    """
    found = lower.power(lower.LowerLaw(0.0, 0, fmpz_poly([1, 1, 1])), 4, 0, 48)
    assert found == lower.LowerLaw(0.0, 3, fmpz_poly([12, 17, 12]))


def test_a_finer_grid_covers_the_same_losses() -> None:
    assert lower.finer(Grid(3, 5, 7)) == Grid(5, 20, 28)


def test_a_cell_ends_three_quarters_of_the_way_to_the_next_loss() -> None:
    assert lower.edges_between([arb(0), arb(4), arb(8), arb(24)]) == [arb(3), arb(7), arb(20)]


def test_the_lower_bound_of_a_triangle_is_sharp() -> None:
    """Against the divergence of the two mixtures in the plane, by the midpoint rule on a fine grid."""
    q, r, epsilon = 0.5, 1.0, 0.3
    height = math.sqrt(0.75) * r
    x, y = np.linspace(-9.0, height + 9.0, 1001), np.linspace(-0.5 * r - 9.0, 0.5 * r + 9.0, 1001)

    def density(at: float, side: float) -> np.ndarray:
        return np.outer(np.exp(-0.5 * (x - at) ** 2), np.exp(-0.5 * (y - side) ** 2)) / (2.0 * math.pi)

    absent, one, other = density(0.0, 0.0), density(height, 0.5 * r), density(height, -0.5 * r)
    excess = np.maximum((1.0 - q) * absent + q * one - math.exp(epsilon) * ((1.0 - q) * absent + q * other), 0.0)
    exact = float(excess.sum()) * (x[1] - x[0]) * (y[1] - y[0])
    found = lower.pair_lower_delta(Mechanism(UniformIndex(2), 1, 1.0), 1.0 / r, epsilon, "triangle", 1e-2)
    assert (1.0 - 2e-4) * exact <= found <= exact


@pytest.mark.parametrize(("q", "ratio", "epsilon"), [(3, 1.2, 0.2), (5, 2.0, 0.4), (1, 0.7, 0.1)])
@pytest.mark.parametrize("steps", [1, 2, 5])
def test_the_lower_bound_of_the_triangle_is_below_its_integral(q: int, ratio: float, epsilon: float, steps: int) -> None:
    """m, a, b at mutual distance `ratio`: the sum's law by convolution of the loss's, losses rounded up and down to 1e-3."""
    height, half = ratio * math.sqrt(0.75), ratio / 2.0
    x, y = np.linspace(-8.0, height + 8.0, 700), np.linspace(-half - 8.0, half + 8.0, 700)

    def plane(at_x: float, at_y: float) -> Masses:
        return np.outer(np.diff(ndtr(x - at_x)), np.diff(ndtr(y - at_y)))

    p, r = ((1 - 1 / q) * plane(0.0, 0.0) + plane(height, at) / q for at in (half, -half))
    keep = (p > 0.0) & (r > 0.0)
    loss, mass = np.log(p[keep] / r[keep]), p[keep]
    enclosing = []
    for rounded in (np.floor(loss / 1e-3), np.ceil(loss / 1e-3)):
        least = int(rounded.min())
        one = np.bincount(rounded.astype(int) - least, weights=mass)
        law = np.ones(1)
        for _ in range(steps):
            law = np.maximum(fftconvolve(law, one), 0.0)
        at = (np.arange(len(law)) + steps * least) * 1e-3
        enclosing.append(float(law @ np.maximum(-np.expm1(np.minimum(epsilon - at, 0.0)), 0.0)))
    below, above = enclosing
    found = pair_lower_delta(Mechanism(UniformIndex(q), steps, ratio), 1.0, epsilon, "triangle", above)
    assert found <= above
    assert found >= 0.97 * below
