"""Finding the event pair that separates two samples, on discovery data only.

Candidates are orders of the outputs, from those that speak most for the data to those that speak most for
the neighbour: a number as it is, the coordinates of a vector, a linear and a quadratic discriminant, a learned
score, and cells (categories, repeated values or vectors, bins) sorted by their estimated likelihood ratio. For each
order the pair (S, S') of its two ends is chosen that promises the largest bound at the size of the test, and among orders
the one whose ends keep most on outputs that have not chosen them.
Nothing here needs to be right for a bound to be valid: the test data are others.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit, ndtri
from scipy.stats import norm

from dppca.audit.auditor.outputs import Outputs
from dppca.audit.auditor.ratio_test import Counts
from dppca.audit.auditor.scores import Codes, Score, Scored, scores

Float: TypeAlias = NDArray[np.float64]

#: Bins into which an order is cut at most, and bins whose likelihood ratio is estimated.
_CUTS, _BINS = 1500, 40
#: Standard errors by which the choice of an order's ends discounts what it saw, as the best of many estimates is often luck:
#: each is tried.
_CAUTIONS = (0.5, 1.5, 3.0)
#: Standard errors by which the choice among orders discounts what their ends kept on other outputs: surely, and boldly.
_SURE, _BOLD = 3.0, 1.0
#: Standard errors of the counts by which a smoothed share may differ from them: where ends are chosen, and among orders.
_SMOOTH_WITHIN, _KEPT_WITHIN = 1.0, 0.5
#: Parts of the test's level that event pairs take, where there are several: the surest, the boldest, and rarer ones.
_SURE_PART, _BOLD_PART, _RARER_PART = 4.0, 2.0, 2.0
#: How many times rarer the further ends of the surest order are.
_TIMES_RARER = (3.0, 9.0)
#: Counters that the test adds to none: a limit for z = 1.64 is 3 where no counter is seen, and x + z sqrt(x) = 3 at about 1.2.
_NONE_SEEN = 1.2
#: Orders of more cells than this are also smoothed, with a spline of these knots (normal scores).
_SMOOTH_FROM = 12
_KNOTS = (-2.0, -1.2, -0.4, 0.4, 1.2, 2.0)
#: Values that have cells of their own, at most, crossed with others and alone; a value seen so often is an atom.
_MAX_CROSSED_ATOMS, _MAX_ATOMS, _ATOM_COUNT = 300, 20_000, 3
#: What stands for a missing number where vectors are distinguished.
_NO_NUMBER = 0.7316058
#: Where there are more labels, cells are not made of labels and scores together.
_MAX_LABELS_CROSSED = 40
#: Up to so many outputs of a dataset, half of them are few to fit an order to: the surest one, fitted to all, is tested too.
_FITTED_AGAIN = 20_000
#: Largest epsilon whose ratio's square is a float. Shares of counters for which the point of a curve is looked up.
_LARGEST_EPSILON, _COUNTER_SHARES = 350.0, np.geomspace(1e-10, 2.0, 400)
#: Letters of the name of a cell.
_LONGEST_NAME = 80


@dataclass(frozen=True)
class Goal:
    """The purpose for which an event pair is chosen.

    Attributes:
        delta: the additive term of the claim; where it is a curve, of each of its points, an array.
        alpha: level of the test.
        pairs: trials per dataset of the test.
        epsilon: a claim to refute if possible, as many as deltas; None to make the bound as large as possible.
    """

    delta: float | Float
    alpha: float
    pairs: float
    epsilon: float | Float | None = None

    @functools.cached_property
    def _points(self) -> tuple[Float, Float]:
        deltas = np.atleast_1d(np.asarray(self.delta, dtype=np.float64))
        epsilons = np.zeros(1) if self.epsilon is None else np.atleast_1d(self.epsilon)
        return deltas, np.exp(np.minimum(epsilons, _LARGEST_EPSILON))

    @functools.cached_property
    def _places(self) -> NDArray[np.int64]:
        """Return the point that claims least of the hits, for no, one or two ends and each share of counters."""
        deltas, ratios = self._points
        return np.array([[np.argmin(ends * deltas + ratios * q) for q in _COUNTER_SHARES] for ends in (1, 1, 2)])

    def at(self, q: Float, ends: Any) -> tuple[Float, Float]:
        """Return delta and e^epsilon of the points against which events with such shares of counters can speak most."""
        deltas, ratios = self._points
        if len(deltas) == 1:
            return deltas, ratios
        unseen = q + 2.0 * np.sqrt(np.maximum(q, 0.0) / self.pairs) + 2.0 / self.pairs
        column = np.minimum(np.searchsorted(_COUNTER_SHARES, unseen), len(_COUNTER_SHARES) - 1)
        place = self._places[np.asarray(ends, dtype=np.int64), column]
        return deltas[place], ratios[place]

    def point(self, counts: Counts, ends: int) -> tuple[float, float]:
        """Return epsilon and delta of the point that such counts of an event speak against most."""
        deltas, ratios = self._points
        p, q = counts.hits / counts.pairs, counts.counters / counts.pairs + _NONE_SEEN / self.pairs
        best = int(np.argmax((p - ends * deltas - ratios * q) / np.sqrt(p + ratios * ratios * q)))
        return float(np.atleast_1d(np.asarray(self.epsilon))[best]), float(deltas[best])


@dataclass(frozen=True)
class EventPair:
    """S (speaks for the data) and S' (for the neighbour), as a side for every output.

    Both are ends of an order of the outputs, which is the rank of an output's cell.

    Attributes:
        rank: maps outputs to their ranks.
        first: S holds the outputs of lower rank.
        last: S' holds the outputs of at least this rank.
        steps: increasing ranks at which the order can be cut, few, chosen by the outputs' shares.
        description: in words.
        ends: how many of S, S' are not empty.
        worth: what discovery ranked it by: first the strength against the claim, then the bound promised.
        part: what it takes of the level of the test, beside the other pairs' parts.
    """

    rank: Callable[[Outputs], NDArray[np.int64]]
    first: int
    last: int
    steps: NDArray[np.int64]
    description: str
    ends: int
    worth: tuple[float, float]
    part: float

    def count(self, data: NDArray[np.int64], neighbour: NDArray[np.int64], pairs: float) -> Counts:
        """Return the hits and counters among outputs of these ranks."""
        return Counts(
            hits=int(np.sum(data < self.first) + np.sum(neighbour >= self.last)),
            counters=int(np.sum(neighbour < self.first) + np.sum(data >= self.last)),
            pairs=pairs,
        )

    def below(self, ranks: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the number of these ranks below each step."""
        return np.asarray(np.searchsorted(np.sort(ranks), self.steps, side="left"))


