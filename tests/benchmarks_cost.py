"""What an audit costs in processor time and memory: `python -m tests.benchmarks_cost [--write]`.

Each case runs in a process of its own. Times are processor seconds, which other programs on the machine change little;
`--write` keeps the table in tests/COST.md.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from joblib.externals.loky import get_reusable_executor

from dppca import audit
from tests.kept import say
from tests.mechanisms import Vectorised

TABLE = Path(__file__).with_name("COST.md")
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


def audited(mechanism: Any, trials: int, workers: int = 1, again: int = 0) -> dict[str, float]:
    """Processor seconds of this process and of its workers, wall seconds, and the most memory held, in GB.

    Where the audit is run so many times again, also the median of their processor seconds, which have no start-up in them.
    """
    wall = time.perf_counter()
    audit.lower_bound(mechanism, 0.0, 1.0, trials=trials, workers=workers)
    wall = time.perf_counter() - wall
    get_reusable_executor().shutdown(wait=True)
    own, others = (resource.getrusage(of) for of in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    repeated = []
    for _ in range(again):
        started = time.process_time()
        audit.lower_bound(mechanism, 0.0, 1.0, trials=trials)
        repeated.append(time.process_time() - started)
    return {
        "again": float(np.median(repeated)) if repeated else 0.0,
        "own": own.ru_utime + own.ru_stime,
        "others": others.ru_utime + others.ru_stime,
        "wall": wall,
        "memory": own.ru_maxrss / 2**20,
    }


def apart(draw: Callable[..., Any], trials: int, workers: int = 1, again: int = 0) -> dict[str, float]:
    """`audited` in a fresh process."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        mechanism = draw if draw is _slow else Vectorised(draw)
        return pool.apply(audited, (mechanism, trials, workers, again))


def table() -> list[str]:
    """Return the rows, printed as they come."""
    rows = ["| audit | trials | CPU s | peak memory, GB | beside |", "| --- | --- | --- | --- | --- |"]

    def add(name: str, trials: int, found: dict[str, float], beside: str) -> None:
        rows.append(f"| {name} | {trials:,} | {found['own'] + found['others']:.1f} | {found['memory']:.2f} | {beside} |")
        say(rows[-1])

    start = apart(_laplace, 100)
    add("start-up: imports, 100 trials", 100, start, "")
    add("numbers, vectorised", 10_000_000, apart(_laplace, 10_000_000), "goal: 60 s, 4 GB")
    numbers = apart(_numbers, TRIALS, again=AGAIN)
    add("numbers, a list", TRIALS, numbers, f"{numbers['again']:.2f} s without start-up")
    for name, draw in (("words", _words), ("pairs of word and number", _tuples), ("dicts of the same", _dicts)):
        found = apart(draw, TRIALS, again=AGAIN)
        times = found["again"] / numbers["again"]
        add(name, TRIALS, found, f"{found['again']:.2f} s without start-up, {times:.1f} times the list of numbers (goal: 3)")
    one = apart(_slow, TRIALS // 10)
    add(
        "a callable, one worker",
        TRIALS // 10,
        one,
        f"{(one['own'] - start['own']) / (TRIALS / 5) * 1e6:.0f} microseconds a call",
    )
    two = apart(_slow, TRIALS // 10, 2)
    gain = (one["own"] - start["own"]) / (two["own"] - start["own"] + (two["others"]) / 2.0)
    add(
        "a callable, two workers",
        TRIALS // 10,
        two,
        f"{gain:.2f} times as fast on two idle cores, by processor time (goal: 1.7)",
    )
    return rows


def main() -> None:
    """Print the table, or write it."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks_cost", description=__doc__)
    parser.add_argument("--write", action="store_true", help="keep the table in tests/COST.md")
    arguments = parser.parse_args()
    rows = table()
    text = [
        "# What an audit costs",
        "",
        "Made by `python -m tests.benchmarks_cost --write`. `audit.lower_bound` at its defaults; trials are per dataset,",
        "processor seconds and memory are those of the whole process, the mechanism's own included. The gain of two workers",
        "is that of two idle cores if nothing of the parent's work overlaps with the workers': one worker's time over the",
        "parent's own plus half of the workers'. Seconds without start-up are medians of audits that follow in the process.",
        "",
    ]
    if arguments.write:
        TABLE.write_text("\n".join([*text, *rows]) + "\n")


if __name__ == "__main__":
    main()
