"""DP exact subspace estimator.

As published (singhal2021, Algorithm 1; proceedings text).
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

Symbols: X (n, d) rows x_i; s a subspace; u(X, s) score; xi noise; A its bound (`bound`); ell robustness parameter.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Literal

from dppca.reference.api import Noise, Readings, Relation, Returns, checked, declare, point
from dppca.reference.primitives.gaussian import Std
from dppca.reference.primitives.truncated_laplace import logarithmic_bound, support_bound
from dppca.reference.rigour.outwards import divide_up
from dppca.reference.singhal2021.exact_linear_algebra import RationalSubspace, Vector, span
from dppca.reference.singhal2021.examples import points_example
from dppca.reference.singhal2021.gap_max import GapMaxLaw, RepresentableRows, decode, encode
from dppca.reference.singhal2021.scores import VALUES_SENSITIVITY, GapMaxCalibration, line_2_score, score, second_largest


class Choices(Readings):
    """The decisions of a reading: the spans that are candidates, NULL's score or its value 2A at line 11, the noise's bound."""

    candidates: Literal["any dimension", "dimension k"] = point(
        "singhal2021.algorithm-1-candidates", AS_PRINTED="any dimension", CORRECTED="dimension k"
    )
    null: Literal["scored", "constant"] = point("singhal2021.algorithm-1-null", AS_PRINTED="scored", CORRECTED="constant")
    bound: Std = point("singhal2021.truncated-laplace-bound", AS_PRINTED=logarithmic_bound, CORRECTED=support_bound)


AS_PRINTED, CORRECTED = Choices.read("AS_PRINTED"), Choices.read("CORRECTED")


@checked
def calibrate(epsilon: float, delta: float, ell: int, choices: Choices = CORRECTED) -> GapMaxCalibration:
    """Return the noise TLap(2, epsilon, delta) and what line 2 gives to NULL; neither depends on n, d or k.

    Problem 2.1 can be satisfied for ell >= k - 1 only; delta is at most 1/2. The values of line 11 have L1 sensitivity 2, as
    scores have sensitivity 1.
    """
    bound = choices.bound(epsilon, delta, VALUES_SENSITIVITY)  # line 1, line 6: A
    null = line_2_score(epsilon, delta, ell) if choices.null == "scored" else 2.0 * bound  # line 2: u(X, NULL)
    scale = divide_up(VALUES_SENSITIVITY, epsilon)
    return GapMaxCalibration(epsilon, delta, ell, scale, bound, null, VALUES_SENSITIVITY, choices)


def candidate_scores(
    points: tuple[Vector, ...], subsets: Iterable[tuple[int, ...]], choices: Choices
) -> tuple[dict[RationalSubspace, int], dict[RationalSubspace, int]]:
    """Return the score of every candidate subspace and the index of its standard draw: lines 3 to 8.

    The points are primitive integer rows, the subsets row indices, k each in Algorithm 1. Subset number i (from 1) owns
    standard draw i.
    """
    d = len(points[0])
    scores: dict[RationalSubspace, int] = {}
    draw_of: dict[RationalSubspace, int] = {}
    for index, S in enumerate(subsets, start=1):  # line 3
        s = span([points[i] for i in S], d)  # line 4
        if choices.candidates == "dimension k" and s.dimension < len(S):
            continue
        draw_of[s] = index  # line 6: index of xi(s)
        if s not in scores:  # line 5
            scores[s] = score(points, s)  # line 7: u(X, s)
    return scores, draw_of


def line_11_values(
    scores: Mapping[RationalSubspace, int], null: Fraction, choices: Choices, floor: int = 0
) -> tuple[Fraction, dict[RationalSubspace, Fraction]]:
    """Return what line 11 adds noise to: (value of NULL, value of every candidate).

    A candidate's value is max(0, u - u(X, s_2) - 1), which is 0 for all but s_1. `floor` (choice "constant" only)
    is the least that counts as a second-largest score; section 2.3's random subsets need one above 0.
    """
    zero = Fraction(0)
    if choices.null == "scored":
        second = second_largest([null, *scores.values()])  # line 9, line 10: u(X, s_2)
        null_value = max(zero, null - second - 1)  # line 11: value of NULL
    else:
        second = max(second_largest(scores.values()), Fraction(floor))  # line 9, line 10: u(X, s_2)
        null_value = null  # line 11: value of NULL
    return null_value, {s: max(zero, u - second - 1) for s, u in scores.items()}  # line 11: value of NULL, values of the s


def gap_max(
    points: tuple[Vector, ...],
    subsets: Sequence[tuple[int, ...]],
    k: int,
    calibration: GapMaxCalibration,
    noise: Noise,
    floor: int = 0,
) -> RationalSubspace | None:
    """Select among NULL and the spans of some subsets of at most k points: lines 3 to 12.

    The release "subspace" has one standard draw for NULL, which comes first, and one for each subset.
    """
    d = len(points[0])
    scores, draw_of = candidate_scores(points, subsets, calibration.choices)
    null_value, values = line_11_values(scores, Fraction(calibration.null), calibration.choices, floor)
    law = GapMaxLaw(calibration.scale, calibration.bound, 1 + len(subsets))  # line 1, line 6: law of xi
    value = encode(null_value, values, draw_of, k, d)
    s_hat = noise.release("subspace", value, law, sensitivity=calibration.sensitivity)  # line 11: s^, as a row
    return decode(s_hat, d)  # line 12: s^


@declare(
    number="Algorithm 1",
    title="DP exact subspace estimator",
    data=RepresentableRows(),
    relation=Relation.REPLACE_ONE,
    returns=Returns.SUBSPACE,
    unstated=(8,),
    calibrate=calibrate,
    claims=("singhal2021.lemma-2.3", "singhal2021.score-sensitivity", "singhal2021.lemma-2.4", "singhal2021.lemma-2.5"),
    example=points_example(epsilon=4.0, delta=0.1, ell=1, k=2),
)
def exact_subspace_estimator(
    X: tuple[Vector, ...], k: int, calibration: GapMaxCalibration, noise: Noise
) -> RationalSubspace | None:
    """Select among the spans of k points, or NULL, which is None.

    Only the line of each row matters; a zero row lies in every subspace and so changes no score of a subspace of positive
    dimension. For n < k, where no subset exists, the result is always NULL.
    """
    return gap_max(X, list(combinations(range(len(X)), k)), k, calibration, noise)
