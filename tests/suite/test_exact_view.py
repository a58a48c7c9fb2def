"""The exact view: finite laws, the histogram learner in fractions, a Gaussian shift hidden among n."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import logsumexp

from dppca.reference.accounting.clones import shuffled_gaussian_delta
from dppca.reference.noise import ThresholdedLaplaceLaw
from dppca.reference.primitives.gaussian import epsilon_at, profile
from dppca.reference.primitives.sparse_histogram import SparseHistogramLaw, stability_delta
from dppca.reference.rigour.divergence import hockey_stick
from dppca.reference.rigour.finite import epsilon_of_laws, histogram_neighbours, sparse_histogram_law, worst_histogram_delta
from dppca.reference.rigour.gaussian import ball, decide
from dppca.reference.rigour.hidden_shift import HiddenShift, best_event, event_excess


def test_epsilon_of_finite_laws() -> None:
    q = math.e / (1.0 + math.e)
    p, r = {"a": q, "b": 1.0 - q}, {"a": 1.0 - q, "b": q}
    assert epsilon_of_laws(p, r, 0.0) == pytest.approx(1.0)
    delta = 0.1  # q - e^epsilon (1 - q) = delta
    assert epsilon_of_laws(p, r, delta) == pytest.approx(math.log((q - delta) / (1.0 - q)))
    assert epsilon_of_laws(p, {**r, "b": q - 0.01, "c": 0.01}, 0.005) == math.inf
    assert epsilon_of_laws(p, p, 0.0) == 0.0


# --- histogram ---------------------------------------------------------------------------------------------


def test_histogram_masses_are_those_of_the_law() -> None:
    ratio, threshold, top = Fraction(3), 2, 6
    law = ThresholdedLaplaceLaw(1.0 / math.log(3.0), float(threshold))
    for count in (1, 2, 4):
        masses = sparse_histogram_law((count, 0), ratio, threshold, top)
        assert sum(masses.values()) == 1
        assert {z for _, z in masses} == {None}
        value = np.asarray(float(count))
        assert float(masses[None, None]) == pytest.approx(math.exp(law.log_likelihood(value, None)))
        for z in range(threshold + 1, top + 1):
            mass, _ = quad(lambda y, v=value: math.exp(law.log_likelihood(v, y)), z - 1 + 1e-13, z)
            assert float(masses[z, None]) == pytest.approx(mass, rel=1e-6)


@pytest.mark.parametrize(("ratio", "threshold"), [(2, 2), (2, 3), (2, 5), (4, 2), (10, 3)])
def test_worst_histogram_delta_is_the_chance_that_a_lone_item_shows(ratio: int, threshold: int) -> None:
    delta, (data, neighbour) = worst_histogram_delta(4, 3, Fraction(ratio), threshold)
    assert delta == Fraction(1, 2 * ratio ** (threshold - 1))
    assert float(delta) == pytest.approx(stability_delta(2.0 * math.log(ratio), threshold))
    gone = next(a for a, b in zip(data, neighbour, strict=True) if b == 0 and a > 0)
    assert gone == 1


def test_finer_intervals_find_no_larger_delta() -> None:
    """Counts doubled and the ratio's root: the same noise on intervals of half the width."""
    threshold, top = 2, 5
    for pair in histogram_neighbours(3, 2):
        coarse = hockey_stick(*(sparse_histogram_law(c, Fraction(4), threshold, top) for c in pair), Fraction(16))
        doubled = [sparse_histogram_law(tuple(2 * x for x in c), Fraction(2), 2 * threshold, 2 * top) for c in pair]
        assert hockey_stick(*doubled, Fraction(16)) == coarse


def test_neighbours_are_all_moves_of_one_item() -> None:
    pairs = set(histogram_neighbours(2, 2))
    assert pairs == {((2, 0), (1, 1)), ((1, 1), (2, 0)), ((1, 1), (0, 2)), ((0, 2), (1, 1))}
    assert all(sum(map(abs, np.subtract(*pair))) == 2 for pair in histogram_neighbours(4, 3))


def test_low_thresholds_are_refused() -> None:
    with pytest.raises(ValueError, match="threshold must be >= 1"):
        worst_histogram_delta(3, 2, Fraction(3, 2), 1)


@pytest.mark.slow
def test_histogram_law_has_the_exact_masses() -> None:
    """40,000 draws for counts 2 and 1: which cells show, each way within 5 standard deviations (false alarm 3e-6)."""
    law, rng, trials = SparseHistogramLaw(1.0 / math.log(2.0), 2.0), np.random.default_rng(1), 40_000
    value = np.array([[0.0], [0.0], [7.0]])
    seen = Counter(tuple(law.apply(value, law.draw(value, rng))[:, 1].tolist()) for _ in range(trials))
    masses: Counter[tuple[float, ...]] = Counter()
    for outcome, mass in sparse_histogram_law((2, 1), Fraction(2), 2, 6).items():
        masses[tuple(cell for cell, z in zip((0.0, 7.0), outcome, strict=True) if z is not None)] += mass
    assert set(seen) == set(masses)
    for shown, mass in masses.items():
        assert abs(seen[shown] - trials * mass) < 5.0 * math.sqrt(trials * mass * (1 - mass))


