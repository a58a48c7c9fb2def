"""Checks of the two estimators of singhal2021 that show the leading label by one noise. The proofs are in the note.

The code's own values (lead and label) are taken from its releases on every dataset of small domains; their laws are then
computed with integer noise, in fractions.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator
from fractions import Fraction
from itertools import combinations_with_replacement
from typing import Any, TypeAlias

import numpy as np

from dppca.proofs_notes.ledger.evidence import Evidence, verdict
from dppca.reference.noise import Algorithm, condition, record
from dppca.reference.primitives.truncated_laplace import DiscreteTruncatedLaplace, profile
from dppca.reference.rigour.divergence import hockey_stick
from dppca.reference.singhal2021 import algorithm_1_threshold as exact
from dppca.reference.singhal2021 import algorithm_2_gap_max as approximate
from dppca.reference.singhal2021.gap_threshold import LEAD_SENSITIVITY, GapThresholdLaw, labelled

FiniteLaw: TypeAlias = dict[Hashable, Fraction]

_LINES = ((1, 0), (0, 1), (1, 1))
_PLANE = ((0, 0), *_LINES)
_SPACE = ((1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0))
#: Targets at which the calibrations and the law of the release are compared with closed forms.
_TARGETS = ((0.1, 0.01), (1.0, 1e-6), (4.0, 0.1), (8.0, 0.5))


def _law(value: tuple[float, ...], noise: DiscreteTruncatedLaplace) -> FiniteLaw:
    """Return what is shown for a value [lead, label...] with integer noise in the place of the continuous one."""
    lead, label = int(value[0]), value[1:]
    shown = sum((mass for x, mass in noise.mass.items() if lead + x > noise.bound), Fraction(0))
    return {label: shown, None: 1 - shown} if shown else {None: Fraction(1)}


def _worst(values: dict[tuple[int, ...], tuple[float, ...]], noise: DiscreteTruncatedLaplace) -> tuple[Fraction, int]:
    """The largest delta at e^epsilon = ratio^2 over all pairs of counts that differ in one record, and how many there are."""
    laws = {counts: _law(value, noise) for counts, value in values.items()}
    found = [hockey_stick(laws[x], laws[y], noise.ratio**2) for x in laws for y in _moved(x) if y in laws]
    return max(found), len(found)


def _moved(counts: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Yield the counts after one record went elsewhere."""
    for i in range(len(counts)):
        for j in range(len(counts)):
            if counts[i] and i != j:
                yield tuple(count - (place == i) + (place == j) for place, count in enumerate(counts))


def _released(algorithm: Algorithm[Any], data: Any) -> tuple[float, ...]:
    """Return the value of the algorithm's only release on a dataset."""
    _, tape = record(algorithm, data, np.random.default_rng(0))
    (term,) = condition(algorithm, data, tape).terms
    return tuple(term.value.tolist())


def _noise_fits(calibrations: list[Any]) -> bool:
    """The noise of each calibration has at most its delta at a shift of 2, nearly all of it, and the law is that noise."""
    good = True
    for c in calibrations:
        delta = profile(c.epsilon, LEAD_SENSITIVITY, c.scale, c.bound)
        good = good and (1.0 - 1e-9) * c.delta <= delta <= (1.0 + 1e-9) * c.delta and c.sensitivity == 2
        law, a = GapThresholdLaw(c.scale, c.bound), math.exp(-c.bound / c.scale)
        for lead in (0.0, 0.5 * c.bound, c.bound, 1.5 * c.bound, 2.0 * c.bound):
            tail = (math.exp(min(lead, 2.0 * c.bound - lead) / c.scale) - 1.0) * a / (2.0 * (1.0 - a))
            expected = tail if lead <= c.bound else 1.0 - tail
            good = good and abs(law.shown(lead) - expected) <= 1e-12
            for draw in (0.001, 0.2, 0.45, 0.55, 0.9, 0.999):
                size = -c.scale * math.log(1.0 - abs(2.0 * draw - 1.0) * (1.0 - a))  # the inverse distribution function
                noise = math.copysign(size, draw - 0.5)
                label = law.apply(np.array([lead, 7.0]), np.array(draw))
                good = good and (label is not None) == (lead + noise > c.bound) and (label is None or label.tolist() == [7.0])
    return good


