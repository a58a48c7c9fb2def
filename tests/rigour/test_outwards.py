"""Every calibration in a closed form is rounded towards more noise: floats against exact arithmetic and enclosures."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
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
#: Private readings whose noise has no closed form: it is searched for, and what is found is proved where that is said.
SEARCHED = {
    (
        "liu2022.private_oja",
        "CORRECTED",
    ): "a certificate of the account of shuffled releases; see test_calibrations.py",
    ("shang2021.dp_spca", "CORRECTED"): "a certificate of the account of sampled rows; see test_calibrations.py",
    (
        "shang2021.dp_vrpca",
        "CORRECTED",
    ): "a certificate of the account of variance reduction; see test_calibrations.py",
    ("baselines.dp_sgd", "CORRECTED"): "a certificate of the account of Poisson samples; see test_calibrations.py",
}
#: Readings whose formulas are the paper's, private or not: which of them are is for audits to say.
OF_PRINT = {"AS_PRINTED", "LITERAL"}


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


def _epsilon(rng: Rng) -> float:
    return math.exp(rng.uniform(-5.0, 3.0))


def _delta(rng: Rng) -> float:
    return min(0.5, math.exp(rng.uniform(-40.0, -0.6)))


def _calibrate(key: str, reading: str, **arguments: Any) -> Any:
    declaration = ALGORITHMS[key]
    assert declaration.calibrate is not None
    return declaration.calibrate(**arguments, choices=declaration.choices[reading])


def _parameters(key: str, release: str, **arguments: Any) -> Any:
    """Return the parameters of a release's law in a run on the worked instance of an algorithm that has no calibration."""
    declaration = ALGORITHMS[key]
    noise = Record(np.random.default_rng(1))
    declaration.bind(choices=None, **{**declaration.example.arguments, **arguments})(declaration.example.data, noise)
    (entry,) = (entry for entry in noise.tape.entries if entry.name == release)
    return entry.parameters


# --- one check an algorithm ---------------------------------------------------------------------------


def _analyze_gauss(rng: Rng, key: str, reading: str) -> None:
    epsilon, delta, d = _epsilon(rng), _delta(rng), int(rng.integers(1, 9))
    c = _calibrate(key, reading, epsilon=epsilon, delta=delta, d=d)
    _is_gaussian(c.std, epsilon, delta, lambda: arb(min(d, 2)).sqrt())


def _output_perturbation(rng: Rng, key: str, reading: str) -> None:
    epsilon, delta, d = _epsilon(rng), _delta(rng), int(rng.integers(1, 9))
    k = int(rng.integers(1, d + 1))
    c = _calibrate(key, reading, epsilon=epsilon, delta=delta, d=d, k=k)
    _is_gaussian(c.std, epsilon, delta, lambda: arb(2 * max(1, min(k, d - k))).sqrt())


def _mod_sulq(rng: Rng, key: str, reading: str) -> None:
    epsilon, delta, d, n = _epsilon(rng), _delta(rng), int(rng.integers(1, 9)), int(rng.integers(1, 10**6))
    c = _calibrate(key, reading, epsilon=epsilon, delta=delta, d=d, n=n)
    _is_gaussian(c.std, epsilon, delta, lambda: arb(min(d, 2)).sqrt() / n)


def _local_gaussian(rng: Rng, key: str, reading: str) -> None:
    epsilon, delta, p = _epsilon(rng), _delta(rng), int(rng.integers(1, 9))
    c = _calibrate(key, reading, epsilon=epsilon, delta=delta, p=p)
    _is_gaussian(c.std, epsilon, delta, lambda: arb(min(p, 2)).sqrt())


def _power_method(rng: Rng, key: str, reading: str) -> None:
    epsilon, delta, k, L = _epsilon(rng), _delta(rng), int(rng.integers(1, 5)), int(rng.integers(1, 50))
    c = _calibrate(key, reading, epsilon=epsilon, delta=delta, d=5, k=k, L=L)
    _is_gaussian(c.multiplier, epsilon, delta, lambda: arb(min(k, 2) * L).sqrt())


def _wishart(rng: Rng, key: str, reading: str) -> None:
    delta, n = _delta(rng), int(rng.integers(1, 10**6))
    c = _calibrate(key, reading, epsilon=_epsilon(rng), delta=delta, n=n)
    _at_least(c.scale, -1 / (2 * n * (-_exact(delta)).log1p()))


def _exponential(rng: Rng, key: str, reading: str) -> None:
    epsilon, k = _epsilon(rng), int(rng.integers(1, 50))
    c = _calibrate(key, reading, epsilon=epsilon, k=k)
    _at_most(c.multiplier, _exact(epsilon) / (2 * k))


def _matrix_exponential(rng: Rng, key: str, reading: str) -> None:
    epsilon = _epsilon(rng)
    _at_most(_calibrate(key, reading, epsilon=epsilon).multiplier, _exact(epsilon) / 2)


