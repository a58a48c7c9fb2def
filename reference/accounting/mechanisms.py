"""What is accounted: steps that look at a random part of the rows, and Gaussian releases beside them.

A step draws some of the n rows, hidden, and releases a function of them plus N(0, std^2 I); the function may depend on
all earlier releases. With q the probability that a given row is drawn:

* `UniformIndex(n)`: one row, uniform; `FixedBatch(n, batch)`: a uniform set of `batch` rows. Neighbours: one row replaced, n
  public. `sensitivity` is the largest L2 distance between two values that the function takes on draws that differ in one row.
  A step is then the mixture (1 - q) N(m) + q N(a) against (1 - q) N(m) + q N(b), with m, a, b at mutual distance at most the
  sensitivity: given what else is drawn, m is where another row stands in the place of the replaced one. (For a batch, couple
  the other batch - 1 rows; divergences are jointly convex, so the worst of them is enough.)
* `Poisson(rate)`: each row with probability `rate`, on its own. Neighbours: one row added or removed. `sensitivity` is the
  largest L2 change of the function when one row joins the draw.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, TypeAlias

from dppca.reference.primitives.validation import (
    LEAST_NUMBER,
    MOST_NUMBER,
    check_count,
    check_nonnegative,
    check_positive,
    check_real,
    shown,
)

#: The one-step pairs, std = 1 and r = sensitivity / std: `remove` is ((1 - q) N(0) + q N(r), N(0)), `add` the same
#: exchanged, and
#: `replace` the pair whose profile is the larger one of the two, which dominates every step with a replaced row.
Pair: TypeAlias = Literal["remove", "add", "replace"]
#: What is known of the values that a step's function takes on draws that differ in one row: no two are further apart than the
#: sensitivity, or a ball of that diameter holds them all (clipped values are in one; so is x (x . v) over the unit ball).
Shape: TypeAlias = Literal["diameter", "ball"]


@dataclass(frozen=True)
class UniformIndex:
    """One row of n, drawn uniformly in each step (with replacement from step to step)."""

    n: int
    shape: Shape = "diameter"

    def __post_init__(self) -> None:
        check_number("n", self.n)
        check_shape(self.shape)

    @property
    def rate(self) -> Fraction:
        """Return the probability that a given row is drawn in a step."""
        return Fraction(1, self.n)

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """Return the pairs of which the worst bounds the composition."""
        return ("replace",)


@dataclass(frozen=True)
class FixedBatch:
    """A set of `batch` of n rows, drawn uniformly without replacement in each step."""

    n: int
    batch: int
    shape: Shape = "diameter"

    def __post_init__(self) -> None:
        check_shape(self.shape)
        if check_count("batch", self.batch) > check_number("n", self.n):
            raise ValueError(f"batch must be <= n = {self.n}, got {self.batch!r}")

    @property
    def rate(self) -> Fraction:
        """Return the probability that a given row is drawn in a step."""
        return Fraction(self.batch, self.n)

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """Return the pairs of which the worst bounds the composition."""
        return ("replace",)


@dataclass(frozen=True)
class Poisson:
    """Each row with this probability, independently, in each step."""

    probability: float

    def __post_init__(self) -> None:
        if not 0.0 < check_real("probability", "in (0, 1]", self.probability) <= 1.0:
            raise ValueError(f"probability must be in (0, 1], got {shown(self.probability)}")
        if self.probability < 1.0 / COUNT_MAX:
            raise ValueError(f"probability must be >= {1.0 / COUNT_MAX:g}, got {shown(self.probability)}")

    @property
    def rate(self) -> Fraction:
        """Return the probability that a given row is drawn in a step."""
        return Fraction(self.probability)

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """Return the pairs of which the worst bounds the composition."""
        return ("remove", "add")


Sampling: TypeAlias = UniformIndex | FixedBatch | Poisson


@dataclass(frozen=True)
class Mechanism:
    """`steps` subsampled Gaussian steps and, beside them, Gaussian releases that see every row.

    Attributes:
        sampling: how a step draws rows; it decides what neighbours are.
        steps: number of subsampled steps, >= 1.
        sensitivity: of one step, in L2, > 0.
        unsampled: >= 0; the root of the summed squares of the sensitivities of the releases that see every row, each divided
            by its standard deviation in units of the steps' one. They scale with the steps' noise.
        fixed_ratio: >= 0; the root of the summed squares of sensitivity / std of further releases whose noise is given.
    """

    sampling: Sampling
    steps: int
    sensitivity: float
    unsampled: float = 0.0
    fixed_ratio: float = 0.0

    def __post_init__(self) -> None:
        if not isinstance(self.sampling, UniformIndex | FixedBatch | Poisson):
            raise ValueError(  # noqa: TRY004 - every refusal is a ValueError
                f"sampling must be a UniformIndex, a FixedBatch or a Poisson, got {shown(self.sampling)}"
            )
        check_number("steps", self.steps)
        check_size("sensitivity", check_positive("sensitivity", self.sensitivity))
        for name in ("unsampled", "fixed_ratio"):
            check_size(name, check_nonnegative(name, getattr(self, name)), 0.0)

    def gaussian_ratio(self, std: float) -> float:
        """Return mu of all releases that see every row, in floats."""
        return math.hypot(self.unsampled / std, self.fixed_ratio)


def check_number(name: str, value: Any) -> int:
    """Return an integer from 1 to COUNT_MAX; ValueError otherwise."""
    if check_count(name, value) > COUNT_MAX:
        raise ValueError(f"{name} must be <= {COUNT_MAX}, got {shown(value)}")
    return int(value)


def check_size(name: str, value: float, least: float = LEAST_NUMBER) -> None:
    """ValueError for what the accounts' arithmetic cannot square."""
    if not least <= value <= MOST_NUMBER:
        raise ValueError(f"{name} must be between {least:g} and {MOST_NUMBER:g}, got {shown(value)}")


