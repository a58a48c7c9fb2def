"""The changes that the ledger is tried with: every planted bug, and mutants of the functions that claims name."""

from __future__ import annotations

import functools
import inspect
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from dppca.audit.suite.planted import GENERIC, Edit, GenericBug, bugs, planted
from dppca.proofs_notes.ledger.claims import LedgerClaim, resolve
from dppca.reference.catalog import ALGORITHMS
from tests.studies.mutation.mutants import Mutant, Place, mutants, plant

SEED = 20_240_229
RELEASE: Place = ("dppca.reference.noise", "Noise.release")


@dataclass(frozen=True)
class Change:
    """A planted bug or a mutant: its name, what it is of, the functions that it edits, and how it is put in."""

    id: str
    kind: str
    of: str
    line: int
    places: frozenset[Place]
    plant: Callable[[], object]


def places(code: str) -> list[Place]:
    """The functions that a claim's `code` names: one, the methods of a class, or none for a constant."""
    thing = inspect.unwrap(resolve(code))
    if inspect.isfunction(thing):
        return [(thing.__module__, thing.__qualname__)]
    if inspect.isclass(thing):
        return list(
            dict.fromkeys(m.place for m in mutants(thing.__module__) if m.function.startswith(f"{thing.__qualname__}."))
        )
    return []


def sample(place: Place, size: int | None) -> list[Mutant]:
    """Mutants of one function, checks of its arguments left out; the same ones as long as the function stays."""
    of = [mutant for mutant in mutants(place[0]) if mutant.place == place and not mutant.guard]
    if size is None or len(of) <= size:
        return of
    chosen = random.Random(f"{SEED} {place}").sample(range(len(of)), size)  # noqa: S311 - a sample, no secret
    return [of[i] for i in sorted(chosen)]


def _of(function: Any) -> Place:
    function = inspect.unwrap(function)
    return function.__module__, function.__qualname__


def _edit(edits: Sequence[Edit]) -> object:
    context = planted(edits)
    context.__enter__()
    return context  # kept, for its end would undo the edits


def _generic(bug: GenericBug, key: str) -> object:
    context = bug.plant(ALGORITHMS[key])
    context.__enter__()
    return context


def planted_bugs() -> Iterator[Change]:
    """Every planted bug once; those that change every release are one for all algorithms."""
    seen: set[str] = set()
    for bug in bugs():
        where = frozenset(_of(edit.function) for edit in bug.edits)
        yield Change(bug.id, "bug", bug.subject, 0, where, functools.partial(_edit, bug.edits))
    for (key, declaration), generic in ((item, bug) for item in ALGORITHMS.items() for bug in GENERIC):
        if not (declaration.private and generic.applies(declaration)):
            continue
        make = functools.partial(_generic, generic, key)
        code = getattr(declaration.calibrate, "__code__", None)
        with generic.plant(declaration):
            calibrated = code is not getattr(declaration.calibrate, "__code__", None)
        if calibrated:
            yield Change(f"{key}: {generic.name}", "bug", key, 0, frozenset({_of(declaration.calibrate)}), make)
        elif generic.name not in seen:
            seen.add(generic.name)
            yield Change(f"every algorithm: {generic.name}", "bug", "every algorithm", 0, frozenset({RELEASE}), make)


def plan(claims: Sequence[LedgerClaim], size: int | None, wanted: Sequence[str] = ()) -> list[Change]:
    """Everything that is tried; only what has one of the wanted words in its name, if there are any."""
    listed = list(planted_bugs())
    for place in dict.fromkeys(place for claim in claims for place in places(claim.code)):
        for mutant in sample(place, size):
            of = f"{mutant.module}:{mutant.function}"
            listed.append(Change(mutant.id, "mutant", of, mutant.line, frozenset({place}), functools.partial(plant, mutant)))
    return [change for change in listed if not wanted or any(word in f"{change.id} {change.of}" for word in wanted)]
