"""Audits in the transcript view: the adversary sees every release, and likelihood ratios are exact.

On data with transcript law P and on the neighbour with law Q, delta(epsilon) = E_P[(1 - e^(epsilon - L))_+] for the
privacy loss L = log dP/dQ. Transcripts are drawn from a tilted law R, so the payoff is
dP/dR (1 - e^(epsilon - L))_+, never negative, with the same mean; that this mean exceeds delta is shown by betting.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audit.engine.betting import mean_exceeds
from audit.engine.output_view import check_arguments
from audit.engine.results import LowerBound
from audit.engine.transcripts import Drawn, draw_transcript
from audit.engine.trials import BATCH, MechanismError, TrialSeed
from reference.noise import Algorithm
from reference.primitives.gaussian import epsilon_at

#: Pilot rounds that choose direction and tilt, and their trials: a share of all trials, at least so many.
_PILOT_ROUNDS, _PILOT_SHARE, _PILOT_MIN = 3, 0.02, 30
_EPSILON_TOLERANCE = 1e-6
_MAX_TILT = 1e3
#: Below this the loss moves by rounding only, and no tilt helps.
_LEAST_SCALE = 1e-20

Float = NDArray[np.float64]


@dataclass(frozen=True)
class TranscriptRun:
    """A bound, and the losses and log-weights of the test transcripts that it was computed from."""

    bound: LowerBound
    losses: Float
    log_weights: Float


def transcript_lower_bound(
    algorithm: Algorithm[Any],
    data: Any,
    neighbour: Any,
    *,
    delta: float,
    trials: int = 20_000,
    confidence: float = 0.95,
    seed: int = 0,
) -> LowerBound:
    """A lower bound on epsilon for an adversary who sees every release of an algorithm.

    With probability at least `confidence`, the transcript is not (e, delta)-DP on the pair for any e below
    the bound's epsilon. If the algorithm has secret draws, the adversary is shown them too; the bound's
    `secrets` then names them, and it may not refute a claim that rests on them.

    Args:
        algorithm: callable (data, noise) -> output; every release goes through `noise`.
        data: the dataset, passed on as it is.
        neighbour: the neighbouring dataset.
        delta: in [0, 1), fixed in advance. With delta = 0 the bound is the largest loss seen, which no
            pure epsilon can be below.
        trials: transcripts per dataset, pilot included, >= 100. The pilot chooses on which dataset
            transcripts are drawn after it.
        confidence: in (0, 1).
        seed: >= 0; the same seed gives the same bound.

    Raises:
        ValueError: an argument outside its range.
        MechanismError: the algorithm raised; names the trial.
    """
    return transcript_run(algorithm, data, neighbour, delta=delta, trials=trials, confidence=confidence, seed=seed).bound


def transcript_run(
    algorithm: Algorithm[Any], data: Any, neighbour: Any, *, delta: float, trials: int, confidence: float, seed: int
) -> TranscriptRun:
    """`transcript_lower_bound`, with what the bound was computed from."""
    started = time.perf_counter()
    check_arguments(delta, trials, confidence, seed)
    seeds = np.random.SeedSequence(seed)
    alpha = 1.0 - confidence
    directions = {
        "data": _Direction(algorithm, data, neighbour, "data", seeds.spawn(1)[0]),
        "neighbour": _Direction(algorithm, neighbour, data, "neighbour", seeds.spawn(1)[0]),
    }
    pilot_trials = max(_PILOT_MIN, int(_PILOT_SHARE * trials))
    test_trials = trials - _PILOT_ROUNDS * pilot_trials
    plans = {name: _pilot(direction, pilot_trials, test_trials, delta, alpha) for name, direction in directions.items()}
    chosen = max(plans, key=lambda name: plans[name].promise)
    direction, plan = directions[chosen], plans[chosen]
    losses, log_weights = direction.draw(test_trials, plan.tilt)
    epsilon = _bound(losses, log_weights, delta, plan.shares, alpha)
    bound = LowerBound(
        epsilon=epsilon,
        delta=delta,
        confidence=confidence,
        trials=trials,
        seconds=time.perf_counter() - started,
        event=f"privacy loss of the transcript above epsilon, transcripts drawn on {chosen} with tilt {plan.tilt:.4g}",
        seed=seed,
        method="transcript",
        secrets=tuple(dict.fromkeys(name for d in directions.values() for name in d.secrets)),
    )
    return TranscriptRun(bound, losses, log_weights)


class _Direction:
    """Transcripts drawn on one of the two datasets, in batches with seeds of their own."""

    def __init__(self, algorithm: Algorithm[Any], data: Any, other: Any, name: str, seeds: np.random.SeedSequence) -> None:
        self._algorithm = algorithm
        self._data = data
        self._other = other
        self._name = name
        self._seeds = seeds
        self._done = 0
        self.secrets: tuple[str, ...] = ()
        self.scale = 0.0

    def draw(self, trials: int, tilt: float) -> tuple[Float, Float]:
        """Losses and log-weights of the next `trials` transcripts."""
        drawn: list[Drawn] = []
        while len(drawn) < trials:
            (child,) = self._seeds.spawn(1)
            rng = np.random.default_rng(child)
            for offset in range(min(BATCH, trials - len(drawn))):
                try:
                    drawn.append(draw_transcript(self._algorithm, self._data, self._other, rng, tilt))
                except Exception as error:
                    seed = TrialSeed(child.entropy, child.spawn_key, offset)
                    problem = f"raised {type(error).__name__}: {error}"
                    where = f"the pair, transcripts drawn on {self._name}"
                    raise MechanismError(problem, where, self._done + len(drawn), seed) from error
        self._done += trials
        self.secrets = tuple(dict.fromkeys([*self.secrets, *(name for d in drawn for name in d.secrets)]))
        self.scale = float(np.mean([d.scale for d in drawn]))
        return np.array([d.loss for d in drawn]), np.array([d.log_weight for d in drawn])


class _Plan:
    """What a pilot found: the tilt, the betting shares, and the epsilon that they promise."""

    def __init__(self, tilt: float, shares: Float, promise: float) -> None:
        self.tilt = tilt
        self.shares = shares
        self.promise = promise


def _pilot(direction: _Direction, trials: int, test_trials: int, delta: float, alpha: float) -> _Plan:
    """Choose tilt and shares for a test of `test_trials`, by the cross-entropy method."""
    tilt = 0.0
    plan = _Plan(0.0, np.geomspace(0.01, 0.5, 6), 0.0)
    for pilot_round in range(_PILOT_ROUNDS):
        losses, log_weights = direction.draw(trials, tilt)
        if delta == 0.0:
            plan.promise = max(plan.promise, float(losses.max()))
            continue
        found = _plan(losses, log_weights, test_trials, delta, alpha, tilt)
        plan = found or plan
        finite = losses[np.isfinite(losses)]
        if direction.scale <= _LEAST_SCALE or len(finite) == 0:
            continue
        if found is None or pilot_round == 0:
            # Nothing rare was seen yet: aim at where a Gaussian loss of this variance would exceed delta.
            goal = epsilon_at(delta, math.sqrt(direction.scale))
        else:
            weighted = payoffs(losses, log_weights, found.promise)
            known = np.isfinite(losses) & (weighted > 0.0)
            goal = float(np.average(losses[known], weights=weighted[known])) if known.any() else float(finite.mean())
        tilt = float(np.clip(tilt + (goal - finite.mean()) / direction.scale, 0.0, _MAX_TILT))
        plan = _Plan(tilt, plan.shares, plan.promise)
    return plan


def _plan(losses: Float, log_weights: Float, trials: int, delta: float, alpha: float, tilt: float) -> _Plan | None:
    """The epsilon that a test of `trials` should reach, and the shares that suit it; None if no loss was seen."""
    need = math.sqrt(2.0 * math.log(1.0 / alpha) / trials)

    def spare(epsilon: float) -> float:
        ratio = payoffs(losses, log_weights, epsilon) / delta
        return float(ratio.mean() - 1.0 - need * ratio.std())

    top = _top(losses)
    if not spare(0.0) > 0.0:
        return None
    epsilon = _largest(lambda e: spare(e) > 0.0, top)
    deviation = float((payoffs(losses, log_weights, epsilon) / delta).std())
    share = min(need / max(deviation, need), 0.45)
    return _Plan(tilt, np.array([0.5, 1.0, 2.0]) * share, epsilon)


def _bound(losses: Float, log_weights: Float, delta: float, shares: Float, alpha: float) -> float:
    if delta == 0.0:
        return max(0.0, float(losses.max()))

    def shown(epsilon: float) -> bool:
        return mean_exceeds(payoffs(losses, log_weights, epsilon), delta, shares, alpha)

    if not shown(0.0):
        return 0.0
    if shown(math.inf):
        return math.inf
    return _largest(shown, _top(losses))


def payoffs(losses: Float, log_weights: Float, epsilon: float) -> Float:
    """dP/dR (1 - e^(epsilon - loss))_+; at epsilon = inf what remains is the mass that the neighbour cannot have."""
    never = np.isinf(losses)
    finite = np.where(never, 0.0, losses)
    gain = np.where(never, 1.0, -np.expm1(np.minimum(epsilon - finite, 0.0)) if epsilon < math.inf else 0.0)
    with np.errstate(over="ignore", invalid="ignore"):
        return np.where(gain > 0.0, np.exp(log_weights) * gain, 0.0)


def _top(losses: Float) -> float:
    finite = losses[np.isfinite(losses)]
    return max(1.0, float(finite.max())) if len(finite) else 1.0


def _largest(holds: Any, high: float) -> float:
    """The largest epsilon at which a decreasing statement holds, given that it holds at 0."""
    low = 0.0
    while holds(high):
        low, high = high, 2.0 * high
        if high > 1e6:
            return low
    while high - low > _EPSILON_TOLERANCE * max(1.0, high):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low
