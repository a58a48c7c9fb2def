"""Generators of pairs of neighbouring datasets, of the kinds that people have; each can also vary a pair that it has made.

A generator is a callable (rng) -> (data, neighbour) with a method near(pair, rng) -> pair. In `Values`, `Records` and `Edges`
one part of the dataset is another one in the neighbour, or missing from one of the two; `Rows` are matrices in a ball.
"""

from __future__ import annotations

import itertools
import math
import pickle
from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from dppca.reference.rigour.validation import check_count, check_positive, check_real, shown

Pair: TypeAlias = tuple[Any, Any]
Relation: TypeAlias = Literal["replace_one", "add_remove"]
#: A number outside an interval lies beyond it by up to this power of ten of its length.
_FAR = 6.0
#: What replaces a part is drawn so many times at most until it is another one.
_TRIES = 50


def _keep(of: Any, **numbers: float) -> None:
    """Put Python's numbers, which cannot overflow, in the place of others of the same value."""
    for name, number in numbers.items():
        object.__setattr__(of, name, number)


class Parts(ABC):
    """A generator of datasets made of parts, in one of which the neighbours differ."""

    relation: Relation

    def __post_init__(self) -> None:
        if not isinstance(self.relation, str) or self.relation not in get_args(Relation):
            raise ValueError(f'relation must be "replace_one" or "add_remove", got {shown(self.relation)}')

    @abstractmethod
    def _parts(self, rng: np.random.Generator) -> list[Any]:
        """Return the parts of a dataset."""

    @abstractmethod
    def _part(self, place: int, rng: np.random.Generator) -> Any:
        """Return what may stand at a place."""

    @abstractmethod
    def _dataset(self, parts: list[Any]) -> Any:
        """Return the dataset that is made of parts; None is a missing one."""

    @abstractmethod
    def _parts_of(self, dataset: Any) -> list[Any]:
        """Return the parts of a dataset, as many as there are places; None for missing ones."""

    def __call__(self, rng: np.random.Generator) -> Pair:
        """Return a pair."""
        parts = self._parts(rng)
        return self._pair(parts, int(rng.integers(len(parts))), rng)

    def near(self, pair: Pair, rng: np.random.Generator) -> Pair:
        """Return the pair with a part that both have replaced in both, or with another part in which they differ."""
        data, neighbour = map(self._parts_of, pair)
        places = [i for i, (one, other) in enumerate(zip(data, neighbour, strict=True)) if not _same(one, other)]
        common = sorted(set(range(len(data))) - set(places))
        if not places or (common and rng.random() < 0.5):
            changed = rng.choice(common, size=int(rng.integers(1, len(common) + 1)), replace=False)
            for place in changed.tolist():
                data[place] = neighbour[place] = self._part(place, rng)
            return self._dataset(data), self._dataset(neighbour)
        kept = min(data, neighbour, key=lambda parts: parts.count(None))
        return self._pair(kept, int(rng.choice(places if rng.random() < 0.5 else len(kept))), rng)

    def _pair(self, parts: list[Any], place: int, rng: np.random.Generator) -> Pair:
        ends = [parts[place], None]
        if self.relation == "replace_one":
            ends = [self._part(place, rng)] * 2
            for _ in range(_TRIES):
                if not _same(*ends):
                    break
                ends[1] = self._part(place, rng)
        order = rng.permutation(2).tolist()
        one, other = ([*parts[:place], ends[i], *parts[place + 1 :]] for i in order)
        return self._dataset(one), self._dataset(other)


def _same(one: Any, other: Any) -> bool:
    return pickle.dumps(one) == pickle.dumps(other)


