"""Checks of the claims about truncated Laplace noise, the sparse histogram, private selection and row changes.

The arguments behind them are in proofs_notes/singhal2021/note.md, section Primitives; those about row changes in
proofs_notes/primitives/row_changes.v.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import pairwise, product

import numpy as np
from flint import arb

from dppca.proofs_notes.ledger.evidence import Evidence, verdict
from dppca.proofs_notes.ledger.rational import squares, vec
from dppca.proofs_notes.ledger.scripted import ScriptedNoise
from dppca.reference.primitives import row_changes
from dppca.reference.primitives.private_selection import UNIFORM_STEPS, Repetitions
from dppca.reference.primitives.sparse_histogram import SparseHistogramLaw, stability_delta, stability_threshold
from dppca.reference.primitives.truncated_laplace import (
    DiscreteTruncatedLaplace,
    TruncatedLaplaceLaw,
    profile,
    support_bound,
)
from dppca.reference.relation import Relation
from dppca.reference.rigour.divergence import hockey_stick
from dppca.reference.rigour.gaussian import ball

_RATIOS = (Fraction(11, 10), Fraction(3, 2), Fraction(3))


def _lowest_mass(noise: DiscreteTruncatedLaplace, shift: int) -> Fraction:
    """Return the mass that the noise has below the support of its shift."""
    return sum((mass for x, mass in noise.mass.items() if x < shift - noise.bound), Fraction(0))


def _around_one() -> tuple[arb, arb]:
    return 1 - arb("1e-9"), 1 + arb("1e-9")


def _draws_have_the_law() -> bool:
    """The noise of a uniform draw u lies in the support and has u as its distribution function; one draw for each entry."""
    good = True
    uniform = np.array([0.0, 2.0**-53, *((i + 0.5) / 40 for i in range(40)), 1.0 - 2.0**-53])
    for scale_, bound in ((2.0, 12.5), (0.5, 0.75), (1.0, 20.0)):
        s, A = ball(scale_), ball(bound)
        law = TruncatedLaplaceLaw(scale_, bound)
        noise = law.noise(uniform)
        for u, x in zip(uniform.tolist(), noise.tolist(), strict=True):
            tail = ((-abs(ball(x)) / s).exp() - (-A / s).exp()) / (2 * (1 - (-A / s).exp()))
            good = good and abs(x) <= bound and bool(abs((tail if x <= 0 else 1 - tail) - ball(u)) < arb("1e-12"))
            density = (-abs(ball(x)) / s).exp() / (2 * s * (1 - (-A / s).exp()))
            # inside the support; at its ends the density of the law is a matter of convention
            stated = law.log_likelihood(np.array(0.0), x) if abs(x) < bound else float(density.log())
            good = good and bool(abs(ball(stated) - density.log()) < arb("1e-12"))
        shown = law.apply(np.array([3.0, -1.0]), uniform[[5, 30]])
        good = good and np.array_equal(shown, np.array([3.0 + noise[5], -1.0 + noise[30]]))
        good = good and law.log_likelihood(np.array(0.0), 1.01 * bound) == -math.inf
    return good


def _profile_is_the_largest_excess() -> bool:
    """Return whether the code's profile is the largest F(x) - e^epsilon F(x - shift) over half-lines on a grid."""
    good = True
    for scale_, bound, shift in ((2.0, 12.5, 2.0), (0.5, 0.75, 0.5), (1.0, 6.0, 1.5)):
        s, A = ball(scale_), ball(bound)

        def F(x: Fraction, s: arb = s, A: arb = A) -> arb:
            size = ball(abs(x)) if abs(ball(x)) < A else A
            tail = ((-size / s).exp() - (-A / s).exp()) / (2 * (1 - (-A / s).exp()))
            return tail if x <= 0 else 1 - tail

        for epsilon in (0.125, 0.5, 1.0, 4.0):
            edges = [Fraction(shift) - Fraction(bound), (Fraction(shift) - Fraction(epsilon) * Fraction(scale_)) / 2]
            edges += [Fraction(bound) * Fraction(i, 40) for i in range(-40, 41)]
            excess = [F(x) - ball(epsilon).exp() * F(x - Fraction(shift)) for x in edges]
            found = ball(profile(epsilon, shift, scale_, bound))
            good = good and all(bool(found > value - arb("1e-12")) for value in excess)
            good = good and any(bool(found < value + arb("1e-12")) for value in excess)
    return good


