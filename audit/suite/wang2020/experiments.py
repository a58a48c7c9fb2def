"""Section 6 of wang2020 re-run, and the rates of Theorems 2 and 4 measured.

Errors are ||P - Q||_F = sqrt(2) ||sin Theta||_F, the distance of Section 6; the rates are about ||sin Theta||_F^2.
The clients' noise is drawn in one piece, which is a simulation shortcut (`dppca.audit.suite.wang2020.simulate`).

Synthetic rows are N(0, gap V V^T + low I), which the unit ball holds with high probability only. `drawn_rows` clips
them. `second_moments` skips the rows and draws their second moments from the Wishart law, for n up to 1e16; it
refuses where clipping could matter: with probability at least 1 - UNCLIPPED no row is clipped.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy  # its modules are loaded when they are first asked for
from numpy.typing import NDArray

from dppca.audit.suite.datasets import load_svmlight, unit_rows
from dppca.audit.suite.wang2020.distributions import norm_exponent
from dppca.audit.suite.wang2020.penalty import theorem_4_lambda
from dppca.audit.suite.wang2020.simulate import leading_subspace
from dppca.reference.noise import Sample
from dppca.reference.primitives.subspaces import random_sin_theta_distance, sin_theta_distance
from dppca.reference.primitives.symmetric import symmetric_matrix, upper_triangle
from dppca.reference.wang2020.certified_admm import Stopping, sparse_subspace

#: Section 6.1; Section 6.2 names no delta.
DELTA = 1e-4
#: Failure probability of the penalty.
BETA = 0.05
#: Bound on the probability that clipping would have changed a row whose second moments are drawn directly.
UNCLIPPED = 1e-6

Matrix = NDArray[np.float64]


def distance(V: Matrix, W: Matrix) -> float:
    """Return ||V V^T - W W^T||_F, in [0, sqrt(2k)]."""
    return math.sqrt(2.0) * sin_theta_distance(V, W)


def random_level(p: int, k: int) -> float:
    """Return the root mean square of `distance` from a fixed subspace to a uniformly random one."""
    return math.sqrt(2.0) * random_sin_theta_distance(p, k)


# --- synthetic data -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Spiked:
    """The law N(0, gap V V^T + low I)."""

    V: Matrix
    gap: float
    low: float

    @classmethod
    def equation_7(cls, V: Matrix, strength: float = 1.0) -> Spiked:
        """Return the law of Equation (7), with the strength of Section 6.1."""
        low = 1.0 / (5.0 * V.shape[0] * (strength + 1.0))
        return cls(V, strength * low, low)

    @property
    def covariance(self) -> Matrix:
        """Return the covariance, shape (p, p)."""
        covariance: Matrix = self.gap * (self.V @ self.V.T) + self.low * np.eye(self.V.shape[0])
        return covariance


def drawn_rows(of: Spiked, n: int, rng: np.random.Generator) -> Matrix:
    """Return n rows, shape (n, p), those outside the unit ball clipped to it."""
    p, k = of.V.shape
    rows = math.sqrt(of.gap) * (rng.standard_normal((n, k)) @ of.V.T) + math.sqrt(of.low) * rng.standard_normal((n, p))
    clipped: Matrix = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1.0)
    return clipped


def second_moments(of: Spiked, n: float, rng: np.random.Generator) -> Matrix:
    """Return the second moments of n rows, shape (p, p), n >= p; ValueError where clipping could matter."""
    covariance = of.covariance
    outside = n * math.exp(-norm_exponent(covariance))
    if outside > UNCLIPPED:
        raise ValueError(f"rows must lie in the unit ball but for probability {UNCLIPPED:g}, got a bound of {outside:.3g}")
    drawn = np.asarray(scipy.stats.wishart.rvs(n, covariance / n, random_state=rng))
    return drawn.reshape(covariance.shape)  # a number if p = 1


def noisy(S: Matrix, n: float, std: float, rng: np.random.Generator) -> Matrix:
    """Return S_tilde from the second moments of n rows and one client's noise: the release of `simulate.aggregate`."""
    upper = Sample(rng).gaussian(
        "mean of n messages", upper_triangle(S), std=std / math.sqrt(n), sensitivity=math.sqrt(2.0) / n
    )
    return symmetric_matrix(upper, S.shape[0])


