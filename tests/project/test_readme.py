"""README and the guides: short, every snippet runs as it is printed and prints what stands below it, every command exists."""

from __future__ import annotations

import contextlib
import functools
import io
import re
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from dppca.proofs_notes.ledger.claims import BEGIN, figures, load
from dppca.reference.conformance import by_id
from tests.interpreter import python

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
PAGES = [README, *sorted((ROOT / "proofs_notes" / "guides").glob("*.md"))]
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e-?\d+)?(?![\w.])")
#: By how much a bound may differ from what is printed: it depends on the machine's last digits, and on the auditor's version.
PRINTED = 0.15


@dataclass(frozen=True)
class Snippet:
    """Python from a page, and what the page says that it prints: None where it does not say."""

    page: str
    code: str
    printed: str | None


def snippets() -> list[Snippet]:
    found = []
    for page in PAGES:
        fences = FENCE.findall(page.read_text())
        for (kind, code), (after, text) in pairwise([*fences, ("", "")]):
            if kind == "python":
                found.append(Snippet(page.name, code, text if after == "text" else None))
    return found


SNIPPETS = snippets()


def run(snippet: Snippet) -> tuple[dict[str, Any], str]:
    """Return what the snippet defines and prints."""
    module = ModuleType("snippet")
    with contextlib.redirect_stdout(io.StringIO()) as out:
        exec(compile(snippet.code, snippet.page, "exec"), vars(module))  # noqa: S102 - the pages are ours
    return vars(module), out.getvalue()


def defining(word: str) -> dict[str, Any]:
    """Return what the one snippet with this word defines."""
    (snippet,) = (snippet for snippet in SNIPPETS if word in snippet.code)
    return run(snippet)[0]


def same(printed: str, said: str) -> bool:
    """Return whether the words are equal, and the numbers nearly."""
    numbers = [[float(number) for number in NUMBER.findall(text)] for text in (printed, said)]
    return NUMBER.sub("#", printed) == NUMBER.sub("#", said) and numbers[0] == pytest.approx(numbers[1], rel=PRINTED)


def test_what_is_the_same() -> None:
    assert same("a 1.00\n", "a 1.1\n")
    assert not same("a 1.00\n", "a 1.2\n")
    assert not same("a 1.00\n", "b 1.00\n")
    assert not same("a 1.00\n", "a 1.00 2\n")


@pytest.mark.slow
@pytest.mark.parametrize("snippet", SNIPPETS, ids=lambda snippet: f"{snippet.page}: {snippet.code.split(chr(10))[0][:30]}")
def test_a_snippet_runs_alone_and_prints_what_is_said(snippet: Snippet) -> None:
    printed = run(snippet)[1]
    assert snippet.printed is None or same(printed, snippet.printed), printed


def test_there_are_snippets() -> None:
    counts = {page.name: sum(snippet.page == page.name for snippet in SNIPPETS) for page in PAGES}
    assert counts == {
        "README.md": 1,
        "ci.md": 1,
        "claims.md": 1,
        "figures.md": 0,
        "how-a-bound-comes-about.md": 0,
        "implementation.md": 3,
        "long-audits.md": 0,
        "mechanism.md": 7,
        "report.md": 0,
    }
    assert sum(snippet.printed is not None for snippet in SNIPPETS) == 8


FINDINGS = ROOT / "proofs_notes" / "FINDINGS.md"


def headlines(page: Path) -> list[str]:
    return re.findall(r"^\d+\. .*$", page.read_text(), re.MULTILINE)


@pytest.mark.parametrize(("page", "count"), [(README, 3), (FINDINGS, 10)], ids=["README", "FINDINGS"])
def test_a_headline_has_a_number_a_link_and_a_command(page: Path, count: int) -> None:
    """The number, by another route than the patterns of headlines.toml, is in what the check found, or in the note."""
    assert len(headlines(page)) == count
    found = figures()
    for line in headlines(page):
        target, claim, script = re.search(  # type: ignore[union-attr]
            r"\]\(([^)]+)\): `(?:dppca claim (\S+)|python (\S+)\.py(?: \w+)?)`$", line
        ).groups()
        assert (page.parent / target.partition("#")[0]).is_file(), line
        source = found[claim] if claim else (ROOT / f"{script.replace('_', '-')}.md").read_text()
        numbers = re.findall(r"\*\*([^*]+)\*\*", line)
        assert numbers, line
        assert all(re.search(rf"(?<![\d.]){re.escape(number)}(?![\d])", source) for number in numbers), (
            line,
            source,
        )


def test_the_first_screen_has_what_a_reader_looks_for_in_this_order() -> None:
    text = README.read_text()
    assert len(text.splitlines()) <= 110
    parts = ("**dppca ", "![", "## Install", "## Try it", "## What do you want to know?", "## Three findings", BEGIN)
    assert [text.index(part) for part in parts] == sorted(text.index(part) for part in parts)
    rows = re.findall(
        r"^\| (?!I want|---)(.*)$", text[text.index("## What do you want") : text.index("## Three findings")], re.MULTILINE
    )
    assert len(rows) == 6
    assert all(re.search(r"\d+ minutes|a day", row) for row in rows)


