"""A page for each theorem: the erratum where there is one, every statement, and the numbers of its calculator."""

from __future__ import annotations

import itertools
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

pytest.importorskip("sphinx", reason="needs the extra docs")
pytest.importorskip("math_core", reason="needs the extra docs")

from dppca.proofs_notes.ledger.claims import ROOT
from dppca.proofs_notes.site import theorems
from dppca.reference.primitives.gaussian import analytic_std, classical_std, profile


def test_a_page_reads_as_an_erratum() -> None:
    text = theorems.pages()["theorems/wang2020-theorem-2"]
    parts = ["# Theorem 2 of Wang & Xu 2020", "<svg", "as published has delta = 3.736e-05, and 1e-05 is promised"]
    parts += ["form class=", "## Erratum: ", "*Symbols.* $x$ is a row", "**As published.**", "**Witness.**", "> In line 2"]
    parts += ["```latex", "**Proof.**", "## Its statements", "`dppca cite wang2020."]
    assert [text.index(part) for part in parts] == sorted(text.index(part) for part in parts)


def test_every_item_of_the_errata_about_a_theorem_stands_on_its_page() -> None:
    named = {row for file in ROOT.glob("proofs_notes/*/ERRATA.md") for row in re.findall(r"`([\w.-]+)`", file.read_text())}
    places, pages = theorems.places(), theorems.pages()
    assert len(places) > 50
    for key, claims in places.items():
        wrong = [claim for claim in claims if claim.id in named and claim.printed is False]
        assert ("## Erratum: " in pages[theorems.page_name(*key)]) == bool(wrong), key
        assert f"]({'../' + theorems.page_name(*key)}.md)" in pages["theorems/index"]


def test_a_title_names_authors() -> None:
    assert theorems.title("liu2022", "theorem c.1") == "Theorem C.1 of Liu et al. 2022"
    assert theorems.title("singhal2021", "lemma 2.3") == "Lemma 2.3 of Singhal & Steinke 2021"
    assert {"theorem 2 wang2020", "wang 2020 theorem 2", "Local Gaussian Mechanism"} <= set(
        theorems.names("wang2020", "theorem 2")
    )


def test_the_calculator_has_the_numbers_of_the_reference() -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("needs node")
    targets = [(1.0, 1e-5), (0.1, 1e-6), (4.0, 1e-3), (0.5, 0.1)]
    script = f"const c = require({str(Path(theorems.__file__).with_name('calculator.js'))!r});"
    script += (
        f"console.log(JSON.stringify({json.dumps(targets)}.map(([e, d]) => [c.published(e, d), c.real(e, d), c.enough(e, d)])))"
    )
    found = json.loads(subprocess.run([node, "-e", script], capture_output=True, text=True, check=True).stdout)  # noqa: S603
    for (epsilon, delta), numbers in zip(targets, found, strict=True):
        std = classical_std(epsilon, delta, 1.0)
        expected = [std, profile(epsilon, 2.0**0.5 / std), analytic_std(epsilon, delta, 2.0**0.5)]
        assert numbers == pytest.approx(expected, rel=1e-3)


def test_a_stored_curve_is_read_between_its_points() -> None:
    """Below the exact delta of a Gaussian release by at most 2 %, and back to the epsilon within 0.01."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("needs node")
    points = [(0.1 * i, profile(0.1 * i, 1.0)) for i in range(41)]
    script = f"const c = require({str(Path(theorems.__file__).with_name('calculator.js'))!r}), p = {json.dumps(points)};"
    script += "console.log(JSON.stringify([0.05, 0.73, 2, 3.99].map((e) => [c.deltaOn(p, e), c.epsilonOn(p, c.deltaOn(p, e))])"
    script += ".concat([[c.deltaOn(p, -1), c.deltaOn(p, 4.1)], [c.epsilonOn(p, 0.9), c.epsilonOn(p, 1e-9)]])))"
    found = json.loads(subprocess.run([node, "-e", script], capture_output=True, text=True, check=True).stdout)  # noqa: S603
    for epsilon, (delta, back) in zip((0.05, 0.73, 2.0, 3.99), found[:4], strict=True):
        assert 0.98 * profile(epsilon, 1.0) <= delta <= profile(epsilon, 1.0) * (1 + 1e-12)
        assert back == pytest.approx(epsilon, abs=0.01)
    assert found[4:] == [[None, None], [0, None]]


def test_the_page_of_a_broken_promise_has_its_curve() -> None:
    page = theorems.pages()["theorems/wang2020-theorem-4"]
    points = json.loads(page.partition('data-points="')[2].partition('"')[0])
    assert len(points) > 40
    assert all(a > b for (_, a), (_, b) in itertools.pairwise(points))
