"""Batches of outputs as columns of numbers and of labels, which scores and events are made of.

Outputs are flattened to leaves (leaves.py). The columns are the paths that discovery has seen; all other leaves of an output
are one label. Where texts are many their lengths and the numbers in them have columns too, where bytes are many their bits.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dppca.audit.auditor.exact_numbers import Float
from dppca.audit.auditor.leaves import MAX_MEMBERS, NAMES_IN_ORDER, OTHERS, REST, Leaves, Mark, Path, Rows, Step, name_of, order

Features: TypeAlias = Callable[[Any], Any]
Labels: TypeAlias = NDArray[Any] | None

#: Paths that have columns, of those that at least this share of the outputs has, and beyond these the paths that many have.
MAX_PATHS, RARE, COMMON = 2000, 0.001, 0.1
#: A text with more values than this has columns for its length, for this many of the numbers in it, and for how often it has
#: this many sequences of up to this many characters: those of which the means of the two datasets' texts, among the first ones
#: with so many characters together, differ by so many standard errors.
MAX_TEXTS, MAX_TEXT_NUMBERS, MAX_GRAMS, MAX_GRAM, CHARACTERS_LOOKED_AT, GRAM_ERRORS = 1000, 20, 12, 4, 400_000, 4.0
#: Such texts that are all of one length have columns for the code points of so many first characters.
MAX_CHARACTERS = 64
#: Bytes with more values than a text may have without columns have one for each of so many first bits.
MAX_BITS = 256
_TEXT_NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
_LENGTH, _OTHERS = Step("length"), Step("others")
#: Forms of what holds the same in another way.
_CONTAINERS = {"tuple", "list", "array", "complex"}


@dataclass(frozen=True)
class Kind:
    """The kind of outputs seen: the paths that have columns of numbers and of labels, and at a path the form without label.

    `left_out`: paths of which, and of what lies deeper, nothing is seen.
    """

    numbers: tuple[Path, ...]
    labels: tuple[Path, ...]
    main: Mapping[Path, Mark]
    left_out: frozenset[Path] = frozenset()

    @classmethod
    def of(cls, *batches: Leaves) -> Kind:
        """Return the columns for the leaves of one or two datasets' outputs."""
        numbers: list[Counter[Path]] = [Counter() for _ in batches]
        labels: Counter[Path] = Counter()
        forms: dict[Path, Counter[Mark]] = defaultdict(Counter)
        texts: dict[Path, list[list[str]]] = defaultdict(lambda: [[] for _ in batches])
        binary: dict[Path, set[bytes]] = defaultdict(set)
        for place, (counts, leaves) in enumerate(zip(numbers, batches, strict=True)):
            for path, rows, values in _parts(leaves):
                if isinstance(values, np.ndarray):
                    counts[path] += len(rows)
                    continue
                labels[path] += len(rows)
                if isinstance(values, Mark):
                    forms[path][values] += len(rows)
                else:
                    texts[path][place] += [word for word in values if isinstance(word, str)]
                    binary[path].update(word for word in values if isinstance(word, bytes))
        chosen = _chosen(numbers, sum(leaves.size for leaves in batches))
        for path, words in texts.items():
            if len(distinct := set().union(*words)) > MAX_TEXTS:
                most = min(MAX_TEXT_NUMBERS, max(len(_TEXT_NUMBER.findall(word)) for word in distinct))
                chosen += [(*path, _LENGTH), *((*path, Step("number", i)) for i in range(most))]
                chosen += [(*path, Step("count of", gram)) for gram in _grams(words)]
                if len(lengths := {len(word) for word in distinct}) == 1:
                    chosen += [(*path, Step("character", i)) for i in range(min(*lengths, MAX_CHARACTERS))]
        for path, contents in binary.items():
            if len(contents) > MAX_TEXTS:
                chosen += [(*path, Step("bit", i)) for i in range(min(MAX_BITS, 8 * max(map(len, contents))))]
        labelled = _chosen([labels], sum(leaves.size for leaves in batches))
        main = {path: max(counts, key=counts.__getitem__) for path, counts in forms.items()}
        return cls(tuple(sorted(chosen, key=_path_order)), tuple(labelled), main)

    def without(self, left_out: Iterable[Path]) -> Kind:
        """Return the kind of the same outputs of which nothing is seen at some paths."""
        gone = self.left_out.union(left_out)
        numbers, labels = (tuple(of for of in paths if not _is_within(of, gone)) for paths in (self.numbers, self.labels))
        return Kind(numbers, labels, self.main, gone)

    @cached_property
    def places(self) -> dict[Path, int]:
        """Return the columns of numbers, by their paths."""
        return {path: column for column, path in enumerate(self.numbers)}

    @cached_property
    def texts(self) -> frozenset[Path]:
        """Return the paths of texts that have columns."""
        kinds = ("length", "number", "count of", "character")
        return frozenset(path[:-1] for path in self.numbers if path and getattr(path[-1], "kind", "") in kinds)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Return the names of the columns of numbers."""
        return tuple(map(name_of, self.numbers))

    @cached_property
    def rows(self) -> NDArray[np.int64] | None:
        """Return each row's columns, shape (rows, columns of one), where an output is a matrix or a sequence of like parts.

        None where it is neither, or has one row.
        """
        form = self.main.get(())
        shape = form.value if form is not None and form.text == "array" and isinstance(form.value, tuple) else ()
        if len(shape) > 1 and shape[0] > 1 and len(self.numbers) == math.prod(shape):
            return np.arange(len(self.numbers)).reshape(shape[0], -1)
        parts: dict[Any, dict[Path, int]] = defaultdict(dict)
        for path, column in self.places.items():
            if len(path) > 1 and isinstance(path[0], int):
                parts[path[0]][path[1:]] = column
        common = [path for path in next(iter(parts.values()), {}) if all(path in of for of in parts.values())]
        return np.array([[of[path] for path in common] for of in parts.values()]) if len(parts) > 1 and common else None


def _parts(leaves: Leaves) -> Iterator[tuple[Path, Rows, Any]]:
    return ((path, rows, values) for path, parts in leaves.at.items() for rows, values in parts)


def _is_within(path: Path, wholes: frozenset[Path]) -> bool:
    return bool(wholes) and any(path[:steps] in wholes for steps in range(len(path) + 1))


def _path_order(path: Path) -> Any:
    """Return what paths are ordered by: parts by their places, and behind all what numbers lack."""
    steps = [(0, step, "", ("", "")) if isinstance(step, int) else (1, 0, step.kind, order(step.of)) for step in path]
    return path[-1:] == (REST,), steps


def _grams(words: Sequence[Sequence[str]]) -> list[str]:
    """Return the sequences of a few characters of which one dataset's texts have more than the other's, on average."""
    if len(words) < 2:
        return []
    texts = [_within(of, CHARACTERS_LOOKED_AT) for of in words]
    lengths = np.array([len(text) for of in texts for text in of], dtype=np.int64)
    joined = "".join(chain.from_iterable(texts))
    characters = np.unique(np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), np.uint32), return_inverse=True)[1]
    text = np.repeat(np.arange(len(lengths)), lengths)
    sizes, of_second = [max(1, len(of)) for of in texts], len(texts[0])
    starts, grams, found = np.arange(len(text)), np.zeros(len(text), dtype=np.int64), list[tuple[float, str]]()
    for length in range(1, MAX_GRAM + 1):
        inside = starts + length - 1 < len(text)
        starts, grams = starts[inside], grams[inside]
        inside = text[starts] == text[starts + length - 1]
        starts, grams = starts[inside], grams[inside]
        codes = grams * (characters.max(initial=0) + 1) + characters[starts + length - 1]
        _, first, grams = np.unique(codes, return_index=True, return_inverse=True)
        kinds = len(first)
        pairs, counts = np.unique(text[starts] * kinds + grams, return_counts=True)
        at = (pairs // kinds >= of_second) * kinds + pairs % kinds
        sums, squares = (np.bincount(at, counts**k, 2 * kinds).reshape(2, kinds) for k in (1, 2))
        means = sums / np.array(sizes)[:, np.newaxis]
        variances = (squares + 1.0) / np.array(sizes)[:, np.newaxis] - means**2
        errors = np.abs(means[0] - means[1]) / np.sqrt((variances.T / sizes).sum(axis=1))
        some = np.flatnonzero(errors > GRAM_ERRORS)
        found += [(-float(errors[i]), joined[starts[first[i]] :][:length]) for i in some]
    return [gram for _, gram in sorted(found)[:MAX_GRAMS]]


def _within(texts: Sequence[str], characters: int) -> Sequence[str]:
    """Return the first texts, of so many characters together."""
    return texts[: int(np.searchsorted(np.cumsum(list(map(len, texts))), characters, side="right"))]


def _is_of_whole(path: Path) -> bool:
    """Return whether a path leads to what a number lacks, or to a member of a set: 0 where the number or the set has none."""
    return path[-1:] == (REST,) or _is_member(path)


def _is_member(path: Path) -> bool:
    return bool(path) and isinstance(path[-1], Step) and path[-1].kind == "member"


def _chosen(counts: Sequence[Counter[Path]], size: int) -> list[Path]:
    """Return the paths that have columns, in order.

    These are the first ones, others that many outputs have, and of the members of a set, where there are too many, those whose
    shares of the two datasets' sets differ by the most standard errors.
    """
    total: Counter[Path] = sum(counts, Counter())
    sets: dict[Path, list[Path]] = defaultdict(list)
    chosen: list[Path] = []
    for path in sorted((path for path in total if total[path] >= RARE * size or _is_member(path)), key=_path_order):
        if _is_member(path):
            sets[path[:-1]].append(path)
        elif total[path] >= (RARE if len(chosen) < MAX_PATHS else COMMON) * size:
            chosen.append(path)
    for whole in sets.keys() & set(chosen):
        members, sizes = sets[whole], [max(of[whole], 1) for of in counts]

        def difference(member: Path, sizes: Sequence[int] = sizes) -> float:
            shares = [of[member] / among for of, among in zip(counts, sizes, strict=True)]
            share = total[member] / sum(sizes)
            error = math.sqrt(share * (1.0 - share) * sum(1.0 / among for among in sizes))
            return (max(shares) - min(shares)) / error if error else 0.0

        if len(members) <= MAX_MEMBERS:  # whose columns say all
            chosen = [path for path in chosen if path[: len(whole) + 1] != (*whole, NAMES_IN_ORDER)]
        else:
            members.sort(key=lambda member: (-difference(member), -total[member], _path_order(member)))
        chosen += members[:MAX_MEMBERS]
    return chosen


@dataclass(frozen=True, eq=False)
class Outputs:
    """A batch of outputs.

    Attributes:
        kind: their columns.
        marks: for each path of labels one label per trial, and last a label of each trial's leaves that have no columns; None
            where every one is the empty string, which says nothing.
        numbers: shape (trials, columns), float64; NaN where the trial has none.
        cache: what others have computed from marks and numbers.
    """

    kind: Kind
    marks: tuple[Labels, ...]
    numbers: Float
    cache: dict[Any, Any] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, raw: Any, kind: Kind | None = None) -> Outputs:
        """Encode a batch; OutputTypeError, with the position in the batch, where something is no output.

        An output's row is a function of that output and of the kind alone, whatever else is in the batch. Tests rest on that.
        """
        leaves = Leaves.of(raw)
        return _encoded(leaves, kind or Kind.of(leaves))

    @property
    def paths(self) -> tuple[Path, ...]:
        """Return the paths of the labels."""
        return *self.kind.labels, (_OTHERS,)

    @cached_property
    def labels(self) -> NDArray[Any]:
        """Return one hashable label per trial, of all its labels; the empty string where they say nothing."""
        distinct, places = self.distinct()
        found = np.empty(len(distinct), dtype=object)
        found[:] = distinct
        return np.asarray(found[places])

    def distinct(self, part: int | None = None) -> tuple[list[Any], NDArray[np.int64]]:
        """Return the labels that there are, in one column or all, by their first trials, and each trial's place in them."""
        if (found := self.cache.get(("distinct", part))) is None:
            self.cache["distinct", part] = found = self._joint() if part is None else self._distinct(part)
        distinct, places = found
        return distinct, places

    def _distinct(self, part: int) -> tuple[list[Any], NDArray[np.int64]]:
        if (labels := self.marks[part]) is None:
            return [""], np.zeros(len(self), dtype=np.int64)
        column = labels.tolist()
        numbers = {label: i for i, label in enumerate(dict.fromkeys(column))}
        return list(numbers), np.fromiter(map(numbers.__getitem__, column), np.int64, len(column))

    def _joint(self) -> tuple[list[Any], NDArray[np.int64]]:
        """Return what `distinct` does of all columns: a label of the whole alone is itself, others stand with their paths."""
        some = [j for j, labels in enumerate(self.marks) if labels is not None]
        if not some:
            return [""], np.zeros(len(self), dtype=np.int64)
        columns = [self.distinct(j) for j in some]
        rows, first, places = np.unique(
            np.column_stack([of for _, of in columns]), axis=0, return_index=True, return_inverse=True
        )
        by_first = np.argsort(first)
        joint: list[Any] = []
        for row in rows[by_first].tolist():
            labels = ((self.paths[j], distinct[i]) for j, (distinct, _), i in zip(some, columns, row, strict=True))
            there = tuple((path, label) for path, label in labels if label != "")
            joint.append("" if not there else there[0][1] if [path for path, _ in there] == [()] else there)
        return joint, np.argsort(by_first)[places.reshape(-1)]

    def __len__(self) -> int:
        return len(self.numbers)

    def __getitem__(self, index: slice) -> Outputs:
        marks = tuple(None if column is None else column[index] for column in self.marks)
        return Outputs(self.kind, marks, self.numbers[index])


