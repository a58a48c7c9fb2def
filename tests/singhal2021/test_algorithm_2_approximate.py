"""Sparse histogram, Algorithm 2 and section 3.3."""

import math
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

from dppca.reference.noise import Noise, Sample, Tape, condition, lockstep, record, replay
from dppca.reference.primitives.private_selection import Repetitions
from dppca.reference.primitives.sparse_histogram import SparseHistogramLaw, stability_delta, stability_threshold
from dppca.reference.rigour.divergence import hockey_stick
from dppca.reference.singhal2021.algorithm_2_approximate import (
    AS_PRINTED,
    CORRECTED,
    approximate_subspace_estimator,
    calibrate,
)
from dppca.reference.singhal2021.section_3_3_unknown_dimension import (
    approximate_subspace_estimator_unknown_dimension,
)
from dppca.reference.singhal2021.section_3_3_unknown_dimension import calibrate as calibrate_unknown
from dppca.reference.singhal2021.theorem_c import largest_gamma

Matrix = NDArray[np.float64]


def gaussian_rows(n: int, d: int, k: int, gamma: float, rng: np.random.Generator) -> tuple[Matrix, Matrix]:
    """Return rows of N(0, V diag(1, .., gamma^2, ..) V^T), and the projector onto the k large directions."""
    V = np.linalg.qr(rng.standard_normal((d, d)))[0]
    scales = np.where(np.arange(d) < k, 1.0, gamma)
    return (rng.standard_normal((n, d)) * scales) @ V.T, V[:, :k] @ V[:, :k].T


# --- the histogram


def test_histogram_release_and_likelihood() -> None:
    law = SparseHistogramLaw(scale=2.0, threshold=4.0)
    value = np.array([[1, 0], [1, 0], [1, 0], [0, -2], [7, 7]])
    released = law.apply(value, np.array([2.0, -9.0, -9.0, 0.0, 5.0]))
    assert released.tolist() == [[7.0, 1.0, 0.0], [11.0, 7.0, 7.0]]
    kept = [-abs(z) - math.log(4.0) for z in (2.0, 5.0)]
    suppressed = math.log1p(-0.5 * math.exp(-1.5))
    assert law.log_likelihood(value, released) == pytest.approx(sum(kept) + suppressed)
    assert law.log_likelihood(value[:4], released) == -math.inf
    assert law.change(value, np.array([[1, 0], [1, 0], [0, -2], [0, -2], [7, 7]])) == 2.0
    assert law.change(value, np.array([[1, 0], [1, 0], [5, 5], [6, 6], [6, 6]])) == 1.0 + 1.0 + 1.0 + 1.0 + 2.0
    assert law.apply(value, np.full(5, -9.0)).shape == (0, 3)


def test_stability_threshold_is_exact() -> None:
    for epsilon, delta in [(1.0, 1e-6), (0.1, 1e-3), (5.0, 0.3)]:
        assert stability_delta(epsilon, stability_threshold(epsilon, delta)) == pytest.approx(delta, rel=1e-9)


def test_histogram_delta_on_a_grid_of_outcomes() -> None:
    """Two cells, three outcomes ranges each, integrated numerically: every move of one item stays below p."""
    epsilon, threshold = 0.7, 3.0
    p = stability_delta(epsilon, threshold)
    edges = np.concatenate([np.linspace(threshold, threshold + 12.0, 400), [np.inf]])
    scale = 2.0 / epsilon

    def outcomes(count: int) -> Matrix:
        """P(suppressed), then P(noisy count in each slice)."""
        if count == 0:
            return np.concatenate([[1.0], np.zeros(edges.size - 1)])
        z = (edges - count) / scale
        above = np.where(z > 0, 0.5 * np.exp(-np.abs(z)), 1.0 - 0.5 * np.exp(-np.abs(z)))
        return np.concatenate([[1.0 - above[0]], -np.diff(above)])

    excesses = []
    for a in (1, 2, 4):
        for b in (0, 1, 3):
            before = np.outer(outcomes(a), outcomes(b))
            after = np.outer(outcomes(a - 1), outcomes(b + 1))
            excesses += [np.maximum(0.0, x - math.exp(epsilon) * y).sum() for x, y in ((before, after), (after, before))]
    assert max(excesses) == pytest.approx(p, rel=1e-9)


# --- Algorithm 2


def test_accuracy_at_the_reference_size() -> None:
    rng = np.random.default_rng(11)
    calibration = calibrate(1.0, 1e-6, 1e-6, n=2500, d=100, k=3)
    X, Pi = gaussian_rows(2500, 100, 3, 1e-6, rng)
    Pi_hat = approximate_subspace_estimator(X, calibration, Sample(rng))
    assert Pi_hat is not None
    assert np.linalg.norm(Pi_hat - Pi, 2) < 0.15
    np.testing.assert_allclose(Pi_hat @ Pi_hat, Pi_hat, atol=1e-12)
    assert round(np.trace(Pi_hat)) == 3


