"""Bugs in liu2022: clipped gradients, minibatches, histograms, the private mean, the search and rank r."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dppca.audit.engine.results import Claim
from dppca.audit.suite.instance import sampled
from dppca.audit.suite.marginal import with_start
from dppca.reference.catalog import ALGORITHMS
from dppca.reference.liu2022 import algorithm_2_private_oja as algorithm_2
from dppca.reference.liu2022 import algorithm_3_dp_pca as algorithm_3
from dppca.reference.liu2022 import algorithm_4_top_eigenvalue as algorithm_4
from dppca.reference.liu2022 import algorithm_5_mean as algorithm_5
from dppca.reference.liu2022 import data, lean, rank_r
from dppca.reference.liu2022 import equation_7_minibatch as equation_7
from dppca.reference.liu2022 import hyperparameter_search as search
from dppca.reference.noise import Algorithm
from tests.meta.audits import Exact, Output, Sensitivity, Transcript
from tests.meta.bug import Bug
from tests.meta.planting import Edit

DEFLATION, BLOCK = "liu2022.deflation", "liu2022.block_dp_pca"
OJA, MINIBATCH, DP_PCA = "liu2022.private_oja", "liu2022.minibatch_private_oja", "liu2022.dp_pca"
EIGENVALUE, MEAN = "liu2022.private_top_eigenvalue", "liu2022.private_mean"
SEARCH = "liu2022.hyperparameter_search"

COMMON, LARGE, SHUFFLED = Claim(1.0, 1e-5), Claim(4.0, 0.01), Claim(0.5, 1e-3)
START = np.eye(2, 1)
#: A matrix that takes every w to +-w, far beyond the clipping threshold; and one that takes e_1 to e_2.
HUGE = 1e6 * np.eye(2)
TURN = 1e6 * np.array([[0.0, -1.0], [1.0, 0.0]])
#: Assumption 1 as the clipping threshold needs it.
_ASSUMED = {"d": 2, "lambda_1": 1.0, "K": 4.0, "gamma": 1.0}


def _matrices(n: int, first: Any, at: int = 0) -> Any:
    """n matrices of 0, but for those numbered `at`: +-first."""
    both = []
    for sign in (1.0, -1.0):
        A = np.zeros((n, 2, 2))
        A[at] = sign * first
        both.append(A)
    return tuple(both)


def _from_e1(key: str, **arguments: Any) -> Algorithm[Any]:
    """The corrected algorithm from w_0 = e_1."""
    run = ALGORITHMS[key].bind(**arguments, choices=ALGORITHMS[key].choices["CORRECTED"])
    return with_start(run, START[:, 0])


def _oja(n: int, claim: Claim, step: float = 0.1) -> Algorithm[Any]:
    return _from_e1(OJA, epsilon=claim.epsilon, delta=claim.delta, n=n, **_ASSUMED, step_sizes=(step,) * n)


def _minibatch(n: int, T: int, claim: Claim = COMMON) -> Algorithm[Any]:
    return _from_e1(MINIBATCH, epsilon=claim.epsilon, delta=claim.delta, n=n, **_ASSUMED, step_sizes=(0.1,) * T)


def _oja_sensitivity() -> Sensitivity:
    return Sensitivity(_oja(4, COMMON), *_matrices(4, HUGE))


def _oja_output() -> Output:
    """One record that turns e_1 by +-90 degrees: the output across the start vector, in units of the step."""
    step = 1e-9
    run = sampled(_oja(1, LARGE, step))
    return Output(run, *_matrices(1, TURN), LARGE, features=lambda w: float(w[1]) / step)


def _order() -> Transcript:
    return Transcript(_oja(100, SHUFFLED), *_matrices(100, HUGE), SHUFFLED)


def _batches() -> Transcript:
    """The record that changes is the first of the second batch."""
    return Transcript(_minibatch(8, 2), *_matrices(8, HUGE, at=4), COMMON)


def _batch_sensitivity() -> Sensitivity:
    return Sensitivity(_minibatch(8, 2), *_matrices(8, HUGE))


def _batch_alone() -> Transcript:
    large, small = _matrices(8, HUGE)[0], _matrices(8, np.eye(2))[0]
    return Transcript(_minibatch(8, 2), large, small, COMMON)


# --- Algorithms 4 and 5 -------------------------------------------------------------------------------


def _eigenvalue() -> Algorithm[Any]:
    entry = ALGORITHMS[EIGENVALUE]
    return entry.bind(epsilon=4.0, delta=0.01, B=200, zeta=0.5, choices=entry.choices["CORRECTED"])


#: Pairs of gradients that differ by (1, 0); the first record far away or not. C_1 = 4 makes 6 subsets of 16 differences.
_GRADIENTS = np.tile([[0.0, 0.0], [1.0, 0.0]], (100, 1))
FAR = np.vstack([[[1e3, 0.0]], _GRADIENTS[1:]]), np.vstack([[[1e5, 0.0]], _GRADIENTS[1:]])
#: The same, where the record is the first after 16: consecutive differences with it lie in two subsets.
BETWEEN = tuple(np.vstack([_GRADIENTS[:16], rows[:1], _GRADIENTS[17:]]) for rows in FAR)


def _eigenvalue_transcript() -> Transcript:
    return Transcript(_eigenvalue(), *FAR, LARGE)


def _eigenvalue_sensitivity() -> Sensitivity:
    return Sensitivity(_eigenvalue(), *BETWEEN)


def _eigenvalue_output() -> Output:
    return Output(sampled(_eigenvalue()), *FAR, LARGE)


def _mean(claim: Claim, d: int, B: int, choice: str) -> Algorithm[Any]:
    entry = ALGORITHMS[MEAN]
    target = {"epsilon": claim.epsilon, "delta": claim.delta, "d": d, "B": B, "K": 1.0, "zeta": 0.5, "eigenvalue": 1.0}
    return entry.bind(**target, choices=entry.choices[choice])


def _cube(d: int, B: int) -> Any:
    """Gradients in one bin, the first of them far out in all coordinates, on one side or the other."""
    inside = np.full((B - 1, d), 0.5)
    return np.vstack([np.full((1, d), 1e9), inside]), np.vstack([np.full((1, d), -1e9), inside])


def _mean_sensitivity() -> Sensitivity:
    return Sensitivity(_mean(LARGE, 2, 200, "LEAN"), *_cube(2, 200))


def _mean_transcript() -> Transcript:
    """Half of the gradients in one bin of every coordinate, half in another; the first moves."""
    halves = np.repeat([[0.5] * 16, [100.5] * 16], 100, axis=0)
    return Transcript(_mean(LARGE, 16, 200, "LEAN"), halves, np.vstack([halves[-1:], halves[1:]]), LARGE)


def _mean_far() -> Sensitivity:
    """Gradients so far out that floats are 32 apart: the box's radius, 22, is rounded up to that."""
    return Sensitivity(_mean(LARGE, 2, 200, "LEAN"), *(g + 2e17 for g in _cube(2, 200)))


