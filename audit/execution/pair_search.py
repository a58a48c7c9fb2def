"""Search for the pair of neighbouring datasets that tells most, with a bound that pays for the search.

Candidates are compared on runs of their own, in rounds: the better half stays, and where pairs can be varied the other
half is replaced by variations of it. Then the best pair, fixed by now, is audited on new runs alone. So the bound holds
at its whole confidence; what the search costs is the runs that the final audit does not have.
"""

from __future__ import annotations

import copy
import math
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np

from dppca.audit.auditor.curves import Curve
from dppca.audit.auditor.outputs import Features
from dppca.audit.auditor.presentation import Presented
from dppca.audit.auditor.results import Claim, LowerBound, Verdict, described
from dppca.audit.execution.arguments import (
    MIN_TRIALS,
    Mechanism,
    check_algorithm,
    check_arguments,
    check_claim,
    check_features,
    check_mechanism,
    check_pairs,
    check_store,
)
from dppca.audit.execution.independence import in_this_process_alone
from dppca.audit.execution.output_view import check, lower_bound
from dppca.audit.execution.pairs import Pair
from dppca.audit.execution.store import Store
from dppca.audit.execution.transcript_view import transcript_check, transcript_lower_bound
from dppca.reference.noise import Algorithm, lockstep
from dppca.reference.rigour.validation import check_count, shown

Score: TypeAlias = tuple[float, float]
#: Share of the trials that the search takes.
SEARCH_SHARE = 0.5
#: Candidates are ranked by bounds of this confidence.
RANKING_CONFIDENCE = 0.5
#: Transcripts on which a candidate's observed change is compared with the declared sensitivity.
LOCKSTEPS = 3


@runtime_checkable
class Varied(Protocol):
    """A generator of pairs that can also vary one."""

    def __call__(self, rng: np.random.Generator) -> Pair:
        """Return a pair of neighbouring datasets."""

    def near(self, pair: Pair, rng: np.random.Generator) -> Pair:
        """Return a variation of a pair, of neighbouring datasets again."""


@dataclass(frozen=True)
class PairBound(Presented):
    """Holds the pair of datasets with which a search ended, and the bound on it.

    Attributes:
        data: the dataset.
        neighbour: its neighbour.
        bound: holds at its confidence after the search; its trials count those of the search.
        pairs: how many pairs were compared.
        sensitivity: the largest change of a release over the sensitivity that it declares, on the pair, where the
            search ranked by an algorithm's likelihood; above 1 it refutes that sensitivity. Otherwise None.
        verdict: on the claim that was given, otherwise None; its bound is `bound`.
    """

    data: Any
    neighbour: Any
    bound: LowerBound
    pairs: int
    sensitivity: float | None
    verdict: Verdict | None = None


