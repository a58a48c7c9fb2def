"""Privacy amplification by shuffling, with every constant, and for Gaussian local noise.

n records, in a hidden random order, each go through one local randomiser; each randomiser may depend on what the
earlier ones released. Neighbours differ by the replacement of one record.

Pure randomisers (epsilon_0, 0). The released sequence is a post-processing of the pair of counts that `clones_delta`
compares (Feldman, McMillan, Talwar 2021, the reduction behind Theorem 3.1 there): the n - 1 other records each act as
one of the two neighbouring records with probability e^-epsilon_0. `closed_form_epsilon` is their closed form.

Approximate randomisers (epsilon_0, delta_0), own constants. Call p_0, p_1 the laws of one step on the two records and
p_i its law on another one.
  1. There are laws p_0', p_1' within total variation delta_0 of p_0, p_1 that are (epsilon_0, 0)-indistinguishable.
  2. s_j = min(p_j', e^epsilon_0 p_i) has mass >= 1 - 2 delta_0, since p_j(S) <= e^epsilon_0 p_i(S) + delta_0.
  3. Put p_i' = (e^-epsilon_0 / 2)(p_0' + p_1') + c r with r = p_i - (e^-epsilon_0 / 2)(s_0 + s_1) >= 0 and the c <= 1
     that makes the mass 1. It lies within total variation 2 e^-epsilon_0 delta_0 of p_i.
  4. The reduction uses of an other record's law only that it is a mixture as in 3, so it holds for the primed laws.
     A run with primed laws differs from the true run by at most D = delta_0 (1 + 2 (n - 1) e^-epsilon_0) in total
     variation, whatever the order, so delta grows by (1 + e^epsilon) D.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.optimize import minimize_scalar

from dppca.reference.primitives.gaussian import analytic_std, log_profile
from dppca.reference.rigour.bisection import least_positive
from dppca.reference.rigour.validation import check_count, check_delta, check_epsilon, check_positive

#: Numbers of clones below this quantile are charged in full; the others are taken in so many blocks.
TAIL = 1e-20
BLOCKS = 512
#: Relative rounding error granted to a sum of binomial probabilities; added to every delta.
ROUNDING = 1e-12
#: `shuffled_multiplier` overshoots the smallest sufficient multiplier by at most this relative amount.
MULTIPLIER_TOLERANCE = 1e-4


def closed_form_epsilon(epsilon_0: float, delta: float, n: int) -> float:
    """Return epsilon of n shuffled (epsilon_0, 0) randomisers at this delta: Theorem 3.1 of Feldman, McMillan, Talwar 2021.

    log(1 + tanh(epsilon_0 / 2) (8 sqrt(e^epsilon_0 log(4 / delta) / n) + 8 e^epsilon_0 / n)).

    Raises:
        ValueError: epsilon_0 > log(n / (16 log(4 / delta))), where it is not stated.
    """
    check_epsilon(epsilon_0)
    largest = math.log(check_count("n", n) / (16.0 * math.log(4.0 / check_delta(delta))))
    if epsilon_0 > largest:
        raise ValueError(f"epsilon_0 must be <= log(n / (16 log(4 / delta))) = {largest!r}, got {epsilon_0!r}")
    growth = math.exp(epsilon_0)
    return math.log1p(math.tanh(epsilon_0 / 2.0) * (8.0 * math.sqrt(growth * math.log(4.0 / delta) / n) + 8.0 * growth / n))


def clones_delta(epsilon: float, epsilon_0: float, n: int) -> float:
    """Return an upper bound on delta at epsilon >= 0 for n shuffled (epsilon_0, 0) randomisers, adaptive, replace-one.

    Given c clones, c ~ Bin(n - 1, e^-epsilon_0), the counts are (a + b, c - a + 1 - b) with a ~ Bin(c, 1/2) and
    b = 1 with probability q = e^epsilon_0 / (1 + e^epsilon_0) on one dataset, 1 - q on the other. With
    f(j) = Bin(c, 1/2)(j), the first count is x with probability q f(x - 1) + (1 - q) f(x) on one dataset and with q
    and 1 - q exchanged on the other; their ratio increases in f(x - 1) / f(x) = x / (c + 1 - x), so the hockey-stick
    divergence is a difference of tails from the x where the ratio passes e^epsilon. It falls with c, as one clone more
    is a post-processing, so the values of c are taken in blocks, each at its first value.
    """
    from scipy.stats import binom  # noqa: PLC0415 - it takes half a second

    q = 1.0 / (1.0 + math.exp(-epsilon_0))
    growth = math.exp(epsilon)
    # The divergence is sum over x of (A f(x - 1) - B f(x))^+ with
    A, B = q - growth * (1.0 - q), growth * q - (1.0 - q)
    if A <= 0.0:
        return 0.0
    clones, keep = check_count("n", n) - 1, math.exp(-epsilon_0)
    c = np.unique(np.floor(np.linspace(binom.ppf(TAIL, clones, keep), binom.isf(TAIL, clones, keep), BLOCKS)))
    first = np.floor(B * (c + 1.0) / (A + B)) + 1.0  # smallest x with A x > B (c + 1 - x)
    above = binom.sf(first - 2.0, c, 0.5)
    divergence = np.maximum(0.0, A * above - B * binom.sf(first - 1.0, c, 0.5))
    weights = np.diff(binom.cdf(c - 1.0, clones, keep), append=1.0)  # of the block that starts at each c
    return float(weights @ divergence) + TAIL + ROUNDING * (A + B) * float(np.max(above))


def shuffled_gaussian_delta(epsilon: float, multiplier: float, n: int) -> float:
    """Return an upper bound on delta at epsilon > 0 for n shuffled Gaussian releases of mu = 1 / multiplier each.

    The better of two arguments: the approximate form above, at the best epsilon_0; and no amplification at all, as
    one record changes one release.
    """
    return pure_part(epsilon, multiplier, n)[1]


def pure_part(epsilon: float, multiplier: float, n: int) -> tuple[float, float]:
    """Return the best epsilon_0 of `shuffled_gaussian_delta`, 0 for no amplification, and the delta that it gives."""
    check_epsilon(epsilon)
    check_count("n", n)
    mu = 1.0 / check_positive("multiplier", multiplier)
    alone = math.exp(log_profile(epsilon, mu))

    def log_delta(epsilon_0: float) -> float:
        slack = (1.0 + math.exp(epsilon)) * (1.0 + 2.0 * (n - 1) * math.exp(-epsilon_0))
        local = slack * math.exp(log_profile(epsilon_0, mu))
        return math.log(max(clones_delta(epsilon, epsilon_0, n) + local, 1e-300))

    largest = max(epsilon, mu * mu / 2.0 + 12.0 * mu)
    best = minimize_scalar(log_delta, bounds=(1e-9, largest), method="bounded", options={"xatol": 1e-6})
    shuffled = math.exp(float(best.fun))
    return (0.0, alone) if alone <= shuffled else (float(best.x), shuffled)


def shuffled_multiplier(epsilon: float, delta: float, n: int) -> float:
    """Return a multiplier with which n shuffled Gaussian releases are (epsilon, delta)-DP, nearly the least provable here."""

    def enough(multiplier: float) -> bool:
        return shuffled_gaussian_delta(epsilon, multiplier, n) <= delta

    alone = analytic_std(epsilon, delta, 1.0)  # without amplification
    return least_positive(enough, alone, MULTIPLIER_TOLERANCE) or alone
