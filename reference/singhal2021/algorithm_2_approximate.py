"""DP approximate subspace estimator (singhal2021, Algorithm 2; section 3).

Guarantee claimed: (epsilon, delta)-DP, replace-one (Lemma 3.4); ||Pi_hat - Pi|| <= alpha with probability >= 0.7 for
Gaussian rows with lambda_{k+1} <= gamma^2 lambda_k (Theorem 3.3).
Claims: singhal2021.lemma-3.4, singhal2021.theorem-3.3, singhal2021.algorithm-2-cell-length,
singhal2021.algorithm-2-threshold, singhal2021.algorithm-2-constants, singhal2021.algorithm-2-block-count.
T1 to T6 are the steps of Theorem C in proofs_notes/singhal2021.md, which gives error <= alpha with probability 0.75.

Departures from print:
  D1 line 1, C_0, C_1, C_2: print has no values. t and q are rounded up, m down.
  D2 line 1, the cell length: all q d coordinates of a block have to fall on the centre's side of the grid. Print's
     length makes the expected number that do not grow as C_1 k sqrt(d) / C_2, for any constants; then no cell holds
     t / 2 blocks. Corrected: the length at which that expected number is 1 / C_2 (`cell_length`).
  D3 line 15, the rule: print asks for t / 2 points and leaves the histogram open. A noisy count above t / 2 is a
     private rule by itself only if C_0 is large enough. Corrected: above t / 2 and the stability threshold.
     Among several cells the one with the largest noisy count is taken.
  D4 line 7 prints Pi_i p_i; Pi_j p_i is meant, and used under both choices.
  D5 line 1, t: print's t falls to 1 for large epsilon, and one block is never found. Corrected: at least
     `fewest_blocks`, so that the cell of most blocks is found at every epsilon and delta.

Symbols: X (n, d); t blocks of m rows; p_i reference points, q of them; Pi_j (d, d); l (ell) cell length; lambda grid
offset in cells; omega cell, an integer tuple of length q d.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dppca.reference.choices import Choice
from dppca.reference.noise import Noise
from dppca.reference.primitives.sparse_histogram import (
    REPLACE_ONE_SENSITIVITY,
    SparseHistogramLaw,
    stability_threshold,
)
from dppca.reference.primitives.subspaces import principal_subspace, projector
from dppca.reference.primitives.validation import (
    check_delta,
    check_epsilon,
    check_positive,
    check_rows,
    check_subspace_dimension,
)

#: Theorem C: largest gamma, and sigma_k(Pi P) / sqrt(q) except with probability 0.056.
GAMMA_MAX, SIGMA = 0.05, 0.045


@dataclass(frozen=True)
class Choices:
    """Constants that print hides, and the three rules that it leaves open or gets wrong."""

    C_0: Choice[float]
    C_1: Choice[float]
    C_2: Choice[float]
    cell_length: Choice[Literal["printed", "union bound"]]
    threshold: Choice[Literal["half", "half and stable"]]
    blocks: Choice[Literal["printed", "at least the fewest"]]


_C_0 = Choice(
    8.0,
    "with 3t/4 blocks in the centre's cell, its noisy count stays above 5t/8 except with probability "
    "exp(-epsilon t / 16) / 2, and no other cell rises above that except with (t / 8) exp(-3 epsilon t / 16); with "
    "C_0 = 8 and the fewest blocks of D5 these are <= 0.05 and 0.005 (T5)",
    "singhal2021.algorithm-2-constants",
)
_C_1 = Choice(
    8.0,
    "Pi P is a Gaussian k x q matrix: for k >= 2, sigma_k >= sqrt(q) - sqrt(k) - s except with probability "
    "exp(-s^2 / 2); q = 8k and s = 1.7 sqrt(k) leave 0.045 sqrt(q) except with 0.056, and the chi-square law of 8 "
    "degrees gives more for k = 1 (T4)",
    "singhal2021.algorithm-2-constants",
)
_C_2 = Choice(
    40.0,
    "a block misses the centre's cell with probability <= 1 / C_2 to first order in gamma (`cell_length`) and "
    "<= 1.35 / C_2 + 2 e^-8 under Theorem C, so by Markov more than t / 4 blocks miss it with probability <= 0.14 (T3)",
    "singhal2021.algorithm-2-constants",
)
AS_PRINTED = Choices(
    C_0=_C_0,
    C_1=_C_1,
    C_2=_C_2,
    cell_length=Choice(
        "printed",
        "line 1: C_2 gamma sqrt(d k) (sqrt(k) + sqrt(ln(k t))) / sqrt(m)",
        "singhal2021.algorithm-2-cell-length",
    ),
    threshold=Choice("half", "line 15 asks for at least t / 2 points", "singhal2021.algorithm-2-threshold"),
    blocks=Choice("printed", "line 1: C_0 ln(1/delta) / epsilon, here rounded up", "singhal2021.algorithm-2-block-count"),
)
CORRECTED = Choices(
    C_0=_C_0,
    C_1=_C_1,
    C_2=_C_2,
    cell_length=Choice(
        "union bound", "a union bound over all q d coordinates of the grid", "singhal2021.algorithm-2-cell-length"
    ),
    threshold=Choice(
        "half and stable",
        "(epsilon, delta) for every C_0: t / 2 alone has delta = exp(epsilon / 2) delta^(C_0 / 4) / 2 or less",
        "singhal2021.algorithm-2-threshold",
    ),
    blocks=Choice(
        "at least the fewest",
        "with epsilon t >= 8 ln(100 / min(epsilon, 1)^2) the cell of most blocks is found, whatever delta is (T5)",
        "singhal2021.algorithm-2-block-count",
    ),
)


@dataclass(frozen=True)
class ApproximateCalibration:
    """What line 1 sets, and the histogram of line 15. `cell` is l, in units of a reference point's entries."""

    epsilon: float
    delta: float
    n: int
    d: int
    k: int
    t: int
    m: int
    q: int
    cell: float
    scale: float
    threshold: float
    sensitivity: float
    choices: Choices
    assumptions: tuple[str, ...]


