"""Audits of liu2022: Algorithms 2 to 5, Equation (7), the search and rank r.

The relation is replace-one, n public, unless an instance says otherwise. Add/remove is the paper's own Definition 2.3: one
record more or less, so that n, and with it the batches, are part of the data; each dataset is then run with the calibration
for its own n.

Canaries are built against the steps that a guarantee rests on. Matrices +-c I with a huge c give gradients +-beta w after
clipping, whatever the iterate w is: as far apart as gradients can be. Pairs of gradients with equal differences give
Algorithm 4 equal eigenvalues, so one record decides to which bin an eigenvalue belongs and whether it is alone there.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import cache, partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from dppca.audit.auditor.results import Claim
from dppca.audit.suite import marginal
from dppca.audit.suite.instance import Exact, How, Instance, Maximiser, Output, Setup, Transcript, sampled
from dppca.audit.suite.liu2022.hidden_place import best_event, event_excess
from dppca.audit.suite.pairs import gaussian_pair, histogram_parts
from dppca.audit.suite.setups import OnPair, calibrated
from dppca.reference.accounting.clones import shuffled_gaussian_delta
from dppca.reference.catalog import ALGORITHMS
from dppca.reference.liu2022 import hyperparameter_search as search
from dppca.reference.liu2022.algorithm_5_mean import MeanCalibration
from dppca.reference.noise import Algorithm
from dppca.reference.primitives.composition import Guarantee, serial
from dppca.reference.primitives.gaussian import composed_mu
from dppca.reference.primitives.sparse_histogram import SparseHistogramLaw, stability_delta, stability_threshold
from dppca.reference.primitives.symmetric import upper_triangle
from dppca.reference.relation import Relation
from dppca.reference.rigour.finite import epsilon_of_laws, sparse_histogram_law, worst_histogram_delta
from dppca.reference.rigour.gaussian import ball, decide

OJA = "liu2022.private_oja"
MINIBATCH = "liu2022.minibatch_private_oja"
DP_PCA = "liu2022.dp_pca"
EIGENVALUE = "liu2022.private_top_eigenvalue"
MEAN = "liu2022.private_mean"
SEARCH = "liu2022.hyperparameter_search"
DEFLATION = "liu2022.deflation"
BLOCK = "liu2022.block_dp_pca"

ALL = ("AS_PRINTED", "CORRECTED", "LEAN")
#: Section 4's own range of epsilon, the largest of Theorem 5.1, and one at which a few thousand outputs show a failure.
COMMON, THEOREM, LARGE = Claim(1.0, 1e-5), Claim(0.8, 0.1), Claim(4.0, 0.2)
#: beta = 1 sqrt(d) exactly, whatever n.
CLIPPING = {"lambda_1": 1.0, "K": 1.0, "gamma": 1e-30}
HUGE = 1e9

Data = NDArray[np.float64]
DatasetPair = tuple[Data, Data]


#: A pair under the paper's own relation.
_ADD_REMOVE: Any = {"because": "liu2022.definition-2.3", "relation": Relation.ADD_REMOVE}
AUDITS: list[Instance] = []


# --- shared -------------------------------------------------------------------------------------------


def _own_n(of: Instance, steps: Callable[[int], tuple[float, ...]] | None, **arguments: Any) -> Algorithm[Any]:
    """Return the algorithm with the calibration for the number of records that it finds (B of them for Algorithm 4)."""

    @cache
    def bound(n: int) -> Algorithm[Any]:
        sizes = {"B": n} if steps is None else {"n": n, "step_sizes": steps(n)}
        return OnPair("", (None, None), {**sizes, **arguments}).run(of)

    return lambda data, noise: bound(len(data))(data, noise)


def _line(w: Data) -> Data:
    """Return a direction without its sign."""
    return upper_triangle(np.outer(w, w))


def _with(data: Data, index: int, record: Any) -> Data:
    changed = data.copy()
    changed[index] = record
    return changed


def replaced(data: Data, index: int, record: Any) -> DatasetPair:
    """Return the dataset and its neighbour with this record at this place."""
    return data, _with(data, index, record)


def batches(n: int, d: int) -> Data:
    """Return rows e_1 + 0.1 e_2 and e_1 - 0.1 e_2 in turn: gradients near (w^T e_1) e_1, equal differences in every pair."""
    rows = np.zeros((n, d))
    rows[:, 0] = 1.0
    rows[::2, 1], rows[1::2, 1] = 0.1, -0.1
    return rows


# --- Algorithm 2 --------------------------------------------------------------------------------------

# One record whose clipped gradient is w among records at -w; the order is summed out (audit/suite/marginal.py). The
# transcript is then a Gaussian shift of mu = 1 / alpha at a hidden place among n (audit/suite/liu2022/hidden_place.py).
# Lemma 3.1 asks for epsilon = O(sqrt(log(n / delta) / n)); with the constant 1 that is 0.42 at n = 64, delta = 1e-3.


def _oja_calibration(of: Instance, n: int) -> Any:
    return calibrated(of, n=n, d=2, **CLIPPING)


def _among_opposites(n: int) -> Setup:
    """The exact view."""

    def how(of: Instance) -> Exact:
        return Exact(partial(_hidden_shift, of.claim, 1.0 / _oja_calibration(of, n).alpha, n))

    return Setup("exact", f"w among -w, n={n}", how)


def _summed_out(name: str, pair: DatasetPair) -> Setup:
    """The transcript without the order."""
    n = len(pair[0])

    def how(of: Instance) -> Transcript:
        calibration = _oja_calibration(of, n)
        return Transcript(lambda data, noise: marginal.private_oja(data, (0.3,) * n, calibration, noise), *pair)

    return Setup("transcript", name, how)


def _hidden_shift(claim: Claim, mu: float, n: int) -> tuple[bool, float]:
    """Return whether the claim holds of a shift hidden among n, and an epsilon below which none holds.

    Refuted by an event, in ball arithmetic, or shown by the account of `dppca.reference.accounting.clones`.
    """
    a, epsilon = best_event(claim.delta, mu, n)
    if not decide(lambda: event_excess(ball(claim.epsilon), ball(mu), n, ball(a)), lambda: ball(claim.delta)):
        return False, epsilon
    if shuffled_gaussian_delta(claim.epsilon, 1.0 / mu, n) > claim.delta:
        raise ValueError(
            f"the noise is too little for {claim}-differential privacy by its account, which gives delta = "
            f"{shuffled_gaussian_delta(claim.epsilon, 1.0 / mu, n):.4g} for {n} releases in a hidden order that move by "
            f"{mu:.4g} standard deviations; no event of this pair refutes it"
        )
    return True, epsilon


_BEYOND, _INSIDE, _THREE, _TENTH = Claim(5.0, 1e-3), Claim(0.2, 1e-3), Claim(3.0, 1e-3), Claim(0.1, 1e-3)
_OPPOSITE, _OPPOSITE_THOUSAND = _among_opposites(64), _among_opposites(1000)
_OPPOSITE_SHOWN = _summed_out("w among -w, n=64", replaced(np.tile(-HUGE * np.eye(2), (64, 1, 1)), 0, HUGE * np.eye(2)))
_ZEROS_SHOWN = _summed_out(
    "w/-w among 0, n=64", replaced(_with(np.zeros((64, 2, 2)), 0, HUGE * np.eye(2)), 0, -HUGE * np.eye(2))
)
_OJA_SIZES = {"n": 64, "d": 2, **CLIPPING, "step_sizes": (0.3,) * 64}
_ROW_MOVES = replaced(np.tile([[HUGE, 0.0]], (64, 1)), 0, [0.0, HUGE])
_OJA_OUTPUT = OnPair("e1/e2 among e1", _ROW_MOVES, _OJA_SIZES).output("e1/e2 among e1, n=64, output", _line)
_LEMMA: Any = {"because": "liu2022.lemma-3.1"}
oja = partial(Instance, OJA)
AUDITS += [
    oja("AS_PRINTED", _OPPOSITE, _BEYOND, "REFUTED", epsilon=12.8246, **_LEMMA),
    oja("AS_PRINTED", _OPPOSITE_SHOWN, _BEYOND, "REFUTED", trials=600, least=600, **_LEMMA),
    oja("AS_PRINTED", _OPPOSITE_THOUSAND, _THREE, "REFUTED", epsilon=37.0656, **_LEMMA),
    oja("AS_PRINTED", _OPPOSITE, _INSIDE, epsilon=0.00321337, **_LEMMA),
    oja("AS_PRINTED", _OPPOSITE_SHOWN, _INSIDE, trials=300, **_LEMMA),
    oja("AS_PRINTED", _OJA_OUTPUT, _INSIDE, trials=1_000, **_LEMMA),
    oja("AS_PRINTED", _OPPOSITE_THOUSAND, _TENTH, epsilon=0.0, **_LEMMA),
    oja("CORRECTED", _OPPOSITE_THOUSAND, _TENTH, epsilon=0.0),
]
for _claim, _epsilon in ((_BEYOND, 1.1943), (_INSIDE, 0.00344048)):
    AUDITS += [
        oja("CORRECTED", _OPPOSITE, _claim, epsilon=_epsilon),
        oja("CORRECTED", _OPPOSITE_SHOWN, _claim, trials=300),
        oja("CORRECTED", _ZEROS_SHOWN, _claim, trials=300),
        oja("CORRECTED", _OJA_OUTPUT, _claim, trials=1_000),
    ]


# --- Equation (7) -------------------------------------------------------------------------------------


def _releases(name: str, n: int, moves: int) -> Setup:
    """So many batches' means move by 2 beta / B, each one Gaussian of mu = 1 / alpha."""

    def how(of: Instance) -> Exact:
        return gaussian_pair(of.claim, calibrated(of, n=n, d=2, **CLIPPING).alpha, Fraction(moves))

    return Setup("exact", name, how)


