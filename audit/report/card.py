"""The card of a result: a sentence, the plot, what was tried, how sure it is, what to do next.

`document` makes plain data of a result, and everything else is made of that: the text on a terminal, the fragment that a
notebook shows, the page beside a JSON file. `result.schema.json` beside this file describes the data.
"""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dppca.audit.auditor.results import Claim, Losses, LowerBound, Verdict
from dppca.audit.execution.pair_search import PairBound
from dppca.audit.report import document as documents
from dppca.audit.report import plots
from dppca.audit.report.curves import FEW_POINTS, POINTS, describe_pair, grid
from dppca.audit.report.markup import Child, Markup, tag

((FORMAT, VERSION),) = documents.RESULTS.items()
SCHEMA = documents.SCHEMAS[FORMAT]
_STYLE = Path(__file__).with_name("card.css")
_LISTS = {"tried": "What was tried", "certainty": "How sure this is", "next": "What to do next"}


@dataclass(frozen=True)
class NoVerdict:
    """The end of an audit that has no result: why, and what had been claimed or None."""

    reason: str
    claim: Any = None


def document(result: Any, *, mechanism: str | None = None) -> dict[str, Any]:
    """Return a result as plain data.

    Args:
        result: a Verdict, LowerBound, PairBound or NoVerdict.
        mechanism: what names that which was audited.
    """
    found: dict[str, Any] = documents.plain({"mechanism": mechanism, **_about(result)})
    return found


@functools.singledispatch
def _about(result: Any) -> dict[str, Any]:
    raise ValueError(f"result must be a Verdict, LowerBound or PairBound, got one of type {type(result).__name__}")


@_about.register
def _verdict(verdict: Verdict) -> dict[str, Any]:
    return {
        "kind": "verdict",
        "verdict": str(verdict),
        "headline": f"{verdict.headline()}.",
        "claim": _claim(verdict),
        "bound": _bound(verdict.bound),
        **verdict.parts(),
        "pair": None,
        "profile": _profile(verdict),
    }


@_about.register
def _lower_bound(bound: LowerBound) -> dict[str, Any]:
    shown = "no epsilon holds" if math.isinf(bound.epsilon) else f"epsilon is at least {bound.epsilon:.6g}"
    tried = [f"Tested: {bound.trials:,} runs on each dataset, seed {bound.seed}. Event: {bound.event}."]
    if bound.method == "one run":
        tried = [f"Tested: one run with {bound.trials:,} canaries. Event: {bound.event}."]
    if bound.secrets:
        tried.append(f"The adversary was shown secret draws: {', '.join(bound.secrets)}.")
    if bound.unchecked:
        tried.append(f"Not checked: {bound.unchecked}.")
    return {
        "kind": "bound",
        "verdict": None,
        "headline": f"{shown[0].upper()}{shown[1:]} at delta = {bound.delta:g}, with {100 * bound.confidence:g} % confidence"
        f"{bound.reservation()}.",
        "claim": None,
        "bound": _bound(bound),
        "tried": tried,
        "certainty": [
            f"The bound is too large with probability at most {1.0 - bound.confidence:.2g}. The epsilon itself may be larger: "
            "another pair of datasets, another event or more trials may show that."
        ],
        "next": ["hold the bound against what is claimed with audit.check; look for a worse pair of datasets."],
        "pair": None,
        "profile": None,
    }


@_about.register
def _no_verdict(found: NoVerdict) -> dict[str, Any]:
    claim = found.claim
    point = {"statement": str(claim), "epsilon": claim.epsilon, "delta": claim.delta} if isinstance(claim, Claim) else None
    return {
        "kind": "no verdict",
        "verdict": "NO VERDICT",
        "headline": f"NO VERDICT{'' if claim is None else f' on {claim}'}: {found.reason}",
        "claim": point and {**point, "curve": None},
        **dict.fromkeys(("bound", "pair", "profile")),
        **dict.fromkeys(_LISTS, ()),
    }


@_about.register
def _search(found: PairBound) -> dict[str, Any]:
    about = _lower_bound(found.bound) if found.verdict is None else _verdict(found.verdict)
    compared = f"This is the best pair found of {found.pairs:,} that were compared on runs of their own."
    change = [] if found.sensitivity is None else [f"A release moves by {found.sensitivity:.4g} of its declared sensitivity."]
    return {
        **about,
        "kind": "search",
        "pair": describe_pair(found.data, found.neighbour),
        "tried": [*about["tried"], compared, *change],
        "next": ["audit the pair that was found with audit.check and another seed, against what is claimed."]
        if found.verdict is None
        else about["next"],
    }


def _bound(bound: LowerBound) -> dict[str, Any]:
    names = ("epsilon", "delta", "confidence", "trials", "seconds", "event", "seed", "method", "secrets", "ideal", "repeated")
    return {**{name: getattr(bound, name) for name in names}, "unchecked": bound.unchecked}


def _profile(verdict: Verdict) -> dict[str, Any] | None:
    """Return the profile that a verdict's own test data show, at epsilons from 0 to beyond claim and bound."""
    confidence = verdict.bound.confidence
    band = verdict.band(_epsilons(verdict))
    curves = {name: getattr(band, name) for name in ("epsilons", "estimate", "lower", "upper")}
    return {"confidence": confidence, **{name: None if of is None else of.tolist() for name, of in curves.items()}}


