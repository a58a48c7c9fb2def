"""`python -m dppca.audit.report results.json -o report.html`: render the page anew from a run's JSON document."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from dppca.audit.report import document, page


def main(arguments: list[str] | None = None) -> int:
    """0; 2 where the document cannot be read or the page not written."""
    parser = argparse.ArgumentParser(prog="python -m dppca.audit.report", description="Render results as an HTML page.")
    parser.add_argument("results", type=Path, help="JSON document that `pytest audit/` wrote")
    parser.add_argument("-o", "--output", type=Path, help="the page (default: the document's name with .html)")
    options = parser.parse_args(arguments)
    output = options.output or options.results.with_suffix(".html")
    if output.exists() and options.results.exists() and output.samefile(options.results):
        sys.stderr.write(f"the page must have another name than the document, got {str(output)!r}\n")
        return 2
    try:
        document.replace(output, page.render(document.read(options.results)))
    except (OSError, ValueError) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
