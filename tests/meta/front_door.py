"""`python -m tests.meta.front_door`: every planted bug through the command that a user runs.

With a bug in place, `pytest audit/ -k <algorithm>` must end with exit status 1 and name an audit; without it, with 0. Every
run is a process of its own, forked before anything is planted.
"""

from __future__ import annotations

import argparse
import io
import json
import multiprocessing
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext, redirect_stderr, redirect_stdout
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pytest

from dppca.reference.catalog import ALGORITHMS
from tests.meta.bugs import BUGS
from tests.meta.generic import GENERIC
from tests.meta.planting import planted

HERE = Path(__file__).parent
KEPT = HERE / "front_door.json"
TABLE = HERE / "FRONT_DOOR.md"
ROOT = HERE.parent.parent
SOUND = "no bug"


@dataclass(frozen=True)
class Question:
    """One run: the algorithm, and the bug by its name ("" for none)."""

    algorithm: str
    bug: str
    generic: bool

    @property
    def id(self) -> str:
        """Algorithm and bug."""
        return f"{self.algorithm}: {self.bug or SOUND}"


@dataclass(frozen=True)
class Answer:
    """How it ended: exit status, the first audit that failed, seconds."""

    algorithm: str
    bug: str
    generic: bool
    status: int
    failed: str
    seconds: float


def questions(keys: tuple[str, ...] = ()) -> Iterator[Question]:
    """Every run; of these algorithms alone, if some are given."""
    for key, declaration in ALGORITHMS.items():
        if (keys and key not in keys) or not declaration.private:
            continue
        yield Question(key, "", generic=False)
        for bug in GENERIC:
            if bug.applies(declaration):
                yield Question(key, bug.name, generic=True)
        for planted_bug in BUGS:
            if planted_bug.subject == key and not planted_bug.behind:
                yield Question(key, planted_bug.name, generic=False)


def context(question: Question) -> Any:
    """The context in which the bug is there."""
    if not question.bug:
        return nullcontext()
    if question.generic:
        (bug,) = (bug for bug in GENERIC if bug.name == question.bug)
        return bug.plant(ALGORITHMS[question.algorithm])
    (edited,) = (bug for bug in BUGS if (bug.subject, bug.name) == (question.algorithm, question.bug))
    return planted(edited.edits)


def ask(question: Question, budget: str = "standard") -> Answer:
    """Run `pytest audit/ -k <algorithm>` to the first failure; the known answers, which any change moves, come last."""
    started = time.perf_counter()
    answers = ROOT / "audit" / "tests" / "test_known_answers.py"
    with context(question):
        status, failed = _pytest([str(ROOT / "audit"), f"--ignore={answers}"], question.algorithm, budget)
        if status == 0:
            status, failed = _pytest([str(answers)], question.algorithm, budget)
    return Answer(question.algorithm, question.bug, question.generic, status, failed, time.perf_counter() - started)


def _pytest(what: list[str], algorithm: str, budget: str) -> tuple[int, str]:
    """The exit status, and the first test that failed."""
    said = io.StringIO()
    with tempfile.TemporaryDirectory() as directory, redirect_stdout(said), redirect_stderr(said):
        report = Path(directory) / "report.json"
        command = [*what, "-k", f"{algorithm}-", "-x", "-q", "-p", "no:cacheprovider"]
        command += ["-W", "ignore:Module already imported"]  # where the package's own pytest plugin is installed
        status = pytest.main([*command, "--rootdir", str(ROOT), "--budget", budget, "--report", str(report)])
        tests = json.loads(report.read_text())["tests"] if report.exists() else []
    return int(status), next((t["test"].rpartition("::")[2] for t in tests if t["outcome"] in ("failed", "error")), "")


def run(asked: list[Question], workers: int) -> Iterator[Answer]:
    """Every answer, printed as it comes."""
    context_of = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(workers, mp_context=context_of, max_tasks_per_child=None) as pool:
        for answer in pool.map(_isolated, asked):
            wrong = "" if bool(answer.status) == bool(answer.bug) else "   <<< WRONG"
            line = f"{answer.status}  {answer.algorithm}: {answer.bug or SOUND}  [{answer.failed}]"
            sys.stdout.write(f"{line}  {answer.seconds:.1f} s{wrong}\n")
            sys.stdout.flush()
            yield answer