# --- the two algorithms -------------------------------------------------------------------------------


def algorithm_1_error(of: Spiked, n: float, std: float, rng: np.random.Generator) -> float:
    """Return the error of one run of Algorithm 1 against the population's subspace."""
    S_tilde = noisy(second_moments(of, n, rng), n, std, rng)
    return distance(leading_subspace(S_tilde, of.V.shape[1]), of.V)


def algorithm_2_error(of: Spiked, n: float, std: float, rng: np.random.Generator, gap: float = 1e-4) -> float:
    """Return the error of one run of Algorithm 2, with Theorem 4's penalty, against the population's subspace."""
    p, k = of.V.shape
    lambda_ = theorem_4_lambda(std, round(n), p, BETA, float(np.max(np.diag(of.covariance))))
    S_tilde = noisy(second_moments(of, n, rng), n, std, rng)
    return distance(screened_subspace(S_tilde, k, lambda_, Stopping(gap=gap)), of.V)


def relevant_rows(S_tilde: Matrix, k: int, lambda_: float) -> NDArray[np.intp]:
    """Return indices such that some optimum of problem (5) is 0 in all other rows and columns.

    Call i alone if |S_ij| <= lambda for all j != i. Setting the rows of X that are alone to 0 off the diagonal leaves
    X in the Fantope (it is a pinching) and takes away terms S_ij X_ij - lambda |X_ij| <= 0. Among rows alone, weight
    can then move to the k largest S_ii. So those and the rows that are not alone suffice.
    """
    linked = np.abs(S_tilde) > lambda_
    np.fill_diagonal(linked, val=False)
    alone = ~linked.any(axis=1)
    largest = np.argsort(np.where(alone, np.diag(S_tilde), -np.inf))[::-1][:k]
    return np.union1d(np.flatnonzero(~alone), largest)


def screened_subspace(S_tilde: Matrix, k: int, lambda_: float, stopping: Stopping) -> Matrix:
    """Return lines 5 to 13 of Algorithm 2 on the relevant rows, which may be few where p is large; shape (p, k)."""
    kept = relevant_rows(S_tilde, k, lambda_)
    basis = np.zeros((len(S_tilde), k))
    basis[kept] = sparse_subspace(S_tilde[np.ix_(kept, kept)], k, lambda_, stopping=stopping).basis
    return basis


# --- what the paper states --------------------------------------------------------------------------------


def theorem_2_distance(k: int, p: int, n: float, epsilon: float) -> float:
    """Return `distance` by Theorem 2's rate, equation (2), on rows of equation (7), with constant 1."""
    return math.sqrt(2.0 * _EIGENVALUES * k * p * math.log(1.0 / DELTA) / (n * epsilon**2))


def theorem_4_distance(s: int, p: int, n: float, epsilon: float) -> float:
    """Return `distance` by Theorem 4's rate, with constant 1."""
    return math.sqrt(2.0 * _EIGENVALUES * s**2 * math.log(p) / (n * epsilon**2))


#: (lambda_1 / (lambda_k - lambda_{k+1}))^2 of equation (7) at the strength of Section 6.1, 1: (2 low / low)^2.
_EIGENVALUES = 4.0


# --- real data ----------------------------------------------------------------------------------------


def load_rows(path: Path) -> Matrix:
    """Return the rows of a data set, each divided by its length ("normalized rows"), shape (n, p).

    Reads MATLAB files with a matrix X, and svmlight files ("label index:value ...", indices from 1).
    """
    if path.suffix == ".mat":
        X = np.asarray(scipy.io.loadmat(path)["X"], dtype=np.float64)
    else:
        X, _ = load_svmlight(path)
    return unit_rows(X)


