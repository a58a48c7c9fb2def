"""The cases, declared: one module per paper. `dppca.reference.conformance.generate` turns them into files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Seen:
    """The raw values, not rounded, that a run of the reference produced, for the assertion of a case."""

    choice: str
    output: Any
    calibration: Any
    releases: Mapping[str, Mapping[str, Any]]
    intermediates: list[Mapping[str, Any]]
    again: Callable[[Any], Any]

    def value(self, release: str) -> Any:
        """Return the value of a release before its noise."""
        return self.releases[release]["value"]

    def shown(self, release: str) -> Any:
        """Return what a release showed."""
        return self.releases[release]["released"]

    def line(self, line: str, name: str) -> list[Any]:
        """Return every value that a printed line gave to a name."""
        return [seen["value"] for seen in self.intermediates if (seen["line"], seen["name"]) == (line, name)]


@dataclass(frozen=True)
class Case:
    """A case of one algorithm, for all or some of its readings.

    Attributes:
        name: what distinguishes it.
        why: which branch or mistake it is there for.
        parameters: privacy target and arguments, as the catalogue entry's `bind` takes them.
        data: the data set.
        exercises: whether the run took the branch that `why` names; the generator fails if not. `Seen.again` runs the
            algorithm on other data with the same draws.
        draws: scripted draws by name; all others come from a stream.
        refuses: the argument that is refused, for a case that ends in an error.
        choices: readings; all of the entry's if empty.
        any_basis: readings for which the output is not determined, because the eigenvalues that decide are equal.
    """

    name: str
    why: str
    parameters: Mapping[str, Any]
    data: Any
    exercises: Callable[[Seen], Any] | None = None
    draws: Mapping[str, Any] = field(default_factory=dict)
    refuses: str | None = None
    choices: tuple[str, ...] = ()
    any_basis: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if (self.exercises is None) == (self.refuses is None):
            raise ValueError(f"{self.name}: a case must have either exercises or refuses")
