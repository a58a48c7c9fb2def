"""The suprema of primitives/row_changes.py: no neighbour found by search exceeds them, and they are attained."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import minimize

from dppca.reference.primitives import row_changes
from dppca.reference.primitives.orthonormal import polar_factor
from dppca.reference.primitives.symmetric import upper_triangle
from dppca.reference.relation import Relation

Vector = NDArray[np.float64]


def in_ball(z: Vector) -> Vector:
    """Return a smooth map of R^d onto the unit ball's rows, so that local search stays inside."""
    return z / max(1.0, float(np.linalg.norm(z)))


def largest(name: str, d: int, k: int, *, replace: bool, seed: int = 0) -> float:
    """Return the largest norm(D, V) found from random starts by local search over x, y, if any, and an orthonormal V (d, k)."""
    rng = np.random.default_rng(seed)
    rows, fixed = 2 if replace else 1, np.eye(d, k)

    def value(z: Vector) -> float:
        x, y = in_ball(z[:d]), in_ball(z[d : 2 * d]) if replace else np.zeros(d)
        V = polar_factor(z[rows * d :].reshape(d, k)) if name in OF_A_BASIS else fixed
        return NORMS[name](np.outer(x, x) - np.outer(y, y), V)

    starts = rng.standard_normal((12, rows * d + d * k * (name in OF_A_BASIS))) * 2.0
    return max(-minimize(lambda z: -value(z), start, method="Powell", options={"maxiter": 40}).fun for start in starts)


NORMS: dict[str, Callable[[Vector, Vector], float]] = {
    "frobenius": lambda D, _: float(np.linalg.norm(D)),
    "upper": lambda D, _: float(np.linalg.norm(upper_triangle(D))),
    "nuclear": lambda D, _: float(np.linalg.norm(D, "nuc")),
    "spectral": lambda D, _: float(np.linalg.norm(D, 2)),
    "score": lambda D, V: abs(float(V[:, 0] @ D @ V[:, 0])),
    "on_basis": lambda D, V: float(np.linalg.norm(D @ V)),
}
#: Those of them that depend on V.
OF_A_BASIS = ("score", "on_basis")


def supremum(name: str, d: int, k: int, relation: Relation) -> float:
    if name in ("spectral", "score"):
        return row_changes.spectral()
    if name == "on_basis":
        return row_changes.on_basis(d, k, relation)
    return row_changes.nuclear(d, relation) if name == "nuclear" else row_changes.frobenius(d, relation)


@pytest.mark.parametrize("name", NORMS)
@pytest.mark.parametrize(("d", "k"), [(1, 1), (2, 1), (3, 2), (4, 3)])
@pytest.mark.parametrize("relation", [Relation.REPLACE_ONE, Relation.ADD_REMOVE])
def test_search_reaches_the_supremum_and_not_more(name: str, d: int, k: int, relation: Relation) -> None:
    found = largest(name, d, k, replace=relation is Relation.REPLACE_ONE)
    expected = supremum(name, d, k, relation)
    assert found <= expected * (1.0 + 1e-9)
    assert found >= expected * (1.0 - 1e-3)


@settings(max_examples=200, deadline=None)
@given(st.integers(1, 6), st.integers(0, 2**32 - 1), st.data())
def test_no_random_neighbour_exceeds_the_suprema(d: int, seed: int, data: st.DataObject) -> None:
    k = data.draw(st.integers(1, d))
    rng = np.random.default_rng(seed)
    x, y = (in_ball(3.0 * rng.standard_normal(d)) for _ in range(2))
    D, V = np.outer(x, x) - np.outer(y, y), polar_factor(rng.standard_normal((d, k)))
    for name, norm in NORMS.items():
        assert norm(D, V) <= supremum(name, d, k, Relation.REPLACE_ONE) * (1.0 + 1e-9)


def test_refuses_what_is_no_relation_or_dimension() -> None:
    with pytest.raises(ValueError, match="relation must be a Relation"):
        row_changes.frobenius(2, "swap")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"k must be in 1\.\.2, got 3"):
        row_changes.on_basis(2, 3)