def levels(pairs: Sequence[EventPair], alpha: float) -> list[float]:
    """Return what each event pair takes of a level, by their parts."""
    whole = sum(pair.part for pair in pairs)
    return [pair.part / whole * alpha for pair in pairs]


@dataclass(frozen=True)
class Order:
    """A candidate: the rank of an output's cell, small ranks speaking for the data.

    Attributes:
        rank: the function of outputs.
        cells: how many there are.
        describe: says in words what the ends of so many cells are.
        smooth: neighbouring cells have similar likelihood ratios, so they may be estimated together.
        origin: what it is made of, the same whatever outputs it was fitted to.
    """

    rank: Callable[[Outputs], NDArray[np.int64]]
    cells: int
    describe: Callable[[int, int], str]
    smooth: bool = False
    origin: tuple[Any, ...] = ()


def discover(data: Outputs, neighbour: Outputs, goal: Goal) -> tuple[EventPair, ...]:
    """Return event pairs: the one that serves the goal best surely, then others that may serve it better.

    These are the one that would be chosen with little caution, rarer ends of the sure one's order, and where outputs are few
    this order fitted to all of them, which nothing has judged. What was seen of rare outputs may be luck, or most of the loss:
    where outputs are too few to tell, several pairs are tested.
    """
    half = len(data) // 2
    fit = (data[:half], neighbour[:half])
    held = (data[half:], neighbour[half:])
    best: list[Judged] = []
    rank, ranks = None, (np.empty(0, np.int64), np.empty(0, np.int64))
    for order, fitted in candidate_orders(*fit):
        if order.rank is not rank:  # an order may come twice in turn, smoothed and as it is
            counted = held if fitted else (data, neighbour)
            rank, ranks = order.rank, (order.rank(counted[0]), order.rank(counted[1]))
        found = judge(order, *ranks, goal)
        best = [max(pair, key=lambda of: of.worth) for pair in zip(best, found, strict=True)] if best else found
    if not best:
        raise ValueError("outputs must not be empty")
    sure, bold = best[0].pair(goal, _SURE_PART), best[1].pair(goal, _BOLD_PART)
    pairs = [sure, bold, *best[0].rarer(sure, goal)]
    if len(data) <= _FITTED_AGAIN and (again := _fitted_again(data, neighbour, best[0].order.origin)) is not None:
        pairs.append(best[0].on(*again, sure))
    chosen: dict[Any, EventPair] = {}
    for pair in pairs:
        chosen.setdefault((pair.rank, pair.first, pair.last), pair)
    return tuple(chosen.values())


