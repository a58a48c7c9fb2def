"""The account of many small steps: a step's second to fourth moments, and no split of the noise.

Why it is right: proofs_notes/accounting.md, *Many small steps*.
"""

from __future__ import annotations

import itertools
import math
import operator
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any, ClassVar, Self, TypeAlias

from dppca.reference.accounting.balls import ball, flint, gaussian_profile, upper_float
from dppca.reference.accounting.mechanisms import (
    FixedBatch,
    Mechanism,
    Shape,
    UniformIndex,
    check_delta_bound,
    check_level,
    check_number,
    check_shape,
    check_size,
    check_target,
)
from dppca.reference.accounting.stored import read, write
from dppca.reference.primitives.bisection import bisect, geometric_middle, middle
from dppca.reference.primitives.validation import check_count, check_nonnegative, check_positive, shown

#: Working precision; moments of small steps cancel.
MOMENT_BITS = 1200
#: The variance that has been reached grows by this factor between two evaluations of a step's cost.
STAGE = 1.05
#: The moments of which the best bounds what leaves the range of the expansion.
FAR_MOMENTS = (8, 12, 16, 20, 24, 32)


@dataclass(frozen=True)
class SmallSteps:
    """`steps` releases of `batch` of n rows, drawn uniformly, plus a mean that every row moves.

    Neighbours: one row replaced, n public. Given the past and the other rows drawn, the laws of a step are
    (1 - q) N(0) + q N(a) and (1 - q) N(c) + q N(b + c), q = batch / n, of covariance std^2 I.

    Attributes:
        n: number of rows.
        batch: number of rows that a step draws, without replacement, below n.
        steps: number of releases.
        mean: bound on |c + q (b - a)| / q, how far the mean of a step moves, over q.
        spread: the diameter of 0, a, b, in the sense of `shape`.
        shift: bound on |c| / q.
        shape: whether a ball of diameter `spread` holds 0, a and b, or they are at mutual distance at most `spread`.
    """

    n: int
    batch: int
    steps: int
    mean: float
    spread: float
    shift: float
    shape: Shape

    def __post_init__(self) -> None:
        if check_count("batch", self.batch) >= check_number("n", self.n):
            raise ValueError(f"n must be > batch = {self.batch}, got {self.n!r}")
        check_number("steps", self.steps)
        check_size("mean", check_positive("mean", self.mean))
        check_size("spread", check_positive("spread", self.spread))
        check_size("shift", check_nonnegative("shift", self.shift), 0.0)
        check_shape(self.shape)


@dataclass(frozen=True)
class Moments:
    """Bounds on the moments of R - 1, R the likelihood ratio of a step under its second law; balls."""

    second: Any
    third: Any
    fourth: Any
    sixth: Any
    far: dict[int, Any]