def keep(answer: Answer) -> None:
    """Write the table anew with this answer in it."""
    kept = json.loads(KEPT.read_text()) if KEPT.exists() else []
    rows = {(row["algorithm"], row["bug"]): row for row in [*kept, asdict(answer)]}
    known = [(question.algorithm, question.bug) for question in questions()]
    ordered = [rows[key] for key in known if key in rows]
    KEPT.write_text(json.dumps(ordered, indent=1) + "\n")
    TABLE.write_text(text(ordered, len(known)))


def _isolated(question: Question) -> Answer:
    """Ask in a process of its own, so that nothing that was built or cached is left."""
    fork = multiprocessing.get_context("fork")
    ours, theirs = fork.Pipe(duplex=False)

    def child() -> None:
        theirs.send(ask(question))
        theirs.close()

    process = fork.Process(target=child, daemon=False)
    process.start()
    theirs.close()
    try:
        answer: Answer = ours.recv()
    except EOFError:
        answer = Answer(question.algorithm, question.bug, question.generic, 99, "the run died", 0.0)
    process.join()
    return answer


def text(answers: list[dict[str, Any]], all_of_them: int) -> str:
    """FRONT_DOOR.md: what was asked, of how many runs in all."""
    bugs = [answer for answer in answers if answer["bug"]]
    caught = [answer for answer in bugs if answer["status"] == 1 and answer["failed"]]
    sound = [answer for answer in answers if not answer["bug"]]
    lines = [
        "<!-- generated by `python -m tests.meta.front_door --write`; do not edit -->",
        "",
        "# Planted bugs through the front door",
        "",
        "With each bug in place, `pytest audit/ -k <algorithm>` was run at the standard budget, to its first failure. "
        f"{len(caught)} of {len(bugs)} bugs end it with exit status 1 and name an audit; without a bug "
        f"{sum(answer['status'] == 0 for answer in sound)} of {len(sound)} algorithms end with 0.",
        *([] if len(answers) == all_of_them else ["", f"{all_of_them - len(answers)} runs are still to be done."]),
        "",
        "| algorithm | bug | exit status | first audit that fails |",
        "| --- | --- | --- | --- |",
    ]
    for answer in answers:
        status = answer["status"] if bool(answer["status"]) == bool(answer["bug"]) else f"**{answer['status']}**"
        failed = answer["failed"].replace("|", "\\|")
        lines.append(f"| {answer['algorithm']} | {answer['bug'] or SOUND} | {status} | {failed} |")
    return "\n".join([*lines, ""])


def main() -> int:
    """0 if every run ends as it must."""
    parser = argparse.ArgumentParser(prog="python -m tests.meta.front_door", description=__doc__)
    parser.add_argument("algorithms", nargs="*", help="keys of the catalogue (default: all)")
    parser.add_argument("--workers", type=int, default=2, help="runs at a time (default: 2)")
    parser.add_argument("--write", action="store_true", help=f"keep the answers in {KEPT.name} and {TABLE.name}")
    parser.add_argument("--missing", action="store_true", help=f"only runs that {KEPT.name} has no answer of")
    parser.add_argument("--generic", action="store_true", help="only bugs that any algorithm can have (tests/meta/generic.py)")
    arguments = parser.parse_args()
    asked = [q for q in questions(tuple(arguments.algorithms)) if q.generic or not arguments.generic]
    if arguments.missing:
        kept = json.loads(KEPT.read_text()) if KEPT.exists() else []
        done = {(row["algorithm"], row["bug"]) for row in kept}
        asked = [q for q in asked if (q.algorithm, q.bug) not in done]
    wrong = False
    for answer in run(asked, arguments.workers):
        wrong |= bool(answer.status) != bool(answer.bug)
        if arguments.write:
            keep(answer)
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main())
