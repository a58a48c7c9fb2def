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
import scipy  # its modules are loaded when they are first asked for
from numpy.typing import NDArray

from dppca.audit.suite.liu2022.models import TAIL_K, Assumption1, gaussian_model, signal_and_noise_model
from dppca.reference.baselines import analyze_gauss
from dppca.reference.liu2022 import algorithm_1_oja as algorithm_1
from dppca.reference.liu2022 import algorithm_2_private_oja as algorithm_2
from dppca.reference.liu2022 import algorithm_3_dp_pca as algorithm_3
from dppca.reference.liu2022 import equation_7_minibatch as equation_7
from dppca.reference.liu2022.data import clip
from dppca.reference.noise import Sample
from dppca.reference.primitives.subspaces import principal_subspace

DELTA = 1e-6
ZETA = 0.01
#: Remark 3.4.
PRINTED_K = 4.0
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
    """A law of rows x with A = x x^T and first eigenvector e_1, and its parameters of Assumption 1 (M aside, free of n)."""

    name: str
    of: Assumption1
    rows: Callable[[int, np.random.Generator], Matrix]
    norm_bound: Callable[[int], float]


def gaussian(d: int, low: float = 0.1) -> Model:
    """Return the model of Remark 3.4 with variances (1, low, ..., low)."""

    def rows(n: int, rng: np.random.Generator) -> Matrix:
        X = math.sqrt(low) * rng.standard_normal((n, d))
        X[:, 0] /= math.sqrt(low)
        return X

    return Model(
        name=f"Gaussian, d = {d}",
        of=gaussian_model(np.diag([1.0] + [low] * (d - 1)), 1, ZETA),
        rows=rows,
        norm_bound=lambda n: math.sqrt(float(scipy.special.chdtri(d, ZETA / n))),
    )


def example_4_1(d: int, sigma: float) -> Model:
    """Return the model of Example 4.1, v = e_1: a random sign of v and N(0, sigma^2 I)."""

    def rows(n: int, rng: np.random.Generator) -> Matrix:
        X = sigma * rng.standard_normal((n, d))
        X[:, 0] += rng.choice([-1.0, 1.0], n)
        return X

    return Model(
        name=f"Example 4.1, d = {d}, sigma = {sigma:g}",
        of=signal_and_noise_model(d, sigma**2, 1, ZETA),
        rows=rows,
        norm_bound=lambda n: 1.0 + sigma * math.sqrt(float(scipy.special.chdtri(d, ZETA / n))),
    )


# --- methods ------------------------------------------------------------------------------------------


#: Readings of Algorithm 3, and the K of A.4: the paper's, or the least one that is proved for both models.
READINGS = {
    "as published": (algorithm_3.AS_PRINTED, PRINTED_K),
    "corrected": (algorithm_3.CORRECTED, PRINTED_K),
    "lean": (algorithm_3.LEAN, TAIL_K),
}


