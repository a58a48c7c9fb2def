"""Running a mechanism many times: seeding, batches, and errors that lose nothing.

The auditor owns all seeding. A stream of trials on one dataset is cut into batches of fixed size; batch b
draws from the b-th child of the stream's SeedSequence, so the same seed gives the same bits however the
batches are scheduled, and no two batches or datasets share a stream. So are the generators seeded that belong to the
process. What draws elsewhere, or carries something from one trial to the next, is refused: trials would not be
independent. That is asked of some trials before all others (Probe), and of every batch.
"""

from __future__ import annotations

import math
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import numpy as np

from dppca.audit.engine.announce import announce_size, announce_time
from dppca.audit.engine.arguments import check_mechanism, other_kind
from dppca.audit.engine.batches import HEAD, Batch, BatchError, Clock, Failure
from dppca.audit.engine.columns import in_columns
from dppca.audit.engine.outputs import Features, Mark, Outputs, OutputTypeError, concatenate, kind_of
from dppca.audit.engine.packing import pack, unpack
from dppca.audit.engine.runner import Runner
from dppca.audit.engine.state import Copies, State, fingerprint, is_plain, later, seedable, seeded
from dppca.audit.engine.values import as_tree, owned

#: Trials per batch; part of what a seed means.
BATCH = 5000
#: One in so many trials is run by a probe, at least so many; seeds that must not all give the same outputs.
_PROBE_SHARE, _PROBE_LEAST, _PROBE_SEEDS = 100, 2, 10
#: Trials that are run again where something has changed that may be harmless: of the first batch, of others; one of so many.
_AGAIN, _AGAIN_LATER, _AGAIN_SHARE = 1000, 100, 20
PROBE_KEY = 2**32 - 2
CHANGED_DATA, LET_IT_COPY = "changed its dataset, so its trials are not independent", "Let it work on a copy"
DRAW_FROM_RNG = (
    "Draw from rng alone, or from a generator seeded by it, as np.random.default_rng(rng.integers(2**63)), and keep nothing "
    "from call to call; outputs of a program that has its own randomness can be given to lower_bound_from_outputs"
)
NO_COPY = "keeps a state, and cannot be copied (pickled) to see whether it is of a dataset"
KEEP_NOTHING = "Keep nothing from call to call, or let it be pickled"
_DRAW_ANEW = "Draw anew in each trial, and from rng itself: a process to which it is sent has a copy, as rng stays where it is"
#: Logarithm of the probability with which independent trials may be taken for such as share their draws.
_SHARED = math.log(1e-8)


@dataclass(frozen=True)
class TrialSeed:
    """The origin of a trial's randomness: the seed of its batch and its place in the batch."""

    entropy: Any
    spawn_key: tuple[int, ...]
    offset: int

    def generator(self) -> np.random.Generator:
        """Return the batch's generator, at the start of the batch."""
        return np.random.default_rng(np.random.SeedSequence(self.entropy, spawn_key=self.spawn_key))