def _fitted_again(data: Outputs, neighbour: Outputs, origin: tuple[Any, ...]) -> tuple[Order, EndShares] | None:
    """Return the order of this origin, fitted to all outputs, and the shares of the outputs in its ends; None if it is gone."""
    for order, _ in candidate_orders(data, neighbour):
        if order.origin == origin:
            return order, EndShares.of(order, order.rank(data), order.rank(neighbour))
    return None


# --- orders -------------------------------------------------------------------------------------------


def candidate_orders(data: Outputs, neighbour: Outputs) -> Iterator[tuple[Order, bool]]:  # noqa: C901 - a list of candidates
    """Yield candidate orders, each with whether it was fitted so closely that it must be judged on other data."""
    size = min(len(data), len(neighbour))
    codes = Codes.of_labels(data, neighbour)
    for scored in scores(data, neighbour):
        found = [scored.score(outputs) for outputs in (data, neighbour)]
        values = np.concatenate(found)
        there = ~np.isnan(values)
        values = values[there]
        if len(values) == 0:
            continue
        unique, count = np.unique(values, return_counts=True)
        few = len(unique) <= _MAX_CROSSED_ATOMS
        if there.all():
            cuts = unique if few else np.unique(np.quantile(values, _levels(len(values))))
            for sign in (1, -1) if scored.both_ways else (1,):
                order = _monotone(scored, cuts, sign)
                yield order, scored.fitted
                if order.smooth:
                    yield replace(order, smooth=False), scored.fitted
        if not scored.cells:
            continue
        bins = np.empty(0) if few else np.unique(np.quantile(values, bin_levels(len(values))))
        labels = codes if len(codes) <= _MAX_LABELS_CROSSED else Codes(all_one=True)
        often = np.arange(len(unique)) if few else np.argsort(-count, kind="stable")[: int(np.sum(count >= _ATOM_COUNT))]
        tried = [(crossed, _MAX_CROSSED_ATOMS) for crossed in (labels, *scored.crossed)]
        if len(often) > _MAX_CROSSED_ATOMS:
            tried.append((Codes(all_one=True), _MAX_ATOMS))
        for crossed, most in tried:
            atoms = np.sort(unique[often[:most]])
            cells = len(crossed) * (len(atoms) + len(bins) + 1)
            yield order_by_ratio(data, neighbour, crossed, scored, atoms, bins), scored.fitted or cells > 0.25 * math.sqrt(size)
    for crossed in (codes, *Codes.of_parts(data, neighbour)):
        yield order_by_ratio(data, neighbour, crossed, Scored("", _no_score), np.empty(0), np.empty(0)), True
    if data.numbers.shape[1] > 1 and (whole := whole_vectors(data.numbers, neighbour.numbers)) is not None:
        score, atoms, show = whole
        yield order_by_ratio(data, neighbour, codes, Scored("output", score), atoms, np.empty(0), show), True


def _no_score(outputs: Outputs) -> Float:
    return np.full(len(outputs), np.nan)


def _levels(size: int) -> Float:
    """Return quantile levels: nearly even in the middle, smaller by a constant factor towards both ends."""
    least = logit(1.0 / max(size, 4))
    return np.asarray(expit(np.linspace(least, -least, _CUTS)))


