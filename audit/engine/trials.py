"""Running a mechanism many times: seeding, batches, and errors that lose nothing.

The auditor owns all seeding. A stream of trials on one dataset is cut into batches of fixed size; batch b
draws from the b-th child of the stream's SeedSequence, so the same seed gives the same bits however the
batches are scheduled, and no two batches or datasets share a stream.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from audit.engine.outputs import Features, Kind, Outputs, OutputTypeError, concatenate

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
        sampler = getattr(mechanism, "sample", None)
        if sampler is None and not callable(mechanism):
            raise TypeError(f"mechanism must be callable or have a method sample, got {mechanism!r}")
        self._sampler = sampler
        self._mechanism = mechanism
        self._data = data
        self._dataset = dataset
        self._seeds = seeds
        self._features = features
        self._like = like
        self._kind: Kind | None = None
        self._batches: list[Any] = []
        self._snapshot = data.copy() if isinstance(data, np.ndarray) else None

    @property
    def kind(self) -> Kind | None:
        """Kind of the outputs seen so far, here or in the stream that this one is like."""
        return self._kind or (self._like.kind if self._like else None)

    def completed(self) -> list[Any]:
        """Outputs of all completed trials (after `features`)."""
        return [output for batch in self._batches for output in batch]

    def batch(self, size: int) -> Any:
        """The next `size` outputs, with one child of the seed sequence: a list or an array."""
        (child,) = self._seeds.spawn(1)
        first = sum(len(batch) for batch in self._batches)
        outputs: list[Any] = []
        try:
            raw = self._run(size, np.random.default_rng(child), outputs)
            self._kind = Outputs.of(raw, self.kind).kind
            self._check_dataset()
        except Exception as error:
            typed = isinstance(error, OutputTypeError)
            offset = error.position if isinstance(error, OutputTypeError) else len(outputs)
            if outputs[:offset]:
                self._batches.append(outputs[:offset])
            seed = TrialSeed(child.entropy, child.spawn_key, offset)
            text = str(error) if typed else f"raised {type(error).__name__}: {error}"
            raise MechanismError(text, self._dataset, first + offset, seed) from error
        self._batches.append(raw)
        return raw

    def _check_dataset(self) -> None:
        if self._snapshot is not None and not np.array_equal(self._snapshot, self._data, equal_nan=True):
            raise OutputTypeError("changed its dataset, so its trials are not independent", 0)

    def _run(self, size: int, rng: np.random.Generator, outputs: list[Any]) -> Any:
        """Fill `outputs` (so that a failure keeps what was done), or return what `sample` returned."""
        if self._sampler is not None:
            raw = self._sampler(self._data, size, rng)
            if len(raw) != size:
                raise OutputTypeError(f"returned {len(raw)} outputs from sample(data, {size}, rng)", 0)
            if self._features is None:
                return raw
            outputs.extend(self._features(output) for output in raw)
            return outputs
        for _ in range(size):
            output = self._mechanism(self._data, rng)
            outputs.append(_owned(output if self._features is None else self._features(output)))
        return outputs


def take_both(streams: tuple[Stream, Stream], trials: int) -> tuple[Any, Any]:
    """The next `trials` outputs of two streams, in alternating batches, so that a failure finds both under way."""
    batches: tuple[list[Any], list[Any]] = ([], [])
    while trials > 0:
        size = min(BATCH, trials)
        for stream, taken in zip(streams, batches, strict=True):
            try:
                taken.append(stream.batch(size))
            except MechanismError as error:
                error.completed = {"data": streams[0].completed(), "neighbour": streams[1].completed()}
                raise
        trials -= size
    return concatenate(batches[0]), concatenate(batches[1])


def _owned(output: Any) -> Any:
    """A copy of what a mechanism may use again for its next output."""
    if isinstance(output, np.ndarray):
        return output.copy()
    return tuple(map(_owned, output)) if type(output) is tuple else output
