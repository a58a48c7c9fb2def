"""Are trials exchangeable? A test of the order in which outputs came, whatever the program is made of.

If the trials of a dataset are exchangeable, every order of their scores is as likely as any other. So the ranks of the
scores, ties broken at random, are a uniformly random permutation, whatever the law of the outputs is, and so are the places
of the trials that an event holds. Three kinds of statistics are compared with that:

- the correlation of the ranks, and of their squares, at every lag;
- their sums over groups: blocks of every dyadic size, the blocks of trials that shared a generator, batches (each of which
  may have had a process of its own), and trials that stood at the same place of a block or of a batch, which are alike where
  two generators or two processes gave the same stream;
- how the trials that the event holds are spread over the same groups.

All share one level by Bonferroni's inequality. The ranks' statistics are sums of many bounded terms, and are compared with
normal and chi-square laws. The counts' tail is Chernoff's bound, which holds at every size: under a random permutation the
counts of disjoint groups are negatively associated (Joag-Dev and Proschan 1983), so the generating function of a sum of
functions that increase is at most the product of theirs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.fft import irfft, next_fast_len, rfft
from scipy.special import gammaln
from scipy.stats import binom, chi2, hypergeom, norm

from dppca.audit.auditor.leaves import Path
from dppca.audit.auditor.outputs import Outputs, alphabet

Float = NDArray[np.float64]
Integers = NDArray[np.int64]

#: Probability that exchangeable trials are called dependent, in a whole audit; the bound's own error makes room for it.
LEVEL = 1e-6
#: Least number of trials in a block of consecutive ones, and of trials in an event that is counted.
_LEAST_BLOCK, _LEAST_COUNT = 8, 5
#: Numbers of an output, at most, that are each asked whether they came before.
_MOST_COLUMNS = 20
#: Exponents that Chernoff's bound tries.
_EXPONENTS = np.geomspace(1e-3, 5.0, 24)


@dataclass(frozen=True)
class Found:
    """The statistic that speaks most against exchangeable trials.

    Attributes:
        p: its p-value times the number of statistics.
        what: in words.
    """

    p: float
    what: str


@dataclass(frozen=True, eq=False)
class Places:
    """Where the trials of one dataset stood in the run, each of shape (n,).

    Attributes:
        call: the place among the trials of both datasets.
        groups: by what trials have in common, in words, the number of the group that each trial is in.
    """

    call: Integers
    groups: dict[str, Integers]

    def __getitem__(self, index: slice) -> Places:
        return Places(self.call[index], {name: group[index] for name, group in self.groups.items()})

    @classmethod
    def joined(cls, parts: Sequence[Places]) -> Places:
        """Return the places of all trials of several batches."""
        groups = {name: np.concatenate([part.groups[name] for part in parts]) for name in parts[0].groups}
        return cls(np.concatenate([part.call for part in parts]), groups)

    @classmethod
    def in_order(cls, size: int) -> Places:
        """Return the places of trials of which nothing but their order is known."""
        return cls(np.arange(size), {})


def order_test(
    scores: Sequence[NDArray[np.generic]],
    places: Sequence[Places],
    events: Sequence[Sequence[NDArray[np.bool_]]],
    rng: np.random.Generator,
) -> Found:
    """Return what speaks most against the exchangeability of each dataset's trials.

    Args:
        scores: for each dataset one score a trial, in the order of the trials.
        places: where they stood.
        events: for each dataset the events that are counted, each as one truth value a trial.
        rng: breaks ties.
    """
    found: list[tuple[float, str]] = []
    series = [normal_ranks(values, rng) for values in scores]
    for ranks, where, held in zip(series, places, events, strict=True):
        found += _of_trials(ranks, where.groups.items(), held)
    if len(series) > 1:  # both together, in the order of the calls: what trials of one dataset leave to those of the other
        call = np.concatenate([where.call for where in places])
        turn = np.argsort(call, kind="stable")
        common = places[0].groups.keys() & places[1].groups.keys()
        groups = ((name, np.concatenate([where.groups[name] for where in places])[turn]) for name in sorted(common))
        found += _of_trials(np.concatenate(series)[turn], groups, [])
    return _least(found)


def running(outputs: Sequence[Outputs], places: Sequence[Places], together: str) -> frozenset[Path]:
    """Return the paths of what tells nothing but the order of the calls, as a time or a counter: it never falls, or rises.

    Exchangeable values do so with a probability that is at most one over the number of trials. Nothing is returned where
    all else that outputs hold is constant.

    Args:
        outputs: of either dataset.
        places: where they stood.
        together: the group, by its name among the places, within which it is looked at; all trials where there is none.
    """
    batches = [where.groups.get(together, np.zeros(len(where.call), np.int64)) for where in places]
    found: list[Path] = []
    varying = False
    for path, both in _columns(outputs):
        steps = [np.diff(values)[np.diff(batch) == 0] for values, batch in zip(both, batches, strict=True)]
        joined = np.concatenate(steps)
        joined = joined[joined != 0.0]
        if len(joined := joined[~np.isnan(joined)]) and len({*np.sign(joined)}) == 1:
            found.append(path)
        else:
            values = np.concatenate(both)
            varying = varying or bool(np.any(values != values[0]))
    texts = {path[:-1] for path in found if _is_number_of_text(path)}  # whose digits show what the number does
    others = (path for path in outputs[0].kind.numbers if path[:-1] in texts and not _is_number_of_text(path))
    return frozenset([*found, *others] if varying else ())


def _is_number_of_text(path: Path) -> bool:
    return bool(path) and getattr(path[-1], "kind", "") == "number"


def _columns(outputs: Sequence[Outputs]) -> Iterator[tuple[Path, list[Float]]]:
    """Yield each number, and each word by its place in the order of the words, of either dataset's outputs."""
    kind = outputs[0].kind
    for part, path in enumerate(kind.labels):
        rank, found = alphabet(outputs, part), [of.distinct(part) for of in outputs]
        yield path, [np.array([rank[word] for word in distinct], dtype=float)[places] for distinct, places in found]
    for column, path in enumerate(kind.numbers):
        yield path, [of.numbers[:, column] for of in outputs]


