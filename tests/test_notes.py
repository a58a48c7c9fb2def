"""The notes: a section for every algorithm, links to claims, TeX that survives Markdown, maximisers that are maximisers."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from dppca.proofs.ledger import LEDGER, load
from dppca.reference.catalog import ALGORITHMS
from dppca.reference.noise import lockstep

NOTES = sorted(path for path in LEDGER.parent.glob("*.md") if path != LEDGER)
PARTS = ["Precondition", "Postcondition", "Sensitivity", "Privacy"]
IDS = {claim.id for claim in load()}
# [label], not followed by what makes it another kind of link
LINK = re.compile(r"\[([a-z][a-z0-9.-]*[a-z0-9])\](?![(\[])")
DEFINITION = re.compile(r"^\[([^\]]+)\]: (\S+)$", re.MULTILINE)
MATH = re.compile(r"\$\$.*?\$\$|\$[^$]*\$", re.DOTALL)
# Markdown takes a backslash before punctuation for its own, and such an underscore for emphasis
MANGLED = re.compile(r"\\[^A-Za-z]|\*|[^\w\s]_|<\S")


def _anchor(heading: str) -> str:
    """The anchor that GitHub, and the slugs of Python-Markdown and MyST, give to a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


ANCHORS = {
    heading.split(":", maxsplit=1)[0]: _anchor(heading)
    for heading in re.findall(r"^### (.+)$", LEDGER.read_text(), re.MULTILINE)
}


def _claim(label: str, note: Path) -> str:
    """The id that a label names: in the note of a paper its own claims go without the paper's name."""
    return label if label in IDS else f"{note.stem}.{label}"


def _links(text: str, note: Path) -> set[str]:
    return {_claim(label, note) for label in LINK.findall(text)}


def _section(key: str) -> tuple[Path, str]:
    """The one section whose heading has the key in backticks."""
    pattern = re.compile(rf"^## [^\n]*`{re.escape(key)}`\n(.*?)(?=^## |^\[[^\]]+\]: |\Z)", re.MULTILINE | re.DOTALL)
    found = [(note, text) for note in NOTES for text in pattern.findall(note.read_text())]
    assert len(found) == 1, f"{key} must head one section of proofs_notes/*.md, found {len(found)}"
    return found[0]


def test_anchors_of_the_ledger_are_unique() -> None:
    assert ANCHORS.keys() == IDS
    assert len(set(ANCHORS.values())) == len(ANCHORS)


@pytest.mark.parametrize("key", ALGORITHMS)
def test_every_algorithm_has_its_section(key: str) -> None:
    note, text = _section(key)
    assert note.stem == key.partition(".")[0]
    assert re.findall(rf"^\*\*({'|'.join(PARTS)})\b[^*]*\*\*", text, re.MULTILINE) == PARTS
    missing = set(ALGORITHMS[key].claims) - _links(text, note)
    assert not missing, f"{note.name}, {key}: no link to {sorted(missing)}"


@pytest.mark.parametrize("note", NOTES, ids=lambda note: note.stem)
def test_links_lead_to_claims(note: Path) -> None:
    text = note.read_text()
    defined = dict(DEFINITION.findall(text))
    assert len(defined) == len(DEFINITION.findall(text)), "a label is defined twice"
    expected = {}
    for label in {*defined, *LINK.findall(DEFINITION.sub("", text))}:
        assert _claim(label, note) in IDS, f"[{label}] is no claim"
        expected[label] = f"LEDGER.md#{ANCHORS[_claim(label, note)]}"
    assert defined == expected, "link definitions, at the end of the note, must be those of the labels in use"


@pytest.mark.parametrize("note", NOTES, ids=lambda note: note.stem)
def test_formulas_survive_markdown(note: Path) -> None:
    text = re.sub(r"`[^`]*`", "", note.read_text())
    for paragraph in text.split("\n\n"):
        assert paragraph.count("$") % 2 == 0, paragraph
        for formula in MATH.findall(paragraph):
            assert not MANGLED.search(formula), formula
            assert formula.startswith("$$") or "\n" not in formula, f"a formula in the text must not cross lines: {formula}"
            assert not re.search(r"^\s*[-+=>#]", formula, re.MULTILINE), f"a line must not begin like Markdown: {formula}"


# --- the maximisers that the sections name -----------------------------------------------------------------------

Data = NDArray[np.float64]
BALANCED = np.stack([np.outer(x, x) for x in np.tile([[1.0, 0.1], [1.0, -0.1]], (320, 1))])
FAR = 1e9 * np.ones((2, 2))  # its gradient is a multiple of (1, 1), and leaves every box through a corner
CEILING = 1e9 * np.eye(2)
AXES = np.eye(2)


def _replaced(others: Data, place: int, x: Data | float, y: Data | float) -> tuple[Data, Data]:
    """Two datasets with x, and with y, at a place among others."""
    pair = others.copy(), others.copy()
    pair[0][place], pair[1][place] = x, y
    return pair


def _lines(first: int, second: int) -> tuple[list[list[int]], list[list[int]]]:
    """Points on two lines, and the same with one of the first moved to the second."""
    return tuple([[1, 0]] * (first - i) + [[0, 1]] * (second + i) for i in (0, 1))  # type: ignore[return-value]


