"""liu2022: every algorithm against a computation of its own on the same draws; edges, refusals, accounts."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from dppca.reference.accounting.clones import shuffled_gaussian_delta
from dppca.reference.catalog import ALGORITHMS
from dppca.reference.liu2022 import algorithm_1_oja as algorithm_1
from dppca.reference.liu2022 import algorithm_2_private_oja as algorithm_2
from dppca.reference.liu2022 import algorithm_3_dp_pca as algorithm_3
from dppca.reference.liu2022 import algorithm_4_top_eigenvalue as algorithm_4
from dppca.reference.liu2022 import algorithm_5_mean as algorithm_5
from dppca.reference.liu2022 import equation_7_minibatch as equation_7
from dppca.reference.liu2022 import hyperparameter_search as search
from dppca.reference.liu2022 import rank_r
from dppca.reference.liu2022.data import LARGEST_ENTRY, check_data, clip, gradients, normalise
from dppca.reference.noise import Sample, Tape, condition, lockstep, record, replay
from dppca.reference.primitives.composition import (
    serial,
)
from dppca.reference.primitives.sparse_histogram import stability_threshold

Array = NDArray[np.float64]
Draws = dict[str, Array]

ROWS = np.array(
    [[1.0, 0.0, 0.3], [0.6, 0.8, -2.0], [0.0, 0.5, 0.1], [2.0, 1.0, 0.0], [-1.0, 0.3, 0.7], [0.0, 0.0, 0.0], [4.0, 4.0, 1.0]]
)
MATRICES = np.random.default_rng(5).standard_normal((7, 3, 3))
ETA = (0.5, 0.4, 0.3, 1.0, 0.2, 0.7, 0.6)
CLIPPED = {"lambda_1": 0.5, "K": 0.5, "gamma": 0.5}
#: Algorithms 4 and 5 release something on a few records.
WEAK = {"K": 0.2, "zeta": 0.5}


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def outer(rows: Array) -> Array:
    return rows[:, :, np.newaxis] * rows[:, np.newaxis, :]


def draws(tape: Tape) -> Draws:
    return {entry.name: entry.draw for entry in tape.entries}


def unit(w: Array) -> Array:
    return w / math.sqrt(sum(x * x for x in w))


def clipped(g: Array, beta: float) -> Array:
    length = math.sqrt(float(g @ g))
    return g if length <= beta else g * beta / length


# --- each algorithm by hand, on the draws of a tape --------------------------------------------------------


@pytest.mark.parametrize("data", [ROWS, MATRICES])
def test_oja_by_hand(data: Array) -> None:
    output, tape = record(lambda A, noise: algorithm_1.oja(A, ETA[:5], noise), data, rng())
    w = unit(draws(tape)["w[0]"])
    for A, eta in zip(outer(data) if data.ndim == 2 else data, ETA[:5], strict=False):
        w = unit(w + eta * (A @ w))
    np.testing.assert_allclose(output, w, rtol=1e-12)


def by_hand_2(data: Array, tape: Tape, alpha: float, beta: float) -> Array:
    of = draws(tape)
    w = unit(of["w[0]"])
    matrices = outer(data) if data.ndim == 2 else data
    for t, eta in enumerate(ETA, start=1):
        g = clipped(matrices[of["order"][t - 1]] @ w, beta)
        w = unit(w + eta * g + 2.0 * eta * beta * alpha * of[f"g[{t}]"])
    return w


@pytest.mark.parametrize("data", [ROWS, MATRICES])
@pytest.mark.parametrize("choices", [algorithm_2.AS_PRINTED, algorithm_2.CORRECTED])
def test_private_oja_by_hand(data: Array, choices: algorithm_2.Choices) -> None:
    calibration = algorithm_2.calibrate(1.0, 0.1, n=7, d=3, **CLIPPED, choices=choices)
    output, tape = record(lambda A, noise: algorithm_2.private_oja(A, ETA, calibration, noise), data, rng())
    np.testing.assert_allclose(output, by_hand_2(data, tape, calibration.alpha, calibration.beta), rtol=1e-12)
    if data is ROWS:
        norms = [np.linalg.norm(g) for g in gradients(data, output)]
        assert min(norms) < calibration.beta < max(norms)  # some are clipped, some are not


def test_private_oja_declares_that_a_clipped_gradient_moves_by_twice_the_threshold() -> None:
    calibration = algorithm_2.calibrate(1.0, 0.1, n=7, d=3, **CLIPPED)
    run = lambda A, noise: algorithm_2.private_oja(A, ETA, calibration, noise)  # noqa: E731
    terms = condition(run, ROWS, record(run, ROWS, rng())[1]).terms
    assert [(term.name, term.sensitivity) for term in terms] == [(f"g[{t}]", 2.0 * calibration.beta) for t in range(1, 8)]


def test_private_oja_uses_the_order_it_draws() -> None:
    calibration = replace(algorithm_2.calibrate(1.0, 0.1, n=7, d=3, **CLIPPED), alpha=0.0, beta=100.0)
    run = lambda A, noise: algorithm_2.private_oja(A, ETA, calibration, noise)  # noqa: E731
    output, tape = record(run, ROWS, rng())
    order = draws(tape)["order"]
    sorted_tape = Tape((replace(tape.entries[0], draw=np.arange(7)), *tape.entries[1:]))
    np.testing.assert_allclose(replay(run, ROWS[order], sorted_tape), output)
    assert not np.allclose(replay(run, ROWS, sorted_tape), output)


@pytest.mark.parametrize("data", [ROWS, MATRICES])
@pytest.mark.parametrize("choices", [equation_7.AS_PRINTED, equation_7.CORRECTED])
def test_minibatch_by_hand(data: Array, choices: equation_7.Choices) -> None:
    """7 records, T = 3, B = 2: the seventh is not used; as published the last of each batch is not either."""
    calibration = equation_7.calibrate(1.0, 0.1, n=7, d=3, **CLIPPED, choices=choices)
    run = lambda A, noise: equation_7.minibatch_private_oja(A, ETA[:3], calibration, noise, choices)  # noqa: E731
    output, tape = record(run, data, rng())
    matrices = outer(data) if data.ndim == 2 else data
    of = draws(tape)
    w = unit(of["w[0]"])
    for t, eta in enumerate(ETA[:3], start=1):
        batch = matrices[2 * t - 2 : 2 * t - 1] if choices is equation_7.AS_PRINTED else matrices[2 * t - 2 : 2 * t]
        total = sum(clipped(A @ w, calibration.beta) for A in batch)
        w = unit(w + eta / 2.0 * total + 2.0 * eta * calibration.beta * calibration.alpha / 2.0 * of[f"g[{t}]"])
    np.testing.assert_allclose(output, w, rtol=1e-12)
    unused = data.copy()
    unused[6] = 9.0
    assert np.array_equal(replay(run, unused, tape), output)


def by_hand_4(g: Array, calibration: algorithm_4.TopEigenvalueCalibration, laplace: Array) -> float | None:
    """With Counter, eigvalsh and bins by comparison with powers of 2^(1/4)."""
    differences = [g[i + 1] - g[i] for i in range(0, len(g) - 1, 2)]
    items: list[int | None] = []
    for j in range(calibration.k):
        G = np.array(differences[j * calibration.b : (j + 1) * calibration.b]).T
        eigenvalue = float(np.linalg.eigvalsh(G @ G.T / calibration.divisor)[-1])
        items.append(None if eigenvalue < 1e-300 else max(i for i in range(-400, 400) if 2.0 ** (i / 4) <= eigenvalue))
    counts = Counter(items)
    noisy = {b: count + calibration.scale * laplace[items.index(b)] for b, count in counts.items()}
    best = max(noisy, key=lambda b: noisy[b])
    if noisy[best] <= calibration.threshold:
        return None
    return 0.0 if best is None else 2.0 ** (best / 4)


@pytest.mark.parametrize("choices", [algorithm_4.AS_PRINTED, algorithm_4.CORRECTED])
@pytest.mark.parametrize("B", [24, 25, 31])
def test_top_eigenvalue_by_hand(choices: algorithm_4.Choices, B: int) -> None:
    """Odd B and differences that fill no subset included; a third of the runs gives bottom, some the eigenvalue 0."""
    calibration = algorithm_4.calibrate(2.5, 0.3, B=B, zeta=0.3, choices=choices)
    assert (calibration.k, calibration.b) == (4, B // 8)
    found: Counter[str] = Counter()
    for seed in range(60):
        own = rng(seed)
        g = own.choice([0.0, 1.0, -1.5], size=(B, 2)) * (seed % 3 > 0) + own.standard_normal((B, 2)) * (seed % 3 > 1)
        output, tape = record(lambda x, noise: algorithm_4.private_top_eigenvalue(x, calibration, noise), g, own)
        assert output == by_hand_4(g, calibration, draws(tape)["eigenvalue"])
        found["bottom" if output is None else "zero" if output == 0.0 else "positive"] += 1
    assert min(found[word] for word in ("bottom", "zero", "positive")) > 0


def by_hand_5(
    g: Array, eigenvalue: float, of: Draws, calibration: algorithm_5.MeanCalibration, prefix: str = ""
) -> Array | None:
    """Histogram by histogram with Counter, truncation to the printed interval, one numpy-free mean."""
    unit_ = math.sqrt(eigenvalue)
    mean: list[float] = []
    for j in range(g.shape[1]):
        bins = [math.ceil(x / (calibration.tau * unit_)) - 1 for x in g[:, j]]
        laplace = of[f"{prefix}bin[{j + 1}]"]
        noisy = {b: c + calibration.scale * laplace[bins.index(b)] for b, c in Counter(bins).items()}
        best = max(noisy, key=lambda b: noisy[b])
        if noisy[best] <= calibration.threshold:
            return None
        left, r = best * calibration.tau * unit_, calibration.radius * unit_
        mean.append(math.fsum(min(max(x, left - r), left + r) for x in g[:, j]) / len(g))
    return np.array(mean) + calibration.std * unit_ * of[f"{prefix}mean"]


@pytest.mark.parametrize(
    ("choices", "epsilon"), [(algorithm_5.AS_PRINTED, 24.0), (algorithm_5.CORRECTED, 24.0), (algorithm_5.LEAN, 4.0)]
)
def test_mean_by_hand(choices: algorithm_5.Choices, epsilon: float) -> None:
    """Ties between bins, values on bin edges, gradients beyond the box; bottom now and then."""
    calibration = algorithm_5.calibrate(epsilon, 0.3, B=15, d=2, **WEAK, choices=choices)
    bottoms = 0
    for seed in range(60):
        own = rng(seed)
        g = own.choice([0.0, calibration.tau, -calibration.tau, 1.0, 30.0], size=(15, 2), p=[0.5, 0.2, 0.1, 0.1, 0.1])
        eigenvalue = float(own.choice([0.01, 1.0, 4.0]))
        output, tape = record(lambda x, noise, e=eigenvalue: algorithm_5.private_mean(x, e, calibration, noise), g, own)
        names = [entry.name for entry in tape.entries]
        of = draws(tape)
        if output is None:
            assert names == ["bin[1]", "bin[2]"]
            assert by_hand_5(g, eigenvalue, {**of, "mean": np.zeros(2)}, calibration) is None
            bottoms += 1
            continue
        assert names == ["bin[1]", "bin[2]", "mean"]
        np.testing.assert_allclose(output, by_hand_5(g, eigenvalue, of, calibration), rtol=1e-10, atol=1e-12)
    assert 0 < bottoms < 60


@pytest.mark.parametrize("choices", [algorithm_3.AS_PRINTED, algorithm_3.CORRECTED, algorithm_3.LEAN])
@pytest.mark.parametrize("rows", [True, False])
def test_dp_pca_by_hand(choices: algorithm_3.Choices, rows: bool) -> None:
    """n = 65, B = 21: T = 3 steps on halves of 10; two records are beyond the batches and one in each is left over."""
    target = {"n": 65, "d": 2, "B": 21, **WEAK}
    calibration = algorithm_3.calibrate(80.0, 0.3, **target, choices=choices)
    assert (calibration.T, calibration.mean.B) == (3, 10)
    run = lambda A, noise: algorithm_3.dp_pca(A, ETA[:3], calibration, noise)  # noqa: E731
    skipped = 0
    for seed in range(30):
        own = rng(seed)
        data = own.choice([0.0, 1.0, 1.1], size=(65, 2))
        if seed % 5 == 0:
            data[:21] = 1.0  # all differences of the first batch are 0
        output, tape = record(run, data if rows else outer(data), own)
        of = draws(tape)
        w = unit(of["w[0]"])
        for t, eta in enumerate(ETA[:3], start=1):
            g = np.array([A @ w for A in outer(data[21 * (t - 1) : 21 * t])])
            Lambda = by_hand_4(g[:10], calibration.eigenvalue, of[f"eigenvalue[{t}]"])
            if not Lambda:
                assert f"t={t} bin[1]" not in of
                skipped += 1
                continue
            multiple = 2.0 if choices is algorithm_3.AS_PRINTED else 1.0
            g_hat = by_hand_5(g[10:20], multiple * Lambda, {f"t={t} mean": np.zeros(2), **of}, calibration.mean, f"t={t} ")
            if g_hat is not None:
                w = unit(w + eta * g_hat)
        np.testing.assert_allclose(output, w, rtol=1e-9)
        unused = data.copy()
        unused[[20, 41, 62, 63, 64]] = -7.0
        assert np.array_equal(replay(run, unused if rows else outer(unused), tape), output)
    assert skipped > 0


def test_dp_pca_gives_the_mean_its_half_of_the_budget_or_lean_all_of_it() -> None:
    target = {"n": 4000, "d": 2, "B": 4000, "K": 1.0}
    for choices, share in ((algorithm_3.AS_PRINTED, 2.0), (algorithm_3.CORRECTED, 2.0), (algorithm_3.LEAN, 1.0)):
        found = algorithm_3.calibrate(0.8, 0.1, **target, choices=choices)
        for of in (found.eigenvalue, found.mean):
            assert (of.epsilon, of.delta, of.zeta, of.B) == (0.8 / share, 0.1 / share, 0.01 / 2, 2000)
        assert all(condition.holds for condition in found.conditions)
    assert not algorithm_3.calibrate(2.0, 0.1, **target, choices=algorithm_3.AS_PRINTED).conditions[0].holds


@pytest.mark.parametrize("key", ["liu2022.oja", "liu2022.private_oja", "liu2022.minibatch_private_oja", "liu2022.dp_pca"])
def test_rows_stand_for_their_outer_products(key: str) -> None:
    entry = ALGORITHMS[key]
    for choices in entry.choices.values():
        run = entry.bind(**entry.example.arguments, choices=choices)
        output, tape = record(run, entry.example.data, rng(3))
        np.testing.assert_allclose(replay(run, outer(entry.example.data), tape), output, rtol=1e-9, atol=1e-12)


# --- search and rank r -----------------------------------------------------------------------------------


def test_search_scores_the_held_out_half_and_stops_at_the_target() -> None:
    target = {"n": 48, "d": 2, "B": 24, "ceiling": 1.5, "rounds": 2, **WEAK}
    data = rng(1).choice([0.0, 1.0, 1.4], size=(48, 2))
    for choices in (search.AS_PRINTED, search.CORRECTED):
        calibration = search.calibrate(3000.0, 0.4, **target, choices=choices)
        never, tape = record(lambda A, noise, c=calibration: search.hyperparameter_search(A, 1e9, c, noise), data, rng(2))
        assert never is None
        of = draws(tape)
        scores = [entry.released for entry in tape.entries if entry.name.endswith("score")]
        assert len(scores) == sum(len(r.pairs) for r in calibration.rounds)
        second = search.hyperparameter_search(data, sorted(scores)[-2], calibration, Sample(rng(2)))
        assert second is not None
        place = next(k for k, score in enumerate(scores) if score >= sorted(scores)[-2])
        listed = [(i, k, pair) for i, r in enumerate(calibration.rounds, 1) for k, pair in enumerate(r.pairs, 1)]
        i, k, pair = listed[place]
        assert (second.c_1, second.c_2) == pair
        assert second.score == scores[place]
        captured = [min(max(float((x @ second.w) ** 2) / 1.5, 0.0), 1.0) for x in data[24:]]
        noise = calibration.score_std[i - 1] * float(of[f"{i}.{k} score"])
        assert second.score == pytest.approx(math.fsum(captured) / 24 + noise, rel=1e-12)


def test_search_leaves_out_the_last_of_an_odd_number_of_records() -> None:
    """It is in neither half: nothing is released of it."""
    calibration = search.calibrate(3000.0, 0.4, n=49, d=2, B=24, ceiling=1.5, rounds=1, **WEAK)
    data = rng(1).choice([0.0, 1.0, 1.4], size=(49, 2))
    released = []
    for last in ([0.0, 0.0], [1.4, 1.4]):
        data[48] = last
        _, tape = record(lambda A, noise: search.hyperparameter_search(A, 1e9, calibration, noise), data, rng(2))
        released.append([entry.released for entry in tape.entries if entry.name.endswith("score")])
    assert len(released[0]) == len(calibration.rounds[0].pairs)
    assert released[0] == released[1]


def test_search_schedule() -> None:
    """As printed 4 (2i - 1) pairs a round that spend 2 epsilon (1 - 2^-R); corrected each pair once, at half of that."""
    for i in range(1, 6):
        edge = i - 1
        border = {
            (2.0**x, 2.0**y) for x, y in itertools.product(range(-edge, edge + 1), repeat=2) if max(abs(x), abs(y)) == edge
        }
        printed, corrected = (search.schedule(i, 1.0, 0.1, choices) for choices in (search.AS_PRINTED, search.CORRECTED))
        assert len(printed.pairs) == 4 * (2 * i - 1)
        assert set(printed.pairs) == set(corrected.pairs) == border
        assert len(corrected.pairs) == len(border) == max(1, 8 * (i - 1))
        assert printed.each.epsilon == pytest.approx(1.0 / (2 ** (i + 1) * (2 * i - 1)))
    for R, choices in itertools.product((1, 2, 5), (search.AS_PRINTED, search.CORRECTED)):
        total = serial(r.each for r in (search.schedule(i, 1.0, 0.1, choices) for i in range(1, R + 1)) for _ in r.pairs)
        spent = (2.0 if choices is search.AS_PRINTED else 1.0) * (1.0 - 2.0**-R)
        assert total == pytest.approx((spent, 0.1 * spent))


def test_search_with_lean_training_shows_a_lone_eigenvalue_more_often_than_delta() -> None:
    """As printed but for LEAN training: the other dataset cannot produce the transcript whenever the bin is shown."""
    target = {"n": 640, "d": 2, "B": 320, "K": 1.0, "ceiling": 2.0, "rounds": 2, "zeta": 0.5}
    choices = replace(search.AS_PRINTED, dp_pca=algorithm_3.LEAN)
    calibration = search.calibrate(32.0, 0.3, **target, choices=choices)
    run = lambda A, noise: search.hyperparameter_search(A, 1e9, calibration, noise)  # noqa: E731
    equal = np.ones((640, 2))
    lone = equal.copy()
    lone[1] = [5.0, 0.0]
    own = rng(0)
    impossible = sum(lockstep(run, lone, equal, own).loss == math.inf for _ in range(150))
    # 1 - (1 - 0.3 / 4)^4 (1 - 0.3 / 24)^12 = 0.370; the count is within 5 standard deviations but with probability 1e-6
    share = 1.0 - (1.0 - 0.3 / 4) ** 4 * (1.0 - 0.3 / 24) ** 12
    assert share > 0.3
    assert abs(impossible - 150 * share) < 5.0 * math.sqrt(150 * share * (1.0 - share))


def test_deflation_finds_orthonormal_components_each_from_its_part() -> None:
    target = {"n": 66, "d": 3, "B": 22, **WEAK}
    calibration = rank_r.calibrate_deflation(80.0, 0.3, r=3, **target)
    run = lambda A, noise: rank_r.deflation(A, ETA[:1], calibration, noise)  # noqa: E731
    data = rng(1).choice([0.0, 1.0, 1.2], size=(66, 3))
    output, tape = record(run, data, rng(2))
    np.testing.assert_allclose(output.T @ output, np.eye(3), atol=1e-12)
    changed = data.copy()
    changed[22] = 50.0
    np.testing.assert_allclose(replay(run, outer(data), tape), output, atol=1e-9)
    # the second component sees the records with the first one projected away
    w = output[:, 0]
    deflated = data[22:44] - np.outer(data[22:44] @ w, w)
    second = Tape(tuple(replace(e, name=e.name[12:]) for e in tape.entries if e.name.startswith("component 2 ")))
    alone = replay(lambda A, noise: algorithm_3.dp_pca(A, ETA[:1], calibration.dp_pca, noise), deflated, second)
    np.testing.assert_allclose(abs(alone @ output[:, 1]) / np.linalg.norm(alone - w * (w @ alone)), 1.0, rtol=1e-9)


def test_deflation_of_the_largest_entries_stays_in_range() -> None:
    calibration = rank_r.calibrate_deflation(80.0, 0.3, n=40, r=2, d=2, B=20, **WEAK)
    for data in (np.full((40, 2), LARGEST_ENTRY), np.full((40, 2, 2), LARGEST_ENTRY**2)):
        for seed in range(5):
            output = rank_r.deflation(data, (1.0,), calibration, Sample(rng(seed)))
            np.testing.assert_allclose(output.T @ output, np.eye(2), atol=1e-12)


def test_block_of_one_is_dp_pca() -> None:
    target = {"n": 65, "d": 2, "B": 21, **WEAK}
    one, block = algorithm_3.calibrate(80.0, 0.3, **target), rank_r.calibrate_block(80.0, 0.3, r=1, **target)
    assert one == block.dp_pca
    data = rng(4).choice([0.0, 1.0, 1.1], size=(65, 2))
    output, tape = record(lambda A, noise: algorithm_3.dp_pca(A, ETA[:3], one, noise), data, rng(5))
    start, *rest = tape.entries
    column = Tape((replace(start, draw=start.draw[:, np.newaxis]), *rest))
    as_block = replay(lambda A, noise: rank_r.block_dp_pca(A, ETA[:3], block, noise), data, column)
    np.testing.assert_allclose(as_block[:, 0], output, rtol=1e-9)


def test_block_is_orthonormal_for_rows_and_matrices() -> None:
    calibration = rank_r.calibrate_block(80.0, 0.3, n=42, d=3, r=2, B=21, **WEAK)
    run = lambda A, noise: rank_r.block_dp_pca(A, ETA[:2], calibration, noise)  # noqa: E731
    data = rng(4).choice([0.0, 1.0, 1.1], size=(42, 3))
    output, tape = record(run, data, rng(5))
    np.testing.assert_allclose(output.T @ output, np.eye(2), atol=1e-12)
    np.testing.assert_allclose(replay(run, outer(data), tape), output, atol=1e-9)


# --- edges -------------------------------------------------------------------------------------------------


def test_clip_at_the_boundary() -> None:
    g = np.array([[3.0, 4.0], [3.0, 4.0000001], [0.0, 0.0], [0.3, 0.4], [1e120, -1e120]])
    found = clip(g, 5.0)
    assert np.array_equal(found[0], g[0])  # exactly at beta: as it is
    assert np.array_equal(found[2:4], g[2:4])
    np.testing.assert_allclose(np.linalg.norm(found[[1, 4]], axis=1), 5.0, rtol=1e-15)


@pytest.mark.parametrize("scale", [1e-300, 1e-160, 1.0, 1e160, 1e300])
def test_normalise_at_any_length(scale: float) -> None:
    np.testing.assert_allclose(normalise(scale * np.array([3.0, -4.0])), [0.6, -0.8], rtol=1e-15)


@pytest.mark.parametrize("w", [[0.0, 0.0], [math.inf, 1.0], [math.nan, 1.0]])
def test_normalise_refuses_what_has_no_direction(w: list[float]) -> None:
    with pytest.raises(ValueError, match="must be finite and not 0"):
        normalise(np.array(w))


@pytest.mark.parametrize("offset", [0.0, 1e10, 1e15, 1e16, 1e18, 1e30])
def test_mean_keeps_its_sensitivity_far_from_zero(offset: float) -> None:
    """Gradients whose spread is near, or below, the spacing of floats at their size: no allowance for rounding is needed."""
    calibration = algorithm_5.calibrate(60.0, 0.3, B=50, d=1, K=1.0, zeta=0.1, choices=algorithm_5.LEAN)
    own = rng(1)
    for _ in range(50):
        g = offset + 20.0 * own.standard_normal((50, 1))
        h = g.copy()
        h[own.integers(50)] = offset + 40.0 * own.standard_normal()
        found = lockstep(lambda x, noise: algorithm_5.private_mean(x, 1.0, calibration, noise), g, h, own)
        for release in found.releases:
            assert release.change <= release.sensitivity * (1.0 + 1e-12)


def test_huge_and_tiny_gradients_have_bins_and_means() -> None:
    calibration = algorithm_5.calibrate(80.0, 0.3, B=10, d=1, **WEAK)
    for eigenvalue, value in ((5e-324, 1e121), (1e242, 5e-324), (1e-300, -1e121), (1.0, 0.0)):
        g = np.full((10, 1), value)
        found = [algorithm_5.private_mean(g, eigenvalue, calibration, Sample(rng(seed))) for seed in range(20)]
        means = [float(x[0]) for x in found if x is not None]
        assert means
        reach = (calibration.tau + 10.0 * calibration.std) * math.sqrt(eigenvalue)
        assert all(abs(mean - value) <= reach + 1e-14 * abs(value) for mean in means)


def test_eigenvalue_bins_hold_what_they_say() -> None:
    """2^(i/4) <= eigenvalue < 2^((i+1)/4), but for rounding at the edges."""
    for eigenvalue in [5e-324, 1e-300, 0.3, 1.0, 2.0**0.25, 1.99, 2.0, 1e242]:
        i, is_zero = algorithm_4.bin_of(eigenvalue)
        assert not is_zero
        assert math.log2(eigenvalue) == pytest.approx(i / 4.0 + 0.125, abs=0.125 + 1e-12)
    assert algorithm_4.bin_of(0.0) == (0.0, 1.0)


# --- calibrations ------------------------------------------------------------------------------------------


def test_printed_noise_and_threshold() -> None:
    found = algorithm_2.calibrate(0.5, 1e-3, n=50, d=4, lambda_1=2.0, K=3.0, gamma=0.7, a=1.5, choices=algorithm_2.AS_PRINTED)
    assert found.alpha == pytest.approx(math.log(50 / 1e-3) / (0.5 * math.sqrt(50)))
    assert found.beta == pytest.approx(2.0 * 2.0 * (3.0 * 0.7 * math.log(50 * 4 / 0.01) ** 1.5 + 1.0))
    corrected = algorithm_2.calibrate(0.5, 1e-3, n=50, d=4, lambda_1=2.0, K=3.0, gamma=0.7, a=1.5)
    assert corrected.beta == pytest.approx(2.0 * 2.0 * (3.0 * 0.7 * math.log(2 * 50 * 4 / 0.01) ** 1.5 + 1.0))
    assert shuffled_gaussian_delta(0.5, corrected.alpha, 50) <= 1e-3


@pytest.mark.parametrize(("epsilon", "holds"), [(0.3, (True, False)), (3.0, (False, False)), (0.01, (True, True))])
def test_lemma_3_1s_conditions_are_reported(epsilon: float, holds: tuple[bool, bool]) -> None:
    found = algorithm_2.calibrate(epsilon, 1e-3, n=100, d=2, **CLIPPED, choices=algorithm_2.AS_PRINTED)
    assert tuple(condition.holds for condition in found.conditions) == holds
    assert found.conditions_hold == all(holds)


def test_printed_mean_noise() -> None:
    """12 K sqrt(Lambda) log^a(B d / zeta) sqrt(2 d log(2.5 / delta)) / (epsilon B), and the shares of the histograms."""
    found = algorithm_5.calibrate(0.8, 1e-3, B=500, d=4, K=2.0, a=1.5, zeta=0.02, choices=algorithm_5.AS_PRINTED)
    outer_log = math.log(500 * 4 / 0.02) ** 1.5
    assert found.std == pytest.approx(12 * 2.0 * outer_log * math.sqrt(2 * 4 * math.log(2.5 / 1e-3)) / (0.8 * 500))
    assert found.tau == pytest.approx(2**0.25 * 2.0 * math.log(25) ** 1.5)
    assert found.histogram == pytest.approx((0.8 / (4 * math.sqrt(2 * 4 * math.log(4 / 1e-3))), 1e-3 / (4 * 4)))
    assert found.threshold == stability_threshold(*found.histogram)


def test_top_eigenvalue_subsets() -> None:
    found = algorithm_4.calibrate(0.5, 1e-3, B=1000, zeta=0.1)
    assert found.k == math.ceil(4.0 * math.log(1e4) / 0.5)
    assert found.b == 1000 // (2 * found.k)
    assert (found.scale, found.threshold) == (4.0, stability_threshold(0.5, 1e-3))


# --- refusals ----------------------------------------------------------------------------------------------

_TWO = {"n": 7, "d": 3, **CLIPPED}
_THREE = {"n": 65, "d": 2, "B": 21, **WEAK}


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: check_data("A", np.ones(3)), r"shape \(n, d\) or \(n, d, d\)"),
        (lambda: check_data("A", np.ones((2, 3, 2))), r"got \(2, 3, 2\)"),
        (lambda: check_data("A", np.ones((0, 3))), r"all >= 1"),
        (lambda: check_data("A", [[1.0, math.nan]]), "must be finite"),
        (lambda: check_data("A", [[1.01e60]]), "at most 1e\\+60"),
        (lambda: check_data("A", [[[1.01e120]]]), "at most 1e\\+120"),
        (lambda: algorithm_1.oja(ROWS, (0.1,) * 8, Sample(rng())), "at most 7, one for each record, got 8"),
        (
            lambda: algorithm_2.private_oja(ROWS[:6], ETA[:6], algorithm_2.calibrate(1.0, 0.1, **_TWO), Sample(rng())),
            "A must have the n = 7 of its calibration, got 6",
        ),
        (
            lambda: algorithm_2.private_oja(ROWS, ETA[:6], algorithm_2.calibrate(1.0, 0.1, **_TWO), Sample(rng())),
            "must be 7 numbers > 0",
        ),
        (
            lambda: equation_7.minibatch_private_oja(ROWS, (0.1,) * 8, equation_7.calibrate(1.0, 0.1, **_TWO), Sample(rng())),
            "at most n = 7, got 8",
        ),
        (lambda: algorithm_3.calibrate(80.0, 0.3, **{**_THREE, "B": 66}), "B must be at most n = 65"),
        (lambda: algorithm_3.calibrate(0.5, 0.3, **_THREE), "two gradients for each of the k"),
        (lambda: algorithm_3.calibrate(80.0, 0.3, **{**_THREE, "B": 1}), "B must be >= 1"),
        (
            lambda: algorithm_3.dp_pca(np.ones((65, 2)), (1.0,) * 2, algorithm_3.calibrate(80.0, 0.3, **_THREE), Sample(rng())),
            "must be 3 numbers > 0",
        ),
        (
            lambda: algorithm_4.private_top_eigenvalue(
                np.ones((5, 2)), algorithm_4.calibrate(9.0, 0.3, B=6, zeta=0.3), Sample(rng())
            ),
            "g must have the B = 6 of its calibration, got 5",
        ),
        (
            lambda: algorithm_5.private_mean(
                np.ones((5, 3)), 1.0, algorithm_5.calibrate(9.0, 0.3, B=5, d=2, **WEAK), Sample(rng())
            ),
            "g must have the d = 2 of its calibration, got 3",
        ),
        (lambda: rank_r.calibrate_deflation(80.0, 0.3, r=2, **{**_THREE, "n": 1}), "n must be at least r = 2, got 1"),
        (
            lambda: rank_r.block_dp_pca(
                np.ones((65, 3)), (1.0,) * 3, rank_r.calibrate_block(80.0, 0.3, r=1, **_THREE), Sample(rng())
            ),
            "A must have the d = 2 of its calibration, got 3",
        ),
    ],
)
def test_refusals(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()
