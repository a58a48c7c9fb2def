"""What is accounted: the statements that accounts and certificates are about. Each `describe` says its own in words.

`Mechanism`: steps that look at a random part of the rows, and Gaussian releases beside them. `VarianceReduced`: steps that
release a sampled part and the mean over all rows. `Shuffled`: Gaussian releases of one record each, in a hidden order.
`SmallSteps` is what the first two have in common where a row is replaced: the bounds on a step that moments rest on.

A step of a `Mechanism` draws some of the n rows, hidden, and releases a function of them plus N(0, std^2 I); the function may
depend on all earlier releases. With q the probability that a given row is drawn:

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
from typing import Any, ClassVar, Literal, TypeAlias

from dppca.reference.rigour.validation import (
    LEAST_NUMBER,
    MOST_NUMBER,
    MOST_RECORDS,
    check_count,
    check_nonnegative,
    check_positive,
    check_real,
    plain_numbers,
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
    """Draw one row of n uniformly in each step, with replacement from step to step."""

    kind: ClassVar[str] = "uniform-index"
    n: int
    shape: Shape = "diameter"

    def __post_init__(self) -> None:
        plain_numbers(self, fractions=True)
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

    def describe(self) -> str:
        """Return how a step draws rows, in words."""
        return f"one of the n = {self.n} rows, uniformly"


@dataclass(frozen=True)
class FixedBatch:
    """Draw a set of `batch` of n rows in each step, uniformly and without replacement."""

    kind: ClassVar[str] = "fixed-batch"
    n: int
    batch: int
    shape: Shape = "diameter"

    def __post_init__(self) -> None:
        plain_numbers(self, fractions=True)
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

    def describe(self) -> str:
        """Return how a step draws rows, in words."""
        return f"a uniform set of {self.batch} of the n = {self.n} rows, without replacement"


@dataclass(frozen=True)
class Poisson:
    """Draw each row with this probability in each step, independently."""

    kind: ClassVar[str] = "poisson"
    probability: float

    def __post_init__(self) -> None:
        plain_numbers(self, fractions=True)
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

    def describe(self) -> str:
        """Return how a step draws rows, in words."""
        return f"each row independently with probability {self.probability!r}"


Sampling: TypeAlias = UniformIndex | FixedBatch | Poisson


@dataclass(frozen=True)
class Mechanism:
    """Take `steps` subsampled Gaussian steps and, beside them, make Gaussian releases that see every row.

    Attributes:
        sampling: how a step draws rows; it decides what neighbours are.
        steps: number of subsampled steps, >= 1.
        sensitivity: of one step, in L2, > 0.
        unsampled: >= 0; the root of the summed squares of the sensitivities of the releases that see every row, each divided
            by its standard deviation in units of the steps' one. They scale with the steps' noise.
        fixed_ratio: >= 0; the root of the summed squares of sensitivity / std of further releases whose noise is given.
    """

    kind: ClassVar[str] = "sampled-steps"
    sampling: Sampling
    steps: int
    sensitivity: float
    unsampled: float = 0.0
    fixed_ratio: float = 0.0

    def __post_init__(self) -> None:
        plain_numbers(self, fractions=True)
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

    @property
    def sees_every_row(self) -> bool:
        """Return whether each step draws every row: then all releases together are one Gaussian release."""
        return self.sampling.rate == 1

    @property
    def replaces_a_row(self) -> bool:
        """Return whether neighbours differ in a replaced row and nothing is released beside the steps."""
        return not isinstance(self.sampling, Poisson) and self.unsampled == 0.0 and self.fixed_ratio == 0.0

    def small_steps(self) -> SmallSteps | None:
        """Return the bounds on a step where a row is replaced, not all are drawn, and nothing is released beside the steps."""
        sampling = self.sampling
        if isinstance(sampling, Poisson) or self.sees_every_row or not self.replaces_a_row:
            return None
        batch = sampling.batch if isinstance(sampling, FixedBatch) else 1
        return SmallSteps(sampling.n, batch, self.steps, self.sensitivity, self.sensitivity, 0.0, sampling.shape)

    def describe(self, std: float) -> str:
        """Return what is released, and between which neighbours, in words."""
        distance = (
            _distance(self.sampling.shape, self.sensitivity)
            if not isinstance(self.sampling, Poisson)
            else (f"one row more or less in the draw changes its value by at most {self.sensitivity!r} in L2")
        )
        beside = ""
        if self.unsampled:
            beside += (
                " Beside the steps there are Gaussian releases of all rows, with noise in proportion to that of the steps: the "
                "root of the summed squares of (their L2 sensitivity) / (their standard deviation) is "
                f"{self.unsampled!r} / {std!r}."
            )
        if self.fixed_ratio:
            beside += (
                " Beside the steps there are Gaussian releases of all rows: the root of the summed squares of (their L2 "
                f"sensitivity) / (their standard deviation) is {self.fixed_ratio!r}."
            )
        neighbours = "one of them has one row more" if isinstance(self.sampling, Poisson) else _REPLACED
        return (
            f"{self.steps} adaptive steps; each draws {self.sampling.describe()}, keeps the draw hidden, and releases a "
            f"function of the rows drawn plus Gaussian noise of standard deviation {std!r} per coordinate; {distance}.{beside} "
            f"Neighbours: two data sets, {neighbours}."
        )


_REPLACED = "equal but for one replaced row; their size n is public"


def _distance(shape: Shape, sensitivity: float) -> str:
    if shape == "ball":
        return f"a ball of diameter {sensitivity!r} (L2) holds its values on draws that differ in one row"
    return f"its values on two draws that differ in one row are at most {sensitivity!r} apart in L2"


@dataclass(frozen=True)
class SmallSteps:
    """Release `batch` of n rows, drawn uniformly, plus a mean that every row moves, in each of `steps`.

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

    kind: ClassVar[str] = "small-steps"
    n: int
    batch: int
    steps: int
    mean: float
    spread: float
    shift: float
    shape: Shape

    def __post_init__(self) -> None:
        plain_numbers(self, fractions=True)
        if check_count("batch", self.batch) >= check_number("n", self.n):
            raise ValueError(f"n must be > batch = {self.batch}, got {shown(self.n)}")
        check_number("steps", self.steps)
        check_size("mean", check_positive("mean", self.mean))
        check_size("spread", check_positive("spread", self.spread))
        check_size("shift", check_nonnegative("shift", self.shift), 0.0)
        check_shape(self.shape)

    def small_steps(self) -> SmallSteps:
        """Return the bounds on a step: these."""
        return self

    def describe(self, std: float) -> str:
        """Return what is released, and between which neighbours, in words."""
        within = "a ball of diameter" if self.shape == "ball" else "mutual distances up to"
        return (
            f"{self.steps} adaptive steps; given the past and what else is drawn, the laws of a step on the two data sets are "
            f"(1 - q) N(0) + q N(a) and (1 - q) N(c) + q N(b + c) with q = {self.batch}/{self.n} and standard deviation "
            f"{std!r} per coordinate; |c + q (b - a)| <= q {self.mean!r}, |c| <= q {self.shift!r}, and 0, a, b are within "
            f"{within} {self.spread!r}. Neighbours: two data sets, {_REPLACED}."
        )


