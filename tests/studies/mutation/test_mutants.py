"""The engine of the mutants, and the run of the ledger on them."""

from __future__ import annotations

import math
import os
import time
from functools import cached_property, lru_cache
from typing import Any

import pytest

from dppca.proofs_notes.ledger.claims import load
from dppca.reference.primitives.gaussian import GaussianCalibration, classical_std, composed_mu
from tests.studies.mutation import ledger_changes, ledger_mutants, ledger_mutants_text
from tests.studies.mutation.children import called, in_child
from tests.studies.mutation.mutants import Mutant, compiled, mutants, plant

HERE = __name__
GAUSSIAN = "dppca.reference.primitives.gaussian"
CLAIMS = {claim.id: claim for claim in load()}


# --- functions to be changed --------------------------------------------------------------------------


def _first(values: list[int], start: int) -> int:
    total = 0
    for value in values[start:]:
        if not value < 3:
            continue
        total += 2 * min(value, 10)
    return total


class _Circle:
    @cached_property
    def area(self) -> float:
        return 3.0 * self.radius

    @property
    def radius(self) -> float:
        return 4.0 - 1.0


@lru_cache
def _kept(x: float) -> float:
    return x + 1.0


def _makes(x: float) -> Any:
    def made(y: float) -> float:
        return x * y

    return made


_MADE = _makes(3.0)


def the(function: str, change: str, module: str = HERE) -> Mutant:
    (mutant,) = (m for m in mutants(module) if (m.function, m.change, m.repeated) == (function, change, 0))
    return mutant


def after(mutant: Mutant, asked: Any) -> Any:
    """Return what is answered in a process with the mutant."""

    def work(send: Any) -> None:
        plant(mutant)
        send(asked())

    sent, end = in_child(work, 60.0)
    assert end == "done"
    return sent[0]


# --- the engine ---------------------------------------------------------------------------------------


def test_every_kind_of_change_is_listed() -> None:
    changes = {(m.kind, m.change) for m in mutants(HERE) if m.function == "_first"}
    assert changes == {
        ("index", "`start:` became `start + 1:`"),
        ("constant", "`0` became `1`"),
        ("statement", "`if not value < 3: continue` left out"),
        ("negation", "`not value < 3` became `value < 3`"),
        ("comparison", "`value < 3` became `value <= 3`"),
        ("comparison", "`value < 3` became `value > 3`"),
        ("constant", "`3` became `4`"),
        ("constant", "`3` became `6`"),
        ("constant", "`3` became `1`"),
        ("statement", "`total += 2 * min(value, 10)` left out"),
        ("operator", "`total += 2 * min(value, 10)` became `total -= 2 * min(value, 10)`"),
        ("operator", "`2 * min(value, 10)` became `2 / min(value, 10)`"),
        ("constant", "`2` became `3`"),
        ("constant", "`2` became `4`"),
        ("constant", "`2` became `1`"),
        ("bound", "`min(value, 10)` became `max(value, 10)`"),
        ("constant", "`10` became `11`"),
        ("constant", "`10` became `20`"),
        ("constant", "`10` became `5`"),
    }


@pytest.mark.parametrize(
    ("function", "change", "asked", "sound", "changed"),
    [
        ("_first", "`start:` became `start + 1:`", lambda: _first([9, 1, 2], 1), 6, 4),
        ("_Circle.radius", "`4.0 - 1.0` became `4.0 + 1.0`", lambda: _Circle().area, 9.0, 15.0),
        ("_Circle.area", "`3.0` became `6.0`", lambda: _Circle().area, 9.0, 18.0),
        ("_kept", "`x + 1.0` became `x - 1.0`", lambda: _kept(5.0), 6.0, 4.0),
        ("_makes", "`x * y` became `x / y`", lambda: (_makes(6.0)(3.0), _MADE(3.0)), (18.0, 9.0), (2.0, 1.0)),
    ],
)
def test_a_mutant_runs_in_its_child_and_nowhere_else(function: str, change: str, asked: Any, sound: Any, changed: Any) -> None:
    _kept(5.0)  # what is cached is forgotten
    assert after(the(function, change), asked) == changed
    assert asked() == sound


def test_who_imported_the_function_runs_the_mutant() -> None:
    mutant = the("composed_mu", "`mu * mu` became `mu / mu`", GAUSSIAN)
    assert after(mutant, lambda: composed_mu([3.0, 4.0])) == math.sqrt(2.0)
    assert composed_mu([3.0, 4.0]) == 5.0
    other = the("GaussianCalibration.mu", "`self.sensitivity / self.std` became `self.sensitivity * self.std`", GAUSSIAN)
    assert GaussianCalibration.mu.fget is not None
    assert compiled(other)[0].co_qualname == "GaussianCalibration.mu"


def test_checks_of_arguments_are_marked() -> None:
    left_out = [m for m in mutants(GAUSSIAN) if m.function == "classical_std" and m.guard]
    assert [m.change for m in left_out] == ["`check_positive('sensitivity', sensitivity)` left out"]


def test_a_child_that_dies_or_is_late_is_told_apart() -> None:
    def late(send: Any) -> None:
        send(1)
        time.sleep(60.0)

    def dead(send: Any) -> None:
        send(2)
        os._exit(3)

    assert in_child(late, 0.2) == ([1], "late")
    assert in_child(dead, 60.0) == ([2], "died")


def test_calls_through_another_module_are_seen() -> None:
    with called() as calls:
        classical_std(1.0, 0.1, 1.0)
    assert (GAUSSIAN, "classical_std") in calls
    assert ("dppca.reference.rigour.validation", "check_positive") in calls
    assert (GAUSSIAN, "analytic_std") not in calls


