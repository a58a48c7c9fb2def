"""Running a mechanism many times: seeding, batches, and errors that lose nothing.

The auditor owns all seeding. A stream of trials on one dataset is cut into batches of fixed size; batch b
draws from the b-th child of the stream's SeedSequence, so the same seed gives the same bits however the
batches are scheduled, and no two batches or datasets share a stream.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dppca.audit.engine.batches import HEAD, Batch, BatchError, Clock, Failure
from dppca.audit.engine.outputs import Features, Kind, Outputs, OutputTypeError, concatenate
from dppca.audit.engine.runner import Runner
from dppca.audit.engine.values import owned

#: Trials per batch; part of what a seed means.
BATCH = 5000


@dataclass(frozen=True)
class TrialSeed:
    """Where a trial's randomness came from: the seed of its batch and its place in the batch."""

    entropy: Any
    spawn_key: tuple[int, ...]
    offset: int

    def generator(self) -> np.random.Generator:
        """The batch's generator, at the start of the batch."""
        return np.random.default_rng(np.random.SeedSequence(self.entropy, spawn_key=self.spawn_key))


class MechanismError(RuntimeError):
    """A mechanism failed or returned something that is no output.

    Attributes:
        dataset: "data" or "neighbour".
        trial: number of the failing trial on that dataset, from 0.
        seed: its TrialSeed; `rerun` runs that trial again.
        completed: outputs of all the trials that did complete, by dataset. A bound that
            `lower_bound_from_outputs` draws from them is conditional on no failure.
    """

    def __init__(self, problem: str, dataset: str, trial: int, seed: TrialSeed) -> None:
        super().__init__(
            f"mechanism {problem} on {dataset}, trial {trial:,} "
            f"(seed entropy {seed.entropy}, spawn key {seed.spawn_key}, offset {seed.offset})"
        )
        self.dataset = dataset
        self.trial = trial
        self.seed = seed
        self.completed: dict[str, list[Any]] = {}


def rerun(mechanism: Callable[[Any, np.random.Generator], Any], data: Any, seed: TrialSeed) -> Any:
    """Run the trial that a MechanismError names once more, from the start of its batch.

    For mechanisms that are callables (data, rng) -> output; features are not applied.
    """
    if not callable(mechanism):
        raise TypeError(
            f"mechanism must be a callable (data, rng) -> output, got {mechanism!r}; run its sample on seed.generator()"
        )
    rng = seed.generator()
    for _ in range(seed.offset):
        mechanism(data, rng)
    return mechanism(data, rng)


@dataclass(frozen=True, eq=False)
class OutputBatch(Batch):
    """Trials of a mechanism on a dataset; `features` is applied to every output, if given."""

    mechanism: Any
    data: Any
    features: Features | None

    def run(self, clock: Clock) -> Any:
        """A list, or what `sample` returned."""
        before = self.data.copy() if isinstance(self.data, np.ndarray) else self.data
        outputs: list[Any] = []
        try:
            raw = self._run(np.random.default_rng(self.seed), outputs, clock)
            Outputs.of(raw)
            _check_unchanged(self.data, before)
        except OutputTypeError as error:
            raise BatchError(str(error), error.position, outputs[: error.position]) from error
        except Exception as error:
            problem = f"raised {type(error).__name__}: {error}"
            raise BatchError(problem, len(outputs), _valid(outputs)) from error
        return raw

    def head(self) -> OutputBatch:
        """The first calls; all of a `sample`, which is one call."""
        return self if hasattr(self.mechanism, "sample") else replace(self, size=min(self.size, HEAD))

    def _run(self, rng: np.random.Generator, outputs: list[Any], clock: Clock) -> Any:
        """Fill `outputs` (so that a failure keeps what was done), or return what `sample` returned."""
        sampler = getattr(self.mechanism, "sample", None)
        if sampler is not None:
            clock.start(0)
            raw = sampler(self.data, self.size, rng)
            if len(raw) != self.size:
                raise OutputTypeError(f"returned {len(raw)} outputs from sample(data, {self.size}, rng)", 0)
            if self.features is None:
                return raw
            outputs.extend(self.features(output) for output in raw)
            return outputs
        for trial in range(self.size):
            clock.start(trial)
            output = self.mechanism(self.data, rng)
            outputs.append(owned(output if self.features is None else self.features(output)))
        return outputs


