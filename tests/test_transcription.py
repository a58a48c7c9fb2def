"""Every algorithm file carries the tags of all printed lines, in order."""

from __future__ import annotations

import inspect
import re

import pytest

from reference.catalog import ALGORITHMS, Entry

#: Number of lines of each algorithm as printed.
PRINTED_LINES = {"wang2020.local_gaussian_mechanism": 5}
TAG = re.compile(r"# lines? (\d+)(?:-(\d+))?\+?(?: \((D\d+)\))?")


@pytest.mark.parametrize(("key", "entry"), ALGORITHMS.items(), ids=list(ALGORITHMS))
def test_line_tags_are_complete_and_in_order(key: str, entry: Entry) -> None:
    module = inspect.getmodule(entry.function)
    assert module is not None
    source = inspect.getsource(module)
    run = inspect.getsource(entry.function)
    tagged = {int(n) for match in TAG.finditer(source) for n in match.groups()[:2] if n}
    assert tagged == set(range(1, PRINTED_LINES[key] + 1))
    in_run = [int(match.group(1)) for match in TAG.finditer(run)]
    assert in_run == sorted(in_run)


@pytest.mark.parametrize(("key", "entry"), ALGORITHMS.items(), ids=list(ALGORITHMS))
def test_departures_are_listed_where_they_are_taken(key: str, entry: Entry) -> None:
    module = inspect.getmodule(entry.function)
    assert module is not None
    source = inspect.getsource(module)
    head, _, body = source.partition('"""\n')
    assert set(re.findall(r"\bD\d+\b", head)) == {match.group(3) for match in TAG.finditer(body) if match.group(3)}, key


@pytest.mark.parametrize("entry", ALGORITHMS.values(), ids=list(ALGORITHMS))
def test_choices_name_ledger_claims(entry: Entry) -> None:
    for choices in entry.choices.values():
        for choice in vars(choices).values():
            assert choice.claim in entry.claims
            assert choice.reason
