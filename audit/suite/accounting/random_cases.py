"""Whether each function of the reference that returns a guarantee returns one that holds, on random arguments.

An algorithm calls a few of them at a few arguments; here each is called by itself, its arguments log-uniform over the ranges
that the checks state, and what it returns is compared with textbook formulas, brute force, or plain transforms
(composition.py), none of which calls the reference. A check returns what is wrong in a sentence, or nothing.
"""

from __future__ import annotations

import inspect
import math
import pkgutil
from collections import Counter
from collections.abc import Callable, Mapping
from fractions import Fraction
from importlib import import_module
from types import MappingProxyType
from typing import Any, TypeAlias

import mpmath
import numpy as np
from scipy.stats import binom

from dppca.audit.suite.accounting.composition import (
    NUMERICAL,
    Part,
    composed,
    mixture_pair,
    pair_delta,
    reduced_pair,
    replace_pair,
    shuffled,
    steps_delta,
)
from dppca.audit.suite.textbook_laws import log_mean_exp, truncated_cdf
from dppca.reference import accounting, primitives
from dppca.reference.accounting import FixedBatch, Mechanism, Poisson, Shuffled, UniformIndex, VarianceReduced, clones
from dppca.reference.noise import Sample
from dppca.reference.primitives import bingham, composition, gaussian, row_changes, sparse_histogram, truncated_laplace, wishart
from dppca.reference.primitives.composition import Guarantee
from dppca.reference.primitives.private_selection import UNIFORM_STEPS, Repetitions
from dppca.reference.relation import Relation
from dppca.reference.rigour.outwards import divide_down, divide_up
from dppca.reference.singhal2021.exact_linear_algebra import span
from dppca.reference.singhal2021.scores import score
from dppca.reference.singhal2021.section_2_3_random_subsets import calibrate_random_subsets

Rng: TypeAlias = np.random.Generator
Check: TypeAlias = Callable[[Rng], str]

#: Random arguments of each check by budget; accounts take a tenth of a second or a second each, and have a share of them.
DRAWS = {"quick": 60, "standard": 300, "deep": 3_000}
SLOW_SHARE = 10
#: Relative rounding of what is compared; accounts are compared up to the error of a plain transform, `NUMERICAL`.
ROUNDING = 1e-9
#: The least epsilon and delta that the checks of arguments admit.
LEAST_EPSILON, LEAST_DELTA = 1e-60, 1e-300
#: Digits with which differences are right at the least epsilon.
DIGITS = 200
#: Numbers of runs beyond this many times their mean are left out: of each law below 1e-20 of all.
RUNS_BEYOND = 60.0


def between(rng: Rng, low: float, high: float) -> float:
    """Return a log-uniform number."""
    return float(min(high, low * (high / low) ** rng.random()))


def target(rng: Rng, epsilon: tuple[float, float], delta: tuple[float, float]) -> tuple[float, float]:
    """Return an epsilon and a delta, log-uniform; each goes, in every other case, down to the least that is admitted."""
    low, least = (end if rng.random() < 0.5 else of[0] for end, of in ((LEAST_EPSILON, epsilon), (LEAST_DELTA, delta)))
    return between(rng, low, epsilon[1]), between(rng, least, delta[1])


def whole(rng: Rng, high: int) -> int:
    """Return a log-uniform number from 1 on."""
    return min(high, round(between(rng, 0.5, high + 0.5)) or 1)


def _more(what: str, found: float, allowed: float, slack: float = ROUNDING, tiny: float = 0.0) -> str:
    """Return a sentence if a number is more than what is allowed."""
    if found <= allowed + slack * abs(allowed) + tiny:
        return ""
    return f"{what}: {found:.9g}, which must be at most {allowed:.9g}"


def _differs(what: str, found: float, known: float, slack: float = ROUNDING, tiny: float = 0.0) -> str:
    """Return a sentence if two numbers differ."""
    return _more(what, found, known, slack, tiny) or _more(f"{what} is {found:.9g}, and known", known, found, slack, tiny)


