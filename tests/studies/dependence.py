"""Is what is dependent refused, and what is not let be? `python -m tests.studies.dependence`, written to DEPENDENCE.md.

The dependent mechanisms: how many of some audits were refused, and how many gave a bound above the exact epsilon; at a
confidence of 0.95 one in twenty of those that are not refused may. The honest ones: whether each was refused, and in which
words, in this process and in processes of their own, as the command line runs them. What is not installed is left out.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from scipy.stats import binom

from dppca import audit
from tests.studies.dependent_mechanisms import DEPENDENT, PAIRS
from tests.studies.honest_mechanisms import HONEST, SLOW

TABLE = Path(__file__).with_name("DEPENDENCE.md")
#: Trials on each dataset of an audit of the first table, and of the second; audits of each mechanism in the first, and how many
#: are enough where all of them are refused.
TRIALS, HONEST_TRIALS, AUDITS, ENOUGH = 10_000, 2_000, 20, 3
#: Chance that a mechanism whose bounds are wrong no more often than they may be is called one whose are.
CHANCE = 1e-4


def audited(mechanism: Any, pair: tuple[Any, Any], trials: int, seed: int, **options: Any) -> audit.LowerBound | str:
    """Return the bound, or the first line of the refusal."""
    try:
        return audit.lower_bound(mechanism, *pair, trials=trials, seed=seed, **options)
    except (audit.MechanismError, ValueError) as error:
        return str(error).splitlines()[0]


def dependence_table(audits: int, only: str) -> tuple[list[str], list[str]]:
    """Return the rows of the first table, and the names of those that are wrong more often than they may be."""
    rows, wrong = [], []
    for name, (make, exact) in DEPENDENT.items():
        if only not in name:
            continue
        pairs: Callable[[], tuple[Any, Any]] = PAIRS.get(name, lambda: (0.0, 1.0))
        found: list[audit.LowerBound | str] = []
        while len(found) < (audits if any(not isinstance(of, str) for of in found) else min(audits, ENOUGH)):
            found.append(audited(make(), pairs(), TRIALS, len(found)))
        bounds = [of.epsilon for of in found if not isinstance(of, str)]
        above = sum(bound > exact for bound in bounds)
        if above > binom.ppf(1 - CHANCE, max(len(bounds), 1), 0.05):
            wrong.append(name)
        largest = f"{max(bounds):.2f}" if bounds else ""
        rows.append(
            f"| {name} | {exact:.3g} | {len(found) - len(bounds)} of {len(found)} | {above} of {len(bounds)} | {largest} |"
        )
        sys.stderr.write(rows[-1] + "\n")
    return rows, wrong


def honest_table(only: str) -> tuple[list[str], list[str], list[str]]:
    """Return the rows of the second table, the names of those that were refused, and of those that were left out."""
    rows, refused, left_out = [], [], []
    for name, make in HONEST.items():
        if only not in name:
            continue
        needs, colon, _ = name.partition(":")
        if colon and importlib.util.find_spec(needs) is None:
            left_out.append(name)
            continue
        trials = 300 if name in SLOW else HONEST_TRIALS
        found = [audited(make(), (0.0, 1.0), trials, 0, confidence=0.999, isolate=isolate) for isolate in (False, True)]
        bounds = ["refused" if isinstance(of, str) else f"{of.epsilon:.2f}" for of in found]
        refused += [name] * ("refused" in bounds)
        said = dict.fromkeys(of if isinstance(of, str) else of.unchecked.partition(":")[0] for of in found)
        rows.append(f"| {name} | {' | '.join(bounds)} | " + "; ".join(filter(None, said)).replace("|", "\\|") + " |")
        sys.stderr.write(rows[-1] + "\n")
    return rows, refused, left_out


def main() -> None:
    """Print both tables, and write them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--audits", type=int, default=AUDITS, help="audits of each dependent mechanism")
    parser.add_argument("--only", default="", help="part of a name; nothing is written")
    parser.add_argument("--table", choices=("dependent", "honest"), help="one of the tables; nothing is written")
    options = parser.parse_args()
    first, wrong = dependence_table(options.audits, options.only) if options.table != "honest" else ([], [])
    second, refused, left_out = honest_table(options.only) if options.table != "dependent" else ([], [], [])
    text = "\n".join(
        [
            "# Dependent and honest mechanisms",
            "",
            "Written by `python -m tests.studies.dependence`.",
            "",
            f"Of {len(first)} kinds of dependence, {len(wrong)} gave a bound above the exact epsilon more often than the level "
            f"allows{': ' * bool(wrong)}{', '.join(wrong)}.",
            f"Each was audited {options.audits} times with {TRIALS:,} trials, at a confidence of 0.95; {ENOUGH} times where "
            "all of these were refused.",
            "",
            "| dependence | exact epsilon | refused | bound above it | largest bound |",
            "| --- | --- | --- | --- | --- |",
            *first,
            "",
            f"Of {len(second)} honest mechanisms {len(refused)} were refused. Not installed, and left out: "
            f"{', '.join(left_out) or 'none'}. An epsilon is a bound from {HONEST_TRIALS:,} trials at a confidence of 0.999.",
            "",
            "| mechanism | bound | in processes of its own | what was said |",
            "| --- | --- | --- | --- |",
            *second,
            "",
        ]
    )
    sys.stdout.write(text)
    if not options.only and options.table is None:
        TABLE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
