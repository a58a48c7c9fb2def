"""What `make mutants` and `make meta` run: which tests are asked, what is stored, what the pages say."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from dppca.audit.suite.planted import bugs
from dppca.reference.primitives.gaussian import composed_mu
from tests.studies.mutation import planted_bugs, score, suite
from tests.studies.mutation.children import in_child
from tests.studies.mutation.mutants import Mutant, mutants, plant
from tests.studies.mutation.suite import AUDITOR, LEDGER, REFERENCE, Items, Side, collected, first_failure, named
from tests.studies.mutation.suite import Test as Asked

GAUSSIAN = "dppca.reference.primitives.gaussian"
EXACT = "wang2020.local_gaussian_mechanism-CORRECTED-exact-e1/e2-(1,1e-05)"
#: One bug a paper, of different kinds, whose audits take about a second.
SAMPLE = (
    "wang2020.local_gaussian_mechanism: sensitivity of a removed row, not of a replaced one",
    "singhal2021.exact_subspace_estimator: NULL at A, not at 2A",
    "shang2021.dp_spca: gradient without its factor 2 in the sensitivity",
    "liu2022.minibatch_private_oja: off by one: a batch ends with the first record of the next",
    "baselines.analyze_gauss: noise of the mean on the sum: divided by n",
    "primitives.gaussian: decimal logarithm",
)


def composed() -> Mutant:
    (mutant,) = (m for m in mutants(GAUSSIAN) if m.change == "`mu * mu` became `mu / mu`")
    return mutant


def through_the_suite(asked: Callable[[Items], Any], *options: str, side: Side = REFERENCE) -> Any:
    """Collect the tests of a side in a process of its own; return what is asked of them there."""
    budget = ("--budget", "quick") if side is REFERENCE else ()
    sent, end = in_child(lambda send: collected(side, lambda items: send(asked(items)), *budget, *options), 300.0)
    assert end == "done"
    return sent[0]


# --- the audits that are asked ------------------------------------------------------------------------


def test_a_bug_makes_the_audit_fail_that_it_names_and_no_bug_makes_it_pass() -> None:
    def asked(items: Items) -> list[tuple[str, str]]:
        (exact,) = named(items, EXACT)
        (bug,) = (bug for bug in bugs() if bug.id == "primitives.gaussian: profile: wrong tail")

        def change() -> object:
            context = bug.planted()
            context.__enter__()
            return context

        return [first_failure(how, [(exact, 60.0)]) for how in (lambda: None, change)]

    sound, planted = through_the_suite(asked, "-k", "local_gaussian_mechanism-")
    assert sound == ("", "")
    assert planted[0].endswith(f"test_verdict[{EXACT}]")
    assert "must be" in planted[1]


@pytest.mark.slow
def test_a_sample_of_the_planted_bugs_is_caught() -> None:
    questions = [question for question in planted_bugs.questions() if question.id in SAMPLE]
    assert len(questions) == len(SAMPLE)

    def asked(items: Items) -> list[str]:
        answers = [planted_bugs.answered(question, items) for question in questions]
        names = [question.caught_by for question in questions]
        return [f"{answer.question.id}: {answer.problem}" for answer in answers if answer.problem] + planted_bugs.sound(
            items, names
        )

    assert through_the_suite(asked) == []


def test_every_planted_bug_names_an_audit_that_is_there() -> None:
    def asked(items: Items) -> list[str]:
        return [
            f"{bug.id}: there is no audit {bug.caught_by!r}"
            for bug in bugs()
            if not bug.missed and not named(items, bug.caught_by)
        ]

    assert through_the_suite(asked) == []


def test_a_change_that_cannot_be_made_is_an_error() -> None:
    def asked(items: Items) -> str:
        with pytest.raises(RuntimeError, match="cannot be made"):
            first_failure(lambda: 1 // 0, [(named(items, EXACT)[0], 60.0)])
        return "refused"

    assert through_the_suite(asked, "-k", "local_gaussian_mechanism-") == "refused"


def test_a_mutant_is_noticed_by_the_audits_that_call_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(suite, "BUILD", tmp_path)
    monkeypatch.setattr(score, "BUILD", tmp_path)
    monkeypatch.setattr(score, "GRACE", 2.0)  # seconds that an endless loop is waited for
    (endless,) = (m for m in mutants(GAUSSIAN) if m.change == "`low -= 1.0` left out")

    def asked(items: Items) -> list[dict[str, Any]]:
        few = {name: item for name, item in items.items() if EXACT in name}
        return score.generate(REFERENCE, [composed(), endless], 60.0, few, ())

    square, loop = through_the_suite(asked, "-k", "local_gaussian_mechanism-")
    assert (square["outcome"], square["run"]) == ("not called", 0)
    assert loop["outcome"] == "noticed"
    assert EXACT in loop["by"]
    assert json.loads((tmp_path / "reference_mutants.json").read_text()).keys() == {square["id"], loop["id"]}


def test_what_is_judged_to_do_no_harm_is_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(score, "BUILD", tmp_path)
    monkeypatch.setattr(score, "callers", lambda side, items: {})
    listed = mutants(GAUSSIAN)[:3]
    monkeypatch.setattr(score, "JUDGED", {"equivalent": {listed[0].id: "why"}, "no_privacy": {listed[1].id: "why"}})

    def outcomes(side: Side) -> list[str]:
        return [made["outcome"] for made in score.generate(side, listed, 60.0, {}, ())]

    assert outcomes(REFERENCE) == ["judged", "judged", "not called"]
    assert outcomes(LEDGER) == ["judged", "not called", "not called"]


def test_claims_fall_of_a_planted_bug_and_of_a_mutant_of_what_their_checks_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The classical formula is what one check computes with; the other one calls an enclosure, not this code."""
    monkeypatch.setattr(suite, "BUILD", tmp_path)
    monkeypatch.setattr(score, "BUILD", tmp_path)
    (bug,) = (q for q in planted_bugs.questions() if q.id == "primitives.gaussian: classical formula without the factor 2")
    (factor,) = (m for m in mutants(GAUSSIAN) if m.function == "classical_std" and m.change == "`2.0` became `1.0`")

    def asked(items: Items) -> tuple[str, list[dict[str, Any]]]:
        of = suite.callers(LEDGER, items)
        return planted_bugs.by_claims(bug, items, of).failed, score.generate(LEDGER, [factor], 60.0, items, ())

    claims = "dwork2014.algorithm-1-relation or primitives.gaussian-profile"
    failed, (row,) = through_the_suite(asked, "-k", f"borne_out and ({claims})", side=LEDGER)
    assert failed.endswith("test_claim_is_borne_out[dwork2014.algorithm-1-relation]")
    assert (row["outcome"], row["by"], row["run"]) == ("noticed", failed, 1)