def _encoded(leaves: Leaves, kind: Kind) -> Outputs:
    """Return leaves in columns, each row a function of its own leaves and of the columns alone."""
    labels: list[Labels] = [None] * (len(kind.labels) + 1)
    if leaves.matrix is not None and _plain(leaves) == (kind.numbers, kind.main.get(())):
        return Outputs(kind, tuple(labels), leaves.matrix)
    numbers = np.full((leaves.size, len(kind.numbers)), np.nan)
    places = {path: place for place, path in enumerate(kind.labels)}
    others: dict[int, list[tuple[Path, Any]]] = defaultdict(list)
    for path, rows, values in _parts(leaves):
        if (isinstance(values, Mark) and values == kind.main.get(path)) or _is_within(path, kind.left_out):
            continue
        place = (kind.places if isinstance(values, np.ndarray) else places).get(path)
        if place is None:
            _put_others(rows, values, path, others)
        elif isinstance(values, np.ndarray):
            numbers[rows, place] = values
        else:
            labels[place] = _with_labels(labels[place], leaves.size, rows, values)
            if path in kind.texts:
                _put_texts(rows, values, path, kind.places, numbers)
            if (*path, Step("bit", 0)) in kind.places:
                _put_bits(rows, values, path, kind.places, numbers)
    _put_zeros(kind, numbers)
    if others:
        labels[-1] = _with_labels(None, leaves.size, np.array(list(others)), list(map(_whole, others.values())))
    return Outputs(kind, tuple(labels), numbers)