# --- one release --------------------------------------------------------------------------------------


def _profile(epsilon: float, mu: float) -> float:
    """Return the smallest delta of N(mu, 1) and N(0, 1), a difference of nearly equal numbers."""
    with mpmath.workdps(DIGITS):
        e, m = mpmath.mpf(epsilon), mpmath.mpf(mu)
        return float(mpmath.ncdf(m / 2 - e / m) - mpmath.exp(e) * mpmath.ncdf(-m / 2 - e / m))


def _std(formula: Callable[[float, float, float], float], largest: float) -> Check:
    def check(rng: Rng) -> str:
        (epsilon, delta), by = target(rng, (1e-5, largest), (1e-12, 0.99)), between(rng, 1e-3, 1e3)
        std = formula(epsilon, delta, by)
        return _more(f"the noise for ({epsilon}, {delta}) at sensitivity {by} spends delta", _profile(epsilon, by / std), delta)

    return check


def _gaussian_profile(rng: Rng) -> str:
    epsilon, mu = between(rng, LEAST_EPSILON, 100.0), between(rng, LEAST_EPSILON, 30.0)
    known = _profile(epsilon, mu)
    if known < 1e-250:
        return ""
    at = f"({epsilon}, mu = {mu})"
    return _differs(f"profile{at}", gaussian.profile(epsilon, mu), known, 1e-7) or _differs(
        f"log_profile{at}", math.exp(gaussian.log_profile(epsilon, mu)), known, 1e-7
    )


def _epsilon_at(rng: Rng) -> str:
    delta, mu = between(rng, LEAST_DELTA, 0.99), between(rng, LEAST_EPSILON, 30.0)
    epsilon = gaussian.epsilon_at(delta, mu)
    return _more(f"mu = {mu} spends at epsilon_at({delta}) = {epsilon} delta", _profile(epsilon, mu), delta, 1e-7)


def _composed_mu(rng: Rng) -> str:
    mus = [between(rng, 1e-3, 10.0) for _ in range(whole(rng, 1_000))]
    return _differs(f"{len(mus)} mus compose to", gaussian.composed_mu(mus) ** 2, float(np.sum(np.square(mus))))


def _histogram(rng: Rng) -> str:
    epsilon, delta = target(rng, (1e-5, 600.0), (1e-12, 0.9))
    threshold = sparse_histogram.stability_threshold(epsilon, delta)
    over = 0.5 * epsilon * (threshold - 1.0)
    alone = 0.5 * math.exp(-over)  # of a cell that one dataset has alone; below a threshold of 1 it would be more than 1/2
    fault = "" if threshold >= 1.0 else f"the threshold {threshold} is below 1"
    fault = fault or _more(f"the threshold for ({epsilon}, {delta}) shows a lone record with probability", alone, delta)
    at = between(rng, 0.1, 100.0)
    shown = 0.5 * math.exp(-0.5 * epsilon * (at - 1.0)) if at >= 1.0 else 1.0 - 0.5 * math.exp(0.5 * epsilon * (at - 1.0))
    stated = sparse_histogram.stability_delta(epsilon, at)
    return fault or _more(
        f"at threshold {at} and epsilon {epsilon} a lone record is shown with probability", shown, stated, 1e-9, 1e-15
    )


def _outside(scale: Any, bound: float, by: float) -> float:
    """Return the probability that truncated Laplace noise, moved by so much, leaves its support."""
    with mpmath.workdps(DIGITS):
        top = mpmath.exp(mpmath.mpf(bound) / scale)
        return float((mpmath.exp(mpmath.mpf(by) / scale) - 1) / (2 * (top - 1)))


