"""Audits in the transcript view: the adversary sees every release, and likelihood ratios are exact.

On data with transcript law P and on the neighbour with law Q, delta(epsilon) = E_P[(1 - e^(epsilon - L))_+] for the
privacy loss L = log dP/dQ. Transcripts are drawn from a tilted law R, so the payoff is
dP/dR (1 - e^(epsilon - L))_+, never negative, with the same mean; that this mean exceeds delta is shown by betting.
R is a mixture with P itself, so that dP/dR is bounded, and a pilot rates every tilt that may be used.

The output is part of what the adversary sees: two outputs on one transcript without secret draws are a loss of infinity.
"""

from __future__ import annotations

import functools
import json
import math
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from dppca.audit.auditor.betting import mean_exceeds
from dppca.audit.auditor.curves import Curve
from dppca.audit.auditor.profile import payoffs
from dppca.audit.auditor.results import Claim, Losses, LowerBound, Verdict
from dppca.audit.execution.arguments import (
    MIN_TRIALS,
    check_algorithm,
    check_arguments,
    check_callback,
    check_claim,
    check_datasets,
    check_store,
    other_kind,
)
from dppca.audit.execution.batches import HEAD, Batch, BatchError, Clock, Failure
from dppca.audit.execution.independence import SameElsewhere, error_of, refuse_order
from dppca.audit.execution.output_view import Progress
from dppca.audit.execution.runner import Advance, Runner
from dppca.audit.execution.seeding import unchanged
from dppca.audit.execution.store import Store
from dppca.audit.execution.transcripts import agree, draw_transcript
from dppca.audit.execution.trials import BATCH, LET_IT_COPY, mechanism_error, probe_size, probed
from dppca.reference.noise import Algorithm
from dppca.reference.rigour.bisection import bisect
from dppca.reference.rigour.validation import check_positive, error_text, printable

#: Pilot rounds that choose direction and tilt, and their trials: a share of all trials, at least so many.
_PILOT_ROUNDS, _PILOT_SHARE, _PILOT_MIN = 3, 0.03, 30
_EPSILON_TOLERANCE = 1e-6
_MAX_TILT = 1e3
#: Share of the transcripts that are drawn without the tilt.
UNTILTED_SHARE = 0.1
#: Transcripts of a batch that are run again, and on one dataset: so many of a kind, or one in so many.
_MOST_AGAIN, _AGAIN_SHARE = 10, 20
#: Transcripts that each of a few new processes draws with one seed.
_ELSEWHERE = 4
#: A loss of a dataset against itself that is not rounding.
_LEAST_OWN_LOSS = 1e-6
DRAW_FROM_NOISE = "Draw through noise alone, as public or secret or as part of a release, and keep nothing from call to call"
#: Below this the loss moves by rounding only, and no tilt helps.
_LEAST_SCALE = 1e-20

Float = NDArray[np.float64]


def transcript_lower_bound(
    algorithm: Algorithm[Any],
    data: Any,
    neighbour: Any,
    *,
    delta: float,
    trials: int = 20_000,
    confidence: float = 0.95,
    seed: int = 0,
    workers: int = 1,
    store: Store | None = None,
    call_timeout: float | None = None,
    call_memory: int | None = None,
    isolate: bool = False,
) -> LowerBound:
    """Return a lower bound on epsilon for an adversary who sees every release of an algorithm.

    With probability at least `confidence`, the transcript is not (e, delta)-DP on the pair for any e below
    the bound's epsilon. If the algorithm has secret draws, the adversary is shown them too; the bound's
    `secrets` then names them, and it may not refute a claim that rests on them.

    Args:
        algorithm: callable (data, noise) -> output; every release goes through `noise`.
        data: the dataset, passed on as it is.
        neighbour: the neighbouring dataset.
        delta: in [0, 1), fixed in advance. At delta = 0 the bound is the largest loss that was seen, as no
            pure epsilon is smaller.
        trials: transcripts per dataset, pilot included, >= 100. The pilot chooses on which dataset
            transcripts are drawn after it.
        confidence: in (0, 1).
        seed: >= 0; the same seed gives the same bound.
        workers: as in `lower_bound`.
        store: as in `lower_bound`.
        call_timeout: seconds that one transcript may take, which is two runs of the algorithm.
        call_memory: as in `lower_bound`.
        isolate: as in `lower_bound`.

    Raises:
        ValueError: an argument outside its range.
        MechanismError: the algorithm raised, crashed or took too long; names the trial.
        StoreError: the store cannot be used or written.
        VersionError: workers, or the files on the disk, have another version of the code.

    Example:
        The exact epsilon of this Gaussian noise is 4.38 at delta = 1e-5.

        >>> import dppca.audit as audit
        >>> def noisy_sum(data, noise):
        ...     return noise.gaussian("sum", sum(data), std=1.0, sensitivity=1.0)
        >>> bound = audit.transcript_lower_bound(noisy_sum, [1, 0, 1], [1, 0, 0], delta=1e-5, trials=2_000)
        >>> 4.0 < bound.epsilon < 4.38
        True
    """
    started = time.perf_counter()
    delta, trials, confidence, seed = check_arguments(delta, trials, confidence, seed)
    check_algorithm(algorithm)
    check_datasets((data, neighbour))
    check_store(store)
    with Runner(
        workers, store, call_timeout, call_memory, isolate=isolate, callables=(algorithm,), data=(data, neighbour)
    ) as runner:
        return _audit(algorithm, data, neighbour, delta, None, trials, confidence, seed, runner, None, started)[0]


