"""The argument by scaled rows: published bounds that X -> c X leaves alone, where the output is nearly blind."""

from __future__ import annotations

import itertools
import math
import random
from fractions import Fraction

import numpy as np
from flint import arb

from dppca.proofs_notes.ledger.rational import Matrix, identity
from dppca.proofs_notes.wang2020.subspaces import orthonormal, projection
from dppca.reference.rigour.gaussian import ball, classical_std, normal_cdf

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
