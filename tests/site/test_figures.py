"""The stored plots show the numbers that the stored results and the closed forms have today."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from dppca.audit.report import plots
from dppca.proofs_notes.site import figures
from dppca.proofs_notes.site.figures import FIGURES, FOLDER, RATES, digest, store_rates, theorem_2
from tests.interpreter import python

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", FIGURES)
def test_a_stored_plot_is_of_the_numbers_of_today(name: str) -> None:
    text = (FOLDER / f"{name}.svg").read_text(encoding="utf-8")
    assert f"data {digest(FIGURES[name][0]())}" in text, "run `make plots`"
    assert re.search(rf"!\[[^\]]+\]\(\.\./figures/{name}\.svg\)", (ROOT / "proofs_notes/guides/figures.md").read_text())


def test_a_digest_sees_the_sixth_digit_and_not_the_last() -> None:
    assert digest({"a": [1.00001]}) != digest({"a": [1.00002]})
    assert digest({"a": [0.1 + 0.2]}) == digest({"a": [0.3]})


def test_the_plot_of_theorem_2_shows_what_the_ledger_says() -> None:
    assert f"{theorem_2()['at']:.3e}" == "3.736e-05"
    assert [name.split()[-1] for name in theorem_2()["curves"]] == ["4.845", "5.276"]


def test_there_is_no_other_file() -> None:
    assert {path.stem for path in FOLDER.iterdir()} == set(FIGURES)


@pytest.mark.parametrize("name", FIGURES)
def test_what_a_plot_refers_to_is_in_it(name: str) -> None:
    """Markers and ticks are drawn by reference, so one that lost its id would not be seen."""
    text = (FOLDER / f"{name}.svg").read_text(encoding="utf-8")
    referred = set(re.findall(r'(?:href="|url\()#([\w-]+)', text))
    assert referred == set(re.findall(r' id="([\w-]+)"', text))
    assert len(referred) >= 2


def test_a_drawn_plot_has_what_it_refers_to() -> None:
    text = str(plots.curves_svg({"as published": [(0.0, 0.5), (1.0, 0.1)]}, 1.0, 0.01, "words"))
    assert set(re.findall(r'(?:href="|url\()#([\w-]+)', text)) == set(re.findall(r' id="([\w-]+)"', text))
    assert text.count("<use") > 3  # ticks, and the mark of what is promised
    assert 'aria-label="words"' in text


@pytest.mark.slow
def test_the_stored_rates_are_those_that_the_experiment_fits_today(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """For one of the four experiments, through the commands of `make plots`; another LAPACK may round differently."""
    report = tmp_path / "rates.json"
    run = ["audit/suite/wang2020/test_utility.py", "-n0", "-k", "rate_of_theorem_2", "--budget", "standard", "--report", report]
    done = python("-m", "pytest", *run)
    assert done.returncode == 0, done.stdout
    stored = json.loads(RATES.read_text(encoding="utf-8"))
    monkeypatch.setattr(figures, "RATES", tmp_path / "utility.json")
    store_rates(report)
    found = json.loads((tmp_path / "utility.json").read_text(encoding="utf-8"))
    assert found["settings"] == stored["settings"]
    ((title, estimates),) = found["rates"].items()
    assert [each["name"] for each in estimates] == [each["name"] for each in stored["rates"][title]]
    for today, then in zip(estimates, stored["rates"][title], strict=True):
        assert [today[of] for of in ("value", "low", "high", "reference")] == pytest.approx(
            [then[of] for of in ("value", "low", "high", "reference")], abs=1e-6
        )
