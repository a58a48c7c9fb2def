"""`python -m tests.meta.mutation_score`: how many mutants of the reference and of the auditor's engine the tests notice.

A fixed random sample of all mutants is gone through in a fixed order. The tests are collected once; each mutant is put into a
process that is forked from there, in which the tests that call the changed function are run until one fails: the one that
failed the last time, then the most specific ones. Results are kept in
mutation_score.json as long as the module and the tests that were run are the same, so that a run can be broken off and gone
on with; MUTATION_SCORE.md is made from them.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import json
import resource
import signal
import sys
import time
import tomllib
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any, Literal, TypeAlias

import pytest

from tests.meta.callers import FILE_SECONDS, TEST_SECONDS, TESTS, Items, Test, callers, collected, files, modules, run
from tests.meta.children import in_child
from tests.meta.mutants import Mutant, Place, mutants, plant

HERE = Path(__file__).parent
KEPT, TEXT = HERE / "mutation_score.json", HERE / "MUTATION_SCORE.md"
EQUIVALENT: dict[str, str] = tomllib.loads((HERE / "equivalent.toml").read_text())["equivalent"]
SEED = 20_240_229
SAMPLE = 400
#: Of the tests that call a function so many are run at most, and of so many seconds on the sound code.
TESTS_RUN, SECONDS = 80, 12.0
#: Processor time of a test after which its mutant counts as noticed: so much, and so many times its own on the sound code;
#: seconds after which a test counts as hanging.
GRACE, SLOWER, HANGS = 2.0, 5.0, 300.0
Outcome: TypeAlias = Literal["killed", "survived", "not called"]


def sample(size: int) -> list[Mutant]:
    """The first mutants in the order of a hash of their names; the same ones as long as their functions stay."""
    listed = [mutant for module in modules() for mutant in mutants(module)]
    return sorted(listed, key=lambda mutant: hashlib.sha256(f"{SEED} {mutant.id}".encode()).digest())[:size]


def chosen(tests: Sequence[Test]) -> list[Test]:
    """The tests that are run: those that call little else and are quick, until there are enough."""
    ordered = sorted(tests, key=lambda test: (test.calls * (0.05 + test.seconds), test.id))[:TESTS_RUN]
    spent = accumulate(test.seconds for test in ordered)
    return [test for test, seconds in zip(ordered, spent, strict=True) if test is ordered[0] or seconds <= SECONDS]


class _First:
    """Whether a test has failed."""

    failed = False

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Whether this one did."""
        self.failed = self.failed or report.failed


def tried(mutant: Mutant, tests: Sequence[Test], items: Items) -> tuple[Outcome, str]:
    """What the tests make of a mutant, and the one that fails.

    Raises:
        RuntimeError: it cannot be put in.
    """
    if not tests:
        return "not called", ""

    of = [items[test.id] for test in tests]

    def work(send: Callable[[Any], None]) -> None:
        plant(mutant)
        first = _First()
        of[0].config.pluginmanager.register(first)
        for test, item, following in zip(tests, of, [*of[1:], None], strict=True):
            send(test.id)
            signal.setitimer(signal.ITIMER_PROF, GRACE + SLOWER * test.seconds)
            run(item, following)
            if first.failed:
                break
        send(first.failed)

    sent, end = in_child(work, HANGS)
    if not sent:
        raise RuntimeError(f"{mutant.id}: cannot be put in")
    if end != "done":
        return "killed", sent[-1]
    return ("killed", sent[-2]) if sent[-1] else ("survived", "")


# --- what is kept -------------------------------------------------------------------------------------


def digest(names: Sequence[str]) -> str:
    """Of files, or of tests: of their names and their files."""
    content = hashlib.sha256("\n".join(names).encode() if any("::" in name for name in names) else b"")
    for name in sorted({name.partition("::")[0] for name in names}):
        content.update((TESTS.parent / name).read_bytes())
    return content.hexdigest()[:16]


def row(mutant: Mutant, tests: Sequence[Test], old: Mapping[str, Any] | None, items: Items) -> tuple[dict[str, Any], bool]:
    """The line of a mutant, and whether it is new: the old one if it still counts.

    A test that fails goes on to fail as long as the module and the test's file are the same; that none fails is known for the
    tests that were run.
    """
    source = digest([str(importlib.import_module(mutant.module).__file__)])
    ran = digest(sorted(test.id for test in tests))
    if old is not None and old["source"] == source:
        file = TESTS.parent / str(old["by"]).partition("::")[0]
        if old["tests"] == ran or (old["outcome"] == "killed" and file.is_file() and digest([str(file)]) == old["by_source"]):
            return {**old, "line": mutant.line}, False
        tests = sorted(tests, key=lambda test: test.id != old["by"])
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    outcome, by = tried(mutant, tests, items)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    file = TESTS.parent / by.partition("::")[0]
    return {
        "id": mutant.id,
        "module": mutant.module,
        "kind": mutant.kind,
        "line": mutant.line,
        "outcome": outcome,
        "by": by,
        "by_source": digest([str(file)]) if by and file.is_file() else "",
        "run": len(tests),
        "seconds": round(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, 1),
        "source": source,
        "tests": ran,
    }, True


