"""`python -m dppca.proofs_notes.site.errata_pdf`: the errata of each room as a PDF, with version and date, in build/errata."""

from __future__ import annotations

import argparse
import re
import sys
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import pypandoc
import typst

from dppca.reference.citations import origin

NOTES = Path(__file__).parents[1]
ERRATA = sorted(NOTES.glob("*/ERRATA.md"))
#: A statement to be pasted: the PDF shows it typeset first.
_LATEX = re.compile(r"^```latex\n(.*?)^```$", re.MULTILINE | re.DOTALL)
#: Symbols that pandoc names as an older typst did.
SYMBOLS = "#let sect = sym.inter\n"
PAGE = ("papersize=a4", "fontsize=10pt", "page-numbering=1 / 1")


def write(source: Path, folder: Path) -> Path:
    """Typeset one ERRATA.md; return the PDF, which has the name of its room."""
    commit = origin()[1]
    stamp = f"dppca {version('dppca')}{commit and f', commit {commit}'}, {datetime.now(UTC):%Y-%m-%d}"
    options = ["--standalone", "--shift-heading-level-by=-1", f"--metadata=date:{stamp}"]
    for setting in PAGE:
        options += ["-V", setting]
    text = _LATEX.sub(_typeset_first, source.read_text(encoding="utf-8"))
    text = pypandoc.convert_text(text, "typst", format="gfm+tex_math_dollars", extra_args=options)
    page = folder / f"{source.parent.name}.pdf"
    typst.compile((SYMBOLS + text).encode(), output=str(page))
    return page


def _typeset_first(block: re.Match[str]) -> str:
    statement = pypandoc.convert_text(block[1], "gfm+tex_math_dollars", format="latex", extra_args=["--wrap=none"])
    return "\n".join(f"> {line}" for line in statement.splitlines()) + "\n\n" + block[0]


def main() -> None:
    """Write all."""
    parser = argparse.ArgumentParser(prog="python -m dppca.proofs_notes.site.errata_pdf", description=__doc__)
    parser.add_argument("--output", type=Path, default=Path("build/errata"), help="folder (default: build/errata)")
    folder = parser.parse_args().output
    folder.mkdir(parents=True, exist_ok=True)
    for source in ERRATA:
        sys.stdout.write(f"{write(source, folder)}\n")


if __name__ == "__main__":
    main()
