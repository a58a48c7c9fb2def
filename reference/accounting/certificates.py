"""Certificates: an upper bound on delta in integers and balls, which anybody can compute again.

1. *One step.* The loss of a pair increases with x (`position`), so each knot is one x, enclosed by a ball; so are the two
   masses of each cell between knots. A cell of masses m, b whose loss is between t and t' becomes two points: `up` at t' and
   m - up at t with up = (m e^-t - b) / (e^-t - e^-t'), which keeps both masses and can only raise a divergence (the profile
   of the two points is the chord of the profile that the cell had). What lies beyond the outer knots is moved up: to
   infinity, or to the lowest knot.
2. *Integers.* Each mass is the upper end of its ball times 2^scale, rounded up. Nothing is subtracted after that, so each later
   error is upwards; and delta grows with every mass.
3. *Powers.* Exact products of integer polynomials, each coefficient divided by 2^scale and rounded up. After each product
   mass at the top that adds up to less than a budget moves to infinity, mass at the bottom to the lowest point kept;
   infinite masses add.
4. *Delta.* The sum of c_j D(epsilon - t_j) with D(x) = max(0, 1 - e^x), or the profile of the Gaussian releases beside the
   steps. D is convex in e^x, so on a block of the grid it is at most its chord.

No step has an error term, and no rounding is left to an argument. What it rests on is the integer and ball arithmetic of FLINT.
"""

from __future__ import annotations

import itertools
import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, ClassVar, Protocol, Self, TypeVar

from dppca.reference.accounting.balls import BITS, ball, flint, gaussian_profile, normal_cdf, to_integer, upper_float
from dppca.reference.accounting.grid import TAIL_SHARE, Grid, check_grid, choose_grid, pair_knots
from dppca.reference.accounting.mechanisms import (
    FixedBatch,
    Mechanism,
    Pair,
    Poisson,
    Sampling,
    UniformIndex,
    check_delta_bound,
    check_level,
    check_mechanism,
    check_ratio,
    check_target,
)
from dppca.reference.accounting.stored import check_integer, read, write
from dppca.reference.primitives.bisection import bisect, geometric_middle
from dppca.reference.primitives.validation import check_positive

