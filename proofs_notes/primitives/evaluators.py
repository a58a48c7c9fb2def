"""Decides the claims about primitives at one point of their domains; the generator of corners calls these."""

from __future__ import annotations

import math
from fractions import Fraction

from flint import arb, ctx

from dppca.reference.primitives import row_changes as suprema
from dppca.reference.primitives.gaussian import analytic_std
from dppca.reference.primitives.sparse_histogram import stability_delta
from dppca.reference.primitives.truncated_laplace import support_bound
from dppca.reference.relation import Relation
from dppca.reference.rigour.gaussian import ball, classical_std, decide, gaussian_holds, gaussian_profile

#: Bits at which closed forms are enclosed.
BITS = 256


def classical_gaussian(epsilon: Fraction, delta: Fraction) -> bool:
    """Return whether the classical noise is enough, by its exact profile."""
    return decide(
        lambda: gaussian_profile(ball(epsilon), 1 / classical_std(ball(epsilon), ball(delta), arb(1))), lambda: ball(delta)
    )


def analytic_gaussian(epsilon: Fraction, delta: Fraction) -> bool:
    """Return whether the code's analytic noise is enough, by its exact profile."""
    std = analytic_std(float(epsilon), float(delta), 1.0)
    return gaussian_holds(float(epsilon), float(delta), std, lambda: arb(1))


def analytic_gaussian_tight(epsilon: Fraction, delta: Fraction) -> bool:
    """Return whether the code's analytic noise is enough, and a relative 1e-9 less is not."""
    less = analytic_std(float(epsilon), float(delta), 1.0) * (1 - 1e-9)
    return analytic_gaussian(epsilon, delta) and not gaussian_holds(float(epsilon), float(delta), less, lambda: arb(1))


def truncated_laplace(epsilon: Fraction, delta: Fraction, Delta: Fraction) -> bool:
    """Return whether the mass outside of the other support is delta at most at the code's bound, which is Delta at least."""
    e, d, change = float(epsilon), float(delta), float(Delta)
    with ctx.workprec(BITS):
        A = ball(support_bound(e, d, change))
        outside = ball(e).expm1() / (2 * (ball(e) * A / ball(change)).expm1())
        return bool(outside <= ball(d) * (1 + arb("1e-14"))) and bool(ball(change) <= A)


def sparse_histogram(epsilon: Fraction, T: Fraction) -> bool:
    """Return whether the code's delta at a threshold is exp(-epsilon (T - 1) / 2) / 2, to rounding."""
    with ctx.workprec(BITS):
        exact = (-ball(float(epsilon)) * (ball(float(T)) - 1) / 2).exp() / 2
        return bool(abs(ball(stability_delta(float(epsilon), float(T))) - exact) <= exact * arb("1e-9") + arb("1e-300"))


def row_changes(d: int, k: int) -> bool:
    """Return whether the code's suprema are those of the pairs of 0 and unit vectors along axes, V the first k axes."""
    axes = range(min(d, 3))
    vectors = (None, *axes)  # 0, e_1, e_2, e_3
    entries = [{axis: (axis == x) - (axis == y) for axis in axes} for x in vectors for y in vectors]
    frobenius = max(sum(v * v for v in D.values()) for D in entries)
    basis = max(sum(v * v for axis, v in D.items() if axis < k) for D in entries)
    nuclear = max(sum(map(abs, D.values())) for D in entries)
    found = (suprema.frobenius(d) ** 2, suprema.nuclear(d), suprema.on_basis(d, k) ** 2)
    added = suprema.frobenius(d, Relation.ADD_REMOVE) == 1.0
    return added and all(abs(a - b) < 1e-12 for a, b in zip(found, (frobenius, nuclear, basis), strict=True))


def composed_delta(epsilon: arb, component: tuple[arb, arb], k: int) -> arb:
    """Return the delta at epsilon that every composition of k mechanisms with this guarantee has, and one of them reaches.

    The worst are k randomised responses, each of which fails outright with probability component[1] (Kairouz, Oh and
    Viswanath, 2015): 1 - (1 - delta_0)^k (1 - H), H the divergence of Bin(k, q) from Bin(k, 1 - q), q/(1 - q) = e^epsilon_0.
    """
    q, divergence = 1 / (1 + (-component[0]).exp()), arb(0)
    for heads in range(k, -1, -1):
        excess = q**heads * (1 - q) ** (k - heads) - epsilon.exp() * q ** (k - heads) * (1 - q) ** heads
        if not excess > 0:
            break
        divergence += excess * math.comb(k, heads)
    return 1 - (1 - component[1]) ** k * (1 - divergence)


def composes(epsilon: Fraction, delta: Fraction) -> bool:
    """Return whether two (epsilon, delta)-DP mechanisms are (2 epsilon, 2 delta)-DP together, by the worst case."""
    with ctx.workprec(4096):
        return bool(composed_delta(2 * ball(epsilon), (ball(epsilon), ball(delta)), 2) <= 2 * ball(delta) + arb("1e-300"))


def selected_run(epsilon: Fraction, delta: Fraction, eta: Fraction) -> bool:
    """Return whether the best of K runs of a randomised response that may fail is within the claim; gamma = 1/2, 1/100.

    With g(x) = E x^K the best of runs is the worse outcome with probability g(P(worse)), without a failure with g(1 - delta).
    """
    with ctx.workprec(2048):
        e, d, shape = ball(epsilon), ball(delta), ball(eta)
        q = 1 / (1 + e.exp())
        for gamma in (arb(1) / 2, arb(1) / 100):
            log, spread = -gamma.log(), (-shape * gamma.log()).expm1()
            mean = (1 - gamma) / gamma * (1 / log if eta == 0 else shape * (log * shape).exp() / spread)

            def g(x: arb, log: arb = log, spread: arb = spread, rest: arb = 1 - gamma) -> arb:
                left = -(1 - rest * x).log()
                return left / log if eta == 0 else (shape * left).expm1() / spread

            worse, better = g((1 - d) * q), g((1 - d) * (1 - q))
            excess = better - ((2 + shape) * e).exp() * worse
            if not (excess if excess > 0 else arb(0)) + 1 - g(1 - d) <= mean * d + arb("1e-300"):
                return False
    return eta > -1
