"""Every calibration in a closed form is rounded towards more noise: floats against exact arithmetic and enclosures."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from types import SimpleNamespace
from typing import Any, TypeAlias

import numpy as np
import pytest
from flint import arb, ctx
from hypothesis import given, settings
from hypothesis import strategies as st

from dppca.reference.catalog import ALGORITHMS
from dppca.reference.noise import Record
from dppca.reference.primitives.composition import advanced_component
from dppca.reference.primitives.gaussian import classical_std
from dppca.reference.primitives.sparse_histogram import stability_threshold
from dppca.reference.primitives.truncated_laplace import logarithmic_bound, support_bound
from dppca.reference.rigour.gaussian import ball, gaussian_holds
from dppca.reference.rigour.outwards import divide_down, divide_up

Rng: TypeAlias = np.random.Generator
DRAWS = 200
BITS = 400
#: More than any rounding outwards adds to a closed form, relative to it.
SLACK = Fraction(1, 10**12)
#: Algorithms whose noise has no closed form where they claim privacy: it is searched for, and what is found is proved.
SEARCHED = {
    "liu2022.private_oja": "a certificate of the account of shuffled releases; see test_calibrations.py",
    "shang2021.dp_spca": "a certificate of the account of sampled rows; see test_calibrations.py",
    "shang2021.dp_vrpca": "a certificate of the account of variance reduction; see test_calibrations.py",
    "baselines.dp_sgd": "a certificate of the account of Poisson samples; see test_calibrations.py",
}
#: Readings whose formulas are the paper's, private or not: which of them are is for audits to say.
OF_PAPERS = {"AS_PRINTED", "LITERAL"}
CLAIMED = [
    (key, reading)
    for key, entry in ALGORITHMS.items()
    for reading in entry.choices
    if entry.private and key not in SEARCHED and reading not in OF_PAPERS
]
#: How an argument of a calibration is drawn, in the order of its signature; RANGES has what an algorithm needs otherwise.
DRAWN: dict[str, Callable[[Rng, dict[str, Any]], Any]] = {
    "epsilon": lambda rng, _: math.exp(rng.uniform(-5.0, 3.0)),
    "delta": lambda rng, _: min(0.5, math.exp(rng.uniform(-40.0, -0.6))),
    "n": lambda rng, _: int(rng.integers(1, 10**6)),
    "d": lambda rng, _: int(rng.integers(2, 9)),
    "p": lambda rng, _: int(rng.integers(1, 9)),
    "k": lambda rng, given: int(rng.integers(1, given.get("d", 49) + 1)),
    "k_max": lambda rng, given: int(rng.integers(1, given["d"])),
    "B": lambda rng, _: int(rng.integers(1, 10**6)),
    "L": lambda rng, _: int(rng.integers(1, 50)),
    "ell": lambda rng, _: int(rng.integers(0, 9)),
    "K": lambda rng, _: 1.0 + rng.random(),
    "gamma": lambda rng, _: rng.random(),
    **{
        name: lambda _, __, value=value: value
        for name, value in {"r": 2, "rounds": 4, "zeta": 0.1, "gamma_hat": 0.1, "lambda_1": 1.0, "ceiling": 1.0}.items()
    },
}
_LARGE = {"n": 10**9, "B": 10**8}
RANGES: dict[str, dict[str, Any]] = {
    "baselines.analyze_gauss": {"d": range(1, 9)},
    "baselines.mod_sulq": {"d": range(1, 9)},
    "baselines.output_perturbation": {"d": range(1, 9)},
    "liu2022.private_top_eigenvalue": {"B": 10**9},
    "liu2022.private_mean": {"d": range(1, 20)},
    "liu2022.dp_pca": {**_LARGE, "d": range(2, 20)},
    "liu2022.deflation": {**_LARGE, "d": range(2, 20)},
    "liu2022.block_dp_pca": {**_LARGE, "d": range(2, 20)},
    "liu2022.hyperparameter_search": {
        "n": 10**9,
        "B": 4 * 10**8,
        "d": 2,
        "epsilon": [math.exp(x) for x in np.linspace(-2, 6, 50)],
    },
    "singhal2021.exact_subspace_estimator_random_subsets": {"n": range(1, 13), "k": range(1, 4)},
    "singhal2021.approximate_subspace_estimator": {"n": 10**9},
    "singhal2021.approximate_subspace_estimator_gap_max": {"n": 10**9},
    "singhal2021.approximate_subspace_estimator_unknown_dimension": {"n": 10**9},
}


def _exact(x: float) -> arb:
    return ball(Fraction(x))


def _at_least(found: float, exact: arb) -> None:
    """Fail unless the number is at least the exact one, and not much more."""
    assert arb(found) >= exact
    assert arb(found) <= exact * (1 + ball(SLACK))


def _at_most(found: float, exact: arb) -> None:
    """Fail unless the number is at most the exact one, and not much less."""
    assert arb(found) <= exact
    assert arb(found) >= exact * (1 - ball(SLACK))


def _is_gaussian(std: float, epsilon: float, delta: float, sensitivity: Callable[[], arb]) -> None:
    """Fail unless Gaussian noise of this std on this sensitivity is (epsilon, delta)-DP, and no much smaller noise is."""
    assert gaussian_holds(epsilon, delta, std, sensitivity)
    assert not gaussian_holds(epsilon, delta, std * (1.0 - 1e-6), sensitivity)


def _is_histogram(scale: float, threshold: float, epsilon: float, delta: float) -> None:
    """Fail unless Laplace noise of this scale on two counts is within epsilon, and one count is shown within delta."""
    _at_least(scale, 2 / _exact(epsilon))
    assert arb(threshold) >= 1
    assert ((1 - arb(threshold)) / arb(scale)).exp() / 2 <= _exact(delta)


def _is_truncated(scale: float, bound: float, epsilon: float, delta: float) -> None:
    """Fail unless truncated Laplace noise on what moves by 2 is (epsilon, delta)-DP, and its numbers are not much too large."""
    e, d = _exact(epsilon), _exact(delta)
    _at_least(scale, 2 / e)
    _at_least(bound, 2 / e * (1 + e.expm1() / (2 * d)).log())
    assert (2 / arb(scale)).expm1() / (2 * (arb(bound) / arb(scale)).expm1()) <= d


# --- one check an algorithm ---------------------------------------------------------------------------


def _is_mean(c: Any, epsilon: float, delta: float, d: int, lean: bool) -> None:
    """Fail unless half of (epsilon, delta) covers d histograms and the other half the mean."""
    half, half_delta = _exact(epsilon) / 2, _exact(delta) / 2
    each = c.histogram
    _is_histogram(c.scale, c.threshold, each.epsilon, each.delta)
    _at_most(each.delta, half_delta / (2 * d))
    if lean:
        assert _optimal_delta(epsilon / 2.0, each.epsilon, each.delta, d) <= half_delta
    else:
        _at_most(each.epsilon, half / (2 * (2 * d * (2 / half_delta).log()).sqrt()))

    def moves() -> arb:
        """Return by how much the mean moves: the diagonal of the box over B."""
        return 2 * arb(c.radius) * arb(d).sqrt() / c.B

    if lean:
        _is_gaussian(c.std, epsilon / 2.0, delta / 2.0, moves)
    else:
        _at_least(c.std, moves() * (2 * (arb(5) / 4 / half_delta).log()).sqrt() / half)


def _optimal_delta(epsilon: float, each: float, each_delta: float, k: int) -> arb:
    """Return the delta of k mechanisms of this guarantee under optimal composition, enclosed."""
    q = 1 / (1 + (-arb(each)).exp())
    ways = [math.comb(k, j) for j in range(k + 1)]
    heads = [w * q**j * (1 - q) ** (k - j) for j, w in enumerate(ways)]
    divergence = sum((arb.max(arb(0), h - arb(epsilon).exp() * t) for h, t in zip(heads, heads[::-1], strict=True)), arb(0))
    return 1 - (1 - arb(each_delta)) ** k * (1 - divergence)


def _is_dp_pca(c: Any, epsilon: float, delta: float, d: int, reading: str) -> None:
    """Fail unless each of the two sub-routines, which see different halves of a batch, is (epsilon, delta)-DP."""
    _is_histogram(c.eigenvalue.scale, c.eigenvalue.threshold, epsilon, delta)
    _is_mean(c.mean, epsilon, delta, d, lean=reading == "LEAN")


def _dp_pca(c: Any, a: Any, reading: str) -> None:
    share = 1.0 if reading == "LEAN" else 0.5
    _is_dp_pca(c, a.epsilon * share, a.delta * share, a.d, reading)


def _rank_r(c: Any, a: Any, reading: str) -> None:
    a.d = c.dp_pca.d
    _dp_pca(c.dp_pca, a, reading)


def _minibatch_oja(c: Any, a: Any, _: str) -> None:
    """The noise of a run is 2 beta alpha / B for what moves by 2 beta / B."""
    for B in (1, 7, 99):
        _is_gaussian(2.0 * c.beta * c.alpha / B, a.epsilon, a.delta, lambda B=B: 2 * arb(c.beta) / B)  # type: ignore[misc]


def _search(c: Any, a: Any, reading: str) -> None:
    for i, (r, training, std) in enumerate(zip(c.rounds, c.training, c.score_std, strict=True), start=1):
        shares = max(1, 8 * (i - 1)) * 2**i
        assert len(r.pairs) * 2**i == shares
        _at_most(r.each.epsilon, _exact(a.epsilon) / shares)
        _at_most(r.each.delta, _exact(a.delta) / shares)
        _is_dp_pca(training, 0.5 * r.each.epsilon, 0.5 * r.each.delta, 2, reading)
        _is_gaussian(std, *r.each, lambda: arb(1) / (c.n // 2))


def _truncated(c: Any, a: Any, _: str) -> None:
    _is_truncated(c.scale, c.bound, a.epsilon, a.delta)
    if hasattr(c, "null"):
        assert Fraction(c.null) == 2 * Fraction(c.bound)


def _random_subsets(c: Any, a: Any, _: str) -> None:
    noise = c.gap_max
    _is_truncated(noise.scale, noise.bound, a.epsilon, noise.delta)
    miss = 2 * (1 - Fraction(c.floor + 1, a.n) ** a.k) ** c.subsets
    assert Fraction(noise.delta) + (1 - Fraction(noise.delta)) * miss <= Fraction(a.delta)


def _unknown_dimension(c: Any, a: Any, _: str) -> None:
    for run in c.runs:
        _at_most(run.epsilon, _exact(a.epsilon) / 3)  # eta = 1
        _at_most(run.delta, _exact(a.delta) * arb(c.repetitions.gamma))  # E[K] = 1 / gamma
        _is_histogram(run.scale, run.threshold, run.epsilon, run.delta)
        _at_least(c.scale, 1 / _exact(run.epsilon))


def _gaussian(sensitivity: Callable[[Any], arb], std: str = "std") -> Check:
    """Return the check of Gaussian noise for a sensitivity that is a function of the arguments."""
    return lambda c, a, _: _is_gaussian(getattr(c, std), a.epsilon, a.delta, lambda: sensitivity(a))


def _histogram(c: Any, a: Any, _: str) -> None:
    _is_histogram(c.scale, c.threshold, a.epsilon, a.delta)


Check: TypeAlias = Callable[[Any, Any, str], None]
#: Of a calibration, its arguments and the reading.
CHECKS: dict[str, Check] = {
    "baselines.analyze_gauss": _gaussian(lambda a: arb(min(a.d, 2)).sqrt()),
    "baselines.mod_sulq": _gaussian(lambda a: arb(min(a.d, 2)).sqrt() / a.n),
    "baselines.output_perturbation": _gaussian(lambda a: arb(2 * max(1, min(a.k, a.d - a.k))).sqrt()),
    "baselines.noisy_power_method": _gaussian(lambda a: arb(min(a.k, 2) * a.L).sqrt(), std="multiplier"),
    "baselines.wishart_mechanism": lambda c, a, _: _at_least(c.scale, -1 / (2 * a.n * (-_exact(a.delta)).log1p())),
    "baselines.exponential_mechanism": lambda c, a, _: _at_most(c.multiplier, _exact(a.epsilon) / (2 * a.k)),
    "baselines.matrix_exponential_mechanism": lambda c, a, _: _at_most(c.multiplier, _exact(a.epsilon) / 2),
    "wang2020.local_gaussian_mechanism": _gaussian(lambda a: arb(min(a.p, 2)).sqrt()),
    "wang2020.local_gaussian_mechanism_high_dimension": _gaussian(lambda a: arb(min(a.p, 2)).sqrt()),
    "liu2022.private_top_eigenvalue": _histogram,
    "liu2022.private_mean": lambda c, a, reading: _is_mean(c, a.epsilon, a.delta, a.d, lean=reading == "LEAN"),
    "liu2022.dp_pca": _dp_pca,
    "liu2022.deflation": _rank_r,
    "liu2022.block_dp_pca": _rank_r,
    "liu2022.minibatch_private_oja": _minibatch_oja,
    "liu2022.hyperparameter_search": _search,
    "singhal2021.exact_subspace_estimator": _truncated,
    "singhal2021.exact_subspace_estimator_threshold": _truncated,
    "singhal2021.exact_subspace_estimator_all_dimensions": _truncated,
    "singhal2021.exact_subspace_estimator_random_subsets": _random_subsets,
    "singhal2021.approximate_subspace_estimator": _histogram,
    "singhal2021.approximate_subspace_estimator_gap_max": _truncated,
    "singhal2021.approximate_subspace_estimator_unknown_dimension": _unknown_dimension,
}
#: Algorithms without a calibration: the release, the parameter of its law, and what bounds it for an epsilon.
RELEASES: dict[str, tuple[str, str, Callable[[float, arb], None]]] = {
    "singhal2021.dimension_by_exponential_mechanism": ("dimension", "multiplier", lambda x, e: _at_most(x, e / 2)),
    "singhal2021.dimension_is_at_most": ("largest score", "scale", lambda x, e: _at_least(x, 1 / e)),
}


def _released(key: str, rng: Rng) -> None:
    """Run the worked instance of an algorithm without a calibration, and check the law of its release."""
    release, parameter, check = RELEASES[key]
    entry, noise = ALGORITHMS[key], Record(np.random.default_rng(1))
    epsilon = DRAWN["epsilon"](rng, {})
    entry.bind(choices=None, **{**entry.example.arguments, "epsilon": epsilon})(entry.example.data, noise)
    (found,) = (each for each in noise.tape.entries if each.name == release)
    check(found.parameters[parameter], _exact(epsilon))


@pytest.mark.parametrize(("key", "reading"), CLAIMED)
def test_closed_forms_are_rounded_up(key: str, reading: str) -> None:
    """At 200 targets: about half of them would fail if a quotient were rounded to nearest."""
    rng, entry = np.random.default_rng(20_211), ALGORITHMS[key]
    known = key in CHECKS or key in RELEASES
    assert known, f"{__file__} needs the check of {key}'s calibration in CHECKS, or in SEARCHED how its noise is found"
    with ctx.workprec(BITS):
        for _ in range(DRAWS):
            if key in RELEASES:
                _released(key, rng)
                continue
            assert entry.calibrate is not None
            given: dict[str, Any] = {}
            for name, parameter in inspect.signature(entry.calibrate).parameters.items():
                of = RANGES.get(key, {}).get(name)
                if of is not None:
                    given[name] = of if isinstance(of, int) else rng.choice(of).item()
                elif parameter.default is parameter.empty or name in ("k", "zeta"):
                    given[name] = DRAWN[name](rng, given)
            calibration = entry.calibrate(**given, choices=entry.choices[reading])
            CHECKS[key](calibration, SimpleNamespace(**given), reading)


# --- the formulas alone, over wider ranges ------------------------------------------------------------


@settings(max_examples=300, deadline=None)
@given(log_epsilon=st.floats(-12.0, 6.0), log_delta=st.floats(-80.0, -0.693), sensitivity=st.floats(1e-3, 1e3))
def test_formulas_are_rounded_up(log_epsilon: float, log_delta: float, sensitivity: float) -> None:
    epsilon, delta = math.exp(log_epsilon), min(math.exp(log_delta), 0.5)
    with ctx.workprec(BITS):
        e, d, s = arb(epsilon), arb(delta), arb(sensitivity)
        _at_least(classical_std(epsilon, delta, sensitivity), s * (2 * (arb(5) / 4 / d).log()).sqrt() / e)
        _at_least(support_bound(epsilon, delta, sensitivity), s / e * (1 + e.expm1() / (2 * d)).log())
        _at_least(logarithmic_bound(epsilon, delta, sensitivity), -s * d.log() / e)
        _at_least(stability_threshold(epsilon, delta), 1 - 2 / e * (2 * d).log())
        _at_most(advanced_component(epsilon, delta, 3).epsilon, e / (2 * (6 * (2 / d).log()).sqrt()))


@settings(max_examples=300, deadline=None)
@given(numerator=st.floats(1e-60, 1e60), denominator=st.floats(1e-60, 1e60))
def test_quotients_are_the_next_floats_outwards(numerator: float, denominator: float) -> None:
    exact = Fraction(numerator) / Fraction(denominator)
    low, high = divide_down(numerator, denominator), divide_up(numerator, denominator)
    assert low <= exact <= high
    assert low == high or math.nextafter(low, math.inf) == high
    assert all(a < b for a, b in pairwise([math.nextafter(low, 0.0), exact, math.nextafter(high, math.inf)]))
