"""`python -m dppca.proofs`: execute the ledger; with --write, regenerate LEDGER.md and the README's table."""

from __future__ import annotations

import argparse
import sys
import time

from dppca.proofs.ledger import LEDGER, README, execute, ledger_page, load, readme_table, with_table


def main() -> int:
    """Execute every claim; 0 if all are borne out."""
    parser = argparse.ArgumentParser(prog="python -m dppca.proofs", description=__doc__)
    parser.add_argument("--write", action="store_true", help="regenerate LEDGER.md and the table in README.md")
    arguments = parser.parse_args()
    claims = load()
    evidence = []
    for claim in claims:
        started = time.perf_counter()
        found = execute(claim)
        evidence.append(found)
        seconds = time.perf_counter() - started
        sys.stdout.write(f"{found.status:11} {found.method:9} {claim.id} ({seconds:.2f} s)\n    {found.figures}\n")
    if arguments.write:
        LEDGER.write_text(ledger_page(claims, evidence))
        README.write_text(with_table(README.read_text(), readme_table(claims)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
