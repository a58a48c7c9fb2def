"""Scores: functions of an output with one number as their value, large where it speaks for the data, or for the neighbour.

They are fitted on discovery data. What an output is beside numbers (a word, a refusal, a missing part) enters as columns of
zeros and ones, so that every output has every score.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from dppca.audit.auditor.additive import MAX_KEPT, Float, Rows, RowsOfCategories, additive, sum_of_ratios, within_categories
from dppca.audit.auditor.arrangements import arrangements, on_numbers
from dppca.audit.auditor.leaves import name_of
from dppca.audit.auditor.members import Members, members
from dppca.audit.auditor.outputs import Kind, Outputs
from dppca.audit.auditor.relations import MAX_SORTED, NumericRelation, extremes_of_rows, products, relations

Score: TypeAlias = Callable[[Outputs], Float]

_MAX_LABELS = 20_000
#: Scores beyond this are this.
_LARGEST = 1e300
#: Columns that are tried on their own, of each kind, and values by which a column crosses others.
_MAX_COORDINATES, _MAX_CROSSED = 8, 12
#: Kinds of words of one part that have a column of their own.
_MAX_WORDS = 20
#: Coordinates whose means differ by so many standard errors have a discriminant of their own.
_TELLING = 4.0
#: A classifier is trained on so many outputs of each dataset, at least and at most, and on so many columns.
_LEARN_MIN, _LEARN_MAX, _LEARN_COLUMNS = 1000, 100_000, 40
#: Outputs of each value of a category, on average, and columns whose values are taken for one.
_LEAST_OF_CATEGORY, _MAX_CATEGORIES = 20, 3
#: Columns up to which outputs are whitened.
_MAX_WHITENED = 200
#: More columns than this are many: scores of them are judged on other outputs, and their covariance is also shrunk.
_WIDE = 30
#: Sequences among the outputs' parts that are looked at on their own.
_MAX_GROUPS = 3
#: Directions in which second moments differ most, which a classifier sees.
_MOMENTS = 3
#: Variances of standardised columns that count as none.
_RIDGE = 1e-6


@dataclass(frozen=True)
class Codes:
    """Numbers for labels, in the order of their frequency in discovery; all other labels share one further number.

    Attributes:
        part: the column of labels; None for the labels of all columns together.
        codes: the number of each label.
        column: a column of numbers whose few values are the labels; None for labels.
        all_one: all labels have one number.
        about: the name of the column.
    """

    part: int | None = None
    codes: dict[Any, int] = field(default_factory=lambda: {"": 0})
    column: int | None = None
    all_one: bool = False
    about: str = ""

    @classmethod
    def of_labels(cls, data: Outputs, neighbour: Outputs) -> Codes:
        """Return the codes of whole labels."""
        counts = _counts(data, neighbour, None)
        return cls(None, {label: i for i, (label, _) in enumerate(counts.most_common(_MAX_LABELS))})

    @classmethod
    def of_parts(cls, data: Outputs, neighbour: Outputs) -> Iterator[Codes]:
        """Yield the codes of each part's marks, where there are several parts with marks."""
        found = [j for j in range(len(data.marks)) if data.marks[j] is not None or neighbour.marks[j] is not None]
        for j in found if len(found) > 1 else ():
            counts = _counts(data, neighbour, j)
            codes = {label: i for i, (label, _) in enumerate(counts.most_common(_MAX_LABELS))}
            yield cls(j, codes, about=f"{name_of(data.paths[j])} = ")

    @classmethod
    def of_column(cls, column: int, values: Float, about: str) -> Codes:
        """Return the codes of the values of a column of numbers that has few."""
        return cls(None, {float(value): i for i, value in enumerate(values)}, column, about=about)

    def __call__(self, outputs: Outputs) -> NDArray[np.int64]:
        """Return the codes of a batch."""
        if self.column is not None:
            values = np.array(list(self.codes))
            of = outputs.numbers[:, self.column]
            place = np.minimum(np.searchsorted(values, of), len(values) - 1)
            return np.where(values[place] == of, place, len(values))
        if self.all_one or (len(self.codes) == 1 and "" in self.codes and all(marks is None for marks in outputs.marks)):
            return np.zeros(len(outputs), dtype=np.int64)
        if (found := outputs.cache.get(id(self.codes))) is None:
            distinct, places = outputs.distinct(self.part)
            codes = np.array([self.codes.get(label, len(self.codes)) for label in distinct], dtype=np.int64)
            outputs.cache[id(self.codes)] = found = (self.codes, codes[places])  # keeps the key's id taken
        return np.asarray(found[1])

    def name(self, code: int) -> str:
        """Return the label in words; nothing for the label that says nothing."""
        if code >= len(self.codes) or self.all_one:
            return ""
        label = list(self.codes)[code]
        if self.column is not None:
            return f"{self.about} = {label:g}"
        if isinstance(label, tuple):  # labels at several paths
            return " and ".join(f"{name_of(path)} = {of!r}" for path, of in label)
        return "" if label == "" else f"{self.about}{label!r}"

    def __len__(self) -> int:
        return len(self.codes)


