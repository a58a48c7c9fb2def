"""Running a mechanism many times: seeding, batches, and errors that lose nothing.

The auditor owns all seeding. Trials on both datasets are cut into batches of fixed size, and a batch into blocks of either
dataset, of random length and in random order. Each block has a generator of its own, and the generators that belong to the
process are seeded for it; all seeds and the order of the blocks follow from the audit's seed, so the same seed gives the same
bits however batches are scheduled. What drifts meets both datasets alike, and what a mechanism keeps for its generator lives
for one block. Whether trials are exchangeable is tested afterwards (independence.py, and order.py of the auditor).
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np

from dppca.audit.auditor.leaves import Leaves, OutputTypeError
from dppca.audit.auditor.order import Places
from dppca.audit.auditor.outputs import Features, concatenate
from dppca.audit.auditor.values import Raised, as_batch, owned
from dppca.audit.execution.announce import announce_size, announce_time
from dppca.audit.execution.arguments import check_datasets, check_mechanism, is_sampler, other_kind
from dppca.audit.execution.batches import HEAD, Batch, BatchError, Clock, Failure
from dppca.audit.execution.packing import pack, unpack
from dppca.audit.execution.runner import Advance, Runner
from dppca.audit.execution.seeding import generators_put_back, reseed, seedable, unchanged
from dppca.reference.rigour.validation import error_text, shown

#: Trials per batch on each dataset; part of what a seed means.
BATCH = 5000
#: Trials of the longest block of a mechanism that is called for every trial, and of one that is called for a block. Of few
#: trials blocks are shorter, so that there are many, which shows what the trials of one share: at most one in so many trials.
_LONGEST, _LONGEST_SAMPLE = (64, 25), (800, 400)
#: One in so many trials is run by a probe.
_PROBE_SHARE = 100
_LAYOUT_KEY, _ASIDE_KEY = 2**32 - 2, 2**32 - 3
#: Bytes of arrays that are kept for an error, which hands out what was completed.
_MOST_KEPT = 2**28
NAMES = ("data", "neighbour")
#: What trials have in common, in words.
SAME_BLOCK, SAME_PLACE = "trials that share a generator", "trials at the same place after their generators' beginning"
SAME_BATCH, SAME_AGE = "trials of one batch", "trials equally soon after those on the other dataset"
SAME_CALL = "trials at the same place of their batches, as of two processes with copies of one generator,"
LET_IT_COPY = "Let it work on a copy"
NOT_REPEATABLE = (
    "gives other outputs when it is run again with the same seed, and a store needs that it does not. Draw from rng alone, or "
    "from a generator seeded by it, as np.random.default_rng(rng.integers(2**63)); or audit it without a store"
)


@dataclass(frozen=True)
class TrialSeed:
    """The origin of a trial's randomness: the seed of its block and its place in the block."""

    entropy: Any
    spawn_key: tuple[int, ...]
    offset: int

    def generator(self) -> np.random.Generator:
        """Return the block's generator, at the start of the block."""
        return np.random.default_rng(np.random.SeedSequence(self.entropy, spawn_key=self.spawn_key))


class MechanismError(RuntimeError):
    """Says that a mechanism failed, returned something that is no output, or has trials that depend on each other.

    Attributes:
        dataset: "data" or "neighbour"; "the pair" where it is about both.
        trial: number of the failing trial on that dataset, from 0; None where it is about all.
        seed: its TrialSeed; `rerun` runs that trial again. None where it is about all trials.
        completed: outputs of all the trials that did complete, by dataset; of arrays the first 256 MB. A bound that
            `lower_bound_from_outputs` draws from them is conditional on no failure.
    """

    def __init__(
        self, problem: str, dataset: str, trial: int | None = None, seed: TrialSeed | None = None, advice: str = ""
    ) -> None:
        where = f" on {dataset}"
        if trial is not None and seed is not None:
            origin = f"(seed entropy {seed.entropy}, spawn key {seed.spawn_key}, offset {seed.offset})"
            where += f", trial {trial:,} {origin}"
        super().__init__(f"mechanism {problem}{where}" + f". {advice}" * bool(advice))
        self.dataset = dataset
        self.trial = trial
        self.seed = seed
        self.completed: dict[str, list[Any]] = {}


