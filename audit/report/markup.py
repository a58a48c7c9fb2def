"""HTML and SVG elements whose text is escaped by construction."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from html import escape as _escape
from typing import TypeAlias


class Markup(str):
    """A text that is markup already."""

    __slots__ = ()


Child: TypeAlias = "str | Iterable[Child] | None"

#: Control characters, those that change the direction of text or show nothing among them; and what is no character.
_CONTROLS = frozenset({"Cc", "Cf", "Cs"})
_VOID = frozenset({"meta", "br", "wbr", "line", "path", "rect", "circle", "polyline", "polygon"})


def escape(text: str, *, quote: bool = True) -> str:
    """Return the text with markup as text, and characters that control the display as the numbers that they have."""
    return _escape(visible(text), quote=quote)


def visible(text: str) -> str:
    """Return the text with characters that control the display as the numbers that they have."""
    return "".join(c if c in "\t\n" or unicodedata.category(c) not in _CONTROLS else f"\\u{ord(c):04x}" for c in text)


def tag(element: str, /, *children: Child, **attributes: str | float | bool | None) -> Markup:
    """Return an element; "_" in an attribute's name stands for "-", one at its end for nothing; None and False leave it out."""
    words = [element]
    for key, value in attributes.items():
        word = key.rstrip("_").replace("_", "-")
        if value is True:
            words.append(word)
        elif value is not None and value is not False:
            words.append(f'{word}="{escape(value if isinstance(value, str) else f"{value:.5g}")}"')
    start = " ".join(words)
    if not children and element in _VOID:
        return Markup(f"<{start}/>" if element not in {"meta", "br"} else f"<{start}>")
    return Markup(f"<{start}>{join(children)}</{element}>")


def join(children: Iterable[Child]) -> Markup:
    """Return children one after another; text among them is escaped."""
    parts: list[str] = []
    for child in children:
        if isinstance(child, Markup):
            parts.append(child)
        elif isinstance(child, str):
            parts.append(escape(child, quote=False))
        elif child is not None:
            parts.append(join(child))
    return Markup("".join(parts))
