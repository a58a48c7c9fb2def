"""One test for every case of the vectors, against the implementation that the command line names."""

from __future__ import annotations

import json
import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from dppca.reference.conformance import SCHEMA, by_id
from dppca.reference.conformance.command import Command, Unsupported
from dppca.reference.conformance.compare import differences
from dppca.reference.conformance.generate import ask
from dppca.reference.rigour.validation import error_text

CASES = by_id()
#: Names of bugs to what they are, from the schema's own description.
MEANINGS: dict[str, str] = dict(
    meaning.split(": ", 1)
    for meaning in json.loads(SCHEMA.read_text(encoding="utf-8"))["$defs"]["bug"]["description"].split("; ")
)


@pytest.mark.parametrize(("algorithm", "case"), CASES.values(), ids=list(CASES))
def test_answer(implementation: Any, algorithm: str, case: Mapping[str, Any]) -> None:
    supports = getattr(implementation, "supports", None)
    if supports is not None and not supports(algorithm, case["choice"]):
        pytest.skip("the implementation states that it does not support this")
    try:
        answer = ask(implementation, algorithm, case)
    except Unsupported as reason:
        pytest.skip(f"the program states that it does not support this: {reason}")
    except RuntimeError as error:
        if isinstance(implementation, Command) and not implementation.has_answered:
            pytest.exit(f"--command: {error}, and it has answered no case", returncode=1)  # one error, not one for each case
        answer = {"crashed": _crash(error)}
    except Exception as error:  # noqa: BLE001 - anything may happen in somebody else's code
        answer = {"crashed": _crash(error)}
    if "crashed" in answer:
        pytest.fail(f"{algorithm}/{case['id']}: {_crashed(case, answer['crashed'])}", pytrace=False)
    wrong = differences(case, answer)
    if wrong:
        pytest.fail(_explained(f"{algorithm}/{case['id']}", case, wrong), pytrace=False)


def _crash(error: Exception) -> str:
    """Return the error, and where in the implementation it was raised."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{error_text(error)} ({Path(last.filename).name}, line {last.lineno})"


def _crashed(case: Mapping[str, Any], crash: str) -> str:
    refused = case["expected"].get("refuses")
    wanted = "" if refused is None else f"; a ValueError that names {refused!r} was expected"
    return f"run: raised {crash}{wanted}"


def _explained(name: str, case: Mapping[str, Any], wrong: list[str]) -> str:
    """Return what is wrong, what the case is there for, and the bugs that fail it."""
    lines = [f"{name}: {wrong[0]}", *wrong[1:], f"This case is there for: {case['why']}."]
    bugs = [f"{bug} ({MEANINGS[bug]})" for bug in case["catches"]]
    return "\n".join([*lines, *([f"It fails with any of these bugs: {'; '.join(bugs)}."] if bugs else [])])
