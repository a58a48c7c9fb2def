"""The page: one HTML file without links to elsewhere or other files, rendered from the document alone.

Its one script filters the list of algorithms; without it everything is shown.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from dppca.audit.report import plots
from dppca.audit.report.closing import claim_of, is_unexpected
from dppca.audit.report.document import SCHEMA, number
from dppca.audit.report.markup import Child, Markup, tag

_STYLE, _SCRIPT = (Path(__file__).with_name(name) for name in ("style.css", "filter.js"))
_EPSILON, _DELTA = "\u03b5", "\u03b4"
#: Unexpected verdicts that are named before the first section.
LISTED = 6

Data = dict[str, Any]


def render(document: Data) -> str:
    """Return the page of a run's document; ValueError where that is not as `schema.json` says."""
    try:
        return _render(document)
    except (LookupError, TypeError, AttributeError, ValueError, ArithmeticError, RecursionError) as error:
        raise ValueError(f"the document must be as {SCHEMA.name} says, got {type(error).__name__}: {error}") from error


def anchor(place: int) -> str:
    """Return the anchor of the card of the audit at this place of the document, counted from 1."""
    return f"audit-{place}"


def _render(document: Data) -> str:
    audits = [{**audit, "anchor": anchor(i)} for i, audit in enumerate(document["audits"], start=1)]
    problems = [test for test in document["tests"] if test["outcome"] != "skipped"]
    sections: list[tuple[str, str, Child]] = [
        ("audits", "Algorithms", _algorithms(audits, document["run"])),
        ("claims", "Claims of the ledger", _claims(audits)),
        ("utility", "Utility", [_experiment(of) for of in document["utility"]]),
        ("skipped", "Not run", _tests([test for test in document["tests"] if test["outcome"] == "skipped"])),
        ("reading", "How to read this", _reading(document["run"])),
        ("run", "The run", _run(document["run"])),
    ]
    shown = [section for section in sections if section[2]]
    head = [
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", f"Privacy audit, {document['run']['date'][:10]}"),
        tag("style", Markup(_STYLE.read_text(encoding="utf-8"))),
    ]
    body = [
        tag("header", _header(document["run"], audits, problems)),
        tag("nav", tag("ul", [tag("li", tag("a", title, href=f"#{name}")) for name, title, _ in shown]), aria_label="Sections"),
        tag("main", [tag("section", tag("h2", title), content, id=name) for name, title, content in shown]),
        tag("script", Markup(_SCRIPT.read_text(encoding="utf-8"))),
    ]
    return f"<!DOCTYPE html>\n{tag('html', tag('head', head), tag('body', body), lang='en')}\n"


# --- head ---------------------------------------------------------------------------------------------


def distinct(audits: list[Data]) -> dict[tuple[Any, ...], list[Data]]:
    """Return the claims that were audited, each with its audits: what an algorithm in one reading promises at one target."""
    claims: dict[tuple[Any, ...], list[Data]] = {}
    for audit in audits:
        claims.setdefault(tuple(audit[key] for key in ("algorithm", "choice", "epsilon", "delta")), []).append(audit)
    return claims


def _refuted(claims: Iterable[list[Data]]) -> int:
    return sum(any(audit["verdict"] == "REFUTED" for audit in of) for of in claims)


def _unexpected(audits: Iterable[Data]) -> list[Data]:
    return [audit for audit in audits if is_unexpected(audit)]


def headline(audits: list[Data]) -> str:
    """Return what was found, in a sentence; claims are counted, not audits."""
    claims, wrong = distinct(audits), len(_unexpected(audits))
    refuted = _refuted(claims.values())
    algorithms = len({audit["algorithm"] for audit in audits})
    ends = "every verdict is as expected" if not wrong else f"{_many(wrong, 'verdict')} not as expected"
    unsure = sum(bool(audit.get("inconclusive")) for audit in audits)
    ends += f", {unsure} inconclusive" if unsure else ""
    found = f"{refuted} of {len(claims)} privacy claims about {_many(algorithms, 'algorithm')} are refuted"
    return f"{found}, in {_many(len(audits), 'audit')}; {ends}."


def _many(count: int, word: str) -> str:
    return f"{count} {word}{'' if count == 1 else 's'}"


