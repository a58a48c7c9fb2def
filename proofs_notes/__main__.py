"""`dppca proofs [KEY ...]`: execute the claims of the ledger, or those about these algorithms alone.

With --write, regenerate LEDGER.md, FINDINGS.md and the generated part of README.md.
"""

from __future__ import annotations

import sys
import time

from dppca.proofs_notes.ledger.claims import (
    LEDGER,
    README,
    LedgerError,
    about,
    check_corners,
    check_quantifiers,
    execute,
    ledger_page,
    load,
    with_part,
)
from dppca.proofs_notes.ledger.findings import FINDINGS, findings_page, headlines, readme_part
from dppca.reference.catalog import ALGORITHMS
from dppca.reference.command_line import DONE, FOUND_WRONG, Parser, check_keys, say_written


def main(arguments: list[str] | None = None) -> int:
    """Execute every claim; 0 if all are borne out, 1 with the first that is not and why; then nothing is written."""
    parser = Parser(prog="dppca proofs", description=__doc__)
    parser.add_argument("--write", action="store_true", help="regenerate LEDGER.md, FINDINGS.md and the top of README.md")
    parser.add_argument("algorithms", nargs="*", metavar="KEY", help="keys of the catalogue (default: every claim)")
    options = parser.parse_args(arguments)
    check_keys(parser, options.algorithms, ALGORITHMS)
    if options.write and options.algorithms:
        parser.error("--write needs every claim, so no algorithm may be named")
    if options.write and not README.is_file():
        parser.error("--write needs a checkout of the project: the pages stand in its files")
    try:
        return _run(options.algorithms, options.write)
    except LedgerError as error:
        sys.stderr.write(f"{error}\n")
        return FOUND_WRONG


def _run(algorithms: list[str], write: bool) -> int:
    claims = load()
    check_quantifiers()
    if algorithms:
        named = {claim.id for key in algorithms for claim in about(key, claims)}
        claims = [claim for claim in claims if claim.id in named]
    for claim in claims:  # in seconds, where the checks take minutes
        check_corners(claim)
    evidence = []
    for claim in claims:
        started = time.perf_counter()
        found = execute(claim)
        evidence.append(found)
        seconds = time.perf_counter() - started
        sys.stdout.write(f"{found.status:11} {claim.method:9} {claim.id} ({seconds:.2f} s)\n    {found.figures}\n")
    if write:
        figures = {claim.id: found.figures for claim, found in zip(claims, evidence, strict=True)}
        pages = {
            README: with_part(README.read_text(encoding="utf-8"), readme_part(claims, figures)),
            LEDGER: ledger_page(claims, evidence),
            FINDINGS: findings_page(claims, figures, headlines(claims, figures)),
        }
        for file, text in pages.items():
            file.write_text(text, encoding="utf-8")
        say_written(*pages)
    return DONE


if __name__ == "__main__":
    sys.exit(main())
