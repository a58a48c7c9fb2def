"""What an account must not fall below: laws that no account has made, by closed forms, brute force and plain transforms.

`EXAMINATIONS` are for the audits and for the tests that plant errors.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from flint import arb, ctx
from numpy.typing import NDArray
from scipy.special import ndtr

from dppca.audit.suite.accounting.composition import gaussian_delta, mixture_pair, pair_delta, reduced_pair, steps_delta
from dppca.audit.suite.accounting.lower_bounds import lower_delta
from dppca.reference.accounting import Grid, Mechanism, Poisson, SmallSteps, UniformIndex, VarianceReduced, certify, delta_at
from dppca.reference.accounting.checker import GridProof, bound, hinge_step, renyi_payoff, step_moments
from dppca.reference.accounting.hinges import SQUARED_HINGE
from dppca.reference.accounting.variance_reduced import SPLIT_NOISE
from dppca.reference.rigour.balls import BITS, ball


def two_steps(one: NDArray[np.float64], other: NDArray[np.float64], epsilon: float) -> float:
    """Return the delta of two independent steps by brute force over all pairs of cells."""
    return float(np.sum(np.maximum(np.outer(one, one) - math.exp(epsilon) * np.outer(other, other), 0.0)))


def one_step_delta(q: float, r: float, epsilon: float) -> tuple[float, float]:
    """Return the closed forms of `remove` and `add`."""
    at = math.log((math.exp(epsilon) - 1 + q) / q) / r + r / 2
    remove = (1 - q) * ndtr(-at) + q * ndtr(r - at) - math.exp(epsilon) * ndtr(-at)
    inner = (math.exp(-epsilon) - 1 + q) / q
    below = math.log(inner) / r + r / 2 if inner > 0 else -math.inf
    add = ndtr(below) - math.exp(epsilon) * ((1 - q) * ndtr(below) + q * ndtr(below - r))
    return float(remove), float(add)


#: The quickest first.
VRPCA_CASES = [(20, 1, 1.0, 0.1), (3, 1, 3.0, 0.1), (20, 100, 3.0, 0.5), (50, 2500, 6.0, 0.7), (300, 90_000, 4.7, 1.0)]


def variance_reduced_covers(n: int, steps: int, std: float, epsilon: float) -> bool:
    """Return whether DP-VRPCA's accounts are at or above the composed worst pair."""
    one, other = pair = reduced_pair(n, 1 / std)
    if steps == 1:
        exact = max(float(np.sum(np.maximum(p - math.exp(epsilon) * r, 0.0))) for p, r in ((one, other), (other, one)))
    else:
        exact = pair_delta(pair, steps, epsilon)
    of = VarianceReduced(n, steps, 1.0, "ball")
    found = delta_at(of, std, epsilon).delta
    split = SPLIT_NOISE.prove(of, std, epsilon, exact).delta
    return min(found, split) >= exact * (1 - 1e-6)


def the_grid_covers_brute_force() -> bool:
    """Return whether the grid's delta covers brute force, when it is cut short, with few bits, and with mass left out."""
    mixture, base = mixture_pair(0.3, 1.0, 9.0, 2400)
    exact = two_steps(mixture, base, 0.2) * (1 - 1e-6)
    mechanism = Mechanism(Poisson(0.3), 2, 1.0)
    short = certify(mechanism, 1.0, 0.2, exact, grid=Grid(9, 500, 175)).delta
    coarse = bound(mechanism, 1.0, 0.2, GridProof(9, 1800, 175, 14, 0))
    cut = min(bound(mechanism, 1.0, 0.2, GridProof(9, 1800, 175, 40, 2**bits)) for bits in (30, 36, 38))  # left out at the top
    single = bound(replace(mechanism, steps=1), 1.0, 0.2, GridProof(9, 1800, 175, 10, 0))
    if single < max(one_step_delta(0.3, 1.0, 0.2)):
        return False
    return min(short, coarse, cut) >= exact and exact <= certify(mechanism, 1.0, 0.2, exact).delta <= 1.01 * exact


def replacing_covers_each_pair() -> bool:
    """Return whether `remove`, composed by a plain FFT, is at most what UniformIndex is certified for."""
    mixture, base = mixture_pair(0.05, 0.8)
    exact = steps_delta([(mixture, base, 300)], 0.4) * (1 - 1e-3)
    return certify(Mechanism(UniformIndex(20), 300, 0.8), 1.0, 0.4, exact).delta >= exact


