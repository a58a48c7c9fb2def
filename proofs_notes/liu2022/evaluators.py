"""Says at one point of its domain whether a claim of liu2022 holds, or may hold; the generator of corners calls these."""

from __future__ import annotations

import math
from fractions import Fraction

from flint import arb, ctx

from dppca.proofs_notes.liu2022 import distributions
from dppca.proofs_notes.liu2022.distributions import code_size
from dppca.proofs_notes.primitives.evaluators import analytic_gaussian, classical_gaussian, composed_delta
from dppca.reference.liu2022 import hyperparameter_search as search
from dppca.reference.primitives.composition import advanced_component
from dppca.reference.primitives.gaussian import analytic_std
from dppca.reference.primitives.sparse_histogram import stability_delta, stability_threshold
from dppca.reference.rigour.gaussian import ball, gaussian_holds, gaussian_profile

#: Bits at which closed forms are enclosed; enough for e^1000.
BITS = 4096


def example_4_1_gamma(sigma: Fraction) -> bool:
    """Return whether (4 sigma^2 + 2 sigma^4)/(1 + sigma^2)^2 is between sigma^2 and 4 sigma^2 for sigma <= 1."""
    square = sigma**2
    return sigma > 1 or square <= (4 * square + 2 * square**2) / (1 + square) ** 2 <= 4 * square


def subsets(epsilon: Fraction, delta: Fraction, zeta: Fraction) -> bool:
    """Return whether 4 log(1/(delta zeta))/epsilon reaches 2 + (4/epsilon) log(1/(4 delta zeta)) for epsilon <= 2 log 4."""
    with ctx.workprec(BITS):
        log = -(ball(delta) * ball(zeta)).log()
        needed = 2 + 4 / ball(epsilon) * (log - arb(4).log())
        return bool(ball(epsilon) > 2 * arb(4).log()) or bool(needed <= 4 * log / ball(epsilon) + arb("1e-30"))


def bin_shown(epsilon: Fraction, delta: Fraction, zeta: Fraction) -> bool:
    """Return whether k/2 of k = 2 + (4/epsilon) log(1/(4 delta zeta)) subsets are shown with probability at least 1 - zeta."""
    with ctx.workprec(BITS):
        eps = ball(epsilon)
        k = 2 - 4 / eps * (4 * ball(delta) * ball(zeta)).log()
        threshold = 1 - 2 / eps * (2 * ball(delta)).log()
        return bool((-(k / 2 - threshold) * eps / 2).exp() / 2 <= ball(zeta) * (1 + arb("1e-30")))


def alpha_0(n: int, d: int, epsilon: Fraction, delta: Fraction) -> bool:
    """Return whether both entries of (30) are positive: at least d/4 and log 2, over n epsilon."""
    with ctx.workprec(BITS):
        eps = ball(epsilon)
        entries = [arb(d) / 2 - eps, (-(-eps).expm1() / (4 * ball(delta) * eps.exp())).log()]
        least = [arb(d) / 4, arb(2).log()]
        return n >= 1 and all(bool(entry >= floor * (1 - arb("1e-6"))) for entry, floor in zip(entries, least, strict=True))


def lemma_f_4(r: Fraction) -> bool:
    """Return whether 1 - <x, y>^2 = r - r^2/4 is between r/2 and r, r = |x - y|^2."""
    return r / 2 <= r - r**2 / 4 <= r


def equation_20(alpha: Fraction) -> bool:
    """Return whether the squared sines r - r^2/4 are within [7/16, 2] alpha^2, for r from alpha^2/2 to 2 alpha^2."""
    ends = (alpha**2 / 2, 2 * alpha**2)
    sines = [r - r**2 / 4 for r in ends]
    return all(Fraction(7, 16) * alpha**2 <= sine for sine in sines) and ends[1] - ends[0] ** 2 / 4 <= 2 * alpha**2


def equation_42(epsilon_0: Fraction) -> bool:
    """Return whether (1 + epsilon_0) - (1 - epsilon_0/2) is 3 epsilon_0/2."""
    return (1 + epsilon_0) - (1 - epsilon_0 / 2) == 3 * epsilon_0 / 2