def _mean_output() -> Output:
    claim = Claim(4.0, 0.1)
    return Output(sampled(_mean(claim, 2, 200, "LEAN")), *_cube(2, 200), claim)


# --- Algorithm 3, the search, rank r ------------------------------------------------------------------

#: Pairs of records whose gradients differ by (0, 1) at w = e_1; they fill any number of batches.
_PAIRS = np.array([[[0.0, 0.0], [0.0, 0.0]], [[0.0, 0.0], [1.0, 0.0]]])


def _records(n: int, at: int) -> Any:
    """n records of which number `at` is huge, one way or the other."""
    rest = np.tile(_PAIRS, (n // 2, 1, 1))
    both = []
    for sign in (1.0, -1.0):
        A = rest.copy()
        A[at] = sign * TURN
        both.append(A)
    return tuple(both)


def _dp_pca(claim: Claim, n: int, B: int, choice: str = "LEAN", step: float = 1e-12) -> Algorithm[Any]:
    """Steps this small keep w at e_1, so that every batch looks alike."""
    entry = ALGORITHMS[DP_PCA]
    target = {"epsilon": claim.epsilon, "delta": claim.delta, "n": n, "d": 2, "B": B, "K": 1.0, "zeta": 0.5}
    run = entry.bind(**target, step_sizes=(step,) * (n // B), choices=entry.choices[choice])
    return with_start(run, START[:, 0])


def _steps() -> Transcript:
    return Transcript(_dp_pca(LARGE, 1600, 200), *_records(1600, 150), LARGE)


def _blocks() -> Transcript:
    """The same for two components; the changed record moves all four entries of the gradient at the identity."""
    records = [A.copy() for A in _records(1600, 150)]
    for A, sign in zip(records, (1.0, -1.0), strict=True):
        A[150] = sign * 1e6
    entry = ALGORITHMS[BLOCK]
    target = {"epsilon": LARGE.epsilon, "delta": LARGE.delta, "n": 1600, "d": 2, "r": 2, "B": 200, "K": 1.0, "zeta": 0.5}
    run = entry.bind(**target, step_sizes=(1e-12,) * 8, choices=entry.choices["LEAN"])
    return Transcript(with_start(run, np.eye(2)), records[0], records[1], LARGE)


def _components() -> Output:
    """Which component is nearer to e_1; the last record decides which of them varies most."""
    entry = ALGORITHMS[DEFLATION]
    target = {"epsilon": LARGE.epsilon, "delta": LARGE.delta, "n": 640, "d": 2, "r": 2, "B": 320, "K": 1.0, "zeta": 0.5}
    run = sampled(entry.bind(**target, step_sizes=(0.5,), choices=entry.choices["LEAN"]))
    pair = (np.vstack([np.tile(START.T, (639, 1)), last]) for last in ([[1.0, 0.0]], [[0.0, 1e3]]))
    return Output(run, *pair, LARGE, features=lambda V: str(abs(V[0, 0]) > abs(V[0, 1])))


def _search_budget() -> Exact:
    """What all pairs of all rounds spend."""

    def sides() -> tuple[float, float]:
        rounds = [search.schedule(i, 1.0, 0.01) for i in (1, 2, 3)]
        return math.fsum(r.each.epsilon * len(r.pairs) for r in rounds), 1.0

    return Exact(sides)


_ALPHA = "std=2.0 * beta * alpha"

BUGS = [
    Bug("noise halved", OJA, "noise", (Edit(algorithm_2.private_oja, _ALPHA, "std=beta * alpha"),), _oja_output),
    Bug(
        "not clipped",
        OJA,
        "clipping",
        (
            Edit(
                algorithm_2.private_oja,
                "clip(gradients(A[order[t - 1] : order[t - 1] + 1], w), beta)[0]",
                "gradients(A[order[t - 1] : order[t - 1] + 1], w)[0]",
            ),
        ),
        _oja_sensitivity,
    ),
    Bug(
        "coordinates clipped, not the norm",
        OJA,
        "clipping",
        (Edit(data.clip, "np.linalg.norm(g, axis=1, keepdims=True)", "np.abs(g)"),),
        lambda: Sensitivity(_oja(4, COMMON), *_matrices(4, HUGE)),
    ),
    Bug(
        "sensitivity of a removed record: beta",
        OJA,
        "sensitivity",
        (Edit(algorithm_2.private_oja, "sensitivity=2.0 * beta", "sensitivity=beta"),),
        _oja_sensitivity,
    ),
    Bug(
        "order drawn in public",
        OJA,
        "secret",
        (
            Edit(
                algorithm_2.private_oja,
                'noise.secret_permutation("order", n)',
                'np.argsort(noise.public_uniform("order", (n,)))',
            ),
        ),
        _order,
        trials=500,
    ),
    Bug(
        "order of the file",
        OJA,
        "secret",
        (Edit(algorithm_2.private_oja, 'noise.secret_permutation("order", n)', "np.arange(n)"),),
        _order,
        trials=500,
    ),
    Bug(
        "mean clipped, not its terms",
        MINIBATCH,
        "clipping",
        (
            Edit(
                equation_7.minibatch_private_oja,
                "np.sum(clip(gradients(batch, w), beta), axis=0) / B",
                "clip(np.mean(gradients(batch, w), axis=0, keepdims=True), beta)[0]",
            ),
        ),
        _batch_sensitivity,
    ),
    Bug(
        "threshold: the largest norm of the batch",
        MINIBATCH,
        "data-dependent parameter",
        (
            Edit(
                equation_7.minibatch_private_oja,
                "mean = np.sum(",
                "beta = min(beta, np.max(np.linalg.norm(gradients(batch, w), axis=1)) + 1e-9); mean = np.sum(",
            ),
        ),
        _batch_alone,
    ),
    Bug(
        "off by one: a batch ends with the first record of the next",
        MINIBATCH,
        "batch",
        (Edit(equation_7.minibatch_private_oja, "B * (t - 1) + used]", "B * (t - 1) + used + 1]"),),
        _batches,
    ),
    Bug(
        "noise divided by n, not by B",
        MINIBATCH,
        "batch",
        (Edit(equation_7.minibatch_private_oja, f"{_ALPHA} / B", f"{_ALPHA} / n"),),
        _batches,
    ),
    Bug(
        "amplified noise of Algorithm 2 without its hidden order",
        MINIBATCH,
        "calibration",
        (
            Edit(
                equation_7.calibrate,
                "analytic_std(epsilon, delta, 1.0)",
                "analytic_std(epsilon, delta, 1.0) / n**0.5",
            ),
        ),
        _batches,
    ),
    Bug(
        "differences of consecutive gradients, not of pairs",
        EIGENVALUE,
        "batch",
        (Edit(algorithm_4.private_top_eigenvalue, "g[1::2] - g[: B - 1 : 2]", "g[1:] - g[:-1]"),),
        _eigenvalue_sensitivity,
    ),
    Bug(
        "every occupied bin is shown",
        EIGENVALUE,
        "threshold",
        (Edit(algorithm_4.calibrate, "threshold=stability_threshold(epsilon, delta)", "threshold=0.0"),),
        _eigenvalue_transcript,
    ),
    Bug(
        "returns the largest eigenvalue, not its bin",
        EIGENVALUE,
        "leak",
        (Edit(algorithm_4.private_top_eigenvalue, "float(2.0 ** (i / 4.0))", "float(np.max(eigenvalues))"),),
        _eigenvalue_output,
    ),
    Bug(
        "sensitivity of one coordinate",
        MEAN,
        "sensitivity",
        (Edit(algorithm_5.calibrate, "math.sqrt(d) * 2.0 * radius / B", "2.0 * radius / B"),),
        _mean_sensitivity,
    ),
    Bug(
        "d histograms, each at the whole budget",
        MEAN,
        "composition",
        (
            Edit(
                lean.optimal_component,
                "optimal_component_epsilon(epsilon, delta, each, k)",
                "epsilon",
            ),
        ),
        _mean_transcript,
        trials=500,
    ),
    Bug(
        "not truncated",
        MEAN,
        "clipping",
        (Edit(algorithm_5.private_mean, "np.clip(g[:, j] - g_bar[j], -radius, radius)", "g[:, j] - g_bar[j]"),),
        _mean_sensitivity,
    ),
    Bug(
        "truncated where the gradients are, which rounds far from 0",
        MEAN,
        "float",
        (
            Edit(
                algorithm_5.private_mean,
                "np.clip(g[:, j] - g_bar[j], -radius, radius)",
                "np.clip(g[:, j], g_bar[j] - radius, g_bar[j] + radius) - g_bar[j]",
            ),
        ),
        _mean_far,
    ),
    Bug(
        "box around the empirical mean",
        MEAN,
        "data-dependent parameter",
        (Edit(algorithm_5.private_mean, "survivors[np.argmax(survivors[:, 0]), 1] * tau", "np.mean(g[:, j])"),),
        _mean_sensitivity,
    ),
    Bug(
        "mean without noise",
        MEAN,
        "leak",
        (Edit(algorithm_5.private_mean, "return g_bar + released", "return g_bar + mu"),),
        _mean_output,
    ),
    Bug(
        "every step on the first batch",
        DP_PCA,
        "batch",
        (Edit(algorithm_3.dp_pca, "A[B * (t - 1) : B * t]", "A[:B]"),),
        _steps,
        trials=500,
    ),
    Bug(
        "every step on the first batch",
        BLOCK,
        "batch",
        (Edit(rank_r.block_dp_pca, "A[one.B * (t - 1) : one.B * (t - 1) + 2 * half]", "A[: 2 * half]"),),
        _blocks,
        trials=500,
    ),
    Bug(
        "components sorted by the variance of the data along them",
        DEFLATION,
        "leak",
        (
            Edit(
                rank_r.deflation,
                "return components",
                "return components[:, np.argsort(-np.sum((A @ components) ** 2, axis=0))]",
            ),
        ),
        _components,
        trials=2000,
    ),
    Bug(
        "round's share not divided by its pairs",
        SEARCH,
        "composition",
        (Edit(search.schedule, "2.0**i * len(listed)", "2.0**i"),),
        _search_budget,
    ),
]
