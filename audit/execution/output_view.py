"""Audits in the output view: the adversary sees the mechanism's output and nothing else."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from dppca.audit.auditor.betting import anytime_bound
from dppca.audit.auditor.curves import Curve
from dppca.audit.auditor.events import EventPair, Goal, discover, levels
from dppca.audit.auditor.leaves import name_of, part_of
from dppca.audit.auditor.outputs import Features, Kind, Outputs, concatenate, in_like_containers
from dppca.audit.auditor.ratio_test import OVERFLOW_SHARE, Counts, fixed_size_bound, poisson_pairs
from dppca.audit.auditor.results import Claim, LowerBound, Nested, Verdict
from dppca.audit.auditor.rounding import Grid
from dppca.audit.execution.arguments import (
    MIN_TRIALS,
    Mechanism,
    check_arguments,
    check_callback,
    check_claim,
    check_exceptions,
    check_features,
    check_mechanism,
    check_outputs,
    check_store,
    is_sampler,
)
from dppca.audit.execution.independence import Independence, ScoredEvent, error_of
from dppca.audit.execution.runner import Runner
from dppca.audit.execution.store import Store
from dppca.audit.execution.trials import BATCH, Trials
from dppca.reference.rigour.validation import check_positive, shown

#: Share of the trials on which the event is chosen.
DISCOVERY_SHARE = 0.3
#: Above this number of trials that share falls as its inverse fourth root: an event needs no more to be found.
DISCOVERY_FULL = 100_000
#: Numbers in a dataset's outputs among which the event is chosen, at most: more cost time and memory, and tell little more.
MOST_NUMBERS = 10_000_000
#: An event is called rounding where it promises more than so many times what one without rounding does.
ROUNDING_GAIN = 1.1
#: Share of the time that is left which a round may plan to take.
_OF_THE_REST = 0.9
#: Seconds that trials take at least, as a clock may have steps.
_SHORTEST = 1e-6
#: `check` spends this share of its error on stopping early, the rest on the test at the end.
EARLY_SHARE = 0.2
#: By so much the first stages of a `check` grow, each of which tests the event that all trials before it chose.
STAGE_GROWTH = 4

Progress = Callable[[int], None]
Floats: TypeAlias = Literal["as they are", "ideal"]
Ranks = NDArray[np.int64]
Points = NDArray[np.float64]


def _own_arithmetic() -> np.errstate:
    """Return the handling of floating-point errors for the auditor's own arithmetic; the mechanism's calls keep the user's."""
    return np.errstate(under="ignore", over="ignore", invalid="ignore")


