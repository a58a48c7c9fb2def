"""The reading LEAN of Algorithms 3 and 5 of liu2022: no correction of print, but less noise for the same guarantee.

The two halves of a batch are disjoint, so each sub-routine may spend all of (epsilon, delta). Within Algorithm 5 the d
histograms spend what optimal composition allows them, and the mean gets the least Gaussian noise, for every epsilon.
Claims: liu2022.algorithm-3-halves, liu2022.lemma-6.2-privacy.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from dppca.reference.declaration import Choice
from dppca.reference.primitives.composition import Guarantee, optimal_component_epsilon
from dppca.reference.primitives.gaussian import analytic_std
from dppca.reference.primitives.outwards import divide_down
from dppca.reference.primitives.validation import check_count, check_delta

#: Of a target (epsilon, delta): what each of k mechanisms may spend, and the noise for a sensitivity.
Component: TypeAlias = Callable[[float, float, int], Guarantee]
Std: TypeAlias = Callable[[float, float, float], float]


def optimal_component(epsilon: float, delta: float, k: int) -> Guarantee:
    """Return what each of k mechanisms may spend for (epsilon, delta) in all: delta / (2k), and the epsilon that is optimal.

    Raises:
        ValueError: epsilon not > 0, delta not in (0, 1), or k not an integer >= 1.
    """
    each = divide_down(check_delta(delta), 2 * check_count("k", k))
    return Guarantee(optimal_component_epsilon(epsilon, delta, each, k), each)


SHARE = Choice(1.0, "liu2022.algorithm-3-halves")
HISTOGRAM: Choice[Component] = Choice(optimal_component, "liu2022.lemma-6.2-privacy")
STD: Choice[Std] = Choice(analytic_std, "liu2022.lemma-6.2-privacy")