@dataclass(frozen=True)
class Scored:
    """A score, its name, and how events are made of it.

    Attributes:
        name: in words.
        score: the function.
        fitted: it has so many parameters that it must be judged on other data.
        both_ways: it is not known which of its ends speaks for the data.
        cells: its values, or bins of them, are also sorted by their likelihood ratios.
        crossed: codes with which such cells are crossed, beside the label.
    """

    name: str
    score: Score
    fitted: bool = False
    both_ways: bool = False
    cells: bool = True
    crossed: tuple[Codes, ...] = ()


def scores(data: Outputs, neighbour: Outputs) -> Iterator[Scored]:
    """Yield the scores of outputs that were fitted to these."""
    width = data.numbers.shape[1]
    design = Design.fitted(data, neighbour)
    if width == 1:
        yield Scored(data.kind.names[0], lambda outputs: outputs.numbers[:, 0], both_ways=True)
    if design is None:
        return
    related = list(relations(data, neighbour, design.varying))
    for relation in related:
        yield Scored(relation.name, relation.score, True, both_ways=True)
    if not len(design) or (width < 2 and len({part for part, _ in design.words}) < 2):
        return
    x, y = design(data), design(neighbour)
    spread = np.sqrt(0.5 * (x.var(axis=0) + y.var(axis=0))) + 1e-300
    distance = np.minimum(np.abs(x.mean(axis=0) - y.mean(axis=0)) / spread, 1e9)
    telling = _telling(x, y, distance)
    if width > 1:
        yield from _coordinates(design, data, neighbour, telling)
    if len(design) < 2:
        return
    groups = design.groups(data.kind)

    def on_rows(rows: Rows) -> Score:
        # A number far from all that were fitted may be squared: what overflows counts as very large.
        return lambda outputs: np.nan_to_num(rows(design(outputs)), nan=0.0, posinf=_LARGEST, neginf=-_LARGEST)

    for name, rows, fitted in itertools.chain(
        _discriminants(x, y, distance),
        quadratic_scores(x, y),
        distance_scores(x, y),
        summary_scores(design, groups),
        additive(x, y, column_views(x, y)),
        arrangements(x, y, design.raw, groups, data.kind.rows),
        _along_second_moment(x, y),
    ):
        yield Scored(name, on_rows(rows), fitted)
    counted = list(members(data, neighbour))
    yield from _of_members(data, neighbour, counted)
    yield from _within_categories(data, neighbour, design)
    if min(len(x), len(y)) >= _LEARN_MIN:
        yield from _learnt(data, neighbour, design, telling, related, counted)


