"""`python -m dppca.reference.vectors`: regenerate the known-answer vectors; with --check, say which files would change."""

from __future__ import annotations

import argparse
import sys

from dppca.reference.vectors import DIRECTORY
from dppca.reference.vectors.generate import changed, write


def main() -> int:
    """0 if the files were written, or are what would be written."""
    parser = argparse.ArgumentParser(prog="python -m dppca.reference.vectors", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a file differs, byte for byte")
    if not parser.parse_args().check:
        write(DIRECTORY)
        return 0
    names = changed(DIRECTORY)
    for name in names:
        sys.stdout.write(f"{name} differs from what the reference gives here\n")
    return 1 if names else 0


if __name__ == "__main__":
    sys.exit(main())
