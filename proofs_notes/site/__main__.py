"""`python -m dppca.proofs_notes.site`: build the site into build/docs; warnings are errors.

Where `make audit` has left its report in build/, the site has it, and the pages of claims quote what the audits found.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from sphinx.cmd.build import build_main

from dppca.proofs_notes.ledger.claims import ROOT
from dppca.proofs_notes.site import last_run
from dppca.proofs_notes.site.pages import write


def build(output: Path) -> int:
    """Return 0 if the site was built without a warning."""
    with tempfile.TemporaryDirectory() as directory:
        sources = Path(directory) / "sources"
        write(sources)
        options = ["--builder", "html", "--fresh-env", "--fail-on-warning", "--quiet"]
        places = ["--conf-dir", str(Path(__file__).parent), "--doctree-dir", str(Path(directory) / "doctrees")]
        if found := last_run.report():
            kept = Path(directory) / last_run.PAGE
            kept.write_text(found, encoding="utf-8")
            options += ["--define", f"html_extra_path={kept}"]
        return build_main([*options, *places, str(sources), str(output)])


def main() -> int:
    """Build what the arguments ask for."""
    parser = argparse.ArgumentParser(prog="python -m dppca.proofs_notes.site", description="Build the documentation site.")
    parser.add_argument("output", nargs="?", type=Path, default=ROOT / "build" / "docs", help="directory (default: build/docs)")
    return build(parser.parse_args().output)


if __name__ == "__main__":
    sys.exit(main())
