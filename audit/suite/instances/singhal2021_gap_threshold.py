"""Audits of the two estimators of singhal2021 that show the leading label by one noise: Algorithms 1 and 2.

What is shown depends on one number, the lead, which a record moves by 2: from 3 to 1, where the loss is the whole epsilon;
from 10 to 8; and from 2 to 0, where the label is shown with probability delta and never. The epsilons are those of a label
that is shown with the probabilities P(Z > A - lead) of truncated Laplace noise (tests/test_expected.py integrates its density).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from dppca.audit.enclosure.finite import epsilon_of_laws
from dppca.audit.engine.results import Claim
from dppca.audit.suite.instance import Audits, Built, Exact, Maximiser, Output, Transcript, sampled
from dppca.audit.suite.instances.singhal2021 import label, nearest_line
from dppca.reference.catalog import ALGORITHMS
from dppca.reference.noise import Algorithm
from dppca.reference.singhal2021.gap_threshold import GapThresholdLaw

THRESHOLD = "singhal2021.exact_subspace_estimator_threshold"
GAP_MAX = "singhal2021.approximate_subspace_estimator_gap_max"
COMMON, HALF = Claim(1.0, 0.01), Claim(1.0, 0.005)
#: Counts of a pair's first dataset: of the leading label, of the second and of a third; a record goes from first to second.
LEADS = {"lead 3 or 1": (21, 17, 1), "lead 10 or 8": (25, 14, 0), "lead 2 or 0": (21, 18, 0)}
#: Blocks at COMMON: 3 + 4A, rounded up; rows of a block.
T, M = 39, 3


def _views(algorithm: Algorithm[Any], calibration: Any, name: str, pair: tuple[Any, Any], how: Output) -> Iterator[Built]:
    """Yield the exact law of a label with this lead and with 2 less; the transcript; the output."""
    lead = int(name.split()[1])
    law = GapThresholdLaw(calibration.scale, calibration.bound)
    p, q = ({1: law.shown(lead - moved), 0: 1.0 - law.shown(lead - moved)} for moved in (0, 2))
    for claim in (COMMON, HALF) if lead == 2 else (COMMON,):
        epsilon = epsilon_of_laws(p, q, claim.delta * (1.0 + 1e-9))
        yield Built("exact", name, claim, Exact(lambda e=epsilon, c=claim: (e <= c.epsilon * (1.0 + 1e-9), e), *pair))
        yield Built("transcript", name, claim, Transcript(algorithm, *pair))
        yield Built("output", name, claim, how)


def _threshold(choice: str) -> Iterator[Built]:
    """Points on three lines."""
    arguments = {"epsilon": COMMON.epsilon, "delta": COMMON.delta, "ell": 0, "k": 1}
    entry = ALGORITHMS[THRESHOLD]
    algorithm = entry.bind(**arguments, choices=entry.choices[choice])
    calibration = entry.calibrate(COMMON.epsilon, COMMON.delta, 0) if entry.calibrate else None
    for name, (first, second, third) in LEADS.items():
        points = [[[1, 0]] * (first - moved) + [[1, 1]] * third + [[0, 1]] * (second + moved) for moved in (0, 1)]
        pair = points[0], points[1]
        how = Output(sampled(algorithm), *pair, features=label, arguments=arguments)
        yield from _views(algorithm, calibration, name, pair, how)


def _gap_max(choice: str) -> Iterator[Built]:
    """Blocks of rows on three lines; one row takes its block from the first line to the last."""
    arguments = {"epsilon": COMMON.epsilon, "delta": COMMON.delta, "gamma": 1e-5, "n": T * M, "d": 2, "k": 1}
    entry = ALGORITHMS[GAP_MAX]
    algorithm = entry.bind(**arguments, choices=entry.choices[choice])
    target = {name: arguments[name] for name in ("epsilon", "delta", "gamma", "n", "d", "k")}
    calibration = entry.calibrate(**target) if entry.calibrate else None
    for name, counts in LEADS.items():
        line = np.repeat([0.0, 1.0, 2.0], [counts[0], counts[2], counts[1]])
        angles = math.pi / 3.0 * np.repeat(line, M)
        data = np.column_stack([np.cos(angles), np.sin(angles)])
        neighbour = data.copy()
        neighbour[0] = 1e9 * data[-1]
        how = Output(sampled(algorithm), data, neighbour, partial(nearest_line, t=3), arguments)
        yield from _views(algorithm, calibration, name, (data, neighbour), how)


AUDITS = [Audits(THRESHOLD, _threshold), Audits(GAP_MAX, _gap_max)]
_CLAIMS = ("singhal2021.algorithm-1-null-threshold", "singhal2021.algorithm-2-gap-max-selection")
for _audits, _claim in zip(AUDITS, _CLAIMS, strict=True):
    for _name, _epsilon in (("lead 3 or 1", 1.0), ("lead 10 or 8", 0.847994), ("lead 2 or 0", 0.0)):
        _audits.of("CORRECTED", "exact", _name, COMMON, epsilon=_epsilon)
    _audits.of("CORRECTED", "transcript", "lead 10 or 8", COMMON, epsilon=0.847994, trials=500)
    _audits.of("CORRECTED", "output", "lead 10 or 8", COMMON, epsilon=0.847994, trials=500)
    _audits.of("CORRECTED", "output", "lead 2 or 0", COMMON, epsilon=0.0, trials=500)
    # The leading label is shown with probability delta on one dataset alone, whatever epsilon is.
    _half: Any = {"epsilon": math.inf, "because": _claim, "target": COMMON}
    _audits.of("CORRECTED", "exact", "lead 2 or 0", HALF, "REFUTED", **_half)

_ZEROS = np.zeros((119, 2))
MAXIMISERS = {
    THRESHOLD: Maximiser({"k": 1, "ell": 0}, ([[1, 0]] * 3, [[1, 0]] * 2 + [[0, 1]]), ("subspace",)),
    GAP_MAX: Maximiser({"d": 2}, (np.vstack([np.eye(1, 2), _ZEROS]), np.vstack([np.eye(1, 2, 1), _ZEROS])), ("cell",)),
}
