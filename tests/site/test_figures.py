"""The stored plots show the numbers that the stored results and the closed forms have today."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dppca.audit.report import plots
from dppca.proofs_notes.site.figures import FIGURES, FOLDER, digest, theorem_2

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