#: key: (arguments that differ from the example's, data and neighbour, releases that reach their sensitivity)
MAXIMISERS: dict[str, tuple[dict[str, Any], tuple[Any, Any], tuple[str, ...]]] = {
    "liu2022.private_oja": ({}, _replaced(np.zeros((6, 2, 2)), 3, CEILING, -CEILING), (r"g\[\d\]",)),
    "liu2022.minibatch_private_oja": ({}, _replaced(np.zeros((6, 2, 2)), 5, CEILING, -CEILING), (r"g\[2\]",)),
    "liu2022.private_top_eigenvalue": ({}, _replaced(np.zeros((640, 2)), 0, AXES[0], np.zeros(2)), ("eigenvalue",)),
    "liu2022.private_mean": ({}, _replaced(np.zeros((640, 2)), 0, FAR[0], -FAR[0]), (r"bin\[1\]", r"bin\[2\]", "mean")),
    "liu2022.dp_pca": ({}, _replaced(BALANCED, 300, FAR, -FAR), (r"t=1 bin\[1\]", r"t=1 bin\[2\]", "t=1 mean")),
    "liu2022.hyperparameter_search": ({}, _replaced(BALANCED, 600, CEILING, 0.0), (r"\d\.\d score",)),
    "liu2022.deflation": ({}, _replaced(BALANCED, 300, FAR, -FAR), (r"component 1 t=1 bin\[\d\]", "component 1 t=1 mean")),
    "liu2022.block_dp_pca": ({}, _replaced(BALANCED, 300, FAR, -FAR), (r"t=1 bin\[\d\]", "t=1 mean")),
    "wang2020.local_gaussian_mechanism": ({}, _replaced(np.zeros((3, 2)), 0, AXES[0], AXES[1]), (".*",)),
    "wang2020.local_gaussian_mechanism_high_dimension": (
        {"p": 2, "k": 1},
        _replaced(np.zeros((3, 2)), 0, -AXES[0], AXES[1]),
        (".*",),
    ),
    "singhal2021.exact_subspace_estimator": ({"k": 1}, _lines(3, 0), ("subspace",)),
    "singhal2021.exact_subspace_estimator_all_dimensions": ({"k_max": 2}, _lines(5, 2), ("subspace",)),
    "singhal2021.dimension_by_exponential_mechanism": ({"k_max": 2}, _lines(5, 0), ("dimension",)),
    "singhal2021.dimension_is_at_most": ({"k_max": 1}, _lines(5, 0), ("largest score",)),
    "singhal2021.exact_subspace_estimator_random_subsets": ({"n": 5, "k": 1}, _lines(4, 1), ("subspace",)),
    "singhal2021.approximate_subspace_estimator": (
        {"d": 2},
        _replaced(np.zeros((120, 2)), 0, AXES[0], AXES[1]),
        ("histogram",),
    ),
    "singhal2021.approximate_subspace_estimator_unknown_dimension": (
        {"d": 2, "k_max": 1, "auxiliary": AXES},
        _replaced(np.zeros((1200, 2)), 0, AXES[0], AXES[1]),
        (r"run\[\d+\]\.histogram",),
    ),
    "shang2021.dp_spca": ({"n": 1, "d": 2}, _replaced(np.zeros((1, 2)), 0, AXES[0], AXES[1]), (r"g\[1\]",)),
    "shang2021.dp_vrpca": (  # one row, whose index is always drawn; in R^1 the sign of V follows the noise
        {"n": 1, "d": 1, "k": 1, "T": 20, "eta": 100.0},
        (np.ones((1, 1)), np.zeros((1, 1))),
        (r"g\[\d,\d+\]",),
    ),
    "baselines.analyze_gauss": ({}, _replaced(np.zeros((3, 3)), 0, np.eye(3)[0], np.eye(3)[1]), ("C_hat",)),
    "baselines.mod_sulq": ({}, _replaced(np.zeros((3, 3)), 0, np.eye(3)[0], np.eye(3)[1]), ("A_hat",)),
    "baselines.noisy_power_method": (
        {"d": 2},
        _replaced(np.zeros((3, 2)), 0, AXES[0], AXES[1]),
        (r"Y\[1\]", r"Y\[2\]", r"Y\[3\]"),
    ),
    "baselines.wishart_mechanism": ({}, _replaced(np.zeros((3, 3)), 0, np.eye(3)[0], np.eye(3)[1]), (".*",)),
    "baselines.exponential_mechanism": ({"k": 1}, _replaced(np.zeros((3, 2)), 0, AXES[0], AXES[1]), (r"u\[1\]",)),
}


def test_every_private_algorithm_has_a_maximiser() -> None:
    assert MAXIMISERS.keys() == ALGORITHMS.keys() - {"liu2022.oja"}


@pytest.mark.parametrize("key", MAXIMISERS)
def test_the_named_maximisers_reach_the_sensitivity(key: str) -> None:
    entry = ALGORITHMS[key]
    changed, pair, reached = MAXIMISERS[key]
    run = entry.bind(**{**entry.example.arguments, **changed}, choices=entry.choices["CORRECTED"])
    found = lockstep(run, *pair, np.random.default_rng(1))
    assert not found.violations
    for name in reached:
        shares = [r.change / r.sensitivity for r in found.releases if re.fullmatch(name, r.name)]
        assert max(shares) == pytest.approx(1.0, rel=1e-9), (name, [(r.name, r.change) for r in found.releases])
