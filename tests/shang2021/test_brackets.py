"""The accounts of shang2021: against the Gaussian profile, Google's dp-accounting, and direct integration."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import norm

from dppca.audit.suite.shang2021 import brackets
from dppca.reference.accounting import Mechanism, UniformIndex, VarianceReduced, choose_grid
from dppca.reference.accounting.grid import FloatLaw, law
from dppca.reference.accounting.variance_reduced import split_share
from dppca.reference.primitives.gaussian import profile

dp_accounting = pytest.importorskip("dp_accounting")
pld = pytest.importorskip("dp_accounting.pld.privacy_loss_distribution")
RELATION = dp_accounting.NeighboringRelation


@pytest.mark.parametrize(
    ("T", "std", "epsilon"), [(1, 2.0, 0.5), (10, 5.0, 1.0), (100, 20.0, 3.0), (3, 0.5, 4.0), (1, 0.1, 3.0)]
)
def test_one_row_means_the_gaussian_mechanism(T: int, std: float, epsilon: float) -> None:
    exact = profile(epsilon, math.sqrt(T) / std)
    bracket = brackets.dp_spca(epsilon, 1, T, std, 1.0)
    assert (
        bracket.lower <= exact <= bracket.upper * (1 + 1e-9)
    )  # the upper bound is the enclosed profile; this one is in floats
    assert bracket.upper - bracket.lower <= 3e-3 * exact
    assert brackets.dp_spca_output_lower(epsilon, 1, T, std, 1.0) == pytest.approx(exact, rel=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "T", "std", "epsilon"), [(10, 100, 2.0, 1.0), (100, 1000, 1.0, 0.5), (50, 2000, 3.0, 0.2), (2, 5, 0.5, 1.0)]
)
def test_lower_bound_is_dp_accountings_account_of_one_pair(n: int, T: int, std: float, epsilon: float) -> None:
    """dp-accounting's add-or-remove account with sampling probability 1/n is of the pairs `remove` and `add`."""
    low, high = (
        pld.from_gaussian_mechanism(std, 1.0, pessimistic, 1e-4, sampling_prob=1.0 / n, use_connect_dots=pessimistic)
        .self_compose(T)
        .get_delta_for_epsilon(epsilon)
        for pessimistic in (False, True)
    )
    bracket = brackets.dp_spca(epsilon, n, T, std, 1.0)
    assert low * (1 - 1e-6) <= bracket.lower <= high * (1 + 1e-9)
    assert bracket.lower == pytest.approx(high, rel=1e-3)
    assert bracket.upper >= high * (1 - 1e-3)


@pytest.mark.parametrize(("n", "T", "std", "epsilon"), [(2, 1, 1.0, 0.5), (3, 2, 0.8, 0.7), (5, 4, 0.5, 1.5)])
def test_lower_bound_of_the_output_is_the_best_test_of_the_number_of_hits(n: int, T: int, std: float, epsilon: float) -> None:
    """The larger divergence of N(K / sqrt(T) / std, 1), K ~ Binomial(T, 1/n), and N(0, 1), both ways round, by quadrature."""
    y = np.linspace(-12.0, 12.0 + math.sqrt(T) / std, 400_001)
    hit = [math.comb(T, k) * n**-k * (1.0 - 1.0 / n) ** (T - k) for k in range(T + 1)]
    moved = np.sum([share * norm.pdf(y, k / math.sqrt(T) / std) for k, share in enumerate(hit)], axis=0)
    at_zero, width = norm.pdf(y), y[1] - y[0]
    both = [width * float(np.sum(np.maximum(p - math.exp(epsilon) * q, 0.0))) for p, q in ((moved, at_zero), (at_zero, moved))]
    assert brackets.dp_spca_output_lower(epsilon, n, T, std, 1.0) == pytest.approx(max(both), rel=1e-4)