def test_printed_cell_length_fails_as_d_grows() -> None:
    """Same constants, n, k, gamma: at d = 100 no cell of the paper's grid holds half of the blocks."""
    rng = np.random.default_rng(12)
    found = {}
    for d, times in ((4, 4), (100, 2)):
        for name, choices in (("printed", AS_PRINTED), ("corrected", CORRECTED)):
            calibration = calibrate(1.0, 1e-6, 1e-6, n=2500, d=d, k=3, choices=choices)
            runs = [
                approximate_subspace_estimator(gaussian_rows(2500, d, 3, 1e-6, rng)[0], calibration, Sample(rng))
                for _ in range(times)
            ]
            found[name, d] = sum(run is not None for run in runs)
    assert found["printed", 4] >= 2
    assert found["printed", 100] == 0
    assert found["corrected", 4] == 4
    assert found["corrected", 100] == 2


def test_threshold_choice() -> None:
    starved = replace(CORRECTED, C_0=2.0)
    kept = calibrate(1.0, 1e-6, 0.1, n=2500, d=5, k=1, choices=starved)
    printed = calibrate(1.0, 1e-6, 0.1, n=2500, d=5, k=1, choices=replace(starved, threshold=AS_PRINTED.threshold))
    assert stability_delta(1.0, kept.threshold) == pytest.approx(1e-6, rel=1e-9)
    assert stability_delta(1.0, printed.threshold) > 1e-5


@pytest.mark.parametrize(("epsilon", "delta"), [(9.0, 0.01), (200.0, 1e-6), (1.0, 0.9), (0.05, 0.5)])
def test_most_blocks_are_found_at_every_budget(epsilon: float, delta: float) -> None:
    """Three quarters of the blocks in one cell: Theorem C's T5 bounds the failure by 0.055."""
    c = calibrate(epsilon, delta, 1e-3, n=10**7, d=2, k=1)
    assert c.t >= 37
    assert stability_delta(epsilon, c.threshold) <= delta * (1 + 1e-9)
    assert 0.5 * math.exp(-(math.ceil(0.75 * c.t) - 0.625 * c.t) / c.scale) <= 0.05
    if epsilon > 8.0 * math.log(1.0 / delta):
        few = calibrate(epsilon, delta, 1e-3, n=10**7, d=2, k=1, choices=replace(CORRECTED, blocks=AS_PRINTED.blocks))
        assert few.t == 1
        assert stability_delta(epsilon, few.threshold) <= delta * (1 + 1e-9)  # is how often the only block is found


def test_neighbours_change_two_counts_by_one() -> None:
    rng = np.random.default_rng(13)
    calibration = calibrate(1.0, 1e-6, 1e-3, n=1200, d=5, k=2)
    X, _ = gaussian_rows(1200, 5, 2, 1e-3, rng)
    Y = X.copy()
    Y[0] = 1e6 * rng.standard_normal(5)
    run = lockstep(lambda data, noise: approximate_subspace_estimator(data, calibration, noise), X, Y, rng)
    assert [release.change for release in run.releases] == [2.0]
    assert abs(run.loss) <= 1.0  # epsilon: no lone cell survived in this run
    assert run.secrets == ()


def test_bottom_and_replay() -> None:
    rng = np.random.default_rng(14)
    calibration = calibrate(1.0, 1e-6, 1e-9, n=1200, d=5, k=2)

    def run(data: Matrix, noise: Noise) -> Matrix | None:
        return approximate_subspace_estimator(data, calibration, noise)

    assert run(rng.standard_normal((1200, 5)), Sample(rng)) is None
    X, _ = gaussian_rows(1200, 5, 2, 1e-9, rng)
    output, tape = record(run, X, rng)
    assert [entry.name for entry in tape.entries] == ["reference points", "offset", "histogram", "point in cell"]
    np.testing.assert_array_equal(replay(run, X, Tape.from_json(tape.to_json())), output)
    assert math.isfinite(condition(run, X, tape).log_likelihood)


def test_errors() -> None:
    with pytest.raises(ValueError, match=r"n must be >= 555, for t = 111 blocks of k \+ 2 = 5 rows, got 300"):
        calibrate(1.0, 1e-6, 0.1, n=300, d=10, k=3)
    with pytest.raises(ValueError, match=r"alpha must be in \(0, 1\), got 1\.5"):
        largest_gamma(1.5, d=10, k=3, m=1200)
    with pytest.raises(ValueError, match=r"m must be >= k \+ 2 = 5, got 4"):
        largest_gamma(0.1, d=10, k=3, m=4)
    assert largest_gamma(0.1, d=10, k=3, m=5) > 0.0
    with pytest.raises(ValueError, match=r"gamma must be finite and > 0, got 0\.0"):
        calibrate(1.0, 1e-6, 0.0, n=2500, d=10, k=3)
    calibration = calibrate(1.0, 1e-6, 0.1, n=2500, d=10, k=3)
    with pytest.raises(ValueError, match=r"X must have the n = 2500 of its calibration, got 5"):
        approximate_subspace_estimator(np.ones((5, 10)), calibration, Sample(np.random.default_rng(0)))