def fewest_blocks(epsilon: float, choices: Choices) -> int:
    """The least t of the correction D5: C_0 ln(100 / e^2) / e with e = min(epsilon, 1), rounded up; 37 or more at C_0 = 8."""
    e = min(check_epsilon(epsilon), 1.0)
    return math.ceil(choices.C_0.value * math.log(100.0 / (e * e)) / e)


def cell_length(gamma: float, *, d: int, k: int, t: int, m: int, q: int, choices: Choices) -> float:
    """The l of line 1, as printed or by the union bound.

    Union bound. Scale lambda_k = 1. To first order in gamma, Pi_j - Pi is W + W^T with W = gamma G^T S (S^T S)^-1,
    G (m, d - k) and S (m, k) the small and the large coordinates of the block, so (inverse Wishart)
    E ||Pi_j - Pi||_F^2 <= 2 gamma^2 d k / (m - k - 1). With standard normal p_i the deviation D_j of a block's q d
    coordinates from Pi p_1, ..., Pi p_q has E D_j^2 = q E ||Pi_j - Pi||_F^2. Given everything else, the offset is
    uniform, so the block leaves the centre's cell with probability at most sum_r |D_jr| / l
    <= sqrt(q d) ||D_j|| / l. Its expectation is 1 / C_2 at l = C_2 gamma q d sqrt(2 k / (m - k - 1)).
    """
    C_2 = choices.C_2.value
    if choices.cell_length.value == "printed":
        return C_2 * gamma * math.sqrt(d * k) * (math.sqrt(k) + math.sqrt(math.log(k * t))) / math.sqrt(m)
    return C_2 * gamma * q * d * math.sqrt(2.0 * k / (m - k - 1))


def largest_gamma(alpha: float, *, d: int, k: int, m: int) -> float:
    """The gamma up to which CORRECTED errs by more than alpha with probability <= 0.25, given m >= 400 k (Theorem C).

    The cell of line 15 holds Pi p_1, ..., Pi p_q, whose smallest singular value is at least SIGMA sqrt(q) (T4), and the
    output comes from a point at most sqrt(q d) l away: an error of at most alpha if sqrt(d) l <= SIGMA alpha / 2 (T6).

    Args:
        alpha: error in operator norm, in (0, 1).
        d: dimension of a row.
        k: dimension of the subspace, 1 <= k <= d.
        m: rows of a block, >= k + 2.

    Returns:
        gamma.

    Raises:
        ValueError: alpha, k or m outside its range.
    """
    check_subspace_dimension(k, d)
    if not 0.0 < alpha < 1.0:
        raise ValueError(f"alpha must be in (0, 1), got {alpha!r}")
    if m < k + 2:
        raise ValueError(f"m must be >= k + 2 = {k + 2}, got {m!r}")
    q = math.ceil(CORRECTED.C_1.value * k)
    unit = cell_length(1.0, d=d, k=k, t=1, m=m, q=q, choices=CORRECTED)  # which does not depend on t
    return min(GAMMA_MAX, 0.5 * SIGMA * alpha / (math.sqrt(d) * unit))


