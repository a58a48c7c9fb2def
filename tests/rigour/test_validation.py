"""Numbers of any type are the numbers that they say: what holds them computes with Python's."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dppca import audit
from dppca.reference import accounting

EXACT = 0.625  # in every type of floats, and in rationals
STEPS = accounting.Mechanism(accounting.Poisson(0.1), 3, 1.0)


def steps(sampling: Any, number: Any = 3, sensitivity: Any = 1.0) -> Callable[[], float]:
    return lambda: accounting.delta_at(accounting.Mechanism(sampling(), number, sensitivity), 2.0, 0.1).delta


#: For each number of a call what is computed from it, which the types of numpy and Fractions would change or end.
COMPUTED: dict[str, Callable[[Any], Any]] = {
    "Claim": lambda x: str(audit.Claim(x)),
    "GDP": lambda x: (str(audit.GDP(x)), audit.GDP(x).epsilon_at(0.01)),
    "ZCDP": lambda x: (str(audit.ZCDP(x)), audit.ZCDP(x).epsilon_at(0.01)),
    "RDP": lambda x: (str(audit.RDP(2, x)), audit.RDP(1 + x, x).deltas.tolist()),
    "Poisson": lambda x: steps(lambda: accounting.Poisson(x))(),
    "Mechanism": lambda x: steps(lambda: accounting.Poisson(0.1), 3, x)(),
    "VarianceReduced": lambda x: accounting.delta_at(accounting.VarianceReduced(10, 3, x), 20.0, 0.1).delta,
    "estimate_delta": lambda x: accounting.estimate_delta(STEPS, 2.0, x),
}
COUNTED: dict[str, Callable[[Any], Any]] = {
    "UniformIndex": lambda n: steps(lambda: accounting.UniformIndex(n))(),
    "FixedBatch": lambda n: steps(lambda: accounting.FixedBatch(n, type(n)(50)))(),
    "Mechanism": lambda n: steps(lambda: accounting.UniformIndex(100), n)(),
    "Shuffled": lambda n: accounting.delta_at(accounting.Shuffled(n), 2.0, 0.1).delta,
}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("number", [np.float32(EXACT), np.float16(EXACT), np.longdouble(EXACT), Fraction(EXACT)], ids=repr)
@pytest.mark.parametrize("compute", COMPUTED.values(), ids=COMPUTED)
def test_a_real_number_of_any_type_gives_the_same_bits(compute: Callable[[Any], Any], number: Any) -> None:
    assert compute(number) == compute(EXACT)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("kind", [np.int8, np.int64, np.uint8])
@pytest.mark.parametrize("compute", COUNTED.values(), ids=COUNTED)
def test_an_integer_of_any_type_gives_the_same_bits(compute: Callable[[Any], Any], kind: Any) -> None:
    assert compute(kind(100)) == compute(100)


def test_a_fraction_that_is_no_float_stays_one_where_accounts_are_exact() -> None:
    assert accounting.Poisson(Fraction(1, 3)).rate == Fraction(1, 3)