def _top_eigenvalue(rng: Rng, key: str, reading: str) -> None:
    epsilon, delta = _epsilon(rng), _delta(rng)
    c = _calibrate(key, reading, epsilon=epsilon, delta=delta, B=10**9, zeta=0.1)
    _is_histogram(c.scale, c.threshold, epsilon, delta)


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


def _mean(rng: Rng, key: str, reading: str) -> None:
    epsilon, delta, d, B = _epsilon(rng), _delta(rng), int(rng.integers(1, 20)), int(rng.integers(1, 10**6))
    c = _calibrate(key, reading, epsilon=epsilon, delta=delta, B=B, d=d, K=1.0 + rng.random(), zeta=0.1)
    _is_mean(c, epsilon, delta, d, lean=reading == "LEAN")


def _dp_pca(rng: Rng, key: str, reading: str) -> None:
    epsilon, delta, d = _epsilon(rng), _delta(rng), int(rng.integers(2, 20))
    r = {} if key == "liu2022.dp_pca" else {"r": 2}
    c = _calibrate(key, reading, epsilon=epsilon, delta=delta, n=10**9, d=d, B=10**8, K=1.0 + rng.random(), **r)
    share = 1.0 if reading == "LEAN" else 0.5
    _is_dp_pca(c.dp_pca if r else c, epsilon * share, delta * share, 2 * d if key == "liu2022.block_dp_pca" else d, reading)


def _is_dp_pca(c: Any, epsilon: float, delta: float, d: int, reading: str) -> None:
    """Fail unless each of the two sub-routines, which see different halves of a batch, is (epsilon, delta)-DP."""
    _is_histogram(c.eigenvalue.scale, c.eigenvalue.threshold, epsilon, delta)
    _is_mean(c.mean, epsilon, delta, d, lean=reading == "LEAN")


def _minibatch_oja(rng: Rng, key: str, reading: str) -> None:
    epsilon, delta = _epsilon(rng), _delta(rng)
    c = _calibrate(key, reading, epsilon=epsilon, delta=delta, n=100, d=3, lambda_1=1.0, K=2.0, gamma=rng.random())
    # The noise of a run is 2 beta alpha / B for what moves by 2 beta / B.
    B = int(rng.integers(1, 100))
    _is_gaussian(2.0 * c.beta * c.alpha / B, epsilon, delta, lambda: 2 * arb(c.beta) / B)


