"""The score of the tests on mutants: which tests are run, what is kept, what the pages say."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.meta import ledger_changes, ledger_mutants, ledger_mutants_text, mutation_score
from tests.meta.callers import TESTS, collected
from tests.meta.callers import Test as Caller
from tests.meta.children import in_child
from tests.meta.mutants import Mutant, mutants

GAUSSIAN = "dppca.reference.primitives.gaussian"
RANGE = "tests/test_gaussian.py::test_classical_std_is_not_enough_for_every_epsilon"
SQUARES = "tests/test_gaussian.py::test_composition_is_a_root_of_squares"


def composed() -> Mutant:
    (mutant,) = (m for m in mutants(GAUSSIAN) if m.change == "`mu * mu` became `mu / mu`")
    return mutant


def test_the_tests_that_are_run_are_the_most_specific_ones_within_the_time() -> None:
    tests = [Caller("slow", 6.0, 2), Caller("broad", 1.0, 90), Caller("narrow", 0.1, 3), Caller("late", 9.0, 99)]
    assert [test.id for test in mutation_score.chosen(tests)] == ["narrow", "slow", "broad"]
    assert [test.id for test in mutation_score.chosen([Caller("only", 99.0, 1)])] == ["only"]
    assert len(mutation_score.chosen([Caller(str(i), 0.0, 1) for i in range(500)])) == mutation_score.TESTS_RUN


def test_a_mutant_is_killed_by_the_test_that_fails_and_survives_others() -> None:
    squares, other = Caller(SQUARES, 0.1, 5), Caller(RANGE, 0.1, 5)
    (endless,) = (m for m in mutants(GAUSSIAN) if m.change == "`low -= 1.0` left out")
    analytic = Caller("tests/test_gaussian.py::test_analytic_std_is_proved_enough_and_nearly_necessary", -0.3, 5)
    asked = [(composed(), [other, squares]), (composed(), [other]), (composed(), []), (endless, [analytic])]

    def work(send: Callable[[Any], None]) -> None:
        file = TESTS / "test_gaussian.py"
        collected([file], lambda items: send([mutation_score.tried(mutant, tests, items) for mutant, tests in asked]))

    found, end = in_child(work, 60.0)
    assert end == "done"
    assert found == [[("killed", SQUARES), ("survived", ""), ("not called", ""), ("killed", analytic.id)]]


def test_a_result_is_kept_as_long_as_the_module_and_the_tests_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    mutant = composed()
    monkeypatch.setattr(mutation_score, "tried", lambda mutant, tests, items: ("killed", SQUARES))
    killed, new = mutation_score.row(mutant, [Caller(SQUARES, 0.1, 5)], None, {})
    assert new
    assert (killed["outcome"], killed["by"], killed["run"]) == ("killed", SQUARES, 1)
    more = [Caller(SQUARES, 0.1, 5), Caller("tests/test_noise.py::test_any", 0.1, 5)]
    assert mutation_score.row(mutant, more, killed, {}) == (killed, False)  # the test that fails goes on to fail
    survived = {**killed, "outcome": "survived", "by": ""}
    assert mutation_score.row(mutant, [Caller(SQUARES, 0.1, 5)], survived, {}) == (survived, False)
    assert mutation_score.row(mutant, more, survived, {})[1]
    assert mutation_score.row(mutant, [Caller(SQUARES, 0.1, 5), Caller(RANGE, 0.1, 5)], survived, {})[1]  # of the same file
    assert mutation_score.row(mutant, more, {**killed, "source": "other"}, {})[1]
    assert mutation_score.row(mutant, more, {**killed, "by_source": "other"}, {})[1]


def test_the_sample_is_fixed_and_of_both_packages() -> None:
    of = mutation_score.sample(400)
    assert of[:40] == mutation_score.sample(40)
    assert {mutant.module.split(".")[1] for mutant in of} == {"reference", "audit"}
    assert len({mutant.id for mutant in of}) == 400


def test_every_reason_is_about_a_mutant_or_bug_that_there_is() -> None:
    names = {mutant.id for module in mutation_score.modules() for mutant in mutants(module)}
    assert set(ledger_mutants.REASONS["equivalent"]) <= names
    assert set(ledger_mutants.REASONS["no_claim"]) <= {bug.id for bug in ledger_changes.planted_bugs()}


def test_the_pages_say_what_is_kept() -> None:
    ledger = json.loads(ledger_mutants.KEPT.read_text())
    assert ledger_mutants.TEXT.read_text() == ledger_mutants_text.text(ledger, ledger_mutants.REASONS)
    assert ledger_mutants.KEPT.read_text() == ledger_mutants.lines(ledger)
    score = json.loads(mutation_score.KEPT.read_text())
    assert mutation_score.TEXT.read_text() == mutation_score.text(score)
