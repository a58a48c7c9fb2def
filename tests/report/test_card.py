"""The card of a result: data that a schema describes, and the text, the plot and the page that are made of them alone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import jsonschema
import numpy as np
import pytest

from dppca import audit
from dppca.audit.auditor.results import Losses, LowerBound, Nested, Verdict
from dppca.audit.report import card, plots
from dppca.audit.report import document as documents
from dppca.audit.report.__main__ import main
from tests.report.test_report import Page

ROOT = Path(__file__).parents[2]
SCHEMA = json.loads(card.SCHEMA.read_text())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
COUNTS = Nested(np.array([300, 600]), np.array([100, 500]), 800, 4, hits=512, counters=103)
LOSSES = Losses(np.linspace(-1.0, 3.0, 400), np.zeros(400), 400)


def verdict(bound: float = 1.5, *, tested: Nested | Losses = COUNTS, **changed: Any) -> Verdict:
    settings = {"delta": 1e-2, "confidence": 0.95, "trials": 1000, "seconds": 1.0, "event": "for data: <output> > 3", "seed": 7}
    found = LowerBound(epsilon=bound, **{**settings, "method": "betting"}, **changed)
    return Verdict(bound > 1.0, found, audit.Claim(1.0, 1e-2), tested)


def search() -> audit.PairBound:
    return audit.PairBound(np.zeros((2, 2)), np.array([[0.0, 0.0], [1.0, 0.0]]), verdict().bound, 12, 1.1)


RESULTS = {
    "refuted": verdict(),
    "not refuted": verdict(0.5),
    "no epsilon": verdict(float("inf"), ideal=0.25),
    "transcript": verdict(tested=LOSSES, secrets=("index",)),
    "unchecked": verdict(unchecked="none of it"),
    "bound": verdict().bound,
    "search": search(),
    "one run": audit.one_run_lower_bound(np.arange(20.0), np.arange(20) % 3 > 0),
}


@pytest.mark.parametrize("result", RESULTS.values(), ids=RESULTS)
def test_the_schema_describes_each_result_and_the_card_says_what_it_holds(result: Any) -> None:
    held = json.loads(result.to_json())
    VALIDATOR.validate(held)
    (found,) = held["results"]
    assert result.headline().rstrip(".") == found["headline"].rstrip(".")
    html = result._repr_html_()
    words = Page(html).text
    for sentence in (found["headline"], *found["tried"], *found["certainty"], *found["next"]):
        assert sentence[1:] in words  # a sentence begins with a capital letter there
    assert html.count("<svg") == (found["claim"] is not None)
    assert card.text(found).startswith(found["headline"])


def test_the_card_of_no_verdict_says_why() -> None:
    for claim in (None, audit.Claim(1.0), audit.GDP(0.5)):
        found = card.document(card.NoVerdict("mechanism raised RuntimeError: <no luck>", claim), mechanism="mine:f")
        VALIDATOR.validate(card.file_of([found]))
        assert found["headline"] in Page(card.render(found)).text
        assert card.table([found])[1].endswith("NO VERDICT")


def test_the_schema_refuses_what_is_no_result() -> None:
    for change in ({"version": 2}, {"results": [{}]}, {"results": [verdict().to_dict() | {"verdict": "PRIVATE"}]}):
        with pytest.raises(jsonschema.ValidationError):
            VALIDATOR.validate(json.loads(verdict().to_json()) | change)


def test_a_result_with_a_part_replaced_is_read_where_the_schema_allows_it(tmp_path: Path) -> None:
    """Each part of each result, by a few other values: `dppca report` reads what jsonschema says is as the schema."""

    def changed(value: Any, other: Any) -> Iterator[Any]:
        yield other
        for key, of in value.items() if isinstance(value, dict) else enumerate(value[:1]) if isinstance(value, list) else ():
            for new in changed(of, other):
                yield {**value, key: new} if isinstance(value, dict) else [new, *value[1:]]

    path = tmp_path / "r.json"
    read = refused = 0
    for result in RESULTS.values():
        held = json.loads(result.to_json())
        for other in (None, "x", "", [], {}, -1, 2.5, True, "REFUTED", "inf"):
            for document in changed(held, other):
                path.write_text(json.dumps(document))
                if VALIDATOR.is_valid(document):
                    assert documents.read(path, documents.RESULTS) == document
                    read += 1
                else:
                    with pytest.raises(ValueError, match="must"):
                        documents.read(path, documents.RESULTS)
                    refused += 1
    assert min(read, refused) > 200


def test_what_is_no_file_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    os.mkfifo(tmp_path / "pipe")
    for name in ("", "/", str(tmp_path), str(tmp_path / "pipe"), os.devnull, "x" * 300):
        with pytest.raises(SystemExit, match="2"):
            main([name])
        said = capsys.readouterr().err
        assert said.startswith("dppca report: RESULTS must be a JSON document")
        assert said.count("\n") == 1


def test_the_profile_of_counts_is_the_one_computed_by_hand() -> None:
    """At epsilon = 0 the two events differ by 200/800 and 100/800, so the estimate there is 1/4."""
    found = verdict().to_dict()["profile"]
    assert found["epsilons"][0] == 0.0
    assert found["estimate"][0] == pytest.approx(0.25)
    assert found["lower"][0] < 0.25 < found["upper"][0]
    assert verdict(tested=LOSSES).to_dict()["profile"]["upper"] is None


def test_a_result_is_drawn_into_axes_of_ones_own() -> None:
    figure_ = pytest.importorskip("matplotlib.figure")
    ax = figure_.Figure().add_subplot()
    assert verdict().plot(ax) is ax
    assert [line.get_xydata()[-1].tolist() for line in ax.get_lines() if "at least" in line.get_label()] == [[1.5, 0.01]]
    assert verdict().bound.plot().get_yscale() == "log"


def test_without_matplotlib_one_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == "matplotlib"] + ["matplotlib"]:
        monkeypatch.setitem(sys.modules, name, None)
    line = 'a plot needs the package matplotlib, which is not installed: pip install "dppca[plot]"'
    assert line in Page(verdict()._repr_html_()).text
    with pytest.raises(ModuleNotFoundError, match="which is not installed: pip install"):
        verdict().plot()


def test_a_plot_in_a_page_takes_its_ink_and_links_nowhere() -> None:
    drawn = plots.profile_svg(verdict().to_dict())
    assert "currentColor" in drawn
    assert "http" not in drawn
    assert "<style" not in drawn
    ET.fromstring(drawn)  # noqa: S314 - our own


def test_files_are_written_and_rendered_anew(tmp_path: Path) -> None:
    target = tmp_path / "r.json"
    results = [card.document(result, mechanism="<mine>:f") for result in RESULTS.values()]
    page = card.write(results, target)
    html = page.read_text()
    Page(html)
    assert "&lt;mine&gt;:f" in html
    page.unlink()
    assert main([str(target)]) == 0
    assert page.read_text() == html
    with pytest.raises(ValueError, match=r"must be as result\.schema\.json says"):
        card.render_page({"results": [{}], "run": {}})


def test_a_table_has_a_row_for_each_result() -> None:
    lines = card.table([card.document(verdict(), mechanism="mine"), card.document(verdict().bound, mechanism="other")])
    assert [line.split() for line in lines] == [
        ["mechanism", "claim", "bound", "seconds", "verdict"],
        ["mine", "(1,", "0.01)", "1.5", "1.0", "REFUTED"],
        ["other", "1.5", "1.0"],
    ]


MINE = "def mine(data, rng):\n    return sum(data) + rng.laplace()\n"
TESTS = """
import mine

