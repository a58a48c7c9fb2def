"""Transcripts that are drawn."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from dppca.audit.execution import transcripts
from dppca.reference.noise import Noise


def test_runs_of_different_length_are_told_apart_whichever_ends_first() -> None:
    def counted(data: int, noise: Noise) -> int:
        for i in range(data):
            noise.gaussian(f"g[{i}]", np.zeros(1), std=1.0, sensitivity=1.0)
        return data

    for data, neighbour in ((2, 1), (1, 2)):
        assert transcripts.draw_transcript(counted, data, neighbour, np.random.default_rng(1)).loss == math.inf
    alike = transcripts.draw_transcript(counted, 2, 2, np.random.default_rng(1))
    assert (alike.loss, alike.outputs) == (0.0, (2, 2))


def test_the_share_without_tilt_is_drawn_without_tilt() -> None:
    """With a share of nearly 1 the release is the one that no tilt gives, and weighs 1; with none it is moved."""

    def one(data: float, noise: Noise) -> float:
        return float(noise.gaussian("g", data, std=1.0, sensitivity=1.0))

    def released(tilt: float, share: float, before: int) -> tuple[list[Any], float]:
        rng, found = np.random.default_rng(5), list[Any]()
        rng.random(before)
        weight = transcripts.draw_transcript(one, 0.0, 1.0, rng, tilt, share=share, released=found).log_weight
        return found, weight

    plain, weight = released(0.0, 0.0, 1)
    assert weight == 0.0
    mixed, weight = released(2.0, 1.0 - 1e-12, 0)  # one number is drawn to choose the law
    assert mixed == plain
    assert weight == pytest.approx(0.0, abs=1e-9)
    moved, weight = released(2.0, 0.0, 1)
    assert abs(float(moved[0]) - float(plain[0])) > 0.5
    assert weight != 0.0
