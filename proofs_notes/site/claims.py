"""The ledger as pages: every claim with an anchor, its check and its code; and links to claims from all other text."""

from __future__ import annotations

import functools
import importlib
import itertools
import re
from typing import Any, ClassVar

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from dppca.proofs.ledger import LEDGER, LedgerClaim, load
from dppca.proofs.site.source_pages import locate

_MARKED = re.compile(r"(`[^`]+`|\$[^$]+\$)")


@functools.cache
def by_paper() -> dict[str, list[LedgerClaim]]:
    """Papers to their claims."""
    papers: dict[str, list[LedgerClaim]] = {}
    for claim in load():
        papers.setdefault(claim.id.split(".")[0], []).append(claim)
    return papers


@functools.cache
def figures() -> dict[str, str]:
    """Ids to what the checks found, as `make ledger` last wrote it."""
    entries = re.findall(r"^### (\S+): .*?^Evidence \([^)]*\): (.*?) About `", LEDGER.read_text(), re.MULTILINE | re.DOTALL)
    return dict(entries)


def inline(text: str) -> list[nodes.Node]:
    """Plain text in which `code` and $formulas$ are marked."""
    result: list[nodes.Node] = []
    for part in filter(None, _MARKED.split(text)):
        if _MARKED.fullmatch(part):
            result.append((nodes.literal if part[0] == "`" else nodes.math)("", part[1:-1]))
        else:
            result.append(nodes.Text(part))
    return result


def _line(label: str, *children: nodes.Node) -> nodes.paragraph:
    return nodes.paragraph("", "", nodes.strong("", label), nodes.Text(" "), *children)


def _source(target: str) -> list[nodes.Node]:
    """The link to what "package.module:name" names, from a page one directory deep."""
    module, _, name = target.partition(":")
    location = locate(module, name)
    link = nodes.reference("", f"{location.path}, line {location.line}", internal=True, refuri=f"../{location.url}")
    return [nodes.literal("", name), nodes.Text(" in "), link]


def _entry(claim: LedgerClaim) -> nodes.container:
    short = claim.id.split(".", 1)[1]
    title = nodes.paragraph("", "", classes=["claim-title"])
    title += nodes.reference("", short, internal=True, refuri=f"#{claim.id}")
    title += nodes.Text(" ")
    title += nodes.inline("", claim.status, classes=["status", claim.status])
    entry = nodes.container("", title, ids=[claim.id], classes=["claim"])
    entry += nodes.paragraph("", "", nodes.emphasis("", f"{claim.source}."), nodes.Text(" "), *inline(claim.statement))
    if claim.correction:
        entry += _line("Correction.", *inline(claim.correction))
    if claim.formula:
        entry += nodes.math_block("", claim.formula)
    entry += _line("Evidence", nodes.Text(f"({claim.method}): "), *inline(figures()[claim.id]))
    entry += nodes.paragraph("", "", nodes.strong("", "Check: "), *_source(claim.check), classes=["check"])
    entry += nodes.paragraph("", "", nodes.strong("", "Code: "), *_source(claim.code), classes=["code"])
    return entry


class Ledger(SphinxDirective):
    """`ledger PAPER`: the claims of a paper, grouped by the module that they are about."""

    required_arguments: ClassVar[int] = 1

    def run(self) -> list[nodes.Node]:
        """One section for each module."""
        claims = by_paper()[self.arguments[0]]
        order = list(dict.fromkeys(_module(claim) for claim in claims))
        groups = itertools.groupby(sorted(claims, key=lambda claim: order.index(_module(claim))), _module)
        return [self._group(module, list(group)) for module, group in groups]

    def _group(self, module: str, claims: list[LedgerClaim]) -> nodes.section:
        first = (importlib.import_module(module).__doc__ or module).splitlines()[0]
        section = nodes.section("", nodes.title("", "", *inline(first.rstrip("."))), ids=[nodes.make_id(module)])
        section += _line("Module", nodes.literal("", module))
        section += [_entry(claim) for claim in claims]
        return section


def _module(claim: LedgerClaim) -> str:
    return claim.code.partition(":")[0]


@functools.cache
def _names(paper: str) -> tuple[dict[str, str], re.Pattern[str]]:
    """What may name a claim in a text on that paper, and a pattern for it."""
    names = {claim.id: claim.id for claims in by_paper().values() for claim in claims}
    names |= {claim.id.split(".", 1)[1]: claim.id for claim in by_paper().get(paper, [])}
    longest_first = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    return names, re.compile(rf"(?<![\w.-])(?:{longest_first})(?![\w-]|\.\w)")


#: A row of the README's table says which paper its claims are of.
_ROW = re.compile(r"\((\w+\d{4}), ")
_NOT_INSIDE = (nodes.reference, nodes.literal, nodes.literal_block, nodes.title, nodes.math, nodes.math_block, nodes.raw)


def _link_claims(_app: Sphinx, document: nodes.document, page: str) -> None:
    own = page.removeprefix("proofs_notes/").removeprefix("ledger/")
    root = "../" * page.count("/")
    for text in list(document.findall(nodes.Text)):
        parents = _parents(text)
        if any(isinstance(parent, _NOT_INSIDE) for parent in parents):
            continue
        row = next((_ROW.search(parent.astext()) for parent in parents if isinstance(parent, nodes.row)), None)
        names, pattern = _names(row[1] if row else own)
        found = list(pattern.finditer(text))
        if found:
            text.parent.replace(text, _linked(text, found, names, root))


def _linked(text: str, found: list[re.Match[str]], names: dict[str, str], root: str) -> list[nodes.Node]:
    result: list[nodes.Node] = []
    end = 0
    for match in found:
        claim = names[match[0]]
        url = f"{root}ledger/{claim.split('.')[0]}.html#{claim}"
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
    app.add_directive("ledger", Ledger)
    app.connect("doctree-resolved", _link_claims)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