class MechanismError(RuntimeError):
    """The error of a mechanism that failed or returned something that is no output.

    Attributes:
        dataset: "data" or "neighbour".
        trial: number of the failing trial on that dataset, from 0.
        seed: its TrialSeed; `rerun` runs that trial again.
        completed: outputs of all the trials that did complete, by dataset. A bound that
            `lower_bound_from_outputs` draws from them is conditional on no failure.
    """

    def __init__(self, problem: str, dataset: str, trial: int, seed: TrialSeed, advice: str = "") -> None:
        super().__init__(
            f"mechanism {problem} on {dataset}, trial {trial:,} "
            f"(seed entropy {seed.entropy}, spawn key {seed.spawn_key}, offset {seed.offset})" + f". {advice}" * bool(advice)
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
    if not isinstance(seed, TrialSeed):
        raise ValueError(f"seed must be a TrialSeed, as a MechanismError holds one, got {seed!r}")  # noqa: TRY004
    rng = seed.generator()
    with seeded(np.random.SeedSequence(seed.entropy, spawn_key=seed.spawn_key)):
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
        """Return a list, or what `sample` gave; BatchError too where the batch drew elsewhere or changed what it was given."""
        if isinstance(self.mechanism, Held):
            return self.outputs(clock)
        data, state, loaded = fingerprint(self.data), State(self.mechanism), seedable()
        raw = self.outputs(clock)
        if seedable() != loaded:  # the batch has loaded a library with a generator, which was not seeded
            raw = self.outputs(clock)
        if generator := state.moved():
            raise BatchError(own_generator(generator), 0, [], DRAW_FROM_RNG)
        changed = fingerprint(self.data) != data
        if changed and (is_plain(self.data) or not self._gives_again(raw, clock)):
            raise BatchError(CHANGED_DATA, 0, [], LET_IT_COPY)
        if state.has_changed() and not self._gives_again(raw, clock):
            problem = "keeps a state that changes its outputs, so its trials are not independent"
            raise BatchError(problem, 0, [], DRAW_FROM_RNG)
        return raw

    def outputs(self, clock: Clock) -> Any:
        """Return what the trials give; BatchError where one fails."""
        outputs: list[Any] = []
        try:
            with seeded(self.seed):
                raw = in_columns(self._run(np.random.default_rng(self.seed), outputs, clock))
            kind_of(raw)
        except OutputTypeError as error:
            raise BatchError(str(error), error.position, outputs[: error.position]) from error
        except Exception as error:
            problem = f"raised {type(error).__name__}: {error}"
            raise BatchError(problem, len(outputs), _valid(outputs), other_kind(error)) from error
        return raw

    @property
    def _is_first(self) -> bool:
        return not self.seed.spawn_key or self.seed.spawn_key[-1] == 0

    def _gives_again(self, raw: Any, clock: Clock) -> bool:
        """Return whether what was changed meanwhile changes no output."""
        most = _AGAIN if self._is_first else _AGAIN_LATER
        again = self if hasattr(self.mechanism, "sample") else replace(self, size=min(self.size, most))
        return pack(again.outputs(clock)) == pack(raw[: again.size])

    def head(self) -> OutputBatch:
        """Return a batch of the first calls; all of a `sample`, which is one call."""
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


@dataclass(frozen=True, eq=False)
class Probe(Batch):
    """Trials whose outputs only serve to see that they depend on nothing but the seed and the dataset.

    Some trials on data, on the neighbour and on data with another seed are run, then the first two again in the other
    order: the same seed must give the same bits, and another seed others.
    """

    batches: tuple[OutputBatch, ...]
    trials: int
    kept = False

    @classmethod
    def of(cls, streams: tuple[Stream, Stream], trials: int) -> Probe:
        """Return a probe for two streams that are to give so many trials."""
        size = probe_size(trials)
        others = [streams[0].aside(i, size) for i in range(_PROBE_SEEDS)]
        return cls(others[0].seed, 5 * size, "the pair", (others[0], streams[1].aside(0, size), *others[1:]), trials)

    def run(self, clock: Clock) -> list[Any]:
        """Return nothing; BatchError where outputs depend on anything else. Trials that fail are left to the audit."""
        mechanism = self.batches[0].mechanism
        datasets = [self.batches[place].data for place in range(2)]
        held, before, copies, loaded = list(map(fingerprint, datasets)), State(mechanism), Copies(mechanism), seedable()
        runs = [self._run(0, clock)]
        announce_size(len(runs[0][0]) // (8 * self._each), self.trials)
        runs += [self._run(place, clock) for place in (1, 2)]
        if seedable() != loaded:
            runs = [self._run(place, clock) for place in range(3)]
        for place, data in enumerate(datasets):
            if is_plain(data) and fingerprint(data) != held[place]:
                raise BatchError(CHANGED_DATA, place * self._each, [], LET_IT_COPY)
        if generator := before.moved():
            raise BatchError(own_generator(generator), 0, [], DRAW_FROM_RNG)
        for place, run in ((3, runs[1]), (4, runs[0])):
            with later():
                again = self._run(place, clock)
            if again != run:
                problem = "gives other outputs when it is run again with the same seed: it keeps a state, or draws elsewhere"
                raise BatchError(problem, place * self._each, [], DRAW_FROM_RNG)
        self._check_seeds([runs[0], runs[2]], clock)
        if before.has_changed() or (before.has_caches and copies.made() is not None):
            self._check_order(copies, clock)
        return []

    def head(self) -> None:
        """Return None: a probe is run whole."""

    def locate(self, offset: int) -> tuple[str, np.random.SeedSequence, int]:
        """Return the dataset, the seed and the place of a trial, in the batch that has it."""
        place, offset = divmod(offset, self._each)
        batch = self._at(place)
        return batch.dataset, batch.seed, offset

    @property
    def _each(self) -> int:
        return self.size // 5

    def _at(self, place: int) -> OutputBatch:
        return self.batches[(0, 1, 2, 1, 0)[min(place, 4)]]

    def _run(self, place: int, clock: Clock, batch: OutputBatch | None = None) -> tuple[bytes, int]:
        """Return the outputs as bytes, and where they end."""
        try:
            raw = (batch or self._at(place)).outputs(_Later(clock, place * self._each))
        except BatchError as error:
            return pack(error.outputs), error.offset
        return pack(raw), len(raw)

    def _check_seeds(self, runs: list[tuple[bytes, int]], clock: Clock) -> None:
        """Raise BatchError where runs with other seeds are alike though trials differ, or differ where trials are alike.

        Either is so for two runs now and then, and with all seeds where draws come from elsewhere, or once for all trials.
        """
        parts = _parts(runs)
        if not any(first == second or (first.alike and second.alike) for first, second in parts):
            return
        runs += [self._run(2, clock, batch) for batch in self.batches[3:]]
        each = min(trials for _, trials in runs)
        for found in _parts(runs):
            times = list(Counter(found).values())
            if not found[0].alike and times == [_PROBE_SEEDS]:
                problem = f"gives the same outputs with {_PROBE_SEEDS} seeds, though its trials differ: it draws elsewhere"
                raise BatchError(problem, 0, [], DRAW_FROM_RNG)
            if all(part.alike for part in found) and _shared_by_chance(times, each) < _SHARED:
                problem = (
                    "gives the same in all trials with one seed, and something else with another: trials share their draws"
                )
                raise BatchError(problem, 0, [], _DRAW_ANEW)

    def _check_order(self, copies: Copies, clock: Clock) -> None:
        """Raise BatchError where it matters what a new copy of the mechanism has been run on before.

        What is kept may be met rarely, so these are more trials.
        """
        size = max(self._each, min(_AGAIN, self.trials // _AGAIN_SHARE))

        def run(*places: int) -> list[tuple[bytes, int]]:
            if (copy := copies.made()) is None:
                raise BatchError(NO_COPY, 0, [], KEEP_NOTHING)
            return [self._run(0, clock, replace(self._at(place), mechanism=copy, size=size)) for place in places]

        after = run(0, 1, 2)
        kept = {
            1: "on the neighbour first: it keeps something of a dataset or a call",
            2: "with another seed first: it keeps a draw",
        }
        for place, what in kept.items():
            if run(place) != [after[place]]:
                raise BatchError(f"gives other outputs when it is run {what}", 0, [], DRAW_FROM_RNG)


@dataclass(frozen=True)
class _Later(Clock):
    """A clock for trials that are some way into a batch."""

    clock: Clock
    first: int

    def start(self, trial: int) -> None:
        self.clock.start(self.first + trial)


@dataclass(frozen=True)
class _Part:
    """A column of a run's outputs: its values, one after the other; the first alone if all are alike."""

    alike: bool
    values: bytes


def _parts(runs: list[tuple[bytes, int]]) -> list[list[_Part]]:
    """Return the columns of the runs' outputs, which are encoded together so that each has the same ones: each for all runs."""
    raw = [unpack(run) for run, _ in runs]
    outputs = Outputs.of(concatenate(raw))
    ends = np.cumsum([len(of_run) for of_run in raw])
    found: list[list[_Part]] = []
    for marks in outputs.marks:
        if marks is not None:
            words = [repr((mark.text, as_tree(mark.value)) if isinstance(mark, Mark) else mark) for mark in marks]
            stretches = [words[end - len(of_run) : end] for of_run, end in zip(raw, ends, strict=True)]
            alike = [len(set(stretch)) <= 1 for stretch in stretches]
            found.append([_Part(a, repr(w[:1] if a else w).encode()) for a, w in zip(alike, stretches, strict=True)])
    for bits in outputs.numbers.view(np.uint64).T:
        columns = np.split(bits, ends[:-1])
        found.append([_Part(a := not (x != x[:1]).any(), (x[:1] if a else x).tobytes()) for x in columns])
    return found


def _shared_by_chance(times: list[int], each: int) -> float:
    """Return the logarithm of the probability that in a random order of values all trials of each seed are alike.

    Args:
        times: seeds by value.
        each: trials of a seed.
    """
    seeds = sum(times)
    aligned = math.lgamma(seeds + 1) - sum(math.lgamma(k + 1) for k in times)
    return aligned - math.lgamma(seeds * each + 1) + sum(math.lgamma(k * each + 1) for k in times)


@dataclass
class Held:
    """A mechanism on the datasets 0 and 1 that hands out outputs which exist already, in order; it is not probed."""

    sent: tuple[Iterator[Any], Iterator[Any]]
    trials: int

    def sample(self, data: int, trials: int, rng: np.random.Generator) -> list[Any]:  # noqa: ARG002 - the run drew them
        """Return the next outputs on a dataset."""
        return list(islice(self.sent[data], trials))


class Stream:
    """The trials of one mechanism on one dataset, in order.

    Args:
        mechanism: callable (data, rng) -> output, or an object with sample(data, trials, rng) -> outputs.
        data: the dataset.
        dataset: "data" or "neighbour", for errors.
        seeds: the stream's seed sequence; one child per batch.
        features: applied to every output, or None.
    """

    def __init__(
        self,
        mechanism: Any,
        data: Any,
        dataset: str,
        seeds: np.random.SeedSequence,
        features: Features | None,
    ) -> None:
        check_mechanism(mechanism)
        self._mechanism = mechanism
        self._data = data
        self._dataset = dataset
        self._seeds = seeds
        self._features = features
        self._batches: list[Any] = []

    def completed(self) -> list[Any]:
        """Return the outputs of all completed trials (after `features`)."""
        return [output for batch in self._batches for output in batch]

    def plan(self, size: int) -> OutputBatch:
        """Return the next batch, with the next child of the seed sequence."""
        return OutputBatch(self._seeds.spawn(1)[0], size, self._dataset, self._mechanism, self._data, self._features)

    def aside(self, number: int, size: int) -> OutputBatch:
        """Return a batch with a seed that none of the stream's has."""
        seed = np.random.SeedSequence(self._seeds.entropy, spawn_key=(*self._seeds.spawn_key, PROBE_KEY, number))
        return OutputBatch(seed, size, self._dataset, self._mechanism, self._data, self._features)

    @property
    def is_sampler(self) -> bool:
        """Return whether the mechanism runs a batch at a call."""
        return hasattr(self._mechanism, "sample")

    @property
    def is_untried(self) -> bool:
        """Return whether the mechanism has run no trial yet, and may be run."""
        return not self._batches and not isinstance(self._mechanism, Held)

    def accept(self, batch: OutputBatch, result: Any) -> Any:
        """Keep and return the outputs of the next batch; MechanismError if it failed."""
        if isinstance(result, Failure):
            first = sum(map(len, self._batches))
            self._batches.append(result.outputs)
            raise mechanism_error(batch, result, first)
        self._batches.append(result)
        return result


def looks(streams: tuple[Stream, Stream], trials: int, runner: Runner) -> Iterator[tuple[Any, Any]]:
    """Yield the next `trials` outputs of two streams, a batch of each at a time, so that a failure finds both under way."""
    sizes = [min(BATCH, trials - start) for start in range(0, trials, BATCH)]
    planned: deque[OutputBatch] = deque()

    def plan() -> Iterator[OutputBatch]:
        for size in sizes:
            for stream in streams:
                planned.append(stream.plan(size))
                yield planned[-1]

    announced = not streams[0].is_untried or _try_out(streams, trials, runner)
    started = time.perf_counter()
    with closing(runner.run(plan())) as results:
        try:
            for _ in sizes:
                both = (stream.accept(planned.popleft(), result) for stream, result in zip(streams, results, strict=False))
                first, second = both
                if not announced:
                    announce_time(time.perf_counter() - started, 2 * len(first) * runner.workers, 2 * (trials - len(first)))
                    announced = True
                yield first, second
        except MechanismError as error:
            error.completed = {"data": streams[0].completed(), "neighbour": streams[1].completed()}
            raise


def _try_out(streams: tuple[Stream, Stream], trials: int, runner: Runner) -> bool:
    """Run the probe; whether it has announced that the trials will take long."""
    probe, started = Probe.of(streams, trials), time.perf_counter()
    with closing(runner.run([probe])) as results:
        for result in results:
            if isinstance(result, Failure):
                raise mechanism_error(probe, result, 0)
    if streams[0].is_sampler:  # how long a batch takes, a few trials do not say
        return False
    return announce_time(time.perf_counter() - started, probe.size, 2 * trials // runner.workers)


def take_both(streams: tuple[Stream, Stream], trials: int, runner: Runner) -> tuple[Any, Any]:
    """Return the next `trials` outputs of two streams."""
    first, second = zip(*looks(streams, trials, runner), strict=True)
    return concatenate(first), concatenate(second)


def mechanism_error(batch: Batch, failure: Failure, first: int) -> MechanismError:
    """Return the error that a failed batch is, if its first trial has the number `first`."""
    dataset, sequence, offset = batch.locate(failure.offset)
    seed = TrialSeed(sequence.entropy, sequence.spawn_key, offset)
    error = MechanismError(failure.problem, dataset, first + offset, seed, failure.advice)
    error.__cause__ = failure.cause
    if failure.trace:
        error.add_note(f"In a process of its own:\n{failure.trace}")
    return error


def probe_size(trials: int) -> int:
    """Return how many trials a probe runs of each kind, before so many."""
    return max(_PROBE_LEAST, min(HEAD, trials // _PROBE_SHARE))


def own_generator(which: str) -> str:
    """Return the error message for a mechanism that draws from a generator that it keeps."""
    return f"drew from a generator of its own ({which}), so trials are not independent"


def _valid(outputs: list[Any]) -> list[Any]:
    """Return the outputs before the first that is none."""
    try:
        kind_of(outputs)
    except OutputTypeError as error:
        return outputs[: error.position]
    return outputs