@dataclass(frozen=True)
class Values(Parts):
    """Make pairs of arrays of n numbers, of which one is replaced, or is missing from one of the two.

    Most numbers are ends of the interval, or lie anywhere in it; of two datasets, one has them outside too, near and far, which
    a mechanism has to clip.

    Attributes:
        n: how many numbers the larger dataset has, >= 1.
        low: the interval's lower end.
        high: the interval's upper end.
        outside: whether numbers may lie outside.
        relation: "replace_one" or "add_remove".

    Example:
        >>> import dppca.audit as audit
        >>> import numpy as np
        >>> data, neighbour = audit.Values(n=3)(np.random.default_rng(0))
        >>> int((data != neighbour).sum())
        1
    """

    n: int
    low: float = 0.0
    high: float = 1.0
    outside: bool = True
    relation: Relation = "replace_one"

    def __post_init__(self) -> None:
        super().__post_init__()
        low, high = (check_real(name, "finite", getattr(self, name)) for name in ("low", "high"))
        _keep(self, n=check_count("n", self.n), low=low, high=high)
        for name in ("low", "high"):
            if not math.isfinite(getattr(self, name)):
                raise ValueError(f"{name} must be finite, got {shown(getattr(self, name))}")
        if not 0.0 < self.high - self.low < math.inf:
            raise ValueError(f"low must be < high = {self.high}, by a finite number, got {shown(self.low)}")

    def _parts(self, rng: np.random.Generator) -> list[Any]:
        if rng.random() < 0.5:  # all alike, at an end mostly
            return [self._part(0, rng)] * self.n
        return [self._part(place, rng) for place in range(self.n)]

    def _part(self, place: int, rng: np.random.Generator) -> Any:  # noqa: ARG002 - every place is alike
        length = self.high - self.low
        beyond = length * 10.0 ** rng.uniform(-1.0, _FAR)
        kinds = [self.low, self.high, self.low, self.high, float(rng.uniform(self.low, self.high))]
        return float(rng.choice([*kinds, self.low - beyond, self.high + beyond] if self.outside else kinds))

    def _dataset(self, parts: list[Any]) -> Any:
        return np.array([part for part in parts if part is not None], dtype=float)

    def _parts_of(self, dataset: Any) -> list[Any]:
        values = [float(value) for value in dataset]
        return values + [None] * (self.n - len(values))


@dataclass(frozen=True)
class Edges(Parts):
    """Make pairs of graphs that differ in one edge; a graph is a list of edges (i, j), i < j, in order.

    The other edges are none, all, those of one node, or any.

    Attributes:
        nodes: how many nodes there are, >= 2; they are numbered from 0.
        relation: "add_remove" (an edge is missing) alone.

    Example:
        >>> import dppca.audit as audit
        >>> import numpy as np
        >>> data, neighbour = audit.Edges(nodes=4)(np.random.default_rng(0))
        >>> len(set(data) ^ set(neighbour))
        1
    """

    nodes: int
    relation: Relation = "add_remove"

    def __post_init__(self) -> None:
        super().__post_init__()
        _keep(self, nodes=check_count("nodes", self.nodes, least=2))
        if self.relation != "add_remove":
            raise ValueError(f'relation must be "add_remove" for edges, got {shown(self.relation)}')

    def _parts(self, rng: np.random.Generator) -> list[Any]:
        share = rng.choice([0.0, 1.0, rng.random()])
        star = rng.integers(self.nodes) if rng.random() < 0.25 else None
        there = [star in edge if star is not None else rng.random() < share for edge in self._all()]
        return [edge if here else None for edge, here in zip(self._all(), there, strict=True)]

    def _part(self, place: int, rng: np.random.Generator) -> Any:
        return self._all()[place] if rng.random() < 0.5 else None

    def _pair(self, parts: list[Any], place: int, rng: np.random.Generator) -> Pair:
        return super()._pair([*parts[:place], self._all()[place], *parts[place + 1 :]], place, rng)

    def _dataset(self, parts: list[Any]) -> Any:
        return [edge for edge in parts if edge is not None]

    def _parts_of(self, dataset: Any) -> list[Any]:
        there = {(min(edge), max(edge)) for edge in dataset}
        return [edge if edge in there else None for edge in self._all()]

    def _all(self) -> list[tuple[int, int]]:
        return list(itertools.combinations(range(self.nodes), 2))


