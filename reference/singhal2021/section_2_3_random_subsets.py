"""Algorithm 1 over random subsets (singhal2021, section 2.3, "Computational Efficiency").

Guarantee claimed: (epsilon, delta)-DP once the failure probability is added to delta; print sketches this only.
Claims: singhal2021.section-2.3-random-subsets.

What makes it true here:
  R1 Candidates are the independent ones among m subsets of k row indices, drawn with replacement and independent
     of the data. With r = u(X, s) each index in turn leaves the span of the previous ones, inside s, with
     probability at least r / n, so one subset spans s with probability at least (r / n)^k.
  R2 A subspace of small score is missed often, so scores must not matter up to a floor tau: the value of s_1 is
     max(0, u(X, s_1) - max(u(X, s_2), tau) - 1), which has L1 sensitivity 2 as before. With scores on all
     subspaces this is (epsilon, delta_noise)-DP, and sampling changes its value only if s_1 or s_2 is missed
     while its score is above tau: with probability at most beta = 2 (1 - ((tau + 1) / n)^k)^m.
  R3 The subsets are independent of the noise, so the output laws on neighbours are (1 - b) P + b R and
     (1 - b') Q + b' R' with b, b' <= beta, where P and Q are those without sampling. That is
     (epsilon, delta_noise + (1 - delta_noise) beta)-DP. The subsets stay hidden; shown, they would cost 2 beta.
Cost: m subsets instead of C(n, k). One score still takes a maximum over (k - 1)-subsets of the points in s, so
the running time stays O(m n^k) by `score`; random subsets alone do not make Algorithm 1 polynomial in k.
Symbols: as in `algorithm_1_exact`; R the index subsets, m of them; tau the floor.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dppca.reference.choices import Choice
from dppca.reference.noise import Noise
from dppca.reference.primitives.validation import check_delta, check_subspace_dimension
from dppca.reference.singhal2021.algorithm_1_exact import (
    CORRECTED,
    GapMaxCalibration,
    calibrate,
    candidate_scores,
    line_11_values,
)
from dppca.reference.singhal2021.exact_linear_algebra import Subspace, exact_rows
from dppca.reference.singhal2021.gap_max import GapMaxLaw, check_representable, decode, encode


@dataclass(frozen=True)
class SamplingChoices:
    """Shares that print leaves open."""

    floor_share: Choice[float]
    delta_share: Choice[float]


CHOICES = SamplingChoices(
    floor_share=Choice(
        0.25,
        "tau = n / 4: a larger tau needs fewer subsets, ((tau + 1) / n)^-k ln(2 / beta), but n - 2 ell - tau - 1 "
        "has to reach 4A for accuracy",
        "singhal2021.section-2.3-random-subsets",
    ),
    delta_share=Choice(
        0.5,
        "half of delta for the noise, the rest for beta; either enters through its logarithm only",
        "singhal2021.section-2.3-random-subsets",
    ),
)


@dataclass(frozen=True)
class SamplingCalibration:
    """`gap_max` calibrates the noise at its share of delta; n and k are fixed because m depends on them."""

    gap_max: GapMaxCalibration
    n: int
    k: int
    floor: int
    subsets: int

    @property
    def miss_probability(self) -> float:
        """beta: bound on the probability that sampling changes the values of line 11."""
        hit = ((self.floor + 1) / self.n) ** self.k
        return 2.0 * (1.0 - hit) ** self.subsets

    @property
    def delta(self) -> float:
        """delta_noise + (1 - delta_noise) beta."""
        return self.gap_max.delta + (1.0 - self.gap_max.delta) * self.miss_probability


def calibrate_random_subsets(
    epsilon: float, delta: float, ell: int, *, n: int, k: int, choices: SamplingChoices = CHOICES
) -> SamplingCalibration:
    """Noise, floor and number of subsets for (epsilon, delta)-DP in total.

    Args:
        epsilon: target epsilon > 0.
        delta: target delta in (0, 1).
        ell: robustness parameter, >= 0.
        n: number of points, >= 1; public.
        k: dimension of the subspace sought, >= 1.
        choices: the shares of n and of delta.

    Returns:
        SamplingCalibration.

    Raises:
        ValueError: epsilon, delta, ell, n or k outside its range.
    """
    if n < 1 or k < 1:
        raise ValueError(f"n and k must be >= 1, got n = {n!r}, k = {k!r}")
    delta_noise = choices.delta_share.value * check_delta(delta)
    floor = math.floor(choices.floor_share.value * n)
    beta = (delta - delta_noise) / (1.0 - delta_noise)
    hit = ((floor + 1) / n) ** k
    subsets = math.ceil(math.log(0.5 * beta) / math.log1p(-hit)) if hit < 1.0 else 1
    return SamplingCalibration(calibrate(epsilon, delta_noise, ell, CORRECTED), n, k, floor, subsets)


def exact_subspace_estimator_random_subsets(
    X: Iterable[Iterable[Any]], calibration: SamplingCalibration, noise: Noise
) -> Subspace | None:
    """Algorithm 1 with m random subsets at line 3.

    Args:
        X: n rows of d integers or Fractions, n as calibrated.
        calibration: what `calibrate_random_subsets` returned; it holds k.
        noise: the seam. Draws: the secret indices "subsets", shape (m, k); the release "subspace".

    Returns:
        The subspace, or None for NULL.

    Raises:
        ValueError: X is no list of n exact rows of one length, has entries too large, or k is not in 1..d.
    """
    points = exact_rows("X", X)
    n, d, k = len(points), len(points[0]), calibration.k
    if n != calibration.n:
        raise ValueError(f"X must have the n = {calibration.n} rows of the calibration, got {n}")
    check_subspace_dimension(k, d)
    check_representable("X", points, k)
    gap_max = calibration.gap_max
    R = noise.secret_integers("subsets", n, (calibration.subsets, k))
    subsets = [tuple(int(i) for i in S) for S in R]
    scores, draw_of = candidate_scores(points, subsets, gap_max.choices)
    null_value, values = line_11_values(scores, Fraction(gap_max.null), gap_max.choices, calibration.floor)
    s_hat = noise.release(
        "subspace",
        encode(null_value, values, draw_of, k, d),
        GapMaxLaw(gap_max.scale, gap_max.bound, draws=1 + calibration.subsets),
        sensitivity=gap_max.sensitivity,
    )
    return decode(s_hat, d)
