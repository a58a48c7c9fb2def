"""The account of a squared hinge against quadrature, plain transforms, adaptive choices and closed forms."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from flint import arb, ctx
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.special import ndtr

from dppca.audit.suite.accounts import densities, gaussian_delta, hinge_of_a_step, many_steps
from dppca.reference.accounting import (
    Certificate,
    FixedBatch,
    Grid,
    Mechanism,
    Poisson,
    UniformIndex,
    delta_at,
    epsilon_at,
    hinges,
    smallest_std,
)
from dppca.reference.accounting.balls import BITS, ball
from dppca.reference.accounting.hinges import HingeCertificate, certify_hinge, estimate_hinge, smallest_hinge_std
from dppca.reference.accounting.lower import pair_lower_delta

Masses = NDArray[np.float64]


def plane(at: NDArray[np.float64], cells: int = 120) -> Masses:
    edges = np.linspace(-10.0, 10.0, cells + 1)
    x, y = (np.diff(ndtr(edges - c)) for c in at)
    return np.outer(x, y).ravel()


@settings(max_examples=15, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(2, 200),
    ratio=st.floats(0.2, 1.6),
    edge=st.booleans(),
    shape=st.sampled_from(["ball", "diameter"]),
)
def test_the_law_of_a_step_is_as_bad_as_every_pair(seed: int, n: int, ratio: float, edge: bool, shape: Any) -> None:
    """Random m, a, b in a disc of diameter `ratio`, or at mutual distances up to it: squared hinges at 30 points."""
    rng = np.random.default_rng(seed)
    points = rng.standard_normal((3, 2))
    points *= (0.5 * ratio * (1.0 if edge else np.sqrt(rng.random((3, 1))))) / np.linalg.norm(points, axis=1, keepdims=True)
    if shape == "diameter":
        points *= ratio / max(float(np.linalg.norm(points[i] - points[i - 1])) for i in range(3)) * (1 - 1e-12)
    common, one, other = (plane(p) for p in points)
    q = 1.0 / n
    P, Q = (1 - q) * common + q * one, (1 - q) * common + q * other
    bits = 10 + math.ceil(math.log2(n))
    with ctx.workprec(BITS):
        top = math.ceil(math.log1p(q * math.exp(13.0 * ratio)) * 2**bits)
        made = hinges.one_step(shape, arb(1) / n, ball(ratio), Grid(bits, top, 0), 80)
    if made is None:
        assert shape == "diameter"  # no point below 1 has the second moment of the triangle
        return
    law = made[0]
    t = np.exp((law.lowest + np.arange(law.masses.length())) * 2.0**-bits)
    masses = np.array([int(c) / 2.0**80 for c in law.masses.coeffs()])
    for x in 1.0 + q * np.linspace(-2.0, 4.0, 30):
        assert hinge_of_a_step(P, Q, x) <= float(masses @ (np.maximum(t - x, 0.0) ** 2 / t)) * (1 + 1e-9) + 1e-13 * q * q


def test_a_law_of_a_step_has_mean_1_and_hardly_more_than_the_largest_second_moment() -> None:
    with ctx.workprec(BITS):
        made = hinges.one_step("ball", arb(1) / 1000, arb(1), Grid(16, 60_000, 0), 120)
    assert made is not None
    law = made[0]
    t = np.exp((law.lowest + np.arange(law.masses.length())) * 2.0**-16)
    masses = np.array([int(c) / 2.0**120 for c in law.masses.coeffs()])
    assert float(masses.sum()) == pytest.approx(1.0, abs=1e-12)
    assert float(masses @ (1 / t)) == pytest.approx(1.0, abs=1e-12)
    second = float(masses @ ((t - 1) ** 2 / t)) * 1e6
    assert math.e - 1 <= second <= 1.001 * (math.e - 1)


@pytest.mark.parametrize(
    ("n", "steps", "std", "epsilon"), [(20, 300, 1.25, 0.4), (100, 1000, 1.0, 1.0), (10, 60, 2.0, 1.0), (50, 2000, 4.0, 1.0)]
)
def test_many_steps_of_each_pair_are_covered_and_delta_is_not_twice_theirs(
    n: int, steps: int, std: float, epsilon: float
) -> None:
    mixture, base = densities(1 / n, 1 / std, 11.0, 40_000)
    width = 0.02 / n / std
    exact = max(many_steps(mixture, base, steps, epsilon, width), many_steps(base, mixture, steps, epsilon, width))
    found = certify_hinge(Mechanism(UniformIndex(n, "ball"), steps, 1.0), std, epsilon, exact)
    assert exact * (1 - 1e-3) <= found.delta <= 2.0 * exact
    assert estimate_hinge(found.mechanism, std, epsilon, exact)[0] == pytest.approx(found.delta, rel=1e-3)


def adaptive_delta(n: int, ratio: float, steps: int, epsilon: float) -> float:
    """The best choice of `remove` or `add` at each step, given the product so far: by dynamic programming on a grid of log t.

    Each step's loss is divided among three points of the grid, which keeps its mean and its square.
    """
    width, reach = 0.004, 4.0
    at = np.arange(-reach, reach, width)
    value, far = np.maximum(np.exp(at) - math.exp(epsilon), 0.0), np.abs(at) > 0.75 * reach
    fixed = value[far]
    mixture, base = densities(1 / n, ratio, 10.0, 20_000)
    kernels = []
    for one, other in ((mixture, base), (base, mixture)):
        keep = (one > 1e-300) & (other > 1e-300)
        loss, mass = np.log(one[keep] / other[keep]), other[keep]
        index = np.rint(loss / width)
        part, ring = loss / width - index, np.zeros(len(at))
        for move, share in ((-1, part * (part - 1) / 2), (0, 1 - part * part), (1, part * (part + 1) / 2)):
            np.add.at(ring, (index.astype(int) + move) % len(at), mass * share)
        kernels.append(np.conj(np.fft.rfft(ring)))
    for _ in range(steps):
        value = np.maximum(*(np.fft.irfft(np.fft.rfft(value) * kernel, len(at)) for kernel in kernels))
        value[far] = fixed
    return float(value[len(at) // 2])


def test_no_choice_of_a_pair_after_each_release_exceeds_the_account() -> None:
    """It exceeds `remove` by a few percent."""
    n, steps, epsilon = 20, 60, 0.8
    chosen = adaptive_delta(n, 1.0, steps, epsilon)
    mixture, base = densities(1 / n, 1.0, 10.0, 20_000)
    remove = many_steps(mixture, base, steps, epsilon, 1e-3)
    assert 1.005 * remove <= chosen
    assert chosen <= certify_hinge(Mechanism(UniformIndex(n, "ball"), steps, 1.0), 1.0, epsilon, chosen).delta <= 2.0 * chosen


def test_with_one_row_a_delta_is_the_gaussian_one_or_half_as_much_again() -> None:
    for steps, ratio, epsilon in ((1, 0.4, 1.5), (40, 0.06, 1.2), (1000, 0.01, 1.0)):
        exact = gaussian_delta(epsilon, ratio * math.sqrt(steps))
        found = certify_hinge(Mechanism(FixedBatch(7, 7, "ball"), steps, ratio), 1.0, epsilon, exact)
        assert exact <= found.delta <= 1.6 * exact


@pytest.mark.parametrize(
    "changes", [{"gap": 0.02}, {"gap": 0.9}, {"budget": 0}, {"scale": 40}, {"top": 700}, {"bits": 9, "top": 300}]
)
def test_whatever_a_certificate_is_made_with_it_is_a_bound(changes: dict[str, Any]) -> None:
    """Another beginning of the parabola, nothing dropped, few bits, a grid cut short, a coarse one."""
    mechanism, std, epsilon = Mechanism(UniformIndex(20, "ball"), 30, 1.0), 1.0, 0.6
    mixture, base = densities(1 / 20, 1.0, 10.0, 20_000)
    exact = many_steps(mixture, base, 30, epsilon, 1e-3)
    found = certify_hinge(mechanism, std, epsilon, exact)
    assert replace(found, **changes).bound() >= exact * (1 - 1e-3)


def test_what_is_dropped_from_the_top_is_charged() -> None:
    """A budget of a hundredth of all mass: what leaves the law counts with its second moment, so delta grows."""
    mechanism = Mechanism(UniformIndex(20, "ball"), 30, 1.0)
    found = certify_hinge(mechanism, 1.0, 0.6, 1e-2)
    assert replace(found, budget=2**found.scale // 10).bound() > 1.02 * found.delta


def test_a_certificate_of_a_hinge_is_stored_and_checked_again() -> None:
    mechanism = Mechanism(FixedBatch(1000, 10, "ball"), 500, 2.0)
    found = smallest_std(mechanism, 0.5, 1e-5, certify=True)
    assert isinstance(found.certificate, HingeCertificate)
    again = HingeCertificate.from_json(found.certificate.to_json())
    assert again == found.certificate
    assert again.check()
    assert not replace(again, std=again.std * 0.998).check()
    assert not replace(again, epsilon=again.epsilon * 0.998).check()
    assert not replace(again, mechanism=replace(mechanism, steps=505)).check()


@pytest.mark.parametrize(
    ("name", "value"),
    [("std", -1.0), ("epsilon", math.inf), ("delta", -0.1), ("gap", 0.0), ("gap", 1.0), ("gap", math.nan), ("top", 0),
     ("bits", 9.0), ("scale", 0), ("budget", -1), ("budget", True)],
)  # fmt: skip
def test_a_stored_certificate_of_a_hinge_is_of_something(name: str, value: float) -> None:
    stored = json.loads(certify_hinge(Mechanism(UniformIndex(5), 20, 1.0), 2.0, 0.5, 1e-2).to_json())
    stored[name] = value.hex() if isinstance(value, float) else value
    with pytest.raises(ValueError, match=f"{name} must be|a certificate must have"):
        HingeCertificate.from_json(json.dumps(stored))


@pytest.mark.parametrize("text", ["{}", "[]", '{"kind": "hinge"}', '{"kind": "grid"}', '{"kind": "hinge", "mechanism": 3}'])
def test_what_is_no_certificate_of_a_hinge_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="certificate must"):
        HingeCertificate.from_json(text)


@pytest.mark.parametrize("mechanism", [Mechanism(Poisson(0.1), 9, 1.0), Mechanism(UniformIndex(9), 9, 1.0, unsampled=0.1)])
def test_other_neighbours_and_other_releases_are_refused(mechanism: Mechanism) -> None:
    with pytest.raises(ValueError, match=r"(mechanism|sampling) must replace a row"):
        certify_hinge(mechanism, 2.0, 0.5, 1e-2)


def test_only_certify_true_tries_it_and_the_other_accounts_give_what_they_gave() -> None:
    mechanism = Mechanism(UniformIndex(100, "ball"), 400, 1.0)
    plain, best = smallest_std(mechanism, 0.5, 1e-4), smallest_std(mechanism, 0.5, 1e-4, certify=True)
    assert isinstance(plain.certificate, Certificate)
    assert isinstance(best.certificate, HingeCertificate)
    assert best.std < 0.96 * plain.std
    assert pair_lower_delta(mechanism, 0.97 * best.std, 0.5, "remove", 1e-4) > 1e-4
    less = epsilon_at(mechanism, best.std, 1e-4, certify=True)
    assert isinstance(less.certificate, HingeCertificate)
    assert less.epsilon == pytest.approx(0.5, rel=2e-3)
    assert less.certificate.check()
    found = delta_at(mechanism, best.std, 0.5, certify=True)
    assert isinstance(found.certificate, HingeCertificate)
    assert found.delta == pytest.approx(1e-4, rel=2e-3)


def test_without_a_better_std_there_is_no_certificate() -> None:
    mechanism = Mechanism(UniformIndex(100, "ball"), 400, 1.0)
    assert smallest_hinge_std(mechanism, 0.5, 1e-4, 0.6) is None
