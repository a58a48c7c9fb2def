"""Delta, epsilon, profile and the smallest standard deviation of a mechanism: searched in floats, certified in integers.

Two accounts are tried: the grid (`certificates`), and that of many small steps (`moments`) where it applies and may be
better. By default the one value that is returned is certified where that takes at most CERTIFY_SECONDS; `certify=True`
certifies it whatever that takes, and tries a third account for replaced rows, that of a squared hinge (`hinges`), which
is slower and often the best one; `certify=False` never certifies. A result says which it is. Steps that see every row
have a closed form (`gaussians`), which is proved at once.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypeAlias

from dppca.reference.accounting import certificates
from dppca.reference.accounting.certificates import Certificate, Progress
from dppca.reference.accounting.floating import estimate_delta
from dppca.reference.accounting.gaussians import (
    GAUSSIAN_TOLERANCE,
    GaussianCertificate,
    gaussian_delta,
    least_gaussian_epsilon,
    sees_every_row,
    smallest_gaussian_std,
    whole_ratio,
)
from dppca.reference.accounting.grid import choose_grid
from dppca.reference.accounting.hinges import (
    HingeCertificate,
    applies,
    certify_hinge,
    least_hinge_epsilon,
    smallest_hinge_std,
)
from dppca.reference.accounting.mechanisms import (
    DELTA_MIN,
    RATIO_MAX,
    RATIO_MIN,
    Mechanism,
    check_level,
    check_mechanism,
    check_ratio,
    check_target,
)
from dppca.reference.accounting.moments import (
    SmallStepCertificate,
    SmallSteps,
    as_small_steps,
    least_small_steps_epsilon,
    small_steps_delta,
    smallest_small_steps_std,
)
from dppca.reference.primitives.bisection import bisect, least_positive
from dppca.reference.primitives.gaussian import log_profile
from dppca.reference.primitives.validation import check_positive, shown

AnyCertificate: TypeAlias = Certificate | SmallStepCertificate | HingeCertificate | GaussianCertificate

#: A certificate on a grid that takes longer, about, is made on demand only.
CERTIFY_SECONDS = 10.0
#: What a calibration says where the noise has not been proved enough, because that takes long.
NOT_CERTIFIED = "the account's delta is a float estimate; reference.accounting certifies it on demand"
#: Searches end when the two sides are this close, relatively.
TOLERANCE = 1e-5
#: A certificate that fails raises the value by this much, relatively, then by four times as much, and so on.
NUDGE = 1e-5
#: A delta below this one is not resolved.
SETTLED_MIN = 1e-100
#: The account of small steps is tried from this many steps on, and up to this sensitivity / std.
SMALL_STEPS_MIN, SMALL_RATIO_MAX = 200, 1.0
#: Its searches end when the two sides are this close, relatively.
SMALL_TOLERANCE = 5e-4


@dataclass(frozen=True)
class Account:
    """`mechanism` with this std is (epsilon, delta)-DP: proved where there is a certificate, else a float estimate."""

    mechanism: Mechanism
    std: float
    epsilon: float
    delta: float
    certificate: AnyCertificate | None

    @property
    def certified(self) -> bool:
        """Whether the statement has been proved."""
        return self.certificate is not None


def unproved(certified: bool) -> tuple[str, ...]:
    """Return what a calibration must say where no certificate proves that the account's noise is enough."""
    return () if certified else (NOT_CERTIFIED,)


def delta_at(
    mechanism: Mechanism, std: float, epsilon: float, *, certify: bool | None = None, progress: Progress | None = None
) -> Account:
    """Return a delta at which the mechanism is (epsilon, delta)-DP, close to the smallest that the accounts give.

    Raises:
        ValueError: an argument outside its range, or delta is below SETTLED_MIN.
    """
    mechanism, epsilon = check_mechanism(mechanism), check_level(epsilon)
    estimate = _estimated(mechanism, check_positive("std", std), epsilon)
    if estimate < SETTLED_MIN:
        raise ValueError(
            f"epsilon must be < {epsilon!r}: delta there is below {SETTLED_MIN:g}, and the accounts resolve none that small"
        )
    return _delta_near(mechanism, std, epsilon, estimate, certify, progress)


def delta_bound(mechanism: Mechanism, std: float, epsilon: float) -> Account:
    """Return what `delta_at` does, and where delta is below SETTLED_MIN a bound not far above that at most."""
    return _delta_near(mechanism, std, epsilon, _estimated(mechanism, std, epsilon), None, None)


