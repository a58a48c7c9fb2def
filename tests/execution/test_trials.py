"""Trials in batches: errors that lose nothing, blocks and seeds."""

from __future__ import annotations

import dataclasses
import functools
import re
import sys
import time
import traceback
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from dppca import audit
from dppca.audit.execution import trials
from dppca.audit.execution.batches import Clock
from dppca.audit.execution.runner import Runner
from dppca.audit.execution.trials import Trials
from tests.studies.known_mechanisms import Vectorised


def drawn(dataset: int, sizes: list[int]) -> list[float]:
    """Return the numbers that trials draw at seed 0, one a trial, where so many at a time are asked for."""
    run = Trials(lambda _, rng: rng.random(), (0, 1), np.random.SeedSequence(0).spawn(2)[1], None, sum(sizes))
    with Runner(1, None, None, callables=(), data=()) as runner:
        return [u for size in sizes for both in run.take(size, runner) for u in both[dataset]]


def failing(at: int, sizes: list[int], action: Callable[[], Any]) -> Callable[[float, np.random.Generator], Any]:
    """Return a mechanism whose trial number `at` on the first dataset does something else: the one that draws its number."""
    number = drawn(0, sizes)[at]

    def mechanism(x: float, rng: np.random.Generator) -> Any:
        value = rng.random()
        return action() if value == number else value

    return mechanism


def _raise() -> float:
    raise RuntimeError("no luck")


@pytest.mark.parametrize(
    ("action", "message"),
    [
        (_raise, "raised RuntimeError: no luck"),
        (lambda: sys.exit(0), "raised SystemExit: 0"),
        (object, "returned an object; an output is a number, str, bytes, None"),
        (lambda: (1.0, lambda: 0), "in part 1: returned a function; return what it gives when it is called; an output is"),
        (lambda: np.ma.masked_array([1.0, 2.0], [False, True]), "returned a masked array; fill it"),
        (lambda: np.zeros(1, "V3"), r"returned an array of dtype \|V3, numbers are needed"),
        (lambda: functools.reduce(lambda inner, _: (inner,), range(500), 1.0), "returned something nested more than 20 deep"),
    ],
)
def test_a_failing_trial_is_named_and_nothing_is_lost(action: Callable[[], Any], message: str) -> None:
    at = 7312
    with pytest.raises(audit.MechanismError, match=message) as caught:
        audit.lower_bound(failing(at, [10_000], action), 0.0, 1.0, trials=10_000)
    error = caught.value
    assert error.trial == at
    assert "trial 7,312 (seed entropy 0, spawn key" in str(error)
    assert len(error.completed["data"]) == at
    seen = audit.rerun(lambda _, rng: rng.random(), 0.0, error.seed)
    block = np.random.default_rng(np.random.SeedSequence(error.seed.entropy, spawn_key=error.seed.spawn_key))
    assert seen == block.random(error.seed.offset + 1)[-1] == drawn(0, [10_000])[at]


def test_a_sampler_of_the_wrong_length_is_named() -> None:
    with pytest.raises(audit.MechanismError, match=r"returned 3 outputs from sample\(data, (\d+), rng\), not \1"):
        audit.lower_bound(Vectorised(lambda x, n, rng: [1.0, 2.0, 3.0]), 0.0, 1.0, trials=1000)


def test_a_reused_buffer_is_copied() -> None:
    buffer = np.zeros(1)

    def mechanism(_: int, rng: np.random.Generator) -> np.ndarray:
        buffer[0] = rng.random()
        return buffer

    assert audit.lower_bound(mechanism, 0, 0, trials=2000).epsilon < 0.3


def test_completed_outputs_are_copies() -> None:
    buffer, last = np.zeros(1), drawn(0, [1000])[500]

    def mechanism(_: int, rng: np.random.Generator) -> np.ndarray:
        buffer[0] = rng.random()
        if buffer[0] == last:
            raise RuntimeError("no more")
        return buffer

    with pytest.raises(audit.MechanismError) as caught:
        audit.lower_bound(mechanism, 0, 0, trials=1000)
    assert len({float(output[0]) for output in caught.value.completed["data"]}) == 500


def test_a_mechanism_that_changes_its_dataset_is_named() -> None:
    def mechanism(X: np.ndarray, rng: np.random.Generator) -> float:
        X += rng.normal(size=X.shape)
        return float(X.sum())

    with pytest.raises(audit.MechanismError, match="changed its dataset"):
        audit.lower_bound(mechanism, np.zeros(3), np.ones(3), trials=1000)


