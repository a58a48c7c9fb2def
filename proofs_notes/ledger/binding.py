"""Whether an algorithm's code does what the claims of its privacy are about.

A check decides a statement; the statement is about noise of some size on values of some sensitivity. That the code draws
this noise, on values that move by this much, and shows nothing else, is asked here of each algorithm:

* each of its releases is drawn from the law that it declares, and each hidden or public draw from its own;
* what its releases spend, composed by an accountant of its own, is within the target at small sizes, and no release moves by
  more than it declares, whatever the rows;
* at the pair of datasets at which its releases reach their declared sensitivities, or a stated share of one that no pair
  reaches, they do;
* its output follows from the releases: run on the other dataset against the same transcript, it is the same.

Known answers have no part in it: another way to the same law gives other numbers. `dppca vectors --check` says what *changed*.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from dppca.audit.suite.accounting.spent_budget import budget_faults, readings
from dppca.audit.suite.audits import maximisers
from dppca.audit.suite.independent_draws import KINDS, PUBLIC, draw_faults, public_faults
from dppca.audit.suite.laws import law_faults, released_laws
from dppca.audit.suite.same_output import same_output
from dppca.reference.catalog import ALGORITHMS
from dppca.reference.noise import Condition, ReleaseLaw, record

#: Draws from a law, and cases of a reading: those of `pytest audit/ --budget quick`. Level and power are said there.
DRAWS, CASES, SEED = 2_000, 8, 0


@cache
def faults(key: str) -> tuple[str, ...]:
    """Return what is wrong with the code of an algorithm of the catalogue, in sentences; empty if nothing is."""
    spending = (fault for choice in readings(ALGORITHMS[key]) for fault in budget_faults(key, choice, CASES, SEED))
    return (*spending, *_sensitivities(key), *_laws(key), *_beside_the_releases(key))


def forget() -> None:
    """Clear what was found, for code that has changed since."""
    for cached in (faults, _law, _draws):
        cached.cache_clear()


def _sensitivities(key: str) -> list[str]:
    return maximisers()[key].faults(ALGORITHMS[key])


def _laws(key: str) -> list[str]:
    released = [fault for law in sorted(released_laws(key), key=str) for fault in _law(law)]
    return released + [fault for name in sorted(_drawn(key)) for fault in _draws(name)]


@cache
def _law(law: type[ReleaseLaw]) -> tuple[str, ...]:
    return tuple(law_faults(law, DRAWS, SEED))


@cache
def _draws(name: str) -> tuple[str, ...]:
    found = [fault for kind in KINDS if kind.drawn == name for fault in draw_faults(kind, DRAWS, SEED)]
    return (*found, *(public_faults(f"public_{name}", DRAWS, SEED) if f"public_{name}" in PUBLIC else ()))


def _drawn(key: str) -> set[str]:
    """Return the names of the laws of the draws that no data enter."""
    entry = ALGORITHMS[key]
    found = set()
    for choices in entry.choices.values():
        _, tape = record(entry.bind(**entry.example.arguments, choices=choices), entry.example.data, np.random.default_rng(0))
        found |= {each.law.partition("(")[0] for each in tape.entries if each.role != "release"}
    return found


def _beside_the_releases(key: str) -> list[str]:
    entry = ALGORITHMS[key]
    run = entry.bind(**entry.example.arguments, choices=entry.choices["CORRECTED"])
    for data, neighbour in ((entry.example.data, entry.example.neighbour), (entry.example.neighbour, entry.example.data)):
        _, tape = record(run, data, np.random.default_rng(0))
        if not same_output(run(neighbour, Condition(tape)), run(data, Condition(tape))):
            return ["the output is not a function of the releases"]
    return []
