"""Says at one point of its domain whether a claim of singhal2021 holds, or may hold; the generator of corners calls these."""

from __future__ import annotations

import math
from fractions import Fraction

from flint import arb, ctx

from dppca.proofs_notes.liu2022.distributions import code_size
from dppca.proofs_notes.primitives.evaluators import analytic_gaussian, selected_run, truncated_laplace
from dppca.reference.primitives.gaussian import analytic_std
from dppca.reference.rigour.gaussian import ball, normal_cdf
from dppca.reference.singhal2021.algorithm_2_approximate import CORRECTED, calibrate

#: Bits at which closed forms are enclosed; enough for e^1000.
BITS = 4096
#: gamma^2 d^2 k / (alpha^2 m) of Theorem D.
RATE = arb(33) / 10**12


def _support(epsilon: Fraction, delta: Fraction) -> arb:
    """Return an enclosure of A = (2 / epsilon) ln(1 + (e^epsilon - 1) / (2 delta))."""
    return 2 / ball(epsilon) * (1 + ball(epsilon).expm1() / (2 * ball(delta))).log()


def one_entry_is_weaker(epsilon: Fraction, delta: Fraction) -> bool:
    """Return whether Laplace noise of scale 1/epsilon on an entry hides a change by 1, and not one by c, c large, of a column.

    Hidden: the density ratio is at most e^(epsilon 1). Not: of the event "above c/2" the first law has 1 - e^(-epsilon c/2)/2,
    the second e^(-epsilon c/2)/2; c is such that e^(-epsilon c/2) = (1 - delta)/(2 + 2 e^epsilon).
    """
    with ctx.workprec(BITS):
        eps, small = ball(epsilon), (1 - ball(delta)) / (2 + 2 * ball(epsilon).exp())
        shift = -2 * small.log() / eps
        tail = (-eps * shift / 2).exp() / 2
        loss = epsilon * max(abs(y - 1) - abs(y) for y in (-9, -1, 0, Fraction(1, 2), 1, 9))
        return loss <= epsilon and bool(1 - tail - eps.exp() * tail > ball(delta))


def enough_points(n: int, k: int, ell: int, epsilon: Fraction, delta: Fraction) -> bool:
    """Return whether n reaches the 3 ell + 4 A + 1 of Lemma 2.5 as corrected, with delta at most 1/2; k stands in ell alone."""
    with ctx.workprec(BITS):
        needed = 3 * ell + 4 * _support(epsilon, min(delta, Fraction(1, 2))) + 1
        return ell >= k - 1 and bool(n >= needed - arb("1e-9"))


def printed_support(epsilon: Fraction, delta: Fraction) -> bool:
    """Return whether A <= 2 ln(1/delta) / epsilon exactly when e^epsilon <= 3 - 2 delta."""
    with ctx.workprec(BITS):
        return bool(_support(epsilon, delta) <= -2 * ball(delta).log() / ball(epsilon)) == bool(
            ball(epsilon).exp() <= 3 - 2 * ball(delta)
        )


def within_printed_points(epsilon: Fraction, delta: Fraction) -> bool:
    """Return whether 4 A + 1 is within the paper's 8 ln(1/delta) / epsilon + 2 while e^epsilon <= 3 - 2 delta."""
    with ctx.workprec(BITS):
        if ball(epsilon).exp() > 3 - 2 * ball(delta):
            return True
        return bool(4 * _support(epsilon, delta) + 1 <= -8 * ball(delta).log() / ball(epsilon) + 2)


def enough_blocks(epsilon: Fraction, delta: Fraction) -> bool:
    """Return whether ceil(3 + 4 A) is within 12 + 8 ln(1/delta) / epsilon, by 3 + 4 A <= 11 + 8 ln(1/delta) / epsilon."""
    with ctx.workprec(BITS):
        return bool(3 + 4 * _support(epsilon, delta) <= 11 - 8 * ball(delta).log() / ball(epsilon))


def noise_for_two(epsilon: Fraction, delta: Fraction) -> bool:
    """Return whether TLap(2, epsilon, delta), the noise of GAP-MAX, is (epsilon, delta)-DP on a value that moves by 2."""
    return truncated_laplace(epsilon, delta, Fraction(2))


def noise_above_half(epsilon: Fraction, delta: Fraction) -> bool:
    """Return whether a shift by 2 leaves at most delta of that noise outside of the shifted support, which is longer than 2."""
    with ctx.workprec(BITS):
        A, rate = _support(epsilon, delta), ball(epsilon) / 2
        outside = (1 + (rate * (A - 2)).expm1() / (-rate * A).expm1()) / 2  # the mass below 2 - A, which is from 0 to A
        return bool(A >= 1) and bool(A < 2) and bool(outside <= ball(delta))


