"""A point of a paper is declared once: its claims, and its value in each reading."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, fields, replace

import pytest

from dppca.reference.readings import Readings, point
from dppca.reference.relation import Relation


class Inner(Readings):
    """The points of a sub-routine."""

    half: float = point("paper.half", "paper.other-half", LITERAL=0.5, CORRECTED=0.25)


class Outer(Readings):
    """The points of an algorithm that calls it."""

    relation: Relation = point("paper.relation", LITERAL=Relation.ADD_REMOVE, CORRECTED=Relation.REPLACE_ONE)
    constant: float = point("paper.constant", every=8.0)
    inner: Inner = point(LITERAL=Inner.read("LITERAL"), CORRECTED=Inner.read("CORRECTED"))


def test_each_reading_has_its_values() -> None:
    assert Outer.names() == ("LITERAL", "CORRECTED")
    literal, corrected = Outer.read("LITERAL"), Outer.read("CORRECTED")
    assert (literal.relation, literal.constant, literal.inner.half) == (Relation.ADD_REMOVE, 8.0, 0.5)
    assert (corrected.relation, corrected.constant, corrected.inner.half) == (Relation.REPLACE_ONE, 8.0, 0.25)
    assert dict(Outer.instances()) == {"LITERAL": literal, "CORRECTED": corrected}
    assert Outer.claims() == ("paper.relation", "paper.constant", "paper.half", "paper.other-half")


def test_a_reading_is_frozen_and_compared_by_its_values() -> None:
    corrected = Outer.read("CORRECTED")
    with pytest.raises(FrozenInstanceError):
        corrected.constant = 1.0  # type: ignore[misc]
    assert replace(corrected, constant=9.0) != corrected
    assert replace(corrected, constant=8.0) == corrected
    assert [each.name for each in fields(Outer)] == ["relation", "constant", "inner"]


def test_points_are_inherited_before_their_own() -> None:
    class Wider(Inner):
        """One more point."""

        steps: int = point("paper.steps", LITERAL=1, CORRECTED=2)

    assert Wider.read("LITERAL") == Wider(0.5, 1)
    assert Wider.claims() == ("paper.half", "paper.other-half", "paper.steps")


def test_a_class_without_points_that_vary_has_one_reading() -> None:
    class Fixed(Readings):
        """A constant that every reading shares."""

        constant: float = point("paper.constant", every=8.0)

    assert Fixed.names() == ("CORRECTED",)
    assert Fixed.read("CORRECTED").constant == 8.0


def test_a_value_in_the_place_of_a_point_is_one_sentence() -> None:
    with pytest.raises(TypeError, match=r"^relation must be a point, such as .*, got <Relation\.REPLACE_ONE: .*>$"):

        class Valued(Readings):
            """A relation where a point was meant."""

            relation: Relation = Relation.REPLACE_ONE

    with pytest.raises(TypeError, match=r"^relation must be a point, such as .*, got None$"):

        class Bare(Readings):
            """An annotation alone."""

            relation: Relation


def test_a_point_without_a_claim_or_a_reading_is_one_sentence() -> None:
    with pytest.raises(TypeError, match=r"^half must name a claim of the ledger, as point\("):

        class Unnamed(Readings):
            """No claim."""

            half: float = point(CORRECTED=0.5)

    with pytest.raises(TypeError, match=r"^steps must have a value in each of LITERAL, CORRECTED, got CORRECTED$"):

        class Partial(Readings):
            """A reading is missing."""

            half: float = point("paper.half", LITERAL=0.5, CORRECTED=0.25)
            steps: int = point("paper.steps", CORRECTED=2)