def _put_others(rows: Rows, values: Any, path: Path, others: dict[int, list[tuple[Path, Any]]]) -> None:
    """Add leaves without a column to those of their rows, but for what a set's label says already."""
    if NAMES_IN_ORDER not in path:
        for row, leaf in zip(rows.tolist(), [values] * len(rows) if isinstance(values, Mark) else values, strict=True):
            others[row].append((path, leaf))


def _put_zeros(kind: Kind, numbers: Float) -> None:
    for path, place in kind.places.items():
        if _is_of_whole(path) and path[:-1] in kind.places:
            there = ~np.isnan(numbers[:, kind.places[path[:-1]]])
            numbers[there & np.isnan(numbers[:, place]), place] = 0.0


def _whole(leaves: Sequence[tuple[Path, Any]]) -> Mark:
    """Return one label for leaves; a number that is not finite, which is NaN here, has a label of its own among them."""
    return Mark(OTHERS, frozenset(leaf for leaf in leaves if not (isinstance(leaf[1], float) and math.isnan(leaf[1]))))


def _with_labels(column: Labels, size: int, rows: Rows, values: Mark | Sequence[Any]) -> NDArray[Any]:
    """Return a column of labels, made of empty strings where it is not there yet, with these values in these rows."""
    if column is None:
        column = np.full(size, "", dtype=object)
    values = [values] * len(rows) if isinstance(values, Mark) else values
    column[rows] = np.fromiter(values, object, len(rows))
    return column