def either_multiplier(epsilon: Fraction, delta: Fraction) -> bool:
    """Return whether the exact multiplier is enough, and for epsilon <= 1 the classical one, too."""
    return analytic_gaussian(epsilon, delta) and (epsilon > 1 or classical_gaussian(epsilon, delta))


def multiplier_without_shuffling(epsilon: Fraction, delta: Fraction, n: int) -> bool:
    """Return whether (3 + epsilon) log(n/delta)/epsilon is enough."""
    with ctx.workprec(BITS):
        alpha = (3 + ball(epsilon)) * (n / ball(delta)).log() / ball(epsilon)
        return bool(gaussian_profile(ball(epsilon), 1 / alpha) <= ball(delta))


def local_randomiser(epsilon_0: Fraction) -> bool:
    """Return whether the classical multiplier is enough for a step, at shares delta_0 of 1/2, 1e-3 and 1e-9."""
    return all(classical_gaussian(epsilon_0, share) for share in (Fraction(1, 2), Fraction(1, 10**3), Fraction(1, 10**9)))


def two_halves(epsilon: Fraction, delta: Fraction) -> bool:
    """Return whether two mechanisms at half of epsilon and half of delta are within both, by the worst case of two."""
    with ctx.workprec(BITS):
        return bool(composed_delta(ball(epsilon), (ball(epsilon) / 2, ball(delta) / 2), 2) <= ball(delta))


def lemma_b_4(epsilon: Fraction, delta: Fraction, k: int) -> bool:
    """Return whether k of the code's components are within (epsilon, delta), by the worst case of k mechanisms."""
    component = advanced_component(float(epsilon), float(delta), k)
    with ctx.workprec(512):
        return bool(composed_delta(ball(epsilon), (ball(component.epsilon), ball(component.delta)), k) <= ball(delta))


def stable_histogram(epsilon: Fraction, delta: Fraction) -> bool:
    """Return whether a record alone in its bin shows with probability delta at most at the code's threshold.

    A record that moves between empty bins is the pair of the largest delta: neither bin can show for the other data set.
    """
    return stability_delta(float(epsilon), stability_threshold(float(epsilon), float(delta))) <= float(delta)


def stable_at_any_delta(delta: Fraction) -> bool:
    """Return the same at an epsilon of 1e-3, 1 and 1e3."""
    return all(stable_histogram(epsilon, delta) for epsilon in (Fraction(1, 1000), Fraction(1), Fraction(1000)))


def second_moment_noise(beta: Fraction, n: int, epsilon: Fraction, delta: Fraction) -> bool:
    """Return whether noise for sqrt(2) beta^2/n is enough where beta e_1 is replaced by beta e_2."""
    e, d, square = float(epsilon), float(delta), ball(beta) ** 2
    std = analytic_std(e, d, 2**0.5 * (1 + 1e-15)) * float(beta) ** 2 / n
    with ctx.workprec(256):
        return gaussian_holds(e, d, std * (1 + 1e-14), (2 * square**2 / arb(n) ** 2).sqrt)


def records_needed(epsilon: Fraction, delta: Fraction, zeta: Fraction, k: int) -> bool:
    """Return whether k is below the claim's number exactly if group privacy for k records cannot give 1 - zeta."""
    with ctx.workprec(BITS):
        e, d, wanted = ball(epsilon), ball(delta), 1 - ball(zeta)
        number = (1 + wanted * e.expm1() / d).log() / e
        reached = d * (k * e).expm1() / e.expm1()
        return bool(k < number) == bool(reached < wanted)


def search_budget(epsilon: Fraction, i: int) -> bool:
    """Return whether the first i rounds spend epsilon at most, each on the pairs that no round before it had."""
    fresh = (2 * i - 1) ** 2 - (2 * i - 3) ** 2 if i > 1 else 1
    pairs = search.schedule(i, float(epsilon), 0.1, search.CORRECTED).pairs if i <= 20 else [(i, j) for j in range(8 * (i - 1))]
    spent = sum((epsilon / 2**j for j in range(1, i + 1)), Fraction(0))
    return len(pairs) == len(set(pairs)) == fresh and spent <= epsilon