# --- a shift hidden among n --------------------------------------------------------------------------------


@pytest.mark.parametrize("mu", [0.3, 1.0, 3.0])
def test_one_place_is_the_gaussian_profile(mu: float) -> None:
    pair = HiddenShift(mu, 1, 2.0, cells=2**14)
    for epsilon in (0.0, 0.1, 1.0, 2.0):
        low, high = pair.delta_bounds(epsilon)
        assert low <= profile(epsilon, mu) <= high
        assert high - low < 1e-3
    low, high = pair.epsilon_bounds(0.3)
    assert low <= min(epsilon_at(0.3, mu), 2.0)
    assert high >= epsilon_at(0.3, mu)


@pytest.mark.parametrize(("mu", "epsilon"), [(1.0, 0.2), (2.0, 0.7)])
def test_two_places_by_quadrature(mu: float, epsilon: float) -> None:
    """The midpoint rule on a grid, whose error on these integrands is below 1e-4."""
    z = np.linspace(-9.0, 9.0 + mu, 3001)
    z = 0.5 * (z[1:] + z[:-1])
    x = np.exp(mu * z - 0.5 * mu * mu)
    q = np.exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi) * (z[1] - z[0])
    M = 0.5 * (x[:, np.newaxis] + x)
    ways = (np.maximum(M - math.exp(epsilon), 0.0), np.maximum(1.0 - math.exp(epsilon) * M, 0.0))
    expected = max(float(q @ way @ q) for way in ways)
    low, high = HiddenShift(mu, 2, 1.0, cells=2**14).delta_bounds(epsilon)
    assert low - 1e-4 <= expected <= high + 1e-4
    assert high - low < 5e-3


def test_many_places_by_sampling() -> None:
    """50 places, 200,000 draws: the mean payoff within 5 standard errors of the bounds (false alarm 6e-7)."""
    mu, n, epsilon = 2.5, 50, 1.0
    z = np.random.default_rng(2).standard_normal((200_000, n))
    z[:, 0] += mu
    loss = logsumexp(mu * z - 0.5 * mu * mu, axis=1) - math.log(n)
    payoff = np.maximum(0.0, -np.expm1(epsilon - loss))
    low, high = HiddenShift(mu, n, 1.5).delta_bounds(epsilon)
    error = 5.0 * float(payoff.std()) / math.sqrt(len(payoff))
    assert low - error <= payoff.mean() <= high + error


@pytest.mark.parametrize(("mu", "n"), [(0.3, 64), (1.0, 100), (3.0, 1000)])
def test_bounds_are_ordered_and_the_account_is_above(mu: float, n: int) -> None:
    pair = HiddenShift(mu, n, 2.0)
    found = [pair.delta_bounds(epsilon) for epsilon in (0.01, 0.1, 0.5, 1.0, 2.0)]
    assert all(low <= high for low, high in found)
    for side in (0, 1):
        assert all(a[side] >= b[side] - 1e-5 for a, b in itertools.pairwise(found))  # the allowance for rounding grows
    for epsilon, (low, _) in zip((0.01, 0.1, 0.5, 1.0, 2.0), found, strict=True):
        assert low <= shuffled_gaussian_delta(epsilon, 1.0 / mu, n)


@pytest.mark.parametrize(("mu", "n", "delta"), [(2.0, 64, 1e-3), (3.0, 64, 1e-2), (7.0, 1000, 1e-3)])
def test_the_event_shows_what_it_says(mu: float, n: int, delta: float) -> None:
    """The best event's epsilon: its excess is delta there, in ball arithmetic, and it is below the pair's own epsilon."""
    a, shown = best_event(delta, mu, n)
    for epsilon, holds in ((shown - 1e-6, False), (shown + 1e-6, True)):
        excess = partial(lambda e: event_excess(ball(e), ball(mu), n, ball(a)), epsilon)
        assert decide(excess, lambda: ball(delta)) is holds
    assert shown <= HiddenShift(mu, n, 5.0).epsilon_bounds(delta)[1]


def test_epsilon_beyond_the_lattice_is_refused() -> None:
    with pytest.raises(ValueError, match=r"epsilon must be in \[0, 1.0\]"):
        HiddenShift(1.0, 3, 1.0, cells=2**10).delta_bounds(1.5)
