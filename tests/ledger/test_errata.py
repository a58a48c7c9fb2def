"""The errata: at most twelve items a room, each with all its parts, and every false main claim under exactly one of them."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from pathlib import Path

import pytest

from dppca.proofs_notes.ledger.claims import NOTES, ROOT, claim_files, load

FILES = sorted(NOTES.glob("*/ERRATA.md"))
CLAIMS = {claim.id: claim for claim in load()}
FIELDS = [
    "As published",
    "Witness",
    "Replacement",
    "Proof",
    "What rests on it",
    "Who is affected",
    "How sure",
    "Shown by",
    "Claims of the ledger",
]
SEVERITIES = {
    "statement": "statement",
    "proof only": "proof",
    "constant": "constant",
    "degenerate case": "degenerate",
    "typo": "typo",
}
EVIDENCE = re.compile(r"proved in Rocq|theorems? in Rocq|derived|computed")
# Markdown takes a backslash before punctuation for its own, and such an underscore for emphasis
MANGLED = re.compile(r"\\[^A-Za-z]|\*|[^\w\s]_|<\S")
FORMULA = re.compile(r"\$\$.*?\$\$|\$[^$]*\$", re.DOTALL)


def room_claims(room: str) -> set[str]:
    """Return the ids that the claims of a room have."""
    file = next(file for file in claim_files() if file.parent.name == room)
    return {entry["id"] for entry in tomllib.loads(file.read_text(encoding="utf-8"))["claim"]}


def items(file: Path) -> dict[str, str]:
    """Return the items of an errata document by their numbers, in its order."""
    text = file.read_text(encoding="utf-8")
    return dict(re.findall(r"^## (E\d+)\. [^\n]+\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL))


def rows(body: str) -> list[str]:
    """Return the ids of the claims that hang below an item."""
    return re.findall(r"`([^`]+)`", body.partition("**Claims of the ledger.**")[2])


def test_every_room_with_false_main_claims_has_a_document() -> None:
    """Rooms are found by what the ledger says, not by a list."""
    false = {claim.id for claim in CLAIMS.values() if claim.printed is False and claim.weight == "main"}
    needed = {file.parent.name for file in claim_files() if room_claims(file.parent.name) & false}
    assert needed == {file.parent.name for file in FILES}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.parent.name)
def test_items_are_few_numbered_and_complete(file: Path) -> None:
    found = items(file)
    assert 1 <= len(found) <= 12
    assert list(found) == [f"E{number}" for number in range(1, len(found) + 1)]
    assert "*To dispute an item*" in file.read_text(encoding="utf-8")
    for number, body in found.items():
        severity = re.search(r"^\*Severity: (.+)\.\*$", body, re.MULTILINE)
        named = severity[1] if severity else ""
        assert named.startswith((*SEVERITIES,)), f"{number}: the severity must begin with one of {(*SEVERITIES,)}"
        assert re.findall(r"^\*\*([^*]+)\.\*\*", body, re.MULTILINE) == FIELDS, f"{number}: the parts must be {FIELDS}"
        parts = dict(re.findall(r"^\*\*([^*]+)\.\*\*(.*?)(?=^\*\*|\Z)", body, re.MULTILINE | re.DOTALL))
        assert all(part.strip() for part in parts.values()), f"{number}: a part is empty"
        assert "```latex\n" in parts["Replacement"], f"{number}: the replacement must hold LaTeX to paste"
        assert EVIDENCE.search(parts["How sure"]), f"{number}: 'How sure' must say how: {EVIDENCE.pattern}"


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.parent.name)
def test_rows_are_false_as_printed_and_no_main_one_is_missing(file: Path) -> None:
    own = room_claims(file.parent.name)
    named = Counter(row for body in items(file).values() for row in rows(body))
    for row in named:
        assert row in own, f"{row} is no claim of this room"
        assert CLAIMS[row].printed is False, f"{row} is not false as published"
    assert max(named.values()) == 1, f"under two items: {[row for row, count in named.items() if count > 1]}"
    main = {row for row in own if CLAIMS[row].printed is False and CLAIMS[row].weight == "main"}
    assert not main - named.keys(), f"main, false as published, and under no item: {sorted(main - named.keys())}"


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.parent.name)
def test_commands_show_a_claim_of_the_item(file: Path) -> None:
    for number, body in items(file).items():
        command = re.search(r"^\*\*Shown by\.\*\* `dppca claim (--proof )?([^`]+)`$", body, re.MULTILINE)
        assert command, f"{number}: the command must be one `dppca claim`"
        assert command[2] in rows(body), f"{number}: {command[2]} must be one of the item's rows"
        if command[1]:
            assert CLAIMS[command[2]].proof, f"{number}: {command[2]} has no proof to show"


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.parent.name)
def test_severity_is_that_of_the_claim_that_shows_the_item(file: Path) -> None:
    for number, body in items(file).items():
        word = re.search(r"^\*Severity: (.+)\.\*$", body, re.MULTILINE)
        shown = re.search(r"^\*\*Shown by\.\*\* `dppca claim (?:--proof )?([^`]+)`$", body, re.MULTILINE)
        assert word, f"{number}: lacks its severity"
        assert shown, f"{number}: lacks its command"
        named = next(severity for name, severity in SEVERITIES.items() if word[1].startswith(name))
        assert named == CLAIMS[shown[1]].severity, f"{number} says {word[1]}, and {shown[1]} is {CLAIMS[shown[1]].severity}"


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.parent.name)
def test_formulas_are_closed_on_their_line_and_survive_markdown(file: Path) -> None:
    text = re.sub(r"```latex\n.*?```|`[^`]*`", "", file.read_text(encoding="utf-8"), flags=re.DOTALL)
    for paragraph in text.split("\n\n"):
        assert paragraph.count("$") % 2 == 0, paragraph
        for formula in FORMULA.findall(paragraph):
            assert "\n" not in formula, f"a formula must not cross lines: {formula}"
            assert formula.count("{") == formula.count("}"), formula
            assert not MANGLED.search(formula), formula


def test_readme_and_notes_link_to_them() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for file in FILES:
        assert f"proofs_notes/{file.parent.name}/ERRATA.md" in readme
        assert "(ERRATA.md)" in (file.parent / "note.md").read_text(encoding="utf-8")