def _header(run: Data, audits: list[Data], problems: list[Data]) -> list[Child]:
    unexpected = _unexpected(audits)
    problems = [test for test in problems if test["test"] not in {audit["test"] for audit in unexpected}]
    ran = sum(run["outcomes"].values())
    about = f"budget {run['budget']}, seed {run['seed']}"
    parts: list[Child] = [
        tag("h1", "Privacy audit"),
        tag("p", f"{run['implementation'] or 'the reference'}, {run['date'][:10]}, {about}", class_="subtitle"),
        tag("p", headline(audits), class_="headline") if audits else None,
    ]
    if ran < run["tests_planned"]:
        parts.append(tag("p", f"The run was cut short: {ran} of {run['tests_planned']} tests ran.", class_="alarm"))
    if unexpected:
        links = [
            tag("li", _link(audit), f": {audit['verdict']}, expected {audit['expected']}") for audit in unexpected[:LISTED]
        ]
        if len(unexpected) > LISTED:
            links.append(tag("li", f"and {len(unexpected) - LISTED} more, in the folds that are open"))
        parts.append(tag("div", tag("h2", "Unexpected verdicts"), tag("ul", links), class_="alarm"))
    if problems:
        parts.append(tag("div", tag("h2", "Crashed, or failed otherwise"), _tests(problems), class_="alarm"))
    return parts


def _link(audit: Data) -> Markup:
    return tag("a", audit["id"], href=f"#{audit['anchor']}")


def _tests(tests: list[Data]) -> Markup | None:
    """Return the tests with the reason for which they did not pass."""
    if not tests:
        return None
    return tag("ul", [tag("li", tag("code", test["test"]), f" {test['outcome']}: {test['reason']}") for test in tests])


# --- algorithms ---------------------------------------------------------------------------------------


def _algorithms(audits: list[Data], run: Data) -> list[Child]:
    """Return a fold for each algorithm; open is one with something unexpected, and one that is alone."""
    if not audits:
        return []
    caption = (
        "Lower bounds and exact values are about epsilon at the claim's delta, on one pair of datasets. "
        "NOT REFUTED says that this run found nothing, never that the claim is true."
    )
    groups = sorted(_by(audits, "algorithm"), key=lambda group: not _unexpected(group[1]))
    alone = len(groups) == 1
    return [tag("p", caption), tag("div", [_fold(name, group, run, alone=alone) for name, group in groups], id="folds")]


def _fold(name: str, audits: list[Data], run: Data, *, alone: bool) -> Markup:
    claims, wrong = distinct(audits), _unexpected(audits)
    refuted = _refuted(claims.values())
    marks = [
        tag("span", f"{refuted} of {_many(len(claims), 'claim')} refuted", class_=f"badge {'refuted' if refuted else 'open'}")
    ]
    if wrong:
        marks.append(tag("span", f"{len(wrong)} unexpected", class_="badge unexpected"))
    columns = (
        "",
        "pair",
        "reading",
        "view",
        f"claim ({_EPSILON}, {_DELTA})",
        "lower bound",
        f"exact {_EPSILON}",
        "verdict",
        "because",
    )
    head = [tag("th", text, scope="col", class_=_column(i)) for i, text in enumerate(columns)]
    rows = [_row(i, audit) for i, audit in enumerate(audits, start=1)]
    table = tag("table", tag("thead", tag("tr", head)), tag("tbody", rows), class_="verdicts")
    return tag(
        "details",
        tag("summary", tag("strong", _breakable(name)), " ", marks),
        tag("figure", plots.bounds_svg(audits)),
        tag("div", table, class_="scroll", role="region", aria_label=f"Verdicts on {name}", tabindex="0"),
        tag("div", [_card(audit, run) for audit in audits], class_="cards"),
        class_="fold",
        open=bool(wrong) or alone,
    )


def _row(place: int, audit: Data) -> Markup:
    because = tag("a", audit["because"], href=f"#claim-{audit['because']}") if audit["because"] else ""
    cells: list[Child] = [
        tag("a", audit["instance"], href=f"#{audit['anchor']}"),
        audit["choice"],
        audit["view"],
        claim_of(audit),
        _epsilon(audit["lower_bound"]),
        _epsilon(audit["exact_epsilon"]),
        _badge(audit),
        because,
    ]
    data = [tag("td", cell, class_=_column(i)) for i, cell in enumerate(cells, start=1)]
    return tag("tr", tag("th", str(place), scope="row"), data)


def _column(index: int) -> str | None:
    return {3: "wide", 4: "number", 5: "number", 6: "number wide", 8: "wide"}.get(index)


def _badge(audit: Data) -> Markup:
    """Return the verdict, and whether it is as expected: a refutation that is intended is no failure."""
    kind = "refuted" if audit["verdict"] == "REFUTED" else "open"
    if audit.get("inconclusive"):
        return tag("span", f"{audit['verdict']}, inconclusive: {audit['inconclusive']}", class_=f"badge {kind}")
    if is_unexpected(audit):
        return tag("span", f"{audit['verdict']}, expected {audit['expected']}", class_=f"badge {kind} unexpected")
    return tag("span", f"{audit['verdict']}, as expected", class_=f"badge {kind}")


