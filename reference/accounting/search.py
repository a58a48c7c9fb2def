"""Delta, epsilon, profile and the smallest standard deviation: searched in floats, proved by the checker's arithmetic.

One search for all statements: the first account that applies finds a number by its estimates, each other account looks for a
better one below it, and one loop raises what was found until a proof succeeds. By default a number is proved where that
takes at most CERTIFY_SECONDS; `certify=True` proves it whatever that takes, and tries the accounts that are slow;
`certify=False` never proves, and asks the first account alone. A result says which it is.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache, partial

from dppca.reference.accounting import checker
from dppca.reference.accounting.certificates import Certificate
from dppca.reference.accounting.checker import Progress
from dppca.reference.accounting.floating import SAMPLED_STEPS, SETTLED_MIN
from dppca.reference.accounting.gaussians import EVERY_ROW
from dppca.reference.accounting.hinges import SQUARED_HINGE
from dppca.reference.accounting.mechanisms import (
    DELTA_MIN,
    EPSILON_MAX,
    Mechanism,
    SmallSteps,
    Statement,
    check_level,
    check_progress,
    check_ratio,
    check_statement,
    check_std,
    check_target,
)
from dppca.reference.accounting.methods import NUDGE, TOLERANCE, FirstMethod, Method
from dppca.reference.accounting.moments import MANY_SMALL_STEPS, RENYI_MOMENTS
from dppca.reference.accounting.shuffling import SHUFFLED_RELEASES
from dppca.reference.accounting.variance_reduced import SPLIT_NOISE
from dppca.reference.primitives.gaussian import log_profile
from dppca.reference.rigour.bisection import bisect, geometric_middle, least_positive
from dppca.reference.rigour.validation import shown

#: A certificate that takes longer, about, is made on demand only.
CERTIFY_SECONDS = 10.0
#: What a calibration says where the noise has not been proved enough, because that takes long.
NOT_CERTIFIED = "the account's delta is a float estimate; reference.accounting certifies it on demand"
#: Another account looks for no number below this share of the one that the search has.
LEAST_SHARE = 0.1
#: An epsilon is raised in proportion to itself, or to this where it is smaller.
EPSILON_UNIT = 1e-3

#: The accounts that a search begins with, the first that applies; and those that look below it.
FIRST: tuple[FirstMethod, ...] = (EVERY_ROW, SAMPLED_STEPS, SPLIT_NOISE, SHUFFLED_RELEASES)
OTHERS: tuple[Method, ...] = (RENYI_MOMENTS, MANY_SMALL_STEPS, SQUARED_HINGE)


@dataclass(frozen=True)
class Account:
    """States that `mechanism` with this std is (epsilon, delta)-DP: proved by a certificate, or else estimated in floats."""

    mechanism: Statement
    std: float
    epsilon: float
    delta: float
    certificate: Certificate | None

    @property
    def certified(self) -> bool:
        """Return whether the statement has been proved."""
        return self.certificate is not None

    @property
    def assumptions(self) -> tuple[str, ...]:
        """Return what a calibration must say where no certificate proves that the noise is enough."""
        return () if self.certified else (NOT_CERTIFIED,)


def delta_at(
    mechanism: Statement, std: float, epsilon: float, *, certify: bool | None = None, progress: Progress | None = None
) -> Account:
    """Return a delta at which the mechanism is (epsilon, delta)-DP, close to the smallest that the accounts give.

    Raises:
        ValueError: an argument outside its range, or delta is below SETTLED_MIN.
    """
    _check_how(certify, progress)
    first, std, epsilon = _first(mechanism), check_std(std), check_level(epsilon)
    _check_range(mechanism, std)
    estimate = first.delta(mechanism, std, epsilon)
    if estimate < SETTLED_MIN:
        raise ValueError(
            f"epsilon must be < {epsilon!r}: delta there is below {SETTLED_MIN:g}, and the accounts resolve none that small"
        )
    return _least_delta(mechanism, std, epsilon, estimate, certify, progress)


def delta_bound(mechanism: Statement, std: float, epsilon: float) -> Account:
    """Return what `delta_at` does, and where delta is below SETTLED_MIN a bound not far above that at most."""
    first, std, epsilon = _first(mechanism), check_std(std), check_level(epsilon)
    _check_range(mechanism, std)
    return _least_delta(mechanism, std, epsilon, first.delta(mechanism, std, epsilon), None, None)


def profile(mechanism: Statement, std: float, epsilons: Iterable[float], *, certify: bool | None = None) -> list[Account]:
    """Return `delta_at` each of the epsilons.

    Raises:
        ValueError: an argument outside its range, or a delta below SETTLED_MIN.
    """
    if isinstance(epsilons, str) or not isinstance(epsilons, Iterable):
        raise ValueError(f"epsilons must be numbers, got {shown(epsilons)}")  # noqa: TRY004 - every refusal is a ValueError
    return [delta_at(mechanism, std, epsilon, certify=certify) for epsilon in epsilons]


def epsilon_at(
    mechanism: Statement, std: float, delta: float, *, certify: bool | None = None, progress: Progress | None = None
) -> Account:
    """Return an epsilon at which the mechanism is (epsilon, delta)-DP, close to the smallest that the accounts give.

    Raises:
        ValueError: an argument outside its range, or no epsilon up to EPSILON_MAX is enough.
    """
    _check_how(certify, progress)
    first, std, delta = _first(mechanism), check_std(std), check_target(delta)
    _check_range(mechanism, std)
    least = EPSILON_UNIT * first.tolerance if first is SHUFFLED_RELEASES else 0.0  # of shuffled releases epsilon is > 0
    search = _Search(
        mechanism,
        delta,
        certify,
        progress,
        at=lambda epsilon: (std, epsilon),
        raised=lambda epsilon, nudge: epsilon + nudge * max(epsilon, EPSILON_UNIT),
    )
    low, high = 0.0, 1.0
    if search.enough(first, least):
        return search.run(first, least)
    while not search.enough(first, high):
        low, high = high, 2.0 * high
        if high > EPSILON_MAX:
            raise ValueError(
                f"delta = {delta!r} is not reached for any epsilon <= {EPSILON_MAX:g}; std = {std!r} must be larger"
            )
    _, high = bisect(lambda epsilon: search.enough(first, epsilon), low, high, lambda a, b: b - a <= first.tolerance * b)
    return search.run(first, high)


def smallest_std(
    mechanism: Statement, epsilon: float, delta: float, *, certify: bool | None = None, progress: Progress | None = None
) -> Account:
    """Return a standard deviation at which the mechanism is (epsilon, delta)-DP, close to the smallest that the accounts give.

    Raises:
        ValueError: an argument outside its range, the releases of given noise leave nothing of delta, or std is below what the
            accounts of sampled steps cover.
    """
    _first(mechanism)
    _check_how(certify, progress)
    return _smallest_std(mechanism, check_level(epsilon), check_target(delta), certify, progress)


@lru_cache(maxsize=256)
def _smallest_std(
    mechanism: Statement, epsilon: float, delta: float, certify: bool | None, progress: Progress | None
) -> Account:
    first = _first(mechanism)
    if isinstance(mechanism, Mechanism) and mechanism.fixed_ratio > 0.0:
        spent = math.exp(log_profile(epsilon, mechanism.fixed_ratio))
        if spent >= delta:
            raise ValueError(f"the releases of fixed_ratio = {mechanism.fixed_ratio!r} alone have delta {spent!r} >= {delta!r}")
    search = _Search(
        mechanism,
        delta,
        certify,
        progress,
        at=lambda std: (std, epsilon),
        raised=lambda std, nudge: std * (1.0 + nudge),
    )
    least, start, most = first.stds(mechanism, epsilon, delta)
    found = least_positive(lambda std: search.enough(first, std), start, first.tolerance, least=least, most=most)
    if found is None:
        raise ValueError(f"std = {most:g} is not enough; epsilon = {epsilon!r} or delta = {delta!r} must be larger")
    if found == least:
        raise ValueError(
            f"epsilon = {epsilon!r} or delta = {delta!r} must be smaller: std = {least!r} is enough for them already, and the "
            "accounts of sampled steps cover no smaller one"
        )
    return search.run(first, found)


@dataclass(frozen=True)
class _Search:
    """A search for the least number (a std or an epsilon) at which a mechanism has at most this delta."""

    mechanism: Statement
    delta: float
    certify: bool | None
    progress: Progress | None
    at: Callable[[float], tuple[float, float]]
    raised: Callable[[float, float], float]

    def enough(self, method: Method, number: float) -> bool:
        """Return whether the account's estimate is at most delta."""
        return method.delta(self.mechanism, *self.at(number), self.delta) <= self.delta

    def run(self, first: FirstMethod, number: float) -> Account:
        """Return the account of the least number that is proved, given what the first account's estimates say is enough."""
        best: Certificate | None = None
        for method in _others(self.mechanism, first, self.at(number)[0], self.certify):
            if number > 0.0 and self.enough(method, number):
                enough = partial(self.enough, method)
                _, found = bisect(
                    enough, LEAST_SHARE * number, number, lambda a, b: b <= a * (1.0 + TOLERANCE), geometric_middle
                )
                proved = self.proved(method, found, NUDGE, number)
                if proved is not None:
                    number, best = proved
        if best is None:
            proved = self.proved(first, number, first.nudge, math.inf)
            if proved is not None:
                number, best = proved
        std, epsilon = self.at(number)
        return Account(self.mechanism, std, epsilon, self.delta, best)

    def proved(self, method: Method, number: float, nudge: float, below: float) -> tuple[float, Certificate] | None:
        """Return the first number from this one on, and below another, whose proof succeeds; None where none is made."""
        while number < below:
            certificate = _proof(method, self.mechanism, *self.at(number), self.delta, self.certify, self.progress)
            if certificate is None:
                return None
            if certificate.delta <= self.delta:
                return number, certificate
            number, nudge = self.raised(number, nudge), 4.0 * nudge
        return None


