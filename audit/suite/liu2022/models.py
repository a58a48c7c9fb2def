"""Assumption 1 of liu2022, and its parameters for the data of Remark 3.4 and Example 4.1.

A (d, d) is one data matrix, here always A = x x^T; Sigma = E A with eigenvalues lambda_1 > lambda_2 >= ...;
H_u = Cov(A u) / lambda_1^2. All of this is about the data, nothing here is private.

A.4 is taken with the bound 2 of the conference text. With the 1 of the arXiv text only a constant A satisfies it, since
exp of a variable that is >= 0 and not almost surely 0 has a mean above 1.

K and a. For both models w = u^T (A - Sigma) v is a Gaussian chaos of order at most 2: up to a rotation
w / sd(w) = sum_i b_i g_i + c_i (g_i^2 - 1) / sqrt 2 =: Y with g_i independent N(0, 1) and sum_i b_i^2 + c_i^2 = 1. Its
cumulant of order m >= 3 is sum_i (m! / 2) (sqrt 2 c_i)^(m-2) (b_i^2 + 2 c_i^2 / m). For b_i^2 + c_i^2 = s fixed, the i-th
absolute term grows with |c_i|, so it is at most s^(m/2) times the cumulant of Y_0 = (g^2 - 1) / sqrt 2, and the sum is
at most that cumulant. Moments are polynomials in the cumulants with coefficients >= 0, so E Y^(2j) <= E Y_0^(2j) and
    E exp(|Y| / K) = 2 E cosh(Y / K) - E exp(-|Y| / K) <= 2 E cosh(Y_0 / K) - exp(-1 / K),
by Jensen and E |Y| <= 1 for the last term. This is `chaos_bound`, and it is <= 2 at K = TAIL_K. As
lambda_1^2 ||H_u||_2 >= v^T Cov(A u) v = var(w), A.4 holds with that K and a = 1 (for all u with H_u != 0). It cannot hold
with K below 1.709 for Gaussian rows: `chi_square_tail` is its expectation at u = v = v_1, where w / sd(w) = Y_0 and
||H_u||_2 = 2.

Claims: liu2022.assumption-a.4, liu2022.remark-3.4-v, liu2022.remark-3.4-gamma, liu2022.remark-3.4-k, liu2022.remark-3.4-m,
liu2022.example-4.1-eigenvalues, liu2022.example-4.1-v, liu2022.example-4.1-gamma, liu2022.example-4.1-k.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtri

from dppca.reference.rigour.validation import check_count, check_positive, check_probability
from dppca.reference.wang2020.fantope import check_symmetric

#: The K of A.4; the paper has 4 (claim liu2022.remark-3.4-k).
TAIL_K = 1.8


@dataclass(frozen=True)
class Assumption1:
    """The parameters of Assumption 1, with the paper's names; `a` and `K` are those of A.4.

    M bounds ||A_i - Sigma||_2 / lambda_1 for `samples` independent A_i at once with probability >= 1 - `failure`;
    failure = 0 says almost surely, as A.2 asks, whatever `samples` is.
    """

    d: int
    lambda_1: float
    lambda_2: float
    M: float
    V: float
    K: float
    a: float
    gamma2: float
    samples: int
    failure: float

    def __post_init__(self) -> None:
        """Reject parameters that no distribution with an eigengap has."""
        check_count("d", self.d)
        check_count("samples", self.samples)
        for name in ("lambda_1", "M", "V", "K", "a", "gamma2"):
            check_positive(name, getattr(self, name))
        if not 0.0 <= self.failure < 1.0:
            raise ValueError(f"failure must be in [0, 1), got {self.failure!r}")
        if not 0.0 <= self.lambda_2 < self.lambda_1:
            raise ValueError(f"lambda_2 must be in [0, lambda_1) = [0, {self.lambda_1!r}), got {self.lambda_2!r}")

    @property
    def gap(self) -> float:
        """Return lambda_1 - lambda_2."""
        return self.lambda_1 - self.lambda_2

    @property
    def kappa(self) -> float:
        """Return lambda_1 / (lambda_1 - lambda_2)."""
        return self.lambda_1 / self.gap

    @property
    def gamma(self) -> float:
        """Return the square root of gamma2."""
        return math.sqrt(self.gamma2)

    @property
    def almost_surely(self) -> bool:
        """Return whether M is the almost sure bound of A.2."""
        return self.failure == 0.0


def gaussian_model(covariance: NDArray[np.float64], n: int, zeta: float) -> Assumption1:
    """Return the parameters of Remark 3.4: A = x x^T with x ~ N(0, covariance).

    V and gamma2 are exact: E A^2 = tr(Sigma) Sigma + 2 Sigma^2, so E (A - Sigma)^2 has the norm
    lambda_1 tr(Sigma) + lambda_1^2; Cov(A u) = (u^T Sigma u) Sigma + Sigma u u^T Sigma, of norm at most 2 lambda_1^2, which
    u = v_1 meets. M is no almost sure bound, and there is none: ||x|| is unbounded. For PSD matrices
    ||x x^T - Sigma||_2 <= max(||x||^2, lambda_1), and ||x||^2 is at most the smaller of two quantiles: that of
    lambda_1 chi^2_d, and Laurent and Massart's tr(Sigma) + 2 sqrt(tr(Sigma^2) l) + 2 lambda_1 l with l = log(n / zeta).

    Args:
        covariance: Sigma, symmetric PSD, shape (d, d), with lambda_1 > lambda_2.
        n: the number of rows for which M holds at once.
        zeta: the probability with which it may fail, in (0, 1).
    """
    Sigma = check_symmetric("covariance", covariance)
    values = np.linalg.eigvalsh(Sigma)[::-1]
    if Sigma.shape[0] < 2 or not values[0] > 0.0 or values[-1] < -1e-12 * values[0]:
        raise ValueError(f"covariance must be PSD, not zero, with at least 2 rows, got eigenvalues {values.tolist()!r}")
    largest, trace = float(values[0]), float(np.sum(values))
    level = math.log(check_count("n", n) / check_probability("zeta", zeta))
    squared_norm = min(
        largest * _chi_square_maximum(len(values), n, zeta),
        trace + 2.0 * math.sqrt(float(np.sum(values**2)) * level) + 2.0 * largest * level,
    )
    return Assumption1(
        d=len(values),
        lambda_1=largest,
        lambda_2=max(float(values[1]), 0.0),
        M=max(squared_norm / largest, 1.0),
        V=1.0 + trace / largest,
        K=TAIL_K,
        a=1.0,
        gamma2=2.0,
        samples=n,
        failure=zeta,
    )


def signal_and_noise_model(d: int, sigma_squared: float, n: int, zeta: float) -> Assumption1:
    """Return the parameters of Example 4.1: A = x x^T with x = s v + N(0, sigma^2 I), s a fair sign; d >= 2.

    A does not change with x -> -x, so x ~ N(v, sigma^2 I) has the same A. With q = sigma^2, e_1 = v:
    E (A - Sigma)^2 is diagonal, 4q + 2q^2 + (d-1) q (1+q) along v and q + (d+1) q^2, which is less, across it: V is exact.
    For u = (c, s) in the plane of v and any w, Cov(A u) has the entries
        c^2 (4q + 2q^2) + s^2 q (1+q)    c s q (1+q)    c^2 q (1+q) + 2 s^2 q^2    and c^2 q (1+q) + s^2 q^2 off the plane.
    (4q + 2q^2) I minus the plane's block, over q, has the diagonal s^2 (3+q), c^2 (3+q) + 4 s^2 and the determinant
    c^2 s^2 ((3+q)^2 - (1+q)^2) + 4 s^4 (3+q) >= 0, so u = v is the maximiser and gamma2 = (4q + 2q^2) / (1+q)^2 exactly.
    The paper has gamma2 = sigma^2, less than that for every sigma^2 < sqrt 3, by a factor that tends to 4.
    M: A - Sigma = v m^T + m v^T + m m^T - q I with m ~ N(0, q I), of norm at most 2 ||m|| + max(||m||^2, q).
    """
    if check_count("d", d) < 2:
        raise ValueError(f"d must be >= 2, got {d!r}")
    q = check_positive("sigma_squared", sigma_squared)
    squared_norm = q * _chi_square_maximum(d, check_count("n", n), check_probability("zeta", zeta))
    largest = 1.0 + q
    return Assumption1(
        d=d,
        lambda_1=largest,
        lambda_2=q,
        M=(2.0 * math.sqrt(squared_norm) + max(squared_norm, q)) / largest,
        V=(4.0 * q + 2.0 * q**2 + (d - 1) * q * largest) / largest**2,
        K=TAIL_K,
        a=1.0,
        gamma2=(4.0 * q + 2.0 * q**2) / largest**2,
        samples=n,
        failure=zeta,
    )


def chaos_bound(K: float) -> float:
    """Return 2 E cosh(Y_0 / K) - exp(-1 / K), Y_0 = (g^2 - 1) / sqrt 2: a bound on E exp(|Y| / K) for every chaos Y.

    inf for K <= sqrt 2. E exp(t Y_0) = exp(-y / 2) / sqrt(1 - y) with y = sqrt 2 t < 1.
    """
    y = math.sqrt(2.0) / check_positive("K", K)
    if y >= 1.0:
        return math.inf
    return math.exp(-y / 2.0) / math.sqrt(1.0 - y) + math.exp(y / 2.0) / math.sqrt(1.0 + y) - math.exp(-1.0 / K)


def chi_square_tail(K: float) -> float:
    """Return E exp(|g^2 - 1| / (sqrt 2 K)) for g ~ N(0, 1), in closed form; inf for K <= sqrt 2.

    A.4's expectation at u = v = v_1 for Gaussian rows: K must make this <= 2.
    """
    y = math.sqrt(2.0) / check_positive("K", K)
    if y >= 1.0:
        return math.inf
    above = math.exp(-y / 2.0) / math.sqrt(1.0 - y) * math.erfc(math.sqrt((1.0 - y) / 2.0))
    return above + math.exp(y / 2.0) / math.sqrt(1.0 + y) * math.erf(math.sqrt((1.0 + y) / 2.0))


def _chi_square_maximum(d: int, n: int, zeta: float) -> float:
    """Return the (1 - zeta) quantile of the largest of n independent chi^2_d variables."""
    return float(chdtri(d, -math.expm1(math.log1p(-zeta) / n)))
