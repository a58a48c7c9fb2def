"""Transcripts that are drawn."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.special import log_softmax, softmax
from scipy.stats import laplace, norm

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


VALUES, OTHERS, TILT, STD = np.array([0.3, -0.2]), np.array([-0.4, 0.5]), 0.7, 0.6
#: By kind of release: how it is drawn; the logarithm of its density, given the values; and that of the tilted law.
KINDS: dict[str, tuple[Any, Any, Any]] = {
    "gaussian": (
        lambda value, noise: noise.gaussian("g", value, std=STD, sensitivity=2.0),
        lambda x, value: norm.logpdf(x, value, STD).sum(),
        lambda x: norm.logpdf(x, VALUES + TILT * (VALUES - OTHERS), STD).sum(),
    ),
    "exponential": (
        lambda value, noise: noise.exponential("e", value, multiplier=3.0, sensitivity=2.0),
        lambda x, value: log_softmax(3.0 * value)[x],
        lambda x: log_softmax(3.0 * ((1.0 + TILT) * VALUES - TILT * OTHERS))[x],
    ),
    "laplace": (
        lambda value, noise: noise.laplace("l", value, scale=STD, sensitivity=2.0),
        lambda x, value: laplace.logpdf(x, value, STD).sum(),
        lambda x: laplace.logpdf(x, VALUES, STD).sum(),  # which has no tilt
    ),
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_release_has_the_law_and_the_ratios_of_its_density(kind: str) -> None:
    """The mean of p / r is 1; all but one in 10^6 seeds are within five standard errors."""
    algorithm, log_density, log_tilted = KINDS[kind]
    rng, weights, seen = np.random.default_rng(3), list[float](), list[Any]()
    for _ in range(1000):
        released: list[Any] = []
        drawn = transcripts.draw_transcript(algorithm, VALUES, OTHERS, rng, TILT, released=released)
        p, q, r = log_density(released[0], VALUES), log_density(released[0], OTHERS), log_tilted(released[0])
        assert drawn.loss == pytest.approx(p - q, rel=1e-9, abs=1e-9)
        assert drawn.loss < p - q + 1e-15 * (abs(p) + abs(q))  # less its rounding
        assert drawn.log_weight == pytest.approx(p - r, rel=1e-9, abs=1e-9)
        if kind == "exponential":
            ratio = log_density(slice(None), VALUES) - log_density(slice(None), OTHERS)
            mean = float(softmax(3.0 * VALUES) @ ratio)
            assert drawn.scale == pytest.approx(float(softmax(3.0 * VALUES) @ (ratio - mean) ** 2))
            assert drawn.excess == pytest.approx(p - q - mean)
        seen.append(released[0])
        weights.append(math.exp(drawn.log_weight))
    assert len({repr(each) for each in seen}) > 1
    if kind == "gaussian":
        tilted = VALUES + TILT * (VALUES - OTHERS)
        assert np.all(np.abs(np.mean(seen, axis=0) - tilted) <= 5.0 * STD / math.sqrt(len(seen)))
    assert abs(np.mean(weights) - 1.0) <= 5.0 * np.std(weights) / math.sqrt(len(weights))
