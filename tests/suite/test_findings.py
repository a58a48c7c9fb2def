"""The reproducers of faults in other packages stand alone, and their notes say where the fault is."""

from __future__ import annotations

import ast
import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from dppca.audit.adapters.divided import off_axis_cdf, tie_epsilon

FINDINGS = Path(__file__).resolve().parents[2] / "audit" / "findings"
NOTES = sorted(file for file in FINDINGS.glob("*.md") if file.name != "README.md")
#: What a reproducer may import besides the standard library.
ALLOWED = {"numpy", "scipy", "diffprivlib", "opendp"}
#: Files of the packages, with lines that hold the fault and the expression on them, as the notes have them.
PLACES = {
    ("diffprivlib", "mechanisms/bingham.py"): (148, 149, "/ ((unit_vec.dot(omega).dot(unit_vec)) ** (dims / 2))"),
    ("opendp", "extras/sklearn/_make_eigenvector/__init__.py"): (83, 85, "M * (u.T @ Omega @ u) ** (d / 2)"),
    ("opendp", "extras/sklearn/decomposition/__init__.py"): (334, 334, "self.epsilon / self.n_changes * 2"),
}


def script(note: Path) -> Path:
    return note.with_name(f"{note.stem.replace('-', '_')}.py")


def load(file: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"alone_{file.stem}", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("note", NOTES, ids=lambda note: note.stem)
def test_a_reproducer_needs_nothing_of_this_project(note: Path) -> None:
    names = set()
    for node in ast.walk(ast.parse(script(note).read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            names.add(str(node.module).partition(".")[0])
    assert names - set(sys.stdlib_module_names) <= ALLOWED


@pytest.mark.parametrize("note", NOTES, ids=lambda note: note.stem)
def test_a_note_is_listed_and_names_its_reproducer_and_the_remedy(note: Path) -> None:
    text = note.read_text()
    assert f"({note.name})" in (FINDINGS / "README.md").read_text()
    assert f"({script(note).name})" in text
    assert re.search(r"^\| remedy \|", text, re.MULTILINE)


@pytest.mark.parametrize(("package", "file"), PLACES)
def test_a_fault_is_where_its_note_says(package: str, file: str) -> None:
    first, last, expression = PLACES[package, file]
    said = f"line {first}" if first == last else rf"lines {first} (?:and|to) {last}"
    assert any(re.search(rf"`{package}/{re.escape(file)}`, {said}\b", note.read_text()) for note in NOTES)
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        pytest.skip(f"needs the extra `{package}`")
    lines = (Path(spec.origin).parent / file).read_text().splitlines()[first - 1 : last]
    assert expression in " ".join(" ".join(lines).split())


def test_the_reproducer_s_laws_are_those_of_the_audited_adapters() -> None:
    alone = load(FINDINGS / "bingham_acceptance_ratio.py")
    for d, rows, epsilon in ((4, 100, 1.0), (6, 100, 2.0), (8, 4000, 0.5)):
        assert alone.true_epsilon(d, rows, epsilon) == pytest.approx(tie_epsilon(d, rows, epsilon / 4.0), rel=1e-9)
    w = np.linspace(0.0, 1.0, 101)
    for divided, power in ((False, 0), (True, -3)):
        np.testing.assert_allclose(alone.law(4.0, 3, power)(w), off_axis_cdf(4.0, 3, divided=divided)(w), atol=1e-9)


def test_the_figures_of_the_note_are_those_of_the_law() -> None:
    row = re.search(r"^\| epsilon of that pair where 1 is claimed \|(.*)\|$", NOTES[0].read_text(), re.MULTILINE)
    assert row is not None
    computed = [f"{tie_epsilon(d, 100, 0.25):.3f}" for d in (4, 6, 8, 10, 12)]
    assert [figure.strip() for figure in row[1].split("|")] == computed


def test_the_reproducer_s_bound_is_below_the_truth_and_not_far() -> None:
    """Two laws with one event of known probabilities, 0.6 and 0.1; a false alarm has probability at most 0.001."""
    alone, rng = load(FINDINGS / "bingham_acceptance_ratio.py"), np.random.default_rng(5)
    first, second = (rng.random(20_000) * 0.5 + 0.5 * (rng.random(20_000) < share) for share in (0.6, 0.1))
    bound, threshold = alone.lower_bound(first, second, confidence=0.999)
    assert np.log(6.0) - 0.35 < bound < np.log(6.0)
    assert 0.45 < threshold < 0.55
    assert alone.lower_bound(first, first.copy(), confidence=0.999)[0] < 0.01
