"""The transcript view: exact losses, tilting that changes nothing but the spread, bounds that hold."""

from __future__ import annotations

import math
import time

import numpy as np
import pytest
from scipy.stats import binom, norm

from dppca import audit
from dppca.audit.execution import transcript_view
from dppca.audit.execution.transcripts import draw_transcript
from dppca.reference.noise import Noise, lockstep
from dppca.reference.primitives.gaussian import analytic_std, composed_mu, epsilon_at, profile
from dppca.reference.singhal2021.gap_max import GapMaxLaw


def adaptive(data: float, noise: Noise) -> float:
    """Five releases, each around a value that moves with the last; together exactly Gaussian with mu = sqrt(5) / 4."""
    x = 0.0
    for t in range(5):
        x = noise.gaussian(f"g[{t}]", data + 0.3 * x, std=4.0, sensitivity=1.0)
    return x


MU = composed_mu([0.25] * 5)


def mixed(data: float, noise: Noise) -> None:
    """Run an algorithm with a release of every kind."""
    start = noise.public_normal("start", (2,))
    first = noise.gaussian("g", start + data, std=2.0, sensitivity=2.0)
    noise.laplace("l", first.sum() + data, scale=3.0, sensitivity=1.0)
    noise.thresholded_laplace("t", data, scale=1.0, threshold=0.5, sensitivity=1.0)
    noise.exponential("e", [0.0, data, 1.0], multiplier=0.5, sensitivity=1.0)


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", [adaptive, mixed])
def test_untilted_losses_have_the_law_of_lockstep_losses(algorithm: object) -> None:
    """Two engines, one law: means of two samples of losses agree within five standard errors (false alarm < 1e-6)."""
    rng = np.random.default_rng(0)
    engine = np.array([draw_transcript(algorithm, 0.0, 1.0, rng).loss for _ in range(3000)])  # type: ignore[arg-type]
    plain = np.array([lockstep(algorithm, 0.0, 1.0, rng).loss for _ in range(3000)])  # type: ignore[arg-type]
    for moment in (1, 2):
        a, b = engine**moment, plain**moment
        assert abs(a.mean() - b.mean()) < 5.0 * math.sqrt((a.var() + b.var()) / 3000)


@pytest.mark.slow
@pytest.mark.parametrize("tilt", [0.0, 0.5, 2.0])
@pytest.mark.parametrize("algorithm", [adaptive, mixed])
def test_weights_average_to_one_and_reweight_to_the_same_law(algorithm: object, tilt: float) -> None:
    rng = np.random.default_rng(1)
    drawn = [draw_transcript(algorithm, 0.0, 1.0, rng, tilt) for _ in range(4000)]  # type: ignore[arg-type]
    weights = np.exp([d.log_weight for d in drawn])
    assert abs(weights.mean() - 1.0) < 5.0 * weights.std() / math.sqrt(4000) + 1e-12
    # E_P[e^-loss] = 1 whatever the tilt
    ratio = weights * np.exp([-d.loss for d in drawn])
    assert abs(ratio.mean() - 1.0) < 5.0 * ratio.std() / math.sqrt(4000) + 1e-12


def test_tilted_losses_estimate_the_exact_profile() -> None:
    rng = np.random.default_rng(2)
    drawn = [draw_transcript(adaptive, 0.0, 1.0, rng, 6.0) for _ in range(4000)]
    epsilon = 2.0
    payoffs = [math.exp(d.log_weight) * max(0.0, -math.expm1(epsilon - d.loss)) for d in drawn]
    error = np.std(payoffs) / math.sqrt(4000)
    assert error < 0.05 * profile(epsilon, MU)
    assert abs(np.mean(payoffs) - profile(epsilon, MU)) < 5.0 * error


@pytest.mark.slow
def test_twenty_adaptive_releases_at_a_small_delta() -> None:
    std = analytic_std(1.0, 1e-6, 1.0) * math.sqrt(20.0)

    def algorithm(data: float, noise: Noise) -> None:
        x = 0.0
        for t in range(20):
            x = noise.gaussian(f"g[{t}]", data + 0.1 * x, std=std, sensitivity=1.0)

    bound = audit.transcript_lower_bound(algorithm, 0.0, 1.0, delta=1e-6, trials=4000, confidence=0.999)
    assert 0.98 < bound.epsilon <= 1.0


