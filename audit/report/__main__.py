"""`python -m dppca.audit.report results.json -o report.html`: render the page anew from a run's JSON document."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from dppca.audit.report import document, page
from dppca.audit.report.place import replaceable_page
from dppca.reference.command_line import DONE, Parser, say_written


def main(arguments: list[str] | None = None) -> int:
    """Write the page and return 0; end with 2 where the document cannot be read or the page not written."""
    parser = Parser(prog="dppca report", description="Render results as an HTML page.")
    parser.add_argument("results", type=Path, metavar="RESULTS", help="JSON document that an audit wrote with --report")
    parser.add_argument("-o", "--output", type=Path, help="the page (default: the document's name with .html)")
    options = parser.parse_args(arguments)
    try:
        output = options.output or options.results.with_suffix(".html")
        if not replaceable_page(output):
            parser.error(f"--output must be a new file or an earlier page of `dppca report`, got {str(output)!r}")
        held = document.read(options.results, {**document.SUITE, **document.RESULTS})
        text = page.render(held) if held["format"] in document.SUITE else _cards(held)
    except (OSError, ValueError) as error:
        parser.error(f"RESULTS must be a JSON document that `dppca audit` wrote, got {str(options.results)!r}: {error}")
    try:
        document.replace(output, text)
    except OSError as error:
        parser.error(f"--output must be a place that can be written to, got {str(output)!r}: {error}")
    say_written(output)
    return DONE


def _cards(held: dict[str, Any]) -> str:
    from dppca.audit.report import card  # noqa: PLC0415 - the auditor, which the other page does not need

    return card.render_page(held)


if __name__ == "__main__":
    sys.exit(main())