def bin_levels(size: int) -> Float:
    """Return quantile levels of bins: even in the middle, smaller by a constant factor towards both ends."""
    tail = np.geomspace(min(20.0 / size, 0.01), 1.0 / _BINS, 6)[:-1]
    return np.concatenate([tail, np.linspace(0, 1, _BINS + 1)[1:-1], 1.0 - tail[::-1]])


def _monotone(scored: Scored, cuts: Float, sign: int) -> Order:
    """Return the order of a score: large values first if sign is 1, small values first if it is -1."""
    name = scored.name

    def rank(outputs: Outputs) -> NDArray[np.int64]:
        position = np.searchsorted(cuts, scored.score(outputs), side="left")
        return (len(cuts) - position if sign == 1 else position).astype(np.int64)

    def describe(first: int, last: int) -> str:
        # ranks 0..first-1 are S, the last `last` ranks are S'; position p holds (cuts[p-1], cuts[p]]
        parts = []
        if first:
            parts.append(f"{name} > {cuts[len(cuts) - first]:.6g}" if sign == 1 else f"{name} <= {cuts[first - 1]:.6g}")
        if last:
            parts.append(f"{name} <= {cuts[last - 1]:.6g}" if sign == 1 else f"{name} > {cuts[len(cuts) - last]:.6g}")
        return _both(parts, first, last)

    return Order(rank, len(cuts) + 1, describe, smooth=len(cuts) > _SMOOTH_FROM, origin=(name, sign))


def order_by_ratio(
    data: Outputs,
    neighbour: Outputs,
    codes: Codes,
    scored: Scored,
    atoms: Float,
    bins: Float,
    show: Callable[[float], str] = "{:.6g}".format,
) -> Order:
    """Return cells (label, atom or bin of the score) sorted by their estimated likelihood ratio; `show` names an atom."""
    per_label = len(atoms) + len(bins) + 2  # one bin more than edges, and one cell for trials without numbers

    def cell(outputs: Outputs) -> NDArray[np.int64]:
        values = scored.score(outputs)
        place = np.searchsorted(bins, values, side="left") + len(atoms)
        if len(atoms):
            nearest = np.minimum(np.searchsorted(atoms, values), len(atoms) - 1)
            place = np.where(atoms[nearest] == values, nearest, place)
        place = np.where(np.isnan(values), per_label - 1, place)
        return np.asarray(codes(outputs) * per_label + place, dtype=np.int64)

    total = (len(codes) + 1) * per_label
    on_data = np.bincount(cell(data), minlength=total)
    on_neighbour = np.bincount(cell(neighbour), minlength=total)
    ratio = np.log(on_data + 0.5) - np.log(on_neighbour + 0.5)
    spread = np.sqrt(1.0 / (on_data + 0.5) + 1.0 / (on_neighbour + 0.5))
    strength = np.sign(ratio) * np.maximum(np.abs(ratio) - spread, 0.0)
    order = np.argsort(-strength, kind="stable")
    ranks = np.empty(total, dtype=np.int64)
    ranks[order] = np.arange(total)

    def cell_name(index: int) -> str:
        label, place = divmod(int(index), per_label)
        text = codes.name(label)
        if place == per_label - 1:
            return text or "other"
        if place < len(atoms):
            there = f"= {show(atoms[place])}"
        else:
            low, high = np.concatenate([[-np.inf], bins, [np.inf]])[place - len(atoms) :][:2]
            there = f"in ({low:.4g}, {high:.4g}]"
        return " and ".join(filter(None, [text, f"{scored.name} {there}"]))

    def describe(first: int, last: int) -> str:
        parts = []
        for chosen in (order[:first], order[total - last :]):
            seen = [cell_name(i)[:_LONGEST_NAME] for i in chosen if on_data[i] + on_neighbour[i]]
            if len(chosen):
                text = " or ".join(seen[:4]) or "what was not seen before"
                parts.append(text + (f" or {len(seen) - 4} more cells" if len(seen) > 4 else ""))
        return _both(parts, first, last)

    return Order(
        lambda outputs: ranks[cell(outputs)], total, describe, origin=(scored.name, codes.about, codes.column, len(atoms) > 0)
    )


def _both(parts: list[str], first: int, last: int) -> str:
    names = [name for name, used in (("data", first), ("neighbour", last)) if used]
    return "; ".join(f"for {name}: {part}" for name, part in zip(names, parts, strict=True)) or "nothing"