def code_exponent(d: int, alpha: Fraction) -> bool:
    """Return whether Gilbert's bound gives e^(d/10) points, at the distances of the lemma, on vectors of length 1.

    Signs that differ in a share of 1/4 to 1 of the places are (alpha^2/2) 4 share apart, squared, across the axis.
    """
    distances = [alpha**2 / 2 * 4 * share for share in (Fraction(1, 4), Fraction(1))]
    inside = alpha**2 / 2 <= min(distances) and max(distances) <= 2 * alpha**2
    return alpha**2 / 2 <= 1 and inside and code_size(d) ** 10 >= 3**d


def code_leaves_half(d: int, c_1: Fraction) -> bool:
    """Return whether 1 - (n beta + log 2)/log|V| is at least 0.51, with n beta = c_1 d/2 and Gilbert's bound for |V|."""
    with ctx.workprec(128):
        return bool(1 - (ball(c_1) * d / 2 + arb(2).log()) / arb(code_size(d)).log() >= arb("0.51"))


def greedy_vectors(d: int) -> bool:
    """Return whether 2^d caps of chord 1/2 do not cover the sphere: one has the share sin^(d-1)(theta)/2 at most."""
    with ctx.workprec(4096):
        return bool((2 * arb("0.25").asin()).sin() ** (d - 1) / 2 * arb(2) ** d <= 1 + arb("1e-9"))


def theorem_c_2(d: int, n: int, epsilon: Fraction) -> bool:
    """Return whether the bound is below the risk of the exponential mechanism on d point masses, tau = phi = 1.

    All n rows are at one of d points; it is named with the odds e^(n epsilon/2) against each other one.
    """
    with ctx.workprec(BITS):
        odds = (n * ball(epsilon) / 2).exp()
        risk = (d - 1) / (d - 1 + odds)
        return bool((arb("0.9") - (10 * n * ball(epsilon)).exp() / d) / 2 <= risk)


def missed(d: int, n: int, epsilon: Fraction, delta: Fraction) -> bool:
    """Return whether (26) is at least 0.06 at the mass that the proof of Theorem 5.4 takes, with 2^(d-1) laws."""
    e, p = float(epsilon), float(delta)
    level = math.log(-math.expm1(-e)) - math.log(p)
    mass = min(1.0, min(d, level) / (n * e)) / 4.0
    return level > 0.0 and distributions.lemma_c_4(2 ** (d - 1), n, mass, e, p) >= 0.06


def missed_for_every_gap(d: int, n: int, epsilon: Fraction, delta: Fraction, kappa: Fraction) -> bool:
    """Return the same, and whether kappa belongs to a law: the spike g = 1/(kappa - 1) is at most 1."""
    return kappa >= 2 and missed(d, n, epsilon, delta)


def lemma_f_1(zeta: Fraction, d: int, C: int) -> bool:
    """Return whether P(chi^2_d > C d log(1/zeta)) <= zeta: the lemma for Sigma = I."""
    with ctx.workprec(512):
        level = C * d * -ball(zeta).log()
        return bool((level / 2).gamma_upper(arb(d) / 2, 1) <= ball(zeta))


def rates_match(delta: Fraction) -> bool:
    """Return whether a + b sqrt(L) is within sqrt(L) of a + b, L = log(1/delta), a and b the terms of (11) for (12)'s."""
    with ctx.workprec(BITS):
        root = (-ball(delta).log()).sqrt()
        terms = ((1, 0), (1, 1), (10**6, 1), (1, 10**6), (0, 1))
        return all(bool(a + b * root <= root * (a + b) * (1 + arb("1e-15"))) for a, b in terms)


def histogram_bin(epsilon: Fraction, delta: Fraction, n: int, beta: Fraction, alpha: Fraction) -> bool:
    """Return whether Laplace noise of scale 2/epsilon moves a bin by n beta with alpha at most, if n is what the lemma asks.

    That is the branch of infinitely many bins, n >= 8 log(4/(alpha delta))/(epsilon beta); none is large enough at epsilon = 0.
    """
    with ctx.workprec(BITS):
        moved = n * ball(epsilon) * ball(beta)
        return bool(moved < -8 * (ball(alpha) * ball(delta) / 4).log()) or bool((-moved / 2).exp() <= ball(alpha))


