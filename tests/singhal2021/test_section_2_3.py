"""Section 2.3: all dimensions, unknown dimension, dimension test, random subsets."""

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from dppca.audit.suite.singhal2021.exact_law import OutputLaw, neighbouring_pairs, worst
from dppca.reference.noise import Sample, lockstep, record
from dppca.reference.primitives.truncated_laplace import DiscreteTruncatedLaplace
from dppca.reference.rigour.divergence import hockey_stick
from dppca.reference.singhal2021.algorithm_1_exact import AS_PRINTED, CORRECTED, calibrate, candidate_scores, line_11_values
from dppca.reference.singhal2021.exact_linear_algebra import RationalSubspace, Vector, span
from dppca.reference.singhal2021.section_2_3_all_dimensions import exact_subspace_estimator_all_dimensions
from dppca.reference.singhal2021.section_2_3_dimension_test import dimension_is_at_most
from dppca.reference.singhal2021.section_2_3_random_subsets import (
    calibrate_random_subsets,
    exact_subspace_estimator_random_subsets,
)
from dppca.reference.singhal2021.section_2_3_unknown_dimension import (
    dimension_by_exponential_mechanism,
    dimension_scores,
)

PLANE_IN_SPACE = [[1, t, t] for t in range(30)]


def noise(seed: int = 0) -> Sample:
    return Sample(np.random.default_rng(seed))


def test_score_of_a_dimension_has_sensitivity_1() -> None:
    domain = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0)]

    def change(x: tuple[Vector, ...], y: tuple[Vector, ...]) -> int:
        return max(abs(a - b) for a, b in zip(dimension_scores(x, 3), dimension_scores(y, 3), strict=True))

    assert worst(domain, 5, change).value == 1


def test_dimension_is_found() -> None:
    assert dimension_scores(tuple(tuple(x) for x in PLANE_IN_SPACE), 3) == [1, 29, 0]
    assert {dimension_by_exponential_mechanism(PLANE_IN_SPACE[:14], 3, 4.0, noise(seed)) for seed in range(10)} == {2}
    assert {dimension_by_exponential_mechanism(PLANE_IN_SPACE[:6], 3, 0.01, noise(seed)) for seed in range(60)} == {1, 2, 3}


def test_dimension_test() -> None:
    assert all(dimension_is_at_most(PLANE_IN_SPACE, 2, 1, 2.0, noise(seed)) for seed in range(30))
    assert not any(dimension_is_at_most(PLANE_IN_SPACE, 1, 1, 2.0, noise(seed)) for seed in range(30))
    neighbour = [[0, 0, 1], *PLANE_IN_SPACE[1:]]
    run = lockstep(lambda X, n: dimension_is_at_most(X, 2, 1, 2.0, n), PLANE_IN_SPACE, neighbour, np.random.default_rng(0))
    assert run.releases[0].change == 1.0
    with pytest.raises(ValueError, match="ell must be >= 0, got -1"):
        dimension_is_at_most(PLANE_IN_SPACE, 2, -1, 1.0, noise())


def test_all_dimensions_finds_a_line_or_a_plane() -> None:
    calibration = calibrate(8.0, 0.01, 1)
    assert exact_subspace_estimator_all_dimensions(PLANE_IN_SPACE, 3, calibration, noise()) == span([(1, 0, 0), (0, 1, 1)], 3)
    assert exact_subspace_estimator_all_dimensions([[2, 4, 6]] * 30, 3, calibration, noise()) == span([(1, 2, 3)], 3)
    with pytest.raises(ValueError, match="candidates 'dimension k', got 'any dimension'"):
        exact_subspace_estimator_all_dimensions(PLANE_IN_SPACE, 2, calibrate(8.0, 0.01, 1, AS_PRINTED), noise())


def test_all_dimensions_is_private_on_a_small_domain() -> None:
    """The candidates as that file forms them, in an exhaustive check of L1 sensitivity 2."""
    subsets = [S for size in (1, 2) for S in product(range(5), repeat=size) if len(set(S)) == size]

    def change(x: tuple[Vector, ...], y: tuple[Vector, ...]) -> Fraction:
        values = [line_11_values(candidate_scores(z, subsets, CORRECTED)[0], Fraction(0), CORRECTED)[1] for z in (x, y)]
        zero = Fraction(0)
        return sum((abs(values[0].get(s, zero) - values[1].get(s, zero)) for s in {*values[0], *values[1]}), zero)

    assert worst([(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0)], 5, change).value == 2


