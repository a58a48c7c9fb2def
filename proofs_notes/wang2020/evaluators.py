"""Says at one point of its domain whether a claim of wang2020 holds, or may hold; the generator of corners calls these."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from flint import arb, ctx

from dppca.audit.suite.wang2020.distributions import row_sparse_orthonormal, spectrum, spiked_covariance
from dppca.audit.suite.wang2020.penalty import entries, noise_maximum
from dppca.reference.primitives.gaussian import classical_std
from dppca.reference.rigour.gaussian import ball, gaussian_holds, normal_cdf
from dppca.reference.wang2020 import algorithm_1_local_gaussian as algorithm_1
from dppca.reference.wang2020 import algorithm_2_sparse as algorithm_2

#: Bits at which closed forms are enclosed.
BITS = 256


def _change(p: int) -> arb:
    """Return the largest change of a message, by the pairs e_1, e_2 and e_1, 0."""
    return arb(2 if p > 1 else 1).sqrt()


def message_noise(epsilon: Fraction, delta: Fraction, p: int) -> bool:
    """Return whether the corrected noise of both algorithms is enough for a message."""
    e, d = float(epsilon), float(delta)
    stds = [algorithm.calibrate(e, d, p).std for algorithm in (algorithm_1, algorithm_2)]
    return all(gaussian_holds(e, d, std, lambda: _change(p)) for std in stds)


def message_sensitivity(p: int) -> bool:
    """Return whether the code's sensitivity is the change between e_1 and e_2 (e_1 and 0 for p = 1)."""
    return abs(algorithm_1.sensitivity(p) ** 2 - (2 if p > 1 else 1)) < 1e-12


def line_2_formula(epsilon: Fraction, delta: Fraction, p: int) -> bool:
    """Return whether the analytic noise is enough, and for epsilon <= 1 the classical one, too."""
    e, d = float(epsilon), float(delta)
    classical = classical_std(e, d, algorithm_1.sensitivity(p))
    return message_noise(epsilon, delta, p) and (epsilon > 1 or gaussian_holds(e, d, classical, lambda: _change(p)))


def doubled_variance(epsilon: Fraction, delta: Fraction, p: int) -> bool:
    """Return whether the published variance, doubled, is enough."""
    e, d = float(epsilon), float(delta)
    std = algorithm_1.calibrate(e, d, p, algorithm_1.AS_PRINTED).std * 2**0.5
    return gaussian_holds(e, d, std * (1 + 1e-15), lambda: _change(p))


def doubled_diagonal(epsilon: Fraction, delta: Fraction, p: int) -> bool:
    """Return whether the published noise is enough where the diagonal is divided by sqrt(2): e_1 and e_2 are 1 apart then."""
    e, d = float(epsilon), float(delta)
    change = arb(1) if p > 1 else (arb(1) / 2).sqrt()
    return gaussian_holds(e, d, algorithm_1.calibrate(e, d, p, algorithm_1.AS_PRINTED).std, lambda: change)


def printed_variance_positive(delta: Fraction) -> bool:
    """Return whether ln(1.25/delta) is positive exactly below 1.25, and a delta is refused from 1 on."""
    positive = bool((arb(5) / 4 / ball(delta)).log() > 0)
    try:
        algorithm_1.calibrate(1.0, float(delta), 2, algorithm_1.AS_PRINTED)
    except ValueError:
        return delta >= 1 and positive == (delta < Fraction(5, 4))
    return delta < 1 and positive


def noise_variance(epsilon: Fraction, delta: Fraction, p: int) -> bool:
    """Return whether the variance of a message's noise is, for epsilon <= 1, at most 4 ln(1.25/delta)/epsilon^2.

    That is the part of the bound in which these variables stand.
    """
    if epsilon > 1:
        return True
    std = algorithm_1.calibrate(float(epsilon), float(delta), p).std
    with ctx.workprec(BITS):
        return bool(ball(std) ** 2 <= 4 * (arb(5) / 4 / ball(float(delta))).log() / ball(float(epsilon)) ** 2)


def lemma_4(n: int, x: Fraction) -> bool:
    """Return whether P(chi^2_n >= n + 2 sqrt(nx) + 2x) <= e^(-x), by the incomplete Gamma function."""
    with ctx.workprec(4 * BITS):
        level = arb(n) + 2 * (n * ball(x)).sqrt() + 2 * ball(x)
        return bool((level / 2).gamma_upper(arb(n) / 2, 1) <= (-ball(x)).exp() * (1 + arb("1e-40")))


