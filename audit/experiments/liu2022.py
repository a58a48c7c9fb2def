"""liu2022's algorithms and what they compare with, side by side on the paper's two data models.

Errors are sin of the angle to the true first eigenvector. Step sizes and numbers of steps are given, not found
privately; constants of Assumption 1 are the models' own. Analyze Gauss gets rows clipped to the norm that all n rows
keep with probability 1 - ZETA.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.stats import chi2

from reference.baselines import analyze_gauss
from reference.liu2022 import algorithm_1_oja as algorithm_1
from reference.liu2022 import algorithm_2_private_oja as algorithm_2
from reference.liu2022 import algorithm_3_dp_pca as algorithm_3
from reference.liu2022 import equation_7_minibatch as equation_7
from reference.liu2022.data import clip
from reference.noise import Sample
from reference.primitives.subspaces import principal_subspace

DELTA = 1e-6
ZETA = 0.01
#: Batches of the minibatch methods, and their step size in units of 1 / lambda_1: nearly a power method, so that what
#: is left of the start vector does not count.
STEPS = 4
STEP_SIZE = 1e4
#: Algorithms 1 and 2 take eta_t = RATE / (gap (n / DELAY + t)).
RATE = 2.0
DELAY = 20.0

Matrix: TypeAlias = NDArray[np.float64]
Method: TypeAlias = Callable[[Matrix, np.random.Generator], Matrix]


# --- data ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Model:
    """Rows x with A = x x^T and first eigenvector e_1; lambda_1, gap, K and gamma are those of Assumption 1 (a = 1)."""

    name: str
    d: int
    lambda_1: float
    gap: float
    K: float
    gamma: float
    rows: Callable[[int, np.random.Generator], Matrix]
    norm_bound: Callable[[int], float]


def gaussian(d: int, low: float = 0.1) -> Model:
    """Remark 3.4 with variances (1, low, ..., low)."""

    def rows(n: int, rng: np.random.Generator) -> Matrix:
        X = math.sqrt(low) * rng.standard_normal((n, d))
        X[:, 0] /= math.sqrt(low)
        return X

    return Model(
        name=f"Gaussian, d = {d}",
        d=d,
        lambda_1=1.0,
        gap=1.0 - low,
        K=4.0,
        gamma=math.sqrt(2.0),
        rows=rows,
        norm_bound=lambda n: math.sqrt(float(chi2.isf(ZETA / n, d))),
    )


def example_4_1(d: int, sigma: float) -> Model:
    """Example 4.1, v = e_1: a random sign of v and N(0, sigma^2 I)."""

    def rows(n: int, rng: np.random.Generator) -> Matrix:
        X = sigma * rng.standard_normal((n, d))
        X[:, 0] += rng.choice([-1.0, 1.0], n)
        return X

    lambda_1 = 1.0 + sigma**2
    return Model(
        name=f"Example 4.1, d = {d}, sigma = {sigma:g}",
        d=d,
        lambda_1=lambda_1,
        gap=1.0,
        K=4.0,
        gamma=math.sqrt(4.0 * sigma**2 + 2.0 * sigma**4) / lambda_1,
        rows=rows,
        norm_bound=lambda n: 1.0 + sigma * math.sqrt(float(chi2.isf(ZETA / n, d))),
    )


# --- methods ------------------------------------------------------------------------------------------


READINGS = {"as printed": algorithm_3.AS_PRINTED, "corrected": algorithm_3.CORRECTED, "lean": algorithm_3.LEAN}


def dp_pca_calibration(model: Model, n: int, epsilon: float, choices: algorithm_3.Choices) -> algorithm_3.DPPCACalibration:
    """Algorithm 3's calibration with STEPS batches."""
    return algorithm_3.calibrate(epsilon, DELTA, n=n, d=model.d, B=n // STEPS, K=model.K, zeta=ZETA, choices=choices)


def _no_privacy(model: Model, n: int, epsilon: float) -> Method:  # noqa: ARG001
    return lambda X, _: principal_subspace(X.T @ X, 1)[:, 0]


def _analyze_gauss(model: Model, n: int, epsilon: float) -> Method:
    of, bound = analyze_gauss.calibrate(epsilon, DELTA, model.d), model.norm_bound(n)
    return lambda X, rng: analyze_gauss.analyze_gauss(clip(X, bound) / bound, 1, of, Sample(rng))[:, 0]


def _oja(model: Model, n: int, epsilon: float) -> Method:  # noqa: ARG001
    return lambda X, rng: algorithm_1.oja(X, _decaying(model, n), Sample(rng))


def _private_oja(model: Model, n: int, epsilon: float) -> Method:
    of = algorithm_2.calibrate(epsilon, DELTA, **_constants(model, n))
    return lambda X, rng: algorithm_2.private_oja(X, _decaying(model, n), of, Sample(rng))


def _minibatch(model: Model, n: int, epsilon: float) -> Method:
    of = equation_7.calibrate(epsilon, DELTA, **_constants(model, n))
    return lambda X, rng: equation_7.minibatch_private_oja(X, _constant(model), of, Sample(rng))


def _dp_pca(choices: algorithm_3.Choices) -> Callable[[Model, int, float], Method]:
    def build(model: Model, n: int, epsilon: float) -> Method:
        of = dp_pca_calibration(model, n, epsilon, choices)
        return lambda X, rng: algorithm_3.dp_pca(X, _constant(model), of, Sample(rng))

    return build


def _constants(model: Model, n: int) -> dict[str, Any]:
    return {"n": n, "d": model.d, "lambda_1": model.lambda_1, "K": model.K, "gamma": model.gamma, "zeta": ZETA}


def _constant(model: Model) -> Matrix:
    return np.full(STEPS, STEP_SIZE / model.lambda_1)


def _decaying(model: Model, n: int) -> Matrix:
    return np.asarray(RATE / (model.gap * (n / DELAY + np.arange(1, n + 1))))


#: Name to (model, n, epsilon) -> (rows, generator) -> unit vector (d,), calibrated for n rows at (epsilon, DELTA).
METHODS: Mapping[str, Callable[[Model, int, float], Method]] = {
    "no privacy": _no_privacy,
    "Analyze Gauss": _analyze_gauss,
    "Oja (Algorithm 1)": _oja,
    "Private Oja (Algorithm 2)": _private_oja,
    "minibatch (Equation 7)": _minibatch,
    **{f"DP-PCA, {reading}": _dp_pca(choices) for reading, choices in READINGS.items()},
}


def error(w: Matrix) -> float:
    """sin of the angle between the unit vector w and e_1."""
    return float(np.linalg.norm(w[1:]))


def random_level(d: int) -> float:
    """Root mean square of `error` for a uniformly random direction."""
    return math.sqrt(1.0 - 1.0 / d)


# --- what the noise is, without data ------------------------------------------------------------------


def last_step_noise(model: Model, n: int, epsilon: float, method: str) -> float:
    """Standard deviation of the noise of one coordinate of one private mean gradient, over lambda_1.

    For DP-PCA at the eigenvalue that Algorithm 4 estimates at best: the largest value of the covariance of a gradient
    at w = v, lambda_1^2 gamma^2 (twice that as printed), rounded to no bin.
    """
    if method == "minibatch":
        of = equation_7.calibrate(
            epsilon, DELTA, n=n, d=model.d, lambda_1=model.lambda_1, K=model.K, gamma=model.gamma, zeta=ZETA
        )
        return 2.0 * of.beta * of.alpha / (n // STEPS) / model.lambda_1
    choices = READINGS[method]
    calibration = dp_pca_calibration(model, n, epsilon, choices)
    doubled = 2.0 / choices.eigenvalue.divisor.value
    return calibration.mean.std * math.sqrt(calibration.handed_on * doubled) * model.gamma


def analyze_gauss_noise(model: Model, n: int, epsilon: float) -> float:
    """Standard deviation of the noise of one entry (off the diagonal) of Analyze Gauss's mean matrix, over lambda_1."""
    std = analyze_gauss.calibrate(epsilon, DELTA, model.d).std
    return std * model.norm_bound(n) ** 2 / n / model.lambda_1


def overtaking_sigma(d: int, n: int, epsilon: float, reading: str) -> float:
    """The sigma of Example 4.1 at which DP-PCA's last step has the noise of Equation (7)'s; below it, it has less."""

    def excess(log_sigma: float) -> float:
        model = example_4_1(d, math.exp(log_sigma))
        return math.log(last_step_noise(model, n, epsilon, reading) / last_step_noise(model, n, epsilon, "minibatch"))

    return math.exp(float(brentq(excess, math.log(1e-12), math.log(10.0))))


def overtaking_dimension(n: int, epsilon: float, reading: str) -> int:
    """The smallest power of 2 that is a d at which, on Gaussian rows, DP-PCA's noise is below Analyze Gauss's.

    At one n for both: their ratio depends on n through logarithms alone.
    """
    d = 2
    while last_step_noise(gaussian(d), n, epsilon, reading) > analyze_gauss_noise(gaussian(d), n, epsilon):
        d *= 2
    return d


def release_sample_size(model: Model, epsilon: float, choices: algorithm_3.Choices, share: float = 0.32) -> int:
    """The smallest n on a grid of factors 2^(1/8) at which a bin with this share of a half batch reaches the threshold.

    0.32 is what the proof of Lemma 6.2 finds in the fullest bin. Below that n no coordinate's bin is released but by
    luck, and w stays where it started.
    """
    for exponent in range(8 * 6, 8 * 60):
        n = round(2.0 ** (exponent / 8.0))
        try:
            mean = dp_pca_calibration(model, n, epsilon, choices).mean
        except ValueError:
            continue
        if share * mean.B >= mean.threshold:
            return n
    raise ValueError("no n up to 2^60 is enough")
