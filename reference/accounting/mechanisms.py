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
from typing import Literal, TypeAlias

from dppca.reference.primitives.validation import check_count, check_positive

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
        check_count("n", self.n)
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
        if check_count("batch", self.batch) > check_count("n", self.n):
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
        if not 0.0 < self.probability <= 1.0:
            raise ValueError(f"probability must be in (0, 1], got {self.probability!r}")

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
        check_count("steps", self.steps)
        check_positive("sensitivity", self.sensitivity)
        for name in ("unsampled", "fixed_ratio"):
            value = getattr(self, name)
            if not 0.0 <= value < math.inf:
                raise ValueError(f"{name} must be finite and >= 0, got {value!r}")

    def gaussian_ratio(self, std: float) -> float:
        """Return mu of all releases that see every row, in floats."""
        return math.hypot(self.unsampled / std, self.fixed_ratio)


def check_shape(shape: str) -> None:
    """ValueError for what is no `Shape`."""
    if shape not in ("ball", "diameter"):
        raise ValueError(f"shape must be 'ball' or 'diameter', got {shape!r}")


def check_ratio(mechanism: Mechanism, std: float) -> float:
    """Return sensitivity / std where the account covers it; ValueError otherwise."""
    ratio = mechanism.sensitivity / check_positive("std", std)
    if ratio > RATIO_MAX:
        least = mechanism.sensitivity / RATIO_MAX
        raise ValueError(
            f"std must be >= sensitivity / {RATIO_MAX:g} = {least!r}, got {std!r}: one step would give nearly all away"
        )
    if ratio < RATIO_MIN:
        most = mechanism.sensitivity / RATIO_MIN
        raise ValueError(f"std must be <= sensitivity / {RATIO_MIN:g} = {most!r}, got {std!r}: the grid cannot resolve a step")
    return ratio


def check_level(epsilon: float) -> float:
    """Return a finite epsilon >= 0; ValueError otherwise."""
    if not 0.0 <= epsilon < math.inf:
        raise ValueError(f"epsilon must be finite and >= 0, got {epsilon!r}")
    return float(epsilon)


def check_delta_bound(delta: float) -> float:
    """Return a stated bound on delta, in [0, 1]; ValueError otherwise."""
    if not 0.0 <= delta <= 1.0:
        raise ValueError(f"delta must be in [0, 1], got {delta!r}")
    return delta


#: Range of sensitivity / std.
RATIO_MAX = 10.0
RATIO_MIN = 1e-6
