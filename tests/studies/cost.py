"""What audits cost in processor time and memory: `python -m tests.studies.cost [--write] [--only SECTION]`, or `make cost`.

Times are processor seconds, which other programs on the machine change little, but for the gain of workers, which needs an idle
machine. Each audit runs in a process of its own, whose largest memory is reported. `--write` stores the tables in
tests/studies/COST.md; a section that is not made keeps the table it has there.
"""

from __future__ import annotations

import argparse
import math
import multiprocessing
import resource
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from joblib.externals.loky import get_reusable_executor
from threadpoolctl import threadpool_limits

from dppca import audit
from dppca.audit import batched
from dppca.reference.catalog import ALGORITHMS
from dppca.reference.noise import Noise, Sample
from tests.studies.known_mechanisms import Vectorised
from tests.studies.stored_tables import say

PAGE = Path(__file__).with_name("COST.md")
TEXT = """# What an audit costs

Made by `make cost`, or a section alone by `python -m tests.studies.cost --write --only SECTION`.

For whoever plans an audit: how much processor time and memory `audit.lower_bound` takes at its default settings.

- *trials*: the number of outputs that are drawn on each of the two datasets.
- *CPU s*: seconds of processor time of the whole process, with its start-up, the mechanism and all workers.
- *peak memory, GB*: the most memory that the process held at any time.
- *grows like*: the power of the size by which the time has grown since the row before, or since the same algorithm's next
  smaller d.
- A *goal* is a limit that the project has set itself.

## By what the mechanism returns

The mechanism's own cost is included, and small. Seconds *without start-up* are the median over several audits in one process,
after its first.

{returns}

## More trials and wider outputs

Outputs are arrays. The goal at 10,000,000 trials of one number is 60 s and 4 GB.

{growth}

## A mechanism that is called for each trial

A call takes about a tenth of a millisecond. Two workers are compared with one by elapsed time, not by processor time, and
beside it the same calls in two bare processes with one, which is what the machine's second core is worth.

{workers}

## Batched implementations beside the reference

One core, rows made up, at the sizes of the tests, of a9a and of MNIST; iterations take 20 steps, private Oja one for each of
10 rows. A trial of the batched implementation: its draws, its linear algebra, and its share of what is made of the data once
in an audit of 10,000 trials.

{batched}
"""
TRIALS = 200_000
#: Trials of a mechanism that is called for each.
CALLS = TRIALS // 10
#: Audits in a process that has started up, whose median is compared.
AGAIN = 5
#: Trials of outputs that are one number; numbers in an output, at so many trials; and both together.
MANY = (1_000, 10_000, 100_000, 1_000_000, 10_000_000)
WIDTHS, OF_WIDTHS = (1, 10, 100, 1_000), 20_000
WIDE_AND_MANY = (100, 1_000_000)
#: Numbers of rows, columns and components: the tests' size, a9a's and MNIST's.
SIZES = ((10, 4, 1), (10, 4, 2), (32_561, 123, 1), (32_561, 123, 10), (60_000, 784, 1), (60_000, 784, 10))
STEPS = 20


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


def returns() -> Iterator[str]:
    """Yield the rows by what a mechanism returns."""
    yield from ("| outputs | trials | CPU s | peak memory, GB | beside |", "| --- | --- | --- | --- | --- |")
    yield _row("start-up: imports, 100 trials", 100, isolated(audited, _laplace, 100), "")
    numbers = isolated(audited, _numbers, TRIALS, 1, AGAIN)
    yield _row("numbers, a list", TRIALS, numbers, f"{numbers['again']:.2f} s without start-up")
    for name, draw in (("words", _words), ("pairs of word and number", _tuples), ("dicts of the same", _dicts)):
        found = isolated(audited, draw, TRIALS, 1, AGAIN)
        times = found["again"] / numbers["again"]
        told = f"{found['again']:.2f} s without start-up, {times:.1f} times the list of numbers (goal: 3)"
        yield _row(name, TRIALS, found, told)


