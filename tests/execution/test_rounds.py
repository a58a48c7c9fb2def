"""Checks within a time: rounds of doubling size that share the error."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

from dppca import audit
from dppca.audit.auditor.results import Claim, LowerBound, Nested, Verdict
from dppca.audit.execution.output_view import _in_rounds


class Laplace:
    def sample(self, data: float, trials: int, rng: np.random.Generator) -> Any:
        return data + rng.laplace(size=trials)


def no_noise(data: float, rng: np.random.Generator) -> float:
    time.sleep(0.01)
    return data


def test_what_adds_no_noise_is_refuted_by_the_first_round_of_a_slow_mechanism() -> None:
    started = time.perf_counter()
    verdict = audit.check(no_noise, 0.0, 1.0, audit.Claim(1.0), seconds=60)
    assert verdict.refuted
    assert verdict.bound.trials == 100
    assert verdict.bound.confidence == 0.95
    assert time.perf_counter() - started < 40.0  # it is 6 s on an idle machine


def test_rounds_use_all_trials_where_there_is_time() -> None:
    verdict = audit.check(Laplace(), 0.0, 1.0, audit.Claim(1.0), trials=6300, seconds=3600)
    assert not verdict.refuted
    assert verdict.bound.trials == 6300
    assert 0.7 < verdict.bound.epsilon <= 1.0
    wide = audit.check(Laplace(), 0.0, 1.0, audit.Claim(1.0), trials=verdict.tested.trials * 10 // 7)
    assert np.max(verdict.band([0.5]).upper - verdict.band([0.5]).lower) > np.max(
        wide.band([0.5]).upper - wide.band([0.5]).lower
    )  # the round's part of the error is narrower


@pytest.mark.parametrize(("takes", "seconds", "expected"), [(0.0, 100.0, [100, 200, 400, 800, 500]), (0.05, 0.06, [100])])
def test_sizes_double_and_parts_of_the_error_are_fixed_before(takes: float, seconds: float, expected: list[int]) -> None:
    sizes, errors = list[int](), list[float]()

    def one(size: int, confidence: float, seed: int) -> Verdict:
        sizes.append(size)
        errors.append(1.0 - confidence)
        time.sleep(takes)
        bound = LowerBound(0.1 * len(sizes), 0.0, confidence, size, takes, "", seed, "fixed size")
        return Verdict(False, bound, Claim(1.0), Nested(np.zeros(1, np.int64), np.zeros(1, np.int64), size, 1))

    found = _in_rounds(one, 2000, seconds, 0.95, 3, time.perf_counter())
    assert sizes == expected
    assert found.bound.trials == sum(expected)
    assert found.bound.epsilon == pytest.approx(0.1 * len(expected))
    assert errors == pytest.approx([0.05 * 0.5 ** (5 - k) for k in range(len(expected))], rel=1e-4)
    assert errors[0] < 0.05 * 0.5**5  # less what refusals cost
    assert sum(errors) < 0.05
