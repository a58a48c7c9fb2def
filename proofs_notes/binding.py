"""Whether an algorithm's code does what the claims of its privacy are about.

A check decides a statement; the statement is about noise of some size on values of some sensitivity. That the code draws
this noise, on values that move by this much, and shows nothing else, is asked here, for each algorithm in three ways:

* on its known answers (dppca/reference/vectors/data) it releases through the stored laws, with the stored parameters and
  declared sensitivities, and returns the stored outputs;
* at the pair of datasets at which its releases reach their declared sensitivities, they do, and no release moves by more;
* its output follows from the releases: run on the other dataset against the same transcript, it is the same.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from dppca.audit.suite.instances import maximisers
from dppca.audit.suite.known_answers import wrong_answers
from dppca.audit.suite.same_output import same_output
from dppca.reference.catalog import ALGORITHMS
from dppca.reference.noise import Condition, record

#: Relative difference between a change and the declared sensitivity that counts as none.
SAME = 1e-9


@cache
def faults(key: str) -> tuple[str, ...]:
    """Return what is wrong with the code of an algorithm of the catalogue, in words; empty if nothing is."""
    return (*wrong_answers(key), *_sensitivities(key), *_beside_the_releases(key))


def _sensitivities(key: str) -> list[str]:
    maximiser = maximisers()[key]
    seen = maximiser.lockstep(ALGORITHMS[key])
    found = [f"release {r.name!r} moves by {r.change:.6g}, {r.sensitivity:.6g} is declared" for r in seen.violations]
    for pattern, share in maximiser.reached(seen).items():
        if abs(share - 1.0) > SAME:
            found.append(f"releases {pattern!r} reach {share:.6g} of their declared sensitivity, not all of it")
    return found


def _beside_the_releases(key: str) -> list[str]:
    entry = ALGORITHMS[key]
    run = entry.bind(**entry.example.arguments, choices=entry.choices["CORRECTED"])
    for data, neighbour in ((entry.example.data, entry.example.neighbour), (entry.example.neighbour, entry.example.data)):
        output, tape = record(run, data, np.random.default_rng(0))
        if not same_output(run(neighbour, Condition(tape)), output):
            return ["the output is not a function of the releases"]
    return []
