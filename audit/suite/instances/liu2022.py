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
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dppca.audit.enclosure.finite import epsilon_of_laws, sparse_histogram_law, worst_histogram_delta
from dppca.audit.enclosure.gaussian import ball, decide
from dppca.audit.enclosure.hidden_shift import best_event, event_excess
from dppca.audit.engine.outputs import Features
from dppca.audit.engine.results import Claim
from dppca.audit.suite import marginal
from dppca.audit.suite.instance import Audits, Built, Exact, Maximiser, Output, Transcript, sampled
from dppca.audit.suite.pairs import gaussian_pair, histogram_parts
from dppca.reference.catalog import ALGORITHMS
from dppca.reference.liu2022 import algorithm_4_top_eigenvalue as algorithm_4
from dppca.reference.liu2022 import algorithm_5_mean as algorithm_5
from dppca.reference.liu2022 import hyperparameter_search as search
from dppca.reference.liu2022.shuffling import shuffled_gaussian_delta
from dppca.reference.noise import Algorithm
from dppca.reference.primitives.composition import Guarantee, serial
from dppca.reference.primitives.gaussian import composed_mu
from dppca.reference.primitives.sparse_histogram import SparseHistogramLaw, stability_delta, stability_threshold
from dppca.reference.primitives.symmetric import upper_triangle
from dppca.reference.relation import Relation

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
AUDITS: list[Audits] = []


# --- Algorithm 2 --------------------------------------------------------------------------------------


def _private_oja(choice: str) -> Iterator[Built]:
    """One record whose clipped gradient is w among records at -w; the order is summed out (audit/suite/marginal.py).

    The transcript is then a Gaussian shift of mu = 1 / alpha at a hidden place among n (audit/enclosure/hidden_shift.py).
    Lemma 3.1 asks for epsilon = O(sqrt(log(n / delta) / n)); with the constant 1 that is 0.42 at n = 64, delta = 1e-3.
    """
    for claim, n in ((_BEYOND, 64), (_THREE, 1000), (_INSIDE, 64), (_TENTH, 1000)):
        if claim == _THREE and choice == "CORRECTED":
            continue
        calibration = _calibrate(OJA, choice, claim, n=n, d=2, **CLIPPING)
        name, mu = f"w among -w, n={n}", 1.0 / calibration.alpha
        yield Built("exact", name, claim, Exact(partial(_hidden_shift, claim, mu, n)))
        if n > 64:
            continue
        steps = (0.3,) * n
        run = _summed_out(calibration, steps)
        yield Built("transcript", name, claim, Transcript(run, *_opposite(n)))
        zeros = np.zeros((n, 2, 2))
        pair = replaced(_with(zeros, 0, HUGE * np.eye(2)), 0, -HUGE * np.eye(2))
        yield Built("transcript", f"w/-w among 0, n={n}", claim, Transcript(run, *pair))
        rows = replaced(np.tile([[HUGE, 0.0]], (n, 1)), 0, [0.0, HUGE])
        arguments = {"n": n, "d": 2, **CLIPPING, "step_sizes": steps}
        how = _output_audit(OJA, choice, claim, rows, arguments, features=_line)
        yield Built("output", f"e1/e2 among e1, n={n}, output", claim, how)


_BEYOND, _INSIDE, _THREE, _TENTH = Claim(5.0, 1e-3), Claim(0.2, 1e-3), Claim(3.0, 1e-3), Claim(0.1, 1e-3)
AUDITS.append(oja := Audits(OJA, _private_oja))
_LEMMA: Any = {"because": "liu2022.lemma-3.1"}
oja.of("AS_PRINTED", "exact", "w among -w, n=64", _BEYOND, "REFUTED", epsilon=12.8246, **_LEMMA)
oja.of("AS_PRINTED", "transcript", "w among -w, n=64", _BEYOND, "REFUTED", trials=600, least=600, **_LEMMA)
oja.of("AS_PRINTED", "exact", "w among -w, n=1000", _THREE, "REFUTED", epsilon=37.0656, **_LEMMA)
oja.of("AS_PRINTED", "exact", "w among -w, n=64", _INSIDE, epsilon=0.00321337, **_LEMMA)
oja.of("AS_PRINTED", "transcript", "w among -w, n=64", _INSIDE, trials=300, **_LEMMA)
oja.of("AS_PRINTED", "output", "e1/e2 among e1, n=64, output", _INSIDE, trials=1_000, **_LEMMA)
oja.of("AS_PRINTED", "exact", "w among -w, n=1000", _TENTH, epsilon=0.0, **_LEMMA)
oja.of("CORRECTED", "exact", "w among -w, n=1000", _TENTH, epsilon=0.0)
for _claim, _epsilon in ((_BEYOND, 1.1943), (_INSIDE, 0.00344048)):
    oja.of("CORRECTED", "exact", "w among -w, n=64", _claim, epsilon=_epsilon)
    oja.of("CORRECTED", "transcript", "w among -w, n=64", _claim, trials=300)
    oja.of("CORRECTED", "transcript", "w/-w among 0, n=64", _claim, trials=300)
    oja.of("CORRECTED", "output", "e1/e2 among e1, n=64, output", _claim, trials=1_000)