def _support(formula: Callable[[float, float, float], float], small: bool) -> Check:
    def check(rng: Rng) -> str:
        (epsilon, delta), by = target(rng, (1e-4, 30.0), (1e-12, 0.5)), between(rng, 1e-2, 1e2)
        if small:  # where the logarithmic bound is stated to be enough
            epsilon = min(epsilon, math.log(3.0 - 2.0 * delta))
        bound = formula(epsilon, delta, by)
        if bound < by:
            return f"the support for ({epsilon}, {delta}) ends at {bound}, before the sensitivity {by}"
        alone = _outside(mpmath.mpf(by) / epsilon, bound, by)
        return _more(f"the support for ({epsilon}, {delta}) at sensitivity {by} is left with probability", alone, delta)

    return check


def _truncated_profile(rng: Rng) -> str:
    scale, bound = between(rng, 0.1, 10.0), between(rng, 0.1, 10.0)
    shift, epsilon = between(rng, 0.01, 2.0 * bound), between(rng, 1e-3, 20.0)
    parameters = {"scale": scale, "bound": bound}
    edges = np.union1d(np.linspace(-bound, bound + shift, 4_001), [0.0, shift, shift - bound, bound])
    p, q = (np.diff(truncated_cdf(parameters, edges - moved)) for moved in (0.0, shift))
    known = float(np.maximum(p - math.exp(epsilon) * q, 0.0).sum())  # of cells, so no more than the laws'
    stated = truncated_laplace.profile(epsilon, shift, scale, bound)
    fault = _more(
        f"cells of truncated noise {parameters}, moved by {shift}, have at {epsilon} delta", known, stated, 1e-6, 1e-12
    )
    x = np.sort(rng.uniform(-1.2 * bound, 1.2 * bound, 20))
    off = float(np.abs(truncated_laplace.cdf(x, scale, bound) - truncated_cdf(parameters, x)).max())
    return fault or _more(f"the distribution function of truncated noise {parameters} is off by", off, 0.0, tiny=1e-12)


def _wishart(rng: Rng) -> str:
    n, scale = whole(rng, 100_000), between(rng, 1e-6, 1e3)
    with mpmath.workdps(40):  # the chance that 1 / (u^T W^-1 u), chi-square with 2 degrees times the scale, is below 1 / n
        known = float(1 - mpmath.exp(-1 / (2 * mpmath.mpf(scale) * n)))
    return _differs(f"Wishart noise of scale {scale} on {n} rows has delta", wishart.exact_delta(n, scale), known)


def _row_changes(rng: Rng) -> str:
    """A supremum is neither exceeded nor missed by unit vectors, their opposites of length 0, and random rows."""
    d = whole(rng, 60)
    k, relation = min(d, whole(rng, 12)), rng.choice(np.array([Relation.REPLACE_ONE, Relation.ADD_REMOVE]))
    axes = [np.eye(d)[i] if i < d else np.zeros(d) for i in (0, 1)]
    drawn = [of / np.linalg.norm(of) * rng.random() ** (1.0 / d) for of in rng.standard_normal((8, d))]
    others = [np.zeros(d)] if relation is Relation.ADD_REMOVE else [np.zeros(d), axes[1], *drawn]
    changes = [np.outer(x, x) - np.outer(y, y) for x in (axes[0], *drawn) for y in others]
    largest = {
        "frobenius": (row_changes.frobenius(d, relation), max(float(np.linalg.norm(D)) for D in changes)),
        "nuclear": (row_changes.nuclear(d, relation), max(float(np.linalg.norm(D, "nuc")) for D in changes)),
        "spectral": (row_changes.spectral(), max(float(np.linalg.norm(D, 2)) for D in changes)),
        "on_basis": (row_changes.on_basis(d, k, relation), max(float(np.linalg.norm(D[:, :k])) for D in changes)),
    }
    faults = (
        _differs(f"row_changes.{name} for d = {d}, k = {k}, {relation.name}", stated, reached)
        for name, (stated, reached) in largest.items()
    )
    return next(filter(None, faults), "")