@pytest.mark.parametrize(("n", "T", "std", "epsilon"), [(10, 100, 2.0, 1.0), (100, 1000, 1.0, 0.5)])
def test_upper_bound_covers_dp_accountings_replace_one_pair(n: int, T: int, std: float, epsilon: float) -> None:
    """Its replace-one pair puts the other rows halfway between the two gradients: sensitivity 1/2 on each side.

    Its Renyi account of sampling without replacement bounds every pair, and is looser.
    """
    halfway = pld.from_gaussian_mechanism(
        std, 0.5, False, 1e-4, sampling_prob=1.0 / n, use_connect_dots=False, neighboring_relation=RELATION.REPLACE_ONE
    )
    renyi = dp_accounting.rdp.RdpAccountant(neighboring_relation=RELATION.REPLACE_ONE)
    renyi.compose(dp_accounting.SampledWithoutReplacementDpEvent(n, 1, dp_accounting.GaussianDpEvent(std)), T)
    upper = brackets.dp_spca_upper(epsilon, n, T, std, 1.0)
    assert 0.0 < halfway.self_compose(T).get_delta_for_epsilon(epsilon) <= upper <= renyi.get_delta(epsilon)


def hockey_stick(p: NDArray[np.float64], q: NDArray[np.float64], alpha: float, cell: float) -> float:
    return float(np.sum(np.maximum(p - alpha * q, 0.0))) * cell


def one_step_profile(loss: FloatLaw, width: float, alpha: float) -> float:
    values = (loss.lowest + np.arange(len(loss.masses))) * width
    return float(loss.masses @ np.maximum(-np.expm1(math.log(alpha) - values), 0.0)) + loss.infinite


@settings(max_examples=60, deadline=None)
@given(
    n=st.integers(1, 20),
    ratio=st.floats(0.2, 2.5),
    log_alpha=st.floats(-2.0, 2.0),
    seed=st.integers(0, 2**32 - 1),
    corner=st.booleans(),
)
def test_one_step_pair_dominates_every_triple_of_gradients(
    n: int, ratio: float, log_alpha: float, seed: int, corner: bool
) -> None:
    """Any m, a, b in the plane with mutual distances <= s, any alpha: integrated on a grid of 0.05 std.

    Corners of an equilateral triangle of side s are the widest triple that the proof allows. The integrand has a kink where
    p = alpha q; its slope changes there by at most |grad (p - alpha q)| < 0.5, on a length below 6 within reach of the
    mass, so the midpoint rule errs by less than h^2 / 12 times 3, 7e-4; where n = 1 the two sides are equal.
    """
    rng = np.random.default_rng(seed)
    points = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, math.sqrt(0.75)]]) if corner else rng.standard_normal((3, 2))
    widest = max(float(np.linalg.norm(points[i] - points[j])) for i, j in ((0, 1), (0, 2), (1, 2)))
    m, a, b = ratio * points / widest
    axis = np.arange(-8.0, 8.0 + ratio, 0.05)
    density = {
        key: np.outer(norm.pdf(axis, point[0]), norm.pdf(axis, point[1])) for key, point in zip("mab", (m, a, b), strict=True)
    }
    p = (1 - 1 / n) * density["m"] + density["a"] / n
    q = (1 - 1 / n) * density["m"] + density["b"] / n
    grid = choose_grid(Mechanism(UniformIndex(n), 1, ratio), 1.0, 1e-9)
    bound = one_step_profile(law(1 / n, ratio, grid, "replace"), grid.width, math.exp(log_alpha))
    assert hockey_stick(p, q, math.exp(log_alpha), 0.05**2) <= bound * (1 + 1e-6) + 0.05**2 / 12 * 3


