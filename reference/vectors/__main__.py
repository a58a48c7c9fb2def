"""`python -m dppca.reference.vectors`: regenerate the known-answer vectors; with --check, say which files would change."""

from __future__ import annotations

import argparse
import sys

from dppca.reference.catalog import ALGORITHMS
from dppca.reference.vectors import DIRECTORY
from dppca.reference.vectors.generate import changed, write


def main(arguments: list[str] | None = None) -> int:
    """0 if the files were written, or are what would be written."""
    parser = argparse.ArgumentParser(prog="python -m dppca.reference.vectors", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a file differs, byte for byte")
    parser.add_argument("algorithms", nargs="*", help="keys of the catalogue (default: all)")
    options = parser.parse_args(arguments)
    if unknown := sorted(set(options.algorithms) - ALGORITHMS.keys()):
        parser.error(f"algorithms must be keys of the catalogue, got {', '.join(unknown)}")
    if not options.check:
        write(DIRECTORY, options.algorithms)
        return 0
    names = changed(DIRECTORY, options.algorithms)
    for name in names:
        sys.stdout.write(f"{name} differs from what the reference gives here\n")
    return 1 if names else 0


if __name__ == "__main__":
    sys.exit(main())
