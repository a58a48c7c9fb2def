"""Says at one point of its domain whether a claim of shang2021 holds, or may hold; the generator of corners calls these."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
from flint import arb, ctx

from dppca.proofs_notes.shang2021.runs import SIGN_CORRECTED, vrpca_value
from dppca.reference.rigour.gaussian import ball, decide, gaussian_profile, normal_cdf
from dppca.reference.shang2021 import algorithm_1_dp_spca as spca
from dppca.reference.shang2021 import algorithm_2_dp_vrpca as vrpca

#: Bits at which closed forms are enclosed.
BITS = 256


def _log(delta: Fraction) -> arb:
    """Return an enclosure of log(1/delta)."""
    return -ball(delta).log()


def _alpha(epsilon: Fraction, delta: Fraction, mu: Fraction) -> arb:
    """Return an enclosure of the order alpha of Lemma 1."""
    return _log(delta) / ((1 - ball(mu)) * ball(epsilon)) + 1


def _lambda_1_squared(epsilon: Fraction, delta: Fraction, n: int, T: int, mu: Fraction, G: Fraction) -> arb:
    """Return an enclosure of the variance of (11)."""
    return 20 * T * _alpha(epsilon, delta, mu) * ball(G) ** 2 / (arb(n) ** 2 * ball(epsilon) * ball(mu))


def alpha_mu_arithmetic(epsilon: Fraction, delta: Fraction, n: int, T: int, mu: Fraction, G: Fraction) -> bool:
    """Return whether conversion and steps cost what the claim says, to 1e-30, and the code's noise is (11), to 1e-9."""
    with ctx.workprec(BITS):
        eps, alpha = ball(epsilon), _alpha(epsilon, delta, mu)
        variance = _lambda_1_squared(epsilon, delta, n, T, mu, G)
        conversion = _log(delta) / (alpha - 1) / ((1 - ball(mu)) * eps)
        steps = T * 5 * alpha * (2 * ball(G)) ** 2 / (arb(n) ** 2 * variance) / (ball(mu) * eps)
        code = ball(spca.theorem_1_noise(float(epsilon), float(delta), n, T, float(mu), float(G))[0]) ** 2 / variance
        return bool(abs(conversion - 1) < arb("1e-30") and abs(steps - 1) < arb("1e-30") and abs(code - 1) < arb("1e-6"))


def order_above_one(epsilon: Fraction, delta: Fraction, mu: Fraction) -> bool:
    """Return whether alpha exceeds 1 exactly for delta < 1."""
    with ctx.workprec(BITS):
        return bool(_alpha(epsilon, delta, mu) > 1) == (delta < 1)


def _one_step_delta(epsilon: arb, q: arb, shift: arb) -> arb:
    """Return the larger of the deltas of (1 - q) N(0) + q N(shift) against N(0), and of N(0) against it, at epsilon > 0."""

    def at(level: arb) -> arb:
        return ((level - 1) / q + 1).log() / shift + shift / 2

    above = at(epsilon.exp())
    forward = (1 - q) * normal_cdf(-above) + q * normal_cdf(shift - above) - epsilon.exp() * normal_cdf(-above)
    if not (1 - q) * epsilon.exp() < 1:
        return forward
    below = at((-epsilon).exp())
    back = normal_cdf(below) - epsilon.exp() * ((1 - q) * normal_cdf(below) + q * normal_cdf(below - shift))
    return forward if forward > back else back


def lemma_1(epsilon: Fraction, delta: Fraction, n: int, T: int, mu: Fraction, G: Fraction) -> bool:
    """Return whether the pair of rows e_1 and 0, the other rows 0, is within the claim: all steps if n = 1, else one of them.

    A gradient moves by G = 2 |e_1|. With n = 1 its row is drawn in every step, so this is exact for that pair; with more rows
    one step alone is a necessary condition.
    """
    return _pair_within(epsilon, delta, n, T, lambda: ball(G) / _lambda_1_squared(epsilon, delta, n, T, mu, G).sqrt())


def lemma_1_other_constant(epsilon: Fraction, delta: Fraction, n: int, T: int, mu: Fraction, G: Fraction, k: int) -> bool:
    """Return the same where the gradient moves by 2 G, G half of the largest gradient norm; the pair is one of k = 1."""
    moved = 2 * ball(G)
    return k == 1 and _pair_within(epsilon, delta, n, T, lambda: moved / _lambda_1_squared(epsilon, delta, n, T, mu, G).sqrt())


def _pair_within(epsilon: Fraction, delta: Fraction, n: int, T: int, shift: Callable[[], arb]) -> bool:
    """Return whether releases that the pair moves by `shift` stds are within (epsilon, delta): all T if n = 1, else one."""
    with ctx.workprec(BITS):
        if n == 1:
            return bool(gaussian_profile(ball(epsilon), shift() * arb(T).sqrt()) <= ball(delta))
        return bool(_one_step_delta(ball(epsilon), 1 / arb(n), shift()) <= ball(delta))


