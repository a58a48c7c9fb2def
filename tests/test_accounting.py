"""The accounts against quadrature, closed forms, brute force and dp-accounting; planted errors must be noticed."""

from __future__ import annotations

import doctest
import inspect
import itertools
import json
import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from dp_accounting.pld import privacy_loss_distribution as pld
from flint import arb, ctx, fmpz_poly
from hypothesis import given, settings
from hypothesis import strategies as st

from dppca.audit.suite.accounts import densities, gaussian_delta, one_step_delta, two_steps
from dppca.proofs.checks.shang2021 import section_4_1, section_4_2
from dppca.reference import accounting
from dppca.reference.accounting import (
    NOT_CERTIFIED,
    Certificate,
    FixedBatch,
    Mechanism,
    Poisson,
    UniformIndex,
    balls,
    certificates,
    certify,
    choose_grid,
    delta_at,
    epsilon_at,
    estimate_delta,
    profile,
    smallest_std,
)
from dppca.reference.accounting.lower import lower_delta, pair_lower_delta
from dppca.reference.accounting.moments import SmallSteps
from dppca.reference.accounting.shuffling import certify_shuffle
from dppca.reference.accounting.variance_reduced import VarianceReduced
from dppca.reference.catalog import ALGORITHMS
from dppca.reference.vectors import DIRECTORY
from tests.meta.accounts import BUGS
from tests.meta.bug import Bug
from tests.meta.planting import planted