def _search(rng: Rng, key: str, reading: str) -> None:
    epsilon, delta = 20.0 * _epsilon(rng), _delta(rng)
    c = _calibrate(
        key, reading, epsilon=epsilon, delta=delta, n=10**9, d=2, B=4 * 10**8, K=1.0 + rng.random(), ceiling=1.0, rounds=4
    )
    for i, (r, training, std) in enumerate(zip(c.rounds, c.training, c.score_std, strict=True), start=1):
        shares = max(1, 8 * (i - 1)) * 2**i
        assert len(r.pairs) * 2**i == shares
        _at_most(r.each.epsilon, _exact(epsilon) / shares)
        _at_most(r.each.delta, _exact(delta) / shares)
        _is_dp_pca(training, 0.5 * r.each.epsilon, 0.5 * r.each.delta, 2, reading)
        _is_gaussian(std, *r.each, lambda: arb(1) / (c.n // 2))


def _exact_estimator(rng: Rng, key: str, reading: str) -> None:
    epsilon, delta = _epsilon(rng), _delta(rng)
    c = _calibrate(key, reading, epsilon=epsilon, delta=delta, ell=int(rng.integers(0, 9)))
    _is_truncated(c.scale, c.bound, epsilon, delta)
    if hasattr(c, "null"):
        assert Fraction(c.null) == 2 * Fraction(c.bound)


def _random_subsets(rng: Rng, key: str, reading: str) -> None:
    epsilon, delta, n, k = _epsilon(rng), _delta(rng), int(rng.integers(1, 13)), int(rng.integers(1, 4))
    c = _calibrate(key, reading, epsilon=epsilon, delta=delta, ell=1, n=n, k=k)
    noise = c.gap_max
    _is_truncated(noise.scale, noise.bound, epsilon, noise.delta)
    miss = 2 * (1 - Fraction(c.floor + 1, n) ** k) ** c.subsets
    assert Fraction(noise.delta) + (1 - Fraction(noise.delta)) * miss <= Fraction(delta)


def _approximate(rng: Rng, key: str, reading: str) -> None:
    epsilon, delta = _epsilon(rng), _delta(rng)
    c = _calibrate(key, reading, epsilon=epsilon, delta=delta, gamma=rng.random(), n=10**9, d=3, k=2)
    _is_histogram(c.scale, c.threshold, epsilon, delta)


def _approximate_gap_max(rng: Rng, key: str, reading: str) -> None:
    epsilon, delta = _epsilon(rng), _delta(rng)
    c = _calibrate(key, reading, epsilon=epsilon, delta=delta, gamma=rng.random(), n=10**9, d=3, k=2)
    _is_truncated(c.scale, c.bound, epsilon, delta)


def _unknown_dimension(rng: Rng, key: str, reading: str) -> None:
    epsilon, delta, k_max = _epsilon(rng), _delta(rng), int(rng.integers(1, 5))
    c = _calibrate(key, reading, epsilon=epsilon, delta=delta, gamma=rng.random(), gamma_hat=0.1, n=10**9, d=5, k_max=k_max)
    for run in c.runs:
        _at_most(run.epsilon, _exact(epsilon) / 3)  # eta = 1
        _at_most(run.delta, _exact(delta) * arb(c.repetitions.gamma))  # E[K] = 1 / gamma
        _is_histogram(run.scale, run.threshold, run.epsilon, run.delta)
        _at_least(c.scale, 1 / _exact(run.epsilon))


def _dimension(rng: Rng, key: str, reading: str) -> None:
    del reading
    epsilon = _epsilon(rng)
    _at_most(_parameters(key, "dimension", epsilon=epsilon)["multiplier"], _exact(epsilon) / 2)


def _dimension_test(rng: Rng, key: str, reading: str) -> None:
    del reading
    epsilon = _epsilon(rng)
    _at_least(_parameters(key, "largest score", epsilon=epsilon)["scale"], 1 / _exact(epsilon))


Check: TypeAlias = Callable[[Rng, str, str], None]
CHECKS: dict[tuple[str, str], Check] = {
    ("liu2022.dp_pca", "CORRECTED"): _dp_pca,
    ("liu2022.dp_pca", "LEAN"): _dp_pca,
    ("liu2022.private_top_eigenvalue", "CORRECTED"): _top_eigenvalue,
    ("liu2022.private_mean", "CORRECTED"): _mean,
    ("liu2022.private_mean", "LEAN"): _mean,
    ("liu2022.minibatch_private_oja", "CORRECTED"): _minibatch_oja,
    ("liu2022.hyperparameter_search", "CORRECTED"): _search,
    ("liu2022.deflation", "CORRECTED"): _dp_pca,
    ("liu2022.deflation", "LEAN"): _dp_pca,
    ("liu2022.block_dp_pca", "CORRECTED"): _dp_pca,
    ("liu2022.block_dp_pca", "LEAN"): _dp_pca,
    ("wang2020.local_gaussian_mechanism", "CORRECTED"): _local_gaussian,
    ("wang2020.local_gaussian_mechanism_high_dimension", "CORRECTED"): _local_gaussian,
    ("singhal2021.exact_subspace_estimator", "CORRECTED"): _exact_estimator,
    ("singhal2021.exact_subspace_estimator_threshold", "CORRECTED"): _exact_estimator,
    ("singhal2021.exact_subspace_estimator_all_dimensions", "CORRECTED"): _exact_estimator,
    ("singhal2021.exact_subspace_estimator_random_subsets", "CORRECTED"): _random_subsets,
    ("singhal2021.approximate_subspace_estimator", "CORRECTED"): _approximate,
    ("singhal2021.approximate_subspace_estimator_gap_max", "CORRECTED"): _approximate_gap_max,
    ("singhal2021.approximate_subspace_estimator_unknown_dimension", "CORRECTED"): _unknown_dimension,
    ("singhal2021.dimension_by_exponential_mechanism", "CORRECTED"): _dimension,
    ("singhal2021.dimension_is_at_most", "CORRECTED"): _dimension_test,
    ("baselines.analyze_gauss", "CORRECTED"): _analyze_gauss,
    ("baselines.mod_sulq", "CORRECTED"): _mod_sulq,
    ("baselines.output_perturbation", "CORRECTED"): _output_perturbation,
    ("baselines.noisy_power_method", "CORRECTED"): _power_method,
    ("baselines.wishart_mechanism", "CORRECTED"): _wishart,
    ("baselines.exponential_mechanism", "PPCA"): _exponential,
    ("baselines.exponential_mechanism", "CORRECTED"): _exponential,
    ("baselines.matrix_exponential_mechanism", "CORRECTED"): _matrix_exponential,
}


@pytest.mark.parametrize(("key", "reading"), CHECKS)
def test_closed_forms_are_rounded_up(key: str, reading: str) -> None:
    """At 200 targets: about half of them would fail if a quotient were rounded to nearest."""
    rng = np.random.default_rng(20_211)
    with ctx.workprec(BITS):
        for _ in range(DRAWS):
            CHECKS[key, reading](rng, key, reading)


def test_every_reading_that_claims_privacy_is_looked_at() -> None:
    """A calibration that is added has its check here, or says how its noise is found."""
    private = {
        (key, reading)
        for key, declaration in ALGORITHMS.items()
        for reading in declaration.choices
        if declaration.private and reading not in OF_PRINT
    }
    assert private == CHECKS.keys() | SEARCHED.keys()
    assert not CHECKS.keys() & SEARCHED.keys()


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