def sparse_reference(X: Matrix, k: int, s: int, starts: int, rng: np.random.Generator) -> Matrix:
    """Return an s-row-sparse k-subspace of large variance, without privacy, shape (p, k).

    Orthogonal iteration that keeps the s longest rows (the second stage of the method that Section 6.2 cites), from
    random starts; the one of largest variance.
    """
    p = X.shape[1]
    best, best_variance = np.eye(p, k), -math.inf
    for _ in range(starts):
        V = np.linalg.qr(rng.standard_normal((p, k)))[0]
        variance, previous = 0.0, -math.inf
        while variance > previous + 1e-9:
            previous = variance
            V = X.T @ (X @ V)
            V[np.argsort(np.linalg.norm(V, axis=1))[:-s]] = 0.0
            V = np.linalg.qr(V)[0]
            variance = float(np.sum((X @ V) ** 2)) / len(X)
        if variance > best_variance:
            best, best_variance = V, variance
    return best


# --- results ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Point:
    """The errors of repeated runs at one setting, and the error of a random subspace."""

    setting: tuple[str, ...]
    errors: Sequence[float]
    random: float

    @property
    def mean(self) -> float:
        """Return the mean error."""
        return float(np.mean(self.errors))

    @property
    def interval(self) -> tuple[float, float]:
        """Return the 95 % t-interval of the mean; of width 0, and no interval, if all errors are equal."""
        from statsmodels.stats.weightstats import DescrStatsW  # noqa: PLC0415 - collection must stay cheap

        low, high = DescrStatsW(self.errors).tconfint_mean()
        return float(low), float(high)

    @property
    def works(self) -> bool:
        """Return whether the error has left the random level: its whole interval is more than 5 % below."""
        return self.interval[1] < 0.95 * self.random

    @property
    def row(self) -> tuple[str, ...]:
        """Return setting, error, interval and random level as text."""
        low, high = self.interval
        return (*self.setting, f"{self.mean:.3f}", f"[{low:.3f}, {high:.3f}]", f"{self.random:.3f}")


POINT_HEAD = ("error", "95 % interval", "random")


def repeat(run: Callable[[np.random.Generator], float], repetitions: int, rng: np.random.Generator) -> list[float]:
    """Return the errors of independent runs at one setting."""
    return [run(child) for child in rng.spawn(repetitions)]


def first_order_mean(of: Spiked, n: float, std: float) -> float:
    """Return E ||sin Theta||_F^2 of Algorithm 1 to first order in S_tilde - Sigma.

    The sum over i <= k < j of Var(v_i^T (S_tilde - Sigma) v_j) / gap^2. The sample gives lambda_1 lambda_{k+1} / n to
    each of the k (p - k) terms; the noise, whose diagonal has the variance of the rest and not twice it,
    std^2 (1 - sum_a v_ia^2 v_ja^2) / n. So k (p - k) (sigma_k^2 + std^2 / gap^2) / n, but for a share 1 / p.
    """
    p, k = of.V.shape
    leverage = np.sum(of.V**2, axis=1)
    sampling = k * (p - k) * (of.gap + of.low) * of.low
    noise = (k * (p - k) - float(np.sum(leverage * (1.0 - leverage)))) * std**2
    return float((sampling + noise) / (n * of.gap**2))


@dataclass(frozen=True)
class Rate:
    """A fitted exponent with its interval, beside the one that a theorem states."""

    name: str
    exponent: float
    low: float
    high: float
    stated: float

    @property
    def agrees(self) -> bool:
        """Return whether the stated exponent lies in the interval."""
        return self.low <= self.stated <= self.high

    @property
    def row(self) -> tuple[str, ...]:
        """Return the exponents as text."""
        return (self.name, f"{self.exponent:.3f}", f"[{self.low:.3f}, {self.high:.3f}]", f"{self.stated:g}")


RATE_HEAD = ("squared error against", "exponent", "99.9 % interval", "stated")


def fit_rates(
    factors: Mapping[str, Sequence[float]], squared_errors: Sequence[float], stated: Mapping[str, float]
) -> list[Rate]:
    """Return a least squares fit of log error on the logs of all factors, with robust 99.9 % intervals."""
    design = np.log(np.column_stack(list(factors.values())))
    import statsmodels.api as sm  # noqa: PLC0415 - collection must stay cheap

    fit = sm.OLS(np.log(squared_errors), sm.add_constant(design)).fit(cov_type="HC3")
    intervals = fit.conf_int(alpha=0.001)
    return [
        Rate(name, float(fit.params[i]), float(intervals[i][0]), float(intervals[i][1]), stated[name])
        for i, name in enumerate(factors, start=1)
    ]