def truncated_laplace() -> Evidence:
    """The steps of the proof, each with its numbers; integer noise in full; the implemented bound, enclosed."""
    # (E - 1) / (2 (1/a - 1)) with 1/a = e^(epsilon A / Delta) = 1 + (E - 1) / (2 delta) is delta
    identity = all(
        (E - 1) / (2 * (1 + (E - 1) / (2 * delta) - 1)) == delta
        for E, delta in product((*_RATIOS, Fraction(10**6)), (Fraction(1, 2), Fraction(1, 10**6)))
    )
    # A >= Delta is 1 + (E - 1) / (2 delta) >= E, true for delta <= 1/2
    long_enough = all(1 + (E - 1) / (2 * d) >= E for E in _RATIOS for d in (Fraction(1, 2), Fraction(1, 9)))
    # superadditive: (x - 1) + (y - 1) <= x y - 1 for x, y >= 1
    superadditive = all((x - 1) + (y - 1) <= x * y - 1 for x, y in product(_RATIOS, repeat=2))
    laws = 0
    discrete = True
    for ratio, bound in product(_RATIOS, (2, 3, 5)):
        noise = DiscreteTruncatedLaplace(ratio, bound)
        for shift in range(1, bound + 1):
            tail = _lowest_mass(noise, shift)
            discrete = discrete and noise.profile(ratio**shift, shift) == tail
            for first in range(1, shift):  # two entries that move by `first` and `shift - first`
                p = {(x, y): a * b for x, a in noise.mass.items() for y, b in noise.mass.items()}
                q = {(x + first, y - (shift - first)): mass for (x, y), mass in p.items()}
                discrete = discrete and hockey_stick(p, q, ratio**shift) <= tail
                laws += 1
    enclosed, smallest = True, True
    for epsilon, delta in product((0.01, 0.5, 1.0, 3.0, 30.0), (0.5, 0.1, 1e-3, 1e-9)):
        A = support_bound(epsilon, delta, 2.0)
        outside = [ball(epsilon).expm1() / (2 * (ball(epsilon) * ball(A) * x / 2).expm1()) for x in _around_one()]
        smallest = smallest and bool(outside[0] > ball(delta))
        enclosed = enclosed and bool(outside[1] < ball(delta))
    return Evidence(
        verdict(
            printed=identity
            and long_enough
            and superadditive
            and discrete
            and enclosed
            and smallest
            and _draws_have_the_law()
            and _profile_is_the_largest_excess()
        ),
        f"integer noise: delta equals the mass outside the common support for one entry and is at most that for {laws} "
        "two-entry shifts; the implemented bound is enough and within a relative 1e-9 of necessary at 20 (epsilon, delta); "
        "43 draws of the code lie in the support, where its distribution function says.",
    )


def _cell_law(count: int, ratio: Fraction, threshold: int, top: int) -> dict[int | None, Fraction]:
    """Count + two-sided geometric noise, shown above the threshold, in exact masses.

    Outcomes: None (suppressed), z from threshold + 1 to top - 1, and `top` for everything from `top` on; above
    every count the likelihood ratio of two laws is constant, so that bucket loses nothing.
    """
    if count == 0:
        return {None: Fraction(1)}
    weight = (ratio - 1) / (ratio + 1)
    law: dict[int | None, Fraction] = {z: weight / ratio ** abs(z - count) for z in range(threshold + 1, top)}
    law[top] = ratio ** (count - top) * ratio / (ratio + 1)  # P(count + noise >= top), for top >= count
    law[None] = 1 - sum(law.values(), Fraction(0))
    return law


