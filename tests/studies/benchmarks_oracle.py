"""Bounds beside what a test that knew the best event would give: `python -m tests.studies.benchmarks --oracle [--write]`.

The figures are kept in benchmark.json, one row a mechanism, written after every audit; BENCHMARK.md shows them.
"""

from __future__ import annotations

import math
import time
from pathlib import Path
from typing import Any

import numpy as np

from dppca import audit
from tests.studies.benchmark_mechanisms import Benchmark, benchmarks, oracle
from tests.studies.stored_tables import Rows, say

KEPT = Path(__file__).with_name("benchmark.json")
TABLE = Path(__file__).with_name("BENCHMARK.md")
CONFIDENCE = 0.95
#: Numbers that the outputs on one dataset may hold, and outputs that are Python objects: there are fewer trials of these.
MOST_NUMBERS, MOST_OBJECTS = 30_000_000, 100_000
#: Shares below this are marked: the goal for every row.
GOAL = 0.93


def share_of_the_oracle(trials: int, seeds: int, *, write: bool, anew: str = "") -> None:
    """Run what is missing of the audits with these seeds, one seed after the other; `write` keeps them and the table.

    `anew`: only mechanisms with this in their name, whether or not they are there.
    """
    say(f"Share of the oracle: {trials:,} trials per dataset, confidence {CONFIDENCE}, {seeds} seeds")
    rows = Rows(KEPT if write else None, {"trials": trials, "confidence": CONFIDENCE})
    known = benchmarks()
    chosen = [of for of in known if anew in of.name]
    for of in chosen if anew else ():
        rows.put(of.name, {})
    for seed in range(seeds):
        for of in chosen:
            row = rows.row(of.name) or _begun(of, trials)
            if str(seed) not in row["bounds"]:
                row["bounds"][str(seed)], row["seconds"][str(seed)] = _audited(of, row["trials"], seed)
                rows.put(of.name, row)
                say(f"  seed {seed}: {_line(of.name, row, trials)}")
                if write:
                    TABLE.write_text(text(rows.rows, rows.settings, len(known)))
    for line in text(rows.rows, rows.settings, len(known)).splitlines():
        say(line)


def _begun(of: Benchmark, trials: int) -> dict[str, Any]:
    """Return a row without bounds; an infinite epsilon is null."""
    shown = of.known.mechanism.sample(of.known.data, 1, np.random.default_rng(0))
    most = MOST_NUMBERS // np.size(shown) if isinstance(shown, np.ndarray) else MOST_OBJECTS
    exact = None if math.isinf(of.known.epsilon) else of.known.epsilon
    best = oracle(of, trials := min(trials, most), min(300_000, most))
    return {"exact": exact, "trials": trials, "oracle": best, "bounds": {}, "seconds": {}}


def _audited(of: Benchmark, trials: int, seed: int) -> tuple[float, float]:
    """Return a bound, and the processor seconds that it took."""
    known, started = of.known, time.process_time()
    bound = audit.lower_bound(
        known.mechanism, known.data, known.neighbour, delta=known.delta, trials=trials, confidence=CONFIDENCE, seed=seed
    )
    return bound.epsilon, round(time.process_time() - started, 2)


def share(row: dict[str, Any]) -> float:
    """Return the median bound over the oracle's."""
    return float(np.median(list(row["bounds"].values()))) / float(row["oracle"])


def _line(name: str, row: dict[str, Any], trials: int) -> str:
    """Return a row of the table."""
    exact, bounds = math.inf if row["exact"] is None else row["exact"], list(row["bounds"].values())
    low = " (low)" if share(row) < GOAL else ""
    above = sum(bound > exact for bound in bounds)
    seconds = float(np.mean(list(row["seconds"].values())))
    fewer = "" if row["trials"] == trials else f", {row['trials']:,} trials"
    return (
        f"| {name}{fewer} | {exact:.3f} | {row['oracle']:.3f} | {np.median(bounds):.3f} | {share(row):.3f}{low} | "
        f"{above} of {len(bounds)} | {seconds:.1f} |"
    )


def _missing(there: int, of: int) -> str:
    return "" if there == of else f"{of - there} of {of} mechanisms have not been run yet: the same command goes on with them."


def text(rows: dict[str, dict[str, Any]], settings: dict[str, Any], mechanisms: int) -> str:
    """Return the page, from what was run, of so many mechanisms that there are."""
    there = {name: row for name, row in rows.items() if row and row["bounds"]}
    counts = sorted({len(row["bounds"]) for row in there.values()})
    seeds = " or ".join(map(str, counts))
    more = " Rows of more seeds: the same with `--only` and their seeds." if len(counts) > 1 else ""
    shares = [share(row) for row in there.values()]
    low = sum(value < GOAL for value in shares)
    lines = [
        "# What the auditor reaches",
        "",
        f"Made by `python -m tests.studies.benchmarks --oracle --trials {settings['trials']} --seeds {min(counts)} --write`."
        f"{more}",
        "",
        f"The table has lower bounds from {settings['trials']:,} trials per dataset at confidence {settings['confidence']}:",
        f"the median over {seeds} seeds, and its share of the oracle, which is what the audit's final test gives on the best",
        "event, with all trials for itself. The auditor does not know that event; it finds one on a part of the trials.",
        "Mechanisms, pairs and exact values: `tests/studies/benchmark_mechanisms.py`. *CPU s* has processor",
        "seconds for one audit, the mechanism's own included.",
        "",
        "| mechanism | exact | oracle | median | share | above exact | CPU s |",
        "| --- | --- | --- | --- | --- | --- | --- |",
        *(_line(name, row, settings["trials"]) for name, row in there.items()),
        "",
        f"Median share {np.median(shares):.3f}; {low} of {len(shares)} below {GOAL}. {_missing(len(there), mechanisms)}",
    ]
    return "\n".join(line.rstrip() for line in lines) + "\n"
