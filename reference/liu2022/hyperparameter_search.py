"""Search for the step sizes of DP-PCA.

As published (liu2022, last remark on Theorem 5.1, in words; the same in the proceedings and on arXiv). Round i = 1, 2, ... runs
DP-PCA with eta_t = c_1 / (c_2 + t) for all pairs (c_1, c_2) of {2^(i-1), 2^(1-i)} x {2^(1-i), ..., 2^(i-1)} and of the product
the other way round, and computes sin(w_T, v_1) of each privately at epsilon / (2^(i+1) (2i - 1)) and delta / (2^(i+1) (2i -
1)). It stops at the first pair below a target.
Claimed there: it ends after logarithmically many rounds and costs a poly-logarithmic factor of samples.

Read here. v_1 is the unknown eigenvector of the population, so sin(w, v_1) is not a function of the data: the score is the mean
over held-out records of w^T A_i w, clipped to [0, ceiling], over ceiling, with Gaussian noise, and a large one is good. The
paper budgets the scores alone: here DP-PCA runs on the first half of the records and the scores use the second half, so a
record meets one of the two and both may spend the same schedule. The search ends after a given number of rounds.

Symbols: i round; (c_1, c_2) a pair; w its direction.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from dppca.reference.api import Matrix, Noise, Readings, Relation, Returns, checked, declare, point
from dppca.reference.liu2022 import algorithm_3_dp_pca as algorithm_3
from dppca.reference.liu2022.data import RECORDS, batches_example, gradients
from dppca.reference.liu2022.search_schedule import Round, schedule
from dppca.reference.primitives.composition import Guarantee, serial
from dppca.reference.primitives.gaussian import analytic_std


class Choices(Readings):
    """The decisions of a reading: which pairs a round tries at which share of the budget, and how DP-PCA is calibrated."""

    schedule: Literal["printed", "distinct pairs"] = point(
        "liu2022.search-budget", AS_PRINTED="printed", CORRECTED="distinct pairs"
    )
    dp_pca: algorithm_3.Choices = point(AS_PRINTED=algorithm_3.AS_PRINTED, CORRECTED=algorithm_3.CORRECTED)


AS_PRINTED, CORRECTED = Choices.read("AS_PRINTED"), Choices.read("CORRECTED")


@dataclass(frozen=True)
class Candidate:
    """A direction w (d,) with its step sizes' constants, and its noisy score in units of the ceiling."""

    c_1: float
    c_2: float
    w: Matrix
    score: float


@dataclass(frozen=True)
class SearchCalibration:
    """The rounds of a search, the calibrations of their training runs and the standard deviations of their scores."""

    epsilon: float
    delta: float
    n: int
    d: int
    ceiling: float
    rounds: tuple[Round, ...]
    training: tuple[algorithm_3.DPPCACalibration, ...]
    score_std: tuple[float, ...]

    @property
    def spent(self) -> Guarantee:
        """Return what all rounds together spend, by serial composition over pairs and parallel composition of the halves."""
        return serial(r.each for r in self.rounds for _ in r.pairs)


@checked
def calibrate(
    epsilon: float,
    delta: float,
    *,
    n: int,
    d: int,
    B: int,
    K: float,
    ceiling: float,
    rounds: int,
    a: float = 1.0,
    zeta: float = 0.01,
    choices: Choices = CORRECTED,
) -> SearchCalibration:
    """Return budgets, training runs and noise of at most `rounds` rounds, for n records, of which n // 2 train.

    (epsilon, delta) is the target of the whole search; `ceiling` the one of the scores, in units of w^T A w; the other
    arguments are those of Algorithm 3's calibration, whose batches have to be large enough for a round's share of the budget.
    """
    held_out = n // 2
    if held_out < 1:
        raise ValueError(f"n must be >= 2, got {n}")
    planned = tuple(schedule(i, epsilon, delta, choices) for i in range(1, rounds + 1))
    training = tuple(
        algorithm_3.calibrate(*r.each, n=held_out, d=d, B=B, K=K, a=a, zeta=zeta, choices=choices.dp_pca) for r in planned
    )
    score_std = tuple(analytic_std(*r.each, 1.0 / held_out) for r in planned)
    return SearchCalibration(epsilon, delta, n, d, ceiling, planned, training, score_std)


@declare(
    number="Section 5",
    title="search for the learning rates",
    data=RECORDS,
    relation=Relation.REPLACE_ONE,
    returns=Returns.RECORD,
    calibrate=calibrate,
    claims=("liu2022.search-score", "liu2022.search-termination"),
    example=batches_example(epsilon=16.0, delta=0.1, n=640, d=2, B=320, K=1.0, zeta=0.5, ceiling=2.0, rounds=1, target=0.4),
)
def hyperparameter_search(A: Matrix, target: float, calibration: SearchCalibration, noise: Noise) -> Candidate | None:
    """Return the first candidate whose noisy score, in units of the ceiling, reaches the target; None if no pair does."""
    half = calibration.n // 2
    train, held_out = A[:half], A[half : 2 * half]
    plan = zip(calibration.rounds, calibration.training, calibration.score_std, strict=True)
    for i, (r, training, std) in enumerate(plan, start=1):
        steps = np.arange(1, training.T + 1)
        for k, (c_1, c_2) in enumerate(r.pairs, start=1):
            w = algorithm_3.dp_pca(train, c_1 / (c_2 + steps), training, noise, f"{i}.{k} ")
            captured = np.clip(gradients(held_out, w) @ w / calibration.ceiling, 0.0, 1.0)
            score = float(noise.gaussian(f"{i}.{k} score", np.mean(captured), std=std, sensitivity=1.0 / half))
            if score >= target:
                return Candidate(c_1, c_2, w, score)
    return None
