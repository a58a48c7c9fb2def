"""DP-SPCA, noisy stochastic gradient PCA (shang2021, Algorithm 1, with its block form for k > 1).

Guarantee claimed: (epsilon, delta)-DP of the output, replace-one, n public, under the conditions of Theorem 1.
Claims: shang2021.theorem-1, shang2021.theorem-1-conditions, shang2021.lemma-1, shang2021.algorithm-1-gradient.

Departures from print:
  D1 line 3, the noise: print's variance rests on a subsampling lemma with two conditions, of which Theorem 1 states
     one. Corrected: the smallest standard deviation that the numerical account (accounting.py) allows.

Ambiguous in print, and read here as follows:
  grad f_i: f of equation (9) has the gradient -2 x_i x_i^T v, equation (14) rests on -x_i x_i^T v; here equation (9).
  G: no quadratic is Lipschitz on R^d, as Assumption 2 asks; G is the largest gradient norm over unit v, which is c.
  v_0: any start vector; here a random unit vector, known to the adversary (section 5.1).

Symbols: X (n, d) rows x_i in the unit ball; V (d, k) orthonormal, v for k = 1; eta_t step sizes; lambda_1 the
noise's std per coordinate; T steps; c the factor of grad f_i(V) = -c x_i x_i^T V.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dppca.reference.choices import Choice
from dppca.reference.conditions import Condition
from dppca.reference.noise import Noise
from dppca.reference.primitives import row_changes
from dppca.reference.primitives.gaussian import analytic_std
from dppca.reference.primitives.inputs import check_count, check_unit_rows
from dppca.reference.primitives.orthonormal import polar_factor
from dppca.reference.primitives.validation import (
    check_delta,
    check_epsilon,
    check_positive,
    check_subspace_dimension,
    check_vector,
)
from dppca.reference.shang2021.accounting import RATIO_MAX, dp_spca_upper
from dppca.reference.shang2021.calibration import NoiseCalibration, smallest_std


@dataclass(frozen=True)
class Choices:
    """The factor c of the gradient and the formula of the noise."""

    gradient_factor: Choice[float]
    formula: Choice[Literal["theorem-1", "account"]]


_GRADIENT = Choice(2.0, "the derivative of equation (9)", "shang2021.algorithm-1-gradient")
AS_PRINTED = Choices(
    gradient_factor=_GRADIENT,
    formula=Choice("theorem-1", "lambda_1^2 = 20 T alpha G^2 / (n^2 epsilon mu)", "shang2021.theorem-1"),
)
CORRECTED = Choices(
    gradient_factor=_GRADIENT,
    formula=Choice("account", "holds for all parameters, without conditions", "shang2021.theorem-1-conditions"),
)


def theorem_1_noise(epsilon: float, delta: float, n: int, T: int, mu: float, G: float) -> tuple[float, tuple[Condition, ...]]:
    """lambda_1 of Theorem 1, and its conditions at these parameters.

    With alpha = log(1/delta) / ((1 - mu) epsilon) + 1. The last condition is the second one of the subsampling
    lemma behind the theorem (order alpha <= log(1 / (tau (1 + lambda_1^2 / (4 G^2)))), tau = 1/n; its first one is
    printed as 5 T alpha / (n^2 epsilon mu) >= 1.5); the paper does not state it.
    """
    if not 0.0 < mu < 1.0:
        raise ValueError(f"mu must be in (0, 1), got {mu!r}")
    check_epsilon(epsilon)
    check_positive("G", G)
    check_count("n", n)
    alpha = math.log(1.0 / check_delta(delta)) / ((1.0 - mu) * epsilon) + 1.0
    noise_ratio = 5.0 * check_count("T", T) * alpha / (n**2 * epsilon * mu)  # lambda_1^2 / (4 G^2)
    conditions = (
        Condition("epsilon <= T / n^2 (Lemma 1)", "printed", epsilon <= T / n**2),
        Condition("5 T alpha / (n^2 epsilon mu) >= 1.5", "printed", noise_ratio >= 1.5),
        Condition("alpha <= log(n / (1 + 5 T alpha / (n^2 epsilon mu)))", "proof", alpha <= math.log(n / (1.0 + noise_ratio))),
    )
    return 2.0 * G * math.sqrt(noise_ratio), conditions


def calibrate(
    epsilon: float, delta: float, n: int, d: int, T: int, k: int = 1, mu: float = 0.5, choices: Choices = CORRECTED
) -> NoiseCalibration:
    """The noise of line 3.

    Args:
        epsilon: target epsilon > 0.
        delta: target delta in (0, 1).
        n: number of rows, >= 1.
        d: dimension of a row, >= 1.
        T: number of steps, >= 1.
        k: dimension of the subspace, 1 <= k <= d.
        mu: the free parameter of Theorem 1, in (0, 1); used by the printed noise only.
        choices: AS_PRINTED or CORRECTED.

    Returns:
        NoiseCalibration with std = lambda_1. As printed, `conditions` says which of the theorem's conditions hold;
        the noise is returned whether or not they do.

    Raises:
        ValueError: an argument outside its range.
    """
    c = choices.gradient_factor.value
    check_subspace_dimension(k, d)
    sensitivity = c * row_changes.on_basis(d, k)
    conditions: tuple[Condition, ...] = ()
    if choices.formula.value == "theorem-1":
        lambda_1, conditions = theorem_1_noise(epsilon, delta, n, T, mu, G=c)  # line 3
    else:
        amplified = sensitivity * math.sqrt(check_count("T", T)) / check_count("n", n)
        start = max(analytic_std(epsilon, delta, amplified), sensitivity)
        lambda_1 = smallest_std(  # line 3 (D1)
            lambda std: dp_spca_upper(epsilon, n, T, std, sensitivity), delta, start, least=sensitivity / RATIO_MAX
        )
    return NoiseCalibration(
        epsilon=epsilon,
        delta=delta,
        n=n,
        k=k,
        steps=T,
        gradient_factor=c,
        std=lambda_1,
        sensitivity=sensitivity,
        formula=choices.formula.value,
        conditions=conditions,
        assumptions=("every row lies in the unit ball", "neighbours: replace-one", f"n = {n} is public"),
    )


def dp_spca(X: ArrayLike, step_sizes: ArrayLike, calibration: NoiseCalibration, noise: Noise) -> NDArray[np.float64]:
    """T noisy gradient steps, each on one row drawn at random. For k = 1 the lines are the printed ones.

    Args:
        X: rows in the unit ball, shape (n, d), n = calibration.n.
        step_sizes: eta_1, ..., eta_T, each > 0, shape (T,), T = calibration.steps.
        calibration: what `calibrate` returned; it holds n, T, k and c.
        noise: the seam. Draws, in order: public normal "v[0]" (d, k); then for t = 1..T the secret integer "i[t]"
            in 0..n-1 and the release "g[t]" (d, k), a noisy gradient.

    Returns:
        V_T, orthonormal, shape (d, k).

    Raises:
        ValueError: X is not finite or not (n, d), a row lies outside the unit ball, calibration.k > d,
            step_sizes has another length than T or an entry <= 0.
    """
    rows = check_unit_rows("X", X)
    n, d = rows.shape
    if n != calibration.n:
        raise ValueError(f"X must have the {calibration.n} rows of the calibration, got {n}")
    k = check_subspace_dimension(calibration.k, d)
    eta = check_vector("step_sizes", step_sizes)
    if len(eta) != calibration.steps or np.min(eta) <= 0.0:
        raise ValueError(f"step_sizes must be {calibration.steps} numbers > 0, got {step_sizes!r}")
    c = calibration.gradient_factor
    V = polar_factor(noise.public_normal("v[0]", (d, k)))
    for t in range(1, calibration.steps + 1):  # line 1
        x = rows[int(noise.secret_integers(f"i[{t}]", n, ()))]  # line 2
        noisy_gradient = noise.gaussian(  # line 3
            f"g[{t}]", -c * np.outer(x, x @ V), std=calibration.std, sensitivity=calibration.sensitivity
        )
        V_prime = V - eta[t - 1] * noisy_gradient  # line 3
        V = polar_factor(V_prime)  # line 4
    # line 5
    return V
