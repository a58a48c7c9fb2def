"""DP-SPCA, noisy stochastic gradient PCA.

Print (shang2021, Algorithm 1; section 4.1 has the block form, with polar factors, for k > 1).
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

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dppca.reference.accounting.certificates import Progress
from dppca.reference.accounting.search import AnyCertificate, unproved
from dppca.reference.declaration import Choice, Returns, TheoremCondition, declare
from dppca.reference.example_rows import ROWS, rows_example
from dppca.reference.noise import Noise
from dppca.reference.primitives import row_changes
from dppca.reference.primitives.orthonormal import polar_factor
from dppca.reference.primitives.validation import (
    check_count,
    check_delta,
    check_epsilon,
    check_positive,
    check_step_sizes,
    check_subspace_dimension,
)
from dppca.reference.relation import Relation
from dppca.reference.shang2021.calibration import NoiseCalibration, spca_account


@dataclass(frozen=True)
class Choices:
    """The decisions of a reading: the factor c of the gradient and the formula of the noise."""

    gradient_factor: Choice[float]
    formula: Choice[Literal["theorem-1", "account"]]


_GRADIENT = Choice(2.0, "shang2021.algorithm-1-gradient")
AS_PRINTED = Choices(_GRADIENT, formula=Choice("theorem-1", "shang2021.theorem-1"))
CORRECTED = Choices(_GRADIENT, formula=Choice("account", "shang2021.theorem-1-conditions"))


def theorem_1_noise(
    epsilon: float, delta: float, n: int, T: int, mu: float, G: float
) -> tuple[float, tuple[TheoremCondition, ...]]:
    """Return lambda_1 of Theorem 1, and its conditions at these parameters.

    The last condition is the second one of the subsampling lemma behind the theorem (its first one is printed as
    5 T alpha / (n^2 epsilon mu) >= 1.5); the paper does not state it.
    """
    if not 0.0 < mu < 1.0:
        raise ValueError(f"mu must be in (0, 1), got {mu!r}")
    check_epsilon(epsilon)
    check_positive("G", G)
    check_count("n", n)
    alpha = math.log(1.0 / check_delta(delta)) / ((1.0 - mu) * epsilon) + 1.0
    variance = 20.0 * check_count("T", T) * alpha * G**2 / (n**2 * epsilon * mu)
    ratio = variance / (4.0 * G**2)
    conditions = (
        TheoremCondition("epsilon <= T / n^2 (Lemma 1)", "printed", epsilon <= T / n**2),
        TheoremCondition("5 T alpha / (n^2 epsilon mu) >= 1.5", "printed", ratio >= 1.5),
        TheoremCondition("alpha <= log(n / (1 + 5 T alpha / (n^2 epsilon mu)))", "proof", alpha <= math.log(n / (1.0 + ratio))),
    )
    return math.sqrt(variance), conditions


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

    `mu` in (0, 1) is the free parameter of Theorem 1, used by the printed noise only. As printed, `conditions` says which of
    the theorem's conditions hold; the noise is returned whether or not they do. The account's noise is proved enough where that
    takes seconds: then `certificate` says so. `certify=True` proves it whatever it takes, and often finds less noise; False
    never does. `progress` is called with the number of products of the proof that are done, and of all.

    Raises:
        ValueError: epsilon not > 0, delta or mu not in (0, 1), n, d or T not an integer >= 1, or k not an integer in 1..d.
    """
    c = choices.gradient_factor.value
    check_subspace_dimension(k, check_count("d", d))
    sensitivity = c * row_changes.on_basis(d, k)
    conditions: tuple[TheoremCondition, ...] = ()
    proof: tuple[str, ...] = ()
    certificate: AnyCertificate | None = None
    if choices.formula.value == "theorem-1":
        lambda_1, conditions = theorem_1_noise(epsilon, delta, n, T, mu, G=c)  # line 3
    else:
        check_count("T", T)
        account = spca_account(check_epsilon(epsilon), delta, n, T, sensitivity, k, certify, progress)
        certificate = account.certificate
        lambda_1, proof = account.std, unproved(account.certified)  # line 3
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
        assumptions=("every row lies in the unit ball", "neighbours: replace-one", f"n = {n} is public", *proof),
        sizes={"n": n, "d": d},
        certificate=certificate,
    )


@declare(
    key="shang2021.dp_spca",
    number="Algorithm 1",
    title="DP-SPCA",
    data=ROWS,
    relation=Relation.REPLACE_ONE,
    returns=Returns.BASIS,
    lines=5,
    unstated=(5,),
    symbols={
        "conditions": "conditions of Theorem 1",
        "proof": "what the account rests on",
        "x": "x_i",
        "noisy_gradient": "grad f_i(v) + z",
        "V_prime": "v'",
        "V": "v",
    },
    calibrate=calibrate,
    derived={"T": lambda arguments: len(check_step_sizes(arguments["step_sizes"]))},
    choices={"AS_PRINTED": AS_PRINTED, "CORRECTED": CORRECTED},
    claims=("shang2021.theorem-1", "shang2021.theorem-1-conditions", "shang2021.lemma-1"),
    example=rows_example(epsilon=0.5, delta=0.01, n=3, d=3, k=2, step_sizes=(0.1,) * 5),
)
def dp_spca(X: NDArray[np.float64], step_sizes: ArrayLike, calibration: NoiseCalibration, noise: Noise) -> NDArray[np.float64]:
    """Take T noisy gradient steps, each on one row drawn at random. For k = 1 the lines are the printed ones.

    Args:
        X: rows in the unit ball, shape (n, d), n and d as calibrated.
        step_sizes: eta_1, ..., eta_T, each > 0, shape (T,), T = calibration.steps.
        calibration: what `calibrate` returned; it holds T, k and c.
        noise: the seam. Draws, in order: public normal "v[0]" (d, k); then for t = 1..T the secret integer "i[t]"
            in 0..n-1 and the release "g[t]" (d, k), a noisy gradient.

    Returns:
        V_T, orthonormal, shape (d, k).

    Raises:
        ValueError: X or step_sizes outside its domain.
    """
    n, d = X.shape
    eta = check_step_sizes(step_sizes, calibration.steps)
    c = calibration.gradient_factor
    V = polar_factor(noise.public_normal("v[0]", (d, calibration.k)))
    for t in range(1, calibration.steps + 1):  # line 1
        x = X[int(noise.secret_integers(f"i[{t}]", n, ()))]  # line 2
        gradient = -c * np.outer(x, x @ V)
        noisy_gradient = noise.gaussian(  # line 3
            f"g[{t}]", gradient, std=calibration.std, sensitivity=calibration.sensitivity
        )
        V_prime = V - eta[t - 1] * noisy_gradient  # line 3
        V = polar_factor(V_prime)  # line 4
    return V
