"""What an algorithm returns is a function of its releases and of draws that do not depend on the data, and of nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from dppca.audit.suite.audits import maximisers
from dppca.audit.suite.same_output import same_output
from dppca.reference.catalog import ALGORITHMS
from dppca.reference.noise import Condition, condition, record, replay

PRIVATE = {f"{key}-": entry for key, entry in ALGORITHMS.items() if entry.private}
SEEDS = range(3)


def runs(key: str) -> Iterator[tuple[Any, Any, Any]]:
    """Yield each reading on two datasets, either way round: the declared example's, and the maximiser of a sensitivity."""
    entry = PRIVATE[key]
    example, maximiser = entry.example, maximisers().get(entry.key)
    arguments = dict(example.arguments)
    pairs = [(arguments, example.data, example.neighbour)]
    if maximiser is not None:
        pairs.append(({**arguments, **maximiser.arguments}, *maximiser.pair))
    for choices in entry.choices.values():
        for given, data, neighbour in pairs:
            algorithm = entry.bind(**given, choices=choices)
            yield algorithm, data, neighbour
            yield algorithm, neighbour, data


@pytest.mark.parametrize("key", PRIVATE)
def test_the_output_follows_from_the_releases(key: str) -> None:
    """Run on one dataset; the other one, against the same transcript, ends with the same output, bit for bit."""
    for algorithm, data, neighbour in runs(key):
        for seed in SEEDS:
            output, tape = record(algorithm, data, np.random.default_rng(seed))
            assert any(entry.role == "release" for entry in tape.entries)
            other = Condition(tape)
            assert same_output(algorithm(neighbour, other), output), f"the output is not a function of {names(tape)}"
            other.finish()


def names(tape: Any) -> str:
    """Return the draws and releases of a run."""
    return ", ".join(entry.name for entry in tape.entries)


@pytest.mark.parametrize("key", PRIVATE)
def test_the_tape_holds_every_draw(key: str) -> None:
    """Run again on the draws of a run: every release and the output are the same, so nothing is drawn beside the seam."""
    for algorithm, data, _ in runs(key):
        for seed in SEEDS:
            output, tape = record(algorithm, data, np.random.default_rng(seed))
            assert same_output(replay(algorithm, data, tape), output)


@pytest.mark.parametrize("key", PRIVATE)
def test_no_noise_is_used_twice(key: str) -> None:
    """Over all releases of three runs no Gaussian draw occurs twice, and they have more digits than single precision."""
    entry = PRIVATE[key]
    algorithm = entry.bind(**entry.example.arguments, choices=entry.choices["CORRECTED"])
    drawn = [
        float(z)
        for seed in SEEDS
        for each in record(algorithm, entry.example.data, np.random.default_rng(seed))[1].entries
        if each.role == "release" and each.law == "gaussian"
        for z in np.ravel(each.draw)
    ]
    assert len(set(drawn)) == len(drawn)
    assert not drawn or any(z != float(np.float32(z)) for z in drawn)


@pytest.mark.parametrize("key", PRIVATE)
def test_the_noise_does_not_depend_on_the_data(key: str) -> None:
    """Given one transcript, each release has the same law on both datasets, and on data half as long."""
    for algorithm, data, neighbour in runs(key):
        others = [neighbour] if isinstance(data, list) else [neighbour, 0.5 * np.asarray(data)]
        _, tape = record(algorithm, data, np.random.default_rng(0))
        own = [term.law for term in condition(algorithm, data, tape).terms]
        for other in others:
            assert [term.law for term in condition(algorithm, other, tape).terms] == own, names(tape)
