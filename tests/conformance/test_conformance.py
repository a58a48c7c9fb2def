"""One test for every case of the vectors, against the implementation that the command line names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from dppca.conformance.command import Unsupported
from dppca.reference.vectors import by_id
from dppca.reference.vectors.compare import differences
from dppca.reference.vectors.generate import ask

CASES = by_id()


@pytest.mark.parametrize(("algorithm", "case"), CASES.values(), ids=list(CASES))
def test_answer(implementation: Any, algorithm: str, case: Mapping[str, Any]) -> None:
    supports = getattr(implementation, "supports", None)
    if supports is not None and not supports(algorithm, case["choice"]):
        pytest.skip("the implementation states that it does not support this")
    try:
        answer = ask(implementation, algorithm, case)
    except Unsupported as reason:
        pytest.skip(f"the program states that it does not support this: {reason}")
    wrong = differences(case, answer)
    assert not wrong, f"{case['why']}\n" + "\n".join(wrong)
