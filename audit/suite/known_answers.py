"""Whether the reference gives its known answers: the same laws, parameters, declared sensitivities and outputs.

An audit of a mechanism that loses less than it may cannot see that its noise is too small; the stored numbers, in
dppca/reference/vectors/data, can. `pytest tests/conformance` compares everything else that they hold.
"""

from __future__ import annotations

from dppca.reference import vectors
from dppca.reference.vectors.compare import differences
from dppca.reference.vectors.implementation import Reference

#: Readings that claim what print claims, be it true or false; their verdicts are audited.
PRINTED = ("AS_PRINTED", "LITERAL", "PPCA")


def wrong_answers(key: str) -> list[str]:
    """Return the cases of an algorithm's other readings that its code answers differently, each with the first difference."""
    found = []
    for case in vectors.load()[key]:
        if "refuses" in case["expected"] or case["choice"] in PRINTED:
            continue
        given = {name: case[name] for name in ("choice", "parameters", "calibration", "inputs", "draws")}
        try:
            answer = Reference().run(algorithm=key, **given)
        except Exception as error:  # noqa: BLE001 - whatever the code does wrong
            found.append(f"known answer {case['id']}: {type(error).__name__}: {error}")
            continue
        shown = {name: answer[name] for name in ("output", "calibration", "releases")}
        found += [f"known answer {case['id']}: {difference}" for difference in differences(case, shown)[:1]]
    return found
