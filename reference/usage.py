"""What a command says of words and files that it cannot use; nothing large is imported for it."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class UsageError(ValueError):
    """Says in one line what a command was given that it cannot use; `dppca` prints no traceback of it."""


def did_you_mean(word: str, known: Iterable[str], most: int = 1) -> str:
    """Return a question that names what is most like a word, at most so many; empty where nothing is."""
    close = get_close_matches(word, list(known), n=most)
    *others, last = close or [""]
    return f"; did you mean {', '.join(others)}{' or ' * bool(others)}{last}?" if close else ""
