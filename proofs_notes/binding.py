"""Whether an algorithm's code does what the claims of its privacy are about.

A check decides a statement; the statement is about noise of some size on values of some sensitivity. That the code draws
this noise, on values that move by this much, and shows nothing else, is asked here, for each algorithm in three ways:

* on its known answers (dppca/reference/vectors/data) it releases through the stored laws, with the stored parameters and
  declared sensitivities, and returns the stored outputs;
* at the pair of datasets at which its releases reach their declared sensitivities, they do, and no release moves by more;
* its output follows from the releases: run on the other dataset against the same transcript, it is the same.
"""

from __future__ import annotations

import dataclasses
import re
from functools import cache
from typing import Any

import numpy as np

from dppca.audit.suite.instances import maximisers
from dppca.audit.suite.known_answers import wrong_answers
from dppca.reference.catalog import ALGORITHMS
from dppca.reference.noise import Condition, lockstep, record

#: Relative difference between a change and the declared sensitivity that counts as none.
SAME = 1e-9


@cache
def faults(key: str) -> tuple[str, ...]:
    """What is wrong with the code of an algorithm of the catalogue, in words; empty if nothing is."""
    return (*wrong_answers(key), *_sensitivities(key), *_beside_the_releases(key))


def _sensitivities(key: str) -> list[str]:
    entry, maximiser = ALGORITHMS[key], maximisers()[key]
    run = entry.bind(**{**entry.example.arguments, **maximiser.arguments}, choices=entry.choices["CORRECTED"])
    seen = lockstep(run, *maximiser.pair, np.random.default_rng(1))
    found = [f"release {r.name!r} moves by {r.change:.6g}, {r.sensitivity:.6g} is declared" for r in seen.violations]
    for pattern in maximiser.releases:
        shares = [r.change / r.sensitivity for r in seen.releases if re.fullmatch(pattern, r.name)]
        if not shares or abs(max(shares) - 1.0) > SAME:
            found.append(
                f"releases {pattern!r} reach {max(shares, default=0.0):.6g} of their declared sensitivity, not all of it"
            )
    return found


def _beside_the_releases(key: str) -> list[str]:
    entry = ALGORITHMS[key]
    run = entry.bind(**entry.example.arguments, choices=entry.choices["CORRECTED"])
    for data, neighbour in ((entry.example.data, entry.example.neighbour), (entry.example.neighbour, entry.example.data)):
        output, tape = record(run, data, np.random.default_rng(0))
        if not _same(run(neighbour, Condition(tape)), output):
            return ["the output is not a function of the releases"]
    return []


def _same(one: Any, other: Any) -> bool:
    """Whether two outputs are equal, those with fields field by field."""
    if dataclasses.is_dataclass(one) and type(one) is type(other):
        return all(_same(getattr(one, f.name), getattr(other, f.name)) for f in dataclasses.fields(one))
    if isinstance(one, np.ndarray):
        return bool(np.array_equal(one, other, equal_nan=True))
    return bool(one == other)