def _bingham(rng: Rng) -> str:
    d = whole(rng, 60) + 1
    top = np.array([between(rng, 1e-3, 500.0)] * int(rng.integers(1, d)) + [0.0] * d)[:d]
    eigenvalues = np.sort(rng.uniform(-5.0, 20.0, 3) if d == 3 else top)
    found = bingham.log_normaliser(np.diag(eigenvalues))
    fault = _differs(f"log_normaliser of {eigenvalues}", found, log_mean_exp(eigenvalues), 1e-7, 1e-9)
    gaps = eigenvalues[-1] - eigenvalues
    b, log_bound = bingham.envelope(gaps)
    s = np.linspace(0.0, float(gaps.max()), 4_001)  # every value of -log density is taken on the sphere
    over = float((-s + 0.5 * d * np.log1p(2.0 * s / b)).max()) - log_bound
    fault = fault or _more(f"the density of eigenvalues {eigenvalues} leaves its rejection envelope by", over, 0.0, tiny=1e-9)
    accepted = found - float(eigenvalues[-1]) + 0.5 * float(np.sum(np.log1p(2.0 * gaps / b))) - log_bound
    stated = bingham.log_acceptance(np.diag(eigenvalues))
    return fault or _more(f"log_acceptance of {eigenvalues} is off by", abs(stated - accepted), 0.0, tiny=1e-7)


# --- several ------------------------------------------------------------------------------------------


def _parts(rng: Rng) -> list[Guarantee]:
    return [Guarantee(between(rng, 1e-4, 2.0), between(rng, 1e-12, 1e-3)) for _ in range(whole(rng, 40))]


def _serial(rng: Rng) -> str:
    """The composition of parts, by randomised responses, is within what is stated; and the worst part is, of parallel ones."""
    parts = _parts(rng)
    whole_, side = composition.serial(parts), composition.parallel(parts)
    spent = composed([Part(epsilon=each.epsilon, delta=each.delta) for each in parts[:8]])
    few = composition.serial(parts[:8])
    fault = _more(f"{len(parts[:8])} parts spend at serial's epsilon {few.epsilon} delta", spent.delta(few.epsilon), few.delta)
    for name in ("epsilon", "delta"):
        shares = [getattr(each, name) for each in parts]
        fault = fault or _differs(f"serial {name} of {len(parts)} parts", getattr(whole_, name), sum(shares))
        fault = fault or _differs(f"parallel {name} of {len(parts)} parts", getattr(side, name), max(shares))
    return fault


def _component(function: Callable[[float, float, int], Guarantee], largest: float) -> Check:
    def check(rng: Rng) -> str:
        (epsilon, delta), k = target(rng, (1e-4, largest), (1e-9, 0.9)), whole(rng, 100_000)
        each = function(epsilon, delta, k)
        spent = composed([Part(epsilon=each.epsilon, delta=each.delta)] * k).delta(epsilon)
        return _more(f"{k} mechanisms of {each} spend at epsilon {epsilon} delta", spent, delta, ROUNDING, 1e-12)

    return check


def _component_epsilon(rng: Rng) -> str:
    (epsilon, delta), k = target(rng, (1e-4, 20.0), (1e-9, 0.9)), whole(rng, 2_000)
    each = delta / k * rng.random()
    found = composition.optimal_component_epsilon(epsilon, delta, each, k)
    spent = composed([Part(epsilon=found, delta=each)] * k).delta(epsilon)
    return _more(f"{k} mechanisms of ({found}, {each}) spend at epsilon {epsilon} delta", spent, delta, ROUNDING, 1e-12)


def _optimal_delta(rng: Rng) -> str:
    each, k = Guarantee(between(rng, 1e-4, 5.0), between(rng, 1e-12, 0.1)), whole(rng, 2_000)
    epsilon = k * each.epsilon * rng.random() ** 3
    if epsilon > 600.0:
        return ""
    known = composed([Part(epsilon=each.epsilon, delta=each.delta)] * k).delta(epsilon)
    return _differs(f"optimal_delta({epsilon}, {each}, {k})", composition.optimal_delta(epsilon, each, k), known, 1e-7, 1e-12)