def dp_pca_calibration(d: int, n: int, epsilon: float, reading: str) -> algorithm_3.DPPCACalibration:
    """Return Algorithm 3's calibration with STEPS batches."""
    choices, K = READINGS[reading]
    return algorithm_3.calibrate(epsilon, DELTA, n=n, d=d, B=n // STEPS, K=K, zeta=ZETA, choices=choices)


def _no_privacy(model: Model, n: int, epsilon: float) -> Method:  # noqa: ARG001
    return lambda X, _: principal_subspace(X.T @ X, 1)[:, 0]


def _analyze_gauss(model: Model, n: int, epsilon: float) -> Method:
    of, bound = analyze_gauss.calibrate(epsilon, DELTA, model.of.d), model.norm_bound(n)
    return lambda X, rng: analyze_gauss.analyze_gauss(clip(X, bound) / bound, 1, of, Sample(rng))[:, 0]


def _oja(model: Model, n: int, epsilon: float) -> Method:  # noqa: ARG001
    return lambda X, rng: algorithm_1.oja(X, _decaying(model, n), Sample(rng))


def _private_oja(model: Model, n: int, epsilon: float) -> Method:
    of = algorithm_2.calibrate(epsilon, DELTA, **_constants(model, n))
    return lambda X, rng: algorithm_2.private_oja(X, _decaying(model, n), of, Sample(rng))


def _minibatch(model: Model, n: int, epsilon: float) -> Method:
    of = equation_7.calibrate(epsilon, DELTA, **_constants(model, n))
    return lambda X, rng: equation_7.minibatch_private_oja(X, _constant(model), of, Sample(rng))


def _dp_pca(reading: str) -> Callable[[Model, int, float], Method]:
    def build(model: Model, n: int, epsilon: float) -> Method:
        of = dp_pca_calibration(model.of.d, n, epsilon, reading)
        return lambda X, rng: algorithm_3.dp_pca(X, _constant(model), of, Sample(rng))

    return build


def _constants(model: Model, n: int) -> dict[str, Any]:
    of = model.of
    return {"n": n, "d": of.d, "lambda_1": of.lambda_1, "K": of.K, "gamma": of.gamma, "zeta": ZETA}


def _constant(model: Model) -> Matrix:
    return np.full(STEPS, STEP_SIZE / model.of.lambda_1)


def _decaying(model: Model, n: int) -> Matrix:
    return np.asarray(RATE / (model.of.gap * (n / DELAY + np.arange(1, n + 1))))


#: Name to (model, n, epsilon) -> (rows, generator) -> unit vector (d,), calibrated for n rows at (epsilon, DELTA).
METHODS: Mapping[str, Callable[[Model, int, float], Method]] = {
    "no privacy": _no_privacy,
    "Analyze Gauss": _analyze_gauss,
    "Oja (Algorithm 1)": _oja,
    "Private Oja (Algorithm 2)": _private_oja,
    "minibatch (Equation 7)": _minibatch,
    **{f"DP-PCA, {reading}": _dp_pca(reading) for reading in READINGS},
}


def error(w: Matrix) -> float:
    """Return the sine of the angle between the unit vector w and e_1."""
    return float(np.linalg.norm(w[1:]))


def random_level(d: int) -> float:
    """Return the root mean square of `error` for a uniformly random direction."""
    return math.sqrt(1.0 - 1.0 / d)


# --- what the noise is, without data ------------------------------------------------------------------


def last_step_noise(model: Model, n: int, epsilon: float, method: str) -> float:
    """Return the standard deviation of the noise of one coordinate of one private mean gradient, over lambda_1.

    For DP-PCA at the eigenvalue that Algorithm 4 estimates at best: the largest value of the covariance of a gradient
    at w = v, lambda_1^2 gamma^2 (twice that as published), rounded to no bin.
    """
    if method == "minibatch":
        of = equation_7.calibrate(epsilon, DELTA, **_constants(model, n))
        return 2.0 * of.beta * of.alpha / (n // STEPS) / model.of.lambda_1
    calibration = dp_pca_calibration(model.of.d, n, epsilon, method)
    doubled = 2.0 / READINGS[method][0].eigenvalue.divisor
    return calibration.mean.std * math.sqrt(calibration.handed_on * doubled) * model.of.gamma


def analyze_gauss_noise(model: Model, n: int, epsilon: float) -> float:
    """Return the std of the noise of one off-diagonal entry of Analyze Gauss's mean matrix, over lambda_1."""
    std = analyze_gauss.calibrate(epsilon, DELTA, model.of.d).std
    return std * model.norm_bound(n) ** 2 / n / model.of.lambda_1


def overtaking_sigma(d: int, n: int, epsilon: float, reading: str) -> float:
    """Return the sigma of Example 4.1 at which DP-PCA's last step has the noise of Equation (7)'s, and below it less."""

    def excess(log_sigma: float) -> float:
        model = example_4_1(d, math.exp(log_sigma))
        return math.log(last_step_noise(model, n, epsilon, reading) / last_step_noise(model, n, epsilon, "minibatch"))

    return math.exp(float(scipy.optimize.brentq(excess, math.log(1e-12), math.log(10.0))))


def overtaking_dimension(n: int, epsilon: float, reading: str) -> int:
    """Return the smallest power of 2 that is a d at which, on Gaussian rows, DP-PCA has less noise than Analyze Gauss.

    At one n for both: their ratio depends on n through logarithms alone. Uses gamma = sqrt(2) and lambda_1 = 1, which
    Gaussian rows have in every dimension.
    """
    d = 2
    while True:
        calibration = dp_pca_calibration(d, n, epsilon, reading)
        doubled = 2.0 / READINGS[reading][0].eigenvalue.divisor
        noise = calibration.mean.std * math.sqrt(calibration.handed_on * doubled * 2.0)
        if noise < analyze_gauss.calibrate(epsilon, DELTA, d).std * float(scipy.special.chdtri(d, ZETA / n)) / n:
            return d
        d *= 2


def release_sample_size(d: int, epsilon: float, reading: str, share: float = 0.32) -> int:
    """Return the smallest n on a grid of factors 2^(1/8) at which a bin of this share of a half batch is released.

    0.32 is what the proof of Lemma 6.2 finds in the fullest bin. Below that n no coordinate's bin is released but by
    luck, and w stays where it started.
    """
    for exponent in range(8 * 6, 8 * 60):
        n = round(2.0 ** (exponent / 8.0))
        try:
            mean = dp_pca_calibration(d, n, epsilon, reading).mean
        except ValueError:  # too few records for Algorithm 4's subsets
            continue
        if share * mean.B >= mean.threshold:
            return n
    raise ValueError("no n up to 2^60 is enough")
