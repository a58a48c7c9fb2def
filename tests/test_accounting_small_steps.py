"""The account of many small steps, and DP-VRPCA's: against quadrature, an FFT of the worst pair, and the split account."""

from __future__ import annotations

import math
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from flint import arb, ctx
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.polynomial.hermite_e import hermeval
from numpy.typing import NDArray
from scipy.stats import norm

from dppca.audit.suite.accounts import VRPCA_CASES, densities, many_steps, variance_reduced_covers, worst_pair
from dppca.reference.accounting import Mechanism, UniformIndex, moments, smallest_std, variance_reduced
from dppca.reference.accounting.moments import SmallStepCertificate, SmallSteps, small_steps_delta
from dppca.reference.accounting.renyi import renyi_delta
from dppca.reference.accounting.variance_reduced import (
    VarianceReduced,
    VarianceReducedCertificate,
    variance_reduced_delta,
    variance_reduced_std,
)

# --- many small steps ---------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", ["ball", "diameter"])
@pytest.mark.parametrize("shift", [0.0, 2.5])
def test_moments_are_those_of_the_reference_variable(shape: Any, shift: float) -> None:
    """kappa x + (1 + nu) sum over k >= 2 of s_k D^k h_k(x) / k!, term by term, and its moments by quadrature."""
    n, batch, std, mean, spread = 10, 3, 2.0, 1.5, 1.2
    q, offset = 0.3, 0.3 * shift / std
    D = spread / std + offset
    nu = offset**2 / (q * D**2)
    x, step = np.linspace(-14.0, 24.0, 100_001, retstep=True)
    shares = [1.0 if shape == "ball" else math.sqrt(2.0 - 2.0 ** (1 - k)) if k < 6 else math.sqrt(2.0) for k in range(90)]
    terms = [0.0, 0.0, *(shares[k] * D**k / math.factorial(k) for k in range(2, 90))]
    variable = mean / std * x + (1.0 + nu) * hermeval(x, terms)
    weights = norm.pdf(x) * step
    growth = np.exp(D * x - 0.5 * D * D) - 1.0

    def power(m: int, tilt: int = 0) -> float:
        return float(weights @ (variable**m * growth**tilt)) * q**m

    with ctx.workprec(moments.MOMENT_BITS):
        found = moments.moments(SmallSteps(n, batch, 10, mean, spread, shift, shape), std)
    for moment, m in ((found.second, 2), (found.fourth, 4), (found.sixth, 6), (found.far[8], 8)):
        assert float(moment) == pytest.approx(power(m) / 0.7 ** (m - 1), rel=1e-7)
    third = power(3) + 0.6 / 0.49 * math.sqrt(power(4) * power(2, 2))
    assert float(found.third) == pytest.approx(third, rel=1e-7)


def test_a_step_costs_what_the_note_says() -> None:
    """One step, with moments 1e-3, 1e-4, 1e-5 and 1e-6, none far out, from a variance of 1/4 at reach 4 and range 1/2."""
    second, third, fourth, sixth, w, z, X = 1e-3, 1e-4, 1e-5, 1e-6, 0.25, 4.0, 0.5
    low, slope = 1.0 - math.exp(-X), z / math.sqrt(w) + 1.0
    g = slope / (1.0 - low)  # the third derivative grows by e^(g y) at most
    grown = fourth + g * (math.exp(g * low) - 1.0) / (g * low) * math.sqrt(fourth * sixth) / 5.0
    bent = slope + X / w
    cost = second + slope / 3.0 * third + math.exp(2.0 * X) * (bent**2 + bent) / 12.0 * grown
    rise = cost * math.exp(1.5 * cost * (0.125 + 0.5 / w))
    inner = z - X / math.sqrt(w)
    far = 0.5 * second * norm.pdf(inner) * math.exp(X) / math.sqrt(w)
    with ctx.workprec(128):
        found = moments.Moments(arb(second), arb(third), arb(fourth), arb(sixth), {8: arb(0)})
        variance, spent = moments._variance(found, 1, arb(w), arb(z), arb(X))
        assert (float(variance), float(spent)) == (pytest.approx(w + rise, rel=1e-12), pytest.approx(far, rel=1e-12))
        heavy = moments.Moments(arb(4), arb(0), arb(0), arb(0), {8: arb(0)})  # no rise of the variance pays for it
        assert moments._variance(heavy, 1, arb(10), arb(5), arb(0.01))[0] is None


