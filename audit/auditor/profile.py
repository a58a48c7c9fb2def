"""The privacy profile of a pair of datasets, estimated from an audit's own test data.

delta(e) is the smallest delta at which the pair is (e, delta)-close in both directions. The bands here hold at every
epsilon of the grid at once and, since delta(e) never rises, between grid points too: from one grid point to the next
the lower edge is the value at the right one, the upper edge the value at the left one.

Output view: an order of the outputs and events S_1, S_2, ... that are its first cells were fixed before the test data
were drawn. Clopper-Pearson intervals for P(S_t) and Q(S_t), at a level shared out over all events, both laws and all
looks at which the run might have stopped, hold together. Whatever epsilon is, they bracket
    max over t of P(S_t) - e^epsilon Q(S_t) and Q(not S_t) - e^epsilon P(not S_t),
which is delta(epsilon) for an adversary who uses these events, so at most delta(epsilon).

Transcript view: the payoffs of `transcript_view` are non-negative with mean at most delta(e). At each grid point the
lower edge is the largest mean that betting rejects, at a level shared out over the grid. Weighted payoffs have no
known maximum, so there is no upper edge.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.stats import beta

from dppca.audit.auditor.betting import mean_lower_bound

if TYPE_CHECKING:
    from dppca.audit.auditor.results import Losses, Nested

Float = NDArray[np.float64]


@dataclass(frozen=True)
class Band:
    """An estimate of delta(e) at each epsilon of a grid, and its band (see above) of this confidence.

    `upper` is about the adversary who uses the events of the audit, others may do better; None where there is none.
    """

    epsilons: Float
    estimate: Float
    lower: Float
    upper: Float | None
    confidence: float


@dataclass(frozen=True)
class TradeOffBand:
    """An estimate of the trade-off function at each level of a grid, and its band of this confidence.

    A test takes outputs on the neighbour for outputs on the data with probability at most its level; the function is how often
    it then errs on the data. `upper` holds for the pair, `lower` and the estimate are about tests by the events of the audit.
    """

    levels: Float
    estimate: Float
    lower: Float
    upper: Float
    confidence: float


def band_from_events(nested: Nested, epsilons: Sequence[float], confidence: float) -> Band:
    """Return the band of an output audit."""
    share, low, high = _intervals(nested, confidence)
    grid = np.asarray(epsilons, dtype=np.float64)
    return Band(
        epsilons=grid,
        estimate=_best_difference(share[0], share[1], grid),
        lower=_best_difference(low[0], high[1], grid),
        upper=_best_difference(high[0], low[1], grid),
        confidence=confidence,
    )


def trade_off_from_events(nested: Nested, levels: Sequence[float], confidence: float) -> TradeOffBand:
    """Return the band of the trade-off function of an output audit."""
    share, low, high = _intervals(nested, confidence)
    grid = np.asarray(levels, dtype=np.float64)
    return TradeOffBand(
        levels=grid,
        estimate=_hull(share[1], 1.0 - share[0], grid),
        lower=_hull(low[1], 1.0 - high[0], grid),
        upper=_hull(high[1], 1.0 - low[0], grid),
        confidence=confidence,
    )


def band_from_losses(tested: Losses, epsilons: Sequence[float], confidence: float) -> Band:
    """Return the band of a transcript audit; wealth may be read where the run stopped."""
    grid = np.asarray(epsilons, dtype=np.float64)
    alpha = (1.0 - confidence) / len(grid)
    at_each = [payoffs(tested.losses, tested.log_weights, epsilon) for epsilon in grid.tolist()]
    lower = np.array([mean_lower_bound(found, alpha, tested.planned) for found in at_each])
    return Band(
        epsilons=grid,
        estimate=np.minimum([float(found.mean()) for found in at_each], 1.0),
        lower=np.maximum.accumulate(lower[::-1])[::-1],
        upper=None,
        confidence=confidence,
    )


def payoffs(losses: Float, log_weights: Float, epsilon: float) -> Float:
    """Return dP/dR (1 - e^(epsilon - loss))_+; at epsilon = inf what remains is the mass that the neighbour cannot have."""
    never = losses == math.inf
    finite = np.where(never, 0.0, losses)
    gain = np.where(never, 1.0, -np.expm1(np.minimum(epsilon - finite, 0.0)))
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        return np.where(gain > 0.0, np.exp(log_weights) * gain, 0.0)


def _intervals(nested: Nested, confidence: float) -> tuple[Float, Float, Float]:
    """Return the shares of the events on both datasets, shape (2, events), and the edges of intervals that hold together."""
    counts, n = np.array([nested.on_data, nested.on_neighbour]), nested.trials
    tail = (1.0 - confidence) / (4.0 * max(nested.on_data.size, 1) * nested.looks)
    low = np.where(counts > 0, beta.ppf(tail, np.maximum(counts, 1), n - counts + 1), 0.0)
    high = np.where(counts < n, beta.isf(tail, counts + 1, np.maximum(n - counts, 1)), 1.0)
    return counts / n, low, high


def _hull(levels: Float, errors: Float, grid: Float) -> Float:
    """Return at each place of the grid the least that randomising between two of these tests errs, or ignoring the outputs."""
    x, y = np.append(levels, [0.0, 1.0]), np.append(errors, [1.0, 0.0])
    one, other = (index.ravel() for index in np.meshgrid(range(len(x)), range(len(x))))
    found = []
    for level in grid.tolist():
        within = (x[one] <= level) & (level <= x[other])
        a, b = one[within], other[within]
        with np.errstate(invalid="ignore"):  # where both tests have this level the second counts, and elsewhere the first
            share = np.nan_to_num((level - x[a]) / (x[b] - x[a]), nan=1.0)
        found.append(np.min((1.0 - share) * y[a] + share * y[b]))
    return np.array(found)


def _best_difference(p: Float, q: Float, epsilons: Float) -> Float:
    """Return max over events of p - e^epsilon q and of (1 - q) - e^epsilon (1 - p), at least 0, for each epsilon."""
    ratio = np.exp(np.minimum(epsilons, 700.0))[:, np.newaxis]
    differences = np.concatenate([p - ratio * q, (1.0 - q) - ratio * (1.0 - p)], axis=1)
    return np.asarray(np.max(differences, axis=1, initial=0.0))