@dataclass(frozen=True)
class Design:
    """The columns made of outputs: their varying numbers, standardised, 0 where missing; whether a number is there; words.

    Attributes:
        varying: columns of the numbers.
        centre, spread: of these.
        lacking: those of the numbers that are missing now and then.
        words: (part, mark) whose presence is a column.
        discrete: whether a column has few values.
    """

    varying: NDArray[np.int64]
    centre: Float
    spread: Float
    lacking: NDArray[np.int64]
    words: tuple[tuple[int, Any], ...]

    @classmethod
    def fitted(cls, data: Outputs, neighbour: Outputs) -> Design | None:
        """Return the columns that vary; None where there is too little to see."""
        if min(len(data), len(neighbour)) < 2:
            return None
        pooled = np.concatenate([data.numbers, neighbour.numbers])
        there = ~np.isnan(pooled)
        count = there.sum(axis=0)
        some = np.flatnonzero(count > 1)
        filled = np.where(there[:, some], pooled[:, some], 0.0)
        with np.errstate(over="ignore", invalid="ignore"):
            centre = filled.sum(axis=0) / count[some]
            spread = np.sqrt(np.where(there[:, some], (filled - centre) ** 2, 0.0).sum(axis=0) / count[some])
            low = np.where(there[:, some], pooled[:, some], np.inf).min(axis=0)
            high = np.where(there[:, some], pooled[:, some], -np.inf).max(axis=0)
        good = (high > low) & np.isfinite(spread) & (spread > 0.0)
        lacking = np.flatnonzero((count > 0) & (count < len(pooled)))
        words = []
        for j in range(len(data.marks)):
            frequent = [mark for mark, _ in _counts(data, neighbour, j).most_common(_MAX_WORDS)]
            words += [(j, mark) for mark in frequent] if len(frequent) > 1 else []
        return cls(some[good], centre[good], spread[good], lacking, tuple(words))

    def __len__(self) -> int:
        return len(self.varying) + len(self.lacking) + len(self.words)

    def groups(self, kind: Kind) -> dict[str, NDArray[np.int64]]:
        """Return the places of all numbers, and of those of each sequence among the outputs' parts, by what they are."""
        found: dict[Any, list[int]] = {}
        for place, column in enumerate(self.varying.tolist()):
            path = kind.numbers[column]
            if path and isinstance(path[-1], int):
                found.setdefault(path[:-1], []).append(place)
        some = sorted(
            (path for path, of in found.items() if 2 < len(of) < len(self.varying)), key=lambda path: -len(found[path])
        )
        named = {f" of {name_of(path)}": np.array(found[path]) for path in some[:_MAX_GROUPS]}
        return {"": np.arange(len(self.varying)), **named}

    def raw(self, z: Float) -> Float:
        """Return the numbers of these columns as they were, the mean where one is missing."""
        numbers = len(self.varying)
        return np.asarray(z[:, :numbers] * self.spread + self.centre)

    def __call__(self, outputs: Outputs) -> Float:
        """Return the columns of a batch, kept with it for the next score if they are few."""
        found: tuple[Design, Float] | None = outputs.cache.get(id(self))
        if found is None:
            found = (self, self._columns(outputs))  # keeps the key's id taken
            found[1].flags.writeable = False
            if found[1].size <= MAX_KEPT:
                outputs.cache[id(self)] = found
        return found[1]

    def _columns(self, outputs: Outputs) -> Float:
        numbers = (outputs.numbers[:, self.varying] - self.centre) / self.spread
        np.nan_to_num(numbers, copy=False, nan=0.0)
        if not len(self.lacking) and not self.words:
            return np.asarray(numbers)
        there = ~np.isnan(outputs.numbers[:, self.lacking])
        words = []
        for part, mark in self.words:
            distinct, places = outputs.distinct(part)
            words.append(places == (distinct.index(mark) if mark in distinct else -1))
        return np.column_stack([numbers, there.astype(np.float64), *words]).astype(np.float64)


def _counts(data: Outputs, neighbour: Outputs, part: int | None) -> Counter[Any]:
    """Return how often each label comes, or each mark of a part, by their first trials."""
    counts: Counter[Any] = Counter()
    for outputs in (data, neighbour):
        distinct, places = outputs.distinct(part)
        for mark, count in zip(distinct, np.bincount(places, minlength=len(distinct)).tolist(), strict=True):
            counts[mark] += count
    return counts


