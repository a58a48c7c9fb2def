"""Composition of differentially private mechanisms: liu2022's Lemmas B.2 to B.4, and the optimal bound beside them.

Parallel composition (Lemma B.2) needs a relation under which one change touches one part only. That is so for
replace-one when the parts are fixed by position; it is not for add-or-remove, where removing a record shifts all
later ones into other parts. Claims: liu2022.lemma-b.2, liu2022.lemma-b.3, liu2022.lemma-b.4.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import NamedTuple, TypeAlias

import numpy as np
from scipy.optimize import brentq

from dppca.reference.rigour.outwards import OUTWARDS, divide_down
from dppca.reference.rigour.validation import check_count, check_delta, check_epsilon

#: `optimal_component_epsilon` stays below the largest sufficient value by this relative amount, more than rounding.
OPTIMAL_MARGIN = 1e-9
#: Rounding error granted to `optimal_delta`, a sum of differences of numbers of at most 1.
OPTIMAL_ROUNDING = 1e-13


class Guarantee(NamedTuple):
    """A privacy guarantee (epsilon, delta)."""

    epsilon: float
    delta: float


#: What each of k mechanisms may spend of a target (epsilon, delta).
Component: TypeAlias = Callable[[float, float, int], Guarantee]


def parallel(parts: Iterable[Guarantee]) -> Guarantee:
    """Return what mechanisms on parts that no record can leave spend together: the worst of each number (Lemma B.2)."""
    listed = list(parts)
    return Guarantee(max(part.epsilon for part in listed), max(part.delta for part in listed))


def serial(parts: Iterable[Guarantee]) -> Guarantee:
    """Return what mechanisms on the same data spend together: the sums (Lemma B.3)."""
    listed = list(parts)
    return Guarantee(math.fsum(part.epsilon for part in listed), math.fsum(part.delta for part in listed))


def advanced_component(epsilon: float, delta: float, k: int) -> Guarantee:
    """Return what each of k mechanisms may spend for (epsilon, delta), rounded down (Lemma B.4, epsilon <= 0.9)."""
    check_count("k", k)
    check_epsilon(epsilon)
    share = epsilon / (2.0 * math.sqrt(2.0 * k * math.log(2.0 / check_delta(delta))))
    return Guarantee(share / OUTWARDS, divide_down(delta, 2 * k))


def optimal_delta(epsilon: float, component: Guarantee, k: int) -> float:
    """Return the smallest delta at epsilon >= 0 that holds for every composition of k mechanisms with this guarantee.

    Kairouz, Oh, Viswanath 2015, Theorem 3.3: reached by k randomised responses, each of which fails outright with
    probability component.delta. With q = e^e0 / (1 + e^e0) it is 1 - (1 - d0)^k (1 - H), where H is the hockey-stick
    divergence of Bin(k, q) from Bin(k, 1 - q).
    """
    from scipy.stats import binom  # noqa: PLC0415 - it takes half a second

    tails = binom.pmf(np.arange(check_count("k", k) + 1), k, 1.0 / (1.0 + math.exp(component.epsilon)))
    heads = tails[::-1]  # 1 - q may round to 0
    divergence = float(np.sum(np.maximum(0.0, heads - math.exp(epsilon) * tails)))
    survives = k * math.log1p(-component.delta)
    return -math.expm1(survives) + math.exp(survives) * divergence


def optimal_component(epsilon: float, delta: float, k: int) -> Guarantee:
    """Return what each of k mechanisms may spend for (epsilon, delta) in all: delta / (2k), and the epsilon that is optimal.

    Raises:
        ValueError: epsilon not > 0, delta not in (0, 1), or k not an integer >= 1.
    """
    each = divide_down(check_delta(delta), 2 * check_count("k", k))
    return Guarantee(optimal_component_epsilon(epsilon, delta, each, k), each)


def optimal_component_epsilon(epsilon: float, delta: float, component_delta: float, k: int) -> float:
    """Return the largest e0 at which k mechanisms of (e0, component_delta) compose to (epsilon, delta), rounded down.

    Raises:
        ValueError: k component_delta already exceeds delta.
    """
    check_delta(delta)

    def excess(e0: float) -> float:
        return optimal_delta(epsilon, Guarantee(e0, component_delta), k) + OPTIMAL_ROUNDING - delta

    low = check_epsilon(epsilon) / check_count("k", k)  # basic composition
    if excess(low) > 0.0:
        if k * component_delta <= delta:  # and delta is too small for more than that to be seen
            return low * (1.0 - OPTIMAL_MARGIN)
        raise ValueError(f"k = {k} mechanisms of delta {component_delta!r} leave nothing of delta {delta!r}")
    high = 2.0 * low
    while excess(high) <= 0.0:
        high *= 2.0
    return float(brentq(excess, low, high, xtol=OPTIMAL_MARGIN**2 * low)) * (1.0 - OPTIMAL_MARGIN)