def all_bins(epsilon: Fraction, delta: Fraction, n: int, alpha: Fraction) -> bool:
    """Return whether a bin of n is off by 8 log(4/(alpha delta))/epsilon with alpha at most, for epsilon <= 12, n < 1/delta.

    A bin is off by its noise, or is suppressed though its count is that large.
    """
    if epsilon > 12 or n * delta >= 1:
        return True
    with ctx.workprec(BITS):
        eps, off = ball(epsilon), -8 * (ball(alpha) * ball(delta) / 4).log()
        room = off - eps * ball(stability_threshold(float(epsilon), float(delta)))
        lost = (-room / 2).exp() / 2 if room >= 0 else 1 - (room / 2).exp() / 2
        return bool(n * ((-off / 2).exp() + lost) <= ball(alpha))


def estimator_misses(epsilon: Fraction, delta: Fraction, n: int, alpha: Fraction) -> bool:
    """Return whether (26) is below the error of the exponential mechanism that counts rows, over 2 and 5 laws, delta = 0.

    A row is at v with probability alpha and else at 0; v is named with the weight e^(epsilon count/2).
    """
    p = float(alpha)
    with ctx.workprec(BITS):
        for k in (2, 5):
            bound = distributions.lemma_c_4(k, n, p, float(epsilon), float(delta))
            error = arb(0)
            for rows in range(n + 1):
                mass = math.comb(n, rows) * ball(alpha) ** rows * (1 - ball(alpha)) ** (n - rows)
                error += mass * (k - 1) / (k - 1 + (ball(epsilon) * rows / 2).exp())
                if bool(error >= bound):
                    break
            if not error >= bound:
                return False
    return True


def clipping_length(n: int, d: int, zeta: Fraction) -> bool:
    """Return whether n rows of N(0, I) have squares up to 5 d log(n/zeta) with probability 1 - zeta."""
    with ctx.workprec(BITS):
        return bool(n * _chi_square_tail(d, 5 * d * (n / ball(zeta)).log()) <= ball(zeta))


def gaussian_deviation(n: int, d: int, zeta: Fraction) -> bool:
    """Return whether n rows of N(0, I) are all within 2d + 3 log(n/zeta) of 0 in square with probability 1 - zeta."""
    with ctx.workprec(BITS):
        return bool(n * _chi_square_tail(d, 2 * d + 3 * (n / ball(zeta)).log()) <= ball(zeta))


def _chi_square_tail(d: int, x: arb) -> arb:
    """Return an enclosure of P(chi^2_d >= x)."""
    return (x / 2).gamma_upper(arb(d) / 2, regularized=1)


def sample_size_in_range(n: int, d: int, delta: Fraction, kappa: Fraction, gamma: Fraction) -> bool:
    """Return whether n reaches the size that the claim names, or misses (4)'s last term at the largest epsilon of Lemma 3.1."""
    with ctx.workprec(BITS):
        log = (n / ball(delta)).log()
        term = -d * ball(kappa) * (ball(gamma) + 1) * ball(delta).log()
        return bool(n < term / (log / n).sqrt() * (1 + arb("1e-30"))) or bool(n * log >= term**2 * (1 - arb("1e-30")))


def first_term(alpha: Fraction) -> bool:
    """Return whether alpha^2/(2 alpha - 1) is between alpha/2 and alpha."""
    return alpha / 2 <= alpha**2 / (2 * alpha - 1) <= alpha


def last_term_of_63(c: Fraction, zeta: Fraction, kappa: Fraction, n: int) -> bool:
    """Return whether (kappa^2 alpha^2/(L T))^2 <= 1 at alpha = c log n, T = c^2/L kappa^2 log^2 n, L = log(1 + zeta/100)."""
    with ctx.workprec(BITS):
        log, level = (1 + ball(zeta) / 100).log(), arb(n).log()
        T = ball(c) ** 2 / log * ball(kappa) ** 2 * level**2
        return n > 1 and bool((ball(kappa) * ball(c) * level) ** 4 <= (log * T) ** 2 * (1 + arb("1e-30")))


