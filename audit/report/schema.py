"""What of a JSON document is not as its schema says: as much of JSON Schema as the schemas beside this file use."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from dppca.reference.rigour.validation import shown

Schema = Mapping[str, Any]
_TYPES: dict[str, Callable[[Any], bool]] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "number": lambda value: isinstance(value, (int, float)) and not isinstance(value, bool),
    "integer": lambda value: _TYPES["number"](value) and (isinstance(value, int) or value.is_integer()),
}


@dataclass(frozen=True)
class Fault:
    """What is wrong at a place of a document."""

    place: str
    wanted: str
    got: Any

    def __str__(self) -> str:
        return f"{self.place} must be {self.wanted}, got {shown(self.got)}"


@dataclass(frozen=True)
class _Part:
    """A part of a document, its place there, and the schema that it must be as, which is a part of `whole`."""

    value: Any
    place: str
    schema: Schema
    whole: Schema

    def faults(self) -> Iterator[Fault]:
        for word, said in self.schema.items():
            if word not in _WITHOUT_EFFECT:
                yield from _KEYWORDS[word](self, said)

    def of(self, key: str | int, value: Any, schema: Any) -> Iterator[Fault]:
        """Yield the faults of what this part holds; a schema may be True or False."""
        place = f"{self.place}[{key}]" if isinstance(key, int) else f"{self.place}.{key}".removeprefix(".")
        if schema is False:
            yield Fault(place, "left out", value)
        elif schema is not True:
            yield from _Part(value, place, schema, self.whole).faults()

    def unless(self, right: bool, wanted: str) -> Iterator[Fault]:
        if not right:
            yield Fault(self.place or "the document", wanted, self.value)

    def is_a(self, kind: str) -> bool:
        return _TYPES[kind](self.value)


def fault(document: Any, schema: Schema) -> Fault | None:
    """Return the first thing in a document that is not as the schema says; None where all is."""
    return next(_Part(document, "", schema, schema).faults(), None)


def _type(part: _Part, said: str | list[str]) -> Iterator[Fault]:
    kinds = [said] if isinstance(said, str) else said
    return part.unless(any(map(part.is_a, kinds)), " or ".join(kinds))


def _enum(part: _Part, said: Iterable[Any]) -> Iterator[Fault]:
    right = any(part.value == each and isinstance(part.value, bool) == isinstance(each, bool) for each in said)
    return part.unless(right, " or ".join(map(shown, said)))


def _any_of(part: _Part, said: Iterable[Schema]) -> Iterator[Fault]:
    """Yield the fault of the alternative that gets furthest, or those of all that begin with what this is not."""
    found = [next(replace(part, schema=schema).faults(), None) for schema in said]
    faults = [each for each in found if each is not None]
    if len(faults) < len(found):
        return
    here = part.place or "the document"
    inside = [each for each in faults if each.place != here]
    yield inside[0] if inside else Fault(here, " or ".join(each.wanted for each in faults), part.value)


def _properties(part: _Part, said: Mapping[str, Schema]) -> Iterator[Fault]:
    for name, value in part.value.items() if part.is_a("object") else ():
        yield from part.of(name, value, said.get(name, part.schema.get("additionalProperties", True)))


def _required(part: _Part, said: Iterable[str]) -> Iterator[Fault]:
    for name in said if part.is_a("object") else ():
        yield from part.unless(name in part.value, f"an object with a field {name!r}")


def _items(part: _Part, said: Any) -> Iterator[Fault]:
    first = part.schema.get("prefixItems", [])
    for i, value in enumerate(part.value) if part.is_a("array") else ():
        yield from part.of(i, value, first[i] if i < len(first) else said)


def _number(words: str, right: Callable[[Any, float], bool]) -> Callable[[_Part, float], Iterator[Fault]]:
    return lambda part, said: part.unless(not part.is_a("number") or right(part.value, said), f"{words} {said:g}")


def _long(kind: str, words: str) -> Callable[[_Part, int], Iterator[Fault]]:
    return lambda part, said: part.unless(not part.is_a(kind) or len(part.value) >= said, f"{words} of length >= {said}")


_KEYWORDS: dict[str, Callable[[_Part, Any], Iterator[Fault]]] = {
    "$ref": lambda part, said: replace(part, schema=part.whole["$defs"][said.rpartition("/")[2]]).faults(),
    "type": _type,
    "enum": _enum,
    "const": lambda part, said: _enum(part, [said]),
    "anyOf": _any_of,
    "oneOf": _any_of,  # no value is as two of those that are used
    "properties": _properties,
    "additionalProperties": lambda part, _: iter(()) if "properties" in part.schema else _properties(part, {}),
    "required": _required,
    "items": _items,
    "minItems": _long("array", "a list"),
    "minLength": _long("string", "a text"),
    "minimum": _number(">=", lambda value, said: value >= said),
    "maximum": _number("<=", lambda value, said: value <= said),
    "exclusiveMinimum": _number(">", lambda value, said: value > said),
    "exclusiveMaximum": _number("<", lambda value, said: value < said),
}
#: Words that say nothing about a value, or are seen to by another one.
_WITHOUT_EFFECT = {"$schema", "$defs", "title", "description", "format", "prefixItems"}