def lower_bound(
    mechanism: Mechanism,
    data: Any,
    neighbour: Any,
    *,
    delta: float = 0.0,
    trials: int = 100_000,
    confidence: float = 0.95,
    seed: int = 0,
    features: Features | None = None,
    exceptions: tuple[type[Exception], ...] = (),
    floats: Floats = "as they are",
    workers: int = 1,
    store: Store | None = None,
    call_timeout: float | None = None,
    call_memory: int | None = None,
    isolate: bool = False,
) -> LowerBound:
    """Return a lower bound on the epsilon of a mechanism on a pair of datasets, from its outputs alone.

    With probability at least `confidence`, the mechanism is not (e, delta)-DP in both directions for any
    e below the bound's epsilon.

    Args:
        mechanism: callable (data, rng) -> output, or an object with sample(data, trials, rng) -> outputs
            (first axis: trials). An output is a number, str, bytes, None, an array of numbers, a tuple, list, dict or set
            of outputs, or an object that declares its key: a dataclass (its fields), a member of an Enum (its name), or
            one with a method audit_key() -> output. Kinds and lengths may differ from trial to trial.
        data: the dataset, passed on as it is.
        neighbour: the neighbouring dataset.
        delta: in [0, 1), fixed in advance.
        trials: runs on each dataset, >= 100; three tenths or less choose the event, the rest test it.
        confidence: in (0, 1).
        seed: >= 0; the same seed gives the same bound.
        features: applied to every output before anything else, e.g. to compare subspaces as projectors.
        exceptions: types of exceptions that count as outputs, by their type's name; for a mechanism that is a callable.
        floats: "as they are", an adversary sees every bit of a number; "ideal", numbers that lie within rounding of each
            other are taken for one. Where the first finds an event that is rounding, the bound has both (`ideal`).
        workers: batches of trials under way at a time, >= 1; any number gives the same bound. With more than 1 they
            run in worker processes, or wherever joblib's active backend runs them.
        store: keeps every finished batch; an audit that was killed goes on from it, with the same bound.
        call_timeout: seconds that one call of the mechanism may take (one call of `sample` runs a batch).
        call_memory: bytes of address space that calls may take, together, beyond what is in use at first, and the most that
            one file may have which they write, in shared memory or elsewhere; on Linux.
        isolate: whether the mechanism runs in a process of its own, a fork of this one. Then one that crashes or ends its
            process is a MechanismError which names the trial, and nothing that it starts outlives the audit; but this process
            sees nothing of what calls change, and threads, GPUs and libraries that cannot be forked (jax) fail there. It costs
            0.1 s to 0.2 s of processor time. With several workers, or with a limit, it is always so.

    Raises:
        ValueError: an argument outside its range.
        MechanismError: the mechanism raised, crashed, took too long or returned no valid output; holds what was
            computed.
        StoreError: the store cannot be used or written.
        VersionError: workers, or the files on the disk, have another version of the code.

    Example:
        The noise of this sum gives epsilon = 2.

        >>> import dppca.audit as audit
        >>> def noisy_sum(data, rng):
        ...     return sum(data) + rng.laplace(scale=0.5)
        >>> bound = audit.lower_bound(noisy_sum, [1, 0, 1], [1, 0, 0], trials=5_000)
        >>> 1.5 < bound.epsilon < 2.0
        True
    """
    started = time.perf_counter()
    delta, trials, confidence, seed = check_arguments(delta, trials, confidence, seed)
    _check_floats(floats)
    check_store(store)
    run, rng = _trials(mechanism, (data, neighbour), seed, features, exceptions, trials)
    callables = (mechanism, features, *exceptions)
    with (
        Runner(workers, store, call_timeout, call_memory, isolate=isolate, callables=callables, data=run.pair) as runner,
        Independence(run, trials, runner) as independence,
    ):
        bound = _fixed_size(run.take(trials, runner), trials, delta, confidence, rng, seed, started, floats, independence)
    return replace(bound, repeated=runner.repeated, unchecked=independence.unchecked)


def lower_bound_from_outputs(
    outputs: Sequence[Any] | NDArray[Any],
    outputs_neighbour: Sequence[Any] | NDArray[Any],
    *,
    delta: float = 0.0,
    confidence: float = 0.95,
    seed: int = 0,
    floats: Floats = "as they are",
) -> LowerBound:
    """Return `lower_bound` for outputs that exist already: independent runs on each dataset, in the order drawn.

    Where the two sides hold their outputs in different containers, arrays, tuples and lists all count as lists.

    Example:
        >>> import dppca.audit as audit
        >>> import numpy as np
        >>> rng = np.random.default_rng(0)
        >>> outputs = 2.0 + rng.laplace(scale=0.5, size=20_000), 1.0 + rng.laplace(scale=0.5, size=20_000)
        >>> bound = audit.lower_bound_from_outputs(*outputs)
        >>> 1.5 < bound.epsilon < 2.0
        True
    """
    started = time.perf_counter()
    check_outputs("outputs", outputs)
    check_outputs("outputs_neighbour", outputs_neighbour)
    trials = min(len(outputs), len(outputs_neighbour))
    delta, trials, confidence, seed = check_arguments(delta, trials, confidence, seed)
    _check_floats(floats)
    both = in_like_containers(outputs[:trials], outputs_neighbour[:trials])
    rng = np.random.default_rng(np.random.SeedSequence(seed).spawn(1)[0])
    return _fixed_size(iter([both]), trials, delta, confidence, rng, seed, started, floats, Independence())


