"""What the file of an algorithm needs beside its own paper: the noise interface, readings, the declaration, data, types."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from dppca.reference.arguments import checked
from dppca.reference.declaration import Example, RealRows, Returns, TheoremCondition, UnitRows, declare
from dppca.reference.example_rows import ROWS, rows_example
from dppca.reference.noise import Noise
from dppca.reference.readings import Readings, point
from dppca.reference.relation import Relation

__all__ = [
    "ROWS",
    "Example",
    "Matrix",
    "Noise",
    "Readings",
    "RealRows",
    "Relation",
    "Returns",
    "TheoremCondition",
    "UnitRows",
    "checked",
    "declare",
    "point",
    "rows_example",
]

#: A vector or a matrix of real numbers; shapes are stated where they matter.
Matrix: TypeAlias = NDArray[np.float64]
