"""Claims that are curves: what they mean, that true ones are not refuted, and that false ones are."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom, norm

from dppca import audit
from dppca.audit.auditor.curves import GRID, Curve
from dppca.reference.primitives.gaussian import profile

pytestmark = pytest.mark.usefixtures("without_new_processes")

#: Audits of a true claim; more wrong refutations than this have probability below 1e-6 at a level of 0.05.
AUDITS, MOST_WRONG = 12, int(binom.isf(1e-6, 12, 0.05))


class Gaussian:
    def sample(self, data: float, trials: int, rng: np.random.Generator) -> Any:
        return data + rng.normal(size=trials)


class Laplace:
    def sample(self, data: float, trials: int, rng: np.random.Generator) -> Any:
        return data + rng.laplace(size=trials)


class Leak:
    """(0.5, 0.02)-DP, with finite Renyi divergences of no order: with probability 0.02 it tells the data."""

    def sample(self, data: float, trials: int, rng: np.random.Generator) -> Any:
        return np.where(rng.random(trials) < 0.02, 100.0 * data, 0.5 * data + rng.laplace(size=trials))


def of_laplace(loss: float) -> Callable[[float], float]:
    return lambda epsilon: max(0.0, -math.expm1((epsilon - loss) / 2.0))


def check(mechanism: Any, claim: Any, trials: int = 20_000, seed: int = 1) -> audit.Verdict:
    return audit.check(mechanism, 0.0, 1.0, claim, trials=trials, seed=seed)


@pytest.mark.parametrize(
    ("mechanism", "claim"),
    [(Gaussian(), audit.GDP(1.0)), (Laplace(), audit.PrivacyCurve(of_laplace(1.0)))],
    ids=["gaussian", "laplace"],
)
def test_the_exact_curve_of_a_mechanism_is_refuted_no_more_often_than_its_level(mechanism: Any, claim: Curve) -> None:
    assert sum(check(mechanism, claim, 1500, seed).refuted for seed in range(AUDITS)) <= MOST_WRONG


@pytest.mark.parametrize(
    "claim", [audit.ZCDP(0.5), audit.RDP(2.0, 1.0), audit.RDP(8.0, 4.0), audit.TradeOff(lambda a: norm.cdf(norm.isf(a) - 1.0))]
)
def test_true_claims_about_the_gaussian_mechanism_are_not_below_its_profile(claim: Curve) -> None:
    exact = np.array([profile(epsilon, 1.0) for epsilon in GRID[:500]])
    assert (claim.deltas[:500] >= exact).all()


@pytest.mark.parametrize("mu", [0.1, 1.0, 3.0])
def test_gdp_and_its_trade_off_function_claim_the_gaussian_profile(mu: float) -> None:
    exact = np.array([profile(epsilon, mu) for epsilon in GRID[:500]])
    gdp, trade_off = audit.GDP(mu).deltas[:500], audit.TradeOff(lambda a: norm.cdf(norm.isf(a) - mu)).deltas[:500]
    assert (gdp >= exact).all()
    assert np.max(gdp - exact) < 1e-11
    assert (trade_off >= exact).all()
    assert np.max((trade_off - exact) / (exact + 1e-7)) < 4e-3


@pytest.mark.parametrize("alpha", [1.5, 2.0, 10.0])
def test_divergences_claim_what_bernoulli_laws_of_that_divergence_reach_and_hardly_more(alpha: float) -> None:
    q = np.geomspace(1e-6, 0.45, 300)[:, None]
    p = 1.0 - np.geomspace(1e-6, 1.0 - 1e-6, 1500)[None, :]
    forth, back = (
        np.log(a**alpha * b ** (1.0 - alpha) + (1.0 - a) ** alpha * (1.0 - b) ** (1.0 - alpha)) / (alpha - 1.0)
        for a, b in ((p, q), (q, p))
    )
    allowed = np.maximum(forth, back) <= 0.3
    for k in (0, 20, 50, 100):
        reached = float(np.max(np.where(allowed, p - math.exp(GRID[k]) * q, 0.0)))
        claimed = float(audit.RDP(alpha, 0.3).deltas[k])
        assert reached <= claimed <= 1.02 * reached + 2e-3


def test_zcdp_claims_at_most_what_the_conversion_by_orders_gives() -> None:
    orders = 1.0 + np.geomspace(0.01, 200.0, 400)
    for k in (50, 100, 200, 400):
        log = (orders - 1.0) * (0.5 * orders - GRID[k]) - np.log(orders) + (orders - 1.0) * np.log1p(-1.0 / orders)
        assert audit.ZCDP(0.5).deltas[k] <= 1.01 * math.exp(float(log.min()))


@pytest.mark.parametrize(
    ("mechanism", "claim", "trials"),
    [
        (Gaussian(), audit.GDP(0.8), 20_000),
        (Gaussian(), audit.TradeOff(lambda a: norm.cdf(norm.isf(a) - 0.8)), 20_000),
        (Gaussian(), audit.ZCDP(0.18), 20_000),
        (Gaussian(), audit.RDP(2.0, 0.36), 40_000),
        (Leak(), audit.ZCDP(0.125), 20_000),
        (Laplace(), audit.PrivacyCurve(of_laplace(0.7)), 20_000),
    ],
    ids=["gdp", "trade-off", "zcdp", "rdp", "leak", "laplace"],
)
def test_false_curves_are_refuted_by_one_of_their_points(mechanism: Any, claim: Any, trials: int) -> None:
    verdict = check(mechanism, claim, trials)
    assert verdict.refuted
    assert verdict.bound.epsilon > verdict.point.epsilon == claim.epsilon_at(verdict.bound.delta)
    assert f"{claim} was claimed, which includes {verdict.point}" in verdict.explain()


def test_the_leak_is_not_refuted_at_the_point_that_it_keeps() -> None:
    assert not check(Leak(), audit.Claim(0.5, 0.02)).refuted


def test_bands_hold_the_exact_curves_of_the_gaussian_mechanism() -> None:
    verdict = check(Gaussian(), audit.GDP(1.0))
    band, levels = verdict.band([0.0, 0.5, 1.0, 2.0]), verdict.trade_off([0.05, 0.1, 0.3, 0.5, 0.9])
    exact = np.array([profile(epsilon, 1.0) for epsilon in (0.0, 0.5, 1.0, 2.0)])
    assert (band.lower <= exact).all()
    assert (band.lower[:3] > 0.65 * exact[:3]).all()
    errs = norm.cdf(norm.isf(levels.levels) - 1.0)
    assert (errs <= levels.upper).all()
    assert (levels.lower <= levels.estimate).all()
    assert (levels.estimate <= levels.upper).all()
    assert np.max(levels.upper - errs) < 0.05


def test_a_bound_at_one_delta_is_held_against_a_curve() -> None:
    bound = audit.lower_bound(Gaussian(), 0.0, 1.0, delta=0.05, trials=20_000)
    assert bound.refutes(audit.GDP(0.8))
    assert not bound.refutes(audit.GDP(1.0))


@pytest.mark.parametrize(
    "claim",
    [audit.GDP(50.0), audit.RDP(500.0, 62.5), audit.RDP(2.0, 40.0), audit.ZCDP(50.0), audit.TradeOff(lambda _: 0.0)],
    ids=repr,
)
def test_a_claim_that_no_trials_refute_is_not_refuted(claim: Curve) -> None:
    """Its delta is 1 at most epsilons, or at all: there is hardly a point to test."""
    verdict = audit.check(lambda x, _: x, 0.0, 1.0, claim, trials=1_000)
    assert not verdict.refuted
    assert "was claimed" in verdict.headline()


def test_a_claim_of_nearly_nothing_is_a_claim_of_no_more_than_rounding() -> None:
    assert audit.GDP(1e-300).deltas[1:].max() <= 1e-11


@pytest.mark.parametrize("delta", [-0.1, 1.1, math.nan, "x"])
def test_a_delta_is_a_probability(delta: Any) -> None:
    with pytest.raises(ValueError, match=r"^delta must be in \[0, 1\], got"):
        audit.GDP(1.0).epsilon_at(delta)