def _plain(leaves: Leaves) -> tuple[tuple[Path, ...], Mark]:
    """Return the paths of the numbers in a matrix of them, and their form."""
    numbers = tuple(path for path, _, values in _parts(leaves) if isinstance(values, np.ndarray))
    return numbers, next(values for _, values in leaves.at[()] if isinstance(values, Mark))


def _put_texts(rows: Rows, words: Sequence[Any], path: Path, places: Mapping[Path, int], numbers: Float) -> None:
    """Write the lengths of texts, the numbers in them, how often they have some sequences of characters, and characters."""
    there = [i for i, word in enumerate(words) if isinstance(word, str)]
    rows, texts = rows[there], [words[i] for i in there]
    if (column := places.get((*path, _LENGTH))) is not None:
        numbers[rows, column] = list(map(len, texts))
    if columns := _columns(path, "number", places):
        last = max(columns) + 1
        found = [_TEXT_NUMBER.findall(text)[:last] for text in texts]
        of_texts = np.array([[*map(float, of), *[math.nan] * (last - len(of))] for of in found]).reshape(-1, last)
        numbers[rows[:, np.newaxis], list(columns.values())] = of_texts[:, list(columns)]
    for gram, column in _columns(path, "count of", places).items():
        numbers[rows, column] = [text.count(gram) for text in texts]
    for place, column in _columns(path, "character", places).items():
        numbers[rows, column] = [ord(text[place]) if place < len(text) else math.nan for text in texts]


