"""Brackets on delta(epsilon) of DP-SPCA and DP-VRPCA: the accounts of `reference.accounting`, with what no noise can undercut.

Neighbours: one row replaced, n public. View: the transcript of the noisy gradients, the sampled indices hidden, the start
vector and the step sizes public. Whatever the algorithm outputs is computed from the transcript, so the upper bound holds
for the output too; the lower bound says what it is about.

DP-SPCA. Given the past, the noisy gradient is N(h_i, std^2 I) with i uniform, h_i the gradient of row i. From below: T copies
of ((1 - q) N(0) + q N(s), N(0)), q = 1/n, or of the same exchanged, are the transcript's law for two datasets (all rows but
one without effect; d = 1, or step sizes -> 0 and the row aligned with the start vector).

DP-VRPCA. The noisy gradient is N(-c x_i x_i^T (v - v~) - c A v~, std^2 I). From below: for step sizes -> 0 (v = v~) it is a
Gaussian release of sensitivity s / n.

Why the upper bounds are right: proofs_notes/accounting/note.md. They are certified where that takes seconds.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import logsumexp, ndtr

from dppca.audit.suite.accounting.lower_bounds import lower_delta
from dppca.reference.accounting import Mechanism, UniformIndex, VarianceReduced
from dppca.reference.accounting.mechanisms import Shape
from dppca.reference.accounting.search import delta_bound
from dppca.reference.primitives.gaussian import ANALYTIC_MARGIN, ANALYTIC_ROUNDING, profile
from dppca.reference.rigour.validation import check_count, check_positive

Points: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True)
class Bracket:
    """Bounds on the smallest delta at this epsilon, over all neighbours and public draws: it lies in [lower, upper]."""

    epsilon: float
    lower: float
    upper: float


def dp_spca(epsilon: float, n: int, T: int, std: float, sensitivity: float, shape: Shape = "diameter") -> Bracket:
    """Return the bracket of T steps of Algorithm 1.

    Args:
        epsilon: >= 0.
        n: number of rows; one is drawn uniformly in each step.
        T: number of steps.
        std: standard deviation of the noise, per coordinate.
        sensitivity: s, the largest L2 distance between the gradients of two rows.
        shape: "ball" for k = 1, where the gradients lie in a ball of diameter s.

    Raises:
        ValueError: an argument outside its range.
    """
    upper = dp_spca_upper(epsilon, n, T, std, sensitivity, shape)
    return Bracket(epsilon, dp_spca_lower(epsilon, n, T, std, sensitivity, upper), upper)


def dp_spca_upper(epsilon: float, n: int, T: int, std: float, sensitivity: float, shape: Shape = "diameter") -> float:
    """Return the upper bound of `dp_spca` alone."""
    return delta_bound(Mechanism(UniformIndex(n, shape), T, sensitivity), std, epsilon).delta


def dp_spca_lower(epsilon: float, n: int, T: int, std: float, sensitivity: float, delta: float = 1e-3) -> float:
    """Return the lower bound of `dp_spca` alone, for every k; `delta`, the size that it is made for, counts from 1e-15 on."""
    return lower_delta(Mechanism(UniformIndex(n, "ball"), T, sensitivity), std, epsilon, min(max(delta, 1e-15), 0.5))


def dp_vrpca(
    epsilon: float, n: int, steps: int, std: float, sensitivity: float, drift: float = 2.0, shape: Shape = "diameter"
) -> Bracket:
    """Return the bracket of Algorithm 2 with `steps` = T m noisy gradients, the full gradient's sign as corrected.

    Args:
        epsilon: >= 0.
        n: number of rows; one is drawn uniformly in each step.
        steps: number of noisy gradients in all epochs.
        std: standard deviation of the noise, per coordinate.
        sensitivity: s, the largest L2 change of x x^T V c for orthonormal V when x is replaced.
        drift: a bound on the spectral norm of V - V~; 2 always holds.
        shape: "ball" for k = 1.

    Raises:
        ValueError: an argument outside its range.
    """
    account = VarianceReduced(n, steps, sensitivity, shape, drift)
    mu = math.sqrt(steps) * sensitivity / check_positive("std", std) / n
    lower = profile(epsilon, mu / (1.0 + ANALYTIC_MARGIN + ANALYTIC_ROUNDING / mu))
    return Bracket(epsilon, lower, delta_bound(account, std, epsilon).delta)


def dp_spca_output_lower(epsilon: float, n: int, T: int, std: float, sensitivity: float) -> float:
    """Return a lower bound on delta(epsilon) of the final output of Algorithm 1, for d >= 2, k = 1 and step sizes -> 0.

    With step size eta the output is v_0 - eta (I - v_0 v_0^T) (sum of the noisy gradients) + O(eta^2). For
    v_0 = e_1, rows at -45 degrees to it and one row moved to +45 degrees, the gradients differ by s e_2, so
    <output, e_2> / -eta tends to N(K s, T std^2), K the number of times that the row was drawn: Binomial(T, 1/n)
    against 0, up to a shift. The likelihood ratio increases in the observation, so thresholds are the best tests.
    """
    q, r = 1.0 / check_count("n", n), check_positive("sensitivity", sensitivity) / check_positive("std", std)
    shift = r / math.sqrt(check_count("T", T))
    hits, log_weights = _binomial(T, q)
    weights = np.exp(log_weights)

    def log_ratio(y: float) -> float:
        return float(logsumexp(log_weights + shift * hits * (y - 0.5 * shift * hits)))

    def threshold(level: float) -> float:
        low, high = -40.0, 40.0 + shift * float(hits[-1])
        if log_ratio(low) >= level:
            return low
        if log_ratio(high) <= level:
            return high
        return float(brentq(lambda y: log_ratio(y) - level, low, high))

    above, below = threshold(epsilon), threshold(-epsilon)
    removed = float(weights @ ndtr(shift * hits - above)) - math.exp(epsilon) * float(ndtr(-above))
    added = float(ndtr(below)) - math.exp(epsilon) * float(weights @ ndtr(below - shift * hits))
    return max(0.0, removed, added)


def _binomial(T: int, q: float) -> tuple[Points, Points]:
    """Return the numbers of hits and the logarithms of their probabilities, where these matter."""
    from scipy.stats import binom  # noqa: PLC0415 - it takes half a second

    if q == 1.0:
        return np.array([float(T)]), np.zeros(1)
    reach = 12.0 * math.sqrt(T * q) + 60.0
    hits = np.arange(max(0, math.floor(T * q - reach)), min(T, math.ceil(T * q + reach)) + 1, dtype=np.float64)
    return hits, np.asarray(binom.logpmf(hits, T, q))