def random_subsets(epsilon: Fraction, delta: Fraction, n: int, k: int, m: int, tau: int) -> bool:
    """Return whether m subsets miss a subspace with more than tau of n points with beta/2 at most, and the noise is enough.

    One of tau + 1 points is spanned by k draws among them with ((tau + 1)/n)^k or more.
    """
    share = Fraction(tau + 1, n)
    if not 0 < share <= 1:
        return False
    with ctx.workprec(BITS):
        beta = 2 * (1 - ball(share) ** k) ** m
        missed = [(1 - (arb(u) / n) ** k) ** m for u in (tau + 1, n)]
        return all(bool(x <= beta / 2 * (1 + arb("1e-9"))) for x in missed) and noise_for_two(epsilon, delta)


def subsets_enough(n: int, k: int, u: int, beta: Fraction) -> bool:
    """Return whether ceil((n/u)^k ln(1/beta)) draws, each within u of n points with (u/n)^k, all miss with beta at most."""
    if not 1 <= u <= n:
        return False
    with ctx.workprec(BITS):
        share = (arb(u) / n) ** k
        draws = 1 / share * -ball(beta).log()
        return u == n or bool(draws * (-share).log1p() <= ball(beta).log() * (1 - arb("1e-30")))


def enough_for_dimension(n: int, ell: int, epsilon: Fraction, beta: Fraction, k_max: int) -> bool:
    """Return whether the exponential mechanism misses with beta at most from that n on: n - 2 ell against ell each."""
    with ctx.workprec(BITS):
        others = k_max - 1
        if not n >= 3 * ell + 2 / ball(epsilon) * (others / ball(beta)).log():
            return True
        right, wrong = (ball(epsilon) * (n - 2 * ell) / 2).exp(), (ball(epsilon) * ell / 2).exp()
        return bool(others * wrong / (right + others * wrong) <= ball(beta))


def exponential_mechanism(epsilon: Fraction) -> bool:
    """Return whether weights e^(epsilon score/2) spend epsilon at most where one of 10^6 scores rises by 1, others fall."""
    with ctx.workprec(BITS):
        half, names = (ball(epsilon) / 2).exp(), 10**6
        loss = (half * names / (half + (names - 1) / half)).log()
        return bool(loss <= ball(epsilon))


def dimension_test(n: int, ell: int, epsilon: Fraction) -> bool:
    """Return whether Laplace noise takes n - 2 ell below (n - ell)/2 with the probability of the claim, at most."""
    with ctx.workprec(BITS):
        room = ball(epsilon) * (n - 3 * ell) / 2
        wrong = (-room).exp() / 2 if n >= 3 * ell else 1 - room.exp() / 2
        return bool(wrong <= (-room).exp() / 2 * (1 + arb("1e-30")))


def dimension_test_gaussian(n: int, ell: int, epsilon: Fraction, delta: Fraction) -> bool:
    """Return whether the analytic noise is enough for sensitivity 1, and takes ell above (n - ell)/2 as the claim says."""
    std = analytic_std(float(epsilon), float(delta), 1.0)
    with ctx.workprec(BITS):
        wrong, claimed = (normal_cdf(-(arb(n - ell) / 2 - ell) / std), normal_cdf(-arb(n - 3 * ell) / (2 * ball(std))))
        return analytic_gaussian(epsilon, delta) and bool(abs(wrong - claimed) < arb("1e-300"))


