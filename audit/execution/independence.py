"""Refuses an audit whose trials are not exchangeable, by what their scores show: in the run, and in new processes.

The tests together call exchangeable trials dependent with probability at most `order.LEVEL`. A bound is given only where they
do not, and its error is reduced by that share, so that it holds at its confidence among the audits that are not refused too.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from dppca.audit.auditor.events import EventPair
from dppca.audit.auditor.leaves import name_of, part_of
from dppca.audit.auditor.order import LEVEL, Found, Places, one_group_each, order_test, running, same_stream, seen_before
from dppca.audit.auditor.outputs import Kind, Outputs, encode_pair
from dppca.audit.execution.fresh import Fresh, Origin, plan_fresh
from dppca.audit.execution.runner import Runner
from dppca.audit.execution.trials import SAME_BATCH, MechanismError, OutputBatch, Trials

Ranks = NDArray[np.int64]
#: Parts of the level: the order of the run, new processes, and what these do not use again.
_PARTS = 3
#: Rounds of new processes after the first: the p-value above which there is no doubt, so that it does not run, and its trials,
#: as a multiple of the run's; on each dataset in a process at most.
_MORE, _MOST_MORE = ((0.5, 0.3), (0.1, 1.0), (0.1, 3.0)), 4_000
#: New processes in which the same batch is run, and by how much what they give may differ: by rounding.
_SAME, _ROUNDING = 8, 1e-6
#: Numbers of an output that may be named in an error.
_NAMED = 40
#: Trials of the run on each dataset that are asked whether they came before.
_COMPARED = 15_000
_ADVICE = (
    "Draw anew in each trial, from rng or from a generator seeded by it, as np.random.default_rng(rng.integers(2**63)), and "
    "let no output depend on earlier calls or hold a time"
)
_FRESH_ADVICE = (
    "Draw all that is random in the call, not when a module is imported, an object is made or a cache is filled. Give settings "
    "as arguments or attributes, not as globals that are changed later, as a new process imports the module anew. Return no "
    "times, process numbers, counters or addresses"
)


def error_of(confidence: float) -> float:
    """Return the error that a bound may have so that, given that its trials are not refused, it has that confidence."""
    return (1.0 - confidence) * (1.0 - LEVEL)


_HERE_ALONE = ContextVar("_HERE_ALONE", default=False)


@contextmanager
def in_this_process_alone() -> Iterator[None]:
    """Run nothing in new processes meanwhile, for bounds that nobody is told of, or of what new processes have run before."""
    token = _HERE_ALONE.set(True)
    try:
        yield
    finally:
        _HERE_ALONE.reset(token)


@dataclass(frozen=True)
class ScoredEvent:
    """An event pair, what outputs are turned into before they are ranked, and the ranks of the test's on each dataset."""

    event: EventPair
    on: Callable[[Outputs], Outputs]
    ranks: tuple[Ranks, Ranks]

    def events(self) -> list[list[NDArray[np.bool_]]]:
        """Return which outputs of each dataset lie in S, and which in S'."""
        return [[ranks < self.event.first, ranks >= self.event.last] for ranks in self.ranks]


@dataclass(frozen=True, eq=False)
class _New:
    """Outputs on one dataset from a new process, and where their calls stood in it."""

    process: int
    dataset: int
    call: NDArray[np.int64]
    outputs: Outputs


