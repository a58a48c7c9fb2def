"""The exact view: finite laws, and the histogram learner in fractions."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from scipy.integrate import quad

from dppca.reference.noise import ThresholdedLaplaceLaw
from dppca.reference.primitives.sparse_histogram import SparseHistogramLaw, stability_delta
from dppca.reference.rigour.divergence import hockey_stick
from dppca.reference.rigour.finite import epsilon_of_laws, histogram_neighbours, sparse_histogram_law, worst_histogram_delta


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