def algorithm_1_threshold() -> Evidence:
    """On every dataset of small domains: delta over all pairs, where certainty starts, and the calibration's noise."""
    within, reached, pairs = True, False, 0
    for domain, k, n, bound in ((_LINES, 1, 14, 3), (_PLANE, 1, 9, 2), (_SPACE, 2, 7, 1)):
        calibration = _calibrated(1.0, 0.01)
        values = {}
        for S in combinations_with_replacement(range(len(domain)), n):
            points = [list(domain[i]) for i in S]
            run = _bound(calibration, k)
            counts = tuple(S.count(i) for i in range(len(domain)))
            values[counts] = _released(run, points)
            if domain is _LINES:  # the score of a line is its number of points
                first, second = sorted(counts, reverse=True)[:2]
                within = within and values[counts][0] == max(0, first - second - 1)
        noise = DiscreteTruncatedLaplace(Fraction(2), bound)
        worst, count = _worst(values, noise)
        delta = noise.profile(noise.ratio**2, 2)
        within, reached, pairs = within and worst <= delta, reached or worst == delta, pairs + count
    calibrations = [_calibrated(*target) for target in _TARGETS]
    certain = all(c.sufficient_n > 2.0 * c.bound + 1.0 >= c.sufficient_n - 1 for c in calibrations) and all(
        GapThresholdLaw(c.scale, c.bound).shown(c.sufficient_n - 1.0) == 1.0 for c in calibrations
    )
    return Evidence(
        verdict(printed=within and reached and certain and _noise_fits(calibrations)),
        f"{pairs} pairs are within the delta of the noise, which is reached; s_1 is certain exactly when its value exceeds 2A.",
    )


def _calibrated(epsilon: float, delta: float) -> exact.ThresholdCalibration:
    """Return the calibration for ell = 0."""
    return exact.calibrate(epsilon, delta, 0)


def _bound(calibration: exact.ThresholdCalibration, k: int) -> Algorithm[Any]:
    return lambda X, noise: exact.exact_subspace_estimator_threshold(X, k, calibration, noise)


def selection_by_the_lead() -> Evidence:
    """All counts of 6 and 9 blocks in 2 to 4 cells, through the code's lead; certainty; the calibration's noise."""
    within, reached, pairs = True, False, 0
    for ratio, bound in ((Fraction(3, 2), 2), (Fraction(3), 2), (Fraction(5), 1)):
        noise = DiscreteTruncatedLaplace(ratio, bound)
        delta = noise.profile(ratio**2, 2)
        for blocks in (6, 9):
            for cells in (2, 3, 4):
                values = {}
                for S in combinations_with_replacement(range(cells), blocks):
                    lead, cell = approximate.leading_cell(np.array(S, dtype=float)[:, np.newaxis])
                    counts = tuple(S.count(i) for i in range(cells))
                    values[counts] = tuple(labelled(lead, cell, 1).tolist())
                    first, second = sorted(counts, reverse=True)[:2]
                    within = within and lead == max(0, first - second - 1) and counts[int(cell[0])] == first
                worst, count = _worst(values, noise)
                within, reached, pairs = within and worst <= delta, reached or worst == delta, pairs + count
    calibrations = [approximate.calibrate(*target, 1e-4, n=10_000, d=3, k=1) for target in _TARGETS if target[0] >= 1.0]
    certain = True
    for c in calibrations:
        lead = 2 * math.ceil(0.75 * c.t) - c.t - 1
        certain = certain and lead > 2.0 * c.bound and c.t <= 12.0 + 8.0 * math.log(1.0 / c.delta) / c.epsilon
    return Evidence(
        verdict(printed=within and reached and certain and _noise_fits(calibrations)),
        f"{pairs} pairs of counts are within the delta of the noise, which is reached; three quarters of t are certain.",
    )