#: Bits of the masses beyond what the target delta and the number of additions need.
SPARE_BITS = 24
#: Blocks in which the profile of Gaussian releases is replaced by chords.
CHORDS = 1024
_SAMPLINGS: dict[str, type[Sampling]] = {"UniformIndex": UniformIndex, "FixedBatch": FixedBatch, "Poisson": Poisson}
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class MechanismCertificate(ABC):
    """A proved statement: `mechanism` at this std is (epsilon, delta)-DP. `check` proves it again, without a search."""

    kind: ClassVar[str]
    mechanism: Mechanism
    std: float
    epsilon: float
    delta: float

    def __post_init__(self) -> None:
        check_mechanism(self.mechanism)
        check_positive("std", self.std)
        check_level(self.epsilon)
        check_delta_bound(self.delta)

    @abstractmethod
    def bound(self, progress: Progress | None = None) -> float:
        """Return the delta that the arithmetic gives."""

    def check(self, progress: Progress | None = None) -> bool:
        """Return whether the arithmetic, done again, gives at most the delta that is stated."""
        return self.bound(progress) <= self.delta

    def to_json(self) -> str:
        """Return the certificate as JSON; floats are hexadecimal, so that nothing is lost."""
        stored = {f.name: getattr(self, f.name) for f in fields(self)}
        return write(self.kind, {**stored, "mechanism": mechanism_to_json(self.mechanism)})

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Return the certificate that `to_json` wrote; ValueError for anything else."""
        return read(text, cls.kind, lambda stored: cls(**{**stored, "mechanism": mechanism_from_json(stored["mechanism"])}))


@dataclass(frozen=True)
class Certificate(MechanismCertificate):
    """A proved statement: `mechanism` at this std is (epsilon, delta)-DP. `check` proves it again, without a search.

    `bits`, `top`, `bottom` are the grid's, `scale` the bits of the masses, `budget` the mass in units of 2^-scale that may be
    moved to infinity. Any integers, top and scale >= 1, bits, bottom and budget >= 0, give an upper bound; others raise
    ValueError.
    """

    kind = "grid"
    bits: int
    top: int
    bottom: int
    scale: int
    budget: int

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, least in (("bits", 0), ("top", 1), ("bottom", 0), ("scale", 1), ("budget", 0)):
            check_integer(name, getattr(self, name), least)

    def bound(self, progress: Progress | None = None) -> float:
        """Return the delta that the arithmetic gives."""
        grid = Grid(self.bits, self.top, self.bottom)
        return max(
            _composed_delta(pair, self.mechanism, self.std, self.epsilon, grid, self.scale, self.budget, progress)
            for pair in self.mechanism.sampling.pairs
        )


class Proof(Protocol):
    """What states a delta."""

    @property
    def delta(self) -> float:
        """Return the delta that is stated."""


Proved = TypeVar("Proved", bound=Proof)


def first_proved(
    enough: Callable[[float], bool],
    certify: Callable[[float], Proved],
    low: float,
    high: float,
    delta: float,
    tolerance: float,
) -> Proved | None:
    """Return the certificate at nearly the smallest number in (low, high) where the estimate is enough and the proof succeeds.

    Args:
        enough: whether an estimate says that a number is enough.
        certify: the certificate at a number.
        low: not tried.
        high: where None is returned unless the estimate is enough there.
        delta: what a certificate may state at most.
        tolerance: of the search, relatively; a certificate that states more raises the number by as much, then by four times.
    """
    if not low < high or not enough(high):
        return None
    _, at = bisect(enough, low, high, lambda a, b: b <= a * (1.0 + tolerance), geometric_middle)
    nudge = tolerance
    while at < high:
        found = certify(at)
        if found.delta <= delta:
            return found
        at, nudge = at * (1.0 + nudge), 4.0 * nudge
    return None


def mechanism_to_json(mechanism: Mechanism) -> dict[str, Any]:
    """Return the mechanism's fields; the sampling's with its kind."""
    sampling = {"kind": type(mechanism.sampling).__name__, **asdict(mechanism.sampling)}
    return {**asdict(mechanism), "sampling": sampling}


def mechanism_from_json(stored: dict[str, Any]) -> Mechanism:
    """Return the mechanism that `mechanism_to_json` wrote; KeyError, TypeError or AttributeError for other fields."""
    sampling = dict(stored.pop("sampling"))
    return Mechanism(_SAMPLINGS[sampling.pop("kind")](**sampling), **stored)


def certify(
    mechanism: Mechanism,
    std: float,
    epsilon: float,
    delta: float,
    *,
    grid: Grid | None = None,
    progress: Progress | None = None,
) -> Certificate:
    """Return a certificate of the smallest delta that the arithmetic gives on a grid made for the delta that is named.

    Args:
        mechanism: what is composed.
        std: standard deviation of a step's noise, per coordinate.
        epsilon: >= 0.
        delta: the size of delta that the grid, the bits and the tail are made for, in (0, 1).
        grid: the grid; chosen where it is absent.
        progress: called with the number of products done and of all.

    Returns:
        A certificate whose delta may be above or below the one named: it is what was proved.
    """
    check_level(epsilon)
    check_ratio(mechanism, std)
    delta = check_target(delta)
    grid = choose_grid(mechanism, std, delta) if grid is None else check_grid(grid)
    scale = _scale(mechanism, grid, delta)
    budget = max(0, math.floor(math.ldexp(TAIL_SHARE * delta, scale)))
    stated = Certificate(mechanism, float(std), float(epsilon), 1.0, grid.bits, grid.top, grid.bottom, scale, budget)
    return replace(stated, delta=stated.bound(progress))


def _scale(mechanism: Mechanism, grid: Grid, delta: float) -> int:
    """Return the bits of the masses: rounding up adds at most 2^-scale for each step and each point."""
    points = 8.0 * (grid.top + grid.bottom + 2)
    return math.ceil(math.log2(mechanism.steps * points / delta)) + SPARE_BITS


def seconds(mechanism: Mechanism, grid: Grid, delta: float) -> float:
    """Return about how long a certificate takes, on one core of 2020."""
    products = mechanism.steps.bit_length() + mechanism.steps.bit_count()
    points = 2.0 * (grid.top + grid.bottom)
    return len(mechanism.sampling.pairs) * (0.2 + 4e-9 * products * points * (_scale(mechanism, grid, delta) + 32.0) * 2.0)


# --- one step -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class IntegerLaw:
    """Masses in units of 2^-scale, rounded up: masses[j] at (lowest + j) grid widths, the rest at infinity."""

    lowest: int
    masses: Any
    infinite: int


def one_step(pair: Pair, q: Any, r: Any, grid: Grid, scale: int) -> IntegerLaw:
    """Return the pessimistic law of a step's loss in integers. q: rate; r: sensitivity / std; both balls."""
    arb = flint().arb
    points = pair_knots(grid, pair)
    width = arb(2) ** (-grid.bits)
    low = [(-(width * j)).exp() for j in points]  # e^-t
    base, mixture = [], []  # mass above each knot
    for inverse in low:
        x = position(q, r, 1 / inverse)
        base.append(arb(1) if x is None else normal_cdf(-x))
        mixture.append(arb(1) if x is None else (1 - q) * base[-1] + q * normal_cdf(r - x))
    positive: dict[int, Any] = {}
    negative: dict[int, Any] = {}
    for i, (j, k) in enumerate(itertools.pairwise(points)):
        m, b = mixture[i] - mixture[i + 1], base[i] - base[i + 1]
        up = (m * low[i] - b) / (low[i] - low[i + 1])
        _add(positive, k, up)
        _add(positive, j, m - up)
        _add(negative, -k, up * low[i + 1])
        _add(negative, -j, b - up * low[i + 1])
    if pair == "remove":
        _add(positive, points[0], 1 - mixture[0])
        return _integers(positive, mixture[-1], scale)
    _add(negative, -points[-1], base[-1])
    if pair == "add":
        return _integers(negative, 1 - base[0], scale)
    _add(positive, 0, (1 - q) * (1 - 2 * normal_cdf(-r / 2)))
    for j, mass in negative.items():
        _add(positive, j, mass)
    return _integers(positive, mixture[-1], scale)


