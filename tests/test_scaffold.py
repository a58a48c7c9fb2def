"""`make new` in a copy of the project: what it writes can be filled in, and what is still missing is then named."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests import scaffold

ROOT = Path(__file__).parents[1]
KEY = "baselines.noisy_sum"
#: What the test says where the skeleton says FILL("...").
ANSWERS = {
    "the value of this reading": "2.0",
    "the claim's id": '"baselines.noisy-sum"',
    "what the noise assumes": '"every row lies in the unit ball"',
    "the algorithm's number": '"Algorithm 1"',
    "the algorithm's title": '"Noisy sum"',
    "how many lines print has": "1",
    "what is released": "X.sum(axis=0)",
    "its name": '"sum"',
}


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """Return the project without its build, and the packages under their names."""
    for folder in ("reference", "audit", "proofs_notes", "tests"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__", "*.pyc"))
    for name in ("README.md", "Makefile", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    packages = tmp_path / "build" / "path" / "dppca"
    packages.mkdir(parents=True)
    for name, folder in (("reference", "reference"), ("audit", "audit"), ("proofs", "proofs_notes")):
        (packages / name).symlink_to(tmp_path / folder)
    for file in (tmp_path / "reference" / "package").glob("*.py"):
        (packages / file.name).symlink_to(file)
    return tmp_path


def run(copy: Path, *command: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(copy / "build" / "path"), str(copy)))}
    python = [sys.executable, "-B", "-m", *command]
    return subprocess.run(python, cwd=copy, env=environment, capture_output=True, text=True, check=False)  # noqa: S603 - our own


@pytest.mark.slow
def test_a_filled_skeleton_is_an_algorithm_and_its_missing_pieces_are_named(copy: Path) -> None:
    begun = run(copy, "tests.scaffold", KEY)
    assert begun.returncode == 0, begun.stderr
    path = copy / "reference" / "baselines" / "noisy_sum.py"
    skeleton = path.read_text()
    places = re.findall(r"^----- for (.*) -----$", begun.stdout, re.MULTILINE)
    assert places == [
        "proofs_notes/claims.toml",
        "proofs_notes/checks/baselines.py",
        "proofs_notes/baselines.md",
        "audit/suite/instances/baselines.py",
        "tests/meta/baselines.py",
    ]
    unfilled = run(copy, "tests.completeness", KEY)
    assert unfilled.returncode == 1
    assert "NameError: name 'FILL' is not defined" in unfilled.stderr
    again = run(copy, "tests.scaffold", KEY)
    assert again.returncode == 1  # nothing runs before it is filled
    assert path.read_text() == skeleton

    path.write_text(re.sub(r'FILL\("([^"]*)"\)', lambda found: ANSWERS[found[1]], skeleton))
    asked = run(copy, "tests.completeness", KEY)
    assert asked.returncode == 1
    assert asked.stdout.splitlines() == [
        f"{KEY}: FILL is left in its file",
        f"{KEY}: claim baselines.noisy-sum is not in claims.toml",
        f"{KEY}: no claim has its `code` in dppca.reference.baselines.noisy_sum",
        f"{KEY}: no section in baselines.md",
        f"{KEY}: no planted bug of its own in tests/meta",
        f"{KEY}: no maximiser",
        f"{KEY}: CORRECTED: no exact or transcript audit",
        f"{KEY}: CORRECTED: no output audit",
        f"{KEY}: CORRECTED: no audit",
    ]
    exists = run(copy, "tests.scaffold", KEY)
    assert exists.returncode == 2
    assert exists.stderr == f"KEY must be new, got '{KEY}', which exists\n"


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("baselines.analyze_gauss", "KEY must be new, got 'baselines.analyze_gauss', which exists"),
        ("baselines.wishart", "KEY must be new, got 'baselines.wishart', which exists"),  # its file does
        ("nobody2024.sum", "KEY must begin with one of liu2022., wang2020., singhal2021., shang2021., baselines."),
        ("baselines", "KEY must be paper.name"),
        ("baselines.Sum", "KEY must be paper.name"),
        ("baselines.../x", "KEY must be paper.name"),
    ],
)
def test_a_key_that_will_not_do_is_refused(
    key: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    there = tmp_path / "reference" / "baselines" / "wishart.py"
    there.parent.mkdir(parents=True)
    there.write_text("kept")
    monkeypatch.setattr(scaffold, "ROOT", tmp_path)
    assert scaffold.main([key]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [there]
    assert there.read_text() == "kept"