class Stream:
    """The trials of one mechanism on one dataset, in order.

    Args:
        mechanism: callable (data, rng) -> output, or an object with sample(data, trials, rng) -> outputs.
        data: the dataset.
        dataset: "data" or "neighbour", for errors.
        seeds: the stream's seed sequence; one child per batch.
        features: applied to every output, or None.
        like: a stream whose outputs have the same kind, or None.
    """

    def __init__(
        self,
        mechanism: Any,
        data: Any,
        dataset: str,
        seeds: np.random.SeedSequence,
        features: Features | None,
        like: Stream | None = None,
    ) -> None:
        if not hasattr(mechanism, "sample") and not callable(mechanism):
            raise TypeError(f"mechanism must be callable or have a method sample, got {mechanism!r}")
        self._mechanism = mechanism
        self._data = data
        self._dataset = dataset
        self._seeds = seeds
        self._features = features
        self._like = like
        self._kind: Kind | None = None
        self._batches: list[Any] = []

    @property
    def kind(self) -> Kind | None:
        """Kind of the outputs seen so far, here or in the stream that this one is like."""
        return self._kind or (self._like.kind if self._like else None)

    def completed(self) -> list[Any]:
        """Outputs of all completed trials (after `features`)."""
        return [output for batch in self._batches for output in batch]

    def plan(self, size: int) -> OutputBatch:
        """The next batch, with the next child of the seed sequence."""
        return OutputBatch(self._seeds.spawn(1)[0], size, self._dataset, self._mechanism, self._data, self._features)

    def accept(self, batch: OutputBatch, result: Any) -> Any:
        """The outputs of the next batch, kept; MechanismError if it failed or they are of another kind than before."""
        if not isinstance(result, Failure):
            try:
                self._kind = Outputs.of(result, self.kind).kind
            except OutputTypeError as error:
                result = Failure(str(error), error.position, list(result[: error.position]), cause=error)
        if isinstance(result, Failure):
            first = sum(map(len, self._batches))
            self._batches.append(result.outputs)
            raise mechanism_error(batch, result, first)
        self._batches.append(result)
        return result


def looks(streams: tuple[Stream, Stream], trials: int, runner: Runner) -> Iterator[tuple[Any, Any]]:
    """The next `trials` outputs of two streams, batch by batch of each, so that a failure finds both under way."""
    sizes = [min(BATCH, trials - start) for start in range(0, trials, BATCH)]
    planned: deque[OutputBatch] = deque()

    def plan() -> Iterator[OutputBatch]:
        for size in sizes:
            for stream in streams:
                planned.append(stream.plan(size))
                yield planned[-1]

    results = runner.run(plan())
    try:
        for _ in sizes:
            first, second = (stream.accept(planned.popleft(), result) for stream, result in zip(streams, results, strict=False))
            yield first, second
    except MechanismError as error:
        error.completed = {"data": streams[0].completed(), "neighbour": streams[1].completed()}
        raise


def take_both(streams: tuple[Stream, Stream], trials: int, runner: Runner) -> tuple[Any, Any]:
    """The next `trials` outputs of two streams."""
    first, second = zip(*looks(streams, trials, runner), strict=True)
    return concatenate(first), concatenate(second)


def mechanism_error(batch: Batch, failure: Failure, first: int) -> MechanismError:
    """The error that a failed batch is, if its first trial has the number `first`."""
    seed = TrialSeed(batch.seed.entropy, batch.seed.spawn_key, failure.offset)
    error = MechanismError(failure.problem, batch.dataset, first + failure.offset, seed)
    error.__cause__ = failure.cause
    if failure.trace:
        error.add_note(f"In a process of its own:\n{failure.trace}")
    return error


def _valid(outputs: list[Any]) -> list[Any]:
    """The outputs before the first that is none."""
    try:
        Outputs.of(outputs)
    except OutputTypeError as error:
        return outputs[: error.position]
    return outputs


def _check_unchanged(data: Any, before: Any) -> None:
    if isinstance(data, np.ndarray) and not np.array_equal(data, before, equal_nan=True):
        raise OutputTypeError("changed its dataset, so its trials are not independent", 0)
