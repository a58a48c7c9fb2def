"""Local Gaussian mechanism for row-sparse PCA.

As published (wang2020, Algorithm 2; every row in the unit ball; rho > 0 a constant). Problem (5) is to maximise
<S~, X> - lambda ||X||_{1,1} over the Fantope {X symmetric: 0 <= X <= I, tr X = k}.
  1  for every client i
  2    X~_i = x_i x_i^T + Z_i, as in Algorithm 1
  3  end
  4  S~ = the mean of the X~_i
  5  take the optimum X^ of (5), or do as follows
  6  Y(0) = 0, U(0) = 0
  7  for t = 1, 2, ...
  8    X(t+1) = projection of Y(t) - U(t) + S~ / rho onto the Fantope
  9    Y(t+1) = S(X(t+1) + U(t)), S(x) = sign(x) max(|x| - lambda / rho, 0) entry by entry
 10    U(t+1) = U(t) + X(t+1) - Y(t+1)
 11    return Y(t)
 12  end
 13  output the principal k-subspace of X^ or Y(t)
Claimed there: every message is (epsilon, delta)-DP in the local model for 0 < epsilon, delta < 1 (Theorem 4, which also bounds
the error of the optimum); the optimum has the support of V_k (Theorem 5).
Read here: the first pass reads what line 6 sets, so t begins at 0. LITERAL returns in the first pass, hence the start value 0;
AS_PRINTED runs the loop until its residuals are small; CORRECTED takes line 5 at its word, by `certified_admm.sparse_subspace`.

Symbols: S_tilde, X, Y, U (p, p); U the scaled dual; lambda_ the penalty. The paper calls the noise's variance sigma^2, which in
the class P(s, sigma^2, k) of its input bounds the effective noise variance; here `calibration.std` is the noise.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from dppca.reference.api import Matrix, Noise, Readings, Relation, Returns, declare, point
from dppca.reference.primitives.gaussian import GaussianCalibration
from dppca.reference.primitives.subspaces import principal_subspace
from dppca.reference.rigour.validation import check_positive, check_subspace_dimension
from dppca.reference.wang2020 import algorithm_1_local_gaussian as algorithm_1
from dppca.reference.wang2020.certified_admm import RHO_START, default_rho, sparse_subspace
from dppca.reference.wang2020.examples import CLIENTS, clients_example
from dppca.reference.wang2020.fantope import check_penalty, check_symmetric, project_fantope, soft_threshold

#: AS_PRINTED ends after so many passes at the latest.
MAX_PASSES = 10_000


class Choices(Readings):
    """The decisions of a reading: line 2's noise, what line 5 takes, rho over S~'s root mean square entry, line 11's place.

    What line 5 takes is the optimum, or an ADMM that ends at this residual, relative to sqrt(k). At a multiple of 10 it ends
    after tens to hundreds of passes, on matrices of noise and on sparse ones; LITERAL has a single pass.
    """

    client: algorithm_1.Choices = point(
        LITERAL=algorithm_1.AS_PRINTED, AS_PRINTED=algorithm_1.AS_PRINTED, CORRECTED=algorithm_1.CORRECTED
    )
    line_5: Literal["optimum"] | float = point(
        "wang2020.algorithm-2-line-5", LITERAL=1e-6, AS_PRINTED=1e-6, CORRECTED="optimum"
    )
    rho: float = point("wang2020.algorithm-2-line-8", LITERAL=32.0, AS_PRINTED=10.0, CORRECTED=RHO_START)
    line_11: Literal["inside the loop", "after the loop"] = point(
        "wang2020.algorithm-2-line-11", LITERAL="inside the loop", AS_PRINTED="after the loop", CORRECTED="after the loop"
    )


LITERAL, AS_PRINTED, CORRECTED = (Choices.read(name) for name in ("LITERAL", "AS_PRINTED", "CORRECTED"))


def calibrate(epsilon: float, delta: float, p: int, choices: Choices = CORRECTED) -> GaussianCalibration:
    """Return the noise of line 2: that of Algorithm 1, with its arguments and errors."""
    return algorithm_1.calibrate(epsilon, delta, p, choices.client)


#: What one client sends (line 2): the message of Algorithm 1.
client = algorithm_1.client


def admm(
    S_tilde: Matrix, k: int, lambda_: float, choices: Choices, rho: float | None = None, passes: int = MAX_PASSES
) -> Matrix:
    """Return the iterate Y of lines 6 to 12, shape (p, p), of a reading that is LITERAL or AS_PRINTED.

    `rho` is the constant, > 0; None for that of `choices`, as the paper has no value. There are at most so many passes.
    """
    S_tilde = check_symmetric("S_tilde", S_tilde)
    check_subspace_dimension(k, len(S_tilde))
    check_penalty(lambda_)
    rho = default_rho(S_tilde, choices.rho) if rho is None else check_positive("rho", rho)
    small = float(choices.line_5) * np.sqrt(k)
    Y = np.zeros_like(S_tilde)  # line 6
    U = np.zeros_like(S_tilde)  # line 6
    for _ in range(passes):  # line 7
        X = project_fantope(Y - U + S_tilde / rho, k)  # line 8
        Y_next = soft_threshold(X + U, lambda_ / rho)  # line 9: Y
        U = U + X - Y_next  # line 10
        if choices.line_11 == "inside the loop":  # line 11
            return Y
        residual = max(np.linalg.norm(X - Y_next), np.linalg.norm(Y_next - Y))
        Y = Y_next
        if residual <= small:
            break
    return Y


def server(messages: Sequence[Matrix], p: int, k: int, lambda_: float, choices: Choices = CORRECTED) -> Matrix:
    """Return V_k, orthonormal, shape (p, k), from n messages; the server sees nothing else."""
    S_tilde = algorithm_1.mean_message(messages, p)  # line 4: S~
    if choices.line_5 == "optimum":
        X_hat = sparse_subspace(S_tilde, k, lambda_).X  # line 5: X^
        return principal_subspace(X_hat, k)  # line 13: V_k
    Y = admm(S_tilde, k, lambda_, choices)  # line 11
    return principal_subspace(Y, k)  # line 13: V_k


@declare(
    number="Algorithm 2",
    title="Local Gaussian Mechanism-High Dimension",
    data=CLIENTS,
    relation=Relation.LOCAL,
    returns=Returns.EIGENVECTORS,
    unstated=(3, 12),
    calibrate=calibrate,
    claims=(
        "wang2020.theorem-4-privacy",
        "wang2020.theorem-4-utility",
        "wang2020.theorem-5-support",
        "wang2020.algorithm-2-input",
        "wang2020.algorithm-2-line-2",
        "wang2020.algorithm-2-line-7",
        "wang2020.algorithm-2-lines-8-to-10",
        "wang2020.algorithm-2-line-13",
    ),
    example=clients_example(
        [[1.0, 0.0, 0.0, 0.0], [0.6, 0.8, 0.0, 0.0], [0.0, 0.5, 0.0, 0.5]], epsilon=0.5, delta=1e-4, p=4, k=2, lambda_=0.1
    ),
)
def local_gaussian_mechanism_high_dimension(
    X: Matrix, k: int, lambda_: float, calibration: GaussianCalibration, noise: Noise, choices: Choices = CORRECTED
) -> Matrix:
    """Run all clients, then the server.

    `lambda_` is the penalty, >= 0: `dppca.audit.suite.wang2020.penalty` has the values of Theorems 4 and 5. `choices` is a
    reading of the lines from 5 on; that of line 2 is in the calibration already.
    """
    n, p = X.shape
    messages = []
    for i in range(n):  # line 1
        messages.append(client(X[i], calibration, noise, name=f"message[{i}]"))  # line 2: X~_i, upper triangle
    return server(messages, p, k, lambda_, choices)