def transcript_check(
    algorithm: Algorithm[Any],
    data: Any,
    neighbour: Any,
    claim: Claim,
    *,
    trials: int = 20_000,
    confidence: float = 0.95,
    seed: int = 0,
    workers: int = 1,
    store: Store | None = None,
    call_timeout: float | None = None,
    call_memory: int | None = None,
    isolate: bool = False,
    progress: Progress | None = None,
    seconds: float | None = None,
) -> Verdict:
    """Try to refute a claim of privacy by transcripts, of every release; stop as soon as it is refuted.

    The test is a sequence of bets, so that the bound holds at `confidence` wherever the run stops. Nothing is refuted where the
    adversary was shown secret draws.

    Args:
        algorithm: as in `transcript_lower_bound`.
        data: as in `transcript_lower_bound`.
        neighbour: as in `transcript_lower_bound`.
        claim: the claim, whose delta is the bound's.
        trials: how many transcripts there are on each dataset at most.
        confidence: as in `transcript_lower_bound`.
        seed: as in `transcript_lower_bound`.
        workers: as in `lower_bound`.
        store: as in `lower_bound`.
        call_timeout: as in `transcript_lower_bound`.
        call_memory: as in `lower_bound`.
        isolate: as in `lower_bound`.
        progress: is called with the number of trials just run.
        seconds: time that the run may take, about: `trials` is lowered to what the first transcripts say fits.

    Raises:
        As `transcript_lower_bound`.

    Example:
        >>> import dppca.audit as audit
        >>> def noisy_sum(data, noise):
        ...     return noise.gaussian("sum", sum(data), std=1.0, sensitivity=1.0)
        >>> claim = audit.Claim(epsilon=1.0, delta=1e-5)
        >>> print(audit.transcript_check(noisy_sum, [1, 0, 1], [1, 0, 0], claim, trials=2_000))
        REFUTED
    """
    started = time.perf_counter()
    if isinstance(check_claim(claim), Curve):
        problem = f"got {claim}: choose a delta, or audit the outputs with audit.check"
        raise ValueError(f"claim must be a Claim(epsilon, delta) for transcripts, {problem}")  # noqa: TRY004 - as everywhere
    _, trials, confidence, seed = check_arguments(claim.delta, trials, confidence, seed)
    check_algorithm(algorithm)
    check_datasets((data, neighbour))
    check_store(store)
    check_callback("progress", progress)
    if seconds is not None:
        seconds = check_positive("seconds", seconds)
    with Runner(
        workers, store, call_timeout, call_memory, isolate=isolate, callables=(algorithm,), data=(data, neighbour)
    ) as runner:
        bound, tested = _audit(
            algorithm, data, neighbour, claim.delta, claim, trials, confidence, seed, runner, progress, started, seconds
        )
    return Verdict(bound.refutes(claim) and not bound.secrets, bound, claim, tested)


