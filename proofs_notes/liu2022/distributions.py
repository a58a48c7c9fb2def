"""Laws of liu2022's data: Example 4.1, the hard distributions of Appendix C, and the bounds used with them.

All rows x have mean 0; a data matrix is A = x x^T; v is a unit vector and the top eigenvector of the covariance.

What Appendix C gets wrong, r = ||v - v'||^2 and s^2 = 1 - <v, v'>^2 = r - r^2 / 4:
- (20): alpha / sqrt 2 <= s <= alpha. Lemma C.3 gives alpha^2 / 2 <= r <= 2 alpha^2, so s lies in [alpha / 2, sqrt 2 alpha]; at
  r = alpha^2 / 2 the lower side fails, at r = 2 alpha^2 and alpha < 1 the upper one.
- (21): the divergence lacks a factor 1/2, which makes up for (20): its upper bound is right.
- (23): one alpha, the least of two, gives the smaller of two rates; Theorem 5.3 has their sum, which is reached by taking the
  larger alpha, as Theorem C.2 is a maximum of two bounds.
- Theorem C.2: the private bound decays like 1 / n in the paper. An exponential mechanism over two near point masses has an
  error that decays exponentially (`two_point_risk`), so it is false. `dp_fano` has a bound with a proof. Theorem 5.3's
  proof survives with other constants; that of Theorem C.1, whose total variation is the same for all n, only for n up to
  order kappa d^2 / epsilon.
- C.2's set may hold v and -v, which have the same distribution: distances have to be projective.

Claims: liu2022.lemma-c.3, liu2022.theorem-c.2, liu2022.lemma-c.4, liu2022.equation-20, liu2022.equation-21,
liu2022.equation-22, liu2022.equation-23, liu2022.theorem-5.3, liu2022.theorem-5.4, liu2022.intro-lower-bound,
liu2022.appendix-c.2-packing, liu2022.equation-25, liu2022.appendix-c.2-moments, liu2022.appendix-c.2-m, liu2022.equation-30,
liu2022.theorem-c.1, liu2022.appendix-c.3-law, liu2022.example-4.1-eigenvalues, liu2022.lemma-f.4.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import expit
from scipy.stats import binom

from dppca.audit.suite.wang2020.distributions import greedy_packing, random_orthonormal
from dppca.proofs_notes.liu2022 import distributions

# --- distributions ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SignalAndNoise:
    """The law of Example 4.1: x = s v + N(0, sigma_squared I), s a fair sign."""

    v: NDArray[np.float64]
    sigma_squared: float

    @property
    def lambda_1(self) -> float:
        """Return 1 + sigma^2."""
        return 1.0 + self.sigma_squared

    @property
    def lambda_2(self) -> float:
        """Return sigma^2."""
        return self.sigma_squared

    @property
    def covariance(self) -> NDArray[np.float64]:
        """Return the covariance, shape (d, d)."""
        return _spike(self.v, self.lambda_1, self.lambda_2)


@dataclass(frozen=True)
class AtomMixture:
    """The law of Equations (25) and (34): +-radius v, with equal chance, with probability `weight`, else N(0, variance I)."""

    v: NDArray[np.float64]
    weight: float
    radius: float
    variance: float

    @property
    def lambda_1(self) -> float:
        """Return lambda_2 + weight radius^2."""
        return self.lambda_2 + self.weight * self.radius**2

    @property
    def lambda_2(self) -> float:
        """Return (1 - weight) variance."""
        return (1.0 - self.weight) * self.variance

    @property
    def kappa(self) -> float:
        """Return lambda_1 / (lambda_1 - lambda_2)."""
        return self.lambda_1 / (self.weight * self.radius**2)

    @property
    def covariance(self) -> NDArray[np.float64]:
        """Return the covariance, shape (d, d)."""
        return _spike(self.v, self.lambda_1, self.lambda_2)

    @property
    def V(self) -> float:
        """Return ||E (x x^T - Sigma)^2||_2 / lambda_1^2; E ||x||^2 x x^T = (1-w) variance^2 (d+2) I + w radius^4 v v^T."""
        across = (1.0 - self.weight) * self.variance**2 * (len(self.v) + 2)
        along = across + self.weight * self.radius**4 - self.lambda_1**2
        return max(along, across - self.lambda_2**2) / self.lambda_1**2

    def H(self, u: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return H_u = Cov(x x^T u) / lambda_1^2 of Assumption 1, exactly, for a unit vector u; shape (d, d)."""
        gaussian = (1.0 - self.weight) * self.variance**2 * (np.eye(len(u)) + 2.0 * np.outer(u, u))
        atoms = self.weight * self.radius**4 * float(self.v @ u) ** 2 * np.outer(self.v, self.v)
        mean = self.covariance @ u
        H: NDArray[np.float64] = (gaussian + atoms - np.outer(mean, mean)) / self.lambda_1**2
        return H