def one_group_each(
    scores: Sequence[NDArray[np.generic]],
    groups: Sequence[Integers],
    events: Sequence[Sequence[NDArray[np.bool_]]],
    rng: np.random.Generator,
) -> Found:
    """Return what speaks most against the exchangeability of trials that came in groups, for each dataset.

    Group 0 is the run, which is compared with all others together too, by how many trials each event holds as well.
    """
    found: list[tuple[float, str]] = []
    for values, group, held in zip(scores, groups, events, strict=True):
        others = group > 0
        if others.sum() >= _LEAST_BLOCK:
            found += [(p, "in each new process") for p in _between_groups(normal_ranks(values[others], rng), group[others])]
            run_or_new = _between_groups(normal_ranks(values, rng), np.minimum(group, 1))
            found += [(p, "in new processes than in the run") for p in run_or_new]
            found += [(fisher_p_value(inside, others), "in new processes than in the run") for inside in held]
    return _least(found)


def same_stream(scores: Sequence[NDArray[np.generic]], calls: Sequence[Integers], rng: np.random.Generator) -> float:
    """Return the p-value of trials that came from several processes, by how alike those are of the same call of each.

    Each process has its own scores, on one dataset, which are ranked among themselves.
    """
    series = np.concatenate([normal_ranks(values, rng) for values in scores])
    return min(1.0, 2.0 * min(_between_groups(series, np.concatenate(calls))))


def seen_before(run: Outputs, new: Sequence[Outputs], calls: Sequence[Integers], rng: np.random.Generator) -> Found:
    """Return what speaks most against the exchangeability of trials of the run and of new processes, by which are alike.

    Some of the run's trials, picked at random, are what the others and the new ones are compared with: exchangeable trials are
    equal to one of these as often in the one as in the other. Draws that the run uses again are not, and draws that a new
    process uses again are equal to others of this process alone. What all new processes have at the same call comes from a
    generator that had its state before, and says nothing.
    """
    old = rng.permutation(len(run)) < 2 * len(run) // 3
    found = []
    for column in range(-1, min(run.numbers.shape[1], _MOST_COLUMNS)):  # of the whole, and of each number in it
        known, others = _words(run, column), [_words(of, column) for of in new]
        if same_stream(others, calls, rng) <= LEVEL:
            continue
        repeated = np.isin(np.concatenate([known[~old], *others]), known[old])
        p = fisher_p_value(repeated, np.arange(len(repeated)) >= (~old).sum())
        found.append((p, "in new processes, and in the run the same again and again"))
        found.append((_repeats_itself(others, rng), "in each new process, the same again and again"))
    return _least(found)