@pytest.mark.slow
def test_bounds_are_above_the_truth_no_more_often_than_stated() -> None:
    repetitions, confidence, delta = 120, 0.8, 1e-3
    truth = epsilon_at(delta, MU)
    wrong = sum(
        audit.transcript_lower_bound(adaptive, 0.0, 1.0, delta=delta, trials=300, confidence=confidence, seed=s).epsilon > truth
        for s in range(repetitions)
    )
    assert binom.sf(wrong - 1, repetitions, 1.0 - confidence) > 1e-6  # false alarm: 1e-6


@pytest.mark.slow
@pytest.mark.parametrize(
    ("share", "std", "delta", "untilted", "exact"),
    [  # `untilted` is what the same number of transcripts gave without a tilt; by quadrature, `exact`
        (0.1, 0.5, 1e-3, 5.526, 6.00),
        (0.1, 0.5, 1e-5, 7.368, 8.89),
        (0.5, 1.0, 1e-3, 2.717, 2.92),
        (0.5, 1.0, 1e-5, 3.723, 4.22),
    ],
)
def test_a_loss_that_only_some_transcripts_carry_is_found(
    share: float, std: float, delta: float, untilted: float, exact: float
) -> None:
    """A public draw decides whether the data are used: the median of nine bounds at 0.95.

    One in eight is below `untilted` in the first case: five of nine are with probability 2e-3.
    """

    def algorithm(data: float, noise: Noise) -> float:
        used = norm.cdf(float(noise.public_normal("pick", ()))) < share
        return noise.gaussian("g", data * used, std=std, sensitivity=1.0)

    arguments = {"delta": delta, "trials": 5000, "confidence": 0.95}
    bounds = [audit.transcript_lower_bound(algorithm, 1.0, 0.0, seed=s, **arguments).epsilon for s in range(9)]
    assert untilted < sorted(bounds)[4] <= exact


def test_no_weight_exceeds_what_the_untilted_share_allows() -> None:
    rng = np.random.default_rng(4)
    drawn = [draw_transcript(adaptive, 0.0, 1.0, rng, 6.0, share=0.1) for _ in range(4000)]
    weights = np.exp([d.log_weight for d in drawn])
    assert weights.max() <= 10.0 * (1.0 + 1e-12)
    assert weights.max() > 5.0  # some are drawn without the tilt
    assert abs(weights.mean() - 1.0) < 5.0 * weights.std() / math.sqrt(4000)


def test_pure_epsilon_of_laplace_is_its_largest_loss() -> None:
    def algorithm(data: float, noise: Noise) -> None:
        noise.laplace("l", data, scale=2.0, sensitivity=1.0)

    bound = audit.transcript_lower_bound(algorithm, 0.0, 1.0, delta=0.0, trials=1000)
    assert bound.epsilon == pytest.approx(0.5)


def test_a_release_without_noise_refutes_every_epsilon() -> None:
    def algorithm(data: float, noise: Noise) -> None:
        noise.gaussian("g", data, std=0.0, sensitivity=1.0)

    assert audit.transcript_lower_bound(algorithm, 0.0, 1.0, delta=1e-6, trials=1000).epsilon == math.inf


def test_data_dependent_control_flow_refutes_every_epsilon() -> None:
    def algorithm(data: float, noise: Noise) -> None:
        noise.gaussian("first", 0.0, std=1.0, sensitivity=1.0)
        if data > 0.5:
            noise.gaussian("second", 0.0, std=1.0, sensitivity=1.0)

    for pair in ((0.0, 1.0), (1.0, 0.0)):
        assert audit.transcript_lower_bound(algorithm, *pair, delta=1e-6, trials=1000).epsilon == math.inf


def test_data_dependent_noise_scale_is_seen() -> None:
    """The value never changes, the noise does: sensitivity says 0, the likelihood knows better."""

    def algorithm(data: float, noise: Noise) -> None:
        noise.gaussian("g", 0.0, std=1.0 + data, sensitivity=1.0)

    bound = audit.transcript_lower_bound(algorithm, 0.0, 1.0, delta=0.01, trials=5000)
    # exact: N(0, 4) against N(0, 1); beyond |x| = t the ratio exceeds e^epsilon
    t = math.sqrt((bound.epsilon + math.log(2.0)) * 2.0 / 0.75)
    exact = 2.0 * (norm.sf(t / 2.0) - math.exp(bound.epsilon) * norm.sf(t))
    assert bound.epsilon > 1.0
    assert exact > 0.01


