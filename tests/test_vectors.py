"""The known-answer vectors: bytes, schema, reasons, planted bugs; the tracer; the rules of comparison."""

from __future__ import annotations

import dataclasses
import inspect
import itertools
import json
import re
import sys
import types
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest

from dppca.reference.catalog import ALGORITHMS
from dppca.reference.declaration import Choice
from dppca.reference.singhal2021.exact_linear_algebra import RationalSubspace
from dppca.reference.vectors import DIRECTORY, SCHEMA, by_id, load
from dppca.reference.vectors.bugs import BUGS, NO_REFUSAL, OTHER_READING
from dppca.reference.vectors.cases import Case
from dppca.reference.vectors.compare import differences
from dppca.reference.vectors.draws import Stream
from dppca.reference.vectors.generate import ask, changed, declared, make, write
from dppca.reference.vectors.implementation import Reference
from dppca.reference.vectors.tracer import Trace, tagged_statements
from dppca.reference.vectors.values import encode

SCHEMA_OF_FILES = json.loads(SCHEMA.read_text())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA_OF_FILES)
CASES = by_id()


# --- files ------------------------------------------------------------------------------------------


def test_regenerating_changes_no_byte() -> None:
    assert changed(DIRECTORY) == []


def test_a_changed_a_missing_and_an_unknown_file_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dppca.reference.vectors.generate.files", lambda keys: iter([("a.json", "1\n"), ("b.json", "2\n")]))
    (tmp_path / "b.json").write_text("2")
    (tmp_path / "c.json").write_text("3\n")
    assert changed(tmp_path) == ["a.json", "b.json", "c.json"]
    write(tmp_path)
    assert changed(tmp_path) == []


@pytest.mark.parametrize("path", sorted(DIRECTORY.glob("*.json")), ids=lambda path: path.stem)
def test_files_follow_the_schema(path: Path) -> None:
    VALIDATOR.validate(json.loads(path.read_text()))


def test_schema_is_valid_and_closed() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA_OF_FILES)
    content = json.loads((DIRECTORY / "liu2022.oja.json").read_text())
    case = content["cases"][0]
    places = [content, case, case["draws"][0], case["expected"], case["expected"]["output"]["compare"]]
    for place in places:
        place["extra"] = 1
        assert not VALIDATOR.is_valid(content)
        del place["extra"]
    assert VALIDATOR.is_valid(content)


def test_schema_names_every_bug() -> None:
    assert SCHEMA_OF_FILES["$defs"]["bug"]["enum"] == [*BUGS, OTHER_READING, NO_REFUSAL]


def test_every_algorithm_has_cases_and_refusals_for_every_reading() -> None:
    vectors = load()
    assert vectors.keys() == ALGORITHMS.keys()
    for algorithm, cases in vectors.items():
        assert len({case["id"] for case in cases}) == len(cases)
        for choice in ALGORITHMS[algorithm].choices:
            kinds = ["refuses" in case["expected"] for case in cases if case["choice"] == choice]
            assert any(kinds), (algorithm, choice)
            assert kinds.count(False) >= 2, (algorithm, choice)


def test_every_tagged_algorithm_has_intermediates() -> None:
    for algorithm, cases in load().items():
        traced = {seen["line"] for case in cases for seen in case["expected"].get("intermediates", ())}
        assert bool(traced) == bool(ALGORITHMS[algorithm].lines)


@pytest.mark.parametrize("algorithm", [key for key, entry in ALGORITHMS.items() if entry.lines])
def test_intermediates_are_named_with_symbols_and_words(algorithm: str) -> None:
    """No name is source text: a subscript, an attribute, "return". A bare identifier is one of the algorithm's listing."""
    entry = ALGORITHMS[algorithm]
    listing = inspect.getmodule(entry.function).__doc__ or ""
    names = {seen["name"] for case in load()[algorithm] for seen in case["expected"].get("intermediates", ())}
    assert not [name for name in names if re.search(r"\breturn\b|\w\[|\w\.[A-Za-z_]", name)]
    bare = {name for name in names if name.isidentifier()} - set(entry.symbols.values())
    assert not [name for name in bare if not re.search(rf"(?<!\w){re.escape(name)}(?!\w)", listing)]


