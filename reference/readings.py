"""Readings of a paper: the points on which it is silent, ambiguous or wrong, each declared once.

    class Choices(Readings):
        relation: Relation = point("dwork2014.algorithm-1-relation", AS_PRINTED=ADD_REMOVE, CORRECTED=REPLACE_ONE)

`Choices.read("CORRECTED")` is a frozen instance with the values of that reading. A point is named by the claims of the
ledger that give its reason. A point without claims holds the readings of a sub-routine, and has theirs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import Any, Self, TypeVar, dataclass_transform

T = TypeVar("T")
_POINT = "dppca.point"
#: Names a value that is the same in every reading.
EVERY = "every"


def point(*claims: str, **readings: T) -> T:
    """Declare a point of a paper: the claims about it, and its value in each reading.

    `every=` gives one value for all readings, where the paper leaves open what no reading disputes.
    """
    declared: Any = field(metadata={_POINT: (claims, readings)})
    return declared  # type: ignore[no-any-return]


@dataclass_transform(frozen_default=True, field_specifiers=(point,))
class Readings:
    """Base of an algorithm's `Choices`: a frozen dataclass, every field of which is a `point`."""

    def __init_subclass__(cls) -> None:
        """Make the subclass a frozen dataclass; TypeError that names the field that is not a point, or lacks a reading."""
        for name in cls.__annotations__:
            declared = cls.__dict__.get(name)
            if declared is None or _POINT not in getattr(declared, "metadata", {}):
                raise TypeError(f"{name} must be a point, such as point('paper.claim', CORRECTED=...), got {declared!r}")
            claims, readings = declared.metadata[_POINT]
            if not claims and not all(isinstance(value, Readings) for value in readings.values()):
                raise TypeError(f"{name} must name a claim of the ledger, as point('paper.claim', CORRECTED=...)")
        dataclass(frozen=True)(cls)
        named = {name: readings.keys() for name, (_, readings) in cls._points().items() if readings.keys() != {EVERY}}
        for name, readings in named.items():
            if readings != set(cls.names()):
                raise TypeError(f"{name} must have a value in each of {', '.join(cls.names())}, got {', '.join(readings)}")

    @classmethod
    def _points(cls) -> Mapping[str, tuple[tuple[str, ...], Mapping[str, Any]]]:
        """Return the claims and the values of every point, by name."""
        return {each.name: each.metadata[_POINT] for each in fields(cls)}  # type: ignore[arg-type]

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """Return the names of the readings, in the order in which the first point that varies gives them."""
        varying = (readings for _, readings in cls._points().values() if readings.keys() != {EVERY})
        return tuple(next(varying, {"CORRECTED": None}))

    @classmethod
    def read(cls, name: str) -> Self:
        """Return a reading by its name."""
        return cls(**{each: of.get(name, of.get(EVERY)) for each, (_, of) in cls._points().items()})

    @classmethod
    def instances(cls) -> Mapping[str, Self]:
        """Return every reading by name."""
        return MappingProxyType({name: cls.read(name) for name in cls.names()})

    @classmethod
    def claims(cls, *names: str) -> tuple[str, ...]:
        """Return the claims about the points, or those so named, with those of the readings of sub-routines."""
        found: list[str] = []
        points = cls._points()
        for claims, readings in (points[name] for name in names or points):
            found += claims
            for value in readings.values():
                found += value.claims() if isinstance(value, Readings) else ()
        return tuple(dict.fromkeys(found))
