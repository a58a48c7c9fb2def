"""The reference draws the noise of its known answers: the same laws, parameters, declared sensitivities and outputs.

An audit of a mechanism that loses less than it may cannot see that its noise is too small; the stored numbers can. They are in
dppca/reference/vectors/data, and `pytest tests/conformance` compares everything else that they hold.
"""

from __future__ import annotations

import pytest

from dppca.reference import vectors
from dppca.reference.catalog import ALGORITHMS
from dppca.reference.vectors.compare import differences
from dppca.reference.vectors.implementation import Reference

#: Readings that claim what print claims; their verdicts are audited.
PRINTED = ("AS_PRINTED", "LITERAL", "PPCA")
PRIVATE = {f"{key}-": key for key, entry in ALGORITHMS.items() if entry.private}


@pytest.mark.parametrize("key", PRIVATE)
def test_releases_and_outputs_are_the_known_ones(key: str) -> None:
    compared = 0
    for case in vectors.load()[PRIVATE[key]]:
        if "refuses" in case["expected"] or case["choice"] in PRINTED:
            continue
        given = {name: case[name] for name in ("choice", "parameters", "calibration", "inputs", "draws")}
        answer = Reference().run(algorithm=PRIVATE[key], **given)
        shown = {name: answer[name] for name in ("output", "calibration", "releases")}
        assert not differences(case, shown), case["id"]
        compared += len(case["expected"]["releases"])
    assert compared > 0