@pytest.mark.parametrize("algorithm", [key for key, entry in ALGORITHMS.items() if entry.symbols])
def test_symbols_are_of_names_in_the_transcription(algorithm: str) -> None:
    entry = ALGORITHMS[algorithm]
    module = inspect.getmodule(entry.function)
    assert module is not None
    produced = [pair for _, _, made in tagged_statements(inspect.getsource(module)) for pair in made]
    assert entry.symbols.keys() <= {name for _, name in produced} | {f"{line} {name}" for line, name in produced}


# --- why a case exists ------------------------------------------------------------------------------

OJA = declared()["liu2022.oja"][0]


def test_a_case_that_misses_its_branch_is_refused() -> None:
    case = Case("name", "why", OJA.parameters, OJA.data, lambda seen: len(seen.line("2", "w")) == 4)
    with pytest.raises(ValueError, match="does not exercise"):
        make("liu2022.oja", "AS_PRINTED", case)


def test_a_refusal_that_does_not_come_is_refused() -> None:
    with pytest.raises(ValueError, match="must be refused"):
        make("liu2022.oja", "AS_PRINTED", Case("name", "why", OJA.parameters, OJA.data, refuses="A"))


def test_a_scripted_draw_that_is_not_asked_for_is_refused() -> None:
    case = Case("name", "why", OJA.parameters, OJA.data, lambda seen: True, draws={"w[1]": [1.0, 0.0]})
    with pytest.raises(ValueError, match=r"w\[1\]"):
        make("liu2022.oja", "AS_PRINTED", case)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_main_case_draws_distinct_indices(algorithm: str) -> None:
    """The first case of an algorithm, which all else is read beside: a row that is drawn twice would hide a mixed-up index."""
    main = declared()[algorithm][0].name
    for case in load()[algorithm]:
        drawn = [(draw["law"], draw["draw"]) for draw in case["draws"] if draw["law"].startswith("integers")]
        single = [pair for pair in drawn if isinstance(pair[1], int)]
        assert not case["id"].startswith(f"{main}/") or len(set(single)) == len(single), case["id"]


def test_a_case_needs_one_of_exercises_and_refuses() -> None:
    with pytest.raises(ValueError, match="either"):
        Case("name", "why", {}, [])


# --- planted bugs -----------------------------------------------------------------------------------


class NoRefusal:
    """An implementation that answers everything."""

    def run(self, **case: Any) -> Mapping[str, Any]:
        return {"output": None}


@pytest.mark.parametrize("bug", BUGS)
def test_planted_bug_fails_exactly_the_cases_that_name_it(bug: str) -> None:
    with BUGS[bug]():
        failing = {name for name, (algorithm, case) in CASES.items() if differences(case, answer(algorithm, case))}
    flagged = {name for name, (_, case) in CASES.items() if bug in case["catches"]}
    answered = {name for name, (_, case) in CASES.items() if "refuses" not in case["expected"]}
    assert failing & answered == flagged
    assert flagged


def answer(algorithm: str, case: Mapping[str, Any]) -> Mapping[str, Any]:
    return ask(Reference(trace=False), algorithm, case)


def test_another_reading_and_a_missing_refusal_are_caught() -> None:
    for name, (algorithm, case) in CASES.items():
        if "refuses" not in case["expected"]:
            others = [{**case, "choice": other} for other in ALGORITHMS[algorithm].choices if other != case["choice"]]
            caught = any(differences(case, answer(algorithm, other)) for other in others)
            assert caught == (OTHER_READING in case["catches"]), name
        if "refuses" in case["expected"]:
            assert case["catches"] == [NO_REFUSAL]
            assert differences(case, ask(NoRefusal(), algorithm, case)), name


def test_every_two_readings_are_told_apart_by_some_case() -> None:
    for algorithm, cases in load().items():
        readings = ALGORITHMS[algorithm].choices
        for one, other in itertools.permutations(readings, 2):
            mine = [case for case in cases if case["choice"] == one and "refuses" not in case["expected"]]
            if all(case["expected"]["output"]["compare"]["rule"] == "any-basis" for case in mine):
                continue  # wang2020's Algorithm 2 as printed returns a subspace of nothing
            told_apart = any(differences(case, answer(algorithm, {**case, "choice": other})) for case in mine)
            assert told_apart == (chosen(readings[one]) != chosen(readings[other])), (algorithm, one, other)


