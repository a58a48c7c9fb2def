"""What the checks of several sections of wang2020 use."""

from __future__ import annotations

import itertools
import math
import random
from fractions import Fraction

import numpy as np
from flint import arb

from dppca.audit.suite.wang2020.distributions import local_stiefel_embedding
from dppca.proofs_notes.ledger.rational import Matrix, identity, inverse, matrix, random_matrix, squares
from dppca.reference.noise import Entry, Tape, replay
from dppca.reference.primitives.gaussian import GaussianCalibration
from dppca.reference.primitives.subspaces import sin_theta_distance
from dppca.reference.rigour.gaussian import ball, classical_std, decide, gaussian_profile, normal_cdf
from dppca.reference.wang2020.algorithm_1_local_gaussian import client

ONE = Fraction(1)


#: Room for the rounding of float64 code on matrices of a few rows with entries of order 1.
ROUNDING = 1e-9


def orthonormal(p: int, k: int, source: random.Random) -> Matrix:
    """k columns of a rational orthogonal matrix, the Cayley transform of a random skew matrix."""
    A = matrix([[Fraction(source.randint(-9, 9), source.randint(1, 9)) for _ in range(p)] for _ in range(p)])
    skew = A - A.T
    return ((identity(p) - skew) @ inverse(identity(p) + skew))[:, :k]


def projection(V: Matrix) -> Matrix:
    """Return V V^T."""
    return V @ V.T


def sin_squared(V: Matrix, W: Matrix) -> Fraction:
    """||sin Theta||_F^2 = k - tr(E F)."""
    return V.shape[1] - Fraction(np.trace(projection(V) @ projection(W)))


def pairs(count: int, p: int, k: int, seed: int) -> list[tuple[Matrix, Matrix]]:
    """Random pairs of rational orthonormal (p, k) matrices."""
    source = random.Random(seed)
    return [(orthonormal(p, k, source), orthonormal(p, k, source)) for _ in range(count)]


def chi_square_tail(n: int, x: arb) -> arb:
    """Return an enclosure of P(chi^2_n >= x)."""
    return (x / 2).gamma_upper(arb(n) / 2, regularized=1)


def chart_distance() -> bool:
    """For bases (I; T), (I; S): ||T - S||^2 / 4 <= sin^2 <= ||T - S||^2, by an exact identity, where ||T||, ||S|| <= 1."""
    source, good = random.Random(9), True
    for _ in range(10):
        T, S = (random_matrix(3, 2, source) / 125 for _ in range(2))
        gram_t, gram_s = identity(2) + T.T @ T, inverse(identity(2) + S.T @ S)
        cross = identity(2) + T.T @ S
        sine = 2 - np.trace(cross @ gram_s @ cross.T @ inverse(gram_t))
        D = T - S
        good &= sine == np.trace(D.T @ inverse(identity(3) + T @ T.T) @ D @ gram_s)
        good &= squares(T) <= 1 and squares(S) <= 1 and squares(D) / 4 <= sine <= squares(D)
    return good


def private_assouad(d: int, rate: Fraction) -> arb:
    """liminf of n eps^2 risk / sigma^2 over the published rate, for eps = 1/2: d^2 (eps / (e^eps - 1))^2 / 16 / rate."""
    eps = arb("0.5")
    return ball(Fraction(d * d, 16) / rate) * (eps / (eps.exp() - 1)) ** 2


def scores_orthonormal() -> bool:
    """Scores of (7) along T: the divergence is lambda^2 / (2 (1 + lambda)) (||T||^2 + O(T^4)), for any direction T.

    The information is therefore isotropic.
    """
    source, good = random.Random(10), True
    for _ in range(3):
        T = random_matrix(3, 2, source)
        ratios = []
        for power in (4, 6):
            a = Fraction(1, 10**power)
            gram = identity(2) + T.T @ T * a**2
            ratios.append(abs((2 - np.trace(inverse(gram))) / (squares(T) * a**2) - 1))
        good &= ratios[0] < Fraction(1, 10**3) and ratios[1] * 1000 < ratios[0]
    return good


