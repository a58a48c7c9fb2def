"""Audits of liu2022: Algorithms 2 to 5, Equation (7), the search and rank r.

The relation is replace-one, n public, unless a name says otherwise. Names with "add-remove" are under the paper's own
Definition 2.3: one record more or less, so that n, and with it the batches, are part of the data; each dataset is then run
with the calibration for its own n.

Canaries are built against the steps that a guarantee rests on. Matrices +-c I with a huge c give gradients +-beta w after
clipping, whatever the iterate w is: as far apart as gradients can be. Pairs of gradients with equal differences give
Algorithm 4 equal eigenvalues, so one record decides to which bin an eigenvalue belongs and whether it is alone there.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import ndtr
from scipy.stats import binom

from dppca.audit.enclosure.finite import epsilon_of_laws, sparse_histogram_law, worst_histogram_delta
from dppca.audit.enclosure.gaussian import ball, decide
from dppca.audit.enclosure.hidden_shift import best_event, event_excess
from dppca.audit.engine.outputs import Features
from dppca.audit.engine.results import Claim
from dppca.audit.suite import marginal
from dppca.audit.suite.instance import Exact, Instance, Output, Transcript
from dppca.audit.suite.instances.wang2020 import pair_epsilon, pair_holds
from dppca.reference.catalog import ALGORITHMS
from dppca.reference.liu2022 import algorithm_3_dp_pca as algorithm_3
from dppca.reference.liu2022 import algorithm_4_top_eigenvalue as algorithm_4
from dppca.reference.liu2022 import algorithm_5_mean as algorithm_5
from dppca.reference.liu2022 import hyperparameter_search as search
from dppca.reference.liu2022.shuffling import shuffled_gaussian_delta
from dppca.reference.noise import Algorithm, Sample
from dppca.reference.primitives.composition import Guarantee, serial
from dppca.reference.primitives.gaussian import composed_mu, log_profile, profile
from dppca.reference.primitives.sparse_histogram import SparseHistogramLaw, stability_delta, stability_threshold
from dppca.reference.primitives.symmetric import upper_triangle

OJA = "liu2022.private_oja"
MINIBATCH = "liu2022.minibatch_private_oja"
DP_PCA = "liu2022.dp_pca"
EIGENVALUE = "liu2022.private_top_eigenvalue"
MEAN = "liu2022.private_mean"
SEARCH = "liu2022.hyperparameter_search"
DEFLATION = "liu2022.deflation"
BLOCK = "liu2022.block_dp_pca"

BOTH = ("AS_PRINTED", "CORRECTED")
ALL = (*BOTH, "LEAN")
#: Section 4's own range of epsilon, the largest of Theorem 5.1, and one at which a few thousand outputs show a failure.
COMMON, THEOREM, LARGE = Claim(1.0, 1e-5), Claim(0.8, 0.1), Claim(4.0, 0.2)
#: beta = 1 sqrt(d) exactly, whatever n.
CLIPPING = {"lambda_1": 1.0, "K": 1.0, "gamma": 1e-30}
HUGE = 1e9

Data = NDArray[np.float64]
Pair = tuple[Data, Data]


def instances() -> list[Instance]:
    """Every audit of this paper."""
    return [
        *_private_oja(),
        *_minibatch(),
        *_histogram(),
        *_top_eigenvalue(),
        *_mean(),
        *_dp_pca(),
        *_search(),
        *_rank_r(),
    ]


# --- Algorithm 2 --------------------------------------------------------------------------------------


def _private_oja() -> Iterator[Instance]:
    """One record whose clipped gradient is w among records at -w; the order is summed out (audit/suite/marginal.py).

    The transcript is then a Gaussian shift of mu = 1 / alpha at a hidden place among n (audit/enclosure/hidden_shift.py).
    Lemma 3.1 asks for epsilon = O(sqrt(log(n / delta) / n)); with the constant 1 that is 0.42 at n = 64, delta = 1e-3.
    """
    beyond, inside = Claim(5.0, 1e-3), Claim(0.2, 1e-3)
    for choice, claim, n in (
        ("AS_PRINTED", beyond, 64),
        ("AS_PRINTED", Claim(3.0, 1e-3), 1000),
        ("AS_PRINTED", inside, 64),
        ("AS_PRINTED", Claim(0.1, 1e-3), 1000),
        ("CORRECTED", beyond, 64),
        ("CORRECTED", inside, 64),
        ("CORRECTED", Claim(0.1, 1e-3), 1000),
    ):
        calibration = _calibrate(OJA, choice, claim, n=n, d=2, **CLIPPING)
        name = f"w among -w, n={n}"
        holds, epsilon = _hidden_shift(claim, 1.0 / calibration.alpha, n)
        yield Instance(OJA, choice, name, claim, _decided(holds, epsilon), holds, None)
        if n > 64:
            continue
        steps = (0.3,) * n
        run = _summed_out(calibration, steps)
        yield Instance(OJA, choice, name, claim, Transcript(run, *_opposite(n), trials=300 if holds else 600), holds, None)
        if choice == "CORRECTED":  # proved for every pair by the account
            zeros = np.zeros((n, 2, 2))
            pair = _replaced(_with(zeros, 0, HUGE * np.eye(2)), 0, -HUGE * np.eye(2))
            yield Instance(OJA, choice, f"w/-w among 0, n={n}", claim, Transcript(run, *pair, trials=300), True, None)
        if holds:
            rows = _replaced(np.tile([[HUGE, 0.0]], (n, 1)), 0, [0.0, HUGE])
            arguments = {"n": n, "d": 2, **CLIPPING, "step_sizes": steps}
            how = _output_audit(OJA, choice, claim, rows, arguments, trials=1000, features=_line)
            yield Instance(OJA, choice, f"e1/e2 among e1, n={n}, output", claim, how, True, None)


def _hidden_shift(claim: Claim, mu: float, n: int) -> tuple[bool, float]:
    """Whether the claim holds of a shift hidden among n, and an epsilon below which none holds.

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