def check_shape(shape: Any) -> None:
    """ValueError for what is no `Shape`."""
    if not isinstance(shape, str) or shape not in ("ball", "diameter"):
        raise ValueError(f"shape must be 'ball' or 'diameter', got {shown(shape)}")


def check_mechanism(mechanism: Any) -> Mechanism:
    """Return what is a `Mechanism`; ValueError otherwise."""
    if not isinstance(mechanism, Mechanism):
        raise ValueError(f"mechanism must be a Mechanism, got {shown(mechanism)}")  # noqa: TRY004 - every refusal is a ValueError
    return mechanism


def check_ratio(mechanism: Any, std: Any) -> float:
    """Return sensitivity / std where the account covers it; ValueError otherwise, and for what is no mechanism."""
    ratio = check_mechanism(mechanism).sensitivity / check_positive("std", std)
    if ratio > RATIO_MAX:
        least = mechanism.sensitivity / RATIO_MAX
        raise ValueError(
            f"std must be >= sensitivity / {RATIO_MAX:g} = {least!r}, got {std!r}: one step would give nearly all away"
        )
    if ratio < RATIO_MIN:
        most = mechanism.sensitivity / RATIO_MIN
        raise ValueError(f"std must be <= sensitivity / {RATIO_MIN:g} = {most!r}, got {std!r}: the grid cannot resolve a step")
    return ratio


def check_level(epsilon: Any) -> float:
    """Return an epsilon from 0 to EPSILON_MAX; ValueError otherwise."""
    number = check_nonnegative("epsilon", epsilon)
    if number > EPSILON_MAX:
        raise ValueError(f"epsilon must be <= {EPSILON_MAX:g}, which the accounts cover, got {shown(epsilon)}")
    return number


def check_target(delta: Any, name: str = "delta") -> float:
    """Return a delta in (0, 1) that a grid can be made for, >= DELTA_MIN; ValueError that names the argument otherwise."""
    number = check_real(name, "in (0, 1)", delta)
    if not 0.0 < number < 1.0:
        raise ValueError(f"{name} must be in (0, 1), got {shown(delta)}")
    if number < DELTA_MIN:
        raise ValueError(f"{name} must be >= {DELTA_MIN:g}, below which no grid of the accounts reaches, got {shown(delta)}")
    return number


def check_delta_bound(delta: Any) -> float:
    """Return a stated bound on delta, in [0, 1]; ValueError otherwise."""
    number = check_real("delta", "in [0, 1]", delta)
    if not 0.0 <= number <= 1.0:
        raise ValueError(f"delta must be in [0, 1], got {shown(delta)}")
    return number


#: Largest numbers of rows and steps.
COUNT_MAX = 10**18
#: Largest epsilon, and smallest delta that a grid is made for.
EPSILON_MAX = 1024.0
DELTA_MIN = 1e-200
#: Range of sensitivity / std.
RATIO_MAX = 10.0
RATIO_MIN = 1e-6