class OneInteger(Sample):
    """A seam whose secret integers are all this one."""

    def __init__(self, integer: int) -> None:
        super().__init__(np.random.default_rng(0))
        self._integer = integer

    def _independent(self, role: Any, name: str, law: str, shape: tuple[int, ...]) -> Any:
        del role, name, law
        return np.full(shape, self._integer)


def _selection(rng: Rng) -> str:
    """E[K], what is spent on the selected run, and K itself at a random place, against the law of K summed up."""
    eta, gamma = float(rng.choice([0.0, 0.5, 1.0, rng.uniform(-0.9, 3.0)])), between(rng, 2e-4, 0.9)
    of = Repetitions(eta, gamma)
    j = np.arange(1.0, math.ceil(RUNS_BEYOND / gamma) + 2.0)
    steps = np.log1p(-gamma) + np.log((j[:-1] + eta) / (j[:-1] + 1.0))  # P(K = j + 1) / P(K = j)
    logs = np.concatenate([[0.0], np.cumsum(steps)])
    masses = np.exp(logs - logs.max())
    masses /= masses.sum()
    mean, cumulative = float(masses @ j), np.cumsum(masses)
    epsilon, delta = target(rng, (1e-3, 50.0), (1e-9, 0.5))
    run = of.base_budget(epsilon, delta)
    whole_ = of.guarantee(*run)
    drawn = int(rng.integers(UNIFORM_STEPS))
    K, u = of.draw("K", OneInteger(drawn)), (drawn + 0.5) / UNIFORM_STEPS
    below, upto = (float(cumulative[K - 2]) if K > 1 else 0.0), float(cumulative[min(K, len(j)) - 1])
    at = f"of runs with eta = {eta}, gamma = {gamma} "
    return (
        _differs(at + "the mean number is", of.mean, mean, 1e-7)
        or _more(at + f"each {run} the selected one spends epsilon", (2.0 + eta) * run[0], epsilon)
        or _more(at + f"each {run} the selected one spends delta", mean * run[1], delta, 1e-7)
        or _more(at + f"each {run} the selected one spends epsilon, beyond guarantee's", (2.0 + eta) * run[0], whole_[0])
        or _more(at + f"each {run} the selected one spends delta, beyond guarantee's", mean * run[1], whole_[1], 1e-7)
        or _more(at + f"{K} are made where the distribution function is {u}, and is before {K}", below, u, tiny=1e-7)
        or _more(at + f"{K} are made where the distribution function at {K} is {upto}, and is to reach", u, upto, tiny=1e-7)
    )


def _subsets(rng: Rng) -> str:
    """What is spent where m random subsets miss a subspace that counts, also of dimensions in which no run is affordable."""
    (epsilon, delta), n, k = target(rng, (1e-3, 50.0), (1e-9, 0.5)), whole(rng, 1_000), whole(rng, 30)
    of = calibrate_random_subsets(epsilon, delta, 1, n=n, k=k)
    hit = ((of.floor + 1) / n) ** k
    missed = 2.0 * math.exp(of.subsets * math.log1p(-hit)) if hit < 1.0 else 0.0
    outside = _outside(of.gap_max.scale, of.gap_max.bound, 2.0)
    at = f"{of.subsets} subsets of k = {k} among n = {n} for ({epsilon}, {delta}) "
    return _more(at + "spend epsilon", 2.0 / of.gap_max.scale, epsilon) or _more(
        at + "spend delta", outside + (1.0 - outside) * missed, delta, 1e-7
    )


# --- accounts -----------------------------------------------------------------------------------------


