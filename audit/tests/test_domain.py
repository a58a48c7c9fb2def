"""Data outside an algorithm's declared domain are refused before anything is drawn: no noise is meant for them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dppca.reference.catalog import ALGORITHMS
from dppca.reference.declaration import Declaration, UnitRows
from dppca.reference.noise import Record

PRIVATE = {key: entry for key, entry in ALGORITHMS.items() if entry.private}
UNIT = [f"{key}-" for key, entry in PRIVATE.items() if isinstance(entry.data, UnitRows)]


def refusal(entry: Declaration, data: Any) -> str:
    """The message of the refusal; empty where the data are taken. Nothing may have been drawn before."""
    noise = Record(np.random.default_rng(0))
    run = entry.bind(**entry.example.arguments, choices=entry.choices["CORRECTED"])
    try:
        run(data, noise)
    except ValueError as error:
        assert not noise.tape.entries, "something was drawn before the data were refused"
        return str(error)
    return ""


@pytest.mark.parametrize("key", UNIT)
def test_a_row_outside_the_unit_ball_is_refused(key: str) -> None:
    entry = ALGORITHMS[key[:-1]]
    for place in range(len(entry.example.data)):
        data = np.array(entry.example.data, dtype=float)
        data[place] = 3.0 * np.eye(data.shape[1])[0]
        assert refusal(entry, data).startswith(f"{entry.data_name}[{place}] must lie in the unit ball")


@pytest.mark.parametrize("key", [f"{key}-" for key in PRIVATE])
def test_other_sizes_than_calibrated_are_refused(key: str) -> None:
    """One column more; where the number of records was calibrated for, one record more."""
    entry = ALGORITHMS[key[:-1]]
    data: Any = entry.example.data
    if isinstance(data, list):
        return  # integer points: their number and dimension set no noise
    arguments = entry.example.arguments
    if entry.data.sizes[-1] in arguments:
        assert refusal(entry, np.concatenate([data, 0.0 * data[:, :1]], axis=1)).startswith(entry.data_name)
    if entry.data.sizes[0] in arguments:
        assert refusal(entry, np.concatenate([data, data[:1]])).startswith(entry.data_name)
