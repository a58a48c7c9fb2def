"""Algorithm 2 with unknown k (singhal2021, section 3.3), by private selection among candidates.

Guarantee claimed: a constant factor in epsilon, poly(k) in delta. Here exactly ((2 + eta) epsilon_0, E[K] delta_0)
for runs that are (epsilon_0, delta_0)-DP, see `primitives.private_selection`. Neighbours: one row of X or one
auxiliary row is replaced. The guarantee is about the output: K and the runs that are not selected stay hidden.
Claims: singhal2021.section-3.3, primitives.private-selection.

Made explicit, because print sketches this:
  S1 One run draws k uniformly from 1..k_max, runs Algorithm 2 on X and scores Pi_hat on the auxiliary rows.
  S2 The score is a count of sensitivity 1, released with Laplace noise of scale 1 / epsilon_0. Rows of X and
     auxiliary rows are disjoint, so one run is (epsilon_0, delta_0)-DP in total, not (2 epsilon_0, delta_0).
  S3 A run that ends in bottom has no score and is never selected.
  S4 The score does not select k: residuals only fall as a subspace grows. It rejects k' < k where gamma_hat^2 tr(Sigma)
     is small against lambda_k. That k' > k fails is left to Algorithm 2, which ends in bottom where blocks disagree. At
     k' = d they cannot disagree, and the score is full, so k_max < d is required.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dppca.reference.choices import Choice
from dppca.reference.noise import Noise
from dppca.reference.primitives.private_selection import Repetitions
from dppca.reference.primitives.validation import check_positive, check_rows
from dppca.reference.singhal2021 import algorithm_2_approximate as algorithm_2

#: Sensitivity of the count of auxiliary rows, replace-one.
SCORE_SENSITIVITY = 1.0


@dataclass(frozen=True)
class Choices:
    """What print leaves to the selection's source, and Algorithm 2's own choices."""

    eta: Choice[float]
    runs_per_dimension: Choice[float]
    algorithm_2: algorithm_2.Choices


CHOICES = Choices(
    eta=Choice(1.0, "geometric, as in Liu, Talwar 2019: 3 epsilon_0 in total", "singhal2021.section-3.3"),
    runs_per_dimension=Choice(
        10.0,
        "E[K] = 10 k_max for the geometric law; the right k is then never tried with probability at most 0.1",
        "singhal2021.section-3.3",
    ),
    algorithm_2=algorithm_2.CORRECTED,
)


@dataclass(frozen=True)
class SelectionCalibration:
    """The law of K, one calibration of Algorithm 2 per k (position k - 1), and the score."""

    epsilon: float
    delta: float
    repetitions: Repetitions
    runs: tuple[algorithm_2.ApproximateCalibration, ...]
    gamma_hat: float
    scale: float


def calibrate(
    epsilon: float, delta: float, gamma: float, gamma_hat: float, *, n: int, d: int, k_max: int, choices: Choices = CHOICES
) -> SelectionCalibration:
    """Budgets of one run, for (epsilon, delta)-DP in total.

    Args:
        epsilon: target epsilon > 0.
        delta: target delta in (0, 1).
        gamma: as for Algorithm 2.
        gamma_hat: share of a row's norm that may lie outside the subspace, > 0. For Gaussian rows about
            alpha + gamma sqrt(d / k), from ||x - Pi_hat x|| <= ||x - Pi x|| + ||Pi - Pi_hat|| ||x||.
        n: number of rows of X, public.
        d: dimension of a row.
        k_max: largest dimension considered, 1 <= k_max < d.
        choices: CHOICES.

    Returns:
        SelectionCalibration.

    Raises:
        ValueError: a number outside its range, or n too small for Algorithm 2 at k_max.
    """
    if not 1 <= k_max < d:
        raise ValueError(f"k_max must be in 1..{d - 1}, got {k_max!r}")
    check_positive("gamma_hat", gamma_hat)
    repetitions = Repetitions(choices.eta.value, 1.0 / (choices.runs_per_dimension.value * k_max))
    epsilon_0, delta_0 = repetitions.base_budget(epsilon, delta)
    runs = tuple(
        algorithm_2.calibrate(epsilon_0, delta_0, gamma, n=n, d=d, k=k, choices=choices.algorithm_2)
        for k in range(1, k_max + 1)
    )
    return SelectionCalibration(epsilon, delta, repetitions, runs, gamma_hat, SCORE_SENSITIVITY / epsilon_0)


def approximate_subspace_estimator_unknown_dimension(
    X: ArrayLike, auxiliary: ArrayLike, calibration: SelectionCalibration, noise: Noise
) -> NDArray[np.float64] | None:
    """The projector of the run with the highest noisy score.

    Args:
        X: rows for Algorithm 2, shape (n, d) as calibrated.
        auxiliary: further rows, shape (any number, d); disjoint from X.
        calibration: what `calibrate` returned.
        noise: the seam. Draws: secret "K"; then for each run i: secret "run[i].k", the draws of Algorithm 2 with
            prefix "run[i].", and, unless it ends in bottom, the release "run[i].score".

    Returns:
        Pi_hat, shape (d, d), its rank is the selected k; None if every run ended in bottom.

    Raises:
        ValueError: X or auxiliary is not finite or has the wrong shape.
    """
    rows = check_rows("auxiliary", auxiliary)
    d = calibration.runs[0].d
    if rows.shape[1] != d:
        raise ValueError(f"auxiliary must have rows of length {d}, got {rows.shape[1]}")
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
