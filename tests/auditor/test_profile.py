"""Privacy profiles: exact ones, and bands that hold at every epsilon at once."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binom, norm
from statsmodels.stats.proportion import proportion_confint

from dppca import audit
from dppca.audit.auditor.betting import mean_exceeds, mean_lower_bound
from dppca.audit.auditor.profile import band_from_events, band_from_losses, payoffs, trade_off_from_events
from dppca.audit.auditor.results import Claim, Losses, Nested
from dppca.audit.execution.transcript_view import transcript_check
from dppca.audit.suite.audits import instances
from dppca.reference.noise import Noise
from dppca.reference.primitives.gaussian import analytic_std, profile
from dppca.reference.rigour.finite import delta_of_laws
from tests.studies.known_mechanisms import SIMPLE_MECHANISMS, Known, gaussian

pytestmark = pytest.mark.usefixtures("without_new_processes")

GRID = np.linspace(0.0, 2.0, 25)
STD = 2.0
#: Coverage tests run at this confidence, where misses are easiest to see; each raises a false alarm with probability 1e-6.
CONFIDENCE, REPETITIONS = 0.8, 200


def _misses_are_as_rare_as_stated(misses: int, repetitions: int = REPETITIONS) -> bool:
    return bool(binom.sf(misses - 1, repetitions, 1.0 - CONFIDENCE) > 1e-6)


def _release(x: float, noise: Noise) -> float:
    return float(noise.gaussian("x", np.array([x]), std=STD, sensitivity=1.0)[0])


# --- events -------------------------------------------------------------------------------------------


def test_the_band_of_events_covers_their_best_difference_at_every_epsilon_at_once() -> None:
    """Half-lines x > t of N(1, 1) and N(0, 1): the best difference over them is known in closed form."""
    rng, n, cuts = np.random.default_rng(1), 500, np.linspace(3.0, -2.0, 30)
    p, q = norm.sf(cuts, 1.0), norm.sf(cuts)
    ratio = np.exp(GRID)[:, None]
    truth = np.maximum(np.hstack([p - ratio * q, (1 - q) - ratio * (1 - p)]).max(axis=1), 0.0)
    misses = 0
    for _ in range(REPETITIONS):
        draws = [np.sort(-(rng.standard_normal(n) + shift)) for shift in (1.0, 0.0)]
        counts = [np.searchsorted(sample, -cuts) for sample in draws]
        band = band_from_events(Nested(*counts, n, looks=1), GRID, CONFIDENCE)
        assert band.upper is not None
        assert np.all(band.lower <= band.estimate)
        assert np.all(band.estimate <= band.upper)
        misses += bool(np.any(band.lower > truth) or np.any(band.upper < truth))
    assert _misses_are_as_rare_as_stated(misses)


def test_the_band_of_rare_events_is_that_of_clopper_and_pearson() -> None:
    """One of 10 outputs in the event, against 5 of 10; statsmodels has the intervals."""
    band = band_from_events(Nested(np.array([5]), np.array([1]), 10, 1), [math.log(3.0)], CONFIDENCE)
    (_, high), (low, _) = (proportion_confint(count, 10, alpha=0.1, method="beta") for count in (5, 1))
    assert band.upper is not None
    assert band.upper[0] == pytest.approx(high - 3.0 * low, rel=1e-12) == pytest.approx(0.76, abs=5e-3)
    assert (band.estimate[0], band.lower[0]) == (pytest.approx(0.2), 0.0)


@pytest.mark.parametrize(("hits", "counters"), [(97, 5), (99, 70), (40, 0), (100, 93)])
def test_an_event_and_what_is_not_in_it_count_for_a_band(hits: int, counters: int) -> None:
    """Of 100 outputs each; the intervals are those of statsmodels, and an epsilon may be larger than any float's logarithm."""
    (p_low, p_high), (q_low, q_high) = (proportion_confint(k, 100, alpha=0.1, method="beta") for k in (hits, counters))
    grid = [0.0, 0.7, 1.2, 3.0, 1000.0]
    band = band_from_events(Nested(np.array([hits]), np.array([counters]), 100, 1), grid, CONFIDENCE)

    def best(p: float, q: float, epsilon: float) -> float:
        inside, outside = (math.exp(min(epsilon, 500.0)) * of if of > 0.0 else 0.0 for of in (q, 1.0 - p))
        return max(0.0, p - inside, 1.0 - q - outside)

    assert band.upper is not None
    assert band.estimate == pytest.approx([best(hits / 100, counters / 100, e) for e in grid], abs=1e-12)
    assert band.lower == pytest.approx([best(p_low, q_high, e) for e in grid], abs=1e-12)
    assert band.upper == pytest.approx([best(p_high, q_low, e) for e in grid], abs=1e-12)