def clones_known(epsilon: float, epsilon_0: float, n: int) -> float:
    """Return the divergence of the counts of clones, enumerated: n shuffled (epsilon_0, 0) randomisers."""
    q, growth, chances = (
        1.0 / (1.0 + math.exp(-epsilon_0)),
        math.exp(epsilon),
        binom.pmf(np.arange(n), n - 1, math.exp(-epsilon_0)),
    )
    found = 0.0
    for c, chance in enumerate(chances.tolist()):
        f = binom.pmf(np.arange(-1, c + 2), c, 0.5)
        one, other = q * f[:-1] + (1 - q) * f[1:], (1 - q) * f[:-1] + q * f[1:]
        found += chance * float(np.maximum(one - growth * other, 0.0).sum())
    return found


def _clones(rng: Rng) -> str:
    n, epsilon_0 = whole(rng, 400), between(rng, 1e-2, 10.0)
    epsilon = epsilon_0 * rng.random() ** 2
    at, known = f"{n} shuffled randomisers of {epsilon_0}", clones_known(epsilon, epsilon_0, n)
    fault = _more(f"{at} spend at epsilon {epsilon} delta", known, clones.clones_delta(epsilon, epsilon_0, n))
    delta, many = between(rng, 1e-9, 0.5), whole(rng, 400) + 100
    largest = math.log(many / (16.0 * math.log(4.0 / delta)))
    if fault or largest <= 1e-2:
        return fault
    local = largest * rng.random()
    stated = clones.closed_form_epsilon(local, delta, many)
    return _more(f"{many} shuffled randomisers of {local} spend at {stated} delta", clones_known(stated, local, many), delta)


def _shuffled(rng: Rng) -> str:
    n, epsilon, delta = whole(rng, 300), between(rng, 1e-2, 20.0), between(rng, 1e-9, 0.5)
    multiplier = clones.shuffled_multiplier(epsilon, delta, n)
    known = shuffled(n, 1.0 / multiplier).delta(epsilon)
    fault = _more(f"noise {multiplier} for {n} shuffled releases spends at epsilon {epsilon} delta", known, delta, NUMERICAL)
    stated = accounting.smallest_std(Shuffled(n), epsilon, delta).std
    known = shuffled(n, 1.0 / stated).delta(epsilon)
    other = between(rng, 0.2, 20.0)
    at_other = shuffled(n, 1.0 / other).delta(epsilon)
    return (
        fault
        or _more(f"the account's noise {stated} for {n} shuffled releases spends at {epsilon} delta", known, delta, NUMERICAL)
        or _more(
            f"noise {other} for {n} shuffled releases spends at {epsilon} delta",
            at_other,
            clones.shuffled_gaussian_delta(epsilon, other, n),
            NUMERICAL,
            1e-300,
        )
    )


#: What a statement spends at (std, epsilon).
Known: TypeAlias = Callable[[float, float], float]
#: An account from a grid has noise larger by this factor than what it bounds needs, at most.
LARGER = 1.03


def _statement(rng: Rng, steps: int) -> tuple[Any, Known, Known | None]:
    """Return a statement of sampled steps, what a pair of datasets spends, and what the pair that dominates all does.

    The second is a lower bound for every proof. Of a variance-reduced step no pair is known that dominates.
    """
    n, by = 1 + whole(rng, 1_000), between(rng, 0.1, 10.0)
    if rng.random() < 0.25:
        sign = int(rng.choice([-1, 1]))
        reduced: Any = VarianceReduced(n, steps, by, "ball", sign=sign)  # type: ignore[arg-type]
        return reduced, lambda std, epsilon: pair_delta(reduced_pair(n, by / std, sign), steps, epsilon), None
    batch = whole(rng, n - 1)
    sampling: Any = [UniformIndex(n), UniformIndex(n, "ball"), FixedBatch(n, batch), Poisson(between(rng, 1e-3, 1.0))][
        rng.integers(4)
    ]
    beside = [between(rng, 0.01, 1.0) if rng.random() < 0.3 else 0.0 for _ in range(2)]
    of = Mechanism(sampling, steps, by, unsampled=beside[0] * by, fixed_ratio=beside[1] * 0.1)

    def known(pair: Callable[[float, float], tuple[Any, Any]]) -> Known:
        def delta(std: float, epsilon: float) -> float:
            one, other = pair(float(sampling.rate), by / std)
            mu = math.hypot(of.unsampled / std, of.fixed_ratio)
            shown, hidden = mixture_pair(1.0, mu) if mu > 0.0 else (np.ones(1), np.ones(1))
            several = [((one, other, steps), (shown, hidden, 1)), ((other, one, steps), (hidden, shown, 1))]
            return max(steps_delta(list(each), epsilon) for each in several)

        return delta

    return of, known(mixture_pair), known(mixture_pair if isinstance(sampling, Poisson) else replace_pair)