def check(
    mechanism: Mechanism,
    data: Any,
    neighbour: Any,
    claim: Claim | Curve,
    *,
    trials: int = 100_000,
    confidence: float = 0.95,
    seed: int = 0,
    features: Features | None = None,
    exceptions: tuple[type[Exception], ...] = (),
    floats: Floats = "as they are",
    workers: int = 1,
    store: Store | None = None,
    call_timeout: float | None = None,
    call_memory: int | None = None,
    isolate: bool = False,
    progress: Progress | None = None,
    seconds: float | None = None,
    clock: Callable[[], float] = time.perf_counter,
) -> Verdict:
    """Try to refute a claim of privacy; stop as soon as it is refuted.

    A claim that is true is refuted with probability at most 1 - confidence, wherever the run stops. A run begins with short
    stages, so that what is grossly false costs few trials; in each the first trials choose an event, and the later ones bet on
    it. The last stage also has a test of fixed size. A fifth of the error is spent on the bets.

    Args:
        mechanism: as in `lower_bound`.
        data: as in `lower_bound`.
        neighbour: as in `lower_bound`.
        claim: a Claim, or a curve: GDP, ZCDP, RDP, PrivacyCurve or TradeOff. A curve is refuted by one of its points, which is
            chosen together with the event; it is the verdict's `point`, and the bound is for its delta.
        trials: how many runs there are on each dataset at most.
        confidence: with at least this probability the bound holds; in (0, 1).
        seed: as in `lower_bound`.
        features: as in `lower_bound`.
        exceptions: as in `lower_bound`.
        floats: as in `lower_bound`.
        workers: as in `lower_bound`.
        store: as in `lower_bound`.
        call_timeout: as in `lower_bound`.
        call_memory: as in `lower_bound`.
        isolate: as in `lower_bound`.
        progress: is called with the number of trials just run on each dataset.
        seconds: time that the run may take, which it may exceed by a little; stages grow until this, or `trials`, is
            used up. How many runs there are depends on the clock then, and whether a refutation is valid does not.
        clock: returns the seconds that have passed; wall time unless another one is given.

    Raises:
        As `lower_bound`.

    Example:
        >>> import dppca.audit as audit
        >>> def noisy_sum(data, rng):
        ...     return sum(data) + rng.laplace(scale=0.5)
        >>> verdict = audit.check(noisy_sum, [1, 0, 1], [1, 0, 0], audit.Claim(epsilon=1.0), trials=2_000)
        >>> print(verdict)
        REFUTED
    """
    started = time.perf_counter()
    check_claim(claim)
    _, trials, confidence, seed = check_arguments(0.0, trials, confidence, seed)
    if seconds is not None:
        seconds = check_positive("seconds", seconds)
    _check_floats(floats)
    check_store(store)
    check_callback("progress", progress)
    check_callback("clock", clock)
    run, rng = _trials(mechanism, (data, neighbour), seed, features, exceptions, trials, limited=seconds is not None)
    callables = (mechanism, features, *exceptions)
    with (
        Runner(workers, store, call_timeout, call_memory, isolate=isolate, callables=callables, data=run.pair) as runner,
        Independence(run, trials, runner) as independence,
    ):
        found = _sequential(
            run, rng, claim, trials, error_of(confidence), runner, progress, floats, independence, seconds, clock
        )
    done = found.discovery + found.nested.trials
    bound = LowerBound(
        found.epsilon,
        found.delta,
        confidence,
        done,
        time.perf_counter() - started,
        found.event,
        seed,
        found.method,
        ideal=found.ideal,
        repeated=runner.repeated,
        unchecked=independence.unchecked,
    )
    return Verdict(bound.refutes(claim), bound, claim, found.nested)


# --- parts --------------------------------------------------------------------------------------------


def _check_floats(floats: str) -> None:
    if not isinstance(floats, str) or floats not in get_args(Floats):
        raise ValueError(f'floats must be "as they are" or "ideal", got {shown(floats)}')


