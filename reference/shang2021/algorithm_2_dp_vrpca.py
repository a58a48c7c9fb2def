"""DP-VRPCA, noisy variance-reduced stochastic PCA (shang2021, Algorithm 2, with its block form for k > 1).

Guarantee claimed: (epsilon, delta)-DP of the output, replace-one, n public, for epsilon <= T m / n^2 (Theorem 3).
Claims: shang2021.theorem-3, shang2021.theorem-3-output, shang2021.algorithm-2-line-2-sign,
shang2021.algorithm-2-gradient.

Departures from print:
  D1 line 2, the sign: print has the full gradient +A v~; minimising f = -v^T A v / 2 needs -A v~, and equation (14),
     the rewritten update, has it. As printed the expected step is v + eta A (v - 2 v~): away from the top direction.
  D2 line 6, the noise: REFUTED. Print's variance has the order of a moments-accountant bound with its constant set
     to 1, and no term for the full gradient, which every step uses and which is not subsampled. For a step size -> 0
     only the full gradient is left: T m Gaussian releases of sensitivity c / n, together one of
     mu = (c / G) epsilon / sqrt(log(1/delta)). At epsilon = 1, delta = 1e-6 and any T m >= n^2 the smallest delta is
     at least 1.06e-5, for the output alone too. Corrected: the smallest standard deviation that the numerical
     account (accounting.py) allows.

Ambiguous in print, and read here as follows:
  grad f_i: -x_i x_i^T v, as equation (14) and line 2 (up to its sign) have it; equation (9) would give twice that.
  G: the largest gradient norm over unit v, c = 1 here (see Algorithm 1).

Symbols: X (n, d) rows x_i in the unit ball; A = X^T X / n; V, V_tilde (d, k) orthonormal, v and v~ for k = 1;
mu_tilde the full gradient; eta the step size; lambda_2 the noise's std per coordinate; m epochs of T steps.
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
from dppca.reference.primitives.validation import check_delta, check_epsilon, check_positive, check_subspace_dimension
from dppca.reference.shang2021.accounting import RATIO_MAX
from dppca.reference.shang2021.accounting import dp_vrpca as account
from dppca.reference.shang2021.calibration import NoiseCalibration, smallest_std


@dataclass(frozen=True)
class Choices:
    """The factor c of the gradient, the sign of the full gradient in units of c A v~, the formula of the noise."""

    gradient_factor: Choice[float]
    full_gradient_sign: Choice[Literal[-1, 1]]
    formula: Choice[Literal["theorem-3", "account"]]


_GRADIENT = Choice(1.0, "equation (14) and line 2 have no factor 2", "shang2021.algorithm-2-gradient")
AS_PRINTED = Choices(
    gradient_factor=_GRADIENT,
    full_gradient_sign=Choice(1, "line 2 prints grad f(v~) = A v~", "shang2021.algorithm-2-line-2-sign"),
    formula=Choice("theorem-3", "lambda_2^2 = G^2 T m log(1/delta) / (n epsilon)^2", "shang2021.theorem-3"),
)
CORRECTED = Choices(
    gradient_factor=_GRADIENT,
    full_gradient_sign=Choice(-1, "f = -v^T A v / 2, and equation (14)", "shang2021.algorithm-2-line-2-sign"),
    formula=Choice("account", "counts the full gradient in every step", "shang2021.theorem-3"),
)


def theorem_3_noise(epsilon: float, delta: float, n: int, steps: int, G: float) -> tuple[float, tuple[Condition, ...]]:
    """lambda_2 of Theorem 3 for `steps` = T m, and its condition at these parameters."""
    check_epsilon(epsilon)
    check_positive("G", G)
    check_count("n", n)
    lambda_2 = G * math.sqrt(check_count("steps", steps) * math.log(1.0 / check_delta(delta))) / (n * epsilon)
    return lambda_2, (Condition("epsilon <= T m / n^2", "printed", epsilon <= steps / n**2),)


@dataclass(frozen=True)
class VarianceReducedCalibration(NoiseCalibration):
    """`NoiseCalibration` with steps = T m, and the sign of the full gradient in units of c A v~."""

    T: int
    m: int
    full_gradient_sign: Literal[-1, 1]


def calibrate(
    epsilon: float, delta: float, n: int, d: int, T: int, m: int, k: int = 1, choices: Choices = CORRECTED
) -> VarianceReducedCalibration:
    """The noise of line 6.

    Args:
        epsilon: target epsilon > 0.
        delta: target delta in (0, 1).
        n: number of rows, >= 1.
        d: dimension of a row, >= 1.
        T: number of steps of an epoch, >= 1.
        m: number of epochs, >= 1.
        k: dimension of the subspace, 1 <= k <= d.
        choices: AS_PRINTED or CORRECTED.

    Returns:
        VarianceReducedCalibration with std = lambda_2. Its sensitivity is the supremum of c ||E (V - V~ - s V~ / n)||_F
        over E = x x^T - y y^T and orthonormal V, V~, with s the sign of the full gradient: reached at V = -V~.
        As printed, `conditions` says whether the theorem's condition holds; the noise is returned either way.

    Raises:
        ValueError: an argument outside its range.
    """
    c = choices.gradient_factor.value
    sign = choices.full_gradient_sign.value
    steps = check_count("T", T) * check_count("m", m)
    check_subspace_dimension(k, d)
    moved = c * row_changes.on_basis(d, k)
    conditions: tuple[Condition, ...] = ()
    if choices.formula.value == "theorem-3":
        lambda_2, conditions = theorem_3_noise(epsilon, delta, n, steps, G=c)  # line 6
    else:
        start = max(analytic_std(epsilon, delta, 3.0 * moved * math.sqrt(steps) / check_count("n", n)), 3.0 * moved)
        lambda_2 = smallest_std(  # line 6 (D2)
            lambda std: account(epsilon, n, steps, std, moved).upper, delta, start, least=3.0 * moved / RATIO_MAX
        )
    return VarianceReducedCalibration(
        epsilon=epsilon,
        delta=delta,
        n=n,
        k=k,
        steps=steps,
        gradient_factor=c,
        std=lambda_2,
        sensitivity=moved * (2.0 + sign / n),
        formula=choices.formula.value,
        conditions=conditions,
        assumptions=("every row lies in the unit ball", "neighbours: replace-one", f"n = {n} is public"),
        T=T,
        m=m,
        full_gradient_sign=sign,
    )


def dp_vrpca(X: ArrayLike, eta: float, calibration: VarianceReducedCalibration, noise: Noise) -> NDArray[np.float64]:
    """Run m epochs of T noisy variance-reduced steps. For k = 1 the lines are the printed ones.

    Args:
        X: rows in the unit ball, shape (n, d), n = calibration.n.
        eta: step size > 0.
        calibration: what `calibrate` returned; it holds n, T, m, k, c and the sign of the full gradient.
        noise: the seam. Draws, in order: public normal "v[0]" (d, k); then for s = 1..m and t = 1..T the secret
            integer "i[s,t]" in 0..n-1 and the release "g[s,t]" (d, k), a noisy gradient.

    Returns:
        V_T of the last epoch, orthonormal, shape (d, k).

    Raises:
        ValueError: X is not finite or not (n, d), a row lies outside the unit ball, calibration.k > d, eta <= 0.
    """
    rows = check_unit_rows("X", X)
    n, d = rows.shape
    if n != calibration.n:
        raise ValueError(f"X must have the {calibration.n} rows of the calibration, got {n}")
    k = check_subspace_dimension(calibration.k, d)
    check_positive("eta", eta)
    c = calibration.gradient_factor
    A = rows.T @ rows / n
    V_tilde = polar_factor(noise.public_normal("v[0]", (d, k)))
    for s in range(1, calibration.m + 1):  # line 1
        mu_tilde = calibration.full_gradient_sign * c * (A @ V_tilde)  # line 2 (D1)
        V = V_tilde  # line 3
        for t in range(1, calibration.T + 1):  # line 4
            x = rows[int(noise.secret_integers(f"i[{s},{t}]", n, ()))]  # line 5
            g = noise.gaussian(  # line 6
                f"g[{s},{t}]",
                -c * np.outer(x, x @ V) + c * np.outer(x, x @ V_tilde) + mu_tilde,
                std=calibration.std,
                sensitivity=calibration.sensitivity,
            )
            V_prime = V - eta * g  # line 7
            V = polar_factor(V_prime)  # line 8
        # line 9
        V_tilde = V  # line 10
    # line 11
    return V_tilde