class ReferenceVariable:
    """The one-dimensional variable of the note, whose moments bound those of R - 1 for every pair that `steps` allows.

    Ybar / q = `polynomial`(x) + `level` e_D(x), x standard normal, e_D(x) = exp(D x - D^2 / 2); all numbers are balls.
    """

    def __init__(self, steps: SmallSteps, std: float) -> None:
        arb, poly = flint().arb, flint().arb_poly
        self.rate, scale = arb(steps.batch) / steps.n, ball(std)
        shift = self.rate * ball(steps.shift) / scale
        self.width = D = ball(steps.spread) / scale + shift
        # Y / q = mean x + (1 + nu) sum over k >= 2 of s_k D^k He_k(x) / k!, with |c|^k <= nu q D^k
        nu = shift * shift / (self.rate * D * D)
        line = poly([0, ball(steps.mean) / scale])
        level, extra = arb(1), poly([0])
        if steps.shape == "diameter":  # s_k = sqrt(2 - 2^(1 - k)), or sqrt(2) from k = 6 on
            level = arb(2).sqrt()
            for k, hermite in _hermite(5).items():
                share = (arb(2) - arb(2) ** (1 - k)).sqrt() - level
                extra += hermite * (share * D**k / math.factorial(k))
        self.polynomial = line + (extra + poly([-1, -D]) * level) * (1 + nu)
        self.level = level * (1 + nu)
        self._means: dict[int, tuple[list[Any], Iterator[Any]]] = {}

    def _polynomial_mean(self, power: int, order: int) -> Any:
        """E polynomial(x)^power for x of law N(order D, 1)."""
        if order not in self._means:
            moved = self.polynomial(flint().arb_poly([self.width * order, 1]))
            self._means[order] = ([flint().arb(1)], itertools.accumulate(itertools.repeat(moved), operator.mul))
        means, powers = self._means[order]
        while len(means) <= power:
            means.append(_normal_mean(next(powers)))
        return means[power]

    def mean_power(self, m: int, tilts: int = 0) -> Any:
        """E Ybar^m for tilts = 0, E Ybar^m (e_D - 1)^2 for tilts = 2, over q^m."""
        total, square = flint().arb(0), self.width * self.width / 2
        for j in range(m + 1):
            for i in range(tilts + 1):
                c, order = math.comb(m, j) * math.comb(tilts, i) * (-1) ** (tilts - i), i + j
                growth = (square * (order * order - order)).exp()
                total += c * self.level**j * growth * self._polynomial_mean(m - j, order)
        return total

    def even(self, m: int) -> Any:
        """Return the bound on E (R - 1)^m for even m."""
        return self.rate**m * self.mean_power(m) / (1 - self.rate) ** (m - 1)

    def third(self) -> Any:
        """Return the bound on |E (R - 1)^3|."""
        q = self.rate
        rest = 2 * q / (1 - q) ** 2 * (q**6 * self.mean_power(4) * self.mean_power(2, 2)).sqrt()
        return q**3 * self.mean_power(3) + rest


def moments(steps: SmallSteps, std: float) -> Moments:
    """Return the bounds on the moments, from the one-dimensional reference variable of the note."""
    of = ReferenceVariable(steps, std)
    return Moments(of.even(2), of.third(), of.even(4), of.even(6), {m: of.even(m) for m in FAR_MOMENTS})


def _hermite(last: int) -> dict[int, Any]:
    poly = flint().arb_poly
    found = {0: poly([1]), 1: poly([0, 1])}
    for k in range(2, last + 1):
        found[k] = poly([0, 1]) * found[k - 1] - (k - 1) * found[k - 2]
    return {k: found[k] for k in range(2, last + 1)}


def _normal_mean(polynomial: Any) -> Any:
    """E p(x) for a standard normal x."""
    total, moment = flint().arb(0), 1
    for k, coefficient in enumerate(polynomial):
        if k % 2 == 0:
            total += coefficient * moment
            moment *= k + 1
    return total