def chosen(reading: Any) -> Any:
    """Return what a reading chooses, without reasons: PPCA chooses as CORRECTED does."""
    if isinstance(reading, Choice):
        return reading.value
    return [chosen(getattr(reading, field.name)) for field in dataclasses.fields(reading)]


# --- draws ------------------------------------------------------------------------------------------


def test_stream_has_the_laws_of_its_names() -> None:
    stream, n = Stream("seed"), 4000
    assert np.array_equal(Stream("a").laplace(5), Stream("a").laplace(5))
    assert not np.array_equal(Stream("a").laplace(5), Stream("b").laplace(5))
    uniform, normal, laplace, gumbel = stream.random(n), stream.standard_normal(n), stream.laplace(n), stream.gumbel(n)
    assert uniform.min() >= 0.0
    assert uniform.max() < 1.0
    # five standard deviations of the mean each
    for sample, mean, variance in (
        (uniform, 0.5, 1 / 12),
        (normal, 0.0, 1.0),
        (laplace, 0.0, 2.0),
        (gumbel, np.euler_gamma, np.pi**2 / 6),
        (stream.integers(4, n), 1.5, 1.25),
    ):
        assert abs(np.mean(sample) - mean) < 5.0 * np.sqrt(variance / n)
        assert 0.8 * variance < np.var(sample) < 1.2 * variance
    assert sorted(stream.permutation(6)) == [0, 1, 2, 3, 4, 5]


# --- tracer -----------------------------------------------------------------------------------------

TRACED = """
from dataclasses import dataclass

@dataclass
class Result:
    first: int
    second: int

def calibrate(x):
    return Result(
        first=x,  # line 1
        second=helper(x),  # line 2 (D1)
    )

def helper(x):
    return x + 1

def run(n, fail=False):
    total = [0]  # line 3
    seen = []
    for i in range(n):  # line 4
        total[0] = (  # line 5: why
            total[0] + i
        )
        a, b = i, [j for j in range(i)]  # lines 6-7
        seen.append(helper(i))  # line 8, line 9
    try:
        c = 1 // (0 if fail else 1)  # line 10
    except ZeroDivisionError:
        c = None
    if n:  # line 11
        return None  # line 12
    return c
"""


@pytest.fixture
def traced(tmp_path: Path) -> types.ModuleType:
    path = tmp_path / "traced.py"
    path.write_text(TRACED)
    module = types.ModuleType("traced")
    module.__file__ = str(path)
    sys.modules["traced"] = module  # dataclass looks it up
    exec(compile(TRACED, str(path), "exec"), vars(module))  # noqa: S102
    return module


def test_trace_records_values_after_their_statement_in_order(traced: types.ModuleType) -> None:
    previous = sys.gettrace()
    with Trace(traced, traced.calibrate) as trace:
        calibration = traced.calibrate(7)
        traced.run(2)
    assert sys.gettrace() is previous
    assert trace.calibration == calibration
    assert [(seen.line, seen.name, seen.value) for seen in trace.intermediates] == [
        ("1", "return.first", 7),
        ("2", "return.second", 8),
        ("3", "total", [0]),
        ("5", "total[0]", 0),
        ("6-7", "a", 0),
        ("6-7", "b", []),
        ("8, 9", "seen[-1]", 1),
        ("5", "total[0]", 1),
        ("6-7", "a", 1),
        ("6-7", "b", [0]),
        ("8, 9", "seen[-1]", 2),
        ("10", "c", 1),
        ("12", "return", None),
    ]


def test_trace_records_nothing_of_a_statement_that_failed(traced: types.ModuleType) -> None:
    with Trace(traced) as trace:
        traced.run(0, fail=True)
    assert [(seen.line, seen.name) for seen in trace.intermediates] == [("3", "total")]
    assert trace.calibration is None


# --- values and rules -------------------------------------------------------------------------------


def test_encode_rounds_floats_alone() -> None:
    assert encode(np.array([1.0 / 3.0, 1e-11, -0.0])) == [0.3333333333, 0.0, 0.0]
    assert encode(2.0**60) == pytest.approx(2.0**60, rel=1e-9)
    assert encode((True, None, 3, "x", RationalSubspace(2, ((1, 2),)))) == [
        True,
        None,
        3,
        "x",
        {"ambient": 2, "rows": [[1, 2]]},
    ]
    assert encode({RationalSubspace(1, ()): 1}) == [[{"ambient": 1, "rows": []}, 1]]
    for refused in (float("nan"), np.array([np.inf]), object()):
        with pytest.raises(TypeError):
            encode(refused)


