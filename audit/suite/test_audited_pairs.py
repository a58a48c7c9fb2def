"""On every audited pair no release changes by more than it declares, and the output is a function of the releases alone.

Of every transcript audit of a reading that claims privacy under the declared relation, on transcripts of either dataset.
"""

from __future__ import annotations

import numpy as np
import pytest

from dppca.audit.suite.audits import instances
from dppca.audit.suite.instance import Instance, Transcript
from dppca.audit.suite.same_output import same_output
from dppca.reference.noise import Condition, lockstep_on, record

#: Transcripts on either dataset: public draws, such as the offset of a grid, may hide a change.
TRANSCRIPTS = 2
PAIRS = [i for i in instances() if i.view == "transcript" and not i.because and i.relation is None]


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.id)
def test_declared_sensitivity_and_output(pair: Instance) -> None:
    how = pair.built()
    assert isinstance(how, Transcript)
    for seed in range(TRANSCRIPTS):
        for x, y in ((how.data, how.neighbour), (how.neighbour, how.data)):
            _, tape = record(how.algorithm, x, np.random.default_rng(seed))
            found = lockstep_on(tape, how.algorithm, x, y)
            assert not found.violations, (
                f"release {found.violations[0].name!r} changes by {found.violations[0].change:.6g} between the two datasets, "
                f"{found.violations[0].sensitivity:.6g} is declared: its noise is too little"
            )
            if found.diverged is None:
                assert same_output(*(how.algorithm(of, Condition(tape)) for of in (x, y))), (
                    "the output depends on the data though every release is the same: it shows more than the releases do"
                )
