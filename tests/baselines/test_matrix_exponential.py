"""The matrix exponential mechanism: its multiplier and its law."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from dppca.reference.baselines import matrix_exponential
from dppca.reference.primitives.matrix_bingham import MatrixBinghamLaw


def test_multiplier_of_the_matrix_exponential_mechanism_spends_no_more_than_epsilon() -> None:
    three = matrix_exponential.Choices(3.0)
    for epsilon in (k / 7.0 for k in range(1, 50)):
        assert matrix_exponential.calibrate(epsilon).multiplier == epsilon / 2.0  # which is exact
        spent = 2 * 3 * Fraction(matrix_exponential.calibrate(epsilon, three).multiplier)
        assert Fraction(epsilon) * (1 - Fraction(1, 2**51)) <= spent <= Fraction(epsilon)


def test_what_a_complement_of_a_direction_is_and_what_its_score_changes_by() -> None:
    """A basis of all but one dimension; scores of diag(3, 1, 0) and of none differ by 3 + 1 at most, in either order."""
    law, value = MatrixBinghamLaw(0.5), np.diag([3.0, 1.0, 0.0])
    assert law.can_release(value, np.eye(3)[:, 1:])
    for other in (np.eye(4)[:, :2], np.eye(3)[:, :1], np.eye(3), np.ones((3, 2)), None):
        assert not law.can_release(value, other)
    assert law.change(value, np.zeros((3, 3))) == pytest.approx(4.0)
    assert law.change(np.zeros((3, 3)), value) == pytest.approx(4.0)
