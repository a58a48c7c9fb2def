"""Distributions, packings and conditions of wang2020: Equation (7), Sections 4.1, 5 and 6, Lemmas 8, 10, 11 and 17.

Samplers draw data, not the noise of a mechanism, so they take a numpy Generator. Nothing here is private.

Symbols: V (p, k) orthonormal; Sigma_V = (lambda V V^T + I) / (5 p (lambda + 1)), with eigenvalues 1 / (5p) (k times)
and 1 / (5p (lambda + 1)); `strength` is that lambda, which the paper also uses for the penalty of problem (5).
Claims: wang2020.class-psi-2, wang2020.lemma-8, wang2020.lemma-10, wang2020.lemma-11, wang2020.lemma-17,
wang2020.lemma-17-entries.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import combinations
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar

from dppca.reference.primitives.subspaces import sin_theta_distance
from dppca.reference.rigour.validation import check_positive, check_subspace_dimension
from dppca.reference.wang2020.fantope import check_symmetric

Point = TypeVar("Point")

#: Entries of an eigenvector below this count as zero when a support is read off a covariance matrix.
SUPPORT_TOLERANCE = 1e-9
#: The least psi_2 norm of a variable of variance 1: E exp(Z^2 / C^2) >= exp(1 / C^2) by Jensen, with equality for
#: a fair sign. Section 4.1 asks for at most 1.
PSI_2_INFIMUM = 1.0 / math.sqrt(math.log(2.0))


# --- samplers -----------------------------------------------------------------------------------------


def random_orthonormal(p: int, k: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Draw a uniformly (Haar) distributed orthonormal (p, k) matrix."""
    check_subspace_dimension(k, p)
    q, r = np.linalg.qr(rng.standard_normal((p, k)))
    basis: NDArray[np.float64] = q * np.sign(np.diag(r))
    return basis


