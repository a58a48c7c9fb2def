"""`python -m tests.studies.mutation.planted_bugs`: every planted bug through `pytest audit/`.

With the bug in place the audit that it names must fail, and without it that audit must pass; of a bug that any algorithm can
have, some audit of the algorithm must fail. PLANTED.md holds what tells somebody something: the figures, and what is missed.
`--side ledger` asks the ledger instead: some claim must fall whose check calls what is edited, unless judged.toml says why the
bug makes no claim false.
"""

from __future__ import annotations

import argparse
import inspect
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from dppca.audit.suite.planted import bugs, generic_bugs
from dppca.reference.catalog import ALGORITHMS
from dppca.reference.noise import Noise
from tests.studies.mutation.mutants import Place
from tests.studies.mutation.score import GRACE, JUDGED, SLOWER
from tests.studies.mutation.suite import LEDGER, REFERENCE, Items, Test, callers, collected, first_failure, named

TEXT = Path(__file__).with_name("PLANTED.md")
#: Processor seconds that an audit may take with a bug in place.
SECONDS = 300.0


@dataclass(frozen=True)
class Question:
    """A planted bug: its name, how it is put in, what must fail (one test, or the algorithm's whose key it is), if anything.

    `places` are the functions that it edits.
    """

    id: str
    plant: Callable[[], AbstractContextManager[None]]
    caught_by: str
    missed: str
    places: tuple[Place, ...] = ()


@dataclass(frozen=True)
class Answer:
    """What became of a bug: the audit that failed and what it said, and what is wrong with the entry, if anything."""

    question: Question
    failed: str
    said: str
    problem: str


def questions(subjects: Sequence[str] = ()) -> Iterator[Question]:
    """Yield every planted bug, of these subjects alone if some are given."""
    for bug in bugs():
        if not subjects or bug.subject in subjects:
            yield Question(bug.id, bug.planted, bug.caught_by, bug.missed, tuple(_place(edit.function) for edit in bug.edits))
    for key, generic in generic_bugs():
        if not subjects or key in subjects:
            edited = tuple(_place(of) for of in (ALGORITHMS[key].calibrate, Noise.release) if of)
            yield Question(f"{key}: {generic.name}", lambda g=generic, k=key: g.plant(ALGORITHMS[k]), key, "", edited)


def _place(function: Any) -> Place:
    function = inspect.unwrap(function)
    return function.__module__, function.__qualname__


def _context(question: Question) -> Callable[[], object]:
    def change() -> object:
        context = question.plant()
        context.__enter__()
        return context  # its end would undo the bug

    return change


def cheapest_first(items: Sequence[pytest.Item]) -> list[pytest.Item]:
    """Order an algorithm's audits: those that sample nothing, then the others."""
    cheap = ("-exact-", "test_declared", "test_the_")
    return sorted(items, key=lambda item: (not any(part in item.nodeid for part in cheap), "-output-" in item.nodeid))


def answered(question: Question, items: Items) -> Answer:
    """Ask the audits with a bug in place."""
    asked = named(items, question.caught_by)
    if not asked:
        return Answer(question, "", "", "" if question.missed else f"there is no audit {question.caught_by!r}")
    failed, said = first_failure(_context(question), [(item, SECONDS) for item in cheapest_first(asked)])
    if bool(failed) != (not question.missed):
        problem = "no audit fails" if not failed else "it is said to be missed"
        return Answer(question, failed, said, problem)
    return Answer(question, failed, said, "")


def by_claims(question: Question, items: Items, of: Mapping[Place, Sequence[Test]]) -> Answer:
    """Ask the claims whose checks call what a bug edits, the quickest first."""
    seconds = {test.id: test.seconds for place in question.places for test in of.get(place, ()) if test.id in items}
    asked = [(items[name], GRACE + SLOWER * seconds[name]) for name in sorted(seconds, key=seconds.__getitem__)]
    failed, said = first_failure(_context(question), asked) if asked else ("", "")
    excused = question.id in JUDGED["no_claim"]
    return Answer(question, failed, said, "" if failed or excused else f"none of {len(asked)} claims falls")


def sound(items: Items, names: Sequence[str]) -> list[str]:
    """Return which of the named audits fail on the code as it is."""
    return [
        f"{name}: {said}"
        for name in dict.fromkeys(names)
        for asked in [named(items, name)]
        if asked
        for failed, said in [first_failure(lambda: None, [(item, SECONDS) for item in asked])]
        if failed
    ]


def text(answers: Sequence[Answer]) -> str:
    """Return PLANTED.md."""
    caught = [answer for answer in answers if answer.failed]
    lines = [
        "<!-- generated by `make meta`; do not edit -->",
        "",
        "# Planted bugs",
        "",
        f"{len(caught)} of {len(answers)} planted bugs make an audit of `pytest audit/` fail.",
        "",
        "| bug that no audit sees | why |",
        "| --- | --- |",
        *(f"| {answer.question.id} | {answer.question.missed or answer.problem} |" for answer in answers if not answer.failed),
    ]
    return "\n".join([*lines, ""])


def main() -> int:
    """Return 0 if every bug ends as its entry says."""
    parser = argparse.ArgumentParser(prog="python -m tests.studies.mutation.planted_bugs", description=__doc__)
    parser.add_argument("subjects", nargs="*", help="algorithms whose bugs are planted (default: everything)")
    parser.add_argument("--write", action="store_true", help=f"write {TEXT.name}, of everything")
    parser.add_argument("--side", choices=[REFERENCE.name, LEDGER.name], default=REFERENCE.name, help="what is asked")
    arguments = parser.parse_args()
    asked = list(questions(arguments.subjects))
    found: list[Answer] = []
    ledger = arguments.side == LEDGER.name

    def work(items: Items) -> None:
        of = callers(LEDGER, items) if ledger else {}
        for question in asked:
            answer = by_claims(question, items, of) if ledger else answered(question, items)
            found.append(answer)
            sys.stdout.write(f"{'caught' if answer.failed else 'missed'}  {question.id}  [{answer.failed}] {answer.said}\n")
            if answer.problem:
                sys.stdout.write(f"   <<< {answer.problem}\n")
            sys.stdout.flush()
        if ledger:
            counted = [answer for answer in found if answer.question.id not in JUDGED["no_claim"]]
            fallen = sum(bool(answer.failed) for answer in counted)
            sys.stdout.write(f"{fallen} of {len(counted)} planted bugs that make a claim false let one fall\n")
            return
        wrong = sound(items, [q.caught_by for q in asked if q.caught_by not in ALGORITHMS and not q.missed])
        sys.stdout.write("".join(f"fails on the code as it is: {line}\n" for line in wrong))
        found.extend(Answer(asked[0], "", "", line) for line in wrong)

    collected(LEDGER if ledger else REFERENCE, work, *(() if ledger else ("--budget", "standard")))
    if arguments.write and not arguments.subjects and not ledger:
        TEXT.write_text(text(found))
    return int(any(answer.problem for answer in found))


if __name__ == "__main__":
    sys.exit(main())
