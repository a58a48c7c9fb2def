"""DP-VRPCA, noisy variance-reduced stochastic PCA.

Print (shang2021, Algorithm 2; section 4.1 has the block form, with polar factors, for k > 1).
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

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dppca.reference.accounting.search import unproved
from dppca.reference.accounting.variance_reduced import VarianceReducedCertificate
from dppca.reference.declaration import Choice, Returns, TheoremCondition, declare
from dppca.reference.example_rows import ROWS, rows_example
from dppca.reference.noise import Noise
from dppca.reference.primitives import row_changes
from dppca.reference.primitives.orthonormal import polar_factor
from dppca.reference.primitives.validation import (
    MOST_COUNT,
    check_count,
    check_delta,
    check_epsilon,
    check_positive,
    check_subspace_dimension,
)
from dppca.reference.relation import Relation
from dppca.reference.shang2021.calibration import NoiseCalibration, vrpca_account


@dataclass(frozen=True)
class Choices:
    """The decisions of a reading: the gradient's factor c, the full gradient's sign in units of c A v~, the noise's formula."""

    gradient_factor: Choice[float]
    full_gradient_sign: Choice[Literal[-1, 1]]
    formula: Choice[Literal["theorem-3", "account"]]


_GRADIENT = Choice(1.0, "shang2021.algorithm-2-gradient")
_SIGN = "shang2021.algorithm-2-line-2-sign"
AS_PRINTED = Choices(_GRADIENT, Choice(1, _SIGN), formula=Choice("theorem-3", "shang2021.theorem-3"))
CORRECTED = Choices(_GRADIENT, Choice(-1, _SIGN), formula=Choice("account", "shang2021.theorem-3"))


def theorem_3_noise(epsilon: float, delta: float, n: int, steps: int, G: float) -> tuple[float, tuple[TheoremCondition, ...]]:
    """Return lambda_2 of Theorem 3 for `steps` = T m, and its condition at these parameters."""
    check_epsilon(epsilon)
    check_positive("G", G)
    check_count("n", n)
    variance = G**2 * check_count("steps", steps) * math.log(1.0 / check_delta(delta)) / (n * epsilon) ** 2
    return math.sqrt(variance), (TheoremCondition("epsilon <= T m / n^2", "printed", epsilon <= steps / n**2),)


@dataclass(frozen=True)
class VarianceReducedCalibration(NoiseCalibration):
    """A `NoiseCalibration` with steps = T m, and the sign of the full gradient in units of c A v~."""

    T: int
    m: int
    full_gradient_sign: Literal[-1, 1]


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
    sign of the full gradient: reached at V = -V~. As printed, `conditions` says whether the theorem's condition holds.
    The account's noise is proved enough where that takes seconds: then `certificate` says so. `certify=True` proves it whatever
    it takes; False never does.

    Raises:
        ValueError: epsilon not > 0, delta not in (0, 1), n, d, T or m not an integer >= 1, T m > 10^6, or k not in 1..d.
    """
    c, sign = choices.gradient_factor.value, choices.full_gradient_sign.value
    steps = check_count("T", T) * check_count("m", m)
    if steps > MOST_COUNT:
        raise ValueError(f"T must be at most {MOST_COUNT} / m = {MOST_COUNT / m:g}, got {T!r}")
    check_subspace_dimension(k, check_count("d", d))
    moved = c * row_changes.on_basis(d, k)
    conditions: tuple[TheoremCondition, ...] = ()
    proof: tuple[str, ...] = ()
    certificate: VarianceReducedCertificate | None = None
    if choices.formula.value == "theorem-3":
        lambda_2, conditions = theorem_3_noise(epsilon, delta, n, steps, G=c)  # line 6
    else:
        account = vrpca_account(check_epsilon(epsilon), delta, n, steps, moved, k, sign, certify)
        certificate = account.certificate
        lambda_2, proof = account.std, unproved(account.certified)  # line 6
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
        assumptions=("every row lies in the unit ball", "neighbours: replace-one", f"n = {n} is public", *proof),
        sizes={"n": n, "d": d},
        certificate=certificate,
        T=T,
        m=m,
        full_gradient_sign=sign,
    )


@declare(
    key="shang2021.dp_vrpca",
    number="Algorithm 2",
    title="DP-VRPCA",
    data=ROWS,
    relation=Relation.REPLACE_ONE,
    returns=Returns.BASIS,
    lines=11,
    unstated=(9, 11),
    symbols={
        "conditions": "conditions of Theorem 3",
        "proof": "what the account rests on",
        "mu_tilde": "mu~",
        "x": "x_i",
        "V_prime": "v'",
        "V": "v",
        "V_tilde": "v~",
    },
    calibrate=calibrate,
    choices={"AS_PRINTED": AS_PRINTED, "CORRECTED": CORRECTED},
    claims=("shang2021.account-vrpca", "shang2021.theorem-3", "shang2021.theorem-3-output"),
    example=rows_example(epsilon=0.5, delta=0.01, n=3, d=3, T=3, m=2, k=2, eta=0.1),
)
def dp_vrpca(X: NDArray[np.float64], eta: float, calibration: VarianceReducedCalibration, noise: Noise) -> NDArray[np.float64]:
    """Run m epochs of T noisy variance-reduced steps. For k = 1 the lines are the printed ones.

    Args:
        X: rows in the unit ball, shape (n, d), n and d as calibrated.
        eta: step size > 0.
        calibration: what `calibrate` returned; it holds T, m, k, c and the sign of the full gradient.
        noise: the seam. Draws, in order: public normal "v[0]" (d, k); then for s = 1..m and t = 1..T the secret
            integer "i[s,t]" in 0..n-1 and the release "g[s,t]" (d, k), a noisy gradient.

    Returns:
        V_T of the last epoch, orthonormal, shape (d, k).

    Raises:
        ValueError: X or eta outside its domain.
    """
    n, d = X.shape
    check_positive("eta", eta)
    c = calibration.gradient_factor
    A = X.T @ X / n
    V_tilde = polar_factor(noise.public_normal("v[0]", (d, calibration.k)))
    for s in range(1, calibration.m + 1):  # line 1
        mu_tilde = calibration.full_gradient_sign * c * (A @ V_tilde)  # line 2
        V = V_tilde  # line 3
        for t in range(1, calibration.T + 1):  # line 4
            x = X[int(noise.secret_integers(f"i[{s},{t}]", n, ()))]  # line 5
            gradient = -c * np.outer(x, x @ V) + c * np.outer(x, x @ V_tilde) + mu_tilde
            g = noise.gaussian(f"g[{s},{t}]", gradient, std=calibration.std, sensitivity=calibration.sensitivity)  # line 6
            V_prime = V - eta * g  # line 7
            V = polar_factor(V_prime)  # line 8
        V_tilde = V  # line 10
    return V_tilde
