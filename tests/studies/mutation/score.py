"""`python -m tests.studies.mutation.score`: which machine-made bugs in the reference `pytest audit/` notices.

Mutants are taken from every module in turn, in an order that a seed fixes. Each is put into a process that is forked from
one that has collected the tests; there the tests that call the changed function are run until one fails, those that call little
else and are quick first. Results are stored in build/ as they come, and hold as long as the module's file is the same, so that
a run can be interrupted and continued. MUTANTS.md names survivors, each with what judged.toml says about it;
what it calls equivalent to the code, or without effect on privacy, is not run, and counts neither way.
`--side ledger` asks which claims of the ledger fall of them; `--side auditor` changes the auditor instead and asks the tests of
the project.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import json
import os
import resource
import sys
import time
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import accumulate, zip_longest
from pathlib import Path
from typing import Any

from tests.studies.mutation.mutants import Mutant, mutants, plant
from tests.studies.mutation.suite import BUILD, SIDES, Items, Side, Test, callers, collected, first_failure

TEXT = Path(__file__).with_name("MUTANTS.md")
#: By hand: id of a survivor to why it is one; "equivalent", "no_privacy" (nothing that anybody sees depends on the data in
#: another way), "missed".
JUDGED: dict[str, dict[str, str]] = tomllib.loads(Path(__file__).with_name("judged.toml").read_text())
SEED, PLANNED = 20_240_229, 600
#: Of the tests that call a function so many are run at most, and of so many processor seconds on the code as it is; none is
#: begun after TOTAL processor seconds with the change.
TESTS_RUN, SECONDS, TOTAL = 120, 40.0, 60.0
#: Processor time of a test after which its mutant counts as noticed: so much, and so many times its own on the sound code.
GRACE, SLOWER = 30.0, 10.0


def sample(side: Side, size: int, kinds: Sequence[str] = (), part: str = "") -> list[Mutant]:
    """Return the first mutants of every module in turn (with this part in its name), by a hash of their names.

    They are the same as long as their functions stay.
    """

    def order(mutant: Mutant) -> bytes:
        return hashlib.sha256(f"{SEED} {mutant.id}".encode()).digest()

    listed = [
        sorted((m for m in mutants(module) if not m.guard and (not kinds or m.kind in kinds)), key=order)
        for module in side.modules()
        if part in module
    ]
    turns = [sorted((mutant for mutant in turn if mutant is not None), key=order) for turn in zip_longest(*listed)]
    return [mutant for turn in turns for mutant in turn][:size]


def chosen(tests: Sequence[Test]) -> list[Test]:
    """Return the tests that are run until there are enough: those of few calls and quick ones, of each function in turn."""
    turns: Counter[str] = Counter()
    placed = []
    for test in sorted(tests, key=lambda test: (test.calls * (0.05 + test.seconds), test.id)):
        function = test.id.partition("[")[0]
        placed.append((turns[function], test))
        turns[function] += 1
    ordered = [test for _, test in sorted(placed, key=lambda turn: turn[0])][:TESTS_RUN]
    spent = accumulate(test.seconds for test in ordered)
    return [test for test, seconds in zip(ordered, spent, strict=True) if test is ordered[0] or seconds <= SECONDS]


def row(mutant: Mutant, tests: Sequence[Test], items: Items) -> dict[str, Any]:
    """Put a mutant before its tests; return what is stored about it."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    failed, said = "", ""
    if tests:
        failed, said = first_failure(
            lambda: plant(mutant), [(items[test.id], GRACE + SLOWER * test.seconds) for test in tests], 300.0, TOTAL
        )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return {
        "id": mutant.id,
        "kind": mutant.kind,
        "outcome": "noticed" if failed else "survived" if tests else "not called",
        "by": failed,
        "said": said[:200],
        "run": len(tests),
        "seconds": round(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, 1),
        "source": _digest(mutant.module),
    }


def _digest(module: str) -> str:
    return hashlib.sha256(Path(str(importlib.import_module(module).__file__)).read_bytes()).hexdigest()[:16]


def _left_out(side: Side, mutant: Mutant) -> bool:
    """Return whether judged.toml says that the tests of this side have nothing to find in a mutant."""
    words = ["equivalent"] if side.name == "ledger" else ["equivalent", "no_privacy"]
    return any(mutant.id in JUDGED.get(word, ()) for word in words)


