"""The notebooks run from top to bottom, show cards and plots, and find what their texts say."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "proofs_notes" / "guides" / "notebooks"
EXECUTE = """
import sys, nbclient, nbformat
held = nbformat.read(sys.argv[1], as_version=4)
nbclient.NotebookClient(held, timeout=600, kernel_name="python3").execute()
nbformat.write(held, sys.argv[2])
"""
#: What the outputs hold, and how many of them are plots or cards.
SAID = {
    "mechanism": (["REFUTED: (1, 0)-differential privacy was claimed", "NOT REFUTED: ", "dppca results 1 NOT REFUTED"], 2),
    "theorem": (["published std 4.845: delta(1) = 3.736e-05; enough is 5.276", "@misc{wang2020.theorem-2-privacy,"], 1),
    "implementation": (["known answers agree", "100% of the noise: NOT REFUTED", "25% of the noise: REFUTED"], 1),
}


def test_every_notebook_is_tested_and_holds_no_output() -> None:
    assert {path.stem for path in FOLDER.glob("*.ipynb")} == set(SAID)
    for path in FOLDER.glob("*.ipynb"):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        assert all(not cell.get("outputs") and cell.get("execution_count") is None for cell in cells)
        assert f"notebooks/{path.name}" in (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("name", SAID)
def test_a_notebook_runs(name: str, tmp_path: Path) -> None:
    pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    executed = tmp_path / "executed.ipynb"
    command = [sys.executable, "-c", EXECUTE, str(FOLDER / f"{name}.ipynb"), str(executed)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])}
    done = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False)  # noqa: S603
    assert done.returncode == 0, done.stderr
    outputs = [of for cell in json.loads(executed.read_text())["cells"] for of in cell.get("outputs", ())]
    text = "".join("".join(of.get("text", "")) + "".join(of.get("data", {}).get("text/html", "")) for of in outputs)
    words, pictures = SAID[name]
    assert [word for word in words if word not in text] == []
    assert sum(bool({"text/html", "image/png"} & set(of.get("data", {}))) for of in outputs) >= pictures
