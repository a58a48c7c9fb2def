"""`make new` in a copy of the project: what it writes can be filled in, and what is still missing is then named."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.interpreter import python
from tests.project import scaffold

ROOT = Path(__file__).parents[2]
KEY = "baselines.noisy_sum"


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """Return the project without its build, and the packages under their names."""
    for folder in ("reference", "audit", "proofs_notes", "tests"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__", "*.pyc"))
    for name in ("README.md", "Makefile", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    shutil.copytree(ROOT / "dppca", tmp_path / "dppca", symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def run(copy: Path, *command: str) -> subprocess.CompletedProcess[str]:
    return python("-B", "-m", *command, cwd=copy, PYTHONPATH=str(copy))


@pytest.mark.slow
def test_a_skeleton_runs_and_what_is_missing_is_named_with_its_place(copy: Path) -> None:
    begun = run(copy, "tests.project.scaffold", KEY, "dwork2014")
    assert begun.returncode == 0, begun.stderr
    path = copy / "reference" / "baselines" / "noisy_sum.py"
    skeleton = path.read_text()
    assert re.findall(r"^----- for (.*) -----$", begun.stdout, re.MULTILINE) == [
        "proofs_notes/baselines/claims.toml",
        "proofs_notes/baselines, the module of its section",
        "proofs_notes/baselines/note.md",
        "audit/suite/baselines",
    ]
    asked = run(copy, "tests.project.completeness", KEY)
    assert asked.returncode == 1
    filled = next(line for line in asked.stdout.splitlines() if "FILL is left" in line)
    assert asked.stdout.splitlines() == [
        filled,
        f"{KEY}: write the claim dwork2014.FILL in proofs_notes/baselines/claims.toml",
        f"{KEY}: no claim of proofs_notes/baselines/claims.toml has its `code` in dppca.reference.baselines.noisy_sum",
        f"{KEY}: run `make vectors KEY={KEY}` for its known answers",
        f"{KEY}: write proofs_notes/baselines/note.md, section of `{KEY}`",
        f"{KEY}: plant a bug of its own",
        f"{KEY}: write an audit of CORRECTED in the exact or transcript view in audit/suite/baselines",
        f"{KEY}: write an audit of CORRECTED in the output view in audit/suite/baselines",
    ]
    lines = [at for at, line in enumerate(skeleton.splitlines(), 1) if "FILL" in line]
    assert filled == f"{KEY}: FILL is left in reference/baselines/noisy_sum.py, lines {', '.join(map(str, lines))}"

    wrote = run(copy, "dppca", "vectors", KEY)
    assert wrote.returncode == 0, wrote.stderr
    assert (copy / "reference" / "baselines" / "noisy_sum.json").is_file()
    assert "make vectors" not in run(copy, "tests.project.completeness", KEY).stdout
    exists = run(copy, "tests.project.scaffold", KEY)
    assert exists.returncode == 2
    assert exists.stderr == f"KEY must be new, got '{KEY}', which exists\n"
    assert path.read_text() == skeleton


@pytest.mark.slow
def test_a_paper_that_is_not_in_the_bibliography_is_named(copy: Path) -> None:
    run(copy, "tests.project.scaffold", KEY, "dwork2014")
    path = copy / "reference" / "baselines" / "noisy_sum.py"
    path.write_text(path.read_text().replace("dwork2014", "baselines"))
    asked = run(copy, "tests.project.completeness", KEY)
    assert f"{KEY}: the paper baselines needs an entry in reference/citations.py\n" in asked.stdout
    cited = run(copy, "dppca", "cite", KEY)
    assert "must begin with a paper of BIBTEX in reference/citations.py, got 'baselines'" in cited.stderr
    assert "KeyError" not in cited.stderr


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("baselines.analyze_gauss", "KEY must be new, got 'baselines.analyze_gauss', which exists"),
        ("baselines.wishart", "KEY must be new, got 'baselines.wishart', which exists"),  # its file does
        ("nobody2024.sum", "KEY must begin with one of liu2022., wang2020., singhal2021., shang2021., baselines."),
        ("baselines", "KEY must be paper.name"),
        ("baselines.Sum", "KEY must be paper.name"),
        ("baselines.../x", "KEY must be paper.name"),
        ("baselines.noisy_sum", "reference/citations.py has no paper 'baselines'"),
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


@pytest.mark.slow
def test_an_error_does_not_become_what_is_expected(copy: Path) -> None:
    """Halved noise is refused; another number of the algorithm is written."""
    subject, known = (copy / "reference" / "baselines" / f"analyze_gauss.{of}" for of in ("py", "json"))
    code, before = subject.read_text(), known.read_text()
    subject.write_text(code.replace("std=calibration.std,", "std=0.5 * calibration.std,"))
    refused = run(copy, "dppca", "vectors", "baselines.analyze_gauss")
    assert refused.returncode == 1
    assert "baselines/analyze_gauss.json differs" in refused.stdout
    assert "nothing is written, as an audit fails" in refused.stderr
    assert known.read_text() == before
    subject.write_text(code.replace('number="Algorithm 1"', 'number="Algorithm 1, lines 1 to 3"'))
    assert run(copy, "dppca", "vectors", "baselines.analyze_gauss").returncode == 0
    assert known.read_text() != before
