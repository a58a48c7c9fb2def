"""DP-VRPCA, noisy variance-reduced stochastic PCA.

As published (shang2021, Algorithm 2; section 4.1 has the block form, with polar factors, for k > 1).
  1  for s = 1, ..., m
  2    mu~ = grad f(v~) = A v~
  3    v_0 = v~
  4    for t = 1, ..., T
  5      i uniform on 1, ..., n
  6      g = grad f_i(v_{t-1}) - grad f_i(v~) + mu~ + z, z ~ N(0, lambda_2^2 I), lambda_2 as in Theorem 3
  7      v'_t = v_{t-1} - eta g
  8      v_t = v'_t / |v'_t|
  9    end
 10    v~ = v_T
 11  end; output v~
Claimed there: (epsilon, delta)-DP of the output when a row is replaced, n public, for epsilon <= T m / n^2 (Theorem 3).
Read here: grad f_i(v) = -c x_i x_i^T v with c = 1, as equation (14) has it; G is the largest gradient norm over unit v, c.

Symbols: X (n, d) rows x_i; A = X^T X / n; V, V_tilde (d, k) orthonormal, v and v~ for k = 1; mu_tilde the full gradient;
eta the step size; lambda_2 the noise's std per coordinate; m epochs of T steps.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from dppca.reference.api import ROWS, Matrix, Noise, Readings, Relation, Returns, checked, declare, point, rows_example
from dppca.reference.primitives import row_changes
from dppca.reference.primitives.orthonormal import polar_factor
from dppca.reference.rigour.validation import MOST_COUNT
from dppca.reference.shang2021.calibration import NoiseCalibration, theorem_3_noise, vrpca_account


class Choices(Readings):
    """The decisions of a reading: the gradient's factor c, the full gradient's sign in units of c A v~, the noise's formula."""

    gradient_factor: float = point("shang2021.algorithm-2-gradient", every=1.0)
    full_gradient_sign: Literal[-1, 1] = point("shang2021.algorithm-2-line-2-sign", AS_PRINTED=1, CORRECTED=-1)
    formula: Literal["theorem-3", "account"] = point("shang2021.theorem-3", AS_PRINTED="theorem-3", CORRECTED="account")


AS_PRINTED, CORRECTED = Choices.read("AS_PRINTED"), Choices.read("CORRECTED")


@dataclass(frozen=True)
class VarianceReducedCalibration(NoiseCalibration):
    """A `NoiseCalibration` with steps = T m, and the sign of the full gradient in units of c A v~."""

    T: int
    m: int
    full_gradient_sign: Literal[-1, 1]


@checked
def calibrate(
    epsilon: float,
    delta: float,
    n: int,
    d: int,
    T: int,
    m: int,
    k: int = 1,
    choices: Choices = CORRECTED,
    *,
    certify: bool | None = None,
) -> VarianceReducedCalibration:
    """Return the noise of line 6 for m epochs of T steps on n rows of dimension d and bases of k columns.

    Its sensitivity is the supremum of c ||E (V - V~ - s V~ / n)||_F over E = x x^T - y y^T and orthonormal V, V~, with s the
    sign of the full gradient: reached at V = -V~. As published, `conditions` states whether the theorem's condition holds.
    """
    c, sign = choices.gradient_factor, choices.full_gradient_sign
    steps = T * m
    if steps > MOST_COUNT:
        raise ValueError(f"T must be at most {MOST_COUNT} / m = {MOST_COUNT / m:g}, got {T!r}")
    moved = c * row_changes.on_basis(d, k)
    grounds: dict[str, Any]
    if choices.formula == "theorem-3":
        lambda_2, conditions = theorem_3_noise(epsilon, delta, n, steps, G=c)  # line 6: lambda_2; conditions of Theorem 3
        grounds = {"conditions": conditions}
    else:
        account = vrpca_account(epsilon, delta, n, steps, moved, k, sign, certify)
        lambda_2, proof = account.std, account.assumptions  # line 6: lambda_2; what the account rests on
        grounds = {"assumptions": proof, "certificate": account.certificate}
    noise = lambda_2, moved * (2.0 + sign / n), choices.formula
    return VarianceReducedCalibration(epsilon, delta, n, k, steps, c, *noise, T, m, sign, sizes={"n": n, "d": d}, **grounds)


@declare(
    number="Algorithm 2",
    title="DP-VRPCA",
    data=ROWS,
    relation=Relation.REPLACE_ONE,
    returns=Returns.BASIS,
    unstated=(9, 11),
    calibrate=calibrate,
    claims=("shang2021.account-vrpca", "shang2021.theorem-3-output"),
    example=rows_example(epsilon=0.5, delta=0.01, n=3, d=3, T=3, m=2, k=2, eta=0.1),
)
def dp_vrpca(X: Matrix, eta: float, calibration: VarianceReducedCalibration, noise: Noise) -> Matrix:
    """Run m epochs of T noisy variance-reduced steps of size eta > 0. For k = 1 the lines are the published ones."""
    n, d = X.shape
    c = calibration.gradient_factor
    A = X.T @ X / n
    V_tilde = polar_factor(noise.public_normal("v[0]", (d, calibration.k)))
    for s in range(1, calibration.m + 1):  # line 1
        mu_tilde = calibration.full_gradient_sign * c * (A @ V_tilde)  # line 2: mu~
        V = V_tilde  # line 3: v
        for t in range(1, calibration.T + 1):  # line 4
            x = X[int(noise.secret_integers(f"i[{s},{t}]", n, ()))]  # line 5: x_i
            gradient = -c * np.outer(x, x @ V) + c * np.outer(x, x @ V_tilde) + mu_tilde
            g = noise.gaussian(f"g[{s},{t}]", gradient, std=calibration.std, sensitivity=calibration.sensitivity)  # line 6
            V_prime = V - eta * g  # line 7: v'
            V = polar_factor(V_prime)  # line 8: v
        V_tilde = V  # line 10: v~
    return V_tilde
