"""Every algorithm file carries the tags of all printed lines, in order."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator

import pytest

from dppca.proofs.ledger import load
from dppca.reference.catalog import ALGORITHMS, Entry
from dppca.reference.choices import Choice

#: A comment that tags printed lines, e.g. "# line 6", "# lines 9-10", "# line 1, line 6 (D3)", "# line 6+ (D1): why".
TAG = re.compile(r"# (lines? \d[^:\n]*)")
LINE = re.compile(r"\blines? (\d+)(?:-(\d+))?")
DEPARTURE = re.compile(r"\((D\d+)\)")


PRINTED = {key: entry for key, entry in ALGORITHMS.items() if entry.lines}


@pytest.mark.parametrize("entry", PRINTED.values(), ids=list(PRINTED))
def test_line_tags_are_complete_and_in_order(entry: Entry) -> None:
    module = inspect.getmodule(entry.function)
    assert module is not None
    source = inspect.getsource(module)
    run = inspect.getsource(entry.function)
    tagged = {int(n) for tag in TAG.findall(source) for pair in LINE.findall(tag) for n in pair if n}
    assert tagged == set(range(1, entry.lines + 1))
    in_run = [int(LINE.findall(tag)[0][0]) for tag in TAG.findall(run)]
    assert in_run == sorted(in_run)


@pytest.mark.parametrize("entry", PRINTED.values(), ids=list(PRINTED))
def test_departures_are_listed_where_they_are_taken(entry: Entry) -> None:
    module = inspect.getmodule(entry.function)
    assert module is not None
    source = inspect.getsource(module)
    head, _, body = source.partition('"""\n')
    listed = set(re.findall(r"^ +(D\d+) ", head, re.MULTILINE))
    assert listed == {departure for tag in TAG.findall(body) for departure in DEPARTURE.findall(tag)}


def _choices(instance: object) -> Iterator[Choice[object]]:
    """Every Choice of a Choices instance, those of Choices that it holds included."""
    for value in vars(instance).values():
        if isinstance(value, Choice):
            yield value
        else:
            yield from _choices(value)


@pytest.mark.parametrize("entry", ALGORITHMS.values(), ids=list(ALGORITHMS))
def test_choices_name_ledger_claims(entry: Entry) -> None:
    ids = {claim.id for claim in load()}
    for instance in entry.choices.values():
        for choice in _choices(instance) if instance is not None else ():
            assert choice.claim in ids
            assert choice.reason
