"""The account of Renyi moments: against quadrature, an FFT of DP-VRPCA's worst pair, and what a search must find."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from flint import ctx
from scipy.stats import norm

from dppca.audit.suite.accounts import many_steps, worst_pair
from dppca.reference.accounting import read_certificate, renyi
from dppca.reference.accounting.moments import SmallSteps
from dppca.reference.accounting.renyi import RenyiCertificate, estimate_renyi, renyi_delta, smallest_renyi_std, step_moments
from dppca.reference.accounting.variance_reduced import VarianceReduced, variance_reduced_std

FEW = VarianceReduced(20, 150, 1.0, "ball")


@pytest.mark.parametrize("shape", ["ball", "diameter"])
def test_a_moment_is_the_sum_of_the_reference_variables(shape: Any) -> None:
    """1 + sum of C(p, m) E Ybar^m / (1 - q)^(m - 1), the third and odd ones as the note says, by quadrature."""
    q, rho, mean, spread, shift = 0.1, 0.25, 1.0, 2.0, 1.0
    D = spread * rho + q * shift * rho
    nu = (q * shift * rho) ** 2 / (q * D * D)
    x, step = np.linspace(-14.0, 20.0, 200_001, retstep=True)
    weight, growth = norm.pdf(x) * step, np.exp(D * x - D * D / 2)
    hermite, levels = [np.ones_like(x), x], [0.0, 0.0]
    for k in range(2, 40):
        hermite.append(x * hermite[-1] - (k - 1) * hermite[-2])
        levels.append(1.0 if shape == "ball" else math.sqrt(2.0 - 2.0 ** (1 - k)) if k < 6 else math.sqrt(2.0))
    terms = sum(levels[k] * D**k * hermite[k] / math.factorial(k) for k in range(2, 40))
    variable = q * (mean * rho * x + (1.0 + nu) * terms)
    excess = {m: float(weight @ variable**m) / (1.0 - q) ** (m - 1) for m in (2, 4, 6, 8)}
    spreads = float(weight @ variable**4) * float(weight @ (variable * (growth - 1.0)) ** 2)
    excess[3] = float(weight @ variable**3) + 2.0 * q / (1.0 - q) ** 2 * math.sqrt(spreads)
    excess |= {m: math.sqrt(excess[m - 1] * excess[m + 1]) for m in (5, 7)}
    with ctx.workprec(512):
        found = step_moments(SmallSteps(10, 1, 1, mean, spread, shift, shape), 1.0 / rho, 7)
    assert sorted(found) == list(range(2, 8))
    for p, moment in found.items():
        assert float(moment) - 1.0 == pytest.approx(sum(math.comb(p, m) * excess[m] for m in range(2, p + 1)), rel=1e-6)


def test_a_gaussian_release_has_its_renyi_moments() -> None:
    """n large, no spread: R - 1 is nearly normal with variance (mean q)^2, and E R^p = 1 + C(p, 2) (mean q)^2 + ..."""
    with ctx.workprec(512):
        found = step_moments(SmallSteps(10**6, 1, 1, 1.0, 1e-3, 0.0, "ball"), 1.0, 10)
        assert float(found[10] - 1) == pytest.approx(45e-12, rel=1e-4)


@pytest.mark.parametrize(
    ("n", "steps", "std", "epsilon"), [(10, 50, 4.3, 0.5), (20, 150, 6.8, 0.2), (100, 10_000, 4.5, 1.0), (5, 1, 4.0, 0.1)]
)
def test_the_worst_pair_composed_is_covered(n: int, steps: int, std: float, epsilon: float) -> None:
    one, other = worst_pair(n, std)
    width = 0.02 / n / std
    exact = max(many_steps(*pair, steps, epsilon, width) for pair in ((one, other), (other, one)))
    found = renyi_delta(VarianceReduced(n, steps, 1.0, "ball").small_steps(), std, epsilon)
    assert exact <= found.delta <= (1.0 if steps == 1 else 60.0 * exact)


@pytest.mark.parametrize(("n", "steps", "epsilon", "delta"), [(10, 50, 0.5, 1e-3), (50, 300, 0.3, 1e-4), (30, 1000, 1.0, 1e-5)])
def test_few_steps_need_at_most_three_tenths_more_than_their_worst_pair(
    n: int, steps: int, epsilon: float, delta: float
) -> None:
    found = variance_reduced_std(VarianceReduced(n, steps, 1.0, "ball"), epsilon, delta)
    assert found.certificate is not None
    assert isinstance(found.certificate.inner, RenyiCertificate)
    assert found.std >= 4.0
    assert many_steps(*worst_pair(n, found.std / 1.3), steps, epsilon, 0.02 * 1.3 / n / found.std) > delta


def test_the_smallest_std_is_found_and_proved() -> None:
    steps = FEW.small_steps()
    found = smallest_renyi_std(steps, 0.2, 1e-3, 18.0)
    assert found is not None
    assert 0.999e-3 < found.delta <= 1e-3
    assert found.delta == found.bound()
    assert renyi_delta(steps, found.std / 1.001, 0.2).delta > 1e-3
    assert smallest_renyi_std(steps, 0.2, 1e-3, 0.9 * found.std) is None


@pytest.mark.parametrize("shape", ["ball", "diameter"])
@pytest.mark.parametrize(("std", "count", "epsilon"), [(2.0, 10, 0.2), (8.0, 4000, 1.0), (100.0, 10**6, 1.0)])
def test_the_estimate_is_the_certificates_delta(shape: Any, std: float, count: int, epsilon: float) -> None:
    steps = replace(FEW, shape=shape, steps=count).small_steps()
    delta, order = estimate_renyi(steps, std, epsilon)
    proved = RenyiCertificate(steps, std, epsilon, 1.0, order).bound()
    assert proved == pytest.approx(delta, rel=1e-6)
    for other in (order - 1, order + 1):
        if 2 <= other <= renyi.MOST_ORDER:
            assert RenyiCertificate(steps, std, epsilon, 1.0, other).bound() >= proved


def test_little_noise_gives_no_bound() -> None:
    assert estimate_renyi(FEW.small_steps(), 0.3, 0.2) == (1.0, 2)
    assert renyi_delta(FEW.small_steps(), 0.3, 0.2).delta == 1.0


def test_a_stored_certificate_proves_itself_and_nothing_else() -> None:
    found = renyi_delta(FEW.small_steps(), 9.0, 0.2)
    again = read_certificate(found.to_json())
    assert again == found
    assert isinstance(again, RenyiCertificate)
    assert again.check()
    assert not replace(again, std=0.99 * again.std).check()
    assert not replace(again, steps=replace(again.steps, steps=151)).check()
    assert not replace(again, delta=0.999 * again.delta).check()
    reduced = variance_reduced_std(FEW, 0.2, 1e-3).certificate
    assert reduced is not None
    assert read_certificate(reduced.to_json()) == reduced
    assert reduced.check()
    assert not replace(reduced, account=replace(FEW, sign=1)).check()


@pytest.mark.parametrize("std", [0.52, 0.6, 0.75, 0.76])
def test_far_apart_values_have_an_estimate_too(std: float) -> None:
    """Where high moments are beyond floats the orders that count are not."""
    steps = VarianceReduced(10**6, 3, 1.0, "ball").small_steps()
    delta, order = estimate_renyi(steps, std, 5.0)
    proved = {p: RenyiCertificate(steps, std, 5.0, 1.0, p).bound() for p in range(2, 8)}
    assert order == min(proved, key=lambda p: proved[p])
    assert delta == pytest.approx(proved[order], rel=1e-6)


def test_a_proof_of_other_steps_is_none_of_one_row() -> None:
    found = variance_reduced_std(FEW, 0.2, 1e-3).certificate
    assert found is not None
    assert not replace(found, account=VarianceReduced(1, 150, 1.0, "ball")).check()


def test_a_stored_number_beyond_floats_is_refused() -> None:
    text = renyi_delta(FEW.small_steps(), 9.0, 0.2).to_json().replace((9.0).hex(), "0x1p2000")
    with pytest.raises(ValueError, match="floats"):
        read_certificate(text)


@pytest.mark.parametrize("order", [1, 0, -3, 97, 10**400, 2.0, True, "5"])
def test_an_order_is_an_integer_from_2_to_96(order: Any) -> None:
    with pytest.raises(ValueError, match="order"):
        RenyiCertificate(FEW.small_steps(), 9.0, 0.2, 1e-3, order)
