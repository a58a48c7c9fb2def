"""The report: collected as plain data that its schema describes, rendered from that alone, safe whatever it holds."""

from __future__ import annotations

import copy
import json
import math
import re
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import jsonschema
import numpy as np
import pytest

from dppca.audit.auditor.results import Claim
from dppca.audit.report import document, page, plots
from dppca.audit.report.__main__ import main
from dppca.audit.report.collect import Collector
from dppca.audit.report.curves import describe_pair, grid
from dppca.audit.report.experiments import Axis, Estimate, Experiment, Intervals, Plot, Series, level
from dppca.audit.report.markup import Markup, tag
from dppca.audit.report.place import check_report
from dppca.reference.command_line import GIVEN
from tests.interpreter import python
from tests.report.documents import RUN, audit_row

ROOT = Path(__file__).parents[2]
SCHEMA = json.loads(document.SCHEMA.read_text())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


def _document() -> dict[str, Any]:
    one_sided = [[0.0, 0.29, 0.2, None], [1.0, 0.03, 0.01, None], [2.0, 0.0, 0.0, None]]
    experiment = Experiment(
        "Error of the algorithm",
        ("n", "error"),
        [("10", "0.5"), ("100", "0.1")],
        ["A note."],
        [
            Plot(
                "Error", Axis("n", log=True), Axis("error"), [Series("a", [(10.0, 0.5, 0.4, 0.6)]), level("b", 1.0, (10, 100))]
            ),
            Intervals("Exponents", Axis("exponent"), [Estimate("n", -1.02, -1.1, -0.9, -1.0)], "stated"),
        ],
    )
    unknown = {
        "test": "audit/suite/test_privacy.py::test_verdict[b]",
        "exact_epsilon": None,
        "verdict": "NOT REFUTED",
        "id": "b",
    }
    return document.plain(
        {
            "format": document.FORMAT,
            "version": document.VERSION,
            "run": dict(RUN),
            "audits": [
                audit_row(),
                audit_row(**unknown, secrets=["index"], curves={"exact": None, "estimated": one_sided}),
                audit_row(id="c", view="exact", confidence=None, trials=0, lower_bound="inf", exact_epsilon="inf", delta=0.0),
                audit_row(id="d", algorithm="other", lower_bound=0.0, curves={"exact": None, "estimated": None}),
            ],
            "utility": [{"test": "audit/suite/test_utility.py::test_it", **experiment.as_dict()}],
            "tests": [
                {
                    "test": "audit/suite/test_privacy.py::test_verdict[b]",
                    "outcome": "failed",
                    "reason": "AssertionError: Row(...)",
                },
                {
                    "test": "audit/suite/test_privacy.py::test_verdict[crash]",
                    "outcome": "failed",
                    "reason": "MechanismError: trial 7",
                },
                {"test": "audit/suite/test_utility.py::test_other", "outcome": "skipped", "reason": "needs a.mat"},
            ],
        }
    )


class Page(HTMLParser):
    """Elements of a page; fails where a tag is closed that is not open."""

    VOID = frozenset({"meta", "br"})

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(self.words)


# --- the document -------------------------------------------------------------------------------------


def test_the_schema_is_one_and_describes_the_document() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    VALIDATOR.validate(_document())


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("version",), 2),
        (("run", "seed"), -1),
        (("run", "host"), "name"),
        (("audits", 0, "verdict"), "HOLDS"),
        (("audits", 0, "lower_bound"), "infinite"),
        (("audits", 0, "curves", "exact", 0), [0.0]),
        (("audits", 0, "curves", "estimated", 0), [0.0, 0.1, 0.2]),
        (("utility", 0, "plots", 0, "kind"), "pie"),
        (("tests", 0, "outcome"), "passed"),
    ],
)
def test_the_schema_rejects_what_is_wrong(path: tuple[Any, ...], value: Any) -> None:
    wrong = _document()
    at = wrong
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    assert not VALIDATOR.is_valid(wrong)