def rerun(mechanism: Callable[[Any, np.random.Generator], Any], data: Any, seed: TrialSeed) -> Any:
    """Run the trial that a MechanismError names once more, from the start of its block.

    This is for mechanisms that are callables (data, rng) -> output, and no features are applied to the output. Where two runs
    give two outputs it raises ValueError: the mechanism does not depend on its seed alone, so the trial cannot be repeated.
    """
    check_mechanism(mechanism)
    if not callable(mechanism):
        raise TypeError(
            f"mechanism must be a callable (data, rng) -> output, got {shown(mechanism)}; run its sample on seed.generator()"
        )
    if not isinstance(seed, TrialSeed):
        raise ValueError(f"seed must be a TrialSeed, as a MechanismError holds one, got {shown(seed)}")  # noqa: TRY004
    found = []
    for _ in range(2):
        rng = seed.generator()
        with generators_put_back():
            reseed(np.random.SeedSequence(seed.entropy, spawn_key=seed.spawn_key))
            for _ in range(seed.offset):
                mechanism(data, rng)
            found.append(mechanism(data, rng))
    try:
        one, other = pack(found[:1]), pack(found[1:])
    except TypeError as error:
        raise ValueError(f"mechanism must return what an audit can compare: {error}") from None
    if one != other:
        raise ValueError("mechanism must give the same output for the same seed to be run again: it is not repeatable")
    return found[1]


# --- batches ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Block:
    """Consecutive trials on one dataset, with a generator of their own.

    Attributes:
        dataset: 0 or 1.
        number: its number in the batch, part of its seed.
        size: how many trials.
        call: the place of the first of them among the calls of the batch.
        trial: the number of the first of them on the dataset, in the batch.
    """

    dataset: int
    number: int
    size: int
    call: int
    trial: int


