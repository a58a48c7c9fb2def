"""The site's sources: Markdown files of the repository as they are, and pages for the ledger and the API."""

from __future__ import annotations

import inspect
import re
import shutil
from collections import Counter
from pathlib import Path
from typing import get_args

from dppca import audit
from dppca.proofs_notes.catalogue_commands import authors
from dppca.proofs_notes.ledger.claims import ROOT, LedgerClaim, anchor
from dppca.proofs_notes.ledger.errata import typeset
from dppca.proofs_notes.ledger.evidence import Status
from dppca.proofs_notes.site import theorems
from dppca.proofs_notes.site.claims import by_id, by_paper, page_of, place_of
from dppca.proofs_notes.site.docstrings import escape
from dppca.reference.catalog import ALGORITHMS
from dppca.reference.citations import BIBTEX

_LINK = re.compile(r"(?<=\]\()([^)#:\s]+)")
_CLAIM = re.compile(r"^\[([^\]]+)\]: (?:\.\./)?LEDGER\.md#\S+\n", re.MULTILINE)
_TO_LEDGER = re.compile(r"(?<=\]\()[\w./-]*LEDGER\.md#([\w-]+)(?=\))")


def notes() -> list[str]:
    """Return the paths of the notes, one in each room that has claims."""
    return _files("proofs_notes/*/note.md")


def errata() -> list[str]:
    """Return the paths of the errata, one in each room whose source has a main claim that is false."""
    return _files("proofs_notes/*/ERRATA.md")


def guides() -> list[str]:
    """Return the paths of the guides in the order in which they are read, then of their examples."""
    read = ("claims", "implementation", "mechanism", "ci", "long-audits", "report", "how-a-bound-comes-about", "figures")
    return [*(f"proofs_notes/guides/{name}.md" for name in read), *_files("proofs_notes/guides/examples/*.md")]


def _notebooks() -> list[str]:
    """Return the paths of the notebooks, which are stored with what their cells show."""
    return _files("proofs_notes/guides/notebooks/*.ipynb")


def further() -> list[str]:
    """Return the paths of the other Markdown files but the README."""
    return [
        *_files("proofs_notes/rocq/*.md"),
        *_files("audit/**/*.md"),
        *_files("tests/**/*.md"),
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "SECURITY.md",
    ]


def _files(pattern: str) -> list[str]:
    return sorted(file.relative_to(ROOT).as_posix() for file in ROOT.glob(pattern))


def write(directory: Path) -> None:
    """Write all sources below a directory that does not exist yet, at the paths of the repository, so relative links hold."""
    for name in (*guides(), *notes(), *errata(), *further(), "proofs_notes/FINDINGS.md"):
        _write(directory / name, _text(name, directory))
    for name in _notebooks():
        _write(directory / name, (ROOT / name).read_text(encoding="utf-8"))
    _write(directory / "index.md", _text("README.md", directory) + _trees())
    _write(directory / "proofs_notes" / "LEDGER.md", _ledger_index())
    for paper, claims in by_paper().items():
        _write(directory / "ledger" / f"{paper}.md", _paper(paper))
        for claim in claims:
            title = f"{claim.id}: {place_of(claim)}".replace("`", "")
            text = f"---\norphan: true\n---\n\n# {title}\n\n```{{claim}} {claim.id}\n```\n"
            _write(directory / f"{page_of(claim.id)}.md", text)
    for name, text in theorems.pages().items():
        _write(directory / f"{name}.md", text)
    for name, text in _api().items():
        _write(directory / "api" / f"{name}.rst", text)


