"""The stored plots show the numbers that the stored results and the closed forms have today."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

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