def _opposite(n: int) -> Pair:
    """Matrices -c I, the first replaced by c I."""
    return _replaced(np.tile(-HUGE * np.eye(2), (n, 1, 1)), 0, HUGE * np.eye(2))


# --- Equation (7) -------------------------------------------------------------------------------------


def _minibatch() -> Iterator[Instance]:
    """A record's clipped gradient turns from w to -w: a batch's mean moves by 2 beta / B, one Gaussian of mu = 1 / alpha."""
    for choice in BOTH:
        claim, n, T = COMMON, 2000, 2
        alpha = _calibrate(MINIBATCH, choice, claim, n=n, d=2, **CLIPPING).alpha
        run = _bind(MINIBATCH, choice, claim, n=n, d=2, **CLIPPING, step_sizes=(0.5,) * T)
        holds, epsilon = (f(claim, alpha, Fraction(1)) for f in (pair_holds, pair_epsilon))
        zeros = np.zeros((n, 2, 2))
        for index, name in ((0, "w/-w, first of a batch"), (n // T - 1, "w/-w, last of a batch")):
            pair = _replaced(_with(zeros, index, HUGE * np.eye(2)), index, -HUGE * np.eye(2))
            if choice == "AS_PRINTED" and index > 0:  # the printed sum leaves it out
                yield Instance(MINIBATCH, choice, name, claim, Transcript(run, *pair, trials=500), True, 0.0)
                continue
            yield Instance(MINIBATCH, choice, name, claim, _decided(holds, epsilon), holds, epsilon)
            yield Instance(MINIBATCH, choice, name, claim, Transcript(run, *pair, trials=2000), holds, epsilon)

        # a step so long that the start, which is hidden, does not count: the direction of beta u + N(0, (2 beta alpha)^2 I)
        claim, n = LARGE, 400
        alpha = _calibrate(MINIBATCH, choice, claim, n=n, d=2, **CLIPPING).alpha
        epsilon = _line_epsilon(0.5 / alpha, claim.delta)
        arguments = {"n": n, "d": 2, **CLIPPING, "step_sizes": (1e15,)}
        pair = _replaced(_with(np.zeros((n, 2)), 0, [HUGE, 0.0]), 0, [0.0, HUGE])
        how = _output_audit(MINIBATCH, choice, claim, pair, arguments, trials=10_000, features=_line)
        yield Instance(MINIBATCH, choice, "e1/e2, one step, output", claim, how, epsilon <= claim.epsilon, epsilon)

    # every batch loses its first record and gains the next one's, which has the opposite gradient
    claim, T, B = COMMON, 4, 3
    data = np.zeros((B * T + 1, 2, 2))
    data[::B] = np.array([1.0, -1.0, 1.0, -1.0, 1.0])[:, np.newaxis, np.newaxis] * HUGE * np.eye(2)
    alpha = _calibrate(MINIBATCH, "CORRECTED", claim, n=len(data), d=2, **CLIPPING).alpha
    holds, epsilon = (f(claim, alpha, Fraction(T)) for f in (pair_holds, pair_epsilon))
    run = _own_n(MINIBATCH, "CORRECTED", claim, lambda _: (0.5,) * T, d=2, **CLIPPING)
    name = "add-remove: the first record goes, all batches shift"
    yield Instance(MINIBATCH, "CORRECTED", name, claim, _decided(holds, epsilon), holds, epsilon)
    yield Instance(MINIBATCH, "CORRECTED", name, claim, Transcript(run, data, data[1:], trials=2000), holds, epsilon)


def _line_epsilon(shift: float, delta: float) -> float:
    """Epsilon at delta of the line through z ~ N(shift u, I) in the plane, u = e_1 against u = e_2, by quadrature."""
    angle = np.linspace(0.0, math.pi, 200_001)[:-1]
    p, q = (_line_density(shift * np.cos(angle - at), shift) for at in (0.0, math.pi / 2.0))
    width = float(angle[1] - angle[0])

    def excess(epsilon: float) -> float:
        return width * float(np.sum(np.maximum(p - math.exp(epsilon) * q, 0.0))) - delta

    return float(brentq(excess, 0.0, 100.0)) if excess(0.0) > 0.0 else 0.0


def _line_density(along: Data, shift: float) -> Data:
    """Density of the angle, where the shift has this component along it: both rays of the line together."""
    rays = math.sqrt(2.0 * math.pi) * along * np.exp(0.5 * (along**2 - shift**2)) * (ndtr(along) - ndtr(-along))
    return np.asarray((2.0 * math.exp(-0.5 * shift**2) + rays) / (2.0 * math.pi))


# --- the histogram learner, exhaustively --------------------------------------------------------------


def _histogram() -> Iterator[Instance]:
    """All neighbouring counts of a few items, in fractions: the threshold gives exactly delta, one less does not.

    With e^(epsilon / 2) = 2 and delta = 2^-T the threshold of `stability_threshold` is T.
    """
    for items, cells, T in ((4, 4, 3), (5, 3, 4)):
        claim = Claim(2.0 * math.log(2.0), 2.0**-T)
        threshold = round(stability_threshold(claim.epsilon, claim.delta))
        name = f"histogram, all of {items} items in {cells} cells"
        for choice, used in (("CORRECTED", threshold), ("CORRECTED, threshold less 1", threshold - 1)):
            how = _over_counts(claim, items, cells, used)
            yield Instance(EIGENVALUE, choice, name, claim, how, used == threshold, None)


def _over_counts(claim: Claim, items: int, cells: int, threshold: int) -> Exact:
    @cache
    def decide_all() -> tuple[bool, float]:
        ratio = Fraction(2)
        delta, pair = worst_histogram_delta(items, cells, ratio, threshold)
        p, q = (sparse_histogram_law(counts, ratio, threshold, max(items, threshold) + 1) for counts in pair)
        return delta <= Fraction(claim.delta), epsilon_of_laws(p, q, claim.delta)

    return Exact(decide_all)


# --- Algorithm 4 --------------------------------------------------------------------------------------


def _top_eigenvalue() -> Iterator[Instance]:
    """One record moves one subset's eigenvalue; every subset has one difference, (v, 0) with v = 1 but for a few."""
    zeta, claim, small = 0.1, Claim(1.0, 0.1), Claim(1.0, 1e-3)
    for choice in BOTH:
        B = _pairs_needed(small, zeta)
        run = _bind(EIGENVALUE, choice, small, B=B, zeta=zeta)
        name, pair = "between two occupied bins", _replaced(_differences(B, dict.fromkeys(range(B // 4), 2.0)), 1, [1.0, 0.0])
        yield Instance(EIGENVALUE, choice, name, small, Transcript(run, *pair, trials=3000), True, None)
        output = _output_audit(EIGENVALUE, choice, small, pair, {"B": B, "zeta": zeta}, trials=2000)
        yield Instance(EIGENVALUE, choice, f"{name}, output", small, output, True, None)

        B = _pairs_needed(claim, zeta)
        run = _bind(EIGENVALUE, choice, claim, B=B, zeta=zeta)
        alone = _differences(B, {0: 8.0})
        for name, v, epsilon in (("alone, to an occupied bin", 1.0, None), ("alone, to an empty bin", 64.0, 0.0)):
            pair = _replaced(alone, 1, [v, 0.0])
            yield Instance(EIGENVALUE, choice, name, claim, Transcript(run, *pair, trials=3000), True, epsilon)
        # the lone bin shows with probability delta, whatever epsilon is, and the other dataset cannot show it
        less = Claim(claim.epsilon, 0.5 * claim.delta)
        how = Transcript(run, *pair, trials=5000)
        yield Instance(EIGENVALUE, choice, f"{name}, at delta / 2", less, how, False, math.inf)

        # g_1 = g_2, g_3 = g_4, ...: without g_1 no pair has equal gradients, and all k eigenvalues change
        equal = np.repeat(np.tile([[0.0, 0.0], [1.0, 0.0]], (B, 1)), 2, axis=0)[: B + 1]
        run = _own_n(EIGENVALUE, choice, claim, None, zeta=zeta)
        name = "add-remove: the first gradient goes, all pairs change"
        calibration = _calibrate(EIGENVALUE, choice, claim, B=B, zeta=zeta)
        holds = _is_shown(calibration.k, calibration.scale, calibration.threshold) <= claim.delta
        epsilon = 0.0 if holds else math.inf
        yield Instance(EIGENVALUE, choice, name, claim, _decided(holds, epsilon), holds, epsilon)
        yield Instance(EIGENVALUE, choice, name, claim, Transcript(run, equal, equal[1:], trials=500), holds, epsilon)
        how_output = Output(_output(run), equal, equal[1:], trials=1000)
        yield Instance(EIGENVALUE, choice, f"{name}, output", claim, how_output, holds, epsilon)


def _pairs_needed(claim: Claim, zeta: float) -> int:
    """Twice the number of subsets: one difference for each."""
    k = algorithm_4.calibrate(claim.epsilon, claim.delta, B=10**9, zeta=zeta).k
    return 2 * k


def _differences(B: int, others: dict[int, float]) -> Data:
    """Gradients 0, v, 0, v, ... with v = (1, 0), but (others[j], 0) in pair j."""
    g = np.zeros((B, 2))
    g[1::2, 0] = 1.0
    for j, v in others.items():
        g[2 * j + 1, 0] = v
    return g


def _is_shown(count: int, scale: float, threshold: float) -> float:
    """P(count + noise > threshold): the delta of a cell that the other dataset leaves empty."""
    law = SparseHistogramLaw(scale, threshold)
    return -math.expm1(law.log_likelihood(np.zeros((count, 1)), np.empty((0, 2))))


# --- Algorithm 5 --------------------------------------------------------------------------------------


def _mean() -> Iterator[Instance]:
    """One record moves from bin to bin in every coordinate, and by the diagonal of the box in the mean."""
    for choice, claim, B in (
        ("AS_PRINTED", Claim(0.8, 1e-3), 8000),
        ("CORRECTED", Claim(0.8, 1e-3), 8000),
        ("LEAN", Claim(0.8, 1e-3), 4000),
        ("LEAN", Claim(4.0, 0.01), 600),
    ):
        target = {"B": B, "d": 2, "K": 1.0, "zeta": 0.1}
        calibration = _calibrate(MEAN, choice, claim, **target)
        holds = mean_delta(claim.epsilon, calibration) <= claim.delta
        run = _bind(MEAN, choice, claim, **target, eigenvalue=1.0)
        # three occupied bins a coordinate, the outer two beyond the box around the middle one
        far = 2.0 * calibration.radius
        g = np.zeros((B, 2))
        g[: B // 4], g[B // 4 : B // 2] = -far, far
        across = _replaced(g, 0, [far, far])
        alone = _replaced(_with(g, 0, [-7.0 * far, -7.0 * far]), 0, [7.0 * far, 7.0 * far])
        for name, pair in (("across the box, between occupied bins", across), ("across the box, alone in its bins", alone)):
            yield Instance(MEAN, choice, name, claim, Transcript(run, *pair, trials=1000), holds, None)
        how = _output_audit(MEAN, choice, claim, across, {**target, "eigenvalue": 1.0}, trials=1000)
        yield Instance(MEAN, choice, "across the box, output", claim, how, holds, None)


def mean_delta(epsilon: float, calibration: algorithm_5.MeanCalibration) -> float:
    """An upper bound on the delta of Algorithm 5 at epsilon: d histograms and one Gaussian, composed.

    The histograms are replaced by the worst mechanisms with their guarantee (Kairouz, Oh, Viswanath 2015), whose losses
    are epsilon_0 (2 j - d), j ~ Bin(d, q), unless one fails outright.
    """
    d, (e0, d0) = calibration.d, calibration.histogram
    mu = calibration.sensitivity / calibration.std
    j = np.arange(d + 1)
    masses = binom.pmf(j, d, 1.0 / (1.0 + math.exp(-e0)))
    survives = math.exp(d * math.log1p(-d0))
    given = sum(float(mass) * _gaussian_delta(epsilon - e0 * (2 * i - d), mu) for i, mass in zip(j, masses, strict=True))
    return 1.0 - survives + survives * given


def _gaussian_delta(epsilon: float, mu: float) -> float:
    """The Gaussian profile at any real epsilon."""
    if epsilon >= 0.0:
        return math.exp(log_profile(epsilon, mu))
    return -math.expm1(epsilon) + math.exp(epsilon) * math.exp(log_profile(-epsilon, mu))


# --- Algorithm 3 --------------------------------------------------------------------------------------


def _dp_pca() -> Iterator[Instance]:
    """A record of a batch's first half decides one eigenvalue's bin; one of its second half crosses bins and box."""
    n, d = 2000, 4
    for choice, claim, B in (
        ("AS_PRINTED", THEOREM, 2000),
        ("CORRECTED", THEOREM, 2000),
        ("LEAN", THEOREM, 2000),
        ("LEAN", Claim(4.0, 0.01), 1000),
    ):
        steps = (1.0, 0.5)[: n // B]
        target = {"n": n, "d": d, "B": B, "K": 1.0, "zeta": 0.1}
        calibration = _calibrate(DP_PCA, choice, claim, **target)
        holds = dp_pca_delta(claim.epsilon, calibration) <= claim.delta
        run = _bind(DP_PCA, choice, claim, **target, step_sizes=steps)
        data = _batches(n, d)
        far = np.full(d, 50.0)
        long = data.copy()  # half of the first batch's subsets have a long difference; one loses it
        long[1 : calibration.eigenvalue.k * calibration.eigenvalue.b : 2 * calibration.eigenvalue.b] = far
        for half, pair in (("first", _replaced(long, 1, data[1])), ("second", _replaced(data, B - 1, far))):
            name = f"a record of the {half} half, n={n}, d={d}, B={B}"
            yield Instance(DP_PCA, choice, name, claim, Transcript(run, *pair, trials=1000), holds, None)
        how = _output_audit(DP_PCA, choice, claim, pair, {**target, "step_sizes": steps}, trials=20_000, features=_line)
        yield Instance(DP_PCA, choice, f"a record of the second half, B={B}, output", claim, how, holds, None)

    # The last of 2 B records decides whether there is a second step, which turns w from e_1 to e_2.
    B = 2000
    rows = _batches(B, 2)
    turn = np.array([[0.0, 1.0], [1.0, 0.0]])
    products = rows[:, :, np.newaxis] * rows[:, np.newaxis, :]
    data = np.concatenate([products, 100.0 * (rows @ turn)[:, :, np.newaxis] * [1.0, 0.0]])
    for choice in ALL:
        run = _own_n(DP_PCA, choice, THEOREM, lambda n: (1e3,) * (n // B), B=B, d=2, K=1.0, zeta=0.1)
        name = "add-remove: n = 2 B less 1, one step less"
        # claim liu2022.definition-2.3: nearly all directions are at e_2 on one dataset and at e_1 on the other
        how = Output(_output(run), data, data[:-1], trials=1500, features=_line)
        yield Instance(DP_PCA, choice, f"{name}, output", THEOREM, how, False, None)
    # n = B + 1: without the first record the one batch has other pairs, and no eigenvalue is 0
    equal = np.repeat(np.tile([[1.0, 0.0], [0.0, 1.0]], (B, 1)), 2, axis=0)[: B + 1]
    run = _own_n(DP_PCA, "CORRECTED", THEOREM, lambda n: (1.0,) * (n // B), B=B, d=2, K=1.0, zeta=0.1)
    how = Transcript(run, equal, equal[1:], trials=500)
    yield Instance(DP_PCA, "CORRECTED", "add-remove: the first record goes, all pairs change", THEOREM, how, False, math.inf)


def dp_pca_delta(epsilon: float, calibration: Any) -> float:
    """An upper bound on Algorithm 3's delta: a record lies in one half of one batch, so the worse of the two estimates."""
    eigenvalue = calibration.eigenvalue
    if eigenvalue.epsilon > epsilon:
        raise ValueError(f"epsilon must be >= the histogram's {eigenvalue.epsilon}, got {epsilon}")
    return max(stability_delta(eigenvalue.epsilon, eigenvalue.threshold), mean_delta(epsilon, calibration.mean))


def _batches(n: int, d: int) -> Data:
    """Rows e_1 + 0.1 e_2 and e_1 - 0.1 e_2 in turn: gradients near (w^T e_1) e_1, the same difference in every pair."""
    rows = np.zeros((n, d))
    rows[:, 0] = 1.0
    rows[::2, 1], rows[1::2, 1] = 0.1, -0.1
    return rows


# --- search and rank r --------------------------------------------------------------------------------


def _search() -> Iterator[Instance]:
    """The printed rounds' shares add up to 2 epsilon (1 - 2^-R), 2 delta (1 - 2^-R).

    Mechanisms that spend them show it. The printed training does not: a record meets one half of a batch, on half of the
    share. Trained with LEAN it does: a lone eigenvalue is shown with the whole delta of each share.
    """
    claim, rounds = Claim(16.0, 0.1), 2
    B = 640
    target = {"n": 2 * B, "d": 2, "B": B, "K": 1.0, "ceiling": 2.0, "rounds": rounds, "zeta": 0.5}
    data = _batches(2 * B, 2)
    for choice in BOTH:
        calibration = _calibrate(SEARCH, choice, claim, **target)
        shares = [r.each for r in calibration.rounds for _ in r.pairs]
        delta = -math.expm1(math.fsum(math.log1p(-share.delta) for share in shares))  # serial composition where it is <=
        holds = delta <= claim.delta and calibration.spent.epsilon <= claim.epsilon
        name = f"{rounds} rounds of mechanisms that fail outright with their delta"
        epsilon = 0.0 if holds else math.inf
        yield Instance(SEARCH, choice, name, claim, _decided(holds, epsilon), holds, epsilon)

        planned = list(zip(calibration.rounds, calibration.training, calibration.score_std, strict=True))
        trained = serial(
            Guarantee(training.eigenvalue.epsilon, training.eigenvalue.delta) for r, training, _ in planned for _ in r.pairs
        )
        scored = composed_mu(1.0 / (B * std) for r, _, std in planned for _ in r.pairs)
        run = _bind(SEARCH, choice, claim, **target, target=1e9)
        for place, index, holds in (
            ("trained on", 1, trained.epsilon <= claim.epsilon and trained.delta <= claim.delta),
            ("scored", B + 1, profile(claim.epsilon, scored) <= claim.delta),
        ):
            how = Transcript(run, *_replaced(data, index, [0.0, 9.0]), trials=100)
            yield Instance(SEARCH, choice, f"a record that is {place}", claim, how, holds, None)

    # On one dataset the eigenvalue of a subset is alone in its bin in every run, on the other all eigenvalues are 0.
    choices = replace(search.AS_PRINTED, dp_pca=algorithm_3.LEAN)
    calibration = search.calibrate(claim.epsilon, claim.delta, **target, choices=choices)
    hidden = math.fsum(
        len(r.pairs) * math.log1p(-stability_delta(training.eigenvalue.epsilon, training.eigenvalue.threshold))
        for r, training in zip(calibration.rounds, calibration.training, strict=True)
    )
    holds = -math.expm1(hidden) <= claim.delta
    epsilon = 0.0 if holds else math.inf
    name = f"a lone eigenvalue in {rounds} rounds"
    yield Instance(SEARCH, "AS_PRINTED, training LEAN", name, claim, _decided(holds, epsilon), holds, epsilon)


def _rank_r() -> Iterator[Instance]:
    """As Algorithm 3, with d r for d in block Oja."""
    claim, B = THEOREM, 2000
    target = {"B": B, "r": 2, "K": 1.0, "zeta": 0.1, "step_sizes": (1.0,)}
    for key, n, entries in ((DEFLATION, 2 * B, 2), (BLOCK, B, 4)):
        for choice in ALL:
            one = algorithm_3.calibrate(
                claim.epsilon, claim.delta, n=B, d=entries, B=B, K=1.0, zeta=0.1, choices=ALGORITHMS[key].choices[choice]
            )
            holds = dp_pca_delta(claim.epsilon, one) <= claim.delta
            run = _bind(key, choice, claim, n=n, d=2, **target)
            for half, index in (("first", 1), ("second", B - 1)):
                how = Transcript(run, *_replaced(_batches(n, 2), index, [0.0, 50.0]), trials=200)
                yield Instance(key, choice, f"a record of the {half} half, r=2", claim, how, holds, None)


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
    """The algorithm with the calibration for the number of records that it finds (B of them for Algorithm 4)."""

    @cache
    def bound(n: int) -> Algorithm[Any]:
        if steps is None:
            return _bind(key, choice, claim, B=n, **arguments)
        return _bind(key, choice, claim, n=n, step_sizes=steps(n), **arguments)

    return lambda data, noise: bound(len(data))(data, noise)


def _decided(holds: bool, epsilon: float) -> Exact:
    """The exact view of what was computed before."""
    return Exact(lambda: (holds, epsilon))


def _output(algorithm: Algorithm[Any]) -> Any:
    """The algorithm as a mechanism (data, rng) -> output."""
    return lambda data, rng: algorithm(data, Sample(rng))


def _output_audit(
    key: str,
    choice: str,
    claim: Claim,
    pair: Pair,
    arguments: Mapping[str, Any],
    trials: int,
    features: Features | None = None,
) -> Output:
    """The output audit of the algorithm with these arguments."""
    bound = {"epsilon": claim.epsilon, "delta": claim.delta, **arguments}
    return Output(_output(_bind(key, choice, claim, **arguments)), *pair, trials, features, bound)


def _line(w: Data) -> Data:
    """A direction without its sign."""
    return upper_triangle(np.outer(w, w))


def _with(data: Data, index: int, record: Any) -> Data:
    changed = data.copy()
    changed[index] = record
    return changed


def _replaced(data: Data, index: int, record: Any) -> Pair:
    """The dataset and its neighbour with this record at this place."""
    return data, _with(data, index, record)
