"""The test of p <= e^epsilon q + c at a fixed number of trials, exact in its level.

It works on an *event pair* (S, S'), disjoint and fixed before the test data were drawn. A trial is a *hit*
if it speaks for a privacy loss (data in S, or neighbour in S') and a *counter* if it speaks against one
(neighbour in S, or data in S'). (epsilon, delta)-DP in both directions implies

    p <= e^epsilon q + c,   p = P(S) + Q(S'),   q = Q(S) + P(S'),   c = delta * (number of non-empty S, S').
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, logit
from scipy.stats import beta, chi2

#: Share of the error budget spent on the confidence interval for the nuisance rate (Berger, Boos 1994).
NUISANCE_SHARE = 0.01
#: Share spent on the event that a Poisson sample size exceeds the trials at hand.
OVERFLOW_SHARE = 0.001
_EPSILON_TOLERANCE = 3e-4
_MAX_EPSILON = 50.0
#: Cells of the nuisance interval: so many at first, each halved at most so many times.
_CELLS, _MAX_SPLITS = 16, 4


@dataclass(frozen=True)
class Counts:
    """Hits and counters among trials of which `pairs` were run on each dataset."""

    hits: int
    counters: int
    pairs: float


def poisson_pairs(trials: int, alpha: float) -> float:
    """Mean m such that a Poisson(m) variable exceeds `trials` with probability at most alpha."""
    # P(Poisson(m) > trials) = P(chi-square with 2 (trials + 1) degrees of freedom <= 2 m)
    return float(chi2.ppf(alpha, 2 * (trials + 1)) / 2.0)


def fixed_size_bound(counts: Counts, c: float, slope: float, alpha: float) -> float:
    """Largest epsilon >= 0 at which the hypothesis is rejected at level alpha; 0.0 if there is none.

    The counts must be independent Poisson variables with means pairs * p and pairs * q: take the first
    Poisson(pairs) trials of each dataset.

    With c = 0 this is the uniformly most powerful unbiased test: given their sum, the hits are binomial, with
    log-odds at most epsilon under the hypothesis. With c > 0 the rejection region h - hits >= slope * (k - counters) does not
    depend on epsilon, and its probability under the hypothesis grows with epsilon, so the set of rejected
    epsilon is an interval that starts at 0.

    Args:
        counts: hits, counters and the Poisson mean `pairs` of trials per dataset.
        c: the additive term of the hypothesis.
        slope: > 0, chosen without looking at the counts.
        alpha: level; includes the nuisance interval's share.
    """
    if c == 0.0:
        share = float(beta.ppf(alpha, counts.hits, counts.counters + 1)) if counts.hits else 0.0
        return max(0.0, float(logit(share)))
    if not rejected(counts, c, slope, alpha, 0.0):
        return 0.0
    low, high = 0.0, 1.0
    while high < _MAX_EPSILON and rejected(counts, c, slope, alpha, high):
        low, high = high, 2.0 * high
    while high - low > _EPSILON_TOLERANCE:
        middle = 0.5 * (low + high)
        low, high = (middle, high) if rejected(counts, c, slope, alpha, middle) else (low, middle)
    return low


def rejected(counts: Counts, c: float, slope: float, alpha: float, epsilon: float) -> bool:
    """Whether sup over the nuisance rate of the tail probability is at most alpha, by branch and bound.

    The tail grows with the mean of the hits and falls with the mean of the counters, so over a cell
    [a, b] of counter means it is at most its value at (hits at b, counters at a).
    """
    gamma = NUISANCE_SHARE * alpha
    level = alpha - gamma
    k = counts.counters
    low = float(chi2.ppf(gamma / 2.0, 2 * k) / 2.0) if k else 0.0
    high = float(chi2.isf(gamma / 2.0, 2 * k + 2) / 2.0)
    ratio, offset = math.exp(min(epsilon, 700.0)), counts.pairs * c

    def upper(a: float, b: float) -> float:
        return _tail(counts, slope, ratio * b + offset, a)

    edges = [float(x) for x in np.linspace(low, high, _CELLS + 1)]
    if any(upper(x, x) > level for x in edges):
        return False
    cells = [(a, b, 0) for a, b in pairwise(edges)]
    while cells:
        a, b, depth = cells.pop()
        if upper(a, b) <= level:
            continue
        middle = 0.5 * (a + b)
        if depth == _MAX_SPLITS or upper(middle, middle) > level:
            return False
        cells += [(a, middle, depth + 1), (middle, b, depth + 1)]
    return True


def _tail(counts: Counts, slope: float, mean_hits: float, mean_counters: float) -> float:
    """P(h - hits >= slope (k - counters)) for independent Poisson h, k; at most 1e-12 too small."""
    k, weights = _poisson(mean_counters)
    h, masses = _poisson(mean_hits)
    above = np.append(np.cumsum(masses[::-1])[::-1], 0.0)  # above[i] = P(h >= h[0] + i)
    needed = np.ceil(counts.hits + slope * (k - counts.counters) - 1e-9).astype(np.int64)
    return float(weights @ above[np.clip(needed - h[0], 0, len(h))]) + 1e-12


@lru_cache(maxsize=128)
def _poisson(mean: float) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The support of a Poisson variable up to a mass below 1e-13, and its masses."""
    spread = 8.0 * math.sqrt(mean) + 30.0
    low, high = max(0, math.floor(mean - spread)), math.ceil(mean + spread) + 1
    k = np.arange(low, high)
    if mean == 0.0:
        return k, (k == 0).astype(float)
    return k, np.exp(k * math.log(mean) - mean - _log_factorials(high)[low:high])


def _log_factorials(size: int) -> NDArray[np.float64]:
    """log k! for at least k = 0..size-1."""
    return _log_factorials_to(1 << size.bit_length())


@lru_cache
def _log_factorials_to(size: int) -> NDArray[np.float64]:
    return np.asarray(gammaln(np.arange(size) + 1.0))
