"""Algorithm 1 in fractions: the law of its output by enumeration, and witnesses of what breaks its privacy."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from dppca.audit.suite.singhal2021.exact_law import (
    DiscreteMechanism,
    corrected_mechanism,
    output_law,
    printed_mechanism,
    worst_candidate_change,
    worst_delta,
    worst_values_change,
)
from dppca.reference.primitives.truncated_laplace import DiscreteTruncatedLaplace
from dppca.reference.rigour.divergence import hockey_stick
from dppca.reference.singhal2021.algorithm_1_exact import AS_PRINTED, CORRECTED
from dppca.reference.singhal2021.exact_linear_algebra import span

LINES = [(1, 0), (0, 1), (1, 1)]


def test_privacy_as_printed_is_refuted() -> None:
    """At epsilon = 2 ln(3/2), delta = (2/3)^4; nine points on a line tie with NULL, and the tenth shows its line."""
    mechanism = printed_mechanism(k=1, ell=0, ratio=Fraction(3, 2), j=2, choices=AS_PRINTED)
    assert mechanism.delta == Fraction(2, 3) ** 4
    found = worst_delta(LINES, 10, mechanism)
    assert found.value == Fraction(12892100, 39651821) > mechanism.delta
    assert found.data == ((0, 1), *[(1, 0)] * 9)
    assert found.neighbour == ((1, 0),) * 10
    assert worst_values_change(LINES, 10, mechanism).value <= 2  # it is the list of candidates that fails


def test_law_sums_to_1_and_matches_enumeration_of_the_noise() -> None:
    mechanism = printed_mechanism(k=1, ell=0, ratio=Fraction(3, 2), j=1, choices=AS_PRINTED)
    points = ((0, 1), *[(1, 0)] * 5)
    law = output_law(points, mechanism)
    assert sum(law.values()) == 1
    # Values of NULL, span(0, 1), span(1, 0) are 0, 0, 0 (scores 5, 1, 5); first of equal noises wins.
    mass = mechanism.noise.mass
    wins = {0: Fraction(0), 1: Fraction(0), 2: Fraction(0)}
    for x, p in mass.items():
        for y, q in mass.items():
            for z, r in mass.items():
                wins[int(np.argmax([x, y, z]))] += p * q * r
    assert law == {None: wins[0], span([(0, 1)], 2): wins[1], span([(1, 0)], 2): wins[2]}


def test_candidates_of_fewer_dimensions_break_sensitivity_and_privacy() -> None:
    """At k = 3 a line with three points is on the paper's list with score 3, with two points it is not on the list."""
    assert worst_candidate_change([(1, 0), (0, 1)], 4, 2, AS_PRINTED).value == 2
    out = (0, 0, 0, 1)
    curve = [(1, t, t * t, 0) for t in range(1, 10)]
    data = (out, out, out, *curve[:8])
    neighbour = (out, out, *curve)
    mechanism = corrected_mechanism(3, DiscreteTruncatedLaplace(Fraction(3), 2))
    printed = replace(mechanism, choices=replace(CORRECTED, candidates=AS_PRINTED.candidates))
    for refuted, candidate in ((False, mechanism), (True, printed)):
        p, q = output_law(data, candidate), output_law(neighbour, candidate)
        delta = max(hockey_stick(p, q, Fraction(9)), hockey_stick(q, p, Fraction(9)))
        assert (delta > mechanism.delta) is refuted


def test_the_printed_noise_bound_alone_breaks_privacy_at_large_epsilon() -> None:
    """All else corrected: e^epsilon = 64, delta = 1/64, A = 2 ln(1/delta) / epsilon = 2."""
    noise = DiscreteTruncatedLaplace(Fraction(8), 2)
    mechanism = DiscreteMechanism(1, noise, Fraction(4), CORRECTED, Fraction(1, 64))
    assert worst_delta(LINES, 8, mechanism).value > Fraction(1, 64)
    with pytest.raises(ValueError, match="ratio must be small enough"):
        printed_mechanism(1, 0, Fraction(8), 1, AS_PRINTED)