def _telling(x: Float, y: Float, distance: Float) -> Float:
    """Return how much each column tells, in squared standard errors: its mean, its variance, or its share in some bin."""
    size = len(x) * len(y) / (len(x) + len(y))
    squares = [(z - z.mean(axis=0)) ** 2 for z in (x, y)]
    found = np.maximum(
        size * distance**2,
        size
        * (squares[0].mean(axis=0) - squares[1].mean(axis=0)) ** 2
        / (squares[0].var(axis=0) + squares[1].var(axis=0) + 1e-300),
    )
    tail = np.geomspace(min(20.0 / (len(x) + len(y)), 0.05), 0.1, 6)
    levels = np.concatenate([tail, np.linspace(0.2, 0.8, 7), 1.0 - tail[::-1]])
    for j in range(x.shape[1]) if x.shape[1] <= _LEARN_COLUMNS else ():
        edges = np.unique(np.quantile(np.concatenate([x[:, j], y[:, j]]), levels))
        a, b = (np.bincount(np.searchsorted(edges, z[:, j]), minlength=len(edges) + 1) / len(z) for z in (x, y))
        found[j] = max(found[j], float(np.max((a - b) ** 2 / (a / len(x) + b / len(y) + 1e-300))))
    return np.asarray(found)


def _coordinates(design: Design, data: Outputs, neighbour: Outputs, telling: Float) -> Iterator[Scored]:
    """Yield single numbers, those that tell most first; crossed with those that have few values."""
    columns = design.varying[np.argsort(-telling[: len(design.varying)], kind="stable")]
    crossed = []
    for j in columns[:_MAX_COORDINATES]:
        found = np.concatenate([data.numbers[:, j], neighbour.numbers[:, j]])
        values = np.unique(found[: 50 * _MAX_CROSSED])
        if len(values) <= _MAX_CROSSED and len(values := np.unique(found[~np.isnan(found)])) <= _MAX_CROSSED:
            crossed.append((j, Codes.of_column(int(j), values, data.kind.names[j])))
    for j in columns[:_MAX_COORDINATES]:
        others = tuple(codes for i, codes in crossed if i != j)[:2]
        yield Scored(data.kind.names[j], _column(int(j)), both_ways=True, crossed=others)


def _column(j: int) -> Score:
    return lambda outputs: outputs.numbers[:, j]


# --- discriminants ------------------------------------------------------------------------------------


def _discriminants(x: Float, y: Float, distance: Float) -> Iterator[tuple[str, Rows, bool]]:
    """Yield linear scores: of all columns, and of those that tell something."""
    width, size = x.shape[1], min(len(x), len(y))
    if len(x) + len(y) <= 2 * width:
        return
    covariance = mean_covariance(x, y)
    yield "linear discriminant", _along(_shift(x, y, covariance)), width > _WIDE
    telling = np.flatnonzero(distance > _TELLING * np.sqrt(1.0 / len(x) + 1.0 / len(y)))
    if 1 < len(telling) < width:
        of_these = (x[:, telling], y[:, telling])
        few = _along(_shift(*of_these, mean_covariance(*of_these)))
        yield f"linear discriminant of {len(telling)} coordinates", lambda z: few(z[:, telling]), True
    if size < _LEARN_MIN:
        return
    yield "discriminant of a rare shift", _along(rare_direction(x, y, covariance)), True
    if width > _WIDE:
        shrunk = _shrunk_covariance(x, y)
        yield "linear discriminant, shrunk covariance", _along(_shift(x, y, shrunk)), True
        yield "discriminant of a rare shift, shrunk covariance", _along(rare_direction(x, y, shrunk)), True


def _along(direction: Float) -> Rows:
    return lambda z: np.asarray(z @ direction)


def _shift(x: Float, y: Float, covariance: Float) -> Float:
    """Return the direction in which laws of this covariance and of these means are distinguished best."""
    return np.asarray(_precision(covariance) @ (x.mean(axis=0) - y.mean(axis=0)))


def mean_covariance(x: Float, y: Float) -> Float:
    """Return the mean of the covariance matrices of two samples, shape (columns, columns)."""
    return np.atleast_2d(0.5 * (np.cov(x.T) + np.cov(y.T)))


def _shrunk_covariance(x: Float, y: Float) -> Float:
    """Return the covariance of columns so many that its inverse is noisy, shrunk towards a multiple of the identity."""
    from sklearn.covariance import ledoit_wolf  # noqa: PLC0415 - slow to import, and every child would hold it

    return np.asarray(ledoit_wolf(np.concatenate([z - z.mean(axis=0) for z in (x, y)]), assume_centered=True)[0])


