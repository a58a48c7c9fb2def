"""`python -m dppca COMMAND ...`: every command of the project by one name."""

from __future__ import annotations

import sys
from importlib import import_module

#: Commands, with the module whose `main` each one runs and what it does.
COMMANDS = {
    "report": ("dppca.audit.report.__main__", "render the results of an audit as an HTML page"),
    "proofs": ("dppca.proofs.__main__", "execute the claims of the ledger"),
    "vectors": ("dppca.reference.vectors.__main__", "regenerate or check the known-answer vectors"),
    "cite": ("dppca.reference.cite.__main__", "print what to cite for an algorithm"),
}


def usage() -> str:
    """Return the help: one line for each command."""
    lines = [f"  {name:8} {what}" for name, (_, what) in COMMANDS.items()]
    return "\n".join(["usage: python -m dppca COMMAND ...; `COMMAND --help` describes its options", "", *lines, ""])


def main(arguments: list[str] | None = None) -> int:
    """Run a command and return its exit status; print the help without one; 2 where there is no such command."""
    name, *rest = (sys.argv[1:] if arguments is None else arguments) or ["--help"]
    if name in {"-h", "--help"}:
        sys.stdout.write(usage())
        return 0
    if name not in COMMANDS:
        sys.stderr.write(f"unknown command {name!r}; the commands are {', '.join(COMMANDS)}\n")
        return 2
    return int(import_module(COMMANDS[name][0]).main(rest))


if __name__ == "__main__":
    sys.exit(main())
