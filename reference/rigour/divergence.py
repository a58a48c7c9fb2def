"""Divergences between finite laws, in exact fractions."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from fractions import Fraction
from typing import TypeVar

Outcome = TypeVar("Outcome", bound=Hashable)


def hockey_stick(p: Mapping[Outcome, Fraction], q: Mapping[Outcome, Fraction], ratio: Fraction) -> Fraction:
    """Return the sum over outcomes of max(0, p - ratio q): the least delta with p <= ratio q + delta on every event.

    Args:
        p: masses that sum to exactly 1; q likewise.
        q: the other law.
        ratio: e^epsilon, as a fraction >= 1.

    Raises:
        ValueError: a negative mass, a sum other than 1, or ratio < 1.
    """
    for name, law in (("p", p), ("q", q)):
        if min(law.values(), default=Fraction(0)) < 0 or sum(law.values()) != 1:
            raise ValueError(f"{name} must hold masses >= 0 that sum to 1, got sum {sum(law.values())}")
    if ratio < 1:
        raise ValueError(f"ratio must be >= 1, got {ratio}")
    return sum((max(Fraction(0), mass - ratio * q.get(outcome, Fraction(0))) for outcome, mass in p.items()), Fraction(0))