def sqrt2() -> arb:
    """Return the square root of 2."""
    return arb(2).sqrt()


def printed_profile(epsilon: Fraction, delta: Fraction) -> arb:
    """delta at epsilon of the published noise on the worst pair, two rows at message distance sqrt(2)."""
    return gaussian_profile(ball(epsilon), sqrt2() / classical_std(ball(epsilon), ball(delta), arb(1)))


def printed_holds(epsilon: Fraction, delta: Fraction) -> bool:
    """Return whether the published noise is private for p >= 2."""
    return decide(lambda: printed_profile(epsilon, delta), lambda: ball(delta))


def client_message(x: list[float], calibration: GaussianCalibration, draw: float) -> np.ndarray:
    """Return what the client sends where every standard draw is the same number."""
    draws = np.full(len(x) * (len(x) + 1) // 2, draw)
    tape = Tape((Entry("release", "message[0]", "gaussian", draws),))
    message: np.ndarray = replay(lambda row, noise: client(row, calibration, noise, "message[0]"), np.array(x), tape)
    return message


def sent_std(calibration: GaussianCalibration) -> float:
    """Return the noise in a message, read off the message of the row 0 at draws of 1; all entries must have the same."""
    message = client_message([0.0, 0.0], calibration, 1.0)
    if not np.all(message == message[0]):
        raise ValueError(f"every entry of a message must have the same noise, got {message!r}")
    return float(message[0])


#: Constants (C, C_1, C_2) tried against statements of the kind "<= C rate with probability 1 - e^(-C_1 p) - p^(-C_2)".
CONSTANTS = ((1, 1.0, 1.0), (10**3, 0.1, 0.5), (10**6, 0.01, 0.25))


def average_projector(E: Matrix) -> Matrix:
    """Return the mean of Q E Q^T over the signed permutations Q of R^p, by enumeration."""
    p = len(E)
    group = list(itertools.product(itertools.permutations(range(p)), itertools.product((1, -1), repeat=p)))
    return sum(np.outer(signs, signs) * E[np.ix_(order, order)] for order, signs in group) / len(group)


def blind_average() -> bool:
    """That mean is (k / p) I: an output that does not depend on the data has mean sin^2 = k - k^2 / p over the orbit."""
    cases = ((3, 1, 11), (4, 2, 12))  # p, k, seed
    bases = [(orthonormal(p, k, random.Random(seed)), Fraction(k, p)) for p, k, seed in cases]
    return all(np.array_equal(average_projector(projection(V)), identity(len(V)) * share) for V, share in bases)


def blindness(n: int, scale_squared: Fraction, epsilon: Fraction, delta: Fraction) -> arb:
    """TV between the messages' mean for rows of norm^2 <= scale_squared and for rows 0.

    It is at most 2 Phi(r / 2) - 1, r = c^2 sqrt(n) / sigma_1.
    """
    r = ball(scale_squared) * arb(n).sqrt() / classical_std(ball(epsilon), ball(delta), arb(1))
    return 2 * normal_cdf(r / 2) - 1


def refuted_by_scaling(factor: float, epsilon: Fraction, delta: Fraction) -> bool:
    """Return whether every triple of CONSTANTS is refuted for a bound C * factor(p) / n that X -> c X leaves alone (k = 1).

    The bound and its probability allow a mean of at most C factor / n + failure; scaled rows force 1 - 1/p - TV.
    """
    for C, C1, C2 in CONSTANTS:
        p = 2
        while math.exp(-C1 * p) + p ** (-C2) > 0.25:
            p *= 2
        n = math.ceil(100 * C * factor * p)
        tv = blindness(n, Fraction(1, n), epsilon, delta)
        allowed = ball(Fraction(1, 100)) + (-ball(C1) * p).exp() + arb(p) ** (-ball(C2))
        if not allowed < 1 - ball(Fraction(1, p)) - tv:
            return False
    return blind_average()


def one_direction() -> float:
    """Largest |sin| over 4 sqrt(lambda_k lambda_{k+1}) / gap |E e_p| of the last eigenvector, at k = p - 1.

    S = Sigma^(1/2) (I + E) Sigma^(1/2) with ||E||_2 = gap / (4 lambda_k), as far as the inequality is claimed.
    """
    rng, worst = np.random.default_rng(24), 0.0
    for values in ([3.0, 2.0, 1.0, 0.5], [100.0, 50.0, 1.0, 0.99], [1.0, 0.1, 0.1, 0.001]):
        p, (large, small) = len(values), values[-2:]
        for case in range(40):
            E = rng.standard_normal((p, p))
            if case == 0:
                E = np.zeros((p, p))
                E[p - 1, p - 2] = 1.0
            E = E + E.T
            E *= (large - small) / (4.0 * large) / np.linalg.norm(E, 2)
            root = np.diag(np.sqrt(values))
            u = np.linalg.eigh(root @ (np.eye(p) + E) @ root)[1][:, 0]
            sine = sin_theta_distance(u[:, None], np.eye(p)[:, [p - 1]])
            bound = 4.0 * math.sqrt(large * small) / (large - small) * np.linalg.norm(E[: p - 1, p - 1])
            worst = max(worst, sine / float(bound))
    return worst


def whole_subspace() -> float:
    """Largest distance of the leading k-dimensional subspaces over 2 sqrt(3) sigma ||E||_F.

    S = Sigma^(1/2) (I + E) Sigma^(1/2) with ||E||_2 up to min(1/2, gap / (2 lambda_{k+1})), as far as the bound is claimed.
    """
    rng, worst = np.random.default_rng(25), 0.0
    for case in range(300):
        p = int(rng.integers(2, 9))
        k = int(rng.integers(1, p))
        values = np.sort(rng.uniform(size=p) ** 3 + 1e-3)[::-1]
        gap, sigma = values[k - 1] - values[k], math.sqrt(values[k - 1] * values[k]) / (values[k - 1] - values[k])
        E = rng.standard_normal((p, p))
        E += E.T
        E *= min(0.5, gap / (2.0 * values[k])) * (1.0 if case % 2 else rng.uniform()) / np.linalg.norm(E, 2)
        root = np.diag(np.sqrt(values))
        V = np.linalg.eigh(root @ (np.eye(p) + E) @ root)[1][:, p - k :]
        distance = sin_theta_distance(V, np.eye(p)[:, :k])
        worst = max(worst, distance / (2.0 * math.sqrt(3.0) * sigma * float(np.linalg.norm(E))))
    return worst


def posterior_variance() -> float:
    """Least mean of sin^2 to subspaces of the given probabilities, over (least sin^2 between two of them) (1 - largest).

    The best answer spans the leading eigenvectors of the mean projector. The subspaces are those of Lemma 9.
    """
    rng, least = np.random.default_rng(26), math.inf
    for alpha in (0.05, 0.8):
        frames = [local_stiefel_embedding(orthonormal(4, 2, random.Random(case)).astype(float), alpha, 3) for case in range(5)]
        apart = min(sin_theta_distance(A, B) ** 2 for A, B in itertools.combinations(frames, 2))
        for case in range(200):
            weights = rng.dirichlet(np.full(5, 10.0 ** rng.uniform(-1.0, 1.0)))
            if case < 10:  # two of them alone
                weights = np.isin(range(5), list(itertools.combinations(range(5), 2))[case]) / 2.0
            mean = sum(w * A @ A.T for w, A in zip(weights, frames, strict=True))
            risk = 3.0 - np.linalg.eigvalsh(mean)[-3:].sum()
            if 1.0 - weights.max() > 1e-6:
                least = min(least, float(risk / (apart * (1.0 - weights.max()))))
    return least


HALF = Fraction(1, 2)