def _put_bits(rows: Rows, words: Sequence[Any], path: Path, places: Mapping[Path, int], numbers: Float) -> None:
    """Write the bits of bytes, the first one first, and 0 beyond their end."""
    there = [i for i, word in enumerate(words) if isinstance(word, bytes)]
    columns = list(_columns(path, "bit", places).values())
    size = -(-len(columns) // 8)
    content = b"".join(words[i][:size].ljust(size, b"\0") for i in there)
    bits = np.unpackbits(np.frombuffer(content, np.uint8).reshape(-1, size), axis=1, count=len(columns))
    numbers[rows[there][:, np.newaxis], columns] = bits


def _columns(path: Path, kind: str, places: Mapping[Path, int]) -> dict[Any, int]:
    """Return the columns of what is made of a leaf in one way, in their order, by what each step is of."""
    steps = ((of[-1], column) for of, column in places.items() if of and of[:-1] == path)
    return {step.of: column for step, column in steps if isinstance(step, Step) and step.kind == kind}


def alphabet(batches: Sequence[Outputs], part: int) -> dict[Any, int]:
    """Return the place of each label of a column among all that these batches have, in the order of the alphabet."""
    labels = {label for outputs in batches for label in outputs.distinct(part)[0]}
    return {label: place for place, label in enumerate(sorted(labels, key=order))}


def encode_pair(data: Any, neighbour: Any, discovery: int | None = None, kind: Kind | None = None) -> tuple[Outputs, Outputs]:
    """Encode both datasets' outputs in the columns of the first `discovery` of each, of all where it is None; or of a kind."""
    of_data, of_neighbour = Leaves.of(data), Leaves.of(neighbour)
    kind = kind or Kind.of(of_data.head(discovery), of_neighbour.head(discovery))
    return _encoded(of_data, kind), _encoded(of_neighbour, kind)


def concatenate(batches: Sequence[Any]) -> Any:
    """Return raw batches of one mechanism, one after another: an array where all are, and alike; else a list."""
    alike = {(batch.shape[1:], batch.dtype) if isinstance(batch, np.ndarray) else None for batch in batches}
    return np.concatenate(batches) if len(alike) == 1 and None not in alike else list(chain.from_iterable(batches))


def in_like_containers(data: Any, neighbour: Any) -> tuple[Any, Any]:
    """Return two datasets' outputs with arrays, tuples and lists within them as lists, unless they have the same of these."""
    forms = [
        [(len(path), form) for path, _, form in _parts(Leaves.of(raw)) if isinstance(form, Mark)] for raw in (data, neighbour)
    ]
    containers = [{(depth, form.text) for depth, form in of if form.text in _CONTAINERS} for of in forms]
    if containers[0] == containers[1]:
        return data, neighbour
    return [_in_lists(output) for output in data], [_in_lists(output) for output in neighbour]


def _in_lists(value: Any) -> Any:
    """Return an output with lists in place of arrays and tuples."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, (tuple, list)):
        return [_in_lists(part) for part in value]
    if isinstance(value, Mapping):
        return {key: _in_lists(part) for key, part in value.items()}
    return value
