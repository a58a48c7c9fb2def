"""`python -m tests.project.check KEY`: runs all that concerns one algorithm; 1 if a step fails, with its name.

Each step is a command of its own, printed, so that it can be given again by hand.
"""

from __future__ import annotations

import argparse
import inspect
import shlex
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

from dppca.reference.catalog import ALGORITHMS

ROOT = Path(__file__).parents[2]
WORKERS = 2


@dataclass(frozen=True)
class Step:
    """One command; `name` says what fails if it does."""

    name: str
    command: tuple[str, ...]


@dataclass(frozen=True)
class Outcome:
    """The outcome of a step: how it ended, what it printed, and seconds."""

    step: Step
    status: int
    said: str
    seconds: float


def steps(key: str) -> list[Step]:
    """Return the commands for an algorithm, those that take longest first.

    Raises:
        ValueError: no key of the catalogue.
    """
    if key not in ALGORITHMS:
        raise ValueError(f"KEY must be a key of the catalogue, got {key!r}; `make new KEY={key}` begins an algorithm")
    entry = ALGORITHMS[key]
    file = str(Path(inspect.getfile(inspect.unwrap(entry.function))).resolve().relative_to(ROOT))
    pytest = ("-m", "pytest", "-q", "-p", "no:cacheprovider")
    python = {
        "planted bugs": ("-m", "tests.studies.mutation.planted_bugs", key),
        "audits": (*pytest, "audit/", "-k", f"{key}-", "--budget", "quick", "--report", f"build/check/{key}.json"),
        "tests": (*pytest, "tests/", "-k", key.partition(".")[2]),
        "vectors": ("-m", "dppca.reference.conformance", "--check", key),
        "types": ("-m", "mypy", file),
        "claims": ("-m", "dppca.proofs_notes", key),
        "completeness": ("-m", "tests.project.completeness", key),
        "lint": ("-m", "ruff", "check", file),
        "format": ("-m", "ruff", "format", "--check", file),
    }
    return [Step(name, (sys.executable, *arguments)) for name, arguments in python.items()]


def run(step: Step) -> Outcome:
    """Run one command from the top folder."""
    started = time.perf_counter()
    done = subprocess.run(  # noqa: S603 - our own commands
        step.command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    return Outcome(step, done.returncode, done.stdout, time.perf_counter() - started)


def check(of: list[Step], say: Callable[[str], object]) -> int:
    """Run the commands; 1 if any fails, and then say which, with what it printed."""
    failed = []
    with ThreadPoolExecutor(WORKERS) as pool:
        for future in as_completed([pool.submit(run, step) for step in of]):
            outcome = future.result()
            say(f"{'failed' if outcome.status else 'ok':6}  {outcome.step.name}  {outcome.seconds:.1f} s\n")
            if outcome.status:
                failed.append(outcome.step.name)
                say(f"  {shlex.join(('python', *outcome.step.command[1:]))}\n")
                say("".join(f"    {line}\n" for line in outcome.said.splitlines()))
    say(f"failed: {', '.join(failed)}\n" if failed else "everything passes\n")
    return int(bool(failed))


def main(arguments: list[str] | None = None) -> int:
    """0 if everything passes, 1 if something fails, 2 for a key that is not there."""
    parser = argparse.ArgumentParser(prog="python -m tests.project.check", description=__doc__)
    parser.add_argument("key", metavar="KEY", help="key of the catalogue, such as baselines.analyze_gauss")
    try:
        wanted = steps(parser.parse_args(arguments).key)
    except ValueError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return check(wanted, lambda text: print(text, end="", flush=True))  # noqa: T201 - a command's output


if __name__ == "__main__":
    sys.exit(main())
