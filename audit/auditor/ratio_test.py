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
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import gammaln, logit, xlogy
from scipy.stats import beta, chi2, norm

from dppca.reference.rigour.bisection import bisect, whole_middle

Float: TypeAlias = NDArray[np.float64]

#: Share of the error budget spent on the confidence interval for the nuisance rate (Berger, Boos 1994).
NUISANCE_SHARE = 0.01
#: Share spent on the event that a Poisson sample size exceeds the trials at hand.
OVERFLOW_SHARE = 0.001
#: Bounds with c > 0 are multiples of this.
EPSILON_STEP, MAX_EPSILON = 2.0**-12, 50.0
#: By so much may the deviance of counts on the edge of a region fall short, for rounding.
_SLACK = 1e-7
#: Counts are discrete: the approximate limit takes so many hits less and so many counters more than were seen.
_HITS_LESS, _COUNTERS_MORE = 0.5, 0.5
#: Cells of the nuisance interval: so many at first, each halved at most so many times.
_CELLS, _MAX_SPLITS = 16, 4


@dataclass(frozen=True)
class Counts:
    """The hits and the counters among trials of which `pairs` were run on each dataset."""

    hits: int
    counters: int
    pairs: float


def poisson_pairs(trials: int, alpha: float) -> float:
    """Return the mean m such that a Poisson(m) variable exceeds `trials` with probability at most alpha."""
    # P(Poisson(m) > trials) = P(chi-square with 2 (trials + 1) degrees of freedom <= 2 m)
    return float(chi2.ppf(alpha, 2 * (trials + 1)) / 2.0)


def fixed_size_bound(counts: Counts, c: float, alpha: float) -> float:
    """Return the largest epsilon >= 0 that is rejected at level alpha, to 2^-12 below; 0.0 if there is none.

    The counts must be independent Poisson variables with means pairs * p and pairs * q: take the first
    Poisson(pairs) trials of each dataset.

    With c = 0 this is the uniformly most powerful unbiased test: given their sum, the hits are binomial, with
    log-odds at most epsilon under the hypothesis.

    With c > 0 it is Buehler's limit, made exact in the nuisance rate by Berger and Boos. Let S(hits, counters) be the
    largest ratio r = e^epsilon that the signed root of the likelihood ratio rejects at level alpha as if that root were
    normal (for half a hit less and half a counter more, as counts are discrete): an approximate limit, used for nothing but
    to order all possible counts. Let A be the set of counts whose S is
    at least that of the counts seen, and m the mean of the counters. The bound is the largest epsilon at which

        gamma + sup { P(A | means of hits and counters e^epsilon m + pairs c, m) : m in I }  <=  alpha,

    where I is the Clopper-Pearson interval for m of level 1 - gamma.

    Validity. Let (epsilon*, m*) be true, the mean of the hits at most e^epsilon* m* + pairs c. For one fixed epsilon the
    left side is a p-value: where it is <= alpha, either m* is not in I, which has probability at most gamma, or
    P(A | epsilon, m*) <= alpha - gamma; and the probability of the set of counts at least as extreme as those seen, in an
    order that was fixed before, is stochastically not below uniform, so the latter has probability at most alpha - gamma.
    The order does not depend on epsilon. S rises with the hits, so A holds with any counts those that have more hits, and
    P(A | epsilon, m) rises with epsilon for every m. So the epsilons that are rejected are an interval that begins at 0: the
    bound exceeds epsilon* only where epsilon* itself is rejected, with probability at most alpha.

    No constant is chosen for the event at hand. At epsilon = log S(counts) the edge of A is the contour on which the
    likelihood ratio rejects, whose root is nearly normal whatever m is; so the bound is near log S(counts), which rises with
    the hits and falls with the counters, and near the level.

    Args:
        counts: hits, counters and the Poisson mean `pairs` of trials per dataset.
        c: the additive term of the hypothesis, >= 0.
        alpha: level; includes the nuisance interval's share gamma.
    """
    if c == 0.0:
        share = float(beta.ppf(alpha, counts.hits, counts.counters + 1)) if counts.hits else 0.0
        return max(0.0, float(logit(share)))
    region = region_of(counts, c, alpha)
    if region is None or not region.rejects(0.0):
        return 0.0
    low, high, step = 0, max(math.ceil(region.log_ratio / EPSILON_STEP), 1), 32  # the bound is near the approximate limit
    while high < MAX_EPSILON / EPSILON_STEP and region.rejects(high * EPSILON_STEP):
        low, high, step = high, high + step, 2 * step
    while (nearer := high - step) > low and not region.rejects(nearer * EPSILON_STEP):
        high, step = nearer, 2 * step
    low = max(low, nearer)
    low, _ = bisect(lambda step: not region.rejects(step * EPSILON_STEP), low, high, lambda a, b: b - a <= 1, whole_middle)
    return low * EPSILON_STEP


def rejected(counts: Counts, c: float, alpha: float, epsilon: float) -> bool:
    """Return whether `fixed_size_bound` rejects an epsilon, c > 0."""
    region = region_of(counts, c, alpha)
    return region is not None and region.rejects(epsilon)


def deviance(hits: Any, counters: Any, ratio: float, offset: float) -> Float:
    """Return twice the log-likelihood lost where the mean of the hits must be ratio * m + offset, m that of the counters.

    The best m solves ratio (ratio + 1) m^2 + ((ratio + 1) offset - ratio (hits + counters)) m - counters offset = 0.
    """
    a = ratio * (ratio + 1.0)
    b = (ratio + 1.0) * offset - ratio * (hits + counters)
    root = np.sqrt(b * b + 4.0 * a * counters * offset)
    with np.errstate(divide="ignore", invalid="ignore"):
        small = np.where(b > 0.0, 2.0 * counters * offset / (b + root), 0.0)  # no cancellation
    m = np.where(b > 0.0, small, (root - b) / (2.0 * a))
    mean = ratio * m + offset
    lost = xlogy(hits, hits) - xlogy(hits, mean) - hits + mean + xlogy(counters, counters) - xlogy(counters, m) - counters + m
    return np.asarray(2.0 * lost)


