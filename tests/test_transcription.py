"""Every algorithm file carries the tags of all printed lines, in order."""

from __future__ import annotations

import inspect
import re

import pytest

from reference.catalog import ALGORITHMS, Entry

TAG = re.compile(r"# lines? (\d+)(?:-(\d+))?\+?(?: \((D\d+)\))?")


PRINTED = {key: entry for key, entry in ALGORITHMS.items() if entry.lines}


@pytest.mark.parametrize("entry", PRINTED.values(), ids=list(PRINTED))
def test_line_tags_are_complete_and_in_order(entry: Entry) -> None:
    module = inspect.getmodule(entry.function)
    assert module is not None
    source = inspect.getsource(module)
    run = inspect.getsource(entry.function)
    tagged = {int(n) for match in TAG.finditer(source) for n in match.groups()[:2] if n}
    assert tagged == set(range(1, entry.lines + 1))
    in_run = [int(match.group(1)) for match in TAG.finditer(run)]
    assert in_run == sorted(in_run)


@pytest.mark.parametrize("entry", PRINTED.values(), ids=list(PRINTED))
def test_departures_are_listed_where_they_are_taken(entry: Entry) -> None:
    module = inspect.getmodule(entry.function)
    assert module is not None
    source = inspect.getsource(module)
    head, _, body = source.partition('"""\n')
    assert set(re.findall(r"\bD\d+\b", head)) == {match.group(3) for match in TAG.finditer(body) if match.group(3)}


@pytest.mark.parametrize("entry", ALGORITHMS.values(), ids=list(ALGORITHMS))
def test_choices_name_ledger_claims(entry: Entry) -> None:
    for choices in entry.choices.values():
        for choice in vars(choices).values():
            assert choice.claim in entry.claims
            assert choice.reason
