"""Generators that belong to the process."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from dppca.audit.execution import seeding


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
    assert seeding.fingerprint([len, Locked()]) == b""


class Locked:
    """Can be pickled, and not made again."""

    def __reduce__(self) -> Any:
        return _refuse, ()


def _refuse() -> None:
    raise RuntimeError("no second one")