def _text(name: str, directory: Path) -> str:
    """Return a Markdown file; what it links to is copied if it is no page, and for a directory its README or its docstring."""
    here = (ROOT / name).parent

    def link(match: re.Match[str]) -> str:
        target = (here / match[0]).resolve()
        if target == ROOT / "README.md":
            return match[0].replace("README.md", "index.md")
        if not target.exists():  # a page of the site's own
            return match[0]
        if target.is_dir():
            inside = "README.md" if (target / "README.md").exists() else "__init__.py"
            return link_to(target / inside, f"{match[0].rstrip('/')}/{inside}")
        return link_to(target, match[0])

    def link_to(target: Path, text: str) -> str:
        if target.is_file() and target.suffix != ".md":
            copy = directory / target.relative_to(ROOT)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(target, copy)
        return text

    root = "../" * name.count("/")
    anchors = {anchor(claim): claim for claim in by_id()}
    text = _TO_LEDGER.sub(
        lambda match: f"{root}{page_of(anchors[match[1]])}.md", _bare_claims((ROOT / name).read_text(encoding="utf-8"))
    )
    return _LINK.sub(link, typeset(text) if name.endswith("/ERRATA.md") else text)


def _bare_claims(text: str) -> str:
    """Links to headings of LEDGER.md are taken out: here the names of claims become links to the ledger's pages."""
    bare = _CLAIM.sub("", text)
    for label in _CLAIM.findall(text):
        bare = bare.replace(f"[{label}]", label)
    return bare


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def _toctree(caption: str, *names: str) -> str:
    lines = "\n".join(names)
    return f"\n```{{toctree}}\n:hidden:\n:caption: {caption}\n\n{lines}\n```\n"


def _trees() -> str:
    def named(names: list[str]) -> list[str]:
        short = [name.removesuffix(".md").removeprefix("proofs_notes/").removesuffix("/note") for name in names]
        return [f"{_shown(of)} <{name.removesuffix('.md')}>" for of, name in zip(short, names, strict=True)]

    def _shown(name: str) -> str:
        return authors(name) if name in BIBTEX else name[:1].upper() + name[1:] if "/" not in name else name

    findings = [name for name in further() if name.startswith("audit/findings/")]
    others = [name for name in further() if name not in findings]
    return (
        _toctree("Findings", "False as published <proofs_notes/FINDINGS>", *(name.removesuffix(".md") for name in findings))
        + _toctree("Errata", *(f"{_shown(Path(name).parent.name)} <{name.removesuffix('.md')}>" for name in errata()))
        + _toctree("Theorems", "Theorems, by paper <theorems/index>")
        + _toctree("Claims", "All claims <proofs_notes/LEDGER>", *(f"{_shown(paper)} <ledger/{paper}>" for paper in by_paper()))
        + _toctree("Guides", *(name.removesuffix(".md") for name in guides()))
        + _toctree("Notebooks", *(name.removesuffix(".ipynb") for name in _notebooks()))
        + _toctree("Notes", *named(notes()))
        + _toctree("API", *(f"api/{name}" for name in _api()))
        + _toctree("More", *(name.removesuffix(".md") for name in others))
    )


_FILTERS = "Filter by paper, verdict, kind, weight and scope, or by words of the id, the place and the sentence."


def _counts(name: str, claims: list[LedgerClaim]) -> str:
    counts = Counter(claim.status for claim in claims)
    figures = " | ".join(str(counts[status] or "") for status in get_args(Status))
    return f"| {name} | {len(claims)} | {figures} |"


def _ledger_index() -> str:
    lines = ["# All claims", "", f"{_FILTERS} Each has a page of its own, with its check, its code and what it rests on.", ""]
    lines += ["```{claims}", "```", "", "## By paper", ""]
    lines += [f"| paper | claims | {' | '.join(get_args(Status))} |", "| --- " * (len(get_args(Status)) + 2) + "|"]
    lines += [_counts(f"[{paper}](../ledger/{paper}.md)", claims) for paper, claims in by_paper().items()]
    return "\n".join([*lines, ""])


_FIELD = re.compile(r"^\s*(\w+)\s*=\s*\{(.*?)\},$", re.MULTILINE | re.DOTALL)
#: Where each paper can be read; a DOI where there is one that is certain.
_ADDRESSES = {
    "wang2020": "https://www.sciencedirect.com/journal/theoretical-computer-science/vol/809",
    "singhal2021": "https://doi.org/10.48550/arXiv.2106.00001",
    "shang2021": "https://proceedings.mlr.press/v161/",
    "liu2022": "https://doi.org/10.48550/arXiv.2205.13709",
    "abadi2016": "https://doi.org/10.1145/2976749.2978318",
    "dwork2006": "https://doi.org/10.1007/11681878_14",
    "dwork2014": "https://doi.org/10.1145/2591796.2591883",
}