def calibrate(
    epsilon: float, delta: float, gamma: float, *, n: int, d: int, k: int, choices: Choices = CORRECTED
) -> ApproximateCalibration:
    """Line 1 and the private histogram.

    Args:
        epsilon: target epsilon > 0.
        delta: target delta in (0, 1).
        gamma: bound on sqrt(lambda_{k+1} / lambda_k), > 0. Accuracy alone rests on it.
        n: number of rows, public.
        d: dimension of a row.
        k: dimension of the subspace, 1 <= k <= d.
        choices: AS_PRINTED or CORRECTED.

    Returns:
        ApproximateCalibration.

    Raises:
        ValueError: a number outside its range, or n too small for t blocks of at least k + 2 rows.
    """
    check_subspace_dimension(k, d)
    check_positive("gamma", gamma)
    t = math.ceil(choices.C_0.value * math.log(1.0 / check_delta(delta)) / check_epsilon(epsilon))  # line 1 (D1)
    if choices.blocks.value == "at least the fewest":
        t = max(t, fewest_blocks(epsilon, choices))  # line 1 (D5)
    m = n // t  # line 1
    if m < k + 2:
        raise ValueError(f"n must be >= {t * (k + 2)}, for t = {t} blocks of k + 2 = {k + 2} rows, got {n!r}")
    q = math.ceil(choices.C_1.value * k)  # line 1 (D1)
    threshold = 0.5 * t  # line 15
    if choices.threshold.value == "half and stable":
        threshold = max(threshold, stability_threshold(epsilon, delta))  # line 15 (D3)
    return ApproximateCalibration(
        epsilon=epsilon,
        delta=delta,
        n=n,
        d=d,
        k=k,
        t=t,
        m=m,
        q=q,
        cell=cell_length(gamma, d=d, k=k, t=t, m=m, q=q, choices=choices),  # line 1 (D2)
        scale=REPLACE_ONE_SENSITIVITY / epsilon,
        threshold=threshold,
        sensitivity=REPLACE_ONE_SENSITIVITY,
        choices=choices,
        assumptions=("one row lies in one block, so two counts change by 1",),
    )


def approximate_subspace_estimator(
    X: ArrayLike, calibration: ApproximateCalibration, noise: Noise, prefix: str = ""
) -> NDArray[np.float64] | None:
    """Algorithm 2.

    Args:
        X: rows, shape (n, d), n and d as calibrated. Rows beyond t m are not used.
        calibration: what `calibrate` returned.
        noise: the seam. Draws, each name after `prefix`: public "reference points" (q, d) normal; public "offset" ()
            uniform, in cells; the release "histogram"; unless that is empty, public "point in cell" (q d,) uniform.
        prefix: start of every draw's name, for callers that run this more than once.

    Returns:
        The projector Pi_hat, shape (d, d), of rank k; None for bottom.

    Raises:
        ValueError: X is not finite or not (n, d).
    """
    rows = check_rows("X", X)
    t, m, q, d, k, ell = (calibration.t, calibration.m, calibration.q, calibration.d, calibration.k, calibration.cell)
    if rows.shape != (calibration.n, d):
        raise ValueError(f"X must have the calibrated shape {(calibration.n, d)}, got {rows.shape}")
    p = noise.public_normal(prefix + "reference points", (q, d))  # line 2
    projections = np.empty((t, q, d))
    for j in range(t):  # line 3
        X_j = rows[j * m : (j + 1) * m]  # line 4
        Pi_j = projector(principal_subspace(X_j.T @ X_j, k))  # line 5
        for i in range(q):  # line 6
            projections[j, i] = Pi_j @ p[i]  # line 7 (D4)
        # line 8
    # line 9
    offset = float(noise.public_uniform(prefix + "offset", ()))  # line 10
    # line 11: cell c is [(offset + c) l, (offset + c + 1) l) in each coordinate
    # line 12
    # line 13
    Q = projections.reshape(t, q * d)  # line 14: one row per column of print's Q
    cells = np.floor(Q / ell - offset)
    survivors = noise.release(  # line 15
        prefix + "histogram",
        cells,
        SparseHistogramLaw(calibration.scale, calibration.threshold),
        sensitivity=calibration.sensitivity,
    )
    if len(survivors) == 0:  # line 16
        return None  # line 17
    # line 18
    omega = survivors[np.argmax(survivors[:, 0]), 1:]
    u = noise.public_uniform(prefix + "point in cell", (q * d,))
    p_hat = (offset + omega + u) * ell  # line 19
    # line 20
    P_hat = p_hat.reshape(q, d)  # line 21
    # line 22
    # line 23
    return projector(principal_subspace(P_hat.T @ P_hat, k))  # line 24
