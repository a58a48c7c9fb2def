"""Audits of the two estimators of singhal2021 that show the leading label by one noise: Algorithms 1 and 2.

What is shown depends on one number, the lead, which a record moves by 2: from 3 to 1, where the loss is the whole epsilon;
from 10 to 8; and from 2 to 0, where the label is shown with probability delta and never. The epsilons are those of a label
that is shown with the probabilities P(Z > A - lead) of truncated Laplace noise (`test_expected.py` integrates its density).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from dppca.audit.auditor.results import Claim
from dppca.audit.suite.instance import Exact, Instance, Maximiser, Setup
from dppca.audit.suite.setups import OnPair
from dppca.audit.suite.singhal2021.audits import label, nearest_line
from dppca.reference.catalog import ALGORITHMS
from dppca.reference.rigour.finite import epsilon_of_laws
from dppca.reference.singhal2021.gap_threshold import GapThresholdLaw

THRESHOLD = "singhal2021.exact_subspace_estimator_threshold"
GAP_MAX = "singhal2021.approximate_subspace_estimator_gap_max"
COMMON, HALF = Claim(1.0, 0.01), Claim(1.0, 0.005)
#: Counts of a pair's first dataset: of the leading label, of the second and of a third; a record goes from first to second.
LEADS = {"lead 3 or 1": (21, 17, 1), "lead 10 or 8": (25, 14, 0), "lead 2 or 0": (21, 18, 0)}
#: Blocks at COMMON: 3 + 4A, rounded up; rows of a block.
T, M = 39, 3


def _points(counts: tuple[int, int, int]) -> tuple[Any, Any]:
    """Return points on three lines."""
    first, second, third = counts
    points = [[[1, 0]] * (first - moved) + [[1, 1]] * third + [[0, 1]] * (second + moved) for moved in (0, 1)]
    return points[0], points[1]


def _blocks(counts: tuple[int, int, int]) -> tuple[Any, Any]:
    """Return blocks of rows on three lines; one row takes its block from the first line to the last."""
    line = np.repeat([0.0, 1.0, 2.0], [counts[0], counts[2], counts[1]])
    angles = math.pi / 3.0 * np.repeat(line, M)
    data = np.column_stack([np.cos(angles), np.sin(angles)])
    neighbour = data.copy()
    neighbour[0] = 1e9 * data[-1]
    return data, neighbour


def _exact(name: str, pair: tuple[Any, Any], sizes: Mapping[str, Any]) -> Setup:
    """The exact law of a label with this lead and with 2 less."""
    lead = int(name.split()[1])

    def how(of: Instance) -> Exact:
        calibration = ALGORITHMS[of.algorithm].calibrate(COMMON.epsilon, COMMON.delta, **sizes)
        law = GapThresholdLaw(calibration.scale, calibration.bound)
        p, q = ({1: law.shown(lead - moved), 0: 1.0 - law.shown(lead - moved)} for moved in (0, 2))
        epsilon = epsilon_of_laws(p, q, of.claim.delta * (1.0 + 1e-9))
        return Exact(lambda: (epsilon <= of.claim.epsilon * (1.0 + 1e-9), epsilon), *pair)

    return Setup("exact", name, how)


_BLOCK_SIZES = {"gamma": 1e-5, "n": T * M, "d": 2, "k": 1}
AUDITS: list[Instance] = []
for _key, _made, _sizes, _calibrated, _features, _claim in (
    (THRESHOLD, _points, {"ell": 0, "k": 1}, {"ell": 0}, label, "singhal2021.algorithm-1-null-threshold"),
    (
        GAP_MAX,
        _blocks,
        _BLOCK_SIZES,
        _BLOCK_SIZES,
        partial(nearest_line, t=3),
        "singhal2021.algorithm-2-gap-max-selection",
    ),
):
    _law = {name: _exact(name, _made(counts), _calibrated) for name, counts in LEADS.items()}
    _run = {name: OnPair(name, _made(counts), _sizes) for name, counts in LEADS.items()}
    _high, _low = _run["lead 10 or 8"], _run["lead 2 or 0"]
    AUDITS += [
        Instance(_key, "CORRECTED", _law["lead 3 or 1"], COMMON, epsilon=1.0),
        Instance(_key, "CORRECTED", _law["lead 10 or 8"], COMMON, epsilon=0.847994),
        Instance(_key, "CORRECTED", _law["lead 2 or 0"], COMMON, epsilon=0.0),
        Instance(_key, "CORRECTED", _high.transcript, COMMON, epsilon=0.847994, trials=500),
        Instance(_key, "CORRECTED", _high.output("lead 10 or 8", _features), COMMON, epsilon=0.847994, trials=500),
        Instance(_key, "CORRECTED", _low.output("lead 2 or 0", _features), COMMON, epsilon=0.0, trials=500),
        # The leading label is shown with probability delta on one dataset alone, whatever epsilon is.
        Instance(_key, "CORRECTED", _law["lead 2 or 0"], HALF, "REFUTED", epsilon=math.inf, because=_claim, target=COMMON),
    ]

_ZEROS = np.zeros((119, 2))
MAXIMISERS = {
    THRESHOLD: Maximiser({"k": 1, "ell": 0}, ([[1, 0]] * 3, [[1, 0]] * 2 + [[0, 1]]), ("subspace",)),
    GAP_MAX: Maximiser({"d": 2}, (np.vstack([np.eye(1, 2), _ZEROS]), np.vstack([np.eye(1, 2, 1), _ZEROS])), ("cell",)),
}