def position(q: Any, r: Any, ratio: Any) -> Any:
    """Return a ball around the x where (1 - q) N(0, 1) + q N(r, 1) over N(0, 1) is this; None where it is nowhere so small."""
    inner = (ratio - 1 + q) / q
    if inner <= 0:
        return None
    if not inner > 0:
        raise ArithmeticError(f"log(1 - q) and a grid point agree to {BITS} bits")
    return (inner.log() + r * r / 2) / r


def _add(masses: dict[int, Any], j: int, mass: Any) -> None:
    masses[j] = masses[j] + mass if j in masses else mass


def _integers(masses: dict[int, Any], infinite: Any, scale: int) -> IntegerLaw:
    lowest, highest = min(masses), max(masses)
    listed = [0] * (highest - lowest + 1)
    for j, mass in masses.items():
        listed[j - lowest] = max(0, to_integer(mass, scale, up=True))
    return IntegerLaw(lowest, flint().fmpz_poly(listed), max(0, to_integer(infinite, scale, up=True)))


# --- composition --------------------------------------------------------------------------------------


def _composed_delta(
    pair: Pair, mechanism: Mechanism, std: float, epsilon: float, grid: Grid, scale: int, budget: int, progress: Progress | None
) -> float:
    with flint().ctx.workprec(BITS):
        q, r = ball(mechanism.sampling.rate), ball(mechanism.sensitivity) / ball(std)
        mu_squared = (ball(mechanism.unsampled) / ball(std)) ** 2 + ball(mechanism.fixed_ratio) ** 2
        one = one_step(pair, q, r, grid, scale)
        law = power(one, mechanism.steps, scale, budget, progress)
        return min(1.0, upper_float(delta_of(law, grid.bits, scale, ball(epsilon), mu_squared)))


