"""The fixture `audit` in a project that is not this one."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.interpreter import python
from tests.report.test_card import VALIDATOR

ROOT = Path(__file__).parents[2]
PROJECT = """
    import numpy as np

    def mechanism(data, rng):
        return sum(data) + rng.laplace()  # exactly 1-DP

    def algorithm(data, noise):
        return noise.gaussian("sum", float(sum(data)), std=1.0, sensitivity=1.0)

    PAIR = [1, 0], [0, 0]

    def test_true(audit):
        assert not audit.check(mechanism, *PAIR, audit.Claim(1.0), trials=5000).refuted
        assert not audit.check(mechanism, *PAIR, audit.GDP(2.0), trials=5000).refuted

    def test_false(audit):
        assert not audit.check(mechanism, *PAIR, audit.Claim(0.5), trials=5000).refuted

    def test_bounds(audit):
        bound = audit.lower_bound(mechanism, *PAIR, trials=5000)
        other = audit.lower_bound(mechanism, *PAIR, trials=5000)
        transcript = audit.transcript_lower_bound(algorithm, *PAIR, delta=1e-5, trials=1000)
        print("SEEDS", bound.seed, other.seed, bound.trials, 3.0 < transcript.epsilon < 5.0)
        assert bound.seed != other.seed
"""


def project(tmp_path: Path, *options: str) -> subprocess.CompletedProcess[str]:
    (tmp_path / "test_project.py").write_text("\n".join(line[4:] for line in PROJECT.splitlines()))
    command = [sys.executable, "-m", "pytest", "-p", "dppca.audit.plugin", "-p", "no:cacheprovider", "-s", *options]
    path = {"PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]), "PATH": ""}
    return subprocess.run(command, cwd=tmp_path, env=path, capture_output=True, text=True, timeout=120, check=False)  # noqa: S603


def seeds(run: subprocess.CompletedProcess[str]) -> str:
    return next(line for line in run.stdout.splitlines() if "SEEDS" in line)


@pytest.mark.slow
def test_in_another_project(tmp_path: Path) -> None:
    run = project(tmp_path)
    assert "2 passed" in run.stdout, run.stdout + run.stderr
    assert "1 failed" in run.stdout
    assert "FAILED test_project.py::test_false" in run.stdout
    assert seeds(run).endswith("5000 True")
    assert seeds(project(tmp_path)) == seeds(run)
    other = project(tmp_path, "--audit-seed", "1", "--audit-budget", "quick")
    assert seeds(other).split()[-2] == "1000"
    assert seeds(other).split()[-4] != seeds(run).split()[-4]


def test_installs_itself_and_no_more() -> None:
    """Loading the plugin imports nothing heavy, and its options do not clash with those of `pytest audit/`."""
    heavy = "('numpy', 'scipy', 'dppca.audit.execution.output_view')"
    code = f"import sys, dppca.audit.plugin; print([m for m in {heavy} if m in sys.modules])"
    assert python("-c", code, check=True).stdout.strip() == "[]"
    run = python("-m", "pytest", "-p", "dppca.audit.plugin", "-p", "no:cacheprovider", "audit/", "--help", timeout=120)
    assert run.returncode == 0, run.stderr
    for option in ("--audit-seed", "--seed", "--implementation"):
        assert f"  {option}" in run.stdout


CONFIDENCE = """
import pytest

def mechanism(data, rng):
    return sum(data) + rng.laplace()

PAIR = [1, 0], [0, 0]

@pytest.mark.privacy_audit(confidence=0.9)
def test_marked(audit):
    bound = audit.lower_bound(mechanism, *PAIR, trials=1000)
    assert bound.confidence == 0.9

def test_twice(audit):
    bounds = [audit.lower_bound(mechanism, *PAIR, trials=1000).confidence for _ in range(2)]
    print("SHARES", *(f"{1 - of:.6f}" for of in bounds))

def test_no_audit():
    pass
