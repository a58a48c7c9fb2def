"""Features of outputs that are directions or subspaces: no sign and no rotation of a basis may matter.

They are the argument `features` of `audit.lower_bound` and `audit.check`:

    audit.check(mechanism, data, neighbour, claim, features=audit.Subspace())
    audit.check(mechanism, data, neighbour, claim, features=audit.Subspace.facing(data, neighbour))
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dppca.reference.primitives.subspaces import projector
from dppca.reference.primitives.symmetric import upper_triangle
from dppca.reference.rigour.validation import as_floats

#: Columns count as orthonormal, and singular values as zero, to this.
TOLERANCE = 1e-6


@dataclass(frozen=True, eq=False)
class Subspace:
    """Computes what depends on the span of a unit vector or a basis alone; leaves any other output as it is.

    The numbers are the upper triangle of the projector onto the span; with canaries, after it the cosines of the
    principal angles between the span and theirs, in falling order, and the squared length of each canary's projection.

    Attributes:
        canaries: shape (r, d), directions that one dataset has and the other has not; None: no such numbers.

    Example:
        A direction and its opposite have the same features.

        >>> import dppca.audit as audit
        >>> import numpy as np
        >>> audit.Subspace()(np.array([1.0, 0.0])), audit.Subspace()(np.array([-1.0, 0.0]))
        (array([1., 0., 0.]), array([1., 0., 0.]))
    """

    canaries: NDArray[np.float64] | None = None

    def __post_init__(self) -> None:
        if self.canaries is None:
            return
        object.__setattr__(self, "canaries", as_floats("canaries", self.canaries))
        if self.canaries.ndim != 2 or not len(self.canaries):
            raise ValueError(f"canaries must have shape (r, d), r >= 1, got {self.canaries.shape}")
        lengths = np.linalg.norm(self.canaries, axis=1)
        if not (np.isfinite(lengths) & (lengths > 0.0)).all():
            raise ValueError(f"canaries must be finite and not 0, got lengths {lengths}")

    @classmethod
    def facing(cls, data: ArrayLike, neighbour: ArrayLike) -> Subspace:
        """Return features that take the rows in which two (n, d) datasets differ as canaries.

        Raises:
            ValueError: the datasets are no matrices of one shape, or equal.
        """
        rows, others = np.asarray(data, dtype=float), np.asarray(neighbour, dtype=float)
        if rows.ndim != 2 or rows.shape != others.shape:
            raise ValueError(f"data and neighbour must have one shape (n, d), got {rows.shape} and {others.shape}")
        changed = (rows != others).any(axis=1)
        canaries = np.concatenate([rows[changed], others[changed]])
        canaries = canaries[np.linalg.norm(canaries, axis=1) > 0.0]
        if not len(canaries):
            raise ValueError("data and neighbour must differ")
        return cls(canaries)

    def __call__(self, output: Any) -> Any:
        """Return the features of one output."""
        if not isinstance(output, np.ndarray) or output.ndim not in (1, 2):
            return output
        basis = output.reshape(len(output), -1)
        if np.abs(basis.T @ basis - np.eye(basis.shape[1])).max(initial=0.0) > TOLERANCE:
            return output
        entries = upper_triangle(projector(basis))
        if self.canaries is None:
            return entries
        if self.canaries.shape[1] != len(basis):
            raise ValueError(f"canaries must have {len(basis)} columns as the output has rows, got {self.canaries.shape[1]}")
        units = self.canaries / np.linalg.norm(self.canaries, axis=1, keepdims=True)
        _, spread, axes = np.linalg.svd(units, full_matrices=False)
        cosines = np.linalg.svd(axes[spread > TOLERANCE] @ basis, compute_uv=False)
        return np.concatenate([entries, cosines, np.sum((units @ basis) ** 2, axis=1)])
