"""Rounding told from noise: outputs on a coarser grid, on which what only the rounding of floats shows is gone.

Noise in floating point gives a mechanism away in the last bits of its outputs, whatever the noise is over the reals. To an
adversary that is a leak like any other; to a reader who looks for a fault of the algorithm it is another matter. So an event
that lives on values which repeat and lie within rounding of each other is distinguished: on the grid such values are one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from dppca.audit.auditor.outputs import Outputs

Float: TypeAlias = NDArray[np.float64]

#: The grid's step is this share of a number's size, or of the usual size of the output's numbers where that is larger.
_STEP = 2.0**-40
#: Entries in which repeated values are looked for.
_LOOKED_AT = 2_000_000


@dataclass(frozen=True)
class Grid:
    """The grid for outputs of one kind.

    Attributes:
        columns: of the numbers; those whose values are all whole numbers are not among them.
        sizes: their usual size, a power of two each.
    """

    columns: NDArray[np.int64]
    sizes: Float

    @classmethod
    def of(cls, data: Outputs, neighbour: Outputs) -> Grid:
        """Return the grid that discovery data suggest."""
        pooled = np.concatenate([data.numbers, neighbour.numbers])
        rows = max(1, _LOOKED_AT // max(pooled.shape[1], 1))
        pooled = pooled[:: max(1, len(pooled) // rows)]
        with np.errstate(invalid="ignore"):
            broken = ~((pooled == np.floor(pooled)) | np.isnan(pooled))
        columns = np.flatnonzero(broken.any(axis=0))
        sizes = np.array([_usual_size(pooled[:, j]) for j in columns])
        largest = sizes.max(initial=0.0)
        if largest < _STEP:  # nothing but what rounding may have left
            largest = 1.0
        return cls(columns, np.full(len(columns), 2.0 ** np.ceil(np.log2(largest))))

    def __call__(self, outputs: Outputs) -> Outputs:
        """Return outputs whose numbers are on the grid."""
        if not len(self.columns):
            return outputs
        numbers = outputs.numbers.copy()
        for j, size in zip(self.columns, self.sizes, strict=True):
            numbers[:, j] = _rounded(numbers[:, j], size)
        return replace(outputs, numbers=numbers)

    def merges(self, data: Outputs, neighbour: Outputs) -> bool:
        """Return whether values of which one repeats become one on the grid."""
        rows = max(1, _LOOKED_AT // max(len(self.columns), 1))
        for j, size in zip(self.columns, self.sizes, strict=True):
            values = np.concatenate([data.numbers[:rows, j], neighbour.numbers[:rows, j]])
            unique, counts = np.unique(values[~np.isnan(values)], return_counts=True)
            same = np.flatnonzero(np.diff(_rounded(unique, size)) == 0.0)
            if np.any(np.maximum(counts[same], counts[same + 1]) > 1):
                return True
        return False


def _usual_size(column: Float) -> float:
    sizes = np.abs(column[~np.isnan(column) & (column != 0.0)])
    return float(np.median(sizes)) if len(sizes) else 0.0


def _rounded(values: Float, size: float) -> Float:
    _, exponent = np.frexp(np.maximum(np.abs(values), size))
    step = np.ldexp(_STEP, exponent)
    return np.asarray(np.round(values / step) * step + 0.0)
