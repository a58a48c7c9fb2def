"""Features of subspaces: functions of the span, and what they let an audit see."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.linalg import subspace_angles
from scipy.stats import ortho_group

from dppca import audit

pytestmark = pytest.mark.usefixtures("without_new_processes")

CANARIES = np.array([[2.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, -0.5]])


def _basis(d: int, k: int, seed: int) -> np.ndarray:
    return np.asarray(ortho_group.rvs(d, random_state=seed))[:, :k]


@pytest.mark.parametrize("k", [1, 2, 3, 4])
@pytest.mark.parametrize("canaries", [None, CANARIES])
def test_sign_and_rotation_do_not_matter(k: int, canaries: np.ndarray | None) -> None:
    basis = _basis(4, k, 1)
    turned = basis @ (ortho_group.rvs(k, random_state=2) if k > 1 else -np.eye(1))
    features = audit.Subspace(canaries)
    assert features(turned) == pytest.approx(features(basis), abs=1e-12)
    assert np.abs(features(_basis(4, k, 3)) - features(basis)).max() > 0.1 or k == 4


def test_the_span_can_be_had_back() -> None:
    basis = _basis(4, 2, 5)
    matrix = np.zeros((4, 4))
    matrix[np.triu_indices(4)] = audit.Subspace()(basis)
    np.testing.assert_allclose(matrix + np.triu(matrix, 1).T, basis @ basis.T, atol=1e-15)


def test_principal_angles_to_canaries() -> None:
    basis = _basis(4, 2, 7)
    cosines, lengths = np.split(audit.Subspace(CANARIES)(basis)[10:], [2])
    angles = subspace_angles(basis, CANARIES.T / np.linalg.norm(CANARIES, axis=1))
    np.testing.assert_allclose(cosines, np.cos(angles)[::-1], atol=1e-12)
    np.testing.assert_allclose(lengths, [np.sum(basis[0] ** 2), np.sum(basis[3] ** 2)], atol=1e-15)


def test_dependent_canaries_have_one_angle() -> None:
    features = audit.Subspace(np.array([[1.0, 0.0], [-3.0, 0.0]]))(np.array([0.6, 0.8]))
    assert features == pytest.approx([0.36, 0.48, 0.64, 0.6, 0.36, 0.36])


@pytest.mark.parametrize("output", [None, "refused", 3, 0.5, np.array([3.0, 4.0]), np.ones((3, 2)), np.ones((2, 2, 2))])
def test_what_is_no_subspace_stays(output: Any) -> None:
    assert audit.Subspace()(output) is output


def test_canaries_are_the_rows_that_differ() -> None:
    data = np.eye(3)
    neighbour = data.copy()
    neighbour[1] = [0.0, 0.0, 0.5]
    canaries = audit.Subspace.facing(data, neighbour).canaries
    np.testing.assert_array_equal(canaries, [[0.0, 1.0, 0.0], [0.0, 0.0, 0.5]])
    neighbour[1] = 0.0
    np.testing.assert_array_equal(audit.Subspace.facing(data, neighbour).canaries, [[0.0, 1.0, 0.0]])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: audit.Subspace(np.zeros(3)), r"canaries must have shape \(r, d\), r >= 1, got \(3,\)"),
        (lambda: audit.Subspace(np.zeros((0, 3))), "r >= 1"),
        (lambda: audit.Subspace(np.zeros((1, 3))), "finite and not 0"),
        (lambda: audit.Subspace(np.full((1, 3), np.nan)), "finite and not 0"),
        (lambda: audit.Subspace.facing(np.eye(2), np.eye(2)), "data and neighbour must differ"),
        (lambda: audit.Subspace.facing(np.eye(2), np.eye(3)), "one shape"),
        (lambda: audit.Subspace(CANARIES)(np.array([1.0, 0.0])), "canaries must have 2 columns as the output has rows, got 4"),
    ],
)
def test_bad_canaries(make: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()


def test_signs_drawn_at_random_hide_nothing() -> None:
    """A line that tells the datasets apart for certain, with a random sign: the features show it, whatever the sign."""

    def mechanism(data: float, rng: np.random.Generator) -> np.ndarray:
        angle = data + 0.1 * rng.normal()
        return np.asarray(rng.choice([-1.0, 1.0]) * np.array([[np.cos(angle)], [np.sin(angle)]]))

    bound = audit.lower_bound(mechanism, 0.0, 1.5, trials=2000, features=audit.Subspace())
    assert bound.epsilon > 4.0
