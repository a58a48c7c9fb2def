"""What releases cost and compose to, by formulas of textbooks.

Nothing of `reference/accounting` or `reference/primitives` is used. A release has a law, parameters and a declared sensitivity.
Two datasets' laws are then at most as far apart as a pair of simple ones:

* Gaussian noise: N(0, 1) and N(mu, 1), mu = sensitivity / std; several compose to one with the root of the sum of mu^2
  (Dong, Roth, Su 2022), whose profile is Phi(mu/2 - eps/mu) - e^eps Phi(-mu/2 - eps/mu) (Balle, Wang 2018);
* any (eps, delta) guarantee: randomised response that fails with probability delta (Kairouz, Oh, Viswanath 2015). Laplace noise
  and exponential mechanisms have delta = 0; a count above a threshold shows a cell that one dataset has alone with probability
  P(1 + noise > threshold); truncated Laplace noise leaves the support with probability P(noise < change - bound);
  Wishart noise leaves the cone with probability 1 - exp(-change / (2 scale));
* a hidden index or hidden coins: mixtures of Gaussians, composed by a plain Fourier transform of the law of their loss;
* a hidden order: clones (Feldman, McMillan, Talwar 2021), enumerated;
* a selection among K runs: (2 + eta) eps and E[K] delta (Papernot, Steinke 2022);
* hidden subsets: (eps, delta + (1 - delta) beta) for the probability beta that a subspace that counts is missed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.fft import irfft, rfft
from scipy.special import log_ndtr, ndtr
from scipy.stats import binom

from dppca.audit.suite.textbook_laws import truncated_cdf
from dppca.reference.noise import ReleaseTerm

Masses: TypeAlias = NDArray[np.float64]
#: Masses of the same cells on one dataset and on the other.
Pair: TypeAlias = tuple[Masses, Masses]

#: Relative excess over a target that rounding may make, and that the Fourier transform and the search of the clones may.
ROUNDING, NUMERICAL = 1e-6, 2e-3
#: Probabilities below this are this: scipy's binomial law overflows at the least floats.
LEAST = 1e-200
#: Losses of a composition that are told apart, at most; masses below this are left out.
MOST_ATOMS, NEGLIGIBLE = 20_000, 1e-24


@dataclass(frozen=True)
class Part:
    """What one release may cost: Gaussian noise of this mu, or a guarantee (epsilon, delta)."""

    mu: float = 0.0
    epsilon: float = 0.0
    delta: float = 0.0


@dataclass(frozen=True)
class Spent:
    """What a run spends: the smallest delta at an epsilon, and the epsilon at delta = 0 (infinite where there is none)."""

    delta: Callable[[float], float]
    pure: float
    tolerance: float = ROUNDING

    def exceeds(self, epsilon: float, delta: float) -> bool:
        """Return whether this is more than a target."""
        if delta == 0.0:
            return self.pure > epsilon * (1.0 + self.tolerance)
        return self.delta(epsilon) > delta * (1.0 + self.tolerance)


def gaussian_delta(epsilon: float, mu: float) -> float:
    """Return the profile of N(mu, 1) and N(0, 1), for an epsilon of either sign."""
    if mu == 0.0:
        return -math.expm1(min(epsilon, 0.0))
    return float(ndtr(mu / 2 - epsilon / mu) - math.exp(epsilon + log_ndtr(-mu / 2 - epsilon / mu)))


def cost(term: ReleaseTerm) -> Part:
    """Return what a release costs a record that reaches it."""
    by, law = term.sensitivity, vars(term.law)
    kind = term.law.kind
    if kind == "gaussian":
        return Part(mu=by / law["std"] if law["std"] > 0.0 else math.inf)
    if kind == "laplace":
        return Part(epsilon=by / law["scale"])
    if kind in ("exponential", "bingham", "matrix_bingham"):
        return Part(epsilon=2.0 * law["multiplier"] * by)
    if kind in ("thresholded_laplace", "sparse_histogram"):
        over = (law["threshold"] - 1.0) / law["scale"]
        alone = 0.5 * math.exp(-over) if over >= 0.0 else 1.0 - 0.5 * math.exp(over)
        return Part(epsilon=by / law["scale"], delta=alone)
    if kind in ("truncated_laplace", "gap_max", "gap_threshold"):
        outside = float(truncated_cdf(law, np.array(by - law["bound"])))
        return Part(epsilon=by / law["scale"], delta=outside)
    if kind == "wishart":
        largest = by if len(term.value) == 1 else by / 2.0  # one end of the change: the nuclear norm adds both
        return Part(delta=-math.expm1(-largest / (2.0 * law["scale"])))
    raise ValueError(f"release {term.name!r}: {__name__} has no formula for the law {kind!r}")


def composed(parts: Iterable[Part]) -> Spent:
    """Return the composition of all parts."""
    listed = list(parts)
    mu = math.sqrt(math.fsum(part.mu**2 for part in listed))
    log_survives = math.fsum(math.log1p(-part.delta) if part.delta < 1.0 else -math.inf for part in listed)
    lost, survives = -math.expm1(log_survives), math.exp(log_survives)
    groups: dict[float, int] = {}
    for part in listed:
        if part.epsilon > 0.0:
            groups[part.epsilon] = groups.get(part.epsilon, 0) + 1
    total = math.fsum(epsilon * count for epsilon, count in groups.items())
    losses, masses = np.zeros(1), np.ones(1)
    for epsilon, count in groups.items():
        times = np.arange(count + 1)
        tails = binom.pmf(times, count, max(math.exp(-epsilon) / (1.0 + math.exp(-epsilon)), LEAST))
        losses, masses = _few(np.add.outer(losses, (count - 2 * times) * epsilon), np.multiply.outer(masses, tails))

    def delta(epsilon: float) -> float:
        if mu == 0.0 and epsilon >= total:
            return lost
        each = (p * gaussian_delta(epsilon - a, mu) for a, p in zip(losses.tolist(), masses.tolist(), strict=True))
        return lost + survives * math.fsum(each)

    return Spent(delta, total if mu == 0.0 and lost == 0.0 else math.inf)


def _few(losses: Masses, masses: Masses) -> Pair:
    """Return atoms without those of negligible mass; where there are too many, neighbours are one, of the least loss of them.

    Their delta is then smaller, never larger.
    """
    there = masses > NEGLIGIBLE
    losses, masses = losses[there], masses[there]
    if len(losses) <= MOST_ATOMS:
        return losses, masses
    order = np.argsort(losses)
    starts = np.arange(0, len(order), -(-len(order) // MOST_ATOMS))
    return losses[order][starts], np.add.reduceat(masses[order], starts)


# --- secret draws -------------------------------------------------------------------------------------


def sampled(pair: Pair, count: int) -> Spent:
    """Return what `count` steps spend, the larger of both directions of a pair."""
    return Spent(lambda epsilon: pair_delta(pair, count, epsilon), math.inf, NUMERICAL)


def pair_delta(pair: Pair, count: int, epsilon: float, points: int = 2**17) -> float:
    """Return delta(epsilon) of `count` steps, the larger of both directions of a pair."""
    return max(steps_delta([(p, q, count)], epsilon, points) for p, q in (pair, pair[::-1]))


def steps_delta(several: Sequence[tuple[Masses, Masses, int]], epsilon: float, points: int = 2**17) -> float:
    """Return delta(epsilon) of steps, each pair of masses so often.

    A loss's mass goes to the two points of a grid next to it, and a transform composes them; more points lose less.
    """
    laws, log_survives, reach, variance = [], 0.0, epsilon, 0.0
    for one, other, count in several:
        keep = (one > 1e-280) & (other > 1e-280)
        log_survives += count * math.log1p(-min(float(one[~keep].sum()), 0.999))
        loss, mass = np.log(one[keep] / other[keep]), one[keep]
        matters = (mass > 1e-18) | (np.abs(loss) < 1.0)
        loss, mass = loss[matters], mass[matters]
        laws.append((loss, mass, count))
        reach += float(np.abs(loss).max()) + count * abs(float(mass @ loss))
        variance += count * float(mass @ loss**2)
    width, length = (reach + 14.0 * math.sqrt(variance)) / points, 2 * points
    composed_law: Any = 1.0
    for loss, mass, count in laws:
        low = np.floor(loss / width)
        part = loss / width - low
        ring = np.zeros(length)
        np.add.at(ring, low.astype(int) % length, mass * (1 - part))
        np.add.at(ring, (low.astype(int) + 1) % length, mass * part)
        composed_law = composed_law * rfft(ring) ** count
    law = irfft(composed_law, length)
    losses = np.where(np.arange(length) < length // 2, np.arange(length), np.arange(length) - length) * width
    survivors = float(law @ np.maximum(-np.expm1(np.minimum(epsilon - losses, 0.0)), 0.0))
    return min(1.0, survivors - math.expm1(log_survives))


def mixture_pair(rate: float, r: float, reach: float = 10.0, cells: int = 20_000) -> Pair:
    """Return masses of cells under (1 - q) N(0, 1) + q N(r, 1) and N(0, 1).

    Means in the plane at mutual distance r, of the record on both datasets and of the others, spent less wherever it was tried.
    """
    edges = np.linspace(-reach, r + reach, cells + 1)
    base = _cells(edges)
    return (1 - rate) * base + rate * _cells(edges - r), base


def replace_pair(rate: float, r: float) -> Pair:
    """Return masses whose profile is the larger one of `mixture_pair`'s and of the same pair exchanged, at every epsilon.

    It dominates a step in which a row is replaced. Ratios above 1 are those of the first pair, below 1 of the second one, whose
    cells are the same; what is left has a ratio of 1.
    """
    mixture, base = mixture_pair(rate, r)
    up = mixture > base
    one, other = np.concatenate([mixture[up], base[up]]), np.concatenate([base[up], mixture[up]])
    return np.append(one, 1.0 - one.sum()), np.append(other, 1.0 - other.sum())


def reduced_pair(n: int, r: float, sign: int = -1) -> Pair:
    """Return a variance-reduced step at V = -V~: the record moves the mean by -sign / n of r, and by 2 r where it is drawn."""
    edges = np.linspace(-r / n - 11.0, 3.0 * r + 11.0, 60_001)
    moved = edges - sign * r / n
    return (1 - 1 / n) * _cells(moved) + _cells(moved - 2.0 * r) / n, _cells(edges)


def _cells(edges: Masses) -> Masses:
    """Return the masses of N(0, 1) between edges, each from the smaller tail: near 1 there are no digits left."""
    return np.asarray(np.where(edges[:-1] > 0.0, -np.diff(ndtr(-edges)), np.diff(ndtr(edges))))


def shuffled(n: int, mu: float) -> Spent:
    """Return what one of n releases of this mu spends in a hidden order."""
    c = np.arange(n)
    without = binom.pmf(np.arange(n + 1), c[:, None], 0.5)  # of c clones so many are like one of the records
    with_ = np.hstack([np.zeros((n, 1)), without[:, :-1]])

    def delta(epsilon: float) -> float:
        growth = math.exp(epsilon)
        locals_ = np.geomspace(min(epsilon, 1e-3), max(epsilon, mu * mu / 2 + 12 * mu), 4000)
        chances = binom.pmf(c, n - 1, np.maximum(np.exp(-locals_), LEAST)[:, None])
        found = gaussian_delta(epsilon, mu)
        for local, chance in zip(locals_.tolist(), chances, strict=True):
            moved = (1.0 + growth) * gaussian_delta(local, mu) * (1.0 + 2.0 * (n - 1) * math.exp(-local))
            if moved < found:  # sum over c of P(c clones) times the divergence of the two counts, by enumeration
                q = 1.0 / (1.0 + math.exp(-local))
                one, other = q * with_ + (1 - q) * without, (1 - q) * with_ + q * without
                found = min(found, float(chance @ np.maximum(one - growth * other, 0.0).sum(axis=1)) + moved)
        return found

    return Spent(delta, math.inf, NUMERICAL)