def whole_vectors(data: Float, neighbour: Float) -> tuple[Score, Float, Callable[[float], str]] | None:
    """Return a score that tells vectors apart, its values and their vectors in words; None where there are too many vectors."""
    pooled = np.concatenate([data, neighbour])
    drawn = np.random.default_rng(0).integers(1, 2**62, (pooled.shape[1],))
    odd = [2 * int(factor) + 1 for factor in drawn]

    def total(x: Float) -> Float:  # a hash of 53 bits, which is exact as a float
        found: Any = np.zeros(len(x), dtype=np.uint64)
        for column, factor in zip(x.T, odd, strict=True):
            bits: Any = np.where(np.isnan(column), _NO_NUMBER, column).view(np.uint64)
            mixed = (found ^ bits ^ (bits >> np.uint64(29))) * np.uint64(factor)
            found = mixed ^ (mixed >> np.uint64(32))
        return np.asarray(found >> np.uint64(11), dtype=np.float64)

    atoms, first, count = np.unique(total(pooled), return_index=True, return_counts=True)
    often = np.sort(np.argsort(-count, kind="stable")[:_MAX_ATOMS])
    if len(atoms) > _MAX_CROSSED_ATOMS:
        often = often[count[often] >= _ATOM_COUNT]
    if count[often].sum() < 0.5 * len(pooled):
        return None
    rows = dict(zip(atoms[often].tolist(), first[often].tolist(), strict=True))
    return (
        lambda outputs: total(outputs.numbers),
        atoms[often],
        lambda value: "(" + ", ".join(f"{entry:g}" for entry in pooled[rows[value]]) + ")",
    )


# --- ends ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Judged:
    """An order and a caution with which its ends are chosen, and what such ends are worth on outputs they were not chosen on.

    Attributes:
        order: the order.
        shares: of all outputs that may choose its ends.
        caution: standard errors by which the choice of the ends discounts what was seen.
        worth: first the strength against the claim, then the bound promised.
        ends: how many of the first and of the last cells each half of the outputs chose, shape (2, 2).
    """

    order: Order
    shares: EndShares
    caution: float
    worth: tuple[float, float]
    ends: NDArray[np.int64]

    def pair(self, goal: Goal, part: float) -> EventPair:
        """Return the event pair: the ends that all outputs choose, on a coarse grid, then around it.

        They lie between those of the halves, whose worth was counted: all outputs together may prefer what is rare by luck.
        """
        order, shares = self.order, self.shares
        grids = shares.grids()
        firsts, lasts = (from_least_to_largest(grid, chosen) for grid, chosen in zip(grids, self.ends.T, strict=True))
        i, j = best_ends(shares, firsts, lasts, goal, self.caution)
        fine = (_between(grid, end, order.cells) for grid, end in zip(grids, (i, j), strict=True))
        firsts, lasts = (from_least_to_largest(sizes, chosen) for sizes, chosen in zip(fine, self.ends.T, strict=True))
        return self.of_ends(*best_ends(shares, firsts, lasts, goal, self.caution), part)

    def rarer(self, pair: EventPair, goal: Goal) -> Iterator[EventPair]:
        """Yield pairs of rarer ends of the order, those which may be better by a standard error of what was seen."""
        i, j = pair.first, self.order.cells - pair.last
        enough = self._promise(i, j, goal, 0.0)
        for times in _TIMES_RARER:
            first, last = self.shares.rarer(i, 0, times), self.shares.rarer(j, 1, times)
            if first + last > 0 and self._promise(first, last, goal, 1.0) > enough:
                yield self.of_ends(first, last, _RARER_PART)

    def _promise(self, first: int, last: int, goal: Goal, errors: float) -> float:
        """Return the bound that ends of so many cells promise if what was seen is too little by so many standard errors."""
        hits, counters = self.shares.taken(np.array([first]), np.array([last]))[:2]
        p, q = self.shares.at_best(hits, counters, errors)
        ends = np.full(1, int(first > 0) + int(last > 0))
        return float(_worth(p, q, ends, goal, 0.0, self.shares.size)[1][0])

    def on(self, order: Order, shares: EndShares, pair: EventPair) -> EventPair:
        """Return the pair on the same order, fitted to more outputs: its ends hold the same shares of the outputs."""
        ends = (pair.first, self.order.cells - pair.last)
        first, last = (shares.of_share(self.shares.total(side)[end], side) if end else 0 for side, end in enumerate(ends))
        if first + last > order.cells or order.cells in (first, last):
            return pair
        return replace(self, order=order, shares=shares).of_ends(first, last, pair.part)

    def of_ends(self, first: int, last: int, part: float) -> EventPair:
        """Return the pair of ends of so many cells."""
        order, (on_data, on_neighbour) = self.order, self.shares.seen
        return EventPair(
            rank=order.rank,
            first=first,
            last=order.cells - last,
            steps=_steps(on_data[0] + on_neighbour[0], first, order.cells - last, self.shares.size),
            description=order.describe(first, last),
            ends=(first > 0) + (last > 0),
            worth=self.worth,
            part=part,
        )


