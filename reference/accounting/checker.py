"""The checker of certificates: the delta that a proof's numbers give, in integers and balls.

`bound` takes a statement (mechanisms.py), a standard deviation, an epsilon and the numbers of a proof, and computes a delta
at which the statement is (epsilon, delta)-DP. It shares no code with the searches, which only choose numbers: any numbers in
the ranges below give an upper bound, bad ones a large one. What it rests on is the integer and ball arithmetic of FLINT, and
the mathematics in proofs_notes/accounting/note.md, whose sections have the names of the parts below. Sizes are limited before
anything is allocated.
"""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

from flint import arb, arb_poly, ctx, fmpz, fmpz_poly

from dppca.reference.accounting.mechanisms import (
    Mechanism,
    Pair,
    Shape,
    Shuffled,
    SmallSteps,
    Statement,
    VarianceReduced,
    check_level,
    check_size,
    check_statement,
    check_std,
)
from dppca.reference.rigour.balls import BITS, ball, gaussian_profile, normal_cdf, to_integer, upper_float, whole
from dppca.reference.rigour.validation import check_positive, check_real, shown

#: Called with the number of products done and of all.
Progress: TypeAlias = Callable[[int, int], None]

#: Largest `bits` of a grid, largest number of grid points above or below 0, and largest `scale`.
BITS_MAX, POINTS_MAX, SCALE_MAX = 52, 2**23, 2048
#: Largest number of bits that the masses of one law may need.
MEMORY_MAX = 2**31
#: Most numbers of clones that are gone through one by one, and most blocks of them.
CLONES_MAX, BLOCKS_MAX = 2**22, 2**14
#: Largest order of a Renyi moment.
ORDER_MAX = 96
#: Blocks in which the profile of Gaussian releases is replaced by chords.
CHORDS = 1024
#: Working precisions in bits: of moments, which cancel, of what is made of them, and of clones.
MOMENT_BITS, RENYI_BITS_MAX, COST_BITS, CLONE_BITS = 1200, 8192, 128, 160
#: The variance that has been reached grows by this factor between two evaluations of a step's cost.
STAGE = "1.05"
#: The moments of which the best bounds what leaves the range of the expansion.
FAR_MOMENTS = (8, 12, 16, 20, 24, 32)
#: Knots of a grid: every multiple of the width up to this one, then so many for each factor e.
FINE_KNOTS, KNOTS_PER_E = 48, 40.0


# --- the numbers of a proof ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Grid:
    """Losses are multiples of 2^-bits; a loss of a step above `top` or below -`bottom` times that is treated as infinite.

    `bottom` matters for the pairs `remove` and `add` alone. No loss is below log(1 - q), so nothing is cut there unless q is
    near 1.
    """

    bits: int
    top: int
    bottom: int

    def __post_init__(self) -> None:
        check_integer("bits", self.bits, 0, BITS_MAX)
        check_integer("top", self.top, 1, POINTS_MAX)
        check_integer("bottom", self.bottom, 0, POINTS_MAX)

    @property
    def width(self) -> float:
        """Return 2^-bits."""
        return math.ldexp(1.0, -self.bits)


@dataclass(frozen=True)
class GaussianProof:
    """Steps that see every row: one Gaussian release."""

    kind: ClassVar[str] = "gaussian"


@dataclass(frozen=True)
class GridProof:
    """The composed law on a grid, in integers.

    `scale` are the bits of the masses, `budget` the mass in units of 2^-scale that a product may move to infinity; `share`, of
    a `VarianceReduced` alone, is the part of the noise's std that the sampled row gets.
    """

    kind: ClassVar[str] = "grid"
    bits: int
    top: int
    bottom: int
    scale: int
    budget: int
    share: float | None = None

    def __post_init__(self) -> None:
        Grid(self.bits, self.top, self.bottom)
        check_scale(self.scale, self.budget, self.top + self.bottom + 2)


@dataclass(frozen=True)
class HingeProof:
    """The mean of a squared hinge that begins at e^epsilon (1 - gap), under one law in integers; the rest as for a grid."""

    kind: ClassVar[str] = "hinge"
    gap: float
    bits: int
    top: int
    scale: int
    budget: int

    def __post_init__(self) -> None:
        if not 0.0 < check_real("gap", "in (0, 1)", self.gap) < 1.0:
            raise ValueError(f"gap must be in (0, 1), got {shown(self.gap)}")
        Grid(self.bits, self.top, 0)
        check_scale(self.scale, self.budget, 2 * self.top + 3)