# --- which ones, and what the page says ---------------------------------------------------------------


def test_the_tests_that_are_run_are_the_most_specific_ones_within_the_time() -> None:
    tests = [Asked("slow", 6.0, 2), Asked("broad", 30.0, 90), Asked("narrow", 0.1, 3), Asked("late", 9.0, 999)]
    assert [test.id for test in score.chosen(tests)] == ["narrow", "slow", "broad"]
    assert [test.id for test in score.chosen([Asked("only", 99.0, 1)])] == ["only"]
    many = [Asked("verdict[1]", 0.1, 1), Asked("verdict[2]", 0.1, 2), Asked("budget[1]", 5.0, 9)]
    assert [test.id for test in score.chosen(many)] == ["verdict[1]", "budget[1]", "verdict[2]"]
    assert len(score.chosen([Asked(str(i), 0.0, 1) for i in range(500)])) == score.TESTS_RUN


def test_the_sample_is_fixed_and_takes_every_module_in_turn() -> None:
    of = score.sample(REFERENCE, 600)
    assert of[:40] == score.sample(REFERENCE, 40)
    assert len({mutant.id for mutant in of}) == 600
    modules = [mutant.module for mutant in of]
    assert len(set(modules[: len(set(modules))])) == len(set(modules)) > 50
    assert {mutant.module.split(".")[1] for mutant in of} == {"reference"}
    assert {mutant.kind for mutant in of} >= {
        "operator",
        "constant",
        "arguments",
        "data",
        "release",
        "norm",
        "draw",
        "statement",
    }
    assert {mutant.module.split(".")[1] for mutant in score.sample(AUDITOR, 50)} == {"audit"}


def _made(name: str, outcome: str) -> dict[str, Any]:
    return {"id": name, "kind": "constant", "outcome": outcome, "by": "", "said": "", "run": 1, "seconds": 1.0, "source": ""}


def test_the_page_names_survivors_with_what_is_said_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        score, "JUDGED", {"equivalent": {"m.f: `1` became `2`": "one is two"}, "missed": {"m.g: x": "nobody looks"}}
    )
    rows = [_made("m.f: `1` became `2`", "survived"), _made("m.g: x", "survived"), _made("m.h: y", "not called")]
    page = score.text(REFERENCE, [*rows, _made("m.i: z", "noticed")], 9)
    assert "4 of 9 planned mutants" in page
    assert "**1 of 3, 33.3 %**" in page
    assert "| `m.f`: `1` became `2` | equivalent | one is two |" in page
    assert "| `m.g`: x | missed | nobody looks |" in page
    assert "| `m.h`: y | to be judged | no test calls it |" in page
    assert "m.i" not in page


def test_every_reason_is_about_a_mutant_or_bug_that_there_is() -> None:
    names = {mutant.id for side in (REFERENCE, AUDITOR) for module in side.modules() for mutant in mutants(module)}
    for word in ("equivalent", "no_privacy", "missed"):
        assert set(score.JUDGED.get(word, ())) <= names
    assert set(score.JUDGED["no_claim"]) <= {bug.id for bug in bugs()}


def test_planting_is_for_one_process() -> None:
    def work(send: Callable[[Any], None]) -> None:
        plant(composed())
        send(composed_mu([3.0, 4.0]))

    assert in_child(work, 60.0) == ([2.0**0.5], "done")
    assert composed_mu([3.0, 4.0]) == 5.0


def test_no_two_bugs_have_one_name_and_each_names_an_audit_or_why_not() -> None:
    listed: Sequence[Any] = bugs()
    assert len({bug.id for bug in listed}) == len(listed) >= 130
    assert [bug.id for bug in listed if not bug.caught_by and not bug.missed] == []