class Independence:
    """The test of one audit's trials.

    Args:
        run: the trials; None where there are outputs alone, in their order.
        trials: how many there are to be on each dataset.
        runner: for the limits of calls.
    """

    def __init__(self, run: Trials | None = None, trials: int = 0, runner: Runner | None = None) -> None:
        self._run, self._start = run, (trials, runner)
        self._fresh: Fresh | None = None
        self._origin: Origin | None = None
        self._numbers = itertools.count(1)  # of batches

    def __enter__(self) -> Self:
        trials, runner = self._start
        if self._run is None or runner is None or self._run.exist:
            return self
        self._origin = Origin(self._run.mechanism, runner)
        if not _HERE_ALONE.get():
            self._fresh = Fresh(self._run.aside(0, 1), runner, self._origin.instead("mechanism"))
            self._fresh.start(self._planned(plan_fresh(trials)))
        return self

    def _planned(self, sizes: Sequence[int]) -> list[OutputBatch]:
        """Return a round of batches: one in four runs on either dataset alone, so that what is kept of a dataset shows."""
        if self._run is None:
            return []
        only = {0: 0, 1: 1}
        return [self._run.aside(next(self._numbers), size, only=only.get(i % 4)) for i, size in enumerate(sizes)]

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._fresh is not None:
            self._fresh.close()
        if self._origin is not None:
            self._origin.leave()

    @property
    def unchecked(self) -> str:
        """Return what was not checked, and why; empty where all was."""
        return _not_checked(self._fresh)

    def encoded(self, data: Any, neighbour: Any) -> tuple[Outputs, Outputs]:
        """Encode first outputs of both datasets, without what tells only when they came, which would choose an event."""
        found = encode_pair(data, neighbour)
        if self._run is None:
            places = [Places.in_order(len(of)) for of in found]
        else:
            places = [where[: len(of)] for where, of in zip(self._run.places(), found, strict=True)]
        left_out = running(found, places, SAME_BATCH)
        return encode_pair(data, neighbour, kind=found[0].kind.without(left_out)) if left_out else found

    def check(
        self,
        scored: Sequence[ScoredEvent],
        kind: Kind | None,
        discovery: int,
        rng: np.random.Generator,
        looks: int = 1,
        over: Callable[[], bool] = lambda: False,
    ) -> None:
        """Raise MechanismError where trials are not exchangeable.

        Args:
            scored: the event pairs of the test.
            kind: of the outputs on which they were chosen.
            discovery: trials of each dataset before those of the test.
            rng: breaks ties.
            looks: how many times the run could have stopped.
            over: whether the time is over, after which no more trials start in new processes.
        """
        ranked: dict[int, list[ScoredEvent]] = {}
        for of in scored:
            ranked.setdefault(id(of.event.rank), []).append(of)
        level = LEVEL / (_PARTS * max(1, len(ranked)))
        ties = rng.spawn(1)[0]
        tested = len(scored[0].ranks[0])
        if self._run is None:
            places = [Places.in_order(tested)] * 2
        else:
            places = [where[discovery : discovery + tested] for where in self._run.places()]
        for pairs in ranked.values():
            ranks = pairs[0].ranks
            events = [list({mask.tobytes(): mask for of in pairs for mask in of.events()[i]}.values()) for i in (0, 1)]
            _refuse(order_test(ranks, places, events, ties), level / looks, self._run is None, self._showing(kind))
        if self._fresh is not None:
            self._check_fresh(self._fresh, list(ranked.values()), kind, discovery + tested, over, ties)

    def _showing(self, kind: Kind | None) -> Callable[[], str]:
        """Return what says which parts of the outputs show by themselves that trials are not exchangeable, if not all do."""

        def said() -> str:
            if self._run is None or kind is None or not kind.numbers:
                return ""
            outputs = [Outputs.of(raw[:_COMPARED], kind) for raw in self._run.first(_COMPARED)]
            places = [where[: len(of)] for where, of in zip(self._run.places(), outputs, strict=True)]
            columns = range(min(len(kind.numbers), _NAMED))
            found = [
                order_test([np.nan_to_num(of.numbers[:, j]) for of in outputs], places, [[], []], np.random.default_rng(0)).p
                for j in columns
            ]
            showing = dict.fromkeys(name_of(part_of(kind.numbers[j])) for j in columns if found[j] <= LEVEL)
            others = {name_of(part_of(kind.numbers[j])) for j in columns if found[j] > LEVEL} - showing.keys()
            return f"It shows in {', '.join(showing)}: leave that out. " if showing and others else ""

        return said

    def _check_fresh(
        self,
        fresh: Fresh,
        orders: list[list[ScoredEvent]],
        kind: Kind | None,
        trials: int,
        over: Callable[[], bool],
        ties: np.random.Generator,
    ) -> None:
        """Raise MechanismError where new processes give other outputs; what is in doubt is asked again, of more trials."""
        new: list[_New] = []
        level = LEVEL / (_PARTS * (1 + len(_MORE)))
        processes = itertools.count(1)
        for doubt, times in (*_MORE, (-1.0, 0.0)):
            if not (outputs := fresh.outputs()):
                return
            new += [
                _New(number, i, batch.places(0)[i].call, Outputs.of(raw, kind))
                for (batch, both), number in zip(outputs, processes, strict=False)
                for i, raw in enumerate(both)
                if len(raw)
            ]
            found = [(self._compared(pairs, new, fresh, level / len(orders), ties), level / len(orders)) for pairs in orders]
            if fresh.ended:
                return
            found += [(each, level / 2) for each in self._repetitions(new, kind, ties)]
            for each, share in found:
                if each.p <= share:
                    problem = f"gives other outputs {each.what} (p = {each.p:.1g}), so its trials are not independent"
                    raise MechanismError(problem, "the pair", advice=self._showing(kind)() + _FRESH_ADVICE)
            if min(each.p for each, _ in found) > doubt or over():
                return
            count = len(plan_fresh(self._start[0]))
            fresh.start(self._planned([max(1, min(int(times * trials / count), _MOST_MORE))] * count))

    def _repetitions(self, new: Sequence[_New], kind: Kind | None, ties: np.random.Generator) -> Iterator[Found]:
        """Yield for each dataset how telling it is that the run uses outputs again, which new processes do not."""
        if self._run is None:
            return
        for i, raw in enumerate(self._run.first(_COMPARED)):
            there = [of for of in new if of.dataset == i]
            if len(raw) and there:
                run = Outputs.of(raw[:_COMPARED], kind)
                yield seen_before(run, [of.outputs for of in there], [of.call for of in there], ties)

    def _compared(
        self, pairs: list[ScoredEvent], new: Sequence[_New], fresh: Fresh, level: float, ties: np.random.Generator
    ) -> Found:
        """Return how telling it is that new processes give other outputs, by event pairs of one order."""
        of = pairs[0]
        values, numbers = [[ranks] for ranks in of.ranks], [[np.zeros(len(ranks), np.int64)] for ranks in of.ranks]
        ranked = [of.event.rank(of.on(each.outputs)) for each in new]
        for each, ranks in zip(new, ranked, strict=True):
            values[each.dataset].append(ranks)
            numbers[each.dataset].append(np.full(len(ranks), each.process))
        if same_stream(ranked, [each.call for each in new], ties) <= level:
            # there are many copies of a few trials
            fresh.end("every process draws the same, from a generator that had its state before")
            return Found(1.0, "")
        joined = np.concatenate(values[0]), np.concatenate(values[1])
        events = [[mask for pair in pairs for mask in replace(pair, ranks=joined).events()[i]] for i in (0, 1)]
        return one_group_each(joined, [np.concatenate(of_each) for of_each in numbers], events, ties)


