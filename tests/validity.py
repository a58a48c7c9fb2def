"""How often bounds are above the exact epsilon, on the benchmark's mechanisms: `python -m tests.validity [--write]`.

Each audit has 2,000 trials per dataset. At confidence 0.5 half of the bounds may be wrong, and a fault is easiest to see.
`--write` keeps the table in tests/VALIDITY.md.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
from scipy.stats import binom

from dppca.audit.engine.output_view import lower_bound_from_outputs
from tests.benchmark_mechanisms import benchmarks

KEPT = Path(__file__).with_name("VALIDITY.md")
TRIALS, CONFIDENCES = 2000, (0.5, 0.95)
#: Wider outputs take too long for hundreds of audits.
WIDEST = 60


def table(repetitions: int) -> list[str]:
    """Return the rows: mechanism, wrong bounds at each confidence."""
    rows = ["| mechanism | exact | above it at 0.5 | above it at 0.95 |", "| --- | --- | --- | --- |"]
    totals, audits, worst = [0, 0], 0, 1.0
    for of in benchmarks():
        known = of.known
        if (
            np.ndim(shown := known.mechanism.sample(known.data, 1, np.random.default_rng(0))) > 1
            and np.shape(shown)[1] > WIDEST
        ):
            continue
        wrong = [0, 0]
        for seed in range(repetitions):
            rng = np.random.default_rng([1234, seed])
            outputs = [known.mechanism.sample(x, TRIALS, rng) for x in (known.data, known.neighbour)]
            for i, confidence in enumerate(CONFIDENCES):
                bound = lower_bound_from_outputs(*outputs, delta=known.delta, confidence=confidence, seed=seed)
                wrong[i] += bound.epsilon > known.epsilon
        audits += repetitions
        totals = [total + count for total, count in zip(totals, wrong, strict=True)]
        worst = min(worst, *(float(binom.sf(n - 1, repetitions, 1.0 - c)) for n, c in zip(wrong, CONFIDENCES, strict=True)))
        rows.append(f"| {known.name} | {known.epsilon:.3f} | {wrong[0]} of {repetitions} | {wrong[1]} of {repetitions} |")
        sys.stdout.write(rows[-1] + "\n")
        sys.stdout.flush()
    text = f"{audits:,} pairs of samples: {totals[0]} wrong at confidence 0.5, {totals[1]} at 0.95. "
    rows += ["", text + f"The least p-value of a row against its nominal rate is {worst:.3g}."]
    sys.stdout.write(rows[-1] + "\n")
    return rows


def main() -> None:
    """Print the table, or write it."""
    parser = argparse.ArgumentParser(prog="python -m tests.validity", description=__doc__)
    parser.add_argument(
        "--repetitions", type=int, default=100, help="audits of each mechanism at each confidence (default: 100)"
    )
    parser.add_argument("--write", action="store_true", help="keep the table in tests/VALIDITY.md")
    arguments = parser.parse_args()
    rows = table(arguments.repetitions)
    if arguments.write:
        head = [
            "# How often the auditor is wrong",
            "",
            f"Made by `python -m tests.validity --repetitions {arguments.repetitions} --write`.",
        ]
        text = [
            f"Bounds from {TRIALS:,} trials per dataset that are above the exact epsilon, on the benchmark's mechanisms.",
            "",
        ]
        KEPT.write_text("\n".join([*head, "", *text, *rows]) + "\n")


if __name__ == "__main__":
    main()