def _audit(
    algorithm: Algorithm[Any],
    data: Any,
    neighbour: Any,
    delta: float,
    claim: Claim | None,
    trials: int,
    confidence: float,
    seed: int,
    runner: Runner,
    progress: Progress | None,
    started: float,
    seconds: float | None = None,
) -> tuple[LowerBound, Losses]:
    """Pilot and test; with a claim, the test ends at the first batch after which the claim is refuted."""
    seeds = np.random.SeedSequence(seed)
    alpha = error_of(confidence)
    directions = {
        "data": _Direction(algorithm, data, neighbour, "data", seeds.spawn(1)[0], runner),
        "neighbour": _Direction(algorithm, neighbour, data, "neighbour", seeds.spawn(1)[0], runner),
    }
    with SameElsewhere(directions["data"].aside(_ELSEWHERE), "algorithm", runner) as elsewhere:
        calls = probe_size(trials)
        first = probed(directions["data"].aside(calls), calls, trials if seconds is None else 0, runner)
        if seconds is not None and first and first[0]:
            trials = min(trials, max(MIN_TRIALS, int(seconds * runner.workers * calls / first[0])))
        pilot_trials = max(_PILOT_MIN, int(_PILOT_SHARE * trials))
        test_trials = trials - _PILOT_ROUNDS * pilot_trials
        plans = {name: _pilot(direction, pilot_trials, test_trials, delta, alpha) for name, direction in directions.items()}
        if progress is not None:
            progress(trials - test_trials)
        chosen = max(plans, key=lambda name: plans[name].promise)
        direction, plan = directions[chosen], plans[chosen]
        test = _Losses.none()
        for batch in direction.batches(test_trials, plan.tilt, progress):
            test = test.followed_by(batch)
            if claim and not direction.secrets and _shown(test, delta, plan.shares, alpha, claim.epsilon):
                break
        unchecked = elsewhere.check(DRAW_FROM_NOISE)
    epsilon = _bound(test, delta, plan.shares, alpha)
    refuse_order([test.losses], math.ceil(test_trials / BATCH), np.random.default_rng(seeds.spawn(1)[0]))
    bound = LowerBound(
        epsilon=epsilon,
        delta=delta,
        confidence=confidence,
        trials=trials - test_trials + len(test.losses),
        seconds=time.perf_counter() - started,
        event=f"privacy loss of the transcript above epsilon, transcripts drawn on {chosen} with tilt {plan.tilt:.4g}",
        seed=seed,
        method="transcript",
        secrets=tuple(dict.fromkeys(name for d in directions.values() for name in d.secrets)),
        repeated=runner.repeated,
        unchecked=unchecked,
    )
    return bound, Losses(test.losses, test.log_weights, test_trials)