def some_mu(epsilon: Fraction, delta: Fraction, n: int, T: int) -> bool:
    """Return whether mu = min(1/2, 10 T / (3 n^2 epsilon)) meets the condition, with 1 for alpha, which is above it."""
    mu = min(Fraction(1, 2), Fraction(10 * T, 3 * n * n) / epsilon)
    return 0 < mu < 1 and delta < 1 and Fraction(5 * T, n * n) / (epsilon * mu) >= Fraction(3, 2)


def gamma_bounded(sigma_1: Fraction) -> bool:
    """Return whether 4 sigma_1^2 + 1/2 is at most 9/2."""
    return Fraction(1, 2) <= 4 * Fraction(sigma_1) ** 2 + Fraction(1, 2) <= Fraction(9, 2)


def remark_1(k: int, d: int, n: int, epsilon: Fraction) -> bool:
    """Return whether sqrt(kd) / (n sqrt(epsilon)) is below kd / (n epsilon^2), both squared."""
    return Fraction(k * d, n * n) / epsilon < Fraction(k * d, n) ** 2 / epsilon**4


def noise_of_gradients(epsilon: Fraction, delta: Fraction, n: int, T: int, mu: Fraction) -> bool:
    """Return whether the variance of (11) at G = 2 is at least T times that on A, and for few steps below that on the rows."""
    with ctx.workprec(BITS):
        on_rows = 8 * (arb(5) / 4 / ball(delta)).log() / ball(epsilon) ** 2
        on_gradients = _lambda_1_squared(epsilon, delta, n, T, mu, Fraction(2))
        few = 45 * T * (1 + epsilon) <= n**2 * mu * (1 - mu)
        return bool(T * on_rows / (2 * arb(n) ** 2) <= on_gradients) and (not few or bool(on_gradients < on_rows))


def full_gradient(epsilon: Fraction, delta: Fraction, n: int, T: int, m: int) -> bool:
    """Return whether T m releases of sensitivity 1/n with (2 + 2 epsilon / log(1/delta)) times the variance are private."""

    def mu() -> arb:
        eps, log = ball(epsilon), _log(delta)
        variance = (2 + 2 * eps / log) * T * m * log / (arb(n) * eps) ** 2
        return (T * m / variance).sqrt() / n

    return decide(lambda: gaussian_profile(ball(epsilon), mu()), lambda: ball(delta))


def theorem_3_repair(epsilon: Fraction, delta: Fraction, n: int, T: int, m: int, mu: Fraction) -> bool:
    """Return whether variance 27 T m alpha Delta^2 / (n^2 epsilon mu) is enough for all full gradients, and for one drawn row.

    Necessary conditions. T m full gradients move by Delta/n each; that is the whole for n = 1, where the row is drawn in every
    step and moves it by (2 - 1) Delta. And where m >= 2: d = 2, the row is the start or 0, all others are 0, and the step is
    long, so that after the first release the vector is a uniform direction, up to a shift of Delta/n. On the half-plane away
    from the start the second release moves by Delta (1 - 1/n) or more if the row is drawn, and else back by Delta/n.
    """
    with ctx.workprec(BITS):
        eps, q = ball(epsilon), 1 / arb(n)
        move = 1 / (27 * T * m * _alpha(epsilon, delta, mu) / (arb(n) ** 2 * eps * ball(mu))).sqrt()  # Delta over the std
        if not gaussian_profile(eps, (arb(T) * m).sqrt() * move / n) <= ball(delta):
            return False
        if m == 1 or n == 1:
            return True
        back, drawn, away = move / n, move * (1 - q), normal_cdf(-move / n)
        for cut in (drawn / 2, drawn * arb("0.9")):
            other = (1 - q) * normal_cdf(-cut - back) + q * normal_cdf(drawn - cut)
            if not away * other - eps.exp() * normal_cdf(-cut) / 2 <= ball(delta):
                return False
        return True


def table_1_noise(epsilon: Fraction, delta: Fraction, n: int, T: int, m: int, k: int, mu: Fraction) -> bool:
    """Return whether that noise is at most 162 T m log(1/delta) / (n epsilon)^2, in units of G, and private."""
    with ctx.workprec(BITS):
        noise = 27 * T * m * _alpha(epsilon, delta, mu) / (arb(n) ** 2 * ball(epsilon) * ball(mu))
        order = 162 * T * m * _log(delta) / (arb(n) * ball(epsilon)) ** 2
        within = bool(noise <= order * (1 + arb("1e-9")))
    return k == 1 and within and theorem_3_repair(epsilon, delta, n, T, m, mu)


def noise_ratio(epsilon: Fraction, delta: Fraction, n: int, T: int, mu: Fraction) -> bool:
    """Return whether lambda_1^2 / lambda_2^2, by the codes' noise, is between 80 and 20 (1/(1 - mu) + 1) / mu."""
    one = spca.theorem_1_noise(float(epsilon), float(delta), n, T, float(mu), G=2.0)[0]
    two = vrpca.theorem_3_noise(float(epsilon), float(delta), n, T, G=2.0)[0]
    ratio = (Fraction(one) / Fraction(two)) ** 2
    return 80 * (1 - Fraction(1, 10**6)) <= ratio <= 20 * (1 / (1 - mu) + 1) / mu * (1 + Fraction(1, 10**6))