def hinge_of_a_step(one: NDArray[np.float64], other: NDArray[np.float64], start: float) -> float:
    """Return the mean of ((R - start)^+)^2 under the second law, R the ratio of cells' masses; at most that of the laws."""
    keep = other > 0.0
    return float(np.sum(np.maximum(one[keep] - start * other[keep], 0.0) ** 2 / other[keep]))


def the_hinge_covers_each_pair() -> bool:
    """Return whether the hinge covers one step at 13 points, and `remove` and `add` composed by FFT."""
    q, r, bits = 0.05, 0.8, 14
    mixture, base = mixture_pair(q, r)
    with ctx.workprec(BITS):
        made = hinge_step("ball", arb(1) / 20, ball(r), Grid(bits, math.ceil(6.0 * 2**bits), 0), 80)
    if made is None:
        return False
    t = np.exp((made[0].lowest + np.arange(made[0].masses.length())) * 2.0**-bits)
    masses = np.array([int(c) / 2.0**80 for c in made[0].masses.coeffs()])
    for x in 1.0 + q * np.arange(-6, 7) / 3.0:
        of_the_law = float(masses @ (np.maximum(t - x, 0.0) ** 2 / t))
        if max(hinge_of_a_step(mixture, base, x), hinge_of_a_step(base, mixture, x)) > of_the_law * (1 + 1e-9):
            return False
    mechanism = Mechanism(UniformIndex(20, "ball"), 300, r)
    exact = pair_delta((mixture, base), 300, 0.4) * (1 - 1e-3)
    return SQUARED_HINGE.prove(mechanism, 1.0, 0.4, exact).delta >= exact


def releases_beside_the_steps_are_counted() -> bool:
    """Return whether releases beside the steps count, at n = 1, where a step is Gaussian too, and beside one rare step."""
    exact = gaussian_delta(0.7, math.sqrt(16 / 64 + 4 / 64))
    beside = certify(Mechanism(UniformIndex(1), 16, 1.0, unsampled=2.0), 8.0, 0.7, exact).delta
    fixed = bound(Mechanism(Poisson(0.01), 1, 1.0, fixed_ratio=3.0), 8.0, 0.7, GridProof(12, 18000, 1000, 60, 0))
    return exact <= beside <= 1.004 * exact and gaussian_delta(0.7, 3.0) <= fixed <= 1.01 * gaussian_delta(0.7, 3.0)


def lower_is_below_brute_force() -> bool:
    """Return whether the lower account stays below brute force for two steps of `remove` and `add`."""
    mixture, base = mixture_pair(0.3, 1.0, 9.0, 2400)
    return lower_delta(Mechanism(Poisson(0.3), 2, 1.0), 1.0, 0.2, 1e-2) <= two_steps(mixture, base, 0.2) * (1 + 1e-6)


def all_of_dp_vrpca_is_covered() -> bool:
    """Return whether DP-VRPCA is covered with few steps and many, with much noise and little."""
    return all(variance_reduced_covers(*case) for case in VRPCA_CASES)


def renyi_moments_cover_the_worst_pair() -> bool:
    """Return whether the bounds on a step's Renyi moments are above the worst pair's, and delta above that of two ratios."""
    std, last = 3.0, 10
    pair = reduced_pair(20, 1 / std)
    one, other = (masses[np.minimum(*pair) > 0.0] for masses in pair)
    with ctx.workprec(4 * BITS):
        bounds = step_moments(SmallSteps(20, 1, 1, 1.0, 2.0, 1.0, "ball"), std, last)
        for p, bound in bounds.items():
            exact = max(float(np.sum(m * (m / b) ** (p - 1))) for m, b in ((one, other), (other, one)))
            if exact * (1 - 1e-9) > float(bound):
                return False
        # a ratio of t with probability 1 / t, else 0, five times: the product is t^5 or 0
        t = 1.5
        certain = [float(renyi_payoff(arb(t) ** (5 * (p - 1)), p, arb(1))) for p in range(2, 20)]
        return min(certain) >= (t**5 - math.e) / t**5


EXAMINATIONS = (
    the_grid_covers_brute_force,
    replacing_covers_each_pair,
    the_hinge_covers_each_pair,
    releases_beside_the_steps_are_counted,
    lower_is_below_brute_force,
    all_of_dp_vrpca_is_covered,
    renyi_moments_cover_the_worst_pair,
)