def generate(side: Side, plan: Sequence[Mutant], seconds: float, items: Items, again: Sequence[str]) -> list[dict[str, Any]]:
    """Return the rows, those of the last time where their module's file is the same, new ones for so many seconds."""
    file = BUILD / f"{side.name}_mutants.json"
    known: dict[str, Any] = json.loads(file.read_text()) if file.exists() else {}
    started, of = time.monotonic(), callers(side, items)
    for mutant in plan:
        if _left_out(side, mutant):
            known[mutant.id] = {"id": mutant.id, "kind": mutant.kind, "outcome": "judged", "source": _digest(mutant.module)}
            continue
        if (
            mutant.id in known
            and known[mutant.id]["source"] == _digest(mutant.module)
            and known[mutant.id]["outcome"] not in again
        ):
            continue
        if time.monotonic() - started > seconds:
            break
        known[mutant.id] = made = row(mutant, chosen([test for test in of.get(mutant.place, ()) if test.id in items]), items)
        sys.stdout.write(f"{made['outcome']:10}  {made['seconds']:5.1f} s  {made['id']}  [{made['by']}] {made['said']}\n")
        sys.stdout.flush()
        temporary = file.with_suffix(".tmp")
        temporary.write_text(json.dumps(known))
        os.replace(temporary, file)
    return [known[mutant.id] for mutant in plan if mutant.id in known]


def judgement(made: Mapping[str, Any]) -> tuple[str, str]:
    """Return what judged.toml calls a survivor, and why; "to be judged" where it has no word of it."""
    for word, listed in JUDGED.items():
        if made["id"] in listed:
            return word, listed[made["id"]]
    return "to be judged", ""


def text(side: Side, rows: Sequence[Mapping[str, Any]], planned: int) -> str:
    """Return MUTANTS.md."""
    survivors = [made for made in rows if made["outcome"] != "noticed"]
    words = Counter(judgement(made)[0] for made in survivors)
    touching = len(rows) - words["equivalent"] - words["no_privacy"]
    noticed = len(rows) - len(survivors)
    lines = [
        "<!-- generated by `make mutants`; do not edit -->",
        "",
        f"# Machine-made bugs in {', '.join(side.packages)}",
        "",
        f"{len(rows)} of {planned} planned mutants (seed {SEED}, every module in turn) were put before the tests in "
        f"{side.tests}/ that call the changed function: {noticed} make one fail. "
        f"Of the {len(survivors)} others {words['equivalent']} are equivalent to the code, {words['no_privacy']} do not touch "
        f"privacy (those judged before are not run again), {words['missed']} are missed and "
        f"{words['to be judged']} are still to be judged: "
        f"**{noticed} of {touching}, {100.0 * noticed / max(1, touching):.1f} %**.",
        "",
        "| survivor | | why |",
        "| --- | --- | --- |",
    ]
    for made in sorted(survivors, key=lambda made: (judgement(made)[0], made["id"])):
        word, why = judgement(made)
        called = "no test calls it" if made["outcome"] == "not called" else why
        place, _, change = made["id"].partition(": ")
        lines.append(f"| `{place}`: {change.replace('|', chr(92) + '|')} | {word} | {why or called} |")
    return "\n".join([*lines, ""])


def main() -> None:
    """Continue with the table, and with --write store its text."""
    parser = argparse.ArgumentParser(prog="python -m tests.studies.mutation.score", description=__doc__)
    parser.add_argument("--side", choices=sorted(SIDES), default="reference", help="code that is changed (default: reference)")
    parser.add_argument("--minutes", type=float, default=60.0, help="begin no mutant after so many minutes (default: 60)")
    parser.add_argument("--planned", type=int, default=PLANNED, help=f"mutants (default: {PLANNED})")
    parser.add_argument("--kind", action="append", default=[], help="only mutants of this kind; may be given again")
    parser.add_argument("--module", default="", help="only mutants of modules with this in their name")
    parser.add_argument("-k", dest="keyword", default="", help="only tests that match, as of pytest")
    parser.add_argument("--again", action="append", default=[], help="repeat mutants with this outcome, such as survived")
    parser.add_argument("--write", action="store_true", help=f"write {TEXT.name}")
    arguments = parser.parse_args()
    side = SIDES[arguments.side]
    plan = sample(side, arguments.planned, arguments.kind, arguments.module)

    def work(items: Items) -> None:
        rows = generate(side, plan, 60.0 * arguments.minutes, items, arguments.again)
        page = text(side, rows, len(plan))
        sys.stdout.write(page.partition("\n| survivor")[0] + "\n")
        if arguments.write and side.name == "reference":
            TEXT.write_text(page)

    options = ("--budget", "quick") if side.name == "reference" else ()
    collected(side, work, *options, *(("-k", arguments.keyword) if arguments.keyword else ()))


if __name__ == "__main__":
    main()