@pytest.mark.parametrize(("hits", "counters", "looks"), [(7, 2, 1), (10, 3, 2), (6, 0, 1)])
def test_the_trade_off_of_one_event_is_a_line_with_one_bend(hits: int, counters: int, looks: int) -> None:
    """Of 10 outputs each; by its share on the neighbour, and by what its intervals allow at worst and at best."""
    grid = np.linspace(0.0, 1.0, 41)
    tail = (1.0 - CONFIDENCE) / (4 * looks)
    (low_p, high_p), (low_q, high_q) = (proportion_confint(k, 10, alpha=2.0 * tail, method="beta") for k in (hits, counters))
    band = trade_off_from_events(Nested(np.array([hits]), np.array([counters]), 10, looks), grid, CONFIDENCE)

    def bent(level: float, power: float) -> np.ndarray:
        return np.minimum(np.interp(grid, [0.0, max(level, 1e-300), 1.0], [1.0, 1.0 - power, 0.0]), 1.0 - grid)

    assert band.estimate[1:] == pytest.approx(bent(counters / 10, hits / 10)[1:], abs=1e-9)
    assert (band.estimate[0], band.lower[0]) == pytest.approx(
        (1.0 - hits / 10 * (counters == 0), 1.0 - high_p * (counters == 0))
    )
    assert band.lower[1:] == pytest.approx(bent(low_q, high_p)[1:], abs=1e-9)
    assert band.upper == pytest.approx(bent(high_q, low_p), abs=1e-9)
    assert (band.levels.tolist(), band.confidence) == (grid.tolist(), CONFIDENCE)


def test_a_trade_off_is_convex_though_its_events_are_not() -> None:
    """The event of 2 of 8 on the neighbour, 3 of 8 on the data, is worse than a mixture of the other two."""
    nested = Nested(np.array([2, 3, 7]), np.array([0, 2, 4]), 8, 1)
    band = trade_off_from_events(nested, [0.0, 0.25, 0.5, 0.75, 1.0], CONFIDENCE)
    assert band.estimate == pytest.approx([0.75, 0.4375, 0.125, 0.0625, 0.0])


def test_a_run_that_stops_early_keeps_the_band() -> None:
    """The nastiest stopping rule: at the first look at which the band would miss if that look had been planned alone."""
    rng, looks, size = np.random.default_rng(2), 20, 100
    p, q, grid = np.array([0.3, 0.5]), np.array([0.1, 0.3]), np.array([0.0])
    alone = together = 0
    for _ in range(REPETITIONS):
        on_data, on_neighbour = (
            np.cumsum(rng.multinomial(size, [x[0], x[1] - x[0], 1 - x[1]], looks)[:, :2].cumsum(axis=1), axis=0) for x in (p, q)
        )

        def missed(look: int, planned: int, data: np.ndarray = on_data, neighbour: np.ndarray = on_neighbour) -> bool:
            band = band_from_events(Nested(data[look], neighbour[look], size * (look + 1), planned), grid, CONFIDENCE)
            assert band.upper is not None
            return bool(band.lower[0] > 0.2 or band.upper[0] < 0.2)

        alone += any(missed(look, 1) for look in range(looks))
        together += any(missed(look, looks) for look in range(looks))
    assert _misses_are_as_rare_as_stated(together)
    assert alone > together


def test_the_error_is_shared_out_over_events_and_looks() -> None:
    """Ten copies of one event, or ten looks, cost as much as a tenth of the error."""
    once = band_from_events(Nested(np.array([60]), np.array([20]), 100, 1), GRID, 1.0 - 0.01)
    copies = band_from_events(Nested(np.full(10, 60), np.full(10, 20), 100, 1), GRID, 1.0 - 0.1)
    looks = band_from_events(Nested(np.array([60]), np.array([20]), 100, 10), GRID, 1.0 - 0.1)
    for band in (copies, looks):
        assert band.lower == pytest.approx(once.lower)
        assert band.upper == pytest.approx(once.upper)