@dataclass(frozen=True)
class Region:
    """The set A of `fixed_size_bound`: for every number of counters from 0 on, the least number of hits.

    Attributes:
        needed: least numbers of hits, shape (m,); more counters than that have no share in any tail.
        log_ratio: log S of the counts seen.
        rates: the interval I of the counters' mean.
        offset: pairs * c.
        level: alpha - gamma.
    """

    needed: NDArray[np.int64]
    log_ratio: float
    rates: tuple[float, float]
    offset: float
    level: float

    def rejects(self, epsilon: float) -> bool:
        """Return whether the tail is at most the level at every rate, by branch and bound.

        The tail grows with the mean of the hits and falls with the mean of the counters, so over a cell
        [a, b] of counter means it is at most its value at (hits at b, counters at a).
        """
        ratio = math.exp(min(epsilon, 700.0))

        def upper(a: float, b: float) -> float:
            return self.tail(ratio * b + self.offset, a)

        edges = [float(x) for x in np.linspace(*self.rates, _CELLS + 1)]
        if any(upper(x, x) > self.level for x in edges):
            return False
        cells = [(a, b, 0) for a, b in pairwise(edges)]
        while cells:
            a, b, depth = cells.pop()
            if upper(a, b) <= self.level:
                continue
            middle = 0.5 * (a + b)
            if depth == _MAX_SPLITS or upper(middle, middle) > self.level:
                return False
            cells += [(a, middle, depth + 1), (middle, b, depth + 1)]
        return True

    def tail(self, mean_hits: float, mean_counters: float) -> float:
        """Return P(A) for independent Poisson hits and counters; at most 1e-12 too small."""
        k, weights = _poisson(mean_counters)
        first, above = _poisson_above(mean_hits)
        place = self.needed[k[0] : k[-1] + 1] - first
        return float(weights @ above[np.minimum(np.maximum(place, 0), len(above) - 1)]) + 1e-12


@lru_cache(maxsize=16)
def region_of(counts: Counts, c: float, alpha: float) -> Region | None:
    """Return the region of these counts; None where even the approximate limit is below epsilon = 0."""
    gamma = NUISANCE_SHARE * alpha
    k, offset = counts.counters, counts.pairs * c
    hits, faced = counts.hits - _HITS_LESS, k + _COUNTERS_MORE
    z = max(float(norm.isf(alpha)), 0.0)

    def spare(log_ratio: float) -> float:  # falls up to log((hits - offset) / faced), where it is -z^2
        return float(deviance(np.float64(hits), np.float64(faced), math.exp(log_ratio), offset)) - z * z

    if hits <= offset + faced or spare(0.0) <= 0.0:
        return None
    most = math.log((hits - offset) / faced)
    log_ratio = float(brentq(spare, 0.0, most)) if spare(most) < 0.0 else most  # near z = 0 the deviance there is rounding
    gone = float(chi2.ppf(gamma / 2.0, 2 * k) / 2.0) if k else 0.0
    high = float(chi2.isf(gamma / 2.0, 2 * k + 2) / 2.0)
    counters = np.arange(_poisson(high)[0][-1] + 1) + _COUNTERS_MORE
    ratio = math.exp(log_ratio)
    # On the line hits = ratio * counters + offset the deviance is 0; above it rises: the least whole number that reaches z^2
    low = np.floor(ratio * counters + offset + _HITS_LESS).astype(np.int64)

    def reach(found: NDArray[np.int64]) -> NDArray[np.bool_]:
        return np.asarray(deviance(found - _HITS_LESS, counters, ratio, offset) >= z * z - _SLACK)

    step = np.ones(len(counters), dtype=np.int64)
    while not (there := reach(low + step)).all():
        step[~there] *= 2
    above = low + step
    while (apart := above - low > 1).any():
        middle = (above + low) // 2
        there = reach(middle)
        above, low = np.where(apart & there, middle, above), np.where(apart & ~there, middle, low)
    return Region(above, log_ratio, (gone, high), offset, alpha - gamma)


@lru_cache(maxsize=128)
def _poisson(mean: float) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the support of a Poisson variable up to a mass below 1e-13, and its masses."""
    spread = 8.0 * math.sqrt(mean) + 30.0
    low, high = max(0, math.floor(mean - spread)), math.ceil(mean + spread) + 1
    k = np.arange(low, high)
    if mean == 0.0:
        return k, (k == 0).astype(float)
    return k, np.exp(k * math.log(mean) - mean - _log_factorials(high)[low:high])


@lru_cache(maxsize=128)
def _poisson_above(mean: float) -> tuple[int, NDArray[np.float64]]:
    """Return the least value of a Poisson variable's support, and the probabilities of so many more, or above; 0 last."""
    k, masses = _poisson(mean)
    return int(k[0]), np.append(np.cumsum(masses[::-1])[::-1], 0.0)


def _log_factorials(size: int) -> NDArray[np.float64]:
    """Return log k! for at least k = 0..size-1."""
    return _log_factorials_to(1 << size.bit_length())


@lru_cache
def _log_factorials_to(size: int) -> NDArray[np.float64]:
    return np.asarray(gammaln(np.arange(size) + 1.0))
