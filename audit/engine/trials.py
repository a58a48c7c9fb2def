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

from audit.engine.outputs import Features, Kind, Outputs, OutputTypeError

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
        completed: outputs of all the trials that did complete, by dataset, for `lower_bound_from_outputs`.
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
    """Run the trial that a MechanismError names once more, from the start of its batch."""
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
        self._batches: list[Outputs] = []

    @property
    def kind(self) -> Kind | None:
        """Kind of the outputs seen so far, here or in the stream that this one is like."""
        own = next((batch.kind for batch in self._batches if batch.kind is not None), None)
        return own or (self._like.kind if self._like else None)

    def completed(self) -> list[Any]:
        """Outputs of all completed trials (after `features`)."""
        return [output for batch in self._batches for output in batch.raw]

    def take(self, trials: int) -> Outputs:
        """The next `trials` outputs."""
        start = len(self._batches)
        while trials > 0:
            size = min(BATCH, trials)
            self._batches.append(self._batch(size))
            trials -= size
        return Outputs.concatenate(self._batches[start:])

    def _batch(self, size: int) -> Outputs:
        (child,) = self._seeds.spawn(1)
        first = sum(len(batch) for batch in self._batches)
        outputs: list[Any] = []
        try:
            raw = self._run(size, np.random.default_rng(child), outputs)
            return Outputs.of(raw, self.kind)
        except Exception as error:
            typed = isinstance(error, OutputTypeError)
            offset = error.position if isinstance(error, OutputTypeError) else len(outputs)
            done = outputs[:offset]
            if done:
                self._batches.append(Outputs.of(done, self.kind))
            seed = TrialSeed(child.entropy, child.spawn_key, offset)
            text = str(error) if typed else f"raised {type(error).__name__}: {error}"
            raise MechanismError(text, self._dataset, first + offset, seed) from error

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
            outputs.append(output if self._features is None else self._features(output))
        return outputs
