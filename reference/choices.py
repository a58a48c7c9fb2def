"""How a point is recorded on which a paper is silent, ambiguous or wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Choice(Generic[T]):
    """A value for one such point, why it was taken, and the ledger's claim that it is about."""

    value: T
    reason: str
    claim: str
