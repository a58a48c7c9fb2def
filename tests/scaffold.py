"""`python -m tests.scaffold paper.name`: begin an algorithm.

Writes the skeleton of its file, and prints what goes into the other three places: its claims with their check and note
section, its audit instances, its planted bugs. What is left to say is marked FILL; a file with FILL in it cannot be imported.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

from dppca.reference.catalog import ALGORITHMS, PAPERS

ROOT = Path(__file__).parents[1]

FILE = '''\
"""FILL: what it does, in a line.

Print (FILL: authors, venue, year, number; which text of the paper; whose line numbers). FILL: the data domain.
  1  FILL: the printed listing in your own words, with its formulas, a line for a line
Claimed there: FILL. Here: FILL: the relation, and what is known to be wrong.

Symbols: X (n, d); FILL.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dppca.reference.declaration import Choice, Returns, declare
from dppca.reference.example_rows import ROWS, rows_example
from dppca.reference.noise import Noise
from dppca.reference.primitives.gaussian import analytic_std
from dppca.reference.relation import Relation


@dataclass(frozen=True)
class Choices:
    """FILL: the points on which print is silent, ambiguous or wrong."""

    sensitivity: Choice[float]


CORRECTED = Choices(sensitivity=Choice(FILL("the value of this reading"), FILL("the claim's id")))


@dataclass(frozen=True)
class @Name@Calibration:
    """The noise for a privacy target, and what it assumes."""

    epsilon: float
    delta: float
    std: float
    sensitivity: float
    assumptions: tuple[str, ...]


def calibrate(epsilon: float, delta: float, choices: Choices = CORRECTED) -> @Name@Calibration:
    """Return the noise of the release.

    Raises:
        ValueError: epsilon not > 0, or delta not in (0, 1).
    """
    sensitivity = choices.sensitivity.value
    std = analytic_std(epsilon, delta, sensitivity)
    return @Name@Calibration(epsilon, delta, std, sensitivity, (FILL("what the noise assumes"),))


@declare(
    key="@key@",
    number=FILL("the algorithm's number"),
    title=FILL("the algorithm's title"),
    data=ROWS,
    relation=Relation.REPLACE_ONE,
    returns=Returns.VECTOR,
    lines=FILL("how many lines print has"),
    calibrate=calibrate,
    choices={"CORRECTED": CORRECTED},
    example=rows_example(epsilon=1.0, delta=0.01),
)
def @name@(X: NDArray[np.float64], calibration: @Name@Calibration, noise: Noise) -> NDArray[np.float64]:
    """FILL: what it does, in a line.

    Args:
        X: rows in the unit ball, shape (n, d).
        calibration: what `calibrate` returned.
        noise: the seam. Draws: the release "FILL".

    Returns:
        FILL.

    Raises:
        ValueError: X outside its domain.
    """
    value = FILL("what is released")  # line 1
    released: NDArray[np.float64] = noise.gaussian(  # line 1
        FILL("its name"), value, std=calibration.std, sensitivity=calibration.sensitivity
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
printed = FILL: true or false; leave it out where print does not say it
check = "dppca.proofs.checks.@checks@:@name@"
code = "dppca.reference.@paper@.@module@:calibrate"
"""

CHECK = '''\
def @name@() -> Evidence:
    """FILL: what is checked, and by which route that does not go through the code alone."""
    return Evidence(verdict(printed=FILL("the comparison")), FILL("the method"), FILL("the figures, in a line"))
'''

NOTE = """\
## FILL: title: `@key@`

**Precondition.** FILL: domain, what is public, the relation.

**Postcondition.** FILL: what is released is (epsilon, delta)-DP.

**Sensitivity.** FILL: the bound and why ([@paper@.FILL]). *Maximisers:* FILL: a pair of datasets that reaches it.

**Privacy** ([@paper@.FILL]). FILL: the argument.

[@paper@.FILL]: LEDGER.md#FILL
"""

AUDITS = '''\
def _@name@(choice: str) -> Iterator[Built]:
    """FILL: the pair, and why its loss is large."""
    claim, pair = Claim(1.0, 1e-6), FILL("a pair of datasets")
    arguments = {"epsilon": claim.epsilon, "delta": claim.delta}
    run = ALGORITHMS["@key@"].bind(**arguments, choices=ALGORITHMS["@key@"].choices[choice])
    yield Built("transcript", FILL("the pair's name"), claim, Transcript(run, *pair))
    yield Built("output", FILL("the pair's name"), claim, Output(sampled(run), *pair, arguments=arguments))


AUDITS.append(audits := Audits("@key@", _@name@))
audits.of("CORRECTED", "transcript", FILL("the pair's name"), Claim(1.0, 1e-6), epsilon=FILL("literal"), trials=5_000)
audits.of("CORRECTED", "output", FILL("the pair's name"), Claim(1.0, 1e-6), epsilon=FILL("literal"), trials=10_000)

# in MAXIMISERS:
#   "@key@": Maximiser({}, FILL("the pair of the note"), (FILL("names of the releases"),)),
'''

BUG = """\
# in BUGS:
#   Bug(
#       FILL("what is wrong, in words"),
#       "@key@",
#       FILL("the layer"),
#       (Edit(FILL("the function"), FILL("old source, which occurs once"), FILL("new source")),),
#       FILL("the audit that looks for it"),
#   ),
"""


def skeleton(key: str) -> tuple[Path, str, dict[str, str]]:
    """Return the path and text of the algorithm's file, and by path what goes into the other places.

    Raises:
        ValueError: no such paper, a name that is no Python name in small letters, or one that exists.
    """
    paper, _, name = key.partition(".")
    if paper not in PAPERS:
        raise ValueError(f"KEY must begin with one of {', '.join(f'{paper}.' for paper in PAPERS)}, got {key!r}")
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
        raise ValueError(f"KEY must be paper.name, the name in small letters, digits and underscores, got {key!r}")
    path = ROOT / "reference" / paper / f"{name}.py"
    if key in ALGORITHMS or path.exists():
        raise ValueError(f"KEY must be new, got {key!r}, which exists")

    folder = ROOT / "proofs_notes" / "checks" / paper
    checks = f"{paper}.section_FILL" if folder.is_dir() else paper

    def of(template: str) -> str:
        names = {"key": key, "paper": paper, "checks": checks, "name": name, "module": path.stem}
        names["Name"] = "".join(part.capitalize() for part in name.split("_"))
        return re.sub("@(\\w+)@", lambda found: names[found[1]], template)

    places = {
        "proofs_notes/claims.toml": of(CLAIM),
        f"proofs_notes/checks/{checks.replace('.', '/')}.py": of(CHECK),
        f"proofs_notes/{paper}.md": of(NOTE),
        f"audit/suite/instances/{paper}.py": of(AUDITS),
        f"tests/meta/{paper}.py": of(BUG),
    }
    return path, of(FILE), places


def main(arguments: list[str] | None = None) -> int:
    """Write the file and print the rest; 2 where the key will not do."""
    parser = argparse.ArgumentParser(prog="python -m tests.scaffold", description=__doc__)
    parser.add_argument("key", metavar="KEY", help="paper.name, such as baselines.private_lanczos")
    try:
        path, text, places = skeleton(parser.parse_args(arguments).key)
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