@dataclass(frozen=True, eq=False)
class Records(Parts):
    """Make pairs of tables from the records of a given one, of which one is replaced, or missing.

    A new record is another one of the table, or has each field from any. With `by`, all records of one user, those with the
    same entry in that field, are replaced or missing together.

    Attributes:
        table: a list, tuple or array of records (numbers, tuples, dicts, rows), or a frame of pandas or polars.
        by: the name or place of the field that says whose record it is; None: every record is another person's.
        relation: "replace_one" or "add_remove".

    Example:
        All visits of one person are in one of the two tables alone.

        >>> import dppca.audit as audit
        >>> import numpy as np
        >>> visits = [("Ann", 3), ("Ann", 5), ("Bob", 2)]
        >>> data, neighbour = audit.Records(visits, by=0, relation="add_remove")(np.random.default_rng(0))
        >>> {name for name, _ in data} ^ {name for name, _ in neighbour}
        {'Ann'}
    """

    table: Any
    by: Hashable | None = None
    relation: Relation = "replace_one"

    def __post_init__(self) -> None:
        super().__post_init__()
        try:
            users = self._users()
        except (TypeError, KeyError, IndexError) as error:
            raise ValueError(f"by must name a field of every record, got {shown(self.by)}: {error!r}") from error
        if len(users) < 2:
            raise ValueError(f"table must have records of at least 2 people, got {len(users)}")

    def _users(self) -> list[list[Any]]:
        """Return the records of each user."""
        records = _records(self.table)
        if self.by is None:
            return [[record] for record in records]
        users: dict[Any, list[Any]] = {}
        for record in records:
            users.setdefault(record[self.by], []).append(record)
        return list(users.values())

    def _parts(self, rng: np.random.Generator) -> list[Any]:
        users = self._users()
        kind = rng.integers(3)
        if kind == 0:  # all alike
            one = self._part(0, rng)
            return [self._as(users[place][0], one) for place in range(len(users))]
        return users if kind == 1 else [self._part(place, rng) for place in range(len(users))]

    def _part(self, place: int, rng: np.random.Generator) -> Any:
        users = self._users()
        others = [record for records in users for record in records]
        one = users[int(rng.integers(len(users)))]
        if rng.random() < 0.5:
            one = [_mixed(record, others, rng) for record in one]
        return self._as(users[place][0], one)

    def _as(self, record: Any, records: list[Any]) -> list[Any]:
        """Return records as those of the user whose one record is given."""
        return records if self.by is None else [_with(of, self.by, record[self.by]) for of in records]

    def _dataset(self, parts: list[Any]) -> Any:
        return _table([record for part in parts if part is not None for record in part], self.table)

    def _parts_of(self, dataset: Any) -> list[Any]:
        if self.by is None:
            found: list[Any] = [[record] for record in _records(dataset)]
            return found + [None] * (len(self._users()) - len(found))
        there: dict[Any, list[Any]] = {}
        for record in _records(dataset):
            there.setdefault(record[self.by], []).append(record)
        return [there.get(records[0][self.by]) for records in self._users()]


def _records(table: Any) -> list[Any]:
    """Return the records of a table, a frame's as dicts."""
    if hasattr(table, "to_dicts"):
        return list(table.to_dicts())
    if hasattr(table, "iloc"):
        return list(table.to_dict("records"))
    if not isinstance(table, (Sequence, np.ndarray)) or isinstance(table, (str, bytes)):
        raise ValueError(f"table must be a list, tuple, array or frame of records, got {shown(table)}")  # noqa: TRY004
    return list(table)


def _table(records: list[Any], like: Any) -> Any:
    """Return records as a table of the kind of another one."""
    if isinstance(like, np.ndarray):
        return np.array(records, dtype=like.dtype).reshape(-1, *like.shape[1:])
    if hasattr(like, "to_dicts"):
        return type(like)(records, schema=like.schema)
    if hasattr(like, "iloc"):
        return type(like)(records, columns=like.columns).astype(like.dtypes.to_dict())
    return tuple(records) if isinstance(like, tuple) else list(records)


