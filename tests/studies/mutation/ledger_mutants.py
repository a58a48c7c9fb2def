"""`python -m tests.studies.mutation.ledger_mutants`: which claims of the ledger fall when their code is changed.

Each planted bug, and a sample of the mutants of every function that a claim names, is put into a process of its own; there
the claims whose check calls the function are executed. Checks are deterministic: one that does not call it cannot see it.
What came out is stored in build/ledger_mutants.json, and for reading in build/LEDGER_MUTANTS.md.
"""

from __future__ import annotations

import argparse
import functools
import hashlib
import json
import multiprocessing
import re
import resource
import signal
import sys
import time
import tomllib
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from dppca.proofs_notes.ledger.claims import LedgerClaim, LedgerError, claim_files, execute, load, paper, resolve
from tests.studies.mutation.children import called, in_child
from tests.studies.mutation.ledger_changes import SEED, Change, places, plan
from tests.studies.mutation.ledger_mutants_text import text
from tests.studies.mutation.mutants import Place, clear_caches

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
#: What the checks call, kept for the next run on the same code.
TRACES = ROOT / "build" / "ledger_traces.json"
KEPT, TEXT = ROOT / "build" / "ledger_mutants.json", ROOT / "build" / "LEDGER_MUTANTS.md"
#: Reasons, by hand: "equivalent" for mutants that change nothing, "no_claim" for planted bugs that make no claim false.
REASONS: dict[str, dict[str, str]] = tomllib.loads((HERE / "judged.toml").read_text())
#: Mutants of each function that are tried.
SAMPLE = 2
#: A check may take this many times its seconds on the sound code, and so many more; as processor time.
SLOWER, GRACE = 5.0, 3.0
#: When so many claims of one change did not end in time, its other claims are not executed.
LATE = 3


@dataclass(frozen=True)
class Sound:
    """A claim's check on the code as it is: the functions it calls, and its seconds."""

    claim: LedgerClaim
    calls: frozenset[Place]
    seconds: float


@dataclass(frozen=True)
class Row:
    """What became of a change: the number of claims executed, and those that fell, with what their check did instead."""

    id: str
    kind: str
    of: str
    line: int
    executed: int
    flips: dict[str, str]
    late: int
    seconds: float


# --- what happens -------------------------------------------------------------------------------------


def traced(claim: LedgerClaim) -> Sound:
    """Execute a claim on the sound code, in a process of its own, so that nothing is cached.

    Raises:
        LedgerError: the claim is not borne out as it is.
    """

    def work(send: Callable[[Any], None]) -> None:
        try:
            started = time.process_time()
            with called() as calls:
                execute(claim)
            send((calls, time.process_time() - started, ""))
        except LedgerError as error:
            send((set(), 0.0, str(error)))

    sent, end = in_child(work, 600.0)
    if end != "done" or sent[0][2]:
        raise LedgerError(sent[0][2] if sent else f"{claim.id}: the check {claim.check} {end} on the sound code")
    return Sound(claim, frozenset(sent[0][0]), sent[0][1])


def _late(*_: object) -> None:
    raise TimeoutError("no answer in time")


def outcome(claim: LedgerClaim, seconds: float) -> str:
    """What a claim's check did instead of bearing it out, in a word; empty if it does bear it out."""
    signal.signal(signal.SIGPROF, _late)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        execute(claim)
    except LedgerError as error:
        found = re.search(r"the check found (\w+)| ends in (\w+):", str(error))
        return found[found.lastindex or 0] if found else "error"
    except TimeoutError:
        return TimeoutError.__name__
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
    return ""


def tried(change: Change, sound: Sequence[Sound]) -> Row:
    """Put a change in and execute the claims whose checks call what it edits, the quickest first.

    Raises:
        RuntimeError: it cannot be put in.
    """
    started = time.perf_counter()
    waiting = sorted((s for s in sound if change.places & s.calls), key=lambda s: s.seconds)
    executed, answers = len(waiting), dict[str, str]()
    while waiting and (late := sum(answer == TimeoutError.__name__ for answer in answers.values())) < LATE:

        def work(send: Callable[[Any], None], waiting: Sequence[Sound] = waiting, late: int = late) -> None:
            kept = change.plant()
            send(("", kept is None))
            for of in waiting:
                send((of.claim.id, said := outcome(of.claim, GRACE + SLOWER * of.seconds)))
                late += said == TimeoutError.__name__
                if late >= LATE:
                    break

        sent, end = in_child(work, 60.0 + 10.0 * (GRACE + SLOWER * waiting[-1].seconds))
        if not sent:
            raise RuntimeError(f"{change.id}: cannot be put in")
        answers.update(sent[1:])
        waiting = waiting[len(sent) - 1 :]
        if end != "done" and waiting:
            answers[waiting[0].claim.id] = TimeoutError.__name__ if end == "late" else "end of the process"
            waiting = waiting[1:]
    flips = {name: answer for name, answer in answers.items() if answer}
    seconds = round(time.perf_counter() - started, 2)
    return Row(change.id, change.kind, change.of, change.line, executed - len(waiting), flips, len(waiting), seconds)