#: A record's clipped gradient turns from w to -w, in one of two batches.
_RECORDS, _BATCHES = 2000, 2
_TURNS = [
    (
        _releases(name, _RECORDS, 1),
        OnPair(
            name,
            replaced(_with(np.zeros((_RECORDS, 2, 2)), index, HUGE * np.eye(2)), index, -HUGE * np.eye(2)),
            {"n": _RECORDS, "d": 2, **CLIPPING, "step_sizes": (0.5,) * _BATCHES},
        ).transcript,
    )
    for index, name in ((0, "w/-w, first of a batch"), (_RECORDS // _BATCHES - 1, "w/-w, last of a batch"))
]
(_FIRST, _FIRST_SHOWN), (_, _LAST_SHOWN) = _TURNS
#: A step so long that the start, which is hidden, does not count: the direction of beta u + N(0, (2 beta alpha)^2 I).
_LONG_STEP = OnPair(
    "e1/e2",
    replaced(_with(np.zeros((400, 2)), 0, [HUGE, 0.0]), 0, [0.0, HUGE]),
    {"n": 400, "d": 2, **CLIPPING, "step_sizes": (1e15,)},
).output("e1/e2, one step, output", _line)
#: Four batches of three lose their first record and gain the next one's, which has the opposite gradient.
_SHIFTED = np.zeros((13, 2, 2))
_SHIFTED[::3] = np.array([1.0, -1.0, 1.0, -1.0, 1.0])[:, np.newaxis, np.newaxis] * HUGE * np.eye(2)
_SHIFT = "add-remove: the first record goes, all batches shift"


def _shifted(of: Instance) -> Transcript:
    return Transcript(_own_n(of, lambda _: (0.5,) * 4, d=2, **CLIPPING), _SHIFTED, _SHIFTED[1:])


_ALL_MOVE, _ALL_SHOWN = _releases(_SHIFT, 13, 4), Setup("transcript", _SHIFT, _shifted)
_SEVEN: Any = {"because": "liu2022.equation-7-alpha"}
minibatch = partial(Instance, MINIBATCH)
AUDITS += [
    minibatch("AS_PRINTED", _FIRST, COMMON, "REFUTED", epsilon=12.1496, **_SEVEN),
    minibatch("AS_PRINTED", _FIRST_SHOWN, COMMON, "REFUTED", epsilon=12.1496, trials=1_000, least=400, **_SEVEN),
    # The printed sum leaves the last record of a batch out.
    minibatch("AS_PRINTED", _LAST_SHOWN, COMMON, epsilon=0.0, trials=500, because="liu2022.equation-7-sum"),
    minibatch("AS_PRINTED", _LONG_STEP, LARGE, "REFUTED", epsilon=14.9953, trials=10_000, **_SEVEN),
]
for _exact, _shown in _TURNS:
    AUDITS += [
        minibatch("CORRECTED", _exact, COMMON, epsilon=1.0),
        minibatch("CORRECTED", _shown, COMMON, epsilon=1.0, trials=1_000),
    ]
AUDITS += [
    minibatch("CORRECTED", _LONG_STEP, LARGE, epsilon=0.480775, trials=10_000),
    minibatch("CORRECTED", _ALL_MOVE, COMMON, "REFUTED", epsilon=2.15468, **_ADD_REMOVE),
    minibatch("CORRECTED", _ALL_SHOWN, COMMON, "REFUTED", epsilon=2.15468, trials=1_000, least=400, **_ADD_REMOVE),
]


# --- Algorithm 4 --------------------------------------------------------------------------------------

LESS = "CORRECTED, threshold less 1"


def _over_counts(items: int, cells: int) -> Setup:
    """All neighbouring counts of a few items, in fractions: the threshold gives exactly delta, one less does not.

    With e^(epsilon / 2) = 2 and delta = 2^-T the threshold of `stability_threshold` is T.
    """

    def how(of: Instance) -> Exact:
        threshold = round(stability_threshold(of.claim.epsilon, of.claim.delta)) - (of.choice == LESS)

        def decide_all() -> tuple[bool, float]:
            ratio = Fraction(2)
            delta, pair = worst_histogram_delta(items, cells, ratio, threshold)
            p, q = (sparse_histogram_law(counts, ratio, threshold, max(items, threshold) + 1) for counts in pair)
            return delta <= Fraction(of.claim.delta), epsilon_of_laws(p, q, of.claim.delta)

        return Exact(decide_all)

    return Setup("exact", f"histogram, all of {items} items in {cells} cells", how)


def _differences(B: int, others: dict[int, float]) -> Data:
    """Return gradients 0, v, 0, v, ... with v = (1, 0), but (others[j], 0) in pair j."""
    g = np.zeros((B, 2))
    g[1::2, 0] = 1.0
    for j, v in others.items():
        g[2 * j + 1, 0] = v
    return g


def _is_shown(count: int, scale: float, threshold: float) -> float:
    """Return P(count + noise > threshold): the delta of a cell that the other dataset leaves empty."""
    law = SparseHistogramLaw(scale, threshold)
    return -math.expm1(law.log_likelihood(np.zeros((count, 1)), np.empty((0, 2))))


#: One record moves one subset's eigenvalue; every subset has one difference, (v, 0) with v = 1 but for a few.
_ZETA = 0.1
_WHOLE, _LITTLE, _HALF = Claim(1.0, 0.1), Claim(1.0, 1e-3), Claim(1.0, 0.05)
#: Twice the number of subsets, at either claim.
_PAIRS = {_WHOLE: 38, _LITTLE: 74}


def _bins(of: Instance) -> Exact:
    """Two occupied bins, and one alone."""
    made = calibrated(of, B=_PAIRS[of.claim], zeta=_ZETA)
    return histogram_parts(made.scale, made.threshold, of.claim.epsilon, of.claim.delta)


_BINS_ALONE = Setup("exact", "two occupied bins, and one alone", _bins)
_FEW = _PAIRS[_LITTLE]
_BETWEEN = OnPair(
    "between two occupied bins",
    replaced(_differences(_FEW, dict.fromkeys(range(_FEW // 4), 2.0)), 1, [1.0, 0.0]),
    {"B": _FEW, "zeta": _ZETA},
)
_LONE = _differences(_PAIRS[_WHOLE], {0: 8.0})
_TO_OCCUPIED, _TO_EMPTY, _TO_EMPTY_HALF = (
    OnPair(f"alone, to an {name}", replaced(_LONE, 1, [v, 0.0]), {"B": len(_LONE), "zeta": _ZETA}).transcript
    for name, v in (("occupied bin", 1.0), ("empty bin", 64.0), ("empty bin, at delta / 2", 64.0))
)
#: g_1 = g_2, g_3 = g_4, ...: without g_1 no pair has equal gradients, and all k eigenvalues change.
_EQUAL = np.repeat(np.tile([[0.0, 0.0], [1.0, 0.0]], (_PAIRS[_WHOLE], 1)), 2, axis=0)[: _PAIRS[_WHOLE] + 1]
_PAIRS_CHANGE = "add-remove: the first gradient goes, all pairs change"


def _pairs_change_exact(of: Instance) -> Exact:
    made = calibrated(of, B=_PAIRS[_WHOLE], zeta=_ZETA)
    holds = _is_shown(made.k, made.scale, made.threshold) <= of.claim.delta
    return Exact(lambda: (holds, 0.0 if holds else math.inf))


def _pairs_change(of: Instance) -> Transcript:
    return Transcript(_own_n(of, None, zeta=_ZETA), _EQUAL, _EQUAL[1:])


def _pairs_change_output(of: Instance) -> Output:
    return Output(sampled(_own_n(of, None, zeta=_ZETA)), _EQUAL, _EQUAL[1:])


eigenvalue = partial(Instance, EIGENVALUE)
for _items, _cells, _bits, _epsilon in ((4, 4, 3, 0.559616), (5, 3, 4, 0.628609)):
    _claim, _counts = Claim(2.0 * math.log(2.0), 2.0**-_bits), _over_counts(_items, _cells)
    AUDITS += [
        eigenvalue("CORRECTED", _counts, _claim, epsilon=_epsilon),
        eigenvalue(LESS, _counts, _claim, "REFUTED", epsilon=math.inf, because="primitives.sparse-histogram"),
    ]
#: The lone bin shows with probability delta, whatever epsilon is, and the other dataset cannot show it.
_SHOWS: Any = {"epsilon": math.inf, "because": "liu2022.theorem-6.1-privacy", "trials": 2_000, "least": 1_000}
for _choice, _why in (("AS_PRINTED", "liu2022.theorem-6.1-privacy"), ("CORRECTED", "")):
    AUDITS += [
        eigenvalue(_choice, _BINS_ALONE, _WHOLE, epsilon=1.0, because=_why),
        eigenvalue(_choice, _BINS_ALONE, _LITTLE, epsilon=1.0, because=_why),
        eigenvalue(_choice, _BETWEEN.transcript, _LITTLE, epsilon=1.0, because=_why, trials=1_500),
        eigenvalue(
            _choice,
            _BETWEEN.output(f"{_BETWEEN.name}, output"),
            _LITTLE,
            epsilon=1.0,
            because=_why,
            trials=2_000,
        ),
        eigenvalue(_choice, _TO_OCCUPIED, _WHOLE, epsilon=1.0, because=_why, trials=1_500),
        eigenvalue(_choice, _TO_EMPTY, _WHOLE, epsilon=0.0, because=_why, trials=1_500),
        eigenvalue(_choice, _TO_EMPTY_HALF, _HALF, "REFUTED", target=_WHOLE, **_SHOWS),
    ]
    _go: Any = {"expected": "REFUTED", "epsilon": math.inf, **_ADD_REMOVE}
    AUDITS += [
        eigenvalue(_choice, Setup("exact", _PAIRS_CHANGE, _pairs_change_exact), _WHOLE, **_go),
        eigenvalue(_choice, Setup("transcript", _PAIRS_CHANGE, _pairs_change), _WHOLE, trials=500, **_go),
        eigenvalue(_choice, Setup("output", f"{_PAIRS_CHANGE}, output", _pairs_change_output), _WHOLE, trials=1_000, **_go),
    ]


# --- Algorithm 5 --------------------------------------------------------------------------------------

_LOW, _HIGH = Claim(0.8, 1e-3), Claim(4.0, 0.01)
#: What is left for the mean's Gaussian of Algorithm 3 at THEOREM, where the paper halves twice.
_SHARE = Claim(0.2, 0.025)


def _coordinate_bins(mean: Callable[[Instance], MeanCalibration], epsilon: float, delta: float) -> Setup:
    """A coordinate's histogram by itself, at its share."""

    def how(of: Instance) -> Exact:
        return histogram_parts(mean(of).scale, mean(of).threshold, epsilon, delta)

    return Setup("exact", "the mean: the bins of a coordinate", how)


def _mean_alone(mean: Callable[[Instance], MeanCalibration]) -> Setup:
    """The mean's Gaussian by itself."""

    def how(of: Instance) -> Exact:
        return gaussian_pair(of.claim, mean(of).std, Fraction(mean(of).sensitivity) ** 2)

    return Setup("exact", "the mean: across the box", how)


def _mean_sizes(B: int) -> dict[str, Any]:
    return {"B": B, "d": 2, "K": 1.0, "zeta": 0.1}


def _across_the_box(name: str, B: int, alone: bool) -> Callable[[Instance], OnPair]:
    """One record moves from bin to bin in every coordinate, and by the diagonal of the box in the mean.

    Three occupied bins a coordinate, the outer two beyond the box around the middle one.
    """

    def on(of: Instance) -> OnPair:
        far = 2.0 * calibrated(of, **_mean_sizes(B)).radius
        g = np.zeros((B, 2))
        g[: B // 4], g[B // 4 : B // 2] = -far, far
        pair = replaced(g, 0, [far, far])
        if alone:
            pair = replaced(_with(g, 0, [-7.0 * far, -7.0 * far]), 0, [7.0 * far, 7.0 * far])
        return OnPair(name, pair, {**_mean_sizes(B), "eigenvalue": 1.0})

    return on


def _later(view: Literal["transcript", "output"], name: str, on: Callable[[Instance], OnPair], features: Any = None) -> Setup:
    """Return a view of a pair that the calibration decides on."""

    def how(of: Instance) -> How:
        pair = on(of)
        return (pair.transcript if view == "transcript" else pair.output(name, features)).build(of)

    return Setup(view, name, how)


#: What the histogram of a coordinate may spend, d = 2: the paper's shares of (epsilon, delta); those of LEAN are its own.
_PRINTS_SHARE = (0.0347230, 0.000125)
mean = partial(Instance, MEAN)
#: The last number is the epsilon of the mean's Gaussian: mu = (epsilon / 2) / sqrt(2 ln(2.5 / delta)), LEAN has its own.
for _choice, _claim, _B, (_loss, _delta), _gauss, _why in (
    ("AS_PRINTED", _LOW, 8000, _PRINTS_SHARE, 0.200215, "liu2022.lemma-6.2-privacy"),
    ("CORRECTED", _LOW, 8000, _PRINTS_SHARE, 0.200215, ""),
    ("LEAN", _LOW, 4000, (0.200414, 0.000125), 0.359992, ""),
    ("LEAN", _HIGH, 600, (1.00235, 0.00125), 1.77546, ""),
):

    def _own(of: Instance, B: int = _B) -> MeanCalibration:
        made: MeanCalibration = calibrated(of, **_mean_sizes(B))
        return made

    _names = ("across the box, between occupied bins", "across the box, alone in its bins")
    _between, _alone = (_across_the_box(name, _B, alone) for name, alone in zip(_names, (False, True), strict=True))
    AUDITS += [
        mean(_choice, _coordinate_bins(_own, _loss, _delta), _claim, epsilon=_loss, because=_why),
        mean(_choice, _mean_alone(_own), _claim, epsilon=_gauss, because=_why),
        mean(_choice, _later("transcript", _names[0], _between), _claim, because=_why, trials=600),
        mean(_choice, _later("transcript", _names[1], _alone), _claim, because=_why, trials=600),
        mean(_choice, _later("output", "across the box, output", _between), _claim, because=_why, trials=1_000),
    ]


# --- Algorithm 3 --------------------------------------------------------------------------------------


def _halves(
    key: str, choice: str, claim: Claim, dp_pca: Callable[[Instance], Any], bins: tuple[float, float], across: float, why: str
) -> list[Instance]:
    """Return the audits of Algorithm 3's parts by themselves: the histogram of eigenvalues, and those of Algorithm 5."""
    share = _SHARES[choice, claim]

    def eigenvalues(of: Instance) -> Exact:
        made = dp_pca(of).eigenvalue
        return histogram_parts(made.scale, made.threshold, *share)

    def mean_of(of: Instance) -> MeanCalibration:
        made: MeanCalibration = dp_pca(of).mean
        return made

    of_share: Any = {"because": why} if choice == "LEAN" else {"because": "liu2022.lemma-6.2-privacy", "target": claim}
    part = partial(Instance, key, choice)
    return [
        part(
            Setup("exact", "the eigenvalue: two occupied bins, and one alone", eigenvalues),
            claim,
            epsilon=share[0],
            because=why,
        ),
        part(_coordinate_bins(mean_of, *bins), claim, epsilon=bins[0], because=why),
        part(_mean_alone(mean_of), claim if choice == "LEAN" else _SHARE, epsilon=across, **of_share),
    ]


#: What the two halves of Algorithm 3 may spend, the paper halving (epsilon, delta), and a coordinate's histogram of d = 4.
_SHARES = {
    ("AS_PRINTED", THEOREM): (0.4, 0.05),
    ("CORRECTED", THEOREM): (0.4, 0.05),
    ("LEAN", THEOREM): (0.8, 0.1),
    ("LEAN", _HIGH): (4.0, 0.01),
}
_BINS = {
    ("AS_PRINTED", THEOREM): (0.0168896, 0.003125),
    ("CORRECTED", THEOREM): (0.0168896, 0.003125),
    ("LEAN", THEOREM): (0.185788, 0.00625),
    ("LEAN", _HIGH): (0.504187, 0.000625),
}
_ACROSS = {
    ("AS_PRINTED", THEOREM): 0.00754328,
    ("CORRECTED", THEOREM): 0.00754328,
    ("LEAN", THEOREM): 0.197058,
    ("LEAN", _HIGH): 1.77546,
}


def _dp_pca_sizes(B: int) -> dict[str, Any]:
    return {"n": 2000, "d": 4, "B": B, "K": 1.0, "zeta": 0.1}


def _record_of(half: str, B: int) -> Callable[[Instance], OnPair]:
    """A record of a batch's first half decides one eigenvalue's bin; one of its second half crosses bins and box."""

    def on(of: Instance) -> OnPair:
        data, far = batches(2000, 4), np.full(4, 50.0)
        pair = replaced(data, B - 1, far)
        if half == "first":
            made = calibrated(of, **_dp_pca_sizes(B)).eigenvalue
            long = data.copy()  # half of the first batch's subsets have a long difference; one loses it
            long[1 : made.k * made.b : 2 * made.b] = far
            pair = replaced(long, 1, data[1])
        sizes = {**_dp_pca_sizes(B), "step_sizes": (1.0, 0.5)[: 2000 // B]}
        return OnPair(f"a record of the {half} half, n=2000, d=4, B={B}", pair, sizes)

    return on


_FIVE_ONE = "liu2022.theorem-5.1-privacy"
dp_pca = partial(Instance, DP_PCA)
for _choice, _claim, _B, _why in (
    ("AS_PRINTED", THEOREM, 2000, _FIVE_ONE),
    ("CORRECTED", THEOREM, 2000, ""),
    ("LEAN", THEOREM, 2000, ""),
    ("LEAN", _HIGH, 1000, ""),
):
    AUDITS += _halves(
        DP_PCA,
        _choice,
        _claim,
        lambda of, B=_B: calibrated(of, **_dp_pca_sizes(B)),
        _BINS[_choice, _claim],
        _ACROSS[_choice, _claim],
        _why,
    )
    for _half in ("first", "second"):
        _setup = _later("transcript", f"a record of the {_half} half, n=2000, d=4, B={_B}", _record_of(_half, _B))
        AUDITS += [dp_pca(_choice, _setup, _claim, because=_why, trials=500)]
    _setup = _later("output", f"a record of the second half, B={_B}, output", _record_of("second", _B), _line)
    AUDITS += [dp_pca(_choice, _setup, _claim, because=_why, trials=1_000)]


def _one_step_less(of: Instance) -> Output:
    """The last of 2 B records decides whether there is a second step, which turns w from e_1 to e_2.

    Nearly all directions are at e_2 on one dataset and at e_1 on the other.
    """
    B = 2000
    rows = batches(B, 2)
    turn = np.array([[0.0, 1.0], [1.0, 0.0]])
    products = rows[:, :, np.newaxis] * rows[:, np.newaxis, :]
    data = np.concatenate([products, 100.0 * (rows @ turn)[:, :, np.newaxis] * [1.0, 0.0]])
    run = _own_n(of, lambda n: (1e3,) * (n // B), B=B, d=2, K=1.0, zeta=0.1)
    return Output(sampled(run), data, data[:-1], features=_line)


def _other_pairs(of: Instance) -> Transcript:
    """n = B + 1: without the first record the one batch has other pairs, and no eigenvalue is 0."""
    B = 2000
    equal = np.repeat(np.tile([[1.0, 0.0], [0.0, 1.0]], (B, 1)), 2, axis=0)[: B + 1]
    return Transcript(_own_n(of, lambda n: (1.0,) * (n // B), B=B, d=2, K=1.0, zeta=0.1), equal, equal[1:])


_ONE_STEP_LESS = Setup("output", "add-remove: n = 2 B less 1, one step less, output", _one_step_less)
_OTHER_PAIRS = Setup("transcript", "add-remove: the first record goes, all pairs change", _other_pairs)
AUDITS += [dp_pca(_choice, _ONE_STEP_LESS, THEOREM, "REFUTED", trials=1_500, **_ADD_REMOVE) for _choice in ALL]
AUDITS += [dp_pca("CORRECTED", _OTHER_PAIRS, THEOREM, "REFUTED", epsilon=math.inf, trials=500, **_ADD_REMOVE)]


# --- search and rank r --------------------------------------------------------------------------------

# The printed rounds' shares add up to 2 epsilon (1 - 2^-R), 2 delta (1 - 2^-R). Mechanisms that spend them show it. The printed
# training does not: a record meets one half of a batch, on half of the share. Trained with LEAN it does: a lone eigenvalue is
# shown with the whole delta of each share.
_SIXTEEN = Claim(16.0, 0.1)
LEAN_TRAINING = "AS_PRINTED, training LEAN"
_B = 640
_SEARCH = {"n": 2 * _B, "d": 2, "B": _B, "K": 1.0, "ceiling": 2.0, "rounds": 2, "zeta": 0.5}


def _lone_eigenvalue(of: Instance) -> Exact:
    """On one dataset the eigenvalue of a subset is alone in its bin in every run, on the other all eigenvalues are 0."""
    choices = replace(search.AS_PRINTED, dp_pca=ALGORITHMS[DP_PCA].choices["LEAN"])
    made = search.calibrate(of.claim.epsilon, of.claim.delta, **_SEARCH, choices=choices)
    hidden = math.fsum(
        len(r.pairs) * math.log1p(-stability_delta(training.eigenvalue.epsilon, training.eigenvalue.threshold))
        for r, training in zip(made.rounds, made.training, strict=True)
    )
    lone = -math.expm1(hidden) <= of.claim.delta
    return Exact(lambda: (lone, 0.0 if lone else math.inf))


def _outright(of: Instance) -> Exact:
    made = calibrated(of, **_SEARCH)
    shares = [r.each for r in made.rounds for _ in r.pairs]
    delta = -math.expm1(math.fsum(math.log1p(-share.delta) for share in shares))  # serial composition where it is <=
    holds = delta <= of.claim.delta and made.spent.epsilon <= of.claim.epsilon
    return Exact(lambda: (holds, 0.0 if holds else math.inf))


def _scores(of: Instance) -> Exact:
    made = calibrated(of, **_SEARCH)
    scored = composed_mu(1.0 / (_B * std) for r, std in zip(made.rounds, made.score_std, strict=True) for _ in r.pairs)
    return gaussian_pair(of.claim, 1.0, Fraction(scored) ** 2)


def _training(of: Instance) -> Exact:
    made = calibrated(of, **_SEARCH)
    trained = serial(
        Guarantee(
            2.0 / training.eigenvalue.scale, stability_delta(2.0 / training.eigenvalue.scale, training.eigenvalue.threshold)
        )
        for r, training in zip(made.rounds, made.training, strict=True)
        for _ in r.pairs
    )
    fits = trained.epsilon <= of.claim.epsilon and trained.delta <= of.claim.delta
    return Exact(lambda: (fits, trained.epsilon))


def _first_round(of: Instance) -> Exact:
    first = calibrated(of, **_SEARCH).training[0].eigenvalue
    return histogram_parts(first.scale, first.threshold, 4.0, 0.025)  # half of half of the target


def _chosen(candidate: search.Candidate | None) -> str:
    """Return which step sizes a search ended with."""
    return "none" if candidate is None else f"{candidate.c_1:g}, {candidate.c_2:g}"


_DATA = batches(2 * _B, 2)
#: Nearly all directions are at e_1, where the score of a row 9 e_1 is the ceiling and that of a row 0 is 0.
_CEILING_PAIR = replaced(_with(_DATA, _B + 1, [9.0, 0.0]), _B + 1, [0.0, 0.0])
_TO_CEILING, _TRAINED, _AVERAGED, _SCORED = (
    OnPair(f"a record that is {name}", pair, {**_SEARCH, "target": 1e9}).transcript
    for name, pair in (
        ("scored, from 0 to the ceiling", _CEILING_PAIR),
        *(
            (place, replaced(_DATA, i, [0.0, 9.0]))
            for place, i in (("trained on", 1), ("averaged", _B - 1), ("scored", _B + 1))
        ),
    )
)
_SCORED_OUTPUT = OnPair("scored", replaced(_DATA, _B + 1, [0.0, 9.0]), {**_SEARCH, "target": 0.4}).output(
    "a record that is scored, output", _chosen
)
_ALL_FAIL = Setup("exact", "2 rounds of mechanisms that fail outright with their delta", _outright)
_BUDGET: Any = {"because": "liu2022.search-budget"}
tuned = partial(Instance, SEARCH)
AUDITS += [
    tuned("AS_PRINTED", _ALL_FAIL, _SIXTEEN, "REFUTED", epsilon=math.inf, **_BUDGET),
    tuned("AS_PRINTED", _TRAINED, _SIXTEEN, trials=100, **_BUDGET),
    tuned("AS_PRINTED", _SCORED, _SIXTEEN, trials=100, **_BUDGET),
    tuned("AS_PRINTED", _SCORED_OUTPUT, _SIXTEEN, trials=100, **_BUDGET),
    tuned("CORRECTED", _ALL_FAIL, _SIXTEEN, epsilon=0.0),
    tuned("CORRECTED", Setup("exact", "the scores: a record that is scored", _scores), _SIXTEEN, epsilon=7.30106),
    tuned("CORRECTED", Setup("exact", "the training: a record that decides bins", _training), _SIXTEEN, epsilon=6.0),
    tuned(
        "CORRECTED",
        Setup("exact", "the eigenvalue of round 1: two occupied bins, and one alone", _first_round),
        _SIXTEEN,
        epsilon=4.0,
    ),
    tuned("CORRECTED", _TO_CEILING, _SIXTEEN, epsilon=7.30106, trials=200),
    tuned("CORRECTED", _AVERAGED, _SIXTEEN, trials=100),
    tuned("CORRECTED", _TRAINED, _SIXTEEN, trials=100),
    tuned("CORRECTED", _SCORED_OUTPUT, _SIXTEEN, trials=100),
    tuned(
        LEAN_TRAINING,
        Setup("exact", "a lone eigenvalue in 2 rounds", _lone_eigenvalue),
        _SIXTEEN,
        "REFUTED",
        epsilon=math.inf,
        **_BUDGET,
    ),
]


def _first_line(V: Data) -> Data:
    """Return the first direction of a basis without its sign."""
    return _line(V[:, 0])


#: Deflation runs Algorithm 3 on 2 entries, block Oja on 4.
_TWO_ENTRIES = {"AS_PRINTED": (0.0238854, 0.00625), "CORRECTED": (0.0238854, 0.00625), "LEAN": (0.242855, 0.0125)}
_FOUR_ENTRIES = {choice: _BINS[choice, THEOREM] for choice in ALL}
for _key, _n, _bins_of, _ranks in (
    (DEFLATION, 4000, _TWO_ENTRIES, "liu2022.rank-r-deflation"),
    (BLOCK, 2000, _FOUR_ENTRIES, "liu2022.rank-r-block"),
):
    rank, _sizes = partial(Instance, _key), {"n": _n, "d": 2, "B": 2000, "r": 2, "K": 1.0, "zeta": 0.1}
    _first, _second = (
        OnPair(
            f"a record of the {half} half, r=2",
            replaced(batches(_n, 2), index, [0.0, 50.0]),
            {**_sizes, "step_sizes": (1.0,)},
        )
        for half, index in (("first", 1), ("second", 1999))
    )
    for _choice in ALL:
        _why = _ranks if _choice == "AS_PRINTED" else ""
        AUDITS += [
            *_halves(
                _key,
                _choice,
                THEOREM,
                lambda of, sizes=_sizes: calibrated(of, **sizes).dp_pca,
                _bins_of[_choice],
                _ACROSS[_choice, THEOREM],
                _why,
            ),
            rank(_choice, _first.transcript, THEOREM, because=_why, trials=200),
            rank(_choice, _second.transcript, THEOREM, because=_why, trials=200),
            rank(_choice, _second.output(f"{_second.name}, output", _first_line), THEOREM, because=_why, trials=200),
        ]


# --- maximisers ---------------------------------------------------------------------------------------

_BALANCED = np.stack([np.outer(x, x) for x in np.tile([[1.0, 0.1], [1.0, -0.1]], (320, 1))])
#: Its gradient is a multiple of (1, 1), and leaves every box through a corner.
_FAR = HUGE * np.ones((2, 2))
_CEILING = HUGE * np.eye(2)
_BOXES = (r"t=1 bin\[\d\]", "t=1 mean")


def _moved(others: Data, place: int, x: Any, y: Any) -> DatasetPair:
    """Return two datasets with x, and with y, at a place among others."""
    return _with(others, place, x), _with(others, place, y)


MAXIMISERS = {
    OJA: Maximiser({}, _moved(np.zeros((6, 2, 2)), 3, _CEILING, -_CEILING), (r"g\[\d\]",)),
    MINIBATCH: Maximiser({}, _moved(np.zeros((6, 2, 2)), 5, _CEILING, -_CEILING), (r"g\[2\]",)),
    EIGENVALUE: Maximiser({}, _moved(np.zeros((640, 2)), 0, np.eye(2)[0], np.zeros(2)), ("eigenvalue",)),
    MEAN: Maximiser({}, _moved(np.zeros((640, 2)), 0, _FAR[0], -_FAR[0]), (r"bin\[1\]", r"bin\[2\]", "mean")),
    DP_PCA: Maximiser({}, _moved(_BALANCED, 300, _FAR, -_FAR), (r"t=1 bin\[1\]", r"t=1 bin\[2\]", "t=1 mean")),
    SEARCH: Maximiser({}, _moved(_BALANCED, 600, _CEILING, 0.0), (r"\d\.\d score",)),
    DEFLATION: Maximiser({}, _moved(_BALANCED, 300, _FAR, -_FAR), tuple(f"component 1 {name}" for name in _BOXES)),
    BLOCK: Maximiser({}, _moved(_BALANCED, 300, _FAR, -_FAR), _BOXES),
}