def generate(size: int, seconds: float, known: Mapping[str, Any], items: Items) -> dict[str, Any]:
    """The table, gone on with for so many seconds."""
    started = time.perf_counter()
    of: Mapping[Place, list[Test]] = callers(items)
    old = {kept["id"]: kept for kept in known.get("rows", ())}
    rows = []
    for mutant in sample(size):
        if time.perf_counter() - started > seconds:
            if mutant.id in old:
                rows.append(old[mutant.id])
            continue
        made, new = row(mutant, chosen(of.get(mutant.place, ())), old.get(mutant.id), items)
        rows.append(made)
        if new:
            sys.stdout.write(f"{made['outcome']:10}  {made['seconds']:5.1f} s  {made['id']}  [{made['by']}]\n")
            sys.stdout.flush()
            KEPT.write_text(
                lines({"rows": rows + [kept for kept in old.values() if kept["id"] not in {r["id"] for r in rows}]})
            )
    listed = f"Tests of at most {TEST_SECONDS:g} s were looked at, in the first {FILE_SECONDS:g} s of each file."
    every = sum(len(mutants(module)) for module in modules())
    return {"seed": SEED, "sample": size, "all": every, "listed": listed, "rows": rows}


def lines(kept: Mapping[str, Any]) -> str:
    """JSON, with one line a mutant."""
    head = "".join(f" {json.dumps(name)}: {json.dumps(value)},\n" for name, value in kept.items() if name != "rows")
    return f'{{\n{head} "rows": [\n' + ",\n".join(f"  {json.dumps(made)}" for made in kept["rows"]) + "\n ]\n}\n"


def text(kept: Mapping[str, Any], equivalent: Mapping[str, str] = EQUIVALENT) -> str:
    """MUTATION_SCORE.md."""
    rows = kept["rows"]
    real = [made for made in rows if made["id"] not in equivalent or made["outcome"] == "killed"]
    known = [made for made in rows if made not in real]
    killed = sum(made["outcome"] == "killed" for made in real)
    found = [
        "<!-- generated by `python -m tests.meta.mutation_score --write`; do not edit -->",
        "",
        "# What the tests notice",
        "",
        f"{len(rows)} mutants of a random sample of {kept['sample']} (seed {kept['seed']}) among {kept['all']:,} of "
        "`reference/` and `audit/engine/` were tried: "
        f"**{killed} are killed, {len(real) - killed} are not, {len(known)} are equivalent to the code: "
        f"{100.0 * killed / max(1, len(real)):.1f} %** of those that are not equivalent. "
        f"For each, at most {TESTS_RUN} of the tests that call the function were run, and of at most {SECONDS:g} s: another "
        "test may kill a survivor. Tests that work in processes of their own do not see a mutant. What a module computes "
        f"when it is imported is not changed. {kept['listed']}",
        "",
        "| package | killed | survived | not called by these tests | equivalent |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    for package in sorted({_package(made) for made in rows}):
        of = [made["outcome"] for made in real if _package(made) == package]
        counts = [of.count(outcome) for outcome in ("killed", "survived", "not called")]
        counts.append(sum(_package(made) == package for made in known))
        found.append(f"| {package} | {' | '.join(map(str, counts))} |")
    for outcome, heading in (("survived", "Survivors"), ("not called", "Not called")):
        of = sorted((made for made in real if made["outcome"] == outcome), key=lambda made: (made["module"], made["line"]))
        found += (
            ["", f"## {heading}", "", "| function | line | mutant | tests run |", "| --- | ---: | --- | ---: |"] if of else []
        )
        for made in of:
            place, _, change = made["id"].partition(": ")
            found.append(f"| `{place}` | {made['line']} | {change.replace('|', chr(92) + '|')} | {made['run']} |")
    found += ["", "## Equivalent to the code", ""] if known else []
    found += [
        f"* `{made['id'].partition(': ')[0]}`: {made['id'].partition(': ')[2]}. {equivalent[made['id']]}" for made in known
    ]
    return "\n".join([*found, ""])


def _package(made: Mapping[str, Any]) -> str:
    parts = made["module"].split(".")
    return ".".join(parts[1:3]) if len(parts) > 3 or parts[1] == "audit" else "reference"


def main() -> None:
    """Go on with the table, and with --write keep its text."""
    parser = argparse.ArgumentParser(prog="python -m tests.meta.mutation_score", description=__doc__)
    parser.add_argument("--minutes", type=float, default=60.0, help="begin no mutant after so many minutes (default: 60)")
    parser.add_argument("--sample", type=int, default=SAMPLE, help=f"mutants in the sample (default: {SAMPLE})")
    parser.add_argument("--write", action="store_true", help=f"write {TEXT.name}; {KEPT.name} is written as it grows")
    arguments = parser.parse_args()
    known = json.loads(KEPT.read_text()) if KEPT.exists() else {}

    def work(items: Items) -> None:
        kept = generate(arguments.sample, 60.0 * arguments.minutes, known, items)
        KEPT.write_text(lines(kept))
        sys.stdout.write(text(kept).partition("\n| package")[0] + "\n")
        if arguments.write:
            TEXT.write_text(text(kept))

    modules()
    collected(files(), work)


if __name__ == "__main__":
    main()