def _trials(
    mechanism: Any,
    pair: tuple[Any, Any],
    seed: int,
    features: Features | None,
    exceptions: tuple[type[Exception], ...],
    trials: int,
    *,
    limited: bool = False,
) -> tuple[Trials, np.random.Generator]:
    """Return the trials of an audit and the auditor's own generator, on separate seeds."""
    check_mechanism(mechanism)
    check_features(features)
    check_exceptions(exceptions)
    if exceptions and is_sampler(mechanism):
        raise ValueError("exceptions must be () for a mechanism with a method sample: one would end all of its trials")
    own, runs = np.random.SeedSequence(seed).spawn(2)
    return Trials(mechanism, pair, runs, features, trials, exceptions, limited), np.random.default_rng(own)


@dataclass(frozen=True)
class _Tested:
    """The end of a sequential audit: its counts, how many trials had chosen the event, and what was seen on the way."""

    nested: Nested
    discovery: int
    epsilon: float
    delta: float
    event: str
    method: str
    ideal: float | None


@dataclass
class _Sequential:
    """The test of one event, batch by batch; it bets at the level `early`."""

    event: EventPair
    on: Callable[[Outputs], Outputs]
    early: float
    best: float = 0.0
    counts: Counts = field(default_factory=lambda: Counts(0, 0, 0))
    ranks: tuple[Ranks, Ranks] = field(default_factory=lambda: (np.empty(0, np.int64), np.empty(0, np.int64)))

    def ranked(self, both: Sequence[Outputs]) -> tuple[Ranks, Ranks]:
        """Return the ranks of both datasets' outputs."""
        return self.event.rank(self.on(both[0])), self.event.rank(self.on(both[1]))

    def counted(self, both: Sequence[Outputs], size: int) -> Counts:
        """Return the counts of so many outputs on each dataset."""
        return self.event.count(*self.ranked(both), size)

    @_own_arithmetic()
    def see(self, both: Sequence[Outputs], delta: float) -> None:
        """Count a batch, and bet."""
        on_data, on_neighbour = self.ranked(both)
        self.ranks = (np.append(self.ranks[0], on_data), np.append(self.ranks[1], on_neighbour))
        new, old = self.event.count(on_data, on_neighbour, len(on_data)), self.counts
        self.counts = Counts(old.hits + new.hits, old.counters + new.counters, old.pairs + new.pairs)
        self.best = max(self.best, anytime_bound(self.counts, self.event.ends * delta, self.early))


def _sequential(
    run: Trials,
    rng: np.random.Generator,
    claim: Claim | Curve,
    trials: int,
    alpha: float,
    runner: Runner,
    progress: Progress | None,
    floats: Floats,
    independence: Independence,
    seconds: float | None,
    clock: Callable[[], float],
) -> _Tested:
    """Discover on the first trials, and test on those that follow, batch by batch until the claim is refuted.

    What is grossly false shows in few trials: so there are stages, in each of which an event that all trials so far have chosen
    is bet on in the next ones. The last stage also has the fixed-size test. The stages share the error of betting; which stage
    is the last, and how many trials a stage has, is known before its trials are drawn.
    """
    most = 1 + math.ceil(math.log(trials / MIN_TRIALS, STAGE_GROWTH))
    early, late = EARLY_SHARE * alpha / most, (1.0 - EARLY_SHARE) * alpha
    looks = most + math.ceil(trials / BATCH)
    epsilons, deltas = claim.points
    taken, pace = list[tuple[Any, Any]](), 0.0
    until, last = 0, False
    deadline = math.inf if seconds is None else clock() + seconds

    def run_until(size: int) -> Iterator[tuple[Any, Any]]:
        nonlocal pace
        begun, done = clock(), 0
        for both in run.take(missing, runner, progress) if (missing := size - sum(len(of[0]) for of in taken)) else ():
            done += len(both[0])
            pace = max(clock() - begun, _SHORTEST) / done  # a clock may stand
            if not last:  # nothing is chosen any more
                taken.append(both)
            yield both

    while not last:
        size = chosen_on(until, trials, seconds is not None)
        deque(run_until(size), maxlen=0)
        until, last = end_of_stage(size, trials, (deadline - clock()) / pace, seconds is not None)
        found = independence.encoded(*map(concatenate, zip(*taken, strict=True)))
        chosen, goal = _discover(found, deltas, late, until - size, epsilons, floats)
        views = [chosen.view, *([] if chosen.ideal is None else [chosen.ideal])]
        tests = [_Sequential(view.events[0], view.on, early) for view in views]
        main, kind = tests[0], found[0].kind
        epsilon, delta = goal.point(main.counted(found, size), main.event.ends)
        for both in run_until(until):
            outputs = [Outputs.of(raw, kind) for raw in both]
            for test in tests:
                test.see(outputs, delta)
            if main.best > epsilon:
                break
        last = last or main.best > epsilon
    bet = main.best
    if bet <= epsilon:
        sizes = rng.poisson(goal.pairs, size=2)
        for test in tests:
            test.best = max(test.best, _test(test.event, test.ranks, sizes, goal.pairs, test.event.ends * delta, late))
    independence.check(
        [ScoredEvent(test.event, test.on, test.ranks) for test in tests], kind, size, rng, looks, lambda: clock() > deadline
    )
    return _Tested(
        nested=_nested(main.event, main.ranks, looks),
        discovery=size,
        epsilon=main.best,
        delta=delta,
        event=_told(main.event.description, chosen, kind),
        method="fixed size" if main.best > bet or main.best == 0.0 else "betting",
        ideal=tests[1].best if len(tests) > 1 else None,
    )


