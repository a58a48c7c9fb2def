"""The ledger as pages: one for each claim, lists of them that can be filtered, and links to claims from all other text."""

from __future__ import annotations

import functools
import json
import re
from dataclasses import dataclass
from typing import Any, ClassVar

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from dppca.proofs_notes.ledger.claims import ROOT, LedgerClaim, figures, load, paper, quantifier, sections
from dppca.proofs_notes.ledger.errata import Shown, broken_promise
from dppca.proofs_notes.rocq import proofs
from dppca.proofs_notes.site import plain_math
from dppca.proofs_notes.site.last_run import findings
from dppca.proofs_notes.site.source_pages import locate
from dppca.proofs_notes.site.source_pages import page_name as source_page

_MARKED = re.compile(r"(`[^`]+`|\$[^$]+\$)")
_PLACE = re.compile(
    r"\b(abstract|contribution|theorem|lemma|definition|algorithm|corollary|proposition|assumption|remark|table|figure|problem|"
    r"example|section|equation|appendix|appendice)(?:e?s)?(?:\s+\(?([a-z]?\.?\d+(?:\.\d+)*|[a-f])\b)?",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class ShownTheorem:
    """A machine-checked theorem with its statement, where it stands, and in what it proves less than the claim."""

    name: str
    file: str
    line: int
    statement: str
    weaker: str


@functools.cache
def theorems() -> dict[str, list[ShownTheorem]]:
    """Map ids of claims to their theorems, but for those that `make proofs` has not seen."""
    stated = proofs.statements()
    found: dict[str, list[ShownTheorem]] = {}
    for theorem in proofs.load():
        if theorem.proof in stated:
            line = proofs.declared((proofs.NOTES / theorem.file).read_text("utf-8"), theorem.name)
            shown = ShownTheorem(theorem.name, theorem.file, line, stated[theorem.proof].statement, theorem.weaker)
            found.setdefault(theorem.claim, []).append(shown)
    return found


@functools.cache
def by_paper() -> dict[str, list[LedgerClaim]]:
    """Map papers to their claims, in the order of each file claims.toml, which is the paper's."""
    papers: dict[str, list[LedgerClaim]] = {}
    for claim in load():
        papers.setdefault(paper(claim), []).append(claim)
    return papers


@functools.cache
def by_id() -> dict[str, LedgerClaim]:
    """Return the claims by id."""
    return {claim.id: claim for claims in by_paper().values() for claim in claims}


def page_of(name: str) -> str:
    """Return the page of the claim of this id, from the site's root, without a suffix."""
    part, _, short = name.partition(".")
    return f"ledger/{part}/{short}"


def place(claim: LedgerClaim) -> str:
    """Return the first place that the claim's source names, such as "theorem 2"; "" if it names none."""
    found = _PLACE.search(claim.source.partition(",")[2] or claim.source)
    if found is None:
        return ""
    kind = "appendix" if found[1].lower().startswith("append") else found[1].lower()
    return f"{kind} {(found[2] or '').lower()}".strip()


def place_of(claim: LedgerClaim) -> str:
    """Return the claim's source without the paper that the page is about."""
    first, mark, rest = claim.source.partition(", ")
    return rest if mark and first == paper(claim) else claim.source


def grade(claim: LedgerClaim) -> str:
    """Return how much a reader should mind: a false guarantee and a slip in notation must not look alike."""
    if claim.printed is not False:
        return {"holds": "true"}.get(claim.status, "undecided")
    if claim.weight == "remark" or claim.kind == "notation":
        return "slip"
    if claim.kind in {"privacy", "sensitivity"} or claim.weight == "main":
        return "grave"
    return "wrong"


def badge(claim: LedgerClaim) -> nodes.inline:
    """Return the verdict in words, in the colour of its grade; a false privacy claim says so."""
    subject = "privacy: " if claim.kind == "privacy" and claim.printed is False else ""
    return nodes.inline("", subject + claim.verdict, classes=["verdict", grade(claim)])


def inline(text: str) -> list[nodes.Node]:
    """Return the nodes of a plain text in which `code` and $formulas$ may be marked."""
    result: list[nodes.Node] = []
    for part in filter(None, _MARKED.split(text)):
        if _MARKED.fullmatch(part):
            result.append((nodes.literal if part[0] == "`" else nodes.math)("", part[1:-1]))
        else:
            result += plain_math.shown(part)
    return result


def _line(label: str, *children: nodes.Node, classes: tuple[str, ...] = ()) -> nodes.paragraph:
    return nodes.paragraph("", "", nodes.strong("", label), nodes.Text(" "), *children, classes=list(classes))


def _link(text: str, url: str) -> nodes.reference:
    return nodes.reference("", text, internal=True, refuri=url)


def _between(items: list[nodes.Node], text: str = ", ") -> list[nodes.Node]:
    result: list[nodes.Node] = []
    for item in items:
        result += [nodes.Text(text), item] if result else [item]
    return result


def _source(target: str) -> list[nodes.Node]:
    """Return the link to what "package.module:name" names, from a claim's page."""
    module, _, name = target.partition(":")
    location = locate(module, name)
    return [
        nodes.literal("", name),
        nodes.Text(" in "),
        _link(f"{location.path}, line {location.line}", f"../../{location.url}"),
    ]


#: What each scope says, on a claim's page.
_SCOPES = {
    "proved": "by a theorem that Rocq has checked",
    "derived": "by the argument in the note, whose steps the check computes",
    "computed": "by a computation that covers the whole domain",
    "exhaustive": "by every case of a finite domain",
    "witness": "by one example, which is enough for this verdict",
    "instances": "at the parameters that were tried, and at no others",
}


class ClaimDirective(SphinxDirective):
    """`claim ID`: everything about one claim, for a page two directories deep."""

    required_arguments: ClassVar[int] = 1

    def run(self) -> list[nodes.Node]:
        """Return the verdict, the sentence, the evidence, what it rests on, its proof, check and code, and its neighbours."""
        claim = by_id()[self.arguments[0]]
        own = paper(claim)
        up = nodes.paragraph("", "", _link(own, f"../{own}.html"), nodes.Text(f": {place_of(claim)}"), classes=["claim-place"])
        if of_place := _page_of_place(claim):
            up += [nodes.Text("; all of "), of_place]
        about = ", ".join((claim.kind, claim.weight, *([f"false: {claim.severity}"] if claim.severity else [])))
        head = nodes.paragraph("", "", badge(claim), nodes.Text(f" {about}"), classes=["claim-head"])
        entry = nodes.container("", up, head, ids=[claim.id], classes=["claim", grade(claim)])
        entry += nodes.paragraph("", "", *inline(claim.statement), classes=["claim-statement"])
        if claim.correction:
            entry += _line("Correction.", *inline(claim.correction))
        if claim.formula:
            entry += nodes.math_block("", claim.formula)
        for name, text in quantifier(claim).items():
            entry += _line(f"{name}:", *inline(text))
        entry += _line("Found", nodes.Text(f"({claim.method}): "), *inline(figures()[claim.id]))
        entry += _line("Scope:", nodes.Text(f"{claim.scope}, {_SCOPES[claim.scope]}"), *_proof(claim), nodes.Text("."))
        rests = [("Rests on:", claim.needs), ("Used by:", _users().get(claim.id, ()))]
        for label, names in rests:
            if names:
                entry += _line(label, *_between([_to(name) for name in names]))
        entry += _line("Check:", *_source(claim.check), classes=("check",))
        entry += _line("Code:", *_source(claim.code), classes=("code",))
        if notes := _notes(claim):
            entry += _line("Explained in:", *_between([_link(title, url) for title, url in notes]))
        entry += _line(
            "Show it, cite it:",
            nodes.literal("", f"dppca claim {claim.id}"),
            nodes.Text(", "),
            nodes.literal("", f"dppca cite {claim.id}"),
        )
        return [_index(claim), entry, *_off(claim), *_audits(claim), *_formal(claim), _neighbours(claim)]


def _page_of_place(claim: LedgerClaim) -> nodes.reference | None:
    """Return a link to the page of the claim's theorem, lemma or algorithm, from the page of the claim."""
    from dppca.proofs_notes.site.theorems import page_name, places, title  # noqa: PLC0415 - it imports this module

    key = (paper(claim), place(claim))
    return _link(title(*key), f"../../{page_name(*key)}.html") if key in places() else None


def _index(claim: LedgerClaim) -> addnodes.index:
    """Return entries of the index, which the search puts first: the id and the place, each with and without its paper."""
    where = "" if _page_of_place(claim) else place(claim)  # its own page has these
    names = [claim.id, claim.id.partition(".")[2], *([where, f"{paper(claim)} {where}"] if where else [])]
    return addnodes.index(entries=[("single", name, claim.id, "main", None) for name in names])


def _to(name: str) -> nodes.reference:
    return _link(name, f"../../{page_of(name)}.html")


@functools.cache
def _users() -> dict[str, list[str]]:
    users: dict[str, list[str]] = {}
    for claim in by_id().values():
        for need in claim.needs:
            users.setdefault(need, []).append(claim.id)
    return users


def _proof(claim: LedgerClaim) -> list[nodes.Node]:
    """Return a link to where the argument stands."""
    if not claim.proof:
        return []
    file, name = claim.proof_place
    if file.endswith(".md"):
        return [nodes.Text(": "), _link(f"{file}, {name}", f"../../proofs_notes/{file.removesuffix('.md')}.html#{name}")]
    line = next((theorem.line for theorem in theorems().get(claim.id, []) if theorem.name == name), 1)
    return [nodes.Text(": "), _link(name, f"../../{source_page(f'proofs_notes/{file}')}.html#line-{line}")]


@functools.cache
def _texts() -> dict[str, str]:
    """Return the notes by their rooms."""
    return {file.parent.name: file.read_text(encoding="utf-8") for file in sorted((ROOT / "proofs_notes").glob("*/note.md"))}


def _notes(claim: LedgerClaim) -> list[tuple[str, str]]:
    """Return the innermost sections of the notes that link to the claim: titles and addresses."""
    short = claim.id.partition(".")[2]
    found = []
    for stem, text in _texts().items():
        marks = [f"[{claim.id}]"] + ([f"[{short}]"] if stem == paper(claim) else [])
        holding = [(slug, body) for slug, body in sections(text).items() if any(mark in body for mark in marks)]
        for slug, body in holding:
            if not any(other != body and other in body for _, other in holding):
                title = body.partition("\n")[0].lstrip("# ").replace("`", "").replace("$", "")
                found.append((f"{stem}: {title}", f"../../proofs_notes/{stem}/note.html#{slug}"))
    return found


def calculator(shown: Shown) -> str:
    """Return the form in which calculator.js reads a curve at the reader's epsilon or delta."""
    points = [[float(f"{number:.6g}") for number in point] for point in shown.points]
    return f'<form class="calculator" data-points="{json.dumps(points)}"></form>'


def _off(claim: LedgerClaim) -> list[nodes.Node]:
    """Return the plot of the promise that is broken, as the page of the claim's theorem has it, or nothing."""
    shown = broken_promise([claim]) if claim.id in _audits_by_claim() else None
    if shown is None:
        return []
    section = nodes.section("", nodes.title("", "How far it is off"), ids=["how-far-it-is-off"])
    section += [nodes.raw("", shown.plot, format="html"), nodes.paragraph("", shown.words)]
    section += nodes.raw("", calculator(shown), format="html")
    return [section]


@functools.cache
def _audits_by_claim() -> dict[str, list[Any]]:
    """Map ids of claims to the audits of the suite whose verdict they explain."""
    from dppca.audit.suite.audits import instances  # noqa: PLC0415 - the whole catalogue

    audits: dict[str, list[Any]] = {}
    for audit in instances():
        audits.setdefault(audit.because, []).append(audit)
    return audits


def _audits(claim: LedgerClaim) -> list[nodes.Node]:
    """Return which audits the claim is the reason for, what they have to find, and how to run them; or nothing."""
    audits = _audits_by_claim().get(claim.id, [])
    if not audits:
        return []
    refuted = sum(audit.expected == "REFUTED" for audit in audits)
    section = nodes.section("", nodes.title("", "In the audits"), ids=["in-the-audits"])
    run = list(dict.fromkeys(audit.algorithm.partition(".")[2] for audit in audits))
    section += nodes.paragraph(
        "",
        f"This claim is why {_count(refuted, 'audit')} of the suite must refute a guarantee, and why "
        f"{len(audits) - refuted or 'none'} must not. Run them with ",
        *_between([nodes.literal("", f"dppca audit -k {name}") for name in run], " and "),
        nodes.Text("."),
    )
    section += _folded(_count(len(audits), "audit"), nodes.bullet_list("", *map(listed_audit, audits)))
    return [section]


def listed_audit(audit: Any) -> nodes.list_item:
    """Return what one audit tests, the verdict that it must give, and what it found where the last run's report is there."""
    exact = "" if audit.epsilon is None else f"; at this delta the pair's exact epsilon is {audit.epsilon:g}"
    text = (
        f"({audit.claim.epsilon:g}, {audit.claim.delta:g})-DP of {audit.algorithm}, reading {audit.choice}, on the "
        f"neighbouring datasets '{audit.name}', {audit.view} view: {audit.expected}{exact}."
    )
    item = nodes.list_item("", nodes.paragraph("", text))
    if audit.id in findings():
        said, address = findings()[audit.id]
        item += _line("The last run:", nodes.Text(f"{said} "), _link("plot, event and command", f"../../{address}"))
    return item


def _count(number: int, word: str) -> str:
    return f"{number or 'no'} {word}{'' if number == 1 else 's'}"


def _folded(summary: str, *children: nodes.Node) -> list[nodes.Node]:
    """Return nodes that a page shows when its reader opens them."""
    opened, closed = (nodes.raw("", text, format="html") for text in (f"<details><summary>{summary}</summary>", "</details>"))
    return [opened, *children, closed]


def _formal(claim: LedgerClaim) -> list[nodes.Node]:
    """Return the machine-checked statements, or nothing."""
    stated = theorems().get(claim.id, [])
    if not stated:
        return []
    section = nodes.section("", nodes.title("", "In Rocq"), ids=["in-rocq"])
    section += _folded(_count(len(stated), "machine-checked statement"), *map(_theorem, stated))
    return [section]


def _theorem(theorem: ShownTheorem) -> nodes.container:
    url = f"../../{source_page(f'proofs_notes/{theorem.file}')}.html#line-{theorem.line}"
    block = nodes.container("", nodes.paragraph("", "", _link(f"{theorem.file}: {theorem.name}", url)), classes=["theorem"])
    code = nodes.literal_block(theorem.statement, theorem.statement)
    code["language"] = "coq"
    block += code
    if theorem.weaker:
        block += _line("Weaker than the claim.", nodes.Text(theorem.weaker))
    return block


def _neighbours(claim: LedgerClaim) -> nodes.paragraph:
    """Links to the claims before and after it in the paper."""
    claims = by_paper()[paper(claim)]
    here = claims.index(claim)
    paragraph = nodes.paragraph("", "", classes=["claim-neighbours"])
    for label, other in (("Before:", here - 1), ("After:", here + 1)):
        if 0 <= other < len(claims):
            paragraph += nodes.inline("", "", nodes.Text(f"{label} "), _to(claims[other].id))
    return paragraph


class ClaimsDirective(SphinxDirective):
    """`claims [PAPER]`: a list of all claims, or a paper's, in order, for a page one directory deep; filter.js filters it."""

    optional_arguments: ClassVar[int] = 1

    def run(self) -> list[nodes.Node]:
        """Return a row for each claim; its values are classes, by which it is filtered."""
        papers = [self.arguments[0]] if self.arguments else list(by_paper())
        rows = [_row(claim, alone=bool(self.arguments)) for name in papers for claim in by_paper()[name]]
        return [nodes.container("", *rows, classes=["claims"])]


class PlaceDirective(SphinxDirective):
    """`place PAPER PLACE`: the statements of a theorem, for a page one directory deep that the search finds first for it."""

    required_arguments: ClassVar[int] = 2
    final_argument_whitespace: ClassVar[bool] = True

    def run(self) -> list[nodes.Node]:
        """Return entries of the index and a row for each statement."""
        from dppca.proofs_notes.site.theorems import names, page_name, places  # noqa: PLC0415 - it imports this module

        own, where = self.arguments
        target = page_name(own, where).partition("/")[2]
        entries = [("single", name, target, "main", None) for name in names(own, where)]
        rows = [_row(claim, alone=True) for claim in places()[own, where]]
        return [addnodes.index(entries=entries), nodes.container("", *rows, ids=[target], classes=["statements"])]


def _row(claim: LedgerClaim, *, alone: bool) -> nodes.container:
    fields = {
        "paper": paper(claim),
        "verdict": claim.verdict,
        "kind": claim.kind,
        "weight": claim.weight,
        "scope": claim.scope,
    }
    classes = [f"{name}--{re.sub(r'[^a-z0-9]+', '-', value.lower())}" for name, value in fields.items()]
    short = claim.id.partition(".")[2]
    title = nodes.paragraph("", "", _link(short if alone else claim.id, f"../{page_of(claim.id)}.html"), classes=["row-title"])
    facts = nodes.paragraph(
        "", "", badge(claim), nodes.Text(f" {claim.kind}, {claim.weight}; {claim.scope}"), classes=["row-facts"]
    )
    sentence = nodes.paragraph("", "", nodes.emphasis("", place_of(claim)), nodes.Text(": "), *inline(claim.statement))
    return nodes.container("", title, facts, sentence, classes=["claim-row", *classes])


@functools.cache
def _names(own: str) -> tuple[dict[str, str], re.Pattern[str]]:
    """Return what may name a claim in a text on that paper, and a pattern for it."""
    names = {claim.id: claim.id for claims in by_paper().values() for claim in claims}
    names |= {claim.id.split(".", 1)[1]: claim.id for claim in by_paper().get(own, [])}
    longest_first = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    return names, re.compile(rf"(?<![\w.-])(?:{longest_first})(?![\w-]|\.\w)")


_NOT_INSIDE = (nodes.reference, nodes.literal, nodes.literal_block, nodes.title, nodes.math, nodes.math_block, nodes.raw)


def _link_claims(_app: Sphinx, document: nodes.document, page: str) -> None:
    own = page.removeprefix("proofs_notes/").removeprefix("ledger/").partition("/")[0]
    root = "../" * page.count("/")
    names, pattern = _names(own)
    for text in list(document.findall(nodes.Text)):
        parents = _parents(text)
        if any(isinstance(parent, _NOT_INSIDE) for parent in parents):
            continue
        found = list(pattern.finditer(text))
        if found:
            text.parent.replace(text, _linked(text, found, names, root))


def _linked(text: str, found: list[re.Match[str]], names: dict[str, str], root: str) -> list[nodes.Node]:
    result: list[nodes.Node] = []
    end = 0
    for match in found:
        claim = names[match[0]]
        url = f"{root}{page_of(claim)}.html"
        result += [nodes.Text(text[end : match.start()]), nodes.reference("", match[0], internal=True, refuri=url)]
        end = match.end()
    return [*result, nodes.Text(text[end:])]


def _parents(node: nodes.Node) -> list[Any]:
    parents = []
    while node.parent is not None:
        node = node.parent
        parents.append(node)
    return parents


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive and the links."""
    app.add_directive("claim", ClaimDirective)
    app.add_directive("claims", ClaimsDirective)
    app.add_directive("place", PlaceDirective)
    app.connect("doctree-resolved", _link_claims)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