def laplace(x: float, n: int, rng: np.random.Generator) -> Any:
    return x + rng.laplace(size=n)


def batch_of(mechanism: Any, **changes: Any) -> trials.OutputBatch:
    return dataclasses.replace(
        trials.OutputBatch(np.random.SeedSequence(1), 5, "the pair", mechanism, (0.0, 1.0), None, (), 3), **changes
    )


def test_a_clock_is_told_of_every_call_and_of_the_first_trial_of_every_block() -> None:
    class Told(Clock):
        calls: list[int] = []  # noqa: RUF012

        def start(self, trial: int) -> None:
            self.calls.append(trial)

    assert batch_of(lambda x, rng: x).run(Told()) == ([0.0] * 5, [1.0] * 5)
    assert Told.calls == list(range(10))
    Told.calls.clear()
    batch = batch_of(Vectorised(laplace))
    batch.run(Told())
    assert Told.calls == [block.call for block in batch.blocks]


def test_blocks_alternate_at_random_and_fill_both_datasets() -> None:
    batch = batch_of(lambda x, rng: x, size=5000, longest=64)
    assert batch.counts() == (5000, 5000)
    sizes = np.array([block.size for block in batch.blocks])
    assert (sizes.min(), sizes.max()) == (1, 64)
    assert [block.call for block in batch.blocks] == [0, *np.cumsum(sizes)[:-1].tolist()]
    changes = np.mean(np.diff([block.dataset for block in batch.blocks]) != 0)
    assert 0.4 < changes < 0.6  # 1/2, with about 300 blocks: a standard deviation of 0.03
    for call in (0, 77, 9999):
        dataset, number, _, place = batch.locate(call)
        block = next(b for b in batch.blocks if b.call <= call < b.call + b.size)
        assert (dataset, number, place) == (trials.NAMES[block.dataset], block.trial + call - block.call, call - block.call)
    assert [len(of) for of in dataclasses.replace(batch, only=1).run(Clock())] == [0, 5000]
    assert 20 <= sum(batch.head().counts()) < 20 + 64  # whole blocks


def test_no_two_blocks_share_a_seed() -> None:
    seen: set[float] = set()
    both = batch_of(lambda x, rng: rng.random(), size=5000, longest=64).run(Clock())
    for outputs in both:
        seen.update(outputs)
    assert len(seen) == 10_000


def test_a_mechanism_that_is_slow_is_told_of_once_it_is_warm(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first call takes half a second, the others none; the forecast is for all that is planned."""
    told: list[tuple[float, int, int]] = []
    monkeypatch.setattr(trials, "announce_time", lambda *what: told.append(what))
    cold = [True]

    def mechanism(x: float, rng: np.random.Generator) -> float:
        if cold.pop() if cold else False:
            time.sleep(0.5)
        return float(x + rng.laplace())

    audit.lower_bound(mechanism, 0.0, 1.0, trials=1000)
    ((seconds, done, planned),) = told
    assert (seconds < 0.5, done, planned) == (True, 10, 2000)


@pytest.mark.slow
def test_progress_counts_the_runs_of_a_batch_that_is_under_way() -> None:
    told: list[int] = []
    run = Trials(lambda _, rng: (time.sleep(2e-3), rng.random())[1], (0, 1), np.random.SeedSequence(0), None, 500)
    with Runner(1, None, None, isolate=True, callables=(), data=()) as runner:
        batches = list(run.take(500, runner, told.append))
    assert (len(batches), sum(told)) == (1, 500)
    assert len(told) > 3  # a look every quarter of a second at what takes two


@pytest.mark.parametrize("isolate", [False, True])
def test_a_failure_is_traced_from_the_users_code_on(isolate: bool) -> None:
    with pytest.raises(audit.MechanismError) as caught:
        audit.lower_bound(lambda *_: _raise(), 0.0, 1.0, trials=100, isolate=isolate)
    shown = "".join(traceback.format_exception(caught.value.__cause__)) if not isolate else caught.value.__notes__[0]
    assert re.findall(r'File ".*?([\w.]+)", line', shown) == ["test_trials.py"] * 2
    with pytest.raises(audit.MechanismError) as refused:
        audit.lower_bound(lambda *_: object(), 0.0, 1.0, trials=100, isolate=isolate)
    assert not hasattr(refused.value, "__notes__")
