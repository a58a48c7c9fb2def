"""The conditions under which a theorem is claimed, evaluated at given parameters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Condition:
    """One condition of a theorem, for given parameters: its statement, where it stands, and whether it holds."""

    statement: str
    place: Literal["printed", "proof"]
    holds: bool