def information_constant(epsilon: Fraction) -> bool:
    """Return whether ((e^epsilon - 1) / epsilon)^2 / 2 is below 19."""
    with ctx.workprec(BITS):
        return bool((ball(epsilon).expm1() / ball(epsilon)) ** 2 / 2 < 19)


def equation_7(p: int, k: int, lambda_: Fraction) -> bool:
    """Return whether lambda_1 lambda_{k+1} / gap^2 is (1 + lambda)/lambda^2, exactly, and for small p in the code."""
    first, next_one = Fraction(1, 5 * p), 1 / (5 * p * (lambda_ + 1))
    noise = (1 + lambda_) / lambda_**2
    exact = first * next_one / (first - next_one) ** 2 == noise
    if p > 12 or not Fraction(1, 1000) <= lambda_ <= 1000:  # a gap far below its eigenvalues is not resolved in floats
        return exact
    of = spectrum(spiked_covariance(np.eye(p, k), float(lambda_)), k)
    return exact and abs(of.eigengap / float(first - next_one) - 1) < 1e-9 and abs(of.first / float(first) - 1) < 1e-9


def row_outside(p: int, k: int) -> bool:
    """Return whether a row of (7) leaves the ball with probability e^(-p) at most: chi^2_p > 5p bounds it for every k."""
    with ctx.workprec(4 * BITS):
        return 1 <= k <= p and bool((arb(5 * p) / 2).gamma_upper(arb(p) / 2, 1) <= (-arb(p)).exp())


def rows_inside(n: int, p: int) -> bool:
    """Return whether some of n rows leaves the ball with probability below 1e-9."""
    return bool(n * (-arb(p)).exp() < arb("1e-9"))


def trivial_bound(n: int, p: int, k: int, epsilon: Fraction, delta: Fraction, lambda_: Fraction) -> bool:
    """Return whether the right side of (2) is at least k on (7), where lambda_1 / gap = (1 + lambda)/lambda."""
    with ctx.workprec(BITS):
        side = ball((1 + lambda_) / lambda_) ** 2 * k * p * -ball(delta).log() / (n * ball(epsilon) ** 2)
        return k <= p and bool(side >= k * (1 - arb("1e-9")))


def noise_tail(p: int, t: Fraction) -> bool:
    """Return whether P(max |N_ij| > t), at most m P(|N| > t) with m = p(p+1)/2, is within p(p+1) e^(-t^2/2); sigma = 1."""
    with ctx.workprec(BITS):
        return bool(entries(p) * 2 * normal_cdf(-ball(t)) <= p * (p + 1) * (-(ball(t) ** 2) / 2).exp())


def noise_quantile(n: int, p: int, beta: Fraction) -> bool:
    """Return whether the code's quantile z has (2 Phi(z) - 1)^m = 1 - beta, to 1e-9 in the logarithm."""
    with ctx.workprec(BITS):
        z = ball(noise_maximum(1.0, n, p, float(beta))) * arb(n).sqrt()
        left, right = entries(p) * (2 * normal_cdf(z) - 1).log(), (1 - ball(float(beta))).log()
        return bool(abs(left / right - 1) < arb("1e-9"))


def theorem_5_lambda(epsilon: Fraction, delta: Fraction, n: int, p: int) -> bool:
    """Return whether the sizes of the correction are right: lambda_1 <= 1 and the noise's std against sqrt(log(1/delta)).

    For delta <= 1/2 both are within a constant of sqrt(log(1/delta))/epsilon; else the std is within sqrt(4 ln(1.25/delta)).
    """
    with ctx.workprec(BITS):
        log = -ball(delta).log()
        small = bool(ball(epsilon) <= arb("1.3") * log.sqrt()) and bool((arb(5) / 4 / ball(delta)).log() <= arb("1.33") * log)
        return n >= math.log(p) > 0 and noise_variance(epsilon, delta, p) and (delta > Fraction(1, 2) or small)


def theorem_3_conditions(p: int, k: int, s: int) -> bool:
    """Return whether k >= p/4 and 2k <= s - k together force s >= 3p/4; without the first, s < p/2 has points."""
    return k <= s <= p and (not (4 * k >= p and 3 * k <= s) or 4 * s >= 3 * p)


def gaussian_psi_2(K: Fraction) -> bool:
    """Return whether E exp(x^2/K^2) = (1 - 2/K^2)^(-1/2) is at most 2 for a standard normal x, to 1e-12."""
    square = Fraction(K) ** 2 * (1 + Fraction(1, 10**12))
    return square > 2 and 1 / (1 - 2 / square) <= 4


