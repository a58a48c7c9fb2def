"""Delta, epsilon, profile and the smallest standard deviation of every statement."""

from __future__ import annotations

import doctest
import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from flint import arb, ctx
from hypothesis import given, settings
from hypothesis import strategies as st

from dppca.audit.suite.accounting.composition import gaussian_delta
from dppca.audit.suite.accounting.lower_bounds import lower_delta, pair_lower_delta
from dppca.reference import accounting
from dppca.reference.accounting import (
    Certificate,
    FixedBatch,
    Mechanism,
    Poisson,
    Shuffled,
    UniformIndex,
    VarianceReduced,
    checker,
    delta_at,
    epsilon_at,
    profile,
    read_certificate,
    search,
    smallest_std,
)
from dppca.reference.accounting.checker import GaussianProof
from dppca.reference.accounting.methods import FirstMethod
from dppca.reference.accounting.search import delta_bound
from dppca.reference.primitives.gaussian import analytic_std
from dppca.reference.rigour import balls


@pytest.mark.slow
def test_the_examples_of_the_documentation_are_executed() -> None:
    found = doctest.testmod(accounting)
    assert found.attempted == 7
    assert found.failed == 0


@pytest.mark.slow
def test_smallest_std_epsilon_and_delta_agree() -> None:
    mechanism = Mechanism(Poisson(0.01), 1000, 1.0)
    found = smallest_std(mechanism, 1.0, 1e-5)
    assert found.certified
    assert epsilon_at(mechanism, found.std, 1e-5).epsilon == pytest.approx(1.0, rel=1e-3)
    assert delta_at(mechanism, found.std, 1.0).delta == pytest.approx(1e-5, rel=5e-3)
    first, second = profile(mechanism, found.std, [1.0, 2.0])
    assert second.delta < 0.02 * first.delta
    assert lower_delta(mechanism, found.std * 0.99, 1.0, 1e-5) > 1e-5


@pytest.mark.parametrize("delta", [1e-2, 1e-9, 1e-40])
def test_gaussian_releases_are_calibrated_at_every_size_of_delta(delta: float) -> None:
    found = smallest_std(Mechanism(Poisson(1.0), 100, 1.0), 1.0, delta)
    assert found.certified
    mu = 10.0 / found.std
    with ctx.workprec(300):
        exact = balls.gaussian_profile(arb(1), arb(mu))
        assert exact <= arb(delta) * arb("1.00001")
        assert exact >= arb(delta) * arb("0.98")


def test_a_float_account_says_so() -> None:
    found = smallest_std(Mechanism(UniformIndex(50), 20, 1.0), 1.0, 1e-4, certify=False)
    assert not found.certified
    assert found.certificate is None


@settings(max_examples=40, deadline=None)
@given(log_epsilon=st.floats(-6.0, 6.0), log_delta=st.floats(-200.0, -0.01), steps=st.integers(1, 10**6), fixed=st.booleans())
def test_steps_that_see_every_row_are_one_gaussian_release(
    log_epsilon: float, log_delta: float, steps: int, fixed: bool
) -> None:
    """At every size of the noise, against the enclosed closed form: enough, and 1e-8 less is not; epsilon and delta agree."""
    epsilon, delta = math.exp(log_epsilon), math.exp(log_delta)
    first = analytic_std(epsilon, delta, 1.0)
    mechanism = Mechanism(FixedBatch(7, 7), steps, 2.0, unsampled=3.0, fixed_ratio=0.5 / first if fixed else 0.0)
    found = smallest_std(mechanism, epsilon, delta)
    assert found.certificate.kind == "gaussian"
    with ctx.workprec(800):
        squares = [
            (4 * arb(steps) + 9) / (arb(found.std) * lower) ** 2 + arb(mechanism.fixed_ratio) ** 2
            for lower in (arb(1), 1 - arb("1e-8"))
        ]
        enough, less = (balls.gaussian_profile(arb(epsilon), square.sqrt()) for square in squares)
        assert enough <= arb(delta) < less
    again = read_certificate(found.certificate.to_json())
    assert again == found.certificate
    assert again.check()
    assert not replace(again, std=again.std * 0.999).check()
    assert delta_at(mechanism, found.std, epsilon).delta == pytest.approx(delta, rel=1e-6)
    assert epsilon_at(mechanism, found.std, delta).epsilon == pytest.approx(epsilon, rel=1e-6, abs=1e-9)
    assert smallest_std(mechanism, epsilon, delta, certify=False).certificate is None