def row_sparse_orthonormal(p: int, k: int, s: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Draw a uniform orthonormal (s, k) matrix, padded with zero rows to (p, k), its rows permuted (Section 6.2)."""
    if not k <= s <= p:
        raise ValueError(f"s must be in k..p = {k}..{p}, got {s!r}")
    rows = rng.permutation(p)
    V: NDArray[np.float64] = pad_rows(random_orthonormal(s, k, rng), p)[rows]
    return V


def pad_rows(J: NDArray[np.float64], p: int) -> NDArray[np.float64]:
    """Return J with zero rows below it, p rows in all."""
    return np.vstack([J, np.zeros((p - J.shape[0], J.shape[1]))])


def spiked_covariance(V: NDArray[np.float64], strength: float) -> NDArray[np.float64]:
    """Return (strength V V^T + I) / (5 p (strength + 1)), shape (p, p): Equation (7)."""
    p = V.shape[0]
    spike: NDArray[np.float64] = check_positive("strength", strength) * (V @ V.T)
    covariance: NDArray[np.float64] = (spike + np.eye(p)) / (5.0 * p * (strength + 1.0))
    return covariance


def spiked_rows(V: NDArray[np.float64], strength: float, n: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Draw n rows of N(0, Sigma_V), shape (n, p); not clipped to the unit ball."""
    p, k = V.shape
    scale = 1.0 / math.sqrt(5.0 * p * (check_positive("strength", strength) + 1.0))
    spike: NDArray[np.float64] = math.sqrt(strength) * (rng.standard_normal((n, k)) @ V.T)
    return scale * (spike + rng.standard_normal((n, p)))


# --- packings -----------------------------------------------------------------------------------------


def local_stiefel_embedding(J: NDArray[np.float64], alpha: float, k: int) -> NDArray[np.float64]:
    """Return A_alpha(J) of Lemma 8, shape (p, k), for an orthonormal J of shape (p - k, d), 1 <= d <= k, 0 <= alpha <= 1."""
    rows, d = J.shape
    if not 0.0 <= alpha <= 1.0:
        raise ValueError(f"alpha must be in [0, 1], got {alpha!r}")
    if not 1 <= d <= k:
        raise ValueError(f"J must have 1..k = 1..{k} columns, got {d}")
    A = np.zeros((k + rows, k))
    A[:d, :d] = math.sqrt(1.0 - alpha * alpha) * np.eye(d)
    A[d:k, d:] = np.eye(k - d)
    A[k:, :d] = alpha * J
    return A


def greedy_packing(candidates: Iterable[Point], far_apart: Callable[[Point, Point], bool], limit: int) -> list[Point]:
    """Return each candidate in turn that is far apart from all taken before; at most `limit` points."""
    packing: list[Point] = []
    for candidate in candidates:
        if len(packing) == limit:
            break
        if all(far_apart(candidate, point) for point in packing):
            packing.append(candidate)
    return packing


def hypercube_size(m: int, s: int) -> int:
    """Return the size of Lemma 10, the least integer N with log N >= max(s (1 + log(m / s)) / 30, log m)."""
    if not (m >= 3 and 1 <= s <= m):
        raise ValueError(f"m must be >= e and s in 1..m, got m = {m!r}, s = {s!r}")
    return max(m, math.ceil(math.exp(s * (1.0 + math.log(m / s)) / 30.0)))


def hypercube_packing(m: int, s: int, limit: int) -> list[NDArray[np.float64]]:
    """Return the packing of Lemma 10: unit vectors of R^m, at most s non-zero entries, squared distances >= 1 / 4.

    Greedy over 1_A / sqrt(|A|), for A of size 1, 2, ..., s in lexicographic order; the squared distance for A and B is
    2 - 2 |A n B| / sqrt(|A| |B|). The comparison is exact: |A n B| <= 7 / 8 sqrt(|A| |B|), squared.
    """

    def far_apart(a: frozenset[int], b: frozenset[int]) -> bool:
        return 64 * len(a & b) ** 2 <= 49 * len(a) * len(b)

    supports = (frozenset(support) for size in range(1, s + 1) for support in combinations(range(m), size))
    packing = greedy_packing(supports, far_apart, limit)
    return [np.isin(np.arange(m), sorted(support)) / math.sqrt(len(support)) for support in packing]


def grassmann_packing(p: int, k: int, minimum: float, draws: int, rng: np.random.Generator) -> list[NDArray[np.float64]]:
    """Return orthonormal (p, k) matrices with pairwise ||sin Theta||_F >= minimum (Lemma 11), greedy over uniform draws."""
    candidates = (random_orthonormal(p, k, rng) for _ in range(draws))
    return greedy_packing(candidates, lambda V, W: sin_theta_distance(V, W) >= minimum, draws)


def local_grassmann_packing(
    p: int, k: int, alpha: float, epsilon: float, draws: int, rng: np.random.Generator
) -> list[NDArray[np.float64]]:
    """Return Lemma 2's packing on the Grassmannian: alpha epsilon <= ||V V^T - W W^T||_F <= 2 epsilon for pairs, k <= p - k.

    Candidates are A_a(J) with a = epsilon / sqrt(2k): each is at distance a sqrt(2k) = epsilon from A_0.
    """
    if not 0.0 <= epsilon <= math.sqrt(2.0 * k):
        raise ValueError(f"epsilon must be in [0, sqrt(2k)] = [0, {math.sqrt(2.0 * k)!r}], got {epsilon!r}")
    a = epsilon / math.sqrt(2.0 * k)
    candidates = (local_stiefel_embedding(random_orthonormal(p - k, k, rng), a, k) for _ in range(draws))
    minimum = alpha * epsilon / math.sqrt(2.0)
    return greedy_packing(candidates, lambda V, W: sin_theta_distance(V, W) >= minimum, draws)


# --- the classes P(k, sigma^2) and P(s, k, sigma^2) ---------------------------------------------------


RELATIONS: dict[str, Callable[[float, float], bool]] = {"<=": operator.le, ">": operator.gt, ">=": operator.ge}


@dataclass(frozen=True)
class ClassCondition:
    """One condition of a class or of Lemma 17: `value` stands in `relation` to `bound`, a key of RELATIONS."""

    name: str
    value: float
    relation: str
    bound: float

    @property
    def holds(self) -> bool:
        """Return whether the relation is met."""
        return bool(RELATIONS[self.relation](self.value, self.bound))


def gaussian_psi_2(std: float) -> float:
    """Return the psi_2 norm of N(0, std^2): E exp(Z^2 / C^2) = (1 - 2 std^2 / C^2)^(-1/2) = 2 at C = std sqrt(8 / 3)."""
    return check_positive("std", std) * math.sqrt(8.0 / 3.0)


def norm_exponent(covariance: NDArray[np.float64]) -> float:
    """Return an E >= 0 with P(||X||_2 > 1) <= exp(-E) for X ~ N(0, covariance): Chernoff's bound, 0 if the trace is >= 1.

    E = max over t in [0, 1 / (2 lambda_1)) of t + sum_i log(1 - 2 t lambda_i) / 2; any t gives a valid bound.
    """
    eigenvalues = np.maximum(np.linalg.eigvalsh(check_symmetric("covariance", covariance)), 0.0)
    if eigenvalues[-1] == 0.0:
        return math.inf

    def negative_exponent(t: float) -> float:
        return -float(t + 0.5 * np.sum(np.log1p(-2.0 * t * eigenvalues)))

    best = minimize_scalar(negative_exponent, bounds=(0.0, 0.5 / float(eigenvalues[-1])), method="bounded")
    return max(0.0, -float(best.fun))


@dataclass(frozen=True)
class Spectrum:
    """The numbers of a covariance that Sections 4.1 and 5 use: lambda_1, lambda_k, lambda_{k+1} and J = supp(V_k)."""

    first: float
    kth: float
    next: float
    V: NDArray[np.float64]
    J: NDArray[np.intp]

    @property
    def eigengap(self) -> float:
        """Return lambda_k - lambda_{k+1}."""
        return self.kth - self.next

    @property
    def effective_noise_variance(self) -> float:
        """Return lambda_1 lambda_{k+1} / (lambda_k - lambda_{k+1})^2, Equation (1); inf without an eigengap."""
        return self.first * self.next / self.eigengap**2 if self.eigengap > 0.0 else math.inf


def spectrum(covariance: NDArray[np.float64], k: int) -> Spectrum:
    """Return the spectrum for 1 <= k < p; rows of V_k below SUPPORT_TOLERANCE in norm are outside the support J."""
    Sigma = check_symmetric("covariance", covariance)
    check_subspace_dimension(k, Sigma.shape[0] - 1)
    values, vectors = np.linalg.eigh(Sigma)
    V = vectors[:, ::-1][:, :k]
    J = np.flatnonzero(np.linalg.norm(V, axis=1) > SUPPORT_TOLERANCE)
    return Spectrum(float(values[-1]), float(values[-k]), float(values[-k - 1]), V, J)


def class_conditions(
    covariance: NDArray[np.float64], k: int, sigma_squared: float, s: int | None = None, norm_rate: float = 0.0
) -> tuple[ClassCondition, ...]:
    """Evaluate each condition on N(0, covariance) for P(k, sigma^2) (Section 4.1), or with s for P(s, k, sigma^2) (Section 5).

    Args:
        covariance: symmetric, shape (p, p).
        k: 1 <= k < p.
        sigma_squared: the bound on the effective noise variance.
        s: the bound on the number of non-zero rows of V_k; None for the class of Section 4.1.
        norm_rate: the constant c in P(||X||_2 > 1) <= exp(-c p), which the paper leaves open. The value compared with
            it is Chernoff's: if that condition holds it is proved, if it fails it is undecided.

    Returns:
        psi_2, norm, eigengap, effective noise variance, and with s row sparsity. The first fails for every Gaussian,
        and for every distribution: unit variance forces a psi_2 norm of at least PSI_2_INFIMUM = 1.2011.
    """
    p = covariance.shape[0]
    of = spectrum(covariance, k)
    conditions = [
        ClassCondition("psi_2 norm of Sigma^(-1/2) X in any direction", gaussian_psi_2(1.0), "<=", 1.0),
        ClassCondition("-log P(||X||_2 > 1) / p", norm_exponent(covariance) / p, ">", norm_rate),
        ClassCondition("lambda_k - lambda_{k+1}", of.eigengap, ">", 0.0),
        ClassCondition("effective noise variance", of.effective_noise_variance, "<=", sigma_squared),
    ]
    if s is not None:
        conditions.append(ClassCondition("non-zero rows of V_k", float(of.J.size), "<=", float(s)))
    return tuple(conditions)


# --- support recovery ---------------------------------------------------------------------------------


def correlation(covariance: NDArray[np.float64], k: int, s: int) -> float:
    """Return 8 s ||Sigma_{J^c J}||_{2,inf} / (lambda_k - lambda_{k+1}): LCC (Definition 4) holds for alpha <= 1 - this."""
    of = spectrum(covariance, k)
    outside = np.setdiff1d(np.arange(covariance.shape[0]), of.J)
    if outside.size == 0:
        return 0.0
    norm = float(np.max(np.linalg.norm(covariance[np.ix_(outside, of.J)], axis=1)))
    return 8.0 * s * norm / of.eigengap if norm > 0.0 else 0.0


@dataclass(frozen=True)
class SupportRecovery:
    """The conditions of Lemma 17.

    With `penalty` and `curvature` the optimum of (5) is unique with support in J; with `leverage` too, or with both
    `entries` and `signs`, its support is J. The paper has entries >= 2 lambda without their absolute value; at equality an
    index may be missed (wang2020.lemma-17-entries).
    """

    penalty: ClassCondition
    curvature: ClassCondition
    leverage: ClassCondition
    entries: ClassCondition
    signs: ClassCondition

    @property
    def no_false_positives(self) -> bool:
        """Return whether Lemma 17 gives supp(diag(X)) in J."""
        return self.penalty.holds and self.curvature.holds

    @property
    def exact(self) -> bool:
        """Return whether Lemma 17 gives supp(diag(X)) = J."""
        return self.no_false_positives and (self.leverage.holds or (self.entries.holds and self.signs.holds))


def support_recovery(covariance: NDArray[np.float64], k: int, lambda_: float, s: int, deviation: float) -> SupportRecovery:
    """Evaluate Lemma 17.

    Args:
        covariance: Sigma, symmetric, shape (p, p).
        k: 1 <= k < p.
        lambda_: the penalty, > 0.
        s: the sparsity, at least the size of J = supp(V_k).
        deviation: ||S - Sigma||_{inf,inf}.
    """
    of = spectrum(covariance, k)
    check_positive("lambda_", lambda_)
    check_positive("eigengap of covariance", of.eigengap)
    if s < of.J.size:
        raise ValueError(f"s must be >= |supp(V_k)| = {of.J.size}, got {s!r}")
    gap = of.eigengap
    block = covariance[np.ix_(of.J, of.J)]
    penalty = deviation / lambda_ + correlation(covariance, k, s)
    curvature = gap - 4.0 * lambda_ * s * (1.0 + 8.0 * of.first / gap)
    leverage = float(np.min(np.linalg.norm(of.V[of.J], axis=1)))
    return SupportRecovery(
        penalty=ClassCondition("deviation / lambda + correlation", penalty, "<=", 1.0),
        curvature=ClassCondition("eigengap - 4 lambda s (1 + 8 lambda_1 / eigengap)", curvature, ">=", 0.0),
        leverage=ClassCondition("min over J of sqrt((V_k V_k^T)_jj)", leverage, ">=", 4.0 * lambda_ * s / gap),
        entries=ClassCondition("min over J x J of |Sigma_ij|", float(np.min(np.abs(block))), ">", 2.0 * lambda_),
        signs=ClassCondition("rank(sign(Sigma_JJ))", float(np.linalg.matrix_rank(np.sign(block))), "<=", 1.0),
    )
