"""A mechanism that a new process imports, with what it finds there instead of what this process has changed."""

from __future__ import annotations

import numpy as np

KEPT: dict[str, str] = {}


def where(_: float, rng: np.random.Generator) -> float:
    """Return noise that is shifted where something was kept."""
    return float(rng.normal()) + 3.0 * ("where" in KEPT)