def _delta_near(
    mechanism: Mechanism, std: float, epsilon: float, estimate: float, certify: bool | None, progress: Progress | None
) -> Account:
    """Return a delta, given one in floats."""
    if sees_every_row(mechanism):
        proof = gaussian_delta(mechanism, std, epsilon) if certify is not False else None
        return Account(mechanism, std, epsilon, proof.delta if proof else estimate, proof)
    certificate: AnyCertificate | None = _on_grid(mechanism, std, epsilon, max(estimate, SETTLED_MIN), certify, progress)
    found = certificate.delta if certificate else estimate
    small = _small(mechanism, std) if certify is not False else None
    if small is not None:
        other = small_steps_delta(small, std, epsilon, max(min(found, 0.5), DELTA_MIN))
        if other.delta < found:
            found, certificate = other.delta, other
    if certify and applies(mechanism):
        hinge = certify_hinge(mechanism, std, epsilon, min(max(found, DELTA_MIN), 0.5), progress=progress)
        if hinge.delta < found:
            found, certificate = hinge.delta, hinge
    return Account(mechanism, std, epsilon, found, certificate)


def profile(mechanism: Mechanism, std: float, epsilons: Iterable[float], *, certify: bool | None = None) -> list[Account]:
    """Return `delta_at` each of the epsilons.

    Raises:
        ValueError: an argument outside its range, or a delta below SETTLED_MIN.
    """
    if isinstance(epsilons, str) or not isinstance(epsilons, Iterable):
        raise ValueError(f"epsilons must be numbers, got {shown(epsilons)}")  # noqa: TRY004 - every refusal is a ValueError
    return [delta_at(mechanism, std, epsilon, certify=certify) for epsilon in epsilons]


def epsilon_at(
    mechanism: Mechanism, std: float, delta: float, *, certify: bool | None = None, progress: Progress | None = None
) -> Account:
    """Return an epsilon at which the mechanism is (epsilon, delta)-DP, close to the smallest that the accounts give.

    Raises:
        ValueError: an argument outside its range, or no epsilon up to 2^10 is enough.
    """
    check_positive("std", std)
    delta = check_target(delta)
    if sees_every_row(check_mechanism(mechanism)):
        return _proved_gaussian(mechanism, std, least_gaussian_epsilon(mechanism, std, delta), delta, certify, raised="epsilon")
    check_ratio(mechanism, std)
    grid = choose_grid(mechanism, std, delta)

    def excess(epsilon: float) -> float:
        return estimate_delta(mechanism, std, epsilon, grid=grid) - delta

    low, high = 0.0, 1.0
    if excess(0.0) <= 0.0:
        high = 0.0
    while high > 0.0 and excess(high) > 0.0:
        low, high = high, 2.0 * high
        if high > 2.0**10:
            raise ValueError(f"delta = {delta!r} is not reached for any epsilon <= 1024; std = {std!r} must be larger")
    _, high = bisect(lambda epsilon: excess(epsilon) <= 0.0, low, high, lambda a, b: b - a <= TOLERANCE * b)
    small = _small(mechanism, std) if certify is not False else None
    best: AnyCertificate | None = least_small_steps_epsilon(small, std, high, delta, SMALL_TOLERANCE) if small else None
    if certify and applies(mechanism):
        best = least_hinge_epsilon(mechanism, std, best.epsilon if best else high, delta, progress) or best
    if best is not None:
        return Account(mechanism, std, best.epsilon, delta, best)
    epsilon, nudge = high, NUDGE
    while True:
        certificate = _on_grid(mechanism, std, epsilon, delta, certify, progress)
        if certificate is None or certificate.delta <= delta:
            return Account(mechanism, std, epsilon, delta, certificate)
        epsilon, nudge = epsilon + nudge * max(epsilon, grid.width), 4.0 * nudge


def smallest_std(
    mechanism: Mechanism, epsilon: float, delta: float, *, certify: bool | None = None, progress: Progress | None = None
) -> Account:
    """Return a standard deviation at which the mechanism is (epsilon, delta)-DP, close to the smallest that the accounts give.

    Raises:
        ValueError: an argument outside its range, the releases of given noise leave nothing of delta, or std is below
            sensitivity / RATIO_MAX, which only the account of steps that see every row covers.
    """
    return _smallest_std(check_mechanism(mechanism), check_level(epsilon), check_target(delta), certify, progress)


