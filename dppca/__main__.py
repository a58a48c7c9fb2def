"""`dppca COMMAND ...`, or `python -m dppca COMMAND ...`: every command of the project by one name.

Exit status 0 where nothing was found; 1 where a claim is refuted or something fails; 2, with one line, for what the command
cannot use; 3 where there is no verdict.
"""

from __future__ import annotations

import os
import sys
import traceback
from contextlib import suppress
from importlib import import_module

from dppca import __version__
from dppca.reference.extras import needs
from dppca.reference.usage import UsageError, did_you_mean

#: Commands, with the module whose `main`, or the function that, each one runs, and what it does.
COMMANDS = {
    "audit": ("dppca.audit.command", "audit the algorithms of the catalogue, or a mechanism of your own"),
    "check-vectors": ("dppca.reference.conformance.__main__", "check an implementation against the known answers"),
    "list": ("dppca.proofs_notes.catalogue_commands:list_algorithms", "list the algorithms of the catalogue"),
    "describe": ("dppca.proofs_notes.catalogue_commands:describe", "say what an algorithm takes, draws and returns"),
    "new": ("dppca.proofs_notes.catalogue_commands:new", "write a stub of your own implementation of an algorithm"),
    "claim": ("dppca.proofs_notes.ledger.claim_command", "print a claim of the ledger with its verdict, or search"),
    "erratum": ("dppca.proofs_notes.ledger.erratum_command", "print what is false in a theorem, and what it should read"),
    "cite": ("dppca.proofs_notes.ledger.cite_command", "print what to cite for an algorithm, a paper or a claim"),
    "account": ("dppca.reference.accounting.__main__", "noise, epsilon or delta of subsampled Gaussian steps"),
    "guide": ("dppca.proofs_notes.guide", "print a guide: claims, implementation, mechanism, ..."),
    "report": ("dppca.audit.report.__main__", "render the results of an audit as an HTML page"),
    "proofs": ("dppca.proofs_notes.__main__", "execute the claims of the ledger"),
    "vectors": ("dppca.reference.conformance.vectors_command", "check the known answers, or write them to a folder"),
}

#: What a command needs in all, where it is more than the first absent package brings.
EXTRAS_OF = {"check-vectors": "suite", "proofs": "suite", "erratum": "pages"}


def usage() -> str:
    """Return the help: one line for each command."""
    lines = [f"  {name:14} {what}" for name, (_, what) in COMMANDS.items()]
    return "\n".join(
        ["usage: dppca COMMAND ...; `dppca COMMAND --help` says more, `dppca --version` prints the version", "", *lines, ""]
    )


def main(arguments: list[str] | None = None) -> int:
    """Run a command and return its exit status; print the help without one; 2 where there is no such command."""
    _open_standard_files()
    try:
        return _run_named(arguments)
    except Exception:  # noqa: BLE001 - of whatever kind, also a message that cannot be written: status 1 would be a finding
        with suppress(OSError):
            traceback.print_exc()
        return 3


def _open_standard_files() -> None:
    """Open those of the standard files that are closed: what is opened next would be taken for them."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.open(os.devnull, os.O_RDWR), mode, encoding="utf-8"))  # noqa: SIM115 - as long as the process


def _run_named(arguments: list[str] | None) -> int:
    """Run the command that the arguments begin with."""
    name, *rest = (sys.argv[1:] if arguments is None else arguments) or ["--help"]
    if name in {"-h", "--help"}:
        sys.stdout.write(usage())
        return 0
    if name == "--version":
        sys.stdout.write(f"dppca {__version__}\n")
        return 0
    if name not in COMMANDS:
        meant = did_you_mean(name, COMMANDS) or f"; the commands are {', '.join(COMMANDS)}"
        sys.stderr.write(f"dppca: unknown command {name!r}{meant}\n")
        return 2
    return _run(name, rest)


def _run(name: str, arguments: list[str]) -> int:
    """Return the exit status of a command, with one line for a package or a file that is not there."""
    try:
        module, _, function = COMMANDS[name][0].partition(":")
        return int(getattr(import_module(module), function or "main")(arguments))
    except ModuleNotFoundError as error:
        line = needs(error.name, f"dppca {name}", least=EXTRAS_OF.get(name, ""))
        if line is None:
            raise
        sys.stderr.write(f"{line}\n")
        return 2
    except BrokenPipeError:  # the reader, such as `head`, has gone
        from dppca.reference.command_line import drop_output  # noqa: PLC0415 - `--version` needs none of it

        drop_output()
        return 0
    except (OSError, UsageError) as error:  # a file or folder that is not as it should be
        from dppca.reference.command_line import one_line  # noqa: PLC0415 - as above

        sys.stderr.write(f"dppca {name}: {one_line(error)}\n")
        return 2
    except KeyboardInterrupt:
        sys.stderr.write(f"dppca {name}: no verdict: it was interrupted\n")
        return 3


if __name__ == "__main__":
    sys.exit(main())
