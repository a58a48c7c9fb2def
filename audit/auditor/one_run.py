"""Lower bounds from ONE run, in which each of m canaries took part or not by a fair coin of its own.

Scores may use everything that the run shows but the coins; from the scores alone r guesses are made, and v of them are right.

delta = 0 (Steinke, Nasr, Jagielski 2023): given everything else, a guess is right with probability at most
e^epsilon / (1 + e^epsilon), so P(W >= v) is at most that of a binomial variable.

Any trade-off function f, as in "Auditing f-differential privacy in one run" (Mahloujifar, Melis, Chaudhuri 2024). Let the run
be f-DP when one canary joins or leaves, in both directions: P(E | joined) <= g(P(E | not)) and the reverse, for events E of the
run and of the other coins, with g = 1 - f concave. Let h be the inverse of g, W the number of right guesses,
p_j = P(W = j), and

    T_k = sum_(j >= k) p_j,   A_k = sum_(j >= k) j p_j / m,   B_k = sum_(j >= k) (r - j) p_j / m = T_k r / m - A_k.

1. B_(k-1) >= h(A_k). Let E be the event that canary i is guessed to have joined, and that at least k - 1 of the guesses about
others are right. Where i joined, E says that i is guessed right and W >= k; where it did not, that i is guessed wrong and
W >= k - 1. E is an event of the run and of the other coins, so g bounds one probability by the other; likewise for guesses of
the other kind. Take the mean over both and over all i (those without a guess add zeros): as g is concave, A_k <= g(B_(k-1)).
2. Let T_v >= alpha. Begin with a_v = v alpha / m, b_v = (r - v) alpha / m, t_v = alpha, and for k = v, ..., 1 add the least
mass p at k - 1 with b_(k-1) = b_k + (r - k + 1) p / m >= h(a_k); a and t follow. Then T_k >= t_k. For by induction on falling
k,

    A_k - c B_k >= a_k - c b_k   for all c <= k / (r - k).

At v each j >= v gives j - c (r - j) >= v - c (r - v) >= 0. At k - 1 and c <= c' = (k - 1) / (r - k + 1), the mass p_(k-1) adds
(k - 1 - c (r - k + 1)) p_(k-1) / m >= 0, which is enough where the chain adds none. Where it adds some, b_(k-1) = h(a_k)
<= h(A_k) <= B_(k-1) by c = 0 and step 1, and as mass at k - 1 leaves A - c' B as it is, A_(k-1) - c B_(k-1) = (A_k - c' B_k)
+ (c' - c) B_(k-1) is at least (a_k - c' b_k) + (c' - c) b_(k-1) = a_(k-1) - c b_(k-1). With c = -1, T_k >= t_k.
3. So where t_0 > 1, P(W >= v) < alpha. Larger h give larger t: what is excluded for f is excluded for every stricter one.

Only r / m and v / m stand beside delta: more canaries, of which the same share is guessed about, do not make the bound smaller.
One run shows guesses only: `lower_bound`, on many runs, comes closer to the epsilon of the worst pair.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit
from scipy.stats import binom

from dppca.audit.auditor.results import LowerBound
from dppca.reference.rigour.bisection import bisect, whole_middle
from dppca.reference.rigour.validation import as_floats, check_delta, check_real, error_text, shown

#: Epsilons, and mus, that are tried; the bound is the one before the first that is not excluded.
_RESOLUTION, _LARGEST, _LARGEST_MU = 1e-3, 60.0, 20.0
#: Guesses that are made at least, where numbers of them are tried. What an argument of h is multiplied by, against rounding.
_FEWEST, _ROUNDED_DOWN = 8, 1.0 - 1e-12
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
            evenly; None stands for m, m / 4, m / 16, ...
        seed: of the order in which equal scores are taken, which is random: the place of a canary in the list says nothing.

    Returns:
        The bound; its `trials` are the canaries.

    Raises:
        ValueError: an argument outside its range.

    Example:
        A score that is half above the noise shows which canaries took part.

        >>> import dppca.audit as audit
        >>> import numpy as np
        >>> rng = np.random.default_rng(0)
        >>> included = rng.random(1000) < 0.5
        >>> scores = included + rng.normal(scale=0.5, size=1000)
        >>> audit.one_run_lower_bound(scores, included, delta=1e-5).epsilon > 1.0
        True
    """
    started = time.perf_counter()
    check_delta(delta, allow_zero=True)
    m, told = _told(scores, included, confidence, guesses, seed)
    best = (0.0, f"nothing shown by {m} canaries")
    for r, right in told:
        epsilon = excluded_up_to(m, r, right, delta, (1.0 - confidence) / len(told))
        best = max(best, (epsilon, f"{right} of {r} guesses about {m} canaries are right"))
    seconds = time.perf_counter() - started
    return LowerBound(best[0], delta, confidence, m, seconds, best[1], int(seed), "one run")


