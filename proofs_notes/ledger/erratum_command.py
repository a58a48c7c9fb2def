"""`dppca erratum`: print what is false in a theorem, what it should read, its proof, a plot, and how to cite it.

dppca erratum wang2020 theorem 2                        the items about a theorem, as text
dppca erratum wang2020 theorem 2 --report erratum.html  the same as a page, with formulas typeset and a plot
dppca erratum liu2022.theorem-5.1-privacy               the items about one claim
"""

from __future__ import annotations

import sys
from pathlib import Path

from dppca.audit.report.markup import Markup, tag
from dppca.proofs_notes.ledger.cite_command import of_claim
from dppca.proofs_notes.ledger.claim_command import named, nothing_found, search
from dppca.proofs_notes.ledger.claims import load
from dppca.proofs_notes.ledger.errata import Item, Shown, broken_promise, items, typeset
from dppca.reference.command_line import DONE, Parser, new_file
from dppca.reference.usage import UsageError

_STYLE = """
body { max-width: 46rem; margin: 2rem auto; padding: 0 1rem; font: 1rem/1.5 sans-serif; }
pre { padding: .6rem; background: #8882; white-space: pre-wrap; }
blockquote { margin-left: 0; padding-left: 1rem; border-left: 4px solid #17693a; }
math { font-family: "STIX Two Math", "Cambria Math", "Latin Modern Math", math; }
math[display=block] { overflow: auto hidden; }
.plot { width: 100%; max-width: 36rem; }
"""


def main(arguments: list[str] | None = None) -> int:
    """Return 0; 2 where no claim is found, or nothing that is found is false."""
    parser = Parser(prog="dppca erratum", description=__doc__)
    parser.add_argument(
        "words", nargs="+", metavar="ID or WORD", help="the id of a claim, or words such as: wang2020 theorem 2"
    )
    parser.add_argument("--report", type=Path, metavar="FILE", help="write an HTML page with formulas and a plot")
    options = parser.parse_args(arguments)
    words = " ".join(options.words)
    found = search(load(), options.words)
    if options.report and options.report.suffix != ".html":
        parser.error(f"--report must end in .html, got {str(options.report)!r}")
    if not words.strip():
        parser.error("ID or WORD must name a claim or a theorem, such as: wang2020 theorem 2")
    if not found:
        parser.error(nothing_found(options.words))
    found = named(options.words, found) or found
    about = items(found)
    if not about:
        parser.error(f"no item of the errata is about {words!r}; `dppca claim {words}` prints the verdicts")
    cited = of_claim(next(claim for item in about for claim in found if f"`{claim.id}`" in item.text))
    try:
        if options.report:
            target = new_file("--report", options.report)
            curve = broken_promise(found)
            target.write_text(page(words, about, curve, cited), encoding="utf-8")
    except UsageError as error:
        parser.error(str(error))
    paper = ""
    for item in about:
        symbols = f"*Symbols.* {item.symbols}\n\n" if item.paper != paper else ""
        paper = item.paper
        sys.stdout.write(f"{item.paper}, {item.number}. {item.title}\n\n{symbols}{item.text}\n\n")
    sys.stdout.write(f"To cite it:\n\n{cited}\n")
    if options.report:
        without = "" if curve else ", without a plot: no audit of the published noise refutes it"
        sys.stdout.write(f"Written: {options.report}{without}\n")
    else:
        sys.stdout.write("--report FILE.html writes this as a page, with a plot where an audit refutes the published noise\n")
    return DONE


def page(title: str, about: list[Item], shown: Shown | None, cited: str) -> str:
    """Return the page of an erratum."""
    from markdown_it import MarkdownIt  # noqa: PLC0415 - of an extra, whose absence `dppca` tells
    from math_core import LatexToMathML  # noqa: PLC0415
    from mdit_py_plugins.dollarmath import dollarmath_plugin  # noqa: PLC0415

    formulas = LatexToMathML(fancy_error=False)

    def formula(text: str, options: dict[str, bool]) -> str:
        return str(formulas.convert_with_local_state(text, displaystyle=options["display_mode"]))

    markdown = MarkdownIt("commonmark", {"html": True}).enable("table").use(dollarmath_plugin, renderer=formula)
    parts = [tag("h1", f"Erratum: {title}")]
    if shown:
        parts += [tag("h2", "How far it is off"), tag("figure", shown.plot), tag("p", shown.words)]
    for item in about:
        parts.append(tag("h2", f"{item.paper}, {item.number}. {item.title}"))
        if item is about[0]:
            parts.append(Markup(markdown.render(f"*Symbols.* {item.symbols}")))
        parts.append(Markup(markdown.render(typeset(item.text))))
    parts += [tag("h2", "To cite it"), tag("pre", cited)]
    head = [tag("meta", charset="utf-8"), tag("title", f"Erratum: {title}"), tag("style", Markup(_STYLE))]
    return f"<!DOCTYPE html>\n{tag('html', tag('head', head), tag('body', parts), lang='en')}\n"


if __name__ == "__main__":
    sys.exit(main())