def _paper(name: str) -> str:
    """Return a paper's page: what it is, and its claims in its order."""
    lines = [f"# {authors(name)}: claims" if name in BIBTEX else f"# {name}", ""]
    if name in BIBTEX:
        fields = {key: re.sub(r"[{}\\~']", "", " ".join(value.split())) for key, value in _FIELD.findall(BIBTEX[name])}
        people = fields["author"].replace(" and ", "; ")
        where = ", ".join(fields[key] for key in ("journal", "booktitle", "series", "volume", "pages") if key in fields)
        where = where.replace("--", "\u2013")
        address = f" <{_ADDRESSES[name]}>" if name in _ADDRESSES else ""
        lines += [f"{people}. **{fields['title']}.** {where}, {fields['year']}.{address}", ""]
    if (ROOT / "proofs_notes" / name / "note.md").exists():
        lines += [f"[The note](../proofs_notes/{name}/note.md) has the arguments. ", ""]
    if (ROOT / "proofs_notes" / name / "ERRATA.md").exists():
        lines += [f"[The errata](../proofs_notes/{name}/ERRATA.md) say what is false, by weight, and what it should read.", ""]
    lines += [f"The claims in the order of the paper. {_FILTERS}", "", f"```{{claims}} {name}", "```", ""]
    return "\n".join(lines)


def _api() -> dict[str, str]:
    """Return the names of pages to reStructuredText."""
    groups: dict[str, list[str]] = {}
    for key, entry in ALGORITHMS.items():
        module = entry.function.__module__
        groups.setdefault(key.split(".")[0], [])
        if module not in groups[key.split(".")[0]]:
            groups[key.split(".")[0]].append(module)
    primitives = sorted(path.stem for path in (ROOT / "reference" / "primitives").glob("*.py") if path.stem != "__init__")
    groups["primitives"] = [f"dppca.reference.primitives.{name}" for name in primitives]
    groups["accounting"] = ["dppca.reference.accounting"]
    groups["shared"] = [
        "dppca.reference.catalog",
        "dppca.reference.declaration",
        "dppca.reference.readings",
        "dppca.reference.calibration",
        "dppca.reference.noise",
        "dppca.reference.relation",
        "dppca.reference.citations",
    ]
    pages = {name: _modules(f"reference: {name}", modules) for name, modules in groups.items()}
    return pages | {"audit": _audit()}


def _heading(title: str, line: str) -> str:
    return f"{title}\n{line * len(title)}\n\n"


def _modules(title: str, modules: list[str]) -> str:
    return _heading(title, "=") + "".join(
        _heading(module, "-") + f".. automodule:: {module}\n   :members:\n\n" for module in modules
    )


def _audit() -> str:
    """Return the page of `dppca.audit`: a table of what it has, functions first, and then each in full."""
    objects = {name: getattr(audit, name) for name in audit.__all__}
    names = sorted(objects, key=lambda name: inspect.isclass(objects[name]))
    parts = [_heading("audit", "="), ".. automodule:: dppca.audit\n   :no-members:\n\n.. list-table::\n   :widths: 38 62\n\n"]
    for name in names:
        first = escape((inspect.getdoc(objects[name]) or "").partition("\n")[0])
        parts.append(f"   * - :py:obj:`{name} <dppca.audit.{name}>`\n     - {first}\n")
    parts.append("\n")
    for name in names:
        kind = "autoclass" if inspect.isclass(objects[name]) else "autofunction"
        members = "   :members:\n" if kind == "autoclass" else ""
        parts.append(f".. {kind}:: dppca.audit.{name}\n{members}\n")
    return "".join(parts)
