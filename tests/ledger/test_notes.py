"""The notes: a section for every algorithm, links to claims, TeX that survives Markdown."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dppca.proofs_notes.ledger.claims import LEDGER, anchor, load
from dppca.reference.catalog import ALGORITHMS

NOTES = sorted(LEDGER.parent.glob("*/note.md"))
PARTS = ["Precondition", "Postcondition", "Sensitivity", "Privacy"]
IDS = {claim.id for claim in load()}
# [label], not followed by what makes it another kind of link
LINK = re.compile(r"\[([a-z][a-z0-9.-]*[a-z0-9])\](?![(\[])")
DEFINITION = re.compile(r"^\[([^\]]+)\]: (\S+)$", re.MULTILINE)
MATH = re.compile(r"\$\$.*?\$\$|\$[^$]*\$", re.DOTALL)
# Markdown takes a backslash before punctuation for its own, and such an underscore for emphasis
MANGLED = re.compile(r"\\[^A-Za-z]|\*|[^\w\s]_|<\S")


ANCHORS = {heading: anchor(heading) for heading in re.findall(r"^### (.+)$", LEDGER.read_text(), re.MULTILINE)}


def _claim(label: str, note: Path) -> str:
    """Return the id that a label names: in the note of a paper its own claims go without the paper's name."""
    return label if label in IDS else f"{note.parent.name}.{label}"


def _links(text: str, note: Path) -> set[str]:
    return {_claim(label, note) for label in LINK.findall(text)}


def _section(key: str) -> tuple[Path, str]:
    """Return the one section whose heading has the key in backticks."""
    pattern = re.compile(rf"^## [^\n]*`{re.escape(key)}`\n(.*?)(?=^## |^\[[^\]]+\]: |\Z)", re.MULTILINE | re.DOTALL)
    found = [(note, text) for note in NOTES for text in pattern.findall(note.read_text())]
    assert len(found) == 1, f"{key} must head one section of proofs_notes/*/note.md, found {len(found)}"
    return found[0]


def test_anchors_of_the_ledger_are_unique() -> None:
    assert ANCHORS.keys() == IDS
    assert len(set(ANCHORS.values())) == len(ANCHORS)


@pytest.mark.parametrize("key", ALGORITHMS)
def test_every_algorithm_has_its_section(key: str) -> None:
    note, text = _section(key)
    assert note.parent.name == key.partition(".")[0]
    assert re.findall(rf"^\*\*({'|'.join(PARTS)})\b[^*]*\*\*", text, re.MULTILINE) == PARTS
    missing = set(ALGORITHMS[key].claims) - _links(text, note)
    assert not missing, f"{note}, {key}: no link to {sorted(missing)}"


@pytest.mark.parametrize("note", NOTES, ids=lambda note: note.parent.name)
def test_links_lead_to_claims(note: Path) -> None:
    text = note.read_text()
    defined = dict(DEFINITION.findall(text))
    assert len(defined) == len(DEFINITION.findall(text)), "a label is defined twice"
    expected = {}
    for label in {*defined, *LINK.findall(DEFINITION.sub("", text))}:
        assert _claim(label, note) in IDS, f"[{label}] is no claim"
        expected[label] = f"../LEDGER.md#{ANCHORS[_claim(label, note)]}"
    assert defined == expected, "link definitions, at the end of the note, must be those of the labels in use"


@pytest.mark.parametrize("note", NOTES, ids=lambda note: note.parent.name)
def test_formulas_survive_markdown(note: Path) -> None:
    text = re.sub(r"`[^`]*`", "", note.read_text())
    for paragraph in text.split("\n\n"):
        assert paragraph.count("$") % 2 == 0, paragraph
        for formula in MATH.findall(paragraph):
            assert not MANGLED.search(formula), formula
            assert formula.startswith("$$") or "\n" not in formula, f"a formula in the text must not cross lines: {formula}"
            assert not re.search(r"^\s*[-+=>#]", formula, re.MULTILINE), f"a line must not begin like Markdown: {formula}"