def _hidden_shift(claim: Claim, mu: float, n: int) -> tuple[bool, float]:
    """Return whether the claim holds of a shift hidden among n, and an epsilon below which none holds.

    Refuted by an event, in ball arithmetic, or shown by the account of `dppca.reference.liu2022.shuffling`.
    """
    a, epsilon = best_event(claim.delta, mu, n)
    if not decide(lambda: event_excess(ball(claim.epsilon), ball(mu), n, ball(a)), lambda: ball(claim.delta)):
        return False, epsilon
    if shuffled_gaussian_delta(claim.epsilon, 1.0 / mu, n) > claim.delta:
        raise ValueError(f"the account does not decide {claim} at mu = {mu}, n = {n}")
    return True, epsilon


def _summed_out(calibration: Any, steps: tuple[float, ...]) -> Algorithm[Data]:
    return lambda data, noise: marginal.private_oja(data, steps, calibration, noise)


def _opposite(n: int) -> DatasetPair:
    """Return matrices -c I, the first replaced by c I."""
    return replaced(np.tile(-HUGE * np.eye(2), (n, 1, 1)), 0, HUGE * np.eye(2))


# --- Equation (7) -------------------------------------------------------------------------------------


def _minibatch(choice: str) -> Iterator[Built]:
    """A record's clipped gradient turns from w to -w: a batch's mean moves by 2 beta / B, one Gaussian of mu = 1 / alpha."""
    claim, n, T = COMMON, 2000, 2
    alpha = _calibrate(MINIBATCH, choice, claim, n=n, d=2, **CLIPPING).alpha
    run = _bind(MINIBATCH, choice, claim, n=n, d=2, **CLIPPING, step_sizes=(0.5,) * T)
    zeros = np.zeros((n, 2, 2))
    for index, name in ((0, "w/-w, first of a batch"), (n // T - 1, "w/-w, last of a batch")):
        pair = replaced(_with(zeros, index, HUGE * np.eye(2)), index, -HUGE * np.eye(2))
        yield Built("exact", name, claim, gaussian_pair(claim, alpha, Fraction(1)))
        yield Built("transcript", name, claim, Transcript(run, *pair))

    # a step so long that the start, which is hidden, does not count: the direction of beta u + N(0, (2 beta alpha)^2 I)
    n = 400
    arguments = {"n": n, "d": 2, **CLIPPING, "step_sizes": (1e15,)}
    pair = replaced(_with(np.zeros((n, 2)), 0, [HUGE, 0.0]), 0, [0.0, HUGE])
    how = _output_audit(MINIBATCH, choice, LARGE, pair, arguments, features=_line)
    yield Built("output", "e1/e2, one step, output", LARGE, how)

    # every batch loses its first record and gains the next one's, which has the opposite gradient
    T, B = 4, 3
    data = np.zeros((B * T + 1, 2, 2))
    data[::B] = np.array([1.0, -1.0, 1.0, -1.0, 1.0])[:, np.newaxis, np.newaxis] * HUGE * np.eye(2)
    alpha = _calibrate(MINIBATCH, choice, claim, n=len(data), d=2, **CLIPPING).alpha
    run = _own_n(MINIBATCH, choice, claim, lambda _: (0.5,) * T, d=2, **CLIPPING)
    name = "add-remove: the first record goes, all batches shift"
    yield Built("exact", name, claim, gaussian_pair(claim, alpha, Fraction(T)))
    yield Built("transcript", name, claim, Transcript(run, data, data[1:]))


AUDITS.append(minibatch := Audits(MINIBATCH, _minibatch))
_SEVEN: Any = {"because": "liu2022.equation-7-privacy"}
minibatch.of("AS_PRINTED", "exact", "w/-w, first of a batch", COMMON, "REFUTED", epsilon=12.1496, **_SEVEN)
minibatch.of(
    "AS_PRINTED", "transcript", "w/-w, first of a batch", COMMON, "REFUTED", epsilon=12.1496, trials=1_000, least=400, **_SEVEN
)
# The printed sum leaves the last record of a batch out.
minibatch.of(
    "AS_PRINTED", "transcript", "w/-w, last of a batch", COMMON, epsilon=0.0, trials=500, because="liu2022.equation-7-sum"
)
minibatch.of("AS_PRINTED", "output", "e1/e2, one step, output", LARGE, "REFUTED", epsilon=14.9953, trials=10_000, **_SEVEN)
for _name in ("w/-w, first of a batch", "w/-w, last of a batch"):
    minibatch.of("CORRECTED", "exact", _name, COMMON, epsilon=1.0)
    minibatch.of("CORRECTED", "transcript", _name, COMMON, epsilon=1.0, trials=1_000)
minibatch.of("CORRECTED", "output", "e1/e2, one step, output", LARGE, epsilon=0.480775, trials=10_000)
_SHIFT = "add-remove: the first record goes, all batches shift"
minibatch.of("CORRECTED", "exact", _SHIFT, COMMON, "REFUTED", epsilon=2.15468, **_ADD_REMOVE)
minibatch.of("CORRECTED", "transcript", _SHIFT, COMMON, "REFUTED", epsilon=2.15468, trials=1_000, least=400, **_ADD_REMOVE)


# --- the histogram learner, exhaustively --------------------------------------------------------------


def _histogram(choice: str) -> Iterator[Built]:
    """All neighbouring counts of a few items, in fractions: the threshold gives exactly delta, one less does not.

    With e^(epsilon / 2) = 2 and delta = 2^-T the threshold of `stability_threshold` is T.
    """
    for items, cells, claim in _COUNTS:
        threshold = round(stability_threshold(claim.epsilon, claim.delta)) - (choice == LESS)
        yield Built(
            "exact", f"histogram, all of {items} items in {cells} cells", claim, _over_counts(claim, items, cells, threshold)
        )


_COUNTS = tuple((items, cells, Claim(2.0 * math.log(2.0), 2.0**-T)) for items, cells, T in ((4, 4, 3), (5, 3, 4)))
LESS = "CORRECTED, threshold less 1"


def _over_counts(claim: Claim, items: int, cells: int, threshold: int) -> Exact:
    @cache
    def decide_all() -> tuple[bool, float]:
        ratio = Fraction(2)
        delta, pair = worst_histogram_delta(items, cells, ratio, threshold)
        p, q = (sparse_histogram_law(counts, ratio, threshold, max(items, threshold) + 1) for counts in pair)
        return delta <= Fraction(claim.delta), epsilon_of_laws(p, q, claim.delta)

    return Exact(decide_all)


# --- Algorithm 4 --------------------------------------------------------------------------------------


def _top_eigenvalue(choice: str) -> Iterator[Built]:
    """One record moves one subset's eigenvalue; every subset has one difference, (v, 0) with v = 1 but for a few."""
    if choice != "AS_PRINTED":
        yield from _histogram(choice)
    if choice == LESS:
        return
    zeta, claim, small = 0.1, _WHOLE, _LITTLE
    for target in (claim, small):
        calibration = _calibrate(EIGENVALUE, choice, target, B=_pairs_needed(target, zeta), zeta=zeta)
        how = histogram_parts(calibration.scale, calibration.threshold, target.epsilon, target.delta)
        yield Built("exact", "two occupied bins, and one alone", target, how)
    B = _pairs_needed(small, zeta)
    run = _bind(EIGENVALUE, choice, small, B=B, zeta=zeta)
    name, pair = "between two occupied bins", replaced(_differences(B, dict.fromkeys(range(B // 4), 2.0)), 1, [1.0, 0.0])
    yield Built("transcript", name, small, Transcript(run, *pair))
    yield Built("output", f"{name}, output", small, _output_audit(EIGENVALUE, choice, small, pair, {"B": B, "zeta": zeta}))

    B = _pairs_needed(claim, zeta)
    run = _bind(EIGENVALUE, choice, claim, B=B, zeta=zeta)
    alone = _differences(B, {0: 8.0})
    for name, v in (("alone, to an occupied bin", 1.0), ("alone, to an empty bin", 64.0)):
        pair = replaced(alone, 1, [v, 0.0])
        yield Built("transcript", name, claim, Transcript(run, *pair))
    # the lone bin shows with probability delta, whatever epsilon is, and the other dataset cannot show it
    yield Built("transcript", f"{name}, at delta / 2", _HALF, Transcript(run, *pair))

    # g_1 = g_2, g_3 = g_4, ...: without g_1 no pair has equal gradients, and all k eigenvalues change
    equal = np.repeat(np.tile([[0.0, 0.0], [1.0, 0.0]], (B, 1)), 2, axis=0)[: B + 1]
    run = _own_n(EIGENVALUE, choice, claim, None, zeta=zeta)
    calibration = _calibrate(EIGENVALUE, choice, claim, B=B, zeta=zeta)
    holds = _is_shown(calibration.k, calibration.scale, calibration.threshold) <= claim.delta
    yield Built("exact", _PAIRS_CHANGE, claim, Exact(lambda: (holds, 0.0 if holds else math.inf)))
    yield Built("transcript", _PAIRS_CHANGE, claim, Transcript(run, equal, equal[1:]))
    yield Built("output", f"{_PAIRS_CHANGE}, output", claim, Output(sampled(run), equal, equal[1:]))


_WHOLE, _LITTLE, _HALF = Claim(1.0, 0.1), Claim(1.0, 1e-3), Claim(1.0, 0.05)
_PAIRS_CHANGE = "add-remove: the first gradient goes, all pairs change"
AUDITS.append(eigenvalue := Audits(EIGENVALUE, _top_eigenvalue))
for (_items, _cells, _claim), _epsilon in zip(_COUNTS, (0.559616, 0.628609), strict=True):
    _name = f"histogram, all of {_items} items in {_cells} cells"
    eigenvalue.of("CORRECTED", "exact", _name, _claim, epsilon=_epsilon)
    eigenvalue.of(LESS, "exact", _name, _claim, "REFUTED", epsilon=math.inf, because="primitives.sparse-histogram")
for _choice, _why in (("AS_PRINTED", "liu2022.theorem-6.1-privacy"), ("CORRECTED", "")):
    for _claim in (_WHOLE, _LITTLE):
        eigenvalue.of(_choice, "exact", "two occupied bins, and one alone", _claim, epsilon=1.0, because=_why)
    eigenvalue.of(_choice, "transcript", "between two occupied bins", _LITTLE, epsilon=1.0, because=_why, trials=1_500)
    eigenvalue.of(_choice, "output", "between two occupied bins, output", _LITTLE, epsilon=1.0, because=_why, trials=2_000)
    eigenvalue.of(_choice, "transcript", "alone, to an occupied bin", _WHOLE, epsilon=1.0, because=_why, trials=1_500)
    eigenvalue.of(_choice, "transcript", "alone, to an empty bin", _WHOLE, epsilon=0.0, because=_why, trials=1_500)
    eigenvalue.of(
        _choice,
        "transcript",
        "alone, to an empty bin, at delta / 2",
        _HALF,
        "REFUTED",
        epsilon=math.inf,
        because="liu2022.theorem-6.1-privacy",
        trials=2_000,
        least=1_000,
        target=_WHOLE,
    )
    eigenvalue.of(_choice, "exact", _PAIRS_CHANGE, _WHOLE, "REFUTED", epsilon=math.inf, **_ADD_REMOVE)
    eigenvalue.of(_choice, "transcript", _PAIRS_CHANGE, _WHOLE, "REFUTED", epsilon=math.inf, trials=500, **_ADD_REMOVE)
    _name = f"{_PAIRS_CHANGE}, output"
    eigenvalue.of(_choice, "output", _name, _WHOLE, "REFUTED", epsilon=math.inf, trials=1_000, **_ADD_REMOVE)


def _pairs_needed(claim: Claim, zeta: float) -> int:
    """Return twice the number of subsets: one difference for each."""
    k = algorithm_4.calibrate(claim.epsilon, claim.delta, B=10**9, zeta=zeta).k
    return 2 * k


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


# --- Algorithm 5 --------------------------------------------------------------------------------------


def _mean(choice: str) -> Iterator[Built]:
    """One record moves from bin to bin in every coordinate, and by the diagonal of the box in the mean."""
    for claim, B in ((_LOW, 8000 if choice != "LEAN" else 4000), (_HIGH, 600)):
        if claim == _HIGH and choice != "LEAN":
            continue
        target = {"B": B, "d": 2, "K": 1.0, "zeta": 0.1}
        calibration = _calibrate(MEAN, choice, claim, **target)
        yield from _mean_parts(claim, calibration, *_HISTOGRAMS[choice, claim])
        run = _bind(MEAN, choice, claim, **target, eigenvalue=1.0)
        # three occupied bins a coordinate, the outer two beyond the box around the middle one
        far = 2.0 * calibration.radius
        g = np.zeros((B, 2))
        g[: B // 4], g[B // 4 : B // 2] = -far, far
        across = replaced(g, 0, [far, far])
        alone = replaced(_with(g, 0, [-7.0 * far, -7.0 * far]), 0, [7.0 * far, 7.0 * far])
        for name, pair in (("across the box, between occupied bins", across), ("across the box, alone in its bins", alone)):
            yield Built("transcript", name, claim, Transcript(run, *pair))
        how = _output_audit(MEAN, choice, claim, across, {**target, "eigenvalue": 1.0})
        yield Built("output", "across the box, output", claim, how)


def _mean_parts(claim: Claim, calibration: algorithm_5.MeanCalibration, epsilon: float, delta: float) -> Iterator[Built]:
    """Yield Algorithm 5's parts by themselves: a coordinate's histogram at its share, the mean's Gaussian at the claim."""
    how = histogram_parts(calibration.scale, calibration.threshold, epsilon, delta)
    yield Built("exact", "the mean: the bins of a coordinate", claim, how)
    claim = _SHARE if (calibration.epsilon, claim) == (0.4, THEOREM) else claim
    how = gaussian_pair(claim, calibration.std, Fraction(calibration.sensitivity) ** 2)
    yield Built("exact", "the mean: across the box", claim, how)


_LOW, _HIGH = Claim(0.8, 1e-3), Claim(4.0, 0.01)
#: What is left for the mean's Gaussian of Algorithm 3 at THEOREM, where print halves twice.
_SHARE = Claim(0.2, 0.025)
#: What the histogram of a coordinate may spend, d = 2: print's shares of (epsilon, delta); those of LEAN are its own.
_HISTOGRAMS = {
    ("AS_PRINTED", _LOW): (0.0347230, 0.000125),
    ("CORRECTED", _LOW): (0.0347230, 0.000125),
    ("LEAN", _LOW): (0.200414, 0.000125),
    ("LEAN", _HIGH): (1.00235, 0.00125),
}
AUDITS.append(mean := Audits(MEAN, _mean))
_CASES = (("AS_PRINTED", _LOW, "liu2022.lemma-6.2-privacy"), ("CORRECTED", _LOW, ""), ("LEAN", _LOW, ""), ("LEAN", _HIGH, ""))
#: Epsilon of the mean's Gaussian: mu = (epsilon / 2) / sqrt(2 ln(2.5 / delta)) but for LEAN, which has its own account.
_ACROSS = {"AS_PRINTED": 0.200215, "CORRECTED": 0.200215, "LEAN": 0.359992}
for _choice, _claim, _why in _CASES:
    _loss = _HISTOGRAMS[_choice, _claim][0]
    _gauss = 1.77546 if _claim == _HIGH else _ACROSS[_choice]
    mean.of(_choice, "exact", "the mean: the bins of a coordinate", _claim, epsilon=_loss, because=_why)
    mean.of(_choice, "exact", "the mean: across the box", _claim, epsilon=_gauss, because=_why)
    mean.of(_choice, "transcript", "across the box, between occupied bins", _claim, because=_why, trials=600)
    mean.of(_choice, "transcript", "across the box, alone in its bins", _claim, because=_why, trials=600)
    mean.of(_choice, "output", "across the box, output", _claim, because=_why, trials=1_000)


# --- Algorithm 3 --------------------------------------------------------------------------------------


def _dp_pca(choice: str) -> Iterator[Built]:
    """A record of a batch's first half decides one eigenvalue's bin; one of its second half crosses bins and box."""
    n, d = 2000, 4
    for claim, B in ((THEOREM, 2000), (_HIGH, 1000)):
        if claim == _HIGH and choice != "LEAN":
            continue
        steps = (1.0, 0.5)[: n // B]
        target = {"n": n, "d": d, "B": B, "K": 1.0, "zeta": 0.1}
        calibration = _calibrate(DP_PCA, choice, claim, **target)
        yield from _halves(claim, calibration, _SHARES[choice, claim], _BINS[choice, claim])
        run = _bind(DP_PCA, choice, claim, **target, step_sizes=steps)
        data = batches(n, d)
        far = np.full(d, 50.0)
        long = data.copy()  # half of the first batch's subsets have a long difference; one loses it
        long[1 : calibration.eigenvalue.k * calibration.eigenvalue.b : 2 * calibration.eigenvalue.b] = far
        for half, pair in (("first", replaced(long, 1, data[1])), ("second", replaced(data, B - 1, far))):
            yield Built("transcript", f"a record of the {half} half, n={n}, d={d}, B={B}", claim, Transcript(run, *pair))
        how = _output_audit(DP_PCA, choice, claim, pair, {**target, "step_sizes": steps}, features=_line)
        yield Built("output", f"a record of the second half, B={B}, output", claim, how)

    # The last of 2 B records decides whether there is a second step, which turns w from e_1 to e_2.
    B = 2000
    rows = batches(B, 2)
    turn = np.array([[0.0, 1.0], [1.0, 0.0]])
    products = rows[:, :, np.newaxis] * rows[:, np.newaxis, :]
    data = np.concatenate([products, 100.0 * (rows @ turn)[:, :, np.newaxis] * [1.0, 0.0]])
    run = _own_n(DP_PCA, choice, THEOREM, lambda n: (1e3,) * (n // B), B=B, d=2, K=1.0, zeta=0.1)
    # nearly all directions are at e_2 on one dataset and at e_1 on the other
    yield Built("output", f"{_ONE_STEP_LESS}, output", THEOREM, Output(sampled(run), data, data[:-1], features=_line))
    # n = B + 1: without the first record the one batch has other pairs, and no eigenvalue is 0
    equal = np.repeat(np.tile([[1.0, 0.0], [0.0, 1.0]], (B, 1)), 2, axis=0)[: B + 1]
    run = _own_n(DP_PCA, choice, THEOREM, lambda n: (1.0,) * (n // B), B=B, d=2, K=1.0, zeta=0.1)
    yield Built("transcript", _OTHER_PAIRS, THEOREM, Transcript(run, equal, equal[1:]))


def _halves(claim: Claim, calibration: Any, share: tuple[float, float], bins: tuple[float, float]) -> Iterator[Built]:
    """Yield Algorithm 3's parts by themselves: the histogram of eigenvalues, and those of Algorithm 5."""
    eigenvalue = calibration.eigenvalue
    how = histogram_parts(eigenvalue.scale, eigenvalue.threshold, *share)
    yield Built("exact", "the eigenvalue: two occupied bins, and one alone", claim, how)
    yield from _mean_parts(claim, calibration.mean, *bins)


#: What the two halves of Algorithm 3 may spend, print halving (epsilon, delta), and a coordinate's histogram of d = 4.
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
_ONE_STEP_LESS = "add-remove: n = 2 B less 1, one step less"
_OTHER_PAIRS = "add-remove: the first record goes, all pairs change"
AUDITS.append(dp_pca := Audits(DP_PCA, _dp_pca))


def _add_halves(audits: Audits, choice: str, claim: Claim, bins: tuple[float, float], across: float, why: str) -> None:
    """Add the instances of the parts."""
    name = "the eigenvalue: two occupied bins, and one alone"
    audits.of(choice, "exact", name, claim, epsilon=_SHARES[choice, claim][0], because=why)
    audits.of(choice, "exact", "the mean: the bins of a coordinate", claim, epsilon=bins[0], because=why)
    name = "the mean: across the box"
    if choice == "LEAN":
        audits.of(choice, "exact", name, claim, epsilon=across)
    else:
        audits.of(choice, "exact", name, _SHARE, epsilon=across, because="liu2022.lemma-6.2-privacy", target=claim)


_FIVE_ONE = "liu2022.theorem-5.1-privacy"
_CASES = (("AS_PRINTED", THEOREM, _FIVE_ONE), ("CORRECTED", THEOREM, ""), ("LEAN", THEOREM, ""), ("LEAN", _HIGH, ""))
_ACROSS_4 = {
    ("AS_PRINTED", THEOREM): 0.00754328,
    ("CORRECTED", THEOREM): 0.00754328,
    ("LEAN", THEOREM): 0.197058,
    ("LEAN", _HIGH): 1.77546,
}
for _choice, _claim, _why in _CASES:
    _B = 1000 if _claim == _HIGH else 2000
    _add_halves(dp_pca, _choice, _claim, _BINS[_choice, _claim], _ACROSS_4[_choice, _claim], _why)
    for _half in ("first", "second"):
        _name = f"a record of the {_half} half, n=2000, d=4, B={_B}"
        dp_pca.of(_choice, "transcript", _name, _claim, because=_why, trials=500)
    dp_pca.of(_choice, "output", f"a record of the second half, B={_B}, output", _claim, because=_why, trials=20_000)
for _choice in ALL:
    dp_pca.of(_choice, "output", f"{_ONE_STEP_LESS}, output", THEOREM, "REFUTED", trials=1_500, **_ADD_REMOVE)
dp_pca.of("CORRECTED", "transcript", _OTHER_PAIRS, THEOREM, "REFUTED", epsilon=math.inf, trials=500, **_ADD_REMOVE)


def batches(n: int, d: int) -> Data:
    """Return rows e_1 + 0.1 e_2 and e_1 - 0.1 e_2 in turn: gradients near (w^T e_1) e_1, equal differences in every pair."""
    rows = np.zeros((n, d))
    rows[:, 0] = 1.0
    rows[::2, 1], rows[1::2, 1] = 0.1, -0.1
    return rows


# --- search and rank r --------------------------------------------------------------------------------


def _search(choice: str) -> Iterator[Built]:
    """Yield the views of the printed rounds, whose shares add up to 2 epsilon (1 - 2^-R), 2 delta (1 - 2^-R).

    Mechanisms that spend them show it. The printed training does not: a record meets one half of a batch, on half of the
    share. Trained with LEAN it does: a lone eigenvalue is shown with the whole delta of each share.
    """
    claim, rounds = _SIXTEEN, 2
    B = 640
    target = {"n": 2 * B, "d": 2, "B": B, "K": 1.0, "ceiling": 2.0, "rounds": rounds, "zeta": 0.5}
    if choice == LEAN_TRAINING:
        # On one dataset the eigenvalue of a subset is alone in its bin in every run, on the other all eigenvalues are 0.
        choices = replace(search.AS_PRINTED, dp_pca=ALGORITHMS[DP_PCA].choices["LEAN"])
        calibration = search.calibrate(claim.epsilon, claim.delta, **target, choices=choices)
        hidden = math.fsum(
            len(r.pairs) * math.log1p(-stability_delta(training.eigenvalue.epsilon, training.eigenvalue.threshold))
            for r, training in zip(calibration.rounds, calibration.training, strict=True)
        )
        lone = -math.expm1(hidden) <= claim.delta
        yield Built("exact", "a lone eigenvalue in 2 rounds", claim, Exact(lambda: (lone, 0.0 if lone else math.inf)))
        return
    calibration = _calibrate(SEARCH, choice, claim, **target)
    shares = [r.each for r in calibration.rounds for _ in r.pairs]
    delta = -math.expm1(math.fsum(math.log1p(-share.delta) for share in shares))  # serial composition where it is <=
    holds = delta <= claim.delta and calibration.spent.epsilon <= claim.epsilon
    yield Built("exact", _OUTRIGHT, claim, Exact(lambda: (holds, 0.0 if holds else math.inf)))
    planned = list(zip(calibration.rounds, calibration.training, calibration.score_std, strict=True))
    scored = composed_mu(1.0 / (B * std) for r, _, std in planned for _ in r.pairs)
    how = gaussian_pair(claim, 1.0, Fraction(scored) ** 2)
    yield Built("exact", "the scores: a record that is scored", claim, how)
    trained = serial(
        Guarantee(2.0 / of.eigenvalue.scale, stability_delta(2.0 / of.eigenvalue.scale, of.eigenvalue.threshold))
        for r, of, _ in planned
        for _ in r.pairs
    )
    fits = trained.epsilon <= claim.epsilon and trained.delta <= claim.delta
    yield Built("exact", "the training: a record that decides bins", claim, Exact(lambda: (fits, trained.epsilon)))
    first = calibration.training[0].eigenvalue
    how = histogram_parts(first.scale, first.threshold, 4.0, 0.025)  # half of half of the target
    yield Built("exact", "the eigenvalue of round 1: two occupied bins, and one alone", claim, how)
    data = batches(2 * B, 2)
    run = _bind(SEARCH, choice, claim, **target, target=1e9)
    # nearly all directions are at e_1, where the score of a row 9 e_1 is the ceiling and that of a row 0 is 0
    pair = replaced(_with(data, B + 1, [9.0, 0.0]), B + 1, [0.0, 0.0])
    yield Built("transcript", "a record that is scored, from 0 to the ceiling", claim, Transcript(run, *pair))
    for place, index in (("trained on", 1), ("averaged", B - 1), ("scored", B + 1)):
        pair = replaced(data, index, [0.0, 9.0])
        yield Built("transcript", f"a record that is {place}", claim, Transcript(run, *pair))
    how_output = _output_audit(SEARCH, choice, claim, pair, {**target, "target": 0.4}, features=_chosen)
    yield Built("output", "a record that is scored, output", claim, how_output)


def _chosen(candidate: search.Candidate | None) -> str:
    """Return which step sizes a search ended with."""
    return "none" if candidate is None else f"{candidate.c_1:g}, {candidate.c_2:g}"


_SIXTEEN = Claim(16.0, 0.1)
LEAN_TRAINING = "AS_PRINTED, training LEAN"
_OUTRIGHT = "2 rounds of mechanisms that fail outright with their delta"
AUDITS.append(tuned := Audits(SEARCH, _search))
_BUDGET: Any = {"because": "liu2022.search-budget"}
tuned.of("AS_PRINTED", "exact", _OUTRIGHT, _SIXTEEN, "REFUTED", epsilon=math.inf, **_BUDGET)
tuned.of("AS_PRINTED", "transcript", "a record that is trained on", _SIXTEEN, trials=100, **_BUDGET)
tuned.of("AS_PRINTED", "transcript", "a record that is scored", _SIXTEEN, trials=100, **_BUDGET)
tuned.of("AS_PRINTED", "output", "a record that is scored, output", _SIXTEEN, trials=100, **_BUDGET)
tuned.of("CORRECTED", "exact", _OUTRIGHT, _SIXTEEN, epsilon=0.0)
tuned.of("CORRECTED", "exact", "the scores: a record that is scored", _SIXTEEN, epsilon=7.30106)
tuned.of("CORRECTED", "exact", "the training: a record that decides bins", _SIXTEEN, epsilon=6.0)
tuned.of("CORRECTED", "exact", "the eigenvalue of round 1: two occupied bins, and one alone", _SIXTEEN, epsilon=4.0)
tuned.of("CORRECTED", "transcript", "a record that is scored, from 0 to the ceiling", _SIXTEEN, epsilon=7.30106, trials=200)
tuned.of("CORRECTED", "transcript", "a record that is averaged", _SIXTEEN, trials=100)
tuned.of("CORRECTED", "transcript", "a record that is trained on", _SIXTEEN, trials=100)
tuned.of("CORRECTED", "output", "a record that is scored, output", _SIXTEEN, trials=100)
tuned.of(LEAN_TRAINING, "exact", "a lone eigenvalue in 2 rounds", _SIXTEEN, "REFUTED", epsilon=math.inf, **_BUDGET)


def _rank_r(key: str, n: int, bins: Mapping[str, tuple[float, float]], choice: str) -> Iterator[Built]:
    """Yield the views of Algorithm 3 for r directions, with d r for d in block Oja."""
    claim, B = THEOREM, 2000
    target = {"n": n, "d": 2, "B": B, "r": 2, "K": 1.0, "zeta": 0.1}
    yield from _halves(claim, _calibrate(key, choice, claim, **target).dp_pca, _SHARES[choice, claim], bins[choice])
    arguments = {**target, "step_sizes": (1.0,)}
    run = _bind(key, choice, claim, **arguments)
    for half, index in (("first", 1), ("second", B - 1)):
        pair = replaced(batches(n, 2), index, [0.0, 50.0])
        yield Built("transcript", f"a record of the {half} half, r=2", claim, Transcript(run, *pair))
    how = _output_audit(key, choice, claim, pair, arguments, features=_first_line)
    yield Built("output", "a record of the second half, r=2, output", claim, how)


def _first_line(V: Data) -> Data:
    """Return the first direction of a basis without its sign."""
    return _line(V[:, 0])


#: Deflation runs Algorithm 3 on 2 entries, block Oja on 4.
_TWO_ENTRIES = {"AS_PRINTED": (0.0238854, 0.00625), "CORRECTED": (0.0238854, 0.00625), "LEAN": (0.242855, 0.0125)}
_FOUR_ENTRIES = {choice: _BINS[choice, THEOREM] for choice in ALL}
_ACROSS_2 = {"AS_PRINTED": 0.00754328, "CORRECTED": 0.00754328, "LEAN": 0.197058}
for _key, _n, _bins, _where, _ranks in (
    (DEFLATION, 4000, _TWO_ENTRIES, _ACROSS_2, "liu2022.rank-r-deflation"),
    (BLOCK, 2000, _FOUR_ENTRIES, {_choice: _ACROSS_4[_choice, THEOREM] for _choice in ALL}, "liu2022.rank-r-block"),
):
    AUDITS.append(rank := Audits(_key, partial(_rank_r, _key, _n, _bins)))
    for _choice in ALL:
        _why = _ranks if _choice == "AS_PRINTED" else ""
        _add_halves(rank, _choice, THEOREM, _bins[_choice], _where[_choice], _why)
        for _half in ("first", "second"):
            rank.of(_choice, "transcript", f"a record of the {_half} half, r=2", THEOREM, because=_why, trials=200)
        rank.of(_choice, "output", "a record of the second half, r=2, output", THEOREM, because=_why, trials=200)


# --- shared -------------------------------------------------------------------------------------------


def _bind(key: str, choice: str, claim: Claim, **arguments: Any) -> Algorithm[Any]:
    entry = ALGORITHMS[key]
    return entry.bind(epsilon=claim.epsilon, delta=claim.delta, choices=entry.choices[choice], **arguments)


def _calibrate(key: str, choice: str, claim: Claim, **arguments: Any) -> Any:
    entry = ALGORITHMS[key]
    if entry.calibrate is None:
        raise TypeError(f"{key} must have a calibration")
    return entry.calibrate(claim.epsilon, claim.delta, choices=entry.choices[choice], **arguments)


def _own_n(
    key: str, choice: str, claim: Claim, steps: Callable[[int], tuple[float, ...]] | None, **arguments: Any
) -> Algorithm[Any]:
    """Return the algorithm with the calibration for the number of records that it finds (B of them for Algorithm 4)."""

    @cache
    def bound(n: int) -> Algorithm[Any]:
        if steps is None:
            return _bind(key, choice, claim, B=n, **arguments)
        return _bind(key, choice, claim, n=n, step_sizes=steps(n), **arguments)

    return lambda data, noise: bound(len(data))(data, noise)


def _output_audit(
    key: str,
    choice: str,
    claim: Claim,
    pair: DatasetPair,
    arguments: Mapping[str, Any],
    features: Features | None = None,
) -> Output:
    """Return the output audit of the algorithm with these arguments."""
    bound = {"epsilon": claim.epsilon, "delta": claim.delta, **arguments}
    return Output(sampled(_bind(key, choice, claim, **arguments)), *pair, features, bound)


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
