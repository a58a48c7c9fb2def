"""`dppca vectors --check`: say which known answers differ from what the reference gives on this machine.

Without --check they are written: in a checkout in their place, elsewhere to the folder that --output names. Known answers of a
checkout that would change are named, and written only if the quick audits of their algorithms pass: an error would otherwise
become what is expected.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from dppca.reference.catalog import ALGORITHMS
from dppca.reference.command_line import DONE, FOUND_WRONG, Parser, check_keys, say_written
from dppca.reference.conformance import DIRECTORY
from dppca.reference.conformance.generate import changed, file_name, write


def main(arguments: list[str] | None = None) -> int:
    """Return 0 if the files were written, or are what would be written; 1 if they differ, or an audit of theirs fails."""
    parser = Parser(prog="dppca vectors", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a file differs, byte for byte")
    parser.add_argument("--output", type=Path, metavar="FOLDER", help="write them there; the folder must be empty or new")
    parser.add_argument("algorithms", nargs="*", metavar="KEY", help="keys of the catalogue (default: all)")
    options = parser.parse_args(arguments)
    check_keys(parser, options.algorithms, ALGORITHMS)
    if options.check and options.output is not None:
        parser.error("--check writes nothing, so it excludes --output")
    folder = DIRECTORY if options.check else _folder(parser, options.output)
    if options.output is not None:
        write(folder, options.algorithms)
        say_written(folder)
        return DONE
    names = changed(DIRECTORY, options.algorithms)
    for name in names:
        sys.stdout.write(f"{name} differs from what the reference gives here\n")
    if options.check:
        sys.stdout.write("" if names else "every known answer is what the reference gives here\n")
        return FOUND_WRONG if names else DONE
    known = [key for key in ALGORITHMS if (name := file_name(key)) in names and (folder / name).exists()]
    if known and not _audits_pass(known):
        sys.stderr.write("nothing is written, as an audit fails: mend the algorithm, or the audit, first\n")
        return FOUND_WRONG
    write(folder, options.algorithms)
    say_written(folder)
    return DONE


def _audits_pass(keys: list[str]) -> bool:
    """Run the quick audits of algorithms as `dppca audit` does; return whether all pass."""
    command = [sys.executable, "-m", "dppca", "audit", "--budget", "quick", "-k", " or ".join(keys)]
    return subprocess.run(command, check=False).returncode == 0  # noqa: S603 - our own


def _folder(parser: Parser, output: Path | None) -> Path:
    """Return the folder into which vectors go: the given one if nothing is lost there, or their place in a checkout."""
    if output is None:
        if not (DIRECTORY.parent / "pyproject.toml").is_file():
            parser.error("--output must name a folder: this is an installed copy, whose own vectors are left alone")
        return DIRECTORY
    if output.exists() and (not output.is_dir() or any(output.iterdir())):
        parser.error(f"--output must be an empty or new folder, as nothing is overwritten, got {str(output)!r}")
    output.mkdir(parents=True, exist_ok=True)
    return output


if __name__ == "__main__":
    sys.exit(main())
