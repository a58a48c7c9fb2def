"""What no auditor can do: how often a valid lower bound can exceed a given epsilon at a given number of trials.

Let P, Q be the laws of a pair, and P', Q' laws near them for which epsilon does hold. A bound that is wrong with probability
at most alpha exceeds epsilon on P', Q' with at most that probability. By the Renyi divergences D between the outputs that it
sees on the one pair and on the other, for every order a > 1 it does so on P, Q with probability at most
(alpha e^D)^((a - 1) / a) (probability preservation). This is a proof for every choice of P', Q'.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import cumulative_simpson
from scipy.optimize import minimize_scalar
from scipy.stats import laplace

from tests.studies.known_mechanisms import sparse_vector_3_pair, sparse_vector_pair, sparse_vector_variants

Masses = NDArray[np.float64]


def exceeded_at_most(p: Masses, q: Masses, epsilon: float, trials: int, alpha: float = 0.05) -> float:
    """Return an upper bound on the probability that a valid lower bound exceeds epsilon.

    Args:
        p: masses of the outputs on the data, shape (m,), > 0.
        q: masses on the neighbour, shape (m,), > 0.
        epsilon: what is to be exceeded.
        trials: outputs seen on each dataset.
        alpha: probability with which the lower bound may be wrong.
    """
    p_near, q_near = _near(p, q, epsilon)

    def log_bound(order: float) -> float:
        rest = 1.0 - order
        sums = (np.sum(x * np.exp(rest * (np.log(near) - np.log(x)))) for x, near in ((p, p_near), (q, q_near)))
        divergence = trials / (order - 1.0) * math.fsum(math.log(total) for total in sums)
        return (1.0 - 1.0 / order) * (math.log(alpha) + divergence)

    return min(1.0, math.exp(minimize_scalar(log_bound, bounds=(1.001, 20.0), method="bounded").fun))


def largest_median(p: Masses, q: Masses, trials: int, alpha: float = 0.05) -> float:
    """Return an epsilon that no valid lower bound's median can exceed, to 0.5 % of the pair's own."""
    largest = float(np.abs(np.log(p) - np.log(q)).max())
    share = 1.0
    while share > 0.005 and exceeded_at_most(p, q, (share - 0.005) * largest, trials, alpha) < 0.5:
        share -= 0.005
    return share * largest


def _near(p: Masses, q: Masses, epsilon: float) -> tuple[Masses, Masses]:
    """Laws with this epsilon near p, q: where the ratio is too large both masses give way, their sum kept.

    What they then lack, or have too much of, is shared out over the other outputs; where that moves a ratio beyond
    epsilon, the first step is repeated with less.
    """
    ratio = np.log(p) - np.log(q)
    bound = epsilon
    for _ in range(60):
        clipped = np.clip(ratio, -bound, bound)
        beyond = clipped != ratio
        near = [np.where(beyond, (p + q) / (1.0 + np.exp(sign * clipped)), x) for x, sign in ((p, -1.0), (q, 1.0))]
        inside = beyond if beyond.all() else ~beyond
        near = [np.where(inside, x * (1.0 + (1.0 - x.sum()) / x[inside].sum()), x) for x in near]
        worst = float(np.abs(np.log(near[0]) - np.log(near[1])).max())
        if worst <= epsilon:
            return near[0], near[1]
        bound -= 1.01 * (worst - epsilon)
    raise ValueError(f"no laws with epsilon {epsilon} were found near the pair")


def sparse_vector_masses(number: int, epsilon: float, queries: int = 6) -> tuple[Masses, Masses]:
    """Return the laws of variants 1, 2, 4, 6 on `sparse_vector_pair`."""
    of = sparse_vector_variants(epsilon)[number]
    p, q = (np.array([of.probability(x, answers) for answers in of.outputs(queries)]) for x in sparse_vector_pair(queries))
    return p / p.sum(), q / q.sum()


def sparse_vector_3_masses(epsilon: float, queries: int = 6, cells: int = 4000) -> tuple[Masses, Masses]:
    """Return the laws of variant 3 on `sparse_vector_3_pair`: (place, value) in cells, and no answer.

    Densities at the cells' centres; the grid has the kinks 0 and 1 among its edges and reaches 30 scales.
    """
    scale = 2.0 / epsilon
    width = 1.0 / max(1, round(cells / (60.0 * scale)))
    edges = np.arange(-30.0 * scale, 30.0 * scale + width, width)
    centres = 0.5 * (edges[1:] + edges[:-1])

    noise = laplace(scale=scale)
    laws = []
    for x in sparse_vector_3_pair(queries):
        masses, passed = [], noise.pdf(centres)  # of the threshold, with all answers before it below
        for value in x:
            under = cumulative_simpson(passed, x=centres, initial=0.0)
            masses.append(under * noise.pdf(centres - value) * width)
            passed = passed * noise.cdf(centres - value)
        law = np.concatenate([*masses, [passed.sum() * width]])
        laws.append(law)
    some = (laws[0] > 0.0) & (laws[1] > 0.0)
    p, q = (law[some] / law[some].sum() for law in laws)
    return p, q