def scaled_class(c: Fraction) -> bool:
    """Return whether c X stays in the ball and its effective noise is that of X, for eigenvalues 1 and 1/2."""
    noise = [first * after / (first - after) ** 2 for first, after in ((Fraction(1), Fraction(1, 2)), (c**2, c**2 / 2))]
    return 0 < c <= 1 and noise[0] == noise[1]


def radius_admissible(p: int, k: int, epsilon: Fraction) -> bool:
    """Return whether e_1^2 = k (p - k)/(8 n epsilon^2) is at most 2 min(k, p - k) for n = 3 min(k, p - k)/(16 epsilon^2)."""
    least = min(k, p - k)
    n = Fraction(3 * least, 16) / epsilon**2
    return least > 0 and k * (p - k) / (8 * n * epsilon**2) <= 2 * least


def both_radii_small(k: int, s: int, p: int, epsilon: Fraction) -> bool:
    """Return whether s log p and s over n epsilon^2 are at most 3/2 for n = (s - k)(k + log p)/epsilon^2, sigma = 1."""
    with ctx.workprec(BITS):
        eps, log = ball(epsilon), arb(p).log()
        n = (s - k) * (k + log) / eps**2
        return k < s <= p and all(bool(s * x / (n * eps**2) <= arb("1.5") * (1 + arb("1e-30"))) for x in (log, arb(1)))


def divergence_of_frames(p: int, k: int, lambda_: Fraction) -> bool:
    """Return whether coordinate subspaces that overlap least have the divergence of the claim, exactly.

    With I + lambda P for the covariance it is (tr(S_2^-1 S_1) - p)/2.
    """
    if not 1 <= k < p:
        return False
    m = min(k, p - k)
    share = lambda_ / (1 + lambda_)
    trace = p + lambda_ * k - share * k - lambda_ * share * (k - m)
    return (trace - p) / 2 <= lambda_**2 / (2 * (1 + lambda_)) * m


def distance_of_frames(p: int, k: int, lambda_: Fraction) -> bool:
    """Return whether the total variation distance of one right angle, (4/pi) atan sqrt(1 + lambda) - 1, is within the bound.

    With min(k, p - k) right angles the bound is that many times larger; Pinsker's inequality gives it from the divergence.
    """
    with ctx.workprec(BITS):
        one = 4 / arb.pi() * (1 + ball(lambda_)).sqrt().atan() - 1
        return divergence_of_frames(p, k, lambda_) and bool(one**2 <= ball(lambda_**2 / (1 + lambda_)))


def embedded_sines(alpha: Fraction) -> bool:
    """Return whether two embedded unit vectors of cosine g have a sine within the bounds, at nine g from -1 to 1."""
    cosines = (Fraction(i, 4) for i in range(-4, 5))
    pairs = [(1 - (1 - alpha**2 * (1 - g)) ** 2, 2 * (1 - g)) for g in cosines]
    return 0 <= alpha <= 1 and all(alpha**2 * (1 - alpha**2) * c <= sine <= alpha**2 * c for sine, c in pairs)


def packing_size(m: int, s: int) -> bool:
    """Return whether axes with signs, for s <= 30, or else sets of one size by Gilbert's bound, are as many as the lemma says.

    Sets of min(s, m // 2) places that share fewer than 7/8 of them are at squared distances of at least 1/4.
    """
    if not 1 <= s <= m:
        return False
    promised = max(s * (1 + math.log(m / s)) / 30, math.log(m))
    if math.log(2 * m) >= promised:
        return True
    size = min(s, m // 2)
    near = sum(math.comb(size, j) * math.comb(m - size, j) for j in range(size // 8 + 1))
    return math.log(math.comb(m, size) // near + 1) >= promised


def enough_rows(n: int, p: int) -> bool:
    """Return whether n reaches tr(Sigma)/lambda_1 for Sigma = I, the largest of that quotient."""
    return n >= Fraction(p, 1)


def smaller_exponent(epsilon: Fraction, p: int, c: int) -> bool:
    """Return whether p^(-c) <= p^(-epsilon)."""
    return p == 1 or c >= epsilon


def orthogonal_rows_refused(n: int, p: int) -> bool:
    """Return whether n rows of length 1 of R^p cannot be orthogonal to each other: their rank is p at most."""
    return not n <= p


def sparse_target(p: int, s: int, k: int) -> bool:
    """Return whether the code's V is orthonormal with s non-zero rows, for p <= 60."""
    if p > 60:
        return k <= s <= p
    V = row_sparse_orthonormal(p, k, s, np.random.default_rng(p + s + k))
    return bool(np.allclose(V.T @ V, np.eye(k))) and np.count_nonzero(np.any(V != 0, axis=1)) == s
