"""`dppca check-vectors`: check an implementation against the known answers, or the reference itself on this machine.

    dppca check-vectors --implementation mine:implementation        a Python object
    dppca check-vectors --command "node mine.js" liu2022.oja        a program that speaks the line protocol

Vectors test arithmetic and refusals on given draws; what an implementation draws is tested by `dppca audit --implementation`.
"""

from __future__ import annotations

import sys
from pathlib import Path

from dppca.reference.catalog import ALGORITHMS
from dppca.reference.command_line import Parser, check_keys, run_pytest

HERE = Path(__file__).resolve().parent


def main(arguments: list[str] | None = None) -> int:
    """Return 0 if every case that is supported conforms; 1 if one does not, or none is supported; 2 for wrong usage."""
    parser = Parser(prog="dppca check-vectors", description=__doc__)
    parser.add_argument("algorithms", nargs="*", metavar="KEY", help="keys of the catalogue (default: all)")
    tested = parser.add_mutually_exclusive_group()
    tested.add_argument("--implementation", metavar="PKG.MODULE:OBJECT", help="a Python object with a method run")
    tested.add_argument("--command", help="a program that reads cases and writes answers, a line of JSON each")
    parser.add_argument("--expected-failures", metavar="FILE", help="ids of cases that are known to fail, one a line")
    options = parser.parse_args(arguments)
    check_keys(parser, options.algorithms, ALGORITHMS)
    command = ["-q"]
    if options.algorithms:
        command += ["-k", " or ".join(f"[{key}/" for key in options.algorithms)]
    for name in ("implementation", "command", "expected_failures"):
        if getattr(options, name) is not None:
            command.append(f"--{name.replace('_', '-')}={getattr(options, name)}")
    return run_pytest(HERE, command)


if __name__ == "__main__":
    sys.exit(main())
