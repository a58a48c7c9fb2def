"""The search over pairs: it finds what tells, and its bound holds after it."""

from __future__ import annotations

import math
import threading
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

from dppca import audit
from dppca.audit.execution import pair_search
from dppca.audit.execution.pair_search import Pair, Varied
from dppca.reference.noise import Noise

pytestmark = pytest.mark.usefixtures("without_new_processes")

EPSILON = math.log(3.0)


def randomised_response(data: int, rng: np.random.Generator) -> int:
    """Exactly (ln 3, 0)-DP for every pair that differs in parity."""
    return int(data % 2 if rng.random() < 0.75 else 1 - data % 2)


def integers(rng: np.random.Generator) -> Pair:
    """Neighbours are any two integers."""
    first, second = rng.integers(100, size=2)
    return int(first), int(second)


def short_rows_only(rows: np.ndarray, noise: Noise) -> Any:
    """Return a sum whose noise is right where the first row is short; elsewhere its sensitivity is four times what it says."""
    factor = 4.0 if rows[0, 0] > 0.9 else 1.0
    return noise.gaussian("sum", factor * rows.sum(axis=0), std=4.0, sensitivity=2.0)


def test_the_pair_that_tells_is_found() -> None:
    """One in twenty pairs tells the datasets apart, all others are noise."""

    def mechanism(data: int, rng: np.random.Generator) -> int:
        return int(rng.random() < (0.9 if data == 7 else 0.1))

    def pairs(rng: np.random.Generator) -> Pair:
        return int(rng.integers(20)), 20

    found = audit.lower_bound_over_pairs(mechanism, pairs, trials=100_000, candidates=64, seed=1)
    assert (found.data, found.neighbour) == (7, 20)
    assert 1.9 < found.bound.epsilon < math.log(9.0)
    assert found.bound.trials == 100_000
    assert found.pairs == 64
    assert found.sensitivity is None


class _Reusing:
    """Pairs in one buffer, which also stand in a lock's company or not, and are varied where they are."""

    def __init__(self, *company: Any) -> None:
        self.buffer, self.company = np.zeros(5), company

    def __call__(self, rng: np.random.Generator) -> Any:
        self.buffer[:] = rng.integers(0, 2, size=5)
        other = self.buffer.copy()
        other[0] = 1.0 - other[0]
        return self.buffer, (other, *self.company) if self.company else other


class _ReusingToo(_Reusing):
    def near(self, pair: Pair, rng: np.random.Generator) -> Pair:
        rest = rng.integers(0, 2, size=4)
        for dataset in pair:
            dataset[1:] = rest
        return pair


@pytest.mark.parametrize("pairs", [_Reusing(), _ReusingToo(), _Reusing(threading.Lock())])
def test_a_pair_is_kept_as_it_was_made(pairs: _Reusing) -> None:
    def mechanism(data: Any, rng: np.random.Generator) -> float:
        return float(np.sum(data[0] if isinstance(data, tuple) else data) + rng.laplace())

    for seed in range(3):
        found = audit.lower_bound_over_pairs(mechanism, pairs, trials=5000, candidates=4, seed=seed)
        neighbour = found.neighbour[0] if pairs.company else found.neighbour
        assert np.abs(found.data - neighbour).tolist() == [1.0, 0.0, 0.0, 0.0, 0.0]
        assert found.bound.epsilon < 1.1


def test_a_kept_pair_does_not_change_when_it_is_varied() -> None:
    kept = pair_search.checked_pair((np.zeros(2), np.ones(2)))
    pair_search.copied_pair(kept)[0][:] = 5.0
    assert kept[0].tolist() == [0.0, 0.0]