@lru_cache(maxsize=256)
def _smallest_std(
    mechanism: Mechanism, epsilon: float, delta: float, certify: bool | None, progress: Progress | None
) -> Account:
    if mechanism.fixed_ratio > 0.0:
        spent = math.exp(log_profile(epsilon, mechanism.fixed_ratio))
        if spent >= delta:
            raise ValueError(f"the releases of fixed_ratio = {mechanism.fixed_ratio!r} alone have delta {spent!r} >= {delta!r}")
    if sees_every_row(mechanism):
        std = smallest_gaussian_std(mechanism, epsilon, delta)
        return _proved_gaussian(mechanism, std, epsilon, delta, certify, raised="std")
    std = _smallest_on_grid(mechanism, epsilon, delta)
    small = _small(mechanism, std) if certify is not False else None
    best: AnyCertificate | None = smallest_small_steps_std(small, epsilon, delta, std, SMALL_TOLERANCE) if small else None
    if certify and applies(mechanism):
        best = smallest_hinge_std(mechanism, epsilon, delta, best.std if best else std, progress) or best
    if best is not None:
        return Account(mechanism, best.std, epsilon, delta, best)
    nudge = NUDGE
    while True:
        certificate = _on_grid(mechanism, std, epsilon, delta, certify, progress)
        if certificate is None or certificate.delta <= delta:
            return Account(mechanism, std, epsilon, delta, certificate)
        std, nudge = std * (1.0 + nudge), 4.0 * nudge


def _proved_gaussian(
    mechanism: Mechanism, std: float, epsilon: float, delta: float, certify: bool | None, *, raised: Literal["std", "epsilon"]
) -> Account:
    """Return the account with a proof, unless none is wanted: std or epsilon is raised until delta is proved."""
    nudge = GAUSSIAN_TOLERANCE
    while certify is not False:
        proof = gaussian_delta(mechanism, std, epsilon)
        if proof.delta <= delta:
            return Account(mechanism, std, epsilon, delta, proof)
        if raised == "std":
            std *= 1.0 + nudge
        else:
            epsilon += nudge * max(epsilon, nudge)
        nudge *= 4.0
    return Account(mechanism, std, epsilon, delta, None)


def _smallest_on_grid(mechanism: Mechanism, epsilon: float, delta: float) -> float:
    def enough(std: float) -> bool:
        return estimate_delta(mechanism, std, epsilon, like=delta) <= delta

    least, most = mechanism.sensitivity / RATIO_MAX, mechanism.sensitivity / RATIO_MIN
    start = min(max(mechanism.sensitivity, mechanism.unsampled, least), most)
    found = least_positive(enough, start, TOLERANCE, least=least, most=most)
    if found is None:
        raise ValueError(f"std = sensitivity / {RATIO_MIN:g} is not enough; epsilon = {epsilon!r} or delta must be larger")
    if found == least:
        raise ValueError(
            f"epsilon = {epsilon!r} or delta = {delta!r} must be smaller: std = sensitivity / {RATIO_MAX:g} = {least!r} is "
            "enough for them already, and the accounts of sampled steps cover no smaller one"
        )
    return found


def _estimated(mechanism: Mechanism, std: float, epsilon: float) -> float:
    """Return delta in floats, on a grid made for a delta of its own size; a number below SETTLED_MIN says no more than that."""
    if sees_every_row(mechanism):
        return math.exp(log_profile(epsilon, whole_ratio(mechanism, std)))
    check_ratio(mechanism, std)
    like, factor = 1e-3, 1e-2
    while (found := estimate_delta(mechanism, std, epsilon, like=like)) <= 0.1 * like and like > SETTLED_MIN:
        like, factor = max(like * factor, SETTLED_MIN), factor * factor
    return estimate_delta(mechanism, std, epsilon, like=min(max(found, SETTLED_MIN), 0.5))


def _small(mechanism: Mechanism, std: float) -> SmallSteps | None:
    if mechanism.steps < SMALL_STEPS_MIN or mechanism.sensitivity > SMALL_RATIO_MAX * std:
        return None
    return as_small_steps(mechanism)


def _on_grid(
    mechanism: Mechanism, std: float, epsilon: float, delta: float, wanted: bool | None, progress: Progress | None
) -> Certificate | None:
    if wanted is False:
        return None
    like = min(max(delta, DELTA_MIN), 0.5)
    grid = choose_grid(mechanism, std, like)
    if wanted is None and certificates.seconds(mechanism, grid, like) > CERTIFY_SECONDS:
        return None
    return certificates.certify(mechanism, std, epsilon, like, grid=grid, progress=progress)
