"""Every draw of an algorithm goes through the interface: run again on its draws, or not written down, it gives the same output.

And a run leaves nothing behind but its output.

That the output, and the noise, depend on the data through the releases alone is asked of every case of
accounting/test_spent_budget.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest

from dppca.audit.suite.left_behind import left_behind
from dppca.audit.suite.same_output import same_output
from dppca.reference.catalog import ALGORITHMS
from dppca.reference.noise import Sample, record, replay

PRIVATE = {f"{key}-": entry for key, entry in ALGORITHMS.items() if entry.private}


@pytest.mark.parametrize("key", PRIVATE)
def test_the_tape_holds_every_draw(key: str) -> None:
    entry = PRIVATE[key]
    for choices in entry.choices.values():
        algorithm = entry.bind(**entry.example.arguments, choices=choices)
        for seed, data in enumerate((entry.example.data, entry.example.neighbour)):
            output, tape = record(algorithm, data, np.random.default_rng(seed))
            assert any(each.role == "release" for each in tape.entries), f"{key[:-1]} releases nothing through the interface"
            assert same_output(replay(algorithm, data, tape), output), (
                f"{key[:-1]} draws something that is not on its tape: run again on the tape, its output is another one"
            )
            assert same_output(algorithm(data, Sample(np.random.default_rng(seed))), output), (
                f"{key[:-1]} gives another output through Sample, which users run, than through Record, which is audited"
            )


@pytest.fixture(scope="module", name="fresh")
def _fresh() -> Iterator[Executor]:
    """Yield a process in which nothing has run before these tests."""
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        yield pool


@pytest.mark.parametrize("key", PRIVATE)
def test_a_run_leaves_nothing_but_its_output(key: str, fresh: Executor) -> None:
    changed = fresh.submit(left_behind, key[:-1]).result()
    assert not changed, f"a run of {key[:-1]} leaves more than its output, which no noise protects: {', '.join(changed[:3])}"
