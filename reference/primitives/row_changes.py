"""How far a change of one row can move X^T X, for rows in the unit ball: every supremum with its maximiser.

Replacing a row x by y moves X^T X by D = x x^T - y y^T; adding or removing x moves it by D = +-x x^T.
For |x|, |y| <= 1 the matrix D has at most one eigenvalue a > 0 and at most one -b < 0, and
    a <= lambda_max(x x^T) <= 1,   b <= lambda_max(y y^T) <= 1   (Weyl),   a - b = |x|^2 - |y|^2.
Every supremum below follows from 0 <= a, b <= 1, and is reached by the pair named with it.
"""

from __future__ import annotations

import math

from dppca.reference.relation import Relation
from dppca.reference.rigour.validation import check_count, check_subspace_dimension


def frobenius(d: int, relation: Relation = Relation.REPLACE_ONE) -> float:
    """Return sup ||D||_F = sqrt(a^2 + b^2): sqrt(2) at x = e_1, y = e_2; for d = 1, or add-remove, 1 at x = e_1, y = 0.

    It is also the L2 supremum over the upper triangle (diagonal included): that norm is at most ||D||_F, and
    the maximisers are diagonal.
    """
    return math.sqrt(2.0) if _two_signs(d, relation) else 1.0


def nuclear(d: int, relation: Relation = Relation.REPLACE_ONE) -> float:
    """Return sup ||D||_* = a + b: 2 at x = e_1, y = e_2; for d = 1, or add-remove, 1 at x = e_1, y = 0."""
    return 2.0 if _two_signs(d, relation) else 1.0


def spectral() -> float:
    """Return sup ||D||_2 = max(a, b): 1 for either relation and every d, at x = e_1, y = 0.

    It is also the sensitivity of the score v^T X^T X v of a unit vector v.
    """
    return 1.0


def on_basis(d: int, k: int, relation: Relation = Relation.REPLACE_ONE) -> float:
    """Return sup ||D V||_F, over orthonormal V (d, k) as well: min(sqrt(k), ||D||_F), so 1 for k = 1.

    For k = 1 it is at most ||D||_2 <= 1, at V = x = e_1, y = 0; for k >= 2 at most ||D||_F, at V = [e_1, e_2],
    x = e_1, y = e_2 (add-remove: 1, at x = e_1).
    """
    return 1.0 if check_subspace_dimension(k, d) == 1 else frobenius(d, relation)


def _two_signs(d: int, relation: Relation) -> bool:
    """Return whether D may have eigenvalues of both signs. A local client's row is replaced by any other one."""
    if not isinstance(relation, Relation):
        raise ValueError(f"relation must be a Relation, got {relation!r}")  # noqa: TRY004 - every refusal is a ValueError
    return check_count("d", d) >= 2 and relation is not Relation.ADD_REMOVE