# --- bad input ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: UniformIndex(0), "n must be >= 1, got 0"),
        (lambda: UniformIndex(3, "cube"), "shape must be 'ball' or 'diameter', got 'cube'"),  # type: ignore[arg-type]
        (lambda: FixedBatch(3, 4), "batch must be <= n = 3, got 4"),
        (lambda: Poisson(0.0), r"probability must be in \(0, 1\], got 0.0"),
        (lambda: Poisson(math.nan), r"probability must be in \(0, 1\], got nan"),
        (lambda: Mechanism(UniformIndex(3), 0, 1.0), "steps must be >= 1, got 0"),
        (lambda: Mechanism(UniformIndex(3), 2.5, 1.0), "steps must be an integer >= 1, got 2.5"),  # type: ignore[arg-type]
        (lambda: Mechanism(UniformIndex(3), 2, -1.0), "sensitivity must be finite and > 0, got -1.0"),
        (lambda: Mechanism(UniformIndex(3), 2, 1.0, unsampled=math.inf), "unsampled must be finite and >= 0, got inf"),
        (lambda: delta_at(Mechanism(UniformIndex(3), 2, 1.0), 0.01, 1.0), r"std must be >= sensitivity / 10 = 0.1, got 0.01"),
        (
            lambda: delta_at(Mechanism(UniformIndex(3), 2, 1.0), 1e9, 1.0),
            "sensitivity / 1e-06 = 1000000.0, got 1000000000.0: the grid",
        ),
        (lambda: delta_at(Mechanism(UniformIndex(3), 2, 1.0), 1.0, -1.0), r"epsilon must be finite and >= 0, got -1.0"),
        (lambda: smallest_std(Mechanism(UniformIndex(3), 2, 1.0), 1.0, 1.0), r"delta must be in \(0, 1\), got 1.0"),
        (lambda: smallest_std(Mechanism(UniformIndex(3), 2, 1.0), 1.0, 1e-300), r"delta must be >= 1e-200 .* got 1e-300"),
        (lambda: smallest_std(Mechanism(UniformIndex(3), 2, 1.0, fixed_ratio=9.0), 1.0, 1e-3), "alone have delta"),
        (lambda: smallest_std(Mechanism(UniformIndex(2), 10**15, 1.0), 1.0, 1e-3), "grid points, more than"),
        (lambda: SmallSteps(4, 4, 2, 1.0, 1.0, 0.0, "ball"), "n must be > batch = 4, got 4"),
        (lambda: VarianceReduced(0, 2, 1.0), "n must be >= 1, got 0"),
        (lambda: VarianceReduced(4, 2, 1.0, drift=3.0), r"drift must be in \(0, 2\], got 3.0"),
        (lambda: VarianceReduced(4, 2, 1.0, sign=0), "sign must be -1 or 1, got 0"),  # type: ignore[arg-type]
        (lambda: certify_shuffle(5, 0.0, 1.0), r"multiplier must be finite and > 0, got 0.0"),
    ],
)
def test_bad_input_is_refused(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


# --- documentation ------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_examples_of_the_documentation_are_executed() -> None:
    found = doctest.testmod(accounting)
    assert found.attempted == 7
    assert found.failed == 0


# --- the grid account ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("q", "r", "epsilon"), [(0.5, 1.0, 0.3), (0.01, 2.0, 0.05), (0.9, 0.4, 0.2), (1 / 3, 3.0, 1.0)])
def test_one_step_is_the_closed_form(q: float, r: float, epsilon: float) -> None:
    exact = max(one_step_delta(q, r, epsilon))
    found = certify(Mechanism(Poisson(q), 1, r), 1.0, epsilon, exact)
    assert exact <= found.delta <= 1.003 * exact
    assert estimate_delta(Mechanism(Poisson(q), 1, r), 1.0, epsilon, like=exact) == pytest.approx(found.delta, rel=1e-3)


@pytest.mark.parametrize(("q", "r", "epsilon"), [(0.3, 1.0, 0.2), (0.05, 2.0, 0.1), (0.7, 0.5, 0.4)])
def test_two_steps_are_those_of_brute_force(q: float, r: float, epsilon: float) -> None:
    mixture, base = densities(q, r)
    exact = max(two_steps(mixture, base, epsilon), two_steps(base, mixture, epsilon))
    mechanism = Mechanism(Poisson(q), 2, r)
    found = certify(mechanism, 1.0, epsilon, exact).delta
    assert exact * (1 - 1e-4) <= found <= 1.003 * exact
    assert 0.99 * exact <= lower_delta(mechanism, 1.0, epsilon, exact) <= exact * (1 + 1e-3)
    replaced = certify(Mechanism(UniformIndex(round(1 / q)), 2, r), 1.0, epsilon, exact).delta
    assert replaced >= exact * (1 - 1e-4) or abs(round(1 / q) * q - 1) > 1e-9


@pytest.mark.parametrize("sampling", [UniformIndex(1), FixedBatch(7, 7), Poisson(1.0)])
def test_no_sampling_is_one_gaussian_release(sampling: Any) -> None:
    for steps, std, epsilon in ((1, 1.0, 1.0), (50, 9.0, 0.5), (1000, 120.0, 1.0)):
        exact = gaussian_delta(epsilon, math.sqrt(steps) / std)
        found = certify(Mechanism(sampling, steps, 1.0), std, epsilon, exact)
        assert exact <= found.delta <= 1.004 * exact


def test_unsampled_releases_add_their_squares() -> None:
    """n = 1: a step is Gaussian too, so everything is one release."""
    mechanism = Mechanism(UniformIndex(1), 16, 1.0, unsampled=2.0, fixed_ratio=0.3)
    exact = gaussian_delta(0.7, math.sqrt(16 / 64 + 4 / 64 + 0.09))
    assert exact <= certify(mechanism, 8.0, 0.7, exact).delta <= 1.004 * exact


@pytest.mark.parametrize(
    ("rate", "steps", "std", "epsilon"),
    [(0.1, 100, 2.0, 1.0), (0.01, 1000, 1.0, 0.5), (0.02, 2000, 3.0, 0.2), (0.5, 5, 0.5, 1.0)],
)
def test_poisson_is_dp_accountings(rate: float, steps: int, std: float, epsilon: float) -> None:
    high = (
        pld.from_gaussian_mechanism(std, 1.0, True, 1e-4, sampling_prob=rate).self_compose(steps).get_delta_for_epsilon(epsilon)
    )
    mechanism = Mechanism(Poisson(rate), steps, 1.0)
    found = certify(mechanism, std, epsilon, high).delta
    assert lower_delta(mechanism, std, epsilon, high) <= high
    assert found == pytest.approx(high, rel=3e-3)


@pytest.mark.parametrize(("n", "steps", "std", "epsilon"), [(10, 100, 2.0, 1.0), (100, 1000, 20.0, 0.05), (3, 7, 1.0, 0.5)])
def test_replacing_costs_at_least_each_pair(n: int, steps: int, std: float, epsilon: float) -> None:
    """No account of a replaced row can be below `remove`, `add` or the triangle."""
    mechanism = Mechanism(UniformIndex(n), steps, 1.0)
    upper = certify(mechanism, std, epsilon, 1e-4).delta
    assert all(0.0 < pair_lower_delta(mechanism, std, epsilon, pair, 1e-4) < upper for pair in ("remove", "add", "triangle"))


def test_a_batch_is_an_index_of_its_rate() -> None:
    one, other = Mechanism(UniformIndex(10), 30, 1.0), Mechanism(FixedBatch(1000, 100), 30, 1.0)
    assert certify(one, 1.5, 0.5, 1e-2).delta == certify(other, 1.5, 0.5, 1e-2).delta


@settings(max_examples=30, deadline=None)
@given(
    q=st.fractions(Fraction(1, 40), Fraction(1), max_denominator=40),
    r=st.floats(0.05, 4.0),
    log_gamma=st.floats(-1.5, 1.5),
    pair=st.sampled_from(["remove", "add", "replace"]),
)
def test_a_steps_integer_law_dominates_its_exact_profile(q: Fraction, r: float, log_gamma: float, pair: Any) -> None:
    mechanism = Mechanism(FixedBatch(q.denominator, q.numerator), 10, r)
    grid, scale = choose_grid(mechanism, 1.0, 1e-3), 60
    with ctx.workprec(256):
        law = certificates.one_step(pair, balls.ball(q), arb(r), grid, scale)
    t = (law.lowest + np.arange(law.masses.length())) * grid.width
    masses = np.array([int(c) / 2.0**scale for c in law.masses.coeffs()])
    above = float(masses @ np.maximum(-np.expm1(np.minimum(log_gamma - t, 0.0)), 0.0)) + law.infinite / 2.0**scale
    assert 2**scale <= sum(int(c) for c in law.masses.coeffs()) + law.infinite <= 2**scale + 4 * len(masses)
    if log_gamma >= 0.0:
        remove, add = one_step_delta(float(q), r, log_gamma)
    else:  # H_gamma(P, Q) = 1 - gamma + gamma H_(1/gamma)(Q, P)
        gamma = math.exp(log_gamma)
        swapped = one_step_delta(float(q), r, -log_gamma)
        remove, add = (1 - gamma + gamma * h for h in (swapped[1], swapped[0]))
    exact = {"remove": remove, "add": add, "replace": max(remove, add)}[pair]
    assert exact - 1e-12 <= above <= exact + 2.0 * grid.width + 0.02 * float(q)


def test_powers_are_rounded_up_exact_powers() -> None:
    scale, masses = 20, [3, 0, 2**18, 2**19, 7, 2**17]
    one = certificates.IntegerLaw(-2, fmpz_poly(masses), 5)
    for steps in (1, 2, 5, 13):
        law = certificates.power(one, steps, scale, 0)
        exact: dict[int, Fraction] = {0: Fraction(1)}
        for _ in range(steps):
            grown: dict[int, Fraction] = {}
            for (i, a), (j, b) in itertools.product(exact.items(), enumerate(masses)):
                grown[i + j - 2] = grown.get(i + j - 2, Fraction(0)) + a * Fraction(b, 2**scale)
            exact = grown
        found = {law.lowest + j: Fraction(int(c), 2**scale) for j, c in enumerate(law.masses.coeffs())}
        assert all(exact[j] <= found.get(j, Fraction(0)) for j in exact)
        assert sum(found.values()) - sum(exact.values()) <= Fraction(400 * steps, 2**scale)
        assert law.infinite == 5 * steps


def test_what_is_cut_goes_to_infinity_or_up() -> None:
    law = certificates.IntegerLaw(0, fmpz_poly([1, 2, 50, 60, 3, 2]), 0)
    cut = certificates._cut(law, 5)
    assert (cut.lowest, cut.masses.coeffs(), cut.infinite) == (2, [53, 60], 5)


def test_delta_of_a_law_is_the_sum_or_a_little_more() -> None:
    rng = np.random.default_rng(3)
    masses = [int(m) for m in rng.integers(0, 2**30, 5000)]
    total = sum(masses)
    law = certificates.IntegerLaw(-2500, fmpz_poly(masses), 7)
    with ctx.workprec(200):
        for mu in (0.0, 0.4):
            found = certificates.delta_of(law, 10, 0, arb(0.3), arb(mu) ** 2)
            values = (np.arange(5000) - 2500) / 1024
            terms = [gaussian_delta(0.3 - v, mu) for v in values] if mu else [max(0.0, -math.expm1(0.3 - v)) for v in values]
            exact = math.fsum(m * t for m, t in zip(masses, terms, strict=True)) + 7
            assert exact * (1 - 1e-12) <= float(found.upper()) <= exact + 1e-4 * total


# --- certificates and searches ------------------------------------------------------------------------


def test_a_certificate_is_stored_and_checked_again() -> None:
    mechanism = Mechanism(FixedBatch(100, 3), 200, 0.7, unsampled=0.1)
    found = smallest_std(mechanism, 0.9, 1e-5)
    assert isinstance(found.certificate, Certificate)
    again = Certificate.from_json(found.certificate.to_json())
    assert again == found.certificate
    assert again.check()
    assert 0.998 * 1e-5 <= again.delta <= 1e-5
    assert not replace(again, std=again.std * 0.999).check()
    assert not replace(again, delta=again.delta * 0.999).check()
    assert not replace(again, epsilon=again.epsilon * 0.999).check()
    assert not replace(again, mechanism=replace(mechanism, steps=201)).check()


@pytest.mark.parametrize(
    ("name", "value"),
    [("std", -1.0), ("std", math.nan), ("epsilon", math.inf), ("delta", -0.1), ("delta", math.nan), ("top", 0), ("bits", 9.0),
     ("bottom", -1), ("scale", 0), ("budget", -1), ("budget", True)],
)  # fmt: skip
def test_a_stored_certificate_is_of_something(name: str, value: float) -> None:
    found = certify(Mechanism(Poisson(0.3), 2, 1.0), 1.0, 0.2, 1e-2)
    with pytest.raises(ValueError, match=f"{name} must be|a certificate must have"):
        Certificate.from_json(replace_field(found.to_json(), name, value))


def replace_field(text: str, name: str, value: float) -> str:
    stored = json.loads(text)
    stored[name] = value.hex() if isinstance(value, float) else value
    return json.dumps(stored)


@pytest.mark.parametrize(
    "text", ["{}", "[]", '{"kind": "grid"}', '{"kind": "small-steps", "steps": {}}', '{"kind": "grid", "mechanism": 3}']
)
def test_what_is_no_certificate_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="certificate must"):
        Certificate.from_json(text)


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


