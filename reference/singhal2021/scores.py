"""The scores of subspaces in singhal2021's Algorithm 1, the noise for them, and the sample size of its lemma."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING

from dppca.reference.singhal2021.exact_linear_algebra import RationalSubspace, Vector, span

if TYPE_CHECKING:
    from dppca.reference.singhal2021.algorithm_1_exact import Choices

#: L1 sensitivity of the values max(0, u - u(X, s_2) - 1) of line 11 over subspaces and NULL, given scores u of sensitivity 1
#: that are 0 off the list. If s_1 stays, u(X, s_1) and the second-largest score move by at most 1 each. If it does not,
#: u(X, s_1) <= u(X', s_1) + 1 <= u(X', s_1') + 1 <= u(X, s_1') + 2 <= u(X, s_2) + 2, so the value that vanishes is at most 1,
#: and so is the one that appears.
VALUES_SENSITIVITY = 2


def line_2_score(epsilon: float, delta: float, ell: int) -> float:
    """Return u(X, NULL) as published."""
    return ell + 4.0 * math.log(1.0 / delta) / epsilon + 1.0


def lemma_2_5_sample_size(epsilon: float, delta: float, ell: int) -> int:
    """Return the n of Lemma 2.5 as published, rounded up."""
    return math.ceil(3 * ell + 8.0 * math.log(1.0 / delta) / epsilon + 2.0)


@dataclass(frozen=True)
class GapMaxCalibration:
    """The noise's scale and bound A; `null` is NULL's score (choice "scored") or its value at line 11 ("constant")."""

    epsilon: float
    delta: float
    ell: int
    scale: float
    bound: float
    null: float
    sensitivity: float
    choices: Choices

    @property
    def sufficient_n(self) -> int:
        """Return the n from which Problem 2.1 is answered with s_* almost surely: Lemma 2.5 as published, or corrected.

        Corrected: the gap is at least n - 3 ell - 1 and has to reach 4A (2A for NULL, A for each noise).
        """
        if self.choices.null == "scored":
            return lemma_2_5_sample_size(self.epsilon, self.delta, self.ell)
        return math.ceil(3 * self.ell + 4.0 * self.bound + 1.0)


def score(points: tuple[Vector, ...], s: RationalSubspace) -> int:
    """Return u(X, s): points in s, minus the most that one strict subspace of s contains. Sensitivity 1, replace-one.

    The supremum is over finitely many subspaces: if the points in s span less than s, their span is one of them
    and u = 0; otherwise every strict subspace grows, by points of s, to a span of dim(s) - 1 of these points.

    Sensitivity: let x become y. If neither or both lie in s, the first term is constant and the supremum moves by
    at most 1. If only y does, the first term grows by 1 and the supremum by 0 or 1, so u grows by 1 or 0.
    """
    inside = [x for x in points if x in s]
    if s.dimension == 0:
        return len(inside)
    if span(inside, s.ambient).dimension < s.dimension:
        return 0
    strict_subspaces = {span(T, s.ambient) for T in combinations(inside, s.dimension - 1)}
    return len(inside) - max(sum(x in t for x in inside) for t in strict_subspaces)


def second_largest(scores: Iterable[Fraction | int]) -> Fraction:
    """Return the second-largest score; 0 if there are fewer than two, as every subspace off the list has score 0."""
    ranking = sorted(map(Fraction, scores), reverse=True)
    return ranking[1] if len(ranking) > 1 else Fraction(0)
