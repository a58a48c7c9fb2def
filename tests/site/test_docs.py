"""The site builds without a warning; its links, the ledger's above all, lead somewhere; it loads nothing from elsewhere."""

from __future__ import annotations

import functools
import html
import importlib
import itertools
import json
import re
import shutil
import subprocess
from dataclasses import dataclass, field, replace
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest

from dppca.proofs_notes.ledger.claims import ROOT, LedgerClaim, load
from dppca.proofs_notes.wang2020.section_6 import ENTRIES

pytest.importorskip("sphinx", reason="needs the extra docs")
pytest.importorskip("furo", reason="needs the extra docs")
pytest.importorskip("myst_nb", reason="needs the extra docs")
pytest.importorskip("math_core", reason="needs the extra docs")

from dppca.proofs_notes.site.claims import by_paper, grade, place
from dppca.proofs_notes.site.docstrings import escape, separate
from dppca.proofs_notes.site.plain_math import ACCENTS, SYMBOLS
from dppca.proofs_notes.site.source_pages import locate
from tests.interpreter import python

CLAIMS = load()
LOADS = {"script": "src", "img": "src", "iframe": "src", "source": "src", "object": "data", "embed": "src"}
VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}


@dataclass
class Page(HTMLParser):
    """A page's anchors, links, what it loads, and the links below each claim."""

    text: str
    ids: set[str] = field(default_factory=set)
    links: list[str] = field(default_factory=list)
    loaded: list[str] = field(default_factory=list)
    claims: dict[str, dict[str, str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__init__()
        self._open: list[tuple[str, ...]] = []
        self.feed(self.text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        classes = attributes.get("class", "").split()
        self.ids |= {attributes["id"]} if "id" in attributes else set()
        if tag == "a" and "href" in attributes:
            self.links.append(attributes["href"])
            self._of_claim(attributes["href"])
        loaded = LOADS.get(tag) or ("href" if tag == "link" and attributes.get("rel") != "canonical" else "")
        if attributes.get(loaded):
            self.loaded.append(attributes[loaded])
        if tag not in VOID:
            self._open.append((attributes["id"], *classes) if "claim" in classes else tuple(classes))
        if "claim" in classes:
            self.claims[attributes["id"]] = {}

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            self._open.pop()

    def _of_claim(self, href: str) -> None:
        kinds = [kind for classes in self._open for kind in classes]
        for kind in ("check", "code"):
            if kind in kinds:
                claim = next(kind for kind in kinds if kind in self.claims)
                self.claims[claim].setdefault(kind, href)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("docs")
    done = python("-m", "dppca.proofs_notes.site", output)
    assert done.returncode == 0, done.stderr
    assert not done.stderr
    return output


@functools.cache
def page(file: Path) -> Page:
    return Page(file.read_text())


def pages(site: Path) -> dict[Path, Page]:
    return {file: page(file) for file in sorted(site.rglob("*.html"))}


def defined_at(site: Path, base: Path, href: str) -> tuple[str, str]:
    """Return the path and the text of the line of the repository that a link to a source page leads to."""
    path, _, anchor = href.partition("#line-")
    target = (base / path).resolve()
    assert f"line-{anchor}" in page(target).ids, href
    source = target.relative_to(site / "source").with_suffix(".py")
    return source.as_posix(), (ROOT / source).read_text().splitlines()[int(anchor) - 1]


def defines(line: str, name: str) -> bool:
    return re.match(rf"(?:def|class) {name}\b|(?:\w+, )*{name}(?:, \w+)*(?:: [^=]+)? = ", line) is not None


@pytest.mark.parametrize(
    ("line", "name", "expected"),
    [
        ("def ab(c):", "ab", True),
        ("def abc(c):", "ab", False),
        ("class A:", "A", True),
        ("A = 1", "A", True),
        ("A, B = 1, 2", "B", True),
        ("A: int = 1", "A", True),
        ("AA = 1", "A", False),
        ("    def ab(c):", "ab", False),
    ],
)
def test_a_definition_is_told(line: str, name: str, expected: bool) -> None:
    assert defines(line, name) is expected


def claim_page(site: Path, name: str) -> Path:
    part, _, short = name.partition(".")
    return site / "ledger" / part / f"{short}.html"


@pytest.mark.slow
def test_every_claim_has_a_page_that_links_to_its_check_and_its_code(site: Path) -> None:
    def where(claim: LedgerClaim, target: str, kind: str) -> None:
        file = claim_page(site, claim.id)
        base = file.parent
        href = page(file).claims[claim.id][kind]
        path, line = defined_at(site, base, href)
        module, _, name = target.partition(":")
        if name in ENTRIES:  # made from one function
            name = ENTRIES[name].func.__name__
        assert defines(line, name), (claim.id, href, line)
        source = Path(importlib.import_module(module).__file__ or "").resolve()
        if source != ROOT / path:  # imported there
            assert re.search(rf"\bimport\b.*\b{name}\b", source.read_text()), (claim.id, href)

    for claim in CLAIMS:
        where(claim, claim.check, "check")
        where(claim, claim.code, "code")


def plain(file: Path) -> str:
    return " ".join(re.sub(r"<[^>]*>", "", file.read_text()).split())


def words(text: str) -> str:
    return " ".join(word for word in re.findall(r"(?<![A-Za-z])[a-z]{4,}(?![A-Za-z])", text) if word not in SYMBOLS | ACCENTS)


@pytest.mark.slow
def test_every_claim_has_one_page_with_its_text_and_the_lists_have_it(site: Path) -> None:
    found = [name for file in (site / "ledger").glob("*/*.html") for name in page(file).claims]
    assert sorted(found) == sorted(claim.id for claim in CLAIMS)
    everything = plain(site / "proofs_notes" / "LEDGER.html")
    for claim in CLAIMS:
        for text in (claim.statement, claim.correction):
            if not re.search(r"[`$<>&'\"]", text):  # names of symbols are shown as letters
                shown = re.sub(r"<[^>]*>", " ", claim_page(site, claim.id).read_text())
                assert words(text) in words(shown), claim.id
        assert claim.id in everything
        part, _, short = claim.id.partition(".")
        assert f"../ledger/{part}/{short}.html" in page(site / "proofs_notes" / "LEDGER.html").links
        assert f"{part}/{short}.html" in {
            link.removeprefix("../ledger/") for link in page(site / "ledger" / f"{part}.html").links
        }


@pytest.mark.slow
def test_every_formula_of_the_ledger_is_rendered(site: Path) -> None:
    for claim in CLAIMS:
        rendered = re.findall(r"<math[^>]* display=\"block\"", claim_page(site, claim.id).read_text())
        assert len(rendered) == bool(claim.formula), claim.id


@pytest.mark.slow
def test_what_a_claim_rests_on_and_its_proof_are_links(site: Path) -> None:
    for claim in CLAIMS:
        links = page(claim_page(site, claim.id)).links
        for need in claim.needs:
            part, _, short = need.partition(".")
            assert f"../../ledger/{part}/{short}.html" in links, claim.id
        if claim.scope == "proved":
            file, _, name = claim.proof.partition(":")
            (link,) = {
                link
                for link in links
                if link.startswith(f"../../source/proofs_notes/{file.removesuffix('.v')}.html#line-")
                and plain_line(file, link).split()[1] == name
            }
            assert link
        if claim.scope == "derived":
            note, _, section = claim.proof.partition("#")
            assert f"../../proofs_notes/{note.removesuffix('.md')}.html#{section}" in links, claim.id


def plain_line(file: str, link: str) -> str:
    return (ROOT / "proofs_notes" / file).read_text().splitlines()[int(link.rpartition("-")[2]) - 1].replace(":", " ")


@pytest.mark.slow
def test_a_claim_shows_its_theorems(site: Path) -> None:
    text = " ".join(html.unescape(plain(claim_page(site, "wang2020.theorem-2-privacy"))).split())
    assert "~ indist (expR e) t (printed_client e t x) (printed_client e t y)" in text
    text = " ".join(html.unescape(plain(claim_page(site, "wang2020.algorithm-2-line-2"))).split())
    assert "violates (sqrt 2) 0 (classical_std (5 / 10) (1 / 10 ^ 5)) (5 / 10) (14 / 10 ^ 6)" in text
    assert "Refutes the published noise; the corrected noise is another theorem." in text
    assert "In Rocq" not in plain(claim_page(site, "wang2020.figure-3-errors"))


@pytest.mark.slow
def test_a_claim_shows_how_far_it_is_off_and_its_audits(site: Path) -> None:
    shown = claim_page(site, "wang2020.theorem-2-privacy").read_text()
    off, _, audits = shown.partition("In the audits")
    assert "<svg" in off.partition("How far it is off")[2]
    assert "has delta = 3.736e-05, and 1e-05 is promised" in off
    assert "dppca audit -k local_gaussian_mechanism" in re.sub(r"<[^>]*>", "", audits)
    assert "(1, 1e-05)-DP of wang2020.local_gaussian_mechanism, reading AS_PRINTED" in audits
    assert "In the audits" not in plain(claim_page(site, "wang2020.figure-3-errors"))


@pytest.mark.slow
def test_verdicts_that_differ_look_different(site: Path) -> None:
    """A false privacy theorem, a slip, what is true and what is open: words and colours."""
    privacy = next(claim for claim in CLAIMS if claim.printed is False and claim.kind == "privacy")
    assert grade(privacy) == "grave"
    assert grade(replace(privacy, kind="notation", weight="remark")) == "slip"
    assert grade(replace(privacy, kind="algorithm", weight="supporting")) == "wrong"
    assert grade(replace(privacy, kind="algorithm", weight="main")) == "grave"
    true = next(claim for claim in CLAIMS if claim.status == "holds" and claim.printed)
    assert (grade(true), true.verdict) == ("true", "holds, true as published")
    shown = claim_page(site, privacy.id).read_text()
    assert re.search(r'class="verdict grave">privacy: (?:corrected|refuted), false as published', shown)
    style = (site / "_static" / "style.css").read_text()
    colours = [re.search(rf"--{name}: (#\w+);", style) for name in ("grave", "wrong", "slip", "true", "undecided")]
    assert len({colour[1] for colour in colours if colour}) == 5


@pytest.mark.slow
def test_lists_can_be_filtered_by_every_field(site: Path) -> None:
    rows = re.findall(r'<div class="([^"]*\bclaim-row\b[^"]*)"', (site / "proofs_notes" / "LEDGER.html").read_text())
    assert len(rows) == len(CLAIMS)
    for name in ("paper", "verdict", "kind", "weight", "scope"):
        assert all(len(re.findall(rf"\b{name}--[a-z0-9-]+", row)) == 1 for row in rows), name
    privacy = sum("kind--privacy" in row and "-false-as-published" in row for row in rows)
    assert privacy == sum(claim.kind == "privacy" and claim.printed is False for claim in CLAIMS) > 0
    assert "_static/filter.js" in (site / "proofs_notes" / "LEDGER.html").read_text()


@pytest.mark.slow
def test_the_search_knows_ids_and_places(site: Path) -> None:
    """As entries of the index, which Sphinx's search ranks first."""
    index = (site / "searchindex.js").read_text()
    entries = json.loads(index.removeprefix("Search.setIndex(").removesuffix(")"))["indexentries"]
    for claim in CLAIMS:
        assert {claim.id.lower(), claim.id.partition(".")[2].lower()} <= entries.keys(), claim.id
    assert {"lemma b.1", "liu2022 lemma b.1", "wang2020 theorem 2"} <= entries.keys()


#: Queries as a reader types them, and the page that must be first.
QUERIES = {
    "theorem 2 wang2020": "theorems/wang2020-theorem-2",
    "wang2020 theorem 2": "theorems/wang2020-theorem-2",
    "local gaussian mechanism": "theorems/wang2020-theorem-2",
    "wang 2020 theorem 2": "theorems/wang2020-theorem-2",
    "theorem 5.1 liu2022": "theorems/liu2022-theorem-5.1",
    "theorem 2 shang2021": "theorems/shang2021-theorem-2",
}


@pytest.mark.slow
def test_the_search_finds_a_theorem_first(site: Path) -> None:
    """By Sphinx's own search, run by node."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("needs node")
    command = [node, str(Path(__file__).with_name("search.js")), str(site), *QUERIES]
    found = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)  # noqa: S603
    assert {query: pages[0] for query, pages in zip(QUERIES, found, strict=True)} == QUERIES


@pytest.mark.parametrize("name", ["wang2020", "singhal2021", "shang2021", "liu2022"])
def test_claims_stand_in_the_order_of_their_paper(name: str) -> None:
    """Claims of one place stand together, and the numbers of each kind of place rise, those of appendices last."""
    places = [place(claim) for claim in by_paper()[name]]
    distinct = [of for of, _ in itertools.groupby(places)]
    assert all(places)
    assert len(set(distinct)) == len(distinct)
    numbers: dict[str, list[list[tuple[bool, str]]]] = {}
    for kind, _, number in (of.partition(" ") for of in distinct):
        parts = [(not part.isdigit(), part.zfill(3)) for part in number.split(".")]
        numbers.setdefault(kind, []).append(parts)
    for found in numbers.values():
        assert found == sorted(found)


def test_a_place_is_read_from_a_source() -> None:
    def of(source: str) -> str:
        return place(replace(CLAIMS[0], id="wang2020.x", source=source))

    assert of("wang2020, Theorem 2, first sentence") == "theorem 2"
    assert of("wang2020, Sections 2, 4, 5 and 6") == "section 2"
    assert of("wang2020, abstract; contribution 1") == "abstract"
    assert of("liu2022, appendices D.1 and E") == "appendix d.1"
    assert of("liu2022, equations (41), (42)") == "equation 41"


@pytest.mark.slow
def test_no_dead_links(site: Path) -> None:
    dead = []
    for file, content in pages(site).items():
        for link in {*content.links, *content.loaded}:
            if re.match(r"(https?|mailto):", link):
                continue
            path, _, anchor = unquote(link).partition("#")
            target = (file.parent / path.partition("?")[0]).resolve() if path else file
            if not target.is_file() or (anchor and target.suffix == ".html" and anchor not in page(target).ids):
                dead.append((file.relative_to(site).as_posix(), link))
    assert not dead


@pytest.mark.slow
def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    for file, content in pages(site).items():
        for address in content.loaded:
            assert not re.match(r"(\w+:)?//", address), (file, address)
        assert "style=" not in content.text or not re.search(r"style=\"[^\"]*url\(", content.text), file
    styles = list(site.rglob("*.css"))
    assert styles
    for style in styles:
        assert not re.search(r"@import|url\(\s*['\"]?(\w+:)?//", style.read_text()), style


@pytest.mark.slow
def test_the_readme_the_notes_and_docstrings_lead_to_claims(site: Path) -> None:
    assert "ledger/wang2020/theorem-2-privacy.html" in page(site / "index.html").links
    assert "../ledger/wang2020/theorem-2-privacy.html" in page(site / "proofs_notes" / "FINDINGS.html").links
    assert "../../ledger/liu2022/lemma-b.2.html" in page(site / "proofs_notes" / "liu2022" / "note.html").links
    assert "../ledger/liu2022/algorithm-3-bottom.html" in page(site / "api" / "liu2022.html").links


@pytest.mark.slow
def test_the_readme_leads_to_modules_and_files(site: Path) -> None:
    links = page(site / "index.html").links
    assert "../../source/audit/auditor/profile.html" in page(site / "proofs_notes" / "guides" / "report.html").links
    assert "audit/findings/README.html" in links
    assert any(re.fullmatch(r"_downloads/\w+/CITATION\.cff", link) for link in links)


@pytest.mark.slow
def test_the_audit_s_functions_are_described_with_their_source(site: Path) -> None:
    content = page(site / "api" / "audit.html")
    assert {"dppca.audit.check", "dppca.audit.Claim", "dppca.audit.lower_bound_over_pairs"} <= content.ids
    path, line = defined_at(site, site / "api", next(link for link in content.links if "output_view.html#line" in link))
    assert path == "audit/execution/output_view.py"
    assert line.startswith("def ")


def build(text: str, directory: Path) -> subprocess.CompletedProcess[str]:
    """Return a site of one page with the formulas of ours, below `directory`."""
    (directory / "source").mkdir()
    (directory / "source" / "index.md").write_text(text)
    extensions = "extensions=myst_parser,dppca.proofs_notes.site.mathml"
    options = ["-b", "html", "-W", "-q", "-c", str(ROOT / "proofs_notes" / "site"), "-D", extensions]
    return python("-m", "sphinx", *options, directory / "source", directory / "output")


def test_a_formula_becomes_mathml(tmp_path: Path) -> None:
    done = build("# A\n\n$\\frac{\\epsilon}{2}$ and\n\n$$\\sqrt{\\delta} \\le 1$$\n\n`$5` and `$6`\n", tmp_path)
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "output" / "index.html").read_text()
    assert text.count("<math") == 2
    assert re.search(r"<math>.*<mfrac>.*</mfrac>.*</math>", text)
    assert re.search(r'<math[^>]*display="block"[^>]*>.*<msqrt>.*</msqrt>.*</math>', text)
    assert "$5" in text


def test_a_dead_link_fails_the_build(tmp_path: Path) -> None:
    done = build("# A\n\n[there](nowhere.md)\n", tmp_path)
    assert done.returncode != 0
    assert "nowhere.md" in done.stderr


def test_a_formula_that_is_not_understood_fails_the_build(tmp_path: Path) -> None:
    done = build("# A\n\n$\\nosuchcommand{x}$\n", tmp_path)
    assert done.returncode != 0
    assert "not understood" in done.stderr


def test_docstrings_keep_their_plain_formulas() -> None:
    assert escape("|x|^2 * y_ is `a_b`, *secret*, $x_1$") == r"\|x\|^2 \* y\_ is `a_b`, *secret*, :math:`x_1`"
    example = "Text_\n\n    >>> a_b * 2\n    4 * y_\n"
    assert escape(f"{example}\nend_") == f"{example.replace('Text_', 'Text' + chr(92) + '_')}\nend\\_"
    lines = ["Departures:", "  D1 line 2", "     goes on", "  D2 line 3", "End."]
    assert separate(lines) == ["Departures:", "", "* **D1** line 2", "  goes on", "", "* **D2** line 3", "", "End."]
    listing = ["As published.", "  1  for t", " 10    w_t", "       goes on"]
    shown = [line.replace("\N{NO-BREAK SPACE}", ".") for line in separate(listing)]
    assert shown == ["As published.", "", "| ..1..for t", "| .10....w_t", "| .......goes on"]


def test_what_is_not_there_cannot_be_located() -> None:
    with pytest.raises(LookupError, match=r"reference\.noise neither defines nor imports nothing_of_that_name"):
        locate("dppca.reference.noise", "nothing_of_that_name")