def rare_direction(x: Float, y: Float, covariance: Float) -> Float:
    """Return the direction in which a small share of the outputs of one dataset is shifted, by expectation and maximisation.

    One dataset's outputs are taken as a mixture of the other's law, as if it were Gaussian, and a copy of it that is shifted.
    """
    factor = _whitening(covariance).T
    best, sign, best_gain = np.asarray(x.mean(axis=0) - y.mean(axis=0)), 1.0, 0.0
    for mixed, plain, side in ((x, y, 1.0), (y, x, -1.0)):
        a, centre = (mixed - plain.mean(axis=0)) @ factor, 0.0
        shift = a.mean(axis=0) - centre
        share = 0.2
        shift = shift / max(float(np.linalg.norm(shift)), 1e-12) * max(2.0, float(np.linalg.norm(shift)))
        for _ in range(15):
            log_odds = a @ shift - 0.5 * shift @ shift + np.log(share / (1.0 - share))
            weights = 1.0 / (1.0 + np.exp(-np.clip(log_odds, -50.0, 50.0)))
            share = float(np.clip(weights.mean(), 1e-4, 0.9))
            shift = weights @ a / max(weights.sum(), 1.0)
        gain = share * float(shift @ shift)
        if gain > best_gain:
            best, sign, best_gain = factor @ shift, side, gain
    return sign * best


def quadratic_scores(x: Float, y: Float) -> Iterator[tuple[str, Rows, bool]]:
    """Yield the squared distance from the middle, a sum of squares, and the quadratic form of two Gaussian laws."""
    width, size = x.shape[1], min(len(x), len(y))
    centre = 0.5 * (x.mean(axis=0) + y.mean(axis=0))
    longer = np.sign(((x - centre) ** 2).sum(axis=1).mean() - ((y - centre) ** 2).sum(axis=1).mean()) or 1.0
    yield "squared distance from the middle", lambda z: longer * ((z - centre) ** 2).sum(axis=1), False
    means, variances = [z.mean(axis=0) for z in (x, y)], [z.var(axis=0) + 1e-9 for z in (x, y)]
    # sum of (z - m1)^2 / v1 - (z - m0)^2 / v0, expanded
    square = 0.5 * (1.0 / variances[1] - 1.0 / variances[0])
    line = means[0] / variances[0] - means[1] / variances[1]
    yield "sum of squares", lambda z: (z * z) @ square + z @ line, width > _WIDE
    if size > 4 * width and size > 0.5 * width * width:
        yield "quadratic discriminant", _quadratic(x, y), True


def _second_moments(x: Float, y: Float) -> tuple[Float, Float]:
    """Return the directions in which the outputs of two datasets are spread most unlike about their common middle, in columns.

    With each, first, how much larger the first dataset's second moment is. They are those of the largest eigenvalues of the
    difference of the second moments, where the two together are the identity.
    """
    middle = 0.5 * (x.mean(axis=0) + y.mean(axis=0))
    first, second = ((z - middle).T @ (z - middle) / len(z) for z in (x, y))
    whiten = _whitening(0.5 * (first + second))
    sizes, axes = np.linalg.eigh(whiten @ (first - second) @ whiten.T)
    most = np.argsort(-np.abs(sizes))[:_MOMENTS]
    return sizes[most], np.asarray(whiten.T @ axes[:, most])


def _along_second_moment(x: Float, y: Float) -> Iterator[tuple[str, Rows, bool]]:
    """Yield how far an output is from the middle in the direction in which the second moments differ most."""
    if x.shape[1] > _MAX_WHITENED or min(len(x), len(y)) <= 10 * x.shape[1]:
        return
    larger, axes = _second_moments(x, y)
    axis, sign, middle = axes[:, 0], np.sign(larger[0]) or 1.0, 0.5 * (x.mean(axis=0) + y.mean(axis=0))
    yield "distance along one axis", lambda z: sign * np.abs((z - middle) @ axis), True


def _quadratic(x: Float, y: Float) -> Rows:
    means = (x.mean(axis=0), y.mean(axis=0))
    precisions = tuple(_precision(np.atleast_2d(np.cov(z.T))) for z in (x, y))

    def score(z: Float) -> Float:
        energy = [
            np.sum((part @ precision) * part, axis=1)
            for part, precision in zip((z - m for m in means), precisions, strict=True)
        ]
        return np.asarray(0.5 * (energy[1] - energy[0]))

    return score


