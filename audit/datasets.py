"""Real rows for audits: the RAND Health Insurance Experiment, which ships with statsmodels.

Scaling is public: the constants below come from the variables' published definitions, never from the rows.
Each client then clips its own row to the unit ball, so that the algorithms' precondition is a fact.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray
from statsmodels.datasets import randhie

from reference.primitives.clipping import clip_to_unit_ball

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
    """Scaled and clipped rows, shape (20190, 10), each in the unit ball. The array is read-only."""
    frame = randhie.load_pandas().data[list(RAND_LIMITS)]
    scaled = frame.to_numpy(dtype=np.float64) / np.array(list(RAND_LIMITS.values())) / RAND_RADIUS
    rows = np.array([clip_to_unit_ball(row) for row in scaled])
    rows.flags.writeable = False
    return rows