def power(one: IntegerLaw, steps: int, scale: int, budget: int, progress: Progress | None = None) -> IntegerLaw:
    """Return the law of the sum of `steps` losses, rounded up; `budget` is the mass that may go to infinity in all, about."""
    share = budget // (4 * steps.bit_length()) if steps > 1 else 0
    total, done = steps.bit_length() + steps.bit_count() - 2, 0
    law, count = one, 1
    for bit in bin(steps)[3:]:
        law, count = _cut(_product(law, law, scale), share * 2 * count // steps), 2 * count
        done += 1
        if bit == "1":
            law, count = _cut(_product(law, one, scale), share * count // steps), count + 1
            done += 1
        if progress is not None:
            progress(done, total)
    return law


def _product(a: IntegerLaw, b: IntegerLaw, scale: int) -> IntegerLaw:
    product = a.masses * b.masses
    return IntegerLaw(a.lowest + b.lowest, divide_up(product, scale), a.infinite + b.infinite)


def divide_up(masses: Any, scale: int) -> Any:
    """Divide each coefficient by 2^scale, upwards. FLINT's division by a constant rounds each coefficient down."""
    module = flint()
    return (masses + module.fmpz_poly([(1 << scale) - 1] * masses.length())) // module.fmpz(1 << scale)


def _cut(law: IntegerLaw, budget: int) -> IntegerLaw:
    """Move at most this much mass from the top to infinity, and at most this much from the bottom to the lowest point kept."""
    masses, length = law.masses, law.masses.length()
    moved, high = 0, length
    while high > 1 and moved + int(masses[high - 1]) <= budget:
        high -= 1
        moved += int(masses[high])
    raised, low = 0, 0
    while low < high - 1 and raised + int(masses[low]) <= budget:
        raised += int(masses[low])
        low += 1
    kept = masses.truncate(high).right_shift(low) + raised
    return IntegerLaw(law.lowest + low, kept, law.infinite + moved)


def delta_of(law: IntegerLaw, bits: int, scale: int, epsilon: Any, mu_squared: Any) -> Any:
    """Return a ball whose upper end bounds delta; the masses are those of an upper bound."""
    arb = flint().arb
    width, unit = arb(2) ** (-bits), arb(2) ** (-scale)
    step = (-width).exp()
    if (
        mu_squared == 0
    ):  # 1 - e^(epsilon - t) above epsilon; a point that the ball cannot tell from epsilon adds less than 0 < 1e-30
        first = max(0, int((epsilon / width).floor().unique_fmpz()) - law.lowest + 1)
        above = law.masses.right_shift(first)
        start = (epsilon - width * (law.lowest + first)).exp()
        return (law.infinite + above(1) - start * above(step)) * unit
    total = arb(law.infinite)
    mu, length = mu_squared.sqrt(), law.masses.length()
    size = max(1, -(-length // CHORDS))
    for first in range(0, length, size):
        block = law.masses.right_shift(first).truncate(size)
        count = min(size, length - first)
        left = epsilon - width * (law.lowest + first)
        mass = block(1)
        if not mass:
            continue
        high = gaussian_profile(left, mu)
        if count == 1:
            total += mass * high
            continue
        right = left - width * (count - 1)
        a, b = left.exp(), right.exp()  # the profile is convex in e^x: at most the chord between b and a
        slope = (gaussian_profile(right, mu) - high) / (b - a)
        total += mass * (high - slope * a) + slope * a * block(step)
    return total * unit
