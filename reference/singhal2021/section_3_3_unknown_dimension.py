"""Algorithm 2 with unknown k, by private selection among candidates.

As published (singhal2021, section 3.3, in words): repeat Algorithm 2 with different k <= k_max and output the run with the
highest score; the score counts the auxiliary rows with ||x - Pi^ x|| <= gamma^ ||x||.
Claimed there: a constant factor in epsilon, poly(k) in delta. Here exactly ((2 + eta) epsilon_0, E[K] delta_0) for runs that
are (epsilon_0, delta_0)-DP, see `primitives.private_selection`, when one row of X or one auxiliary row is replaced. The
guarantee is about the output: K and the runs that are not selected stay hidden.
Read here:
  S1 One run draws k uniformly from 1..k_max, runs Algorithm 2 on X and scores Pi_hat on the auxiliary rows.
  S2 The score is a count of sensitivity 1, released with Laplace noise of scale 1 / epsilon_0. Rows of X and
     auxiliary rows are disjoint, so one run is (epsilon_0, delta_0)-DP in total, not (2 epsilon_0, delta_0).
  S3 A run that ends in bottom has no score and is never selected.
  S4 The score does not select k: residuals only fall as a subspace grows. It rejects k' < k where gamma_hat^2 tr(Sigma)
     is small against lambda_k. That k' > k fails is left to Algorithm 2, which ends in bottom where blocks disagree. At
     k' = d they cannot disagree, and the score is full, so k_max < d is required.

Symbols: as in `algorithm_2_approximate`; K the number of runs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dppca.reference.api import Matrix, Noise, Readings, RealRows, Relation, Returns, checked, declare, point
from dppca.reference.calibration import Grounds
from dppca.reference.primitives.private_selection import Repetitions
from dppca.reference.rigour.outwards import divide_up
from dppca.reference.rigour.validation import check_rows
from dppca.reference.singhal2021 import algorithm_2_approximate as algorithm_2
from dppca.reference.singhal2021.examples import AUXILIARY, line_example
from dppca.reference.singhal2021.theorem_c import ApproximateCalibration

#: Sensitivity of the count of auxiliary rows, replace-one.
SCORE_SENSITIVITY = 1.0


class Choices(Readings):
    """The decisions of this reading: eta of K's law and E[K] / k_max, which the paper leaves open, and Algorithm 2's own.

    The law is geometric, so that eta = 1 costs 3 epsilon_0 in total, and at E[K] = 10 k_max the right k is never tried with
    probability at most 0.1.
    """

    eta: float = point("singhal2021.section-3.3", CORRECTED=1.0)
    runs_per_dimension: float = point("singhal2021.section-3.3", CORRECTED=10.0)
    algorithm_2: algorithm_2.Choices = point(CORRECTED=algorithm_2.CORRECTED)


CHOICES = Choices.read("CORRECTED")


@dataclass(frozen=True)
class SelectionCalibration(Grounds):
    """The law of K, one calibration of Algorithm 2 per k (position k - 1), and the noise of the score."""

    epsilon: float
    delta: float
    repetitions: Repetitions
    runs: tuple[ApproximateCalibration, ...]
    gamma_hat: float
    scale: float


@checked
def calibrate(
    epsilon: float, delta: float, gamma: float, gamma_hat: float, *, n: int, d: int, k_max: int, choices: Choices = CHOICES
) -> SelectionCalibration:
    """Return the budgets of one run for (epsilon, delta)-DP in total, on n rows of dimension d and for k in 1..k_max.

    `gamma` is Algorithm 2's; `gamma_hat` the share of a row's norm that may lie outside the subspace, for Gaussian rows about
    alpha + gamma sqrt(d / k), from ||x - Pi_hat x|| <= ||x - Pi x|| + ||Pi - Pi_hat|| ||x||. k_max is below d, and
    n large enough for Algorithm 2 at k_max.
    """
    if k_max >= d:
        raise ValueError(f"k_max must be in 1..{d - 1}, got {k_max!r}")
    repetitions = Repetitions(choices.eta, 1.0 / (choices.runs_per_dimension * k_max))
    epsilon_0, delta_0 = repetitions.base_budget(epsilon, delta)
    runs = tuple(
        algorithm_2.calibrate(epsilon_0, delta_0, gamma, n=n, d=d, k=k, choices=choices.algorithm_2)
        for k in range(1, k_max + 1)
    )
    scale = divide_up(SCORE_SENSITIVITY, epsilon_0)
    return SelectionCalibration(epsilon, delta, repetitions, runs, gamma_hat, scale, sizes={"n": n, "d": d})


@declare(
    number="Section 3.3",
    title="Algorithm 2 with unknown k, by private selection",
    data=RealRows("n", "d"),
    relation=Relation.REPLACE_ONE,
    returns=Returns.PROJECTOR,
    calibrate=calibrate,
    claims=("singhal2021.section-3.3-selection",),
    example=line_example(10, epsilon=6.0, delta=0.05, gamma=1e-4, gamma_hat=0.1, n=1200, d=3, k_max=2, auxiliary=AUXILIARY),
)
def approximate_subspace_estimator_unknown_dimension(
    X: Matrix, auxiliary: ArrayLike, calibration: SelectionCalibration, noise: Noise
) -> Matrix | None:
    """Run Algorithm 2 several times, k drawn anew each time, and return the projector of the highest noisy score.

    `auxiliary` are further rows of length d, disjoint from X. The rank of the projector, shape (d, d), is the selected k; None
    if every run ended in bottom.
    """
    rows = check_rows("auxiliary", auxiliary)
    d = X.shape[1]
    if rows.shape[1] != d:
        raise ValueError(f"auxiliary must have rows of length {d}, got {rows.shape[1]}")
    rows = np.ldexp(rows, -np.frexp(np.max(np.abs(rows), axis=1, keepdims=True))[1])  # the score is about shares of norms
    norms = np.linalg.norm(rows, axis=1)
    best, best_score = None, -math.inf
    for i in range(calibration.repetitions.draw("K", noise)):
        choice = int(noise.secret_integers(f"run[{i}].k", len(calibration.runs), ()))
        Pi_hat = algorithm_2.approximate_subspace_estimator(X, calibration.runs[choice], noise, prefix=f"run[{i}].")
        if Pi_hat is None:
            continue
        residuals = np.linalg.norm(rows - rows @ Pi_hat, axis=1)
        count = int(np.sum(residuals <= calibration.gamma_hat * norms))
        score: float = noise.laplace(f"run[{i}].score", count, scale=calibration.scale, sensitivity=SCORE_SENSITIVITY)
        if score > best_score:
            best, best_score = Pi_hat, score
    return best