def _mixed(record: Any, others: list[Any], rng: np.random.Generator) -> Any:
    """Return a record like another one, with each field from any of the others."""

    def field(name: Any, value: Any) -> Any:
        other = others[int(rng.integers(len(others)))]
        return other.get(name, value) if isinstance(other, dict) else other[name] if name < len(other) else value

    if isinstance(record, dict):
        return {name: field(name, value) for name, value in record.items()}
    if isinstance(record, (tuple, list, np.ndarray)):
        return _like(record, [field(i, value) for i, value in enumerate(record)])
    return others[int(rng.integers(len(others)))]


def _with(record: Any, field: Any, value: Any) -> Any:
    """Return a record with another entry in a field."""
    changed: Any = dict(record) if isinstance(record, dict) else list(record)
    changed[field] = value
    return changed if isinstance(record, dict) else _like(record, changed)


def _like(record: Any, fields: list[Any]) -> Any:
    """Return fields as a record of the kind of another one."""
    if isinstance(record, np.ndarray):
        return np.array(fields, dtype=record.dtype)
    return getattr(type(record), "_make", type(record))(fields)


@dataclass(frozen=True)
class Rows:
    """Make pairs of (n, d) matrices with rows in a ball, of which one is replaced; or vary a pair.

    The other rows are zeros, one direction, or scattered; the replaced row goes to its opposite, to a direction across,
    to zero or anywhere. Every row may be the replaced one.

    Example:
        >>> import dppca.audit as audit
        >>> import numpy as np
        >>> data, neighbour = audit.Rows(n=5, d=2)(np.random.default_rng(0))
        >>> int((data != neighbour).any(axis=1).sum())
        1
    """

    n: int
    d: int
    radius: float = 1.0

    def __post_init__(self) -> None:
        _keep(self, n=check_count("n", self.n), d=check_count("d", self.d), radius=check_positive("radius", self.radius))

    def __call__(self, rng: np.random.Generator) -> Pair:
        """Return a pair."""
        along = self._unit(rng)
        others = {
            "zeros": np.zeros((self.n, self.d)),
            "aligned": np.tile(along, (self.n, 1)),
            "scattered": self._inside(rng.normal(size=(self.n, self.d))),
        }
        row = along if rng.random() < 0.5 else self._unit(rng)
        across = self._unit(rng)
        across -= (across @ row) * row
        length = np.linalg.norm(across)
        into = {
            "opposite": -row,
            "across": across / length if length > 0.0 else -row,
            "zero": np.zeros(self.d),
            "anywhere": self._unit(rng),
        }
        data = self.radius * others[rng.choice(list(others))]
        pair = data.copy(), data.copy()
        index = rng.integers(self.n)
        ends = [row, into[rng.choice(list(into))]]
        rng.shuffle(ends)
        pair[0][index], pair[1][index] = self.radius * ends[0], self.radius * ends[1]
        return self._clipped(pair[0]), self._clipped(pair[1])

    def near(self, pair: Pair, rng: np.random.Generator) -> Pair:
        """Return the pair with all rows, or those alone that differ, moved by a step of random length."""
        data, neighbour = (np.array(rows, dtype=float) for rows in pair)
        differ = (data != neighbour).any(axis=1)
        step = self.radius * 10.0 ** rng.uniform(-2.0, 0.0)
        if rng.random() < 0.5:
            common = step * rng.normal(size=(self.n, self.d)) / math.sqrt(self.d)
            data[~differ] += common[~differ]
            neighbour[~differ] = data[~differ]
        for rows in (data, neighbour):
            rows[differ] += step * rng.normal(size=(int(differ.sum()), self.d)) / math.sqrt(self.d)
        data, neighbour = self._clipped(data), self._clipped(neighbour)
        return data, neighbour

    def _unit(self, rng: np.random.Generator) -> NDArray[np.float64]:
        direction = rng.normal(size=self.d)
        return np.asarray(direction / np.linalg.norm(direction))

    def _inside(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the rows scaled so that the longest has length 1."""
        return np.asarray(rows / np.linalg.norm(rows, axis=1).max())

    def _clipped(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the rows within the ball, after rounding too."""
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        return np.asarray(rows / np.maximum(1.0, lengths * (1.0 + 1e-12) / self.radius))