def histogram_divergences(ratio: Fraction, threshold: int) -> list[Fraction]:
    """delta at e^epsilon = ratio^2 for every move of one item from a cell of count a to one of count b."""
    top = threshold + 12
    found = []
    for a, b in product((1, 2, 3, 5), (0, 1, 2, 4)):
        before, after = (
            {(x, y): p * q for x, p in first.items() for y, q in second.items()}
            for first, second in (
                (_cell_law(a, ratio, threshold, top), _cell_law(b, ratio, threshold, top)),
                (_cell_law(a - 1, ratio, threshold, top), _cell_law(b + 1, ratio, threshold, top)),
            )
        )
        found += [hockey_stick(before, after, ratio**2), hockey_stick(after, before, ratio**2)]
    return found


def _shown_as_said() -> bool:
    """Return whether every occupied cell has a noise of its own and is shown exactly above the threshold, on chosen noises."""
    scale_, edge = 0.5, 4.0
    law = SparseHistogramLaw(scale_, edge)
    items = np.array([[0.0, 1.0], [2.0, -1.0], [0.0, 1.0], [5.0, 5.0], [0.0, 1.0], [2.0, -1.0]])
    members = {(0.0, 1.0): (0, 2, 4), (2.0, -1.0): (1, 5), (5.0, 5.0): (3,)}
    noise = np.array([8.0, 16.0, 9.0, 32.0, 10.0, 17.0])
    good = True
    shown = {tuple(row[1:]): row[0] for row in law.apply(items, noise).tolist()}
    for cell, own in members.items():
        good = good and shown.get(cell) in {len(own) + scale_ * noise[i] for i in own}
    for step, is_shown in ((0.0, False), (-0.125, False), (0.125, True)):  # the lone item at, below and above the threshold
        noise[3] = (edge + step - 1.0) / scale_
        good = good and ((5.0, 5.0) in {tuple(row[1:]) for row in law.apply(items, noise).tolist()}) == is_shown
    return good


def sparse_histogram() -> Evidence:
    """delta is P(1 + noise > threshold), for the two cells that change together; not twice that."""
    exact = True
    shown = []
    for ratio, threshold in product(_RATIOS, (1, 2, 4, 7)):
        p = 1 - _cell_law(1, ratio, threshold, threshold + 12)[None]
        largest = max(histogram_divergences(ratio, threshold))
        exact = exact and largest == p
        shown.append(largest)
    calibrated = True
    for epsilon, delta in product((0.05, 1.0, 6.0), (0.3, 1e-3, 1e-9)):
        T = stability_threshold(epsilon, delta)
        released = (-ball(epsilon) * (ball(T) - 1) / 2).exp() / 2
        calibrated = calibrated and bool(released <= ball(delta) * (1 + arb("1e-9")))
        calibrated = calibrated and math.isclose(stability_delta(epsilon, T), float(released), rel_tol=1e-9)
    return Evidence(
        verdict(printed=exact and calibrated and _shown_as_said()),
        f"largest delta over 32 moves equals P(1 + noise > threshold) at each of {len(shown)} (e^(epsilon/2), threshold) with "
        "integer noise; the threshold for Laplace noise is enclosed at 9 (epsilon, delta); on chosen noises the code shows "
        "each cell by its own, above the threshold.",
    )


def _selected(law: Mapping[int, Fraction], weights: list[Fraction]) -> dict[int, Fraction]:
    """Return the law of the largest of K independent outcomes, K truncated at len(weights), P(K = j) = weights[j - 1]."""

    def generating(x: Fraction) -> Fraction:
        return sum((w * x**j for j, w in enumerate(weights, start=1)), Fraction(0))

    below = [Fraction(0)]
    for y in sorted(law):
        below.append(below[-1] + law[y])
    return {y: generating(high) - generating(low) for y, (low, high) in zip(sorted(law), pairwise(below), strict=True)}


def _geometric(law: Mapping[int, Fraction], gamma: Fraction) -> dict[int, Fraction]:
    """Return the law of the largest of K outcomes, K geometric (eta = 1): E[x^K] = gamma x / (1 - (1 - gamma) x)."""
    below = [Fraction(0)]
    for y in sorted(law):
        below.append(below[-1] + law[y])
    values = [gamma * F / (1 - (1 - gamma) * F) for F in below]
    return {y: high - low for y, (low, high) in zip(sorted(law), pairwise(values), strict=True)}


