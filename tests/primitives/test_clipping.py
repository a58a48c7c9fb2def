"""Clipping to the unit ball."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from dppca.reference.primitives.clipping import clip_to_unit_ball

VECTORS = arrays(np.float64, st.integers(1, 6), elements=st.floats(-1e200, 1e200))


@given(VECTORS)
def test_clipping_lands_in_the_ball_and_keeps_the_direction(x: NDArray[np.float64]) -> None:
    clipped = clip_to_unit_ball(x)
    assert np.linalg.norm(clipped) <= 1.0 + 1e-12
    scale = np.max(np.abs(x))
    if scale > 0.0:
        direction = x / scale
        assert clipped @ direction == pytest.approx(np.linalg.norm(clipped) * np.linalg.norm(direction), rel=1e-9)
    if np.linalg.norm(x / max(scale, 1.0)) * max(scale, 1.0) <= 1.0:
        assert np.array_equal(clipped, x)
