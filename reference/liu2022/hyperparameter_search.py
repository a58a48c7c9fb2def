"""Search for the step sizes of DP-PCA (liu2022, last remark on Theorem 5.1).

The remark runs DP-PCA with eta_t = c_1 / (c_2 + t) on a growing square of powers of 2, computes sin(w_T, v_1) privately
for each pair, and stops at the first pair below a target.
Claims: liu2022.search-score, liu2022.search-budget, liu2022.search-termination.

Departures from print:
  D1 The score: v_1 is the unknown eigenvector of the population, so sin(w, v_1) is no function of the data. Used: the
     mean over held-out records of w^T A_i w, clipped to [0, ceiling], over ceiling; Gaussian noise.
  D2 The training: print budgets the scores alone. Here DP-PCA runs on the first half of the records and the scores use
     the second half, so a record meets one of the two and both may spend the same schedule.
  D3 The schedule: round i lists 4 (2i - 1) pairs at epsilon / (2^(i+1) (2i - 1)) each, the corners twice, so R rounds
     spend 2 epsilon (1 - 2^-R). Corrected: round i has max(1, 8 (i - 1)) distinct pairs that share epsilon / 2^i.
  D4 The search ends after a given number of rounds; print gives no reason why it should reach its target.

Neighbours replace one record; n is public.

Symbols: i round; (c_1, c_2) a pair; w its direction.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dppca.reference.choices import Choice
from dppca.reference.liu2022 import algorithm_3_dp_pca as algorithm_3
from dppca.reference.liu2022.data import check_data, gradients
from dppca.reference.noise import Noise
from dppca.reference.primitives.composition import Guarantee, serial
from dppca.reference.primitives.gaussian import analytic_std
from dppca.reference.primitives.inputs import check_count
from dppca.reference.primitives.validation import check_delta, check_epsilon, check_positive


@dataclass(frozen=True)
class Choices:
    """Which pairs a round tries at which share of the budget, and how DP-PCA is calibrated."""

    schedule: Choice[Literal["printed", "distinct pairs"]]
    dp_pca: algorithm_3.Choices


AS_PRINTED = Choices(
    schedule=Choice("printed", "the two families of pairs as listed", "liu2022.search-budget"),
    dp_pca=algorithm_3.AS_PRINTED,
)
CORRECTED = Choices(
    schedule=Choice("distinct pairs", "all rounds together spend at most epsilon and delta", "liu2022.search-budget"),
    dp_pca=algorithm_3.CORRECTED,
)


@dataclass(frozen=True)
class Round:
    """The pairs (c_1, c_2) of one round and what each may spend, on training and on its score."""

    pairs: tuple[tuple[float, float], ...]
    each: Guarantee


@dataclass(frozen=True)
class Candidate:
    """A direction w (d,) with its step sizes' constants, and its noisy score in units of the ceiling."""

    c_1: float
    c_2: float
    w: NDArray[np.float64]
    score: float


@dataclass(frozen=True)
class SearchCalibration:
    """Rounds with the calibrations of their training runs and the standard deviations of their scores."""

    epsilon: float
    delta: float
    n: int
    ceiling: float
    rounds: tuple[Round, ...]
    training: tuple[algorithm_3.DPPCACalibration, ...]
    score_std: tuple[float, ...]

    @property
    def spent(self) -> Guarantee:
        """What all rounds together spend, by serial composition over pairs and parallel composition of the halves."""
        return serial(r.each for r in self.rounds for _ in r.pairs)


def schedule(i: int, epsilon: float, delta: float, choices: Choices = CORRECTED) -> Round:
    """Round i >= 1: pairs of powers of 2 on the border of the square of exponents [-(i - 1), i - 1]^2, and their share."""
    edge = check_count("i", i) - 1
    inside = [2.0**e for e in range(-edge, edge + 1)]
    ends = (2.0**edge, 2.0**-edge)
    listed = [(c_1, c_2) for c_1 in ends for c_2 in inside] + [(c_1, c_2) for c_1 in inside for c_2 in ends]
    if choices.schedule.value == "printed":
        shares = 2.0 ** (i + 1) * (2 * i - 1)
    else:
        listed = list(dict.fromkeys(listed))
        shares = 2.0**i * len(listed)
    return Round(tuple(listed), Guarantee(check_epsilon(epsilon) / shares, check_delta(delta) / shares))


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
    """Budgets, training runs and noise of all rounds.

    Args:
        epsilon: the target of the whole search, > 0.
        delta: the same, in (0, 1).
        n: number of data, public, >= 2; the training takes the first n // 2.
        d: dimension of a datum.
        B: batch size of the training, at most n // 2.
        K: of Assumption 1, > 0.
        ceiling: scores are clipped to [0, ceiling], in units of w^T A w.
        rounds: how many rounds at most.
        a: of Assumption 1, > 0.
        zeta: failure probability of a training run, in (0, 1).
        choices: AS_PRINTED or CORRECTED.

    Raises:
        ValueError: an argument outside its range, or a batch too small for a round's share of the budget.
    """
    check_positive("ceiling", ceiling)
    held_out = check_count("n // 2", n // 2)
    planned = tuple(schedule(i, epsilon, delta, choices) for i in range(1, check_count("rounds", rounds) + 1))
    return SearchCalibration(
        epsilon=epsilon,
        delta=delta,
        n=n,
        ceiling=ceiling,
        rounds=planned,
        training=tuple(
            algorithm_3.calibrate(*r.each, n=n // 2, d=d, B=B, K=K, a=a, zeta=zeta, choices=choices.dp_pca) for r in planned
        ),
        score_std=tuple(analytic_std(*r.each, 1.0 / held_out) for r in planned),
    )


def hyperparameter_search(A: ArrayLike, target: float, calibration: SearchCalibration, noise: Noise) -> Candidate | None:
    """The search.

    Args:
        A: matrices (n, d, d), or rows (n, d) that stand for x_i x_i^T, n as calibrated.
        target: a noisy score at which the search ends, in units of the ceiling.
        calibration: what `calibrate` returned.
        noise: the seam. Draws, for the k-th pair of round i: those of Algorithm 3, each name after "<i>.<k> ", and the
            release "<i>.<k> score".

    Returns:
        The first candidate whose noisy score reaches the target; None if no pair of any round does.

    Raises:
        ValueError: malformed data, another n than calibrated, or a target that is not finite.
    """
    data = check_data("A", A)
    if len(data) != calibration.n:
        raise ValueError(f"A must have the calibrated n = {calibration.n}, got {len(data)}")
    if not math.isfinite(target):
        raise ValueError(f"target must be finite, got {target!r}")
    half = len(data) // 2
    train, held_out = data[:half], data[half : 2 * half]
    for i, (r, training, std) in enumerate(
        zip(calibration.rounds, calibration.training, calibration.score_std, strict=True), start=1
    ):
        steps = np.arange(1, training.T + 1)
        for k, (c_1, c_2) in enumerate(r.pairs, start=1):
            w = algorithm_3.dp_pca(train, c_1 / (c_2 + steps), training, noise, f"{i}.{k} ")
            captured = np.clip(gradients(held_out, w) @ w / calibration.ceiling, 0.0, 1.0)
            score = float(
                noise.gaussian(f"{i}.{k} score", np.mean(captured), std=std, sensitivity=1.0 / half)  # (D1)
            )
            if score >= target:
                return Candidate(c_1, c_2, w, score)
    return None