def _not_checked(fresh: Fresh | None) -> str:
    return "" if fresh is None or not fresh.unchecked else f"whether a new process gives other outputs ({fresh.unchecked})"


class SameElsewhere:
    """The test that a batch gives the same in every new process, whatever the generators there: all its draws are its seed's.

    Args:
        batch: the batch, whose outputs are tuples of floats and words.
        name: its field that holds the user's callable.
        runner: for the limits of calls.
    """

    def __init__(self, batch: Any, name: str, runner: Runner) -> None:
        self._batch, self._name, self._runner = batch, name, runner
        self._fresh: Fresh | None = None

    def __enter__(self) -> Self:
        self._origin = Origin(getattr(self._batch, self._name), self._runner)
        if not _HERE_ALONE.get():
            self._fresh = Fresh(self._batch, self._runner, self._origin.instead(self._name))
            seeds = np.random.SeedSequence(self._batch.seed.generate_state(4).tolist()).spawn(_SAME)
            self._fresh.start([self._batch] * _SAME, seeds)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._fresh is not None:
            self._fresh.close()
        self._origin.leave()

    def check(self, advice: str) -> str:
        """Raise MechanismError, with this advice, where new processes differ; return what was not checked, and why."""
        found = [] if self._fresh is None else [outputs for _, outputs in self._fresh.outputs()]
        if not all(_alike(found[0], other) for other in found[1:]):
            problem = "keeps a draw from call to call: with one seed, each new process gives other outputs"
            raise MechanismError(problem, "the pair", advice=advice)
        return _not_checked(self._fresh)


def _alike(first: Sequence[tuple[Any, ...]], second: Sequence[tuple[Any, ...]]) -> bool:
    """Return whether two processes gave the same, but for rounding."""
    here, there = ([value for output in outputs for value in output] for outputs in (first, second))
    return len(here) == len(there) and all(
        a == b or (isinstance(a, float) and isinstance(b, float) and np.isclose(a, b, _ROUNDING, _ROUNDING, equal_nan=True))
        for a, b in zip(here, there, strict=True)
    )


def refuse_order(scores: Sequence[NDArray[np.float64]], looks: int, rng: np.random.Generator) -> None:
    """Raise MechanismError where the order of scores shows that their trials are not exchangeable."""
    _refuse(order_test(scores, [Places.in_order(len(of)) for of in scores], [[] for _ in scores], rng), LEVEL / looks, False)


def _refuse(found: Found, level: float, exist: bool, showing: Callable[[], str] = str) -> None:
    if found.p > level:
        return
    problem = f"has trials that are not independent: {found.what} are alike or opposed (p = {found.p:.1g})"
    advice = "Give outputs of independent runs, in the order in which they were drawn" if exist else _ADVICE
    raise MechanismError(problem, "the pair", advice=showing() + advice)
