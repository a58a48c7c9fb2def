"""The examples of the guides run as they are printed, print what their texts say, and find what they should."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path
from types import ModuleType

import pytest

from tests.interpreter import python

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "proofs_notes" / "guides" / "examples"
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
OPTIONAL = ("jax", "opendp", "pandas", "torch")


def snippets(page: str) -> list[str]:
    text = (FOLDER / f"{page}.md").read_text(encoding="utf-8")
    return [code for kind, code in FENCE.findall(text) if kind == "python"]


def run(page: str, place: int = 0) -> list[str]:
    """Return the lines that a snippet prints; a skip where it needs a package that is not there."""
    code = snippets(page)[place]
    for package in re.findall(rf"^import ({'|'.join(OPTIONAL)})\b", code, re.MULTILINE):
        pytest.importorskip(package, reason=f"the example is about {package}")
    with contextlib.redirect_stdout(io.StringIO()) as out:
        exec(compile(code, f"{page}.md", "exec"), vars(ModuleType("snippet")))  # noqa: S102 - the pages are ours
    return out.getvalue().splitlines()


def test_every_page_is_tested() -> None:
    tested = set(re.findall(r'run\("([a-z-]+)"', Path(__file__).read_text(encoding="utf-8"))) | {page for page, _, _ in WHOLE}
    assert {path.stem for path in FOLDER.glob("*.md")} == tested
    assert {"new-implementation", "dp-pca"} <= tested


@pytest.mark.slow
def test_training() -> None:
    """The three numbers of one mechanism: the account is exact for the transcript, whose mu is sqrt(10) 2 / 4 = 1.581."""
    found = {line.split()[0]: float(line.split()[1]) for line in run("training")}
    assert found["account"] == pytest.approx(7.511, abs=0.006)  # the root of the profile, found with scipy
    assert 6.5 < found["transcript"] <= found["account"]
    assert 0.0 <= found["output"] < 0.7 * found["transcript"]


@pytest.mark.slow
def test_accounts() -> None:
    """By dp-accounting the second's epsilon is 0.61674, and the third's pair has a delta between 1.328e-3 and 1.371e-3."""
    assert run("accounts") == ["std 0.786, certified True", "checked again: True"]
    assert run("accounts", 1) == ["epsilon 0.617, certified True"]
    assert run("accounts", 2) == ["delta is between 1.37e-03 and 3.34e-03"]


@pytest.mark.slow
def test_noisy_max() -> None:
    assert run("noisy-max") == ["index_alone NOT REFUTED", "index_and_value REFUTED"]


@pytest.mark.slow
def test_histogram() -> None:
    assert run("histogram") == ["NOT REFUTED", "REFUTED"]


@pytest.mark.slow
def test_data_frame() -> None:
    assert run("data-frame") == ["mean_income NOT REFUTED", "mean_income_within_range REFUTED"]


@pytest.mark.slow
def test_local_randomiser() -> None:
    (line,) = run("local-randomiser")
    assert 1.2 <= float(line) <= 1.6


@pytest.mark.slow
def test_opendp() -> None:
    assert run("opendp-measurement") == ["NOT REFUTED", "REFUTED"]


@pytest.mark.slow
def test_jax() -> None:
    assert run("jax-function") == ["NOT REFUTED", "REFUTED"]


@pytest.mark.slow
def test_refutation() -> None:
    (line,) = run("refutation")
    assert line.startswith("REFUTED: (2, 0)-differential privacy was claimed")
    parts = dict(line.split() for line in run("refutation", 1))
    assert 0.8 <= float(parts["sum_alone"]) <= 1.0  # exactly 1
    assert 3.0 <= float(parts["maximum_alone"]) <= 5.0  # exactly 5
    assert run("refutation", 2) == []


#: Whole implementations, with a mistake that is put into each and what the known answers say then.
WHOLE = [
    ("new-implementation", ("= calibration", "= -calibration"), "noise-sign (noise subtracted)"),
    ("dp-pca", ("+ np.clip", "- np.clip"), "liu2022.dp_pca/batches/CORRECTED"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("page", "mistake", "told"), WHOLE, ids=[page for page, _, _ in WHOLE])
def test_a_whole_implementation(page: str, mistake: tuple[str, str], told: str, tmp_path: Path) -> None:
    """The first command of the page passes, the second is one that exists; with a mistake in the file the vectors say so."""
    (code,) = snippets(page)
    (commands,) = (code for kind, code in FENCE.findall((FOLDER / f"{page}.md").read_text(encoding="utf-8")) if kind == "")
    (tmp_path / "mine.py").write_text(code)

    def execute(line: str) -> tuple[int, str]:
        done = python("-m", "dppca", *line.split()[1:], cwd=tmp_path)
        return done.returncode, done.stdout + done.stderr

    check, audit = commands.splitlines()
    status, said = execute(check)
    assert status == 0, said
    assert "of 1 of 1 algorithms" in said
    if page == "new-implementation":
        status, said = execute(audit)
        assert status == 0, said
        assert "audited: 1 of the 1 named algorithms" in said
    assert mistake[0] in code
    (tmp_path / "mine.py").write_text(code.replace(*mistake))
    status, said = execute(check)
    assert status == 1
    assert told in said
