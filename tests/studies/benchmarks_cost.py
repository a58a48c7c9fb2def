"""What an audit costs in processor time and memory: `python -m tests.studies.benchmarks_cost [--write]`.

Each case runs in a process of its own. Times are processor seconds, which other programs on the machine change little, but
for the gain of workers, which needs an idle machine; `--write` keeps the table in tests/studies/COST.md.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from joblib.externals.loky import get_reusable_executor

from dppca import audit
from tests.studies.known_mechanisms import Vectorised
from tests.studies.stored_tables import say

TABLE = Path(__file__).with_name("COST.md")
HEAD = """# What an audit costs

Made by `python -m tests.studies.benchmarks_cost --write`.

For whoever plans an audit: the table says how much processor time and memory `audit.lower_bound` takes at its default
settings, by what the mechanism returns. The mechanism's own cost is included. It is small in all rows but the last
two, whose mechanism is called once for each trial and takes about a tenth of a millisecond.

- *trials*: the number of outputs that are drawn on each of the two datasets.
- *CPU s*: seconds of processor time of the whole process, with its start-up, the mechanism and all workers.
- *peak memory, GB*: the most memory that the process held at any time.
- *beside*: what to compare the row with. A goal is a limit that the project has set itself. Seconds *without
  start-up* are the median over several audits in one process, after its first. The last row compares elapsed time,
  not processor time: two workers against one, and beside it the same calls in two bare processes against one, which
  is what the machine's second core is worth.
"""
TRIALS = 200_000
#: Audits in a process that has started up, whose median is compared.
AGAIN = 5


def _laplace(x: float, n: int, rng: np.random.Generator) -> Any:
    return x + rng.laplace(size=n)


def _numbers(x: float, n: int, rng: np.random.Generator) -> Any:
    return _laplace(x, n, rng).tolist()


def _words(x: float, n: int, rng: np.random.Generator) -> Any:
    names = ["north", "east", "south", "west"]
    return [names[i] for i in (rng.integers(0, 4, n) * (rng.random(n) < 0.8 - 0.2 * x)).tolist()]


def _tuples(x: float, n: int, rng: np.random.Generator) -> Any:
    return list(zip(_words(x, n, rng), _numbers(x, n, rng), strict=True))


def _dicts(x: float, n: int, rng: np.random.Generator) -> Any:
    return [{"word": word, "count": number} for word, number in _tuples(x, n, rng)]


def _slow(x: float, rng: np.random.Generator) -> float:
    """About a tenth of a millisecond."""
    return float(x + np.sort(rng.laplace(size=2000))[0])


def _seconds(mechanism: Any, trials: int, workers: int) -> Any:
    """Return the processor seconds that an audit takes in this process, and in its workers, which have ended then."""

    def used() -> Any:
        both = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
        return np.array([of.ru_utime + of.ru_stime for of in both])

    before = used()
    audit.lower_bound(mechanism, 0.0, 1.0, trials=trials, workers=workers)
    if workers > 1:
        get_reusable_executor().shutdown(wait=True)
    return used() - before


def audited(mechanism: Any, trials: int, workers: int = 1, again: int = 0) -> dict[str, float]:
    """Processor seconds of this process from its start and of its workers, and the most memory held, in GB.

    Where the audit is run so many times again, also the median of its processor seconds, which have no start-up in them.
    """
    _, others = _seconds(mechanism, trials, workers)
    own = resource.getrusage(resource.RUSAGE_SELF)
    repeated = [_seconds(mechanism, trials, workers).sum() for _ in range(again)]
    return {
        "again": float(np.median(repeated)) if again else 0.0,
        "seconds": own.ru_utime + own.ru_stime + others,
        "memory": own.ru_maxrss / 2**20,
    }


def gain(mechanism: Any, trials: int) -> tuple[float, float]:
    """How many times as fast an audit is with two workers, and how many times its calls are in two bare processes.

    Audits and calls are timed in turn, so that they meet the same machine, whose second core may be worth less than its first.
    """
    rounds = [
        (
            *(_elapsed(audit.lower_bound, mechanism, 0.0, 1.0, trials=trials, workers=k) for k in (1, 2)),
            *(_elapsed(_side_by_side, mechanism, 2 * trials, k) for k in (1, 2)),
        )
        for _ in range(1 + AGAIN)
    ]
    audits, bare = (np.median([turn[k] / turn[k + 1] for turn in rounds[1:]]) for k in (0, 2))
    return float(audits), float(bare)


def _elapsed(run: Callable[..., Any], *arguments: Any, **options: Any) -> float:
    started = time.perf_counter()
    run(*arguments, **options)
    return time.perf_counter() - started


def _side_by_side(mechanism: Any, calls: int, processes: int) -> None:
    """Call a mechanism so often, in so many processes together."""
    context = multiprocessing.get_context("fork")
    running = [context.Process(target=_called, args=(mechanism, calls // processes)) for _ in range(processes)]
    for process in running:
        process.start()
    for process in running:
        process.join()


def _called(mechanism: Any, calls: int) -> None:
    rng = np.random.default_rng(0)
    for _ in range(calls):
        mechanism(0.0, rng)


def isolated(measure: Callable[..., Any], draw: Callable[..., Any], *arguments: int) -> Any:
    """Return what `measure` gives in a fresh process."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        return pool.submit(measure, draw if draw is _slow else Vectorised(draw), *arguments).result()


def table() -> list[str]:
    """Return the rows, printed as they come."""
    rows = ["| audit | trials | CPU s | peak memory, GB | beside |", "| --- | --- | --- | --- | --- |"]

    def add(name: str, trials: int, found: dict[str, float], beside: str) -> None:
        rows.append(f"| {name} | {trials:,} | {found['seconds']:.1f} | {found['memory']:.2f} | {beside} |")
        say(rows[-1])

    add("start-up: imports, 100 trials", 100, isolated(audited, _laplace, 100), "")
    add("numbers, vectorised", 10_000_000, isolated(audited, _laplace, 10_000_000), "goal: 60 s, 4 GB")
    numbers = isolated(audited, _numbers, TRIALS, 1, AGAIN)
    add("numbers, a list", TRIALS, numbers, f"{numbers['again']:.2f} s without start-up")
    for name, draw in (("words", _words), ("pairs of word and number", _tuples), ("dicts of the same", _dicts)):
        found = isolated(audited, draw, TRIALS, 1, AGAIN)
        times = found["again"] / numbers["again"]
        told = f"{found['again']:.2f} s without start-up, {times:.1f} times the list of numbers (goal: 3)"
        add(name, TRIALS, found, told)
    calls = TRIALS // 10
    found = isolated(audited, _slow, calls, 1, AGAIN)
    add("a callable, one worker", calls, found, f"{found['again'] / (2 * calls) * 1e6:.0f} microseconds a call")
    audits, bare = isolated(gain, _slow, calls)
    told = f"{audits:.2f} times as fast (goal: 1.7); two bare processes: {bare:.2f}"
    add("a callable, two workers", calls, isolated(audited, _slow, calls, 2), told)
    return rows


def main() -> None:
    """Print the table, or write it."""
    parser = argparse.ArgumentParser(prog="python -m tests.studies.benchmarks_cost", description=__doc__)
    parser.add_argument("--write", action="store_true", help="keep the table in tests/studies/COST.md")
    arguments = parser.parse_args()
    rows = table()
    if arguments.write:
        TABLE.write_text("\n".join([HEAD, *rows]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