def _close_pairs(ratio: Fraction) -> list[tuple[dict[int, Fraction], dict[int, Fraction]]]:
    """Pairs of laws on three ordered outcomes whose masses differ by factors ratio or 1/ratio exactly."""
    pairs = []
    for sides in product((ratio, 1 / ratio), repeat=2):
        for i, j in product(range(1, 12), repeat=2):
            q = [Fraction(i, 40), Fraction(j, 40)]
            p = [mass * side for mass, side in zip(q, sides, strict=True)]
            last = (1 - sum(p, Fraction(0)), 1 - sum(q, Fraction(0)))
            if min(last) > 0 and 1 / ratio <= last[0] / last[1] <= ratio:
                pairs.append((dict(enumerate([*p, last[0]])), dict(enumerate([*q, last[1]]))))
    return pairs


def _draws_of_runs() -> bool:
    """K of the code at uniform draws beside every step of the distribution function 1 - (1 - gamma)^j, eta = 1."""
    good = True
    for gamma in (Fraction(1, 4), Fraction(1, 2)):
        for j in range(1, 12):
            step = (1 - (1 - gamma) ** j) * UNIFORM_STEPS
            for side, K in ((-1000, j), (1000, j + 1)):
                run = ScriptedNoise({"K": math.floor(step) + side})
                good = good and Repetitions(1.0, float(gamma)).draw("K", run) == K
    return good


def private_selection() -> Evidence:
    """The power series of the proof, all (epsilon, delta) steps on a grid of laws, and the moments of K."""
    # j P(K = j) is the coefficient of x^(j-1) in a multiple of (1 - (1 - gamma) x)^-(1 + eta)
    series = True
    for eta, gamma in product((Fraction(-1, 2), Fraction(0), Fraction(1), Fraction(5, 2)), (Fraction(1, 5), Fraction(2, 3))):
        for j in range(1, 25):
            weight = (1 - gamma) ** j * math.prod((i + eta for i in range(1, j)), start=Fraction(1)) / math.factorial(j)
            rising = math.prod((1 + eta + i for i in range(j - 1)), start=Fraction(1)) / math.factorial(j - 1)
            series = series and j * weight == (1 - gamma) ** j * rising
    ratio, gamma, delta = Fraction(3, 2), Fraction(1, 4), Fraction(1, 50)
    pairs = _close_pairs(ratio)
    pure, approximate, largest = True, True, Fraction(0)
    for p, q in pairs:
        a, b = _geometric(p, gamma), _geometric(q, gamma)
        largest = max(largest, *(max(a[y] / b[y], b[y] / a[y]) for y in a))
        pure = pure and largest <= ratio**3
        for own, other in ((3, -1), (-1, 3)):  # with probability delta an outcome that only one of the laws has
            spoilt = [{y: (1 - delta) * mass for y, mass in law.items()} for law in (p, q)]
            spoilt[0][own] = spoilt[0].get(own, Fraction(0)) + delta
            spoilt[1][other] = spoilt[1].get(other, Fraction(0)) + delta
            outcomes = sorted(spoilt[0].keys() | spoilt[1].keys())
            a, b = (_geometric({y: law.get(y, Fraction(0)) for y in outcomes}, gamma) for law in spoilt)
            found = max(hockey_stick(a, b, ratio**3), hockey_stick(b, a, ratio**3))
            approximate = approximate and found <= delta / gamma
    moments = True
    for shape, g in product((-0.5, 0.0, 0.5, 1.0), (0.1, 0.5)):
        K = Repetitions(shape, g)
        mass, total, mean = K.first_mass, 0.0, 0.0
        for j in range(1, 2000):
            total, mean = total + mass, mean + j * mass
            mass *= (1.0 - g) * (j + shape) / (j + 1)
        moments = moments and math.isclose(total, 1.0, rel_tol=1e-12) and math.isclose(mean, K.mean, rel_tol=1e-12)
        moments = moments and K.guarantee(0.1, 1e-6) == ((2.0 + shape) * 0.1, K.mean * 1e-6)
    return Evidence(
        verdict(printed=series and pure and approximate and moments and _draws_of_runs()),
        f"eta = 1, e^epsilon = 3/2: over {len(pairs)} pairs of laws the largest ratio is {float(largest):.4f} <= "
        f"{float(ratio**3):.4f}, with delta mixed in both ways the excess is at most E[K] delta; K's generating function is "
        "that of the proof, and the code draws K by its distribution function.",
    )