# --- the run ------------------------------------------------------------------------------------------

_WORK: dict[str, Any] = {}


def _step(name: str, number: int) -> Any:
    """One piece of the run; what it works on came with the fork."""
    if name == "trace":
        return traced(_WORK["claims"][number])
    row = tried(_WORK["plan"][number], _WORK["sound"])
    sys.stdout.write(f"{len(row.flips):4} of {row.executed:3}  {row.seconds:6.1f} s  {row.id}\n")
    sys.stdout.flush()
    return row


def _all(name: str, count: int, workers: int) -> list[Any]:
    with ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("fork")) as pool:
        return list(pool.map(functools.partial(_step, name), range(count)))


def _digest() -> str:
    """Of everything that the checks can depend on."""
    content = hashlib.sha256(b"".join(file.read_bytes() for file in claim_files()))
    for folder in ("reference", "audit", "proofs_notes"):
        for file in sorted((ROOT / folder).rglob("*.py")):
            content.update(file.read_bytes())
    return content.hexdigest()


def traces(claims: Sequence[LedgerClaim], workers: int) -> list[Sound]:
    """What each claim's check calls, and its seconds; from the last run, if the code is still the same."""
    kept = json.loads(TRACES.read_text()) if TRACES.exists() else {}
    if kept.get("digest") != (digest := _digest()):
        sound: list[Sound] = _all("trace", len(claims), workers)
        kept = {"digest": digest, "claims": {of.claim.id: [sorted(of.calls), of.seconds] for of in sound}}
        TRACES.parent.mkdir(exist_ok=True)
        TRACES.write_text(json.dumps(kept))
    named = kept["claims"]
    return [Sound(c, frozenset((module, name) for module, name in named[c.id][0]), named[c.id][1]) for c in claims]


def generate(workers: int, size: int | None, wanted: Sequence[str] = ()) -> dict[str, Any]:
    """The whole run, as it is kept."""
    started = time.perf_counter()
    claims = load()
    for claim in claims:
        resolve(claim.check)  # imported here once, not in each child
    _WORK.update(claims=claims, plan=plan(claims, size, wanted))
    clear_caches()  # of what was computed for the plan
    _WORK["sound"] = sound = traces(claims, workers)
    rows: list[Row] = _all("try", len(_WORK["plan"]), workers)
    return {
        "seed": SEED,
        "sample": size,
        "seconds": round(time.perf_counter() - started),
        "processor_seconds": round(sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])),
        "workers": workers,
        "claims": {of.claim.id: described(of) for of in sound},
        "rows": [asdict(row) for row in rows],
    }


def described(of: Sound) -> dict[str, Any]:
    """A claim, as the table shows it; `calls` counts functions of the reference and of the audit that its check calls."""
    code, own = of.claim.code, places(of.claim.code)
    outside = [place for place in of.calls if place[0].startswith(("dppca.reference.", "dppca.audit."))]
    return {
        "paper": paper(of.claim),
        "status": of.claim.status,
        "scope": of.claim.scope,
        "method": of.claim.method,
        "code": code.removeprefix("dppca.reference."),
        "places": [f"{module}:{name}" for module, name in own],
        "calls": len(outside),
        "calls_own": bool(of.calls & set(own)),
    }


def lines(kept: Mapping[str, Any]) -> str:
    """JSON, with one line a claim and one a change."""
    head = json.dumps({name: value for name, value in kept.items() if name not in {"claims", "rows"}}, indent=1)[:-2]
    claims = ",\n".join(f"  {json.dumps(name)}: {json.dumps(value)}" for name, value in kept["claims"].items())
    rows = ",\n".join(f"  {json.dumps(row)}" for row in kept["rows"])
    return f'{head},\n "claims": {{\n{claims}\n }},\n "rows": [\n{rows}\n ]\n}}\n'


def main() -> None:
    """Run, print the figures, and store them in build/."""
    parser = argparse.ArgumentParser(prog="python -m tests.studies.mutation.ledger_mutants", description=__doc__)
    parser.add_argument("--workers", type=int, default=1, help="processes (default: 1)")
    parser.add_argument("--all", action="store_true", help=f"every mutant, not {SAMPLE} of each function")
    parser.add_argument("--text", action="store_true", help=f"write {TEXT.name} anew from {KEPT.name}, and run nothing")
    parser.add_argument("words", nargs="*", help="only changes with one of these words in their name; nothing is kept then")
    arguments = parser.parse_args()
    if arguments.text:
        TEXT.write_text(text(json.loads(KEPT.read_text()), REASONS))
        return
    kept = generate(arguments.workers, None if arguments.all else SAMPLE, arguments.words)
    page = text(kept, REASONS)
    sys.stdout.write(page.partition("\n## ")[0] + "\n")
    if not arguments.words:
        KEPT.parent.mkdir(exist_ok=True)
        KEPT.write_text(lines(kept))
        TEXT.write_text(page)


if __name__ == "__main__":
    main()
