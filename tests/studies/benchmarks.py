"""The auditor's figures, printed: `make benchmark` or `python -m tests.studies.benchmarks`.

Not a test: times depend on the machine. The share of wrong bounds is another study (tests/studies/validity.py).
"""

from __future__ import annotations

import argparse
import math
import time

import numpy as np

from dppca import audit
from tests.studies.benchmarks_oracle import share_of_the_oracle
from tests.studies.known_mechanisms import field
from tests.studies.limits import largest_median, sparse_vector_3_masses, sparse_vector_masses
from tests.studies.stored_tables import say


def field_mechanisms() -> None:
    """The benchmark mechanisms of the field at epsilon 0.1: 2,000,000 trials per dataset, 95 % confidence, 3 seeds.

    `limit`: the share of the exact epsilon that no valid lower bound's median can exceed at this size (limits.py).
    """
    trials = 2_000_000
    say(f"Benchmark mechanisms, epsilon 0.1: {trials:,} trials per dataset, confidence 0.95, median of 3 seeds")
    laws = {f"sparse vector {number}": sparse_vector_masses(number, 0.1) for number in (1, 2, 4, 6)}
    laws["sparse vector 3"] = sparse_vector_3_masses(0.1)
    for known in field(0.1):
        started = time.perf_counter()
        bounds = [
            audit.lower_bound(known.mechanism, known.data, known.neighbour, trials=trials, seed=seed).epsilon
            for seed in range(3)
        ]
        seconds = (time.perf_counter() - started) / 3
        share = "" if math.isinf(known.epsilon) else f", share {np.median(bounds) / known.epsilon:.3f}"
        if known.name in laws:
            share += f", limit {largest_median(*laws[known.name], trials) / known.epsilon:.2f}"
        say(
            f"  {known.name:30} exact {known.epsilon:.4f}  median {np.median(bounds):.4f}{share}  "
            f"range [{min(bounds):.4f}, {max(bounds):.4f}]  {seconds:.0f} s each"
        )


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(prog="python -m tests.studies.benchmarks", description=__doc__)
    parser.add_argument("--oracle", action="store_true", help="only the share of the oracle")
    parser.add_argument("--write", action="store_true", help="write tests/studies/BENCHMARK.md; with --oracle")
    parser.add_argument("--trials", type=int, default=100_000, help="trials per dataset there (default: 100,000)")
    parser.add_argument("--seeds", type=int, default=3, help="seeds there (default: 3)")
    parser.add_argument("--only", default="", help="there, only mechanisms with this in their name, anew")
    arguments = parser.parse_args()
    share_of_the_oracle(arguments.trials, arguments.seeds, write=arguments.oracle and arguments.write, anew=arguments.only)
    if arguments.oracle:
        return
    field_mechanisms()


if __name__ == "__main__":
    main()
