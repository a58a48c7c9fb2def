"""Time and memory as work grows: `python -m tests.studies.growth [--write]`, or `make growth`.

Three parts: audits of more trials, audits of wider outputs, and batched implementations beside the reference at the sizes
of a9a and MNIST, on made-up rows. Times are processor seconds, which other programs on the machine change little. Each
audit runs in a process of its own, whose largest memory is reported. `--write` stores the table in tests/studies/GROWTH.md.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from dppca.audit import batched
from dppca.reference.catalog import ALGORITHMS
from dppca.reference.noise import Noise, Sample
from tests.studies.benchmarks_cost import audited, isolated
from tests.studies.stored_tables import say

TABLE = Path(__file__).with_name("GROWTH.md")
#: Trials per dataset, of outputs that are one number; numbers in an output, at 20,000 trials; and both together.
TRIALS = (1_000, 10_000, 100_000, 1_000_000, 10_000_000)
WIDTHS, OF_WIDTHS = (1, 10, 100, 1_000), 20_000
WIDE_AND_MANY = (100, 1_000_000)
#: Numbers of rows, columns and components: the tests' size, a9a's and MNIST's.
SIZES = ((10, 4, 1), (10, 4, 2), (32_561, 123, 1), (32_561, 123, 10), (60_000, 784, 1), (60_000, 784, 10))
STEPS = 20


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


def implementations(case: Case) -> tuple[Callable[[Any, Noise], Any], batched.Batched]:
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
    run, sampler = implementations(case)
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


def audits() -> Iterator[str]:
    """Yield the rows of audits of more trials and of wider outputs, with the exponent at which the time grows."""
    yield from ("| outputs | trials | CPU s | grows like | peak memory, GB |", "| --- | --- | --- | --- | --- |")
    before: tuple[int, float] | None = None
    for width, trials in [*((1, trials) for trials in TRIALS), *((width, OF_WIDTHS) for width in WIDTHS), WIDE_AND_MANY]:
        found = isolated(audited, partial(_normal, width=width), trials)
        work = width * trials
        grows = "" if before is None or work <= before[0] else _exponent(before, (work, found["seconds"]))
        before = None if (width, trials) in ((1, TRIALS[-1]), (WIDTHS[-1], OF_WIDTHS)) else (work, found["seconds"])
        name = "a number" if width == 1 else f"{width:,} numbers"
        yield f"| {name} | {trials:,} | {found['seconds']:.1f} | {grows} | {found['memory']:.2f} |"


def _exponent(first: tuple[float, float], last: tuple[float, float]) -> str:
    """Return the power of the size by which a time grows between two sizes."""
    return f"size^{math.log(last[1] / first[1]) / math.log(last[0] / first[0]):.2f}"


def batched_rows() -> Iterator[str]:
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


TEXT = """# Time and memory as work grows

Made by `python -m tests.studies.growth --write`. Processor seconds; each audit in a process of its own, start-up (1.5 s)
included. Outputs are `audit.lower_bound`'s at its defaults; trials are per dataset. *Grows like* compares a row with the one
before it, or an algorithm with its next smaller d.

## Audits

{audits}

## Batched implementations beside the reference

One core, rows made up, at the sizes of the tests, of a9a and of MNIST; iterations take 20 steps, private Oja one for each of
10 rows. A trial of the batched implementation: its draws, its linear algebra, and its share of what is made of the data once
in an audit of 10,000 trials.

{batched}
"""


def main() -> None:
    """Print the tables, or write them."""
    parser = argparse.ArgumentParser(prog="python -m tests.studies.growth", description=__doc__)
    parser.add_argument("--write", action="store_true", help="store the table in tests/studies/GROWTH.md")
    arguments = parser.parse_args()
    parts: dict[str, list[str]] = {}
    for name, rows in (("audits", audits()), ("batched", batched_rows())):
        parts[name] = []
        for row in rows:
            say(row)
            parts[name].append(row)
    if arguments.write:
        TABLE.write_text(TEXT.format(**{name: "\n".join(rows) for name, rows in parts.items()}))


if __name__ == "__main__":
    main()