def test_plain_numbers_are_numbers_that_json_has(tmp_path: Path) -> None:
    assert document.plain({"a": (float("inf"), float("nan"), 1.0)}) == {"a": ["inf", None, 1.0]}
    assert document.number("inf") == float("inf")
    path = tmp_path / "new" / "results.json"
    document.write(_document(), path)
    assert document.read(path) == _document()


def test_the_date_comes_from_source_date_epoch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    assert document.about_the_run()["date"] == "1970-01-02T00:00:00Z"


def test_the_command_names_seed_and_budget_and_no_place_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(GIVEN, raising=False)
    root = Path("/home/someone/project")
    given = ["-q", f"{root}/audit/", "--data", "/data/private/sets", "--report", "/elsewhere/x.json", "--seed=3", "-k", "e1/e2"]
    command = document.command(given, 3, "standard", root)
    assert command == "python -m pytest -q audit/ --data .../sets --seed=3 -k e1/e2 --budget standard"
    monkeypatch.setenv(GIVEN, "dppca audit -k 'a or b' --budget quick --report /x/y.json")  # what was typed
    assert document.command(["/p/tests", "-c", "x"], 3, "quick", root) == "dppca audit -k 'a or b' --budget quick --seed 3"
    monkeypatch.delenv(GIVEN)
    assert document.command(["audit/", "--report"], 1, "quick", root) == "python -m pytest audit/ --seed 1 --budget quick"


# --- collecting ---------------------------------------------------------------------------------------


def _report(node: str, outcome: str, when: str, longrepr: Any = None, properties: Any = ()) -> pytest.TestReport:
    return pytest.TestReport(node, ("f.py", 1, node), {}, outcome, longrepr, when, user_properties=properties)  # type: ignore[arg-type]


def test_the_collector_keeps_results_crashes_and_skips(tmp_path: Path) -> None:
    options = {"--seed": 1, "--budget": "quick", "--implementation": None, "--report": str(tmp_path / "r.json")}
    config: Any = SimpleNamespace(
        getoption=options.__getitem__, rootpath=ROOT, invocation_params=SimpleNamespace(args=("audit/",))
    )
    collector = Collector(config, 97)
    collector.pytest_collection_finish(SimpleNamespace(items=[SimpleNamespace(nodeid=node) for node in "abcde"]))  # type: ignore[arg-type]
    found = {key: value for key, value in audit_row().items() if key != "test"}
    experiment = {key: value for key, value in _document()["utility"][0].items() if key != "test"}
    for report in (
        _report("a", "passed", "setup"),
        _report("a", "passed", "call", None, [("audit", found), ("utility", experiment), ("other", 1)]),
        _report("a", "passed", "teardown", None, [("audit", found)]),
        _report("b", "failed", "call", f"MechanismError: in {ROOT}/audit/x.py\nmore", []),
        _report("c", "skipped", "setup", ("f.py", 1, "Skipped: needs x: /data/dir/sets has no such file")),
        _report("d", "failed", "setup", "fixture broke"),
    ):
        collector.pytest_runtest_logreport(report)
    result = collector.document()
    VALIDATOR.validate(result)
    assert [audit["test"] for audit in result["audits"]] == ["a"]
    assert result["utility"] == [{"test": "a", **experiment}]
    assert result["run"]["outcomes"] == {"error": 1, "failed": 1, "passed": 1, "skipped": 1}
    assert result["tests"] == [
        {"test": "b", "outcome": "failed", "reason": "MechanismError: in audit/x.py"},
        {"test": "c", "outcome": "skipped", "reason": "needs x: .../sets has no such file"},
        {"test": "d", "outcome": "error", "reason": "fixture broke"},
    ]
    assert "4 of 5 tests ran" in Page(page.render(result)).text


@pytest.mark.slow
def test_processes_give_the_same_results_in_the_same_order(tmp_path: Path) -> None:
    found = []
    for processes in ("0", "2"):
        path = tmp_path / f"{processes}.json"
        words = ["-k", "near_tie or three_dependent_points", "--budget", "quick", "--numprocesses", processes]
        done = python("-m", "pytest", "-q", "-p", "no:cacheprovider", "audit", "--report", path, *words)
        assert done.returncode == 0, done.stdout
        result = document.read(path)
        found.append([{key: value for key, value in of.items() if key != "seconds"} for of in result["audits"]])
        assert result["run"]["tests_planned"] == sum(result["run"]["outcomes"].values()) > 3
    assert found[0] == found[1]


