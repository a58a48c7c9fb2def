"""No release of a reading that claims privacy changes by more than the sensitivity that it declares.

Seen on the pair of datasets of every transcript audit under the declared relation, on transcripts drawn on either side.
"""

from __future__ import annotations

import numpy as np
import pytest

from dppca.audit.suite.instance import Instance, Transcript
from dppca.audit.suite.instances import instances
from dppca.reference.noise import lockstep

#: Transcripts on either dataset: public draws, such as the offset of a grid, may hide a change.
TRANSCRIPTS = 2
PAIRS = [i for i in instances() if i.view == "transcript" and not i.because and i.relation is None]


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.id)
def test_declared_sensitivity(pair: Instance) -> None:
    how = pair.built().how
    assert isinstance(how, Transcript)
    for seed in range(TRANSCRIPTS):
        for x, y in ((how.data, how.neighbour), (how.neighbour, how.data)):
            found = lockstep(how.algorithm, x, y, np.random.default_rng(seed))
            assert not found.violations, f"more than the declared sensitivity: {found.violations}"