INDEX = Mechanism(UniformIndex(100), 100, 1.0)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: delta_at(INDEX, 2.0, 800.0), r"epsilon must be < 800.0: delta there is below 1e-100"),
        (lambda: profile(INDEX, 2.0, [1.0, 800.0]), r"epsilon must be < 800.0: delta there is below 1e-100"),
        (lambda: delta_at(Mechanism(Poisson(1.0), 1, 1.0), 1e6, 1.0), r"epsilon must be < 1.0: delta there is below 1e-100"),
        (lambda: smallest_std(INDEX, 800.0, 1e-3), "epsilon = 800.0 or delta = 0.001 must be smaller: std = 0.1 is enough"),
        (lambda: smallest_std(INDEX, 1.0, 0.999), "epsilon = 1.0 or delta = 0.999 must be smaller: std = 0.1 is enough"),
        (lambda: smallest_std(Mechanism(UniformIndex(10**9), 1, 1.0), 1.0, 1e-3), "must be smaller: std = 0.1 is enough"),
        (
            lambda: smallest_std(VarianceReduced(1000, 50, 1.0), 800.0, 1e-3),
            r"epsilon = 800.0 or delta = 0.001 must be smaller: std = 0.3",
        ),
    ],
)
def test_a_bound_that_the_grid_cannot_tell_is_no_answer(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.slow
def test_a_delta_of_every_size_down_to_the_smallest_is_resolved() -> None:
    """Each is beside the lower bound of a pair, and of its own size; brackets below have a bound all the same."""
    found = delta_at(INDEX, 2.0, 1.0)
    assert found.certified
    assert 0.1 * found.delta < lower_delta(INDEX, 2.0, 1.0, found.delta) < found.delta
    assert 1e-57 < delta_at(INDEX, 2.0, 3.5).delta < 3e-57
    assert 0.0 < delta_bound(INDEX, 2.0, 800.0).delta < 1e-100


def test_epsilons_up_to_1024_are_found() -> None:
    """A Gaussian release of ratio 10."""
    found = epsilon_at(Mechanism(UniformIndex(1), 1, 10.0), 1.0, 1e-3, certify=False).epsilon
    assert gaussian_delta(found, 10.0) == pytest.approx(1e-3, rel=1e-9)
    assert 64.0 < found < 128.0


def test_an_epsilon_of_many_hundreds_is_found() -> None:
    """One of two rows is drawn, at ratio 10: at most what the row costs that is drawn for certain."""
    found, certain = (epsilon_at(Mechanism(UniformIndex(n), 1, 10.0), 1.0, 1e-3, certify=False).epsilon for n in (2, 1))
    assert 64.0 < found < certain


def test_a_delta_of_1_is_certified_by_every_account() -> None:
    mechanism = Mechanism(UniformIndex(1, "ball"), 1000, 1.0)
    assert delta_at(mechanism, 0.2, 0.0, certify=True).delta == 1.0


def test_only_certify_true_tries_it_and_the_other_accounts_give_what_they_gave() -> None:
    mechanism = Mechanism(UniformIndex(100, "ball"), 400, 1.0)
    plain, best = smallest_std(mechanism, 0.5, 1e-4), smallest_std(mechanism, 0.5, 1e-4, certify=True)
    assert isinstance(plain.certificate, Certificate)
    assert best.certificate.kind == "hinge"
    assert best.std < 0.96 * plain.std
    assert pair_lower_delta(mechanism, 0.97 * best.std, 0.5, "remove", 1e-4) > 1e-4
    less = epsilon_at(mechanism, best.std, 1e-4, certify=True)
    assert less.certificate.kind == "hinge"
    assert less.epsilon == pytest.approx(0.5, rel=2e-3)
    assert less.certificate.check()
    found = delta_at(mechanism, best.std, 0.5, certify=True)
    assert found.certificate.kind == "hinge"
    assert found.delta == pytest.approx(1e-4, rel=2e-3)


@pytest.mark.slow
def test_the_search_takes_the_account_of_small_steps_where_it_is_better() -> None:
    mechanism = Mechanism(UniformIndex(1000, "ball"), 10**6, 1.0)
    found, grid = smallest_std(mechanism, 1.0, 1e-5), smallest_std(mechanism, 1.0, 1e-5, certify=False)
    assert found.certificate.kind == "small-steps"
    assert found.std < 0.95 * grid.std


@pytest.mark.parametrize("least", [1.0, 3.0])
def test_what_is_not_proved_is_raised_by_ever_larger_steps(monkeypatch: pytest.MonkeyPatch, least: float) -> None:
    """The proof succeeds from 1.00002 times the least std of the estimates on: at the third number that is tried."""
    tried: list[float] = []

    class Known(FirstMethod):
        tolerance = 1e-9

        def applies(self, of: Any, std: float) -> bool:
            return isinstance(of, Shuffled)

        def stds(self, of: Any, epsilon: float, delta: float) -> tuple[float, float, float]:
            return 0.1, 2.0, 100.0

        def delta(self, of: Any, std: float, epsilon: float, like: float | None = None) -> float:
            return 1e-3 * (least / std)

        def propose(self, of: Any, std: float, epsilon: float, like: float) -> GaussianProof:
            tried.append(std)
            return GaussianProof()

        @staticmethod
        def certified(of: Any, std: float, epsilon: float, proof: Any, progress: Any = None) -> Certificate:
            return Certificate(of, std, epsilon, 1e-3 if std > 1.00002 * least else 2e-3, proof)

    monkeypatch.setattr(search, "FIRST", (Known(),))
    found = smallest_std(Shuffled(12345 + int(least)), 0.25, 1e-3)
    assert tried == pytest.approx([least, 1.00001 * least, 1.00001 * 1.00004 * least], rel=2e-9)
    assert (found.std, found.delta) == (tried[-1], 1e-3)
    assert found.certified


def test_no_proof_is_made_where_none_is_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    def proof(*_: Any) -> Any:
        raise AssertionError("a proof was asked for")

    monkeypatch.setattr(checker, "bound", proof)
    for of in (Mechanism(UniformIndex(1000), 100_000, 1.0), VarianceReduced(1000, 100_000, 1.0), Shuffled(77)):
        assert delta_at(of, 5.0, 0.9, certify=False).certificate is None
        assert smallest_std(of, 0.77, 1e-3, certify=False).certificate is None