def chosen_on(done: int, trials: int, timed: bool) -> int:
    """Return how many trials choose the event of the stage that comes after so many."""
    last, next_size = _discovery_trials(trials), max(done, MIN_TRIALS)
    if timed:
        return max(done, min(MIN_TRIALS, last))
    return next_size if STAGE_GROWTH * next_size <= min(last, BATCH) else last


def end_of_stage(size: int, trials: int, affordable: float, timed: bool) -> tuple[int, bool]:
    """Return until which trial a stage is tested whose event so many have chosen, and whether it is the last.

    Where there is time for so many more trials, that is where the time is not enough for twice as many as a stage that is not
    the last would have.
    """
    following = STAGE_GROWTH * size
    if not timed:
        last = size == _discovery_trials(trials)
        return (trials, True) if last else (following, False)
    reach = int(min(float(trials), size + max(_OF_THE_REST * affordable, MIN_TRIALS)))
    return (following, False) if reach >= 2 * following else (reach, True)


def _discovery_trials(trials: int) -> int:
    return int(DISCOVERY_SHARE * trials * min(1.0, (DISCOVERY_FULL / trials) ** 0.25))


@dataclass(frozen=True)
class _View:
    """Events, and what outputs are turned into before they are asked for them."""

    events: tuple[EventPair, ...]
    on: Callable[[Outputs], Outputs]


@dataclass(frozen=True)
class _Chosen:
    """The events that discovery chose; for those that are rounding of floats, also what it would have chosen without them."""

    view: _View
    ideal: _View | None


@_own_arithmetic()
def _discover(
    found: tuple[Outputs, Outputs],
    delta: float | Points,
    alpha: float,
    test_trials: int,
    epsilon: Points | None,
    floats: Floats,
) -> tuple[_Chosen, Goal]:
    """Choose events; an event that needs values to be distinguished which lie within rounding of each other is rounding."""
    pairs = poisson_pairs(test_trials, OVERFLOW_SHARE * alpha)
    goal = Goal(delta, alpha, pairs, epsilon)
    most = MOST_NUMBERS // max(1, found[0].numbers.shape[1])
    found = found[0][:most], found[1][:most]
    grid = Grid.of(*found)
    if floats == "ideal":
        return _Chosen(_View(discover(grid(found[0]), grid(found[1]), goal), grid), None), goal
    view = _View(discover(*found, goal), lambda outputs: outputs)
    if not grid.merges(*found):
        return _Chosen(view, None), goal
    ideal = _View(discover(grid(found[0]), grid(found[1]), goal), grid)
    promised, without = (of.events[0].worth[1] for of in (view, ideal))
    if promised <= ROUNDING_GAIN * without + ROUNDING_GAIN - 1.0:
        return _Chosen(ideal, None), goal
    return _Chosen(view, ideal), goal


