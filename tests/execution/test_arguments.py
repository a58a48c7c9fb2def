"""Arguments of audits that are refused."""

from __future__ import annotations

import io
import math
from typing import Any

import numpy as np
import pytest

from dppca import audit
from dppca.audit.execution import arguments
from dppca.audit.execution.runner import Runner
from dppca.reference.noise import Sample


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"delta": 1.0}, r"delta must be in \[0, 1\), got 1.0"),
        ({"delta": math.nan}, r"delta must be in \[0, 1\), got nan"),
        ({"trials": 99}, "trials must be an integer >= 100, got 99"),
        ({"trials": 1e5}, "trials must be an integer >= 100, got 100000.0"),
        ({"confidence": 1.0}, r"confidence must be in \(0, 1\), got 1.0"),
        ({"seed": -1}, "seed must be >= 0, got -1"),
    ],
)
def test_bad_arguments_are_named_before_any_trial(changes: dict[str, Any], message: str) -> None:
    def mechanism(_: float, __: np.random.Generator) -> float:
        raise AssertionError("ran on bad arguments")

    with pytest.raises(ValueError, match=message):
        audit.lower_bound(mechanism, 0.0, 1.0, **changes)


def test_one_object_in_place_of_two_datasets_is_warned_of() -> None:
    data = [0.0]
    neighbour = data
    neighbour[0] = 1.0
    with pytest.warns(UserWarning, match="data and neighbour are equal") as found:
        audit.lower_bound(lambda x, rng: x[0] + rng.laplace(), data, neighbour, trials=100)
    assert found[0].filename == __file__


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "narrow",
    [
        {"trials": np.int8(120), "seed": np.uint8(255)},
        {"trials": np.uint8(200), "confidence": np.float16(0.9375), "delta": np.float16(0.0625)},
        {"trials": np.int16(2000), "call_memory": np.int32(2**31 - 1), "call_timeout": np.float32(60.0), "workers": np.int8(2)},
    ],
)
def test_numbers_of_narrow_types_are_the_numbers(narrow: dict[str, Any]) -> None:
    plain = {name: number.item() for name, number in narrow.items()}
    first, second = (audit.lower_bound(lambda x, rng: x + rng.laplace(), 0.0, 9.0, **how) for how in (narrow, plain))
    assert first.epsilon == second.epsilon > 0.0
    assert (first.trials, first.seed, first.delta) == (second.trials, second.seed, second.delta)


def test_limits_are_pythons_numbers() -> None:
    """The sum of eight bits and the memory in use is no number of eight bits."""
    with Runner(np.int8(2), None, np.float32(0.5), np.int8(100), callables=(), data=()) as runner:
        limits = runner.limits
    assert (limits.call_timeout, type(limits.call_timeout)) == (0.5, float)
    assert (limits.call_memory, type(limits.call_memory)) == (100, int)


def test_something_that_is_no_mechanism_is_refused() -> None:
    with pytest.raises(ValueError, match="mechanism must be callable or have a method sample, got 3"):
        audit.lower_bound(3, 0.0, 1.0)


def test_what_is_no_store_is_refused_before_anything_is_run() -> None:
    def never(data: Any, rng: np.random.Generator) -> float:
        raise AssertionError("must not be called")

    for call in (
        lambda: audit.check(never, 0.0, 1.0, audit.Claim(1.0), store="runs.sqlite"),
        lambda: audit.lower_bound(never, 0.0, 1.0, store="runs.sqlite"),
    ):
        with pytest.raises(ValueError, match="store must be a Store"):
            call()


def test_classes_and_sequences_are_told_apart_from_what_was_meant() -> None:
    arguments.check_features(float)  # a class that is called to make its objects, which are numbers
    arguments.check_features(None)
    with pytest.raises(ValueError, match=r"features must be a callable .*make an object of it"):
        arguments.check_features(type("Scale", (), {"__call__": lambda self, output: output}))
    for wrong in ("a word", b"bytes", iter([1.0]), 3.0):
        with pytest.raises(ValueError, match="outputs must be a sequence of outputs, got"):
            arguments.check_outputs("outputs", wrong)


def test_advice_is_given_where_a_mechanism_was_taken_for_an_algorithm() -> None:
    rng, noise = np.random.default_rng(1), Sample(np.random.default_rng(1))
    assert "audit.check" in arguments.other_kind(AttributeError("no", name="normal", obj=noise))
    assert "audit.transcript_check" in arguments.other_kind(AttributeError("no", name="gaussian", obj=rng))
    for error in (
        AttributeError("no", obj=noise),
        AttributeError("no"),
        AttributeError("no", name="gaussian", obj=3.0),
        AttributeError("no", name="unknown", obj=rng),
        AttributeError("no", name="unknown", obj=noise),
        NameError("no", name="normal"),
    ):
        assert arguments.other_kind(error) == ""


@pytest.mark.parametrize(
    "used_up",
    [iter([1, 0]), (x for x in [1, 0]), io.StringIO("1\n0\n"), map(int, "10")],
    ids=["iterator", "generator", "file", "map"],
)
def test_a_dataset_that_one_trial_uses_up_is_refused(used_up: Any) -> None:
    for audited in (audit.lower_bound, audit.transcript_lower_bound):
        with pytest.raises(ValueError, match=r"^neighbour must be there for every trial, got .*: pass a list$"):
            audited(lambda data, _: sum(map(int, data)), [1, 1], used_up, trials=100, delta=1e-5)


def test_an_algorithm_that_is_a_generator_is_refused() -> None:
    def releases(data: Any, noise: Any) -> Any:
        yield noise.gaussian("sum", sum(data), std=1.0, sensitivity=1.0)

    async def waits(data: Any, noise: Any) -> Any:
        return noise.gaussian("sum", sum(data), std=1.0, sensitivity=1.0)

    for algorithm in (releases, waits):
        with pytest.raises(ValueError, match="is a generator or a coroutine"):
            audit.transcript_lower_bound(algorithm, [1], [0], trials=100, delta=1e-5)
