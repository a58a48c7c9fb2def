"""The search for hyperparameters: what it scores, when it stops, and what it shows."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest

from dppca.reference.liu2022 import algorithm_3_dp_pca as algorithm_3
from dppca.reference.liu2022 import hyperparameter_search as search
from dppca.reference.noise import Sample, lockstep, record
from dppca.reference.primitives.composition import (
    serial,
)
from tests.liu2022.by_hand import (
    WEAK,
    draws,
    rng,
)


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