def lower_bound_over_pairs(
    mechanism: Mechanism,
    pairs: Callable[[np.random.Generator], Pair],
    *,
    delta: float = 0.0,
    claim: Claim | Curve | None = None,
    start: Pair | None = None,
    trials: int = 100_000,
    candidates: int = 16,
    confidence: float = 0.95,
    seed: int = 0,
    features: Features | None = None,
    algorithm: Algorithm[Any] | None = None,
    workers: int = 1,
    store: Store | None = None,
    call_timeout: float | None = None,
    call_memory: int | None = None,
    isolate: bool = False,
) -> PairBound:
    """Return a lower bound on a mechanism's epsilon from its outputs, on the best pair that a search finds.

    With probability at least `confidence`, the mechanism is not (e, delta)-DP on the pair found for any e below the
    bound's epsilon.

    Args:
        mechanism: as in `lower_bound`.
        pairs: callable (rng) -> (data, neighbour), neighbouring in the sense of the claim; with a method
            near(pair, rng) -> pair the search also varies the pairs it has. `Values`, `Records`, `Edges` and `Rows` are some.
        delta: in [0, 1), fixed in advance; that of `claim`, where one is given.
        claim: the last audit holds the pair against it, as `check` does; the result's `verdict` is that.
        start: a pair that the search begins with, beside those of `pairs`.
        trials: runs on each dataset of a pair, over all pairs and the final audit, which takes half of them.
        candidates: pairs compared in a round, >= 2; there are log2(candidates) rounds, rounded up. The ranking must
            have 100 runs on each pair.
        confidence: in (0, 1).
        seed: >= 0; the same seed gives the same result.
        features: as in `lower_bound`.
        algorithm: the same mechanism as a callable (data, noise) -> output, if there is one: pairs are then ranked by
            how far they move each release, relative to the sensitivity that it declares, and by exact likelihoods.
        workers: as in `lower_bound`.
        store: as in `lower_bound`.
        call_timeout: as in `lower_bound`.
        call_memory: as in `lower_bound`.
        isolate: as in `lower_bound`.

    Raises:
        As `lower_bound`.

    Example:
        A mechanism that does not clip its input has no epsilon: the search finds a number that lies far outside of [0, 1].

        >>> import dppca.audit as audit
        >>> def noisy_sum(data, rng):
        ...     return sum(data) + rng.laplace(scale=0.5)
        >>> found = audit.lower_bound_over_pairs(noisy_sum, audit.Values(n=3), trials=4_000, candidates=4)
        >>> found.bound.epsilon > 3.0
        True
    """
    check_mechanism(mechanism)
    check_features(features)
    check_store(store)
    if algorithm is not None:
        check_algorithm(algorithm)
    run: dict[str, Any] = {
        "workers": workers,
        "store": store,
        "call_timeout": call_timeout,
        "call_memory": call_memory,
        "isolate": isolate,
    }
    delta = _delta(delta, claim)

    def audited(pair: Pair, against: Claim | Curve | None, **options: Any) -> Any:
        if against is None:
            return lower_bound(mechanism, pair[0], pair[1], delta=delta, features=features, **options, **run)
        return check(mechanism, pair[0], pair[1], against, features=features, **options, **run)

    def score(pair: Pair, number: int, own_seed: int) -> Score:
        if algorithm is not None:
            return _by_likelihood(algorithm, pair, number, own_seed, {"delta": delta, **run})
        with in_this_process_alone():  # this bound only ranks
            return 0.0, audited(pair, None, trials=number, confidence=RANKING_CONFIDENCE, seed=own_seed).epsilon

    return search_pairs(pairs, start, score, audited, algorithm, delta, claim, trials, candidates, confidence, seed)


def transcript_lower_bound_over_pairs(
    algorithm: Algorithm[Any],
    pairs: Callable[[np.random.Generator], Pair],
    *,
    delta: float = 0.0,
    claim: Claim | None = None,
    start: Pair | None = None,
    trials: int = 20_000,
    candidates: int = 16,
    confidence: float = 0.95,
    seed: int = 0,
    workers: int = 1,
    store: Store | None = None,
    call_timeout: float | None = None,
    call_memory: int | None = None,
    isolate: bool = False,
) -> PairBound:
    """Return `transcript_lower_bound` on the best pair that a search finds; see `lower_bound_over_pairs`.

    Pairs are ranked by how far they move each release, relative to the sensitivity that it declares, and by exact likelihoods.

    Example:
        The search finds numbers outside of [0, 1], which move the sum by more than the sensitivity that the algorithm declares.

        >>> import dppca.audit as audit
        >>> def noisy_sum(data, noise):
        ...     return noise.gaussian("sum", sum(data), std=1.0, sensitivity=1.0)
        >>> pairs = audit.Values(n=3)
        >>> found = audit.transcript_lower_bound_over_pairs(noisy_sum, pairs, delta=1e-5, trials=2_000, candidates=4)
        >>> found.bound.epsilon > 5.0
        True
    """
    check_algorithm(algorithm)
    check_store(store)
    run: dict[str, Any] = {
        "workers": workers,
        "store": store,
        "call_timeout": call_timeout,
        "call_memory": call_memory,
        "isolate": isolate,
    }
    delta = _delta(delta, claim)

    def audited(pair: Pair, against: Any, **options: Any) -> Any:
        if against is None:
            return transcript_lower_bound(algorithm, pair[0], pair[1], delta=delta, **options, **run)
        return transcript_check(algorithm, pair[0], pair[1], against, **options, **run)

    def score(pair: Pair, number: int, own_seed: int) -> Score:
        return _by_likelihood(algorithm, pair, number, own_seed, {"delta": delta, **run})

    return search_pairs(pairs, start, score, audited, algorithm, delta, claim, trials, candidates, confidence, seed)


# --- parts --------------------------------------------------------------------------------------------


def _delta(delta: float, claim: Any) -> float:
    """Return the delta of the bounds that rank pairs."""
    if claim is None or isinstance(check_claim(claim), Curve):
        return delta
    if delta not in (0.0, claim.delta):
        raise ValueError(f"delta must be that of the claim, {claim.delta}, got {delta}")
    return float(claim.delta)


