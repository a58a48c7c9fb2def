"""Generators of pairs: all pairs are neighbours within the declared domain, and what matters among them is reached."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from dppca import audit
from dppca.audit.execution.pairs import Pair

FRAME = pd.DataFrame({"user": [1, 1, 2, 3], "spent": [5.0, 7.0, 9.0, 3.0]})
ROWS = [(1, 5.0), (1, 7.0), (2, 9.0), (3, 3.0)]


def walk(generator: Callable[[np.random.Generator], Pair], seed: int, steps: int = 30) -> list[Pair]:
    """Return a pair and its variations in turn."""
    rng = np.random.default_rng(seed)
    pairs = [generator(rng)]
    for _ in range(steps):
        pairs.append(generator.near(pairs[-1], rng))  # type: ignore[attr-defined]
    return pairs


def gone_and_new(pair: Pair) -> tuple[int, int]:
    """Return how many parts of the first dataset the second lacks, and the other way round."""
    one, other = (Counter(map(repr, dataset)) for dataset in pair)
    return (one - other).total(), (other - one).total()


GENERATORS: dict[str, tuple[Any, str]] = {
    "values": (audit.Values(4, -1.0, 2.0), "replace_one"),
    "values, missing": (audit.Values(4, -1.0, 2.0, relation="add_remove"), "add_remove"),
    "edges": (audit.Edges(5), "add_remove"),
    "records": (audit.Records(ROWS), "replace_one"),
    "records, missing": (audit.Records(ROWS, relation="add_remove"), "add_remove"),
    "dicts": (audit.Records(FRAME.to_dict("records")), "replace_one"),
}


@pytest.mark.parametrize("name", GENERATORS)
@pytest.mark.parametrize("seed", range(5))
def test_pairs_are_neighbours(name: str, seed: int) -> None:
    generator, relation = GENERATORS[name]
    for pair in walk(generator, seed):
        assert gone_and_new(pair) in ({(1, 1)} if relation == "replace_one" else {(0, 1), (1, 0)})
        if relation == "replace_one":
            assert len(pair[0]) == len(pair[1]) == 4


def test_values_are_at_both_ends_and_beyond() -> None:
    pairs = [pair for seed in range(40) for pair in walk(audit.Values(3, -1.0, 2.0), seed, 2)]
    found = np.concatenate([dataset for pair in pairs for dataset in pair])
    assert {-1.0, 2.0} < set(found.tolist())
    assert found.min() < -1000.0
    assert found.max() > 1000.0
    inside = [audit.Values(3, -1.0, 2.0, outside=False)(np.random.default_rng(seed)) for seed in range(40)]
    assert all(-1.0 <= value <= 2.0 for pair in inside for dataset in pair for value in dataset)


def test_edges_are_of_the_graph() -> None:
    sizes = {len(pair[0]) for seed in range(20) for pair in walk(audit.Edges(4), seed)}
    assert sizes >= {0, 1, 5, 6}
    edges = {edge for seed in range(20) for pair in walk(audit.Edges(4), seed) for edge in (*pair[0], *pair[1])}
    assert edges == {(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)}


def users_of(dataset: Any) -> dict[Any, list[Any]]:
    """Return the rows of each user."""
    found: dict[Any, list[Any]] = {}
    for user, spent in dataset.itertuples(index=False) if isinstance(dataset, pd.DataFrame) else dataset:
        found.setdefault(user, []).append(spent)
    return found


@pytest.mark.parametrize("table", [ROWS, tuple(ROWS), np.array(ROWS), FRAME])
@pytest.mark.parametrize("relation", ["replace_one", "add_remove"])
def test_all_records_of_a_user_go_together(table: Any, relation: Any) -> None:
    by = "user" if isinstance(table, pd.DataFrame) else 0
    most = 0
    for seed in range(5):
        for pair in walk(audit.Records(table, by=by, relation=relation), seed):
            assert all(type(dataset) is type(table) for dataset in pair)
            one, other = map(users_of, pair)
            differ = [user for user in (1, 2, 3) if one.get(user) != other.get(user)]
            assert len(differ) == 1
            assert (one.keys() == other.keys()) is (relation == "replace_one")
            most = max(most, len(one.get(differ[0], ())), len(other.get(differ[0], ())))
            if isinstance(table, pd.DataFrame):
                assert all((dataset.dtypes == table.dtypes).all() for dataset in pair)
    assert most == 2


def test_a_sum_that_is_not_clipped_is_found() -> None:
    def unclipped(data: Any, rng: np.random.Generator) -> float:
        return float(np.minimum(data, 1.0).sum() + rng.laplace())

    found = audit.lower_bound_over_pairs(
        unclipped, audit.Values(3), claim=audit.Claim(1.0), trials=10_000, candidates=8, seed=1
    )
    assert found.verdict is not None
    assert found.verdict.refuted
    assert min(found.data.min(), found.neighbour.min()) < -1.0


@pytest.mark.parametrize("seed", range(20))
def test_rows_are_neighbours_in_the_ball(seed: int) -> None:
    rows, rng = audit.Rows(4, 3, radius=2.0), np.random.default_rng(seed)
    pair = rows(rng)
    for _ in range(5):
        data, neighbour = pair
        assert data.shape == neighbour.shape == (4, 3)
        assert max(np.linalg.norm(data, axis=1).max(), np.linalg.norm(neighbour, axis=1).max()) <= 2.0
        assert (data != neighbour).any(axis=1).sum() <= 1
        pair = rows.near(pair, rng)


def test_rows_near_a_pair_are_near_it_and_as_long() -> None:
    rows, rng = audit.Rows(4, 3, radius=2.0), np.random.default_rng(1)
    first = np.full((4, 3), 1.0)
    moved, lengths = [], []
    for _ in range(200):
        data, neighbour = rows.near((first, np.vstack([-first[:1], first[1:]])), rng)
        moved.append(np.linalg.norm(data - first, axis=1).max())
        lengths.append(np.linalg.norm(np.vstack([data, neighbour]), axis=1).mean())
    assert min(moved) < 0.1
    assert 0.5 < max(moved) < 8.0
    assert 1.5 < np.mean(lengths) < 2.0


def test_rows_of_one_column() -> None:
    rng = np.random.default_rng(1)
    for _ in range(50):
        data, neighbour = audit.Rows(1, 1)(rng)
        assert np.isfinite(data).all()
        assert np.isfinite(neighbour).all()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: audit.Values(0), "n must be >= 1, got 0"),
        (lambda: audit.Values(3, 1.0, 1.0), r"low must be < high = 1.0, by a finite number, got 1.0"),
        (lambda: audit.Values(3, math.nan), "low must be finite, got nan"),
        (lambda: audit.Values(3, relation="both"), 'relation must be "replace_one" or "add_remove", got \'both\''),
        (lambda: audit.Edges(1), "nodes must be >= 2, got 1"),
        (lambda: audit.Edges(3, relation="replace_one"), 'relation must be "add_remove" for edges'),
        (lambda: audit.Records("abc"), "table must be a list, tuple, array or frame of records, got 'abc'"),
        (lambda: audit.Records([1]), "table must have records of at least 2 people, got 1"),
        (lambda: audit.Records(ROWS, by="user"), "by must name a field of every record, got 'user'"),
        (lambda: audit.Records(ROWS[:2], by=0), "table must have records of at least 2 people, got 1"),
        (lambda: audit.Rows(0, 1), "n must be >= 1, got 0"),
        (lambda: audit.Rows(1, 0), "d must be >= 1, got 0"),
        (lambda: audit.Rows(1, 1, 0.0), "radius must be .*, got 0.0"),
        (lambda: audit.Rows(1, 1, math.inf), "radius must be .*, got inf"),
    ],
)
def test_what_makes_no_pairs_is_named(make: Callable[[], Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()