@dataclass(frozen=True, eq=False)
class TranscriptBatch(Batch):
    """Transcripts drawn on a dataset beside another: (loss, log-weight, scale, excess, secrets as JSON) of each."""

    algorithm: Algorithm[Any]
    data: Any
    other: Any
    tilt: float

    def parts(self) -> tuple[Any, ...]:
        """Return the algorithm and the datasets."""
        return self.algorithm, self.data, self.other

    def run(self, clock: Clock) -> list[tuple[float, float, float, float, str]]:
        """Return one tuple a transcript; BatchError too where the algorithm drew elsewhere or changed what it was given."""
        outputs: list[tuple[float, float, float, float, str]] = []
        rng, states, again = np.random.default_rng(self.seed), list[Any](), list[Any]()
        with unchanged((self.data, self.other), LET_IT_COPY, lambda _: 0):
            try:
                for trial in range(self.size):
                    clock.start(trial)
                    states.append(rng.bit_generator.state)
                    outputs.append(self._transcript(rng, self.other))
                for trial in self._telling(outputs):
                    clock.start(trial)
                    for other in (self.other, self.data):
                        rng.bit_generator.state = states[trial]
                        again.append((trial, self._transcript(rng, other)))
            except BaseException as error:  # also what would end the process or the test
                if not clock.is_failure(error):
                    raise
                raise BatchError(f"raised {error_text(error)}", len(outputs), [], other_kind(error)) from error
        for (trial, same), (_, own) in zip(again[::2], again[1::2], strict=True):
            if repr(same) != repr(outputs[trial]):
                problem = "gives another transcript when run again with the same seed: it keeps a state, or draws elsewhere"
                raise BatchError(problem, trial, [], DRAW_FROM_NOISE)
            if not -_LEAST_OWN_LOSS <= own[0] <= _LEAST_OWN_LOSS:
                problem = f"loses privacy between two runs on the same dataset (loss {own[0]:.3g}): it draws elsewhere"
                raise BatchError(problem, trial, [], DRAW_FROM_NOISE)
        return outputs

    def _transcript(self, rng: np.random.Generator, other: Any) -> tuple[float, float, float, float, str]:
        """Return a transcript's tuple."""
        drawn = draw_transcript(self.algorithm, self.data, other, rng, self.tilt, share=UNTILTED_SHARE)
        leaked = drawn.outputs is not None and not drawn.secrets and not agree(*drawn.outputs)
        loss = math.inf if leaked else drawn.loss
        return loss, drawn.log_weight, drawn.scale, drawn.excess, json.dumps(drawn.secrets)

    def _telling(self, outputs: list[tuple[float, float, float, float, str]]) -> list[int]:
        """Return the first transcripts, and those that tell most: a bound rests on these."""
        most = max(1, min(_MOST_AGAIN, self.size // _AGAIN_SHARE))
        by_loss = sorted(range(self.size), key=lambda trial: outputs[trial][0], reverse=True)[:most]
        by_weight = sorted(range(self.size), key=lambda trial: sum(outputs[trial][:2]), reverse=True)[:most]
        return list(dict.fromkeys([*range(most), *by_loss, *by_weight]))

    def head(self) -> TranscriptBatch:
        """Return a batch of the first transcripts."""
        return replace(self, size=min(self.size, HEAD))

    def describe(self) -> dict[str, Any]:
        """Return what tells this batch from others, with the tilt: a pilot of another size chooses it."""
        return {**super().describe(), "tilt": self.tilt.hex()}


@dataclass(frozen=True)
class _Losses:
    """The losses, log-weights, scales and excesses of transcripts, each of shape (n,)."""

    losses: Float
    log_weights: Float
    scales: Float
    excesses: Float

    @classmethod
    def none(cls) -> _Losses:
        return cls(np.empty(0), np.empty(0), np.empty(0), np.empty(0))

    def followed_by(self, other: _Losses) -> _Losses:
        return _Losses(
            np.concatenate([self.losses, other.losses]),
            np.concatenate([self.log_weights, other.log_weights]),
            np.concatenate([self.scales, other.scales]),
            np.concatenate([self.excesses, other.excesses]),
        )


class _Direction:
    """Transcripts drawn on one of the two datasets, in batches with seeds of their own."""

    def __init__(
        self, algorithm: Algorithm[Any], data: Any, other: Any, name: str, seeds: np.random.SeedSequence, runner: Runner
    ) -> None:
        self._algorithm = algorithm
        self._data = data
        self._other = other
        self._where = f"the pair, transcripts drawn on {name}"
        self._seeds = seeds
        self._runner = runner
        self._done = 0
        self.secrets: tuple[str, ...] = ()

    def batches(self, trials: int, tilt: float, progress: Progress | None = None) -> Iterator[_Losses]:
        """Yield the next `trials` transcripts; `progress` is called with those just run."""
        planned = [
            TranscriptBatch(self._seeds.spawn(1)[0], size, self._where, self._algorithm, self._data, self._other, tilt)
            for size in (min(BATCH, trials - start) for start in range(0, trials, BATCH))
        ]
        with closing(self._runner.run(planned, Advance(progress, 1))) as results:
            for batch, result in zip(planned, results, strict=True):
                if isinstance(result, Failure):
                    raise mechanism_error(batch, result, self._done)
                self._done += batch.size
                *numbers, secrets = zip(*result, strict=True)
                shown = (printable(name) for names in dict.fromkeys(secrets) for name in json.loads(names))
                self.secrets = tuple(dict.fromkeys([*self.secrets, *shown]))
                yield _Losses(*map(np.array, numbers))

    def aside(self, size: int) -> TranscriptBatch:
        """Return a batch with a seed that none of the direction's has."""
        seed = np.random.SeedSequence(self._seeds.entropy, spawn_key=(*self._seeds.spawn_key, 2**32 - 2))
        return TranscriptBatch(seed, size, self._where, self._algorithm, self._data, self._other, 0.0)

    def draw(self, trials: int, tilt: float) -> _Losses:
        """Return the next `trials` transcripts together."""
        return functools.reduce(_Losses.followed_by, self.batches(trials, tilt))


class _Plan:
    """The findings of a pilot: the tilt, the betting shares, the epsilon that they promise, and what of it is sure."""

    def __init__(self, tilt: float, shares: Float, promise: float, rated: float = 0.0) -> None:
        self.tilt = tilt
        self.shares = shares
        self.promise = promise
        self.rated = rated


def _pilot(direction: _Direction, trials: int, test_trials: int, delta: float, alpha: float) -> _Plan:
    """Return the tilt and shares that promise most for a test of `test_trials`; no tilt is the first that is tried.

    The others are found by the cross-entropy method: the mean of the tilted law is moved to where the payoff is.
    """
    tilt, shares = 0.0, np.geomspace(0.01, 0.5, 6)
    best = _Plan(0.0, shares, 0.0)
    for pilot_round in range(_PILOT_ROUNDS):
        drawn = direction.draw(trials, tilt)
        if delta == 0.0:
            best.promise = max(best.promise, float(drawn.losses.max()))
            continue
        found = plan_test(drawn.losses, drawn.log_weights, test_trials, delta, alpha, tilt)
        if found is not None and found.rated >= best.rated:
            best = found
        carrying = np.isfinite(drawn.losses) & (drawn.scales > _LEAST_SCALE)
        if not carrying.any():
            continue
        losses, scales, excesses = (values[carrying] for values in (drawn.losses, drawn.scales, drawn.excesses))
        weighted = payoffs(losses, drawn.log_weights[carrying], found.promise if found else math.inf)
        if found is None or pilot_round == 0 or not weighted.any():
            # Nothing rare was seen yet: aim at where a Gaussian loss of this variance would exceed delta.
            scale = float(scales.mean())
            moved = 0.5 * scale + math.sqrt(scale) * float(norm.isf(delta)) - float((losses - excesses).mean())
        else:
            scale, moved = (float(np.average(values, weights=weighted)) for values in (scales, excesses))
        tilt = float(np.clip(moved / scale, 0.0, _MAX_TILT))
        if best.promise == 0.0:
            best = _Plan(tilt, shares, 0.0)
    return best


def plan_test(losses: Float, log_weights: Float, trials: int, delta: float, alpha: float, tilt: float) -> _Plan | None:
    """Return the epsilon that a test of `trials` should reach, and the shares that suit it; None if no loss was seen."""
    need = math.sqrt(2.0 * math.log(1.0 / alpha) / trials)

    def moments(epsilon: float) -> tuple[float, float, float]:  # mean, deviation and delta, as shares of the largest payoff
        paid = payoffs(losses, log_weights, epsilon)
        largest = float(paid.max()) or 1.0
        return float((paid / largest).mean()), float((paid / largest).std()), delta / largest

    def spare(epsilon: float, unsure: float = 0.0) -> float:
        mean, deviation, least = moments(epsilon)
        return mean - least - (need + unsure) * deviation

    top = largest_finite(losses)
    if not spare(0.0) > 0.0:
        return None
    epsilon = largest_epsilon(lambda e: spare(e) > 0.0, top)
    unsure = 0.5 / math.sqrt(len(losses))  # half the standard error of the pilot's own mean
    rated = largest_epsilon(lambda e: spare(e, unsure) > 0.0, top) if spare(0.0, unsure) > 0.0 else 0.0
    _, deviation, least = moments(epsilon)
    share = min(need * least / max(deviation, need * least), 0.45)
    return _Plan(tilt, np.array([0.5, 1.0, 2.0]) * share, epsilon, rated)


def _bound(test: _Losses, delta: float, shares: Float, alpha: float) -> float:
    if delta == 0.0:
        return max(0.0, float(test.losses.max()))

    def shown(epsilon: float) -> bool:
        return _shown(test, delta, shares, alpha, epsilon)

    if not shown(0.0):
        return 0.0
    if shown(math.inf):
        return math.inf
    return largest_epsilon(shown, largest_finite(test.losses))


def _shown(test: _Losses, delta: float, shares: Float, alpha: float, epsilon: float) -> bool:
    """Return whether no epsilon up to this one can hold at this delta; it falls as epsilon grows."""
    if delta == 0.0:
        return bool(test.losses.max() > epsilon)
    return mean_exceeds(payoffs(test.losses, test.log_weights, epsilon), delta, shares, alpha)


def largest_finite(losses: Float) -> float:
    """Return the largest finite loss; 1 where it is smaller, or none is finite."""
    finite = losses[np.isfinite(losses)]
    return max(1.0, float(finite.max())) if len(finite) else 1.0


def largest_epsilon(holds: Any, high: float) -> float:
    """Return the largest epsilon at which a decreasing statement holds, given that it holds at 0."""
    low = 0.0
    while holds(high):
        low, high = high, 2.0 * high
        if high > 1e6:
            return low
    return bisect(lambda epsilon: not holds(epsilon), low, high, lambda a, b: b - a <= _EPSILON_TOLERANCE * max(1.0, b))[0]