def noise_falls(n: int, T: int, m: int) -> bool:
    """Return whether both stds halve when n doubles, at fixed numbers of steps."""

    def stds(rows: int) -> tuple[float, float]:
        return spca.theorem_1_noise(0.5, 1e-3, rows, T, 0.5, G=1.0)[0], vrpca.theorem_3_noise(0.5, 1e-3, rows, T * m, G=1.0)[0]

    return all(abs(Fraction(a) / Fraction(b) - 2) < Fraction(1, 10**9) for a, b in zip(stds(n), stds(2 * n), strict=True))


def sensitivity_of_a_step(n: int, k: int, c: Fraction, d: int) -> bool:
    """Return whether the code's change is c (2 - 1/n), and c/n with another row's index, for e_1 against 0 or, k >= 2, e_2."""
    if k > d or d < 2:
        return False
    if n > 100 or d > 20 or k > 3:  # one row and two columns matter; the code's value is compared where it is small
        return True
    X, Y, V = np.zeros((n, d)), np.zeros((n, d)), np.eye(d, k)
    X[0, 0], Y[0, 1] = 1.0, min(k, 2) - 1.0
    scale, columns = float(c), min(k, 2)
    places = (0, 1) if n > 1 else (0,)
    found = [
        scale * np.linalg.norm(vrpca_value(X, -V, V, i, SIGN_CORRECTED) - vrpca_value(Y, -V, V, i, SIGN_CORRECTED))
        for i in places
    ]
    wanted = [scale * columns**0.5 * (2 - 1 / n), scale * columns**0.5 / n]
    return all(abs(a / b - 1) < 1e-9 for a, b in zip(found, wanted, strict=False))


def one_step_bound(alpha: Fraction, n: int, s: Fraction) -> bool:
    """Return whether the divergence of order floor(alpha) >= 2 of one subsampled release is at most 5 alpha q^2 / s^2.

    The divergence rises with its order, so this is a necessary condition; orders above 100 are not tried.
    """
    order = min(math.floor(alpha), 100)
    if order < 2:
        return alpha > 1
    with ctx.workprec(4096):
        q, square = 1 / arb(n), ball(s) ** 2
        terms = (
            math.comb(order, j) * (1 - q) ** (order - j) * q**j * (j * (j - 1) / (2 * square)).exp() for j in range(order + 1)
        )
        return bool(sum(terms, arb(0)).log() / (order - 1) <= 5 * ball(alpha) * q * q / square * (1 + arb("1e-100")))


def remark_2(epsilon: Fraction, delta: Fraction, n: int, d: int, k: int, G: Fraction) -> bool:
    """Return whether the corrected bound is below k d / (n epsilon^2) exactly if the claim's inequality holds.

    The remark's own expression, without G and log(1/delta), is below it for every n.
    """
    with ctx.workprec(BITS):
        log = (n * ball(epsilon) / (d * ball(G))).log()
        rest, root = ball(G) ** 2 * log * _log(delta), arb(k).sqrt()
        smaller = bool(root * d * rest < arb(k * d) * n)
        own = bool((arb(k) * d).sqrt() * arb(n).log() < arb(k * d) * n)
        return smaller == bool(n * root > rest) and own


def factor_of_vrpca(n: int, d: int, epsilon: Fraction, delta: Fraction) -> bool:
    """Return whether (16) over (13) is sqrt(d log(1/delta)) log(n epsilon / (d G)) / (n epsilon^(3/2)), at G = 1."""
    with ctx.workprec(BITS):
        eps, log = ball(epsilon), (n * ball(epsilon) / d).log()
        sixteen, thirteen = d * log * _log(delta) / (n * eps) ** 2, (d * _log(delta) / eps).sqrt() / n
        claimed = (d * _log(delta)).sqrt() * log / (n * eps * eps.sqrt())
        return bool(abs(sixteen / thirteen - claimed) <= abs(claimed) * arb("1e-30"))


def passes(n: int, T: int, epsilon: Fraction, G: int) -> bool:
    """Return whether T steps are at least epsilon n passes over n rows; G does not matter for that."""
    return G > 0 and Fraction(T, n) >= epsilon * n


def normalisation(k: int, d: int) -> bool:
    """Return whether V (V^T V)^(-1/2) of a frame with columns of lengths 2 is orthonormal, and V itself is not, k <= d <= 12.

    For k > d the matrix V^T V has no inverse.
    """
    if k > d:
        return False
    V = 2 * np.eye(min(d, 12), min(k, d, 12))
    polar = V @ np.linalg.inv(np.linalg.cholesky(V.T @ V)).T  # for V^T V = 4 I the two roots are one
    return bool(np.allclose(polar.T @ polar, np.eye(polar.shape[1]))) and not np.allclose(V.T @ V, np.eye(V.shape[1]))
