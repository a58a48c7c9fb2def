"""The Wishart mechanism: its likelihood, its exact delta, what it refuses."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

from dppca.reference.baselines import wishart
from dppca.reference.noise import condition, lockstep, record
from dppca.reference.primitives.wishart import WishartLaw, exact_delta
from tests.baselines.runs import X, wish


def test_wishart_likelihood_is_scipys() -> None:
    law, rng = WishartLaw(0.3), np.random.default_rng(5)
    A = X.T @ X / 4
    released = law.apply(A, law.draw(A, rng))
    expected = stats.wishart(df=4, scale=0.3 * np.eye(3)).logpdf(released - A)
    assert law.log_likelihood(A, released) == pytest.approx(float(expected), rel=1e-10)


def test_wishart_mechanism_is_not_pure() -> None:
    """A transcript that the neighbour cannot produce, found in a few draws."""
    data = np.zeros((1, 2))
    neighbour = np.array([[1.0, 0.0]])
    calibration = wishart.calibrate(0.5, 0.0, 1, wishart.AS_PRINTED)
    runs = [
        lockstep(
            lambda D, noise: wishart.wishart_mechanism(D, 1, calibration, noise), data, neighbour, np.random.default_rng(seed)
        )
        for seed in range(60)
    ]
    impossible = sum(run.loss == math.inf for run in runs)
    # Binomial(60, 1 - exp(-1/6) = 0.15); outside 1..29 with probability 5e-5 and 1e-9, for this fixed seed.
    assert 1 <= impossible <= 29
    finite = {round(run.loss, 9) for run in runs if run.loss < math.inf}
    assert finite == {round(-0.5 / 3.0, 9)}


@pytest.mark.parametrize("d", [1, 2, 4])
def test_exact_delta_of_the_wishart_mechanism(d: int) -> None:
    """Share of draws that the neighbour cannot produce: binomial with this probability (level 1e-6)."""
    n, scale = 3, 0.4
    rng, law = np.random.default_rng(8), WishartLaw(scale)
    change = np.zeros((d, d))
    change[0, 0] = 1.0 / n
    released = (law.apply(np.zeros((d, d)), law.draw(change, rng)) for _ in range(4000))
    impossible = sum(law.log_likelihood(change, R) == -math.inf for R in released)
    assert stats.binomtest(impossible, 4000, exact_delta(n, scale)).pvalue > 1e-6
    assert exact_delta(n, wishart.calibrate(1.0, 0.0, n, wishart.AS_PRINTED).scale) == pytest.approx(1 - math.exp(-1 / 3))
    assert 0.01 * (1 - 1e-13) <= exact_delta(n, wishart.calibrate(1.0, 0.01, n).scale) <= 0.01


def test_wishart_loss_of_any_pair_stays_within_the_exact_profile() -> None:
    """The profile's bound for random pairs, on the event where the release is possible under both."""
    rng, law = np.random.default_rng(9), WishartLaw(0.2)
    for _ in range(200):
        x, y = (v / max(1.0, float(np.linalg.norm(v))) for v in rng.standard_normal((2, 3)))
        A, B = np.outer(x, x), np.outer(y, y)
        released = law.apply(A, law.draw(A, rng))
        loss = law.log_likelihood(A, released) - law.log_likelihood(B, released)
        assert loss == math.inf or loss == pytest.approx((x @ x - y @ y) / 0.4, abs=1e-8)


def test_declared_sensitivity_of_the_wishart_mechanism() -> None:
    """e_1 e_1^T - e_2 e_2^T has nuclear norm 2, and the paper's matrix is divided by n = 4."""
    _, tape = record(wish(), np.eye(4, 3), np.random.default_rng(0))
    assert [(term.name, term.sensitivity) for term in condition(wish(), np.eye(4, 3), tape).terms] == [("A_hat", 0.5)]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: wishart.calibrate(1.0, 1.0, 5, wishart.AS_PRINTED), r"delta must be in \[0, 1\), got 1.0"),
        (lambda: WishartLaw(-1.0), "scale must be finite and > 0"),
        (lambda: WishartLaw(1.0).draw_shape(np.zeros((2, 3))), "value must be a square matrix"),
    ],
)
def test_bad_parameters_are_refused(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def test_wishart_constant_in_one_dimension() -> None:
    """In d = 1 W is scale times chi-square with 2 degrees of freedom, an exponential with mean 2 scale."""
    law = WishartLaw(0.7)
    assert law.log_likelihood(np.zeros((1, 1)), np.array([[0.9]])) == pytest.approx(-0.9 / 1.4 - math.log(1.4))