# --- the ledger ---------------------------------------------------------------------------------------


def changed(mutant: Mutant) -> ledger_mutants.Change:
    return ledger_mutants.Change(mutant.id, "mutant", "", mutant.line, frozenset({mutant.place}), lambda: plant(mutant))


def traced(*names: str) -> list[ledger_mutants.Sound]:
    return [ledger_mutants.traced(CLAIMS[name]) for name in names]


def fallen(mutant: Mutant, *names: str) -> tuple[int, dict[str, str]]:
    """Return how many of the claims were executed, and which fell."""
    row = ledger_mutants.tried(changed(mutant), traced(*names))
    return row.executed, row.flips


def test_a_claim_falls_of_a_mutant_of_its_code() -> None:
    mutant = the("classical_std", "`2.0` became `1.0`", GAUSSIAN)
    assert fallen(mutant, "dwork2014.algorithm-1-relation", "primitives.gaussian-profile") == (
        1,  # the other check calls an enclosure, not this code
        {"dwork2014.algorithm-1-relation": "refuted"},
    )


def test_a_claim_falls_of_code_that_its_check_calls_through_another_module() -> None:
    mutant = the("log_profile", "`0.5 * mu - epsilon / mu` became `0.5 * mu + epsilon / mu`", GAUSSIAN)
    assert CLAIMS["wang2020.theorem-2-privacy"].code == "dppca.reference.wang2020.algorithm_1_local_gaussian:calibrate"
    executed, flips = fallen(mutant, "wang2020.theorem-2-privacy")
    assert (executed, flips.keys()) == (1, {"wang2020.theorem-2-privacy"})


def test_no_claim_falls_of_an_equivalent_mutant() -> None:
    """The search for the end of a bracket goes one step further at a point that the search never meets."""
    mutant = the("analytic_std", "`excess(low) > 0.0` became `excess(low) >= 0.0`", GAUSSIAN)
    assert fallen(mutant, "primitives.analytic-gaussian", "wang2020.theorem-2-privacy") == (2, {})


def test_a_claim_whose_check_does_not_end_falls(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger_mutants, "GRACE", 0.2)
    mutant = the("analytic_std", "`low -= 1.0` left out", GAUSSIAN)
    assert fallen(mutant, "primitives.analytic-gaussian") == (1, {"primitives.analytic-gaussian": "TimeoutError"})


def test_a_planted_bug_is_put_in_for_its_child_alone() -> None:
    bugs = {change.id: change for change in ledger_changes.planted_bugs()}
    bug = bugs["primitives.gaussian: classical formula without the factor 2"]
    row = ledger_mutants.tried(bug, traced("dwork2014.algorithm-1-relation"))
    assert row.flips == {"dwork2014.algorithm-1-relation": "refuted"}
    assert classical_std(1.0, 1.25 / math.e**2, 1.0) == pytest.approx(2.0)


def test_planted_bugs_are_listed_once() -> None:
    bugs = list(ledger_changes.planted_bugs())
    assert len({bug.id for bug in bugs}) == len(bugs) >= 120
    assert "every algorithm: one coordinate without noise" in {bug.id for bug in bugs}


def test_the_sample_of_a_function_is_fixed_and_leaves_out_checks_of_arguments() -> None:
    place = GAUSSIAN, "classical_std"
    of = ledger_changes.sample(place, 4)
    assert [mutant.id for mutant in of] == [mutant.id for mutant in ledger_changes.sample(place, 4)]
    assert len(set(of)) == 4
    every = ledger_changes.sample(place, None)
    assert len(every) == 9
    assert not any("check_positive" in mutant.change for mutant in every)


def test_what_a_claim_names_may_be_a_class_or_a_constant() -> None:
    law = "dppca.reference.noise"
    assert (law, "GaussianLaw.log_likelihood") in ledger_changes.places(f"{law}:GaussianLaw")
    assert ledger_changes.places("dppca.reference.liu2022.private_update:TAIL_CORRECTED") == []


def _row(name: str, kind: str, flips: dict[str, str], of: str = "m:f") -> dict[str, Any]:
    return {"id": name, "kind": kind, "of": of, "line": 1, "executed": 2, "flips": flips, "late": 0, "seconds": 1.0}


def _claim(*, own: bool) -> dict[str, Any]:
    return {
        "paper": "p", "status": "holds", "scope": "proved", "method": "exact", "code": "m:f", "places": ["m:f"],
        "calls": 3, "calls_own": own,
    }  # fmt: skip


def test_the_page_counts_what_falls() -> None:
    rows = [
        _row("a: x", "bug", {"p.one": "refuted"}),
        _row("a: y", "bug", {}),
        _row("a: z", "bug", {}),
        _row("m.f: `1` became `2`", "mutant", {"p.one": "refuted"}),
        _row("m.f: `3` became `4`", "mutant", {}),
        _row("m.f: `5` became `6`", "mutant", {}),
    ]
    kept = {"seed": 1, "sample": 4, "seconds": 1, "workers": 1, "rows": rows}
    kept["claims"] = {"p.one": _claim(own=True), "p.two": _claim(own=False)}
    reasons = {"equivalent": {"m.f: `5` became `6`": "five is six"}, "no_claim": {"a: z": "says nothing"}}
    page = ledger_mutants_text.text(kept, reasons)
    assert "**1 of 2 planted bugs that make a claim false let at least one claim of the ledger fall: 50.0 %**" in page
    assert "1 of 2 let a claim fall; 1 more are equivalent" in page
    assert "| a: y | 2 |" in page
    assert "* **holds, exact** (1): p.two" in page
    assert "* m.f: `5` became `6`: five is six" in page
