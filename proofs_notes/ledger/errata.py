"""Read the errata: the items that are about some claims, and a plot of what the published noise gives instead.

The plot is of a pair of neighbouring datasets on which the published algorithm is known to break its promise: the exact delta
against epsilon of an audit that names one of the claims as its reason.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from dppca.proofs_notes.ledger.claims import NOTES, LedgerClaim

if TYPE_CHECKING:
    from dppca.audit.report.markup import Markup
    from dppca.audit.suite.instance import Instance

_ITEM = re.compile(r"^## (E\d+)\. ([^\n]+)\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
_LATEX = re.compile(r"^```latex\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_DISPLAY = re.compile(r"\\\[(.*?)\\\]", re.DOTALL)
#: A curve begins at 0 and ends at this multiple of the epsilon that is claimed.
BEYOND, POINTS = 1.6, 41


@dataclass(frozen=True)
class Item:
    """One item of an ERRATA.md: its paper's key, number and title, its text as Markdown, and the symbols of its document."""

    paper: str
    number: str
    title: str
    text: str
    symbols: str


def items(claims: Collection[LedgerClaim]) -> list[Item]:
    """Return the items that name one of these claims."""
    found = []
    for file in sorted(NOTES.glob("*/ERRATA.md")):
        text = file.read_text(encoding="utf-8")
        symbols = text[: text.index("\n## ")].strip().rpartition("\n\n")[2]
        for number, title, body in _ITEM.findall(text):
            if any(f"`{claim.id}`" in body.partition("**Claims of the ledger.**")[2] for claim in claims):
                found.append(Item(file.parent.name, number, title, body.strip(), symbols))
    return found


def typeset(text: str) -> str:
    """Return Markdown in which each statement in LaTeX is first shown as it reads, and then folded, to be pasted."""

    def both(block: re.Match[str]) -> str:
        read = _DISPLAY.sub(lambda formula: f"\n$$\n{formula[1].strip()}\n$$\n", block[1]).strip()
        quoted = "\n".join(f"> {line}".rstrip() for line in read.splitlines())
        return f"{quoted}\n\n<details><summary>The statement in LaTeX, to be pasted</summary>\n\n{block[0]}\n\n</details>"

    return _LATEX.sub(both, text)


@dataclass(frozen=True)
class Shown:
    """A plot of a promise that is broken, as an element of a page, what it shows in words, and its points.

    Attributes:
        plot: the plot.
        words: a sentence about it.
        points: pairs of an epsilon and the delta of the algorithm as published there.
    """

    plot: Markup
    words: str
    points: Sequence[tuple[float, float]]


def broken_promise(claims: Collection[LedgerClaim]) -> Shown | None:
    """Return the plot of a pair on which a privacy claim among these is false; None where no exact curve is known."""
    from dppca.audit.report.plots import curves_svg  # noqa: PLC0415 - what reading the errata does not need
    from dppca.audit.suite.audits import instances  # noqa: PLC0415

    ids = [claim.id for claim in claims if claim.printed is False]
    audits = [of for of in instances() if of.because in ids and of.expected == "REFUTED" and of.view != "output"]
    for audit in sorted(audits, key=lambda of: (ids.index(of.because), of.view != "exact", of.claim.delta)):
        published = _curve(audit)
        if published is None:
            continue
        curves = {"as published": published}
        corrected = replace(audit, choice="CORRECTED")
        if any((of.id, of.target) == (corrected.id, audit.target) for of in instances()) and (better := _curve(corrected)):
            curves["corrected"] = better
        claim, at = audit.claim, dict(published)[audit.claim.epsilon]
        words = (
            f"At epsilon = {claim.epsilon:g} the algorithm as published has delta = {at:.4g}, and {claim.delta:g} is promised "
            f"({audit.algorithm}, on the neighbouring datasets that the audits call '{audit.name}', {audit.view} view)."
        )
        return Shown(curves_svg(curves, claim.epsilon, claim.delta, words), words, published)
    return None


def _curve(audit: Instance) -> list[tuple[float, float]] | None:
    """Return the exact delta of an audit's pair at epsilons up to beyond the claimed one; None where it is not known."""
    profile = audit.built().profile
    if profile is None:
        return None
    end = BEYOND * max(audit.claim.epsilon, 0.1)
    return [(e, float(profile(e))) for e in sorted({*np.linspace(0.0, end, POINTS).tolist(), audit.claim.epsilon})]
