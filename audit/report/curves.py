"""What the report shows of an audit's pair: where the datasets differ, and their privacy profile."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dppca.audit.auditor.results import Claim

if TYPE_CHECKING:
    from dppca.audit.auditor.profile import Band

#: Points of a privacy profile, and of one that is estimated from transcripts, where each costs time.
POINTS, FEW_POINTS = 25, 13
#: Entries of a row that are shown.
_ENTRIES = 6


@dataclass(frozen=True)
class Curves:
    """The privacy profiles of an audit's pair, as points (epsilon, delta, ...); None where there is none.

    `exact` has (epsilon, delta); `estimated` (epsilon, estimate, lower edge, upper edge or None), see `engine.profile`.
    """

    exact: list[tuple[float, float]] | None
    estimated: list[tuple[float, float, float, float | None]] | None


def grid(claim: Claim, exact_epsilon: float | None, points: int) -> list[float]:
    """Return epsilons from 0 to beyond the claim's and the pair's own; the claim's is among them."""
    unit = claim.epsilon or 1.0
    known = exact_epsilon if exact_epsilon is not None and exact_epsilon < math.inf else 0.0
    multiple = next((m for m in (2, 3, 4, 6) if m * unit >= 1.25 * known), 12)
    return [multiple * unit * i / (points - 1) for i in range(points)]


def curves(profile: Callable[[float], float] | None, epsilons: Sequence[float], band: Band | None) -> Curves:
    """Return the profile at these epsilons, and the band at its own."""
    exact = estimated = None
    if profile is not None:
        exact = [(epsilon, min(max(profile(epsilon), 0.0), 1.0)) for epsilon in epsilons]
    if band is not None:
        upper = [None] * len(band.epsilons) if band.upper is None else band.upper.tolist()
        estimated = list(zip(band.epsilons.tolist(), band.estimate.tolist(), band.lower.tolist(), upper, strict=True))
    return Curves(exact, estimated)


def describe_pair(data: Any, neighbour: Any) -> str:
    """Return in words where two datasets of rows or matrices differ; datasets of another kind by their type."""
    try:
        arrays = [np.atleast_2d(np.asarray(x, dtype=float)) for x in (data, neighbour)]
    except (TypeError, ValueError):
        return f"two datasets of type {type(data).__name__}"
    one, other = ([tuple(record) for record in x.reshape(len(x), -1).tolist()] for x in arrays)
    gone, new = Counter(one) - Counter(other), Counter(other) - Counter(one)
    parts = [" and ".join(_row(row) for row in rows.elements()) or "no row" for rows in (gone, new)]
    return f"n = {len(one):,}, d = {arrays[0].shape[1]}: {parts[0]} replaced by {parts[1]}"


def _row(row: tuple[float, ...]) -> str:
    """Return a row as text, a long one by its first entries."""
    shown = ", ".join(f"{x:.4g}" for x in row[:_ENTRIES])
    return f"({shown}{', ...' if len(row) > _ENTRIES else ''})"