@dataclass(frozen=True)
class StepsCertificate(ABC):
    """A proved statement: `steps` with this std are (epsilon, delta)-DP. `check` proves it again, without a search."""

    kind: ClassVar[str]
    steps: SmallSteps
    std: float
    epsilon: float
    delta: float

    def __post_init__(self) -> None:
        check_positive("std", self.std)
        check_level(self.epsilon)
        check_delta_bound(self.delta)

    @abstractmethod
    def bound(self) -> float:
        """Return the delta that the arithmetic gives."""

    def check(self) -> bool:
        """Return whether the arithmetic, done again, gives at most the delta that is stated."""
        return self.bound() <= self.delta

    def to_json(self) -> str:
        """Return the certificate as JSON; floats are hexadecimal."""
        return write(self.kind, asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Return the certificate that `to_json` wrote; ValueError for anything else."""
        return read(text, cls.kind, lambda stored: cls(**{**stored, "steps": SmallSteps(**stored["steps"])}))


@dataclass(frozen=True)
class SmallStepCertificate(StepsCertificate):
    """A proved statement: `steps` with this std are (epsilon, delta)-DP. `check` proves it again.

    `start` is the variance of the loss that is granted beforehand; levels beyond `reach` standard deviations, and steps whose
    likelihood ratio leaves e^(+-range), go into delta. Any finite values > 0 give a bound; anything else raises ValueError.
    """

    kind = "small-steps"
    start: float
    reach: float
    range: float

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("start", "reach", "range"):
            check_positive(name, getattr(self, name))

    def bound(self) -> float:
        """Return the delta that the arithmetic gives; 1 where the argument does not apply."""
        with flint().ctx.workprec(MOMENT_BITS):
            found = moments(self.steps, self.std)
        with flint().ctx.workprec(128):
            arb = flint().arb
            variance, spent = _variance(found, self.steps.steps, ball(self.start), ball(self.reach), ball(self.range))
            if variance is None:
                return 1.0
            delta = gaussian_profile(ball(self.epsilon), variance.sqrt()) + spent
            return upper_float(delta) if delta < arb(1) else 1.0


def _variance(found: Moments, steps: int, start: Any, reach: Any, span: Any) -> tuple[Any, Any]:
    """Return the variance of the Gaussian loss that dominates all steps, and what goes into delta; None if there is none."""
    arb = flint().arb
    low = 1 - (-span).exp()  # |y| <= low implies |log(1 + y)| <= span
    beyond = {
        power: min((arb((far / low ** (m - power)).upper()) for m, far in found.far.items()), key=float) for power in (1, 3)
    }
    w, spent, done = start, arb(0), 0
    while done < steps:
        root = w.sqrt()
        slope = reach / root + 1
        inner = reach - span / root
        if not inner > 0:
            return None, arb(1)
        bent = slope + span / w
        pull = slope / (1 - low)
        swell = pull * low
        grown = found.fourth + (swell.exp() - 1) / swell * pull * (found.fourth * found.sixth).sqrt() / 5
        third = found.third + beyond[3]
        cost = found.second + slope / 3 * third + (2 * span).exp() * (bent * bent + bent) / 12 * grown
        rise = cost * (cost * (arb(1) / 8 + 1 / (2 * w)) * arb("1.5")).exp()
        if not rise * (-rise / 8).exp() / (1 + rise / w).sqrt() >= cost:
            return None, arb(1)
        far = found.second / 2 * (-inner * inner / 2).exp() / (2 * arb.pi()).sqrt() * span.exp() / root
        far += beyond[1]
        room = ((w * (arb(STAGE) - 1)) / rise).lower()
        count = steps - done if room > steps else max(1, min(steps - done, int(room.floor().unique_fmpz())))
        rise = arb(rise.upper())
        w, spent, done = arb((w + count * rise).upper()), arb((spent + count * far).upper()), done + count
    return w, spent


#: What is tried: the variance granted beforehand as a share of all, the reach above sqrt(2 log(1 / delta)), and the range in
#: units of a standard deviation over the reach.
_SHARES = (0.003, 0.01, 0.03, 0.08, 0.2, 0.4)
_REACHES = {True: (1.0,), False: (0.6, 1.0, 1.5)}  # at first, and near a certificate
_SWELLS = (0.3, 0.8, 1.6, 3.0, 5.0)


def small_steps_delta(
    steps: SmallSteps, std: float, epsilon: float, delta: float, near: SmallStepCertificate | None = None
) -> SmallStepCertificate:
    """Return the best certificate found; its parameters are chosen for a delta of the size named.

    Args:
        steps: what is accounted.
        std: standard deviation of a step's noise, per coordinate.
        epsilon: >= 0.
        delta: the size of delta, in (0, 1).
        near: a certificate of almost the same; then only parameters like its own are tried.

    Raises:
        ValueError: an argument outside its range.
    """
    if not isinstance(steps, SmallSteps):
        raise ValueError(f"steps must be SmallSteps, got {shown(steps)}")  # noqa: TRY004 - every refusal is a ValueError
    check_level(epsilon)
    delta = check_target(delta)
    check_positive("std", std)
    with flint().ctx.workprec(MOMENT_BITS):
        found = moments(steps, std)
    best = (2.0, 1.0, 1.0, 1.0)  # no bound, at parameters that are valid
    with flint().ctx.workprec(64):
        base = steps.steps * float(found.second)
        depth = math.sqrt(2.0 * math.log(1.0 / delta))
        for share, reach, swell in itertools.product(_SHARES, _REACHES[near is None], _SWELLS):
            start, height = share * base, depth + reach
            span = swell * math.sqrt(start) / height
            if near is not None and not (0.3 < start / near.start < 3.5 and 0.4 < span / near.range < 2.5):
                continue
            variance, spent = _variance(found, steps.steps, ball(start), ball(height), ball(span))
            if variance is not None:
                value = float((gaussian_profile(ball(epsilon), variance.sqrt()) + spent).upper())
                best = min(best, (value, start, height, span))
    stated = SmallStepCertificate(steps, float(std), float(epsilon), 1.0, best[1], best[2], best[3])
    return replace(stated, delta=stated.bound() if best[0] < 1.0 else 1.0)


#: Up to this relative width a search tries all parameters, afterwards those near the last ones.
_COARSE = 1.05
#: A certificate at a number, given the best one so far, and whether a lower and an upper end are close enough.
Stage: TypeAlias = tuple[
    Callable[[float, SmallStepCertificate], SmallStepCertificate],
    Callable[[float, float], bool],
]


def least_proved(
    stages: list[Stage], best: SmallStepCertificate, low: float, high: float, delta: float, at: Callable[[float, float], float]
) -> SmallStepCertificate:
    """Return the certificate at nearly the smallest number for which a stage makes one of at most this delta.

    Args:
        stages: bisections, each from where the one before ended.
        best: the certificate at `high`, of at most this delta.
        low: where there is none; this is not tried.
        high: where there is one.
        delta: what a certificate may state at most.
        at: the number between two ends that is tried next.
    """
    for attempt, narrow in stages:

        def proved(value: float, attempt: Callable[[float, SmallStepCertificate], SmallStepCertificate] = attempt) -> bool:
            nonlocal best
            found = attempt(value, best)
            best = found if found.delta <= delta else best
            return found is best

        low, high = bisect(proved, low, high, narrow, at)
    return best


def smallest_small_steps_std(
    steps: SmallSteps, epsilon: float, delta: float, high: float, tolerance: float
) -> SmallStepCertificate | None:
    """Return a certificate with nearly the smallest std <= high for this (epsilon, delta); None without one."""
    first = small_steps_delta(steps, high, epsilon, delta)
    if first.delta > delta:
        return None
    coarse: Stage = (lambda std, _: small_steps_delta(steps, std, epsilon, delta), lambda a, b: b < a * _COARSE)
    fine: Stage = (
        lambda std, best: small_steps_delta(steps, std, epsilon, delta, best),
        lambda a, b: b <= a * (1.0 + tolerance),
    )
    return least_proved([coarse, fine], first, 0.2 * high, high, delta, geometric_middle)


def least_small_steps_epsilon(
    steps: SmallSteps, std: float, high: float, delta: float, tolerance: float
) -> SmallStepCertificate | None:
    """Return a certificate with nearly the smallest epsilon <= high at this std and delta; None without one."""
    first = small_steps_delta(steps, std, high, delta)
    if first.delta > delta:
        return None
    only: Stage = (lambda epsilon, _: small_steps_delta(steps, std, epsilon, delta), lambda a, b: b - a <= tolerance * b)
    return least_proved([only], first, 0.0, high, delta, middle)


def as_small_steps(mechanism: Mechanism) -> SmallSteps | None:
    """Return the mechanism as small steps, where a row is replaced and no other releases stand beside the steps."""
    sampling = mechanism.sampling
    if not isinstance(sampling, UniformIndex | FixedBatch) or mechanism.unsampled or mechanism.fixed_ratio:
        return None
    batch = sampling.batch if isinstance(sampling, FixedBatch) else 1
    if batch == sampling.n:
        return None
    s = mechanism.sensitivity
    return SmallSteps(sampling.n, batch, mechanism.steps, s, s, 0.0, sampling.shape)