def theorem_5_4_distribution(v: NDArray[np.float64], alpha: float) -> AtomMixture:
    """Return (25): weight alpha on +-alpha^(-1/4) v, else N(0, I); eigenvalues 1 - alpha + sqrt alpha and 1 - alpha."""
    return AtomMixture(v, weight=alpha, radius=alpha**-0.25, variance=1.0)


def theorem_c_1_distribution(v: NDArray[np.float64], lambda_1: float, lambda_2: float) -> AtomMixture:
    """Return (34): weight (1 - lambda_2 / lambda_1) / d on +-sqrt(d lambda_1) v, else Gaussian; with these eigenvalues."""
    d = len(v)
    weight = (1.0 - lambda_2 / lambda_1) / d
    return AtomMixture(v, weight=weight, radius=math.sqrt(d * lambda_1), variance=lambda_2 / (1.0 - weight))


# --- packings -----------------------------------------------------------------------------------------


def local_packing(d: int, alpha: float, draws: int, rng: np.random.Generator) -> list[NDArray[np.float64]]:
    """Return unit vectors as in Lemma C.3: alpha / sqrt 2 <= ||v - v'|| <= sqrt 2 alpha, d >= 2, greedy over random draws.

    v = (sqrt(1 - alpha^2 / 2), alpha z / sqrt 2) with unit z of R^(d-1) at pairwise distance >= 1.
    """
    candidates = (random_orthonormal(d - 1, 1, rng)[:, 0] for _ in range(draws))
    packing = greedy_packing(candidates, lambda z, y: float(np.linalg.norm(z - y)) >= 1.0, draws)
    first = math.sqrt(1.0 - alpha**2 / 2.0)
    return [np.concatenate([[first], alpha / math.sqrt(2.0) * z]) for z in packing]


def projective_packing(d: int, separation: float, draws: int, rng: np.random.Generator) -> list[NDArray[np.float64]]:
    """Return unit vectors with ||v - v'|| and ||v + v'|| >= separation, greedy over random draws; C.2 asks for the first."""
    candidates = (random_orthonormal(d, 1, rng)[:, 0] for _ in range(draws))
    return greedy_packing(
        candidates, lambda v, w: min(float(np.linalg.norm(v - w)), float(np.linalg.norm(v + w))) >= separation, draws
    )


# --- distances ----------------------------------------------------------------------------------------


def sine(v: NDArray[np.float64], w: NDArray[np.float64]) -> float:
    """Return sqrt(1 - <v, w>^2) for unit vectors, without the cancellation: it is ||v - w|| ||v + w|| / 2."""
    return 0.5 * float(np.linalg.norm(v - w)) * float(np.linalg.norm(v + w))


def spiked_kl(lambda_1: float, lambda_2: float, sin: float) -> float:
    """Return the KL divergence of spiked Gaussians, (lambda_1 - lambda_2)^2 sin^2 / (2 lambda_1 lambda_2). (21) lacks the 1/2.

    It is (tr(Sigma_w^-1 Sigma_v) - d) / 2, the determinants being equal.
    """
    return (lambda_1 - lambda_2) ** 2 * sin**2 / (2.0 * lambda_1 * lambda_2)


def spiked_tv(lambda_1: float, lambda_2: float, sin: float) -> float:
    """Return the total variation of spiked Gaussians, (2 / pi) arctan((lambda_1 - lambda_2) sin / (2 sqrt(lambda_1 lambda_2))).

    Exact. The likelihood ratio exceeds 1 where a = <v + w, x> and b = <v - w, x> have equal signs, of probability
    1/2 + arcsin(corr(a, b)) / pi under N(0, Sigma_v) and 1/2 - the same under the other. Pinsker's bound is the arctan's
    argument; with the factor of (21), the paper's (22) has sqrt 2 times that.
    """
    return 2.0 / math.pi * math.atan((lambda_1 - lambda_2) * sin / (2.0 * math.sqrt(lambda_1 * lambda_2)))