def one_run_gdp_bound(
    scores: ArrayLike,
    included: ArrayLike,
    *,
    confidence: float = 0.95,
    guesses: int | Sequence[int] | None = None,
    seed: int = 0,
) -> float:
    """Return the largest mu for which one run shows, at this confidence, that it is not mu-GDP; 0.0 if there is none.

    Arguments as in `one_run_lower_bound`. A Gaussian mechanism has one mu for all deltas, so this bound uses the whole curve.

    Example:
        >>> import dppca.audit as audit
        >>> import numpy as np
        >>> rng = np.random.default_rng(0)
        >>> included = rng.random(1000) < 0.5
        >>> scores = included + rng.normal(scale=0.5, size=1000)
        >>> 1.0 < audit.one_run_gdp_bound(scores, included) < 2.0
        True
    """
    m, told = _told(scores, included, confidence, guesses, seed)
    error = (1.0 - confidence) / len(told)

    def excluded(r: int, right: int) -> float:
        def explained(step: int) -> bool:
            return not _impossible(m, r, right, error, _gaussian_inverse(step * _RESOLUTION))

        return _excluded(explained, _LARGEST_MU)

    return max(excluded(r, right) for r, right in told)


def excluded_up_to(m: int, r: int, right: int, delta: float, error: float) -> float:
    """Return an epsilon below which so many right guesses are no likelier than `error`; 60 explains any."""

    def explained(step: int) -> bool:
        epsilon = step * _RESOLUTION
        if delta == 0.0:
            return right == 0 or float(binom(r, float(expit(epsilon))).sf(right - 1)) > error
        return not _impossible(m, r, right, error, _inverse(epsilon, delta))

    return _excluded(explained, _LARGEST)


def _excluded(explained: Callable[[int], bool], largest: float) -> float:
    """Return the largest multiple of the resolution below all that are explained, 0.0 if there is none."""
    return bisect(explained, 0, round(largest / _RESOLUTION), lambda a, b: b - a <= 1, whole_middle)[0] * _RESOLUTION


def _impossible(m: int, r: int, right: int, alpha: float, h: Callable[[float], float]) -> bool:
    """Return whether so many right guesses have probability below alpha where g has this inverse: the chain of the module."""
    a, b, total = right * alpha / m, (r - right) * alpha / m, alpha
    for k in range(right, 0, -1):
        lacking = h(a * _ROUNDED_DOWN) - b
        if lacking > 0.0:
            mass = lacking * m / (r - k + 1)
            a, b, total = a + (k - 1) * mass / m, b + lacking, total + mass
            if total > 1.0:
                return True
    return False


def _inverse(epsilon: float, delta: float) -> Callable[[float], float]:
    """Return h for (epsilon, delta)-DP."""
    ratio = math.exp(-epsilon)
    return lambda a: max(0.0, ratio * (a - delta), 1.0 - delta - (1.0 - a) / ratio)


def _gaussian_inverse(mu: float) -> Callable[[float], float]:
    """Return h for mu-GDP, within (0, 1)."""
    quantile, root = NormalDist().inv_cdf, math.sqrt(2.0)
    return lambda a: 0.5 * math.erfc((mu - quantile(a)) / root)


def _told(
    scores: ArrayLike, included: ArrayLike, confidence: float, guesses: int | Sequence[int] | None, seed: int
) -> tuple[int, list[tuple[int, int]]]:
    """Return the number of canaries, and how many guesses are made and are right for each number of guesses."""
    values, joined = _checked(scores, included)
    if not 0.0 < check_real("confidence", "in (0, 1)", confidence) < 1.0:
        raise ValueError(f"confidence must be in (0, 1), got {shown(confidence)}")
    m = len(values)
    tried = _guesses(guesses, m)
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise ValueError(f"seed must be an integer >= 0, got {shown(seed)}")
    order = np.lexsort((np.random.default_rng(seed).random(m), values))  # all guesses follow from it: no coin has been seen
    return m, [(r, int(joined[order[m - r // 2 :]].sum()) + int((~joined[order[: r - r // 2]]).sum())) for r in tried]


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
    m, taken = len(joined), int(joined.sum())
    if 2.0 * binom.sf(max(taken, m - taken) - 1, m, 0.5) < _NO_COINS:
        raise ValueError(f"included must be drawn by fair coins, got {taken} of {m} that took part")
    _check_order(joined)
    return values, joined


def _check_order(coins: NDArray[np.bool_]) -> None:
    """Raise ValueError where coins agree with those at some distance as those of independent fair coins do not.

    Whether a coin agrees with the one so far before it is a fair coin again, and these are independent.
    """
    m, signs = len(coins), 2.0 * coins - 1.0
    products = np.fft.irfft(np.abs(np.fft.rfft(signs, 2 * m)) ** 2, 2 * m)[1:m]
    of = np.arange(m - 1, 0, -1)
    agree = np.rint((of + products) / 2.0)
    p = np.asarray(2.0 * binom.sf(np.maximum(agree, of - agree) - 1, of, 0.5))
    at = int(np.argmin(p))
    if p[at] * len(of) < _NO_COINS:
        raise ValueError(
            "included must be independent coins, in the order in which they were drawn, "
            f"got {int(agree[at])} of {of[at]} that agree with the coin {at + 1} before"
        )


def _guesses(guesses: int | Sequence[int] | None, m: int) -> list[int]:
    if guesses is None:
        return [m >> k for k in range(0, m.bit_length(), 2) if m >> k >= min(m, _FEWEST)]
    listed: list[Any] = [guesses]
    if isinstance(guesses, (list, tuple, range)) or (isinstance(guesses, np.ndarray) and guesses.ndim):
        listed = list(guesses)
    if not listed or any(isinstance(r, bool) or not isinstance(r, int | np.integer) or not 1 <= r <= m for r in listed):
        raise ValueError(f"guesses must be integers in 1..{m}, got {shown(guesses)}")
    return [int(r) for r in listed]
