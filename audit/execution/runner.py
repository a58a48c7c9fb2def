"""Where batches run and how they come back: in order, whatever finishes first, each kept as soon as it is finished."""

from __future__ import annotations

import pickle
import sys
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from numbers import Integral
from types import TracebackType
from typing import Any, Self

import cloudpickle
import numpy as np
from joblib import Parallel, delayed
from joblib.parallel import LokyBackend, get_active_backend

from dppca.audit.execution.batches import Batch, Failure, compute, portable
from dppca.audit.execution.isolation import CAN_FORK, Apart, Limits, awaited, compute_apart, wait
from dppca.audit.execution.store import Store, StoreError, StoreFile, digest, identity
from dppca.audit.execution.versions import check_worker, environment, processor, sources
from dppca.reference.rigour.validation import check_positive, error_text, shown

#: Batches under way at a time, at most: processes of one machine or of a cluster. Bytes that a limit can be.
MOST_WORKERS, MOST_MEMORY = 10_000, 1 << 60


class Advance:
    """Tells of trials as they are run, of each once: also of those in batches that are under way.

    Args:
        progress: is called with the number of trials that are new; or None.
        calls: how many calls of the user's code make a trial.
    """

    def __init__(self, progress: Callable[[int], None] | None, calls: int) -> None:
        self._progress, self._calls = progress, calls
        self._finished = self._told = 0

    def finish(self, trials: int) -> None:
        """Note that a batch of so many trials is finished."""
        self._finished += trials
        self.under_way(0)

    def under_way(self, calls: int) -> None:
        """Note how many calls have begun in batches that are not finished."""
        if self._progress is not None and (new := self._finished + calls // self._calls - self._told) > 0:
            self._told += new
            self._progress(new)


class Runner:
    """A pool that runs batches here or in workers, and finds those that a store has.

    Args:
        workers: batches under way at a time; with 1 they run in this process, otherwise in as many processes, each of which
            runs one batch after another, or through joblib's active backend.
        store: where finished batches are kept, or None.
        call_timeout: seconds that one call may take, or None.
        call_memory: bytes that calls may take beyond what is in use at first, or None.
        isolate: whether batches run in a process of their own also with 1 worker and without limits.
        callables: what is audited; its source must be the same everywhere.
        data: the datasets, for the store.
    """

    def __init__(
        self,
        workers: int,
        store: Store | None,
        call_timeout: float | None,
        call_memory: int | None = None,
        *,
        isolate: bool = False,
        callables: Sequence[Any],
        data: Any,
    ) -> None:
        workers, limits = checked_limits(workers, call_timeout, call_memory, isolate)
        self._isolate = bool(isolate)
        self._workers = workers
        self._limits = limits
        self._identity = ""
        self._believed: set[str] = set()
        self._repeated = 0
        self._file: StoreFile | None = None
        #: Processes that wait for a batch.
        self._waiting: list[Apart] = []
        self._sources = sources(callables) if self._workers > 1 and not self._forks else {}
        if store is not None:
            self._identity = identity(store.key, callables, data)
            self._file = StoreFile(store.path)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Close the store, and end what runs."""
        while self._waiting:
            self._waiting.pop().close()
        if self._file is not None:
            self._file.close()

    def run(self, batches: Iterable[Batch], advance: Advance | None = None) -> Generator[Any]:
        """Yield the outputs of each batch, or its Failure, in order; runs ahead by what keeps the workers busy."""
        told = advance or Advance(None, 1)
        ahead = 1 if self._workers == 1 else 2 * self._workers
        under_way: deque[Batch] = deque()

        def noted() -> Iterator[Batch]:
            for batch in batches:
                under_way.append(batch)
                yield batch

        for result in self._run_side_by_side(noted(), ahead, told) if self._forks else self._run_in_groups(noted(), ahead):
            batch = under_way.popleft()
            told.finish(batch.size)
            yield batch.unpack(result) if isinstance(result, bytes) else result

    @property
    def workers(self) -> int:
        """Return how many batches are under way at a time."""
        return self._workers

    @property
    def stores(self) -> bool:
        """Return whether batches are stored."""
        return self._file is not None

    @property
    def limits(self) -> Limits:
        """Return the limits of calls."""
        return self._limits

    @property
    def repeated(self) -> int:
        """Return how many batches were run again: begun but not kept by an earlier run, or compared with the store."""
        return self._repeated

    @property
    def _forks(self) -> bool:
        """Return whether batches run in children of this process: not here, and nowhere that joblib was told of."""
        if self._workers == 1:
            return self._isolate or self._limits != Limits()
        return sys.platform == "linux" and isinstance(get_active_backend()[0], LokyBackend)

    def _run_side_by_side(self, batches: Iterator[Batch], ahead: int, told: Advance) -> Iterator[bytes | Failure]:
        """Yield the result of each batch in order, each kept as soon as it is finished."""
        entries: deque[_Entry] = deque()
        try:
            while True:
                entries.extend(_Entry(batch, self._find(batch)) for batch in islice(batches, ahead - len(entries)))
                if not entries:
                    return
                idle = self._workers - sum(entry.apart is not None for entry in entries)
                for entry in [entry for entry in entries if entry.result is None and entry.apart is None][:idle]:
                    self._begin(entry.batch)
                    entry.apart = self._process(entry.batch)
                running = [entry for entry in entries if entry.apart is not None]
                finished = [entry for entry in running if self._advance(entry)]
                for entry in finished:
                    self._keep(entry.batch, entry.result)
                if entries[0].result is not None:
                    yield entries.popleft().result  # type: ignore[misc]
                elif not finished:
                    apart = [entry.apart for entry in running if entry.apart is not None]
                    wait(apart)
                    told.under_way(sum(each.begun for each in apart))
        finally:
            for entry in entries:
                if entry.apart is not None:
                    entry.apart.close()

    def _run_in_groups(self, batches: Iterator[Batch], ahead: int) -> Iterator[bytes | Failure]:
        while group := list(islice(batches, ahead)):
            results: list[Any] = [self._find(batch) for batch in group]
            missing = [i for i, result in enumerate(results) if result is None]
            for i in missing:
                self._begin(group[i])
            for j, result in self._compute([group[i] for i in missing]):
                results[missing[j]] = result
                self._keep(group[missing[j]], result)
            yield from results

    @property
    def isolates(self) -> bool:
        """Return whether the user's code runs in other processes than this one."""
        return CAN_FORK and (self._isolate or self._workers > 1 or self._limits != Limits())

    def run_nearby(self, batch: Batch) -> bytes | Failure:
        """Return the result of a batch, run on this machine: in this process only if others run there as well."""
        return self._compute_apart(batch) if self.isolates else compute(batch)

    def _process(self, batch: Batch) -> Apart:
        """Return a process that runs a batch from now on."""
        for apart in self._waiting:
            if apart.holds(batch):
                self._waiting.remove(apart)
                apart.begin(batch)
                return apart
        return Apart(batch, self._limits)

    def _advance(self, entry: _Entry) -> bool:
        """Return whether the batch has just finished."""
        if entry.apart is None or (result := entry.apart.result()) is None:
            return False
        self._put_back(entry.apart)
        entry.result, entry.apart = result, None
        return True

    def _put_back(self, apart: Apart) -> None:
        """Let a process wait for the next batch; one that does not wait is ended."""
        if apart.waits:
            self._waiting.append(apart)
        else:
            apart.close()

    def _begin(self, batch: Batch) -> None:
        if self._file is not None and batch.kept:
            self._repeated += self._file.times(self._key(batch))
            self._file.begin(self._key(batch))

    def _keep(self, batch: Batch, result: bytes | Failure | None) -> None:
        if self._file is not None and batch.kept and isinstance(result, bytes):
            self._file.put(self._key(batch), result)

    def _key(self, batch: Batch) -> bytes:
        return digest([self._identity, batch.describe()])

    def _find(self, batch: Batch) -> bytes | Failure | None:
        """Return a batch that the store has, once some of its trials have been run again with the same outputs."""
        found = None if self._file is None or not batch.kept else self._file.get(self._key(batch))
        if found is None or self._file is None:
            return None
        self._repeated += self._file.times(self._key(batch)) - 1
        if (head := batch.head()) is None:
            return found
        self._repeated += batch.dataset not in self._believed
        ((_, again),) = self._compute([head])
        if isinstance(again, Failure):
            return again
        try:
            same = again == head.first_of(found)
        except Exception as error:
            raise StoreError(
                f"store {self._file.path}: what it holds of a batch are no outputs: {error_text(error)}"
            ) from error
        if not same:
            problem = (
                "what is audited no longer gives the outputs kept under its key: it was changed, or it draws from another "
                "source than its generator. Give it a key of its own"
            )
            raise StoreError(f"store {self._file.path}: {problem}")
        self._believed.add(batch.dataset)
        return found

    def _compute_apart(self, batch: Batch) -> bytes | Failure:
        apart = self._process(batch)
        try:
            return awaited(apart)
        finally:
            self._put_back(apart)

    def _compute(self, batches: list[Batch]) -> Iterator[tuple[int, bytes | Failure]]:
        """Yield (place, result) of each batch, as they finish."""
        if self._workers == 1 or self._forks:
            here = compute if self._workers == 1 and not self._forks else self._compute_apart
            for i, batch in enumerate(batches):
                yield i, here(batch)
            return
        parallel = Parallel(
            n_jobs=self._workers, return_as="generator_unordered", pre_dispatch="all", batch_size=1, max_nbytes=None
        )
        try:  # here, for what joblib's Dask backend cannot pickle it waits for without end
            packed = [cloudpickle.dumps(batch) for batch in batches]
        except (pickle.PicklingError, TypeError) as error:
            raise TypeError(f"what is audited and its data must be picklable to run in workers: {error}") from error
        # bits of several processors may take part in an audit, but not in a store
        code = ({**environment(), **({} if self._file is None else {"processor": processor()})}, self._sources)
        yield from parallel(delayed(_in_worker)(i, batch, self._limits, *code) for i, batch in enumerate(packed))


@dataclass
class _Entry:
    """A batch and its result, or where it is under way."""

    batch: Batch
    result: bytes | Failure | None
    apart: Apart | None = None


def checked_limits(workers: Any, call_timeout: Any, call_memory: Any, isolate: Any) -> tuple[int, Limits]:
    """Return the number of workers and the limits as Python's numbers, which cannot overflow."""
    workers = _size("workers", workers, MOST_WORKERS)
    if not isinstance(isolate, (bool, np.bool_)):
        raise ValueError(f"isolate must be True or False, got {shown(isolate)}")  # noqa: TRY004 - every refusal is a ValueError
    if isolate and not CAN_FORK:
        raise ValueError("isolate must be False where processes cannot fork")
    if call_timeout is not None:
        call_timeout = check_positive("call_timeout", call_timeout)
        if not CAN_FORK:
            raise ValueError("call_timeout must be None where processes cannot fork")
    if call_memory is not None:
        call_memory = _size("call_memory", call_memory, MOST_MEMORY)
        if sys.platform != "linux":
            raise ValueError(f"call_memory must be None but on Linux, got {shown(call_memory)}")
    return workers, Limits(call_timeout, call_memory)


def _size(name: str, value: Any, most: int) -> int:
    if not isinstance(value, Integral) or isinstance(value, bool) or int(value) < 1:
        raise ValueError(f"{name} must be an integer >= 1, got {shown(value)}")
    if int(value) > most:
        raise ValueError(f"{name} must be at most {most}, got {shown(value)}")
    return int(value)


def _in_worker(
    place: int, packed: bytes, limits: Limits, expected: dict[str, str], packages: dict[str, str]
) -> tuple[int, bytes | Failure]:
    batch = pickle.loads(packed)  # noqa: S301 - from the process that this one works for
    check_worker(expected, packages)
    return place, compute_apart(batch, limits) if CAN_FORK else portable(compute(batch))