@dataclass(frozen=True)
class VarianceReduced:
    """Release `steps` noisy gradients, where a sampled row's part has subtracted what it was at a reference point.

    A step at V with reference V~ releases -c x_i x_i^T (V - V~) + sigma c A V~ plus noise: i is uniform among the n rows and
    hidden, A is the mean of x x^T over all rows. Let Delta bound c |E V|_F over E = x x^T - y y^T and orthonormal V.

    Attributes:
        n: number of rows; one is drawn uniformly in each step.
        steps: number of noisy gradients.
        sensitivity: Delta, the largest c |E V|_F.
        shape: "ball" for V of one column, "diameter" for more.
        drift: a bound on the spectral norm of V - V~; 2 always holds.
        sign: sigma, -1 where the mean is subtracted as the method needs it, +1 where it is added.
    """

    kind: ClassVar[str] = "variance-reduced"
    n: int
    steps: int
    sensitivity: float
    shape: Shape = "diameter"
    drift: float = 2.0
    sign: Literal[-1, 1] = -1

    def __post_init__(self) -> None:
        plain_numbers(self, fractions=True)
        check_number("n", self.n)
        check_number("steps", self.steps)
        check_size("sensitivity", check_positive("sensitivity", self.sensitivity))
        check_shape(self.shape)
        if not LEAST_DRIFT <= check_real("drift", f"in [{LEAST_DRIFT:g}, 2]", self.drift) <= 2.0:
            raise ValueError(f"drift must be in [{LEAST_DRIFT:g}, 2], got {self.drift!r}")
        if type(self.sign) is not int or self.sign not in (-1, 1):
            raise ValueError(f"sign must be -1 or 1, got {shown(self.sign)}")

    @property
    def mean(self) -> float:
        """Return how far the mean of a step moves, times n, rounded up."""
        s = Fraction(self.sensitivity)
        return _up(s if self.sign == -1 else s * (1 + Fraction(self.drift)))

    def small_steps(self) -> SmallSteps | None:
        """Return the steps with their means, each bound rounded up; None for n = 1, where nothing is sampled."""
        if self.n == 1:
            return None
        spread = _up(Fraction(self.sensitivity) * Fraction(self.drift))
        return SmallSteps(self.n, 1, self.steps, self.mean, spread, self.sensitivity, self.shape)

    def split(self, share: float) -> Mechanism:
        """Return a mechanism of which this one is a function; `share` is the part of the noise's std that the sampled row gets.

        For n = 1 nothing is sampled: a step is one Gaussian release, which its mean describes, and the share is 1.
        """
        if self.n == 1:
            if share != 1.0:
                raise ValueError(f"share must be 1.0 for n = 1, got {share!r}")
            return Mechanism(UniformIndex(1), self.steps, self.mean)
        rest = _other_share(share)
        s, root = Fraction(self.sensitivity), Fraction(_root_up(self.steps))
        sampled = _up(s * Fraction(self.drift) / Fraction(share))
        return Mechanism(UniformIndex(self.n), self.steps, sampled, _up(s * root / self.n / Fraction(rest)))

    def describe(self, std: float) -> str:
        """Return what is released, and between which neighbours, in words."""
        columns = "one column" if self.shape == "ball" else "any number of columns"
        return (
            f"{self.steps} adaptive steps at orthonormal matrices V of {columns}, with reference points V~ at spectral "
            f"distance at most {self.drift!r}; each draws one of the n = {self.n} rows x uniformly, keeps the draw hidden, and "
            f"releases -c x x^T (V - V~) {'+' if self.sign == 1 else '-'} c A V~, A the mean of x x^T over all rows, plus "
            f"Gaussian noise of standard deviation {std!r} per coordinate; rows lie in a ball around 0, and for any two of it "
            f"c |(x x^T - y y^T) V| <= {self.sensitivity!r} (Frobenius). Neighbours: two data sets, {_REPLACED}."
        )


