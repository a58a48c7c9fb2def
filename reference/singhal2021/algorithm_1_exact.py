"""DP exact subspace estimator (singhal2021, Algorithm 1; section 2).

Guarantee claimed: (epsilon, delta)-DP, replace-one (Lemma 2.3). Under Problem 2.1 with n large enough the output
is s_* with probability 1 (Lemma 2.5, Theorem 2.2).
Claims: singhal2021.lemma-2.3, singhal2021.score-sensitivity, singhal2021.lemma-2.4, singhal2021.lemma-2.5,
singhal2021.truncated-laplace-bound, singhal2021.algorithm-1-candidates, singhal2021.algorithm-1-null.

Departures from print:
  D1 line 4, candidates: print takes the span of every k points, of whatever dimension; the output is claimed to
     have dimension k. Corrected: spans of dimension k only.
  D2 lines 2 and 9-11, NULL: print scores NULL and lets every candidate whose value is 0 compete by noise alone;
     the candidates depend on the data, so near a tie of NULL and s_1 that shows whose spans exist. Corrected:
     NULL is not scored, it has the value 2A at line 11, which a value of 0 cannot beat under noise in [-A, A].
  D3 lines 1, 6 and 11, the noise's support: print's accuracy proof has A = 2 ln(1/delta) / epsilon, which is too
     short for privacy when e^epsilon > 3 - 2 delta. Corrected: the exact bound.
  D4 line 7 prints t inside or equal to s (perhaps the extraction): u would be 0 everywhere. The strict inclusion
     of the score's definition is meant, and used under both choices.

Privacy as corrected: on neighbours X, X' every subspace but s_1 and s_1' has value 0 twice and loses to NULL almost
surely, so either output is the arg max over {NULL, s_1, s_1'} alone, a function of at most three values that change
by 2 in L1 (`line_11_values`) and carry independent TLap(2, epsilon, delta) noise (`primitives.truncated_laplace`).

Symbols: X (n, d) rows x_i; s a subspace; u(X, s) score; xi noise; A its bound; l (ell) robustness parameter.
Subsets of X are subsets of row indices, so repeated points count as often as they occur (Theorem 1.1 counts so).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any, Literal

from dppca.reference.choices import Choice
from dppca.reference.noise import Noise
from dppca.reference.primitives.truncated_laplace import logarithmic_bound, support_bound
from dppca.reference.primitives.validation import check_subspace_dimension
from dppca.reference.singhal2021.exact_linear_algebra import Subspace, Vector, exact_rows, span
from dppca.reference.singhal2021.gap_max import GapMaxLaw, check_representable, decode, encode

#: L1 sensitivity of the values of line 11 over subspaces and NULL (`line_11_values` derives it).
VALUES_SENSITIVITY = 2


@dataclass(frozen=True)
class Choices:
    """The points on which print is silent or wrong."""

    candidates: Choice[Literal["any dimension", "dimension k"]]
    null: Choice[Literal["scored", "constant"]]
    bound: Choice[Literal["logarithmic", "exact"]]
    empty_supremum: Choice[int]


_EMPTY_SUPREMUM = Choice(
    0,
    "u({0}) has a supremum over no subspaces; scores are natural numbers, where the supremum of nothing is 0",
    "singhal2021.algorithm-1-candidates",
)
AS_PRINTED = Choices(
    candidates=Choice("any dimension", "line 4 spans every k points, dependent or not", "singhal2021.algorithm-1-candidates"),
    null=Choice("scored", "line 2 scores NULL, line 11 ranges over all candidates", "singhal2021.algorithm-1-null"),
    bound=Choice(
        "logarithmic",
        "the only bound in this text is that of Lemma 2.5's proof, 2 ln(1/delta) / epsilon",
        "singhal2021.truncated-laplace-bound",
    ),
    empty_supremum=_EMPTY_SUPREMUM,
)
CORRECTED = Choices(
    candidates=Choice(
        "dimension k",
        "the output is to lie in S_d^k; and a span of j < k dimensions enters and leaves print's list with a score "
        "of up to k, so its score as a candidate does not have sensitivity 1",
        "singhal2021.algorithm-1-candidates",
    ),
    null=Choice(
        "constant",
        "with value 2A only NULL and the one subspace of positive value can win, so the data-dependent list of "
        "candidates is not seen; the sample size, 3 ell + 4A + 1, is within print's while A is",
        "singhal2021.algorithm-1-null",
    ),
    bound=Choice(
        "exact",
        "(2 / epsilon) ln(1 + (e^epsilon - 1) / (2 delta)) is what (epsilon, delta) needs at every epsilon",
        "singhal2021.truncated-laplace-bound",
    ),
    empty_supremum=_EMPTY_SUPREMUM,
)


@dataclass(frozen=True)
class GapMaxCalibration:
    """Noise scale and bound A; `null` is NULL's score (choice "scored") or its value at line 11 ("constant")."""

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
        """The n from which Problem 2.1 is answered with s_* almost surely: Lemma 2.5 as printed, or corrected.

        Corrected: the gap is at least n - 3 ell - 1 and has to reach 4A (2A for NULL, A for each noise).
        """
        if self.choices.null.value == "scored":
            return math.ceil(3 * self.ell + 8.0 * math.log(1.0 / self.delta) / self.epsilon + 2.0)
        return math.ceil(3 * self.ell + 4.0 * self.bound + 1.0)