@dataclass(frozen=True)
class SmallStepsProof:
    """Many small steps by their moments.

    `start` is the variance of the loss that is granted beforehand; levels beyond `reach` standard deviations, and steps whose
    likelihood ratio leaves e^(+-range), go into delta.
    """

    kind: ClassVar[str] = "small-steps"
    start: float
    reach: float
    range: float

    def __post_init__(self) -> None:
        for name in ("start", "reach", "range"):
            check_size(name, check_positive(name, getattr(self, name)))


@dataclass(frozen=True)
class RenyiProof:
    """A moment of this integer order of the steps' likelihood ratios."""

    kind: ClassVar[str] = "renyi"
    order: int

    def __post_init__(self) -> None:
        check_integer("order", self.order, 2, ORDER_MAX)


@dataclass(frozen=True)
class ShuffleProof:
    """Clones of the record that is replaced, by blocks of their number.

    `epsilon_0` is the pure part granted to one release, 0 for no amplification: one record changes one release. The numbers
    of clones from `least` to `most` are taken in so many blocks.
    """

    kind: ClassVar[str] = "shuffle"
    epsilon_0: float
    least: int
    most: int
    blocks: int

    def __post_init__(self) -> None:
        if check_real("epsilon_0", "finite and >= 0", self.epsilon_0) != 0.0:
            check_positive("epsilon_0", self.epsilon_0)
        check_integer("least", self.least, 0, 10**9)
        check_integer("most", self.most, self.least, self.least + CLONES_MAX)
        check_integer("blocks", self.blocks, 1, BLOCKS_MAX)


Proof: TypeAlias = GaussianProof | GridProof | HingeProof | SmallStepsProof | RenyiProof | ShuffleProof


def check_integer(name: str, value: Any, least: int, most: int) -> None:
    """Raise ValueError naming the field unless it is an integer from least to most."""
    if type(value) is not int:
        raise ValueError(f"{name} must be an integer, got {shown(value)}")
    if not least <= value <= most:
        raise ValueError(f"{name} must be >= {least} and <= {shown(most)}, got {shown(value)}")


def check_scale(scale: Any, budget: Any, points: int) -> None:
    """Raise ValueError naming the field unless masses of so many bits on so many points can be held, and the budget is one."""
    check_integer("scale", scale, 1, SCALE_MAX)
    check_integer("budget", budget, 0, 2**scale)
    check_memory(points, scale + 512)


def check_memory(points: int, bits: int) -> None:
    """Raise ValueError unless a law of so many points and so many bits each can be held."""
    if points * bits > MEMORY_MAX:
        raise ValueError(
            f"budget must be larger, or bits, top or scale smaller: a law of {points} points of {bits} bits each is too large"
        )


# --- what is proved -----------------------------------------------------------------------------------


def bound(of: Statement, std: float, epsilon: float, proof: Proof, progress: Progress | None = None) -> float:
    """Return a delta at which the statement with this std is (epsilon, delta)-DP: 1 where the proof's numbers show nothing.

    Raises:
        ValueError: an argument outside its range, a proof that is of other statements, or one that needs too much memory.
    """
    check_statement(of)
    check_std(std)
    check_level(epsilon)
    try:
        delta = proved_delta(of, std, epsilon, proof, progress)
    except ArithmeticError as error:
        raise ValueError(f"proof must have numbers that the arithmetic can resolve, got {shown(proof)}: {error}") from error
    with ctx.workprec(BITS):
        return max(0.0, upper_float(delta)) if delta < 1 else 1.0


def proved_delta(of: Statement, std: float, epsilon: float, proof: Proof, progress: Progress | None) -> arb:
    """Return a ball whose upper end bounds delta, in the arithmetic that suits the proof."""
    match proof:
        case GaussianProof():
            with ctx.workprec(2 * BITS):
                return _gaussian(_whole(of), ball(std), ball(epsilon))
        case GridProof():
            with ctx.workprec(BITS):
                return _on_a_grid(_divided(of, proof.share), ball(std), ball(epsilon), proof, progress)
        case HingeProof():
            with ctx.workprec(BITS):
                return _squared_hinge(_replacing(of), ball(std), ball(epsilon), proof, progress)
        case SmallStepsProof():
            return _small_steps(_in_small_steps(of), std, epsilon, proof)
        case RenyiProof():
            steps = _in_small_steps(of)
            with ctx.workprec(_renyi_precision(steps, std, proof.order)):
                return renyi_payoff(
                    step_moments(steps, std, proof.order)[proof.order] ** steps.steps, proof.order, ball(epsilon)
                )
        case ShuffleProof():
            with ctx.workprec(CLONE_BITS):
                return _shuffled(_in_a_hidden_order(of, proof), ball(std), ball(epsilon), proof)
        case _:
            raise ValueError(f"proof must be one of the checker's, got {shown(proof)}")