@pytest.mark.slow
def test_a_run_writes_both_files(tmp_path: Path) -> None:
    """Exact, transcript and output audits and a skipped experiment, in a pytest of their own."""
    path = tmp_path / "results.json"
    chosen = "(near_tie and AS_PRINTED) or (three_dependent_points and not but) or Leukemia"
    done = python("-m", "pytest", "-q", "-p", "no:cacheprovider", "audit", "-k", chosen, "--report", path)
    assert done.returncode == 0, done.stdout
    result = document.read(path)
    VALIDATOR.validate(result)
    assert {audit["view"] for audit in result["audits"]} == {"exact", "output", "transcript"}
    for audit in result["audits"]:
        assert audit["curves"]["exact"] is not None
        assert (audit["curves"]["estimated"] is None) == (audit["view"] == "exact")
    assert [test["outcome"] for test in result["tests"]] == ["skipped"]
    assert str(tmp_path) not in path.read_text()
    html = path.with_suffix(".html").read_text()
    assert html == page.render(result)
    assert "near tie with NULL" in Page(html).text


@pytest.mark.parametrize(
    ("data", "neighbour", "words"),
    [
        (np.eye(2), np.array([[0.0, 0.5], [0.0, 1.0]]), "n = 2, d = 2: (1, 0) replaced by (0, 0.5)"),
        ([[1, 0]], [[1, 0], [1, 0]], "n = 1, d = 2: no row replaced by (1, 0)"),
        (np.zeros((1, 9)), np.ones((1, 9)), "n = 1, d = 9: (0, 0, 0, 0, 0, 0, ...) replaced by (1, 1, 1, 1, 1, 1, ...)"),
        (0.0, 1.0, "n = 1, d = 1: (0) replaced by (1)"),
        ("a", "b", "two datasets of type str"),
    ],
)
def test_pairs_are_described_by_where_they_differ(data: Any, neighbour: Any, words: str) -> None:
    assert describe_pair(data, neighbour) == words


@pytest.mark.parametrize("exact", [None, 0.0, 1.0, 1.7, 5.0, float("inf")])
@pytest.mark.parametrize("points", [13, 25])
def test_the_grid_holds_the_claim_and_goes_beyond_the_pair(exact: float | None, points: int) -> None:
    epsilons = grid(Claim(1.0, 0.01), exact, points)
    assert len(epsilons) == points
    assert min(abs(epsilon - 1.0) for epsilon in epsilons) < 1e-12
    assert epsilons[-1] > (exact if exact is not None and exact < 6.0 else 1.0)


# --- the page -----------------------------------------------------------------------------------------


