"""DP-SPCA, noisy stochastic gradient PCA.

As published (shang2021, Algorithm 1; section 4.1 has the block form, with polar factors, for k > 1).
  0  v_0 any unit vector
  1  for t = 1, ..., T
  2    i uniform on 1, ..., n
  3    v' = v - eta_t (grad f_i(v) + z), z ~ N(0, lambda_1^2 I), lambda_1 as in Theorem 1
  4    v = v' / |v'|
  5  end; output v
Claimed there: (epsilon, delta)-DP of the output when a row is replaced, n public, under Theorem 1's conditions.
Read here: grad f_i(v) = -c x_i x_i^T v with c = 2, from equation (9); G, which no quadratic has on all of R^d, is the largest
gradient norm over unit v, which is c; v_0 is a random unit vector, known to the adversary.

Symbols: X (n, d) rows x_i; V (d, k) orthonormal, v for k = 1; eta_t step sizes; lambda_1 the noise's std per coordinate.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from dppca.reference.accounting.checker import Progress
from dppca.reference.api import ROWS, Matrix, Noise, Readings, Relation, Returns, checked, declare, point, rows_example
from dppca.reference.primitives import row_changes
from dppca.reference.primitives.orthonormal import polar_factor
from dppca.reference.rigour.validation import check_step_sizes
from dppca.reference.shang2021.calibration import NoiseCalibration, spca_account, theorem_1_noise


class Choices(Readings):
    """The decisions of a reading: the factor c of the gradient and the formula of the noise."""

    gradient_factor: float = point("shang2021.algorithm-1-gradient", every=2.0)
    formula: Literal["theorem-1", "account"] = point(
        "shang2021.theorem-1", "shang2021.theorem-1-conditions", AS_PRINTED="theorem-1", CORRECTED="account"
    )


AS_PRINTED, CORRECTED = Choices.read("AS_PRINTED"), Choices.read("CORRECTED")


@checked
def calibrate(
    epsilon: float,
    delta: float,
    n: int,
    d: int,
    T: int,
    k: int = 1,
    mu: float = 0.5,
    choices: Choices = CORRECTED,
    *,
    certify: bool | None = None,
    progress: Progress | None = None,
) -> NoiseCalibration:
    """Return the noise of line 3 for T steps on n rows of dimension d and bases of k columns.

    `mu` is the free parameter of Theorem 1, used by the published noise only: `conditions` states which of the theorem's
    conditions hold, and the noise is returned whether or not they do. A proof that takes long often finds less noise.
    """
    c = choices.gradient_factor
    sensitivity = c * row_changes.on_basis(d, k)
    grounds: dict[str, Any]
    if choices.formula == "theorem-1":
        lambda_1, conditions = theorem_1_noise(epsilon, delta, n, T, mu, G=c)  # line 3: lambda_1; conditions of Theorem 1
        grounds = {"conditions": conditions}
    else:
        account = spca_account(epsilon, delta, n, T, sensitivity, k, certify, progress)
        lambda_1, proof = account.std, account.assumptions  # line 3: lambda_1; what the account rests on
        grounds = {"assumptions": proof, "certificate": account.certificate}
    noise = lambda_1, sensitivity, choices.formula
    return NoiseCalibration(epsilon, delta, n, k, T, c, *noise, sizes={"n": n, "d": d}, **grounds)


@declare(
    number="Algorithm 1",
    title="DP-SPCA",
    data=ROWS,
    relation=Relation.REPLACE_ONE,
    returns=Returns.BASIS,
    unstated=(5,),
    calibrate=calibrate,
    claims=("shang2021.lemma-1",),
    example=rows_example(epsilon=0.5, delta=0.01, n=3, d=3, k=2, step_sizes=(0.1,) * 5),
)
def dp_spca(X: Matrix, step_sizes: ArrayLike, calibration: NoiseCalibration, noise: Noise) -> Matrix:
    """Take T noisy gradient steps, each on one row drawn at random. For k = 1 the lines are the published ones."""
    n, d = X.shape
    eta = check_step_sizes(step_sizes, calibration.steps)
    c = calibration.gradient_factor
    V = polar_factor(noise.public_normal("v[0]", (d, calibration.k)))
    for t in range(1, calibration.steps + 1):  # line 1
        x = X[int(noise.secret_integers(f"i[{t}]", n, ()))]  # line 2: x_i
        gradient = -c * np.outer(x, x @ V)
        noisy_gradient = noise.gaussian(  # line 3: grad f_i(v) + z
            f"g[{t}]", gradient, std=calibration.std, sensitivity=calibration.sensitivity
        )
        V_prime = V - eta[t - 1] * noisy_gradient  # line 3: v'
        V = polar_factor(V_prime)  # line 4: v
    return V