def share_of_a_bin(B: int, d: int, zeta: Fraction) -> bool:
    """Return whether the share of a bin of probability 1/2 is off by more than the bound with zeta/d at most, in fractions."""
    off = math.sqrt(2.0 * math.log(2.0 * d / zeta) / B) * (1.0 - 1e-12)
    heads = math.floor(B * (0.5 + off)) + 1
    return Fraction(2 * sum(math.comb(B, j) for j in range(heads, B + 1)), 2**B) <= zeta / d


def uncircular_share(n: int, delta: Fraction, c_3: Fraction, epsilon_hat: Fraction) -> bool:
    """Return whether delta_0 = c_3 delta/(e n) is at most the published c_3 delta/(e^epsilon_hat n)."""
    with ctx.workprec(BITS):
        share = ball(c_3) * ball(delta) / n
        return bool(share / arb(1).exp() <= share / ball(epsilon_hat).exp() * (1 + arb("1e-30")))


def captured_variance(lambda_1: Fraction, lambda_2: Fraction, lambda_3: Fraction, x: Fraction, y: Fraction) -> bool:
    """Return whether sin^2 = 1 - x is at most kappa times the loss, for shares x, y, 1 - x - y along three eigenvectors."""
    loss = 1 - (lambda_1 * x + lambda_2 * y + lambda_3 * (1 - x - y)) / lambda_1
    return 1 - x <= lambda_1 / (lambda_1 - lambda_2) * loss


def divergence_of_spikes(lambda_1: Fraction, lambda_2: Fraction, t: Fraction) -> bool:
    """Return whether tr(S_w^-1 S_v) - 2 is (lambda_1 - lambda_2)^2/(lambda_1 lambda_2) sin^2, t = tan(angle/2)."""
    c, s = (1 - t * t) / (1 + t * t), 2 * t / (1 + t * t)
    across, along = 1 / lambda_2, 1 / lambda_1 - 1 / lambda_2  # S_w^-1 = across I + along w w^T, w = (1, 0), v = (c, s)
    first = (across + along) * (lambda_2 + (lambda_1 - lambda_2) * c * c)
    second = across * (lambda_2 + (lambda_1 - lambda_2) * s * s)
    return first + second - 2 == (lambda_1 - lambda_2) ** 2 / (lambda_1 * lambda_2) * s * s


def variation_of_spikes(lambda_1: Fraction, lambda_2: Fraction, alpha: Fraction) -> bool:
    """Return whether (2/pi) arctan((l_1 - l_2) sin/(2 sqrt(l_1 l_2))) is within (22), at sin = min(1, sqrt(2) alpha)."""
    with ctx.workprec(BITS):
        root = (ball(lambda_1) * ball(lambda_2)).sqrt()
        gap, sine = ball(lambda_1) - ball(lambda_2), min(1, arb(2).sqrt() * ball(alpha), key=float)
        return bool(2 / arb.pi() * (gap * sine / (2 * root)).atan() <= ball(alpha) * gap / (arb(2).sqrt() * root))


def numerator_of_29(n: int, d: int, epsilon: Fraction, delta: Fraction) -> bool:
    """Return whether e^(-epsilon ceil(n alpha))/2 - delta/(1 - e^-epsilon) >= e^(-epsilon (n alpha + 1))/4 at alpha of (30)."""
    with ctx.workprec(BITS):
        eps, rest = ball(epsilon), 1 - (-ball(epsilon)).exp()
        rows = min(arb(n), (arb(d) / 2 - eps) / eps, (rest / (4 * ball(delta) * eps.exp())).log() / eps, key=float)
        left = (-eps * min(math.floor(float(rows)) + 1, n)).exp() / 2 - ball(delta) / rest
        return bool(rows > 0) and bool(left >= (-eps * (rows + 1)).exp() / 4 * (1 - arb("1e-30")))
