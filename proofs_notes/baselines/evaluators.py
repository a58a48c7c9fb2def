"""Decides the claims about the baselines at one point of their domains; the generator of corners calls these."""

from __future__ import annotations

from fractions import Fraction

from flint import arb, ctx

from dppca.reference.baselines import analyze_gauss, mod_sulq, noisy_power_method, output_perturbation
from dppca.reference.rigour.gaussian import ball, decide, gaussian_holds, gaussian_profile


def _change(d: int) -> arb:
    """Return the largest change of X^T X in Frobenius norm when a row is replaced."""
    return arb(2 if d > 1 else 1).sqrt()


def analyze_gauss_added(epsilon: Fraction, delta: Fraction, d: int) -> bool:
    """Return whether the analytic noise, and for epsilon <= 1 the published one, is enough for an added row."""
    e, p = float(epsilon), float(delta)
    added = analyze_gauss.Choices(relation=analyze_gauss.AS_PRINTED.relation, formula=analyze_gauss.CORRECTED.formula)
    readings = [added, *([analyze_gauss.AS_PRINTED] if epsilon <= 1 else [])]
    return all(gaussian_holds(e, p, analyze_gauss.calibrate(e, p, d, reading).std, lambda: arb(1)) for reading in readings)


def analyze_gauss_replaced(epsilon: Fraction, delta: Fraction, d: int) -> bool:
    """Return whether the corrected noise is enough for a replaced row."""
    e, p = float(epsilon), float(delta)
    return gaussian_holds(e, p, analyze_gauss.calibrate(e, p, d).std, lambda: _change(d))


def mod_sulq_printed(epsilon: Fraction, delta: Fraction, d: int) -> bool:
    """Return whether the published beta is defined and enough when a row is replaced; n cancels."""
    e, p = float(epsilon), float(delta)
    return gaussian_holds(e, p, mod_sulq.printed_beta(e, p, 1, d), lambda: _change(d))


def power_method(epsilon: Fraction, delta: Fraction, d: int, k: int, L: int) -> bool:
    """Return whether L steps of the published noise together are private where one entry of A (d, d) changes by 1.

    The noise is scaled with the largest entry of the basis (d, k); a row of A X moves by a row of X, so by sqrt(k) of these.
    """
    e, p = float(epsilon), float(delta)
    multiplier = noisy_power_method.calibrate(e, p, d, k, L, noisy_power_method.AS_PRINTED).multiplier
    return gaussian_holds(e, p, multiplier, (arb(k) * L).sqrt)


def power_method_rows(epsilon: Fraction, delta: Fraction, d: int, k: int, L: int) -> bool:
    """Return whether L steps of the corrected noise together are private when a row is replaced."""
    e, p = float(epsilon), float(delta)
    multiplier = noisy_power_method.calibrate(e, p, d, k, L).multiplier
    return gaussian_holds(e, p, multiplier, (arb(min(k, 2, d)) * L).sqrt)


def projector_distance(d: int, k: int) -> bool:
    """Return whether the code's squared distance is that of the two coordinate subspaces of rank k that overlap least."""
    overlap = max(0, 2 * k - d)
    return abs(output_perturbation.projector_distance(d, k) ** 2 / (2 * k - 2 * overlap) - 1) < 1e-12


def output_perturbation_noise(epsilon: Fraction, delta: Fraction, d: int, k: int) -> bool:
    """Return whether the code's noise is enough at the largest distance of two projectors."""
    e, p = float(epsilon), float(delta)
    std = output_perturbation.calibrate(e, p, d, k).std
    return gaussian_holds(e, p, std, lambda: arb(2 * min(k, d - k)).sqrt())


#: Up to which epsilon over log(1/delta) the published noise of the power method is private, to 1e-4, by log10(1/delta) and 1/2.
THRESHOLDS = {
    Fraction(1, 2): "9.2267",
    Fraction(1, 10**3): "3.5462",
    Fraction(1, 10**5): "3.1345",
    Fraction(1, 10**9): "2.8262",
}
#: The same in epsilon, where an entry and the one across the diagonal change, to 1e-2.
SYMMETRIC = {Fraction(1, 2): "3.53", Fraction(1, 10): "5.12", Fraction(1, 10**3): "6.97", Fraction(1, 10**5): "7.96"} | {
    Fraction(1, 10**9): "9.19"
}


def power_method_threshold(delta: Fraction) -> bool:
    """Return whether the published noise is private 1e-4 below the threshold of the claim, and is not 1e-4 above it."""
    ends = [(Fraction(THRESHOLDS[delta]) + step) for step in (Fraction(-1, 10**4), Fraction(1, 10**4))]

    def holds(share: Fraction) -> bool:
        return decide(
            lambda: gaussian_profile(-ball(share) * ball(delta).log(), ball(share) * (-ball(delta).log()).sqrt() / 2),
            lambda: ball(delta),
        )

    return holds(ends[0]) and not holds(ends[1])


def power_method_symmetric_threshold(delta: Fraction) -> bool:
    """Return the same for a symmetric change: private at the figure of the claim, not 1e-2 above it."""

    def holds(epsilon: Fraction) -> bool:
        return decide(
            lambda: gaussian_profile(ball(epsilon), ball(epsilon) / (-2 * ball(delta).log()).sqrt()), lambda: ball(delta)
        )

    return holds(Fraction(SYMMETRIC[delta])) and not holds(Fraction(SYMMETRIC[delta]) + Fraction(1, 100))


def wishart_profile(epsilon: Fraction, d: int, n: int, c: Fraction) -> bool:
    """Return whether the law of one pivot, c times chi-squared, moved by 1/n has the delta of the claim, both ways.

    The pivot along the changed row has (d + 1) - (d - 1) degrees of freedom. Where it grows, what it leaves behind has no mass
    on the other side, at every epsilon; where it shrinks, the ratio of the densities is e^(1/(2 c n)) everywhere.
    """
    degrees = (d + 1) - (d - 1)
    with ctx.workprec(256):
        loss = 1 / (2 * ball(c) * n)
        left = loss.gamma_lower(arb(degrees) / 2, 1)
        claimed = -(-loss).expm1()
        shrinks = -(ball(epsilon) - loss).expm1()
        return bool(abs(left - claimed) < arb("1e-30")) and not shrinks > claimed


def frames_sensitivity(epsilon: Fraction, d: int, k: int) -> bool:
    """Return whether e_2 for e_1 (0 for e_1 if d = 1) changes log densities by epsilon at most, over frames of k columns.

    The trace moves by the k largest eigenvalues of the change at most, either way; half of epsilon times that, with the
    normaliser twice. Where a frame is a basis, or d = 1, it moves by the same for every frame.
    """
    if not 1 <= k <= d:
        return False
    eigenvalues = [1, *([0] * (d - 2)), -1] if d > 1 else [0]
    return 2 * (epsilon / 2) * sum(eigenvalues[:k]) <= epsilon


def deflation(epsilon: Fraction, d: int, k: int) -> bool:
    """Return whether k draws at epsilon / k add to epsilon, each from a complement of dimension 1 at least."""
    return all(d - drawn >= 1 for drawn in range(k)) and sum([epsilon / k] * k, Fraction(0)) == epsilon


def clipped_row(C: Fraction, d: int, k: int) -> bool:
    """Return whether a row along the first of k axes of R^d changes the clipped sum by C at most, and a long one by C."""
    if not 1 <= k <= d:
        return False
    changes = [min(length * length, C) for length in (Fraction(1, 1000), Fraction(1), Fraction(10**9))]
    return max(changes) == C and min(changes) <= C
