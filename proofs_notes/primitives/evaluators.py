"""Decides the claims about primitives at one point of their domains; the generator of corners calls these."""

from __future__ import annotations

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