def points_needed(d: int, k: int, ell: int, epsilon: Fraction, delta: Fraction, n: int) -> bool:
    """Return whether the inequality is that of A for even M, and holds where 3 ell + 2A + 1 points are enough (k < d).

    And for k = 1, ell = 0, delta = 0.1 it lets n = 10 pass, where M is n.
    """

    def passes(M: int) -> bool:
        powers = [(half * ball(epsilon)).expm1() for half in (M // 2, M - M // 2)]
        return bool(ball(delta) * (powers[0] + powers[1]) >= ball(epsilon).expm1() * (1 - arb("1e-30")))

    with ctx.workprec(BITS):
        M, A = n - 3 * ell, _support(epsilon, delta)
        if ell < k - 1 or M < 0:  # the two datasets of the argument need that many points
            return False
        if k >= d:
            return k == d
        as_stated = M % 2 == 1 or passes(M) == bool(A * (1 - arb("1e-30")) <= M)
        enough = not (delta <= Fraction(1, 2) and n > 3 * ell + 2 * A + 1) or passes(M)
        return as_stated and enough and ((k, ell, delta, n) != (1, 0, Fraction(1, 10), 10) or passes(10))


def pure_dp(n: int, d: int, epsilon: Fraction) -> bool:
    """Return whether a code of M signs with 0.7 M <= e^(epsilon n) leaves n >= (0.13 d - 1.1)/epsilon; M by Gilbert's bound."""
    with ctx.workprec(BITS):
        allowed = bool((arb("0.7") * code_size(d + 1)).log() <= n * ball(epsilon))
        return not allowed or bool(n * ball(epsilon) >= arb("0.13") * d - arb("1.1"))


def theorem_d(n: int, d: int, k: int, epsilon: Fraction, delta: Fraction, alpha: Fraction, gamma: Fraction) -> bool:
    """Return whether blocks are large enough and the published condition on gamma is within Theorem D's.

    And, where it is met, whether two covariances that differ in one direction, of KL divergence n (1/gamma - gamma)^2/2, can be
    distinguished.
    """
    with ctx.workprec(BITS):
        eps, L = ball(epsilon), -ball(delta).log()
        t = math.ceil(float(3 + 4 * _support(epsilon, delta)))
        largest = max(float(k), float((k * L / eps).log().mid()))
        bound = RATE / 40 * eps * ball(alpha) ** 2 * n / (arb(d) ** 2 * k * L * ball(largest))
        within = bool(bound <= RATE * ball(alpha) ** 2 * (n // t) / (arb(d) ** 2 * k))
        apart = not ball(gamma) ** 2 <= bound or k == d or bool(n * (1 / ball(gamma) - ball(gamma)) ** 2 / 2 > arb("0.18"))
        return k <= d and n // t >= 400 * k and within and apart and noise_for_two(epsilon, delta)


def selection_by_score(epsilon: Fraction, delta: Fraction) -> bool:
    """Return whether the best of K runs at epsilon/3, K geometric, is within (epsilon, E[K] delta)."""
    return selected_run(epsilon / 3, delta, Fraction(1))


def determined(d: int, k: int) -> bool:
    """Return whether k - 1 points leave two subspaces of dimension k, or more: the quotient has dimension at least 2."""
    return k >= 1 and d - (k - 1) >= 2


def block_count(epsilon: Fraction, delta: Fraction) -> bool:
    """Return whether 3/4 of the code's blocks are missed with 0.06 at most, with the code's scale and threshold.

    The cell stays hidden, or another with a quarter of the blocks or fewer, each with one at least, has the larger noisy count.
    """
    c = calibrate(float(epsilon), float(delta), 1e-3, n=10**30, d=2, k=1)
    with ctx.workprec(BITS):
        t = arb(c.t)
        hidden = (-(t * 3 / 4 - ball(c.threshold)) / ball(c.scale)).exp() / 2
        room = t / 2 / ball(c.scale)  # a difference of two Laplace noises exceeds x with (1 + x/2) e^-x / 2
        beaten = t / 4 * (1 + room / 2) * (-room).exp() / 2
        return c.threshold < 0.75 * c.t and bool(hidden + beaten <= arb("0.06"))


def two_bounds_on_gamma(k: int, epsilon: Fraction, delta: Fraction) -> bool:
    """Return whether max(k, y) is within 4 (1 + ln C_0) of (sqrt k + sqrt(y + ln C_0))^2, y = ln(k L/epsilon)."""
    with ctx.workprec(BITS):
        y = (k * -ball(delta).log() / ball(epsilon)).log()
        C_0 = arb(int(CORRECTED.C_0))
        x = y + C_0.log()
        if not x > 0:
            return False
        ratio = (arb(k) if k > y else y) / (arb(k).sqrt() + x.sqrt()) ** 2
        return (
            bool(ratio <= 1) and bool(ratio >= 1 / (4 * (1 + C_0.log()))) and bool(x <= (1 + C_0.log()) * y * (1 + arb("1e-9")))
        )


def gap_enough(epsilon: Fraction, delta: Fraction) -> bool:
    """Return whether a gap above 1 + 4A beats NULL at 2A whatever the noises on [-A, A], and the noise is enough."""
    with ctx.workprec(BITS):
        A = _support(epsilon, delta)
        leader, null = (1 + 4 * A) - 1 - A, 2 * A + A
        return bool(leader >= null - arb("1e-30")) and noise_for_two(epsilon, delta)
