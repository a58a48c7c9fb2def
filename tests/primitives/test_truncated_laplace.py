"""Truncated Laplace noise: the derived guarantee against integration, sums and the printed constant."""

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad

from dppca.reference.primitives.truncated_laplace import (
    DiscreteTruncatedLaplace,
    TruncatedLaplaceLaw,
    cdf,
    logarithmic_bound,
    profile,
    support_bound,
)
from dppca.reference.rigour.divergence import hockey_stick


@pytest.mark.parametrize(("epsilon", "delta"), [(0.1, 1e-6), (1.0, 1e-3), (3.0, 0.2), (800.0, 1e-6), (1.0, 0.5)])
def test_support_bound_reaches_delta_and_no_shorter_bound_does(epsilon: float, delta: float) -> None:
    bound = support_bound(epsilon, delta, 2.0)
    scale = 2.0 / epsilon
    if epsilon < 700.0:
        assert bound == pytest.approx(2.0 / epsilon * math.log1p(math.expm1(epsilon) / (2.0 * delta)), rel=1e-12)
        assert profile(epsilon, 2.0, scale, bound) == pytest.approx(delta, rel=1e-9)
        assert profile(epsilon, 2.0, scale, 0.99 * bound) > delta
    assert bound >= 2.0


@pytest.mark.parametrize("shift", [0.3, 2.0, 3.5, 6.5, 9.0])
@pytest.mark.parametrize("epsilon", [0.0, 0.2, 1.0, 2.0])
def test_profile_is_the_integral_of_the_excess(shift: float, epsilon: float) -> None:
    scale, bound = 2.0, 4.0
    law = TruncatedLaplaceLaw(scale, bound)

    def excess(x: float) -> float:
        p = math.exp(law.log_likelihood(np.asarray(0.0), x))
        return max(0.0, p - math.exp(epsilon) * math.exp(law.log_likelihood(np.asarray(shift), x)))

    kinks = sorted({0.0, min(shift, bound), min(shift - bound, bound), 0.5 * (shift - epsilon * scale)})
    edges = [-bound, *[x for x in kinks if -bound < x < bound], bound]
    assert profile(epsilon, shift, scale, bound) == pytest.approx(
        sum(quad(excess, a, b)[0] for a, b in pairwise(edges)), abs=1e-9
    )


def test_printed_bound_is_private_up_to_epsilon_ln_3_minus_2_delta_only() -> None:
    delta = 1e-3
    edge = math.log(3.0 - 2.0 * delta)
    for epsilon, private in [(edge - 1e-6, True), (edge + 1e-6, False), (2.0, False)]:
        printed = logarithmic_bound(epsilon, delta, 2.0)
        assert (profile(epsilon, 2.0, 2.0 / epsilon, printed) <= delta) is private
        assert (support_bound(epsilon, delta, 2.0) <= printed) is private


def test_law_samples_its_own_density() -> None:
    # Kolmogorov-Smirnov at 1e-6: sqrt(ln(2e6) / 2 n) = 0.0085 for n = 100 000.
    law = TruncatedLaplaceLaw(2.0, 3.0)
    zeros = np.zeros(100_000)
    sample = np.sort(law.apply(zeros, law.draw(zeros, np.random.default_rng(1))))
    steps = np.arange(1, sample.size + 1) / sample.size
    assert np.max(np.abs(cdf(sample, 2.0, 3.0) - steps)) < 0.0086
    assert np.abs(sample).max() <= 3.0
    assert math.exp(law.log_likelihood(np.asarray(0.0), 1.0)) == pytest.approx(
        float(np.diff(cdf(np.array([1.0 - 1e-6, 1.0 + 1e-6]), 2.0, 3.0))[0]) / 2e-6, rel=1e-5
    )
    assert law.log_likelihood(np.asarray(0.0), 3.1) == -math.inf


def test_discrete_variant_in_fractions() -> None:
    noise = DiscreteTruncatedLaplace(Fraction(3, 2), 4)
    assert sum(noise.mass.values()) == 1
    assert noise.cdf(-5) == 0
    assert noise.cdf(Fraction(1, 2)) == sum(noise.mass[x] for x in range(-4, 1))
    # Beyond e^epsilon = ratio^shift only the mass outside the common support is left: two lowest points.
    assert noise.profile(Fraction(9, 4), 2) == noise.mass[-4] + noise.mass[-3]
    assert noise.profile(Fraction(9, 4) - Fraction(1, 100), 2) > noise.mass[-4] + noise.mass[-3]


def test_two_entries_that_move_by_1_cost_no_more_than_one_that_moves_by_2() -> None:
    noise = DiscreteTruncatedLaplace(Fraction(3, 2), 3)
    p = {(x, y): a * b for x, a in noise.mass.items() for y, b in noise.mass.items()}
    q = {(x + 1, y - 1): mass for (x, y), mass in p.items()}
    assert 0 < hockey_stick(p, q, Fraction(9, 4)) <= noise.profile(Fraction(9, 4), 2)


def test_errors_name_argument_and_value() -> None:
    with pytest.raises(ValueError, match=r"delta must be in \(0, 1/2\], got 0.6"):
        support_bound(1.0, 0.6, 2.0)
    with pytest.raises(ValueError, match=r"ratio must be a Fraction > 1, got 1\.5"):
        DiscreteTruncatedLaplace(1.5, 2)  # type: ignore[arg-type]
