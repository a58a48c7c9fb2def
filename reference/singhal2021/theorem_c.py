"""Constants, cell length and block count that repair singhal2021's Algorithm 2, by Theorem C of the note.

Not in the paper. T1 to T6 are the theorem's steps: with these constants, m >= 400 k and gamma <= `largest_gamma`, the output
errs by at most alpha with probability 0.75.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dppca.reference.rigour.validation import check_count, check_epsilon, check_subspace_dimension

if TYPE_CHECKING:
    from dppca.reference.singhal2021.algorithm_2_approximate import Choices

#: The paper has no values. C_0 keeps the fullest cell's noisy count above all others (T5), C_1 = q / k bounds sigma_k of the
#: projected reference points from below (T4), 1 / C_2 is the probability that a block misses the centre's cell (T3).
C_0, C_1, C_2 = 8.0, 8.0, 40.0
#: Largest gamma, and sigma_k(Pi P) / sqrt(q) except with probability 0.056.
GAMMA_MAX, SIGMA = 0.05, 0.045


@dataclass(frozen=True)
class Blocks:
    """The sizes that line 1 sets for a privacy target: t blocks of m rows of dimension d, q reference points, cells of l.

    `cell` is l, in units of a point's entries.
    """

    epsilon: float
    delta: float
    n: int
    d: int
    k: int
    t: int
    m: int
    q: int
    cell: float


@dataclass(frozen=True)
class ApproximateCalibration(Blocks):
    """The sizes that line 1 sets, and the histogram of line 15."""

    scale: float
    threshold: float
    sensitivity: float


def rows_per_block(n: int, t: int, k: int) -> int:
    """Return the m of line 1, n // t; ValueError unless it is at least k + 2."""
    if n < t * (k + 2):
        raise ValueError(f"n must be >= {t * (k + 2)}, for t = {t} blocks of k + 2 = {k + 2} rows, got {n!r}")
    return n // t


def fewest_blocks(epsilon: float, c_0: float) -> int:
    """Return C_0 ln(100 / e^2) / e with e = min(epsilon, 1), rounded up: 37 or more at C_0 = 8.

    With so many blocks the cell of most is found at every epsilon and delta; the paper's t falls to 1 for large epsilon.
    """
    e = min(check_epsilon(epsilon), 1.0)
    return math.ceil(c_0 * math.log(100.0 / (e * e)) / e)


def union_bound_length(gamma: float, *, d: int, k: int, m: int, q: int, c_2: float) -> float:
    """Return the cell length at which a block is expected to miss the centre's cell with probability 1 / C_2.

    Scale lambda_k = 1. To first order in gamma, Pi_j - Pi is W + W^T with W = gamma G^T S (S^T S)^-1,
    G (m, d - k) and S (m, k) the small and the large coordinates of the block, so (inverse Wishart)
    E ||Pi_j - Pi||_F^2 <= 2 gamma^2 d k / (m - k - 1). With standard normal p_i the deviation D_j of a block's q d
    coordinates from Pi p_1, ..., Pi p_q has E D_j^2 = q E ||Pi_j - Pi||_F^2. Given everything else, the offset is
    uniform, so the block leaves the centre's cell with probability at most sum_r |D_jr| / l
    <= sqrt(q d) ||D_j|| / l. Its expectation is 1 / C_2 at l = C_2 gamma q d sqrt(2 k / (m - k - 1)).
    """
    return c_2 * gamma * q * d * math.sqrt(2.0 * k / (m - k - 1))


def cell_length(gamma: float, *, d: int, k: int, t: int, m: int, q: int, choices: Choices) -> float:
    """Return the l of line 1, as published or by the union bound."""
    if choices.cell_length == "union bound":
        return union_bound_length(gamma, d=d, k=k, m=m, q=q, c_2=choices.C_2)
    return choices.C_2 * gamma * math.sqrt(d * k) * (math.sqrt(k) + math.sqrt(math.log(k * t))) / math.sqrt(m)


def largest_gamma(alpha: float, *, d: int, k: int, m: int) -> float:
    """Return the gamma up to which CORRECTED errs by more than alpha with probability <= 0.25, given m >= 400 k.

    The cell of line 15 holds Pi p_1, ..., Pi p_q, whose smallest singular value is at least SIGMA sqrt(q) (T4), and the
    output comes from a point at most sqrt(q d) l away: an error of at most alpha if sqrt(d) l <= SIGMA alpha / 2 (T6).

    Args:
        alpha: error in operator norm, in (0, 1).
        d: dimension of a row.
        k: dimension of the subspace, 1 <= k <= d.
        m: rows of a block, >= k + 2.

    Raises:
        ValueError: alpha, k or m outside its range.
    """
    check_subspace_dimension(k, d)
    if not 0.0 < alpha < 1.0:
        raise ValueError(f"alpha must be in (0, 1), got {alpha!r}")
    check_count("m", m)
    if m < k + 2:
        raise ValueError(f"m must be >= k + 2 = {k + 2}, got {m!r}")
    unit = union_bound_length(1.0, d=d, k=k, m=m, q=math.ceil(C_1 * k), c_2=C_2)
    return min(GAMMA_MAX, 0.5 * SIGMA * alpha / (math.sqrt(d) * unit))
