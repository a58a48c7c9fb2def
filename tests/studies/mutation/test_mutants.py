"""The engine of the mutants."""

from __future__ import annotations

import math
import os
import time
from functools import cached_property, lru_cache
from typing import Any

import pytest

from dppca.reference.primitives.gaussian import GaussianCalibration, classical_std, composed_mu
from tests.studies.mutation.children import called, in_child
from tests.studies.mutation.mutants import Mutant, compiled, mutants, plant

HERE = __name__
GAUSSIAN = "dppca.reference.primitives.gaussian"


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
