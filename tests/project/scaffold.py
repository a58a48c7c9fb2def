"""`python -m tests.project.scaffold paper.name`: begin an algorithm.

Writes the skeleton of its file, which runs as it is, and prints what goes into the other two places: its claims with check and
note section, its audits with planted bugs. What is left to say is marked FILL; `make completeness` lists it.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

from dppca.reference.catalog import ALGORITHMS, PAPERS
from dppca.reference.citations import BIBTEX

ROOT = Path(__file__).parents[2]

FILE = '''\
"""FILL: what it does, in a line.

As published (FILL: authors, venue, year, number; which text of the paper; whose line numbers). Rows in the unit ball.
  1  FILL: the published listing in your own words, with its formulas, a line for a line
Claimed there: FILL. Here: FILL: the relation, and what is known to be wrong.

Symbols: X (n, d); FILL.
"""

from __future__ import annotations

from dppca.reference.api import ROWS, Matrix, Noise, Readings, Relation, Returns, checked, declare, point, rows_example
from dppca.reference.primitives.gaussian import GaussianCalibration, analytic_std


class Choices(Readings):
    """FILL: the points on which the paper is silent, ambiguous or wrong."""

    sensitivity: float = point("@paper@.FILL", CORRECTED=2.0**0.5)


CORRECTED = Choices.read("CORRECTED")


@checked
def calibrate(epsilon: float, delta: float, choices: Choices = CORRECTED) -> GaussianCalibration:
    """Return the noise of line 1, for FILL."""
    std = analytic_std(epsilon, delta, choices.sensitivity)
    return GaussianCalibration(epsilon, delta, std, choices.sensitivity, "analytic")


@declare(
    number="FILL: the algorithm's number",
    title="FILL: the algorithm's title",
    paper="@paper@",
    data=ROWS,
    relation=Relation.REPLACE_ONE,
    returns=Returns.VECTOR,
    calibrate=calibrate,
    example=rows_example(epsilon=1.0, delta=0.01),
)
def @name@(X: Matrix, calibration: GaussianCalibration, noise: Noise) -> Matrix:
    """FILL: what it does, in a line."""
    released: Matrix = noise.gaussian(  # line 1: FILL, what the paper calls it
        "released", (X**2).sum(axis=0), std=calibration.std, sensitivity=calibration.sensitivity
    )
    return released
'''

CLAIM = """\
[[claim]]
id = "@paper@.FILL"
source = "FILL: paper, theorem or line"
statement = "FILL: what is claimed, with its domain and relation"
status = "FILL: holds, corrected, refuted, unspecified or open"
method = "FILL: exact, interval, symbolic, sampled or cited"
scope = "FILL: proved, derived, computed, exhaustive, witness or instances"
kind = "FILL: privacy, sensitivity, utility, algorithm, ..."
weight = "FILL: main, supporting or remark"
domain = { epsilon = "(0, inf)", delta = "(0, 1)" }
relation = "replace_one"
evaluate = "dppca.proofs_notes.@folder@.evaluators:FILL"
check = "dppca.proofs_notes.@folder@.FILL:@name@"
code = "dppca.reference.@folder@.@name@:calibrate"
"""

CHECK = '''\
def @name@() -> Evidence:
    """FILL: what is checked, and by which route that does not go through the code alone."""
    return Evidence(verdict(printed=FILL), "FILL: the figures, in a line")
'''

NOTE = """\
## FILL: title: `@folder@.@name@`

**Precondition.** FILL: domain, what is public, the relation.

**Postcondition.** FILL: what is released is (epsilon, delta)-DP.

**Sensitivity.** FILL: the bound and why ([@paper@.FILL]). *Maximisers:* FILL: a pair of datasets that reaches it.

**Privacy** ([@paper@.FILL]). FILL: the argument.

[@paper@.FILL]: ../LEDGER.md#FILL
"""

AUDITS = """\
An audit in the exact or the transcript view and one in the output view, each with its literal verdict, and planted bugs,
each with the audit that finds it. Those of baselines.output_perturbation in audit/suite/baselines are short ones to begin
from. If no release reaches its sensitivity on the declared example: the pair that does, or the share and the reason, in
MAXIMISERS.
"""


def skeleton(key: str, paper: str) -> tuple[Path, str, dict[str, str]]:
    """Return the path and text of the algorithm's file, and by path what goes into the other places.

    Raises:
        ValueError: no such folder, a name that is no Python name in small letters, one that exists, or a paper without entry.
    """
    folder, _, name = key.partition(".")
    if folder not in PAPERS:
        raise ValueError(f"KEY must begin with one of {', '.join(f'{paper}.' for paper in PAPERS)}, got {key!r}")
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
        raise ValueError(f"KEY must be paper.name, the name in small letters, digits and underscores, got {key!r}")
    path = ROOT / "reference" / folder / f"{name}.py"
    if key in ALGORITHMS or path.exists():
        raise ValueError(f"KEY must be new, got {key!r}, which exists")
    paper = paper or folder
    if paper not in BIBTEX:
        raise ValueError(
            f"reference/citations.py has no paper {paper!r}: write its entry there first, or give the key of another as PAPER"
        )
    names = {"paper": paper, "folder": folder, "name": name}

    def of(template: str) -> str:
        return re.sub("@(\\w+)@", lambda found: names[found[1]], template)

    places = {
        f"proofs_notes/{folder}/claims.toml": of(CLAIM),
        f"proofs_notes/{folder}, the module of its section": of(CHECK),
        f"proofs_notes/{folder}/note.md": of(NOTE),
        f"audit/suite/{folder}": of(AUDITS),
    }
    return path, of(FILE), places


def main(arguments: list[str] | None = None) -> int:
    """Write the file and print the rest; 2 where the key will not do."""
    parser = argparse.ArgumentParser(prog="python -m tests.project.scaffold", description=__doc__)
    parser.add_argument("key", metavar="KEY", help="folder.name, such as baselines.private_lanczos")
    parser.add_argument("paper", nargs="?", default="", help="key of the paper in reference/citations.py, if not the folder")
    try:
        options = parser.parse_args(arguments)
        path, text, places = skeleton(options.key, options.paper)
        with path.open("x") as file:  # never over a file that is there
            file.write(text)
    except (ValueError, FileExistsError) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    sys.stdout.write(f"written: {path.relative_to(ROOT)}\n")
    for place, piece in places.items():
        sys.stdout.write(f"\n----- for {place} -----\n\n{piece}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