def seconds(of: Statement, std: float, proof: Proof) -> float:
    """Return about how long `bound` takes, on one core of 2020."""
    if isinstance(proof, ShuffleProof):
        return 1e-5 * (proof.most - proof.least) + 1e-3 * proof.blocks
    if isinstance(proof, RenyiProof) and not isinstance(of, Shuffled):
        steps = of.small_steps()
        return 0.2 if steps is None else 0.2 + 1e-9 * proof.order**3 * _renyi_precision(steps, std, proof.order)
    if not isinstance(proof, GridProof | HingeProof) or not isinstance(of, Mechanism | VarianceReduced):
        return 0.5
    products = of.steps.bit_length() + of.steps.bit_count()
    points = 2.0 * (proof.top + (proof.bottom if isinstance(proof, GridProof) else proof.top))
    pairs = len(of.sampling.pairs) if isinstance(of, Mechanism) else 1
    return pairs * (0.2 + 4e-9 * products * points * (proof.scale + 32.0) * 2.0)


def _refused(of: Statement, what: str) -> ValueError:
    return ValueError(f"mechanism must {what}, got {shown(of)}")


def _whole(of: Statement) -> Mechanism:
    if isinstance(of, VarianceReduced) and of.n == 1:
        return of.split(1.0)
    if isinstance(of, Mechanism) and of.sees_every_row:
        return of
    raise _refused(of, "draw every row in each step")


def _divided(of: Statement, share: float | None) -> Mechanism:
    if isinstance(of, Mechanism) and share is None:
        return of
    if isinstance(of, VarianceReduced) and of.n > 1 and share is not None:
        return of.split(share)
    raise _refused(of, "be sampled steps, or variance-reduced on several rows with a share")


def _replacing(of: Statement) -> Mechanism:
    if isinstance(of, Mechanism) and of.replaces_a_row:
        return of
    raise _refused(of, "replace a row and have no releases beside the steps")


def _in_small_steps(of: Statement) -> SmallSteps:
    steps = None if isinstance(of, Shuffled) else of.small_steps()
    if steps is None:
        raise _refused(of, "replace a row, draw fewer than all and have no releases beside the steps")
    return steps


def _in_a_hidden_order(of: Statement, proof: ShuffleProof) -> int:
    if not isinstance(of, Shuffled):
        raise _refused(of, "be shuffled")
    check_integer("most", proof.most, 0, max(0, of.n - 1))
    return of.n


def _gaussian(of: Mechanism, std: arb, epsilon: arb) -> arb:
    """Steps that see every row: adaptive Gaussian releases compose to one whose mu^2 is the sum of theirs."""
    squares = int(of.steps) * ball(of.sensitivity) ** 2 + ball(of.unsampled) ** 2
    return gaussian_profile(epsilon, (squares / std**2 + ball(of.fixed_ratio) ** 2).sqrt())


# --- the certificate: one step's law on a grid --------------------------------------------------------


@dataclass(frozen=True)
class Law:
    """Masses in units of 2^-scale, rounded up: masses[j] at a loss of (lowest + j) grid widths.

    `lost` is a ball above the weight of all that is left out; the weight of a mass at a loss t is growth^(t / width): 1 on a
    grid, where it counts as infinite, e^t for a hinge, where it is charged with its second moment.
    """

    lowest: int
    masses: fmpz_poly
    lost: arb


def knots(last: int, fine: int = FINE_KNOTS, per_e: float = KNOTS_PER_E) -> list[int]:
    """Return the grid points at which a step's law is cut: 0, 1, 2, ..., then ever sparser, up to the last one."""
    found = list(range(min(fine, last) + 1))
    while found[-1] < last:
        found.append(min(last, max(found[-1] + 1, math.floor(found[-1] * math.exp(1.0 / per_e)))))
    return found


def pair_knots(grid: Grid, pair: Pair) -> list[int]:
    """Return the knots of a pair: from 0 for `replace`, from -bottom for the two others."""
    above = knots(grid.top)
    return above if pair == "replace" else [-k for k in knots(grid.bottom)[:0:-1]] + above


