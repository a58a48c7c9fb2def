"""Private Oja (Algorithm 2) by hand on the draws of a tape, its printed constants, and its refusals."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from dppca.reference.accounting.clones import shuffled_gaussian_delta
from dppca.reference.liu2022 import algorithm_2_private_oja as algorithm_2
from dppca.reference.liu2022.data import gradients
from dppca.reference.noise import Sample, Tape, condition, record, replay
from tests.liu2022.by_hand import (
    CLIPPED,
    ETA,
    MATRICES,
    ROWS,
    SEVEN,
    Array,
    clipped,
    draws,
    matrices,
    rng,
    unit,
)


def by_hand_2(data: Array, tape: Tape, alpha: float, beta: float) -> Array:
    of = draws(tape)
    w = unit(of["w[0]"])
    records = matrices(data)
    for t, eta in enumerate(ETA, start=1):
        g = clipped(records[of["order"][t - 1]] @ w, beta)
        w = unit(w + eta * g + 2.0 * eta * beta * alpha * of[f"g[{t}]"])
    return w


@pytest.mark.parametrize("data", [ROWS, MATRICES])
@pytest.mark.parametrize("choices", [algorithm_2.AS_PRINTED, algorithm_2.CORRECTED])
def test_private_oja_by_hand(data: Array, choices: algorithm_2.Choices) -> None:
    calibration = algorithm_2.calibrate(1.0, 0.1, **SEVEN, choices=choices)
    output, tape = record(lambda A, noise: algorithm_2.private_oja(A, ETA, calibration, noise), data, rng())
    np.testing.assert_allclose(output, by_hand_2(data, tape, calibration.alpha, calibration.beta), rtol=1e-12)
    if data is ROWS:
        norms = [np.linalg.norm(g) for g in gradients(data, output)]
        assert min(norms) < calibration.beta < max(norms)  # some are clipped, some are not


def test_private_oja_declares_that_a_clipped_gradient_moves_by_twice_the_threshold() -> None:
    calibration = algorithm_2.calibrate(1.0, 0.1, **SEVEN)
    run = lambda A, noise: algorithm_2.private_oja(A, ETA, calibration, noise)  # noqa: E731
    terms = condition(run, ROWS, record(run, ROWS, rng())[1]).terms
    assert [(term.name, term.sensitivity) for term in terms] == [(f"g[{t}]", 2.0 * calibration.beta) for t in range(1, 8)]


def test_private_oja_uses_the_order_it_draws() -> None:
    calibration = replace(algorithm_2.calibrate(1.0, 0.1, **SEVEN), alpha=0.0, beta=100.0)
    run = lambda A, noise: algorithm_2.private_oja(A, ETA, calibration, noise)  # noqa: E731
    output, tape = record(run, ROWS, rng())
    order = draws(tape)["order"]
    sorted_tape = Tape((replace(tape.entries[0], draw=np.arange(7)), *tape.entries[1:]))
    np.testing.assert_allclose(replay(run, ROWS[order], sorted_tape), output)
    assert not np.allclose(replay(run, ROWS, sorted_tape), output)


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


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: algorithm_2.private_oja(ROWS[:6], ETA[:6], algorithm_2.calibrate(1.0, 0.1, **SEVEN), Sample(rng())),
            "A must have the n = 7 of its calibration, got 6",
        ),
        (
            lambda: algorithm_2.private_oja(ROWS, ETA[:6], algorithm_2.calibrate(1.0, 0.1, **SEVEN), Sample(rng())),
            "must be 7 numbers > 0",
        ),
    ],
)
def test_refusals(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()