def distance_scores(x: Float, y: Float) -> Iterator[tuple[str, Rows, bool]]:
    """Yield scores for noise whose density falls with a length: distances from two centres, their difference, log-ratio."""
    width = x.shape[1]
    if width > _MAX_WHITENED or min(len(x), len(y)) <= 10 * width:
        return
    whiten = _whitening(mean_covariance(x, y)).T
    centres = [np.median(z @ whiten, axis=0) for z in (x, y)]
    softening = max(0.5 * float(np.median(_square_distance(x @ whiten, centres[0]))), _RIDGE)

    def squares(z: Float) -> tuple[Float, Float]:
        white = z @ whiten
        return _square_distance(white, centres[0]), _square_distance(white, centres[1])

    def difference(z: Float) -> Float:
        near, far = squares(z)
        return np.asarray(np.sqrt(far) - np.sqrt(near))

    def log_ratio(z: Float) -> Float:
        near, far = squares(z)
        return np.asarray(np.log(softening + far) - np.log(softening + near))

    yield "difference of distances", difference, width > _WIDE
    yield "log-ratio of distances", log_ratio, width > _WIDE


def _square_distance(z: Float, centre: Float) -> Float:
    return np.asarray(((z - centre) ** 2).sum(axis=1))


def _whitening(covariance: Float) -> Float:
    """Return the matrix that takes each column's best prediction from those before it away, and scales what is left."""
    factor = np.linalg.cholesky(covariance + _RIDGE * np.eye(len(covariance)))
    whitening = np.linalg.inv(factor)
    whitening[np.diag(factor) < 3.0 * np.sqrt(_RIDGE)] = 0.0  # nothing is left of what the columns before determine
    return np.asarray(whitening)


def _precision(covariance: Float) -> Float:
    """Return the inverse, for standardised coordinates, with a small ridge: constant combinations stay harmless."""
    return np.asarray(np.linalg.inv(covariance + 1e-9 * np.eye(len(covariance))))


# --- features of sequences ----------------------------------------------------------------------------


def summary_scores(design: Design, groups: dict[str, NDArray[np.int64]]) -> Iterator[tuple[str, Rows, bool]]:
    """Yield the sum of the numbers, the extremes, where they are for the first time, and how near the nearest two are."""
    summaries: dict[str, Rows] = {
        "sum": lambda numbers: numbers.sum(axis=1),
        "maximum": lambda numbers: numbers.max(axis=1),
        "minimum": lambda numbers: numbers.min(axis=1),
        "place of the maximum": lambda numbers: numbers.argmax(axis=1).astype(np.float64),
        "place of the minimum": lambda numbers: numbers.argmin(axis=1).astype(np.float64),
        "smallest gap": lambda numbers: np.diff(np.sort(numbers, axis=1), axis=1).min(axis=1),
    }
    for of, places in groups.items():
        for name, summary in summaries.items() if len(places) > 1 else ():
            if name != "smallest gap" or len(places) <= MAX_SORTED:
                yield f"{name}{of}", on_numbers(summary, design.raw, places), False


# --- additive scores ----------------------------------------------------------------------------------


def column_views(x: Float, y: Float) -> dict[str, Rows]:
    """Return the columns as they are, and whitened in turn where outputs are many enough."""
    views: dict[str, Rows] = {"": lambda z: z}
    if x.shape[1] <= _MAX_WHITENED and min(len(x), len(y)) > 10 * x.shape[1]:
        whiten = _whitening(mean_covariance(x, y))
        views[" of whitened coordinates"] = lambda z: z @ whiten.T
    return views