def workers() -> Iterator[str]:
    """Yield the rows of a mechanism that is called for each trial, with one worker and with two."""
    yield from ("| workers | trials | CPU s | peak memory, GB | beside |", "| --- | --- | --- | --- | --- |")
    found = isolated(audited, _slow, CALLS, 1, AGAIN)
    yield _row("one", CALLS, found, f"{found['again'] / (2 * CALLS) * 1e6:.0f} microseconds a call")
    audits, bare = isolated(gain, _slow, CALLS)
    told = f"{audits:.2f} times as fast (goal: 1.7); two bare processes: {bare:.2f}"
    yield _row("two", CALLS, isolated(audited, _slow, CALLS, 2), told)


def _row(name: str, trials: int, found: dict[str, float], beside: str) -> str:
    return f"| {name} | {trials:,} | {found['seconds']:.1f} | {found['memory']:.2f} | {beside} |"


@dataclass(frozen=True)
class Case:
    """An algorithm as CORRECTED on a dataset."""

    key: str
    size: tuple[int, int, int]
    data: Any
    arguments: dict[str, Any]


def cases() -> Iterator[Case]:
    """Yield each algorithm at each size it takes; private Oja takes as many steps as there are rows, and has few."""
    for n, d, k in SIZES:
        rows = np.random.default_rng(0).normal(size=(n, d))
        rows /= np.linalg.norm(rows, axis=1).max()
        target = {"epsilon": 0.1, "delta": 1e-6}
        by_key: dict[str, dict[str, Any]] = {
            "wang2020.local_gaussian_mechanism": {"p": d},
            "baselines.analyze_gauss": {"d": d},
            "baselines.noisy_power_method": {"d": d, "L": STEPS},
            "shang2021.dp_spca": {"n": n, "d": d, "step_sizes": (0.1,) * STEPS},
            "shang2021.dp_vrpca": {"n": n, "d": d, "T": STEPS // 2, "m": 2, "eta": 0.1},
        }
        for key, own in by_key.items():
            if not (key.startswith("wang2020") and n > 10):  # the reference draws n messages of d (d + 1) / 2 numbers
                yield Case(key, (n, d, k), rows, {**target, "k": k, **own})
        if k == 1:
            few = rows[:10]
            oja = {"n": 10, "d": d, "lambda_1": 1.0, "K": 1.0, "gamma": 1.0, "step_sizes": (0.1,) * 10}
            yield Case("liu2022.private_oja", (10, d, 1), few, {**target, **oja})


def both(case: Case) -> tuple[Callable[[Any, Noise], Any], batched.Batched]:
    """Return the reference and the batched implementation."""
    entry = ALGORITHMS[case.key]
    sampler = batched.sampler(case.key, "CORRECTED", case.arguments)
    if sampler is None:
        raise ValueError(f"{case.key} must have a batched implementation")
    return entry.bind(**case.arguments, choices=entry.choices["CORRECTED"]), sampler


def _cost(run: Callable[[], object], least: float = 0.1) -> float:
    """Return the processor seconds of a call, over as many as take a while."""
    run()
    started, calls = time.process_time(), 0
    while (spent := time.process_time() - started) < least:
        run()
        calls += 1
    return spent / calls


def speeds(case: Case) -> tuple[float, float, dict[str, float]]:
    """Return the processor seconds of a trial by the reference and batched, and what those of the batched one consist of."""
    run, sampler = both(case)
    with threadpool_limits(limits=1):
        rng = np.random.default_rng(1)
        reference = _cost(lambda: run(case.data, Sample(rng)))
        trials = max(2, min(2_000, int(2e7) // (sampler.numbers(case.data) * case.size[2])))
        prepared, draws = sampler.prepared(case.data), sampler.draw(case.data, trials, rng)
        parts = {
            "data": _cost(lambda: sampler.prepared(case.data)) / 10_000,  # once in an audit of 10,000 trials
            "draws": _cost(lambda: sampler.draw(case.data, trials, rng)) / trials,
            "linear algebra": _cost(lambda: sampler.outputs(prepared, draws)) / trials,
        }
    return reference, sum(parts.values()), parts


def _normal(x: float, n: int, rng: np.random.Generator, *, width: int) -> Any:
    """Return outputs of so many normal numbers, all of which move with the data."""
    return rng.normal(x / math.sqrt(width), size=(n, width))


def growth() -> Iterator[str]:
    """Yield the rows of audits of more trials and of wider outputs, with the exponent at which the time grows."""
    yield from ("| outputs | trials | CPU s | grows like | peak memory, GB |", "| --- | --- | --- | --- | --- |")
    before: tuple[int, float] | None = None
    for width, trials in [*((1, trials) for trials in MANY), *((width, OF_WIDTHS) for width in WIDTHS), WIDE_AND_MANY]:
        found = isolated(audited, partial(_normal, width=width), trials)
        work = width * trials
        grows = "" if before is None or work <= before[0] else _exponent(before, (work, found["seconds"]))
        before = None if (width, trials) in ((1, MANY[-1]), (WIDTHS[-1], OF_WIDTHS)) else (work, found["seconds"])
        name = "a number" if width == 1 else f"{width:,} numbers"
        yield f"| {name} | {trials:,} | {found['seconds']:.1f} | {grows} | {found['memory']:.2f} |"


def _exponent(first: tuple[float, float], last: tuple[float, float]) -> str:
    """Return the power of the size by which a time grows between two sizes."""
    return f"size^{math.log(last[1] / first[1]) / math.log(last[0] / first[0]):.2f}"


def implementations() -> Iterator[str]:
    """Yield the rows of batched implementations: milliseconds a trial, times as fast, the dominant part, growth in d."""
    yield "| algorithm | n | d | k | reference, ms | batched, ms | times as fast | most of it | grows like |"
    yield "| --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    smaller: dict[tuple[str, int], tuple[int, float]] = {}
    for case in cases():
        n, d, k = case.size
        reference, fast, parts = speeds(case)
        most = max(parts, key=lambda part: parts[part])
        share = f"{most}, {parts[most] / fast:.0%}"
        grows = _exponent(smaller[case.key, k], (d, fast)).replace("size", "d") if (case.key, k) in smaller else ""
        smaller[case.key, k] = (d, fast)
        yield (
            f"| {case.key} | {n:,} | {d} | {k} | {1e3 * reference:.3g} | {1e3 * fast:.3g} | {reference / fast:.3g} "
            f"| {share} | {grows} |"
        )


#: How the table of each section of the page is made, in the order of the page.
SECTIONS: Mapping[str, Callable[[], Iterator[str]]] = {
    "returns": returns,
    "growth": growth,
    "workers": workers,
    "batched": implementations,
}


def stored() -> dict[str, str]:
    """Return the tables that the page has."""
    sections = PAGE.read_text(encoding="utf-8").split("\n## ")[1:]
    tables = ("\n".join(line for line in section.splitlines() if line.startswith("|")) for section in sections)
    return dict(zip(SECTIONS, tables, strict=True))


def main() -> None:
    """Print the tables, or write them."""
    parser = argparse.ArgumentParser(prog="python -m tests.studies.cost", description=__doc__)
    parser.add_argument("--write", action="store_true", help="store the tables in tests/studies/COST.md")
    parser.add_argument("--only", choices=SECTIONS, help="make this section alone")
    arguments = parser.parse_args()
    for name in [arguments.only] if arguments.only else SECTIONS:
        rows = []
        for row in SECTIONS[name]():
            say(row)
            rows.append(row)
        if arguments.write:
            PAGE.write_text(TEXT.format_map({**stored(), name: "\n".join(rows)}), encoding="utf-8")


if __name__ == "__main__":
    main()
