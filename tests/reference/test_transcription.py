"""Every algorithm file carries the tags of its published lines, in order, and its declaration is complete."""

from __future__ import annotations

import inspect
import re

import pytest

from dppca.proofs_notes.ledger.claims import load
from dppca.reference.catalog import ALGORITHMS, Declaration

#: A comment that tags published lines, e.g. "# line 6", "# lines 9-10", "# line 6: why".
TAG = re.compile(r"# (lines? \d[^:\n]*)")
LINE = re.compile(r"\blines? (\d+)(?:-(\d+))?")
#: A comment that tags a line and stands alone: it tags nothing.
ALONE = re.compile(r"^ *# lines? \d+(?:[-,] ?\d+)*$", re.MULTILINE)

PRINTED = {key: entry for key, entry in ALGORITHMS.items() if entry.lines}
IDS = {claim.id for claim in load()}


def _source(entry: Declaration) -> str:
    module = inspect.getmodule(entry.function)
    assert module is not None
    return inspect.getsource(module)


@pytest.mark.parametrize("entry", PRINTED.values(), ids=list(PRINTED))
def test_line_tags_are_complete_and_in_order(entry: Declaration) -> None:
    run = inspect.getsource(entry.function)
    tagged = {int(n) for tag in TAG.findall(_source(entry)) for pair in LINE.findall(tag) for n in pair if n}
    assert tagged == set(range(1, entry.lines + 1)) - set(entry.unstated)
    in_run = [int(LINE.findall(tag)[0][0]) for tag in TAG.findall(run)]
    assert in_run == sorted(in_run)


@pytest.mark.parametrize("entry", ALGORITHMS.values(), ids=list(ALGORITHMS))
def test_tags_stand_at_statements(entry: Declaration) -> None:
    assert not ALONE.findall(_source(entry))


@pytest.mark.parametrize("entry", ALGORITHMS.values(), ids=list(ALGORITHMS))
def test_the_published_lines_are_listed_in_the_module(entry: Declaration) -> None:
    """The module's docstring has the numbered lines of the paper, and says which text it follows."""
    module = inspect.getmodule(entry.function)
    assert module is not None
    text = module.__doc__ or ""
    numbers = {int(n) for n in re.findall(r"^ +(\d+) {2,}\S", text, re.MULTILINE)}
    assert numbers >= set(range(1, entry.lines + 1))
    assert not entry.lines or "As published (" in text


@pytest.mark.parametrize("entry", ALGORITHMS.values(), ids=list(ALGORITHMS))
def test_claims_are_in_the_ledger(entry: Declaration) -> None:
    assert entry.claims
    assert set(entry.claims) <= IDS