def _within_categories(data: Outputs, neighbour: Outputs, design: Design) -> Iterator[Scored]:
    """Yield sums of log-ratios within the values of a category: the outputs' labels, a part's, or those of a column."""
    most = min(len(data), len(neighbour)) // _LEAST_OF_CATEGORY
    found = [codes for codes in (Codes.of_labels(data, neighbour), *Codes.of_parts(data, neighbour)) if 1 < len(codes) <= most]
    numbers = np.concatenate([data.numbers, neighbour.numbers])
    few = {int(j): size for j in design.varying if (size := len(np.unique(numbers[:1000, j]))) <= min(most, 900)}
    for j in sorted(few, key=few.__getitem__, reverse=True)[:_MAX_CATEGORIES]:
        values = np.unique(numbers[~np.isnan(numbers[:, j]), j])
        if len(values) <= most:
            found.append(Codes.of_column(j, values, data.kind.names[j]))
    for codes in found:
        rows = within_categories((codes(data), codes(neighbour)), design(data), design(neighbour))
        if rows is not None:
            of = codes.about.removesuffix(" = ") or "label"
            yield Scored(f"sum of log-ratios within each {of}", _on_categories(rows, codes, design), True)


def _on_categories(rows: RowsOfCategories, codes: Codes, design: Design) -> Score:
    return lambda outputs: rows(codes(outputs), design(outputs))


def _of_members(data: Outputs, neighbour: Outputs, counted: list[Members]) -> Iterator[Scored]:
    """Yield sums of log-ratios of what is counted among outputs' members."""
    for of in counted:
        if (ratios := sum_of_ratios(of(data), of(neighbour))) is not None:
            yield Scored(f"sum of log-ratios of counted {of.name}", _on_members(ratios, of), True)


def _on_members(ratios: Rows, of: Members) -> Score:
    return lambda outputs: ratios(of(outputs))


# --- what is learned ----------------------------------------------------------------------------------


def _learnt(
    data: Outputs, neighbour: Outputs, design: Design, telling: Float, related: list[NumericRelation], counted: list[Members]
) -> Iterator[Scored]:
    """Yield what a classifier learns: of the columns that tell most and of numbers made of all, and of single rows."""
    columns = np.sort(np.argsort(-telling, kind="stable")[:_LEARN_COLUMNS])
    directions = _directions(design(data), design(neighbour), design)
    made = [relation.score for relation in related] + [score for relation in related for score in products(relation)] + counted

    def seen(outputs: Outputs) -> Float:
        z = design(outputs)
        parts = [z[:, columns], *([] if directions is None else [directions(z)]), *(score(outputs) for score in made)]
        return np.nan_to_num(np.column_stack(parts), nan=-1.0, posinf=_LARGEST, neginf=-_LARGEST)

    odds = boosted_log_odds(seen(data), seen(neighbour))
    yield Scored("learned score", lambda outputs: odds(seen(outputs)), True, cells=False)
    if (rows := data.kind.rows) is not None:
        yield Scored("extremes of rows", extremes_of_rows(data, neighbour, rows, boosted_log_odds), True, cells=False)


def _directions(x: Float, y: Float, design: Design) -> Rows | None:
    """Return directions that a classifier would have to build of many steps.

    Where an output lies along the shift between the datasets, along what they have in common, and along the directions in which
    their second moments differ most, and its distance from the origin of the numbers.
    """
    if x.shape[1] > _MAX_WHITENED or min(len(x), len(y)) <= 10 * x.shape[1]:
        return None
    shift = _shift(x, y, mean_covariance(x, y))
    origin = np.append(-design.centre / design.spread, np.zeros(x.shape[1] - len(design.varying)))
    _, moments = _second_moments(x, y)
    return lambda z: np.column_stack([z @ shift, (z - origin) @ origin, _square_distance(z, origin), z @ moments])


def boosted_log_odds(x: Float, y: Float) -> Rows:
    """Return the log-odds of gradient-boosted trees."""
    from sklearn.ensemble import HistGradientBoostingClassifier  # noqa: PLC0415 - slow to import, and every child would hold it

    x, y = x[:_LEARN_MAX], y[:_LEARN_MAX]
    labels = np.repeat([1, 0], [len(x), len(y)])
    with threadpool_limits(limits=1):
        model = HistGradientBoostingClassifier(
            max_iter=60, max_leaf_nodes=8, min_samples_leaf=50, early_stopping=False, random_state=0
        )
        model.fit(np.concatenate([x, y]), labels)
    return lambda z: np.asarray(model.decision_function(z))