def _claims(audits: list[Data]) -> Markup | None:
    """Return the claims of the ledger that say why a verdict is expected, each with the audits that name it."""
    named = {claim: group for claim, group in _by(audits, "because") if claim}
    if not named:
        return None
    places = {a["anchor"]: str(i) for _, group in _by(audits, "algorithm") for i, a in enumerate(group, start=1)}
    items = []
    for claim, group in sorted(named.items()):
        parts: list[Child] = []
        for algorithm, of in _by(group, "algorithm"):
            links = [[", " if i else " ", tag("a", places[a["anchor"]], href=f"#{a['anchor']}")] for i, a in enumerate(of)]
            parts += [["; " if parts else "", _breakable(algorithm), links]]
        shown = tag("code", f"dppca claim {claim}")
        items.append(tag("li", tag("strong", claim), ": ", parts, ". ", shown, id=f"claim-{claim}"))
    return tag("ul", items, class_="named")


def _breakable(name: str) -> list[Child]:
    """Return a name that may be broken after each "_"."""
    parts = name.split("_")
    return [[f"{part}_", tag("wbr")] for part in parts[:-1]] + [parts[-1]]


def _epsilon(value: float | str | None) -> str:
    if value is None:
        return "\u2013"
    return "\u221e" if value == "inf" else f"{number(value):.3f}"


# --- one audit ----------------------------------------------------------------------------------------


def _card(audit: Data, run: Data) -> Markup:
    confidence = audit["confidence"]
    at = "" if confidence is None else f", with confidence {100.0 * confidence:.3f} %"
    facts: list[tuple[str, Child]] = [
        ("pair", audit["pair"]),
        ("claim", f"{_EPSILON} = {audit['epsilon']:.6g}, {_DELTA} = {audit['delta']:.6g}"),
        (f"{_EPSILON} of the pair" if confidence is None else "lower bound", _epsilon(audit["lower_bound"]) + at),
    ]
    if confidence is not None:
        facts.append((f"exact {_EPSILON}", _epsilon(audit["exact_epsilon"])))
    if audit["event"]:
        facts.append(("event that refutes" if audit["verdict"] == "REFUTED" else "event tested", audit["event"]))
    if audit["secrets"]:
        facts.append(("adversary was shown", f"{', '.join(audit['secrets'])}; so this bound refutes nothing"))
    if audit["trials"]:
        by = ", batched implementation" if audit["implementation"] == "batched" else ""
        facts.append(("trials", f"{audit['trials']:,} on each dataset, {audit['seconds']:.1f} s, seed {audit['seed']}{by}"))
    which = ["pytest", audit["test"]]
    if run["command"].startswith("dppca "):  # it takes no names of tests: all audits of this view
        which = ["dppca", "audit", "-k", f"{audit['algorithm']} and {audit['choice']} and {audit['view']}"]
        which += ["--implementation", run["implementation"]] if run["implementation"] else []
    rerun = shlex.join([*which, "--seed", str(run["seed"]), "--budget", run["budget"]])
    return tag(
        "details",
        tag("summary", f"{audit['instance']}: {audit['choice']}, {audit['view']} view"),
        _badge(audit),
        tag("figure", _profile(audit)),
        tag("dl", [[tag("dt", name), tag("dd", value)] for name, value in facts]),
        tag("pre", tag("code", rerun)),
        tag("details", tag("summary", "Numbers"), _numbers(audit["curves"])),
        id=audit["anchor"],
        class_="card",
    )


def _profile(audit: Data) -> Markup:
    """Return the plot of an audit; the exact curve is the reference's, and no other implementation has it."""
    estimated, exact = audit["curves"]["estimated"], audit["curves"]["exact"]
    if audit["implementation"] not in {"reference", "batched"}:
        exact = None
    if estimated is None and exact is None:
        return tag("p", "No curve: neither the law nor an estimate is known.", class_="none")
    columns = list(zip(*estimated, strict=True)) if estimated else None
    confidence = 1.0 if audit["confidence"] is None else audit["confidence"]
    curve = columns and {
        "confidence": confidence,
        "epsilons": columns[0],
        "estimate": columns[1],
        "lower": columns[2],
        "upper": None if columns[3][0] is None else columns[3],
    }
    claim = {"epsilon": audit["epsilon"], "delta": audit["delta"]}
    bound = {"epsilon": audit["lower_bound"], "delta": audit["delta"], "confidence": confidence}
    return plots.profile_svg({"claim": claim, "bound": bound, "profile": curve, "exact": exact})