def _up(x: Fraction) -> float:
    """Return a float >= x, next to it."""
    value = float(x)
    return value if Fraction(value) >= x else math.nextafter(value, math.inf)


def _root_up(x: int) -> float:
    root = math.sqrt(x)
    while Fraction(root) ** 2 < x:
        root = math.nextafter(root, math.inf)
    return root


def _other_share(share: float) -> float:
    """Return the largest float b with share^2 + b^2 <= 1, or one next to it."""
    if not 0.0 < check_real("share", "in (0, 1)", share) < 1.0:
        raise ValueError(f"share must be in (0, 1), got {shown(share)}")
    rest = math.sqrt(1.0 - share * share)
    while Fraction(rest) ** 2 + Fraction(share) ** 2 > 1:
        rest = math.nextafter(rest, 0.0)
    if rest <= 0.0:
        raise ValueError(f"share must leave something for the mean over all rows, got {share!r}")
    return rest


@dataclass(frozen=True)
class Shuffled:
    """Release n records in a uniform hidden order, each by one Gaussian release of sensitivity 1, whose std is the accounts'.

    Each release may depend on the earlier ones. Neighbours: one record replaced, n public.
    """

    kind: ClassVar[str] = "shuffled"
    n: int

    def __post_init__(self) -> None:
        plain_numbers(self, fractions=True)
        if check_count("n", self.n) > MOST_RECORDS:
            raise ValueError(f"n must be <= {MOST_RECORDS}, got {shown(self.n)}")

    def describe(self, std: float) -> str:
        """Return what is released, and between which neighbours, in words."""
        return (
            f"n = {self.n} records in a uniform hidden order; of each in turn a function, which may depend on all earlier "
            f"releases, is released plus Gaussian noise; its values on two records are at most 1 apart in L2 and the noise's "
            f"standard deviation is {std!r} per coordinate (or both are multiplied by the same number). Neighbours: two data "
            f"sets, {_REPLACED}."
        )


Statement: TypeAlias = Mechanism | VarianceReduced | SmallSteps | Shuffled


def check_number(name: str, value: Any) -> int:
    """Return an integer from 1 to COUNT_MAX; ValueError otherwise."""
    if check_count(name, value) > COUNT_MAX:
        raise ValueError(f"{name} must be <= {COUNT_MAX}, got {shown(value)}")
    return int(value)


def check_progress(progress: object) -> None:
    """ValueError for what is neither None nor callable."""
    if progress is not None and not callable(progress):
        raise ValueError(f"progress must be callable or None, got {shown(progress)}")


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


def check_statement(mechanism: Any) -> Statement:
    """Return what an account can be of; ValueError otherwise."""
    if not isinstance(mechanism, Mechanism | VarianceReduced | SmallSteps | Shuffled):
        raise ValueError(  # noqa: TRY004 - every refusal is a ValueError
            f"mechanism must be a Mechanism, VarianceReduced, SmallSteps or Shuffled, got {shown(mechanism)}"
        )
    return mechanism


def check_std(std: Any) -> float:
    """Return a standard deviation that the accounts' arithmetic can square; ValueError otherwise."""
    number = check_positive("std", std)
    check_size("std", number)
    return number


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
#: Smallest bound on the drift.
LEAST_DRIFT = 1e-6
