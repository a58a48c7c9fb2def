"""A lower bound on epsilon from ONE run, in which each of many canaries took part or not by a fair coin of its own.

Steinke, Nasr, Jagielski (2023), "Privacy Auditing with One (1) Training Run". Scores may use everything that the run shows but
the coins. If the run is (epsilon, delta)-DP when one canary joins or leaves, then of r guesses, made from the scores alone, at
least v are right with probability at most

    P(W >= v) + 2 m delta max_(1 <= i <= v) P(v - i <= W < v) / i,    W ~ Binomial(r, e^epsilon / (1 + e^epsilon)),

m the number of canaries (their Theorem 5.2). The bound is the largest epsilon up to which that stays within the error.
One run of a mechanism that treats canaries alike shows much; but guesses are all that is counted, so the bound stays below the
epsilon of the worst pair: that of `lower_bound`, on many runs, comes closer where runs are cheap.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit
from scipy.stats import binom

from dppca.audit.auditor.results import LowerBound
from dppca.reference.rigour.bisection import bisect, whole_middle
from dppca.reference.rigour.validation import as_floats, check_delta, check_real, error_text, shown

#: Epsilons that are tried; the bound is the one before the first that is not excluded.
_RESOLUTION, _LARGEST = 1e-3, 60.0
#: Coins less likely than this are none.
_NO_COINS = 1e-9


def one_run_lower_bound(
    scores: ArrayLike,
    included: ArrayLike,
    *,
    delta: float = 0.0,
    confidence: float = 0.95,
    guesses: int | Sequence[int] | None = None,
    seed: int = 0,
) -> LowerBound:
    """Return a lower bound on epsilon from the canaries of one run, for neighbours that differ in one canary more or less.

    Args:
        scores: one number a canary, shape (m,): the higher, the more the run looks as if the canary took part. They may not
            depend on `included` but through what the run shows.
        included: whether each took part, shape (m,), drawn by independent fair coins before the run.
        delta: in [0, 1), fixed in advance.
        confidence: in (0, 1).
        guesses: for how many canaries a guess is made: half of them, those with the highest scores, are guessed to have taken
            part, the others, with the lowest, not. Fixed before the coins are looked at. Several numbers share the error
            evenly; None stands for m, m / 2, m / 4, ...
        seed: of the order in which equal scores are taken, which is random: the place of a canary in the list says nothing.

    Returns:
        The bound; its `trials` are the canaries.

    Raises:
        ValueError: an argument outside its range.
    """
    started = time.perf_counter()
    values, joined = _checked(scores, included)
    check_delta(delta, allow_zero=True)
    if not 0.0 < check_real("confidence", "in (0, 1)", confidence) < 1.0:
        raise ValueError(f"confidence must be in (0, 1), got {shown(confidence)}")
    m = len(values)
    tried = _guesses(guesses, m)
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise ValueError(f"seed must be an integer >= 0, got {shown(seed)}")
    order = np.lexsort((np.random.default_rng(seed).random(m), values))  # all guesses follow from it: no coin has been seen
    best = (0.0, f"nothing shown by {m} canaries")
    for r in tried:
        right = int(joined[order[m - r // 2 :]].sum()) + int((~joined[order[: r - r // 2]]).sum())
        epsilon = excluded_up_to(m, r, right, delta, (1.0 - confidence) / len(tried))
        best = max(best, (epsilon, f"{right} of {r} guesses about {m} canaries are right"))
    seconds = time.perf_counter() - started
    return LowerBound(best[0], delta, confidence, m, seconds, best[1], int(seed), "one run")


def excluded_up_to(m: int, r: int, right: int, delta: float, error: float) -> float:
    """Return an epsilon below which so many right guesses are no likelier than `error`; inf if none explains them."""
    if p_value(m, r, right, _LARGEST, delta) <= error:
        return math.inf
    low, high = 0, math.ceil(_LARGEST / _RESOLUTION)
    if p_value(m, r, right, 0.0, delta) > error:
        return 0.0

    def explained(step: int) -> bool:
        return p_value(m, r, right, step * _RESOLUTION, delta) > error

    return bisect(explained, low, high, lambda a, b: b - a <= 1, whole_middle)[0] * _RESOLUTION


@np.errstate(under="ignore")
def p_value(m: int, r: int, right: int, epsilon: float, delta: float) -> float:
    """Return the theorem's bound on the probability of so many right guesses.

    It grows with epsilon wherever it is below 1: where 2 m delta / i <= 1, each term's derivative in the probability of a
    right guess is a sum of positive terms; where 2 m delta / i > 1, a term that falls needs its window [right - i, right) to
    hold more than half of the law, and then it is above 1/2.
    """
    if right == 0:
        return 1.0
    law = binom(r, float(expit(epsilon)))
    beta = float(law.sf(right - 1))
    if delta == 0.0:
        return beta
    below = np.cumsum(law.pmf(np.arange(right - 1, -1, -1)))  # P(right - i <= W < right) for i = 1, ..., right
    return min(1.0, beta + 2.0 * m * delta * float(np.max(below / np.arange(1, right + 1))))


def _checked(scores: ArrayLike, included: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    values = as_floats("scores", scores)
    try:
        joined = np.asarray(included)
    except Exception as error:  # noqa: BLE001 - whatever the objects of others raise when they are made an array
        raise ValueError(f"included must be an array of truth values, got {error_text(error)}") from None
    if values.ndim != 1 or len(values) < 2 or np.isnan(values).any():
        raise ValueError(f"scores must be two numbers or more, in one axis and none of them nan, got shape {values.shape}")
    if joined.shape != values.shape or joined.dtype != np.bool_:
        raise ValueError(
            f"included must be truth values of shape {values.shape}, got shape {joined.shape} with entries {joined.dtype}"
        )
    m, changes = len(joined), int(np.count_nonzero(np.diff(joined)))
    if changes <= 1 and m * 0.5 ** (m - 1) < _NO_COINS:
        raise ValueError("included must be in the order in which the coins were drawn, got the canaries sorted by it")
    if (taken := int(joined.sum())) and 2.0 * binom.sf(max(taken, m - taken) - 1, m, 0.5) < _NO_COINS:
        raise ValueError(f"included must be drawn by fair coins, got {taken} of {m} that took part")
    return values, joined


def _guesses(guesses: int | Sequence[int] | None, m: int) -> list[int]:
    if guesses is None:
        return [m >> k for k in range(m.bit_length()) if m >> k >= min(m, 8)]
    listed: list[Any] = list(guesses) if isinstance(guesses, (list, tuple, range, np.ndarray)) else [guesses]
    if not listed or any(isinstance(r, bool) or not isinstance(r, int | np.integer) or not 1 <= r <= m for r in listed):
        raise ValueError(f"guesses must be integers in 1..{m}, got {shown(guesses)}")
    return [int(r) for r in listed]