def test_every_claim_that_is_named_exists() -> None:
    ids = {claim.id for claim in load()}
    papers = {name.partition(".")[0] for name in ids}
    for page in PAGES:
        for name in re.findall(rf"\b(?:{'|'.join(papers)})\.[a-z][\w.-]*\w", page.read_text()):
            assert name in ids or re.match(r"\w+\.\w+$", name), (page.name, name)  # or a key of the catalogue


def commands() -> list[tuple[str, str]]:
    fenced = [
        (page.name, line.partition(" #")[0].strip())
        for page in PAGES
        for kind, text in FENCE.findall(page.read_text())
        if not kind
        for line in text.splitlines()
    ]
    inline = [
        (page.name, command)
        for page in PAGES
        for command in re.findall(r"`((?:make|python|pytest|pip|dppca) [^`]+)`", FENCE.sub("", page.read_text()))
    ]
    return list(dict.fromkeys([*fenced, *inline]))


@pytest.mark.parametrize(("page", "command"), commands())
def test_a_command_exists_with_its_options(page: str, command: str) -> None:
    words = " ".join(command.split()).split()
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    if words[0] == "make":
        assert words[1] in targets, (page, command)
        return
    if words[0] == "pip":
        return
    if words[0] == "python" and words[1].endswith(".py"):
        assert (ROOT / words[1]).is_file(), (page, command)
        return
    if words[0] == "dppca":
        arguments = ["-m", *words[:2]]
    elif words[:2] == ["python", "-m"]:
        arguments = words[1:3]
    else:
        assert words[0] == "pytest", (page, command)
        arguments = ["-m", "pytest", *[word for word in words if word.rstrip("/") in {"audit", "reference/conformance"}]]
    described = options_of(tuple(arguments))
    for option in re.findall(r"(?<!\S)--[\w-]+", command):
        assert option in described, (page, command)


@functools.cache
def options_of(arguments: tuple[str, ...]) -> str:
    """Return what a command says of its options."""
    return python(*arguments, "--help", check=True).stdout


def test_the_implementation_of_the_guide_is_one() -> None:
    import numpy as np  # noqa: PLC0415

    rng, functions = np.random.default_rng(0), defining("def messages")["implementation"]
    basis = functions["baselines.analyze_gauss"](np.eye(3), rng, epsilon=1.0, delta=1e-6, d=3, k=2)
    assert np.allclose(basis.T @ basis, np.eye(2))
    sent = functions["wang2020.local_gaussian_mechanism:messages"](np.eye(3), rng, epsilon=1.0, delta=1e-6, p=3, k=1)
    assert np.shape(sent) == (3, 6)


@pytest.mark.slow
def test_the_object_for_known_answers_passes_them(tmp_path: Path) -> None:
    (snippet,) = (snippet for snippet in SNIPPETS if "class Mine" in snippet.code)
    (tmp_path / "mine.py").write_text(snippet.code)
    command = [sys.executable, "-m", "pytest", "reference/conformance", "--implementation", "mine:implementation", "-q"]
    command += ["-p", "no:cacheprovider"]
    path = ":".join([str(tmp_path), *filter(None, sys.path)])
    done = subprocess.run(  # noqa: S603
        command, capture_output=True, text=True, check=False, cwd=ROOT, env={"PATH": "/usr/bin:/bin", "PYTHONPATH": path}
    )
    assert done.returncode == 0, done.stdout
    cases = [name for name in by_id() if name.startswith("baselines.analyze_gauss/") and name.endswith("/CORRECTED")]
    assert re.search(rf"\b{len(cases)} passed\b", done.stdout), done.stdout


@pytest.mark.slow
def test_the_fixture_s_test_passes(tmp_path: Path) -> None:
    found = [snippet for snippet in SNIPPETS if "(audit):" in snippet.code]
    assert len(found) == 2
    for snippet in found:
        (tmp_path / f"test_{snippet.page.replace('.', '_')}.py").write_text(snippet.code)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "dppca.audit.plugin", "."]
    path = ":".join([str(ROOT), *filter(None, sys.path)])
    environment = {"PATH": "/usr/bin:/bin", "PYTHONPATH": path, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path, env=environment)  # noqa: S603
    assert done.returncode == 0, done.stdout
    assert "2 passed" in done.stdout


def test_the_workflows_are_valid_and_every_step_is_a_command_that_exists() -> None:
    yaml = pytest.importorskip("yaml")
    page = (ROOT / "proofs_notes" / "guides" / "ci.md").read_text()
    github, gitlab = (yaml.safe_load(text) for kind, text in FENCE.findall(page) if kind == "yaml")
    steps = github["jobs"]["audit"]["steps"]
    lines = [step["run"] for step in steps if "run" in step]
    assert lines == gitlab["privacy"]["script"]
    install, test = lines
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert set(re.search(r"dppca\[(.*?)\]", install)[1].split(",")) <= set(extras)  # type: ignore[index]
    described = options_of(("-m", "pytest", "-p", "dppca.audit.plugin"))
    assert all(option in described for option in re.findall(r"--[\w-]+", test))
    kept = {steps[-1]["with"]["path"].split()[i] for i in range(3)}
    written = set(re.findall(r"privacy\.\w+", test)) | {"privacy.html"}  # the page is written beside the JSON file
    assert kept == written == {*gitlab["privacy"]["artifacts"]["paths"], gitlab["privacy"]["artifacts"]["reports"]["junit"]}
