"""The penalty lambda of problem (5) with explicit constants (wang2020, Theorems 4 and 5).

Lemma 15 needs lambda >= ||S_tilde - Sigma||_{inf,inf}; the paper gives the size of that deviation up to an unnamed
constant, and (in Theorem 4) bounds lambda from the wrong side. Each function here is a bound that holds with
probability at least 1 - beta. S_tilde - Sigma = Z + (S - Sigma) has m = p (p + 1) / 2 different entries.

Noise part. The m entries of Z are independent N(0, std^2 / n), so max |Z_ij| has an exactly known quantile; the
union bound P(|N(0, 1)| > z) <= exp(-z^2 / 2) gives std sqrt(2 ln(m / beta) / n) at most. The paper's tail,
2 p^2 exp(-t^2 / variance), lacks a factor 1/2 in the exponent; and the noise does not shrink with lambda_1(Sigma), so
the factor lambda_1 that the paper puts before the whole deviation can stand before its sampling part only.

Sampling part, two routes. (a) Rows in the unit ball: x_i x_j lies in [-1/2, 1/2], x_i^2 in [0, 1], so Hoeffding gives
P(|S_ij - Sigma_ij| >= t) <= 2 exp(-2 n t^2), Sigma being the second moments. (b) Gaussian rows N(0, Sigma):
x_i x_j = ((x_i + x_j)^2 - (x_i - x_j)^2) / 4, and n means of either square are v chi^2_n / n, where the two v add to
2 (Sigma_ii + Sigma_jj). By Laurent and Massart each is within v (2 sqrt(t / n) + 2 t / n) of its mean but for
probability 2 exp(-t), so |S_ij - Sigma_ij| <= max_i Sigma_ii (2 sqrt(t / n) + 2 t / n) but for 4 exp(-t).

Claims: wang2020.theorem-4-lambda, wang2020.theorem-4-noise-maximum, wang2020.theorem-5-lambda, wang2020.lemma-15.
"""

from __future__ import annotations

import math

from scipy.special import ndtri

from dppca.reference.rigour.validation import check_count, check_delta, check_positive


def entries(p: int) -> int:
    """Return p (p + 1) / 2, the entries on and above the diagonal."""
    return check_count("p", p) * (p + 1) // 2


def noise_maximum(std: float, n: int, p: int, beta: float) -> float:
    """Return the exact (1 - beta)-quantile of max |Z_ij|, where std is one client's noise: (2 Phi(z) - 1)^m = 1 - beta."""
    tail = -math.expm1(math.log1p(-check_delta(beta)) / entries(p)) / 2.0
    return -float(ndtri(tail)) * check_positive("std", std) / math.sqrt(check_count("n", n))


def noise_maximum_union(std: float, n: int, p: int, beta: float) -> float:
    """Return std sqrt(2 ln(m / beta) / n), an upper bound of `noise_maximum` in closed form."""
    log = math.log(entries(p) / check_delta(beta))
    return check_positive("std", std) * math.sqrt(2.0 * log / check_count("n", n))


def sampling_maximum_bounded(n: int, p: int, beta: float) -> float:
    """Return a bound on ||S - Sigma||_{inf,inf} for any law on the unit ball, route (a): sqrt(ln(2 m / beta) / (2 n))."""
    return math.sqrt(math.log(2.0 * entries(p) / check_delta(beta)) / (2.0 * check_count("n", n)))


def sampling_maximum_gaussian(largest_variance: float, n: int, p: int, beta: float) -> float:
    """Return a bound on ||S - Sigma||_{inf,inf} for rows N(0, Sigma), route (b); largest_variance is max_i Sigma_ii."""
    t = math.log(4.0 * entries(p) / check_delta(beta)) / check_count("n", n)
    return check_positive("largest_variance", largest_variance) * (2.0 * math.sqrt(t) + 2.0 * t)


def theorem_4_lambda(std: float, n: int, p: int, beta: float, largest_variance: float | None = None) -> float:
    """Return a lambda that is >= ||S_tilde - Sigma||_{inf,inf} with probability at least 1 - beta, as Lemma 15 needs.

    Args:
        std: standard deviation of one client's noise.
        n: number of clients.
        p: dimension of a row.
        beta: failure probability in (0, 1), spent by halves on noise and sampling.
        largest_variance: max_i Sigma_ii if the rows are Gaussian; None for any law on the unit ball.
    """
    if largest_variance is None:
        sampling = sampling_maximum_bounded(n, p, beta / 2.0)
    else:
        sampling = sampling_maximum_gaussian(largest_variance, n, p, beta / 2.0)
    return noise_maximum(std, n, p, beta / 2.0) + sampling


def theorem_5_lambda(alpha: float, std: float, n: int, p: int, beta: float, largest_variance: float | None = None) -> float:
    """Return theorem_4_lambda / alpha: under LCC with alpha it meets the first condition of Lemma 17."""
    if not 0.0 < alpha <= 1.0:
        raise ValueError(f"alpha must be in (0, 1], got {alpha!r}")
    return theorem_4_lambda(std, n, p, beta, largest_variance) / alpha


def lemma_15_bound(lambda_: float, s: int, eigengap: float, gap: float = 0.0) -> float:
    """Return a bound on ||X - V_k V_k^T||_F for a feasible X within `gap` of the optimum, if lambda >= ||S_tilde - Sigma||.

    The proof of Lemma 15 with the gap kept gives eigengap / 2 x^2 <= 2 lambda s x + gap; the positive root is
    the paper's 4 lambda s / eigengap at gap = 0. By Lemma 13, ||sin Theta||_F is at most sqrt(2) times this.
    """
    check_positive("eigengap", eigengap)
    linear = 2.0 * lambda_ * s
    return (linear + math.sqrt(linear * linear + 2.0 * eigengap * max(gap, 0.0))) / eigengap