def test_composed_lower_bound_against_monte_carlo() -> None:
    """E (1 - exp(epsilon - L))_+ for the pair `remove`, T = 40: mean of 200,000 bounded payoffs, 6 standard errors."""
    n, T, std, epsilon = 5, 40, 2.0, 0.7
    rng = np.random.default_rng(1)
    x = rng.standard_normal((200_000, T)) + (rng.random((200_000, T)) < 1 / n) / std
    loss = np.sum(np.log1p(np.expm1(x / std - 0.5 / std**2) / n), axis=1)
    payoff = np.maximum(-np.expm1(epsilon - loss), 0.0)
    error = 6.0 * float(np.std(payoff)) / math.sqrt(len(payoff))
    assert brackets.dp_spca(epsilon, n, T, std, 1.0).lower == pytest.approx(float(np.mean(payoff)), abs=error)


@pytest.mark.slow
@settings(max_examples=6, deadline=None)
@given(n=st.integers(1, 50), T=st.integers(1, 100), std=st.floats(0.6, 9.0), epsilon=st.floats(0.0, 2.0), s=st.floats(0.5, 3.0))
def test_brackets_are_ordered_and_scale_free(n: int, T: int, std: float, epsilon: float, s: float) -> None:
    bracket = brackets.dp_spca(epsilon, n, T, std, 1.0)
    assert 0.0 <= bracket.lower <= bracket.upper <= 1.0
    assert brackets.dp_spca_output_lower(epsilon, n, T, std, 1.0) <= bracket.upper * (1 + 1e-9) + 1e-15
    assert brackets.dp_spca_upper(epsilon, n, T, std * s, s) == pytest.approx(bracket.upper, rel=1e-2, abs=1e-12)
    reduced = brackets.dp_vrpca(epsilon, n, T, std, 1.0)
    assert 0.0 <= reduced.lower <= reduced.upper <= 1.0


@pytest.mark.parametrize(("n", "std", "epsilon"), [(4, 1.5, 0.4), (20, 1.0, 0.1), (3, 3.0, 0.0)])
def test_one_step_of_dp_vrpca_covers_its_worst_drift(n: int, std: float, epsilon: float) -> None:
    """In d = 1: v = -v~ and one row 1 against 0, the rest 0: N(1/n) mixed with N(1/n - 2), against N(0)."""
    x = np.arange(-14.0 * std, 14.0 * std, 1e-3)
    p = (1 - 1 / n) * norm.pdf(x, 1 / n, std) + norm.pdf(x, 1 / n - 2, std) / n
    q = norm.pdf(x, 0.0, std)
    upper = brackets.dp_vrpca(epsilon, n, 1, std, 1.0).upper
    for one, other in ((p, q), (q, p)):
        assert hockey_stick(one, other, math.exp(epsilon), 1e-3) <= upper * (1 + 1e-9)


def test_dp_vrpca_of_one_row_is_gaussian() -> None:
    """With n = 1 nothing is sampled, and a step moves by c E V."""
    bracket = brackets.dp_vrpca(1.0, 1, 7, 3.0, 1.0)
    assert bracket.upper == pytest.approx(profile(1.0, math.sqrt(7) / 3.0), rel=2e-3)
    assert bracket.lower == pytest.approx(profile(1.0, math.sqrt(7) / 3.0), rel=1e-8)


def test_noise_share_is_that_of_two_gaussians_for_small_ratios_and_spends_more_on_the_sampled_row_for_large() -> None:
    assert split_share(VarianceReduced(5, 3, 1.0), 1e3) ** 2 == pytest.approx(2 / 3, abs=1e-4)
    assert 0.9 < split_share(VarianceReduced(5, 3, 1.0), 0.5) ** 2 < 1.0


def test_bad_arguments_are_refused() -> None:
    with pytest.raises(ValueError, match=r"epsilon must be finite and >= 0, got -1.0"):
        brackets.dp_spca(-1.0, 10, 10, 1.0, 1.0)
    with pytest.raises(ValueError, match="steps must be >= 1, got 0"):
        brackets.dp_spca(1.0, 10, 0, 1.0, 1.0)
    with pytest.raises(ValueError, match=r"std must be finite and > 0, got 0\.0"):
        brackets.dp_vrpca(1.0, 10, 10, 0.0, 1.0)