def position(q: arb, r: arb, ratio: arb) -> arb | None:
    """Return a ball around the x where (1 - q) N(0, 1) + q N(r, 1) over N(0, 1) is this; None where it is nowhere so small."""
    inner = (ratio - 1 + q) / q
    if inner <= 0:
        return None
    if not inner > 0:
        raise ArithmeticError(f"log(1 - q) and a grid point agree to {BITS} bits")
    return (inner.log() + r * r / 2) / r


def _above(q: arb, r: arb, inverse: list[arb]) -> tuple[list[arb], list[arb]]:
    """Return the masses above each knot under (1 - q) N(0) + q N(r) and under N(0); inverse: e^-t of the knots."""
    base, mixture = [], []
    for low in inverse:
        x = position(q, r, 1 / low)
        base.append(arb(1) if x is None else normal_cdf(-x))
        mixture.append(arb(1) if x is None else (1 - q) * base[-1] + q * normal_cdf(r - x))
    return mixture, base


def one_step(pair: Pair, q: arb, r: arb, grid: Grid, scale: int) -> Law:
    """Return the pessimistic law of a step's loss in integers. q: rate; r: sensitivity / std."""
    points = pair_knots(grid, pair)
    width = arb(2) ** (-grid.bits)
    low = [(-(width * j)).exp() for j in points]
    mixture, base = _above(q, r, low)
    positive: dict[int, arb] = {}
    negative: dict[int, arb] = {}
    for i, (j, k) in enumerate(itertools.pairwise(points)):
        m, b = mixture[i] - mixture[i + 1], base[i] - base[i + 1]
        up = (m * low[i] - b) / (low[i] - low[i + 1])
        _add(positive, k, up)
        _add(positive, j, m - up)
        _add(negative, -k, up * low[i + 1])
        _add(negative, -j, b - up * low[i + 1])
    if pair == "remove":
        _add(positive, points[0], 1 - mixture[0])
        return in_integers(positive, mixture[-1], scale)
    _add(negative, -points[-1], base[-1])
    if pair == "add":
        return in_integers(negative, 1 - base[0], scale)
    _add(positive, 0, (1 - q) * (1 - 2 * normal_cdf(-r / 2)))
    for j, mass in negative.items():
        _add(positive, j, mass)
    return in_integers(positive, mixture[-1], scale)


def _add(masses: dict[int, arb], j: int, mass: arb) -> None:
    masses[j] = masses[j] + mass if j in masses else mass


def in_integers(masses: dict[int, arb], lost: arb, scale: int) -> Law:
    """Return the law with masses of 2^-scale, each rounded up."""
    lowest, highest = min(masses), max(masses)
    listed = [0] * (highest - lowest + 1)
    for j, mass in masses.items():
        listed[j - lowest] = max(0, to_integer(mass, scale, up=True))
    return Law(lowest, fmpz_poly(listed), _upper(lost))


def _upper(x: arb) -> arb:
    return arb(x.upper())


# --- the certificate: all steps -----------------------------------------------------------------------