def test_random_subsets_calibration() -> None:
    c = calibrate_random_subsets(1.0, 1e-6, 1, n=200, k=2)
    assert c.delta <= 1e-6
    assert c.subsets < math.comb(200, 2)
    fewer = type(c)(c.gap_max, c.n, c.k, c.floor, c.subsets - 1)
    assert fewer.delta > 1e-6


def test_random_subsets_are_the_fewest_that_delta_allows() -> None:
    """Also where delta is large: with delta_noise = 0.45, sampling may change the values with probability 0.45 / 0.55."""
    c = calibrate_random_subsets(1.0, 0.9, 1, n=1000, k=2)
    assert c.gap_max.delta == 0.45
    hit = ((c.floor + 1) / 1000) ** 2
    assert 2.0 * (1.0 - hit) ** c.subsets <= 0.45 / 0.55 < 2.0 * (1.0 - hit) ** (c.subsets - 1)


def test_draws_of_random_subsets() -> None:
    """One draw of noise for each subset, and one for NULL."""
    calibration = calibrate_random_subsets(8.0, 0.01, 1, n=30, k=2)
    _, tape = record(
        lambda X, noise: exact_subspace_estimator_random_subsets(X, calibration, noise),
        PLANE_IN_SPACE,
        np.random.default_rng(0),
    )
    assert [(entry.name, np.shape(entry.draw)) for entry in tape.entries] == [
        ("subsets", (calibration.subsets, 2)),
        ("subspace", (1 + calibration.subsets,)),
    ]


def test_random_subsets_find_the_plane() -> None:
    calibration = calibrate_random_subsets(8.0, 0.01, 1, n=30, k=2)
    assert exact_subspace_estimator_random_subsets(PLANE_IN_SPACE, calibration, noise()) == span([(1, 0, 0), (0, 1, 1)], 3)
    with pytest.raises(ValueError, match="X must have the n = 30 of its calibration, got 29"):
        exact_subspace_estimator_random_subsets(PLANE_IN_SPACE[1:], calibration, noise())


def test_random_subsets_exact_delta() -> None:
    """All n^m draws of m = 3 indices, k = 1: total variation at most beta, and delta as R3 says."""
    law_noise = DiscreteTruncatedLaplace(Fraction(3, 2), 1)
    n, m, floor, null = 5, 3, 2, Fraction(2)
    e_epsilon = Fraction(9, 4)
    beta = 2 * (1 - Fraction(floor + 1, n)) ** m

    def law(points: tuple[Vector, ...], subsets: Sequence[tuple[int, ...]]) -> OutputLaw:
        _, values = line_11_values(candidate_scores(points, subsets, CORRECTED)[0], null, CORRECTED, floor)
        s, g = max(values.items(), key=lambda item: item[1])  # a subspace of value 0 cannot win
        # value g + x beats 2A + y strictly
        win = sum((p * law_noise.cdf(g + x - null - 1) for x, p in law_noise.mass.items()), Fraction(0))
        return {s: win, None: 1 - win}

    def sampled(points: tuple[Vector, ...]) -> OutputLaw:
        mixture: dict[RationalSubspace | None, Fraction] = {}
        for S in product(range(n), repeat=m):
            for output, p in law(points, [(i,) for i in S]).items():
                mixture[output] = mixture.get(output, Fraction(0)) + p / n**m
        return mixture

    full = [(i,) for i in range(n)]
    worst_excess = Fraction(0)
    for x, y in neighbouring_pairs([(1, 0), (0, 1), (1, 1)], n):
        p, q = sampled(x), sampled(y)
        assert hockey_stick(p, law(x, full), Fraction(1)) <= beta
        worst_excess = max(worst_excess, hockey_stick(p, q, e_epsilon))
    delta = law_noise.profile(e_epsilon, 2)
    assert 0 < worst_excess <= delta + (1 - delta) * beta