def test_secret_draws_are_reported() -> None:
    def algorithm(data: float, noise: Noise) -> None:
        index = int(noise.secret_integers("index", 2, ()))
        noise.gaussian("g", data * index, std=1.0, sensitivity=1.0)

    bound = audit.transcript_lower_bound(algorithm, 0.0, 1.0, delta=0.01, trials=1000)
    assert bound.secrets == ("index",)


def test_the_same_seed_gives_the_same_bound() -> None:
    first, second = (audit.transcript_lower_bound(adaptive, 0.0, 1.0, delta=1e-3, trials=500, seed=9).epsilon for _ in range(2))
    assert first == second


def test_a_failing_algorithm_is_named() -> None:
    def algorithm(data: float, noise: Noise) -> None:
        if noise.gaussian("g", data, std=1.0, sensitivity=1.0) > 3.0:
            raise RuntimeError("overflow")

    with pytest.raises(
        audit.MechanismError,
        match=r"raised RuntimeError: overflow on the pair, transcripts drawn on (data|neighbour), trial \d+",
    ):
        audit.transcript_lower_bound(algorithm, 0.0, 1.0, delta=1e-3, trials=20_000)


def test_values_of_different_shape_are_no_divergence_where_the_law_hides_the_shape() -> None:
    """The winner among candidates that only one dataset has: what is compared is the law of what is released."""
    law = GapMaxLaw(scale=2.0, bound=6.0, draws=3)
    short, long = np.array([[5.0, 0.0, 0.0], [2.0, 1.0, 7.0]]), np.array([[5.0, 0.0, 0.0], [2.0, 1.0, 7.0], [0.0, 2.0, 9.0]])

    def algorithm(data: int, noise: Noise) -> None:
        noise.release("winner", long if data else short, law, sensitivity=2.0)

    losses = [draw_transcript(algorithm, 0, 1, np.random.default_rng(s)).loss for s in range(50)]
    assert max(losses) < 1.0


def test_secrets_at_which_the_runs_part_are_reported() -> None:
    def by_size(data: int, noise: Noise) -> None:
        noise.secret_permutation("order", data)
        noise.gaussian("g", 0.0, std=1.0, sensitivity=1.0)

    def one_side(data: int, noise: Noise) -> None:
        if data == 10:
            noise.secret_integers("index", 3, ())
        noise.gaussian("g", 0.0, std=1.0, sensitivity=1.0)

    def sometimes(data: int, noise: Noise) -> None:
        if noise.gaussian("first", 0.0, std=1.0, sensitivity=1.0) > 1.0:
            noise.secret_integers("index", 3, ())

    for algorithm, name in ((by_size, "order"), (one_side, "index"), (sometimes, "index")):
        for pair in ((10, 11), (11, 10)):
            assert audit.transcript_lower_bound(algorithm, *pair, delta=0.01, trials=300).secrets == (name,)
    for pair in ((10, 11), (11, 10)):
        assert lockstep(one_side, *pair, np.random.default_rng(0)).secrets == ("index",)


@pytest.mark.parametrize("epsilon", [1.0, 0.1, 3.0])
def test_rounding_does_not_refute_a_pure_claim_that_is_exactly_true(epsilon: float) -> None:
    def algorithm(data: float, noise: Noise) -> None:
        noise.laplace("l", data, scale=1.0 / epsilon, sensitivity=1.0)

    bound = audit.transcript_lower_bound(algorithm, 0.0, 1.0, delta=0.0, trials=500)
    assert 0.999 * epsilon < bound.epsilon <= epsilon


def test_lists_of_candidates_of_different_length_are_compared_by_what_is_released() -> None:
    """Uniform on 3 against uniform on 4: (0, 1/4)-DP one way, log(4/3) at delta = 0 the other."""

    def algorithm(data: int, noise: Noise) -> None:
        noise.exponential("chosen", np.zeros(data), multiplier=1.0, sensitivity=1.0)

    assert audit.transcript_lower_bound(algorithm, 3, 4, delta=0.3, trials=2000).epsilon == 0.0
    assert audit.transcript_lower_bound(algorithm, 3, 4, delta=0.1, trials=2000).epsilon == math.inf


def test_two_laws_on_the_line_are_compared_by_their_densities() -> None:
    def algorithm(data: int, noise: Noise) -> None:
        if data:
            noise.laplace("x", 0.0, scale=1.0, sensitivity=1.0)
        else:
            noise.gaussian("x", 0.0, std=1.2, sensitivity=1.0)

    assert audit.transcript_lower_bound(algorithm, 0, 1, delta=0.1, trials=2000).epsilon < 1.0