@pytest.mark.slow
def test_variations_climb() -> None:
    """What tells is how near a number is to 10; pairs are drawn near 0."""

    class Steps:
        def __call__(self, rng: np.random.Generator) -> Pair:
            return float(rng.uniform(0.0, 1.0)), -1.0

        def near(self, pair: Pair, rng: np.random.Generator) -> Pair:
            return float(np.clip(pair[0] + 3.0 * rng.normal(), 0.0, 10.0)), -1.0

    def mechanism(data: float, rng: np.random.Generator) -> float:
        return float(rng.normal(max(data, 0.0)))

    options: dict[str, Any] = {"delta": 0.01, "trials": 200_000, "candidates": 32, "seed": 3}
    steps = Steps()
    still = audit.lower_bound_over_pairs(mechanism, steps.__call__, **options)
    climbed = audit.lower_bound_over_pairs(mechanism, steps, **options)
    assert isinstance(steps, Varied)
    assert still.data < 1.0
    assert climbed.data > 4.0
    assert climbed.bound.epsilon > 2.0 * still.bound.epsilon
    assert climbed.pairs > still.pairs == 32


@pytest.mark.slow
def test_rows_reach_the_worst_pair_of_the_sum() -> None:
    """The sum of rows, noise 1: opposite rows are worst, mu = 2."""

    def algorithm(rows: np.ndarray, noise: Noise) -> Any:
        return noise.gaussian("sum", rows.sum(axis=0), std=1.0, sensitivity=2.0)

    found = audit.transcript_lower_bound_over_pairs(algorithm, audit.Rows(3, 2), delta=1e-3, trials=30_000, seed=5)
    assert found.sensitivity == pytest.approx(1.0, abs=0.02)
    assert found.sensitivity <= 1.0


@pytest.mark.slow
def test_a_sensitivity_that_fails_on_few_pairs_is_found() -> None:
    found = audit.transcript_lower_bound_over_pairs(short_rows_only, audit.Rows(4, 2), delta=1e-3, trials=30_000, seed=1)
    assert found.sensitivity is not None
    assert found.sensitivity > 1.0
    assert max(found.data[0, 0], found.neighbour[0, 0]) > 0.9


def test_an_output_audit_can_be_led_by_likelihoods() -> None:
    """A secret bit, as a release with exact likelihood, tells at once which of the pairs matters."""

    def algorithm(data: int, noise: Noise) -> Any:
        return noise.gaussian("value", float(data == 7), std=0.5, sensitivity=1.0)

    def mechanism(data: int, rng: np.random.Generator) -> float:
        return float(rng.normal(float(data == 7), 0.5))

    def pairs(rng: np.random.Generator) -> Pair:
        return int(rng.integers(10)), 10

    found = audit.lower_bound_over_pairs(mechanism, pairs, delta=0.01, trials=20_000, seed=2, algorithm=algorithm)
    assert found.data == 7
    assert found.sensitivity == pytest.approx(1.0)
    assert found.bound.epsilon > 2.0


@pytest.mark.slow
def test_the_bound_holds_after_the_search() -> None:
    """Searches among pairs that all have the same exact epsilon: false alarm below 1e-4, were the rate 5 %."""
    runs, false = 100, 0
    for seed in range(runs):
        found = audit.lower_bound_over_pairs(randomised_response, integers, trials=2400, candidates=4, seed=seed)
        false += found.bound.epsilon > EPSILON
    assert false <= binom.ppf(1.0 - 1e-4, runs, 0.05)


def test_the_same_seed_gives_the_same_result_with_two_workers() -> None:
    options: dict[str, Any] = {"trials": 4000, "candidates": 4, "seed": 9}
    one = audit.lower_bound_over_pairs(randomised_response, integers, **options)
    two = audit.lower_bound_over_pairs(randomised_response, integers, workers=2, **options)
    assert (one.data, one.neighbour, one.bound.epsilon) == (two.data, two.neighbour, two.bound.epsilon)