def judge(order: Order, data: NDArray[np.int64], neighbour: NDArray[np.int64], goal: Goal) -> list[Judged]:
    """Return an order with the caution whose ends keep most, surely and boldly, on outputs of these ranks.

    Each half of the outputs chooses ends, and the other half counts what they keep.
    """
    halves = [EndShares.of(order, data[k::2], neighbour[k::2]) for k in range(2)]
    shares = EndShares.of(order, data, neighbour)
    found, ends_of_halves = [], []
    for caution in _CAUTIONS:
        total, both = np.zeros(5), []
        for chosen, counted in (halves, halves[::-1]):
            i, j = best_ends(chosen, *chosen.grids(), goal, caution)
            ends = (i > 0) + (j > 0)
            both.append((i, j))
            total += [*(float(share[0]) for share in counted.taken(np.array([i]), np.array([j]))), ends]
        found.append(0.5 * total)
        ends_of_halves.append(np.array(both))
    hits, counters, p, q, ends = np.array(found).T
    best = []
    for errors in (_SURE, _BOLD):
        seen = shares.within(hits, counters, p, q, ends, _KEPT_WITHIN, min(errors, 1.0))
        strength, promise = _worth(*seen, ends, goal, errors, shares.size)
        k = _largest(strength, promise)
        best.append(Judged(order, shares, _CAUTIONS[k], (float(strength[k]), float(promise[k])), ends_of_halves[k]))
    return best