@pytest.mark.parametrize("key", ["shang2021.dp_spca", "shang2021.dp_vrpca", "baselines.dp_sgd", "liu2022.private_oja"])
def test_calibrations_of_the_known_answers_are_proved(key: str) -> None:
    entry, tried = ALGORITHMS[key], 0
    for case in json.loads((DIRECTORY / f"{key}.json").read_text())["cases"]:
        if case["choice"] == "CORRECTED" and case.get("calibration"):
            wanted = inspect.signature(entry.calibrate).parameters
            given = {**case["parameters"], **{name: make(case["parameters"]) for name, make in entry.derived.items()}}
            arguments = {name: value for name, value in given.items() if name in wanted}
            found = entry.calibrate(**arguments, choices=entry.choices["CORRECTED"])
            assert getattr(found, "certified", NOT_CERTIFIED not in found.assumptions)
            tried += 1
    assert tried >= 1


# --- planted errors -----------------------------------------------------------------------------------

#: A check of the ledger that must notice each.
CHECKS = {
    "sampling counted twice": section_4_1.account_numerics,
    "one of the two pairs for a replaced row": section_4_1.account_numerics,
    "second moment of the hinge 3 % too small": section_4_1.account_hinge,
    "hinge's point below 1 left out": section_4_1.account_hinge,
    "hinge halved": section_4_1.account_hinge,
    "drift halved": section_4_2.account_vrpca,
    "full gradient left out": section_4_2.account_vrpca,
    "second moment of small steps too small": section_4_1.account_small_steps,
    "tail dropped": section_4_1.account_numerics,
    "masses rounded down": section_4_1.account_numerics,
    "products rounded down": section_4_1.account_numerics,
    "final sum 3 % too small": section_4_1.account_numerics,
    "masses of the lower bound rounded up": section_4_1.account_numerics,
}


@pytest.mark.slow
@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.name)
def test_a_planted_error_lets_a_claim_fall(bug: Bug) -> None:
    """That an examination of audit/tests/test_accounts.py fails as well is looked at with the other planted bugs."""
    with planted(bug.edits):
        assert CHECKS[bug.name.removeprefix("account: ")]().status == "refuted"
