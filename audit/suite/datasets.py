"""Real rows for audits and experiments: the RAND Health Insurance Experiment, which ships with statsmodels.

Scaling is public: the constants below come from the variables' published definitions, never from the rows.
Each client then clips its own row to the unit ball, so that the algorithms' precondition is a fact.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dppca.reference.primitives.clipping import clip_to_unit_ball

#: Public range [0, limit] of each variable, larger values are clipped with the row. ln(101) is the largest
#: ln(coinsurance + 1); visits and diseases have no published maximum, a round number is taken.
RAND_LIMITS = {
    "mdvis": 20.0,
    "lncoins": float(np.log(101.0)),
    "idp": 1.0,
    "lpi": 8.0,
    "fmde": 9.0,
    "physlm": 1.0,
    "disea": 60.0,
    "hlthg": 1.0,
    "hlthf": 1.0,
    "hlthp": 1.0,
}
#: Rows are divided by this too; it puts most, not all, of them inside the unit ball before clipping.
RAND_RADIUS = 1.75


@cache
def rand_health() -> NDArray[np.float64]:
    """Return scaled and clipped rows, shape (20190, 10), each in the unit ball. The array is read-only."""
    from statsmodels.datasets import randhie  # noqa: PLC0415 - collection must stay cheap

    frame = randhie.load_pandas().data[list(RAND_LIMITS)]
    scaled = frame.to_numpy(dtype=np.float64) / np.array(list(RAND_LIMITS.values())) / RAND_RADIUS
    rows = np.array([clip_to_unit_ball(row) for row in scaled])
    rows.flags.writeable = False
    return rows


def load_svmlight(path: Path) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the rows, shape (n, d), and labels of a file of lines "label index:value ...", indices from 1."""
    lines = [line.split() for line in path.read_text(encoding="utf-8").splitlines()]
    entries = [[entry.split(":") for entry in line[1:]] for line in lines]
    X = np.zeros((len(lines), max(int(index) for row in entries for index, _ in row)))
    for row, values in zip(X, entries, strict=True):
        for index, value in values:
            row[int(index) - 1] = float(value)
    return X, np.array([int(float(line[0])) for line in lines])


def unit_rows(X: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return each row divided by its length."""
    return np.asarray(X / np.linalg.norm(X, axis=1, keepdims=True))
