"""Planting a bug: an edit is in force within its context, for everybody, and is undone."""

from __future__ import annotations

import pytest

from dppca.audit.suite.planted import Bug, Edit, bugs, generic_bugs, planted
from dppca.reference.catalog import ALGORITHMS
from dppca.reference.primitives.composition import Guarantee, parallel, serial
from dppca.reference.primitives.gaussian import composed_mu


def _double(x: float) -> float:
    return 2.0 * x


def _refuse(x: float) -> float:
    if x > 0.0:
        return x
    raise ValueError("too small")


def test_an_edit_is_in_force_within_the_context_and_for_everybody() -> None:
    elsewhere = composed_mu
    with planted([Edit(composed_mu, "math.sqrt(math.fsum(mu * mu for mu in mus))", "max(mus)")]):
        assert elsewhere([3.0, 4.0]) == 4.0
    assert elsewhere([3.0, 4.0]) == 5.0


def test_an_edit_is_undone_when_the_run_fails() -> None:
    with planted([Edit(_refuse, "> 0.0", "> -1.0")]):
        assert _refuse(0.0) == 0.0
    with pytest.raises(ValueError, match="too small"), planted([Edit(_refuse, "> 0.0", "> 5.0")]):
        _refuse(1.0)
    assert _refuse(1.0) == 1.0


def test_the_text_to_edit_must_occur_once() -> None:
    with pytest.raises(ValueError, match=r"old must occur once in .*_double, got 0 times: 'triple'"):
        Edit(_double, "triple", "x").code()
    with pytest.raises(ValueError, match="got 2 times: 'float'"):
        Edit(_double, "float", "int").code()


@pytest.mark.parametrize("bug", bugs(), ids=lambda bug: bug.id)
def test_every_planted_bug_can_be_put_in(bug: Bug) -> None:
    """Its edits are of code that is there."""
    with bug.planted():
        pass


def test_a_function_is_edited_once() -> None:
    twice = [Edit(_double, "2.0", "3.0"), Edit(_double, "* x", "+ x")]
    with pytest.raises(ValueError, match="edits must be of different functions"), planted(twice):
        pass


def test_an_edit_that_cannot_be_made_leaves_the_others_undone() -> None:
    edits = [Edit(serial, "part.delta", "part.epsilon"), Edit(parallel, "no such text", "x")]
    with pytest.raises(ValueError, match="old must occur once"), planted(edits):
        pass
    assert serial([Guarantee(1.0, 0.5)]) == Guarantee(1.0, 0.5)


def test_every_private_algorithm_has_a_bug_of_its_own_and_a_generic_one() -> None:
    private = {key for key, entry in ALGORITHMS.items() if entry.private}
    assert {bug.subject for bug in bugs()} >= private
    assert {key for key, _ in generic_bugs()} == private