def test_false(audit):
    audit.assert_not_refuted(audit.check(mine.mine, [1, 0], [0, 0], audit.Claim(0.5), trials=5000))

def test_bound(audit):
    audit.lower_bound(mine.mine, [1, 0], [0, 0], trials=5000)

def test_without_an_audit():
    pass
"""


def run(tmp_path: Path, *words: str) -> subprocess.CompletedProcess[str]:
    (tmp_path / "mine.py").write_text(MINE)
    (tmp_path / "test_mine.py").write_text(TESTS)
    path = os.pathsep.join([str(ROOT), str(tmp_path), *filter(None, sys.path)])
    environment = {"PATH": "/usr/bin:/bin", "PYTHONPATH": path, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", *words]
    return subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)  # noqa: S603


@pytest.mark.slow
def test_the_command_writes_the_report_of_a_mechanism_of_ones_own(tmp_path: Path) -> None:
    words = ["audit", "mine:mine", "--data", "[1, 0]", "--neighbor", "[0, 0]", "--trials", "5000", "--report", "r.json"]
    for claim, status in ((["--epsilon", "0.2"], 1), (["--epsilon", "2"], 0), ([], 0)):  # an earlier report is replaced
        done = run(tmp_path, "dppca", *words, *claim)
        assert done.returncode == status, done.stdout + done.stderr
        held = json.loads((tmp_path / "r.json").read_text())
        VALIDATOR.validate(held)
        assert held["results"][0]["mechanism"] == "mine:mine"
        assert held["results"][0]["headline"] in done.stdout
        Page((tmp_path / "r.html").read_text())
    (tmp_path / "kept.json").write_text("{}")
    done = run(tmp_path, "dppca", *words[:-1], "kept.json")
    assert (done.returncode, (tmp_path / "kept.json").read_text()) == (2, "{}")
    assert "--report must be a new file or an earlier report" in done.stderr
    assert run(tmp_path, "dppca", "audit", "--neighbous", "1").stderr.endswith("did you mean --neighbour?\n")


@pytest.mark.slow
@pytest.mark.parametrize("processes", [(), ("-p", "xdist", "-n", "2")], ids=["one process", "two"])
def test_a_test_run_ends_with_a_table_and_a_report(tmp_path: Path, processes: tuple[str, ...]) -> None:
    words = ["pytest", "-p", "dppca.audit.plugin", *processes, "--audit-report", "out/r.json", "--junitxml", "j.xml"]
    done = run(tmp_path, *words)
    assert done.returncode == 1, done.stdout + done.stderr
    rows = [line.split() for line in done.stdout.splitlines() if line.startswith("mine ")]
    assert sorted(row[-1] for row in rows if "(0.5," in row) == ["REFUTED"]
    assert len(rows) == 2
    held = json.loads((tmp_path / "out" / "r.json").read_text())
    VALIDATOR.validate(held)
    assert [of["mechanism"] for of in held["results"]] == ["mine", "mine"]
    Page((tmp_path / "out" / "r.html").read_text())
    properties = ET.parse(tmp_path / "j.xml").getroot().findall(".//property")  # noqa: S314 - our own
    assert {of.get("value") for of in properties} == {f"mine: {of['headline']}" for of in held["results"]}
    done = run(tmp_path, *words[:-3], "mine.py")
    assert (done.returncode, "--audit-report: 'mine.html'" in done.stderr or "--audit-report must" in done.stderr) == (4, True)