def power(one: Law, steps: int, scale: int, budget: int, growth: arb, progress: Progress | None = None) -> Law:
    """Return the law of the sum of `steps` losses, rounded up; `budget` is the mass that may be left out at the top, about."""
    share = budget // (4 * steps.bit_length()) if steps > 1 else 0
    total, done = steps.bit_length() + steps.bit_count() - 2, 0
    law, count = one, 1

    def product(a: Law, b: Law, spending: int) -> Law:
        nonlocal done
        check_memory(a.masses.length() + b.masses.length(), 2 * scale)
        here, there = (_weight(x.masses, x.lowest, growth, scale) for x in (a, b))
        lost = here * b.lost + a.lost * there + a.lost * b.lost
        joined = Law(a.lowest + b.lowest, divide_up(a.masses * b.masses, scale), _upper(lost))
        done += 1
        if progress is not None:
            progress(done, total)
        return cut(joined, share * spending // steps, growth, scale)

    for bit in bin(steps)[3:]:
        law, count = product(law, law, 2 * count), 2 * count
        if bit == "1":
            law, count = product(law, one, count), count + 1
    return law


def _weight(masses: fmpz_poly, lowest: int, growth: arb, scale: int) -> arb:
    return masses(growth) * growth**lowest * arb(2) ** (-scale)


def divide_up(masses: fmpz_poly, scale: int) -> fmpz_poly:
    """Divide each coefficient by 2^scale, upwards. FLINT's division by a constant rounds each coefficient down."""
    return (masses + fmpz_poly([(1 << scale) - 1] * masses.length())) // fmpz(1 << scale)


def cut(law: Law, budget: int, growth: arb, scale: int) -> Law:
    """Leave out at most this much mass at the top, charged with its weight, and move at most as much at the bottom up."""
    masses, length = law.masses, law.masses.length()
    moved, high = 0, length
    while high > 1 and moved + int(masses[high - 1]) <= budget:
        high -= 1
        moved += int(masses[high])
    raised, low = 0, 0
    while low < high - 1 and raised + int(masses[low]) <= budget:
        raised += int(masses[low])
        low += 1
    out = _weight(masses.right_shift(high), law.lowest + high, growth, scale) if high < length else arb(0)
    return Law(law.lowest + low, masses.truncate(high).right_shift(low) + raised, _upper(law.lost + out))


def delta_of(law: Law, bits: int, scale: int, epsilon: arb, mu_squared: arb) -> arb:
    """Return a ball whose upper end bounds delta, beside Gaussian releases of this mu^2."""
    width, unit = arb(2) ** (-bits), arb(2) ** (-scale)
    step = (-width).exp()
    if mu_squared == 0:  # 1 - e^(epsilon - t) above epsilon; a point next to it that is missed or counted adds 1e-30 at most
        first = max(0, whole((epsilon / width).floor()) - law.lowest + 1)
        above = law.masses.right_shift(first)
        start = (epsilon - width * (law.lowest + first)).exp()
        return (above(1) - start * above(step)) * unit + law.lost
    total = arb(0)
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
    return total * unit + law.lost


def _on_a_grid(of: Mechanism, std: arb, epsilon: arb, proof: GridProof, progress: Progress | None) -> arb:
    grid = Grid(proof.bits, proof.top, proof.bottom)
    q, r = ball(of.sampling.rate), ball(of.sensitivity) / std
    mu_squared = (ball(of.unsampled) / std) ** 2 + ball(of.fixed_ratio) ** 2
    worst = arb(0)
    for pair in of.sampling.pairs:
        law = power(one_step(pair, q, r, grid, proof.scale), of.steps, proof.scale, proof.budget, arb(1), progress)
        worst = _upper(delta_of(law, proof.bits, proof.scale, epsilon, mu_squared)).max(worst)
    return worst


# --- a squared hinge ----------------------------------------------------------------------------------


def second_moment(shape: Shape, r: arb) -> arb:
    """Return the largest E (R - 1)^2 of a step's likelihood ratio R over all pairs, divided by the squared rate.

    Args:
        shape: whether a ball of diameter r holds the three means, or they are at mutual distance at most r.
        r: sensitivity / std.
    """
    square = r * r
    return square.expm1() if shape == "ball" else 2 * (square.exp() - (square / 2).exp())


def hinge_step(shape: Shape, q: arb, r: arb, grid: Grid, scale: int) -> tuple[Law, arb] | None:
    """Return the law that is as bad as every pair's, and what a step's ratios above the last knot add to delta.

    None where no point below 1 has the second moment that is needed.
    """
    points, width = knots(grid.top), ball(grid.width)
    inverse = [(-(width * j)).exp() for j in points]
    mixture, base = _above(q, r, inverse)
    masses: dict[int, arb] = {}
    squares = (mixture[-1] - base[-1]) ** 2 / base[-1]
    for i, (j, k) in enumerate(itertools.pairwise(points)):
        m, b = mixture[i] - mixture[i + 1], base[i] - base[i + 1]
        up = (m * inverse[i] - b) / (inverse[i] - inverse[i + 1])
        _add(masses, k, up)
        _add(masses, j, m - up)
        squares += (m - b) ** 2 / b  # at most the cell's own
    add_point(masses, mixture[-1], base[-1], grid)
    surplus, needed = mixture[0] - base[0], q * q * second_moment(shape, r) - squares
    below, room = None, 1 - base[0]
    if needed > 0:
        below = surplus * surplus / needed
    if below is None or not below < room:
        below = room
    if not below > surplus:
        return None
    add_point(masses, below - surplus, below, grid)
    _add(masses, 0, room - below)
    return in_integers(masses, arb(0), scale), mixture[-1] - base[-1] / inverse[-1]


def add_point(masses: dict[int, arb], m: arb, b: arb, grid: Grid) -> None:
    """Add a point with mass m under the first law and b under the second, divided between the grid points beside log(m / b).

    Below -`top` it moves up to there, which keeps m alone.
    """
    at = float((m / b).log()) / grid.width
    if at <= -grid.top:
        _add(masses, -grid.top, m)
        return
    if not at <= 2 * grid.top:
        raise ValueError(f"top must be larger, or bits smaller: the ratios above the last knot have a loss of {at:.3g} widths")
    for j in (math.floor(at), math.floor(at) - 1, math.floor(at) + 1):  # the float may be on the wrong side of a grid point
        low, high = ((-(ball(grid.width) * k)).exp() for k in (j, j + 1))
        up = (m * low - b) / (low - high)
        if up >= 0 and m - up >= 0:
            _add(masses, j + 1, up)
            _add(masses, j, m - up)
            return
    raise ArithmeticError(f"a loss and a grid point agree to {BITS} bits")


def hinge_mean(law: Law, scale: int, growth: arb, width: float, start: arb) -> arb:
    """Return a ball whose upper end bounds the mean of ((t - start)^+)^2 under the second law; t^-1 of the masses is its mass.

    A point at or just below the start that is counted adds t^-1 (t - start)^2 >= 0.
    """
    first = max(0, whole((start.log() / ball(width)).lower().floor()) - law.lowest)
    above, at = law.masses.right_shift(first), law.lowest + first
    total = above(growth) * growth**at - 2 * start * above(1) + start * start * above(1 / growth) * growth ** (-at)
    return total * arb(2) ** (-scale)


def _squared_hinge(of: Mechanism, std: arb, epsilon: arb, proof: HingeProof, progress: Progress | None) -> arb:
    grid, shape = Grid(proof.bits, proof.top, 0), getattr(of.sampling, "shape")  # noqa: B009 - no Poisson, which has none
    made = hinge_step(shape, ball(of.sampling.rate), ball(of.sensitivity) / std, grid, proof.scale)
    if made is None:
        return arb(1)
    one, tail = made
    growth, level = ball(grid.width).exp(), epsilon.exp()
    law = power(one, of.steps, proof.scale, proof.budget, growth, progress)
    delta = hinge_mean(law, proof.scale, growth, grid.width, level * (1 - ball(proof.gap))) + law.lost
    return delta / (4 * level * ball(proof.gap)) + of.steps * tail


# --- many small steps ---------------------------------------------------------------------------------


class ReferenceVariable:
    """The one-dimensional variable of the note, whose moments bound those of R - 1 for every pair that `steps` allows.

    Ybar / q = `polynomial`(x) + `level` e_D(x), x standard normal, e_D(x) = exp(D x - D^2 / 2).
    """

    def __init__(self, steps: SmallSteps, std: float) -> None:
        self.rate, scale = arb(steps.batch) / steps.n, ball(std)
        shift = self.rate * ball(steps.shift) / scale
        self.width = D = ball(steps.spread) / scale + shift
        # Y / q = mean x + (1 + nu) sum over k >= 2 of s_k D^k He_k(x) / k!, with |c|^k <= nu q D^k
        nu = shift * shift / (self.rate * D * D)
        line = arb_poly([0, ball(steps.mean) / scale])
        level, extra = arb(1), arb_poly([0])
        if steps.shape == "diameter":  # s_k = sqrt(2 - 2^(1 - k)), or sqrt(2) from k = 6 on
            level = arb(2).sqrt()
            hermite = [arb_poly([1]), arb_poly([0, 1])]
            for k in range(2, 6):
                hermite.append(arb_poly([0, 1]) * hermite[-1] - (k - 1) * hermite[-2])
                share = (arb(2) - arb(2) ** (1 - k)).sqrt() - level
                extra += hermite[k] * (share * D**k / math.factorial(k))
        self.polynomial = line + (extra + arb_poly([-1, -D]) * level) * (1 + nu)
        self.level = level * (1 + nu)
        self._means: dict[int, tuple[list[arb], Iterator[arb_poly]]] = {}

    def _polynomial_mean(self, power_: int, order: int) -> arb:
        """E polynomial(x)^power for x of law N(order D, 1)."""
        if order not in self._means:
            moved = self.polynomial(arb_poly([self.width * order, 1]))
            self._means[order] = ([arb(1)], itertools.accumulate(itertools.repeat(moved), operator.mul))
        means, powers = self._means[order]
        while len(means) <= power_:
            means.append(_normal_mean(next(powers)))
        return means[power_]

    def mean_power(self, m: int, tilts: int = 0) -> arb:
        """E Ybar^m for tilts = 0, E Ybar^m (e_D - 1)^2 for tilts = 2, over q^m."""
        total, square = arb(0), self.width * self.width / 2
        for j in range(m + 1):
            for i in range(tilts + 1):
                c, order = math.comb(m, j) * math.comb(tilts, i) * (-1) ** (tilts - i), i + j
                growth = (square * (order * order - order)).exp()
                total += c * self.level**j * growth * self._polynomial_mean(m - j, order)
        return total

    def even(self, m: int) -> arb:
        """Return the bound on E (R - 1)^m for even m."""
        return self.rate**m * self.mean_power(m) / (1 - self.rate) ** (m - 1)

    def third(self) -> arb:
        """Return the bound on |E (R - 1)^3|."""
        q = self.rate
        rest = 2 * q / (1 - q) ** 2 * (q**6 * self.mean_power(4) * self.mean_power(2, 2)).sqrt()
        return q**3 * self.mean_power(3) + rest


def _normal_mean(polynomial: arb_poly) -> arb:
    """E p(x) for a standard normal x."""
    total, moment = arb(0), 1
    for k, coefficient in enumerate(polynomial):
        if k % 2 == 0:
            total += coefficient * moment
            moment *= k + 1
    return total


@dataclass(frozen=True)
class Moments:
    """Bounds on the moments of R - 1, R the likelihood ratio of a step under its second law; balls."""

    second: arb
    third: arb
    fourth: arb
    sixth: arb
    far: dict[int, arb]


def moments(steps: SmallSteps, std: float) -> Moments:
    """Return the bounds on the moments, from the one-dimensional reference variable of the note."""
    of = ReferenceVariable(steps, std)
    return Moments(of.even(2), of.third(), of.even(4), of.even(6), {m: of.even(m) for m in FAR_MOMENTS})


def variance_of_steps(found: Moments, steps: int, start: arb, reach: arb, span: arb) -> tuple[arb | None, arb]:
    """Return the variance of the Gaussian loss that dominates all steps, and what goes into delta; None if there is none."""
    low = 1 - (-span).exp()  # |y| <= low implies |log(1 + y)| <= span
    beyond = {
        power_: min(((far / low ** (m - power_)).upper() for m, far in found.far.items()), key=float) for power_ in (1, 3)
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
        count = steps - done if room > steps else max(1, min(steps - done, whole(room.floor())))
        w, spent, done = _upper(w + count * _upper(rise)), _upper(spent + count * far), done + count
    return w, spent


def _small_steps(steps: SmallSteps, std: float, epsilon: float, proof: SmallStepsProof) -> arb:
    with ctx.workprec(MOMENT_BITS):
        found = moments(steps, std)
    with ctx.workprec(COST_BITS):
        variance, spent = variance_of_steps(found, steps.steps, ball(proof.start), ball(proof.reach), ball(proof.range))
        return arb(1) if variance is None else gaussian_profile(ball(epsilon), variance.sqrt()) + spent


# --- Renyi moments ------------------------------------------------------------------------------------


def _renyi_precision(steps: SmallSteps, std: float, order: int) -> int:
    """Return bits in which moments of this order keep BITS / 2 after they have cancelled, or RENYI_BITS_MAX."""
    width = max((steps.spread + steps.shift * steps.batch / steps.n) / std, 1e-300)
    return min(RENYI_BITS_MAX, BITS + math.ceil(2.0 * order * max(1.0, 2.0 - math.log2(width))))


def step_moments(steps: SmallSteps, std: float, last: int) -> dict[int, arb]:
    """Return bounds on the moments E R^p of a step's likelihood ratio under its second law, p = 2, ..., last; balls."""
    of = ReferenceVariable(steps, std)
    excess = {m: of.even(m) for m in range(2, last + 2, 2)}  # bounds on |E (R - 1)^m|
    for m in range(3, last + 1, 2):
        excess[m] = of.third() if m == 3 else (excess[m - 1] * excess[m + 1]).sqrt()
    return {p: 1 + sum((math.comb(p, m) * excess[m] for m in range(2, p + 1)), arb(0)) for p in range(2, last + 1)}


def renyi_payoff(moment: arb, order: int, epsilon: arb) -> arb:
    """Return the moment of this order times the largest (t - e^epsilon) / t^order."""
    p = arb(order)
    return moment * (p - 1) ** (order - 1) / p**order * (-(p - 1) * epsilon).exp()


# --- shuffled releases --------------------------------------------------------------------------------


def _shuffled(n: int, std: arb, epsilon: arb, proof: ShuffleProof) -> arb:
    mu = 1 / std
    if proof.epsilon_0 == 0.0:
        return gaussian_profile(epsilon, mu)
    local = gaussian_profile(ball(proof.epsilon_0), mu)
    growth, keep = epsilon.exp(), (-ball(proof.epsilon_0)).exp()
    spent = (1 + growth) * local * (1 + 2 * (n - 1) * keep)
    return _clones(n - 1, growth, keep, proof) + spent


def _clones(others: int, growth: arb, keep: arb, proof: ShuffleProof) -> arb:
    """Return a ball above the divergence of the clones' counts: it falls with their number, so a block has its first value."""
    q = 1 / (1 + keep)
    A, B = q - growth * (1 - q), growth * q - (1 - q)
    if A <= 0:
        return arb(0)
    span = proof.most - proof.least
    starts = sorted({proof.least + span * i // max(1, proof.blocks - 1) for i in range(proof.blocks)})
    reached = _tails(others, starts, keep)
    total = 1 - reached[0]  # fewer clones, charged in full
    for c, here, there in zip(starts, reached, [*reached[1:], arb(0)], strict=True):
        total += (here - there) * clone_divergence(c, A, B)
    return total


def clone_divergence(c: int, A: arb, B: arb) -> arb:
    """Return a ball whose upper end bounds the divergence given c clones, A times one tail minus B times the next one.

    It is largest at the smallest x with A x > B (c + 1 - x). Where the ball of that threshold holds two integers the larger
    value counts, and where it holds more, or A and B cannot be distinguished from 0, A itself, as tails are at most 1.
    """

    def at(x: int) -> arb:
        above = _half_tail(c, x)
        return A * (above + _term(c, x - 1, arb(1) / 2)) - B * above

    threshold = B * (c + 1) / (A + B)
    if not threshold.is_finite() or threshold.rad() > 0.25:
        return arb(A.upper()) if A.upper() > 0 else arb(0)
    low, high = (whole(end.floor()) + 1 for end in (threshold.lower(), threshold.upper()))
    return at(low) if low == high else at(low).union(at(high))


def _term(n: int, k: int, p: arb) -> arb:
    """P(Bin(n, p) = k)."""
    if not 0 <= k <= n:
        return arb(0)
    choose = (arb(n + 1).lgamma() - arb(k + 1).lgamma() - arb(n - k + 1).lgamma()).exp()
    return choose * p**k * (1 - p) ** (n - k)


def _half_tail(n: int, k: int) -> arb:
    """P(Bin(n, 1/2) >= k)."""
    if k <= 0:
        return arb(1)
    return _tail_from(n, k, arb(1) / 2)


def _tail_from(n: int, k: int, p: arb) -> arb:
    """P(Bin(n, p) >= k) for k at or above the mean: the terms fall, and their ratio falls."""
    odds, term, total, negligible = p / (1 - p), _term(n, k, p), arb(0), arb(2) ** (-100)
    while True:
        total += term
        ratio = odds * (n - k) / (k + 1)
        term, k = term * ratio, k + 1
        if k > n:
            return total
        if ratio < 1 and term < total * negligible:
            return total + arb(0.5, 0.5) * term / (1 - ratio)


def _tails(n: int, starts: list[int], p: arb) -> list[arb]:
    """P(Bin(n, p) >= c) for each of the increasing c: a tail, then the terms below it added one by one."""
    first, last = starts[0], starts[-1]
    centre = min(n, max(last, whole((n * p).upper().ceil()) + 1))
    if centre - first > 2 * CLONES_MAX:
        raise ValueError(f"least must be nearer to the mean number of clones, {float(n * p):.4g}, got {first}")
    total, term, odds = _tail_from(n, centre, p), _term(n, centre, p), (1 - p) / p
    found, wanted = {centre: total}, set(starts)
    for k in range(centre, first, -1):  # from P(>= k) to P(>= k - 1)
        term = term * odds * k / (n - k + 1)
        total += term
        if k - 1 in wanted:
            found[k - 1] = total
    return [found[c] if c <= n else arb(0) for c in starts]