def _numbers(curves: Data) -> list[Markup]:
    """Return the points of the curves as tables."""
    tables = []
    for kind, head in (
        ("exact", (_EPSILON, f"exact {_DELTA}")),
        ("estimated", (_EPSILON, "estimate", "lower edge", "upper edge")),
    ):
        if curves[kind] is not None:
            rows = [["" if value is None else f"{value:.4g}" for value in point] for point in curves[kind]]
            tables.append(_table(head, rows))
    return tables


# --- utility ------------------------------------------------------------------------------------------


def _experiment(of: Data) -> Markup:
    drawn = [tag("figure", tag("figcaption", plot["title"]), plots.experiment_svg(plot)) for plot in of["plots"]]
    table = tag("div", _table(of["head"], of["rows"]), class_="scroll", role="region", aria_label=of["title"], tabindex="0")
    return tag(
        "article",
        tag("h3", of["title"]),
        tag("div", drawn, class_="plots") if drawn else None,
        [tag("p", note) for note in of["notes"]],
        tag("details", tag("summary", f"Table, {len(of['rows'])} rows"), table) if len(of["rows"]) > 12 else table,
        class_="experiment",
    )


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> Markup:
    cells = [tag("th", name, scope="col") for name in head]
    body = [tag("tr", [tag("td", cell) for cell in row]) for row in rows]
    return tag("table", tag("thead", tag("tr", cells)), tag("tbody", body), class_="plain")


# --- run ----------------------------------------------------------------------------------------------


def _run(run: Data) -> list[Markup]:
    versions = ", ".join(f"{name} {version}" for name, version in run["versions"].items())
    outcomes = ", ".join(f"{count} {outcome}" for outcome, count in run["outcomes"].items())
    facts = [
        ("date", run["date"]),
        ("seed", str(run["seed"])),
        ("budget", run["budget"]),
        ("implementation", run["implementation"] or "the reference"),
        ("time", f"{run['seconds']:.0f} s"),
        ("tests", f"{outcomes} of {run['tests_planned']}"),
        ("Python", f"{run['python']}, {run['platform']}"),
        ("versions", versions),
    ]
    return [
        tag("p", "This command repeats the run; the same seed gives the same verdicts and bounds."),
        tag("pre", tag("code", run["command"])),
        tag("dl", [[tag("dt", name), tag("dd", value)] for name, value in facts]),
    ]


def _reading(run: Data) -> list[Markup]:
    together = f"{100.0 * (1.0 - run['family_error']):g} %"
    paragraphs = [
        "REFUTED: the claim is false on this pair of datasets, with the stated confidence after everything that was chosen "
        "from data; in the exact view it is a proof. NOT REFUTED: this run found nothing. Another pair, event or budget may.",
        "Views. Output: the adversary sees the final output only. Transcript: every release. Exact: the divergence is "
        "computed, by rigorous enclosure or in rational arithmetic.",
        f"All {run['sampled_audits']} lower bounds of the suite hold together with probability {together}. All bands, each at "
        "every epsilon at once, hold together with the same probability.",
        f"Privacy profile: {_DELTA}({_EPSILON}) is the smallest {_DELTA} at which the pair is ({_EPSILON}, {_DELTA})-close "
        "both ways. A claim is true of the pair when its diamond lies on or above the curve. The exact curve comes from "
        "the law of what the adversary sees, where that is known.",
        "Bands in the output view: nested events were fixed on other outputs before. Clopper-Pearson intervals for their "
        "probabilities on both datasets, at a level shared out over all events, both datasets and all times at which the "
        "run could have stopped, bracket what an adversary who uses these events can reach. The lower edge holds for "
        "every adversary, the upper one for this one.",
        "Bands in the transcript view: at each point the lower edge is the largest mean payoff that betting rejects, at a "
        "level shared out over the points. Payoffs have no known maximum, so there is no upper edge; the shading ends at "
        "the estimate. Between points an edge keeps the value that is safe, which makes the steps.",
    ]
    return [tag("p", paragraph) for paragraph in paragraphs]


def _by(audits: list[Data], key: str) -> list[tuple[str, list[Data]]]:
    """Return the audits by the value of a key, in order of first appearance."""
    groups: dict[str, list[Data]] = {}
    for audit in audits:
        groups.setdefault(audit[key], []).append(audit)
    return list(groups.items())
