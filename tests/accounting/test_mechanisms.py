"""What is accounted: the bounds that a statement stands for, its words, and what is refused."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from dppca.audit.suite.accounting.lower_bounds import lower_delta, pair_lower_delta
from dppca.reference.accounting import (
    FixedBatch,
    Grid,
    Mechanism,
    Poisson,
    Shuffled,
    SmallSteps,
    UniformIndex,
    VarianceReduced,
    certify,
    choose_grid,
    delta_at,
    epsilon_at,
    estimate_delta,
    profile,
    smallest_std,
)
from dppca.reference.accounting.hinges import SQUARED_HINGE
from dppca.reference.accounting.moments import MANY_SMALL_STEPS


def test_a_variance_reduced_step_draws_one_row_and_moves_a_mean() -> None:
    """A row moves the mean by (1 + drift) Delta where sigma is 1, and lies within drift Delta."""
    found = VarianceReduced(50, 400, 2.0, "ball", drift=0.5, sign=1).small_steps()
    assert found == SmallSteps(50, 1, 400, 3.0, 1.0, 2.0, "ball")
    assert VarianceReduced(50, 400, 2.0).small_steps() == SmallSteps(50, 1, 400, 2.0, 4.0, 2.0, "diameter")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: UniformIndex(0), "n must be >= 1, got 0"),
        (lambda: UniformIndex(3, "cube"), "shape must be 'ball' or 'diameter', got 'cube'"),  # type: ignore[arg-type]
        (lambda: FixedBatch(3, 4), "batch must be <= n = 3, got 4"),
        (lambda: Poisson(0.0), r"probability must be in \(0, 1\], got 0.0"),
        (lambda: Poisson(math.nan), r"probability must be in \(0, 1\], got nan"),
        (lambda: Mechanism(UniformIndex(3), 0, 1.0), "steps must be >= 1, got 0"),
        (lambda: Mechanism(UniformIndex(3), 2.5, 1.0), "steps must be an integer >= 1, got 2.5"),  # type: ignore[arg-type]
        (lambda: Mechanism(UniformIndex(3), 2, -1.0), "sensitivity must be finite and > 0, got -1.0"),
        (lambda: Mechanism(UniformIndex(3), 2, 1.0, unsampled=math.inf), "unsampled must be finite and >= 0, got inf"),
        (lambda: delta_at(Mechanism(UniformIndex(3), 2, 1.0), 0.01, 1.0), r"std must be >= sensitivity / 10 = 0.1, got 0.01"),
        (lambda: delta_at(Mechanism(UniformIndex(3), 2, 1.0), 1e9, 1.0), "the grid cannot resolve a step"),
        (lambda: delta_at(Mechanism(UniformIndex(3), 2, 1.0), 1.0, -1.0), r"epsilon must be finite and >= 0, got -1.0"),
        (lambda: smallest_std(Mechanism(UniformIndex(3), 2, 1.0), 1.0, 1.0), r"delta must be in \(0, 1\), got 1.0"),
        (lambda: smallest_std(Mechanism(UniformIndex(3), 2, 1.0), 1.0, 1e-300), "delta must be >= 1e-200, .* got 1e-300"),
        (lambda: smallest_std(Mechanism(UniformIndex(3), 2, 1.0, fixed_ratio=9.0), 1.0, 1e-3), "alone have delta"),
        (lambda: smallest_std(Mechanism(UniformIndex(2), 10**15, 1.0), 1.0, 1e-3), "grid points, more than"),
        (lambda: SmallSteps(4, 4, 2, 1.0, 1.0, 0.0, "ball"), "n must be > batch = 4, got 4"),
        (lambda: VarianceReduced(4, 2, 1.0, drift=3.0), r"drift must be in \[1e-06, 2\], got 3.0"),
        (lambda: VarianceReduced(4, 2, 1.0, sign=0), "sign must be -1 or 1, got 0"),  # type: ignore[arg-type]
        (lambda: delta_at(Shuffled(5), 0.0, 1.0), r"std must be finite and > 0, got 0.0"),
        (lambda: Shuffled(10**10), "n must be <= 1000000000, got 10000000000"),
        (lambda: delta_at(Shuffled(5), 2.0, 1e3), "epsilon must be <= 700, which the account covers, got 1000"),
        (lambda: lower_delta(SOME, 1.0, 1.0, 1e-320), "delta must be >= 1e-200, below which no grid"),
        (lambda: lower_delta(SOME, 1.0, 1.0, 1e-100), "delta must be >= 1e-60, below which a lower bound takes minutes"),
        (lambda: estimate_delta(SOME, 1.0, 1.0, like=0.0), r"like must be in \(0, 1\), got 0.0"),
        (lambda: Grid(400, 10, 10), "bits must be >= 0 and <= 52, got 400"),
        (lambda: Poisson(1e-300), "probability must be >= 1e-18, got 1e-300"),
        (lambda: delta_at(Mechanism(Poisson(1e-18), 2, 1.0), 1.0, 1.0), "drawn at a larger rate than 1e-18"),
        (lambda: Mechanism(UniformIndex(3), 10**19, 1.0), "steps must be <= 1000000000000000000, got"),
        (lambda: Mechanism(UniformIndex(3), 2, 1e-300), r"sensitivity must be between 1e-60 and 1e\+60, got 1e-300"),
        (lambda: Mechanism(UniformIndex(3), 2, 1.0, unsampled=1e300), r"unsampled must be between 0 and 1e\+60, got 1e\+300"),
    ],
)
def test_bad_input_is_refused(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


SOME = Mechanism(UniformIndex(3), 2, 1.0)


REDUCED = VarianceReduced(20, 200, 1.0)


SMALL = SmallSteps(20, 1, 200, 1.0, 1.0, 0.0, "ball")


#: By the argument that is no number, a call with it; True stands for 1 nowhere.
NUMBERS: list[tuple[str, Callable[[Any], Any]]] = [
    ("n", UniformIndex),
    ("n", lambda x: FixedBatch(x, 1)),
    ("batch", lambda x: FixedBatch(3, x)),
    ("probability", Poisson),
    ("steps", lambda x: Mechanism(UniformIndex(3), x, 1.0)),
    ("sensitivity", lambda x: Mechanism(UniformIndex(3), 2, x)),
    ("unsampled", lambda x: Mechanism(UniformIndex(3), 2, 1.0, unsampled=x)),
    ("fixed_ratio", lambda x: Mechanism(UniformIndex(3), 2, 1.0, fixed_ratio=x)),
    ("std", lambda x: delta_at(SOME, x, 1.0)),
    ("epsilon", lambda x: delta_at(SOME, 1.0, x)),
    ("epsilon", lambda x: profile(SOME, 1.0, [x])),
    ("std", lambda x: epsilon_at(SOME, x, 1e-3)),
    ("delta", lambda x: epsilon_at(SOME, 1.0, x)),
    ("epsilon", lambda x: smallest_std(SOME, x, 1e-3)),
    ("delta", lambda x: smallest_std(SOME, 1.0, x)),
    ("std", lambda x: certify(SOME, x, 1.0, 1e-3)),
    ("epsilon", lambda x: certify(SOME, 1.0, x, 1e-3)),
    ("delta", lambda x: certify(SOME, 1.0, 1.0, x)),
    ("epsilon", lambda x: estimate_delta(SOME, 1.0, x)),
    ("like", lambda x: estimate_delta(SOME, 1.0, 1.0, like=x)),
    ("std", lambda x: choose_grid(SOME, x, 1e-3)),
    ("delta", lambda x: choose_grid(SOME, 1.0, x)),
    ("bits", lambda x: Grid(x, 3, 3)),
    ("top", lambda x: Grid(3, x, 3)),
    ("bottom", lambda x: Grid(3, 3, x)),
    ("epsilon", lambda x: lower_delta(SOME, 1.0, x)),
    ("delta", lambda x: lower_delta(SOME, 1.0, 1.0, x)),
    ("pair", lambda x: pair_lower_delta(SOME, 1.0, 1.0, x)),
    ("epsilon", lambda x: SQUARED_HINGE.prove(SOME, 1.0, x, 1e-3)),
    ("shift", lambda x: SmallSteps(20, 1, 200, 1.0, 1.0, x, "ball")),
    ("std", lambda x: MANY_SMALL_STEPS.prove(SMALL, x, 1.0, 1e-3)),
    ("epsilon", lambda x: MANY_SMALL_STEPS.prove(SMALL, 3.0, x, 1e-3)),
    ("drift", lambda x: VarianceReduced(20, 200, 1.0, "ball", x)),
    ("sign", lambda x: VarianceReduced(20, 200, 1.0, "ball", 1.0, x)),
    ("shape", lambda x: VarianceReduced(20, 200, 1.0, x)),
    ("epsilon", lambda x: delta_at(REDUCED, 3.0, x)),
    ("std", lambda x: delta_at(REDUCED, x, 1.0)),
    ("epsilon", lambda x: smallest_std(REDUCED, x, 1e-3)),
    ("delta", lambda x: smallest_std(REDUCED, 1.0, x)),
    ("n", Shuffled),
    ("epsilon", lambda x: smallest_std(Shuffled(5), x, 1e-3)),
    ("delta", lambda x: smallest_std(Shuffled(5), 1.0, x)),
    ("epsilon", lambda x: delta_at(Shuffled(5), 5.0, x)),
]


@pytest.mark.parametrize("value", [None, "1", True, math.nan, 1j, [1.0]], ids=repr)
def test_what_is_no_number_is_refused_by_name(value: Any) -> None:
    smallest_std(SOME, 1.0, 1e-3)  # True is 1.0 to a cache
    for name, call in NUMBERS:
        with pytest.raises(ValueError, match=rf"^{name} must be"):
            call(value)


@pytest.mark.parametrize("epsilon", [1025.0, 1e5, 1e300])
def test_an_epsilon_that_no_account_covers_is_refused(epsilon: float) -> None:
    for name, call in NUMBERS:
        if name == "epsilon":
            with pytest.raises(ValueError, match=r"^epsilon must be <= \d+, which the account"):
                call(epsilon)


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("sampling", lambda x: Mechanism(x, 2, 1.0)),
        ("mechanism", lambda x: delta_at(x, 1.0, 1.0)),
        ("mechanism", lambda x: epsilon_at(x, 1.0, 1e-3)),
        ("mechanism", lambda x: smallest_std(x, 1.0, 1e-3)),
        ("mechanism", lambda x: profile(x, 1.0, [1.0])),
        ("mechanism", lambda x: certify(x, 1.0, 1.0, 1e-3)),
        ("mechanism", lambda x: estimate_delta(x, 1.0, 1.0)),
        ("mechanism", lambda x: choose_grid(x, 1.0, 1e-3)),
        ("mechanism", lambda x: lower_delta(x, 1.0, 1.0)),
        ("mechanism", lambda x: SQUARED_HINGE.prove(x, 1.0, 1.0, 1e-3)),
        ("grid", lambda x: certify(SOME, 1.0, 1.0, 1e-3, grid=x)),
        ("grid", lambda x: estimate_delta(SOME, 1.0, 1.0, grid=x)),
        ("grid", lambda x: lower_delta(SOME, 1.0, 1.0, grid=x)),
        ("epsilons", lambda x: profile(SOME, 1.0, x)),
        ("sampling", lambda x: Mechanism(x, 3, 1.0)),
    ],
)
def test_what_is_of_another_kind_is_refused_by_name(name: str, call: Callable[[Any], Any]) -> None:
    for value in (1.0, "a mechanism", True, object()):
        with pytest.raises(ValueError, match=rf"^{name} must be"):
            call(value)


def test_sizes_at_their_ends() -> None:
    assert Poisson(0.9).rate == 0.9
    assert Poisson(1.0).rate == 1.0
    for rate in (0.0, 1.0000001):
        with pytest.raises(ValueError, match="probability must be"):
            Poisson(rate)


@pytest.mark.parametrize(
    ("of", "said"),
    [
        (
            Mechanism(UniformIndex(7, "ball"), 3, 0.5),
            ["3 adaptive steps", "one of the n = 7 rows", "ball of diameter 0.5", "replaced"],
        ),
        (
            Mechanism(FixedBatch(7, 2), 3, 0.5),
            ["a uniform set of 2 of the n = 7 rows", "at most 0.5 apart", "one replaced row"],
        ),
        (
            Mechanism(Poisson(0.25), 3, 0.5, 2.0, 0.125),
            ["probability 0.25", "one row more", "2.0 / 1.5", "is 0.125.", "0.5 in L2"],
        ),
        (
            VarianceReduced(9, 4, 0.75, "ball", 1.5, 1),
            ["n = 9", "distance at most 1.5", "+ c A V~", "<= 0.75", "of one column"],
        ),
        (VarianceReduced(9, 4, 0.75), ["- c A V~", "any number of columns"]),
        (
            SmallSteps(9, 2, 4, 0.75, 0.5, 0.25, "ball"),
            ["q = 2/9", "<= q 0.75", "<= q 0.25", "diameter 0.5", "one replaced row"],
        ),
        (Shuffled(12), ["n = 12 records", "hidden order", "at most 1 apart", "deviation is 1.5"]),
    ],
)
def test_a_statement_says_its_neighbours_sizes_and_sensitivity(of: Any, said: list[str]) -> None:
    words = of.describe(1.5)
    assert [part for part in said if part not in words] == []
    assert "Neighbours: two data sets, " in words
    assert "1.5" in words


@pytest.mark.parametrize("share", [0.3, 0.9, 0.999])
def test_the_parts_of_a_split_are_rounded_up(share: float) -> None:
    """Sampled: drift Delta / share; the mean over all rows: sqrt(steps) Delta / (n sqrt(1 - share^2)), in fractions."""
    of = VarianceReduced(7, 300, 0.3, "ball", 0.5)
    split, rest = of.split(share), 1 - Fraction(share) ** 2
    assert (split.sampling, split.steps, split.fixed_ratio) == (UniformIndex(7), 300, 0.0)
    sampled, full = Fraction(0.3) / 2 / Fraction(share), Fraction(0.3) ** 2 * 300 / 49 / rest
    assert 0 <= Fraction(split.sensitivity) / sampled - 1 <= Fraction(1, 10**14)
    assert 0 <= Fraction(split.unsampled) ** 2 / full - 1 <= Fraction(1, 10**12)
    for sign, moved in ((-1, Fraction(0.3)), (1, Fraction(0.3) * Fraction(3, 2))):
        small = VarianceReduced(7, 300, 0.3, "ball", 0.5, sign).small_steps()
        assert small is not None
        assert 0 <= Fraction(small.mean) / moved - 1 <= Fraction(1, 10**14)
        assert (small.spread, small.shift) == (0.15, 0.3)


def test_a_mechanism_has_the_bounds_of_small_steps_where_a_row_is_replaced() -> None:
    assert Mechanism(FixedBatch(9, 2, "ball"), 4, 0.5).small_steps() == SmallSteps(9, 2, 4, 0.5, 0.5, 0.0, "ball")
    for other in (
        Mechanism(Poisson(0.5), 4, 0.5),
        Mechanism(FixedBatch(9, 9), 4, 0.5),
        Mechanism(UniformIndex(9), 4, 0.5, unsampled=0.1),
        Mechanism(UniformIndex(9), 4, 0.5, fixed_ratio=0.1),
        VarianceReduced(1, 4, 0.5),
    ):
        assert other.small_steps() is None