def _uncertified(account: accounting.Account) -> str:
    """Return that the certificate of an account proves less than the account says."""
    proof = account.certificate
    if proof is None:
        return ""
    same = (proof.mechanism, proof.std, proof.epsilon) == (account.mechanism, account.std, account.epsilon)
    return "" if same and proof.delta <= account.delta else f"{account} has a certificate of something else: {proof}"


def _accounts(most_steps: int) -> Check:
    def check(rng: Rng) -> str:
        """Noise, delta and epsilon of steps are no less than a pair of datasets spends, or of a grid the pair that it is of."""
        of, reached, dominating = _statement(rng, whole(rng, most_steps))
        epsilon, delta = between(rng, 0.01, 5.0), between(rng, 1e-7, 0.3)
        try:
            accounts = [accounting.smallest_std(of, epsilon, delta)]
            std = accounts[0].std
            accounts += [accounting.delta_at(of, 1.5 * std, epsilon), accounting.epsilon_at(of, 1.5 * std, delta)]
        except ValueError:  # beyond what the accounts cover
            return ""
        by_grid = [getattr(account.certificate, "kind", "") == "grid" for account in accounts]
        known = [dominating if grid and dominating else reached for grid in by_grid]
        stated, level = accounts[1].delta, accounts[2].epsilon
        fault = (
            next(filter(None, map(_uncertified, accounts)), "")
            or _more(f"the noise {std} for {of} spends at epsilon {epsilon} delta", known[0](std, epsilon), delta, NUMERICAL)
            or _more(
                f"{of} with noise {1.5 * std} spends at {epsilon} delta", known[1](1.5 * std, epsilon), stated, NUMERICAL, 1e-14
            )
            or _more(f"{of} with noise {1.5 * std} spends at {level} delta", known[2](1.5 * std, level), delta, NUMERICAL)
        )
        if fault or not (by_grid[0] and dominating) or of.unsampled or of.fixed_ratio:
            return fault
        least = dominating(std / LARGER, epsilon)
        return _more(f"less noise than {std} for {of} is enough at epsilon {epsilon}: delta", delta, least)

    return check


