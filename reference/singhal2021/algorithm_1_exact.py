"""DP exact subspace estimator.

Print (singhal2021, Algorithm 1; proceedings text).
  1  Y = {NULL}, xi(NULL) ~ TLap(2, epsilon, delta)
  2  u(X, NULL) = ell + 4 ln(1 / delta) / epsilon + 1
  3  for every subset S of X of size k
  4    s = span(S)
  5    Y = Y with s
  6    xi(s) ~ TLap(2, epsilon, delta)
  7    u(X, s) = |X in s| - sup {|X in t| : t a strict subspace of s}
  8  end
  9  s_1 = the candidate of Y with the largest score
 10  s_2 = the candidate with the second-largest
 11  s^ = arg max over s in Y of max(0, u(X, s) - u(X, s_2) - 1) + xi(s)
 12  output s^
Claimed there: (epsilon, delta)-DP when a point is replaced, n public (Lemma 2.3); s_* under Problem 2.1 for
n >= 3 ell + 8 ln(1 / delta) / epsilon + 2 (Lemma 2.5). The noise's bound is 2 ln(1 / delta) / epsilon in its proof.
Read here: line 7's "t in or equal to s" is strict, as in the score's definition, else u = 0 everywhere; a supremum over no
subspace, for s = {0}, is 0; subsets are of row indices, so repeated points count as often as they occur; a span that recurs
is drawn anew, and its last draw counts.

Privacy as corrected: on neighbours X, X' every subspace but s_1 and s_1' has value 0 twice and loses to NULL almost
surely, so either output is the arg max over {NULL, s_1, s_1'} alone, a function of at most three values that change
by 2 in L1 (`line_11_values`) and carry independent TLap(2, epsilon, delta) noise (`primitives.truncated_laplace`).

Symbols: X (n, d) rows x_i; s a subspace; u(X, s) score; xi noise; A its bound (`bound`); ell robustness parameter.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Literal

from dppca.reference.declaration import Choice, Returns, declare
from dppca.reference.noise import Noise
from dppca.reference.primitives.outwards import divide_up
from dppca.reference.primitives.truncated_laplace import logarithmic_bound, support_bound
from dppca.reference.primitives.validation import check_count
from dppca.reference.relation import Relation
from dppca.reference.singhal2021.exact_linear_algebra import RationalSubspace, Vector, span
from dppca.reference.singhal2021.examples import points_example
from dppca.reference.singhal2021.gap_max import GapMaxLaw, RepresentableRows, decode, encode

#: L1 sensitivity of the values of line 11 over subspaces and NULL (`line_11_values` derives it).
VALUES_SENSITIVITY = 2


@dataclass(frozen=True)
class Choices:
    """The decisions of a reading: the spans that are candidates, NULL's score or its value 2A at line 11, the noise's bound."""

    candidates: Choice[Literal["any dimension", "dimension k"]]
    null: Choice[Literal["scored", "constant"]]
    bound: Choice[Literal["logarithmic", "exact"]]


AS_PRINTED = Choices(
    candidates=Choice("any dimension", "singhal2021.algorithm-1-candidates"),
    null=Choice("scored", "singhal2021.algorithm-1-null"),
    bound=Choice("logarithmic", "singhal2021.truncated-laplace-bound"),
)
CORRECTED = Choices(
    candidates=Choice("dimension k", "singhal2021.algorithm-1-candidates"),
    null=Choice("constant", "singhal2021.algorithm-1-null"),
    bound=Choice("exact", "singhal2021.truncated-laplace-bound"),
)


def line_2_score(epsilon: float, delta: float, ell: int) -> float:
    """Return u(X, NULL) as printed."""
    return ell + 4.0 * math.log(1.0 / delta) / epsilon + 1.0


def lemma_2_5_sample_size(epsilon: float, delta: float, ell: int) -> int:
    """Return the n of Lemma 2.5 as printed, rounded up."""
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
    assumptions: tuple[str, ...]

    @property
    def sufficient_n(self) -> int:
        """Return the n from which Problem 2.1 is answered with s_* almost surely: Lemma 2.5 as printed, or corrected.

        Corrected: the gap is at least n - 3 ell - 1 and has to reach 4A (2A for NULL, A for each noise).
        """
        if self.choices.null.value == "scored":
            return lemma_2_5_sample_size(self.epsilon, self.delta, self.ell)
        return math.ceil(3 * self.ell + 4.0 * self.bound + 1.0)


def calibrate(epsilon: float, delta: float, ell: int, choices: Choices = CORRECTED) -> GapMaxCalibration:
    """Return the noise TLap(2, epsilon, delta) and what line 2 gives to NULL; neither depends on n, d or k.

    Problem 2.1 can be satisfied for ell >= k - 1 only.

    Raises:
        ValueError: epsilon not > 0, delta not in (0, 1/2], or ell not an integer >= 0.
    """
    check_count("ell", ell, least=0)
    formula = {"logarithmic": logarithmic_bound, "exact": support_bound}[choices.bound.value]
    bound = formula(epsilon, delta, VALUES_SENSITIVITY)  # line 1, line 6
    null = line_2_score(epsilon, delta, ell) if choices.null.value == "scored" else 2.0 * bound  # line 2
    return GapMaxCalibration(
        epsilon=epsilon,
        delta=delta,
        ell=ell,
        scale=divide_up(VALUES_SENSITIVITY, epsilon),
        bound=bound,
        null=null,
        sensitivity=VALUES_SENSITIVITY,
        choices=choices,
        assumptions=(
            "scores have sensitivity 1, so the values of line 11 have L1 sensitivity 2",
            "primitive integer rows have Euclidean norm <= 2^(53 / k)",
        ),
    )


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


def candidate_scores(
    points: tuple[Vector, ...], subsets: Iterable[tuple[int, ...]], choices: Choices
) -> tuple[dict[RationalSubspace, int], dict[RationalSubspace, int]]:
    """Return the score of every candidate subspace and the index of its standard draw: lines 3 to 8.

    Args:
        points: primitive integer rows.
        subsets: row indices, k each in Algorithm 1. Subset number i (from 1) owns standard draw i.
        choices: whether spans of dependent points are candidates.

    Returns:
        (scores, draw_of), both keyed by subspace.
    """
    d = len(points[0])
    scores: dict[RationalSubspace, int] = {}
    draw_of: dict[RationalSubspace, int] = {}
    for index, S in enumerate(subsets, start=1):  # line 3
        s = span([points[i] for i in S], d)  # line 4
        if choices.candidates.value == "dimension k" and s.dimension < len(S):
            continue
        draw_of[s] = index  # line 6
        if s not in scores:  # line 5
            scores[s] = score(points, s)  # line 7
    return scores, draw_of


def line_11_values(
    scores: Mapping[RationalSubspace, int], null: Fraction, choices: Choices, floor: int = 0
) -> tuple[Fraction, dict[RationalSubspace, Fraction]]:
    """Return what line 11 adds noise to: (value of NULL, value of every candidate).

    A candidate's value is max(0, u - u(X, s_2) - 1), which is 0 for all but s_1. `floor` (choice "constant" only)
    is the least that counts as a second-largest score; section 2.3's random subsets need one above 0.

    L1 sensitivity 2, given scores of sensitivity 1 that are 0 off the list: if s_1 stays, u(X, s_1) and the
    second-largest score move by at most 1 each. If it does not, u(X, s_1) <= u(X', s_1) + 1 <= u(X', s_1') + 1
    <= u(X, s_1') + 2 <= u(X, s_2) + 2, so the value that vanishes is at most 1, and so is the one that appears.
    """
    zero = Fraction(0)
    if choices.null.value == "scored":
        second = _second_largest([null, *scores.values()])  # line 9, line 10
        null_value = max(zero, null - second - 1)  # line 11
    else:
        second = max(_second_largest(scores.values()), Fraction(floor))  # line 9, line 10
        null_value = null  # line 11
    return null_value, {s: max(zero, u - second - 1) for s, u in scores.items()}  # line 11


def _second_largest(scores: Iterable[Fraction | int]) -> Fraction:
    """Return the second-largest score; 0 if there are fewer than two, as every subspace off the list has score 0."""
    ranking = sorted(map(Fraction, scores), reverse=True)
    return ranking[1] if len(ranking) > 1 else Fraction(0)


def gap_max(
    points: tuple[Vector, ...],
    subsets: Iterable[tuple[int, ...]],
    k: int,
    draws: int,
    calibration: GapMaxCalibration,
    noise: Noise,
    floor: int = 0,
) -> RationalSubspace | None:
    """Select among NULL and the spans of some subsets of at most k points: lines 3 to 12.

    `draws` is one more than the number of subsets; the release "subspace" has that many standard draws, the first for NULL.
    """
    d = len(points[0])
    scores, draw_of = candidate_scores(points, subsets, calibration.choices)
    null_value, values = line_11_values(scores, Fraction(calibration.null), calibration.choices, floor)
    law = GapMaxLaw(calibration.scale, calibration.bound, draws)  # line 1, line 6
    s_hat = noise.release(  # line 11
        "subspace", encode(null_value, values, draw_of, k, d), law, sensitivity=calibration.sensitivity
    )
    return decode(s_hat, d)  # line 12


@declare(
    key="singhal2021.exact_subspace_estimator",
    number="Algorithm 1",
    title="DP exact subspace estimator",
    data=RepresentableRows(),
    relation=Relation.REPLACE_ONE,
    returns=Returns.SUBSPACE,
    lines=12,
    unstated=(8,),
    symbols={
        "bound": "A",
        "null": "u(X, NULL)",
        "draw_of[s]": "index of xi(s)",
        "scores[s]": "u(X, s)",
        "second": "u(X, s_2)",
        "null_value": "value of NULL",
        "11 return": "value of NULL, values of the s",
        "law": "law of xi",
        "s_hat": "s^, as a row",
        "12 return": "s^",
    },
    calibrate=calibrate,
    choices={"AS_PRINTED": AS_PRINTED, "CORRECTED": CORRECTED},
    claims=("singhal2021.lemma-2.3", "singhal2021.score-sensitivity", "singhal2021.lemma-2.4", "singhal2021.lemma-2.5"),
    example=points_example(epsilon=4.0, delta=0.1, ell=1, k=2),
)
def exact_subspace_estimator(
    X: tuple[Vector, ...], k: int, calibration: GapMaxCalibration, noise: Noise
) -> RationalSubspace | None:
    """Select among the spans of k points, or NULL.

    Args:
        X: n rows of d integers or Fractions; floats are refused. Only the line of each row matters; a zero row
            lies in every subspace and so changes no score of a subspace of dimension >= 1.
        k: dimension of the subspace sought, 1 <= k <= d.
        calibration: what `calibrate` returned.
        noise: the seam. Draws: the release "subspace", whose standard draw has one entry for NULL and one for
            each of the C(n, k) subsets.

    Returns:
        The subspace, or None for NULL; always NULL if n < k, where no subset exists.

    Raises:
        ValueError: X is no list of exact rows of one length, has entries too large, or k is not in 1..d.
    """
    subsets = combinations(range(len(X)), k)
    return gap_max(X, subsets, k, 1 + math.comb(len(X), k), calibration, noise)