def calibrate(epsilon: float, delta: float, ell: int, choices: Choices = CORRECTED) -> GapMaxCalibration:
    """The noise TLap(2, epsilon, delta) and what line 2 gives to NULL.

    Args:
        epsilon: target epsilon > 0.
        delta: target delta in (0, 1/2].
        ell: robustness parameter, >= 0; at least k - 1 for Problem 2.1 to be satisfiable.
        choices: AS_PRINTED or CORRECTED.

    Returns:
        GapMaxCalibration.

    Raises:
        ValueError: epsilon, delta or ell outside its range.
    """
    if ell < 0:
        raise ValueError(f"ell must be >= 0, got {ell!r}")
    formula = {"logarithmic": logarithmic_bound, "exact": support_bound}[choices.bound.value]
    bound = formula(epsilon, delta, VALUES_SENSITIVITY)  # line 1, line 6 (D3)
    scored = choices.null.value == "scored"
    null = ell + 4.0 * math.log(1.0 / delta) / epsilon + 1.0 if scored else 2.0 * bound  # line 2 (D2)
    return GapMaxCalibration(
        epsilon=epsilon,
        delta=delta,
        ell=ell,
        scale=VALUES_SENSITIVITY / epsilon,
        bound=bound,
        null=null,
        sensitivity=VALUES_SENSITIVITY,
        choices=choices,
        assumptions=(
            "scores have sensitivity 1, so the values of line 11 have L1 sensitivity 2",
            "primitive integer rows have Euclidean norm <= 2^(53 / k)",
        ),
    )


def score(points: tuple[Vector, ...], s: Subspace, choices: Choices = CORRECTED) -> int:
    """u(X, s): points in s, minus the most that one strict subspace of s contains. Sensitivity 1, replace-one.

    The supremum is over finitely many subspaces: if the points in s span less than s, their span is one of them
    and u = 0; otherwise every strict subspace grows, by points of s, to a span of dim(s) - 1 of these points.

    Sensitivity: let x become y. If neither or both lie in s, the first term is constant and the supremum moves by
    at most 1. If only y does, the first term grows by 1 and the supremum by 0 or 1, so u grows by 1 or 0.
    """
    inside = [x for x in points if x in s]
    if s.dimension == 0:
        return len(inside) - choices.empty_supremum.value
    if span(inside, s.ambient).dimension < s.dimension:
        return 0
    strict_subspaces = {span(T, s.ambient) for T in combinations(inside, s.dimension - 1)}
    return len(inside) - max(sum(x in t for x in inside) for t in strict_subspaces)


def candidate_scores(
    points: tuple[Vector, ...], subsets: Iterable[tuple[int, ...]], choices: Choices
) -> tuple[dict[Subspace, int], dict[Subspace, int]]:
    """Lines 3-8: the score of every candidate subspace, and the index of its standard draw.

    Args:
        points: primitive integer rows.
        subsets: row indices, k each in Algorithm 1. Subset number i (from 1) owns standard draw i.
        choices: whether spans of dependent points are candidates.

    Returns:
        (scores, draw_of), both keyed by subspace.
    """
    d = len(points[0])
    scores: dict[Subspace, int] = {}
    draw_of: dict[Subspace, int] = {}
    for index, S in enumerate(subsets, start=1):  # line 3
        s = span([points[i] for i in S], d)  # line 4
        if choices.candidates.value == "dimension k" and s.dimension < len(S):
            continue  # line 4+ (D1)
        # line 5
        draw_of[s] = index  # line 6: a span that recurs is sampled anew, the last draw stays
        if s not in scores:
            scores[s] = score(points, s, choices)  # line 7 (D4)
    # line 8
    return scores, draw_of


def line_11_values(
    scores: Mapping[Subspace, int], null: Fraction, choices: Choices, floor: int = 0
) -> tuple[Fraction, dict[Subspace, Fraction]]:
    """What line 11 adds noise to: (value of NULL, value of every candidate).

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
        second = max(_second_largest(scores.values()), Fraction(floor))  # line 9, line 10 (D2)
        null_value = null  # line 11 (D2)
    return null_value, {s: max(zero, u - second - 1) for s, u in scores.items()}  # line 11


def _second_largest(scores: Iterable[Fraction | int]) -> Fraction:
    """Second-largest score; 0 if there are fewer than two, as every subspace off the list has score 0."""
    ranking = sorted(map(Fraction, scores), reverse=True)
    return ranking[1] if len(ranking) > 1 else Fraction(0)


def exact_subspace_estimator(
    X: Iterable[Iterable[Any]], k: int, calibration: GapMaxCalibration, noise: Noise
) -> Subspace | None:
    """Algorithm 1.

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
    points = exact_rows("X", X)
    n, d = len(points), len(points[0])
    check_subspace_dimension(k, d)
    check_representable("X", points, k)
    scores, draw_of = candidate_scores(points, combinations(range(n), k), calibration.choices)
    null_value, values = line_11_values(scores, Fraction(calibration.null), calibration.choices)
    law = GapMaxLaw(calibration.scale, calibration.bound, draws=1 + math.comb(n, k))  # line 1, line 6
    s_hat = noise.release(  # line 11
        "subspace", encode(null_value, values, draw_of, k, d), law, sensitivity=calibration.sensitivity
    )
    return decode(s_hat, d)  # line 12