def test_far_apart_and_nearly_equal_values_end() -> None:
    def algorithm(data: float, noise: Noise) -> None:
        noise.gaussian("g", data, std=1.0, sensitivity=1.0)

    assert audit.transcript_lower_bound(algorithm, 0.0, 2e5, delta=1e-5, trials=300).epsilon > 1e9
    assert audit.transcript_lower_bound(algorithm, 0.0, 1e-16, delta=1e-5, trials=300).epsilon == 0.0


def test_a_pilot_promises_what_betting_will_show() -> None:
    """All losses 5: 1 - e^(epsilon - 5) is delta. Half of them 5: that is 2 delta / (1 - need), need = sqrt(2 log 20 / trials).

    What is sure is less: half a standard error of 100 transcripts more is needed. The share is need over the deviation.
    """
    always = transcript_view.plan_test(np.full(100, 5.0), np.zeros(100), 1000, 0.5, 0.05, 0.25)
    assert always is not None
    assert always.promise == pytest.approx(5.0 + math.log(0.5), abs=1e-3)
    assert (always.tilt, always.shares.tolist()) == (0.25, pytest.approx([0.225, 0.45, 0.9]))
    half = transcript_view.plan_test(np.repeat([5.0, -5.0], 50), np.zeros(100), 1000, 0.1, 0.05, 0.0)
    assert half is not None
    need = math.sqrt(2.0 * math.log(20.0) / 1000.0)
    assert half.promise == pytest.approx(5.0 + math.log(1.0 - 0.2 / (1.0 - need)), abs=1e-3)
    assert half.rated == pytest.approx(5.0 + math.log(1.0 - 0.2 / (1.0 - need - 0.05)), abs=1e-3)
    share = need * (1.0 - need)  # the deviation is 1 / (1 - need)
    assert half.shares == pytest.approx(np.array([0.5, 1.0, 2.0]) * share, rel=1e-2)
    assert transcript_view.plan_test(np.full(100, -1.0), np.zeros(100), 1000, 0.1, 0.05, 0.0) is None


def test_the_largest_epsilon_is_found_from_below_and_given_up_beyond_a_million() -> None:
    for edge in (1e-3, 0.7, 1.0, 33.3, 4e5):
        for high in (1.0, 50.0):
            found = transcript_view.largest_epsilon(lambda epsilon, edge=edge: epsilon <= edge, high)
            assert edge - 2e-3 * max(1.0, edge) <= found <= edge
    assert transcript_view.largest_epsilon(lambda epsilon: True, 1.0) == 2.0**19  # 2^20 is more than a million
    assert transcript_view.largest_finite(np.array([0.2, math.inf, -math.inf])) == 1.0
    assert transcript_view.largest_finite(np.array([0.2, 3.5, math.inf])) == 3.5
    assert transcript_view.largest_finite(np.array([math.inf])) == 1.0


def test_a_pilot_is_taken_from_the_trials_that_were_asked_for() -> None:
    """Three rounds of 30 transcripts."""
    advanced: list[int] = []

    def one(data: float, noise: Noise) -> float:
        return float(noise.gaussian("g", data, std=1.0, sensitivity=1.0))

    verdict = audit.transcript_check(one, 0.0, 1.0, audit.Claim(9.0), trials=400, seed=1, progress=advanced.append)
    assert (advanced, verdict.bound.trials) == ([90, 310], 400)


@pytest.mark.parametrize("delta", [5e-324, 2.3e-308, 1e-200, 1e-160])
def test_a_delta_near_the_least_number_overflows_nowhere(delta: float) -> None:
    def algorithm(data: float, noise: Noise) -> None:
        noise.gaussian("g", data, std=1.0, sensitivity=1.0)

    found = audit.transcript_lower_bound(algorithm, 0.0, 1.0, delta=delta, trials=1000, seed=1).epsilon
    most = 0.5 + math.sqrt(-2.0 * math.log(delta))  # as Phi(-t) <= exp(-t^2 / 2)
    assert 0.9 * most < found < most


def test_a_time_limit_lowers_the_trials_to_what_fits() -> None:
    def slow(data: float, noise: Noise) -> float:
        time.sleep(0.005)
        return noise.gaussian("g", data, std=8.0, sensitivity=1.0)

    verdict = audit.transcript_check(slow, 0.0, 1.0, audit.Claim(1.0, 1e-5), seconds=1.0)
    assert not verdict.refuted
    assert 100 <= verdict.bound.trials < 300