def _told(description: str, chosen: _Chosen, kind: Kind) -> str:
    """Return an event in words, with what discovery was not shown."""
    rounding = "" if chosen.ideal is None else " (rounding of floats)"
    if not kind.left_out:
        return f"{description}{rounding}"
    left_out = ", ".join(sorted({name_of(part_of(path)) for path in kind.left_out}))
    return f"{description}{rounding}, without {left_out}, which only grows or only falls from call to call"


def _fixed_size(
    batches: Iterator[tuple[Any, Any]],
    trials: int,
    delta: float,
    confidence: float,
    rng: np.random.Generator,
    seed: int,
    started: float,
    floats: Floats,
    independence: Independence,
) -> LowerBound:
    """Return the bound from batches of outputs, of which nothing but the ranks is kept once the events are chosen."""
    cut, alpha = _discovery_trials(trials), error_of(confidence)
    first, rest = _split(batches, cut)
    with _own_arithmetic():
        found = independence.encoded(*first)
    chosen, goal = _discover(found, delta, alpha, trials - cut, None, floats)
    sizes = rng.poisson(goal.pairs, size=2)
    views = [chosen.view, *([] if chosen.ideal is None else [chosen.ideal])]
    ranks = [{event.rank: (list[Ranks](), list[Ranks]()) for event in view.events} for view in views]
    for both in chain([rest] if len(rest[0]) else [], batches):
        with _own_arithmetic():
            for i, raw in enumerate(both):
                outputs = Outputs.of(raw, found[0].kind)
                for view, of_view in zip(views, ranks, strict=True):
                    seen = view.on(outputs)
                    for rank, lists in of_view.items():
                        lists[i].append(rank(seen))
    scored: list[ScoredEvent] = []

    def best(view: _View, of_view: dict[Any, tuple[list[Ranks], list[Ranks]]]) -> tuple[float, str]:
        joined = {rank: (np.concatenate(lists[0]), np.concatenate(lists[1])) for rank, lists in of_view.items()}
        scored.extend(ScoredEvent(event, view.on, joined[event.rank]) for event in view.events)
        return max(
            (_test(event, joined[event.rank], sizes, goal.pairs, event.ends * delta, level), event.description)
            for event, level in zip(view.events, levels(view.events, alpha), strict=True)
        )

    with _own_arithmetic():
        bounds = [best(view, of_view) for view, of_view in zip(views, ranks, strict=True)]
        independence.check(scored, found[0].kind, cut, rng)
    (epsilon, description), ideal = bounds[0], bounds[1][0] if len(bounds) > 1 else None
    seconds, description = time.perf_counter() - started, _told(description, chosen, found[0].kind)
    return LowerBound(epsilon, delta, confidence, trials, seconds, description, seed, "fixed size", ideal=ideal)


def _split(batches: Iterator[tuple[Any, Any]], size: int) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
    """Return the first `size` outputs of each dataset, and what the last batch that was needed for them has beyond these."""
    taken = [next(batches)]
    while sum(len(on_data) for on_data, _ in taken) < size:
        taken.append(next(batches))
    joined = [concatenate(raw) if len(raw) > 1 else raw[0] for raw in zip(*taken, strict=True)]
    return (joined[0][:size], joined[1][:size]), (joined[0][size:], joined[1][size:])


def _test(
    event: EventPair, ranks: tuple[Ranks, Ranks], sizes: NDArray[np.int64], pairs: float, c: float, alpha: float
) -> float:
    """Return the fixed-size bound on the first trials of each dataset, `sizes` of them, which are Poisson(pairs) variables."""
    if event.ends == 0 or max(sizes) > len(ranks[0]):  # claiming nothing cannot be wrong
        return 0.0
    counts = event.count(ranks[0][: sizes[0]], ranks[1][: sizes[1]], pairs)
    return fixed_size_bound(counts, c, alpha)


def _nested(event: EventPair, ranks: tuple[Ranks, Ranks], looks: int) -> Nested:
    counts = event.count(*ranks, len(ranks[0]))
    return Nested(event.below(ranks[0]), event.below(ranks[1]), len(ranks[0]), looks, counts.hits, counts.counters)
