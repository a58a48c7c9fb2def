"""Clipping, the step that turns a norm assumption into a fact."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dppca.reference.rigour.validation import check_vector


def clip_to_unit_ball(x: ArrayLike) -> NDArray[np.float64]:
    """Return x / max(1, ||x||_2), shape (p,). It depends on x alone, so a local client can run it on its own row."""
    vector = check_vector("x", x)
    scale = float(np.max(np.abs(vector)))
    if scale > 1.0:  # the norm of huge entries would overflow
        direction = vector / scale
        return direction / max(float(np.linalg.norm(direction)), 1.0 / scale)
    return vector / max(1.0, float(np.linalg.norm(vector)))
