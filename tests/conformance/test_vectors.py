"""The known-answer vectors: bytes, schema, reasons, planted bugs."""

from __future__ import annotations

import inspect
import itertools
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from dppca.reference.catalog import ALGORITHMS
from dppca.reference.conformance import DIRECTORY, SCHEMA, by_id, files, load
from dppca.reference.conformance import cases_of as stored
from dppca.reference.conformance.bugs import BUGS, NO_REFUSAL, OTHER_READING
from dppca.reference.conformance.cases import Case
from dppca.reference.conformance.compare import differences
from dppca.reference.conformance.generate import ask, changed, declared, make, write
from dppca.reference.conformance.implementation import Reference
from dppca.reference.conformance.tracer import symbols, tagged_statements
from dppca.reference.declaration import UnitRows

SCHEMA_OF_FILES = json.loads(SCHEMA.read_text())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA_OF_FILES)
CASES = by_id()


# --- files ------------------------------------------------------------------------------------------


def test_regenerating_changes_no_byte() -> None:
    assert changed(DIRECTORY) == []


def test_a_changed_a_missing_and_an_unknown_file_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "dppca.reference.conformance.generate.texts", lambda keys: iter([("p/a.json", "1\n"), ("p/b.json", "2\n")])
    )
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "b.json").write_text("2")
    (tmp_path / "p" / "c.json").write_text("3\n")
    assert changed(tmp_path) == ["p/a.json", "p/b.json", "p/c.json"]
    write(tmp_path)
    assert changed(tmp_path) == []


@pytest.mark.parametrize("path", files(), ids=lambda path: path.stem)
def test_files_follow_the_schema(path: Path) -> None:
    VALIDATOR.validate(json.loads(path.read_text()))


def test_schema_is_valid_and_closed() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA_OF_FILES)
    content = json.loads((DIRECTORY / "liu2022" / "oja.json").read_text())
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
    module = inspect.getmodule(ALGORITHMS[algorithm].function)
    assert module is not None
    listing = module.__doc__ or ""
    seen = {(at["line"], at["name"]) for case in stored(algorithm) for at in case["expected"].get("intermediates", ())}
    own = set(symbols(module).values())
    for line, name in seen:
        source_text = re.search(r"\breturn\b|\w\[|\w\.[A-Za-z_]", name)
        listed = name in own or not name.isidentifier() or re.search(rf"(?<!\w){re.escape(name)}(?!\w)", listing)
        says = f"{name} needs the paper's symbol at its tag: `# line {line}: symbol`"
        assert listed, says
        assert not source_text, says


def test_a_tag_with_too_few_symbols_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^the tag of line 2 must have 2 symbols, got 'alpha'$"):
        tagged_statements("def f():\n    a, b = 1, 2  # line 2: alpha\n")
    ((_, _, produced),) = tagged_statements("a, b = 1, 2  # line 2: alpha; beta\n")
    assert produced == (("2", "a", "alpha"), ("2", "b", "beta"))


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
    for case in stored(algorithm):
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


def test_what_a_record_can_do_is_limited_in_some_case_of_each_algorithm() -> None:
    """Rows that are divided by the longest one, and gradients of any length: each leaves a guarantee that nobody notices."""
    caught = {bug: {algorithm for algorithm, case in CASES.values() if bug in case["catches"]} for bug in BUGS}
    of_rows = {key for key, entry in ALGORITHMS.items() if isinstance(entry.data, UnitRows)}
    assert caught["rows-rescaled"] == of_rows - {"baselines.output_perturbation"}  # whose subspace has no length
    of_gradients = {key for key, entry in ALGORITHMS.items() if entry.paper == "liu2022" and entry.private}
    assert caught["no-clipping"] == of_gradients - {"liu2022.private_top_eigenvalue"}  # which clips nothing


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
                continue  # wang2020's Algorithm 2 as published returns a subspace of nothing
            told_apart = any(differences(case, answer(algorithm, {**case, "choice": other})) for case in mine)
            assert told_apart == (readings[one] != readings[other]), (algorithm, one, other)