def expect(value: Any, rule: Mapping[str, Any]) -> dict[str, Any]:
    return {"expected": {"output": {"value": value, "compare": rule}, "releases": [], "intermediates": []}}


ALLCLOSE = {"rule": "allclose", "rtol": 1e-8, "atol": 1e-10}
PROJECTOR = {"rule": "projector", "atol": 1e-8}
ANY = {"rule": "any-basis", "shape": [2, 1], "atol": 1e-8}


@pytest.mark.parametrize(
    ("value", "rule", "output", "conforms"),
    [
        ([1.0, 100.0], ALLCLOSE, [1.0 + 9e-7, 100.0], True),
        ([1.0, 100.0], ALLCLOSE, [1.0 + 2e-6, 100.0], False),
        ([1.0, 100.0], ALLCLOSE, [1.0], False),
        ([1.0, 100.0], ALLCLOSE, np.array([[1.0, 100.0]]), False),
        ([1.0, 100.0], ALLCLOSE, [float("nan"), 100.0], False),
        ([1.0, 100.0], ALLCLOSE, None, False),
        ({"c": 1.0, "w": [0.5]}, ALLCLOSE, {"c": 1.0, "w": [0.5]}, True),
        ({"c": 1.0, "w": [0.5]}, ALLCLOSE, {"c": 1.0}, False),
        ({"c": 1.0, "n": 3}, ALLCLOSE, {"c": 1.0, "n": 4}, False),
        (None, {"rule": "exact"}, None, True),
        (None, {"rule": "exact"}, 0.0, False),
        (1, {"rule": "exact"}, True, False),
        ({"ambient": 2, "rows": [[1, 2]]}, {"rule": "exact"}, RationalSubspace(2, ((1, 2),)), True),
        ({"ambient": 2, "rows": [[1, 2]]}, {"rule": "exact"}, RationalSubspace(2, ((1, 3),)), False),
        ([[1.0, 0.0], [0.0, 0.0]], PROJECTOR, [[-1.0], [0.0]], True),
        ([[1.0, 0.0], [0.0, 0.0]], PROJECTOR, [[2.0], [0.0]], False),
        ([[1.0, 0.0], [0.0, 0.0]], PROJECTOR, [[0.0], [1.0]], False),
        ([[1.0, 0.0], [0.0, 1.0]], PROJECTOR, [[0.6, -0.8], [0.8, 0.6]], True),
        ([[1.0, 0.0], [0.0, 0.0]], PROJECTOR, "e_1", False),
        (None, ANY, [[0.6], [0.8]], True),
        (None, ANY, [[0.6], [0.9]], False),
        (None, ANY, [[1.0, 0.0], [0.0, 1.0]], False),
    ],
)
def test_rules(value: Any, rule: Mapping[str, Any], output: Any, conforms: bool) -> None:
    assert (differences(expect(value, rule), {"output": output}) == []) == conforms


def test_everything_that_an_answer_holds_is_compared() -> None:
    algorithm, case = CASES["liu2022.private_oja/clipped/CORRECTED"]
    right = ask(Reference(), algorithm, case)
    assert differences(case, right) == []
    seen = right["intermediates"]
    release = right["releases"]["g[1]"]
    for wrong in (
        {},
        {"error": "w"},
        {"calibration": {**encode(right["calibration"]), "beta": 1.0}},
        {"releases": {"g[9]": release}},
        {"releases": {"g[1]": {"value": 2.0 * release["value"]}}},
        {"intermediates": [{**seen[0], "value": 1.0}]},
        {"intermediates": [seen[0], seen[0]]},
        {"intermediates": [{"line": "99", "name": "x", "value": 1.0}]},
    ):
        output = {} if not wrong else {"output": right["output"]}
        assert differences(case, {**output, **wrong}), wrong
    part = {"output": right["output"], "releases": {"g[1]": {"released": release["released"]}}, "intermediates": seen[:2]}
    assert differences(case, part) == []
