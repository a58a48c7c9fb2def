"""A local protocol audited in one run: every client is a trial on the row that it holds."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.stats import beta, binom, norm

from dppca import audit
from dppca.audit.auditor import one_run as canaries
from dppca.audit.auditor.one_run import excluded_up_to, one_run_gdp_bound, one_run_lower_bound
from dppca.audit.auditor.results import Claim
from dppca.audit.suite.instance import Instance, OneRun, Setup, Word, run

E1, E2 = np.eye(2)


def _rows(X: NDArray[np.float64], rng: np.random.Generator) -> list[int]:
    return [int(column) for column in X.argmax(axis=1)]


def _randomized_response(truth: float) -> OneRun:
    """Return a protocol whose clients name their row truly with probability `truth`: log(truth / (1 - truth))-DP."""

    def messages(X: NDArray[np.float64], rng: np.random.Generator) -> list[int]:
        return np.where(rng.random(len(X)) < truth, X.argmax(axis=1), X.argmin(axis=1)).tolist()

    return OneRun(messages, E1, E2)


def test_messages_are_sorted_by_the_row_held() -> None:
    held = OneRun(_rows, E1, E2).hold(1000, seed=0)
    assert 900 < held.trials <= 1000  # false alarm below 1e-5
    rng = np.random.default_rng(0)
    assert held.sample(0, held.trials, rng) == [0] * held.trials
    assert held.sample(1, 10, rng) == [1] * 10
    assert len(held.sample(0, 2000, rng)) + held.trials + len(held.sample(1, 2000, rng)) + 10 == 2000


@pytest.mark.parametrize(("truth", "verdict"), [(0.7, "NOT REFUTED"), (0.8, "REFUTED")])
def test_randomized_response(truth: float, verdict: Word) -> None:
    """The claim is true at 0.7 and false at 0.8; false alarm below 1e-3."""
    claim = Claim(float(np.log(0.7 / 0.3)))
    setup = Setup("output", "", lambda _: _randomized_response(truth))
    instance = Instance("randomized response", "", setup, claim, verdict, trials=10_000)
    row = run(instance, budget="standard", seed=0, confidence=0.999, progress=lambda _: None)
    assert row.verdict == verdict == row.expected
    assert row.view == "output"
    again = run(instance, budget="standard", seed=0, confidence=0.999, progress=lambda _: None)
    assert again.lower_bound == row.lower_bound


def _most_likely(m: int, r: int, right: int, *points: tuple[float, float]) -> float:
    """Return the largest P(W >= right) that the inequalities of the module allow, by a linear program over the law of W.

    `points`: each an epsilon and its delta.
    """
    j = np.arange(r + 1)
    rows, most = [], []
    for k in range(1, right + 1):
        right_tail, wrong_tail = np.where(j >= k, j, 0.0) / m, np.where(j >= k - 1, r - j, 0.0) / m
        for epsilon, delta in points:
            rows += [right_tail - math.exp(epsilon) * wrong_tail, math.exp(epsilon) * right_tail - wrong_tail]
            most += [delta, math.exp(epsilon) - 1.0 + delta]
    found = linprog(-(j >= right).astype(float), np.array(rows), most, np.ones((1, r + 1)), [1.0])
    return float(-found.fun)


@pytest.mark.parametrize(("m", "r", "right"), [(10, 6, 6), (20, 12, 11), (40, 40, 31), (100, 30, 28)])
@pytest.mark.parametrize("delta", [1e-3, 0.01])
def test_the_chain_excludes_what_a_linear_program_does(m: int, r: int, right: int, delta: float) -> None:
    """The largest epsilon at which the program allows no probability of 0.05 or more."""
    found = excluded_up_to(m, r, right, delta, 0.05)
    assert found > 0.0
    assert _most_likely(m, r, right, (found - 2e-3, delta)) < 0.05 * (1.0 + 1e-6)
    assert _most_likely(m, r, right, (found + 2e-3, delta)) > 0.05 * (1.0 - 1e-6)


@pytest.mark.parametrize("shared", [False, True])
def test_one_run_of_a_gaussian_release_is_rarely_called_worse_than_it_is(shared: bool) -> None:
    """Each canary is seen under noise of its own; or all are shown with probability delta, and otherwise none."""
    rng, above, epsilons, mus = np.random.default_rng(11), 0, [], []
    for number in range(60):
        coins = rng.random(400) < 0.5
        scores = 100.0 * coins * (rng.random() < 0.04) if shared else coins + rng.normal(size=400)
        delta = 0.04 if shared else 0.05
        epsilons.append(one_run_lower_bound(scores, coins, delta=delta, seed=number).epsilon)
        mus.append(one_run_gdp_bound(scores, coins, seed=number))
        above += epsilons[-1] > (0.0 if shared else 1.58) or (not shared and mus[-1] > 1.0)
    assert above <= binom.ppf(1.0 - 1e-6, 60, 0.1)  # two bounds of 95 %
    if not shared:
        assert np.median(mus) > 0.3


def test_the_bound_does_not_fall_where_canaries_are_added() -> None:
    found, mus = [], []
    for m in (1000, 10_000, 100_000):
        rng = np.random.default_rng(0)
        coins = rng.random(m) < 0.5
        scores = coins + rng.normal(size=m)
        found.append(one_run_lower_bound(scores, coins, delta=1e-5).epsilon)
        mus.append(one_run_gdp_bound(scores, coins))
    assert found[0] < found[1] < found[2] < 4.377
    assert 0.95 * mus[0] < mus[1] < 1.05 * mus[2] < 1.0
    same = [excluded_up_to(m, m // 100, m * 96 // 10_000, 1e-5, 0.05) for m in (10_000, 100_000, 1_000_000)]
    assert same[0] < same[1] < same[2]


@pytest.mark.slow
def test_randomised_response_reaches_its_epsilon_and_is_rarely_above() -> None:
    """Each canary's coin is shown truly with probability 3/4, epsilon = ln 3: guesses about 800 of 1,000 lose nothing."""
    rng, above, bounds = np.random.default_rng(5), 0, []
    for _ in range(400):
        coins = rng.random(1000) < 0.5
        shown = np.where(rng.random(1000) < 0.75, coins, ~coins)
        bound = one_run_lower_bound(shown.astype(float), coins, guesses=800)
        bounds.append(bound.epsilon)
        above += bound.epsilon > math.log(3.0)
    assert above <= binom.ppf(0.9999, 400, 0.05)  # false alarm 1e-4
    assert above >= 5  # the bound is not vacuous: nominal 20, fewer than 5 with probability 1e-5
    assert np.median(bounds) > 0.93