def _first(mechanism: Statement) -> FirstMethod:
    """Return the account that a search begins with; ValueError for what is no statement, or none to begin with."""
    if isinstance(check_statement(mechanism), SmallSteps):
        raise ValueError(  # noqa: TRY004 - every refusal is a ValueError
            f"mechanism must be a Mechanism, VarianceReduced or Shuffled, got {shown(mechanism)}"
        )
    return next(method for method in FIRST if method.applies(mechanism, math.inf))


def _others(mechanism: Statement, first: FirstMethod, std: float, certify: bool | None) -> list[Method]:
    if certify is False or first is EVERY_ROW:
        return []
    return [method for method in OTHERS if (certify or not method.on_demand) and method.applies(mechanism, std)]


def _check_range(mechanism: Statement, std: float) -> None:
    """Raise ValueError where a grid cannot resolve a step."""
    if isinstance(mechanism, Mechanism) and not mechanism.sees_every_row:
        check_ratio(mechanism, std)


def _least_delta(
    mechanism: Statement, std: float, epsilon: float, estimate: float, certify: bool | None, progress: Progress | None
) -> Account:
    """Return the least delta: proofs are made in the order of the estimates, as long as one may be better than the best."""
    first = _first(mechanism)
    if certify is False:
        return Account(mechanism, std, epsilon, estimate, None)
    others = _others(mechanism, first, std, certify)
    tried = [(estimate, first), *((method.delta(mechanism, std, epsilon), method) for method in others)]
    best: Certificate | None = None
    known = True
    for value, method in sorted(tried, key=lambda pair: pair[0]):
        if best is not None and best.delta <= value:
            break
        proof = _proof(method, mechanism, std, epsilon, max(value, SETTLED_MIN), certify, progress)
        known = known and proof is not None
        if proof is not None and (best is None or proof.delta < best.delta):
            best = proof
    if best is None or (not known and (best.delta >= 1.0 or (estimate < best.delta and not first.loose))):
        return Account(mechanism, std, epsilon, estimate, None)
    return Account(mechanism, std, epsilon, best.delta, best)


def _check_how(certify: object, progress: object) -> None:
    """Raise ValueError for what cannot say whether to prove, or hear of it."""
    if certify is not None and not isinstance(certify, bool):
        raise ValueError(f"certify must be True, False or None, got {shown(certify)}")
    check_progress(progress)


def _proof(
    method: Method,
    mechanism: Statement,
    std: float,
    epsilon: float,
    delta: float,
    certify: bool | None,
    progress: Progress | None,
) -> Certificate | None:
    """Return a certificate for a delta of this size; None where none is wanted, or it takes long and was not asked for."""
    if certify is False:
        return None
    proof = method.propose(mechanism, std, epsilon, min(max(delta, DELTA_MIN), 0.5))
    if certify is None and checker.seconds(mechanism, std, proof) > CERTIFY_SECONDS:
        return None
    return method.certified(mechanism, std, epsilon, proof, progress)
