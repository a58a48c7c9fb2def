"""The reading LEAN of Algorithms 3 and 5 of liu2022: no correction of the paper, but less noise for the same guarantee.

The two halves of a batch are disjoint, so each sub-routine may spend all of (epsilon, delta). Within Algorithm 5 the d
histograms spend what optimal composition allows them, and the mean gets the least Gaussian noise, for every epsilon.
Claims: liu2022.algorithm-3-halves, liu2022.lemma-6.2-privacy.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from dppca.reference.primitives.composition import Guarantee, optimal_component_epsilon
from dppca.reference.primitives.gaussian import Std, analytic_std
from dppca.reference.rigour.outwards import divide_down
from dppca.reference.rigour.validation import check_count, check_delta

#: What each of k mechanisms may spend of a target (epsilon, delta).
Component: TypeAlias = Callable[[float, float, int], Guarantee]


def optimal_component(epsilon: float, delta: float, k: int) -> Guarantee:
    """Return what each of k mechanisms may spend for (epsilon, delta) in all: delta / (2k), and the epsilon that is optimal.

    Raises:
        ValueError: epsilon not > 0, delta not in (0, 1), or k not an integer >= 1.
    """
    each = divide_down(check_delta(delta), 2 * check_count("k", k))
    return Guarantee(optimal_component_epsilon(epsilon, delta, each, k), each)


#: A half's share of the target, what one of d histograms may spend, and the noise of the mean.
SHARE = 1.0
HISTOGRAM: Component = optimal_component
STD: Std = analytic_std
