"""A page for each theorem, lemma and algorithm: what is false in it, what it should read, and all its statements."""

from __future__ import annotations

import functools
import re

from dppca.proofs_notes.catalogue_commands import authors
from dppca.proofs_notes.ledger.claims import LedgerClaim
from dppca.proofs_notes.ledger.errata import broken_promise, items, typeset
from dppca.proofs_notes.site.claims import by_paper, calculator, place
from dppca.reference.catalog import ALGORITHMS

KINDS = ("theorem", "lemma", "corollary", "proposition", "algorithm")
#: Places about the message of a client whose noise the calculator is about, with the figure that shows it.
CALCULATOR = ("wang2020", "theorem 2")


@functools.cache
def places() -> dict[tuple[str, str], list[LedgerClaim]]:
    """Return the claims by paper and place, of the places that have a page."""
    found: dict[tuple[str, str], list[LedgerClaim]] = {}
    for paper, claims in by_paper().items():
        for claim in claims:
            if place(claim).split(" ")[0] in KINDS and " " in place(claim):
                found.setdefault((paper, place(claim)), []).append(claim)
    return found


def page_name(paper: str, where: str) -> str:
    """Return the page of a place, from the site's root, without a suffix."""
    return f"theorems/{paper}-{re.sub(r'[^a-z0-9.]+', '-', where)}"


def title(paper: str, where: str) -> str:
    """Return, for instance, "Theorem 2 of Wang & Xu 2020"."""
    kind, _, number = where.partition(" ")
    return f"{kind.capitalize()} {number.upper()} of {authors(paper)}"


def names(paper: str, where: str) -> list[str]:
    """Return by which words a place is searched for: with its paper before or after it, and the titles of its algorithms."""
    ids = {claim.id for claim in places()[paper, where]}
    titles = [of.title for of in ALGORITHMS.values() if where.startswith("theorem") and ids & set(of.claims)]
    key = re.sub(r"(?<=[a-z])(?=\d)", " ", paper)  # wang 2020
    both = [text for name in (paper, key) for text in (f"{name} {where}", f"{where} {name}")]
    return list(dict.fromkeys([where, *both, title(paper, where), *titles]))


def pages() -> dict[str, str]:
    """Return the pages as MyST Markdown, by their names."""
    made = {page_name(*key): _page(*key, claims) for key, claims in places().items()}
    return {"theorems/index": _index(), **made}


def _page(paper: str, where: str, claims: list[LedgerClaim]) -> str:
    wrong = [claim for claim in claims if claim.printed is False]
    stated = f"{len(claims)} statement{'s' if len(claims) > 1 else ''}"
    false = f"{len(wrong) or 'none'} of them {'is' if len(wrong) == 1 else 'are'} false as published"
    summary = f"The ledger has {stated} of it; {false}."
    lines = ["---", "orphan: true", "---", "", f"# {title(paper, where)}", "", summary, ""]
    named, plotted = items(claims), broken_promise(claims)
    if plotted:
        lines += ["## How far it is off", "", "```{raw} html", plotted.plot, "```", "", plotted.words, ""]
        lines += ["```{raw} html", calculator(plotted), "```", ""]
    if (paper, where) == CALCULATOR:
        lines += [
            "With the noise that is published for your target:",
            "",
            "```{raw} html",
            '<form class="calculator"></form>',
            "```",
            "",
        ]
    for item in named:
        lines += [f"## Erratum: {item.title}", "", *([f"*Symbols.* {item.symbols}", ""] if item is named[0] else [])]
        lines += [typeset(item.text), ""]
    lines += ["## Its statements", "", "```{place} " + f"{paper} {where}", "```", ""]
    shown = (wrong or claims)[0].id
    lines += ["## Show it, cite it", "", f"`dppca claim --proof {shown}`, `dppca cite {shown}`"]
    lines += [f"; as a page of its own: `dppca erratum {paper} {where} --report erratum.html`" if named else "", ""]
    return "\n".join(lines)


def _index() -> str:
    lines = ["# Theorems, by paper", ""]
    lines += ["Each has a page: what is false in it and what it should read, and the verdict on each statement.", ""]
    paper = ""
    for (of, where), claims in places().items():
        if of != paper:
            paper = of
            lines += ["", f"## {authors(paper)}", ""]
        wrong = sum(claim.printed is False for claim in claims)
        only = claims[0].verdict if len(claims) == 1 else f"{wrong or 'none'} of {len(claims)} statements false as published"
        lines.append(f"- [{title(of, where)}](../{page_name(of, where)}.md): {only}")
    return "\n".join([*lines, ""])
