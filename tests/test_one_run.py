"""A local protocol audited in one run: every client is a trial on the row that it holds."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from dppca.audit.engine.results import Claim
from dppca.audit.suite.instance import Audits, Built, OneRun, Word, run

E1, E2 = np.eye(2)


def _rows(X: NDArray[np.float64], rng: np.random.Generator) -> list[int]:
    return [int(column) for column in X.argmax(axis=1)]


def _randomized_response(truth: float) -> OneRun:
    """Return a protocol whose clients name their row truly with probability `truth`: log(truth / (1 - truth))-DP."""

    def messages(X: NDArray[np.float64], rng: np.random.Generator) -> list[int]:
        return np.where(rng.random(len(X)) < truth, X.argmax(axis=1), X.argmin(axis=1)).tolist()

    return OneRun(messages, E1, E2)


def test_messages_are_sorted_by_the_row_held() -> None:
    held = OneRun(_rows, E1, E2).hold(1000, seed=0)
    assert 900 < held.trials <= 1000  # false alarm below 1e-5
    rng = np.random.default_rng(0)
    assert held.sample(0, held.trials, rng) == [0] * held.trials
    assert held.sample(1, 10, rng) == [1] * 10
    assert len(held.sample(0, 2000, rng)) + held.trials + len(held.sample(1, 2000, rng)) + 10 == 2000


@pytest.mark.parametrize(("truth", "verdict"), [(0.7, "NOT REFUTED"), (0.8, "REFUTED")])
def test_randomized_response(truth: float, verdict: Word) -> None:
    """The claim is true at 0.7 and false at 0.8; false alarm below 1e-3."""
    claim = Claim(float(np.log(0.7 / 0.3)))
    audits = Audits("randomized response", lambda _: [Built("output", "", claim, _randomized_response(truth))])
    audits.of("", "output", "", claim, verdict, trials=10_000)
    (instance,) = audits.instances
    row = run(instance, budget="standard", seed=0, confidence=0.999, progress=lambda _: None)
    assert row.verdict == verdict == row.expected
    assert row.view == "output"
    again = run(instance, budget="standard", seed=0, confidence=0.999, progress=lambda _: None)
    assert again.lower_bound == row.lower_bound