def atom_tv(first: AtomMixture, second: AtomMixture) -> float:
    """Return the total variation of two mixtures that differ in v alone: their weight, or 0 for the same line (v or -v)."""
    if (first.weight, first.radius, first.variance) != (second.weight, second.radius, second.variance):
        raise ValueError(f"the mixtures must differ in v alone, got {first!r} and {second!r}")
    same = np.array_equal(first.v, second.v) or np.array_equal(first.v, -second.v)
    return 0.0 if same else first.weight


# --- lower bounds -------------------------------------------------------------------------------------


def fano(tau: float, beta: float, size: int, n: int) -> float:
    """Return the first term of Theorem C.2, any estimator: tau / 2 (1 - (n beta + log 2) / log size). Can be negative."""
    return tau / 2.0 * (1.0 - (n * beta + math.log(2.0)) / math.log(size))


def dp_fano_as_printed(tau: float, phi: float, size: int, n: int, epsilon: float) -> float:
    """Return the second term of Theorem C.2: 0.4 tau min(1, log size / (n phi epsilon)). False for large n."""
    ratio = math.log(size) / (n * phi * epsilon)
    return 0.4 * tau * min(1.0, ratio)


def dp_fano(tau: float, phi: float, size: int, n: int, epsilon: float) -> float:
    """Return a true second term for Theorem C.2: tau / 2 (0.9 - exp(10 n phi epsilon) / size). Can be negative.

    For `size` laws at pairwise distance >= tau in the parameter and total variation <= phi, and any (epsilon, 0)-DP
    estimator. Couple n draws from P_v with n from P_1, row by row and maximally: they differ in n phi rows in the mean, so
    in at most 10 n phi with probability >= 0.9. Let S_v be the outputs nearest to v's parameter (disjoint). By group
    privacy P_v(S_v) <= exp(10 n phi epsilon) P_1(S_v) + 0.1; the mean over v of the right side is at most
    exp(10 n phi epsilon) / size + 0.1, and an output outside S_v is at distance >= tau / 2.
    """
    exponent = 10.0 * n * phi * epsilon
    exponent -= math.log(size)
    return -math.inf if exponent > 700.0 else tau / 2.0 * (0.9 - math.exp(exponent))


def two_point_risk(n: int, q: float, epsilon: float) -> float:
    """Return the exact risk of an (epsilon, 0)-DP estimator that refutes `dp_fano_as_printed`: exponentially small in n.

    P_v has mass q > 1/2 at v and 1 - q at the other of two points, parameter v, distance 1. The estimator outputs 1 with
    probability 1 / (1 + exp(-epsilon (k - n / 2))), k the number of rows equal to 1: replacing a row moves the exponent by
    epsilon. The risk is the same for both laws. Here tau = 1, phi = 2q - 1, size = 2, and the KL divergence is finite.
    """
    k = np.arange(n + 1)
    return float(np.sum(binom.pmf(k, n, q) * expit(-epsilon * (k - n / 2.0))))


def lemma_c_4(size: int, n: int, alpha: float, epsilon: float, delta: float) -> float:
    """Return the bound (26): at least this probability, in the mean over v, of missing v's parameter by t.

    For P_v = (1 - alpha) Q_0 + alpha Q_v, parameters 2t apart, and an (epsilon, delta)-DP estimator.
    """
    rows = math.ceil(n * alpha)
    decay = math.exp(-epsilon * rows)
    others = size - 1
    numerator = 0.5 * decay - delta * math.expm1(-epsilon * rows) / math.expm1(-epsilon)
    return others * numerator / (1.0 + others * decay)


def equation_23(lambda_1: float, lambda_2: float, d: int, n: int, epsilon: float, c_1: float) -> tuple[float, float]:
    """Return the statistical and the private term of (23), each capped at 1; the paper takes the smaller, not the larger."""
    ratio = math.sqrt(lambda_1 * lambda_2) / (lambda_1 - lambda_2)
    statistical = math.sqrt(d * c_1 / (2.0 * n)) * ratio
    private = c_1 * d / (n * epsilon) * math.sqrt(2.0) * ratio
    return min(1.0, statistical), min(1.0, private)