def _repeats_itself(words: Sequence[Integers], rng: np.random.Generator) -> float:
    """Return the p-value of how often two equal outputs are of one process; of each value two are looked at.

    At most a tenth of the trials are looked at, so that whatever was seen before, the next two are of one process with at most
    1.25 times the probability that any two are: 1 / 0.9^2 is less.
    """
    lengths = np.array(list(map(len, words)))
    order = rng.permutation(int(lengths.sum()))
    joined = np.concatenate(words)[order]
    by_value = np.argsort(joined, kind="stable")
    _, first, size = np.unique(joined[by_value], return_index=True, return_counts=True)
    first = first[size > 1][: len(order) // 20]
    process = np.repeat(np.arange(len(words)), lengths)[order][by_value]
    share = 1.25 * float(np.sum((lengths / len(order)) ** 2))
    return float(binom.sf(np.sum(process[first] == process[first + 1]) - 1, len(first), min(share, 1.0)))


def _words(outputs: Outputs, column: int) -> NDArray[np.int64]:
    """Return for each output a word that those share which are alike but for rounding: in a number, or wholly for column -1."""
    with np.errstate(over="ignore"):
        numbers = outputs.numbers.astype(np.float32) + np.float32(0.0)  # -0.0 is 0.0
    if column >= 0:
        return np.ascontiguousarray(numbers[:, column]).view(np.int32).astype(np.int64)
    rows = zip(map(bytes, np.ascontiguousarray(numbers)), outputs.labels, strict=True)
    return np.fromiter(map(hash, rows), np.int64, len(outputs))


def _least(found: list[tuple[float, str]]) -> Found:
    if not found:
        return Found(1.0, "")
    p, what = min(found, key=lambda of: of[0])  # the first of these, what is most telling
    return Found(min(1.0, len(found) * p), what)


def normal_ranks(values: NDArray[np.generic], rng: np.random.Generator) -> Float:
    """Return the ranks of values, of mean 0 and variance 1; ties are in random order."""
    ranks, shuffled = np.empty(len(values)), rng.permutation(len(values))
    ranks[shuffled[np.argsort(values[shuffled])]] = np.arange(len(values))
    return _standardised(ranks)


def _standardised(values: Float) -> Float:
    deviation = values.std() if len(values) else 0.0
    return np.asarray((values - values.mean()) / deviation) if deviation > 0.0 else np.zeros(len(values))


def _with_squares(ranks: Float) -> tuple[Float, Float]:
    return ranks, _standardised(ranks * ranks)


def _of_trials(
    ranks: Float, groups: Iterable[tuple[str, Integers]], events: Sequence[NDArray[np.bool_]]
) -> list[tuple[float, str]]:
    ranked = _with_squares(ranks)
    counted = [inside for inside in events if _LEAST_COUNT <= inside.sum() < len(inside)]
    found: list[tuple[float, str]] = []
    series = [*ranked, *counted]
    for name, (sizes, sums) in chain(((name, _in_groups(series, group)) for name, group in groups), _in_blocks(series)):
        found += [(_between(of, sizes), name) for of in sums[:2]]
        found += [(clustering_tail(of, sizes), name) for of in sums[2:]]
    return found + [_correlated(of) for of in ranked]


def _in_groups(series: Sequence[NDArray[Any]], group: Integers) -> tuple[Float, list[Float]]:
    """Return the sizes of the groups, and the sums of each series over them."""
    sizes, sums = np.bincount(group), [np.bincount(group, weights=values) for values in series]
    return np.asarray(sizes[sizes > 0], float), [np.asarray(of[sizes > 0], float) for of in sums]


def _in_blocks(series: Sequence[NDArray[Any]]) -> Iterator[tuple[str, tuple[Float, list[Float]]]]:
    """Yield the same for blocks of consecutive trials of every dyadic size, down to two blocks, with what they are."""
    n, block = len(series[0]), _LEAST_BLOCK
    sums, joined = [np.ones(n), *series], block
    while block <= n // 2:
        sums = [np.add.reduceat(values, np.arange(0, len(values), joined), dtype=np.float64) for values in sums]
        yield f"neighbours in the run, {block:,} at a time,", (sums[0], sums[1:])
        block, joined = 2 * block, 2


# --- ranks --------------------------------------------------------------------------------------------


def _correlated(series: Float) -> tuple[float, str]:
    """Return the p-value of the largest correlation at any lag that leaves an eighth of the trials, and what it is."""
    n = len(series)
    lags = np.arange(1, max(2, n - n // 8))
    if n < 2 * _LEAST_BLOCK:
        return 1.0, ""
    size = next_fast_len(2 * n, real=True)
    sums = irfft(np.abs(rfft(series, size)) ** 2, size)[lags]
    # Of a permutation of numbers with mean 0 and variance 1 the sum of n - k products has mean -(n - k) / (n - 1)
    normal = np.abs(sums + (n - lags) / (n - 1.0)) / np.sqrt(n - lags)
    worst = int(np.argmax(normal))
    return float(min(1.0, 2.0 * len(lags) * norm.sf(normal[worst]))), f"trials {lags[worst]:,} calls from each other"


def _between(sums: Float, sizes: Float) -> float:
    """Return the p-value of the variance between groups, as that of a chi-square variable.

    Under a random permutation the sum over groups of (sum in the group)^2 / size has mean (groups - 1) n / (n - 1).
    """
    n, groups = float(sizes.sum()), len(sizes)
    if groups < 2 or groups == n:
        return 1.0
    return float(chi2.sf(np.sum(sums * sums / sizes) * (n - 1.0) / n, groups - 1))


def _between_groups(ranks: Float, group: Integers) -> list[float]:
    """Return the p-values of the variance between groups, of ranks and of their squares."""
    sizes, both = _in_groups(_with_squares(ranks), group)
    return [_between(sums, sizes) for sums in both]


# --- counts -------------------------------------------------------------------------------------------


@np.errstate(under="ignore", over="ignore")
def clustering_tail(counts: Float, sizes: Float) -> float:
    """Return Chernoff's bound on the probability that chosen trials meet in groups as often as these, or more often.

    The statistic is the sum over groups of (count - mean)^2 above the mean, over the mean; chosen trials are few or rare, so
    groups that have more than their share are what dependence makes.
    """
    n, held = int(sizes.sum()), int(counts.sum())
    if len(sizes) < 2:
        return 1.0
    kinds, of_kind = np.unique(sizes, return_counts=True)
    seen = float(_excess(counts, sizes * held / n).sum())
    if seen == 0.0:
        return 1.0
    log_mean = np.zeros(len(_EXPONENTS))
    for size, number in zip(map(int, kinds), of_kind.tolist(), strict=True):
        mean = size * held / n
        spread = 12.0 * np.sqrt(mean) + 60.0
        k = np.arange(max(0, held + size - n, int(mean - spread)), min(size, held, int(mean + spread)) + 1)
        log_p = _log_choose(held, k) + _log_choose(n - held, size - k) - _log_choose(n, size)
        terms = log_p + _EXPONENTS[:, np.newaxis] * _excess(k, mean)
        top = terms.max(axis=1, keepdims=True)
        log_mean += number * (top[:, 0] + np.log(np.exp(terms - top).sum(axis=1)))
    return float(min(1.0, np.exp(np.min(log_mean - _EXPONENTS * seen))))


def fisher_p_value(inside: NDArray[np.bool_], others: NDArray[np.bool_]) -> float:
    """Return the p-value of Fisher's exact test, twice that of one side: a part of the trials holds its share of an event."""
    both, law = int((inside & others).sum()), hypergeom(len(inside), int(inside.sum()), int(others.sum()))
    return min(1.0, 2.0 * float(min(law.cdf(both), law.sf(both - 1))))


def _excess(counts: Any, mean: Any) -> Float:
    above = np.maximum(counts - mean, 0.0)
    return np.asarray(above * above / np.maximum(mean, 1.0))


def _log_choose(n: int, k: Integers | int) -> Float:
    return np.asarray(gammaln(n + 1.0) - gammaln(np.asarray(k) + 1.0) - gammaln(n - np.asarray(k) + 1.0))
