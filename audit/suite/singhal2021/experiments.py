"""Utility of singhal2021: how often the subspace is found, and the sample sizes that takes beside the stated ones.

The paper reports no experiments, so these measure its statements. Algorithm 1's probability of finding s_* is
computed from its law; everything else is counted, with Clopper-Pearson intervals.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from dppca.reference.noise import Sample
from dppca.reference.primitives.subspaces import projector
from dppca.reference.rigour.bisection import bisect, whole_middle
from dppca.reference.singhal2021 import algorithm_1_exact as exact
from dppca.reference.singhal2021 import algorithm_2_approximate as approximate
from dppca.reference.singhal2021.exact_linear_algebra import RationalSubspace, exact_rows, span
from dppca.reference.singhal2021.gap_max import win_probability

Matrix = NDArray[np.float64]

#: A subspace counts as approximated up to this error.
ALPHA = 0.1
#: Theorem 3.3.
SUCCESS = 0.7


@dataclass(frozen=True)
class Count:
    """A number of successes among independent runs."""

    found: int
    of: int

    @property
    def interval(self) -> tuple[float, float]:
        """Return the 95 % Clopper-Pearson interval of the probability."""
        from statsmodels.stats.proportion import proportion_confint  # noqa: PLC0415 - collection must stay cheap

        low, high = proportion_confint(self.found, self.of, method="beta")
        return float(low), float(high)

    def __str__(self) -> str:
        low, high = self.interval
        return f"{self.found}/{self.of} [{low:.2f}, {high:.2f}]"


# --- Algorithm 1 --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ExactSetting:
    """A dataset of n points that satisfy Problem 2.1 with s_*, and the calibration."""

    points: list[list[int]]
    s_star: RationalSubspace
    k: int
    calibration: exact.GapMaxCalibration

    def found(self, repetitions: int, rng: np.random.Generator) -> Count:
        """Return how often s_* is the output."""
        outputs = (
            exact.exact_subspace_estimator(self.points, self.k, self.calibration, Sample(rng)) for _ in range(repetitions)
        )
        return Count(sum(output == self.s_star for output in outputs), repetitions)

    @property
    def probability(self) -> float:
        """Return P(output = s_*), by quadrature."""
        points, c = exact_rows("points", self.points), self.calibration
        scores, _ = exact.candidate_scores(points, combinations(range(len(points)), self.k), c.choices)
        null_value, values = exact.line_11_values(scores, Fraction(c.null), c.choices)
        if self.s_star not in values:
            return 0.0
        labels = list(values)
        heights = np.array([float(null_value), *(float(values[s]) for s in labels)])
        return win_probability(1 + labels.index(self.s_star), heights, c.scale, c.bound)


def hardest_points(n: int, ell: int, d: int, k: int) -> tuple[list[list[int]], RationalSubspace]:
    """Return points that reach both bounds of Lemma 2.4, k = 1 or 2: u(s_*) = n - 2 ell, and another subspace has ell.

    ell of the points of s_* lie in one subspace of dimension k - 1, and with ell equal points off s_* they make up another
    of dimension k; the remaining n - 2 ell are in general position in s_*.
    """
    e = np.eye(d, dtype=int).tolist()
    inside = [[1, t] if k == 2 else [t, 0] for t in range(1, n - 2 * ell + 1)]
    shared = [0] * d if k == 1 else e[0]
    points = [[*point, *[0] * (d - 2)] for point in inside] + [shared] * ell + [e[-1]] * ell
    return points, span([tuple(axis) for axis in e[:k]], d)


def least_n(probability_at: Callable[[int], float], low: int, high: int, wanted: float) -> int:
    """Return the least n in low..high from which the probability, which rises with n, is as wanted; it is at `high`."""
    return bisect(lambda n: probability_at(n) >= wanted, low - 1, high, lambda a, b: b - a <= 1, whole_middle)[1]


# --- Algorithm 2 --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class GaussianRows:
    """A dataset of rows of standard deviation 1 in a random k-subspace and gamma outside it, and the budget."""

    n: int
    d: int
    k: int
    gamma: float
    epsilon: float = 1.0
    delta: float = 1e-6
    choices: approximate.Choices = approximate.CORRECTED

    @property
    def calibration(self) -> approximate.ApproximateCalibration:
        """Return the calibration of line 1 at the true gamma."""
        return approximate.calibrate(self.epsilon, self.delta, self.gamma, n=self.n, d=self.d, k=self.k, choices=self.choices)

    def rows(self, rng: np.random.Generator) -> tuple[Matrix, Matrix]:
        """Return the rows, shape (n, d), and the projector of the subspace."""
        V = np.linalg.qr(rng.standard_normal((self.d, self.d)))[0]
        scale = np.where(np.arange(self.d) < self.k, 1.0, self.gamma)
        return (rng.standard_normal((self.n, self.d)) * scale) @ V.T, projector(V[:, : self.k])

    def errors(self, repetitions: int, rng: np.random.Generator) -> list[float]:
        """Return ||Pi_hat - Pi|| of independent runs; infinite for bottom."""
        return [self._error(rng) for _ in range(repetitions)]

    def _error(self, rng: np.random.Generator) -> float:
        X, Pi = self.rows(rng)
        output = approximate.approximate_subspace_estimator(X, self.calibration, Sample(rng))
        return math.inf if output is None else float(np.linalg.norm(output - Pi, 2))


def within(errors: list[float], alpha: float) -> Count:
    """Return how many errors are at most alpha."""
    return Count(sum(error <= alpha for error in errors), len(errors))


def printed_gamma(alpha: float, *, n: int, d: int, k: int, epsilon: float, delta: float) -> float:
    """Return Theorem 3.3's bound on gamma, with 1 for its constant."""
    L = math.log(1.0 / delta)
    rate = epsilon * alpha * alpha * n / (d * d * k * L)
    return math.sqrt(rate * min(1.0 / k, 1.0 / math.log(k * L / epsilon)))


# --- time ---------------------------------------------------------------------------------------------


def seconds(run: Callable[[], object]) -> float:
    """Return the seconds that one call takes."""
    started = time.perf_counter()
    run()
    return time.perf_counter() - started