def test_the_selection_refuses_other_sizes_than_calibrated() -> None:
    calibration = calibrate_unknown(6.0, 0.05, 1e-4, 0.1, n=1200, d=3, k_max=2)
    noise = Sample(np.random.default_rng(0))
    for X, message in ((np.ones((1199, 3)), "n = 1200 of its calibration, got 1199"), (np.ones((1200, 4)), "d = 3 .*, got 4")):
        with pytest.raises(ValueError, match=f"X must have the {message}"):
            approximate_subspace_estimator_unknown_dimension(X, np.ones((2, 3)), calibration, noise)
    with pytest.raises(ValueError, match=r"k_max must be in 1\.\.2, got 3"):
        calibrate_unknown(6.0, 0.05, 1e-4, 0.1, n=1200, d=3, k_max=3)


# --- private selection and section 3.3


@pytest.mark.parametrize("eta", [-0.5, 0.0, 0.5, 1.0])
def test_repetitions_law(eta: float) -> None:
    law = Repetitions(eta, 0.2)
    mass, total, mean = law.first_mass, 0.0, 0.0
    for j in range(1, 400):
        total += mass
        mean += j * mass
        mass *= 0.8 * (j + eta) / (j + 1)
    assert total == pytest.approx(1.0, rel=1e-12)
    assert mean == pytest.approx(law.mean, rel=1e-12)
    draws = [law.draw("K", Sample(np.random.default_rng(seed))) for seed in range(4000)]
    assert np.mean(draws) == pytest.approx(law.mean, rel=0.1)


def test_selection_guarantee_exactly() -> None:
    """Random (epsilon, delta)-close laws on five ordered outcomes, geometric K: 3 epsilon and E[K] delta, in fractions."""
    rng = np.random.default_rng(15)
    gamma, ratio, delta = Fraction(1, 4), Fraction(3, 2), Fraction(1, 50)

    def selected(p: dict[int, Fraction]) -> dict[int, Fraction]:
        cumulative = [Fraction(0)]
        for y in range(5):
            cumulative.append(cumulative[-1] + p[y])
        below = [gamma * F / (1 - (1 - gamma) * F) for F in cumulative]
        return {y: high - low for y, (low, high) in enumerate(pairwise(below))}

    largest = Fraction(0)
    for _ in range(300):
        # Randomised response in one outcome order, with mass delta that only one of the two laws has.
        side = rng.integers(0, 2, 3)
        p = {1 + i: ratio if s else Fraction(1) for i, s in enumerate(side)}
        q = {1 + i: Fraction(1) if s else ratio for i, s in enumerate(side)}
        shift = {y: Fraction(int(rng.integers(1, 9))) for y in p}
        total_p, total_q = (sum(law[y] * shift[y] for y in law) for law in (p, q))
        p = {y: (1 - delta) * p[y] * shift[y] / total_p for y in p} | {0: Fraction(0), 4: delta}
        q = {y: (1 - delta) * q[y] * shift[y] / total_q for y in q} | {0: delta, 4: Fraction(0)}
        epsilon_ratio = max(max(p[y] / q[y], q[y] / p[y]) for y in (1, 2, 3))
        a, b = selected(p), selected(q)
        excess = max(hockey_stick(a, b, epsilon_ratio**3), hockey_stick(b, a, epsilon_ratio**3))
        largest = max(largest, excess)
        assert excess <= delta / gamma
    assert largest > delta


def test_unknown_dimension() -> None:
    rng = np.random.default_rng(16)
    calibration = calibrate_unknown(3.0, 1e-6, 1e-7, 0.2, n=3000, d=12, k_max=3)
    assert calibration.repetitions.guarantee(calibration.runs[0].epsilon, calibration.runs[0].delta) == pytest.approx(
        (3.0, 1e-6)
    )
    assert [run.k for run in calibration.runs] == [1, 2, 3]
    X, Pi = gaussian_rows(3300, 12, 2, 1e-7, rng)
    errors = []
    for _ in range(5):
        Pi_hat = approximate_subspace_estimator_unknown_dimension(X[:3000], X[3000:], calibration, Sample(rng))
        errors.append(1.0 if Pi_hat is None else float(np.linalg.norm(Pi_hat - Pi, 2)))
    assert sum(error < 0.01 for error in errors) >= 3
    with pytest.raises(ValueError, match=r"k_max must be in 1\.\.11, got 12"):
        calibrate_unknown(3.0, 1e-6, 1e-7, 0.2, n=3000, d=12, k_max=12)
    with pytest.raises(ValueError, match="auxiliary must have rows of length 12, got 3"):
        approximate_subspace_estimator_unknown_dimension(X[:3000], np.ones((4, 3)), calibration, Sample(rng))
