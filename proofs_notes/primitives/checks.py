"""Checks of the claims about shared primitives. The arguments behind them are in proofs_notes/primitives/note.md."""

from __future__ import annotations

from fractions import Fraction

from flint import acb, arb, ctx

from dppca.proofs_notes.ledger.evidence import Evidence, verdict
from dppca.proofs_notes.primitives import evaluators
from dppca.reference.primitives import gaussian
from dppca.reference.primitives.gaussian import CLASSICAL_EPSILON_MAX, analytic_std
from dppca.reference.rigour.gaussian import (
    ball,
    composed_mu,
    gaussian_holds,
    gaussian_profile,
    normal_cdf,
    threshold,
)

_BITS = 128
_DELTAS = tuple(Fraction(1, 10**k) for k in (1, 2, 3, 4, 5, 6, 8, 10, 12))


def _normal_density(x: acb) -> acb:
    return (-x * x / 2).exp() / (2 * acb.pi()).sqrt()


def _hockey_stick_by_quadrature(epsilon: arb, mu: arb) -> arb:
    """integral of (p - e^epsilon q)_+ for p = N(mu, 1), q = N(0, 1), enclosed: quadrature and a tail bound.

    The integrand is positive exactly right of t = epsilon/mu + mu/2; beyond t + 40 the mass of p is added as error.
    """
    t = epsilon / mu + mu / 2
    end = t + 40
    body = acb.integral(
        lambda x, _: _normal_density(x - acb(mu)) - acb(epsilon).exp() * _normal_density(x), acb(t), acb(end)
    ).real
    tail = normal_cdf(mu - end)
    return body + tail * arb(0.5, 0.5)


def gaussian_profile_formula() -> Evidence:
    """The closed form of the privacy profile against rigorous quadrature of its definition."""
    cases = [(e, m) for e in ("0", "0.1", "1", "3") for m in ("0.05", "0.5", "1", "4")]
    widest = arb(0)
    agree = True
    with ctx.workprec(_BITS):
        for e, m in cases:
            difference = gaussian_profile(arb(e), arb(m)) - _hockey_stick_by_quadrature(arb(e), arb(m))
            agree = agree and difference.contains(0)
            widest = max(widest, abs(difference), key=lambda x: float(x.abs_upper()))
            code = ball(gaussian.log_profile(float(e), float(m))) - gaussian_profile(ball(float(e)), ball(float(m))).log()
            agree = agree and bool(abs(code) < arb("1e-9"))
    return Evidence(
        verdict(printed=bool(agree and widest < arb("1e-20"))),
        f"closed form and quadrature agree on {len(cases)} (epsilon, mu) to within {float(widest.abs_upper()):.1e}, and the "
        "code with both to a relative 1e-9.",
    )


def gaussian_composition() -> Evidence:
    """Two releases: E over the first of the second's profile at the epsilon that is left, against one mu."""
    cases = [("0.5", "0.3", "0.4"), ("1", "1", "0.5"), ("2", "0.7", "0.7")]
    widest = arb(0)
    agree = True
    with ctx.workprec(_BITS):
        for e, a, b in cases:
            epsilon, first, second = arb(e), arb(a), arb(b)

            def integrand(z: acb, _: bool, epsilon: arb = epsilon, first: arb = first, second: arb = second) -> acb:
                # given the first release at z + first under p, its loss is first z + first^2 / 2
                left = acb(epsilon) - acb(first) * z - acb(first * first) / 2
                root = acb(2).sqrt()
                upper = ((left / acb(second) - acb(second) / 2) / root).erfc() / 2
                lower = ((left / acb(second) + acb(second) / 2) / root).erfc() / 2
                return _normal_density(z) * (upper - left.exp() * lower)

            # under p the integrand is at most the density, so both tails together have mass 2 Phi(-16)
            joint = acb.integral(integrand, acb(-16), acb(16)).real + normal_cdf(arb(-16)) * arb(1, 1)
            difference = joint - gaussian_profile(epsilon, composed_mu([first, second]))
            agree = agree and difference.contains(0)
            widest = max(widest, abs(difference), key=lambda x: float(x.abs_upper()))
            code = ball(gaussian.composed_mu([float(a), float(b)])) / (ball(float(a)) ** 2 + ball(float(b)) ** 2).sqrt()
            agree = agree and bool(abs(code - 1) < arb("1e-15"))
    return Evidence(
        verdict(printed=bool(agree and widest < arb("1e-20"))),
        f"the profile of two releases equals that of sqrt(mu_1^2 + mu_2^2) "
        f"on {len(cases)} cases to {float(widest.abs_upper()):.1e}.",
    )


def classical_gaussian() -> Evidence:
    """The steps of the proof that the classical formula is a theorem for epsilon <= 1, each with its constant.

    With c = sqrt(2 ln(1.25/delta)) and a = -c + 1/(2c), Phi(a) bounds the profile at epsilon = 1.
    For a <= -a0 := -0.527, Phi(a) <= phi(a)/|a| <= delta * e^(1/2) / (1.25 sqrt(2 pi) a0); this step needs the
    factor to be at most 1. For a > -a0, delta exceeds the value d0 at which a = -a0, and Phi(a) < Phi(sup a) <= d0.
    """
    epsilon_max = CLASSICAL_EPSILON_MAX
    with ctx.workprec(_BITS):
        a0 = arb("0.527")
        factor = (arb(1) / 2).exp() / (arb("1.25") * (2 * arb.pi()).sqrt() * a0)
        c0 = (a0 + (a0 * a0 + 2).sqrt()) / 2  # the root of c - 1/(2c) = a0
        d0 = arb("1.25") * (-c0 * c0 / 2).exp()
        c_end = (2 * arb("1.25").log()).sqrt()  # delta -> 1
        a_end = -c_end + 1 / (2 * c_end)
        proved = factor <= 1 and normal_cdf(a_end) <= d0 and epsilon_max == 1.0
    spot = all(evaluators.classical_gaussian(Fraction(1), delta) for delta in (*_DELTAS, Fraction(999, 1000)))
    code = all(
        ball(2.0) * (2 * (arb(5) / 4 / ball(delta)).log()).sqrt() / ball(epsilon)
        <= ball(gaussian.classical_std(epsilon, delta, 2.0)) * (1 + arb("1e-18"))
        and gaussian_holds(epsilon, delta, gaussian.classical_std(epsilon, delta, 2.0), lambda: arb(2))
        for epsilon in (0.1, 1.0)
        for delta in (0.5, 1e-3, 1e-9)
    )
    return Evidence(
        verdict(printed=bool(proved) and spot and code),
        f"tail factor {float(factor):.4f} <= 1; "
        f"for delta >= {float(d0):.4f} the profile is at most {float(normal_cdf(a_end)):.4f}.",
    )


def classical_gaussian_range() -> Evidence:
    """Up to which epsilon the classical formula is right, for several delta; beyond, it is false."""
    width = Fraction(1, 10**6)
    ends = {d: threshold(lambda e, d=d: evaluators.classical_gaussian(e, d), Fraction(1), Fraction(64), width) for d in _DELTAS}
    printed = all(evaluators.classical_gaussian(Fraction(64), d) for d in _DELTAS)
    repaired = all(
        gaussian_holds(e, float(d), analytic_std(e, float(d), 1.0), lambda: arb(1)) for e in (4.0, 10.0, 64.0) for d in _DELTAS
    )
    shown = ", ".join(f"{float(d):.0e}: {float(low):.4f}" for d, (low, _) in ends.items())
    return Evidence(verdict(printed=printed, corrected=repaired), f"largest epsilon by delta: {shown}.")