def _score(rng: Rng) -> str:
    """The strict subspaces of a plane that have most points are lines: points are counted by their direction."""
    n, d = whole(rng, 200), int(rng.integers(2, 4))
    alike = np.arange(n) >= n * rng.random()  # the points of one line come last
    plane = np.where(alike[:, None], rng.integers(-3, 4, 2), rng.integers(-30, 31, (n, 2)))
    above = np.where(rng.random((n, d - 2)) < 0.2, 1, 0)
    points = tuple(map(tuple, np.hstack([plane, above]).tolist()))
    found = score(points, span([tuple(row) for row in np.eye(d, dtype=int)[:2].tolist()], d))
    inside = plane[~above.any(axis=1)].tolist()
    lines = Counter((a // math.gcd(a, b), b // math.gcd(a, b)) for a, b in inside if a or b)
    both = Counter({max((a, b), (-a, -b)): lines[a, b] + lines[-a, -b] for a, b in lines})
    known = sum(both.values()) - max(both.values()) if len(both) > 1 else 0
    if found == known:
        return ""
    return f"the score of a plane with {len(inside)} of {n} points is {found}; it is {known}, which alone moves by at most 1"


def _quotients(rng: Rng) -> str:
    a, b = between(rng, 1e-9, 1e9), between(rng, 1e-9, 1e9)
    exact = Fraction(a) / Fraction(b)
    right = Fraction(divide_down(a, b)) <= exact <= Fraction(divide_up(a, b))
    return "" if right else f"{a} / {b} is rounded inwards: {divide_down(a, b)}, {divide_up(a, b)}"


FAST: Mapping[str, Check] = MappingProxyType(
    {
        "gaussian.classical_std": _std(gaussian.classical_std, 1.0),
        "gaussian.analytic_std": _std(gaussian.analytic_std, 600.0),
        "gaussian.profile, log_profile": _gaussian_profile,
        "gaussian.epsilon_at": _epsilon_at,
        "gaussian.composed_mu": _composed_mu,
        "sparse_histogram.stability_threshold, stability_delta": _histogram,
        "truncated_laplace.support_bound": _support(truncated_laplace.support_bound, small=False),
        "truncated_laplace.logarithmic_bound": _support(truncated_laplace.logarithmic_bound, small=True),
        "truncated_laplace.profile, cdf": _truncated_profile,
        "wishart.exact_delta": _wishart,
        "row_changes.frobenius, nuclear, spectral, on_basis": _row_changes,
        "bingham.log_normaliser, envelope, log_acceptance": _bingham,
        "composition.serial, parallel": _serial,
        "composition.advanced_component": _component(composition.advanced_component, 0.9),
        "composition.optimal_component": _component(composition.optimal_component, 20.0),
        "composition.optimal_component_epsilon": _component_epsilon,
        "composition.optimal_delta": _optimal_delta,
        "private_selection.Repetitions": _selection,
        "section_2_3_random_subsets.calibrate_random_subsets": _subsets,
        "outwards.divide_up, divide_down": _quotients,
        "scores.score": _score,
        "clones.clones_delta, closed_form_epsilon": _clones,
    }
)
SLOW: Mapping[str, Check] = MappingProxyType(
    {
        "clones.shuffled_gaussian_delta, shuffled_multiplier, pure_part": _shuffled,
        "search.smallest_std, delta_at, epsilon_at of few steps": _accounts(30),
        "search.smallest_std, delta_at, epsilon_at of many steps": _accounts(20_000),
    }
)
#: Functions that return numbers which are no guarantee: what they do shows in what an algorithm releases, or in its utility.
NO_GUARANTEES = ("sin_theta_distance", "random_sin_theta_distance")


def unchecked() -> list[str]:
    """Return the functions of the primitives, and of the accounts' front, that return numbers and that no check is of."""
    named = {name.strip() for key in (*FAST, *SLOW) for name in key.partition(".")[2].partition(" of ")[0].split(",")}
    found = []
    for of in pkgutil.iter_modules(primitives.__path__, f"{primitives.__name__}."):
        module = import_module(of.name)
        for name, function in inspect.getmembers(module, inspect.isfunction):
            numbers = str(inspect.signature(function).return_annotation) in ("float", "Guarantee", "tuple[float, float]")
            if function.__module__ == module.__name__ and numbers and not name.startswith("_"):
                found.append(name)
    found += [
        name for name, function in inspect.getmembers(clones, inspect.isfunction) if function.__module__ == clones.__name__
    ]
    return [name for name in found if name not in named and name not in NO_GUARANTEES]


def faults(check: Check, draws: int, seed: int) -> list[str]:
    """Return what a check finds at so many random arguments."""
    return [fault for child in np.random.default_rng(seed).spawn(draws) if (fault := check(child))]