def search_pairs(
    pairs: Callable[[np.random.Generator], Pair],
    start: Pair | None,
    score: Callable[[Pair, int, int], Score],
    audited: Callable[..., Any],
    algorithm: Algorithm[Any] | None,
    delta: float,
    claim: Claim | Curve | None,
    trials: int,
    candidates: int,
    confidence: float,
    seed: int,
) -> PairBound:
    """Return the bound on the best of so many candidate pairs: half of those with the lower scores are dropped each round."""
    delta, trials, confidence, seed = check_arguments(delta, trials, confidence, seed)
    check_pairs(pairs)
    candidates = check_count("candidates", candidates, least=2)
    if candidates > trials:
        raise ValueError(f"candidates must be at most trials = {trials}, got {shown(candidates)}")
    own, runs = np.random.SeedSequence(seed).spawn(2)
    rng, seeds = np.random.default_rng(own), _seeds(runs)
    rounds = math.ceil(math.log2(candidates))
    varied = isinstance(pairs, Varied)
    sizes = [candidates if varied else math.ceil(candidates / 2**i) for i in range(rounds)]
    number = [int(SEARCH_SHARE * trials / rounds / size) for size in sizes]
    if number[0] < MIN_TRIALS:
        least = math.ceil(MIN_TRIALS * rounds * candidates / SEARCH_SHARE)
        raise ValueError(f"trials must be >= {least} for {candidates} candidates, got {trials}")

    alive = [] if start is None else [checked_pair(start, "start must be")]
    alive += [checked_pair(pairs(rng)) for _ in range(candidates - len(alive))]
    compared = len(alive)
    for i in range(rounds):
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "data and neighbour are equal")  # a generator may return such a pair
            ranked = sorted(alive, key=lambda pair: score(pair, number[i], next(seeds)), reverse=True)
        alive = ranked[: math.ceil(len(ranked) / 2)]
        if isinstance(pairs, Varied) and i < rounds - 1:
            new = [checked_pair(pairs.near(copied_pair(alive[j % len(alive)]), rng)) for j in range(candidates - len(alive))]
            compared += len(new)
            alive += new
    best = alive[0]
    searched = sum(size * of for size, of in zip(sizes, number, strict=True))
    final = audited(best, claim, trials=trials - searched, confidence=confidence, seed=next(seeds))
    verdict = final if isinstance(final, Verdict) else None
    bound = final.bound if isinstance(final, Verdict) else final
    bound = replace(bound, trials=searched + bound.trials)
    sensitivity = None if algorithm is None else _sensitivity(algorithm, best, next(seeds))
    return PairBound(*best, bound, compared, sensitivity, None if verdict is None else replace(verdict, bound=bound))


def checked_pair(pair: Any, who: str = "pairs must return") -> Pair:
    """Return a copy of a pair of datasets; ValueError where it is not one, which begins with `who`."""
    if not isinstance(pair, tuple) or len(pair) != 2:
        raise ValueError(f"{who} a tuple (data, neighbour), got {described(pair)}")
    return copied_pair(pair)


def copied_pair(pair: Pair) -> Pair:
    """Return a copy of a pair, whose makers may use its arrays again; what cannot be copied stays itself."""
    try:
        return copy.deepcopy(pair)
    except Exception:  # noqa: BLE001 - a dataset's own code, which may raise anything
        return _copied_alone(pair[0]), _copied_alone(pair[1])


def _copied_alone(dataset: Any) -> Any:
    try:
        return copy.deepcopy(dataset)
    except Exception:  # noqa: BLE001 - as above
        return dataset


def _seeds(sequence: np.random.SeedSequence) -> Iterator[int]:
    """Yield seeds without end, for one audit each."""
    while True:
        yield int(sequence.spawn(1)[0].generate_state(1, np.uint64)[0])


def _by_likelihood(algorithm: Algorithm[Any], pair: Pair, trials: int, seed: int, run: dict[str, Any]) -> Score:
    """Return by how much a sensitivity is exceeded, then the epsilon of exact likelihoods."""
    bound = transcript_lower_bound(algorithm, *pair, trials=trials, confidence=RANKING_CONFIDENCE, seed=seed, **run)
    return max(1.0, _sensitivity(algorithm, pair, seed)), bound.epsilon


def _sensitivity(algorithm: Algorithm[Any], pair: Pair, seed: int) -> float:
    """Return the largest change over declared sensitivity that a few transcripts show, rounding aside."""
    found = [lockstep(algorithm, *pair, np.random.default_rng([seed, i])) for i in range(LOCKSTEPS)]
    releases = [release for one in found for release in one.releases]
    return max((max(0.0, r.change - r.rounding) / r.sensitivity for r in releases if r.sensitivity > 0.0), default=0.0)