def test_the_page_is_well_formed_and_stands_alone() -> None:
    html = page.render(_document())
    found = Page(html)
    assert not {name for name, _ in found.elements} & {"link", "img", "iframe"}
    assert [name for name, _ in found.elements].count("script") == 1  # the filter
    assert not re.search(r"url\((?!#)", html)  # within the page alone
    for word in ("http:", "https:", "@import", "src=", "fetch(", "XMLHttpRequest", "import("):
        assert word not in html
    ids = [attributes["id"] for _, attributes in found.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    links = {attributes["href"] for name, attributes in found.elements if name == "a"}
    assert links <= {f"#{name}" for name in ids}
    assert {attributes.get("name") for name, attributes in found.elements if name == "meta"} >= {"viewport", "color-scheme"}
    assert "@media print" in html
    assert "prefers-color-scheme: dark" in html


def test_every_plot_says_what_it_shows() -> None:
    plots = [attributes for name, attributes in Page(page.render(_document())).elements if name == "svg"]
    assert all(
        attributes.get("role") == "img" or attributes.get("aria-hidden") or "class" not in attributes for attributes in plots
    )
    labels = [attributes["aria-label"] for attributes in plots if attributes.get("role") == "img"]
    assert len(labels) == 7  # one for each of two algorithms, three audits with curves, two plots of the experiment
    assert labels[0] == "Lower bounds on epsilon as shares of what is claimed; 2 of 3 audits refute their claim."
    assert labels[1] == (
        "Privacy profile, delta against epsilon. Claim: (1, 0.01). The exact curve is 0.02 at the claim's epsilon. "
        "The estimate there is 0.03. Lower bound on epsilon: 1.25."
    )


def test_the_page_says_what_the_document_says() -> None:
    text = Page(page.render(_document())).text
    for words in (
        "paper.algorithm",
        "(1, 0.01)",
        "1.250",
        "12,345",
        "987654321",
        "for data: output > 2.5",
        "(1, 0) replaced by (0, 1)",
        "with confidence 99.990 %",
        "python -m pytest audit/ --seed 1 --budget quick",
        "numpy 2.4.6",
        "A note.",
        "\u221e",
        "index; so this bound refutes nothing",
        "No curve: neither the law nor an estimate is known.",
    ):
        assert words in text


def test_claims_are_counted_and_an_intended_refutation_does_not_look_like_a_failure() -> None:
    twice = [
        audit_row(id="a"),
        audit_row(id="b", view="exact"),
        audit_row(id="c", choice="CORRECTED", verdict="NOT REFUTED", expected="NOT REFUTED"),
    ]
    assert page.headline(twice) == (
        "1 of 2 privacy claims about 1 algorithm are refuted, in 3 audits; every verdict is as expected."
    )
    assert page.headline([*twice, audit_row(delta=0.5, expected="NOT REFUTED")]) == (
        "2 of 3 privacy claims about 1 algorithm are refuted, in 4 audits; 1 verdict not as expected."
    )
    text = Page(page.render(_document() | {"audits": twice, "tests": []})).text
    assert "REFUTED, as expected" in text
    assert "Unexpected" not in text
    assert "1 of 2 claims refuted" in text
    assert "dppca claim paper.theorem-1" in text
    wrong = Page(page.render(_document() | {"audits": [*twice, audit_row(algorithm="z", expected="NOT REFUTED")], "tests": []}))
    folds = [attributes for name, attributes in wrong.elements if name == "details" and attributes.get("class") == "fold"]
    assert ["open" in attributes for attributes in folds] == [True, False]  # what is unexpected comes first, open
    assert "REFUTED, expected NOT REFUTED" in wrong.text
    many = [audit_row(algorithm="z", expected="NOT REFUTED", id=f"wrong {i}") for i in range(8)]
    named = page.render(_document() | {"audits": many, "tests": []}).partition("<main>")[0]
    assert "wrong 5" in named
    assert "wrong 6" not in named  # the first screen is for what can be read
    assert "and 2 more, in the folds that are open" in named


def test_bounds_are_shares_of_what_is_claimed() -> None:
    assert plots.share(0.5, 2.0) == 0.25
    assert plots.share("inf", 2.0) == plots.share(0.1, 0.0) == math.inf
    assert plots.share(0.0, 2.0) == plots.share(0.0, 0.0) == plots.LEAST_SHARE
    assert plots.share(None, 2.0) is None
    drawn = plots.bounds_svg([audit_row(), audit_row(lower_bound=0.5, verdict="NOT REFUTED"), audit_row(lower_bound="inf")])
    assert drawn.count(f"fill: {plots.ABOVE}") == 2  # the heads of the arrows
    assert drawn.count(f"fill: {plots.WITHIN}") == 1
    assert plots.bounds_svg([audit_row(epsilon=0.0, lower_bound=0.0, exact_epsilon=None)])


def test_unexpected_verdicts_crashes_and_skips_are_told_apart() -> None:
    text = Page(page.render(_document())).text
    in_order = (
        "Unexpected verdicts",
        ": NOT REFUTED, expected REFUTED",
        "Crashed, or failed otherwise",
        "failed: MechanismError: trial 7",
        "skipped: needs a.mat",
    )
    places = [text.index(words) for words in in_order]
    assert places == sorted(places)
    assert text.count("needs a.mat") == 1
    assert "AssertionError: Row" not in text  # it is among the unexpected verdicts
    assert "cut short" not in text


def test_the_command_that_repeats_an_audit_is_one_that_the_reader_has() -> None:
    of = _document() | {"audits": [audit_row(test="tests/test_privacy.py::test_verdict[a]")], "tests": []}
    assert "pytest 'tests/test_privacy.py::test_verdict[a]' --seed 1 --budget quick" in Page(page.render(of)).text
    of["run"] = {**of["run"], "command": "dppca audit --seed 1", "implementation": "mine:all"}
    audit = of["audits"][0]
    selected = f"dppca audit -k '{audit['algorithm']} and {audit['choice']} and {audit['view']}' --implementation mine:all"
    assert f"{selected} --seed 1 --budget quick" in Page(page.render(of)).text
    assert "test_verdict" not in Page(page.render(of)).text


def test_an_empty_run_has_a_page() -> None:
    empty = _document() | {"audits": [], "utility": [], "tests": []}
    empty["run"]["outcomes"] = {}
    VALIDATOR.validate(empty)
    assert "The run was cut short: 0 of 7 tests ran." in Page(page.render(empty)).text


def _poisoned(value: Any, key: str = "") -> Any:
    """Return the document with markup in every text that is free."""
    fixed = {
        "verdict",
        "expected",
        "view",
        "implementation",
        "kind",
        "marks",
        "outcome",
        "format",
        "lower_bound",
        "exact_epsilon",
    }
    if isinstance(value, dict):
        return {k: _poisoned(v, k) for k, v in value.items()}
    if isinstance(value, list):
        return [_poisoned(item, key) for item in value]
    return value + "</style><script>'\"&" if isinstance(value, str) and key not in fixed else value


def test_markup_in_the_document_stays_text() -> None:
    poisoned = _poisoned(_document())
    VALIDATOR.validate(poisoned)
    found, clean = Page(page.render(poisoned)), Page(page.render(_document()))
    assert [name for name, _ in found.elements] == [name for name, _ in clean.elements]
    assert "for data: output > 2.5</style><script>'\"&" in found.text


def test_markup_escapes_text_and_attributes_once() -> None:
    assert tag("p", "a < b", tag("b", "&"), None, title='"<') == '<p title="&quot;&lt;">a &lt; b<b>&amp;</b></p>'
    assert tag("line", x1=1.23456789, class_="a", hidden=True, id=None) == '<line x1="1.2346" class="a" hidden/>'
    assert isinstance(tag("p"), Markup)


def test_characters_that_control_a_display_are_shown_as_numbers() -> None:
    """NUL, ESC, and the mark that reverses the direction of text; line ends and letters of any language stay."""
    assert tag("p", "a\0\x1b[2J\u202eb\n\u00e9", title="\u200b") == '<p title="\\u200b">a\\u0000\\u001b[2J\\u202eb\n\u00e9</p>'


# --- plots --------------------------------------------------------------------------------------------


def test_edges_of_a_band_take_the_safe_value_between_points() -> None:
    """delta falls: between two points the lower edge is the right value, the upper edge the left one."""
    assert plots.steps([0, 1, 2], [5, 3, 1], ahead=True) == ([0, 0, 1, 1, 2], [5, 3, 3, 1, 1])
    assert plots.steps([0, 1, 2], [5, 3, 1], ahead=False) == ([0, 1, 1, 2, 2], [5, 5, 3, 3, 1])


def test_a_profile_puts_claim_and_bound_where_they_belong() -> None:
    bound, band = {"epsilon": 1.25, "delta": 0.01}, {"epsilons": [0.0, 2.0], "lower": [0.1, 0.0], "upper": None}
    curve = {**band, "estimate": [0.2, 0.0], "confidence": 0.95}
    result = {"claim": {"epsilon": 1.0, "delta": 0.01}, "bound": bound, "profile": curve, "exact": [[0.0, 0.3], [2.0, 0.0]]}
    drawn = {line.get_label(): np.asarray(line.get_xydata()).tolist() for line in plots.profile(result).get_lines()}
    assert drawn["\u03b5 is at least 1.25"] == [[0.0, 0.01], [1.25, 0.01]]
    assert drawn["claimed (1, 0.01)"] == [[1.0, 0.01]]
    assert drawn["estimate and 95 % band, all \u03b5 at once"] == [[0.0, 0.2], [2.0, 0.0]]
    exact = drawn[next(label for label in drawn if label.startswith("exact"))]
    assert exact[0] == [0.0, 0.3]
    curve["upper"] = [0.4, 0.2]
    (band,) = plots.profile({**result, "profile": curve}).patches
    assert band.get_xy().tolist()[:3] == [[0.0, 0.4], [2.0, 0.4], [2.0, 0.2]]  # above, the value at the left
    assert band.get_xy()[3:6, 0].tolist() == [2.0, 0.0, 0.0]  # below, the one at the right
    assert band.get_xy()[3:6, 1] == pytest.approx([0.0, 0.0, 0.1])


def test_plots_without_points_or_spread_are_drawn() -> None:
    axes: dict[str, Any] = {"x": {"label": "x", "log": True}, "y": {"label": "y", "log": True}}
    one = {"name": "a", "marks": "points", "points": [[1.0, 1.0, None, None]]}
    for series in ([], [one], [{**one, "points": [[1.0, 0.0, None, None], [1.0, 2.0, 0.0, 3.0]]}]):
        plots.experiment_svg({"kind": "xy", "title": "t", **axes, "series": series})
    for estimates in ([], [{"name": "a", "value": 0.0, "low": None, "high": None, "reference": None}]):
        plots.experiment_svg(
            {"kind": "intervals", "title": "t", "x": {"label": "x", "log": False}, "reference": "", "estimates": estimates}
        )


# --- the command --------------------------------------------------------------------------------------


def test_the_command_renders_anew(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, target = tmp_path / "r.json", tmp_path / "page.html"
    document.write(_document(), source)
    assert main([str(source), "-o", str(target)]) == 0
    assert main([str(source)]) == 0
    assert target.read_text() == source.with_suffix(".html").read_text() == page.render(_document())
    for wrong, words in (({"version": 2}, "version must be 1, got 2"), ({"format": "x"}, "format must be")):
        document.write(copy.deepcopy(_document()) | wrong, source)
        with pytest.raises(SystemExit, match="2"):
            main([str(source), "-o", str(target)])
        assert words in capsys.readouterr().err
    with pytest.raises(SystemExit, match="2"):
        main([str(tmp_path / "missing.json")])


_HEAD = '{"format": "dp-pca-reference audit", "version": 1'
BAD = {
    "no JSON": "x",
    "NaN": _HEAD + ', "x": NaN}',
    "a number beyond float64": _HEAD + ', "x": 1e999}',
    "deep": "[" * 100_000,
    "no audits": _HEAD + "}",
    "an audit that is none": _HEAD + ', "audits": [null], "tests": [], "utility": []}',
    "a run that is none": _HEAD + ', "audits": [], "tests": [], "utility": [], "run": 5}',
    "a list": "[]",
    "a field twice": json.dumps(_document()).replace('"version": 1', '"version": 1, "version": 1', 1),
}


@pytest.mark.parametrize("text", BAD.values(), ids=BAD)
def test_a_bad_document_is_one_line_and_leaves_the_page_alone(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, target = tmp_path / "r.json", tmp_path / "page.html"
    source.write_text(text)
    before = page.render(_document())
    target.write_text(before)
    with pytest.raises(SystemExit, match="2"):
        main([str(source), "-o", str(target)])
    assert capsys.readouterr().err.count("\n") == 1
    assert target.read_text() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["page.html", "r.json"]


def test_a_document_is_read_up_to_its_largest_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "r.json"
    path.write_text(text := json.dumps(_document()))
    monkeypatch.setattr(document, "MOST", len(text))
    assert document.read(path) == _document()
    monkeypatch.setattr(document, "MOST", len(text) - 1)
    with pytest.raises(ValueError, match=f"^r.json must have at most {len(text) - 1:,} characters"):
        document.read(path)


def test_a_document_with_a_part_left_out_or_replaced_has_a_page_or_is_refused(tmp_path: Path) -> None:
    """Each part in turn, by a few other values: read where jsonschema says that it is as the schema, otherwise refused."""

    def parts(value: Any, way: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        items = value.items() if isinstance(value, dict) else enumerate(value[:1]) if isinstance(value, list) else ()
        return [way, *(each for key, of in items for each in parts(of, (*way, key)))]

    path = tmp_path / "r.json"
    pages = refused = 0
    for way in parts(_document())[1:]:
        for other in (None, "x", "", [], {}, -1, 0.5, 2, True, "REFUTED", "left out"):
            document_ = copy.deepcopy(_document())
            holder: Any = document_
            for key in way[:-1]:
                holder = holder[key]
            if other == "left out":
                del holder[way[-1]]
            else:
                holder[way[-1]] = other
            path.write_text(json.dumps(document_))
            if VALIDATOR.is_valid(document_):
                assert page.render(document.read(path)).startswith("<!DOCTYPE html>")
                pages += 1
            else:
                with pytest.raises(ValueError, match="must"):
                    document.read(path)
                refused += 1
    assert min(pages, refused) > 100


def test_the_page_never_takes_the_documents_place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "r.html"
    document.write(_document(), source)
    before = source.read_text()
    with pytest.raises(SystemExit, match="2"):
        main([str(source)])
    assert "--output must be a new file or an earlier page" in capsys.readouterr().err
    assert source.read_text() == before


def test_what_print_states_is_dotted() -> None:
    stated = Series("stated", [(1.0, 0.5, None, None), (2.0, 0.25, None, None)], "dots")
    experiment = Experiment("Error", (), [], plots=[Plot("Error", Axis("n"), Axis("error"), [stated])])
    dashes = re.findall(r"stroke-dasharray: ([^;]+);", plots.experiment_svg(experiment.as_dict()["plots"][0]))
    assert dashes.count("1.5,2.48") == 2  # matplotlib's dots: the curve and its key
    VALIDATOR.validate(_document() | {"utility": [document.plain({"test": "a", **experiment.as_dict()})]})


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (".", "cannot be written: .* is in the way"),
        ("page.html", "must not end in .html, the name of the page beside it"),
        ("file/r.json", "cannot be written: '.*file' is in the way"),
        ("folder.json", "cannot be written: '.*folder.json' is in the way"),
        ("r.json", "cannot be written: '.*r.html' is in the way"),
    ],
)
def test_a_place_that_cannot_be_written_is_known_before_the_run(name: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "folder.json").mkdir()
    (tmp_path / "r.html").mkdir()
    with pytest.raises(ValueError, match=message):
        check_report(tmp_path / name)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "folder.json", "r.html"]


def test_a_place_that_can_be_written_is_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "old.json").write_text('{"format": "dp-pca-reference audit", "version": 1}')
    for name in ("old.json", "new.json", "new/folder/r.json"):
        check_report(tmp_path / name)
    assert [path.name for path in tmp_path.iterdir()] == ["old.json"]


@pytest.mark.slow
def test_the_verdicts_are_printed_whatever_happens_to_the_files(tmp_path: Path) -> None:
    """The directory is taken away while the run is under way; an audit told to write there does not begin."""
    folder = tmp_path / "folder"
    script = f"""
import pathlib, sys, pytest
class Meanwhile:
    def pytest_runtest_teardown(self):
        pathlib.Path({str(folder)!r}).write_text("in the way")
sys.exit(pytest.main(sys.argv[1:], plugins=[Meanwhile()]))
"""
    chosen = ["-q", "-p", "no:cacheprovider", "audit/suite/test_privacy.py", "-k", "local_gaussian_mechanism-CORRECTED-exact"]
    for expected in ("NOT WRITTEN: ", f"--report: '{folder}/r.json' cannot be written: '{folder}' is in the way"):
        done = python("-c", script, *chosen, "--report", folder / "r.json")
        assert expected in done.stdout + done.stderr
        assert ("privacy audit" in done.stdout) == (expected == "NOT WRITTEN: ")
        assert "Traceback" not in done.stdout + done.stderr
