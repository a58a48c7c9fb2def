"""The field's benchmark mechanisms: their exact values, and the auditor on them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binom

from dppca import audit
from tests.studies.known_mechanisms import (
    Known,
    field,
    noisy_max,
    noisy_max_value,
    sparse_vector,
    sparse_vector_3,
    sparse_vector_variants,
)
from tests.studies.limits import exceeded_at_most, largest_median, sparse_vector_3_masses, sparse_vector_masses

EPSILON = 0.5
ALL = field(EPSILON)


@pytest.mark.parametrize("number", [1, 4, 5, 6])
def test_probabilities_of_sparse_vector_are_those_of_its_sampler(number: int) -> None:
    of, trials = sparse_vector_variants(EPSILON)[number], 200_000
    data = [1.0, 1.0, 0.0, 0.0]
    drawn, counts = np.unique(of.draw(data, trials, np.random.default_rng(number)), axis=0, return_counts=True)
    seen = {tuple(int(answer) for answer in row if answer >= 0.0): count for row, count in zip(drawn, counts, strict=True)}
    exact = {answers: of.probability(data, answers) for answers in of.outputs(4)}
    assert math.fsum(exact.values()) == pytest.approx(1.0, abs=1e-9)
    assert seen.keys() <= exact.keys()
    for answers, p in exact.items():  # 5 standard errors; 4 x at most 16 comparisons
        assert seen.get(answers, 0) == pytest.approx(trials * p, abs=5.0 * math.sqrt(trials * p * (1.0 - p)) + 1e-6)


def test_the_sound_mechanisms_keep_their_epsilon_and_the_broken_ones_do_not() -> None:
    for sound in (noisy_max(EPSILON), sparse_vector(1, EPSILON), sparse_vector(2, EPSILON)):
        assert 0.0 < sound.epsilon <= EPSILON
    for broken in (noisy_max_value(EPSILON), sparse_vector(4, EPSILON), sparse_vector(6, EPSILON, queries=8)):
        assert EPSILON < broken.epsilon < math.inf
    assert sparse_vector(5, EPSILON).epsilon == math.inf
    # Variant 3 loses epsilon / 2 more for about every query more.
    assert sparse_vector_3(EPSILON, queries=10).epsilon > sparse_vector_3(EPSILON, queries=4).epsilon + EPSILON


def test_exact_epsilons_are_the_largest_log_ratios_of_the_laws() -> None:
    """Those of sparse vector, from masses that are computed in another way."""
    for number in (1, 4, 6):
        p, q = sparse_vector_masses(number, EPSILON)
        assert np.abs(np.log(p) - np.log(q)).max() == pytest.approx(sparse_vector(number, EPSILON).epsilon, abs=1e-8)
    p, q = sparse_vector_3_masses(EPSILON, cells=16_000)
    assert np.abs(np.log(p) - np.log(q)).max() == pytest.approx(sparse_vector_3(EPSILON).epsilon, rel=2e-3)


@pytest.mark.parametrize(("trials", "p"), [(1000, 0.6), (100_000, 0.55)])
def test_limits_hold_for_the_best_test_of_randomised_response(trials: int, p: float) -> None:
    """The hits of both datasets are binomial, and the best test of an epsilon counts them."""
    masses = np.array([p, 1.0 - p])
    largest = math.log(p / (1.0 - p))
    assert largest_median(masses, masses[::-1], trials) <= largest
    for share in (0.3, 0.6, 0.8, 0.9):
        epsilon = share * largest
        claimed = 1.0 / (1.0 + math.exp(-epsilon))
        critical = binom.ppf(0.95, 2 * trials, claimed)
        power = binom.sf(critical, 2 * trials, p)
        limit = exceeded_at_most(masses, masses[::-1], epsilon, trials)
        assert power <= limit
        if power < 0.5:
            assert limit < 0.95


def test_no_test_reaches_85_percent_of_sparse_vector_3() -> None:
    """With 2,000,000 trials at epsilon 0.1; of the other variants it is not excluded."""
    p, q = sparse_vector_3_masses(0.1)
    assert largest_median(p, q, 2_000_000) < 0.8 * sparse_vector_3(0.1).epsilon
    for number in (1, 4, 6):
        p, q = sparse_vector_masses(number, 0.1)
        assert largest_median(p, q, 2_000_000) > 0.9 * sparse_vector(number, 0.1).epsilon


@pytest.mark.usefixtures("without_new_processes")
@pytest.mark.parametrize("known", ALL, ids=[known.name for known in ALL])
def test_bounds_stay_below_the_exact_epsilon_and_come_near_it(known: Known) -> None:
    bound = audit.lower_bound(known.mechanism, known.data, known.neighbour, trials=100_000, confidence=0.999, seed=3)
    assert 0.4 * min(known.epsilon, 10.0) < bound.epsilon <= known.epsilon


@pytest.mark.usefixtures("without_new_processes")
def test_a_bound_on_an_unbounded_epsilon_grows_with_the_budget() -> None:
    known = sparse_vector(5, EPSILON)
    bounds = [
        audit.lower_bound(known.mechanism, known.data, known.neighbour, trials=trials, seed=1).epsilon
        for trials in (1000, 10_000, 100_000)
    ]
    assert bounds[0] < bounds[1] < bounds[2]