def test_a_sum_of_canaries_in_one_run() -> None:
    """Each canary is a direction of its own in a noisy sum: a Gaussian release of mu = 1 for each; (4.377, 1e-5) and less."""
    rng = np.random.default_rng(1)
    coins = rng.random(20_000) < 0.5
    scores = coins + rng.normal(size=20_000)
    bound = one_run_lower_bound(scores, coins, delta=1e-5)
    assert 1.0 < bound.epsilon < 4.377
    assert bound.refutes(Claim(0.9, 1e-5))
    assert one_run_lower_bound(scores, rng.permutation(coins), delta=1e-5).epsilon < 0.2


def test_delta_counts_once_for_each_canary() -> None:
    """A mechanism that shows all coins with probability delta is (0, delta)-DP."""
    coins = np.random.default_rng(3).permutation(np.arange(100) < 50)
    assert one_run_lower_bound(coins.astype(float), coins, delta=0.05).epsilon == 0.0
    assert one_run_lower_bound(coins.astype(float), coins, delta=0.0).epsilon > 2.5
    assert excluded_up_to(10**6, 1000, 1000, 0.0, 0.05) == pytest.approx(-math.log(0.05 ** (-1 / 1000) - 1.0), abs=1.1e-3)


def test_equal_scores_say_nothing_wherever_their_canaries_stand() -> None:
    """Fair coins, independent of scores of which nine in ten are equal; the table lists more of those left out first.

    By position 199 of the bounds would be above 0; each may be with probability 0.05.
    """
    above = 0
    for number in range(200):
        rng = np.random.default_rng(number)
        coins, scores = rng.random(100) < 0.5, (rng.random(100) < 0.9) * 1.0
        order = np.argsort(coins + rng.normal(size=100), kind="stable")
        above += one_run_lower_bound(scores[order], coins[order], seed=number).epsilon > 0.0
    assert above <= binom.ppf(0.9999, 200, 0.05)  # false alarm 1e-4