@dataclass(frozen=True, eq=False)
class OutputBatch(Batch):
    """Trials of a mechanism on both datasets, `size` on each; `features` is applied to every output, if given.

    Attributes:
        exceptions: types of exceptions that are outputs.
        longest: trials of the longest block.
        only: the dataset on which alone it runs, or None.
        calls: how many calls it makes, the first of all; None: all.
        picked: numbers of the blocks that alone it runs; None: all.
    """

    mechanism: Any
    pair: tuple[Any, Any]
    features: Features | None
    exceptions: tuple[type[Exception], ...]
    longest: int
    only: int | None = None
    calls: int | None = None
    picked: frozenset[int] | None = None

    @cached_property
    def blocks(self) -> list[Block]:
        """Return the blocks in their order."""
        rng = np.random.default_rng(self._seed(_LAYOUT_KEY))
        planned: list[tuple[int, int]] = []
        for dataset in (0, 1) if self.only is None else (self.only,):
            ends = np.minimum(np.cumsum(rng.integers(1, self.longest + 1, size=self.size)), self.size)
            planned += [(dataset, size) for size in np.diff(ends, prepend=0).tolist() if size]
        found, call, trial = list[Block](), 0, [0, 0]
        for number, place in enumerate(rng.permutation(len(planned)).tolist()):
            dataset, size = planned[place]
            if self.calls is not None:
                if call >= self.calls:
                    break
                size = size if is_sampler(self.mechanism) else min(size, self.calls - call)
            found.append(Block(dataset, number, size, call, trial[dataset]))
            call, trial[dataset] = call + size, trial[dataset] + size
        return found if self.picked is None else [block for block in found if block.number in self.picked]

    def parts(self) -> tuple[Any, ...]:
        """Return the mechanism, the datasets, the features and the exceptions."""
        return self.mechanism, self.pair, self.features, *self.exceptions

    def counts(self) -> tuple[int, int]:
        """Return how many trials it runs on each dataset."""
        sizes = [sum(block.size for block in self.blocks if block.dataset == dataset) for dataset in (0, 1)]
        return sizes[0], sizes[1]

    def run(self, clock: Clock) -> tuple[Any, Any]:
        """Return the outputs on each dataset, each a list or what `sample` gave; BatchError where a trial fails."""
        first = {block.dataset: block.call for block in reversed(self.blocks)}
        with unchanged(self.pair, LET_IT_COPY, lambda dataset: first.get(dataset, 0)):
            return self._outputs(clock)

    def _outputs(self, clock: Clock) -> tuple[Any, Any]:
        done: list[tuple[Block, Any]] = []
        with generators_put_back():
            for block in self.blocks:
                again = True
                while again:  # a library that the block has loaded has a generator that was not seeded
                    loaded, outputs = seedable(), list[Any]()
                    seed = self._seed(block.number)
                    reseed(seed)
                    try:
                        raw = self._run(block, np.random.default_rng(seed), outputs, clock)
                    except OutputTypeError as error:
                        raise BatchError(str(error), block.call, _all(done)) from error
                    except BaseException as error:  # also what would end the process or the test
                        if not clock.is_failure(error):
                            raise
                        problem, advice = f"raised {error_text(error)}", other_kind(error)
                        completed = [*_all(done), *_valid(outputs)]
                        raise BatchError(problem, block.call + len(outputs), completed, advice) from error
                    again = seedable() != loaded
                done.append((block, raw))
        return self._valid_parts(done, 0), self._valid_parts(done, 1)

    def _valid_parts(self, done: list[tuple[Block, Any]], dataset: int) -> Any:
        """Return the outputs on a dataset together; BatchError where one is none."""
        parts = [raw for block, raw in done if block.dataset == dataset]
        raw = concatenate(parts) if len(parts) > 1 else parts[0] if parts else []
        try:
            Leaves.of(raw)
        except OutputTypeError as error:
            block = next(b for b in self.blocks if b.dataset == dataset and b.trial <= error.position < b.trial + b.size)
            call = block.call + error.position - block.trial
            raise BatchError(str(error), call, _all(done)[:call]) from error
        return raw

    def _run(self, block: Block, rng: np.random.Generator, outputs: list[Any], clock: Clock) -> Any:
        """Fill `outputs` (so that a failure keeps what was done), or return what `sample` returned."""
        data = self.pair[block.dataset]
        if is_sampler(self.mechanism):
            clock.start(block.call)
            raw = as_batch(self.mechanism.sample(data, block.size, rng))
            if len(raw) != block.size:
                raise OutputTypeError(f"returned {len(raw)} outputs from sample(data, {block.size}, rng), not {block.size}", 0)
            if self.features is None and isinstance(raw, np.ndarray):
                return owned(raw) if raw.dtype.hasobject else raw
            for call, output in enumerate(raw, block.call):
                clock.start(call)
                outputs.append(owned(output if self.features is None else self.features(output)))
            return outputs
        for call in range(block.call, block.call + block.size):
            clock.start(call)
            try:
                output = self.mechanism(data, rng)
            except self.exceptions as error:
                outputs.append(Raised(type(error).__qualname__))
            else:
                outputs.append(owned(output if self.features is None else self.features(output)))
        return outputs

    def _seed(self, number: int) -> np.random.SeedSequence:
        return np.random.SeedSequence(self.seed.entropy, spawn_key=(*self.seed.spawn_key, number))

    def pack(self, outputs: tuple[Any, Any]) -> bytes:
        """Return the outputs on both datasets as bytes."""
        first = pack(outputs[0])
        return len(first).to_bytes(8, "little") + first + pack(outputs[1])

    def unpack(self, packed: bytes) -> tuple[Any, Any]:
        """Return the outputs on each dataset."""
        end = 8 + int.from_bytes(packed[:8], "little")
        return unpack(packed[8:end]), unpack(packed[end:])

    def head(self) -> OutputBatch:
        """Return a batch of some blocks, which are picked anew each time, so that nobody knows which are run again."""
        numbers, picked = np.random.default_rng().permutation(len(self.blocks)).tolist(), set[int]()
        while numbers and sum(block.size for block in self.blocks if block.number in picked) < HEAD:
            picked.add(numbers.pop())
        return replace(self, picked=frozenset(picked))

    def first_of(self, packed: bytes) -> bytes:
        """Return the packed outputs of this batch, which is the head of the batch that gave those packed here."""
        both, found = self.unpack(packed), list[Any]()
        for dataset, outputs in enumerate(both):
            parts = [outputs[block.trial : block.trial + block.size] for block in self.blocks if block.dataset == dataset]
            found.append(concatenate(parts) if parts else [])
        return self.pack((found[0], found[1]))

    def describe(self) -> dict[str, Any]:
        """Return what tells this batch from others, with its blocks' length: it depends on how many trials there are."""
        return {**super().describe(), "longest": self.longest}

    def locate(self, offset: int) -> tuple[str, int, np.random.SeedSequence, int]:
        """Return the dataset of a call, its number there, the seed of its generator and its place under that."""
        block = next((b for b in reversed(self.blocks) if b.call <= offset), self.blocks[0])
        place = offset - block.call
        return NAMES[block.dataset], block.trial + place, self._seed(block.number), place

    def split(self, outputs: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        """Return outputs in the order of the calls by their datasets."""
        found: tuple[list[Any], list[Any]] = ([], [])
        for block in self.blocks:
            found[block.dataset].extend(outputs[block.call : block.call + block.size])
        return found

    def places(self, number: int) -> tuple[Places, Places]:
        """Return where the trials of each dataset stood, if this is the batch of that number."""
        found = []
        for dataset in (0, 1):
            blocks = [block for block in self.blocks if block.dataset == dataset]
            sizes = np.array([block.size for block in blocks], dtype=np.int64)
            inside = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
            call = np.repeat(np.array([block.call for block in blocks], dtype=np.int64), sizes) + inside
            block_number = number * 2 * BATCH + np.repeat(np.array([b.number for b in blocks], dtype=np.int64), sizes)
            groups = {SAME_PLACE: inside, SAME_CALL: call, SAME_BLOCK: block_number, SAME_BATCH: np.full(len(call), number)}
            found.append(Places(number * 2 * BATCH + call, groups))
        for of, other in (found, found[::-1]):
            last = np.append(number * 2 * BATCH - 1, other.call)[np.searchsorted(other.call, of.call)]
            of.groups[SAME_AGE] = np.log2(of.call - last).astype(np.int64)
        return found[0], found[1]


def _all(done: list[tuple[Block, Any]]) -> list[Any]:
    return [output for _, raw in done for output in raw]


def _valid(outputs: list[Any]) -> list[Any]:
    """Return the outputs before the first that is none."""
    try:
        Leaves.of(outputs)
    except OutputTypeError as error:
        return outputs[: error.position]
    return outputs


@dataclass(frozen=True, eq=False)
class Probe(Batch):
    """A few trials of a view, run twice: how long they take once all is loaded, and whether a seed gives the same bits."""

    batch: Batch
    kept = False

    @classmethod
    def of(cls, batch: Batch) -> Probe:
        """Return a probe that runs a batch twice."""
        return cls(batch.seed, batch.size, batch.dataset, batch)

    def parts(self) -> tuple[Any, ...]:
        """Return what the batch says."""
        return self.batch.parts()

    def run(self, clock: Clock) -> list[float]:
        """Return seconds, whether the bits are the same, and the size in numbers; nothing where a trial fails.

        That is left to the audit.
        """
        try:
            first = self.batch.pack(self.batch.run(clock))
            started = time.perf_counter()
            second = self.batch.pack(self.batch.run(clock))
        except BatchError as error:
            if error.__cause__ is None:
                raise
            return []
        return [time.perf_counter() - started, float(first == second), len(first) / 8]

    def locate(self, offset: int) -> tuple[str, int, np.random.SeedSequence, int]:
        """Return what the batch says."""
        return self.batch.locate(offset)


def probed(batch: Batch, calls: int, planned: int, runner: Runner) -> list[float]:
    """Run a probe of so many calls, and announce that the planned ones will take long, if they will; return what it found."""
    probe = Probe.of(batch)
    with closing(runner.run([probe])) as results:
        for result in results:
            if isinstance(result, Failure):
                raise mechanism_error(probe, result, 0)
            if result:
                announce_time(result[0], calls, planned // runner.workers)
            return list(result)
    return []


def probe_size(trials: int) -> int:
    """Return how many calls a probe makes before so many trials."""
    return max(1, min(HEAD, trials // _PROBE_SHARE))


@dataclass
class Held:
    """A mechanism on the datasets 0 and 1 that hands out outputs which exist already, in order."""

    sent: tuple[Iterator[Any], Iterator[Any]]
    trials: int

    def sample(self, data: int, trials: int, rng: np.random.Generator) -> list[Any]:  # noqa: ARG002 - the run drew them
        """Return the next outputs on a dataset."""
        return list(islice(self.sent[data], trials))


# --- the trials of an audit ---------------------------------------------------------------------------


class Trials:
    """The trials of one mechanism on a pair of datasets, in order.

    Args:
        mechanism: callable (data, rng) -> output, or an object with sample(data, trials, rng) -> outputs.
        pair: the datasets.
        seeds: a seed sequence; one child per batch.
        features: applied to every output, or None.
        planned: how many trials there are to be on each dataset.
        exceptions: types of exceptions that are outputs.
        limited: a time limit ends the trials, so that nothing is said of how long all of them take.
    """

    def __init__(
        self,
        mechanism: Any,
        pair: tuple[Any, Any],
        seeds: np.random.SeedSequence,
        features: Features | None,
        planned: int,
        exceptions: tuple[type[Exception], ...] = (),
        limited: bool = False,
    ) -> None:
        check_mechanism(mechanism)
        check_datasets(pair)
        self.mechanism, self.pair = mechanism, pair
        self._seeds = seeds
        longest, self._blocks = _LONGEST_SAMPLE if is_sampler(mechanism) else _LONGEST
        longest = min(longest, max(1, planned // self._blocks))
        self._template = OutputBatch(seeds, 0, "the pair", mechanism, pair, features, exceptions, longest)
        self._planned, self._limited = planned, limited
        self._batches: list[tuple[Any, Any]] = []
        self._ended: list[OutputBatch] = []
        self._done, self._bytes = 0, 0

    @property
    def exist(self) -> bool:
        """Return whether the outputs exist already."""
        return isinstance(self.mechanism, Held)

    def aside(self, number: int, size: int, *, only: int | None = None, calls: int | None = None) -> OutputBatch:
        """Return a batch with a seed that none of the run's has, nor its entropy, which a mechanism can read."""
        seed = np.random.SeedSequence(self._seeds.entropy, spawn_key=(*self._seeds.spawn_key, _ASIDE_KEY, number))
        seed = np.random.SeedSequence(int.from_bytes(seed.generate_state(4).tobytes(), "little"))
        return replace(self._template, seed=seed, size=size, only=only, calls=calls)

    def take(self, trials: int, runner: Runner, progress: Callable[[int], None] | None = None) -> Iterator[tuple[Any, Any]]:
        """Yield the next `trials` outputs on each dataset, a batch at a time; `progress` is called with trials just run."""
        if not self._done and not self.exist:
            self._probe(runner)
        planned: deque[OutputBatch] = deque()

        def plan() -> Iterator[OutputBatch]:
            longest = self._template.longest
            for start in range(0, trials, BATCH):
                size = min(BATCH, trials - start)  # of a short batch blocks are short too, so that there are many
                of_size = longest if size == BATCH else min(longest, max(1, size // self._blocks))
                planned.append(replace(self._template, seed=self._seeds.spawn(1)[0], size=size, longest=of_size))
                yield planned[-1]

        with closing(runner.run(plan(), Advance(progress, len(NAMES)))) as results:
            for result in results:
                batch = planned.popleft()
                if isinstance(result, Failure):
                    error = mechanism_error(batch, result, self._done)
                    self._batches.append(batch.split(result.outputs))
                    error.completed = self.completed()
                    raise error
                self._ended.append(batch)
                self._done += batch.size
                self._bytes += sum(raw.nbytes for raw in result if isinstance(raw, np.ndarray))
                if self._bytes <= _MOST_KEPT:
                    self._batches.append(result)
                yield result

    def completed(self) -> dict[str, list[Any]]:
        """Return the outputs of all completed trials (after `features`), by dataset."""
        return {name: [output for both in self._batches for output in both[i]] for i, name in enumerate(NAMES)}

    def first(self, trials: int) -> tuple[Any, Any]:
        """Return the outputs of the first completed trials on each dataset, at least so many where there are."""
        parts: tuple[list[Any], list[Any]] = ([], [])
        for both in self._batches:
            if sum(map(len, parts[0])) >= trials:
                break
            for part, raw in zip(parts, both, strict=True):
                part.append(raw)
        return concatenate(parts[0]), concatenate(parts[1])

    def places(self) -> tuple[Places, Places]:
        """Return where all completed trials stood."""
        first, second = zip(*(batch.places(number) for number, batch in enumerate(self._ended)), strict=True)
        return Places.joined(first), Places.joined(second)

    def _probe(self, runner: Runner) -> None:
        calls = probe_size(self._planned)
        batch = self.aside(0, min(BATCH, self._planned), calls=calls)
        calls = sum(batch.counts())
        if not (found := probed(batch, calls, 0 if self._limited else 2 * self._planned, runner)):
            return
        announce_size(int(found[2]) // calls, self._planned)
        if not found[1] and runner.stores:
            raise MechanismError(NOT_REPEATABLE, "the pair")


def mechanism_error(batch: Batch, failure: Failure, first: int) -> MechanismError:
    """Return the error that a failed batch is, if its first trial has the number `first`."""
    dataset, number, sequence, offset = batch.locate(failure.offset)
    seed = TrialSeed(sequence.entropy, sequence.spawn_key, offset)
    error = MechanismError(failure.problem, dataset, first + number, seed, failure.advice)
    error.__cause__ = failure.cause
    if failure.trace:
        error.add_note(f"In a process of its own:\n{failure.trace}")
    return error
