"""The known-answer vectors: their draws, the tracer, and the rules of comparison."""

from __future__ import annotations

import sys
import types
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from dppca.reference.conformance import by_id
from dppca.reference.conformance.cases import Seen
from dppca.reference.conformance.compare import differences
from dppca.reference.conformance.draws import HashStream, Observed, Scripted, pack, unpack
from dppca.reference.conformance.generate import ask
from dppca.reference.conformance.implementation import Reference
from dppca.reference.conformance.tracer import Trace
from dppca.reference.conformance.values import encode
from dppca.reference.singhal2021 import cases as singhal2021
from dppca.reference.singhal2021.exact_linear_algebra import RationalSubspace
from dppca.reference.wang2020 import cases as wang2020

CASES = by_id()

# --- draws ------------------------------------------------------------------------------------------


def test_stream_has_the_laws_of_its_names() -> None:
    stream, n = HashStream("seed"), 4000
    assert np.array_equal(HashStream("a").laplace(5), HashStream("a").laplace(5))
    assert not np.array_equal(HashStream("a").laplace(5), HashStream("b").laplace(5))
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


def test_what_a_replay_releases_is_observed() -> None:
    """2 + 0.5 * 3 is 3.5."""
    record = Scripted("seed", {"x": [3.0]})
    record.gaussian("x", [2.0], std=0.5, sensitivity=4.0)
    noise = Observed(unpack(pack(record.tape)))
    assert noise.gaussian("x", [2.0], std=0.5, sensitivity=4.0).tolist() == [3.5]
    seen = {"law": "gaussian", "parameters": {"std": 0.5}, "sensitivity": 4.0, "value": [2.0], "released": [3.5]}
    assert noise.releases == {"x": seen}


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
        ("5", "why", 0),
        ("6-7", "a", 0),
        ("6-7", "b", []),
        ("8, 9", "seen[-1]", 1),
        ("5", "why", 1),
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


def test_a_value_is_recorded_when_its_statement_is_left_and_not_when_it_raises(traced: types.ModuleType) -> None:
    rows = {line: 1 + next(i for i, text in enumerate(TRACED.splitlines()) if f"# line {line}" in text) for line in (3, 10, 11)}
    trace = Trace(traced)
    frame: Any = types.SimpleNamespace(f_code=traced.run.__code__, f_globals={}, f_locals={"total": [0], "c": 1}, f_lineno=0)
    follow = trace.called(frame)
    assert follow is not None

    def recorded(event: str, line: int) -> list[tuple[str, Any]]:
        frame.f_lineno = rows[line]
        follow(frame, event, None)
        return [(seen.line, seen.value) for seen in trace.intermediates]

    assert recorded("line", 3) == []
    assert recorded("line", 10) == [("3", [0])]
    assert recorded("exception", 10) == [("3", [0])]
    assert recorded("line", 11) == [("3", [0])]
    recorded("line", 10)
    assert recorded("line", 11) == [("3", [0]), ("10", 1)]


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
        ([0.0, 2.0], {"rule": "allclose", "rtol": 0.25, "atol": 0.5}, [1.0, 2.0], True),  # a limit is still within
        ([0.0], {"rule": "allclose", "rtol": 1e-8, "atol": 0.0}, [0.0], True),
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


def test_an_intermediate_value_is_compared_with_the_one_of_its_time() -> None:
    case = expect(1.0, ALLCLOSE)
    case["expected"]["intermediates"] = [
        {"line": "3", "name": "w", "time": time, "value": [float(time)], "compare": ALLCLOSE} for time in (1, 2)
    ]

    def found(*values: float, line: str = "3") -> list[str]:
        seen = [{"line": line, "name": "w", "value": [value]} for value in values]
        return [difference.partition(": ")[0] for difference in differences(case, {"output": 1.0, "intermediates": seen})]

    assert found(1.0) == found(1.0, 2.0) == []
    assert found(1.0, 1.0) == ["line 3, w, time 2"]
    assert found(1.0, 2.0, 3.0) == ["line 3, w, time 3"]
    assert found(1.0, line="4") == ["line 4, w, time 1"]


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


# --- cases ------------------------------------------------------------------------------------------


def test_blocks_of_three_rows_along_the_axes_and_the_diagonal() -> None:
    along, diagonal = [[3.0, 0.0], [1.0, 0.0], [1.0, 0.0]], [[3.0, 3.0], [1.0, 1.0], [1.0, 1.0]]
    assert singhal2021.axes(2, 0, 1) == along + along + diagonal
    assert singhal2021.axes(0, 1, 0) == [[0.0, 3.0], [0.0, 1.0], [0.0, 1.0]]


def test_the_two_matrices_of_a_penalty_of_zero_are_those_of_the_reading() -> None:
    values: dict[tuple[str, str], list[Any]] = {("5", "X^"): [np.array([[0.0, 2.0], [0.0, 0.0]])]}
    values |= {("8", "X"): [np.eye(2), np.zeros((2, 2))], ("9", "Y"): [3.0 * np.eye(2), np.zeros((2, 2))]}

    def two(choice: str) -> list[Any]:
        seen = types.SimpleNamespace(choice=choice, line=lambda number, name: values[number, name])
        return [matrix.tolist() for matrix in wang2020.equal_without_penalty(cast(Seen, seen))]

    assert two("CORRECTED") == [[[0.0, 2.0], [0.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]]]
    assert two("AS_PRINTED") == [[[1.0, 0.0], [0.0, 1.0]], [[3.0, 0.0], [0.0, 3.0]]]
