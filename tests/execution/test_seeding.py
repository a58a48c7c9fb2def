"""Generators that belong to the process."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from dppca.audit.auditor import events
from dppca.audit.auditor.outputs import Outputs, encode_pair
from dppca.audit.execution import seeding


def both(data: Any, neighbour: Any) -> tuple[Outputs, Outputs]:
    return encode_pair(data, neighbour)


def two_cells() -> tuple[events._Order, Outputs, Outputs]:
    """Return an order of three cells and outputs: 300 of 400 on the data, 40 of 400 on the neighbour are in the first."""
    data, neighbour = both([0.0] * 300 + [1.0] * 100, [0.0] * 40 + [1.0] * 360)
    order = events._Order(lambda outputs: outputs.numbers[:, 0].astype(np.int64), 3, lambda first, last: f"{first} {last}")
    return order, data, neighbour


def test_the_generators_of_the_process_are_left_as_they_were() -> None:
    def states() -> Any:
        return np.random.get_state(legacy=False)["state"]["key"].tolist(), random.getstate()  # noqa: NPY002

    before = states()
    with seeding.generators_put_back():
        seeding.reseed(np.random.SeedSequence(3))
        assert states() != before
        np.random.random()  # noqa: NPY002
        random.random()  # noqa: S311
    assert states() == before


def test_a_fingerprint_of_what_python_and_numpy_have_has_128_bits() -> None:
    one, other = seeding.fingerprint({"a": np.arange(3.0)}), seeding.fingerprint({"a": np.arange(4.0)})
    assert (len(one), one == other) == (16, False)
    assert seeding.fingerprint([two_cells, Locked()]) == b""


class Locked:
    """Can be pickled, and not made again."""

    def __reduce__(self) -> Any:
        return _refuse, ()


def _refuse() -> None:
    raise RuntimeError("no second one")