@pytest.mark.slow
@pytest.mark.parametrize(
    "known", [known for known in SIMPLE_MECHANISMS if known.name != "Gaussian"], ids=lambda known: known.name
)
def test_the_band_of_a_check_stays_below_the_exact_profile(known: Known) -> None:
    """No epsilon-DP mechanism has a larger profile than randomised response."""
    truth = np.maximum(1.0 - np.exp(GRID - known.epsilon), 0.0) / (1.0 + math.exp(-known.epsilon))
    misses = 0
    for seed in range(REPETITIONS // 4):
        claim = audit.Claim(known.epsilon, 0.0)
        verdict = audit.check(known.mechanism, known.data, known.neighbour, claim, trials=1000, seed=seed)
        misses += bool(np.any(band_from_events(verdict.tested, GRID, CONFIDENCE).lower > truth))
    assert _misses_are_as_rare_as_stated(misses, REPETITIONS // 4)


@pytest.mark.parametrize("shrink", [1.0, 1.5])
def test_the_band_of_a_check_is_near_the_exact_profile(shrink: float) -> None:
    """Whether or not the check stops early; its events are nested and hold all of their trials."""
    known = gaussian(shrink=shrink)
    truth = np.array([profile(e, shrink / analytic_std(1.0, 0.01, 1.0)) for e in GRID])
    claim = audit.Claim(1.0, 0.01)
    verdict = audit.check(known.mechanism, known.data, known.neighbour, claim, trials=100_000, seed=3)
    assert verdict.tested.trials == verdict.bound.trials - 30_000
    assert (verdict.tested.trials < 70_000) == (shrink > 1.0)
    for counts in (verdict.tested.on_data, verdict.tested.on_neighbour):
        assert np.all(np.diff(counts) >= 0)
        assert counts[0] < counts[-1] <= verdict.tested.trials
    band = band_from_events(verdict.tested, GRID, 0.95)
    assert band.upper is not None
    assert np.all(band.lower <= truth)
    assert np.all(truth[:13] <= band.upper[:13])  # half-lines are the best events, and these are dense enough up to 1
    # A check that stops early has 5,000 trials for its band, on six seeds 0.55 to 0.86 of the curve from below.
    assert np.all(band.lower[:7] > (0.6 if shrink == 1.0 else 0.5) * truth[:7])
    assert np.all(band.upper[:7] < 1.5 * truth[:7])


# --- losses -------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_band_of_a_transcript_covers_the_exact_profile_at_every_epsilon_at_once() -> None:
    """Losses of a Gaussian release, drawn with tilt 2."""
    rng, mu, tilt = np.random.default_rng(6), 1.0 / STD, 2.0
    truth = np.array([profile(e, mu) for e in GRID])
    misses = 0
    for _ in range(REPETITIONS):
        losses = mu * mu * (0.5 + tilt) + mu * rng.standard_normal(300)
        log_weights = -tilt * losses + 0.5 * tilt * (1.0 + tilt) * mu * mu
        misses += bool(np.any(band_from_losses(Losses(losses, log_weights, len(losses)), GRID, CONFIDENCE).lower > truth))
    assert _misses_are_as_rare_as_stated(misses)


def test_the_band_of_a_transcript_is_near_the_exact_profile_where_it_was_aimed() -> None:
    truth = np.array([profile(e, 1.0 / STD) for e in GRID])
    verdict = transcript_check(_release, 0.0, 1.0, Claim(5.0, 1e-5), trials=5000, confidence=0.9, seed=4)
    band = band_from_losses(verdict.tested, GRID, 0.95)
    assert band.upper is None
    assert np.all(np.diff(band.lower) <= 0.0)
    aimed = (truth > 1e-7) & (truth < 1e-3)
    assert np.sum(aimed) > 5
    assert np.all(band.lower[aimed] > 0.7 * truth[aimed])
    assert band.estimate[aimed] == pytest.approx(truth[aimed], rel=0.15)


def test_the_error_of_a_band_of_transcripts_is_shared_out_over_its_points() -> None:
    losses, grid = np.where(np.arange(400) < 240, 2.0, -1.0), [0.0, 0.5, 1.0, 1.5]
    band = band_from_losses(Losses(losses, np.zeros(400), 500), grid, 0.9)
    gains = [np.where(losses > epsilon, 1.0 - np.exp(epsilon - losses), 0.0) for epsilon in grid]
    alone = [mean_lower_bound(gain, 0.1 / 4, 500) for gain in gains]
    assert band.lower == pytest.approx(alone, rel=1e-9)
    assert min(alone) > 0.0


@pytest.mark.parametrize(("share", "least"), [(0.3, 0.15), (0.8, 0.65)])
def test_losses_that_the_neighbour_cannot_have_count_at_every_epsilon(share: float, least: float) -> None:
    losses = np.where(np.arange(1000) < 1000 * share, math.inf, 0.0)
    band = band_from_losses(Losses(losses, np.zeros(1000), 1000), GRID, 0.95)
    assert np.all(band.estimate == share)
    assert np.all((band.lower > least) & (band.lower < share))
    twice = band_from_losses(Losses(losses, np.full(1000, 2.0), 1000), GRID, 0.95)
    assert np.all(twice.estimate == 1.0)  # e^2 times the share, which no probability is


def test_payoffs_count_what_is_above_epsilon_by_its_weight() -> None:
    losses = np.array([math.inf, 5.0, 1.0, -math.inf])
    assert payoffs(losses, np.zeros(4), math.inf).tolist() == [1.0, 0.0, 0.0, 0.0]
    assert payoffs(losses, np.log([2.0, 3.0, 4.0, 5.0]), 1.0) == pytest.approx([2.0, 3.0 * (1.0 - math.exp(-4.0)), 0.0, 0.0])
    assert payoffs(losses, np.array([0.0, 0.0, 1000.0, 1000.0]), 2.0)[2:].tolist() == [0.0, 0.0]  # a weight beyond all floats


def test_the_mean_lower_bound_is_rejected_by_the_test_it_inverts_and_rarely_too_high() -> None:
    rng, alpha = np.random.default_rng(5), 0.1
    bounds = [mean_lower_bound(rng.exponential(0.1, 400), alpha, 400) for _ in range(400)]
    assert binom.sf(sum(bound > 0.1 for bound in bounds) - 1, 400, alpha) > 1e-6
    assert np.mean(bounds) > 0.08
    payoffs = rng.exponential(0.1, 400)
    shares = np.minimum(math.sqrt(2.0 * math.log(1.0 / alpha) / 400) * np.array([0.1, 0.4, 1.6]), 0.9)
    bound = mean_lower_bound(payoffs, alpha, len(payoffs))
    assert mean_exceeds(payoffs, bound, shares, alpha)
    assert not mean_exceeds(payoffs, bound * 1.01, shares, alpha)
    assert mean_lower_bound(np.zeros(10), alpha, 10) == 0.0
    assert mean_lower_bound(np.array([math.inf, 1.0]), alpha, 2) == 0.0


# --- exact --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("paper", ["wang2020", "shang2021", "baselines", "liu2022"])
def test_a_curve_falls_to_the_claim_s_delta_at_the_literal_epsilon(paper: str) -> None:
    """The epsilons, to six digits, on the curves that the report draws."""
    curved = 0
    for instance in instances():
        profile = None
        if instance.epsilon is not None and instance.algorithm.startswith(paper):
            profile = instance.built().profile
        if profile is None or instance.epsilon is None:
            continue
        curved += 1
        delta = instance.claim.delta
        if instance.epsilon == math.inf:
            assert profile(100.0) > delta, instance.id
            continue
        assert profile(instance.epsilon) <= delta * (1.0 + 1e-3) + 1e-9, instance.id
        if instance.epsilon > 0.0:
            assert profile(0.98 * instance.epsilon) > delta, instance.id
    assert curved > 0


def test_the_profile_of_finite_laws_is_their_hockey_stick_both_ways() -> None:
    p, q = {"a": 0.5, "b": 0.3, "c": 0.2}, {"a": 0.2, "b": 0.3, "d": 0.5}
    assert delta_of_laws(p, q, 0.0) == pytest.approx(0.5)
    assert delta_of_laws(p, q, math.log(2.0)) == pytest.approx(0.5)  # d, which p does not have
    assert delta_of_laws(p, {"a": 0.2, "b": 0.3, "c": 0.5}, math.log(2.0)) == pytest.approx(0.1)