def test_without_a_bound_delta_is_1() -> None:
    assert small_steps_delta(SmallSteps(10, 1, 1000, 1.0, 1.0, 0.0, "ball"), 0.05, 1.0, 1e-5).delta == 1.0


def test_near_a_certificate_only_parameters_like_its_own_are_tried() -> None:
    """A range and a variance within a few times theirs, and a reach of 0.6 to 1.5 above sqrt(2 log(1 / delta))."""
    steps, std, epsilon, delta = SmallSteps(100, 1, 10_000, 1.0, 1.0, 0.0, "ball"), 4.5, 1.0, 1e-3
    depth = math.sqrt(2.0 * math.log(1e3))
    first = small_steps_delta(steps, std, epsilon, delta)
    assert first.reach == pytest.approx(depth + 1.0)
    odd = replace(first, start=first.start / 10.0, range=first.range / 3.0)
    for near in (first, odd):
        found = small_steps_delta(steps, std, epsilon, delta, near)
        assert 0.3 < found.start / near.start < 3.5
        assert 0.4 < found.range / near.range < 2.5
        assert any(found.reach == pytest.approx(depth + above) for above in (0.6, 1.0, 1.5))


def test_the_search_for_an_epsilon_begins_at_zero(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a bound of e^-epsilon the least epsilon for 1/2 is log 2."""
    tried: list[float] = []

    def bound(steps: SmallSteps, std: float, epsilon: float, delta: float) -> SmallStepCertificate:
        tried.append(epsilon)
        return SmallStepCertificate(steps, std, epsilon, math.exp(-epsilon), 1.0, 1.0, 1.0)

    monkeypatch.setattr(moments, "small_steps_delta", bound)
    steps = SmallSteps(10, 1, 1000, 1.0, 1.0, 0.0, "ball")
    found = moments.least_small_steps_epsilon(steps, 2.0, 4.0, 0.5, 1e-3)
    assert found is not None
    assert tried[:3] == [4.0, 2.0, 1.0]
    assert math.log(2.0) <= found.epsilon <= 1.001 * math.log(2.0)
    assert moments.least_small_steps_epsilon(steps, 2.0, 0.5, 0.5, 1e-3) is None


def test_an_epoch_of_dp_vrpca_is_one_row_a_step() -> None:
    """A row moves the mean by (1 + drift) Delta where sigma is 1, and lies within drift Delta."""
    found = VarianceReduced(50, 400, 2.0, "ball", drift=0.5, sign=1).small_steps()
    assert found == SmallSteps(50, 1, 400, 3.0, 1.0, 2.0, "ball")
    assert VarianceReduced(50, 400, 2.0).small_steps() == SmallSteps(50, 1, 400, 2.0, 4.0, 2.0, "diameter")


def test_a_split_that_is_not_proved_is_raised_by_ever_larger_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[float] = []

    def split(account: Any, std: float, *rest: Any) -> Any:
        tried.append(std)
        return SimpleNamespace(certificate="proof", delta=1e-3 if len(tried) == 4 else 2e-3)

    monkeypatch.setattr(variance_reduced, "_split", split)
    monkeypatch.setattr(variance_reduced, "_smallest_by_split", lambda *_: 5.0)
    found = variance_reduced._least_std.__wrapped__(VarianceReduced(2, 3, 1.0), 0.5, 1e-3, None)
    nudge = variance_reduced.NUDGE
    assert tried == pytest.approx(5.0 * np.cumprod([1.0, 1.0 + nudge, 1.0 + 4.0 * nudge, 1.0 + 16.0 * nudge]), rel=1e-12)
    assert (found.std, found.delta, found.certificate) == (tried[-1], 1e-3, "proof")


def hermite_norms(a: NDArray[np.float64], b: NDArray[np.float64], k: int) -> float:
    return float((a @ a) ** k + (b @ b) ** k - 2 * (a @ b) ** k)


@settings(max_examples=200, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), k=st.integers(1, 9), edge=st.booleans())
def test_tensor_powers_of_points_in_a_ball_through_zero(seed: int, k: int, edge: bool) -> None:
    """|a^k - b^k|^2 <= D^(2k) for 0, a, b in a ball of diameter D = 1, and <= (2 - 2^(1-k)) for mutual distances <= 1."""
    rng = np.random.default_rng(seed)
    centre, a, b = rng.standard_normal((3, 2))
    centre *= 0.5 / np.linalg.norm(centre) * (1.0 if edge else rng.random())
    a, b = (centre + 0.5 * x / np.linalg.norm(x) * (1.0 if edge else math.sqrt(rng.random())) for x in (a, b))
    assert hermite_norms(a, b, k) <= 1.0 + 1e-12
    a, b = rng.standard_normal((2, 2))
    widest = max(float(np.linalg.norm(x)) for x in (a, b, a - b))
    assert hermite_norms(a / widest, b / widest, k) <= 2.0 - 2.0 ** (1 - k) + 1e-12


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1), n=st.integers(2, 30), shape=st.sampled_from(["ball", "diameter"]), width=st.floats(0.2, 1.5)
)
def test_moments_bound_those_of_every_pair(seed: int, n: int, shape: Any, width: float) -> None:
    """Random c, a, b in the plane within the bounds: moments of the likelihood ratio minus 1 by quadrature on a grid."""
    rng = np.random.default_rng(seed)
    a, b, shift = rng.standard_normal((3, 2))
    if shape == "ball":
        centre = rng.standard_normal(2)
        centre *= 0.5 / np.linalg.norm(centre)
        a, b = (centre + 0.5 * x / np.linalg.norm(x) for x in (a, b))
    else:
        a, b = np.array([1.0, 0.0]), np.array([0.5, math.sqrt(0.75)])
    a, b = width * a, width * b
    shift *= 0.3 / np.linalg.norm(shift) / n
    q = 1.0 / n
    mean = float(np.linalg.norm(shift + q * (b - a))) / q
    with ctx.workprec(moments.MOMENT_BITS):
        found = moments.moments(SmallSteps(n, 1, 10, mean * (1 + 1e-9), width * (1 + 1e-9), 0.3 * (1 + 1e-9), shape), 1.0)
        bounds = [float(x) for x in (found.second, found.third, found.fourth, found.sixth)]
    line = np.arange(-9, 11, 0.1)  # sums of what is smooth and vanishes at both ends: exact but for rounding

    def density(m: NDArray[np.float64]) -> NDArray[np.float64]:
        x, y = (np.exp(-0.5 * (line - at) ** 2) / math.sqrt(2 * math.pi) * 0.1 for at in m)
        return np.outer(x, y)

    zero = np.zeros(2)
    one = (1 - q) * density(zero) + q * density(a)
    other = (1 - q) * density(shift) + q * density(b + shift)
    excess = one / other - 1
    square = excess * excess
    exact = [float(np.sum(other * power)) for power in (square, square * excess, square * square, square * square * square)]
    assert all(abs(e) <= bound * (1 + 1e-6) for e, bound in zip(exact, bounds, strict=True))


def test_moments_are_reached_by_the_worst_pair() -> None:
    """n large: one row against none, everything along one line; (rho x + e^(2 rho x - 2 rho^2) - 1 - 2 rho x) by quadrature."""
    rho, n = 0.25, 10**7
    x = np.linspace(-12, 16, 400001)
    weight = norm.pdf(x) * (x[1] - x[0])
    y = rho * x + np.exp(2 * rho * x - 2 * rho * rho) - 1 - 2 * rho * x
    with ctx.workprec(moments.MOMENT_BITS):
        found = moments.moments(SmallSteps(n, 1, 10, 1.0, 2.0, 1.0, "ball"), 1.0 / rho)
        scaled = [
            float(m) * float(n) ** k for m, k in ((found.second, 2), (found.third, 3), (found.fourth, 4), (found.sixth, 6))
        ]
    assert scaled == pytest.approx([float(weight @ y**k) for k in (2, 3, 4, 6)], rel=1e-4)


def test_moments_cover_a_row_that_is_drawn_on_the_side_away_from_the_shift() -> None:
    """n = 2, a = 1, b = 0, c = -1/2: a is 3/2 from c. With y ~ N(0, 1), R = e^(y/2 - 1/8) / 2 + e^(3y/2 - 9/8) / 2."""

    def exact(m: int) -> float:
        terms = ((i, j, m - i - j) for i in range(m + 1) for j in range(m - i + 1))
        return math.fsum(
            math.factorial(m) // (math.factorial(i) * math.factorial(j) * math.factorial(k)) * (-1) ** k * 0.5 ** (i + j)
            * math.exp((0.5 * i + 1.5 * j) ** 2 / 2.0 - 0.125 * i - 1.125 * j)
            for i, j, k in terms
        )  # fmt: skip

    with ctx.workprec(moments.MOMENT_BITS):
        found = moments.moments(SmallSteps(2, 1, 10, 2.0, 1.0, 1.0, "ball"), 1.0)
        bounds = [float(x) for x in (found.second, found.third, found.fourth, found.sixth)]
    assert all(exact(m) <= bound for m, bound in zip((2, 3, 4, 6), bounds, strict=True))


@pytest.mark.parametrize(
    ("n", "steps", "std", "epsilon"), [(100, 10_000, 4.5, 1.0), (1000, 10**6, 4.0, 1.0), (30, 900, 6.0, 0.6)]
)
def test_small_steps_cover_the_pair_of_one_row(n: int, steps: int, std: float, epsilon: float) -> None:
    """The composed pair `remove`, by a plain FFT; and the bound is no more than a few times that."""
    mixture, base = densities(1 / n, 1 / std, 11.0, 40_000)
    width = 0.05 / n / std
    exact = max(many_steps(mixture, base, steps, epsilon, width), many_steps(base, mixture, steps, epsilon, width))
    found = small_steps_delta(SmallSteps(n, 1, steps, 1.0, 1.0, 0.0, "ball"), std, epsilon, exact)
    assert exact <= found.delta <= 8.0 * exact
    again = SmallStepCertificate.from_json(found.to_json())
    assert again == found
    assert again.check()
    assert not replace(again, std=0.99 * std).check()


@pytest.mark.parametrize("name", ["std", "start", "reach", "range"])
@pytest.mark.parametrize("value", [-0.04, 0.0, float("nan"), float("inf")])
def test_a_stored_account_of_small_steps_has_positive_parameters(name: str, value: float) -> None:
    """With a negative reach and range the arithmetic would fall to any delta: a single step here has delta 0.035."""
    fields = {"std": 0.7, "start": 3.6e-4, "reach": 5.0, "range": 0.5, name: value}
    with pytest.raises(ValueError, match=name):
        SmallStepCertificate(SmallSteps(10, 1, 1000, 1.0, 1.0, 0.0, "ball"), epsilon=0.1, delta=1e-9, **fields)


@pytest.mark.slow
def test_the_search_takes_the_account_of_small_steps_where_it_is_better() -> None:
    mechanism = Mechanism(UniformIndex(1000, "ball"), 10**6, 1.0)
    found, grid = smallest_std(mechanism, 1.0, 1e-5), smallest_std(mechanism, 1.0, 1e-5, certify=False)
    assert isinstance(found.certificate, SmallStepCertificate)
    assert found.std < 0.95 * grid.std


# --- DP-VRPCA -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("n", "steps", "std", "epsilon", "better"),
    [
        (2, 1, 9.0, 0.3, "split"),
        (50, 400, 3.6, 0.5, "renyi"),
        pytest.param(1000, 10**6, 4.4, 1.0, "small steps", marks=pytest.mark.slow),
    ],
)
def test_a_delta_of_dp_vrpca_is_the_best_of_all_accounts(n: int, steps: int, std: float, epsilon: float, better: str) -> None:
    """Where all miss the delta in mind."""
    account, delta = VarianceReduced(n, steps, 1.0, "ball"), 1e-5
    whole = account.small_steps()
    first = small_steps_delta(whole, std, epsilon, delta)
    found = {
        "renyi": renyi_delta(whole, std, epsilon).delta,
        "small steps": small_steps_delta(whole, std, epsilon, delta, first).delta if first.delta < 1.0 else 1.0,
        "split": variance_reduced._split(account, std, epsilon, delta, None).delta,
    }
    assert delta < min(found.values())
    assert sorted(found, key=lambda name: found[name])[0] == better
    assert variance_reduced_delta(account, std, epsilon, delta).delta == found[better]


def test_a_certified_std_of_dp_vrpca_has_at_most_its_delta() -> None:
    account = VarianceReduced(1000, 5000, 1.0, "ball", drift=0.1)
    found = variance_reduced_std(account, 0.5, 1e-2)
    assert found.certified
    again = variance_reduced_delta(account, found.std, 0.5, 1e-2)
    assert again.certified
    assert again.delta <= 1e-2


def test_a_certified_delta_of_dp_vrpca_is_preferred_to_an_estimate(monkeypatch: pytest.MonkeyPatch) -> None:
    """Here the split, once it is certified, is the best account; where that would take too long it does not count."""
    account, std, epsilon, delta = VarianceReduced(2, 1, 1.0, "ball"), 9.0, 0.3, 1e-5
    every = variance_reduced_delta(account, std, epsilon, delta)
    monkeypatch.setattr(variance_reduced, "CERTIFY_SECONDS", 0.0)
    found = variance_reduced_delta(account, std, epsilon, delta)
    assert every.certified
    assert found.certified
    assert every.delta < 0.8 * found.delta < 0.8
    assert found.delta == renyi_delta(account.small_steps(), std, epsilon).delta
    no_bound = variance_reduced_delta(account, 1.0, epsilon, delta)  # the others say nothing here
    assert not no_bound.certified
    assert no_bound.delta < 1.0


@pytest.mark.parametrize(("n", "steps", "std", "epsilon"), VRPCA_CASES)
def test_dp_vrpca_covers_its_worst_pair(n: int, steps: int, std: float, epsilon: float) -> None:
    assert variance_reduced_covers(n, steps, std, epsilon)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "steps", "epsilon", "delta"), [(1000, 10**6, 1.0, 1e-5), (100, 10_000, 0.1, 1e-5), (100, 10_000, 1.0, 1e-5)]
)
def test_dp_vrpca_is_within_a_third_of_its_worst_pair(n: int, steps: int, epsilon: float, delta: float) -> None:
    """The std that the pair itself needs, by bisection over a plain FFT."""
    found = variance_reduced_std(VarianceReduced(n, steps, 1.0, "ball"), epsilon, delta)
    assert found.certified
    assert found.std >= 4.0
    assert many_steps(*worst_pair(n, found.std / 1.3), steps, epsilon, 0.02 * 1.3 / n / found.std) > delta


@pytest.mark.slow
def test_a_stored_certificate_of_dp_vrpca_is_tied_to_its_account() -> None:
    for steps in (100, 10_000):
        found = variance_reduced_std(VarianceReduced(100, steps, math.sqrt(2.0)), 0.3, 1e-4).certificate
        assert found is not None
        again = VarianceReducedCertificate.from_json(found.to_json())
        assert again == found
        assert again.check()
        assert not replace(again, account=replace(found.account, n=99)).check()
        assert not replace(again, account=replace(found.account, sign=1)).check() or again.share is not None


def test_the_sign_of_print_costs_more() -> None:
    one, other = (variance_reduced_std(VarianceReduced(100, 10**4, 1.0, "ball", sign=sign), 1.0, 1e-5).std for sign in (-1, 1))
    assert other > 2.0 * one