class Counted:
    """Pairs (n, n) of numbers that rise by 10 with every new pair, and by 1 in a variation."""

    def __init__(self) -> None:
        self.drawn = 0

    def __call__(self, rng: np.random.Generator) -> tuple[int, int]:
        self.drawn += 10
        return self.drawn, self.drawn

    def near(self, pair: tuple[int, int], rng: np.random.Generator) -> tuple[int, int]:
        return pair[0] + 1, pair[1] + 1


def test_the_better_half_is_varied_in_turn_until_there_are_as_many_pairs_again() -> None:
    """Of 10 to 50 the best three are 50, 40 and 30; 51 and 41 join them, of these five 51, 50 and 41 stay; 52 and 51 join."""
    ranked: list[list[int]] = []

    def score(pair: tuple[int, int], trials: int, seed: int) -> tuple[float, ...]:
        if not ranked or len(ranked[-1]) == 5:
            ranked.append([])
        ranked[-1].append(pair[0])
        assert trials == 1000  # half of 30,000 for three rounds of five
        return (float(pair[0]),)

    def bound(pair: tuple[int, int], claim: None, *, trials: int, confidence: float, seed: int) -> audit.LowerBound:
        assert (pair, claim, trials) == ((52, 52), None, 15_000)
        return audit.LowerBound(0.5, 0.0, confidence, trials, 0.0, "event", seed, "output")

    found = pair_search.search_pairs(Counted(), None, score, bound, None, 0.0, None, 30_000, 5, 0.95, 1)
    assert ranked == [[10, 20, 30, 40, 50], [50, 40, 30, 51, 41], [51, 50, 41, 52, 51]]
    assert (found.data, found.bound.trials, found.pairs) == (52, 30_000, 9)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"candidates": 1}, "candidates must be >= 2, got 1"),
        ({"candidates": 10**400}, "candidates must be at most trials = 100000, got 1000"),
        ({"start": 3}, r"start must be a tuple \(data, neighbour\), got 3"),
        ({"claim": 3}, "claim must be a Claim"),
        ({"claim": audit.Claim(1.0, 0.1), "delta": 0.2}, "delta must be that of the claim, 0.1, got 0.2"),
        ({"trials": 1000}, r"trials must be >= 12800 for 16 candidates, got 1000"),
        ({"delta": 1.0}, "delta"),
        ({"confidence": 1.0}, r"confidence must be in \(0, 1\)"),
    ],
)
def test_bad_arguments(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        audit.lower_bound_over_pairs(randomised_response, integers, **change)


def test_what_is_no_pair_is_named() -> None:
    with pytest.raises(ValueError, match=r"pairs must return a tuple \(data, neighbour\), got 3"):
        audit.lower_bound_over_pairs(randomised_response, lambda _: 3, trials=20_000)  # type: ignore[arg-type, return-value]


def tells_seven(data: int, rng: np.random.Generator) -> int:
    """Epsilon ln 9 where one of the datasets is 7."""
    return int(rng.random() < (0.9 if data == 7 else 0.1))


def test_a_search_starts_from_the_pair_that_is_given() -> None:
    """No pair that is drawn has a 7; with a claim the last audit decides about it."""
    options: dict[str, Any] = {"trials": 20_000, "candidates": 4, "seed": 2}
    found = audit.lower_bound_over_pairs(tells_seven, lambda _: (1, 2), start=(7, 3), claim=audit.Claim(1.0), **options)
    assert (found.data, found.neighbour, found.pairs) == (7, 3, 4)
    assert found.verdict is not None
    assert found.verdict.refuted
    assert found.verdict.bound == found.bound
    assert 1.0 < found.bound.epsilon < math.log(9.0)
    assert found.headline().startswith("REFUTED: (1, 0)-differential privacy")
    assert "the best pair found of 4" in " ".join(found.to_dict()["tried"])
    alone = audit.lower_bound_over_pairs(tells_seven, lambda _: (1, 2), **options)
    assert alone.bound.epsilon < 0.1
    assert alone.verdict is None