@pytest.mark.parametrize(
    ("included", "message"),
    [
        (np.arange(1000) >= 500, r"in the order in which they were drawn, got 998 of 999 that agree with the coin 1 before"),
        (np.arange(1000) < 500, "got 998 of 999 that agree with the coin 1 before"),
        (np.arange(1000) % 2 == 0, "included must be independent coins, .* got 0 of 999 that agree with the coin 1 before"),
        (np.tile(np.random.default_rng(0).random(500) < 0.5, 2), "got 500 of 500 that agree with the coin 500 before"),
        (np.arange(1000) % 10 > 0, "included must be drawn by fair coins, got 900 of 1000 that took part"),
        (np.ones(1000, dtype=bool), "included must be drawn by fair coins, got 1000 of 1000 that took part"),
    ],
)
def test_what_no_fair_coins_give_is_refused(included: np.ndarray, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        one_run_lower_bound(np.zeros(1000), included)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0.0], [True]), r"scores must be two numbers or more"),
        (([0.0, math.nan], [True, False]), r"scores must be .* none of them nan"),
        (([0.0, 1.0], [1, 0]), r"included must be truth values of shape \(2,\), got shape \(2,\) with entries int64"),
        (([0.0, 1.0], [True]), r"included must be truth values of shape \(2,\), got shape \(1,\)"),
    ],
)
def test_canaries_that_are_none_are_refused(arguments: tuple[list[float], list[bool]], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        one_run_lower_bound(*arguments)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"guesses": 3}, r"guesses must be integers in 1\.\.2, got 3"),
        ({"guesses": 0}, r"guesses must be integers in 1\.\.2, got 0"),
        ({"guesses": [True]}, r"guesses must be integers in 1\.\.2, got \[True\]"),
        ({"guesses": []}, r"guesses must be integers in 1\.\.2, got \[\]"),
        ({"delta": 1.0}, r"delta must be"),
        ({"seed": -1}, r"seed must be an integer >= 0, got -1"),
        ({"confidence": 1.0}, r"confidence must be in \(0, 1\), got 1\.0"),
    ],
)
def test_options_outside_their_range_are_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        one_run_lower_bound([0.0, 1.0], [True, False], **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("error", [0.05, 0.01])
def test_an_epsilon_that_explains_the_guesses_is_not_excluded(error: float) -> None:
    """Ten right guesses of ten have probability s^10, s = 1 / (1 + e^-epsilon): s may be the tenth root of the error."""
    share = error**0.1
    exact = math.log(share / (1.0 - share))
    found = canaries.excluded_up_to(10, 10, 10, 0.0, error)
    assert exact - 1e-3 <= found <= exact


def test_as_many_guesses_are_made_at_each_end() -> None:
    joined = np.array([False] * 4 + [True] * 4)
    for guesses in (4, 5, 8):
        bound = audit.one_run_lower_bound(np.arange(8.0), joined, guesses=guesses)
        assert bound.event in (f"{guesses} of {guesses} guesses about 8 canaries are right", "nothing shown by 8 canaries")
    joined[3] = True  # the fourth from below is wrong, and only eight guesses ask for it
    found = audit.one_run_lower_bound(np.arange(8.0), joined, guesses=8)
    assert found.event == "7 of 8 guesses about 8 canaries are right"


@pytest.mark.parametrize(("m", "r", "right"), [(100, 100, 75), (1000, 60, 50), (10, 1, 1), (8, 8, 0), (8, 8, 2)])
@pytest.mark.parametrize("error", [0.05, 0.6])
def test_without_delta_a_bound_is_the_limit_of_clopper_and_pearson(m: int, r: int, right: int, error: float) -> None:
    """A lower limit for the share of right guesses, the sigmoid of epsilon."""
    share = float(beta.ppf(error, right, r - right + 1)) if right else 0.0
    exact = max(0.0, math.log(share / (1.0 - share))) if right else 0.0
    assert exact - 1.0001e-3 <= excluded_up_to(m, r, right, 0.0, error) <= exact


def test_a_bound_says_what_it_was_asked_for() -> None:
    coins = np.random.default_rng(3).permutation(np.arange(256) < 128)
    bound = one_run_lower_bound(coins.astype(float), coins, delta=1e-3, confidence=0.9, seed=7)
    assert (bound.delta, bound.confidence, bound.trials, bound.seed, bound.method) == (1e-3, 0.9, 256, 7, "one run")
    assert 0.0 <= bound.seconds < 60.0
    # 256, 64 and 16 guesses are tried, all are right, and each is given a third of the error
    assert bound.epsilon == excluded_up_to(256, 256, 256, 1e-3, (1.0 - 0.9) / 3)
    assert bound.event == "256 of 256 guesses about 256 canaries are right"
    few = np.random.default_rng(3).permutation(np.arange(8) < 4)  # all eight are guessed about, and nothing else
    assert one_run_lower_bound(few.astype(float), few).epsilon == excluded_up_to(8, 8, 8, 0.0, 1.0 - 0.95) > 0.0
    for guesses in ([64, 16], (64, 16), np.array([64, 16]), range(64, 0, -48)):
        asked = one_run_lower_bound(coins.astype(float), coins, guesses=guesses)  # type: ignore[arg-type]
        assert asked.epsilon == excluded_up_to(256, 64, 64, 0.0, (1.0 - 0.95) / 2)


@pytest.mark.parametrize(("m", "r", "right"), [(40, 20, 20), (40, 40, 33), (100, 30, 28)])
def test_the_chain_of_a_gaussian_excludes_what_a_linear_program_does(m: int, r: int, right: int) -> None:
    """Of a program with the inequalities of a hundred points of the curve of mu-GDP."""
    coins = np.random.default_rng(3).permutation(np.arange(m) < m // 2)
    scores = coins * 2.0 - 1.0
    scores[np.flatnonzero(scores > 0.0)[: r // 2]] += 1.0
    scores[np.flatnonzero(scores < 0.0)[: r - r // 2]] -= 1.0
    wrong = np.flatnonzero(np.abs(scores) > 1.5)[: r - right]
    coins[wrong] = ~coins[wrong]
    found = one_run_gdp_bound(scores, coins, guesses=r)

    def likely(mu: float) -> float:
        epsilons = np.linspace(0.0, 8.0, 100)
        deltas = norm.cdf(mu / 2 - epsilons / mu) - np.exp(epsilons) * norm.cdf(-mu / 2 - epsilons / mu)
        return _most_likely(m, r, right, *zip(epsilons.tolist(), deltas.tolist(), strict=True))

    assert found > 0.1
    assert likely(found - 2e-3) < 0.05 * (1.0 + 1e-6)
    assert likely(found + 0.01) > 0.05