def _epsilons(verdict: Verdict) -> list[float]:
    """Return epsilons from 0 to beyond claim and bound; of a curve, to where it claims a delta of 0.01."""
    points = FEW_POINTS if isinstance(verdict.tested, Losses) else POINTS
    claimed = 0.0 if isinstance(verdict.claim, Claim) else verdict.claim.epsilon_at(0.01)
    return grid(verdict.point, max(verdict.bound.epsilon, claimed if math.isfinite(claimed) else 0.0), points)


def _claim(verdict: Verdict) -> dict[str, Any]:
    """Return what was claimed, the point of it that was tested, and the points of a curve."""
    found: dict[str, Any] = {"statement": str(verdict.claim), "epsilon": verdict.point.epsilon, "delta": verdict.point.delta}
    if isinstance(verdict.claim, Claim):
        return {**found, "curve": None}
    epsilons, deltas = verdict.claim.points
    shown = epsilons <= _epsilons(verdict)[-1]
    return {**found, "curve": {"epsilons": epsilons[shown].tolist(), "deltas": deltas[shown].tolist()}}


# --- JSON and pages -----------------------------------------------------------------------------------


def file_of(results: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the document of a file: results, and on what they were found."""
    head = {"format": FORMAT, "version": VERSION}
    return {**head, "run": documents.about_the_run(), "results": list(results)}


def as_json(result: Mapping[str, Any]) -> str:
    """Return one result as the text of a file."""
    return json.dumps(file_of([result]), indent=1, allow_nan=False) + "\n"


def write(results: Sequence[Mapping[str, Any]], path: Path) -> Path:
    """Write results as JSON, and their page beside it; return where the page is."""
    held, page = file_of(results), path.with_suffix(".html")
    documents.write(held, path)
    documents.replace(page, render_page(held))
    return page


def render(result: Mapping[str, Any]) -> Markup:
    """Return the card of a result with its style, for a notebook."""
    return tag("div", tag("style", Markup(_STYLE.read_text(encoding="utf-8"))), _card(result), class_="dppca-cards")


def render_page(held: Mapping[str, Any]) -> str:
    """Return the page of a file's document; ValueError where that is not as the schema says."""
    try:
        results, run = held["results"], held["run"]
        refuted, none = (sum(result["verdict"] == of for result in results) for of in ("REFUTED", "NO VERDICT"))
        title = f"Privacy audit, {run['date'][:10]}"
        without = f", {none} without a verdict" if none else ""
        about = f"{len(results)} result{'' if len(results) == 1 else 's'}, {refuted} refuted{without}. "
        versions = ", ".join(f"{name} {version}" for name, version in run["versions"].items())
        head = [
            tag("meta", charset="utf-8"),
            tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
            tag("meta", name="color-scheme", content="light dark"),
            tag("title", title),
            tag("style", Markup(_STYLE.read_text(encoding="utf-8"))),
        ]
        made = tag("footer", f"Made with Python {run['python']}, {run['platform']}, {versions}.")
        cards = [_card(result) for result in results]
        body = tag("body", tag("h1", title), tag("p", about, _CAUTION), cards, made, class_="dppca-cards")
        return f"<!DOCTYPE html>\n{tag('html', tag('head', head), body, lang='en')}\n"
    except (LookupError, TypeError, AttributeError, ValueError, ArithmeticError, RecursionError) as error:
        raise ValueError(f"the document must be as {SCHEMA.name} says, got {type(error).__name__}: {error}") from error


_CAUTION = "An audit can refute a claim of privacy; it never proves one."


def _card(result: Mapping[str, Any]) -> Markup:
    bound = result["bound"]
    facts = [("claim", "none" if result["claim"] is None else result["claim"]["statement"])]
    if bound:
        facts += [
            ("lower bound", f"{documents.number(bound['epsilon']):.4g} at delta = {bound['delta']:g}"),
            ("confidence", f"{100 * bound['confidence']:.5g} %"),
            ("trials", f"{bound['trials']:,}, in {bound['seconds']:.1f} s, seed {bound['seed']}"),
        ]
    facts += [("pair", result["pair"])] if result["pair"] else []
    kind = {"REFUTED": "refuted", "NOT REFUTED": "open", "NO VERDICT": "none"}.get(result["verdict"], "bound")
    lists: list[Child] = [
        [tag("h3", title), tag("ul", [tag("li", f"{line[0].upper()}{line[1:]}") for line in result[name]])]
        for name, title in _LISTS.items()
        if result[name]
    ]
    return tag(
        "article",
        tag("h2", result["mechanism"]) if result["mechanism"] else None,
        tag("p", result["headline"], class_="headline"),
        tag("figure", plots.profile_svg(result)) if bound and (result["claim"] or result["profile"]) else None,
        lists,
        tag("dl", [[tag("dt", name), tag("dd", value)] for name, value in facts]),
        class_=f"card {kind}",
    )


def text(result: Mapping[str, Any]) -> str:
    """Return the sentences of a card, one a line."""
    lines = [result["headline"], *result["tried"], *result["certainty"], *(f"Next: {step}" for step in result["next"])]
    return "\n".join([*lines, ""])


def table(results: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the lines of a terminal's summary: mechanism, claim, bound, seconds and verdict of each result."""
    rows = [("mechanism", "claim", "bound", "seconds", "verdict")]
    for result in results:
        bound, claim = result["bound"], result["claim"]
        stated = "" if claim is None else f"({claim['epsilon']:g}, {claim['delta']:g})"
        stated = claim["statement"] if claim and claim["curve"] else stated
        found = (f"{documents.number(bound['epsilon']):.4g}", f"{bound['seconds']:.1f}") if bound else ("", "")
        rows.append((str(result["mechanism"])[:60], stated, *found, result["verdict"] or ""))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