def equation_30(d: int, n: int, epsilon: float, delta: float) -> float:
    """Return the alpha of Equation (30).

    Raises:
        ValueError: alpha would not be > 0, as for epsilon >= d / 2 or delta >= (1 - e^-epsilon) / (4 e^epsilon).
    """
    ratio = -math.expm1(-epsilon) / (4.0 * delta * math.exp(epsilon))
    numerator = min(d / 2.0 - epsilon, math.log(ratio))
    if not numerator > 0.0:
        raise ValueError(f"min(d / 2 - epsilon, log((1 - e^-epsilon) / (4 delta e^epsilon))) must be > 0, got {numerator!r}")
    return min(numerator / (n * epsilon), 1.0)


def theorem_5_3_rate(lambda_1: float, lambda_2: float, d: int, n: int, epsilon: float) -> float:
    """Return (12) with C = 1: min(kappa (sqrt(d / n) + d / (epsilon n)) sqrt(lambda_2 / lambda_1), 1)."""
    kappa = lambda_1 / (lambda_1 - lambda_2)
    rate = math.sqrt(d / n) + d / (epsilon * n)
    return min(kappa * rate * math.sqrt(lambda_2 / lambda_1), 1.0)


def theorem_5_4_rate(kappa: float, d: int, n: int, epsilon: float, delta: float) -> float:
    """Return (13) with C = 1: kappa min(sqrt(min(d, log((1 - e^-epsilon) / delta)) / (epsilon n)), 1).

    kappa is no free parameter: in the proof kappa sqrt(alpha) = lambda_1 <= 5/4, so the rate is of order 1.
    """
    level = min(d, math.log(-math.expm1(-epsilon) / delta))
    if not level > 0.0:
        raise ValueError(f"delta must be < 1 - e^-epsilon = {-math.expm1(-epsilon)!r}, got {delta!r}")
    return kappa * min(math.sqrt(level / (epsilon * n)), 1.0)


def theorem_c_1_rate(lambda_1: float, lambda_2: float, d: int, n: int, epsilon: float) -> float:
    """Return (19) with C = 1: min(kappa d^2 / (epsilon n), 1) sqrt(lambda_2 / lambda_1)."""
    kappa = lambda_1 / (lambda_1 - lambda_2)
    rate = kappa * d**2 / (epsilon * n)
    return min(rate, 1.0) * math.sqrt(lambda_2 / lambda_1)


def _spike(v: NDArray[np.float64], lambda_1: float, lambda_2: float) -> NDArray[np.float64]:
    spiked: NDArray[np.float64] = (lambda_1 - lambda_2) * np.outer(v, v) + lambda_2 * np.eye(len(v))
    return spiked


def code_size(d: int) -> int:
    """A number of signs of length d - 1 that differ in a quarter of the places, pairwise: even weight, or Gilbert's bound."""
    distance = -(-(d - 1) // 4)
    if distance == 2:
        return 2 ** (d - 2)
    return -(-(2 ** (d - 1)) // sum(math.comb(d - 1, i) for i in range(distance)))


def eigenvalue_ratio(g: float, p: float) -> float:
    """lambda_1 / (lambda_1 - lambda_2) of that law, in closed form."""
    gap = math.hypot((1.0 - p) * g, math.sqrt(p))
    return (1.0 - p + ((1.0 - p) * g + math.sqrt(p) + gap) / 2.0) / gap


def directions(m: int, source: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Two unit vectors of R^m at distance 1/2 or more."""
    if m == 1:
        return np.array([1.0]), np.array([-1.0])
    first, second = np.linalg.qr(source.standard_normal((m, 2)))[0].T
    angle = source.uniform(2.0 * math.asin(0.25), math.pi)
    return first, math.cos(angle) * first + math.sin(angle) * second


def lower_bound(d: int, n: int, epsilon: float, delta: float, kappa: float) -> float:
    """Return what Lemma C.4 gives with these laws, over min(kappa sqrt((d ^ log((1 - e^-epsilon)/delta))/(epsilon n)), 1)."""
    p = min(distributions.equation_30(d, n, epsilon, delta), 0.25)
    p = min(p, kappa**-2)
    g = float(brentq(lambda x: eigenvalue_ratio(x, p) - kappa, 1e-12, 2.0))
    half = eigenvalue_ratio(g, p) * math.sqrt(p) / 46.0
    missed = distributions.lemma_c_4(2 ** (d - 1), n, p, epsilon, delta)
    level = min(d, math.log(-math.expm1(-epsilon) / delta))
    return half * missed / min(kappa * math.sqrt(level / (epsilon * n)), 1.0)