"""


@pytest.mark.slow
def test_the_marker_selects_and_gives_options_and_one_error_is_shared(tmp_path: Path) -> None:
    (tmp_path / "test_project.py").write_text(CONFIDENCE)

    def run(*options: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "pytest", "-p", "dppca.audit.plugin", "-p", "no:cacheprovider", "--strict-markers"]
        path = {"PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]), "PATH": ""}
        return subprocess.run([*command, "-s", *options], cwd=tmp_path, env=path, capture_output=True, text=True, check=False)  # noqa: S603

    assert "2 passed, 1 deselected" in run("-m", "privacy_audit").stdout
    assert "1 passed, 2 deselected" in run("-m", "not privacy_audit").stdout
    shared = run("--audit-confidence", "0.9")
    assert "SHARES 0.025000 0.008333" in shared.stdout  # two tests have 0.05 each, of which a test's audits have 1/2 and 1/6
    assert "confidence must not be given with --audit-confidence" in shared.stdout
    assert "1 failed, 2 passed" in shared.stdout
    assert "must be in (0, 1), got 1.0" in run("--audit-confidence", "1").stderr


FAILS = """
import json
import pytest

def mechanism(data, rng):
    if rng.random() > 0.9:
        raise RuntimeError("no luck")
    return 0

def test_fails(audit):
    audit.check(mechanism, [1, 0], [0, 0], audit.Claim(1.0, 1e-2), trials=1000)

@pytest.mark.privacy_audit(workers=1)
def test_passes(audit):
    audit.check(lambda data, rng: rng.laplace(), [1, 0], [0, 0], audit.GDP(2.0), trials=1000)
"""


@pytest.mark.slow
def test_an_audit_without_a_verdict_is_in_the_table_and_its_error_shows_none_of_the_auditor(tmp_path: Path) -> None:
    (tmp_path / "test_project.py").write_text(FAILS)

    def run(*options: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "pytest", "-p", "dppca.audit.plugin", "-p", "no:cacheprovider", *options]
        path = {"PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]), "PATH": ""}
        return subprocess.run(command, cwd=tmp_path, env=path, capture_output=True, text=True, check=False)  # noqa: S603

    said = run("--audit-report", "r.json").stdout
    assert "1 failed, 1 passed" in said
    assert re.findall(r"^(\w+) +(\(.*\)) +NO VERDICT$", said, re.MULTILINE) == [("mechanism", "(1, 0.01)")]
    assert re.findall(r"^(\S+):\d+: ", said, re.MULTILINE) == ["test_project.py"]
    assert "dppca/audit" not in said
    assert "dppca/audit/execution/trials.py" in run("--full-trace").stdout
    held = json.loads((tmp_path / "r.json").read_text())
    VALIDATOR.validate(held)
    assert [of["verdict"] for of in held["results"]] == ["NO VERDICT", "NOT REFUTED"]
    (headline,) = [of["headline"] for of in held["results"] if of["verdict"] == "NO VERDICT"]
    assert headline.startswith("NO VERDICT on (1, 0.01)-differential privacy: mechanism raised RuntimeError: no luck on ")
    assert "2 results, 0 refuted, 1 without a verdict" in (tmp_path / "r.html").read_text()


def test_a_marker_with_what_no_audit_takes_is_refused_in_a_line(tmp_path: Path) -> None:
    (tmp_path / "test_project.py").write_text(FAILS.replace("workers=1", "worker=1"))
    command = [sys.executable, "-m", "pytest", "-p", "dppca.audit.plugin", "-p", "no:cacheprovider", "--collect-only"]
    path = {"PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]), "PATH": ""}
    run = subprocess.run(command, cwd=tmp_path, env=path, capture_output=True, text=True, check=False)  # noqa: S603
    assert (run.returncode, "Traceback" in run.stdout + run.stderr) == (4, False)
    assert "privacy_audit takes no worker, at test_project.py::test_passes; did you mean workers?" in run.stderr
