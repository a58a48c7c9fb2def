"""The site's sources: Markdown files of the repository as they are, and pages for the ledger and the API."""

from __future__ import annotations

import inspect
import re
import shutil
from collections import Counter
from pathlib import Path
from typing import get_args

from dppca import audit
from dppca.proofs.evidence import Status
from dppca.proofs.ledger import ROOT
from dppca.proofs.site.claims import by_paper
from dppca.reference.catalog import ALGORITHMS

_LINK = re.compile(r"(?<=\]\()([^)#:\s]+)")
_CLAIM = re.compile(r"^\[([^\]]+)\]: LEDGER\.md#\S+\n", re.MULTILINE)


def notes() -> list[str]:
    """Paths of the notes; the ledger has pages of its own."""
    return [name for name in _markdown("proofs_notes/*.md") if name != "proofs_notes/LEDGER.md"]


def further() -> list[str]:
    """Paths of the other Markdown files but the README."""
    return [
        *_markdown("proofs_notes/rocq/*.md"),
        *_markdown("audit/**/*.md"),
        *_markdown("tests/**/*.md"),
        "CHANGELOG.md",
        "CONTRIBUTING.md",
    ]


def _markdown(pattern: str) -> list[str]:
    return sorted(file.relative_to(ROOT).as_posix() for file in ROOT.glob(pattern))


def write(directory: Path) -> None:
    """All sources, below a directory that does not exist yet. Paths are the repository's, so relative links hold."""
    for name in (*notes(), *further()):
        _write(directory / name, _text(name, directory))
    _write(directory / "index.md", _text("README.md", directory) + _trees())
    _write(directory / "proofs_notes" / "LEDGER.md", _ledger_index())
    for paper in by_paper():
        _write(directory / "ledger" / f"{paper}.md", f"# Claims of {paper}\n\n```{{ledger}} {paper}\n```\n")
    for name, text in _api().items():
        _write(directory / "api" / f"{name}.rst", text)


def _text(name: str, directory: Path) -> str:
    """A Markdown file; what it links to is copied if it is no page, and for a directory its README or its docstring."""
    here = (ROOT / name).parent

    def link(match: re.Match[str]) -> str:
        target = (here / match[0]).resolve()
        if target == ROOT / "README.md":
            return match[0].replace("README.md", "index.md")
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

    return _LINK.sub(link, _bare_claims((ROOT / name).read_text()))


def _bare_claims(text: str) -> str:
    """Links to headings of LEDGER.md are taken out: here the names of claims become links to the ledger's pages."""
    bare = _CLAIM.sub("", text)
    for label in _CLAIM.findall(text):
        bare = bare.replace(f"[{label}]", label)
    return bare


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def _toctree(caption: str, *names: str) -> str:
    lines = "\n".join(names)
    return f"\n```{{toctree}}\n:hidden:\n:caption: {caption}\n\n{lines}\n```\n"


def _trees() -> str:
    pages = [name.removesuffix(".md") for name in notes()]
    return (
        _toctree("Notes", *(f"{name.removeprefix('proofs_notes/')} <{name}>" for name in pages))
        + _toctree("Ledger", "proofs_notes/LEDGER", *(f"{paper} <ledger/{paper}>" for paper in by_paper()))
        + _toctree("API", *(f"api/{name}" for name in _api()))
        + _toctree("More", *(name.removesuffix(".md") for name in further()))
    )


def _ledger_index() -> str:
    statuses = get_args(Status)
    lines = ["# The ledger", "", "Every claim with its check and the code that it is about.", ""]
    lines += [f"| paper | claims | {' | '.join(statuses)} |", "| --- " * (len(statuses) + 2) + "|"]
    for paper, claims in by_paper().items():
        counts = Counter(claim.status for claim in claims)
        figures = " | ".join(str(counts[status] or "") for status in statuses)
        lines.append(f"| [{paper}](../ledger/{paper}.md) | {len(claims)} | {figures} |")
    return "\n".join([*lines, ""])


def _api() -> dict[str, str]:
    """Names of pages to reStructuredText."""
    groups: dict[str, list[str]] = {}
    for key, entry in ALGORITHMS.items():
        module = entry.function.__module__
        groups.setdefault(key.split(".")[0], [])
        if module not in groups[key.split(".")[0]]:
            groups[key.split(".")[0]].append(module)
    primitives = sorted(path.stem for path in (ROOT / "reference" / "primitives").glob("*.py") if path.stem != "__init__")
    groups["primitives"] = [f"dppca.reference.primitives.{name}" for name in primitives]
    groups["shared"] = [
        "dppca.reference.catalog",
        "dppca.reference.declaration",
        "dppca.reference.noise",
        "dppca.reference.relation",
        "dppca.reference.cite",
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
    parts = [_heading("audit", "="), ".. automodule:: dppca.audit\n   :no-members:\n\n"]
    for name in audit.__all__:
        kind = "autoclass" if inspect.isclass(getattr(audit, name)) else "autofunction"
        members = "   :members:\n" if kind == "autoclass" else ""
        parts.append(f".. {kind}:: dppca.audit.{name}\n{members}\n")
    return "".join(parts)
