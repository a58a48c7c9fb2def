"""Every release's observed change against the sensitivity it declares, over searched neighbours."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from dppca.reference.catalog import ALGORITHMS
from dppca.reference.noise import lockstep
from dppca.reference.primitives.clipping import clip_to_unit_ball
from dppca.reference.wang2020.algorithm_1_local_gaussian import sensitivity

WANG = ALGORITHMS["wang2020.local_gaussian_mechanism"]
P = 3
ROWS = arrays(np.float64, (2, P), elements=st.floats(-2.0, 2.0))


def change(x: NDArray[np.float64], y: NDArray[np.float64], choice: str) -> tuple[float, bool]:
    """Return (observed change of the first message, whether a declared sensitivity is exceeded)."""
    algorithm = WANG.bind(epsilon=1.0, delta=1e-5, p=len(x), k=1, choices=WANG.choices[choice])
    others = np.full((1, len(x)), 0.1)
    found = lockstep(algorithm, np.vstack([[x], others]), np.vstack([[y], others]), np.random.default_rng(0))
    assert found.diverged is None
    assert found.releases[1].change == 0.0  # a client sees its own row only
    return found.releases[0].change, bool(found.violations)


@settings(max_examples=200, deadline=None)
@given(ROWS)
def test_corrected_sensitivity_holds(rows: NDArray[np.float64]) -> None:
    x, y = (clip_to_unit_ball(row) for row in rows)
    assert not change(x, y, "CORRECTED")[1]


def test_printed_sensitivity_is_exceeded() -> None:
    e1, e2, *_ = np.eye(P)
    assert change(e1, e2, "AS_PRINTED")[1]


@pytest.mark.parametrize("p", [1, 2, 3, 6])
def test_search_reaches_the_supremum_and_no_more(p: int) -> None:
    rng = np.random.default_rng(p)

    def loss(flat: NDArray[np.float64]) -> float:
        x, y = (clip_to_unit_ball(row) for row in flat.reshape(2, p))
        return -change(x, y, "CORRECTED")[0]

    starts = rng.standard_normal((4, 2 * p))
    from scipy.optimize import minimize  # noqa: PLC0415 - collection must stay cheap

    best = -min(minimize(loss, start, method="Powell", options={"maxfev": 1500}).fun for start in starts)
    assert best <= sensitivity(p) * (1 + 1e-9)
    assert best == pytest.approx(1.0 if p == 1 else math.sqrt(2.0), abs=1e-4)