@dataclass(frozen=True)
class EndShares:
    """Shares of the outputs in the first (the last) 0, 1, ... cells of an order, each a pair of arrays (first, last).

    Attributes:
        seen: on the data and on the neighbour, as they were counted.
        smoothed: the same, smoothed; None where the order is not.
        size: outputs that were counted on each dataset.
    """

    seen: tuple[tuple[Float, Float], tuple[Float, Float]]
    smoothed: tuple[tuple[Float, Float], tuple[Float, Float]] | None
    size: int

    @classmethod
    def of(cls, order: Order, data: NDArray[np.int64], neighbour: NDArray[np.int64]) -> EndShares:
        """Return the shares of outputs of these ranks."""
        p, q = (np.bincount(ranks, minlength=order.cells) / len(ranks) for ranks in (data, neighbour))
        smoothed = None
        if order.smooth:
            smooth_p, smooth_q = smoothed_shares(p, q)
            smoothed = (_both_ends(smooth_p), _both_ends(smooth_q))
        return cls((_both_ends(p), _both_ends(q)), smoothed, len(data))

    def grids(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return some sizes of the first end, and of the last."""
        first, last = (thinned(self.total(side)) for side in range(2))
        return first, last

    def total(self, side: int) -> Float:
        """Return the shares of both datasets' outputs in the first (side 0) or last 0, 1, ... cells, added up."""
        return self.seen[0][side] + self.seen[1][side]

    def of_share(self, share: float, side: int) -> int:
        """Return the cells of the first or last end, at least one, whose share of the outputs is nearest to this one."""
        return 1 + int(np.argmin(np.abs(self.total(side)[1:] - share)))

    def rarer(self, cells: int, side: int, times: float) -> int:
        """Return the cells of the first (side 0) or last end so many times rarer than that of these cells, or rarer yet."""
        total = self.total(side)
        return int(np.searchsorted(total, total[cells] / times, side="right")) - 1

    def pairs(self, i: NDArray[np.int64], j: NDArray[np.int64], caution: float) -> tuple[Float, Float]:
        """Return the estimated shares of hits and counters for ends of i and j cells."""
        return self.within(*self.taken(i, j), (i > 0).astype(int) + (j > 0), _SMOOTH_WITHIN, caution)

    def taken(self, i: NDArray[np.int64], j: NDArray[np.int64]) -> tuple[Float, Float, Float, Float]:
        """Return the shares of hits and counters for ends of i and j cells: as counted, then smoothed where the order is."""
        seen = self._taken(self.seen, i, j)
        return *seen, *(seen if self.smoothed is None else self._taken(self.smoothed, i, j))

    def within(self, hits: Any, counters: Any, p: Any, q: Any, ends: Any, errors: float, caution: float) -> tuple[Any, Any]:
        """Return shares p and q of hits and counters as far as the shares that were counted allow.

        A smoothed order goes on with its slope where counts are few, and may so promise what no event keeps, as where the
        likelihood ratio has steps or a limit: its shares are kept within so many standard errors of what was counted.
        """
        if self.smoothed is None:  # at each end, rare counters may not have been seen, and the smallest of many counts is luck
            return hits, counters + (0.5 * ends + caution * np.sqrt(counters * self.size + ends)) / self.size
        most, least = self.at_best(hits, counters, errors)
        return np.minimum(p, most), np.maximum(q, least)

    def at_best(self, hits: Any, counters: Any, errors: float) -> tuple[Any, Any]:
        """Return the shares of hits and counters if those that were counted are worse by so many standard errors."""
        most = hits + errors * np.sqrt(hits * self.size + 1.0) / self.size
        return most, counters - errors * np.sqrt(counters * self.size) / self.size

    @staticmethod
    def _taken(
        shares: tuple[tuple[Float, Float], tuple[Float, Float]], i: NDArray[np.int64], j: NDArray[np.int64]
    ) -> tuple[Float, Float]:
        (p_first, p_last), (q_first, q_last) = shares
        return p_first[i] + q_last[j], q_first[i] + p_last[j]


def _both_ends(masses: Float) -> tuple[Float, Float]:
    """Return the cumulative shares of the first and of the last 0, 1, ... cells."""
    return np.append(0.0, np.cumsum(masses)), np.append(0.0, np.cumsum(masses[::-1]))


def best_ends(
    shares: EndShares, firsts: NDArray[np.int64], lasts: NDArray[np.int64], goal: Goal, caution: float
) -> tuple[int, int]:
    """Return the best of these sizes of the two ends, chosen with caution."""
    i, j = (grid.ravel() for grid in np.meshgrid(firsts, lasts, indexing="ij"))
    cells = len(shares.seen[0][0]) - 1
    fits = (i + j <= cells) & (i < cells) & (j < cells)  # an end of all cells says nothing
    i, j = i[fits], j[fits]
    ends = (i > 0).astype(int) + (j > 0)
    p, q = shares.pairs(i, j, min(caution, 1.0))
    # The largest of many estimates is too large: rank by a promise that also pays for discovery's own error.
    best = _largest(*_worth(p, q, ends, goal, caution, shares.size))
    return int(i[best]), int(j[best])


def _worth(p: Float, q: Float, ends: Any, goal: Goal, errors: float, size: int) -> tuple[Float, Float]:
    """Return the strength against the claim and the bound promised, less these standard errors of so many outputs.

    Against a curve, the bound is promised in multiples of the epsilon that is claimed at its delta, as a ratio e^epsilon.
    """
    paid = errors * np.sqrt(goal.pairs / size)
    delta, ratio = goal.at(q, ends)
    c = ends * delta
    promise = promised(p, q + _NONE_SEEN / goal.pairs, c, _quantile(goal.alpha) + paid, goal.pairs)
    strength = np.zeros_like(promise)
    if goal.epsilon is not None:
        spread = np.sqrt((p + ratio * ratio * np.maximum(q, 1e-12)) / goal.pairs)
        strength = np.maximum((p - c - ratio * q) / spread - paid, 0.0)
    if len(ratio) > 1:
        promise = promise / ratio
    return strength, promise


def from_least_to_largest(sizes: NDArray[np.int64], chosen: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the sizes of an end from the least to the largest one that was chosen, and all that were; 0 stands for no end."""
    some = chosen[chosen > 0]
    if not len(some):
        return np.zeros(1, dtype=np.int64)
    return np.union1d(sizes[(sizes >= some.min()) & (sizes <= some.max())], chosen)


def _between(kept: NDArray[np.int64], chosen: int, cells: int) -> NDArray[np.int64]:
    """Return all sizes from the one that was kept before the chosen size to the one after it; 0 stays 0."""
    if chosen == 0:
        return np.zeros(1, dtype=np.int64)
    place = int(np.searchsorted(kept, chosen))
    low, high = kept[max(place - 1, 0)], kept[place + 1] if place + 1 < len(kept) else cells
    return np.arange(max(low, 1), high + 1)


def smoothed_shares(p: Float, q: Float) -> list[Float]:
    """Return the masses of ordered cells with the log-ratio of each pair replaced by a smooth function of the order.

    A logistic regression on a linear spline of the cell's normal score, by Newton's method: far from the
    middle, where counts are small, a maximum over raw ratios would mostly find luck.
    """
    pooled = 0.5 * (p + q)
    z = ndtri(np.clip(np.cumsum(pooled) - 0.5 * pooled, 1e-9, 1.0 - 1e-9))
    basis = np.column_stack([np.ones_like(z), z, *(np.maximum(z - knot, 0.0) for knot in _KNOTS)])
    coefficients = np.zeros(basis.shape[1])
    ridge = 1e-6 * np.eye(basis.shape[1])
    for _ in range(25):
        share = expit(basis @ coefficients)
        gradient = basis.T @ (0.5 * p - pooled * share) - ridge @ coefficients
        step = np.linalg.solve(basis.T @ (basis * (pooled * share * (1.0 - share))[:, None]) + ridge, gradient)
        coefficients += step
        if np.max(np.abs(step)) < 1e-8:
            break
    share = expit(basis @ coefficients)
    return [2.0 * pooled * share, 2.0 * pooled * (1.0 - share)]


@functools.cache
def _quantile(alpha: float) -> float:
    """Return the normal variable's value that is exceeded with this probability."""
    return float(norm.isf(alpha))


def _largest(first: Float, second: Float) -> int:
    """Return the place of the largest pair, the last of equal ones: by the first numbers, then by the second."""
    places = np.flatnonzero(first == np.fmax.reduce(first))
    second = second[places]
    return int(places[np.flatnonzero(second == np.fmax.reduce(second))[-1]])


def thinned(cumulative: Float) -> NDArray[np.int64]:
    """Return at most about 120 end sizes, those at which the cumulative share changes."""
    changes = np.flatnonzero(np.diff(cumulative, prepend=-1.0) > 0.0)
    if len(changes) <= 120:
        return changes
    return np.unique(np.concatenate([changes[:30], changes[-10:], changes[:: len(changes) // 80 + 1]]))


def _steps(cumulative: Float, first: int, last: int, size: int) -> NDArray[np.int64]:
    """Return ranks that cut an order at about even shares in the middle and at geometric ones towards both ends."""
    tail = np.geomspace(0.5 / size, 0.1, 10)
    levels = np.concatenate([tail, np.linspace(0.15, 0.85, 10), 1.0 - tail[::-1]])
    steps = np.unique([*np.searchsorted(cumulative, levels * cumulative[-1]), first, last])
    return steps[(steps > 0) & (steps < len(cumulative) - 1)].astype(np.int64)


def promised(p: Float, q: Float, c: Float, z: float, pairs: float) -> Float:
    """Return the r at which p - c - r q = z sqrt((p + r^2 q) / pairs); 0 where there is none."""
    gap = p - c
    a = q * q - z * z * q / pairs
    b = gap * q
    d = gap * gap - z * z * p / pairs
    root = np.sqrt(np.maximum(b * b - a * d, 0.0))
    return np.where((gap > 0.0) & (d > 0.0), d / np.where(b + root > 0.0, b + root, 1.0), 0.0)