def fixed_number_of_runs_ratio(ratio: Fraction, runs: int) -> Fraction:
    """Return the likelihood ratio of the worse outcome when the better of two is kept over a fixed number of runs."""
    q = 1 / (1 + ratio)  # P(worse) = q on one dataset and ratio q on the other
    a, b = ({0: share, 1: 1 - share} for share in (ratio * q, q))
    weights = [Fraction(0)] * (runs - 1) + [Fraction(1)]
    return _selected(a, weights)[0] / _selected(b, weights)[0]


# --- how far a row moves X^T X ---------------------------------------------------------------------------


def _squared_suprema(d: int, relation: Relation) -> Iterator[tuple[int, int, int, list[int]]]:
    """(squared Frobenius, nuclear, spectral norm, squared norms on 1 to d axes) of D for rows among 0 and the axes of R^d.

    The rows x, y of a change span at most two dimensions, so three axes hold every pair up to a rotation.
    """
    rows = [None, *range(min(d, 3))]
    for x, y in product(rows, rows):
        if relation is Relation.ADD_REMOVE and None not in (x, y):
            continue
        diagonal = [int(i == x) - int(i == y) for i in range(d)]
        ordered = sorted((entry * entry for entry in diagonal), reverse=True)
        on_axes = [sum(ordered[:k]) for k in range(1, d + 1)]
        yield sum(ordered), sum(map(abs, diagonal)), max(map(abs, diagonal)), on_axes


def _root_of(value: float, square: int) -> bool:
    """Return whether a float is the root of an integer, rounded up by one unit at most."""
    return square <= Fraction(value) ** 2 <= square * (1 + Fraction(1, 2**50))


def row_changes_suprema() -> Evidence:
    """The declared suprema for d up to 64 and every k, against those over axes; the eigenvalue identities behind the bounds.

    D = x x^T - y y^T has D^3 - (a - b) D^2 - a b D = 0, a - b = |x|^2 - |y|^2, a b = |x|^2 |y|^2 - (x.y)^2 >= 0: at most two
    eigenvalues a, -b, in any dimension, so d enters as min(d, 2) only.
    """
    source, good = random.Random(1), True
    for d in (1, 2, 3, 6):
        for _ in range(10):
            x, y = (vec(*(Fraction(source.randint(-9, 9), 30) for _ in range(d))) for _ in range(2))
            D = np.outer(x, x) - np.outer(y, y)
            trace, product_ = x @ x - y @ y, x @ x * (y @ y) - (x @ y) ** 2
            D2 = D @ D
            zero = D2 @ D - trace * D2 - product_ * D
            good = good and squares(zero) == 0 and product_ >= 0 and (d > 1 or product_ == 0)
            good = good and squares(D) == trace**2 + 2 * product_  # a^2 + b^2
    declared, largest_d = True, 64
    for relation, d in product((Relation.REPLACE_ONE, Relation.ADD_REMOVE), range(1, largest_d + 1)):
        found = list(_squared_suprema(d, relation))
        declared = declared and _root_of(row_changes.frobenius(d, relation), max(f[0] for f in found))
        declared = declared and row_changes.nuclear(d, relation) == max(f[1] for f in found)
        declared = declared and row_changes.spectral() == max(f[2] for f in found)
        for k in range(1, d + 1):
            declared = declared and _root_of(row_changes.on_basis(d, k, relation), max(f[3][k - 1] for f in found))
    return Evidence(
        verdict(printed=good and declared),
        f"the declared suprema are those over rows among 0 and three axes for d = 1 to {largest_d}, every k, and both "
        "relations, rounded up; the eigenvalue identities hold at 40 rational pairs.",
    )
